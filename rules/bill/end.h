/* End of the bill: its newest usage. The export can be read every hour without new rows; the read is then recent and the
 * costs are not. */
#ifndef TPUCOST_RULES_BILL_END_H
#define TPUCOST_RULES_BILL_END_H

#include "base/mem.h"
#include "base/time/tz.h"
#include "rules/bill/reconcile.h"

struct db;

#define BILL_END_LATELY 30 /* days: an account without usage in them counts as closed */

struct bill_end {
	ts_t newest;         /* end of the newest usage hour; TS_NONE: none */
	const char *account; /* the billing account with that end, if there are several */
	/* No new usage for more than 48 hours: Google is usually at most 1.6 days late. It is also
	 * possible that nothing was used. */
	bool old;
	ts_t read; /* last complete read of the billing tables; TS_NONE: not all were read yet */
	bool unread; /* and that was longer ago than three intervals */
	const char *
		lacks; /* why the last poll of the billing tables was not complete; NULL: it was */
};

/* Of the accounts with usage in the last 30 days, the one that is furthest behind; without any, the
 * newest of all. Days are in `tz`. Sets neither `read`, `unread` nor `lacks`. Texts are allocated from `a`. */
enum err_code bill_end_find(struct db *db, const struct tz *tz, ts_t now, struct arena *a,
	struct bill_end *out, struct err *e) must_check;
/* Moment from which a bill is complete whose first usage day is `utc`; days of usage are those of UTC. West of it, such
 * a day begins on the day before, of which it is only the end. */
struct opt_i64 bill_begins(const struct tz *tz, struct opt_i64 utc);
/* It is old, and ends before `ends`: the costs up to `ends` are unknown. */
bool bill_end_before(const struct bill_end *end, ts_t ends);
/* Finality of a period that ends at `ends` and whose costs are known up to `known` (absent: up to
 * now): it is not final until the bill extends a day beyond it. */
enum rec_status bill_end_status(
	const struct bill_end *end, ts_t ends, struct opt_i64 known, ts_t now);

#endif
