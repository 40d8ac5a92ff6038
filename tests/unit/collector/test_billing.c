/* The billing export against a server with canned answers. The oracle is the database and
 * the queries that were sent. */
#include "collector/bill/sql.h"
#include "collector/bill/store.h"
#include "collector/collect.h"
#include "collector/bill/usage_stage.h"
#include "db_sql.h"

#include "base/time/civil.h"
#include "base/time/tz.h"
#include "tests/support/assert.h"
#include "tests/support/fault/faultstmt.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define TABLE "GET /bigquery/v2/projects/my-project/datasets/billing/tables/export"
#define QUERIES "POST /bigquery/v2/projects/my-project/queries"
#define JSON_TYPE "Content-Type: application/json\r\n"

static struct tempdb t;
static struct tz *tz;

/* What the export holds in one step of a test. */
struct export
{
	const char *modified; /* lastModifiedTime */
	const char *units;    /* rows of the first query, f/v */
	const char *rows;     /* rows of the second */
	size_t n_units, n_rows;
	const char *fields;    /* of the table; NULL: a detailed export */
	int table_status;      /* 0: 200 */
	int table_rows;        /* numRows; 0: 4; -1: 0 */
	const char *all_units; /* answer to the query for every partition */
	size_t n_all_units;
	const char *created; /* creationTime; NULL: "1" */
	day_t from;          /* of the configuration; 0: no bound */
	const char *type;    /* of the table; NULL: TABLE */
};

static int setup(void **state)
{
	struct err e = {0};

	if (tz_open("Asia/Hong_Kong", &tz, &e))
		fail_msg("%s", e.msg);
	return 0;
}

static int teardown(void **state)
{
	tz_free(tz);
	return 0;
}

#define S(name) "{\"name\":\"" name "\",\"type\":\"STRING\"}"
#define N(name) "{\"name\":\"" name "\",\"type\":\"NUMERIC\"}"
#define REC(name, fields) \
	"{\"name\":\"" name "\",\"type\":\"RECORD\",\"fields\":[" fields "]}"

static const char detailed[] = S("currency") "," S(
	"cost_type") ",{\"name\":\"usage_start_time\",\"type\":\"TIMESTAMP\"},{\"name\":"
		     "\"export_time\",\"type\":\"TIMESTAMP\"},{\"name\":\"cost\",\"type\":"
		     "\"FLOAT\"},"
		     "{\"name\":\"currency_conversion_rate\",\"type\":\"FLOAT\"}," REC(
			     "service", S("id") "," S("description")) "," REC("sku",
			     S("id") "," S("description")) "," REC("project",
			     S("id")) "," REC("invoice", S("month")) "," REC("location",
			     S("location") "," S("region") "," S(
				     "zone")) "," REC("resource",
			     S("name") "," S("global_name")) "," REC("usage",
			     S("unit") ",{\"name\":\"amount\",\"type\":\"FLOAT\"},"
				       "{\"name\":\"amount_in_pricing_units\",\"type\":"
				       "\"FLOAT\"}," S(
					       "pricing_unit")) ",{\"name\":\"credits\","
								"\"type\":\"RECORD\","
								"\"mode\":\"REPEATED\","
								"\"fields\":[" S(
									"name") ",{"
										"\"name\":"
										"\"amount\""
										",\"type\":"
										"\"FLOAT\"}"
										"," S("typ"
										      "e") "]}";

static const char unit_fields[] = "{\"name\":\"unit\",\"type\":\"DATE\"}," S(
	"currency") ",{\"name\":\"row_count\",\"type\":\"INTEGER\"}"
		    "," N("cost_sum") "," N("credits_sum") ",{\"name\":\"exported\","
							   "\"type\":\"TIMESTAMP\"}";
/* The columns of the second query. */
static const char *const row_columns[][2] = {
	{"unit", "DATE"},
	{"hour", "TIMESTAMP"},
	{"credit_type", "STRING"},
	{"invoice_month", "STRING"},
	{"currency", "STRING"},
	{"project_id", "STRING"},
	{"service_id", "STRING"},
	{"service_name", "STRING"},
	{"sku_id", "STRING"},
	{"sku_name", "STRING"},
	{"place", "STRING"},
	{"region", "STRING"},
	{"zone", "STRING"},
	{"usage_unit", "STRING"},
	{"account", "STRING"},
	{"project_number", "STRING"},
	{"cost_type", "STRING"},
	{"resource_name", "STRING"},
	{"global_name", "STRING"},
	{"label_set", "STRING"},
	{"model", "STRING"},
	{"model_name", "STRING"},
	{"rate", "NUMERIC"},
	{"price", "NUMERIC"},
	{"price_default", "NUMERIC"},
	{"usage_sum", "NUMERIC"},
	{"cost_sum", "NUMERIC"},
	{"credits_sum", "NUMERIC"},
	{"list_sum", "NUMERIC"},
	{"default_sum", "NUMERIC"},
	{"row_count", "INTEGER"},
};

static const char *row_fields(void)
{
	static char text[4096];

	text[0] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(row_columns); i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			"%s{\"name\":\"%s\",\"type\":\"%s\"}", i ? "," : "",
			row_columns[i][0], row_columns[i][1]);
	return text;
}

#define V(x) "{\"v\":\"" x "\"}"
#define NUL "{\"v\":null}"
/* unit, currency, rows, cost, credits, newest export */
#define UNIT(day, cur, rows, cost, credits, exported)                              \
	"{\"f\":[" V(day) "," V(cur) "," V(rows) "," V(cost) "," V(credits) "," V( \
		exported) "]}"
/* clang-format off */
/* A line of a machine's core-hour; `hour` in microseconds. `models`: the consumption model and its name;
 * `prices`: per hour, and per hour of the default model; `at`: the cost at list prices, and in the
 * default model. */
#define MODEL_LINE(day, hour, type, models, prices, usage, cost, credits, at, rows)        \
	"{\"f\":[" V(day) "," V(hour) "," V(type) "," V("202611") "," V("HKD") "," V("p1") "," \
	V("6F81-5844-456A") "," V("Compute Engine") "," V("2E27-4F75-95CD") ","            \
	V("N1 Predefined Instance Core running in Americas") "," V("us-central1") ","      \
	V("us-central1") "," V("us-central1-b") "," V("hour") ","                          \
	V("01AB23-CD45EF-678901") "," V("123456789012") "," V("regular") "," V("tpu-vm")   \
	"," V("//compute/x") "," NUL "," models "," V("7.75") "," prices "," V(usage) "," V(cost)  \
	"," V(credits) "," at "," V(rows) "]}"
#define LINE(day, hour, type, usage, cost, credits, rows)                                  \
	MODEL_LINE(day, hour, type, NUL "," NUL, V("0.2") "," NUL, usage, cost, credits,   \
		V(cost) "," V(cost), rows)
#define CORE(day, hour, cost, rows) LINE(day, hour, "", "1.5", cost, "0", rows)
#define CREDIT(day, hour, type, amount) LINE(day, hour, type, "0", "0", amount, "0")
#define TAX(day, hour, cost)                                                               \
	"{\"f\":[" V(day) "," V(hour) "," V("") "," V("202611") "," V("HKD") "," NUL "," NUL   \
	"," V("Invoice") "," NUL "," V("Tax") "," NUL "," NUL "," NUL "," NUL ","          \
	V("01AB23-CD45EF-678901") "," NUL "," V("tax") "," NUL "," NUL "," NUL "," NUL "," NUL "," \
	V("7.75") "," NUL "," NUL "," V("0") "," V(cost) "," V("0") "," V(cost) "," V(cost) "," \
	V("1") "]}"
/* clang-format on */

/* 2026-11-18T15:00Z (23:00 in Hong Kong) and 16:00Z (midnight there) */
#define H15 "1795014000000000"
#define H16 "1795017600000000"
#define X1 "1795100000000000"
#define X2 "1795200000000000"

static void answer(char *buf, size_t size, const char *fields, const char *rows, size_t n)
{
	snprintf(buf, size,
		"{\"jobComplete\":true,\"jobReference\":{\"projectId\":\"my-project\","
		"\"jobId\":\"j\",\"location\":\"EU\"},\"schema\":{\"fields\":[%s]},"
		"\"totalRows\":\"%zu\",\"rows\":[%s],\"totalBytesBilled\":\"10485760\"}",
		fields, n, rows);
}

struct outcome {
	struct collect_result r;
	enum err_code rc;
	size_t queries;
	char first_query[8192];
	char second_query[8192];
};

static int64_t max_bytes = INT64_C(1) << 34;
static int64_t failing; /* the query of the database that fails in polls; 0: none */
static enum fault_when failing_when;
static bool query_failed;

static struct outcome poll(const struct export *x, ts_t now)
{
	static char table[8192], units[16384], all[16384], rows[32768];
	static const char *const projects[] = {"my-project"};
	static const char *const only[] = {"billing"};
	const struct billing_export tables[] = {{.name = "my-project.billing.export",
		.from = x->from ? x->from : DAY_NONE,
		.until = DAY_NONE}};
	struct collect_settings settings = {.projects = projects,
		.n_projects = 1,
		.tables = tables,
		.n_tables = 1,
		.max_bytes = max_bytes,
		.tz = tz};
	struct gcp_world w;
	struct outcome o = {0};
	struct collector c = {.settings = &settings, .only = only, .n_only = 1};

	snprintf(table, sizeof(table),
		x->table_status
			? "{\"error\":{\"code\":%d,\"message\":\"Not found: Table\","
			  "\"errors\":[{\"reason\":\"notFound\"}]}}"
			: "{\"kind\":\"bigquery#table\",\"location\":\"EU\",\"numRows\":\"%"
			  "d\",\"lastModifiedTime\":\"%s\",\"type\":\"%s\","
			  "\"creationTime\":\"%s\",\"timePartitioning\":{\"type\":\"DAY\"},"
			  "\"schema\":{\"fields\":[%s]}}",
		x->table_status         ? x->table_status
			: x->table_rows ? (x->table_rows > 0 ? x->table_rows : 0)
					: 4,
		x->modified, x->type ? x->type : "TABLE", x->created ? x->created : "1",
		x->fields ? x->fields : detailed);
	answer(units, sizeof(units), unit_fields, x->units ? x->units : "", x->n_units);
	answer(all, sizeof(all), unit_fields, x->all_units ? x->all_units : "",
		x->n_all_units);
	answer(rows, sizeof(rows), row_fields(), x->rows ? x->rows : "", x->n_rows);
	{
		struct fault_step steps[4] = {
			{.match = TABLE,
				.status = x->table_status ? x->table_status : 200,
				.headers = JSON_TYPE,
				.body = table},
			{.match = QUERIES, .times = 1, .headers = JSON_TYPE, .body = units},
			{.match = QUERIES, .headers = JSON_TYPE, .body = rows},
		};

		/* the second look at partitions comes before the rows */
		if (x->all_units)
			steps[2] = (struct fault_step){.match = QUERIES,
				.times = 1,
				.headers = JSON_TYPE,
				.body = all};

		steps[3] = (struct fault_step){
			.match = QUERIES, .headers = JSON_TYPE, .body = rows};
		world_open(&w, steps, ARRAY_LEN(steps));
	}
	w.clock.fake_now = now;
	c.gcp = w.g;
	c.db = t.db;
	c.clock = &w.clock;
	if (failing)
		faultstmt_arm(t.db, failing_when, failing);
	o.rc = collect(&c, &o.r, &w.e);
	query_failed = failing && faultstmt_disarm(t.db);
	if (o.rc && !query_failed)
		fail_msg("%s", w.e.msg);
	o.queries = fault_count_of(w.s, QUERIES);
	for (size_t i = 0, seen = 0; i < fault_count(w.s); i++) {
		const char *q = fault_request(w.s, i);

		if (strncmp(q, QUERIES, strlen(QUERIES)) != 0)
			continue;
		snprintf(seen++ ? o.second_query : o.first_query, sizeof(o.first_query),
			"%s", q);
	}
	world_close(&w);
	return o;
}

static void expect(const char *sql, const char *want)
{
	tempdb_expect(&t, sql, want);
}

static void fresh(void)
{
	tempdb_open(&t, WORLD_NOW);
	tempdb_exec(&t,
		"INSERT INTO as_of (now, timezone, currency) VALUES (1795237200, "
		"'Asia/Hong_Kong', 'HKD')");
}

static const struct export first = {.modified = "100",
	.units = UNIT("2026-11-18", "HKD", "4", "12.500000044", "-2.5", X1),
	.n_units = 1,
	.rows = CORE("2026-11-18", H15, "10.000000044", "2") "," CREDIT(
		"2026-11-18", H15, "PROMOTION", "-2") "," CREDIT("2026-11-18", H15,
		"DISCOUNT", "-0.5") "," CORE("2026-11-18", H16, "0.5",
		"1") "," TAX("2026-11-18", H16, "2"),
	.n_rows = 5};

static void the_sums_are_those_of_the_export_to_the_nano_unit(void **state)
{
	static const char *const views[] = {
		"costs_exact", "sku_costs_exact", "hour_costs_exact", "cost_lines_exact"};
	static const char *const with_days[] = {
		"costs_exact", "hour_costs_exact", "cost_lines_exact"};
	char sql[200];
	struct outcome o;

	fresh();
	o = poll(&first, WORLD_NOW);
	assert_int_equal(o.r.ok, 1);
	assert_int_equal(o.queries, 2);
	for (size_t i = 0; i < ARRAY_LEN(views); i++) {
		snprintf(sql, sizeof(sql),
			"SELECT SUM(cost_n) || ' ' || SUM(credits_n) FROM %s", views[i]);
		expect(sql, "12500000044 -2500000000");
	}
	expect("SELECT SUM(promo_n) FROM costs_exact", "-2000000000");
	expect("SELECT ROUND(SUM(net), 9) FROM costs", "10.000000044");
	expect("SELECT SUM(cost) || ' ' || SUM(credits) || ' ' || SUM(promo) FROM "
	       "project_day",
		"12500000044 -2500000000 -2000000000");
	/* 15:00Z is still the 18th in Hong Kong, 16:00Z is the 19th */
	expect("SELECT group_concat(day || ' ' || cost) FROM (SELECT day, SUM(cost) AS "
	       "cost FROM costs GROUP BY day ORDER BY day)",
		"2026-11-18 10.000000044,2026-11-19 2.5");
	for (size_t i = 0; i < ARRAY_LEN(with_days); i++) {
		snprintf(sql, sizeof(sql),
			"SELECT group_concat(day || ' ' || cost) FROM (SELECT day, "
			"SUM(cost_n) AS cost FROM %s GROUP BY day ORDER BY day)",
			with_days[i]);
		expect(sql, "2026-11-18 10000000044,2026-11-19 2500000000");
	}
	/* tax belongs to no project and stays in the total */
	expect("SELECT cost || ' ' || sku || ' ' || cost_type FROM costs WHERE project IS "
	       "NULL",
		"2.0 Tax tax");
	expect("SELECT status FROM costs WHERE sku = 'Tax'", "settling");
	tempdb_close(&t);
}

static void nothing_is_queried_while_the_table_has_not_changed(void **state)
{
	struct outcome o;

	fresh();
	poll(&first, WORLD_NOW);
	o = poll(&first, WORLD_NOW + 3600);
	assert_int_equal(o.r.ok, 1);
	assert_int_equal(o.queries, 0);
	assert_false(o.r.changed);
	tempdb_close(&t);
}

static void a_touched_table_with_equal_units_reads_no_rows(void **state)
{
	struct export touched = first;
	struct outcome o;

	fresh();
	poll(&first, WORLD_NOW);
	touched.modified = "200";
	o = poll(&touched, WORLD_NOW + 3600);
	assert_int_equal(o.queries, 1);
	assert_false(o.r.changed);
	expect("SELECT SUM(cost_n) FROM costs_exact", "12500000044");
	tempdb_close(&t);
}

static void a_correction_replaces_its_unit_and_cannot_double(void **state)
{
	/* -10 and +5 came late for the same partition */
	static const struct export corrected = {.modified = "300",
		.table_rows = 6,
		.units = UNIT("2026-11-18", "HKD", "6", "7.500000044", "-2.5", X2),
		.n_units = 1,
		.rows = CORE("2026-11-18", H15, "5.000000044", "4") "," CREDIT(
			"2026-11-18", H15, "PROMOTION", "-2.5") "," CORE("2026-11-18", H16,
			"0.5", "1") "," TAX("2026-11-18", H16, "2"),
		.n_rows = 4};
	struct outcome o;

	fresh();
	poll(&first, WORLD_NOW);
	o = poll(&corrected, WORLD_NOW + 3600);
	assert_true(o.r.changed);
	expect("SELECT SUM(cost_n) FROM costs_exact", "7500000044");
	expect("SELECT COUNT(*) FROM billing_unit", "1");
	expect("SELECT COUNT(*) FROM usage", "4");
	expect("SELECT COUNT(*) FROM stage_usage", "0");
	tempdb_close(&t);
}

static void rows_that_do_not_add_up_change_nothing(void **state)
{
	static const struct export torn = {.modified = "300",
		.table_rows = 6,
		.units = UNIT("2026-11-18", "HKD", "6", "5.000000045", "0", X2),
		.n_units = 1,
		.rows = CORE("2026-11-18", H15, "5.000000044", "6"),
		.n_rows = 1};
	struct outcome o;

	fresh();
	poll(&first, WORLD_NOW);
	o = poll(&torn, WORLD_NOW + 3600);
	assert_int_equal(o.r.failed, 1);
	expect("SELECT SUM(cost_n) FROM costs_exact", "12500000044");
	expect("SELECT error LIKE '%2026-11-18 is inconsistent%' FROM source_status", "1");
	/* and it is read again next time: the table does not count as seen */
	o = poll(&torn, WORLD_NOW + 7200);
	assert_int_equal(o.queries, 2);
	tempdb_close(&t);
}

/* A line of an hour in which one column has another value; NULL: none. */
static const char *row_with(const char *column, const char *value)
{
	static const char *const usual[ARRAY_LEN(row_columns)] = {"2026-11-18", H15, "",
		"202611", "HKD", "p1", "6F81-5844-456A", "Compute Engine", "2E27-4F75-95CD",
		"Core", "", "", "", "hour", "01AB23", "123", "tax", "", "", NULL, NULL,
		NULL, "7.75", "0.2", NULL, "1.5", "7", "0", "7", "7", "6"};
	static char row[2048];

	snprintf(row, sizeof(row), "{\"f\":[");
	for (size_t i = 0; i < ARRAY_LEN(usual); i++) {
		const char *v = strcmp(row_columns[i][0], column) != 0 ? usual[i] : value;

		snprintf(row + strlen(row), sizeof(row) - strlen(row), "%s{\"v\":%s%s%s}",
			i ? "," : "", v ? "\"" : "", v ? v : "null", v ? "\"" : "");
	}
	snprintf(row + strlen(row), sizeof(row) - strlen(row), "]}");
	return row;
}

static void a_line_has_what_it_needs_or_is_refused(void **state)
{
	static const struct {
		const char *column, *value, *why; /* why NULL: it is read */
	} cases[] = {
		{"unit", NULL, "unit"},
		{"unit", "yesterday", "yesterday"},
		{"unit", "2026-11-19", "rows of a day that was not requested"},
		{"hour", NULL, "column hour is NULL"},
		{"row_count", NULL, "column row_count is NULL"},
		{"usage_sum", "much", "usage_sum"},
		{"cost_sum", "much", "cost_sum"},
		{"price", "much", "price"},
		{"price_default", "much", "price_default"},
		{"list_sum", "much", "list_sum"},
		{"usage_sum", NULL, NULL},
		{"usage_sum", "99999999999999999999", NULL},
		{"cost_type", NULL, NULL},
		{"rate", NULL, NULL},
		{"rate", "-7.75", NULL},
		{"credits_sum", NULL, NULL},
		{"price", NULL, NULL},
		{"service_name", NULL, NULL},
		{"", "", NULL},
	};
	static const char *const wants[] = {"0 7 tax 7750000000 Compute Engine",
		"- 7 tax 7750000000 Compute Engine",
		"1500000000 7 regular 7750000000 Compute Engine",
		"1500000000 7 tax 0 Compute Engine", "1500000000 7 tax 0 Compute Engine",
		"1500000000 7 tax 7750000000 Compute Engine",
		"1500000000 7 tax 7750000000 Compute Engine",
		"1500000000 7 tax 7750000000 ",
		"1500000000 7 tax 7750000000 Compute Engine"};
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct export x = {.modified = "300",
			.table_rows = 6,
			.units = UNIT("2026-11-18", "HKD", "6", "7", "0", X2),
			.n_units = 1,
			.rows = row_with(cases[i].column, cases[i].value),
			.n_rows = 1};
		char error[400];
		struct outcome o;

		fresh();
		o = poll(&x, WORLD_NOW);
		tempdb_text(&t, "SELECT COALESCE(error, '') FROM source_status", error,
			sizeof(error));
		assert_int_equal(o.r.failed, cases[i].why != NULL);
		if (cases[i].why ? !strstr(error, cases[i].why) : *error != 0)
			fail_msg("%s: %s", cases[i].column, error);
		expect("SELECT COUNT(*) FROM usage", cases[i].why ? "0" : "1");
		if (!cases[i].why)
			expect("SELECT COALESCE(u.usage, '-') || ' ' || (u.cost / "
			       "1000000000) || "
			       "' ' || c.cost_type || ' ' || c.rate || ' ' || s.service "
			       "FROM usage u "
			       "JOIN charge c USING (charge_ref) JOIN sku s USING "
			       "(sku_ref)",
				wants[n++]);
		tempdb_close(&t);
	}
}

static void a_day_that_was_not_asked_for_is_an_error(void **state)
{
	char rows[4096];
	const struct export x = {.modified = "300",
		.table_rows = 6,
		.units = UNIT("2026-11-18", "HKD", "6", "7", "0", X2),
		.n_units = 1,
		.rows = rows,
		.n_rows = 2};

	snprintf(rows, sizeof(rows), "%s,", row_with("", ""));
	snprintf(rows + strlen(rows), sizeof(rows) - strlen(rows), "%s",
		row_with("unit", "2026-11-19"));
	fresh();
	assert_int_equal(poll(&x, WORLD_NOW).r.failed, 1);
	expect("SELECT error LIKE '%rows of a day that was not requested%' FROM "
	       "source_status",
		"1");
	/* the day before it is whole, but those of the first read are stored together */
	expect("SELECT COUNT(*) FROM usage", "0");
	tempdb_close(&t);
}

/* A correct sum does not make them right; nothing of their day takes the place of what is there. */
static void usage_of_a_time_that_cannot_be_is_refused(void **state)
{
	static const struct {
		const char *hour, *why;
	} v[] = {{"253402214400000000", "9999-12-31T00:00:00Z is in the future"},
		{"1207007999000000", "before Google Cloud existed"}};

	fresh();
	poll(&first, WORLD_NOW);
	for (size_t i = 0; i < ARRAY_LEN(v); i++) {
		char rows[2048], ask[200];
		const struct export x = {.modified = i ? "400" : "300",
			.table_rows = 6,
			.units = UNIT("2026-11-18", "HKD", "6", "7", "0", X2),
			.n_units = 1,
			.rows = rows,
			.n_rows = 2};

		snprintf(rows, sizeof(rows),
			CORE("2026-11-18", H15, "5", "4") "," CORE(
				"2026-11-18", "%s", "2", "2"),
			v[i].hour);
		assert_int_equal(poll(&x, WORLD_NOW + 3600).r.failed, 1);
		snprintf(ask, sizeof(ask),
			"SELECT error LIKE '%%row 2: column hour: %s%%' FROM source_status",
			v[i].why);
		expect(ask, "1");
		expect("SELECT SUM(cost_n) FROM costs_exact", "12500000044");
	}
	tempdb_close(&t);
}

static void rows_that_are_missing_are_noticed_though_their_cost_is_zero(void **state)
{
	struct export x = first;
	struct outcome o;

	fresh();
	x.units = UNIT("2026-11-18", "HKD", "5", "12.500000044", "-2.5", X1);
	o = poll(&x, WORLD_NOW);
	assert_int_equal(o.r.failed, 1);
	expect("SELECT COUNT(*) FROM usage", "0");
	tempdb_close(&t);
}

static void a_day_that_a_reload_emptied_is_empty(void **state)
{
	static const struct export moved = {.modified = "300",
		.table_rows = 2,
		.units = UNIT("2026-11-18", "HKD", "2", "6.5", "0", X2),
		.n_units = 1,
		.rows = CORE("2026-11-18", H16, "6.5", "2"),
		.n_rows = 1};

	fresh();
	poll(&first, WORLD_NOW);
	poll(&moved, WORLD_NOW + 3600);
	expect("SELECT group_concat(day || ' ' || cost) FROM costs", "2026-11-19 6.5");
	tempdb_close(&t);
}

/* The whole day goes, from its first hour to its last. */
static void a_reload_leaves_nothing_at_the_edges_of_the_day(void **state)
{
	static const struct export edges = {.modified = "100",
		.table_rows = 2,
		.units = UNIT("2026-11-18", "HKD", "2", "3", "0", X1),
		.n_units = 1,
		.rows = CORE("2026-11-18", "1794960000000000", "1", "1") "," CORE(
			"2026-11-18", "1795042800000000", "2", "1"),
		.n_rows = 2};
	static const struct export moved = {.modified = "300",
		.table_rows = 2,
		.units = UNIT("2026-11-18", "HKD", "2", "0.5", "0", X2),
		.n_units = 1,
		.rows = CORE("2026-11-18", H16, "0.5", "2"),
		.n_rows = 1};

	fresh();
	poll(&edges, WORLD_NOW);
	expect("SELECT SUM(cost_n) || ' ' || COUNT(*) FROM costs_exact", "3000000000 2");
	poll(&moved, WORLD_NOW + 3600);
	expect("SELECT SUM(cost_n) || ' ' || COUNT(*) FROM costs_exact", "500000000 1");
	expect("SELECT COUNT(*) FROM usage", "1");
	tempdb_close(&t);
}

static void a_table_that_only_grew_is_read(void **state)
{
	struct export grown = first;

	fresh();
	poll(&first, WORLD_NOW);
	tempdb_exec(&t, "UPDATE billing_table SET row_count = 9");
	assert_int_equal(poll(&grown, WORLD_NOW + 60).queries, 1);
	tempdb_close(&t);
}

static void a_day_is_partial_then_settling_then_settled(void **state)
{
	/* the day in Hong Kong ends 2026-11-18T16:00Z */
	static const struct {
		const char *now, *status;
	} moments[] = {{"1795104000 - 1", "partial"}, {"1795104000", "settling"},
		{"1795276800 - 1", "settling"}, {"1795276800", "settled"}};

	fresh();
	poll(&first, WORLD_NOW);
	for (size_t i = 0; i < ARRAY_LEN(moments); i++) {

		tempdb_execf(&t, "UPDATE as_of SET now = %s", moments[i].now);
		expect("SELECT DISTINCT status FROM costs WHERE day = '2026-11-18'",
			moments[i].status);
	}
	tempdb_close(&t);
}

/* What was read days ago is not final because days have gone by since. */
static void a_day_is_as_final_as_what_was_read_of_it(void **state)
{
	static const struct {
		ts_t polled;
		const char *status;
	} v[] = {{1795104000 - 1, "partial"}, {1795104000, "settling"},
		{1795276800 - 1, "settling"}, {1795276800, "settled"}};

	for (size_t i = 0; i < ARRAY_LEN(v); i++) {
		fresh();
		poll(&first, v[i].polled - 600);
		/* that nothing has changed since is a reading too */
		poll(&first, v[i].polled);
		tempdb_exec(&t, "UPDATE as_of SET now = 1795276800 + 864000");
		tempdb_know_accounts(&t);
		expect("SELECT DISTINCT status FROM costs WHERE day = '2026-11-18'",
			v[i].status);
		tempdb_close(&t);
	}
}

static void a_late_row_in_an_old_partition_is_found_by_the_number_of_rows(void **state)
{
	struct export late = first;
	struct outcome o;

	fresh();
	poll(&first, WORLD_NOW);
	/* nothing new within the window, yet the table has one row more */
	late.modified = "200";
	late.table_rows = 5;
	late.all_units = UNIT("2026-08-01", "HKD", "1", "7", "0", X2) "," UNIT(
		"2026-11-18", "HKD", "4", "12.500000044", "-2.5", X1);
	late.n_all_units = 2;
	late.rows = CORE("2026-08-01", "1785542400000000", "7", "1");
	late.n_rows = 1;
	o = poll(&late, WORLD_NOW + 3600);
	assert_int_equal(o.r.ok, 1);
	assert_int_equal(o.queries, 3);
	expect("SELECT SUM(cost_n) FROM costs_exact", "19500000044");
	tempdb_close(&t);
}

static void a_missing_table_is_one_clear_line(void **state)
{
	struct export gone = first;
	struct outcome o;

	fresh();
	poll(&first, WORLD_NOW);
	gone.table_status = 404;
	o = poll(&gone, WORLD_NOW + 3600);
	assert_int_equal(o.r.failed, 1);
	expect("SELECT SUM(cost_n) FROM costs_exact", "12500000044"); /* never 0 */
	expect("SELECT error LIKE '%not found%' OR error LIKE '%Not found%' FROM "
	       "source_status",
		"1");
	tempdb_close(&t);
}

static void a_table_that_is_no_export_names_the_column(void **state)
{
	static const struct export other = {.modified = "1", .fields = S("name")};
	struct outcome o;

	fresh();
	o = poll(&other, WORLD_NOW);
	assert_int_equal(o.r.failed, 1);
	assert_int_equal(o.queries, 0);
	expect("SELECT error LIKE '%usage_start_time is missing%' FROM source_status", "1");
	tempdb_close(&t);
}

static void amounts_that_are_no_numbers_are_refused(void **state)
{
	static const char *const bad[] = {"NaN", "Infinity", "1e999", "", "1,5", "0x10"};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		static char rows[4096];
		struct export x = first;
		struct outcome o;

		fresh();
		snprintf(rows, sizeof(rows),
			"{\"f\":[{\"v\":\"2026-11-18\"},{\"v\":\"HKD\"},{\"v\":\"4\"},{"
			"\"v\":\"%s\"},"
			"{\"v\":\"0\"},{\"v\":\"" X1 "\"}]}",
			bad[i]);
		x.units = rows;
		o = poll(&x, WORLD_NOW);
		if (o.r.failed != 1)
			fail_msg("cost \"%s\" was believed", bad[i]);
		expect("SELECT COUNT(*) FROM usage", "0");
		tempdb_close(&t);
	}
}

/* An hour before 1970 is a fault of the answer; nothing of it is kept. */
static void hours_before_google_cloud_are_refused(void **state)
{
	struct export x = first;
	struct outcome o;

	x.units = UNIT("2026-11-18", "HKD", "1", "1", "0", X1);
	x.rows = CORE("2026-11-18", "1207004400000000", "1", "1");
	x.n_rows = 1;
	fresh();
	o = poll(&x, WORLD_NOW);
	assert_int_equal(o.r.failed, 1);
	expect("SELECT error LIKE '%hour: before Google Cloud existed%' FROM source_status",
		"1");
	expect("SELECT COUNT(*) FROM usage", "0");
	expect("SELECT COUNT(*) FROM billing_unit", "0");
	tempdb_close(&t);
	x.rows = CORE("2026-11-18", "1207008000000000", "1", "1");
	fresh();
	o = poll(&x, WORLD_NOW);
	assert_int_equal(o.r.failed, 0);
	expect("SELECT group_concat(hour) FROM usage", "1207008000");
	tempdb_close(&t);
}

static void queries_are_capped_named_and_sent_to_the_right_place(void **state)
{
	struct outcome o;

	fresh();
	o = poll(&first, WORLD_NOW);
	assert_non_null(strstr(o.first_query, "\"useLegacySql\":false"));
	assert_non_null(strstr(o.first_query, "\"maximumBytesBilled\":\"17179869184\""));
	assert_non_null(strstr(o.first_query, "\"location\":\"EU\""));
	assert_non_null(strstr(o.first_query, "tpucost:billing-units"));
	assert_non_null(strstr(o.second_query, "tpucost:billing-rows"));
	tempdb_close(&t);
	/* Google bills 10 MiB at least */
	fresh();
	max_bytes = 1;
	o = poll(&first, WORLD_NOW);
	max_bytes = INT64_C(1) << 34;
	assert_non_null(strstr(o.first_query, "\"maximumBytesBilled\":\"10485760\""));
	assert_non_null(strstr(o.second_query,
		"{\"name\":\"first\",\"parameterType\":{\"type\":\"DATE\"},"
		"\"parameterValue\":{\"value\":\"2026-11-18\"}}"));
	tempdb_close(&t);
}

static void table_names_cannot_carry_sql(void **state)
{
	assert_true(billing_table_valid("p-1.billing.gcp_billing_export_v1_01AB23"));
	assert_true(billing_table_valid("example.com:proj.ds.t"));
	assert_false(billing_table_valid("p.ds"));
	assert_false(billing_table_valid("p.ds.t`; DROP"));
	assert_false(billing_table_valid("p.d s.t"));
	assert_false(billing_table_valid(".ds.t"));
	assert_false(billing_table_valid("p..t"));
	assert_false(billing_table_valid("p.ds."));
}

/* One SKU in one hour: the default model, a commitment, a free hour with a list cost, and a credit. */
static void consumption_models_of_one_hour_stay_apart(void **state)
{
	struct export x = first;

	x.units = UNIT("2026-11-18", "HKD", "5", "17.200000003", "-1.000000001", X1);
	x.n_units = 1;
	x.rows = MODEL_LINE("2026-11-18", H15, "", V("7754-699E-0EBF") "," V("Default"),
		V("10") "," V("10"), "1", "10.000000001", "0",
		V("12.000000001") "," V("10.000000001"), "2") "," MODEL_LINE("2026-11-18",
		H15, "", V("52FB-D69D-95BE") "," V("Flexible CUD"), V("7.2") "," V("10"),
		"1", "7.200000002", "0", V("12") "," V("10.000000007"),
		"2") "," MODEL_LINE("2026-11-18", H15, "DISCOUNT",
		V("52FB-D69D-95BE") "," V("Flexible CUD"), NUL "," NUL, "0", "0",
		"-1.000000001", V("0") "," V("0"), "0") "," MODEL_LINE("2026-11-18", H15,
		"", V("0000-0000-0000") "," V("Free"), V("0") "," NUL, "5", "0", "0",
		V("60.5") "," V("0"), "1");
	x.n_rows = 4;
	fresh();
	assert_int_equal(poll(&x, WORLD_NOW).r.ok, 1);
	expect("SELECT group_concat(consumption_model || ' ' || cost_n || ' ' || "
	       "list_cost_n || ' ' || savings_n || ' ' || committed_n, ', ') FROM (SELECT "
	       "* FROM costs_exact ORDER BY cost_n)",
		"Free 0 60500000000 60500000000 0, "
		"Flexible CUD 7200000002 12000000000 5799999999 2800000005, "
		"Default 10000000001 12000000001 2000000000 0");
	for (size_t i = 0; i < 3; i++) {
		static const char *const views[] = {
			"sku_costs_exact", "hour_costs_exact", "cost_lines_exact"};
		char sql[200];

		snprintf(sql, sizeof(sql),
			"SELECT SUM(list_cost_n) || ' ' || SUM(savings_n) FROM %s",
			views[i]);
		expect(sql, "84500000001 68299999999");
	}
	expect("SELECT SUM(discount) FROM account_day", "67299999998");
	/* an estimate of more usage reads the default model alone */
	expect("SELECT group_concat(model || ' ' || price, ', ') FROM (SELECT * FROM "
	       "billed_price ORDER BY model)",
		" 10000000000, 52FB-D69D-95BE 7200000000");
	tempdb_close(&t);
}

static void what_a_table_lacks_is_not_grouped_by(void **state)
{
	struct billing_shape bare = {.has_partition_time = true};
	struct billing_shape full = {true, true, true, true, true, true, true, true, false};
	struct sbuf b = SBUF_INIT;

	billing_sql_rows(&b, "p.d.t", &bare);
	assert_null(strstr(b.s, "resource.name"));
	assert_null(strstr(b.s, "currency_conversion_rate"));
	assert_null(strstr(b.s, "cost_at_"));
	assert_non_null(strstr(b.s, "13, 14\n"));
	assert_non_null(strstr(b.s, "CAST(NULL AS STRING) AS account"));
	assert_non_null(strstr(b.s, "CAST(NULL AS STRING) AS label_set"));
	sbuf_reset(&b);
	billing_sql_rows(&b, "p.d.t", &full);
	assert_non_null(strstr(b.s, "17, 18, 19\n"));
	full.has_list = full.has_list_model = true;
	sbuf_reset(&b);
	billing_sql_rows(&b, "p.d.t", &full);
	assert_non_null(strstr(b.s,
		"COALESCE(CAST(cost_at_list AS NUMERIC), "
		"CAST(cost_at_list_consumption_model AS NUMERIC), CAST(cost AS NUMERIC)) "
		"AS "
		"listed"));
	assert_null(strstr(b.s, "usage_from"));
	assert_null(strstr(b.s, "@zone"));
	full.by_day = true;
	sbuf_reset(&b);
	billing_sql_rows(&b, "p.d.t", &full);
	assert_non_null(strstr(b.s, "HOUR), @zone) AS day"));
	assert_non_null(
		strstr(b.s, "MAX(TIMESTAMP_TRUNC(usage_start_time, HOUR)) AS hour"));
	assert_null(strstr(b.s, "@exported"));
	full.asks = true;
	sbuf_reset(&b);
	billing_sql_rows(&b, "p.d.t", &full);
	assert_non_null(strstr(b.s, "export_time < @exported"));
	assert_non_null(strstr(b.s, "project.id IN UNNEST(@projects)"));
	assert_null(strstr(b.s, "utc_day"));
	full.asks = full.by_day = false;
	sbuf_reset(&b);
	full.has_partition_time = false;
	full.has_cut = true;
	billing_sql_units(&b, "p.d.t", &full);
	assert_null(strstr(b.s, "_PARTITIONTIME"));
	assert_non_null(strstr(b.s, "DATE(export_time)"));
	assert_non_null(strstr(b.s, "BETWEEN @usage_from AND @usage_until"));
	sbuf_done(&b);
}

static void a_currency_has_one_sum_in_a_day(void **state)
{
	struct export twice = first;
	struct outcome o;

	twice.units = UNIT("2026-11-18", "HKD", "4", "12.5", "0", X1) "," UNIT(
		"2026-11-18", "HKD", "4", "12.5", "0", X1);
	twice.n_units = 2;
	fresh();
	o = poll(&twice, WORLD_NOW);
	assert_int_equal(o.r.failed, 1);
	assert_int_equal(o.queries, 1);
	expect("SELECT error LIKE '%currency HKD occurs twice in one unit%' FROM "
	       "source_status",
		"1");
	tempdb_close(&t);
}

static void columns_that_belong_together_are_read_together(void **state)
{
	static const struct {
		const char *old, *new, *unread;
	} cases[] = {{S("name") "," S("global_name"), S("name"), "resource.name"},
		{S("name") "," S("global_name"), S("global_name"), "resource.global_name"},
		{"{\"name\":\"amount_in_pricing_units\",\"type\":\"FLOAT\"},", "",
			"usage.pricing_unit"},
		{"," S("pricing_unit"), "", "amount_in_pricing_units"},
		{N("effective_price") ",", "", "pricing_unit_quantity"},
		{"," N("pricing_unit_quantity"), "", "effective_price"}};
	struct export x = first;
	char all[8192], some[8192];

	snprintf(all, sizeof(all), "%s,%s", detailed,
		REC("price", N("effective_price") "," N("pricing_unit_quantity")));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *at = strstr(all, cases[i].old);

		snprintf(some, sizeof(some), "%.*s%s%s", (int)(at - all), all, cases[i].new,
			at + strlen(cases[i].old));
		x.fields = all;
		fresh();
		assert_contains(poll(&x, WORLD_NOW).second_query, cases[i].unread);
		tempdb_close(&t);
		x.fields = some;
		fresh();
		assert_null(strstr(poll(&x, WORLD_NOW).second_query, cases[i].unread));
		tempdb_close(&t);
	}
}

/* ---- partitions that shrink or vanish ---------------------------------------------------------- */

/* The partition of `first` with one row of its four left. */
static const struct export shrunk = {.modified = "300",
	.table_rows = 1,
	.units = UNIT("2026-11-18", "HKD", "1", "0.5", "0", X2),
	.n_units = 1,
	.rows = CORE("2026-11-18", H16, "0.5", "1"),
	.n_rows = 1};

static void a_partition_that_shrinks_is_held_until_it_was_seen_three_times(void **state)
{
	struct outcome o;

	fresh();
	poll(&first, WORLD_NOW);
	for (int i = 1; i <= 2; i++) {
		o = poll(&shrunk, WORLD_NOW + i * 3600);
		assert_int_equal(o.r.partial, 1);
		assert_int_equal(o.r.failed, 0);
		expect("SELECT SUM(cost_n) FROM costs_exact", "12500000044");
		expect("SELECT error LIKE '%2026-11-18 lost more than half%are kept "
		       "until 3 polls have shown this' FROM source_status",
			"1");
		expect("SELECT seen FROM billing_quarantine", i == 1 ? "1" : "2");
	}
	o = poll(&shrunk, WORLD_NOW + 3 * 3600);
	assert_int_equal(o.r.ok, 1);
	expect("SELECT SUM(cost_n) FROM costs_exact", "500000000");
	expect("SELECT COUNT(*) FROM billing_quarantine", "0");
	/* and what it was before is written down */
	expect("SELECT date || ' ' || old_cost || ' ' || old_credits || ' ' || new_cost "
	       "FROM restatement WHERE date = '2026-11-18'",
		"2026-11-18 10000000044 -2500000000 0");
	tempdb_close(&t);
}

/* Google appends rows: fewer rows with less than half of the cost are a part of a load. */
static void a_partition_that_loses_its_costs_is_held(void **state)
{
	struct export less = shrunk;

	fresh();
	poll(&first, WORLD_NOW);
	less.table_rows = 3;
	less.units = UNIT("2026-11-18", "HKD", "3", "6.2", "0", X2);
	assert_int_equal(poll(&less, WORLD_NOW + 3600).r.partial, 1);
	expect("SELECT seen || ' ' || row_count FROM billing_quarantine", "1 3");
	less.units = UNIT("2026-11-18", "HKD", "3", "6.3", "0", X2);
	poll(&less, WORLD_NOW + 7200); /* it is read, and its rows are not those */
	expect("SELECT error LIKE '%2026-11-18 is inconsistent%' FROM source_status", "1");
	tempdb_close(&t);
}

static void an_export_that_is_empty_is_reported(void **state)
{
	static const struct export empty = {
		.modified = "300", .units = "", .table_rows = -1};

	fresh();
	poll(&empty, WORLD_NOW);
	expect("SELECT error IS NULL FROM source_status", "1");
	poll(&first, WORLD_NOW + 3600);
	for (int i = 2; i < 6; i++) {
		assert_int_equal(poll(&empty, WORLD_NOW + i * 3600).r.partial, 1);
		expect("SELECT error LIKE '%figures%are kept' FROM source_status", "1");
	}
	expect("SELECT error FROM source_status",
		"the export is empty: the figures that were read from it are kept");
	expect("SELECT SUM(cost_n) FROM costs_exact", "12500000044");
	tempdb_close(&t);
}

/* One that is older than what is looked at every time. */
static void an_old_partition_that_shrinks_is_seen_three_times_too(void **state)
{
	const ts_t later = WORLD_NOW + 60 * DAY_SECONDS;
	struct export same = first, less = shrunk;
	struct outcome o;

	fresh();
	poll(&first, WORLD_NOW);
	same.modified = "200";
	poll(&same, later); /* the weekly look */
	less.all_units = less.units;
	less.n_all_units = 1;
	less.units = "";
	less.n_units = 0;
	o = poll(&less, later + 3600);
	assert_int_equal(o.r.partial, 1);
	expect("SELECT seen FROM billing_quarantine", "1");
	/* now it is asked for at once */
	less = shrunk;
	o = poll(&less, later + 7200);
	assert_int_equal(o.r.partial, 1);
	assert_int_equal(o.queries, 1);
	assert_non_null(strstr(o.first_query, "\"value\":\"1970-01-01\""));
	expect("SELECT SUM(cost_n) FROM costs_exact", "12500000044");
	o = poll(&less, later + 10800);
	assert_int_equal(o.r.ok, 1);
	expect("SELECT SUM(cost_n) FROM costs_exact", "500000000");
	tempdb_close(&t);
}

/* Days that are looked at twice in one poll were seen once. */
static void a_partition_that_shrinks_is_seen_once_in_a_poll(void **state)
{
	struct export less = shrunk;

	fresh();
	poll(&first, WORLD_NOW);
	less.table_rows = 3; /* so that all days are looked at, after those of the window */
	less.all_units = less.units;
	less.n_all_units = 1;
	poll(&less, WORLD_NOW + 3600);
	expect("SELECT seen FROM billing_quarantine", "1");
	poll(&less, WORLD_NOW + 7200);
	expect("SELECT seen FROM billing_quarantine", "2");
	expect("SELECT SUM(cost_n) FROM costs_exact", "12500000044");
	tempdb_close(&t);
}

/* Only of the one that is held do the rows of the export count, so that nothing else is looked for. */
static void beside_one_that_shrinks_all_is_as_stored(void **state)
{
	struct export two = first, less = shrunk;

	fresh();
	two.table_rows = 6;
	two.units = UNIT("2026-11-18", "HKD", "4", "12.500000044", "-2.5", X1) "," UNIT(
		"2026-11-17", "HKD", "2", "3", "0", X1);
	two.n_units = 2;
	two.rows = CORE("2026-11-17", "1794927600000000", "3", "2");
	two.n_rows = 1;
	poll(&first, WORLD_NOW);
	poll(&two, WORLD_NOW + 1800);
	expect("SELECT SUM(row_count) FROM billing_unit", "6");
	less.table_rows = 3;
	less.units = UNIT("2026-11-18", "HKD", "1", "0.5", "0", X2) "," UNIT(
		"2026-11-17", "HKD", "2", "3", "0", X1);
	less.n_units = 2;
	assert_int_equal(poll(&less, WORLD_NOW + 3600).queries, 1);
	expect("SELECT seen FROM billing_quarantine", "1");
	tempdb_close(&t);
}

/* It is the query that is said to have failed, not what came of going on. */
static void failed_for_it(const struct outcome *o, int64_t at)
{
	if (o->rc)
		return;
	if (!o->r.failed)
		fail_msg("query %d failed unnoticed", (int)at);
	expect(failing_when == FAULT_RUN
			? "SELECT error LIKE '%: interrupted' FROM source_status"
			: "SELECT error LIKE '%: not authorized' FROM source_status",
		"1");
}

/* Each query of a poll fails in turn: that is told, and the next poll reads what this one did not. */
static void each_query_fails(enum fault_when when, const struct export *x, const char *want)
{
	failing_when = when;
	fresh();
	tempdb_exec(&t, "PRAGMA synchronous = OFF"); /* for speed */
	for (int64_t at = 1;; at += unit_step(1)) {
		ts_t now = WORLD_NOW + at * 86400;
		struct export again = first;
		char modified[32];
		struct outcome o;

		snprintf(modified, sizeof(modified), "%d", 1000 + (int)at);
		again.modified = modified;
		for (int i = 0; i < 3; i++)
			poll(&again, now + i * 3600);
		expect("SELECT SUM(cost_n) FROM costs_exact", "12500000044");
		failing = at;
		o = poll(x, now + 4 * 3600);
		failing = 0;
		if (!query_failed)
			break;
		failed_for_it(&o, at);
		o = poll(x, now + 8 * 3600);
		assert_int_equal(o.r.failed, 0);
		expect("SELECT SUM(cost_n) FROM costs_exact", want);
		assert_true(at < 1000);
	}
	tempdb_close(&t);
}

static void a_query_that_fails_loses_no_correction(void **state)
{
	static const struct export corrected = {.modified = "300",
		.table_rows = 6,
		.units = UNIT("2026-11-18", "HKD", "6", "7.500000044", "-2.5", X2),
		.n_units = 1,
		.rows = CORE("2026-11-18", H15, "5.000000044", "4") "," CREDIT(
			"2026-11-18", H15, "PROMOTION", "-2.5") "," CORE("2026-11-18", H16,
			"0.5", "1") "," TAX("2026-11-18", H16, "2"),
		.n_rows = 4};

	each_query_fails(FAULT_RUN, &corrected, "7500000044");
	each_query_fails(FAULT_PREPARE, &corrected, "7500000044");
}

static void a_query_that_fails_lets_nothing_shrink(void **state)
{
	each_query_fails(FAULT_RUN, &shrunk, "12500000044");
}

/* The first day is stored when rows of the second come. */
static void a_query_that_fails_loses_no_day(void **state)
{
	static const struct export two = {.modified = "300",
		.table_rows = 2,
		.units = UNIT("2026-11-17", "HKD", "1", "3", "0", X1) "," UNIT(
			"2026-11-18", "HKD", "1", "0.5", "0", X1),
		.n_units = 2,
		.rows = CORE("2026-11-17", "1794927600000000", "3", "1") "," CORE(
			"2026-11-18", H16, "0.5", "1"),
		.n_rows = 2};
	bool more = true;

	failing_when = FAULT_RUN;
	for (int64_t at = 1; more; at += unit_step(1)) {
		struct export rest = two;
		struct outcome o;

		fresh();
		tempdb_exec(&t, "PRAGMA synchronous = OFF"); /* for speed */
		failing = at;
		o = poll(&two, WORLD_NOW);
		failing = 0;
		more = query_failed;
		if (more)
			failed_for_it(&o, at);
		/* a day that is stored is not asked for again */
		if (tempdb_int(&t, "SELECT COUNT(*) FROM billing_unit")) {
			rest.rows = CORE("2026-11-18", H16, "0.5", "1");
			rest.n_rows = 1;
		}
		o = poll(&rest, WORLD_NOW + 3600);
		assert_int_equal(o.r.failed, 0);
		expect("SELECT group_concat(unit || ' ' || cost) FROM (SELECT unit, "
		       "SUM(cost) AS cost FROM usage GROUP BY unit ORDER BY unit)",
			"20774 3000000000,20775 500000000");
		tempdb_close(&t);
	}
}

/* Nothing but the credits tells that the day is another one. */
static void credits_alone_make_a_day_another(void **state)
{
	static const struct export credited = {.modified = "300",
		.units = UNIT("2026-11-18", "HKD", "4", "12.500000044", "-3.5", X1),
		.n_units = 1,
		.rows = CORE("2026-11-18", H15, "10.000000044", "2") "," CREDIT(
			"2026-11-18", H15, "PROMOTION", "-3.5") "," CORE("2026-11-18", H16,
			"0.5", "1") "," TAX("2026-11-18", H16, "2"),
		.n_rows = 4};

	fresh();
	poll(&first, WORLD_NOW);
	poll(&credited, WORLD_NOW + 3600);
	expect("SELECT SUM(cost_n) || ' ' || SUM(credits_n) FROM costs_exact",
		"12500000044 -3500000000");
	expect("SELECT date || ' ' || old_cost || ' ' || new_cost || ' ' || old_credits "
	       "|| ' ' || new_credits FROM restatement",
		"2026-11-18 10000000044 10000000044 -2500000000 -3500000000");
	tempdb_close(&t);
}

/* A late row brings a day that had none: nothing that was reported has changed. */
static void the_first_figures_of_a_day_are_no_news(void **state)
{
	static const struct export late = {.modified = "300",
		.table_rows = 5,
		.units = UNIT("2026-11-18", "HKD", "5", "13.500000044", "-2.5", X2),
		.n_units = 1,
		.rows = CORE("2026-11-18", H15, "10.000000044", "2") "," CREDIT(
			"2026-11-18", H15, "PROMOTION", "-2.5") "," CORE("2026-11-18", H16,
			"0.5", "1") "," TAX("2026-11-18", H16, "2") "," CORE("2026-11-18",
			"1794754800000000", "1", "1"),
		.n_rows = 5};

	fresh();
	poll(&first, WORLD_NOW);
	poll(&late, WORLD_NOW + 3600);
	expect("SELECT SUM(cost) FROM costs WHERE day = '2026-11-15'", "1.0");
	expect("SELECT COUNT(*) FROM restatement WHERE date = '2026-11-15'", "0");
	tempdb_close(&t);
}

/* A sum of what is not there would show no name, or in no report: each of them is looked at. */
static void names_that_are_gone_are_noticed(void **state)
{
	static const char *const columns[] = {"cost_day SET sku_ref",
		"cost_day SET project_ref", "cost_day SET place_ref",
		"cost_day SET resource_ref", "cost_day SET charge_ref",
		"credit_day SET credit_ref"};
	struct q_cost_day_unknown_in in = {.first = INT32_MIN, .last = INT32_MAX};
	struct q_cost_day_unknown row;
	struct arena a = {0};
	struct err e = {0};
	bool found;

	fresh();
	poll(&first, WORLD_NOW);
	tempdb_exec(&t, "PRAGMA foreign_keys = OFF");
	for (size_t i = 0; i < ARRAY_LEN(columns); i++)
		for (int there = 0; there < 2; there++) {
			tempdb_execf(&t, "UPDATE %s = %d - %s", columns[i], 1000,
				strstr(columns[i], "SET ") + 4);
			assert_ok(
				q_cost_day_unknown_one(t.db, &in, &a, &row, &found, &e), e);
			assert_int_equal(found, !there);
		}
	arena_done(&a);
	tempdb_close(&t);
}

static void a_partition_is_dropped_from_its_table_alone(void **state)
{
	static const char *const tables[] = {
		"billing_day", "billing_unit_sum", "billing_quarantine", "billing_unit"};
	struct q_billing_unit_drop_in in = {.table_id = 1, .unit = 7};
	struct err e = {0};

	fresh();
	for (int table = 1; table <= 2; table++) {
		tempdb_execf(&t,
			"INSERT INTO billing_table (table_id, name, location, "
			"last_modified_ms, row_count) VALUES (%d, 't%d', 'US', 0, 0)",
			table, table);
		for (int unit = 7; unit <= 8; unit++)
			tempdb_execf(&t,
				"INSERT INTO billing_unit (table_id, unit, row_count, "
				"exported, ingested) VALUES (%d, %d, 1, 0, 0);"
				"INSERT INTO billing_unit_sum VALUES (%d, %d, 'USD', 1, 0, "
				"0);"
				"INSERT INTO billing_quarantine VALUES (%d, %d, 0, 0, 0, "
				"1, "
				"0);"
				"INSERT INTO billing_day VALUES (%d, %d, '', 7)",
				table, unit, table, unit, table, unit, table, unit);
	}
	assert_ok(q_billing_unit_drop(t.db, &in, &e), e);
	for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
		char sql[200];

		snprintf(sql, sizeof(sql),
			"SELECT group_concat(table_id || ':' || unit, ' ') FROM (SELECT "
			"table_id, unit FROM %s ORDER BY table_id, unit)",
			tables[i]);
		expect(sql, "1:8 2:7 2:8");
	}
	tempdb_close(&t);
}

/* Lines come in any order: the price of the newest hour counts. */
static void the_newest_price_on_the_bill_is_kept(void **state)
{
	struct q_billed_price_put_in in = {.service_id = "s",
		.sku_id = "k",
		.currency = "USD",
		.unit = "h",
		.model = "",
		.price = 5,
		.hour = 7200};
	struct err e = {0};

	fresh();
	assert_ok(q_billed_price_put(t.db, &in, &e), e);
	in.price = 4;
	in.hour = 3600;
	assert_ok(q_billed_price_put(t.db, &in, &e), e);
	expect("SELECT price || ' ' || hour FROM billed_price", "5 7200");
	in.price = 6;
	in.hour = 10800;
	assert_ok(q_billed_price_put(t.db, &in, &e), e);
	expect("SELECT price || ' ' || hour FROM billed_price", "6 10800");
	in.price = 7;
	assert_ok(q_billed_price_put(t.db, &in, &e), e);
	expect("SELECT price || ' ' || hour FROM billed_price", "7 10800");
	tempdb_close(&t);
}

/* Days of two partitions, to the end of the last one. */
static void days_beside_each_other_are_all_summed_up(void **state)
{
	static const struct export two = {.modified = "100",
		.table_rows = 2,
		.units = UNIT("2026-11-18", "HKD", "1", "1", "0", X1) "," UNIT(
			"2026-11-19", "HKD", "1", "2", "0", X1),
		.n_units = 2,
		.rows = CORE("2026-11-18", H15, "1", "1") "," CORE(
			"2026-11-19", "1795118400000000", "2", "1"),
		.n_rows = 2};

	fresh();
	poll(&two, WORLD_NOW);
	/* 20:00Z on the 19th is the 20th in Hong Kong */
	expect("SELECT group_concat(day || ' ' || cost) FROM (SELECT day, SUM(cost) AS "
	       "cost FROM costs GROUP BY day ORDER BY day)",
		"2026-11-18 1.0,2026-11-20 2.0");
	expect("SELECT items FROM source_status", "2");
	tempdb_close(&t);
}

/* What is beyond what is kept is not known, and neither is a sum with it; the money is. */
static void a_day_with_usage_that_is_not_known_has_no_sum_of_it(void **state)
{
	static const struct export x = {.modified = "100",
		.table_rows = 2,
		.units = UNIT("2026-11-18", "HKD", "2", "3", "0", X1),
		.n_units = 1,
		.rows = LINE("2026-11-18", "1795010400000000", "", "99999999999", "1", "0",
			"1") "," LINE("2026-11-18", H15, "", "1.5", "2", "0", "1"),
		.n_rows = 2};

	fresh();
	poll(&x, WORLD_NOW);
	expect("SELECT COUNT(*) || ' ' || COUNT(usage) FROM usage", "2 1");
	expect("SELECT day || ' ' || cost || ' ' || COALESCE(usage, '-') FROM costs",
		"2026-11-18 3.0 -");
	tempdb_close(&t);
}

static void a_partition_that_goes_on_changing_starts_anew(void **state)
{
	struct export other = shrunk;

	fresh();
	other.modified = "400";
	other.units = UNIT("2026-11-18", "HKD", "1", "0.5", "0", X1);
	poll(&first, WORLD_NOW);
	poll(&shrunk, WORLD_NOW + 3600);
	poll(&shrunk, WORLD_NOW + 7200);
	poll(&other, WORLD_NOW + 10800);
	expect("SELECT seen FROM billing_quarantine", "1");
	/* and one that is whole again is read at once */
	poll(&first, WORLD_NOW + 14400);
	expect("SELECT SUM(cost_n) FROM costs_exact", "12500000044");
	tempdb_close(&t);
}

static void a_partition_that_vanished_keeps_its_figures(void **state)
{
	static const struct export two = {.modified = "1",
		.table_rows = 2,
		.units = UNIT("2026-11-18", "HKD", "1", "3", "0", X1) "," UNIT(
			"2026-11-19", "HKD", "1", "4", "0", X1),
		.n_units = 2,
		.rows = CORE("2026-11-18", H15, "3", "1") "," CORE(
			"2026-11-19", H16, "4", "1"),
		.n_rows = 2};
	/* the older one has expired */
	static const struct export one = {.modified = "2",
		.table_rows = 1,
		.units = UNIT("2026-11-19", "HKD", "1", "4", "0", X1),
		.n_units = 1};
	/* the newer one is away, which is strange */
	static const struct export hole = {.modified = "3",
		.table_rows = 1,
		.units = UNIT("2026-11-18", "HKD", "1", "3", "0", X1),
		.n_units = 1};
	struct export touched = two;
	struct outcome o;

	fresh();
	poll(&two, WORLD_NOW);
	touched.modified = "4";
	poll(&touched, WORLD_NOW + 1800);
	expect("SELECT SUM(gone) || ' ' || (SELECT COUNT(*) FROM billing_quarantine) FROM "
	       "billing_unit",
		"0 0");
	o = poll(&one, WORLD_NOW + 3600);
	assert_int_equal(o.r.ok, 1);
	expect("SELECT SUM(cost_n) FROM costs_exact", "7000000000");
	expect("SELECT group_concat(gone) FROM (SELECT gone FROM billing_unit ORDER BY "
	       "unit)",
		"1,0");
	tempdb_close(&t);
	fresh();
	poll(&two, WORLD_NOW);
	o = poll(&hole, WORLD_NOW + 3600);
	assert_int_equal(o.r.partial, 1);
	poll(&hole, WORLD_NOW + 7200);
	o = poll(&hole, WORLD_NOW + 10800);
	assert_int_equal(o.r.ok, 1);
	expect("SELECT SUM(cost_n) FROM costs_exact", "7000000000");
	/* it comes back with other figures: they count, once */
	{
		struct export back = two;

		back.modified = "9";
		back.units = UNIT("2026-11-18", "HKD", "1", "3", "0", X1) "," UNIT(
			"2026-11-19", "HKD", "1", "5", "0", X2);
		back.rows = CORE("2026-11-19", H16, "5", "1");
		back.n_rows = 1;
		poll(&back, WORLD_NOW + 14400);
	}
	expect("SELECT SUM(cost_n) FROM costs_exact", "8000000000");
	tempdb_close(&t);
}

/* ---- restatements ------------------------------------------------------------------------------- */

static void a_change_of_a_reported_day_is_written_down(void **state)
{
	struct export more = first;

	fresh();
	poll(&first, WORLD_NOW);
	expect("SELECT COUNT(*) FROM restatement", "0"); /* the first reading is no news */
	more.modified = "200";
	more.table_rows = 5;
	more.units = UNIT("2026-11-18", "HKD", "5", "13.500000044", "-2.5", X2);
	more.rows = CORE("2026-11-18", H15, "11.000000044", "3") "," CREDIT(
		"2026-11-18", H15, "PROMOTION", "-2.5") "," CORE("2026-11-18", H16, "0.5",
		"1") "," TAX("2026-11-18", H16, "2");
	more.n_rows = 4;
	poll(&more, WORLD_NOW + 3600);
	/* the 18th ended a day and more ago; the 19th had not changed */
	expect("SELECT day || ' ' || old_net || ' ' || new_net || ' ' || change || ' ' || "
	       "noticed FROM restatements",
		"2026-11-18 7.500000044 8.500000044 1.0 2026-11-21T06:00:00Z");
	tempdb_close(&t);
	/* one that ended less than a day ago was not reported */
	for (int i = 0; i < 2; i++) {
		fresh();
		poll(&first, INT64_C(1795104000) - 600);
		poll(&more, INT64_C(1795104000) - 1 + i);
		expect("SELECT COUNT(*) FROM restatement WHERE date = '2026-11-18'",
			i ? "1" : "0");
		tempdb_close(&t);
	}
}

/* ---- tables ------------------------------------------------------------------------------------- */

static void a_table_made_anew_is_another_one_and_its_days_are_not_counted_twice(
	void **state)
{
	struct export anew = first;
	struct outcome o;

	fresh();
	poll(&first, WORLD_NOW);
	anew.modified = "800";
	anew.created = "0"; /* not told this time */
	o = poll(&anew, WORLD_NOW + 60);
	assert_int_equal(o.r.ok, 1);
	expect("SELECT created_ms FROM billing_table", "1");
	anew.modified = "900";
	anew.created = "800";
	o = poll(&anew, WORLD_NOW + 3600);
	assert_int_equal(o.r.failed, 1);
	expect("SELECT SUM(cost_n) FROM costs_exact", "12500000044");
	expect("SELECT error LIKE '%2026-11-18%exists already, from "
	       "my-project.billing.export%' FROM source_status",
		"1");
	/* with a cut there is nothing twice */
	anew.from = 20776; /* 2026-11-19 */
	anew.units = UNIT("2026-11-20", "HKD", "1", "7", "0", X2);
	anew.n_units = 1;
	anew.rows = CORE("2026-11-20", "1795104000000000", "7", "1");
	anew.n_rows = 1;
	o = poll(&anew, WORLD_NOW + 7200);
	assert_int_equal(o.r.ok, 1);
	assert_non_null(strstr(o.first_query, "\"usage_from\""));
	assert_non_null(strstr(o.first_query, "2026-11-19"));
	expect("SELECT SUM(cost_n) FROM costs_exact", "19500000044");
	expect("SELECT COUNT(*) FROM billing_table", "2");
	tempdb_close(&t);
}

/* Made anew and noted so, it goes by its time of creation whatever becomes of the old one. */
static void the_old_one_of_two_tables_can_be_forgotten(void **state)
{
	struct export anew = first;
	struct err e = {0};
	size_t units;

	fresh();
	poll(&first, WORLD_NOW);
	anew.modified = "900";
	anew.created = "800";
	poll(&anew, WORLD_NOW + 3600);
	expect("SELECT fix LIKE 'the table was deleted and created again%db forget "
	       "''my-project.billing.export''%' FROM source_status",
		"1");
	assert_ok(billing_forget(
			  t.db, tz, WORLD_NOW, "my-project.billing.export", &units, &e),
		e);
	for (int i = 2; i < 4; i++) {
		struct outcome o = poll(&anew, WORLD_NOW + i * 3600);

		assert_int_equal(o.r.ok, 1);
		expect("SELECT SUM(cost_n) FROM costs_exact", "12500000044");
		expect("SELECT group_concat(name) FROM billing_table",
			"my-project.billing.export@800");
	}
	tempdb_close(&t);
}

/* ---- two tables --------------------------------------------------------------------------------- */

#define TABLE_OF(x) "GET /bigquery/v2/projects/my-project/datasets/billing/tables/" x "?"

/* Poll `old` until a day and `new` after it. The queries are answered in turn: "u" and
 * partitions, or "r" and rows. */
static struct collect_result poll_two(
	day_t until, const char *const *answers, size_t n, ts_t now)
{
	static const char *const projects[] = {"my-project"};
	static const char *const only[] = {"billing"};
	static char meta[2][8192], bodies[8][8192];
	const struct billing_export tables[] = {
		{.name = "my-project.billing.old", .from = DAY_NONE, .until = until},
		{.name = "my-project.billing.new", .from = until + 1, .until = DAY_NONE}};
	struct collect_settings settings = {.projects = projects,
		.n_projects = 1,
		.tables = tables,
		.n_tables = 2,
		.max_bytes = INT64_C(1) << 34,
		.tz = tz};
	struct fault_step steps[10] = {
		{.match = TABLE_OF("old"), .headers = JSON_TYPE, .body = meta[0]},
		{.match = TABLE_OF("new"), .headers = JSON_TYPE, .body = meta[1]}};
	struct collector c = {.settings = &settings, .only = only, .n_only = 1};
	struct collect_result r;
	struct gcp_world w;

	for (size_t i = 0; i < 2; i++)
		snprintf(meta[i], sizeof(meta[i]),
			"{\"kind\":\"bigquery#table\",\"location\":\"EU\",\"numRows\":"
			"\"9\",\"lastModifiedTime\":\"5\",\"type\":\"TABLE\","
			"\"creationTime\":\"1\",\"timePartitioning\":{\"type\":\"DAY\"},"
			"\"schema\":{\"fields\":[%s]}}",
			detailed);
	for (size_t i = 0; i < n; i++) {
		size_t rows = 0;

		for (const char *p = answers[i]; (p = strstr(p, "{\"f\":")); p++)
			rows++;
		answer(bodies[i], sizeof(bodies[i]),
			*answers[i] == 'u' ? unit_fields : row_fields(), answers[i] + 1,
			rows);
		steps[i + 2] = (struct fault_step){.match = QUERIES,
			.times = 1,
			.headers = JSON_TYPE,
			.body = bodies[i]};
	}
	world_open(&w, steps, n + 2);
	w.clock.fake_now = now;
	c.gcp = w.g;
	c.db = t.db;
	c.clock = &w.clock;
	if (collect(&c, &r, &w.e))
		fail_msg("%s", w.e.msg);
	assert_int_equal(fault_count_of(w.s, QUERIES), n);
	world_close(&w);
	return r;
}

/* The table that gets a day is polled first, and again when the other one has left it. */
static void a_day_goes_from_one_table_to_the_other_in_one_poll(void **state)
{
#define U17 UNIT("2026-11-17", "HKD", "1", "3", "0", X1)
#define U18 UNIT("2026-11-18", "HKD", "1", "4", "0", X1)
#define R17 CORE("2026-11-17", "1794927600000000", "3", "1")
#define R18 CORE("2026-11-18", H15, "4", "1")
	static const char *const before[] = {"u" U17, "r" R17, "u" U18, "r" R18};
	static const char *const after[] = {
		"u" U17 "," U18, "r" R17 "," R18, "u", "r", "u" U17 "," U18, "r" R18};
	static const char *const quiet[] = {"u" U17 "," U18, "u"};
	struct collect_result r;

	fresh();
	r = poll_two(20774, before, 4, WORLD_NOW);
	assert_int_equal(r.ok, 2);
	expect("SELECT SUM(cost_n) FROM costs_exact", "7000000000");
	/* a day is as final as the table that has it, whatever the other one does */
	tempdb_exec(&t,
		"UPDATE as_of SET now = now + 864000; UPDATE billing_table SET looked = "
		"1 WHERE name = 'my-project.billing.new'");
	tempdb_know_accounts(&t);
	expect("SELECT group_concat(day || ' ' || status) FROM (SELECT DISTINCT day, "
	       "status FROM costs ORDER BY day)",
		"2026-11-17 settled,2026-11-18 partial");
	r = poll_two(20775, after, 6, WORLD_NOW + 3 * DAY_SECONDS);
	assert_int_equal(r.ok, 2);
	assert_int_equal(r.failed, 0);
	expect("SELECT group_concat(t.name || ' ' || u.cost) FROM usage u JOIN "
	       "billing_table t ON t.table_id = u.table_id WHERE u.unit = 20775",
		"my-project.billing.old 4000000000");
	expect("SELECT COUNT(*) FROM billing_refused", "0");
	/* it went and came, and that adds up */
	expect("SELECT SUM(change) FROM restatements WHERE day = '2026-11-18'", "0.0");
	expect("SELECT COUNT(*) FROM restatements WHERE day = '2026-11-18'", "2");
	/* and what was emptied has lost nothing when it is looked at again */
	r = poll_two(20775, quiet, 2, WORLD_NOW + 13 * DAY_SECONDS);
	assert_int_equal(r.ok, 2);
	expect("SELECT COUNT(*) FROM billing_quarantine", "0");
	tempdb_close(&t);
}

/* A file has the 17th: it is left out of the export, the 18th is not; and nobody pays for
 * finding that out a second time. */
static void days_that_another_table_has_are_left_out(void **state)
{
	struct export x = first;
	struct outcome o;

	fresh();
	tempdb_exec(&t,
		"INSERT INTO billing_table (table_id, name, location, last_modified_ms, "
		"row_count, kind) VALUES (7, 'file:other.json#x', '', 0, 0, 'file'); "
		"INSERT INTO billing_day (table_id, unit, account, day) VALUES "
		"(7, 20774, '01AB23-CD45EF-678901', 20774)");
	x.units = UNIT("2026-11-17", "HKD", "1", "3", "0", X1) "," UNIT(
		"2026-11-18", "HKD", "1", "0.5", "0", X1);
	x.n_units = 2;
	x.rows = CORE("2026-11-17", "1794927600000000", "3", "1") "," CORE(
		"2026-11-18", H16, "0.5", "1");
	x.n_rows = 2;
	x.table_rows = 2;
	o = poll(&x, WORLD_NOW);
	assert_int_equal(o.r.failed, 1);
	assert_int_equal(o.queries, 2);
	expect("SELECT error LIKE '%usage of 2026-11-17 (billing account 01AB23-%' || "
	       "'%other.json%' FROM source_status",
		"1");
	expect("SELECT fix LIKE '%db forget ''file:other.json#x''%' FROM source_status",
		"1");
	expect("SELECT group_concat(day || ' ' || cost_n) FROM costs_exact",
		"2026-11-19 500000000");
	expect("SELECT queries FROM billing_bytes", "2");
	expect("SELECT looked + last_full FROM billing_table WHERE table_id <> 7", "0");
	/* as long as both are as they are; later, the 17th alone is asked for */
	x.rows = CORE("2026-11-17", "1794927600000000", "3", "1");
	x.n_rows = 1;
	o = poll(&x, WORLD_NOW + 3600);
	assert_int_equal(o.r.failed, 1);
	assert_int_equal(o.queries, 0);
	expect("SELECT fix LIKE '%db forget%' FROM source_status", "1");
	/* other rows may be other days */
	x.modified = "200";
	o = poll(&x, WORLD_NOW + 7200);
	assert_int_equal(o.queries, 2);
	/* the other one changed */
	tempdb_exec(&t,
		"INSERT INTO billing_unit (table_id, unit, row_count, exported, ingested) "
		"VALUES (7, 20774, 0, 0, 1795250000)");
	assert_int_equal(poll(&x, WORLD_NOW + 12900).queries, 2);
	tempdb_exec(&t,
		"DELETE FROM billing_day WHERE table_id = 7; DELETE FROM billing_unit "
		"WHERE table_id = 7; DELETE FROM billing_table WHERE table_id = 7");
	o = poll(&x, WORLD_NOW + 13000);
	assert_int_equal(o.r.ok, 1);
	expect("SELECT SUM(cost_n) FROM costs_exact", "3500000000");
	expect("SELECT COUNT(*) FROM billing_refused", "0");
	expect("SELECT looked FROM billing_table", "1795250200");
	tempdb_close(&t);
}

#define REFUSED                                                                          \
	"SELECT modified_ms || ' ' || other || ' ' || at || ' ' || (error LIKE '%' ||"   \
	" other || '%') || ' ' || (fix LIKE '%' || other || '%') FROM billing_refused r" \
	" JOIN billing_table t ON t.table_id = r.table_id WHERE t.name LIKE '%.export'"

/* The newest refusal takes the place of the one before, as a whole. */
static void a_table_that_is_refused_again_is_refused_anew(void **state)
{
	struct export x = first;

	fresh();
	tempdb_exec(&t,
		"INSERT INTO billing_table (table_id, name, location, last_modified_ms, "
		"row_count, kind) VALUES (7, 'file:a.json#x', '', 0, 0, 'file'); "
		"INSERT INTO billing_day (table_id, unit, account, day) VALUES "
		"(7, 20775, '01AB23-CD45EF-678901', 20775)");
	poll(&x, WORLD_NOW);
	expect(REFUSED, "100 file:a.json#x 1795237200 1 1");
	/* that one is gone, and the next one has the same day */
	tempdb_exec(&t,
		"UPDATE billing_table SET name = 'file:b.json#x' WHERE table_id = 7; "
		"UPDATE billing_refused SET recipe = recipe - 1");
	x.modified = "200";
	assert_int_equal(poll(&x, WORLD_NOW + 3600).queries, 2);
	expect(REFUSED, "200 file:b.json#x 1795240800 1 1");
	/* it is this refusal that spares the next queries */
	assert_int_equal(poll(&x, WORLD_NOW + 7200).queries, 0);
	expect(REFUSED, "200 file:b.json#x 1795240800 1 1");
	tempdb_close(&t);
}

static void an_import_of_days_that_were_polled_is_refused(void **state)
{
	struct q_billing_table_add_in add = {
		.name = "file:x", .location = "", .kind = "file"};
	struct billing_store s = {.db = t.db, .tz = tz, .now = WORLD_NOW};
	struct usage_stage stage;
	struct usage_line l = {.unit = 20775,
		.hour = INT64_C(1795014000),
		.service_id = "",
		.service = "",
		.sku_id = "",
		.sku = "",
		.project = "",
		.number = "",
		.account = "01AB23-CD45EF-678901",
		.location = "",
		.region = "",
		.zone = "",
		.resource = "",
		.global_name = "",
		.labels = "",
		.invoice_month = "",
		.cost_type = "",
		.currency = "HKD",
		.usage_unit = "",
		.model = "",
		.model_name = "",
		.credit_type = "",
		.cost = 5,
		.rows = 1};
	struct billing_unit *units;
	struct arena a = {0};
	struct err e = {0};
	size_t n;

	fresh();
	poll(&first, WORLD_NOW);
	s.db = t.db;
	assert_int_equal(q_billing_table_add(t.db, &add, &e), E_OK);
	s.table_id = tempdb_int(&t, "SELECT MAX(table_id) FROM billing_table");
	s.recipe = BILLING_RECIPE;
	assert_int_equal(usage_stage_open(&stage, t.db, false, &e), E_OK);
	assert_int_equal(usage_stage_add(&stage, &l, &e), E_OK);
	assert_int_equal(usage_stage_flush(&stage, &e), E_OK);
	assert_int_equal(billing_units_staged(t.db, &a, &units, &n, &e), E_OK);
	assert_int_equal(billing_store(&s, units, n, &e), E_CONFLICT);
	expect("SELECT SUM(cost_n) FROM costs_exact", "12500000044");
	s.may_overlap = true;
	assert_int_equal(billing_store(&s, units, n, &e), E_OK);
	expect("SELECT SUM(cost_n) FROM costs_exact", "12500000049");
	/* another part of the same poll is no change of the bill; in a later poll it is */
	s.restates = true;
	for (int later = 0; later < 2; later++) {
		usage_stage_close(&stage);
		s.now = WORLD_NOW + later;
		l.cost++;
		assert_int_equal(usage_stage_open(&stage, t.db, false, &e), E_OK);
		assert_int_equal(usage_stage_add(&stage, &l, &e), E_OK);
		assert_int_equal(usage_stage_flush(&stage, &e), E_OK);
		assert_int_equal(billing_units_staged(t.db, &a, &units, &n, &e), E_OK);
		assert_int_equal(billing_store(&s, units, n, &e), E_OK);
		expect("SELECT COUNT(*) FROM restatement", later ? "1" : "0");
	}
	usage_stage_close(&stage);
	arena_done(&a);
	tempdb_close(&t);
}

/* A table, and what is forgotten of it. */
static void what_is_forgotten_is_gone_from_every_day(void **state)
{
	struct err e = {0};
	size_t units = 0;

	fresh();
	poll(&first, WORLD_NOW);
	assert_int_equal(
		billing_forget(t.db, tz, WORLD_NOW, "nothing", &units, &e), E_NOTFOUND);
	/* with a line that an interrupted poll has left */
	tempdb_exec(&t,
		"INSERT INTO stage_usage SELECT unit, hour, sku_ref, project_ref, "
		"place_ref, resource_ref, charge_ref, credit_ref, usage, cost, credits, "
		"discount, committed, row_count FROM usage");
	assert_int_equal(billing_forget(t.db, tz, WORLD_NOW, "my-project.billing.export",
				 &units, &e),
		E_OK);
	assert_int_equal(units, 1);
	expect("SELECT (SELECT COUNT(*) FROM usage) + (SELECT COUNT(*) FROM cost_day) + "
	       "(SELECT COUNT(*) FROM credit_day) + (SELECT COUNT(*) FROM billing_table) + "
	       "(SELECT COUNT(*) FROM billing_unit) + (SELECT COUNT(*) FROM billing_day)",
		"0");
	/* and it can be read again */
	poll(&first, WORLD_NOW + 3600);
	expect("SELECT SUM(cost_n) FROM costs_exact", "12500000044");
	tempdb_close(&t);
}

static void units_of_an_older_recipe_are_read_again(void **state)
{
	struct export touched = first;

	fresh();
	poll(&first, WORLD_NOW);
	tempdb_exec(&t,
		"UPDATE billing_unit SET recipe = 1; UPDATE billing_table SET recipe = 1; "
		"DELETE FROM credit_day");
	touched.modified = "200";
	assert_int_equal(poll(&touched, WORLD_NOW + 3600).queries, 2);
	expect("SELECT recipe FROM billing_unit", "4");
	expect("SELECT COUNT(*) FROM credit_day", "2");
	tempdb_close(&t);
}

static void old_partitions_are_looked_at_once_a_week(void **state)
{
	struct export touched = first;
	struct outcome o;

	fresh();
	poll(&first, WORLD_NOW);
	touched.modified = "200";
	o = poll(&touched, WORLD_NOW + 6 * DAY_SECONDS);
	assert_non_null(strstr(o.first_query, "\"value\":\"2026-10-18\""));
	/* although nothing has changed since the last look */
	o = poll(&touched, WORLD_NOW + 7 * DAY_SECONDS);
	assert_int_equal(o.queries, 1);
	assert_non_null(strstr(o.first_query, "\"value\":\"1970-01-01\""));
	assert_int_equal(poll(&touched, WORLD_NOW + 8 * DAY_SECONDS).queries, 0);
	tempdb_close(&t);
}

/* Of a view, tables.get tells when it was defined, and no number of rows. */
static void a_view_is_read_though_it_looks_unchanged(void **state)
{
	struct export view = first, later;
	struct outcome o;

	fresh();
	view.type = "VIEW";
	poll(&view, WORLD_NOW);
	expect("SELECT SUM(cost_n) FROM costs_exact", "12500000044");
	o = poll(&view, WORLD_NOW + 3600);
	assert_int_equal(o.queries, 1);
	assert_non_null(strstr(o.first_query, "\"value\":\"1970-01-01\""));
	later = view;
	later.units = UNIT("2026-11-18", "HKD", "5", "13.500000044", "-2.5", X2);
	later.rows = CORE("2026-11-18", H15, "11.000000044", "3") "," CREDIT(
		"2026-11-18", H15, "PROMOTION", "-2") "," CREDIT("2026-11-18", H15,
		"DISCOUNT", "-0.5") "," CORE("2026-11-18", H16, "0.5",
		"1") "," TAX("2026-11-18", H16, "2");
	o = poll(&later, WORLD_NOW + 7200);
	assert_int_equal(o.r.ok, 1);
	assert_int_equal(o.queries, 2);
	expect("SELECT SUM(cost_n) FROM costs_exact", "13500000044");
	tempdb_close(&t);
}

/* How many rows there are is known of the whole table, not of what is read of it. */
static void every_partition_of_a_table_with_bounds_is_looked_at(void **state)
{
	struct export cut = first;
	struct outcome o;

	fresh();
	cut.from = 20775; /* 2026-11-18 */
	poll(&cut, WORLD_NOW);
	assert_int_equal(poll(&cut, WORLD_NOW + 3600).queries, 0);
	cut.modified = "200";
	cut.table_rows = 7;
	o = poll(&cut, WORLD_NOW + 7200);
	assert_int_equal(o.queries, 1);
	assert_non_null(strstr(o.first_query, "\"value\":\"1970-01-01\""));
	tempdb_close(&t);
}

/* The very case of an export that moved: the old table has not changed, its bounds have. */
static void other_bounds_are_read_though_the_table_has_not_changed(void **state)
{
	struct export cut = first;
	struct outcome o;

	fresh();
	poll(&first, WORLD_NOW);
	cut.from = 20776; /* 2026-11-19: nothing of the 18th is left */
	cut.units = "";
	cut.n_units = 0;
	cut.rows = "";
	cut.n_rows = 0;
	o = poll(&cut, WORLD_NOW + 3600);
	assert_int_equal(o.r.ok, 1);
	assert_int_equal(o.queries, 2);
	expect("SELECT COUNT(*) FROM costs_exact", "0");
	expect("SELECT COUNT(*) FROM billing_quarantine", "0");
	assert_int_equal(poll(&cut, WORLD_NOW + 7200).queries, 0);
	/* and back */
	assert_int_equal(poll(&first, WORLD_NOW + 10800).queries, 2);
	expect("SELECT SUM(cost_n) FROM costs_exact", "12500000044");
	tempdb_close(&t);
}

static void a_partition_that_came_back_is_not_held_any_more(void **state)
{
	struct export back = first;
	struct outcome o;

	fresh();
	poll(&first, WORLD_NOW);
	assert_int_equal(poll(&shrunk, WORLD_NOW + 3600).r.partial, 1);
	back.modified = "500";
	o = poll(&back, WORLD_NOW + 7200);
	assert_int_equal(o.r.ok, 1);
	expect("SELECT COUNT(*) FROM billing_quarantine", "0");
	assert_int_equal(poll(&back, WORLD_NOW + 10800).queries, 0);
	expect("SELECT SUM(cost_n) FROM costs_exact", "12500000044");
	tempdb_close(&t);
}

static void credits_that_do_not_add_up_change_nothing(void **state)
{
	struct export torn = first;

	fresh();
	torn.units = UNIT("2026-11-18", "HKD", "4", "12.500000044", "-2.6", X1);
	assert_int_equal(poll(&torn, WORLD_NOW).r.failed, 1);
	expect("SELECT COUNT(*) FROM usage", "0");
	tempdb_close(&t);
}

/* Two partitions with usage of one day: the second does not restate what the first said. */
static void the_first_reading_of_a_table_is_no_news(void **state)
{
	struct export x = first;

	fresh();
	x.units = UNIT("2026-11-10", "HKD", "1", "3", "0", X1) "," UNIT(
		"2026-11-11", "HKD", "1", "4", "0", X1);
	x.n_units = 2;
	x.rows = CORE("2026-11-10", "1794229200000000", "3", "1") "," CORE(
		"2026-11-11", "1794229200000000", "4", "1");
	x.n_rows = 2;
	x.table_rows = 2;
	assert_int_equal(poll(&x, WORLD_NOW).r.ok, 1);
	expect("SELECT SUM(cost_n) FROM costs_exact", "7000000000");
	expect("SELECT COUNT(*) FROM restatement", "0");
	tempdb_close(&t);
}

/* Usage moves to another invoice month: the old one goes down to nothing, the new one up. */
static void a_restated_day_is_told_by_invoice_month(void **state)
{
	struct export x = first;
	static char rows[8192];
	char *at;

	fresh();
	poll(&first, WORLD_NOW);
	snprintf(rows, sizeof(rows), "%s", CORE("2026-11-18", H15, "12.500000044", "4"));
	at = strstr(rows, "202611");
	memcpy(at, "202610", 6);
	x.modified = "200";
	x.units = UNIT("2026-11-18", "HKD", "4", "12.500000044", "0", X2);
	x.rows = rows;
	x.n_rows = 1;
	poll(&x, WORLD_NOW + 3600);
	expect("SELECT group_concat(date || ' ' || invoice_month || ' ' || old_cost || ' "
	       "' || new_cost, '; ') FROM (SELECT * FROM restatement WHERE date = "
	       "'2026-11-18' ORDER BY invoice_month)",
		"2026-11-18 202610 0 12500000044; 2026-11-18 202611 10000000044 0");
	tempdb_close(&t);
}

static void what_queries_cost_is_kept_by_month(void **state)
{
	struct export touched = first;

	fresh();
	poll(&first, WORLD_NOW);
	touched.modified = "200";
	poll(&touched, WORLD_NOW + 3600);
	expect("SELECT month || ' ' || queries || ' ' || bytes FROM billing_bytes",
		"202611 3 31457280");
	expect("SELECT bytes_billed FROM sources", "31457280");
	tempdb_close(&t);
}

static void credits_of_every_type_are_kept(void **state)
{
	fresh();
	poll(&first, WORLD_NOW);
	expect("SELECT group_concat(credit_type || ' ' || credits || ' ' || project) FROM "
	       "(SELECT * FROM billed_credits ORDER BY credit_type)",
		"DISCOUNT -0.5 p1,PROMOTION -2.0 p1");
	expect("SELECT number || ' ' || account FROM billed_project WHERE project = 'p1'",
		"123456789012 01AB23-CD45EF-678901");
	expect("SELECT sku_id || ' ' || unit || ' ' || price || ' ' || currency FROM "
	       "billed_price",
		"2E27-4F75-95CD hour 200000000 HKD");
	expect("SELECT region || ' ' || sku_id FROM billed_region",
		"us-central1 2E27-4F75-95CD");
	tempdb_close(&t);
}

/* The same project id with another number is another project. */
static void a_project_is_known_by_its_number(void **state)
{
	struct export x = first;

	fresh();
	x.units = UNIT("2026-11-18", "HKD", "2", "3", "0", X1);
	x.rows = CORE("2026-11-18", H15, "1", "1") ",{\"f\":[" V("2026-11-18") "," V(H15) "," V("") "," V("202611") "," V(
		"HKD") "," V("p1") "," NUL
				   "," V("S") "," NUL "," V(
					   "K") "," NUL "," NUL "," NUL "," NUL
						"," V("01AB23-CD45EF-678901") "," V("999") "," V(
							"regular") "," NUL "," NUL "," NUL
								   "," NUL "," NUL "," NUL
								   "," NUL "," NUL
								   "," V("0") "," V("2") "," V("0") "," V(
									   "2") "," V("2") "," V("1") "]}";
	x.n_rows = 2;
	x.table_rows = 2;
	assert_int_equal(poll(&x, WORLD_NOW).r.ok, 1);
	expect("SELECT group_concat(number) FROM (SELECT number FROM billed_project "
	       "ORDER BY number)",
		"123456789012,999");
	expect("SELECT SUM(cost_n) FROM costs_exact WHERE project = 'p1'", "3000000000");
	tempdb_close(&t);
}

/* ---- currencies ---------------------------------------------------------------------------------- */

static void a_change_of_currency_makes_a_new_series(void **state)
{
	struct export x = first;
	static char usd[4096];
	char *at;

	fresh();
	snprintf(usd, sizeof(usd), "%s", CORE("2026-11-18", H16, "2", "1"));
	at = strstr(usd, "HKD");
	memcpy(at, "USD", 3);
	{
		static char rows[8192];

		snprintf(rows, sizeof(rows), "%s,%s", CORE("2026-11-18", H15, "1", "1"),
			usd);
		x.rows = rows;
	}
	x.units = UNIT("2026-11-18", "HKD", "1", "1", "0", X1) "," UNIT(
		"2026-11-18", "USD", "1", "2", "0", X1);
	x.n_units = 2;
	x.n_rows = 2;
	x.table_rows = 2;
	assert_int_equal(poll(&x, WORLD_NOW).r.ok, 1);
	expect("SELECT group_concat(currency || cost_n) FROM (SELECT currency, SUM(cost_n) "
	       "AS cost_n FROM costs_exact GROUP BY currency ORDER BY currency)",
		"HKD1000000000,USD2000000000");
	tempdb_close(&t);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sums_are_those_of_the_export_to_the_nano_unit),
		cmocka_unit_test(nothing_is_queried_while_the_table_has_not_changed),
		cmocka_unit_test(a_touched_table_with_equal_units_reads_no_rows),
		cmocka_unit_test(a_correction_replaces_its_unit_and_cannot_double),
		cmocka_unit_test(rows_that_do_not_add_up_change_nothing),
		cmocka_unit_test(a_day_that_was_not_asked_for_is_an_error),
		cmocka_unit_test(a_line_has_what_it_needs_or_is_refused),
		cmocka_unit_test(usage_of_a_time_that_cannot_be_is_refused),
		cmocka_unit_test(
			rows_that_are_missing_are_noticed_though_their_cost_is_zero),
		cmocka_unit_test(a_day_that_a_reload_emptied_is_empty),
		cmocka_unit_test(a_reload_leaves_nothing_at_the_edges_of_the_day),
		cmocka_unit_test(a_table_that_only_grew_is_read),
		cmocka_unit_test(a_day_is_partial_then_settling_then_settled),
		cmocka_unit_test(a_day_is_as_final_as_what_was_read_of_it),
		cmocka_unit_test(
			a_late_row_in_an_old_partition_is_found_by_the_number_of_rows),
		cmocka_unit_test(a_missing_table_is_one_clear_line),
		cmocka_unit_test(a_table_that_is_no_export_names_the_column),
		cmocka_unit_test(amounts_that_are_no_numbers_are_refused),
		cmocka_unit_test(hours_before_google_cloud_are_refused),
		cmocka_unit_test(queries_are_capped_named_and_sent_to_the_right_place),
		cmocka_unit_test(
			a_partition_that_shrinks_is_held_until_it_was_seen_three_times),
		cmocka_unit_test(a_partition_that_loses_its_costs_is_held),
		cmocka_unit_test(an_export_that_is_empty_is_reported),
		cmocka_unit_test(an_old_partition_that_shrinks_is_seen_three_times_too),
		cmocka_unit_test(days_that_another_table_has_are_left_out),
		cmocka_unit_test(the_old_one_of_two_tables_can_be_forgotten),
		cmocka_unit_test(a_day_goes_from_one_table_to_the_other_in_one_poll),
		cmocka_unit_test(a_partition_that_shrinks_is_seen_once_in_a_poll),
		cmocka_unit_test(beside_one_that_shrinks_all_is_as_stored),
		cmocka_unit_test(credits_alone_make_a_day_another),
		cmocka_unit_test(a_query_that_fails_loses_no_correction),
		cmocka_unit_test(a_query_that_fails_loses_no_day),
		cmocka_unit_test(a_query_that_fails_lets_nothing_shrink),
		cmocka_unit_test(the_first_figures_of_a_day_are_no_news),
		cmocka_unit_test(names_that_are_gone_are_noticed),
		cmocka_unit_test(a_partition_is_dropped_from_its_table_alone),
		cmocka_unit_test(the_newest_price_on_the_bill_is_kept),
		cmocka_unit_test(days_beside_each_other_are_all_summed_up),
		cmocka_unit_test(a_day_with_usage_that_is_not_known_has_no_sum_of_it),
		cmocka_unit_test(a_partition_that_goes_on_changing_starts_anew),
		cmocka_unit_test(a_partition_that_vanished_keeps_its_figures),
		cmocka_unit_test(a_change_of_a_reported_day_is_written_down),
		cmocka_unit_test(
			a_table_made_anew_is_another_one_and_its_days_are_not_counted_twice),
		cmocka_unit_test(a_table_that_is_refused_again_is_refused_anew),
		cmocka_unit_test(an_import_of_days_that_were_polled_is_refused),
		cmocka_unit_test(what_is_forgotten_is_gone_from_every_day),
		cmocka_unit_test(units_of_an_older_recipe_are_read_again),
		cmocka_unit_test(old_partitions_are_looked_at_once_a_week),
		cmocka_unit_test(a_view_is_read_though_it_looks_unchanged),
		cmocka_unit_test(every_partition_of_a_table_with_bounds_is_looked_at),
		cmocka_unit_test(other_bounds_are_read_though_the_table_has_not_changed),
		cmocka_unit_test(a_partition_that_came_back_is_not_held_any_more),
		cmocka_unit_test(credits_that_do_not_add_up_change_nothing),
		cmocka_unit_test(the_first_reading_of_a_table_is_no_news),
		cmocka_unit_test(a_restated_day_is_told_by_invoice_month),
		cmocka_unit_test(what_queries_cost_is_kept_by_month),
		cmocka_unit_test(credits_of_every_type_are_kept),
		cmocka_unit_test(a_project_is_known_by_its_number),
		cmocka_unit_test(a_change_of_currency_makes_a_new_series),
		cmocka_unit_test(table_names_cannot_carry_sql),
		cmocka_unit_test(consumption_models_of_one_hour_stay_apart),
		cmocka_unit_test(what_a_table_lacks_is_not_grouped_by),
		cmocka_unit_test(a_currency_has_one_sum_in_a_day),
		cmocka_unit_test(columns_that_belong_together_are_read_together),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
