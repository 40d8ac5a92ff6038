#include "base/err.h"

#include "tests/support/assert.h"
#include "tests/support/unit.h"

#include <errno.h>
#include <string.h>

static void an_error_has_a_code_and_a_message(void **state)
{
	struct err e = {0};

	assert_int_equal(err_set(&e, E_DATA, "row %d: %s", 7, "no cost"), E_DATA);
	assert_int_equal(e.code, E_DATA);
	assert_string_equal(e.msg, "row 7: no cost");
	assert_string_equal(e.fix, "");
}

static void a_new_error_forgets_the_old_advice(void **state)
{
	struct err e = {0};

	err_set(&e, E_IO, "a");
	assert_int_equal(err_fix(&e, "run: chmod %o x", 0600), E_IO);
	assert_string_equal(e.fix, "run: chmod 600 x");
	assert_string_equal(e.msg, "a");
	err_set(&e, E_NET, "b");
	assert_string_equal(e.fix, "");
}

static void a_fix_follows_a_semicolon_not_a_full_stop(void **state)
{
	struct err e = {0};

	err_set(&e, E_DENIED, "HTTP 400: Invalid JWT Signature.");
	err_fix(&e, "create a key");
	assert_string_equal(e.msg, "HTTP 400: Invalid JWT Signature");
	err_set(&e, E_DENIED, "cut here...");
	err_fix(&e, "x");
	assert_string_equal(e.msg, "cut here...");
}

static void a_system_error_says_why(void **state)
{
	struct err e = {0};

	assert_int_equal(err_sys(&e, E_IO, ENOENT, "open %s", "/x"), E_IO);
	assert_string_equal(e.msg, "open /x: No such file or directory");
	assert_string_equal(e.fix, "");
}

static void a_system_error_says_what_to_do(void **state)
{
	static const struct {
		int errnum;
		const char *fix;
	} cases[] = {{ENOSPC, "free some space on the disk"},
		{EDQUOT, "free some space on the disk"},
		{EROFS, "mount the file system writable, or use a file on another one"},
		{EACCES,
			"this user needs permission for the file and its directory: see ls "
			"-l"},
		{EPERM,
			"this user needs permission for the file and its directory: see ls "
			"-l"},
		{EFBIG, "increase the limit of the size of files (ulimit -f)"},
		{EMFILE, "increase the limit of open files (ulimit -n)"},
		{ENFILE, "increase the limit of open files (ulimit -n)"}, {EIO, ""}};
	struct err e = {0};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(err_sys(&e, E_IO, cases[i].errnum, "write"), E_IO);
		assert_string_equal(e.fix, cases[i].fix);
	}
}

static void context_goes_before_the_message(void **state)
{
	struct err e = {0};

	err_set(&e, E_DENIED, "HTTP 403");
	err_fix(&e, "grant it");
	assert_int_equal(err_wrap(&e, "project %s", "p1"), E_DENIED);
	assert_int_equal(err_wrap(&e, "collect"), E_DENIED);
	assert_string_equal(e.msg, "collect: project p1: HTTP 403");
	assert_string_equal(e.fix, "grant it");
}

static void percent_signs_in_a_message_are_only_text(void **state)
{
	struct err e = {0};

	err_set(&e, E_DATA, "%s", "100%n %s");
	err_wrap(&e, "%s", "50%d");
	assert_string_equal(e.msg, "50%d: 100%n %s");
}

static void a_message_that_is_too_long_is_cut_not_overrun(void **state)
{
	struct err e = {0};
	char big[4096];

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	err_set(&e, E_DATA, "%s", big);
	assert_i64_eq(strlen(e.msg), sizeof(e.msg) - 1);
	err_wrap(&e, "ctx");
	assert_i64_eq(strlen(e.msg), sizeof(e.msg) - 1);
	assert_true(!strncmp(e.msg, "ctx: xxx", 8));
	err_wrap(&e, "%s", big);
	assert_i64_eq(strlen(e.msg), sizeof(e.msg) - 1);
	err_fix(&e, "%s", big);
	assert_i64_eq(strlen(e.fix), sizeof(e.fix) - 1);
	err_sys(&e, E_IO, ENOENT, "%s", big);
	assert_i64_eq(strlen(e.msg), sizeof(e.msg) - 1);
}

static void a_caller_may_want_only_the_code(void **state)
{
	assert_int_equal(err_set(NULL, E_RATE, "x %d", 1), E_RATE);
	assert_int_equal(err_sys(NULL, E_IO, EACCES, "x"), E_IO);
	assert_int_not_equal(err_wrap(NULL, "x"), E_OK);
	assert_int_not_equal(err_fix(NULL, "x"), E_OK);
}

static void every_code_has_a_name_of_its_own(void **state)
{
	for (int i = E_OK; i <= E_BUG; i++) {
		const char *name = err_name((enum err_code)i);

		assert_non_null(name);
		assert_true(*name);
		assert_string_not_equal(name, "unknown");
		for (int j = E_OK; j < i; j++)
			assert_string_not_equal(name, err_name((enum err_code)j));
	}
	assert_string_equal(err_name(E_DENIED), "denied");
	assert_string_equal(err_name((enum err_code)(E_BUG + 1)), "unknown");
	assert_string_equal(err_name((enum err_code) - 1), "unknown");
}

static void a_cleared_error_is_none(void **state)
{
	struct err e = {0};

	err_set(&e, E_IO, "a");
	err_fix(&e, "b");
	err_clear(&e);
	assert_int_equal(e.code, E_OK);
	assert_string_equal(e.msg, "");
	assert_string_equal(e.fix, "");
}

static void characters_that_were_cut_are_question_marks(void **state)
{
	struct err e = {0};

	err_set(&e, E_DATA, "\"%.4s\", \"%.5s\"", "a\xe2\x82\xac\xe2\x82\xac",
		"abc\xf0\x9f\x98\x80");
	assert_string_equal(e.msg, "\"a\xe2\x82\xac\", \"abc?\"");
	err_wrap(&e, "%.2s", "a\xc3\xa4");
	assert_string_equal(e.msg, "a?: \"a\xe2\x82\xac\", \"abc?\"");
	err_fix(&e, "%.1s, all of \xc3\xa4", "\xc3\xa4");
	assert_string_equal(e.fix, "?, all of \xc3\xa4");
	/* bytes that begin no character stay for the one who shows them */
	err_set(&e, E_DATA, "\x80\xff");
	assert_string_equal(e.msg, "\x80\xff");
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_has_a_code_and_a_message),
		cmocka_unit_test(a_fix_follows_a_semicolon_not_a_full_stop),
		cmocka_unit_test(a_new_error_forgets_the_old_advice),
		cmocka_unit_test(a_system_error_says_why),
		cmocka_unit_test(a_system_error_says_what_to_do),
		cmocka_unit_test(context_goes_before_the_message),
		cmocka_unit_test(percent_signs_in_a_message_are_only_text),
		cmocka_unit_test(a_message_that_is_too_long_is_cut_not_overrun),
		cmocka_unit_test(a_caller_may_want_only_the_code),
		cmocka_unit_test(every_code_has_a_name_of_its_own),
		cmocka_unit_test(a_cleared_error_is_none),
		cmocka_unit_test(characters_that_were_cut_are_question_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
