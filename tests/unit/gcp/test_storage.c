/* Buckets: what is read, and what is refused. */
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
#define LIST "GET /storage/v1/b?project=my-project&maxResults=500"
#define LIST_BEGIN "{\"kind\":\"storage#buckets\",\"items\":["
#define PAGE(items) LIST_BEGIN items "]}"
#define SMALL(name, location) "{\"name\":\"" name "\",\"location\":\"" location "\"}"

static enum err_code ask(struct gcp_world *w, void *out)
{
	struct gcs_buckets *list = out;

	return gcs_buckets(w->g, P, &w->a, list, &w->e);
}

static const struct asked_list buckets = {LIST, "list buckets: ", ask};

/* ---- what is read -------------------------------------------------------- */

static void a_bucket_is_read_with_all_its_parts(void **state)
{
	struct fault_step step = {.match = LIST "&prettyPrint=false ",
		.body = PAGE("{\"kind\":\"storage#bucket\",\"id\":\"data.example.com\","
			     "\"name\":\"data.example.com\",\"projectNumber\":"
			     "\"123456789012\",\"location\":\"EUROPE-WEST4\","
			     "\"locationType\":\"region\",\"storageClass\":\"NEARLINE\","
			     "\"timeCreated\":\"2026-02-20T11:11:09.123Z\",\"labels\":"
			     "{\"team\":\"x\",\"owner\":\"ada\"},\"metageneration\":\"1\","
			     "\"iamConfiguration\":{\"a\":{\"enabled\":true}}}")};
	struct gcs_buckets list = {0};
	const struct gcs_bucket *b;
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_ok(ask(&w, &list), w.e);
	assert_i64_eq(list.n, 1);
	assert_i64_eq(list.r.pages, 1);
	assert_i64_eq(list.r.scopes.n, 0);
	b = &list.v[0];
	assert_string_equal(b->name, "data.example.com");
	assert_string_equal(b->location, "europe-west4");
	assert_string_equal(b->location_type, "region");
	assert_string_equal(b->storage_class, "NEARLINE");
	assert_string_equal(b->project_number, "123456789012");
	assert_ts_eq(b->created, 1771585869);
	assert_string_equal(b->labels, "{\"owner\":\"ada\",\"team\":\"x\"}");
	assert_i64_eq(fault_count(w.s), 2); /* and the token */
	assert_i64_eq(fault_count_of(w.s, LIST), 1);
	world_close(&w);
}

static void what_is_absent_has_a_plain_value(void **state)
{
	struct gcs_buckets list = {0};
	const struct gcs_bucket *b;
	struct gcp_world w;

	assert_ok(list_ask(&buckets, &w, "", PAGE(SMALL("abc", "us")), "", &list), w.e);
	assert_i64_eq(list.n, 1);
	b = &list.v[0];
	assert_string_equal(b->location_type, "");
	assert_string_equal(b->storage_class, "");
	assert_string_equal(b->project_number, "");
	assert_true(b->created == TS_NONE);
	assert_string_equal(b->labels, "{}");
	world_close(&w);
}

static void places_are_in_small_letters(void **state)
{
	static const char *const cases[][2] = {{"US", "us"}, {"NAM4", "nam4"},
		{"EUR4", "eur4"}, {"us-central1", "us-central1"},
		{"ASIA-NORTHEAST1", "asia-northeast1"}, {"Us-East1", "us-east1"}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sbuf b = SBUF_INIT;
		struct gcs_buckets list = {0};
		struct gcp_world w;

		sbuf_addf(&b, PAGE(SMALL("abc", "%s")), cases[i][0]);
		assert_ok(list_ask(&buckets, &w, "", b.s, "", &list), w.e);
		assert_string_equal(list.v[0].location, cases[i][1]);
		sbuf_done(&b);
		world_close(&w);
	}
}

/* ---- names --------------------------------------------------------------- */

/* `n` times the same letter. Heap. */
static char *letters(char c, size_t n)
{
	char *s = xcalloc(n + 1, 1);

	memset(s, c, n);
	return s;
}

static enum err_code read_name(
	struct gcp_world *w, const char *name, struct gcs_buckets *out)
{
	struct sbuf b = SBUF_INIT;
	enum err_code rc;

	sbuf_adds(&b, "{\"kind\":\"k\",\"items\":[{\"location\":\"us\",\"name\":");
	sbuf_add_json(&b, name);
	sbuf_adds(&b, "}]}");
	rc = list_ask(&buckets, w, "", b.s, "", out);
	sbuf_done(&b);
	return rc;
}

static void only_what_can_be_a_bucket_is_one(void **state)
{
	char *longest = letters('a', 222), *longer = letters('a', 223);
	const struct {
		const char *name;
		bool good;
	} cases[] = {
		{"abc", true},
		{"my_data-2.example.com", true},
		{"0123", true},
		{longest, true},
		{longer, false},
		{"ab", false},
		{"", false},
		{"A-bucket", false},
		{"a bucket", false},
		{"a/bucket", false},
		{"abc\nx", false},
		{"abc;rm", false},
		{"=cmd()", false},
		{"<b>abc</b>", false},
		{"abc\x1b[31m", false},
		{"b\xc3\xbc"
		 "cket",
			false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct gcs_buckets list = {.n = 77};
		struct gcp_world w;
		enum err_code rc = read_name(&w, cases[i].name, &list);

		if (rc != (cases[i].good ? E_OK : E_DATA))
			fail_msg("case %zu: %s", i, w.e.msg);
		if (cases[i].good)
			assert_string_equal(list.v[0].name, cases[i].name);
		else
			assert_contains(w.e.msg, "field 'name'");
		assert_i64_eq(list.n, cases[i].good ? 1 : 77);
		world_close(&w);
	}
	free(longest);
	free(longer);
}

/* ---- pages --------------------------------------------------------------- */

static void pages_are_merged_and_the_latest_of_a_repeated_item_wins(void **state)
{
	struct fault_step steps[] = {
		{.match = LIST "&pageToken=p%262&",
			.body = PAGE(SMALL("bbb", "EU") "," SMALL("ccc", "US"))},
		{.match = LIST "&pretty",
			.body = "{\"kind\":\"k\",\"items\":[" SMALL(
				"aaa", "US") ","
					     "{\"name\":\"bbb\",\"location\":\"US\","
					     "\"storageClass\":"
					     "\"STANDARD\"}],\"nextPageToken\":\"p&2\"}"}};
	struct gcs_buckets list = {0};
	struct gcp_world w;

	world_open(&w, steps, ARRAY_LEN(steps));
	assert_ok(ask(&w, &list), w.e);
	assert_i64_eq(list.n, 3);
	assert_i64_eq(list.r.pages, 2);
	assert_i64_eq(list.r.repeated, 1);
	assert_string_equal(list.v[0].name, "aaa");
	assert_string_equal(list.v[1].name, "bbb");
	assert_string_equal(list.v[1].location, "eu");
	assert_string_equal(list.v[1].storage_class, "");
	assert_string_equal(list.v[2].name, "ccc");
	assert_i64_eq(fault_count_of(w.s, "GET "), 2);
	world_close(&w);
}

static void an_empty_list_says_that_it_is_one(void **state)
{
	static const char *const bodies[] = {"{\"kind\":\"storage#buckets\"}",
		"{\"kind\":\"storage#buckets\",\"items\":[],\"unreachable\":[]}",
		"{\"items\":[],\"nextPageToken\":\"\"}",
		"{\"kind\":\"k\",\"items\":null,\"unreachable\":null}"};

	list_empty(&buckets, bodies, ARRAY_LEN(bodies));
}

static void buckets_out_of_reach_make_the_list_a_part(void **state)
{
	struct fault_step steps[] = {{.match = LIST "&pageToken=2&",
					     .body = "{\"kind\":\"k\",\"unreachable\":["
						     "\"projects/_/buckets/c\"]}"},
		{.match = LIST "&pretty",
			.body = "{\"kind\":\"k\",\"items\":[" SMALL(
				"aaa", "US") "],\"unreachable\":[\"projects/_/buckets/b\"],"
					     "\"nextPageToken\":\"2\"}"}};
	struct gcs_buckets list = {0};
	struct gcp_world w;

	world_open(&w, steps, ARRAY_LEN(steps));
	assert_ok(ask(&w, &list), w.e);
	assert_i64_eq(list.n, 1);
	assert_i64_eq(list.r.scopes.n, 1);
	assert_string_equal(list.r.scopes.incomplete[0], "buckets");
	world_close(&w);
}

static void what_is_no_list_or_never_ends_is_refused(void **state)
{
	static const struct list_fault cases[] = {
		{"{}", "not a list of buckets"},
		{"{\"items\":{}}", "'items'"},
		{"{\"kind\":\"k\",\"items\":[7]}", "not an object"},
		{"{\"kind\":\"k\",\"unreachable\":{}}", "'unreachable'"},
		{"{\"kind\":\"k\",\"unreachable\":\"projects/_/buckets/b\"}",
			"'unreachable'"},
		{"{\"kind\":\"k\",\"items\":[", "JSON"},
		{"{\"kind\":\"k\",\"nextPageToken\":\"again\"}", "page token was repeated"},
	};

	list_spoiled(&buckets, "list buckets: ", "", "", cases, ARRAY_LEN(cases));
}

static void a_member_that_reads_wrong_spoils_the_list(void **state)
{
	static const struct list_fault cases[] = {
		{"\"location\":\"US\"", "field 'name': missing"},
		{"\"NAME\":\"abc\",\"location\":\"US\"", "field 'name': missing"},
		{"\"name\":7,\"location\":\"US\"", "field 'name'"},
		{"\"name\":\"abc\"", "'abc': field 'location': missing"},
		{"\"name\":\"abc\",\"location\":\"\"", "'abc': field 'location'"},
		{"\"name\":\"abc\",\"location\":7", "'abc': field 'location'"},
		{"\"name\":\"abc\",\"location\":\"../US\"",
			"'abc': field 'location': not a valid location"},
		{"\"name\":\"abc\",\"location\":\"US EAST\"", "'abc': field 'location'"},
		{"\"name\":\"abc\",\"location\":\"US\",\"locationType\":{}",
			"'abc': field 'locationType'"},
		{"\"name\":\"abc\",\"location\":\"US\",\"storageClass\":1",
			"'abc': field 'storageClass'"},
		{"\"name\":\"abc\",\"location\":\"US\",\"projectNumber\":\"p-1\"",
			"'abc': field 'projectNumber'"},
		{"\"name\":\"abc\",\"location\":\"US\",\"timeCreated\":\"yesterday\"",
			"'abc': field 'timeCreated'"},
		{"\"name\":\"abc\",\"location\":\"US\",\"labels\":\"x\"",
			"'abc': field 'labels'"},
		{"\"name\":\"abc\",\"location\":\"US\",\"labels\":{\"a\":null}",
			"'abc': field 'labels'"},
		{"\"name\":\"abc\",\"name\":\"abd\",\"location\":\"US\"", "JSON"},
		{"\"name\":\"ab\\u0000c\",\"location\":\"US\"", "JSON"},
	};

	/* it is not the last one that is remembered, but the first that is wrong */
	list_spoiled(&buckets, "list buckets: ", LIST_BEGIN SMALL("good", "US") ",{",
		"},7]}", cases, ARRAY_LEN(cases));
}

/* ---- refusals ------------------------------------------------------------ */

static void page_two_failing_leaves_nothing(void **state)
{
	struct fault_step steps[] = {
		{.match = LIST,
			.times = 1,
			.body = "{\"kind\":\"k\",\"items\":[" SMALL("aaa",
				"US") "],"
				      "\"nextPageToken\":\"p2\",\"unreachable\":[\"x\"]}"},
		{.match = LIST,
			.status = 403,
			.body = "{\"error\":{\"code\":403,\"message\":\"ada does not have "
				"storage.buckets.list access\",\"errors\":[{\"reason\":"
				"\"forbidden\"}]}}"}};
	struct gcs_buckets list = {.n = 77};
	struct gcp_world w;

	world_open(&w, steps, ARRAY_LEN(steps));
	assert_err(ask(&w, &list), w.e, E_DENIED, "page 2");
	assert_contains(w.e.msg, "storage.buckets.list");
	assert_string_equal(w.e.fix,
		"run: gcloud projects add-iam-policy-binding my-project --member="
		"serviceAccount:" WORLD_EMAIL " --role=roles/storage.bucketViewer");
	assert_i64_eq(list.n, 77);
	world_close(&w);
}

static void an_api_that_is_off_is_no_empty_list(void **state)
{
	struct fault_step step = {.match = LIST,
		.status = 403,
		.body = "{\"error\":{\"code\":403,\"message\":\"Cloud Storage JSON API has "
			"not been used\",\"details\":[{\"@type\":\"type.googleapis.com/"
			"google.rpc.ErrorInfo\",\"reason\":\"SERVICE_DISABLED\","
			"\"metadata\":{\"service\":\"storage.googleapis.com\"}}]}}"};
	struct gcs_buckets list = {.n = 77};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_err(ask(&w, &list), w.e, E_DISABLED, "list buckets: ");
	assert_string_equal(w.e.fix,
		"run: gcloud services enable storage.googleapis.com --project my-project");
	assert_i64_eq(list.n, 77);
	assert_i64_eq(fault_count_of(w.s, "GET "), 1);
	world_close(&w);
}

/* The project goes into the query: it must not bring other parameters with it. */
static void a_project_that_is_none_is_not_asked_for(void **state)
{
	static const char *const projects[] = {"p&prefix=x", "../x", "", "A b"};
	struct gcs_buckets list = {0};
	struct gcp_world w;

	world_open(&w, NULL, 0);
	for (size_t i = 0; i < ARRAY_LEN(projects); i++)
		assert_int_equal(
			gcs_buckets(w.g, projects[i], &w.a, &list, &w.e), E_CONFIG);
	assert_i64_eq(fault_count(w.s), 0);
	world_close(&w);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bucket_is_read_with_all_its_parts),
		cmocka_unit_test(what_is_absent_has_a_plain_value),
		cmocka_unit_test(places_are_in_small_letters),
		cmocka_unit_test(only_what_can_be_a_bucket_is_one),
		cmocka_unit_test(pages_are_merged_and_the_latest_of_a_repeated_item_wins),
		cmocka_unit_test(an_empty_list_says_that_it_is_one),
		cmocka_unit_test(buckets_out_of_reach_make_the_list_a_part),
		cmocka_unit_test(what_is_no_list_or_never_ends_is_refused),
		cmocka_unit_test(a_member_that_reads_wrong_spoils_the_list),
		cmocka_unit_test(page_two_failing_leaves_nothing),
		cmocka_unit_test(an_api_that_is_off_is_no_empty_list),
		cmocka_unit_test(a_project_that_is_none_is_not_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
