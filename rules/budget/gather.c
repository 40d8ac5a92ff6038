/* What a budget is made of: amounts of the bill. Of what runs: rules/budget/live.c. */
#include "rules/derive/budget.h"

#include "db_sql.h"
#include "rules/bill/days.h"
#include "rules/vocab/condition.h"

#include <string.h>

const char budget_too_large[] = "the figures are beyond 9.2 billion";

/* ---- currencies ------------------------------------------------------------------------ */

enum err_code newest_rate(struct deriving *d, const char *cur, int64_t *out, struct err *e)
{
	struct q_newest_rate_in in = {.currency = cur};
	struct q_newest_rate row;
	bool found = true;

	*out = NANOS;
	if (!strcmp(cur, "USD"))
		return E_OK;
	if (q_newest_rate_one(d->db, &in, &d->arena, &row, &found, e))
		return e->code;
	*out = found ? row.rate : 0;
	return E_OK;
}

bool budget_exchange(
	struct budget_work *w, int64_t amount, const char *from, int64_t rate, int64_t *out)
{
	if (!strcmp(from, w->b->amount.cur) || !amount) {
		*out = amount;
		return true;
	}
	w->converted = arena_strdup(&w->d->arena, from);
	if (!strcmp(from, "USD"))
		rate = NANOS;
	w->converted_rate = rate;
	return rate > 0 && w->rate > 0 && nanos_muldiv(amount, w->rate, rate, out);
}

/* ---- projects -------------------------------------------------------------------------- */

size_t budget_project_of(struct budget_work *w, const char *name)
{
	struct arena *a = &w->d->arena;
	size_t *at = strmap_get(&w->by_name, name);

	if (at)
		return *at;
	w->projects = arena_grow(a, w->projects, w->n, &w->cap, sizeof(*w->projects));
	w->projects[w->n] = (struct budget_project){.name = arena_strdup(a, name)};
	strmap_put(&w->by_name, name, w->n);
	return w->n++;
}

/* ---- what a condition selects ---------------------------------------------------------- */

void budget_add_where(struct sbuf *b, const struct budget *budget)
{
	sbuf_addf(b, "(%s)", budget->where ? budget->where : "1 = 1");
}

/* Said of costs, as whoever wrote the condition thinks of it. */
static const char *why_broken(struct budget_work *w, struct err *e)
{
	if (e->code == E_USAGE && w->b->where)
		(void)!condition_check(w->d->db, view_find("costs"), w->b->where, e);
	return e->msg;
}

enum err_code budget_select(struct budget_work *w, const char *sql,
	void (*row)(struct budget_work *w, const struct db_cursor *c), struct err *e)
{
	struct db_cursor c = {0};
	struct err why = {0};
	bool more = false;

	if (!(w->b->where && condition_shape(w->b->where, &why)) &&
		!db_cursor_open_rule(w->d->db, sql, &c, &why))
		while (!db_cursor_step(&c, &more, &why) && more)
			row(w, &c);
	if (c.stmt)
		db_cursor_close(&c);
	if (why.code == E_USAGE || why.code == E_LIMIT) {
		w->broken = arena_strdup(&w->d->arena, why_broken(w, &why));
		return E_OK;
	}
	if (why.code && e)
		*e = why;
	return why.code;
}

/* Lines of one project in one currency and at one rate; the pieces of a period add up. */
static struct budget_sum *sum_of(
	struct budget_work *w, const char *name, const char *cur, int64_t rate)
{
	struct arena *a = &w->d->arena;
	const char *key = arena_printf(a, "%s %s %lld", name, cur, (long long)rate);
	size_t *at = strmap_get(&w->sum_of, key);

	if (!at) {
		w->sums = arena_grow(a, w->sums, w->n_sums, &w->cap_sums, sizeof(*w->sums));
		w->sums[w->n_sums] = (struct budget_sum){
			.project = budget_project_of(w, name),
			.cur = arena_strdup(a, cur),
			.rate = rate};
		strmap_put(&w->sum_of, key, w->n_sums++);
		at = strmap_get(&w->sum_of, key);
	}
	return &w->sums[*at];
}

static void add_to(
	struct budget_work *w, struct budget_sum *sum, int64_t cost, int64_t credits)
{
	if ((!w->b->gross && !nanos_add(cost, credits, &cost)) ||
		!nanos_add(sum->amount, cost, &sum->amount))
		w->broken = budget_too_large;
}

static void add_spent(struct budget_work *w, const struct db_cursor *c)
{
	const char *name = db_cursor_type(c, 0) == DB_NULL ? "" : db_cursor_text(c, 0);

	add_to(w, sum_of(w, name, db_cursor_text(c, 1), db_cursor_i64(c, 2)),
		db_cursor_i64(c, 3), db_cursor_i64(c, 4));
}

static enum err_code sum_lately(
	struct budget_work *w, day_t first, day_t end, struct err *e)
{
	const struct bill_line *v, *last = NULL;
	struct budget_sum *sum = NULL;
	size_t n;

	if (derive_bill(w->d, first, end - 1, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; last = &v[i++]) {
		if (!last || strcmp(last->project, v[i].project) != 0 ||
			strcmp(last->currency, v[i].currency) != 0 ||
			last->rate != v[i].rate)
			sum = sum_of(w, v[i].project, v[i].currency, v[i].rate);
		if (v[i].too_large)
			w->broken = budget_too_large;
		add_to(w, sum, v[i].cost, v[i].credits);
	}
	return E_OK;
}

/* Of a budget without a condition. What is long ago is not kept: it may be years. */
static enum err_code sum_days(struct budget_work *w, day_t first, day_t end, struct err *e)
{
	struct bill_row r, last = {0};
	struct budget_sum *sum = NULL;
	struct bill_days days;

	if (first >= end)
		return E_OK;
	if (derive_keeps_bill(w->d, first))
		return sum_lately(w, first, end, e);
	if (bill_days_open(w->d->db, first, end - 1, &w->d->arena, &days, e))
		return e->code;
	while (bill_days_next(&days, &r)) {
		if (r.project != last.project || r.charge != last.charge)
			sum = sum_of(
				w, r.project->project, r.charge->currency, r.charge->rate);
		last = r;
		add_to(w, sum, r.cost, r.credits);
	}
	return bill_days_close(&days, E_OK, e);
}

/* Into the budget's currency, rounded once for each currency and rate. */
static void add_converted(struct budget_work *w, const struct budget_sum *s, int64_t *to)
{
	int64_t amount;

	if (!budget_exchange(w, s->amount, s->cur, s->rate, &amount))
		w->no_rate = s->cur;
	else if (!nanos_add(*to, amount, to))
		w->broken = budget_too_large;
}

static void convert_spent(struct budget_work *w)
{
	for (size_t i = 0; i < w->n_sums; i++) {
		struct budget_sum all = w->sums[i];
		bool first = true;

		add_converted(w, &all, &w->projects[all.project].spent);
		for (size_t k = 0; k < w->n_sums; k++) {
			const struct budget_sum *s = &w->sums[k];

			if (k == i || s->rate != all.rate || strcmp(s->cur, all.cur) != 0)
				continue;
			first = first && k > i;
			if (!nanos_add(all.amount, s->amount, &all.amount))
				w->broken = budget_too_large;
		}
		if (first)
			add_converted(w, &all, &w->spent);
	}
}

/* The bill from `first` to before `end`, which are values of the column. */
static enum err_code sum_lines(struct budget_work *w, const char *view, const char *column,
	int64_t first, int64_t end, struct err *e)
{
	struct sbuf sql = SBUF_INIT;
	enum err_code rc;

	if (first >= end)
		return E_OK;
	sbuf_addf(&sql,
		"SELECT project, currency, rate, SUM(cost_n), "
		"SUM(credits_n) FROM %s WHERE %s >= %lld AND %s < %lld "
		"AND ",
		view, column, (long long)first, column, (long long)end);
	budget_add_where(&sql, w->b);
	sbuf_adds(&sql, " GROUP BY project, currency, rate");
	rc = budget_select(w, sql.s, add_spent, e);
	sbuf_done(&sql);
	return rc;
}

struct budget_days budget_days(const struct budget_work *w)
{
	const struct tz *tz = w->d->o->settings->tz;
	struct budget_days r = {tz_day(tz, w->f.starts), tz_day(tz, w->f.ends), 0, 0};

	r.first += tz_day_start(tz, r.first) < w->f.starts;
	r.from = tz_day_start(tz, r.first);
	r.until = tz_day_start(tz, r.end);
	if (r.first >= r.end) {
		r.first = r.end;
		r.from = r.until = w->f.ends;
	}
	return r;
}

enum err_code budget_sum_spent(struct budget_work *w, struct err *e)
{
	struct budget_days days = budget_days(w);

	if (sum_lines(w, BUDGET_HOURS, w->f.starts, days.from, e) ||
		(w->b->where ? sum_lines(w, BUDGET_DAYS(w->b), days.first, days.end, e)
			     : sum_days(w, days.first, days.end, e)))
		return e->code;
	if (sum_lines(w, BUDGET_HOURS, days.until, w->f.ends, e))
		return e->code;
	convert_spent(w);
	return E_OK;
}
