/* A machine that every guard lets pass, for tests that change one thing at a time. One world at a
 * time; every function fails the test where something goes wrong. */
#ifndef TPUCOST_TESTS_SUPPORT_GUARD_WORLD_H
#define TPUCOST_TESTS_SUPPORT_GUARD_WORLD_H

#include "rules/enforce/guard.h"
#include "tests/support/tempdb.h"

#define GW_NOW INT64_C(1795219200) /* 2026-11-21T00:00:00Z, a Saturday */

struct guard_world {
	struct tempdb t;
	struct enforcement en;
	struct settings settings;
	struct rule rule;
	struct action action;
	struct enforce_subject subject;
	struct live live;
	struct guard_ask ask;     /* of all these */
	struct guard_no no;       /* what gw_held found */
	struct rule_action *step; /* of the rule, that is asked about */
	bool second;
};
extern struct guard_world gw;

/* p/vm/us-central1-b/a, uid 1, armed, warned of five minutes ago and looked at just now. */
int gw_setup(void **state);
/* The same, stopped by action 9 of the rule, whose second step is to delete it. */
int gw_setup_second(void **state);
/* The same of a TPU of one host. */
void gw_tpu(void);
/* The same of a queued resource that is to be deleted, and may be. */
void gw_queued(void);
void gw_delete(void); /* the verb, with both permissions */
/* The guard that says no first ("": none), as `enforce_run` asks. */
const char *gw_held(void);
/* It is that one, with such a reason. */
#define gw_refused(name, part) gw_refused_((name), (part), __FILE__, __LINE__)
#define gw_passes() gw_refused_("", "", __FILE__, __LINE__)
void gw_refused_(const char *name, const char *part, const char *file, int line);
/* Derive the world as of gw.ask.now. */
void gw_derive(void);
#define gw_exec(...) tempdb_execf(&gw.t, __VA_ARGS__)
/* One more row of table action: `what` is "column = value, ...". */
void gw_action(int64_t number, const char *what);
#define GW_STOP 90
/* Adds the first step, with that number, which ended the start that a check of the cloud sees. */
void gw_stop(void);

#endif
