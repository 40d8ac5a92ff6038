/* What the parts of the monthly report share. Private to reports/month/. */
#ifndef TPUCOST_REPORTS_MONTH_INTERNAL_H
#define TPUCOST_REPORTS_MONTH_INTERNAL_H

#include "db/rollup/ref_sums.h"
#include "reports/month/bill_end.h"
#include "reports/kinds.h"
#include "reports/shared.h"
#include "rules/bill/known.h"

#define MONTH_TOO_LARGE "the costs of the month do not fit"
#define MONTH_TOP 20 /* SKUs of one account and currency */

struct charges {
	int64_t cost, credits;
};

/* One billing account in one currency: never added to another. */
struct ledger {
	const char *account, *currency; /* account "": the file did not tell it */
	bool invoiced;                  /* something is on the invoice */
	struct charges invoice;         /* whatever its usage day */
	int64_t tax;                    /* of it: cost and credits of tax lines */
	struct charges late,
		other; /* on it, of another month; of this one, on another invoice */
	struct charges head,
		tail;        /* what the zone has at its ends and Pacific days have not */
	struct charges zone; /* usage of the calendar month in the configured zone */
};

enum month_status { MONTH_OPEN, MONTH_SETTLING, MONTH_SETTLED };

struct monthly {
	const struct report_ask *ask;
	struct db *db;
	struct arena *a;
	struct doc *doc;
	const struct tz *tz;
	const struct tz *pacific;
	int year, month;
	const char *label;             /* "2026-11" */
	const char *invoice;           /* "202611", as Google writes it */
	ts_t pacific_from, pacific_to; /* the calendar month there */
	ts_t from, to;                 /* and in the configured zone */
	day_t first, last;
	ts_t closes;            /* Google has written the invoice by then */
	struct bill_known days; /* up to when each is known, and those beside the month */
	ts_t known; /* when its days were looked at last; TS_NONE: nothing is known */
	struct bill_end end;
	enum month_status status;
	struct ledger *ledgers;
	size_t n, cap;
	bool accounts; /* there are several: their names matter */
	struct ref_sums
		*bill; /* of the invoice and of the calendar month: see month_sum_bill() */
};

/* ---- reports/month/ledger.c -------------------------------------------------------------------- */

struct ledger *month_ledger(struct monthly *m, const char *account, const char *currency);
/* Checked sum; E_OVERFLOW says of which account. */
enum err_code month_add(struct charges *to, int64_t cost, int64_t credits, struct err *e);
/* A row of what an account is billed in a currency. */
struct doc_row *month_row(struct doc_section *s, const struct ledger *l);
/* The same with its amounts. */
struct doc_row *month_amounts(struct doc_section *s, const struct ledger *l,
	const struct charges *x, bool partial);

/* Into m->bill: by project, SKU, charge and part, as month_bill has it. */
enum err_code month_sum_bill(struct monthly *m, struct err *e) must_check;
enum { PART_INVOICE = 1, PART_CALENDAR = 2 };
/* While m->bill is shown: the rows of a section with what it is by ("project"). */
enum err_code month_add_by(struct monthly *m, const char *by, int part,
	struct doc_section *s, struct err *e) must_check;

/* ---- reports/month/strays.c -------------------------------------------------------------------- */

/* Charges of one Pacific day on one invoice: of this invoice and another month, or the other way
 * round. */
struct stray {
	size_t ledger;
	day_t day;
	const char *invoice;
	struct charges sums;
};

struct strays {
	struct stray *v; /* by ledger, day and invoice */
	size_t n, cap;
};

/* They, and `late`, `other`, `head` and `tail` of each ledger. */
enum err_code month_read_strays(
	struct monthly *m, struct strays *x, struct err *e) must_check;

/* ---- its two halves ---------------------------------------------------------------------------- */

/* The invoice by Google's own field: its lines, projects, services, SKUs. */
enum err_code month_invoice(struct monthly *m, struct err *e) must_check;
/* The calendar month in both zones, and what differs from the invoice. */
enum err_code month_calendar(struct monthly *m, struct err *e) must_check;

#endif
