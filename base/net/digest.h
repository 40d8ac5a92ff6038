/* Hashes, names that become UUIDs (RFC 9562, version 5), and signed tokens, by libcrypto. */
#ifndef TPUCOST_BASE_NET_DIGEST_H
#define TPUCOST_BASE_NET_DIGEST_H

#include "base/err.h"
#include "base/sbuf.h"
#include "base/base.h"

#define DIGEST_HEX 65 /* SHA-256 in hex, with the NUL */
#define UUID_BUF 37
#define UUID_BYTES 16

/* Append `len` bytes in lower-case hex at `out`; the end, without a NUL. */
char *digest_hex(char *out, const unsigned char *p, size_t len);
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

/* JSON Web Tokens signed with RS256 (RFC 7515, 7518), for the OAuth jwt-bearer grant. Without
 * verification. */

struct jwt_key; /* an RSA private key */

/* Read a PEM private key, without a passphrase. E_AUTH when it is not valid, is not RSA, or has
 * less than 2048 bits. */
enum err_code jwt_key_load(const char *pem, struct jwt_key **out, struct err *e) must_check;
void jwt_key_free(struct jwt_key *key);

/* Append base64url(header) "." base64url(claims) "." base64url(signature). Both are
 * JSON texts. */
enum err_code jwt_sign(const struct jwt_key *key, const char *header, const char *claims,
	struct sbuf *out, struct err *e) must_check;

/* Append base64url without padding (RFC 4648, section 5). */
void b64url_add(struct sbuf *out, const void *data, size_t len);

#endif
