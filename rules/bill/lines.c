/* Sums of the bill of each day, by names. */
#include "base/money.h"
#include "rules/bill/days.h"

#include <stdlib.h>
#include <string.h>

struct lines {
	struct arena *a;
	const struct q_bill_projects *project; /* of the previous row */
	struct bill_line *v;
	size_t n, cap;
	size_t of_project; /* the first line of that project's day */
	size_t of_day;
};

static void lines_add(struct bill_line *to, int64_t cost, int64_t credits, int64_t promo)
{
	if (!nanos_add(to->cost, cost, &to->cost) ||
		!nanos_add(to->credits, credits, &to->credits) ||
		!nanos_add(to->promo, promo, &to->promo))
		to->too_large = true;
}

/* Equal numbers have identical text pointers. */
static int lines_by_text(const char *a, const char *b)
{
	return a == b ? 0 : strcmp(a, b);
}

static int lines_by_names(const void *pa, const void *pb)
{
	const struct bill_line *a = pa, *b = pb;
	int order = lines_by_text(a->project, b->project);

	if (!order)
		order = lines_by_text(a->category, b->category);
	if (!order)
		order = lines_by_text(a->currency, b->currency);
	return order ? order : i64_order(a->rate, b->rate);
}

static bool lines_is_of(const struct bill_line *l, const struct bill_row *r)
{
	return l->rate == r->charge->rate &&
		!lines_by_text(l->category, r->sku->category) &&
		!lines_by_text(l->currency, r->charge->currency);
}

/* Rows come sorted by day and project number. */
static void lines_add_row(struct lines *x, const struct bill_row *r)
{
	size_t i = x->of_project;

	while (i < x->n && !lines_is_of(&x->v[i], r))
		i++;
	if (i == x->n)
		*arena_push(x->a, x) = (struct bill_line){.day = r->day,
			.project = r->project->project,
			.category = r->sku->category,
			.currency = r->charge->currency,
			.rate = r->charge->rate,
			.project_ref = r->project->ref,
			.charge_ref = r->charge->ref};
	lines_add(&x->v[i], r->cost, r->credits, r->promo);
}

/* Several numbers may refer to one project. */
static void lines_end_day(struct lines *x)
{
	size_t to = x->of_day;

	if (x->n > to)
		qsort(x->v + to, x->n - to, sizeof(*x->v), lines_by_names);
	for (size_t i = to; i < x->n; i++) {
		const struct bill_line *l = &x->v[i];
		struct bill_line *last = to > x->of_day ? &x->v[to - 1] : NULL;

		if (!last || lines_by_names(last, l)) {
			x->v[to++] = *l;
			continue;
		}
		lines_add(last, l->cost, l->credits, l->promo);
		last->too_large |= l->too_large;
	}
	x->n = x->of_day = x->of_project = to;
	x->project = NULL;
}

enum err_code bill_lines_read(struct db *db, day_t first, day_t last, struct arena *a,
	struct bill_line **out, size_t *n, struct err *e)
{
	struct lines x = {.a = a};
	struct bill_days days;
	struct bill_row r;

	if (bill_days_open(db, first, last, a, &days, e))
		return e->code;
	while (bill_days_next(&days, &r)) {
		if (x.n > x.of_day && x.v[x.of_day].day != r.day)
			lines_end_day(&x);
		if (r.project != x.project)
			x.of_project = x.n;
		x.project = r.project;
		lines_add_row(&x, &r);
	}
	lines_end_day(&x);
	*out = x.v;
	*n = x.n;
	return bill_days_close(&days, E_OK, e);
}

/* ---- TPUs ----------------------------------------------------------------------------------- */

/* Limit of the amounts of usage that are added up, as stored in the database. */
#define MOST_USAGE (INT64_C(9000000000) * NANOS)

static bool lines_join(int64_t units, int64_t nanos, int64_t *out)
{
	return nanos_muldiv(units, NANOS, 1, out) && nanos_add(*out, nanos, out);
}

static bool lines_add_tpu(const struct q_billed_tpus *q, struct billed_tpu *to)
{
	int64_t usage;

	*to = (struct billed_tpu){.day = (day_t)q->day,
		.project = q->project,
		.sku = q->sku,
		.location = q->location,
		.region = q->region,
		.zone = q->zone,
		.currency = q->currency,
		.unit = q->unit};
	if (!q->unknown && lines_join(q->usage_units.v, q->usage_nanos.v, &usage) &&
		usage < MOST_USAGE && usage > -MOST_USAGE)
		to->usage = SOME(usage);
	return lines_join(q->cost_units, q->cost_nanos, &to->cost) &&
		lines_join(q->credits_units, q->credits_nanos, &to->credits) &&
		lines_join(q->promo_units, q->promo_nanos, &to->promo) &&
		lines_join(q->discount_units, q->discount_nanos, &to->discount);
}

enum err_code billed_tpus_read(struct db *db, day_t first, day_t last, struct arena *a,
	struct billed_tpu **out, size_t *n, struct err *e)
{
	struct q_billed_tpus_in in = {.first = first, .last = last};
	struct q_billed_tpus *v;

	if (q_billed_tpus_all(db, &in, a, &v, n, e))
		return e->code;
	*out = arena_alloc(a, *n * sizeof(**out));
	for (size_t i = 0; i < *n; i++) {
		if (!v[i].project || !v[i].sku || !v[i].location || !v[i].currency)
			return bill_nameless(v[i].day, e);
		if (!lines_add_tpu(&v[i], &(*out)[i]))
			return err_set(e, E_OVERFLOW, "the bill of %s", v[i].project);
	}
	return E_OK;
}
