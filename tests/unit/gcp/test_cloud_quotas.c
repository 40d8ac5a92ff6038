/* Limits as Cloud Quotas tells them: grants of zones, zones of 0, defaults. */
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
#define TPU "tpu.googleapis.com"
#define V3 "TPUV3sPerProjectPerZoneForTPUAPI"
#define LIST                                                         \
	"GET /v1/projects/my-project/locations/global/services/" TPU \
	"/quotaInfos?pageSize=500"

static enum err_code ask(struct gcp_world *w, void *out)
{
	struct quota_list *list = out;

	return cloud_quotas(w->g, P, TPU, &w->a, list, &w->e);
}

static const struct asked_list quotas = {LIST, "list quotas: ", ask};
#define VALUES_BEGIN \
	"{\"quotaInfos\":[{\"quotaId\":\"Q\",\"metric\":\"m\",\"dimensionsInfos\":["
#define VALUES_END "]}]}"

/* A list of one quota with these values; the world is open afterwards. */
static enum err_code read_values(
	struct gcp_world *w, const char *values, struct quota_list *out)
{
	return list_ask(&quotas, w, VALUES_BEGIN, values, VALUES_END, out);
}

/* ---- what is said -------------------------------------------------------- */

static void a_quota_is_read_with_all_its_parts(void **state)
{
	struct fault_step step = {.match = LIST "&prettyPrint=false ",
		.body = "{\"quotaInfos\":[{\"name\":\"projects/123456789012/locations/"
			"global/services/" TPU "/quotaInfos/" V3 "\",\"quotaId\":\"" V3
			"\",\"metric\":\"" TPU "/tpu-v3s\",\"service\":\"" TPU
			"\",\"isPrecise\":true,\"containerType\":\"PROJECT\","
			"\"dimensions\":[\"zone\"],\"metricDisplayName\":\"TPU v3\","
			"\"metricUnit\":\"1\",\"quotaIncreaseEligibility\":{"
			"\"isEligible\":true},\"dimensionsInfos\":[{\"dimensions\":{"
			"\"zone\":\"europe-west4-a\"},\"details\":{\"value\":\"40\","
			"\"rolloutInfo\":{\"ongoingRollout\":true}},"
			"\"applicableLocations\":[\"europe-west4-a\"]},{\"dimensions\":"
			"{\"zone\":\"us-west4-a\"},\"details\":{},"
			"\"applicableLocations\":[\"us-west4-a\"]},{\"details\":{"
			"\"value\":\"8\"},\"applicableLocations\":[\"us-central1-a\","
			"\"us-east1-c\"]}]}],\"nextPageToken\":\"\"}"};
	struct quota_list list = {0};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_ok(ask(&w, &list), w.e);
	assert_string_equal(quota_text(&w.a, &list),
		"europe-west4-a {} 40\n"
		"us-west4-a {} 0\n"
		"us-central1-a {} 8 default\n"
		"us-east1-c {} 8 default\n");
	for (size_t i = 0; i < list.n; i++) {
		assert_string_equal(list.v[i].quota_id, V3);
		assert_string_equal(list.v[i].metric, TPU "/tpu-v3s");
	}
	assert_i64_eq(list.r.pages, 1);
	assert_i64_eq(list.r.scopes.n, 0);
	assert_i64_eq(fault_count_of(w.s, "GET "), 1);
	world_close(&w);
}

static void values_are_read_as_they_are_meant(void **state)
{
	static const struct {
		const char *values, *want;
	} cases[] = {
		{"", ""},
		/* what is 0 is left out, at any depth */
		{"{\"dimensions\":{\"zone\":\"a-1\"},\"details\":{}}", "a-1 {} 0\n"},
		{"{\"dimensions\":{\"zone\":\"a-1\"}}", "a-1 {} 0\n"},
		{"{\"dimensions\":{\"zone\":\"a-1\"},\"details\":null}", "a-1 {} 0\n"},
		{"{\"dimensions\":{\"zone\":\"a-1\"},\"details\":{\"value\":\"0\"}}",
			"a-1 {} 0\n"},
		{"{}", "global {} 0 default\n"},
		/* unlimited, large, and a number where text is usual */
		{"{\"details\":{\"value\":\"-1\"}}", "global {} -1 default\n"},
		{"{\"details\":{\"value\":\"9223372036854775807\"}}",
			"global {} 9223372036854775807 default\n"},
		{"{\"details\":{\"value\":64}}", "global {} 64 default\n"},
		{"{\"details\":{\"value\":\"7\"},\"dimensions\":{},"
		 "\"applicableLocations\":[]}",
			"global {} 7 default\n"},
		{"{\"details\":{\"value\":\"7\"},\"applicableLocations\":[\"global\"]}",
			"global {} 7 default\n"},
		/* a grant that names its location has it from there alone */
		{"{\"dimensions\":{\"region\":\"us-east1\"},\"details\":{\"value\":\"3\"},"
		 "\"applicableLocations\":[\"us-east1\",\"us-east1-b\"]}",
			"us-east1 {} 3\n"},
		{"{\"dimensions\":{\"location\":\"eu\"},\"details\":{\"value\":\"3\"}}",
			"eu {} 3\n"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct quota_list list = {.n = 9};
		struct gcp_world w;

		assert_ok(read_values(&w, cases[i].values, &list), w.e);
		if (!str_eq(quota_text(&w.a, &list), cases[i].want))
			fail_msg("case %zu: %s", i, quota_text(&w.a, &list));
		world_close(&w);
	}
}

static void other_dimensions_are_told_with_sorted_keys(void **state)
{
	static const char values[] =
		"{\"dimensions\":{\"vm_family\":\"CT5LP\",\"region\":\"us-east1\","
		"\"gpu_family\":\"N \\\"1\\\"\"},\"details\":{\"value\":\"1\"}},"
		"{\"dimensions\":{\"zone\":\"us-east1-b\",\"region\":\"us-east1\","
		"\"tpu_family\":\"CT6E\"},\"details\":{\"value\":\"2\"}},"
		"{\"dimensions\":{\"tpu_family\":\"CT6E\"},\"details\":{\"value\":\"3\"},"
		"\"applicableLocations\":[\"us-east1\",\"us-west1\"]},"
		"{\"dimensions\":{\"region\":\"us-east1\"},\"details\":{\"value\":\"4\"}},"
		"{\"details\":{\"value\":\"5\"},\"applicableLocations\":[\"us-east1\","
		"\"us-west1\"]}";
	struct quota_list list = {0};
	struct gcp_world w;

	assert_ok(read_values(&w, values, &list), w.e);
	assert_string_equal(quota_text(&w.a, &list),
		"us-east1 {\"gpu_family\":\"N \\\"1\\\"\",\"vm_family\":\"CT5LP\"} 1\n"
		"us-east1-b {\"region\":\"us-east1\",\"tpu_family\":\"CT6E\"} 2\n"
		"us-east1 {} 4\n"
		"us-east1 {\"tpu_family\":\"CT6E\"} 3\n"
		"us-west1 {\"tpu_family\":\"CT6E\"} 3\n"
		"us-west1 {} 5 default\n");
	world_close(&w);
}

/* Google lists the most specific first; if it ever did not, a grant is still a grant. */
static void a_zone_of_its_own_beats_the_default(void **state)
{
	static const char grant[] = "{\"dimensions\":{\"zone\":\"a-1\"},\"details\":{"
				    "\"value\":\"40\"},\"applicableLocations\":[\"a-1\"]}";
	static const char none[] = "{\"dimensions\":{\"zone\":\"a-2\"},\"details\":{}}";
	static const char rest[] =
		"{\"details\":{\"value\":\"8\"},\"applicableLocations\":["
		"\"a-1\",\"a-2\",\"a-3\",\"a-3\"]}";
	static const char again[] = "{\"dimensions\":{\"zone\":\"a-1\"},\"details\":{"
				    "\"value\":\"99\"}}";
	const char *const orders[][4] = {
		{grant, none, rest, again}, {rest, grant, again, none}};
	struct sbuf b = SBUF_INIT;

	for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
		struct quota_list list = {0};
		struct gcp_world w;

		sbuf_reset(&b);
		sbuf_addf(&b, "%s,%s,%s,%s", orders[i][0], orders[i][1], orders[i][2],
			orders[i][3]);
		assert_ok(read_values(&w, b.s, &list), w.e);
		assert_string_equal(quota_text(&w.a, &list),
			"a-1 {} 40\n"
			"a-2 {} 0\n"
			"a-3 {} 8 default\n");
		world_close(&w);
	}
	sbuf_done(&b);
}

static void quotas_of_one_metric_are_told_apart(void **state)
{
	struct fault_step step = {.match = LIST,
		.body = "{\"quotaInfos\":["
			"{\"quotaId\":\"PerZone\",\"metric\":\"m\",\"dimensionsInfos\":["
			"{\"details\":{\"value\":\"1\"}}]},"
			"{\"quotaId\":\"PerRegion\",\"metric\":\"m\",\"dimensionsInfos\":["
			"{\"details\":{\"value\":\"2\"}}]},"
			"{\"quotaId\":\"Nothing\"}]}"};
	struct quota_list list = {0};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_ok(ask(&w, &list), w.e);
	assert_i64_eq(list.n, 2);
	assert_string_equal(list.v[0].quota_id, "PerZone");
	assert_i64_eq(list.v[0].value, 1);
	assert_string_equal(list.v[1].quota_id, "PerRegion");
	assert_i64_eq(list.v[1].value, 2);
	world_close(&w);
}

/* ---- pages --------------------------------------------------------------- */

static void an_empty_list_may_be_a_bare_object(void **state)
{
	static const char *const bodies[] = {"{}", "{\"quotaInfos\":[]}",
		"{\"quotaInfos\":null,\"nextPageToken\":\"\"}"};

	list_empty(&quotas, bodies, ARRAY_LEN(bodies));
}

#define PAGE(id, next)                                                                 \
	"{\"quotaInfos\":[{\"quotaId\":\"" id                                          \
	"\",\"metric\":\"m\",\"dimensionsInfos\":[{\"dimensions\":{\"zone\":\"a-1\"}," \
	"\"details\":{\"value\":\"4\"}}]}],\"nextPageToken\":\"" next "\"}"

static void all_pages_are_read_and_twins_are_one(void **state)
{
	struct fault_step steps[] = {
		{.match = LIST "&pageToken=a%2F%2B%3D&prettyPrint=false ",
			.body = "{\"nextPageToken\":\"c\"}"},
		{.match = LIST "&pageToken=c&", .body = PAGE("Q1", "d")},
		{.match = LIST "&pageToken=d&", .body = PAGE("Q2", "")},
		{.match = LIST "&prettyPrint=false ", .body = PAGE("Q1", "a/+=")}};
	struct quota_list list = {0};
	struct gcp_world w;

	world_open(&w, steps, ARRAY_LEN(steps));
	assert_ok(ask(&w, &list), w.e);
	assert_i64_eq(list.r.pages, 4);
	assert_i64_eq(list.n, 2);
	assert_string_equal(list.v[0].quota_id, "Q1");
	assert_string_equal(list.v[1].quota_id, "Q2");
	assert_i64_eq(fault_count_of(w.s, "GET "), 4);
	world_close(&w);
}

static void a_list_that_breaks_off_is_no_list(void **state)
{
	static const struct {
		struct fault_step second;
		enum err_code code;
		const char *part;
	} cases[] = {
		{{.body = PAGE("Q2", "b")}, E_DATA, "page token was repeated"},
		{{.status = 404, .body = "{}"}, E_NOTFOUND, "page 2"},
		{{.body = "{\"quotaInfos\":[{}]}"}, E_DATA, "page 2"},
		{{.body = "<html>"}, E_DATA, "page 2"},
		{{.body = ""}, E_DATA, "page 2"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fault_step steps[] = {cases[i].second,
			{.match = LIST "&prettyPrint", .body = PAGE("Q1", "b")}};
		struct quota_list list = {.n = 9};
		struct gcp_world w;

		steps[0].match = LIST "&pageToken=b";
		world_open(&w, steps, 2);
		assert_err(ask(&w, &list), w.e, cases[i].code, cases[i].part);
		assert_i64_eq(list.n, 9);
		world_close(&w);
	}
}

/* ---- what is refused ----------------------------------------------------- */

static void a_value_that_reads_wrong_spoils_the_list(void **state)
{
	static const struct list_fault cases[] = {
		{"7", "not an object"},
		{"{\"dimensions\":[]}", "'dimensions': not an object"},
		{"{\"dimensions\":{\"zone\":7}}", "'dimensions': a value is not a string"},
		{"{\"dimensions\":{\"family\":7}}",
			"'dimensions': a value is not a string"},
		{"{\"dimensions\":{\"zone\":\"a-1\",\"family\":null}}",
			"a value is not a string"},
		{"{\"dimensions\":{\"zone\":\"\"}}", "the location is empty"},
		{"{\"dimensions\":{\"zone\":\"../a\"}}", "the location is empty"},
		{"{\"dimensions\":{\"region\":\"a;reboot\"}}", "the location is empty"},
		{"{\"dimensions\":{\"zone\":\"a\\n-1\"}}", "the location is empty"},
		{"{\"dimensions\":{\"a\":\"\",\"b\":\"\",\"c\":\"\",\"d\":\"\",\"e\":\"\","
		 "\"f\":\"\",\"g\":\"\",\"h\":\"\",\"i\":\"\",\"j\":\"\",\"k\":\"\",\"l\":"
		 "\"\",\"m\":\"\",\"n\":\"\",\"o\":\"\",\"p\":\"\",\"q\":\"\"}}",
			"too many"},
		{"{\"details\":7}", "'details': not an object"},
		{"{\"details\":{\"value\":\"many\"}}", "'value': not an integer"},
		{"{\"details\":{\"value\":1.5}}", "'value': not an integer"},
		{"{\"details\":{\"value\":\"9223372036854775808\"}}",
			"'value': not an integer"},
		{"{\"details\":{\"value\":{}}}", "'value': not an integer"},
		{"{\"details\":{\"value\":\"-2\"}}", "a limit of -2"},
		{"{\"applicableLocations\":{}}", "'applicableLocations': not an array"},
		{"{\"applicableLocations\":[7]}", "the location is empty"},
		{"{\"applicableLocations\":[\"a-1\",\"a/2\"]}", "the location is empty"},
	};

	list_spoiled(&quotas, "list quotas: page 1: quota 'Q': ", VALUES_BEGIN, VALUES_END,
		cases, ARRAY_LEN(cases));
}

static void a_quota_that_reads_wrong_spoils_the_list(void **state)
{
	static const struct list_fault cases[] = {
		{"{\"quotaInfos\":{}}", "'quotaInfos': not an array"},
		{"{\"quotaInfos\":[7]}", "not an object"},
		{"{\"quotaInfos\":[{}]}", "'quotaId': missing"},
		{"{\"quotaInfos\":[{\"quotaID\":\"Q\"}]}", "'quotaId': missing"},
		{"{\"quotaInfos\":[{\"quotaId\":7}]}", "'quotaId': not a string"},
		{"{\"quotaInfos\":[{\"quotaId\":\"Q\",\"metric\":[]}]}", "'metric'"},
		{"{\"quotaInfos\":[{\"quotaId\":\"Q\",\"dimensionsInfos\":{}}]}",
			"'dimensionsInfos': not an array"},
		{"{\"quotaInfos\":[{\"quotaId\":\"Q\",\"quotaId\":\"R\"}]}", "JSON"},
		{"[]", ""},
	};

	list_spoiled(&quotas, "", "", "", cases, ARRAY_LEN(cases));
}

/* 200,000 entries are read, one more is not: the locations of one value. */
static void entries_have_a_cap(void **state)
{
	for (size_t more = 0; more < 2; more++) {
		struct quota_list list = {0};
		struct sbuf b = SBUF_INIT;
		struct gcp_world w;
		enum err_code rc;

		sbuf_adds(&b, "{\"details\":{\"value\":\"8\"},\"applicableLocations\":[");
		for (size_t i = 0; i < 200000 + more; i++)
			sbuf_addf(&b, "%s\"z%zu\"", i ? "," : "", i);
		sbuf_adds(&b, "]}");
		rc = read_values(&w, b.s, &list);
		if (more) {
			assert_err(rc, w.e, E_LIMIT, "more than 200000 limits");
		} else {
			assert_ok(rc, w.e);
			assert_i64_eq(list.n, 200000);
			assert_string_equal(list.v[199999].location, "z199999");
		}
		sbuf_done(&b);
		world_close(&w);
	}
}

static void refusals_are_told_apart(void **state)
{
	static const struct list_refusal cases[] = {
		{{.status = 403,
			 .body = "{\"error\":{\"code\":403,\"status\":\"PERMISSION_"
				 "DENIED\",\"details\":[{\"@type\":\"type.googleapis.com/"
				 "google.rpc.ErrorInfo\",\"reason\":\"SERVICE_DISABLED\"}]}"
				 "}"},
			E_DISABLED,
			"run: gcloud services enable cloudquotas.googleapis.com --project "
			"my-project"},
		{{.status = 403, .body = "{}"}, E_DENIED, "roles/cloudquotas.viewer"},
		{{.status = 404, .body = "{}"}, E_NOTFOUND, ""},
		{{.status = 429, .body = "{}", .headers = "Retry-After: 7\r\n"}, E_RATE,
			""},
		{{.status = 400, .body = "{}"}, E_HTTP, ""},
	};

	list_refused(&quotas, cases, ARRAY_LEN(cases));
}

static void a_rate_limit_that_passes_is_waited_for(void **state)
{
	struct fault_step steps[] = {{.match = LIST,
					     .times = 1,
					     .status = 429,
					     .body = "{}",
					     .headers = "Retry-After: 7\r\n"},
		{.match = LIST, .body = PAGE("Q1", "")}};
	struct quota_list list = {0};
	struct gcp_world w;

	world_open(&w, steps, 2);
	assert_ok(ask(&w, &list), w.e);
	assert_i64_eq(list.n, 1);
	assert_i64_eq(fault_count_of(w.s, "GET "), 2);
	assert_true(world_waited(&w) >= 7);
	world_close(&w);
}

static void many_are_asked_at_once(void **state)
{
	struct fault_step steps[] = {
		{.match = "GET /v1/projects/project-a/", .body = PAGE("QA", "")},
		{.match = "GET /v1/projects/project-b/", .status = 403, .body = "{}"}};
	struct quota_list a = {0}, b = {0}, c = {0};
	struct gcp_world w;

	world_open(&w, steps, 2);
	list_start(&w, &cloud_quota_listing, "project-a", TPU, &a.r);
	list_start(&w, &cloud_quota_listing, "project-b", TPU, &b.r);
	assert_int_equal(a.r.code, E_BUG);
	assert_int_equal(gcp_listing_start(&cloud_quota_listing, w.g, "No Project", TPU,
				 &w.a, &c.r, &w.e),
		E_CONFIG);
	assert_ok(gcp_run(w.g, &w.e), w.e);
	assert_int_equal(a.r.code, E_OK);
	assert_string_equal(a.v[0].quota_id, "QA");
	assert_int_equal(b.r.code, E_DENIED);
	assert_i64_eq(b.n, 0);
	assert_i64_eq(fault_count_of(w.s, "GET "), 2);
	world_close(&w);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quota_is_read_with_all_its_parts),
		cmocka_unit_test(values_are_read_as_they_are_meant),
		cmocka_unit_test(other_dimensions_are_told_with_sorted_keys),
		cmocka_unit_test(a_zone_of_its_own_beats_the_default),
		cmocka_unit_test(quotas_of_one_metric_are_told_apart),
		cmocka_unit_test(an_empty_list_may_be_a_bare_object),
		cmocka_unit_test(all_pages_are_read_and_twins_are_one),
		cmocka_unit_test(a_list_that_breaks_off_is_no_list),
		cmocka_unit_test(a_value_that_reads_wrong_spoils_the_list),
		cmocka_unit_test(a_quota_that_reads_wrong_spoils_the_list),
		cmocka_unit_test(entries_have_a_cap),
		cmocka_unit_test(refusals_are_told_apart),
		cmocka_unit_test(a_rate_limit_that_passes_is_waited_for),
		cmocka_unit_test(many_are_asked_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
