/* Rollups store numbers instead of names. A sum over many of their rows first sums by number, in
 * memory, and then finds the names of the few rows that remain. */
#include "cli/commands/cost.h"

#include "base/time/civil.h"
#include "base/str.h"
#include "base/time/tz.h"
#include "cli/config/config.h"
#include "cli/query.h"
#include "db/db.h"
#include "db/rollup/ref_sums.h"

#include <string.h>

#define QUERY_MS 20000

enum key { KEY_DAY = 1, KEY_PROJECT = 2, KEY_SKU = 4, KEY_PLACE = 8, KEY_RESOURCE = 16 };

static const struct {
	enum key key;
	const char *column;
	int ref; /* in a ref_sum */
} keys[] = {{KEY_DAY, "day", REF_PART}, {KEY_PROJECT, "project_ref", REF_PROJECT},
	{KEY_SKU, "sku_ref", REF_SKU}, {KEY_PLACE, "place_ref", REF_PLACE},
	{KEY_RESOURCE, "resource_ref", REF_RESOURCE}};

#define RESOURCE(what) \
	"(SELECT " what " FROM billed_resource r WHERE r.resource_ref = d.resource_ref)"

/* Expressions as in db/views/bill/costs_exact.sql. */
static const struct {
	const char *name, *sql;
	unsigned keys;
} columns[] = {
	{"day", "c.date", KEY_DAY},
	{"project",
		"(SELECT NULLIF(p.project, '') FROM billed_project p WHERE p.project_ref = "
		"d.project_ref)",
		KEY_PROJECT},
	{"service", "(SELECT s.service FROM sku s WHERE s.sku_ref = d.sku_ref)", KEY_SKU},
	{"service_id", "(SELECT s.service_id FROM sku s WHERE s.sku_ref = d.sku_ref)",
		KEY_SKU},
	{"sku", "(SELECT s.sku FROM sku s WHERE s.sku_ref = d.sku_ref)", KEY_SKU},
	{"sku_id", "(SELECT s.sku_id FROM sku s WHERE s.sku_ref = d.sku_ref)", KEY_SKU},
	{"category",
		"COALESCE((SELECT k.category FROM sku_category k WHERE k.sku_ref = "
		"d.sku_ref), 'other')",
		KEY_SKU},
	{"location",
		"(SELECT NULLIF(l.location, '') FROM place l WHERE l.place_ref = "
		"d.place_ref)",
		KEY_PLACE},
	{"region",
		"(SELECT NULLIF(l.region, '') FROM place l WHERE l.place_ref = "
		"d.place_ref)",
		KEY_PLACE},
	{"zone", "(SELECT NULLIF(l.zone, '') FROM place l WHERE l.place_ref = d.place_ref)",
		KEY_PLACE},
	{"resource", RESOURCE("NULLIF(r.resource, '')"), KEY_RESOURCE},
	{"owner", RESOURCE("r.owner"), KEY_RESOURCE},
	{"invoice_month", "h.invoice_month", 0},
	{"cost_type", "h.cost_type", 0},
	{"usage_unit", "NULLIF(h.usage_unit, '')", 0},
	{"currency", "h.currency", 0},
};

#define STATUS                                                                       \
	"(SELECT CASE WHEN a.now < c.ends + 86400 OR n.until < c.ends + 86400 THEN " \
	"'partial' "                                                                 \
	"WHEN a.now < c.ends + 259200 OR n.until < c.ends + 259200 THEN 'settling' " \
	"ELSE 'settled' END FROM as_of a "
#define STATUS_OF_ACCOUNT \
	STATUS "LEFT JOIN account_known n ON n.account = d.account AND n.day = c.day)"
#define STATUS_OF_PROJECT                                                              \
	STATUS "CROSS JOIN billed_project p LEFT JOIN account_known n ON n.account = " \
	       "p.account "                                                            \
	       "AND n.day = c.day WHERE p.project_ref = d.project_ref)"

bool cost_grouped_by(const struct cost_grouping *g, const char *name)
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

bool cost_is_plain(const struct app *app, const struct cost_grouping *g)
{
	return !app->o.where && !cost_grouped_by(g, "credit_type");
}

/* Accounts have no number and few rows, which are read directly. */
static bool is_of_accounts(const char *table)
{
	return !strcmp(table, "account_day");
}

/* The numbers that the grouping needs, and the smallest rollup that has them. */
static unsigned keys_of(
	const struct app *app, const struct cost_grouping *g, const char **table)
{
	unsigned need = has_status(g) ? KEY_DAY : 0;

	for (size_t i = 0; i < ARRAY_LEN(columns); i++)
		if (cost_grouped_by(g, columns[i].name))
			need |= columns[i].keys;
	for (size_t i = 0; i < g->n; i++)
		if (g->labels[i])
			need |= KEY_RESOURCE;
	*table = "cost_day";
	if (!g->usage && !(need & (KEY_PLACE | KEY_RESOURCE)))
		*table = need & (KEY_PROJECT | KEY_SKU) || app->o.project ? "project_day"
									  : "account_day";
	if (has_status(g) && !is_of_accounts(*table))
		need |= KEY_PROJECT;
	return need;
}

enum err_code cost_days(struct app *app, ts_t *first, ts_t *last, struct err *e)
{
	*first = *last = TS_NONE;
	if (app->o.since && query_time(app, app->o.since, first, e))
		return e->code;
	if (app->o.until && query_time(app, app->o.until, last, e))
		return e->code;
	if (*first != TS_NONE)
		*first = tz_day(app->cfg->tz, *first);
	/* The day of --until counts if it has begun. */
	if (*last != TS_NONE)
		*last = tz_day(app->cfg->tz, *last - 1);
	return E_OK;
}

static enum err_code add_filters(struct app *app, struct sbuf *sql, struct err *e)
{
	ts_t first, last;

	if (cost_days(app, &first, &last, e))
		return e->code;
	if (first != TS_NONE)
		sbuf_addf(sql, " AND day >= %lld", (long long)first);
	if (last != TS_NONE)
		sbuf_addf(sql, " AND day <= %lld", (long long)last);
	if (app->o.month)
		sbuf_adds(sql,
			" AND day IN (SELECT a.day FROM account_day a JOIN charge i ON "
			"i.charge_ref = a.charge_ref WHERE i.invoice_month = :month) AND "
			"charge_ref IN (SELECT charge_ref FROM charge WHERE invoice_month "
			"= "
			":month)");
	if (app->o.project) {
		sbuf_adds(sql,
			" AND project_ref IN (SELECT project_ref FROM billed_project WHERE "
			"1");
		query_add_project(app, sql, "project");
		sbuf_adds(sql, ")");
	}
	return E_OK;
}

static void add_names(struct sbuf *sql, const struct cost_grouping *g, bool of_account)
{
	for (size_t i = 0; i < ARRAY_LEN(columns); i++)
		if (cost_grouped_by(g, columns[i].name))
			sbuf_addf(sql, "%s AS %s, ", columns[i].sql, columns[i].name);
	for (size_t i = 0; i < g->n; i++)
		if (g->labels[i])
			sbuf_addf(sql,
				"(SELECT %s FROM billed_resource r WHERE r.resource_ref = "
				"d.resource_ref) AS \"%s\", ",
				g->labels[i], g->cols[i]->name);
	if (has_status(g))
		sbuf_addf(sql, "%s AS status, ",
			of_account ? STATUS_OF_ACCOUNT : STATUS_OF_PROJECT);
}

enum err_code cost_add_rollup(
	struct app *app, const struct cost_grouping *g, struct sbuf *sql, struct err *e)
{
	const char *table;
	unsigned need = keys_of(app, g, &table);
	bool of_account = is_of_accounts(table);

	sbuf_adds(sql, "(SELECT ");
	add_names(sql, g, of_account);
	sbuf_adds(sql, "d.cost AS cost_n, d.credits AS credits_n, d.promo AS promo_n");
	if (g->usage)
		sbuf_adds(sql, ", d.units, d.nanos, d.no_usage");
	sbuf_adds(sql, " FROM ");
	if (of_account) {
		sbuf_addf(sql, "(SELECT * FROM %s WHERE 1", table);
		if (add_filters(app, sql, e))
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

/* ---- sums --------------------------------------------------------------------------------------- */

/* The required numbers, then the charge and the amounts. */
static enum err_code build_rows(struct app *app, const struct cost_grouping *g,
	const char *table, unsigned need, struct sbuf *sql, struct err *e)
{
	sbuf_adds(sql, "SELECT ");
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (need & keys[i].key)
			sbuf_addf(sql, "%s, ", keys[i].column);
	sbuf_addf(sql, "charge_ref, cost, credits, promo%s FROM %s WHERE 1",
		g->usage ? ", usage" : "", table);
	return add_filters(app, sql, e);
}

static enum err_code add_row(const struct db_cursor *cur, unsigned need, bool usage,
	struct ref_sums *sums, struct err *e)
{
	int64_t refs[REFS] = {0}, v[3];
	struct ref_sum *sum;
	int at = 0;

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (need & keys[i].key)
			refs[keys[i].ref] = db_cursor_i64(cur, at++);
	refs[REF_CHARGE] = db_cursor_i64(cur, at++);
	sum = ref_sums_of(sums, refs);
	for (int i = 0; i < 3; i++)
		v[i] = db_cursor_i64(cur, at++);
	if (usage)
		ref_sum_add_usage(sum,
			db_cursor_type(cur, at) == DB_NULL ? NONE
							   : SOME(db_cursor_i64(cur, at)));
	if (ref_sum_add(sum, v[0], v[1], v[2]))
		return E_OK;
	err_set(e, E_LIMIT, "cost: a sum exceeds 9.2 billion, the largest amount");
	return err_fix(e, "use a shorter period or more groups");
}

enum err_code cost_sum_up(struct app *app, const struct cost_grouping *g, const char *month,
	struct ref_sums *sums, struct err *e)
{
	struct sbuf sql = SBUF_INIT;
	struct db_cursor cur = {0};
	const char *table;
	unsigned need = keys_of(app, g, &table);
	enum err_code rc;
	bool more;

	if (is_of_accounts(table))
		return E_OK;
	rc = build_rows(app, g, table, need, &sql, e);
	if (!rc)
		rc = db_cursor_open_own(app->db, sql.s, QUERY_MS, &cur, e);
	sbuf_done(&sql);
	if (rc)
		return rc;
	db_cursor_bind(&cur, ":month", month);
	while (!rc && !(rc = db_cursor_step(&cur, &more, e)) && more)
		rc = add_row(&cur, need, g->usage, sums, e);
	db_cursor_close(&cur);
	return rc;
}
