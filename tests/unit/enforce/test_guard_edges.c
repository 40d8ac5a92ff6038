/* The far ends of the guards: what is not known at all, figures that do not fit, and a database that
 * fails at any of their questions. Whatever happens, none of it lets an action through. */
#include "rules/enforce/guard.h"
#include "rules/enforce/internal.h"

#include "db/internal.h"
#include "db_sql.h"
#include "tests/support/assert.h"
#include "tests/support/fault/faultstmt.h"
#include "tests/support/world/guard_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define NOW GW_NOW
#define LL long long
#define MOST 64

/* What the guard `name` says when all are asked: "" when it passes. */
static const char *says(const char *name)
{
	struct guard_no all[MOST];
	struct err e = {0};
	size_t n;

	assert_true(n_guards <= MOST);
	assert_ok(guard_all(&gw.ask, all, &n, &e), e);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(all[i].name, name))
			return all[i].reason;
	return "";
}

#define passes(name) assert_string_equal(says(name), "")

/* ---- nobody knows ------------------------------------------------------------------------------ */

static void what_no_poll_saw_is_held(void **state)
{
	gw.ask.subject = NULL;
	gw.ask.live = NULL;
	assert_string_equal(says("fresh"), "the last poll did not find it");
	assert_contains(says("state"), "its state is unknown");
	passes("managed");
	passes("restarted");
	passes("identity");
	passes("clock");
	gw_delete();
	assert_string_equal(says("delete"), "its creation time is unknown");
}

static void a_tpu_that_no_poll_saw_has_no_hosts(void **state)
{
	gw_tpu();
	passes("hosts");
	gw.ask.subject = NULL;
	gw.ask.live = NULL;
	assert_contains(says("hosts"), "number of hosts is unknown");
	passes("kind"); /* nor a class, nor a queued resource */
}

static void a_look_that_found_nothing_tells_nothing(void **state)
{
	gw.live = (struct live){.found = false,
		.deletion_protection = true,
		.spot = true,
		.own_host = true,
		.local_ssd = true,
		.multislice = true};
	gw_passes();
	gw.live.found = true;
	gw_refused("exempt", "its labels cannot be read");
}

static void types_that_nobody_knows_say_nothing_of_hosts(void **state)
{
	gw_tpu();
	gw.subject.type = gw.live.type = "v99-8";
	gw_refused("family", "does not know the TPU family of v99-8");
	gw.subject.type = gw.live.type = NULL;
	gw_passes();
	gw.subject.hosts = gw.live.hosts = 0;
	gw_refused("hosts", "number of hosts is unknown");
	gw.subject.type = "v3-32"; /* four, by its name */
	gw_refused("kind", "a TPU slice of several hosts");
}

/* While it is repaired a slice may show no endpoint: the last poll counted them. */
static void hosts_that_a_look_does_not_show_are_those_of_the_poll(void **state)
{
	gw_tpu();
	gw.live.hosts = 0;
	gw.subject.hosts = 4;
	gw_refused("kind", "a TPU slice of several hosts");
	gw.subject.hosts = 1; /* it may have grown: one is not believed */
	gw_refused("hosts", "number of hosts is unknown");
}

static void a_thing_of_no_kind_is_left_alone(void **state)
{
	gw.action.t.kind = NULL;
	assert_string_equal(says("kind"), "no action is ever taken on a thing");
	gw.action.t.kind = "disk";
	assert_string_equal(says("kind"), "no action is ever taken on a disk");
}

static void types_are_compared_where_both_are_told(void **state)
{
	gw.subject.type = "";
	gw_passes();
	gw.subject.type = "n1-standard-2";
	gw.live.type = "";
	gw_passes();
	gw.live.type = "n1-standard-4";
	gw_refused("changed", "its type is n1-standard-4 now and was n1-standard-2");
}

static void labels_that_cannot_be_read_are_no_owner(void **state)
{
	gw.subject.labels = "{\"goog-gke-node\":\"\"}";
	assert_string_equal(says("managed"), "it belongs to a GKE cluster");
	gw.subject.labels = "{\"goog-gke-node\"";
	passes("managed");
	assert_string_equal(says("exempt"), "its labels cannot be read");
	gw.subject.labels = NULL;
	passes("managed");
	assert_string_equal(says("exempt"), "its labels cannot be read");
}

static void deleting_without_a_rule_or_a_section_is_refused(void **state)
{
	gw_delete();
	passes("delete");
	gw.settings.enforcement = NULL;
	assert_string_equal(says("delete"), "enforcement does not set allow_delete: true");
	passes("halt"); /* mode off holds it */
	passes("window");
	assert_contains(says("mode"), "enforcement.mode is off");
	assert_contains(says("project"), "is not in enforcement.projects");
	gw.ask.rule = NULL;
	assert_string_equal(says("delete"), "rule r does not set allow_delete: true");
	assert_string_equal(says("armed"), "rule r is not armed");
	assert_string_equal(says("rule-gone"), "rule r no longer exists");
}

static void a_machine_that_is_not_stored_has_no_local_ssd(void **state)
{
	gw_exec("UPDATE resource SET local_ssd_gib = 0");
	passes("local-ssd");
	gw_exec("UPDATE resource SET local_ssd_gib = 375");
	assert_contains(says("local-ssd"), "local SSDs");
	gw_exec("DELETE FROM resource");
	passes("local-ssd");
	gw.live.local_ssd = true;
	assert_contains(says("local-ssd"), "local SSDs");
}

/* ---- time -------------------------------------------------------------------------------------- */

static void a_window_that_never_opens_has_no_next_time(void **state)
{
	static const struct enforce_window never = {.days = 0, .from = 0, .until = 0};

	gw.en.windows = &never;
	gw.en.n_windows = 1;
	gw_refused("window", "");
	assert_string_equal(gw.no.reason, "it is outside enforcement.windows (UTC)");
}

static void an_interval_that_is_not_configured_is_minutes(void **state)
{
	static const struct poll_interval others[] = {{"billing", 5}, {"quotas", 5}};

	for (size_t n = 0; n <= 2; n += 2) {
		gw.settings.intervals = others;
		gw.settings.n_intervals = n;
		gw_exec("UPDATE source_status SET last_success = %lld", (LL)NOW - 600);
		gw_passes();
		gw_exec("UPDATE source_status SET last_success = %lld", (LL)NOW - 601);
		gw_refused("fresh", "vm in p was not read recently");
	}
}

static void a_database_in_which_nothing_has_a_time_is_not_ahead(void **state)
{
	gw_exec("DELETE FROM source_status");
	passes("clock");
	assert_contains(says("fresh"), "vm in p has not been read yet");
	gw_exec("INSERT INTO source_status (source, project, state, last_attempt, items, "
		"poll_group) VALUES ('vm', 'p', 'ok', %lld, 1, 'instances')",
		(LL)NOW + 301);
	assert_contains(says("clock"), "the database is ahead of it");
}

/* ---- the bill ---------------------------------------------------------------------------------- */

static void restated(const char *date, const char *month, const char *currency,
	int64_t old_cost, int64_t new_cost, int64_t old_credits, int64_t new_credits)
{
	gw_exec("INSERT INTO restatement VALUES (%lld, '%s', '%s', '%s', 't', %lld, %lld, "
		"%lld, %lld)",
		(LL)NOW - 10, date, month, currency, (LL)old_cost, (LL)old_credits,
		(LL)new_cost, (LL)new_credits);
	tempdb_bill_restated(&gw.t);
}

static void on_the_bill(void)
{
	gw.rule.where = "id IN (SELECT resource FROM costs)";
	gw_exec("INSERT INTO billing_table (table_id, name, location, last_modified_ms, "
		"row_count) VALUES (1, 't', 'US', 0, 1)");
	gw_exec("INSERT INTO billing_unit (table_id, unit, row_count, exported, ingested) "
		"VALUES (1, 20000, 1, %lld, %lld)",
		(LL)NOW - 3600, (LL)NOW - 3600);
}

static void every_day_and_currency_is_looked_at(void **state)
{
	on_the_bill();
	restated("2026-11-17", "202611", "USD", 100, 110, 0, 0);
	restated("2026-11-18", "202611", "HKD", 100, 110, 0, 0);
	restated("2026-11-18", "202611", "USD", 100, 110, 0, 0);
	gw_passes();
	/* two invoice months of a day are one sum: 200 to 299 is not half, 200 to 301 is more */
	restated("2026-11-18", "202610", "USD", 100, 189, 0, 0);
	gw_passes();
	gw_exec("UPDATE restatement SET new_cost = 191 WHERE invoice_month = '202610'");
	tempdb_bill_restated(&gw.t);
	gw_refused("anomaly", "the bill of 2026-11-18 was restated by more than half");
	/* the first that jumped is named, whatever comes after it */
	gw_exec("UPDATE restatement SET new_cost = 900");
	tempdb_bill_restated(&gw.t);
	gw_refused("anomaly", "the bill of 2026-11-17 was restated by more than half");
	gw_exec("UPDATE restatement SET new_cost = old_cost WHERE currency = 'USD'");
	tempdb_bill_restated(&gw.t);
	gw_refused("anomaly", "the bill of 2026-11-18 was restated by more than half");
}

static void a_rule_without_a_condition_does_not_rest_on_the_bill(void **state)
{
	gw.rule.where = NULL;
	passes("anomaly");
	gw.rule.where = "id IN (SELECT resource FROM costs)";
	assert_string_equal(
		says("anomaly"), "the rule depends on the bill, and there is none");
	gw.ask.rule = NULL;
	passes("anomaly");
}

static void a_number_that_is_not_listed_lets_nothing_pass(void **state)
{
	static const char *const listed[] = {"456", "123"};

	gw_exec("INSERT INTO project VALUES ('p', '123', '', 0, 0)");
	gw_exec("UPDATE project SET project = 'p', number = '123'");
	gw.en.projects = listed;
	gw_refused("project", "project p is not in enforcement.projects");
	gw.en.n_projects = 2;
	gw_passes();
}

/* ---- memory of a run --------------------------------------------------------------------------- */

static void vanish(const char *project)
{
	for (int i = 0; i < 4; i++)
		gw_exec("INSERT INTO resource_interval (id, uid, kind, project, location, "
			"name, state, starts) VALUES ('%s/vm/z/gone%d', 'gone%d', 'vm', "
			"'%s', 'z', 'gone', 'running', %lld)",
			project, i, i, project, (LL)NOW - 3600);
}

static void each_project_is_remembered_for_itself(void **state)
{
	struct guard_memo memo = {0};

	vanish("q");
	gw.ask.memo = &memo;
	passes("shrink");
	gw.action.t.project = "q";
	assert_contains(says("shrink"), "4 of 4 machines and TPUs of q");
	assert_int_equal(memo.n, 2);
	/* what was found out is not asked again, whatever happens meanwhile */
	gw_exec("DELETE FROM resource_interval");
	assert_contains(says("shrink"), "4 of 4 machines and TPUs of q");
	gw.action.t.project = "p";
	passes("shrink");
	assert_int_equal(memo.n, 2);
	gw.ask.memo = NULL;
	gw.action.t.project = "q";
	passes("shrink");
}

/* ---- a database that fails --------------------------------------------------------------------- */

static struct guard_no first;

/* Held is as good as an error. */
static enum err_code ask_first(void *ctx, struct err *e)
{
	(void)ctx;
	if (guard_first(&gw.ask, &first, e))
		return e->code;
	return first.name
		? err_set(e, E_CONFLICT, "held by %s: %s", first.name, first.reason)
		: E_OK;
}

static enum err_code ask_all(void *ctx, struct err *e)
{
	struct guard_no all[MOST];
	size_t n;

	(void)ctx;
	if (guard_all(&gw.ask, all, &n, e))
		return e->code;
	return n ? err_set(e, E_CONFLICT, "held by %s: %s", all[0].name, all[0].reason)
		 : E_OK;
}

static void no_failure_of_the_database_lets_one_pass(void **state)
{
	struct guard_memo memo = {0};

	on_the_bill();
	restated("2026-11-17", "202611", "USD", 100, 110, 0, 0);
	gw_passes();
	assert_true(faultstmt_sweep_both(gw.t.db, ask_first, NULL, NULL) > 20);
	assert_true(faultstmt_sweep_both(gw.t.db, ask_all, NULL, NULL) > 20);
	assert_null(first.name); /* the last of them was fine */
	gw.ask.memo = &memo;
	assert_true(faultstmt_sweep_both(gw.t.db, ask_all, NULL, NULL) > 20);
	assert_int_equal(memo.n, 1); /* what failed was not remembered */
}

static void put_node(void)
{
	gw_exec("INSERT INTO resource (id, uid, source, kind, project, location, zone, "
		"region, name, state, raw_state, type, provisioning, labels, queued, "
		"created, first_seen, last_seen, complete) VALUES "
		"('p/tpu/us-central1-b/n', '9', 'tpu', 'tpu', 'p', 'us-central1-b', "
		"'us-central1-b', 'us-central1', 'n', 'running', 'READY', 'v3-8', "
		"'on-demand', '{}', "
		"'projects/p/locations/us-central1-b/queuedResources/a', %lld, 0, %lld, 1)",
		(LL)NOW - 7200, (LL)NOW);
	gw_derive();
}

static void the_nodes_of_a_queued_resource_have_to_be_read(void **state)
{
	gw_queued();
	put_node();
	gw_passes();
	assert_true(faultstmt_sweep_both(gw.t.db, ask_first, NULL, NULL) > 20);
	gw_exec("INSERT INTO hold VALUES ('p/tpu/us-central1-b/n', 0, %lld, '')", (LL)NOW);
	gw_passes(); /* it is over this very second */
	gw_exec("UPDATE hold SET until = %lld", (LL)NOW + 1);
	gw_refused("exempt", "of its node p/tpu/us-central1-b/n: hold until");
}

static void what_protects_has_to_be_judged(void **state)
{
	gw_queued();
	put_node();
	gw.en.protect = "name = 'keep'";
	gw_passes();
	assert_true(faultstmt_sweep(gw.t.db, FAULT_RUN, ask_first, NULL, NULL) > 10);
}

/* At every amount of memory that may be left: an error, or held. */
static void without_memory_none_passes(void **state)
{
	cleanup(sbuf_done) struct sbuf protect = SBUF_INIT;
	bool seen = false;
	struct err e = {0};
	enum err_code rc = E_DB;

	gw_queued();
	put_node();
	/* so long that judging it takes more than what was asked before */
	sbuf_adds(&protect, "name IN ('keep'");
	for (int i = 0; i < 1000; i++)
		sbuf_addf(&protect, ", 'keep-%d'", i);
	sbuf_addc(&protect, ')');
	gw.en.protect = protect.s;
	gw_passes();
	protect.s[strlen("name IN ('kee")] =
		't'; /* the same text would not be prepared again */
	/* e keeps the last error: what went well does not bring it up again */
	for (int64_t spare = 1; rc && spare < 1000000; spare += 200) {
		db_limit_memory(spare);
		rc = ask_first(NULL, &e);
		db_limit_memory(0);
		seen |= strstr(e.msg, "enforcement.protect: ") != NULL;
	}
	assert_ok(rc, e);
	assert_true(seen);
}

/* ---- limits ------------------------------------------------------------------------------------ */

static const char *limits;

static enum err_code check_limits(void *ctx, struct err *e)
{
	struct action *ready = &gw.action;

	(void)ctx;
	return caps_check(
		gw.t.db, &gw.settings, &ready, 1, gw.ask.now, &gw.t.a, &limits, e);
}

static void limits_have_to_be_counted(void **state)
{
	struct err e = {0};

	gw_action(7, "sent = 1795219100");
	assert_ok(check_limits(NULL, &e), e);
	assert_string_equal(limits,
		"limit reached: 1 due and 1 done within an hour, of 2 that run; at most 50 "
		"% (enforcement.max_share)");
	gw_exec("DELETE FROM action");
	assert_true(faultstmt_sweep_both(gw.t.db, check_limits, NULL, NULL) >= 6);
	assert_null(limits);
	gw.settings.enforcement = NULL;
	assert_ok(check_limits(NULL, &e), e);
	assert_string_equal(limits, "enforcement is off");
}

static void a_severity_that_is_none_is_the_least(void **state)
{
	assert_int_equal(severity_parse("critical"), SEVERITY_CRITICAL);
	assert_int_equal(severity_parse("warning"), SEVERITY_WARNING);
	assert_int_equal(severity_parse("info"), SEVERITY_INFO);
	assert_int_equal(severity_parse("none"), SEVERITY_INFO);
}

/* Of the same machine in the same episode, before this one. */
static void a_try_is_one_that_ended_with_a_request(void **state)
{
	static const struct {
		const char *set;
		int64_t n;
	} cases[] = {
		{"rule = 'r'", 1},
		{"rule = 'q'", 0},
		{"resource = 'another'", 0},
		{"uid = 'another'", 0},
		{"started = 8", 0},
		{"started = NULL", 0},
		{"action = 9", 0},
		{"action = 10", 0},
		{"ended = NULL", 0},
		{"request_id = NULL, attempts = 0", 0},
		/* Google refused it: the next attempt had another id */
		{"request_id = NULL, attempts = 1", 1},
	};
	struct q_action_tries_in in = {
		.rule = "r", .resource = "m", .uid = "u", .started = SOME(7), .action = 9};
	struct err e = {0};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct q_action_tries row;
		bool found;

		gw_exec("DELETE FROM action");
		gw_action(1,
			"rule = 'r', resource = 'm', uid = 'u', started = 7, ended = 5, "
			"request_id = 'i'");
		gw_exec("UPDATE action SET %s", cases[i].set);
		assert_ok(q_action_tries_one(gw.t.db, &in, &gw.t.a, &row, &found, &e), e);
		if (row.n != cases[i].n)
			fail_msg("%s: %lld", cases[i].set, (LL)row.n);
	}
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, gw_setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(what_no_poll_saw_is_held),
		TEST(a_tpu_that_no_poll_saw_has_no_hosts),
		TEST(a_look_that_found_nothing_tells_nothing),
		TEST(types_that_nobody_knows_say_nothing_of_hosts),
		TEST(hosts_that_a_look_does_not_show_are_those_of_the_poll),
		TEST(a_thing_of_no_kind_is_left_alone),
		TEST(types_are_compared_where_both_are_told),
		TEST(labels_that_cannot_be_read_are_no_owner),
		TEST(deleting_without_a_rule_or_a_section_is_refused),
		TEST(a_machine_that_is_not_stored_has_no_local_ssd),
		TEST(a_window_that_never_opens_has_no_next_time),
		TEST(an_interval_that_is_not_configured_is_minutes),
		TEST(a_database_in_which_nothing_has_a_time_is_not_ahead),
		TEST(every_day_and_currency_is_looked_at),
		TEST(a_rule_without_a_condition_does_not_rest_on_the_bill),
		TEST(a_number_that_is_not_listed_lets_nothing_pass),
		TEST(each_project_is_remembered_for_itself),
		TEST(no_failure_of_the_database_lets_one_pass),
		TEST(the_nodes_of_a_queued_resource_have_to_be_read),
		TEST(what_protects_has_to_be_judged),
		TEST(without_memory_none_passes),
		TEST(limits_have_to_be_counted),
		TEST(a_severity_that_is_none_is_the_least),
		TEST(a_try_is_one_that_ended_with_a_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
