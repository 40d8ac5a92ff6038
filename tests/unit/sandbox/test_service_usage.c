/* Limits as Service Usage tells them, and the sandbox, whose two answers for one world must be
 * the same limits. */
#include "base/str.h"
#include "tests/sandbox/sandbox.h"

#include "gcp/quota/quota.h"
#include "tests/support/gcp_sync.h"
#include "tests/support/assert.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>
#include <stdio.h>

#define P "my-project"
#define TPU "tpu.googleapis.com"
#define METRICS                                          \
	"GET /v1beta1/projects/my-project/services/" TPU \
	"/consumerQuotaMetrics?view=FULL&pageSize=500"
#define CPUS                                                                 \
	"projects/123/services/compute.googleapis.com/consumerQuotaMetrics/" \
	"compute.googleapis.com%2Fcpus"

static enum err_code ask(struct gcp_world *w, void *out)
{
	struct quota_list *list = out;

	return service_usage_quotas(w->g, P, TPU, &w->a, list, &w->e);
}

static const struct asked_list metrics = {METRICS, "list quotas: ", ask};
#define LIMIT_BEGIN                                                                 \
	"{\"metrics\":[{\"metric\":\"m\",\"unit\":\"1\",\"consumerQuotaLimits\":[{" \
	"\"name\":\"x/limits/L\""
#define LIMIT_END "}]}]}"

/* ---- what is said -------------------------------------------------------- */

static void a_metric_is_read_with_all_its_parts(void **state)
{
	struct fault_step step = {.match = METRICS "&prettyPrint=false ",
		.body = "{\"metrics\":[{\"name\":\"" CPUS "\",\"metric\":"
			"\"compute.googleapis.com/cpus\",\"displayName\":\"CPUs\","
			"\"unit\":\"1\",\"consumerQuotaLimits\":[{\"name\":\"" CPUS
			"/limits/%2Fproject%2Fregion\",\"metric\":"
			"\"compute.googleapis.com/cpus\",\"unit\":\"1/{project}/{region}\","
			"\"isPrecise\":true,\"allowsAdminOverrides\":true,"
			"\"quotaBuckets\":[{\"effectiveLimit\":\"24\",\"defaultLimit\":"
			"\"24\"},{\"effectiveLimit\":\"96\",\"defaultLimit\":\"24\","
			"\"producerOverride\":{\"name\":\"x\",\"overrideValue\":\"96\","
			"\"dimensions\":{\"region\":\"europe-west4\"}},\"dimensions\":{"
			"\"region\":\"europe-west4\"}}],\"supportedLocations\":["
			"\"europe-west4\",\"us-central1\"]},{\"name\":\"" CPUS
			"/limits/%2Forganization\",\"unit\":\"1/{organization}\","
			"\"quotaBuckets\":[{\"effectiveLimit\":\"-1\"}]}]}],"
			"\"nextPageToken\":\"\"}"};
	struct quota_list list = {0};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_ok(ask(&w, &list), w.e);
	assert_string_equal(quota_text(&w.a, &list),
		"europe-west4 {} 96\n"
		"us-central1 {} 24 default\n"
		"global {} -1 default\n");
	for (size_t i = 0; i < list.n; i++)
		assert_string_equal(list.v[i].metric, "compute.googleapis.com/cpus");
	assert_string_equal(list.v[0].quota_id, "%2Fproject%2Fregion");
	assert_string_equal(list.v[2].quota_id, "%2Forganization");
	assert_i64_eq(fault_count_of(w.s, "GET "), 1);
	world_close(&w);
}

static void buckets_are_read_as_they_are_meant(void **state)
{
	static const struct {
		const char *members, *want;
	} cases[] = {
		{"", ""},
		{",\"quotaBuckets\":[]", ""},
		/* what is 0 is left out */
		{",\"quotaBuckets\":[{}]", "global {} 0 default\n"},
		{",\"quotaBuckets\":[{\"defaultLimit\":\"8\",\"consumerOverride\":{}}]",
			"global {} 0\n"},
		/* anything that moves it */
		{",\"quotaBuckets\":[{\"effectiveLimit\":\"9\",\"adminOverride\":{}}]",
			"global {} 9\n"},
		{",\"quotaBuckets\":[{\"effectiveLimit\":\"9\",\"producerQuotaPolicy\":{}}"
		 "]",
			"global {} 9\n"},
		{",\"quotaBuckets\":[{\"effectiveLimit\":\"9\",\"producerOverride\":null}]",
			"global {} 9 default\n"},
		{",\"quotaBuckets\":[{\"effectiveLimit\":-1,\"dimensions\":{}}]",
			"global {} -1 default\n"},
		/* a zone with a default of its own was not granted anything */
		{",\"quotaBuckets\":[{\"effectiveLimit\":\"4\"},{\"effectiveLimit\":\"2\","
		 "\"defaultLimit\":\"2\",\"dimensions\":{\"zone\":\"a-1\"}}],"
		 "\"supportedLocations\":[\"a-1\",\"a-2\"]",
			"a-1 {} 2 default\na-2 {} 4 default\n"},
		/* a zone that is closed */
		{",\"quotaBuckets\":[{\"effectiveLimit\":\"4\"},{\"producerOverride\":{},"
		 "\"dimensions\":{\"zone\":\"a-1\"}}],\"supportedLocations\":[\"a-1\"]",
			"a-1 {} 0\n"},
		{",\"quotaBuckets\":[{\"effectiveLimit\":\"4\",\"dimensions\":{\"b\":\"2\","
		 "\"a\":\"1\"}},{\"effectiveLimit\":\"5\",\"dimensions\":{\"b\":\"2\","
		 "\"region\":\"r-1\",\"a\":\"1\"}}],\"supportedLocations\":[\"r-1\","
		 "\"r-2\"]",
			"r-1 {\"a\":\"1\",\"b\":\"2\"} 5 default\n"
			"r-2 {\"a\":\"1\",\"b\":\"2\"} 4 default\n"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct quota_list list = {.n = 9};
		struct gcp_world w;

		assert_ok(list_ask(&metrics, &w, LIMIT_BEGIN, cases[i].members, LIMIT_END,
				  &list),
			w.e);
		if (!str_eq(quota_text(&w.a, &list), cases[i].want))
			fail_msg("case %zu: %s", i, quota_text(&w.a, &list));
		world_close(&w);
	}
}

/* ---- pages and refusals -------------------------------------------------- */

#define PAGE(metric, next)                                                  \
	"{\"metrics\":[{\"metric\":\"" metric                               \
	"\",\"consumerQuotaLimits\":[{\"name\":\"a/b\",\"quotaBuckets\":[{" \
	"\"effectiveLimit\":\"4\"}]}]}],\"nextPageToken\":\"" next "\"}"

static void all_pages_are_read(void **state)
{
	struct fault_step steps[] = {
		{.match = METRICS "&pageToken=a%2F%3D&prettyPrint=false ",
			.body = "{\"nextPageToken\":\"b\"}"},
		{.match = METRICS "&pageToken=b&", .body = PAGE("m2", "")},
		{.match = METRICS "&prettyPrint=false ", .body = PAGE("m1", "a/=")}};
	struct quota_list list = {0};
	struct gcp_world w;

	world_open(&w, steps, ARRAY_LEN(steps));
	assert_ok(ask(&w, &list), w.e);
	assert_i64_eq(list.r.pages, 3);
	assert_i64_eq(list.n, 2);
	assert_string_equal(list.v[0].metric, "m1");
	assert_string_equal(list.v[1].metric, "m2");
	world_close(&w);
}

static void a_token_that_comes_again_ends_the_list(void **state)
{
	struct fault_step step = {.match = METRICS, .body = PAGE("m", "a")};
	struct quota_list list = {.n = 9};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_err(ask(&w, &list), w.e, E_DATA, "page token was repeated");
	assert_i64_eq(list.n, 9);
	assert_i64_eq(fault_count_of(w.s, "GET "), 2);
	world_close(&w);
}

static void an_empty_list_may_be_a_bare_object(void **state)
{
	static const char *const bodies[] = {"{}", "{\"metrics\":[]}",
		"{\"metrics\":[{\"metric\":\"m\"}]}",
		"{\"metrics\":[{\"metric\":\"m\",\"consumerQuotaLimits\":[{\"name\":\"n\"}]"
		"}]}"};

	list_empty(&metrics, bodies, ARRAY_LEN(bodies));
}

static void a_limit_that_reads_wrong_spoils_the_list(void **state)
{
	static const struct list_fault cases[] = {
		{"\"quotaBuckets\":{}", "'quotaBuckets': not an array"},
		{"\"quotaBuckets\":[7]", "not an object"},
		{"\"quotaBuckets\":[{\"effectiveLimit\":\"x\"}]", "'effectiveLimit'"},
		{"\"quotaBuckets\":[{\"effectiveLimit\":1.5}]", "'effectiveLimit'"},
		{"\"quotaBuckets\":[{\"effectiveLimit\":\"-7\"}]", "a limit of -7"},
		{"\"quotaBuckets\":[{\"dimensions\":{\"zone\":[]}}]", "'dimensions'"},
		{"\"quotaBuckets\":[{\"dimensions\":{\"zone\":\"a b\"}}]",
			"location is empty"},
		{"\"supportedLocations\":{}", "'supportedLocations': not an array"},
		{"\"quotaBuckets\":[{}],\"supportedLocations\":[\"$(x)\"]",
			"location is empty"},
		{"\"quotaBuckets\":[{}],\"supportedLocations\":[{}]", "location is empty"},
	};

	list_spoiled(&metrics, "list quotas: page 1: metric 'm': ", LIMIT_BEGIN ",",
		LIMIT_END, cases, ARRAY_LEN(cases));
}

static void a_metric_that_reads_wrong_spoils_the_list(void **state)
{
	static const struct list_fault cases[] = {
		{"{\"metrics\":{}}", "'metrics': not an array"},
		{"{\"metrics\":[null]}", "not an object"},
		{"{\"metrics\":[{}]}", "'metric': missing"},
		{"{\"metrics\":[{\"metric\":\"m\",\"consumerQuotaLimits\":7}]}",
			"'consumerQuotaLimits': not an array"},
		{"{\"metrics\":[{\"metric\":\"m\",\"consumerQuotaLimits\":[7]}]}",
			"not an object"},
		{"{\"metrics\":[{\"metric\":\"m\",\"consumerQuotaLimits\":[{}]}]}",
			"'name': missing"},
	};

	list_spoiled(&metrics, "", "", "", cases, ARRAY_LEN(cases));
}

static void refusals_are_told_apart(void **state)
{
	static const struct list_refusal cases[] = {
		{{.status = 403,
			 .body = "{\"error\":{\"code\":403,\"status\":\"PERMISSION_"
				 "DENIED\","
				 "\"details\":[{\"@type\":\"type.googleapis.com/google.rpc."
				 "ErrorInfo\",\"reason\":\"SERVICE_DISABLED\"}]}}"},
			E_DISABLED,
			"run: gcloud services enable serviceusage.googleapis.com --project "
			"my-project"},
		{{.status = 403, .body = "{}"}, E_DENIED,
			"roles/serviceusage.serviceUsageConsumer"},
		{{.status = 429, .body = "{}"}, E_RATE, ""},
	};

	list_refused(&metrics, cases, ARRAY_LEN(cases));
}

/* ---- the sandbox --------------------------------------------------------- */

#define NOW INT64_C(1795251600) /* 2026-11-21T09:00:00Z */

static const char lab[] =
	"name: t\n"
	"projects:\n"
	"  - {id: my-project, number: \"101\"}\n"
	"  - {id: lab-two, number: \"102\", disabled: [serviceusage]}\n"
	"zones: [us-central1-a]\n"
	"limits:\n"
	"  - {quota: V3, metric: m/v3, zone: europe-west4-a, value: \"40\"}\n"
	"  - {quota: V3, metric: m/v3, value: \"8\", locations: [us-1, us-2, "
	"us-central1-a]}\n"
	"  - {quota: V3, metric: m/v3, zone: us-central1-a, value: \"0\"}\n"
	"  - {quota: V2, metric: m/v2, zone: us-central1-f, value: \"-1\"}\n"
	"  - {quota: V4, metric: m/v4, value: \"0\", locations: [us-2]}\n"
	"  - {quota: V4, metric: m/v4, value: \"5\", locations: [us-3, us-4]}\n"
	"  - {quota: C, metric: c, service: compute.googleapis.com, value: \"24\"}\n"
	"  - {project: lab-two, quota: V3, metric: m/v3, value: \"9\"}\n";

static struct {
	const char *size, *token, *view;
} asked;

static const char *param(const struct request *q, const char *name)
{
	(void)q;
	if (str_eq(name, "pageSize"))
		return asked.size;
	if (str_eq(name, "pageToken"))
		return asked.token;
	return str_eq(name, "view") ? asked.view : NULL;
}

/* The sandbox's answer for a project and service; heap. */
static char *served(bool older, const char *project, const char *service, int want)
{
	struct world w;
	struct err e = {0};
	struct request q = {.w = &w, .method = "GET", .now = NOW, .param = param};
	struct response r = {.status = 200};

	assert_ok(world_read(lab, strlen(lab), "w.yaml", NOW, &w, &e), e);
	q.a = &w.arena;
	q.seg[2] = project;
	q.seg[older ? 4 : 6] = service;
	if (older)
		serve_consumer_quotas(&q, &r);
	else
		serve_quota_infos(&q, &r);
	assert_i64_eq(r.status, want);
	world_free(&w);
	return sbuf_detach(&r.body);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All limits, sorted, without quota ids and without whether they are a default. */
static const char *sorted(struct gcp_world *w, const struct quota_list *list)
{
	const char **lines = arena_alloc(&w->a, (list->n + 1) * sizeof(*lines));
	struct sbuf b = SBUF_INIT;
	const char *out;

	for (size_t i = 0; i < list->n; i++)
		lines[i] = arena_printf(&w->a, "%s %s %s %lld\n", list->v[i].metric,
			list->v[i].location, list->v[i].dimensions,
			(long long)list->v[i].value);
	qsort(lines, list->n, sizeof(*lines), by_text);
	for (size_t i = 0; i < list->n; i++)
		sbuf_adds(&b, lines[i]);
	out = arena_strdup(&w->a, b.s);
	sbuf_done(&b);
	return out;
}

static void both_apis_tell_the_same_limits(void **state)
{
	struct fault_step steps[] = {{.match = METRICS},
		{.match = "GET /v1/projects/my-project/locations/global/services/" TPU
			  "/quotaInfos?pageSize=500"}};
	struct quota_list older = {0}, newer = {0};
	struct gcp_world w;
	char *p1, *p2;

	asked.size = "500", asked.token = NULL, asked.view = "FULL";
	steps[0].body = p1 = served(true, P, TPU, 200);
	steps[1].body = p2 = served(false, P, TPU, 200);
	world_open(&w, steps, 2);
	assert_ok(ask(&w, &older), w.e);
	assert_ok(cloud_quotas(w.g, P, TPU, &w.a, &newer, &w.e), w.e);
	assert_string_equal(sorted(&w, &newer),
		"m/v2 us-central1-f {} -1\n"
		"m/v3 europe-west4-a {} 40\n"
		"m/v3 us-1 {} 8\n"
		"m/v3 us-2 {} 8\n"
		"m/v3 us-central1-a {} 0\n"
		"m/v4 us-2 {} 0\n"
		"m/v4 us-3 {} 5\n"
		"m/v4 us-4 {} 5\n");
	assert_string_equal(sorted(&w, &older), sorted(&w, &newer));
	for (size_t i = 0; i < older.n; i++)
		assert_int_equal(older.v[i].is_default,
			str_starts(older.v[i].location, "us-") &&
				!str_starts(older.v[i].location, "us-central"));
	world_close(&w);
	free(p1), free(p2);
}

static void the_sandbox_has_pages(void **state)
{
	struct fault_step steps[] = {
		{.match = METRICS "&pageToken=Cj8%2B%2F2%3D%3D&"}, {.match = METRICS}};
	struct quota_list list = {0};
	struct gcp_world w;
	char *p1, *p2;

	asked.size = "2", asked.token = NULL, asked.view = "FULL";
	steps[1].body = p1 = served(true, P, TPU, 200);
	asked.token = "Cj8+/2==";
	steps[0].body = p2 = served(true, P, TPU, 200);
	world_open(&w, steps, 2);
	assert_ok(ask(&w, &list), w.e);
	assert_i64_eq(list.r.pages, 2);
	assert_i64_eq(list.n, 8);
	world_close(&w);
	free(p1), free(p2);
}

static void the_sandbox_shows_grants_only_unless_asked(void **state)
{
	char *body;

	asked.size = asked.token = asked.view = NULL;
	body = served(true, P, TPU, 200);
	assert_contains(body,
		"{\"effectiveLimit\":\"40\",\"defaultLimit\":\"8\","
		"\"producerOverride\":{\"overrideValue\":\"40\"},"
		"\"dimensions\":{\"zone\":\"europe-west4-a\"}}");
	assert_null(strstr(body, "{\"zone\":\"us-3\"}"));
	assert_null(strstr(body, "compute"));
	free(body);
	asked.view = "FULL";
	body = served(true, P, TPU, 200);
	assert_contains(body, "{\"zone\":\"us-3\"}");
	free(body);
	body = served(true, P, "bigquery.googleapis.com", 200);
	assert_string_equal(body, "{}");
	free(body);
}

static void the_sandbox_refuses_others(void **state)
{
	char *body;

	asked.size = asked.token = NULL, asked.view = "FULL";
	free(served(true, "who-knows", TPU, 403));
	body = served(true, "lab-two", TPU, 403);
	assert_contains(body, "SERVICE_DISABLED");
	assert_contains(body, "\"service\":\"serviceusage.googleapis.com\"");
	free(body);
	free(served(false, "lab-two", TPU, 200));
	asked.view = "full";
	free(served(true, P, TPU, 400));
	asked.view = "FULL", asked.token = "3";
	free(served(true, P, TPU, 400));
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_metric_is_read_with_all_its_parts),
		cmocka_unit_test(buckets_are_read_as_they_are_meant),
		cmocka_unit_test(all_pages_are_read),
		cmocka_unit_test(a_token_that_comes_again_ends_the_list),
		cmocka_unit_test(an_empty_list_may_be_a_bare_object),
		cmocka_unit_test(a_limit_that_reads_wrong_spoils_the_list),
		cmocka_unit_test(a_metric_that_reads_wrong_spoils_the_list),
		cmocka_unit_test(refusals_are_told_apart),
		cmocka_unit_test(both_apis_tell_the_same_limits),
		cmocka_unit_test(the_sandbox_has_pages),
		cmocka_unit_test(the_sandbox_shows_grants_only_unless_asked),
		cmocka_unit_test(the_sandbox_refuses_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
