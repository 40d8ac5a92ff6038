/* How alerts end: whatever the view, whatever became unknown meanwhile, and whatever the clock
 * of the machine did. */
#include "rules/judge/judge.h"

#include "db_sql.h"
#include "rules/budget/budget.h"
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
#define EVENTS                                           \
	"SELECT COALESCE(group_concat(kind, '; '), '') " \
	"FROM (SELECT * FROM alert_event ORDER BY event)"

static void put_alert(const char *rule, const char *subject)
{
	tempdb_execf(&jw.t,
		"INSERT INTO alert (rule, subject, state, data, severity, since, "
		"last_true, fired, said, stage, summary, labels) VALUES ('%s', '%s', "
		"'firing', 'fresh', 'warning', %lld, %lld, %lld, %lld, 0, 's', '{}')",
		rule, subject, (long long)NOW, (long long)NOW, (long long)NOW,
		(long long)NOW);
}

/* A subject that is gone ends its alert, whichever view it was in. */
static void what_is_gone_is_over_in_every_view(void **state)
{
	size_t n = 0;

	for (size_t i = 0; i < n_views; i++) {
		if (!subject_of(views[i]))
			continue;
		jw_rule(views[i]->name, "1")->on = views[i]->name;
		jw.rules[n].summary = NULL;
		put_alert(views[i]->name, "gone");
		n++;
	}
	jw_cycle(NOW + MINUTE);
	for (size_t i = 0; i < jw.last.n_errors; i++)
		print_message("%s\n", jw.last.errors[i]);
	assert_i64_eq(jw.last.n_errors, 0);
	jw_expect(
		"SELECT COALESCE(group_concat(rule), '') FROM alert WHERE subject = 'gone' "
		"AND state = 'firing'",
		"");
}

static void interval(const char *state, ts_t starts)
{
	tempdb_execf(&jw.t,
		"UPDATE resource_interval SET ends = %lld WHERE ends IS NULL; INSERT INTO "
		"resource_interval (id, uid, starts, kind, project, location, name, state) "
		"SELECT id, uid, %lld, kind, project, location, name, '%s' FROM resource",
		(long long)starts, (long long)starts, state);
}

/* The summary, which may have no verb, is unchanged, and the reason is what the inventory has. */
static void an_end_has_its_reason(void **state)
{
	static const char summary[] = "SELECT summary FROM alert WHERE rule = 'r'",
			  event[] = "SELECT summary FROM alert_event ORDER BY event DESC";
	struct rule *r = jw_rule("r", "state = 'running' AND covered IS NOT 1");

	r->summary = "{name} is up, this costs {net_per_hour}.";
	jw_vm("is", "running");
	interval("running", NOW - HOUR);
	jw_polled(NOW);
	jw_cycle(NOW);
	jw_expect(summary, "is is up, this costs 0.09.");
	jw_vm("is", "stopped");
	interval("stopped", NOW + MINUTE);
	jw_polled(NOW + MINUTE);
	jw_cycle(NOW + MINUTE);
	jw_expect(summary,
		"was: is is up, this costs 0.09. Ended: it was stopped at 2026-11-21 "
		"00:01 UTC.");
	jw_expect(event,
		"was: is is up, this costs 0.09. Ended: it was stopped at 2026-11-21 "
		"00:01 UTC.");
	jw_vm("is", "running");
	interval("running", NOW + 2 * MINUTE);
	jw_cycle(NOW + 2 * MINUTE);
	jw_expect(summary, "is is up, this costs 0.09.");
	tempdb_exec(&jw.t, "UPDATE verdict SET covered = 1, grant_name = 'trc'");
	jw_judge(NOW + 3 * MINUTE);
	jw_expect(summary,
		"was: is is up, this costs 0.09. Ended: it is covered now (grant trc).");
	tempdb_exec(&jw.t, "UPDATE verdict SET covered = 0");
	jw_judge(NOW + 4 * MINUTE);
	r->where = "type = 'other'";
	jw_judge(NOW + 5 * MINUTE);
	jw_expect(summary, "was: is is up, this costs 0.09. Ended: the rule was changed.");
	r->where = "1";
	jw_judge(NOW + 6 * MINUTE);
	tempdb_exec(&jw.t, "DELETE FROM resource");
	jw_judge(NOW + 7 * MINUTE);
	jw_expect(summary, "was: is is up, this costs 0.09. Ended: it no longer exists.");
	/* a rule on another view: its subject was never a resource */
	r->on = "sources";
	r->where = "source = 'vm'";
	r->summary = "{source} is read.";
	jw_judge(NOW + 8 * MINUTE);
	r->on = "resources";
	r->where = "1";
	r->summary = "{name} is there.";
	jw_judge(NOW + 9 * MINUTE);
	jw_expect("SELECT summary FROM alert WHERE subject GLOB 'vm/*'",
		"was: vm is read. Ended: the rule was changed.");
}

/* Not as if it were in order again. */
static void the_end_of_what_was_removed_is_no_recovery(void **state)
{
	struct budget budgets[] = {{.name = "a"}, {.name = "b"}};
	struct credit coupon = {.name = "c", .starts = TS_NONE, .expires = TS_NONE};

	jw_polled(NOW);
	jw_cycle(NOW);
	jw.settings.budgets = budgets;
	jw.settings.n_budgets = 2;
	jw.settings.credits = &coupon;
	jw.settings.n_credits = 1;
	*jw_rule("b", "1") = (struct rule){.name = "b",
		.on = "budgets",
		.where = "1",
		.summary = "{name} is over.",
		.severity = SEVERITY_WARNING,
		.enabled = true};
	*jw_rule("c", "1") = (struct rule){.name = "c",
		.on = "credits",
		.where = "1",
		.summary = "{name} is over.",
		.severity = SEVERITY_WARNING,
		.enabled = true};
	tempdb_exec(&jw.t,
		"INSERT INTO budget_state (name, period, starts, ends, amount, currency, "
		"converted, basis) VALUES ('a', 'month', 0, 1, 1, 'USD', 0, ''), "
		"('b', 'month', 0, 1, 1, 'USD', 0, ''); INSERT INTO credit_state (name, "
		"amount, currency) VALUES ('c', 1, 'USD')");
	jw_judge(NOW);
	jw.settings.n_budgets = 1;
	jw.settings.n_credits = 0;
	tempdb_exec(&jw.t, "DELETE FROM budget_state; DELETE FROM credit_state");
	jw_judge(NOW + MINUTE);
	jw_expect("SELECT group_concat(rule || ' ' || subject || substr(summary, "
		  "instr(summary, "
		  "'. Ended')), '; ') FROM (SELECT * FROM alert ORDER BY rule, subject)",
		"b a. Ended: the condition no longer holds.; b b. Ended: the budget was "
		"removed "
		"from the configuration.; c c. Ended: the credit was removed from the "
		"configuration.");
}

static void a_stop_of_tpucost_is_the_reason_for_an_end(void **state)
{
	static const char summary[] = "SELECT summary FROM alert WHERE rule = 'r'";

	jw_rule("r", "state = 'running'");
	jw_vm("a", "running");
	interval("running", NOW - HOUR);
	jw_polled(NOW);
	jw_cycle(NOW);
	tempdb_execf(&jw.t,
		"INSERT INTO action (rule, resource, uid, source, kind, project, location, "
		"name, verb, mode, severity, policy, state, held, reason, since, began, "
		"attempts, ended) SELECT 'other', id, uid, 'vm', 'vm', 'p', 'z', name, "
		"'stop', 'armed', 'warning', '', 'done', '', '', 0, 0, 1, %lld "
		"FROM resource",
		(long long)(NOW + MINUTE));
	jw_vm("a", "stopped");
	interval("stopped", NOW + 8 * MINUTE); /* the poll that shows it */
	jw_polled(NOW + 8 * MINUTE);
	jw_cycle(NOW + 8 * MINUTE);
	jw_expect(summary,
		"was: a is running. Ended: it was stopped by tpucost at 2026-11-21 00:01 "
		"UTC.");
	/* somebody starts it, and stops it: not tpucost */
	jw_vm("a", "running");
	interval("running", NOW + 20 * MINUTE);
	jw_polled(NOW + 20 * MINUTE);
	jw_cycle(NOW + 20 * MINUTE);
	jw_vm("a", "stopped");
	interval("stopped", NOW + 30 * MINUTE);
	jw_polled(NOW + 30 * MINUTE);
	jw_cycle(NOW + 30 * MINUTE);
	jw_expect(summary,
		"was: a is running. Ended: it was stopped at 2026-11-21 00:30 UTC.");
}

#define AT "1795219380" /* NOW + 3 * MINUTE */
#define BY_TPUCOST "it was deleted by tpucost at 2026-11-21 00:03 UTC"
#define GONE "it no longer exists"

/* A deletion is confirmed by the lists that end the alert: later in the same cycle. */
static void a_deletion_by_tpucost_is_the_reason_for_an_end(void **state)
{
	static const struct {
		const char *action, *why;
	} cases[] = {{"verb = 'delete', since = " AT ", state = 'verify'", BY_TPUCOST},
		{"verb = 'delete', ended = " AT ", state = 'done'", BY_TPUCOST},
		{"verb = 'delete', since = " AT ", state = 'unknown'", GONE},
		{"verb = 'delete', ended = " AT ", state = 'cleared'", GONE},
		{"verb = 'delete', ended = " AT ", state = 'done', mode = 'dry-run'", GONE},
		{"verb = 'delete', ended = " AT ", state = 'done', uid = 'other'", GONE},
		{"verb = 'stop', ended = " AT ", state = 'done'", GONE}};
	ts_t now = NOW;

	jw_rule("r", "state = 'running'");
	jw_vm("a", "running");
	interval("running", NOW - HOUR);
	jw_polled(NOW);
	jw_cycle(NOW);
	tempdb_exec(&jw.t,
		"CREATE TABLE saved AS SELECT * FROM resource; INSERT INTO action (rule, "
		"resource, "
		"uid, source, kind, project, location, name, verb, mode, severity, policy, "
		"state, held, reason, since, began, attempts) SELECT 'r', id, uid, 'vm', "
		"'vm', "
		"'p', 'z', name, 'stop', 'armed', 'warning', '', 'sent', '', '', 0, 0, 1 "
		"FROM resource");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char want[200];

		snprintf(want, sizeof(want), "was: a is running. Ended: %s.", cases[i].why);
		tempdb_execf(&jw.t,
			"UPDATE action SET mode = 'armed', uid = (SELECT uid FROM saved), "
			"ended = NULL; UPDATE action SET %s; DELETE FROM resource",
			cases[i].action);
		jw_cycle(now += 10 * MINUTE);
		jw_expect("SELECT summary FROM alert WHERE rule = 'r'", want);
		tempdb_exec(&jw.t, "INSERT INTO resource SELECT * FROM saved");
		jw_polled(now += 10 * MINUTE);
		jw_cycle(now);
	}
}

static void use_builtin(const char *name)
{
	jw.rules[jw.settings.n_rules] = *builtin_find(name);
	jw.rules[jw.settings.n_rules++].enabled = true;
}

static void put_tpu(const char *state)
{
	tempdb_execf(&jw.t,
		"INSERT INTO resource (id, uid, source, kind, project, location, zone, "
		"region, name, state, raw_state, type, provisioning, labels, created, "
		"first_seen, last_seen, complete) VALUES ('p/tpu/us-central1-b/t', '2', "
		"'tpu', 'tpu', 'p', 'us-central1-b', 'us-central1-b', 'us-central1', 't', "
		"'%s', 'READY', 'v2-8', 'spot', '{}', %lld, %lld, %lld, 1) "
		"ON CONFLICT (id) DO UPDATE SET state = excluded.state",
		state, (long long)NOW, (long long)NOW, (long long)NOW);
}

/* Coverage does not apply to what does not run: nobody has to pay it. */
static void a_tpu_that_stops_is_no_longer_uncovered(void **state)
{
	static const char *const ends[] = {"stopped", "preempted", "failed", "suspended"};

	use_builtin("tpu-not-covered");
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		ts_t now = NOW + (ts_t)i * HOUR;

		put_tpu("running");
		jw_cycle(now);
		jw_expect(ALERTS, "tpu-not-covered p/tpu/us-central1-b/t firing fresh");
		put_tpu(ends[i]);
		jw_cycle(now + MINUTE);
		jw_expect(ALERTS, "tpu-not-covered p/tpu/us-central1-b/t resolved fresh");
	}
}

/* A coupon that does not expire and of which nothing burns has no day on which it ends: that it
 * is not low is known all the same. */
static void a_larger_coupon_is_not_low(void **state)
{
	use_builtin("credit-low");
	jw_cycle(NOW);
	tempdb_exec(&jw.t,
		"INSERT INTO credit_state (name, amount, used, currency) VALUES "
		"('c', 100000000000, 90000000000, 'USD')");
	jw_judge(NOW);
	jw_expect(ALERTS, "credit-low c firing fresh");
	tempdb_exec(&jw.t, "UPDATE credit_state SET amount = 200000000000");
	jw_judge(NOW + MINUTE);
	jw_expect(ALERTS, "credit-low c firing fresh");
	jw_judge(NOW + MINUTE + DAY_SECONDS - 1);
	jw_expect(ALERTS, "credit-low c firing fresh");
	jw_judge(NOW + MINUTE + DAY_SECONDS);
	jw_expect(ALERTS, "credit-low c resolved fresh");
}

static void a_quota_without_a_limit_is_not_high(void **state)
{
	use_builtin("quota-high");
	jw.rules[0].hold_for = 0;
	tempdb_put_quota(&jw.t,
		(struct q_quota_put_in){.service = "c",
			.metric = "M",
			.location = "l",
			.limit_value = SOME(10),
			.used = SOME(9)});
	jw_cycle(NOW);
	jw_expect(ALERTS, "quota-high p/c/M/l firing fresh");
	tempdb_exec(&jw.t, "UPDATE quota_limit SET limit_value = -1");
	jw_cycle(NOW + MINUTE);
	jw_expect(ALERTS, "quota-high p/c/M/l resolved fresh");
}

#define EGRESS(bytes)                                                                     \
	"DELETE FROM egress_part; INSERT INTO egress_part (id, at, sent, sent_bytes, "    \
	"rate, bytes, path, basis) VALUES ('p/vm/us-central1-b/a', 1795219200, 1, " bytes \
	", 1, " bytes ", 'unknown', 'b')"

/* 50 GiB = 53687091200 bytes in the last hour begin it. */
static void traffic_that_ends_is_over(void **state)
{
	use_builtin("egress-fast");
	jw_vm("a", "running");
	jw_cycle(NOW);
	tempdb_exec(&jw.t, EGRESS("53687091200"));
	jw_judge(NOW);
	jw_expect(ALERTS, "egress-fast p/vm/us-central1-b/a firing fresh");
	tempdb_exec(&jw.t, EGRESS("53000000000"));
	jw_judge(NOW + MINUTE);
	jw_expect(ALERTS, "egress-fast p/vm/us-central1-b/a resolved fresh");
	/* and when the machine is gone, counters and all */
	tempdb_exec(&jw.t, EGRESS("53687091200"));
	jw_judge(NOW + 2 * MINUTE);
	jw_expect(ALERTS, "egress-fast p/vm/us-central1-b/a firing fresh");
	tempdb_exec(&jw.t, "DELETE FROM egress_part");
	/* counters alone that end are an agent that fell silent */
	jw_judge(NOW + 3 * MINUTE);
	jw_expect(ALERTS, "egress-fast p/vm/us-central1-b/a firing unknown");
	jw_vm("a", "stopped");
	jw_judge(NOW + 3 * MINUTE);
	jw_expect(ALERTS, "egress-fast p/vm/us-central1-b/a resolved fresh");
	jw_vm("a", "running");
	/* but not while nobody looks */
	tempdb_exec(&jw.t, EGRESS("53687091200"));
	jw_judge(NOW + 4 * MINUTE);
	tempdb_exec(&jw.t,
		"DELETE FROM egress_part; INSERT INTO source_status (source, project, "
		"state, last_attempt, items, poll_group) VALUES ('metric', 'p', 'failed', "
		"1, 0, 'metrics')");
	jw_judge(NOW + 5 * MINUTE);
	jw_expect(ALERTS, "egress-fast p/vm/us-central1-b/a firing stale");
}

/* Buckets have no price, and other projects burn for themselves. */
static void what_burns_is_told_although_buckets_cannot_be_read(void **state)
{
	jw_rule("all", "net_per_hour > 0")->on = "burn";
	jw.rules[0].summary = NULL;
	jw_vm("a", "running");
	jw_polled(NOW);
	tempdb_exec(&jw.t,
		"INSERT INTO source_status (source, project, state, last_attempt, items, "
		"poll_group) VALUES ('bucket', 'p', 'failed', 1, 0, 'instances'), "
		"('disk', 'q', 'failed', 1, 0, 'instances')");
	jw_cycle(NOW);
	jw_expect(ALERTS, "all p/cpu/USD firing fresh");
	tempdb_exec(&jw.t, "UPDATE source_status SET project = 'p' WHERE source = 'disk'");
	jw_vm("a", "stopped");
	jw_cycle(NOW);
	jw_expect(ALERTS, "all p/cpu/USD firing stale");
}

static void a_disk_that_a_tpu_lists_is_no_orphan(void **state)
{
	use_builtin("disk-orphan");
	jw.rules[0].hold_for = 0;
	put_tpu("running");
	tempdb_exec(&jw.t,
		"INSERT INTO resource (id, uid, source, kind, project, location, zone, "
		"region, name, state, raw_state, type, size_gib, labels, created, "
		"first_seen, last_seen, complete) SELECT 'p/disk/us-central1-b/' || "
		"n.name, n.name, 'disk', 'disk', 'p', 'us-central1-b', 'us-central1-b', "
		"'us-central1', n.name, 'stopped', 'READY', 'pd-ssd', 100, '{}', "
		"1795000000, 1795000000, 1795219200, 1 FROM (SELECT 'data' AS name UNION "
		"ALL SELECT 'old') n; INSERT INTO tpu_disk VALUES "
		"('p/tpu/us-central1-b/t', 'data')");
	jw_cycle(NOW);
	jw_expect(ALERTS, "disk-orphan p/disk/us-central1-b/old firing fresh");
}

static void a_period_that_is_over_is_not_said_for_ever(void **state)
{
	use_builtin("budget");
	jw_cycle(NOW);
	tempdb_exec(&jw.t,
		"INSERT INTO budget_state (name, period, starts, ends, amount, currency, "
		"spent, expected, reached, converted, basis) VALUES ('b', 'custom', "
		"1790000000, 1795219200, 1000000000, 'USD', 2000000000, 2000000000, 100, "
		"0, '')");
	jw_judge(NOW);
	jw_expect(ALERTS, "budget b firing fresh");
	/* 1794528000 is 2026-11-13 */
	tempdb_exec(&jw.t, "UPDATE budget_state SET ends = 1794528000 - 1");
	/* what is expected may be more again when the bill comes */
	jw_judge(NOW + MINUTE);
	jw_expect(ALERTS, "budget b firing fresh");
	jw_judge(NOW + MINUTE + 24 * HOUR - 1);
	jw_expect(ALERTS, "budget b firing fresh");
	jw_judge(NOW + MINUTE + 24 * HOUR);
	jw_expect(ALERTS, "budget b resolved fresh");
	jw_expect("SELECT group_concat(kind) FROM alert_event", "firing,resolved");
}

/* The first day of the budget had the worst stage; the second one is reported as if there were no first. */
static void each_period_of_a_budget_is_reported(void **state)
{
	struct budget b = {.name = "b", .amount = {.nanos = 1000000000, .cur = "USD"}};

	jw.settings.budgets = &b;
	jw.settings.n_budgets = 1;
	use_builtin("budget");
	jw_cycle(NOW);
	tempdb_execf(&jw.t,
		"INSERT INTO budget_state (name, period, starts, ends, amount, currency, "
		"expected, reached, converted, basis) VALUES ('b', 'day', %lld, %lld, "
		"1000000000, 'USD', 2000000000, 100, 0, '')",
		(long long)NOW - 24 * HOUR, (long long)NOW + 72 * HOUR);
	jw_judge(NOW - HOUR);
	jw_expect("SELECT severity || ' ' || stage FROM alert", "critical 100");
	tempdb_execf(&jw.t,
		"UPDATE budget_state SET starts = %lld, expected = 0, reached = NULL",
		(long long)NOW);
	jw_judge(NOW + MINUTE);
	jw_expect(ALERTS, "budget b resolved fresh");
	jw_expect("SELECT substr(summary, instr(summary, 'Ended')) FROM alert",
		"Ended: a new period began.");
	tempdb_exec(&jw.t, "UPDATE budget_state SET expected = 500000000, reached = 50");
	jw_judge(NOW + HOUR);
	jw_expect("SELECT severity || ' ' || stage FROM alert", "warning 50");
	tempdb_exec(&jw.t, "UPDATE budget_state SET expected = 900000000, reached = 80");
	jw_judge(NOW + 2 * HOUR);
	tempdb_exec(&jw.t, "UPDATE budget_state SET expected = 2000000000, reached = 100");
	jw_judge(NOW + 3 * HOUR);
	jw_expect("SELECT severity || ' ' || stage FROM alert", "critical 100");
	/* nothing was judged between the second day and half of the third */
	tempdb_execf(&jw.t,
		"UPDATE budget_state SET starts = %lld, expected = 500000000, reached = 50",
		(long long)NOW + 24 * HOUR);
	jw_judge(NOW + 25 * HOUR);
	jw_expect("SELECT severity || ' ' || stage FROM alert", "warning 50");
	jw_expect("SELECT group_concat(kind || ' ' || severity) FROM alert_event",
		"firing critical,resolved critical,firing warning,worse warning,worse "
		"critical,firing warning");
	/* one that begins later has no present period */
	tempdb_execf(
		&jw.t, "UPDATE budget_state SET starts = %lld", (long long)NOW + 48 * HOUR);
	jw_judge(NOW + 25 * HOUR + MINUTE);
	jw_expect("SELECT COUNT(*) FROM alert_event", "6");
}

/* The forecast ends when the amount is spent: that is no recovery. One that falls is. */
static void a_forecast_that_came_true_is_no_recovery(void **state)
{
	struct budget b = {.name = "b", .amount = {.nanos = 1000000000, .cur = "USD"}};

	jw.settings.budgets = &b;
	jw.settings.n_budgets = 1;
	use_builtin("budget-forecast");
	jw.rules[0].hold_for = 0;
	jw_cycle(NOW);
	tempdb_exec(&jw.t,
		"INSERT INTO budget_state (name, period, starts, ends, amount, currency, "
		"expected, forecast_reached, converted, basis) VALUES ('b', 'month', "
		"1790000000, 1799000000, 1000000000, 'USD', 900000000, 100, 0, '')");
	jw_judge(NOW);
	tempdb_exec(&jw.t, "UPDATE budget_state SET forecast_reached = NULL");
	jw_judge(NOW + MINUTE);
	assert_i64_eq(jw.last.said[0].event, EVENT_RESOLVED);
	assert_false(jw.last.said[0].worse);
	tempdb_exec(&jw.t, "UPDATE budget_state SET forecast_reached = 100");
	jw_judge(NOW + 2 * MINUTE);
	tempdb_exec(&jw.t, "UPDATE budget_state SET expected = amount");
	jw_judge(NOW + 3 * MINUTE);
	assert_i64_eq(jw.last.said[0].event, EVENT_RESOLVED);
	assert_true(jw.last.said[0].worse);
	jw_expect("SELECT substr(summary, instr(summary, 'Ended')) FROM alert",
		"Ended: it became worse.");
}

/* An amount that is raised ends or weakens the alert at once: keeping it is for figures that fall. */
static void a_budget_that_is_changed_is_judged_anew(void **state)
{
	struct budget b = {.name = "b", .amount = {.nanos = 1000000000, .cur = "USD"}};

	jw.settings.budgets = &b;
	jw.settings.n_budgets = 1;
	use_builtin("budget");
	jw_cycle(NOW);
	tempdb_exec(&jw.t,
		"DELETE FROM budget_state; INSERT INTO budget_state (name, period, starts, "
		"ends, amount, currency, expected, reached, converted, basis) VALUES ('b', "
		"'custom', 1790000000, 1799000000, 1000000000, 'USD', 2000000000, 100, 0, "
		"'')");
	jw_judge(NOW);
	jw_expect("SELECT severity || ' ' || stage FROM alert", "critical 100");
	b.amount.nanos = 2300000000;
	tempdb_exec(&jw.t, "UPDATE budget_state SET amount = 2300000000, reached = 80");
	jw_judge(NOW + MINUTE);
	jw_expect("SELECT severity || ' ' || stage FROM alert", "warning 80");
	jw_expect(EVENTS, "firing");
	b.amount.nanos = 9000000000;
	tempdb_exec(&jw.t, "UPDATE budget_state SET amount = 9000000000, reached = NULL");
	jw_judge(NOW + 2 * MINUTE);
	jw_expect(ALERTS, "budget b resolved fresh");
	jw_expect(EVENTS, "firing; resolved");
}

/* What began under a silence and goes on is said when that ends, not a week later. */
static void what_a_silence_muted_is_said_after_it(void **state)
{
	struct rule *r = jw_rule("on", "state = 'running'");

	r->repeat = 7 * 24 * HOUR;
	jw_vm("a", "running");
	/* until NOW + 2 h */
	tempdb_exec(&jw.t,
		"INSERT INTO silence (rule, subject, created, until, comment) VALUES "
		"('on', '', 1795219200, 1795226400, '')");
	jw_polled(NOW);
	jw_cycle(NOW);
	jw_polled(NOW + 2 * HOUR - 1);
	jw_cycle(NOW + 2 * HOUR - 1);
	jw_expect("SELECT group_concat(kind || muted) FROM alert_event", "firing1");
	jw_polled(NOW + 2 * HOUR);
	jw_cycle(NOW + 2 * HOUR);
	jw_expect("SELECT group_concat(kind || muted) FROM alert_event", "firing1,repeat0");
	jw_polled(NOW + 3 * HOUR);
	jw_cycle(NOW + 3 * HOUR);
	jw_expect("SELECT count(*) FROM alert_event", "2");
	/* the next one is a repeat later */
	jw_polled(NOW + 2 * HOUR + 7 * 24 * HOUR);
	jw_cycle(NOW + 2 * HOUR + 7 * 24 * HOUR);
	jw_expect("SELECT count(*) FROM alert_event", "3");
}

/* ---- clocks ------------------------------------------------------------------------------- */

/* A clock that was years ahead and is set right takes no alert along to its future. */
static void a_clock_that_is_set_back_delays_nothing(void **state)
{
	struct rule r = {.hold_for = HOUR, .severity = SEVERITY_WARNING};
	struct observation o = {.holds = true, .severity = SEVERITY_WARNING};
	struct alert a = {.state = ALERT_NONE};
	ts_t wrong = NOW + 400 * 24 * HOUR;

	assert_i64_eq(alert_step(&a, &r, &o, wrong), EVENT_NONE);
	assert_i64_eq(alert_step(&a, &r, &o, NOW), EVENT_NONE);
	assert_i64_eq(a.state, ALERT_PENDING);
	assert_i64_eq(a.since, NOW);
	assert_i64_eq(a.last_true, NOW);
	assert_i64_eq(alert_step(&a, &r, &o, NOW + HOUR - 1), EVENT_NONE);
	assert_i64_eq(alert_step(&a, &r, &o, NOW + HOUR), EVENT_FIRING);
	/* and what was said in that future is said again in time */
	a.said = a.fired = wrong;
	assert_i64_eq(alert_step(&a, &r, &o, NOW + 2 * HOUR), EVENT_NONE);
	assert_i64_eq(a.said, NOW + 2 * HOUR);
	assert_i64_eq(alert_step(&a, &r, &o, NOW + 26 * HOUR - 1), EVENT_NONE);
	assert_i64_eq(alert_step(&a, &r, &o, NOW + 26 * HOUR), EVENT_REPEAT);
	/* some seconds back are nothing */
	assert_i64_eq(alert_step(&a, &r, &o, NOW + 26 * HOUR - 5), EVENT_NONE);
	assert_i64_eq(a.since, NOW);
}

/* ---- history ------------------------------------------------------------------------------ */

#define THOUSAND                                                 \
	"WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT " \
	"value + 1 FROM n WHERE value < 1000) "

static void forget(ts_t now)
{
	struct q_history_forget_in old = {.before = history_from(&jw.settings, now)};
	struct err e = {0};

	assert_ok(q_history_forget(jw.t.db, &old, &e), e);
	jw_cycle(now);
}

/* Intervals of two kinds that ended one second apart, 1000 times; and what has not ended. */
static void history_is_kept_for_two_years_or_as_configured(void **state)
{
	static const char left[] =
		"SELECT (SELECT count(*) || ' ' || group_concat(DISTINCT kind) || ' ' || "
		"(count(*) - count(ends)) FROM resource_interval) || ', ' || "
		"(SELECT count(*) FROM alert_event) || ', ' || "
		"(SELECT count(*) FROM resource_trait)";
	ts_t then = NOW - 730 * 24 * HOUR;

	tempdb_execf(&jw.t,
		THOUSAND
		"INSERT INTO resource_interval (id, uid, starts, ends, kind, project, "
		"location, name, state) SELECT k || value, '1', 5, %lld + value %% 2, k, "
		"'p', 'l', 'n', 'running' FROM n, "
		"(SELECT 'disk' AS k UNION SELECT 'vm' UNION SELECT 'a'); "
		"UPDATE resource_interval SET ends = NULL WHERE kind = 'a'; "
		"INSERT INTO resource_trait (id, uid, starts, source, raw_state, labels) "
		"SELECT id, uid, starts, kind, '', '{}' FROM resource_interval; "
		"INSERT INTO resource_interval (id, uid, starts, ends, kind, project, "
		"location, name, state) VALUES ('a1', '1', 1, 6, 'a', 'p', 'l', 'n', "
		"'running'); " THOUSAND
		"INSERT INTO alert_event (at, rule, subject, kind, severity, summary, "
		"muted) SELECT %lld + value %% 2, 'r', 's', 'firing', 'info', '', 0 "
		"FROM n",
		(long long)then - 1, (long long)then - 1);
	forget(NOW);
	jw_expect(left, "2001 a,disk,vm 1000, 500, 2001");
	forget(NOW + 1);
	forget(NOW + 1);
	jw_expect(left, "1000 a 1000, 0, 1000");
	jw.settings.keep_history = 90 * 24 * HOUR;
	tempdb_execf(&jw.t,
		"UPDATE resource_interval SET ends = %lld WHERE id IN ('a1', 'a2')",
		(long long)NOW - 90 * 24 * HOUR);
	forget(NOW);
	jw_expect(left, "1000 a 998, 0, 1000");
	/* in small transactions */
	tempdb_exec(&jw.t,
		"UPDATE resource_interval SET ends = 6; "
		"INSERT INTO resource_interval (id, uid, starts, ends, kind, "
		"project, location, name, state) SELECT 'b' || id, uid, 5, 6, 'b', "
		"project, location, name, state FROM resource_interval");
	forget(NOW);
	jw_expect(left, "1000 b 0, 0, 0");
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, jw_setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_gone_is_over_in_every_view),
		TEST(an_end_has_its_reason),
		TEST(the_end_of_what_was_removed_is_no_recovery),
		TEST(a_stop_of_tpucost_is_the_reason_for_an_end),
		TEST(a_deletion_by_tpucost_is_the_reason_for_an_end),
		TEST(a_tpu_that_stops_is_no_longer_uncovered),
		TEST(a_larger_coupon_is_not_low),
		TEST(a_quota_without_a_limit_is_not_high),
		TEST(traffic_that_ends_is_over),
		TEST(what_burns_is_told_although_buckets_cannot_be_read),
		TEST(a_disk_that_a_tpu_lists_is_no_orphan),
		TEST(a_period_that_is_over_is_not_said_for_ever),
		TEST(each_period_of_a_budget_is_reported),
		TEST(a_forecast_that_came_true_is_no_recovery),
		TEST(a_budget_that_is_changed_is_judged_anew),
		TEST(what_a_silence_muted_is_said_after_it),
		TEST(a_clock_that_is_set_back_delays_nothing),
		TEST(history_is_kept_for_two_years_or_as_configured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
