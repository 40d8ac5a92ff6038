/* In memory and not by GROUP BY, which sorts all the facts of a day, once for costs and once for
 * credits: they come to far fewer sums than there are facts. */
#include "db/day_sums.h"

#include "base/mem.h"
#include "base/money.h"
#include "db_sql.h"

#include <stdlib.h>
#include <string.h>

#define CREDIT_PROMOTION 1 /* credit_type has it from the beginning */
#define MAX_SUMS 32768
#define SLOTS ((size_t)2 * MAX_SUMS) /* a power of two */

/* As far as sums of usage are kept; in units, so that a sum of many cannot go beyond 64 bits. */
#define MAX_UNITS INT64_C(9000000000)

enum { REF_SKU, REF_PROJECT, REF_PLACE, REF_RESOURCE, REF_CHARGE, REF_CREDIT, REFS };

/* Of the usage itself when the type of credit is 0, and then of all its credits, too. */
struct day_sum {
	int64_t refs[REFS];
	int64_t units, nanos; /* of usage */
	bool no_usage;        /* some of it is not known */
	int64_t cost, credits, promo;
};

static size_t hash(const int64_t refs[REFS])
{
	uint64_t h = 0;

	for (int i = 0; i < REFS; i++)
		h = (h ^ (uint64_t)refs[i]) * 0x9e3779b97f4a7c15u;
	return (size_t)(h >> 32) & (SLOTS - 1);
}

static void forget(struct day_sums *s)
{
	if (s->n)
		memset(s->slots, 0, SLOTS * sizeof(*s->slots));
	s->n = 0;
}

static struct day_sum *sum_of(struct day_sums *s, const int64_t refs[REFS])
{
	size_t at = hash(refs);

	for (; s->slots[at]; at = (at + 1) & (SLOTS - 1))
		if (!memcmp(s->v[s->slots[at] - 1].refs, refs, sizeof(s->v->refs)))
			return &s->v[s->slots[at] - 1];
	if (s->n == s->room) {
		s->room = s->room ? s->room * 2 : 512;
		s->v = xrealloc(s->v, s->room * sizeof(*s->v));
	}
	s->v[s->n] = (struct day_sum){0};
	memcpy(s->v[s->n].refs, refs, sizeof(s->v->refs));
	s->slots[at] = (uint32_t)++s->n;
	return &s->v[s->n - 1];
}

/* ---- adding ----------------------------------------------------------------------------------- */

static bool add(int64_t *sum, int64_t v)
{
	return !__builtin_add_overflow(*sum, v, sum);
}

static void add_usage(struct day_sum *sum, struct opt_i64 usage)
{
	if (!usage.set || !add(&sum->units, usage.v / NANOS) ||
		!add(&sum->nanos, usage.v % NANOS))
		sum->no_usage = true;
}

/* False: beyond 64 bits. */
static bool take(struct day_sums *s, const struct q_usage_between *row)
{
	int64_t refs[REFS] = {row->sku_ref, row->project_ref, row->place_ref,
		row->resource_ref, row->charge_ref, 0};
	struct day_sum *sum = sum_of(s, refs);
	bool fits;

	add_usage(sum, row->usage);
	fits = add(&sum->cost, row->cost) && add(&sum->credits, row->credits) &&
		(row->credit_ref != CREDIT_PROMOTION || add(&sum->promo, row->credits));
	if (row->credit_ref) {
		refs[REF_CREDIT] = row->credit_ref;
		fits = add(&sum_of(s, refs)->credits, row->credits) && fits;
	}
	return fits;
}

/* ---- writing ---------------------------------------------------------------------------------- */

/* In the order of the tables: pages fill up one after the other. */
static int by_refs(const void *pa, const void *pb)
{
	const struct day_sum *a = pa, *b = pb;

	for (int i = 0; i < REFS; i++)
		if (a->refs[i] != b->refs[i])
			return a->refs[i] < b->refs[i] ? -1 : 1;
	return 0;
}

static struct opt_i64 usage_of(const struct day_sum *sum)
{
	int64_t usage;

	if (sum->no_usage || sum->units <= -MAX_UNITS || sum->units >= MAX_UNITS ||
		__builtin_add_overflow(sum->units * NANOS, sum->nanos, &usage))
		return NONE;
	return SOME(usage);
}

static enum err_code put_cost(
	struct db *db, day_t day, const struct day_sum *sum, struct err *e)
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
	struct db *db, day_t day, const struct day_sum *sum, struct err *e)
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

static enum err_code put(struct day_sums *s, struct db *db, day_t day, struct err *e)
{
	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), by_refs);
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].refs[REF_CREDIT] ? put_credit(db, day, &s->v[i], e)
					     : put_cost(db, day, &s->v[i], e))
			return e->code;
	forget(s);
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
	struct day_sums *s, struct db *db, day_t day, ts_t starts, ts_t ends, struct err *e)
{
	struct q_usage_between_in in = {starts, ends};
	struct q_usage_between row;
	struct db_rows rows;
	enum err_code rc = E_OK;

	if (!s->slots)
		s->slots = xcalloc(SLOTS, sizeof(*s->slots));
	forget(s);
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

void day_sums_done(struct day_sums *s)
{
	free(s->v);
	free(s->slots);
	*s = (struct day_sums){0};
}
