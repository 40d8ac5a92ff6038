#include "reports/kinds.h"

#include <string.h>

const struct report_kind report_kinds[] = {
	{"daily", "actions to take now, run rate, grants, yesterday's cost", "",
		daily_period, daily_question, daily_build},
	{"weekly", "seven days compared with the previous seven: costs, free TPUs, alerts",
		"until", weekly_period, weekly_question, weekly_build},
	{"month",
		"an invoice month, reconciled with Google's bill and with the calendar "
		"month",
		"month", month_period, NULL, month_build},
	{"grant", "use of a grant, for a request to renew it: hours, no amounts",
		"name since until", grant_report_period, NULL, grant_report_build},
};
const size_t n_report_kinds = ARRAY_LEN(report_kinds);

const struct report_kind *report_kind_find(const char *name)
{
	for (size_t i = 0; i < n_report_kinds; i++)
		if (!strcmp(report_kinds[i].name, name))
			return &report_kinds[i];
	return NULL;
}

bool report_takes(const struct report_kind *k, const char *what)
{
	size_t n = strlen(what);

	for (const char *p = strstr(k->takes, what); p; p = strstr(p + 1, what))
		if ((p == k->takes || p[-1] == ' ') && (!p[n] || p[n] == ' '))
			return true;
	return false;
}
