/* Guards on what is known, and on what happened before. */
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

/* ---- fresh ------------------------------------------------------------------------------------- */

static void old_or_partial_knowledge_is_not_acted_on(void **state)
{
	gw.ask.fresh = false;
	gw_refused("fresh", "does not match this resource on fresh data");
	gw.ask.fresh = true;
	gw.subject.complete = false;
	gw_refused("fresh", "us-central1-b was unreachable");
	assert_int_equal(gw.no.end, GUARD_WAITS);
	gw.subject.complete = true;
	gw.subject.last_seen = NOW - 600;
	gw_passes();
	gw.subject.last_seen = NOW - 601;
	gw_refused("fresh", "not read in the last ten minutes");
	gw.subject.last_seen = TS_NONE;
	gw_refused("fresh", "not read in the last ten minutes");
}

static void the_source_has_to_be_read_lately(void **state)
{
	static const struct poll_interval two[] = {{"billing", 3600}, {"instances", 60}};

	gw.settings.intervals = two;
	gw.settings.n_intervals = ARRAY_LEN(two);
	gw_exec("UPDATE source_status SET last_success = %lld", (LL)NOW - 180);
	gw_passes();
	gw_exec("UPDATE source_status SET last_success = %lld", (LL)NOW - 181);
	gw_refused("fresh", "vm in p was not read recently");
	/* one silent place does not make the others old */
	gw_exec("UPDATE source_status SET state = 'partial', last_attempt = %lld",
		(LL)NOW - 180);
	gw_passes();
	gw_exec("UPDATE source_status SET last_attempt = %lld", (LL)NOW - 181);
	gw_refused("fresh", "not read recently");
	gw_exec("UPDATE source_status SET state = 'failed', last_success = %lld, "
		"last_attempt = %lld",
		(LL)NOW, (LL)NOW);
	gw_refused("fresh", "the last poll of vm in p failed: failed");
	gw_exec("UPDATE source_status SET state = 'disabled'");
	gw_refused("fresh", "failed: disabled");
	/* nobody asked its zone */
	gw.subject.complete = false;
	gw_refused("fresh", "failed: disabled");
	gw.subject.complete = true;
	gw_exec("UPDATE source_status SET state = 'ok', last_success = NULL");
	gw_refused("fresh", "not read recently");
	gw_exec("UPDATE source_status SET source = 'tpu', last_success = %lld", (LL)NOW);
	gw_refused("fresh", "vm in p has not been read yet");
}

/* Two rules, one machine: the second must not take the machine that the first one stopped for one
 * that somebody started again. */
static void what_was_stopped_after_the_poll_waits(void **state)
{
	gw.subject.last_seen = NOW - 30;
	gw_action(7, "uid = '1'");
	gw_exec("UPDATE action SET sent = %lld, ended = %lld", (LL)NOW - 31, (LL)NOW - 30);
	gw_refused("fresh", "action 7 ended after the last poll");
	assert_false(gw.no.can_approve);
	gw.subject.last_seen = NOW - 29;
	gw_refused("back-off", "it was started again");
	gw_exec("UPDATE action SET ended = %lld", (LL)NOW + 300);
	gw_refused("fresh", "action 7 ended after the last poll");
	gw_exec("UPDATE action SET ended = %lld", (LL)NOW + 301); /* another clock */
	gw_refused("back-off", "it was started again");
	gw_exec("UPDATE action SET ended = %lld, state = 'failed'", (LL)NOW);
	gw_passes();
	gw_exec("UPDATE action SET state = 'done', uid = '2'");
	gw_passes();
	gw_exec("UPDATE action SET uid = '1'");
	gw.action.number = 7;
	gw_passes();
}

/* ---- clock ------------------------------------------------------------------------------------- */

static void a_clock_that_differs_from_googles_stops_all(void **state)
{
	static const struct {
		int64_t skew;
		bool ok;
	} cases[] = {{0, true}, {300, true}, {-300, true}, {301, false}, {-301, false},
		{INT64_MAX, false}, {INT64_MIN + 1, false}, {INT64_MIN, true}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		gw.ask.clock_skew = cases[i].skew;
		gw_refused(cases[i].ok ? "" : "clock", "");
	}
	gw.ask.clock_skew = 400;
	gw_refused("clock", "400 seconds ahead of Google's");
	gw.ask.clock_skew = -400;
	gw_refused("clock", "400 seconds behind Google's");
}

static void audited(int seq, ts_t at)
{
	gw_exec("INSERT INTO audit_entry VALUES (%d, %lld, 'x', 'x', NULL, NULL, '{}', "
		"'%d', '%d')",
		seq, (LL)at, seq, seq);
}

static void a_clock_that_was_set_back_stops_all(void **state)
{
	static const char *const columns[][2] = {
		{"source_status", "last_attempt"}, {"action", "since"}};

	gw_action(7, "since = 0");
	for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
		const char *table = columns[i][0], *column = columns[i][1];

		gw_exec("UPDATE %s SET %s = %lld", table, column, (LL)NOW + 300);
		gw_passes();
		gw_exec("UPDATE %s SET %s = %lld", table, column, (LL)NOW + 301);
		gw_refused("clock", "was set back");
		gw_exec("UPDATE %s SET %s = 0", table, column);
	}
	audited(1, NOW + 300);
	gw_passes();
	audited(2, NOW + 301);
	gw_refused("clock", "was set back");
}

/* A clock that was a year ahead for a minute must not hold everything for a year. */
static void a_clock_that_was_far_ahead_is_forgiven(void **state)
{
	audited(1, NOW + DAY + 1);
	gw_action(7, "since = 1826755200");
	gw_passes();
	audited(2, NOW + DAY);
	gw_refused("clock", "was set back");
	gw_exec("UPDATE source_status SET last_attempt = %lld", (LL)NOW + 365 * DAY);
	gw_refused("clock", "was set back");
	gw.ask.now += DAY - 299;
	gw.subject.last_seen = gw.ask.now;
	gw_exec("UPDATE source_status SET last_success = %lld", (LL)gw.ask.now);
	gw_passes();
}

static void what_was_created_tomorrow_waits(void **state)
{
	gw.action.began = NOW;
	gw.live.created = gw.subject.created = NOW + 300;
	gw_passes();
	gw.live.created = gw.subject.created = NOW + 301;
	gw_refused("clock", "created in the future");
	assert_int_equal(gw.no.end, GUARD_WAITS);
	gw.live.created = TS_NONE;
	gw_refused("clock", "created in the future");
	gw.subject.created = TS_NONE;
	gw.live.created = NOW + 301;
	gw_refused("clock", "created in the future");
}

/* ---- shrink ------------------------------------------------------------------------------------ */

/* A machine that ran until `ends` (0: still runs) and is in the list, or not any more. */
static void ran(int n, ts_t ends, bool listed)
{
	char end[32] = "NULL";

	if (ends)
		snprintf(end, sizeof(end), "%lld", (LL)ends);
	gw_exec("INSERT INTO resource_interval (id, uid, starts, ends, kind, project, "
		"location, name, state) VALUES ('p/vm/z/m%d', 'm%d', 1, %s, 'vm', 'p', "
		"'z', 'm%d', 'running')",
		n, n, end, n);
	if (listed)
		gw_exec("INSERT INTO resource (id, uid, source, kind, project, location, "
			"name, state, raw_state, labels, first_seen, last_seen, complete) "
			"VALUES ('p/vm/z/m%d', 'm%d', 'vm', 'vm', 'p', 'z', 'm%d', "
			"'running', 'RUNNING', '{}', 0, %lld, 1)",
			n, n, n, (LL)NOW);
}

static void a_list_that_shrinks_suddenly_is_not_believed(void **state)
{
	for (int i = 0; i < 40; i++)
		ran(i, i < 21 ? NOW - 60 : 0, i >= 20);
	gw_passes(); /* 20 of 40, one of them still listed, are not more than half */
	gw_exec("DELETE FROM resource WHERE name = 'm20'");
	gw_refused("shrink", "21 of 40 machines and TPUs of p disappeared recently");
	assert_true(gw.no.can_approve);
	assert_int_equal(gw.no.end, GUARD_WAITS);
	gw_exec("UPDATE resource_interval SET project = 'q' WHERE name IN ('m19', 'm20')");
	gw_passes();
}

/* What Google gives no number is another one when it has another name. */
static void another_one_is_not_the_one_that_vanished(void **state)
{
	for (int i = 0; i < 5; i++)
		ran(i, i ? NOW - 60 : 0, !i);
	gw_exec("UPDATE resource_interval SET uid = ''; UPDATE resource SET uid = '' WHERE "
		"name = 'm0'");
	gw_refused("shrink", "4 of 5");
}

/* Ten thousand machines of a project must not read its history ten thousand times. */
static void a_project_is_read_once_for_all_its_machines(void **state)
{
	struct guard_memo memo = {0};

	for (int i = 0; i < 4; i++)
		ran(i, NOW - 60, false);
	gw.ask.memo = &memo;
	gw_refused("shrink", "4 of 4");
	gw_exec("DELETE FROM resource_interval");
	gw_refused("shrink", "4 of 4");
	/* Before the call it is read anew. */
	gw.ask.memo = NULL;
	gw_passes();
	/* What passes is remembered as well, and of each project by itself. */
	gw.ask.memo = &(struct guard_memo){0};
	gw_passes();
	for (int i = 0; i < 4; i++)
		ran(i, NOW - 60, false);
	gw_passes();
	assert_i64_eq(gw.ask.memo->n, 1);
	gw.ask.memo = &memo;
	gw_exec("UPDATE resource_interval SET project = 'q'");
	gw_refused("shrink", "of p ");
	assert_i64_eq(memo.n, 1);
	gw_exec("DELETE FROM resource_interval; INSERT INTO source_status (source, "
		"project, "
		"state, last_attempt, last_success, items, poll_group) SELECT source, 'q', "
		"state, last_attempt, last_success, items, poll_group FROM source_status");
	gw.action.t.project = "q";
	gw_refused("project", "q is not in enforcement.projects"); /* its list is whole */
	assert_i64_eq(memo.n, 2);
}

static void three_have_to_vanish_within_half_an_hour(void **state)
{
	ran(1, NOW - 60, false);
	ran(2, NOW - 60, false);
	gw_passes(); /* all of two */
	ran(3, NOW - 1799, false);
	gw_refused("shrink", "3 of 3");
	gw_exec("UPDATE resource_interval SET ends = %lld WHERE name = 'm3'",
		(LL)NOW - 1800);
	gw_passes();
	gw_exec("UPDATE resource_interval SET ends = NULL WHERE name = 'm3'");
	gw_refused("shrink", "3 of 3");
	gw_exec("UPDATE resource_interval SET kind = 'disk' WHERE name = 'm3'");
	gw_passes();
	gw_exec("UPDATE resource_interval SET kind = 'tpu', state = 'stopped' WHERE name = "
		"'m3'");
	gw_passes();
	/* three polls, where they are rarer than that */
	static const struct poll_interval slow = {"instances", 1200};

	gw_exec("UPDATE resource_interval SET state = 'running', ends = %lld WHERE name = "
		"'m3'",
		(LL)NOW - 3599);
	gw_passes();
	gw.settings.intervals = &slow;
	gw_refused("shrink", "3 of 3");
}

static void what_is_missing_once_counts_already(void **state)
{
	for (int i = 0; i < 4; i++)
		ran(i, 0, true);
	gw_passes();
	gw_exec("UPDATE resource SET last_seen = %lld WHERE name <> 'a'", (LL)NOW - 60);
	gw_refused("shrink", "4 of 4");
	/* the newest list was not complete: nothing is concluded from it */
	gw_exec("UPDATE source_status SET state = 'partial', last_success = %lld",
		(LL)NOW - 60);
	gw_passes();
}

static void what_was_deleted_from_here_did_not_vanish(void **state)
{
	for (int i = 1; i <= 4; i++)
		ran(i, NOW - 60, false);
	gw_refused("shrink", "4 of 4");
	gw_action(11, "resource = 'p/vm/z/m1', uid = 'm1', verb = 'delete', sent = 5");
	gw_refused("shrink", "3 of 4");
	/* one of that name before it */
	gw_action(14,
		"resource = 'p/vm/z/m4', uid = 'm4 of before', verb = 'delete', sent = 5");
	gw_refused("shrink", "3 of 4");
	gw_action(12, "resource = 'p/vm/z/m2', uid = 'm2', verb = 'stop', sent = 5");
	gw_refused("shrink", "3 of 4");
	gw_action(13, "resource = 'p/vm/z/m3', uid = 'm3', verb = 'delete'");
	gw_refused("shrink", "3 of 4");
	gw_exec("UPDATE action SET sent = 5, intent = NULL WHERE action = 13"); /* it failed */
	gw_refused("shrink", "3 of 4");
	gw_exec("UPDATE action SET intent = 5 WHERE action = 13");
	gw_passes();
}

/* ---- anomaly ----------------------------------------------------------------------------------- */

static void bill(ts_t exported)
{
	gw_exec("DELETE FROM billing_unit; DELETE FROM billing_table");
	gw_exec("INSERT INTO billing_table (table_id, name, location, last_modified_ms, "
		"row_count) VALUES (1, 't', 'US', 0, 0)");
	gw_exec("INSERT INTO billing_unit (table_id, unit, row_count, exported, ingested) "
		"VALUES (1, 1, 1, %lld, 0)",
		(LL)exported);
}

static void only_rules_on_the_bill_need_it(void **state)
{
	static const struct {
		const char *where;
		bool bill;
	} cases[] = {
		{"kind = 'vm'", false},
		{"net_per_hour > 3 AND mycosts = 1", false},
		{"EXISTS (SELECT 1 FROM budgets b WHERE b.percent > 100)", true},
		{"EXISTS (SELECT 1 FROM BUDGETS WHERE 1)", true},
		{"(SELECT SUM(net) FROM daily_costs) > 1", true},
		{"(SELECT SUM(net) FROM costs)>1", true},
		{"(SELECT 1 FROM \"credits\")", true},
		{"(SELECT SUM(used) FROM credit_projects) > 1", true},
		{"(SELECT COUNT(*) FROM Egress_Reconciliation) > 1", true},
		{"(SELECT per_usd FROM [rates]) > 1", true},
		/* results of rules, which may be on the bill */
		{"EXISTS (SELECT 1 FROM alerts a WHERE a.state = 'firing')", true},
		{"(SELECT COUNT(*) FROM alert_events) > 1", true},
		{"EXISTS (SELECT 1 FROM actions)", true},
		{"(SELECT 1 FROM burn)", false},
		{"(SELECT 1 FROM burn, 'alerts') AND owner = 'x'", true},
		{"(SELECT 1 FROM 'alerts')", true},
		{"(SELECT 1 FROM burn JOIN/**/alerts)", true},
		/* the same words as texts and names of other things */
		{"labels LIKE '%audit%' OR owner = 'audit' OR name NOT LIKE 'rates-%'",
			false},
		{"json_extract(labels, '$.team') = 'audit'", false},
		{"EXISTS (SELECT 1 FROM burn AS rules WHERE rules.id = '')", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		gw.rule.where = cases[i].where;
		gw_refused(cases[i].bill ? "anomaly" : "",
			cases[i].bill ? "depends on the bill, and there is none" : "");
	}
}

static void a_bill_has_to_be_new_and_whole(void **state)
{
	gw.rule.where = "EXISTS (SELECT 1 FROM budgets)";
	bill(NOW - 2 * DAY);
	gw_passes();
	bill(NOW - 2 * DAY - 1);
	gw_refused("anomaly", "older than two days");
	assert_true(gw.no.can_approve);
	bill(NOW);
	gw_exec("INSERT INTO billing_quarantine VALUES (1, 1, 0, 0, 0, 1, 0)");
	gw_refused("anomaly", "quarantine");
}

static void restated(
	ts_t at, const char *month, LL was_cost, LL was_credits, LL cost, LL credits)
{
	gw_exec("INSERT INTO restatement VALUES (%lld, '2026-11-19', '%s', 'USD', 't', "
		"%lld, %lld, %lld, %lld)",
		(LL)at, month, was_cost, was_credits, cost, credits);
	tempdb_bill_restated(&gw.t);
}

static void a_bill_that_jumped_is_for_a_person(void **state)
{
	static const struct {
		LL cost, credits, new_cost, new_credits;
		bool ok;
	} cases[] = {
		{100, 0, 150, 0, true},
		{100, 0, 151, 0, false},
		{100, 0, 50, 0, true},
		{100, 0, 49, 0, false},
		{100, 0, 10000, 0, false},
		{100, 0, -1, 0, false},
		{-100, 0, 1, 0, false},
		{-100, 0, -150, 0, true},
		{-100, 0, -151, 0, false},
		{0, 0, 1, 0, false},
		{0, 0, 0, 0, true},
		{200, -100, 250, -100, true},
		{200, -100, 200, 0, false},
	};

	gw.rule.where = "EXISTS (SELECT 1 FROM budgets)";
	bill(NOW);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		gw_exec("DELETE FROM restatement");
		restated(NOW - 1, "202611", cases[i].cost, cases[i].credits,
			cases[i].new_cost, cases[i].new_credits);
		gw_refused(cases[i].ok ? "" : "anomaly",
			cases[i].ok ? "" : "the bill of 2026-11-19 was restated");
	}
}

static void the_changes_of_a_day_are_taken_together(void **state)
{
	gw.rule.where = "EXISTS (SELECT 1 FROM budgets)";
	bill(NOW);
	restated(NOW - 2 * DAY - 1, "202611", 100, 0, 200, 0);
	gw_passes();
	restated(NOW - 2 * DAY, "202611", 200, 0, 400, 0);
	gw_refused("anomaly", "restated");
	/* of cost and credits by the same amount: the cost is what it was */
	restated(NOW - 3, "202611", 400, 0, 500, -100);
	gw_refused("anomaly", "restated");
	/* a small change does not hide a large one, but one that takes it back ends it */
	restated(NOW - 2, "202611", 500, -100, 501, -100);
	gw_refused("anomaly", "restated");
	restated(NOW - 1, "202611", 501, -100, 301, -100);
	gw_passes();
	/* so do parts of the day */
	restated(NOW - 1, "202612", 100, 0, 200, 0);
	gw_passes();
	restated(NOW - 1, "202610", 0, 0, 300, 0);
	gw_refused("anomaly", "restated");
	gw.rule.where = "kind = 'vm'";
	gw_passes();
}

/* A late line on the next invoice is no change of a day by more than half. */
static void the_whole_day_is_compared(void **state)
{
	gw.rule.where = "EXISTS (SELECT 1 FROM budgets)";
	bill(NOW);
	restated(NOW - 3 * DAY, "202611", 900, 0, 1000, 0); /* the bill of that day */
	restated(NOW - 2, "202612", 0, 0, 500, 0);
	gw_passes();
	restated(NOW - 1, "202610", 0, 0, 751, 0);
	gw_refused("anomaly", "the bill of 2026-11-19 was restated");
}

static void a_jump_does_not_hide_behind_another_currency(void **state)
{
	gw.rule.where = "EXISTS (SELECT 1 FROM budgets)";
	bill(NOW);
	restated(NOW - 1, "202611", 1000, 0, 1000, 0);
	gw_passes();
	restated(NOW - 1, "202610", 100, 0, 200, 0);
	gw_passes(); /* of one currency, parts of a day are one sum */
	gw_exec("UPDATE restatement SET currency = 'EUR' WHERE old_cost = 100");
	tempdb_bill_restated(&gw.t);
	gw_refused("anomaly", "the bill of 2026-11-19 was restated");
}

/* ---- what happened before ---------------------------------------------------------------------- */

static void what_was_started_again_is_left_to_people(void **state)
{
	gw_action(7, "uid = '1', sent = 1795219200 - 86399");
	gw_refused("back-off", "tpucost stopped it at 2026-11-20 00:00 (UTC) and");
	assert_true(gw.no.can_approve);
	gw_exec("UPDATE action SET sent = sent - 1");
	gw_passes();
	gw_exec("UPDATE action SET sent = %lld", (LL)NOW + DAY); /* the clock went back */
	gw_refused("back-off", "stopped it at 2026-11-22");
	gw_exec("UPDATE action SET state = 'superseded'");
	gw_refused("back-off", "stopped it");
	gw_exec("UPDATE action SET state = 'failed'");
	gw_passes();
	gw_exec("UPDATE action SET state = 'recheck', intent = NULL"); /* Google failed */
	gw_passes();
	gw_exec("UPDATE action SET state = 'done', intent = sent, uid = '2'");
	gw_passes();
	gw_exec("UPDATE action SET uid = '1', sent = NULL");
	gw_passes();
	gw_exec("UPDATE action SET sent = %lld", (LL)NOW);
	gw.action.number = 7; /* its own earlier attempt */
	gw_passes();
}

static void two_rules_do_not_act_at_once(void **state)
{
	static const char *const under_way[] = {"intent", "sent", "verify", "unknown"};
	static const char *const not [] = {
		"pending", "warning", "grace", "recheck", "failed", "cleared"};

	gw_action(7, "uid = '1', ended = NULL");
	for (size_t i = 0; i < ARRAY_LEN(under_way); i++) {
		gw_exec("UPDATE action SET state = '%s' WHERE action = 7", under_way[i]);
		gw_refused("other", "action 7 of rule x is in progress");
		assert_false(gw.no.can_approve);
	}
	for (size_t i = 0; i < ARRAY_LEN(not ); i++) {
		gw_exec("UPDATE action SET state = '%s' WHERE action = 7", not [i]);
		gw_passes();
	}
	gw_exec("UPDATE action SET state = 'sent', uid = '2' WHERE action = 7");
	gw_passes();
	gw_exec("UPDATE action SET uid = '1' WHERE action = 7");
	gw.action.number = 7;
	gw_passes();
}

/* Queued resources have no uid: another one's action is not theirs. */
static void what_has_no_uid_goes_by_its_id(void **state)
{
	gw_queued();
	gw_action(7, "uid = '', state = 'sent', sent = 1795219199");
	gw_passes();
	gw_exec("UPDATE action SET resource = 'p/queued/us-central1-b/a'");
	gw_refused("other", "action 7");
	gw_exec("UPDATE action SET state = 'done'");
	gw_refused("back-off", "stopped it");
	gw_exec("UPDATE action SET ended = %lld", (LL)gw.subject.last_seen);
	gw_refused("fresh", "action 7 ended after the last poll");
	gw_exec("UPDATE action SET resource = 'p/queued/us-central1-b/b'");
	gw_passes();
}

/* ---- approved ---------------------------------------------------------------------------------- */

static void an_approval_lets_pass_what_is_for_people(void **state)
{
	static const struct {
		ts_t at;
		bool good;
	} cases[] = {{NOW, true}, {NOW - DAY, true}, {NOW - DAY - 1, false},
		{NOW + 300, true}, {NOW + 301, false}, {TS_NONE, false}};
	size_t can = 0;

	gw_action(7, "uid = '1', sent = 1795219100");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		gw.action.approved = cases[i].at;
		gw_refused(cases[i].good ? "" : "back-off", "");
	}
	gw.action.approved = NOW;
	gw.rule.where = "EXISTS (SELECT 1 FROM budgets)"; /* of which there is no bill */
	for (int i = 1; i <= 4; i++)
		ran(i, NOW - 60, false);
	gw_passes();
	gw_exec("UPDATE source_status SET state = 'failed'");
	gw_refused("fresh", "");
	gw.action.approved = TS_NONE;
	gw_exec("UPDATE source_status SET state = 'ok'");
	gw_refused("shrink", "");
	for (size_t i = 0; i < n_guards; i++)
		can += guards[i].can_approve;
	assert_i64_eq(can, 4);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, gw_setup, tempdb_teardown)
/* of a second step */
#define AGAIN(fn) cmocka_unit_test_setup_teardown(fn, gw_setup_second, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(old_or_partial_knowledge_is_not_acted_on),
		TEST(the_source_has_to_be_read_lately),
		TEST(a_clock_that_differs_from_googles_stops_all),
		TEST(a_clock_that_was_set_back_stops_all),
		TEST(a_clock_that_was_far_ahead_is_forgiven),
		TEST(what_was_stopped_after_the_poll_waits),
		TEST(what_was_created_tomorrow_waits),
		TEST(a_list_that_shrinks_suddenly_is_not_believed),
		TEST(another_one_is_not_the_one_that_vanished),
		TEST(a_project_is_read_once_for_all_its_machines),
		TEST(three_have_to_vanish_within_half_an_hour),
		TEST(what_is_missing_once_counts_already),
		TEST(what_was_deleted_from_here_did_not_vanish),
		TEST(only_rules_on_the_bill_need_it),
		TEST(a_bill_has_to_be_new_and_whole),
		TEST(a_bill_that_jumped_is_for_a_person),
		TEST(the_changes_of_a_day_are_taken_together),
		TEST(the_whole_day_is_compared),
		TEST(a_jump_does_not_hide_behind_another_currency),
		TEST(what_was_started_again_is_left_to_people),
		TEST(two_rules_do_not_act_at_once),
		TEST(what_has_no_uid_goes_by_its_id),
		TEST(an_approval_lets_pass_what_is_for_people),
		AGAIN(old_or_partial_knowledge_is_not_acted_on),
		AGAIN(the_source_has_to_be_read_lately),
		AGAIN(a_clock_that_differs_from_googles_stops_all),
		AGAIN(a_clock_that_was_set_back_stops_all),
		AGAIN(a_clock_that_was_far_ahead_is_forgiven),
		AGAIN(a_list_that_shrinks_suddenly_is_not_believed),
		AGAIN(another_one_is_not_the_one_that_vanished),
		AGAIN(a_project_is_read_once_for_all_its_machines),
		AGAIN(three_have_to_vanish_within_half_an_hour),
		AGAIN(what_is_missing_once_counts_already),
		AGAIN(what_was_deleted_from_here_did_not_vanish),
		AGAIN(only_rules_on_the_bill_need_it),
		AGAIN(a_bill_has_to_be_new_and_whole),
		AGAIN(a_bill_that_jumped_is_for_a_person),
		AGAIN(the_changes_of_a_day_are_taken_together),
		AGAIN(a_jump_does_not_hide_behind_another_currency),
		AGAIN(two_rules_do_not_act_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
