/* What the configuration tells the rules: plain data, filled by cli/config.c. */
#ifndef TPUCOST_RULES_SETTINGS_H
#define TPUCOST_RULES_SETTINGS_H

#include "base/money.h"
#include "base/tz.h"
#include "rules/budget.h"
#include "rules/grant.h"
#include "rules/price.h"

/* A coupon or trial credit. */
struct credit {
	const char *name;
	struct money amount;
	ts_t starts;  /* TS_NONE: always */
	ts_t expires; /* TS_NONE: never; first instant after it */
};

struct poll_interval {
	const char *group; /* a key of `poll:` */
	int64_t seconds;   /* stale after three of them */
};

struct settings {
	const struct tz *tz;
	const char *currency; /* of reports */
	const struct grant *grants;
	size_t n_grants;
	const struct credit *credits;
	size_t n_credits;
	const struct budget *budgets;
	size_t n_budgets;
	const struct price_override *prices;
	size_t n_prices;
	const struct poll_interval *intervals;
	size_t n_intervals;
};

#endif
