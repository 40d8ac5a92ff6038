#include "base/net/jwt.h"

#include "base/mem.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>

#define MIN_BITS 2048
#define MAX_SIGNATURE 2048 /* bytes: RSA of 16384 bits */

void b64url_add(struct sbuf *out, const void *data, size_t len)
{
	cleanup(free_ptr) unsigned char *text = xmalloc((len + 2) / 3 * 4 + 1);
	int n = EVP_EncodeBlock(text, data, (int)len);

	for (int i = 0; i < n && text[i] != '='; i++)
		sbuf_addc(out, text[i] == '+' ? '-' : text[i] == '/' ? '_' : (char)text[i]);
}

/* struct jwt_key is OpenSSL's EVP_PKEY with a separate name. */
static EVP_PKEY *jwt_pkey(const struct jwt_key *key)
{
	union {
		const struct jwt_key *ours;
		EVP_PKEY *theirs;
	} u = {.ours = key};

	return u.theirs;
}

/* OpenSSL would prompt for the passphrase of an encrypted key. */
static int no_passphrase(char *buf, int size, int rwflag, void *arg)
{
	(void)buf;
	(void)size;
	(void)rwflag;
	(void)arg;
	return -1;
}

enum err_code jwt_key_load(const char *pem, struct jwt_key **out, struct err *e)
{
	BIO *bio = BIO_new_mem_buf(pem, -1);
	EVP_PKEY *k = bio ? PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, NULL) : NULL;
	const char *why = NULL;

	BIO_free(bio);
	ERR_clear_error();
	if (!k)
		why = "it is not a PEM private key, or it is damaged or encrypted";
	else if (EVP_PKEY_get_base_id(k) != EVP_PKEY_RSA)
		why = "it is not an RSA key";
	else if (EVP_PKEY_get_bits(k) < MIN_BITS)
		why = "an RSA key of less than " STR(MIN_BITS) " bits is not safe";
	if (why) {
		EVP_PKEY_free(k);
		return err_set(e, E_AUTH, "private key: %s", why);
	}
	*out = (struct jwt_key *)k;
	return E_OK;
}

void jwt_key_free(struct jwt_key *key)
{
	EVP_PKEY_free(jwt_pkey(key));
}

enum err_code jwt_sign(const struct jwt_key *key, const char *header, const char *claims,
	struct sbuf *out, struct err *e)
{
	unsigned char sig[MAX_SIGNATURE];
	size_t sig_len = sizeof(sig), start = out->len;
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	bool ok;

	b64url_add(out, header, strlen(header));
	sbuf_addc(out, '.');
	b64url_add(out, claims, strlen(claims));
	ok = md && EVP_DigestSignInit(md, NULL, EVP_sha256(), NULL, jwt_pkey(key)) == 1 &&
		EVP_DigestSign(md, sig, &sig_len, (const unsigned char *)out->s + start,
			out->len - start) == 1;
	EVP_MD_CTX_free(md);
	ERR_clear_error();
	if (!ok) {
		sbuf_trunc(out, start);
		return err_set(e, E_AUTH, "private key: signing failed");
	}
	sbuf_addc(out, '.');
	b64url_add(out, sig, sig_len);
	return E_OK;
}
