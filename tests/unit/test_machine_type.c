/* Machine types: of all zones, and one of them. */
#include "gcp/machine_type.h"

#include "base/str.h"
#include "tests/support/assert.h"
#include "tests/support/gcp_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define P "my-project"
#define TYPES "GET /compute/v1/projects/my-project/aggregated/machineTypes"
#define LIST TYPES "?returnPartialSuccess=true&maxResults=500"
#define ONE "GET /compute/v1/projects/my-project/zones/us-a/machineTypes/"
#define PAGE(scopes) "{\"kind\":\"k\",\"items\":{" scopes "}}"
#define ZONE(zone, types) "\"zones/" zone "\":{\"machineTypes\":[" types "]}"
#define SMALL(name) "{\"name\":\"" name "\",\"guestCpus\":2,\"memoryMb\":1024}"
#define NO_RESULTS "{\"warning\":{\"code\":\"NO_RESULTS_ON_PAGE\"}}"

static enum err_code ask(struct gcp_world *w, struct gce_machine_types *out)
{
	return gce_machine_types(w->g, P, NULL, &w->a, out, &w->e);
}

/* A world whose list is this one page. */
static enum err_code read_page(
	struct gcp_world *w, const char *body, struct gce_machine_types *out)
{
	struct fault_step step = {.match = LIST, .body = body};

	world_open(w, &step, 1);
	return ask(w, out);
}

/* ---- what is read -------------------------------------------------------- */

#define FULL                                                                        \
	"{\"kind\":\"compute#machineType\",\"id\":\"18446744073709551615\","        \
	"\"name\":\"g2-standard-4\",\"description\":\"d\",\"zone\":\"us-west4-a\"," \
	"\"guestCpus\":4,\"memoryMb\":16384,\"isSharedCpu\":true,\"accelerators\":" \
	"[{\"guestAcceleratorType\":\"nvidia-l4\",\"guestAcceleratorCount\":1}],"   \
	"\"deprecated\":{\"state\":\"OBSOLETE\",\"replacement\":\"https://x/y\"},"  \
	"\"architecture\":\"X86_64\",\"maximumPersistentDisks\":128}"

static void a_type_is_read_with_all_its_parts(void **state)
{
	struct fault_step step = {.match = LIST "&prettyPrint=false ",
		.body = PAGE(ZONE("us-west4-a", FULL))};
	struct gce_machine_types list = {0};
	const struct gce_zone_machine_type *t;
	struct gcp_world w;

	(void)state;
	world_open(&w, &step, 1);
	assert_ok(ask(&w, &list), w.e);
	assert_i64_eq(list.n, 1);
	assert_i64_eq(list.r.pages, 1);
	assert_i64_eq(list.r.scopes.n, 0);
	t = &list.v[0];
	assert_string_equal(t->name, "g2-standard-4");
	assert_string_equal(t->zone, "us-west4-a");
	assert_i64_eq(t->vcpus, 4);
	assert_i64_eq(t->memory_mib, 16384);
	assert_true(t->is_shared_cpu);
	assert_string_equal(t->gpu_type, "nvidia-l4");
	assert_i64_eq(t->gpu_count, 1);
	assert_string_equal(t->deprecated, "OBSOLETE");
	assert_i64_eq(fault_count(w.s), 2); /* and the token */
	world_close(&w);
}

static void what_is_absent_has_a_plain_value(void **state)
{
	struct gce_machine_types list = {0};
	const struct gce_zone_machine_type *t;
	struct gcp_world w;

	(void)state;
	assert_ok(read_page(&w, PAGE(ZONE("us-a", SMALL("e2-micro"))), &list), w.e);
	assert_i64_eq(list.n, 1);
	t = &list.v[0];
	assert_i64_eq(t->vcpus, 2);
	assert_i64_eq(t->memory_mib, 1024);
	assert_false(t->is_shared_cpu);
	assert_string_equal(t->gpu_type, "");
	assert_i64_eq(t->gpu_count, 0);
	assert_string_equal(t->deprecated, "");
	world_close(&w);
}

static void only_what_is_deprecated_by_now_is(void **state)
{
	static const char *const cases[][2] = {{"null", ""}, {"{}", ""},
		{"{\"state\":null}", ""},
		{"{\"state\":\"ACTIVE\",\"deleted\":\"2031\"}", ""},
		{"{\"state\":\"DEPRECATED\"}", "DEPRECATED"},
		{"{\"state\":\"DELETED\"}", "DELETED"},
		{"{\"state\":\"SOMETHING_NEW\"}", "SOMETHING_NEW"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sbuf b = SBUF_INIT;
		struct gce_machine_types list = {0};
		struct gcp_world w;

		sbuf_addf(&b,
			PAGE(ZONE("us-a",
				"{\"name\":\"t\",\"guestCpus\":1,\"memoryMb\":1,"
				"\"deprecated\":%s}")),
			cases[i][0]);
		assert_ok(read_page(&w, b.s, &list), w.e);
		assert_string_equal(list.v[0].deprecated, cases[i][1]);
		sbuf_done(&b);
		world_close(&w);
	}
}

/* What is asked for reaches Google as one parameter, whatever is in it. */
static void a_filter_is_handed_on(void **state)
{
	struct fault_step steps[] = {
		{.match = TYPES "?returnPartialSuccess=true&filter=name%20%3D%20n1-%2A"
				"%26maxResults%3D1&maxResults=500&prettyPrint=false ",
			.body = PAGE(ZONE("us-a", SMALL("n1-standard-1")))},
		{.match = LIST, .body = PAGE("")}};
	struct gce_machine_types list = {0};
	struct gcp_world w;

	(void)state;
	world_open(&w, steps, ARRAY_LEN(steps));
	assert_ok(gce_machine_types(w.g, P, "name = n1-*&maxResults=1", &w.a, &list, &w.e),
		w.e);
	assert_i64_eq(list.n, 1);
	assert_ok(gce_machine_types(w.g, P, "", &w.a, &list, &w.e), w.e);
	assert_i64_eq(list.n, 0);
	assert_i64_eq(fault_count_of(w.s, LIST), 1);
	world_close(&w);
}

/* ---- pages and scopes ---------------------------------------------------- */

/* Ids are of a type, not of a type in a zone: who goes by them has each type once. */
static void a_type_stands_once_for_each_zone(void **state)
{
	struct fault_step steps[] = {
		{.match = LIST "&pageToken=p%262&",
			.body = PAGE("\"zones/us-a\":" NO_RESULTS "," ZONE("us-b",
				"{\"id\":\"3001\",\"name\":\"n1\",\"guestCpus\":8,"
				"\"memoryMb\":9}," SMALL("n2")))},
		{.match = LIST "&pretty",
			.body = "{\"kind\":\"k\",\"items\":{" ZONE("us-a",
				"{\"id\":\"3001\",\"name\":\"n1\",\"guestCpus\":1,"
				"\"memoryMb\":9}") "," ZONE("us-b",
				"{\"id\":\"3001\",\"name\":\"n1\",\"guestCpus\":4,"
				"\"memoryMb\":9,\"isSharedCpu\":true}") "},"
									"\"nextPageToken\":"
									"\"p&2\"}"}};
	struct gce_machine_types list = {0};
	struct gcp_world w;

	(void)state;
	world_open(&w, steps, ARRAY_LEN(steps));
	assert_ok(ask(&w, &list), w.e);
	assert_i64_eq(list.n, 3);
	assert_i64_eq(list.r.pages, 2);
	assert_i64_eq(list.r.repeated, 1);
	assert_string_equal(list.v[0].zone, "us-a");
	assert_i64_eq(list.v[0].vcpus, 1);
	assert_string_equal(list.v[1].zone, "us-b");
	assert_string_equal(list.v[1].name, "n1");
	assert_i64_eq(list.v[1].vcpus, 8); /* of the later page, wholly */
	assert_false(list.v[1].is_shared_cpu);
	assert_string_equal(list.v[2].name, "n2");
	assert_i64_eq(fault_count_of(w.s, "GET "), 2);
	world_close(&w);
}

/* `zones` scopes of `types` machine types each. */
static void add_zones(struct sbuf *b, int page, int zones, int types)
{
	for (int z = 0; z < zones; z++) {
		sbuf_addf(
			b, "%s\"zones/z%d-%d\":{\"machineTypes\":[", z ? "," : "", page, z);
		for (int t = 0; t < types; t++)
			sbuf_addf(b,
				"%s{\"id\":\"%d\",\"name\":\"t-%d\",\"guestCpus\":%d,"
				"\"memoryMb\":%d}",
				t ? "," : "", t, t, t + 1, 1024 * (page + 1));
		sbuf_adds(b, "]}");
	}
}

static void tens_of_thousands_of_types_are_read(void **state)
{
	enum { PAGES = 8, ZONES = 5, PER_ZONE = 500, ALL = PAGES * ZONES * PER_ZONE };
	struct sbuf bodies[PAGES], match[PAGES];
	struct fault_step steps[PAGES];
	struct gce_machine_types list = {0};
	struct gcp_world w;

	(void)state;
	memset(steps, 0, sizeof(steps));
	for (int i = 0; i < PAGES; i++) {
		bodies[i] = match[i] = (struct sbuf)SBUF_INIT;
		sbuf_addf(&match[i], LIST);
		if (i)
			sbuf_addf(&match[i], "&pageToken=%d&", i);
		else
			sbuf_adds(&match[i], "&pretty");
		sbuf_adds(&bodies[i], "{\"kind\":\"k\",\"items\":{");
		add_zones(&bodies[i], i, ZONES, PER_ZONE);
		sbuf_adds(&bodies[i], "}");
		if (i + 1 < PAGES)
			sbuf_addf(&bodies[i], ",\"nextPageToken\":\"%d\"", i + 1);
		sbuf_adds(&bodies[i], "}");
		steps[i].match = match[i].s;
		steps[i].body = bodies[i].s;
	}
	world_open(&w, steps, PAGES);
	assert_ok(ask(&w, &list), w.e);
	assert_i64_eq(list.n, ALL);
	assert_i64_eq(list.r.pages, PAGES);
	assert_i64_eq(list.r.repeated, 0);
	for (size_t i = 0; i < list.n; i++) {
		assert_i64_eq(list.v[i].vcpus, i % PER_ZONE + 1);
		assert_i64_eq(list.v[i].memory_mib, 1024 * (i / (ZONES * PER_ZONE) + 1));
	}
	assert_string_equal(list.v[ALL - 1].zone, "z7-4");
	assert_string_equal(list.v[ALL - 1].name, "t-499");
	world_close(&w);
	for (int i = 0; i < PAGES; i++) {
		sbuf_done(&bodies[i]);
		sbuf_done(&match[i]);
	}
}

static void locations_that_did_not_answer_are_named(void **state)
{
	static const char *const want[] = {"us-b", "us-c", "us-d"};
	struct gce_machine_types list = {0};
	struct gcp_world w;

	(void)state;
	assert_ok(read_page(&w,
			  "{\"kind\":\"k\",\"items\":{\"zones/us-a\":" NO_RESULTS
			  ",\"zones/us-b\":{\"warning\":{\"code\":\"UNREACHABLE\"}},"
			  "\"zones/us-c\":{\"machineTypes\":[" SMALL(
				  "t") "],\"warning\":"
				       "{\"code\":\"SOMETHING_NEW\"}}},\"unreachables\":"
				       "[\"zones/us-b\",\"zones/us-d\"]}",
			  &list),
		w.e);
	assert_i64_eq(list.n, 1);
	assert_i64_eq(list.r.scopes.n, ARRAY_LEN(want));
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		assert_string_equal(list.r.scopes.incomplete[i], want[i]);
	world_close(&w);
}

/* ---- answers that are wrong ---------------------------------------------- */

static void what_is_no_list_or_never_ends_is_refused(void **state)
{
	static const struct {
		const char *body, *part;
	} cases[] = {
		{"{}", "it is no aggregated list"},
		{"{\"items\":[]}", "\"items\""},
		{"{\"kind\":\"k\",\"unreachables\":{}}", "\"unreachables\""},
		{PAGE("\"zones/us-a\":7"), "zones/us-a"},
		{PAGE("\"zones/us-a\":{\"machineTypes\":{}}"), "zones/us-a"},
		{PAGE(ZONE("us-a", "7")), "zones/us-a: an item is no object"},
		{PAGE(ZONE("..", "")), "it is no location"},
		{PAGE(ZONE("us-a/x", "")), "it is no location"},
		{PAGE("\"planets/us-a\":{}"), "neither zone nor region"},
		{PAGE(ZONE("us-a", "") "," ZONE("us-a", "")), "JSON"},
		{"{\"kind\":\"k\",\"nextPageToken\":\"again\"}", "same page token again"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct gce_machine_types list = {.n = 77};
		struct gcp_world w;
		enum err_code rc = read_page(&w, cases[i].body, &list);

		assert_err(rc, w.e, E_DATA, cases[i].part);
		assert_true(str_starts(w.e.msg, "list machine types: "));
		assert_i64_eq(list.n, 77);
		assert_true(fault_count_of(w.s, "GET ") <= 2);
		world_close(&w);
	}
}

#define CPUS "\"guestCpus\":1,\"memoryMb\":1"

/* Members of a type, and what is said of them. */
static const struct {
	const char *members, *part;
} wrong[] = {
	{CPUS, "field \"name\""},
	{"\"name\":7," CPUS, "field \"name\""},
	{"\"name\":\"a/b\"," CPUS, "field \"name\""},
	{"\"name\":\"t;reboot\"," CPUS, "field \"name\""},
	{"\"name\":\"t\\u202e\"," CPUS, "field \"name\""},
	{"\"name\":\"t\"", "\"t\": field \"guestCpus\": it is not positive"},
	{"\"name\":\"t\",\"guestCpus\":0,\"memoryMb\":1",
		"\"t\": field \"guestCpus\": it is not positive"},
	{"\"name\":\"t\",\"guestCpus\":1,\"memoryMb\":-1",
		"\"t\": field \"memoryMb\": it is not positive"},
	{"\"name\":\"t\",\"guestCpus\":1.5,\"memoryMb\":1", "\"t\": field \"guestCpus\""},
	{"\"name\":\"t\",\"guestCpus\":1,\"memoryMb\":1e300", "\"t\": field \"memoryMb\""},
	{"\"name\":\"t\"," CPUS ",\"isSharedCpu\":\"no\"", "\"t\": field \"isSharedCpu\""},
	{"\"name\":\"t\"," CPUS ",\"accelerators\":{}", "\"t\": field \"accelerators\""},
	{"\"name\":\"t\"," CPUS ",\"accelerators\":[7]",
		"\"t\": accelerators[0]: an item is no object"},
	{"\"name\":\"t\"," CPUS ",\"accelerators\":[{\"guestAcceleratorType\":1}]",
		"\"t\": accelerators[0]: field \"guestAcceleratorType\""},
	{"\"name\":\"t\"," CPUS ",\"accelerators\":[{\"guestAcceleratorCount\":-1}]",
		"\"t\": accelerators[0]: field \"guestAcceleratorCount\": it is negative"},
	{"\"name\":\"t\"," CPUS ",\"deprecated\":true", "\"t\": field \"deprecated\""},
	{"\"name\":\"t\"," CPUS ",\"deprecated\":{\"state\":[]}",
		"\"t\": deprecated: field \"state\""},
};

static void a_member_that_reads_wrong_spoils_the_list(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct sbuf b = SBUF_INIT;
		struct gce_machine_types list = {.n = 77};
		struct gcp_world w;

		sbuf_addf(
			&b, PAGE(ZONE("us-a", SMALL("good") ",{%s},7")), wrong[i].members);
		if (read_page(&w, b.s, &list) != E_DATA ||
			!str_starts(w.e.msg, "list machine types: page 1: zones/us-a: ") ||
			!strstr(w.e.msg, wrong[i].part))
			fail_msg("case %zu: %s", i, w.e.msg);
		assert_i64_eq(list.n, 77);
		sbuf_done(&b);
		world_close(&w);
	}
}

static void page_two_failing_leaves_nothing(void **state)
{
	struct fault_step steps[] = {
		{.match = LIST,
			.times = 1,
			.body = "{\"kind\":\"k\",\"items\":{" ZONE(
				"us-a", SMALL("t")) "},\"unreachables\":[\"zones/us-b\"],"
						    "\"nextPageToken\":\"p2\"}"},
		{.match = LIST, .status = 403, .body = "{}"}};
	struct gce_machine_types list = {.n = 77};
	struct gcp_world w;

	(void)state;
	world_open(&w, steps, ARRAY_LEN(steps));
	assert_err(ask(&w, &list), w.e, E_DENIED, "page 2");
	assert_contains(w.e.fix, "--role=roles/compute.viewer");
	assert_i64_eq(list.n, 77);
	assert_i64_eq(list.r.scopes.n, 0);
	world_close(&w);
}

static void an_api_that_is_off_is_no_empty_list(void **state)
{
	struct fault_step step = {.match = "GET /compute/",
		.status = 403,
		.body = "{\"error\":{\"code\":403,\"details\":[{\"@type\":"
			"\"type.googleapis.com/google.rpc.ErrorInfo\",\"reason\":"
			"\"SERVICE_DISABLED\",\"metadata\":{\"service\":"
			"\"compute.googleapis.com\"}}]}}"};
	struct gce_machine_types list = {.n = 77};
	struct gcp_world w;

	(void)state;
	world_open(&w, &step, 1);
	assert_err(ask(&w, &list), w.e, E_DISABLED, "list machine types: ");
	assert_string_equal(w.e.fix,
		"run: gcloud services enable compute.googleapis.com --project my-project");
	assert_int_equal(gce_machine_types(w.g, "../x", NULL, &w.a, &list, &w.e), E_CONFIG);
	assert_i64_eq(list.n, 77);
	assert_i64_eq(fault_count_of(w.s, "GET "), 1);
	world_close(&w);
}

/* ---- one type ------------------------------------------------------------ */

static void one_type_is_read_with_its_gpus(void **state)
{
	struct fault_step steps[] = {
		{.match = ONE "g2-standard-4?prettyPrint=false ", .body = FULL},
		{.match = ONE "e2-micro?", .body = SMALL("e2-micro")},
		{.match = ONE, .status = 404, .body = "{}"}};
	struct gce_machine_type t = {0};
	struct gcp_world w;

	(void)state;
	world_open(&w, steps, ARRAY_LEN(steps));
	assert_ok(
		gce_machine_type_get(w.g, P, "us-a", "g2-standard-4", &w.a, &t, &w.e), w.e);
	assert_string_equal(t.name, "g2-standard-4");
	assert_i64_eq(t.guest_cpus, 4);
	assert_i64_eq(t.memory_mb, 16384);
	assert_true(t.shared_cpu);
	assert_string_equal(t.gpu_type, "nvidia-l4");
	assert_i64_eq(t.gpu_count, 1);
	assert_ok(gce_machine_type_get(w.g, P, "us-a", "e2-micro", &w.a, &t, &w.e), w.e);
	assert_string_equal(t.gpu_type, "");
	assert_i64_eq(t.gpu_count, 0);
	assert_false(t.shared_cpu);
	assert_int_equal(
		gce_machine_type_get(w.g, P, "us-a", "gone", &w.a, &t, &w.e), E_NOTFOUND);
	assert_string_equal(t.name, "e2-micro"); /* untouched */
	assert_i64_eq(fault_count_of(w.s, "GET "), 3);
	world_close(&w);
}

static void one_type_that_reads_wrong_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct sbuf b = SBUF_INIT;
		struct fault_step step = {.match = ONE};
		struct gce_machine_type t = {.name = "kept"};
		struct gcp_world w;

		sbuf_addf(&b, "{%s}", wrong[i].members);
		step.body = b.s;
		world_open(&w, &step, 1);
		if (gce_machine_type_get(w.g, P, "us-a", "t", &w.a, &t, &w.e) != E_DATA ||
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

	(void)state;
	world_open(&w, NULL, 0);
	assert_err(gce_machine_type_get(w.g, P, "../x", "t", &w.a, &t, &w.e), w.e, E_CONFIG,
		"zone \"../x\" is malformed");
	assert_err(gce_machine_type_get(w.g, P, "us-a", "a/b", &w.a, &t, &w.e), w.e,
		E_CONFIG, "name \"a/b\" is malformed");
	assert_int_equal(
		gce_machine_type_get(w.g, "P", "us-a", "t", &w.a, &t, &w.e), E_CONFIG);
	assert_i64_eq(fault_count(w.s), 0);
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_type_is_read_with_all_its_parts),
		cmocka_unit_test(what_is_absent_has_a_plain_value),
		cmocka_unit_test(only_what_is_deprecated_by_now_is),
		cmocka_unit_test(a_filter_is_handed_on),
		cmocka_unit_test(a_type_stands_once_for_each_zone),
		cmocka_unit_test(tens_of_thousands_of_types_are_read),
		cmocka_unit_test(locations_that_did_not_answer_are_named),
		cmocka_unit_test(what_is_no_list_or_never_ends_is_refused),
		cmocka_unit_test(a_member_that_reads_wrong_spoils_the_list),
		cmocka_unit_test(page_two_failing_leaves_nothing),
		cmocka_unit_test(an_api_that_is_off_is_no_empty_list),
		cmocka_unit_test(one_type_is_read_with_its_gpus),
		cmocka_unit_test(one_type_that_reads_wrong_is_refused),
		cmocka_unit_test(names_that_are_none_are_not_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
