/* Lines of the bill that count for a budget, summed by project and by time.
 *
 * A condition over names (bill_by_names) is decided once for each combination of them, and the lines are read
 * by their numbers: a month of hours has many lines and few combinations. Other conditions are left to SQL. */
#include "rules/bill/days.h"
#include "rules/budget/internal.h"
#include "rules/vocab/condition.h"

#include <stdlib.h>
#include <string.h>

struct line {
	int64_t at; /* a day, or the start of an hour */
	int64_t refs[REFS];
	int64_t cost, credits;
};

/* ---- names --------------------------------------------------------------------------------------- */

/* Amounts in one currency at one rate add up before they are converted. */
static size_t lines_money_of(struct deriving *d, const struct q_bill_charges *c)
{
	size_t i = 0;

	while (i < d->moneys.n &&
		(d->moneys.v[i].rate != c->rate ||
			strcmp(d->moneys.v[i].currency, c->currency) != 0))
		i++;
	if (i == d->moneys.n)
		*arena_push(&d->arena, &d->moneys) = (struct bill_money){
			c->currency, c->rate};
	return i;
}

static enum err_code lines_load_names(struct deriving *d, struct err *e)
{
	struct q_bill_charges *charges;

	if (d->charge_moneys)
		return E_OK;
	if (q_bill_projects_all(
		    d->db, &d->arena, &d->bill_projects, &d->n_bill_projects, e) ||
		q_bill_charges_all(d->db, &d->arena, &charges, &d->n_charge_moneys, e))
		return e->code;
	d->charge_moneys = arena_alloc(
		&d->arena, (d->n_charge_moneys + 1) * sizeof(*d->charge_moneys));
	for (size_t i = 0; i < d->n_charge_moneys; i++)
		d->charge_moneys[i] = (struct charge_money){
			charges[i].ref, (int64_t)lines_money_of(d, &charges[i])};
	return E_OK;
}

static int lines_by_ref(const void *key, const void *member)
{
	return i64_order(*(const int64_t *)key, *(const int64_t *)member);
}

/* ---- the condition ------------------------------------------------------------------------------- */

enum { COUNTS_NOT = 1, COUNTS }; /* units of a combination; 0: not decided yet */

static enum err_code lines_open_condition(struct budget_work *w)
{
	const char *sql;

	if (w->condition.stmt || condition_shape(w->b->where, &w->failed))
		return w->failed.code;
	w->by_resource = strcmp(bill_view(w->b->where), bill_view(NULL)) != 0;
	sql = arena_printf(&w->d->arena,
		"SELECT CASE WHEN %s THEN 1 ELSE 0 END FROM bill_names_exact costs "
		"WHERE sku_ref = :sku AND project_ref = :project AND charge_ref = "
		":charge%s",
		budget_where(w),
		w->by_resource ? " AND place_ref = :place AND resource_ref = :resource"
			       : "");
	return db_cursor_open_rule(w->d->db, sql, false, &w->condition, &w->failed);
}

static bool lines_decide(struct budget_work *w, const struct line *l, struct ref_sum *names)
{
	static const char *const params[] = {[REF_SKU] = ":sku",
		[REF_PROJECT] = ":project",
		[REF_PLACE] = ":place",
		[REF_RESOURCE] = ":resource",
		[REF_CHARGE] = ":charge"};
	struct db_cursor *c = &w->condition;
	bool row = false;

	db_cursor_again(c);
	for (size_t i = 0; i < ARRAY_LEN(params); i++)
		db_cursor_bind_i64(c, params[i], l->refs[i]);
	if (!db_cursor_step(c, &row, &w->failed) && !row)
		bill_nameless(l->at, &w->failed);
	if (row)
		names->units = db_cursor_i64(c, 0) ? COUNTS : COUNTS_NOT;
	return row;
}

static bool lines_count(struct budget_work *w, const struct line *l)
{
	struct ref_sum *names = ref_sums_of(&w->names, l->refs);

	return (names->units || lines_decide(w, l, names)) && names->units == COUNTS;
}

/* ---- amounts ------------------------------------------------------------------------------------- */

bool budget_amount(const struct budget_work *w, const struct ref_sum *s, int64_t *out)
{
	*out = s->cost;
	return w->b->gross || nanos_add(s->cost, s->credits, out);
}

const struct bill_money *budget_money(const struct budget_work *w, const struct ref_sum *s)
{
	return &w->d->moneys.v[s->refs[REF_CHARGE]];
}

void budget_walk(struct budget_work *w, struct budget_steps *steps)
{
	const struct ref_sums *s = &steps->sums;
	struct passing *p = &w->passing;
	int64_t amount;

	while (steps->walked < s->n && !p->found) {
		p->before = p->sum;
		p->step = s->v[steps->walked].refs[REF_PART];
		for (; steps->walked < s->n &&
			s->v[steps->walked].refs[REF_PART] == p->step;
			steps->walked++) {
			const struct ref_sum *part = &s->v[steps->walked];
			const struct bill_money *m = budget_money(w, part);

			if (!budget_amount(w, part, &amount) ||
				!budget_exchange(
					w, amount, m->currency, m->rate, &amount) ||
				!nanos_add(p->sum, amount, &p->sum))
				w->broken = budget_too_large;
		}
		p->found = p->sum >= w->b->amount.nanos;
	}
}

/* ---- sums ---------------------------------------------------------------------------------------- */

static bool lines_end(const struct budget_work *w)
{
	return w->broken || w->failed.code || (w->into->seek && w->passing.found);
}

static void lines_add(struct budget_work *w, const struct line *l)
{
	const struct deriving *d = w->d;
	const struct charge_money *m = bsearch(&l->refs[REF_CHARGE], d->charge_moneys,
		d->n_charge_moneys, sizeof(*d->charge_moneys), lines_by_ref);
	struct budget_steps *to = w->into;
	const struct ref_sum *last = to->sums.n ? &to->sums.v[to->sums.n - 1] : NULL;

	if (!m) {
		bill_nameless(l->at, &w->failed);
		return;
	}
	if (to->seek && last && last->refs[REF_PART] != l->at)
		budget_walk(w, to);
	if (lines_end(w))
		return;
	if (!ref_sum_add(
		    ref_sums_of(&to->sums,
			    (int64_t[REFS]){[REF_CHARGE] = m->money, [REF_PART] = l->at}),
		    l->cost, l->credits, 0) ||
		(!to->seek &&
			!ref_sum_add(ref_sums_of(&w->sums,
					     (int64_t[REFS]){[REF_CHARGE] = m->money,
						     [REF_PROJECT] = l->refs[REF_PROJECT]}),
				l->cost, l->credits, 0)))
		w->broken = budget_too_large;
}

/* ---- sources ------------------------------------------------------------------------------------- */

/* Old days are not kept in memory: there may be years of them. */
static enum err_code lines_of_memory(
	struct budget_work *w, day_t first, day_t end, struct err *e)
{
	const struct bill_line *v;
	size_t n;

	if (derive_bill(w->d, first, end - 1, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n && !lines_end(w); i++) {
		if (v[i].too_large)
			w->broken = budget_too_large;
		lines_add(w,
			&(struct line){.at = v[i].day,
				.refs = {[REF_PROJECT] = v[i].project_ref,
					[REF_CHARGE] = v[i].charge_ref},
				.cost = v[i].cost,
				.credits = v[i].credits});
	}
	return E_OK;
}

static enum err_code lines_open(struct budget_work *w, enum budget_step step, int64_t from,
	int64_t until, struct db_rows *rows, struct err *e)
{
	struct q_bill_by_hour_in by_hour = {.from = from, .until = until};
	struct q_bill_hours_in hours = {.from = from, .until = until};
	struct q_bill_by_day_in by_day = {.from = from, .until = until};
	struct q_bill_by_resource_in by_resource = {.from = from, .until = until};

	if (step == BUDGET_DAYS)
		return w->by_resource
			? q_bill_by_resource_open(w->d->db, &by_resource, rows, e)
			: q_bill_by_day_open(w->d->db, &by_day, rows, e);
	return w->b->where || !w->into->seek
		? q_bill_by_hour_open(w->d->db, &by_hour, rows, e)
		: q_bill_hours_open(w->d->db, &hours, rows, e);
}

static struct line lines_of_row(const struct db_rows *rows, bool by_resource)
{
	struct line l = {.at = db_rows_i64(rows, 0),
		.refs = {[REF_SKU] = db_rows_i64(rows, 1 + REF_SKU),
			[REF_PROJECT] = db_rows_i64(rows, 1 + REF_PROJECT),
			[REF_CHARGE] = db_rows_i64(rows, 1 + REF_CHARGE)},
		.cost = db_rows_i64(rows, 1 + REF_PART),
		.credits = db_rows_i64(rows, 2 + REF_PART)};

	if (by_resource) {
		l.refs[REF_PLACE] = db_rows_i64(rows, 1 + REF_PLACE);
		l.refs[REF_RESOURCE] = db_rows_i64(rows, 1 + REF_RESOURCE);
	}
	return l;
}

static enum err_code lines_by_numbers(struct budget_work *w, enum budget_step step,
	int64_t from, int64_t until, struct err *e)
{
	struct db_rows rows;

	if (w->b->where && lines_open_condition(w))
		return E_OK;
	if (lines_open(w, step, from, until, &rows, e))
		return e->code;
	while (!lines_end(w) && db_rows_step(&rows)) {
		struct line l = lines_of_row(&rows, w->by_resource);

		if (!w->b->where || lines_count(w, &l))
			lines_add(w, &l);
	}
	return db_rows_close(&rows, e);
}

static void lines_add_row(struct budget_work *w, const struct db_cursor *c)
{
	lines_add(w,
		&(struct line){.at = db_cursor_i64(c, 0),
			.refs = {[REF_PROJECT] = db_cursor_i64(c, 1),
				[REF_CHARGE] = db_cursor_i64(c, 2)},
			.cost = db_cursor_i64(c, 3),
			.credits = db_cursor_i64(c, 4)});
}

static enum err_code lines_by_sql(struct budget_work *w, enum budget_step step,
	int64_t from, int64_t until, struct err *e)
{
	bool hours = step == BUDGET_HOURS;
	const char *at = hours ? "hour_n" : "day_n";

	return budget_select(w,
		arena_printf(&w->d->arena,
			"SELECT %s, project_ref, charge_ref, SUM(cost_n), SUM(credits_n) "
			"FROM %s costs "
			"WHERE %s >= %lld AND %s < %lld AND %s "
			"GROUP BY %s, project_ref, charge_ref ORDER BY %s",
			at, hours ? "hour_costs_exact" : bill_view(w->b->where), at,
			(long long)from, at, (long long)until, budget_where(w), at, at),
		lines_add_row, e);
}

enum err_code budget_read(struct budget_work *w, enum budget_step step, int64_t from,
	int64_t until, struct budget_steps *into, struct err *e)
{
	enum err_code rc;

	if (from >= until || w->broken)
		return E_OK;
	w->into = into;
	if (lines_load_names(w->d, e))
		return e->code;
	if (w->b->where && !bill_by_names(w->b->where))
		rc = lines_by_sql(w, step, from, until, e);
	else if (!w->b->where && step == BUDGET_DAYS &&
		derive_keeps_bill(w->d, (day_t)from))
		rc = lines_of_memory(w, (day_t)from, (day_t)until, e);
	else
		rc = lines_by_numbers(w, step, from, until, e);
	return rc ? rc : budget_break(w, e);
}
