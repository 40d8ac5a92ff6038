/* Rolling hourly usage up to calendar days. Always recomputed from the facts, never added
 * to: what is read twice cannot count twice. */
#ifndef TPUCOST_DB_ROLLUP_ROLLUP_H
#define TPUCOST_DB_ROLLUP_ROLLUP_H

#include "base/err.h"
#include "base/time/civil.h"
#include "base/time/tz.h"
#include "db/rollup/ref_sums.h"

/* A range of instants, both ends included; first > last: nothing. */
struct rollup_range {
	ts_t first, last;
};
#define ROLLUP_NOTHING ((struct rollup_range){.first = INT64_MAX, .last = INT64_MIN})

void rollup_widen(struct rollup_range *r, ts_t first, ts_t last);

/* Recompute the days of `tz` that the range touches, in one transaction. */
enum err_code rollup_days(struct db *db, const struct tz *tz,
	const struct rollup_range *range, struct err *e) must_check;

/* Recompute every day, as after a change of the configured zone. */
enum err_code rollup_all(struct db *db, const struct tz *tz, struct err *e) must_check;

/* Fill cost_day and credit_day of `day` from the usage of [starts, ends). What they had of that
 * day must be dropped before. Run inside a transaction. `s` is memory for one day after the other; it
 * stays below 8 MiB: a day that is of more different things is written in several pieces, which the
 * database adds up. E_OVERFLOW where sums of money do not fit 64 bits; E_DB when that shows only as
 * pieces are added up. */
enum err_code day_sums_fill(struct ref_sums *s, struct db *db, day_t day, ts_t starts,
	ts_t ends, struct err *e) must_check;

#endif
