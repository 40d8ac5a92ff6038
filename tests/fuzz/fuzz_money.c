/* Amounts. Texts against an addition of decimal strings, digit by digit; arithmetic against what
 * defines a rounded quotient; what is printed reads as the same again. */
#include "base/mem.h"
#include "base/money.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

typedef __int128 wide;

/* ---- texts ------------------------------------------------------------------------------------- */

/* A decimal as its digits, d[i] worth 10^(i - LOW): all that 400 characters with a small exponent
 * can say. */
#define LOW 520
#define PLACES 1100
struct places {
	uint8_t d[PLACES];
	bool negative;
};

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/* [-+]digits[.digits][(e|E)[-+]digits], the digits at their places. `far`: the exponent is beyond
 * them. */
static bool slow_read(const char *s, struct places *p, bool *far)
{
	long exponent = 0, whole, fraction = 0, place;
	const char *first, *rest;

	memset(p, 0, sizeof(*p));
	*far = false;
	p->negative = *s == '-';
	s += *s == '-' || *s == '+';
	first = s;
	whole = (long)strspn(s, "0123456789");
	s += whole;
	if (whole && *s == '.') {
		fraction = (long)strspn(s + 1, "0123456789");
		if (!fraction)
			return false;
		s += 1 + fraction;
	}
	if (!whole)
		return false;
	rest = s;
	if (*s == 'e' || *s == 'E') {
		bool minus = s[1] == '-';

		s += 1 + (s[1] == '-' || s[1] == '+');
		if (!digit(*s) || s[strspn(s, "0123456789")])
			return false;
		s += strspn(s, "0");
		exponent = strlen(s) > 4 ? 100000 : strtol(*s ? s : "0", NULL, 10);
		exponent = minus ? -exponent : exponent;
	} else if (*s) {
		return false;
	}
	*far = exponent > 100 || exponent < -100;
	place = LOW + exponent + whole - 1;
	for (; first < rest && !*far; first++)
		if (digit(*first))
			p->d[place--] = (uint8_t)(*first - '0');
	return true;
}

/* The digits at and above 10^-9 as a number; false beyond 30 of them. */
static bool slow_value(const struct places *p, wide *out)
{
	wide v = 0;

	for (long i = PLACES - 1; i >= LOW - 9; i--) {
		if (v > (wide)INT64_MAX * 1000)
			return false;
		v = v * 10 + p->d[i];
	}
	*out = v;
	return true;
}

/* What lies below 10^-9: -1 less than half of it, 0 half, 1 more; *any: something does. */
static int slow_rest(const struct places *p, bool *any, int64_t *next_nine)
{
	bool more = false;

	*next_nine = 0;
	for (long i = LOW - 10; i >= LOW - 18; i--)
		*next_nine = *next_nine * 10 + p->d[i];
	for (long i = LOW - 11; i >= 0; i--)
		more = more || p->d[i];
	*any = more || p->d[LOW - 10];
	if (p->d[LOW - 10] != 5)
		return p->d[LOW - 10] > 5 ? 1 : -1;
	return more ? 1 : 0;
}

static void check_value(const char *s, const struct places *p)
{
	int64_t got = 1, exact = 2, rest = 3, next_nine, same;
	struct err e = {0};
	wide want = 0;
	bool any, up, fits = slow_value(p, &want);
	int half = slow_rest(p, &any, &next_nine);
	enum err_code rc = nanos_parse(s, &got, &e);

	up = half > 0 || (half == 0 && want % 2);
	want += up;
	want = p->negative ? -want : want;
	fits = fits && want >= INT64_MIN && want <= INT64_MAX;
	fuzz_require(rc == (fits ? E_OK : E_OVERFLOW));
	fuzz_require(fits || (got == 1 && e.code == rc && strstr(e.msg, "is too large")));
	fuzz_require(nanos_parse_rest(s, &same, &rest, NULL) == rc);
	if (fits) {
		fuzz_require(got == (int64_t)want && same == got);
		next_nine -= up ? NANOS : 0;
		fuzz_require(rest == (p->negative ? -next_nine : next_nine));
	}
	rc = nanos_parse_exact(s, &exact, &e);
	if (fits)
		fuzz_require(any ? rc == E_DATA && exact == 2 : rc == E_OK && exact == got);
	else
		fuzz_require(rc == E_OVERFLOW || rc == E_DATA);
}

static void check_text(const char *s)
{
	struct places p;
	struct err e = {0};
	int64_t got = 1;
	bool far, valid = slow_read(s, &p, &far) && strlen(s) <= 400;

	if (!valid)
		fuzz_require(nanos_parse(s, &got, &e) == E_DATA && got == 1 && e.msg[0]);
	else if (!far)
		check_value(s, &p);
	else if (nanos_parse(s, &got, &e) == E_OK)
		fuzz_require(nanos_parse_exact(s, &got, &e) == E_DATA || got == 0 ||
			strlen(s) > 90);
}

/* ---- numbers ----------------------------------------------------------------------------------- */

static void check_format(int64_t v)
{
	char text[NANOS_BUF], fixed[NANOS_BUF];
	int64_t again = 0, unit = NANOS;
	const char *point;

	nanos_format(v, text);
	fuzz_require(nanos_parse_exact(text, &again, NULL) == E_OK && again == v);
	point = strchr(text, '.');
	fuzz_require(!point || (text[strlen(text) - 1] != '0' && strlen(point) <= 10));
	fuzz_require(strcmp(text, "-0") != 0 && text[strspn(text, "-0123456789.")] == '\0');
	for (int digits = 0; digits <= 9; digits++, unit /= 10) {
		wide off;

		nanos_format_fixed(v, digits, fixed);
		point = strchr(fixed, '.');
		fuzz_require(
			digits ? point && strlen(point) == (size_t)digits + 1 : !point);
		if (nanos_parse(fixed, &again, NULL) != E_OK)
			continue; /* rounded to beyond the range */
		off = (wide)again - v;
		off = off < 0 ? -off : off;
		fuzz_require(again % unit == 0 && off * 2 <= unit);
		fuzz_require(off * 2 != unit || unit == 1 || again / unit % 2 == 0);
	}
}

/* The nearest whole number to value / den, the even one of two, or it is out of range. */
static void check_quotient(wide value, int64_t den, bool ok, int64_t q)
{
	wide off, limit = ((wide)INT64_MAX + 1) * den;

	if (!ok) {
		fuzz_require(den <= 0 || value >= limit - (den + 1) / 2 ||
			value <= -limit - den / 2);
		return;
	}
	off = (wide)q * den - value;
	off = off < 0 ? -off : off;
	fuzz_require(off <= den - off);
	fuzz_require(off < den - off || den == 1 || q % 2 == 0);
}

static void check_numbers(int64_t a, int64_t b, int64_t den)
{
	wide sum = (wide)a + b, less = (wide)a - b;
	int64_t v = 0;
	bool ok;

	ok = nanos_add(a, b, &v);
	fuzz_require(ok == (sum == (int64_t)sum) && (!ok || v == sum));
	ok = nanos_sub(a, b, &v);
	fuzz_require(ok == (less == (int64_t)less) && (!ok || v == less));
	ok = nanos_muldiv(a, b, NANOS, &v);
	check_quotient((wide)a * b, NANOS, ok, v);
	den = den == INT64_MIN ? 0 : den;
	ok = nanos_muldiv(a, b, den, &v);
	check_quotient((wide)a * b, den, ok, v);
	check_format(a);
}

static void check_money(const char *s)
{
	struct money m = {.nanos = 7};
	const char *blank = strchr(s, ' ');
	int64_t amount = 0;
	struct err e = {0};

	if (money_parse(s, &m, &e)) {
		fuzz_require(m.nanos == 7 && !m.cur[0] && e.msg[0]);
		return;
	}
	fuzz_require(blank && !strcmp(blank + 1, m.cur) && currency_valid(m.cur));
	fuzz_require(strlen(m.cur) == 3 && blank - s < 400);
	{
		cleanup(free_ptr) char *number = fuzz_text(
			(const uint8_t *)s, (size_t)(blank - s));

		fuzz_require(nanos_parse_exact(number, &amount, NULL) == E_OK);
		fuzz_require(amount == m.nanos);
	}
}

int fuzz_money(const uint8_t *data, size_t size)
{
	cleanup(free_ptr) char *s = fuzz_text(data, size);
	int64_t v[3];

	if (size == sizeof(v)) {
		memcpy(v, data, sizeof(v));
		check_numbers(v[0], v[1], v[2]);
	}
	check_text(s);
	check_money(s);
	return 0;
}
