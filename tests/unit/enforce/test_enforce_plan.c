/* What enforcement has to do and what is in the way, as `tpucost enforce` shows it. */
#include "rules/enforce/plan.h"

#include "rules/enforce/enforce.h"
#include "tests/support/assert.h"
#include "tests/support/fault/faultstmt.h"
#include "tests/support/world/judge_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOW JW_NOW
#define MINUTE INT64_C(60)
#define HOUR INT64_C(3600)
#define DAY INT64_C(86400)

static const char *const p_alone[] = {"p"};
static struct enforcement en;
static struct plan plan;
static bool no_channel;
static ts_t ended_since;

static int setup(void **state)
{
	en = (struct enforcement){.mode = ENFORCE_ARMED,
		.projects = p_alone,
		.n_projects = 1,
		.max_per_run = 3,
		.max_per_hour = 5,
		.max_per_rule_hour = 3,
		.max_per_day = 10,
		.max_share = 100,
		.max_deletes_per_hour = 1};
	no_channel = false;
	ended_since = TS_NONE;
	jw_setup(state);
	jw.settings.enforcement = &en;
	return 0;
}

static struct rule *stop_rule(const char *name, const char *where)
{
	struct rule *r = jw_rule(name, where);

	r->then = (struct rule_action){
		.action = "stop", .grace = 30 * MINUTE, .armed = true};
	return r;
}

/* Running machines have ids and a start, as Google tells them. */
static void vm(const char *name)
{
	jw_vm(name, "running");
	tempdb_execf(&jw.t,
		"UPDATE resource SET uid = '77%s', raw_state = 'RUNNING', created = %lld "
		"WHERE name = '%s'",
		name, (long long)(NOW - 5 * DAY), name);
}

static void track(ts_t now)
{
	struct err e = {0};
	struct db_tx tx = {0};

	jw_polled(now);
	tempdb_exec(&jw.t,
		"UPDATE resource SET last_seen = "
		"(SELECT MAX(last_success) FROM source_status)");
	jw_cycle(now);
	assert_ok(db_begin(jw.t.db, &tx, &e), e);
	assert_ok(enforce_track(jw.t.db, &jw.settings, now, &e), e);
	assert_ok(db_commit(&tx, &e), e);
}

static ts_t asked;

static enum err_code try_make(void *ctx, struct err *e)
{
	const struct plan_ask ask = {.settings = &jw.settings,
		.now = asked,
		.ended_since = ended_since,
		.no_channel = no_channel};

	(void)ctx;
	return plan_make(jw.t.db, &ask, &jw.t.a, &plan, e);
}

static void make(ts_t now)
{
	struct err e = {0};

	asked = now;
	assert_ok(try_make(NULL, &e), e);
}

static const struct plan_item *item_of(const char *name)
{
	for (size_t i = 0; i < plan.n; i++)
		if (!strcmp(plan.items[i].action.t.name, name))
			return &plan.items[i];
	fail_msg("the plan has no %s", name);
	return NULL;
}

static bool says(const struct plan_item *i, const char *guard)
{
	for (size_t k = 0; k < i->n_no; k++)
		if (!strcmp(i->no[k].name, guard))
			return true;
	return false;
}

/* As if a run had left it so. */
static void put_action(const char *name, const char *rest)
{
	tempdb_execf(&jw.t, "UPDATE action SET %s WHERE name = '%s'", rest, name);
}

/* ---- what holds -------------------------------------------------------------------------------- */

static void what_no_run_saw_yet_is_planned_as_it_would_begin(void **state)
{
	const struct plan_item *i;

	stop_rule("on", "state = 'running'")->hold_for = 10 * MINUTE;
	vm("a");
	jw_vm("b", "stopped");
	jw_polled(NOW);
	jw_cycle(NOW);
	tempdb_exec(&jw.t, "DELETE FROM alert");
	make(NOW);
	assert_i64_eq(plan.n, 1);
	i = item_of("a");
	assert_i64_eq(i->action.number, 0);
	assert_string_equal(i->action.t.id, "p/vm/us-central1-b/a");
	assert_string_equal(i->action.t.uid, "77a");
	assert_int_equal(i->action.state, ACTION_PENDING);
	assert_i64_eq(i->due, NOW + 40 * MINUTE);
	assert_true(i->holds && i->todo && i->action.armed);
	assert_i64_eq(i->n_no, 0);
	assert_string_equal(i->type, "n1-standard-2");
	jw_expect("SELECT COUNT(*) FROM action", "0");
}

static void the_time_since_the_alert_began_counts(void **state)
{
	stop_rule("on", "state = 'running'")->hold_for = 10 * MINUTE;
	vm("a");
	jw_polled(NOW);
	jw_cycle(NOW);
	make(NOW + 4 * MINUTE);
	assert_i64_eq(item_of("a")->due, NOW + 40 * MINUTE);
	/* it fires for long, and was not warned of: the grace is still to come */
	make(NOW + HOUR);
	assert_i64_eq(item_of("a")->due, NOW + HOUR + 30 * MINUTE);
	/* it ceased in between: the time of the rule is still to come, too */
	tempdb_execf(&jw.t, "UPDATE alert SET state = 'firing', ceased = %lld",
		(long long)(NOW + 30 * MINUTE));
	make(NOW + HOUR);
	assert_i64_eq(item_of("a")->due, NOW + HOUR + 40 * MINUTE);
}

static void what_is_followed_has_its_number_and_its_own_due(void **state)
{
	const struct plan_item *i;

	stop_rule("on", "state = 'running'");
	vm("a");
	track(NOW);
	make(NOW);
	i = item_of("a");
	assert_i64_eq(plan.n, 1);
	assert_i64_eq(i->action.number, 1);
	assert_int_equal(i->action.state, ACTION_WARNING);
	put_action("a", "state = 'grace', due = 1795219999");
	make(NOW);
	assert_i64_eq(item_of("a")->due, 1795219999);
	assert_true(item_of("a")->todo);
	assert_false(item_of("a")->anew);
	/* of a rule that was changed it begins anew */
	jw.rules[0].then.grace = 60 * MINUTE;
	make(NOW);
	assert_true(item_of("a")->anew);
	assert_i64_eq(item_of("a")->due, NOW + 60 * MINUTE);
}

/* The two days of a later step begin with the changed rule, too, and not with the alert. */
static void a_changed_rule_begins_its_time_again(void **state)
{
	struct rule *r = stop_rule("on", "state = 'running'");

	r->then.after = 2 * DAY;
	vm("a");
	track(NOW);
	r->then.grace = 60 * MINUTE;
	make(NOW + DAY);
	assert_true(item_of("a")->anew);
	assert_i64_eq(item_of("a")->due, NOW + 3 * DAY);
}

static void each_rule_has_its_own_action(void **state)
{
	stop_rule("on", "state = 'running'");
	stop_rule("vms", "kind = 'vm'");
	vm("a");
	vm("b");
	track(NOW);
	make(NOW);
	assert_i64_eq(plan.n, 4);
	for (size_t i = 0; i < plan.n; i++) {
		const struct plan_item *x = &plan.items[i];

		assert_i64_eq(x->action.number, i + 1);
		assert_string_equal(x->action.rule, x->rule->name);
		assert_true(x->holds && x->todo);
	}
	jw.settings.enforcement = NULL;
	make(NOW);
	assert_i64_eq(plan.n, 4);
	for (size_t i = 0; i < plan.n; i++)
		assert_false(plan.items[i].todo);
}

/* ---- what is in the way ------------------------------------------------------------------------ */

static void switches_keep_nothing_out_of_the_plan(void **state)
{
	const struct plan_item *i;

	stop_rule("on", "state = 'running'")->then.armed = false;
	vm("a");
	jw_polled(NOW);
	jw_cycle(NOW);
	en.mode = ENFORCE_DRY_RUN;
	en.n_projects = 0;
	make(NOW);
	i = item_of("a");
	assert_true(says(i, "mode") && says(i, "armed") && says(i, "project"));
	assert_i64_eq(i->n_no, 3);
	assert_true(i->todo);
	assert_false(i->action.armed);
	en.mode = ENFORCE_OFF;
	make(NOW);
	assert_false(item_of("a")->todo);
}

static void held_things_are_kept_back(void **state)
{
	const struct plan_item *i;

	stop_rule("on", "state = 'running'");
	vm("a");
	vm("b");
	tempdb_exec(&jw.t,
		"INSERT INTO hold (id, created, until, comment) VALUES "
		"('p/vm/us-central1-b/a', 1795219200, 1795305600, '')");
	jw_polled(NOW);
	jw_cycle(NOW);
	make(NOW);
	i = item_of("a");
	assert_false(i->todo);
	assert_string_equal(i->no[0].name, "exempt");
	assert_true(i->holds);
	assert_true(item_of("b")->todo);
	jw_cycle(NOW + 2 * DAY);
	make(NOW + 2 * DAY);
	assert_false(says(item_of("a"), "exempt"));
	assert_true(says(item_of("a"), "fresh"));
}

static void what_a_look_told_is_remembered(void **state)
{
	stop_rule("on", "state = 'running'");
	vm("a");
	track(NOW);
	put_action("a", "state = 'recheck', held = 'caps', reason = '4 ready, 3 a run'");
	make(NOW);
	assert_i64_eq(item_of("a")->n_no, 1);
	assert_string_equal(item_of("a")->no[0].name, "caps");
	assert_string_equal(item_of("a")->no[0].reason, "4 ready, 3 a run");
	assert_false(item_of("a")->todo);
	/* what the plan asks itself is not taken from there */
	put_action("a", "held = 'halt', reason = 'halted'");
	make(NOW);
	assert_i64_eq(item_of("a")->n_no, 0);
	assert_true(item_of("a")->todo);
}

static void what_is_halted_says_by_which_file(void **state)
{
	const struct halt_file file = {.beside = jw.t.path};
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/halt", jw.t.dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fclose(f);
	en.halt_files = &file;
	en.n_halt_files = 1;
	stop_rule("on", "state = 'running'");
	vm("a");
	jw_polled(NOW);
	jw_cycle(NOW);
	make(NOW);
	assert_string_equal(plan.halt, path);
	assert_true(says(item_of("a"), "halt"));
	unlink(path);
	make(NOW);
	assert_null(plan.halt);
	assert_i64_eq(item_of("a")->n_no, 0);
}

static void limits_are_told_before_they_are_reached(void **state)
{
	stop_rule("on", "state = 'running'");
	vm("a");
	vm("b");
	vm("c");
	track(NOW);
	make(NOW);
	assert_null(plan.cap);
	assert_i64_eq(plan.in_hour, 0);
	vm("d");
	track(NOW + MINUTE);
	put_action("d", "state = 'sent'"); /* what is under way is not to be sent again */
	make(NOW + MINUTE);
	assert_null(plan.cap);
	put_action("d", "state = 'pending'");
	make(NOW + MINUTE);
	assert_non_null(plan.cap);
	assert_non_null(strstr(plan.cap, "max_per_run"));
	put_action("a", "state = 'done', sent = 1795219260 - 600, ended = sent");
	put_action("d", "state = 'done', sent = 1795219260 - 3599, ended = sent");
	put_action("b",
		"state = 'done', verb = 'delete', sent = 1795219260 - 3600, ended = sent");
	/* of a clock that was wrong */
	put_action("c",
		"state = 'done', verb = 'delete', sent = 1795219200 + 9999, ended = sent");
	make(NOW + MINUTE);
	assert_i64_eq(plan.in_hour, 3);
	assert_i64_eq(plan.in_day, 4);
	assert_i64_eq(plan.deletes, 1);
}

/* ---- what does not hold ------------------------------------------------------------------------ */

static void what_is_under_way_is_shown_until_its_end(void **state)
{
	stop_rule("on", "state = 'running'");
	vm("a");
	track(NOW);
	put_action("a", "state = 'sent'");
	jw_vm("a", "stopping");
	jw_polled(NOW + MINUTE);
	jw_cycle(NOW + MINUTE);
	make(NOW + MINUTE);
	assert_false(item_of("a")->holds);
	assert_true(item_of("a")->todo);
	put_action("a", "state = 'recheck'");
	make(NOW + MINUTE);
	assert_false(item_of("a")->todo);
}

static void what_had_its_end_is_not_promised_again(void **state)
{
	const struct plan_item *i;

	stop_rule("on", "state = 'running'");
	vm("a");
	track(NOW);
	put_action("a", "state = 'failed', reason = 'Google refuses', ended = 1795219260");
	make(NOW + 2 * MINUTE);
	assert_i64_eq(plan.n, 1);
	i = item_of("a");
	assert_i64_eq(i->action.number, 1);
	assert_false(i->todo);
	assert_true(i->holds);
	assert_string_equal(i->no[0].name, "failed");
	assert_string_equal(i->action.reason, "Google refuses");
	/* tracking agrees */
	track(NOW + 2 * MINUTE);
	jw_expect("SELECT COUNT(*) FROM action", "1");
	/* another text of the rule is another action */
	jw.rules[0].where = "state = 'running' AND 1";
	make(NOW + 2 * MINUTE);
	assert_i64_eq(item_of("a")->action.number, 0);
	assert_true(item_of("a")->todo);
}

static void ends_are_listed_for_a_while(void **state)
{
	const struct plan_ask ask = {
		.settings = &jw.settings, .now = NOW + HOUR, .ended_since = NOW - 7 * DAY};
	struct err e = {0};

	stop_rule("on", "state = 'running'");
	vm("a");
	vm("b");
	track(NOW);
	jw_vm("a", "stopped");
	jw_vm("b", "stopped");
	jw_cycle(NOW + MINUTE);
	put_action("a",
		"state = 'done', reason = 'stopped', ended = 1795219260, "
		"restart = 'gcloud start a'");
	put_action("b", "state = 'done', reason = 'stopped', ended = 1795219200 - 800000");
	make(NOW + HOUR);
	assert_i64_eq(plan.n, 0);
	assert_ok(plan_make(jw.t.db, &ask, &jw.t.a, &plan, &e), e);
	assert_i64_eq(plan.n, 1);
	assert_int_equal(item_of("a")->action.state, ACTION_DONE);
	assert_string_equal(item_of("a")->action.restart, "gcloud start a");
	assert_false(item_of("a")->todo);
}

static void what_failed_and_still_holds_is_listed_once(void **state)
{
	const struct plan_ask ask = {.settings = &jw.settings,
		.now = NOW + 2 * MINUTE,
		.ended_since = NOW - 7 * DAY};
	struct err e = {0};

	stop_rule("on", "state = 'running'");
	vm("a");
	vm("b");
	vm("c");
	vm("d");
	track(NOW);
	jw_vm("a", "stopped");
	jw_vm("d", "stopped");
	jw_polled(NOW + MINUTE);
	jw_cycle(NOW + MINUTE);
	put_action("c", "state = 'failed', reason = 'Google refuses', ended = 1795219260");
	put_action("b", "state = 'failed', reason = 'Google refuses', ended = 1795219260");
	put_action("a", "state = 'done', reason = 'stopped', ended = 1795219260");
	put_action("d", "state = 'done', reason = 'stopped', ended = 1795219260");
	assert_ok(plan_make(jw.t.db, &ask, &jw.t.a, &plan, &e), e);
	assert_i64_eq(plan.n, 4);
	assert_int_equal(item_of("c")->action.state, ACTION_FAILED);
	assert_int_equal(item_of("b")->action.state, ACTION_FAILED);
	assert_int_equal(item_of("a")->action.state, ACTION_DONE);
	assert_int_equal(item_of("d")->action.state, ACTION_DONE);
}

/* The grace ends on Saturday at 00:30, and the window opens on Monday. */
static void what_waits_for_a_window_is_due_when_it_opens(void **state)
{
	static const struct enforce_window monday = {0x01, 9 * 60, 18 * 60},
					   early = {0x20, 0, 20};
	const struct plan_item *i;

	stop_rule("on", "state = 'running'");
	vm("a");
	track(NOW);
	en.windows = &monday;
	en.n_windows = 1;
	make(NOW);
	i = item_of("a");
	assert_i64_eq(i->due, NOW + 57 * HOUR);
	assert_i64_eq(i->opens, i->due);
	assert_true(i->todo && says(i, "window"));
	assert_string_equal(i->no[0].reason,
		"it is outside enforcement.windows (UTC); not before the window opens: Mon "
		"2026-11-23 09:00 (UTC)");
	/* open now, and closed when it is due */
	en.windows = &early;
	make(NOW);
	i = item_of("a");
	assert_i64_eq(i->n_no, 0);
	assert_i64_eq(i->due, NOW + 7 * DAY);
	en.n_windows = 0;
	make(NOW);
	assert_i64_eq(item_of("a")->due, NOW + 30 * MINUTE);
	assert_i64_eq(item_of("a")->opens, TS_NONE);
}

static void kept_back_without_a_warning(const char *reason)
{
	const struct plan_item *i = item_of("a");

	assert_true(i->holds);
	assert_false(i->todo);
	assert_i64_eq(i->due, TS_NONE);
	assert_i64_eq(i->n_no, 1);
	assert_string_equal(i->no[0].name, PLAN_WARNING);
	assert_string_equal(i->no[0].reason, reason);
}

static void what_no_channel_takes_a_warning_of_is_not_to_be_done(void **state)
{
	static const char *const none = "no channel in notify can send a warning, and no "
					"action is taken without one";

	stop_rule("on", "state = 'running'")->then.grace = 0;
	vm("a");
	no_channel = true;
	jw_polled(NOW);
	jw_cycle(NOW);
	make(NOW);
	kept_back_without_a_warning(none); /* not even begun */
	track(NOW);
	make(NOW);
	assert_int_equal(item_of("a")->action.state, ACTION_WARNING);
	kept_back_without_a_warning(none);
	no_channel = false;
	make(NOW);
	assert_true(item_of("a")->todo);
	assert_i64_eq(item_of("a")->due, NOW);
	jw_cycle(NOW + 15 * MINUTE - 1);
	jw_polled(NOW + 15 * MINUTE - 1);
	tempdb_exec(&jw.t, "UPDATE resource SET last_seen = last_seen + 1000");
	make(NOW + 15 * MINUTE - 1);
	assert_true(item_of("a")->todo);
	make(NOW + 15 * MINUTE);
	kept_back_without_a_warning(
		"no channel has accepted its warning for 15m, and its grace period does "
		"not begin before one does; see: tpucost notify");
	/* who was warned is; and in a dry run nobody has to be */
	no_channel = true;
	put_action("a", "state = 'grace', warned = since, due = since + 60");
	make(NOW + 15 * MINUTE);
	assert_true(item_of("a")->todo);
	put_action("a", "state = 'warning', warned = NULL, due = NULL, mode = 'dry-run'");
	en.mode = ENFORCE_DRY_RUN;
	make(NOW + 15 * MINUTE);
	assert_true(item_of("a")->todo);
	/* what begins anew has to be warned of again */
	put_action("a", "state = 'recheck', mode = 'dry-run'");
	en.mode = ENFORCE_ARMED;
	make(NOW + 15 * MINUTE);
	kept_back_without_a_warning(none);
}

/* A rule that could not be asked is an error of the plan. */
static enum err_code try_whole(void *ctx, struct err *e)
{
	if (try_make(ctx, e))
		return e->code;
	return plan.n_errors ? err_set(e, E_USAGE, "%s", plan.errors[0]) : E_OK;
}

/* A plan with an item of each kind: begun or not, due, in flight, over, not listed, of a rule that is gone. */
static void no_failure_of_a_query_is_passed_over(void **state)
{
	stop_rule("on", "state = 'running'");
	for (char name[] = "a"; *name <= 'f'; ++*name)
		vm(name);
	track(NOW);
	tempdb_exec(&jw.t, "DELETE FROM action WHERE name = 'a'");
	put_action("b", "state = 'grace', warned = since, due = since + 60");
	put_action("c", "state = 'sent'");
	put_action("d", "state = 'failed', reason = 'refused', ended = since");
	put_action("e", "mode = 'dry-run'");
	put_action("f", "rule = 'gone'");
	ended_since = NOW - DAY;
	asked = NOW + MINUTE;
	assert_true(faultstmt_sweep_both(jw.t.db, try_whole, NULL, NULL) > 40);
	assert_true(item_of("a")->todo && item_of("b")->todo && item_of("c")->todo);
	assert_false(item_of("d")->todo);
	assert_true(item_of("e")->anew);
	assert_true(says(item_of("f"), "rule-gone"));
}

static void rules_that_went_or_fail_are_named(void **state)
{
	stop_rule("on", "state = 'running'");
	vm("a");
	track(NOW);
	jw.rules[0].enabled = false;
	make(NOW);
	assert_string_equal(item_of("a")->no[0].name, "rule-gone");
	assert_false(item_of("a")->todo);
	assert_i64_eq(item_of("a")->due, TS_NONE);
	/* after a failure it is due with the next attempt, once its grace began */
	put_action("a", "next_at = since + 900");
	make(NOW);
	assert_i64_eq(item_of("a")->due, TS_NONE);
	put_action("a", "due = since + 60");
	make(NOW);
	assert_i64_eq(item_of("a")->due, NOW + 900);
	assert_true(faultstmt_sweep_both(jw.t.db, try_make, NULL, NULL) > 4);
	stop_rule("bad", "abs(-9223372036854775808) > created");
	make(NOW);
	assert_i64_eq(plan.n_errors, 1);
	assert_non_null(strstr(plan.errors[0], "bad: "));
}

static void of_other_projects_only_what_was_sent_is_shown(void **state)
{
	static const char *const q_alone[] = {"q"};

	stop_rule("on", "state = 'running'");
	for (char name[] = "a"; *name <= 'd'; ++*name)
		vm(name);
	track(NOW);
	put_action("a", "state = 'sent'");
	put_action("b", "state = 'failed', ended = since");
	put_action("c", "state = 'grace', due = since");
	make(NOW);
	assert_i64_eq(plan.n, 4);
	assert_i64_eq(plan.unlisted, 0);
	en.projects = q_alone;
	make(NOW);
	assert_i64_eq(plan.n, 2);
	assert_i64_eq(plan.unlisted, 2);
	assert_int_equal(item_of("a")->action.state, ACTION_SENT);
	assert_int_equal(item_of("b")->action.state, ACTION_FAILED);
}

static void rules_that_only_tell_plan_nothing(void **state)
{
	jw_rule("tell", "state = 'running'");
	stop_rule("said", "state = 'running'")->then.action = "notify";
	vm("a");
	jw_polled(NOW);
	jw_cycle(NOW);
	make(NOW);
	assert_i64_eq(plan.n, 0);
}

/* ---- its page ---------------------------------------------------------------------------------- */

static void the_page_has_every_guard_in_order(void **state)
{
	static const char *const ends[] = {[GUARD_WAITS] = "waits",
		[GUARD_CLEARS] = "clears",
		[GUARD_ANEW] = "restarts"};
	FILE *f = fopen("docs/enforce.md", "r");
	static char page[65536];
	const char *at = page;
	size_t rows = 0;

	assert_non_null(f);
	page[fread(page, 1, sizeof(page) - 1, f)] = '\0';
	fclose(f);
	for (size_t i = 0; i < n_guards; i++) {
		char row[512];

		snprintf(row, sizeof(row), "\n| `%s` | %s | %s | %s |\n", guards[i].name,
			guards[i].doc, ends[guards[i].end],
			guards[i].can_approve ? "yes" : "");
		at = strstr(at, row);
		if (!at)
			fail_msg("docs/enforce.md lacks, or has elsewhere: %s", row);
	}
	at = strstr(page, "\n## Guards");
	assert_non_null(at);
	for (const char *p = at; p && p < strstr(at + 1, "\n## "); p = strchr(p + 1, '\n'))
		rows += !strncmp(p, "\n| `", 4);
	assert_i64_eq(rows, n_guards);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, tempdb_teardown)
		T(what_no_run_saw_yet_is_planned_as_it_would_begin),
		T(the_time_since_the_alert_began_counts),
		T(what_is_followed_has_its_number_and_its_own_due),
		T(a_changed_rule_begins_its_time_again),
		T(each_rule_has_its_own_action),
		T(switches_keep_nothing_out_of_the_plan),
		T(held_things_are_kept_back),
		T(what_a_look_told_is_remembered),
		T(what_is_halted_says_by_which_file),
		T(limits_are_told_before_they_are_reached),
		T(what_is_under_way_is_shown_until_its_end),
		T(what_had_its_end_is_not_promised_again),
		T(ends_are_listed_for_a_while),
		T(what_failed_and_still_holds_is_listed_once),
		T(what_waits_for_a_window_is_due_when_it_opens),
		T(what_no_channel_takes_a_warning_of_is_not_to_be_done),
		T(no_failure_of_a_query_is_passed_over),
		T(rules_that_went_or_fail_are_named),
		T(of_other_projects_only_what_was_sent_is_shown),
		T(rules_that_only_tell_plan_nothing),
		cmocka_unit_test(the_page_has_every_guard_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
