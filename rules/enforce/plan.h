/* Plan of enforcement: the actions to take now and the guards that block each, for users who check
 * before they arm. Reads only, without network: results of a live check come from the last run, if
 * there was one. */
#ifndef TPUCOST_RULES_ENFORCE_PLAN_H
#define TPUCOST_RULES_ENFORCE_PLAN_H

#include "rules/enforce/guard.h"

struct plan_item {
	struct action action;    /* number 0: not stored yet, as it would begin */
	const struct rule *rule; /* NULL: no longer in the configuration */
	const char *type;        /* of the machine; NULL: unknown */
	ts_t due; /* not before then; TS_NONE when it has ended, or is unknown */
	ts_t later; /* not before then the second step of the rule; TS_NONE: none, or not `todo` */
	ts_t opens; /* `due` is when a window opens, later than all else; TS_NONE: it is not */
	bool holds; /* the condition, at this moment */
	/* The next run ends it, because the rule or the mode was changed, and begins another one:
	 * `due` belongs to that one. */
	bool anew;
	/* It is carried out when it is due, or would be if it were armed: at most switches block it
	 * (mode, armed, project, halt, window, restored). */
	bool todo;
	struct guard_no *no; /* guards that block it, most important first */
	size_t n_no;
};

struct plan {
	struct plan_item *items; /* by rule and resource; allocated from the arena */
	size_t n;
	size_t unlisted; /* actions left out, because enforcement.projects lacks their project */
	const char **errors; /* rules that cannot be evaluated: "NAME: why" */
	size_t n_errors;
	const char *halt; /* the halt file; NULL: there is none */
	const char *
		standby; /* the machine that acts instead of this one; NULL: there is none */
	const char *lease;    /* error of the lease; NULL: none */
	const char *restored; /* reason why the database may not act; NULL: it may */
	const char *cap;      /* reason why one run could not carry out all actions */
	int64_t in_hour, in_day, deletes; /* sent recently */
};

struct plan_ask {
	const struct settings *settings;
	ts_t now;
	ts_t ended_since; /* also those that ended after it; TS_NONE: none of them */
	bool no_channel;  /* no channel can accept a warning */
};

/* Make the plan from the tables that derive() computed for `now`. */
enum err_code plan_make(struct db *db, const struct plan_ask *ask, struct arena *a,
	struct plan *out, struct err *e) must_check;

/* Name, next to those of guards, of an item whose warning no channel accepts. */
#define PLAN_WARNING "warning"

/* Does a guard of that name only delay actions until a switch is changed or time passes? */
bool plan_switch(const char *guard);

#endif
