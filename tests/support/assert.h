/* Assertions on our own types, whose failures a person can read: cmocka prints numbers in
 * hexadecimal and nothing of an error. */
#ifndef TPUCOST_TESTS_SUPPORT_ASSERT_H
#define TPUCOST_TESTS_SUPPORT_ASSERT_H

#include "base/err.h"

/* Amounts in nano-units; printed as decimals. */
#define assert_nanos_eq(got, want) assert_nanos_eq_((got), (want), #got, __FILE__, __LINE__)
/* Instants; printed as RFC 3339. */
#define assert_ts_eq(got, want) assert_ts_eq_((got), (want), #got, __FILE__, __LINE__)
/* Integers of any kind; printed as decimals. */
#define assert_i64_eq(got, want) \
	assert_i64_eq_((int64_t)(got), (int64_t)(want), #got, __FILE__, __LINE__)
/* `code` is `want`, and so is the code in `e` (a struct err); its message contains `part`. */
#define assert_err(code, e, want, part) \
	assert_err_((code), &(e), (want), (part), #code, __FILE__, __LINE__)
/* `code` is E_OK; else the message of `e` is printed. */
#define assert_ok(code, e) assert_ok_((code), &(e), #code, __FILE__, __LINE__)
#define assert_contains(text, part) \
	assert_contains_((text), (part), #text, __FILE__, __LINE__)

/* One sentence of at most 30 words, with one sum or two in different currencies. */
#define assert_headline(text) assert_headline_((text), __FILE__, __LINE__)

/* A code as a word: "denied", "net". */
const char *err_name(enum err_code code);

void assert_nanos_eq_(
	int64_t got, int64_t want, const char *expr, const char *file, int line);
void assert_ts_eq_(ts_t got, ts_t want, const char *expr, const char *file, int line);
void assert_i64_eq_(
	int64_t got, int64_t want, const char *expr, const char *file, int line);
void assert_err_(enum err_code code, const struct err *e, enum err_code want,
	const char *part, const char *expr, const char *file, int line);
void assert_ok_(enum err_code code, const struct err *e, const char *expr, const char *file,
	int line);
void assert_contains_(
	const char *text, const char *part, const char *expr, const char *file, int line);
void assert_headline_(const char *text, const char *file, int line);

#endif
