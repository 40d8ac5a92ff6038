/* Billing data that is late, odd or wrong. The oracle is the database, to the nano-unit, and the
 * queries that were sent. */
#include "base/time/tz.h"
#include "cli/config/config.h"
#include "cli/net/wire.h"
#include "rules/derive/derive.h"
#include "tests/support/assert.h"
#include "tests/support/world/bill_world.h"
#include "tests/support/unit.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NOW WORLD_NOW /* 2026-11-21T05:00:00Z */
#define HOUR INT64_C(3600)

static void expect(const char *sql, const char *want)
{
	bill_expect(sql, want);
}

/* ---- J4, J5, J6, J7: what a bill can hold ----------------------------------------------------------- */

static void equal_lines_of_one_partition_both_count(void **state)
{
	static const struct bill_line lines[] = {
		{.cost = "0.000000001", .rows = 2}, {.cost = "0.000000001"}};
	static const struct bill_export x = BILL_EXPORT("100", lines, .n_units = 0);

	bill_good(&x, NOW);
	expect("SELECT cost_n FROM costs_exact", "2");
	expect("SELECT cost || ' ' || row_count FROM usage", "2 3");
}

/* J5: usage of one month on the invoice of another. */
static void usage_is_of_its_day_whatever_the_invoice(void **state)
{
	static const struct bill_line lines[] = {
		{.day = "2026-08-01", .hour = 1785542400, .invoice = "202607", .cost = "3"},
		{.day = "2026-08-01",
			.hour = 1785542400,
			.invoice = "202608",
			.cost = "4"}};
	static const struct bill_export x = BILL_EXPORT("100", lines, .n_units = 0);

	bill_good(&x, NOW);
	expect("SELECT group_concat(day || ' ' || invoice_month || ' ' || cost_n) FROM "
	       "(SELECT * FROM costs_exact ORDER BY invoice_month)",
		"2026-08-01 202607 3000000000,2026-08-01 202608 4000000000");
}

static void derive_now(void)
{
	struct settings settings = {.tz = bw.t.tz, .currency = "USD"};
	struct derive_opts o = {
		.settings = &settings, .now = NOW, .since = TS_NONE, .until = TS_NONE};
	struct err e = {0};

	assert_ok(derive(bw.t.db, &o, &e), e);
}

/* J6. What runs is priced by its type: money that comes back makes no negative burn. */
static void more_credit_than_cost_is_negative_and_the_burn_is_not(void **state)
{
	static const struct bill_line lines[] = {{.cost = "5"},
		{.credit_type = "PROMOTION", .credits = "-7.000000001"},
		{.cost = "-1000", .cost_type = "adjustment", .sku = "Refund"}};
	static const struct bill_export x = BILL_EXPORT("100", lines, .n_units = 0);

	bill_good(&x, NOW);
	tempdb_exec(&bw.t,
		"INSERT INTO resource (id, uid, source, kind, project, location, zone, "
		"region, name, state, raw_state, type, provisioning, labels, first_seen, "
		"last_seen, complete) VALUES ('p-one/vm/us-central1-a/a', '1', 'vm', 'vm', "
		"'p-one', 'us-central1-a', 'us-central1-a', 'us-central1', 'a', 'running', "
		"'RUNNING', 'n1-standard-1', 'on-demand', '{}', 1795237200, 1795237200, "
		"1)");
	derive_now();
	expect("SELECT SUM(cost_n) || ' ' || SUM(credits_n) || ' ' || SUM(promo_n) FROM "
	       "costs_exact",
		"-995000000000 -7000000001 -7000000001");
	expect("SELECT group_concat(sku || ' ' || net) FROM (SELECT * FROM costs ORDER BY "
	       "sku)",
		"Refund -1000.0,SKU-1 -2.000000001");
	expect("SELECT COUNT(*) || (MIN(gross_per_hour) > 0) || (MIN(net_per_hour) > 0) "
	       "FROM burn",
		"111");
}

/* J7: what belongs to no project is on the invoice as well. */
static void an_invoice_ties_out_with_tax_and_rounding(void **state)
{
	static const struct bill_line lines[] = {{.cost = "10.004999999"},
		{.credit_type = "FREE_TIER", .credits = "-0.000000001"},
		{.cost = "3.21", .cost_type = "tax", .sku = "Tax", .account_level = true},
		{.cost = "-0.01",
			.cost_type = "adjustment",
			.sku = "Adjustment",
			.account_level = true},
		{.cost = "0.005000002",
			.cost_type = "rounding_error",
			.sku = "Rounding",
			.account_level = true},
		{.cost = "100", .invoice = "202612"}};
	static const struct bill_export x = BILL_EXPORT("100", lines, .n_units = 0);

	bill_good(&x, NOW);
	expect("SELECT SUM(cost_n) + SUM(credits_n) FROM costs_exact WHERE invoice_month = "
	       "'202611'",
		"13210000000");
	expect("SELECT group_concat(cost_type || ' ' || cost) FROM (SELECT * FROM costs "
	       "WHERE project IS NULL ORDER BY cost_type)",
		"adjustment -0.01,rounding_error 0.005000002,tax 3.21");
	expect("SELECT SUM(cost_n) FROM costs_exact WHERE project = 'p-one' AND "
	       "invoice_month = '202611'",
		"10004999999");
}

/* ---- J8: a schema that drifts -------------------------------------------------------------------------- */

static const struct bill_line four[] = {{.cost = "4"}};
static const struct bill_line five[] = {{.cost = "5"}};

static void a_column_that_is_new_is_left_alone(void **state)
{
	static const struct bill_export x = BILL_EXPORT(
		"100", four, .column = "new", .as = "JSON");

	bill_good(&x, NOW);
	expect("SELECT state || COALESCE(error, '-') FROM source_status", "ok-");
	expect("SELECT SUM(cost_n) FROM costs_exact", "4000000000");
}

static void words_that_are_new_are_kept_as_they_are(void **state)
{
	static const struct bill_line lines[] = {{.cost = "4", .cost_type = "surcharge"},
		{.credit_type = "LOYALTY_2027", .credits = "-1", .cost_type = "surcharge"}};
	static const struct bill_export x = BILL_EXPORT("100", lines, .n_units = 0);

	bill_good(&x, NOW);
	expect("SELECT cost_type || ' ' || net || ' ' || promo || ' ' || category FROM "
	       "costs",
		"surcharge 3.0 0.0 other");
	expect("SELECT credit_type || ' ' || credits FROM billed_credits",
		"LOYALTY_2027 -1.0");
}

static void a_column_that_is_gone_halts_the_table(void **state)
{
	static const char *const columns[] = {
		"usage_start_time", "export_time", "cost", "currency"};
	static const struct bill_export before = BILL_EXPORT("100", four, .n_units = 0);
	static const struct bill_export after = BILL_EXPORT("300", five, .n_units = 0);

	bill_good(&before, NOW);
	for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
		struct bill_export x = BILL_EXPORT(
			"200", five, .column = columns[i], .as = "");

		bw.row = columns[i];
		bill_refused(&x, NOW + 60, columns[i], 0);
		expect("SELECT error LIKE '% is missing: not a billing export' FROM "
		       "source_status",
			"1");
	}
	bill_good(&after, NOW + 120);
	expect("SELECT SUM(cost_n) FROM costs_exact", "5000000000");
}

/* The type of a column is BigQuery's to refuse, which runs the query; what it answers with must
 * be of the types that are read. */
static void a_column_of_another_type_halts_the_table(void **state)
{
	static const struct {
		const char *name;
		struct bill_export x;
		const char *why;
		size_t queries;
	} rows[] = {
		{"a query that does not fit any more",
			BILL_EXPORT("200", five, .column = "usage_start_time",
				.as = "STRING", .refused = 1, .status = 400,
				.refusal = "{\"error\":{\"code\":400,\"message\":\"No "
					   "matching signature for TIMESTAMP_TRUNC\","
					   "\"errors\":[{\"reason\":\"invalidQuery\"}]}}"),
			"No matching signature", 1},
		{"sums as text", BILL_EXPORT("200", five, .sum_type = "STRING"),
			"column 'cost_sum' is of type STRING", 1},
		{"sums as times", BILL_EXPORT("200", five, .sum_type = "TIMESTAMP"),
			"column 'cost_sum' is of type TIMESTAMP", 1},
	};
	static const struct bill_export before = BILL_EXPORT("100", four, .n_units = 0);
	static const struct bill_export after = BILL_EXPORT("300", five, .n_units = 0);

	bill_good(&before, NOW);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		bw.row = rows[i].name;
		bill_refused(&rows[i].x, NOW + 60, rows[i].why, rows[i].queries);
	}
	bill_good(&after, NOW + 120);
	expect("SELECT SUM(cost_n) FROM costs_exact", "5000000000");
}

/* ---- J9, J10, J14: what moves --------------------------------------------------------------------------- */

static void a_dataset_in_another_region_is_asked_there(void **state)
{
	static const struct bill_export before = BILL_EXPORT("100", four, .n_units = 0);
	static const struct bill_export moved = BILL_EXPORT(
		"200", five, .location = "europe-west4");
	static const struct bill_export anew = BILL_EXPORT(
		"300", five, .location = "US", .created = "250");
	struct bill_outcome o;

	bill_good(&before, NOW);
	o = bill_poll(&moved, NOW + 60);
	assert_int_equal(o.r.ok, 1);
	assert_contains(o.first, "\"location\":\"europe-west4\"");
	expect("SELECT location || ' ' || COUNT(*) FROM billing_table", "europe-west4 1");
	expect("SELECT SUM(cost_n) FROM costs_exact", "5000000000");
	/* made anew there, with days that the old one had as well: not counted twice */
	bill_refused(&anew, NOW + 120, "costs would count twice", 2);
	expect("SELECT fix LIKE '%deleted and created again%db forget "
	       "''my-project.billing.export''%' FROM source_status",
		"1");
}

static void a_currency_that_changes_begins_another_series(void **state)
{
	static const struct bill_line before[] = {
		{.day = "2026-11-17", .cost = "4", .currency = "HKD"},
		{.day = "2026-11-18", .cost = "2", .currency = "HKD"}};
	static const struct bill_line after[] = {
		{.day = "2026-11-17", .cost = "4", .currency = "HKD", .stored = true},
		{.day = "2026-11-18", .cost = "2", .currency = "HKD", .stored = true},
		{.day = "2026-11-19", .cost = "0.5", .currency = "USD"}};
	/* and Google corrects the day before as well */
	static const struct bill_line corrected[] = {
		{.day = "2026-11-17", .cost = "4", .currency = "HKD", .stored = true},
		{.day = "2026-11-18", .cost = "0.25", .currency = "USD"},
		{.day = "2026-11-19", .cost = "0.5", .currency = "USD", .stored = true}};
	static const struct bill_export x = BILL_EXPORT("100", before, .n_units = 0),
					y = BILL_EXPORT("200", after, .n_units = 0),
					z = BILL_EXPORT("300", corrected, .n_units = 0);
	static const char sums[] =
		"SELECT group_concat(currency || ' ' || n) FROM (SELECT currency, "
		"SUM(cost_n) AS n FROM costs_exact WHERE invoice_month = '202611' GROUP BY "
		"currency ORDER BY currency)";

	bill_good(&x, NOW);
	expect(sums, "HKD 6000000000");
	bill_good(&y, NOW + 60);
	expect(sums, "HKD 6000000000,USD 500000000");
	expect("SELECT COUNT(*) FROM restatement", "0");
	bill_good(&z, NOW + 120);
	expect(sums, "HKD 4000000000,USD 750000000");
	expect("SELECT group_concat(day || ' ' || currency || ' ' || change) FROM (SELECT "
	       "* FROM restatements ORDER BY currency)",
		"2026-11-18 HKD -2.0,2026-11-18 USD 0.25");
}

/* A project's id may change and be taken again; its number may not. */
static void a_project_is_its_number_under_any_name(void **state)
{
	static const struct bill_line before[] = {{.cost = "4"}};
	static const struct bill_line after[] = {{.cost = "4", .stored = true},
		{.day = "2026-11-19", .cost = "1", .project = "p-renamed"},
		{.day = "2026-11-19", .cost = "2", .number = "999"}};
	static const struct bill_export x = BILL_EXPORT("100", before, .n_units = 0),
					y = BILL_EXPORT("200", after, .n_units = 0);

	bill_good(&x, NOW);
	bill_good(&y, NOW + 60);
	expect("SELECT group_concat(number || ' ' || n, ', ') FROM (SELECT number, "
	       "SUM(cost) AS n FROM usage JOIN billed_project USING (project_ref) GROUP BY "
	       "number ORDER BY number)",
		"123 5000000000, 999 2000000000");
	/* views name it as the bill does */
	expect("SELECT group_concat(project || ' ' || n, ', ') FROM (SELECT project, "
	       "SUM(cost_n) AS n FROM costs_exact GROUP BY project ORDER BY project)",
		"p-one 6000000000, p-renamed 1000000000");
}

/* ---- J11: queries that take long, or are cut short ----------------------------------------------------- */

#define RESULTS "GET /bigquery/v2/projects/my-project/queries/j?"
#define GONE                                                                        \
	"{\"error\":{\"code\":400,\"message\":\"Invalid page token\",\"errors\":[{" \
	"\"reason\":\"invalid\"}]}}"

static const struct bill_line three_days[] = {{.day = "2026-11-17", .cost = "1"},
	{.day = "2026-11-18", .cost = "2"}, {.day = "2026-11-19", .cost = "4"}};
static const struct bill_export days = BILL_EXPORT("100", three_days, .n_units = 0);

/* The first lines of an answer, with the token of a page that holds the others. */
static const char *first_page(size_t n)
{
	struct bill_export part = days;
	const char *text, *total;

	part.n = n;
	text = bill_lines(&part);
	total = strstr(text, "\"totalRows\"");
	assert_non_null(total);
	return arena_printf(&bw.texts, "%.*s\"pageToken\":\"p2\",\"totalRows\":\"%zu\"%s",
		(int)(total - text), text, days.n, strchr(total, ','));
}

static struct collect_result poll_steps(const struct fault_step *steps, size_t n)
{
	struct collect_result r;

	world_open(&bw.w, steps, n);
	assert_ok(bill_collect(bw.w.g, bw.t.db, NOW, &r, &bw.w.e), bw.w.e);
	return r;
}

static void close_steps(void)
{
	world_close(&bw.w);
	arena_done(&bw.texts);
}

static void a_page_that_expired_makes_the_query_run_again(void **state)
{
	const struct fault_step steps[] = {{.match = BILL_TABLE, .body = bill_table(&days)},
		{.match = BILL_QUERIES, .times = 1, .body = bill_units(&days)},
		{.match = BILL_QUERIES, .times = 1, .body = first_page(2)},
		{.match = BILL_QUERIES, .body = bill_lines(&days)},
		{.match = RESULTS, .status = 400, .body = GONE}};

	assert_int_equal(poll_steps(steps, ARRAY_LEN(steps)).ok, 1);
	assert_int_equal(fault_count_of(bw.w.s, BILL_QUERIES), 3);
	assert_int_equal(fault_count_of(bw.w.s, RESULTS), 1);
	close_steps();
	/* the day that was stored from the first page is not there twice */
	expect("SELECT group_concat(day || ' ' || cost_n) FROM (SELECT * FROM costs_exact "
	       "ORDER BY day)",
		"2026-11-17 1000000000,2026-11-18 2000000000,2026-11-19 4000000000");
	expect("SELECT COUNT(*) FROM restatement", "0");
}

static void pages_that_always_expire_are_a_failure(void **state)
{
	const struct fault_step steps[] = {{.match = BILL_TABLE, .body = bill_table(&days)},
		{.match = BILL_QUERIES, .times = 1, .body = bill_units(&days)},
		{.match = BILL_QUERIES, .body = first_page(1)},
		{.match = RESULTS, .status = 400, .body = GONE}};

	assert_int_equal(poll_steps(steps, ARRAY_LEN(steps)).failed, 1);
	assert_int_equal(fault_count_of(bw.w.s, BILL_QUERIES), 3);
	close_steps();
	expect("SELECT COUNT(*) FROM usage", "0");
	bill_good(&days, NOW + 60);
	expect("SELECT SUM(cost_n) FROM costs_exact", "7000000000");
}

static void a_job_that_takes_long_is_waited_for(void **state)
{
	static const char waiting[] = "{\"jobComplete\":false,\"jobReference\":{"
				      "\"projectId\":\"my-project\",\"jobId\":\"j\"}}";
	const struct fault_step steps[] = {{.match = BILL_TABLE, .body = bill_table(&days)},
		{.match = BILL_QUERIES, .times = 1, .body = bill_units(&days)},
		{.match = BILL_QUERIES, .body = waiting},
		{.match = RESULTS, .times = 3, .body = waiting},
		{.match = RESULTS, .body = bill_lines(&days)}};

	assert_int_equal(poll_steps(steps, ARRAY_LEN(steps)).ok, 1);
	assert_int_equal(fault_count_of(bw.w.s, BILL_QUERIES), 2);
	assert_int_equal(fault_count_of(bw.w.s, RESULTS), 4);
	assert_int_equal(world_waited(&bw.w), 1 + 2 + 4 + 8);
	close_steps();
	expect("SELECT SUM(cost_n) FROM costs_exact", "7000000000");
}

static void a_quota_that_is_used_up_is_not_asked_again(void **state)
{
	static const char used_up[] = "{\"error\":{\"code\":403,\"message\":\"Custom quota "
				      "exceeded: query usage per day\",\"errors\":[{"
				      "\"reason\":\"quotaExceeded\"}]}}";
	struct bill_export x = BILL_EXPORT(
		"200", five, .refused = 1, .status = 403, .refusal = used_up);

	bill_good(&days, NOW);
	bill_refused(&x, NOW + 60, "Custom quota exceeded", 1);
	x.refused = 2;
	bill_refused(&x, NOW + 120, "Custom quota exceeded", 2);
}

/* ---- J13: two collectors ---------------------------------------------------------------------------------- */

static enum err_code open_writer(int *lock, struct err *e)
{
	struct config cfg = {.database = bw.t.path, .tz = bw.t.tz, .timezone = "UTC"};
	struct app app = {.clock = &bw.t.clock, .cfg = &cfg};
	enum err_code rc = writer_open(&app, lock, e);

	db_close(app.db);
	arena_done(&app.arena);
	return rc;
}

static void one_collector_at_a_time_writes(void **state)
{
	int first = -1, second = -1;
	struct err e = {0};

	assert_ok(open_writer(&first, &e), e);
	assert_err(open_writer(&second, &e), e, E_BUSY, "another tpucost is polling into");
	close(second);
	close(first);
	assert_ok(open_writer(&second, &e), e);
	close(second);
}

struct rival {
	struct collect_result r;
	enum err_code code;
	struct err e;
};

static void *collect_too(void *arg)
{
	struct http_opts http = {.clock = &bw.w.clock, .seed = 4};
	struct gcp_opts opts = {.endpoint_all = fault_base(bw.w.s),
		.credentials = bw.w.key_file,
		.clock = &bw.w.clock};
	struct rival *v = arg;
	struct gcp *g = NULL;
	struct db *db = NULL;

	v->code = http_new(&http, &opts.http, &v->e);
	if (!v->code)
		v->code = gcp_new(&opts, &g, &v->e);
	if (!v->code)
		v->code = db_open(bw.t.path, DB_WRITE, &bw.w.clock, &db, &v->e);
	if (!v->code)
		v->code = bill_collect(g, db, NOW, &v->r, &v->e);
	gcp_free(g);
	http_free(opts.http);
	db_close(db);
	return NULL;
}

/* And where the lock does not work (a network file system): both have asked for the rows before
 * either has stored one. */
static void two_collectors_on_one_unit_count_it_once(void **state)
{
	/* each: a token, the table, the units, the rows */
	const struct fault_step steps[] = {{.match = BILL_TABLE, .body = bill_table(&days)},
		{.match = BILL_QUERIES,
			.times = 2,
			.how = FAULT_RENDEZVOUS,
			.count = 6,
			.body = bill_units(&days)},
		{.match = BILL_QUERIES,
			.how = FAULT_RENDEZVOUS,
			.count = 8,
			.body = bill_lines(&days)}};
	struct rival rivals[2] = {{.code = E_OK}};
	pthread_t threads[2];

	world_open(&bw.w, steps, ARRAY_LEN(steps));
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, collect_too, &rivals[i]), 0);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_ok(rivals[i].code, rivals[i].e);
	}
	assert_int_equal(fault_count_of(bw.w.s, BILL_QUERIES), 4);
	close_steps();
	assert_int_equal(rivals[0].r.ok + rivals[1].r.ok, 2);
	expect("SELECT SUM(cost_n) || ' ' || COUNT(*) FROM costs_exact", "7000000000 3");
	expect("SELECT COUNT(*) || ' ' || SUM(row_count) FROM billing_unit", "3 3");
	expect("SELECT COUNT(*) FROM billing_table", "1");
	/* and the next poll finds nothing to do */
	assert_int_equal(bill_poll(&days, NOW + 60).queries, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bill_setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(equal_lines_of_one_partition_both_count),
		TEST(usage_is_of_its_day_whatever_the_invoice),
		TEST(more_credit_than_cost_is_negative_and_the_burn_is_not),
		TEST(an_invoice_ties_out_with_tax_and_rounding),
		TEST(a_column_that_is_new_is_left_alone),
		TEST(words_that_are_new_are_kept_as_they_are),
		TEST(a_column_that_is_gone_halts_the_table),
		TEST(a_column_of_another_type_halts_the_table),
		TEST(a_dataset_in_another_region_is_asked_there),
		TEST(a_currency_that_changes_begins_another_series),
		TEST(a_project_is_its_number_under_any_name),
		TEST(a_page_that_expired_makes_the_query_run_again),
		TEST(pages_that_always_expire_are_a_failure),
		TEST(a_job_that_takes_long_is_waited_for),
		TEST(a_quota_that_is_used_up_is_not_asked_again),
		TEST(one_collector_at_a_time_writes),
		TEST(two_collectors_on_one_unit_count_it_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
