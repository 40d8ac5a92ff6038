/* What enforcement has to do at this moment and what is in the way of each thing: for people who
 * look before they arm. Reads only, asks nobody: what only a look at the live machine can tell is
 * known from the last run, if there was one. */
#ifndef TPUCOST_RULES_ENFORCE_PLAN_H
#define TPUCOST_RULES_ENFORCE_PLAN_H

#include "rules/enforce/guard.h"

struct plan_item {
	struct action action;    /* number 0: there is none yet, it is as it would begin */
	const struct rule *rule; /* NULL: the configuration has it no more */
	const char *type;        /* of the machine; NULL: not known */
	ts_t due; /* not before then; TS_NONE when it is over, or nobody knows */
	ts_t opens; /* `due` is when a window opens, later than all else; TS_NONE: it is not */
	bool holds; /* the condition, at this moment */
	/* The next run ends it, because the rule or the mode was changed, and begins another one:
	 * `due` is of that. */
	bool anew;
	/* It is done when it is due, or would be were it armed: at most switches are in the way
	 * (mode, armed, project, halt, window, restored). */
	bool todo;
	const struct guard_no *no; /* what is in the way, most important first */
	size_t n_no;
};

struct plan {
	struct plan_item *items; /* by rule and resource; arena */
	size_t n;
	const char **errors; /* rules that cannot be judged: "NAME: why" */
	size_t n_errors;
	const char *halt;     /* the halt file; NULL: there is none */
	const char *restored; /* why the database may not act; NULL: it may */
	const char
		*cap; /* why not everything that is to be done could be done in one run */
	int64_t in_hour, in_day, deletes; /* sent lately */
};

struct plan_ask {
	const struct settings *settings;
	ts_t now;
	ts_t ended_since; /* those too that ended after it; TS_NONE: none of them */
	bool no_channel;  /* there is nobody who could take a warning */
};

/* Over the world that derive() made for `now`. */
enum err_code plan_make(struct db *db, const struct plan_ask *ask, struct arena *a,
	struct plan *out, struct err *e) must_check;

/* In the way, beside the guards, of what no channel takes a warning of. */
#define PLAN_WARNING "warning"

/* Does a guard of that name only keep things back until somebody turns a switch or the clock
 * moves on? */
bool plan_switch(const char *guard);

#endif
