/* What was used of coupons, what is left of them, and when they run out. */
#include "base/time/civil.h"
#include "base/money.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/budget/budget.h"
#include "rules/bill/credit_share.h"
#include "rules/derive/internal.h"

#include <string.h>

#define TEN_YEARS (INT64_C(3653) * 86400)

/* ---- what was used ------------------------------------------------------------------------- */

static enum err_code put_part(struct deriving *d, const struct promo *p,
	const struct credit *c, int64_t to_rate, const int64_t *used, struct err *e)
{
	struct row_credit_part in = {.name = c->name,
		.currency = p->currency,
		.rate = p->rate,
		.to_rate = to_rate,
		.promo = p->promo,
		.used = used ? SOME(*used) : NONE};

	return derived_put_credit_part(d->db, &in, e);
}

static enum err_code add_promo(struct deriving *d, struct credit_share *share,
	const char *currency, int64_t rate, int64_t promo, struct err *e)
{
	for (size_t i = 0; i < share->n; i++) {
		struct promo *p = &share->v[i];

		if (p->rate != rate || strcmp(p->currency, currency) != 0)
			continue;
		return nanos_add(p->promo, promo, &p->promo)
			? E_OK
			: err_set(e, E_OVERFLOW, "promotions in %s", currency);
	}
	share->v = arena_grow(
		&d->arena, share->v, share->n, &share->cap, sizeof(*share->v));
	share->v[share->n++] = (struct promo){.currency = arena_strdup(&d->arena, currency),
		.rate = rate,
		.promo = promo};
	return E_OK;
}

static enum err_code add_hours(struct deriving *d, struct credit_share *share, ts_t since,
	ts_t until, struct err *e)
{
	struct q_promo_by_rate_in in = {.since = since, .until = until};
	struct q_promo_by_rate q;
	struct db_rows rows;
	struct err sum = {0};

	if (since >= until)
		return E_OK;
	if (q_promo_by_rate_open(d->db, &in, &rows, e))
		return e->code;
	while (!sum.code && q_promo_by_rate_next(&rows, &q))
		(void)!add_promo(d, share, q.currency, q.rate, q.promo, &sum);
	if (db_rows_close(&rows, e))
		return e->code;
	if (!sum.code)
		return E_OK;
	*e = sum;
	return e->code;
}

static enum err_code add_days(struct deriving *d, struct credit_share *share, day_t first,
	day_t end, struct err *e)
{
	struct q_promo_by_rate_days_in in = {.first = first, .end = end};
	struct q_promo_by_rate_days q;
	struct db_rows rows;
	struct err sum = {0};

	if (q_promo_by_rate_days_open(d->db, &in, &rows, e))
		return e->code;
	while (!sum.code && q_promo_by_rate_days_next(&rows, &q))
		(void)!add_promo(d, share, q.currency, q.rate, q.promo, &sum);
	if (db_rows_close(&rows, e))
		return e->code;
	if (!sum.code)
		return E_OK;
	*e = sum;
	return e->code;
}

/* Alone in its time, a coupon paid every promotion. Sums of days are kept; only the hours
 * before the first whole day and after the last one are summed anew. */
static enum err_code share_alone(struct deriving *d, const struct credit *c,
	struct credit_share *share, struct err *e)
{
	const struct tz *tz = d->o->settings->tz;
	day_t first = INT32_MIN, end = INT32_MAX;
	ts_t from = INT64_MIN, until = INT64_MAX;

	if (c->starts != TS_NONE) {
		first = tz_day(tz, c->starts);
		first += tz_day_start(tz, first) < c->starts;
		from = tz_day_start(tz, first);
	}
	if (c->expires != TS_NONE) {
		end = tz_day(tz, c->expires);
		until = tz_day_start(tz, end);
	}
	if (first >= end) /* within a day; both are told then */
		return add_hours(d, share, c->starts, c->expires, e);
	if (c->starts != TS_NONE && add_hours(d, share, c->starts, from, e))
		return e->code;
	if (add_days(d, share, first, end, e))
		return e->code;
	return c->expires != TS_NONE ? add_hours(d, share, until, c->expires, e) : E_OK;
}

static enum err_code share_hours(
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

static enum err_code share_all(
	struct deriving *d, struct credit_share *shares, struct err *e)
{
	const struct settings *s = d->o->settings;

	for (size_t i = 0; i < s->n_credits; i++)
		if (newest_rate(d, s->credits[i].amount.cur, &shares[i].to_rate, e))
			return e->code;
	if (credits_overlap(s->credits, s->n_credits))
		return share_hours(d, shares, e);
	for (size_t i = 0; i < s->n_credits; i++)
		if (share_alone(d, &s->credits[i], &shares[i], e))
			return e->code;
	return E_OK;
}

static enum err_code sum_used(struct deriving *d, const struct credit *c,
	const struct credit_share *share, struct opt_i64 *used, struct err *e)
{
	bool ok = true;
	int64_t sum = 0;

	for (size_t i = 0; i < share->n; i++) {
		int64_t part;
		bool known = credit_convert(&share->v[i], c, share->to_rate, &part);

		ok = ok && known && nanos_add(sum, part, &sum);
		if (put_part(d, &share->v[i], c, share->to_rate, known ? &part : NULL, e))
			return e->code;
	}
	*used = ok ? SOME(sum) : NONE;
	return E_OK;
}

/* ---- what is to come ----------------------------------------------------------------------- */

/* Net burn by currency of the price: per hour, and since the bill's newest usage, in nano-units times
 * seconds of an hour. */
struct burns {
	struct {
		char cur[4];
		int64_t per_hour;
		__int128 unbilled;
	} v[8];
	size_t n;
};

/* From when on what this one costs is not on the bill yet. */
static ts_t unbilled_from(const struct deriving *d, const struct billed_until *until,
	const struct credit *c, const struct fact *f)
{
	const size_t *at = strmap_get(&until->by_name, f->project);
	ts_t from = d->o->now - BUDGET_LAG_MAX;
	ts_t since = f->running_since.set ? f->running_since.v
		: f->created.set          ? f->created.v
					  : from;

	if (at && until->v[*at] > from)
		from = until->v[*at];
	if (since > from)
		from = since;
	if (c->starts != TS_NONE && c->starts > from)
		from = c->starts;
	return from < d->o->now ? from : d->o->now;
}

static bool add_burn(struct burns *b, const struct price *p, int64_t seconds)
{
	size_t i = 0;

	if (!p->known)
		return false;
	if (!p->nanos)
		return true;
	while (i < b->n && strcmp(b->v[i].cur, p->cur) != 0)
		i++;
	if (i == ARRAY_LEN(b->v))
		return false;
	if (i == b->n)
		memcpy(b->v[b->n++].cur, p->cur, sizeof(p->cur));
	b->v[i].unbilled += (__int128)p->nanos * seconds;
	return nanos_add(b->v[i].per_hour, p->nanos, &b->v[i].per_hour);
}

/* False: something runs without a price. */
static bool burns_of(const struct deriving *d, const struct billed_until *until,
	const struct credit *c, struct burns *burns)
{
	for (size_t i = 0; i < d->n_facts; i++) {
		const struct fact *f = &d->facts[i];

		if (!fact_covered(f) && strcmp(f->kind, "bucket") != 0 &&
			!add_burn(burns, &f->price,
				d->o->now - unbilled_from(d, until, c, f)))
			return false;
	}
	return true;
}

/* Both figures in the coupon's currency, converted at the newest rates on the bill; none when
 * something runs without a price or without a rate. */
static enum err_code burn_in(struct deriving *d, const struct billed_until *until,
	const struct credit *c, struct opt_i64 *per_hour, struct opt_i64 *unbilled,
	struct err *e)
{
	struct burns burns = {0};
	int64_t rates = 0, amounts = 0, to, from;

	*per_hour = *unbilled = NONE;
	if (!burns_of(d, until, c, &burns))
		return E_OK;
	if (newest_rate(d, c->amount.cur, &to, e))
		return e->code;
	for (size_t i = 0; i < burns.n; i++) {
		int64_t rate = burns.v[i].per_hour, amount;

		if (newest_rate(d, burns.v[i].cur, &from, e))
			return e->code;
		if (!i128_div_round(burns.v[i].unbilled, HOUR_SECONDS, &amount))
			return E_OK;
		if (strcmp(burns.v[i].cur, c->amount.cur) != 0 &&
			(!to || !from || !nanos_muldiv(rate, to, from, &rate) ||
				!nanos_muldiv(amount, to, from, &amount)))
			return E_OK;
		if (!nanos_add(rates, rate, &rates) ||
			!nanos_add(amounts, amount, &amounts))
			return E_OK;
	}
	*per_hour = SOME(rates);
	*unbilled = SOME(amounts);
	return E_OK;
}

/* When the rest is used up if everything goes on as now; now, when what is not billed yet has used it
 * up. */
static struct opt_i64 runs_out(
	const struct deriving *d, int64_t left, int64_t unbilled, int64_t burn)
{
	int64_t rest, seconds;

	if (burn <= 0 || left <= 0 || !nanos_sub(left, unbilled, &rest))
		return NONE;
	if (rest <= 0)
		return SOME(d->o->now);
	if (!nanos_muldiv(rest, HOUR_SECONDS, burn, &seconds) || seconds > TEN_YEARS)
		return NONE;
	return SOME(d->o->now + seconds);
}

/* What is left over the days until it expires; the last day is not stretched. */
static struct opt_i64 safe_per_day(
	const struct deriving *d, const struct credit *c, int64_t left)
{
	int64_t seconds, per_day;

	if (c->expires == TS_NONE)
		return NONE;
	seconds = c->expires - d->o->now;
	if (seconds <= 0 || left <= 0)
		return SOME(0);
	if (seconds < DAY_SECONDS)
		seconds = DAY_SECONDS;
	return nanos_muldiv(left, DAY_SECONDS, seconds, &per_day) ? SOME(per_day) : NONE;
}

static enum err_code fill_rest(struct deriving *d, const struct billed_until *until,
	const struct credit *c, struct row_credit_state *in, struct err *e)
{
	int64_t left, rest;

	if (!in->used.set || !nanos_sub(c->amount.nanos, in->used.v, &left))
		return E_OK;
	if (burn_in(d, until, c, &in->burn, &in->unbilled, e))
		return e->code;
	rest = left;
	if (in->burn.set) {
		in->runs_out = runs_out(d, left, in->unbilled.v, in->burn.v);
		if (!nanos_sub(left, in->unbilled.v, &rest))
			rest = 0;
	}
	in->safe_per_day = safe_per_day(d, c, rest);
	return E_OK;
}

static enum err_code put_credit(struct deriving *d, const struct billed_until *until,
	const struct credit *c, const struct credit_share *share, struct err *e)
{
	struct row_credit_state in = {.name = c->name,
		.amount = c->amount.nanos,
		.currency = c->amount.cur,
		.starts = c->starts == TS_NONE ? NONE : SOME(c->starts),
		.expires = c->expires == TS_NONE ? NONE : SOME(c->expires)};

	/* without a bill, nobody knows */
	if (until->bill && sum_used(d, c, share, &in.used, e))
		return e->code;
	return fill_rest(d, until, c, &in, e) ? e->code
					      : derived_put_credit_state(d->db, &in, e);
}

enum err_code derive_credits(struct deriving *d, struct err *e)
{
	const struct settings *s = d->o->settings;
	struct credit_share *shares = arena_alloc(
		&d->arena, (s->n_credits + 1) * sizeof(*shares));
	const struct billed_until *until;
	enum err_code rc = E_OK;

	if (!s->n_credits)
		return E_OK;
	if (billed_until(d, &until, e) || (until->bill && share_all(d, shares, e)))
		rc = e->code;
	for (size_t i = 0; !rc && i < s->n_credits; i++)
		rc = put_credit(d, until, &s->credits[i], &shares[i], e);
	return rc;
}
