/* What goes on from an earlier message about the same alert or action comes after it. */
#include "tests/support/world/outbox_world.h"

#include "tests/support/unit.h"

#include <string.h>

#define W SEVERITY_WARNING
#define C SEVERITY_CRITICAL

/* Somebody took the first letter in hand and was never seen again. */
static void die_with_it(void)
{
	tempdb_execf(&ow.t,
		"UPDATE notification SET state = 'sending', attempts = 1, fence = 1, "
		"lease = %lld WHERE id = 1",
		(long long)clock_now(&ow.t.clock) + OUTBOX_LEASE);
}

/* ---- alerts ------------------------------------------------------------------------------------ */

/* What was perhaps sent is sent again, so its end waits; what is not about it does not. */
static void an_end_waits_for_what_may_have_arrived(void **state)
{
	ow_channel("log");
	ow_fail("log", SEND_UNCLEAR, 1);
	ow_note("firing", "vm", "a", W);
	ow_cycle();
	ow_advance(60);
	ow_note("resolved", "vm", "a", W);
	ow_note("firing", "vm", "b", C);
	ow_cycle();
	assert_int_equal(ow.n, 2);
	assert_string_equal(ow.letters[1].subject, "[tpucost] CRITICAL: vm of b");
	ow_advance(240);
	ow_cycle();
	assert_int_equal(ow.n, 4);
	assert_string_equal(ow.letters[2].id, ow.letters[0].id);
	assert_true(ow.letters[2].may_be_repeat);
	assert_string_equal(ow.letters[3].subject, "[tpucost] resolved: vm of a");
}

static void an_end_waits_for_what_is_in_hand(void **state)
{
	ow_channel("log");
	ow_note("firing", "vm", "a", W);
	ow_compose();
	die_with_it();
	ow_advance(60);
	ow_note("resolved", "vm", "a", W);
	ow_cycle();
	assert_int_equal(ow.n, 0);
	ow_advance(OUTBOX_LEASE);
	ow_cycle();
	assert_int_equal(ow.n, 2);
	assert_string_equal(ow.letters[1].subject, "[tpucost] resolved: vm of a");
}

/* Urgent messages go first, but not before what they go on from, not even at night. */
static void what_got_worse_comes_after_its_beginning(void **state)
{
	struct channel *c = ow_channel("log");

	c->quiet_from = 60;
	c->quiet_until = 7 * 60;
	ow_fail("log", SEND_NOT_SENT, 1);
	ow_advance(59 * 60);
	ow_note("firing", "vm", "other", W);
	ow_cycle();
	ow_note("firing", "vm", "a", W);
	ow_compose();
	ow_note("firing", "vm", "last", W);
	ow_compose();
	ow_advance(60);
	ow_note("worse", "vm", "a", C);
	ow_compose();
	ow_note("resolved", "vm", "a", C);
	ow_cycle();
	assert_int_equal(ow.n, 4);
	assert_string_equal(ow.letters[2].subject, "[tpucost] warning: vm of a");
	assert_string_equal(ow.letters[3].subject, "[tpucost] CRITICAL: worse: vm of a");
	ow_advance(6 * 3600);
	ow_cycle();
	assert_int_equal(ow.n, 6);
	assert_string_equal(ow.letters[4].subject, "[tpucost] resolved: vm of a");
}

/* ---- actions ----------------------------------------------------------------------------------- */

static void it_is_not_cancelled_before_it_is_announced_again(void **state)
{
	int64_t x;

	aw_arm();
	ow_channel("log");
	ow_fail("log", SEND_UNCLEAR, 1);
	x = ACT(.name = "wrong");
	ow_cycle();
	ow_advance(60);
	aw_state(x, "cleared", "", "it is exempt");
	ACT(.name = "other");
	ow_cycle();
	assert_int_equal(ow.n, 2);
	assert_string_equal(
		ow.letters[1].subject, "[tpucost] other will be stopped at 00:31");
	ow_advance(240);
	ow_cycle();
	assert_int_equal(ow.n, 4);
	assert_string_equal(ow.letters[2].id, ow.letters[0].id);
	assert_string_equal(ow.letters[2].body, ow.letters[0].body);
	assert_string_equal(ow.letters[3].subject, "[tpucost] wrong will not be stopped");
}

/* The grace begins when the warning is accepted. */
static void a_warning_that_is_late_states_the_time_that_holds(void **state)
{
	aw_arm();
	ow_channel("log");
	ow_fail("log", SEND_NOT_SENT, 2);
	ow_note("firing", "vm", "a", W);
	ACT(.name = "wrong");
	ow_cycle();
	ow_note("resolved", "vm", "a", W);
	ow_advance(3600);
	ow_cycle();
	ow_advance(3600);
	ow_expect("SELECT attempts || ' ' || (created = 1795219200) FROM notification "
		  "WHERE id = 1",
		"2 1");
	ow_cycle();
	assert_int_equal(ow.n, 4);
	assert_string_equal(ow.letters[2].subject,
		"[tpucost] wrong will be stopped at 02:30 (and 1 more)");
	assert_non_null(strstr(ow.letters[2].body, "2026-11-21T02:30:00Z"));
	assert_non_null(strstr(ow.letters[2].body, "vm of a"));
	assert_string_equal(ow.letters[3].subject, "[tpucost] resolved: vm of a");
	ow_expect("SELECT message = (SELECT message FROM notification WHERE id = 1) FROM "
		  "action_notice",
		"1");
	ow_advance(60);
	ow_cycle();
	assert_int_equal(ow.n, 4);
}

static void what_happened_is_not_announced(void **state)
{
	int64_t x;

	aw_arm();
	ow_channel("log");
	ow_fail("log", SEND_NOT_SENT, 1);
	x = ACT(.name = "wrong");
	ow_cycle();
	ow_advance(3600);
	aw_state(x, "done", "", "stopped");
	ow_cycle();
	assert_int_equal(ow.n, 2);
	assert_non_null(strstr(ow.letters[1].subject, "wrong stopped at"));
	ow_expect(
		"SELECT group_concat(state || ' ' || (next_at IS NULL)) FROM notification",
		"dropped 1,sent 1");
}

/* Nothing was announced, so nothing is cancelled. */
static void what_is_cancelled_before_it_is_announced_is_not_told(void **state)
{
	int64_t x;

	aw_arm();
	ow_channel("log");
	ow_fail("log", SEND_NOT_SENT, 1);
	x = ACT(.name = "wrong");
	ow_cycle();
	ow_advance(3600);
	aw_state(x, "cleared", "", "it is exempt");
	ow_cycle();
	assert_int_equal(ow.n, 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, ow_setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(an_end_waits_for_what_may_have_arrived),
		TEST(an_end_waits_for_what_is_in_hand),
		TEST(what_got_worse_comes_after_its_beginning),
		TEST(it_is_not_cancelled_before_it_is_announced_again),
		TEST(a_warning_that_is_late_states_the_time_that_holds),
		TEST(what_happened_is_not_announced),
		TEST(what_is_cancelled_before_it_is_announced_is_not_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
