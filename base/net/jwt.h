/* JSON Web Tokens signed with RS256 (RFC 7515, 7518), for the OAuth jwt-bearer grant. Without
 * verification. */
#ifndef TPUCOST_BASE_NET_JWT_H
#define TPUCOST_BASE_NET_JWT_H

#include "base/err.h"
#include "base/sbuf.h"

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
