#include "base/civil.h"
#include "base/money.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/derive_parts.h"

#include <string.h>

#define TEN_YEARS (INT64_C(3653) * 86400)

/* Promotion credits as an amount of the coupon's currency, of which one USD buys `to_rate`.
 * The export's rate says how much of the account's currency one USD is (Cloud Billing export:
 * currency_conversion_rate). */
static bool convert(const struct q_promo_by_rate *q, const struct credit *c,
	int64_t to_rate, int64_t *out)
{
	int64_t amount, rate = strcmp(q->currency, "USD") ? q->rate : NANOS;

	if (__builtin_sub_overflow(0, q->promo, &amount))
		return false;
	if (!strcmp(q->currency, c->amount.cur) || !amount) {
		*out = amount;
		return true;
	}
	return rate > 0 && to_rate > 0 && nanos_muldiv(amount, to_rate, rate, out);
}

static enum err_code put_part(struct deriving *d, const struct q_promo_by_rate *q,
	const struct credit *c, int64_t to_rate, const int64_t *used, struct err *e)
{
	struct q_credit_part_put_in in = {.name = c->name,
		.currency = q->currency,
		.rate = q->rate,
		.to_rate = to_rate,
		.promo = q->promo,
		.used = used ? SOME(*used) : NONE};

	return q_credit_part_put(d->db, &in, e);
}

static enum err_code sum_used(
	struct deriving *d, const struct credit *c, struct opt_i64 *used, struct err *e)
{
	struct q_promo_by_rate_in in = {
		.since = c->starts == TS_NONE ? INT64_MIN : c->starts,
		.until = c->expires == TS_NONE ? INT64_MAX : c->expires};
	struct q_promo_by_rate q;
	struct q_billing_any any;
	struct db_rows rows;
	int64_t sum = 0, rate;
	enum err_code rc = E_OK;
	bool ok = true, found;

	*used = NONE;
	if (q_billing_any_one(d->db, &d->arena, &any, &found, e))
		return e->code;
	if (!found) /* without a bill, nobody knows */
		return E_OK;
	if (newest_rate(d, c->amount.cur, &rate, e) ||
		q_promo_by_rate_open(d->db, &in, &rows, e))
		return e->code;
	while (!rc && q_promo_by_rate_next(&rows, &q)) {
		int64_t part;
		bool known = convert(&q, c, rate, &part);

		ok = ok && known && nanos_add(sum, part, &sum);
		rc = put_part(d, &q, c, rate, known ? &part : NULL, e);
	}
	*used = ok ? SOME(sum) : NONE;
	return db_rows_end(&rows, rc, e);
}

/* Net burn per hour by currency of the price. */
struct burns {
	struct money v[8];
	size_t n;
};

static bool add_burn(struct burns *b, const struct price *p)
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
	return nanos_add(b->v[i].nanos, p->nanos, &b->v[i].nanos);
}

/* Net burn per hour in one currency, converted at the newest rates on the bill; none when
 * something runs without a price or without a rate. */
static enum err_code burn_in(
	struct deriving *d, const char *cur, struct opt_i64 *out, struct err *e)
{
	struct burns burns = {0};
	int64_t sum = 0, to, from, part;

	*out = NONE;
	for (size_t i = 0; i < d->n_facts; i++) {
		const struct fact *f = &d->facts[i];

		if (!fact_covered(f) && strcmp(f->kind, "bucket") != 0 &&
			!add_burn(&burns, &f->price))
			return E_OK;
	}
	if (newest_rate(d, cur, &to, e))
		return e->code;
	for (size_t i = 0; i < burns.n; i++) {
		const struct money *m = &burns.v[i];

		if (newest_rate(d, m->cur, &from, e))
			return e->code;
		if (!strcmp(m->cur, cur))
			part = m->nanos;
		else if (!to || !from || !nanos_muldiv(m->nanos, to, from, &part))
			return E_OK;
		if (!nanos_add(sum, part, &sum))
			return E_OK;
	}
	*out = SOME(sum);
	return E_OK;
}

/* When the rest is used up if everything goes on as now. */
static struct opt_i64 runs_out(const struct deriving *d, int64_t left, struct opt_i64 burn)
{
	int64_t seconds;

	if (!burn.set || burn.v <= 0 || left <= 0)
		return NONE;
	if (!nanos_muldiv(left, HOUR_SECONDS, burn.v, &seconds) || seconds > TEN_YEARS)
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

static enum err_code fill_rest(struct deriving *d, const struct credit *c,
	struct q_credit_put_in *in, struct err *e)
{
	struct opt_i64 burn;
	int64_t left;

	if (!in->used.set || !nanos_sub(c->amount.nanos, in->used.v, &left))
		return E_OK;
	if (burn_in(d, c->amount.cur, &burn, e))
		return e->code;
	in->burn = burn;
	in->runs_out = runs_out(d, left, burn);
	in->safe_per_day = safe_per_day(d, c, left);
	return E_OK;
}

enum err_code derive_credits(struct deriving *d, struct err *e)
{
	const struct settings *s = d->o->settings;

	if (q_credit_clear(d->db, e) || q_credit_part_clear(d->db, e))
		return e->code;
	for (size_t i = 0; i < s->n_credits; i++) {
		const struct credit *c = &s->credits[i];
		struct q_credit_put_in in = {.name = c->name,
			.amount = c->amount.nanos,
			.currency = c->amount.cur,
			.expires = c->expires == TS_NONE ? NONE : SOME(c->expires)};

		if (sum_used(d, c, &in.used, e) || fill_rest(d, c, &in, e))
			return e->code;
		if (q_credit_put(d->db, &in, e))
			return e->code;
	}
	return E_OK;
}
