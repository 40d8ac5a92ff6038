#include "gcp/bill/bq_load.h"

#include "base/str.h"
#include "tests/support/unit.h"
#include "tests/support/world/gcp_world.h"

#include <string.h>

#define UPLOAD "POST /upload/bigquery/v2/projects/my-project/jobs?uploadType=multipart"
#define JOB "GET /bigquery/v2/projects/my-project/jobs/job_1?location=EU"
#define DATASET "GET /bigquery/v2/projects/my-project/datasets/ds?datasetView="
#define DONE "{\"status\":{\"state\":\"DONE\"}}"
#define RUNNING "{\"status\":{\"state\":\"RUNNING\"}}"
#define FAILED(reason)                                                          \
	"{\"status\":{\"state\":\"DONE\",\"errorResult\":{\"reason\":\"" reason \
	"\",\"message\":\"why\"}}}"
#define REFUSED(code, reason, message)                         \
	"{\"error\":{\"code\":" code ",\"message\":\"" message \
	"\",\"errors\":[{\"reason\":\"" reason "\"}]}}"

static struct bq_load load(void)
{
	static const struct bq_field fields[] = {
		{.name = "date", .type = "DATE", .doc = "the day"},
		{.name = "net", .type = "NUMERIC"}};

	return (struct bq_load){.table = {"my-project", "ds", "burn"},
		.location = "EU",
		.job = "job_1",
		.day = 20775,
		.replace = true,
		.create = true,
		.fields = fields,
		.n_fields = ARRAY_LEN(fields),
		.rows = "{\"date\":\"2026-11-18\",\"net\":\"0.000000001\"}\n"};
}

static const char *request_of(struct gcp_world *w, const char *start)
{
	for (size_t i = 0; i < fault_count(w->s); i++)
		if (str_starts(fault_request(w->s, i), start))
			return fault_request(w->s, i);
	fail_msg("no request %s", start);
	return NULL;
}

static void rows_go_with_their_job(void **state)
{
	const struct fault_step step = {.match = UPLOAD, .body = DONE};
	struct bq_load l = load();
	struct gcp_world w;
	const char *text;

	(void)state;
	world_open(&w, &step, 1);
	assert_int_equal(bq_load_send(w.g, &l, &w.e), E_OK);
	assert_true(l.done && !l.failed);
	text = request_of(&w, UPLOAD);
	assert_non_null(
		strstr(text, "Content-Type: multipart/related; boundary=tpucost_part"));
	assert_non_null(strstr(text,
		"\r\n\r\n--tpucost_part\r\nContent-Type: application/json; "
		"charset=UTF-8\r\n\r\n"
		"{\"jobReference\":{\"projectId\":\"my-project\",\"jobId\":\"job_1\","
		"\"location\":\"EU\"},\"configuration\":{\"labels\":{\"app\":\"tpucost\"},"
		"\"load\":{\"destinationTable\":{\"projectId\":\"my-project\","
		"\"datasetId\":"
		"\"ds\",\"tableId\":\"burn$20261118\"},\"sourceFormat\":"
		"\"NEWLINE_DELIMITED_JSON\",\"ignoreUnknownValues\":true,"
		"\"schema\":{\"fields\":[{\"name\":\"date\","
		"\"type\":\"DATE\",\"description\":\"the day\"},{\"name\":\"net\",\"type\":"
		"\"NUMERIC\"}]},\"timePartitioning\":{\"type\":\"DAY\",\"field\":\"date\"},"
		"\"createDisposition\":\"CREATE_IF_NEEDED\",\"writeDisposition\":"
		"\"WRITE_TRUNCATE\",\"schemaUpdateOptions\":[\"ALLOW_FIELD_ADDITION\"]}}}"
		"\r\n--tpucost_part\r\nContent-Type: application/octet-stream\r\n\r\n"
		"{\"date\":\"2026-11-18\",\"net\":\"0.000000001\"}\n"
		"\r\n--tpucost_part--\r\n"));
	l.replace = l.create = false;
	assert_int_equal(bq_load_send(w.g, &l, &w.e), E_OK);
	text = fault_request(w.s, fault_count(w.s) - 1);
	assert_non_null(strstr(text, "\"WRITE_APPEND\""));
	assert_null(strstr(text, "the day")); /* it may have been edited */
	world_close(&w);
}

static void an_id_counts_once(void **state)
{
	static const struct {
		const char *found; /* the job that was sent before */
		enum err_code code;
		bool done, failed;
	} cases[] = {
		{DONE, E_OK, true, false},
		{RUNNING, E_OK, false, false},
		{FAILED("invalid"), E_DATA, false, true},
		{FAILED("quotaExceeded"), E_RATE, false, true},
		{FAILED("accessDenied"), E_DENIED, false, true},
		{FAILED("notFound"), E_NOTFOUND, false, true},
		{FAILED("backendError"), E_HTTP, false, true},
		{"{}", E_DATA, false, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct fault_step steps[] = {
			{.match = UPLOAD,
				.status = 409,
				.body = REFUSED("409", "duplicate", "Already Exists: Job")},
			{.match = JOB, .body = cases[i].found}};
		struct bq_load l = load();
		struct gcp_world w;

		world_open(&w, steps, ARRAY_LEN(steps));
		assert_int_equal(bq_load_send(w.g, &l, &w.e), cases[i].code);
		assert_int_equal(l.done, cases[i].done);
		assert_int_equal(l.failed, cases[i].failed);
		err_clear(&w.e);
		assert_int_equal(bq_load_look(w.g, &l, &w.e), cases[i].code);
		assert_int_equal(l.done, cases[i].done);
		assert_int_equal(fault_count_of(w.s, UPLOAD), 1);
		world_close(&w);
	}
}

/* A line that breaks behind the request: it is sent again, with the same id. */
static void it_is_sent_again(void **state)
{
	const struct fault_step steps[] = {
		{.match = UPLOAD, .times = 1, .how = FAULT_CLOSE},
		{.match = UPLOAD, .times = 1, .status = 503},
		{.match = UPLOAD,
			.status = 409,
			.body = REFUSED("409", "duplicate", "Already Exists: Job")},
		{.match = JOB, .body = DONE}};
	struct bq_load l = load();
	struct gcp_world w;

	(void)state;
	world_open(&w, steps, ARRAY_LEN(steps));
	assert_int_equal(bq_load_send(w.g, &l, &w.e), E_OK);
	assert_true(l.done);
	assert_int_equal(fault_count_of(w.s, UPLOAD), 3);
	world_close(&w);
}

static void refusals_say_what_to_do(void **state)
{
	static const struct {
		int status;
		const char *body;
		enum err_code code;
		const char *fix;
	} cases[] = {
		{403,
			REFUSED("403", "accessDenied",
				"Access Denied: Project my-project: User does not have "
				"bigquery.jobs.create permission in project my-project."),
			E_DENIED,
			"run: gcloud projects add-iam-policy-binding my-project "
			"--member=serviceAccount:" WORLD_EMAIL
			" --role=roles/bigquery.jobUser"},
		{403,
			REFUSED("403", "accessDenied",
				"Access Denied: Table my-project:ds.burn: Permission "
				"bigquery.tables.create denied"),
			E_DENIED,
			"run: bq query --use_legacy_sql=false 'GRANT "
			"`roles/bigquery.dataEditor` ON SCHEMA `my-project.ds` TO "
			"\"serviceAccount:" WORLD_EMAIL "\"'"},
		{403, REFUSED("403", "quotaExceeded", "Quota exceeded"), E_RATE,
			"nothing is lost"},
		{404, REFUSED("404", "notFound", "Not found: Dataset my-project:ds"),
			E_NOTFOUND, "run: bq mk --dataset my-project:ds"},
		{404,
			REFUSED("404", "notFound",
				"Not found: Dataset my-project:ds was not found in "
				"location "
				"EU"),
			E_NOTFOUND, "the dataset was moved"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct fault_step step = {
			.match = UPLOAD, .status = cases[i].status, .body = cases[i].body};
		struct bq_load l = load();
		struct gcp_world w;

		world_open(&w, &step, 1);
		assert_int_equal(bq_load_send(w.g, &l, &w.e), cases[i].code);
		assert_false(l.done || l.failed);
		if (!str_starts(w.e.fix, cases[i].fix))
			fail_msg("case %zu: %s", i, w.e.fix);
		world_close(&w);
	}
}

static void who_may_write(void **state)
{
	static const struct {
		const char *access;
		enum bq_writes writes;
	} cases[] = {
		{"[{\"role\":\"WRITER\",\"userByEmail\":\"" WORLD_EMAIL "\"}]", BQ_WRITES},
		{"[{\"role\":\"roles/bigquery.dataEditor\",\"userByEmail\":\"" WORLD_EMAIL
		 "\"}]",
			BQ_WRITES},
		{"[{\"role\":\"READER\",\"userByEmail\":\"" WORLD_EMAIL "\"}]",
			BQ_WRITES_NO},
		{"[{\"role\":\"OWNER\",\"userByEmail\":\"ada@example.org\"},{\"role\":"
		 "\"WRITER\",\"specialGroup\":\"projectWriters\"}]",
			BQ_WRITES_NO},
		{"[{\"role\":\"WRITER\",\"groupByEmail\":\"lab@example.org\"}]",
			BQ_WRITES_UNKNOWN},
		{"null", BQ_WRITES_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bq_dataset set;
		struct gcp_world w;
		struct arena a = {0};
		const struct fault_step step = {.match = DATASET "FULL",
			.body = arena_printf(&a, "{\"location\":\"EU\",\"access\":%s}",
				cases[i].access)};

		world_open(&w, &step, 1);
		assert_int_equal(
			bq_dataset_get(w.g, "my-project", "ds", true, &w.a, &set, &w.e),
			E_OK);
		assert_string_equal(set.location, "EU");
		assert_int_equal(set.writes, cases[i].writes);
		world_close(&w);
		arena_done(&a);
	}
}

/* The list of access needs one permission more than the location. */
static void the_list_may_be_hidden(void **state)
{
	const struct fault_step steps[] = {
		{.match = DATASET "FULL",
			.status = 403,
			.body = REFUSED("403", "accessDenied", "getIamPolicy")},
		{.match = DATASET "METADATA", .body = "{\"location\":\"EU\"}"}};
	struct bq_dataset set;
	struct gcp_world w;

	(void)state;
	world_open(&w, steps, ARRAY_LEN(steps));
	assert_int_equal(
		bq_dataset_get(w.g, "my-project", "ds", true, &w.a, &set, &w.e), E_OK);
	assert_int_equal(set.writes, BQ_WRITES_UNKNOWN);
	assert_int_equal(
		bq_dataset_get(w.g, "my-project", "ds", false, &w.a, &set, &w.e), E_OK);
	assert_int_equal(fault_count_of(w.s, DATASET "FULL"), 1);
	world_close(&w);
}

static void a_day_has_rows_or_not(void **state)
{
	static const struct {
		int status;
		const char *body;
		enum err_code code;
		bool has;
	} cases[] = {
		{200, "{\"totalRows\":\"7\",\"rows\":[{\"f\":[{\"v\":\"2026-11-18\"}]}]}",
			E_OK, true},
		/* what it counts is not documented: perhaps the rows of all days */
		{200, "{\"totalRows\":\"7\"}", E_OK, false},
		{200, "{\"totalRows\":\"0\",\"rows\":[]}", E_OK, false},
		{404, REFUSED("404", "notFound", "Not found: Table"), E_OK, false},
		/* unknown is not empty */
		{200, "{}", E_DATA, false},
		{403, REFUSED("403", "accessDenied", "Access Denied"), E_DENIED, false},
		{500, "{}", E_HTTP, false},
	};
	static const struct bq_name table = {"my-project", "ds", "burn"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct fault_step step = {
			.match = "GET /bigquery/v2/projects/my-project/datasets/ds/tables/"
				 "burn%2420261118/data?maxResults=1&selectedFields=date",
			.status = cases[i].status,
			.body = cases[i].body};
		struct gcp_world w;
		bool has = true;

		world_open(&w, &step, 1);
		assert_int_equal(
			bq_day_has_rows(w.g, &table, 20775, &has, &w.e), cases[i].code);
		assert_int_equal(has, cases[i].has);
		world_close(&w);
	}
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_go_with_their_job),
		cmocka_unit_test(an_id_counts_once),
		cmocka_unit_test(it_is_sent_again),
		cmocka_unit_test(refusals_say_what_to_do),
		cmocka_unit_test(who_may_write),
		cmocka_unit_test(the_list_may_be_hidden),
		cmocka_unit_test(a_day_has_rows_or_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
