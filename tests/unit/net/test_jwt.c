#include "base/net/digest.h"

#include "base/data/json.h"
#include "base/mem.h"
#include "tests/support/world/gcp_world.h"
#include "tests/support/unit.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>

static void base64url_has_no_padding_and_no_plus(void **state)
{
	/* RFC 4648 section 10, and bytes that need the two special digits */
	static const struct {
		const char *data;
		size_t len;
		const char *want;
	} cases[] = {
		{"", 0, ""},
		{"f", 1, "Zg"},
		{"fo", 2, "Zm8"},
		{"foo", 3, "Zm9v"},
		{"foob", 4, "Zm9vYg"},
		{"fooba", 5, "Zm9vYmE"},
		{"foobar", 6, "Zm9vYmFy"},
		{"\xfb\xff\xfe", 3, "-__-"},
		{"\x00\x00", 2, "AAA"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sbuf b = SBUF_INIT;

		b64url_add(&b, cases[i].data, cases[i].len);
		assert_string_equal(b.s, cases[i].want);
		sbuf_done(&b);
	}
}

/* Decode with OpenSSL, not with our own code. */
static size_t decode(const char *s, size_t len, unsigned char *out)
{
	char padded[4096];
	int n;

	assert_true(len + 4 < sizeof(padded));
	for (size_t i = 0; i < len; i++)
		padded[i] = (char)(s[i] == '-' ? '+' : s[i] == '_' ? '/' : s[i]);
	while (len % 4)
		padded[len++] = '=';
	n = EVP_DecodeBlock(out, (unsigned char *)padded, (int)len);
	assert_true(n > 0);
	while (len && padded[len - 1] == '=') {
		n--;
		len--;
	}
	return (size_t)n;
}

static bool verifies(const char *token)
{
	BIO *bio = BIO_new_mem_buf(world_public_pem(), -1);
	EVP_PKEY *key = PEM_read_bio_PUBKEY(bio, NULL, NULL, NULL);
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	const char *dot = strrchr(token, '.');
	unsigned char sig[1024];
	size_t n = decode(dot + 1, strlen(dot + 1), sig);
	bool ok = EVP_DigestVerifyInit(md, NULL, EVP_sha256(), NULL, key) == 1 &&
		EVP_DigestVerify(md, sig, n, (const unsigned char *)token,
			(size_t)(dot - token)) == 1;

	EVP_MD_CTX_free(md);
	EVP_PKEY_free(key);
	BIO_free(bio);
	return ok;
}

static void a_token_verifies_with_the_public_key(void **state)
{
	struct jwt_key *key = NULL;
	struct sbuf b = SBUF_INIT;
	unsigned char text[256];
	struct err e;
	char *dot;
	size_t n;

	assert_int_equal(jwt_key_load(world_private_pem(), &key, &e), E_OK);
	sbuf_adds(&b, "assertion=");
	assert_int_equal(
		jwt_sign(key, "{\"alg\":\"RS256\"}", "{\"iss\":\"me\"}", &b, &e), E_OK);
	assert_memory_equal(b.s, "assertion=", 10);
	assert_true(verifies(b.s + 10));
	dot = strchr(b.s + 10, '.');
	n = decode(b.s + 10, (size_t)(dot - b.s - 10), text);
	assert_int_equal(n, 15);
	assert_memory_equal(text, "{\"alg\":\"RS256\"}", 15);
	n = decode(dot + 1, (size_t)(strrchr(b.s, '.') - dot - 1), text);
	assert_memory_equal(text, "{\"iss\":\"me\"}", n);
	dot[1] = dot[1] == 'e' ? 'f' : 'e';
	assert_false(verifies(b.s + 10));
	sbuf_done(&b);
	jwt_key_free(key);
}

static char *pem_of(EVP_PKEY *key, const EVP_CIPHER *cipher)
{
	BIO *bio = BIO_new(BIO_s_mem());
	char *out = xcalloc(1, 8192);

	assert_true(PEM_write_bio_PrivateKey(bio, key, cipher,
		cipher ? (const unsigned char *)"pass" : NULL, cipher ? 4 : 0, NULL, NULL));
	assert_true(BIO_read(bio, out, 8191) > 0);
	BIO_free(bio);
	EVP_PKEY_free(key);
	return out;
}

static void keys_that_cannot_serve_are_refused(void **state)
{
	char *small = pem_of(EVP_RSA_gen(1024), NULL);
	char *elliptic = pem_of(EVP_EC_gen("P-256"), NULL);
	char *locked = pem_of(EVP_RSA_gen(2048), EVP_aes_128_cbc());
	const struct {
		const char *pem, *why;
	} cases[] = {
		{"", "not a PEM private key"},
		{"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
			"not a PEM private key"},
		{world_public_pem(), "not a PEM private key"},
		{locked, "encrypted"},
		{elliptic, "not an RSA key"},
		{small, "less than 2048 bits"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct jwt_key *key = NULL;
		struct err e;

		assert_int_equal(jwt_key_load(cases[i].pem, &key, &e), E_AUTH);
		assert_non_null(strstr(e.msg, cases[i].why));
		assert_null(key);
	}
	jwt_key_free(NULL);
	free(small);
	free(elliptic);
	free(locked);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(base64url_has_no_padding_and_no_plus),
		cmocka_unit_test(a_token_verifies_with_the_public_key),
		cmocka_unit_test(keys_that_cannot_serve_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
