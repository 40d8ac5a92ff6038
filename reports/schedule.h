/* When reports are due. */
#ifndef TPUCOST_REPORTS_SCHEDULE_H
#define TPUCOST_REPORTS_SCHEDULE_H

#include "base/time/tz.h"
#include "reports/outbox/outbox.h"

enum schedule_every { EVERY_DAY, EVERY_WEEK, EVERY_MONTH };

struct schedule {
	const char *kind; /* of the report: "daily" ... */
	enum schedule_every every;
	int minute;            /* of the day, in the zone */
	int on;                /* EVERY_WEEK: 1 Monday ... 7 Sunday; EVERY_MONTH: 1..28 */
	const char *const *to; /* names of channels */
	size_t n_to;
};

/* The newest date whose moment has come by `now`. On a day without that time of day the moment is
 * the first after the gap; of two it is the first. */
day_t schedule_date(const struct schedule *s, const struct tz *tz, ts_t now);

/* Its name in the outbox: "daily|2026-11-21". */
const char *schedule_dedup(const struct schedule *s, day_t date, struct arena *a);

/* Is the report of that date still to be put into the outbox for the channel? Not when it is there
 * for every recipient; nor when a later one is, which is so when a clock was set back; nor when it
 * would be the first and its date is not today, for then nobody waited for it. */
enum err_code schedule_wanted(struct db *db, const struct schedule *s,
	const struct channel *c, day_t date, day_t today, struct arena *a, bool *wanted,
	struct err *e) must_check;

#endif
