/* The far ends of coverage: what is not known of a TPU, grants that go round in circles, and times that do
 * not fit. */
#include "rules/grant/coverage.h"

#include "rules/grant/tpu.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

/* Days since 2026-11-01T00:00:00Z */
#define DAY(n) (INT64_C(1793491200) + (n)*INT64_C(86400))
#define ZONE "europe-west4-a"
#define MOST 8

static struct arena arena;
static struct grant grants[MOST];
static struct cov_node nodes[MOST];
static struct cov_input in;
static struct cov_verdict verdicts[MOST];
static int64_t used[MOST];

static int setup(void **state)
{
	memset(grants, 0, sizeof(grants));
	memset(nodes, 0, sizeof(nodes));
	in = (struct cov_input){.nodes = nodes, .grants = grants};
	return 0;
}

static int teardown(void **state)
{
	arena_done(&arena);
	return 0;
}

static struct grant *give(const char *name, const char *line)
{
	struct grant *g = &grants[in.n_grants++];
	struct err e = {0};

	*g = (struct grant){
		.name = name, .starts = DAY(0), .until = DAY(30), .new_only = true};
	if (grant_parse_line(line, &arena, g, &e))
		fail_msg("%s: %s", line, e.msg);
	return g;
}

static struct cov_node *run(const char *type)
{
	struct cov_node *n = &nodes[in.n_nodes++];
	struct tpu_type t;

	*n = (struct cov_node){.id = "p/tpu/" ZONE "/a",
		.name = "a",
		.type = type,
		.family = tpu_family_of_type(type),
		.zone = ZONE,
		.provisioning = "on-demand",
		.created = DAY(1),
		.running = true};
	if (tpu_type_parse(type, &t))
		n->chips = SOME(t.chips);
	return n;
}

static void expect(ts_t at, size_t node, const char *why, int64_t grant, const char *text)
{
	const struct cov_verdict *v = &verdicts[node];

	coverage_at(&in, at, &arena, verdicts, used);
	if (strcmp(why_name(v->why), why) != 0 || v->grant != grant ||
		strcmp(v->text, text) != 0)
		fail_msg("node %zu: %s of %lld, \"%s\"; want %s of %lld, \"%s\"", node,
			why_name(v->why), (long long)v->grant, v->text, why,
			(long long)grant, text);
}

/* ---- what is not known ------------------------------------------------------------------------- */

static void a_name_for_every_verdict(void **state)
{
	assert_string_equal(why_name(WHY_NO_GRANT), "no-grant");
	assert_string_equal(why_name((enum why)WHY_CODES), "unknown");
}

static void tpus_without_a_name_are_told_apart_by_their_id(void **state)
{
	give("trc", "1 on-demand v3-8 device in " ZONE);
	for (int i = 0; i < 3; i++)
		run("v3-8")->name = NULL;
	nodes[0].id = "p/tpu/" ZONE "/c";
	nodes[1].id = "p/tpu/" ZONE "/b";
	nodes[2].id = NULL; /* comes first */
	expect(DAY(2), 2, "covered", 0, "covered by trc: 1 on-demand v3-8 device in " ZONE);
	nodes[2].running = false;
	expect(DAY(2), 1, "covered", 0, "covered by trc: 1 on-demand v3-8 device in " ZONE);
	assert_int_equal(verdicts[0].why, WHY_OVER_CAPACITY);
	nodes[0].name = ""; /* as good as none */
	expect(DAY(2), 1, "covered", 0, "covered by trc: 1 on-demand v3-8 device in " ZONE);
	nodes[1].name = "z";
	expect(DAY(2), 0, "covered", 0, "covered by trc: 1 on-demand v3-8 device in " ZONE);
}

static void a_grant_of_a_project_needs_to_know_the_project(void **state)
{
	struct cov_node *n;

	give("trc", "1 on-demand v3-8 device in " ZONE)->project = "mine";
	n = run("v3-8");
	n->id = NULL;
	expect(DAY(2), 0, "no-grant", -1,
		"v3-8 is granted only to project mine (grant trc)");
	n->id = "mine";
	expect(DAY(2), 0, "no-grant", -1,
		"v3-8 is granted only to project mine (grant trc)");
	n->id = "other/tpu/" ZONE "/a";
	expect(DAY(2), 0, "no-grant", -1,
		"v3-8 is granted only to project mine (grant trc)");
	n->id = "mine/tpu/" ZONE "/a";
	expect(DAY(2), 0, "covered", 0, "covered by trc: 1 on-demand v3-8 device in " ZONE);
	/* of two, the one of its family is named */
	grants[0].family = "v2";
	n->id = NULL;
	expect(DAY(2), 0, "no-grant", -1, "no grant is for v3");
	n->family = NULL;
	expect(DAY(2), 0, "family-unknown", -1,
		"this version of tpucost does not know its TPU family");
}

static void chips_that_are_not_known_take_no_room(void **state)
{
	struct cov_node *n;

	give("trc", "32 on-demand v4 chips in " ZONE);
	n = run("v4-8");
	expect(DAY(2), 0, "covered", 0,
		"covered by trc: 32 on-demand v4 chips (v4-64) in " ZONE);
	assert_int_equal(used[0], 4);
	n->chips = SOME(0);
	coverage_at(&in, DAY(2), &arena, verdicts, used);
	assert_int_equal(verdicts[0].why, WHY_WRONG_TYPE);
	assert_int_equal(used[0], 0);
	n->chips = NONE;
	coverage_at(&in, DAY(2), &arena, verdicts, used);
	assert_int_equal(verdicts[0].why, WHY_WRONG_TYPE);
}

static void a_zone_that_is_not_known_is_the_wrong_one(void **state)
{
	give("far", "1 on-demand v3-8 device in us-central1-a");
	give("near", "1 on-demand v3-8 device in " ZONE);
	run("v3-8")->zone = NULL;
	coverage_at(&in, DAY(2), &arena, verdicts, used);
	assert_int_equal(verdicts[0].why, WHY_WRONG_ZONE);
	assert_non_null(strstr(verdicts[0].text, "us-central1-a")); /* neither is nearer */
	nodes[0].zone = "europe-west4-b";
	coverage_at(&in, DAY(2), &arena, verdicts, used);
	assert_non_null(strstr(verdicts[0].text, ZONE));
}

/* ---- grants ------------------------------------------------------------------------------------ */

static void lines_for_different_families_share_no_room(void **state)
{
	give("trc", "8 on-demand v4 chips in " ZONE);
	give("trc", "8 on-demand v3 chips in " ZONE);
	run("v3-8");
	run("v3-8");
	run("v3-8"); /* 4 chips each: two have room */
	run("v4-8");
	coverage_at(&in, DAY(2), &arena, verdicts, used);
	assert_int_equal(
		verdicts[0].covered + verdicts[1].covered + verdicts[2].covered, 2);
	assert_int_equal(verdicts[3].grant, 0);
	assert_int_equal(used[0], 4);
	assert_int_equal(used[1], 8);
}

/* The configuration refuses a renewal for other projects; here it adds nothing all the same. */
static void a_renewal_for_other_projects_adds_no_room(void **state)
{
	give("a", "1 on-demand v3-8 device in " ZONE)->project = "p";
	give("b", "1 on-demand v3-8 device in " ZONE)->extends = "a";
	run("v3-8");
	run("v3-8");
	coverage_at(&in, DAY(2), &arena, verdicts, used);
	assert_int_equal(verdicts[0].grant, 0);
	assert_int_equal(verdicts[1].why, WHY_OVER_CAPACITY);
}

/* The configuration refuses circles; here they have to end all the same, for old TPUs as well. */
static void a_circle_of_renewals_ends(void **state)
{
	struct grant *a = give("a", "1 on-demand v3-8 device in " ZONE);
	struct grant *b = give("b", "1 on-demand v3-8 device in " ZONE);

	a->extends = "b";
	b->extends = "a";
	run("v3-8")->created = DAY(-9);
	coverage_at(&in, DAY(2), &arena, verdicts, used);
	assert_int_equal(verdicts[0].why, WHY_CREATED_BEFORE);
	b->new_only = false;
	coverage_at(&in, DAY(2), &arena, verdicts, used);
	assert_int_equal(verdicts[0].why, WHY_COVERED);
}

static void an_open_grant_is_used_last(void **state)
{
	for (int i = 0; i < 3; i++)
		give("x", "1 on-demand v3-8 device in " ZONE)->name = arena_printf(
			&arena, "g%d", i);
	grants[0].until = TS_NONE;
	grants[2].until = TS_NONE;
	run("v3-8");
	coverage_at(&in, DAY(2), &arena, verdicts, used);
	assert_int_equal(verdicts[0].grant, 1);
	coverage_at(&in, DAY(30), &arena, verdicts, used); /* it ended this second */
	assert_int_equal(verdicts[0].grant, 0);            /* open ones in their order */
}

/* Of two grants that miss a TPU by as much, the first is named, whatever they miss it by. */
static void of_two_that_are_as_near_the_first_is_named(void **state)
{
	static const struct {
		ts_t starts, until;
		const char *zone, *why;
	} cases[] = {
		{DAY(-9), DAY(-1), ZONE, "expired"},
		{DAY(5), DAY(9), ZONE, "not-started"},
		{DAY(0), DAY(30), "us-central1-a", "wrong-zone"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		in.n_grants = in.n_nodes = 0;
		for (int k = 0; k < 2; k++) {
			struct grant *g = give(
				k ? "second" : "first", "1 on-demand v3-8 device in " ZONE);

			g->new_only = false;
			g->starts = cases[i].starts;
			g->until = cases[i].until;
			g->zone = cases[i].zone;
		}
		run("v3-8");
		coverage_at(&in, DAY(2), &arena, verdicts, used);
		assert_string_equal(why_name(verdicts[0].why), cases[i].why);
		assert_non_null(strstr(verdicts[0].text, "first"));
		assert_null(strstr(verdicts[0].text, "second"));
	}
}

/* ---- times ------------------------------------------------------------------------------------- */

static void an_end_beyond_counting_has_no_distance(void **state)
{
	give("trc", "1 on-demand v3-8 device in " ZONE)->until = DAY(30);
	run("v3-8");
	coverage_at(&in, DAY(34), &arena, verdicts, used);
	assert_non_null(strstr(verdicts[0].text, ", 4 days ago"));
	grants[0].starts = TS_NONE;
	grants[0].until = -10; /* 1969-12-31 */
	coverage_at(&in, INT64_MAX - 5, &arena, verdicts, used);
	assert_int_equal(verdicts[0].why, WHY_EXPIRED);
	assert_non_null(strstr(verdicts[0].text, "1969-12-31"));
	assert_null(strstr(verdicts[0].text, "ago"));
}

/* A stretch is longer than a moment: how long ago is not said of it. */
static void a_stretch_has_no_distance(void **state)
{
	static const struct cov_span all = {-5, TS_NONE};
	const struct cov_row *rows;
	size_t n;

	give("trc", "1 on-demand v3-8 device in " ZONE)->starts = TS_NONE;
	grants[0].until = -86400 * 5;
	run("v3-8");
	nodes[0].spans = &all;
	nodes[0].n_spans = 1;
	rows = coverage_sweep(&in, -5, 100, &arena, &n);
	assert_int_equal(n, 1);
	assert_int_equal(rows[0].why, WHY_EXPIRED);
	assert_non_null(strstr(rows[0].text, "1969-12-27"));
	assert_null(strstr(rows[0].text, "day"));
}

/* Room is taken anew in each stretch: the older one keeps the first line. */
static void each_stretch_begins_with_all_the_room(void **state)
{
	static const struct cov_span older = {DAY(1), TS_NONE}, younger = {DAY(3), TS_NONE};
	const struct cov_row *rows;
	size_t n;

	give("trc", "1 on-demand v3-8 device in " ZONE);
	give("trc", "1 on-demand v3-8 device in " ZONE);
	run("v3-8")->spans = &older;
	run("v3-8")->spans = &younger;
	nodes[1].id = "p/tpu/" ZONE "/b";
	nodes[1].created = DAY(3);
	nodes[0].n_spans = nodes[1].n_spans = 1;
	rows = coverage_sweep(&in, DAY(2), DAY(5), &arena, &n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(rows[i].why, WHY_COVERED);
		assert_int_equal(rows[i].grant, rows[i].node);
	}
	assert_int_equal(n, 2);
}

static void a_stretch_beyond_counting_has_no_chip_seconds(void **state)
{
	static const struct cov_span all = {INT64_MIN + 1, TS_NONE};
	const struct cov_row *rows;
	size_t n;

	run("v3-8");
	nodes[0].spans = &all;
	nodes[0].n_spans = 1;
	rows = coverage_sweep(&in, INT64_MIN + 1, INT64_MAX, &arena, &n);
	assert_int_equal(n, 1);
	assert_false(rows[0].chip_seconds.set); /* the seconds do not fit */
	rows = coverage_sweep(&in, INT64_MIN + 1, -1, &arena, &n);
	assert_int_equal(n, 1);
	assert_false(rows[0].chip_seconds.set); /* four times as many do not */
	rows = coverage_sweep(&in, -100, 100, &arena, &n);
	assert_int_equal(n, 1);
	assert_int_equal(rows[0].chip_seconds.v, 800);
	nodes[0].chips = NONE;
	rows = coverage_sweep(&in, -100, 100, &arena, &n);
	assert_false(rows[0].chip_seconds.set);
	coverage_sweep(&in, 100, 100, &arena, &n);
	assert_int_equal(n, 0);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

/* One of unknown class may use the room, or not: whoever has room only without it may be covered. */
static void an_unknown_class_makes_the_room_unknown(void **state)
{
	give("g", "2 on-demand v3-8 devices in " ZONE);
	run("v3-8")->provisioning = "unknown";
	run("v3-8")->name = "b";
	expect(DAY(2), 0, "provisioning-unknown", -1,
		"v3-8 is granted as on-demand in " ZONE "; the class of this one is "
		"unknown: Google does not state it, or states a new one (grant g)");
	expect(DAY(2), 1, "covered", 0, "covered by g: 2 on-demand v3-8 devices in " ZONE);
	assert_int_equal(used[0], -1);
	run("v3-8")->name = "c";
	expect(DAY(2), 2, "provisioning-unknown", -1,
		"g grants 2 on-demand v3-8 devices in " ZONE
		" and older TPUs use 1, and perhaps 1 more: the class of one is unknown; "
		"this one needs 1");
	/* its room is used in any case: it is not covered whatever the class is */
	nodes[0].name = "d";
	expect(DAY(2), 2, "covered", 0, "covered by g: 2 on-demand v3-8 devices in " ZONE);
	assert_int_equal(used[0], 8);
	run("v3-8")->name = "e";
	expect(DAY(2), 3, "over-capacity", -1,
		"g grants 2 on-demand v3-8 devices in " ZONE
		" and older TPUs use 2; this one needs 1");
	assert_string_equal(why_name(verdicts[0].why), "provisioning-unknown");
	/* before the beginning nothing is used */
	expect(DAY(0) - 1, 1, "not-started", -1,
		"the grant of v3-8 in " ZONE " (g) begins 2026-11-01");
	assert_int_equal(used[0], 0);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(a_name_for_every_verdict),
		TEST(tpus_without_a_name_are_told_apart_by_their_id),
		TEST(a_grant_of_a_project_needs_to_know_the_project),
		TEST(an_unknown_class_makes_the_room_unknown),
		TEST(chips_that_are_not_known_take_no_room),
		TEST(a_zone_that_is_not_known_is_the_wrong_one),
		TEST(lines_for_different_families_share_no_room),
		TEST(a_renewal_for_other_projects_adds_no_room),
		TEST(a_circle_of_renewals_ends),
		TEST(an_open_grant_is_used_last),
		TEST(of_two_that_are_as_near_the_first_is_named),
		TEST(an_end_beyond_counting_has_no_distance),
		TEST(a_stretch_has_no_distance),
		TEST(each_stretch_begins_with_all_the_room),
		TEST(a_stretch_beyond_counting_has_no_chip_seconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
