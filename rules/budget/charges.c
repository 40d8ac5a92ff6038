/* Costs that are not on the bill yet: what ran since, from the recorded history, and what runs now.
 *
 * A VM at 2 USD an hour, billed until 06:00, was stopped at 09:00. At 12:00 its unbilled cost is
 * 2 x 3 h = 6 USD, the same as at 09:00, and it adds nothing to the forecast. */
#include "base/str.h"
#include "rules/budget/internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- charges of all budgets --------------------------------------------------------------------- */

static struct row_charge_part charges_of_fact(const struct fact *f, size_t part)
{
	const struct q_commitments *by = f->reserved ? f->reserved->c : NULL;
	struct opt_i64 ends = f->ends;
	struct row_burn_part b;

	(void)fact_burn(f, &f->parts[part], &b);
	/* Stopping it leaves an unused reservation, which costs as much. */
	if (by &&
		(str_eq(by->kind, "calendar") || !by->ends.set ||
			(ends.set && ends.v < by->ends.v)))
		ends = by->ends;
	return (struct row_charge_part){.id = f->id,
		.kind = f->kind,
		.project = f->project,
		.location = f->location,
		.region = f->region,
		.zone = f->zone,
		.name = f->name,
		.category = b.category,
		.gross = b.gross,
		.net = b.net,
		.currency = b.currency,
		.ends = ends,
		.advised = f->advised && !by};
}

static struct row_charge_part charges_of_usage(
	const struct deriving *d, const struct usage *u)
{
	const struct named *of = u->of;
	const struct price *p = &u->part->price;

	return (struct row_charge_part){.id = of->id,
		.kind = of->kind,
		.project = of->project,
		.location = of->location,
		.region = of->region ? of->region : of->location,
		.zone = of->zone,
		.name = of->name,
		.category = u->part->category,
		.gross = price_amount(p),
		.net = price_amount(p),
		.currency = price_currency(p),
		.starts = SOME(u->starts),
		.ends = SOME(u->open ? d->o->now : u->ends)};
}

/* Without the grant, at the full price. */
static struct row_charge_part charges_of_lapse(const struct lapse *l, size_t part)
{
	struct row_charge_part r = charges_of_fact(l->fact, part);

	r.net = r.gross;
	r.begins = SOME(l->begins);
	if (l->ends != TS_NONE && (!r.ends.set || l->ends < r.ends.v))
		r.ends = SOME(l->ends);
	return r;
}

struct row_charge_part charge_row(const struct deriving *d, const struct charge *c)
{
	struct row_charge_part r = {0};

	switch (c->is) {
	case CHARGE_FACT:
		r = charges_of_fact(c->fact, c->part);
		break;
	case CHARGE_USAGE:
		r = charges_of_usage(d, c->usage);
		break;
	case CHARGE_LAPSE:
		r = charges_of_lapse(c->lapse, c->part);
		break;
	case CHARGE_RESERVED:
		r = *c->reserved;
	}
	r.billed = opt_of_ts(billed_service_until(d->until, r.project, r.category));
	return r;
}

struct charge_key {
	const char *project, *id, *category;
	ts_t starts;
};

static struct charge_key charge_key_of(const struct charge *c)
{
	const struct fact *f = c->is == CHARGE_LAPSE ? c->lapse->fact : c->fact;
	const struct usage *u = c->usage;
	const struct row_charge_part *r = c->reserved;

	switch (c->is) {
	case CHARGE_FACT:
		return (struct charge_key){
			f->project, f->id, f->parts[c->part].category, 0};
	case CHARGE_LAPSE:
		return (struct charge_key){
			f->project, f->id, f->parts[c->part].category, c->lapse->begins};
	case CHARGE_USAGE:
		return (struct charge_key){
			u->of->project, u->of->id, u->part->category, u->starts};
	case CHARGE_RESERVED:
		break;
	}
	return (struct charge_key){r->project, r->id, r->category, 0};
}

static int charges_by_project(const void *pa, const void *pb)
{
	struct charge_key a = charge_key_of(pa), b = charge_key_of(pb);
	int order = strcmp(a.project, b.project);

	if (!order)
		order = strcmp(a.id, b.id);
	if (!order)
		order = strcmp(a.category, b.category);
	return order ? order : i64_order(a.starts, b.starts);
}

/* The parts of a TPU that its grant makes free. */
static void charges_add_lapse(struct deriving *d, const struct lapse *l)
{
	struct lapse *kept = arena_new(&d->spent, struct lapse);
	struct row_burn_part b;

	*kept = *l;
	for (size_t i = 0; i < l->fact->n_parts; i++)
		if (fact_burn(l->fact, &l->fact->parts[i], &b) && b.net.set && !b.net.v &&
			(!b.gross.set || b.gross.v))
			*arena_push(&d->spent, &d->charges) = (struct charge){
				.is = CHARGE_LAPSE, .lapse = kept, .part = i & 0xff};
}

/* Coverage of what runs now until it changes no longer. Today a grant covers a TPU of 5 USD an hour, and
 * it ends on the 28th: from then on, a budget of the month has another 5 USD an hour. */
static void charges_add_lapses(struct deriving *d)
{
	const struct settings *s = d->o->settings;
	ts_t now = d->o->now, last = now;
	const struct cov_row *rows;
	struct cov_input in;
	size_t n;

	for (size_t i = 0; i < s->n_grants; i++) {
		if (s->grants[i].until != TS_NONE && s->grants[i].until > last)
			last = s->grants[i].until;
		if (s->grants[i].starts != TS_NONE && s->grants[i].starts > last)
			last = s->grants[i].starts;
	}
	derive_running(d, &in);
	in.wordless = true;
	rows = coverage_sweep(&in, now, last + 1, &d->temp, &n);
	for (size_t i = 0; last > now && i < n; i++) {
		const struct fact *f = fact_find(d, in.nodes[rows[i].node].id);

		if (rows[i].starts > now && !rows[i].covered &&
			rows[i].why != WHY_PROVISIONING_UNKNOWN && f->verdict->covered &&
			(!f->ends.set || f->ends.v > rows[i].starts))
			charges_add_lapse(d,
				&(struct lapse){f, rows[i].starts,
					rows[i].ends > last ? TS_NONE : rows[i].ends});
	}
}

enum err_code derive_charges(struct deriving *d, struct err *e)
{
	struct row_charge_part reserved, *kept;
	const struct billed_until *until;
	struct row_burn_part b;

	if (billed_until(d, &until, e))
		return e->code;
	for (size_t i = 0; i < d->n_commitments; i++) {
		if (!commitment_charge(d, &d->commitments[i], &reserved))
			continue;
		kept = arena_new(&d->spent, struct row_charge_part);
		*kept = reserved;
		*arena_push(&d->spent, &d->charges) = (struct charge){
			.is = CHARGE_RESERVED, .reserved = kept};
	}
	for (size_t i = 0; i < d->n_facts; i++)
		for (size_t k = 0; k < d->facts[i].n_parts; k++)
			if (fact_burn(&d->facts[i], &d->facts[i].parts[k], &b))
				*arena_push(&d->spent, &d->charges) = (struct charge){
					.fact = &d->facts[i], .part = k & 0xff};
	charges_add_lapses(d);
	for (size_t i = 0; i < d->usage.n; i++) {
		const struct usage *u = &d->usage.v[i];
		ts_t billed = billed_service_until(
			until, u->of->project, u->part->category);

		if (u->open || (u->ends > d->o->now - BUDGET_LAG_MAX && u->ends > billed))
			*arena_push(&d->spent, &d->charges) = (struct charge){
				.is = CHARGE_USAGE, .usage = u};
	}
	if (d->charges.n)
		qsort(d->charges.v, d->charges.n, sizeof(*d->charges.v),
			charges_by_project);
	return E_OK;
}

static const char *charge_key(void *ctx, uint32_t number, int column)
{
	(void)column; /* the id alone */
	return charge_key_of(&((struct deriving *)ctx)->charges.v[number]).id;
}

static void charge_compute(void *ctx, uint32_t number, void *row)
{
	const struct deriving *d = ctx;

	*(struct row_charge_part *)row = charge_row(d, &d->charges.v[number]);
}

enum err_code derive_charge_rows(struct deriving *d, struct err *e)
{
	static const struct db_computed by = {charge_compute, charge_key};

	db_derived_compute(d->db, DERIVED_CHARGE_PART, &by, d);
	for (size_t i = 0; i < d->charges.n; i++)
		if (db_derived_add(d->db, DERIVED_CHARGE_PART, (uint32_t)i, e))
			return e->code;
	return E_OK;
}

/* ---- charges of one budget ---------------------------------------------------------------------- */

/* Charges of one resource follow each other: is this the first of those that count here? */
static bool budget_another(struct sbuf *last, const char *id)
{
	if (str_eq(last->s, id))
		return false;
	sbuf_reset(last);
	sbuf_adds(last, id);
	return true;
}

/* `holds` is the result of the condition; absent: only a bill can decide. Covered resources cost
 * nothing, even without a price. */
static void budget_add_charge(
	struct budget_work *w, const struct row_charge_part *c, struct opt_i64 holds)
{
	ts_t until = w->f.now < w->f.ends ? w->f.now : w->f.ends;
	ts_t billed = c->billed.set ? c->billed.v : TS_NONE;
	ts_t unbilled = budget_unbilled_from(&w->f, billed), from = unbilled;
	bool live = !c->starts.set;
	struct budget_project *p;
	int64_t per_hour, rate = 0;
	size_t at;

	if (c->starts.v > from)
		from = c->starts.v;
	if (!live && c->ends.v < until)
		until = c->ends.v;
	if (live ? w->f.ends <= w->f.now || (c->begins.set && c->begins.v >= w->f.ends)
		 : from >= until)
		return;
	if (!holds.set)
		w->undecided += budget_another(&w->last_undecided, c->id);
	if (!holds.set || !holds.v)
		return;
	at = budget_project_of(w, c->project);
	p = &w->projects.v[at];
	p->counts = true;
	p->from = unbilled < p->from ? unbilled : p->from;
	p->billed = billed < p->billed ? billed : p->billed;
	if (str_eq(c->kind, "reservation"))
		w->reservations++;
	else if (live)
		w->resources += budget_another(&w->last_id, c->id);
	if (live && c->begins.set && !str_eq(c->kind, "reservation"))
		w->lapsing += budget_another(&w->last_lapsing, c->id);
	if (!c->currency && !c->net.set)
		w->unpriced += budget_another(&w->last_unpriced, c->id);
	else if (!c->net.set)
		w->unused_unknown++;
	if (!c->net.v)
		return;
	if (newest_rate(w->d, c->currency, &rate, &w->failed))
		rate = 0;
	if (!budget_exchange(w, c->net.v, c->currency, rate, &per_hour)) {
		w->no_rate = arena_strdup(&w->d->arena, c->currency);
	} else if (!live) {
		*arena_append(&w->d->temp, w->runs, w->f.n,
			w->cap_runs) = (struct budget_run){per_hour, from, until};
		w->f.runs = w->runs;
		p->work += (__int128)per_hour * (until - from);
	} else if ((!c->begins.set && !nanos_add(p->per_hour, per_hour, &p->per_hour)) ||
		!burn_add(&w->f.burn, per_hour, c->begins, c->ends, &w->d->arena) ||
		(!c->advised &&
			!burn_add(
				&w->f.kept, per_hour, c->begins, c->ends, &w->d->arena))) {
		w->broken = budget_too_large;
	}
}

static struct opt_i64 budget_number(const struct db_cursor *c, int column)
{
	return db_cursor_type(c, column) == DB_NULL ? NONE : SOME(db_cursor_i64(c, column));
}

static void budget_add_row(struct budget_work *w, const struct db_cursor *c)
{
	const struct row_charge_part charge = {.project = db_cursor_text(c, 0),
		.id = db_cursor_text(c, 1),
		.currency = db_cursor_type(c, 2) == DB_NULL ? NULL : db_cursor_text(c, 2),
		.net = budget_number(c, 3),
		.starts = budget_number(c, 4),
		.ends = budget_number(c, 5),
		.advised = db_cursor_i64(c, 6) != 0,
		.begins = budget_number(c, 7),
		.kind = db_cursor_text(c, 8),
		.billed = budget_number(c, 9)};

	budget_add_charge(w, &charge, budget_number(c, 10));
}

enum err_code budget_sum_charges(struct budget_work *w, struct err *e)
{
	const char *where = budget_where(w);

	if (w->b->where &&
		budget_select(w,
			arena_printf(&w->d->arena,
				"SELECT project, id, currency, net_n, starts_n, ends_n, "
				"advised, begins_n, kind, billed_n, CASE WHEN %s THEN 1 "
				"WHEN NOT %s "
				"THEN 0 END "
				"FROM charges_exact costs ORDER BY project, id",
				where, where),
			budget_add_row, e))
		return e->code;
	for (size_t i = 0; !w->b->where && i < w->d->charges.n; i++) {
		const struct row_charge_part c = charge_row(w->d, &w->d->charges.v[i]);

		budget_add_charge(w, &c, SOME(1));
	}
	if (w->failed.code)
		*e = w->failed;
	return w->failed.code;
}
