#include "rules/grant/coverage.h"

#include "base/str.h"
#include "rules/grant/internal.h"
#include "rules/grant/tpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *why_name(enum why w)
{
	static const char *const names[] = {
		[WHY_COVERED] = "covered",
		[WHY_OVER_CAPACITY] = "over-capacity",
		[WHY_CREATED_BEFORE] = "created-before",
		[WHY_EXPIRED] = "expired",
		[WHY_NOT_STARTED] = "not-started",
		[WHY_WRONG_PROVISIONING] = "wrong-provisioning",
		[WHY_PROVISIONING_UNKNOWN] = "provisioning-unknown",
		[WHY_WRONG_TYPE] = "wrong-type",
		[WHY_WRONG_ZONE] = "wrong-zone",
		[WHY_NO_GRANT] = "no-grant",
		[WHY_FAMILY_UNKNOWN] = "family-unknown",
	};

	return (size_t)w < ARRAY_LEN(names) ? names[w] : "unknown";
}

/* ---- preparing grants ----------------------------------------------------------------------- */

/* Follow `extends` to the first grant of the chain: its index, and since when TPUs count as new. A
 * circle ends after as many steps as there are grants. */
static size_t chain_root(const struct cov_input *in, size_t line, ts_t *created_since)
{
	size_t root = line, first = line;
	bool any_age = false;
	ts_t since = TS_NONE;

	for (size_t steps = 0; steps <= in->n_grants; steps++) {
		const struct grant *g = &in->grants[line];
		int64_t next = g->extends ? grant_find(in->grants, in->n_grants, g->extends)
					  : -1;

		root = (size_t)grant_find(in->grants, in->n_grants, g->name);
		first = root < first ? root : first;
		any_age = any_age || !g->new_only || g->starts == TS_NONE;
		if (since == TS_NONE || g->starts < since)
			since = g->starts;
		if (next < 0) {
			*created_since = any_age ? TS_NONE : since;
			return root;
		}
		line = (size_t)next;
	}
	*created_since = any_age ? TS_NONE : since;
	return first;
}

ts_t cov_created_since(const struct grant *grants, size_t n, size_t line)
{
	const struct cov_input in = {.grants = grants, .n_grants = n};
	ts_t since;

	(void)chain_root(&in, line, &since);
	return since;
}

static void prepare_lines(struct cov_engine *en)
{
	const struct cov_input *in = en->in;
	size_t n = in->n_grants;
	size_t *roots = arena_alloc(en->a, n * sizeof(*roots));

	for (size_t i = 0; i < n; i++) {
		struct cov_line *line = &en->lines[i];

		line->g = &in->grants[i];
		line->pool = line->window = i;
		roots[i] = chain_root(in, i, &line->created_since);
		for (size_t k = i; k-- > 0;) {
			if (roots[k] != roots[i] || !grant_alike(line->g, en->lines[k].g))
				continue;
			line->pool = en->lines[k].pool;
			if (str_eq(line->g->name, en->lines[k].g->name))
				line->window = en->lines[k].window;
		}
		en->lines[line->window].room += line->g->count;
	}
	for (size_t i = 0; i < n; i++)
		en->lines[i].room = en->lines[en->lines[i].window].room;
}

/* Insertion sort: there are few grants, and it keeps the order of those that end
 * together. */
static void sort_by_end(struct cov_engine *en)
{
	for (size_t i = 0; i < en->in->n_grants; i++) {
		size_t k = i;

		while (k > 0 &&
			grant_ends_before(en->lines[i].g, en->lines[en->by_end[k - 1]].g)) {
			en->by_end[k] = en->by_end[k - 1];
			k--;
		}
		en->by_end[k] = i;
	}
}

/* ---- preparing nodes ------------------------------------------------------------------------ */

static int oldest_first(const void *pa, const void *pb)
{
	const struct cov_node *a = ((const struct cov_item *)pa)->n;
	const struct cov_node *b = ((const struct cov_item *)pb)->n;
	int order;

	if (a->created != b->created) {
		if (a->created == TS_NONE || b->created == TS_NONE)
			return a->created == TS_NONE ? 1 : -1;
		return a->created < b->created ? -1 : 1;
	}
	order = cov_compare_text(a->name, b->name);
	return order ? order : cov_compare_text(a->id, b->id);
}

static void prepare_items(struct cov_engine *en)
{
	for (size_t i = 0; i < en->in->n_nodes; i++) {
		struct cov_item *it = &en->items[i];
		struct tpu_type t;
		const char *type = en->in->nodes[i].type;

		it->n = &en->in->nodes[i];
		it->index = i;
		if (type)
			snprintf(it->type, sizeof(it->type), "%s",
				tpu_type_parse(type, &t) ? t.name : type);
	}
	if (en->in->n_nodes)
		qsort(en->items, en->in->n_nodes, sizeof(*en->items), oldest_first);
}

void cov_prepare(struct cov_engine *en, const struct cov_input *in, struct arena *a)
{
	size_t n = in->n_grants + 1;

	*en = (struct cov_engine){.in = in, .a = a};
	en->lines = arena_alloc(a, n * sizeof(*en->lines));
	en->by_end = arena_alloc(a, n * sizeof(*en->by_end));
	en->taken = arena_alloc(a, n * sizeof(*en->taken));
	en->line_taken = arena_alloc(a, n * sizeof(*en->line_taken));
	en->maybe = arena_alloc(a, n * sizeof(*en->maybe));
	en->asked = arena_alloc(a, n * sizeof(*en->asked));
	en->items = arena_alloc(a, (in->n_nodes + 1) * sizeof(*en->items));
	en->tried = arena_alloc(a, n * sizeof(*en->tried));
	prepare_lines(en);
	sort_by_end(en);
	memcpy(en->tried, en->by_end, in->n_grants * sizeof(*en->tried));
	en->n_tried = in->n_grants;
	prepare_items(en);
}

void cov_reset(struct cov_engine *en)
{
	memset(en->taken, 0, en->in->n_grants * sizeof(*en->taken));
	memset(en->line_taken, 0, en->in->n_grants * sizeof(*en->line_taken));
	memset(en->maybe, 0, en->in->n_grants * sizeof(*en->maybe));
	memset(en->asked, 0, en->in->n_grants * sizeof(*en->asked));
}

/* ---- evaluation ----------------------------------------------------------------------------- */

#define DIFFERS(why) (1U << (why))

/* The id of a TPU begins with its project. */
static bool in_project(const struct grant *g, const struct cov_node *n)
{
	size_t len = g->project ? strlen(g->project) : 0;

	if (!len)
		return !n->named_only;
	return n->id && !strncmp(n->id, g->project, len) && n->id[len] == '/';
}

/* Could it cover the node if all other conditions matched? */
static bool cov_concerns(const struct grant *g, const struct cov_node *n)
{
	return str_eq(g->family, n->family) && in_project(g, n);
}

/* Units of the grant that the node would use. */
static int64_t units_needed(const struct grant *g, const struct cov_node *n)
{
	if (g->unit == GRANT_DEVICES)
		return 1;
	return n->chips.v * (g->unit == GRANT_CORES ? tpu_cores_per_chip(g->family) : 1);
}

/* Differences between a node of the grant's family and the grant, apart from room. */
static unsigned cov_differences(
	const struct cov_line *line, const struct cov_item *it, ts_t t)
{
	const struct grant *g = line->g;
	const struct cov_node *n = it->n;
	bool type_ok = g->unit == GRANT_DEVICES ? str_eq(g->type, it->type)
						: n->chips.set && n->chips.v > 0;
	unsigned d = 0;

	if (g->until != TS_NONE && t >= g->until)
		d |= DIFFERS(WHY_EXPIRED);
	if (t < g->starts)
		d |= DIFFERS(WHY_NOT_STARTED);
	/* before its beginning, no TPU can be too old */
	if (t >= line->created_since && n->created != TS_NONE &&
		n->created < line->created_since)
		d |= DIFFERS(WHY_CREATED_BEFORE);
	if (str_eq(n->provisioning, "unknown"))
		d |= DIFFERS(WHY_PROVISIONING_UNKNOWN);
	else if (!str_eq(g->provisioning, n->provisioning))
		d |= DIFFERS(WHY_WRONG_PROVISIONING);
	if (!type_ok)
		d |= DIFFERS(WHY_WRONG_TYPE);
	if (!str_eq(g->zone, n->zone))
		d |= DIFFERS(WHY_WRONG_ZONE);
	return d;
}

/* Use room of the lines of a window, in their order; returns the first line used. */
static size_t cov_take(struct cov_engine *en, const struct cov_line *window, int64_t needs)
{
	size_t first = window->window;
	bool used = false;

	en->taken[window->pool] += needs;
	for (size_t i = window->window; i < en->in->n_grants; i++) {
		int64_t part = en->lines[i].g->count - en->line_taken[i];

		if (en->lines[i].window != window->window || part <= 0)
			continue;
		part = part < needs ? part : needs;
		en->line_taken[i] += part;
		needs -= part;
		first = used ? first : i;
		used = true;
	}
	return first;
}

/* The TPU may use room of the pool: once, also if several lines of it match. */
static void cov_take_maybe(
	struct cov_engine *en, size_t pool, const struct cov_item *it, int64_t needs)
{
	if (en->asked[pool] != it)
		en->maybe[pool] += needs;
	en->asked[pool] = it;
}

/* Length of the common prefix of two zone names: longer is nearer. The zone of a node may be
 * unknown. */
static size_t common_length(const char *a, const char *b)
{
	size_t n = 0;

	while (b && a[n] && a[n] == b[n])
		n++;
	return n;
}

/* Is line i, which differs in `d`, nearer than that of `f`, which has the same code? */
static bool is_nearer(const struct cov_engine *en, const struct cov_node *n, size_t i,
	unsigned d, const struct cov_finding *f)
{
	const struct grant *g = en->lines[i].g, *than = en->lines[f->line].g;

	if (__builtin_popcount(d) != __builtin_popcount(f->differs))
		return __builtin_popcount(d) < __builtin_popcount(f->differs);
	if (f->why == WHY_EXPIRED)
		return than->until < g->until;
	if (f->why == WHY_NOT_STARTED)
		return g->starts < than->starts;
	return common_length(g->zone, n->zone) > common_length(than->zone, n->zone);
}

/* No grant matches: report the only difference, or else the nearest grant. */
static struct cov_finding cov_explain(
	const struct cov_engine *en, const struct cov_item *it, ts_t t)
{
	struct cov_finding f = {
		.why = it->n->family ? WHY_NO_GRANT : WHY_FAMILY_UNKNOWN, .line = -1};

	for (size_t i = 0; i < en->in->n_grants; i++) {
		const struct cov_line *line = &en->lines[i];
		enum why why = WHY_NO_GRANT;
		unsigned d;

		if (!cov_concerns(line->g, it->n))
			continue;
		d = cov_differences(line, it, t);
		if (__builtin_popcount(d) == 1)
			why = (enum why)__builtin_ctz(d);
		if (f.line < 0 || why < f.why ||
			(why == f.why && is_nearer(en, it->n, i, d, &f)))
			f = (struct cov_finding){
				.why = why, .line = (int64_t)i, .differs = d};
	}
	return f;
}

void cov_narrow(struct cov_engine *en, const struct cov_node *n, ts_t t)
{
	en->n_tried = 0;
	for (size_t k = 0; k < en->in->n_grants; k++) {
		const struct grant *g = en->lines[en->by_end[k]].g;

		if (grant_runs_at(g, t) && str_eq(g->family, n->family) &&
			str_eq(g->zone, n->zone))
			en->tried[en->n_tried++] = en->by_end[k];
	}
}

/* Of full lines, the nearest is the first that is large enough, or else the largest. */
static bool is_nearer_full(const struct cov_engine *en, const struct cov_line *line,
	int64_t needs, const struct cov_finding *full)
{
	int64_t room = full->line < 0 ? 0 : en->lines[full->line].room;

	return full->line < 0 ||
		(full->needs > room &&
			(needs <= line->room || line->room * full->needs > room * needs));
}

struct cov_finding cov_judge(struct cov_engine *en, const struct cov_item *it, ts_t t)
{
	struct cov_finding full = {.why = WHY_NO_GRANT, .line = -1}, perhaps = full;

	for (size_t k = 0; k < en->n_tried; k++) {
		size_t i = en->tried[k];
		const struct cov_line *line = &en->lines[i];
		int64_t needs = units_needed(line->g, it->n);
		/* In a pool of several windows, the room is that of the largest window that matches
		 * the node, regardless of the users. */
		bool room = en->taken[line->pool] <= line->room - needs;
		unsigned d;

		/* comparing names is expensive */
		if ((!room && !is_nearer_full(en, line, needs, &full)) ||
			!cov_concerns(line->g, it->n))
			continue;
		d = cov_differences(line, it, t);
		if (d && (!room || d != DIFFERS(WHY_PROVISIONING_UNKNOWN)))
			continue;
		/* it may be in this line, or in a later one, or in none */
		if (room &&
			(d || perhaps.line >= 0 ||
				en->taken[line->pool] + en->maybe[line->pool] >
					line->room - needs)) {
			if (!d && perhaps.line < 0)
				perhaps = (struct cov_finding){
					.why = WHY_PROVISIONING_UNKNOWN,
					.line = (int64_t)i,
					.differs = DIFFERS(WHY_PROVISIONING_UNKNOWN),
					.taken = en->taken[line->pool],
					.maybe = en->maybe[line->pool],
					.needs = needs};
			cov_take_maybe(en, line->pool, it, needs);
			continue;
		}
		if (room)
			return (struct cov_finding){.why = WHY_COVERED,
				.line = (int64_t)cov_take(en, line, needs)};
		full = (struct cov_finding){.why = WHY_OVER_CAPACITY,
			.line = (int64_t)i,
			.differs = DIFFERS(WHY_OVER_CAPACITY),
			.taken = en->taken[line->pool],
			.needs = needs};
	}
	if (perhaps.line >= 0)
		return perhaps;
	return full.line >= 0 ? full : cov_explain(en, it, t);
}

static int64_t chips_taken(const struct cov_engine *en, size_t i)
{
	const struct grant *g = en->lines[i].g;
	int64_t units = en->line_taken[i];

	if (g->unit == GRANT_DEVICES)
		return units ? units * (g->chips / g->count) : 0;
	return g->unit == GRANT_CORES ? units / tpu_cores_per_chip(g->family) : units;
}

void coverage_at(const struct cov_input *in, ts_t t, struct arena *a,
	struct cov_verdict *out, int64_t *used)
{
	struct cov_engine en;

	cov_prepare(&en, in, a);
	cov_reset(&en);
	for (size_t i = 0; i < in->n_nodes; i++) {
		const struct cov_item *it = &en.items[i];
		struct cov_verdict *v = &out[it->index];
		struct cov_finding f;

		*v = (struct cov_verdict){.grant = -1, .why = WHY_NO_GRANT, .text = ""};
		if (!it->n->running)
			continue;
		f = cov_judge(&en, it, t);
		f.at = t;
		v->applies = true;
		v->why = f.why;
		v->covered = f.why == WHY_COVERED;
		v->grant = v->covered ? f.line : -1;
		v->text = cov_text(&en, it, &f);
	}
	for (size_t i = 0; used && i < in->n_grants; i++)
		used[i] = en.maybe[en.lines[i].pool] && grant_runs_at(&in->grants[i], t)
			? -1
			: chips_taken(&en, i);
}
