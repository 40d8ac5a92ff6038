/* Inventory against a server that says what each test needs. The oracle is the database and
 * what was asked of the server. */
#include "collector/collect.h"

#include "base/time/civil.h"
#include "base/time/tz.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define VMS "GET /compute/v1/projects/my-project/aggregated/instances"

/* One VM; its fields as Compute sends them. */
#define VM(name, id, zone, status, start)                                                \
	"{\"id\":\"" id "\",\"name\":\"" name                                            \
	"\",\"zone\":\"https://www.googleapis.com/compute/v1/projects/my-project/zones/" \
	"" zone "\",\"machineType\":\"https://x/zones/z/machineTypes/"                   \
	"n1-standard-1\",\"status\":\""                                                  \
	"" status "\",\"creationTimestamp\":\"2026-11-20T00:00:00.000-08:00\","          \
	"\"lastStartTimestamp\":\"" start "\",\"labels\":{\"owner\":\"ada\"}}"
#define ZONE(zone, vms) "\"zones/" zone "\":{\"instances\":[" vms "]}"
#define NONE_IN(zone) "\"zones/" zone "\":{\"warning\":{\"code\":\"NO_RESULTS_ON_PAGE\"}}"
#define UNREACHABLE(zone) "\"zones/" zone "\":{\"warning\":{\"code\":\"UNREACHABLE\"}}"
#define LIST(items) "{\"items\":{" items "}}"
#define EARLY "2026-11-20T00:00:00.000-08:00" /* 08:00 UTC */
#define LATER "2026-11-20T20:00:00.000-08:00" /* 2026-11-21T04:00:00Z */

#define A_AND_B                                                                          \
	LIST(ZONE("us-central1-a",                                                       \
		VM("a", "11", "us-central1-a", "RUNNING", EARLY)) "," ZONE("us-east1-b", \
		VM("b", "9223372036854775807", "us-east1-b", "RUNNING", EARLY)))

static struct tempdb t;
static struct tz *tz;

static int setup(void **state)
{
	struct err e = {0};

	if (tz_open("UTC", &tz, &e))
		fail_msg("%s", e.msg);
	return 0;
}

static int teardown(void **state)
{
	tz_free(tz);
	return 0;
}

/* Poll the machines once against these answers, in turn. */
static struct collect_result poll(const char *const *bodies, const int *statuses, size_t n,
	ts_t now, size_t *requests)
{
	static const char *const projects[] = {"my-project"};
	static const char *const only[] = {"vm"};
	struct collect_settings settings = {
		.projects = projects, .n_projects = 1, .tz = tz};
	struct fault_step steps[8] = {{0}};
	struct gcp_world w;
	struct collect_result r;
	struct collector c = {.settings = &settings, .only = only, .n_only = 1};

	for (size_t i = 0; i < n; i++)
		steps[i] = (struct fault_step){.match = VMS,
			.times = i + 1 == n ? 0 : 1,
			.status = statuses ? statuses[i] : 200,
			.headers = "Content-Type: application/json\r\n",
			.body = bodies[i]};
	world_open(&w, steps, n);
	w.clock.fake_now = now;
	c.gcp = w.g;
	c.db = t.db;
	c.clock = &w.clock;
	if (collect(&c, &r, &w.e))
		fail_msg("%s", w.e.msg);
	if (requests)
		*requests = fault_count_of(w.s, VMS);
	world_close(&w);
	return r;
}

static struct collect_result poll1(const char *body, ts_t now)
{
	return poll(&body, NULL, 1, now, NULL);
}

static void expect(const char *sql, const char *want)
{
	tempdb_expect(&t, sql, want);
}

static void fresh(void)
{
	tempdb_open(&t, WORLD_NOW);
}

static void what_is_listed_is_stored_once_with_its_facts(void **state)
{
	fresh();
	assert_int_equal(poll1(A_AND_B, WORLD_NOW).ok, 1);
	expect("SELECT COUNT(*) FROM resource", "2");
	expect("SELECT id FROM resource WHERE name = 'b'", "my-project/vm/us-east1-b/b");
	expect("SELECT uid FROM resource WHERE name = 'b'", "9223372036854775807");
	expect("SELECT kind || ' ' || state || ' ' || raw_state || ' ' || type || ' ' || "
	       "zone || "
	       "' ' || region || ' ' || owner FROM resource WHERE name = 'a'",
		"vm running RUNNING n1-standard-1 us-central1-a us-central1 ada");
	/* offsets are honoured: 00:00 -08:00 is 08:00 UTC */
	expect("SELECT strftime('%H:%M', state_since, 'unixepoch') FROM resource WHERE "
	       "name = "
	       "'a'",
		"08:00");
	tempdb_close(&t);
}

static void a_second_poll_changes_nothing(void **state)
{
	struct collect_result r;

	fresh();
	assert_true(poll1(A_AND_B, WORLD_NOW).changed);
	r = poll1(A_AND_B, WORLD_NOW + 60);
	assert_false(r.changed);
	expect("SELECT COUNT(*) FROM resource_interval", "2");
	expect("SELECT COUNT(*) FROM resource_interval WHERE ends IS NULL", "2");
	tempdb_close(&t);
}

static void nothing_disappears_from_a_zone_that_did_not_answer(void **state)
{
	static const char gap[] = LIST(ZONE("us-central1-a",
		VM("a", "11", "us-central1-a", "RUNNING",
			EARLY)) "," UNREACHABLE("us-east1-b"));
	struct collect_result r;

	fresh();
	poll1(A_AND_B, WORLD_NOW);
	r = poll1(gap, WORLD_NOW + 60);
	assert_int_equal(r.partial, 1);
	assert_int_equal(r.ok, 0);
	expect("SELECT COUNT(*) FROM resource", "2");
	expect("SELECT complete FROM resource WHERE name = 'b'", "0");
	expect("SELECT complete FROM resource WHERE name = 'a'", "1");
	expect("SELECT state || ': ' || error FROM source_status",
		"partial: no answer from us-east1-b");
	/* last_success stays where it was: the age of the data is told truly */
	expect("SELECT last_success FROM source_status", "1795237200");
	expect("SELECT location FROM source_gap", "us-east1-b");
	poll1(A_AND_B, WORLD_NOW + 120);
	expect("SELECT complete FROM resource WHERE name = 'b'", "1");
	expect("SELECT COUNT(*) FROM source_gap", "0");
	tempdb_close(&t);
}

static void gone_needs_two_complete_snapshots(void **state)
{
	static const char only_a[] = LIST(ZONE("us-central1-a",
		VM("a", "11", "us-central1-a", "RUNNING",
			EARLY)) "," NONE_IN("us-east1-b"));
	const char *once_missing[] = {only_a, A_AND_B};
	size_t requests;

	fresh();
	poll1(A_AND_B, WORLD_NOW);
	/* missing in the first, there in the second: nothing is gone */
	poll(once_missing, NULL, 2, WORLD_NOW + 60, &requests);
	assert_int_equal(requests, 2);
	expect("SELECT COUNT(*) FROM resource", "2");
	/* missing in both */
	poll(&(const char *){only_a}, NULL, 1, WORLD_NOW + 120, &requests);
	assert_int_equal(requests, 2);
	expect("SELECT group_concat(name) FROM resource", "a");
	expect("SELECT ends FROM resource_interval WHERE name = 'b'", "1795237320");
	tempdb_close(&t);
}

static void what_either_of_two_snapshots_has_exists(void **state)
{
	static const char only_a[] = LIST(
		ZONE("us-central1-a", VM("a", "11", "us-central1-a", "RUNNING", EARLY)));
	static const char only_b[] = LIST(ZONE("us-east1-b",
		VM("b", "9223372036854775807", "us-east1-b", "RUNNING", EARLY)));
	const char *bodies[] = {only_a, only_b};

	fresh();
	poll1(A_AND_B, WORLD_NOW);
	poll(bodies, NULL, 2, WORLD_NOW + 60, NULL);
	expect("SELECT group_concat(name) FROM (SELECT name FROM resource ORDER BY name)",
		"a,b");
	tempdb_close(&t);
}

static void a_change_without_a_restart_begins_when_it_was_seen(void **state)
{
	static const char before[] = LIST(
		ZONE("us-central1-a", VM("a", "11", "us-central1-a", "RUNNING", EARLY)));
	static char after[sizeof(before) + 8];
	char *at;

	fresh();
	poll1(before, WORLD_NOW - 600);
	memcpy(after, before, sizeof(before));
	at = strstr(after, "n1-standard-1");
	memcpy(at, "n1-highmem-16", 13);
	poll1(after, WORLD_NOW);
	expect("SELECT group_concat(type || ':' || (ends IS NULL) || ':' || (starts = "
	       "1795237200)) "
	       "FROM (SELECT * FROM resource_interval ORDER BY starts)",
		"n1-standard-1:0:0,n1-highmem-16:1:1");
	tempdb_close(&t);
}

static int64_t one_minute(void *ctx, const struct source *s)
{
	(void)ctx;
	(void)s;
	return 60;
}

static void only_what_is_due_is_polled_when_asked_so(void **state)
{
	static const ts_t times[] = {0, 59, 61, 62, 30};
	static const size_t polled[] = {1, 0, 1, 0, 1}; /* a clock set back makes it due */
	static const char *const projects[] = {"my-project"};
	static const char *const only[] = {"vm"};
	struct collect_settings settings = {
		.projects = projects, .n_projects = 1, .tz = tz};
	struct fault_step step = {.match = VMS,
		.headers = "Content-Type: application/json\r\n",
		.body = A_AND_B};
	struct gcp_world w;
	struct collector c = {
		.settings = &settings, .only = only, .n_only = 1, .interval = one_minute};

	fresh();
	world_open(&w, &step, 1);
	c.gcp = w.g;
	c.db = t.db;
	c.clock = &w.clock;
	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		struct collect_result r;

		w.clock.fake_now = WORLD_NOW + times[i];
		assert_int_equal(collect(&c, &r, &w.e), E_OK);
		if (r.polled != polled[i])
			fail_msg("at +%lld: polled %zu", (long long)times[i], r.polled);
	}
	world_close(&w);
	tempdb_close(&t);
}

static void a_source_is_stale_after_three_intervals(void **state)
{
	fresh();
	poll1(A_AND_B, WORLD_NOW);
	tempdb_exec(&t,
		"INSERT INTO poll_interval VALUES ('instances', 60);"
		"INSERT INTO as_of (now, timezone, currency) VALUES (1795237380, 'UTC', "
		"'USD')");
	expect("SELECT stale || ' ' || age_minutes FROM sources", "0 3.0");
	tempdb_exec(&t, "UPDATE as_of SET now = now + 1");
	expect("SELECT stale FROM sources", "1");
	tempdb_close(&t);
}

static void an_empty_answer_without_scopes_is_believed_only_twice(void **state)
{
	size_t requests;

	fresh();
	poll1(A_AND_B, WORLD_NOW);
	poll(&(const char *){"{\"kind\":\"compute#instanceAggregatedList\"}"}, NULL, 1,
		WORLD_NOW + 60, &requests);
	assert_int_equal(requests, 2);
	expect("SELECT COUNT(*) FROM resource", "0");
	tempdb_close(&t);
}

static void a_failed_poll_keeps_what_was_known_and_says_so(void **state)
{
	static const char denied[] =
		"{\"error\":{\"code\":403,\"message\":\"Required 'compute.instances.list' "
		"permission\",\"errors\":[{\"reason\":\"forbidden\"}]}}";
	int status = 403;
	struct collect_result r;

	fresh();
	poll1(A_AND_B, WORLD_NOW);
	r = poll(&(const char *){denied}, &status, 1, WORLD_NOW + 60, NULL);
	assert_int_equal(r.failed, 1);
	expect("SELECT COUNT(*) FROM resource", "2");
	expect("SELECT COUNT(*) FROM resource WHERE complete = 0", "2");
	expect("SELECT state FROM source_status", "failed");
	expect("SELECT fix LIKE '%roles/compute.viewer%' FROM source_status", "1");
	expect("SELECT last_success FROM source_status", "1795237200");
	tempdb_close(&t);
}

static void an_api_that_is_not_enabled_is_a_state_not_a_failure(void **state)
{
	static const char disabled[] =
		"{\"error\":{\"code\":403,\"message\":\"Compute Engine API has not been "
		"used in "
		"project 1 before or it is disabled.\",\"status\":\"PERMISSION_DENIED\","
		"\"details\":[{\"@type\":\"type.googleapis.com/"
		"google.rpc.ErrorInfo\",\"reason\":"
		"\"SERVICE_DISABLED\",\"domain\":\"googleapis.com\",\"metadata\":{"
		"\"service\":"
		"\"compute.googleapis.com\",\"consumer\":\"projects/1\"}}]}}";
	int status = 403;
	struct collect_result r;

	fresh();
	r = poll(&(const char *){disabled}, &status, 1, WORLD_NOW, NULL);
	assert_int_equal(r.disabled, 1);
	assert_int_equal(r.failed, 0);
	expect("SELECT state FROM source_status", "disabled");
	expect("SELECT fix LIKE '%gcloud services enable compute.googleapis.com%' FROM "
	       "source_status",
		"1");
	tempdb_close(&t);
}

static void hostile_answers_store_nothing(void **state)
{
	static const char *const hostile[] = {
		"{\"items\":{\"zones/"
		"us-central1-a\":{\"instances\":[{\"id\":\"1\",\"id\":\"2\"}]}}}",
		LIST(ZONE("us-central1-a",
			VM("a\\u0000b", "11", "us-central1-a", "RUNNING", EARLY))),
		"{\"items\":{}} trailing", "<html>502</html>",
		"{\"error\":{\"code\":500,\"message\":\"no\"}}", "{\"items\":[1,2,3]}", "",
		"{}", /* no list at all is not an empty list */
	};

	for (size_t i = 0; i < ARRAY_LEN(hostile); i++) {
		struct collect_result r;

		fresh();
		poll1(A_AND_B, WORLD_NOW);
		r = poll1(hostile[i], WORLD_NOW + 60);
		if (r.failed != 1)
			fail_msg("answer %zu was believed", i);
		expect("SELECT COUNT(*) FROM resource", "2");
		tempdb_close(&t);
	}
}

static void a_stop_and_a_start_are_stretches_of_time(void **state)
{
	static const char stopped[] = LIST(
		ZONE("us-central1-a", VM("a", "11", "us-central1-a", "TERMINATED", EARLY)));
	static const char again[] = LIST(
		ZONE("us-central1-a", VM("a", "11", "us-central1-a", "RUNNING", LATER)));
	static const char running[] = LIST(
		ZONE("us-central1-a", VM("a", "11", "us-central1-a", "RUNNING", EARLY)));

	fresh();
	poll1(running, WORLD_NOW - 7200);
	poll1(stopped, WORLD_NOW - 5400);
	/* started at 04:00 while nobody looked, seen at 05:00 */
	poll1(again, WORLD_NOW);
	expect("SELECT group_concat(state || '@' || strftime('%H:%M', starts, 'unixepoch') "
	       "|| '-' "
	       "|| COALESCE(strftime('%H:%M', ends, 'unixepoch'), '')) FROM (SELECT * FROM "
	       "resource_interval ORDER BY starts)",
		"running@08:00-03:30,stopped@03:30-04:00,running@04:00-");
	tempdb_close(&t);
}

static void a_restart_between_two_polls_is_seen(void **state)
{
	static const char running[] = LIST(
		ZONE("us-central1-a", VM("a", "11", "us-central1-a", "RUNNING", EARLY)));
	static const char again[] = LIST(
		ZONE("us-central1-a", VM("a", "11", "us-central1-a", "RUNNING", LATER)));

	fresh();
	poll1(running, WORLD_NOW - 7200);
	poll1(again, WORLD_NOW);
	expect("SELECT COUNT(*) FROM resource_interval", "2");
	expect("SELECT strftime('%H:%M', starts, 'unixepoch') FROM resource_interval WHERE "
	       "ends "
	       "IS NULL",
		"04:00");
	tempdb_close(&t);
}

#define STRETCHES                                                                        \
	"SELECT group_concat(state || '@' || strftime('%d %H:%M', starts, 'unixepoch') " \
	"|| "                                                                            \
	"'-' || COALESCE(strftime('%d %H:%M', ends, 'unixepoch'), '')) FROM (SELECT * "  \
	"FROM "                                                                          \
	"resource_interval ORDER BY starts)"

/* Nobody saw it for days: nobody knows that it ran. */
static void what_went_while_nobody_looked_ends_where_it_was_last_seen(void **state)
{
	static const char running[] = LIST(
		ZONE("us-central1-a", VM("a", "11", "us-central1-a", "RUNNING", EARLY)));
	static const char none[] = LIST(NONE_IN("us-central1-a"));
	static const char again[] = LIST(ZONE("us-central1-a",
		VM("a", "22", "us-central1-a", "RUNNING", "2026-11-24T04:00:00Z")));

	fresh();
	poll1(running, WORLD_NOW);
	poll1(running, WORLD_NOW + 3600); /* 06:00 */
	poll1(none, WORLD_NOW + 3 * DAY_SECONDS);
	expect(STRETCHES, "running@20 08:00-21 06:00");
	/* another one of that name, and the first one's end stays what it was */
	poll1(again, WORLD_NOW + 4 * DAY_SECONDS);
	expect(STRETCHES, "running@20 08:00-21 06:00,running@24 04:00-");
	/* unseen again, and restarted in the meantime */
	poll1(LIST(ZONE("us-central1-a",
		      VM("a", "22", "us-central1-a", "RUNNING", "2026-11-27T04:00:00Z"))),
		WORLD_NOW + 6 * DAY_SECONDS);
	expect(STRETCHES,
		"running@20 08:00-21 06:00,running@24 04:00-25 05:00,running@27 04:00-");
	tempdb_close(&t);
}

/* Gone by two lists that were wrong, and there again: it is one stretch. */
static void what_is_there_again_unchanged_was_there_all_along(void **state)
{
	static const char running[] = LIST(
		ZONE("us-central1-a", VM("a", "11", "us-central1-a", "RUNNING", EARLY)));
	static const char none[] = LIST(NONE_IN("us-central1-a"));

	fresh();
	poll1(running, WORLD_NOW);
	poll1(none, WORLD_NOW + 60);
	expect(STRETCHES, "running@20 08:00-21 05:01");
	poll1(running, WORLD_NOW + 120);
	expect(STRETCHES, "running@20 08:00-");
	poll1(none, WORLD_NOW + 180);
	/* restarted since: another stretch */
	poll1(LIST(ZONE("us-central1-a",
		      VM("a", "11", "us-central1-a", "RUNNING", "2026-11-21T05:04:00Z"))),
		WORLD_NOW + 300);
	expect(STRETCHES, "running@20 08:00-21 05:03,running@21 05:04-");
	tempdb_close(&t);
}

/* Of a TPU node Google says nothing: the outcome of the action has the time. */
static void a_stop_by_tpucost_ends_when_google_confirmed_it(void **state)
{
	static const char running[] = LIST(
		ZONE("us-central1-a", VM("a", "11", "us-central1-a", "RUNNING", "")));
	static const struct {
		const char *next, *want;
	} cases[] = {
		{LIST(ZONE("us-central1-a",
			 VM("a", "11", "us-central1-a", "TERMINATED", ""))),
			"running@20 08:00-21 05:10,stopped@21 06:00-"},
		{running, "running@20 08:00-21 05:10,running@21 06:00-"},
		{LIST(ZONE("us-central1-a",
			 VM("a", "11", "us-central1-a", "TERMINATED",
				 "\",\"lastStopTimestamp\":\"2026-11-21T05:09:00Z"))),
			"running@20 08:00-21 05:09,stopped@21 05:09-"},
		{LIST(NONE_IN("us-central1-a")), "running@20 08:00-21 05:10"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		fresh();
		poll1(running, WORLD_NOW);
		tempdb_exec(&t,
			"INSERT INTO action (rule, resource, uid, source, kind, project, "
			"location, name, verb, mode, severity, policy, state, held, "
			"reason, since, began, attempts, ended) SELECT 'r', id, uid, "
			"source, kind, project, location, name, 'stop', 'armed', "
			"'warning', '', 'done', '', '', last_seen, last_seen, 1, last_seen "
			"+ 600 FROM resource");
		poll1(cases[i].next, WORLD_NOW + 3600);
		expect(STRETCHES, cases[i].want);
		tempdb_close(&t);
	}
}

/* Of machines Google says when they stopped. */
static void a_stop_that_google_tells_is_exact(void **state)
{
	static const char running[] = LIST(
		ZONE("us-central1-a", VM("a", "11", "us-central1-a", "RUNNING", EARLY)));
	static const char stopped[] = LIST(ZONE("us-central1-a",
		VM("a", "11", "us-central1-a", "TERMINATED",
			EARLY "\",\"lastStopTimestamp\":\"2026-11-22T01:00:00Z")));
	static const char suspended[] = LIST(ZONE("us-central1-a",
		VM("a", "11", "us-central1-a", "SUSPENDED",
			EARLY "\",\"lastStopTimestamp\":\"2026-11-22T01:00:00Z\","
			      "\"lastSuspendedTimestamp\":\"2026-11-24T02:00:00Z")));

	fresh();
	poll1(running, WORLD_NOW);
	poll1(stopped, WORLD_NOW + 2 * DAY_SECONDS);
	expect(STRETCHES, "running@20 08:00-22 01:00,stopped@22 01:00-");
	poll1(stopped, WORLD_NOW + 3 * DAY_SECONDS);
	expect("SELECT COUNT(*) FROM resource_interval", "2");
	poll1(suspended, WORLD_NOW + 4 * DAY_SECONDS);
	expect(STRETCHES,
		"running@20 08:00-22 01:00,stopped@22 01:00-24 02:00,suspended@24 02:00-");
	tempdb_close(&t);
}

/* A warning at the top of the list, and not a word about where. */
static void a_list_that_lacks_something_somewhere_ends_nothing(void **state)
{
	static const char lacking[] = "{\"items\":{" NONE_IN(
		"us-central1-a") "},\"warning\":{\"code\":"
				 "\"UNREACHABLE\"}}";
	static const char fine[] = "{\"items\":{" NONE_IN(
		"us-central1-a") "},\"warning\":{\"code\":"
				 "\"NO_RESULTS_ON_PAGE\"}}";
	struct collect_result r;

	fresh();
	poll1(A_AND_B, WORLD_NOW);
	r = poll1(lacking, WORLD_NOW + 60);
	assert_int_equal(r.partial, 1);
	expect("SELECT group_concat(name || complete) FROM (SELECT * FROM resource ORDER "
	       "BY name)",
		"a0,b0");
	expect("SELECT error LIKE 'no answer from somewhere%' FROM source_status", "1");
	r = poll1(fine, WORLD_NOW + 120);
	assert_int_equal(r.ok, 1);
	expect("SELECT COUNT(*) FROM resource", "0");
	tempdb_close(&t);
}

/* A region that did not answer stands for its zones, and for no other region's. */
static void a_region_that_is_unreachable_keeps_its_zones(void **state)
{
	static const char lacking[] = "{\"items\":{" NONE_IN(
		"us-east1-b") "},\"unreachables\":[\"regions/us-central1\"]}";

	fresh();
	poll1(A_AND_B, WORLD_NOW);
	poll1(lacking, WORLD_NOW + 60);
	expect("SELECT group_concat(name || complete) FROM resource", "a0");
	tempdb_close(&t);
}

/* "europe-west12" only begins like "europe-west1". */
static void a_region_with_a_longer_name_is_another(void **state)
{
	static const char both[] = LIST(ZONE("europe-west1-b",
		VM("a", "11", "europe-west1-b", "RUNNING",
			EARLY)) "," ZONE("europe-west12-a",
		VM("b", "12", "europe-west12-a", "RUNNING", EARLY)));
	static const char lacking[] = "{\"items\":{" NONE_IN(
		"europe-west12-a") "},\"unreachables\":[\"regions/europe-west1\"]}";

	fresh();
	poll1(both, WORLD_NOW);
	poll1(lacking, WORLD_NOW + 60);
	expect("SELECT group_concat(name || complete) FROM resource", "a0");
	tempdb_close(&t);
}

static void the_same_name_with_another_uid_is_another_machine(void **state)
{
	static const char first[] = LIST(
		ZONE("us-central1-a", VM("a", "11", "us-central1-a", "RUNNING", EARLY)));
	static const char second[] = LIST(
		ZONE("us-central1-a", VM("a", "22", "us-central1-a", "RUNNING", LATER)));

	fresh();
	poll1(first, WORLD_NOW - 7200);
	poll1(second, WORLD_NOW);
	expect("SELECT uid || ' ' || (first_seen = last_seen) FROM resource", "22 1");
	expect("SELECT COUNT(DISTINCT uid) FROM resource_interval", "2");
	expect("SELECT COUNT(*) FROM resource_interval WHERE ends IS NULL", "1");
	tempdb_close(&t);
}

/* The old one is still being deleted: the list has both, in any order. */
static void of_two_machines_with_one_name_the_newer_is_stored(void **state)
{
#define OLD                                                                         \
	"{\"id\":\"11\",\"name\":\"a\",\"zone\":\"https://x/zones/us-central1-a\"," \
	"\"machineType\":\"https://x/machineTypes/"                                 \
	"n1-standard-1\",\"status\":\"STOPPING\","                                  \
	"\"creationTimestamp\":\"2026-11-19T00:00:00.000-08:00\"}"
#define NEW VM("a", "22", "us-central1-a", "RUNNING", LATER)
	static const char first[] = LIST(ZONE("us-central1-a", OLD));
	static const char *const both[] = {LIST(ZONE("us-central1-a", OLD "," NEW)),
		LIST(ZONE("us-central1-a", NEW "," OLD))};

	for (size_t i = 0; i < ARRAY_LEN(both); i++) {
		fresh();
		poll1(first, WORLD_NOW - 7200);
		poll1(both[i], WORLD_NOW);
		expect("SELECT uid || ' ' || state FROM resource", "22 running");
		expect("SELECT group_concat(uid || ' ' || (ends IS NULL)) FROM "
		       "(SELECT * FROM resource_interval ORDER BY starts)",
			"11 0,22 1");
		tempdb_close(&t);
	}
}

/* Nothing but its number tells that it is not the one before. */
static void another_uid_with_all_else_the_same_is_another_machine(void **state)
{
	static const char first[] = LIST(
		ZONE("us-central1-a", VM("a", "11", "us-central1-a", "RUNNING", EARLY)));
	static const char second[] = LIST(
		ZONE("us-central1-a", VM("a", "22", "us-central1-a", "RUNNING", EARLY)));

	fresh();
	poll1(first, WORLD_NOW - 60);
	poll1(second, WORLD_NOW);
	expect("SELECT group_concat(uid || ' ' || COALESCE(ends, '-')) FROM "
	       "(SELECT * FROM resource_interval ORDER BY starts)",
		"11 1795237200,22 -");
	expect("SELECT starts FROM resource_interval WHERE uid = '22'", "1795237200");
	tempdb_close(&t);
}

static void a_successor_made_before_its_predecessor_was_missed_does_not_overlap_it(
	void **state)
{
	static const char first[] = LIST(
		ZONE("us-central1-a", VM("a", "11", "us-central1-a", "RUNNING", EARLY)));
	static const char none[] = LIST(NONE_IN("us-central1-a"));
	static const char second[] = LIST(
		ZONE("us-central1-a", VM("a", "22", "us-central1-a", "RUNNING", EARLY)));

	fresh();
	poll1(first, WORLD_NOW - 7200);
	poll1(none, WORLD_NOW - 3600);
	poll1(second, WORLD_NOW);
	expect("SELECT COUNT(*) FROM resource_interval a JOIN resource_interval b ON a.id "
	       "= b.id AND "
	       "a.uid <> b.uid AND a.starts < COALESCE(b.ends, 9e18) AND b.starts < a.ends",
		"0");
	expect("SELECT starts FROM resource_interval WHERE uid = '22'", "1795233600");
	tempdb_close(&t);
}

static void a_class_is_on_demand_only_without_another(void **state)
{
	static const char *const rows[][2] = {
		{"\"provisioningModel\":\"RESERVATION_BOUND\"", "tpu reserved"},
		{"\"provisioningModel\":\"FLEX_START\"", "tpu flex-start"},
		{"\"provisioningModel\":\"SPOT\"", "tpu spot"},
		{"\"preemptible\":true", "tpu spot"},
		{"\"provisioningModel\":\"STANDARD\"", "tpu on-demand"},
		{"\"provisioningModel\":\"OF_TOMORROW\"", "tpu unknown"},
		{"", "tpu on-demand"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char list[600];

		snprintf(list, sizeof(list),
			LIST(ZONE("us-central1-a",
				"{\"id\":\"1\",\"name\":\"r\",\"zone\":\"z/us-central1-a\","
				"\"machineType\":\"t/ct5lp-hightpu-4t\",\"status\":"
				"\"RUNNING\",\"scheduling\":{%s}}")),
			rows[i][0]);
		fresh();
		poll1(list, WORLD_NOW);
		expect("SELECT kind || ' ' || provisioning FROM resource", rows[i][1]);
		tempdb_close(&t);
	}
}

static void the_end_of_a_machine_is_kept_with_the_disks_that_go_with_it(void **state)
{
	static const char *const rows[][2] = {
		{"", "- stop -"},
		{"\"terminationTime\":\"2026-11-22T00:00:00Z\"", "1795305600 stop -"},
		{"\"terminationTime\":\"2026-11-22T00:00:00Z\","
		 "\"instanceTerminationAction\":\"DELETE\"",
			"1795305600 delete boot work"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char list[900];

		snprintf(list, sizeof(list),
			LIST(ZONE("us-central1-a",
				"{\"id\":\"1\",\"name\":\"r\",\"machineType\":\"t/"
				"e2-micro\","
				"\"status\":\"RUNNING\",\"disks\":[{\"source\":\"d/boot\","
				"\"autoDelete\":true},{\"source\":\"d/data\"},{\"type\":"
				"\"SCRATCH\",\"autoDelete\":true},{\"source\":\"d/work\","
				"\"autoDelete\":true}],\"scheduling\":{%s}}")),
			rows[i][0]);
		fresh();
		poll1(list, WORLD_NOW);
		expect("SELECT IFNULL(ends, '-') || ' ' || end_action || ' ' || "
		       "IFNULL(end_disks, '-') FROM resource",
			rows[i][1]);
		tempdb_close(&t);
	}
}

static void an_unknown_source_is_named_with_the_nearest(void **state)
{
	static const char *const only[] = {"instanses"};
	struct err e = {0};

	assert_int_equal(collect_check_names(only, 1, &e), E_USAGE);
	assert_non_null(strstr(e.fix, "instances"));
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_listed_is_stored_once_with_its_facts),
		cmocka_unit_test(a_second_poll_changes_nothing),
		cmocka_unit_test(nothing_disappears_from_a_zone_that_did_not_answer),
		cmocka_unit_test(gone_needs_two_complete_snapshots),
		cmocka_unit_test(what_either_of_two_snapshots_has_exists),
		cmocka_unit_test(a_change_without_a_restart_begins_when_it_was_seen),
		cmocka_unit_test(only_what_is_due_is_polled_when_asked_so),
		cmocka_unit_test(a_source_is_stale_after_three_intervals),
		cmocka_unit_test(an_empty_answer_without_scopes_is_believed_only_twice),
		cmocka_unit_test(a_failed_poll_keeps_what_was_known_and_says_so),
		cmocka_unit_test(an_api_that_is_not_enabled_is_a_state_not_a_failure),
		cmocka_unit_test(hostile_answers_store_nothing),
		cmocka_unit_test(a_stop_and_a_start_are_stretches_of_time),
		cmocka_unit_test(a_restart_between_two_polls_is_seen),
		cmocka_unit_test(what_went_while_nobody_looked_ends_where_it_was_last_seen),
		cmocka_unit_test(what_is_there_again_unchanged_was_there_all_along),
		cmocka_unit_test(a_stop_by_tpucost_ends_when_google_confirmed_it),
		cmocka_unit_test(a_stop_that_google_tells_is_exact),
		cmocka_unit_test(a_list_that_lacks_something_somewhere_ends_nothing),
		cmocka_unit_test(a_region_that_is_unreachable_keeps_its_zones),
		cmocka_unit_test(a_region_with_a_longer_name_is_another),
		cmocka_unit_test(the_same_name_with_another_uid_is_another_machine),
		cmocka_unit_test(of_two_machines_with_one_name_the_newer_is_stored),
		cmocka_unit_test(another_uid_with_all_else_the_same_is_another_machine),
		cmocka_unit_test(
			a_successor_made_before_its_predecessor_was_missed_does_not_overlap_it),
		cmocka_unit_test(a_class_is_on_demand_only_without_another),
		cmocka_unit_test(
			the_end_of_a_machine_is_kept_with_the_disks_that_go_with_it),
		cmocka_unit_test(an_unknown_source_is_named_with_the_nearest),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
