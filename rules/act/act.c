/* Acting on one machine: look, write down, send; and finding out what came of it. */
#include "base/money.h"
#include "base/str.h"
#include "db/db.h"
#include "rules/enforce/internal.h"
#include "rules/enforce/halt.h"

#include <signal.h>

#define LOOKS 3   /* a slow look is done again so often */
#define SETTLE 60 /* seconds after which a request that nobody saw has arrived or has not */

/* Between writing down and storing what came of it nobody is interrupted: it takes seconds. */
static void signals_wait(sigset_t *was)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, was);
}

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
	/* What only a look can tell and no time will change: this episode ends here. */
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
	run_note(r, x, "NOT STOPPED");
	return run_store(r, x, action_state_name(x->state), e);
}

/* It need not be touched: *over, and stored. */
static enum err_code look_is_enough(
	struct run *r, struct action *x, const struct live *live, bool *over, struct err *e)
{
	enum sight sight = action_sight(x, live);

	*over = true;
	switch (sight) {
	case SIGHT_OVER:
		action_to(x, ACTION_CLEARED,
			live->found ? "somebody else stopped it"
				    : "it does not exist any more",
			run_now(r));
		return run_store(r, x, "cleared", e);
	case SIGHT_WAIT:
		x->reason = arena_printf(
			r->a, "it is %s: Google says %s", live->state, live->raw_state);
		return run_store(r, x, NULL, e);
	case SIGHT_OTHER:
	case SIGHT_AGAIN:
		action_to(x, ACTION_SUPERSEDED,
			sight == SIGHT_OTHER
				? "another machine has its name now"
				: "it was started again: its grace begins anew",
			run_now(r));
		return run_store(r, x, "superseded", e);
	case SIGHT_RUNNING:
		break;
	}
	*over = false;
	return E_OK;
}

/* The guards and the intent are one transaction: a hold or an approval that a person is told of
 * came before it and counts, or comes after it and hears that it is too late. */
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
	/* Another process may have judged since it was read, by a newer configuration: then it is
	 * over, or begins anew, and what is known here is worth nothing. */
	if (!found || action_state_of(row.state) != x->state) {
		action_to(x, ACTION_CLEARED, "it was decided anew meanwhile", run_now(r));
		return E_OK;
	}
	if (run_guards(r, x, live, &no, e))
		return e->code;
	if (no.name)
		return end_by_guard(r, x, &no, e) ? e->code : db_commit(&tx, e);
	action_to(x, ACTION_INTENT, "it is being asked for", run_now(r));
	x->record = live->record;
	x->restart = live->restart;
	x->intent = run_now(r);
	if ((!x->request_id && action_request_id(r->db, x, r->a, e)) ||
		run_store(r, x, "intent", e) || db_commit(&tx, e))
		return e->code;
	*intended = true;
	return E_OK;
}

/* Is there a reason not to send what is written down? Then it is taken back. `restored`: why the
 * database may not act; or NULL. */
static enum err_code take_back(struct run *r, struct action *x, bool old,
	const char *restored, bool *back, struct err *e)
{
	const char *path;
	bool halted = r->s->enforcement &&
		halt_found(r->s->enforcement, r->db, r->a, &path);

	*back = old || halted || restored;
	if (!*back)
		return E_OK;
	action_to(x, ACTION_RECHECK, "the look at it got too old", run_now(r));
	if (run_store(r, x, "recheck", e))
		return e->code;
	if (restored)
		return run_hold(r, x, GUARD_RESTORED, restored, e);
	if (!halted)
		return E_OK;
	return run_hold(r, x, "halt", arena_printf(r->a, "halted: %s is there", path), e);
}

/* What is written down is noted outside of the database before it is sent: no older copy of the
 * database is taken for this one afterwards. */
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

/* Look until a look is young enough to act upon. *go: written down as an intent. */
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
					"Google could not be asked how it is: %s%s%s",
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
		if (note_intent(r, x, &restored, e))
			return e->code;
		/* The process may have been stopped in between, or the disk was slow. */
		old = clock_mono_ms(r->o->clock) - at > ENFORCE_LOOK_AGE * 1000 ||
			run_now(r) - wall > ENFORCE_LOOK_AGE || run_now(r) < wall;
		if (take_back(r, x, old, restored, &back, e))
			return e->code;
		*go = !back;
		if (*go || !old)
			return E_OK;
	}
	return run_hold(r, x, "look", "every look at it took too long", e);
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
	return over || !no.name ? E_OK : end_by_guard(r, x, &no, e);
}

/* ---- the one call ------------------------------------------------------------------------------ */

static enum err_code refused_for_good(
	struct run *r, struct action *x, const struct err *why, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};
	const char *reason = why->fix[0]
		? arena_printf(r->a, "Google refuses: %s; %s", why->msg, why->fix)
		: arena_printf(r->a, "Google refuses: %s", why->msg);

	action_to(x, ACTION_FAILED, reason, run_now(r));
	run_note(r, x, "FAILED");
	if (db_begin(r->db, &tx, e) || run_store(r, x, "failed", e) ||
		(why->code == E_DENIED && store_disarmed(r, x, reason, e)))
		return e->code;
	return db_commit(&tx, e);
}

static enum err_code take_answer(struct run *r, struct action *x, enum err_code code,
	const char *operation, const struct err *why, struct err *e)
{
	ts_t now = run_now(r);

	switch (code) {
	case E_OK:
		action_to(x, ACTION_SENT, "Google works on it", now);
		x->operation = operation;
		x->sent = now;
		return run_store(r, x, "sent", e);
	case E_NOTFOUND:
		/* Nothing was stopped: whether it is there, the next look tells. */
		if (x->verb == VERB_STOP) {
			action_retry(x, "Google did not find it to stop it", now, r->a);
			return run_store(r, x, action_state_name(x->state), e);
		}
		action_to(x, ACTION_VERIFY, "Google does not find it", now);
		x->sent = now;
		return run_store(r, x, "verify", e);
	case E_NET:
	case E_RATE:
	case E_AUTH:
	case E_CONFLICT:
	case E_BUSY:
		action_retry(x, arena_strdup(r->a, why->msg), now, r->a);
		return run_store(r, x, action_state_name(x->state), e);
	case E_DENIED:
	case E_HTTP:
	case E_CONFIG:
	case E_DISABLED:
		return refused_for_good(r, x, why, e);
	default:
		action_to(x, ACTION_UNKNOWN,
			arena_printf(r->a, "no answer, perhaps it happened: %s", why->msg),
			now);
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

enum err_code run_act(struct run *r, struct action *x, struct err *e)
{
	sigset_t was;
	enum err_code rc;
	bool go;

	signals_wait(&was);
	rc = look_and_intend(r, x, &go, e);
	if (!rc && go)
		rc = act_send_it(r, x, e);
	sigprocmask(SIG_SETMASK, &was, NULL);
	return rc;
}

/* ---- afterwards -------------------------------------------------------------------------------- */

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

	if (x->saves.set && x->currency)
		rate = arena_printf(r->a, " and costs %s %s an hour",
			nanos_format_fixed(x->saves.v, 2, buf), x->currency);
	return act_finish(r, x, ACTION_FAILED,
		arena_printf(r->a, "%s after %lld minutes: it may still be running%s", what,
			(long long)((run_now(r) - x->sent) / 60), rate),
		"FAILED", e);
}

/* The call takes a name, not a number (TPU nodes): was it another one that it met? */
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
			      "been %s "
			      "instead; see what it is, and start it again",
		live->uid, verb_past(x->verb));
	if (db_begin(r->db, &tx, e) ||
		act_finish(r, x, ACTION_FAILED, reason, "WRONG TARGET", e) ||
		store_disarmed(r, x, reason, e))
		return e->code;
	return db_commit(&tx, e);
}

/* Whoever started it again between the look and the call has had no warning of it: say so. */
static const char *how_it_ended(const struct action *x, const struct live *live)
{
	if (x->verb == VERB_DELETE)
		return "deleted; no list has it any more";
	if (!live->found)
		return "it does not exist any more";
	if (live->started != TS_NONE && x->started != TS_NONE &&
		live->started != x->started)
		return "stopped; somebody had started it again a moment before, without a "
		       "warning of this start";
	return "stopped; Google says so";
}

static enum err_code see_over(struct run *r, struct action *x, const struct live *live,
	bool *again, struct err *e)
{
	struct enforce_subject s;
	bool found = false;

	/* One that is deleted is only gone when complete lists have it no more. */
	if (x->verb == VERB_DELETE &&
		enforce_subject_get(r->db, x->t.id, r->a, &s, &found, e))
		return e->code;
	if (!found || !str_eq(s.t.uid, x->t.uid))
		return act_finish(r, x, ACTION_DONE, how_it_ended(x, live),
			x->verb == VERB_DELETE ? "DELETED" : "STOPPED", e);
	/* The lists come with the next cycle: no use waiting here. */
	*again = false;
	if (x->state == ACTION_VERIFY)
		return E_OK;
	action_to(x, ACTION_VERIFY, "Google knows it no more; the lists are to agree",
		run_now(r));
	return run_store(r, x, "verify", e);
}

/* It runs on as it was. Perhaps the request never came there: then it begins anew with a look and
 * every guard, and under the same request id. */
static enum err_code see_running(
	struct run *r, struct action *x, bool *again, struct err *e)
{
	ts_t now = run_now(r), from = x->sent != TS_NONE ? x->sent : x->intent;

	if (x->state == ACTION_INTENT || x->state == ACTION_UNKNOWN) {
		const char *reason = "it runs on: the request did not arrive";

		*again = from != TS_NONE && now >= from && now - from < SETTLE;
		if (*again)
			return E_OK;
		/* An answer that is always lost must not be waited for for ever. */
		if (x->state == ACTION_UNKNOWN)
			action_retry(x, reason, now, r->a);
		else
			action_to(x, ACTION_RECHECK, reason, now);
		if (x->state == ACTION_RECHECK)
			x->sent = x->intent = TS_NONE;
		else
			run_note(r, x, "FAILED");
		return run_store(r, x, action_state_name(x->state), e);
	}
	if (now - x->sent > ENFORCE_VERIFY)
		return act_too_long(r, x,
			x->state == ACTION_SENT
				? "the operation goes on"
				: "Google says that it is done, and it runs",
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
		/* Nobody knows. Who was switched off, or without a network, finds out when that is
		 * over; "unclear" is told meanwhile. */
		*again = true;
		return x->sent != TS_NONE && run_now(r) - x->sent > ENFORCE_UNSEEN
			? act_too_long(r, x, "Google could not be asked", e)
			: E_OK;
	}
	run_step(r, "seen");
	switch (action_sight(x, &live)) {
	case SIGHT_OVER:
		return see_over(r, x, &live, again, e);
	case SIGHT_OTHER:
		return met_other(r, x, &live, e);
	case SIGHT_AGAIN:
		return x->state == ACTION_INTENT
			? act_finish(r, x, ACTION_SUPERSEDED,
				  "it was started again, perhaps after it was stopped from "
				  "here",
				  "GONE", e)
			: act_finish(r, x, ACTION_DONE,
				  "it was stopped, and somebody started it again",
				  "STOPPED", e);
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

	*again = false;
	/* It was written down and then we died: it may have been sent. */
	if (x->state == ACTION_INTENT)
		x->sent = x->intent;
	if (x->state == ACTION_SENT) {
		if (x->operation)
			unread = h->operation(h->ctx, &x->t, x->operation, r->a, &op, &why);
		if (!unread && op.outcome == OP_FAILED) {
			x->request_id = NULL; /* the same one would get the same answer */
			action_retry(x, arena_printf(r->a, "Google failed: %s", op.error),
				run_now(r), r->a);
			if (x->state == ACTION_FAILED)
				run_note(r, x, "FAILED");
			return run_store(r, x, action_state_name(x->state), e);
		}
		/* Who may stop need not be allowed to read operations; and after that time the
		 * machine itself tells what the operation does not. */
		if (unread ||
			(op.outcome == OP_RUNNING && run_now(r) - x->sent > ENFORCE_VERIFY))
			return see(r, x, again, e);
		if (op.outcome == OP_RUNNING) {
			*again = true;
			return E_OK;
		}
		action_to(x, ACTION_VERIFY, "Google says that it is done", run_now(r));
		if (run_store(r, x, "verify", e))
			return e->code;
		run_step(r, "verify");
	}
	return see(r, x, again, e);
}
