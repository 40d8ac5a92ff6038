/* Summary of a resolved alert: the last one of its condition, and the reason for its end. */
#include "base/str.h"
#include "base/time/tz.h"
#include "db_sql.h"
#include "rules/judge/internal.h"

#include <string.h>

const char *judge_was(struct arena *a, const char *summary, const char *why)
{
	size_t n = strlen(summary);
	bool ends = n && strchr(".!?", summary[n - 1]);

	return arena_printf(
		a, ENDED_WAS "%s%s" ENDED_WHY "%s.", summary, ends ? "" : ".", why);
}

static const char *ended_since(struct judging *j, const char *what, ts_t at)
{
	char buf[TZ_TIME_BUF];

	return arena_printf(j->arena, "it was %s at %s%s", what, tz_time(j->s->tz, at, buf),
		strcmp(tz_name(j->s->tz), "UTC") ? "" : " UTC");
}

enum err_code judge_gone(struct db *db, const char *id, const char **why, struct err *e)
{
	struct q_project_polled_in in = {.id = id};
	struct q_project_polled row;
	bool found;

	if (q_project_polled_one(db, &in, NULL, &row, &found, e))
		return e->code;
	*why = !row.ever      ? "the rule was changed" /* from another view */
		: !row.polled ? "its project is no longer watched"
			      : "it no longer exists";
	return E_OK;
}

static enum err_code ended_gone(
	struct judging *j, const char *id, const char **why, struct err *e)
{
	struct q_alert_deleted_in in = {.id = id};
	struct q_alert_deleted q;
	bool found;

	if (q_alert_deleted_one(j->db, &in, j->arena, &q, &found, e) ||
		(!found && judge_gone(j->db, id, why, e)))
		return e->code;
	*why = !found ? *why
		: q.queued
		? ended_since(j,
			  arena_printf(j->arena,
				  "deleted by tpucost with queued resource %s", q.queued),
			  q.at)
		: ended_since(j, "deleted by tpucost", q.at);
	return E_OK;
}

/* Keys of grants begin with the name. */
static bool ended_names(const char *name, const char *subject)
{
	const char *rest = str_starts(subject, name) ? subject + strlen(name) : "-";

	return !*rest || *rest == '/';
}

/* Kind of a subject that the configuration no longer has: "budget", ...; NULL: it has it, or does not declare such. */
static const char *ended_removed(
	const struct settings *s, const char *on, const char *subject)
{
	bool there = false;

	if (!strcmp(on, "budgets")) {
		for (size_t i = 0; i < s->n_budgets; i++)
			there |= !strcmp(s->budgets[i].name, subject);
		return there ? NULL : "budget";
	}
	if (!strcmp(on, "credits")) {
		for (size_t i = 0; i < s->n_credits; i++)
			there |= !strcmp(s->credits[i].name, subject);
		return there ? NULL : "credit";
	}
	if (strcmp(on, "grants") != 0 && strcmp(on, "grant_ends") != 0)
		return NULL;
	for (size_t i = 0; i < s->n_grants; i++)
		there |= ended_names(s->grants[i].name, subject);
	return there ? NULL : "grant";
}

/* Figures of a project, which the bill does not have. */
static enum err_code ended_unwatched(struct judging *j, const struct rule *r,
	const char *subject, const char **why, struct err *e)
{
	const struct view *v = view_find(r->on);
	struct q_project_polled_in in = {.id = subject};
	struct q_project_polled row;
	bool found;

	if (!v || subject_of(v)->project != 1)
		return E_OK;
	if (q_project_polled_one(j->db, &in, NULL, &row, &found, e))
		return e->code;
	if (!row.polled)
		*why = "its project is no longer watched";
	return E_OK;
}

/* Reason for the end, as far as the inventory or the configuration has one. */
static enum err_code ended_why(struct judging *j, const struct rule *r,
	const struct known *k, const struct observation *o, const char **why, struct err *e)
{
	static const char *const states[] = {"stopped", "suspended", "preempted"};
	const char *removed = ended_removed(j->s, r->on, k->subject);
	const size_t *renewed = strmap_get(&j->renewed, r->name);
	struct q_alert_ended_in in = {.id = k->subject};
	struct q_resource_began_in start = {.id = k->subject};
	struct q_resource_began last;
	struct q_alert_ended q;
	bool found;

	*why = "the condition no longer holds";
	if (renewed && *renewed)
		*why = "the rule was changed";
	else if (removed)
		*why = arena_printf(
			j->arena, "the %s was removed from the configuration", removed);
	else if (k->alert.last_true < o->begins)
		*why = "a new period began";
	else if (o->worse)
		*why = "it became worse";
	if (strcmp(r->on, "resources") != 0)
		return ended_unwatched(j, r, k->subject, why, e);
	if (q_alert_ended_one(j->db, &in, j->arena, &q, &found, e))
		return e->code;
	if (!found)
		return ended_gone(j, k->subject, why, e);
	if (q_resource_began_one(j->db, &start, NULL, &last, &found, e))
		return e->code;
	if (r->hold_for && str_eq(q.state, "running") && last.began > k->alert.last_true)
		*why = ended_since(j, "started", last.began);
	else if (q.since.set && q.since.v > k->alert.last_true && strstr(r->where, "state"))
		*why = str_eq(q.state, "stopped") && q.acted.set
			? ended_since(j, "stopped by tpucost", q.acted.v)
			: str_in(q.state, states, ARRAY_LEN(states))
			? ended_since(j, q.state, q.since.v)
			: str_eq(q.state, "running") ? ended_since(j, "started", q.since.v)
						     : *why;
	else if (q.covered.set && q.covered.v && strstr(r->where, "covered"))
		*why = arena_printf(j->arena, "it is covered now (grant %s)",
			q.grant_name ? q.grant_name : "unknown");
	return E_OK;
}

enum err_code judge_ended(struct judging *j, const struct rule *r, const struct known *k,
	const struct observation *o, const char *summary, const char **out, struct err *e)
{
	const char *why;

	if (ended_why(j, r, k, o, &why, e))
		return e->code;
	*out = judge_was(j->arena, summary, why);
	return E_OK;
}
