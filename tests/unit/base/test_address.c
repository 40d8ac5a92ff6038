/* Mail addresses and servers: what is taken apart, and what must never get into a mail or into
 * SMTP (G5). */
#include "base/url/address.h"

#include "tests/support/assert.h"
#include "tests/support/unit.h"

#include <stddef.h>
#include <string.h>

static void both_forms_are_read(void **state)
{
	static const struct {
		const char *text, *name, *addr, *host;
	} cases[] = {
		{"me@example.org", "", "me@example.org", "example.org"},
		{"root@localhost", "", "root@localhost", "localhost"},
		{"<me@example.org>", "", "me@example.org", "example.org"},
		{"Me <me@example.org>", "Me", "me@example.org", "example.org"},
		{"Me My Self  <a.b+c@x-y.example>", "Me My Self", "a.b+c@x-y.example",
			"x-y.example"},
		{"\"Lab, TPU\" <tpu@example.org>", "Lab, TPU", "tpu@example.org",
			"example.org"},
		{"\xe5\xbc\xa0\xe4\xbc\x9f \xf0\x9f\x9a\x80 <z@example.org>",
			"\xe5\xbc\xa0\xe4\xbc\x9f \xf0\x9f\x9a\x80", "z@example.org",
			"example.org"},
		{"Ann @ lab <ann@example.org>", "Ann @ lab", "ann@example.org",
			"example.org"},
	};
	struct mail_address m;
	struct err e = {0};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_ok(mail_address_parse(cases[i].text, &m, &e), e);
		assert_string_equal(m.name, cases[i].name);
		assert_string_equal(m.addr, cases[i].addr);
		assert_string_equal(mail_address_host(&m), cases[i].host);
		assert_ok(mail_address_check(cases[i].text, &e), e);
	}
}

static void refused(const char *text, const char *why)
{
	struct mail_address m = {.addr = "untouched"};
	struct err e = {0};

	assert_err(mail_address_parse(text, &m, &e), e, E_CONFIG, why);
	assert_string_equal(m.addr, "untouched");
	assert_string_equal(e.fix, "write it as name@host or Name <name@host>");
	for (const char *p = e.msg; *p; p++)
		assert_true((unsigned char)*p >= 0x20);
	assert_int_equal(mail_address_check(text, NULL), E_CONFIG);
}

static void nothing_begins_a_line_of_its_own(void **state)
{
	refused("me@example.org\r\nRCPT TO:<evil@x>", "line ends");
	refused("me@example.org\nBcc: evil@x", "line ends");
	refused("Me\r\nBcc: evil@x <me@example.org>", "line ends");
	refused("Me\tYou <me@example.org>", "control characters");
	refused("Me \x1b]0;x\x07 <me@example.org>", "control characters");
	refused("Me \xc2\x85 <me@example.org>", "control characters");
	refused("Me \xe2\x80\xa8 <me@example.org>", "control characters");
	refused("me@example.org\x7f", "control characters");
}

static void what_is_no_address_is_refused(void **state)
{
	refused("", "'@' is missing");
	refused("me", "'@' is missing");
	refused("-oQ/tmp@example.org", "option");
	refused("Me <-f@example.org>", "option");
	refused("@example.org", "before the '@'");
	refused("a..b@example.org", "before the '@'");
	refused(".a@example.org", "before the '@'");
	refused("a.@example.org", "before the '@'");
	refused("a b@example.org", "before the '@'");
	refused("a@example.org,b@example.org", "after the '@'");
	refused("a@b@example.org", "after the '@'");
	refused("me@", "after the '@'");
	refused("me@example..org", "after the '@'");
	refused("me@example.org.", "after the '@'");
	refused("me@-example.org", "after the '@'");
	refused("me@[127.0.0.1]", "after the '@'");
	refused("me@example.org>", "after the '@'");
	refused("me@ex\xc3\xa4mple.org", "ASCII");
	refused("Me <me@example.org", "'>'");
	refused("Me <me@example.org> x", "'>'");
	refused("Me <", "'>'");
	refused("<evil@x> <me@example.org>", "<>\"\\");
	refused("Me \xff <me@example.org>", "not UTF-8");
	refused("\"a\" \"b\" <me@example.org>", "<>\"\\");
}

/* Some servers decode it, and send the mail to whom it then names. */
static void an_address_has_no_encoded_word(void **state)
{
	struct err e = {0};

	refused("=?UTF-8?B?=_Fz@example.org", "encoded word");
	refused("=?UTF-8?Q?evil=40x.org=3E?=@example.org", "encoded word");
	refused("Me <a=?b@example.org>", "encoded word");
	assert_ok(mail_address_check("a=b?c@example.org", &e), e);
	assert_ok(mail_address_check("=?UTF-8?Q?Me?= <me@example.org>", &e), e);
}

static void lengths_have_caps(void **state)
{
	char text[400] = "";
	struct err e = {0};

	memset(text, 'a', ADDRESS_MAX_LOCAL);
	strcpy(text + ADDRESS_MAX_LOCAL, "@example.org");
	assert_ok(mail_address_check(text, &e), e);
	memset(text, 'a', ADDRESS_MAX_LOCAL + 1);
	strcpy(text + ADDRESS_MAX_LOCAL + 1, "@example.org");
	refused(text, "too long");
	memset(text, 'a', 300);
	text[1] = '@';
	refused(text, "too long");
	memset(text, 'N', ADDRESS_MAX_NAME);
	strcpy(text + ADDRESS_MAX_NAME, " <me@example.org>");
	assert_ok(mail_address_check(text, &e), e);
	memset(text, 'N', ADDRESS_MAX_NAME + 1);
	strcpy(text + ADDRESS_MAX_NAME + 1, "<me@example.org>");
	refused(text, "too long");
}

static void servers_are_read(void **state)
{
	static const struct {
		const char *url;
		bool plain;
		struct mail_server want;
	} cases[] = {
		{"smtps://smtp.example.org", false, {true, "smtp.example.org", 465, false}},
		{"smtps://smtp.example.org:2465", false,
			{true, "smtp.example.org", 2465, false}},
		{"smtps://smtp.example.org:443", false,
			{true, "smtp.example.org", 443, false}},
		{"smtp://SMTP.example.org", false, {false, "smtp.example.org", 587, false}},
		{"smtp://127.0.0.1:25", true, {false, "127.0.0.1", 25, true}},
		{"smtp://localhost", true, {false, "localhost", 587, true}},
		{"smtp://[::1]", true, {false, "::1", 587, true}},
		{"smtps://[2001:db8::1]:25", false, {true, "2001:db8::1", 25, false}},
	};
	struct mail_server m;
	struct err e = {0};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_ok(mail_server_parse(cases[i].url, cases[i].plain, &m, &e), e);
		assert_int_equal(m.tls, cases[i].want.tls);
		assert_string_equal(m.host, cases[i].want.host);
		assert_i64_eq(m.port, cases[i].want.port);
		assert_int_equal(m.loopback, cases[i].want.loopback);
	}
}

static void no_server(const char *url, bool plain, const char *why)
{
	struct mail_server m = {.port = 7};
	struct err e = {0};

	assert_err(mail_server_parse(url, plain, &m, &e), e, E_CONFIG, why);
	assert_i64_eq(m.port, 7);
}

static void what_is_no_server_is_refused(void **state)
{
	no_server("", false, "must begin with smtps://");
	no_server("https://smtp.example.org", false, "must begin with smtps://");
	no_server("smtp.example.org:587", false, "must begin with smtps://");
	no_server("smtps://", false, "there is no host name");
	no_server("smtps://smtp.example.org/hello", false, "nothing may follow");
	no_server("smtps://smtp.example.org?x", false, "nothing may follow");
	no_server("smtps://me:secret@smtp.example.org", false,
		"mail server (with a user name): user names are not allowed");
	no_server("smtps://me@smtp.example.org", false, "user names are not allowed");
	no_server("smtps://smtp.example.org:0", false, "the port is not a number");
	no_server("smtps://smtp.example.org\r\nEHLO x", false, "must be encoded");
	no_server("smtp://smtp.example.org", true, "only a server on this machine");
	no_server("smtp://127.0.0.1.example.org", true, "only a server on this machine");
	no_server("smtps://localhost", true, "contradict each other");
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_forms_are_read),
		cmocka_unit_test(nothing_begins_a_line_of_its_own),
		cmocka_unit_test(what_is_no_address_is_refused),
		cmocka_unit_test(an_address_has_no_encoded_word),
		cmocka_unit_test(lengths_have_caps),
		cmocka_unit_test(servers_are_read),
		cmocka_unit_test(what_is_no_server_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
