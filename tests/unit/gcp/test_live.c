/* One look at a machine: everything that may keep it from being stopped is seen, and what cannot be
 * told counts as a reason. The oracle is what a server answered. */
#include <ifaddrs.h>
static int our_addresses(struct ifaddrs **list);
static void forget_addresses(struct ifaddrs *list);
#define getifaddrs our_addresses
#define freeifaddrs forget_addresses
#include "gcp/auth/own_host.c"

#include "base/data/json.h"
#include "gcp/live/live.h"
#include "tests/support/assert.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/unit.h"

#include <stdio.h>

#define P "my-project"
#define Z "us-central1-f"
#define VM "GET /compute/v1/projects/" P "/zones/" Z "/instances/big?"
#define NODE "GET /v2/projects/" P "/locations/" Z "/nodes/tpu-1?"
#define NODES "GET /v2/projects/" P "/locations/" Z "/nodes?"
#define QUEUED "GET /v2/projects/" P "/locations/" Z "/queuedResources/qr-1?"
#define PATH "projects/" P "/locations/" Z

static const struct gcp_thing vm = {
	.kind = GCP_VM, .project = P, .location = Z, .name = "big"};
static const struct gcp_thing node = {
	.kind = GCP_NODE, .project = P, .location = Z, .name = "tpu-1"};
static const struct gcp_thing queued = {
	.kind = GCP_QUEUED, .project = P, .location = Z, .name = "qr-1"};

/* Answers by the fewest words, and `more` members. */
static const char *vm_body(const char *more)
{
	static char b[8192];

	snprintf(b, sizeof(b),
		"{\"id\":\"77\",\"name\":\"big\",\"status\":\"RUNNING\",\"machineType\":"
		"\"https://x/machineTypes/n1-highmem-96\"%s%s}",
		*more ? "," : "", more);
	return b;
}

static const char *node_body(const char *more)
{
	static char b[8192];

	snprintf(b, sizeof(b),
		"{\"name\":\"" PATH "/nodes/tpu-1\",\"id\":\"88\",\"state\":\"READY\","
		"\"acceleratorType\":\"v3-8\",\"runtimeVersion\":\"tpu-vm-base\"%s%s}",
		*more ? "," : "", more);
	return b;
}

struct look {
	struct gcp_world w;
	struct gcp_live l;
	enum err_code rc;
};

static void look(
	struct look *k, const struct gcp_thing *t, const struct fault_step *steps, size_t n)
{
	memset(&k->l, 0, sizeof(k->l));
	world_open(&k->w, steps, n);
	k->rc = gcp_live_get(k->w.g, t, &k->w.a, &k->l, &k->w.e);
}

static void look_vm(struct look *k, const char *more)
{
	struct fault_step step = {.match = VM, .body = vm_body(more)};

	look(k, &vm, &step, 1);
	assert_ok(k->rc, k->w.e);
	assert_true(k->l.found);
}

static void look_node(struct look *k, const char *more)
{
	struct fault_step step = {.match = NODE, .body = node_body(more)};

	look(k, &node, &step, 1);
	assert_ok(k->rc, k->w.e);
	assert_true(k->l.found);
}

/* ---- machines ---------------------------------------------------------------------------------- */

static void a_machine_is_seen_whole(void **state)
{
	struct look k;

	look_vm(&k,
		"\"creationTimestamp\":\"2026-11-19T21:00:00.000-08:00\","
		"\"lastStartTimestamp\":\"2026-11-20T21:00:00.000-08:00\","
		"\"labels\":{\"b\":\"2\",\"a\":\"1\"},\"deletionProtection\":true,"
		"\"scheduling\":{\"preemptible\":false,\"provisioningModel\":\"SPOT\"},"
		"\"disks\":[{\"type\":\"PERSISTENT\",\"source\":\"https://x/disks/big\","
		"\"boot\":true,\"autoDelete\":true,\"diskSizeGb\":\"250\"},"
		"{\"type\":\"PERSISTENT\",\"source\":\"https://x/disks/data\",\"boot\":"
		"false,\"autoDelete\":false,\"diskSizeGb\":\"9\"}],"
		"\"guestAccelerators\":[{\"acceleratorType\":\"https://x/nvidia-tesla-t4\","
		"\"acceleratorCount\":2}],"
		"\"serviceAccounts\":[{\"email\":\"123-compute@developer.gserviceaccount."
		"com\"}],\"networkInterfaces\":[{\"networkIP\":\"10.9.9.9\"}]");
	assert_string_equal(k.l.uid, "77");
	assert_string_equal(k.l.raw_state, "RUNNING");
	assert_string_equal(k.l.state, "running");
	assert_string_equal(k.l.type, "n1-highmem-96");
	assert_ts_eq(k.l.created, WORLD_NOW - 86400);
	assert_ts_eq(k.l.started, WORLD_NOW);
	assert_string_equal(k.l.labels, "{\"a\":\"1\",\"b\":\"2\"}");
	assert_true(k.l.deletion_protection);
	assert_false(k.l.local_ssd);
	assert_false(k.l.own_host);
	assert_null(k.l.managed_by);
	assert_i64_eq(k.l.hosts, 1);
	assert_string_equal(k.l.queued, "");
	assert_false(k.l.multislice);
	assert_true(k.l.spot);
	assert_false(k.l.flex_start);
	assert_string_equal(k.l.restart,
		"gcloud compute instances start big --project=" P " --zone=" Z);
	assert_string_equal(k.l.recreate,
		"gcloud compute instances create big --project=" P " --zone=" Z
		" --machine-type=n1-highmem-96 --provisioning-model=SPOT"
		" --accelerator=type=nvidia-tesla-t4,count=2 --boot-disk-size=250GB"
		" --disk=name=data,boot=no,auto-delete=no --labels=a=1,b=2"
		" --service-account=123-compute@developer.gserviceaccount.com");
	world_close(&k.w);
}

/* What the command to make it again says of its disks. */
static void disks_are_made_again_or_attached(void **state)
{
#define BOOT "\"autoDelete\":true,\"boot\":true"
#define SSD "{\"type\":\"SCRATCH\",\"autoDelete\":true}"
	static const struct {
		const char *disks, *options;
		bool local;
	} cases[] = {
		{"{" BOOT ",\"diskSizeGb\":\"1\"}", " --boot-disk-size=1GB"},
		{"{" BOOT ",\"diskSizeGb\":\"0\"}", ""},
		{"{" BOOT "}", ""},
		{"{\"autoDelete\":true,\"diskSizeGb\":\"9\",\"source\":\"https://x/disks/"
		 "a\"}",
			""},
		{"{\"boot\":true,\"source\":\"\",\"diskSizeGb\":\"9\"}",
			" --boot-disk-size=9GB"},
		{"{\"boot\":true,\"source\":\"https://x/disks/a\",\"diskSizeGb\":\"9\"}",
			" --disk=name=a,boot=yes,auto-delete=no"},
		{"{" BOOT ",\"diskSizeGb\":\"2\"}," SSD "," SSD,
			" --boot-disk-size=2GB --local-ssd=interface=NVME"
			" --local-ssd=interface=NVME",
			true},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct look k;
		char more[400], want[400];

		snprintf(more, sizeof(more),
			"\"disks\":[%s],\"guestAccelerators\":[{\"acceleratorType\":\"a\","
			"\"acceleratorCount\":1},{\"acceleratorType\":\"b\","
			"\"acceleratorCount\":2}]",
			cases[i].disks);
		snprintf(want, sizeof(want),
			"gcloud compute instances create big --project=" P " --zone=" Z
			" --machine-type=n1-highmem-96 --accelerator=type=a,count=1"
			" --accelerator=type=b,count=2%s",
			cases[i].options);
		look_vm(&k, more);
		assert_string_equal(k.l.recreate, want);
		assert_int_equal(k.l.local_ssd, cases[i].local);
		world_close(&k.w);
	}
}

static void what_is_left_out_forbids_nothing(void **state)
{
	struct look k;

	look_vm(&k, "");
	assert_ts_eq(k.l.started, TS_NONE);
	assert_ts_eq(k.l.created, TS_NONE);
	assert_string_equal(k.l.labels, "{}");
	assert_false(k.l.deletion_protection || k.l.local_ssd || k.l.own_host || k.l.spot ||
		k.l.flex_start);
	assert_null(k.l.managed_by);
	world_close(&k.w);
}

static void labels_that_do_not_read_well_are_unknown(void **state)
{
	static const char *const bad[] = {"\"labels\":[]", "\"labels\":\"a=b\"",
		"\"labels\":{\"a\":1}", "\"labels\":{\"a\":{\"b\":\"c\"}}"};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct look k;

		look_vm(&k, bad[i]);
		assert_null(k.l.labels);
		assert_string_equal(k.l.uid, "77");
		world_close(&k.w);
		look_node(&k, bad[i]);
		assert_null(k.l.labels);
		world_close(&k.w);
	}
}

static void owners_are_told_by_what_they_leave_behind(void **state)
{
	static const struct {
		const char *more, *manager;
	} cases[] = {
		{"\"labels\":{\"goog-gke-node\":\"\"}", "Google Kubernetes Engine"},
		{"\"labels\":{\"goog-k8s-cluster-name\":\"c\"}",
			"Google Kubernetes Engine"},
		{"\"labels\":{\"goog-dataproc-cluster-name\":\"c\"}", "Dataproc"},
		{"\"labels\":{\"goog-composer-environment\":\"c\"}", "Cloud Composer"},
		{"\"labels\":{\"goog-dataflow-provisioner\":\"c\"}", "Dataflow"},
		{"\"labels\":{\"dataflow_job_id\":\"c\"}", "Dataflow"},
		{"\"labels\":{\"batch-job-uid\":\"c\"}", "Batch"},
		{"\"labels\":{\"goog-caip-notebook\":\"\"}", "Vertex AI Workbench"},
		{"\"labels\":{\"goog-vertex-x\":\"\"}", "Vertex AI"},
		{"\"labels\":{\"managed-by-cnrm\":\"true\"}", "Config Connector"},
		{"\"labels\":{\"goog-tomorrow\":\"1\"}",
			"a Google product that sets the label goog-tomorrow"},
		{"\"labels\":{\"goog-terraform-provisioned\":\"true\"}", NULL},
		{"\"labels\":{\"goog-ops-agent-policy\":\"x\"}", NULL},
		{"\"labels\":{\"goog-ec-src\":\"x\",\"goog-gke-node\":\"\"}",
			"Google Kubernetes Engine"},
		{"\"labels\":{\"owner\":\"goog-gke-node\"}", NULL},
		{"\"metadata\":{\"items\":[{\"key\":\"x\",\"value\":\"y\"},{\"key\":"
		 "\"created-by\",\"value\":\"projects/1/zones/z/instanceGroupManagers/"
		 "workers\"}]}",
			"the managed instance group workers"},
		{"\"metadata\":{\"items\":[{\"key\":\"created-by\",\"value\":"
		 "\"projects/1/locations/z/somethings/new\"}]}",
			"its creator, projects/1/locations/z/somethings/new"},
		{"\"metadata\":{\"items\":[{\"key\":\"created-by\",\"value\":\"ada\"}]}",
			NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct look k;

		look_vm(&k, cases[i].more);
		if (!str_eq(k.l.managed_by, cases[i].manager))
			fail_msg("%s: %s", cases[i].more,
				k.l.managed_by ? k.l.managed_by : "nobody");
		world_close(&k.w);
	}
}

static void local_disks_and_flex_start_are_seen(void **state)
{
	struct look k;

	look_vm(&k, "\"disks\":[{\"type\":\"SCRATCH\",\"autoDelete\":true}]");
	assert_true(k.l.local_ssd);
	assert_contains(k.l.recreate, " --local-ssd=interface=NVME");
	world_close(&k.w);
	look_vm(&k,
		"\"disks\":[{\"type\":\"SCRATCH\",\"autoDelete\":true},"
		"{\"type\":\"PERSISTENT\",\"source\":\"https://x/disks/data\"}]");
	assert_true(k.l.local_ssd);
	world_close(&k.w);
	look_vm(&k, "\"scheduling\":{\"provisioningModel\":\"FLEX_START\"}");
	assert_true(k.l.flex_start);
	assert_string_equal(k.l.restart, "");
	assert_contains(k.l.recreate, " --provisioning-model=FLEX_START");
	world_close(&k.w);
}

/* ---- the record -------------------------------------------------------------------------------- */

static void a_record_holds_no_secrets(void **state)
{
	struct look k;

	look_vm(&k,
		"\"metadata\":{\"kind\":\"compute#metadata\",\"items\":[{\"key\":"
		"\"startup-script\",\"value\":\"export KEY=CANARY\"},{\"key\":\"ssh-keys\","
		"\"value\":\"CANARY\"}]},\"disks\":[{\"type\":\"PERSISTENT\","
		"\"diskEncryptionKey\":{\"rawKey\":\"CANARY\"}}],\"serviceAccounts\":[{"
		"\"email\":\"a@b\"}]");
	assert_null(strstr(k.l.record, "CANARY"));
	assert_contains(k.l.record, "\"key\":\"startup-script\",\"value\":\"(left out)\"");
	assert_contains(k.l.record, "\"email\":\"a@b\"");
	assert_contains(k.l.record, "\"machineType\":");
	world_close(&k.w);
	look_node(&k, "\"metadata\":{\"startup-script\":\"CANARY\",\"wandb\":\"CANARY\"}");
	assert_null(strstr(k.l.record, "CANARY"));
	assert_contains(k.l.record, "\"wandb\":\"(left out)\"");
	world_close(&k.w);
}

static void a_record_that_is_too_long_is_its_head(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct fault_step step = {.match = VM};
	struct cJSON *j = NULL;
	struct look k;

	sbuf_adds(&b,
		"{\"id\":\"77\",\"name\":\"big\",\"status\":\"RUNNING\",\"machineType\":"
		"\"n1-standard-1\",\"description\":\"");
	sbuf_pad(&b, 'x', GCP_MAX_RECORD);
	sbuf_adds(&b, "\"}");
	step.body = b.s;
	look(&k, &vm, &step, 1);
	assert_ok(k.rc, k.w.e);
	assert_string_equal(k.l.record,
		"{\"cut\":true,\"id\":\"77\",\"name\":\"big\",\"machineType\":"
		"\"n1-standard-1\",\"status\":\"RUNNING\"}");
	assert_ok(json_parse(k.l.record, strlen(k.l.record), &j, &k.w.e), k.w.e);
	json_free(j);
	world_close(&k.w);
}

/* ---- what is no machine ------------------------------------------------------------------------ */

static void only_a_404_that_names_it_means_gone(void **state)
{
	static const struct {
		int status;
		const char *body;
		enum err_code code;
	} cases[] = {
		{404,
			"{\"error\":{\"code\":404,\"message\":\"The resource 'projects/" P
			"/zones/" Z "/instances/big' was not found\",\"errors\":[{"
			"\"reason\":\"notFound\"}]}}",
			E_OK},
		{404,
			"{\"error\":{\"code\":404,\"message\":\"The resource 'projects/" P
			"/zones/" Z "/instances/bigger' was not found\",\"errors\":[{"
			"\"reason\":\"notFound\"}]}}",
			E_HTTP},
		{404,
			"{\"error\":{\"code\":404,\"message\":\"The resource 'projects/" P
			"' was not found\",\"errors\":[{\"reason\":\"notFound\"}]}}",
			E_HTTP},
		{404,
			"{\"error\":{\"code\":404,\"message\":\"The resource 'projects/" P
			"/zones/" Z "/instances/big' was not found\"}}",
			E_HTTP},
		{404, "{}", E_HTTP},
		{404, "<html>big", E_HTTP},
		{403, "{}", E_DENIED},
		{400, "{}", E_HTTP},
		{200, "{}", E_DATA},
		{200, "", E_DATA},
		{200, "<html>", E_DATA},
		{200, "{\"id\":\"77\",\"name\":\"other\",\"status\":\"RUNNING\"}", E_DATA},
		{200, "{\"id\":\"77\",\"name\":\"big\"}", E_DATA},
		{200, "{\"name\":\"big\",\"status\":\"RUNNING\"}", E_DATA},
		{200,
			"{\"id\":\"77\",\"id\":\"78\",\"name\":\"big\",\"status\":"
			"\"RUNNING\"}",
			E_DATA},
		{200, "{\"id\":\"77\",\"name\":\"big\\u0000x\",\"status\":\"RUNNING\"}",
			E_DATA},
		{200, "{\"ID\":\"77\",\"name\":\"big\",\"status\":\"RUNNING\"}", E_DATA},
		{200,
			"{\"id\":\"77\",\"name\":\"big\",\"status\":\"RUNNING\","
			"\"lastStartTimestamp\":\"soon\"}",
			E_DATA},
		{200,
			"{\"id\":\"77\",\"name\":\"big\",\"status\":\"RUNNING\","
			"\"deletionProtection\":\"true\"}",
			E_DATA},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fault_step step = {
			.match = VM, .status = cases[i].status, .body = cases[i].body};
		struct look k;

		look(&k, &vm, &step, 1);
		if (k.rc != cases[i].code)
			fail_msg("case %zu: %s: %s", i, err_name(k.rc), k.w.e.msg);
		assert_false(k.l.found);
		if (k.rc) {
			assert_int_equal(k.w.e.code, k.rc);
			assert_contains(k.w.e.msg, "get Compute Engine instance");
		}
		world_close(&k.w);
	}
}

/* What is no name could be another URL. */
static void names_that_are_none_are_not_asked_for(void **state)
{
	static const char *const names[] = {"", "..", "big/../other", "big?x=1"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct fault_step step = {.match = "GET", .body = vm_body("")};
		struct gcp_thing t = vm;
		struct look k;

		t.name = names[i];
		look(&k, &t, &step, 1);
		assert_int_not_equal(k.rc, E_OK);
		assert_int_equal(fault_count(k.w.s), 0);
		world_close(&k.w);
	}
}

static void a_state_nobody_knows_is_unknown(void **state)
{
	struct fault_step step = {.match = VM,
		.body = "{\"id\":\"77\",\"name\":\"big\",\"status\":\"HOVERING\"}"};
	struct look k;

	look(&k, &vm, &step, 1);
	assert_ok(k.rc, k.w.e);
	assert_string_equal(k.l.raw_state, "HOVERING");
	assert_string_equal(k.l.state, "unknown");
	world_close(&k.w);
	assert_string_equal(gcp_state_ours(GCP_NODE, "READY"), "running");
	assert_string_equal(gcp_state_ours(GCP_NODE, "RUNNING"), "unknown");
	assert_string_equal(gcp_state_ours(GCP_QUEUED, "ACTIVE"), "running");
	assert_string_equal(gcp_state_ours(GCP_VM, ""), "unknown");
}

/* ---- TPUs -------------------------------------------------------------------------------------- */

static void a_node_is_seen_whole(void **state)
{
	struct look k;

	look_node(&k,
		"\"createTime\":\"2026-11-20T05:00:00.9Z\",\"labels\":{\"owner\":\"ada\"},"
		"\"schedulingConfig\":{\"reserved\":true},\"networkEndpoints\":[{"
		"\"ipAddress\":\"10.9.9.1\",\"port\":8470},{\"ipAddress\":\"10.9.9.2\"}],"
		"\"queuedResource\":\"" PATH "/queuedResources/qr-1\",\"multisliceNode\":"
		"true,\"dataDisks\":[{\"sourceDisk\":\"projects/" P "/zones/" Z
		"/disks/data\",\"mode\":\"READ_ONLY\"},{\"mode\":\"READ_WRITE\"},{"
		"\"sourceDisk\":\"d2\"}],\"networkConfig\":{\"network\":"
		"\"projects/p/global/networks/default\"},\"serviceAccount\":{\"email\":"
		"\"a@b.c\"}");
	assert_string_equal(k.l.uid, "88");
	assert_string_equal(k.l.state, "running");
	assert_string_equal(k.l.type, "v3-8");
	assert_ts_eq(k.l.created, WORLD_NOW - 86400);
	assert_ts_eq(k.l.started, TS_NONE);
	assert_string_equal(k.l.labels, "{\"owner\":\"ada\"}");
	assert_i64_eq(k.l.hosts, 2);
	assert_string_equal(k.l.queued, "qr-1");
	assert_true(k.l.multislice);
	assert_false(k.l.spot);
	assert_string_equal(k.l.restart,
		"gcloud compute tpus tpu-vm start tpu-1 --project=" P " --zone=" Z);
	assert_string_equal(k.l.recreate,
		"gcloud compute tpus tpu-vm create tpu-1 --project=" P " --zone=" Z
		" --accelerator-type=v3-8 --version=tpu-vm-base --reserved"
		" --labels=owner=ada --data-disk=source=projects/" P "/zones/" Z
		"/disks/data,mode=read-only --data-disk=source=d2,mode=read-write "
		"--network=projects/p/global/networks/default"
		" --internal-ips --service-account=a@b.c");
	world_close(&k.w);
	look_node(&k, "");
	assert_i64_eq(k.l.hosts, 0);
	assert_string_equal(k.l.queued, "");
	assert_false(k.l.multislice);
	world_close(&k.w);
}

static void a_node_of_another_place_is_another(void **state)
{
	static const char *const names[] = {"projects/" P
					    "/locations/us-east1-d/nodes/tpu-1",
		PATH "/nodes/tpu-2", PATH "/queuedResources/tpu-1", "tpu-1"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct fault_step step = {.match = NODE};
		struct look k;
		char body[256];

		snprintf(body, sizeof(body), "{\"name\":\"%s\",\"state\":\"READY\"}",
			names[i]);
		step.body = body;
		look(&k, &node, &step, 1);
		assert_int_equal(k.rc, E_DATA);
		world_close(&k.w);
	}
}

#define QR(specs)                                                             \
	"{\"name\":\"" PATH "/queuedResources/qr-1\",\"createTime\":"         \
	"\"2026-11-20T05:00:00Z\",\"state\":{\"state\":\"ACTIVE\"},\"tpu\":{" \
	"\"nodeSpec\":[" specs "]}}"
#define SPEC(id, node)      \
	"{\"nodeId\":\"" id \
	"\",\"node\":{\"acceleratorType\":\"v4-32\",\"runtimeVersion\":\"r\"" node "}}"
#define MADE(name, more) \
	"{\"name\":\"" PATH "/nodes/" name "\",\"state\":\"READY\"," more "}"

#define SOLD_AS(tier)                                                         \
	"{\"name\":\"" PATH "/queuedResources/qr-1\",\"createTime\":"         \
	"\"2026-11-20T05:00:00Z\",\"state\":{\"state\":\"ACTIVE\"}," tier "," \
	"\"tpu\":{\"nodeSpec\":[" SPEC("tpu-1", "") "]}}"
#define CREATE_QR                                                                    \
	"gcloud compute tpus queued-resources create qr-1 --project=" P " --zone=" Z \
	" --node-id=tpu-1 --accelerator-type=v4-32 --runtime-version=r"

static void look_queued(struct look *k, const char *qr, const char *nodes)
{
	struct fault_step steps[] = {
		{.match = QUEUED, .body = qr}, {.match = NODES, .body = nodes}};

	look(k, &queued, steps, 2);
}

static void a_queued_resource_is_seen_with_its_nodes(void **state)
{
	struct look k;

	look_queued(&k, QR(SPEC("tpu-1", ",\"labels\":{\"team\":\"x\"}")),
		"{\"nodes\":[" MADE("tpu-1",
			"\"queuedResource\":\"" PATH "/queuedResources/qr-1\","
			"\"networkEndpoints\":[{\"ipAddress\":\"10.9.9.1\"},{\"ipAddress\":"
			"\"10.9.9.2\"}],\"labels\":{\"owner\":\"ada\"}") "," MADE("tpu-2",
			"\"labels\":{\"goog-gke-node\":\"\"},\"queuedResource\":"
			"\"" PATH "/queuedResources/qr-2\"") "]}");
	assert_ok(k.rc, k.w.e);
	assert_string_equal(k.l.uid, "");
	assert_string_equal(k.l.raw_state, "ACTIVE");
	assert_string_equal(k.l.state, "running");
	assert_string_equal(k.l.type, "v4-32");
	assert_ts_eq(k.l.created, WORLD_NOW - 86400);
	assert_string_equal(k.l.labels, "{\"owner\":\"ada\",\"team\":\"x\"}");
	assert_i64_eq(k.l.hosts, 2);
	assert_null(k.l.managed_by);
	assert_false(k.l.own_host);
	assert_string_equal(k.l.restart, "");
	assert_string_equal(k.l.recreate,
		"gcloud compute tpus queued-resources create qr-1 --project=" P " --zone=" Z
		" --node-id=tpu-1 --accelerator-type=v4-32 --runtime-version=r"
		" --labels=team=x");
	world_close(&k.w);
}

static void what_holds_of_a_node_holds_of_its_queued_resource(void **state)
{
	static const struct {
		const char *nodes;
		const char *labels; /* NULL: unknown */
	} cases[] = {
		{"{\"nodes\":[" MADE(
			 "tpu-1", "\"labels\":{\"tpucost-keep\":\"forever\"}") "]}",
			"{\"tpucost-keep\":\"forever\"}"},
		{"{\"nodes\":[" MADE("a",
			 "\"queuedResource\":\"x/qr-1\",\"labels\":{"
			 "\"tpucost-keep\":\"until-20261101\"}") "," MADE("b",
			 "\"queuedResource\":\"x/qr-1\",\"labels\":{"
			 "\"tpucost-keep\":\"forever\"}") "]}",
			NULL},
		{"{\"nodes\":[" MADE("a",
			 "\"queuedResource\":\"x/qr-1\",\"labels\":{"
			 "\"worker\":\"0\"}") "," MADE("b",
			 "\"queuedResource\":\"x/qr-1\",\"labels\":{"
			 "\"worker\":\"1\"}") "]}",
			"{\"worker\":\"0\"}"},
		{"{}", "{}"},
	};
	struct look k;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		look_queued(&k, QR(SPEC("tpu-1", "")), cases[i].nodes);
		assert_ok(k.rc, k.w.e);
		if (!str_eq(k.l.labels, cases[i].labels))
			fail_msg("case %zu: %s", i, k.l.labels ? k.l.labels : "unknown");
		world_close(&k.w);
	}
	look_queued(&k, QR(SPEC("tpu-1", ",\"labels\":{\"goog-gke-node\":\"\"}")), "{}");
	assert_string_equal(k.l.managed_by, "Google Kubernetes Engine");
	world_close(&k.w);
	look_queued(&k, QR(SPEC("tpu-1", "")),
		"{\"nodes\":[" MADE("a",
			"\"schedulingConfig\":{\"preemptible\":true},"
			"\"queuedResource\":\"x/qr-1\"") "," MADE("b",
			"\"queuedResource\":\"x/qr-1\"") "]}");
	assert_true(k.l.spot);
	world_close(&k.w);
	for (int spot = 0; spot < 2; spot++) {
		look_queued(&k,
			spot ? SOLD_AS("\"spot\":{}") : SOLD_AS("\"guaranteed\":{}"), "{}");
		assert_ok(k.rc, k.w.e);
		assert_int_equal(k.l.spot, spot);
		assert_string_equal(k.l.recreate,
			spot ? CREATE_QR " --spot" : CREATE_QR " --guaranteed");
		world_close(&k.w);
	}
	look_queued(&k, QR(SPEC("tpu-1", ",\"labels\":[]")), "{}");
	assert_ok(k.rc, k.w.e);
	assert_null(k.l.labels);
	world_close(&k.w);
	look_queued(&k,
		QR("{\"node\":{\"acceleratorType\":\"v4-8\"},\"multisliceParams\":{"
		   "\"nodeCount\":3,\"nodeIdPrefix\":\"run\"}}"),
		"{}");
	assert_true(k.l.multislice);
	assert_contains(k.l.recreate, " --node-count=3 --node-prefix=run");
	world_close(&k.w);
}

static void without_its_nodes_nothing_is_known_of_it(void **state)
{
	static const char *const nodes[] = {"{\"unreachable\":[\"" Z "\"]}", "[]",
		"{\"nodes\":[{\"name\":7}]}",
		"{\"nodes\":[" MADE("tpu-1", "\"labels\":[]") "]}"};

	for (size_t i = 0; i < ARRAY_LEN(nodes); i++) {
		struct look k;

		look_queued(&k, QR(SPEC("tpu-1", "")), nodes[i]);
		assert_int_not_equal(k.rc, E_OK);
		assert_false(k.l.found);
		world_close(&k.w);
	}
}

/* ---- our own host ------------------------------------------------------------------------------ */

#define OUR_4 "10.1.2.3"
#define OUR_6 "2001:db8::1"

static bool addresses_unknown;

/* A network without an address comes first. */
static int our_addresses(struct ifaddrs **list)
{
	static struct sockaddr_in four = {.sin_family = AF_INET};
	static struct sockaddr_in6 six = {.sin6_family = AF_INET6};
	static struct ifaddrs last = {.ifa_addr = (void *)&six},
			      middle = {&last, .ifa_addr = (void *)&four},
			      first = {&middle};

	inet_pton(AF_INET, OUR_4, &four.sin_addr);
	inet_pton(AF_INET6, OUR_6, &six.sin6_addr);
	*list = &first;
	return addresses_unknown ? -1 : 0;
}

static void forget_addresses(struct ifaddrs *list)
{
	(void)list;
}

static void addresses_are_compared_as_numbers(void **state)
{
	struct sockaddr_in four = {.sin_family = AF_INET};
	struct sockaddr_in6 six = {.sin6_family = AF_INET6};
	static const struct {
		const char *ours, *theirs;
		bool same;
	} cases[] = {
		{"10.1.2.3", "10.1.2.3", true},
		{"10.1.2.3", "10.1.2.30", false},
		{"10.1.2.3", "", false},
		{"127.0.0.1", "127.0.0.1", false},
		{"169.254.1.2", "169.254.1.2", false},
		{"2001:db8::1", "2001:0db8:0:0::1", true},
		{"2001:db8::1", "2001:db8::2", false},
		{"::1", "::1", false},
		{"fe80::1", "fe80::1", false},
		{"10.1.2.3", "::ffff:10.1.2.3", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct sockaddr *sa = (const struct sockaddr *)&four;

		if (strchr(cases[i].ours, ':')) {
			sa = (const struct sockaddr *)&six;
			assert_int_equal(
				inet_pton(AF_INET6, cases[i].ours, &six.sin6_addr), 1);
		} else {
			assert_int_equal(
				inet_pton(AF_INET, cases[i].ours, &four.sin_addr), 1);
		}
		if (same_address(sa, cases[i].theirs) != cases[i].same)
			fail_msg("%s and %s", cases[i].ours, cases[i].theirs);
	}
}

#define VM_AT(four, six)                                                             \
	"\"networkInterfaces\":[{\"networkIP\":\"10.9.9.9\"},{\"networkIP\":\"" four \
	"\",\"ipv6Address\":\"" six "\"}]"
#define NODE_AT(address)                                                               \
	"\"networkEndpoints\":[{\"ipAddress\":\"10.9.9.9\"},{\"ipAddress\":\"" address \
	"\"}]"

static void a_machine_with_our_address_is_ours(void **state)
{
	static const struct {
		const char *vm, *node;
		bool unknown, ours;
	} cases[] = {
		{VM_AT(OUR_4, ""), NODE_AT(OUR_4), .ours = true},
		{VM_AT("10.9.9.8", OUR_6), NODE_AT(OUR_6), .ours = true},
		{VM_AT("10.9.9.8", "2001:db8::2"), NODE_AT("10.9.9.8")},
		{VM_AT("10.9.9.8", ""), NODE_AT("10.9.9.8"), .unknown = true, .ours = true},
		{"", "", .unknown = true}, /* it has none */
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct look k;

		addresses_unknown = cases[i].unknown;
		look_vm(&k, cases[i].vm);
		assert_int_equal(k.l.own_host, cases[i].ours);
		world_close(&k.w);
		look_node(&k, cases[i].node);
		assert_int_equal(k.l.own_host, cases[i].ours);
		world_close(&k.w);
	}
	addresses_unknown = false;
}

static void a_machine_with_our_name_is_ours(void **state)
{
	char host[256] = "", full[300];
	struct own_host_ask q = {.name = host, .uid = ""};
	struct gcp_world w;

	assert_int_equal(gethostname(host, sizeof(host) - 1), 0);
	host[strcspn(host, ".")] = '\0';
	world_open(&w, NULL, 0);
	assert_true(gcp_own_host(w.g, &q));
	snprintf(full, sizeof(full), "%s-2", host);
	q.name = full;
	assert_false(gcp_own_host(w.g, &q));
	/* what has no number is not asked about */
	assert_i64_eq(fault_count(w.s), 0);
	world_close(&w);
}

static void the_metadata_server_knows_our_number(void **state)
{
	static const struct {
		struct fault_step step;
		bool ours;
	} cases[] = {
		{{.headers = "Metadata-Flavor: Google\r\n", .body = "77"}, true},
		{{.headers = "Metadata-Flavor: Google\r\n", .body = "78"}, false},
		{{.body = "77"}, false}, /* it is no metadata server */
		{{.headers = "Metadata-Flavor: Google\r\n", .body = "77", .status = 500},
			false},
		{{.headers = "Metadata-Flavor: Google\r\n", .body = ""}, false},
		{{.how = FAULT_CLOSE}, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct own_host_ask q = {.name = "nobody-has-this-name", .uid = "77"};
		struct fault_step step = cases[i].step;
		struct gcp_world w;

		step.match = "GET /computeMetadata/v1/instance/id ";
		world_open(&w, &step, 1);
		for (int k = 0; k < 3; k++)
			assert_int_equal(gcp_own_host(w.g, &q), cases[i].ours);
		assert_i64_eq(fault_count(w.s), 1);
		assert_contains(fault_request(w.s, 0), "Metadata-Flavor: Google\r\n");
		world_close(&w);
	}
}

/* Every default network has a first address, and "instance-1" is a name of many. */
static void who_knows_its_number_is_no_other_machine(void **state)
{
	static const struct {
		const char *number;
		bool by_name, by_number;
	} cases[] = {{"78", false, true}, {"", true, false}, {"none", true, false},
		{"123456789012345678901", true, false}};
	char host[256] = "";

	assert_int_equal(gethostname(host, sizeof(host) - 1), 0);
	host[strcspn(host, ".")] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fault_step step = {.match = "GET /computeMetadata/v1/instance/id ",
			.headers = "Metadata-Flavor: Google\r\n",
			.body = cases[i].number};
		struct gcp_world w;

		world_open(&w, &step, 1);
		assert_int_equal(gcp_own_host(w.g, &(struct own_host_ask){host, "77"}),
			cases[i].by_name);
		assert_int_equal(gcp_own_host(w.g, &(struct own_host_ask){"another", "78"}),
			cases[i].by_number);
		world_close(&w);
	}
}

UNIT_TESTS()
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_machine_is_seen_whole),
		cmocka_unit_test(disks_are_made_again_or_attached),
		cmocka_unit_test(what_is_left_out_forbids_nothing),
		cmocka_unit_test(labels_that_do_not_read_well_are_unknown),
		cmocka_unit_test(owners_are_told_by_what_they_leave_behind),
		cmocka_unit_test(local_disks_and_flex_start_are_seen),
		cmocka_unit_test(a_record_holds_no_secrets),
		cmocka_unit_test(a_record_that_is_too_long_is_its_head),
		cmocka_unit_test(only_a_404_that_names_it_means_gone),
		cmocka_unit_test(a_state_nobody_knows_is_unknown),
		cmocka_unit_test(names_that_are_none_are_not_asked_for),
		cmocka_unit_test(a_node_is_seen_whole),
		cmocka_unit_test(a_node_of_another_place_is_another),
		cmocka_unit_test(a_queued_resource_is_seen_with_its_nodes),
		cmocka_unit_test(what_holds_of_a_node_holds_of_its_queued_resource),
		cmocka_unit_test(without_its_nodes_nothing_is_known_of_it),
		cmocka_unit_test(addresses_are_compared_as_numbers),
		cmocka_unit_test(a_machine_with_our_address_is_ours),
		cmocka_unit_test(a_machine_with_our_name_is_ours),
		cmocka_unit_test(the_metadata_server_knows_our_number),
		cmocka_unit_test(who_knows_its_number_is_no_other_machine),
	};

	return cmocka_run_group_tests_name("live", tests, NULL, NULL);
}
