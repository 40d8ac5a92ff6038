#include "base/money.h"

#include "base/mem.h"
#include "tests/support/assert.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A reproducible sequence (xorshift64). */
static int64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return (int64_t)*x;
}

/* ---- reading ----------------------------------------------------------------------------- */

struct sample {
	const char *text;
	int64_t nanos;
};

static const struct sample exact[] = {
	{"0", 0},
	{"-0", 0},
	{"+0", 0},
	{"0.0", 0},
	{"00", 0},
	{"1", NANOS},
	{"+1", NANOS},
	{"-1", -NANOS},
	{"007", 7 * NANOS},
	{"12.5", 12500000000},
	{"0.000000001", 1},
	{"-0.000000001", -1},
	{"0.1", 100000000},
	{"0.10", 100000000},
	{"0.100000000000000000000", 100000000}, /* zeros need no rounding */
	{"10.05", 10050000000},
	{"4.4E-5", 44000},
	{"4.4e-05", 44000},
	{"1e0", NANOS},
	{"1e+2", 100 * NANOS},
	{"1E2", 100 * NANOS},
	{"0.00012e5", 12 * NANOS},
	{"120e-1", 12 * NANOS},
	{"1e-9", 1},
	{"1000000000e-18", 1},
	{"0e999999999999", 0},
	{"0.000e-999999999999", 0},
	{"9223372036.854775807", INT64_MAX},
	{"-9223372036.854775808", INT64_MIN},
	{"9223372036854775807e-9", INT64_MAX},
	{"-9.223372036854775808e9", INT64_MIN},
};

static void decimals_are_read_exactly(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(exact); i++) {
		struct err e = {0};
		int64_t got = 77;

		assert_ok(nanos_parse(exact[i].text, &got, &e), e);
		if (got != exact[i].nanos)
			fail_msg("%s gives %lld", exact[i].text, (long long)got);
		got = 77;
		assert_ok(nanos_parse_exact(exact[i].text, &got, &e), e);
		assert_nanos_eq(got, exact[i].nanos);
	}
}

static const struct sample rounded[] = {
	{"0.0000000005", 0}, /* a tie goes to the even neighbour */
	{"0.0000000015", 2}, {"0.0000000025", 2}, {"0.0000000035", 4}, {"-0.0000000005", 0},
	{"-0.0000000015", -2}, {"-0.0000000025", -2},
	{"0.00000000050000000000000000000000000001", 1}, /* just above the tie */
	{"0.0000000024999999999999999999999999999", 2}, {"0.0000000014", 1},
	{"0.0000000016", 2}, {"0.9999999995", NANOS},
	{"0.9999999994999999999999999999", 999999999}, {"5e-10", 0}, {"6e-10", 1},
	{"15e-10", 2}, {"5.1e-10", 1}, {"9e-11", 0}, {"1e-400", 0}, {"-9.9e-999999", 0},
	{"2.7182818284590452", 2718281828}, {"9223372036.8547758070", INT64_MAX},
	{"9223372036.8547758074999", INT64_MAX},
	{"-9223372036.8547758085", INT64_MIN}, /* tie, and INT64_MIN is even */
};

static void more_than_nine_digits_round_half_to_even(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(rounded); i++) {
		struct err e = {0};
		int64_t got = 77;

		assert_ok(nanos_parse(rounded[i].text, &got, &e), e);
		if (got != rounded[i].nanos)
			fail_msg("%s gives %lld", rounded[i].text, (long long)got);
	}
}

static void an_amount_that_a_person_wrote_is_never_rounded(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(rounded); i++) {
		struct err e = {0};
		int64_t got = 77;

		if (!strcmp(rounded[i].text, "9223372036.8547758070"))
			continue; /* a zero needs none */
		assert_err(nanos_parse_exact(rounded[i].text, &got, &e), e, E_DATA,
			"more than nine digits after the point");
		assert_nanos_eq(got, 77);
	}
}

static void what_is_no_decimal_is_refused(void **state)
{
	static const char *const bad[] = {"", " ", "-", "+", ".", "-.", ".5", "5.", "-.5",
		"1.e3", " 1", "1 ", "1\n", "--1", "+-1", "1-", "1.2.3", "1,5", "1,000",
		"1_000", "0x10", "1e", "1e+", "1e-", "e5", "1e5.5", "1e5e5", "1ee5", "NaN",
		"nan", "Infinity", "-inf", "inf", "12a", "$5", "5%", "\xd9\xa1", "1e 5"};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err e = {0};
		int64_t got = 77;

		assert_err(nanos_parse(bad[i], &got, &e), e, E_DATA,
			"is not a decimal number");
		assert_err(nanos_parse_exact(bad[i], &got, &e), e, E_DATA, bad[i]);
		assert_nanos_eq(got, 77);
	}
}

static void a_value_out_of_range_is_an_overflow(void **state)
{
	static const char *const big[] = {"9223372036.854775808", "-9223372036.854775809",
		"9223372036.8547758075", "-9223372036.85477580851", "9223372037", "1e10",
		"-1e10", "99999999999999999999", "1e999", "-1e999", "1e999999999999999999",
		"100000000000000000000000000000000000000", "9.3e9"};

	for (size_t i = 0; i < ARRAY_LEN(big); i++) {
		struct err e = {0};
		int64_t got = 77;

		assert_err(nanos_parse(big[i], &got, &e), e, E_OVERFLOW, "too large");
		assert_nanos_eq(got, 77);
	}
}

static void text_of_400_characters_is_read_and_of_401_refused(void **state)
{
	char text[402];
	struct err e = {0};
	int64_t got = 77;

	memset(text, '0', 401);
	text[401] = '\0';
	assert_err(nanos_parse(text, &got, &e), e, E_DATA, "is not a decimal number");
	text[400] = '\0';
	assert_ok(nanos_parse(text, &got, &e), e);
	assert_nanos_eq(got, 0);
	/* the last of 398 fraction digits decides a tie */
	memcpy(text, "0.0000000005", 12);
	text[399] = '1';
	assert_ok(nanos_parse(text, &got, &e), e);
	assert_nanos_eq(got, 1);
	/* and all digits may be significant */
	memset(text, '9', 400);
	memcpy(text, "0.", 2);
	assert_ok(nanos_parse(text, &got, &e), e);
	assert_nanos_eq(got, NANOS);
	memset(text, '9', 400);
	assert_err(nanos_parse(text, &got, &e), e, E_OVERFLOW, "too large");
}

static void an_error_may_be_unwanted(void **state)
{
	struct money m = {.nanos = 5, .cur = "USD"};
	int64_t got = 77;

	assert_int_equal(nanos_parse("x", &got, NULL), E_DATA);
	assert_int_equal(nanos_parse("1e99", &got, NULL), E_OVERFLOW);
	assert_int_equal(money_parse("x USD", &m, NULL), E_DATA);
	assert_int_equal(money_parse("1e99 USD", &m, NULL), E_OVERFLOW);
	assert_nanos_eq(got, 77);
	assert_nanos_eq(m.nanos, 5);
}

/* ---- amounts with a currency ------------------------------------------------------------- */

static void an_amount_has_a_number_and_a_currency(void **state)
{
	struct err e = {0};
	struct money m = {0};

	assert_ok(money_parse("300 USD", &m, &e), e);
	assert_nanos_eq(m.nanos, 300 * NANOS);
	assert_string_equal(m.cur, "USD");
	assert_ok(money_parse("-0.000000001 HKD", &m, &e), e);
	assert_nanos_eq(m.nanos, -1);
	assert_string_equal(m.cur, "HKD");
}

static void an_amount_written_otherwise_is_refused(void **state)
{
	static const char *const bad[] = {"", "300", "USD", "300USD", "300  USD",
		" 300 USD", "300 USD ", "300 usd", "300 US", "300 USDT", "300 US1",
		"USD 300", "300\tUSD", "three USD", " USD", "0.0000000001 USD", "1,000 USD",
		"300 \xe2\x82\xac",
		"00000000000000000000000000000000000000000000000000000000000000001 USD",
		"0000000000000000000000000000000000000000000000000000000000000001 USD"};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct money m = {.nanos = 5, .cur = "XXX"};
		struct err e = {0};

		assert_err(money_parse(bad[i], &m, &e), e, E_DATA, "");
		assert_nanos_eq(m.nanos, 5);
		assert_string_equal(m.cur, "XXX");
	}
}

static void currencies_know_their_digits(void **state)
{
	static const struct {
		const char *cur;
		int digits;
	} rows[] = {{"USD", 2}, {"HKD", 2}, {"EUR", 2}, {"JPY", 0}, {"KRW", 0}, {"VND", 0},
		{"CLP", 0}, {"XPF", 0}, {"KWD", 3}, {"BHD", 3}, {"TND", 3}, {"ZZZ", 2},
		{"jpy", 2}, {"", 2}, {"F C", 2}, {"IF ", 2}, {"JPYX", 2}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (currency_digits(rows[i].cur) != rows[i].digits)
			fail_msg("%s has %d digits", rows[i].cur,
				currency_digits(rows[i].cur));
	assert_true(currency_valid("USD"));
	assert_false(currency_valid(""));
	assert_false(currency_valid("US"));
	assert_false(currency_valid("USDD"));
	assert_false(currency_valid("UsD"));
	assert_false(currency_valid("U D"));
}

/* ---- arithmetic -------------------------------------------------------------------------- */

static void sums_stop_at_the_edges(void **state)
{
	int64_t got = 77;

	assert_true(nanos_add(INT64_MAX - 1, 1, &got));
	assert_nanos_eq(got, INT64_MAX);
	assert_true(nanos_sub(INT64_MIN + 1, 1, &got));
	assert_nanos_eq(got, INT64_MIN);
	got = 77;
	assert_false(nanos_add(INT64_MAX, 1, &got));
	assert_false(nanos_add(INT64_MIN, -1, &got));
	assert_false(nanos_sub(INT64_MIN, 1, &got));
	assert_false(nanos_sub(0, INT64_MIN, &got));
	assert_nanos_eq(got, 77);
}

static void a_product_rounds_once_half_to_even(void **state)
{
	static const struct {
		int64_t a, b, want;
	} rows[] = {
		{0, INT64_MAX, 0},
		{NANOS, INT64_MAX, INT64_MAX},
		{NANOS, INT64_MIN, INT64_MIN},
		{2 * NANOS, 3 * NANOS, 6 * NANOS},
		{NANOS / 2, 1, 0}, /* 0.5 nano */
		{NANOS / 2, 3, 2}, /* 1.5 */
		{NANOS / 2, 5, 2}, /* 2.5 */
		{NANOS / 2, -1, 0},
		{NANOS / 2, -3, -2},
		{NANOS / 2 + 1, 1, 1},
		{NANOS / 2 - 1, 1, 0},
		{-NANOS, -NANOS, NANOS},
	};
	int64_t got = 77;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		assert_true(nanos_muldiv(rows[i].a, rows[i].b, NANOS, &got));
		assert_nanos_eq(got, rows[i].want);
	}
	got = 77;
	assert_false(nanos_muldiv(INT64_MAX, 2 * NANOS, NANOS, &got));
	assert_false(nanos_muldiv(INT64_MIN, -NANOS, NANOS, &got));
	assert_false(nanos_muldiv(INT64_MIN, INT64_MIN, NANOS, &got));
	assert_nanos_eq(got, 77);
}

static void a_divisor_must_be_positive(void **state)
{
	int64_t got = 77;

	assert_false(nanos_muldiv(1, 1, 0, &got));
	assert_false(nanos_muldiv(1, 1, -1, &got));
	assert_false(i128_div_round(1, 0, &got));
	assert_false(i128_div_round(1, INT64_MIN, &got));
	assert_nanos_eq(got, 77);
}

static void the_largest_values_divide_without_overflow(void **state)
{
	__int128 max = (__int128)(~(unsigned __int128)0 >> 1), edge;
	int64_t got = 77;

	assert_false(i128_div_round(max, 1, &got));
	assert_false(i128_div_round(-max - 1, 1, &got));
	assert_false(i128_div_round(max, INT64_MAX, &got));
	assert_nanos_eq(got, 77);
	assert_true(i128_div_round((__int128)INT64_MAX * INT64_MAX, INT64_MAX, &got));
	assert_nanos_eq(got, INT64_MAX);
	assert_true(nanos_muldiv(INT64_MIN, INT64_MAX, INT64_MAX, &got));
	assert_nanos_eq(got, INT64_MIN);
	/* a tie above the largest value leaves the range, a little less does not */
	edge = (__int128)INT64_MAX * 2 + 1;
	assert_false(i128_div_round(edge, 2, &got));
	assert_true(i128_div_round((__int128)INT64_MAX * 10 + 4, 10, &got));
	assert_nanos_eq(got, INT64_MAX);
	assert_true(i128_div_round((__int128)INT64_MIN * 2 - 1, 2, &got)); /* tie to even */
	assert_nanos_eq(got, INT64_MIN);
}

/* By the definition: a tie or nearer to the upper neighbour, or not, compared doubled. */
static bool slow_round(__int128 p, int64_t den, int64_t *out)
{
	__int128 low = p / den, rest;

	if (p % den < 0)
		low--;
	rest = p - low * den; /* 0 <= rest < den */
	if (rest * 2 > den || (rest * 2 == den && low % 2 != 0))
		low++;
	if (low > INT64_MAX || low < INT64_MIN)
		return false;
	*out = (int64_t)low;
	return true;
}

static void division_equals_the_definition_for_random_numbers(void **state)
{
	uint64_t x = 0x9e3779b97f4a7c15u;
	int overflows = 0;

	for (int i = 0; i < 200000; i++) {
		int64_t a = next_random(&x) >> (i % 64);
		int64_t b = next_random(&x) >> (i / 64 % 64);
		int64_t den = (int64_t)((uint64_t)next_random(&x) >> (1 + i / 4096 % 62));
		int64_t got = 77, want = 77;
		bool fits, ok;

		den += !den;
		fits = slow_round((__int128)a * b, den, &want);
		ok = nanos_muldiv(a, b, den, &got);
		if (ok != fits || got != want)
			fail_msg("%lld x %lld / %lld gives %lld, want %lld", (long long)a,
				(long long)b, (long long)den, (long long)got,
				(long long)want);
		overflows += !fits;
	}
	assert_true(overflows > 1000 && overflows < 150000); /* both kinds were tried */
}

static void small_divisions_meet_every_tie(void **state)
{
	for (int den = 1; den <= 12; den++)
		for (int v = -60; v <= 60; v++) {
			int64_t got = 77, want = 77;

			assert_true(i128_div_round(v, den, &got));
			assert_true(slow_round(v, den, &want));
			assert_i64_eq(got, want);
		}
}

/* ---- printing ---------------------------------------------------------------------------- */

static void the_shortest_decimal_is_printed(void **state)
{
	static const struct sample rows[] = {
		{"0", 0},
		{"1", NANOS},
		{"-1", -NANOS},
		{"5.678544", 5678544000},
		{"-0.5", -500000000},
		{"0.000000001", 1},
		{"-0.000000001", -1},
		{"1000", 1000 * NANOS},
		{"10.01", 10010000000},
		{"9223372036.854775807", INT64_MAX},
		{"-9223372036.854775808", INT64_MIN},
	};
	char buf[NANOS_BUF];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_string_equal(nanos_format(rows[i].nanos, buf), rows[i].text);
}

static void fixed_digits_round_half_to_even(void **state)
{
	static const struct {
		int64_t nanos;
		int digits;
		const char *want;
	} rows[] = {
		{0, 2, "0.00"},
		{0, 0, "0"},
		{5678544000, 2, "5.68"},
		{5678544000, 9, "5.678544000"},
		{5678544000, 0, "6"},
		{1500000000, 0, "2"},
		{2500000000, 0, "2"},
		{-2500000000, 0, "-2"},
		{1005000000, 2, "1.00"}, /* tie */
		{1015000000, 2, "1.02"},
		{1025000000, 2, "1.02"},
		{1025000001, 2, "1.03"},
		{-4000000, 2, "0.00"}, /* no minus before nothing */
		{-5000000, 2, "0.00"},
		{-6000000, 2, "-0.01"},
		{999999999, 2, "1.00"},
		{999999999, 8, "1.00000000"},
		{99995000000, 2, "100.00"},
		{INT64_MAX, 0, "9223372037"},
		{INT64_MAX, 8, "9223372036.85477581"},
		{INT64_MIN, 0, "-9223372037"},
		{INT64_MIN, 9, "-9223372036.854775808"},
		{NANOS, -3, "1"},
		{NANOS, 12, "1.000000000"},
	};
	char buf[NANOS_BUF];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_string_equal(nanos_format_fixed(rows[i].nanos, rows[i].digits, buf),
			rows[i].want);
}

static void hundredths_are_rounded_like_amounts(void **state)
{
	static const int64_t values[] = {
		0, 4, 5, 15, 25, -15, 9995, 11665, 11675, INT64_MAX, INT64_MIN};
	char got[NANOS_BUF], want[NANOS_BUF];
	int64_t nanos;

	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		if (!__builtin_mul_overflow(values[i], NANOS / 100, &nanos))
			assert_string_equal(hundredths_format(values[i], got),
				nanos_format_fixed(nanos, 1, want));
	assert_string_equal(hundredths_format(11665, got), "116.6");
	assert_string_equal(hundredths_format(INT64_MIN, got), "-92233720368547758.1");
}

static void any_amount_survives_printing_and_reading(void **state)
{
	uint64_t x = 42;
	char buf[NANOS_BUF];
	struct err e = {0};

	for (int i = 0; i < 100000; i++) {
		int64_t want = next_random(&x) >> (i % 64), got = 0;

		if (i % 3 == 0)
			want -= want % 1000000; /* with zeros at the end */
		assert_ok(nanos_parse_exact(nanos_format(want, buf), &got, &e), e);
		assert_nanos_eq(got, want);
		assert_ok(nanos_parse_exact(nanos_format_fixed(want, 9, buf), &got, &e), e);
		assert_nanos_eq(got, want);
	}
}

/* The same value moved by an exponent is the same amount. */
static void an_exponent_only_moves_the_point(void **state)
{
	uint64_t x = 7;
	char buf[NANOS_BUF], text[64];
	struct err e = {0};

	for (int i = 0; i < 20000; i++) {
		int64_t want = next_random(&x) >> (i % 64), got = 0;

		snprintf(text, sizeof(text), "%llde-9", (long long)want);
		assert_ok(nanos_parse_exact(text, &got, &e), e);
		assert_nanos_eq(got, want);
		snprintf(text, sizeof(text), "%se0", nanos_format(want, buf));
		assert_ok(nanos_parse_exact(text, &got, &e), e);
		assert_nanos_eq(got, want);
	}
}

static void what_rounding_leaves_out_is_told(void **state)
{
	static const struct {
		const char *text;
		int64_t nanos, rest;
	} v[] = {{"1", 1000000000, 0}, {"1.0000000005", 1000000000, 500000000},
		{"1.0000000015", 1000000002, -500000000},
		{"-1.0000000015", -1000000002, 500000000}, {"4E-10", 0, 400000000},
		{"-4E-10", 0, -400000000}, {"6E-10", 1, -400000000},
		{"1.2345678901234567E-10", 0, 123456789}, {"1E-18", 0, 1}, {"1E-19", 0, 0},
		{"0.123456789123456789", 123456789, 123456789},
		{"0.1234567899999999999", 123456790, -1}};

	for (size_t i = 0; i < ARRAY_LEN(v); i++) {
		int64_t nanos = 7, rest = 7;
		struct err e = {0};

		assert_int_equal(nanos_parse_rest(v[i].text, &nanos, &rest, &e), E_OK);
		assert_int_equal(nanos, v[i].nanos);
		assert_int_equal(rest, v[i].rest);
	}
}

/* Short and long ways of writing the same take different ways through the parser. */
static void long_numbers_are_read_or_refused(void **state)
{
	int64_t v = 0;
	struct err e = {0};

	assert_int_equal(nanos_parse("9990000000000000000", &v, &e), E_OVERFLOW);
	assert_int_equal(nanos_parse("99999999999999999999999", &v, &e), E_OVERFLOW);
	assert_int_equal(nanos_parse("9223372036.854775807", &v, &e), E_OK);
	assert_int_equal(v, INT64_MAX);
	assert_int_equal(nanos_parse("00000000000000000000001", &v, &e), E_OK);
	assert_int_equal(v, NANOS);
	assert_int_equal(nanos_parse("123456789.123456789", &v, &e), E_OK);
	assert_int_equal(v, INT64_C(123456789123456789));
}

static void plain_and_other_spellings_are_the_same_amount(void **state)
{
	unsigned seed = 7;

	for (int i = 0; i < 20000; i++) {
		int64_t want = ((int64_t)rand_r(&seed) << 20 ^ rand_r(&seed)) *
			(rand_r(&seed) % 2 ? 1 : -1);
		char plain[NANOS_BUF], other[NANOS_BUF + 8];
		int64_t a = 0, b = 0;
		struct err e = {0};

		nanos_format(want, plain);
		snprintf(other, sizeof(other), "%sE0", plain);
		assert_int_equal(nanos_parse(plain, &a, &e), E_OK);
		assert_int_equal(nanos_parse(other, &b, &e), E_OK);
		assert_int_equal(a, want);
		assert_int_equal(b, want);
	}
	{
		static const char *const bad[] = {"", "-", ".", "1.", ".5", "-.5", "1..2",
			"1.2.3", "--1", "1 ", " 1", "1,5", "0x10", "1e", "\x00"};

		for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
			int64_t a = 0;

			assert_int_equal(nanos_parse(bad[i], &a, NULL), E_DATA);
		}
	}
}

static void words_have_the_digits_of_the_currency(void **state)
{
	struct arena a = {0};

	assert_string_equal(money_words(&a, NANOS * 25 / 2, "USD"), "12.50 USD");
	assert_string_equal(money_words(&a, -NANOS * 1200, "JPY"), "-1200 JPY");
	assert_string_equal(money_words(&a, NANOS / 100, "USD"), "0.01 USD");
	assert_string_equal(money_words(&a, NANOS / 100 - 1, "USD"), "0.0100 USD");
	assert_string_equal(money_words(&a, -NANOS / 200, "USD"), "-0.0050 USD");
	assert_string_equal(money_words(&a, 0, "USD"), "0.00 USD");
	assert_string_equal(money_words(&a, NANOS / 2, "JPY"), "0.50 JPY");
	assert_string_equal(money_words(&a, 50000, "USD"), "0.00 USD");
	assert_string_equal(money_words(&a, 50001, "USD"), "0.0001 USD");
	arena_done(&a);
}

static void short_amounts_have_digits_that_count(void **state)
{
	static const struct {
		int64_t nanos;
		const char *want;
	} rows[] = {{0, "0.00"}, {99999999, "0.1000"}, {NANOS / 10, "0.10"},
		{-99949999, "-0.0999"}, {-NANOS / 10, "-0.10"}, {5675000000, "5.68"}};
	char buf[NANOS_BUF];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_string_equal(nanos_format_short(rows[i].nanos, buf), rows[i].want);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_have_the_digits_of_the_currency),
		cmocka_unit_test(short_amounts_have_digits_that_count),
		cmocka_unit_test(what_rounding_leaves_out_is_told),
		cmocka_unit_test(long_numbers_are_read_or_refused),
		cmocka_unit_test(plain_and_other_spellings_are_the_same_amount),
		cmocka_unit_test(decimals_are_read_exactly),
		cmocka_unit_test(more_than_nine_digits_round_half_to_even),
		cmocka_unit_test(an_amount_that_a_person_wrote_is_never_rounded),
		cmocka_unit_test(what_is_no_decimal_is_refused),
		cmocka_unit_test(a_value_out_of_range_is_an_overflow),
		cmocka_unit_test(text_of_400_characters_is_read_and_of_401_refused),
		cmocka_unit_test(an_error_may_be_unwanted),
		cmocka_unit_test(an_amount_has_a_number_and_a_currency),
		cmocka_unit_test(an_amount_written_otherwise_is_refused),
		cmocka_unit_test(currencies_know_their_digits),
		cmocka_unit_test(sums_stop_at_the_edges),
		cmocka_unit_test(a_product_rounds_once_half_to_even),
		cmocka_unit_test(a_divisor_must_be_positive),
		cmocka_unit_test(the_largest_values_divide_without_overflow),
		cmocka_unit_test(division_equals_the_definition_for_random_numbers),
		cmocka_unit_test(small_divisions_meet_every_tie),
		cmocka_unit_test(the_shortest_decimal_is_printed),
		cmocka_unit_test(fixed_digits_round_half_to_even),
		cmocka_unit_test(hundredths_are_rounded_like_amounts),
		cmocka_unit_test(any_amount_survives_printing_and_reading),
		cmocka_unit_test(an_exponent_only_moves_the_point),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
