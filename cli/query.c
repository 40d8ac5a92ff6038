#include "cli/query.h"

#include "base/time/civil.h"
#include "base/str.h"
#include "base/time/tz.h"
#include "cli/config/config.h"
#include "db/db.h"
#include "rules/vocab/condition.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUERY_MS 20000
#define MAX_ROWS 1000000
#define MAX_COLUMNS 200

int64_t query_ms(const struct app *app)
{
	return app->query_ms ? app->query_ms : QUERY_MS;
}

const struct query *query_of_view(const char *view)
{
	static const struct query *const all[] = {&query_alerts, &query_audit,
		&query_budget_periods, &query_budgets, &query_burn, &query_capacity,
		&query_channels, &query_commitments, &query_coverage,
		&query_coverage_totals, &query_credit_projects, &query_credits,
		&query_egress, &query_egress_reconciliation, &query_grants,
		&query_hidden_costs, &query_notifications, &query_period_burn,
		&query_period_hidden, &query_period_resources, &query_quota_holds,
		&query_quotas, &query_reconciliation, &query_resources, &query_silences,
		&query_sources};

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (!strcmp(all[i]->view, view))
			return all[i];
	return NULL;
}

/* ---- rows made by a command ----------------------------------------------------------------------- */

/* A table in memory is passed to the engine as one JSON text, so conditions, order and limits have
 * the same meaning as everywhere, and nothing is written. */
#define ROWS ":rows"

static void rows_add_source(struct sbuf *sql, const struct view *v)
{
	sbuf_adds(sql, "(SELECT key AS " QUERY_ROW_NUMBER);
	for (size_t i = 0; i < v->n; i++)
		sbuf_addf(sql, ", json_extract(value, '$[%zu]')%s AS \"%s\"", i,
			v->columns[i].type == COL_MONEY ? " / 1e9" : "",
			v->columns[i].name);
	sbuf_addf(sql, " FROM json_each(" ROWS ")) AS %s", v->name);
}

/* Appends a cell as JSON; the query divides amounts. */
static void rows_add_cell(struct sbuf *b, const struct doc_cell *c)
{
	char time[RFC3339_BUF];

	if (c->type == DOC_NONE)
		sbuf_adds(b, "null");
	else if (c->type == DOC_TEXT || c->type == DOC_CODE)
		sbuf_add_json(b, c->text);
	else if (c->type == DOC_MONEY || c->type == DOC_RATE)
		sbuf_addf(b, "%lld", (long long)c->v);
	else if (c->type == DOC_TIME)
		sbuf_add_json(b, rfc3339_format(c->v, time));
	else
		doc_cell_exact(c, b);
}

static void rows_bind(struct db_cursor *cur, const struct doc_section *t)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_addc(&b, '[');
	for (size_t r = 0; r < t->n; r++) {
		sbuf_adds(&b, r ? ",[" : "[");
		for (int c = 0; c < t->n_columns; c++) {
			sbuf_adds(&b, c ? "," : "");
			rows_add_cell(&b, &t->rows[r].cells[c]);
		}
		sbuf_addc(&b, ']');
	}
	sbuf_addc(&b, ']');
	db_cursor_bind(cur, ROWS, b.s);
}

/* ---- building the SELECT -------------------------------------------------------------------- */

/* Adds "--where" of the user in separate parentheses. It must be balanced, so that it cannot
 * close them. The authorizer checks everything else. */
enum err_code query_add_where(struct sbuf *b, const char *where, struct err *e)
{
	if (condition_shape(where, e))
		return err_wrap(e, "--where");
	sbuf_addf(b, " AND (%s)", where);
	return E_OK;
}

static enum err_code column_error(
	const struct view *v, const char *option, const char *name, struct err *e)
{
	err_set(e, E_USAGE, "--%s: %s has no column '%s'", option, v->name, name);
	return near_fix(e, view_nearest_column(v, name), "columns: tpucost views");
}

/* "a,b?,c??" -> columns of the view; "?" marks columns that may be dropped on a narrow terminal:
 * see out.h. */
static enum err_code pick_columns(struct app *app, const struct view *v, const char *list,
	struct doc_section *t, struct err *e)
{
	struct doc_column *cols = arena_alloc(&app->arena, MAX_COLUMNS * sizeof(*cols));
	char *copy = arena_strdup(&app->arena, list), *name;

	t->columns = cols;
	t->droppable = !app->o.columns;
	while ((name = strsep(&copy, ","))) {
		const struct column *c;
		size_t n, rank;

		while (*name == ' ')
			name++;
		n = strcspn(name, " ?");
		rank = strspn(name + n, "?");
		name[n] = '\0';
		c = view_column(v, name);
		if (!c)
			return column_error(v, "columns", name, e);
		if (t->n_columns == MAX_COLUMNS)
			return err_set(e, E_LIMIT, "more than %d columns", MAX_COLUMNS);
		cols[t->n_columns] = doc_column_of(c);
		cols[t->n_columns++].rank = (int)rank;
	}
	return E_OK;
}

/* "col", "col desc", "-col", "a, b desc": columns of the view only. */
static enum err_code add_order(struct app *app, struct sbuf *b, const struct view *v,
	const char *order, struct err *e)
{
	char *copy = arena_strdup(&app->arena, order), *part;
	const char *comma = "";

	sbuf_adds(b, " ORDER BY ");
	while ((part = strsep(&copy, ","))) {
		char name[64] = "", dir[8] = "", rest;

		bool minus = query_order_minus(&part);
		int words = sscanf(part, " %63[a-z_] %7[a-zA-Z] %c", name, dir, &rest);

		if (!view_column(v, name))
			return column_error(v, "sort-by", name[0] ? name : part, e);
		if (words > 2 || (dir[0] && minus) ||
			(dir[0] && !str_ieq(dir, "desc") && !str_ieq(dir, "asc")))
			return err_set(e, E_USAGE,
				"--sort-by: '%s' is not valid (expected asc or desc after "
				"%s, or -%s)",
				part, name, name);
		sbuf_adds(b, comma);
		if (view_column(v, name)->type == COL_MONEY && view_column(v, "currency"))
			query_add_order(app, b, BY_CURRENCY);
		sbuf_addf(b, "\"%s\" %s", name, minus ? "desc" : dir);
		comma = ", ";
	}
	return E_OK;
}

void query_add_text(struct sbuf *b, const char *s)
{
	sbuf_addc(b, '\'');
	for (; *s; s++)
		sbuf_addf(b, "%s%c", *s == '\'' ? "'" : "", *s);
	sbuf_addc(b, '\'');
}

/* ('a', 'b') */
static void add_projects(struct app *app, struct sbuf *sql)
{
	char *copy = arena_strdup(&app->arena, app->o.project), *name;
	const char *comma = "(";

	while ((name = strsep(&copy, ","))) {
		sbuf_adds(sql, comma);
		query_add_text(sql, name);
		comma = ", ";
	}
	sbuf_adds(sql, ")");
}

void query_add_project(struct app *app, struct sbuf *sql, const char *column)
{
	sbuf_addf(sql, " AND %s IN ", column);
	add_projects(app, sql);
}

/* Adds the condition of `of_projects`, with the projects in place of each @. */
static void add_of_projects(struct app *app, struct sbuf *sql, const char *condition)
{
	sbuf_adds(sql, " AND (");
	for (const char *p = condition; *p; p++) {
		if (*p == '@')
			add_projects(app, sql);
		else
			sbuf_addc(sql, *p);
	}
	sbuf_adds(sql, ")");
}

/* An id begins with its project; other subjects contain it. */
void query_add_owner(struct app *app, struct sbuf *b, const char *column)
{
	char *copy = arena_strdup(&app->arena, app->o.project), *name;
	const char * or = "";

	sbuf_adds(b, " AND (");
	while ((name = strsep(&copy, ","))) {
		sbuf_addf(b, "%sinstr('/' || %s || '/', '/' || ", or, column);
		query_add_text(b, name);
		sbuf_adds(b, " || '/') > 0");
		or = " OR ";
	}
	sbuf_adds(b, ")");
}

/* Adds the condition for instants in the period, or intervals that overlap it. */
static enum err_code add_period(
	struct app *app, struct sbuf *b, const struct query *q, struct err *e)
{
	const char *const given[] = {app->o.since, app->o.until};
	const char *const column[] = {q->ends ? q->ends : q->time, q->time};
	char at[RFC3339_BUF], day[DATE_BUF];
	ts_t t;

	for (int i = 0; i < 2; i++) {
		if (!given[i])
			continue;
		if (query_time(app, given[i], &t, e))
			return e->code;
		if (!strcmp(q->time, "day")) { /* that of --until counts if it has begun */
			sbuf_addf(b, " AND day %s '%s'", i ? "<=" : ">=",
				date_format(tz_day(app->cfg->tz, t - i), day));
			continue;
		}
		sbuf_adds(b, " AND (");
		if (q->ends)
			sbuf_addf(b, "\"%s\" IS NULL OR ", column[i]);
		sbuf_addf(b, "\"%s\" %s '%s')", column[i],
			i                 ? "<"
				: q->ends ? ">"
					  : ">=",
			rfc3339_format(t, at));
	}
	return E_OK;
}

bool query_asks_for_part(const struct app *app)
{
	return app->o.where || app->o.sort_by || app->o.columns || app->o.limit >= 0;
}

bool query_for_people(const struct app *app)
{
	return app->format == OUT_TABLE && !app->o.columns;
}

bool query_of_several(const struct app *app)
{
	const struct config *cfg = app->cfg;

	return cfg->discovery || cfg->projects.n > 1;
}

static void add_project(
	struct app *app, struct sbuf *b, const struct query *q, const struct view *v)
{
	if (q->of_projects)
		add_of_projects(app, b, q->of_projects);
	else if (view_column(v, "project"))
		query_add_project(app, b, "project");
	else
		query_add_owner(app, b, q->owner ? q->owner : "id");
}

/* Rows of both views under the name of the first. */
static void add_also(struct sbuf *b, const struct view *v, const char *also)
{
	const struct view *other = view_find(also);

	sbuf_addf(b, "(SELECT * FROM %s UNION ALL SELECT ", v->name);
	for (size_t i = 0; i < v->n; i++)
		sbuf_addf(b, "%s%s", i ? ", " : "",
			view_column(other, v->columns[i].name) ? v->columns[i].name
							       : "NULL");
	sbuf_addf(b, " FROM %s) AS %s", also, v->name);
}

/* Adds the part after SELECT and the columns. */
static enum err_code add_rest(struct app *app, const struct query *q, const struct view *v,
	struct sbuf *b, struct err *e)
{
	sbuf_adds(b, " FROM ");
	if (q->rows)
		rows_add_source(b, v);
	else if (q->also)
		add_also(b, v, q->also);
	else
		sbuf_adds(b, v->name);
	sbuf_adds(b, " WHERE 1");
	if (q->only)
		sbuf_addf(b, " AND (%s)", q->only);
	if (app->o.project)
		add_project(app, b, q, v);
	if (q->time && add_period(app, b, q, e))
		return e->code;
	if (app->o.where && query_add_where(b, app->o.where, e))
		return e->code;
	if (app->o.sort_by && add_order(app, b, v, app->o.sort_by, e))
		return e->code;
	if (q->order) /* also of rows that --sort-by finds equal */
		query_add_order(app, b,
			arena_printf(&app->arena, "%s%s",
				app->o.sort_by ? ", " : " ORDER BY ", q->order));
	if (app->o.limit >= 0)
		sbuf_addf(b, " LIMIT %lld", (long long)app->o.limit);
	return E_OK;
}

/* ---- reading -------------------------------------------------------------------------------- */

static enum err_code read_rows(
	struct app *app, struct db_cursor *cur, struct doc_section *t, struct err *e)
{
	size_t max = app->max_rows ? app->max_rows : MAX_ROWS;
	bool more;

	while (!db_cursor_step(cur, &more, e)) {
		struct doc_cell *row;

		if (!more)
			return E_OK;
		if (t->n == max)
			return err_set_fix(e, E_LIMIT, "use --limit, --where or --since",
				"more than %zu rows", max);
		row = doc_row(t)->cells;
		for (int i = 0; i < t->n_columns; i++) {
			struct db_cell c = db_cursor_cell(cur, i);

			row[i] = doc_cell_read(t->arena, t->columns[i].type, &c);
		}
	}
	return e->code;
}

/* An error in the condition of the user: its end, or for "no such column: vcpu", the nearest column. */
static enum err_code explain(struct app *app, const struct view *v, struct err *e)
{
	static const char lead[] = "no such column: ";
	const char *at = strstr(e->msg, lead), *near;
	char word[64];

	if (app->o.where && condition_ends_early(app->db, app->o.where, e))
		return err_wrap(e, "--where");
	if (!at || !v || e->fix[0])
		return e->code;
	snprintf(word, sizeof(word), "%s", at + strlen(lead));
	near = view_nearest_column(v, word);
	return near ? err_fix(e, "did you mean '%s'?", near)
		    : err_fix(e, "put text in single quotes: '%s'; columns: tpucost views",
			      word);
}

/* A server has a limit of its own, and conditions of others. */
static enum err_code open_query(
	struct app *app, const char *sql, bool own, struct db_cursor *cur, struct err *e)
{
	enum err_code rc;

	db_distrust(app->db, app->query_ms && app->o.where);
	rc = own ? db_cursor_open_own(app->db, sql, query_ms(app), cur, e)
		 : db_cursor_open(app->db, sql, query_ms(app), cur, e);
	db_distrust(app->db, false);
	return rc;
}

enum err_code query_raw(struct app *app, const char *sql, bool own, const char *month,
	struct doc_section *t, struct err *e)
{
	struct db_cursor cur = {0};
	bool more = true;

	if (open_query(app, sql, own, &cur, e))
		return explain(app, NULL, e);
	if (month)
		db_cursor_bind(&cur, ":month", month);
	while (!e->code && !db_cursor_step(&cur, &more, e) && more) {
		struct doc_cell *row = doc_row(t)->cells;

		for (int i = 0; i < t->n_columns; i++) {
			struct db_cell c = db_cursor_cell(&cur, i);
			enum doc_type type = t->columns[i].type;

			if (c.type == DB_REAL && (type == DOC_MONEY || type == DOC_RATE))
				err_set(e, E_OVERFLOW, "%s: a sum does not fit",
					app->cmd->name);
			row[i] = doc_cell_raw(t->arena, type, &c);
		}
	}
	db_cursor_close(&cur);
	return e->code;
}

static const struct view *query_view(const struct query *q)
{
	return q->shown ? q->shown : view_find(q->view);
}

static enum err_code fetch(struct app *app, const char *sql, const struct query *q,
	struct doc_section *t, struct err *e)
{
	struct db_cursor cur = {0};
	enum err_code rc;

	if (open_query(app, sql, !query_asks_for_part(app), &cur, e))
		return explain(app, query_view(q), e);
	if (q->rows)
		rows_bind(&cur, q->rows);
	rc = read_rows(app, &cur, t, e);
	db_cursor_close(&cur);
	return rc;
}

enum err_code query_fetch(struct app *app, const struct query *q, bool all_columns,
	struct doc_section **out, struct err *e)
{
	struct doc_section *t = *out = doc_table(&app->arena, NULL, 0);
	const struct view *v = query_view(q);
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;

	if (all_columns && !app->o.columns)
		t = *out = doc_table_like(&app->arena, v);
	else if (pick_columns(app, v, app->o.columns ? app->o.columns : q->columns, t, e))
		return e->code;
	t->overlap = q->no_totals;
	for (int i = 0; i < t->n_columns; i++)
		sbuf_addf(&sql, "%s\"%s\"", i ? ", " : "SELECT ", t->columns[i].key);
	return add_rest(app, q, v, &sql, e) ? e->code : fetch(app, sql.s, q, t, e);
}

enum err_code query_pick(
	struct app *app, const struct query *q, size_t **which, size_t *n, struct err *e)
{
	static const struct doc_column number = {QUERY_ROW_NUMBER, .type = DOC_INT};
	struct doc_section *t = doc_table(&app->arena, &number, 1);
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;

	sbuf_adds(&sql, "SELECT " QUERY_ROW_NUMBER);
	if (add_rest(app, q, query_view(q), &sql, e) || fetch(app, sql.s, q, t, e))
		return e->code;
	*n = t->n;
	*which = arena_alloc(&app->arena, (t->n + 1) * sizeof(**which));
	for (size_t i = 0; i < t->n; i++)
		(*which)[i] = (size_t)t->rows[i].cells[0].v;
	return E_OK;
}

/* A column of any query, with the type that the vocabulary gives to its name. */
static struct doc_column column_named(struct app *app, const char *name)
{
	for (size_t i = 0; i < n_views; i++) {
		const struct column *c = view_column(views[i], name);

		if (c)
			return doc_column_of(c);
	}
	return (struct doc_column){arena_strdup(&app->arena, name), .type = DOC_TEXT};
}

enum err_code query_sql(
	struct app *app, const char *sql, bool own, struct doc_section **out, struct err *e)
{
	struct doc_section *t = *out = doc_table(&app->arena, NULL, 0);
	struct doc_column *cols;
	struct db_cursor cur = {0};
	enum err_code rc;

	if (open_query(app, sql, own, &cur, e))
		return near_sql(&app->arena, sql, e);
	if (!own && db_cursor_has_params(&cur)) {
		db_cursor_close(&cur);
		return err_set_fix(e, E_USAGE, "write the values in the statement",
			"SQL: parameters such as ? and :name have no value");
	}
	t->n_columns = db_cursor_columns(&cur);
	t->columns = cols = arena_alloc(
		&app->arena, ((size_t)t->n_columns + 1) * sizeof(*cols));
	for (int i = 0; i < t->n_columns; i++)
		cols[i] = column_named(app, db_cursor_name(&cur, i));
	rc = read_rows(app, &cur, t, e);
	db_cursor_close(&cur);
	return rc;
}

/* ---- printing ------------------------------------------------------------------------------- */

int query_print(
	struct app *app, const struct doc_section *t, const char *empty, struct err *e)
{
	struct out_style style = out_style_stdout();
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	style.raw = app->o.raw;
	if (app->format == OUT_TABLE && !t->n)
		out_sentence(&b, empty, &style);
	else
		out_render(&b, t, app->format, &style);
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}

enum err_code query_empty(struct app *app, const struct doc_section *t,
	const struct query *q, const char **out, struct err *e)
{
	struct freshness f;
	bool bill;

	*out = q->empty ? q->empty : "No rows.";
	if (app->o.where || app->o.project || !app->o.limit ||
		(query_has_period(app) && !q->derived)) {
		*out = "No rows match.";
		return E_OK;
	}
	if (t->n || q->basis == BASIS_NONE)
		return E_OK;
	/* without a bill, `empty` says more */
	bill = q->basis & BASIS_BILLING;
	if (session_freshness(app, bill ? BASIS_BILLING : q->basis, &f, e))
		return e->code;
	if (!f.polled && !bill)
		*out = "No data was read yet; see: tpucost sources";
	else if (f.complete < f.polled)
		*out = "Some data could not be read; see: tpucost sources";
	return E_OK;
}

enum err_code query_add_table(struct app *app, const struct query *q,
	const struct out_style *style, struct sbuf *b, struct doc_section **t,
	struct err *e)
{
	const char *empty;

	if (query_fetch(app, q, false, t, e) || query_note(app, q, e) ||
		query_empty(app, *t, q, &empty, e))
		return e->code;
	if ((*t)->n)
		out_render(b, *t, OUT_TABLE, style);
	else
		out_sentence(b, empty, style);
	return E_OK;
}

enum err_code query_add_sentences(struct app *app, const struct query *q,
	const struct out_style *style, struct sbuf *b, struct err *e)
{
	struct doc_section *t;

	if (query_fetch(app, q, false, &t, e))
		return e->code;
	for (size_t i = 0; i < t->n; i++) {
		const struct doc_cell *c = t->rows[i].cells;
		cleanup(sbuf_done) struct sbuf line = SBUF_INIT;

		sbuf_add_term(&line, c[0].text);
		sbuf_adds(&line, ": ");
		sbuf_add_term(&line, c[1].text ? c[1].text : "");
		sbuf_adds(b, i ? "" : "\n");
		out_sentence(b, line.s, style);
	}
	return E_OK;
}

int query_answer(
	struct app *app, const struct query *q, const struct doc_section *t, struct err *e)
{
	const char *empty;

	if (query_note(app, q, e) || query_empty(app, t, q, &empty, e))
		return cmd_fail(e);
	return query_print(app, t, empty, e);
}

int query_run(struct app *app, const struct query *q, struct err *e)
{
	struct doc_section *t;

	if (query_fetch(app, q, app->format == OUT_JSON || app->format == OUT_CSV, &t, e))
		return cmd_fail(e);
	return query_answer(app, q, t, e);
}

/* ---- times of the configured zone -------------------------------------------------------------- */

const char *query_local(struct app *app, const char *rfc3339)
{
	char at[TZ_TIME_BUF];
	ts_t t;

	if (rfc3339_parse(rfc3339, &t, NULL, NULL))
		return rfc3339;
	return arena_strdup(&app->arena, tz_time(app->cfg->tz, t, at));
}

int query_run_local(struct app *app, const struct query *q, struct err *e)
{
	if (!app->o.columns)
		out_zone_of_utc(app->cfg->tz);
	return query_run(app, q, e);
}
