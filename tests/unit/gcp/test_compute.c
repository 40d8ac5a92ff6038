#include "gcp/compute/compute.h"

#include "base/str.h"
#include "tests/support/gcp_sync.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define P "my-project"
#define Z                                                                  \
	"https://www.googleapis.com/compute/v1/projects/my-project/zones/" \
	"europe-west4-a"
#define NO_RESULTS                                                               \
	"{\"warning\":{\"code\":\"NO_RESULTS_ON_PAGE\",\"message\":\"There are " \
	"none.\","                                                               \
	"\"data\":[{\"key\":\"scope\",\"value\":\"zones/us-central1-b\"}]}}"
#define LIST "GET /compute/v1/projects/my-project/aggregated/"

static const char full_instance[] =
	"{\"kind\":\"compute#instance\",\"id\":\"15731082637182930411\",\"name\":\"tpu-"
	"host\","
	"\"zone\":\"" Z "\",\"machineType\":\"" Z "/machineTypes/"
	"n1-highmem-96\",\"status\":\"RUNNING\",\"creationTimestamp\":\"2026-02-20T03:11:"
	"09.123-08:00\",\"lastStartTimestamp\":\"2026-02-22T18:00:01.000-08:00\","
	"\"lastStopTimestamp\":\"2026-02-21T09:00:00.000-08:00\",\"deletionProtection\":"
	"true,\"labels\":{\"owner\":\"ada\",\"env\":\"x\\\"y\"},\"scheduling\":{"
	"\"preemptible\":false,\"provisioningModel\":\"SPOT\"},"
	"\"disks\":[{\"type\":\"PERSISTENT\",\"source\":\"" Z "/disks/"
	"boot-1\",\"boot\":true,\"autoDelete\":true,\"diskSizeGb\":\"250\"},{\"type\":"
	"\"SCRATCH\",\"boot\":false,\"autoDelete\":true,\"diskSizeGb\":375}],"
	"\"networkInterfaces\":[{\"networkIP\":\"10.164.0.2\",\"accessConfigs\":[{"
	"\"natIP\":\"34.1.2.3\"},{\"type\":\"x\"}]},{\"networkIP\":\"10.0.0.1\"}],"
	"\"guestAccelerators\":[{\"acceleratorType\":\"" Z "/acceleratorTypes/"
	"nvidia-tesla-t4\",\"acceleratorCount\":2}],\"unknownField\":[1,2]}";

/* An answer with these members of "items". Heap. */
static char *page(const char *items, const char *more)
{
	struct sbuf b = SBUF_INIT;

	sbuf_addf(&b, "{\"kind\":\"compute#x\",\"items\":{%s}%s}", items, more);
	return sbuf_detach(&b);
}

static char *scope_of(const char *scope, const char *what, const char *items)
{
	struct sbuf b = SBUF_INIT;

	sbuf_addf(&b, "\"%s\":{\"%s\":[%s]}", scope, what, items);
	return sbuf_detach(&b);
}

static char *small(const char *id, const char *name, const char *status)
{
	struct sbuf b = SBUF_INIT;

	sbuf_addf(
		&b, "{\"id\":\"%s\",\"name\":\"%s\",\"status\":\"%s\"}", id, name, status);
	return sbuf_detach(&b);
}

/* ---- instances ----------------------------------------------------------- */

static void an_instance_is_read_with_all_its_parts(void **state)
{
	char *scope = scope_of("zones/europe-west4-a", "instances", full_instance);
	char *body = page(scope, ",\"nextPageToken\":\"\"");
	struct fault_step step = {.match = LIST "instances?returnPartialSuccess=true"
						"&maxResults=500&prettyPrint=false ",
		.body = body};
	struct gce_instances list = {0};
	const struct gce_instance *vm;
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_int_equal(gce_instances(w.g, P, &w.a, &list, &w.e), E_OK);
	assert_int_equal(list.n, 1);
	assert_int_equal(list.r.pages, 1);
	assert_int_equal(list.r.scopes.n, 0);
	vm = &list.v[0];
	assert_string_equal(vm->id, "15731082637182930411"); /* beyond int64 and double */
	assert_string_equal(vm->name, "tpu-host");
	assert_string_equal(vm->zone, "europe-west4-a");
	assert_string_equal(vm->machine_type, "n1-highmem-96");
	assert_string_equal(vm->status, "RUNNING");
	assert_int_equal(vm->created, 1771585869);    /* 2026-02-20T11:11:09Z */
	assert_int_equal(vm->last_start, 1771812001); /* 2026-02-23T02:00:01Z */
	assert_int_equal(vm->last_stop, 1771693200);  /* 2026-02-21T17:00:00Z */
	assert_string_equal(vm->class, "spot");
	assert_true(vm->ends == TS_NONE);
	assert_false(vm->deleted);
	assert_string_equal(vm->labels, "{\"env\":\"x\\\"y\",\"owner\":\"ada\"}");
	assert_true(vm->deletion_protection);
	assert_int_equal(vm->n_disks, 2);
	assert_string_equal(vm->disks[0].source, "boot-1");
	assert_string_equal(vm->disks[0].type, "PERSISTENT");
	assert_true(vm->disks[0].boot && vm->disks[0].auto_delete);
	assert_int_equal(vm->disks[0].size_gb, 250);
	assert_string_equal(vm->disks[1].source, "");
	assert_string_equal(vm->disks[1].type, "SCRATCH");
	assert_int_equal(vm->disks[1].size_gb, 375);
	assert_int_equal(vm->n_accelerators, 1);
	assert_string_equal(vm->accelerators[0].type, "nvidia-tesla-t4");
	assert_int_equal(vm->accelerators[0].count, 2);
	assert_int_equal(vm->n_external_ips, 1);
	assert_string_equal(vm->external_ips[0], "34.1.2.3");
	free(scope);
	free(body);
	world_close(&w);
}

static void what_is_absent_has_a_plain_value(void **state)
{
	char *vm = small("7", "bare", "SOMETHING_NEW");
	char *scope = scope_of("zones/us-central1-f", "instances", vm);
	char *body = page(scope, "");
	struct fault_step step = {.match = LIST, .body = body};
	struct gce_instances list = {0};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_int_equal(gce_instances(w.g, P, &w.a, &list, &w.e), E_OK);
	assert_int_equal(list.n, 1);
	assert_string_equal(list.v[0].status, "SOMETHING_NEW");
	assert_string_equal(list.v[0].machine_type, "");
	assert_string_equal(list.v[0].class, "on-demand");
	assert_string_equal(list.v[0].labels, "{}");
	assert_true(list.v[0].created == TS_NONE);
	assert_true(list.v[0].last_stop == TS_NONE);
	assert_true(list.v[0].ends == TS_NONE);
	assert_int_equal(list.v[0].n_disks + list.v[0].n_external_ips, 0);
	free(vm);
	free(scope);
	free(body);
	world_close(&w);
}

#define STARTED 1771812001 /* 2026-02-23T02:00:01Z */

static void class_and_end_are_those_of_the_scheduling(void **state)
{
	static const struct {
		const char *scheduling, *class;
		ts_t ends;
		bool deleted;
	} cases[] = {
		{"{\"preemptible\":true}", "spot", TS_NONE, false},
		{"{\"preemptible\":true,\"provisioningModel\":\"STANDARD\"}", "spot",
			TS_NONE, false},
		{"{\"provisioningModel\":\"SPOT\"}", "spot", TS_NONE, false},
		{"{\"provisioningModel\":\"STANDARD\"}", "on-demand", TS_NONE, false},
		{"{\"provisioningModel\":\"FLEX_START\"}", "flex-start", TS_NONE, false},
		{"{\"provisioningModel\":\"RESERVATION_BOUND\"}", "reserved", TS_NONE,
			false},
		{"{\"provisioningModel\":\"OF_TOMORROW\"}", "unknown", TS_NONE, false},
		{"{}", "on-demand", TS_NONE, false},
		{"null", "on-demand", TS_NONE, false},
		/* the longest run begins with the last start */
		{"{\"maxRunDuration\":{\"seconds\":\"3600\",\"nanos\":5},"
		 "\"instanceTerminationAction\":\"STOP\"}",
			"on-demand", STARTED + 3600, false},
		/* an end that was requested is exact */
		{"{\"maxRunDuration\":{\"seconds\":\"3600\"},\"terminationTime\":"
		 "\"2026-02-23T04:00:00Z\",\"instanceTerminationAction\":\"DELETE\"}",
			"on-demand", STARTED - 1 + 7200, true},
		/* and the one that Google computed decides */
		{"{\"terminationTime\":\"2026-02-23T04:00:00Z\"},\"resourceStatus\":{"
		 "\"scheduling\":{\"terminationTimestamp\":"
		 "\"2026-02-22T21:00:00.000-08:00\"}}",
			"on-demand", STARTED - 1 + 3 * 3600, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sbuf b = SBUF_INIT;
		struct gce_instances list = {0};
		struct fault_step step = {.match = LIST};
		struct gcp_world w;

		sbuf_addf(&b,
			"{\"kind\":\"k\",\"items\":{\"zones/"
			"a-b\":{\"instances\":[{\"id\":\"1\","
			"\"name\":\"n\",\"status\":\"RUNNING\",\"lastStartTimestamp\":"
			"\"2026-02-23T02:00:01Z\",\"scheduling\":%s}]}}}",
			cases[i].scheduling);
		step.body = b.s;
		world_open(&w, &step, 1);
		assert_int_equal(gce_instances(w.g, P, &w.a, &list, &w.e), E_OK);
		assert_string_equal(list.v[0].class, cases[i].class);
		assert_true(list.v[0].ends == cases[i].ends);
		assert_int_equal(list.v[0].deleted, cases[i].deleted);
		sbuf_done(&b);
		world_close(&w);
	}
}

/* ---- pages and scopes ---------------------------------------------------- */

static void pages_are_merged_and_the_latest_of_a_repeated_item_wins(void **state)
{
	char *a = small("1", "a", "RUNNING"), *b = small("2", "b", "RUNNING");
	char *b2 = small("2", "b", "STOPPING"), *c = small("3", "c", "TERMINATED");
	char *s1 = scope_of("zones/us-a", "instances", a);
	char *s2 = scope_of("zones/us-b", "instances", b);
	char *s3 = scope_of("zones/us-b", "instances", b2);
	char *s4 = scope_of("zones/us-c", "instances", c);
	struct sbuf one = SBUF_INIT, two = SBUF_INIT;
	char *p1, *p2;
	struct gce_instances list = {0};
	struct gcp_world w;

	sbuf_addf(&one, "%s,%s,\"zones/us-c\":" NO_RESULTS, s1, s2);
	sbuf_addf(&two, "\"zones/us-a\":" NO_RESULTS ",%s,%s", s3, s4);
	p1 = page(one.s, ",\"nextPageToken\":\"p2\"");
	p2 = page(two.s, "");
	world_open(&w,
		(struct fault_step[]){
			{.match = LIST "instances?returnPartialSuccess=true&maxResults=500"
				       "&pageToken=p2",
				.body = p2},
			{.match = LIST, .body = p1}},
		2);
	assert_int_equal(gce_instances(w.g, P, &w.a, &list, &w.e), E_OK);
	assert_int_equal(list.n, 3);
	assert_int_equal(list.r.pages, 2);
	assert_int_equal(list.r.repeated, 1);
	assert_int_equal(list.r.scopes.n, 0);
	assert_string_equal(list.v[0].name, "a");
	assert_string_equal(list.v[1].name, "b");
	assert_string_equal(list.v[1].status, "STOPPING");
	assert_string_equal(list.v[2].name, "c");
	assert_string_equal(list.v[2].zone, "us-c");
	world_close(&w);
	sbuf_done(&one);
	sbuf_done(&two);
	free(a), free(b), free(b2), free(c);
	free(s1), free(s2), free(s3), free(s4), free(p1), free(p2);
}

static void locations_that_did_not_answer_are_named(void **state)
{
	char *body = page(
		"\"zones/us-a\":" NO_RESULTS
		",\"zones/us-east1-d\":{\"warning\":{\"code\":\"UNREACHABLE\"}},"
		"\"regions/europe-west4\":{\"warning\":{\"code\":\"PARTIAL_SUCCESS\"}},"
		"\"zones/us-b\":{\"warning\":{\"code\":\"SOMETHING_NEW\"}},"
		"\"zones/us-c\":{\"warning\":{}},"
		"\"zones/us-d\":{},\"global\":{\"warning\":null}",
		",\"unreachables\":[\"zones/us-east1-d\",\"zones/us-west1-c\"]");
	static const char *const want[] = {
		"us-east1-d", "europe-west4", "us-b", "us-c", "us-west1-c"};
	struct fault_step step = {.match = LIST, .body = body};
	struct gce_disks list = {0};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_int_equal(gce_disks(w.g, P, &w.a, &list, &w.e), E_OK);
	assert_int_equal(list.n, 0);
	assert_int_equal(list.r.scopes.n, ARRAY_LEN(want));
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		assert_string_equal(list.r.scopes.incomplete[i], want[i]);
	free(body);
	world_close(&w);
}

/* Each page may lack something, whatever the pages before it named. */
static void a_warning_without_a_location_counts_on_each_page(void **state)
{
#define LACKS "{\"warning\":{\"code\":\"UNREACHABLE\"}}"
	static const struct {
		const char *items, *want; /* of the second page */
	} cases[] = {
		{"", GCP_EVERYWHERE}, {"\"zones/us-b\":{}", GCP_EVERYWHERE},
		{"\"zones/us-a\":" LACKS, NULL}, /* it names where */
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *one = page("\"zones/us-a\":" LACKS, ",\"nextPageToken\":\"p2\"");
		char *two = page(cases[i].items, ",\"warning\":{\"code\":\"UNREACHABLE\"}");
		struct fault_step steps[] = {
			{.match = LIST "disks?returnPartialSuccess=true&maxResults=500"
				       "&pageToken=p2",
				.body = two},
			{.match = LIST, .body = one}};
		struct gce_disks list = {0};
		struct gcp_world w;

		world_open(&w, steps, ARRAY_LEN(steps));
		assert_int_equal(gce_disks(w.g, P, &w.a, &list, &w.e), E_OK);
		assert_string_equal(list.r.scopes.incomplete[0], "us-a");
		assert_int_equal(list.r.scopes.n, cases[i].want ? 2 : 1);
		if (cases[i].want)
			assert_string_equal(list.r.scopes.incomplete[1], cases[i].want);
		free(one), free(two);
		world_close(&w);
	}
}

static void what_is_no_list_is_not_an_empty_list(void **state)
{
	static const char *const bodies[] = {
		"{}", "{\"items\":[]}", "{\"items\":{\"zones/a\":[]}}",
		"{\"items\":{\"zones/a\":{\"instances\":{}}}}",
		"{\"items\":{\"zones/a\":{\"instances\":[7]}}}",
		"{\"items\":{\"zones/../b\":{\"instances\":[]}}}",
		"{\"items\":{\"zones/\":{\"instances\":[]}}}",
		"{\"items\":{\"planets/a\":{\"instances\":[]}}}",
		"{\"items\":{},\"unreachables\":{}}", "{\"items\":{}", /* cut */
	};

	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		struct fault_step step = {.match = LIST, .body = bodies[i]};
		struct gce_instances list = {.n = 77};
		struct gcp_world w;

		world_open(&w, &step, 1);
		if (gce_instances(w.g, P, &w.a, &list, &w.e) != E_DATA)
			fail_msg("case %zu: %s", i, w.e.msg);
		assert_int_equal(list.n, 77); /* untouched */
		assert_non_null(strstr(w.e.msg, "list Compute Engine instances: "));
		world_close(&w);
	}
}

static void a_member_that_reads_wrong_spoils_the_list(void **state)
{
	static const struct {
		const char *members, *field;
	} cases[] = {
		{"\"name\":\"n\",\"status\":\"R\"", "id"},
		{"\"id\":\"x\",\"name\":\"n\",\"status\":\"R\"", "id"},
		{"\"id\":9007199254740993,\"name\":\"n\",\"status\":\"R\"", "id"},
		{"\"id\":-1,\"name\":\"n\",\"status\":\"R\"", "id"},
		{"\"id\":\"184467440737095516150\",\"name\":\"n\",\"status\":\"R\"", "id"},
		{"\"id\":\"1\",\"status\":\"R\"", "name"},
		{"\"id\":\"1\",\"name\":7,\"status\":\"R\"", "name"},
		{"\"id\":\"1\",\"name\":\"\",\"status\":\"R\"", "name"},
		{"\"id\":\"1\",\"name\":\"a/b\",\"status\":\"R\"", "name"},
		{"\"id\":\"1\",\"name\":\"a;b\",\"status\":\"R\"", "name"},
		{"\"ID\":\"1\",\"name\":\"n\",\"status\":\"R\"", "id"},
		{"\"id\":\"1\",\"name\":\"n\"", "status"},
		{"\"id\":\"1\",\"name\":\"n\",\"status\":{}", "status"},
		{"\"id\":\"1\",\"name\":\"n\",\"status\":\"R\",\"creationTimestamp\":"
		 "\"2026-02-20T03:11:09\"",
			"creationTimestamp"},
		{"\"id\":\"1\",\"name\":\"n\",\"status\":\"R\",\"labels\":[]", "labels"},
		{"\"id\":\"1\",\"name\":\"n\",\"status\":\"R\",\"labels\":{\"a\":1}",
			"labels"},
		{"\"id\":\"1\",\"name\":\"n\",\"status\":\"R\",\"disks\":{}", "disks"},
		{"\"id\":\"1\",\"name\":\"n\",\"status\":\"R\",\"disks\":[1]", "disks"},
		{"\"id\":\"1\",\"name\":\"n\",\"status\":\"R\",\"disks\":[{"
		 "\"diskSizeGb\":\"x\"}]",
			"diskSizeGb"},
		{"\"id\":\"1\",\"name\":\"n\",\"status\":\"R\",\"disks\":[{"
		 "\"diskSizeGb\":\"-1\"}]",
			"diskSizeGb"},
		{"\"id\":\"1\",\"name\":\"n\",\"status\":\"R\",\"deletionProtection\":"
		 "\"false\"",
			"deletionProtection"},
		{"\"id\":\"1\",\"name\":\"n\",\"status\":\"R\",\"scheduling\":7",
			"scheduling"},
		{"\"id\":\"1\",\"name\":\"n\",\"status\":\"R\",\"scheduling\":{"
		 "\"preemptible\":"
		 "\"true\"}",
			"preemptible"},
		{"\"id\":\"1\",\"name\":\"n\",\"status\":\"R\",\"guestAccelerators\":[{"
		 "\"acceleratorCount\":1.5}]",
			"acceleratorCount"},
		{"\"id\":\"1\",\"name\":\"n\",\"status\":\"R\",\"guestAccelerators\":[{"
		 "\"acceleratorCount\":-2}]",
			"acceleratorCount"},
		{"\"id\":\"1\",\"name\":\"n\",\"status\":\"R\",\"networkInterfaces\":{"
		 "}",
			"networkInterfaces"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sbuf b = SBUF_INIT;
		struct fault_step step = {.match = LIST};
		struct gce_instances list = {0};
		struct gcp_world w;

		sbuf_addf(&b,
			"{\"kind\":\"k\",\"items\":{\"zones/"
			"us-a\":{\"instances\":[{%s}]}}}",
			cases[i].members);
		step.body = b.s;
		world_open(&w, &step, 1);
		if (gce_instances(w.g, P, &w.a, &list, &w.e) != E_DATA ||
			!strstr(w.e.msg, cases[i].field) || !strstr(w.e.msg, "zones/us-a"))
			fail_msg("case %zu: %s", i, w.e.msg);
		assert_int_equal(list.n, 0);
		sbuf_done(&b);
		world_close(&w);
	}
}

static void page_two_failing_leaves_nothing(void **state)
{
	char *a = small("1", "a", "RUNNING");
	char *s = scope_of("zones/us-a", "instances", a);
	char *p1 = page(s, ",\"nextPageToken\":\"p2\"");
	struct gce_instances list = {0};
	struct gcp_world w;

	world_open(&w,
		(struct fault_step[]){{.match = LIST, .times = 1, .body = p1},
			{.match = LIST, .status = 403, .body = "{}"}},
		2);
	assert_int_equal(gce_instances(w.g, P, &w.a, &list, &w.e), E_DENIED);
	assert_non_null(strstr(w.e.msg, "page 2"));
	assert_non_null(strstr(w.e.fix, "roles/compute.viewer"));
	assert_int_equal(list.n, 0);
	world_close(&w);
	free(a), free(s), free(p1);
}

/* ---- disks and addresses ------------------------------------------------- */

static void disks_are_zonal_or_regional(void **state)
{
	char *body = page(
		"\"zones/"
		"us-central1-f\":{\"disks\":[{\"id\":\"1\",\"name\":\"d1\",\"type\":"
		"\"" Z "/diskTypes/pd-ssd\",\"sizeGb\":\"800\",\"status\":\"READY\","
		"\"creationTimestamp\":\"2026-02-20T00:00:00Z\","
		"\"lastAttachTimestamp\":"
		"\"2026-02-20T01:00:00Z\",\"lastDetachTimestamp\":\"2026-02-20T02:00:"
		"00Z\","
		"\"provisionedIops\":\"3000\",\"labels\":{\"a\":\"b\"},\"users\":[\"" Z
		"/instances/vm-1\",\"" Z "/instances/vm-2\"]}]},"
		"\"regions/us-central1\":{\"disks\":[{\"id\":\"2\",\"name\":\"d2\","
		"\"replicaZones\":[]}]}",
		"");
	struct fault_step step = {.match = LIST "disks", .body = body};
	struct gce_disks list = {0};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_int_equal(gce_disks(w.g, P, &w.a, &list, &w.e), E_OK);
	assert_int_equal(list.n, 2);
	assert_string_equal(list.v[0].zone, "us-central1-f");
	assert_string_equal(list.v[0].region, "");
	assert_string_equal(list.v[0].type, "pd-ssd");
	assert_int_equal(list.v[0].size_gb, 800);
	assert_string_equal(list.v[0].status, "READY");
	assert_int_equal(list.v[0].n_users, 2);
	assert_string_equal(list.v[0].users[1], "vm-2");
	assert_string_equal(list.v[0].labels, "{\"a\":\"b\"}");
	assert_string_equal(list.v[1].zone, "");
	assert_string_equal(list.v[1].region, "us-central1");
	assert_int_equal(list.v[1].n_users, 0);
	free(body);
	world_close(&w);
}

static void addresses_are_regional_or_global(void **state)
{
	char *body = page(
		"\"regions/"
		"us-central1\":{\"addresses\":[{\"id\":\"1\",\"name\":\"ip1\",\"address\":"
		"\"34.1.2.3\",\"addressType\":\"EXTERNAL\",\"status\":\"RESERVED\","
		"\"creationTimestamp\":\"2026-02-20T00:00:00Z\"}]},\"global\":{"
		"\"addresses\":[{\"id\":\"2\",\"name\":\"ip2\",\"status\":\"IN_USE\","
		"\"users\":[\"https://x/forwardingRules/f1\"]}]}",
		"");
	struct fault_step step = {.match = LIST "addresses", .body = body};
	struct gce_addresses list = {0};
	struct gcp_world w;

	world_open(&w, &step, 1);
	assert_int_equal(gce_addresses(w.g, P, &w.a, &list, &w.e), E_OK);
	assert_int_equal(list.n, 2);
	assert_string_equal(list.v[0].region, "us-central1");
	assert_string_equal(list.v[0].type, "EXTERNAL");
	assert_string_equal(list.v[0].status, "RESERVED");
	assert_int_equal(list.v[0].created, 1771545600);
	assert_string_equal(list.v[1].region, "global");
	assert_string_equal(list.v[1].users[0], "f1");
	assert_string_equal(list.v[1].labels, "{}");
	free(body);
	world_close(&w);
}

/* ---- many at once -------------------------------------------------------- */

static void count_end(struct gcp_result *r, void *ctx)
{
	(void)r;
	(*(int *)ctx)++;
}

static void lists_of_many_projects_run_together(void **state)
{
	/* one token, then three lists that all have to be under way before any is
	 * answered */
	struct fault_step steps[] = {{.match = "GET /compute/v1/projects/project-b/",
					     .how = FAULT_RENDEZVOUS,
					     .count = 4,
					     .status = 403,
					     .body = "{}"},
		{.match = "GET ",
			.how = FAULT_RENDEZVOUS,
			.count = 4,
			.body = "{\"kind\":\"k\",\"items\":{}}"}};
	struct gce_instances a = {0}, b = {0};
	struct gce_disks c = {0};
	struct gcp_world w;
	int ended = 0;

	world_open(&w, steps, 2);
	a.r.done = b.r.done = c.r.done = count_end;
	a.r.ctx = b.r.ctx = c.r.ctx = &ended;
	list_start(&w, &gce_instance_listing, "project-a", NULL, &a.r);
	list_start(&w, &gce_instance_listing, "project-b", NULL, &b.r);
	list_start(&w, &gce_disk_listing, "project-c", NULL, &c.r);
	assert_int_equal(
		gcp_listing_start(&gce_disk_listing, w.g, "../x", NULL, &w.a, &c.r, &w.e),
		E_CONFIG);
	c.r.code = E_BUG;
	assert_int_equal(gcp_run(w.g, &w.e), E_OK);
	assert_int_equal(ended, 3);
	assert_int_equal(a.r.code, E_OK);
	assert_int_equal(b.r.code, E_DENIED);
	assert_int_equal(c.r.code, E_OK);
	assert_non_null(strstr(b.r.err.fix, "project-b"));
	world_close(&w);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_instance_is_read_with_all_its_parts),
		cmocka_unit_test(what_is_absent_has_a_plain_value),
		cmocka_unit_test(class_and_end_are_those_of_the_scheduling),
		cmocka_unit_test(pages_are_merged_and_the_latest_of_a_repeated_item_wins),
		cmocka_unit_test(locations_that_did_not_answer_are_named),
		cmocka_unit_test(a_warning_without_a_location_counts_on_each_page),
		cmocka_unit_test(what_is_no_list_is_not_an_empty_list),
		cmocka_unit_test(a_member_that_reads_wrong_spoils_the_list),
		cmocka_unit_test(page_two_failing_leaves_nothing),
		cmocka_unit_test(disks_are_zonal_or_regional),
		cmocka_unit_test(addresses_are_regional_or_global),
		cmocka_unit_test(lists_of_many_projects_run_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
