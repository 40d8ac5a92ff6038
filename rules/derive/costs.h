/* Stretches of time x price: what things have cost. What is derived of the past and of an asked
 * period, and periods of reports, are sums of these. */
#ifndef TPUCOST_RULES_DERIVE_COSTS_H
#define TPUCOST_RULES_DERIVE_COSTS_H

#include "base/time/civil.h"
#include "base/sbuf.h"
#include "base/strmap.h"
#include "db_sql.h"
#include "rules/derive/internal.h"

/* A period has one window; what was lately has two: the second is the end of the first. */
#define COST_WINDOWS 2

/* In one category and currency, or (cur "") without a price. */
struct cost_sum {
	const char *category;
	char cur[4];
	__int128 gross[COST_WINDOWS], covered[COST_WINDOWS]; /* see price_hours */
	int64_t unpriced[COST_WINDOWS];                      /* seconds */
};

struct cost_thing {
	struct row_window_thing
		last; /* what it was in its last stretch, and for how long */
	struct cost_sum *sums;
	size_t n, cap;
	int64_t month_seconds; /* see derive_past */
};

struct costs {
	struct deriving *d;
	ts_t starts[COST_WINDOWS], ends;
	struct cost_thing *v;
	size_t n, cap;
	struct strmap index; /* "id uid" -> place in v */
	struct sbuf key;
};

/* Add a stretch [starts, ends) of what `f` was then, with its parts priced; the thing that it is
 * of. It lies before the end of the windows. */
struct cost_thing *cost_add(struct costs *c, const struct q_interval_past *q,
	const struct fact *f, ts_t starts, ts_t ends);
/* What grants paid of the things that were added. */
void cost_add_covered(
	struct costs *c, const struct past *p, const struct cov_row *rows, size_t n);
/* The thing if it was added, or NULL. */
struct cost_thing *cost_find(struct costs *c, const char *id, const char *uid);

/* Everything of the first window, as far as it is known that it was there; and the TPUs of it. */
enum err_code costs_read(struct costs *c, struct past *p, const struct cov_row **rows,
	size_t *n, struct err *e) must_check;
void costs_done(struct costs *c);

#endif
