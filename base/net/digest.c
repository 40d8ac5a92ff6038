#include "base/net/digest.h"

#include "base/mem.h"

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>

#define MIN_BITS 2048
#define MAX_SIGNATURE 2048 /* bytes: RSA of 16384 bits */

const unsigned char uuid_namespace[UUID_BYTES] = {0xcb, 0xaf, 0x5a, 0x9c, 0x38, 0x3b, 0x53,
	0x4e, 0x8c, 0x30, 0x26, 0xaf, 0x6e, 0x75, 0x18, 0x14};

/* ---- memory of libcrypto ----------------------------------------------------------------------- */

static void *crypto_take(size_t size, const char *file, int line)
{
	(void)file;
	(void)line;
	return xmalloc(size);
}

static void *take_more(void *p, size_t size, const char *file, int line)
{
	(void)file;
	(void)line;
	if (size)
		return xrealloc(p, size);
	free(p);
	return NULL;
}

static void crypto_give_back(void *p, const char *file, int line)
{
	(void)file;
	(void)line;
	free(p);
}

/* Running out of memory ends the program, as everywhere else: libcrypto continues without the locks
 * that it could not create, and crashes. Runs before libcrypto allocates memory, because afterwards
 * it keeps its own functions. */
__attribute__((constructor)) static void crypto_take_memory_as_all_do(void)
{
	CRYPTO_set_mem_functions(crypto_take, take_more, crypto_give_back);
}

/* ---- digests ----------------------------------------------------------------------------------- */

char *digest_hex(char *out, const unsigned char *p, size_t len)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < len; i++) {
		*out++ = digits[p[i] >> 4];
		*out++ = digits[p[i] & 15];
	}
	return out;
}

bool digest_sha256(const void *data, size_t len, char out[DIGEST_HEX])
{
	unsigned char sum[EVP_MAX_MD_SIZE];

	if (EVP_Digest(data, len, sum, NULL, EVP_sha256(), NULL) != 1)
		return false;
	*digest_hex(out, sum, (DIGEST_HEX - 1) / 2) = '\0';
	return true;
}

/* Version 5 is defined with SHA-1; its strength does not matter here. */
static bool sha1(const unsigned char space[UUID_BYTES], const char *name,
	unsigned char sum[EVP_MAX_MD_SIZE])
{
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	bool ok = md && EVP_DigestInit_ex(md, EVP_sha1(), NULL) == 1 &&
		EVP_DigestUpdate(md, space, UUID_BYTES) == 1 &&
		EVP_DigestUpdate(md, name, strlen(name)) == 1 &&
		EVP_DigestFinal_ex(md, sum, NULL) == 1;

	EVP_MD_CTX_free(md);
	return ok;
}

bool uuid_v5_in(const unsigned char space[UUID_BYTES], const char *name, char out[UUID_BUF])
{
	static const size_t groups[] = {4, 2, 2, 2, 6}; /* bytes between the dashes */
	unsigned char sum[EVP_MAX_MD_SIZE];
	const unsigned char *p = sum;

	if (!sha1(space, name, sum))
		return false;
	sum[6] = (unsigned char)((sum[6] & 0x0f) | 0x50); /* version 5 */
	sum[8] = (unsigned char)((sum[8] & 0x3f) | 0x80); /* variant of the RFC */
	for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
		if (i)
			*out++ = '-';
		out = digest_hex(out, p, groups[i]);
		p += groups[i];
	}
	*out = '\0';
	return true;
}

bool uuid_v5(const char *name, char out[UUID_BUF])
{
	return uuid_v5_in(uuid_namespace, name, out);
}

/* ---- tokens ---------------------------------------------------------------- */

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
