#include "collector/bill/sql.h"

#include <ctype.h>
#include <string.h>

static bool sql_name_valid(const char *s, size_t n, const char *extra)
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
	return sql_name_valid(name, (size_t)(dataset - name), "-:.") &&
		sql_name_valid(dataset + 1, (size_t)(table - dataset - 1), "_") &&
		sql_name_valid(table + 1, strlen(table + 1), "_-");
}

/* The day that names the unit of a row. For tables without ingestion-time partitions (a copy of the
 * export, a view) the day of export_time has the same purpose: it never changes for a row. */
static const char *sql_unit_of(const struct billing_shape *s)
{
	return s->has_partition_time ? "DATE(_PARTITIONTIME)" : "DATE(export_time)";
}

static const char *cut_of(const struct billing_shape *s)
{
	return s->has_cut
		? "\n  AND DATE(usage_start_time) BETWEEN @usage_from AND @usage_until"
		: "";
}

void billing_sql_units(struct sbuf *b, const char *table, const struct billing_shape *shape)
{
	const char *unit = sql_unit_of(shape);

	sbuf_addf(b,
		"/* tpucost:billing-units v2 */\n"
		"SELECT %s AS unit, currency AS currency, COUNT(*) AS row_count,\n"
		"  SUM(CAST(cost AS NUMERIC)) AS cost_sum,\n"
		"  SUM(IFNULL((SELECT SUM(CAST(c.amount AS NUMERIC))\n"
		"    FROM UNNEST(credits) AS c), 0)) AS credits_sum,\n"
		"  MAX(export_time) AS exported\n"
		"FROM `%s`\n"
		"WHERE %s BETWEEN @since AND @until%s\n"
		"GROUP BY 1, 2 ORDER BY 1, 2",
		unit, table, unit, cut_of(shape));
}

/* Keys that distinguish lines. An expression of NULL: the table does not have the column. */
struct key {
	const char *name, *sql;
};

#define HOUR "TIMESTAMP_TRUNC(usage_start_time, HOUR)"

static const struct key hours[] = {{"hour", HOUR}};
static const struct key days[] = {{"day", "DATE(" HOUR ", @zone)"},
	{"utc_day", "DATE(usage_start_time)"},
	{"pacific_month",
		"DATE_TRUNC(DATE(usage_start_time, 'America/Los_Angeles'), MONTH)"}};

/* BigQuery refuses to group by a literal, so missing columns follow after the keys. */
static void sql_add_keys(struct sbuf *b, const struct key *keys, size_t n, size_t *grouped)
{
	for (size_t i = 0; i < n; i++)
		if (keys[i].sql) {
			sbuf_addf(b, "%s%s AS %s", *grouped ? ",\n  " : "SELECT ",
				keys[i].sql, keys[i].name);
			++*grouped;
		}
	for (size_t i = 0; i < n; i++)
		if (!keys[i].sql)
			sbuf_addf(b, ",\n  CAST(NULL AS STRING) AS %s", keys[i].name);
}

/* The first of the columns that a row has: the cost itself if it has none of the others. Each is cast
 * first, because a FLOAT64 among them would make all of them FLOAT64. */
static void sql_add_known(struct sbuf *b, const char *const *columns, size_t n)
{
	sbuf_adds(b, "COALESCE(");
	for (size_t i = 0; i < n; i++)
		if (columns[i])
			sbuf_addf(b, "CAST(%s AS NUMERIC), ", columns[i]);
	sbuf_adds(b, "CAST(cost AS NUMERIC))");
}

/* The usage itself and each of its credits, so that one pass over the table sums both. The names of
 * its parts differ from all column names, because GoogleSQL could not distinguish them. */
static void sql_add_lines(struct sbuf *b, const struct billing_shape *s)
{
	const char *const list[] = {s->has_list ? "cost_at_list" : NULL,
		s->has_list_model ? "cost_at_list_consumption_model" : NULL};
	const char *const standard[] = {
		s->has_default ? "cost_at_effective_price_default" : NULL};

	sbuf_addf(b,
		"UNNEST(ARRAY_CONCAT(\n"
		"  [STRUCT('' AS credit_type, CAST(%s AS NUMERIC) AS used,\n"
		"    CAST(cost AS NUMERIC) AS charged, NUMERIC '0' AS credited,\n    1 AS "
		"n,\n    ",
		s->has_pricing_usage ? "usage.amount_in_pricing_units" : "usage.amount");
	sql_add_known(b, list, ARRAY_LEN(list));
	sbuf_adds(b, " AS listed,\n    ");
	sql_add_known(b, standard, ARRAY_LEN(standard));
	sbuf_adds(b,
		" AS standard)],\n"
		"  ARRAY(SELECT AS STRUCT IFNULL(NULLIF(c.type, ''), 'UNKNOWN'), NUMERIC "
		"'0',\n"
		"    NUMERIC '0', CAST(c.amount AS NUMERIC), 0, NUMERIC '0', NUMERIC '0'\n"
		"    FROM UNNEST(credits) AS c))) AS line\n");
}

/* Labels of the usage and of its project, as a JSON object; a label of the usage takes precedence
 * over the project's label with the same key. */
#define LABEL_SET(asked)                                                                 \
	"CONCAT('{', (\n"                                                                \
	"    SELECT STRING_AGG(CONCAT(TO_JSON_STRING(l.key), ':',\n"                     \
	"      TO_JSON_STRING(IFNULL(l.value, ''))), ',' ORDER BY l.key)\n"              \
	"    FROM UNNEST(ARRAY_CONCAT(IFNULL(labels, []), ARRAY(\n"                      \
	"      SELECT AS STRUCT p.key, p.value FROM UNNEST(project.labels) AS p\n"       \
	"      WHERE p.key NOT IN (SELECT o.key FROM UNNEST(labels) AS o)))) AS l" asked \
	"), '}')"

#define ASKED_LABELS "\n    WHERE ARRAY_LENGTH(@keys) = 0 OR l.key IN UNNEST(@keys)"

static const char asked[] =
	"\n  AND " HOUR " >= @from AND " HOUR " < @until AND export_time < @exported\n"
	"  AND (@month = '' OR invoice.month = @month)\n"
	"  AND (ARRAY_LENGTH(@projects) = 0 OR project.id IN UNNEST(@projects))";

void billing_sql_rows(struct sbuf *b, const char *table, const struct billing_shape *shape)
{
	const char *unit = sql_unit_of(shape);
	const char *rate = shape->has_rate ? "CAST(currency_conversion_rate AS NUMERIC)"
					   : NULL;
	const struct key keys[] = {{"credit_type", "line.credit_type"},
		{"invoice_month", "invoice.month"}, {"currency", "currency"},
		{"project_id", "project.id"}, {"service_id", "service.id"},
		{"service_name", "service.description"}, {"sku_id", "sku.id"},
		{"sku_name", "sku.description"}, {"place", "location.location"},
		{"region", "location.region"}, {"zone", "location.zone"},
		{"usage_unit",
			shape->has_pricing_usage ? "usage.pricing_unit" : "usage.unit"},
		{"account", shape->has_account ? "billing_account_id" : NULL},
		{"project_number", shape->has_number ? "project.number" : NULL},
		{"cost_type", shape->has_cost_type ? "cost_type" : NULL},
		{"resource_name", shape->has_resource ? "resource.name" : NULL},
		{"global_name", shape->has_resource ? "resource.global_name" : NULL},
		{"label_set",
			!shape->has_labels    ? NULL
				: shape->asks ? LABEL_SET(ASKED_LABELS)
					      : LABEL_SET("")},
		{"model", shape->has_model ? "consumption_model.id" : NULL},
		{"model_name", shape->has_model ? "consumption_model.description" : NULL}};
	const struct key rates[] = {{"rate", rate}}, units[] = {{"unit", unit}};
	bool by_hour = !shape->by_day && !shape->by_sum;
	bool by_unit = !shape->asks || by_hour;
	bool by_rate = !by_hour && rate; /* it may change within a day */
	size_t grouped = 0;

	sbuf_addf(b, "/* tpucost:billing-%s v2 */\n",
		shape->asks             ? "ask"
			: shape->by_day ? "days"
					: "rows");
	sql_add_keys(b, units, by_unit, &grouped);
	sql_add_keys(b, hours, by_hour, &grouped);
	sql_add_keys(b, days,
		!shape->by_day        ? 0
			: shape->asks ? 1
				      : ARRAY_LEN(days),
		&grouped);
	sql_add_keys(b, rates, by_rate, &grouped);
	sql_add_keys(b, keys, ARRAY_LEN(keys), &grouped);
	if (!by_rate)
		sbuf_addf(b, ",\n  MAX(%s) AS rate", rate ? rate : "CAST(NULL AS NUMERIC)");
	if (!by_hour)
		sbuf_adds(b, ",\n  MAX(" HOUR ") AS hour, MIN(" HOUR ") AS first_hour");
	if (!by_unit)
		sbuf_addf(b, ",\n  MAX(%s) AS unit", unit);
	sbuf_addf(b,
		",\n  MAX(CAST(%s AS NUMERIC)) AS price,\n"
		"  MAX(CAST(%s AS NUMERIC)) AS price_default,\n"
		"  SUM(line.used) AS usage_sum, SUM(line.charged) AS cost_sum,\n"
		"  SUM(line.credited) AS credits_sum, SUM(line.listed) AS list_sum,\n"
		"  SUM(line.standard) AS default_sum, SUM(line.n) AS row_count\n"
		"FROM `%s`, ",
		shape->has_price
			? "SAFE_DIVIDE(price.effective_price, price.pricing_unit_quantity)"
			: "NULL",
		shape->has_price && shape->has_price_default
			? "SAFE_DIVIDE(price.effective_price_default, "
			  "price.pricing_unit_quantity)"
			: "NULL",
		table);
	sql_add_lines(b, shape);
	sbuf_addf(b,
		"WHERE %s BETWEEN @first AND @last AND %s IN UNNEST(@units)%s%s\n"
		"GROUP BY ",
		unit, unit, cut_of(shape), shape->asks ? asked : "");
	for (size_t i = 1; i <= grouped; i++)
		sbuf_addf(b, "%s%zu", i > 1 ? ", " : "", i);
	sbuf_adds(b, "\nORDER BY 1, 2");
}
