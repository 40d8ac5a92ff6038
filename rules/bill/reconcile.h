/* TPUs as seen against TPUs as billed: one day, project, generation and place at a time.
 *
 * Free hours of the TPU Research Cloud may be absent from the bill, on it at price 0, or on it
 * with credits that leave nothing: so the verdict goes by what is left to pay, and by the bill's
 * own price per chip-hour where only a part of the hours was covered. */
#ifndef TPUCOST_RULES_BILL_RECONCILE_H
#define TPUCOST_RULES_BILL_RECONCILE_H

#include "base/mem.h"

/* Less than this is nothing: half a cent, in nanos of the bill's currency. */
#define REC_NOTHING INT64_C(5000000)

enum rec_verdict {
	REC_OK,
	REC_BILLED_BUT_COVERED, /* a grant covers it, and it is to be paid */
	REC_FREE_UNEXPLAINED,   /* nothing is to be paid, and no grant says why */
	REC_COUPON,             /* a promotion credit pays for it */
	REC_NOT_IN_BILL,        /* ran uncovered, and the settled bill lacks it */
	REC_NOT_SEEN,           /* billed, and nobody was watching */
	REC_NOT_FINAL,          /* the bill of that day is not complete yet */
	REC_NOT_UNDERSTOOD,     /* a SKU does not say which TPU it is for */
};
/* "ok" "billed-but-covered" ... */
const char *rec_verdict_name(enum rec_verdict v);

enum rec_status { REC_PARTIAL, REC_SETTLING, REC_SETTLED };
/* "partial" "settling" "settled" */
const char *rec_status_name(enum rec_status s);
/* How final a day is that ends at `ends`, when its costs are known up to `known`: charges come
 * up to a day late as a rule, and up to three now and then. */
enum rec_status rec_status_at(ts_t ends, ts_t known, ts_t now);

struct rec_case {
	enum rec_status status;
	/* The inventory. Node seconds tell whether anything ran; chip-seconds are not known when
	 * the size of one of the TPUs is not. */
	int64_t covered_seconds, uncovered_seconds;
	bool chips_known;
	int64_t covered_chips, uncovered_chips; /* chip-seconds */
	const char *why;                        /* code of what was uncovered longest */
	bool granted; /* a grant is for this generation and place on that day */
	/* The bill. */
	bool billed;
	bool family_known;    /* of the SKUs here */
	bool others_unknown;  /* the project has TPU lines on that day that say no family */
	int64_t usage;        /* nanos of whatever unit: is there any? */
	bool billed_known;    /* chip-hours below are */
	int64_t billed_chips; /* nano chip-hours */
	int64_t cost, credits, promo; /* nanos; credits with the promotions in them */
	const char *currency;
};

struct rec_finding {
	enum rec_verdict verdict;
	const char *text; /* one sentence; arena */
};

struct rec_finding reconcile(const struct rec_case *c, struct arena *a);

#endif
