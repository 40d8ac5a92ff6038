#include "reports/report.h"

#include <string.h>

const struct report_format report_formats[] = {
	{"text", report_text},
	{"html", report_html},
	{"json", report_json},
};
const size_t n_report_formats = ARRAY_LEN(report_formats);

const struct report_format *report_format_find(const char *name)
{
	for (size_t i = 0; i < n_report_formats; i++)
		if (!strcmp(report_formats[i].name, name))
			return &report_formats[i];
	return NULL;
}
