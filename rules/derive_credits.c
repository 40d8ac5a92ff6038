#include "base/money.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/derive_parts.h"

#include <string.h>

#define TEN_YEARS (INT64_C(3653) * 86400)

/* Promotion credits as an amount of the coupon's currency. The export's rate says how much
 * of the account's currency one USD is (Cloud Billing export: currency_conversion_rate). */
static bool convert(const struct q_promo_by_rate *q, const char *to, int64_t *out)
{
	int64_t amount;

	if (__builtin_sub_overflow(0, q->promo, &amount))
		return false;
	if (!strcmp(q->currency, to)) {
		*out = amount;
		return true;
	}
	if (strcmp(to, "USD") != 0 || q->rate <= 0)
		return false;
	return nanos_muldiv(amount, NANOS, q->rate, out);
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
	int64_t sum = 0;
	bool ok = true, found;

	*used = NONE;
	if (q_billing_any_one(d->db, &d->arena, &any, &found, e))
		return e->code;
	if (!found) /* without a bill, nobody knows */
		return E_OK;
	if (q_promo_by_rate_open(d->db, &in, &rows, e))
		return e->code;
	while (q_promo_by_rate_next(&rows, &q)) {
		int64_t part;

		ok = ok && convert(&q, c->amount.cur, &part) && nanos_add(sum, part, &sum);
	}
	*used = ok ? SOME(sum) : NONE;
	return db_rows_close(&rows, e);
}

/* Net burn per hour in one currency; false when something runs at another or no price. */
static bool burn_in(const struct deriving *d, const char *cur, int64_t *out)
{
	int64_t sum = 0;

	for (size_t i = 0; i < d->n_facts; i++) {
		const struct fact *f = &d->facts[i];

		if (fact_covered(f) || !strcmp(f->kind, "bucket"))
			continue;
		if (!f->price.known || (f->price.nanos && strcmp(f->price.cur, cur) != 0) ||
			!nanos_add(sum, f->price.nanos, &sum))
			return false;
	}
	*out = sum;
	return true;
}

/* When the rest is used up if everything goes on as now. */
static struct opt_i64 runs_out(
	const struct deriving *d, const struct credit *c, struct opt_i64 used)
{
	int64_t burn, seconds, left;

	if (!used.set || !burn_in(d, c->amount.cur, &burn) || burn <= 0)
		return NONE;
	left = c->amount.nanos - used.v;
	if (left <= 0)
		return NONE;
	if (!nanos_muldiv(left, 3600, burn, &seconds) || seconds > TEN_YEARS)
		return NONE;
	return SOME(d->o->now + seconds);
}

enum err_code derive_credits(struct deriving *d, struct err *e)
{
	const struct settings *s = d->o->settings;

	if (q_credit_clear(d->db, e))
		return e->code;
	for (size_t i = 0; i < s->n_credits; i++) {
		const struct credit *c = &s->credits[i];
		struct q_credit_put_in in = {.name = c->name,
			.amount = c->amount.nanos,
			.currency = c->amount.cur,
			.expires = c->expires == TS_NONE ? NONE : SOME(c->expires)};

		if (sum_used(d, c, &in.used, e))
			return e->code;
		in.runs_out = runs_out(d, c, in.used);
		if (q_credit_put(d->db, &in, e))
			return e->code;
	}
	return E_OK;
}
