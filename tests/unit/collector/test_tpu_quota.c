/* Quotas of Compute Engine for TPUs, and what uses them: what Google answers, and what the database
 * makes of it. */
#include "collector/collect.h"

#include "rules/derive/derive.h"
#include "tests/support/assert.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"
#include "tests/support/world/gcp_world.h"

#include <stdio.h>
#include <string.h>

#define JSON_TYPE "Content-Type: application/json\r\n"
#define P "my-project"
#define QUOTAS                                                                     \
	"GET /v1/projects/" P "/locations/global/services/compute.googleapis.com/" \
	"quotaInfos"
#define OLDER \
	"GET /v1beta1/projects/" P "/services/compute.googleapis.com/consumerQuotaMetrics"
#define SERIES "GET /v3/projects/" P "/timeSeries?filter=metric.type%3D%22"
#define USAGE SERIES "serviceruntime.googleapis.com"
#define FAMILIES SERIES "compute.googleapis.com%2Fquota%2Ftpus_per_tpu_family%2Fusage"
#define JSON(what, text)                                          \
	{                                                         \
		.match = what, .headers = JSON_TYPE, .body = text \
	}

static struct tempdb t;
static struct collect_result result;
static size_t requests;
static char usage[4096]; /* request for the usage, without that of families */

static int setup(void **state)
{
	tempdb_open_as_of(&t, WORLD_NOW);
	return 0;
}

static void expect(const char *sql, const char *want)
{
	tempdb_expect(&t, sql, want);
}

static void poll_one(const char *source, const struct fault_step *steps, size_t n)
{
	static const char *const projects[] = {P};
	const char *const only[] = {source};
	struct collect_settings settings = {
		.projects = projects, .n_projects = 1, .tz = t.tz};
	struct collector c = {.settings = &settings, .only = only, .n_only = 1};
	struct gcp_world w;

	world_open(&w, steps, n);
	c.gcp = w.g;
	c.db = t.db;
	c.clock = &w.clock;
	if (collect(&c, &result, &w.e))
		fail_msg("%s", w.e.msg);
	requests = fault_count(w.s) - fault_count_of(w.s, "POST /token");
	*usage = '\0';
	for (size_t i = 0; i < fault_count(w.s); i++)
		if (!strncmp(fault_request(w.s, i), USAGE, strlen(USAGE)))
			snprintf(usage, sizeof(usage), "%s", fault_request(w.s, i));
	world_close(&w);
}

static void poll(const struct fault_step *steps, size_t n)
{
	poll_one("compute-tpu-quota", steps, n);
}

#define INFO(id, metric, values)                                              \
	"{\"quotaId\":\"" id "\",\"metric\":\"compute.googleapis.com/" metric \
	"\",\"dimensionsInfos\":[" values "]}"
#define OF(region, family, value)                                             \
	"{\"dimensions\":{\"region\":\"" region "\",\"tpu_family\":\"" family \
	"\"},\"details\":{" value "},\"applicableLocations\":[\"" region "\"]}"
#define DEFAULT(value) \
	"{\"details\":{" value "},\"applicableLocations\":[\"us-east5\",\"us-west1\"]}"
#define VALUE(n) "\"value\":\"" n "\""
#define FAMILY(values) \
	INFO("TPUS-PER-TPU-FAMILY-per-project-region", "tpus_per_tpu_family", values)
#define POINT(n)                                                                       \
	"\"points\":[{\"interval\":{\"endTime\":\"2026-11-21T04:00:00Z\"},\"value\":{" \
	"\"int64Value\":\"" n "\"}}]"
#define ROWS                                                                               \
	"SELECT group_concat(quota || ' ' || location || ' ' || COALESCE(dimensions, "     \
	"'-') "                                                                            \
	"|| ' ' || limit_value || ' ' || COALESCE(used, '-') || ' ' || is_default, '; ') " \
	"FROM (SELECT * FROM quotas ORDER BY metric, location, dimensions)"
#define CT(family) "{\"tpu_family\":\"" family "\"}"

static const char limits[] = "{\"quotaInfos\":[" INFO("CPUS-per-project-region", "cpus",
	"{\"dimensions\":{\"region\":\"us-east5\"},\"details\":{\"value\":"
	"\"72\"}}") ",{"
		    "\"quotaId\":\"X\",\"metric\":7}," FAMILY(OF("us-east5", "CT6E",
			    VALUE("32")) "," OF("us-east5", "CT5P", "") "," OF("us-east5",
			    "CT9Z",
			    VALUE("8")) "," DEFAULT(VALUE("-1"))) "," INFO("PREEMPTIBLE-"
									   "TPU-V6E-per-"
									   "project-region",
			    "preemptible_tpu_v6e",
			    "{\"dimensions\":{\"region\":\"us-east5\"},"
			    "\"details\":{\"value\":\"-1\"}}," DEFAULT(VALUE("1536"))) "]}";

static void only_what_is_stated_of_tpus_is_kept(void **state)
{
	struct fault_step steps[] = {JSON(QUOTAS, limits),
		JSON(USAGE,
			"{\"timeSeries\":[{\"metric\":{\"labels\":{\"quota_metric\":"
			"\"compute.googleapis.com/preemptible_tpu_v6e\"}},\"resource\":{"
			"\"labels\":{\"location\":\"us-west1\"}}," POINT("16") "}]}"),
		JSON(FAMILIES,
			"{\"timeSeries\":[{\"metric\":{\"labels\":{\"tpu_family\":\"ct6e\","
			"\"limit_name\":\"L\"}},\"resource\":{\"labels\":{\"location\":"
			"\"us-east5\"}}," POINT("4") "}]}")};

	poll(steps, ARRAY_LEN(steps));
	assert_int_equal(result.ok, 1);
	assert_int_equal(requests, 3);
	/* an explicit -1 is no limit, one that nobody set is not stored, nor is it 0 */
	expect(ROWS,
		"preemptible_tpu_v6e us-east5 - -1 - 0; preemptible_tpu_v6e us-west1 "
		"- 1536 16 1; tpus_per_tpu_family us-east5 " CT(
			"CT5P") " 0 - 0; "
				"tpus_per_tpu_family us-east5 " CT(
					"CT6E") " 32 4 0; "
						"tpus_per_tpu_family us-east5 " CT(
							"CT9Z") " 8 - 0");
	/* of the thousand quotas only the usage of those of TPUs is asked for */
	assert_contains(usage,
		"%20AND%20resource.labels.service%3D%22compute."
		"googleapis.com%22%20AND%20metric.labels.quota_metric%3Dhas_"
		"substring%28%22tpu%22%29");
}

static void limits_that_are_gone_are_dropped_and_use_may_be_missing(void **state)
{
	struct fault_step steps[] = {JSON(QUOTAS, limits), JSON(USAGE, "{}"),
		{.match = FAMILIES, .status = 404}};

	poll(steps, ARRAY_LEN(steps));
	expect("SELECT state || COALESCE(error, '') FROM source_status", "ok");
	assert_int_equal(result.ok, 1); /* the metric was never written */
	steps[0].body = "{\"quotaInfos\":[" FAMILY(
		OF("us-east5", "CT6E", VALUE("64"))) "]}";
	steps[2].status = 500;
	poll(steps, ARRAY_LEN(steps));
	assert_int_equal(result.partial, 1);
	expect("SELECT limit_value FROM quotas", "64");
}

static void the_older_api_is_asked_where_the_newer_is_refused(void **state)
{
	struct fault_step steps[] = {{.match = QUOTAS, .status = 403},
		JSON(OLDER,
			"{\"metrics\":[{\"metric\":\"compute.googleapis.com/cpus\","
			"\"consumerQuotaLimits\":7},{\"metric\":\"compute.googleapis.com/"
			"preemptible_tpu_v6e\",\"consumerQuotaLimits\":[{\"name\":"
			"\"a/limits/%2Fproject%2Fregion\",\"quotaBuckets\":[{"
			"\"effectiveLimit\":\"-1\"},{\"effectiveLimit\":\"64\","
			"\"producerOverride\":{},\"dimensions\":{\"region\":\"us-east5\"}}]"
			","
			"\"supportedLocations\":[\"us-east5\",\"us-west1\"]}]}]}"),
		JSON(USAGE, "{}"), JSON(FAMILIES, "{}")};

	poll(steps, ARRAY_LEN(steps));
	assert_int_equal(result.ok, 1);
	expect(ROWS, "preemptible_tpu_v6e us-east5 - 64 - 0");
	steps[1].status = 403;
	steps[1].body = NULL;
	poll(steps, ARRAY_LEN(steps));
	assert_int_equal(result.failed, 1);
	expect("SELECT COUNT(*) FROM quotas", "1");
}

static void nothing_is_asked_without_compute_engine(void **state)
{
	struct fault_step none = JSON(QUOTAS, "{}");

	tempdb_exec(&t,
		"INSERT INTO source_status (source, project, state, last_attempt, items) "
		"VALUES ('quota', '" P "', 'disabled', 1, 0)");
	poll(&none, 1);
	assert_int_equal(requests, 0);
	assert_int_equal(result.failed + result.ok, 0);
}

#define QUEUED(name, specs)                                               \
	"{\"name\":\"projects/" P "/locations/us-a/queuedResources/" name \
	"\",\"state\":{\"state\":\"SUSPENDED\"},\"tpu\":{\"nodeSpec\":[" specs "]}}"
#define SPEC(type, count)                             \
	"{\"multisliceParams\":{\"nodeCount\":" count \
	"},\"node\":{\"acceleratorType\":\"" type "\"}}"

/* They hold the chips of all their nodes. */
static void queued_resources_have_a_number_of_nodes(void **state)
{
	struct fault_step step = JSON("GET /v2alpha1/projects/" P
				      "/locations/-/queuedResources",
		"{\"queuedResources\":[" QUEUED("a", SPEC("v6e-8", "3")) "," QUEUED(
			"b", SPEC("v6e-8", "2") "," SPEC("v6e-8", "2")) "," QUEUED("c",
			SPEC("v6e-8", "2") "," SPEC("v6e-4", "2")) "," QUEUED("d",
			"") "]}");

	poll_one("queued", &step, 1);
	assert_int_equal(result.ok, 1);
	expect("SELECT group_concat(name || COALESCE(nodes, '-')) FROM (SELECT * FROM "
	       "resource ORDER BY name)",
		"a3,b4,c-,d-");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(only_what_is_stated_of_tpus_is_kept),
		TEST(limits_that_are_gone_are_dropped_and_use_may_be_missing),
		TEST(the_older_api_is_asked_where_the_newer_is_refused),
		TEST(nothing_is_asked_without_compute_engine),
		TEST(queued_resources_have_a_number_of_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
