/* Enforcement: from alerts of rules with an action to stopped machines, one safe step at a time.
 * Every decision is stored in the tables action and audit_entry before it is carried out.
 *
 * A cycle is: enforce_track() in the transaction that evaluates the rules; messages are sent; then
 * enforce_run() acts on the machines that were warned and whose grace period has ended. Every run
 * calls enforce_run() with `recover` first: actions that an earlier run left unfinished are checked
 * before anything else. */
#ifndef TPUCOST_RULES_ENFORCE_ENFORCE_H
#define TPUCOST_RULES_ENFORCE_ENFORCE_H

#include "base/time/clock.h"
#include "base/net/digest.h"
#include "rules/enforce/guard.h"

#define ENFORCE_LEASE 300  /* seconds */
#define ENFORCE_LOOK_AGE 5 /* validity of a live check; then it is repeated */
#define ENFORCE_VERIFY 900 /* seconds from sending until "may still be running" */
#define ENFORCE_UNSEEN \
	86400 /* seconds from sending until tpucost stops asking an unreachable Google */
#define ENFORCE_QUICK_ATTEMPTS 3 /* then a message reports it, and attempts become rare */
/* Were the quick attempts used up, and another follows? In every state before it. */
static inline bool enforce_failing(enum action_state state, int64_t attempts)
{
	return state <= ACTION_RECHECK && attempts >= ENFORCE_QUICK_ATTEMPTS;
}
#define ENFORCE_WARNING_AGE 86400 /* validity of a warning after the grace period */
/* Prefixes of the reasons of two kinds of failures: permanently forbidden, and another machine was
 * reached. */
#define ENFORCE_NEVER "never acted on: "
#define ENFORCE_WRONG "WRONG TARGET: "
#define ENFORCE_WINDOW_AGE \
	(8 * 86400) /* the same while waiting for a window, which may open weekly */
#define ENFORCE_BACK_OFF 86400 /* if started again within that time: only warned */

/* Track the alerts: begin, advance to warning and grace, clear, supersede. Call it inside the
 * transaction of judge(), with the same `now`. In mode off, all open actions that are not in flight
 * are cleared. */
enum err_code enforce_track(
	struct db *db, const struct settings *s, ts_t now, struct err *e) must_check;

struct leader; /* rules/act/leader.h */

struct enforce_opts {
	const struct settings *settings;
	const struct hands *hands;
	struct clock *clock;
	const char *owner;    /* of the lease: boot id, process */
	int64_t wait_seconds; /* for operations to end; longer ones are left to the next run */
	bool recover;         /* only what is in flight */
	const struct leader
		*leader; /* shares a lease with other machines; NULL: it does not */
	/* For tests: called at each step with its name; may end the process. */
	void (*step)(void *ctx, const char *name);
	void *step_ctx;
};

struct enforce_result {
	size_t done, failed, held, in_flight; /* actions, of this run and afterwards */
	const char **notes; /* one sentence per event; allocated from the arena */
	size_t n_notes;
};

/* Run the ready actions; not inside a transaction. E_BUSY: another process has the lease. Errors of
 * Google are stored in the actions; the result is about the database. */
enum err_code enforce_run(struct db *db, const struct enforce_opts *o, struct arena *a,
	struct enforce_result *out, struct err *e) must_check;

/* ---- restored and copied databases: rules/act/generation.c ---------------------------------- */

/* In mode armed, note outside of the database how far its record goes. *why NULL: it is noted, and
 * the database may act; otherwise the reason why not, allocated from `a`. E_IO: it cannot be noted,
 * and nothing may act. Not within a transaction. */
enum err_code enforce_note(struct db *db, const struct settings *s, struct arena *a,
	const char **why, struct err *e) must_check;
/* Called before rules are evaluated: if the database may not act, the audit log records it. *news:
 * the reason, if it was found just now; otherwise NULL. */
enum err_code enforce_find_restored(struct db *db, const struct settings *s, ts_t now,
	struct arena *a, const char **news, struct err *e) must_check;
/* For "enforce resume": if the database may not act (*why), all open actions end here and start
 * over with a warning. Call it in the transaction that records the command. */
enum err_code enforce_start_over(struct db *db, const struct settings *s, ts_t now,
	struct arena *a, const char **why, struct err *e) must_check;
/* Called afterwards: from now on, this database is the one that acts. */
enum err_code enforce_accept(
	struct db *db, const struct settings *s, struct arena *a, struct err *e) must_check;
/* A hash of the machine's id in that file, which does not reveal the id; "": there is no id. */
void enforce_host(const char *path, char out[DIGEST_HEX]);

/* Is any action open that a live check of enforce_run() may advance? */
enum err_code enforce_waiting(
	struct db *db, bool *in_flight, bool *ready, ts_t now, struct err *e) must_check;

/* ---- one rule ---------------------------------------------------------------------------------- */

/* Does the rule have an action, and which one? False: it only notifies. */
bool enforce_acts(const struct rule *r, enum verb *verb);
/* Policy that decides about the rule's actions of that step; allocated from `a`. */
const char *enforce_policy(const struct rule *r, enum verb verb, struct arena *a);
/* A stored action, except for `remains`. */
enum err_code action_get(struct db *db, int64_t number, struct arena *a, struct action *out,
	struct err *e) must_check;
/* A machine as of the last polls; *found false: it no longer exists. */
enum err_code enforce_subject_get(struct db *db, const char *id, struct arena *a,
	struct enforce_subject *out, bool *found, struct err *e) must_check;

#endif
