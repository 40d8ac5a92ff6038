#include "base/sha256.h"

#include "base/mem.h"

#include <openssl/evp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_digest(const void *data, size_t len, const char *want)
{
	char hex[SHA256_HEX];
	struct sha256 s;

	sha256_init(&s);
	sha256_add(&s, data, len);
	sha256_hex(&s, hex);
	assert_string_equal(hex, want);
}

/* FIPS 180-2, appendix B, and the empty message. */
static void the_examples_of_nist_hold(void **state)
{
	cleanup(free_ptr) char *million = xmalloc(1000000);

	(void)state;
	memset(million, 'a', 1000000);
	assert_digest(
		"", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	assert_digest("abc", 3,
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
		"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	assert_digest("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
		      "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
		112, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
	assert_digest(million, 1000000,
		"cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void openssl_digest(const void *data, size_t len, char hex[SHA256_HEX])
{
	unsigned char md[EVP_MAX_MD_SIZE];
	unsigned n = 0;

	assert_int_equal(EVP_Digest(data, len, md, &n, EVP_sha256(), NULL), 1);
	assert_int_equal(n, 32);
	for (unsigned i = 0; i < n; i++)
		snprintf(hex + (size_t)i * 2, 3, "%02x", md[i]);
}

/* Around the ends of blocks and of the padding. */
static void every_length_agrees_with_openssl(void **state)
{
	uint8_t data[300];
	char want[SHA256_HEX];

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 167 + 13);
	for (size_t n = 0; n <= sizeof(data); n++) {
		openssl_digest(data, n, want);
		assert_digest(data, n, want);
	}
}

static void pieces_of_every_size_give_the_same(void **state)
{
	uint8_t data[200];
	char want[SHA256_HEX], hex[SHA256_HEX];

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(255 - i);
	openssl_digest(data, sizeof(data), want);
	for (size_t piece = 1; piece <= sizeof(data); piece++) {
		struct sha256 s;

		sha256_init(&s);
		for (size_t at = 0; at < sizeof(data); at += piece) {
			size_t left = sizeof(data) - at;

			sha256_add(&s, data + at, left < piece ? left : piece);
			sha256_add(&s, data, 0);
		}
		sha256_hex(&s, hex);
		assert_string_equal(hex, want);
	}
}

static void a_digest_may_be_taken_on_the_way(void **state)
{
	char hex[SHA256_HEX], want[SHA256_HEX];
	struct sha256 s;

	(void)state;
	sha256_init(&s);
	for (size_t n = 1; n <= 3; n++) {
		sha256_add(&s, &"abc"[n - 1], 1);
		openssl_digest("abc", n, want);
		sha256_hex(&s, hex);
		assert_string_equal(hex, want);
		sha256_hex(&s, hex);
		assert_string_equal(hex, want);
	}
}

/* More than 2^32 bits: the length is counted in 64. */
static void half_a_gigabyte_is_counted(void **state)
{
	cleanup(free_ptr) char *zeros = xcalloc(1 << 20, 1);
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	char hex[SHA256_HEX], want[SHA256_HEX];
	unsigned char digest[EVP_MAX_MD_SIZE];
	struct sha256 s;

	(void)state;
	sha256_init(&s);
	assert_int_equal(EVP_DigestInit_ex(md, EVP_sha256(), NULL), 1);
	for (int i = 0; i < 513; i++) {
		sha256_add(&s, zeros, 1 << 20);
		assert_int_equal(EVP_DigestUpdate(md, zeros, 1 << 20), 1);
	}
	assert_int_equal(EVP_DigestFinal_ex(md, digest, NULL), 1);
	EVP_MD_CTX_free(md);
	for (size_t i = 0; i < 32; i++)
		snprintf(want + i * 2, 3, "%02x", digest[i]);
	sha256_hex(&s, hex);
	assert_string_equal(hex, want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_examples_of_nist_hold),
		cmocka_unit_test(every_length_agrees_with_openssl),
		cmocka_unit_test(pieces_of_every_size_give_the_same),
		cmocka_unit_test(a_digest_may_be_taken_on_the_way),
		cmocka_unit_test(half_a_gigabyte_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
