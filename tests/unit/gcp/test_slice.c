/* Several hosts as one slice: the state, type, labels and times of the whole. */
#include "gcp/compute/slice.h"

#include "base/str.h"
#include "gcp/compute/compute.h"
#include "tests/support/assert.h"
#include "tests/support/unit.h"

#include <string.h>

#define N 4

static struct arena arena;
static struct gce_host hosts[N];
static struct gce_slice s;

/* Four running hosts: created at 10, 11, 12, 13, started at 20 to 23, with ends at 90 to 93. */
static void begin(void)
{
	arena_done(&arena);
	for (int i = 0; i < N; i++)
		hosts[i] = (struct gce_host){.zone = "us-east5-a",
			.type = "ct6e-standard-4t",
			.provisioning = "flex-start",
			.state = "running",
			.raw_state = "RUNNING",
			.labels = "{}",
			.created = 10 + i,
			.since = 20 + i,
			.ends = 90 + i};
}

static void sum(int64_t target)
{
	gce_slice_sum(hosts, N, target, &arena, &s);
}

static void a_whole_slice(void **state)
{
	begin();
	sum(N);
	assert_string_equal(s.state, "running");
	assert_string_equal(s.raw_state, "RUNNING");
	assert_string_equal(s.type, "4 x ct6e-standard-4t");
	assert_int_equal(s.hosts, 4);
	assert_int_equal(s.created, 10);
	assert_int_equal(s.since, 23);
	assert_int_equal(s.ends, 93);
	assert_string_equal(s.labels, "{}");
}

static void hosts_that_run_decide(void **state)
{
	static const char *const others[] = {
		"unknown", "starting", "stopping", "deleting", "suspended", "stopped"};

	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		begin();
		hosts[0].state = hosts[3].state = others[i];
		hosts[0].raw_state = hosts[3].raw_state = "OTHER";
		hosts[3].since = TS_NONE;
		sum(N);
		assert_string_equal(s.state, "running");
		assert_string_equal(s.raw_state, "2 of 4 RUNNING");
		assert_string_equal(s.type, "2 x ct6e-standard-4t");
		assert_int_equal(s.since, 22);
		assert_int_equal(s.created, 10);
		hosts[1] = hosts[2] = hosts[0];
		sum(N);
		assert_string_equal(s.state, others[i]);
		assert_string_equal(s.raw_state, "OTHER");
		assert_int_equal(s.since, TS_NONE);
	}
}

/* Without a target, hosts are not counted against one; one host has the type of a machine. */
static void one_host_and_no_target(void **state)
{
	begin();
	gce_slice_sum(hosts, 1, -1, &arena, &s);
	assert_string_equal(s.type, "ct6e-standard-4t");
	assert_string_equal(s.raw_state, "RUNNING");
	gce_slice_sum(hosts, 1, 0, &arena, &s);
	assert_string_equal(s.raw_state, "1 of 0 RUNNING");
}

static void a_time_of_one_host_that_is_not_known(void **state)
{
	for (int i = 0; i < N; i++) {
		begin();
		hosts[i].created = hosts[i].since = hosts[i].ends = TS_NONE;
		sum(N);
		assert_int_equal(s.created, i ? 10 : 11);
		assert_int_equal(s.since, TS_NONE);
		assert_int_equal(s.ends, TS_NONE);
	}
}

static void labels_of_all_hosts(void **state)
{
	begin();
	hosts[1].labels = "{\"owner\":\"ada\"}";
	hosts[2].labels = "{\"owner\":\"eve\",\"tpucost-keep\":\"2026-12-01\"}";
	sum(N);
	assert_string_equal(
		s.labels, "{\"owner\":\"ada\",\"tpucost-keep\":\"2026-12-01\"}");
	hosts[3].labels = "{\"tpucost-keep\":\"2026-12-02\"}";
	sum(N);
	assert_null(s.labels);
	hosts[3].labels = "{";
	sum(N);
	assert_null(s.labels);
}

static void hosts_that_differ(void **state)
{
	begin();
	assert_true(gce_slice_alike(hosts, N));
	assert_true(gce_slice_alike(hosts, 0));
	hosts[2].zone = "us-east5-b";
	assert_false(gce_slice_alike(hosts, N));
	begin();
	hosts[3].type = "ct6e-standard-8t";
	assert_false(gce_slice_alike(hosts, N));
	begin();
	hosts[1].provisioning = "spot";
	assert_false(gce_slice_alike(hosts, N));
}

static void the_group_that_made_a_machine(void **state)
{
	static const char *const others[] = {"projects/instanceGroupManagers/x",
		"projects//instanceGroupManagers/x", "projects/1/instanceGroupManagers/x",
		"projects/1/zones/instanceGroupManagers/x",
		"projects/1/zones/z/instanceGroupManagers/",
		"projects/1/zones/z/instanceGroupManagers",
		"projects/1/zones/z/instanceGroupManagers/a/b",
		"projects/1/zones/z/instances/x",
		"projects/1/zones/Z z/instanceGroupManagers/x",
		"projects/1/global/z/instanceGroupManagers/x", "projects",
		"projects/1/zones"};
	struct gce_instance vm = {
		.created_by = "projects/1/regions/r/instanceGroupManagers/pod"};

	assert_string_equal(gce_group_of(&vm), "regions/r/instanceGroupManagers/pod");
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		vm.created_by = others[i];
		assert_null(gce_group_of(&vm));
	}
	vm.created_by = "";
	assert_null(gce_group_of(&vm));
	vm.created_by = "ada";
	assert_null(gce_group_of(&vm));
	vm.created_by = "folders/1/zones/z/instanceGroupManagers/pod";
	assert_null(gce_group_of(&vm));
}

static void hosts_of_a_topology(void **state)
{
	static const struct {
		const char *topology, *type;
		int64_t hosts;
	} cases[] = {{"4x4", "ct6e-standard-4t", 4},
		{"8x8x16", "tpu7x-standard-4t-tpu", 256}, {"1x1", "ct6e-standard-1t", 1},
		{"2x2x1", "ct5p-hightpu-4t", 1}, {"4x4", "tpu9z-ultra-8t", 2},
		{"2x2", "ct6e-standard-8t", 0}, {"2x3", "ct6e-standard-4t", 0},
		{"", "ct6e-standard-4t", 0}, {"4", "ct6e-standard-4t", 0},
		{"4x4", "ct6e-standard-t", 0}, {"4x4", "ct6e-standard-0t", 0},
		{"4x4", "ct6e-standard-4tx", 0}, {"4x4", "ct6e-standard-4", 0},
		{"4x4", "ct6e", 0}, {"4x4", "", 0},
		{"4x4", "ct6e-standard-99999999999999999999t", 0}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(gce_topology_hosts(cases[i].topology, cases[i].type),
			cases[i].hosts);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_slice),
		cmocka_unit_test(hosts_that_run_decide),
		cmocka_unit_test(one_host_and_no_target),
		cmocka_unit_test(a_time_of_one_host_that_is_not_known),
		cmocka_unit_test(labels_of_all_hosts),
		cmocka_unit_test(hosts_that_differ),
		cmocka_unit_test(hosts_of_a_topology),
		cmocka_unit_test(the_group_that_made_a_machine),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	arena_done(&arena);
	return failed;
}
