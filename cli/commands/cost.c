/* Command `cost`: billed cost, grouped. Sums are sums of integers, so every grouping has the
 * same total, to the nano-unit. */
#include "base/time/civil.h"
#include "base/str.h"
#include "base/time/tz.h"
#include "cli/commands/cost.h"
#include "cli/commands/cost_focus.h"
#include "cli/config/config.h"
#include "cli/detail.h"
#include "cli/query.h"
#include "db/db.h"
#include "db/rollup/ref_sums.h"
#include "rules/bill/days.h"

#include <string.h>

#define COST_MAX_GROUPS 16

struct cost_grouping {
	const struct column *cols[COST_MAX_GROUPS];
	const char
		*labels[COST_MAX_GROUPS]; /* SQL over a column labels; NULL: not a label */
	size_t n;
	bool usage;  /* amounts of usage can be added: one SKU and unit per row */
	bool status; /* show how final the days are, although it is not a group */
};

/* ---- rollups ------------------------------------------------------------------------------------ */

/* Rollups store numbers instead of names. A sum over many of their rows first sums by number, in
 * memory, and then finds the names of the few rows that remain. */
enum key {
	KEY_DAY = 1,
	KEY_PROJECT = 2,
	KEY_SKU = 4,
	KEY_PLACE = 8,
	KEY_RESOURCE = 16,
	KEY_ACCOUNT = 32
};

/* Accounts have no number: that of one of its projects. */
#define COST_ACCOUNTS                                                                \
	" LEFT JOIN (SELECT project_ref AS of, MIN(project_ref) OVER (PARTITION BY " \
	"account) AS one FROM billed_project) ON of = project_ref"

static const struct {
	enum key key;
	const char *column;
	int ref; /* in a ref_sum */
} keys[] = {{KEY_DAY, "day", REF_PART}, {KEY_PROJECT, "project_ref", REF_PROJECT},
	{KEY_SKU, "sku_ref", REF_SKU}, {KEY_PLACE, "place_ref", REF_PLACE},
	{KEY_RESOURCE, "resource_ref", REF_RESOURCE}, {KEY_ACCOUNT, "one", REF_PROJECT}};

/* A name, found by the number in `ref` of a rollup or a sum d. */
#define NAME(what, table, ref) \
	"(SELECT " what " FROM " table " x WHERE x." ref " = d." ref ")"
#define SKU(what) NAME(what, "sku", "sku_ref")
#define PLACE(what) NAME("NULLIF(x." what ", '')", "place", "place_ref")
#define RESOURCE(what) NAME(what, "billed_resource", "resource_ref")

/* Expressions as in db/views/bill/costs_exact.sql. */
static const struct {
	const char *name, *sql;
	unsigned keys;
} rollup_columns[] = {
	{"day", "c.date", KEY_DAY},
	{"project", NAME("NULLIF(x.project, '')", "billed_project", "project_ref"),
		KEY_PROJECT},
	{"account", NAME("x.account", "billed_project", "project_ref"), KEY_PROJECT},
	{"service", SKU("x.service"), KEY_SKU},
	{"service_id", SKU("x.service_id"), KEY_SKU},
	{"sku", SKU("x.sku"), KEY_SKU},
	{"sku_id", SKU("x.sku_id"), KEY_SKU},
	{"category", "COALESCE(" NAME("x.category", "sku_category", "sku_ref") ", 'other')",
		KEY_SKU},
	{"location", PLACE("location"), KEY_PLACE},
	{"region", PLACE("region"), KEY_PLACE},
	{"zone", PLACE("zone"), KEY_PLACE},
	{"resource", RESOURCE("NULLIF(x.resource, '')"), KEY_RESOURCE},
	{"owner", RESOURCE("x.owner"), KEY_RESOURCE},
	{"invoice_month", "h.invoice_month", 0},
	{"cost_type", "h.cost_type", 0},
	{"usage_unit", "NULLIF(h.usage_unit, '')", 0},
	{"consumption_model", "NULLIF(h.model_name, '')", 0},
	{"currency", "h.currency", 0},
};

#define STATUS "(SELECT " SQL_STATUS " FROM as_of a "
#define STATUS_OF_ACCOUNT \
	STATUS "LEFT JOIN account_known n ON n.account = d.account AND n.day = c.day)"
#define STATUS_OF_PROJECT                                                              \
	STATUS "CROSS JOIN billed_project p LEFT JOIN account_known n ON n.account = " \
	       "p.account "                                                            \
	       "AND n.day = c.day WHERE p.project_ref = d.project_ref)"

static bool cost_grouped_by(const struct cost_grouping *g, const char *name)
{
	for (size_t i = 0; i < g->n; i++)
		if (!strcmp(g->cols[i]->name, name))
			return true;
	return false;
}

static bool has_status(const struct cost_grouping *g)
{
	return g->status || cost_grouped_by(g, "status");
}

/* Tests whether the rollups can answer without looking up the names of each of their rows. */
static bool cost_is_plain(const struct app *app, const struct cost_grouping *g)
{
	return !app->o.where && !cost_grouped_by(g, "credit_type");
}

/* Sums of accounts are few rows, which are read directly. */
static bool is_of_accounts(const char *table)
{
	return !strcmp(table, "account_day");
}

/* The numbers that the grouping needs, and the smallest rollup that has them. */
static unsigned keys_of(
	const struct app *app, const struct cost_grouping *g, const char **table)
{
	unsigned need = has_status(g) ? KEY_DAY : 0;

	for (size_t i = 0; i < ARRAY_LEN(rollup_columns); i++)
		if (cost_grouped_by(g, rollup_columns[i].name))
			need |= rollup_columns[i].keys;
	for (size_t i = 0; i < g->n; i++)
		if (g->labels[i])
			need |= KEY_RESOURCE;
	*table = "cost_day";
	if (!g->usage && !(need & (KEY_PLACE | KEY_RESOURCE)))
		*table = need & (KEY_PROJECT | KEY_SKU) || app->o.project ? "project_day"
									  : "account_day";
	/* a day is settled by account; a resource has one project */
	if (has_status(g) && !is_of_accounts(*table) && !(need & KEY_PROJECT))
		need |= need & KEY_RESOURCE ? KEY_PROJECT : KEY_ACCOUNT;
	return need;
}

/* Adds the period in whole days, the month and the projects: of a view, or of a rollup, which has
 * numbers. */
static enum err_code add_filters(
	struct app *app, bool rollup, struct sbuf *sql, struct err *e)
{
	const char *given[] = {app->o.since, app->o.until}, *as[] = {">=", "<="};
	char date[DATE_BUF];
	day_t day;
	ts_t at;

	for (int i = 0; i < 2; i++) {
		if (!given[i])
			continue;
		if (query_time(app, given[i], &at, e))
			return e->code;
		day = tz_day(
			app->cfg->tz, at - i); /* that of --until counts if it has begun */
		if (rollup)
			sbuf_addf(sql, " AND day %s %d", as[i], (int)day);
		else
			sbuf_addf(sql, " AND day %s '%s'", as[i], date_format(day, date));
	}
	if (app->o.month)
		sbuf_adds(sql,
			rollup ? " AND day IN (SELECT a.day FROM account_day a JOIN charge "
				 "i ON i.charge_ref = a.charge_ref WHERE i.invoice_month = "
				 ":month) AND charge_ref IN (SELECT charge_ref FROM charge "
				 "WHERE invoice_month = :month)"
			       : " AND invoice_month = :month");
	if (app->o.project) {
		sbuf_adds(sql,
			rollup ? " AND project_ref IN (SELECT project_ref FROM "
				 "billed_project WHERE 1"
			       : "");
		query_add_project(app, sql, "project");
		sbuf_adds(sql, rollup ? ")" : "");
	}
	return E_OK;
}

static void add_names(struct sbuf *sql, const struct cost_grouping *g, bool of_account)
{
	for (size_t i = 0; i < ARRAY_LEN(rollup_columns); i++)
		if (cost_grouped_by(g, rollup_columns[i].name))
			sbuf_addf(sql, "%s AS %s, ", rollup_columns[i].sql,
				rollup_columns[i].name);
	for (size_t i = 0; i < g->n; i++)
		if (g->labels[i])
			sbuf_addf(sql, RESOURCE("%s") " AS \"%s\", ", g->labels[i],
				g->cols[i]->name);
	if (has_status(g))
		sbuf_addf(sql, "%s AS status, ",
			of_account ? STATUS_OF_ACCOUNT : STATUS_OF_PROJECT);
}

/* Adds a table in parentheses with the columns of costs_exact that the grouping needs. Amounts of
 * usage are in three columns: units, nanos and no_usage. */
static enum err_code cost_add_rollup(
	struct app *app, const struct cost_grouping *g, struct sbuf *sql, struct err *e)
{
	const char *table;
	unsigned need = keys_of(app, g, &table);
	bool of_account = is_of_accounts(table);

	sbuf_adds(sql, "(SELECT ");
	add_names(sql, g, of_account);
	sbuf_adds(sql,
		"d.cost AS cost_n, d.credits AS credits_n, d.promo AS promo_n, "
		"d.cost + d.discount AS list_cost_n, d.discount - d.credits AS savings_n");
	if (g->usage)
		sbuf_adds(sql, ", d.units, d.nanos, d.no_usage");
	sbuf_adds(sql, " FROM ");
	if (of_account) {
		sbuf_addf(sql, "(SELECT * FROM %s WHERE 1", table);
		if (add_filters(app, true, sql, e))
			return e->code;
		sbuf_adds(sql, ")");
	} else {
		sbuf_adds(sql, "ref_sum");
	}
	sbuf_adds(sql, " d JOIN charge h ON h.charge_ref = d.charge_ref");
	if (need & KEY_DAY)
		sbuf_addf(sql, " JOIN calendar c ON c.day = d.%s",
			of_account ? "day" : "part");
	sbuf_adds(sql, ")");
	return E_OK;
}

/* ---- sums by number --------------------------------------------------------------------------------------- */

static enum err_code add_row(const struct db_cursor *cur, unsigned need, bool usage,
	struct ref_sums *sums, struct err *e)
{
	int64_t refs[REFS] = {0}, v[4];
	struct ref_sum *sum;
	int at = 0;

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (need & keys[i].key)
			refs[keys[i].ref] = db_cursor_i64(cur, at++);
	refs[REF_CHARGE] = db_cursor_i64(cur, at++);
	sum = ref_sums_of(sums, refs);
	for (size_t i = 0; i < ARRAY_LEN(v); i++)
		v[i] = db_cursor_i64(cur, at++);
	if (usage)
		ref_sum_add_usage(sum,
			db_cursor_type(cur, at) == DB_NULL ? NONE
							   : SOME(db_cursor_i64(cur, at)));
	if (ref_sum_add(sum, v[0], v[1], v[2]) && ref_sum_add_discount(sum, v[3], 0))
		return E_OK;
	return err_set_fix(e, E_LIMIT, "use a shorter period or more groups",
		"cost: a sum exceeds 9.2 billion, the largest amount");
}

/* Sums the billed cost by the numbers that the grouping needs, for the requested period, month and
 * projects. The sums must be shown (ref_sums_show) before the next ones are read. Does nothing if
 * the grouping reads a rollup directly. */
static enum err_code cost_sum_up(struct app *app, const struct cost_grouping *g,
	const char *month, struct ref_sums *sums, struct err *e)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
	struct db_cursor cur = {0};
	const char *table;
	unsigned need = keys_of(app, g, &table);
	enum err_code rc = E_OK;
	bool more;

	if (is_of_accounts(table))
		return E_OK;
	/* the required numbers, then the charge and the amounts */
	sbuf_adds(&sql, "SELECT ");
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (need & keys[i].key)
			sbuf_addf(&sql, "%s, ", keys[i].column);
	sbuf_addf(&sql, "charge_ref, cost, credits, promo, discount%s FROM %s%s WHERE 1",
		g->usage ? ", usage" : "", table, need & KEY_ACCOUNT ? COST_ACCOUNTS : "");
	if (add_filters(app, true, &sql, e) ||
		db_cursor_open_own(app->db, sql.s, query_ms(app), &cur, e))
		return e->code;
	db_cursor_bind(&cur, ":month", month);
	while (!rc && !(rc = db_cursor_step(&cur, &more, e)) && more)
		rc = add_row(&cur, need, g->usage, sums, e);
	db_cursor_close(&cur);
	return rc;
}

/* ---- groups ------------------------------------------------------------------------------------- */

static const char *const groupable[] = {"day", "invoice_month", "project", "service", "sku",
	"category", "location", "zone", "region", "resource", "status", "sku_id",
	"service_id", "cost_type", "usage_unit", "currency", "credit_type", "owner",
	"consumption_model", "account"};

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
	/* two projects may have a resource of that name */
	if (cost_grouped_by(g, "resource") && add_group(app, g, "project", e))
		return e->code;
	g->status = cost_grouped_by(g, "day") && !cost_grouped_by(g, "status");
	return add_group(app, g, "currency", e);
}

/* The columns that are printed: the groups, then the amounts, then the currency. */
static struct doc_section *cost_table(struct app *app, const struct cost_grouping *g)
{
	static const char *const amounts[] = {
		"usage", "usage_unit", "cost", "credits", "net", "promo", "currency"};
	static const char *const saved[] = {"list_cost", "savings"};
	const struct view *v = view_find("costs");
	struct doc_column *cols = arena_alloc(&app->arena, (g->n + 10) * sizeof(*cols));
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
	/* Tables for reading stay narrow: --columns shows them. */
	for (size_t i = 0; i < ARRAY_LEN(saved); i++)
		if (!query_for_people(app) || app->o.sort_by)
			cols[t->n_columns++] = doc_column_of(view_column(v, saved[i]));
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
	/* a row of the bill may lack them: "" in the views */
	static const char *const unnamed[] = {
		"invoice_month", "service", "sku", "service_id", "sku_id"};

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
			"CASE WHEN COUNT(usage_n) = COUNT(*) AND ABS(SUM(usage_n / "
			"1000000000)) < 9000000000 THEN SUM(usage_n / 1000000000) * "
			"1000000000 + SUM(usage_n % 1000000000) END AS usage");
	else if (c->type == DOC_MONEY)
		sbuf_addf(sql, "SUM(%s_n) AS %s", c->key, c->key);
	else if (str_in(c->key, unnamed, ARRAY_LEN(unnamed)))
		sbuf_addf(sql, "NULLIF(%s, '') AS %s", c->key, c->key);
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
	sbuf_addf(sql, "%s costs WHERE 1", view_of(app, g));
	if (add_filters(app, false, sql, e))
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
		query_add_order(app, sql,
			cost_grouped_by(g, "day") ? "day" : BY_CURRENCY "net DESC");
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

static enum err_code read_request(
	struct app *app, struct cost_grouping *g, char month[8], struct err *e)
{
	*g = (struct cost_grouping){0};
	*month = '\0';
	return read_grouping(app, g, e) || !app->o.month
		? e->code
		: query_month(app->o.month, month, e);
}

/* Do the groups and the condition need more than sums of days? */
static bool cost_needs_detail(
	struct app *app, const struct cost_grouping *g, struct billing_question *q)
{
	const char *where = app->o.where;
	const char **labels = arena_alloc(
		&app->arena, (g->n + BILLING_OWNER_KEYS) * sizeof(*labels));
	size_t n = 0;

	*q = (struct billing_question){
		.time = has_status(g) || cost_grouped_by(g, "day") || where ? ASK_DAY
									    : ASK_SUM,
		.resource = cost_grouped_by(g, "resource")};
	if (cost_grouped_by(g, "owner"))
		for (; n < BILLING_OWNER_KEYS; n++)
			labels[n] = billing_owner_keys[n];
	for (size_t i = 0; i < g->n; i++)
		if (g->labels[i])
			labels[n++] = g->cols[i]->name + strlen(QUERY_LABEL);
	q->labels = n > 0;
	/* A condition on amounts applies to the lines that would be kept. */
	if (where && (bill_needs_detail(where) || bill_by_line(where))) {
		q->resource = q->labels = true;
		n = 0;
	}
	q->keys = labels;
	q->n_keys = n;
	return q->resource || q->labels;
}

static enum err_code read_groups(struct app *app, const struct cost_grouping *g,
	const char *month, struct doc_section **t, struct err *e)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
	struct billing_question q;
	bool detail = cost_needs_detail(app, g, &q);
	enum err_code rc;

	*t = cost_table(app, g);
	if (detail && detail_begin(app, &q, e))
		return e->code;
	rc = build(app, g, *t, &sql, e) ? e->code : read_sums(app, g, sql.s, month, *t, e);
	if (detail)
		detail_end(app);
	if (rc)
		return rc;
	return app->o.columns ? query_keep_columns(app, *t, e) : E_OK;
}

enum err_code cost_read(struct app *app, struct doc_section **t, struct err *e)
{
	struct cost_grouping g;
	char month[8];

	return read_request(app, &g, month, e) || read_groups(app, &g, month, t, e)
		? e->code
		: E_OK;
}

/* Opens the database once the options are known to be valid. */
static enum err_code fetch(struct app *app, struct doc_section **t, struct err *e)
{
	struct cost_grouping g;
	char month[8];

	return read_request(app, &g, month, e) || session_open(app, e) ||
			read_groups(app, &g, month, t, e)
		? e->code
		: E_OK;
}

/* Options that only a file of FOCUS has. */
static enum err_code cost_check_format(struct app *app, struct err *e)
{
	const char *other = app->o.focus ? "--focus" : app->o.output ? "--output" : NULL;

	if (out_format_parse(app->o.format, &app->format, e))
		return err_fix(e, "use table, json, csv, markdown or focus");
	return other ? err_set_fix(e, E_USAGE, "add --format focus",
			       "cost: %s needs --format focus", other)
		     : E_OK;
}

enum err_code cost_empty(struct app *app, const char **out, struct err *e)
{
	struct q_bill_months q;
	bool found;

	if (q_bill_months_one(app->db, &app->arena, &q, &found, e))
		return e->code;
	if (q.days && app->o.month && q.unnamed)
		*out = "No rows match; some rows of the bill have no invoice month: "
		       "tpucost "
		       "cost --by invoice_month";
	else if (q.days)
		*out = "No rows match.";
	else
		*out = app->cfg->n_billing_tables
			? "The billing export is still empty."
			: "No billing data: name the export under billing: in the "
			  "configuration, or import files.";
	return E_OK;
}

int cmd_cost(struct app *app, struct err *e)
{
	struct query q = {.view = "costs", .basis = BASIS_BILLING};
	struct doc_section *t = NULL;

	if (app->o.format && !strcmp(app->o.format, "focus"))
		return cost_focus(app, e);
	if (cost_check_format(app, e))
		return cmd_fail(e);
	if (fetch(app, &t, e))
		return app->needs_net ? EXIT_FAILED : cmd_fail(e);
	if (!t->n && cost_empty(app, &q.empty, e))
		return cmd_fail(e);
	return query_answer(app, &q, t, e);
}
