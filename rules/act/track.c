/* Tracking of alerts: the machines that are about to be stopped, and the state of each. */
#include "base/str.h"
#include "base/strmap.h"
#include "base/time/civil.h"
#include "db/db.h"
#include "rules/act/audit.h"
#include "rules/enforce/internal.h"
#include "rules/history.h"
#include "rules/judge/judge.h"

#include <string.h>

#define CLOCK_SLACK 300
#define OPENED SIZE_MAX

struct tracking {
	struct db *db;
	const struct settings *s;
	ts_t now;
	struct arena *a;
	struct actions open;
	struct guard_memo memo;
	struct strmap
		index; /* rule '\n' resource -> place in open; OPENED: one of this run */
};

static bool track_is_off(const struct settings *s)
{
	return !s->enforcement || s->enforcement->mode == ENFORCE_OFF;
}

/* ---- existing action --------------------------------------------------------------------------- */

/* Guards that prevent only the action, not a warning or a dry run. */
static bool only_acting(const char *guard)
{
	static const char *const names[] = {"mode", "armed", "project", "window"};

	return str_in(guard, names, ARRAY_LEN(names));
}

static enum err_code track_ask_guards(struct tracking *t, const struct action *x,
	const struct rule *r, const struct enforce_subject *subject,
	const struct alert_now *alert, struct guard_no *no, struct err *e)
{
	struct guard_ask q = {.db = t->db,
		.s = t->s,
		.rule = r,
		.action = x,
		.subject = subject,
		.fresh = x->state == ACTION_PENDING ? alert->fresh : alert_acts(alert, x),
		.clock_skew = INT64_MIN,
		.memo = &t->memo,
		.now = t->now,
		.a = t->a};

	return guard_first(&q, no, e);
}

static enum err_code move_on(struct tracking *t, struct action *x,
	const struct rule_action *step, const struct alert_now *alert,
	const struct guard_no *no, struct err *e)
{
	int64_t age;

	/* data that is not fresh is the business of the guards */
	if (x->state == ACTION_PENDING && alert->firing &&
		t->now >= step_warns(step, x->began) &&
		(!no->name || only_acting(no->name)))
		action_to(x, ACTION_WARNING, "no channel has accepted its warning yet",
			t->now);
	if (action_advance(t->db, t->s, x, alert, t->now, t->a, e))
		return e->code;
	/* A dry run sends no warning. The warning of an action that waits for a window takes the
	 * wait into account. */
	age = !strcmp(x->held, "window") ? ENFORCE_WINDOW_AGE : ENFORCE_WARNING_AGE;
	if (x->armed && action_fails(x) && x->due != TS_NONE && t->now > x->due + age) {
		struct q_action_warn_again_in in = {.action = x->number};

		x->warned = x->due = TS_NONE;
		action_to(x, ACTION_WARNING, "attempts failed: it is announced again",
			t->now);
		return q_action_warn_again(t->db, &in, e);
	}
	if (x->armed && x->state == ACTION_RECHECK && x->due != TS_NONE &&
		t->now > x->due + age) {
		action_to(x, ACTION_CLEARED, "its warning is too old: a new one is sent",
			t->now);
		return E_OK;
	}
	if (no->name && (x->state == ACTION_RECHECK || !only_acting(no->name))) {
		x->held = no->name;
		x->reason = no->reason;
	} else if (*x->held && (x->state != ACTION_RECHECK || !held_by_runs(x->held))) {
		action_to(x, x->state, "nothing blocks it any longer", t->now);
	}
	return E_OK;
}

/* A machine that is stopping, being repaired or starting has no start, and guard_state() waits for it. Google does not
 * report the starts of TPU nodes and queued resources. */
static const char *track_other_start(
	const struct action *x, const struct enforce_subject *subject)
{
	bool reported = !str_eq(x->t.source, "tpu") && !str_eq(x->t.source, "queued");

	if (x->started != TS_NONE && subject->started == TS_NONE && enforce_dead(subject))
		return "it was stopped: a new grace period begins when it is started";
	if (subject->started == TS_NONE || subject->started == x->started)
		return NULL;
	return x->started != TS_NONE && reported
		? "it was started again: a new grace period begins"
		: "it is running now: a new grace period begins";
}

/* Reason why the action has ended, or NULL; *anew: it starts over as another episode. */
static enum err_code over(struct tracking *t, const struct action *x, const struct rule *r,
	const struct alert_now *alert, const struct enforce_subject *subject, bool found,
	const char **why, bool *anew, struct err *e)
{
	bool armed;

	*why = NULL;
	*anew = false;
	if (!r) {
		*why = "the rule no longer acts";
		return E_OK;
	}
	if (!found)
		return judge_gone(t->db, x->t.id, why, e);
	if (enforce_armed(
		    t->db, t->s, enforce_step(r, x->verb), x->t.project, t->a, &armed, e))
		return e->code;
	if (strcmp(enforce_policy(r, x->verb, t->a), x->policy) != 0 || armed != x->armed) {
		*why = "the rule or its mode was changed";
		*anew = true;
	} else if (!alert->open) {
		*why = x->follows ? "it is no longer stopped, or may have run since"
				  : "the condition no longer holds";
	} else if (x->since > t->now + CLOCK_SLACK) {
		*why = "the clock was set back: the reported time is wrong";
	} else if (!str_eq(x->t.uid, subject->t.uid)) {
		*why = arena_printf(t->a, "it was created again: its id was %s, and is %s",
			x->t.uid, subject->t.uid);
		*anew = true;
	} else if ((*why = track_other_start(x, subject)) != NULL) {
		*anew = true;
	} else if (!str_eq(x->owner, subject->owner)) {
		*why = arena_printf(t->a,
			"its owner was %s, and is %s: it is announced anew",
			x->owner ? x->owner : "unknown",
			subject->owner ? subject->owner : "unknown");
		*anew = true;
	} else if (alert_lapsed(alert, x)) {
		*why = "the condition may not have held all the time: it is announced anew";
		*anew = true;
	}
	return E_OK;
}

static enum err_code track_follow(struct tracking *t, struct action *x, struct err *e)
{
	const struct rule *r = track_is_off(t->s) ? NULL : enforce_rule(t->s, x->rule);
	enum action_state state = x->state;
	const char *held = x->held, *why, *event = NULL;
	struct enforce_subject subject;
	struct alert_now alert;
	struct guard_no no = {0};
	bool found, anew;

	if (action_in_flight(x->state))
		return E_OK;
	if (alert_of(t->db, x, r, t->a, &alert, e) ||
		enforce_subject_get(t->db, x->t.id, t->a, &subject, &found, e) ||
		over(t, x, r, &alert, &subject, found, &why, &anew, e))
		return e->code;
	if (!why && track_ask_guards(t, x, r, &subject, &alert, &no, e))
		return e->code;
	if (!why && no.name && no.end != GUARD_WAITS) {
		why = no.reason;
		anew = no.end == GUARD_ANEW;
	}
	if (why) {
		action_to(x, anew ? ACTION_SUPERSEDED : ACTION_CLEARED, why, t->now);
	} else {
		struct q_action_worth_in worth = {.action = x->number,
			.saves = subject.net,
			.residual = subject.residual,
			.currency = subject.currency,
			.frees = subject.frees,
			.dead = enforce_dead(&subject)};

		if (move_on(t, x, enforce_step(r, x->verb), &alert, &no, e) ||
			q_action_worth(t->db, &worth, e))
			return e->code;
	}
	if (x->state != state)
		event = action_state_name(x->state);
	else if (strcmp(x->held, held) != 0)
		event = *x->held ? "held" : "released";
	return event ? action_store(t->db, x, event, t->now, e) : E_OK;
}

/* ---- new actions ------------------------------------------------------------------------------- */

static enum err_code insert(struct tracking *t, struct action *x, struct err *e)
{
	struct q_action_begin_in in = {.rule = x->rule,
		.resource = x->t.id,
		.uid = x->t.uid,
		.source = x->t.source,
		.kind = x->t.kind,
		.project = x->t.project,
		.location = x->t.location,
		.name = x->t.name,
		.started = opt_of_ts(x->started),
		.verb = verb_name(x->verb),
		.mode = x->armed ? "armed" : "dry-run",
		.severity = severity_name(x->severity),
		.policy = x->policy,
		.reason = x->reason,
		.now = t->now,
		.saves = x->saves,
		.residual = x->residual,
		.currency = x->currency,
		.group_path = x->t.group,
		.follows = x->follows ? SOME(x->follows) : NONE,
		.owner = x->owner,
		.frees = x->frees,
		.dead = x->dead};
	struct q_action_begin q;
	bool found;

	if (q_action_begin_one(t->db, &in, t->a, &q, &found, e))
		return e->code;
	x->number = q.action;
	return E_OK;
}

static enum err_code track_begin(struct tracking *t, const struct rule *r, int64_t follows,
	const char *id, const struct alert_now *alert, struct err *e)
{
	struct enforce_subject s;
	struct beginning b = {.rule = r,
		.verb = verb_of(follows ? r->later.action : r->then.action),
		.follows = follows,
		.subject = &s,
		.severity = alert->severity,
		.reason = follows
			? arena_printf(t->a, "action %lld stopped it", (long long)follows)
			: "the condition holds",
		.now = t->now};
	static const char *const kinds[] = {"vm", "tpu", "queued"};
	struct q_plan_end end;
	struct guard_no no;
	struct action x;
	bool found, ended;

	if (enforce_subject_get(t->db, id, t->a, &s, &found, e))
		return e->code;
	if (!found || !str_in(s.t.kind, kinds, ARRAY_LEN(kinds)))
		return E_OK;
	if (action_begun(t->db, t->s, &b, t->a, &x, e))
		return e->code;
	if (action_end(t->db, &x, s.created, t->a, &end, &ended, e) || ended ||
		track_ask_guards(t, &x, r, &s, alert, &no, e))
		return e->code;
	if (no.name && no.end != GUARD_WAITS)
		return E_OK;
	if (insert(t, &x, e) || action_store(t->db, &x, "began", t->now, e))
		return e->code;
	return track_follow(t, &x, e);
}

/* Second steps, of what the first one stopped. */
static enum err_code begin_later(struct tracking *t, const struct rule *r, struct err *e)
{
	struct q_action_stopped_in in = {
		.rule = r->name, .policy = enforce_policy(r, VERB_STOP, t->a)};
	struct q_action_stopped *v;
	size_t n;

	if (!r->later.action)
		return E_OK;
	if (q_action_stopped_all(t->db, &in, t->a, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		struct alert_now stopped = {.open = true,
			.firing = true,
			.fresh = v[i].complete,
			.since = TS_NONE,
			.last_true = v[i].last_seen,
			.severity = severity_parse(v[i].severity)};

		/* The rule may match it stopped too, but must not stop it again. */
		strmap_put(&t->index, arena_printf(t->a, "%s\n%s", r->name, v[i].resource),
			OPENED);
		if (stopped.fresh &&
			track_begin(t, r, v[i].action, v[i].resource, &stopped, e))
			return e->code;
	}
	return E_OK;
}

static enum err_code begin_all(struct tracking *t, const struct rule *r, struct err *e)
{
	struct q_action_alerts_in in = {.rule = r->name};
	struct q_action_alerts *v;
	size_t n;

	if (begin_later(t, r, e))
		return e->code;

	/* Read all alerts of the rule first: the following steps write. */
	if (q_action_alerts_all(t->db, &in, t->a, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		struct alert_now alert = alert_now_of(r, v[i].state, v[i].data, v[i].since,
			v[i].last_true, v[i].ceased, v[i].severity);
		const size_t *at = strmap_get(
			&t->index, arena_printf(t->a, "%s\n%s", r->name, v[i].subject));

		if (at && (*at == OPENED || !action_over(t->open.v[*at].state)))
			continue;
		/* Nothing begins on facts that may be out of date. */
		if (alert.open && alert.fresh &&
			track_begin(t, r, 0, v[i].subject, &alert, e))
			return e->code;
	}
	return E_OK;
}

static enum err_code track(struct tracking *t, struct err *e)
{
	struct q_action_forget_in old;
	enum verb verb;
	ts_t known;

	if (actions_load(t->db, TS_NONE, t->a, &t->open, e))
		return e->code;
	for (size_t i = 0; i < t->open.n; i++)
		strmap_put(&t->index,
			arena_printf(t->a, "%s\n%s", t->open.v[i].rule, t->open.v[i].t.id),
			i);
	for (size_t i = 0; i < t->open.n; i++)
		if (track_follow(t, &t->open.v[i], e))
			return e->code;
	for (size_t i = 0; !track_is_off(t->s) && i < t->s->n_rules; i++)
		if (enforce_acts(&t->s->rules[i], &verb) &&
			begin_all(t, &t->s->rules[i], e))
			return e->code;
	if (history_now(t->db, t->now, &known, e))
		return e->code;
	old.before = history_from(t->s, known);
	return q_action_forget(t->db, &old, e);
}

enum err_code enforce_track(
	struct db *db, const struct settings *s, ts_t now, struct err *e)
{
	cleanup(arena_done) struct arena arena = {0};
	struct tracking t = {.db = db, .s = s, .now = now, .a = &arena};
	enum err_code rc = track(&t, e);

	strmap_done(&t.index);
	return rc ? err_wrap(e, "enforce") : E_OK;
}
