#include "cli/commands/cost_detail.h"

#include "base/time/civil.h"
#include "base/time/tz.h"
#include "cli/config/config.h"
#include "cli/query.h"
#include "db/db.h"
#include "db/rollup/rollup.h"
#include "db_sql.h"
#include "rules/bill/days.h"

#include <string.h>

/* Whole days, as in the other figures of costs. */
static enum err_code detail_period(
	struct app *app, struct billing_question *q, struct err *e)
{
	const struct tz *tz = app->cfg->tz;
	ts_t at;

	q->from = 0;
	q->until = tz_day_start(tz, tz_day(tz, app->now) + 3); /* later usage is refused */
	if (app->o.since) {
		if (query_time(app, app->o.since, &at, e))
			return e->code;
		q->from = tz_day_start(tz, tz_day(tz, at));
	}
	if (app->o.until) {
		if (query_time(app, app->o.until, &at, e))
			return e->code;
		q->until = tz_day_start(tz, tz_day(tz, at - 1) + 1);
	}
	return E_OK;
}

static enum err_code detail_question(
	struct app *app, struct billing_question *q, struct err *e)
{
	static const char *const times[] = {"sum", "day", "hour"};
	char from[RFC3339_BUF], until[RFC3339_BUF];
	char *copy = app->o.project ? arena_strdup(&app->arena, app->o.project) : NULL,
	     *name;
	struct {
		const char **v;
		size_t n, cap;
	} projects = {0};
	char *month = arena_alloc(&app->arena, 8);

	if (detail_period(app, q, e) ||
		(app->o.month && query_month(app->o.month, month, e)))
		return e->code;
	while (copy && (name = strsep(&copy, ",")))
		*arena_push(&app->arena, &projects) = name;
	q->month = month;
	q->projects = projects.v;
	q->n_projects = projects.n;
	q->text = arena_printf(&app->arena,
		"%s%s%s from %s until %s %s month %s projects %s", times[q->time],
		q->resource ? " resource" : "", q->labels ? " labels" : "",
		rfc3339_format(q->from, from), rfc3339_format(q->until, until),
		tz_name(app->cfg->tz), month, app->o.project ? app->o.project : "");
	return E_OK;
}

/* *found: there is an answer, and the sums have not changed since. Shows it. */
static enum err_code detail_show(
	struct app *app, const struct billing_question *q, bool *found, struct err *e)
{
	struct q_detail_answer_get_in get = {.question = q->text};
	struct q_detail_answer_get row;
	struct q_detail_version now;

	if (q_detail_version_one(app->db, &app->arena, &now, found, e) ||
		q_detail_answer_get_one(app->db, &get, &app->arena, &row, found, e))
		return e->code;
	*found = *found && !strcmp(row.version, now.version);
	if (!*found)
		return E_OK;
	return db_usage_replace(app->db, row.answer_id, q->from, q->until, e) ||
			rollup_all(app->db, app->cfg->tz, e)
		? e->code
		: E_OK;
}

static enum err_code detail_absent(struct app *app, struct err *e)
{
	err_set(e, E_NOTFOUND, "cost: " BILL_ONLY_DAYS);
	if (app->o.offline)
		return err_fix(e, "without --offline it is asked");
	if (!app->served && app->o.watch < 0 && app->cmd->run == cmd_cost)
		app->needs_net = true;
	return err_fix(e, "tpucost cost asks it, with the same --by and period");
}

enum err_code cost_detail_begin(struct app *app, struct billing_question *q, struct err *e)
{
	bool found = false;

	if (!bill_only_days(&(const struct db_reader){app->db, &app->arena, e}) || e->code)
		return e->code;
	if (detail_question(app, q, e) || detail_show(app, q, &found, e) || found)
		return e->code;
	if (!detail_asker || app->o.offline)
		return detail_absent(app, e);
	if (detail_asker(app, q, e) || session_open(app, e) ||
		detail_show(app, q, &found, e))
		return e->code;
	return found ? E_OK
		     : err_set_fix(e, E_CONFLICT, "try again",
			       "cost: the bill was read while BigQuery answered");
}

void cost_detail_end(struct app *app)
{
	if (app->db)
		db_usage_restore(app->db);
}
