/* What only the look in the last moment can tell, and what happens in the grace: nothing is asked of
 * Google for such a machine, ever (I14, I28, I29; all cases: tests/faults). */
#include "tests/support/assert.h"
#include "tests/support/world/enforce_world.h"
#include "tests/support/unit.h"

#include <string.h>

static struct ew_machine *one(bool tpu, int64_t grace)
{
	struct ew_machine *m = tpu ? ew_tpu("big") : ew_vm("big");

	ew_rule("r", "name = 'big' AND state = 'running'", grace);
	return m;
}

/* No poll showed it; the look does. It is over, says why, and a person hears of it. */
static void never(const char *guard_word)
{
	ew_cycle(60);
	for (int i = 0; i < 30; i++)
		ew_cycle(3600);
	assert_i64_eq(ew.acts, 0);
	assert_true(ew.looks > 0);
	assert_string_equal(ew.log, "");
	ew_expect(
		"SELECT COUNT(*) FROM action WHERE intent IS NOT NULL OR sent IS NOT NULL",
		"0");
	ew_expect(
		"SELECT COUNT(*) FROM audit_entry WHERE event IN ('intent', 'sent')", "0");
	ew_expect("SELECT state FROM action", "failed");
	if (guard_word) {
		char reason[500];

		tempdb_text(&ew.t, "SELECT reason FROM action", reason, sizeof(reason));
		assert_contains(reason, guard_word);
	}
	ew_expect_audit();
}

static void i14_a_member_of_a_group_is_never_stopped(void **state)
{
	one(false, 0)->managed_by = "a managed instance group";
	never("a managed instance group");
}

static void i14_a_protected_machine_is_never_stopped(void **state)
{
	one(false, 0)->deletion_protection = true;
	never("protect");
}

static void i14_local_disks_are_never_lost(void **state)
{
	one(false, 0)->local_ssd = true;
	never("SSD");
}

static void i28_the_host_of_this_program_is_never_stopped(void **state)
{
	one(false, 0)->own_host = true;
	never(NULL);
}

static void start_again(struct ew_machine *m)
{
	m->started = ew.t.clock.fake_now;
}

/* The moment that a call by name leaves open: the same machine, started again within it. */
static void i4_started_again_at_the_call_is_told(void **state)
{
	one(false, 0);
	ew_track(60);
	ew.before_act = start_again;
	ew_run();
	assert_i64_eq(ew.acts, 1);
	ew_expect_actions("big done");
	ew_expect(
		"SELECT reason LIKE '%had been started again a moment before%' FROM action",
		"1");
	ew_expect_audit();
}

/* A slice is known as one by its polls: there is not even a look. */
static void i14_a_slice_is_never_stopped(void **state)
{
	one(true, 0)->hosts = 4;
	for (int i = 0; i < 30; i++)
		ew_cycle(3600);
	assert_i64_eq(ew.acts, 0);
	ew_expect("SELECT COUNT(*) FROM action WHERE intent IS NOT NULL", "0");
	ew_expect_audit();
}

static void i29_preempted_in_its_grace(void **state)
{
	struct ew_machine *m;

	m = one(true, 1800);
	ew_cycle(60);
	ew_expect_actions("big grace");
	m->state = "preempted";
	ew_cycle(60);
	ew_expect_actions("big cleared");
	for (int i = 0; i < 10; i++)
		ew_cycle(600);
	assert_i64_eq(ew.acts, 0);
	ew_expect_audit();
}

/* The same between the last poll and the look. */
static void i29_preempted_before_the_look(void **state)
{
	struct ew_machine *m;

	m = one(true, 0);
	ew_track(60);
	m->state = "preempted";
	ew_run();
	ew_expect_actions("big cleared");
	assert_i64_eq(ew.acts, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, ew_setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(i14_a_member_of_a_group_is_never_stopped),
		TEST(i14_a_protected_machine_is_never_stopped),
		TEST(i14_local_disks_are_never_lost),
		TEST(i28_the_host_of_this_program_is_never_stopped),
		TEST(i4_started_again_at_the_call_is_told),
		TEST(i14_a_slice_is_never_stopped),
		TEST(i29_preempted_in_its_grace),
		TEST(i29_preempted_before_the_look),
	};

	return cmocka_run_group_tests_name("enforce_cases", tests, NULL, NULL);
}
