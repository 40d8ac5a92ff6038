/* Messages about alerts: what stands first, what it is called, and what mends it. */
#include "reports/message/message.h"

#include "rules/derive/derive.h"
#include "tests/support/assert.h"
#include "tests/support/world/judge_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define VM(name) "p/vm/us-central1-b/" name

static struct q_outbox_list news_of(
	const char *event, const char *rule, const char *subject, const char *severity)
{
	return (struct q_outbox_list){.event = event,
		.rule = rule,
		.subject = subject,
		.severity = severity,
		.summary = arena_printf(&jw.t.a, "%s: %s", rule, subject),
		.at = JW_NOW - 60,
		.since = JW_NOW - 7260,
		.as_of = JW_NOW - 60};
}

static struct doc *make(const struct q_outbox_list *news, size_t n)
{
	struct doc *d = NULL;
	struct err e = {0};

	assert_ok(alert_doc(jw.t.db, &jw.settings, news, n, false, JW_NOW, &jw.t.a, &d, &e),
		e);
	return d;
}

static void derive_all(void)
{
	struct derive_opts o = {.settings = &jw.settings,
		.now = JW_NOW,
		.since = TS_NONE,
		.until = TS_NONE};
	struct err e = {0};
	struct db_tx tx = {0};

	assert_ok(db_begin(jw.t.db, &tx, &e), e);
	assert_ok(derive(jw.t.db, &o, &e), e);
	assert_ok(db_commit(&tx, &e), e);
}

static const struct doc_cell *cell(
	const struct doc *d, const char *section, size_t row, const char *key)
{
	const struct doc_section *s = doc_find(d, section);

	for (int i = 0; i < s->n_columns; i++)
		if (!strcmp(s->columns[i].key, key))
			return &s->rows[row].cells[i];
	fail_msg("no column %s", key);
	return NULL;
}

static const char *command(const struct doc *d, size_t row)
{
	const char *c = doc_find(d, "firing")->rows[row].command;

	return c ? c : "none";
}

/* The heading makes every format show it. */
static void the_owner_of_a_resource_is_named(void **state)
{
	const struct q_outbox_list news[] = {
		news_of("firing", "r", VM("small"), "warning")};
	const struct doc_section *s;
	struct doc *d;
	int at = 0;

	jw_vm("small", "running");
	tempdb_exec(&jw.t, "UPDATE resource SET owner = 'ada'");
	derive_all();
	d = make(news, 1);
	assert_string_equal(cell(d, "firing", 0, "owner")->text, "ada");
	s = doc_find(d, "firing");
	while (strcmp(s->columns[at].key, "owner") != 0)
		at++;
	assert_string_equal(s->columns[at].title, "Owner");
}

/* n1-standard-2 in us-central1: 0.09499 USD an hour; the other type has eight times of it. */
static void what_costs_most_stands_first(void **state)
{
	const struct q_outbox_list news[] = {
		news_of("firing", "a-rule", VM("small"), "warning"),
		news_of("firing", "z-rule", "budget", "warning"),
		news_of("firing", "b-rule", VM("large"), "warning"),
		news_of("resolved", "a-rule", VM("small"), "critical"),
		news_of("firing", "c-rule", "x", "critical"),
		news_of("firing", "d-rule", "y", "info"),
	};
	struct doc *d;

	jw_vm("small", "running");
	jw_vm("large", "running");
	tempdb_exec(
		&jw.t, "UPDATE resource SET type = 'n1-standard-16' WHERE name = 'large'");
	derive_all();
	d = make(news, ARRAY_LEN(news));
	assert_int_equal(doc_find(d, "firing")->n, 5);
	assert_string_equal(cell(d, "firing", 0, "rule")->text, "c-rule");
	assert_string_equal(cell(d, "firing", 1, "name")->text, "large");
	assert_string_equal(cell(d, "firing", 2, "name")->text, "small");
	assert_string_equal(cell(d, "firing", 3, "rule")->text, "z-rule");
	assert_string_equal(cell(d, "firing", 4, "severity")->text, "info");
	assert_int_equal(doc_find(d, "resolved")->n, 1);
	assert_i64_eq(cell(d, "firing", 2, "net_per_hour")->v, 94999500);
	assert_i64_eq(cell(d, "firing", 1, "net_per_hour")->v, 8 * 94999500);
	assert_string_equal(cell(d, "firing", 1, "net_per_hour")->text, "USD");
	assert_int_equal(cell(d, "firing", 1, "net_per_hour")->status, STATUS_ESTIMATE);
	assert_int_equal(cell(d, "firing", 0, "net_per_hour")->type, DOC_NONE);
	assert_i64_eq(cell(d, "firing", 0, "age_seconds")->v, 7260);
	assert_i64_eq(cell(d, "resolved", 0, "age_seconds")->v, 7200);
	assert_string_equal(d->subject, "[tpucost] CRITICAL: c-rule: x (and 5 more)");
	assert_string_equal(d->title, "tpucost: 1 critical, 3 warning, 1 info, 1 resolved");
	assert_int_equal(d->tone, TONE_BAD);
}

/* Only what a rule says is wrong is stopped; everything else is to be looked at. */
static void each_has_the_command_that_mends_it(void **state)
{
	struct q_outbox_list news[] = {
		news_of("firing", "vm-forgotten", VM("idle"), "warning"),
		news_of("firing", "mine", VM("busy"), "warning"),
		news_of("firing", "stopper", VM("big"), "warning"),
		news_of("firing", "forgotten-too", VM("also"), "warning"),
		news_of("firing", "budget", "month", "warning"),
		news_of("firing", "cost-jump", "2026-11-19/p/HKD", "warning"),
		news_of("firing", "grant-ending", "trc *okt* <a&b>", "warning"),
		news_of("resolved", "vm-forgotten", VM("idle"), "warning"),
	};
	struct rule *r;
	struct doc *d;

	jw_rule("mine", "1")->repeat = 7 * 86400;
	r = jw_rule("stopper", "1");
	r->then.action = "stop";
	r = jw_rule("forgotten-too", "1");
	r->builtin = "vm-forgotten";
	jw_vm("idle", "running");
	jw_vm("busy", "running");
	jw_vm("big", "running");
	jw_vm("also", "running");
	derive_all();
	d = make(news, ARRAY_LEN(news));
	assert_i64_eq(cell(d, "firing", 1, "repeat_seconds")->v, 7 * 86400);
	assert_int_equal(cell(d, "firing", 0, "repeat_seconds")->type, DOC_NONE);
	assert_string_equal(command(d, 0),
		"gcloud compute instances stop idle --zone us-central1-b --project p");
	assert_string_equal(
		command(d, 1), "tpucost why alert:mine/p/vm/us-central1-b/busy");
	assert_string_equal(command(d, 2),
		"gcloud compute instances stop big --zone us-central1-b --project p");
	assert_string_equal(command(d, 3),
		"gcloud compute instances stop also --zone us-central1-b --project p");
	assert_string_equal(command(d, 4), "tpucost budget");
	assert_string_equal(cell(d, "firing", 4, "name")->text, "budget month");
	assert_string_equal(command(d, 5), "tpucost why cost:2026-11-19");
	assert_string_equal(cell(d, "firing", 5, "name")->text, "cost 2026-11-19");
	assert_string_equal(command(d, 6), "tpucost grant plan 'trc *okt* <a&b>'");
	assert_null(doc_find(d, "resolved")->rows[0].command);
}

/* One cause concerns every project: it is reported once, and programs get every alert. */
static void one_cause_is_reported_once(void **state)
{
	struct q_outbox_list news[14];
	const struct doc_section *s;
	struct doc *d;

	jw_rule("old", "1")->on = "sources";
	for (size_t i = 0; i < ARRAY_LEN(news); i++) {
		news[i] = news_of(i < 13 ? "firing" : "resolved", "old",
			arena_printf(&jw.t.a, "vm/p%zu", i), "warning");
		news[i].summary = arena_printf(&jw.t.a,
			"vm p%zu is old. Error: list VMs %zu: k: %s", i, i,
			i == 5 ? "token: other" : "token: refused");
	}
	d = make(news, ARRAY_LEN(news));
	s = doc_find(d, "firing");
	assert_int_equal(s->n, 13);
	assert_string_equal(s->rows[0].detail, "12 sources: k: token: refused");
	assert_string_equal(
		s->rows[5].detail, "vm p5 is old. Error: list VMs 5: k: token: other");
	for (size_t i = 0; i < s->n; i++)
		assert_int_equal(s->rows[i].folded, i != 0 && i != 5);
	assert_null(s->note);
	assert_string_equal(cell(d, "firing", 12, "subject")->text, "vm/p12");
	assert_string_equal(doc_find(d, "resolved")->rows[0].detail,
		"vm p13 is old. Error: list VMs 13: k: token: refused");
	assert_string_equal(d->subject,
		"[tpucost] warning: 12 sources: k: token: refused (and 2 more)");
	assert_string_equal(d->notes[2], "To silence it: tpucost silence old --for 2h");
	d = make(news, 3);
	assert_string_equal(d->subject, "[tpucost] warning: 3 sources: k: token: refused");
	assert_string_equal(d->headline, "3 sources: k: token: refused");
	/* the subject of a message counts it once, too */
	news[0].severity = "critical";
	news[0].summary = "x: is not covered";
	d = make(news, 4);
	assert_string_equal(
		d->subject, "[tpucost] CRITICAL: x: is not covered (and 1 more)");
}

/* Commands to paste, whatever the subject is called. */
static void the_first_one_can_be_looked_into(void **state)
{
	struct q_outbox_list news[] = {
		news_of("firing", "c-rule", "x'; rm", "critical"),
		news_of("resolved", "a-rule", VM("small"), "critical"),
	};
	char longest[202];
	struct doc *d = make(news, 2);

	assert_int_equal(d->n_notes, 3);
	assert_string_equal(d->notes[1],
		"All alerts: tpucost alerts. Details of the first one: tpucost why "
		"'alert:c-rule/x'\\''; rm'");
	assert_string_equal(d->notes[2],
		"To silence it: tpucost silence c-rule --subject 'x'\\''; rm' --for 2h");
	d = make(news + 1, 1);
	assert_int_equal(d->n_notes, 2);
	assert_string_equal(d->notes[1], "All alerts: tpucost alerts");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	news[0].subject = longest;
	d = make(news, 1);
	assert_string_equal(d->notes[1], "All alerts: tpucost alerts");
}

static void what_deleting_loses_is_said(void **state)
{
	const struct q_outbox_list news = news_of("firing", "disk-orphan", VM("d"), "info");
	struct doc *d;

	jw_vm("d", "stopped");
	tempdb_exec(&jw.t,
		"UPDATE resource SET kind = 'disk', source = 'disk', type = "
		"'pd-ssd', size_gib = 800");
	derive_all();
	d = make(&news, 1);
	assert_string_equal(command(d, 0),
		"gcloud compute disks delete d --zone us-central1-b --project p");
	assert_string_equal(doc_find(d, "firing")->rows[0].detail,
		"disk-orphan: p/vm/us-central1-b/d. Deleting it deletes its data.");
}

/* Eight sources of one trouble, and 22 machines. */
static void many_of_one_rule_become_a_number(void **state)
{
	struct q_outbox_list news[31];
	struct doc_section *s;
	size_t left;

	derive_all();
	jw_rule("mine", "1");
	jw_rule("stale", "1")->on = "sources";
	for (int i = 0; i < 31; i++)
		news[i] = news_of(i < 30 ? "firing" : "resolved", i < 8 ? "stale" : "mine",
			arena_printf(&jw.t.a, "s%d", i), "warning");
	s = doc_find(make(news, ARRAY_LEN(news)), "firing");
	assert_int_equal(s->n, 30); /* programs get all */
	assert_int_equal(doc_rows_shown(s, 0, &left), 5 + 20);
	assert_string_equal(s->note, "Not shown: 3 more of stale, 2 more of mine");
	assert_null(doc_find(make(news, ARRAY_LEN(news)), "resolved")->note);
	assert_string_equal(
		doc_find(make(news, ARRAY_LEN(news)), "resolved")->rows[0].detail,
		"mine: s30");
}

static void figures_have_the_time_of_the_oldest(void **state)
{
	struct q_outbox_list news[] = {news_of("firing", "r", "x", "critical"),
		news_of("repeat", "r", "y", "critical")};
	const struct doc *d;

	derive_all();
	news[1].as_of -= 3600;
	d = make(news, ARRAY_LEN(news));
	assert_string_equal(d->facts[0].title, "Figures as of");
	assert_int_equal(d->facts[0].cell.v, JW_NOW - 3660);
}

static void subjects_carry_the_news(void **state)
{
	struct q_outbox_list news = news_of("firing", "r", "x", "critical");
	struct doc *d = NULL;
	struct err e = {0};

	derive_all();
	assert_string_equal(make(&news, 1)->subject, "[tpucost] CRITICAL: r: x");
	assert_string_equal(make(&news, 1)->headline, "r: x");
	news.event = "repeat";
	assert_string_equal(make(&news, 1)->subject, "[tpucost] CRITICAL: still: r: x");
	news.event = "worse";
	news.severity = "warning";
	assert_string_equal(make(&news, 1)->subject, "[tpucost] warning: worse: r: x");
	news.event = "resolved";
	assert_string_equal(make(&news, 1)->subject, "[tpucost] resolved: r: x");
	assert_int_equal(make(&news, 1)->tone, TONE_GOOD);
	assert_ok(
		alert_doc(NULL, &jw.settings, &news, 1, true, JW_NOW, &jw.t.a, &d, &e), e);
	assert_string_equal(d->subject, "[tpucost] 1 alert: 1 resolved");
}

static void track(const char *subject, const char *mode, const char *state, int64_t due)
{
	tempdb_execf(&jw.t,
		"INSERT INTO action (rule, resource, uid, source, kind, project, location, "
		"name, verb, mode, severity, policy, state, held, reason, since, began, "
		"due, attempts) VALUES ('r', '%s', '1', 'vm', 'vm', 'p', 'z', 'n', 'stop', "
		"'%s', 'warning', '', '%s', '', '', 0, 0, %lld, 0)",
		subject, mode, state, (long long)due);
}

/* A long summary loses neither the number of the others nor its last sentence. */
static void a_long_subject_keeps_what_counts(void **state)
{
	struct q_outbox_list news[] = {news_of("firing", "r", VM("a"), "critical"),
		news_of("firing", "r", VM("b"), "warning"),
		news_of("resolved", "r", VM("c"), "critical")};

	news[0].summary = "train-resnet50-a (v3-8, on-demand, us-central1-a) is not "
			  "covered: v3-8 is granted in europe-west4-a; this one is in "
			  "us-central1-a (grant trc-november-2026). Its price per hour is "
			  "8.00 USD.";
	assert_string_equal(make(news, 3)->subject,
		"[tpucost] CRITICAL: train-resnet50-a (v3-8, on-demand, us-central1-a) is "
		"not covered: v3-8 is granted in europe-west4-a; this one is in "
		"us-central1-a (g... Its price per hour is 8.00 USD. (and 2 more)");
	assert_int_equal(strlen(make(news, 3)->subject), DOC_SUBJECT_MAX);
	assert_string_equal(make(news, 1)->subject,
		"[tpucost] CRITICAL: train-resnet50-a (v3-8, on-demand, us-central1-a) is "
		"not covered: v3-8 is granted in europe-west4-a; this one is in "
		"us-central1-a (grant trc-nove... Its price per hour is 8.00 USD.");
	/* a last sentence that is too long to keep */
	news[2].summary = arena_printf(&jw.t.a, "was: x. %0180d", 1);
	news[1].event = "resolved";
	assert_string_equal(make(news + 1, 2)->subject,
		"[tpucost] resolved: r: " VM("b") " (and 1 more)");
	assert_string_equal(make(news + 2, 1)->subject,
		arena_printf(&jw.t.a, "[tpucost] resolved: was: x. %0169d...", 0));
}

static void what_will_be_stopped_can_be_kept_from_it(void **state)
{
	const struct enforcement armed = {.mode = ENFORCE_ARMED};
	const struct enforcement dry = {.mode = ENFORCE_DRY_RUN};
	struct q_outbox_list news[] = {
		news_of("firing", "r", VM("a"), "warning"),
		news_of("firing", "r", VM("b"), "warning"),
		news_of("firing", "r", VM("c"), "warning"),
		news_of("firing", "r", VM("d"), "warning"),
	};
	const char *when, *want;
	struct doc *d;

	track(VM("a"), "armed", "grace", JW_NOW + 600);
	track(VM("b"), "dry-run", "grace", JW_NOW + 600);
	track(VM("c"), "armed", "sent", JW_NOW - 600);
	derive_all();
	jw.settings.enforcement = &armed;
	d = make(news, ARRAY_LEN(news));
	want = arena_printf(&jw.t.a, "tpucost hold add %s --until 20", VM("a"));
	assert_memory_equal(command(d, 0), want, strlen(want));
	want = "r: " VM("a") ". To prevent it from being stopped:";
	assert_string_equal(doc_find(d, "firing")->rows[0].detail, want);
	when = strstr(doc_find(d, "firing")->rows[1].detail, " It would be stopped at ");
	assert_non_null(when);
	assert_non_null(strstr(when, " (dry run)."));
	for (size_t i = 1; i < ARRAY_LEN(news); i++)
		assert_null(strstr(command(d, i), "hold"));
	assert_string_equal(doc_find(d, "firing")->rows[2].detail, "r: " VM("c"));
	assert_string_equal(doc_find(d, "firing")->rows[3].detail, "r: " VM("d"));
	/* nothing is armed any more, or it is over */
	jw.settings.enforcement = &dry;
	assert_null(strstr(command(make(news, 1), 0), "hold"));
	jw.settings.enforcement = &armed;
	news[0].event = "resolved";
	assert_null(doc_find(make(news, 1), "resolved")->rows[0].command);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, jw_setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(what_costs_most_stands_first),
		TEST(the_owner_of_a_resource_is_named),
		TEST(each_has_the_command_that_mends_it),
		TEST(one_cause_is_reported_once),
		TEST(the_first_one_can_be_looked_into),
		TEST(what_deleting_loses_is_said),
		TEST(many_of_one_rule_become_a_number),
		TEST(figures_have_the_time_of_the_oldest),
		TEST(subjects_carry_the_news),
		TEST(a_long_subject_keeps_what_counts),
		TEST(what_will_be_stopped_can_be_kept_from_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
