/* SHA-256 (FIPS 180-4), in pieces: the name of a file's content. Here and not from OpenSSL,
 * because the query program links no cryptographic library. For no secrets: nothing is
 * wiped. */
#ifndef TPUCOST_BASE_SHA256_H
#define TPUCOST_BASE_SHA256_H

#include "base/base.h"

#define SHA256_HEX 65 /* 64 digits and NUL */

struct sha256 {
	uint32_t h[8];
	uint64_t len; /* bytes added */
	uint8_t block[64];
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *data, size_t len);
/* The digest of what was added so far, in lower case; more may be added afterwards. */
void sha256_hex(const struct sha256 *s, char hex[SHA256_HEX]);

#endif
