/* Declarations shared by the parts of the weekly report. Private to reports/weekly/. */
#ifndef TPUCOST_REPORTS_WEEKLY_INTERNAL_H
#define TPUCOST_REPORTS_WEEKLY_INTERNAL_H

#include "reports/month/bill_end.h"
#include "reports/kinds.h"
#include "reports/shared.h"
#include "rules/period.h"

#define WEEK_TOP 10 /* maximum rows of a list */

#define WEEK_DAYS 14 /* and the previous week */

/* Bill of one day, of all accounts. */
struct billed_day {
	bool billed;
	/* time up to which its costs are known, of the account that is
	 * furthest behind; absent: now */
	struct opt_i64 known;
	int64_t cost, credits;
};

/* One currency. */
struct week_sum {
	struct billed_day days[WEEK_DAYS];
	const char *currency;
	struct opt_i64 cost, credits, before; /* before: net of the week before */
	bool partial;                         /* Google still adds usage */
	const char *mover; /* the SKU with the largest change of cost, or NULL */
	int64_t moved;
};

struct weekly {
	const struct report_ask *ask;
	/* see struct db_reader */
	struct db *db;
	struct arena *a;
	struct err *e;
	struct doc *doc;
	struct doc_section *resources; /* of doc */
	day_t from, first,
		last; /* beginning of the previous week; beginning of this week; its last
				  * day */
	ts_t starts, ends;   /* of this week */
	const char *unknown; /* why its costs are unknown, or NULL */
	bool before_known;
	struct bill_end end;
	bool ends_early; /* before the week ended: its sums are incomplete and are not compared */
	day_t billed_first, billed_last; /* days with billing data */
	struct week_sum *sums;
	size_t n_sums, cap_sums;
	struct period period;
	struct watched watched; /* TPUs */
};

/* Categories, projects, SKUs and resources by cost; of the latter, BigQuery may know more. */
struct billing_question;
void weekly_costs(struct weekly *w, const struct billing_question *q);
/* Owners, TPUs and grants by use. */
void weekly_owners(struct weekly *w);
void weekly_tpus(struct weekly *w);
/* Other sections: estimates, restatements, alerts, grants, promotional credits. */
void weekly_others(struct weekly *w);

struct week_sum *weekly_sum(struct weekly *w, const char *currency);
/* Computes the amounts that depend on cost, credits and net_before of a row. */
void weekly_amounts(struct weekly *w, struct doc_section *s, struct doc_row *row);

#endif
