/* Reconciliation of observed TPUs with billed TPUs: one day, project, generation and place at a
 * time.
 *
 * Free hours of the TPU Research Cloud may be absent from the bill, on it at price 0, or on it with
 * credits that leave nothing to pay: so the verdict is based on the amount to pay, and on the
 * bill's own price per chip-hour where only a part of the hours was covered. */
#ifndef TPUCOST_RULES_BILL_RECONCILE_H
#define TPUCOST_RULES_BILL_RECONCILE_H

#include "base/mem.h"

/* Smaller amounts count as zero: half a cent, in nanos of the bill's currency. */
#define REC_NOTHING INT64_C(5000000)

enum rec_verdict {
	REC_OK,
	REC_BILLED_BUT_COVERED, /* a grant covers it, but it is to be paid */
	REC_FREE_UNEXPLAINED,   /* nothing is to be paid, and no grant explains it */
	REC_COUPON,             /* a promotional credit pays for it */
	REC_NOT_IN_BILL,        /* ran uncovered, but missing from the settled bill */
	REC_NOT_SEEN,           /* billed, but not polled */
	REC_NOT_FINAL,          /* the bill of that day is not complete yet */
	REC_NOT_UNDERSTOOD,     /* the SKU does not name the generation */
};
/* "ok" "billed-but-covered" ... */
const char *rec_verdict_name(enum rec_verdict v);

enum rec_status { REC_PARTIAL, REC_SETTLING, REC_SETTLED };
/* "partial" "settling" "settled" */
const char *rec_status_name(enum rec_status s);
/* Status of a day that ends at `ends`, when its costs are known up to `known`: charges are usually
 * up to a day late, and sometimes up to three. */
enum rec_status rec_status_at(ts_t ends, ts_t known, ts_t now);

struct rec_case {
	enum rec_status status;
	/* Inventory. Node seconds show whether anything ran; chip-seconds are unknown when the size
	 * of one of the TPUs is. */
	int64_t covered_seconds, uncovered_seconds;
	bool chips_known;
	int64_t covered_chips, uncovered_chips; /* chip-seconds */
	const char *why;                        /* code of the longest uncovered reason */
	bool granted; /* a grant is for this generation and place on that day */
	/* Bill. */
	bool billed;
	bool family_known;    /* of the SKUs here */
	bool others_unknown;  /* the project has TPU lines without a family on that day */
	int64_t usage;        /* nanos of any unit; used only to test for zero */
	bool billed_known;    /* chip-hours below are known */
	int64_t billed_chips; /* nano chip-hours */
	int64_t cost, credits, promo; /* nanos; credits include the promotions */
	int64_t discount; /* cost at list prices, minus cost; 0 if the bill does not state it */
	const char *currency;
};

struct rec_finding {
	enum rec_verdict verdict;
	const char *text; /* one sentence; allocated from the arena */
};

struct rec_finding reconcile(const struct rec_case *c, struct arena *a);

#endif
