/* Machine types, asked for one by one. */
#include "gcp/list.h"
#include "gcp/compute/compute.h"

#include "base/str.h"
#include "tests/support/assert.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define P "my-project"
#define ONE "GET /compute/v1/projects/my-project/zones/us-a/machineTypes/"
#define SMALL(name) "{\"name\":\"" name "\",\"guestCpus\":2,\"memoryMb\":1024}"
#define FULL                                                                        \
	"{\"kind\":\"compute#machineType\",\"id\":\"18446744073709551615\","        \
	"\"name\":\"g2-standard-4\",\"description\":\"d\",\"zone\":\"us-west4-a\"," \
	"\"guestCpus\":4,\"memoryMb\":16384,\"isSharedCpu\":true,\"accelerators\":" \
	"[{\"guestAcceleratorType\":\"nvidia-l4\",\"guestAcceleratorCount\":1}],"   \
	"\"deprecated\":{\"state\":\"OBSOLETE\",\"replacement\":\"https://x/y\"},"  \
	"\"architecture\":\"X86_64\",\"maximumPersistentDisks\":128}"

#define CPUS "\"guestCpus\":1,\"memoryMb\":1"

/* Members of a type, and what is said of them. */
static const struct {
	const char *members, *part;
} wrong[] = {
	{CPUS, "field 'name'"},
	{"\"name\":7," CPUS, "field 'name'"},
	{"\"name\":\"a/b\"," CPUS, "field 'name'"},
	{"\"name\":\"t;reboot\"," CPUS, "field 'name'"},
	{"\"name\":\"t\\u202e\"," CPUS, "field 'name'"},
	{"\"name\":\"t\"", "'t': field 'guestCpus': not positive"},
	{"\"name\":\"t\",\"guestCpus\":0,\"memoryMb\":1",
		"'t': field 'guestCpus': not positive"},
	{"\"name\":\"t\",\"guestCpus\":1,\"memoryMb\":-1",
		"'t': field 'memoryMb': not positive"},
	{"\"name\":\"t\",\"guestCpus\":1.5,\"memoryMb\":1", "'t': field 'guestCpus'"},
	{"\"name\":\"t\",\"guestCpus\":1,\"memoryMb\":1e300", "'t': field 'memoryMb'"},
	{"\"name\":\"t\"," CPUS ",\"isSharedCpu\":\"no\"", "'t': field 'isSharedCpu'"},
	{"\"name\":\"t\"," CPUS ",\"accelerators\":{}", "'t': field 'accelerators'"},
	{"\"name\":\"t\"," CPUS ",\"accelerators\":[7]",
		"'t': accelerators[0]: an item is not an object"},
	{"\"name\":\"t\"," CPUS ",\"accelerators\":[{\"guestAcceleratorType\":1}]",
		"'t': accelerators[0]: field 'guestAcceleratorType'"},
	{"\"name\":\"t\"," CPUS ",\"accelerators\":[{\"guestAcceleratorCount\":-1}]",
		"'t': accelerators[0]: field 'guestAcceleratorCount': negative"},
};

/* One by itself, to its end. What failed leaves *out as it was. */
static enum err_code get(struct gcp *g, const char *project, const char *zone,
	const char *name, struct arena *a, struct gce_machine_type *out, struct err *e)
{
	struct gce_machine_type own = {0};
	enum err_code rc = gce_machine_type_start(g, project, zone, name, a, &own, e);

	rc = gcp_typed_wait(g, rc, &own.r, e);
	if (rc == E_OK)
		*out = own;
	return rc;
}

static void one_type_is_read_with_its_gpus(void **state)
{
	struct fault_step steps[] = {
		{.match = ONE "g2-standard-4?prettyPrint=false ", .body = FULL},
		{.match = ONE "e2-micro?", .body = SMALL("e2-micro")},
		{.match = ONE, .status = 404, .body = "{}"}};
	struct gce_machine_type t = {0};
	struct gcp_world w;

	world_open(&w, steps, ARRAY_LEN(steps));
	assert_ok(get(w.g, P, "us-a", "g2-standard-4", &w.a, &t, &w.e), w.e);
	assert_string_equal(t.name, "g2-standard-4");
	assert_i64_eq(t.vcpus, 4);
	assert_i64_eq(t.memory_mib, 16384);
	assert_true(t.shared_cpu);
	assert_string_equal(t.gpu_type, "nvidia-l4");
	assert_i64_eq(t.gpu_count, 1);
	assert_ok(get(w.g, P, "us-a", "e2-micro", &w.a, &t, &w.e), w.e);
	assert_string_equal(t.gpu_type, "");
	assert_i64_eq(t.gpu_count, 0);
	assert_false(t.shared_cpu);
	assert_int_equal(get(w.g, P, "us-a", "gone", &w.a, &t, &w.e), E_NOTFOUND);
	assert_string_equal(t.name, "e2-micro"); /* untouched */
	assert_i64_eq(fault_count_of(w.s, "GET "), 3);
	world_close(&w);
}

static void one_type_that_reads_wrong_is_refused(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct sbuf b = SBUF_INIT;
		struct fault_step step = {.match = ONE};
		struct gce_machine_type t = {.name = "kept"};
		struct gcp_world w;

		sbuf_addf(&b, "{%s}", wrong[i].members);
		step.body = b.s;
		world_open(&w, &step, 1);
		if (get(w.g, P, "us-a", "t", &w.a, &t, &w.e) != E_DATA ||
			!str_starts(w.e.msg, "get machine type: ") ||
			!strstr(w.e.msg, wrong[i].part))
			fail_msg("case %zu: %s", i, w.e.msg);
		assert_string_equal(t.name, "kept");
		sbuf_done(&b);
		world_close(&w);
	}
}

static void names_that_are_none_are_not_asked_for(void **state)
{
	struct gce_machine_type t = {0};
	struct gcp_world w;

	world_open(&w, NULL, 0);
	assert_err(get(w.g, P, "../x", "t", &w.a, &t, &w.e), w.e, E_CONFIG,
		"zone '../x' is malformed");
	assert_err(get(w.g, P, "us-a", "a/b", &w.a, &t, &w.e), w.e, E_CONFIG,
		"name 'a/b' is malformed");
	assert_int_equal(get(w.g, "P", "us-a", "t", &w.a, &t, &w.e), E_CONFIG);
	assert_i64_eq(fault_count(w.s), 0);
	world_close(&w);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_type_is_read_with_its_gpus),
		cmocka_unit_test(one_type_that_reads_wrong_is_refused),
		cmocka_unit_test(names_that_are_none_are_not_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
