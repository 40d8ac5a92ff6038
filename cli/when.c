/* Times and months on the command line. */
#include "base/time/civil.h"
#include "base/time/tz.h"
#include "cli/config/config.h"
#include "cli/query.h"

#include <stdio.h>
#include <string.h>

/* "today", "yesterday", "week" (since Monday), "month" (since the first) */
static bool named_day(struct app *app, const char *text, day_t *out)
{
	day_t today = tz_day(app->cfg->tz, app->now);
	int year, month, day;

	civil_from_day(today, &year, &month, &day);
	if (!strcmp(text, "today"))
		*out = today;
	else if (!strcmp(text, "yesterday"))
		*out = today - 1;
	else if (!strcmp(text, "week"))
		*out = today - (today + 3) % 7; /* day 0 was a Thursday */
	else if (!strcmp(text, "month"))
		*out = today - (day - 1);
	else
		return false;
	return true;
}

enum err_code query_time(struct app *app, const char *text, ts_t *out, struct err *e)
{
	int64_t seconds;
	day_t day;

	if (named_day(app, text, &day)) {
		*out = tz_day_start(app->cfg->tz, day);
		return E_OK;
	}
	if (!duration_parse(text, &seconds, NULL)) {
		*out = app->now - seconds;
		return E_OK;
	}
	if (!rfc3339_parse(text, out, NULL, NULL))
		return E_OK;
	if (!date_parse(text, &day, NULL)) {
		*out = tz_day_start(app->cfg->tz, day);
		return E_OK;
	}
	err_set(e, E_USAGE, "'%.60s' is not a valid time", text);
	return err_fix(e,
		"use 7d, 12h, today, yesterday, week, month, 2026-11-01 or "
		"2026-11-01T08:00:00Z");
}

enum err_code query_month(const char *text, char out[8], struct err *e)
{
	char first[DATE_BUF];
	day_t day;

	snprintf(first, sizeof(first), "%.8s-01", text); /* not a date if it is longer */
	if (date_parse(first, &day, NULL)) {
		err_set(e, E_USAGE,
			"--month: '%.60s' is not a valid month (expected YYYY-MM)", text);
		return err_fix(e, "use --month 2026-11");
	}
	snprintf(out, 8, "%.4s%.2s", text, text + 5);
	return E_OK;
}
