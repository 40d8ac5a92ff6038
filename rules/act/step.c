/* Steps of an action that need only the clock. */
#include "base/net/digest.h"
#include "base/time/civil.h"
#include "base/str.h"
#include "db/db.h"
#include "rules/enforce/internal.h"

#include <string.h>

/* Delay after the first attempt, the second, ...; the last one repeats as long as the rule holds. */
static const int64_t retry_after[] = {300, 900, 900, 1800, 3600, 7200, 14400, 21600};

void action_to(struct action *x, enum action_state state, const char *reason, ts_t now)
{
	if (x->state != state)
		x->since = now;
	x->state = state;
	x->held = "";
	x->reason = reason;
	if (action_over(state))
		x->ended = now;
}

/* A dry run sends no warning and needs none. */
static enum err_code to_grace(struct db *db, const struct rule_action *step,
	struct action *x, ts_t now, struct arena *a, struct err *e)
{
	struct q_action_warned_in in = {.action = x->number};
	struct q_action_warned q;
	ts_t at = now;
	bool found;

	if (x->armed) {
		if (q_action_warned_one(db, &in, a, &q, &found, e))
			return e->code;
		if (!found || !q.at.set)
			return E_OK;
		at = q.at.v;
	}
	x->warned = at;
	x->due = step_due(step, x->began, at);
	action_to(x, ACTION_GRACE,
		x->armed
			? "warned; waiting for the grace period to end"
			: "waiting for the grace period to end; a dry run sends no warning",
		now);
	return E_OK;
}

enum err_code action_advance(struct db *db, const struct settings *s, struct action *x,
	const struct alert_now *alert, ts_t now, struct arena *a, struct err *e)
{
	const struct rule_action *step = enforce_step(enforce_rule(s, x->rule), x->verb);

	if (!step)
		return E_OK;
	if (x->state == ACTION_WARNING && to_grace(db, step, x, now, a, e))
		return e->code;
	/* A clock that was set back must not end a grace period. If the clock was set ahead, the
	 * condition must have been confirmed after the warning. */
	if (x->state != ACTION_GRACE || now < x->due ||
		(step->grace && alert->last_true < x->warned))
		return E_OK;
	action_to(x, ACTION_RECHECK,
		enforce_failing(x->state, x->attempts)
			? arena_printf(
				  a, "could not be %s: attempts failed", verb_past(x->verb))
			: "its grace period has ended",
		now);
	return E_OK;
}

enum sight action_sight(const struct action *x, const struct live *l)
{
	static const char *const over[] = {"stopped", "suspended", "preempted", "failed"};
	static const char *const under_way[] = {"stopping", "deleting"};

	if (!l->found)
		return SIGHT_OVER;
	if (!str_eq(l->uid, x->t.uid))
		return SIGHT_OTHER;
	if (str_in(l->state, under_way, ARRAY_LEN(under_way)))
		return SIGHT_WAIT;
	if (x->verb == VERB_STOP && str_in(l->state, over, ARRAY_LEN(over)))
		return SIGHT_OVER;
	if (l->started != TS_NONE && x->started != TS_NONE && l->started != x->started)
		return SIGHT_AGAIN;
	if (str_eq(l->state, "unknown"))
		return SIGHT_WAIT;
	return SIGHT_RUNNING;
}

/* ---- attempts ---------------------------------------------------------------------------------- */

enum err_code action_request_id(
	struct db *db, struct action *x, struct arena *a, struct err *e)
{
	struct q_action_tries_in in = {.rule = x->rule,
		.resource = x->t.id,
		.uid = x->t.uid,
		.started = opt_of_ts(x->started),
		.action = x->number};
	struct q_action_tries row;
	char id[UUID_BUF];
	const char *name;
	bool found;

	if (q_action_tries_one(db, &in, a, &row, &found, e))
		return e->code;
	name = arena_printf(a, "%s\n%s\n%s\n%s\n%lld\n%s\n%lld\n%lld", x->t.project,
		x->t.id, x->t.uid, x->rule, (long long)x->started, verb_name(x->verb),
		(long long)row.n, (long long)x->attempts);
	if (!uuid_v5(name, id))
		return err_set(e, E_BUG, "the request has no id: hashing failed");
	x->request_id = arena_strdup(a, id);
	return E_OK;
}

bool action_fails(const struct action *x)
{
	return x->state == ACTION_RECHECK && x->attempts >= ENFORCE_QUICK_ATTEMPTS;
}

void action_retry(
	struct action *x, int64_t least, const char *reason, ts_t now, struct arena *a)
{
	const int64_t most = ARRAY_LEN(retry_after);
	char text[DURATION_BUF];
	int64_t wait;

	x->attempts = x->attempts + 1 > least ? x->attempts + 1 : least;
	wait = retry_after[(x->attempts < most ? x->attempts : most) - 1];
	x->operation = NULL;
	x->intent = TS_NONE; /* `sent` stays: the limits count it */
	action_to(x, ACTION_RECHECK, reason, now);
	x->next_at = now + wait;
	if (action_fails(x))
		x->reason = arena_printf(a,
			"the attempt failed, the next follows in %s: %s",
			duration_format(wait, text), reason);
}
