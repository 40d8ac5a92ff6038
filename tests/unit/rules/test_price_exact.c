/* Prices per hour as fractions. */
#include "rules/price/price.h"

#include "base/time/civil.h"
#include "tests/support/unit.h"

#include <string.h>

static struct price_term term(int64_t nanos, int64_t quantity, int64_t den, const char *cur)
{
	struct price_term t = {.quantity = quantity,
		.quantity_per = 1,
		.percent = 100,
		.den = den,
		.unit = {.nanos = nanos, .per = 1}};

	memcpy(t.unit.cur, cur, sizeof(t.unit.cur));
	return t;
}

static void add(struct price_exact *x, int64_t nanos, int64_t quantity, int64_t den,
	const char *cur)
{
	const struct price_term t = term(nanos, quantity, den, cur);

	price_exact_add(x, &t);
}

static void a_month_is_what_its_gib_cost(void **state)
{
	struct price_exact x = {0};
	int64_t nanos;

	assert_false(
		price_exact_for(&x, 730 * HOUR_SECONDS, &nanos)); /* nothing is known yet */
	add(&x, 170000000, 800, 730, "USD");
	assert_true(price_exact_for(&x, HOUR_SECONDS, &nanos));
	assert_int_equal(nanos, 186301370);
	assert_true(price_exact_for(&x, 730 * HOUR_SECONDS, &nanos));
	assert_int_equal(nanos, 136 * NANOS);
	add(&x, 1, 1, 3, "USD"); /* a third of a nano an hour, of another denominator */
	assert_true(price_exact_for(&x, 730 * HOUR_SECONDS, &nanos));
	assert_int_equal(nanos, 136 * NANOS + 243);
}

static void what_does_not_fit_is_not_known(void **state)
{
	struct price_term part = term(
		INT64_C(1) << 62, 4, INT64_C(1475739525896764130), "USD");
	struct price_exact mixed = {0}, large = {0}, small = {0};
	int64_t nanos;

	add(&mixed, NANOS, 1, 1, "USD");
	add(&mixed, NANOS, 1, 1, "HKD");
	assert_false(price_exact_for(&mixed, HOUR_SECONDS, &nanos));
	add(&large, INT64_MAX, INT64_MAX, 1, "USD");
	assert_false(price_exact_for(&large, 730 * HOUR_SECONDS, &nanos));
	part.quantity_per = INT64_C(1) << 61; /* the denominator wraps to 9 * 2^64 */
	price_exact_add(&small, &part);
	assert_false(price_exact_for(&small, HOUR_SECONDS, &nanos));
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_month_is_what_its_gib_cost),
		cmocka_unit_test(what_does_not_fit_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
