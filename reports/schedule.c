#include "reports/schedule.h"

#include "base/time/civil.h"
#include "base/sbuf.h"
#include "db_sql.h"

#include <stdio.h>
#include <string.h>

static bool is_on(const struct schedule *s, day_t d)
{
	int year, month, day;

	switch (s->every) {
	case EVERY_DAY:
		break;
	case EVERY_WEEK:
		return civil_weekday(d) + 1 == s->on;
	case EVERY_MONTH:
		civil_from_day(d, &year, &month, &day);
		return day == s->on;
	}
	return true;
}

day_t schedule_date(const struct schedule *s, const struct tz *tz, ts_t now)
{
	day_t d = tz_day(tz, now);

	if (now < tz_local_to_ts(tz, d, s->minute / 60, s->minute % 60))
		d--;
	while (!is_on(s, d))
		d--;
	return d;
}

const char *schedule_dedup(const struct schedule *s, day_t date, struct arena *a)
{
	char text[DATE_BUF];

	return arena_printf(a, "%s|%s", s->kind, date_format(date, text));
}

void schedule_ask(
	const struct schedule *s, day_t date, struct arena *a, struct report_ask *ask)
{
	int year, month, day;

	if (s->every != EVERY_MONTH) {
		ask->until = tz_day_start(ask->settings->tz, date);
		return;
	}
	civil_from_day(date, &year, &month, &day);
	civil_from_day(date - day, &year, &month, &day);
	ask->month = arena_printf(a, "%04d-%02d", year, month);
}

/* ---- since when it exists ----------------------------------------------------------------------- */

/* Key of meta. Its value has a line "weekly|CHANNEL|DAY" for each, with the number of the day. */
#define SEEN "report_schedules"

/* The day on which it was first seen; `latest` if there is none, or a later one, of a wrong clock. */
static day_t seen_since(const char *seen, const char *kind, const char *channel,
	day_t latest, struct arena *a)
{
	const char *key = arena_printf(a, "\n%s|%s|", kind, channel);
	const char *line = strstr(seen, key);
	day_t day;

	if (!line || sscanf(line + strlen(key), "%d", &day) != 1 || day > latest)
		return latest;
	return day;
}

enum err_code schedules_note(struct db *db, const struct schedule *s, size_t n, day_t today,
	struct arena *a, struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct q_meta_put_in put = {.key = SEEN};
	const char *seen;

	if (db_meta(db, SEEN, a, &seen, e))
		return e->code;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < s[i].n_to; k++)
			sbuf_addf(&b, "\n%s|%s|%d", s[i].kind, s[i].to[k],
				seen_since(seen, s[i].kind, s[i].to[k], today, a));
	put.value = b.s;
	return strcmp(seen, b.s) != 0 ? q_meta_put(db, &put, e) : E_OK;
}

/* A report of an earlier date was missed if the schedule existed then: it was noted, or has sent one. */
static enum err_code existed(struct db *db, const struct schedule *s,
	const struct channel *c, day_t date, struct arena *a, bool *out, struct err *e)
{
	struct q_notification_later_in ever = {.channel = c->name,
		.kind = s->kind,
		.first = arena_printf(a, "%s|", s->kind),
		.end = arena_printf(a, "%s|~", s->kind)};
	struct q_notification_later later;
	const char *seen;

	if (db_meta(db, SEEN, a, &seen, e))
		return e->code;
	*out = seen_since(seen, s->kind, c->name, date + 1, a) <= date;
	return *out ? E_OK : q_notification_later_one(db, &ever, a, &later, out, e);
}

enum err_code schedule_wanted(struct db *db, const struct schedule *s,
	const struct channel *c, day_t date, day_t today, struct arena *a, bool *wanted,
	struct err *e)
{
	struct q_notification_later_in in = {.channel = c->name,
		.kind = s->kind,
		.first = schedule_dedup(s, date + 1, a),
		.end = schedule_dedup(s, today + 1, a)};
	size_t n = channel_traits[c->kind].per_recipient ? c->n_to : 1;
	const char *dedup = schedule_dedup(s, date, a);
	struct q_notification_later later;
	bool found, any = true;

	*wanted = false;
	if (date != today && existed(db, s, c, date, a, &any, e))
		return e->code;
	if (!any)
		return E_OK;
	if (q_notification_later_one(db, &in, a, &later, &found, e))
		return e->code;
	for (size_t i = 0; i < n && !found && !*wanted; i++) {
		const char *to = channel_traits[c->kind].per_recipient ? c->to[i] : "";
		bool there;

		if (outbox_has(db, c, dedup, to, a, &there, e))
			return e->code;
		*wanted = !there;
	}
	return E_OK;
}
