/* Command `cost`: billed cost, grouped. Sums are sums of integers, so every grouping has the
 * same total, to the nano-unit. */
#include "cli/commands/cost.h"

#include "base/time/civil.h"
#include "base/money.h"
#include "base/str.h"
#include "base/time/tz.h"
#include "cli/config/config.h"
#include "cli/near.h"
#include "cli/query.h"
#include "db/db.h"
#include "db/rollup/ref_sums.h"
#include "rules/bill/days.h"

#include <stdio.h>
#include <string.h>

static const char *const groupable[] = {"day", "invoice_month", "project", "service", "sku",
	"category", "location", "zone", "region", "resource", "status", "sku_id",
	"service_id", "cost_type", "usage_unit", "currency", "credit_type", "owner"};

/* Types of credits are separate rows in a separate view. */
static const struct column *column_named(const char *name)
{
	const struct column *c = view_column(view_find("costs"), name);

	return c ? c : view_column(view_find("billed_credits"), name);
}

/* A column of the table that is not one of the view. */
static enum err_code add_label(
	struct app *app, struct cost_grouping *g, const char *name, struct err *e)
{
	struct column *c = arena_alloc(&app->arena, sizeof(*c));

	if (g->n == COST_MAX_GROUPS)
		return err_set(e, E_USAGE, "--by: more than %d columns", COST_MAX_GROUPS);
	if (query_label(app, name, "labels", &g->labels[g->n], e))
		return e->code;
	*c = (struct column){arena_strdup(&app->arena, name), COL_TEXT, NULL};
	g->cols[g->n++] = c;
	return E_OK;
}

static enum err_code add_group(
	struct app *app, struct cost_grouping *g, const char *name, struct err *e)
{
	if (!strcmp(name, "month"))
		name = "invoice_month";
	for (size_t i = 0; i < g->n; i++)
		if (!strcmp(g->cols[i]->name, name))
			return E_OK;
	if (str_starts(name, QUERY_LABEL))
		return add_label(app, g, name, e);
	for (size_t i = 0; i < ARRAY_LEN(groupable) && g->n < COST_MAX_GROUPS; i++) {
		if (!strcmp(groupable[i], name)) {
			g->cols[g->n++] = column_named(name);
			return E_OK;
		}
	}
	err_set(e, E_USAGE, "--by: cannot group by '%s'", name);
	return near_fix(e, str_nearest(name, groupable, ARRAY_LEN(groupable)),
		"use day, invoice_month, project, service, sku, category, location, zone, "
		"resource, owner, label:KEY");
}

static enum err_code read_grouping(struct app *app, struct cost_grouping *g, struct err *e)
{
	const char *by = app->o.by ? app->o.by : app->o.month ? "category" : "day";
	char *copy = arena_strdup(&app->arena, by), *name;

	while ((name = strsep(&copy, ",")))
		if (add_group(app, g, name, e))
			return e->code;
	g->usage = cost_grouped_by(g, "sku") || cost_grouped_by(g, "sku_id");
	if (g->usage && add_group(app, g, "usage_unit", e))
		return e->code;
	g->status = cost_grouped_by(g, "day") && !cost_grouped_by(g, "status");
	return add_group(app, g, "currency", e);
}

static enum err_code add_filters(struct app *app, struct sbuf *sql, struct err *e)
{
	char date[DATE_BUF];
	ts_t first, last;

	if (cost_days(app, &first, &last, e))
		return e->code;
	if (app->o.project)
		query_add_project(app, sql, "project");
	if (app->o.month)
		sbuf_adds(sql, " AND invoice_month = :month");
	if (first != TS_NONE)
		sbuf_addf(sql, " AND day >= '%s'", date_format((day_t)first, date));
	if (last != TS_NONE)
		sbuf_addf(sql, " AND day <= '%s'", date_format((day_t)last, date));
	return E_OK;
}

/* The columns that are printed: the groups, then the amounts, then the currency. */
static struct doc_section *cost_table(struct app *app, const struct cost_grouping *g)
{
	static const char *const amounts[] = {
		"usage", "usage_unit", "cost", "credits", "net", "promo", "currency"};
	const struct view *v = view_find("costs");
	struct doc_column *cols = arena_alloc(&app->arena, (g->n + 8) * sizeof(*cols));
	struct doc_section *t = doc_table(&app->arena, cols, 0);

	for (size_t i = 0; i < g->n; i++)
		if (strcmp(g->cols[i]->name, "currency") != 0 &&
			strcmp(g->cols[i]->name, "status") != 0 &&
			strcmp(g->cols[i]->name, "usage_unit") != 0)
			cols[t->n_columns++] = doc_column_of(g->cols[i]);
	for (size_t i = g->usage ? 0 : 2; i < ARRAY_LEN(amounts); i++)
		cols[t->n_columns++] = doc_column_of(view_column(v, amounts[i]));
	if (g->usage)
		cols[t->n_columns - (int)ARRAY_LEN(amounts)].digits = -1; /* all of them */
	if (g->status || cost_grouped_by(g, "status"))
		cols[t->n_columns++] = doc_column_of(view_column(v, "status"));
	return t;
}

/* SQL of a label over a view; NULL: not a label. */
static const char *label_sql(const struct cost_grouping *g, const char *key)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->labels[i] && !strcmp(g->cols[i]->name, key))
			return g->labels[i];
	return NULL;
}

static void add_selected(struct sbuf *sql, const struct cost_grouping *g,
	const struct doc_column *c, bool plain)
{
	if (!plain && label_sql(g, c->key))
		sbuf_addf(sql, "%s AS \"%s\"", label_sql(g, c->key), c->key);
	else if (!strcmp(c->key, "net"))
		sbuf_adds(sql, "SUM(cost_n) + SUM(credits_n) AS net");
	else if (!strcmp(c->key, "usage") && plain)
		sbuf_adds(sql,
			"CASE WHEN SUM(no_usage) = 0 AND ABS(SUM(units)) < 9000000000 "
			"THEN SUM(units) * 1000000000 + SUM(nanos) END AS usage");
	else if (!strcmp(c->key, "usage"))
		/* A sum that does not fit is omitted. */
		sbuf_adds(sql,
			"CASE WHEN COUNT(usage_n) = COUNT(*) AND "
			"ABS(SUM(usage_n / 1000000000)) < 9000000000 THEN "
			"SUM(usage_n / 1000000000) * 1000000000 + SUM(usage_n % "
			"1000000000) END AS usage");
	else if (c->type == DOC_MONEY)
		sbuf_addf(sql, "SUM(%s_n) AS %s", c->key, c->key);
	else
		sbuf_addf(sql, "\"%s\"", c->key);
}

/* Accounts were read at different times: a day has the least final status of its accounts. */
static void add_least_final(struct sbuf *sql)
{
	sbuf_adds(sql,
		"CASE MIN(CASE status WHEN 'partial' THEN 0 WHEN 'settling' THEN 1 ELSE "
		"2 END) WHEN 0 THEN 'partial' WHEN 1 THEN 'settling' ELSE 'settled' END "
		"AS status");
}

static const char *view_of(const struct app *app, const struct cost_grouping *g)
{
	const char *view = bill_view(app->o.where);

	if (cost_grouped_by(g, "credit_type"))
		return "cost_lines_exact";
	if (g->usage)
		return "costs_exact";
	for (size_t i = 0; i < g->n && !strcmp(view, bill_view(NULL)); i++)
		view = bill_view(g->labels[i] ? g->labels[i] : g->cols[i]->name);
	return view;
}

/* With a condition of the user, the views are read: only they have all columns that it may name. */
static enum err_code add_source(struct app *app, const struct cost_grouping *g, bool plain,
	struct sbuf *sql, struct err *e)
{
	sbuf_adds(sql, " FROM ");
	if (plain)
		return cost_add_rollup(app, g, sql, e);
	sbuf_addf(sql, "%s WHERE 1", view_of(app, g));
	if (add_filters(app, sql, e))
		return e->code;
	return app->o.where ? query_add_where(sql, app->o.where, e) : E_OK;
}

static enum err_code build(struct app *app, const struct cost_grouping *g,
	const struct doc_section *t, struct sbuf *sql, struct err *e)
{
	const struct doc_column *cols = t->columns;
	bool plain = cost_is_plain(app, g);

	sbuf_adds(sql, "SELECT * FROM (SELECT ");
	for (int i = 0; i < t->n_columns; i++) {
		sbuf_adds(sql, i ? ", " : "");
		if (g->status && !strcmp(cols[i].key, "status"))
			add_least_final(sql);
		else
			add_selected(sql, g, &cols[i], plain);
	}
	if (add_source(app, g, plain, sql, e))
		return e->code;
	sbuf_adds(sql, " GROUP BY ");
	for (size_t i = 0; i < g->n; i++)
		sbuf_addf(sql, "%s\"%s\"", i ? ", " : "", g->cols[i]->name);
	sbuf_addf(sql, ") ORDER BY ");
	if (app->o.sort_by) {
		if (query_group_order(app, t, sql, e))
			return e->code;
	} else {
		sbuf_adds(sql, cost_grouped_by(g, "day") ? "day" : "net DESC");
		for (int i = 0; i < t->n_columns; i++)
			if (cols[i].type != DOC_MONEY && strcmp(cols[i].key, "day") != 0)
				sbuf_addf(sql, ", \"%s\"", cols[i].key);
	}
	if (app->o.limit >= 0)
		sbuf_addf(sql, " LIMIT %lld", (long long)app->o.limit);
	return E_OK;
}

static enum err_code read_sums(struct app *app, const struct cost_grouping *g,
	const char *sql, const char *month, struct doc_section *t, struct err *e)
{
	cleanup(ref_sums_done) struct ref_sums sums = {0};
	enum err_code rc;

	if (!cost_is_plain(app, g))
		return query_raw(app, sql, !query_asks_for_part(app), month, t, e);
	if (cost_sum_up(app, g, month, &sums, e) || ref_sums_show(app->db, &sums, e))
		return e->code;
	rc = query_raw(app, sql, true, month, t, e);
	ref_sums_hide(app->db);
	return rc;
}

/* Opens the database once the options are known to be valid. */
static enum err_code fetch(struct app *app, struct doc_section **t, struct err *e)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
	struct cost_grouping g = {0};
	char month[8] = "";

	if (read_grouping(app, &g, e) ||
		(app->o.month && query_month(app->o.month, month, e)) ||
		session_open(app, e))
		return e->code;
	*t = cost_table(app, &g);
	if (build(app, &g, *t, &sql, e) || read_sums(app, &g, sql.s, month, *t, e))
		return e->code;
	return app->o.columns ? query_keep_columns(app, *t, e) : E_OK;
}

int cmd_cost(struct app *app, struct err *e)
{
	const char *empty = app->cfg->n_billing_tables
		? "The billing export is still empty."
		: "No billing data: name the export under billing: in the configuration, "
		  "or import files.";
	struct doc_section *t = NULL;

	if (fetch(app, &t, e) || session_note(app, BASIS_BILLING, e) ||
		query_empty(app, t, BASIS_BILLING, empty, &empty, e))
		return cmd_fail(e);
	return query_print(app, t, empty, e);
}
