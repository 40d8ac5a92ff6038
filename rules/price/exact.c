#include "rules/price/exact.h"

#include <string.h>

static __int128 divisor_of(__int128 a, __int128 b)
{
	while (b) {
		__int128 rest = a % b;

		a = b;
		b = rest;
	}
	return a < 0 ? -a : a;
}

static void exact_reduce(struct price_exact *x)
{
	__int128 by = divisor_of(x->num, x->den);

	x->num /= by;
	x->den /= by;
}

static bool exact_product(__int128 *out, const int64_t *v, size_t n)
{
	*out = 1;
	for (size_t i = 0; i < n; i++)
		if (__builtin_mul_overflow(*out, (__int128)v[i], out))
			return false;
	return true;
}

/* a/b + c/d over the least common denominator. */
static bool exact_add(struct price_exact *x, const struct price_exact *more)
{
	__int128 by = divisor_of(x->den, more->den), left, right;

	if (__builtin_mul_overflow(x->num, more->den / by, &left) ||
		__builtin_mul_overflow(more->num, x->den / by, &right) ||
		__builtin_add_overflow(left, right, &x->num) ||
		__builtin_mul_overflow(x->den, more->den / by, &x->den))
		return false;
	exact_reduce(x);
	return true;
}

void price_exact_add(struct price_exact *x, const struct price_term *t)
{
	const int64_t num[] = {t->unit.nanos, t->quantity, t->percent};
	const int64_t den[] = {100, t->quantity_per, t->den, t->unit.per};
	struct price_exact term;

	if (!exact_product(&term.num, num, ARRAY_LEN(num)) ||
		!exact_product(&term.den, den, ARRAY_LEN(den)) || term.den < 1) {
		x->lost = true;
		return;
	}
	exact_reduce(&term);
	if (!x->den) {
		x->num = term.num;
		x->den = term.den;
		memcpy(x->cur, t->unit.cur, sizeof(x->cur));
	} else if (strcmp(x->cur, t->unit.cur) != 0 || !exact_add(x, &term)) {
		x->lost = true;
	}
}

bool price_exact_times(const struct price_exact *x, int64_t times, int64_t *nanos)
{
	struct price_exact all = *x;

	if (x->lost || !x->den || __builtin_mul_overflow(x->num, (__int128)times, &all.num))
		return false;
	exact_reduce(&all);
	return all.den <= INT64_MAX && i128_div_round(all.num, (int64_t)all.den, nanos);
}
