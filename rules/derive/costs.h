/* Intervals x price: past costs of resources. The derived tables of the past and of a requested
 * period, and periods of reports, are sums of these. */
#ifndef TPUCOST_RULES_DERIVE_COSTS_H
#define TPUCOST_RULES_DERIVE_COSTS_H

#include "base/time/civil.h"
#include "db_sql.h"
#include "rules/derive/internal.h"

/* A period has one window; the recent past has two: the second is the end of the first. */
#define COST_WINDOWS 2

/* Sum in one category and currency, or (cur "") without a price. */
struct cost_sum {
	const char *category;
	char cur[4];
	__int128 gross[COST_WINDOWS], covered[COST_WINDOWS]; /* see price_hours */
	int64_t unpriced[COST_WINDOWS];                      /* seconds */
};

struct cost_thing {
	/* properties of the resource in its last interval, and the length of that
	 * interval */
	struct row_window_thing last;
	struct cost_sum *sums;
	size_t n, cap;
	int64_t month_seconds; /* see derive_past */
};

struct costs {
	struct deriving *d;
	struct arena *a; /* for the resources that are added */
	ts_t starts[COST_WINDOWS], ends;
	struct cost_thing *v; /* by id and uid */
	size_t n, cap;
};

/* Add an interval [starts, ends) of `f` as it was then, with its parts priced; returns the resource
 * it belongs to. The interval is before the end of the windows; intervals are added in the order of
 * ids and uids. */
struct cost_thing *cost_add(struct costs *c, const struct q_interval_past *q,
	const struct fact *f, ts_t starts, ts_t ends);
/* Subtract what grants paid for the added resources. */
void cost_add_covered(
	struct costs *c, const struct past *p, const struct cov_row *rows, size_t n);
/* The resource if it was added, or NULL. */
struct cost_thing *cost_find(struct costs *c, const char *id, const char *uid);

/* Read all of the first window, as far as the resources are known to have existed; and its TPUs. */
enum err_code costs_read(struct costs *c, struct past *p, const struct cov_row **rows,
	size_t *n, struct err *e) must_check;

#endif
