#include "rules/bill/days.h"

#include "db_sql.h"

enum err_code bill_days_open(struct db *db, day_t first, day_t last, struct arena *a,
	struct bill_days *out, struct err *e)
{
	struct q_bill_days_in in = {.first = first, .last = last};

	*out = (struct bill_days){.err = {0}};
	if (bill_names_load(db, a, &out->names, e) ||
		q_bill_days_open(db, &in, &out->rows, e))
		return e->code;
	return E_OK;
}

static bool fill_names(
	const struct bill_names *n, const struct q_bill_days *q, struct bill_row *r)
{
	r->project = bill_project_of(n, q->project_ref, r->project);
	r->sku = bill_sku_of(n, q->sku_ref, r->sku);
	r->charge = bill_charge_of(n, q->charge_ref, r->charge);
	return r->project && r->sku && r->charge;
}

bool bill_days_next(struct bill_days *b, struct bill_row *out)
{
	struct q_bill_days q;

	if (b->err.code || !q_bill_days_next(&b->rows, &q))
		return false;
	if (!fill_names(&b->names, &q, &b->last)) {
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
