/* Amounts of several currencies in one, at the newest rates on the bill. */
#include "db_sql.h"
#include "reports/daily/internal.h"
#include "rules/price/price.h"

/* The configured currency if the bill has its rate, else that of the bill. */
static enum err_code exchange_choose(struct daily *d, struct err *e)
{
	const struct settings *s = d->ask->settings;
	struct q_newest_currency row;
	int64_t rate = 0;
	bool found;

	if (s->currency_given && bill_rate(&d->rates, d->db, d->a, s->currency, &rate, e))
		return e->code;
	d->currency = s->currency;
	if (rate)
		return E_OK;
	if (q_newest_currency_one(d->db, d->a, &row, &found, e))
		return e->code;
	if (found)
		d->currency = row.currency;
	return E_OK;
}

enum err_code daily_exchange(struct daily *d, struct sum *x, struct err *e)
{
	int64_t rate, to;

	if (!d->currency && exchange_choose(d, e))
		return e->code;
	if (bill_rate(&d->rates, d->db, d->a, x->currency, &rate, e) ||
		bill_rate(&d->rates, d->db, d->a, d->currency, &to, e))
		return e->code;
	if (price_exchange(x->nanos, x->currency, rate, d->currency, to, &x->nanos))
		x->currency = d->currency;
	return E_OK;
}

enum err_code daily_together(struct daily *d, struct sums *sums, struct err *e)
{
	struct sums out = {0};

	for (size_t i = 0; sums->n > 1 && i < sums->n; i++) {
		struct sum x = sums->v[i];

		if (daily_exchange(d, &x, e))
			return e->code;
		if (!sums_add(&out, d->a, x.currency, x.nanos))
			return E_OK; /* too large for one sum */
	}
	if (out.n)
		*sums = out;
	return E_OK;
}
