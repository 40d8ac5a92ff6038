#include "gcp/bill/bigquery.h"

#include "base/data/json.h"
#include "base/str.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define P "my-project"
#define QUERY "POST /bigquery/v2/projects/my-project/queries?"
#define RESULTS "GET /bigquery/v2/projects/my-project/queries/job_1?"
#define JOB                                                                                \
	"\"jobReference\":{\"projectId\":\"my-project\",\"jobId\":\"job_1\",\"location\":" \
	"\"EU\"}"
#define SCHEMA                                                                   \
	"\"schema\":{\"fields\":[{\"name\":\"n\",\"type\":\"INTEGER\",\"mode\":" \
	"\"NULLABLE\"},"                                                         \
	"{\"name\":\"s\",\"type\":\"STRING\"}]}"
#define ROW(n, s) "{\"f\":[{\"v\":" n "},{\"v\":" s "}]}"

/* What the callback saw, as "n/s;n/s;". */
struct seen {
	char text[512];
	int64_t stop_at; /* refuse this row */
	int64_t rows;
};

static enum err_code on_row(void *ctx, const struct bq_row *row, struct err *e)
{
	struct seen *seen = ctx;
	struct opt_i64 n;
	const char *s;
	size_t len = strlen(seen->text);

	if (++seen->rows == seen->stop_at)
		return err_set(e, E_OVERFLOW, "enough");
	if (bq_i64(row, "n", &n, e) || bq_text(row, "s", &s, e))
		return e->code;
	if (n.set)
		snprintf(seen->text + len, sizeof(seen->text) - len, "%lld/%s;",
			(long long)n.v, s ? s : "NULL");
	else
		snprintf(seen->text + len, sizeof(seen->text) - len, "NULL/%s;",
			s ? s : "NULL");
	return E_OK;
}

static struct bq_query query(struct seen *seen)
{
	return (struct bq_query){.project = P,
		.location = "EU",
		.sql = "SELECT n, s FROM t",
		.max_bytes_billed = 10485760,
		.on_row = on_row,
		.ctx = seen};
}

/* ---- names and tables ---------------------------------------------------- */

static void a_table_name_has_three_parts(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		const char *project, *dataset, *table;
	} cases[] = {
		{"billing-admin.billing.gcp_billing_export_resource_v1_01AB23_CD45EF_"
		 "678901",
			true, "billing-admin", "billing",
			"gcp_billing_export_resource_v1_01AB23_CD45EF_678901"},
		{"example.com:my-project.ds.t", true, "example.com:my-project", "ds", "t"},
		{"ds.t", false, NULL, NULL, NULL},
		{"t", false, NULL, NULL, NULL},
		{"", false, NULL, NULL, NULL},
		{"my-project..t", false, NULL, NULL, NULL},
		{"my-project.ds.", false, NULL, NULL, NULL},
		{"my-project.d`s.t", false, NULL, NULL, NULL},
		{"my-project.ds.t`; DROP TABLE x", false, NULL, NULL, NULL},
		{"P.ds.t", false, NULL, NULL, NULL},
	};
	struct arena a = {0};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bq_name name = {0};
		struct err e = {0};
		enum err_code rc = bq_name_parse(cases[i].text, &a, &name, &e);

		assert_int_equal(rc, cases[i].ok ? E_OK : E_CONFIG);
		assert_true(str_eq(name.project, cases[i].project));
		assert_true(str_eq(name.dataset, cases[i].dataset));
		assert_true(str_eq(name.table, cases[i].table));
		if (!cases[i].ok)
			assert_non_null(strstr(e.fix, "project.dataset.table"));
	}
	arena_done(&a);
}

static void a_table_is_described(void **state)
{
	struct fault_step step = {
		.match = "GET /bigquery/v2/projects/my-project/datasets/ds/tables/tab?",
		.body = "{\"kind\":\"bigquery#table\",\"type\":\"TABLE\",\"location\":"
			"\"EU\",\"numRows\":\"12345678901\",\"lastModifiedTime\":"
			"\"1771900001000\",\"timePartitioning\":{\"type\":\"DAY\"},"
			"\"schema\":{\"fields\":[{\"name\":\"cost\",\"type\":\"FLOAT64\"},{"
			"\"name\":\"usage\",\"type\":\"STRUCT\",\"fields\":[{\"name\":"
			"\"Amount\",\"type\":\"FLOAT\"}]},{\"name\":\"labels\",\"type\":"
			"\"RECORD\",\"mode\":\"REPEATED\","
			"\"fields\":[{\"name\":\"key\",\"type\":\"STRING\"}]}]}}"};
	struct bq_name name = {P, "ds", "tab"};
	struct bq_table t = {0};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_int_equal(bq_table_get(w.g, &name, &w.a, &t, &w.e), E_OK);
	assert_string_equal(t.type, "TABLE");
	assert_string_equal(t.location, "EU");
	assert_int_equal(t.n_rows, 12345678901);
	assert_int_equal(t.modified_ms, 1771900001000);
	assert_string_equal(t.partition_type, "DAY");
	assert_string_equal(t.partition_field, "");
	assert_int_equal(t.n_fields, 3);
	assert_string_equal(t.fields[0].type, "FLOAT");
	assert_string_equal(t.fields[1].type, "RECORD");
	assert_true(t.fields[2].repeated);
	assert_string_equal(bq_field_find(t.fields, 3, "usage.amount")->type, "FLOAT");
	assert_string_equal(bq_field_find(t.fields, 3, "COST")->name, "cost");
	assert_null(bq_field_find(t.fields, 3, "usage.unit"));
	assert_null(bq_field_find(t.fields, 3, "cost.x"));
	assert_null(bq_field_find(t.fields, 3, ""));
	world_close(&w);
}

static void a_table_that_is_not_there_says_where_to_look(void **state)
{
	static const struct {
		struct fault_step step;
		enum err_code code;
		const char *fix;
	} cases[] = {
		{{.status = 404,
			 .body = "{\"error\":{\"message\":\"Not found: Table x was not "
				 "found in location US\"}}"},
			E_NOTFOUND, "billing.location"},
		{{.status = 403,
			 .body = "{\"error\":{\"message\":\"Access Denied: Table "
				 "x\",\"errors\":[{"
				 "\"reason\":\"accessDenied\"}]}}"},
			E_DENIED, "roles/bigquery.dataViewer"},
		{{.status = 403,
			 .body = "{\"error\":{\"message\":\"Access Denied: Project x\"}}"},
			E_DENIED, "roles/bigquery.dataViewer"},
		{{.body = "{\"schema\":[]}"}, E_DATA, ""},
		{{.body = "{\"numRows\":\"x\"}"}, E_DATA, ""},
		{{.body = "{\"schema\":{\"fields\":[{\"name\":\"x\"}]}}"}, E_DATA, ""},
		{{.body = "{\"schema\":{\"fields\":[{\"name\":\"x\",\"type\":\"RECORD\"}]}"
			  "}"},
			E_DATA, ""},
	};
	struct bq_name name = {P, "ds", "tab"};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fault_step step = cases[i].step;
		struct bq_table t = {.n_rows = 7};
		struct gcp_world w;

		step.match = "GET ";
		world_open(&w, &step, 1);
		if (bq_table_get(w.g, &name, &w.a, &t, &w.e) != cases[i].code ||
			!strstr(w.e.fix, cases[i].fix))
			fail_msg("case %zu: %s; %s", i, w.e.msg, w.e.fix);
		assert_int_equal(t.n_rows, 7);
		world_close(&w);
	}
}

/* ---- queries ------------------------------------------------------------- */

static void a_query_is_sent_with_its_parameters_and_its_cap(void **state)
{
	static const char *const days[] = {"2026-11-01", "2026-11-02"};
	static const struct bq_param params[] = {
		{.name = "since", .type = "DATE", .value = "2026-11-01"},
		{.name = "none", .type = "STRING"},
		{.name = "units",
			.type = "DATE",
			.values = days,
			.n_values = 2,
			.array = true},
		{.name = "empty", .type = "STRING", .array = true},
	};
	struct fault_step step = {.match = QUERY,
		.body = "{\"jobComplete\":true," SCHEMA ",\"totalRows\":\"0\"}"};
	struct seen seen = {0};
	struct bq_query q = query(&seen);
	struct cJSON *j = NULL;
	const struct cJSON *list;
	struct gcp_world w;
	const char *body;

	q.params = params;
	q.n_params = ARRAY_LEN(params);
	world_open(&w, &step, 1);
	assert_int_equal(bq_run(w.g, &q, &w.e), E_OK);
	assert_int_equal(q.rows, 0);
	body = strstr(fault_request(w.s, 1), "\r\n\r\n") + 4;
	assert_int_equal(json_parse(body, strlen(body), &j, NULL), E_OK);
	assert_string_equal(json_text(json_get(j, "query"), ""), "SELECT n, s FROM t");
	assert_non_null(strstr(body, "\"useLegacySql\":false"));
	assert_non_null(strstr(body, "\"formatOptions\":{\"useInt64Timestamp\":true}"));
	assert_string_equal(json_text(json_get(j, "maximumBytesBilled"), ""), "10485760");
	assert_string_equal(json_text(json_get(j, "location"), ""), "EU");
	assert_string_equal(json_text(json_get(j, "parameterMode"), ""), "NAMED");
	assert_int_equal(strlen(json_text(json_get(j, "requestId"), "")), 36);
	list = json_get(j, "queryParameters");
	assert_int_equal(json_len(list), 4);
	assert_non_null(strstr(body,
		"{\"name\":\"since\",\"parameterType\":{\"type\":\"DATE\"},"
		"\"parameterValue\":{"
		"\"value\":\"2026-11-01\"}}"));
	assert_non_null(strstr(body,
		"{\"name\":\"none\",\"parameterType\":{\"type\":\"STRING\"},"
		"\"parameterValue\":{}}"));
	assert_non_null(strstr(body,
		"{\"name\":\"units\",\"parameterType\":{\"type\":\"ARRAY\",\"arrayType\":{"
		"\"type\":\"DATE\"}},\"parameterValue\":{\"arrayValues\":[{\"value\":"
		"\"2026-11-01\"},{\"value\":\"2026-11-02\"}]}}"));
	assert_non_null(strstr(body, "\"parameterValue\":{\"arrayValues\":[]}"));
	json_free(j);
	world_close(&w);
}

static void rows_come_page_by_page_in_order(void **state)
{
	struct fault_step steps[] = {
		{.match = QUERY,
			.body = "{\"jobComplete\":true," JOB "," SCHEMA
				",\"totalRows\":\"4\","
				"\"rows\":[" ROW("\"1\"", "\"a\"") "," ROW(
					"null", "null") "],\"pageToken\":\"p2\","
							"\"totalBytesBilled\":\"10485760\","
							"\"cacheHit\":true}"},
		{.match = RESULTS
			"location=EU&maxResults=5000&timeoutMs=20000&formatOptions."
			"useInt64Timestamp=true&pageToken=p2",
			.body = "{\"jobComplete\":true,\"totalRows\":\"4\",\"rows\":[" ROW(
				"\"-9223372036854775808\"",
				"\"\"") "],\"pageToken\":\"p3\"}"},
		{.match = RESULTS,
			.body = "{\"jobComplete\":true,\"totalRows\":\"4\",\"rows\":[" ROW(
				"\"4\"", "\"\xc3\xbc\"") "]}"},
	};
	struct seen seen = {0};
	struct bq_query q = query(&seen);
	struct gcp_world w;

	world_open(&w, steps, 3);
	assert_int_equal(bq_run(w.g, &q, &w.e), E_OK);
	assert_string_equal(seen.text, "1/a;NULL/NULL;-9223372036854775808/;4/\xc3\xbc;");
	assert_int_equal(q.rows, 4);
	assert_int_equal(q.total_rows, 4);
	assert_int_equal(q.bytes_billed, 10485760);
	assert_true(q.cache_hit);
	world_close(&w);
}

static void a_slow_job_is_waited_for(void **state)
{
	struct fault_step steps[] = {
		{.match = QUERY, .body = "{\"jobComplete\":false," JOB "}"},
		{.match = RESULTS, .times = 2, .body = "{\"jobComplete\":false," JOB "}"},
		{.match = RESULTS,
			.body = "{\"jobComplete\":true," JOB "," SCHEMA
				",\"totalRows\":\"1\","
				"\"rows\":[" ROW("\"1\"", "\"a\"") "]}"},
	};
	struct seen seen = {0};
	struct bq_query q = query(&seen);
	struct gcp_world w;

	world_open(&w, steps, 3);
	assert_int_equal(bq_run(w.g, &q, &w.e), E_OK);
	assert_string_equal(seen.text, "1/a;");
	assert_int_equal(world_waited(&w), 1 + 2 + 4);
	world_close(&w);
}

static void a_job_beyond_its_deadline_is_cancelled(void **state)
{
	struct fault_step steps[] = {
		{.match = "POST "
			  "/bigquery/v2/projects/my-project/jobs/job_1/cancel?location=EU",
			.body = "{}"},
		{.match = QUERY, .body = "{\"jobComplete\":false," JOB "}"},
		{.match = RESULTS, .body = "{\"jobComplete\":false," JOB "}"},
	};
	struct seen seen = {0};
	struct bq_query q = query(&seen);
	struct gcp_world w;

	q.deadline_ms = 60000;
	world_open(&w, steps, 3);
	assert_int_equal(bq_run(w.g, &q, &w.e), E_NET);
	assert_non_null(
		strstr(w.e.msg, "BigQuery query: the job did not finish within 60 s"));
	assert_int_equal(fault_count_of(w.s,
				 "POST /bigquery/v2/projects/my-project/jobs/job_1/cancel"),
		1);
	assert_true(world_waited(&w) <= 60);
	world_close(&w);
}

static void answers_that_contradict_themselves_are_errors(void **state)
{
	static const struct {
		const char *first, *second;
		enum err_code code;
		const char *msg;
	} cases[] = {
		{"{\"jobComplete\":true," SCHEMA
		 ",\"totalRows\":\"2\",\"rows\":[" ROW("\"1\"", "\"a\"") "]}",
			NULL, E_DATA, "1 rows of 2"},
		{"{\"jobComplete\":true," SCHEMA
		 ",\"totalRows\":\"0\",\"rows\":[" ROW("\"1\"", "\"a\"") "]}",
			NULL, E_DATA, "1 rows of 0"},
		{"{\"jobComplete\":true," SCHEMA "}", NULL, E_DATA, "totalRows"},
		{"{\"jobComplete\":true,\"totalRows\":\"0\"}", NULL, E_DATA, "schema"},
		{"{\"jobComplete\":true,\"schema\":{\"fields\":[]},\"totalRows\":\"0\"}",
			NULL, E_DATA, "0 columns"},
		{"{\"jobComplete\":true," SCHEMA ",\"totalRows\":\"1\",\"rows\":{}}", NULL,
			E_DATA, "rows"},
		{"{\"jobComplete\":true," SCHEMA
		 ",\"totalRows\":\"1\",\"rows\":[{\"f\":[{\"v\":"
		 "\"1\"}]}]}",
			NULL, E_DATA, "1 values for 2 columns"},
		{"{\"jobComplete\":true," SCHEMA
		 ",\"totalRows\":\"1\",\"rows\":[{\"f\":[1,2]}]}",
			NULL, E_DATA, "row 1: JSON: expected an object"},
		{"{\"jobComplete\":true," SCHEMA
		 ",\"totalRows\":\"1\",\"rows\":[" ROW("\"1\"", "[\"a\"]") "]}",
			NULL, E_DATA, "row 1, column 's': the value is not a string"},
		{"{\"jobComplete\":true," SCHEMA
		 ",\"totalRows\":\"1\",\"rows\":[" ROW("\"x\"", "\"a\"") "]}",
			NULL, E_DATA, "column 'n'"},
		{"{\"jobComplete\":true," SCHEMA
		 ",\"totalRows\":\"1\",\"rows\":[" ROW("1", "\"a\"") "]}",
			NULL, E_DATA, "column 'n'"},
		{"{\"jobComplete\":true," SCHEMA
		 ",\"totalRows\":\"9\",\"rows\":[],\"pageToken\":"
		 "\"p\"}",
			NULL, E_DATA, "jobReference"},
		{"{\"jobComplete\":false}", NULL, E_DATA, "jobReference"},
		{"{\"jobComplete\":false,\"jobReference\":{\"projectId\":\"../"
		 "x\",\"jobId\":\"j\"}}",
			NULL, E_DATA, "the project is missing"},
		{"{\"jobComplete\":true," JOB "," SCHEMA
		 ",\"totalRows\":\"9\",\"pageToken\":\"p\"}",
			"{\"jobComplete\":true,\"totalRows\":\"9\",\"pageToken\":\"p\"}",
			E_DATA, "page token was repeated"},
		{"{\"jobComplete\":true," JOB "," SCHEMA
		 ",\"totalRows\":\"9\",\"pageToken\":\"p\"}",
			"{\"jobComplete\":false}", E_DATA, "unfinished"},
		{"{\"error\":{\"code\":400,\"message\":\"Query exceeded limit for bytes "
		 "billed\",\"errors\":[{\"reason\":\"bytesBilledLimitExceeded\"}]}}",
			NULL, E_HTTP, "bytesBilledLimitExceeded"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fault_step steps[] = {{.match = QUERY, .body = cases[i].first},
			{.match = RESULTS, .body = cases[i].second}};
		struct seen seen = {0};
		struct bq_query q = query(&seen);
		struct gcp_world w;

		world_open(&w, steps, 2);
		if (bq_run(w.g, &q, &w.e) != cases[i].code ||
			!strstr(w.e.msg, cases[i].msg))
			fail_msg("case %zu: %d %s", i, (int)w.e.code, w.e.msg);
		assert_true(str_starts(w.e.msg, "BigQuery query: "));
		world_close(&w);
	}
}

static void the_callback_may_end_the_query(void **state)
{
	struct fault_step step = {.match = QUERY,
		.body = "{\"jobComplete\":true," JOB "," SCHEMA
			",\"totalRows\":\"9\",\"rows\":[" ROW("\"1\"", "\"a\"") "," ROW(
				"\"2\"", "\"b\"") "," ROW("\"3\"",
				"\"c\"") "],\"pageToken\":\"p\"}"};
	struct seen seen = {.stop_at = 2};
	struct bq_query q = query(&seen);
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_int_equal(bq_run(w.g, &q, &w.e), E_OVERFLOW);
	assert_string_equal(seen.text, "1/a;");
	assert_string_equal(w.e.msg, "enough"); /* not BigQuery's word */
	assert_int_equal(fault_count_of(w.s, "GET "), 0);
	world_close(&w);
}

static void a_query_without_a_sensible_cap_is_not_sent(void **state)
{
	struct seen seen = {0};
	struct bq_query q = query(&seen);
	struct gcp_world w;

	q.max_bytes_billed = 10485759;
	world_open(&w, NULL, 0);
	assert_int_equal(bq_run(w.g, &q, &w.e), E_CONFIG);
	assert_int_equal(fault_count(w.s), 0);
	world_close(&w);
}

/* ---- values -------------------------------------------------------------- */

/* A row with one column of this type and value. */
struct one {
	struct bq_field field;
	struct bq_columns columns;
	struct bq_row row;
	struct json_value cell;
	struct err e;
};

static void make(struct one *o, const char *type, bool repeated, const char *value)
{
	struct sbuf b = SBUF_INIT;

	memset(o, 0, sizeof(*o));
	sbuf_addf(&b, "{\"f\":[{\"v\":%s}]}", value);
	o->field = (struct bq_field){.name = "col", .type = type, .repeated = repeated};
	o->columns = (struct bq_columns){.fields = &o->field, .n = 1};
	o->row = (struct bq_row){.columns = &o->columns, .cells = &o->cell};
	assert_int_equal(bq_read_row(&o->row, b.s, b.len, &o->e), E_OK);
	sbuf_done(&b);
}

static void money_is_exact_whatever_its_column_type(void **state)
{
	static const struct {
		const char *type, *value;
		enum err_code code;
		bool set;
		int64_t want;
	} cases[] = {
		{"NUMERIC", "\"12.340000000\"", E_OK, true, 12340000000},
		{"NUMERIC", "\"-0.000000001\"", E_OK, true, -1},
		{"BIGNUMERIC", "\"0.0000000015\"", E_OK, true, 2},
		{"FLOAT", "\"-1.5E-5\"", E_OK, true, -15000},
		{"FLOAT", "\"1.0E-400\"", E_OK, true, 0},
		{"INTEGER", "\"7\"", E_OK, true, 7000000000},
		{"NUMERIC", "null", E_OK, false, 0},
		{"FLOAT", "\"NaN\"", E_DATA, false, 0},
		{"FLOAT", "\"Infinity\"", E_DATA, false, 0},
		{"FLOAT", "\"\"", E_DATA, false, 0},
		{"FLOAT", "\"1,5\"", E_DATA, false, 0},
		{"FLOAT", "\"0x10\"", E_DATA, false, 0},
		{"FLOAT", "1.5", E_DATA, false, 0},
		{"NUMERIC", "\"1e999\"", E_OVERFLOW, false, 0},
		{"STRING", "\"1\"", E_DATA, false, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct opt_i64 v = {.set = false, .v = 0};
		struct one o;

		make(&o, cases[i].type, false, cases[i].value);
		if (bq_nanos(&o.row, "col", &v, &o.e) != cases[i].code ||
			v.set != cases[i].set || v.v != cases[i].want)
			fail_msg("case %zu: %lld %s", i, (long long)v.v, o.e.msg);
		if (cases[i].code)
			assert_non_null(strstr(o.e.msg, "column 'col'"));
		bq_row_done(&o.row);
	}
}

static void times_are_whole_seconds_of_microseconds(void **state)
{
	static const struct {
		const char *type, *value;
		enum err_code code;
		bool set;
		int64_t want;
	} cases[] = {
		{"TIMESTAMP", "\"1771891200000000\"", E_OK, true, 1771891200},
		{"TIMESTAMP", "\"1771891200999999\"", E_OK, true, 1771891200},
		{"TIMESTAMP", "\"-1\"", E_OK, true, -1},
		{"TIMESTAMP", "\"-1000000\"", E_OK, true, -1},
		{"TIMESTAMP", "\"0\"", E_OK, true, 0},
		{"TIMESTAMP", "null", E_OK, false, 0},
		{"TIMESTAMP", "\"1.7718912E9\"", E_DATA, false, 0},
		{"TIMESTAMP", "\"2026-02-24T00:00:00Z\"", E_DATA, false, 0},
		{"INTEGER", "\"1771891200000000\"", E_DATA, false, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct opt_i64 v = {.set = false, .v = 0};
		struct one o;

		make(&o, cases[i].type, false, cases[i].value);
		if (bq_ts(&o.row, "col", &v, &o.e) != cases[i].code ||
			v.set != cases[i].set || v.v != cases[i].want)
			fail_msg("case %zu: %lld %s", i, (long long)v.v, o.e.msg);
		bq_row_done(&o.row);
	}
}

static void whole_numbers_and_texts(void **state)
{
	struct opt_i64 v;
	const char *s = "untouched";
	struct one o;

	make(&o, "INTEGER", false, "\"9223372036854775807\"");
	assert_int_equal(bq_i64(&o.row, "COL", &v, &o.e), E_OK);
	assert_true(v.set && v.v == INT64_MAX);
	bq_row_done(&o.row);
	make(&o, "INTEGER", false, "\"9223372036854775808\"");
	assert_int_equal(bq_i64(&o.row, "col", &v, &o.e), E_DATA);
	bq_row_done(&o.row);
	make(&o, "DATE", false, "\"2026-11-21\"");
	assert_int_equal(bq_need_text(&o.row, "col", &s, &o.e), E_OK);
	assert_string_equal(s, "2026-11-21");
	assert_int_equal(bq_text(&o.row, "other", &s, &o.e), E_BUG);
	bq_row_done(&o.row);
	s = "untouched";
	make(&o, "STRING", false, "null");
	assert_int_equal(bq_need_text(&o.row, "col", &s, &o.e), E_DATA);
	assert_string_equal(s, "untouched");
	assert_int_equal(bq_text(&o.row, "col", &s, &o.e), E_OK);
	assert_null(s);
	bq_row_done(&o.row);
	make(&o, "STRING", true, "[]");
	assert_int_equal(bq_text(&o.row, "col", &s, &o.e), E_DATA);
	assert_non_null(strstr(o.e.msg, "repeated STRING"));
	bq_row_done(&o.row);
	make(&o, "RECORD", false, "{\"f\":[]}");
	assert_int_equal(bq_text(&o.row, "col", &s, &o.e), E_DATA);
	bq_row_done(&o.row);
	make(&o, "STRING", false, "{\"f\":[]}");
	assert_int_equal(bq_text(&o.row, "col", &s, &o.e), E_DATA);
	bq_row_done(&o.row);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_name_has_three_parts),
		cmocka_unit_test(a_table_is_described),
		cmocka_unit_test(a_table_that_is_not_there_says_where_to_look),
		cmocka_unit_test(a_query_is_sent_with_its_parameters_and_its_cap),
		cmocka_unit_test(rows_come_page_by_page_in_order),
		cmocka_unit_test(a_slow_job_is_waited_for),
		cmocka_unit_test(a_job_beyond_its_deadline_is_cancelled),
		cmocka_unit_test(answers_that_contradict_themselves_are_errors),
		cmocka_unit_test(the_callback_may_end_the_query),
		cmocka_unit_test(a_query_without_a_sensible_cap_is_not_sent),
		cmocka_unit_test(money_is_exact_whatever_its_column_type),
		cmocka_unit_test(times_are_whole_seconds_of_microseconds),
		cmocka_unit_test(whole_numbers_and_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
