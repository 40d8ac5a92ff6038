/* Amounts of a budget on the bill, and the moment when they reached it. Costs that are not on the bill yet:
 * rules/budget/charges.c. */
#include "base/time/civil.h"
#include "rules/budget/internal.h"

#include <stdlib.h>

/* ---- amounts --------------------------------------------------------------------------- */

static int budget_by_ref(const void *key, const void *member)
{
	return i64_order(*(const int64_t *)key, *(const int64_t *)member);
}

/* Add the amount to the sum of `refs` in its money. */
static bool budget_add_to(
	struct ref_sums *to, int64_t project, int64_t money, int64_t amount)
{
	const int64_t refs[REFS] = {[REF_PROJECT] = project, [REF_CHARGE] = money};

	return ref_sum_add(ref_sums_of(to, refs), amount, 0, 0);
}

/* By the names of projects, of which several numbers may have one, and of all. */
static bool budget_add_up(
	struct budget_work *w, struct ref_sums *parts, struct ref_sums *all)
{
	const struct deriving *d = w->d;
	const struct q_bill_projects *p;
	int64_t amount, money;

	for (size_t i = 0; i < w->sums.n; i++) {
		const struct ref_sum *s = &w->sums.v[i];

		p = bsearch(&s->refs[REF_PROJECT], d->bill_projects, d->n_bill_projects,
			sizeof(*p), budget_by_ref);
		money = s->refs[REF_CHARGE];
		if (!budget_amount(w, s, &amount) ||
			!budget_add_to(parts,
				(int64_t)budget_project_of(w, p ? p->project : ""), money,
				amount) ||
			!budget_add_to(all, 0, money, amount))
			return false;
	}
	return true;
}

/* Convert to the budget's currency, rounded once for each currency and rate. */
static void budget_add_converted(
	struct budget_work *w, const struct ref_sum *s, int64_t *to)
{
	const struct bill_money *m = budget_money(w, s);
	int64_t amount;

	if (!budget_exchange(w, s->cost, m->currency, m->rate, &amount))
		w->no_rate = m->currency;
	else if (!nanos_add(*to, amount, to))
		w->broken = budget_too_large;
}

static void budget_convert_spent(struct budget_work *w)
{
	cleanup(ref_sums_done) struct ref_sums parts = {0}, all = {0};

	if (!budget_add_up(w, &parts, &all))
		w->broken = budget_too_large;
	for (size_t i = 0; i < parts.n; i++)
		budget_add_converted(
			w, &parts.v[i], &w->projects.v[parts.v[i].refs[REF_PROJECT]].spent);
	for (size_t i = 0; i < all.n; i++)
		budget_add_converted(w, &all.v[i], &w->spent);
}

enum err_code budget_sum_spent(struct budget_work *w, struct err *e)
{
	struct whole_days days = whole_days(w->d->o->settings->tz, w->f.starts, w->f.ends);

	if (budget_read(w, BUDGET_HOURS, w->f.starts, days.from, &w->before, e) ||
		budget_read(w, BUDGET_DAYS, days.first, days.end, &w->days, e) ||
		budget_read(w, BUDGET_HOURS, days.until, w->f.ends, &w->after, e))
		return e->code;
	budget_convert_spent(w);
	return E_OK;
}

/* ---- moment when the bill reached the amount ------------------------------------------- */

/* A condition on amounts may hold for the sum of a day and for none of its hours: it was reached by the end of the
 * newest hour on the bill. */
static enum err_code budget_end_of_day(
	struct budget_work *w, ts_t from, ts_t until, struct err *e)
{
	struct q_usage_hour_before_in in = {.since = from, .before = until};
	struct q_usage_hour_before q;
	bool found;

	if (q_usage_hour_before_one(w->d->db, &in, &w->d->arena, &q, &found, e))
		return e->code;
	if (found && q.hour.set)
		w->passing = (struct passing){.step = q.hour.v, .found = true};
	return E_OK;
}

/* The day first, then its hours, starting from the sum before it. */
static enum err_code budget_walk_days(struct budget_work *w, struct err *e)
{
	const struct tz *tz = w->d->o->settings->tz;
	ts_t from, until;

	budget_walk(w, &w->days);
	if (!w->passing.found)
		return E_OK;
	from = tz_day_start(tz, (day_t)w->passing.step);
	until = tz_day_start(tz, (day_t)w->passing.step + 1);
	w->passing = (struct passing){.sum = w->passing.before};
	ref_sums_clear(&w->days.sums);
	w->days.seek = true;
	w->days.walked = 0;
	if (budget_read(w, BUDGET_HOURS, from, until, &w->days, e))
		return e->code;
	budget_walk(w, &w->days);
	return w->passing.found ? E_OK : budget_end_of_day(w, from, until, e);
}

enum err_code budget_find_passed(struct budget_work *w, struct err *e)
{
	struct passing *p = &w->passing;
	ts_t end, most = w->f.now < w->f.ends ? w->f.now : w->f.ends;

	budget_walk(w, &w->before);
	if (!p->found && budget_walk_days(w, e))
		return e->code;
	budget_walk(w, &w->after);
	end = p->step + HOUR_SECONDS;
	if (p->found)
		w->f.passed = SOME(end < most ? end : most);
	return E_OK;
}
