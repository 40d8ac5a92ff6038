/* A record that somebody changed: nothing new is sent, what is under way is followed, and one action
 * may pass when a person lets it. */
#include "db/db.h"
#include "db_sql.h"
#include "rules/enforce/guard.h"
#include "tests/support/assert.h"
#include "tests/support/world/enforce_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define RUNNING_VM "kind = 'vm' AND state = 'running'"

/* As somebody would who can write the file. */
static void change_first_entry(void)
{
	tempdb_exec(&ew.t, "DROP TRIGGER IF EXISTS audit_entry_no_update");
	tempdb_exec(&ew.t, "UPDATE audit_entry SET actor = 'user eve' WHERE seq = 1");
}

/* Notes of that kind that a channel is to be told. */
static int64_t to_be_told(const char *note)
{
	struct q_action_notes_in in = {.channel = "other"};
	struct q_action_notes q;
	struct db_rows rows;
	struct err e = {0};
	int64_t n = 0;

	assert_ok(q_action_notes_open(ew.t.db, &in, &rows, &e), e);
	while (q_action_notes_next(&rows, &q))
		n += !strcmp(q.note, note);
	assert_ok(db_rows_close(&rows, &e), e);
	return n;
}

static void nothing_is_sent_after_a_change(void **state)
{
	ew_vm("a");
	ew_vm("b");
	ew_rule("r", RUNNING_VM, 0);
	ew_track(60);
	change_first_entry();
	ew_run();
	assert_i64_eq(ew.acts, 0);
	assert_i64_eq(ew.result.held, 2);
	assert_i64_eq(ew.result.n_notes, 2);
	assert_contains(ew.result.notes[0], "HELD ");
	ew_expect_actions("a recheck audit; b recheck audit");
	ew_expect("SELECT DISTINCT reason FROM action",
		"the audit log was changed, entry 1: it was edited: its hash does "
		"not match; see: tpucost audit verify");
	ew_expect("SELECT DISTINCT json_extract(detail, '$.held') FROM audit_entry WHERE "
		  "event = 'held'",
		"audit");
	assert_i64_eq(to_be_told("held"), 2);
	/* It stays so, and is noted once. */
	for (int i = 0; i < 3; i++) {
		ew_track(60);
		ew_run();
		assert_i64_eq(ew.result.n_notes, 0);
	}
	assert_i64_eq(ew.acts, 0);
	ew_expect("SELECT COUNT(*) FROM audit_entry WHERE event = 'held'", "2");
}

static void one_passes_that_a_person_approved(void **state)
{
	ew_vm("a");
	ew_vm("b");
	ew_rule("r", RUNNING_VM, 0);
	ew_track(60);
	change_first_entry();
	ew_run();
	assert_true(guard_lets_approve("audit"));
	tempdb_exec(&ew.t,
		"UPDATE action SET approved = (SELECT MAX(at) FROM audit_entry) WHERE "
		"resource LIKE '%/b'");
	ew_run();
	assert_i64_eq(ew.acts, 1);
	ew_expect_actions("a recheck audit; b done");
}

static void it_goes_on_when_the_record_is_in_order_again(void **state)
{
	ew_vm("a");
	ew_rule("r", RUNNING_VM, 0);
	ew_track(60);
	change_first_entry();
	ew_run();
	ew_expect_actions("a recheck audit");
	tempdb_exec(&ew.t, "UPDATE audit_entry SET actor = 'tpucost' WHERE seq = 1");
	ew_cycle(60);
	ew_expect_actions("a done");
	ew_expect_audit();
}

static void what_is_under_way_is_followed(void **state)
{
	ew_vm("a");
	ew_rule("r", RUNNING_VM, 0);
	ew.op_stuck = true;
	ew_cycle(60);
	assert_i64_eq(ew.acts, 1);
	ew_expect_actions("a sent");
	change_first_entry();
	ew.op_stuck = false;
	ew_find("a")->state = "stopped";
	ew_cycle(60);
	assert_i64_eq(ew.acts, 1);
	ew_expect_actions("a done");
	ew_expect("SELECT record || restart FROM action", "{\"id\":\"1\"}gcloud start");
}

static void an_entry_says_what_is_done_to_which_machine(void **state)
{
	ew_vm("a");
	ew_rule("r", RUNNING_VM, 0);
	ew_cycle(60);
	ew_expect("SELECT detail FROM audit_entry WHERE event = 'intent'",
		"{\"mode\":\"armed\",\"reason\":\"the request is being sent\",\"record\":"
		"\"{\\\"id\\\":\\\"1\\\"}\",\"request_id\":\"4a6ee30b-645e-59fa-b78d-"
		"5b3cafa5b6cf\",\"restart\":\"gcloud start\",\"rule\":\"r\",\"state\":"
		"\"intent\",\"uid\":\"7001\",\"verb\":\"stop\"}");
	ew_expect("SELECT detail FROM audit_entry WHERE event = 'sent'",
		"{\"mode\":\"armed\",\"operation\":\"operation-1\",\"reason\":\"Google is "
		"working on "
		"it\",\"rule\":\"r\",\"state\":\"sent\",\"uid\":\"7001\",\"verb\":"
		"\"stop\"}");
}

UNIT_TESTS()
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, ew_setup, tempdb_teardown)
	const struct CMUnitTest tests[] = {
		TEST(nothing_is_sent_after_a_change),
		TEST(one_passes_that_a_person_approved),
		TEST(it_goes_on_when_the_record_is_in_order_again),
		TEST(what_is_under_way_is_followed),
		TEST(an_entry_says_what_is_done_to_which_machine),
	};

	return cmocka_run_group_tests_name("enforce_audit", tests, NULL, NULL);
}
