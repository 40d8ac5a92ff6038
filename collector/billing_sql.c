#include "collector/billing_sql.h"

#include <ctype.h>
#include <string.h>

static bool name_valid(const char *s, size_t n, const char *extra)
{
	if (!n || n > 1024)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr(extra, s[i]))
			return false;
	return true;
}

bool billing_table_valid(const char *name)
{
	const char *table = strrchr(name, '.'), *dataset;

	if (!table || table == name)
		return false;
	dataset = memrchr(name, '.', (size_t)(table - name));
	if (!dataset || dataset == name)
		return false;
	return name_valid(name, (size_t)(dataset - name), "-:.") &&
		name_valid(dataset + 1, (size_t)(table - dataset - 1), "_") &&
		name_valid(table + 1, strlen(table + 1), "_-");
}

/* The day that a row's unit is named after. Without ingestion-time partitions (a copy of the
 * export, a view) the day of export_time serves as well: it never changes for a row. */
static const char *unit_of(const struct billing_shape *s)
{
	return s->has_partition_time ? "DATE(_PARTITIONTIME)" : "DATE(export_time)";
}

#define CREDITS \
	"IFNULL((SELECT SUM(CAST(c.amount AS NUMERIC)) FROM UNNEST(credits) AS c), 0)"
#define PROMO                                                                      \
	"IFNULL((SELECT SUM(CAST(c.amount AS NUMERIC)) FROM UNNEST(credits) AS c " \
	"WHERE c.type = 'PROMOTION'), 0)"

void billing_sql_units(struct sbuf *b, const char *table, const struct billing_shape *shape)
{
	const char *unit = unit_of(shape);

	sbuf_addf(b,
		"/* tpucost:billing-units v1 */\n"
		"SELECT %s AS unit, currency AS currency, COUNT(*) AS row_count,\n"
		"  SUM(CAST(cost AS NUMERIC)) AS cost_sum,\n"
		"  SUM(" CREDITS ") AS credits_sum,\n"
		"  MAX(export_time) AS exported\n"
		"FROM `%s`\n"
		"WHERE %s >= @since\n"
		"GROUP BY 1, 2 ORDER BY 1, 2",
		unit, table, unit);
}

/* BigQuery refuses to group by a literal, so what a table lacks is an aggregate. */
#define NO_TEXT "MAX(CAST(NULL AS STRING))"

void billing_sql_rows(struct sbuf *b, const char *table, const struct billing_shape *shape)
{
	const char *unit = unit_of(shape);

	sbuf_addf(b,
		"/* tpucost:billing-rows v1 */\n"
		"SELECT %s AS unit, TIMESTAMP_TRUNC(usage_start_time, HOUR) AS hour,\n"
		"  invoice.month AS invoice_month, project.id AS project_id,\n"
		"  service.id AS service_id, service.description AS service_name,\n"
		"  sku.id AS sku_id, sku.description AS sku_name,\n"
		"  location.location AS place, location.region AS region,\n"
		"  location.zone AS zone, currency AS currency, %s AS usage_unit,\n"
		"  %s AS cost_type, %s AS resource_name, %s AS global_name,\n",
		unit, shape->has_pricing_usage ? "usage.pricing_unit" : "usage.unit",
		shape->has_cost_type ? "cost_type" : NO_TEXT,
		shape->has_resource ? "resource.name" : NO_TEXT,
		shape->has_resource ? "resource.global_name" : NO_TEXT);
	sbuf_addf(b,
		"  SUM(CAST(%s AS NUMERIC)) AS usage_sum,\n"
		"  SUM(CAST(cost AS NUMERIC)) AS cost_sum,\n"
		"  SUM(" CREDITS ") AS credits_sum,\n"
		"  SUM(" PROMO ") AS promo_sum,\n"
		"  MAX(CAST(%s AS NUMERIC)) AS rate, COUNT(*) AS row_count\n"
		"FROM `%s`\n"
		"WHERE %s IN UNNEST(@units)\n"
		"GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13%s%s\n"
		"ORDER BY 1, 2",
		shape->has_pricing_usage ? "usage.amount_in_pricing_units" : "usage.amount",
		shape->has_rate ? "currency_conversion_rate" : "NULL", table, unit,
		shape->has_cost_type ? ", 14" : "", shape->has_resource ? ", 15, 16" : "");
}
