/* What becomes of days that had been reported: late rows, corrections and reloads change
 * them, and people are told. */
#ifndef TPUCOST_COLLECTOR_BILL_RESTATE_H
#define TPUCOST_COLLECTOR_BILL_RESTATE_H

#include "base/err.h"
#include "base/mem.h"
#include "db/rollup/rollup.h"

struct db;

struct restate_sum {
	const char *date, *invoice_month, *currency;
	int64_t cost, credits;
	bool reported; /* the day had ended long enough ago to be in a report */
};

struct restate_list {
	struct restate_sum *v;
	size_t n, cap;
};

struct restate {
	int64_t table_id;
	ts_t now;
	bool keep; /* false: the first read of a table is no news */
	bool anew; /* a unit that was stored before this poll is replaced */
	struct arena arena;
	struct restate_list before;
};

/* Before and after the days of the range are rolled up, in the same transaction. */
enum err_code restate_before(struct restate *r, struct db *db, const struct tz *tz,
	const struct rollup_range *range, struct err *e) must_check;
enum err_code restate_after(struct restate *r, struct db *db, const struct tz *tz,
	const struct rollup_range *range, struct err *e) must_check;
/* Frees what restate_before read; twice is fine. */
void restate_done(struct restate *r);

#endif
