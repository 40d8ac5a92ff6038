/* Snapshots of disks: what is read, and what is refused. */
#include "gcp/compute/compute.h"

#include "base/str.h"
#include "tests/support/gcp_sync.h"
#include "tests/support/assert.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define P "my-project"
#define LIST "GET /compute/v1/projects/my-project/global/snapshots?maxResults=500"
#define URL "https://www.googleapis.com/compute/v1/projects/my-project/"
#define LIST_BEGIN "{\"kind\":\"compute#snapshotList\",\"items\":["
#define PAGE(items) LIST_BEGIN items "]}"
#define SMALL(id, name) "{\"id\":\"" id "\",\"name\":\"" name "\"}"

static enum err_code ask(struct gcp_world *w, void *out)
{
	struct gce_snapshots *list = out;

	return gce_snapshots(w->g, P, &w->a, list, &w->e);
}

static const struct asked_list snapshots = {LIST, "list snapshots: ", ask};

/* ---- what is read -------------------------------------------------------- */

static void a_snapshot_is_read_with_all_its_parts(void **state)
{
	struct fault_step step = {.match = LIST "&prettyPrint=false ",
		.body = PAGE("{\"kind\":\"compute#snapshot\",\"id\":"
			     "\"18446744073709551615\",\"name\":\"nightly-1\",\"status\":"
			     "\"READY\",\"creationTimestamp\":"
			     "\"2026-02-20T03:11:09.123-08:00\",\"diskSizeGb\":\"250\","
			     "\"storageBytes\":\"9223372036854775807\","
			     "\"storageBytesStatus\":\"UP_TO_DATE\",\"sourceDisk\":\"" URL
			     "zones/europe-west4-a/disks/data-1\",\"sourceDiskId\":\"7\","
			     "\"storageLocations\":[\"eu\",\"europe-west4\"],"
			     "\"snapshotType\":\"ARCHIVE\",\"autoCreated\":true,"
			     "\"labels\":{\"owner\":\"ada\",\"env\":\"x\\\"y\"},"
			     "\"licenses\":[\"a\"],\"locationHint\":null}")};
	struct gce_snapshots list = {0};
	const struct gce_snapshot *s;
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_ok(ask(&w, &list), w.e);
	assert_i64_eq(list.n, 1);
	assert_i64_eq(list.r.pages, 1);
	assert_i64_eq(list.r.scopes.n, 0);
	s = &list.v[0];
	assert_string_equal(s->id, "18446744073709551615");
	assert_string_equal(s->name, "nightly-1");
	assert_string_equal(s->status, "READY");
	assert_string_equal(s->disk, "data-1");
	assert_string_equal(s->location, "eu");
	assert_i64_eq(s->n_storage_locations, 2);
	assert_string_equal(s->storage_locations[0], "eu");
	assert_string_equal(s->storage_locations[1], "europe-west4");
	assert_string_equal(s->type, "ARCHIVE");
	assert_i64_eq(s->storage_bytes, INT64_MAX);
	assert_ts_eq(s->created, 1771585869); /* 2026-02-20T11:11:09Z */
	assert_string_equal(s->labels, "{\"env\":\"x\\\"y\",\"owner\":\"ada\"}");
	/* nothing but the token and this list was asked for */
	assert_i64_eq(fault_count(w.s), 2);
	assert_i64_eq(fault_count_of(w.s, LIST), 1);
	world_close(&w);
}

static void what_is_absent_has_a_plain_value(void **state)
{
	struct gce_snapshots list = {0};
	const struct gce_snapshot *s;
	struct gcp_world w;

	assert_ok(list_ask(&snapshots, &w, "", PAGE(SMALL("7", "bare")), "", &list), w.e);
	assert_i64_eq(list.n, 1);
	s = &list.v[0];
	assert_string_equal(s->status, "");
	assert_string_equal(s->disk, "");
	assert_string_equal(s->location, "");
	assert_i64_eq(s->n_storage_locations, 0);
	assert_string_equal(s->type, "");
	assert_i64_eq(s->storage_bytes, -1);
	assert_true(s->created == TS_NONE);
	assert_string_equal(s->labels, "{}");
	world_close(&w);
}

static void the_disk_is_zonal_or_regional_or_unknown(void **state)
{
	static const struct {
		const char *source, *disk;
	} cases[] = {
		{"\"" URL "zones/us-central1-a/disks/d1\"", "d1"},
		{"\"" URL "regions/us-central1/disks/d2\"", "d2"},
		{"\"projects/p/zones/us-west4-a/disks/d3\"", "d3"},
		{"\"d4\"", "d4"},
		{"\"\"", ""},
		{"null", ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sbuf b = SBUF_INIT;
		struct gce_snapshots list = {0};
		struct gcp_world w;

		sbuf_addf(&b, PAGE("{\"id\":\"1\",\"name\":\"s\",\"sourceDisk\":%s}"),
			cases[i].source);
		assert_ok(list_ask(&snapshots, &w, "", b.s, "", &list), w.e);
		assert_i64_eq(list.n, 1);
		assert_string_equal(list.v[0].disk, cases[i].disk);
		sbuf_done(&b);
		world_close(&w);
	}
}

static void states_and_types_of_tomorrow_are_kept_as_they_are(void **state)
{
	struct gce_snapshots list = {0};
	struct gcp_world w;

	assert_ok(list_ask(&snapshots, &w, "",
			  PAGE("{\"id\":\"1\",\"name\":\"s\",\"status\":\"HIBERNATING\","
			       "\"snapshotType\":\"GLACIAL\"}"),
			  "", &list),
		w.e);
	assert_string_equal(list.v[0].status, "HIBERNATING");
	assert_string_equal(list.v[0].type, "GLACIAL");
	world_close(&w);
}

/* ---- pages --------------------------------------------------------------- */

static void pages_are_merged_and_the_latest_of_a_repeated_item_wins(void **state)
{
	struct fault_step steps[] = {
		{.match = LIST "&pageToken=p%262&",
			.body = PAGE(
				"{\"id\":\"2\",\"name\":\"b\",\"status\":\"READY\"}," SMALL(
					"3", "c"))},
		{.match = LIST "&pretty",
			.body = "{\"kind\":\"k\",\"items\":[" SMALL("1",
				"a") ","
				     "{\"id\":\"2\",\"name\":\"b\",\"status\":\"CREATING\","
				     "\"storageBytes\":\"5\"}],\"nextPageToken\":\"p&"
				     "2\"}"}};
	struct gce_snapshots list = {0};
	struct gcp_world w;

	world_open(&w, steps, ARRAY_LEN(steps));
	assert_ok(ask(&w, &list), w.e);
	assert_i64_eq(list.n, 3);
	assert_i64_eq(list.r.pages, 2);
	assert_i64_eq(list.r.repeated, 1);
	assert_string_equal(list.v[0].name, "a");
	assert_string_equal(list.v[1].name, "b");
	assert_string_equal(list.v[1].status, "READY");
	assert_i64_eq(list.v[1].storage_bytes, -1); /* nothing of the older one is left */
	assert_string_equal(list.v[2].name, "c");
	assert_i64_eq(fault_count_of(w.s, "GET "), 2);
	world_close(&w);
}

static void an_empty_list_says_that_it_is_one(void **state)
{
	static const char *const bodies[] = {
		"{\"kind\":\"compute#snapshotList\",\"id\":\"projects/p/global/"
		"snapshots\"}",
		"{\"kind\":\"compute#snapshotList\",\"items\":[]}",
		"{\"items\":[],\"nextPageToken\":\"\"}",
		"{\"kind\":\"k\",\"warning\":{\"code\":\"NO_RESULTS_ON_PAGE\"}}",
		"{\"kind\":\"k\",\"items\":null,\"warning\":null}",
	};

	list_empty(&snapshots, bodies, ARRAY_LEN(bodies));
}

static void a_warning_makes_the_list_a_part(void **state)
{
	static const char *const warnings[] = {"{\"code\":\"UNREACHABLE\"}",
		"{\"code\":\"SOMETHING_NEW\",\"message\":\"m\"}", "{}"};

	for (size_t i = 0; i < ARRAY_LEN(warnings); i++) {
		struct sbuf b = SBUF_INIT;
		struct gce_snapshots list = {0};
		struct gcp_world w;

		sbuf_addf(&b,
			"{\"kind\":\"k\",\"items\":[" SMALL("1", "a") "],\"warning\":%s}",
			warnings[i]);
		assert_ok(list_ask(&snapshots, &w, "", b.s, "", &list), w.e);
		assert_i64_eq(list.n, 1);
		assert_i64_eq(list.r.scopes.n, 1);
		assert_string_equal(list.r.scopes.incomplete[0], "global");
		sbuf_done(&b);
		world_close(&w);
	}
}

static void what_is_no_list_or_never_ends_is_refused(void **state)
{
	static const struct list_fault cases[] = {
		{"{}", "not a list of snapshots"},
		{"{\"items\":{}}", "'items'"},
		{"{\"items\":\"a\"}", "'items'"},
		{"{\"kind\":\"k\",\"items\":[7]}", "not an object"},
		{"{\"kind\":\"k\",\"items\":[", "JSON"},
		{"{\"kind\":\"k\",\"items\":[],\"items\":[]}", "JSON"},
		{"{\"kind\":\"k\",\"nextPageToken\":\"again\"}", "page token was repeated"},
	};

	list_spoiled(&snapshots, "list snapshots: ", "", "", cases, ARRAY_LEN(cases));
}

static void a_member_that_reads_wrong_spoils_the_list(void **state)
{
	static const struct list_fault cases[] = {
		{"\"name\":\"n\"", "'n': field 'id'"},
		{"\"id\":\"x\",\"name\":\"n\"", "'n': field 'id'"},
		{"\"id\":\"184467440737095516150\",\"name\":\"n\"", "'n': field 'id'"},
		{"\"id\":9007199254740993,\"name\":\"n\"", "'n': field 'id'"},
		{"\"ID\":\"1\",\"name\":\"n\"", "'n': field 'id'"},
		{"\"id\":\"1\"", "field 'name'"},
		{"\"id\":\"1\",\"name\":7", "field 'name'"},
		{"\"id\":\"1\",\"name\":\"\"", "field 'name'"},
		{"\"id\":\"1\",\"name\":\"../a\"", "field 'name'"},
		{"\"id\":\"1\",\"name\":\"a b\"", "field 'name'"},
		{"\"id\":\"1\",\"name\":\"a$(id)\"", "field 'name'"},
		{"\"id\":\"1\",\"name\":\"a\\nb\"", "field 'name'"},
		{"\"id\":\"1\",\"name\":\"<script>\"", "field 'name'"},
		{"\"id\":\"1\",\"name\":\"a\\u0000b\"", "JSON"},
		{"\"id\":\"1\",\"name\":\"n\",\"status\":{}", "'n': field 'status'"},
		{"\"id\":\"1\",\"name\":\"n\",\"storageBytes\":\"-5\"",
			"'n': field 'storageBytes': negative"},
		{"\"id\":\"1\",\"name\":\"n\",\"storageBytes\":\"9223372036854775808\"",
			"'n': field 'storageBytes'"},
		{"\"id\":\"1\",\"name\":\"n\",\"storageBytes\":1.5",
			"'n': field 'storageBytes'"},
		{"\"id\":\"1\",\"name\":\"n\",\"sourceDisk\":7", "'n': field 'sourceDisk'"},
		{"\"id\":\"1\",\"name\":\"n\",\"storageLocations\":\"us\"",
			"'n': field 'storageLocations'"},
		{"\"id\":\"1\",\"name\":\"n\",\"storageLocations\":[7]",
			"'n': field 'storageLocations'"},
		{"\"id\":\"1\",\"name\":\"n\",\"storageLocations\":[\"us\",\"../x\"]",
			"'n': field 'storageLocations'"},
		{"\"id\":\"1\",\"name\":\"n\",\"creationTimestamp\":\"2026-02-30T00:00:"
		 "00Z\"",
			"'n': field 'creationTimestamp'"},
		{"\"id\":\"1\",\"name\":\"n\",\"labels\":[]", "'n': field 'labels'"},
		{"\"id\":\"1\",\"name\":\"n\",\"labels\":{\"a\":1}", "'n': field 'labels'"},
	};

	/* it is not the last one that is remembered, but the first that is wrong */
	list_spoiled(&snapshots, "list snapshots: ", LIST_BEGIN SMALL("8", "good") ",{",
		"},7]}", cases, ARRAY_LEN(cases));
}

/* ---- refusals ------------------------------------------------------------ */

static void page_two_failing_leaves_nothing(void **state)
{
	struct fault_step steps[] = {
		{.match = LIST,
			.times = 1,
			.body = "{\"kind\":\"k\",\"items\":[" SMALL(
				"1", "a") "],"
					  "\"nextPageToken\":\"p2\",\"warning\":{\"code\":"
					  "\"X\"}}"},
		{.match = LIST, .status = 403, .body = "{}"}};
	struct gce_snapshots list = {.n = 77};
	struct gcp_world w;

	world_open(&w, steps, ARRAY_LEN(steps));
	assert_err(ask(&w, &list), w.e, E_DENIED, "page 2");
	assert_string_equal(w.e.fix,
		"run: gcloud projects add-iam-policy-binding my-project --member="
		"serviceAccount:" WORLD_EMAIL " --role=roles/compute.viewer");
	assert_i64_eq(list.n, 77);
	world_close(&w);
}

static void an_api_that_is_off_is_no_empty_list(void **state)
{
	struct fault_step step = {.match = LIST,
		.status = 403,
		.body = "{\"error\":{\"code\":403,\"message\":\"Compute Engine API has not "
			"been used\",\"details\":[{\"@type\":\"type.googleapis.com/"
			"google.rpc.ErrorInfo\",\"reason\":\"SERVICE_DISABLED\","
			"\"metadata\":{\"service\":\"compute.googleapis.com\"}}]}}"};
	struct gce_snapshots list = {.n = 77};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_err(ask(&w, &list), w.e, E_DISABLED, "list snapshots: ");
	assert_string_equal(w.e.fix,
		"run: gcloud services enable compute.googleapis.com --project my-project");
	assert_i64_eq(list.n, 77);
	assert_i64_eq(fault_count_of(w.s, "GET "), 1); /* asking again would not help */
	world_close(&w);
}

static void a_project_that_is_none_is_not_asked_for(void **state)
{
	struct gce_snapshots list = {0};
	struct gcp_world w;

	world_open(&w, NULL, 0);
	assert_int_equal(gce_snapshots(w.g, "../x", &w.a, &list, &w.e), E_CONFIG);
	assert_i64_eq(fault_count(w.s), 0);
	world_close(&w);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_snapshot_is_read_with_all_its_parts),
		cmocka_unit_test(what_is_absent_has_a_plain_value),
		cmocka_unit_test(the_disk_is_zonal_or_regional_or_unknown),
		cmocka_unit_test(states_and_types_of_tomorrow_are_kept_as_they_are),
		cmocka_unit_test(pages_are_merged_and_the_latest_of_a_repeated_item_wins),
		cmocka_unit_test(an_empty_list_says_that_it_is_one),
		cmocka_unit_test(a_warning_makes_the_list_a_part),
		cmocka_unit_test(what_is_no_list_or_never_ends_is_refused),
		cmocka_unit_test(a_member_that_reads_wrong_spoils_the_list),
		cmocka_unit_test(page_two_failing_leaves_nothing),
		cmocka_unit_test(an_api_that_is_off_is_no_empty_list),
		cmocka_unit_test(a_project_that_is_none_is_not_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
