/* What channels are told of actions: once, at once, with what waits, and never less. */
#include "tests/support/world/outbox_world.h"

#include "base/data/json.h"
#include "base/money.h"
#include "db_sql.h"
#include "rules/enforce/enforce.h"
#include "tests/support/assert.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define W SEVERITY_WARNING
#define C SEVERITY_CRITICAL
#define NOTICES                                                                    \
	"SELECT group_concat(action || ' ' || kind || ' ' || channel, '; ') FROM " \
	"(SELECT * FROM action_notice ORDER BY action, kind, channel)"

static int setup(void **state)
{
	ow_setup(state);
	aw_arm();
	return 0;
}

static void expect_subjects(const char *want)
{
	struct sbuf b = SBUF_INIT;

	for (size_t i = 0; i < ow.n; i++)
		sbuf_addf(&b, "%s%s: %s", i ? "; " : "", ow.letters[i].channel,
			ow.letters[i].subject);
	if (strcmp(b.s, want) != 0)
		fail_msg("sent %s\n  want %s", b.s, want);
	sbuf_done(&b);
}

/* A member of a row of the section actions in a JSON letter, as text; "none". */
static const char *member(size_t letter, int row, const char *key)
{
	struct cJSON *j = NULL, *it;
	struct err e = {0};
	const char *body = ow.letters[letter].body, *text;
	char num[NANOS_BUF];
	int64_t nanos;

	assert_ok(json_parse(body, strlen(body), &j, &e), e);
	it = json_first(json_get(j, "actions"));
	while (it && row-- > 0)
		it = json_next(it);
	it = json_get(it, key);
	if (it && !json_is_string(it)) {
		assert_ok(json_nanos(it, &nanos, &e), e);
		text = nanos_format(nanos, num);
	} else {
		text = json_text(it, "none");
	}
	text = arena_strdup(&ow.t.a, text);
	json_free(j);
	return text;
}

static int items_of(size_t letter, const char *section)
{
	struct cJSON *j = NULL;
	struct err e = {0};
	const char *body = ow.letters[letter].body;
	int n;

	assert_ok(json_parse(body, strlen(body), &j, &e), e);
	n = (int)json_len(json_get(j, section));
	json_free(j);
	return n;
}

static void expect_warned(int64_t action, const char *want)
{
	struct q_action_warned_in in = {.action = action};
	struct q_action_warned q;
	struct err e = {0};
	char got[32] = "never";
	bool found;

	assert_ok(q_action_warned_one(ow.t.db, &in, &ow.t.a, &q, &found, &e), e);
	if (found && q.at.set)
		snprintf(got, sizeof(got), "%lld", (long long)(q.at.v - OW_NOW));
	assert_string_equal(got, want);
}

/* ---- warnings ---------------------------------------------------------------------------------- */

static void a_warning_is_told_once_on_every_channel(void **state)
{
	ow_channel("log");
	ow_channel("pager")->min_severity = C;
	ACT(.name = "wrong", .severity = "info");
	expect_warned(1, "never");
	ow_compose();
	ow_expect(NOTICES, "1 warning log; 1 warning pager");
	expect_warned(1, "never");
	ow_advance(5);
	ow_post();
	expect_subjects("log: [tpucost] wrong will be stopped at 00:30; "
			"pager: [tpucost] wrong will be stopped at 00:30");
	expect_warned(1, "5");
	for (int i = 0; i < 3; i++) {
		ow_advance(60);
		ow_cycle();
	}
	assert_int_equal(ow.n, 2);
	assert_string_equal(member(0, 0, "event"), "warning");
	assert_string_equal(member(0, 0, "due"), "2026-11-21T00:30:00Z");
	assert_string_equal(member(0, 0, "command"),
		"tpucost hold add p/tpu/us-central1-b/wrong --until 2026-11-28");
	assert_string_equal(member(0, 0, "saves_per_hour"), "8");
	assert_string_equal(member(0, 0, "residual_per_hour"), "0.1");
}

static void who_did_not_get_it_was_not_warned(void **state)
{
	ow_channel("log");
	ow_channel("pager");
	ACT();
	ow_fail(NULL, SEND_LATER, 2);
	ow_cycle();
	expect_warned(1, "never");
	ow_advance(60);
	ow_fail("log", SEND_LATER, 1);
	ow_cycle();
	expect_warned(1, "60");
	ow_expect("SELECT group_concat(channel || ' ' || state, '; ') FROM notification",
		"log pending; pager sent");
}

static void with_what_waits_it_is_one_message(void **state)
{
	struct channel *c;

	c = ow_channel("log");
	c->group_wait = 600;
	c->group_interval = 600;
	ow_note("firing", "vm", "b", W);
	ow_cycle();
	assert_int_equal(ow.n, 0);
	ACT(.name = "wrong");
	ow_cycle();
	expect_subjects("log: [tpucost] wrong will be stopped at 00:30 (and 1 more)");
	assert_int_equal(items_of(0, "actions"), 1);
	assert_int_equal(items_of(0, "firing"), 1);
	assert_true(strstr(ow.letters[0].body, "actions") <
		strstr(ow.letters[0].body, "firing"));
	ow_expect("SELECT state FROM outbox", "told");
	/* and nothing of the pace of people keeps the next one back */
	ACT(.name = "other");
	ow_advance(1);
	ow_cycle();
	assert_int_equal(ow.n, 2);
}

static void nothing_is_told_of_dry_runs(void **state)
{
	static const struct enforcement dry = {.mode = ENFORCE_DRY_RUN};

	ow_channel("log");
	ACT(.name = "dry", .mode = "dry-run");
	ACT(.name = "over", .mode = "dry-run", .state = "cleared", .over = true);
	ACT(.name = "mode", .state = "grace", .held = "mode", .due = 60);
	ACT(.name = "pending", .state = "pending");
	ow_cycle();
	/* armed once, and not any more */
	ow.settings.enforcement = &dry;
	ACT(.name = "was");
	ACT(.name = "limit", .state = "recheck", .held = "caps", .reason = "limit reached");
	ow_cycle();
	ow.settings.enforcement = NULL;
	ow_cycle();
	assert_int_equal(ow.n, 0);
	ow_expect("SELECT COUNT(*) FROM action_notice", "0");
}

/* ---- afterwards -------------------------------------------------------------------------------- */

static void outcomes_go_on_from_the_warning(void **state)
{
	int64_t done, failed;

	ow_channel("log");
	done = ACT(.name = "wrong", .operation = "op-7", .sent = 1860);
	failed = ACT(.name = "other");
	ow_cycle();
	ow_advance(1900);
	aw_state(done, "done", "", "stopped; confirmed by Google");
	aw_state(failed, "failed", "",
		"Google refuses: 403 forbidden; run: gcloud projects "
		"add-iam-policy-binding p "
		"--member=serviceAccount:x --role=r, or see docs/iam.md");
	ow_cycle();
	assert_int_equal(ow.n, 2);
	assert_string_equal(ow.letters[1].refs, ow.letters[0].id);
	assert_string_equal(
		ow.letters[1].subject, "[tpucost] other could not be stopped (and 1 more)");
	assert_string_equal(member(1, 0, "event"), "outcome");
	assert_string_equal(member(1, 0, "severity"), "critical");
	assert_string_equal(member(1, 0, "command"),
		"gcloud projects add-iam-policy-binding p --member=serviceAccount:x "
		"--role=r");
	assert_string_equal(member(1, 0, "detail"),
		"Google refuses: 403 forbidden. Rule tpu: its condition is met. It still "
		"costs about 8.00 USD/h. To fix that:");
	assert_string_equal(member(1, 1, "name"), "wrong");
	assert_string_equal(member(1, 1, "stage"), "done");
	assert_string_equal(member(1, 1, "operation"), "op-7");
	assert_string_equal(member(1, 1, "command"),
		"gcloud compute tpus tpu-vm start wrong --zone us-central1-b --project p");
	assert_string_equal(member(1, 1, "detail"),
		"It was stopped at 2026-11-21 00:31 (UTC), 40s after Google was asked. "
		"Rule tpu: its condition is met. It ran for 2h 31m and cost about 20.13 "
		"USD in that time. That saves about 8.00 USD/h, about 5840.00 USD a month. "
		"Its disks and addresses still cost about 0.10 USD/h. To start it again:");
	/* 2 h 31 min at 8 USD an hour */
	assert_string_equal(member(1, 1, "cost"), "20.133333333");
	ow_advance(60);
	ow_cycle();
	assert_int_equal(ow.n, 2);
	ow_expect(NOTICES, "1 outcome log; 1 warning log; 2 outcome log; 2 warning log");
}

static void what_is_never_stopped_is_not_advised(void **state)
{
	int64_t never, wrong;

	ow_channel("log");
	never = ACT(.name = "ssd", .kind = "vm", .source = "vm");
	wrong = ACT(.name = "tpu");
	ow_cycle();
	aw_state(never, "failed", "", ENFORCE_NEVER "a stop would lose its local SSDs");
	aw_state(wrong, "failed", "", ENFORCE_WRONG "another machine was stopped");
	ow_cycle();
	assert_string_equal(member(1, 0, "command"), "none");
	assert_string_equal(member(1, 0, "detail"),
		"never acted on: a stop would lose its local SSDs. Rule tpu: its condition "
		"is met. It still costs about 8.00 USD/h. tpucost tries again only after "
		"the machine is restarted or the rule is changed.");
	assert_string_equal(member(1, 1, "command"),
		"gcloud compute tpus tpu-vm start tpu --zone us-central1-b --project p");
}

static void what_a_limit_holds_is_said_once_and_loudly(void **state)
{
	int64_t x;

	ow_channel("log");
	x = ACT(.name = "wrong", .severity = "info");
	ow_cycle();
	ow_advance(1800);
	aw_state(x, "recheck", "window", "it is outside enforcement.windows");
	ow_cycle();
	assert_int_equal(ow.n, 1);
	aw_state(x, "recheck", "caps", "limit reached: 4 ready, 3 a run");
	for (int i = 0; i < 3; i++) {
		ow_advance(60);
		ow_cycle();
		aw_state(x, "recheck", i ? "caps" : "back-off", "limit reached");
	}
	assert_int_equal(ow.n, 2);
	assert_string_equal(ow.letters[1].subject,
		"[tpucost] wrong not stopped: limit reached: 4 ready, 3 a run");
	assert_string_equal(member(1, 0, "event"), "held");
	assert_string_equal(member(1, 0, "severity"), "critical");
	assert_string_equal(member(1, 0, "command"), "tpucost enforce approve 1");
	ow_expect("SELECT critical FROM notification WHERE id = 2", "1");
}

/* Who was told that it will be stopped has to hear that nobody can. */
static void what_cannot_be_looked_at_is_said_after_a_while(void **state)
{
	int64_t x;

	ow_channel("log");
	x = ACT(.name = "wrong", .severity = "info");
	ow_cycle();
	aw_state(x, "recheck", "look",
		"could not ask Google for its state: HTTP 403; run: gcloud iam x, or y");
	ow_advance(899);
	ow_cycle();
	assert_int_equal(ow.n, 1);
	ow_advance(1);
	ow_cycle();
	ow_advance(60);
	ow_cycle();
	assert_int_equal(ow.n, 2);
	assert_string_equal(ow.letters[1].subject,
		"[tpucost] wrong not stopped: could not ask Google for its state: HTTP "
		"403");
	assert_string_equal(member(1, 0, "event"), "held");
	assert_string_equal(member(1, 0, "command"), "gcloud iam x");
}

static void another_project_cannot_be_approved(void **state)
{
	int64_t x;

	ow_channel("log");
	x = ACT(.name = "wrong");
	ow_cycle();
	aw_state(x, "recheck", "wrong-project", "the credentials see another project");
	ow_advance(900);
	ow_cycle();
	assert_int_equal(ow.n, 2);
	assert_null(strstr(member(1, 0, "command"), "approve"));
	assert_non_null(strstr(member(1, 0, "command"), " stop wrong "));
}

static void what_nobody_heard_of_may_still_run(void **state)
{
	int64_t x;

	ow_channel("log");
	x = ACT(.name = "wrong", .sent = 60);
	ow_cycle();
	aw_state(x, "unknown", "", "no answer, perhaps it happened");
	ow_advance(60 + 899);
	ow_cycle();
	assert_int_equal(ow.n, 1);
	ow_advance(1);
	ow_cycle();
	assert_int_equal(ow.n, 2);
	assert_string_equal(ow.letters[1].subject, "[tpucost] wrong may still be running");
	assert_string_equal(member(1, 0, "event"), "unclear");
	assert_string_equal(member(1, 0, "command"),
		"gcloud compute tpus tpu-vm stop wrong --zone us-central1-b --project p");
	assert_string_equal(member(1, 0, "detail"),
		"At 2026-11-21 00:01 (UTC) tpucost asked Google to stop it; the outcome is "
		"unknown. no answer, perhaps it happened. It may still be running and "
		"costs about 8.00 USD/h. To do it manually:");
	/* how it ended is told all the same */
	aw_state(x, "done", "", "stopped");
	ow_cycle();
	assert_string_equal(member(2, 0, "event"), "outcome");
}

static void that_it_is_cancelled_is_told_where_it_was_announced(void **state)
{
	int64_t x, y;

	ow_channel("log");
	x = ACT(.name = "wrong");
	y = ACT(.name = "never", .state = "pending");
	ow_cycle();
	ow_channel("late");
	aw_state(x, "cleared", "", "the condition no longer holds");
	aw_state(y, "cleared", "", "the condition no longer holds");
	ow_cycle();
	assert_int_equal(ow.n, 2);
	assert_string_equal(ow.letters[1].channel, "log");
	assert_string_equal(ow.letters[1].subject, "[tpucost] wrong will not be stopped");
	assert_string_equal(ow.letters[1].refs, ow.letters[0].id);
	assert_string_equal(member(1, 0, "detail"), "the condition no longer holds.");
	assert_string_equal(member(1, 0, "command"), "none");
	ow_expect(NOTICES, "1 cancelled log; 1 warning log");
}

static void expect_cancelled(const char *want)
{
	ow_expect("SELECT COALESCE(group_concat(action, ' '), '') FROM action_notice WHERE "
		  "kind = 'cancelled' AND message <> ''",
		want);
}

/* Action 1 is cancelled, and 2 is another one on the machine: in state `then`, and later in `later`. One that was
 * announced speaks for both. */
static void it_is_not_cancelled_if_it_happens_all_the_same(void **state)
{
	static const struct {
		const char *verb, *other, *then, *told, *later, *in_all, *mode;
	} cases[] = {{"stop", "stop", "warning", "", "done", ""},
		{"stop", "stop", "grace", "", "cleared", "2"},
		{"stop", "stop", "recheck", "", "superseded", "2"},
		{"stop", "stop", "sent", "", "done", ""},
		{"stop", "stop", "sent", "", "superseded", "1"},
		{"stop", "stop", "done", "", "done", ""},
		{"stop", "stop", "pending", "1", "cleared", "1"},
		{"stop", "stop", "failed", "1", "failed", "1"},
		{"stop", "delete", "grace", "", "done", ""},
		{"stop", "delete", "grace", "", "cleared", "1 2"},
		{"delete", "stop", "grace", "1", "done", "1"},
		{"delete", "delete", "grace", "", "done", ""},
		{"stop", "stop", "grace", "1", "done", "1", "dry-run"}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		ow_channel("log");
		ACT(.name = "wrong", .verb = cases[i].verb);
		ow_cycle();
		aw_state(1, "superseded", "", "the rule or its mode was changed");
		ACT(.name = "wrong", .verb = cases[i].other, .mode = cases[i].mode);
		aw_state(2, cases[i].then, "", "");
		ow_cycle();
		expect_cancelled(cases[i].told);
		ow_advance(60);
		aw_state(2, cases[i].later, "", "");
		ow_cycle();
		expect_cancelled(cases[i].in_all);
		/* its owner need not be mailed any longer */
		ow_expect("SELECT COUNT(*) FROM action_notice WHERE action = 1 AND kind = "
			  "'cancelled'",
			"1");
		tempdb_teardown(state);
		setup(state);
	}
}

/* ---- channels ---------------------------------------------------------------------------------- */

static void a_new_channel_hears_what_is_open_and_not_what_is_past(void **state)
{
	int64_t old, open;

	ow_channel("log");
	old = ACT(.name = "old");
	ow_cycle();
	aw_state(old, "done", "", "stopped");
	ow_cycle();
	open = ACT(.name = "open", .state = "grace", .due = 600);
	ow_cycle();
	assert_int_equal(ow.n, 3);
	ow_channel("new");
	ow_cycle();
	assert_int_equal(ow.n, 4);
	assert_string_equal(ow.letters[3].channel, "new");
	assert_string_equal(
		ow.letters[3].subject, "[tpucost] open will be stopped at 00:10");
	aw_state(open, "done", "", "stopped");
	ow_cycle();
	assert_int_equal(ow.n, 6);
}

static void what_a_dead_channel_missed_it_hears_when_it_is_mended(void **state)
{
	struct channel *c;

	c = ow_channel("log");
	ow_channel("pager");
	ACT(.name = "wrong");
	ow_fail("log", SEND_SWITCHED_OFF, 1);
	ow_cycle();
	assert_string_equal(
		ow.letters[ow.n - 1].subject, "[tpucost] wrong will be stopped at 00:30");
	expect_warned(1, "0"); /* by the other one */
	ow_advance(60);
	ow_cycle();
	ow_expect("SELECT COUNT(*) FROM notification WHERE channel = 'log'", "1");
	ACT(.name = "more");
	ow_advance(60);
	ow_cycle();
	c->version = "2";
	ow_advance(60);
	ow_cycle();
	assert_string_equal(ow.letters[ow.n - 1].channel, "log");
	assert_int_equal(items_of(ow.n - 1, "actions"), 2);
	ow_advance(60);
	ow_cycle();
	ow_expect(
		NOTICES, "1 warning log; 1 warning pager; 2 warning log; 2 warning pager");
}

static void a_channel_that_comes_back_is_warned_again(void **state)
{
	ow_channel("log");
	ow_channel("pager");
	ACT(.name = "wrong");
	ow_compose();
	ow.o.n = 1; /* before it was sent */
	ow_cycle();
	ow_expect("SELECT group_concat(channel || ' ' || state, '; ') FROM (SELECT * FROM "
		  "notification ORDER BY channel)",
		"log sent; pager dropped");
	ow.o.n = 2;
	ow_advance(60);
	ow_cycle();
	assert_int_equal(ow.n, 2);
	assert_string_equal(ow.letters[1].channel, "pager");
}

/* Saturday 00:00; the night ends at 07:00. */
static void at_night_only_what_is_critical_is_warned_of(void **state)
{
	struct channel *c;
	int64_t x, y;

	c = ow_channel("log");
	c->quiet_from = 22 * 60;
	c->quiet_until = 7 * 60;
	x = ACT(.name = "calm", .severity = "warning");
	ow_cycle();
	assert_int_equal(ow.n, 0);
	expect_warned(x, "never");
	y = ACT(.name = "grave");
	ow_cycle();
	expect_subjects("log: [tpucost] grave will be stopped at 00:30");
	aw_state(y, "done", "", "stopped");
	ow_cycle();
	assert_int_equal(ow.n, 2); /* outcomes do not wait */
	assert_int_equal(items_of(1, "actions"), 1);
	ow_advance(7 * 3600 - 1);
	ow_cycle();
	assert_int_equal(ow.n, 2);
	ow_advance(1);
	ow_cycle();
	assert_string_equal(
		ow.letters[2].subject, "[tpucost] calm will be stopped at 07:30");
	expect_warned(x, "25200");
	/* nor is anybody woken to hear that nothing happens */
	ow_advance(16 * 3600);
	aw_state(x, "cleared", "", "on hold");
	ow_cycle();
	assert_int_equal(ow.n, 3);
	ow_advance(8 * 3600);
	ow_cycle();
	assert_int_equal(ow.n, 4);
}

static void at_night_an_outcome_of_any_rule_is_sent(void **state)
{
	struct channel *c;

	c = ow_channel("log");
	c->quiet_from = 60;
	c->quiet_until = 7 * 60;
	ACT(.name = "calm", .severity = "warning");
	ow_cycle();
	ow_advance(2 * 3600);
	aw_state(1, "done", "", "stopped");
	ow_cycle();
	assert_int_equal(ow.n, 2);
	assert_int_equal(items_of(1, "actions"), 1);
}

static void a_warning_that_is_late_waits_for_the_morning(void **state)
{
	struct channel *c;

	c = ow_channel("log");
	c->quiet_from = 60;
	c->quiet_until = 7 * 60;
	ACT(.severity = "warning");
	ow_fail(NULL, SEND_LATER, 1);
	ow_cycle();
	ow_advance(2 * 3600);
	ow_cycle();
	expect_warned(1, "never");
	ow_advance(5 * 3600);
	ow_cycle();
	expect_warned(1, "25200");
}

static void a_storm_of_alerts_keeps_no_action_back(void **state)
{
	ow_channel("log");
	for (int i = 0; i < 30; i++) {
		char name[16];

		snprintf(name, sizeof(name), "s%d", i);
		ow_note("firing", "vm", name, W);
		ow_advance(1);
		ow_cycle();
	}
	assert_int_equal(ow.n, OUTBOX_STORM);
	ACT(.name = "wrong");
	ow_cycle();
	assert_int_equal(ow.n, OUTBOX_STORM + 1);
	assert_int_equal(items_of(OUTBOX_STORM, "actions"), 1);
	assert_int_equal(items_of(OUTBOX_STORM, "firing"), 10);
}

/* ---- how much ---------------------------------------------------------------------------------- */

static struct channel *mail_channel(void)
{
	static const char *const to[] = {"me@example.org"};
	struct channel *c = ow_channel("mail");

	c->kind = CHANNEL_EMAIL;
	c->to = to;
	c->n_to = 1;
	return c;
}

static void many(int n, const char *name)
{
	tempdb_exec(&ow.t, "BEGIN");
	for (int i = 0; i < n; i++)
		ACT(.name = arena_printf(&ow.t.a, "n%03d%s", i, name));
	tempdb_exec(&ow.t, "COMMIT");
}

static size_t count_of(const char *body, const char *what)
{
	size_t n = 0;

	for (const char *p = body; (p = strstr(p, what)); p++)
		n++;
	return n;
}

/* All that one message tells of is named in it, whatever people see of it. */
static void expect_named(const char *channel, const char *id, const char *const *bodies)
{
	size_t n = (size_t)tempdb_int(&ow.t,
		arena_printf(&ow.t.a,
			"SELECT COUNT(*) FROM action_notice WHERE channel = '%s' AND "
			"message = '%s'",
			channel, id));

	assert_true(n > 0);
	for (size_t i = 0; i < n; i++) {
		char name[100];

		tempdb_text(&ow.t,
			arena_printf(&ow.t.a,
				"SELECT name FROM action JOIN action_notice USING (action) "
				"WHERE channel = '%s' AND message = '%s' ORDER BY action "
				"LIMIT 1 OFFSET %zu",
				channel, id, i),
			name, sizeof(name));

		for (const char *const *b = bodies; *b; b++)
			if (!strstr(*b, name))
				fail_msg("%s is told nothing of %s", channel, name);
	}
}

static void a_thousand_actions_are_all_named(void **state)
{
	static char html[100 * 1024];
	const char *body;

	ow_channel("log");
	mail_channel();
	many(1000, "");
	ow_cycle();
	expect_subjects("log: [tpucost] n000 will be stopped at 00:30 (and 199 more); "
			"mail: [tpucost] n000 will be stopped at 00:30 (and 199 more)");
	assert_int_equal(items_of(0, "actions"), 200);
	body = ow.letters[1].body;
	assert_int_equal(count_of(body, "tpucost hold add "), 20);
	assert_non_null(strstr(body, "Not in this message: 800 more; they follow."));
	assert_non_null(
		strstr(body, "n199 (us-central1-b, project p) will be stopped at 00:30\n"));
	assert_null(strstr(body, "n200"));
	tempdb_text(&ow.t, "SELECT html FROM notification WHERE html IS NOT NULL", html,
		sizeof(html));
	expect_named("log", ow.letters[0].id, (const char *[]){ow.letters[0].body, NULL});
	expect_named(
		"mail", ow.letters[1].id, (const char *[]){ow.letters[1].body, html, NULL});
	ow_expect("SELECT COUNT(*) || ' ' || MAX(action) FROM action_notice", "400 200");
	expect_warned(200, "0");
	expect_warned(201, "never");
	for (int i = 0; i < 5; i++)
		ow_cycle();
	ow_expect("SELECT COUNT(*) FROM action_notice", "2000");
	assert_int_equal(ow.n, 10);
	assert_string_equal(ow.letters[9].subject,
		"[tpucost] n800 will be stopped at 00:30 (and 199 more)");
	assert_null(strstr(ow.letters[9].body, "Not in this message"));
}

/* Both what Slack shows and the text that other chats show name each. */
static void what_does_not_fit_is_told_later(void **state)
{
	struct cJSON *j = NULL;
	struct err e = {0};

	ow_channel("chat")->kind = CHANNEL_SLACK;
	many(60, "-train");
	ow_note("firing", "vm", "b", W);
	for (int i = 0; i < 8; i++)
		ow_cycle();
	ow_expect("SELECT COUNT(*) FROM action_notice", "60");
	assert_true(ow.n > 2 && ow.n < 8);
	for (size_t i = 0; i < ow.n; i++) {
		const char *body = ow.letters[i].body, *text, *blocks;

		assert_true(strlen(body) <= 10000);
		assert_ok(json_parse(body, strlen(body), &j, &e), e);
		text = json_text(json_get(j, "text"), "");
		blocks = strstr(body, "\"blocks\"");
		expect_named(
			"chat", ow.letters[i].id, (const char *[]){text, blocks, NULL});
		json_free(j);
	}
}

/* Names may be long, and of what makes texts long: at last it is one in a message. */
static void long_names_are_told_in_more_messages(void **state)
{
	const char *name = "-&&&&&&&&&&<<<<<<<<<<>>>>>>>>>>````````````````````***********";

	ow_channel("chat")->kind = CHANNEL_SLACK;
	mail_channel();
	many(30, name);
	for (int i = 0; i < 30; i++)
		ow_cycle();
	ow_expect("SELECT COUNT(*) FROM action_notice", "60");
	for (size_t i = 0; i < ow.n; i++)
		assert_true(strlen(ow.letters[i].body) <=
			(*ow.letters[i].channel == 'c' ? 10000 : 100 * 1024));
}

static void a_crash_leaves_nothing_and_a_repeat_adds_nothing(void **state)
{
	struct db_tx tx = {0};
	struct err e = {0};

	ow_channel("log");
	ACT(.name = "wrong");
	assert_ok(db_begin(ow.t.db, &tx, &e), e);
	ow_compose();
	db_tx_end(&tx); /* never committed */
	ow_expect(
		"SELECT (SELECT COUNT(*) FROM action_notice) + COUNT(*) FROM notification",
		"0");
	ow_compose();
	ow_compose();
	ow_expect("SELECT (SELECT COUNT(*) FROM action_notice) * 10 + COUNT(*) FROM "
		  "notification",
		"11");
	ow_expect("SELECT COUNT(*) FROM action_notice a JOIN notification n ON "
		  "n.message = a.message",
		"1");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(a_warning_is_told_once_on_every_channel),
		TEST(who_did_not_get_it_was_not_warned),
		TEST(with_what_waits_it_is_one_message),
		TEST(nothing_is_told_of_dry_runs),
		TEST(outcomes_go_on_from_the_warning),
		TEST(what_is_never_stopped_is_not_advised),
		TEST(what_a_limit_holds_is_said_once_and_loudly),
		TEST(what_cannot_be_looked_at_is_said_after_a_while),
		TEST(another_project_cannot_be_approved),
		TEST(what_nobody_heard_of_may_still_run),
		TEST(that_it_is_cancelled_is_told_where_it_was_announced),
		TEST(it_is_not_cancelled_if_it_happens_all_the_same),
		TEST(a_new_channel_hears_what_is_open_and_not_what_is_past),
		TEST(what_a_dead_channel_missed_it_hears_when_it_is_mended),
		TEST(a_channel_that_comes_back_is_warned_again),
		TEST(at_night_only_what_is_critical_is_warned_of),
		TEST(at_night_an_outcome_of_any_rule_is_sent),
		TEST(a_warning_that_is_late_waits_for_the_morning),
		TEST(a_storm_of_alerts_keeps_no_action_back),
		TEST(a_thousand_actions_are_all_named),
		TEST(what_does_not_fit_is_told_later),
		TEST(long_names_are_told_in_more_messages),
		TEST(a_crash_leaves_nothing_and_a_repeat_adds_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
