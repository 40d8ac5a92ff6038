/* The words of messages about actions: nothing left out, nothing that nobody knows. */
#include "rules/act/audit.h"
#include "rules/enforce/enforce.h"
#include "tests/support/world/outbox_world.h"
#include "tests/support/unit.h"

#include <string.h>

static int setup(void **state)
{
	ow_setup(state);
	aw_arm();
	return 0;
}

/* Its lines joined, in place. */
static const char *joined(char *text)
{
	char *w = text;

	for (const char *r = text; *r; r++)
		if (!(*r == ' ' || *r == '\n') || (w > text && w[-1] != ' '))
			*w++ = *r == '\n' ? ' ' : *r;
	*w = '\0';
	return text;
}

/* The text of a mail about what is there, with its lines joined. */
static const char *mail(void)
{
	static const char *const to[] = {"me@example.org"};
	struct channel *c = ow.o.n ? &ow.channels[0] : ow_channel("mail");

	c->kind = CHANNEL_EMAIL;
	c->to = to;
	c->n_to = 1;
	ow_cycle();
	return joined(ow.letters[ow.n - 1].body);
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no \"%s\" in\n%s", part, text);
}

static void a_warning_says_all_that_is_to_be_known(void **state)
{
	const char *text;

	tempdb_exec(&ow.t,
		"INSERT INTO alert (rule, subject, state, data, severity, since, "
		"last_true, stage, summary, labels) VALUES ('tpu', "
		"'p/tpu/us-central1-b/wrong', 'firing', 'fresh', 'critical', 0, 0, 0, "
		"'wrong (v3-8) is not free', '{}')");
	tempdb_exec(&ow.t,
		"INSERT INTO resource (id, uid, source, kind, project, location, name, "
		"state, raw_state, type, labels, first_seen, last_seen, complete) VALUES "
		"('p/tpu/us-central1-b/wrong', '7', 'tpu', 'tpu', 'p', 'us-central1-b', "
		"'wrong', 'running', 'READY', 'v3-8', '{}', 0, 0, 1)");
	ACT(.name = "wrong");
	text = mail();
	has(text,
		"tpucost: wrong will be stopped at 00:30 wrong will be stopped at 00:30; "
		"and 1 alert. Actions on machines What Type Action When Project Zone ! "
		"wrong");
	has(text, "Problems Severity Rule What For Costs now ! critical");
	has(text,
		"It (v3-8 in us-central1-b, project p) will be stopped at 2026-11-21 00:30 "
		"(UTC). Rule tpu: wrong (v3-8) is not free. That saves about 8.00 USD/h. "
		"Its disks and addresses still cost about 0.10 USD/h. Its disks and their "
		"data stay. To prevent it: tpucost hold add p/tpu/us-central1-b/wrong "
		"--until 2026-11-28 To start it again after that: gcloud compute tpus "
		"tpu-vm start wrong --zone us-central1-b --project p ");
	has(text,
		"wrong (v3-8) is not free. To prevent it from being stopped: tpucost hold "
		"add p/tpu/us-central1-b/wrong --until 2026-11-28");
}

/* A TPU may have a disk that no list shows: what is seen is said, and no more. */
static void that_nothing_costs_on_is_not_promised(void **state)
{
	ACT(.name = "wrong");
	tempdb_exec(&ow.t, "UPDATE action SET residual = 0");
	has(mail(),
		"That saves about 8.00 USD/h. None of its listed disks and addresses costs "
		"anything after that. Its disks");
}

/* An action stores one currency; the machine may leave costs in several. */
static void what_remains_is_told_in_each_currency(void **state)
{
	ACT(.name = "wrong");
	tempdb_exec(&ow.t,
		"UPDATE action SET residual = NULL; INSERT INTO residual (id, text) "
		"SELECT resource, '0.53 HKD/h + 0.01 USD/h' FROM action");
	has(mail(), "Its disks and addresses still cost about 0.53 HKD/h + 0.01 USD/h.");
}

static size_t count_of(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, what)); p++)
		n++;
	return n;
}

static void a_figure_and_a_zone_are_said_once(void **state)
{
	static const char *const summaries[] = {
		"It costs 8.00 USD an hour.", "It costs 18.00 USD an hour.", "It is idle."};
	static const size_t saves[] = {0, 1, 1};
	static char html[30000];

	ACT(.name = "first");
	mail(); /* a channel that is there hears no alerts that nobody noted */
	for (size_t i = 0; i < ARRAY_LEN(summaries); i++) {
		const char *text;

		tempdb_exec(&ow.t,
			arena_printf(&ow.t.a,
				"INSERT INTO alert (rule, subject, state, data, severity, "
				"since, last_true, stage, summary, labels) VALUES ('tpu', "
				"'p/tpu/us-central1-b/n%zu', 'firing', 'fresh', "
				"'critical', 0, 0, 0, '%s', '{}')",
				i, summaries[i]));
		ACT(.name = arena_printf(&ow.t.a, "n%zu", i));
		text = mail();
		assert_int_equal(count_of(text, "That saves about 8.00 USD/h."), saves[i]);
		assert_int_equal(count_of(text, " 8.00 USD"), 1);
		assert_null(strstr(text, "Costs"));
		assert_int_equal(count_of(text, "Times are "), 1);
	}
	tempdb_text(&ow.t, "SELECT html FROM notification ORDER BY id DESC", html,
		sizeof(html));
	assert_int_equal(count_of(html, "Times are "), 1);
}

static void chat_has_the_head_of_the_audit_and_how_to_halt(void **state)
{
	static const struct audit_entry entry = {.actor = "tpucost", .event = "began"};
	char hash[AUDIT_HASH_BUF];
	struct err e = {0};
	int64_t x;

	ow_channel("chat")->kind = CHANNEL_SLACK;
	assert_int_equal(audit_add(ow.t.db, &entry, OW_NOW, &e), E_OK);
	x = ACT(.name = "wrong");
	ow_cycle();
	aw_state(x, "done", "", "stopped");
	ow_cycle();
	assert_int_equal(ow.n, 2);
	tempdb_text(&ow.t, "SELECT hash FROM audit", hash, sizeof(hash));
	for (size_t i = 0; i < ow.n; i++) {
		has(ow.letters[i].body,
			"To prevent all further actions: tpucost enforce halt");
		has(ow.letters[i].body,
			arena_printf(&ow.t.a, "Audit: 1 entry, newest hash %s", hash));
	}
}

static void a_warning_outside_the_windows_says_when_they_open(void **state)
{
	static const struct enforce_window monday = {0x01, 9 * 60, 18 * 60};
	struct enforcement en = *ow.settings.enforcement;
	const char *text;

	en.windows = &monday;
	en.n_windows = 1;
	ow.settings.enforcement = &en;
	ACT(.name = "wrong");
	/* its grace period has ended already */
	ACT(.name = "held", .state = "recheck", .held = "window", .due = -60,
		.reason = "it is outside enforcement.windows (UTC)");
	text = mail();
	assert_string_equal(ow.letters[0].subject,
		"[tpucost] wrong will be stopped, not before the window opens: Mon "
		"2026-11-23 09:00 (UTC) (and 1 more)");
	has(text,
		"It (us-central1-b, project p) will be stopped, not before the window "
		"opens: Mon 2026-11-23 09:00 (UTC). Rule tpu");
	has(text, "! held - will be stopped 2026-11-23 09:00 ");
	assert_null(strstr(text, "will be stopped now"));
	assert_null(strstr(text, "00:30"));
	assert_null(strstr(text, "It is held at the moment"));
}

static void a_deletion_says_what_is_lost(void **state)
{
	static const struct rule rules[] = {{.name = "tpu",
		.on = "resources",
		.then = {.action = "delete", .grace = 1800, .armed = true}}};
	int64_t x;
	const char *text;

	ow.settings.rules = rules;
	x = ACT(.name = "slice", .verb = "delete", .unpriced = true, .held = "halt",
		.reason = "halted: /etc/tpucost/halt is there");
	text = mail();
	has(text, "slice will be deleted at 00:30");
	has(text,
		"It is on hold now (halt), and continues later: halted: "
		"/etc/tpucost/halt is there.");
	has(text,
		"The saving is unknown. The cost of its disks and addresses after that is "
		"unknown.");
	has(text, "its data is lost");
	assert_null(strstr(text, "0.00"));
	aw_state(x, "done", "", "deleted; no list contains it any longer");
	ow_cycle();
	text = ow.letters[1].body;
	has(text, "deleted; no list contains it any longer.");
	assert_null(strstr(text, "anew:"));
	assert_null(strstr(text, "0.00"));
}

static void a_second_step_names_the_first(void **state)
{
	static const struct rule rules[] = {{.name = "tpu",
		.on = "resources",
		.then = {.action = "stop", .grace = 1800, .armed = true},
		.later = {.action = "delete",
			.after = 604800,
			.grace = 86400,
			.armed = true}}};
	int64_t x;

	ow.settings.rules = rules;
	x = ACT(.name = "slice", .verb = "delete");
	tempdb_execf(&ow.t,
		"UPDATE action SET follows = 7, frees = '24 v6e chips of quota in "
		"europe-west4' WHERE action = %lld",
		(long long)x);
	has(mail(),
		"will be deleted at 2026-11-28 00:00 (UTC). Rule tpu stopped it (action "
		"7), and it was not started since.");
	has(ow.letters[0].body, "That frees 24 v6e chips of quota in europe-west4.");
	aw_state(x, "done", "", "deleted; no list contains it any longer");
	ow_cycle();
	has(ow.letters[1].body, "It freed 24 v6e chips of\n    quota in europe-west4.");
}

static void a_wrong_target_says_which_machine_to_look_at(void **state)
{
	int64_t x;
	const char *text;

	x = ACT(.name = "wrong");
	mail();
	aw_state(x, "failed", "",
		ENFORCE_WRONG
		"another machine (id 888) had taken its name and may have been "
		"stopped instead; check that machine, and start it again");
	tempdb_exec(&ow.t, "UPDATE action SET uid = '777'");
	ow_cycle();
	text = joined(ow.letters[1].body);
	has(text,
		"wrong (id 777), the intended machine, is gone. Check the machine that is "
		"wrong (id 888) in us-central1-b, project p, now: if it is stopped, start "
		"it again. To start the affected machine:");
	assert_null(strstr(text, "goes on costing"));
}

static void what_mends_a_refusal_has_two_steps(void **state)
{
	int64_t x;
	const char *text;

	x = ACT(.name = "wrong");
	mail();
	aw_state(x, "failed", "",
		"Google refuses: 403 forbidden; run: gcloud projects "
		"add-iam-policy-binding p --member=serviceAccount:x --role=r, or see "
		"docs/iam.md");
	ow_cycle();
	text = ow.letters[1].body;
	has(text,
		"\n      gcloud projects add-iam-policy-binding p "
		"--member=serviceAccount:x --role=r\n    Then, to allow the rule to act in "
		"project p again, with a warning first:\n      tpucost enforce resume\n");
}

static void without_a_grace_it_is_now(void **state)
{
	static const struct rule rules[] = {{.name = "tpu",
		.on = "resources",
		.then = {.action = "stop", .armed = true}}};

	ow.settings.rules = rules;
	ACT(.name = "wrong", .currency = "HKD");
	has(mail(),
		"It (us-central1-b, project p) will be stopped now. Rule tpu: its "
		"condition is met. That saves about 8.00 HKD/h.");
	assert_string_equal(ow.letters[0].subject, "[tpucost] wrong will be stopped now");
	/* nobody knows the grace of a rule that is gone */
	ow.settings.n_rules = 0;
	ACT(.name = "other");
	ow_cycle();
	assert_string_equal(ow.letters[1].subject,
		"[tpucost] other will be stopped when its grace ends");
}

static void a_stop_that_fails_is_announced_as_that(void **state)
{
	const char *text;

	ACT(.name = "wrong");
	tempdb_execf(&ow.t, "UPDATE action SET attempts = 9, next_at = %lld",
		(long long)OW_NOW + 3 * 3600);
	text = mail();
	assert_string_equal(ow.letters[0].subject,
		"[tpucost] wrong could not be stopped yet, next attempt at 03:00");
	has(text,
		"It (us-central1-b, project p) could not be stopped yet: attempts "
		"failed. The next follows at 2026-11-21 03:00 (UTC). Rule tpu");
	has(text,
		"To do it manually: gcloud compute tpus tpu-vm stop wrong --zone "
		"us-central1-b --project p ");
	assert_null(strstr(text, "will be stopped"));
}

static void names_are_other_peoples(void **state)
{
	static const struct {
		enum channel_kind kind;
		const char *never;
	} cases[] = {{CHANNEL_EMAIL, "\x1b"}, {CHANNEL_SLACK, "<!channel>"},
		{CHANNEL_WEBHOOK, "\x1b"}, {CHANNEL_FILE, "\x1b"}};
	static const char *const to[] = {"me@example.org"};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct channel *c = ow_channel(arena_printf(&ow.t.a, "c%zu", i));

		c->kind = cases[i].kind;
		c->to = to;
		c->n_to = c->kind == CHANNEL_EMAIL;
	}
	ACT(.name = "<!channel>\n$(rm -r ~)\x1b[2J'`", .reason = "*_~<b>");
	ow_cycle();
	assert_int_equal(ow.n, ARRAY_LEN(cases));
	for (size_t i = 0; i < ow.n; i++) {
		assert_null(strstr(ow.letters[i].body, cases[i].never));
		assert_null(strchr(ow.letters[i].subject, '\n'));
		assert_null(strchr(ow.letters[i].subject, '\x1b'));
		has(ow.letters[i].body, "tpucost hold add");
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(a_warning_says_all_that_is_to_be_known),
		TEST(that_nothing_costs_on_is_not_promised),
		TEST(what_remains_is_told_in_each_currency),
		TEST(a_figure_and_a_zone_are_said_once),
		TEST(chat_has_the_head_of_the_audit_and_how_to_halt),
		TEST(a_warning_outside_the_windows_says_when_they_open),
		TEST(a_deletion_says_what_is_lost),
		TEST(a_second_step_names_the_first),
		TEST(a_wrong_target_says_which_machine_to_look_at),
		TEST(what_mends_a_refusal_has_two_steps),
		TEST(without_a_grace_it_is_now),
		TEST(a_stop_that_fails_is_announced_as_that),
		TEST(names_are_other_peoples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
