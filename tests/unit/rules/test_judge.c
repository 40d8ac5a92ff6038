/* Rules over a world: what they do to the alerts that are stored. The world is put into the
 * tables as the collector would, derived, and judged at moments of our choice. */
#include "rules/judge/judge.h"
#include "rules/vocab/subject.h"

#include "tests/support/assert.h"
#include "tests/support/world/judge_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define NOW JW_NOW
#define MINUTE INT64_C(60)
#define HOUR INT64_C(3600)

#define ALERTS                                                                           \
	"SELECT COALESCE(group_concat(rule || ' ' || subject || ' ' || state || ' ' || " \
	"data, '; '), '') FROM (SELECT * FROM alert ORDER BY rule, subject)"
#define EVENTS                                                             \
	"SELECT COALESCE(group_concat(kind || ' ' || summary, '; '), '') " \
	"FROM (SELECT * FROM alert_event ORDER BY event)"

static void what_holds_is_stored_and_said_once(void **state)
{
	jw_rule("on", "kind = 'vm' AND state = 'running'");
	jw_vm("a", "running");
	jw_vm("b", "stopped");
	jw_polled(NOW);
	jw_cycle(NOW);
	jw_expect(ALERTS, "on p/vm/us-central1-b/a firing fresh");
	jw_expect(EVENTS, "firing a is running");
	assert_i64_eq(jw.last.n_said, 1);
	assert_string_equal(jw.last.said[0].summary, "a is running");
	assert_i64_eq(jw.last.firing, 1);
	jw_polled(NOW + MINUTE);
	jw_cycle(NOW + MINUTE);
	assert_i64_eq(jw.last.n_said, 0);
	jw_expect(EVENTS, "firing a is running");
	jw_expect("SELECT last_true - since FROM alert", "60");
	jw_vm("a", "stopped");
	jw_polled(NOW + 2 * MINUTE);
	jw_cycle(NOW + 2 * MINUTE);
	jw_expect(ALERTS, "on p/vm/us-central1-b/a resolved fresh");
	/* what is said of the end is what was wrong */
	jw_expect(EVENTS,
		"firing a is running; resolved was: a is running. Ended: the "
		"condition no longer holds.");
	assert_i64_eq(jw.last.firing, 0);
}

static void a_restart_changes_nothing(void **state)
{
	struct err e = {0};

	jw_rule("on", "state = 'running'")->hold_for = 10 * MINUTE;
	jw_vm("a", "running");
	jw_polled(NOW);
	jw_cycle(NOW);
	jw_expect(ALERTS, "on p/vm/us-central1-b/a pending fresh");
	db_close(jw.t.db);
	assert_ok(db_open(jw.t.path, DB_WRITE, &jw.t.clock, &jw.t.db, &e), e);
	jw_polled(NOW + 10 * MINUTE);
	jw_cycle(NOW + 10 * MINUTE);
	jw_expect(ALERTS, "on p/vm/us-central1-b/a firing fresh");
	jw_expect("SELECT fired - since FROM alert", "600");
	jw_expect(EVENTS, "firing a is running");
}

/* Its condition holds at every evaluation: the alert goes on, with its reminders, and is kept no shorter. */
static void a_started_machine_goes_on(void **state)
{
	struct rule *r = jw_rule("on", "kind = 'vm'");

	r->hold_for = 10 * MINUTE;
	r->keep_for = HOUR;
	jw_vm("a", "running");
	jw_polled(NOW);
	jw_cycle(NOW);
	for (ts_t at = NOW + 10 * MINUTE; at <= NOW + 25 * HOUR; at += 10 * MINUTE) {
		if (at == NOW + 30 * MINUTE)
			tempdb_execf(&jw.t, "UPDATE resource SET state_since = %lld",
				(long long)(at - MINUTE));
		jw_polled(at);
		jw_cycle(at);
	}
	jw_expect("SELECT group_concat(kind || ' ' || (at - 1795219200)) FROM alert_event",
		"firing 600,repeat 87000");
	jw_expect("SELECT last_true - since FROM alert", "90000");
	/* while it is pending, its time starts again */
	jw_vm("b", "running");
	tempdb_exec(&jw.t, "UPDATE resource SET state_since = NULL WHERE name = 'b'");
	jw_polled(NOW + 26 * HOUR);
	jw_cycle(NOW + 26 * HOUR);
	tempdb_execf(&jw.t, "UPDATE resource SET state_since = %lld WHERE name = 'b'",
		(long long)(NOW + 26 * HOUR + 8 * MINUTE));
	jw_polled(NOW + 26 * HOUR + 10 * MINUTE);
	jw_cycle(NOW + 26 * HOUR + 10 * MINUTE);
	jw_expect(ALERTS,
		"on p/vm/us-central1-b/a firing fresh; on p/vm/us-central1-b/b pending "
		"fresh");
}

static void what_did_not_answer_is_neither_begun_nor_ended(void **state)
{
	jw_rule("on", "state = 'running'");
	jw_vm("a", "running");
	jw_vm("b", "stopped");
	jw_polled(NOW);
	jw_cycle(NOW);
	/* the zone of both is silent; what was known there says otherwise */
	tempdb_exec(&jw.t, "UPDATE resource SET complete = 0");
	jw_vm("a", "stopped");
	jw_vm("b", "running");
	jw_polled(NOW + MINUTE);
	jw_cycle(NOW + MINUTE);
	jw_expect(ALERTS, "on p/vm/us-central1-b/a firing stale");
	jw_expect(EVENTS, "firing a is running");
	tempdb_exec(&jw.t, "UPDATE resource SET complete = 1");
	jw_polled(NOW + 2 * MINUTE);
	jw_cycle(NOW + 2 * MINUTE);
	jw_expect(ALERTS,
		"on p/vm/us-central1-b/a resolved fresh; "
		"on p/vm/us-central1-b/b firing fresh");
}

/* ---- places that do not answer ----------------------------------------------------------------- */

#define NO_TPU_BESIDE "kind = 'vm' AND NOT " TPU_IN_ITS_ZONE

/* A poll of `source` that ended in `state`, without an answer from `gap` (NULL: from anywhere). */
static void polled_as(const char *source, const char *state, const char *gap, ts_t at)
{
	tempdb_execf(&jw.t,
		"INSERT INTO source_status (source, project, state, last_attempt, "
		"last_success, items, poll_group) VALUES ('%s', 'p', '%s', %lld, %s, 1, "
		"'instances') ON CONFLICT DO UPDATE SET state = excluded.state, "
		"last_attempt = excluded.last_attempt, "
		"last_success = COALESCE(excluded.last_success, last_success)",
		source, state, (long long)at, strcmp(state, "ok") ? "NULL" : "1795219200");
	tempdb_exec(&jw.t, "DELETE FROM source_gap");
	if (!gap)
		return;
	tempdb_execf(&jw.t, "INSERT INTO source_gap VALUES ('%s', 'p', '%s', %lld)", source,
		gap, (long long)at);
}

static void one_silent_zone_hides_no_other(void **state)
{
	jw_rule("on", "state = 'running'");
	jw_vm("a", "running");
	polled_as("vm", "partial", "us-central1-f", NOW); /* and it never answered */
	jw_cycle(NOW);
	jw_expect("SELECT stale || ' ' || unread FROM sources", "1 0");
	jw_expect(ALERTS, "on p/vm/us-central1-b/a firing fresh");
	/* nothing of it was read for longer than three intervals */
	jw_cycle(NOW + 3 * MINUTE + 1);
	jw_expect("SELECT stale || ' ' || unread FROM sources", "1 1");
	jw_expect(ALERTS, "on p/vm/us-central1-b/a firing stale");
	jw_vm("a", "stopped");
	polled_as("vm", "partial", "us-central1-f", NOW + 4 * MINUTE);
	jw_cycle(NOW + 4 * MINUTE);
	jw_expect(ALERTS, "on p/vm/us-central1-b/a resolved fresh");
}

static void what_was_not_found_may_be_where_nobody_answered(void **state)
{
	jw_rule("alone", NO_TPU_BESIDE);
	jw_vm("a", "running");
	jw_polled(NOW);
	polled_as("tpu", "partial", "us-central1-b", NOW);
	jw_cycle(NOW);
	jw_expect(ALERTS, "");
	polled_as("tpu", "failed", NULL, NOW);
	jw_cycle(NOW);
	jw_expect(ALERTS, "");
	/* a zone in which the machine is not */
	polled_as("tpu", "partial", "us-central1-f", NOW);
	jw_cycle(NOW);
	jw_expect(ALERTS, "alone p/vm/us-central1-b/a firing fresh");
	/* and what is known does not end by silence either */
	jw_polled(NOW + MINUTE);
	jw_vm("a", "stopped");
	jw.rules[0].where = "state = 'running' AND " NO_TPU_BESIDE;
	polled_as("tpu", "partial", "us-central1-b", NOW + MINUTE);
	jw_cycle(NOW + MINUTE);
	jw_expect(ALERTS, "alone p/vm/us-central1-b/a firing stale");
	polled_as("tpu", "ok", NULL, NOW + MINUTE);
	jw_cycle(NOW + MINUTE);
	jw_expect(ALERTS, "alone p/vm/us-central1-b/a resolved fresh");
}

/* However it is written, and wherever it looks: a silent place of any project may have what it does not find. */
static void a_search_of_other_rows_needs_all_places(void **state)
{
	static const char *const searches[] = {"NOT EXISTS (SELECT 1 FROM resources t "
					       "WHERE t.kind = 'tpu' AND t.project = "
					       "resources.project)",
		"NOT EXISTS (SELECT 1 FROM\n  resources t WHERE t.chips > 0)",
		"NOT EXISTS (SELECT 1 FROM present, [Resources] t WHERE t.kind = 'tpu')",
		"NOT EXISTS (SELECT 1 FROM coverage)",
		"NOT EXISTS (SELECT 1 FROM hosts JOIN egress USING (id))",
		"NOT EXISTS (WITH here AS (SELECT id FROM temp.resources WHERE chips > 0) "
		"SELECT 1 "
		"FROM here)",
		"NOT " TPU_IN_ITS_ZONE " AND NOT EXISTS (SELECT 1 FROM grants)"};

	static const char *const names[] = {"s0", "s1", "s2", "s3", "s4", "s5", "s6"};

	for (size_t i = 0; i < ARRAY_LEN(searches); i++)
		jw_rule(names[i], searches[i]);
	jw_vm("a", "running");
	jw_polled(NOW);
	polled_as("tpu", "partial", "us-central1-f", NOW);
	tempdb_exec(&jw.t, "UPDATE source_gap SET project = 'other'");
	jw_cycle(NOW);
	jw_expect(ALERTS, "");
	polled_as("tpu", "failed", NULL, NOW);
	jw_cycle(NOW);
	jw_expect(ALERTS, "");
	polled_as("tpu", "ok", NULL, NOW);
	jw_cycle(NOW);
	jw_expect("SELECT COUNT(*) FROM alert WHERE state = 'firing' AND data = 'fresh'",
		"7");
}

/* A TPU of another list may use the grant no longer. Without a grant for both projects, only lists of its own matter. */
static void what_a_grant_covers_needs_its_other_users(void **state)
{
	struct grant g = {.name = "g",
		.zone = "us-central1-b",
		.family = "v3",
		.provisioning = "spot",
		.chips = 8,
		.starts = NOW - MINUTE,
		.until = NOW + 100 * MINUTE};

	jw.settings.grants = &g;
	jw.settings.n_grants = 1;
	jw_rule("paid", "covered = 0");
	jw_rule("runs", "kind = 'tpu' AND state = 'running'");
	jw_vm("a", "running");
	tempdb_exec(&jw.t,
		"UPDATE resource SET kind = 'tpu', type = 'v3-8', provisioning = "
		"'on-demand'");
	jw_polled(NOW);
	polled_as("tpu", "partial", "us-central1-b", NOW);
	jw_cycle(NOW);
	jw_expect(ALERTS, "runs p/vm/us-central1-b/a firing fresh");
	tempdb_exec(&jw.t, "UPDATE source_gap SET project = 'other'");
	jw_cycle(NOW); /* no TPU of it is known that may be gone */
	jw_expect("SELECT data FROM alert WHERE rule = 'paid'", "fresh");
	jw_vm("b", "running");
	tempdb_exec(&jw.t,
		"UPDATE resource SET kind = 'tpu', type = 'v3-8', project = 'other' WHERE "
		"name = 'b'");
	jw_cycle(NOW);
	jw_expect("SELECT data FROM alert WHERE rule = 'paid'", "stale");
	g.project = "p";
	jw_cycle(NOW);
	jw_expect("SELECT data FROM alert WHERE rule = 'paid'", "fresh");
	tempdb_exec(
		&jw.t, "UPDATE source_gap SET project = 'p', location = 'us-central1-f'");
	jw_cycle(NOW);
	jw_expect("SELECT data FROM alert WHERE rule = 'paid'", "fresh");
	polled_as("tpu", "failed", NULL, NOW);
	jw_cycle(NOW);
	jw_expect("SELECT data FROM alert WHERE rule = 'paid'", "stale");
}

/* It grows while no metric is read that could show work. */
static void idle_time_needs_the_metrics(void **state)
{
	jw_rule("idle", "COALESCE(idle_minutes, 60) >= 60");
	jw_rule("on", "kind = 'vm' AND state = 'running'");
	jw_vm("a", "running");
	jw_polled(NOW);
	polled_as("metric", "failed", NULL, NOW);
	jw_cycle(NOW);
	jw_expect(ALERTS, "on p/vm/us-central1-b/a firing fresh");
	polled_as("metric", "ok", NULL, NOW);
	jw_cycle(NOW);
	jw_expect("SELECT data FROM alert WHERE rule = 'idle'", "fresh");
	polled_as("metric", "failed", NULL, NOW + MINUTE);
	jw_cycle(NOW + MINUTE);
	jw_expect("SELECT data FROM alert WHERE rule = 'idle'", "stale");
}

static void what_is_in_the_row_needs_no_other_place(void **state)
{
	jw_rule("own",
		"kind = 'vm' AND (SELECT now FROM present) > 0 AND NOT EXISTS (WITH x AS "
		"(SELECT key AS k FROM json_each(resources.labels)) SELECT 1 FROM x "
		"resources "
		"WHERE k = 'from resources t')");
	jw_vm("a", "running");
	jw_polled(NOW);
	polled_as("tpu", "failed", "us-central1-b", NOW);
	jw_cycle(NOW);
	jw_expect(ALERTS, "own p/vm/us-central1-b/a firing fresh");
}

static void what_a_part_says_is_too_much_is_too_much(void **state)
{
	struct rule *r = jw_rule("burns", "gross_per_hour > 0.09");

	r->on = "burn";
	r->summary = "{project}";
	jw_vm("a", "running"); /* 2 x 0.031611 + 7.5 x 0.004237 = 0.0949995 */
	polled_as("vm", "partial", "us-central1-f", NOW);
	jw_cycle(NOW);
	jw_expect(ALERTS, "burns p/cpu/USD firing fresh");
	/* but what a part says is no end of it */
	jw_vm("a", "stopped");
	jw_cycle(NOW + MINUTE);
	jw_expect(ALERTS, "burns p/cpu/USD firing stale");
	polled_as("vm", "ok", NULL, NOW + 2 * MINUTE);
	jw_cycle(NOW + 2 * MINUTE);
	jw_expect(ALERTS, "burns p/cpu/USD resolved fresh");
	/* nor does it begin by what was read long ago */
	jw_vm("a", "running");
	jw_cycle(NOW + 3 * MINUTE + 1);
	jw_expect(ALERTS, "burns p/cpu/USD resolved fresh");
}

static void a_source_that_is_old_moves_nothing(void **state)
{
	jw_rule("on", "state = 'running'")->hold_for = 2 * MINUTE;
	jw_vm("a", "running");
	jw_polled(NOW);
	jw_cycle(NOW);
	jw_cycle(NOW + 3 * MINUTE);
	jw_expect(
		ALERTS, "on p/vm/us-central1-b/a firing fresh"); /* three intervals: just */
	jw_vm("a", "stopped");
	jw_cycle(NOW + 3 * MINUTE + 1);
	jw_expect(ALERTS, "on p/vm/us-central1-b/a firing stale");
	jw_polled(NOW + 4 * MINUTE);
	jw_cycle(NOW + 4 * MINUTE);
	jw_expect(ALERTS, "on p/vm/us-central1-b/a resolved fresh");
}

static void what_is_gone_is_over(void **state)
{
	jw_rule("on", "state = 'running'");
	jw_vm("a", "running");
	jw_polled(NOW);
	jw_cycle(NOW);
	tempdb_exec(&jw.t, "DELETE FROM resource");
	jw_polled(NOW + MINUTE);
	jw_cycle(NOW + MINUTE);
	jw_expect(ALERTS, "on p/vm/us-central1-b/a resolved fresh");
}

static void what_is_not_known_is_no_answer(void **state)
{
	jw_rule("idle", "idle_minutes >= 30");
	jw_vm("a", "running");
	tempdb_exec(&jw.t,
		"INSERT INTO metric (project, metric, subject, at, value, idle_since, "
		"series) VALUES ('p', 'compute.googleapis.com/instance/cpu/utilization', "
		"'1', 1795219200, 0, 1795215600, 1)");
	tempdb_exec(&jw.t,
		"UPDATE resource SET created = 1795000000, state_since = 1795000000");
	jw_polled(NOW);
	jw_cycle(NOW);
	jw_expect(ALERTS, "idle p/vm/us-central1-b/a firing fresh");
	/* the metric ends: idle_minutes is NULL from here on */
	tempdb_exec(&jw.t, "DELETE FROM metric");
	jw_polled(NOW + MINUTE);
	jw_cycle(NOW + MINUTE);
	jw_expect(ALERTS, "idle p/vm/us-central1-b/a firing unknown");
	/* one that was never known begins nothing */
	jw_vm("b", "running");
	jw_polled(NOW + 2 * MINUTE);
	jw_cycle(NOW + 2 * MINUTE);
	jw_expect(ALERTS, "idle p/vm/us-central1-b/a firing unknown");
	jw_expect(EVENTS, "firing a is running");
}

static void a_rule_that_changes_begins_anew(void **state)
{
	struct rule *r = jw_rule("on", "state = 'running'");

	r->hold_for = 10 * MINUTE;
	jw_vm("a", "running");
	jw_polled(NOW);
	jw_cycle(NOW);
	r->where = "state <> 'stopped'";
	jw_polled(NOW + 9 * MINUTE);
	jw_cycle(NOW + 9 * MINUTE);
	jw_expect("SELECT since FROM alert", "1795219740");
	jw_expect(ALERTS, "on p/vm/us-central1-b/a pending fresh");
	/* and one that is gone takes along what was not said yet without a word */
	r->enabled = false;
	jw_polled(NOW + 20 * MINUTE);
	jw_cycle(NOW + 20 * MINUTE);
	jw_expect(ALERTS, "");
	jw_expect(EVENTS, "");
	jw_expect("SELECT count(*) FROM rule_state", "0");
}

static void a_rule_that_is_gone_ends_what_it_said(void **state)
{
	struct rule *r = jw_rule("on", "state = 'running'");

	jw_vm("a", "running");
	jw_polled(NOW);
	jw_cycle(NOW);
	assert_int_equal(jw.last.n_said, 1);
	r->enabled = false;
	jw_cycle(NOW + MINUTE);
	jw_expect(ALERTS, "");
	assert_int_equal(jw.last.n_said, 1);
	assert_int_equal(jw.last.said[0].event, EVENT_RESOLVED);
	assert_string_equal(jw.last.said[0].rule, "on");
	assert_string_equal(jw.last.said[0].summary,
		"was: a is running. Ended: the rule was switched off or removed.");
	jw_expect("SELECT group_concat(kind) FROM alert_event", "firing,resolved");
	jw_cycle(NOW + 2 * MINUTE);
	assert_int_equal(jw.last.n_said, 0);
}

static void a_silence_mutes_and_hides_nothing(void **state)
{
	jw_rule("on", "state = 'running'");
	jw_vm("a", "running");
	jw_vm("b", "running");
	tempdb_exec(&jw.t,
		"INSERT INTO silence (rule, subject, created, until, comment) VALUES "
		"('on', 'p/vm/us-central1-b/a', 1795219200, 1795219260, 'x')");
	jw_polled(NOW);
	jw_cycle(NOW);
	jw_expect("SELECT group_concat(subject || ' ' || muted, '; ') FROM "
		  "(SELECT * FROM alert_event ORDER BY subject)",
		"p/vm/us-central1-b/a 1; p/vm/us-central1-b/b 0");
	jw_expect("SELECT silenced_until FROM alerts WHERE subject LIKE '%/a'",
		"2026-11-21T00:01:00Z");
	jw_expect("SELECT count(*) FROM alert WHERE state = 'firing'", "2");
	assert_true(jw.last.said[0].muted != jw.last.said[1].muted);
	/* over: what ends after it is said */
	jw_vm("a", "stopped");
	jw_polled(NOW + MINUTE);
	jw_cycle(NOW + MINUTE);
	jw_expect("SELECT kind || muted FROM alert_event ORDER BY event DESC LIMIT 1",
		"resolved0");
}

static void it_gets_worse_by_stages_and_severity(void **state)
{
	struct rule *r = jw_rule("on", "kind = 'vm'");

	r->stage = "CASE state WHEN 'stopped' THEN 1 ELSE 2 END";
	r->critical_when = "state = 'running'";
	r->value = "vcpus";
	jw_vm("a", "stopped");
	jw_polled(NOW);
	jw_cycle(NOW);
	jw_expect("SELECT severity || stage || value FROM alert", "warning12");
	jw_vm("a", "running");
	jw_polled(NOW + MINUTE);
	jw_cycle(NOW + MINUTE);
	jw_expect("SELECT severity || stage || value FROM alert", "critical22");
	jw_expect(EVENTS, "firing a is stopped; worse a is running");
	/* less, and as much as was said again */
	for (int i = 2; i < 6; i++) {
		jw_vm("a", i % 2 ? "running" : "stopped");
		jw_polled(NOW + i * MINUTE);
		jw_cycle(NOW + i * MINUTE);
		jw_expect("SELECT severity || stage FROM alert",
			i % 2 ? "critical2" : "warning2");
	}
	jw_expect("SELECT count(*) FROM alert_event", "2");
}

/* round() is a real number in SQL. */
static void a_stage_is_any_number_and_nothing_else(void **state)
{
	static const struct {
		const char *stage, *value, *want, *error;
	} cases[] = {{"round(2.4)", "0.5", "2 0.5", NULL},
		{"-2.5", "NULL", "-3 none", NULL},
		{"1e30", "1", "9223372036854775807 1", NULL}, {"NULL", "-1", "0 -1", NULL},
		{"'5'", "1", "", "on: stage is '5' (expected a number)"},
		{"1", "name", "", "on: value is 'a' (expected a number)"}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rule *r = jw_rule("on", "state = 'running'");

		r->stage = cases[i].stage;
		r->value = cases[i].value;
		jw_vm("a", "running");
		jw_polled(NOW);
		jw_cycle(NOW);
		jw_expect("SELECT COALESCE(MAX(stage || ' ' || COALESCE(value, 'none')), "
			  "'') FROM alert",
			cases[i].want);
		assert_i64_eq(jw.last.n_errors, cases[i].error != NULL);
		if (cases[i].error)
			assert_string_equal(jw.last.errors[0], cases[i].error);
		tempdb_exec(&jw.t, "DELETE FROM alert");
		jw.settings.n_rules = 0;
	}
}

static void one_bad_rule_harms_no_other(void **state)
{
	jw_rule("overflow", "abs(-9223372036854775807 - 1) > 0");
	jw_rule("on", "state = 'running'");
	jw_vm("a", "running");
	jw_polled(NOW);
	jw_cycle(NOW);
	jw_expect(ALERTS, "on p/vm/us-central1-b/a firing fresh");
	assert_i64_eq(jw.last.n_errors, 1);
	assert_contains(jw.last.errors[0], "overflow: ");
	assert_contains(jw.last.errors[0], "9.2 billion");
	jw_expect("SELECT group_concat(rule || ':' || (error IS NULL), ' ') FROM "
		  "(SELECT * FROM rule_state ORDER BY rule)",
		"on:1 overflow:0");
	/* one that worked, and fails later, keeps its alerts as not known */
	jw.rules[1].where = "state = 'running' AND abs(-9223372036854775807 - 1) > 0";
	jw_polled(NOW + MINUTE);
	jw_cycle(NOW + MINUTE);
	jw_expect(ALERTS, "on p/vm/us-central1-b/a firing unknown");
}

static void nobody_reads_ten_thousand_alerts(void **state)
{
	jw_rule("all", "kind = 'vm'");
	jw_vm("a", "running");
	tempdb_exec(&jw.t,
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
		"10000) INSERT INTO resource (id, uid, source, kind, project, location, "
		"name, state, raw_state, labels, first_seen, last_seen, complete) SELECT "
		"'p/vm/z/' || i, i, 'vm', 'vm', 'p', 'z', i, 'running', 'RUNNING', '{}', "
		"1, 1, 1 FROM n");
	jw_polled(NOW);
	jw_cycle(NOW);
	jw_expect(ALERTS, "");
	assert_i64_eq(jw.last.n_errors, 1);
	assert_contains(jw.last.errors[0], "more than 10000 rows");
	tempdb_exec(&jw.t, "DELETE FROM resource WHERE id = 'p/vm/z/1'");
	jw_polled(NOW + MINUTE);
	jw_cycle(NOW + MINUTE);
	assert_i64_eq(jw.last.firing, 10000);
}

static void two_rows_of_one_name_are_one_alert(void **state)
{
	struct rule *r = jw_rule("quota", "percent >= 0");

	r->on = "quotas";
	r->summary = "{metric} {percent} %";
	for (int i = 0; i < 2; i++)
		tempdb_put_quota(&jw.t,
			(struct q_quota_put_in){.service = "c",
				.metric = "M",
				.location = "l",
				.quota_id = i ? "x" : "",
				.limit_value = SOME(i ? 20 : 10),
				.used = SOME(5)});
	jw_cycle(NOW);
	jw_expect(
		"SELECT group_concat(subject || ' ' || summary, '; ') FROM (SELECT * FROM "
		"alert ORDER BY subject)",
		"p/c/M/l M 50.0 %; p/c/M/l/x M 25.0 %");
}

static void two_lines_of_a_grant_are_one_alert(void **state)
{
	static const struct grant line = {.name = "trc",
		.zone = "us-central1-f",
		.type = "v2-8",
		.family = "v2",
		.unit = GRANT_DEVICES,
		.count = 5,
		.chips = 20,
		.provisioning = "spot",
		.starts = NOW - 24 * HOUR,
		.until = NOW + 24 * HOUR};
	struct grant lines[] = {line, line};
	struct rule *r = jw_rule("any", "free_chips > 0");

	r->on = "grants";
	r->summary = "{name}";
	jw.settings.grants = lines;
	jw.settings.n_grants = ARRAY_LEN(lines);
	tempdb_exec(&jw.t,
		"INSERT INTO source_status (source, project, state, last_attempt, items) "
		"VALUES ('tpu', 'p', 'disabled', 0, 0)");
	jw_cycle(NOW);
	jw_expect("SELECT count(*) FROM grants", "2");
	jw_expect(EVENTS, "firing trc");
	assert_i64_eq(jw.last.firing, 1);
	jw.settings.n_grants = 0;
}

static void what_is_over_is_forgotten_in_time(void **state)
{
	jw_rule("on", "state = 'running'");
	jw_vm("a", "running");
	jw_polled(NOW);
	jw_cycle(NOW);
	jw_vm("a", "stopped");
	jw_polled(NOW + MINUTE);
	jw_cycle(NOW + MINUTE);
	jw_polled(NOW + MINUTE + 7 * 24 * HOUR);
	jw_cycle(NOW + MINUTE + 7 * 24 * HOUR);
	jw_cycle(NOW + MINUTE + 7 * 24 * HOUR + 1); /* no poll confirms that time */
	jw_expect("SELECT count(*) FROM alert", "1");
	jw_polled(NOW + MINUTE + 7 * 24 * HOUR + 1);
	jw_cycle(NOW + MINUTE + 7 * 24 * HOUR + 1);
	jw_expect("SELECT count(*) FROM alert", "0");
	jw_expect("SELECT count(*) FROM alert_event", "2");
}

static void a_hold_protects_until_it_ends(void **state)
{
	jw_vm("a", "running");
	tempdb_exec(&jw.t,
		"INSERT INTO hold VALUES ('p/vm/us-central1-b/a', 1, 1795219260, '')");
	jw_cycle(NOW + MINUTE - 1);
	jw_expect("SELECT exempt FROM resources", "1");
	jw_cycle(NOW + MINUTE);
	jw_expect("SELECT exempt FROM resources", "0");
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, jw_setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(what_holds_is_stored_and_said_once),
		TEST(a_restart_changes_nothing),
		TEST(a_started_machine_goes_on),
		TEST(what_did_not_answer_is_neither_begun_nor_ended),
		TEST(one_silent_zone_hides_no_other),
		TEST(what_was_not_found_may_be_where_nobody_answered),
		TEST(a_search_of_other_rows_needs_all_places),
		TEST(what_a_grant_covers_needs_its_other_users),
		TEST(idle_time_needs_the_metrics),
		TEST(what_is_in_the_row_needs_no_other_place),
		TEST(what_a_part_says_is_too_much_is_too_much),
		TEST(a_source_that_is_old_moves_nothing),
		TEST(what_is_gone_is_over),
		TEST(what_is_not_known_is_no_answer),
		TEST(a_rule_that_changes_begins_anew),
		TEST(a_rule_that_is_gone_ends_what_it_said),
		TEST(a_silence_mutes_and_hides_nothing),
		TEST(it_gets_worse_by_stages_and_severity),
		TEST(a_stage_is_any_number_and_nothing_else),
		TEST(one_bad_rule_harms_no_other),
		TEST(nobody_reads_ten_thousand_alerts),
		TEST(two_rows_of_one_name_are_one_alert),
		TEST(two_lines_of_a_grant_are_one_alert),
		TEST(what_is_over_is_forgotten_in_time),
		TEST(a_hold_protects_until_it_ends),
	};

	return cmocka_run_group_tests_name("judge", tests, NULL, NULL);
}
