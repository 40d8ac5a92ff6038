#include "rules/bill_days.h"

#include "db_sql.h"

#include <stdlib.h>

/* ---- names -------------------------------------------------------------------------------- */

static enum err_code load_projects(struct bill_days *b, struct db *db, struct err *e)
{
	struct q_bill_projects q;
	struct db_rows rows;
	size_t cap = 0;

	if (q_bill_projects_open(db, &rows, e))
		return e->code;
	while (q_bill_projects_next(&rows, &q)) {
		b->projects = arena_grow(
			b->a, b->projects, b->n_projects, &cap, sizeof(*b->projects));
		b->projects[b->n_projects++] = (struct bill_project){.ref = q.ref,
			.project = arena_strdup(b->a, q.project),
			.account = arena_strdup(b->a, q.account)};
	}
	return db_rows_close(&rows, e);
}

static enum err_code load_skus(struct bill_days *b, struct db *db, struct err *e)
{
	struct q_bill_skus q;
	struct db_rows rows;
	size_t cap = 0;

	if (q_bill_skus_open(db, &rows, e))
		return e->code;
	while (q_bill_skus_next(&rows, &q)) {
		b->skus = arena_grow(b->a, b->skus, b->n_skus, &cap, sizeof(*b->skus));
		b->skus[b->n_skus++] = (struct bill_sku){.ref = q.ref,
			.service_id = arena_strdup(b->a, q.service_id),
			.service = arena_strdup(b->a, q.service),
			.sku_id = arena_strdup(b->a, q.sku_id),
			.sku = arena_strdup(b->a, q.sku),
			.category = arena_strdup(b->a, q.category)};
	}
	return db_rows_close(&rows, e);
}

static enum err_code load_charges(struct bill_days *b, struct db *db, struct err *e)
{
	struct q_bill_charges q;
	struct db_rows rows;
	size_t cap = 0;

	if (q_bill_charges_open(db, &rows, e))
		return e->code;
	while (q_bill_charges_next(&rows, &q)) {
		b->charges = arena_grow(
			b->a, b->charges, b->n_charges, &cap, sizeof(*b->charges));
		b->charges[b->n_charges++] = (struct bill_charge){.ref = q.ref,
			.invoice_month = arena_strdup(b->a, q.invoice_month),
			.cost_type = arena_strdup(b->a, q.cost_type),
			.currency = arena_strdup(b->a, q.currency),
			.rate = q.rate};
	}
	return db_rows_close(&rows, e);
}

/* All three begin with their number, and come in its order. */
static int by_ref(const void *key, const void *member)
{
	int64_t a = *(const int64_t *)key, b = *(const int64_t *)member;

	return (a > b) - (a < b);
}

static const void *named(const void *list, size_t n, size_t size, int64_t ref)
{
	return n ? bsearch(&ref, list, n, size, by_ref) : NULL;
}

/* ---- rows --------------------------------------------------------------------------------- */

enum err_code bill_days_open(struct db *db, day_t first, day_t last, struct arena *a,
	struct bill_days *out, struct err *e)
{
	struct q_bill_days_in in = {.first = first, .last = last};

	*out = (struct bill_days){.a = a};
	if (load_projects(out, db, e) || load_skus(out, db, e) ||
		load_charges(out, db, e) || q_bill_days_open(db, &in, &out->rows, e))
		return e->code;
	return E_OK;
}

static bool fill_names(struct bill_days *b, const struct q_bill_days *q, struct bill_row *r)
{
	if (!r->project || r->project->ref != q->project_ref)
		r->project = named(
			b->projects, b->n_projects, sizeof(*b->projects), q->project_ref);
	if (!r->sku || r->sku->ref != q->sku_ref)
		r->sku = named(b->skus, b->n_skus, sizeof(*b->skus), q->sku_ref);
	if (!r->charge || r->charge->ref != q->charge_ref)
		r->charge = named(
			b->charges, b->n_charges, sizeof(*b->charges), q->charge_ref);
	return r->project && r->sku && r->charge;
}

bool bill_days_next(struct bill_days *b, struct bill_row *out)
{
	struct q_bill_days q;

	if (b->err.code || !q_bill_days_next(&b->rows, &q))
		return false;
	if (!fill_names(b, &q, &b->last)) {
		err_set(&b->err, E_DB,
			"the bill of day %lld is of a project, SKU or charge that is not "
			"there",
			(long long)q.day);
		err_fix(&b->err, "see: tpucost db check");
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
