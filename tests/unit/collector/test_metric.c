/* What series of points say: workers and interfaces add up, gaps and silence are not known, and
 * one list that fails does not hide the others. */
#include "collector/metric.h"

#include "base/time/civil.h"
#include "base/str.h"
#include "base/time/tz.h"
#include "collector/collect.h"
#include "tests/support/assert.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define END INT64_C(1795236960) /* of the newest point: 04:56 */

static const struct metric cpu = {
	.busy = 5, .label = "zone", .label2 = "node_id", .worker = "worker_id"};
static const struct metric sent = {.kind = METRIC_RATE,
	.busy = 1000,
	.label = "zone",
	.label2 = "node_id",
	.worker = "worker_id"};
static const struct metric chips = {.kind = METRIC_IDLE_FOR,
	.busy = 60,
	.label = "zone",
	.label2 = "node_id",
	.worker = "worker_id"};
static const struct metric duty = {
	.busy = 0.01, .label = "location", .rest = "*", .worker = "worker_id"};

static struct arena arena;
static struct series series[16];
static size_t n_series;
static struct metric_starts starts;

static int begin(void **state)
{
	n_series = 0;
	memset(&starts, 0, sizeof(starts));
	return 0;
}

static int end(void **state)
{
	strmap_done(&starts.by_name);
	arena_done(&arena);
	return 0;
}

/* One value every five minutes, the newest first; NAN: no point there. */
static struct series *add(const char *zone, const char *node, const char *worker,
	const double *values, size_t n)
{
	struct series *s = &series[n_series++];
	const struct series_label labels[] = {{"zone", zone}, {"location", zone},
		{"node_id", node}, {"worker_id", worker}};

	*s = (struct series){.resource = "tpu_worker", .kind = "GAUGE", .n_labels = 4};
	s->labels = arena_alloc(&arena, sizeof(labels));
	memcpy(s->labels, labels, sizeof(labels));
	s->points = arena_alloc(&arena, n * sizeof(*s->points));
	for (size_t i = 0; i < n; i++)
		if (!isnan(values[i]))
			s->points[s->n_points++] = (struct series_point){
				.start = END - 300 * (ts_t)i,
				.at = END - 300 * (ts_t)i,
				.value = values[i]};
	return s;
}
#define ADD(zone, node, worker, ...)                           \
	add(zone, node, worker, (const double[]){__VA_ARGS__}, \
		sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static struct subjects read(const struct metric *m)
{
	struct series_list l = {.v = series, .n = n_series};

	return metric_subjects(m, &l, &starts, &arena);
}

static struct subject read_one(const struct metric *m)
{
	struct subjects s = read(m);

	assert_int_equal(s.n, 1);
	return s.v[0];
}

/* ---- levels -------------------------------------------------------------------------- */

/* A TPU's CPU has a series for each core: they are no workers. */
static void cores_are_not_workers(void **state)
{
	struct subject x;

	ADD("z", "t", "0", 1, 1);
	ADD("z", "t", "0", 2, 2);
	ADD("z", "t", "0", 3, 3);
	x = read_one(&cpu);
	assert_string_equal(x.name, "z/t");
	assert_int_equal(x.workers, 1);
	assert_true(x.value == 3);
	assert_int_equal(x.idle_since, END - 600);
	assert_true(x.at_least);
	ADD("z", "t", "1", 1, 9);
	x = read_one(&cpu);
	assert_int_equal(x.workers, 2);
	assert_int_equal(
		x.idle_since, END - 300); /* the busiest one of the busiest worker */
	assert_false(x.at_least);
}

static void one_busy_core_is_work(void **state)
{
	ADD("z", "t", "0", 1, 1);
	ADD("z", "t", "0", 50, 1);
	assert_true(read_one(&cpu).idle_since == TS_NONE);
}

static void what_is_known_ends_at_a_gap(void **state)
{
	struct subject x;

	ADD("z", "t", "0", 1, 1, NAN, 1, 1, 1);
	x = read_one(&cpu);
	assert_int_equal(x.idle_since, END - 600);
	assert_int_equal(x.oldest, END - 300);
	assert_true(x.all_idle);
}

/* It would be idle, and its silent fellow may work. */
static void a_worker_that_fell_silent_is_not_counted(void **state)
{
	struct subject x;

	ADD("z", "t", "0", 1, 1, 1);
	ADD("z", "t", "1", NAN, NAN, 90);
	x = read_one(&cpu);
	assert_int_equal(x.workers, 1);
	assert_int_equal(x.at, END);
	assert_true(x.idle_since != TS_NONE);
	/* one period late is only late: then the oldest news counts */
	ADD("z", "t", "2", NAN, 1, 1);
	x = read_one(&cpu);
	assert_int_equal(x.workers, 2);
	assert_int_equal(x.at, END - 300);
}

static void series_without_a_name_are_nobodys(void **state)
{
	ADD("z", "", "0", 1);
	ADD("", "t", "0", 1);
	ADD("z", "t", "0", NAN);
	assert_int_equal(read(&cpu).n, 0);
}

static void the_chip_that_rested_least_speaks(void **state)
{
	struct subject x;

	ADD("z", "t", "0", 3600, 3300, 3000);
	ADD("z", "t", "0", 700, 400, 100);
	x = read_one(&chips);
	assert_int_equal(x.idle_since, END - 900);
	assert_true(x.value == 700);
	ADD("z", "t", "1", 400, 100, 59); /* it worked ten minutes ago */
	x = read_one(&chips);
	assert_int_equal(x.idle_since, END - 600);
	ADD("z", "t", "1", 0, 0, 0);
	assert_true(read_one(&chips).idle_since == TS_NONE);
}

/* On both scales: 0.9 may be nine tenths. */
static void duty_cycles_of_a_zone_are_one_subject(void **state)
{
	struct subject x;

	ADD("z", "", "11", 0, 0);
	ADD("z", "", "12", 0.009, 0);
	x = read_one(&duty);
	assert_string_equal(x.name, "z/*");
	assert_int_equal(x.workers, 2);
	assert_int_equal(x.idle_since, END - 600);
	ADD("z", "", "12", 0.9, 0);
	assert_true(read_one(&duty).idle_since == TS_NONE);
	ADD("y", "", "12", 0, 0);
	assert_int_equal(read(&duty).n, 2);
}

/* ---- rates --------------------------------------------------------------------------- */

static void rates_add_up(void **state)
{
	struct subject x;

	ADD("z", "t", "0", 100, 200, 300);
	ADD("z", "t", "0", 10, 20, 30); /* another interface of it */
	ADD("z", "t", "1", 1, 2, 3);
	x = read_one(&sent);
	assert_true(x.value == 111);
	assert_true(x.peak == 333);
	assert_true(x.bytes == 666 * 300);
	assert_int_equal(x.seconds, 900);
	assert_int_equal(x.workers, 2);
	/* 330 is below what is work for one worker */
	assert_int_equal(x.idle_since, END - 900);
	ADD("z", "t", "0", 890, 0, 0); /* 100 + 10 + 890 = 1000 */
	assert_true(read_one(&sent).idle_since == TS_NONE);
}

/* 40 workers that each say a little are no work. */
static void many_quiet_workers_are_quiet(void **state)
{
	static const char *const names[] = {
		"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
	struct subject x;

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		ADD("z", "t", names[i], 900, 900);
	x = read_one(&sent);
	assert_true(x.value == 9000);
	assert_int_equal(x.idle_since, END - 600);
}

static void the_hour_is_an_hour(void **state)
{
	struct subject x;

	ADD("z", "t", "0", 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1000, 1000);
	x = read_one(&sent);
	assert_true(x.bytes == 3600);
	assert_true(x.peak == 1);
	assert_int_equal(x.seconds, 3600);
}

/* The bytes of its predecessor under the same name are not its own. */
static void nothing_from_before_the_start_is_summed(void **state)
{
	ts_t since[] = {END - 700};
	struct subject x;

	strmap_put(&starts.by_name, "z/t", 0);
	starts.since = since;
	starts.n = 1;
	ADD("z", "t", "0", 1, 2, 500, 500); /* the third period began before the start */
	x = read_one(&sent);
	assert_true(x.bytes == 3 * 300);
	assert_true(x.peak == 2);
	assert_int_equal(x.seconds, 600);
}

/* A server that did not align: what was counted in an interval, over its length. */
static void counters_are_made_rates(void **state)
{
	struct series *s;
	struct subject x;

	s = ADD("z", "t", "0", 6000, 12000, 5);
	s->kind = "DELTA";
	s->points[0].start = s->points[0].at - 60;
	s->points[1].at = s->points[0].start;
	s->points[1].start = s->points[1].at - 60;
	/* without a beginning it is nothing */
	s->points[2].start = TS_NONE;
	x = read_one(&sent);
	assert_true(x.value == 100);
	assert_true(x.peak == 200);
	assert_true(x.bytes == 18000);
	assert_int_equal(x.seconds, 120);
	ADD("z", "u", "0", -5);
	assert_int_equal(read(&sent).n, 1);
}

/* ---- a poll -------------------------------------------------------------------------- */

#define P "my-project"
#define JSON_TYPE "Content-Type: application/json\r\n"
#define SERIES "GET /v3/projects/" P "/timeSeries?filter=metric.type%3D%22"
#define CPU SERIES "compute.googleapis.com%2Finstance%2Fcpu"
#define SENT SERIES "compute.googleapis.com%2Finstance%2Fnetwork%2Fsent"
#define BODY(value)                                                                    \
	"{\"timeSeries\":[{\"metric\":{\"labels\":{}},\"metricKind\":\"GAUGE\","       \
	"\"resource\":{\"type\":\"gce_instance\",\"labels\":{\"instance_id\":\"7\"}}," \
	"\"points\":[{\"interval\":{\"endTime\":\"2026-11-21T04:56:00Z\"},\"value\":{" \
	"\"doubleValue\":" value "}}]}]}"

struct polled {
	struct tempdb t;
	struct collect_result result;
	size_t requests;
};

static void poll(struct polled *x, const struct fault_step *steps, size_t n)
{
	static const char *const projects[] = {P};
	static const char *const only[] = {"metric"};
	struct collect_settings settings = {.projects = projects, .n_projects = 1};
	struct collector c = {.settings = &settings, .only = only, .n_only = 1};
	struct gcp_world w;
	struct tz *tz;

	world_open(&w, steps, n);
	w.clock.fake_now = WORLD_NOW;
	assert_ok(tz_open("UTC", &tz, &w.e), w.e);
	settings.tz = tz;
	c.gcp = w.g;
	c.db = x->t.db;
	c.clock = &w.clock;
	assert_ok(collect(&c, &x->result, &w.e), w.e);
	x->requests = fault_count(w.s) - fault_count_of(w.s, "POST /token");
	world_close(&w);
	tz_free(tz);
}

static void text_is(struct polled *x, const char *sql, const char *want)
{
	char got[1024];

	tempdb_text(&x->t, sql, got, sizeof(got));
	if (strcmp(got, want) != 0)
		fail_msg("%s\n gave %s\n want %s", sql, got, want);
}

/* History is kept for 100 days, and every poll forgets what is older. */
static void a_poll_forgets_what_is_too_old(void **state)
{
	static const struct fault_step steps[] = {
		{.match = CPU, .headers = JSON_TYPE, .body = BODY("0.5")},
		{.match = SERIES, .headers = JSON_TYPE, .body = "{}"}};
	struct polled x = {0};

	tempdb_open(&x.t, WORLD_NOW);
	tempdb_execf(&x.t,
		"INSERT INTO metric_past (project, metric, subject, starts, until, series) "
		"VALUES ('" P "', 'm', 'old', 1, %lld, 1), ('" P
		"', 'm', 'kept', 1, %lld, 1), ('other', 'm', 'others', 1, 1, 1)",
		(long long)(WORLD_NOW - 100 * DAY_SECONDS - 1),
		(long long)(WORLD_NOW - 100 * DAY_SECONDS));
	poll(&x, steps, ARRAY_LEN(steps));
	assert_int_equal(x.result.ok, 1);
	text_is(&x,
		"SELECT group_concat(subject, ' ') FROM (SELECT subject FROM metric_past "
		"WHERE metric = 'm' ORDER BY subject)",
		"kept others");
	tempdb_close(&x.t);
}

/* What Google says of a metric that a project never had. */
static void a_metric_that_is_not_there_hides_no_other(void **state)
{
	static const struct fault_step steps[] = {
		{.match = CPU, .headers = JSON_TYPE, .body = BODY("0.5")},
		{.match = SENT, .headers = JSON_TYPE, .body = BODY("2048")},
		{.match = SERIES "compute", .headers = JSON_TYPE, .body = "{}"},
		{.match = SERIES "networking",
			.status = 400,
			.headers = JSON_TYPE,
			.body = "{\"error\":{\"code\":400,\"status\":\"INVALID_ARGUMENT\","
				"\"message\":\"The provided filter doesn't refer to any "
				"known metric.\"}}"},
		{.match = SERIES "tpu.googleapis.com%2Ftpu",
			.status = 404,
			.headers = JSON_TYPE,
			.body = "{\"error\":{\"code\":404,\"status\":\"NOT_FOUND\","
				"\"message\":"
				"\"Cannot find metric(s) that match type\"}}"},
		{.match = SERIES "tpu",
			.status = 400,
			.headers = JSON_TYPE,
			.body = "{\"error\":{\"code\":400,\"status\":\"INVALID_ARGUMENT\","
				"\"message\":\"The provided filter doesn't refer to any "
				"known "
				"metric.\"}}"}};
	struct polled x = {0};

	tempdb_open(&x.t, WORLD_NOW);
	poll(&x, steps, ARRAY_LEN(steps));
	assert_int_equal(x.requests, 10);
	assert_int_equal(x.result.ok, 1);
	text_is(&x,
		"SELECT value || ' ' || COALESCE(peak, '-') FROM metric WHERE metric LIKE "
		"'%cpu%'",
		"500000000 -");
	text_is(&x,
		"SELECT value || ' ' || peak || ' ' || bytes || ' ' || seconds || ' ' || "
		"idle_since FROM metric WHERE metric LIKE '%sent%'",
		"2048 2048 614400 300 1795236660");
	tempdb_close(&x.t);
}

static void a_list_that_fails_is_said_and_the_rest_is_stored(void **state)
{
	static const struct fault_step steps[] = {
		{.match = CPU, .headers = JSON_TYPE, .body = BODY("0.5")},
		{.match = SENT, .headers = JSON_TYPE, .body = "{\"timeSeries\":7}"},
		{.match = SERIES, .headers = JSON_TYPE, .body = "{}"}};
	struct polled x = {0};

	tempdb_open(&x.t, WORLD_NOW);
	poll(&x, steps, ARRAY_LEN(steps));
	assert_int_equal(x.result.partial, 1);
	text_is(&x, "SELECT COUNT(*) FROM metric", "1");
	text_is(&x,
		"SELECT state || ' ' || (error LIKE 'some metrics: %timeSeries%') FROM "
		"source_status",
		"partial 1");
	tempdb_close(&x.t);
}

static void where_all_are_refused_it_is_one_refusal(void **state)
{
	static const struct fault_step denied = {.match = SERIES,
		.status = 403,
		.headers = JSON_TYPE,
		.body = "{\"error\":{\"code\":403,\"status\":\"PERMISSION_DENIED\","
			"\"message\":"
			"\"Permission monitoring.timeSeries.list denied.\"}}"};
	static const struct fault_step none = {.match = SERIES,
		.status = 404,
		.headers = JSON_TYPE,
		.body = "{\"error\":{\"code\":404,\"status\":\"NOT_FOUND\",\"message\":"
			"\"x\"}}"};
	struct polled x = {0};

	tempdb_open(&x.t, WORLD_NOW);
	poll(&x, &denied, 1);
	assert_int_equal(x.result.failed, 1);
	text_is(&x, "SELECT state || ' ' || (error LIKE '%denied%') FROM source_status",
		"failed 1");
	poll(&x, &none, 1);
	text_is(&x, "SELECT state FROM source_status", "disabled");
	tempdb_close(&x.t);
}

/* Nothing is asked about what the inventory, when it is fresh, says is not there. */
static void only_what_exists_is_asked_about(void **state)
{
	static const struct fault_step empty = {
		.match = SERIES, .headers = JSON_TYPE, .body = "{}"};
	struct polled x = {0};

	tempdb_open(&x.t, WORLD_NOW);
	tempdb_exec(&x.t,
		"INSERT INTO source_status (source, project, state, last_attempt, "
		"last_success, items) VALUES ('tpu', '" P
		"', 'ok', 1, 1795237200 - 900, 0)");
	poll(&x, &empty, 1);
	assert_int_equal(x.requests, 5);
	tempdb_exec(&x.t,
		"UPDATE source_status SET last_success = last_success - 1 "
		"WHERE source = 'tpu'");
	poll(&x, &empty, 1);
	assert_int_equal(x.requests, 10);
	tempdb_close(&x.t);
}

/* One of two workers was silent at the poll before: what it did is not known. */
static void idleness_goes_on_only_with_all_workers(void **state)
{
	static const struct fault_step steps[] = {
		{.match = SERIES "tpu.googleapis.com%2Fcpu",
			.headers = JSON_TYPE,
			.body = "{\"timeSeries\":["
				"{\"resource\":{\"labels\":{\"zone\":\"z\",\"node_id\":"
				"\"t\","
				"\"worker_id\":\"0\"}},\"points\":[{\"interval\":{"
				"\"endTime\":"
				"\"2026-11-21T04:56:00Z\"},\"value\":{\"doubleValue\":1}}]}"
				","
				"{\"resource\":{\"labels\":{\"zone\":\"z\",\"node_id\":"
				"\"t\","
				"\"worker_id\":\"1\"}},\"points\":[{\"interval\":{"
				"\"endTime\":"
				"\"2026-11-21T04:56:00Z\"},\"value\":{\"doubleValue\":1}}]}"
				"]}"},
		{.match = SERIES, .headers = JSON_TYPE, .body = "{}"}};
	struct polled x = {0};

	tempdb_open(&x.t, WORLD_NOW);
	tempdb_exec(&x.t,
		"INSERT INTO metric (project, metric, subject, at, value, idle_since, "
		"series) "
		"VALUES ('" P
		"', 'tpu.googleapis.com/cpu/utilization', 'z/t', 1795236700, 1, "
		"1795200000, 1)");
	poll(&x, steps, ARRAY_LEN(steps));
	text_is(&x, "SELECT idle_since || ' ' || series || ' ' || at_least FROM metric",
		"1795236660 2 1");
	tempdb_exec(&x.t,
		"UPDATE metric SET at = 1795236700, idle_since = 1795200000, at_least = 0");
	poll(&x, steps, ARRAY_LEN(steps));
	text_is(&x, "SELECT idle_since || ' ' || series || ' ' || at_least FROM metric",
		"1795200000 2 0");
	/* the window begins with the idleness, or in the period in which it began, or before it */
	tempdb_exec(&x.t, "UPDATE metric SET idle_since = 1795236660");
	poll(&x, steps, ARRAY_LEN(steps));
	text_is(&x, "SELECT idle_since || ' ' || at_least FROM metric", "1795236660 0");
	tempdb_exec(&x.t, "UPDATE metric SET idle_since = 1795236660 + 299");
	poll(&x, steps, ARRAY_LEN(steps));
	text_is(&x, "SELECT idle_since || ' ' || at_least FROM metric", "1795236959 0");
	tempdb_exec(&x.t, "UPDATE metric SET idle_since = 1795236660 + 300");
	poll(&x, steps, ARRAY_LEN(steps));
	text_is(&x, "SELECT idle_since || ' ' || at_least FROM metric", "1795236660 1");
	tempdb_close(&x.t);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(cores_are_not_workers),
		TEST(one_busy_core_is_work),
		TEST(what_is_known_ends_at_a_gap),
		TEST(a_worker_that_fell_silent_is_not_counted),
		TEST(series_without_a_name_are_nobodys),
		TEST(the_chip_that_rested_least_speaks),
		TEST(duty_cycles_of_a_zone_are_one_subject),
		TEST(rates_add_up),
		TEST(many_quiet_workers_are_quiet),
		TEST(the_hour_is_an_hour),
		TEST(nothing_from_before_the_start_is_summed),
		TEST(counters_are_made_rates),
		cmocka_unit_test(a_poll_forgets_what_is_too_old),
		cmocka_unit_test(a_metric_that_is_not_there_hides_no_other),
		cmocka_unit_test(a_list_that_fails_is_said_and_the_rest_is_stored),
		cmocka_unit_test(where_all_are_refused_it_is_one_refusal),
		cmocka_unit_test(only_what_exists_is_asked_about),
		cmocka_unit_test(idleness_goes_on_only_with_all_workers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
