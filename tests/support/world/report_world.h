/* Reports of a small world, and what their cells say. */
#ifndef TPUCOST_TESTS_SUPPORT_REPORT_WORLD_H
#define TPUCOST_TESTS_SUPPORT_REPORT_WORLD_H

#include "reports/kinds.h"
#include "tests/support/world/cost_world.h"

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
