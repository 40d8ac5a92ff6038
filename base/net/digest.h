/* Hashes by libcrypto: SHA-256, and names that become UUIDs (RFC 9562, version 5). */
#ifndef TPUCOST_BASE_NET_DIGEST_H
#define TPUCOST_BASE_NET_DIGEST_H

#include "base/base.h"

#define DIGEST_HEX 65 /* SHA-256 in hex, with the NUL */
#define UUID_BUF 37
#define UUID_BYTES 16

/* SHA-256 in lower-case hex. False: libcrypto failed, which happens only without memory. */
bool digest_sha256(const void *data, size_t len, char out[DIGEST_HEX]) must_check;

/* tpucost's namespace: the version 5 UUID of "tpucost.action" among the names of hosts (RFC 9562,
 * section 6.6), cbaf5a9c-383b-534e-8c30-26af6e751814. Never changed: a repeated request must have
 * the same UUID. */
extern const unsigned char uuid_namespace[UUID_BYTES];

/* UUID of a name in tpucost's namespace: always the same for the same name. False as above. */
bool uuid_v5(const char *name, char out[UUID_BUF]) must_check;
/* The same in any namespace. */
bool uuid_v5_in(const unsigned char space[UUID_BYTES], const char *name,
	char out[UUID_BUF]) must_check;

#endif
