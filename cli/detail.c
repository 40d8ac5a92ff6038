#include "cli/detail.h"

#include "base/str.h"
#include "base/time/civil.h"
#include "base/time/tz.h"
#include "cli/config/config.h"
#include "cli/query.h"
#include "cli/session.h"
#include "db/db.h"
#include "reports/kinds.h"
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
	return E_OK;
}

static enum err_code detail_absent(struct app *app, const char *command, struct err *e)
{
	bool asks = app->cmd->opts && str_in_list("offline", app->cmd->opts);

	err_set(e, E_NOTFOUND, BILL_ONLY_DAYS);
	if (app->o.offline)
		return err_fix(e, "without --offline it is asked");
	app->needs_net = asks && !detail_asker && !app->served && app->o.watch < 0;
	return err_fix(e, "%s asks it", command);
}

enum err_code detail_have(struct app *app, const struct billing_question *q, int64_t max_ms,
	const char *command, struct err *e)
{
	int64_t id;

	if (!bill_only_days(&(const struct db_reader){app->db, &app->arena, e}) ||
		e->code || db_answer_find(app->db, q, app->cfg->tz, &id, e) || id)
		return e->code;
	if (!detail_asker || app->o.offline)
		return detail_absent(app, command, e);
	return detail_asker(app, q, max_ms, e);
}

const char *detail_try(struct app *app, const struct billing_question *q, int64_t max_ms,
	const char *command)
{
	struct err why = {0};

	if (!detail_have(app, q, max_ms, command, &why))
		return NULL;
	return arena_printf(
		&app->arena, "%s%s%s", why.msg, why.fix[0] ? "; " : "", why.fix);
}

const char *detail_for_report(struct app *app, const struct report_kind *kind,
	const struct report_ask *ask, int64_t max_ms)
{
	struct billing_question q;

	if (!kind->question)
		return NULL;
	kind->question(ask, &q);
	return detail_try(app, &q, max_ms,
		arena_printf(&app->arena, "tpucost report %s", kind->name));
}

enum err_code detail_begin(struct app *app, struct billing_question *q, struct err *e)
{
	bool found = false;

	if (!bill_only_days(&(const struct db_reader){app->db, &app->arena, e}) || e->code)
		return e->code;
	if (detail_question(app, q, e) || detail_have(app, q, 0, "tpucost cost", e))
		return err_wrap(e, "cost");
	if ((!app->db && session_open(app, e)) ||
		db_answer_show(app->db, q, app->cfg->tz, &found, e))
		return e->code;
	return found ? E_OK
		     : err_set_fix(e, E_CONFLICT, "try again",
			       "cost: the bill was read while BigQuery answered");
}

void detail_end(struct app *app)
{
	if (app->db)
		db_answer_hide(app->db);
}
