/* Rollups keep numbers instead of names. A sum over many of their rows takes the numbers first and
 * looks up the names of what is left, which is little. */
#include "cli/cost.h"

#include "base/civil.h"
#include "base/str.h"
#include "base/tz.h"
#include "cli/config.h"
#include "cli/query.h"

#include <string.h>

enum key {
	KEY_DAY = 1,
	KEY_ACCOUNT = 2,
	KEY_PROJECT = 4,
	KEY_SKU = 8,
	KEY_PLACE = 16,
	KEY_RESOURCE = 32
};

static const struct {
	enum key key;
	const char *column;
} keys[] = {{KEY_DAY, "day"}, {KEY_ACCOUNT, "account"}, {KEY_PROJECT, "project_ref"},
	{KEY_SKU, "sku_ref"}, {KEY_PLACE, "place_ref"}, {KEY_RESOURCE, "resource_ref"}};

/* As db/views/50_costs_exact.sql has them. */
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
	{"resource",
		"(SELECT NULLIF(r.resource, '') FROM billed_resource r WHERE "
		"r.resource_ref = d.resource_ref)",
		KEY_RESOURCE},
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
	STATUS "LEFT JOIN account_known n ON n.account = d.account AND n.day = d.day)"
#define STATUS_OF_PROJECT                                                              \
	STATUS "CROSS JOIN billed_project p LEFT JOIN account_known n ON n.account = " \
	       "p.account "                                                            \
	       "AND n.day = d.day WHERE p.project_ref = d.project_ref)"

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

/* The numbers that it needs, and the smallest rollup that has them. */
static unsigned keys_of(
	const struct app *app, const struct cost_grouping *g, const char **table)
{
	unsigned need = has_status(g) ? KEY_DAY : 0;

	for (size_t i = 0; i < ARRAY_LEN(columns); i++)
		if (cost_grouped_by(g, columns[i].name))
			need |= columns[i].keys;
	*table = "cost_day";
	if (!g->usage && !(need & (KEY_PLACE | KEY_RESOURCE)))
		*table = need & (KEY_PROJECT | KEY_SKU) || app->o.project ? "project_day"
									  : "account_day";
	if (has_status(g))
		need |= strcmp(*table, "account_day") != 0 ? KEY_PROJECT : KEY_ACCOUNT;
	return need;
}

static void add_keys(struct sbuf *sql, unsigned need)
{
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (need & keys[i].key)
			sbuf_addf(sql, "%s, ", keys[i].column);
	sbuf_adds(sql, "charge_ref");
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
	/* The day in which --until lies counts when it has begun. */
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
	if (has_status(g))
		sbuf_addf(sql, "%s AS status, ",
			of_account ? STATUS_OF_ACCOUNT : STATUS_OF_PROJECT);
}

enum err_code cost_add_rollup(
	struct app *app, const struct cost_grouping *g, struct sbuf *sql, struct err *e)
{
	const char *table;
	unsigned need = keys_of(app, g, &table);

	sbuf_adds(sql, "(SELECT ");
	add_names(sql, g, need & KEY_ACCOUNT);
	sbuf_addf(sql, "d.cost_n, d.credits_n, d.promo_n%s FROM (SELECT ",
		g->usage ? ", d.usage_high, d.usage_low, d.usage_missing" : "");
	add_keys(sql, need);
	sbuf_adds(sql,
		", SUM(cost) AS cost_n, SUM(credits) AS credits_n, SUM(promo) AS promo_n");
	if (g->usage)
		sbuf_adds(sql,
			", SUM(usage / 1000000000) AS usage_high, SUM(usage % 1000000000) "
			"AS usage_low, COUNT(*) - COUNT(usage) AS usage_missing");
	sbuf_addf(sql, " FROM %s WHERE 1", table);
	if (add_filters(app, sql, e))
		return e->code;
	sbuf_adds(sql, " GROUP BY ");
	add_keys(sql, need);
	sbuf_adds(sql, ") d JOIN charge h ON h.charge_ref = d.charge_ref");
	if (need & KEY_DAY)
		sbuf_adds(sql, " JOIN calendar c ON c.day = d.day");
	sbuf_adds(sql, ")");
	return E_OK;
}
