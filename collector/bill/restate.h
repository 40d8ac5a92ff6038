/* Restatements: late rows, corrections and reloads change days that were already reported; users
 * are notified. */
#ifndef TPUCOST_COLLECTOR_BILL_RESTATE_H
#define TPUCOST_COLLECTOR_BILL_RESTATE_H

#include "base/err.h"
#include "base/mem.h"
#include "db/rollup/rollup.h"

struct db;

struct restate_sum {
	const char *date, *invoice_month, *currency;
	int64_t cost, credits;
	bool reported; /* the day ended long enough ago to be in a report */
};

struct restate_list {
	struct restate_sum *v;
	size_t n, cap;
};

struct restate {
	int64_t table_id;
	ts_t now;
	bool keep; /* false: the first read of a table is not a restatement */
	bool anew; /* replaces a unit that was stored before this poll */
	struct arena arena;
	struct restate_list before;
};

/* Called before and after the days of the range are rolled up, in the same transaction. */
enum err_code restate_before(struct restate *r, struct db *db, const struct tz *tz,
	const struct rollup_range *range, struct err *e) must_check;
enum err_code restate_after(struct restate *r, struct db *db, const struct tz *tz,
	const struct rollup_range *range, struct err *e) must_check;
/* Frees the memory of restate_before; may be called twice. */
void restate_done(struct restate *r);

#endif
