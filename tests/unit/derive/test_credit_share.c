/* Which coupon paid what. Amounts in USD of 1e9 nano-units. */
#include "rules/bill/credit_share.h"

#include "tests/support/assert.h"
#include "tests/support/unit.h"

#include <string.h>

#define USD(x) ((int64_t)(x)*NANOS)

static struct arena arena;
static struct credit_share shares[4];

static int setup(void **state)
{
	memset(shares, 0, sizeof(shares));
	for (size_t i = 0; i < ARRAY_LEN(shares); i++)
		shares[i].to_rate = NANOS;
	return 0;
}

static int teardown(void **state)
{
	arena_done(&arena);
	return 0;
}

static struct credit coupon(int64_t amount, const char *cur, ts_t starts, ts_t expires)
{
	struct credit c = {.name = "c",
		.amount = {.nanos = amount},
		.starts = starts,
		.expires = expires};

	memcpy(c.amount.cur, cur, 4);
	return c;
}

static void paid(const struct credit *c, size_t n, ts_t hour, int64_t usd)
{
	const struct promo p = {.currency = "USD", .rate = NANOS, .promo = -usd};

	credit_give(c, n, hour, &p, shares, &arena);
}

static int64_t used(const struct credit *c, size_t i)
{
	int64_t sum = 0, part;

	for (size_t k = 0; k < shares[i].n; k++) {
		assert_true(
			credit_convert(&shares[i].v[k], &c[i], shares[i].to_rate, &part));
		sum += part;
	}
	return sum;
}

static void overlap_is_a_common_instant(void **state)
{
	struct credit c[2] = {coupon(1, "USD", 0, 100), coupon(1, "USD", 100, 200)};

	assert_false(credits_overlap(c, 1));
	assert_false(credits_overlap(c, 2)); /* one ends as the other begins */
	c[1].starts = 99;
	assert_true(credits_overlap(c, 2));
	c[0] = coupon(1, "USD", TS_NONE, 100);
	c[1] = coupon(1, "USD", TS_NONE, 50);
	assert_true(credits_overlap(c, 2));
	c[0] = coupon(1, "USD", 500, TS_NONE);
	assert_false(credits_overlap(c, 2));
}

static void the_one_that_expires_first_pays_first(void **state)
{
	const struct credit c[] = {coupon(USD(300), "USD", 0, TS_NONE),
		coupon(USD(100), "USD", 0, 2000), coupon(USD(50), "USD", 0, 1000)};

	paid(c, 3, 10, USD(30));
	assert_nanos_eq(used(c, 2), USD(30));
	/* 20 are left of the first; 40 go to the second */
	paid(c, 3, 20, USD(60));
	assert_nanos_eq(used(c, 2), USD(50));
	assert_nanos_eq(used(c, 1), USD(40));
	assert_nanos_eq(used(c, 0), 0);
	/* the third expired, the second has 60 left, the rest has no end */
	paid(c, 3, 1000, USD(70));
	assert_nanos_eq(used(c, 1), USD(100));
	assert_nanos_eq(used(c, 0), USD(10));
	/* after its end a coupon pays nothing, whatever it had left */
	paid(c, 3, 2000, USD(5));
	assert_nanos_eq(used(c, 0), USD(15));
}

static void what_none_has_room_for_goes_to_the_last(void **state)
{
	const struct credit c[] = {
		coupon(USD(10), "USD", 0, 1000), coupon(USD(20), "USD", 0, 2000)};

	paid(c, 2, 0, USD(45));
	assert_nanos_eq(used(c, 0), USD(10));
	assert_nanos_eq(used(c, 1), USD(35));
	/* nobody's when none runs */
	paid(c, 2, 2000, USD(7));
	assert_nanos_eq(used(c, 0) + used(c, 1), USD(45));
}

static void what_is_taken_back_goes_to_who_paid(void **state)
{
	const struct credit c[] = {
		coupon(USD(10), "USD", 0, 1000), coupon(USD(20), "USD", 0, 2000)};

	paid(c, 2, 0, USD(4));
	paid(c, 2, 1, -USD(3));
	assert_nanos_eq(used(c, 0), USD(1));
	assert_nanos_eq(used(c, 1), 0);
}

/* 7.75 HKD are one USD: a coupon of 10 USD has room for 77.50 HKD. */
static void currencies_meet_at_the_rate_of_the_bill(void **state)
{
	const struct credit c[] = {
		coupon(USD(10), "USD", 0, 1000), coupon(USD(100), "HKD", 0, 2000)};
	const struct promo p = {.currency = "HKD", .rate = 7750000000, .promo = -USD(100)};
	const struct promo unknown = {.currency = "EUR", .rate = 0, .promo = -USD(1)};
	int64_t part;

	shares[1].to_rate = 7750000000;
	credit_give(c, 2, 0, &p, shares, &arena);
	assert_nanos_eq(used(c, 0), USD(10));
	assert_nanos_eq(used(c, 1), 22500000000);
	/* without a rate nobody knows: the one that would have paid is not known any more */
	credit_give(c, 2, 0, &unknown, shares, &arena);
	assert_i64_eq(shares[0].n, 2);
	assert_false(credit_convert(&shares[0].v[1], &c[0], NANOS, &part));
}

/* Nothing is lost or made, whatever the order of coupons and hours. */
static void what_is_given_is_what_was_paid(void **state)
{
	uint64_t seed = 1795219200;

	for (int world = 0; world < 300; world++) {
		struct credit c[4];
		int64_t total = 0, sum = 0;

		setup(state);
		for (size_t i = 0; i < 4; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			c[i] = coupon((int64_t)(seed >> 40) * 1000, "USD", 0,
				100000 + (ts_t)(seed >> 50));
		}
		for (ts_t h = 0; h < 40; h++) {
			int64_t usd;

			seed = seed * 6364136223846793005u + 1442695040888963407u;
			usd = (int64_t)(seed >> 38);
			paid(c, 4, h * 3600, usd);
			/* hours in which none runs are nobody's */
			for (size_t i = 0; i < 4; i++)
				if (h * 3600 < c[i].expires) {
					total += usd;
					break;
				}
		}
		for (size_t i = 0; i < 4; i++)
			sum += used(c, i);
		assert_nanos_eq(sum, total);
		arena_done(&arena);
	}
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(overlap_is_a_common_instant),
		TEST(the_one_that_expires_first_pays_first),
		TEST(what_none_has_room_for_goes_to_the_last),
		TEST(what_is_taken_back_goes_to_who_paid),
		TEST(currencies_meet_at_the_rate_of_the_bill),
		TEST(what_is_given_is_what_was_paid),
	};

	return cmocka_run_group_tests_name("credit share", tests, NULL, NULL);
}
