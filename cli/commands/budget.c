/* Command `budget`: a table of budgets, and an explanation in sentences. */
#include "base/time/civil.h"
#include "base/money.h"
#include "base/str.h"
#include "base/time/tz.h"
#include "cli/config/config.h"
#include "cli/near.h"
#include "cli/query.h"
#include "cli/say.h"
#include "db/db.h"
#include "db_sql.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH 79
#define INDENT 2

/* A budget without a condition counts all projects; one with a condition, those that it matched. */
#define OF_PROJECTS                                                                    \
	"name IN (SELECT b.name FROM budgets b WHERE b.condition IS NULL) OR name IN " \
	"(SELECT p.name FROM budget_parts p WHERE p.project IN @)"

static const struct query budgets = {
	.view = "budgets",
	.columns = "name,amount,expected,percent,forecast,runs_out,currency",
	.order = "name",
	.empty = "No `budgets:` in the configuration; see: tpucost help config budgets",
	.basis = BASIS_BILLING,
	.of_projects = OF_PROJECTS,
	.no_totals = true, /* budgets overlap */
};

static size_t width(void)
{
	const int terminal = out_style_stdout().width;

	return terminal && terminal < WIDTH ? (size_t)terminal : WIDTH;
}

/* Appends a sentence on lines of its own, indented. */
static void add_sentence(struct sbuf *b, const char *text)
{
	sbuf_pad(b, ' ', INDENT);
	sbuf_add_wrapped(b, text, INDENT, INDENT, width());
}

static void add_money(struct sbuf *b, int64_t nanos, const char *cur)
{
	char text[NANOS_BUF];

	sbuf_adds(b, nanos_format_fixed(nanos, currency_digits(cur), text));
}

/* "2026-11-27 20:59" in the configured zone */
static void add_time(struct sbuf *b, const struct app *app, ts_t t)
{
	struct civil c = civil_from_ts(t + tz_offset(app->cfg->tz, t));

	sbuf_addf(b, "%04d-%02d-%02d %02d:%02d", c.year, c.month, c.day, c.hour, c.minute);
}

static void add_percent(struct sbuf *b, int64_t part, int64_t whole)
{
	char text[NANOS_BUF];
	int64_t percent, hundredths;

	/* Rounded as in the table: the view has two digits, the table one. */
	if (nanos_muldiv(part, 10000, whole, &hundredths) &&
		!__builtin_mul_overflow(hundredths, NANOS / 100, &percent))
		sbuf_addf(b, " (%s %%)", nanos_format_fixed(percent, 1, text));
}

static void add_end(struct sbuf *b, const struct app *app, const struct q_budget_get *q,
	struct opt_i64 runs_out)
{
	char span[DURATION_BUF];

	if (!runs_out.set) {
		sbuf_adds(b, q->forecast_high.set ? "; the budget is not exceeded" : "");
	} else if (runs_out.v <= app->now) {
		sbuf_adds(b, "; used up since ");
		add_time(b, app, runs_out.v);
	} else {
		sbuf_adds(b, "; it runs out on ");
		add_time(b, app, runs_out.v);
		sbuf_addf(b, ", in %s", duration_format(runs_out.v - app->now, span));
	}
	sbuf_addc(b, '.');
}

static void say_forecasts(
	struct sbuf *b, const struct app *app, const struct q_budget_get *q)
{
	struct sbuf s = SBUF_INIT;

	sbuf_adds(&s, "Forecast without changes: ");
	add_money(&s, q->forecast.v, q->currency);
	sbuf_addf(&s, " %s", q->currency);
	add_percent(&s, q->forecast.v, q->amount);
	if (q->forecast_low.set && q->forecast_high.set &&
		q->forecast_low.v != q->forecast_high.v) {
		sbuf_adds(&s, ", between ");
		add_money(&s, q->forecast_low.v, q->currency);
		sbuf_adds(&s, " and ");
		add_money(&s, q->forecast_high.v, q->currency);
	} else if (q->forecast_low.set && !q->forecast_high.set) {
		sbuf_adds(&s, " or more");
	}
	add_end(&s, app, q, q->runs_out);
	add_sentence(b, s.s);
	sbuf_reset(&s);
	if (q->forecast_if_stopped.v != q->forecast.v) {
		sbuf_adds(&s, "Forecast if the advised resources are stopped: ");
		add_money(&s, q->forecast_if_stopped.v, q->currency);
		sbuf_addf(&s, " %s", q->currency);
		add_percent(&s, q->forecast_if_stopped.v, q->amount);
		add_end(&s, app, q, q->runs_out_if_stopped);
		add_sentence(b, s.s);
	}
	sbuf_done(&s);
}

static void say_head(struct sbuf *b, const struct app *app, const char *name,
	const struct q_budget_get *q)
{
	struct sbuf s = SBUF_INIT;

	sbuf_addf(&s, "%s, until ", name);
	add_time(&s, app, q->ends);
	if (q->expected.set) {
		sbuf_adds(&s, ": ");
		add_money(&s, q->expected.v, q->currency);
		sbuf_adds(&s, " of ");
		add_money(&s, q->amount, q->currency);
		sbuf_addf(&s, " %s", q->currency);
		add_percent(&s, q->expected.v, q->amount);
	}
	sbuf_addc(b, '\n');
	sbuf_add_wrapped(b, s.s, 0, INDENT, width());
	sbuf_done(&s);
}

static void say_budget(struct sbuf *b, const struct app *app, const char *name,
	const struct q_budget_get *q)
{
	struct sbuf s = SBUF_INIT;

	say_head(b, app, name, q);
	if (q->forecast.set)
		say_forecasts(b, app, q);
	if (q->safe_per_day.set) {
		sbuf_addf(&s, "Available per day from now: %s",
			q->forecast_high.set ? "" : "at most ");
		add_money(&s, q->safe_per_day.v, q->currency);
		sbuf_addf(&s, " %s.", q->currency);
		add_sentence(b, s.s);
		sbuf_reset(&s);
	}
	sbuf_addf(&s, "%s%s.", q->forecast.set ? "Estimates, based on: " : "", q->basis);
	add_sentence(b, s.s);
	sbuf_done(&s);
}

static enum err_code say_advised(struct sbuf *b, struct app *app, struct err *e)
{
	struct q_advised_list q;
	struct db_rows rows;
	bool any = false;

	if (q_advised_list_open(app->db, &rows, e))
		return e->code;
	while (q_advised_list_next(&rows, &q)) {
		sbuf_adds(b, any ? "" : "\nResources to stop (see: tpucost ps)\n");
		any = true;
		add_sentence(b, q.id);
	}
	return db_rows_close(&rows, e);
}

static enum err_code say_all(
	struct sbuf *b, struct app *app, const struct doc_section *t, struct err *e)
{
	for (size_t i = 0; i < t->n; i++) {
		struct q_budget_get_in in = {.name = t->rows[i].cells[0].text};
		struct q_budget_get row;
		bool found;

		if (q_budget_get_one(app->db, &in, &app->arena, &row, &found, e))
			return e->code;
		if (found)
			say_budget(b, app, in.name, &row);
	}
	return t->n ? say_advised(b, app, e) : E_OK;
}

static int print_words(struct app *app, const struct query *q, struct err *e)
{
	struct out_style style = out_style_stdout();
	struct sbuf b = SBUF_INIT;
	const char *empty;
	struct doc_section *t;
	int rc = EXIT_FINE;

	if (query_fetch(app, q, false, &t, e) || session_note(app, q->basis, e) ||
		query_empty(app, t, BASIS_NONE, q->empty, &empty, e))
		return cmd_fail(e);
	if (t->n)
		out_render(&b, t, OUT_TABLE, &style);
	else
		out_sentence(&b, empty, &style);
	if (say_all(&b, app, t, e) || out_write(&b, e))
		rc = cmd_fail(e);
	sbuf_done(&b);
	return rc;
}

/* Tests whether the bill has cost of these projects that the budget counts, in its periods within
 * the requested time. Returns true where that cannot be determined. */
static enum err_code was_part(
	struct app *app, const struct budget *budget, bool *part, struct err *e)
{
	struct q_budget_past_span_in in = {.name = budget->name};
	struct q_budget_past_span span;
	struct sbuf sql = SBUF_INIT;
	char first[DATE_BUF], last[DATE_BUF];
	struct doc_section *t;

	*part = false;
	if (q_budget_past_span_one(app->db, &in, &app->arena, &span, part, e))
		return e->code;
	if (!*part)
		return E_OK;
	date_format(tz_day(app->cfg->tz, span.starts), first);
	date_format(tz_day(app->cfg->tz, span.ends - 1), last);
	sbuf_addf(&sql, "SELECT 1 FROM costs WHERE day BETWEEN '%s' AND '%s'", first, last);
	query_add_project(app, &sql, "project");
	sbuf_addf(&sql, " AND (%s) LIMIT 1", budget->where);
	if (!query_sql(app, sql.s, &t, e))
		*part = t->n > 0;
	else if (e->code == E_USAGE)
		*e = (struct err){0};
	sbuf_done(&sql);
	return e->code;
}

/* " OR name = 'it''s'"; an @ would be replaced by the projects. */
static void add_name(struct sbuf *b, const char *name)
{
	sbuf_adds(b, " OR name = '");
	for (; *name; name++) {
		if (*name == '@')
			sbuf_adds(b, "' || char(64) || '");
		else
			sbuf_addf(b, "%s%c", *name == '\'' ? "'" : "", *name);
	}
	sbuf_addc(b, '\'');
}

/* Condition for budgets that counted cost of these projects in periods that have ended. */
static enum err_code of_projects_then(struct app *app, const char **out, struct err *e)
{
	const struct config *cfg = app->cfg;
	struct sbuf b = SBUF_INIT;
	bool part;

	sbuf_adds(&b, OF_PROJECTS);
	for (size_t i = 0; i < cfg->n_budgets; i++) {
		if (!cfg->budgets[i].where)
			continue;
		if (was_part(app, &cfg->budgets[i], &part, e))
			break;
		if (part)
			add_name(&b, cfg->budgets[i].name);
	}
	*out = arena_strdup(&app->arena, b.s);
	sbuf_done(&b);
	return e->code;
}

/* Periods that have ended or have begun. */
static int budget_then(struct app *app, const char *only, struct err *e)
{
	struct query q = {
		.view = "budget_periods",
		.only = only,
		.columns = "name,starts,ends?,amount?,spent,percent,status,currency",
		.order = "name, starts",
		.empty = "No `budgets:` in the configuration; see: tpucost help config "
			 "budgets",
		.basis = BASIS_BILLING,
		.no_totals = true,
	};

	if (app->o.project && of_projects_then(app, &q.of_projects, e))
		return cmd_fail(e);
	return query_run_local(app, &q, e);
}

/* A budget covers all projects that it counts. Prints the share of the selected ones. */
static enum err_code say_shares(struct app *app, const char *only, struct err *e)
{
	struct sbuf sql = SBUF_INIT;
	struct doc_section *t;
	enum err_code rc;

	sbuf_adds(&sql, "SELECT name, project, spent, currency FROM budget_parts WHERE 1");
	query_add_project(app, &sql, "project");
	sbuf_addf(&sql, " AND (%s) ORDER BY name, project", only);
	rc = query_sql(app, sql.s, &t, e);
	sbuf_done(&sql);
	for (size_t i = 0; !rc && i < t->n; i++) {
		const struct doc_cell *row = t->rows[i].cells;
		char text[NANOS_BUF];

		if (row[2].type == DOC_MONEY)
			say("note: of the amount spent from %s, project %s spent %s %s",
				row[0].text, row[1].text,
				nanos_format_fixed(
					row[2].v, currency_digits(row[3].text), text),
				row[3].text);
	}
	return rc;
}

/* Condition on the name: that of the argument, or all. E_USAGE if there is no such budget. */
static enum err_code only_named(struct app *app, const char **only, struct err *e)
{
	const struct config *cfg = app->cfg;
	const char *name = app->n_args ? app->args[0] : NULL;
	bool found = false;
	struct sbuf b = SBUF_INIT;

	*only = "1";
	if (!name)
		return E_OK;
	for (size_t i = 0; i < cfg->n_budgets; i++)
		found |= !strcmp(cfg->budgets[i].name, name);
	if (!found) {
		err_set(e, E_USAGE, "there is no budget '%.60s'", name);
		return near_fix(e, NEAR_OF(name, cfg->budgets, cfg->n_budgets, name),
			"see: tpucost budget");
	}
	sbuf_adds(&b, "0");
	add_name(&b, name);
	*only = arena_strdup(&app->arena, b.s);
	sbuf_done(&b);
	return E_OK;
}

static int answer(struct app *app, const char *only, struct err *e)
{
	struct query q = budgets;

	q.only = only;
	if (query_has_period(app))
		return budget_then(app, only, e);
	if (query_for_people(app))
		return print_words(app, &q, e);
	return query_run(app, &q, e);
}

int cmd_budget(struct app *app, struct err *e)
{
	const char *only;
	int rc;

	if (only_named(app, &only, e) || session_open(app, e))
		return cmd_fail(e);
	rc = answer(app, only, e);
	if (rc != EXIT_FINE || !app->o.project || app->o.quiet)
		return rc;
	say("note: figures cover all projects that these budgets count");
	return !query_has_period(app) && say_shares(app, only, e) ? cmd_fail(e) : rc;
}
