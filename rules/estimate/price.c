/* What the things of a proposal cost: for an hour as they burn, for longer by the terms of their
 * prices, so that nothing is rounded before it is multiplied. */
#include "base/str.h"
#include "rules/estimate/internal.h"

static void keep_term(void *ctx, const struct price_term *t)
{
	price_exact_add(ctx, t);
}

/* An address that a machine uses is no part of the burn, but it is paid. A region is where a
 * machine is made in a zone that Google picks: its disks are no regional ones. */
static struct price price_each(
	struct estimating *x, const struct estimate_thing *t, struct fact *f)
{
	const struct price_book *book = &x->world.book;
	bool beside = t->wish->beside != NULL;

	if (str_eq(t->kind, "ip") && beside && str_eq(t->type, "external"))
		return price_ip(
			book, t->region, IP_ON_VM, str_eq(t->wish->provisioning, "spot"));
	if (str_eq(t->kind, "disk") && beside && !t->zone && f->price.known)
		return price_disk(
			book, t->type, t->region, t->wish->size_gib, false, false);
	f->n_parts = 0;
	fact_price(&x->world, f);
	return f->price;
}

void estimate_price(struct estimating *x, struct estimate_thing *t, const struct fact *f)
{
	struct price_trace trace = {.term = keep_term, .ctx = &t->exact};
	struct fact again = *f;
	int64_t nanos;

	t->exact = (struct price_exact){0};
	x->world.book.trace = &trace;
	t->each = price_each(x, t, &again);
	x->world.book.trace = NULL;
	t->each.as_of = arena_strdup(x->a, t->each.as_of);
	/* terms that are not all of the price would make another one */
	if (!price_exact_times(&t->exact, 1, &nanos) || nanos != t->each.nanos ||
		!str_eq(t->exact.cur, t->each.cur))
		t->exact = (struct price_exact){.lost = true};
	t->gross = estimate_cost(t, false, 1);
}

struct opt_i64 estimate_cost(const struct estimate_thing *t, bool net, int64_t hours)
{
	int64_t n = net ? t->count - t->covered : t->count, all, sum;

	if (net && t->unknown)
		return NONE;
	if (!n)
		return SOME(0); /* free, whatever it would cost */
	if (!t->each.known || __builtin_mul_overflow(n, hours, &all))
		return NONE;
	if (hours != 1 && price_exact_times(&t->exact, all, &sum))
		return SOME(sum);
	return nanos_muldiv(t->each.nanos, all, 1, &sum) ? SOME(sum) : NONE;
}
