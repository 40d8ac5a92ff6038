#include "base/money.h"

#include "base/mem.h"

#include <string.h>

#define MAX_TEXT 400
#define DIGITS 9

bool nanos_add(int64_t a, int64_t b, int64_t *out)
{
	int64_t v;

	if (__builtin_add_overflow(a, b, &v))
		return false;
	*out = v;
	return true;
}

bool nanos_sub(int64_t a, int64_t b, int64_t *out)
{
	int64_t v;

	if (__builtin_sub_overflow(a, b, &v))
		return false;
	*out = v;
	return true;
}

bool i128_div_round(__int128 value, __int128 den, int64_t *out)
{
	__int128 q, r;

	if (den <= 0)
		return false;
	q = value / den;
	r = value % den;
	if (r < 0)
		r = -r;
	/* r and den - r compare without doubling, which could overflow. */
	if (r > den - r || (r == den - r && (q & 1)))
		q += value < 0 ? -1 : 1;
	if (q > INT64_MAX || q < INT64_MIN)
		return false;
	*out = (int64_t)q;
	return true;
}

bool nanos_muldiv(int64_t a, int64_t num, int64_t den, int64_t *out)
{
	return i128_div_round((__int128)a * num, den, out);
}

/* Parts of a decimal: the digits without point and leading zeros, and the position of the point
 * counted from their start. */
struct decimal {
	char digits[MAX_TEXT + 1];
	long n;
	long point;
	bool negative;
};

static bool decimal_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool parse_exponent(const char *p, long *out)
{
	bool negative = false;
	long v = 0;

	if (*p == '+' || *p == '-')
		negative = *p++ == '-';
	if (!decimal_is_digit(*p))
		return false;
	for (; decimal_is_digit(*p); p++)
		if (v < 1000000)
			v = v * 10 + (*p - '0');
	*out = negative ? -v : v;
	return !*p;
}

static bool decimal_take_apart(const char *s, struct decimal *d)
{
	bool seen_point = false, any = false;
	long exponent = 0;

	d->n = d->point = 0;
	d->negative = *s == '-';
	if (*s == '-' || *s == '+')
		s++;
	for (; decimal_is_digit(*s) || (*s == '.' && !seen_point); s++) {
		if (*s == '.') {
			seen_point = true;
			if (!any || !decimal_is_digit(s[1]))
				return false;
			continue;
		}
		any = true;
		if (d->n || *s != '0')
			d->digits[d->n++] = *s;
		else if (!seen_point)
			continue;
		d->point += seen_point ? 0 : 1;
		if (seen_point && !d->n)
			d->point--; /* a zero after the point, before any other digit */
	}
	if (!any)
		return false;
	if ((*s == 'e' || *s == 'E') ? !parse_exponent(s + 1, &exponent) : *s != '\0')
		return false;
	d->point += exponent;
	return true;
}

static enum err_code decimal_too_large(const char *s, struct err *e)
{
	return err_set(e, E_OVERFLOW, "'%.60s' is too large (at most 9.2 billion)", s);
}

/* Does the part after the first `keep` digits round up? */
static bool rounds_up(const struct decimal *d, long keep, bool odd, bool *exact)
{
	long i = keep < 0 ? 0 : keep;
	bool rest = false;
	char first = keep < 0 || keep >= d->n ? '0' : d->digits[keep];

	for (; i < d->n; i++)
		if (d->digits[i] != '0' && i != keep)
			rest = true;
	*exact = first == '0' && !rest;
	return first > '5' || (first == '5' && (rest || odd));
}

/* Fast path for most amounts: few digits, at most nine of them after the point, no exponent. False:
 * use the general parser. */
static bool parse_plain(const char *s, int64_t *out)
{
	const char *p = s, *point = NULL;
	bool negative = *p == '-';
	int64_t v = 0;
	int fraction;

	p += negative;
	s = p;
	for (; decimal_is_digit(*p) || (*p == '.' && !point); p++) {
		if (p - s > 17) /* of 19 digits the last may not fit */
			return false;
		if (*p == '.')
			point = p;
		else
			v = v * 10 + (*p - '0');
	}
	if (*p || p == s || point == s || (point && p == point + 1))
		return false;
	fraction = point ? (int)(p - point - 1) : 0;
	if (fraction > DIGITS)
		return false;
	for (; fraction < DIGITS; fraction++)
		if (__builtin_mul_overflow(v, 10, &v))
			return false;
	*out = negative ? -v : v;
	return true;
}

/* Part after the ninth digit after the point, in 1e-18. */
static int64_t rest_of(const struct decimal *d, long keep, bool up)
{
	int64_t rest = 0;

	for (long i = keep; i < keep + DIGITS; i++)
		rest = rest * 10 + (i >= 0 && i < d->n ? d->digits[i] - '0' : 0);
	if (up)
		rest -= NANOS;
	return d->negative ? -rest : rest;
}

static enum err_code decimal_parse(
	const char *s, bool must_be_exact, int64_t *out, int64_t *left, struct err *e)
{
	struct decimal d;
	int64_t v = 0;
	long keep;
	bool exact, up;

	if (left)
		*left = 0;
	if (parse_plain(s, out))
		return E_OK;
	if (strnlen(s, MAX_TEXT + 1) > MAX_TEXT || !decimal_take_apart(s, &d))
		return err_set(e, E_DATA, "'%.60s' is not a decimal number", s);
	if (d.n && d.point > 11)
		return decimal_too_large(s, e);
	keep = d.point + DIGITS; /* digits that fit before the last nano */
	for (long i = 0; i < keep && d.n; i++) {
		int digit = i < d.n ? d.digits[i] - '0' : 0;

		if (__builtin_mul_overflow(v, 10, &v) ||
			__builtin_sub_overflow(v, digit, &v))
			return decimal_too_large(s, e);
	}
	up = rounds_up(&d, keep, v & 1, &exact);
	if (up && __builtin_sub_overflow(v, 1, &v))
		return decimal_too_large(s, e);
	if (must_be_exact && !exact)
		return err_set(
			e, E_DATA, "'%.60s' has more than nine digits after the point", s);
	if (!d.negative && v == INT64_MIN)
		return decimal_too_large(s, e);
	*out = d.negative ? v : -v;
	if (left)
		*left = rest_of(&d, keep, up);
	return E_OK;
}

enum err_code nanos_parse(const char *s, int64_t *out, struct err *e)
{
	return decimal_parse(s, false, out, NULL, e);
}

enum err_code nanos_parse_rest(const char *s, int64_t *out, int64_t *rest, struct err *e)
{
	return decimal_parse(s, false, out, rest, e);
}

enum err_code nanos_parse_exact(const char *s, int64_t *out, struct err *e)
{
	return decimal_parse(s, true, out, NULL, e);
}

bool currency_valid(const char *cur)
{
	return strlen(cur) == 3 && strspn(cur, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 3;
}

enum err_code money_parse(const char *s, struct money *out, struct err *e)
{
	const char *blank = strchr(s, ' ');
	char number[64];
	struct money m = {0};
	enum err_code rc;

	if (!blank || !currency_valid(blank + 1) || (size_t)(blank - s) >= sizeof(number))
		return err_set(e, E_DATA,
			"'%.60s' is not an amount (expected one such as 300 USD)", s);
	memcpy(number, s, (size_t)(blank - s));
	number[blank - s] = '\0';
	rc = nanos_parse_exact(number, &m.nanos, e);
	if (rc)
		return rc;
	memcpy(m.cur, blank + 1, 4);
	*out = m;
	return E_OK;
}

/* Print `value` in units of 10^-digits. Without printf: reports have thousands of amounts. */
static int print_scaled(int64_t value, int digits, char buf[NANOS_BUF])
{
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
	char text[NANOS_BUF], *end = text + sizeof(text), *p = end;
	bool minus = value < 0;

	*--p = '\0';
	for (int i = 0; i <= digits || rest; i++) {
		if (i && i == digits)
			*--p = '.';
		*--p = (char)('0' + rest % 10);
		rest /= 10;
	}
	if (minus)
		*--p = '-';
	memcpy(buf, p, (size_t)(end - p));
	return (int)(end - p) - 1;
}

char *nanos_format(int64_t nanos, char buf[NANOS_BUF])
{
	int n = print_scaled(nanos, DIGITS, buf);

	while (buf[n - 1] == '0')
		buf[--n] = '\0';
	if (buf[n - 1] == '.')
		buf[--n] = '\0';
	return buf;
}

char *nanos_format_fixed(int64_t nanos, int digits, char buf[NANOS_BUF])
{
	int64_t unit = 1, rounded = nanos;

	digits = digits < 0 ? 0 : digits > DIGITS ? DIGITS : digits;
	for (int i = digits; i < DIGITS; i++)
		unit *= 10;
	(void)!i128_div_round(nanos, unit, &rounded); /* fits: it only gets smaller */
	print_scaled(rounded, digits, buf);
	return buf;
}

char *hundredths_format(int64_t hundredths, char buf[NANOS_BUF])
{
	int64_t tenths = hundredths;

	(void)!i128_div_round(hundredths, 10, &tenths); /* fits: it only gets smaller */
	print_scaled(tenths, 1, buf);
	return buf;
}

char *nanos_format_money(int64_t nanos, int digits, char buf[NANOS_BUF])
{
	int64_t least = NANOS,
		amount = nanos == INT64_MIN ? INT64_MAX
		: nanos < 0                 ? -nanos
					    : nanos;

	for (int i = 0; i < digits; i++)
		least /= 10;
	/* further digits only if they show more than zeros */
	return nanos_format_fixed(
		nanos, amount < least && amount > least / 200 ? digits + 2 : digits, buf);
}

char *nanos_format_short(int64_t nanos, char buf[NANOS_BUF])
{
	bool small = nanos && nanos < NANOS / 10 && nanos > -NANOS / 10;

	return nanos_format_fixed(nanos, small ? 4 : 2, buf);
}

int currency_digits(const char *cur)
{
	static const char none[] =
		"BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF";
	static const char three[] = "BHD IQD JOD KWD LYD OMR TND";

	if (!currency_valid(cur))
		return 2;
	if (strstr(none, cur))
		return 0;
	return strstr(three, cur) ? 3 : 2;
}

int money_digits(const char *cur, bool per_hour)
{
	int digits = currency_digits(cur);

	return per_hour && digits < 2 ? 2 : digits;
}

const char *money_words(struct arena *a, int64_t nanos, const char *currency)
{
	char num[NANOS_BUF];

	nanos_format_money(nanos, currency_digits(currency), num);
	return arena_printf(a, "%s %s", num, currency);
}
