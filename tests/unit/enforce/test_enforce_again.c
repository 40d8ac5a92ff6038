/* That nothing gets stuck: what failed, was held or could not be seen goes on when it may. */
#include "db/db.h"
#include "rules/act/audit.h"
#include "tests/support/assert.h"
#include "tests/support/world/enforce_world.h"
#include "tests/support/fault/faultstmt.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define RUNNING_VM "kind = 'vm' AND state = 'running'"
#define HOUR INT64_C(3600)

static void a_limit_that_stands_is_one_entry(void **state)
{
	ew_vm("a");
	ew_vm("b");
	ew_rule("r", RUNNING_VM, 0);
	ew.en.max_per_run = 1;
	ew_cycle(60);
	ew_expect_actions("a recheck caps; b recheck caps");
	for (int i = 0; i < 5; i++) {
		ew_track(60);
		ew_expect_actions("a recheck caps; b recheck caps");
		ew_run();
		assert_i64_eq(ew.result.n_notes, 0);
	}
	/* of another number it is the same limit: only the new one is told */
	ew_vm("c");
	ew_cycle(60);
	ew_expect_actions("a recheck caps; b recheck caps; c recheck caps");
	assert_i64_eq(ew.result.n_notes, 1);
	ew_find("c")->state = "stopped";
	ew_expect("SELECT group_concat(event, ' ') FROM (SELECT event FROM audit_entry "
		  "WHERE action = 1 ORDER BY seq)",
		"began warning recheck held");
	/* The run itself lets it go on. */
	ew.en.max_per_run = 2;
	ew_cycle(60);
	ew_expect_actions("a done; b done; c cleared");
}

static void person_resumes(void)
{
	struct audit_entry entry = {.actor = "user ada", .event = "resumed"};
	struct err e = {0};

	tempdb_exec(&ew.t, "DELETE FROM disarmed");
	assert_ok(audit_add(ew.t.db, &entry, ew.t.clock.fake_now, &e), e);
}

static void what_was_refused_is_tried_after_resume(void **state)
{
	ew_vm("a");
	ew_rule("r", RUNNING_VM, 0);
	ew.act_fails = E_DENIED;
	ew_cycle(60);
	ew_expect_actions("a failed");
	ew.act_fails = E_OK;
	ew_cycle(60);
	ew_expect_actions("a failed");
	person_resumes();
	ew_cycle(60);
	ew_expect_actions("a failed; a done");
	assert_i64_eq(ew.effects, 1);
	/* That is no leave for all times, and what is done stays done. */
	person_resumes();
	ew_cycle(60);
	ew_expect_actions("a failed; a done");
}

static void what_one_rule_gave_up_another_may_do(void **state)
{
	ew_vm("a");
	ew_rule("r", RUNNING_VM, 0);
	ew.act_fails = E_DENIED;
	ew_cycle(60);
	ew_expect_actions("a failed");
	ew.act_fails = E_OK;
	ew_rule("s", RUNNING_VM, 0);
	ew_cycle(60);
	ew_expect_actions("a failed; a done");
}

static void one_resume_is_one_more_try(void **state)
{
	ew_vm("a");
	ew_rule("r", RUNNING_VM, 0);
	ew.act_fails = E_DENIED;
	ew_cycle(60);
	person_resumes();
	for (int i = 0; i < 5; i++)
		ew_cycle(60);
	ew_expect_actions("a failed; a failed");
	assert_i64_eq(ew.acts, 2);
}

/* Switched off in between, and no network at first: that says nothing about the machine. */
static void who_was_away_looks_before_giving_up(void **state)
{
	struct ew_machine *m = ew_vm("a");

	ew_rule("r", RUNNING_VM, 0);
	ew.op_stuck = true;
	ew_cycle(60);
	ew_expect_actions("a sent");
	ew.op_fails = ew.look_fails = E_NET;
	ew_cycle(2 * HOUR);
	ew_expect_actions("a sent");
	m->state = "stopped";
	ew.look_fails = E_OK;
	ew_cycle(60);
	ew_expect_actions("a done");
}

static void an_operation_nobody_may_read_is_no_failure(void **state)
{
	struct ew_machine *m = ew_vm("a");

	ew_rule("r", RUNNING_VM, 0);
	ew.op_fails = E_DENIED;
	ew.no_effect = true;
	ew_cycle(60);
	ew_expect_actions("a sent");
	m->state = "stopped";
	ew_cycle(ENFORCE_VERIFY + 60);
	ew_expect_actions("a done");
}

static void what_cannot_be_seen_for_a_day_starts_over(void **state)
{
	ew_vm("a");
	ew_rule("r", RUNNING_VM, 0);
	ew.op_fails = E_DENIED;
	ew.no_effect = true;
	ew_cycle(60);
	ew.look_fails = E_NET;
	ew_cycle(ENFORCE_UNSEEN);
	ew_cycle(60);
	ew_expect_actions("a recheck");
	ew_expect("SELECT COUNT(*) FROM audit_entry WHERE detail LIKE '%no state could be "
		  "read from Google after 144_ minutes%'",
		"1");
}

/* A second process judges by a newer configuration, which has the rule no more. */
static void clear_it(struct ew_machine *m)
{
	(void)m;
	tempdb_exec(&ew.t, "UPDATE action SET state = 'cleared', ended = since");
}

static void what_was_decided_meanwhile_counts(void **state)
{
	ew_vm("a");
	ew_rule("r", RUNNING_VM, 0);
	ew.after_look = clear_it;
	ew_cycle(60);
	assert_i64_eq(ew.acts, 0);
	ew_expect_actions("a cleared");
	ew_expect("SELECT COUNT(*) FROM audit_entry WHERE event = 'intent'", "0");
}

/* Queued resources have no number. */
static void what_was_created_later_is_another_one(void **state)
{
	struct ew_machine *m = ew_tpu("a");
	ts_t started = m->started;

	m->uid[0] = '\0';
	ew_rule("r", "kind = 'tpu' AND state = 'running'", 0);
	ew_cycle(60);
	ew_expect_actions("a done");
	m->there = false;
	ew_cycle(30 * HOUR);
	m = ew_tpu("a");
	m->uid[0] = '\0';
	m->started = started;
	ew_cycle(HOUR);
	ew_expect_actions("a done; a done");
}

static void too_young_is_not_for_good(void **state)
{
	struct ew_machine *m = ew_vm("a");
	struct rule *r = ew_rule("r", RUNNING_VM, 0);

	r->then.action = "delete";
	r->then.allow_delete = ew.en.allow_delete = true;
	ew.deliver = false;
	ew_cycle(60);
	ew.deliver = true;
	ew_track(60);
	/* It is another one by now, and the poll did not see that yet. */
	m->created = ew.t.clock.fake_now;
	ew_run();
	ew_expect_actions("a recheck delete");
	assert_i64_eq(ew.acts, 0);
}

/* That a look does not find it is not enough: a list that is whole has to have it no more. */
static void deleted_is_what_no_list_has(void **state)
{
	struct ew_machine *m = ew_vm("a");
	struct rule *r = ew_rule("r", RUNNING_VM, 0);

	m->created -= HOUR;
	ew_vm("b")->state = "stopped";
	r->then.action = "delete";
	r->then.allow_delete = ew.en.allow_delete = true;
	ew.en.max_deletes_per_hour = 1;
	ew_cycle(60);
	ew_expect_actions("a verify");
	ew_run();
	ew_expect_actions("a verify");
	ew.poll = false;
	ew_cycle(60);
	ew_expect_actions("a verify");
	ew.poll = true;
	ew_cycle(60);
	ew_expect_actions("a done");
	ew_expect("SELECT reason FROM action", "deleted; no list contains it any longer");
	assert_i64_eq(ew.acts, 1);
	ew_expect_audit();
}

static enum err_code follow_all(struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (db_begin(ew.t.db, &tx, e) ||
		enforce_track(ew.t.db, &ew.settings, ew.t.clock.fake_now, e))
		return e->code;
	return db_commit(&tx, e);
}

static enum err_code run_all(struct err *e)
{
	return enforce_run(ew.t.db, &ew.opts, &ew.t.a, &ew.result, e);
}

/* Each query of `go` fails in turn, two days after the other: that is told, and nothing is lost by it
 * or done twice. */
static void each_query_fails(
	enum err_code (*go)(struct err *e), const char *before, const char *end)
{
	bool fired = true;

	tempdb_exec(&ew.t, "PRAGMA synchronous = OFF"); /* for speed */
	for (int64_t at = 1; fired; at += unit_step(1)) {
		struct err e = {0};
		enum err_code rc;

		for (size_t i = 0; i < ew.n; i++) {
			ew.m[i].state = "running";
			ew.m[i].started = ew.t.clock.fake_now + 48 * HOUR;
		}
		ew.effects = 0;
		ew_track(48 * HOUR + 60);
		tempdb_exec(&ew.t, before);
		faultstmt_arm(ew.t.db, FAULT_RUN, at);
		rc = go(&e);
		fired = faultstmt_disarm(ew.t.db);
		if (fired != (rc != E_OK) || (rc && !e.msg[0]))
			fail_msg("query %d: %s", (int)at, rc ? e.msg : "failed unnoticed");
		assert_true(fired || at > 10);
		for (int i = 0; i < 2; i++)
			ew_cycle(400);
		ew_expect("SELECT group_concat(name || ' ' || state || ' ' || held) FROM "
			  "(SELECT * FROM action WHERE began >= (SELECT now FROM as_of) - "
			  "86400 AND state <> 'superseded' ORDER BY name)",
			end);
	}
	ew_expect_audit();
}

static void no_failure_of_the_database_is_passed_over(void **state)
{
	ew_vm("a");
	ew_rule("r", RUNNING_VM, 0);
	each_query_fails(follow_all, "", "a done ");
	assert_i64_eq(ew.effects, 1);
	each_query_fails(follow_all, "DELETE FROM action WHERE ended IS NULL", "a done ");
	each_query_fails(run_all, "", "a done ");
	assert_i64_eq(ew.effects, 1);
}

/* Of machines that are held by a limit, or by a rule that is not armed any more. */
static void no_failure_lets_past_a_limit(void **state)
{
	ew_vm("a");
	ew_vm("b");
	ew_rule("r", RUNNING_VM, 0);
	ew.en.max_per_run = 1;
	each_query_fails(run_all, "", "a recheck caps,b recheck caps");
	assert_i64_eq(ew.acts, 0);
}

/* The daemon does not end while something may be under way, and does not sleep while something is due. */
static void what_is_under_way_or_due_is_told(void **state)
{
	static const struct {
		const char *state, *next_at;
		bool in_flight, ready;
	} cases[] = {
		{"pending", "NULL", false, false},
		{"warning", "NULL", false, true},
		{"warning", "9999999999", false, true},
		{"grace", "NULL", false, true},
		{"recheck", "NULL", false, true},
		{"recheck", "1795219199", false, true},
		{"recheck", "1795219200", false, true},
		{"recheck", "1795219201", false, false},
		{"intent", "NULL", true, false},
		{"sent", "NULL", true, false},
		{"verify", "NULL", true, false},
		{"unknown", "NULL", true, false},
		{"done", "NULL", false, false},
		{"failed", "NULL", false, false},
	};
	bool in_flight = true, ready = true;
	struct err e = {0};

	assert_ok(enforce_waiting(ew.t.db, &in_flight, &ready, EW_NOW, &e), e);
	assert_false(in_flight || ready);
	ew_vm("a");
	ew_vm("b");
	ew_vm("c");
	ew_rule("r", RUNNING_VM, HOUR);
	ew_cycle(60);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (int place = 1; place <= 3; place++) {
			tempdb_exec(&ew.t,
				"UPDATE action SET state = 'pending', next_at = NULL");
			tempdb_execf(&ew.t,
				"UPDATE action SET state = '%s', next_at = %s WHERE action "
				"= %d",
				cases[i].state, cases[i].next_at, place);
			assert_ok(enforce_waiting(ew.t.db, &in_flight, &ready, EW_NOW, &e),
				e);
			if (in_flight != cases[i].in_flight || ready != cases[i].ready)
				fail_msg("%s %s: %d %d", cases[i].state, cases[i].next_at,
					in_flight, ready);
		}
	faultstmt_arm(ew.t.db, FAULT_RUN, 1);
	assert_int_not_equal(
		enforce_waiting(ew.t.db, &in_flight, &ready, EW_NOW, &e), E_OK);
	assert_true(faultstmt_disarm(ew.t.db));
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, ew_setup, tempdb_teardown)
		T(a_limit_that_stands_is_one_entry),
		T(what_was_refused_is_tried_after_resume),
		T(what_one_rule_gave_up_another_may_do),
		T(one_resume_is_one_more_try),
		T(who_was_away_looks_before_giving_up),
		T(an_operation_nobody_may_read_is_no_failure),
		T(what_cannot_be_seen_for_a_day_starts_over),
		T(what_was_decided_meanwhile_counts),
		T(what_was_created_later_is_another_one),
		T(too_young_is_not_for_good),
		T(deleted_is_what_no_list_has),
		T(what_is_under_way_or_due_is_told),
		T(no_failure_of_the_database_is_passed_over),
		T(no_failure_lets_past_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
