#include "base/time/clock.h"

#include "tests/support/assert.h"
#include "tests/support/unit.h"

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

#define NOV_21 INT64_C(1795237200)

static void a_fake_clock_stands_still(void **state)
{
	struct clock c;

	clock_fake_init(&c, NOV_21);
	assert_ts_eq(clock_now(&c), NOV_21);
	assert_ts_eq(clock_now(&c), NOV_21);
	assert_i64_eq(clock_mono_ms(&c), clock_mono_ms(&c));
}

static void advancing_moves_both_times(void **state)
{
	struct clock c;
	int64_t before;

	clock_fake_init(&c, NOV_21);
	before = clock_mono_ms(&c);
	clock_fake_advance(&c, 90);
	assert_ts_eq(clock_now(&c), NOV_21 + 90);
	assert_i64_eq(clock_mono_ms(&c) - before, 90000);
}

static void sleeping_advances_a_fake_clock(void **state)
{
	struct clock c;

	clock_fake_init(&c, NOV_21);
	clock_sleep_ms(&c, 2500);
	assert_ts_eq(clock_now(&c), NOV_21 + 2);
	assert_i64_eq(clock_mono_ms(&c), 2500);
	clock_sleep_ms(&c, 0);
	clock_sleep_ms(&c, -1000);
	assert_i64_eq(clock_mono_ms(&c), 2500);
}

/* Many short sleeps add up; their fractions of a second are not lost. */
static void short_sleeps_add_up(void **state)
{
	struct clock c;

	clock_fake_init(&c, NOV_21);
	for (int i = 0; i < 1000; i++)
		clock_sleep_ms(&c, 7);
	assert_i64_eq(clock_mono_ms(&c), 7000);
	assert_ts_eq(clock_now(&c), NOV_21 + 7);
}

static void two_fake_clocks_are_independent(void **state)
{
	struct clock a, b;

	clock_fake_init(&a, NOV_21);
	clock_fake_init(&b, NOV_21);
	clock_fake_advance(&a, 5);
	assert_ts_eq(clock_now(&b), NOV_21);
}

static void the_system_clock_never_runs_backwards(void **state)
{
	struct clock *c = clock_system();
	int64_t before = clock_mono_ms(c);

	assert_ptr_equal(c, clock_system());
	assert_true(clock_now(c) > 1700000000); /* it is later than 2023 */
	for (int i = 0; i < 1000; i++) {
		int64_t now = clock_mono_ms(c);

		assert_true(now >= before);
		before = now;
	}
}

static volatile sig_atomic_t alarms;

static void on_alarm(int sig)
{
	(void)sig;
	alarms = alarms + 1;
}

/* The one place that sleeps in earnest: signals must not cut it short. */
static void a_sleep_lasts_in_spite_of_signals(void **state)
{
	struct clock *c = clock_system();
	struct itimerval every = {{0, 5000}, {0, 5000}}, off = {{0, 0}, {0, 0}};
	struct sigaction act = {.sa_handler = on_alarm};
	int64_t before;

	assert_int_equal(sigaction(SIGALRM, &act, NULL), 0);
	before = clock_mono_ms(c);
	assert_int_equal(setitimer(ITIMER_REAL, &every, NULL), 0);
	clock_sleep_ms(c, 40);
	assert_int_equal(setitimer(ITIMER_REAL, &off, NULL), 0);
	assert_true(clock_mono_ms(c) - before >= 39);
	assert_true(alarms > 0);
	clock_sleep_ms(c, 0);
	clock_sleep_ms(c, -5000); /* returns at once, else the test hangs */
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fake_clock_stands_still),
		cmocka_unit_test(advancing_moves_both_times),
		cmocka_unit_test(sleeping_advances_a_fake_clock),
		cmocka_unit_test(short_sleeps_add_up),
		cmocka_unit_test(two_fake_clocks_are_independent),
		cmocka_unit_test(the_system_clock_never_runs_backwards),
		cmocka_unit_test(a_sleep_lasts_in_spite_of_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
