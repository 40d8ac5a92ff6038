/* Random worlds of grants and TPUs, judged twice: by the interval sweep, and second by second
 * by a count that is written here from the words of the rules alone:
 *
 * A running TPU is covered while a grant of its family, zone and class runs, was there when
 * the TPU was made, and has room. Devices cover exactly their type, chips and cores any slice.
 * Room goes to the oldest (then by name), wholly or not at all, from the grant that ends first.
 * A renewal joins its window to the grant it extends; of the two the larger room counts. */
#include "rules/grant/coverage.h"

#include "base/time/civil.h"
#include "base/str.h"
#include "rules/grant/tpu.h"
#include "tests/support/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define T0 INT64_C(1793491200) /* 2026-11-01T00:00:00Z */
#define MAX_GRANTS 7
#define MAX_NODES 9
#define MAX_SPANS 3

struct world {
	uint64_t seed, random;
	struct arena a;
	struct grant grants[MAX_GRANTS];
	struct cov_node nodes[MAX_NODES];
	struct cov_span spans[MAX_NODES][MAX_SPANS];
	struct cov_input in;
	ts_t from, to;
};

/* xorshift64* */
static uint64_t draw(struct world *w, uint64_t below)
{
	w->random ^= w->random >> 12;
	w->random ^= w->random << 25;
	w->random ^= w->random >> 27;
	return ((w->random * UINT64_C(2685821657736338717)) >> 33) % below;
}

static bool one_in(struct world *w, uint64_t n)
{
	return draw(w, n) == 0;
}

/* ---- the count ----------------------------------------------------------------------------- */

struct judged {
	bool runs, covered;
	const char *grant; /* name */
	enum why why;
};

static bool runs_at(const struct cov_node *n, ts_t t)
{
	for (size_t i = 0; i < n->n_spans; i++)
		if (n->spans[i].starts <= t &&
			(n->spans[i].ends == TS_NONE || t < n->spans[i].ends))
			return true;
	return false;
}

static bool has_begun(const struct grant *g, ts_t t)
{
	return g->starts == TS_NONE || g->starts <= t;
}

static bool has_ended(const struct grant *g, ts_t t)
{
	return g->until != TS_NONE && g->until <= t;
}

static const struct grant *extended(const struct world *w, const struct grant *g)
{
	for (size_t i = 0; g->extends && i < w->in.n_grants; i++)
		if (!strcmp(w->grants[i].name, g->extends))
			return &w->grants[i];
	return NULL;
}

/* Since when its joined window runs; TS_NONE when TPUs of any age are covered. */
static ts_t window_start(const struct world *w, const struct grant *g)
{
	ts_t first = INT64_MAX;

	for (; g; g = extended(w, g)) {
		if (!g->new_only || g->starts == TS_NONE)
			return TS_NONE;
		first = g->starts < first ? g->starts : first;
	}
	return first;
}

static const char *origin(const struct world *w, const struct grant *g)
{
	while (extended(w, g))
		g = extended(w, g);
	return g->name;
}

static bool same_line(const struct grant *a, const struct grant *b)
{
	return a->unit == b->unit && !strcmp(a->family, b->family) &&
		str_eq(a->type, b->type) && !strcmp(a->zone, b->zone) &&
		!strcmp(a->provisioning, b->provisioning);
}

static bool share(const struct world *w, const struct grant *a, const struct grant *b)
{
	return same_line(a, b) && !strcmp(origin(w, a), origin(w, b));
}

static int64_t units(const struct grant *g, const struct cov_node *n)
{
	bool two_cores = !strcmp(g->family, "v3") || !strcmp(g->family, "v4");

	if (g->unit == GRANT_DEVICES)
		return 1;
	return g->unit == GRANT_CORES && two_cores ? 2 * n->chips.v : n->chips.v;
}

static bool type_fits(const struct grant *g, const struct cov_node *n)
{
	return g->unit == GRANT_DEVICES ? str_eq(g->type, n->type) : n->chips.set;
}

static bool older(const struct cov_node *a, const struct cov_node *b)
{
	if (a->created != b->created)
		return b->created == TS_NONE ||
			(a->created != TS_NONE && a->created < b->created);
	if (strcmp(a->name, b->name) != 0)
		return strcmp(a->name, b->name) < 0;
	return strcmp(a->id, b->id) < 0;
}

static bool too_old(
	const struct world *w, const struct grant *g, const struct cov_node *n, ts_t t)
{
	ts_t since = window_start(w, g);

	return since != TS_NONE && t >= since && n->created != TS_NONE &&
		n->created < since;
}

/* All but one thing is right; which one, or 0 for everything, or -1 for more than one. */
static int only_wrong(
	const struct world *w, const struct grant *g, const struct cov_node *n, ts_t t)
{
	const struct {
		bool wrong;
		enum why why;
	} checks[] = {{has_ended(g, t), WHY_EXPIRED}, {!has_begun(g, t), WHY_NOT_STARTED},
		{too_old(w, g, n, t), WHY_CREATED_BEFORE},
		{!str_eq(g->provisioning, n->provisioning),
			str_eq(n->provisioning, "unknown") ? WHY_PROVISIONING_UNKNOWN
							   : WHY_WRONG_PROVISIONING},
		{!type_fits(g, n), WHY_WRONG_TYPE},
		{!str_eq(g->zone, n->zone), WHY_WRONG_ZONE}};
	int found = 0;

	for (size_t i = 0; i < ARRAY_LEN(checks); i++)
		if (checks[i].wrong)
			found = found ? -1 : (int)checks[i].why;
	return found;
}

/* Lines of the grant of that name that are for the same thing add up. */
static int64_t room_of(const struct world *w, const struct grant *g)
{
	int64_t sum = 0;

	for (size_t i = 0; i < w->in.n_grants; i++)
		if (!strcmp(w->grants[i].name, g->name) && same_line(&w->grants[i], g))
			sum += w->grants[i].count;
	return sum;
}

/* The grant line that has room for the node, the one that ends first; -1: none. */
static int find_room(
	const struct world *w, const struct cov_node *n, ts_t t, const int64_t *used)
{
	int best = -1;

	for (size_t i = 0; i < w->in.n_grants; i++) {
		const struct grant *g = &w->grants[i];
		ts_t ends = g->until == TS_NONE ? INT64_MAX : g->until;
		int64_t taken = 0;

		if (strcmp(g->family, n->family) != 0 || only_wrong(w, g, n, t))
			continue;
		for (size_t k = 0; k < w->in.n_grants; k++)
			taken += share(w, g, &w->grants[k]) ? used[k] : 0;
		if (taken + units(g, n) > room_of(w, g))
			continue;
		if (best < 0 ||
			ends < (w->grants[best].until == TS_NONE ? INT64_MAX
								 : w->grants[best].until))
			best = (int)i;
	}
	return best;
}

static enum why reason(const struct world *w, const struct cov_node *n, ts_t t)
{
	enum why why = n->family ? WHY_NO_GRANT : WHY_FAMILY_UNKNOWN;

	for (size_t i = 0; i < w->in.n_grants; i++) {
		int wrong;

		if (!n->family || strcmp(w->grants[i].family, n->family) != 0)
			continue;
		wrong = only_wrong(w, &w->grants[i], n, t);
		if (!wrong)
			return WHY_OVER_CAPACITY;
		if (wrong > 0 && wrong < (int)why)
			why = (enum why)wrong;
	}
	return why;
}

/* Everything at one instant. */
static void judge(const struct world *w, ts_t t, struct judged *out)
{
	int64_t used[MAX_GRANTS] = {0};
	bool done[MAX_NODES] = {false};

	for (size_t round = 0; round < w->in.n_nodes; round++) {
		const struct cov_node *n;
		struct judged *j;
		size_t k = 0;
		int line;

		while (done[k])
			k++;
		for (size_t i = k; i < w->in.n_nodes; i++)
			if (!done[i] && older(&w->nodes[i], &w->nodes[k]))
				k = i;
		done[k] = true;
		n = &w->nodes[k];
		j = &out[k];
		*j = (struct judged){.runs = runs_at(n, t), .why = WHY_NO_GRANT};
		if (!j->runs)
			continue;
		line = n->family ? find_room(w, n, t, used) : -1;
		j->covered = line >= 0;
		j->why = line >= 0 ? WHY_COVERED : reason(w, n, t);
		if (line >= 0) {
			j->grant = w->grants[line].name;
			used[line] += units(&w->grants[line], n);
		}
	}
}

/* ---- random worlds ------------------------------------------------------------------------- */

static const char *const zones[] = {"us-central2-b", "europe-west4-a"};
static const char unknown[] = "unknown";
static const char *const classes[] = {"on-demand", "spot", unknown};
/* In every fourth world, more classes are unknown, and more TPUs and grants are in one place. */
#define VAGUE(w) ((w)->seed % 4 == 3)
/* a quarter is not on demand */
#define PICK_CLASS(w, of16) classes[(of16) >= 4 ? 0 : (of16) && !VAGUE(w) ? 1 : 2]
static const char *const names[] = {"a", "b", "c", "d"};

static void make_line(struct world *w, struct grant *g)
{
	static const char *const types[] = {"v3-8", "v4-8"};
	static const char *const families[] = {"v3", "v4", "v6e"};

	g->zone = zones[draw(w, 4) == 0 && !VAGUE(w)];
	g->provisioning = classes[draw(w, 4) == 0];
	g->unit = (enum grant_unit)draw(w, 3);
	if (g->unit == GRANT_DEVICES) {
		g->type = types[draw(w, 2)];
		g->family = g->type[1] == '3' ? "v3" : "v4";
		g->count = 1 + (int64_t)draw(w, 3);
		g->chips = 4 * g->count;
	} else {
		g->family = families[draw(w, 3) * !VAGUE(w)];
		g->count = 4 + 4 * (int64_t)draw(w, 5);
		g->chips = g->count;
	}
}

/* Every line of one grant has its window; a renewal begins no earlier than what it extends. */
static void make_grants(struct world *w, ts_t (*moment)(struct world *))
{
	size_t n = draw(w, MAX_GRANTS + 1), n_names = 1 + draw(w, ARRAY_LEN(names));

	memset(w->grants, 0, sizeof(w->grants));
	w->in.grants = w->grants;
	w->in.n_grants = n;
	for (size_t i = 0; i < n; i++) {
		struct grant *g = &w->grants[i];
		size_t name = draw(w, n_names);
		ts_t one = moment(w), two = moment(w);

		make_line(w, g);
		g->name = names[name];
		g->starts = one_in(w, 12) ? TS_NONE : one < two ? one : two;
		g->until = one_in(w, 12) ? TS_NONE : (one < two ? two : one) + 1;
		g->new_only = !one_in(w, 5);
		for (size_t k = 0; k < i; k++)
			if (!strcmp(w->grants[k].name, g->name)) { /* the same grant */
				g->starts = w->grants[k].starts;
				g->until = w->grants[k].until;
				g->new_only = w->grants[k].new_only;
				g->extends = w->grants[k].extends;
				break;
			} else if (name && !g->extends && one_in(w, 2) &&
				strcmp(w->grants[k].name, g->name) < 0) {
				g->extends = w->grants[k].name;
			}
		if (i && g->extends && one_in(w, 2)) { /* for the same thing */
			const char *own = g->name;
			struct grant *e = g - 1 - draw(w, i);
			struct grant copy = *g;

			*g = *e;
			g->name = own;
			g->starts = copy.starts;
			g->until = copy.until;
			g->new_only = copy.new_only;
			g->extends = copy.extends;
			g->count = copy.unit == e->unit ? copy.count : e->count;
		}
	}
	for (size_t i = 0; i < n; i++) {
		const struct grant *e = extended(w, &w->grants[i]);
		struct grant *g = &w->grants[i];

		if (e && g->starts != TS_NONE && e->starts != TS_NONE &&
			g->starts < e->starts)
			g->extends = NULL;
	}
	for (size_t i = 0; i < n; i++) /* lines of one grant extend the same one */
		for (size_t k = 0; k < i; k++)
			if (!strcmp(w->grants[k].name, w->grants[i].name))
				w->grants[i].extends = w->grants[k].extends;
}

static void make_node(struct world *w, size_t i, ts_t (*moment)(struct world *))
{
	static const char *const types[] = {
		"v3-8", "v4-8", "v4-16", "v6e-4", "v3-32", "v4-9", "tpu"};
	struct cov_node *n = &w->nodes[i];
	struct cov_span *s = w->spans[i];
	ts_t times[2 * MAX_SPANS];
	size_t spans = 1 + draw(w, MAX_SPANS);
	struct tpu_type t;

	*n = (struct cov_node){.id = arena_printf(&w->a, "p/tpu/%zu", i),
		.name = names[draw(w, ARRAY_LEN(names))],
		.type = types[draw(w, ARRAY_LEN(types))],
		.zone = zones[draw(w, 5) == 0 && !VAGUE(w)],
		.provisioning = PICK_CLASS(w, draw(w, 16)),
		.spans = s,
		.n_spans = spans};
	n->family = tpu_family_of_type(n->type);
	if (tpu_type_parse(n->type, &t))
		n->chips = SOME(t.chips);
	for (size_t k = 0; k < 2 * spans; k++) {
		size_t m = k;
		ts_t at = moment(w);

		for (; m > 0 && times[m - 1] > at; m--)
			times[m] = times[m - 1];
		times[m] = at;
	}
	for (size_t k = 0; k < spans; k++)
		s[k] = (struct cov_span){times[2 * k], times[2 * k + 1]};
	if (one_in(w, 3))
		s[spans - 1].ends = TS_NONE;
	n->created = one_in(w, 10) ? TS_NONE : moment(w);
	if (n->created != TS_NONE && n->created > times[0])
		n->created = times[0];
}

static void make_world(struct world *w, uint64_t seed, ts_t (*moment)(struct world *))
{
	ts_t one, two;

	arena_reset(&w->a);
	w->seed = seed;
	w->random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
	make_grants(w, moment);
	w->in.nodes = w->nodes;
	w->in.n_nodes = 1 + draw(w, MAX_NODES);
	for (size_t i = 0; i < w->in.n_nodes; i++)
		make_node(w, i, moment);
	one = moment(w);
	two = moment(w);
	w->from = one < two ? one : two;
	w->to = (one < two ? two : one) + 1;
}

static void show(const struct world *w)
{
	for (size_t i = 0; i < w->in.n_grants; i++) {
		const struct grant *g = &w->grants[i];

		print_error("grant %s: %" PRId64 " %s %s unit %d %s [%" PRId64 ", %" PRId64
			    ") new_only %d extends %s\n",
			g->name, g->count, g->provisioning, g->type ? g->type : g->family,
			(int)g->unit, g->zone, g->starts - T0, g->until - T0, g->new_only,
			g->extends ? g->extends : "-");
	}
	for (size_t i = 0; i < w->in.n_nodes; i++) {
		const struct cov_node *n = &w->nodes[i];

		print_error("node %zu %s %s %s %s created %" PRId64, i, n->name, n->type,
			n->provisioning, n->zone, n->created - T0);
		for (size_t k = 0; k < n->n_spans; k++)
			print_error(" [%" PRId64 ", %" PRId64 ")", n->spans[k].starts - T0,
				n->spans[k].ends - T0);
		print_error("\n");
	}
}

/* ---- both against each other --------------------------------------------------------------- */

static const struct cov_row *row_at(
	const struct cov_row *rows, size_t n, size_t node, ts_t t)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].node == node && rows[i].starts <= t && t < rows[i].ends)
			return &rows[i];
	return NULL;
}

static const char *grant_of(const struct world *w, const struct cov_row *r)
{
	return r->covered ? w->grants[r->grant].name : NULL;
}

/* Does one of unknown class run, which may use the room of this one? */
static bool may_be_pushed_out(
	const struct world *w, const struct judged *j, const struct cov_node *n)
{
	for (size_t i = 0; i < w->in.n_nodes; i++)
		if (j[i].runs && w->nodes[i].provisioning == unknown &&
			str_eq(w->nodes[i].family, n->family) &&
			str_eq(w->nodes[i].zone, n->zone))
			return true;
	return false;
}

/* A verdict of the sweep must be right whatever the class of each of those of unknown class is: `choice` has one
 * digit for each. */
static void compare_as(const struct world *w, unsigned choice, const struct cov_row *rows,
	size_t n, ts_t t)
{
	struct world as = *w;
	struct judged want[MAX_NODES];

	as.in.nodes = as.nodes;
	for (size_t i = 0; i < as.in.n_nodes; i++)
		if (as.nodes[i].provisioning == unknown) {
			as.nodes[i].provisioning = classes[choice % ARRAY_LEN(classes)];
			choice /= ARRAY_LEN(classes);
		}
	judge(&as, t, want);
	for (size_t i = 0; i < w->in.n_nodes; i++) {
		const struct cov_row *got = row_at(rows, n, i, t);
		const struct judged *j = &want[i];

		if (got && j->runs && got->why == WHY_PROVISIONING_UNKNOWN &&
			!got->covered && may_be_pushed_out(w, want, &w->nodes[i]))
			continue;
		if (as.nodes[i].provisioning != w->nodes[i].provisioning)
			continue;
		if (!got == !j->runs &&
			(!got ||
				(got->why == j->why && got->covered == j->covered &&
					str_eq(grant_of(w, got), j->grant))))
			continue;
		show(w);
		fail_msg("world %" PRIu64 " at %" PRId64
			 ", node %zu: sweep says %s %s, count "
			 "says %s %s",
			w->seed, t - T0, i, got ? why_name(got->why) : "not running",
			got && got->covered ? grant_of(w, got) : "",
			j->runs ? why_name(j->why) : "not running",
			j->grant ? j->grant : "");
	}
}

static void compare_at(const struct world *w, const struct cov_row *rows, size_t n, ts_t t)
{
	unsigned choices = 1;

	for (size_t i = 0; i < w->in.n_nodes; i++)
		if (w->nodes[i].provisioning == unknown && choices < 81)
			choices *= (unsigned)ARRAY_LEN(classes);
	for (unsigned choice = 0; choice < choices; choice++)
		compare_as(w, choice, rows, n, t);
}

/* Chip-seconds covered by all grants together, counted. */
static int64_t counted(const struct world *w, ts_t from, ts_t to)
{
	int64_t sum = 0;

	for (ts_t t = from; t < to; t++) {
		struct judged j[MAX_NODES];

		judge(w, t, j);
		for (size_t i = 0; i < w->in.n_nodes; i++)
			sum += j[i].covered && w->nodes[i].chips.set ? w->nodes[i].chips.v
								     : 0;
	}
	return sum;
}

static int64_t swept(const struct cov_row *rows, size_t n)
{
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += rows[i].covered && rows[i].chip_seconds.set ? rows[i].chip_seconds.v
								   : 0;
	return sum;
}

/* Rows are in order, do not overlap, are inside of the period, and none could be one with the
 * row before it. */
static void check_rows(const struct world *w, const struct cov_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct cov_row *r = &rows[i], *last = i ? &rows[i - 1] : NULL;

		assert_true(
			w->from <= r->starts && r->starts < r->ends && r->ends <= w->to);
		assert_true(r->text && *r->text);
		if (!last)
			continue;
		assert_true(last->node <= r->node);
		if (last->node != r->node)
			continue;
		assert_true(last->ends <= r->starts);
		assert_false(last->ends == r->starts && last->why == r->why &&
			last->grant == r->grant);
	}
}

static ts_t some_second(struct world *w)
{
	return T0 + (ts_t)draw(w, 120);
}

static void the_sweep_is_a_count_of_every_second(void **state)
{
	struct world *w = xcalloc(1, sizeof(*w));
	int64_t covered = 0, seen[WHY_CODES] = {0};

	for (uint64_t seed = 0; seed < 20000; seed++) {
		const struct cov_row *rows;
		size_t n;

		make_world(w, seed, some_second);
		rows = coverage_sweep(&w->in, w->from, w->to, &w->a, &n);
		check_rows(w, rows, n);
		for (ts_t t = w->from; t < w->to; t++)
			compare_at(w, rows, n, t);
		assert_true(swept(rows, n) <= counted(w, w->from, w->to));
		covered += swept(rows, n);
		for (size_t i = 0; i < n; i++)
			seen[rows[i].why]++;
	}
	/* the worlds are not so random that something never happens */
	assert_true(covered > 500000);
	for (size_t i = 0; i < WHY_CODES; i++)
		if (seen[i] < 100)
			fail_msg("%s happened %" PRId64 " times", why_name((enum why)i),
				seen[i]);
	arena_done(&w->a);
	free_ptr(&w);
}

static void one_instant_is_a_sweep_of_one_second(void **state)
{
	struct world *w = xcalloc(1, sizeof(*w));

	for (uint64_t seed = 10000; seed < 20000; seed++) {
		struct cov_verdict v[MAX_NODES];
		struct judged want[MAX_NODES];
		int64_t used[MAX_GRANTS], chips = 0, sum = 0;
		ts_t t;

		make_world(w, seed, some_second);
		t = some_second(w);
		judge(w, t, want);
		for (size_t i = 0; i < w->in.n_nodes; i++)
			w->nodes[i].running = want[i].runs;
		coverage_at(&w->in, t, &w->a, v, used);
		for (size_t i = 0; i < w->in.n_nodes; i++) {
			assert_int_equal(v[i].applies, want[i].runs);
			if (v[i].why == WHY_PROVISIONING_UNKNOWN)
				continue;
			assert_int_equal(v[i].covered, want[i].covered);
			assert_int_equal(v[i].why, want[i].why);
			if (v[i].covered)
				assert_string_equal(
					w->grants[v[i].grant].name, want[i].grant);
			if (v[i].covered)
				chips += w->nodes[i].chips.v;
		}
		for (size_t i = 0; i < w->in.n_grants; i++)
			/* the generator does not turn cores into chips */
			sum += w->grants[i].unit == GRANT_CHIPS && used[i] > 0 ? used[i]
									       : 0;
		assert_true(sum <= chips);
	}
	arena_done(&w->a);
	free_ptr(&w);
}

/* ---- days of the calendar ------------------------------------------------------------------ */

static struct tz *zone; /* of the world being made */

/* Mostly the first moment of a day around the change of clocks, else any second. */
static ts_t some_day(struct world *w)
{
	day_t first = tz_day(zone, T0) - 10;
	ts_t midnight = tz_day_start(zone, first + (day_t)draw(w, 20));

	return one_in(w, 3) ? midnight + (ts_t)draw(w, 90000) : midnight;
}

static void compare_around(
	const struct world *w, const struct cov_row *rows, size_t n, ts_t edge)
{
	if (edge == TS_NONE)
		return;
	for (ts_t t = edge - 1; t <= edge + 1; t++)
		if (t >= w->from && t < w->to)
			compare_at(w, rows, n, t);
}

static void days_of_23_and_25_hours_are_as_long_as_they_are(void **state)
{
	/* the clocks change on 2026-10-25, 2026-11-01, 2026-10-04 and never */
	static const char *const tzs[] = {"Europe/Berlin", "America/New_York",
		"Australia/Lord_Howe", "Asia/Hong_Kong"};
	struct world *w = xcalloc(1, sizeof(*w));

	for (size_t z = 0; z < ARRAY_LEN(tzs); z++) {
		assert_int_equal(tz_open(tzs[z], &zone, NULL), E_OK);
		for (uint64_t seed = 0; seed < 400; seed++) {
			const struct cov_row *rows;
			size_t n;

			make_world(w, 20000 + seed, some_day);
			w->in.tz = zone;
			rows = coverage_sweep(&w->in, w->from, w->to, &w->a, &n);
			check_rows(w, rows, n);
			/* nothing changes but where something begins or ends: on both sides
			 * of each, and in between */
			compare_at(w, rows, n, w->from);
			for (size_t i = 0; i < w->in.n_grants; i++) {
				compare_around(w, rows, n, w->grants[i].starts);
				compare_around(w, rows, n, w->grants[i].until);
			}
			for (int i = 0; i < 50; i++)
				compare_at(w, rows, n,
					w->from +
						(ts_t)draw(w, (uint64_t)(w->to - w->from)));
		}
		tz_free(zone);
	}
	arena_done(&w->a);
	free_ptr(&w);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sweep_is_a_count_of_every_second),
		cmocka_unit_test(one_instant_is_a_sweep_of_one_second),
		cmocka_unit_test(days_of_23_and_25_hours_are_as_long_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
