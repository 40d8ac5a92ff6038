/* Declarations that the parts of enforcement share. Private to rules/enforce/. */
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

/* Load every open action (TS_NONE), or those that ended after a time, newest first. */
enum err_code actions_load(struct db *db, ts_t ended_since, struct arena *a,
	struct actions *out, struct err *e) must_check;
/* Store the state of an action, and record it in the audit log. `event` NULL: no entry is needed.
 * In a transaction of the caller. */
enum err_code action_store(struct db *db, const struct action *x, const char *event,
	ts_t now, struct err *e) must_check;

/* Does the condition that an action follows hold now? `keep_for` is about messages, not about actions. Of a
 * second step, whether the machine is still stopped. */
struct alert_now {
	bool open;   /* fresh data found that it holds, and none since that it does not */
	bool firing; /* and it held for its time */
	bool fresh;  /* there is fresh data now; without it, nothing changes */
	ts_t since;  /* it holds, as far as that is known; TS_NONE: of a second step */
	ts_t last_true;
	enum severity severity;
};
/* From the columns of the alert. */
struct alert_now alert_now_of(const struct rule *r, const char *state, const char *data,
	ts_t since, ts_t last_true, struct opt_i64 ceased, const char *severity);
/* `r`: the rule of the action; NULL: it does not act. */
enum err_code alert_of(struct db *db, const struct action *x, const struct rule *r,
	struct arena *a, struct alert_now *out, struct err *e) must_check;
/* Did the condition cease, or go unseen, after the action began? Its warning was about an earlier time. */
static inline bool alert_lapsed(const struct alert_now *alert, const struct action *x)
{
	return alert->since > x->began;
}
/* May the action be carried out? */
static inline bool alert_acts(const struct alert_now *alert, const struct action *x)
{
	return alert->fresh && alert->firing && !alert_lapsed(alert, x);
}

/* The rule of that name, enabled and acting; or NULL. */
const struct rule *enforce_rule(const struct settings *s, const char *name);
/* Would the step really be carried out: are mode, step and project armed? */
enum err_code enforce_armed(struct db *db, const struct settings *s,
	const struct rule_action *step, const char *project, struct arena *a, bool *armed,
	struct err *e) must_check;

/* True for guards that need a live check, or all ready actions together: only the next run can find
 * whether they still block. */
bool held_by_runs(const char *guard);

/* Did it already end in a way that prevents a new beginning: done, or failed permanently? */
enum err_code action_end(struct db *db, const struct action *x, ts_t created,
	struct arena *a, struct q_plan_end *out, bool *ended, struct err *e) must_check;

/* Does it use and cost nothing but what is attached to it? So does a queued resource that waits. A running, changing or
 * unknown one is not dead. */
bool enforce_dead(const struct enforce_subject *m);

/* Ends the open actions on the resource (NULL: all), so that they start over from their warning; `why` is a clause. In a
 * transaction of the caller. */
enum err_code actions_start_over(struct db *db, const char *resource, const char *why,
	ts_t now, struct arena *a, struct err *e) must_check;

/* Initial action of an episode: pending, not stored yet. */
struct beginning {
	const struct rule *rule;
	enum verb verb;
	int64_t follows; /* as of an action */
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
/* Advance from warning to grace to recheck, as far as possible. */
enum err_code action_advance(struct db *db, const struct settings *s, struct action *x,
	const struct alert_now *alert, ts_t now, struct arena *a, struct err *e) must_check;

/* State, in a live check, of a machine that may have been changed. */
enum sight {
	SIGHT_OVER,    /* it no longer runs, or is permanently gone */
	SIGHT_WAIT,    /* it is changing, or the state is not clear yet */
	SIGHT_AGAIN,   /* it was started again since */
	SIGHT_OTHER,   /* another machine of that name */
	SIGHT_RUNNING, /* it runs as if no request had been sent */
};
enum sight action_sight(const struct action *x, const struct live *l);
/* Deterministic number of the episode and the attempt. An episode that a user started once more has
 * other numbers: Google would give the old answer to the old ones. */
enum err_code action_request_id(
	struct db *db, struct action *x, struct arena *a, struct err *e) must_check;
/* Pure: an attempt failed, and it is known that it had no effect. The action is tried again from its
 * live check on: after 5 and 15 minutes, and then, as long as the rule holds, at growing intervals
 * of 15 minutes to 6 hours. It counts as attempt number `least` at least: ENFORCE_QUICK_ATTEMPTS for
 * a failure that a quick repetition does not change, else 1. */
void action_retry(
	struct action *x, int64_t least, const char *reason, ts_t now, struct arena *a);
/* Were the quick attempts used up? Then a message reports it. */
bool action_fails(const struct action *x);

/* ---- a run ------------------------------------------------------------------------------------- */

struct run {
	struct db *db;
	const struct enforce_opts *o;
	const struct settings *s;
	struct arena *a;
	struct enforce_result *out;
	size_t cap_notes;
	struct guard_memo memo; /* without a live check; before a call it is read again */
	int64_t fence;
	const char
		*lost; /* why the lease of several machines is not ours; NULL: it may be */
	bool working;  /* Google reports the operation that is verified as running */
};

static inline ts_t run_now(const struct run *r)
{
	return clock_now(r->o->clock);
}

/* Moment between two writes: tests end the process here. */
static inline void run_step(const struct run *r, const char *name)
{
	if (r->o->step)
		r->o->step(r->o->step_ctx, name);
}

/* ---- lease: rules/act/store.c --------------------------------------------------------------- */

enum err_code lease_take(struct run *r, struct err *e) must_check;
enum err_code lease_release(struct run *r, struct err *e) must_check;
/* In a transaction: is the lease still ours? Renews it. */
enum err_code lease_check(struct run *r, struct err *e) must_check;

/* ---- holding back: rules/act/store.c -------------------------------------------------------- */

/* Add a line about the result of the action for the user of the run. */
void run_note(struct run *r, const struct action *x, const char *word);
/* One transaction: if the fence is still the newest, store. E_BUSY: another process has the
 * lease. */
enum err_code run_store(
	struct run *r, struct action *x, const char *event, struct err *e) must_check;
/* Run the guards, with or without (NULL) a live check. */
enum err_code run_guards(struct run *r, const struct action *x, const struct live *live,
	struct guard_no *no, struct err *e) must_check;
/* Keep its state, and record the reason. */
enum err_code run_hold(struct run *r, struct action *x, const char *guard,
	const char *reason, struct err *e) must_check;

/* ---- one action: rules/act/act.c ------------------------------------------------------------ */

/* Live check only: does it stay among the actions to be carried out? An action that only a live
 * check rules out is stored with its result, and counts for no limit. */
enum err_code run_preview(
	struct run *r, struct action *x, bool *stays, struct err *e) must_check;
/* Live check, decision, recorded intent, request, and storage of the outcome. */
enum err_code run_act(struct run *r, struct action *x, struct err *e) must_check;
/* Find the outcome. *again: ask later. */
enum err_code run_verify(
	struct run *r, struct action *x, bool *again, struct err *e) must_check;

#endif
