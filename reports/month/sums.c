/* What the month is made of, added up by number: the names of what is left are looked up by queries. */
#include "db/db.h"
#include "db_sql.h"
#include "reports/month/internal.h"

enum { PART_INVOICE = 1, PART_CALENDAR = 2 };

static enum err_code add(struct ref_sums *sums, const int64_t refs[REFS], int64_t cost,
	int64_t credits, int64_t promo, struct err *e)
{
	if (ref_sum_add(ref_sums_of(sums, refs), cost, credits, promo))
		return E_OK;
	return err_set(e, E_OVERFLOW, "the costs of the month do not fit");
}

enum err_code month_sum_bill(struct monthly *m, struct err *e)
{
	struct q_month_bill_in in = {
		.month = m->invoice, .first = m->first, .last = m->last};
	struct q_month_bill q;
	struct db_rows rows;
	enum err_code rc = E_OK;

	if (q_month_bill_open(m->db, &in, &rows, e))
		return e->code;
	while (!rc && q_month_bill_next(&rows, &q)) {
		bool in_month = q.day >= m->first && q.day <= m->last;
		int64_t refs[REFS] = {[REF_SKU] = q.sku_ref,
			[REF_PROJECT] = q.project_ref,
			[REF_CHARGE] = q.charge_ref,
			[REF_PART] = (q.invoiced ? PART_INVOICE : 0) +
				(in_month ? PART_CALENDAR : 0)};

		if (refs[REF_PART])
			rc = add(m->bill, refs, q.cost, q.credits, q.promo, e);
	}
	return db_rows_end(&rows, rc, e);
}

enum err_code month_of_bill(struct monthly *m,
	enum err_code (*tell)(struct monthly *m, struct err *e), struct err *e)
{
	enum err_code rc;

	if (ref_sums_show(m->db, m->bill, e))
		return e->code;
	rc = tell(m, e);
	ref_sums_hide(m->db);
	return rc;
}

enum err_code month_sum_credits(struct monthly *m, struct ref_sums *sums, struct err *e)
{
	struct q_month_credits_in in = {.month = m->invoice};
	struct q_month_credits q;
	struct db_rows rows;
	enum err_code rc = E_OK;

	if (q_month_credits_open(m->db, &in, &rows, e))
		return e->code;
	while (!rc && q_month_credits_next(&rows, &q)) {
		int64_t refs[REFS] = {[REF_PROJECT] = q.project_ref,
			[REF_CHARGE] = q.charge_ref,
			[REF_PART] = q.credit_ref};

		rc = add(sums, refs, 0, q.credits, 0, e);
	}
	return db_rows_end(&rows, rc, e);
}

enum err_code month_sum_hours(
	struct monthly *m, ts_t from, ts_t to, struct ref_sums *sums, struct err *e)
{
	struct q_month_hours_in in = {.from = from, .to = to};
	struct q_month_hours q;
	struct db_rows rows;
	enum err_code rc = E_OK;

	if (q_month_hours_open(m->db, &in, &rows, e))
		return e->code;
	while (!rc && q_month_hours_next(&rows, &q)) {
		int64_t refs[REFS] = {
			[REF_PROJECT] = q.project_ref, [REF_CHARGE] = q.charge_ref};

		rc = add(sums, refs, q.cost, q.credits, 0, e);
	}
	return db_rows_end(&rows, rc, e);
}
