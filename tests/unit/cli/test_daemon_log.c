/* What the daemon says of what lasts: a line when it begins, and one when it is over. */
#include "base/log.h"
#include "cli/daemon/daemon.h"
#include "tests/support/unit.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct troubles t;
static int saved, captured[2];

static int set_up(void **state)
{
	log_setup(LOG_INFO, true);
	assert_int_equal(pipe2(captured, O_NONBLOCK | O_CLOEXEC), 0);
	saved = dup(STDERR_FILENO);
	dup2(captured[1], STDERR_FILENO);
	return 0;
}

static int tear_down(void **state)
{
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(captured[0]);
	close(captured[1]);
	troubles_done(&t);
	return 0;
}

/* What was logged since the last time. */
static void logged(const char *want)
{
	static char text[65536];
	ssize_t n = read(captured[0], text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	assert_string_equal(text, want);
}

static void round_of(const char *a, const char *b, bool whole)
{
	troubles_round(&t);
	if (a)
		troubles_met(&t, a);
	if (b)
		troubles_met(&t, b);
	if (whole)
		troubles_over(&t);
}

static void what_lasts_is_said_twice(void **state)
{
	round_of("disk full", NULL, true);
	logged("<4>disk full\n");
	round_of("disk full", "no network", true);
	logged("<4>no network\n");
	round_of("disk full", "no network", true);
	logged("");
	round_of("no network", NULL, true);
	logged("<6>resolved: disk full\n");
	round_of("disk full", "no network", true);
	logged("<4>disk full\n");
	round_of(NULL, NULL, true);
	logged("<6>resolved: no network\n<6>resolved: disk full\n");
	assert_int_equal(t.n, 0);
}

/* A cycle that broke off has not looked at everything. */
static void only_a_whole_round_says_what_is_over(void **state)
{
	round_of("disk full", NULL, true);
	logged("<4>disk full\n");
	round_of(NULL, "crashed", false);
	logged("<4>crashed\n");
	round_of("disk full", NULL, true);
	logged("<6>resolved: crashed\n");
}

static void the_key_decides_and_the_text_is_said(void **state)
{
	round_of("source refused\tvm of lab-one: refused", NULL, true);
	logged("<4>vm of lab-one: refused\n");
	round_of("source refused\tdisk of lab-two: refused", NULL, true);
	logged("");
	round_of(NULL, NULL, true);
	logged("<6>resolved: vm of lab-one: refused\n");
}

static void times_are_no_difference_and_names_are(void **state)
{
	round_of("timed out after 30012 milliseconds", NULL, true);
	logged("<4>timed out after 30012 milliseconds\n");
	round_of("timed out after 29998 milliseconds", NULL, true);
	logged("");
	round_of("the clock is 12.5 s off", NULL, true);
	logged("<4>the clock is 12.5 s off\n<6>resolved: timed out after 30012 "
	       "milliseconds\n");
	round_of("the clock is 3 s off", NULL, true);
	logged("");
	round_of("vm1 is lost", "vm2 is lost", true);
	logged("<4>vm1 is lost\n<4>vm2 is lost\n<6>resolved: the clock is 12.5 "
	       "s "
	       "off\n");
	round_of("HTTP 403 for project 7", "HTTP 404 for project 7", true);
	logged("<4>HTTP 403 for project 7\n<4>HTTP 404 for project 7\n"
	       "<6>resolved: vm1 is lost\n<6>resolved: vm2 is lost\n");
}

static void there_is_a_cap(void **state)
{
	char text[32];

	log_setup(LOG_ERROR, true);
	troubles_round(&t);
	for (int i = 0; i < 600; i++) {
		snprintf(text, sizeof(text), "trouble no%d", i);
		troubles_met(&t, text);
	}
	assert_int_equal(t.n, 500);
	assert_int_equal(t.left_out, 100);
	troubles_over(&t);
	assert_int_equal(t.n, 500);
	round_of(NULL, NULL, true);
	assert_int_equal(t.n + t.left_out, 0);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			what_lasts_is_said_twice, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			only_a_whole_round_says_what_is_over, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			the_key_decides_and_the_text_is_said, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			times_are_no_difference_and_names_are, set_up, tear_down),
		cmocka_unit_test_setup_teardown(there_is_a_cap, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
