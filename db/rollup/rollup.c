#include "db/rollup/rollup.h"

#include "base/time/civil.h"
#include "base/money.h"
#include "db/internal.h"
#include "db_sql.h"

#include <stdio.h>
#include <stdlib.h>

#define CREDIT_PROMOTION 1 /* credit_type has it from the beginning */
#define MAX_SUMS 32768
#define REF_CREDIT REF_PART

/* Range of stored sums of usage; in units, so that a sum of many stays within 64 bits. */
#define MAX_UNITS INT64_C(9000000000)

/* Of the usage itself if the type of credit is 0, and then of all its credits, too. False:
 * overflow. */
static bool rollup_take(struct ref_sums *s, const struct q_usage_between *row)
{
	int64_t refs[REFS] = {row->sku_ref, row->project_ref, row->place_ref,
		row->resource_ref, row->charge_ref, 0};
	int64_t promo = row->credit_ref == CREDIT_PROMOTION ? row->credits : 0;
	struct ref_sum *sum = ref_sums_of(s, refs);
	bool fits;

	ref_sum_add_usage(sum, row->usage);
	fits = ref_sum_add(sum, row->cost, row->credits, promo) &&
		ref_sum_add_discount(sum, row->discount, row->committed);
	if (row->credit_ref) {
		refs[REF_CREDIT] = row->credit_ref;
		fits = ref_sum_add(ref_sums_of(s, refs), 0, row->credits, 0) && fits;
	}
	return fits;
}

/* ---- writing ---------------------------------------------------------------------------------- */

/* In the order of the tables, so that pages are filled sequentially. */
static int rollup_by_refs(const void *pa, const void *pb)
{
	const struct ref_sum *a = pa, *b = pb;

	for (int i = 0; i < REFS; i++)
		if (a->refs[i] != b->refs[i])
			return a->refs[i] < b->refs[i] ? -1 : 1;
	return 0;
}

static struct opt_i64 rollup_usage_of(const struct ref_sum *sum)
{
	int64_t usage;

	if (sum->no_usage || sum->units <= -MAX_UNITS || sum->units >= MAX_UNITS ||
		__builtin_add_overflow(sum->units * NANOS, sum->nanos, &usage))
		return NONE;
	return SOME(usage);
}

static enum err_code rollup_put_cost(
	struct db *db, day_t day, const struct ref_sum *sum, struct err *e)
{
	struct q_cost_day_add_in in = {.day = day,
		.sku_ref = sum->refs[REF_SKU],
		.project_ref = sum->refs[REF_PROJECT],
		.place_ref = sum->refs[REF_PLACE],
		.resource_ref = sum->refs[REF_RESOURCE],
		.charge_ref = sum->refs[REF_CHARGE],
		.usage = rollup_usage_of(sum),
		.cost = sum->cost,
		.credits = sum->credits,
		.promo = sum->promo,
		.discount = sum->discount,
		.committed = sum->committed};

	return q_cost_day_add(db, &in, e);
}

static enum err_code rollup_put_credit(
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

static enum err_code rollup_put(struct ref_sums *s, struct db *db, day_t day, struct err *e)
{
	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), rollup_by_refs);
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].refs[REF_CREDIT] ? rollup_put_credit(db, day, &s->v[i], e)
					     : rollup_put_cost(db, day, &s->v[i], e))
			return e->code;
	ref_sums_clear(s);
	return E_OK;
}

/* ---- a day ------------------------------------------------------------------------------------ */

static enum err_code rollup_too_large(day_t day, struct err *e)
{
	char date[DATE_BUF];

	return err_set(
		e, E_OVERFLOW, "the costs of %s are too large", date_format(day, date));
}

enum err_code day_sums_fill(
	struct ref_sums *s, struct db *db, day_t day, ts_t starts, ts_t ends, struct err *e)
{
	struct q_usage_between_in in = {.from = starts, .until = ends};
	struct q_usage_between row;
	struct db_rows rows;
	enum err_code rc = E_OK;

	ref_sums_clear(s);
	if (q_usage_between_open(db, &in, &rows, e))
		return e->code;
	while (!rc && q_usage_between_next(&rows, &row)) {
		if (s->n + 2 > MAX_SUMS)
			rc = rollup_put(s, db, day, e);
		if (!rc && !rollup_take(s, &row))
			rc = rollup_too_large(day, e);
	}
	return db_rows_end(&rows, rc, e) ? e->code : rollup_put(s, db, day, e);
}

/* ---- many days -------------------------------------------------------------------------------- */
void rollup_widen(struct rollup_range *r, ts_t first, ts_t last)
{
	if (first < r->first)
		r->first = first;
	if (last > r->last)
		r->last = last;
}

/* Day by day: the sorted rows of a day fit in the processor's cache, and those of years would not
 * fit in memory. */
static enum err_code rollup_fill_day(
	struct db *db, const struct tz *tz, struct ref_sums *sums, day_t day, struct err *e)
{
	char date[DATE_BUF];
	struct q_calendar_put_in in = {.day = day,
		.date = date_format(day, date),
		.starts = tz_day_start(tz, day),
		.ends = tz_day_start(tz, day + 1)};
	struct q_project_day_fill_in project = {.first = day, .last = day};
	struct q_account_day_fill_in account = {.first = day, .last = day};

	if (q_calendar_put(db, &in, e) ||
		day_sums_fill(sums, db, day, in.starts, in.ends, e) ||
		q_project_day_fill(db, &project, e))
		return e->code;
	return q_account_day_fill(db, &account, e);
}

static enum err_code rollup_fill_days(
	struct db *db, const struct tz *tz, day_t first, day_t last, struct err *e)
{
	cleanup(ref_sums_done) struct ref_sums sums = {0};

	for (day_t d = first; d <= last; d++)
		if (rollup_fill_day(db, tz, &sums, d, e))
			return e->code;
	return E_OK;
}

/* Of every rollup, and their days. */
static enum err_code rollup_drop(struct db *db, const char *where, struct err *e)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;

	for (int i = 0; i < db_n_rollups; i++)
		sbuf_addf(&sql, "DELETE FROM %s%s;", db_rollups[i], where);
	return db_exec(db, sql.s, e);
}

enum err_code rollup_days(
	struct db *db, const struct tz *tz, const struct rollup_range *range, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};
	day_t first, last;
	char where[64];

	if (range->first > range->last)
		return E_OK;
	first = tz_day(tz, range->first);
	last = tz_day(tz, range->last);
	snprintf(where, sizeof(where), " WHERE day BETWEEN %d AND %d", (int)first,
		(int)last);
	if (db_begin(db, &tx, e) || rollup_drop(db, where, e) ||
		rollup_fill_days(db, tz, first, last, e))
		return e->code;
	return db_commit(&tx, e);
}

static ts_t rollup_last_second_of_day(ts_t at)
{
	ts_t past = at % DAY_SECONDS;

	return at - past + (past < 0 ? 0 : DAY_SECONDS) - 1;
}

/* The consecutive days (UTC) with usage from an instant on. */
static enum err_code rollup_next_stretch(
	struct db *db, ts_t from, struct rollup_range *out, struct err *e)
{
	struct q_usage_next_in in = {.from = from};
	struct q_usage_next row;
	bool found;

	for (;;) {
		if (q_usage_next_one(db, &in, NULL, &row, &found, e))
			return e->code;
		if (!found || !row.hour.set ||
			(out->first <= out->last && row.hour.v > out->last + DAY_SECONDS))
			return E_OK;
		rollup_widen(out, row.hour.v, rollup_last_second_of_day(row.hour.v));
		in.from = out->last + 1;
	}
}

enum err_code rollup_all(struct db *db, const struct tz *tz, struct err *e)
{
	ts_t from = INT64_MIN;

	if (rollup_drop(db, "", e))
		return e->code;
	/* A line of a wrong year does not fill the calendar with all the days up to it. */
	for (;;) {
		struct rollup_range range = ROLLUP_NOTHING;

		if (rollup_next_stretch(db, from, &range, e))
			return e->code;
		if (range.first > range.last)
			return E_OK;
		if (rollup_days(db, tz, &range, e))
			return e->code;
		from = range.last + 1;
	}
}
