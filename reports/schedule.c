#include "reports/schedule.h"

#include "base/time/civil.h"
#include "db_sql.h"

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

enum err_code schedule_wanted(struct db *db, const struct schedule *s,
	const struct channel *c, day_t date, day_t today, struct arena *a, bool *wanted,
	struct err *e)
{
	struct q_notification_later_in in = {.channel = c->name,
		.kind = s->kind,
		.first = schedule_dedup(s, date + 1, a),
		.end = schedule_dedup(s, today + 1, a)};
	struct q_notification_later_in ever = {.channel = c->name,
		.kind = s->kind,
		.first = arena_printf(a, "%s|", s->kind),
		.end = arena_printf(a, "%s|~", s->kind)};
	size_t n = channel_traits[c->kind].per_recipient ? c->n_to : 1;
	const char *dedup = schedule_dedup(s, date, a);
	struct q_notification_later later;
	bool found, any = true;

	*wanted = false;
	/* A schedule that began today has missed no report: none was ever put into the outbox. */
	if (date != today && q_notification_later_one(db, &ever, a, &later, &any, e))
		return e->code;
	if (!any)
		return E_OK;
	if (q_notification_later_one(db, &in, a, &later, &found, e))
		return e->code;
	for (size_t i = 0; i < n && !found && !*wanted; i++) {
		const char *to = channel_traits[c->kind].per_recipient ? c->to[i] : "";
		struct q_notification_has_in has = {
			.dedup = arena_printf(a, "%s|%s|%s", dedup, c->name, to)};
		struct q_notification_has row;
		bool there;

		if (q_notification_has_one(db, &has, a, &row, &there, e))
			return e->code;
		*wanted = !there;
	}
	return E_OK;
}
