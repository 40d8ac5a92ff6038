/* A small world for tests of judging: facts are put into the tables as the collector would, then
 * derived and judged at moments of the test's choice. One at a time; every function fails the
 * test where something goes wrong. */
#ifndef TPUCOST_TESTS_SUPPORT_JUDGE_WORLD_H
#define TPUCOST_TESTS_SUPPORT_JUDGE_WORLD_H

#include "rules/judge/judge.h"
#include "tests/support/tempdb.h"

#define JW_NOW INT64_C(1795219200) /* 2026-11-21T00:00:00Z */

struct judge_world {
	struct tempdb t;
	struct rule rules[32];
	struct settings settings;
	struct judgement last; /* what came of the newest one */
};
extern struct judge_world jw;

int jw_setup(void **state);
/* One more rule on `resources`, without `for`. */
struct rule *jw_rule(const char *name, const char *where);
/* Machines of project p were read completely at that time. */
void jw_polled(ts_t at);
/* p/vm/us-central1-b/NAME, new or in another state. */
void jw_vm(const char *name, const char *state);
/* Judge what the derived tables say, as it stands; no rule may fail. */
void jw_judge(ts_t now);
/* Derive and judge as of `now`. */
void jw_cycle(ts_t now);
/* First column of the first row of a SELECT. */
void jw_expect(const char *sql, const char *want);

#endif
