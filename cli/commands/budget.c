/* Command `budget`: a table of budgets, and an explanation in sentences. */
#include "base/time/civil.h"
#include "base/money.h"
#include "base/time/tz.h"
#include "cli/config/config.h"
#include "cli/query.h"
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

const struct query query_budgets = {
	.view = "budgets",
	.columns = "name,amount,expected,percent,forecast,runs_out,currency",
	.order = "name",
	.empty = "No `budgets:` in the configuration; see: tpucost help config budgets",
	.basis = BASIS_BILLING | BASIS_INVENTORY,
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

static const char *amount(struct app *app, int64_t nanos, const char *cur)
{
	char text[NANOS_BUF];

	return arena_strdup(
		&app->arena, nanos_format_fixed(nanos, currency_digits(cur), text));
}

/* " (4.1 %)" of the budget */
static const char *percent(struct app *app, struct opt_i64 hundredths)
{
	char text[NANOS_BUF];

	return hundredths.set ? arena_printf(&app->arena, " (%s %%)",
					hundredths_format(hundredths.v, text))
			      : "";
}

/* The end of a forecast. */
static const char *end_text(
	struct app *app, const struct q_budget_get *q, struct opt_i64 runs_out)
{
	char span[DURATION_BUF], at[TZ_TIME_BUF];

	if (!runs_out.set)
		return q->forecast_high.set ? "; the budget is not exceeded." : ".";
	tz_time(app->cfg->tz, runs_out.v, at);
	if (runs_out.v <= app->now)
		return arena_printf(&app->arena, "; used up since %s.", at);
	return arena_printf(&app->arena, "; it runs out on %s, in %s.", at,
		duration_format(runs_out.v - app->now, span));
}

static void say_forecasts(struct sbuf *b, struct app *app, const struct q_budget_get *q)
{
	struct arena *a = &app->arena;
	const char *range = "";

	if (q->forecast_low.set && q->forecast_high.set &&
		q->forecast_low.v != q->forecast_high.v)
		range = arena_printf(a, ", between %s and %s",
			amount(app, q->forecast_low.v, q->currency),
			amount(app, q->forecast_high.v, q->currency));
	else if (q->forecast_low.set && !q->forecast_high.set)
		range = " or more";
	add_sentence(b,
		arena_printf(a, "Forecast without changes: %s%s%s%s",
			money_words(a, q->forecast.v, q->currency),
			percent(app, q->forecast_100), range,
			end_text(app, q, q->runs_out)));
	if (q->forecast_if_stopped.v != q->forecast.v)
		add_sentence(b,
			arena_printf(a,
				"Forecast if the advised resources are stopped: %s%s%s",
				money_words(a, q->forecast_if_stopped.v, q->currency),
				percent(app, q->stopped_100),
				end_text(app, q, q->runs_out_if_stopped)));
}

static void say_budget(
	struct sbuf *b, struct app *app, const char *name, const struct q_budget_get *q)
{
	bool ended = q->ends <= app->now, later = q->starts > app->now;
	struct arena *a = &app->arena;
	char starts[TZ_TIME_BUF], ends[TZ_TIME_BUF];
	const char *spent = "";

	tz_time(app->cfg->tz, q->starts, starts);
	tz_time(app->cfg->tz, q->ends, ends);

	if (q->expected.set)
		spent = arena_printf(a, ": %s of %s%s",
			amount(app, q->expected.v, q->currency),
			money_words(a, q->amount, q->currency),
			percent(app, q->percent_100));
	sbuf_addc(b, '\n');
	sbuf_add_wrapped(b,
		later ? arena_printf(
				a, "%s, begins %s, until %s%s", name, starts, ends, spent)
		      : arena_printf(a, "%s, %s %s%s", name, ended ? "ended" : "until",
				ends, spent),
		0, INDENT, width());
	if (q->forecast.set && !ended)
		say_forecasts(b, app, q);
	if (q->safe_per_day.set)
		add_sentence(b,
			arena_printf(a, "Available per day %s: %s%s.",
				later ? "of the period" : "from now",
				q->forecast_high.set ? "" : "at most ",
				money_words(a, q->safe_per_day.v, q->currency)));
	add_sentence(b,
		arena_printf(a, "%s%s.", q->forecast.set ? "Estimates, based on: " : "",
			q->basis));
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
	bool any = false; /* stopping changes the figures */

	for (size_t i = 0; i < t->n; i++) {
		struct q_budget_get_in in = {.name = t->rows[i].cells[0].text};
		struct q_budget_get row;
		bool found;

		if (q_budget_get_one(app->db, &in, &app->arena, &row, &found, e))
			return e->code;
		if (found)
			say_budget(b, app, in.name, &row);
		any |= found && row.ends > app->now;
	}
	return any ? say_advised(b, app, e) : E_OK;
}

static int print_words(struct app *app, const struct query *q, struct err *e)
{
	/* without budgets, the message does not depend on the data */
	const struct query without = {.empty = q->empty};
	const struct out_style style = out_style_stdout();
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct doc_section *t;
	const char *empty;

	if (query_fetch(app, q, false, &t, e) || query_note(app, q, e) ||
		query_empty(app, t, &without, &empty, e))
		return cmd_fail(e);
	if (t->n)
		out_render(&b, t, OUT_TABLE, &style);
	else
		out_sentence(&b, empty, &style);
	return say_all(&b, app, t, e) || out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}

/* Tests whether the bill has cost of these projects that the budget counts, in its periods within
 * the requested time. Returns true where that cannot be determined. */
static enum err_code was_part(
	struct app *app, const struct budget *budget, bool *part, struct err *e)
{
	struct q_budget_past_span_in in = {.name = budget->name};
	struct q_budget_past_span span;
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
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
	if (!query_sql(app, sql.s, false, &t, e))
		*part = t->n > 0;
	else if (e->code == E_USAGE)
		err_clear(e);
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
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	bool part;

	sbuf_adds(&b, OF_PROJECTS);
	for (size_t i = 0; i < cfg->n_budgets; i++) {
		if (!cfg->budgets[i].where)
			continue;
		if (was_part(app, &cfg->budgets[i], &part, e))
			return e->code;
		if (part)
			add_name(&b, cfg->budgets[i].name);
	}
	*out = arena_strdup(&app->arena, b.s);
	return E_OK;
}

/* Periods that have ended or have begun. */
const struct query query_budget_periods = {
	.view = "budget_periods",
	.columns = "name,starts,ends?,amount?,spent,percent,status,currency",
	.order = "name, starts",
	.empty = "No budget has a period in that time.",
	.basis = BASIS_BILLING,
	.no_totals = true,
	.derived = true,
};

static int budget_then(struct app *app, struct err *e)
{
	struct query q = query_budget_periods;

	if (app->o.project && of_projects_then(app, &q.of_projects, e))
		return cmd_fail(e);
	return query_run_local(app, &q, e);
}

/* A budget covers all projects that it counts. Prints the share of the selected ones. */
static enum err_code say_shares(struct app *app, struct err *e)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
	struct doc_section *t;

	sbuf_adds(&sql, "SELECT name, project, spent, currency FROM budget_parts WHERE 1");
	query_add_project(app, &sql, "project");
	sbuf_adds(&sql, " ORDER BY name, project");
	if (query_sql(app, sql.s, false, &t, e))
		return e->code;
	for (size_t i = 0; i < t->n; i++) {
		const struct doc_cell *row = t->rows[i].cells;

		if (row[2].type == DOC_MONEY)
			say("note: of the amount spent from %s, project %s spent %s",
				row[0].text, row[1].text,
				money_words(&app->arena, row[2].v, row[3].text));
	}
	return E_OK;
}

/* Others than the budget of the argument are not derived. E_USAGE if there is no such budget. */
static enum err_code leave_named(struct app *app, struct err *e)
{
	struct config *cfg = app->cfg;
	const char *name = app->n_args ? app->args[0] : NULL;

	for (size_t i = 0; name && i < cfg->n_budgets; i++) {
		if (strcmp(cfg->budgets[i].name, name) != 0)
			continue;
		cfg->settings.budgets = &cfg->budgets[i];
		cfg->settings.n_budgets = 1;
		return E_OK;
	}
	if (!name)
		return E_OK;
	err_set(e, E_USAGE, "there is no budget '%.60s'", name);
	return near_fix(e, NEAR_OF(name, cfg->budgets, cfg->n_budgets, name),
		"see: tpucost budget");
}

int cmd_budget(struct app *app, struct err *e)
{
	int rc;

	if (leave_named(app, e) || session_open(app, e))
		return cmd_fail(e);
	rc = query_has_period(app)      ? budget_then(app, e)
		: query_for_people(app) ? print_words(app, &query_budgets, e)
					: query_run(app, &query_budgets, e);
	if (rc != EXIT_FINE || !app->o.project || app->o.quiet)
		return rc;
	say("note: figures cover all projects that these budgets count");
	return !query_has_period(app) && say_shares(app, e) ? cmd_fail(e) : rc;
}
