/* Schedule of reports. */
#ifndef TPUCOST_REPORTS_SCHEDULE_H
#define TPUCOST_REPORTS_SCHEDULE_H

#include "base/time/tz.h"
#include "reports/kinds.h"
#include "reports/outbox/outbox.h"

enum schedule_every { EVERY_DAY, EVERY_WEEK, EVERY_MONTH };

struct schedule {
	const char *kind; /* of the report: "daily" ... */
	enum schedule_every every;
	int minute;            /* time of day in the zone */
	int on;                /* EVERY_WEEK: 1 Monday ... 7 Sunday; EVERY_MONTH: 1..28 */
	const char *const *to; /* names of channels */
	size_t n_to;
};

/* The newest date whose time is not after `now`. On a day without that time of day it is the first
 * instant after the gap; on a day with two it is the first. */
day_t schedule_date(const struct schedule *s, const struct tz *tz, ts_t now);

/* Its key in the outbox: "daily|2026-11-21". */
const char *schedule_dedup(const struct schedule *s, day_t date, struct arena *a);

/* Sets what the report of that date is about, whenever it is made: days before it, or the month before
 * it. Needs ask->settings. The date is of the user's zone: on the 1st, in zones ahead of Google's, that month has not ended yet. Strings are
 * allocated from `a`. */
void schedule_ask(
	const struct schedule *s, day_t date, struct arena *a, struct report_ask *ask);

/* Records which schedules exist for which channels since `today`, and forgets others: call it with all of them
 * before schedule_wanted. */
enum err_code schedules_note(struct db *db, const struct schedule *s, size_t n, day_t today,
	struct arena *a, struct err *e) must_check;

/* Reports whether the report of that date must be put into the outbox for the channel. It must not
 * if it exists for every recipient; if a later one exists, which happens when a clock is set back;
 * or if its date is not today and the schedule did not exist then. */
enum err_code schedule_wanted(struct db *db, const struct schedule *s,
	const struct channel *c, day_t date, day_t today, struct arena *a, bool *wanted,
	struct err *e) must_check;

#endif
