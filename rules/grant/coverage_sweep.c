/* Coverage over a period, interval by interval between changes. */
#include "rules/grant/coverage.h"

#include "base/str.h"
#include "rules/grant/internal.h"

#include <stdlib.h>

/* TPUs compete for room only with those of the same family, zone and class. Each such group is
 * swept separately, over the instants at which one of its TPUs starts or stops or a grant of its
 * family begins or ends; in between, nothing changes. */

struct row_list {
	struct cov_row *v;
	size_t n, cap;
};

struct sweep {
	struct cov_engine en;
	ts_t from, to;
	ts_t *times;
	size_t n_times, cap_times;
	size_t *span;  /* per node: the span that is current or next */
	int64_t *open; /* per node: its last row, or -1 */
	struct row_list rows;
};

static int compare_group(const struct cov_node *a, const struct cov_node *b)
{
	int order = cov_compare_text(a->family, b->family);

	if (!order)
		order = cov_compare_text(a->zone, b->zone);
	return order ? order : cov_compare_text(a->provisioning, b->provisioning);
}

static int compare_times(const void *a, const void *b)
{
	return i64_order(*(const ts_t *)a, *(const ts_t *)b);
}

static int compare_rows(const void *a, const void *b)
{
	const struct cov_row *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return i64_order(x->starts, y->starts);
}

/* A node of the swept group, in a list sorted from the oldest to the youngest. */
struct member {
	const struct cov_item *it; /* of an array with the oldest first */
	ts_t earliest;             /* first start of this and of all younger members */
	struct member *next;
};

static int compare_members(const void *pa, const void *pb)
{
	const struct member *a = pa, *b = pb;
	int order = compare_group(a->it->n, b->it->n);

	return order ? order : (a->it > b->it) - (a->it < b->it);
}

static ts_t span_end(const struct cov_span *s)
{
	return s->ends == TS_NONE ? INT64_MAX : s->ends;
}

static void sweep_add_time(struct sweep *s, ts_t t)
{
	if (t >= s->from && t <= s->to)
		*arena_append(s->en.a, s->times, s->n_times, s->cap_times) = t;
}

/* Find every instant at which a verdict of the group may change, `from` and `to` included. */
static void find_times(struct sweep *s, const struct member *m, size_t n)
{
	const struct cov_input *in = s->en.in;

	s->n_times = 0;
	sweep_add_time(s, s->from);
	sweep_add_time(s, s->to);
	for (size_t i = 0; i < in->n_grants; i++) {
		if (!str_eq(in->grants[i].family, m->it->n->family))
			continue;
		sweep_add_time(s, in->grants[i].starts);
		sweep_add_time(s, in->grants[i].until);
		/* the first grant of its chain may be for another family */
		sweep_add_time(s, s->en.lines[i].created_since);
	}
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < m[i].it->n->n_spans; k++) {
			sweep_add_time(s, m[i].it->n->spans[k].starts);
			sweep_add_time(s, span_end(&m[i].it->n->spans[k]));
		}
	qsort(s->times, s->n_times, sizeof(*s->times), compare_times);
	n = s->n_times;
	s->n_times = 0;
	for (size_t i = 0; i < n; i++)
		if (!s->n_times || s->times[s->n_times - 1] != s->times[i])
			s->times[s->n_times++] = s->times[i];
}

/* Link the members; returns the first. */
static struct member *link_members(const struct sweep *s, struct member *m, size_t n)
{
	struct member *next = NULL;
	ts_t earliest = s->to;

	for (size_t i = n; i-- > 0;) {
		const struct cov_node *node = m[i].it->n;

		for (size_t k = 0; k < node->n_spans; k++)
			if (node->spans[k].starts < earliest)
				earliest = node->spans[k].starts;
		m[i].earliest = earliest;
		m[i].next = next;
		next = &m[i];
	}
	return next;
}

/* The node's span that ends after t, or NULL when it has ended for good. */
static const struct cov_span *span_at(struct sweep *s, const struct cov_item *it, ts_t t)
{
	const struct cov_node *n = it->n;
	size_t *k = &s->span[it->index];

	while (*k < n->n_spans && span_end(&n->spans[*k]) <= t)
		(*k)++;
	return *k < n->n_spans ? &n->spans[*k] : NULL;
}

static void sweep_add_row(struct sweep *s, const struct cov_item *it,
	const struct cov_finding *f, ts_t starts, ts_t ends)
{
	int64_t *open = &s->open[it->index];
	int64_t grant = f->why == WHY_COVERED ? f->line : -1;
	struct cov_row *last = *open >= 0 ? &s->rows.v[*open] : NULL;

	if (last && last->ends == starts && last->why == f->why && last->grant == grant) {
		last->ends = ends;
		return;
	}
	*open = (int64_t)s->rows.n;
	*arena_push(s->en.a, &s->rows) = (struct cov_row){.node = it->index,
		.starts = starts,
		.ends = ends,
		.covered = f->why == WHY_COVERED,
		.grant = grant,
		.why = f->why,
		.text = cov_text(&s->en, it, f)};
}

/* Evaluate all members that run at `starts`; drop those that will never run again. */
static void sweep_moment(struct sweep *s, struct member **list, ts_t starts, ts_t ends)
{
	cov_reset(&s->en);
	if (*list)
		cov_narrow(&s->en, (*list)->it->n, starts);
	while (*list && (*list)->earliest <= starts) {
		const struct cov_item *it = (*list)->it;
		const struct cov_span *span = span_at(s, it, starts);
		struct cov_finding f;

		if (!span) {
			*list = (*list)->next;
			continue;
		}
		if (span->starts <= starts) {
			f = cov_judge(&s->en, it, starts);
			f.at = TS_NONE; /* the text applies to the whole interval */
			sweep_add_row(s, it, &f, starts, ends);
		}
		list = &(*list)->next;
	}
}

static void sweep_groups(struct sweep *s)
{
	size_t n = s->en.in->n_nodes;
	struct member *m = arena_alloc(s->en.a, n * sizeof(*m)), *list;

	for (size_t i = 0; i < n; i++)
		m[i].it = &s->en.items[i];
	qsort(m, n, sizeof(*m), compare_members);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && !compare_group(m[i].it->n, m[end].it->n);)
			end++;
		find_times(s, m + i, end - i);
		list = link_members(s, m + i, end - i);
		for (size_t k = 0; k + 1 < s->n_times; k++)
			sweep_moment(s, &list, s->times[k], s->times[k + 1]);
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
	s.span = arena_alloc(a, in->n_nodes * sizeof(*s.span));
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
