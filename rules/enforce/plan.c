#include "rules/enforce/plan.h"

#include "base/time/civil.h"
#include "base/str.h"
#include "rules/enforce/internal.h"
#include "rules/enforce/generation.h"
#include "rules/enforce/halt.h"
#include "rules/judge/internal.h"

#include <string.h>

#define UNWARNED 900 /* seconds until a warning that no channel accepted is reported */

struct planning {
	struct db *db;
	const struct settings *s;
	ts_t now;
	bool no_channel;
	struct arena *a;
	struct plan *out;
	size_t cap, cap_errors;
	struct guard_memo memo;
	size_t n_open; /* the first items are the open ones */
};

bool plan_switch(const char *guard)
{
	static const char *const names[] = {
		"mode", "armed", "project", "halt", "window", GUARD_RESTORED};

	return str_in(guard, names, ARRAY_LEN(names));
}

/* ---- stored actions ----------------------------------------------------------------------------- */

static struct plan_item *plan_add_item(struct planning *p)
{
	struct plan *out = p->out;

	*arena_append(p->a, out->items, out->n, p->cap) = (struct plan_item){.due = TS_NONE,
		.later = TS_NONE,
		.opens = TS_NONE,
		.no = arena_alloc(p->a, (n_guards + 2) * sizeof(struct guard_no))};
	return &out->items[out->n - 1];
}

static enum err_code add_ended(struct planning *p, ts_t since, struct err *e)
{
	struct actions ended;

	if (actions_load(p->db, since, p->a, &ended, e))
		return e->code;
	for (size_t k = 0; k < ended.n; k++) {
		struct action *x = &ended.v[k];
		struct enforce_subject m = {0};
		bool shown = false, found;

		for (size_t i = 0; !shown && i < p->out->n; i++)
			shown = p->out->items[i].action.number == x->number;
		if (shown)
			continue;
		if (enforce_subject_get(p->db, x->t.id, p->a, &m, &found, e))
			return e->code;
		x->remains = m.remains;
		plan_add_item(p)->action = *x;
	}
	return E_OK;
}

static enum err_code add_open(struct planning *p, struct err *e)
{
	struct actions open;

	if (actions_load(p->db, TS_NONE, p->a, &open, e))
		return e->code;
	for (size_t i = 0; i < open.n; i++) {
		struct plan_item *item = plan_add_item(p);

		item->action = open.v[i];
		item->rule = enforce_rule(p->s, item->action.rule);
	}
	p->n_open = p->out->n;
	return E_OK;
}

/* ---- present results of rules ------------------------------------------------------------------ */

/* As the next run will evaluate it: an action that was tracked under another rule or mode ends
 * then. */
static enum err_code find_anew(struct planning *p, struct plan_item *i, struct err *e)
{
	const struct action *x = &i->action;
	bool armed = x->armed;

	if (enforce_armed(p->db, p->s, enforce_step(i->rule, x->verb), x->t.project, p->a,
		    &armed, e))
		return e->code;
	i->anew = x->number &&
		(armed != x->armed ||
			strcmp(enforce_policy(i->rule, x->verb, p->a), x->policy) != 0);
	return E_OK;
}

/* Not before the condition held for its time and the grace period has ended. */
static enum err_code plan_find_due(
	struct planning *p, const struct rule *r, struct plan_item *i, struct err *e)
{
	const struct rule_action *step = enforce_step(r, i->action.verb);
	ts_t since, began = i->anew || !i->action.number ? p->now : i->action.began;
	struct alert_now alert;

	if (!i->anew && i->action.due != TS_NONE) {
		i->due = action_due(&i->action, i->action.due);
		return E_OK;
	}
	if (alert_of(p->db, &i->action, r, p->a, &alert, e))
		return e->code;
	since = alert.open && alert.since != TS_NONE ? alert.since : p->now;
	since += i->action.follows ? 0 : r->hold_for;
	/* the rule fires; the grace period begins when a channel accepted the warning */
	i->due = step_due(step ? step : &r->then, began, since > p->now ? since : p->now);
	return E_OK;
}

static bool has_no(const struct plan_item *i, const char *name)
{
	for (size_t k = 0; k < i->n_no; k++)
		if (!strcmp(i->no[k].name, name))
			return true;
	return false;
}

static void add_no(struct plan_item *i, const char *name, const char *reason)
{
	if (!has_no(i, name))
		i->no[i->n_no++] = (struct guard_no){
			.name = name, .reason = reason, .end = GUARD_WAITS};
}

/* No action is taken without a warning, and a dry run sends none. NULL: no problem. */
static const char *why_unwarned(const struct planning *p, const struct plan_item *i)
{
	const struct action *x = &i->action;
	bool armed = !has_no(i, "mode") && !has_no(i, "armed") && !has_no(i, "project");
	bool warned = !i->anew && x->state != ACTION_PENDING && x->state != ACTION_WARNING;
	char since[DURATION_BUF];

	if (!armed || warned)
		return NULL;
	if (p->no_channel)
		return "no channel in notify can send a warning, and no action is taken "
		       "without one";
	if (i->anew || x->state != ACTION_WARNING || p->now - x->since < UNWARNED)
		return NULL;
	return arena_printf(p->a,
		"no channel has accepted its warning for %s, and its grace period does not "
		"begin before one does; see: tpucost notify",
		duration_format(p->now - x->since, since));
}

/* Guards that block an item whose condition holds. */
static enum err_code plan_ask_guards(struct planning *p, struct plan_item *i,
	const struct enforce_subject *m, bool fresh, struct err *e)
{
	struct guard_ask q = {.db = p->db,
		.s = p->s,
		.rule = i->rule,
		.action = &i->action,
		.subject = m,
		.fresh = fresh,
		.clock_skew = INT64_MIN,
		.memo = &p->memo,
		.now = p->now,
		.a = p->a};
	const char *unwarned;

	if (guard_all(&q, i->no, &i->n_no, e))
		return e->code;
	if (held_by_runs(i->action.held))
		add_no(i, i->action.held, i->action.reason);
	unwarned = why_unwarned(p, i);
	if (unwarned) {
		add_no(i, PLAN_WARNING, unwarned);
		i->due = i->opens = TS_NONE; /* its grace begins at an unknown time */
	}
	i->todo = p->s->enforcement && p->s->enforcement->mode != ENFORCE_OFF;
	for (size_t k = 0; k < i->n_no; k++)
		i->todo = i->todo && plan_switch(i->no[k].name);
	return E_OK;
}

/* A machine whose action was done, or failed permanently, does not begin again before the machine
 * is started again. */
static enum err_code look_for_end(
	struct planning *p, struct plan_item *i, ts_t created, bool *ended, struct err *e)
{
	struct action *x = &i->action;
	struct q_plan_end row;

	if (action_end(p->db, x, created, p->a, &row, ended, e))
		return e->code;
	if (!*ended)
		return E_OK;
	x->number = row.action;
	x->state = action_state_of(row.state);
	x->reason = row.reason;
	x->ended = row.ended;
	add_no(i, row.state,
		!strcmp(row.state, action_state_name(ACTION_FAILED))
			? "not tried again until it is restarted, the rule is changed, or "
			  "you run: tpucost enforce resume"
			: "not tried again until it is restarted or the rule is changed");
	return E_OK;
}

/* An action whose condition holds: when it is due, and what blocks it. */
static enum err_code plan_holding(struct planning *p, struct plan_item *i,
	const struct enforce_subject *m, bool fresh, struct err *e)
{
	i->holds = true;
	if (action_in_flight(i->action.state)) {
		i->todo = true;
		i->later = enforce_later(i->rule, i->action.verb, p->now);
		return E_OK;
	}
	if (find_anew(p, i, e) || plan_find_due(p, i->rule, i, e))
		return e->code;
	/* An action that is due while no window is open must wait for one. */
	i->opens = window_wait(p->s->enforcement, p->s->tz, i->due, p->now);
	if (i->opens != TS_NONE)
		i->due = i->opens;
	if (plan_ask_guards(p, i, m, fresh, e))
		return e->code;
	/* A dry run never stops it: the second step follows the stop that was due, on the same day in
	 * every run. */
	if (i->todo)
		i->later = enforce_later(i->rule, i->action.verb,
			!i->action.armed || i->due > p->now ? i->due : p->now);
	return E_OK;
}

static enum err_code plan_hit(struct planning *p, const struct rule *r, enum verb verb,
	const struct hit *h, struct err *e)
{
	struct plan_item *i = NULL;
	struct enforce_subject m = {0};
	const struct beginning b = {.rule = r,
		.verb = verb,
		.subject = &m,
		.severity = h->o.severity,
		.reason = h->summary,
		.now = p->now};
	bool found, ended = false;

	for (size_t k = 0; !i && k < p->n_open; k++) {
		struct plan_item *open = &p->out->items[k];

		if (!strcmp(open->action.rule, r->name) &&
			!strcmp(open->action.t.id, h->subject))
			i = open;
	}
	if (i && i->action.follows) /* of what is stopped, which the rule need not find */
		return E_OK;
	if (enforce_subject_get(p->db, h->subject, p->a, &m, &found, e))
		return e->code;
	if (!i && !found)
		return E_OK;
	if (!i) {
		i = plan_add_item(p);
		i->rule = r;
		if (action_begun(p->db, p->s, &b, p->a, &i->action, e) ||
			look_for_end(p, i, m.created, &ended, e))
			return e->code;
	}
	i->holds = true;
	i->type = m.type;
	i->action.remains = m.remains;
	return ended ? E_OK
		     : plan_holding(p, i, found ? &m : NULL, h->o.data == DATA_FRESH, e);
}

static enum err_code plan_rule(
	struct planning *p, const struct rule *r, enum verb verb, struct err *e)
{
	struct judging j = {.db = p->db, .s = p->s, .now = p->now, .arena = p->a};
	struct hits hits = {0};

	if (judge_hits(&j, r, &hits, e)) {
		struct plan *out = p->out;

		if (e->code != E_USAGE && e->code != E_LIMIT)
			return e->code;
		*arena_append(p->a, out->errors, out->n_errors,
			p->cap_errors) = arena_printf(p->a, "%s: %s", r->name, e->msg);
		*e = (struct err){0};
		return E_OK;
	}
	for (size_t i = 0; i < hits.n; i++)
		if (plan_hit(p, r, verb, &hits.v[i], e))
			return e->code;
	return E_OK;
}

/* Open actions that no rule finds now: second steps, and those that the next run ends. */
static enum err_code plan_others(struct planning *p, struct err *e)
{
	for (size_t k = 0; k < p->n_open; k++) {
		struct plan_item *i = &p->out->items[k];
		struct enforce_subject m = {0};
		bool found;

		if (i->holds)
			continue;
		if (enforce_subject_get(p->db, i->action.t.id, p->a, &m, &found, e))
			return e->code;
		i->type = m.type;
		i->action.remains = m.remains;
		i->todo = action_in_flight(i->action.state);
		if (i->todo)
			continue;
		if (i->action.follows && enforce_step(i->rule, i->action.verb) && found) {
			struct alert_now stopped;

			if (alert_of(p->db, &i->action, i->rule, p->a, &stopped, e) ||
				(stopped.open && plan_holding(p, i, &m, stopped.fresh, e)))
				return e->code;
			if (stopped.open)
				continue;
		}
		i->due = action_due(&i->action, i->action.due);
		if (!i->rule)
			add_no(i, "rule-gone",
				"the rule is no longer in the configuration");
	}
	return E_OK;
}

/* An action in a project that is not listed is never announced, as in reports and messages. Without a
 * list, the plan shows what could be listed. */
static enum err_code drop_unlisted(struct planning *p, struct err *e)
{
	struct plan *out = p->out;
	size_t n = 0;

	if (!p->s->enforcement || !p->s->enforcement->n_projects)
		return E_OK;
	for (size_t i = 0; i < out->n; i++) {
		const struct action *x = &out->items[i].action;
		bool keeps = action_in_flight(x->state) || action_over(x->state);

		if (!keeps &&
			guard_project_listed(p->db, p->s, x->t.project, p->a, &keeps, e))
			return e->code;
		if (keeps)
			out->items[n++] = out->items[i];
	}
	out->unlisted = out->n - n;
	out->n = n;
	return E_OK;
}

/* Would the limits permit all of it, if it were due at once? */
static enum err_code plan_ask_caps(struct planning *p, struct err *e)
{
	struct plan *out = p->out;
	struct action **ready = arena_alloc(p->a, (out->n + 1) * sizeof(*ready));
	size_t n = 0;

	for (size_t i = 0; i < out->n; i++)
		if (out->items[i].todo && !action_in_flight(out->items[i].action.state))
			ready[n++] = &out->items[i].action;
	if (n && caps_check(p->db, p->s, ready, n, p->now, p->a, &out->cap, e))
		return e->code;
	return E_OK;
}

/* Counted as the limits count it. */
static enum err_code read_used(struct planning *p, struct err *e)
{
	struct q_caps_sent_in in = {.since = p->now - DAY_SECONDS};
	struct plan *out = p->out;
	struct q_caps_sent *v;
	size_t n;

	if (q_caps_sent_all(p->db, &in, p->a, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		bool lately = v[i].at > p->now - HOUR_SECONDS;

		out->in_day++;
		out->in_hour += lately;
		out->deletes += lately && !strcmp(v[i].verb, verb_name(VERB_DELETE));
	}
	return E_OK;
}

enum err_code plan_make(struct db *db, const struct plan_ask *ask, struct arena *a,
	struct plan *out, struct err *e)
{
	const struct settings *s = ask->settings;
	struct planning p = {.db = db,
		.s = s,
		.now = ask->now,
		.no_channel = ask->no_channel,
		.a = a,
		.out = out};
	struct generation_look restored;
	enum verb verb;

	*out = (struct plan){0};
	if (generation_look(db, s, NULL, a, &restored, e) ||
		standby_for(db, s->enforcement, a, &out->standby, e) ||
		lease_fault(db, s->enforcement, a, &out->lease, e))
		return e->code;
	out->restored = restored.why;
	if (s->enforcement)
		(void)!halt_found(s->enforcement, db, a, &out->halt);
	if (add_open(&p, e))
		return e->code;
	for (size_t i = 0; i < s->n_rules; i++)
		if (enforce_acts(&s->rules[i], &verb) &&
			plan_rule(&p, &s->rules[i], verb, e))
			return e->code;
	if (plan_others(&p, e) || drop_unlisted(&p, e) || plan_ask_caps(&p, e) ||
		read_used(&p, e))
		return e->code;
	return ask->ended_since == TS_NONE ? E_OK : add_ended(&p, ask->ended_since, e);
}
