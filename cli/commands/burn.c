/* Command `burn`: current and recent cost of resources, by project and category or other columns.
 * Sums are sums of integers, so every grouping has the same total, to the nano-unit. */
#include "base/str.h"
#include "cli/query.h"

#include <string.h>

#define MAX_GROUPS 8

static const char *const groupable[] = {
	"resource", "project", "category", "owner", "kind", "label:KEY"};

/* Amounts: their columns and how they are summed. Without a currency there is no price. Past cost
 * is unknown if part of it has no price, whatever the currency of the rest. */
static const struct {
	const char *name, *sql;
} amounts[] = {
	{"gross_per_hour", "SUM(gross_n)"},
	{"net_per_hour", "SUM(net_n)"},
	{"gross_per_day",
		"CASE WHEN SUM(gross_n) < 384000000000000000 "
		"THEN SUM(gross_n) * 24 END"},
	{"net_per_day",
		"CASE WHEN SUM(net_n) < 384000000000000000 "
		"THEN SUM(net_n) * 24 END"},
	{"gross_24h", "CASE WHEN unpriced_24h = 0 THEN SUM(gross_24h_n) END"},
	{"net_24h", "CASE WHEN unpriced_24h = 0 THEN SUM(net_24h_n) END"},
	{"gross_7d", "CASE WHEN unpriced_7d = 0 THEN SUM(gross_7d_n) END"},
	{"net_7d", "CASE WHEN unpriced_7d = 0 THEN SUM(net_7d_n) END"},
};

struct group {
	const char *name, *sql;
};

struct grouping {
	struct group v[MAX_GROUPS];
	size_t n;
};

static enum err_code add_group(
	struct app *app, struct grouping *g, const char *name, struct err *e)
{
	for (size_t i = 0; i < g->n; i++)
		if (!strcmp(g->v[i].name, name))
			return E_OK;
	if (g->n == MAX_GROUPS)
		return err_set(e, E_USAGE, "--by: more than %d columns", MAX_GROUPS);
	if (str_starts(name, QUERY_LABEL)) {
		g->v[g->n].name = arena_strdup(&app->arena, name);
		return query_label(app, name, "labels", &g->v[g->n++].sql, e);
	}
	for (size_t i = 0; i + 1 < ARRAY_LEN(groupable); i++)
		if (!strcmp(groupable[i], name)) {
			g->v[g->n++] = (struct group){groupable[i], groupable[i]};
			return E_OK;
		}
	err_set(e, E_USAGE, "--by: cannot group by '%.80s'", name);
	return near_fix(e, str_nearest(name, groupable, ARRAY_LEN(groupable)),
		"use resource, project, category, owner, kind or label:KEY");
}

/* The columns that are printed: the groups, the number of resources that exist now, the amounts and
 * the currency. With a period: the cost of the period instead of the cost per hour. */
static struct doc_section *burn_table(
	struct app *app, const struct grouping *g, const struct view *v)
{
	static const char *const now[] = {"resources?", "gross_per_hour", "net_per_hour",
		"gross_per_day?", "net_per_day?", "gross_24h?", "net_24h", "gross_7d?",
		"net_7d?", "known_hours?", "currency", NULL};
	static const char *const then[] = {"resources?", "gross", "net", "unpriced_hours?",
		"known_hours?", "currency", NULL};
	struct doc_column *cols = arena_alloc(
		&app->arena, (g->n + ARRAY_LEN(now)) * sizeof(*cols));
	struct doc_section *t = doc_table(&app->arena, cols, g->n);

	t->droppable = true;
	for (size_t i = 0; i < g->n; i++)
		cols[i] = (struct doc_column){g->v[i].name, .type = DOC_TEXT};
	for (const char *const *p = query_has_period(app) ? then : now; *p; p++) {
		size_t n = strcspn(*p, "?");

		cols[t->n_columns] = doc_column_of(
			view_column(v, arena_strndup(&app->arena, *p, n)));
		cols[t->n_columns++].rank = (*p)[n] == '?';
	}
	return t;
}

static void add_groups(const struct grouping *g, struct sbuf *sql)
{
	for (size_t i = 0; i < g->n; i++)
		sbuf_addf(sql, "%s\"%s\"", i ? ", " : "", g->v[i].name);
}

/* Adds the rows to sum: the groups and the columns `what` of the selected rows of a view. */
static enum err_code add_rows(struct app *app, const struct grouping *g, const char *what,
	const char *view, struct sbuf *sql, struct err *e)
{
	sbuf_adds(sql, "(SELECT ");
	for (size_t i = 0; i < g->n; i++)
		sbuf_addf(sql, "%s AS \"%s\", ", g->v[i].sql, g->v[i].name);
	sbuf_addf(sql, "%s, currency FROM %s WHERE 1", what, view);
	if (app->o.project)
		query_add_project(app, sql, "project");
	if (app->o.where && query_add_where(sql, app->o.where, e))
		return e->code;
	sbuf_adds(sql, ")");
	return E_OK;
}

/* Adds the order and the limit of the groups. */
static enum err_code add_order(struct app *app, const struct grouping *g,
	const struct doc_section *t, const char *order, struct sbuf *sql, struct err *e)
{
	sbuf_adds(sql, " ORDER BY ");
	if (app->o.sort_by) {
		if (query_group_order(app, t, sql, e))
			return e->code;
	} else {
		query_add_order(app, sql, order);
		add_groups(g, sql);
	}
	if (app->o.limit >= 0)
		sbuf_addf(sql, " LIMIT %lld", (long long)app->o.limit);
	return E_OK;
}

/* Builds the same query for the requested period. */
static enum err_code build_period(struct app *app, const struct grouping *g,
	const struct doc_section *t, struct sbuf *sql, struct err *e)
{
	sbuf_adds(sql, "SELECT ");
	add_groups(g, sql);
	sbuf_adds(sql,
		", COUNT(DISTINCT thing) AS resources, CASE WHEN currency IS NOT NULL AND "
		"COUNT(gross_n) = COUNT(*) THEN SUM(gross_n) END AS gross, CASE WHEN "
		"currency IS NOT NULL AND COUNT(net_n) = COUNT(*) THEN SUM(net_n) END AS "
		"net, "
		"ROUND(SUM(unpriced_n) / 3600.0, 2) AS unpriced_hours, CASE WHEN "
		"COUNT(known) "
		"= COUNT(*) THEN MIN(known) END AS known_hours, currency FROM ");
	if (add_rows(app, g,
		    "resource || ' ' || uid AS thing, gross_n, net_n, unpriced_n, "
		    "known_hours AS known",
		    "period_exact", sql, e))
		return e->code;
	sbuf_adds(sql, " GROUP BY ");
	add_groups(g, sql);
	sbuf_adds(sql, ", currency");
	return add_order(app, g, t, "net IS NULL, " BY_CURRENCY "net DESC, ", sql, e);
}

/* The same of now, with the seconds without a price in the whole group of each row. */
static enum err_code build(struct app *app, const struct grouping *g,
	const struct doc_section *t, struct sbuf *sql, struct err *e)
{
	sbuf_adds(sql, "SELECT * FROM (SELECT ");
	add_groups(g, sql);
	sbuf_adds(sql, ", COUNT(DISTINCT CASE WHEN there = 1 THEN thing END) AS resources");
	/* A resource that a grant covers costs nothing, even if its price is unknown. */
	for (size_t i = 0; i < ARRAY_LEN(amounts); i++)
		sbuf_addf(sql, ", CASE WHEN currency IS NOT NULL%s THEN %s END AS %s",
			str_starts(amounts[i].name, "net_per_")
				? " OR (SUM(there) > 0 AND COUNT(net_n) = COUNT(*))"
				: "",
			amounts[i].sql, amounts[i].name);
	sbuf_adds(sql,
		", CASE WHEN COUNT(known) = COUNT(*) THEN MIN(known) END AS "
		"known_hours, currency FROM (SELECT *, SUM(u24) OVER (PARTITION BY ");
	add_groups(g, sql);
	sbuf_adds(sql, ") AS unpriced_24h, SUM(u7) OVER (PARTITION BY ");
	add_groups(g, sql);
	sbuf_adds(sql, ") AS unpriced_7d FROM ");
	if (add_rows(app, g,
		    "resource AS thing, is_there AS there, gross_n, net_n, gross_24h_n, "
		    "net_24h_n, gross_7d_n, net_7d_n, unpriced_24h AS u24, unpriced_7d AS "
		    "u7, known_hours AS known",
		    "burn_exact", sql, e))
		return e->code;
	sbuf_adds(sql, ") GROUP BY ");
	add_groups(g, sql);
	sbuf_adds(sql, ", currency, unpriced_24h, unpriced_7d)");
	return add_order(app, g, t,
		"net_per_hour IS NULL, " BY_CURRENCY "net_per_hour DESC, net_24h DESC, ",
		sql, e);
}

static enum err_code read_grouping(struct app *app, struct grouping *g, struct err *e)
{
	char *copy = arena_strdup(&app->arena, app->o.by), *name;

	while (copy && (name = strsep(&copy, ",")))
		if (add_group(app, g, name, e))
			return e->code;
	return E_OK;
}

static enum err_code fetch_by(struct app *app, const struct query *q,
	const struct grouping *g, struct doc_section **t, struct err *e)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;

	*t = burn_table(app, g, view_find(q->view));
	if ((query_has_period(app) ? build_period : build)(app, g, *t, &sql, e) ||
		query_raw(app, sql.s, !query_asks_for_part(app), NULL, *t, e))
		return e->code;
	return app->o.columns ? query_keep_columns(app, *t, e) : E_OK;
}

const struct query query_burn = {
	.view = "burn",
	.columns = "project,category,resources?,gross_per_hour,net_per_hour,"
		   "gross_per_day?,net_per_day,gross_24h?,net_24h?,net_7d?,"
		   "known_hours?,currency",
	.order = "net_per_hour IS NULL, " BY_CURRENCY
		 "net_per_hour DESC, project, category",
	.empty = "No running resources that cost money.",
	.basis = BASIS_INVENTORY,
};

const struct query query_period_burn = {
	.view = "period_burn",
	.columns = "project,category,resources?,gross,net,unpriced_hours?,"
		   "known_hours?,currency",
	.order = "net IS NULL, " BY_CURRENCY "net DESC, project, category",
	.empty = "No cost is known in that period.",
	.basis = BASIS_INVENTORY,
	.derived = true,
};

int cmd_burn(struct app *app, struct err *e)
{
	const struct query *asked = query_has_period(app) ? &query_period_burn
							  : &query_burn;
	struct grouping g = {0};
	struct doc_section *t = NULL;

	if (read_grouping(app, &g, e) || session_open(app, e))
		return cmd_fail(e);
	if (!app->o.by)
		return query_run(app, asked, e);
	return fetch_by(app, asked, &g, &t, e) ? cmd_fail(e)
					       : query_answer(app, asked, t, e);
}
