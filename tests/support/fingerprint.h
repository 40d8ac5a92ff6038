/* Whether two databases are the same on the disk. A test that looks at hundreds of pictures of
 * one disk need not look at the same picture twice. */
#ifndef TPUCOST_TESTS_SUPPORT_FINGERPRINT_H
#define TPUCOST_TESTS_SUPPORT_FINGERPRINT_H

#include "base/base.h"

/* Of the file and its -wal, byte by byte; one that is not there differs from an empty one. */
uint64_t fingerprint(const char *path);

/* Fingerprints met so far. */
struct fingerprints {
	uint64_t seen[4096];
	size_t n;
};
bool fingerprints_has(const struct fingerprints *f, uint64_t print);
/* Whether it is the first of its kind, which is noted. The test fails when there is no room. */
bool fingerprints_add(struct fingerprints *f, uint64_t print);

#endif
