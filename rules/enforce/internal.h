/* What the parts of enforcement share. Private to rules/enforce/. */
#ifndef TPUCOST_RULES_ENFORCE_INTERNAL_H
#define TPUCOST_RULES_ENFORCE_INTERNAL_H

#include "base/time/clock.h"
#include "db_sql.h"
#include "rules/enforce/enforce.h"
#include "rules/judge/alert.h"

/* ---- rows: rules/enforce/rows.c ---------------------------------------------------------------- */

struct actions {
	struct action *v;
	size_t n;
};

/* Everything that is not over. */
enum err_code actions_load(
	struct db *db, struct arena *a, struct actions *out, struct err *e) must_check;
/* Store where it stands, and say so in the audit. `event` NULL: nothing worth an entry. In a
 * transaction of the caller. */
enum err_code action_store(struct db *db, const struct action *x, const char *event,
	ts_t now, struct err *e) must_check;

/* The alert that an action follows. */
struct alert_now {
	bool open, firing, fresh;
	ts_t last_true;
	enum severity severity;
};
struct alert_now alert_now_of(
	const char *state, const char *data, ts_t last_true, const char *severity);
enum err_code alert_of(struct db *db, const struct action *x, struct arena *a,
	struct alert_now *out, struct err *e) must_check;

/* The rule of that name, enabled and acting; or NULL. */
const struct rule *enforce_rule(const struct settings *s, const char *name);
/* Would it be acted on for real: mode, rule and project armed? */
enum err_code enforce_armed(struct db *db, const struct settings *s, const struct rule *r,
	const char *project, struct arena *a, bool *armed, struct err *e) must_check;

/* Only a look at the machine tells these, or all that are ready together: nobody but the next run
 * knows whether they still stand in the way. */
bool held_by_runs(const char *guard);

/* Had it an end already that it is not begun again after: done, or failed for good? */
enum err_code action_end(struct db *db, const struct action *x, ts_t created,
	struct arena *a, struct q_plan_end *out, bool *ended, struct err *e) must_check;

/* As an episode begins: pending, not stored yet. */
struct beginning {
	const struct rule *rule;
	enum verb verb;
	const struct enforce_subject *subject;
	enum severity severity;
	const char *reason;
	ts_t now;
};
enum err_code action_begun(struct db *db, const struct settings *s,
	const struct beginning *b, struct arena *a, struct action *out,
	struct err *e) must_check;

/* ---- steps: rules/act/step.c --------------------------------------------------------------- */

/* Move to another state at `now`. */
void action_to(struct action *x, enum action_state state, const char *reason, ts_t now);
/* From warning to grace to recheck, as far as it goes; *moved. */
enum err_code action_advance(struct db *db, const struct settings *s, struct action *x,
	const struct alert_now *alert, ts_t now, struct arena *a, bool *moved,
	struct err *e) must_check;

/* What a look says about a machine that something may have been done to. */
enum sight {
	SIGHT_OVER,    /* it does not run any more, or is gone for good */
	SIGHT_WAIT,    /* it is on its way, or nobody can tell yet */
	SIGHT_AGAIN,   /* it was started again since */
	SIGHT_OTHER,   /* another machine of that name */
	SIGHT_RUNNING, /* it runs as if nothing had been done */
};
enum sight action_sight(const struct action *x, const struct live *l);
/* The same number whoever computes it: of the episode and the attempt. An episode that a person let
 * begin once more has others: Google would give the old answer to the old ones. */
enum err_code action_request_id(
	struct db *db, struct action *x, struct arena *a, struct err *e) must_check;
/* Pure: an attempt failed, and it is known that nothing was done by it. Again later, or given up. */
void action_retry(struct action *x, const char *reason, ts_t now, struct arena *a);

/* ---- a run ------------------------------------------------------------------------------------- */

struct run {
	struct db *db;
	const struct enforce_opts *o;
	const struct settings *s;
	struct arena *a;
	struct enforce_result *out;
	size_t cap_notes;
	struct guard_memo memo; /* of what needs no look; before a call it is read anew */
	int64_t fence;
};

static inline ts_t run_now(const struct run *r)
{
	return clock_now(r->o->clock);
}

/* A moment between two writes: tests end the process here. */
static inline void run_step(const struct run *r, const char *name)
{
	if (r->o->step)
		r->o->step(r->o->step_ctx, name);
}

/* ---- one who acts at a time: rules/act/store.c ---------------------------------------------- */

enum err_code lease_take(struct run *r, struct err *e) must_check;
enum err_code lease_release(struct run *r, struct err *e) must_check;
/* In a transaction: ours still? Renews it. */
enum err_code lease_check(struct run *r, struct err *e) must_check;

/* ---- what holds it back: rules/act/store.c -------------------------------------------------- */

/* For who runs it: a line of what came of the action. */
void run_note(struct run *r, const struct action *x, const char *word);
/* One transaction: still the newest fence? then store. E_BUSY: somebody else has the lease. */
enum err_code run_store(
	struct run *r, struct action *x, const char *event, struct err *e) must_check;
/* The guards, with a look or without (NULL). */
enum err_code run_guards(struct run *r, const struct action *x, const struct live *live,
	struct guard_no *no, struct err *e) must_check;
/* It stays where it is, for that reason. */
enum err_code run_hold(struct run *r, struct action *x, const char *guard,
	const char *reason, struct err *e) must_check;

/* ---- one action: rules/act/act.c ------------------------------------------------------------ */

/* A look alone: does it stay among those that are to be acted on? What only a look rules out is
 * stored as what it is, and fills no limit. */
enum err_code run_preview(
	struct run *r, struct action *x, bool *stays, struct err *e) must_check;
/* Look, decide, write down, send, store what came of it. */
enum err_code run_act(struct run *r, struct action *x, struct err *e) must_check;
/* Find out what came of it. *again: ask later. */
enum err_code run_verify(
	struct run *r, struct action *x, bool *again, struct err *e) must_check;

#endif
