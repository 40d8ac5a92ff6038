/* What the fuzzing targets share. Each is one function "fuzz_NAME" in tests/fuzz/fuzz_NAME.c, which
 * gets any bytes, returns 0 and does not come back when a promise is broken. */
#ifndef TPUCOST_TESTS_FUZZ_H
#define TPUCOST_TESTS_FUZZ_H

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every target and how many files its corpus has at least. */
/* clang-format off */
#define FUZZ_TARGETS(X)                                                                 \
	X(answer, 40) X(audit, 40) X(config, 40) X(csv, 30) X(escape, 50)               \
	X(grant, 40) X(gzip, 30) X(import, 40) X(json, 60) X(letter, 40) X(mail, 50)    \
	X(money, 50) X(paste, 50) X(template, 40) X(time, 50) X(tz, 40) X(url, 60)      \
	X(web, 40) X(where, 40) X(yaml, 60)
/* clang-format on */

typedef int fuzz_fn(const uint8_t *data, size_t size);
#define FUZZ_DECLARE(name, least) fuzz_fn fuzz_##name;
FUZZ_TARGETS(FUZZ_DECLARE)

noreturn_fn static inline void fuzz_broken(const char *file, int line, const char *promise)
{
	fprintf(stderr, "%s:%d: broken promise: %s\n", file, line, promise);
	abort();
}

/* The bytes as a string of their own, so that a read behind its end shows. Free it. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *s = malloc(size + 1);

	if (!s)
		abort();
	if (size)
		memcpy(s, data, size);
	s[size] = '\0';
	return s;
}

#define fuzz_require(promise) \
	((promise) ? (void)0 : fuzz_broken(__FILE__, __LINE__, #promise))

#endif
