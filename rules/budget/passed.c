/* When the bill reached the amount of a budget: the first day of those that ended with it
 * reached, and in that day the first hour. Corrections can take it below the amount again. */
#include "base/time/civil.h"
#include "rules/derive/budget.h"

/* Everything of p->step is added. */
static void end_step(const struct budget_work *w, struct passing *p)
{
	p->found = p->step != INT64_MIN && p->sum >= w->b->amount.nanos;
}

/* One step of time and currency, in order: day or hour, currency, rate, cost, credits. */
static void add_step(struct budget_work *w, const struct db_cursor *c)
{
	struct passing *p = &w->passing;
	int64_t amount = db_cursor_i64(c, 3), step = db_cursor_i64(c, 0);

	if (!p->found && step != p->step) {
		end_step(w, p);
		p->before = p->found ? p->before : p->sum;
	}
	if (p->found)
		return;
	p->step = step;
	if ((!w->b->gross && !nanos_add(amount, db_cursor_i64(c, 4), &amount)) ||
		!budget_exchange(
			w, amount, db_cursor_text(c, 1), db_cursor_i64(c, 2), &amount) ||
		!nanos_add(p->sum, amount, &p->sum))
		w->broken = budget_too_large;
}

static enum err_code walk(struct budget_work *w, const char *view, const char *column,
	int64_t first, int64_t end, struct err *e)
{
	struct sbuf sql = SBUF_INIT;
	enum err_code rc;

	if (first >= end || w->passing.found)
		return E_OK;
	w->passing.step = INT64_MIN;
	sbuf_addf(&sql,
		"SELECT %s, currency, rate, SUM(cost_n), "
		"SUM(credits_n) FROM %s WHERE %s >= %lld AND %s < %lld "
		"AND ",
		column, view, column, (long long)first, column, (long long)end);
	budget_add_where(&sql, w->b);
	sbuf_addf(&sql, " GROUP BY %s, currency, rate ORDER BY %s, currency, rate", column,
		column);
	rc = budget_select(w, sql.s, add_step, e);
	if (!w->passing.found)
		end_step(w, &w->passing);
	sbuf_done(&sql);
	return rc;
}

/* The day first, then its hours from what there was before it. */
static enum err_code walk_days(
	struct budget_work *w, const struct budget_days *days, struct err *e)
{
	const struct tz *tz = w->d->o->settings->tz;
	day_t day;

	if (walk(w, BUDGET_DAYS(w->b), days->first, days->end, e))
		return e->code;
	if (!w->passing.found)
		return E_OK;
	day = (day_t)w->passing.step;
	w->passing = (struct passing){.sum = w->passing.before};
	return walk(w, BUDGET_HOURS, tz_day_start(tz, day), tz_day_start(tz, day + 1), e);
}

enum err_code budget_find_passed(struct budget_work *w, struct err *e)
{
	struct budget_days days = budget_days(w);
	struct passing *p = &w->passing;

	if (walk(w, BUDGET_HOURS, w->f.starts, days.from, e))
		return e->code;
	if (!p->found && walk_days(w, &days, e))
		return e->code;
	if (!p->found && walk(w, BUDGET_HOURS, days.until, w->f.ends, e))
		return e->code;
	if (p->found)
		w->f.passed = SOME(p->step + HOUR_SECONDS < w->f.now
				? p->step + HOUR_SECONDS
				: w->f.now);
	return E_OK;
}
