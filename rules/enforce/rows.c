/* Rows of actions, and the policy that decides about them. */
#include "base/money.h"
#include "base/str.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/enforce/internal.h"

#include <string.h>

/* ---- reading ----------------------------------------------------------------------------------- */

static struct action action_of_row(const struct q_action_list *q)
{
	return (struct action){.number = q->action,
		.follows = q->follows.v,
		.t = {.id = q->resource,
			.uid = q->uid,
			.source = q->source,
			.kind = q->kind,
			.project = q->project,
			.location = q->location,
			.name = q->name,
			.group = q->group_path},
		.rule = q->rule,
		.policy = q->policy,
		.held = q->held,
		.reason = q->reason,
		.started = ts_of_opt(q->started),
		.verb = verb_of(q->verb),
		.armed = !strcmp(q->mode, "armed"),
		.severity = severity_parse(q->severity),
		.state = action_state_of(q->state),
		.since = q->since,
		.began = q->began,
		.warned = ts_of_opt(q->warned),
		.due = ts_of_opt(q->due),
		.approved = ts_of_opt(q->approved),
		.next_at = ts_of_opt(q->next_at),
		.intent = ts_of_opt(q->intent),
		.sent = ts_of_opt(q->sent),
		.ended = ts_of_opt(q->ended),
		.attempts = q->attempts,
		.request_id = q->request_id,
		.operation = q->operation,
		.record = q->record,
		.restart = q->restart,
		.saves = q->currency ? q->saves : NONE,
		.residual = q->currency ? q->residual : NONE,
		.currency = q->currency,
		.owner = q->owner,
		.frees = q->frees,
		.dead = q->dead};
}

enum err_code actions_load(struct db *db, ts_t ended_since, struct arena *a,
	struct actions *out, struct err *e)
{
	struct q_action_list_in in = {.ended_since = opt_of_ts(ended_since)};
	struct q_action_list *rows;

	if (q_action_list_all(db, &in, a, &rows, &out->n, e))
		return e->code;
	out->v = arena_alloc(a, out->n * sizeof(*out->v));
	for (size_t i = 0; i < out->n; i++)
		out->v[i] = action_of_row(&rows[i]);
	return E_OK;
}

enum err_code action_get(
	struct db *db, int64_t number, struct arena *a, struct action *out, struct err *e)
{
	struct q_action_list_in in = {.action = SOME(number)};
	struct q_action_list q;
	bool found;

	if (q_action_list_one(db, &in, a, &q, &found, e))
		return e->code;
	if (!found)
		return err_set(e, E_BUG, "action %lld does not exist", (long long)number);
	*out = action_of_row(&q);
	return E_OK;
}

struct alert_now alert_now_of(const struct rule *r, const char *state, const char *data,
	ts_t since, ts_t last_true, struct opt_i64 ceased, const char *severity)
{
	bool open = strcmp(state, "resolved") != 0 && !ceased.set;

	return (struct alert_now){.open = open,
		.firing = open && !strcmp(state, "firing") &&
			last_true - since >= (r ? r->hold_for : 0),
		.fresh = !strcmp(data, "fresh"),
		.since = since,
		.last_true = last_true,
		.severity = severity_parse(severity)};
}

/* A second step does not depend on the alert, which ended with the stop. */
static enum err_code still_stopped(struct db *db, const struct action *x, struct arena *a,
	struct alert_now *out, struct err *e)
{
	struct q_action_still_stopped_in in = {.follows = x->follows};
	struct q_action_still_stopped q;
	bool found;

	if (q_action_still_stopped_one(db, &in, a, &q, &found, e))
		return e->code;
	out->open = out->firing = found;
	out->severity = x->severity;
	if (found) {
		out->fresh = q.complete;
		out->last_true = q.last_seen;
	}
	return E_OK;
}

enum err_code alert_of(struct db *db, const struct action *x, const struct rule *r,
	struct arena *a, struct alert_now *out, struct err *e)
{
	struct q_alert_get_in in = {.rule = x->rule, .subject = x->t.id};
	struct q_alert_get q;
	bool found;

	*out = (struct alert_now){.since = TS_NONE, .last_true = TS_NONE};
	if (x->follows)
		return still_stopped(db, x, a, out, e);
	if (q_alert_get_one(db, &in, a, &q, &found, e))
		return e->code;
	if (!found)
		return E_OK;
	*out = alert_now_of(r, q.state, q.data, q.since, q.last_true, q.ceased, q.severity);
	return E_OK;
}

/* The cost that ends with a queued resource is that of its nodes, which are deleted with it: unknown
 * if one is unknown, or if they have several currencies. */
static enum err_code cost_of_nodes(
	struct db *db, struct arena *a, struct enforce_subject *s, struct err *e)
{
	struct q_queued_nodes_in in = {
		.project = s->t.project, .location = s->t.location, .name = s->t.name};
	struct q_queued_nodes *v;
	size_t n;

	if (!str_eq(s->t.kind, "queued"))
		return E_OK;
	if (q_queued_nodes_all(db, &in, a, &v, &n, e))
		return e->code;
	if (!n)
		return E_OK;
	s->net = SOME(0);
	s->currency = v[0].currency;
	for (size_t i = 0; i < n; i++) {
		bool same = str_eq(v[i].currency, v[0].currency);

		if (!same)
			s->currency = NULL;
		if (!same || !v[i].net.set || !s->net.set ||
			!nanos_add(s->net.v, v[i].net.v, &s->net.v))
			s->net = NONE;
	}
	return E_OK;
}

enum err_code enforce_subject_get(struct db *db, const char *id, struct arena *a,
	struct enforce_subject *out, bool *found, struct err *e)
{
	struct q_enforce_subject_in in = {.id = id};
	struct q_enforce_subject q;

	if (q_enforce_subject_one(db, &in, a, &q, found, e))
		return e->code;
	if (!*found)
		return E_OK;
	*out = (struct enforce_subject){.t = {.id = q.id,
						.uid = q.uid,
						.source = q.source,
						.kind = q.kind,
						.project = q.project,
						.location = q.location,
						.name = q.name,
						.group = q.group_path},
		.state = q.state,
		.raw_state = q.raw_state,
		.type = q.type,
		.provisioning = q.provisioning,
		.queued = q.queued,
		.labels = q.labels,
		.started = ts_of_opt(q.started),
		.created = ts_of_opt(q.created),
		.last_seen = q.last_seen,
		.complete = q.complete != 0,
		.exempt = q.exempt != 0,
		.hosts = q.hosts.set ? q.hosts.v : 0,
		.topology = q.topology,
		.net = q.net,
		.residual = q.residual,
		.currency = q.currency,
		.remains = q.remains,
		.owner = q.owner,
		.frees = q.frees};
	if (cost_of_nodes(db, a, out, e))
		return e->code;
	if (!str_eq(q.residual_currency, out->currency))
		out->residual = NONE;
	return E_OK;
}

/* ---- rules ------------------------------------------------------------------------------------- */

bool enforce_acts(const struct rule *r, enum verb *verb)
{
	if (!r->enabled || strcmp(r->on, "resources") != 0)
		return false;
	*verb = verb_of(r->then.action);
	return str_eq(r->then.action, verb_name(*verb));
}

const struct rule *enforce_rule(const struct settings *s, const char *name)
{
	enum verb verb;

	for (size_t i = 0; i < s->n_rules; i++)
		if (!strcmp(s->rules[i].name, name))
			return enforce_acts(&s->rules[i], &verb) ? &s->rules[i] : NULL;
	return NULL;
}

enum err_code enforce_armed(struct db *db, const struct settings *s,
	const struct rule_action *step, const char *project, struct arena *a, bool *armed,
	struct err *e)
{
	const struct enforcement *en = s->enforcement;

	*armed = false;
	if (!en || en->mode != ENFORCE_ARMED || !step || !step->armed)
		return E_OK;
	return guard_project_listed(db, s, project, a, armed, e);
}

bool enforce_dead(const struct enforce_subject *m)
{
	static const char *const dead[] = {"stopped", "suspended", "preempted", "failed"};
	/* of a request that Google has not begun to grant; guard_changed() refuses it if that begins after the poll */
	static const char *const waits[] = {"ACCEPTED", "WAITING_FOR_RESOURCES"};

	return str_in(m->state, dead, ARRAY_LEN(dead)) ||
		(str_eq(m->t.kind, "queued") && str_eq(m->t.source, "queued") &&
			str_in(m->raw_state, waits, ARRAY_LEN(waits)));
}

bool held_by_runs(const char *guard)
{
	static const char *const names[] = {"caps", "audit", "managed", "protected",
		"local-ssd", "own-host", "identity", "restarted", "changed", "look",
		"wrong-project", "lease"};

	return str_in(guard, names, ARRAY_LEN(names));
}

static const char *step_policy(const struct rule_action *s, struct arena *a)
{
	return arena_printf(a, " then %s grace %lld%s%s", s->action ? s->action : "notify",
		(long long)s->grace, s->allow_delete ? " allow_delete" : "",
		s->after ? arena_printf(a, " after %lld", (long long)s->after) : "");
}

/* A changed second step is a changed rule: it must not delete what was stopped under another text. */
const char *enforce_policy(const struct rule *r, enum verb verb, struct arena *a)
{
	const struct rule_action *step = enforce_step(r, verb);

	return arena_printf(a, "on %s where %s for %lld%s%s%s", r->on, r->where,
		(long long)r->hold_for, step_policy(&r->then, a),
		r->later.action ? step_policy(&r->later, a) : "",
		step == &r->later ? ": delete" : "");
}

enum err_code action_end(struct db *db, const struct action *x, ts_t created,
	struct arena *a, struct q_plan_end *out, bool *ended, struct err *e)
{
	struct q_plan_end_in in = {.rule = x->rule,
		.resource = x->t.id,
		.uid = x->t.uid,
		.started = opt_of_ts(x->started),
		.policy = x->policy,
		.created = opt_of_ts(created)};

	return q_plan_end_one(db, &in, a, out, ended, e);
}

enum err_code action_begun(struct db *db, const struct settings *s,
	const struct beginning *b, struct arena *a, struct action *out, struct err *e)
{
	const struct enforce_subject *m = b->subject;
	bool armed;

	if (enforce_armed(
		    db, s, enforce_step(b->rule, b->verb), m->t.project, a, &armed, e))
		return e->code;
	*out = (struct action){.t = m->t,
		.follows = b->follows,
		.rule = b->rule->name,
		.policy = enforce_policy(b->rule, b->verb, a),
		.held = "",
		.reason = b->reason,
		.started = m->started,
		.verb = b->verb,
		.armed = armed,
		.severity = b->severity,
		.state = ACTION_PENDING,
		.since = b->now,
		.began = b->now,
		.warned = TS_NONE,
		.due = TS_NONE,
		.approved = TS_NONE,
		.next_at = TS_NONE,
		.intent = TS_NONE,
		.sent = TS_NONE,
		.ended = TS_NONE,
		.saves = m->net,
		.residual = m->residual,
		.currency = m->currency,
		.owner = m->owner,
		.frees = m->frees,
		.dead = enforce_dead(m)};
	return E_OK;
}
