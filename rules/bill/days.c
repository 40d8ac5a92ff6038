#include "rules/bill/days.h"

#include <stdlib.h>

/* ---- names ------------------------------------------------------------------------------------- */

static enum err_code days_load_names(
	struct db *db, struct arena *a, struct bill_names *out, struct err *e)
{
	struct q_sku_list *skus;

	if (q_bill_projects_all(db, a, &out->projects, &out->n_projects, e) ||
		q_bill_charges_all(db, a, &out->charges, &out->n_charges, e) ||
		q_sku_list_all(db, a, &skus, &out->n_skus, e))
		return e->code;
	out->skus = arena_alloc(a, (out->n_skus + 1) * sizeof(*out->skus));
	for (size_t i = 0; i < out->n_skus; i++)
		out->skus[i] = (struct bill_sku){.ref = skus[i].ref,
			.category = category_of_sku(
				skus[i].service_id, skus[i].service, skus[i].sku)};
	return E_OK;
}

static int days_by_ref(const void *key, const void *member)
{
	int64_t a = *(const int64_t *)key, b = *(const int64_t *)member;

	return (a > b) - (a < b);
}

/* Member with that number in a list that is sorted by it and whose members begin with it. `last` is
 * tried first and saves the search: neighbors are mostly equal. NULL: there is none. */
static const void *days_named(
	const void *list, size_t n, size_t size, int64_t ref, const void *last)
{
	if (last && !days_by_ref(&ref, last))
		return last;
	return n ? bsearch(&ref, list, n, size, days_by_ref) : NULL;
}

/* False: one of the numbers refers to nothing. */
static bool days_find_names(
	const struct bill_names *n, const struct q_bill_days *q, struct bill_row *r)
{
	r->project = days_named(n->projects, n->n_projects, sizeof(*n->projects),
		q->project_ref, r->project);
	r->sku = days_named(n->skus, n->n_skus, sizeof(*n->skus), q->sku_ref, r->sku);
	r->charge = days_named(
		n->charges, n->n_charges, sizeof(*n->charges), q->charge_ref, r->charge);
	return r->project && r->sku && r->charge;
}

enum err_code bill_nameless(int64_t day, struct err *e)
{
	err_set(e, E_DB,
		"the bill of day %lld refers to a project, SKU, place or charge that does "
		"not exist",
		(long long)day);
	return err_fix(e, "see: tpucost db check");
}

/* ---- rows -------------------------------------------------------------------------------------- */

enum err_code bill_days_open(struct db *db, day_t first, day_t last, struct arena *a,
	struct bill_days *out, struct err *e)
{
	struct q_bill_days_in in = {.first = first, .last = last};

	*out = (struct bill_days){.err = {0}};
	if (days_load_names(db, a, &out->names, e) ||
		q_bill_days_open(db, &in, &out->rows, e))
		return e->code;
	return E_OK;
}

bool bill_days_next(struct bill_days *b, struct bill_row *out)
{
	struct q_bill_days q;

	if (b->err.code || !q_bill_days_next(&b->rows, &q))
		return false;
	if (!days_find_names(&b->names, &q, &b->last)) {
		bill_nameless(q.day, &b->err);
		return false;
	}
	b->last.day = (day_t)q.day;
	b->last.cost = q.cost;
	b->last.credits = q.credits;
	b->last.promo = q.promo;
	*out = b->last;
	return true;
}

enum err_code bill_days_close(struct bill_days *b, enum err_code rc, struct err *e)
{
	if (!rc && b->err.code) {
		rc = b->err.code;
		if (e)
			*e = b->err;
	}
	return db_rows_end(&b->rows, rc, e);
}
