/* Explains an action of a rule on a machine: its status and its history. */
#include "base/data/json.h"
#include "base/str.h"
#include "reports/why/internal.h"
#include "rules/enforce/guard.h"

#include <string.h>

/* The guard that will hold an action of the machine; NULL if its project is listed, or none is: as in plans. */
static const char *unlisted(struct explaining *x, const char *id)
{
	const struct enforcement *en = x->settings->enforcement;
	const char *project = arena_strndup(x->a, id, strcspn(id, "/"));
	bool listed = true;

	if (en && en->n_projects &&
		guard_project_listed(x->db, x->settings, project, x->a, &listed, x->e))
		return NULL;
	return listed
		? NULL
		: arena_printf(x->a, "project %s is not in enforcement.projects", project);
}

/* ---- one action -------------------------------------------------------------------------------- */

/* The sentence of an audit entry with JSON details. */
static const char *reason_of(struct explaining *x, const char *detail)
{
	cleanup(json_free_ptr) struct cJSON *j = NULL;

	if (json_parse(detail, strlen(detail), &j, NULL) || !json_is_object(j))
		return "";
	return arena_strdup(x->a, json_text(json_get(j, "reason"), ""));
}

static void what_happened(struct explaining *x, int64_t number)
{
	struct q_explain_action_audit_rows rows;

	explain_section(x, "History, newest first");
	rows = q_explain_action_audit_rows(x, .action = number);
	for (size_t i = 0; i < rows.n && i < EXPLAIN_SHOWN; i++) {
		const char *reason = reason_of(x, rows.v[i].detail);

		explain_say(x, explain_time(x, rows.v[i].at), "%s%s%s", rows.v[i].event,
			*reason ? ": " : "", reason)
			->source = arena_printf(
			x->a, "audit %lld, %s", (long long)rows.v[i].seq, rows.v[i].actor);
	}
	explain_more(x, rows.n, "tpucost audit");
}

void explain_action(struct explaining *x, const char *key)
{
	const struct q_decide_action *q = NULL;
	int64_t action;

	if (str_to_i64(key, 1, INT64_MAX, &action))
		q = q_decide_action_row(x, .action = action);
	if (!q) {
		err_first(x->e, E_NOTFOUND, "why: action %s", key);
		return;
	}
	x->title = arena_printf(x->a, "action %s: %s %s", key, q->verb, q->resource);
	explain_rows(x, NULL,
		q_explain_action_read(
			x, .action = action, .unlisted = unlisted(x, q->resource)),
		NULL);
	what_happened(x, action);
	explain_hold(x, q->resource);
}

/* ---- actions on a machine ---------------------------------------------------------------------- */

void explain_actions_of(struct explaining *x, const char *id)
{
	explain_rows(x, "Actions of rules on it, newest first",
		q_explain_actions_of_read(x, .resource = id, .unlisted = unlisted(x, id)),
		"tpucost sql \"SELECT * FROM actions\"");
}
