#include "tests/support/fingerprint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define FNV_BASIS UINT64_C(14695981039346656037)
#define FNV_PRIME UINT64_C(1099511628211)

/* Eight bytes at a time: databases are large, and looked at often. */
static uint64_t mix(uint64_t h, const char *path)
{
	FILE *f = fopen(path, "r");
	uint64_t words[8192], len = 0;
	size_t n;

	if (!f)
		return (h ^ 0xff) * FNV_PRIME;
	do {
		memset(words, 0, sizeof(words));
		n = fread(words, 1, sizeof(words), f);
		for (size_t i = 0; i < (n + 7) / 8; i++) {
			h = (h ^ words[i]) * FNV_PRIME;
			h ^= h >> 29; /* upper bits would never reach the lower ones */
		}
		len += n;
	} while (n == sizeof(words));
	fclose(f);
	return (h ^ len) * FNV_PRIME;
}

uint64_t fingerprint(const char *path)
{
	char wal[400];

	snprintf(wal, sizeof(wal), "%s-wal", path);
	return mix(mix(FNV_BASIS, path), wal);
}

bool fingerprints_has(const struct fingerprints *f, uint64_t print)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->seen[i] == print)
			return true;
	return false;
}

bool fingerprints_add(struct fingerprints *f, uint64_t print)
{
	if (fingerprints_has(f, print))
		return false;
	assert_true(f->n < ARRAY_LEN(f->seen));
	f->seen[f->n++] = print;
	return true;
}
