/* Rules of two steps: what a rule stopped is deleted later, unless somebody started, changed or kept it. And steps
 * that wait before their warning. */
#include "db/db.h"
#include "rules/enforce/plan.h"
#include "tests/support/assert.h"
#include "tests/support/unit.h"
#include "tests/support/world/enforce_world.h"

#include <stdio.h>
#include <string.h>

#define MINUTE INT64_C(60)
#define HOUR INT64_C(3600)
#define DAY INT64_C(86400)
#define RUNNING_VM "kind = 'vm' AND state = 'running'"

/* Stopped after 10 minutes, deleted after 7 days, and announced a day before. */
static struct rule *two_steps(const char *where)
{
	struct rule *r = ew_rule("r", where, 10 * MINUTE);

	r->later = (struct rule_action){.action = "delete",
		.after = 7 * DAY,
		.grace = DAY,
		.armed = true,
		.allow_delete = true};
	ew.en.allow_delete = true;
	return r;
}

static const char actions_now[] =
	"SELECT group_concat(x, '; ') FROM (SELECT action || ' ' || verb || ' ' || state "
	"|| IIF(held = '', '', ' ' || held) || COALESCE(' follows ' || follows, '') AS x "
	"FROM action ORDER BY action)";

/* The stop is done, and the second step has begun. */
static struct ew_machine *stopped(void)
{
	struct ew_machine *m = ew_vm("a");

	two_steps(RUNNING_VM);
	ew_cycle(MINUTE);
	ew_cycle(10 * MINUTE);
	ew_expect(actions_now, "1 stop done");
	ew_cycle(MINUTE);
	ew_expect(actions_now, "1 stop done; 2 delete pending follows 1");
	return m;
}

/* A poll saw it running, a minute after its stop. */
static void ran_meanwhile(void)
{
	tempdb_exec(&ew.t,
		"INSERT INTO resource_interval (id, uid, starts, ends, kind, project, "
		"location, name, state) SELECT resource, uid, sent + 60, sent + 120, kind, "
		"project, location, name, 'running' FROM action WHERE action = 1");
}

static void what_stays_stopped_is_deleted_once_and_in_time(void **state)
{
	ts_t begun;

	stopped();
	begun = ew.t.clock.fake_now;
	ew_cycle(6 * DAY - MINUTE);
	ew_expect(actions_now, "1 stop done; 2 delete pending follows 1");
	ew_cycle(MINUTE);
	ew_expect(actions_now, "1 stop done; 2 delete grace follows 1");
	ew_cycle(DAY - MINUTE);
	assert_i64_eq(ew.acts, 1);
	assert_i64_eq(ew.t.clock.fake_now, begun + 7 * DAY - MINUTE);
	ew_cycle(MINUTE);
	ew_cycle(MINUTE);
	ew_expect(actions_now, "1 stop done; 2 delete done follows 1");
	assert_i64_eq(ew.acts, 2);
	assert_null(ew_find("a"));
	assert_non_null(strstr(ew.log, "delete a 7001 "));
	ew_cycle(DAY);
	ew_expect("SELECT COUNT(*) FROM action", "2");
	ew_expect("SELECT group_concat(event, ' ') FROM (SELECT event FROM audit_entry "
		  "WHERE action = 2 ORDER BY seq)",
		"began warning grace recheck intent sent verify done");
	ew_expect_audit();
}

/* No time is saved on a warning: who hears late has a day all the same. */
static void a_late_warning_delays_it(void **state)
{
	stopped();
	ew.deliver = false;
	ew_cycle(6 * DAY);
	ew_expect(actions_now, "1 stop done; 2 delete warning follows 1");
	ew_cycle(3 * DAY);
	ew.deliver = true;
	ew_cycle(MINUTE);
	ew_cycle(DAY - MINUTE);
	assert_i64_eq(ew.acts, 1);
	ew_expect(actions_now, "1 stop done; 2 delete grace follows 1");
	ew_cycle(MINUTE);
	assert_i64_eq(ew.acts, 2);
}

/* Away for a month: the time counts, the warning is still to come. */
static void who_was_away_is_warned_first(void **state)
{
	stopped();
	ew_cycle(30 * DAY);
	ew_expect(actions_now, "1 stop done; 2 delete grace follows 1");
	assert_i64_eq(ew.acts, 1);
	ew_cycle(DAY);
	assert_i64_eq(ew.acts, 2);
}

static void a_start_begins_everything_anew(void **state)
{
	struct ew_machine *m = stopped();

	ew_cycle(6 * DAY);
	m->state = "running";
	m->started = ew.t.clock.fake_now;
	ran_meanwhile();
	ew_cycle(HOUR);
	ew_expect(actions_now, "1 stop done; 2 delete cleared follows 1; 3 stop grace");
	/* stopped by its user: nothing of the rule stopped it */
	m->state = "stopped";
	ew_cycle(HOUR);
	ew_expect(actions_now, "1 stop done; 2 delete cleared follows 1; 3 stop cleared");
	assert_i64_eq(ew.acts, 1);
}

/* A poll sees it stopped at both ends: Google's time of its start tells. */
static void a_start_between_polls_is_seen_live(void **state)
{
	struct ew_machine *m = stopped();

	ew_cycle(6 * DAY);
	ew_track(DAY + MINUTE);
	/* the poll is read, and then it is started and stopped */
	m->started = ew.t.clock.fake_now;
	ew_run();
	assert_i64_eq(ew.acts, 1);
	ew_expect("SELECT state FROM action WHERE action = 2", "superseded");
	/* its owner stopped it: for good */
	for (int day = 0; day < 20; day++)
		ew_cycle(DAY);
	assert_i64_eq(ew.acts, 1);
	ew_expect("SELECT COUNT(*) FROM action", "2");
}

/* The same in time for the next poll. */
static void a_start_between_polls_is_seen_by_the_next(void **state)
{
	struct ew_machine *m = stopped();

	ew_cycle(DAY);
	ew.poll = false;
	ew_track(HOUR);
	m->started = ew.t.clock.fake_now - MINUTE;
	ew.poll = true;
	ew_cycle(MINUTE);
	ew_expect("SELECT state FROM action WHERE action = 2", "cleared");
	for (int day = 0; day < 20; day++)
		ew_cycle(DAY);
	assert_i64_eq(ew.acts, 1);
	ew_expect("SELECT COUNT(*) FROM action", "2");
}

/* The program died between the request and its answer. Its owner used it meanwhile, and stopped it. */
static void a_start_while_the_program_was_away_is_kept(void **state)
{
	struct ew_machine *m = ew_vm("a");

	two_steps(RUNNING_VM);
	ew_cycle(MINUTE);
	ew.opts.wait_seconds = 0;
	ew_cycle(10 * MINUTE);
	ew_expect(actions_now, "1 stop verify");
	m->state = "stopped";
	m->started = ew.t.clock.fake_now + 3 * MINUTE;
	ew_cycle(5 * MINUTE);
	ew_expect(actions_now, "1 stop done");
	for (int day = 0; day < 20; day++)
		ew_cycle(DAY);
	ew_expect(actions_now, "1 stop done");
	assert_i64_eq(ew.acts, 1);
}

/* It died before the request, and its owner stopped the machine an hour later. */
static void a_stop_of_its_owner_while_the_program_was_away_is_not_ours(void **state)
{
	struct ew_machine *m = ew_vm("a");

	two_steps(RUNNING_VM);
	ew_cycle(MINUTE);
	ew_track(10 * MINUTE);
	tempdb_execf(&ew.t,
		"UPDATE action SET state = 'intent', due = %lld, intent = %lld, request_id "
		"= 'r'",
		(long long)ew.t.clock.fake_now, (long long)ew.t.clock.fake_now);
	m->stopped = ew.t.clock.fake_now + HOUR;
	m->state = "stopped";
	for (int day = 0; day < 20; day++)
		ew_cycle(DAY);
	ew_expect(actions_now, "1 stop done");
	assert_i64_eq(ew.acts, 0);
}

/* A TPU node does not tell of its starts: the recorded history does. */
static void a_node_that_ran_meanwhile_is_kept(void **state)
{
	ew_tpu("n");
	two_steps("kind = 'tpu' AND state = 'running'");
	ew_cycle(MINUTE);
	ew_cycle(10 * MINUTE);
	ew_cycle(MINUTE);
	ew_expect(actions_now, "1 stop done; 2 delete pending follows 1");
	ran_meanwhile();
	ew_cycle(MINUTE);
	ew_cycle(10 * DAY);
	ew_expect(actions_now, "1 stop done; 2 delete cleared follows 1");
	assert_i64_eq(ew.acts, 1);
}

static void another_owner_is_warned_anew(void **state)
{
	struct ew_machine *m = stopped();

	ew_cycle(6 * DAY);
	m->owner = "ada";
	ew_cycle(MINUTE);
	ew_cycle(5 * DAY);
	ew_expect(actions_now,
		"1 stop done; 2 delete superseded follows 1; 3 delete pending follows 1");
	ew_cycle(DAY);
	ew_expect("SELECT state FROM action WHERE action = 3", "grace");
	ew_cycle(DAY);
	assert_i64_eq(ew.acts, 2);
}

static void a_hold_begins_its_time_anew(void **state)
{
	stopped();
	ew_cycle(7 * DAY - HOUR);
	tempdb_execf(&ew.t,
		"INSERT INTO hold (id, created, until, comment) SELECT resource, 0, %lld, "
		"'' "
		"FROM action LIMIT 1",
		(long long)(ew.t.clock.fake_now + DAY));
	ew_cycle(MINUTE);
	ew_expect(actions_now, "1 stop done; 2 delete cleared follows 1");
	ew_cycle(2 * DAY);
	ew_cycle(5 * DAY);
	ew_expect(actions_now,
		"1 stop done; 2 delete cleared follows 1; 3 delete pending follows 1");
	assert_i64_eq(ew.acts, 1);
}

static void another_machine_of_that_name_is_another(void **state)
{
	struct ew_machine *m = stopped();

	ew_cycle(6 * DAY);
	snprintf(m->uid, sizeof(m->uid), "8000");
	m->created = m->started = ew.t.clock.fake_now;
	ew_cycle(DAY);
	ew_cycle(10 * DAY);
	assert_i64_eq(ew.acts, 1);
	ew_expect(actions_now, "1 stop done; 2 delete cleared follows 1");
}

static void both_switches_are_needed(void **state)
{
	struct ew_machine *m = ew_vm("a");
	struct rule *r = two_steps(RUNNING_VM);

	r->later.allow_delete = false;
	ew_cycle(MINUTE);
	ew_cycle(10 * MINUTE);
	ew_cycle(MINUTE);
	ew_cycle(20 * DAY);
	ew_expect("SELECT state || held FROM action WHERE action = 2", "pendingdelete");
	/* another text is another rule: what was stopped under the old one stays */
	r->later.allow_delete = true;
	ew_cycle(MINUTE);
	ew_cycle(20 * DAY);
	ew_expect(actions_now, "1 stop done; 2 delete superseded follows 1");
	/* stopped under this one */
	m->state = "running";
	m->started = ew.t.clock.fake_now;
	ew_cycle(MINUTE);
	ew_cycle(11 * MINUTE);
	ew.en.allow_delete = false;
	ew_cycle(MINUTE);
	ew_cycle(20 * DAY);
	ew_expect("SELECT state || held FROM action WHERE action = 4", "pendingdelete");
	assert_i64_eq(ew.acts, 2);
	ew.en.allow_delete = true;
	ew_cycle(MINUTE);
	ew_cycle(DAY);
	assert_i64_eq(ew.acts, 3);
}

/* A step that is not armed is a preview: the stop is real. */
static void a_dry_run_of_the_second_step_deletes_nothing(void **state)
{
	ew_vm("a");
	two_steps(RUNNING_VM)->later.armed = false;
	ew_cycle(MINUTE);
	ew_cycle(10 * MINUTE);
	ew_cycle(MINUTE);
	ew_cycle(30 * DAY);
	ew_cycle(2 * DAY);
	ew_expect("SELECT verb || mode || state FROM action WHERE action = 2",
		"deletedry-runrecheck");
	assert_i64_eq(ew.acts, 1);
}

/* A rule that matches it stopped, too, does not stop it again. */
static void a_rule_that_still_matches_goes_on_to_its_second_step(void **state)
{
	ew_vm("a");
	two_steps("kind = 'vm'");
	ew_cycle(MINUTE);
	ew_cycle(10 * MINUTE);
	ew_cycle(MINUTE);
	ew_cycle(6 * DAY);
	ew_cycle(DAY);
	ew_cycle(MINUTE);
	ew_expect(actions_now, "1 stop done; 2 delete done follows 1");
}

static void what_somebody_else_stopped_is_kept(void **state)
{
	struct ew_machine *m = ew_vm("a");

	two_steps(RUNNING_VM);
	ew_cycle(MINUTE);
	m->state = "stopped";
	ew_cycle(MINUTE);
	ew_cycle(10 * DAY);
	ew_expect(actions_now, "1 stop cleared");
	assert_i64_eq(ew.acts, 0);
}

static void a_clock_that_jumps_deletes_nothing_unwarned(void **state)
{
	stopped();
	/* ahead for a minute: warned, and then taken back */
	ew_cycle(8 * DAY);
	ew_expect("SELECT state FROM action WHERE action = 2", "grace");
	ew_cycle(-8 * DAY);
	ew_expect("SELECT state FROM action WHERE action = 2", "cleared");
	ew_cycle(MINUTE);
	ew_cycle(2 * DAY);
	assert_i64_eq(ew.acts, 1);
	/* ahead of Google's: nothing is sent */
	ew.skew = HOUR;
	ew_cycle(10 * DAY);
	ew_cycle(2 * DAY);
	assert_i64_eq(ew.acts, 1);
}

static void a_lone_step_may_wait_too(void **state)
{
	struct ew_machine *m = ew_vm("a");
	struct rule *r = ew_rule("r", RUNNING_VM, HOUR);

	r->then.after = 3 * HOUR;
	ew_cycle(MINUTE);
	ew_expect(actions_now, "1 stop pending");
	ew_cycle(2 * HOUR - MINUTE);
	ew_expect(actions_now, "1 stop pending");
	ew_cycle(MINUTE);
	ew_expect(actions_now, "1 stop grace");
	m->started = ew.t.clock.fake_now;
	ew_cycle(MINUTE);
	ew_expect(actions_now, "1 stop superseded; 2 stop pending");
	ew_cycle(2 * HOUR);
	ew_cycle(HOUR - MINUTE);
	assert_i64_eq(ew.acts, 0);
	ew_cycle(MINUTE);
	assert_i64_eq(ew.acts, 1);
}

static void the_plan_has_the_time_of_each_step(void **state)
{
	const struct plan_ask ask = {.settings = &ew.settings, .ended_since = TS_NONE};
	struct plan_ask now = ask;
	struct plan plan;
	struct err e = {0};
	ts_t begun;

	stopped();
	begun = ew.t.clock.fake_now;
	now.now = begun;
	assert_ok(plan_make(ew.t.db, &now, &ew.t.a, &plan, &e), e);
	assert_i64_eq(plan.n, 1);
	assert_true(plan.items[0].holds && plan.items[0].todo);
	assert_int_equal(plan.items[0].action.verb, VERB_DELETE);
	assert_i64_eq(plan.items[0].due, begun + 7 * DAY);
	ew_track(6 * DAY + HOUR);
	now.now = ew.t.clock.fake_now;
	assert_ok(plan_make(ew.t.db, &now, &ew.t.a, &plan, &e), e);
	assert_i64_eq(plan.items[0].due, begun + 7 * DAY + HOUR);
	ew_find("a")->state = "running";
	ew_find("a")->started = now.now;
	ew_track(MINUTE);
	now.now = ew.t.clock.fake_now;
	assert_ok(plan_make(ew.t.db, &now, &ew.t.a, &plan, &e), e);
	assert_i64_eq(plan.n, 1);
	assert_int_equal(plan.items[0].action.verb, VERB_STOP);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, ew_setup, tempdb_teardown)
		T(what_stays_stopped_is_deleted_once_and_in_time),
		T(a_late_warning_delays_it),
		T(who_was_away_is_warned_first),
		T(a_start_begins_everything_anew),
		T(a_start_between_polls_is_seen_live),
		T(a_start_between_polls_is_seen_by_the_next),
		T(a_start_while_the_program_was_away_is_kept),
		T(a_stop_of_its_owner_while_the_program_was_away_is_not_ours),
		T(a_node_that_ran_meanwhile_is_kept),
		T(another_owner_is_warned_anew),
		T(a_hold_begins_its_time_anew),
		T(another_machine_of_that_name_is_another),
		T(both_switches_are_needed),
		T(a_dry_run_of_the_second_step_deletes_nothing),
		T(a_rule_that_still_matches_goes_on_to_its_second_step),
		T(what_somebody_else_stopped_is_kept),
		T(a_clock_that_jumps_deletes_nothing_unwarned),
		T(a_lone_step_may_wait_too),
		T(the_plan_has_the_time_of_each_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
