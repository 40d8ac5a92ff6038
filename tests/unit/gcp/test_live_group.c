/* Live check of a slice that is a managed instance group: its group, and the machines of the project. */
#include "base/str.h"
#include "gcp/auth/auth.h"
#include "gcp/live/live.h"
#include "tests/support/assert.h"
#include "tests/support/unit.h"
#include "tests/support/world/gcp_world.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define P "my-project"
#define COMPUTE "GET /compute/v1/projects/" P
#define MADE_BY(place, name)                                                             \
	"\"metadata\":{\"items\":[{\"key\":\"created-by\",\"value\":\"projects/1/" place \
	"/instanceGroupManagers/" name "\"}]}"
#define POD MADE_BY("zones/us-east5-a", "pod")
#define STARTED(at) "\"lastStartTimestamp\":\"2026-11-2" at ":00:00Z\""
#define CREATED(at) "\"creationTimestamp\":\"2026-11-2" at ":00:00Z\""

static const struct gcp_thing pod = {
	.kind = GCP_GROUP, .project = P, .location = "us-east5-a", .name = "pod"};
static const struct gcp_thing wide = {.kind = GCP_GROUP,
	.project = P,
	.location = "us-east5-a",
	.name = "pod",
	.regional = true};

struct look {
	struct gcp_world w;
	struct gcp_live l;
	enum err_code rc;
};

static void look_at(struct look *k, const struct gcp_thing *t, const char *group,
	int list_status, const char *list)
{
	struct fault_step steps[] = {
		{.match = t->regional
				? COMPUTE "/regions/us-east5/instanceGroupManagers/pod?"
				: COMPUTE "/zones/us-east5-a/instanceGroupManagers/pod?",
			.body = group},
		{.match = COMPUTE "/aggregated/instances?",
			.status = list_status,
			.body = list}};

	memset(&k->l, 0, sizeof(k->l));
	world_open(&k->w, steps, ARRAY_LEN(steps));
	k->rc = gcp_live_get(k->w.g, t, &k->w.a, &k->l, &k->w.e);
}

static const char *group_of(const char *name, int size)
{
	static char b[200];

	snprintf(b, sizeof(b), "{\"id\":\"99\",\"name\":\"%s\",\"targetSize\":%d}", name,
		size);
	return b;
}

/* A machine of that id, with these members. */
#define VM(id, more)                                                             \
	"{\"id\":\"" id "\",\"name\":\"vm-" id "\",\"machineType\":\"https://x/" \
	"machineTypes/ct6e-standard-4t\",\"status\":\"RUNNING\"," more "}"

static const char *in_zone(const char *machines, const char *more)
{
	static char b[8192];

	snprintf(b, sizeof(b), "{\"items\":{\"zones/us-east5-a\":{\"instances\":[%s]}}%s}",
		machines, more);
	return b;
}

static void look_pod(struct look *k, int size, const char *machines)
{
	look_at(k, &pod, group_of("pod", size), 200, in_zone(machines, ""));
	assert_ok(k->rc, k->w.e);
}

static void a_slice_is_all_of_its_machines(void **state)
{
	struct look k;

	look_pod(&k, 2,
		VM("1",
			POD "," CREATED("0T03") "," STARTED(
				"0T05") ",\"labels\":{\"owner\":\"ada\"}") "," VM("2",
			MADE_BY("zones/us-east5-a",
				"pod2") ",\"deletionProtection\":true,"
					"\"disks\":[{\"type\":\"SCRATCH\"}],\"labels\":{"
					"\"a\":\"b\"}") "," VM("3",
			"\"deletionProtection\":true") "," VM("4",
			POD "," CREATED("0T02") "," STARTED(
				"0T04") ",\"labels\":{\"team\":\"x\"},\"disks\":[{\"type\":"
					"\"PERSISTENT\",\"source\":\"https://x/disks/"
					"a\"}]"));
	assert_true(k.l.found);
	assert_string_equal(k.l.uid, "99");
	assert_string_equal(k.l.state, "running");
	assert_string_equal(k.l.raw_state, "RUNNING");
	assert_string_equal(k.l.type, "2 x ct6e-standard-4t");
	assert_ts_eq(k.l.created, WORLD_NOW - 86400 - 3 * 3600);
	assert_ts_eq(k.l.started, WORLD_NOW - 86400);
	assert_string_equal(k.l.labels, "{\"owner\":\"ada\",\"team\":\"x\"}");
	assert_i64_eq(k.l.hosts, 2);
	assert_string_equal(k.l.queued, "");
	assert_string_equal(k.l.restart, "");
	assert_string_equal(k.l.recreate,
		"gcloud compute instance-groups managed resize pod --project=" P
		" --zone=us-east5-a --size=2");
	assert_null(k.l.managed_by);
	assert_false(k.l.deletion_protection || k.l.local_ssd || k.l.own_host || k.l.spot ||
		k.l.flex_start || k.l.multislice);
	assert_contains(k.l.record, "\"targetSize\":2");
	world_close(&k.w);
}

/* Whatever keeps one of them from being deleted keeps all, wherever it is in the list. */
static void what_holds_of_one_machine_holds_of_all(void **state)
{
	static const struct {
		const char *more;
		bool locked, ssd, spot, flex, ours;
		const char *manager;
	} cases[] = {
		{.more = "\"deletionProtection\":true", .locked = true},
		{.more = "\"disks\":[{\"type\":\"PERSISTENT\"},{\"type\":\"SCRATCH\"},"
			 "{\"type\":\"PERSISTENT\"}]",
			.ssd = true},
		{.more = "\"labels\":{\"goog-gke-node\":\"\"}",
			.manager = "Google Kubernetes Engine"},
		{.more = "\"labels\":{}", .ours = true},
		{.more = "\"labels\":{}"},
	};
	char host[256] = "";
	struct look k;

	assert_int_equal(gethostname(host, sizeof(host) - 1), 0);
	host[strcspn(host, ".")] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (int place = 0; place < 3; place++) {
			char list[2000] = "";

			for (int n = 0; n < 3; n++) {
				char name[300];

				snprintf(name, sizeof(name), "vm-%d", n);
				snprintf(list + strlen(list), sizeof(list) - strlen(list),
					"%s{\"id\":\"%d\",\"name\":\"%s\",\"machineType\":"
					"\"t\",\"status\":\"RUNNING\"," POD ",%s}",
					n ? "," : "", n + 1,
					cases[i].ours && n == place ? host : name,
					n == place ? cases[i].more : "\"x\":1");
			}
			look_pod(&k, 3, list);
			assert_i64_eq(k.l.hosts, 3);
			assert_int_equal(k.l.deletion_protection, cases[i].locked);
			assert_int_equal(k.l.local_ssd, cases[i].ssd);
			assert_int_equal(k.l.own_host, cases[i].ours);
			if (!str_eq(k.l.managed_by, cases[i].manager))
				fail_msg("case %zu: %s", i, k.l.managed_by);
			world_close(&k.w);
		}
}

static void its_class_is_that_of_its_machines(void **state)
{
	struct look k;

	look_pod(&k, 1, VM("1", POD ",\"scheduling\":{\"provisioningModel\":\"SPOT\"}"));
	assert_true(k.l.spot);
	assert_false(k.l.flex_start);
	assert_string_equal(k.l.type, "ct6e-standard-4t");
	world_close(&k.w);
	look_pod(&k, 1,
		VM("1", POD ",\"scheduling\":{\"provisioningModel\":\"FLEX_START\"}"));
	assert_false(k.l.spot);
	assert_true(k.l.flex_start);
	world_close(&k.w);
}

static void a_group_of_a_region_is_not_that_of_a_zone(void **state)
{
	struct look k;

	look_at(&k, &wide, group_of("pod", 2), 200,
		in_zone(VM("1", POD) "," VM("2", MADE_BY("regions/us-east5", "pod")), ""));
	assert_ok(k.rc, k.w.e);
	assert_i64_eq(k.l.hosts, 1);
	assert_string_equal(k.l.raw_state, "1 of 2 RUNNING");
	assert_contains(k.l.recreate, " --region=us-east5 --size=2");
	world_close(&k.w);
}

static void a_group_without_machines_is_gone_or_about_to_start(void **state)
{
	struct look k;

	look_pod(&k, 0, VM("3", "\"x\":1"));
	assert_false(k.l.found);
	world_close(&k.w);
	look_pod(&k, 1, VM("3", "\"x\":1"));
	assert_true(k.l.found);
	assert_string_equal(k.l.uid, "99");
	assert_string_equal(k.l.state, "starting");
	assert_string_equal(k.l.raw_state, "starting");
	assert_string_equal(k.l.type, "");
	assert_string_equal(k.l.labels, "{}");
	assert_i64_eq(k.l.hosts, 0);
	assert_ts_eq(k.l.started, TS_NONE);
	assert_string_equal(k.l.queued, "");
	assert_string_equal(k.l.restart, "");
	assert_contains(k.l.recreate, "resize pod");
	world_close(&k.w);
	/* machines that it has not given back yet still run */
	look_pod(&k, 0, VM("1", POD));
	assert_true(k.l.found);
	assert_i64_eq(k.l.hosts, 1);
	world_close(&k.w);
}

static void what_is_not_known_of_all_is_an_error(void **state)
{
	const char *one = VM("1", POD), *two = VM("1", POD) "," VM("2", POD);
	const char *unlike = VM(
		"1", POD) ",{\"id\":\"2\",\"name\":\"vm-2\",\"machineType\":"
			  "\"other\",\"status\":\"RUNNING\"," POD "}";
	const struct {
		const char *group, *zone, *machines, *more, *why;
		int status;
		enum err_code code;
	} cases[] = {
		{"pod", "us-east5-a", two, "", "", 200, E_OK},
		{"[]", "us-east5-a", two, "", "get managed instance group", 200, E_DATA},
		{"other", "us-east5-a", one, "", "requested pod, received other", 200,
			E_DATA},
		{"pod", "us-east5-a", unlike, "", "its machines are not alike", 200,
			E_DATA},
		{"pod", "us-east5-b", one, "", "its machines are not alike", 200, E_DATA},
		{"pod", "us-east5-a", one, ",\"unreachables\":[\"zones/us-west1-c\"]",
			"its machines: no answer from us-west1-c", 200, E_NET},
		{"pod", "us-east5-a", one, "", "list Compute Engine instances", 403,
			E_DENIED},
		{"pod", "us-east5-a", "7", "", "get managed instance group", 200, E_DATA},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char list[2000];
		struct look k;

		snprintf(list, sizeof(list),
			"{\"items\":{\"zones/%s\":{\"instances\":[%s]}}%s}", cases[i].zone,
			cases[i].machines, cases[i].more);
		look_at(&k, &pod,
			*cases[i].group == '[' ? "[]" : group_of(cases[i].group, 2),
			cases[i].status, list);
		if (k.rc != cases[i].code || k.w.e.code != k.rc ||
			!strstr(k.w.e.msg, cases[i].why))
			fail_msg("case %zu: %s: %s", i, err_name(k.rc), k.w.e.msg);
		assert_int_equal(k.l.found, !cases[i].code);
		world_close(&k.w);
	}
}

UNIT_TESTS()
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slice_is_all_of_its_machines),
		cmocka_unit_test(what_holds_of_one_machine_holds_of_all),
		cmocka_unit_test(its_class_is_that_of_its_machines),
		cmocka_unit_test(a_group_of_a_region_is_not_that_of_a_zone),
		cmocka_unit_test(a_group_without_machines_is_gone_or_about_to_start),
		cmocka_unit_test(what_is_not_known_of_all_is_an_error),
	};

	return cmocka_run_group_tests_name("live_group", tests, NULL, NULL);
}
