/* Coverage over a period, interval by interval between changes. */
#include "rules/grant/coverage.h"

#include "base/str.h"
#include "rules/grant/internal.h"

#include <stdlib.h>
#include <string.h>

/* TPUs compete for room only with those of the same family, zone and class; one of unknown class
 * competes with those of every class. Each such group is swept separately, over the instants at which one of
 * its TPUs starts or ends or a grant of its family begins or ends; in between, nothing changes.
 *
 * Room goes to the oldest TPU first, so a start of the youngest one, and an end of one that is surely
 * not covered, leave the other verdicts as they are. Only at other instants are all that run evaluated again.
 * A grant of two, and TPUs a to d, in the order of their age:
 *
 *	09:00 a starts      a covered
 *	10:00 b, d start    b covered, d over-capacity
 *	11:00 d ends        nothing changes for a and b
 *	12:00 c starts      over-capacity
 *	13:00 a ends        it was covered: b and c are evaluated again, and c is covered */

struct row_list {
	struct cov_row *v;
	size_t n, cap;
};

enum event_kind { EVENT_GRANT, EVENT_END, EVENT_START };

struct event {
	ts_t at;
	enum event_kind kind;
	size_t member; /* of the group */
};

struct sweep {
	struct cov_engine en;
	ts_t from, to;
	struct {
		struct event *v;
		size_t n, cap;
	} events;
	size_t *running; /* members of the group, the oldest first */
	size_t n_running;
	int64_t *open; /* per node: its last row, or -1 */
	struct row_list rows;
};

static int compare_place(const struct cov_node *a, const struct cov_node *b)
{
	int order = cov_compare_text(a->family, b->family);

	return order ? order : cov_compare_text(a->zone, b->zone);
}

static int compare_group(const struct cov_node *a, const struct cov_node *b)
{
	int order = compare_place(a, b);

	return order ? order : cov_compare_text(a->provisioning, b->provisioning);
}

static int compare_events(const void *pa, const void *pb)
{
	const struct event *a = pa, *b = pb;

	return i64_order(a->at, b->at);
}

static int compare_rows(const void *a, const void *b)
{
	const struct cov_row *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return i64_order(x->starts, y->starts);
}

static int compare_ages(const void *pa, const void *pb)
{
	const struct cov_item *a = *(const struct cov_item *const *)pa;
	const struct cov_item *b = *(const struct cov_item *const *)pb;

	return (a > b) - (a < b); /* they are sorted by age */
}

/* Number of members of the group of m[0], of n that are sorted by group. The group of one of unknown class is
 * all of its place. */
static size_t group_members(const struct cov_item **m, size_t n)
{
	size_t same = 0, place = 0;
	bool mixed = false;

	for (; place < n && !compare_place(m[0]->n, m[place]->n); place++) {
		mixed = mixed || str_eq(m[place]->n->provisioning, "unknown");
		same += !compare_group(m[0]->n, m[place]->n);
	}
	if (!mixed)
		return same;
	qsort(m, place, sizeof(*m), compare_ages);
	return place;
}

/* By group, then the oldest first. */
static int compare_members(const void *pa, const void *pb)
{
	const struct cov_item *a = *(const struct cov_item *const *)pa;
	const struct cov_item *b = *(const struct cov_item *const *)pb;
	int order = compare_group(a->n, b->n);

	return order ? order : compare_ages(pa, pb);
}

static void sweep_add_event(struct sweep *s, ts_t at, enum event_kind kind, size_t member)
{
	if (at < s->to)
		*arena_push(s->en.a, &s->events) = (struct event){at, kind, member};
}

/* Everything that happens in the group, in order. */
static void find_events(struct sweep *s, const struct cov_item *const *m, size_t n)
{
	const struct cov_input *in = s->en.in;

	s->events.n = 0;
	for (size_t i = 0; i < in->n_grants; i++) {
		sweep_add_event(s, in->grants[i].starts, EVENT_GRANT, 0);
		sweep_add_event(s, in->grants[i].until, EVENT_GRANT, 0);
	}
	for (size_t i = 0; i < n; i++) {
		ts_t last = s->from;

		for (size_t k = 0; k < m[i]->n->n_spans; k++) {
			const struct cov_span *span = &m[i]->n->spans[k];
			ts_t starts = span->starts > last ? span->starts : last;
			ts_t ends = span->ends == TS_NONE ? INT64_MAX : span->ends;

			if (starts >= ends)
				continue;
			sweep_add_event(s, starts, EVENT_START, i);
			sweep_add_event(s, ends, EVENT_END, i);
			last = ends;
		}
	}
	if (s->events.n)
		qsort(s->events.v, s->events.n, sizeof(*s->events.v), compare_events);
}

/* A row lasts until the end of the period, unless the verdict changes or the node ends before. */
static void sweep_judge(struct sweep *s, const struct cov_item *it, ts_t t)
{
	struct cov_finding f = cov_judge(&s->en, it, t);
	int64_t grant = f.why == WHY_COVERED ? f.line : -1;
	int64_t *open = &s->open[it->index];
	struct cov_row *last = *open >= 0 ? &s->rows.v[*open] : NULL;

	if (last && last->ends >= t && last->why == f.why && last->grant == grant) {
		last->ends = s->to;
		return;
	}
	if (last && last->ends > t)
		last->ends = t;
	f.at = TS_NONE; /* the text applies to the whole interval */
	*open = (int64_t)s->rows.n;
	*arena_push(s->en.a, &s->rows) = (struct cov_row){.node = it->index,
		.starts = t,
		.ends = s->to,
		.covered = f.why == WHY_COVERED,
		.grant = grant,
		.why = f.why,
		.text = cov_text(&s->en, it, &f)};
}

/* Position of the member, or where it belongs, among those that run. */
static size_t sweep_position(const struct sweep *s, size_t member)
{
	size_t low = 0, high = s->n_running;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->running[middle] < member)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Applies one event; true: verdicts of others may change. */
static bool sweep_apply(
	struct sweep *s, const struct cov_item *const *m, const struct event *x)
{
	size_t at = sweep_position(s, x->member), *place = &s->running[at];
	struct cov_row *row;

	if (x->kind == EVENT_GRANT)
		return true;
	if (x->kind == EVENT_START) {
		memmove(place + 1, place, (s->n_running++ - at) * sizeof(*place));
		*place = x->member;
		return at + 1 < s->n_running;
	}
	memmove(place, place + 1, (--s->n_running - at) * sizeof(*place));
	row = &s->rows.v[s->open[m[x->member]
					 ->index]]; /* it was evaluated when it started */
	row->ends = x->at;
	return row->covered || row->why == WHY_PROVISIONING_UNKNOWN;
}

static void sweep_group(struct sweep *s, const struct cov_item *const *m, size_t n)
{
	find_events(s, m, n);
	s->n_running = 0;
	cov_reset(&s->en);
	cov_narrow(&s->en, m[0]->n, s->from);
	for (size_t i = 0, end; i < s->events.n; i = end) {
		ts_t t = s->events.v[i].at;
		size_t started =
			0; /* of those that run, the youngest, unless all are evaluated */
		bool again = false;

		for (end = i; end < s->events.n && s->events.v[end].at == t; end++) {
			again |= sweep_apply(s, m, &s->events.v[end]);
			started += s->events.v[end].kind == EVENT_START;
		}
		if (again) {
			cov_reset(&s->en);
			cov_narrow(&s->en, m[0]->n, t);
		}
		for (size_t k = again ? 0 : s->n_running - started; k < s->n_running; k++)
			sweep_judge(s, m[s->running[k]], t);
	}
}

static void sweep_groups(struct sweep *s)
{
	size_t n = s->en.in->n_nodes;
	const struct cov_item **m = arena_alloc(s->en.a, n * sizeof(*m));

	for (size_t i = 0; i < n; i++)
		m[i] = &s->en.items[i];
	qsort(m, n, sizeof(*m), compare_members);
	for (size_t i = 0, members; i < n; i += members) {
		members = group_members(m + i, n - i);
		sweep_group(s, m + i, members);
	}
}

struct opt_i64 cov_chip_seconds(struct opt_i64 chips, ts_t starts, ts_t ends)
{
	int64_t seconds, product;

	return chips.set && !__builtin_sub_overflow(ends, starts, &seconds) &&
			!__builtin_mul_overflow(chips.v, seconds, &product)
		? SOME(product)
		: NONE;
}

const struct cov_row *coverage_sweep(
	const struct cov_input *in, ts_t from, ts_t to, struct arena *a, size_t *n)
{
	struct sweep s = {.from = from, .to = to};

	*n = 0;
	if (to <= from)
		return NULL;
	cov_prepare(&s.en, in, a);
	s.running = arena_alloc(a, (in->n_nodes + 1) * sizeof(*s.running));
	s.open = arena_alloc(a, in->n_nodes * sizeof(*s.open));
	for (size_t i = 0; i < in->n_nodes; i++)
		s.open[i] = -1;
	sweep_groups(&s);
	for (size_t i = 0; i < s.rows.n; i++) {
		struct cov_row *r = &s.rows.v[i];

		r->chip_seconds = cov_chip_seconds(
			in->nodes[r->node].chips, r->starts, r->ends);
	}
	if (s.rows.n)
		qsort(s.rows.v, s.rows.n, sizeof(*s.rows.v), compare_rows);
	*n = s.rows.n;
	return s.rows.v;
}
