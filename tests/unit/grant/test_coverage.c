#include "rules/grant/coverage.h"

#include "rules/grant/tpu.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

/* Days since 2026-11-01T00:00:00Z */
#define DAY(n) (INT64_C(1793491200) + (n)*INT64_C(86400))

#define MAX_NODES 16
#define MAX_GRANTS 8

/* A small world that a test puts together line by line. */
struct world {
	struct arena a;
	struct cov_node nodes[MAX_NODES];
	struct grant grants[MAX_GRANTS];
	struct cov_input in;
	struct cov_verdict v[MAX_NODES];
	int64_t used[MAX_GRANTS];
};

static int setup(void **state)
{
	struct world *w = xcalloc(1, sizeof(*w));

	w->in.nodes = w->nodes;
	w->in.grants = w->grants;
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	arena_done(&w->a);
	free_ptr(state);
	return 0;
}

/* A grant line from day 0 to day 30. */
static struct grant *give(struct world *w, const char *name, const char *line)
{
	struct grant *g = &w->grants[w->in.n_grants++];
	struct err e;

	*g = (struct grant){
		.name = name, .starts = DAY(0), .until = DAY(30), .new_only = true};
	if (grant_parse_line(line, &w->a, g, &e))
		fail_msg("%s: %s", line, e.msg);
	return g;
}

/* A running TPU, created on day 1 plus as many seconds as there are others. */
static struct cov_node *run(
	struct world *w, const char *type, const char *zone, const char *provisioning)
{
	struct cov_node *n = &w->nodes[w->in.n_nodes];
	struct tpu_type t;

	*n = (struct cov_node){.id = arena_printf(&w->a, "p/tpu/%zu", w->in.n_nodes),
		.name = arena_printf(&w->a, "t%zu", w->in.n_nodes),
		.type = type,
		.family = tpu_family_of_type(type),
		.zone = zone,
		.provisioning = provisioning,
		.created = DAY(1) + (ts_t)w->in.n_nodes,
		.running = true};
	if (tpu_type_parse(type, &t))
		n->chips = SOME(t.chips);
	w->in.n_nodes++;
	return n;
}

static void judge(struct world *w, ts_t t)
{
	coverage_at(&w->in, t, &w->a, w->v, w->used);
}

static void expect(struct world *w, size_t node, enum why why, int64_t grant)
{
	const struct cov_verdict *v = &w->v[node];

	if (v->why != why)
		fail_msg("node %zu: %s (%s), want %s", node, why_name(v->why), v->text,
			why_name(why));
	assert_true(v->applies);
	assert_int_equal(v->covered, why == WHY_COVERED);
	assert_int_equal(v->grant, grant);
	assert_non_null(v->text);
	assert_true(v->text[0] != '\0');
}

/* ---- projects -------------------------------------------------------------------------- */

static void a_grant_of_one_project_pays_in_no_other(void **state)
{
	struct world *w = *state;
	struct cov_node *n;

	give(w, "trc", "1 on-demand v3-8 devices in europe-west4-a")->project = "mine-1";
	n = run(w, "v3-8", "europe-west4-a", "on-demand");
	n->id = "mine-12/tpu/europe-west4-a/older"; /* begins alike, and is another */
	n = run(w, "v3-8", "europe-west4-a", "on-demand");
	n->id = "mine-1/tpu/europe-west4-a/a";
	n = run(w, "v3-8", "us-central1-a", "on-demand");
	n->id = "mine-1/tpu/us-central1-a/b";
	n = run(w, "v2-8", "us-central1-a", "on-demand");
	n->id = "mine-12/tpu/us-central1-a/c";
	judge(w, DAY(2));
	expect(w, 0, WHY_NO_GRANT, -1);
	assert_string_equal(
		w->v[0].text, "v3-8 is granted only to project mine-1 (grant trc)");
	/* the older one took no room */
	expect(w, 1, WHY_COVERED, 0);
	expect(w, 2, WHY_WRONG_ZONE, -1);
	expect(w, 3, WHY_NO_GRANT, -1);
	assert_string_equal(w->v[3].text, "no grant is for v2");
	/* one for every project pays beside it */
	give(w, "all", "1 on-demand v3-8 devices in europe-west4-a");
	judge(w, DAY(2));
	expect(w, 0, WHY_COVERED, 1);
	expect(w, 1, WHY_COVERED, 0);
}

/* ---- every code and its sentence ------------------------------------------------------------ */

struct code_case {
	const char *grant, *type, *zone, *provisioning;
	int created, at; /* days */
	enum why why;
	const char *text;
};

#define V3_GRANT "5 on-demand v3-8 devices in europe-west4-a"
#define V4_GRANT "32 on-demand v4 chips in us-central2-b"

static const struct code_case code_cases[] = {
	{V3_GRANT, "v3-8", "europe-west4-a", "on-demand", 1, 5, WHY_COVERED,
		"covered by trc-nov: 5 on-demand v3-8 devices in europe-west4-a"},
	{V3_GRANT, "v3-8", "europe-west4-a", "on-demand", 0, 0, WHY_COVERED,
		"covered by trc-nov: 5 on-demand v3-8 devices in europe-west4-a"},
	{V4_GRANT, "v4-32", "us-central2-b", "on-demand", 1, 29, WHY_COVERED,
		"covered by trc-nov: 32 on-demand v4 chips (v4-64) in us-central2-b"},
	{V3_GRANT, "v3-8", "us-central1-a", "on-demand", 1, 5, WHY_WRONG_ZONE,
		"v3-8 is granted in europe-west4-a; this one is in us-central1-a "
		"(grant trc-nov)"},
	{V4_GRANT, "v4-8", "us-central1-a", "on-demand", 1, 5, WHY_WRONG_ZONE,
		"v4 is granted in us-central2-b; this one is in us-central1-a "
		"(grant trc-nov)"},
	{V3_GRANT, "v3-32", "europe-west4-a", "on-demand", 1, 5, WHY_WRONG_TYPE,
		"v3-8 is granted in europe-west4-a; this one is a v3-32 (grant trc-nov)"},
	{V4_GRANT, "v4-9", "us-central2-b", "on-demand", 1, 5, WHY_WRONG_TYPE,
		"v4 is granted in us-central2-b; this one is a v4-9 of unknown size (grant "
		"trc-nov)"},
	{V3_GRANT, "v3-8", "europe-west4-a", "spot", 1, 5, WHY_WRONG_PROVISIONING,
		"v3-8 is granted as on-demand in europe-west4-a; this one is spot "
		"(grant trc-nov)"},
	{V3_GRANT, "v3-8", "europe-west4-a", "flex-start", 1, 5, WHY_WRONG_PROVISIONING,
		"v3-8 is granted as on-demand in europe-west4-a; this one is flex-start "
		"(grant trc-nov)"},
	{V3_GRANT, "v3-8", "europe-west4-a", "reserved", 1, 5, WHY_WRONG_PROVISIONING,
		"v3-8 is granted as on-demand in europe-west4-a; this one is reserved "
		"(grant trc-nov)"},
	{V3_GRANT, "v3-8", "europe-west4-a", "unknown", 1, 5, WHY_PROVISIONING_UNKNOWN,
		"v3-8 is granted as on-demand in europe-west4-a; the class of this one is "
		"unknown: Google does not state it, or states a new one (grant trc-nov)"},
	{V3_GRANT, "v3-8", "us-central1-a", "unknown", 1, 5, WHY_NO_GRANT,
		"nearest is 5 on-demand v3-8 devices in europe-west4-a (trc-nov), but "
		"this one is in us-central1-a, is of an unknown class"},
	{V3_GRANT, "v3-8", "europe-west4-a", "on-demand", -1, 5, WHY_CREATED_BEFORE,
		"trc-nov covers TPUs created since 2026-11-01; this one was created "
		"2026-10-31"},
	{V3_GRANT, "v3-8", "europe-west4-a", "on-demand", -1, -1, WHY_NOT_STARTED,
		"the grant of v3-8 in europe-west4-a (trc-nov) begins 2026-11-01, in 24 "
		"hours"},
	{V3_GRANT, "v3-8", "europe-west4-a", "on-demand", 1, 30, WHY_EXPIRED,
		"the grant of v3-8 in europe-west4-a (trc-nov) ended 2026-12-01"},
	{V3_GRANT, "v2-8", "europe-west4-a", "on-demand", 1, 5, WHY_NO_GRANT,
		"no grant is for v2"},
	{V3_GRANT, "v9-8", "europe-west4-a", "on-demand", 1, 5, WHY_FAMILY_UNKNOWN,
		"this version of tpucost does not know its TPU family"},
	{V3_GRANT, "v3-32", "us-central1-a", "spot", 1, 5, WHY_NO_GRANT,
		"nearest is 5 on-demand v3-8 devices in europe-west4-a (trc-nov), but "
		"this one is in us-central1-a, is a v3-32, is spot"},
	{V3_GRANT, "v3-8", "us-central1-a", "on-demand", 1, 30, WHY_NO_GRANT,
		"nearest is 5 on-demand v3-8 devices in europe-west4-a (trc-nov), but "
		"this one is in us-central1-a, and the grant ended 2026-12-01"},
	{V3_GRANT, "v3-8", "us-central1-a", "on-demand", -2, -1, WHY_NO_GRANT,
		"nearest is 5 on-demand v3-8 devices in europe-west4-a (trc-nov), but "
		"this one is in us-central1-a, and the grant begins 2026-11-01, in 24 "
		"hours"},
	{V3_GRANT, "v3-8", "europe-west4-a", "on-demand", -2, 31, WHY_NO_GRANT,
		"nearest is 5 on-demand v3-8 devices in europe-west4-a (trc-nov), but "
		"this one was created 2026-10-30, and the grant ended 2026-12-01, 24 "
		"hours ago"},
};

static void every_code_has_its_case_and_its_sentence(void **state)
{
	struct world *w = *state;

	for (size_t i = 0; i < ARRAY_LEN(code_cases); i++) {
		const struct code_case *c = &code_cases[i];

		w->in.n_grants = w->in.n_nodes = 0;
		give(w, "trc-nov", c->grant);
		run(w, c->type, c->zone, c->provisioning)->created = DAY(c->created);
		judge(w, DAY(c->at));
		expect(w, 0, c->why, c->why == WHY_COVERED ? 0 : -1);
		assert_string_equal(w->v[0].text, c->text);
		w->in.wordless = true;
		judge(w, DAY(c->at));
		w->in.wordless = false;
		assert_int_equal(w->v[0].why, c->why);
		assert_string_equal(w->v[0].text, "");
	}
}

static void codes_have_names(void **state)
{
	static const char *const names[] = {"covered", "over-capacity", "created-before",
		"expired", "not-started", "wrong-provisioning", "provisioning-unknown",
		"wrong-type", "wrong-zone", "no-grant", "family-unknown"};

	assert_int_equal(ARRAY_LEN(names), WHY_CODES);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		assert_string_equal(why_name((enum why)i), names[i]);
	assert_string_equal(why_name((enum why)99), "unknown");
}

static void the_window_begins_and_ends_to_the_second(void **state)
{
	struct world *w = *state;

	give(w, "g", V3_GRANT)->new_only = false;
	run(w, "v3-8", "europe-west4-a", "on-demand");
	judge(w, DAY(0) - 1);
	expect(w, 0, WHY_NOT_STARTED, -1);
	judge(w, DAY(0));
	expect(w, 0, WHY_COVERED, 0);
	judge(w, DAY(30) - 1);
	expect(w, 0, WHY_COVERED, 0);
	judge(w, DAY(30));
	expect(w, 0, WHY_EXPIRED, -1);
}

static void a_tpu_must_be_created_since_the_grant_began(void **state)
{
	struct world *w = *state;
	struct grant *g = give(w, "g", V3_GRANT);
	struct cov_node *n = run(w, "v3-8", "europe-west4-a", "on-demand");

	n->created = DAY(0) - 1;
	judge(w, DAY(1));
	expect(w, 0, WHY_CREATED_BEFORE, -1);
	n->created = DAY(0);
	judge(w, DAY(1));
	expect(w, 0, WHY_COVERED, 0);
	n->created = DAY(0) - 1;
	g->new_only = false;
	judge(w, DAY(1));
	expect(w, 0, WHY_COVERED, 0);
	g->new_only = true;
	n->created = TS_NONE; /* not known: not held against it */
	judge(w, DAY(1));
	expect(w, 0, WHY_COVERED, 0);
}

static void a_grant_without_start_or_end_is_open(void **state)
{
	struct world *w = *state;
	struct grant *g = give(w, "g", V3_GRANT);

	g->starts = g->until = TS_NONE;
	run(w, "v3-8", "europe-west4-a", "on-demand")->created = DAY(-1000);
	judge(w, DAY(-999));
	expect(w, 0, WHY_COVERED, 0);
	judge(w, DAY(9999));
	expect(w, 0, WHY_COVERED, 0);
}

static void the_first_code_that_is_alone_wins(void **state)
{
	struct world *w = *state;

	give(w, "zone", "5 on-demand v3-8 devices in us-east1-d");
	give(w, "class", "5 spot v3-8 devices in europe-west4-a");
	give(w, "type", "5 on-demand v3-32 slices in europe-west4-a");
	run(w, "v3-8", "europe-west4-a", "on-demand");
	judge(w, DAY(5));
	expect(w, 0, WHY_WRONG_PROVISIONING, -1);
	give(w, "soon", V3_GRANT)->starts = DAY(6);
	judge(w, DAY(5));
	expect(w, 0, WHY_NOT_STARTED, -1);
	give(w, "past", V3_GRANT)->until = DAY(4);
	give(w, "past2", V3_GRANT)->until = DAY(5);
	judge(w, DAY(5));
	expect(w, 0, WHY_EXPIRED, -1);
	assert_non_null(strstr(w->v[0].text, "(past2) ended 2026-11-06"));
	give(w, "new", V3_GRANT)->starts = DAY(5); /* created again, it is covered */
	judge(w, DAY(5));
	expect(w, 0, WHY_CREATED_BEFORE, -1);
	assert_non_null(strstr(w->v[0].text, "new covers TPUs created since 2026-11-06"));
}

static void of_grants_to_come_the_text_names_the_next(void **state)
{
	struct world *w = *state;

	give(w, "later", V3_GRANT)->starts = DAY(9);
	give(w, "next", V3_GRANT)->starts = DAY(7);
	give(w, "last", V3_GRANT)->starts = DAY(8);
	run(w, "v3-8", "europe-west4-a", "on-demand");
	judge(w, DAY(5));
	expect(w, 0, WHY_NOT_STARTED, -1);
	assert_non_null(strstr(w->v[0].text, "(next) begins 2026-11-08"));
}

static void an_end_is_so_long_ago(void **state)
{
	static const struct {
		ts_t after;
		const char *text;
	} cases[] = {{0, "ended 2026-11-06"}, {59, "ended 2026-11-06"},
		{60, "ended 2026-11-06, 1 minute ago"},
		{7199, "ended 2026-11-06, 119 minutes ago"},
		{7200, "ended 2026-11-06, 2 hours ago"},
		{2 * 86400 - 1, "ended 2026-11-06, 47 hours ago"},
		{2 * 86400, "ended 2026-11-06, 2 days ago"}};
	struct world *w = *state;

	give(w, "g", V3_GRANT)->until = DAY(5);
	run(w, "v3-8", "europe-west4-a", "on-demand");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		judge(w, DAY(5) + cases[i].after);
		assert_string_equal(strstr(w->v[0].text, "ended"), cases[i].text);
	}
	w->in.now = DAY(5); /* it ends this very second, and later is asked for */
	judge(w, DAY(9));
	assert_non_null(strstr(w->v[0].text, "ended 2026-11-06"));
}

static void of_grants_in_other_zones_the_text_names_the_nearest(void **state)
{
	struct world *w = *state;

	give(w, "far", "64 spot v6e chips in us-east1-d");
	give(w, "near", "64 spot v6e chips in europe-west4-a");
	give(w, "far2", "64 spot v6e chips in us-central1-a");
	run(w, "v6e-8", "europe-west4-b", "spot");
	run(w, "v6e-8", "us-central2-b", "spot");
	/* not nearer, though its zone is: it is of another class too */
	give(w, "class", "64 on-demand v6e chips in asia-east1-c");
	run(w, "v6e-8", "asia-east1-b", "spot");
	judge(w, DAY(5));
	assert_string_equal(w->v[0].text,
		"v6e is granted in europe-west4-a; this one is in "
		"europe-west4-b (grant near)");
	assert_string_equal(w->v[1].text,
		"v6e is granted in us-central1-a; this one is in "
		"us-central2-b (grant far2)");
	assert_string_equal(w->v[2].text,
		"v6e is granted in us-east1-d; this one is in "
		"asia-east1-b (grant far)");
}

static void the_nearest_grant_has_the_fewest_differences(void **state)
{
	struct world *w = *state;

	give(w, "far", "5 spot v3-32 slices in us-east1-d");
	give(w, "near", "5 spot v3-8 devices in us-east1-d");
	give(w, "also", "5 spot v3-8 devices in us-east1-b");
	run(w, "v3-8", "europe-west4-a", "on-demand");
	judge(w, DAY(5));
	expect(w, 0, WHY_NO_GRANT, -1);
	assert_string_equal(w->v[0].text,
		"nearest is 5 spot v3-8 devices in "
		"us-east1-d (near), but this one is in "
		"europe-west4-a, is on-demand");
}

static void without_grants_nothing_is_covered(void **state)
{
	struct world *w = *state;

	run(w, "v3-8", "europe-west4-a", "on-demand");
	judge(w, DAY(5));
	expect(w, 0, WHY_NO_GRANT, -1);
	assert_string_equal(w->v[0].text, "no grant is for v3");
	w->nodes[0].family = NULL;
	w->nodes[0].zone = w->nodes[0].provisioning = w->nodes[0].type = NULL;
	judge(w, DAY(5));
	expect(w, 0, WHY_FAMILY_UNKNOWN, -1);
}

static void what_is_not_known_of_a_tpu_is_said(void **state)
{
	struct world *w = *state;
	struct cov_node *n;

	give(w, "g", V4_GRANT);
	n = run(w, "v4-8", "us-central2-b", "on-demand");
	n->type = NULL;
	n->chips = NONE;
	judge(w, DAY(5));
	expect(w, 0, WHY_WRONG_TYPE, -1);
	assert_non_null(strstr(w->v[0].text, "has an unknown type"));
	n->zone = NULL;
	n->provisioning = NULL;
	judge(w, DAY(5));
	expect(w, 0, WHY_NO_GRANT, -1);
	assert_non_null(strstr(w->v[0].text, "in an unknown zone"));
	assert_non_null(strstr(w->v[0].text, "of an unknown class"));
	n->type = "v4-8";
	n->chips = SOME(4);
	n->provisioning = "on-demand";
	judge(w, DAY(5));
	expect(w, 0, WHY_WRONG_ZONE, -1);
	assert_non_null(strstr(w->v[0].text, "in an unknown zone"));
}

static void coverage_says_nothing_of_what_does_not_run(void **state)
{
	struct world *w = *state;

	give(w, "g", "1 on-demand v3-8 device in europe-west4-a");
	run(w, "v3-8", "europe-west4-a", "on-demand")->running = false;
	run(w, "v3-8", "europe-west4-a", "on-demand");
	judge(w, DAY(5));
	assert_false(w->v[0].applies);
	assert_false(w->v[0].covered);
	assert_int_equal(w->v[0].grant, -1);
	assert_string_equal(w->v[0].text, "");
	expect(w, 1, WHY_COVERED, 0); /* and it takes no room */
}

static void dates_in_sentences_are_of_the_configured_zone(void **state)
{
	struct world *w = *state;
	cleanup(tz_free_ptr) struct tz *tz = NULL;
	struct err e;

	give(w, "g", V3_GRANT)->until = DAY(2) + 16 * 3600;
	run(w, "v3-8", "europe-west4-a", "on-demand");
	judge(w, DAY(5));
	assert_non_null(strstr(w->v[0].text, "ended 2026-11-03 16:00 UTC"));
	assert_int_equal(tz_open("Asia/Hong_Kong", &tz, &e), E_OK);
	w->in.tz = tz;
	judge(w, DAY(5));
	assert_string_equal(w->v[0].text,
		"the grant of v3-8 in europe-west4-a (g) ended 2026-11-04, 2 days ago");
	w->grants[0].until += 60;
	judge(w, DAY(5));
	assert_non_null(strstr(w->v[0].text, "ended 2026-11-04 00:01"));
}

/* ---- room ----------------------------------------------------------------------------------- */

static void room_goes_to_the_oldest_first(void **state)
{
	struct world *w = *state;
	struct cov_node *n;

	give(w, "g", "2 on-demand v3-8 devices in europe-west4-a");
	run(w, "v3-8", "europe-west4-a", "on-demand")->created = DAY(4);
	run(w, "v3-8", "europe-west4-a", "on-demand")->created = DAY(2);
	run(w, "v3-8", "europe-west4-a", "on-demand")->created = DAY(3);
	judge(w, DAY(5));
	expect(w, 0, WHY_OVER_CAPACITY, -1);
	expect(w, 1, WHY_COVERED, 0);
	expect(w, 2, WHY_COVERED, 0);
	assert_int_equal(w->used[0], 8);
	assert_string_equal(w->v[0].text,
		"g grants 2 on-demand v3-8 devices in "
		"europe-west4-a and older TPUs use 2; this "
		"one needs 1");
	/* equally old: by name, then by id; one that is of unknown age comes last */
	w->nodes[0].created = w->nodes[1].created = DAY(3);
	w->nodes[0].name = "b";
	w->nodes[1].name = "b";
	w->nodes[2].name = "a";
	judge(w, DAY(5));
	expect(w, 0, WHY_COVERED, 0);
	expect(w, 1, WHY_OVER_CAPACITY, -1);
	n = &w->nodes[0];
	n->created = TS_NONE;
	judge(w, DAY(5));
	expect(w, 0, WHY_OVER_CAPACITY, -1);
	expect(w, 1, WHY_COVERED, 0);
}

static void a_tpu_fits_wholly_or_not_at_all(void **state)
{
	struct world *w = *state;

	give(w, "g", V4_GRANT);
	run(w, "v4-32", "us-central2-b", "on-demand");  /* 16 chips */
	run(w, "v4-64", "us-central2-b", "on-demand");  /* 32: does not fit */
	run(w, "v4-24", "us-central2-b", "on-demand");  /* 12 */
	run(w, "v4-16", "us-central2-b", "on-demand");  /* 8: does not fit */
	run(w, "v4-8", "us-central2-b", "on-demand");   /* 4: just fits */
	run(w, "v4-128", "us-central2-b", "on-demand"); /* never fits */
	judge(w, DAY(5));
	expect(w, 0, WHY_COVERED, 0);
	expect(w, 1, WHY_OVER_CAPACITY, -1);
	assert_string_equal(w->v[1].text,
		"g grants 32 on-demand v4 chips (v4-64) in us-central2-b and older TPUs "
		"use 16; this v4-64 needs 32");
	assert_string_equal(w->v[5].text,
		"g grants 32 on-demand v4 chips (v4-64) in us-central2-b; "
		"this v4-128 needs 64, more than the whole grant");
	expect(w, 2, WHY_COVERED, 0);
	expect(w, 3, WHY_OVER_CAPACITY, -1);
	expect(w, 4, WHY_COVERED, 0);
	assert_int_equal(w->used[0], 32);
	assert_non_null(strstr(w->v[1].text, "older TPUs use 16; this v4-64 needs 32"));
	assert_non_null(strstr(w->v[3].text, "older TPUs use 28; this v4-16 needs 8"));
}

static void cores_are_counted_as_cores(void **state)
{
	struct world *w = *state;

	give(w, "g", "64 on-demand v4 cores in us-central2-b");
	run(w, "v4-32", "us-central2-b", "on-demand");
	run(w, "v4-32", "us-central2-b", "on-demand");
	run(w, "v4-8", "us-central2-b", "on-demand");
	judge(w, DAY(5));
	expect(w, 0, WHY_COVERED, 0);
	expect(w, 1, WHY_COVERED, 0);
	expect(w, 2, WHY_OVER_CAPACITY, -1);
	assert_int_equal(w->used[0], 32);
	assert_non_null(strstr(w->v[2].text,
		"64 on-demand v4 cores in us-central2-b and older TPUs use 64"));
}

/* europe-west4-a has both v3 and v6e */
static void a_grant_is_for_one_family_even_where_zones_have_several(void **state)
{
	struct world *w = *state;

	give(w, "g", "64 spot v3 chips in europe-west4-a");
	run(w, "v6e-4", "europe-west4-a", "spot");
	run(w, "v3-8", "europe-west4-a", "spot");
	judge(w, DAY(5));
	expect(w, 0, WHY_NO_GRANT, -1);
	expect(w, 1, WHY_COVERED, 0);
	assert_int_equal(w->used[0], 4);
}

static void the_101st_preemptible_tpu_is_paid_for(void **state)
{
	struct world *w = *state;
	struct cov_node nodes[101];
	struct cov_verdict v[101];

	give(w, "g", "100 preemptible v2-8 devices in us-central1-f");
	run(w, "v2-8", "us-central1-f", "spot");
	for (int i = 0; i < 101; i++) {
		nodes[i] = w->nodes[0];
		nodes[i].created = DAY(1) + 1000 - i;
	}
	w->in.nodes = nodes;
	w->in.n_nodes = 101;
	coverage_at(&w->in, DAY(5), &w->a, v, w->used);
	assert_int_equal(v[0].why, WHY_OVER_CAPACITY);
	for (int i = 1; i < 101; i++)
		assert_true(v[i].covered);
	assert_int_equal(w->used[0], 400);
}

static void a_grant_of_devices_covers_its_type_even_when_the_size_is_unknown(void **state)
{
	struct world *w = *state;
	struct cov_node *n;

	give(w, "g", V3_GRANT);
	n = run(w, "v3-8", "europe-west4-a", "on-demand");
	n->chips = NONE;
	run(w, "V3-8", "europe-west4-a", "on-demand");
	judge(w, DAY(5));
	expect(w, 0, WHY_COVERED, 0);
	expect(w, 1, WHY_COVERED, 0);
	w->in.n_nodes = w->in.n_grants = 0;
	give(w, "g", "1 spot v5litepod-16 slice in us-central1-a");
	run(w, "v5e-16", "us-central1-a", "spot");
	judge(w, DAY(5));
	expect(w, 0, WHY_COVERED, 0);
}

static void the_grant_that_ends_first_is_used_first(void **state)
{
	struct world *w = *state;

	give(w, "open", "1 on-demand v3-8 device in europe-west4-a")->until = TS_NONE;
	give(w, "long", "1 on-demand v3-8 device in europe-west4-a")->until = DAY(40);
	give(w, "short", "1 on-demand v3-8 device in europe-west4-a")->until = DAY(20);
	give(w, "same", "1 on-demand v3-8 device in europe-west4-a")->until = DAY(40);
	for (int i = 0; i < 5; i++)
		run(w, "v3-8", "europe-west4-a", "on-demand");
	judge(w, DAY(5));
	expect(w, 0, WHY_COVERED, 2);
	expect(w, 1, WHY_COVERED, 1);
	expect(w, 2, WHY_COVERED, 3);
	expect(w, 3, WHY_COVERED, 0);
	expect(w, 4, WHY_OVER_CAPACITY, -1);
	for (int i = 0; i < 4; i++)
		assert_int_equal(w->used[i], 4);
}

static void separate_grants_add_up_but_no_tpu_spans_two(void **state)
{
	struct world *w = *state;

	give(w, "a", "16 on-demand v4 chips in us-central2-b");
	give(w, "b", "16 on-demand v4 chips in us-central2-b");
	run(w, "v4-64", "us-central2-b", "on-demand");
	run(w, "v4-32", "us-central2-b", "on-demand");
	run(w, "v4-32", "us-central2-b", "on-demand");
	judge(w, DAY(5));
	expect(w, 0, WHY_OVER_CAPACITY, -1);
	expect(w, 1, WHY_COVERED, 0);
	expect(w, 2, WHY_COVERED, 1);
}

static void two_equal_lines_of_one_grant_are_one_room(void **state)
{
	struct world *w = *state;

	give(w, "a", "16 on-demand v4 chips in us-central2-b");
	give(w, "a", "16 on-demand v4 chips in us-central2-b");
	run(w, "v4-48", "us-central2-b", "on-demand"); /* 24 chips */
	run(w, "v4-16", "us-central2-b", "on-demand"); /* 8 */
	run(w, "v4-8", "us-central2-b", "on-demand");
	judge(w, DAY(5));
	expect(w, 0, WHY_COVERED, 0);
	expect(w, 1, WHY_COVERED, 1);
	expect(w, 2, WHY_OVER_CAPACITY, -1);
	assert_int_equal(w->used[0], 16);
	assert_int_equal(w->used[1], 16);
}

static void of_two_full_lines_the_first_is_named(void **state)
{
	struct world *w = *state;

	give(w, "alpha", "8 on-demand v4 chips in us-central2-b");
	give(w, "beta", "8 on-demand v4 chips in us-central2-b");
	for (int i = 0; i < 3; i++)
		run(w, "v4-16", "us-central2-b", "on-demand");
	judge(w, DAY(5));
	expect(w, 2, WHY_OVER_CAPACITY, -1);
	assert_non_null(strstr(w->v[2].text, "alpha"));
	assert_null(strstr(w->v[2].text, "beta"));
}

/* It can be covered there once others are deleted; a grant that is too small never covers it. */
static void of_full_lines_one_that_is_large_enough_is_named(void **state)
{
	struct world *w = *state;

	give(w, "tiny", "4 on-demand v4 chips in us-central2-b")->until = DAY(10);
	give(w, "small", "8 on-demand v4 chips in us-central2-b")->until = DAY(20);
	run(w, "v4-32", "us-central2-b", "on-demand"); /* 16 chips */
	judge(w, DAY(5));
	expect(w, 0, WHY_OVER_CAPACITY, -1);
	assert_string_equal(w->v[0].text,
		"small grants 8 on-demand v4 chips (v4-16) in us-central2-b; this v4-32 "
		"needs 16, more than the whole grant");
	give(w, "large", "16 on-demand v4 chips in us-central2-b");
	give(w, "larger", "32 on-demand v4 chips in us-central2-b")->until = DAY(40);
	for (int i = 0; i < 3; i++)
		run(w, "v4-32", "us-central2-b", "on-demand");
	judge(w, DAY(5));
	expect(w, 3, WHY_OVER_CAPACITY, -1);
	assert_string_equal(w->v[3].text,
		"large grants 16 on-demand v4 chips (v4-32) in us-central2-b and older "
		"TPUs use 16; this v4-32 needs 16");
}

static void a_device_grant_and_a_chip_grant_have_separate_room(void **state)
{
	struct world *w = *state;

	give(w, "a", "1 on-demand v4-8 slice in us-central2-b");
	give(w, "a", "4 on-demand v4 chips in us-central2-b");
	for (int i = 0; i < 3; i++)
		run(w, "v4-8", "us-central2-b", "on-demand");
	judge(w, DAY(5));
	expect(w, 0, WHY_COVERED, 0);
	expect(w, 1, WHY_COVERED, 1);
	expect(w, 2, WHY_OVER_CAPACITY, -1);
}

/* ---- renewals ------------------------------------------------------------------------------- */

static struct grant *renew(struct world *w, const char *name, const char *of,
	const char *line, int starts, int until)
{
	struct grant *g = give(w, name, line);

	g->extends = of;
	g->starts = DAY(starts);
	g->until = DAY(until);
	return g;
}

static void a_renewal_covers_tpus_of_the_first_grant(void **state)
{
	struct world *w = *state;

	give(w, "a", V3_GRANT);
	renew(w, "b", "a", V3_GRANT, 30, 60);
	renew(w, "c", "b", V3_GRANT, 60, 90);
	run(w, "v3-8", "europe-west4-a", "on-demand");
	run(w, "v3-8", "europe-west4-a", "on-demand")->created = DAY(0) - 1;
	judge(w, DAY(40));
	expect(w, 0, WHY_COVERED, 1);
	expect(w, 1, WHY_CREATED_BEFORE, -1);
	judge(w, DAY(80));
	expect(w, 0, WHY_COVERED, 2);
	judge(w, DAY(90));
	expect(w, 0, WHY_EXPIRED, -1);
	w->grants[0].new_only = false; /* the first had no such rule, nor do its renewals */
	judge(w, DAY(80));
	expect(w, 1, WHY_COVERED, 2);
}

static void a_gap_before_a_renewal_stays_a_gap(void **state)
{
	struct world *w = *state;

	give(w, "a", V3_GRANT);
	renew(w, "b", "a", V3_GRANT, 35, 60);
	run(w, "v3-8", "europe-west4-a", "on-demand");
	judge(w, DAY(32));
	expect(w, 0, WHY_EXPIRED, -1);
	judge(w, DAY(35));
	expect(w, 0, WHY_COVERED, 1);
}

static void where_a_renewal_overlaps_the_larger_room_counts(void **state)
{
	struct world *w = *state;

	give(w, "a", "2 on-demand v3-8 devices in europe-west4-a");
	renew(w, "b", "a", "3 on-demand v3-8 devices in europe-west4-a", 20, 60);
	for (int i = 0; i < 4; i++)
		run(w, "v3-8", "europe-west4-a", "on-demand");
	judge(w, DAY(10));
	expect(w, 1, WHY_COVERED, 0);
	expect(w, 2, WHY_OVER_CAPACITY, -1);
	judge(w, DAY(25));
	expect(w, 0, WHY_COVERED, 0);
	expect(w, 1, WHY_COVERED, 0);
	expect(w, 2, WHY_COVERED, 1);
	expect(w, 3, WHY_OVER_CAPACITY, -1);
	assert_int_equal(w->used[0], 8);
	assert_int_equal(w->used[1], 4);
	judge(w, DAY(30));
	expect(w, 2, WHY_COVERED, 1);
	expect(w, 3, WHY_OVER_CAPACITY, -1);
	/* the smaller one renews the larger one */
	w->grants[0].count = 3;
	w->grants[1].count = 2;
	judge(w, DAY(25));
	expect(w, 2, WHY_COVERED, 0);
	expect(w, 3, WHY_OVER_CAPACITY, -1);
	judge(w, DAY(30));
	expect(w, 1, WHY_COVERED, 1);
	expect(w, 2, WHY_OVER_CAPACITY, -1);
}

static void the_larger_room_is_found_line_by_line(void **state)
{
	struct world *w = *state;

	give(w, "a", "1 on-demand v3-8 device in europe-west4-a");
	give(w, "a", "1 spot v3-8 device in europe-west4-a");
	renew(w, "b", "a", "1 on-demand v3-8 device in europe-west4-a", 20, 60);
	renew(w, "b", "a", "1 on-demand v3-8 device in us-east1-d", 20, 60);
	run(w, "v3-8", "europe-west4-a", "on-demand");
	run(w, "v3-8", "europe-west4-a", "on-demand");
	run(w, "v3-8", "europe-west4-a", "spot");
	run(w, "v3-8", "us-east1-d", "on-demand");
	judge(w, DAY(25));
	expect(w, 0, WHY_COVERED, 0);
	expect(w, 1, WHY_OVER_CAPACITY, -1);
	expect(w, 2, WHY_COVERED, 1);
	expect(w, 3, WHY_COVERED, 3);
}

static void two_renewals_of_one_grant_share_its_room(void **state)
{
	struct world *w = *state;

	give(w, "a", "1 on-demand v3-8 device in europe-west4-a");
	renew(w, "b", "a", "2 on-demand v3-8 devices in europe-west4-a", 20, 60);
	renew(w, "c", "a", "3 on-demand v3-8 devices in europe-west4-a", 20, 50);
	for (int i = 0; i < 4; i++)
		run(w, "v3-8", "europe-west4-a", "on-demand");
	judge(w, DAY(25));
	expect(w, 0, WHY_COVERED, 0);
	expect(w, 1, WHY_COVERED, 2);
	expect(w, 2, WHY_COVERED, 2);
	expect(w, 3, WHY_OVER_CAPACITY, -1);
	judge(w, DAY(55));
	expect(w, 1, WHY_COVERED, 1);
	expect(w, 2, WHY_OVER_CAPACITY, -1);
}

static void a_circle_of_renewals_ends(void **state)
{
	struct world *w = *state;

	give(w, "a", V3_GRANT)->extends = "b";
	renew(w, "b", "c", V3_GRANT, 0, 60);
	renew(w, "c", "a", V3_GRANT, 0, 60);
	renew(w, "self", "self", V3_GRANT, 0, 60);
	renew(w, "lost", "nobody", V3_GRANT, 0, 60);
	for (int i = 0; i < 16; i++)
		run(w, "v3-8", "europe-west4-a", "on-demand");
	judge(w, DAY(5));
	expect(w, 4, WHY_COVERED, 0);
	expect(w, 5, WHY_COVERED, 3);
	expect(w, 10, WHY_COVERED, 4);
	expect(w, 15, WHY_OVER_CAPACITY, -1);
}

static void used_chips_are_optional(void **state)
{
	struct world *w = *state;

	give(w, "g", V3_GRANT);
	run(w, "v3-8", "europe-west4-a", "on-demand");
	coverage_at(&w->in, DAY(5), &w->a, w->v, NULL);
	expect(w, 0, WHY_COVERED, 0);
	w->in.n_nodes = 0;
	judge(w, DAY(5));
	assert_int_equal(w->used[0], 0);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		T(a_grant_of_one_project_pays_in_no_other),
		T(every_code_has_its_case_and_its_sentence),
		T(codes_have_names),
		T(the_window_begins_and_ends_to_the_second),
		T(a_tpu_must_be_created_since_the_grant_began),
		T(a_grant_without_start_or_end_is_open),
		T(the_first_code_that_is_alone_wins),
		T(of_grants_to_come_the_text_names_the_next),
		T(an_end_is_so_long_ago),
		T(of_grants_in_other_zones_the_text_names_the_nearest),
		T(the_nearest_grant_has_the_fewest_differences),
		T(without_grants_nothing_is_covered),
		T(what_is_not_known_of_a_tpu_is_said),
		T(coverage_says_nothing_of_what_does_not_run),
		T(dates_in_sentences_are_of_the_configured_zone),
		T(room_goes_to_the_oldest_first),
		T(a_tpu_fits_wholly_or_not_at_all),
		T(cores_are_counted_as_cores),
		T(a_grant_is_for_one_family_even_where_zones_have_several),
		T(the_101st_preemptible_tpu_is_paid_for),
		T(a_grant_of_devices_covers_its_type_even_when_the_size_is_unknown),
		T(the_grant_that_ends_first_is_used_first),
		T(separate_grants_add_up_but_no_tpu_spans_two),
		T(two_equal_lines_of_one_grant_are_one_room),
		T(of_two_full_lines_the_first_is_named),
		T(of_full_lines_one_that_is_large_enough_is_named),
		T(a_device_grant_and_a_chip_grant_have_separate_room),
		T(a_renewal_covers_tpus_of_the_first_grant),
		T(a_gap_before_a_renewal_stays_a_gap),
		T(where_a_renewal_overlaps_the_larger_room_counts),
		T(the_larger_room_is_found_line_by_line),
		T(two_renewals_of_one_grant_share_its_room),
		T(a_circle_of_renewals_ends),
		T(used_chips_are_optional),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
