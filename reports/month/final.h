/* Finality of an invoice month. Private to reports/. */
#ifndef TPUCOST_REPORTS_MONTH_FINAL_H
#define TPUCOST_REPORTS_MONTH_FINAL_H

#include "reports/month/bill_end.h"
#include "rules/bill/days.h"

#define PACIFIC "America/Los_Angeles" /* zone in which Google's months begin and end */
#define CLOSES_ON 5 /* of the next month: Google has issued invoices by then */

enum month_status { MONTH_OPEN, MONTH_PARTIAL, MONTH_SETTLING, MONTH_SETTLED };

struct month_final {
	enum month_status status;
	const char *name;   /* "settling" */
	const char *reason; /* clause, without a full stop; NULL: it is settled */
	/* clause; NULL: no account has its first day on the bill after the first of the month */
	const char *begins;
	ts_t ends, closes; /* in Pacific time; Google has issued the invoice by `closes` */
	/* time up to which each day is known, and the days around the month */
	struct bill_known days;
	ts_t known; /* when its days were last read; TS_NONE: unknown */
	struct bill_end end;
	bool ends_early; /* the bill has no data for some days of the month */
};

/* Of the month with the days first..last. Texts are allocated from the reader's arena. */
struct month_final month_final_read(const struct db_reader *r, const struct tz *tz,
	const struct tz *pacific, day_t first, day_t last, ts_t now);
/* The days of a month; `month` may be 13. */
day_t month_first(int year, int month);

#endif
