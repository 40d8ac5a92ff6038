/* What the daily report says is to be done: once a thing, what saves most first, with a command. */
#include "base/money.h"
#include "tests/support/world/daily_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define WRONG .why = "wrong-zone", .why_text = "granted in a"
#define TPU .kind = "tpu", .type = "v3-8"

static int clear(void **state)
{
	dw_clear();
	dw_polled();
	return 0;
}

static void row_is(const char *section, size_t row, const char *name, const char *saves,
	const char *command)
{
	dw_is(section, row, "name", name);
	dw_is(section, row, "saves_per_hour", saves);
	if (strcmp(dw_row(section, row)->command, command) != 0)
		fail_msg("%s\n  gave %s\n  want %s", name, dw_row(section, row)->command,
			command);
}

static void todo(size_t row, const char *name, const char *saves, const char *command)
{
	row_is("do_now", row, name, saves, command);
}

static void follows(size_t row, const char *name, const char *command)
{
	row_is("consequences", row, name, "-", command);
}

static void detail(size_t row, const char *want)
{
	if (strcmp(dw_row("do_now", row)->detail, want) != 0)
		fail_msg("gave %s\nwant %s", dw_row("do_now", row)->detail, want);
}

static void what_saves_most_comes_first(void **state)
{
	PUT(TPU, .name = "small", .net = 2 * NANOS, WRONG);
	PUT(TPU, .name = "large", .net = 9 * NANOS, WRONG);
	PUT(TPU, .name = "other", .net = 70 * NANOS, .currency = "HKD", WRONG);
	PUT(TPU, .name = "riddle", .unpriced = true, WRONG);
	PUT(.name = "idle", .net = 5 * NANOS);
	dw_fires("vm-forgotten", "p/vm/us-central1-b/idle", "warning", "idle is idle.");
	dw_fires("cost-jump", "2026-11-18/p/USD", "critical", "twice the mean.");
	dw_build();
	dw_rows("do_now", 5);
	assert_string_equal(dw.doc->headline,
		"Stop large, idle and 2 more to save about 16.00 USD/h and 70.00 HKD/h.");
	todo(0, "large", "9.00 USD/h~",
		"gcloud compute tpus tpu-vm stop large --zone us-central1-b --project p");
	todo(1, "idle", "5.00 USD/h~",
		"gcloud compute instances stop idle --zone us-central1-b --project p");
	dw_is("do_now", 2, "name", "small");
	dw_is("do_now", 3, "name", "other"); /* of another currency than the report's */
	dw_is("do_now", 4, "name", "riddle");
	follows(0, "cost 2026-11-18", "tpucost why cost:2026-11-18");
	dw_is("consequences", 0, "severity", "critical");
	assert_string_equal(doc_find(dw.doc, "consequences")->title, "Because of these");
}

/* Spot TPUs cannot be stopped. */
static void the_verb_is_that_of_the_commands(void **state)
{
	PUT(TPU, .name = "spot", .net = 2 * NANOS, .provisioning = "spot", WRONG);
	dw_fires("tpu-idle", "p/tpu/us-central1-b/spot", "warning", "spot is idle.");
	dw_build();
	assert_string_equal(dw.doc->headline, "Delete spot to save about 2.00 USD/h.");
	todo(0, "spot", "2.00 USD/h~",
		"gcloud compute tpus tpu-vm delete spot --zone us-central1-b --project p");
	detail(0, "Not covered: granted in a. spot is idle. Deleting it deletes its data.");
	PUT(TPU, .name = "large", .net = 9 * NANOS, WRONG);
	dw_build();
	assert_string_equal(dw.doc->headline,
		"Stop or delete large and spot to save about 11.00 USD/h.");
}

static void a_thing_is_listed_once(void **state)
{
	PUT(TPU, .name = "bad", .net = 8 * NANOS, WRONG);
	dw_fires("tpu-not-covered", "p/tpu/us-central1-b/bad", "critical", "not free.");
	dw_fires("tpu-idle", "p/tpu/us-central1-b/bad", "critical", "It is idle.");
	dw_fires("budget", "month", "warning", "80 %.");
	dw_fires("budget-forecast", "month", "critical", "It runs out.");
	dw_build();
	dw_rows("do_now", 1);
	dw_is("do_now", 0, "rule", "tpu-not-covered, tpu-idle");
	detail(0, "Not covered: granted in a. It is idle.");
	follows(0, "budget month", "tpucost budget");
	dw_is("consequences", 0, "rule", "budget, budget-forecast");
	dw_is("consequences", 0, "severity", "critical");
	assert_string_equal(dw_row("consequences", 0)->detail, "80 %. It runs out.");
}

/* Whatever the order of the rules' names. */
static void what_mends_comes_before_what_explains(void **state)
{
	PUT(.name = "big", .net = 6 * NANOS);
	dw_fires("far-apart", "p/vm/us-central1-b/big", "warning", "It is far.");
	dw_fires("vm-forgotten", "p/vm/us-central1-b/big", "critical", "It is idle.");
	dw_build();
	dw_rows("do_now", 1);
	todo(0, "big", "6.00 USD/h~",
		"gcloud compute instances stop big --zone us-central1-b --project p");
	detail(0, "It is idle. It is far.");
	dw_is("do_now", 0, "rule", "vm-forgotten, far-apart");
	dw_is("do_now", 0, "severity", "critical");
	assert_int_equal(dw_row("do_now", 0)->tone, TONE_BAD);
	if (!strstr(dw.doc->headline, "Stop big to save about 6.00 USD/h."))
		fail_msg("%s", dw.doc->headline);
}

static void what_ends_comes_before_what_can_wait(void **state)
{
	tempdb_exec(&dw.t,
		"INSERT INTO grant_end VALUES "
		"('trc', 1795219200 + 52000, NULL, 8, 2, '', 'x', 16000000000, 'USD')");
	dw_fires("budget", "month", "critical", "Used up.");
	dw_fires("cost-jump", "2026-11-18/p/USD", "critical", "Twice the mean.");
	dw_build();
	dw_is("do_now", 0, "name", "grant trc");
	dw_is("consequences", 0, "name", "budget month");
	dw_is("consequences", 1, "name", "cost 2026-11-18");
	if (!strstr(dw.doc->subject, ", grant ends in 14h 26m"))
		fail_msg("%s", dw.doc->subject);
}

static void left_behind_is_deleted_with_a_warning(void **state)
{
	PUT(.kind = "disk", .name = "spare", .state = "unattached", .net = 2 * NANOS);
	PUT(.kind = "ip", .name = "addr", .location = "us-central1", .state = "stopped",
		.net = NANOS);
	PUT(TPU, .name = "dead", .state = "preempted", .provisioning = "spot");
	PUT(.kind = "queued", .name = "waits", .state = "suspended",
		.raw_state = "SUSPENDED");
	dw_fires("disk-orphan", "p/disk/us-central1-b/spare", "warning", "Unused.");
	dw_fires("ip-unused", "p/ip/us-central1/addr", "info", "Unused.");
	dw_fires("tpu-leftover", "p/tpu/us-central1-b/dead", "info", "Still listed.");
	dw_fires("tpu-leftover", "p/queued/us-central1-b/waits", "info", "Still listed.");
	dw_build();
	dw_rows("do_now", 4);
	todo(0, "spare", "2.00 USD/h~",
		"gcloud compute disks delete spare --zone us-central1-b --project p");
	detail(0, "Unused. Deleting it deletes its data.");
	todo(1, "addr", "1.00 USD/h~",
		"gcloud compute addresses delete addr --region us-central1 --project p");
	detail(1, "Unused.");
	dw_is("do_now", 2, "name", "waits");
	assert_string_equal(dw_row("do_now", 2)->command,
		"gcloud compute tpus queued-resources delete waits --zone=us-central1-b "
		"--project=p --force");
	dw_is("do_now", 3, "name", "dead");
	assert_string_equal(dw_row("do_now", 3)->command,
		"gcloud compute tpus tpu-vm delete dead --zone us-central1-b --project p");
}

static void what_is_free_is_not_to_be_stopped(void **state)
{
	PUT(TPU, .name = "good", .why = "covered", .grant = "trc", .gross = 8 * NANOS);
	dw_fires("tpu-idle", "p/tpu/us-central1-b/good", "warning", "It is idle.");
	dw_build();
	dw_rows("do_now", 1);
	todo(0, "good", "-", "tpucost why alert:tpu-idle/p/tpu/us-central1-b/good");
}

/* The rules were judged a while ago, and the thing is not as it was. */
static void what_is_over_is_not_to_be_done(void **state)
{
	PUT(TPU, .name = "moved", .why = "covered", .grant = "trc", .gross = 8 * NANOS);
	PUT(.name = "off", .state = "stopped");
	PUT(.kind = "disk", .name = "used", .state = "attached", .net = NANOS);
	dw_fires("tpu-not-covered", "p/tpu/us-central1-b/moved", "critical", "x");
	dw_fires("vm-forgotten", "p/vm/us-central1-b/off", "warning", "x");
	dw_fires("disk-orphan", "p/disk/us-central1-b/used", "warning", "x");
	dw_fires("ip-unused", "p/ip/us-central1/gone", "info", "x");
	tempdb_exec(&dw.t,
		"INSERT INTO alert (rule, subject, state, data, severity, since, "
		"last_true, fired, resolved, stage, value, summary, labels, said) "
		"SELECT rule, 'pending', 'pending', data, severity, since, last_true, "
		"fired, resolved, stage, value, summary, labels, said FROM alert WHERE "
		"rule = 'vm-forgotten'");
	dw_build();
	dw_rows("do_now", 0);
}

static void an_unknown_family_is_not_to_be_stopped(void **state)
{
	PUT(.kind = "tpu", .name = "new", .type = "v9-8", .why = "family-unknown",
		.why_text = "unknown", .unpriced = true);
	dw_fires("tpu-not-covered", "p/tpu/us-central1-b/new", "critical", "x");
	dw_build();
	dw_rows("do_now", 1);
	assert_string_equal(dw_row("do_now", 0)->command,
		"tpucost why alert:tpu-not-covered/p/tpu/us-central1-b/new");
	assert_null(strstr(dw.doc->headline, "Stop new"));
}

/* A rule fires for machines of these names. */
static void vms_fire(const char *rule, const char *names)
{
	char id[] = "p/vm/us-central1-b/?";

	for (; *names; names++) {
		id[sizeof(id) - 2] = *names;
		dw_fires(rule, id, "warning", "x");
	}
}

static void silenced_and_held_alerts_are_left_out(void **state)
{
	PUT(.name = "a", .net = NANOS);
	PUT(.name = "b", .net = NANOS, .exempt = true);
	PUT(.name = "c", .net = NANOS);
	vms_fire("vm-forgotten", "abc");
	dw_fires("budget", "month", "warning", "x");
	PUT(.name = "d", .net = NANOS, .exempt = true);
	dw_fires("vm-forgotten", "p/vm/us-central1-b/d", "warning", "x");
	PUT(.name = "e", .net = NANOS, .exempt = true);
	dw_fires("vm-forgotten", "p/vm/us-central1-b/e", "warning", "x");
	dw_fires("far-apart", "p/vm/us-central1-b/e", "warning", "x");
	tempdb_exec(&dw.t,
		"INSERT INTO silence (rule, subject, created, until, comment) VALUES "
		"('vm-forgotten', 'p/vm/us-central1-b/d', 0, 1795219201, ''),"
		"('vm-forgotten', 'p/vm/us-central1-b/e', 0, 1795219201, ''),"
		"('vm-forgotten', 'p/vm/us-central1-b/a', 0, 1795219201, ''),"
		"('budget', '', 0, 1795219201, '')");
	dw_build();
	dw_rows("do_now", 1);
	dw_is("do_now", 0, "name", "c");
	assert_string_equal(doc_find(dw.doc, "do_now")->note,
		"Left out: 2 silenced (about 1.00 USD/h, until 2026-11-21 08:00), 2 "
		"silenced and on hold or exempt (about 2.00 USD/h), 1 on hold or exempt "
		"(about 1.00 USD/h).");
}

static struct rule *own_rule(const char *name, const char *action)
{
	struct rule *r =
		(struct rule *)(uintptr_t)&dw.settings.rules[dw.settings.n_rules++];

	*r = (struct rule){
		.name = name, .on = "resources", .where = "1", .then = {.action = action}};
	return r;
}

static void rules_of_ones_own_stop_only_when_they_say_so(void **state)
{
	const struct enforcement *was = dw.settings.enforcement;

	dw.settings.enforcement = NULL;
	PUT(.name = "a", .net = 2 * NANOS);
	PUT(.name = "b", .net = NANOS);
	own_rule("too-big", "stop");
	own_rule("odd name", NULL);
	dw_fires("too-big", "p/vm/us-central1-b/a", "warning", "too big");
	dw_fires("odd name", "p/vm/us-central1-b/b", "warning", "odd");
	dw_build();
	dw_rows("do_now", 2);
	todo(0, "a", "2.00 USD/h~",
		"gcloud compute instances stop a --zone us-central1-b --project p");
	todo(1, "b", "-", "tpucost why 'alert:odd name/p/vm/us-central1-b/b'");
	/* and what acts is said, though nothing of it is tracked in this mode */
	dw_rows("actions", 1);
	dw_is("actions", 0, "subject", "p/vm/us-central1-b/a");
	dw_is("actions", 0, "action", "would be stopped");
	dw_is("actions", 0, "rule", "too-big");
	dw_is("actions", 0, "mode", "off");
	assert_string_equal(doc_find(dw.doc, "actions")->title,
		"Planned stops (enforcement off: no resource is stopped)");
	dw.settings.enforcement = was;
}

static void a_sentence_is_cut_only_before_a_verb(void **state)
{
	static const char *const texts[][2] = {
		{"a of ada runs", "a of ada runs"},
		{"a runs for 30 h", "runs for 30 h"},
		{"vm a (n1, of ada) has burned 3 USD", "has burned 3 USD"},
		{"a (n1): idle", "idle"},
		{"a isolated", "a isolated"},
		{"a", "a"},
	};

	own_rule("mine", NULL);
	PUT(.name = "a", .net = NANOS);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		tempdb_exec(&dw.t, "DELETE FROM alert");
		dw_fires("mine", "p/vm/us-central1-b/a", "warning", texts[i][0]);
		dw_build();
		detail(0, texts[i][1]);
	}
}

static void what_another_rule_lists_is_not_left_out(void **state)
{
	PUT(.name = "a", .net = NANOS);
	PUT(.name = "b", .net = NANOS);
	own_rule("a-rule", NULL);
	own_rule("z-rule", NULL);
	vms_fire("a-rule", "a");
	vms_fire("vm-forgotten", "ab");
	vms_fire("z-rule", "ab");
	tempdb_exec(&dw.t,
		"INSERT INTO silence (rule, subject, created, until, comment) VALUES "
		"('a-rule', '', 0, 1795219201, ''), ('z-rule', '', 0, 1795219201, ''),"
		"('vm-forgotten', 'p/vm/us-central1-b/b', 0, 1795219201, '')");
	dw_build();
	dw_rows("do_now", 1);
	todo(0, "a", "1.00 USD/h~",
		"gcloud compute instances stop a --zone us-central1-b --project p");
	assert_string_equal(doc_find(dw.doc, "do_now")->note,
		"Left out: 1 silenced (about 1.00 USD/h, until 2026-11-21 08:00).");
}

static void figures_have_commands_that_show_them(void **state)
{
	static const struct {
		const char *rule, *subject, *name, *command;
	} want[] = {
		{"burn-high", "p/cpu/USD", "burn p",
			"tpucost burn --by resource --project p"},
		{"credit-low", "trial", "credit trial", "tpucost credit"},
		{"billed-but-covered", "2026-11-18/p/v3/-", "bill 2026-11-18/p/v3/-",
			"tpucost reconcile"},
		{"grant-over-used", "trc/a/v3-8/on-demand", "grant trc/a/v3-8/on-demand",
			"tpucost coverage"},
		{"quota-high", "p/s/CPUS/global", "quota p/s/CPUS/global",
			"tpucost quota --where 'percent >= 90'"},
	};

	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		dw_fires(want[i].rule, want[i].subject, "warning", "x");
	dw_build();
	dw_rows("consequences", 2);
	dw_rows("do_now", ARRAY_LEN(want) - 2);
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		if (i < 2)
			follows(i, want[i].name, want[i].command);
		else
			todo(i - 2, want[i].name, "-", want[i].command);
}

/* One report has one figure of a budget, whatever changed since the rules were evaluated. */
static void an_alert_of_a_budget_has_the_figure_of_now(void **state)
{
	struct rule *r = own_rule("over", NULL);

	r->builtin = "budget";
	r->on = "budgets";
	r->where = "expected >= amount";
	r->summary = "{name}: {expected}.";
	dw_fires("over", "month", "critical", "month: 7.00.");
	tempdb_exec(&dw.t,
		"INSERT INTO budget_state (name, period, starts, ends, amount, currency, "
		"expected, converted, basis) VALUES ('month', 'custom', 1790000000, "
		"1799000000, 5000000000, 'USD', 9000000000, 0, '')");
	dw_build();
	follows(0, "budget month", "tpucost budget");
	assert_string_equal(dw_row("consequences", 0)->detail, "month: 9.00.");
	tempdb_exec(&dw.t,
		"UPDATE budget_state SET amount = 10000000000; "
		"UPDATE alert SET last_true = last_true - 3600");
	dw_build();
	assert_string_equal(
		dw_row("consequences", 0)->detail, "month: 7.00. As of 2026-11-21 07:00.");
	tempdb_execf(&dw.t, "UPDATE alert SET ceased = %lld", (long long)DW_NOW - 60);
	dw_build();
	assert_string_equal(dw_row("consequences", 0)->detail,
		"was: month: 7.00. Not so since 2026-11-21 07:59. month: 9.00.");
	assert_string_equal(dw_cell("consequences", 0, "severity"), "critical");
	assert_int_equal(dw_row("consequences", 0)->tone, TONE_SOFT);
}

/* It fires until its `keep_for` is over. */
static void what_is_not_so_now_is_nothing_to_do(void **state)
{
	PUT(.name = "idle", .net = 5 * NANOS);
	dw_fires("vm-forgotten", "p/vm/us-central1-b/idle", "critical", "idle is idle.");
	dw_fires("quota-high", "p/s/CPUS/global", "critical", "90 %");
	dw_fires("budget", "day", "critical", "Used up.");
	tempdb_execf(&dw.t, "UPDATE alert SET ceased = %lld", (long long)DW_NOW - 60);
	dw_fires("budget-forecast", "day", "warning", "It runs out.");
	dw_fires("budget", "month", "warning", "80 %.");
	dw_build();
	dw_rows("do_now", 0);
	dw_rows("consequences", 3);
	follows(0, "budget day", "tpucost budget"); /* for the other rule */
	dw_is("consequences", 0, "severity", "critical");
	assert_int_equal(dw_row("consequences", 0)->tone, TONE_WARN);
	follows(1, "budget month", "tpucost budget");
	assert_int_equal(dw_row("consequences", 1)->tone, TONE_WARN);
	follows(2, "quota p/s/CPUS/global", "tpucost quota --where 'percent >= 90'");
	assert_string_equal(dw_row("consequences", 2)->detail,
		"was: 90 %. Not so since 2026-11-21 07:59.");
	if (strstr(dw.doc->headline, "idle") || strstr(dw.doc->subject, "to take"))
		fail_msg("%s\n%s", dw.doc->headline, dw.doc->subject);
}

static void grants_that_end_soon_need_no_alert(void **state)
{
	tempdb_exec(&dw.t,
		"INSERT INTO grant_end VALUES ('my grant', 1795219200 + 200000, NULL, 8, "
		"2, '', 'x', 16000000000, 'USD'),('renewed', 1795219200 + 100, 'next', 8, "
		"0, '', "
		"NULL, 0, 'USD'),('later', 1795219200 + 8 * 86400, NULL, 8, 1, '', 'x', 1, "
		"'USD'),('over', 1795219200, NULL, 8, 1, '', 'x', 1, 'USD')");
	dw_fires("grant-ending", "my grant", "warning", "said otherwise");
	dw_build();
	dw_rows("do_now", 1);
	todo(0, "grant my grant", "-", "tpucost grant plan 'my grant'");
	detail(0, "ends in 2d 7h; 2 TPUs then become paid, about 16.00 USD/h");
	dw_rows("grant_ends", 4);
	tempdb_exec(&dw.t,
		"INSERT INTO silence (rule, subject, created, until, comment) VALUES "
		"('grant-ending', 'my grant', 0, 1795219201, '')");
	dw_build();
	dw_rows("do_now", 0);
}

static void one_cause_is_one_row(void **state)
{
	dw_clear();
	dw_source("vm", "failed", DW_NOW - 90000, "HTTP 403: no compute.instances.list",
		"run: gcloud projects add-iam-policy-binding p --role=x");
	dw_source("disk", "failed", DW_NOW - 90000, "HTTP 403: no compute.disks.list",
		"run: gcloud projects add-iam-policy-binding p --role=x");
	dw_source("tpu", "failed", TS_NONE, "no answer", NULL);
	dw_source("billing", "failed", DW_NOW - 90000, "no login",
		"run: gcloud auth login, or name a key file with `credentials:`");
	dw_source("ip", "ok", DW_NOW - 90000, NULL, NULL);
	dw_source("metric", "ok", DW_NOW - 60, NULL, NULL);
	dw_fires("source-stale", "vm/p", "warning", "old");
	dw_build();
	dw_rows("do_now", 4);
	/* in the order of the causes */
	todo(0, "ip of p", "-", "tpucost collect");
	detail(0, "Not polled for 25h; `tpucost run` polls what is due.");
	todo(1, "disk of p and 1 more", "-",
		"gcloud projects add-iam-policy-binding p --role=x");
	todo(2, "tpu of p", "-", "tpucost sources");
	detail(2, "no answer");
	todo(3, "billing of p", "-", "gcloud auth login");
}

static void a_token_is_one_cause(void **state)
{
	static const char *const why = "token: HTTP 400: invalid_grant";
	static const char *const fix = "the clock of this machine is 900 s behind Google's";

	dw_clear();
	dw_source("vm", "failed", TS_NONE,
		arena_printf(&dw.t.a, "list VMs: credentials file k: %s", why), fix);
	dw_source("disk", "failed", TS_NONE,
		arena_printf(&dw.t.a, "list disks: credentials file k: %s", why), fix);
	dw_source("tpu", "failed", TS_NONE,
		"list nodes: HTTP 403 SERVICE_DISABLED: TPU API has not been used in "
		"project 1 before or it is disabled.",
		"run: gcloud services enable tpu.googleapis.com --project a");
	dw_source("queued", "failed", TS_NONE,
		"list queued: HTTP 403 SERVICE_DISABLED: TPU API has not been used in "
		"project 2 before or it is disabled.",
		"run: gcloud services enable tpu.googleapis.com --project b");
	dw_build();
	dw_rows("do_now", 2);
	todo(0, "queued of p and 1 more", "-", "tpucost doctor");
	detail(0, "TPU API is not enabled");
	todo(1, "disk of p and 1 more", "-", "tpucost sources");
	detail(1, arena_printf(&dw.t.a, "credentials file k: %s; %s", why, fix));
}

static void what_nobody_asked_for_is_one_row(void **state)
{
	dw_clear();
	dw_source("vm", "ok", DW_NOW - 90000, NULL, NULL);
	dw_source("disk", "ok", DW_NOW - 86400, NULL, NULL);
	dw_source("ip", "ok", DW_NOW - 90001, NULL, NULL);
	dw_build();
	dw_rows("do_now", 1);
	todo(0, "3 sources", "-", "tpucost collect");
	detail(0, "Not polled for 24h or longer; `tpucost run` polls what is due.");
	dw_clear();
	dw_source("vm", "ok", DW_NOW + 90000, NULL, NULL);
	dw_build();
	todo(0, "vm of p", "-", "tpucost collect");
	detail(0, "Time of the last poll unknown.");
}

static void a_source_is_not_the_cause_of_a_jump(void **state)
{
	dw_clear();
	dw_source("vm", "failed", DW_NOW - 90000, "no login", NULL);
	dw_fires("cost-jump", "2026-11-18/p/USD", "critical", "twice the mean.");
	dw_build();
	dw_rows("do_now", 1);
	assert_string_equal(doc_find(dw.doc, "consequences")->title, "Limits");
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_token_is_one_cause, clear),
		cmocka_unit_test_setup(what_saves_most_comes_first, clear),
		cmocka_unit_test_setup(the_verb_is_that_of_the_commands, clear),
		cmocka_unit_test_setup(a_source_is_not_the_cause_of_a_jump, clear),
		cmocka_unit_test_setup(a_thing_is_listed_once, clear),
		cmocka_unit_test_setup(what_mends_comes_before_what_explains, clear),
		cmocka_unit_test_setup(what_ends_comes_before_what_can_wait, clear),
		cmocka_unit_test_setup(left_behind_is_deleted_with_a_warning, clear),
		cmocka_unit_test_setup(what_is_free_is_not_to_be_stopped, clear),
		cmocka_unit_test_setup(what_is_over_is_not_to_be_done, clear),
		cmocka_unit_test_setup(an_unknown_family_is_not_to_be_stopped, clear),
		cmocka_unit_test_setup(silenced_and_held_alerts_are_left_out, clear),
		cmocka_unit_test_setup(rules_of_ones_own_stop_only_when_they_say_so, clear),
		cmocka_unit_test_setup(a_sentence_is_cut_only_before_a_verb, clear),
		cmocka_unit_test_setup(what_another_rule_lists_is_not_left_out, clear),
		cmocka_unit_test_setup(figures_have_commands_that_show_them, clear),
		cmocka_unit_test_setup(an_alert_of_a_budget_has_the_figure_of_now, clear),
		cmocka_unit_test_setup(what_is_not_so_now_is_nothing_to_do, clear),
		cmocka_unit_test_setup(grants_that_end_soon_need_no_alert, clear),
		cmocka_unit_test_setup(one_cause_is_one_row, clear),
		cmocka_unit_test_setup(what_nobody_asked_for_is_one_row, clear),
	};

	return cmocka_run_group_tests(tests, dw_setup, tempdb_teardown);
}
