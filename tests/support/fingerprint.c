#include "tests/support/fingerprint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#define FNV_BASIS UINT64_C(14695981039346656037)
#define FNV_PRIME UINT64_C(1099511628211)

static uint64_t mix(uint64_t h, const char *path)
{
	FILE *f = fopen(path, "r");
	unsigned char buf[65536];
	uint64_t len = 0;
	size_t n;

	if (!f)
		return (h ^ 0xff) * FNV_PRIME;
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0) {
		for (size_t i = 0; i < n; i++)
			h = (h ^ buf[i]) * FNV_PRIME;
		len += n;
	}
	fclose(f);
	return (h ^ len) * FNV_PRIME;
}

uint64_t fingerprint(const char *path)
{
	char wal[400];

	snprintf(wal, sizeof(wal), "%s-wal", path);
	return mix(mix(FNV_BASIS, path), wal);
}

bool fingerprints_add(struct fingerprints *f, uint64_t print)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->seen[i] == print)
			return false;
	assert_true(f->n < ARRAY_LEN(f->seen));
	f->seen[f->n++] = print;
	return true;
}
