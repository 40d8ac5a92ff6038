/* Limits of actions: all that are ready, or none. What was sent is counted in the database. */
#include "rules/enforce/guard.h"

#include "tests/support/assert.h"
#include "tests/support/world/guard_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define NOW GW_NOW
#define LL long long
#define HOUR INT64_C(3600)
#define DAY INT64_C(86400)
#define MOST 16

/* Those that are ready: machines of one rule, to be stopped. */
static struct action ready[MOST];
static struct action *list[MOST];
static const char *why;

static const char *caps(size_t n)
{
	struct err e = {0};

	assert_ok(caps_check(gw.t.db, &gw.settings, list, n, gw.ask.now, &gw.t.a, &why, &e),
		e);
	return why ? why : "";
}

#define allowed(n) assert_string_equal(caps(n), "")
#define refused(n, part) assert_contains(caps(n), part)

static void wide_open(void)
{
	gw.en.max_per_run = gw.en.max_per_hour = gw.en.max_per_rule_hour =
		gw.en.max_per_day = gw.en.max_deletes_per_hour = 1000;
	gw.en.max_share = 100;
}

static void run_more(int n)
{
	for (int i = 0; i < n; i++)
		gw_exec("INSERT INTO resource (id, uid, source, kind, project, location, "
			"name, state, raw_state, labels, first_seen, last_seen, complete) "
			"VALUES ('p/vm/z/m%d', 'm%d', 'vm', 'vm', 'p', 'z', 'm%d', "
			"'running', 'RUNNING', '{}', 0, %lld, 1)",
			i, i, i, (LL)NOW);
}

static int setup(void **state)
{
	(void)gw_setup(state);
	for (size_t i = 0; i < MOST; i++) {
		ready[i] = gw.action;
		ready[i].number = 100 + (int64_t)i;
		list[i] = &ready[i];
	}
	wide_open();
	run_more(99); /* and the one that is there: a hundred */
	return 0;
}

/* Another one that was sent at that time; `what` more is set, or "". */
static void was_sent(int64_t number, ts_t at, const char *what)
{
	char set[256];

	snprintf(set, sizeof(set), "sent = %lld%s%s", (LL)at, *what ? ", " : "", what);
	gw_action(number, set);
}

/* ---- how many ---------------------------------------------------------------------------------- */

static void one_too_many_is_none(void **state)
{
	gw.en.max_per_run = 3;
	allowed(0);
	allowed(3);
	refused(4, "limit reached: 4 due, at most 3 a run (enforcement.max_per_run)");
}

static void each_limit_counts_its_own_time(void **state)
{
	gw.en.max_per_hour = 3;
	was_sent(1, NOW - HOUR + 1, "");
	was_sent(2, NOW - HOUR, "");
	allowed(2);
	refused(3,
		"limit reached: 3 due and 1 done, at most 3 an hour "
		"(enforcement.max_per_hour)");
	wide_open();
	gw.en.max_per_day = 4;
	was_sent(3, NOW - DAY, "");
	allowed(2);
	refused(3, "3 due and 2 done, at most 4 a day (enforcement.max_per_day)");
	gw_exec("UPDATE action SET sent = sent + 1 WHERE action = 3");
	refused(2, "2 due and 3 done, at most 4 a day");
	allowed(1);
}

static void each_rule_has_its_own_hour(void **state)
{
	gw.en.max_per_rule_hour = 2;
	was_sent(1, NOW - 1, "rule = 'r'");
	was_sent(2, NOW - 1, "rule = 'another'");
	allowed(1);
	refused(2,
		"2 due and 1 done, at most 2 an hour for each rule "
		"(enforcement.max_per_rule_hour)");
	ready[1].rule = "another"; /* one of each */
	allowed(2);
	/* the second rule's limit keeps back the first one as well */
	ready[2].rule = "another";
	refused(3, "max_per_rule_hour");
}

static void deletes_have_a_limit_of_their_own(void **state)
{
	gw.en.max_deletes_per_hour = 1;
	allowed(8);
	ready[7].verb = VERB_DELETE;
	allowed(8);
	ready[6].verb = VERB_DELETE;
	refused(8, "2 due, at most 1 deletes an hour (enforcement.max_deletes_per_hour)");
	ready[6].verb = VERB_STOP;
	was_sent(1, NOW - 1, "verb = 'stop'");
	allowed(8);
	was_sent(2, NOW - 1, "verb = 'delete'");
	refused(8, "1 due and 1 done, at most 1 deletes an hour");
	allowed(7);
}

/* TPUs that were stopped do not use up the share of the machines. */
static void each_kind_has_its_own_share(void **state)
{
	gw.en.max_share = 3; /* of a hundred that run */
	allowed(3);
	was_sent(1, NOW - 1, "kind = 'tpu'");
	was_sent(2, NOW - 1, "kind = 'tpu'");
	allowed(3);
	was_sent(3, NOW - 1, "kind = 'vm'");
	allowed(2);
	refused(3, "3 due and 1 done within an hour, of 101 that run; at most 3 %");
}

static void none_means_none(void **state)
{
	int64_t *const limits[] = {&gw.en.max_per_run, &gw.en.max_per_hour,
		&gw.en.max_per_rule_hour, &gw.en.max_per_day, &gw.en.max_share};

	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		wide_open();
		*limits[i] = 0;
		allowed(0);
		refused(1, "limit reached: 1 due");
		*limits[i] = 1;
		allowed(1);
	}
	wide_open();
	gw.en.max_deletes_per_hour = 0;
	allowed(1);
	ready[0].verb = VERB_DELETE;
	refused(1, "0 deletes an hour");
	gw.settings.enforcement = NULL;
	refused(1, "enforcement is off");
}

/* ---- what counts ------------------------------------------------------------------------------- */

static void what_was_or_may_have_been_sent_counts(void **state)
{
	static const struct {
		const char *set;
		bool counts;
	} cases[] = {
		{"state = 'done', sent = 1795219199", true},
		{"state = 'failed', sent = 1795219199", true},
		{"state = 'verify', sent = 1795219199, intent = 1", true},
		{"state = 'superseded', sent = 1795219199", true},
		/* written down, and nobody knows what came of it */
		{"state = 'intent', intent = 1795219199", true},
		{"state = 'unknown', intent = 1795219199", true},
		{"state = 'recheck', intent = 1795219199", false}, /* it was not sent */
		{"state = 'recheck', sent = 1795219199, intent = NULL",
			true},                                             /* it failed */
		{"state = 'intent', sent = 1, intent = 1795219199", true}, /* once more */
		{"state = 'intent', intent = 1", false},
		{"state = 'cleared'", false},
		{"state = 'warning'", false},
	};

	gw.en.max_per_hour = 1;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		gw_exec("DELETE FROM action");
		gw_action(1, cases[i].set);
		if ((*caps(1) != '\0') != cases[i].counts)
			fail_msg("%s: %s", cases[i].set, caps(1));
	}
}

/* A second attempt is the same machine. */
static void its_own_earlier_attempt_does_not_count(void **state)
{
	gw.en.max_per_hour = gw.en.max_per_day = gw.en.max_per_rule_hour = 1;
	was_sent(100, NOW - 400, "rule = 'r', state = 'recheck'");
	allowed(1);
	was_sent(99, NOW - 400, "");
	refused(1, "1 due and 1 done");
}

static void a_clock_that_was_set_back_frees_nothing(void **state)
{
	gw.en.max_per_hour = 1;
	was_sent(1, NOW + 40 * DAY, "");
	refused(1, "1 due and 1 done, at most 1 an hour");
}

static void approved_ones_pass_but_count(void **state)
{
	gw.en.max_per_run = gw.en.max_per_hour = 1;
	refused(2, "limit reached: 2 due");
	ready[0].approved = NOW - 1;
	refused(2, "limit reached: 2 due"); /* the other one is not released */
	allowed(1);
	ready[1].approved = NOW - DAY;
	allowed(2); /* all of them approved */
	ready[1].approved = NOW - DAY - 1;
	refused(2, "limit reached: 2 due");
	/* also when they are done */
	was_sent(1, NOW - 10, "approved = 1795219200 - 11");
	ready[0].approved = 0;
	refused(1, "1 due and 1 done, at most 1 an hour");
	ready[0].approved = NOW;
	allowed(1);
}

static void counters_outlive_the_process(void **state)
{
	struct err e = {0};

	gw.en.max_per_hour = 2;
	was_sent(1, NOW - 10, "");
	was_sent(2, NOW - 10, "");
	refused(1, "1 due and 2 done");
	db_close(gw.t.db);
	assert_ok(db_open(gw.t.path, DB_WRITE, &gw.t.clock, &gw.t.db, &e), e);
	gw.ask.db = gw.t.db;
	refused(1, "1 due and 2 done");
	gw.ask.now = NOW + HOUR - 10;
	gw_exec("UPDATE source_status SET last_success = %lld", (LL)gw.ask.now);
	gw_exec("UPDATE resource SET last_seen = %lld", (LL)gw.ask.now);
	allowed(1);
}

/* ---- share of what runs ------------------------------------------------------------------------ */

static void half_of_what_runs_is_the_most(void **state)
{
	gw.en.max_share = 8; /* of a hundred */
	allowed(8);
	refused(9,
		"9 due and 0 done within an hour, of 100 that run; at most 8 % "
		"(enforcement.max_share)");
	gw_exec("UPDATE resource SET state = 'stopped' WHERE name = 'm1'");
	refused(8, "of 99 that run"); /* 7.92 are not 8 */
	allowed(7);
	/* what was stopped within the hour ran then */
	was_sent(1, NOW - 1, "");
	allowed(7);
	refused(8, "8 due and 1 done within an hour, of 100 that run");
	gw_exec("UPDATE action SET sent = sent - 3599"); /* an hour ago */
	refused(8, "8 due and 0 done within an hour, of 99 that run");
	allowed(7);
	gw_exec("UPDATE action SET sent = sent + 3599, kind = 'tpu'");
	allowed(7);
}

/* Its stop failed, or was not polled yet: it is one of those that run, and used up its share. */
static void what_was_sent_and_still_runs_counts_once(void **state)
{
	gw_exec("DELETE FROM resource WHERE name = 'm98'"); /* 99 are left */
	was_sent(1, NOW - 1, "resource = 'p/vm/z/m0', uid = 'm0', state = 'recheck'");
	gw.en.max_share = 3; /* 2.97 of 99 */
	allowed(1);
	refused(2, "2 due and 1 done within an hour, of 99 that run; at most 3 %");
	gw_exec("UPDATE resource SET state = 'stopped' WHERE name = 'm0'");
	refused(2, "2 due and 1 done within an hour, of 99 that run");
	/* out of sight, or another machine of that name: it is not the one that runs */
	gw_exec("UPDATE resource SET state = 'running', last_seen = last_seen - 601 WHERE "
		"name = 'm0'");
	refused(2, "of 99 that run");
	gw_exec("UPDATE resource SET last_seen = last_seen + 601, complete = 0 WHERE "
		"name = 'm0'");
	refused(2, "of 99 that run");
	gw_exec("UPDATE resource SET complete = 1, uid = 'new' WHERE name = 'm0'");
	allowed(2); /* of 100 */
	/* the one that is tried again is due, not done */
	ready[0].number = 1;
	gw_exec("UPDATE resource SET uid = 'm0' WHERE name = 'm0'");
	allowed(2);
	refused(3, "3 due and 0 done within an hour, of 99 that run");
}

/* Deleting what does not run ends nothing that runs. */
static void the_dead_are_no_share(void **state)
{
	gw.en.max_share = 2; /* of a hundred */
	for (int i = 0; i < 5; i++)
		ready[i].dead = true;
	allowed(7);
	refused(8, "3 due and 0 done within an hour, of 100 that run");
	was_sent(1, NOW - 1, "dead = 1");
	allowed(7);
	gw_exec("DELETE FROM resource");
	allowed(5);
	gw.en.max_share = 0;
	refused(1, "max_share");
}

static void one_is_allowed_of_few(void **state)
{
	gw.en.max_share = 50;
	gw_exec("DELETE FROM resource WHERE name <> 'a'");
	allowed(1);
	run_more(2); /* half of three */
	allowed(1);
	refused(2, "2 due and 0 done within an hour, of 3 that run; at most 50 %");
	gw_exec("UPDATE resource SET state = 'stopped'");
	allowed(1);
	was_sent(1, NOW - 1, "");
	refused(1, "1 due and 1 done within an hour, of 1 that run");
	gw.en.max_share = 1;
	gw_exec("DELETE FROM action");
	allowed(1);
	gw.en.max_share = 0;
	refused(1, "max_share");
}

static void each_kind_is_a_population_of_its_own(void **state)
{
	gw.en.max_share = 10;
	ready[1].t.kind = ready[1].t.source = "tpu";
	gw_exec("INSERT INTO source_status (source, project, state, last_attempt, "
		"last_success, items, poll_group) VALUES ('tpu', 'p', 'ok', %lld, %lld, 1, "
		"'instances')",
		(LL)NOW, (LL)NOW);
	allowed(2);
	ready[2].t = ready[1].t;
	refused(3, "2 due and 0 done within an hour, of 0 that run");
}

static void what_nobody_counted_is_no_population(void **state)
{
	allowed(1);
	gw_exec("UPDATE source_status SET last_success = %lld", (LL)NOW - 600);
	allowed(1);
	gw_exec("UPDATE source_status SET last_success = %lld", (LL)NOW - 601);
	refused(1,
		"the number of running machines is unknown: vm in p was not read "
		"completely");
	gw_exec("UPDATE source_status SET last_success = %lld, state = 'partial'", (LL)NOW);
	refused(1, "the number of running machines is unknown");
	gw_exec("UPDATE source_status SET last_success = NULL, state = 'ok'");
	refused(1, "the number of running machines is unknown");
	gw_exec("DELETE FROM source_status");
	refused(1, "the number of running machines is unknown");
	ready[0].approved = NOW;
	allowed(1);
}

/* Only what was seen just now is counted: the more there are, the more may go. */
static void what_is_out_of_sight_does_not_count(void **state)
{
	gw.en.max_share = 50;
	gw_exec("UPDATE resource SET complete = 0 WHERE name LIKE 'm%%'");
	refused(2, "of 1 that run");
	gw_exec("UPDATE resource SET complete = 1, last_seen = %lld WHERE name LIKE 'm%%'",
		(LL)NOW - 601);
	refused(2, "of 1 that run");
	gw_exec("UPDATE resource SET last_seen = %lld", (LL)NOW - 600);
	allowed(2);
}

/* Of two projects, one is not read: the other one goes on, with a share of its own machines. */
static void a_project_that_is_not_read_does_not_count(void **state)
{
	gw.en.max_share = 50;
	gw_exec("UPDATE resource SET project = 'q' WHERE name LIKE 'm%%'");
	gw_exec("INSERT INTO source_status (source, project, state, last_attempt, "
		"last_success, items, poll_group) VALUES ('vm', 'q', 'ok', %lld, %lld, 1, "
		"'instances')",
		(LL)NOW, (LL)NOW);
	allowed(8); /* of a hundred in both */
	gw_exec("UPDATE source_status SET state = 'failed' WHERE project = 'q'");
	gw_exec("UPDATE resource SET complete = 0 WHERE project = 'q'"); /* by that poll */
	allowed(1);
	refused(2, "2 due and 0 done within an hour, of 1 that run");
	ready[1].t.project = "q"; /* one of each, of which nothing is done */
	refused(2, "of 1 that run");
	gw.en.max_share = 100;
	ready[0].t.project = "q";
	refused(1, "the number of running machines is unknown: vm in q was not read");
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(one_too_many_is_none),
		TEST(each_limit_counts_its_own_time),
		TEST(each_rule_has_its_own_hour),
		TEST(deletes_have_a_limit_of_their_own),
		TEST(each_kind_has_its_own_share),
		TEST(none_means_none),
		TEST(what_was_or_may_have_been_sent_counts),
		TEST(its_own_earlier_attempt_does_not_count),
		TEST(a_clock_that_was_set_back_frees_nothing),
		TEST(approved_ones_pass_but_count),
		TEST(counters_outlive_the_process),
		TEST(half_of_what_runs_is_the_most),
		TEST(what_was_sent_and_still_runs_counts_once),
		TEST(the_dead_are_no_share),
		TEST(one_is_allowed_of_few),
		TEST(each_kind_is_a_population_of_its_own),
		TEST(what_nobody_counted_is_no_population),
		TEST(what_is_out_of_sight_does_not_count),
		TEST(a_project_that_is_not_read_does_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
