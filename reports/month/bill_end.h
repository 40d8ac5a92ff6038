/* Where the bill ends: its newest usage. The export can be read every hour and tell nothing new;
 * then the read is fresh and the costs are not. Private to reports/. */
#ifndef TPUCOST_REPORTS_MONTH_BILL_END_H
#define TPUCOST_REPORTS_MONTH_BILL_END_H

#include "reports/doc/doc.h"
#include "rules/bill/reconcile.h"

struct db;

struct bill_end {
	ts_t newest; /* end of the newest usage hour; TS_NONE: there is none */
	const char
		*account; /* the billing account that ends then, where there are several */
	/* For more than 48 hours nothing came: Google is late by 1.6 days at most, as a rule. It
	 * may be that nothing was used. */
	bool old;
};

/* Of the accounts that had usage in the last 30 days, the one that is furthest behind; where none
 * had, the newest of all. `end->account` is in the arena. Days of `tz`. */
enum err_code bill_end_read(struct db *db, const struct tz *tz, ts_t now, struct arena *a,
	struct bill_end *end, struct err *e) must_check;
/* It is old, and before then: what ends then is not known. */
bool bill_end_before(const struct bill_end *end, ts_t ends);
/* How final a day is that ends at `ends` and whose costs are known up to `known` (absent: as far as they will
 * be): not final while an old bill does not reach a day beyond it. */
enum rec_status bill_end_status(
	const struct bill_end *end, ts_t ends, struct opt_i64 known, ts_t now);
/* "The bill ends at 2026-11-17 20:00, 4d 2h ago: what was used since is not on it. ", or how the
 * newest usage is called when it is older than 30 days. */
void bill_end_say(const struct bill_end *end, const struct doc *d, struct sbuf *b);
/* The fact billing_newest_usage. */
void bill_end_fact(const struct bill_end *end, struct doc *d, const char *title);

#endif
