/* Which coupon paid what, where several run at the same time. The export says that a promotion
 * paid, not which one; Google takes the one that expires first. Pure: no database, no clock. */
#ifndef TPUCOST_RULES_BILL_CREDIT_SHARE_H
#define TPUCOST_RULES_BILL_CREDIT_SHARE_H

#include "base/mem.h"
#include "rules/settings.h"

/* Promotions on the bill, of one currency and rate. */
struct promo {
	const char *currency; /* of the bill */
	int64_t rate;         /* units of it in one USD, in nanos; 0: not known */
	int64_t promo;        /* as billed: negative where it paid */
};

/* What one coupon paid, by currency and rate. */
struct credit_share {
	int64_t to_rate; /* in: units of the coupon's currency in one USD; 0: not known */
	struct promo *v;
	size_t n, cap;
};

/* Promotions as an amount of the coupon's currency, positive where they paid; false when no
 * rate tells, or when it does not fit. */
bool credit_convert(const struct promo *p, const struct credit *c, int64_t to_rate,
	int64_t *out) must_check;

/* Its promotions of that currency and rate, at first of nothing. */
struct promo *credit_share_of(
	struct credit_share *s, const char *currency, int64_t rate, struct arena *a);

/* Do any two of them run at the same time? */
bool credits_overlap(const struct credit *c, size_t n);

/* Give the promotions of one hour to the coupons that run then: first to the one that expires
 * first, as long as it lasts; what none has room for goes to the last of them. What is taken
 * back goes to the first one that paid anything. Hours in order. */
void credit_give(const struct credit *c, size_t n, ts_t hour, const struct promo *p,
	struct credit_share *shares, struct arena *a);

#endif
