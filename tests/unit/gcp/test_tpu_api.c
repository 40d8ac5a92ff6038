#include "gcp/tpu.h"

#include "base/str.h"
#include "tests/support/gcp_sync.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/assert.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define P "my-project"
#define NODES "GET /v2/projects/my-project/locations/-/nodes?pageSize=500"
#define QUEUED "GET /v2/projects/my-project/locations/-/queuedResources?pageSize=500"

static const char full_node[] =
	"{\"name\":\"projects/my-project/locations/europe-west4-a/nodes/tpu-1\","
	"\"id\":\"6157812450912345678\",\"acceleratorType\":\"v3-8\",\"acceleratorConfig\":"
	"{\"type\":\"V3\",\"topology\":\"2x2\"},\"state\":\"READY\",\"health\":\"HEALTHY\","
	"\"runtimeVersion\":\"tpu-vm-base\",\"createTime\":\"2026-02-20T11:03:09.482913Z\","
	"\"schedulingConfig\":{\"spot\":true},\"networkEndpoints\":[{\"ipAddress\":"
	"\"10.164.0.9\",\"port\":8470}],\"labels\":{\"owner\":\"ada\"},\"dataDisks\":["
	"{\"sourceDisk\":\"projects/my-project/zones/europe-west4-a/disks/data\"}],"
	"\"queuedResource\":\"projects/my-project/locations/europe-west4-a/queuedResources/"
	"qr-1\",\"multisliceNode\":true}";

static enum err_code read_nodes(
	struct gcp_world *w, const char *body, struct tpu_nodes *out)
{
	struct fault_step step = {.match = NODES, .body = body};

	world_open(w, &step, 1);
	return tpu_nodes(w->g, P, &w->a, out, &w->e);
}

/* ---- types --------------------------------------------------------------- */

static void a_topology_has_a_type_name(void **state)
{
	static const struct {
		const char *generation, *topology, *want;
	} cases[] = {
		{"V2", "2x2", "v2-8"},
		{"V3", "2x2", "v3-8"},
		{"V3", "4x8", "v3-64"},
		{"V4", "2x2x1", "v4-8"},
		{"V4", "2x2x4", "v4-32"},
		{"V5P", "2x2x2", "v5p-16"},
		{"V5LITE_POD", "1x1", "v5litepod-1"},
		{"V5LITE_POD", "4x4", "v5litepod-16"},
		{"V6E", "2x4", "v6e-8"},
		{"V6E", "16x16", "v6e-256"},
		{"", "2x2", ""},
		{"V9", "2x2", ""},
		{"", "2x2", ""},
		{"V3", "", ""},
		{"V3", "2x", ""},
		{"V3", "x2", ""},
		{"V3", "2x2 ", ""},
		{"V3", "-2x2", ""},
		{"V3", "0x2", ""},
		{"V3", "99999x99999x99999", ""},
		{"V3", "99999999999999999999", ""},
	};
	struct arena a = {0};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *got = tpu_type_of_topology(
			&a, cases[i].generation, cases[i].topology);

		if (!str_eq(got, cases[i].want))
			fail_msg("%s %s: %s", cases[i].generation, cases[i].topology, got);
	}
	arena_done(&a);
}

/* ---- nodes --------------------------------------------------------------- */

static void a_node_is_read_with_all_its_parts(void **state)
{
	struct tpu_nodes list = {0};
	const struct tpu_node *n;
	struct sbuf b = SBUF_INIT;
	struct gcp_world w;

	sbuf_addf(&b,
		"{\"nodes\":[%s],\"unreachable\":[\"us-east1-b\",\"projects/p/locations/"
		"us-east1-c\",\"us-east1-b\"]}",
		full_node);
	assert_int_equal(read_nodes(&w, b.s, &list), E_OK);
	assert_int_equal(list.n, 1);
	n = &list.v[0];
	assert_string_equal(n->name, "tpu-1");
	assert_string_equal(n->location, "europe-west4-a");
	assert_string_equal(n->id, "6157812450912345678");
	assert_string_equal(n->accelerator_type, "v3-8");
	assert_string_equal(n->topology, "2x2");
	assert_string_equal(n->state, "READY");
	assert_string_equal(n->runtime_version, "tpu-vm-base");
	assert_int_equal(n->created, 1771585389);
	assert_string_equal(n->class, "spot");
	assert_true(n->ends == TS_NONE);
	assert_int_equal(n->n_endpoints, 1);
	assert_string_equal(n->queued_resource, "qr-1");
	assert_true(n->multislice);
	assert_string_equal(n->labels, "{\"owner\":\"ada\"}");
	assert_int_equal(n->n_data_disks, 1);
	assert_string_equal(n->data_disks[0], "data");
	assert_int_equal(list.r.scopes.n, 2);
	assert_string_equal(list.r.scopes.incomplete[0], "us-east1-b");
	assert_string_equal(list.r.scopes.incomplete[1], "us-east1-c");
	sbuf_done(&b);
	world_close(&w);
}

/* What is not the form of a location may be anywhere: no node counts as gone then. */
static void an_unreachable_place_is_a_location_or_everywhere(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"us-central1-a", "us-central1-a"},
		{"us-central1-a/", "us-central1-a"},
		{"us-central1-ai1a", "us-central1-ai1a"},
		{"projects/p/locations/us-central1", "us-central1"},
		{"projects/p/locations/us-central1-a/nodes/wrong", "us-central1-a"},
		{"projects/p/locations/-", GCP_EVERYWHERE},
		{"projects/p/locations/", GCP_EVERYWHERE},
		{"allocations/us-east1", GCP_EVERYWHERE},
		{"us-central1-", GCP_EVERYWHERE},
		{"us-central1-a-b", GCP_EVERYWHERE},
		{"us-1", GCP_EVERYWHERE},
		{"us-central", GCP_EVERYWHERE},
		{"wrong", GCP_EVERYWHERE},
		{"", GCP_EVERYWHERE},
		{"-", GCP_EVERYWHERE},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct tpu_nodes list = {0};
		struct sbuf b = SBUF_INIT;
		struct gcp_world w;

		sbuf_addf(&b, "{\"unreachable\":[\"%s\"]}", cases[i].text);
		assert_int_equal(read_nodes(&w, b.s, &list), E_OK);
		assert_int_equal(list.r.scopes.n, 1);
		if (!str_eq(list.r.scopes.incomplete[0], cases[i].want))
			fail_msg("'%s': %s", cases[i].text, list.r.scopes.incomplete[0]);
		sbuf_done(&b);
		world_close(&w);
	}
}

static void an_empty_list_may_be_a_bare_object(void **state)
{
	static const char *const bodies[] = {
		"{}", "{\"nodes\":[]}", "{\"nextPageToken\":\"\"}"};

	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		struct tpu_nodes list = {.n = 9};
		struct gcp_world w;

		assert_int_equal(read_nodes(&w, bodies[i], &list), E_OK);
		assert_int_equal(list.n, 0);
		assert_int_equal(list.r.scopes.n, 0);
		world_close(&w);
	}
}

static void what_is_left_out_has_its_default(void **state)
{
	static const struct {
		const char *members;
		const char *type, *state, *class;
	} cases[] = {
		{"", "", "STATE_UNSPECIFIED", ""},
		{",\"state\":\"PREEMPTED\",\"schedulingConfig\":{\"preemptible\":true}", "",
			"PREEMPTED", "spot"},
		{",\"schedulingConfig\":{\"reserved\":true}", "", "STATE_UNSPECIFIED",
			"reserved"},
		{",\"schedulingConfig\":{\"reservationName\":\"r\"}", "",
			"STATE_UNSPECIFIED", "reserved"},
		{",\"schedulingConfig\":{\"provisioningModel\":\"STANDARD\"}", "",
			"STATE_UNSPECIFIED", "on-demand"},
		{",\"schedulingConfig\":{\"provisioningModel\":\"OF_TOMORROW\"}", "",
			"STATE_UNSPECIFIED", "unknown"},
		{",\"acceleratorConfig\":{\"type\":\"V4\",\"topology\":\"2x2x2\"}", "v4-16",
			"STATE_UNSPECIFIED", ""},
		{",\"acceleratorConfig\":{\"type\":\"V99\"}", "", "STATE_UNSPECIFIED", ""},
		{",\"acceleratorType\":\"projects/p/locations/z/acceleratorTypes/v2-8\"",
			"v2-8", "STATE_UNSPECIFIED", ""},
		{",\"acceleratorType\":\"v12-what\"", "v12-what", "STATE_UNSPECIFIED", ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct tpu_nodes list = {0};
		struct sbuf b = SBUF_INIT;
		struct gcp_world w;

		sbuf_addf(&b,
			"{\"nodes\":[{\"name\":\"projects/p/locations/us-a/nodes/n\"%s}]}",
			cases[i].members);
		assert_int_equal(read_nodes(&w, b.s, &list), E_OK);
		assert_string_equal(list.v[0].accelerator_type, cases[i].type);
		assert_string_equal(list.v[0].topology,
			strstr(cases[i].members, "2x2x2") ? "2x2x2" : "");
		assert_string_equal(list.v[0].state, cases[i].state);
		assert_string_equal(list.v[0].class, cases[i].class);
		assert_string_equal(list.v[0].labels, "{}");
		assert_string_equal(list.v[0].id, "");
		assert_true(list.v[0].created == TS_NONE);
		sbuf_done(&b);
		world_close(&w);
	}
}

static void a_node_that_reads_wrong_spoils_the_list(void **state)
{
	static const char *const bodies[] = {
		"{\"nodes\":{}}",
		"{\"nodes\":[1]}",
		"{\"nodes\":[{}]}",
		"{\"nodes\":[{\"name\":\"n\"}]}",
		"{\"nodes\":[{\"name\":\"projects/p/locations/z/nodes/\"}]}",
		"{\"nodes\":[{\"name\":\"projects/p/locations/z/nodes/a/b\"}]}",
		"{\"nodes\":[{\"name\":\"projects/p/locations/z/volumes/a\"}]}",
		"{\"nodes\":[{\"name\":\"projects/p/zones/z/nodes/a\"}]}",
		"{\"nodes\":[{\"name\":\"projects/p/locations/../nodes/a\"}]}",
		"{\"nodes\":[{\"name\":\"projects/p/locations/z/nodes/a;b\"}]}",
		"{\"nodes\":[{\"name\":\"projects/p/locations/z/nodes/a\",\"state\":7}]}",
		"{\"nodes\":[{\"name\":\"projects/p/locations/z/nodes/a\",\"id\":\"x\"}]}",
		"{\"nodes\":[{\"name\":\"projects/p/locations/z/nodes/"
		"a\",\"createTime\":\"now\"}]}",
		"{\"nodes\":[{\"name\":\"projects/p/locations/z/nodes/a\","
		"\"schedulingConfig\":{\"spot\":\"no\"}}]}",
		"{\"nodes\":[{\"name\":\"projects/p/locations/z/nodes/"
		"a\",\"dataDisks\":[7]}]}",
		"{\"nodes\":[{\"name\":\"projects/p/locations/z/nodes/a\","
		"\"acceleratorConfig\":[]}]}",
		"{\"nodes\":[{\"name\":\"projects/p/locations/z/nodes/a\","
		"\"networkEndpoints\":7}]}",
		"{\"nodes\":[],\"unreachable\":{}}",
	};

	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		struct tpu_nodes list = {.n = 9};
		struct gcp_world w;

		if (read_nodes(&w, bodies[i], &list) != E_DATA)
			fail_msg("case %zu: %s", i, w.e.msg);
		assert_non_null(strstr(w.e.msg, "list TPU nodes: page 1: "));
		assert_int_equal(list.n, 9);
		world_close(&w);
	}
}

static void a_list_that_shifted_between_pages_has_no_twins(void **state)
{
	struct fault_step steps[] = {
		{.match = NODES "&pageToken=2",
			.body = "{\"nodes\":[{\"name\":\"projects/p/locations/a/nodes/n2\","
				"\"state\":\"STOPPED\"},{\"name\":\"projects/p/locations/b/"
				"nodes/n2\"}]}"},
		{.match = NODES,
			.body = "{\"nodes\":[{\"name\":\"projects/p/locations/a/nodes/"
				"n1\"},"
				"{\"name\":\"projects/p/locations/a/nodes/"
				"n2\",\"state\":\"READY\"}],"
				"\"nextPageToken\":\"2\"}"},
	};
	struct tpu_nodes list = {0};
	struct gcp_world w;

	world_open(&w, steps, 2);
	assert_int_equal(tpu_nodes(w.g, P, &w.a, &list, &w.e), E_OK);
	assert_int_equal(list.n, 3);
	assert_int_equal(list.r.repeated, 1);
	assert_string_equal(list.v[1].name, "n2");
	assert_string_equal(list.v[1].state, "STOPPED");
	assert_string_equal(list.v[2].location, "b");
	world_close(&w);
}

static void an_api_that_is_not_enabled_is_told_apart(void **state)
{
	struct fault_step step = {.match = NODES,
		.status = 403,
		.body = "{\"error\":{\"code\":403,\"status\":\"PERMISSION_DENIED\","
			"\"details\":[{"
			"\"@type\":\"type.googleapis.com/google.rpc.ErrorInfo\",\"reason\":"
			"\"SERVICE_DISABLED\"}]}}"};
	struct tpu_nodes list = {0};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_int_equal(tpu_nodes(w.g, P, &w.a, &list, &w.e), E_DISABLED);
	assert_string_equal(w.e.fix,
		"run: gcloud services enable tpu.googleapis.com --project my-project");
	world_close(&w);
}

/* ---- queued resources ---------------------------------------------------- */

static void queued_resources_are_read(void **state)
{
	struct fault_step step = {.match = QUEUED,
		.body = "{\"queuedResources\":[{\"name\":\"projects/my-project/locations/"
			"us-central2-b/queuedResources/qr-1\",\"createTime\":"
			"\"2026-02-20T10:00:00Z\",\"spot\":{},\"tpu\":{\"nodeSpec\":[{"
			"\"nodeId\":"
			"\"tpu-1\",\"node\":{\"acceleratorType\":\"v4-32\"}},{"
			"\"multisliceParams\":{"
			"\"nodeCount\":4,\"nodeIdPrefix\":\"x\"},\"node\":{"
			"\"acceleratorConfig\":{"
			"\"type\":\"V4\",\"topology\":\"2x2x1\"}}}]},\"state\":{\"state\":"
			"\"SUSPENDED\",\"suspendedData\":{}}},{\"name\":\"projects/"
			"my-project/"
			"locations/us-central2-b/queuedResources/qr-2\",\"guaranteed\":{},"
			"\"tpu\":{\"nodeSpec\":[{\"nodeId\":\"t\",\"node\":{"
			"\"schedulingConfig\":{"
			"\"preemptible\":true}}}]}},{\"name\":\"projects/my-project/"
			"locations/z/"
			"queuedResources/qr-3\"}],\"unreachable\":[\"us-a1\"]}"};
	struct tpu_queueds list = {0};
	const struct tpu_queued *q;
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_int_equal(tpu_queueds(w.g, P, &w.a, &list, &w.e), E_OK);
	assert_int_equal(list.n, 3);
	q = &list.v[0];
	assert_string_equal(q->name, "qr-1");
	assert_string_equal(q->location, "us-central2-b");
	assert_string_equal(q->state, "SUSPENDED");
	assert_int_equal(q->created, 1771581600);
	assert_string_equal(q->class, "spot");
	assert_false(q->guaranteed);
	assert_int_equal(q->n_nodes, 2);
	assert_string_equal(q->accelerator_types[0], "v4-32");
	assert_string_equal(q->node_ids[0], "tpu-1");
	assert_int_equal(q->node_counts[0], 1);
	assert_string_equal(q->accelerator_types[1], "v4-8");
	assert_string_equal(q->node_ids[1], "");
	assert_int_equal(q->node_counts[1], 4);
	assert_true(list.v[1].guaranteed);
	assert_string_equal(list.v[1].class, "spot");
	assert_string_equal(list.v[1].state, "STATE_UNSPECIFIED");
	assert_int_equal(list.v[2].n_nodes, 0);
	assert_string_equal(list.r.scopes.incomplete[0], "us-a1");
	world_close(&w);
}

/* v2alpha1 adds the model and the run time. */
static void class_and_run_time_of_a_queued_resource_are_read(void **state)
{
	static const struct {
		const char *members, *class;
		ts_t ends;
		int64_t run_limit;
	} cases[] = {
		{"", "", TS_NONE, 0},
		{",\"provisioningModel\":\"FLEX_START\",\"runDuration\":{"
		 "\"maxRunDuration\":\"86400s\"}",
			"flex-start", TS_NONE, 86400},
		{",\"provisioningModel\":\"FLEX_START\",\"runDuration\":{"
		 "\"terminationTime\":\"2026-02-20T10:00:00Z\"}",
			"flex-start", 1771581600, 0},
		{",\"runDuration\":{\"maxRunDuration\":\"1.5s\"}", "", TS_NONE, 1},
		{",\"provisioningModel\":\"PROVISIONING_MODEL_UNSPECIFIED\"", "", TS_NONE,
			0},
		{",\"provisioningModel\":\"STANDARD\"", "on-demand", TS_NONE, 0},
		{",\"provisioningModel\":\"OF_TOMORROW\"", "unknown", TS_NONE, 0},
		{",\"provisioningModel\":\"RESERVATION_BOUND\"", "reserved", TS_NONE, 0},
		{",\"guaranteed\":{}", "on-demand", TS_NONE, 0},
		{",\"guaranteed\":{\"reserved\":true}", "reserved", TS_NONE, 0},
		{",\"reservationName\":\"projects/p/reservations/r\"", "reserved", TS_NONE,
			0},
		{",\"bestEffort\":{}", "spot", TS_NONE, 0},
		{",\"tpu\":{\"nodeSpec\":[{\"node\":{\"schedulingConfig\":{\"spot\":true}"
		 "}}]}",
			"spot", TS_NONE, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sbuf b = SBUF_INIT;
		struct fault_step step = {.match = "GET /v2alpha1/projects/" P
						   "/locations/-/queuedResources"};
		struct tpu_queueds list = {0};
		struct gcp_world w;

		sbuf_addf(&b,
			"{\"queuedResources\":[{\"name\":\"projects/p/locations/z/"
			"queuedResources/q\"%s}]}",
			cases[i].members);
		step.body = b.s;
		world_open(&w, &step, 1);
		list_start(&w, &tpu_queued_alpha_listing, P, "-", &list.r);
		assert_ok(gcp_run(w.g, &w.e), w.e);
		assert_ok(list.r.code, list.r.err);
		assert_int_equal(list.n, 1);
		assert_string_equal(list.v[0].class, cases[i].class);
		assert_true(list.v[0].ends == cases[i].ends);
		assert_i64_eq(list.v[0].run_limit, cases[i].run_limit);
		sbuf_done(&b);
		world_close(&w);
	}
}

#define LONG "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* Only to be shown: a malformed error is none, and spoils nothing. */
static void the_error_of_a_failed_queued_resource_is_read(void **state)
{
	static const struct {
		const char *data, *error;
	} cases[] = {
		{"{}", NULL},
		{"{\"failedData\":{}}", NULL},
		{"{\"failedData\":{\"error\":{\"code\":8,\"message\":\"No more.\"}}}",
			"RESOURCE_EXHAUSTED: No more."},
		{"{\"failedData\":{\"error\":{\"code\":9,\"message\":\"No [EID: 0x1]\"}}}",
			"code 9: No"},
		{"{\"failedData\":{\"error\":{\"code\":7}}}", "code 7"},
		{"{\"failedData\":{\"error\":{\"message\":\"why\"}}}", "why"},
		{"{\"failedData\":{\"error\":{\"code\":1.5,\"message\":[]}}}", NULL},
		{"{\"failedData\":{\"error\":{\"code\":\"x\",\"errors\":7}}}", "x"},
		{"{\"failedData\":[\"error\"]}", NULL},
		{"{\"failedData\":{\"error\":{\"message\":\"" LONG LONG LONG LONG LONG
		 "\"}}}",
			LONG LONG LONG LONG "0123456789abcdef0123456789abcdef0123456789ab"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		cleanup(json_free_ptr) struct cJSON *j = NULL;
		cleanup(arena_done) struct arena a = {0};
		cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
		struct tpu_queued q = {0};
		struct err e = {0};

		sbuf_addf(&b,
			"{\"name\":\"projects/p/locations/z/queuedResources/"
			"q\",\"state\":%s}",
			cases[i].data);
		assert_ok(json_parse(b.s, b.len, &j, &e), e);
		assert_ok(tpu_queued_read(j, &a, &q, &e), e);
		if (cases[i].error)
			assert_string_equal(q.error, cases[i].error);
		else
			assert_null(q.error);
	}
}

static void a_queued_resource_that_reads_wrong_spoils_the_list(void **state)
{
	static const char *const members[] = {
		"\"name\":\"projects/p/locations/z/nodes/q\"",
		"\"name\":\"projects/p/locations/z/queuedResources/"
		"q\",\"state\":\"ACTIVE\"",
		"\"name\":\"projects/p/locations/z/queuedResources/"
		"q\",\"state\":{\"state\":1}",
		"\"name\":\"projects/p/locations/z/queuedResources/q\",\"spot\":true",
		"\"name\":\"projects/p/locations/z/queuedResources/q\",\"tpu\":[]",
		"\"name\":\"projects/p/locations/z/queuedResources/q\",\"runDuration\":{"
		"\"maxRunDuration\":\"1h\"}",
		"\"name\":\"projects/p/locations/z/queuedResources/q\",\"runDuration\":{"
		"\"maxRunDuration\":\"-5s\"}",
		"\"name\":\"projects/p/locations/z/queuedResources/"
		"q\",\"tpu\":{\"nodeSpec\":{}}",
		"\"name\":\"projects/p/locations/z/queuedResources/"
		"q\",\"tpu\":{\"nodeSpec\":[1]}",
		"\"name\":\"projects/p/locations/z/queuedResources/"
		"q\",\"tpu\":{\"nodeSpec\":[{"
		"\"multisliceParams\":{\"nodeCount\":\"x\"}}]}",
		"\"name\":\"projects/p/locations/z/queuedResources/"
		"q\",\"tpu\":{\"nodeSpec\":[{"
		"\"node\":{\"acceleratorType\":5}}]}",
	};

	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		struct tpu_queueds list = {.n = 9};
		struct fault_step step = {.match = QUEUED};
		struct sbuf b = SBUF_INIT;
		struct gcp_world w;

		sbuf_addf(&b, "{\"queuedResources\":[{%s}]}", members[i]);
		step.body = b.s;
		world_open(&w, &step, 1);
		if (tpu_queueds(w.g, P, &w.a, &list, &w.e) != E_DATA)
			fail_msg("case %zu: %s", i, w.e.msg);
		assert_int_equal(list.n, 9);
		sbuf_done(&b);
		world_close(&w);
	}
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_topology_has_a_type_name),
		cmocka_unit_test(a_node_is_read_with_all_its_parts),
		cmocka_unit_test(an_unreachable_place_is_a_location_or_everywhere),
		cmocka_unit_test(an_empty_list_may_be_a_bare_object),
		cmocka_unit_test(what_is_left_out_has_its_default),
		cmocka_unit_test(a_node_that_reads_wrong_spoils_the_list),
		cmocka_unit_test(a_list_that_shifted_between_pages_has_no_twins),
		cmocka_unit_test(an_api_that_is_not_enabled_is_told_apart),
		cmocka_unit_test(queued_resources_are_read),
		cmocka_unit_test(class_and_run_time_of_a_queued_resource_are_read),
		cmocka_unit_test(the_error_of_a_failed_queued_resource_is_read),
		cmocka_unit_test(a_queued_resource_that_reads_wrong_spoils_the_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
