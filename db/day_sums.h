/* Summing up the facts of one calendar day, by what they are of and by type of credit. */
#ifndef TPUCOST_DB_DAY_SUMS_H
#define TPUCOST_DB_DAY_SUMS_H

#include "base/civil.h"
#include "base/err.h"

struct db;

/* Memory for one day after the other; all zeroes is empty. It stays below 8 MiB: a day that is of
 * more different things is written in several pieces, which the database adds up. */
struct day_sums {
	struct day_sum *v;
	size_t n, room;
	uint32_t *slots; /* 1 + index in v; 0: free */
};

/* Fill cost_day and credit_day of `day` from the usage of [starts, ends). What they had of that
 * day must be dropped before. Run inside a transaction. E_OVERFLOW where sums of money do not fit
 * 64 bits; E_DB when that shows only as pieces are added up. */
enum err_code day_sums_fill(struct day_sums *s, struct db *db, day_t day, ts_t starts,
	ts_t ends, struct err *e) must_check;
void day_sums_done(struct day_sums *s);

#endif
