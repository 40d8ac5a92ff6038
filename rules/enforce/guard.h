/* What keeps an action from happening. Every guard has a name, which is the `held` of an action, a
 * sentence for people, and one function; a new one is a function and a line in rules/enforce/guard.c. Unsure
 * is no: what cannot be read, parsed or computed keeps the action from happening. */
#ifndef TPUCOST_RULES_ENFORCE_GUARD_H
#define TPUCOST_RULES_ENFORCE_GUARD_H

#include "rules/enforce/hands.h"
#include "rules/settings.h"

struct db;

/* One machine as the last polls know it. Texts are the arena's. */
struct enforce_subject {
	struct target t;
	const char *state, *raw_state, *type, *provisioning, *queued, *labels;
	ts_t started, created, last_seen; /* TS_NONE: not known */
	bool complete, exempt; /* exempt: by label or hold, as the view resources says */
	int64_t hosts;         /* 0: not known */
	struct opt_i64 net, residual; /* nano-units an hour */
	const char *currency, *residual_currency;
};

/* What was found out of whole projects, while many machines are judged at the same moment: the
 * history of a project is not read again for each of its machines. All zero at first; what it points
 * to is of the arena of who asks. */
struct guard_memo {
	struct guard_known *v;
	size_t n, cap;
	bool looked; /* whether the database was restored: */
	const char *restored;
};

struct guard_ask {
	struct db *db;
	const struct settings *s;
	const struct rule *rule;
	const struct action *action;
	const struct enforce_subject *subject; /* NULL: it is not known any more */
	const struct live *live; /* NULL: nobody has looked yet, guards of the look pass */
	bool fresh;              /* the alert was judged on fresh data, and fires */
	int64_t clock_skew;      /* seconds; INT64_MIN: nobody told */
	struct guard_memo *memo; /* NULL: everything is read anew */
	ts_t now;
	struct arena *a;
};

enum guard_end {
	GUARD_WAITS, /* the action stays where it is, and goes on when the guard lets it */
	GUARD_CLEARS, /* the episode is over; should it end, there is a new one with a new warning */
	GUARD_ANEW, /* what is there is not what was warned of: superseded */
};

struct guard_no {
	const char *name;   /* NULL: nothing is in the way */
	const char *reason; /* a sentence; arena */
	enum guard_end end;
	bool can_approve; /* `enforce approve` lets it pass */
};

struct guard {
	const char *name, *doc;
	enum guard_end end;
	bool can_approve;
	/* NULL: passes; else why not, a sentence in the arena. A failure of the database is an error. */
	enum err_code (*check)(const struct guard_ask *q, const char **why, struct err *e);
};

/* Of a database that was restored or copied. */
#define GUARD_RESTORED "restored"

extern const struct guard guards[];
extern const size_t n_guards;

/* The first that says no. */
enum err_code guard_first(
	const struct guard_ask *q, struct guard_no *out, struct err *e) must_check;
/* All that say no, for plans: `out` has room for n_guards. */
enum err_code guard_all(const struct guard_ask *q, struct guard_no *out, size_t *n,
	struct err *e) must_check;

/* Is what is held by this a thing that `enforce approve` lets pass? */
bool guard_lets_approve(const char *held);
/* Did a person let it pass lately? */
bool guard_approved(const struct action *a, ts_t now);
/* Is the project, by id or number, among those that may be acted on? */
enum err_code guard_project_listed(struct db *db, const struct settings *s,
	const char *project, struct arena *a, bool *listed, struct err *e) must_check;

/* ---- limits ------------------------------------------------------------------------------------ */

/* Those that are ready to be sent in this run, all guards passed: all of them may, or none. An
 * action that a person approved is not counted against the limits, and passes. *why NULL: within the
 * limits; else of the arena. */
enum err_code caps_check(struct db *db, const struct settings *s,
	const struct action *const *ready, size_t n, ts_t now, struct arena *a,
	const char **why, struct err *e) must_check;

/* ---- parts ------------------------------------------------------------------------------------- */

/* Within the windows? The hours that a change of the clocks makes twice or not at all are outside. */
bool window_open(const struct enforcement *en, const struct tz *tz, ts_t now);
/* The first moment from `from` on within a window: `from` itself or the beginning of a minute;
 * TS_NONE: there is none for two weeks. */
ts_t window_next(const struct enforcement *en, const struct tz *tz, ts_t from);
/* The opening for which what is due then has to wait; TS_NONE: none, a window is open when it is
 * due. `en` may be NULL. */
ts_t window_wait(const struct enforcement *en, const struct tz *tz, ts_t due, ts_t now);
/* "not before the window opens: Mon 2026-11-23 09:00 (UTC)" */
const char *window_words(const struct tz *tz, ts_t opens, struct arena *a);

#endif
