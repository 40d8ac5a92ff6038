#include "db/rollup/day_sums.h"

#include "base/money.h"
#include "db_sql.h"

#include <stdlib.h>

#define CREDIT_PROMOTION 1 /* credit_type has it from the beginning */
#define MAX_SUMS 32768
#define REF_CREDIT REF_PART

/* As far as sums of usage are kept; in units, so that a sum of many cannot go beyond 64 bits. */
#define MAX_UNITS INT64_C(9000000000)

/* Of the usage itself when the type of credit is 0, and then of all its credits, too. False: beyond
 * 64 bits. */
static bool take(struct ref_sums *s, const struct q_usage_between *row)
{
	int64_t refs[REFS] = {row->sku_ref, row->project_ref, row->place_ref,
		row->resource_ref, row->charge_ref, 0};
	int64_t promo = row->credit_ref == CREDIT_PROMOTION ? row->credits : 0;
	struct ref_sum *sum = ref_sums_of(s, refs);
	bool fits;

	ref_sum_add_usage(sum, row->usage);
	fits = ref_sum_add(sum, row->cost, row->credits, promo);
	if (row->credit_ref) {
		refs[REF_CREDIT] = row->credit_ref;
		fits = ref_sum_add(ref_sums_of(s, refs), 0, row->credits, 0) && fits;
	}
	return fits;
}

/* ---- writing ---------------------------------------------------------------------------------- */

/* In the order of the tables: pages fill up one after the other. */
static int by_refs(const void *pa, const void *pb)
{
	const struct ref_sum *a = pa, *b = pb;

	for (int i = 0; i < REFS; i++)
		if (a->refs[i] != b->refs[i])
			return a->refs[i] < b->refs[i] ? -1 : 1;
	return 0;
}

static struct opt_i64 usage_of(const struct ref_sum *sum)
{
	int64_t usage;

	if (sum->no_usage || sum->units <= -MAX_UNITS || sum->units >= MAX_UNITS ||
		__builtin_add_overflow(sum->units * NANOS, sum->nanos, &usage))
		return NONE;
	return SOME(usage);
}

static enum err_code put_cost(
	struct db *db, day_t day, const struct ref_sum *sum, struct err *e)
{
	struct q_cost_day_add_in in = {.day = day,
		.sku_ref = sum->refs[REF_SKU],
		.project_ref = sum->refs[REF_PROJECT],
		.place_ref = sum->refs[REF_PLACE],
		.resource_ref = sum->refs[REF_RESOURCE],
		.charge_ref = sum->refs[REF_CHARGE],
		.usage = usage_of(sum),
		.cost = sum->cost,
		.credits = sum->credits,
		.promo = sum->promo};

	return q_cost_day_add(db, &in, e);
}

static enum err_code put_credit(
	struct db *db, day_t day, const struct ref_sum *sum, struct err *e)
{
	struct q_credit_day_add_in in = {.day = day,
		.sku_ref = sum->refs[REF_SKU],
		.project_ref = sum->refs[REF_PROJECT],
		.place_ref = sum->refs[REF_PLACE],
		.resource_ref = sum->refs[REF_RESOURCE],
		.charge_ref = sum->refs[REF_CHARGE],
		.credit_ref = sum->refs[REF_CREDIT],
		.credits = sum->credits};

	return q_credit_day_add(db, &in, e);
}

static enum err_code put(struct ref_sums *s, struct db *db, day_t day, struct err *e)
{
	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), by_refs);
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].refs[REF_CREDIT] ? put_credit(db, day, &s->v[i], e)
					     : put_cost(db, day, &s->v[i], e))
			return e->code;
	ref_sums_clear(s);
	return E_OK;
}

/* ---- a day ------------------------------------------------------------------------------------ */

static enum err_code too_large(day_t day, struct err *e)
{
	char date[DATE_BUF];

	return err_set(
		e, E_OVERFLOW, "the costs of %s are too large", date_format(day, date));
}

enum err_code day_sums_fill(
	struct ref_sums *s, struct db *db, day_t day, ts_t starts, ts_t ends, struct err *e)
{
	struct q_usage_between_in in = {starts, ends};
	struct q_usage_between row;
	struct db_rows rows;
	enum err_code rc = E_OK;

	ref_sums_clear(s);
	if (q_usage_between_open(db, &in, &rows, e))
		return e->code;
	while (!rc && q_usage_between_next(&rows, &row)) {
		if (s->n + 2 > MAX_SUMS)
			rc = put(s, db, day, e);
		if (!rc && !take(s, &row))
			rc = too_large(day, e);
	}
	return db_rows_end(&rows, rc, e) ? e->code : put(s, db, day, e);
}
