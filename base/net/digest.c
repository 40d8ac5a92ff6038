#include "base/net/digest.h"

#include "base/mem.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

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

static char *add_hex(char *out, const unsigned char *p, size_t len)
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
	*add_hex(out, sum, (DIGEST_HEX - 1) / 2) = '\0';
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
		out = add_hex(out, p, groups[i]);
		p += groups[i];
	}
	*out = '\0';
	return true;
}

bool uuid_v5(const char *name, char out[UUID_BUF])
{
	return uuid_v5_in(uuid_namespace, name, out);
}
