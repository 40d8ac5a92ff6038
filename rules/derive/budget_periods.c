/* Budgets in periods that are over: what the bill says of each that the asked period has some of. */
#include "rules/derive/budget.h"

#include "db_sql.h"

#define MOST 1000 /* periods of one budget: nearly three years of days */

/* What all periods have in common. */
struct past_bill {
	bool any;
	struct opt_i64
		since; /* the costs of every billing account are known from here on */
};

static enum err_code put_period(struct deriving *d, const struct budget *b, ts_t now,
	const struct past_bill *bill, ts_t *ends, struct err *e)
{
	struct budget_work w = {.d = d, .b = b};
	struct row_budget_past in = {.name = b->name,
		.period = budget_per_name(b->per),
		.amount = b->amount.nanos,
		.currency = b->amount.cur,
		.since = bill->since};
	struct q_budget_past_known_in to;
	struct q_budget_past_known known;
	enum err_code rc;
	bool found;

	w.f = (struct budget_facts){.budget = b, .now = d->o->now};
	budget_period(b, d->o->settings->tz, now, &w.f.starts, &w.f.ends);
	*ends = w.f.ends;
	rc = newest_rate(d, b->amount.cur, &w.rate, e);
	if (!rc && bill->any)
		rc = budget_sum_spent(&w, e);
	in.starts = w.f.starts;
	in.ends = w.f.ends;
	in.converted = w.converted != NULL;
	if (bill->since.set && in.ends > bill->since.v && !w.broken && !w.no_rate)
		in.spent = SOME(w.spent);
	to.ends = in.ends;
	if (!rc)
		rc = q_budget_past_known_one(d->db, &to, &d->arena, &known, &found, e);
	in.known = rc ? NONE : known.until;
	if (!rc)
		rc = derived_put_budget_past(d->db, &in, e);
	strmap_done(&w.by_name);
	strmap_done(&w.sum_of);
	return rc;
}

static bool begins_before(const struct budget *b, ts_t t)
{
	return b->per != BUDGET_CUSTOM || b->starts < t;
}

static enum err_code put_budget(struct deriving *d, const struct budget *b, ts_t from,
	ts_t to, const struct past_bill *bill, struct err *e)
{
	ts_t ends = from;

	if (b->per == BUDGET_CUSTOM && b->ends <= from)
		return E_OK;
	for (size_t i = 0; ends < to && begins_before(b, to); i++) {
		if (i == MOST) {
			err_set(e, E_LIMIT, "more than %d periods", MOST);
			return err_fix(
				e, "ask for a shorter time with --since and --until");
		}
		if (put_period(d, b, ends, bill, &ends, e) || b->per == BUDGET_CUSTOM)
			return e->code;
	}
	return E_OK;
}

enum err_code derive_budget_periods(struct deriving *d, struct err *e)
{
	const struct derive_opts *o = d->o;
	ts_t to = derive_until(o);
	struct q_budget_bill_since since;
	struct q_billing_any any;
	struct past_bill bill;
	bool found;

	if (o->since == TS_NONE && o->until == TS_NONE)
		return E_OK;
	if (q_billing_any_one(d->db, &d->arena, &any, &bill.any, e) ||
		q_budget_bill_since_one(d->db, &d->arena, &since, &found, e))
		return e->code;
	bill.since = since.since; /* a row there is always */
	for (size_t i = 0; i < o->settings->n_budgets; i++) {
		const struct budget *b = &o->settings->budgets[i];
		/* without a begin, the period in which the other end lies */
		ts_t from = o->since == TS_NONE ? to - 1 : o->since;

		if (put_budget(d, b, from, to, &bill, e))
			return err_wrap(e, "budget %s", b->name);
	}
	return E_OK;
}
