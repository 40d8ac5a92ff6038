/* Collection of a budget's amounts from the bill, and of the moment when they reached the budget.
 * What is not on the bill yet: rules/budget/charges.c. */
#include "base/time/civil.h"
#include "rules/bill/days.h"
#include "rules/budget/internal.h"
#include "rules/vocab/condition.h"

#include <string.h>

/* A view of the bill with its column of time. */
#define HOURS "hour_costs_exact", "hour_n"

const char budget_too_large[] = "the figures exceed 9.2 billion";

bool budget_exchange(
	struct budget_work *w, int64_t amount, const char *from, int64_t rate, int64_t *out)
{
	const char *to = w->b->amount.cur;

	if (strcmp(from, to) != 0 && amount) {
		w->converted = arena_strdup(&w->d->arena, from);
		w->converted_rate = strcmp(from, "USD") ? rate : NANOS;
	}
	return price_exchange(amount, from, rate, to, w->rate, out);
}

/* ---- projects -------------------------------------------------------------------------- */

ts_t budget_from(const struct budget_work *w, const char *project)
{
	return budget_unbilled_from(
		&w->f, w->billed ? billed_until_of(w->billed->until, project) : TS_NONE);
}

size_t budget_project_of(struct budget_work *w, const char *name)
{
	size_t *at = strmap_get(&w->by_name, name);

	if (at)
		return *at;
	strmap_put(&w->by_name, name, w->projects.n);
	*arena_push(&w->d->arena, &w->projects) = (struct budget_project){
		.name = arena_strdup(&w->d->arena, name), .from = budget_from(w, name)};
	return w->projects.n - 1;
}

/* ---- condition ------------------------------------------------------------------------- */

const char *budget_where(const struct budget_work *w)
{
	return arena_printf(&w->d->arena, "(%s)", w->b->where ? w->b->where : "1 = 1");
}

enum err_code budget_select(struct budget_work *w, const char *sql,
	void (*row)(struct budget_work *w, const struct db_cursor *c), struct err *e)
{
	struct db_cursor c = {0};
	struct err why = {0};
	bool more = false;

	if (!(w->b->where && condition_shape(w->b->where, &why)) &&
		!db_cursor_open_rule(w->d->db, sql, false, &c, &why))
		while (!db_cursor_step(&c, &more, &why) && more)
			row(w, &c);
	if (c.stmt)
		db_cursor_close(&c);
	if (why.code == E_USAGE || why.code == E_LIMIT) {
		/* The error names costs, because the author of the condition thinks of them. */
		if (why.code == E_USAGE && w->b->where)
			(void)!condition_check(
				w->d->db, view_find("costs"), w->b->where, &why);
		w->broken = arena_strdup(&w->d->arena, why.msg);
		return E_OK;
	}
	if (why.code)
		*e = why;
	return why.code;
}

/* Lines of one project in one currency and at one rate; the parts of a period add up. */
static struct budget_sum *budget_sum_of(
	struct budget_work *w, const char *name, const char *cur, int64_t rate)
{
	struct arena *a = &w->d->arena;
	const char *key = arena_printf(a, "%s %s %lld", name, cur, (long long)rate);
	size_t *at = strmap_get(&w->sum_of, key);
	struct budget_sum *sum;

	if (at)
		return &w->sums.v[*at];
	strmap_put(&w->sum_of, key, w->sums.n);
	sum = arena_push(a, &w->sums);
	*sum = (struct budget_sum){.project = budget_project_of(w, name),
		.cur = arena_strdup(a, cur),
		.rate = rate};
	return sum;
}

static void budget_add_to(
	struct budget_work *w, struct budget_sum *sum, int64_t cost, int64_t credits)
{
	if ((!w->b->gross && !nanos_add(cost, credits, &cost)) ||
		!nanos_add(sum->amount, cost, &sum->amount))
		w->broken = budget_too_large;
}

static void budget_add_spent(struct budget_work *w, const struct db_cursor *c)
{
	const char *name = db_cursor_type(c, 0) == DB_NULL ? "" : db_cursor_text(c, 0);

	budget_add_to(w, budget_sum_of(w, name, db_cursor_text(c, 1), db_cursor_i64(c, 2)),
		db_cursor_i64(c, 3), db_cursor_i64(c, 4));
}

static enum err_code budget_sum_lately(
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
			sum = budget_sum_of(w, v[i].project, v[i].currency, v[i].rate);
		if (v[i].too_large)
			w->broken = budget_too_large;
		budget_add_to(w, sum, v[i].cost, v[i].credits);
	}
	return E_OK;
}

/* For a budget without a condition. Old days are not kept in memory: there may be years of them. */
static enum err_code budget_sum_days(
	struct budget_work *w, day_t first, day_t end, struct err *e)
{
	struct bill_row r, last = {0};
	struct budget_sum *sum = NULL;
	struct bill_days days;

	if (first >= end)
		return E_OK;
	if (derive_keeps_bill(w->d, first))
		return budget_sum_lately(w, first, end, e);
	if (bill_days_open(w->d->db, first, end - 1, &w->d->arena, &days, e))
		return e->code;
	while (bill_days_next(&days, &r)) {
		if (r.project != last.project || r.charge != last.charge)
			sum = budget_sum_of(
				w, r.project->project, r.charge->currency, r.charge->rate);
		last = r;
		budget_add_to(w, sum, r.cost, r.credits);
	}
	return bill_days_close(&days, E_OK, e);
}

/* Convert to the budget's currency, rounded once for each currency and rate. */
static void budget_add_converted(
	struct budget_work *w, const struct budget_sum *s, int64_t *to)
{
	int64_t amount;

	if (!budget_exchange(w, s->amount, s->cur, s->rate, &amount))
		w->no_rate = s->cur;
	else if (!nanos_add(*to, amount, to))
		w->broken = budget_too_large;
}

static void budget_convert_spent(struct budget_work *w)
{
	for (size_t i = 0; i < w->sums.n; i++) {
		struct budget_sum all = w->sums.v[i];
		bool first = true;

		budget_add_converted(w, &all, &w->projects.v[all.project].spent);
		for (size_t k = 0; k < w->sums.n; k++) {
			const struct budget_sum *s = &w->sums.v[k];

			if (k == i || s->rate != all.rate || strcmp(s->cur, all.cur) != 0)
				continue;
			first = first && k > i;
			if (!nanos_add(all.amount, s->amount, &all.amount))
				w->broken = budget_too_large;
		}
		if (first)
			budget_add_converted(w, &all, &w->spent);
	}
}

/* Sum the bill from `first` to before `end`, in steps of `by`: these are values of the column. */
static enum err_code budget_sum_lines(struct budget_work *w, const char *by,
	const char *view, const char *column, int64_t first, int64_t end,
	void (*row)(struct budget_work *w, const struct db_cursor *c), struct err *e)
{
	const char *sql;

	if (first >= end)
		return E_OK;
	sql = arena_printf(&w->d->arena,
		"SELECT %s, currency, rate, SUM(cost_n), SUM(credits_n) FROM %s "
		"WHERE %s >= %lld AND %s < %lld AND %s "
		"GROUP BY %s, currency, rate ORDER BY %s, currency, rate",
		by, view, column, (long long)first, column, (long long)end, budget_where(w),
		by, by);
	return budget_select(w, sql, row, e);
}

static enum err_code budget_sum_hours(
	struct budget_work *w, ts_t from, ts_t until, struct err *e)
{
	return budget_sum_lines(w, "project", HOURS, from, until, budget_add_spent, e);
}

enum err_code budget_sum_spent(struct budget_work *w, struct err *e)
{
	struct whole_days days = whole_days(w->d->o->settings->tz, w->f.starts, w->f.ends);

	if (budget_sum_hours(w, w->f.starts, days.from, e) ||
		(w->b->where ? budget_sum_lines(w, "project", bill_view(w->b->where),
				       "day_n", days.first, days.end, budget_add_spent, e)
			     : budget_sum_days(w, days.first, days.end, e)) ||
		budget_sum_hours(w, days.until, w->f.ends, e))
		return e->code;
	budget_convert_spent(w);
	return E_OK;
}

/* ---- moment when the bill reached the amount ------------------------------------------- */

struct step_sum {
	const char *currency;
	int64_t rate, cost, credits;
};

/* The first day that ended with the amount reached, and in that day the first hour. Corrections can
 * lower the sum below the amount again. All of p->step is added here. */
static void budget_end_step(const struct budget_work *w, struct passing *p)
{
	p->found = p->step != INT64_MIN && p->sum >= w->b->amount.nanos;
}

/* Sums of one step of time in one currency at one rate, in order of time. */
static void budget_add_step(struct budget_work *w, int64_t step, const struct step_sum *s)
{
	struct passing *p = &w->passing;
	int64_t amount = s->cost;

	if (!p->found && step != p->step) {
		budget_end_step(w, p);
		p->before = p->found ? p->before : p->sum;
	}
	if (p->found)
		return;
	p->step = step;
	if ((!w->b->gross && !nanos_add(amount, s->credits, &amount)) ||
		!budget_exchange(w, amount, s->currency, s->rate, &amount) ||
		!nanos_add(p->sum, amount, &p->sum))
		w->broken = budget_too_large;
}

static void budget_add_step_row(struct budget_work *w, const struct db_cursor *c)
{
	budget_add_step(w, db_cursor_i64(c, 0),
		&(struct step_sum){db_cursor_text(c, 1), db_cursor_i64(c, 2),
			db_cursor_i64(c, 3), db_cursor_i64(c, 4)});
}

static enum err_code budget_walk(struct budget_work *w, const char *view,
	const char *column, int64_t first, int64_t end, struct err *e)
{
	enum err_code rc;

	if (first >= end || w->passing.found)
		return E_OK;
	w->passing.step = INT64_MIN;
	rc = budget_sum_lines(w, column, view, column, first, end, budget_add_step_row, e);
	if (!w->passing.found)
		budget_end_step(w, &w->passing);
	return rc;
}

/* Without a condition, the usage is read directly: five times as fast. */
static enum err_code budget_walk_hours(
	struct budget_work *w, ts_t from, ts_t until, struct err *e)
{
	struct q_bill_hours_in in = {.from = from, .until = until};
	struct {
		struct step_sum *v;
		size_t n, cap;
	} sums = {0};
	struct q_bill_hours r;
	struct db_rows rows;
	bool more;

	if (w->b->where)
		return budget_walk(w, HOURS, from, until, e);
	if (from >= until || w->passing.found)
		return E_OK;
	w->passing.step = INT64_MIN;
	if (q_bill_hours_open(w->d->db, &in, &rows, e))
		return e->code;
	for (ts_t hour = from; (more = q_bill_hours_next(&rows, &r)) || sums.n;) {
		struct step_sum *s = sums.v;

		if (sums.n && (!more || r.hour != hour)) {
			for (size_t i = 0; i < sums.n; i++)
				budget_add_step(w, hour, &sums.v[i]);
			sums.n = 0;
		}
		if (!more)
			break;
		hour = r.hour;
		while (s < sums.v + sums.n &&
			(s->rate != r.rate || strcmp(s->currency, r.currency) != 0))
			s++;
		if (s == sums.v + sums.n) {
			s = arena_push(&w->d->arena, &sums);
			*s = (struct step_sum){
				arena_strdup(&w->d->arena, r.currency), r.rate};
		}
		if (!nanos_add(s->cost, r.cost, &s->cost) ||
			!nanos_add(s->credits, r.credits, &s->credits))
			w->broken = budget_too_large;
	}
	if (!w->passing.found)
		budget_end_step(w, &w->passing);
	return db_rows_close(&rows, e);
}

/* The day first, then its hours, starting from the sum before it. */
static enum err_code budget_walk_days(
	struct budget_work *w, const struct whole_days *days, struct err *e)
{
	const struct tz *tz = w->d->o->settings->tz;
	day_t day;

	if (budget_walk(w, w->b->where ? bill_view(w->b->where) : "project_costs_exact",
		    "day_n", days->first, days->end, e))
		return e->code;
	if (!w->passing.found)
		return E_OK;
	day = (day_t)w->passing.step;
	w->passing = (struct passing){.sum = w->passing.before};
	return budget_walk_hours(w, tz_day_start(tz, day), tz_day_start(tz, day + 1), e);
}

enum err_code budget_find_passed(struct budget_work *w, struct err *e)
{
	struct whole_days days = whole_days(w->d->o->settings->tz, w->f.starts, w->f.ends);
	struct passing *p = &w->passing;
	ts_t end;

	if (budget_walk_hours(w, w->f.starts, days.from, e) ||
		(!p->found && budget_walk_days(w, &days, e)) ||
		budget_walk_hours(w, days.until, w->f.ends, e))
		return e->code;
	end = p->step + HOUR_SECONDS;
	if (p->found)
		w->f.passed = SOME(end < w->f.now ? end : w->f.now);
	return E_OK;
}
