/* What is done to a machine by a rule, or was: how it stands, and everything that happened. */
#include "base/time/civil.h"
#include "base/data/json.h"
#include "base/str.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/why/resource.h"

#include <string.h>

enum err_code explain_action_names(
	struct explaining *x, struct explain_names *out, struct err *e)
{
	struct q_explain_action_numbers q;
	struct db_rows rows;

	if (q_explain_action_numbers_open(x->db, &rows, e))
		return e->code;
	while (q_explain_action_numbers_next(&rows, &q))
		explain_name(x, out, arena_printf(x->a, "%lld", (long long)q.action));
	return db_rows_close(&rows, e);
}

/* ---- one action -------------------------------------------------------------------------------- */

static void how_it_stands(struct explaining *x, const struct q_explain_action *q)
{
	explain_section(x, "How it stands");
	explain_say(x, "machine", "%s", q->resource);
	explain_fact(x, "uid", q->uid);
	explain_say(x, "rule", "%s", q->rule);
	explain_say(x, "action", "%s, %s", q->verb,
		strcmp(q->mode, "armed") ? "a dry run: nothing is done" : "armed");
	explain_say(x, "severity", "%s", q->severity);
	explain_say(x, "state", "%s", q->state);
	explain_when(x, "so since", SOME(q->since));
	explain_say(x, "why", "%s", q->reason);
	if (*q->held && !q->ended.set)
		explain_say(x, "held by", "guard %s", q->held);
	explain_when(x, "started", q->started);
	explain_when(x, "began", SOME(q->began));
	explain_when(x, "warned", q->warned);
	explain_when(x, "due", q->due);
	explain_when(x, "approved", q->approved);
	explain_when(x, "not tried before", q->next_at);
	explain_when(x, "sent", q->sent);
	explain_when(x, "ended", q->ended);
}

static void what_it_saves(struct explaining *x, const struct q_explain_action *q)
{
	struct explain_row *row;

	explain_section(x, "What it saves");
	row = explain_rate(x, "saves", q->saves, q->currency);
	row->formula = "net per hour of the machine";
	row = explain_rate(x, "goes on", q->residual, q->currency);
	row->formula = "disks and addresses";
}

static void add_command(struct explaining *x, const char *label, const char *text)
{
	if (text)
		explain_say(x, label, "%s", text)->kind = EXPLAIN_COMMAND;
}

static void the_request(struct explaining *x, const struct q_explain_action *q)
{
	explain_section(x, "The request");
	if (q->attempts)
		explain_count(x, "failed attempts", SOME(q->attempts), NULL);
	explain_fact(x, "request id", q->request_id);
	explain_fact(x, "operation", q->operation);
	add_command(x, "starts it again", q->restart);
	if (!q->ended.set && !q->sent.set)
		add_command(x, "prevents it",
			arena_printf(x->a, "tpucost hold add %s --until 7d", q->resource));
}

/* The sentence of an entry, of details that are JSON. */
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
	struct q_explain_action_audit q;
	struct db_rows rows;
	size_t n = 0;

	explain_section(x, "What happened, newest first");
	if (q_explain_action_audit_open(x->db, &in, &rows, e))
		return e->code;
	while (q_explain_action_audit_next(&rows, &q)) {
		const char *reason = reason_of(x, q.detail);

		if (++n > EXPLAIN_SHOWN)
			continue;
		explain_say(x, explain_time(x, q.at), "%s%s%s", q.event,
			*reason ? ": " : "", reason)
			->source = arena_printf(
			x->a, "audit %lld, %s", (long long)q.seq, q.actor);
	}
	explain_more(x, n, "tpucost audit");
	return db_rows_close(&rows, e);
}

enum err_code explain_action(struct explaining *x, const char *key, struct err *e)
{
	struct q_explain_action_in in = {0};
	struct q_explain_action q;
	bool found = false;

	if (str_to_i64(key, 1, INT64_MAX, &in.action) &&
		q_explain_action_one(x->db, &in, x->a, &q, &found, e))
		return e->code;
	if (!found)
		return err_set(e, E_NOTFOUND, "why: action %s", key);
	x->title = arena_printf(x->a, "action %s: %s %s", key, q.verb, q.resource);
	how_it_stands(x, &q);
	what_it_saves(x, &q);
	the_request(x, &q);
	return what_happened(x, in.action, e) ? e->code : explain_hold(x, q.resource, e);
}

/* ---- those of a machine ------------------------------------------------------------------------ */

enum err_code explain_actions_of(struct explaining *x, const char *id, struct err *e)
{
	struct q_explain_actions_of_in in = {.resource = id};
	struct q_explain_actions_of q;
	struct db_rows rows;
	size_t n = 0;

	explain_section(x, "What rules do to it, newest first");
	if (q_explain_actions_of_open(x->db, &in, &rows, e))
		return e->code;
	while (q_explain_actions_of_next(&rows, &q)) {

		if (++n > EXPLAIN_SHOWN)
			continue;
		explain_say(x, arena_printf(x->a, "action:%lld", (long long)q.action),
			"%s by %s, %s, %s since %s%s%s: %s", q.verb, q.rule, q.mode,
			q.state, explain_time(x, q.since), *q.held ? ", held by " : "",
			q.held, q.reason);
	}
	explain_more(x, n, "tpucost sql \"SELECT * FROM actions\"");
	return db_rows_close(&rows, e);
}
