/* coverage_sweep against a second opinion: an evaluation of every single second that
 * was written from the definition alone and shares no code with the sweep. */
#include "rules/grant/coverage.h"

#include "rules/grant/tpu.h"
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NODES 9
#define MAX_GRANTS 7
#define MAX_SPANS 3
#define SECONDS 60 /* of a random world's history */

struct world {
	struct arena a;
	struct cov_node nodes[MAX_NODES];
	struct cov_span spans[MAX_NODES][MAX_SPANS];
	struct grant grants[MAX_GRANTS];
	struct cov_input in;
};

/* ---- random worlds -------------------------------------------------------------------------- */

static uint64_t seed;

static uint32_t rnd(uint32_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33) % below;
}

#define PICK(list) ((list)[rnd(ARRAY_LEN(list))])

static const char *const zones[] = {"us-central1-a", "us-central1-f"};
static const char *const classes[] = {
	"on-demand", "spot", "spot", "on-demand", "reserved", "unknown"};
static const char *const types[] = {"v3-8", "v3-32", "v4-8", "v4-16", "v4-32", "v5e-4",
	"v5litepod-4", "v5litepod-8", "v4-9", "v2-8"};
static const char *const families[] = {"v3", "v4", "v4", "v5litepod"};
static const char *const device_types[] = {"v3-8", "v3-32", "v4-8", "v5litepod-4", "v4-9"};
static const char *const names[] = {"a", "b", "c", "d"};

/* Half of the worlds are crowded: one zone, one class, one family, little room. */
static bool crowded;

static ts_t random_time(void)
{
	return (ts_t)rnd(SECONDS + 10) - 5;
}

/* Lines of one grant share everything but what they grant. */
static void random_terms(struct world *w, struct grant *g, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(w->grants[k].name, g->name)) {
			g->starts = w->grants[k].starts;
			g->until = w->grants[k].until;
			g->new_only = w->grants[k].new_only;
			g->extends = w->grants[k].extends;
			return;
		}
	g->starts = rnd(12) ? random_time() : TS_NONE;
	g->until = rnd(8) ? random_time() + 20 : TS_NONE;
	g->new_only = rnd(3) != 0;
	/* always an earlier letter: no circles */
	if (rnd(2) && g->name[0] > 'a')
		g->extends = names[rnd((uint32_t)(g->name[0] - 'a'))];
}

static void random_grant(struct world *w, size_t i)
{
	struct grant *g = &w->grants[i];
	struct tpu_type t = {.chips = 4};

	*g = (struct grant){.name = PICK(names),
		.zone = zones[crowded ? 0 : rnd(2)],
		.provisioning = classes[crowded ? 0 : rnd(2)],
		.unit = (enum grant_unit)rnd(3)};
	if (g->unit == GRANT_DEVICES) {
		g->type = crowded ? "v4-8" : PICK(device_types);
		g->family = tpu_family_of_type(g->type);
		(void)!tpu_type_parse(g->type, &t);
		g->count = 1 + rnd(3);
		g->chips = g->count * t.chips;
	} else {
		g->family = crowded ? "v4" : PICK(families);
		g->chips = 4 * (1 + rnd(6));
		g->count = g->chips;
		if (g->unit == GRANT_CORES)
			g->count *= tpu_cores_per_chip(g->family);
	}
	random_terms(w, g, i);
}

static void random_spans(struct world *w, size_t i)
{
	struct cov_node *n = &w->nodes[i];
	ts_t t = random_time();

	n->created = rnd(10) ? t - (ts_t)rnd(3) : TS_NONE;
	n->spans = w->spans[i];
	n->n_spans = rnd(MAX_SPANS + 1);
	for (size_t k = 0; k < n->n_spans; k++) {
		ts_t end = t + (ts_t)rnd(25);

		w->spans[i][k] = (struct cov_span){t, end};
		t = end + (rnd(2) ? 0 : (ts_t)rnd(10));
	}
	if (n->n_spans && !rnd(3))
		w->spans[i][n->n_spans - 1].ends = TS_NONE;
}

static void random_node(struct world *w, size_t i)
{
	static const char *const ids[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8"};
	struct cov_node *n = &w->nodes[i];
	struct tpu_type t;

	*n = (struct cov_node){.id = ids[i],
		.name = ids[rnd(4)],
		.type = crowded ? types[2 + rnd(3)] : PICK(types),
		.zone = zones[crowded ? 0 : rnd(2)],
		.provisioning = crowded ? classes[0] : PICK(classes)};
	n->family = tpu_family_of_type(n->type);
	if (tpu_type_parse(n->type, &t))
		n->chips = SOME(t.chips);
	random_spans(w, i);
}

static void random_world(struct world *w)
{
	w->in = (struct cov_input){.nodes = w->nodes,
		.n_nodes = 1 + rnd(MAX_NODES),
		.grants = w->grants,
		.n_grants = rnd(MAX_GRANTS + 1)};
	memset(w->grants, 0, sizeof(w->grants));
	crowded = rnd(2);
	/* names before terms, so that `extends` may point anywhere */
	for (size_t i = 0; i < w->in.n_grants; i++)
		random_grant(w, i);
	for (size_t i = 0; i < w->in.n_nodes; i++)
		random_node(w, i);
}

/* ---- the second opinion --------------------------------------------------------------------- */

struct opinion {
	bool runs;
	enum why why;
	int64_t grant;
};

static const struct grant *by_name(const struct world *w, const char *name)
{
	for (size_t i = 0; name && i < w->in.n_grants; i++)
		if (!strcmp(w->grants[i].name, name))
			return &w->grants[i];
	return NULL;
}

static const char *first_of_chain(const struct world *w, const struct grant *g)
{
	while (by_name(w, g->extends))
		g = by_name(w, g->extends);
	return g->name;
}

static bool too_old(
	const struct world *w, const struct grant *g, const struct cov_node *n, ts_t t)
{
	ts_t since = INT64_MAX;

	for (; g; g = by_name(w, g->extends)) {
		if (!g->new_only || g->starts == TS_NONE)
			return false;
		since = g->starts < since ? g->starts : since;
	}
	return n->created != TS_NONE && t >= since && n->created < since;
}

static bool type_differs(const struct grant *g, const struct cov_node *n)
{
	struct tpu_type t;
	const char *type = n->type;

	if (g->unit != GRANT_DEVICES)
		return !n->chips.set;
	if (tpu_type_parse(n->type, &t))
		type = t.name;
	return strcmp(g->type, type) != 0;
}

/* Does this one thing differ? */
static bool differs(const struct world *w, const struct grant *g, const struct cov_node *n,
	ts_t t, enum why thing)
{
	switch (thing) {
	case WHY_EXPIRED:
		return g->until != TS_NONE && g->until <= t;
	case WHY_NOT_STARTED:
		return g->starts != TS_NONE && t < g->starts;
	case WHY_CREATED_BEFORE:
		return too_old(w, g, n, t);
	case WHY_WRONG_PROVISIONING:
		return strcmp(n->provisioning, "unknown") != 0 &&
			strcmp(g->provisioning, n->provisioning) != 0;
	case WHY_PROVISIONING_UNKNOWN:
		return !strcmp(n->provisioning, "unknown");
	case WHY_WRONG_TYPE:
		return type_differs(g, n);
	case WHY_WRONG_ZONE:
		return strcmp(g->zone, n->zone) != 0;
	default:
		return false;
	}
}

static bool matches_but_for(const struct world *w, const struct grant *g,
	const struct cov_node *n, ts_t t, enum why but)
{
	if (!n->family || strcmp(g->family, n->family) != 0)
		return false;
	for (enum why k = WHY_CREATED_BEFORE; k <= WHY_WRONG_ZONE; k++)
		if (differs(w, g, n, t, k) != (k == but))
			return false;
	return true;
}

static int64_t units(const struct grant *g, const struct cov_node *n)
{
	if (g->unit == GRANT_DEVICES)
		return 1;
	return g->unit == GRANT_CORES && strcmp(g->family, "v5litepod") != 0
		? 2 * n->chips.v
		: n->chips.v;
}

static bool one_room(const struct world *w, const struct grant *a, const struct grant *b)
{
	return a->unit == b->unit && !strcmp(a->family, b->family) &&
		!strcmp(a->zone, b->zone) && !strcmp(a->provisioning, b->provisioning) &&
		(a->unit != GRANT_DEVICES || !strcmp(a->type, b->type)) &&
		!strcmp(first_of_chain(w, a), first_of_chain(w, b));
}

/* Units of the room that the covered nodes use. */
static int64_t room_used(
	const struct world *w, const struct opinion *o, const struct grant *g)
{
	int64_t sum = 0;

	for (size_t i = 0; i < w->in.n_nodes; i++)
		if (o[i].runs && o[i].why == WHY_COVERED && o[i].grant >= 0 &&
			one_room(w, g, &w->grants[o[i].grant]))
			sum += units(g, &w->nodes[i]);
	return sum;
}

/* What one grant gives of that room: its equal lines together. */
static int64_t room_given(const struct world *w, const struct grant *g)
{
	int64_t sum = 0;

	for (size_t i = 0; i < w->in.n_grants; i++)
		if (!strcmp(w->grants[i].name, g->name) && one_room(w, g, &w->grants[i]))
			sum += w->grants[i].count;
	return sum;
}

static bool used_before(const struct grant *a, const struct grant *b)
{
	if (a->until == b->until)
		return a < b;
	if (a->until == TS_NONE || b->until == TS_NONE)
		return b->until == TS_NONE;
	return a->until < b->until;
}

static void give_opinion(const struct world *w, struct opinion *o, size_t node, ts_t t)
{
	const struct cov_node *n = &w->nodes[node];
	const struct grant *best = NULL;
	bool full = false;

	for (size_t i = 0; i < w->in.n_grants; i++) {
		const struct grant *g = &w->grants[i];

		if (!matches_but_for(w, g, n, t, WHY_COVERED))
			continue;
		full = true;
		if (room_used(w, o, g) + units(g, n) > room_given(w, g))
			continue;
		if (!best || used_before(g, best))
			best = g;
	}
	o[node].grant = best ? best - w->grants : -1;
	o[node].why = best ? WHY_COVERED : WHY_OVER_CAPACITY;
	if (full)
		return;
	o[node].why = WHY_NO_GRANT;
	for (enum why k = WHY_WRONG_ZONE; k >= WHY_CREATED_BEFORE; k--)
		for (size_t i = 0; i < w->in.n_grants; i++)
			if (matches_but_for(w, &w->grants[i], n, t, k))
				o[node].why = k;
}

static bool older(const struct cov_node *a, const struct cov_node *b)
{
	if (a->created == b->created) {
		int order = strcmp(a->name, b->name);

		return order ? order < 0 : strcmp(a->id, b->id) < 0;
	}
	if (a->created == TS_NONE || b->created == TS_NONE)
		return b->created == TS_NONE;
	return a->created < b->created;
}

static bool runs(const struct cov_node *n, ts_t t)
{
	for (size_t i = 0; i < n->n_spans; i++)
		if (n->spans[i].starts <= t &&
			(n->spans[i].ends == TS_NONE || t < n->spans[i].ends))
			return true;
	return false;
}

/* All nodes at one second. */
static void opinions(const struct world *w, ts_t t, struct opinion *o)
{
	bool done[MAX_NODES] = {false};

	memset(o, 0, MAX_NODES * sizeof(*o));
	for (size_t round = 0; round < w->in.n_nodes; round++) {
		size_t next = MAX_NODES;

		for (size_t i = 0; i < w->in.n_nodes; i++)
			if (!done[i] &&
				(next == MAX_NODES || older(&w->nodes[i], &w->nodes[next])))
				next = i;
		done[next] = true;
		if (!runs(&w->nodes[next], t))
			continue;
		give_opinion(w, o, next, t);
		o[next].runs = true;
	}
}

/* ---- comparing ------------------------------------------------------------------------------ */

/* Two lines of one grant that share their room stand for each other. */
static bool same_grant(const struct world *w, int64_t a, int64_t b)
{
	if (a == b || a < 0 || b < 0)
		return a == b;
	return !strcmp(w->grants[a].name, w->grants[b].name) &&
		one_room(w, &w->grants[a], &w->grants[b]);
}

/* One of known class, whose room one of unknown class may use: test_coverage_brute.c tries its classes. */
static bool is_unclear(const struct cov_node *n, enum why why)
{
	return why == WHY_PROVISIONING_UNKNOWN && strcmp(n->provisioning, "unknown") != 0;
}

static const struct cov_row *row_at(
	const struct cov_row *rows, size_t n, size_t node, ts_t t)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].node == node && rows[i].starts <= t && t < rows[i].ends)
			return &rows[i];
	return NULL;
}

static void check_second(
	const struct world *w, const struct cov_row *rows, size_t n, ts_t t, uint64_t world)
{
	struct opinion o[MAX_NODES];

	opinions(w, t, o);
	for (size_t i = 0; i < w->in.n_nodes; i++) {
		const struct cov_row *r = row_at(rows, n, i, t);

		if ((r != NULL) != o[i].runs)
			fail_msg(
				"world %lu, second %ld, node %zu: runs", world, (long)t, i);
		if (!r)
			continue;
		if (is_unclear(&w->nodes[i], r->why))
			continue;
		if (r->why != o[i].why || !same_grant(w, r->grant, o[i].grant))
			fail_msg("world %lu, second %ld, node %zu: %s %ld, want %s %ld",
				world, (long)t, i, why_name(r->why), (long)r->grant,
				why_name(o[i].why), (long)o[i].grant);
	}
}

static void check_instant(struct world *w, ts_t t, uint64_t world)
{
	struct opinion o[MAX_NODES];
	struct cov_verdict v[MAX_NODES];
	int64_t used[MAX_GRANTS + 1], sum_used = 0, sum_chips = 0;
	bool unclear = false;

	opinions(w, t, o);
	for (size_t i = 0; i < w->in.n_nodes; i++)
		w->nodes[i].running = runs(&w->nodes[i], t);
	coverage_at(&w->in, t, &w->a, v, used);
	for (size_t i = 0; i < w->in.n_nodes; i++) {
		if (v[i].applies != o[i].runs ||
			(o[i].runs && !is_unclear(&w->nodes[i], v[i].why) &&
				(v[i].why != o[i].why ||
					!same_grant(w, v[i].grant, o[i].grant))))
			fail_msg("world %lu, instant %ld, node %zu", world, (long)t, i);
		if (v[i].applies && v[i].covered)
			sum_chips += w->nodes[i].chips.set ? w->nodes[i].chips.v : 4;
	}
	for (size_t i = 0; i < w->in.n_grants; i++) {
		unclear = unclear || used[i] < 0;
		if (used[i] >= 0)
			assert_in_range(used[i], 0, w->grants[i].chips);
		sum_used += used[i];
	}
	if (!unclear)
		assert_int_equal(sum_used, sum_chips);
}

/* Rows are in order, do not overlap, lie in the period, and are as long as they can be.
 */
static void check_shape(
	const struct world *w, const struct cov_row *rows, size_t n, ts_t from, ts_t to)
{
	for (size_t i = 0; i < n; i++) {
		const struct cov_row *r = &rows[i], *next = i + 1 < n ? &rows[i + 1] : NULL;
		const struct cov_node *node = &w->nodes[r->node];

		assert_true(r->starts >= from && r->ends <= to && r->starts < r->ends);
		assert_int_equal(r->covered, r->why == WHY_COVERED);
		assert_int_equal(r->covered, r->grant >= 0);
		assert_non_null(r->text);
		assert_int_equal(r->chip_seconds.set, node->chips.set);
		if (node->chips.set)
			assert_int_equal(
				r->chip_seconds.v, node->chips.v * (r->ends - r->starts));
		if (!next || next->node != r->node) {
			assert_true(!next || next->node > r->node);
			continue;
		}
		assert_true(r->ends <= next->starts);
		if (r->ends == next->starts)
			assert_false(r->why == next->why && r->grant == next->grant);
	}
}

static void the_sweep_equals_a_count_of_every_second(void **state)
{
	static struct world w;
	size_t covered = 0, codes[WHY_CODES] = {0};

	for (uint64_t world = 1; world <= 9000; world++) {
		ts_t from = world % 3 ? -10 : (ts_t)rnd(20), to = SECONDS + 20;
		const struct cov_row *rows;
		size_t n;

		seed = world;
		random_world(&w);
		rows = coverage_sweep(&w.in, from, to, &w.a, &n);
		check_shape(&w, rows, n, from, to);
		for (ts_t t = from; t < to; t++)
			check_second(&w, rows, n, t, world);
		check_instant(&w, (ts_t)rnd(SECONDS), world);
		for (size_t i = 0; i < n; i++)
			codes[rows[i].why]++;
		covered += n;
		arena_done(&w.a);
	}
	/* the worlds are no good when they do not meet every case */
	for (size_t i = 0; i < WHY_FAMILY_UNKNOWN; i++)
		if (codes[i] < 500)
			fail_msg("only %zu rows are %s", codes[i], why_name((enum why)i));
	assert_true(covered > 10000);
}

/* ---- by hand -------------------------------------------------------------------------------- */

static struct grant grant_of(
	const char *name, const char *line, ts_t starts, ts_t until, struct arena *a)
{
	struct grant g = {.name = name, .starts = starts, .until = until, .new_only = true};

	if (grant_parse_line(line, a, &g, NULL))
		fail_msg("%s is not read", line);
	return g;
}

static void check_row(const struct cov_row *r, size_t node, ts_t starts, ts_t ends,
	enum why why, int64_t chip_seconds)
{
	assert_int_equal(r->node, node);
	assert_int_equal(r->starts, starts);
	assert_int_equal(r->ends, ends);
	assert_string_equal(why_name(r->why), why_name(why));
	assert_int_equal(r->chip_seconds.v, chip_seconds);
}

static void a_grant_that_ends_mid_hour_covers_only_its_part(void **state)
{
	cleanup(arena_done) struct arena a = {0};
	const struct cov_span span = {1000, TS_NONE};
	const struct cov_node node = {.id = "p/tpu/z/t",
		.name = "t",
		.type = "v3-8",
		.family = "v3",
		.zone = "europe-west4-a",
		.provisioning = "on-demand",
		.chips = SOME(4),
		.created = 990,
		.spans = &span,
		.n_spans = 1};
	const struct grant g = grant_of(
		"g", "1 on-demand v3-8 device in europe-west4-a", 0, 1000 + 1234, &a);
	const struct cov_input in = {
		.nodes = &node, .n_nodes = 1, .grants = &g, .n_grants = 1};
	const struct cov_row *rows;
	size_t n;

	rows = coverage_sweep(&in, 0, 4600, &a, &n);
	assert_int_equal(n, 2);
	check_row(&rows[0], 0, 1000, 2234, WHY_COVERED, 4 * 1234);
	check_row(&rows[1], 0, 2234, 4600, WHY_EXPIRED, 4 * (4600 - 2234));
	/* the same from the beginning of time */
	rows = coverage_sweep(&in, INT64_MIN + 1, 4600, &a, &n);
	assert_int_equal(n, 2);
	check_row(&rows[0], 0, 1000, 2234, WHY_COVERED, 4 * 1234);
	/* and of a period within */
	rows = coverage_sweep(&in, 1500, 1501, &a, &n);
	assert_int_equal(n, 1);
	check_row(&rows[0], 0, 1500, 1501, WHY_COVERED, 4);
}

static void room_that_is_freed_goes_to_the_next(void **state)
{
	cleanup(arena_done) struct arena a = {0};
	const struct cov_span first[] = {{0, 100}, {80, 200}, {300, 400}};
	const struct cov_span second = {50, 350};
	struct cov_node nodes[] = {{.id = "2"}, {.id = "1"}};
	const struct grant g = grant_of(
		"g", "4 spot v5e chips in us-central1-a", -9, 1000, &a);
	const struct cov_input in = {
		.nodes = nodes, .n_nodes = 2, .grants = &g, .n_grants = 1};
	const struct cov_row *rows;
	size_t n;

	for (size_t i = 0; i < 2; i++) {
		nodes[i].name = "t";
		nodes[i].type = "v5litepod-4";
		nodes[i].family = "v5litepod";
		nodes[i].zone = "us-central1-a";
		nodes[i].provisioning = "spot";
		nodes[i].chips = SOME(4);
	}
	nodes[0].created = 50;
	nodes[0].spans = &second;
	nodes[0].n_spans = 1;
	nodes[1].created = 0;
	nodes[1].spans = first;
	nodes[1].n_spans = 3;
	rows = coverage_sweep(&in, 0, 400, &a, &n);
	assert_int_equal(n, 5);
	check_row(&rows[0], 0, 50, 200, WHY_OVER_CAPACITY, 600);
	check_row(&rows[1], 0, 200, 300, WHY_COVERED, 400);
	check_row(&rows[2], 0, 300, 350, WHY_OVER_CAPACITY, 200);
	check_row(&rows[3], 1, 0, 200, WHY_COVERED, 800); /* two spans, one row */
	check_row(&rows[4], 1, 300, 400, WHY_COVERED, 400);
}

static void an_empty_period_or_world_has_no_rows(void **state)
{
	cleanup(arena_done) struct arena a = {0};
	const struct cov_span odd[] = {{50, 50}, {60, 55}};
	const struct cov_node node = {.id = "x",
		.name = "x",
		.family = "v3",
		.created = 1,
		.spans = odd,
		.n_spans = 2};
	struct cov_input in = {.nodes = &node, .n_nodes = 1};
	size_t n = 7;

	(void)coverage_sweep(&in, 0, 100, &a, &n);
	assert_int_equal(n, 0);
	n = 7;
	(void)coverage_sweep(&in, 100, 100, &a, &n);
	assert_int_equal(n, 0);
	n = 7;
	(void)coverage_sweep(&in, 100, 50, &a, &n);
	assert_int_equal(n, 0);
	in.n_nodes = 0;
	n = 7;
	(void)coverage_sweep(&in, 0, 100, &a, &n);
	assert_int_equal(n, 0);
}

static void chip_seconds_that_do_not_fit_are_not_known(void **state)
{
	cleanup(arena_done) struct arena a = {0};
	const struct cov_span span = {0, TS_NONE};
	const struct cov_node node = {.id = "x",
		.name = "x",
		.family = "v3",
		.chips = SOME(INT64_MAX / 2),
		.created = 1,
		.spans = &span,
		.n_spans = 1};
	const struct cov_input in = {.nodes = &node, .n_nodes = 1};
	const struct cov_row *rows;
	size_t n;

	rows = coverage_sweep(&in, 0, 100, &a, &n);
	assert_int_equal(n, 1);
	assert_false(rows[0].chip_seconds.set);
	assert_int_equal(rows[0].why, WHY_NO_GRANT);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sweep_equals_a_count_of_every_second),
		cmocka_unit_test(a_grant_that_ends_mid_hour_covers_only_its_part),
		cmocka_unit_test(room_that_is_freed_goes_to_the_next),
		cmocka_unit_test(an_empty_period_or_world_has_no_rows),
		cmocka_unit_test(chip_seconds_that_do_not_fit_are_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
