/* TPU usage on the bill. */

#include "base/money.h"
#include "rules/bill/days.h"

#include <stdlib.h>
#include <string.h>

/* Limit of the amounts of usage that are added up, as stored in the database. */
#define MOST_USAGE (INT64_C(9000000000) * NANOS)

struct billing {
	struct arena *a;
	struct bill_names names;
	struct q_bill_places *places; /* "" where the bill has none */
	size_t n_places;
	struct bill_row row; /* names of the previous row */
	const struct q_bill_places *place;
	struct billed_tpu *v;
	size_t n, cap;
};

static bool billed_find_names(struct billing *r, const struct q_billed_tpus *q)
{
	r->place = bill_named(
		r->places, r->n_places, sizeof(*r->places), q->place_ref, r->place);
	return bill_names_find(
		       &r->names, q->project_ref, q->sku_ref, q->charge_ref, &r->row) &&
		r->place;
}

static enum err_code billed_add(
	struct billed_tpu *to, const struct billed_tpu *x, struct err *e)
{
	if (!to->usage.set || !x->usage.set ||
		!nanos_add(to->usage.v, x->usage.v, &to->usage.v))
		to->usage = NONE;
	if (nanos_add(to->cost, x->cost, &to->cost) &&
		nanos_add(to->credits, x->credits, &to->credits) &&
		nanos_add(to->promo, x->promo, &to->promo))
		return E_OK;
	return err_set(e, E_OVERFLOW, "the bill of %s", x->project);
}

/* Equal numbers have identical text pointers. */
static bool billed_is_last(const struct billing *r, day_t day)
{
	const struct billed_tpu *x = r->n ? &r->v[r->n - 1] : NULL;

	return x && x->day == day && x->project == r->row.project->project &&
		x->sku == r->row.sku->sku && x->location == r->place->location &&
		x->currency == r->row.charge->currency &&
		x->unit == r->row.charge->usage_unit;
}

/* Rows of one resource follow each other: most of them are added to the previous sum. */
static enum err_code billed_keep(
	struct billing *r, const struct q_billed_tpus *q, struct err *e)
{
	struct billed_tpu x = {.day = (day_t)q->day,
		.project = r->row.project->project,
		.sku = r->row.sku->sku,
		.location = r->place->location,
		.region = r->place->region,
		.zone = r->place->zone,
		.currency = r->row.charge->currency,
		.unit = r->row.charge->usage_unit,
		.usage = q->usage,
		.cost = q->cost,
		.credits = q->credits,
		.promo = q->promo};

	if (billed_is_last(r, x.day))
		return billed_add(&r->v[r->n - 1], &x, e);
	*arena_push(r->a, r) = x;
	return E_OK;
}

static int billed_by_all(const void *pa, const void *pb)
{
	const struct billed_tpu *a = pa, *b = pb;
	const char *const pairs[][2] = {{a->project, b->project}, {a->sku, b->sku},
		{a->location, b->location}, {a->region, b->region}, {a->zone, b->zone},
		{a->currency, b->currency}, {a->unit, b->unit}};
	int order = (a->day > b->day) - (a->day < b->day);

	for (size_t i = 0; !order && i < ARRAY_LEN(pairs); i++)
		order = pairs[i][0] == pairs[i][1] ? 0 : strcmp(pairs[i][0], pairs[i][1]);
	return order;
}

/* Merge rows of several resources, or of numbers with the same names. */
static enum err_code billed_sum_up(struct billing *r, struct err *e)
{
	size_t n = 0;

	if (r->n)
		qsort(r->v, r->n, sizeof(*r->v), billed_by_all);
	for (size_t i = 0; i < r->n; i++) {
		if (!n || billed_by_all(&r->v[n - 1], &r->v[i]))
			r->v[n++] = r->v[i];
		else if (billed_add(&r->v[n - 1], &r->v[i], e))
			return e->code;
	}
	for (size_t i = 0; i < n; i++)
		if (r->v[i].usage.v >= MOST_USAGE || r->v[i].usage.v <= -MOST_USAGE)
			r->v[i].usage = NONE;
	r->n = n;
	return E_OK;
}

static enum err_code billed_read_rows(
	struct billing *r, struct db *db, day_t first, day_t last, struct err *e)
{
	struct q_billed_tpus_in in = {.first = first, .last = last};
	enum err_code rc = E_OK;
	struct q_billed_tpus q;
	struct db_rows rows;

	if (q_billed_tpus_open(db, &in, &rows, e))
		return e->code;
	while (!rc && q_billed_tpus_next(&rows, &q)) {
		rc = billed_find_names(r, &q) ? billed_keep(r, &q, e)
					      : bill_nameless(q.day, e);
	}
	return db_rows_end(&rows, rc, e);
}

enum err_code billed_tpus_read(struct db *db, day_t first, day_t last, struct arena *a,
	struct billed_tpu **out, size_t *n, struct err *e)
{
	struct billing r = {.a = a};

	if (bill_names_load(db, a, &r.names, e) ||
		q_bill_places_all(db, a, &r.places, &r.n_places, e) ||
		billed_read_rows(&r, db, first, last, e) || billed_sum_up(&r, e))
		return e->code;
	*out = r.v;
	*n = r.n;
	return E_OK;
}
