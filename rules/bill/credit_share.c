#include "rules/bill/credit_share.h"

#include <string.h>

bool credit_convert(
	const struct promo *p, const struct credit *c, int64_t to_rate, int64_t *out)
{
	int64_t amount;

	return !__builtin_sub_overflow(0, p->promo, &amount) &&
		price_exchange(amount, p->currency, p->rate, c->amount.cur, to_rate, out);
}

static bool credit_runs_at(const struct credit *c, ts_t t)
{
	return (c->starts == TS_NONE || c->starts <= t) &&
		(c->expires == TS_NONE || t < c->expires);
}

bool credits_overlap(const struct credit *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			/* of two that overlap, one begins while the other runs */
			if (i != k &&
				credit_runs_at(&c[k],
					c[i].starts == TS_NONE ? INT64_MIN + 1
							       : c[i].starts))
				return true;
	return false;
}

/* Credits that are active at `t`, sorted by expiry. */
static size_t credit_order(const struct credit *c, size_t n, ts_t t, size_t *order)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		size_t at = count;

		if (!credit_runs_at(&c[i], t))
			continue;
		while (at && c[i].expires != TS_NONE &&
			(c[order[at - 1]].expires == TS_NONE ||
				c[order[at - 1]].expires > c[i].expires))
			at--;
		memmove(&order[at + 1], &order[at], (count - at) * sizeof(*order));
		order[at] = i;
		count++;
	}
	return count;
}

struct promo *credit_share_of(
	struct credit_share *s, const char *currency, int64_t rate, struct arena *a)
{
	struct promo *sum;

	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].rate == rate && !strcmp(s->v[i].currency, currency))
			return &s->v[i];
	sum = arena_push(a, s);
	*sum = (struct promo){.currency = arena_strdup(a, currency), .rate = rate};
	return sum;
}

static void credit_add(
	struct credit_share *s, const struct promo *p, int64_t promo, struct arena *a)
{
	struct promo *sum = credit_share_of(s, p->currency, p->rate, a);

	if (__builtin_add_overflow(sum->promo, promo, &sum->promo))
		sum->promo = INT64_MIN; /* not an amount: conversion rejects it */
}

/* Amount left; false when unknown. */
static bool credit_left(const struct credit *c, const struct credit_share *s, int64_t *out)
{
	int64_t left = c->amount.nanos, part;

	for (size_t i = 0; i < s->n; i++)
		if (!credit_convert(&s->v[i], c, s->to_rate, &part) ||
			!nanos_sub(left, part, &left))
			return false;
	*out = left;
	return true;
}

/* Amount left in the currency of the bill. */
static bool credit_left_on_bill(const struct credit *c, const struct credit_share *s,
	const struct promo *p, int64_t *out)
{
	int64_t left, rate = strcmp(p->currency, "USD") ? p->rate : NANOS;

	if (!credit_left(c, s, &left))
		return false;
	if (strcmp(p->currency, c->amount.cur) != 0)
		return rate > 0 && s->to_rate > 0 &&
			nanos_muldiv(left, rate, s->to_rate, out);
	*out = left;
	return true;
}

/* Part of `p` that the amount left of the credit covers; all of `p` when that is unknown. */
static int64_t credit_that_fits(
	const struct credit *c, const struct credit_share *s, const struct promo *p)
{
	int64_t left;

	if (!credit_left_on_bill(c, s, p, &left) || p->promo >= -left)
		return p->promo;
	return left > 0 ? -left : 0;
}

static size_t credit_first_that_paid(
	const size_t *order, size_t count, const struct credit_share *shares)
{
	for (size_t i = 0; i < count; i++)
		if (shares[order[i]].n)
			return order[i];
	return order[0];
}

void credit_give(const struct credit *c, size_t n, ts_t hour, const struct promo *p,
	struct credit_share *shares, struct arena *a)
{
	size_t *order = arena_alloc(a, (n + 1) * sizeof(*order));
	size_t count = credit_order(c, n, hour, order);
	struct promo rest = *p;

	if (count && p->promo > 0) {
		credit_add(&shares[credit_first_that_paid(order, count, shares)], p,
			p->promo, a);
		return;
	}
	for (size_t i = 0; i < count && rest.promo; i++) {
		size_t k = order[i];
		int64_t part = i + 1 == count ? rest.promo
					      : credit_that_fits(&c[k], &shares[k], &rest);

		if (part)
			credit_add(&shares[k], p, part, a);
		rest.promo -= part;
	}
}
