/* A small world of costs in a database: lines of a bill, and things that run. */
#ifndef TPUCOST_TESTS_SUPPORT_COST_WORLD_H
#define TPUCOST_TESTS_SUPPORT_COST_WORLD_H

#include "reports/kinds.h"
#include "rules/derive/derive.h"
#include "tests/support/tempdb.h"

struct cost_world {
	struct tempdb t;
	struct settings settings; /* a test may put its own things into it */
	ts_t now;
	int units;
};

/* NULL and 0: project "p", category "cpu", USD, rate 1, "regular", no credits, invoice of
 * 202611, account "A". */
struct cost_line {
	const char *project, *category, *zone, *currency, *cost_type, *credit_type;
	const char *invoice, *account;
	ts_t hour;
	int64_t cost, credits, rate; /* nano-units; rate -1: not told */
	bool account_level;
};

/* NULL and 0: project "p", us-central1-b, a disk pd-ssd of 730 GiB (0.17 USD an hour) that
 * was made long ago. */
struct cost_thing {
	const char *project, *zone, *name, *kind, *type, *state, *provisioning, *labels;
	const char *attached_to, *end_disks;
	int64_t gib;
	ts_t since, ends; /* ends by itself; 0: no end */
};

void cost_world_open(struct cost_world *w, const char *zone, ts_t now);
/* No bill, nothing runs. */
void cost_world_clear(struct cost_world *w);
void cost_bill(struct cost_world *w, const struct cost_line *l);
void cost_run(struct cost_world *w, const struct cost_thing *x);
/* Roll up and derive; fails the test when that fails. */
void cost_derive(struct cost_world *w);
void cost_expect(struct cost_world *w, const char *sql, const char *want);

#define BILL(w, ...) cost_bill((w), &(struct cost_line){__VA_ARGS__})
#define RUN(w, ...) cost_run((w), &(struct cost_thing){__VA_ARGS__})

/* A report of what was derived; db, settings and now are set here, and a time of 0 is none. Fails the test when it
 * cannot be made. Everything lives in the arena. */
struct doc *report_make(
	struct cost_world *w, const char *kind, struct report_ask ask, struct arena *a);

/* The rows of a section: cells with '|' between, a line each; amounts exact, with their
 * currency and mark; "-" for what is not known. `keys` names the columns ("net,currency"). */
const char *report_rows(
	const struct doc *d, const char *section, const char *keys, struct arena *a);
void report_expect(
	const struct doc *d, const char *section, const char *keys, const char *want);

/* Everything people and programs see of it, in one text. */
const char *report_all(const struct doc *d, struct arena *a);

#define ASK(...) ((struct report_ask){__VA_ARGS__})

#endif
