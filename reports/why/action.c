/* Explains an action of a rule on a machine: its status and its history. */
#include "base/time/civil.h"
#include "base/data/json.h"
#include "base/str.h"
#include "reports/why/internal.h"

#include <string.h>

/* ---- one action -------------------------------------------------------------------------------- */

static void how_it_stands(struct explaining *x, const struct q_explain_actions *q)
{
	explain_section(x, "Status");
	explain_say(x, "machine", "%s", q->resource);
	explain_fact(x, "uid", q->uid);
	explain_say(x, "rule", "%s", q->rule);
	explain_say(x, "action", "%s, %s", q->verb,
		strcmp(q->mode, "armed") ? "a dry run: no action is taken" : "armed");
	explain_say(x, "severity", "%s", q->severity);
	explain_say(x, "state", "%s", q->state);
	explain_when(x, "in this state since", SOME(q->since));
	explain_say(x, "why", "%s", q->reason);
	if (*q->held && !q->ended.set)
		explain_say(x, "held by", "guard %s", q->held);
	explain_when(x, "started", q->started);
	explain_when(x, "began", SOME(q->began));
	explain_when(x, "warned", q->warned);
	explain_when(x, "due", q->due);
	explain_when(x, "approved", q->approved);
	explain_when(x, "next attempt not before", q->next_at);
	explain_when(x, "sent", q->sent);
	explain_when(x, "ended", q->ended);
}

static void what_it_saves(struct explaining *x, const struct q_explain_actions *q)
{
	struct explain_row *row;

	explain_section(x, "Savings");
	row = explain_rate(x, "saves", q->saves, q->currency);
	row->formula = "net per hour of the machine";
	if (!q->residual.set && q->remains && *q->remains)
		row = explain_say(x, "still costs", "%s", q->remains);
	else
		row = explain_rate(x, "still costs", q->residual, q->currency);
	row->formula = "disks and addresses";
}

static void action_add_command(struct explaining *x, const char *label, const char *text)
{
	if (text)
		explain_say(x, label, "%s", text)->kind = EXPLAIN_COMMAND;
}

static void the_request(struct explaining *x, const struct q_explain_actions *q)
{
	explain_section(x, "Request");
	if (q->attempts)
		explain_count(x, "failed attempts", SOME(q->attempts), NULL);
	explain_fact(x, "request id", q->request_id);
	explain_fact(x, "operation", q->operation);
	action_add_command(x, "restarted by", q->restart);
	if (!q->ended.set && !q->sent.set)
		action_add_command(x, "prevented by",
			arena_printf(x->a, "tpucost hold add %s --until 7d", q->resource));
}

/* The sentence of an audit entry with JSON details. */
static const char *reason_of(struct explaining *x, const char *detail)
{
	cleanup(json_free_ptr) struct cJSON *j = NULL;

	if (json_parse(detail, strlen(detail), &j, NULL) || !json_is_object(j))
		return "";
	return arena_strdup(x->a, json_text(json_get(j, "reason"), ""));
}

static enum err_code what_happened(struct explaining *x, int64_t number, struct err *e)
{
	struct q_explain_action_audit_in in = {.action = number};
	struct q_explain_action_audit *v;
	size_t n;

	explain_section(x, "History, newest first");
	if (q_explain_action_audit_all(x->db, &in, x->a, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n && i < EXPLAIN_SHOWN; i++) {
		const char *reason = reason_of(x, v[i].detail);

		explain_say(x, explain_time(x, v[i].at), "%s%s%s", v[i].event,
			*reason ? ": " : "", reason)
			->source = arena_printf(
			x->a, "audit %lld, %s", (long long)v[i].seq, v[i].actor);
	}
	explain_more(x, n, "tpucost audit");
	return E_OK;
}

enum err_code explain_action(struct explaining *x, const char *key, struct err *e)
{
	struct q_explain_actions_in in = {.action = SOME(0)};
	struct q_explain_actions q;
	bool found = false;

	if (str_to_i64(key, 1, INT64_MAX, &in.action.v) &&
		q_explain_actions_one(x->db, &in, x->a, &q, &found, e))
		return e->code;
	if (!found)
		return err_set(e, E_NOTFOUND, "why: action %s", key);
	x->title = arena_printf(x->a, "action %s: %s %s", key, q.verb, q.resource);
	how_it_stands(x, &q);
	what_it_saves(x, &q);
	the_request(x, &q);
	return what_happened(x, q.action, e) ? e->code : explain_hold(x, q.resource, e);
}

/* ---- actions on a machine ---------------------------------------------------------------------- */

enum err_code explain_actions_of(struct explaining *x, const char *id, struct err *e)
{
	struct q_explain_actions_in in = {.resource = id};
	struct q_explain_actions *v;
	size_t n;

	explain_section(x, "Actions of rules on it, newest first");
	if (q_explain_actions_all(x->db, &in, x->a, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n && i < EXPLAIN_SHOWN; i++)
		explain_say(x, arena_printf(x->a, "action:%lld", (long long)v[i].action),
			"%s by %s, %s, %s since %s%s%s: %s", v[i].verb, v[i].rule,
			v[i].mode, v[i].state, explain_time(x, v[i].since),
			*v[i].held ? ", held by " : "", v[i].held, v[i].reason);
	explain_more(x, n, "tpucost sql \"SELECT * FROM actions\"");
	return E_OK;
}
