/* Rolls hourly usage up to calendar days. Days are always computed again from the facts, never
 * added to: repeated reads cannot count twice. */
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

/* Computes the days of `tz` that overlap the range again, in one transaction. */
enum err_code rollup_days(struct db *db, const struct tz *tz,
	const struct rollup_range *range, struct err *e) must_check;

/* Computes every day again, after a change of the configured zone. */
enum err_code rollup_all(struct db *db, const struct tz *tz, struct err *e) must_check;

/* Fills cost_day and credit_day of `day` from the usage of [starts, ends). Previous rows of that
 * day must have been deleted. Call it inside a transaction. `s` is memory that is reused for each
 * day; it stays below 8 MiB: a day with more keys is written in several parts, which the database
 * adds up. E_OVERFLOW if sums of money exceed 64 bits; E_DB if that is detected only when the parts
 * are added up. */
enum err_code day_sums_fill(struct ref_sums *s, struct db *db, day_t day, ts_t starts,
	ts_t ends, struct err *e) must_check;

#endif
