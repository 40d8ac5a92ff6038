/* Declarations shared by the parts of the monthly report. Private to reports/month/. */
#ifndef TPUCOST_REPORTS_MONTH_INTERNAL_H
#define TPUCOST_REPORTS_MONTH_INTERNAL_H

#include "db/rollup/ref_sums.h"
#include "reports/month/final.h"
#include "reports/kinds.h"
#include "reports/shared.h"

#define MONTH_TOO_LARGE "the costs of the month are too large"
#define MONTH_TOP 20 /* SKUs of one account and currency */

struct charges {
	int64_t cost, credits;
};

/* One billing account in one currency; currencies are never added. */
struct ledger {
	const char *account, *currency; /* account "": unknown in an imported file */
	bool invoiced;                  /* has lines on the invoice */
	struct charges invoice;         /* for any usage day */
	int64_t tax;                    /* of those: cost and credits of tax lines */
	struct charges late,
		other; /* on it, but used in another month; used in this month, but on another
		        * invoice */
	struct charges head,
		tail; /* in the month of one zone but not of the other, at its beginning and
			      * end */
	struct charges zone; /* usage of the calendar month in the configured zone */
};

struct monthly {
	const struct report_ask *ask;
	/* see struct db_reader */
	struct db *db;
	struct arena *a;
	struct err *e;
	struct doc *doc;
	const struct tz *tz;
	const struct tz *pacific;
	int year, month;
	const char *label;             /* "2026-11" */
	const char *invoice;           /* "202611", as Google writes it */
	ts_t pacific_from, pacific_to; /* the calendar month there */
	ts_t from, to;                 /* and in the configured zone */
	day_t first, last;
	struct month_final final;
	struct ledger *ledgers;
	size_t n, cap;
	bool accounts; /* there are several: show their names */
	/* of the invoice and of the calendar month: see month_sum_bill() */
	struct ref_sums *bill;
};

/* ---- reports/month/ledger.c -------------------------------------------------------------------- */

struct ledger *month_ledger(struct monthly *m, const char *account, const char *currency);
/* Checked sum; E_OVERFLOW names the account. */
void month_add(struct monthly *m, struct charges *to, int64_t cost, int64_t credits);
/* A row with the bill of an account in a currency. */
struct doc_row *month_row(struct doc_section *s, const struct ledger *l);
/* The same with its amounts. */
struct doc_row *month_amounts(struct doc_section *s, const struct ledger *l,
	const struct charges *x, bool partial);
/* The option of `tpucost cost` that selects its account; "": there is only one. */
const char *month_where(const struct monthly *m, const struct ledger *l);
/* Of several accounts, groups the rows of all sections that have a column "account". */
void month_group(struct monthly *m);

/* Adds to m->bill: by project, SKU, charge and part, as month_bill returns it. */
void month_sum_bill(struct monthly *m);
enum { PART_INVOICE = 1, PART_CALENDAR = 2 };
/* Adds the rows of a section by a dimension ("project"). Call it while m->bill is shown. */
void month_add_by(struct monthly *m, const char *by, int part, struct doc_section *s);

/* ---- reports/month/strays.c -------------------------------------------------------------------- */

/* Charges of one Pacific day on one invoice: on this invoice for another month, or the reverse. */
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

/* Reads them, and `late`, `other`, `head` and `tail` of each ledger. */
void month_read_strays(struct monthly *m, struct strays *x);

/* ---- both halves of the report ----------------------------------------------------------------- */

/* The invoice by Google's own field: its lines, projects, services and SKUs. */
void month_invoice(struct monthly *m);
/* The calendar month in both zones, and the differences from the invoice. */
void month_calendar(struct monthly *m);

#endif
