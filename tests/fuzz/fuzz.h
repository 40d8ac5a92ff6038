/* What the fuzzing targets share. Each is one function "fuzz_NAME" in tests/fuzz/fuzz_NAME.c, which
 * gets any bytes, returns 0 and does not come back when a promise is broken. */
#ifndef TPUCOST_TESTS_FUZZ_H
#define TPUCOST_TESTS_FUZZ_H

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

/* Every target and how many files its corpus has at least. */
#define FUZZ_TARGETS(X) X(csv, 30) X(json, 20) X(mail, 12) X(yaml, 20)

typedef int fuzz_fn(const uint8_t *data, size_t size);
#define FUZZ_DECLARE(name, least) fuzz_fn fuzz_##name;
FUZZ_TARGETS(FUZZ_DECLARE)

noreturn_fn static inline void fuzz_broken(const char *file, int line, const char *promise)
{
	fprintf(stderr, "%s:%d: broken promise: %s\n", file, line, promise);
	abort();
}

#define fuzz_require(promise) \
	((promise) ? (void)0 : fuzz_broken(__FILE__, __LINE__, #promise))

#endif
