/* Schedules of reports and their channels. */
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/config/internal.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_AT (9 * 60)
#define MONTH_DAY 3 /* Google changes an invoice month for some days after its end */

struct entry {
	struct schedule s;
	struct texts to;
	unsigned weekday; /* 0: Monday */
};

bool config_minute_of_day(const char *s, int *minute)
{
	int hour, min, end = 0;

	if (strlen(s) != 5 || sscanf(s, "%2d:%2d%n", &hour, &min, &end) != 2 || s[end] ||
		hour > 23 || min > 59 || hour < 0 || min < 0)
		return false;
	*minute = hour * 60 + min;
	return true;
}

enum err_code config_read_minute(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	(void)b;
	if (str_eq(n->key, "to") && str_eq(n->text, "24:00"))
		*(int *)obj = 24 * 60;
	else if (!config_minute_of_day(n->text, obj))
		return yaml_err(n, e,
			"'%.60s' is not a time of day (expected one such as \"09:00\")",
			n->text);
	return E_OK;
}

static enum err_code read_month_day(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct entry *entry = obj;
	int64_t day;

	if (bind_value(b, n, BIND_COUNT, &day, e))
		return e->code;
	if (day < 1 || day > 28)
		return yaml_err(n, e, "expected a day that every month has: 1 to 28");
	entry->s.on = (int)day;
	return E_OK;
}

static const char *const weekdays[] = {
	"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", NULL};

#define EN(field) offsetof(struct entry, field)
static const struct field weekly_fields[] = {
	{"at", BIND_SCALAR, EN(s.minute), config_read_minute,
		.doc = "time of day in timezone", .def = "09:00", .shape = "time of day"},
	{"to", BIND_TEXTS, EN(to), .doc = "channels", .def = "all that accept reports"},
	{"on", BIND_ENUM, EN(weekday), .doc = "day of the week", .def = "monday",
		.words = weekdays},
};
static const struct field month_fields[] = {
	{"at", BIND_SCALAR, EN(s.minute), config_read_minute,
		.doc = "time of day in timezone", .def = "09:00", .shape = "time of day"},
	{"to", BIND_TEXTS, EN(to), .doc = "channels", .def = "all that accept reports"},
	{"on", BIND_OTHER, 0, read_month_day, .doc = "day of the month, 1 to 28",
		.def = "3", .shape = "number"},
};

static const struct {
	struct schedule start;
	struct field_set keys;
} kinds[CONFIG_SCHEDULES] = {
	{{.kind = "daily", .every = EVERY_DAY, .minute = DEFAULT_AT},
		{weekly_fields, ARRAY_LEN(weekly_fields) - 1, .what = "report.daily"}},
	{{.kind = "weekly", .every = EVERY_WEEK, .minute = DEFAULT_AT},
		{weekly_fields, ARRAY_LEN(weekly_fields), .what = "report.weekly"}},
	{{.kind = "month", .every = EVERY_MONTH, .on = MONTH_DAY, .minute = DEFAULT_AT},
		{month_fields, ARRAY_LEN(month_fields), .what = "report.month"}},
};

static enum err_code read_schedule(
	struct binder *b, const struct yaml_node *n, void *obj, struct err *e)
{
	struct config *cfg = obj;
	struct entry entry;
	size_t k = 0;

	while (strcmp(kinds[k].start.kind, n->key) != 0)
		k++;
	entry = (struct entry){.s = kinds[k].start};
	if (bind_set(b, n, &kinds[k].keys, &entry, e))
		return e->code;
	if (entry.s.every == EVERY_WEEK)
		entry.s.on = (int)entry.weekday + 1;
	entry.s.to = entry.to.v;
	entry.s.n_to = entry.to.n;
	cfg->schedules[cfg->n_schedules] = entry.s;
	cfg->schedule_nodes[cfg->n_schedules++] = yaml_get(n, "to");
	return E_OK;
}

static const struct field report_fields[] = {
	{"daily", BIND_OTHER, 0, read_schedule, .doc = "the daily report",
		.sub = &kinds[0].keys},
	{"weekly", BIND_OTHER, 0, read_schedule, .doc = "the weekly report",
		.sub = &kinds[1].keys},
	{"month", BIND_OTHER, 0, read_schedule,
		.doc = "the report of the previous invoice month", .sub = &kinds[2].keys},
};
const struct field_set config_report_keys = {
	report_fields, ARRAY_LEN(report_fields), .what = "report"};

static enum err_code check_target(const struct config *cfg, const struct schedule *s,
	size_t k, const struct yaml_node *n, struct err *e)
{
	const char *name = s->to[k];
	const struct channel *c = NULL;

	for (size_t i = 0; i < k; i++)
		if (!strcmp(s->to[i], name))
			return yaml_err(
				n, e, "report.%s: '%s' is listed twice", s->kind, name);
	for (size_t i = 0; i < cfg->n_channels && !c; i++)
		if (!strcmp(cfg->channels[i].name, name))
			c = &cfg->channels[i];
	if (c && channel_traits[c->kind].reports)
		return E_OK;
	if (c)
		return yaml_err(n, e,
			"report.%s: channel '%s' is an %s, which accepts alerts but not "
			"reports",
			s->kind, name, channel_traits[c->kind].name);
	yaml_err(n, e, "report.%s: there is no channel '%s'", s->kind, name);
	return near_fix(e, NEAR_OF(name, cfg->channels, cfg->n_channels, name),
		"use a channel of notify:");
}

enum err_code config_check_schedules(struct config *cfg, struct arena *a, struct err *e)
{
	for (size_t i = 0; i < cfg->n_schedules; i++) {
		struct schedule *s = &cfg->schedules[i];

		/* without `to`, the report goes to all channels that accept reports */
		if (!cfg->schedule_nodes[i]) {
			const char **to = arena_alloc(a, cfg->n_channels * sizeof(*to));

			s->to = to;
			for (size_t k = 0; k < cfg->n_channels; k++)
				if (channel_traits[cfg->channels[k].kind].reports)
					to[s->n_to++] = cfg->channels[k].name;
		}
		for (size_t k = 0; k < s->n_to; k++)
			if (check_target(cfg, s, k, cfg->schedule_nodes[i], e))
				return e->code;
		if (!s->n_to)
			config_remark(a, &cfg->warnings,
				"report.%s: there is no channel for it; add one under "
				"notify:",
				s->kind);
	}
	return E_OK;
}
