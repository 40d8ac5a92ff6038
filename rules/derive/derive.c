#include "rules/derive/derive.h"

#include "base/time/civil.h"
#include "base/str.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/bill/days.h"
#include "rules/derive/internal.h"

#include <stdlib.h>
#include <string.h>

static enum err_code load_facts(struct deriving *d, struct arena *texts, struct err *e)
{
	if (facts_read(d, texts, e))
		return e->code;
	for (size_t i = 0; i < d->n_facts; i++)
		d->facts[i].quota_held = opt_narrow(quota_held(d, &d->facts[i]));
	return E_OK;
}

/* ---- rows that are computed from the facts ------------------------------------------------------ */

static const char *verdict_key(void *ctx, uint32_t number, int column)
{
	(void)column; /* the id alone */
	return ((struct deriving *)ctx)->facts[number].id;
}

static void verdict_row(void *ctx, uint32_t number, void *row)
{
	struct deriving *d = ctx;
	const struct fact *f = &d->facts[number];
	const struct cov_verdict *v = f->verdict;
	bool covered = fact_covered(f); /* free, regardless of its price */

	*(struct row_verdict *)row = (struct row_verdict){.id = f->id,
		.family = fact_family(f),
		.chips = opt_wide(f->chips),
		.held_chips = opt_wide(f->quota_held),
		.hosts = opt_wide(f->hosts),
		.vcpus = opt_wide(f->vcpus),
		.memory_mib = opt_wide(f->memory_mib),
		.running_since = opt_of_ts(f->running_since),
		.ends = f->ends,
		.price_source = price_source_name(f->price.source),
		.price_date = price_list_date(&f->price),
		.exempt = f->keep->exempt,
		.exempt_why = f->keep->why,
		.exempt_until = f->keep->exempt ? opt_of_ts(f->keep->until) : NONE,
		.covered = v && !fact_unclear(f) ? SOME(v->covered) : NONE,
		.why = v ? why_name(v->why) : NULL,
		.why_text = v ? v->text : NULL,
		.grant_name = covered ? d->o->settings->grants[v->grant].name : NULL,
		.gross = price_amount(&f->price),
		.net = covered            ? SOME(0)
			: fact_unclear(f) ? NONE
					  : price_amount(&f->price),
		.currency = price_currency(&f->price),
		.gross_24h = f->gross_24h,
		.net_24h = f->net_24h,
		.reservation = f->reserved ? f->reserved->c->name : NULL,
		.sustained_use = fact_sustained(f, &d->month)};
}

static enum err_code put_verdicts(struct deriving *d, struct err *e)
{
	static const struct db_computed by = {verdict_row, verdict_key};

	db_derived_compute(d->db, DERIVED_VERDICT, &by, d);
	for (size_t i = 0; i < d->n_facts; i++)
		if (db_derived_add(d->db, DERIVED_VERDICT, (uint32_t)i, e))
			return e->code;
	return E_OK;
}

bool fact_burn(
	const struct fact *f, const struct burn_part *part, struct row_burn_part *out)
{
	const struct price *p = fact_unclear(f) ? &price_unknown : &part->price;

	*out = (struct row_burn_part){.id = f->id,
		.category = part->category,
		.gross = price_amount(p),
		.net = fact_covered(f) ? SOME(0) : price_amount(p),
		.currency = price_currency(p)};
	return !p->known || p->nanos;
}

static const char *burn_key(void *ctx, uint32_t number, int column)
{
	const struct fact *f = &((struct deriving *)ctx)->facts[number / PARTS_MAX];

	return column ? f->parts[number % PARTS_MAX].category : f->id;
}

static void burn_row(void *ctx, uint32_t number, void *row)
{
	const struct fact *f = &((struct deriving *)ctx)->facts[number / PARTS_MAX];

	(void)fact_burn(f, &f->parts[number % PARTS_MAX], row);
}

static enum err_code put_burns(struct deriving *d, struct err *e)
{
	static const struct db_computed by = {burn_row, burn_key};
	struct row_burn_part row;

	db_derived_compute(d->db, DERIVED_BURN_PART, &by, d);
	for (size_t i = 0; i < d->n_facts; i++)
		for (size_t k = 0; k < d->facts[i].n_parts; k++)
			if (fact_burn(&d->facts[i], &d->facts[i].parts[k], &row) &&
				db_derived_add(d->db, DERIVED_BURN_PART,
					(uint32_t)(i * PARTS_MAX + k), e))
				return e->code;
	return E_OK;
}

/* One row per level of access: db/views/watch/28_access.sql. */
static enum err_code put_wanted(struct deriving *d, struct err *e)
{
	const struct settings *s = d->o->settings;
	struct row_access_wanted in = {.projects = s->watches,
		.tables = (int64_t)s->n_export_tables,
		.armed = s->enforcement && s->enforcement->mode == ENFORCE_ARMED};

	return derived_put_access_wanted(d->db, &in, e);
}

static enum err_code put_unread(struct deriving *d, struct err *e)
{
	const struct settings *s = d->o->settings;
	struct q_polled_projects *v;
	size_t n, k;

	if (q_polled_projects_all(d->db, &d->arena, &v, &n, e))
		return e->code;
	for (size_t i = 0; n && i < s->n_listed; i++) {
		for (k = 0; k < n && strcmp(v[k].project, s->listed[i]) != 0; k++)
			;
		if (k == n &&
			derived_put_unread_project(d->db,
				&(struct row_unread_project){.project = s->listed[i]}, e))
			return e->code;
	}
	return E_OK;
}

static enum err_code put_moment(struct deriving *d, struct err *e)
{
	const struct settings *s = d->o->settings;
	char today[DATE_BUF];
	struct row_as_of in = {.now = d->o->now,
		.timezone = tz_name(s->tz),
		.currency = s->currency,
		.today = date_format(tz_day(s->tz, d->o->now), today)};

	return derived_put_as_of(d->db, &in, e);
}

static enum err_code put_intervals(struct deriving *d, struct err *e)
{
	const struct settings *s = d->o->settings;

	for (size_t i = 0; i < s->n_intervals; i++) {
		struct row_poll_interval row = {.poll_group = s->intervals[i].group,
			.seconds = s->intervals[i].seconds};

		if (derived_put_poll_interval(d->db, &row, e))
			return e->code;
	}
	return E_OK;
}

static enum err_code put_known(struct deriving *d, struct err *e)
{
	return bill_known_fill(d->db, &d->arena, e);
}

static enum err_code put_categories(struct deriving *d, struct err *e)
{
	struct q_sku_list *v;
	size_t n;

	if (q_sku_list_all(d->db, &d->arena, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		struct row_sku_category in = {.sku_ref = v[i].ref,
			.category = category_of_sku(
				v[i].service_id, v[i].service, v[i].sku)};

		if (derived_put_sku_category(d->db, &in, e))
			return e->code;
	}
	return E_OK;
}

enum err_code derive_book(struct deriving *d, struct err *e)
{
	const struct settings *s = d->o->settings;

	int64_t rate;

	price_book_init(&d->book, s->prices, s->n_prices);
	account_prices_open(&d->account, d->db, s->currency, &d->book);
	d->book.currency = s->currency;
	d->book.rates = &d->rates;
	return newest_rate(d, s->currency, &rate, e);
}

enum err_code derive_load(struct deriving *d, struct err *e)
{
	return derive_book(d, e) ? e->code : load_facts(d, &d->arena, e);
}

/* Data that only derivations read. */
static void derive_drop(struct deriving *d)
{
	account_prices_done(&d->account);
	billed_until_done(d->until);
	d->until = NULL;
	arena_done(&d->temp);
	arena_done(&d->spent);
	arena_done(&d->arena);
}

void derive_done(struct deriving *d)
{
	derive_drop(d);
	free(d->facts);
	arena_done(&d->brief);
	arena_done(&d->kept);
}

/* Existing resources, their costs, and their coverage. */
static enum err_code load_things(struct deriving *d, struct err *e)
{
	struct arena texts = {0};
	enum err_code rc = load_facts(d, &texts, e);

	db_derived_share(d->db, &texts);
	if (rc)
		return rc;
	derive_prices(d);
	derive_verdicts(d);
	return E_OK;
}

/* ---- parts ------------------------------------------------------------------------------------- */

/* The first ones prepare data in memory for the tables. */
enum {
	PRICES,
	THINGS,
	HISTORY,
	LATELY,
	SIGNALS,
	HELD,
	ADVISED,
	ERRORS,
	COMMITMENTS,
	CHARGES,
	IN_MEMORY
};
#define USES(part) (UINT64_C(1) << (part))
#define TABLES_MAX 3
#define COSTS (USES(PRICES) | USES(THINGS) | USES(HISTORY) | USES(LATELY))

/* In order: each part reads only tables of earlier parts; those in memory are prepared on first
 * use. */
static const struct {
	const char *tables[TABLES_MAX]; /* that it fills; in memory: its name in errors */
	derive_fn *fill;
	uint64_t uses; /* parts in memory that it uses */
} parts[] = {
	[PRICES] = {{"the price list"}, derive_book, 0},
	[THINGS] = {{"the resources"}, load_things, USES(PRICES)},
	[HISTORY] = {{"the history"}, derive_history, USES(PRICES)},
	[LATELY] = {{"burned_part"}, derive_past, USES(THINGS) | USES(HISTORY)},
	[SIGNALS] = {{"the signals"}, derive_signals, USES(THINGS)},
	[HELD] = {{"the holds"}, derive_held, USES(THINGS)},
	[ADVISED] = {{"the advised stops"}, derive_advised,
		USES(THINGS) | USES(SIGNALS) | USES(HELD)},
	[ERRORS] = {{"the estimate errors"}, derive_errors, COSTS},
	[COMMITMENTS] = {{"the commitments"}, derive_commitments,
		USES(PRICES) | USES(THINGS)},
	[CHARGES] = {{"the charges"}, derive_charges,
		COSTS | USES(ADVISED) | USES(COMMITMENTS)},
	{{"as_of"}, put_moment, 0},
	{{"poll_interval"}, put_intervals, 0},
	{{"access_wanted"}, put_wanted, 0},
	{{"unread_project"}, put_unread, 0},
	{{"account_known"}, put_known, 0},
	{{"sku_category"}, put_categories, 0},
	{{"verdict"}, put_verdicts, COSTS | USES(COMMITMENTS)},
	{{"commitment_state"}, derive_commitment_rows, USES(COMMITMENTS)},
	{{"burn_part"}, put_burns, USES(THINGS)},
	{{"grant_state"}, derive_grants, USES(THINGS) | USES(HISTORY)},
	{{"coverage_part"}, derive_stretches, COSTS},
	{{"window_span", "window_thing", "window_part"}, derive_window, COSTS},
	{{"grant_end", "grant_end_part"}, derive_ends, USES(THINGS)},
	{{"grant_note", "quota_state", "quota_hold"}, derive_quotas, USES(THINGS)},
	{{"capacity_state"}, derive_capacity, 0},
	{{"activity", "egress_part"}, derive_activity, USES(THINGS) | USES(SIGNALS)},
	{{"credit_state", "credit_part"}, derive_credits, USES(CHARGES)},
	{{"credit_project"}, derive_credit_projects, 0},
	/* the currency of a free resource is that of its recent cost */
	{{"belonging", "residual"}, derive_belongings, COSTS},
	{{"reconcile_part"}, derive_reconcile, USES(HISTORY)},
	{{"estimate_error"}, derive_error_rows, USES(ERRORS)},
	{{"advised_stop"}, derive_advised_rows, USES(THINGS) | USES(ADVISED)},
	{{"charge_part"}, derive_charge_rows, USES(CHARGES)},
	{{"budget_state", "budget_part"}, derive_budgets, USES(CHARGES) | USES(ERRORS)},
	{{"budget_past"}, derive_budget_periods, 0},
};
_Static_assert(ARRAY_LEN(parts) <= 64, "done is 64 bits");

static enum err_code fill_part(struct deriving *d, size_t i, struct err *e)
{
	if (d->begun & USES(i))
		return E_OK;
	for (size_t k = 0; k < IN_MEMORY; k++)
		if (parts[i].uses & USES(k) && fill_part(d, k, e))
			return e->code;
	if (parts[i].uses & ~d->done)
		return err_set(
			e, E_BUG, "%s is read before it is derived", parts[i].tables[0]);
	d->begun |= USES(i);
	if (parts[i].fill(d, e) || account_prices_check(&d->account, e))
		return e->code;
	d->done |= USES(i);
	return E_OK;
}

/* ---- deriving on read -------------------------------------------------------------------------- */

struct derivation {
	struct deriving d;
	struct derive_opts o;
	struct err failed; /* after a failure half way, nothing more is derived */
	size_t depth;      /* tables that are being filled: they can read others */
};

#define MANY_FACTS 20000 /* tables of them leave tens of MiB behind */

static bool fills(const char *const tables[TABLES_MAX], const char *table)
{
	for (size_t i = 0; i < TABLES_MAX && tables[i]; i++)
		if (!strcmp(tables[i], table))
			return true;
	return false;
}

static enum err_code fill_table(void *ctx, const char *table, struct err *e)
{
	struct derivation *x = ctx;
	enum err_code rc;
	size_t i = 0;

	while (i < ARRAY_LEN(parts) && !fills(parts[i].tables, table))
		i++;
	if (i == ARRAY_LEN(parts))
		return err_set(e, E_BUG, "nothing derives %s", table);
	if (x->failed.code) {
		*e = x->failed;
		return e->code;
	}
	x->depth++;
	rc = fill_part(&x->d, i, e);
	if (!--x->depth) {
		arena_done(&x->d.temp);
		if (x->d.n_facts > MANY_FACTS)
			mem_trim();
	}
	if (!rc)
		return E_OK;
	err_wrap(e, "derive");
	x->failed = *e;
	return rc;
}

static void derivation_done(void *ctx)
{
	struct derivation *x = ctx;

	derive_done(&x->d);
	free(x);
}

static enum err_code derivation_begin(
	struct db *db, const struct derive_opts *o, struct derivation **out, struct err *e)
{
	struct derivation *x = xcalloc(1, sizeof(*x));

	x->o = *o;
	x->d.db = db;
	x->d.o = &x->o;
	*out = x;
	return db_fill_derived(db, fill_table, derivation_done, x, e);
}

enum err_code derive_begin(struct db *db, const struct derive_opts *o, struct err *e)
{
	struct derivation *x;

	return derivation_begin(db, o, &x, e);
}

enum err_code derive(struct db *db, const struct derive_opts *o, struct err *e)
{
	struct derivation *x;

	mem_trim(); /* memory of the polls */
	/* only budgets with a condition read all charges */
	if (derivation_begin(db, o, &x, e) ||
		db_derived_all(db, "charge_part,reconcile_part", e))
		return e->code;
	db_derived_forget(db, DERIVED_CHARGE_PART); /* a budget may have read it */
	arena_done(&x->d.spent);
	mem_trim();
	if (db_derived_all(db, "charge_part", e))
		return e->code;
	(void)err_set(&x->failed, E_BUG, "all tables are derived already");
	derive_drop(&x->d);
	mem_trim();
	return E_OK;
}
