/* Staged lines by unit: one pass over the lines in their order. Grouping them by currency in SQL
 * would sort all of them. */
#include "base/money.h"
#include "collector/bill/store.h"
#include "db_sql.h"

#include <stdlib.h>
#include <string.h>

/* A charge, and the sums of the lines of the current unit in it. */
struct tally {
	int64_t ref;
	const char *currency;
	int64_t cost, credits;
	bool used;
};

struct counter {
	struct arena *a;
	struct tally *v; /* by ref */
	size_t n, cap, last;
	struct billing_unit *units;
	size_t n_units, cap_units;
};

static enum err_code staged_units_load_charges(
	struct counter *c, struct db *db, struct err *e)
{
	struct q_bill_charges row;
	struct db_rows rows;

	if (q_bill_charges_open(db, &rows, e))
		return e->code;
	while (q_bill_charges_next(&rows, &row))
		*arena_push(c->a, c) = (struct tally){
			.ref = row.ref, .currency = arena_strdup(c->a, row.currency)};
	return db_rows_close(&rows, e);
}

static int staged_units_by_ref(const void *pkey, const void *pt)
{
	return i64_order(*(const int64_t *)pkey, ((const struct tally *)pt)->ref);
}

/* Consecutive lines usually have the same charge. */
static struct tally *tally_of(struct counter *c, int64_t ref)
{
	struct tally *t;

	if (c->last < c->n && c->v[c->last].ref == ref)
		return &c->v[c->last];
	t = c->n ? bsearch(&ref, c->v, c->n, sizeof(*c->v), staged_units_by_ref) : NULL;
	if (t)
		c->last = (size_t)(t - c->v);
	return t;
}

static enum err_code staged_units_too_large(const char *currency, struct err *e)
{
	return err_set(e, E_OVERFLOW, "the sums of %s are too large", currency);
}

struct billing_sum *billing_unit_sum(const struct billing_unit *u, const char *currency)
{
	for (size_t i = 0; i < u->n_sums; i++)
		if (!strcmp(u->sums[i].currency, currency))
			return &u->sums[i];
	return NULL;
}

static struct billing_sum *staged_units_sum_of(struct counter *c, const char *currency)
{
	struct billing_unit *u = &c->units[c->n_units - 1];
	struct billing_sum *known = billing_unit_sum(u, currency);

	if (known)
		return known;
	*arena_append(c->a, u->sums, u->n_sums, u->cap_sums) = (struct billing_sum){
		.currency = currency};
	return &u->sums[u->n_sums - 1];
}

/* Completes the current unit. */
static enum err_code close_unit(struct counter *c, struct err *e)
{
	for (size_t i = 0; i < c->n; i++) {
		struct tally *t = &c->v[i];
		struct billing_sum *s;

		if (!t->used)
			continue;
		s = staged_units_sum_of(c, t->currency);
		if (!nanos_add(s->cost, t->cost, &s->cost) ||
			!nanos_add(s->credits, t->credits, &s->credits))
			return staged_units_too_large(t->currency, e);
		t->cost = t->credits = 0;
		t->used = false;
	}
	return E_OK;
}

static enum err_code open_unit(struct counter *c, int64_t day, struct err *e)
{
	if (c->n_units && close_unit(c, e))
		return e->code;
	*arena_append(c->a, c->units, c->n_units, c->cap_units) = (struct billing_unit){
		.day = (day_t)day};
	return E_OK;
}

static enum err_code staged_units_count(
	struct counter *c, const struct q_stage_lines *line, struct err *e)
{
	struct tally *t = tally_of(c, line->charge_ref);

	if (!t)
		return err_set(e, E_BUG, "charge not found");
	if ((!c->n_units || c->units[c->n_units - 1].day != line->unit) &&
		open_unit(c, line->unit, e))
		return e->code;
	t->used = true;
	c->units[c->n_units - 1].rows += line->row_count;
	return nanos_add(t->cost, line->cost, &t->cost) &&
			nanos_add(t->credits, line->credits, &t->credits)
		? E_OK
		: staged_units_too_large(t->currency, e);
}

enum err_code billing_units_staged(
	struct db *db, struct arena *a, struct billing_unit **out, size_t *n, struct err *e)
{
	struct counter c = {.a = a};
	struct q_stage_lines line;
	struct db_rows rows;
	enum err_code rc = E_OK;

	if (staged_units_load_charges(&c, db, e) || q_stage_lines_open(db, &rows, e))
		return e->code;
	while (!rc && q_stage_lines_next(&rows, &line))
		rc = staged_units_count(&c, &line, e);
	if (db_rows_end(&rows, rc, e) || close_unit(&c, e))
		return e->code;
	*out = c.units;
	*n = c.n_units;
	return E_OK;
}
