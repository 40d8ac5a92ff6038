/* Summing up the facts of one calendar day, by what they are of and by type of credit. */
#ifndef TPUCOST_DB_ROLLUP_DAY_SUMS_H
#define TPUCOST_DB_ROLLUP_DAY_SUMS_H

#include "base/time/civil.h"
#include "db/rollup/ref_sums.h"

/* Fill cost_day and credit_day of `day` from the usage of [starts, ends). What they had of that
 * day must be dropped before. Run inside a transaction. `s` is memory for one day after the other; it
 * stays below 8 MiB: a day that is of more different things is written in several pieces, which the
 * database adds up. E_OVERFLOW where sums of money do not fit 64 bits; E_DB when that shows only as
 * pieces are added up. */
enum err_code day_sums_fill(struct ref_sums *s, struct db *db, day_t day, ts_t starts,
	ts_t ends, struct err *e) must_check;

#endif
