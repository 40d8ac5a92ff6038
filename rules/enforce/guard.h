/* Guards: reasons not to carry out an action. Each guard has a name, which is the `held` of an
 * action, a sentence for users, and one function; a new guard is a function and a line in
 * rules/enforce/guard.c. When in doubt, a guard blocks: a value that cannot be read, parsed or
 * computed prevents the action. */
#ifndef TPUCOST_RULES_ENFORCE_GUARD_H
#define TPUCOST_RULES_ENFORCE_GUARD_H

#include "rules/enforce/action.h"
#include "rules/settings.h"

struct db;

/* One machine as of the last polls. Texts are allocated from the arena. */
struct enforce_subject {
	struct target t;
	const char *state, *raw_state, *type, *provisioning, *queued, *labels;
	ts_t started, created, last_seen; /* TS_NONE: unknown */
	bool complete, exempt; /* exempt: by label or hold, as in the view resources */
	int64_t hosts;         /* 0: unknown */
	const char *topology;  /* of a slice; NULL: unknown */
	struct opt_i64 net, residual; /* nano-units of `currency` an hour */
	const char *currency;
	const char *remains;       /* residual in each currency; NULL: unknown */
	const char *owner, *frees; /* as of an action */
};

/* Facts about whole projects, kept while many machines are evaluated at the same moment: the
 * history of a project is not read again for each of its machines. Initialize it to zero; it points
 * to memory allocated from the caller's arena. */
struct guard_memo {
	struct guard_known *v;
	size_t n, cap;
	bool looked; /* result of the check for a restored database: */
	const char *restored;
};

struct guard_ask {
	struct db *db;
	const struct settings *s;
	const struct rule *rule;
	const struct action *action;
	const struct enforce_subject *subject; /* NULL: the machine is no longer known */
	const struct live *live; /* NULL: no live check yet; guards that need one pass */
	bool fresh;              /* the alert was evaluated on fresh data, and fires */
	int64_t clock_skew;      /* seconds; INT64_MIN: unknown */
	struct guard_memo *memo; /* NULL: everything is read again */
	ts_t now;
	struct arena *a;
};

enum guard_end {
	GUARD_WAITS, /* the action keeps its state, and continues when the guard passes */
	GUARD_CLEARS, /* the episode ends; if the condition still holds, a new one begins with a new
		       * warning */
	GUARD_ANEW, /* the resource is not the one that was warned about: superseded */
};

struct guard_no {
	const char *name;   /* NULL: nothing blocks the action */
	const char *reason; /* a sentence; allocated from the arena */
	enum guard_end end;
	bool can_approve; /* `enforce approve` lets it pass */
};

struct guard {
	const char *name, *doc;
	enum guard_end end;
	bool can_approve;
	/* NULL: passes; otherwise the reason, a sentence allocated from the arena. A failure of the
	 * database is an error. */
	enum err_code (*check)(const struct guard_ask *q, const char **why, struct err *e);
};

/* Guard of a database that was restored or copied. */
#define GUARD_RESTORED "restored"

extern const struct guard guards[];
extern const size_t n_guards;

/* First guard that blocks. */
enum err_code guard_first(
	const struct guard_ask *q, struct guard_no *out, struct err *e) must_check;
/* All guards that block, for plans: `out` has n_guards elements. */
enum err_code guard_all(const struct guard_ask *q, struct guard_no *out, size_t *n,
	struct err *e) must_check;

/* May `enforce approve` override this `held`? */
bool guard_lets_approve(const char *held);
/* Did a user approve it recently? */
bool guard_approved(const struct action *a, ts_t now);
/* Is the project, by id or number, one that may be acted on? */
enum err_code guard_project_listed(struct db *db, const struct settings *s,
	const char *project, struct arena *a, bool *listed, struct err *e) must_check;

/* ---- limits ------------------------------------------------------------------------------------ */

/* Check the actions that are ready to be sent in this run, after all guards passed: either all of
 * them may be sent, or none. An approved action does not count against the limits, and passes. *why
 * NULL: within the limits; otherwise allocated from `a`. */
enum err_code caps_check(struct db *db, const struct settings *s,
	struct action *const *ready, size_t n, ts_t now, struct arena *a, const char **why,
	struct err *e) must_check;

/* ---- parts ------------------------------------------------------------------------------------- */

/* Is `now` within the windows? The hours that a clock change repeats or skips are outside. */
bool window_open(const struct enforcement *en, const struct tz *tz, ts_t now);
/* First moment from `from` on within a window: `from` itself or the beginning of a minute; TS_NONE:
 * none in the next two weeks. */
ts_t window_next(const struct enforcement *en, const struct tz *tz, ts_t from);
/* Opening that an action due at `due` must wait for; TS_NONE: none, a window is open when it is
 * due. `en` may be NULL. */
ts_t window_wait(const struct enforcement *en, const struct tz *tz, ts_t due, ts_t now);
/* "not before the window opens: Mon 2026-11-23 09:00 (UTC)" */
const char *window_words(const struct tz *tz, ts_t opens, struct arena *a);

#endif
