/* Budgets: what is billed and what runs, brought together for rules/budget.c. */
#include "rules/derive_budget.h"

#include "base/civil.h"
#include "db_sql.h"

static enum err_code load_billed(struct deriving *d, struct billed *out, struct err *e)
{
	struct q_billed_until_in in = {d->o->now - BUDGET_LAG_MAX - HOUR_SECONDS};
	struct q_billed_projects known;
	struct q_billed_until q;
	struct q_billing_any any;
	struct db_rows rows;
	size_t cap = 0;

	if (q_billing_any_one(d->db, &d->arena, &any, &out->bill, e) ||
		q_billed_projects_open(d->db, &rows, e))
		return e->code;
	while (q_billed_projects_next(&rows, &known)) {
		out->v = arena_grow(&d->arena, out->v, out->n, &cap, sizeof(*out->v));
		strmap_put(&out->by_name, known.project, out->n);
		out->v[out->n++] = TS_NONE;
	}
	if (db_rows_close(&rows, e) || q_billed_until_open(d->db, &in, &rows, e))
		return e->code;
	while (q_billed_until_next(&rows, &q)) {
		size_t *at = strmap_get(&out->by_name, q.project);

		if (at)
			out->v[*at] = q.until;
	}
	return db_rows_close(&rows, e);
}

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

static ts_t billed_until(const struct budget_work *w, const struct budget_project *p)
{
	size_t *at = strmap_get(&w->billed->by_name, p->name);

	/* What was never billed burned nothing before it began. */
	return at ? w->billed->v[*at] : p->oldest;
}

/* What burns in one currency. False when the sum does not fit. */
static bool burn_in(struct budget_work *w, const struct budget_project *p, size_t currency,
	struct budget_burn *out)
{
	ts_t until = w->f.now < w->f.ends ? w->f.now : w->f.ends;

	for (size_t i = 0; i < p->n; i++) {
		const struct live_part *part = &p->parts[i];
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

/* The rate of a project in the budget's currency: each currency rounded once. */
static void burn_of(
	struct budget_work *w, const struct budget_project *p, struct budget_burn *out)
{
	ts_t from = budget_unbilled_from(&w->f, billed_until(w, p));

	*out = (struct budget_burn){.from = from};
	for (size_t i = 0; i < w->n_live; i++) {
		struct budget_burn one = {.from = from};
		int64_t per_hour, kept, rate = w->live[i].rate;
		const char *cur = w->live[i].cur;

		if (!burn_in(w, p, i, &one)) {
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

static enum err_code put_parts(
	struct budget_work *w, const struct budget_burn *burns, struct err *e)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct budget_project *p = &w->projects[i];
		struct q_budget_part_put_in in = {.name = w->b->name,
			.project = p->name,
			.spent = p->spent,
			.currency = w->b->amount.cur};
		size_t *at = strmap_get(&w->billed->by_name, p->name);
		ts_t until = w->f.now < w->f.ends ? w->f.now : w->f.ends;

		if (at && w->billed->v[*at] != TS_NONE)
			in.billed_until = SOME(w->billed->v[*at]);
		if (burns && p->n) {
			in.unbilled_from = SOME(burns[i].from);
			in.per_hour = SOME(burns[i].per_hour);
			if (nanos_muldiv(burns[i].per_hour,
				    until > burns[i].from ? until - burns[i].from : 0,
				    HOUR_SECONDS, &in.unbilled.v))
				in.unbilled.set = true;
		}
		if (q_budget_part_put(w->d->db, &in, e))
			return e->code;
	}
	return E_OK;
}

static void fill_row(const struct budget_work *w, const struct budget_figures *g,
	struct q_budget_put_in *in)
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

static enum err_code put_budget(struct budget_work *w, struct err *e)
{
	struct budget_burn *burns = arena_alloc(&w->d->arena, (w->n + 1) * sizeof(*burns));
	struct q_budget_put_in in = {.name = w->b->name,
		.period = budget_per_name(w->b->per),
		.starts = w->f.starts,
		.ends = w->f.ends,
		.amount = w->b->amount.nanos,
		.currency = w->b->amount.cur};
	struct budget_figures g;

	for (size_t i = 0; i < w->n; i++)
		burn_of(w, &w->projects[i], &burns[i]);
	in.converted = w->converted != NULL;
	w->f.burns = burns;
	w->f.n = w->n;
	if (!w->broken && !w->no_rate && w->billed->bill)
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
	if (q_budget_put(w->d->db, &in, e))
		return e->code;
	return w->broken || w->no_rate ? E_OK : put_parts(w, burns, e);
}

static enum err_code derive_one(struct deriving *d, const struct budget *b,
	const struct billed *billed, struct err *e)
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
		rc = put_budget(&w, e);
	strmap_done(&w.by_name);
	strmap_done(&w.sum_of);
	return rc ? err_wrap(e, "budget %s", b->name) : E_OK;
}

enum err_code derive_budgets(struct deriving *d, struct err *e)
{
	const struct settings *s = d->o->settings;
	struct billed billed = {0};
	enum err_code rc = E_OK;

	if (q_budget_clear(d->db, e) || q_budget_part_clear(d->db, e) ||
		q_advised_clear(d->db, e))
		return e->code;
	if (!s->n_budgets)
		return E_OK;
	if (q_advised_fill(d->db, e) || load_billed(d, &billed, e) ||
		load_inventory(d, &billed, e) || budget_accuracy(d, &billed.accuracy, e))
		rc = e->code;
	for (size_t i = 0; !rc && i < s->n_budgets; i++)
		rc = derive_one(d, &s->budgets[i], &billed, e);
	strmap_done(&billed.by_name);
	return rc;
}
