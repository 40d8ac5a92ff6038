/* The billing export against a server with canned answers. The oracle is the database and
 * the queries that were sent. */
#include "collector/billing_sql.h"
#include "collector/collect.h"

#include "base/tz.h"
#include "tests/support/gcp_world.h"
#include "tests/support/tempdb.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

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
	int table_rows;        /* numRows; 0: 4 */
	const char *all_units; /* answer to the query for every partition */
	size_t n_all_units;
	const char *created; /* creationTime; NULL: "1" */
	day_t from;          /* of the configuration; 0: no bound */
};

static int setup(void **state)
{
	struct err e = {0};

	(void)state;
	if (tz_open("Asia/Hong_Kong", &tz, &e))
		fail_msg("%s", e.msg);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tz_free(tz);
	return 0;
}

#define S(name) "{\"name\":\"" name "\",\"type\":\"STRING\"}"
#define N(name) "{\"name\":\"" name "\",\"type\":\"NUMERIC\"}"
#define REC(name, fields) \
	"{\"name\":\"" name "\",\"type\":\"RECORD\",\"fields\":[" fields "]}"

static const char detailed[] = S("currency") "," S(
	"cost_type") ","
		     "{\"name\":\"usage_start_time\",\"type\":\"TIMESTAMP\"},"
		     "{\"name\":\"export_time\",\"type\":\"TIMESTAMP\"},{\"name\":\"cost\","
		     "\"type\":\"FLOAT\"},"
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
					       "pricing_unit")) ","
								"{\"name\":\"credits\","
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
		    "," N("cost_sum") "," N("credits_sum") ",{"
							   "\"name"
							   "\":"
							   "\"expor"
							   "ted\","
							   "\"type"
							   "\":"
							   "\"TIMES"
							   "TAMP\""
							   "}";
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
	{"rate", "NUMERIC"},
	{"price", "NUMERIC"},
	{"usage_sum", "NUMERIC"},
	{"cost_sum", "NUMERIC"},
	{"credits_sum", "NUMERIC"},
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
/* A line of a machine's core-hour; `hour` in microseconds. */
#define LINE(day, hour, type, usage, cost, credits, rows)                                  \
	"{\"f\":[" V(day) "," V(hour) "," V(type) "," V("202611") "," V("HKD") "," V("p1") "," \
	V("6F81-5844-456A") "," V("Compute Engine") "," V("2E27-4F75-95CD") ","            \
	V("N1 Predefined Instance Core running in Americas") "," V("us-central1") ","      \
	V("us-central1") "," V("us-central1-b") "," V("hour") ","                          \
	V("01AB23-CD45EF-678901") "," V("123456789012") "," V("regular") "," V("tpu-vm")   \
	"," V("//compute/x") "," V("7.75") "," V("0.2") "," V(usage) "," V(cost) ","       \
	V(credits) "," V(rows) "]}"
#define CORE(day, hour, cost, rows) LINE(day, hour, "", "1.5", cost, "0", rows)
#define CREDIT(day, hour, type, amount) LINE(day, hour, type, "0", "0", amount, "0")
#define TAX(day, hour, cost)                                                               \
	"{\"f\":[" V(day) "," V(hour) "," V("") "," V("202611") "," V("HKD") "," NUL "," NUL   \
	"," V("Invoice") "," NUL "," V("Tax") "," NUL "," NUL "," NUL "," NUL ","          \
	V("01AB23-CD45EF-678901") "," NUL "," V("tax") "," NUL "," NUL "," V("7.75") ","   \
	NUL "," V("0") "," V(cost) "," V("0") "," V("1") "]}"
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
		"\"jobId\":"
		"\"j\",\"location\":\"EU\"},\"schema\":{\"fields\":[%s]},\"totalRows\":\"%"
		"zu\","
		"\"rows\":[%s],\"totalBytesBilled\":\"10485760\"}",
		fields, n, rows);
}

struct outcome {
	struct collect_result r;
	size_t queries;
	char first_query[8192];
	char second_query[8192];
};

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
		.max_bytes = INT64_C(1) << 34,
		.tz = tz};
	struct gcp_world w;
	struct outcome o = {0};
	struct collector c = {.settings = &settings, .only = only, .n_only = 1};

	snprintf(table, sizeof(table),
		x->table_status
			? "{\"error\":{\"code\":%d,\"message\":\"Not found: Table\","
			  "\"errors\":[{\"reason\":\"notFound\"}]}}"
			: "{\"kind\":\"bigquery#table\",\"type\":\"TABLE\",\"location\":"
			  "\"EU\",\"numRows\":\"%d\",\"lastModifiedTime\":\"%s\","
			  "\"creationTime\":\"%s\","
			  "\"timePartitioning\":{\"type\":\"DAY\"},\"schema\":{\"fields\":["
			  "%s]}}",
		x->table_status         ? x->table_status
			: x->table_rows ? x->table_rows
					: 4,
		x->modified, x->created ? x->created : "1",
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
	if (collect(&c, &o.r, &w.e))
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
	char got[1024];

	tempdb_text(&t, sql, got, sizeof(got));
	if (strcmp(got, want) != 0)
		fail_msg("%s\n  gave %s\n  want %s", sql, got, want);
}

static void fresh(void)
{
	tempdb_open(&t, WORLD_NOW);
	tempdb_exec(&t, "INSERT INTO as_of VALUES (1795237200, 'Asia/Hong_Kong', 'HKD')");
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
	struct outcome o;

	(void)state;
	fresh();
	o = poll(&first, WORLD_NOW);
	assert_int_equal(o.r.ok, 1);
	assert_int_equal(o.queries, 2);
	expect("SELECT SUM(cost_n) || ' ' || SUM(credits_n) || ' ' || SUM(promo_n) FROM "
	       "costs_exact",
		"12500000044 -2500000000 -2000000000");
	/* 15:00Z is still the 18th in Hong Kong, 16:00Z is the 19th */
	expect("SELECT group_concat(day || ' ' || cost) FROM (SELECT day, SUM(cost) AS "
	       "cost FROM "
	       "costs GROUP BY day ORDER BY day)",
		"2026-11-18 10.000000044,2026-11-19 2.5");
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

	(void)state;
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

	(void)state;
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

	(void)state;
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
		.units = UNIT("2026-11-18", "HKD", "6", "99", "-2.5", X2),
		.n_units = 1,
		.rows = CORE("2026-11-18", H15, "5.000000044", "6"),
		.n_rows = 1};
	struct outcome o;

	(void)state;
	fresh();
	poll(&first, WORLD_NOW);
	o = poll(&torn, WORLD_NOW + 3600);
	assert_int_equal(o.r.failed, 1);
	expect("SELECT SUM(cost_n) FROM costs_exact", "12500000044");
	expect("SELECT error LIKE '%2026-11-18 does not add up%' FROM source_status", "1");
	/* and it is read again next time: the table does not count as seen */
	o = poll(&torn, WORLD_NOW + 7200);
	assert_int_equal(o.queries, 2);
	tempdb_close(&t);
}

static void rows_that_are_missing_are_noticed_though_their_cost_is_zero(void **state)
{
	struct export x = first;
	struct outcome o;

	(void)state;
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
		.units = UNIT("2026-11-18", "HKD", "2", "0.5", "0", X2),
		.n_units = 1,
		.rows = CORE("2026-11-18", H16, "0.5", "2"),
		.n_rows = 1};

	(void)state;
	fresh();
	poll(&first, WORLD_NOW);
	poll(&moved, WORLD_NOW + 3600);
	expect("SELECT group_concat(day || ' ' || cost) FROM costs", "2026-11-19 0.5");
	tempdb_close(&t);
}

static void a_table_that_only_grew_is_read(void **state)
{
	struct export grown = first;

	(void)state;
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

	(void)state;
	fresh();
	poll(&first, WORLD_NOW);
	for (size_t i = 0; i < ARRAY_LEN(moments); i++) {
		char sql[128];

		snprintf(sql, sizeof(sql), "UPDATE as_of SET now = %s", moments[i].now);
		tempdb_exec(&t, sql);
		expect("SELECT DISTINCT status FROM costs WHERE day = '2026-11-18'",
			moments[i].status);
	}
	tempdb_close(&t);
}

static void a_late_row_in_an_old_partition_is_found_by_the_number_of_rows(void **state)
{
	struct export late = first;
	struct outcome o;

	(void)state;
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

	(void)state;
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

	(void)state;
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

	(void)state;
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

static void queries_are_capped_named_and_sent_to_the_right_place(void **state)
{
	struct outcome o;

	(void)state;
	fresh();
	o = poll(&first, WORLD_NOW);
	assert_non_null(strstr(o.first_query, "\"useLegacySql\":false"));
	assert_non_null(strstr(o.first_query, "\"maximumBytesBilled\":\"17179869184\""));
	assert_non_null(strstr(o.first_query, "\"location\":\"EU\""));
	assert_non_null(strstr(o.first_query, "tpucost:billing-units"));
	assert_non_null(strstr(o.second_query, "tpucost:billing-rows"));
	assert_non_null(strstr(o.second_query, "2026-11-18"));
	tempdb_close(&t);
}

static void table_names_cannot_carry_sql(void **state)
{
	(void)state;
	assert_true(billing_table_valid("p-1.billing.gcp_billing_export_v1_01AB23"));
	assert_true(billing_table_valid("example.com:proj.ds.t"));
	assert_false(billing_table_valid("p.ds"));
	assert_false(billing_table_valid("p.ds.t`; DROP"));
	assert_false(billing_table_valid("p.d s.t"));
	assert_false(billing_table_valid(".ds.t"));
	assert_false(billing_table_valid("p..t"));
	assert_false(billing_table_valid("p.ds."));
}

static void what_a_table_lacks_is_not_grouped_by(void **state)
{
	struct billing_shape bare = {.has_partition_time = true};
	struct billing_shape full = {true, true, true, true, true, true, true, true, false};
	struct sbuf b = SBUF_INIT;

	(void)state;
	billing_sql_rows(&b, "p.d.t", &bare);
	assert_null(strstr(b.s, "resource.name"));
	assert_null(strstr(b.s, "currency_conversion_rate"));
	assert_non_null(strstr(b.s, "13, 14\n"));
	assert_non_null(strstr(b.s, "CAST(NULL AS STRING) AS account"));
	sbuf_reset(&b);
	billing_sql_rows(&b, "p.d.t", &full);
	assert_non_null(strstr(b.s, "17, 18, 19\n"));
	assert_null(strstr(b.s, "usage_from"));
	sbuf_reset(&b);
	full.has_partition_time = false;
	full.has_cut = true;
	billing_sql_units(&b, "p.d.t", &full);
	assert_null(strstr(b.s, "_PARTITIONTIME"));
	assert_non_null(strstr(b.s, "DATE(export_time)"));
	assert_non_null(strstr(b.s, "BETWEEN @usage_from AND @usage_until"));
	sbuf_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sums_are_those_of_the_export_to_the_nano_unit),
		cmocka_unit_test(nothing_is_queried_while_the_table_has_not_changed),
		cmocka_unit_test(a_touched_table_with_equal_units_reads_no_rows),
		cmocka_unit_test(a_correction_replaces_its_unit_and_cannot_double),
		cmocka_unit_test(rows_that_do_not_add_up_change_nothing),
		cmocka_unit_test(
			rows_that_are_missing_are_noticed_though_their_cost_is_zero),
		cmocka_unit_test(a_day_that_a_reload_emptied_is_empty),
		cmocka_unit_test(a_table_that_only_grew_is_read),
		cmocka_unit_test(a_day_is_partial_then_settling_then_settled),
		cmocka_unit_test(
			a_late_row_in_an_old_partition_is_found_by_the_number_of_rows),
		cmocka_unit_test(a_missing_table_is_one_clear_line),
		cmocka_unit_test(a_table_that_is_no_export_names_the_column),
		cmocka_unit_test(amounts_that_are_no_numbers_are_refused),
		cmocka_unit_test(queries_are_capped_named_and_sent_to_the_right_place),
		cmocka_unit_test(table_names_cannot_carry_sql),
		cmocka_unit_test(what_a_table_lacks_is_not_grouped_by),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
