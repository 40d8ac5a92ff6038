/* Rows of budgets: billed costs and running resources, combined for rules/budget/budget.c; and
 * bills of ended periods. */
#include "rules/bill/end.h"
#include "rules/budget/internal.h"

/* Without any poll and without any running resource, nothing was polled: the bill was imported. */
enum err_code inventory_state(
	struct deriving *d, enum inventory *out, ts_t *until, struct err *e)
{
	struct q_freshness_in in = {.basis = "inventory"};
	struct q_freshness row;
	struct q_resource_count resources;
	bool found;

	if (q_freshness_one(d->db, &in, &d->arena, &row, &found, e) ||
		q_resource_count_one(d->db, &d->arena, &resources, &found, e))
		return e->code;
	*until = row.oldest.set && !row.unread ? row.oldest.v : 0;
	if (!row.polled)
		*out = resources.n ? INVENTORY_READ : INVENTORY_NEVER;
	else if (row.stale || row.unread)
		*out = *until ? INVENTORY_OLD : INVENTORY_PARTLY;
	else
		*out = INVENTORY_READ;
	return E_OK;
}

static enum err_code rows_put_parts(const struct budget_work *w, struct err *e)
{
	for (size_t i = 0; i < w->projects.n; i++) {
		const struct budget_project *p = &w->projects.v[i];
		struct row_budget_part in = {.name = w->b->name,
			.project = p->name,
			.spent = p->spent,
			.currency = w->b->amount.cur};
		ts_t until = billed_until_of(w->billed->until, p->name);

		if (until != TS_NONE)
			in.billed_until = SOME(until);
		if (p->counts) {
			in.unbilled_from = SOME(p->from);
			in.per_hour = SOME(p->per_hour);
			in.unbilled = price_hours(p->work);
		}
		if (derived_put_budget_part(w->d->db, &in, e))
			return e->code;
	}
	return E_OK;
}

static enum err_code rows_put_budget(struct budget_work *w, struct err *e)
{
	struct row_budget_state in = {.name = w->b->name,
		.period = budget_per_name(w->b->per),
		.starts = w->f.starts,
		.ends = w->f.ends,
		.amount = w->b->amount.nanos,
		.currency = w->b->amount.cur,
		.condition = w->b->where};
	struct row_budget_state figures;

	in.converted = w->converted.n > 0;
	if (!w->broken && !w->no_rate && w->billed->until->bill)
		w->f.spent = SOME(w->spent);
	if (!w->broken)
		in.unpriced = SOME((int64_t)w->unpriced);
	in.spent = w->f.spent;
	figures = in;
	if (!w->broken && !w->no_rate) {
		if (budget_figures(&w->f, &figures))
			in = figures;
		else
			w->broken = budget_too_large;
	}
	/* A resource without a price, or that was never read or billed, may cost any amount. */
	if (w->unpriced || w->undecided || w->unused_unknown || budget_billed_late(w) ||
		w->billed->inventory >= INVENTORY_PARTLY)
		in.forecast_high = NONE;
	in.basis = budget_basis(w);
	if (!w->broken && !w->no_rate && rows_put_parts(w, e))
		return e->code;
	return derived_put_budget_state(w->d->db, &in, e);
}

static enum err_code rows_derive(struct deriving *d, const struct budget *b,
	const struct billed *billed, struct err *e)
{
	struct budget_work w = {.d = d,
		.b = b,
		.billed = billed,
		.last_id = SBUF_INIT,
		.last_lapsing = SBUF_INIT,
		.last_undecided = SBUF_INIT,
		.last_unpriced = SBUF_INIT};
	enum err_code rc;

	w.f = (struct budget_facts){.budget = b,
		.now = d->o->now,
		.error = SOME(billed->days ? billed->worst : BUDGET_ERROR_ASSUMED)};
	budget_period(b, d->o->settings->tz, d->o->now, &w.f.starts, &w.f.ends);
	if (billed->since.set && w.f.ends <= billed->since.v)
		w.broken = billed->first_account
			? arena_printf(&d->temp,
				  "the bill of billing account %s begins after the period",
				  billed->first_account)
			: "the bill begins after the period";
	rc = newest_rate(d, b->amount.cur, &w.rate, e);
	if (!rc)
		rc = budget_sum_spent(&w, e);
	if (!rc && !w.broken && !w.no_rate && w.spent >= b->amount.nanos)
		rc = budget_find_passed(&w, e);
	if (!rc)
		rc = budget_sum_charges(&w, e);
	if (!rc)
		rc = rows_put_budget(&w, e);
	budget_work_done(&w);
	return rc ? err_wrap(e, "budget %s", b->name) : E_OK;
}

enum err_code derive_budgets(struct deriving *d, struct err *e)
{
	const struct settings *s = d->o->settings;
	struct billed billed = {.days = 0};
	struct q_budget_bill_since since;

	if (!s->n_budgets)
		return E_OK;
	budget_set_accuracy(d, &billed);
	if (billed_until(d, &billed.until, e) ||
		inventory_state(d, &billed.inventory, &billed.read_until, e) ||
		bill_since(d, &since, e))
		return e->code;
	billed.since = since.since;
	billed.first_account = since.accounts > 1 ? since.account : NULL;
	for (size_t i = 0; i < s->n_budgets; i++)
		if (rows_derive(d, &s->budgets[i], &billed, e))
			return e->code;
	return E_OK;
}

/* ---- ended periods -------------------------------------------------------------------------- */

#define MOST 1000 /* periods of one budget: nearly three years of days */

/* Data that all periods share. */
struct past_bill {
	bool any;
	/* the costs of a billing account, and of every one, are known from here on */
	struct opt_i64 first, since;
	struct bill_end end;
};

static enum err_code rows_put_period(struct deriving *d, const struct budget *b, ts_t now,
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

	budget_period(b, d->o->settings->tz, now, &w.f.starts, &w.f.ends);
	*ends = w.f.ends;
	rc = newest_rate(d, b->amount.cur, &w.rate, e);
	if (!rc && bill->any)
		rc = budget_sum_spent(&w, e);
	in.starts = w.f.starts;
	in.ends = w.f.ends;
	in.converted = w.converted.n > 0;
	if (bill->first.set && (in.ends > bill->first.v || w.spent) && !w.broken &&
		!w.no_rate)
		in.spent = SOME(w.spent);
	to.ends = in.ends;
	if (!rc)
		rc = q_budget_past_known_one(d->db, &to, &d->arena, &known, &found, e);
	in.known = rc ? NONE : known.until;
	/* Reads do not count beyond the end of a bill that Google no longer writes. */
	if (in.known.set && bill_end_before(&bill->end, in.ends + DAY_SECONDS) &&
		bill->end.newest + DAY_SECONDS < in.known.v)
		in.known.v = bill->end.newest + DAY_SECONDS;
	if (!rc)
		rc = derived_put_budget_past(d->db, &in, e);
	budget_work_done(&w);
	return rc;
}

static enum err_code rows_put_periods(struct deriving *d, const struct budget *b, ts_t from,
	ts_t to, const struct past_bill *bill, struct err *e)
{
	ts_t ends = from;

	if (b->per == BUDGET_CUSTOM && (b->ends <= from || b->starts >= to))
		return E_OK;
	for (size_t i = 0; ends < to; i++) {
		if (i == MOST) {
			err_set(e, E_LIMIT, "more than %d periods", MOST);
			return err_fix(
				e, "ask for a shorter time with --since and --until");
		}
		if (rows_put_period(d, b, ends, bill, &ends, e) || b->per == BUDGET_CUSTOM)
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

	if (o->since == TS_NONE && o->until == TS_NONE)
		return E_OK;
	if (q_billing_any_one(d->db, &d->arena, &any, &bill.any, e) ||
		bill_since(d, &since, e))
		return e->code;
	bill.first = since.first;
	bill.since = since.since;
	if (bill_end_find(d->db, o->settings->tz, o->now, &d->arena, &bill.end, e))
		return e->code;
	for (size_t i = 0; i < o->settings->n_budgets; i++) {
		const struct budget *b = &o->settings->budgets[i];
		/* without a begin, the period that contains the other end */
		ts_t from = o->since == TS_NONE ? to - 1 : o->since;

		if (rows_put_periods(d, b, from, to, &bill, e))
			return err_wrap(e, "budget %s", b->name);
	}
	return E_OK;
}
