/* Explains an action of a rule on a machine: its status and its history. */
#include "base/time/civil.h"
#include "base/data/json.h"
#include "base/str.h"
#include "reports/why/internal.h"
#include "rules/enforce/guard.h"

#include <string.h>

/* The guard that will hold an action of the machine; NULL if its project is listed, or none is: as in plans. */
static enum err_code unlisted(
	struct explaining *x, const char *id, const char **why, struct err *e)
{
	const struct enforcement *en = x->settings->enforcement;
	const char *project = arena_strndup(x->a, id, strcspn(id, "/"));
	bool listed = true;

	if (en && en->n_projects &&
		guard_project_listed(x->db, x->settings, project, x->a, &listed, e))
		return e->code;
	*why = listed
		? NULL
		: arena_printf(x->a, "project %s is not in enforcement.projects", project);
	return E_OK;
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
	struct q_explain_action_in in = {0};
	struct q_explain_action_what_in what = {0};
	struct q_explain_action_what q;
	struct db_rows rows;
	bool found = false;

	if (str_to_i64(key, 1, INT64_MAX, &what.action) &&
		q_explain_action_what_one(x->db, &what, x->a, &q, &found, e))
		return e->code;
	if (!found)
		return err_set(e, E_NOTFOUND, "why: action %s", key);
	x->title = arena_printf(x->a, "action %s: %s %s", key, q.verb, q.resource);
	in.action = what.action;
	if (unlisted(x, q.resource, &in.unlisted, e) ||
		explain_rows(x, NULL, q_explain_action_open(x->db, &in, &rows, e), &rows,
			NULL, NULL, e) ||
		what_happened(x, in.action, e))
		return e->code;
	return explain_hold(x, q.resource, e);
}

/* ---- actions on a machine ---------------------------------------------------------------------- */

enum err_code explain_actions_of(struct explaining *x, const char *id, struct err *e)
{
	struct q_explain_actions_of_in in = {.resource = id};
	struct db_rows rows;

	if (unlisted(x, id, &in.unlisted, e))
		return e->code;
	return explain_rows(x, "Actions of rules on it, newest first",
		q_explain_actions_of_open(x->db, &in, &rows, e), &rows,
		"tpucost sql \"SELECT * FROM actions\"", NULL, e);
}
