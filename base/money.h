/* Money and other exact decimals: signed 64-bit nano-units (1e-9), like google.type.Money. Range
 * about +-9.2 billion units; exceeding it is an error, never a wrap. Binary floating point is never
 * used for money. */
#ifndef TPUCOST_BASE_MONEY_H
#define TPUCOST_BASE_MONEY_H

#include "base/err.h"

#define NANOS INT64_C(1000000000) /* nano-units in one unit */

struct money {
	int64_t nanos;
	char cur[4]; /* ISO 4217 code in capitals, NUL-terminated */
};

/* Parse a complete decimal string: [-+]digits[.digits][(e|E)[-+]digits], as in "12.5", "4.4E-5",
 * "-0.000000001". More than nine fraction digits round half to even. Refuses blanks, "NaN",
 * "Infinity", hexadecimal, separators, an empty string, more than 400 characters (E_DATA) and
 * values out of range (E_OVERFLOW). */
enum err_code nanos_parse(const char *s, int64_t *out, struct err *e) must_check;
/* The same; *rest receives the rounding error in 1e-18 units: the text is *out nanos plus *rest,
 * except for digits after the eighteenth. */
enum err_code nanos_parse_rest(
	const char *s, int64_t *out, int64_t *rest, struct err *e) must_check;
/* The same, but E_DATA if rounding would be needed: for amounts in the configuration. */
enum err_code nanos_parse_exact(const char *s, int64_t *out, struct err *e) must_check;

/* "300 USD" -> amount and currency; one blank, exact, three capital letters. */
enum err_code money_parse(const char *s, struct money *out, struct err *e) must_check;

/* Checked arithmetic: false on overflow, *out unchanged. */
bool nanos_add(int64_t a, int64_t b, int64_t *out) must_check;
bool nanos_sub(int64_t a, int64_t b, int64_t *out) must_check;
/* a x num / den (den > 0) in 128 bits, rounded half to even once. */
bool nanos_muldiv(int64_t a, int64_t num, int64_t den, int64_t *out) must_check;
struct arena;

/* Round a 128-bit value / den (den > 0) half to even into 64 bits. */
bool i128_div_round(__int128 value, __int128 den, int64_t *out) must_check;

/* Shortest exact decimal: "5.678544", "-0.5", "0". Returns buf. */
#define NANOS_BUF 48
char *nanos_format(int64_t nanos, char buf[NANOS_BUF]);
/* Exactly `digits` (0..9) fraction digits, rounded half to even: "5.68". Only for output to
 * users. */
char *nanos_format_fixed(int64_t nanos, int digits, char buf[NANOS_BUF]);
/* Two fraction digits, or four of less than a tenth: "5.68", "0.0075". Only for output to users. */
char *nanos_format_short(int64_t nanos, char buf[NANOS_BUF]);

/* "116.6" of 11665: one fraction digit, rounded in the same way, so that a percentage is the same text in tables,
 * sentences and reports. Static size as above. */
char *hundredths_format(int64_t hundredths, char buf[NANOS_BUF]);
/* An amount of money: `digits`, or two more for an amount below one unit of the last of them, if they show more than zeros:
 * "62.00", "0.0075". Only for output to users. */
char *nanos_format_money(int64_t nanos, int digits, char buf[NANOS_BUF]);

/* Digits after the point that the currency uses (ISO 4217): USD 2, JPY 0, KWD 3.
 * Unknown codes give 2. */
int currency_digits(const char *cur);
/* The same for an amount in a text, but at least two of an amount per hour: a rate of 1.44 JPY is not 1 JPY. */
int money_digits(const char *cur, bool per_hour);
/* "12.30 USD", as by nanos_format_money. Allocated from the arena. */
const char *money_words(struct arena *a, int64_t nanos, const char *currency);
/* Three capital ASCII letters? */
bool currency_valid(const char *cur);

#endif
