/* Rules on a recorded history. An n1-highmem-96 in us-central1 is 5.678544 an hour, a v3-8 in
 * europe-west4 8.80, in us-central1 8.00; a pd-ssd of 730 GiB 0.17. */
#include "rules/replay/replay.h"

#include "base/time/civil.h"
#include "tests/support/assert.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

/* 2026-11-21T00:00:00Z; histories begin two days before */
#define NOW INT64_C(1795219200)
#define T0 (NOW - 2 * DAY_SECONDS)
#define HOUR HOUR_SECONDS
#define MINUTE INT64_C(60)

static struct tempdb t;
static struct settings settings;
static struct grant grants[2];
static struct budget budgets[1];
static struct replay got;

static int setup(void **state)
{
	tempdb_open(&t, NOW);
	memset(grants, 0, sizeof(grants));
	settings = (struct settings){
		.tz = t.tz, .currency = "USD", .grants = grants, .budgets = budgets};
	return 0;
}

/* One stretch of a thing in us-central1-b of project p; `ends` 0: it lasts. */
static void was(const char *kind, const char *name, const char *type, const char *state,
	ts_t starts, ts_t ends)
{
	char until[32] = "NULL";

	if (ends)
		snprintf(until, sizeof(until), "%lld", (long long)ends);
	tempdb_execf(&t,
		"INSERT INTO resource_interval (id, uid, starts, ends, kind, project, "
		"location, name, state, type, provisioning, size_gib, created) VALUES "
		"('p/%s/us-central1-b/%s', '%s', %lld, %s, '%s', 'p', 'us-central1-b', "
		"'%s', '%s', '%s', 'on-demand', %s, %lld)",
		kind, name, name, (long long)starts, until, kind, name, state, type,
		strcmp(kind, "disk") != 0 ? "NULL" : "730", (long long)T0);
}

/* How a thing was from then on, besides. */
static void trait(const char *kind, const char *name, ts_t starts, const char *attached_to,
	const char *labels)
{
	tempdb_execf(&t,
		"INSERT INTO resource_trait (id, uid, starts, source, raw_state, "
		"attached_to, labels) VALUES ('p/%s/us-central1-b/%s', '%s', %lld, '%s', "
		"'X', %s%s%s, '%s')",
		kind, name, name, (long long)starts, kind, attached_to ? "'" : "",
		attached_to ? attached_to : "NULL", attached_to ? "'" : "", labels);
}

static enum err_code try(const struct rule *r, ts_t since, ts_t until, struct err *e)
{
	struct replay_opts o = {
		.settings = &settings, .rule = r, .since = since, .until = until};
	struct db *db;
	enum err_code rc;

	if (db_open(t.path, DB_READ, &t.clock, &db, e))
		return e->code;
	rc = replay_run(db, &o, &t.a, &got, e);
	db_close(db);
	return rc;
}

static void replay(const struct rule *r, ts_t since, ts_t until)
{
	struct err e = {0};

	if (try(r, since, until, &e))
		fail_msg("%s", e.msg);
}

static struct rule on_resources(const char *where)
{
	return (struct rule){.name = "r", .on = "resources", .where = where};
}

static void what_a_machine_would_not_have_cost(void **state)
{
	struct rule r = on_resources("kind = 'vm' AND state = 'running' AND "
				     "running_hours >= 6");

	r.hold_for = 10 * MINUTE;
	r.then = (struct rule_action){.action = "stop", .grace = 30 * MINUTE};
	r.severity = SEVERITY_CRITICAL;
	was("vm", "big", "n1-highmem-96", "running", T0, T0 + 30 * HOUR);
	was("vm", "big", "n1-highmem-96", "stopped", T0 + 30 * HOUR, 0);
	replay(&r, T0, NOW);
	assert_i64_eq(got.n, 1);
	assert_string_equal(got.v[0].subject, "p/vm/us-central1-b/big");
	assert_int_equal(got.v[0].severity, SEVERITY_CRITICAL);
	assert_ts_eq(got.v[0].fired, T0 + 6 * HOUR + 10 * MINUTE);
	assert_ts_eq(got.v[0].resolved, T0 + 30 * HOUR);
	assert_true(got.v[0].of_resource && got.v[0].priced);
	/* 30 h - 6 h 10 min - 30 min = 84000 s; 5.678544 x 84000 / 3600 = 132.49936 */
	assert_nanos_eq(got.v[0].saved, INT64_C(132499360000));
	assert_string_equal(got.v[0].currency, "USD");
	assert_false(got.v[0].stopped_anyway);
	assert_ts_eq(got.since, T0);
	assert_null(got.short_because);
	assert_ts_eq(got.recorded, T0 + 30 * HOUR); /* the first that was seen to end */
	assert_false(got.of_bill);
}

static void what_a_later_step_would_not_have_cost(void **state)
{
	struct rule r = on_resources("kind = 'vm' AND state = 'running'");

	r.hold_for = 3 * HOUR;
	r.then = (struct rule_action){
		.action = "delete", .after = 4 * HOUR, .grace = 30 * MINUTE};
	was("vm", "big", "n1-highmem-96", "running", T0, T0 + 6 * HOUR);
	replay(&r, T0, NOW);
	assert_i64_eq(got.n, 1);
	/* 6 h - 4 h; 5.678544 x 2 */
	assert_nanos_eq(got.v[0].saved, INT64_C(11357088000));
	r.then.grace = 2 * HOUR; /* 6 h - 3 h - 2 h */
	replay(&r, T0, NOW);
	assert_nanos_eq(got.v[0].saved, INT64_C(5678544000));
}

static void one_that_still_fires(void **state)
{
	struct rule r = on_resources("kind = 'vm' AND state = 'running'");

	was("vm", "big", "n1-highmem-96", "running", T0, 0);
	/* looked at for 90 minutes: 5.678544 x 1.5 = 8.517816 */
	replay(&r, NOW - 90 * MINUTE, NOW);
	assert_i64_eq(got.n, 1);
	assert_ts_eq(got.v[0].fired, NOW - 90 * MINUTE);
	assert_ts_eq(got.v[0].resolved, TS_NONE);
	assert_nanos_eq(got.v[0].saved, INT64_C(8517816000));
	/* nothing is counted twice, and nothing of the time after */
	replay(&r, NOW - 90 * MINUTE, NOW - 30 * MINUTE);
	assert_nanos_eq(got.v[0].saved, INT64_C(5678544000));
}

/* As in `run`: the time of `for` starts again with the machine, not when it stops. */
static void a_stop_is_no_new_machine(void **state)
{
	struct rule r = on_resources("kind = 'vm'");

	r.hold_for = 20 * MINUTE;
	r.then.action = "stop";
	was("vm", "a", "n1-highmem-96", "running", T0, T0 + 10 * MINUTE);
	was("vm", "a", "n1-highmem-96", "stopped", T0 + 10 * MINUTE, T0 + HOUR);
	was("vm", "a", "n1-highmem-96", "running", T0 + HOUR, T0 + 2 * HOUR);
	was("vm", "a", "n1-highmem-96", "stopped", T0 + 2 * HOUR, 0);
	replay(&r, T0, NOW);
	assert_i64_eq(got.n, 2);
	assert_ts_eq(got.v[0].fired, T0 + 20 * MINUTE);
	assert_ts_eq(got.v[0].resolved, T0 + HOUR);
	assert_ts_eq(got.v[1].fired, T0 + HOUR + 20 * MINUTE);
	assert_ts_eq(got.v[1].resolved, TS_NONE);
}

static void what_held_before_fires_at_the_beginning(void **state)
{
	struct rule r = on_resources("kind = 'vm'");

	r.hold_for = 3 * HOUR;
	was("vm", "big", "n1-highmem-96", "running", T0, 0);
	replay(&r, NOW - DAY_SECONDS, NOW);
	assert_i64_eq(got.n, 1);
	assert_ts_eq(got.v[0].fired, NOW - DAY_SECONDS);
}

static void stops_within_the_hour_by_itself(void **state)
{
	struct rule r = on_resources("kind = 'vm' AND state = 'running'");

	was("vm", "a", "n1-highmem-96", "running", T0 + HOUR, T0 + 2 * HOUR);
	was("vm", "a", "n1-highmem-96", "stopped", T0 + 2 * HOUR, 0);
	was("vm", "b", "n1-highmem-96", "running", T0 + HOUR, T0 + 2 * HOUR + 1);
	was("vm", "c", "n1-highmem-96", "running", T0 + HOUR + 1, T0 + HOUR + 61);
	replay(&r, T0, NOW);
	assert_i64_eq(got.n, 3);
	assert_true(got.v[0].stopped_anyway); /* exactly an hour */
	assert_false(got.v[1].stopped_anyway);
	assert_true(got.v[2].stopped_anyway); /* gone */
	/* changes are moments of their own: 5.678544 / 60 */
	assert_ts_eq(got.v[2].fired, T0 + HOUR + 1);
	assert_nanos_eq(got.v[2].saved, INT64_C(94642400));
}

static void a_grant_that_ends(void **state)
{
	struct rule r = on_resources("kind = 'tpu' AND covered = 0");
	struct err e = {0};

	grants[0] = (struct grant){.name = "trc",
		.starts = T0 - HOUR,
		.until = T0 + 12 * HOUR + 17,
		.new_only = true};
	assert_ok(grant_parse_line("5 on-demand Cloud TPU v3-8 device(s) in zone "
				   "us-central1-b",
			  &t.a, &grants[0], &e),
		e);
	settings.n_grants = 1;
	was("tpu", "t", "v3-8", "running", T0, T0 + 13 * HOUR + 17);
	replay(&r, T0, NOW);
	assert_i64_eq(got.n, 1);
	assert_ts_eq(got.v[0].fired, T0 + 12 * HOUR + 17);
	assert_ts_eq(got.v[0].resolved, T0 + 13 * HOUR + 17);
	assert_nanos_eq(got.v[0].saved, INT64_C(8000000000));
	/* what grants were used for before is not forgotten */
	r.on = "grants";
	r.where = "covered_chip_hours >= 40";
	replay(&r, T0 + 11 * HOUR, NOW);
	assert_i64_eq(got.n, 1);
	assert_ts_eq(got.v[0].fired, T0 + 11 * HOUR); /* 4 chips x 11 h = 44 */
	assert_false(got.v[0].of_resource || got.v[0].priced);
}

static void prices_that_are_not_known(void **state)
{
	struct rule r = on_resources("kind = 'vm'");

	was("vm", "odd", "zz9-plural", "running", T0, T0 + HOUR);
	replay(&r, T0, NOW);
	assert_i64_eq(got.n, 1);
	assert_true(got.v[0].of_resource);
	assert_false(got.v[0].priced);
}

static void details_as_they_were(void **state)
{
	struct rule r = on_resources("kind = 'disk' AND attached_to IS NULL");
	struct err e = {0};

	was("disk", "d", "pd-ssd", "running", T0, 0);
	assert_err(try(&r, T0, NOW, &e), e, E_USAGE, "which have not been recorded yet");
	trait("disk", "d", T0 + HOUR, "vm", "{}");
	trait("disk", "d", T0 + 5 * HOUR, NULL, "{}");
	trait("disk", "d", T0 + 7 * HOUR, "vm", "{\"a\":\"b\"}");
	replay(&r, T0, NOW);
	assert_ts_eq(got.since, T0 + HOUR);
	assert_string_equal(got.short_because,
		"the data that the rule uses has been recorded since then");
	assert_i64_eq(got.n, 1);
	assert_ts_eq(got.v[0].fired, T0 + 5 * HOUR);
	assert_ts_eq(got.v[0].resolved, T0 + 7 * HOUR);
	assert_nanos_eq(got.v[0].saved, INT64_C(340000000));
	assert_false(got.v[0].stopped_anyway);
	r.where = "labels LIKE '%\"a\"%'";
	replay(&r, T0 + 2 * HOUR, NOW);
	assert_i64_eq(got.n, 1);
	assert_ts_eq(got.v[0].fired, T0 + 7 * HOUR);
	/* a rule that does not ask for them is not held up */
	r.where = "kind = 'disk'";
	replay(&r, T0, NOW);
	assert_ts_eq(got.since, T0);
}

static void idle_as_it_was(void **state)
{
	struct rule r = on_resources("kind = 'vm' AND idle_minutes >= 60");

	was("vm", "big", "n1-highmem-96", "running", T0, 0);
	trait("vm", "big", T0, NULL, "{}");
	tempdb_execf(&t,
		"INSERT INTO metric_past VALUES ('p', "
		"'compute.googleapis.com/instance/cpu/utilization', 'big', %lld, %lld, "
		"NULL, 1), ('p', 'compute.googleapis.com/instance/cpu/utilization', 'big', "
		"%lld, %lld, %lld, 1)",
		(long long)(T0 + HOUR), (long long)(T0 + 3 * HOUR),
		(long long)(T0 + 3 * HOUR + 300), (long long)(T0 + 5 * HOUR),
		(long long)(T0 + 3 * HOUR));
	replay(&r, T0, NOW);
	assert_ts_eq(got.since, T0 + HOUR);
	assert_i64_eq(got.n, 1);
	assert_ts_eq(got.v[0].fired, T0 + 4 * HOUR);
	/* From half an hour after the last point on it is not known: that resolves nothing. */
	assert_ts_eq(got.v[0].resolved, TS_NONE);
}

static void bill(ts_t hour, int64_t cost)
{
	tempdb_execf(&t,
		"INSERT INTO usage (table_id, unit, hour, sku_ref, project_ref, place_ref, "
		"resource_ref, charge_ref, credit_ref, usage, cost, credits, row_count) "
		"VALUES (1, 1, %lld, 1, 1, 1, 1, 1, 0, 0, %lld, 0, 1)",
		(long long)hour, (long long)cost);
}

static void open_bill(void)
{
	tempdb_exec(&t,
		"INSERT INTO billing_table (table_id, name, location, last_modified_ms, "
		"row_count) VALUES (1, 't', 'US', 0, 0);INSERT INTO sku VALUES (1, "
		"'6F81-5844-456A', 'Compute Engine', 'c', 'N1 Instance Core');INSERT INTO "
		"billed_resource (resource_ref, resource, global_name) VALUES (1, '', "
		"'');INSERT INTO billed_project (project_ref, project, number, account) "
		"VALUES (1, 'p', '', 'A');INSERT INTO place VALUES (1, '', '', '');INSERT "
		"INTO charge (charge_ref, invoice_month, cost_type, currency, usage_unit, "
		"rate) VALUES (1, '202611', 'regular', 'USD', 'hour', 1000000000)");
}

static void the_bill_of_then(void **state)
{
	struct rule r = {.name = "r", .on = "costs", .where = "net >= 5"};

	open_bill();
	/* 19 November: 1 a hour from 00:00 on, 10 hours */
	for (int i = 0; i < 10; i++)
		bill(T0 + i * HOUR, NANOS);
	replay(&r, T0, NOW);
	assert_true(got.of_bill);
	assert_i64_eq(got.n, 1);
	assert_ts_eq(got.v[0].fired, T0 + 5 * HOUR); /* five hours have ended */
	assert_ts_eq(got.v[0].resolved, TS_NONE);
	/* a budget: 8 of 10 are 80 %, and the next day nothing comes in */
	budgets[0] = (struct budget){.name = "m",
		.amount = {.nanos = 10 * NANOS, .cur = "USD"},
		.per = BUDGET_MONTH,
		.alert_at = {{80}, 1}};
	settings.n_budgets = 1;
	r = (struct rule){.name = "r", .on = "budgets", .where = "reached IS NOT NULL"};
	replay(&r, T0, NOW);
	assert_i64_eq(got.n, 1);
	assert_string_equal(got.v[0].subject, "m");
	assert_ts_eq(got.v[0].fired, T0 + 8 * HOUR);
}

static void hours_that_have_ended(void **state)
{
	struct rule r = {.name = "r", .on = "costs", .where = "net >= 3"};

	open_bill();
	for (int i = 0; i < 10; i++)
		bill(T0 + i * HOUR, NANOS);
	/* looked at at half past: the third hour has ended then, and the fourth has begun */
	replay(&r, T0 + 30 * MINUTE, NOW);
	assert_i64_eq(got.n, 1);
	assert_ts_eq(got.v[0].fired, T0 + 3 * HOUR + 30 * MINUTE);
}

static void a_day_that_costs_more(void **state)
{
	struct rule r = {.name = "r",
		.on = "daily_costs",
		.where = "net >= 2 * mean_7d AND status <> 'partial'"};

	open_bill();
	tempdb_exec(&t,
		"INSERT INTO billing_day SELECT 1, 1, 'A', 20771 + value FROM (SELECT 0 AS "
		"value UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL "
		"SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7);UPDATE "
		"billing_table SET looked = 1795219200");
	/* 10 a day on 14 to 17 November, 30 on the 18th; it is final a day after its end */
	for (int i = 0; i < 4; i++)
		bill(T0 - (5 - i) * DAY_SECONDS, 10 * NANOS);
	bill(T0 - DAY_SECONDS, 30 * NANOS);
	replay(&r, T0 - 5 * DAY_SECONDS, NOW);
	assert_i64_eq(got.n, 1);
	assert_string_equal(got.v[0].subject, "2026-11-18/p/USD");
	assert_ts_eq(got.v[0].fired, T0 + DAY_SECONDS);
	assert_ts_eq(got.v[0].resolved, TS_NONE);
	assert_false(got.v[0].of_resource);
}

static void nothing_is_changed(void **state)
{
	struct rule r = on_resources("kind = 'vm'");

	was("vm", "big", "n1-highmem-96", "running", T0, 0);
	tempdb_exec(&t,
		"INSERT INTO alert (rule, subject, state, data, severity, since, "
		"last_true, "
		"stage, summary, labels) VALUES ('r', 'x', 'firing', 'fresh', 'info', 1, "
		"1, 0, 's', '{}')");
	replay(&r, T0, NOW);
	assert_i64_eq(got.n, 1);
	assert_i64_eq(tempdb_int(&t, "SELECT COUNT(*) FROM alert"), 1);
	assert_i64_eq(tempdb_int(&t, "SELECT COUNT(*) FROM alert_event"), 0);
	assert_i64_eq(tempdb_int(&t, "SELECT COUNT(*) FROM resource"), 0);
	assert_i64_eq(tempdb_int(&t, "SELECT COUNT(*) FROM rule_state"), 0);
}

static void refuse(const char *on, const char *where, const char *name)
{
	struct rule r = {.name = "r", .on = on, .where = where};
	struct err e = {0};
	char part[128];

	snprintf(part, sizeof(part), "it uses %s, which has no history", name);
	assert_err(replay_possible(&r, &e), e, E_USAGE, part);
}

static void what_has_no_history(void **state)
{
	struct rule r = on_resources("name = 'egress' AND type <> 'it''s exempt'");
	struct err e = {0};

	refuse("egress", "1", "egress");
	refuse("quotas", "percent > 1", "quotas");
	refuse("resources", "kind = 'vm' AND EXEMPT = 0", "exempt");
	refuse("resources", "EXISTS(SELECT 1 FROM sources)", "sources");
	refuse("grants", "\"quota_note\" IS NULL", "quota_note");
	refuse("resources", "1e5exempt = 1 OR resources.last_seen < 2", "last_seen");
	assert_ok(replay_possible(&r, &e), e);
	r.critical_when = "complete = 1";
	assert_err(replay_possible(&r, &e), e, E_USAGE, "it uses complete");
	r.critical_when = "incomplete = 1";
	assert_ok(replay_possible(&r, &e), e);
}

static void too_much_is_refused(void **state)
{
	struct rule r = on_resources("kind = 'vm'");
	struct err e = {0};

	assert_err(try(&r, NOW - 400 * DAY_SECONDS, NOW, &e), e, E_LIMIT,
		"57600 moments are too many, at most 50000");
}

static void a_rule_that_cannot_be_judged(void **state)
{
	struct rule r = on_resources("abs(-9223372036854775808) > 0");
	struct err e = {0};

	was("vm", "big", "n1-highmem-96", "running", T0, 0);
	assert_err(try(&r, T0, NOW, &e), e, E_USAGE, "rule r");
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, tempdb_teardown)
		TEST(what_a_machine_would_not_have_cost),
		TEST(what_a_later_step_would_not_have_cost),
		TEST(one_that_still_fires),
		TEST(a_stop_is_no_new_machine),
		TEST(what_held_before_fires_at_the_beginning),
		TEST(stops_within_the_hour_by_itself),
		TEST(a_grant_that_ends),
		TEST(prices_that_are_not_known),
		TEST(details_as_they_were),
		TEST(idle_as_it_was),
		TEST(the_bill_of_then),
		TEST(hours_that_have_ended),
		TEST(a_day_that_costs_more),
		TEST(nothing_is_changed),
		TEST(what_has_no_history),
		TEST(too_much_is_refused),
		TEST(a_rule_that_cannot_be_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
