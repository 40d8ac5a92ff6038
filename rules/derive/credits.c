/* Promotional credits: amount used, amount left, and when they run out. */
#include "base/time/civil.h"
#include "base/money.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/budget/budget.h"
#include "rules/bill/credit_share.h"
#include "rules/derive/internal.h"

#include <string.h>

#define TEN_YEARS (INT64_C(3653) * 86400)

/* ---- used amount --------------------------------------------------------------------------- */

/* A credit without another at the same time paid every promotion. Sums of days are kept; only the
 * hours before the first whole day and after the last one are summed again. */
static enum err_code credits_share_alone(struct deriving *d, const struct credit *c,
	struct credit_share *share, struct err *e)
{
	struct whole_days w = whole_days(d->o->settings->tz, c->starts, c->expires);
	struct q_promo_by_rate_in in = {.starts = c->starts,
		.from = w.from,
		.first = w.first,
		.end = w.end,
		.until = w.until,
		.ends = c->expires};
	struct q_promo_by_rate *v;
	size_t n;

	if (q_promo_by_rate_all(d->db, &in, &d->arena, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		struct promo *p = credit_share_of(
			share, v[i].currency, v[i].rate, &d->arena);

		if (!nanos_add(p->promo, v[i].promo, &p->promo))
			return err_set(e, E_OVERFLOW, "promotions in %s", v[i].currency);
	}
	return E_OK;
}

static enum err_code credits_share_hours(
	struct deriving *d, struct credit_share *shares, struct err *e)
{
	const struct settings *s = d->o->settings;
	struct q_promo_by_hour q;
	struct db_rows rows;

	if (q_promo_by_hour_open(d->db, &rows, e))
		return e->code;
	while (q_promo_by_hour_next(&rows, &q)) {
		struct promo p = {.currency = q.currency, .rate = q.rate, .promo = q.promo};

		credit_give(s->credits, s->n_credits, q.hour, &p, shares, &d->arena);
	}
	return db_rows_close(&rows, e);
}

static enum err_code credits_share_all(
	struct deriving *d, struct credit_share *shares, struct err *e)
{
	const struct settings *s = d->o->settings;

	for (size_t i = 0; i < s->n_credits; i++)
		if (newest_rate(d, s->credits[i].amount.cur, &shares[i].to_rate, e))
			return e->code;
	if (credits_overlap(s->credits, s->n_credits))
		return credits_share_hours(d, shares, e);
	for (size_t i = 0; i < s->n_credits; i++)
		if (credits_share_alone(d, &s->credits[i], &shares[i], e))
			return e->code;
	return E_OK;
}

static enum err_code credits_sum_used(struct deriving *d, const struct credit *c,
	const struct credit_share *share, struct opt_i64 *used, struct err *e)
{
	bool ok = true;
	int64_t sum = 0;

	for (size_t i = 0; i < share->n; i++) {
		const struct promo *p = &share->v[i];
		struct row_credit_part in = {.name = c->name,
			.currency = p->currency,
			.rate = p->rate,
			.to_rate = share->to_rate,
			.promo = p->promo};
		int64_t part;

		if (credit_convert(p, c, share->to_rate, &part))
			in.used = SOME(part);
		ok = ok && in.used.set && nanos_add(sum, part, &sum);
		if (derived_put_credit_part(d->db, &in, e))
			return e->code;
	}
	*used = ok ? SOME(sum) : NONE;
	return E_OK;
}

/* ---- forecast ------------------------------------------------------------------------------ */

/* Net cost by currency of the price: per hour of what runs now, and of what ran since the bill's
 * newest usage, in nano-units times seconds of an hour. */
struct burns {
	struct {
		char cur[4];
		struct burn_ahead now;
		__int128 unbilled;
	} v[8];
	size_t n;
};

static bool credits_add_burn(
	struct burns *b, const struct row_charge_part *p, int64_t seconds, struct arena *a)
{
	size_t i = 0;

	if (!p->net.set)
		return false;
	if (!p->net.v)
		return true;
	while (i < b->n && strcmp(b->v[i].cur, p->currency) != 0)
		i++;
	if (i == ARRAY_LEN(b->v))
		return false;
	if (i == b->n)
		memcpy(b->v[b->n++].cur, p->currency, strlen(p->currency) + 1);
	b->v[i].unbilled += (__int128)p->net.v * seconds;
	return p->starts.set || burn_add(&b->v[i].now, p->net.v, p->begins, p->ends, a);
}

/* False: something that ran or runs has no price, and is left out. *any: something ran or runs. */
static bool credits_burns_of(
	struct deriving *d, const struct credit *c, struct burns *burns, bool *any)
{
	const struct budget_facts facts = {
		.now = d->o->now, .starts = c->starts, .ends = INT64_MAX};
	bool whole = true;

	for (size_t i = 0; i < d->charges.n; i++) {
		const struct row_charge_part p = charge_row(d, &d->charges.v[i]);
		ts_t from = budget_unbilled_from(
			&facts, p.billed.set ? p.billed.v : TS_NONE);

		if (p.starts.set && p.starts.v > from)
			from = p.starts.v;
		if (!strcmp(p.kind, "bucket") || (p.starts.set && p.ends.v <= from))
			continue;
		*any = true;
		whole &= credits_add_burn(
			burns, &p, p.starts.set ? p.ends.v - from : 0, &d->arena);
	}
	return whole;
}

/* Add what ends by itself, converted from the currency of its price. */
static bool credits_add_ends(struct burn_ahead *all, const struct burn_ahead *of,
	const char *cur, int64_t from, const char *to_cur, int64_t to, struct arena *a)
{
	for (size_t i = 0; i < of->n; i++) {
		struct burn_end *end = arena_push(a, all);

		*end = of->v[i];
		if (!price_exchange(end->per_hour, cur, from, to_cur, to, &end->per_hour))
			return false;
	}
	return true;
}

/* Both figures in the credit's currency, converted at the newest rates on the bill. */
struct credit_use {
	struct burn_ahead burn;
	int64_t unbilled;
	bool whole; /* everything that runs or ran has a price and a rate; otherwise those of the rest */
	bool unread; /* nothing is known to run or to have run, because not all was read */
};

static enum err_code credits_burn_in(
	struct deriving *d, const struct credit *c, struct credit_use *use, struct err *e)
{
	struct burns burns = {0};
	enum inventory inventory;
	bool any = false;
	int64_t to, from;
	ts_t read;

	use->whole = credits_burns_of(d, c, &burns, &any);
	if (newest_rate(d, c->amount.cur, &to, e) ||
		inventory_state(d, &inventory, &read, e))
		return e->code;
	use->unread = !any && inventory >= INVENTORY_PARTLY;
	use->whole &= !use->unread;
	for (size_t i = 0; i < burns.n; i++) {
		struct opt_i64 amount = price_hours(burns.v[i].unbilled);
		int64_t rate = burns.v[i].now.per_hour;

		if (newest_rate(d, burns.v[i].cur, &from, e))
			return e->code;
		use->whole &= amount.set &&
			price_exchange(
				rate, burns.v[i].cur, from, c->amount.cur, to, &rate) &&
			price_exchange(amount.v, burns.v[i].cur, from, c->amount.cur, to,
				&amount.v) &&
			nanos_add(use->unbilled, amount.v, &use->unbilled) &&
			nanos_add(use->burn.per_hour, rate, &use->burn.per_hour) &&
			credits_add_ends(&use->burn, &burns.v[i].now, burns.v[i].cur, from,
				c->amount.cur, to, &d->arena);
	}
	return E_OK;
}

/* Moment when the remaining amount is used up if nothing but what ends by itself is stopped; `from`, if
 * costs that are not billed yet have used it up. */
static struct opt_i64 credits_runs_out(
	ts_t from, int64_t left, int64_t unbilled, const struct burn_ahead *burn)
{
	if ((burn->per_hour <= 0 && !burn->n) || left <= 0)
		return NONE;
	return burn_reaches(burn, from, from + TEN_YEARS, (__int128)left - unbilled);
}

static enum err_code credits_fill_rest(struct deriving *d, const struct credit *c,
	struct row_credit_state *in, struct err *e)
{
	struct credit_use use = {0};
	ts_t from = c->starts > d->o->now ? c->starts : d->o->now;
	bool expired = c->expires != TS_NONE && c->expires <= d->o->now;
	int64_t left, rest;

	if (!in->used.set || !nanos_sub(c->amount.nanos, in->used.v, &left))
		return E_OK;
	if (credits_burn_in(d, c, &use, e))
		return e->code;
	if (!nanos_sub(left, use.unbilled, &rest))
		rest = 0;
	if (use.unread)
		in->unread = SOME(1);
	if (use.whole) {
		in->unbilled = SOME(use.unbilled);
		in->burn = SOME(use.burn.per_hour);
		if (!expired)
			in->runs_out = credits_runs_out(
				from, left, use.unbilled, &use.burn);
	} else if (!expired && left > 0 && use.unbilled >= left) {
		in->runs_out = SOME(
			d->o->now); /* even without the resources of unknown price */
	}
	if (c->expires != TS_NONE)
		in->safe_per_day = expired ? SOME(0)
					   : budget_safe_per_day(rest, c->expires - from);
	return E_OK;
}

static const char *credits_when(struct deriving *d, const char *words, ts_t at)
{
	char buf[TZ_TIME_BUF];

	return arena_printf(
		&d->arena, "%s %s", words, tz_time_utc(d->o->settings->tz, at, buf));
}

/* The end in words. An estimate: what is left on the bill may be used up already. */
static const char *credits_ends_text(struct deriving *d, const struct row_credit_state *in)
{
	bool spent = in->used.set && in->used.v >= in->amount;
	bool now = in->runs_out.set && in->runs_out.v <= d->o->now;
	const char *begins = "", *out = "", *expires = "", *late = "";

	if (spent || now)
		return spent ? "used up" : "about used up by unbilled use";
	if (in->starts.set && in->starts.v > d->o->now)
		begins = credits_when(d, "begins", in->starts.v);
	if (in->runs_out.set)
		out = credits_when(d, "used up about", in->runs_out.v);
	if (in->expires.set)
		expires = credits_when(d, in->expires.v > d->o->now ? "expires" : "expired",
			in->expires.v);
	if (in->used.set && in->billed_from.set)
		late = credits_when(
			d, "more may be used: the bill begins", in->billed_from.v);
	out = arena_printf(&d->arena, "%s%s%s%s%s", begins, *begins && *out ? ", " : "",
		out, (*begins || *out) && *expires ? ", " : "", expires);
	out = arena_printf(&d->arena, "%s%s%s", out, *out && *late ? "; " : "", late);
	return *out ? out : NULL;
}

/* The costs of a billing account are known from bill->first on, of every one from bill->since on. */
static enum err_code credits_put_credit(struct deriving *d,
	const struct billed_until *until, const struct q_budget_bill_since *bill,
	const struct credit *c, const struct credit_share *share, struct err *e)
{
	bool before = bill->first.set && c->expires != TS_NONE &&
		c->expires <= bill->first.v;
	struct row_credit_state in = {.name = c->name,
		.amount = c->amount.nanos,
		.currency = c->amount.cur,
		.starts = opt_of_ts(c->starts),
		.expires = opt_of_ts(c->expires)};

	/* TS_NONE is less than any time */
	if (bill->since.set && c->starts < bill->since.v)
		in.billed_from = bill->since;
	/* unknown without a bill, and if every one begins later */
	if (until->bill && !before && credits_sum_used(d, c, share, &in.used, e))
		return e->code;
	if (credits_fill_rest(d, c, &in, e))
		return e->code;
	in.ends_text = credits_ends_text(d, &in);
	return derived_put_credit_state(d->db, &in, e);
}

enum err_code derive_credits(struct deriving *d, struct err *e)
{
	const struct settings *s = d->o->settings;
	struct credit_share *shares = arena_alloc(
		&d->arena, (s->n_credits + 1) * sizeof(*shares));
	const struct billed_until *until;
	struct q_budget_bill_since bill;

	if (!s->n_credits)
		return E_OK;
	if (billed_until(d, &until, e) || bill_since(d, &bill, e) ||
		(until->bill && credits_share_all(d, shares, e)))
		return e->code;
	for (size_t i = 0; i < s->n_credits; i++)
		if (credits_put_credit(d, until, &bill, &s->credits[i], &shares[i], e))
			return e->code;
	return E_OK;
}

/* ---- by project ---------------------------------------------------------------------------- */

/* False: there is no rate, or it does not fit. */
static bool credits_add_use(const struct q_promo_projects *q, const struct credit *c,
	int64_t to_rate, int64_t *sum)
{
	struct promo p = {.currency = q->currency, .rate = q->rate, .promo = q->promo};
	int64_t used;

	return credit_convert(&p, c, to_rate, &used) && nanos_add(*sum, used, sum);
}

static enum err_code credits_put_projects(
	struct deriving *d, const struct credit *c, bool shared, struct err *e)
{
	struct whole_days w = whole_days(d->o->settings->tz, c->starts, c->expires);
	struct q_promo_projects_in in = {.starts = c->starts,
		.from = w.from,
		.first = w.first,
		.end = w.end,
		.until = w.until,
		.ends = c->expires};
	struct q_promo_projects *v;
	int64_t to_rate;
	size_t n;

	if (newest_rate(d, c->amount.cur, &to_rate, e) ||
		q_promo_projects_all(d->db, &in, &d->arena, &v, &n, e))
		return e->code;
	for (size_t i = 0, end; i < n; i = end) {
		struct row_credit_project row = {.name = c->name, .project = v[i].project};
		bool known = !shared;
		int64_t sum = 0;

		for (end = i; end < n && !strcmp(v[end].project, v[i].project); end++)
			known = known && credits_add_use(&v[end], c, to_rate, &sum);
		row.used = known ? SOME(sum) : NONE;
		if (derived_put_credit_project(d->db, &row, e))
			return e->code;
	}
	return E_OK;
}

/* If several are active at a time, it is unknown which of them paid for a project. */
enum err_code derive_credit_projects(struct deriving *d, struct err *e)
{
	const struct settings *s = d->o->settings;
	bool shared = credits_overlap(s->credits, s->n_credits);

	for (size_t i = 0; i < s->n_credits; i++)
		if (credits_put_projects(d, &s->credits[i], shared, e))
			return e->code;
	return E_OK;
}
