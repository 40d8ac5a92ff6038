/* End of the bill: its newest usage. The export can be read every hour without new rows; the read is then recent and the
 * costs are not. */
#ifndef TPUCOST_RULES_BILL_END_H
#define TPUCOST_RULES_BILL_END_H

#include "base/mem.h"
#include "base/time/tz.h"
#include "db_sql.h"
#include "rules/bill/reconcile.h"

#define BILL_END_LATELY 30 /* days: an account without usage in them counts as closed */

struct bill_end {
	ts_t newest;         /* end of the newest usage hour; TS_NONE: none */
	const char *account; /* the billing account with that end, if there are several */
	/* No new usage for more than 48 hours: Google is usually at most 1.6 days late. It is also
	 * possible that nothing was used. */
	bool old;
	ts_t read; /* last complete read of the billing tables; TS_NONE: not all were read yet */
	bool unread; /* and that was longer ago than three intervals */
};

/* Of the accounts with usage in the last 30 days, the one that is furthest behind; without any, the
 * newest of all. Days are in `tz`. Sets neither `read` nor `unread`. Texts are allocated from `a`. */
enum err_code bill_end_find(struct db *db, const struct tz *tz, ts_t now, struct arena *a,
	struct bill_end *out, struct err *e) must_check;
struct bill_end bill_end_at(ts_t newest, ts_t now);

/* End of each account, or of each that has usage in the last 30 days if there are any. */
struct account_ends {
	struct q_bill_end *v;
	size_t n;
	bool lately;
};

/* `today` is a day of the configured zone. Allocated from `a`. */
enum err_code bill_ends_read(struct db *db, day_t today, struct arena *a,
	struct account_ends *out, struct err *e) must_check;

/* It is old, and ends before `ends`: the costs up to `ends` are unknown. */
bool bill_end_before(const struct bill_end *end, ts_t ends);
/* Time up to which the costs of a period that ends at `ends` are known, if they were read at `known`: of an old bill
 * that does not extend a day beyond the period, a day after its end. So the day in which the bill ends is partial, and
 * the day before it settling. */
ts_t bill_end_known(const struct bill_end *end, ts_t ends, ts_t known);
/* Finality of such a period (`known` absent: read now). */
enum rec_status bill_end_status(
	const struct bill_end *end, ts_t ends, struct opt_i64 known, ts_t now);

#endif
