/* What the parts of the weekly report share. Private to reports/weekly/. */
#ifndef TPUCOST_REPORTS_WEEKLY_INTERNAL_H
#define TPUCOST_REPORTS_WEEKLY_INTERNAL_H

#include "reports/month/bill_end.h"
#include "reports/kinds.h"
#include "reports/shared.h"
#include "rules/period.h"

#define WEEK_TOP 10 /* rows of a list that can be long */

#define WEEK_DAYS 14 /* and the week before */

/* What was billed for a day, of all accounts. */
struct billed_day {
	bool billed;
	struct opt_i64 known; /* up to when its costs are, of the account that is furthest
				 behind; absent: as far as they will be */
	int64_t cost, credits;
};

/* One currency. */
struct week_sum {
	struct billed_day days[WEEK_DAYS];
	const char *currency;
	struct opt_i64 cost, credits, before; /* before: net of the week before */
	bool partial;                         /* Google goes on writing */
	const char *mover;                    /* the SKU whose cost changed most, or NULL */
	int64_t moved;
};

struct weekly {
	const struct report_ask *ask;
	struct db *db;
	struct arena *a;
	struct doc *doc;
	day_t from, first, last; /* the week before begins; this one begins; its last day */
	ts_t starts, ends;       /* of this week */
	const char *unknown;     /* why nothing is known of its costs, or NULL */
	bool before_known;
	struct bill_end end;
	bool ends_early; /* before the week did: its sums are of some days, and not compared */
	day_t billed_first, billed_last; /* days that the bill has */
	struct week_sum *sums;
	size_t n_sums, cap_sums;
	struct period period;
	struct watched watched; /* TPUs */
};

/* Where the money went: categories, projects, SKUs, resources. */
enum err_code weekly_costs(struct weekly *w, struct err *e) must_check;
/* What ran: owners, TPUs and grants; adds to the headline what grants paid. */
void weekly_owners(struct weekly *w);
void weekly_tpus(struct weekly *w, struct sbuf *headline);
/* Beside the costs: estimates, restatements, alerts, grants, coupons. */
enum err_code weekly_others(struct weekly *w, struct err *e) must_check;

struct week_sum *weekly_sum(struct weekly *w, const char *currency);
/* What follows from cost, credits and net_before of a row. */
void weekly_amounts(struct weekly *w, struct doc_section *s, struct doc_row *row);

#endif
