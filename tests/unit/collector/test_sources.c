/* Sources beside machines, TPUs and billing: what Google answers, and what the database makes
 * of it. */
#include "collector/collect.h"

#include "base/str.h"
#include "base/time/tz.h"
#include "rules/derive/derive.h"
#include "tests/support/assert.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define JSON_TYPE "Content-Type: application/json\r\n"
#define P "my-project"
#define SNAPSHOTS "GET /compute/v1/projects/" P "/global/snapshots"
#define BUCKETS "GET /storage/v1/b?project=" P
#define PROJECT "GET /compute/v1/projects/" P "?"
#define REGIONS "GET /compute/v1/projects/" P "/regions"
#define QUOTAS \
	"GET /v1/projects/" P "/locations/global/services/tpu.googleapis.com/quotaInfos"
#define OLDER "GET /v1beta1/projects/" P "/services/tpu.googleapis.com/consumerQuotaMetrics"
#define SERIES "GET /v3/projects/" P "/timeSeries"
#define TYPES "GET /compute/v1/projects/" P "/zones/"

static struct tempdb t;
static struct collect_result result;
static size_t requests;
static char last_request[4096];

static int setup(void **state)
{
	tempdb_open_as_of(&t, WORLD_NOW);
	return 0;
}

static void expect(const char *sql, const char *want)
{
	tempdb_expect(&t, sql, want);
}

/* Of one source, or of two in one pass. */
static void poll_two(const char *source, const char *other, ts_t now,
	const struct fault_step *steps, size_t n)
{
	static const char *const projects[] = {P};
	const char *const only[] = {source, other};
	struct collect_settings settings = {
		.projects = projects, .n_projects = 1, .tz = t.tz};
	struct collector c = {.settings = &settings, .only = only, .n_only = other ? 2 : 1};
	struct gcp_world w;

	world_open(&w, steps, n);
	w.clock.fake_now = now;
	c.gcp = w.g;
	c.db = t.db;
	c.clock = &w.clock;
	if (collect(&c, &result, &w.e))
		fail_msg("%s", w.e.msg);
	requests = fault_count(w.s) - fault_count_of(w.s, "POST /token");
	if (fault_count(w.s))
		snprintf(last_request, sizeof(last_request), "%s",
			fault_request(w.s, fault_count(w.s) - 1));
	world_close(&w);
}

static void poll(const char *source, ts_t now, const struct fault_step *steps, size_t n)
{
	poll_two(source, NULL, now, steps, n);
}

static void poll1(const char *source, ts_t now, const char *match, const char *body)
{
	struct fault_step step = {.match = match, .headers = JSON_TYPE, .body = body};

	poll(source, now, &step, 1);
}

static const char *error_of_last(void)
{
	static char text[2048];

	tempdb_text(&t, "SELECT error FROM source_status", text, sizeof(text));
	return text;
}

/* ---- snapshots ---------------------------------------------------------------------------------- */

#define SNAPSHOT(id, name, more)                                                           \
	"{\"id\":\"" id "\",\"name\":\"" name                                              \
	"\",\"status\":\"READY\",\"diskSizeGb\":\"100\","                                  \
	"\"storageBytes\":\"1073741825\",\"storageLocations\":[\"us\"],\"sourceDisk\":"    \
	"\"https://x/projects/" P "/zones/us-central1-a/disks/d1\",\"creationTimestamp\":" \
	"\"2026-11-01T00:00:00.000-07:00\",\"labels\":{\"owner\":\"ada\"}" more "}"
#define LIST(items) "{\"kind\":\"compute#snapshotList\",\"items\":[" items "]}"

static void snapshots_are_resources_with_their_bytes(void **state)
{
	poll1("snapshot", WORLD_NOW, SNAPSHOTS,
		LIST(SNAPSHOT("1", "s1", "") "," SNAPSHOT(
			"2", "s2", ",\"snapshotType\":\"ARCHIVE\"")));
	assert_int_equal(result.ok, 1);
	expect("SELECT id || ' ' || state || ' ' || type || ' ' || size_gib || ' ' || "
	       "bytes || ' ' || attached_to || ' ' || owner || ' ' || created FROM "
	       "resource WHERE name = 's1'",
		"my-project/snapshot/us/s1 running standard 2 1073741825 d1 ada "
		"1793516400");
	expect("SELECT type FROM resource WHERE name = 's2'", "archive");
	/* gone when two complete lists lack it, and not when one cannot be read */
	poll1("snapshot", WORLD_NOW + 60, SNAPSHOTS, "{\"items\":[{}]}");
	assert_int_equal(result.failed, 1);
	expect("SELECT COUNT(*) FROM resource", "2");
	poll1("snapshot", WORLD_NOW + 120, SNAPSHOTS, LIST(SNAPSHOT("1", "s1", "")));
	assert_int_equal(requests, 2);
	expect("SELECT name FROM resource", "s1");
}

static void answers_that_read_wrong_name_the_field(void **state)
{
	static const struct {
		const char *source, *match, *body, *error;
	} v[] = {{"snapshot", SNAPSHOTS, "{}", "not a list of snapshots"},
		{"snapshot", SNAPSHOTS, LIST("{\"id\":\"x\",\"name\":\"a\"}"), "'id'"},
		{"snapshot", SNAPSHOTS, LIST(SNAPSHOT("1", "a/b", "")), "'name'"},
		{"snapshot", SNAPSHOTS,
			LIST("{\"id\":\"1\",\"name\":\"a\",\"storageBytes\":\"-5\"}"),
			"negative"},
		{"snapshot", SNAPSHOTS,
			LIST("{\"id\":\"1\",\"name\":\"a\",\"storageLocations\":[\"../"
			     "x\"]}"),
			"storageLocations"},
		{"bucket", BUCKETS, "{}", "not a list of buckets"},
		{"bucket", BUCKETS, "{\"items\":[{\"name\":\"A B\",\"location\":\"US\"}]}",
			"'name'"},
		{"bucket", BUCKETS, "{\"items\":[{\"name\":\"abc\"}]}", "'location'"},
		{"bucket", BUCKETS, "{\"items\":{}}", "'items'"},
		{"quota", PROJECT, "{\"name\":\"p\",\"quotas\":[{\"limit\":1}]}",
			"'metric'"},
		{"quota", PROJECT,
			"{\"name\":\"p\",\"quotas\":[{\"metric\":\"CPUS\",\"limit\":\"x\"}]"
			"}",
			"'limit'"},
		{"tpu-quota", QUOTAS, "{\"quotaInfos\":[{\"metric\":\"m\"}]}", "'quotaId'"},
		{"tpu-quota", QUOTAS,
			"{\"quotaInfos\":[{\"quotaId\":\"q\",\"dimensionsInfos\":[{"
			"\"details\":{"
			"\"value\":\"many\"}}]}]}",
			"quota 'q'"},
		{"metric", SERIES, "{\"timeSeries\":[{\"points\":[{\"value\":{}}]}]}",
			"points[0]"},
		{"metric", SERIES,
			"{\"timeSeries\":[{\"metric\":{\"labels\":{\"a\":1}},\"points\":[]}"
			"]}",
			"label"}};

	for (size_t i = 0; i < ARRAY_LEN(v); i++) {
		struct fault_step steps[] = {
			{.match = v[i].match, .headers = JSON_TYPE, .body = v[i].body},
			{.match = "GET /",
				.headers = JSON_TYPE,
				.body = "{\"kind\":\"k\"}"}};

		tempdb_exec(&t, "DELETE FROM source_status");
		poll(v[i].source, WORLD_NOW, steps, 2);
		if (result.failed != 1)
			fail_msg("%s was believed", v[i].body);
		if (!strstr(error_of_last(), v[i].error))
			fail_msg("%s\n says %s\n want %s", v[i].body, error_of_last(),
				v[i].error);
		expect("SELECT (SELECT COUNT(*) FROM resource) + (SELECT COUNT(*) FROM "
		       "quota) + (SELECT COUNT(*) FROM metric)",
			"0");
	}
}

/* ---- buckets ------------------------------------------------------------------------------------- */

static void buckets_are_known_by_their_place(void **state)
{
	poll1("bucket", WORLD_NOW, BUCKETS,
		"{\"kind\":\"storage#buckets\",\"items\":[{\"name\":\"data-1\","
		"\"location\":"
		"\"EUROPE-WEST4\",\"locationType\":\"region\",\"storageClass\":"
		"\"STANDARD\","
		"\"timeCreated\":\"2026-11-01T00:00:00Z\"},{\"name\":\"data-2\","
		"\"location\":\"US\","
		"\"locationType\":\"multi-region\",\"storageClass\":\"NEARLINE\"}]}");
	assert_int_equal(result.ok, 1);
	expect("SELECT group_concat(id || ' ' || COALESCE(region, '-') || ' ' || type, '; "
	       "') FROM (SELECT * FROM resource ORDER BY id)",
		"my-project/bucket/europe-west4/data-1 europe-west4 standard; "
		"my-project/bucket/us/data-2 us nearline");
	/* what is in it nobody says: no price, and no burn of nothing */
	expect("SELECT price_source FROM resources WHERE name = 'data-1'", "unknown");
	assert_non_null(strstr(last_request, "project=my-project"));
}

/* ---- queued resources ----------------------------------------------------------------------------- */

#define TPUS "GET /v2/projects/" P "/locations"
#define QUEUED(zone, name)                                                 \
	"{\"queuedResources\":[{\"name\":\"projects/" P "/locations/" zone \
	"/queuedResources/" name "\",\"state\":{\"state\":\"SUSPENDED\"}}]}"

/* Of nodes Google promises that "-" is every zone; of queued resources it says nothing. */
static void where_all_zones_at_once_are_refused_each_is_asked(void **state)
{
	struct fault_step steps[] = {{.match = TPUS "/-/queuedResources", .status = 400},
		{.match = TPUS "/us-a/queuedResources",
			.headers = JSON_TYPE,
			.body = QUEUED("us-a", "q1")},
		{.match = TPUS "/us-b/queuedResources", .headers = JSON_TYPE, .body = "{}"},
		{.match = TPUS "?",
			.headers = JSON_TYPE,
			.body = "{\"locations\":[{\"locationId\":\"us-a\"},{\"locationId\":"
				"\"us-b\"}]}"}};
	struct fault_step one_down[] = {steps[0],
		{.match = TPUS "/us-a/queuedResources", .status = 403, .body = "{}"},
		{.match = TPUS "/us-b/queuedResources",
			.headers = JSON_TYPE,
			.body = QUEUED("us-b", "q2")},
		steps[3]};
	struct fault_step all_down[] = {
		steps[0], {.match = TPUS "/us-", .status = 403, .body = "{}"}, steps[3]};
	struct fault_step no_zones[] = {steps[0], {.match = TPUS "?", .status = 403}};
	struct fault_step empty[] = {
		steps[0], {.match = TPUS "?", .headers = JSON_TYPE, .body = "{}"}};
	struct fault_step not_all[] = {steps[0], steps[2],
		{.match = TPUS "?",
			.headers = JSON_TYPE,
			.body = "{\"locations\":[{\"locationId\":\"us-b\"}],"
				"\"unreachable\":[\"us-a\"]}"}};

	poll("queued", WORLD_NOW, steps, 4);
	assert_int_equal(result.ok, 1);
	expect("SELECT id || ' ' || state FROM resources",
		"my-project/queued/us-a/q1 suspended");
	poll("queued", WORLD_NOW + 60, one_down, 4);
	assert_int_equal(result.partial, 1);
	assert_contains(error_of_last(), "no answer from us-a");
	expect("SELECT group_concat(name || complete) FROM (SELECT * FROM resource ORDER "
	       "BY name)",
		"q10,q21");
	poll("queued", WORLD_NOW + 120, all_down, 3);
	assert_int_equal(result.failed, 1);
	expect("SELECT COUNT(*) FROM resource", "2");
	/* what is gone is gone from its zone, seen twice */
	poll("queued", WORLD_NOW + 180, steps, 4);
	assert_int_equal(result.ok, 1);
	expect("SELECT group_concat(name || complete) FROM resource", "q11");
	poll("queued", WORLD_NOW + 240, no_zones, 2);
	assert_int_equal(result.failed, 1);
	assert_contains(error_of_last(), "list queued resources");
	expect("SELECT COUNT(*) FROM resource", "1");
	/* which zones there are is not known, or not of all */
	poll("queued", WORLD_NOW + 300, empty, 2);
	assert_int_equal(result.failed, 1);
	assert_contains(error_of_last(), "list queued resources: HTTP 400");
	poll("queued", WORLD_NOW + 360, not_all, 3);
	assert_int_equal(result.partial, 1);
	expect("SELECT group_concat(name || complete) FROM resource", "q10");
}

#define ALPHA "GET /v2alpha1/projects/" P "/locations"
#define NODES_LIST TPUS "/-/nodes"
#define QUEUE(name, members)                                              \
	"{\"name\":\"projects/" P "/locations/us-a/queuedResources/" name \
	"\",\"createTime\":\"2026-11-20T00:00:00Z\"" members "}"
#define QUEUES                                                                     \
	"{\"queuedResources\":[" QUEUE("plain", "") "," QUEUE(                     \
		"held", ",\"guaranteed\":{}") "," QUEUE("flex",                    \
		",\"provisioningModel\":\"FLEX_START\",\"runDuration\":{"          \
		"\"maxRunDuration\":\"7200s\"}") "," QUEUE("new",                  \
		",\"provisioningModel\":\"OF_TOMORROW\"") "," QUEUE("until",       \
		",\"provisioningModel\":\"STANDARD\",\"runDuration\":{"            \
		"\"terminationTime\":\"2026-11-22T00:00:00Z\"}") "," QUEUE("spot", \
		",\"spot\":{}") "]}"
#define NODE_OF(queue, members)                                                \
	"{\"name\":\"projects/" P "/locations/us-a/nodes/of-" queue            \
	"\",\"state\":\"READY\",\"acceleratorType\":\"v6e-8\",\"createTime\":" \
	"\"2026-11-20T23:00:00Z\"" members "}"
#define OF(queue)                                   \
	NODE_OF(queue,                              \
		",\"queuedResource\":\"projects/" P \
		"/locations/us-a/queuedResources/" queue "\"")

#define CLASSES                                                                 \
	"SELECT group_concat(name || ' ' || provisioning || IIF(ends, ' ' || "  \
	"datetime(ends, 'unixepoch'), ''), '; ') FROM (SELECT * FROM resource " \
	"WHERE kind = '%s' ORDER BY name)"

static void expect_classes(const char *kind, const char *want)
{
	char sql[300];

	snprintf(sql, sizeof(sql), CLASSES, kind);
	expect(sql, want);
}

static void a_node_has_class_and_end_of_its_queued_resource(void **state)
{
	struct fault_step steps[] = {
		{.match = ALPHA "/-/queuedResources", .headers = JSON_TYPE, .body = QUEUES},
		{.match = ALPHA "/-/nodes",
			.headers = JSON_TYPE,
			.body = "{\"nodes\":[" OF("plain") "," NODE_OF("flex",
				",\"schedulingConfig\":{"
				"\"provisioningModel\":"
				"\"STANDARD\"},\"queuedResource\":\"x/"
				"flex\"") "," NODE_OF("bound",
				",\"schedulingConfig\":{"
				"\"provisioningModel\":\"RESERVATION_"
				"BOUND\"}") "," OF("until") "," OF("new") "," OF("gone") "," NODE_OF("own",
				",\"schedulingConfig\":{\"preemptible\":"
				"true,"
				"\"terminationTimestamp\":\"2026-11-23T00:"
				"00:00Z\"},"
				"\"queuedResource\":\"x/flex\"") "," NODE_OF("none",
				"") "]}"}};

	poll_two("tpu", "queued", WORLD_NOW, steps, 2);
	assert_int_equal(result.ok, 2);
	assert_int_equal(requests, 2);
	expect_classes("queued",
		"flex flex-start; held on-demand; new unknown; plain on-demand; spot spot; "
		"until on-demand 2026-11-22 00:00:00");
	expect_classes("tpu",
		"of-bound reserved; of-flex flex-start 2026-11-21 01:00:00; of-gone "
		"unknown; of-new unknown; "
		"of-none on-demand; of-own spot 2026-11-23 00:00:00; of-plain on-demand; "
		"of-until on-demand 2026-11-22 00:00:00");
}

/* v2 does not state flex-start: what it calls neither spot nor guaranteed may be either. */
static void without_v2alpha1_a_class_that_is_not_stated_is_unknown(void **state)
{
	static const int statuses[] = {400, 403, 404};

	for (size_t i = 0; i < ARRAY_LEN(statuses); i++) {
		struct fault_step steps[] = {
			{.match = ALPHA, .status = statuses[i], .body = "{}"},
			{.match = TPUS "/-/queuedResources",
				.headers = JSON_TYPE,
				.body = "{\"queuedResources\":[" QUEUE(
					"plain", "") "," QUEUE("held",
					",\"guaranteed\":{}") "," QUEUE("spot",
					",\"spot\":{}") "]}"},
			{.match = NODES_LIST,
				.headers = JSON_TYPE,
				.body = "{\"nodes\":[" OF("plain") "," OF("held") "]}"}};

		poll_two("tpu", "queued", WORLD_NOW + (ts_t)i * 60, steps, 3);
		assert_int_equal(result.ok, 2);
		assert_int_equal(requests, 4);
		expect_classes("queued", "held on-demand; plain unknown; spot spot");
		expect_classes("tpu", "of-held on-demand; of-plain unknown");
	}
}

/* Also of an interval that has ended, and not of another queued resource that had the name. */
static void a_class_that_is_stated_later_was_that_all_the_time(void **state)
{
	static const char *const v2[] = {
		"{\"queuedResources\":[{\"name\":\"projects/" P
		"/locations/us-a/queuedResources/plain\",\"createTime\":"
		"\"2026-11-19T00:00:00Z\"}]}",
		"{\"queuedResources\":[" QUEUE(
			"plain", ",\"state\":{\"state\":\"ACTIVE\"}") "]}",
		"{\"queuedResources\":[" QUEUE(
			"plain", ",\"state\":{\"state\":\"SUSPENDED\"}") "]}"};

	for (size_t i = 0; i < ARRAY_LEN(v2); i++) {
		struct fault_step steps[] = {{.match = ALPHA, .status = 403, .body = "{}"},
			{.match = TPUS "/-/queuedResources",
				.headers = JSON_TYPE,
				.body = v2[i]}};

		poll("queued", WORLD_NOW + 60 * (ts_t)i, steps, 2);
	}
	poll1("queued", WORLD_NOW + 180, ALPHA "/-/queuedResources", v2[2]);
	expect("SELECT group_concat(state || ' ' || provisioning || IIF(ends, '', ' "
	       "open'), "
	       "', ') FROM (SELECT * FROM resource_interval ORDER BY starts)",
		"unknown unknown, running on-demand, suspended on-demand open");
	expect("SELECT provisioning FROM resource", "on-demand");
}

/* Otherwise the class would change whenever a server is down. */
static void a_failure_of_v2alpha1_is_not_a_refusal(void **state)
{
	struct fault_step good = {
		.match = ALPHA "/-/queuedResources", .headers = JSON_TYPE, .body = QUEUES};
	struct fault_step steps[] = {{.match = ALPHA, .status = 503},
		{.match = TPUS "?",
			.headers = JSON_TYPE,
			.body = "{\"locations\":[{\"locationId\":\"us-a\"}]}"},
		{.match = TPUS "/",
			.headers = JSON_TYPE,
			.body = "{\"queuedResources\":[" QUEUE("plain", "") "]}"}};

	poll("queued", WORLD_NOW, &good, 1);
	poll("queued", WORLD_NOW + 60, steps, 3);
	assert_int_equal(result.failed, 1);
	expect("SELECT provisioning FROM resource WHERE name = 'plain'", "on-demand");
}

#define WISH(created)                                                                     \
	"{\"queuedResources\":[{\"name\":\"projects/" P                                   \
	"/locations/us-a/queuedResources/wish\",\"createTime\":\"2026-11-" created "Z\"}" \
	"]}"

/* A queued resource has no number: its creation shows that another one has its name. */
static void a_queued_resource_that_is_created_again_begins_anew(void **state)
{
	static const char *const minutes[] = {WISH("20T00:00:00"), WISH("21T05:00:30"),
		WISH("21T05:00:30"), "{}", WISH("21T05:02:30"), "{}", WISH("21T05:02:30")};

	for (size_t i = 0; i < ARRAY_LEN(minutes); i++)
		poll1("queued", WORLD_NOW + 60 * (ts_t)i, ALPHA "/-/queuedResources",
			minutes[i]);
	expect("SELECT group_concat(time(starts, 'unixepoch') || COALESCE('-' || "
	       "time(ends, 'unixepoch'), ''), ' ') FROM (SELECT * FROM "
	       "resource_interval ORDER BY starts)",
		"00:00:00-05:00:30 05:00:30-05:03:00 05:03:00");
}

/* ---- quotas of Compute ---------------------------------------------------------------------------- */

#define Q(metric, limit, usage) \
	"{\"metric\":\"" metric "\",\"limit\":" limit ",\"usage\":" usage "}"

static void quotas_of_project_and_regions_are_kept_with_their_use(void **state)
{
	struct fault_step steps[] = {
		{.match = PROJECT,
			.headers = JSON_TYPE,
			.body = "{\"name\":\"my-project\",\"quotas\":[" Q(
				"CPUS_ALL_REGIONS", "32.0", "8.0") "]}"},
		{.match = REGIONS,
			.headers = JSON_TYPE,
			.body = "{\"kind\":\"compute#regionList\",\"items\":[{\"name\":"
				"\"us-central1\",\"quotas\":[" Q(
					"CPUS", "96.0", "95.5") "," Q("DISKS_TOTAL_GB",
					"9.0E18", "3.0") "," Q("N2_CPUS", "-1.0",
					"0.0") "]},{\"name\":\"europe-west4\",\"quotas\":["
					       "" Q("CPUS", "24.0", "0.0") "]}]}"}};
	struct fault_step less[] = {steps[0],
		{.match = REGIONS,
			.headers = JSON_TYPE,
			.body = "{\"kind\":\"compute#regionList\",\"items\":[{\"name\":"
				"\"us-central1\",\"quotaStatusWarning\":{\"code\":"
				"\"QUOTA_INFO_UNAVAILABLE\"}},{\"name\":\"europe-west4\","
				"\"quotas\":[" Q("CPUS", "48.0", "1.0") "]}]}"}};

	poll("quota", WORLD_NOW, steps, 2);
	assert_int_equal(result.ok, 1);
	expect("SELECT group_concat(metric || ' ' || location || ' ' || limit_value || ' ' "
	       "|| used || ' ' || COALESCE(percent, '-'), '; ') FROM (SELECT * FROM quotas "
	       "ORDER BY location, metric)",
		"CPUS europe-west4 24 0 0.0; CPUS_ALL_REGIONS global 32 8 25.0; CPUS "
		"us-central1 96 "
		"96 100.0; DISKS_TOTAL_GB us-central1 -1 3 -; N2_CPUS us-central1 -1 0 -");
	/* a region that does not tell keeps what it told, and is said */
	poll("quota", WORLD_NOW + 60, less, 2);
	assert_int_equal(result.partial, 1);
	assert_non_null(strstr(error_of_last(), "us-central1"));
	expect("SELECT group_concat(location || limit_value) FROM (SELECT * FROM quota "
	       "WHERE metric = 'CPUS' ORDER BY location)",
		"europe-west448,us-central196");
	expect("SELECT group_concat(metric || ' ' || location || ' ' || substr(last_seen, "
	       "12, 5), '; ') "
	       "FROM (SELECT * FROM quotas ORDER BY location, metric)",
		"CPUS europe-west4 05:01; CPUS_ALL_REGIONS global 05:01; CPUS us-central1 "
		"05:00; DISKS_TOTAL_GB us-central1 05:00; N2_CPUS us-central1 05:00");
	/* still as old after another one */
	poll("quota", WORLD_NOW + 120, less, 2);
	expect("SELECT group_concat(DISTINCT substr(last_seen, 12, 5)) FROM (SELECT * FROM "
	       "quotas ORDER "
	       "BY location)",
		"05:02,05:00");
	poll("quota", WORLD_NOW + 180, steps, 2);
	expect("SELECT COUNT(*) || ' ' || MIN(last_seen) FROM quotas",
		"5 2026-11-21T05:03:00Z");
	expect("SELECT limit_value FROM quotas WHERE location = 'europe-west4'", "24");
	/* the clock is set back: all are as old as their list, and stay so */
	for (int i = 0; i < 2; i++) {
		poll("quota", WORLD_NOW + 90 + i * 60, less, 2);
		expect("SELECT substr(last_seen, 12, 5) FROM quotas WHERE location = "
		       "'europe-west4'",
			i ? "05:02" : "05:01");
	}
}

#define QUOTAS_OF_REGION 43
#define QUOTA_REGIONS 40

/* Regions with these quotas, of which the first has this use. */
static void quota_regions(struct sbuf *b, int used)
{
	sbuf_reset(b);
	sbuf_adds(b, "{\"kind\":\"compute#regionList\",\"items\":[");
	for (int r = 0; r < QUOTA_REGIONS; r++) {
		sbuf_addf(b, "%s{\"name\":\"region-%d\",\"quotas\":[", r ? "," : "", r);
		for (int m = 0; m < QUOTAS_OF_REGION; m++)
			sbuf_addf(b,
				"%s{\"metric\":\"A_METRIC_OF_MACHINES_%d\",\"limit\":%d,"
				"\"usage\":%d}",
				m ? "," : "", m, 100 * m, r || m ? m % 3 : used);
		sbuf_adds(b, "]}");
	}
	sbuf_adds(b, "]}");
}

/* Ten thousand projects have as many lists, which hardly change. */
static void a_list_of_quotas_is_small_and_written_once(void **state)
{
	cleanup(sbuf_done) struct sbuf regions = SBUF_INIT;
	struct fault_step steps[] = {
		{.match = PROJECT,
			.headers = JSON_TYPE,
			.body = "{\"name\":\"my-project\",\"quotas\":[]}"},
		{.match = REGIONS, .headers = JSON_TYPE}};

	quota_regions(&regions, 1);
	steps[1].body = regions.s;
	poll("quota", WORLD_NOW, steps, 2);
	expect("SELECT COUNT(*) FROM quotas", "1720");
	expect("SELECT SUM(pgsize) <= 30000 FROM dbstat WHERE name = 'quota_item'", "1");
	tempdb_exec(&t,
		"CREATE TEMP TABLE written (what);"
		"CREATE TEMP TRIGGER put AFTER INSERT ON main.quota_item BEGIN INSERT INTO "
		"written VALUES ('put ' || NEW.used); END;"
		"CREATE TEMP TRIGGER changed AFTER UPDATE ON main.quota_item BEGIN INSERT "
		"INTO written VALUES ('changed'); END;"
		"CREATE TEMP TRIGGER dropped AFTER DELETE ON main.quota_item BEGIN INSERT "
		"INTO written VALUES ('dropped'); END");
	poll("quota", WORLD_NOW + 60, steps, 2);
	expect("SELECT COUNT(*) FROM written", "0");
	expect("SELECT MIN(last_seen) FROM quotas", "2026-11-21T05:01:00Z");
	quota_regions(&regions, 7);
	steps[1].body = regions.s;
	poll("quota", WORLD_NOW + 120, steps, 2);
	expect("SELECT group_concat(what) FROM written", "dropped,put 7");
}

/* ---- quotas of Cloud TPU --------------------------------------------------------------------------- */

#define NO_SERIES                                                   \
	{                                                           \
		.match = SERIES, .headers = JSON_TYPE, .body = "{}" \
	}

static void tpu_limits_are_explicit_zero_or_default(void **state)
{
	struct fault_step steps[] = {
		{.match = QUOTAS,
			.headers = JSON_TYPE,
			.body = "{\"quotaInfos\":[{\"quotaId\":"
				"\"TPUV3sPerProjectPerZoneForTPUAPI\","
				"\"metric\":\"tpu.googleapis.com/v3\",\"dimensionsInfos\":["
				"{\"dimensions\":{\"zone\":\"europe-west4-a\"},\"details\":"
				"{\"value\":"
				"\"40\"},\"applicableLocations\":[\"europe-west4-a\"]},"
				"{\"dimensions\":{\"zone\":\"us-west4-a\"},\"details\":{}},"
				"{\"details\":{\"value\":\"8\"},\"applicableLocations\":["
				"\"us-central1-a\",\"us-west4-a\"]}]},{\"quotaId\":"
				"\"Family\",\"metric\":"
				"\"m\",\"dimensionsInfos\":[{\"dimensions\":{\"region\":"
				"\"us-east1\","
				"\"tpu_family\":\"CT5P\"},\"details\":{\"value\":\"-1\"}}]}"
				"]}"},
		{.match = SERIES,
			.headers = JSON_TYPE,
			.body = "{\"timeSeries\":[{\"metric\":{\"type\":\"x\",\"labels\":{"
				"\"quota_metric\":\"tpu.googleapis.com/"
				"v3\"}},\"resource\":{\"type\":"
				"\"consumer_quota\",\"labels\":{\"location\":\"europe-"
				"west4-a\"}},"
				"\"points\":[{\"interval\":{\"endTime\":\"2026-11-21T04:00:"
				"00Z\"},"
				"\"value\":{\"int64Value\":\"16\"}},{\"interval\":{"
				"\"endTime\":"
				"\"2026-11-20T04:00:00Z\"},\"value\":{\"int64Value\":\"8\"}"
				"}]}]}"}};

	poll("tpu-quota", WORLD_NOW, steps, 2);
	assert_int_equal(result.ok, 1);
	expect("SELECT group_concat(location || ' ' || limit_value || ' ' || is_default || "
	       "' ' || COALESCE(used, '-') || ' ' || COALESCE(dimensions, ''), '; ') FROM "
	       "(SELECT * FROM quotas ORDER BY location)",
		"europe-west4-a 40 0 16 ; us-central1-a 8 1 - ; us-east1 -1 0 - "
		"{\"tpu_family\":\"CT5P\"}; us-west4-a 0 0 - ");
}

static void where_cloud_quotas_is_not_enabled_the_older_api_is_asked(void **state)
{
	static const char disabled[] = "{\"error\":{\"code\":403,\"message\":\"Cloud "
				       "Quotas API has not been used\","
				       "\"status\":\"PERMISSION_DENIED\",\"details\":[{\"@"
				       "type\":\"type.googleapis.com/"
				       "google.rpc.ErrorInfo\",\"reason\":\"SERVICE_"
				       "DISABLED\",\"metadata\":{\"service\":"
				       "\"cloudquotas.googleapis.com\"}}]}}";
	struct fault_step steps[] = {
		{.match = QUOTAS, .status = 403, .headers = JSON_TYPE, .body = disabled},
		{.match = OLDER,
			.headers = JSON_TYPE,
			.body = "{\"metrics\":[{\"metric\":\"tpu.googleapis.com/v3\","
				"\"consumerQuotaLimits\":[{\"name\":\"projects/1/x/limits/"
				"L\","
				"\"quotaBuckets\":[{\"effectiveLimit\":\"8\","
				"\"defaultLimit\":\"8\"},"
				"{\"effectiveLimit\":\"40\",\"defaultLimit\":\"8\","
				"\"producerOverride\":{\"overrideValue\":\"40\"},"
				"\"dimensions\":{"
				"\"zone\":\"europe-west4-a\"}}]}]}]}"},
		NO_SERIES};
	struct fault_step neither[] = {
		{.match = QUOTAS, .status = 403, .headers = JSON_TYPE, .body = disabled},
		{.match = OLDER, .status = 403, .headers = JSON_TYPE, .body = disabled},
		NO_SERIES};

	poll("tpu-quota", WORLD_NOW, steps, 3);
	assert_int_equal(result.ok, 1);
	assert_non_null(strstr(last_request, "view=FULL"));
	expect("SELECT group_concat(location || ' ' || limit_value || ' ' || is_default, "
	       "'; ') FROM (SELECT * FROM quota ORDER BY location)",
		"europe-west4-a 40 0; global 8 1");
	poll("tpu-quota", WORLD_NOW + 60, neither, 3);
	assert_int_equal(result.disabled, 1);
	expect("SELECT fix LIKE '%gcloud services enable cloudquotas.googleapis.com%' FROM "
	       "source_status",
		"1");
	expect("SELECT COUNT(*) FROM quota", "2");
}

#define USE(zone, n)                                                                      \
	"{\"metric\":{\"type\":\"x\",\"labels\":{\"quota_metric\":\"m\"}},\"resource\":{" \
	"\"type\":\"consumer_quota\",\"labels\":{\"location\":\"" zone                    \
	"\"}},\"points\":[{"                                                              \
	"\"interval\":{\"endTime\":\"2026-11-21T04:00:00Z\"},\"value\":{\"int64Value\":"  \
	"\"" n "\"}}]}"

static void limits_are_kept_though_their_use_cannot_be_read(void **state)
{
	struct fault_step steps[] = {
		{.match = QUOTAS,
			.headers = JSON_TYPE,
			.body = "{\"quotaInfos\":[{\"quotaId\":\"q\",\"metric\":\"m\","
				"\"dimensionsInfos\":[{\"dimensions\":{\"zone\":\"us-west4-"
				"a\"},"
				"\"details\":{\"value\":\"4\"}}]}]}"},
		{.match = SERIES, .status = 403}};

	poll("tpu-quota", WORLD_NOW, steps, 2);
	assert_int_equal(result.ok, 1);
	expect("SELECT limit_value || COALESCE(used, '-') FROM quota", "4-");
}

/* Monitoring says of which metric and place it is, and no more. */
static void use_of_one_of_several_limits_is_not_told(void **state)
{
	struct fault_step steps[] = {
		{.match = QUOTAS,
			.headers = JSON_TYPE,
			.body = "{\"quotaInfos\":[{\"quotaId\":\"q\",\"metric\":\"m\","
				"\"dimensionsInfos\":[{\"dimensions\":{\"zone\":\"us-west4-"
				"a\","
				"\"tpu_family\":\"CT5E\"},\"details\":{\"value\":\"4\"}},"
				"{\"dimensions\":{\"zone\":\"us-west4-a\",\"tpu_family\":"
				"\"CT6E\"},\"details\":{\"value\":\"100\"}},{"
				"\"dimensions\":"
				"{\"zone\":\"us-west4-b\"},\"details\":{\"value\":\"8\"}}]}"
				"]}"},
		{.match = SERIES,
			.headers = JSON_TYPE,
			.body = "{\"timeSeries\":[" USE("us-west4-a", "8") "," USE(
				"us-west4-b", "6") "]}"}};
	struct fault_step failing[] = {steps[0], {.match = SERIES, .status = 400}};

	poll("tpu-quota", WORLD_NOW, steps, 2);
	assert_int_equal(result.ok, 1);
	expect("SELECT group_concat(limit_value || ' ' || COALESCE(used, '-')) FROM "
	       "(SELECT * FROM quotas ORDER BY limit_value)",
		"4 -,8 6,100 -");
	/* and that it could not be read is said */
	poll("tpu-quota", WORLD_NOW + 60, failing, 2);
	assert_int_equal(result.partial, 1);
	assert_contains(error_of_last(), "usage of the quotas is unknown");
	expect("SELECT COUNT(limit_value) || ' ' || COUNT(used) FROM quotas", "3 0");
}

/* ---- machine types ---------------------------------------------------------------------------------- */

#define PUT_VM(name, type)                                                                \
	"INSERT INTO resource (id, uid, source, kind, project, location, zone, region, "  \
	"name, "                                                                          \
	"state, raw_state, type, labels, first_seen, last_seen, complete) VALUES ('" name \
	"', '1', 'vm', 'vm', '" P                                                         \
	"', 'us-central1-a', 'us-central1-a', 'us-central1', '" name                      \
	"', 'running', 'RUNNING', '" type "', '{}', 1, 1, 1);"

static void each_machine_type_in_use_is_asked_for_once(void **state)
{
	struct fault_step steps[] = {
		{.match = TYPES "us-central1-a/machineTypes/a9-new",
			.headers = JSON_TYPE,
			.body = "{\"name\":\"a9-new\",\"guestCpus\":7,\"memoryMb\":2048,"
				"\"accelerators\":[{\"guestAcceleratorType\":\"nvidia-x\","
				"\"guestAcceleratorCount\":2}]}"},
		{.match = TYPES "us-central1-a/machineTypes/gone-1", .status = 404}};

	tempdb_exec(&t, PUT_VM("a", "a9-new") PUT_VM("b", "a9-new") PUT_VM("c", "gone-1"));
	poll("machine-type", WORLD_NOW, steps, 2);
	assert_int_equal(result.ok, 1);
	assert_int_equal(requests, 2);
	expect("SELECT name || ' ' || vcpus || ' ' || memory_mib || ' ' || gpu_type || ' ' "
	       "|| gpu_count FROM machine_type",
		"a9-new 7 2048 nvidia-x 2");
	poll("machine-type", WORLD_NOW + 60, steps, 2);
	assert_int_equal(requests, 1); /* the one that was not found */
	poll("machine-type", WORLD_NOW + 31 * 86400, steps, 2);
	assert_int_equal(requests, 2);
}

/* Those of machines that the same pass finds: the next one may be a day away. */
static void types_of_machines_just_found_are_asked_for(void **state)
{
	struct fault_step steps[] = {
		{.match = TYPES "us-central1-a/machineTypes/a9-new",
			.headers = JSON_TYPE,
			.body = "{\"name\":\"a9-new\",\"guestCpus\":7,\"memoryMb\":2048}"},
		{.match = "GET /compute/v1/projects/" P "/aggregated/instances",
			.headers = JSON_TYPE,
			.body = "{\"kind\":\"compute#instanceAggregatedList\",\"items\":{"
				"\"zones/us-central1-a\":{\"instances\":[{\"id\":\"1\","
				"\"name\":\"vm\",\"status\":\"RUNNING\","
				"\"machineType\":\"x/a9-new\"}]}}}"}};

	poll_two("vm", "machine-type", WORLD_NOW, steps, 2);
	assert_int_equal(result.ok, 2);
	assert_int_equal(requests, 2);
	expect("SELECT name || ' ' || vcpus FROM machine_type", "a9-new 7");
}

/* ---- metrics ------------------------------------------------------------------------------------------ */

/* Three five-minute averages up to 04:55 of a machine. */
#define CPU(id, newest, middle, oldest)                                                 \
	"{\"timeSeries\":[{\"metric\":{\"type\":\"compute.googleapis.com/instance/cpu/" \
	"utilization\",\"labels\":{\"instance_name\":\"x\"}},\"resource\":{\"type\":"   \
	"\"gce_instance\",\"labels\":{\"instance_id\":\"" id                            \
	"\",\"zone\":\"us-central1-a\"}},"                                              \
	"\"points\":[{\"interval\":{\"endTime\":\"2026-11-21T04:55:00Z\"},\"value\":{"  \
	"\"doubleValue\":" newest                                                       \
	"}},{\"interval\":{\"endTime\":\"2026-11-21T04:50:00Z\"},"                      \
	"\"value\":{\"doubleValue\":" middle "}},{\"interval\":{\"endTime\":"           \
	"\"2026-11-21T04:45:00Z\"},\"value\":{\"doubleValue\":" oldest "}}]}]}"
#define VM_METRIC SERIES "?filter=metric.type%3D%22compute"
#define TPU_METRIC SERIES "?filter=metric.type%3D%22tpu"

static void poll_cpu(ts_t now, const char *body)
{
	struct fault_step steps[] = {
		{.match = VM_METRIC, .headers = JSON_TYPE, .body = body},
		{.match = TPU_METRIC, .headers = JSON_TYPE, .body = "{}"}};

	poll("metric", now, steps, 2);
	assert_int_equal(result.ok, 1);
}

static void judge(ts_t now)
{
	struct settings settings = {.tz = t.tz, .currency = "USD"};
	struct derive_opts o = {
		.settings = &settings, .now = now, .since = TS_NONE, .until = TS_NONE};
	struct err e = {0};

	assert_ok(derive(t.db, &o, &e), e);
}

static void idle_after(ts_t now, const char *body, const char *want)
{
	poll_cpu(now, body);
	judge(now);
	expect("SELECT COALESCE(idle_minutes, 'unknown') FROM resources", want);
}

static void idle_is_counted_from_the_last_work(void **state)
{
	tempdb_exec(&t, PUT_VM("a", "n1-standard-1"));
	judge(WORLD_NOW);
	expect("SELECT COALESCE(idle_minutes, 'unknown') FROM resources", "unknown");
	idle_after(WORLD_NOW, CPU("1", "0.5", "0.01", "0.01"), "0");
	idle_after(WORLD_NOW, CPU("1", "0.01", "0.5", "0.01"), "10"); /* since 04:50 */
	/* at least since 04:40 */
	idle_after(WORLD_NOW, CPU("1", "0.01", "0.01", "0.01"), "20");
	/* from the poll before it is known that it was idle even longer */
	tempdb_exec(&t, "UPDATE metric SET idle_since = idle_since - 36000");
	idle_after(WORLD_NOW, CPU("1", "0.01", "0.01", "0.01"), "620");
	/* work in between ended that */
	idle_after(WORLD_NOW, CPU("1", "0.01", "0.5", "0.01"), "10");
	poll_cpu(WORLD_NOW, CPU("1", "0.01", "0.01", "0.01"));
	tempdb_exec(&t, "UPDATE metric SET idle_since = idle_since - 36000");
	/* but not over a gap of which nothing is known */
	tempdb_exec(&t, "UPDATE metric SET at = at - 36000");
	idle_after(WORLD_NOW, CPU("1", "0.01", "0.01", "0.01"), "20");
	/* no series is no idleness: the old one gets too old to count */
	idle_after(WORLD_NOW + 3600, "{}", "unknown");
	poll_cpu(WORLD_NOW + 2 * 86400, "{}");
	expect("SELECT COUNT(*) FROM metric", "0");
}

static void the_busiest_worker_speaks_for_a_tpu(void **state)
{
#define WORKER(id, value)                                                               \
	"{\"metric\":{\"labels\":{}},\"resource\":{\"labels\":{\"zone\":\"us-central1-" \
	"a\","                                                                          \
	"\"node_id\":\"t1\",\"worker_id\":\"" id                                        \
	"\"}},\"points\":[{\"interval\":{\"endTime\":"                                  \
	"\"2026-11-21T04:55:00Z\"},\"value\":{\"doubleValue\":" value "}}]}"
	struct fault_step steps[] = {
		{.match = VM_METRIC, .headers = JSON_TYPE, .body = "{}"},
		{.match = TPU_METRIC,
			.headers = JSON_TYPE,
			.body = "{\"timeSeries\":[" WORKER("0", "0.5") "," WORKER(
				"1", "40.0") "," WORKER("2", "\"NaN\"") "]}"}};

	poll("metric", WORLD_NOW, steps, 2);
	expect("SELECT subject || ' ' || value || ' ' || COALESCE(idle_since, 'works') "
	       "FROM metric WHERE metric = 'tpu.googleapis.com/cpu/utilization'",
		"us-central1-a/t1 40000000000 works");
	assert_non_null(strstr(last_request, "interval.endTime=2026-11-21T04%3A56%3A00Z"));
}

static void a_part_of_the_metrics_is_said_to_be_one(void **state)
{
	struct fault_step steps[] = {
		{.match = VM_METRIC,
			.headers = JSON_TYPE,
			.body = "{\"executionErrors\":[{\"code\":14}]}"},
		{.match = TPU_METRIC, .headers = JSON_TYPE, .body = "{}"}};

	poll("metric", WORLD_NOW, steps, 2);
	assert_int_equal(result.partial, 1);
	assert_contains(error_of_last(), "a part of the metrics");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(snapshots_are_resources_with_their_bytes),
		TEST(answers_that_read_wrong_name_the_field),
		TEST(buckets_are_known_by_their_place),
		TEST(where_all_zones_at_once_are_refused_each_is_asked),
		TEST(a_node_has_class_and_end_of_its_queued_resource),
		TEST(a_class_that_is_stated_later_was_that_all_the_time),
		TEST(a_queued_resource_that_is_created_again_begins_anew),
		TEST(without_v2alpha1_a_class_that_is_not_stated_is_unknown),
		TEST(a_failure_of_v2alpha1_is_not_a_refusal),
		TEST(quotas_of_project_and_regions_are_kept_with_their_use),
		TEST(a_list_of_quotas_is_small_and_written_once),
		TEST(tpu_limits_are_explicit_zero_or_default),
		TEST(where_cloud_quotas_is_not_enabled_the_older_api_is_asked),
		TEST(limits_are_kept_though_their_use_cannot_be_read),
		TEST(use_of_one_of_several_limits_is_not_told),
		TEST(each_machine_type_in_use_is_asked_for_once),
		TEST(types_of_machines_just_found_are_asked_for),
		TEST(idle_is_counted_from_the_last_work),
		TEST(the_busiest_worker_speaks_for_a_tpu),
		TEST(a_part_of_the_metrics_is_said_to_be_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
