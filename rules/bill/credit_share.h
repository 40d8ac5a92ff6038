/* Shares of promotional credits that are active at the same time. The export reports that a
 * promotion paid, but not which one; Google uses the one that expires first. Pure: no database, no
 * clock. */
#ifndef TPUCOST_RULES_BILL_CREDIT_SHARE_H
#define TPUCOST_RULES_BILL_CREDIT_SHARE_H

#include "base/mem.h"
#include "rules/settings.h"

/* Promotions on the bill, of one currency and rate. */
struct promo {
	const char *currency; /* of the bill */
	int64_t rate;         /* units of it in one USD, in nanos; 0: unknown */
	int64_t promo;        /* as billed: negative where it paid */
};

/* Payments of one credit, by currency and rate. */
struct credit_share {
	int64_t to_rate; /* in: units of the credit's currency in one USD; 0: unknown */
	struct promo *v;
	size_t n, cap;
};

/* Convert promotions to an amount of the credit's currency, positive where they paid; false without
 * a rate, or when it does not fit. */
bool credit_convert(const struct promo *p, const struct credit *c, int64_t to_rate,
	int64_t *out) must_check;

/* Promotions of that currency and rate, initially zero. */
struct promo *credit_share_of(
	struct credit_share *s, const char *currency, int64_t rate, struct arena *a);

/* Are any two of them active at the same time? */
bool credits_overlap(const struct credit *c, size_t n);

/* Distribute the promotions of one hour to the credits that are active then: first to the one that
 * expires first, up to its remaining amount; the excess goes to the last one. Reversed payments go
 * to the first one that paid anything. Call it with the hours in order. */
void credit_give(const struct credit *c, size_t n, ts_t hour, const struct promo *p,
	struct credit_share *shares, struct arena *a);

#endif
