/* Budgets: what is billed and what runs, brought together for rules/budget/budget.c. */
#include "rules/derive/budget.h"

#include "base/time/civil.h"
#include "db_sql.h"

#include <stdlib.h>

/* Without any poll and without anything that runs, nobody looked: a bill that was imported. */
static enum err_code load_inventory(struct deriving *d, struct billed *out, struct err *e)
{
	struct q_freshness_in in = {.billing = ""};
	struct q_freshness row;
	bool found, any;
	struct q_resource_any one;

	if (q_freshness_one(d->db, &in, &d->arena, &row, &found, e) ||
		q_resource_any_one(d->db, &d->arena, &one, &any, e))
		return e->code;
	out->read_until = row.oldest.set ? row.oldest.v : 0;
	if (!row.polled)
		out->inventory = any ? INVENTORY_READ : INVENTORY_NEVER;
	else if (row.stale)
		out->inventory = out->read_until ? INVENTORY_OLD : INVENTORY_PARTLY;
	return E_OK;
}

/* There may be more than what the figures say. */
static bool lower_bound(const struct budget_work *w)
{
	return w->unpriced || w->undecided || w->billed->inventory >= INVENTORY_PARTLY;
}

/* What burns in one currency. False when the sum does not fit. */
static bool burn_in(struct budget_work *w, const struct live_part *parts, size_t n,
	size_t currency, struct budget_burn *out)
{
	ts_t until = w->f.now < w->f.ends ? w->f.now : w->f.ends;

	for (size_t i = 0; i < n; i++) {
		const struct live_part *part = &parts[i];
		ts_t from = part->since > out->from ? part->since : out->from;

		if (part->currency != currency)
			continue;
		if (!nanos_add(out->per_hour, part->per_hour, &out->per_hour))
			return false;
		if (!part->advised)
			out->kept += part->per_hour;
		if (until > from)
			out->at_least += (__int128)part->per_hour * (until - from);
		w->late += part->since > out->from;
	}
	return true;
}

/* The rate of these parts in the budget's currency: each currency rounded once. */
static void burn_of(struct budget_work *w, const struct live_part *parts, size_t n,
	ts_t from, struct budget_burn *out)
{
	*out = (struct budget_burn){.from = from};
	for (size_t i = 0; i < w->n_live; i++) {
		struct budget_burn one = {.from = from};
		int64_t per_hour, kept, rate = w->live[i].rate;
		const char *cur = w->live[i].cur;

		if (!burn_in(w, parts, n, i, &one)) {
			w->broken = budget_too_large;
			return;
		}
		if (!budget_exchange(w, one.per_hour, cur, rate, &per_hour) ||
			!budget_exchange(w, one.kept, cur, rate, &kept)) {
			w->no_rate = cur;
			return;
		}
		if (!nanos_add(out->per_hour, per_hour, &out->per_hour))
			w->broken = budget_too_large;
		out->kept += kept;
		if (one.per_hour) /* the same seconds, at the converted rate */
			out->at_least += one.at_least / one.per_hour * per_hour +
				one.at_least % one.per_hour * per_hour / one.per_hour;
	}
}

static int by_since(const void *pa, const void *pb)
{
	const struct live_part *a = pa, *b = pb;

	return (a->since > b->since) - (a->since < b->since);
}

static void add_burn(struct budget_work *w, struct burn_list *l,
	const struct live_part *parts, size_t n, ts_t from)
{
	l->v = arena_grow(&w->d->arena, l->v, l->n, &l->cap, sizeof(*l->v));
	burn_of(w, parts, n, from, &l->v[l->n++]);
}

/* One burn since its newest billed usage. What was never billed burned nothing before it began: one
 * for each moment at which something did. */
static void burns_of(struct budget_work *w, struct budget_project *p, struct burn_list *l)
{
	size_t *at = strmap_get(&w->billed->until->by_name, p->name);

	p->first_burn = l->n;
	if (at) {
		add_burn(w, l, p->parts, p->n,
			budget_unbilled_from(&w->f, w->billed->until->v[*at]));
	} else if (p->n) {
		qsort(p->parts, p->n, sizeof(*p->parts), by_since);
		for (size_t i = 0, end; i < p->n; i = end) {
			for (end = i + 1;
				end < p->n && p->parts[end].since == p->parts[i].since;)
				end++;
			add_burn(w, l, &p->parts[i], end - i,
				budget_unbilled_from(&w->f, p->parts[i].since));
		}
	}
	p->n_burns = l->n - p->first_burn;
}

/* What the project's burns are together. */
static void put_burns(const struct budget_work *w, const struct budget_project *p,
	struct row_budget_part *in)
{
	ts_t until = w->f.now < w->f.ends ? w->f.now : w->f.ends;
	const struct budget_burn *burns = &w->f.burns[p->first_burn];
	__int128 work = 0;

	in->unbilled_from = SOME(burns[0].from);
	in->per_hour = SOME(0);
	for (size_t i = 0; i < p->n_burns; i++) {
		/* fits, as the sum of all projects did */
		in->per_hour.v += burns[i].per_hour;
		if (until > burns[i].from)
			work += (__int128)burns[i].per_hour * (until - burns[i].from);
	}
	in->unbilled.set = i128_div_round(work, HOUR_SECONDS, &in->unbilled.v);
}

static void keep_parts(struct budget_work *w, struct budget_row *row)
{
	row->parts = arena_alloc(&w->d->arena, (w->n + 1) * sizeof(*row->parts));
	for (size_t i = 0; i < w->n; i++) {
		const struct budget_project *p = &w->projects[i];
		struct row_budget_part in = {.name = w->b->name,
			.project = p->name,
			.spent = p->spent,
			.currency = w->b->amount.cur};
		size_t *at = strmap_get(&w->billed->until->by_name, p->name);

		if (at && w->billed->until->v[*at] != TS_NONE)
			in.billed_until = SOME(w->billed->until->v[*at]);
		if (p->n)
			put_burns(w, p, &in);
		row->parts[row->n++] = in;
	}
}

static void fill_row(const struct budget_work *w, const struct budget_figures *g,
	struct row_budget_state *in)
{
	in->unbilled = SOME(g->unbilled);
	in->expected = SOME(g->expected);
	in->forecast = SOME(g->forecast);
	in->forecast_if_stopped = SOME(g->forecast_if_stopped);
	in->forecast_low = g->forecast_low;
	/* What has no price, or was never read, may cost anything. */
	in->forecast_high = lower_bound(w) ? NONE : g->forecast_high;
	in->reached = g->reached;
	in->forecast_reached = g->forecast_reached;
	in->runs_out = g->runs_out;
	in->runs_out_if_stopped = g->runs_out_if_stopped;
	in->safe_per_day = g->safe_per_day;
}

static void keep_budget(struct budget_work *w, struct budget_row *row)
{
	struct burn_list burns = {0};
	struct row_budget_state in = {.name = w->b->name,
		.period = budget_per_name(w->b->per),
		.starts = w->f.starts,
		.ends = w->f.ends,
		.amount = w->b->amount.nanos,
		.currency = w->b->amount.cur,
		.condition = w->b->where};
	struct budget_figures g;

	for (size_t i = 0; i < w->n; i++)
		burns_of(w, &w->projects[i], &burns);
	in.converted = w->converted != NULL;
	w->f.burns = burns.v;
	w->f.n = burns.n;
	if (!w->broken && !w->no_rate && w->billed->until->bill)
		w->f.spent = SOME(w->spent);
	if (!w->broken)
		in.unpriced = SOME((int64_t)w->unpriced);
	in.spent = w->f.spent;
	if (!w->broken && !w->no_rate) {
		if (!budget_figures(&w->f, &g))
			w->broken = budget_too_large;
		else
			fill_row(w, &g, &in);
	}
	in.basis = budget_basis(w);
	row->state = in;
	if (!w->broken && !w->no_rate)
		keep_parts(w, row);
}

static enum err_code derive_one(struct deriving *d, const struct budget *b,
	const struct billed *billed, struct budget_row *row, struct err *e)
{
	struct budget_work w = {.d = d, .b = b, .billed = billed};
	enum err_code rc;

	w.f = (struct budget_facts){.budget = b,
		.now = d->o->now,
		.error = SOME(billed->accuracy.days ? billed->accuracy.worst
						    : BUDGET_ERROR_ASSUMED)};
	budget_period(b, d->o->settings->tz, d->o->now, &w.f.starts, &w.f.ends);
	rc = newest_rate(d, b->amount.cur, &w.rate, e);
	if (!rc)
		rc = budget_sum_spent(&w, e);
	if (!rc && !w.broken && !w.no_rate && w.spent >= b->amount.nanos)
		rc = budget_find_passed(&w, e);
	if (!rc)
		rc = budget_sum_live(&w, e);
	if (!rc)
		keep_budget(&w, row);
	strmap_done(&w.by_name);
	strmap_done(&w.sum_of);
	return rc ? err_wrap(e, "budget %s", b->name) : E_OK;
}

enum err_code derive_budgets(struct deriving *d, struct err *e)
{
	const struct settings *s = d->o->settings;
	struct billed billed = {.accuracy = budget_accuracy(d->errors, d->n_errors)};

	if (!s->n_budgets)
		return E_OK;
	if (billed_until(d, &billed.until, e) || load_inventory(d, &billed, e))
		return e->code;
	d->budgets = arena_alloc(&d->arena, s->n_budgets * sizeof(*d->budgets));
	for (size_t i = 0; i < s->n_budgets; i++)
		if (derive_one(d, &s->budgets[i], &billed, &d->budgets[d->n_budgets++], e))
			return e->code;
	return E_OK;
}

enum err_code derive_budget_rows(struct deriving *d, struct err *e)
{
	for (size_t i = 0; i < d->n_budgets; i++)
		if (derived_put_budget_state(d->db, &d->budgets[i].state, e))
			return e->code;
	return E_OK;
}

enum err_code derive_budget_part_rows(struct deriving *d, struct err *e)
{
	for (size_t i = 0; i < d->n_budgets; i++)
		for (size_t k = 0; k < d->budgets[i].n; k++)
			if (derived_put_budget_part(d->db, &d->budgets[i].parts[k], e))
				return e->code;
	return E_OK;
}
