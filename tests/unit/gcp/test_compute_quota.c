/* Quotas of Compute Engine: whole numbers out of doubles, and regions that do not tell. */
#include "gcp/quota/quota.h"

#include "base/str.h"
#include "tests/support/gcp_sync.h"
#include "tests/support/assert.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define P "my-project"
#define PROJECT "GET /compute/v1/projects/my-project?prettyPrint=false "
#define REGIONS "GET /compute/v1/projects/my-project/regions?maxResults=500"
#define PAGE(items) "{\"kind\":\"compute#regionList\",\"items\":[" items "]}"
#define Q(metric, limit, usage) \
	"{\"metric\":\"" metric "\",\"limit\":" limit ",\"usage\":" usage "}"
#define REGION(name, quotas) "{\"name\":\"" name "\",\"quotas\":[" quotas "]}"
#define UNSURE                                                         \
	"\"quotaStatusWarning\":{\"code\":\"QUOTA_INFO_UNAVAILABLE\"," \
	"\"message\":\"m\"}"

static enum err_code read_project(
	struct gcp_world *w, const char *body, struct gce_quotas *out)
{
	struct fault_step step = {.match = PROJECT, .body = body};

	world_open(w, &step, 1);
	return gce_project_quotas(w->g, P, &w->a, out, &w->e);
}

static enum err_code read_regions(
	struct gcp_world *w, const char *body, struct gce_quotas *out)
{
	struct fault_step step = {.match = REGIONS, .body = body};

	world_open(w, &step, 1);
	return gce_region_quotas(w->g, P, &w->a, out, &w->e);
}

static void assert_quota(const struct gce_quota *q, const char *location,
	const char *metric, int64_t limit, int64_t used)
{
	assert_string_equal(q->location, location);
	assert_string_equal(q->metric, metric);
	assert_i64_eq(q->limit, limit);
	assert_i64_eq(q->used, used);
}

/* ---- what is read -------------------------------------------------------- */

static void a_project_has_quotas_that_are_global(void **state)
{
	struct gce_quotas list = {0};
	struct gcp_world w;

	assert_ok(read_project(&w,
			  "{\"kind\":\"compute#project\",\"id\":\"7\",\"name\":\"" P
			  "\",\"quotas\":[" Q("CPUS_ALL_REGIONS", "32.0", "8.0") "," Q(
				  "GPUS_ALL_REGIONS", "0.0", "0.0") ",{\"metric\":"
								    "\"NETWORKS\"}]}",
			  &list),
		w.e);
	assert_i64_eq(list.n, 3);
	assert_i64_eq(list.r.pages, 1);
	assert_i64_eq(list.r.scopes.n, 0);
	assert_quota(&list.v[0], "global", "CPUS_ALL_REGIONS", 32, 8);
	assert_quota(&list.v[1], "global", "GPUS_ALL_REGIONS", 0, 0);
	assert_quota(&list.v[2], "global", "NETWORKS", 0, 0);
	assert_i64_eq(fault_count(w.s), 2); /* and the token */
	world_close(&w);
}

static void regions_of_all_pages_have_theirs(void **state)
{
	struct fault_step steps[] = {
		{.match = REGIONS "&pageToken=p%262&",
			.body = PAGE(
				REGION("us-central1", Q("CPUS", "96.0", "1.0")) "," REGION(
					"us-west4", Q("CPUS", "8.0", "8.0")))},
		{.match = REGIONS "&prettyPrint=false ",
			.body = "{\"kind\":\"k\",\"items\":[" REGION("us-central1",
				Q("CPUS", "24.0", "0.0") "," Q("SSD_TOTAL_GB", "500.0",
					"0.5")) "],\"nextPageToken\":\"p&2\"}"}};
	struct gce_quotas list = {0};
	struct gcp_world w;

	world_open(&w, steps, ARRAY_LEN(steps));
	assert_ok(gce_region_quotas(w.g, P, &w.a, &list, &w.e), w.e);
	assert_i64_eq(list.n, 3);
	assert_i64_eq(list.r.pages, 2);
	assert_i64_eq(list.r.repeated, 1); /* a region on both pages: the later one */
	assert_quota(&list.v[0], "us-central1", "CPUS", 96, 1);
	assert_quota(&list.v[1], "us-central1", "SSD_TOTAL_GB", 500, 1);
	assert_quota(&list.v[2], "us-west4", "CPUS", 8, 8);
	assert_i64_eq(list.r.scopes.n, 0);
	assert_i64_eq(fault_count_of(w.s, "GET "), 2);
	world_close(&w);
}

/* ---- numbers ------------------------------------------------------------- */

static void numbers_are_whole_and_on_the_careful_side(void **state)
{
	static const struct {
		const char *number;
		int64_t limit, used; /* used -1: it is refused */
	} cases[] = {
		{"0", 0, 0},
		{"-0.0", 0, 0},
		{"96.0", 96, 96},
		{"95.5", 95, 96},
		{"0.000000000001", 0, 1},
		{"1e3", 1000, 1000},
		{"null", 0, 0},
		{"\"24\"", 24, 24},
		{"\"24.5\"", 24, 25},
		/* beyond nine billion, where nano-units end */
		{"9223372036.5", 9223372036, 9223372037},
		{"10000000000.0", 10000000000, 10000000000},
		{"1.0E15", 1000000000000000, 1000000000000000},
		{"8999999999999999", 8999999999999999, 8999999999999999},
		{"9000000000000000", -1, 9000000000000000},
		/* the last that a double knows from its neighbours */
		{"9007199254740991", -1, 9007199254740991},
		{"\"9007199254740993\"", -1, 9007199254740993},
		{"9.2E18", -1, 9200000000000000000},
		{"9223372036854775807", -1, INT64_MAX},
		{"\"9223372036854775807\"", -1, INT64_MAX},
		{"9.223372036854776E18", -1, INT64_MAX},
		{"1e300", -1, INT64_MAX},
		{"\"Infinity\"", -1, INT64_MAX},
		{"-1.0", -1, -1},
		{"-0.5", -1, 0},
		{"-1e300", -1, -1},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sbuf limit = SBUF_INIT, used = SBUF_INIT;
		struct gce_quotas list = {0};
		struct gcp_world w;

		sbuf_addf(
			&limit, PAGE(REGION("r-1", Q("M", "%s", "0.0"))), cases[i].number);
		assert_ok(read_regions(&w, limit.s, &list), w.e);
		if (list.v[0].limit != cases[i].limit)
			fail_msg("limit %s is %lld", cases[i].number,
				(long long)list.v[0].limit);
		world_close(&w);
		list = (struct gce_quotas){0};
		sbuf_addf(&used, PAGE(REGION("r-1", Q("M", "1.0", "%s"))), cases[i].number);
		if (cases[i].used < 0) {
			enum err_code rc = read_regions(&w, used.s, &list);

			assert_err(rc, w.e, E_DATA, "field 'usage': negative");
		} else {
			assert_ok(read_regions(&w, used.s, &list), w.e);
			if (list.v[0].used != cases[i].used)
				fail_msg("usage %s is %lld", cases[i].number,
					(long long)list.v[0].used);
		}
		world_close(&w);
		sbuf_done(&limit);
		sbuf_done(&used);
	}
}

static void what_is_no_number_is_refused(void **state)
{
	static const char *const cases[] = {"true", "{}", "[]", "[1]", "\"\"", "\"many\"",
		"\"NaN\"", "\"-Infinity\"", "\"inf\"", "\"0x10\"", "\" 1\"", "\"1 \"",
		"\"1,5\"", "\"e\"", "\"1.5.2\"", "\"--1\""};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sbuf b = SBUF_INIT;
		struct gce_quotas list = {.n = 77};
		struct gcp_world w;
		enum err_code rc;

		sbuf_addf(&b,
			PAGE(REGION(
				"r-1", Q("GOOD", "1.0", "1.0") "," Q("M", "%s", "0.0"))),
			cases[i]);
		rc = read_regions(&w, b.s, &list);
		if (rc != E_DATA)
			fail_msg("%s was taken for a number", cases[i]);
		assert_err(rc, w.e, E_DATA,
			"page 1: r-1: quota 'M': field 'limit': not a number");
		assert_i64_eq(list.n, 77);
		sbuf_done(&b);
		world_close(&w);
	}
}

/* From 2^53 on doubles have gaps; this one is what some say when they mean "no limit". */
static void two_to_the_53_is_no_limit(void **state)
{
	struct gce_quotas list = {0};
	struct gcp_world w;

	assert_ok(read_regions(&w, PAGE(REGION("r-1", Q("M", "9007199254740992", "0.0"))),
			  &list),
		w.e);
	assert_quota(&list.v[0], "r-1", "M", -1, 0);
	world_close(&w);
}

/* ---- what is missing ----------------------------------------------------- */

static void regions_that_do_not_tell_are_named(void **state)
{
	static const char *const want[] = {"us-east1", "us-east4", "us-east5", "us-south1"};
	struct gce_quotas list = {0};
	struct gcp_world w;

	assert_ok(read_regions(&w,
			  PAGE(REGION("us-central1",
				  Q("CPUS", "24.0",
					  "0.0")) ","
						  "{\"name\":\"us-east1\"," UNSURE
						  "},{\"name\":\"us-east4\",\"quotas\":"
						  "null},{\"name\":\"us-east5\"},"
						  "{\"name\":\"us-south1\",\"quotas\":[" Q(
							  "CPUS", "8.0",
							  "1.0") "]," UNSURE
								 "},{\"name\":\"us-west1\","
								 "\"quotas\":[],"
								 "\"quotaStatusWarning\":"
								 "null}"),
			  &list),
		w.e);
	assert_i64_eq(list.n, 2);
	assert_quota(&list.v[0], "us-central1", "CPUS", 24, 0);
	assert_quota(&list.v[1], "us-south1", "CPUS", 8, 1);
	assert_i64_eq(list.r.scopes.n, ARRAY_LEN(want));
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		assert_string_equal(list.r.scopes.incomplete[i], want[i]);
	world_close(&w);
}

static void a_project_that_does_not_tell_is_incomplete(void **state)
{
	struct gce_quotas list = {.n = 77};
	struct gcp_world w;

	assert_ok(read_project(&w, "{\"kind\":\"k\",\"name\":\"" P "\"}", &list), w.e);
	assert_i64_eq(list.n, 0);
	assert_i64_eq(list.r.scopes.n, 1);
	assert_string_equal(list.r.scopes.incomplete[0], "global");
	world_close(&w);
}

static void a_list_may_be_empty_or_lack_regions(void **state)
{
	static const struct {
		const char *body;
		size_t missing;
	} cases[] = {
		{"{\"kind\":\"compute#regionList\"}", 0},
		{"{\"items\":[]}", 0},
		{"{\"kind\":\"k\",\"warning\":{\"code\":\"NO_RESULTS_ON_PAGE\"}}", 0},
		{"{\"kind\":\"k\",\"warning\":{\"code\":\"UNREACHABLE\"}}", 1},
		{"{\"kind\":\"k\",\"warning\":{}}", 1},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct gce_quotas list = {.n = 77};
		struct gcp_world w;

		assert_ok(read_regions(&w, cases[i].body, &list), w.e);
		assert_i64_eq(list.n, 0);
		assert_i64_eq(list.r.scopes.n, cases[i].missing);
		if (cases[i].missing)
			assert_string_equal(list.r.scopes.incomplete[0], "regions");
		world_close(&w);
	}
}

/* ---- answers that are wrong ---------------------------------------------- */

static void regions_that_read_wrong_are_refused(void **state)
{
	static const struct {
		const char *body, *part;
	} cases[] = {
		{"{}", "not a list of regions"},
		{"{\"items\":{}}", "field 'items'"},
		{"{\"kind\":\"k\",\"nextPageToken\":\"again\"}", "page token was repeated"},
		{PAGE("7"), "not an object"},
		{PAGE("{},7"), "field 'name'"},
		{PAGE(REGION("", "")), "field 'name'"},
		{PAGE(REGION("../x", "")), "field 'name'"},
		{PAGE(REGION("us east", "")), "field 'name'"},
		{PAGE("{\"name\":\"r-1\",\"quotas\":{}},7"), "r-1: 'r-1': field 'quotas'"},
		{PAGE(REGION("r-1", "7,{}")), "r-1: an item is not an object"},
		{PAGE(REGION("r-1", "{\"limit\":1.0},7")), "r-1: field 'metric'"},
		{PAGE(REGION("r-1", "{\"metric\":7}")), "r-1: field 'metric'"},
		{PAGE(REGION("r-1", "{\"metric\":\"A B\"}")),
			"r-1: field 'metric': not a valid quota name"},
		{PAGE(REGION("r-1", "{\"metric\":\"A\\nB\"}")),
			"r-1: field 'metric': not a valid quota name"},
		{PAGE(REGION("r-1", "{\"metric\":\"=A()\"}")),
			"r-1: field 'metric': not a valid quota name"},
		{PAGE(REGION("r-1", "{\"metric\":\"M\",\"usage\":-3.0}")),
			"r-1: quota 'M': field 'usage': negative"},
		{PAGE(REGION("r-1", "{\"metric\":\"M\",\"limit\":1e999}")), "JSON"},
		/* the first that is wrong is told, not the last */
		{PAGE(REGION("r-1", "{\"metric\":\"M\",\"limit\":\"x\"}") ",{}"),
			"r-1: quota 'M'"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct gce_quotas list = {.n = 77};
		struct gcp_world w;

		if (read_regions(&w, cases[i].body, &list) != E_DATA ||
			!str_starts(w.e.msg, "list regional quotas: ") ||
			!strstr(w.e.msg, cases[i].part))
			fail_msg("case %zu: %s", i, w.e.msg);
		assert_i64_eq(list.n, 77);
		assert_true(fault_count_of(w.s, "GET ") <= 2);
		world_close(&w);
	}
}

static void what_is_no_project_is_refused(void **state)
{
	static const struct {
		const char *body, *part;
	} cases[] = {
		{"{}", "not a project"},
		{"{\"quotas\":[]}", "not a project"},
		{"{\"name\":\"p\",\"quotas\":7}", "field 'quotas'"},
		{"{\"name\":\"p\",\"quotas\":[{\"metric\":\"M\",\"limit\":\"x\"}]}",
			"global: quota 'M': field 'limit'"},
		{"[]", ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct gce_quotas list = {.n = 77};
		struct gcp_world w;
		enum err_code rc = read_project(&w, cases[i].body, &list);

		assert_err(rc, w.e, E_DATA, cases[i].part);
		assert_true(str_starts(w.e.msg, "get project quotas: "));
		assert_i64_eq(list.n, 77);
		world_close(&w);
	}
}

/* ---- refusals ------------------------------------------------------------ */

static void page_two_failing_leaves_nothing(void **state)
{
	struct fault_step steps[] = {
		{.match = REGIONS,
			.times = 1,
			.body = "{\"kind\":\"k\",\"items\":[{\"name\":\"us-east1\"}],"
				"\"nextPageToken\":\"p2\"}"},
		{.match = REGIONS, .status = 403, .body = "{}"}};
	struct gce_quotas list = {.n = 77};
	struct gcp_world w;

	world_open(&w, steps, ARRAY_LEN(steps));
	assert_err(gce_region_quotas(w.g, P, &w.a, &list, &w.e), w.e, E_DENIED, "page 2");
	assert_contains(w.e.fix, "--role=roles/compute.viewer");
	assert_i64_eq(list.n, 77);
	assert_i64_eq(list.r.scopes.n, 0);
	world_close(&w);
}

static void an_api_that_is_off_has_no_quotas_of_zero(void **state)
{
	struct fault_step step = {.match = "GET /compute/",
		.status = 403,
		.body = "{\"error\":{\"code\":403,\"details\":[{\"@type\":"
			"\"type.googleapis.com/google.rpc.ErrorInfo\",\"reason\":"
			"\"SERVICE_DISABLED\",\"metadata\":{\"service\":"
			"\"compute.googleapis.com\"}}]}}"};
	struct gce_quotas list = {.n = 77};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_int_equal(gce_project_quotas(w.g, P, &w.a, &list, &w.e), E_DISABLED);
	assert_string_equal(w.e.fix,
		"run: gcloud services enable compute.googleapis.com --project my-project");
	assert_int_equal(gce_region_quotas(w.g, P, &w.a, &list, &w.e), E_DISABLED);
	assert_int_equal(gce_region_quotas(w.g, "../x", &w.a, &list, &w.e), E_CONFIG);
	assert_i64_eq(list.n, 77);
	assert_i64_eq(fault_count_of(w.s, "GET "), 2);
	world_close(&w);
}

static void both_run_at_the_same_time(void **state)
{
	/* one token, then two requests that have to be under way before any is answered */
	struct fault_step steps[] = {{.match = REGIONS,
					     .how = FAULT_RENDEZVOUS,
					     .count = 3,
					     .status = 404,
					     .body = "{}"},
		{.match = PROJECT,
			.how = FAULT_RENDEZVOUS,
			.count = 3,
			.body = "{\"name\":\"p\",\"quotas\":[" Q(
				"CPUS", "1.0", "0.0") "]}"}};
	struct gce_quotas project = {0}, regions = {0};
	struct gcp_world w;

	world_open(&w, steps, ARRAY_LEN(steps));
	list_start(&w, &gce_project_quota_listing, P, NULL, &project.r);
	list_start(&w, &gce_region_quota_listing, P, NULL, &regions.r);
	assert_int_equal(project.r.code, E_BUG); /* not run yet */
	assert_ok(gcp_run(w.g, &w.e), w.e);
	assert_int_equal(project.r.code, E_OK);
	assert_i64_eq(project.n, 1);
	assert_int_equal(regions.r.code, E_NOTFOUND);
	assert_i64_eq(regions.n, 0);
	world_close(&w);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_project_has_quotas_that_are_global),
		cmocka_unit_test(regions_of_all_pages_have_theirs),
		cmocka_unit_test(numbers_are_whole_and_on_the_careful_side),
		cmocka_unit_test(what_is_no_number_is_refused),
		cmocka_unit_test(two_to_the_53_is_no_limit),
		cmocka_unit_test(regions_that_do_not_tell_are_named),
		cmocka_unit_test(a_project_that_does_not_tell_is_incomplete),
		cmocka_unit_test(a_list_may_be_empty_or_lack_regions),
		cmocka_unit_test(regions_that_read_wrong_are_refused),
		cmocka_unit_test(what_is_no_project_is_refused),
		cmocka_unit_test(page_two_failing_leaves_nothing),
		cmocka_unit_test(an_api_that_is_off_has_no_quotas_of_zero),
		cmocka_unit_test(both_run_at_the_same_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
