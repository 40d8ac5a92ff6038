#include "rules/bill/billed_tpus.h"

#include "base/money.h"
#include "db_sql.h"
#include "rules/bill/names.h"

#include <stdlib.h>
#include <string.h>

/* As the database keeps amounts of usage that are added up. */
#define MOST_USAGE (INT64_C(9000000000) * NANOS)

struct reading {
	struct arena *a;
	struct bill_names names;
	const struct bill_project *project; /* of the row before */
	const struct bill_sku *sku;
	const struct bill_charge *charge;
	const struct bill_place *place;
	struct billed_tpu *v;
	size_t n, cap;
};

static bool find_names(struct reading *r, const struct q_billed_tpus *q)
{
	r->project = bill_project_of(&r->names, q->project_ref, r->project);
	r->sku = bill_sku_of(&r->names, q->sku_ref, r->sku);
	r->charge = bill_charge_of(&r->names, q->charge_ref, r->charge);
	r->place = bill_place_of(&r->names, q->place_ref, r->place);
	return r->project && r->sku && r->charge && r->place;
}

static enum err_code add(struct billed_tpu *to, const struct billed_tpu *x, struct err *e)
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

/* Texts of one number are the same. */
static bool is_of_last(const struct reading *r, day_t day)
{
	const struct billed_tpu *x = r->n ? &r->v[r->n - 1] : NULL;

	return x && x->day == day && x->project == r->project->project &&
		x->sku == r->sku->sku && x->location == r->place->location &&
		x->currency == r->charge->currency && x->unit == r->charge->usage_unit;
}

/* Rows of resources follow each other: most of them go to the sum before. */
static enum err_code keep(struct reading *r, const struct q_billed_tpus *q, struct err *e)
{
	struct billed_tpu x = {.day = (day_t)q->day,
		.project = r->project->project,
		.sku = r->sku->sku,
		.location = r->place->location,
		.region = r->place->region,
		.zone = r->place->zone,
		.currency = r->charge->currency,
		.unit = r->charge->usage_unit,
		.usage = q->usage,
		.cost = q->cost,
		.credits = q->credits,
		.promo = q->promo};

	if (is_of_last(r, x.day))
		return add(&r->v[r->n - 1], &x, e);
	r->v = arena_grow(r->a, r->v, r->n, &r->cap, sizeof(*r->v));
	r->v[r->n++] = x;
	return E_OK;
}

static int by_text(const char *a, const char *b)
{
	return a == b ? 0 : strcmp(a, b);
}

static int by_all(const void *pa, const void *pb)
{
	const struct billed_tpu *a = pa, *b = pb;
	const char *const pairs[][2] = {{a->project, b->project}, {a->sku, b->sku},
		{a->location, b->location}, {a->region, b->region}, {a->zone, b->zone},
		{a->currency, b->currency}, {a->unit, b->unit}};
	int order = (a->day > b->day) - (a->day < b->day);

	for (size_t i = 0; !order && i < ARRAY_LEN(pairs); i++)
		order = by_text(pairs[i][0], pairs[i][1]);
	return order;
}

/* Rows of several resources, or of numbers with the same names, become one. */
static enum err_code sum_up(struct reading *r, struct err *e)
{
	size_t n = 0;

	if (r->n)
		qsort(r->v, r->n, sizeof(*r->v), by_all);
	for (size_t i = 0; i < r->n; i++) {
		if (!n || by_all(&r->v[n - 1], &r->v[i]))
			r->v[n++] = r->v[i];
		else if (add(&r->v[n - 1], &r->v[i], e))
			return e->code;
	}
	for (size_t i = 0; i < n; i++)
		if (r->v[i].usage.v >= MOST_USAGE || r->v[i].usage.v <= -MOST_USAGE)
			r->v[i].usage = NONE;
	r->n = n;
	return E_OK;
}

static enum err_code read_rows(
	struct reading *r, struct db *db, day_t first, day_t last, struct err *e)
{
	struct q_billed_tpus_in in = {.first = first, .last = last};
	enum err_code rc = E_OK;
	struct q_billed_tpus q;
	struct db_rows rows;

	if (q_billed_tpus_open(db, &in, &rows, e))
		return e->code;
	while (!rc && q_billed_tpus_next(&rows, &q)) {
		rc = find_names(r, &q) ? keep(r, &q, e) : bill_nameless(q.day, e);
	}
	return db_rows_end(&rows, rc, e);
}

enum err_code billed_tpus_read(struct db *db, day_t first, day_t last, struct arena *a,
	struct billed_tpu **out, size_t *n, struct err *e)
{
	struct reading r = {.a = a};

	if (bill_names_load(db, a, &r.names, e) || bill_places_load(db, a, &r.names, e) ||
		read_rows(&r, db, first, last, e) || sum_up(&r, e))
		return e->code;
	*out = r.v;
	*n = r.n;
	return E_OK;
}
