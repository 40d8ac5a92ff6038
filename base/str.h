/* Strict parsing and small string helpers. */
#ifndef TPUCOST_BASE_STR_H
#define TPUCOST_BASE_STR_H

#include "base/base.h"

/* Parse the whole string as a decimal integer in [min, max]: optional '-', digits, nothing else (no
 * blanks, no '+', no leading zeros beyond "0"). On false, *out is not changed. */
bool str_to_i64(const char *s, int64_t min, int64_t max, int64_t *out) must_check;

/* Product of 2 or 3 numbers: 16 for "2x2x4". 0: it is not such a text, or above `max` (at most a
 * million). */
int64_t str_product(const char *s, int64_t max);

bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);
bool str_eq(const char *a, const char *b);  /* NULL equals only NULL */
bool str_ieq(const char *a, const char *b); /* ASCII case-insensitive */
/* Is it one of the words? False for NULL. */
bool str_in(const char *s, const char *const *words, size_t n);
/* Is it one of the words of "a, b,c"? */
bool str_in_list(const char *word, const char *list);
/* Text after the last `sep`, or all of `s`: the name in a resource URL. */
const char *str_after_last(const char *s, char sep);

/* Entry of `words` with the smallest edit distance to `word`, for "did you mean"; NULL when none is
 * similar enough. */
const char *str_nearest(const char *word, const char *const *words, size_t n);

/* True when all `len` bytes are valid UTF-8 (no surrogates, no overlong forms). */
bool utf8_valid(const char *s, size_t len);
/* Decode one code point of valid or invalid UTF-8; *len gets its bytes (>= 1). Invalid
 * bytes decode as U+FFFD, one byte each. */
uint32_t utf8_next(const char *s, size_t *len);
/* Bytes of the first whole characters that fit into `max`. */
size_t utf8_fit(const char *s, size_t max);
/* Terminal columns of the string (wide characters count 2, combining 0). */
size_t utf8_width(const char *s);

#endif
