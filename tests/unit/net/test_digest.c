#include "base/net/digest.h"
#include "tests/support/unit.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* RFC 9562, section 6.6 */
static const unsigned char dns[UUID_BYTES] = {0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11,
	0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8};

/* FIPS 180-2, appendix B, and what sha256sum says of nothing. */
static void sha256_gives_the_known_answers(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
			"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
	};
	char out[DIGEST_HEX];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_true(digest_sha256(cases[i].text, strlen(cases[i].text), out));
		assert_string_equal(out, cases[i].want);
	}
	assert_true(digest_sha256("a\0b", 3, out)); /* NUL is a byte like others */
	assert_string_equal(
		out, "59b271ae1bbcb1d31d41929817f4b16fb439eb4f31520b5ad1d5ce98920a7138");
}

/* Python's uuid.uuid5 and the example of RFC 9562, appendix A.4. */
static void names_become_the_uuids_that_everybody_makes_of_them(void **state)
{
	char out[UUID_BUF], long_name[201];

	assert_true(uuid_v5_in(dns, "www.example.com", out));
	assert_string_equal(out, "2ed6657d-e927-568b-95e1-2665a8aea6a2");
	assert_true(uuid_v5("", out));
	assert_string_equal(out, "7b674d60-da6d-5cc4-ad6a-b90599897d97");
	assert_true(uuid_v5("action 1", out));
	assert_string_equal(out, "cb800d5c-ab74-512d-9b43-959741fc6c27");
	memset(long_name, 'x', 200);
	long_name[200] = '\0';
	assert_true(uuid_v5(long_name, out));
	assert_string_equal(out, "c25438ac-cb2d-5766-9efa-c0a8c6850d28");
}

static void the_namespace_is_the_one_that_is_written_down(void **state)
{
	char out[UUID_BUF], want[UUID_BUF] = "";

	assert_true(uuid_v5_in(dns, "tpucost.action", out));
	assert_string_equal(out, "cbaf5a9c-383b-534e-8c30-26af6e751814");
	for (size_t i = 0; i < UUID_BYTES; i++)
		snprintf(want + strlen(want), 4, "%s%02x",
			i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			uuid_namespace[i]);
	assert_string_equal(out, want);
}

/* It would go on without its locks. */
static void libcrypto_without_memory_ends_the_program(void **state)
{
	CRYPTO_malloc_fn take;
	CRYPTO_realloc_fn take_more;
	CRYPTO_free_fn give_back;
	int status;
	pid_t pid;

	CRYPTO_get_mem_functions(&take, &take_more, &give_back);
	give_back(take_more(take(8, "", 0), 16, "", 0), "", 0);
	assert_null(take_more(take(8, "", 0), 0, "", 0));
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		(void)!freopen("/dev/null", "w", stderr);
		(void)!take(SIZE_MAX / 2, "", 0);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EXIT_FAILURE);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sha256_gives_the_known_answers),
		cmocka_unit_test(names_become_the_uuids_that_everybody_makes_of_them),
		cmocka_unit_test(libcrypto_without_memory_ends_the_program),
		cmocka_unit_test(the_namespace_is_the_one_that_is_written_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
