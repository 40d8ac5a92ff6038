/* Commands that show one view as it is. */
#include "cli/query.h"
#include "cli/say.h"

/* The period chooses rows; the figures in them are of now. */
static void note_period(const struct app *app, const char *text)
{
	if (query_has_period(app) && !app->o.quiet)
		say("note: %s", text);
}

/* Coupons are of the whole billing account: what these projects used of them. */
static int credit_of_projects(struct app *app, struct err *e)
{
	static const struct query q = {
		.view = "credit_projects",
		.columns = "name,project,used,share_percent,amount?,currency,expires?",
		.order = "name, project",
		.basis = BASIS_BILLING,
		.time = "starts",
		.ends = "expires",
		.no_totals = true,
	};

	return query_run(app, &q, e);
}

int cmd_credit(struct app *app, struct err *e)
{
	static const struct query q = {
		.view = "credits",
		.columns = "name,amount,used,left,currency,expires,runs_out,safe_per_day?",
		.order = "name",
		.empty = "No `credits:` in the configuration; see: tpucost help config "
			 "credits",
		.basis = BASIS_BILLING,
		.time = "starts",
		.ends = "expires",
	};

	note_period(app,
		"these coupons run in that time; what is used of them is of all "
		"their time");
	return app->o.project ? credit_of_projects(app, e) : query_run(app, &q, e);
}

int cmd_quota(struct app *app, struct err *e)
{
	static const struct query q = {
		.view = "quotas",
		.columns = "project,service?,metric,location,limit_value,used,percent,"
			   "is_default?",
		.order = "percent IS NULL, percent DESC, project, metric, location",
		.empty = "No quota is known; what was read, and when: tpucost sources",
		.basis = BASIS_INVENTORY,
		.time = "last_seen",
	};

	note_period(app,
		"of each quota only the newest reading is kept; shown are those "
		"that were taken in that time");
	return query_run(app, &q, e);
}

int cmd_sources(struct app *app, struct err *e)
{
	static const struct query q = {
		.view = "sources",
		.columns = "source,project,state,items?,age_minutes,stale?,bytes_billed?,"
			   "error,fix",
		.order = "source, project",
		.empty = "Nothing was polled yet; run: tpucost collect",
		.time = "last_success",
	};

	note_period(app, "shown is what was last read completely in that time");
	return query_run(app, &q, e);
}

int cmd_sql(struct app *app, struct err *e)
{
	struct doc_section *t;

	if (!app->n_args) {
		err_set(e, E_USAGE, "sql: no query given");
		err_fix(e,
			"try: tpucost sql \"SELECT * FROM resources\"; views: tpucost "
			"views");
		return cmd_fail(e);
	}
	if (query_sql(app, app->args[0], &t, e))
		return cmd_fail(e);
	t->overlap = true; /* the query says what is shown */
	if (session_note_access(app, e))
		return cmd_fail(e);
	return query_print(app, t, "No rows.", e);
}
