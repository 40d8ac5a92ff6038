#include "base/log.h"

#include "base/time/civil.h"
#include "base/time/clock.h"
#include "tests/support/assert.h"
#include "tests/support/unit.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What was written to standard error between these two. */
struct capture {
	FILE *file;
	int saved;
	char text[32768];
};

static void capture_begin(struct capture *c)
{
	c->file = tmpfile();
	assert_non_null(c->file);
	c->saved = dup(STDERR_FILENO);
	dup2(fileno(c->file), STDERR_FILENO);
}

static void capture_end(struct capture *c)
{
	size_t n;

	dup2(c->saved, STDERR_FILENO);
	close(c->saved);
	rewind(c->file);
	n = fread(c->text, 1, sizeof(c->text) - 1, c->file);
	c->text[n] = '\0';
	fclose(c->file);
}

static void a_line_has_time_level_area_and_message(void **state)
{
	static struct capture c;
	ts_t before = clock_now(clock_system()), at;
	char stamp[21] = "";

	log_setup(LOG_INFO, false);
	capture_begin(&c);
	log_info("%d zones of %s", 7, "p1");
	capture_end(&c);
	memcpy(stamp, c.text, 20);
	assert_int_equal(rfc3339_parse(stamp, &at, NULL, NULL), E_OK);
	assert_true(at >= before && at <= clock_now(clock_system()));
	assert_string_equal(c.text + 20, " tpucost[run]: info: 7 zones of p1\n");
}

static void the_journal_gets_a_priority_instead_of_the_time(void **state)
{
	static struct capture c;

	log_setup(LOG_DEBUG, true);
	capture_begin(&c);
	log_error("a");
	log_warn("b");
	log_info("c");
	log_debug("d");
	capture_end(&c);
	assert_string_equal(c.text, "<3>a\n<4>b\n<6>c\n<7>d\n");
}

static void what_is_less_urgent_than_the_level_is_not_written(void **state)
{
	static const char *const want[] = {
		"<3>0\n", "<3>0\n<4>1\n", "<3>0\n<4>1\n<6>2\n", "<3>0\n<4>1\n<6>2\n<7>3\n"};
	static struct capture c;

	for (int level = LOG_ERROR; level <= LOG_DEBUG; level++) {
		log_setup((enum log_level)level, true);
		capture_begin(&c);
		for (int i = LOG_ERROR; i <= LOG_DEBUG; i++) {
			assert_int_equal(log_enabled((enum log_level)i), i <= level);
			log_write((enum log_level)i, "%d", i);
		}
		capture_end(&c);
		assert_string_equal(c.text, want[level]);
	}
}

static void a_message_is_one_line_whatever_it_holds(void **state)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{"", "<6>\n"},
		{"a\nb", "<6>a\\nb\n"},
		{"\n", "<6>\\n\n"},
		{"end\n", "<6>end\\n\n"},
		{"\n\na", "<6>\\n\\na\n"},
		{"fake\n<0>kernel panic", "<6>fake\\n<0>kernel panic\n"},
		{"\x1b[2J", "<6>\\x1b[2J\n"},
		{"a\rb\tc", "<6>a\\x0db\\x09c\n"},
		{"\xff", "<6>\\xff\n"},
		{"\xe2\x80\xae", "<6><U+202E>\n"},
		{"100% \xe9\xa6\x99", "<6>100% \xe9\xa6\x99\n"},
	};
	static struct capture c;

	log_setup(LOG_INFO, true);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		capture_begin(&c);
		log_info("%s", rows[i].in);
		capture_end(&c);
		assert_string_equal(c.text, rows[i].out);
	}
}

/* Up to PIPE_BUF bytes are written whole even when several processes share the pipe. */
static void a_long_message_is_cut_between_characters(void **state)
{
	static struct capture c;
	char text[9001];

	log_setup(LOG_INFO, true);
	for (size_t shift = 0; shift < 3; shift++) {
		memset(text, 'a', shift);
		for (size_t i = shift; i + 3 < sizeof(text); i += 3)
			memcpy(text + i, "\xe9\xa6\x99", 4);
		capture_begin(&c);
		log_info("%s", text);
		capture_end(&c);
		assert_true(strlen(c.text) <= PIPE_BUF);
		assert_true(strlen(c.text) > 3900);
		assert_string_equal(c.text + strlen(c.text) - 7, "\xe9\xa6\x99...\n");
	}
	memset(text, '\x01', sizeof(text) - 1); /* escapes count as they are written */
	text[sizeof(text) - 1] = '\0';
	capture_begin(&c);
	log_info("%s", text);
	capture_end(&c);
	assert_true(strlen(c.text) <= PIPE_BUF);
}

static void logging_leaves_errno_alone(void **state)
{
	static struct capture c;

	log_setup(LOG_INFO, false);
	capture_begin(&c);
	errno = ENOSPC;
	log_info("a");
	assert_int_equal(errno, ENOSPC);
	close(STDERR_FILENO); /* nobody listens: no crash, no trace */
	log_info("b");
	assert_int_equal(errno, ENOSPC);
	capture_end(&c);
	assert_contains(c.text, " tpucost[run]: info: a\n");
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_has_time_level_area_and_message),
		cmocka_unit_test(the_journal_gets_a_priority_instead_of_the_time),
		cmocka_unit_test(what_is_less_urgent_than_the_level_is_not_written),
		cmocka_unit_test(a_message_is_one_line_whatever_it_holds),
		cmocka_unit_test(a_long_message_is_cut_between_characters),
		cmocka_unit_test(logging_leaves_errno_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
