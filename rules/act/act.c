/* Actions on one machine: live check, recorded intent, request, and finding the outcome. */
#include "base/money.h"
#include "base/str.h"
#include "db/db.h"
#include "rules/act/leader.h"
#include "rules/enforce/internal.h"
#include "rules/enforce/halt.h"

#include <signal.h>

#define LOOKS 3   /* attempts of a live check that takes too long */
#define SETTLE 60 /* seconds after which an unanswered request has arrived or failed */
#define UNCLEAR "the request may have succeeded: " /* the error follows */

static enum err_code store_disarmed(
	struct run *r, const struct action *x, const char *reason, struct err *e)
{
	struct q_disarm_in in = {.rule = x->rule,
		.policy = x->policy,
		.project = x->t.project,
		.at = run_now(r),
		.reason = reason};

	return q_disarm(r->db, &in, e);
}

/* ---- before ------------------------------------------------------------------------------------ */

static enum err_code end_by_guard(
	struct run *r, struct action *x, const struct guard_no *no, struct err *e)
{
	/* Guards whose refusal only a live check finds and time does not change: the episode ends
	 * here. */
	static const char *const for_good[] = {
		"managed", "protected", "local-ssd", "own-host", "kind"};
	ts_t now = run_now(r);

	if (no->end == GUARD_WAITS && !str_in(no->name, for_good, ARRAY_LEN(for_good)))
		return run_hold(r, x, no->name, no->reason, e);
	if (no->end == GUARD_WAITS)
		action_to(x, ACTION_FAILED,
			arena_printf(r->a, ENFORCE_NEVER "%s", no->reason), now);
	else
		action_to(x, no->end == GUARD_ANEW ? ACTION_SUPERSEDED : ACTION_CLEARED,
			no->reason, now);
	run_note(r, x, x->verb == VERB_STOP ? "NOT STOPPED" : "NOT DELETED");
	return run_store(r, x, action_state_name(x->state), e);
}

/* The inventory learns of a label that exempts it: else an evaluation before the next poll warns again. */
static enum err_code keep_labels(
	struct run *r, const struct action *x, const struct live *live, struct err *e)
{
	struct q_resource_labels_in in = {
		.resource = x->t.id, .uid = x->t.uid, .labels = live->labels};

	return live->labels ? q_resource_labels(r->db, &in, e) : E_OK;
}

/* Check whether the live state makes the action unnecessary: *over, and stored. */
static enum err_code look_is_enough(
	struct run *r, struct action *x, const struct live *live, bool *over, struct err *e)
{
	enum action_state end = ACTION_SUPERSEDED;
	const char *why = NULL;

	*over = true;
	switch (action_sight(x, live)) {
	case SIGHT_OVER:
		end = ACTION_CLEARED;
		why = live->found ? arena_printf(r->a, "it is %s", live->state)
				  : "it no longer exists";
		break;
	case SIGHT_WAIT:
		x->reason = arena_printf(
			r->a, "it is %s: Google reports %s", live->state, live->raw_state);
		return run_store(r, x, NULL, e);
	case SIGHT_OTHER:
		why = "another machine has its name now";
		break;
	case SIGHT_AGAIN:
		why = "it was started again: a new grace period begins";
		break;
	case SIGHT_RUNNING:
		break;
	}
	*over = why != NULL;
	if (!why)
		return E_OK;
	/* until the next poll, guard_unseen knows it by this reason */
	action_to(
		x, end, arena_printf(r->a, "a live check found that %s", why), run_now(r));
	return run_store(r, x, action_state_name(end), e);
}

/* The guards and the intent are one transaction: a hold or an approval either precedes the intent
 * and counts, or follows it and is rejected as too late. */
static enum err_code intend(struct run *r, struct action *x, const struct live *live,
	bool *intended, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct q_action_state_in in = {.action = x->number};
	struct q_action_state row;
	struct guard_no no;
	bool found;

	*intended = false;
	if (db_begin(r->db, &tx, e) ||
		q_action_state_one(r->db, &in, r->a, &row, &found, e))
		return e->code;
	/* Another process may have evaluated the rules since it was read, with a newer
	 * configuration: then it has ended or starts over, and the values read here are out of
	 * date. */
	if (!found || action_state_of(row.state) != x->state) {
		action_to(x, ACTION_CLEARED, "superseded by a newer decision", run_now(r));
		return E_OK;
	}
	if (run_guards(r, x, live, &no, e))
		return e->code;
	if (no.name)
		return keep_labels(r, x, live, e) || end_by_guard(r, x, &no, e)
			? e->code
			: db_commit(&tx, e);
	action_to(x, ACTION_INTENT, "the request is being sent", run_now(r));
	x->record = live->record;
	x->restart = live->restart;
	x->intent = run_now(r);
	x->epoch = r->o->leader ? r->o->leader->epoch : 0;
	if ((!x->request_id && action_request_id(r->db, x, r->a, e)) ||
		run_store(r, x, "intent", e) || db_commit(&tx, e))
		return e->code;
	*intended = true;
	return E_OK;
}

/* Take the recorded intent back if there is a reason not to send it. `restored`: why the database
 * may not act; or NULL. */
static enum err_code take_back(struct run *r, struct action *x, bool old,
	const char *restored, bool *back, struct err *e)
{
	const char *path;
	bool halted = r->s->enforcement &&
		halt_found(r->s->enforcement, r->db, r->a, &path);

	*back = old || halted || restored || r->lost;
	if (!*back)
		return E_OK;
	x->intent = TS_NONE;
	action_to(x, ACTION_RECHECK, "the live check is too old", run_now(r));
	if (run_store(r, x, "recheck", e))
		return e->code;
	if (restored)
		return run_hold(r, x, GUARD_RESTORED, restored, e);
	if (r->lost)
		return run_hold(r, x, "lease", r->lost, e);
	if (!halted)
		return E_OK;
	return run_hold(r, x, "halt", arena_printf(r->a, "halted: %s exists", path), e);
}

/* Renew the lease that is shared with other machines: the last step before the request. */
static enum err_code renew_lease(struct run *r, const struct action *x, struct err *e)
{
	struct leader_facts facts;
	struct err why = {0};

	if (!r->o->leader)
		return E_OK;
	if (leader_facts_of(r->db, r->s, r->a, &facts, e))
		return e->code;
	if (leader_fence(r->o->leader, &facts, x->t.id, r->a, &why))
		r->lost = arena_strdup(r->a, why.msg);
	run_step(r, "fenced");
	return E_OK;
}

/* Note the intent outside of the database before the request is sent, so that an older copy of the
 * database is not accepted as this one afterwards. */
static enum err_code note_intent(
	struct run *r, struct action *x, const char **restored, struct err *e)
{
	struct err why = {0};
	bool back;

	if (!enforce_note(r->db, r->s, r->a, restored, &why)) {
		run_step(r, "noted");
		return E_OK;
	}
	if (take_back(r, x, true, NULL, &back, e))
		return e->code;
	*e = why;
	return e->code;
}

/* Repeat the live check until its result is recent enough to act on. *go: the intent is
 * recorded. */
static enum err_code look_and_intend(
	struct run *r, struct action *x, bool *go, struct err *e)
{
	const struct hands *h = r->o->hands;

	*go = false;
	for (int i = 0; i < LOOKS; i++) {
		int64_t at = clock_mono_ms(r->o->clock);
		ts_t wall = run_now(r);
		struct live live = {0};
		struct err why;
		bool over, intended, old, back;
		const char *restored;

		if (h->look(h->ctx, &x->t, x->verb, r->a, &live, &why))
			return run_hold(r, x, "look",
				arena_printf(r->a,
					"could not ask Google for its state: %s%s%s",
					why.msg, why.fix[0] ? "; " : "", why.fix),
				e);
		run_step(r, "looked");
		if (look_is_enough(r, x, &live, &over, e))
			return e->code;
		if (over)
			return E_OK;
		if (intend(r, x, &live, &intended, e))
			return e->code;
		if (!intended)
			return E_OK;
		run_step(r, "intent");
		if (note_intent(r, x, &restored, e) || renew_lease(r, x, e))
			return e->code;
		/* The process may have been suspended in between, or the disk was slow. */
		old = clock_mono_ms(r->o->clock) - at > ENFORCE_LOOK_AGE * 1000 ||
			run_now(r) - wall > ENFORCE_LOOK_AGE || run_now(r) < wall;
		if (take_back(r, x, old, restored, &back, e))
			return e->code;
		*go = !back;
		if (*go || !old || r->lost)
			return E_OK;
	}
	return run_hold(r, x, "look", "every live check took too long", e);
}

enum err_code run_preview(struct run *r, struct action *x, bool *stays, struct err *e)
{
	const struct hands *h = r->o->hands;
	struct live live = {0};
	struct guard_no no;
	struct err why;
	bool over;

	*stays = true;
	if (h->look(h->ctx, &x->t, x->verb, r->a, &live, &why))
		return E_OK;
	run_step(r, "looked");
	if (look_is_enough(r, x, &live, &over, e) ||
		(!over && run_guards(r, x, &live, &no, e)))
		return e->code;
	*stays = !over && !no.name;
	if (over || !no.name)
		return E_OK;
	return keep_labels(r, x, &live, e) ? e->code : end_by_guard(r, x, &no, e);
}

/* ---- request ----------------------------------------------------------------------------------- */

/* `least`: the least number of attempts to count, for action_retry(). */
static enum err_code act_failed(
	struct run *r, struct action *x, int64_t least, const char *reason, struct err *e)
{
	action_retry(x, least, reason, run_now(r), r->a);
	if (action_fails(x)) {
		r->out->failed++;
		run_note(r, x, "FAILED");
	}
	return run_store(r, x, action_state_name(x->state), e);
}

static enum err_code act_refused(
	struct run *r, struct action *x, const struct err *why, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};
	const char *reason = why->fix[0]
		? arena_printf(r->a, "Google refuses: %s; %s", why->msg, why->fix)
		: arena_printf(r->a, "Google refuses: %s", why->msg);

	if (why->code != E_DENIED) {
		x->request_id = NULL; /* the same id would get the same answer */
		return act_failed(r, x, ENFORCE_QUICK_ATTEMPTS, reason, e);
	}
	action_to(x, ACTION_FAILED, reason, run_now(r));
	run_note(r, x, "FAILED");
	if (db_begin(r->db, &tx, e) || run_store(r, x, "failed", e) ||
		store_disarmed(r, x, reason, e))
		return e->code;
	return db_commit(&tx, e);
}

static enum err_code take_answer(struct run *r, struct action *x, enum err_code code,
	const char *operation, const struct err *why, struct err *e)
{
	ts_t now = run_now(r);

	switch (code) {
	case E_OK:
		action_to(x, ACTION_SENT, "Google is working on it", now);
		x->operation = operation;
		x->sent = now;
		return run_store(r, x, "sent", e);
	case E_NOTFOUND:
		/* Nothing was stopped: the next live check finds whether the machine exists. */
		if (x->verb == VERB_STOP)
			return act_failed(
				r, x, 1, "Google did not find it; nothing was stopped", e);
		action_to(x, ACTION_VERIFY, "Google does not find it", now);
		x->sent = now;
		return run_store(r, x, "verify", e);
	case E_NET:
	case E_RATE:
	case E_AUTH:
	case E_CONFLICT:
	case E_BUSY:
		return act_failed(r, x, 1, arena_strdup(r->a, why->msg), e);
	case E_DENIED:
	case E_HTTP:
	case E_CONFIG:
	case E_DISABLED:
		return act_refused(r, x, why, e);
	default:
		action_to(
			x, ACTION_UNKNOWN, arena_printf(r->a, UNCLEAR "%s", why->msg), now);
		x->sent = now;
		return run_store(r, x, "unknown", e);
	}
}

static enum err_code act_send_it(struct run *r, struct action *x, struct err *e)
{
	const struct hands *h = r->o->hands;
	const char *operation = NULL;
	struct err why = {0};
	enum err_code code;

	code = h->act(h->ctx, &x->t, x->verb, x->request_id, r->a, &operation, &why);
	run_step(r, "asked");
	if (take_answer(r, x, code, operation, &why, e))
		return e->code;
	run_step(r, "sent");
	return E_OK;
}

/* Signals are blocked between recording the intent and storing its result, which takes seconds. */
enum err_code run_act(struct run *r, struct action *x, struct err *e)
{
	sigset_t signals, was;
	enum err_code rc;
	bool go;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, &was);
	rc = look_and_intend(r, x, &go, e);
	if (!rc && go)
		rc = act_send_it(r, x, e);
	sigprocmask(SIG_SETMASK, &was, NULL);
	return rc;
}

/* ---- outcome ----------------------------------------------------------------------------------- */

static enum err_code act_finish(struct run *r, struct action *x, enum action_state state,
	const char *reason, const char *word, struct err *e)
{
	action_to(x, state, reason, run_now(r));
	run_note(r, x, word);
	if (run_store(r, x, action_state_name(state), e))
		return e->code;
	run_step(r, "ended");
	return E_OK;
}

static enum err_code act_too_long(
	struct run *r, struct action *x, const char *what, struct err *e)
{
	const char *rate = "";
	char buf[NANOS_BUF];

	/* There is never a second request while Google still works on the first one. */
	if (r->working)
		return E_OK;
	if (x->state ==
		ACTION_VERIFY) /* it has ended: the same id would get the same answer */
		x->request_id = NULL;
	if (x->saves.set && x->currency)
		rate = arena_printf(r->a, " and costs %s %s an hour",
			nanos_format_fixed(x->saves.v, 2, buf), x->currency);
	return act_failed(r, x, ENFORCE_QUICK_ATTEMPTS,
		arena_printf(r->a, "%s after %lld minutes: it may still be running%s", what,
			(long long)((run_now(r) - x->sent) / 60), rate),
		e);
}

/* The call names the machine by its name, not its number (TPU nodes): did it reach another one? */
static enum err_code met_other(
	struct run *r, struct action *x, const struct live *live, struct err *e)
{
	bool hit = x->sent != TS_NONE &&
		(!str_eq(live->state, "running") || live->created == TS_NONE ||
			live->created <= x->sent + SETTLE);
	cleanup(db_tx_end) struct db_tx tx = {0};
	const char *reason;

	if (!hit)
		return act_finish(r, x, ACTION_SUPERSEDED,
			"another machine has its name now", "GONE", e);
	reason = arena_printf(r->a,
		ENFORCE_WRONG "another machine (id %s) had taken its name and may have "
			      "been %s instead; check that machine, and start it again",
		live->uid, verb_past(x->verb));
	if (db_begin(r->db, &tx, e) ||
		act_finish(r, x, ACTION_FAILED, reason, "WRONG TARGET", e) ||
		store_disarmed(r, x, reason, e))
		return e->code;
	return db_commit(&tx, e);
}

/* Report a machine that was started again between the live check and the call: this start had no
 * warning. */
static const char *how_it_ended(
	const struct action *x, const struct live *live, struct arena *a)
{
	if (x->verb == VERB_DELETE)
		return arena_printf(a, "deleted; no list contains it any longer%s%s",
			x->frees ? "; freed " : "", x->frees ? x->frees : "");
	if (!live->found)
		return "it no longer exists";
	if (live->started != TS_NONE && x->started != TS_NONE &&
		live->started != x->started)
		return "stopped; it had been started again a moment before, and this start "
		       "had no warning";
	return "stopped; confirmed by Google";
}

static enum err_code see_over(struct run *r, struct action *x, const struct live *live,
	bool *again, struct err *e)
{
	struct q_action_listed_in in = {.resource = x->t.id, .uid = x->t.uid};
	struct q_action_listed q;
	bool listed = false;

	/* A deleted machine is gone only when complete lists no longer contain it. */
	if (x->verb == VERB_DELETE && q_action_listed_one(r->db, &in, r->a, &q, &listed, e))
		return e->code;
	if (!listed)
		return act_finish(r, x, ACTION_DONE, how_it_ended(x, live, r->a),
			x->verb == VERB_DELETE ? "DELETED" : "STOPPED", e);
	/* The lists come with the next cycle: waiting here does not help. */
	*again = false;
	if (x->state == ACTION_VERIFY)
		return E_OK;
	action_to(x, ACTION_VERIFY,
		"Google no longer finds it; waiting for the lists to confirm", run_now(r));
	return run_store(r, x, "verify", e);
}

/* The machine still runs. If the request may not have arrived, the action starts over with a live
 * check and every guard, and with the same request id. */
static enum err_code see_running(
	struct run *r, struct action *x, bool *again, struct err *e)
{
	ts_t now = run_now(r), from = x->sent != TS_NONE ? x->sent : x->intent;

	if (x->state == ACTION_INTENT || x->state == ACTION_UNKNOWN) {
		const char *reason = str_starts(x->reason, UNCLEAR)
			? arena_printf(r->a, "it is still running: the request failed: %s",
				  x->reason + sizeof(UNCLEAR) - 1)
			: "it is still running: the request did not arrive";

		*again = from != TS_NONE && now >= from && now - from < SETTLE;
		if (*again)
			return E_OK;
		/* Do not wait forever for an answer that is always lost. */
		if (x->state == ACTION_UNKNOWN)
			return act_failed(r, x, 1, reason, e);
		x->intent = TS_NONE;
		action_to(x, ACTION_RECHECK, reason, now);
		return run_store(r, x, action_state_name(x->state), e);
	}
	if (now - x->sent > ENFORCE_VERIFY)
		return act_too_long(r, x,
			x->state == ACTION_SENT
				? "the operation cannot be read, and it is still running"
				: x->operation
				? "Google reports the operation as done, but it is still "
				  "running"
				: "Google did not find it, but it is still running",
			e);
	*again = true;
	return E_OK;
}

static enum err_code see(struct run *r, struct action *x, bool *again, struct err *e)
{
	const struct hands *h = r->o->hands;
	struct live live = {0};
	struct err why;

	if (h->look(h->ctx, &x->t, x->verb, r->a, &live, &why)) {
		/* The outcome is unknown. A host that was switched off or offline finds it later;
		 * until then it is reported as "unclear". */
		*again = true;
		return x->sent != TS_NONE && run_now(r) - x->sent > ENFORCE_UNSEEN
			? act_too_long(r, x, "no state could be read from Google", e)
			: E_OK;
	}
	run_step(r, "seen");
	switch (action_sight(x, &live)) {
	case SIGHT_OVER:
		return see_over(r, x, &live, again, e);
	case SIGHT_OTHER:
		return met_other(r, x, &live, e);
	case SIGHT_AGAIN:
		if (x->verb == VERB_DELETE)
			return act_finish(r, x, ACTION_SUPERSEDED,
				"it was started again; the request may still delete it",
				"GONE", e);
		return x->state == ACTION_INTENT
			? act_finish(r, x, ACTION_SUPERSEDED,
				  "it was started again, possibly after tpucost stopped it",
				  "GONE", e)
			: act_finish(r, x, ACTION_DONE,
				  "it was stopped, and then started again", "STOPPED", e);
	case SIGHT_WAIT:
		*again = true;
		return x->sent != TS_NONE && run_now(r) - x->sent > ENFORCE_VERIFY
			? act_too_long(r, x, "it has not stopped", e)
			: E_OK;
	case SIGHT_RUNNING:
		return see_running(r, x, again, e);
	}
	return E_OK;
}

enum err_code run_verify(struct run *r, struct action *x, bool *again, struct err *e)
{
	const struct hands *h = r->o->hands;
	struct op_state op = {.outcome = OP_GONE};
	bool unread = false;
	struct err why;

	*again = r->working = false;
	/* The process died after it recorded the intent: the request may have been sent. */
	if (x->state == ACTION_INTENT)
		x->sent = x->intent;
	if (x->state == ACTION_SENT) {
		if (x->operation)
			unread = h->operation(h->ctx, &x->t, x->operation, r->a, &op, &why);
		if (!unread && op.outcome == OP_FAILED) {
			x->request_id = NULL; /* the same id would get the same answer */
			return act_failed(r, x, 1,
				arena_printf(
					r->a, "Google reports a failure: %s", op.error),
				e);
		}
		/* The permission to stop does not include the permission to read operations; and
		 * after that time, the state of the machine is more reliable than the operation. */
		r->working = !unread && op.outcome == OP_RUNNING;
		if (unread ||
			(op.outcome == OP_RUNNING && run_now(r) - x->sent > ENFORCE_VERIFY))
			return see(r, x, again, e);
		if (op.outcome == OP_RUNNING) {
			*again = true;
			return E_OK;
		}
		action_to(x, ACTION_VERIFY, "Google reports it as done", run_now(r));
		if (run_store(r, x, "verify", e))
			return e->code;
		run_step(r, "verify");
	}
	return see(r, x, again, e);
}
