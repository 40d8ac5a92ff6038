/* Budgets: periods and figures, as exact arithmetic on plain values. rules/budget/rows.c finds the
 * amounts spent and the burn.
 *
 * spent is the amount that Google billed in the period. unbilled is the net cost of what ran in
 * each project since the newest billed usage of its service, stopped since or not: at most 14 days (an export that
 * is later than that is broken rather than late), and only the part within the period. expected is
 * the sum of both; forecast adds the burn of what runs now for the time left, or until it ends by
 * itself, and of what a grant covers now from its end on. All of these except spent are estimates. */
#ifndef TPUCOST_RULES_BUDGET_BUDGET_H
#define TPUCOST_RULES_BUDGET_BUDGET_H

#include "base/mem.h"
#include "base/money.h"
#include "base/time/tz.h"

#define BUDGET_LAG_MAX (INT64_C(14) * DAY_SECONDS)
#define BUDGET_THRESHOLDS 16

enum budget_per { BUDGET_MONTH, BUDGET_WEEK, BUDGET_DAY, BUDGET_CUSTOM };

/* Percent of the amount, each 1 to 1000, ascending. */
struct thresholds {
	int64_t at[BUDGET_THRESHOLDS];
	size_t n;
};

/* As configured. */
struct budget {
	const char *name;
	struct money amount;
	enum budget_per per;
	ts_t starts, ends; /* of a custom period, [starts, ends) */
	const char *where; /* condition over the view costs; NULL: everything */
	bool gross;        /* spent is the cost before credits instead of net */
	struct thresholds alert_at, forecast_at;
};

/* "month" "week" "day" "custom" */
const char *budget_per_name(enum budget_per per);

/* Period that contains `now`, [*starts, *ends): calendar months, weeks from Monday (ISO 8601) and
 * days of the zone, whose lengths differ; a custom one is as configured. */
void budget_period(
	const struct budget *b, const struct tz *tz, ts_t now, ts_t *starts, ts_t *ends);

/* Something that ran and is not on the bill yet, at nano-units of the budget's currency per hour;
 * [from, until) is within the period. */
struct budget_run {
	int64_t per_hour;
	ts_t from, until;
};

/* Burn from now on, for every forecast: of what runs now, without what has ended by itself. */
struct burn_ahead {
	int64_t per_hour; /* of all that runs now */
	struct burn_end {
		int64_t per_hour;
		ts_t at;
	} * v; /* the part of it that ends by itself; negative: it begins then */
	size_t n, cap;
};
/* Add a resource: `begins` is absent if it runs now, `ends` without a known end. False: the sum does not
 * fit. */
bool burn_add(struct burn_ahead *b, int64_t per_hour, struct opt_i64 begins,
	struct opt_i64 ends, struct arena *a) must_check;
/* In [from, t), in nano-units x seconds of an hour. */
__int128 burn_until(const struct burn_ahead *b, ts_t from, ts_t t);
/* First second of [from, until] by which that many nano-units are burnt since `from`; absent: not
 * until then. */
struct opt_i64 burn_reaches(
	const struct burn_ahead *b, ts_t from, ts_t until, __int128 nanos);

struct budget_facts {
	const struct budget *budget;
	ts_t starts, ends, now;
	struct opt_i64 spent;  /* none: there is no bill; then figures are lower bounds */
	struct opt_i64 passed; /* when billed costs reached the amount, if known */
	const struct budget_run *runs;
	size_t n;
	struct burn_ahead burn; /* net */
	struct burn_ahead kept; /* the part that remains after the advised stops */
	/* Largest error of the estimates, in thousandths; none: unknown. */
	struct opt_i64 error;
};

/* Moment from which usage that was billed until `billed_until` (TS_NONE: never) is not billed, within the
 * period. */
ts_t budget_unbilled_from(const struct budget_facts *f, ts_t billed_until);

/* `left` divided among the days in so many seconds; the last day is not extended. Absent: it does
 * not fit. */
struct opt_i64 budget_safe_per_day(int64_t left, int64_t seconds);

struct row_budget_state;
/* Compute every figure except spent. False when one does not fit; then *out must not be used. */
bool budget_figures(const struct budget_facts *f, struct row_budget_state *out) must_check;

#endif
