/* Command `query`, and queries of any view: each view has the query of its command, if there is one. */
#include "base/str.h"
#include "base/time/civil.h"
#include "base/time/tz.h"
#include "cli/commands/cost.h"
#include "cli/config/config.h"
#include "cli/query.h"
#include "db/db.h"
#include "db/vocab.h"
#include "rules/bill/days.h"

#include <string.h>

enum err_code query_find_view(const char *name, const struct view **out, struct err *e)
{
	*out = view_find(name);
	if (*out)
		return E_OK;
	err_set(e, E_USAGE, "there is no view '%.60s'", name);
	return near_fix(e, near_view(name), "see: tpucost views");
}

/* ---- periods ----------------------------------------------------------------------------------- */

/* With a period, a command shows the view of the period instead of that of the present. */
static const char *const of_period[][2] = {{"resources", "period_resources"},
	{"burn", "period_burn"}, {"hidden_costs", "period_hidden"},
	{"budgets", "budget_periods"}};

bool query_is_of_period(const struct view *v)
{
	const struct query *known = query_of_view(v->name);

	return (known && (known->time || known->derived)) || view_column(v, "day") ||
		view_column(v, "at");
}

const struct view *query_view_then(const struct view *v)
{
	for (size_t i = 0; i < ARRAY_LEN(of_period); i++)
		if (!strcmp(v->name, of_period[i][0]))
			return view_find(of_period[i][1]);
	return NULL;
}

enum err_code query_view_of_period(struct app *app, const struct view **v, struct err *e)
{
	const struct view *then = query_view_then(*v);
	const char *name = (*v)->name;

	if (!query_has_period(app))
		return E_OK;
	if (then) {
		*v = then;
		return E_OK;
	}
	if (str_starts(name, "coverage") && !app->o.since)
		return err_set_fix(e, E_USAGE, "give both ends of the period",
			"%s: --until needs --since", name);
	return query_is_of_period(*v) ? E_OK
				      : err_set_fix(e, E_USAGE, "omit them",
						"--since, --until: rows of %s are not of a "
						"period",
						name);
}

/* Days are days of the configured zone, and have no time. */
static enum err_code add_days(
	struct app *app, const struct view *v, struct query *q, struct err *e)
{
	const char *const given[] = {app->o.since, app->o.until},
			  *const as[] = {">=", "<="};
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	char date[DATE_BUF];
	ts_t at;

	if (q->time || !view_column(v, "day"))
		return E_OK;
	for (int i = 0; i < 2; i++) {
		if (!given[i])
			continue;
		if (query_time(app, given[i], &at, e))
			return e->code;
		sbuf_addf(&b, "%sday %s '%s'", b.len ? " AND " : "", as[i],
			date_format(tz_day(app->cfg->tz, at - i), date));
	}
	q->only = b.len ? arena_strdup(&app->arena, b.s) : NULL;
	return E_OK;
}

unsigned query_basis(const struct view *v)
{
	/* Views without a query of a command, and not of the inventory; none: records of tpucost itself, or of the
	 * configuration. */
	static const struct {
		const char *view;
		unsigned basis;
	} others[] = {
		{"access", BASIS_NONE},
		{"actions", BASIS_NONE},
		{"alert_events", BASIS_NONE},
		{"anomalies", BASIS_NONE},
		{"billed_credits", BASIS_BILLING},
		{"billing_tables", BASIS_NONE},
		{"budget_parts", BASIS_BILLING | BASIS_INVENTORY},
		{"costs", BASIS_BILLING},
		{"daily_costs", BASIS_BILLING},
		{"estimate_errors", BASIS_BILLING | BASIS_INVENTORY},
		{"present", BASIS_NONE},
		{"rates", BASIS_NONE},
		{"restatements", BASIS_BILLING},
		{"rules", BASIS_NONE},
	};
	const struct query *known = query_of_view(v->name);

	if (known)
		return known->basis;
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (!strcmp(v->name, others[i].view))
			return others[i].basis;
	return BASIS_INVENTORY;
}

bool query_takes_project(const struct query *q, const struct view *v)
{
	return q->of_projects || view_column(v, "project") ||
		view_column(v, q->owner ? q->owner : "id");
}

enum err_code query_for_view(
	struct app *app, const struct view *v, struct query *q, struct err *e)
{
	const struct query *known = query_of_view(v->name);

	*q = known ? *known : (struct query){.view = v->name, .basis = query_basis(v)};
	if (!q->time && view_column(v, "at"))
		q->time = "at";
	if (app->o.project && !query_takes_project(q, v))
		return err_set_fix(e, E_USAGE, "omit it",
			"--project: rows of %s are not of one project", v->name);
	return add_days(app, v, q, e);
}

/* A condition on columns that are empty where only sums of days are kept would select nothing. */
static enum err_code query_check_detail(
	struct app *app, const struct view *v, struct err *e)
{
	if (strcmp(v->name, "costs") != 0 || !bill_needs_detail(app->o.where) ||
		!bill_only_days(&(const struct db_reader){app->db, &app->arena, e}))
		return e->code;
	return err_set_fix(e, E_NOTFOUND, "tpucost cost asks it, with --by and --where",
		"%s", BILL_ONLY_DAYS);
}

enum err_code query_read_view(struct app *app, const struct view *v, struct query *q,
	struct doc_section **t, struct err *e)
{
	bool groups = app->o.by || app->o.month;

	if (query_for_view(app, v, q, e))
		return e->code;
	if (groups && !strcmp(v->name, "costs"))
		return cost_read(app, t, e);
	if (groups)
		return err_set_fix(e, E_USAGE, "omit them, or use the view costs",
			"--by, --month: %s has no groups", v->name);
	return query_check_detail(app, v, e) ? e->code : query_fetch(app, q, true, t, e);
}

int cmd_query(struct app *app, struct err *e)
{
	const struct view *v;
	struct doc_section *t;
	struct query q;

	if (query_find_view(app->args[0], &v, e) || query_view_of_period(app, &v, e) ||
		session_open(app, e) || query_read_view(app, v, &q, &t, e))
		return cmd_fail(e);
	return query_answer(app, &q, t, e);
}
