/* End of the bill: its newest usage. The export can be read every hour without new rows; the read
 * is then recent and the costs are not. Private to reports/. */
#ifndef TPUCOST_REPORTS_MONTH_BILL_END_H
#define TPUCOST_REPORTS_MONTH_BILL_END_H

#include "reports/doc/doc.h"
#include "rules/bill/reconcile.h"

struct db;

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
 * newest of all. Days are in `tz`. */
struct bill_end bill_end_read(const struct db_reader *r, const struct tz *tz, ts_t now);
/* It is old, and ends before `ends`: the costs up to `ends` are unknown. */
bool bill_end_before(const struct bill_end *end, ts_t ends);
/* Finality of a day that ends at `ends` and whose costs are known up to `known` (absent: up to
 * now): it is not final until the bill extends a day beyond it. */
enum rec_status bill_end_status(
	const struct bill_end *end, ts_t ends, struct opt_i64 known, ts_t now);
/* "The bill ends at 2026-11-17 20:00, 4d 2h ago: later usage is not on it.", or "The newest usage
 * on the bill ..." if that is older than 30 days. Allocated from the document's arena. */
const char *bill_end_note(const struct bill_end *end, const struct doc *d);
/* The last read, if it is too old for costs that are not final; else TS_NONE. */
ts_t bill_end_stale(const struct bill_end *end);
/* Adds the fact billing_newest_usage. */
void bill_end_fact(const struct bill_end *end, struct doc *d, const char *title);

#endif
