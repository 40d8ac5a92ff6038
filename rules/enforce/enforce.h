/* Enforcement: from alerts of rules with an action to machines that are stopped, one safe step after
 * the other. Everything that is decided is in the tables action and audit_entry before it is done.
 *
 * A cycle is: enforce_track() in the transaction that judges the rules; messages go out; then
 * enforce_run() acts on what has been warned of and is over its grace. At the start of every run
 * enforce_run() is called with `recover` first: what an earlier one left half done is looked at
 * before anything else. */
#ifndef TPUCOST_RULES_ENFORCE_ENFORCE_H
#define TPUCOST_RULES_ENFORCE_ENFORCE_H

#include "base/time/clock.h"
#include "base/net/digest.h"
#include "rules/enforce/guard.h"

#define ENFORCE_LEASE 300  /* seconds */
#define ENFORCE_LOOK_AGE 5 /* a look is good for so long; then there is another one */
#define ENFORCE_VERIFY 900 /* seconds from sending until "may still be running" */
#define ENFORCE_UNSEEN \
	86400 /* seconds from sending until it is given up that Google cannot be asked */
#define ENFORCE_MAX_ATTEMPTS 3
#define ENFORCE_WARNING_AGE 86400 /* a warning is good for so long after the grace */
/* How the reasons of two kinds of failures begin: forbidden for good, and met another machine. */
#define ENFORCE_NEVER "never acted on: "
#define ENFORCE_WRONG "WRONG TARGET: "
#define ENFORCE_WINDOW_AGE \
	(8 * 86400) /* the same while a window is waited for, which may be a weekly one */
#define ENFORCE_BACK_OFF 86400 /* started again within that time: only warned of */

/* Follow the alerts: begin, advance to warning and grace, clear, supersede. Run inside the
 * transaction of judge(), for the same `now`. In mode off everything that is open and not in flight is
 * cleared. */
enum err_code enforce_track(
	struct db *db, const struct settings *s, ts_t now, struct err *e) must_check;

struct enforce_opts {
	const struct settings *settings;
	const struct hands *hands;
	struct clock *clock;
	const char *owner; /* of the lease: boot id, process */
	int64_t wait_seconds; /* for operations to end; what goes on longer is for the next run */
	bool recover;         /* only what is in flight */
	/* For tests: called at each step with its name; may end the process. */
	void (*step)(void *ctx, const char *name);
	void *step_ctx;
};

struct enforce_result {
	size_t done, failed, held, in_flight; /* actions, of this run and afterwards */
	const char **notes; /* a sentence on each thing that happened; arena */
	size_t n_notes;
};

/* Never inside a transaction. E_BUSY: another process has the lease. Errors of Google end up in the
 * actions; what is returned is about the database. */
enum err_code enforce_run(struct db *db, const struct enforce_opts *o, struct arena *a,
	struct enforce_result *out, struct err *e) must_check;

/* ---- restored and copied databases: rules/act/generation.c ---------------------------------- */

/* In mode armed, note outside of the database how far its record goes. *why NULL: it is noted, and
 * the database may act; else why not, of the arena. E_IO: it cannot be noted, and nothing may act. Not
 * within a transaction. */
enum err_code enforce_note(struct db *db, const struct settings *s, struct arena *a,
	const char **why, struct err *e) must_check;
/* Before rules are judged: when the database may not act, that goes into the audit. *news: why, when
 * it was found just now; else NULL. */
enum err_code enforce_find_restored(struct db *db, const struct settings *s, ts_t now,
	struct arena *a, const char **news, struct err *e) must_check;
/* A person said "enforce resume": when the database may not act (*why), everything that is open ends
 * here, and begins with a warning again. In the transaction that records it. */
enum err_code enforce_start_over(struct db *db, const struct settings *s, ts_t now,
	struct arena *a, const char **why, struct err *e) must_check;
/* After that: from here on it is this database that acts. */
enum err_code enforce_accept(
	struct db *db, const struct settings *s, struct arena *a, struct err *e) must_check;
/* A hash of the machine's id in that file, which says nothing of the id itself; "": it has none. */
void enforce_host(const char *path, char out[DIGEST_HEX]);

/* Is anything open that a look of enforce_run may move? */
enum err_code enforce_waiting(
	struct db *db, bool *in_flight, bool *ready, ts_t now, struct err *e) must_check;

/* ---- of one rule ------------------------------------------------------------------------------- */

/* Does it act, and how? False: it only tells. */
bool enforce_acts(const struct rule *r, enum verb *verb);
/* What its actions are decided by. Arena. */
const char *enforce_policy(const struct rule *r, struct arena *a);
/* A machine as the last polls know it; *found false: it is gone. */
enum err_code enforce_subject_get(struct db *db, const char *id, struct arena *a,
	struct enforce_subject *out, bool *found, struct err *e) must_check;

#endif
