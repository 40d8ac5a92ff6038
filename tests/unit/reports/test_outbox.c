/* What is told, when, how often, and what becomes of what cannot be told. */
#include "tests/support/world/outbox_world.h"

#include "base/data/json.h"
#include "tests/support/assert.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define W SEVERITY_WARNING
#define C SEVERITY_CRITICAL
#define I SEVERITY_INFO

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

/* ---- from alerts to messages ------------------------------------------------------------------- */

static void what_fires_is_told_once(void **state)
{
	ow_channel("log");
	ow_note("firing", "tpu", "a", C);
	ow_expect(
		"SELECT channel || ' ' || rule || ' ' || subject || ' ' || kind || ' ' || "
		"severity || ' ' || summary || ' ' || state FROM outbox",
		"log tpu a firing critical tpu of a waiting");
	ow_cycle();
	expect_subjects("log: [tpucost] CRITICAL: tpu of a");
	assert_int_equal(items_of(0, "firing"), 1);
	assert_int_equal(items_of(0, "resolved"), 0);
	ow_expect_states("1 log sent 1");
	ow_expect("SELECT state FROM outbox", "told");
	assert_int_equal(ow.sent.sent, 1);
	for (int i = 0; i < 3; i++) {
		ow_advance(3600);
		ow_cycle();
	}
	assert_int_equal(ow.n, 1);
}

static void what_happens_together_is_one_message(void **state)
{
	ow_channel("log");
	ow_note("firing", "disk", "d", I);
	ow_note("firing", "vm", "b", W);
	ow_note("firing", "tpu", "a", C);
	ow_note("firing", "vm", "c", W);
	ow_cycle();
	expect_subjects("log: [tpucost] CRITICAL: tpu of a (and 3 more)");
	assert_int_equal(items_of(0, "firing"), 4);
	ow_expect("SELECT COUNT(DISTINCT message) FROM outbox WHERE state = 'told'", "1");
}

static void a_channel_hears_what_is_grave_enough(void **state)
{
	ow_channel("log");
	ow_channel("pager")->min_severity = C;
	ow_note("firing", "vm", "b", W);
	ow_note("firing", "tpu", "a", C);
	ow_cycle();
	expect_subjects("log: [tpucost] CRITICAL: tpu of a (and 1 more); "
			"pager: [tpucost] CRITICAL: tpu of a");
	ow_advance(600);
	ow_note("resolved", "vm", "b", W);
	ow_cycle();
	assert_int_equal(ow.n, 3);
	assert_string_equal(ow.letters[2].channel, "log");
	assert_string_equal(ow.letters[2].subject, "[tpucost] resolved: vm of b");
	assert_int_equal(items_of(2, "resolved"), 1);
}

static void what_is_over_goes_on_from_what_began(void **state)
{
	ow_channel("log");
	ow_note("firing", "vm", "a", W);
	ow_cycle();
	ow_advance(60);
	ow_note("firing", "vm", "b", W);
	ow_cycle();
	ow_advance(60);
	ow_note("resolved", "vm", "b", W);
	ow_note("repeat", "vm", "a", W);
	ow_cycle();
	assert_int_equal(ow.n, 3);
	assert_string_equal(ow.letters[0].refs, "");
	assert_string_equal(ow.letters[1].refs, "");
	assert_memory_equal(ow.letters[2].refs, ow.letters[0].id, 32);
	assert_string_equal(ow.letters[2].refs + 33, ow.letters[1].id);
	assert_string_equal(
		ow.letters[2].subject, "[tpucost] warning: still: vm of a (and 1 more)");
	assert_int_equal(strlen(ow.letters[2].id), 32);
	assert_string_not_equal(ow.letters[2].id, ow.letters[1].id);
}

/* Case H12. */
static void what_is_over_before_it_was_told_is_not_told(void **state)
{
	ow_channel("log")->group_wait = 30;
	ow_note("firing", "vm", "a", W);
	ow_cycle();
	ow_advance(20);
	ow_note("resolved", "vm", "a", W);
	ow_cycle();
	ow_advance(3600);
	ow_cycle();
	assert_int_equal(ow.n, 0);
	ow_expect(
		"SELECT group_concat(kind || ' ' || state) FROM outbox", "firing dropped");
	ow_note("firing", "vm", "a", W);
	ow_advance(29);
	ow_cycle();
	assert_int_equal(ow.n, 0);
	ow_advance(1);
	ow_cycle();
	assert_int_equal(ow.n, 1);
}

static void what_flaps_unseen_is_no_news(void **state)
{
	struct channel *c;

	c = ow_channel("log");
	ow_note("firing", "vm", "a", W);
	ow_cycle();
	c->group_wait = 600;
	ow_note("resolved", "vm", "a", W);
	ow_advance(60);
	ow_note("firing", "vm", "a", W);
	ow_advance(6000);
	ow_cycle();
	assert_int_equal(ow.n, 1);
	/* back, but graver: that is news */
	ow_note("resolved", "vm", "a", W);
	ow_note("firing", "vm", "a", C);
	ow_cycle();
	assert_int_equal(ow.n, 2);
	assert_string_equal(ow.letters[1].subject, "[tpucost] CRITICAL: worse: vm of a");
}

static void what_waits_is_told_as_it_is_by_then(void **state)
{
	ow_channel("log")->group_wait = 600;
	ow_note("firing", "vm", "a", W);
	ow_note("worse", "vm", "a", W);
	ow_note("repeat", "vm", "a", W);
	ow_expect("SELECT group_concat(kind || ' ' || state) FROM outbox",
		"firing dropped,firing dropped,firing waiting");
	ow_note("worse", "vm", "a", C);
	ow_cycle();
	expect_subjects("log: [tpucost] CRITICAL: vm of a");
	assert_int_equal(items_of(0, "firing"), 1);
}

static void a_channel_that_fails_for_a_day_gets_no_repeats(void **state)
{
	ow_channel("log");
	ow_fail("log", SEND_LATER, 100);
	ow_note("firing", "vm", "a", W);
	ow_cycle();
	for (int i = 0; i < 6; i++) {
		ow_advance(4 * 3600);
		ow_note("repeat", "vm", "a", W);
		ow_cycle();
	}
	ow_expect(
		"SELECT group_concat(kind) FROM outbox WHERE state <> 'dropped'", "firing");
	ow_expect("SELECT COUNT(*) FROM notification", "1");
	ow_note("worse", "vm", "a", C);
	ow.times = 0;
	ow_advance(4 * 3600);
	ow_cycle();
	ow_expect(
		"SELECT group_concat(subject, '; ') FROM notification WHERE state = 'sent'",
		"[tpucost] warning: vm of a; [tpucost] CRITICAL: worse: vm of a");
	ow_advance(4 * 3600);
	ow_note("repeat", "vm", "a", C);
	ow_cycle();
	ow_expect("SELECT COUNT(*) FROM notification WHERE state = 'sent'", "3");
}

static void the_oldest_waits_no_longer_than_it_may(void **state)
{
	ow_channel("log")->group_wait = 600;
	ow_note("firing", "vm", "b", W);
	ow_advance(300);
	ow_note("firing", "vm", "a", W);
	ow_note("firing", "vm", "c", W);
	ow_advance(299);
	ow_cycle();
	assert_int_equal(ow.n, 0);
	ow_advance(1);
	ow_cycle();
	expect_subjects("log: [tpucost] warning: vm of b (and 2 more)");
}

static void what_gets_worse_is_new_to_who_did_not_hear_of_it(void **state)
{
	ow_channel("log");
	ow_channel("pager")->min_severity = C;
	ow_note("firing", "vm", "a", W);
	ow_cycle();
	ow_advance(60);
	ow_note("worse", "vm", "a", C);
	ow_cycle();
	expect_subjects("log: [tpucost] warning: vm of a; log: [tpucost] CRITICAL: worse: "
			"vm of a; pager: [tpucost] CRITICAL: vm of a");
	ow_advance(60);
	ow_note("resolved", "vm", "a", C);
	ow_cycle();
	assert_int_equal(ow.n, 5);
	ow_channel("late");
	ow_note("repeat", "vm", "b", W);
	ow_cycle();
	assert_string_equal(ow.letters[6].channel, "late");
	assert_string_equal(ow.letters[6].subject, "[tpucost] warning: vm of b");
}

static void that_the_past_goes_out_of_sight_is_no_news(void **state)
{
	const struct rule rules[] = {
		{.name = "jump", .on = "daily_costs", .end_unsaid = true},
		{.name = "vm", .on = "resources"}};

	ow.settings.rules = rules;
	ow.settings.n_rules = 2;
	ow_channel("log");
	ow_channel("book")->kind = CHANNEL_ALERTMANAGER;
	ow_note("firing", "jump", "2026-11-20", W);
	ow_note("firing", "vm", "a", W);
	ow_cycle();
	assert_int_equal(ow.n, 2);
	ow_note("resolved", "jump", "2026-11-20", W);
	ow_cycle();
	assert_int_equal(ow.n, 3);
	assert_string_equal(ow.letters[2].channel, "book");
	ow_note("resolved", "vm", "a", W);
	ow_cycle();
	assert_int_equal(ow.n, 5);
	/* the same again is news again */
	ow_advance(60);
	ow_note("firing", "jump", "2026-11-20", W);
	ow_cycle();
	assert_int_equal(ow.n, 7);
}

static void what_became_worse_did_not_recover(void **state)
{
	struct said said = {.rule = "budget-forecast",
		.subject = "b",
		.summary = "x",
		.event = EVENT_RESOLVED,
		.severity = W,
		.worse = true};
	struct judgement j = {.said = &said, .n_said = 1};
	struct err e = {0};

	ow_channel("log");
	ow_channel("book")->kind = CHANNEL_ALERTMANAGER;
	ow_note("firing", "budget-forecast", "b", W);
	ow_cycle();
	assert_int_equal(ow.n, 2);
	assert_ok(outbox_note(ow.t.db, &ow.o, &j, OW_NOW, &e), e);
	ow_cycle();
	assert_int_equal(ow.n, 3);
	assert_string_equal(ow.letters[2].channel, "book");
}

static void silence_is_kept(void **state)
{
	struct said said = {.rule = "vm",
		.subject = "a",
		.summary = "x",
		.event = EVENT_FIRING,
		.severity = C,
		.muted = true};
	struct judgement j = {.said = &said, .n_said = 1};
	struct err e = {0};

	ow_channel("log");
	assert_ok(outbox_note(ow.t.db, &ow.o, &j, OW_NOW, &e), e);
	ow_cycle();
	ow_expect("SELECT COUNT(*) FROM outbox", "0");
	assert_int_equal(ow.n, 0);
}

/* ---- when -------------------------------------------------------------------------------------- */

static void people_get_one_message_in_five_minutes(void **state)
{
	ow_channel("log")->group_interval = 300;
	ow_note("firing", "vm", "a", W);
	ow_cycle();
	ow_advance(60);
	ow_note("firing", "vm", "b", W);
	ow_cycle();
	ow_advance(60);
	ow_note("firing", "vm", "c", W);
	ow_cycle();
	assert_int_equal(ow.n, 1);
	ow_note("firing", "tpu", "d", C); /* does not wait, and takes the others along */
	ow_cycle();
	assert_int_equal(ow.n, 2);
	assert_int_equal(items_of(1, "firing"), 3);
	ow_note("firing", "vm", "e", W);
	ow_advance(299);
	ow_cycle();
	assert_int_equal(ow.n, 2);
	ow_advance(1);
	ow_cycle();
	assert_int_equal(ow.n, 3);
}

static void at_night_only_what_is_critical(void **state)
{
	struct channel *c;

	c = ow_channel("log");
	c->quiet_from = 22 * 60;
	c->quiet_until = 7 * 60;
	ow_note("firing", "vm", "a", W); /* 00:00 */
	ow_cycle();
	assert_int_equal(ow.n, 0);
	ow_advance(7 * 3600 - 1);
	ow_cycle();
	assert_int_equal(ow.n, 0);
	ow_advance(1);
	ow_cycle();
	assert_int_equal(ow.n, 1);
	ow_advance(16 * 3600); /* 23:00 */
	ow_note("firing", "vm", "b", W);
	ow_cycle();
	assert_int_equal(ow.n, 1);
	ow_note("firing", "tpu", "c", C);
	ow_cycle();
	assert_int_equal(ow.n, 2);
	assert_int_equal(items_of(1, "firing"), 1);
	ow_advance(600);
	ow_note("resolved", "tpu", "c", C); /* good news can wait */
	ow_cycle();
	assert_int_equal(ow.n, 2);
	ow_advance(8 * 3600);
	ow_cycle();
	assert_int_equal(ow.n, 3);
	assert_int_equal(items_of(2, "firing"), 1);
	assert_int_equal(items_of(2, "resolved"), 1);
}

static void a_storm_becomes_digests(void **state)
{
	char name[16];
	size_t before;

	ow_channel("log");
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		ow_note("firing", "tpu", name, C);
		ow_cycle();
		ow_advance(60);
	}
	assert_int_equal(ow.n, 20);
	for (int i = 20; i < 33; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		ow_note("firing", "tpu", name, i % 2 ? C : W);
		ow_cycle();
		ow_advance(60);
	}
	assert_int_equal(ow.n, 20); /* 14 minutes after the last one */
	ow_advance(60);
	ow_cycle();
	assert_int_equal(ow.n, 21);
	assert_string_equal(
		ow.letters[20].subject, "[tpucost] 13 alerts: 6 critical, 7 warning");
	before = ow.n;
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "m%d", i);
		ow_note("firing", "tpu", name, C);
		ow_cycle();
		ow_advance(60);
	}
	assert_in_range(ow.n - before, 6, 8); /* never a hundred */
	ow_expect("SELECT COUNT(*) FROM outbox WHERE state = 'waiting' AND at < "
		  "1795219200 + 3600 * 2",
		"0");
}

/* Case H9. */
static void ten_thousand_alerts_are_one_message(void **state)
{
	char name[32];

	ow_channel("log");
	ow_channel("chat")->kind = CHANNEL_SLACK;
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		ow_note("firing", "tpu", name, C);
	}
	tempdb_exec(&ow.t,
		"INSERT INTO outbox (channel, rule, subject, kind, severity, summary, at, "
		"since, state) SELECT o.channel, o.rule, o.subject || '-' || n.value, "
		"o.kind, o.severity, o.summary, o.at, o.since, o.state FROM outbox o, "
		"(SELECT item AS value FROM outbox WHERE item < 10) n");
	ow_cycle();
	assert_int_equal(ow.n, 2);
	assert_int_equal(items_of(0, "firing"), 10000);
	assert_in_range(strlen(ow.letters[1].body), 1, 30000);
	ow_expect("SELECT COUNT(*) FROM outbox WHERE state = 'told'", "20000");
}

/* ---- failures ---------------------------------------------------------------------------------- */

static void what_was_not_sent_is_tried_again_later(void **state)
{
	ow_channel("log");
	ow_note("firing", "vm", "a", W);
	ow_fail(NULL, SEND_NOT_SENT, 3);
	ow_cycle();
	ow_expect_states("1 log pending 1");
	ow_expect("SELECT error || ' ' || reply FROM notification", "it said no no");
	ow_expect("SELECT next_at - 1795219200 BETWEEN 15 AND 30 FROM notification", "1");
	ow_cycle();
	assert_int_equal(ow.n, 1); /* not before */
	ow_advance(30);
	ow_cycle();
	ow_advance(60);
	ow_cycle();
	ow_expect_states("1 log pending 3");
	ow_advance(120);
	ow_cycle();
	ow_expect_states("1 log sent 4");
	for (size_t i = 0; i < ow.n; i++)
		assert_false(ow.letters[i].may_be_repeat);
	assert_string_equal(ow.letters[0].id, ow.letters[3].id);
	assert_string_equal(ow.letters[0].body, ow.letters[3].body);
	ow_expect("SELECT COUNT(*) FROM channel_state WHERE error IS NOT NULL", "0");
}

static void after_two_days_it_is_given_up(void **state)
{
	ow_channel("log");
	ow_channel("other");
	ow_note("firing", "vm", "a", W);
	ow_fail("log", SEND_LATER, 1000000);
	for (int i = 0; i < 49; i++) {
		ow_cycle();
		ow_advance(3600);
	}
	ow_cycle();
	ow_expect("SELECT state FROM notification WHERE channel = 'log'", "dead");
	ow_expect("SELECT kind || ' ' || state || ' ' || subject FROM notification WHERE "
		  "channel = 'other' AND kind = 'lost'",
		"lost sent [tpucost] 1 message not delivered on channel log");
	ow_expect("SELECT COUNT(*) FROM notification WHERE state = 'dead'", "1");
	ow_expect(
		"SELECT attempts BETWEEN 40 AND 60 FROM notification WHERE channel = 'log'",
		"1");
}

static void the_whole_channel_waits_as_long_as_it_is_told_to(void **state)
{
	ow_channel("log");
	for (int i = 0; i < 3; i++) {
		ow_note("firing", "vm", i == 0 ? "a" : i == 1 ? "b" : "c", C);
		ow_compose();
	}
	ow_fail("log", SEND_LATER, 1);
	ow.answer.retry_after = 600;
	ow_post();
	assert_int_equal(ow.n, 1);
	ow_advance(590);
	ow_post();
	assert_int_equal(ow.n, 1);
	ow_advance(10);
	ow_post();
	assert_int_equal(ow.n, 4);
	ow_expect_states("1 log sent 2; 2 log sent 1; 3 log sent 1");
}

static void the_pace_of_a_chat_is_kept(void **state)
{
	ow_channel("chat")->kind = CHANNEL_SLACK;
	for (int i = 0; i < 3; i++) {
		ow_note("firing", "vm", i == 0 ? "a" : i == 1 ? "b" : "c", C);
		ow_compose();
	}
	ow_post();
	assert_int_equal(ow.n, 3);
	assert_i64_eq(ow.letters[1].at, ow.letters[0].at + 1);
	assert_i64_eq(ow.letters[2].at, ow.letters[1].at + 1);
}

static void what_is_refused_is_not_tried_again(void **state)
{
	ow_channel("log");
	ow_channel("other")->min_severity = C;
	ow_note("firing", "vm", "a", W);
	ow_fail("log", SEND_REJECTED, 1);
	ow_cycle();
	ow_advance(3600);
	ow_cycle();
	ow_expect_states("1 log dead 1; 2 other sent 1");
	assert_string_equal(
		ow.letters[1].subject, "[tpucost] 1 message not delivered on channel log");
	assert_int_equal(items_of(1, "lost"), 1);
	ow_note("firing", "vm", "b", W);
	ow_cycle(); /* the channel itself works */
	ow_expect_states("1 log dead 1; 2 other sent 1; 3 log sent 1");
	/* never announced: its end is no news. Case H13: it begins anew */
	ow_note("resolved", "vm", "a", W);
	ow_cycle();
	assert_int_equal(ow.n, 3);
	ow_note("firing", "vm", "a", W);
	ow_cycle();
	assert_int_equal(ow.n, 4);
	assert_string_equal(ow.letters[3].subject, "[tpucost] warning: vm of a");
}

/* Case H4. */
static void a_channel_that_is_off_is_left_alone_until_it_changes(void **state)
{
	struct channel *c;

	c = ow_channel("mail");
	ow_channel("log")->min_severity = C;
	ow_note("firing", "vm", "a", W);
	ow_note("firing", "vm", "b", W);
	ow_fail("mail", SEND_SWITCHED_OFF, 1000);
	ow_cycle();
	assert_int_equal(ow.sent.off, 1);
	ow_expect("SELECT state || ' ' || error FROM channels WHERE name = 'mail'",
		"off it said no");
	for (int i = 0; i < 10; i++) {
		ow_advance(3600);
		ow_note("firing", "vm", "c", C);
		ow_cycle();
	}
	ow_expect("SELECT SUM(attempts) FROM notification WHERE channel = 'mail'", "1");
	ow_expect("SELECT COUNT(*) FROM notification WHERE channel = 'mail' AND state <> "
		  "'dead'",
		"0");
	/* said once a day where it can be said */
	ow_expect("SELECT COUNT(*) FROM notification WHERE kind = 'lost'", "1");
	ow_advance(86400);
	ow_note("firing", "vm", "d", C);
	ow_cycle();
	ow_expect("SELECT COUNT(*) FROM notification WHERE kind = 'lost'", "2");
	ow_expect(
		"SELECT COUNT(*) FROM notification WHERE state = 'dead' AND lost_told = 0",
		"0");
	ow.times = 0;
	c->version = "2";
	ow_note("firing", "vm", "e", W);
	ow_cycle();
	ow_expect("SELECT state FROM notification WHERE channel = 'mail' ORDER BY id DESC "
		  "LIMIT 1",
		"sent");
	ow_expect("SELECT state FROM channels WHERE name = 'mail'", "ok");
	assert_int_equal(ow.sent.off, 0);
}

/* Case H11. */
static void when_all_are_off_it_is_counted(void **state)
{
	ow_channel("a");
	ow_channel("b");
	ow_note("firing", "vm", "x", C);
	ow_fail(NULL, SEND_SWITCHED_OFF, 2);
	ow_cycle();
	ow_advance(60);
	ow_cycle();
	assert_int_equal(ow.sent.off, 2);
	assert_int_equal(ow.sent.dead, 2);
	ow_expect("SELECT COUNT(*) FROM notification WHERE kind = 'lost'", "0");
}

/* Case H5. */
static void what_may_have_arrived_is_repeated_once(void **state)
{
	ow_channel("log");
	ow_note("firing", "vm", "a", W);
	ow_fail(NULL, SEND_UNCLEAR, 2);
	ow_cycle();
	ow_expect_states("1 log unclear 1");
	ow_advance(299);
	ow_cycle();
	assert_int_equal(ow.n, 1);
	ow_advance(1);
	ow_cycle();
	assert_int_equal(ow.n, 2);
	assert_false(ow.letters[0].may_be_repeat);
	assert_true(ow.letters[1].may_be_repeat);
	assert_string_equal(ow.letters[0].id, ow.letters[1].id);
	ow_expect_states("1 log unclear 2");
	ow_advance(86400);
	ow_cycle();
	assert_int_equal(ow.n, 2);
}

/* Case H10: the crash comes after the letter is gone and before that is noted. */
static void a_crash_while_sending_makes_one_repeat(void **state)
{
	ow_channel("log");
	ow_note("firing", "vm", "a", W);
	ow_compose();
	tempdb_exec(&ow.t,
		"UPDATE notification SET state = 'sending', fence = 1, attempts = 1, "
		"lease = 1795219200 + 300");
	ow_advance(299);
	ow_post();
	assert_int_equal(ow.n, 0); /* somebody may still have it in hand */
	ow_advance(1);
	ow_post();
	ow_post();
	assert_int_equal(ow.n, 1);
	assert_true(ow.letters[0].may_be_repeat);
	ow_expect_states("1 log sent 2");
}

static void overtake(
	void *ctx, const struct channel *c, const struct letter *l, struct send_result *out)
{
	(void)ctx;
	(void)c;
	(void)l;
	(void)out;
	/* this process slept through its lease, and another one took the letter over */
	tempdb_exec(&ow.t,
		"UPDATE notification SET fence = fence + 1, attempts = 2, lease = "
		"lease + 1000");
}

static void an_older_owner_is_not_believed(void **state)
{
	struct outbox_post p = {.send = overtake, .clock = &ow.t.clock, .max_seconds = 60};
	struct err e = {0};

	ow_channel("log");
	ow_note("firing", "vm", "a", W);
	ow_compose();
	assert_ok(outbox_send(ow.t.db, &ow.o, &p, &ow.sent, &e), e);
	ow_expect("SELECT state || ' ' || fence || ' ' || attempts FROM notification",
		"sending 2 2");
}

static void overtake_and_fail(
	void *ctx, const struct channel *c, const struct letter *l, struct send_result *out)
{
	overtake(ctx, c, l, out);
	tempdb_exec(&ow.t, "UPDATE notification SET state = 'sent', finished = 1");
	out->class = SEND_SWITCHED_OFF;
	(void)err_set(&out->err, E_HTTP, "it said no");
}

/* What an older attempt met says nothing of a letter that arrived, nor of its channel. */
static void an_older_outcome_switches_nothing_off(void **state)
{
	struct outbox_post p = {
		.send = overtake_and_fail, .clock = &ow.t.clock, .max_seconds = 60};
	struct err e = {0};

	ow_channel("log");
	ow_note("firing", "vm", "a", W);
	ow_compose();
	assert_ok(outbox_send(ow.t.db, &ow.o, &p, &ow.sent, &e), e);
	ow_expect("SELECT state || ' ' || (error IS NULL) FROM notification", "sent 1");
	ow_expect("SELECT COUNT(*) FROM channel_state WHERE off_since IS NOT NULL OR error "
		  "IS NOT NULL OR next_at IS NOT NULL",
		"0");
}

/* ---- who --------------------------------------------------------------------------------------- */

/* Case H2. */
static void each_recipient_has_a_letter_of_its_own(void **state)
{
	static const char *const to[] = {"ada@example.org", "ben@example.org"};
	struct channel *c;

	c = ow_channel("mail");
	c->kind = CHANNEL_EMAIL;
	c->to = to;
	c->n_to = 2;
	ow_note("firing", "vm", "a", C);
	ow_fail("mail", SEND_REJECTED, 1);
	ow_cycle();
	ow_expect_states("1 mail dead 1; 2 mail sent 1");
	assert_int_equal(ow.n, 2);
	assert_string_equal(ow.letters[0].recipient, "ada@example.org");
	assert_string_equal(ow.letters[1].recipient, "ben@example.org");
	assert_string_equal(ow.letters[0].id, ow.letters[1].id);
	/* one of the two heard of it: that it is over is told to that one */
	ow_advance(600);
	ow_note("resolved", "vm", "a", C);
	ow_cycle();
	assert_int_equal(ow.n, 3);
	assert_string_equal(ow.letters[2].recipient, "ben@example.org");
}

static void what_was_for_a_channel_that_is_gone_is_dropped(void **state)
{
	ow_channel("log");
	ow_channel("old");
	ow_fail("old", SEND_NOT_SENT, 1000);
	ow_note("firing", "vm", "a", W);
	ow_cycle();
	ow_note("firing", "vm", "b", W);
	ow.o.n = 1;
	ow_cycle();
	ow_expect("SELECT state || ': ' || error FROM notification WHERE channel = 'old'",
		"dropped: the channel is no longer configured");
	ow_expect("SELECT COUNT(*) FROM outbox WHERE state = 'waiting'", "0");
	ow_expect("SELECT COUNT(*) FROM channels WHERE name = 'old'", "0");
	ow_expect("SELECT COUNT(*) FROM notification WHERE kind = 'lost'", "0");
}

static struct doc *some_doc(const char *headline)
{
	struct doc *d = doc_new(&ow.t.a, "daily", ow.t.tz, clock_now(&ow.t.clock));

	d->title = "a report";
	d->headline = headline;
	return d;
}

static bool put(const char *dedup, const char *kind)
{
	struct outbox_what w = {.kind = kind, .dedup = dedup};
	const char *message;
	struct err e = {0};

	assert_ok(outbox_put(ow.t.db, &ow.channels[0], &w, some_doc("x"),
			  clock_now(&ow.t.clock), &ow.t.a, &message, &e),
		e);
	return message != NULL;
}

static void the_same_thing_is_put_once(void **state)
{
	int64_t begun;

	ow_channel("log");
	assert_true(put("daily|2026-11-21", "daily"));
	ow_advance(100);
	assert_false(put("daily|2026-11-21", "daily"));
	assert_true(put("daily|2026-11-22", "daily"));
	ow_cycle();
	assert_int_equal(ow.n, 2);
	assert_false(put("daily|2026-11-21", "daily"));
	ow_expect("SELECT dedup FROM notification WHERE id = 1", "daily|2026-11-21|log|");
	/* two of one second are two messages to a mail program */
	assert_true(put("daily|2026-11-23", "daily"));
	assert_true(put("daily|2026-11-24", "daily"));
	ow_expect("SELECT COUNT(DISTINCT message) FROM notification", "4");
	/* one after the other, without a pause */
	begun = clock_mono_ms(&ow.t.clock);
	ow_post();
	assert_int_equal(ow.n, 4);
	assert_i64_eq(clock_mono_ms(&ow.t.clock), begun);
}

static void a_test_is_not_tried_again(void **state)
{
	ow_channel("log");
	ow_channel("other");
	assert_true(put("test|1", "test"));
	ow_fail("log", SEND_NOT_SENT, 1);
	ow_post();
	ow_expect_states("1 log dead 1");
	ow_advance(86400);
	ow_cycle();
	assert_int_equal(ow.n, 1); /* and nobody else is told */
}

static void a_clock_that_was_wrong_holds_nothing_back(void **state)
{
	ow_channel("log")->group_interval = 300;
	ow_advance(INT64_C(10) * 365 * 86400);
	ow_note("firing", "vm", "a", W);
	ow_fail("log", SEND_LATER, 1);
	ow.answer.retry_after = 900;
	ow_cycle();
	assert_int_equal(ow.n, 1);
	ow.t.clock.fake_now = OW_NOW;
	ow_note("firing", "vm", "b", W);
	ow_cycle();
	assert_int_equal(ow.n, 3);
	ow_expect("SELECT COUNT(*) FROM notification WHERE state = 'sent'", "2");
}

static void old_texts_go_and_rows_stay_for_long(void **state)
{
	ow_channel("log");
	ow_note("firing", "vm", "a", W);
	ow_cycle();
	ow_advance(8 * 86400);
	ow_cycle();
	ow_expect("SELECT body || state FROM notification", "sent");
	ow_note("resolved", "vm", "a", W); /* what was announced is remembered */
	ow_cycle();
	assert_int_equal(ow.n, 2);
	ow_advance(INT64_C(731) * 86400);
	ow_cycle();
	ow_expect("SELECT (SELECT COUNT(*) FROM notification) + COUNT(*) FROM outbox", "0");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, ow_setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(what_fires_is_told_once),
		TEST(what_happens_together_is_one_message),
		TEST(a_channel_hears_what_is_grave_enough),
		TEST(what_is_over_goes_on_from_what_began),
		TEST(what_is_over_before_it_was_told_is_not_told),
		TEST(what_flaps_unseen_is_no_news),
		TEST(what_waits_is_told_as_it_is_by_then),
		TEST(a_channel_that_fails_for_a_day_gets_no_repeats),
		TEST(the_oldest_waits_no_longer_than_it_may),
		TEST(what_gets_worse_is_new_to_who_did_not_hear_of_it),
		TEST(that_the_past_goes_out_of_sight_is_no_news),
		TEST(what_became_worse_did_not_recover),
		TEST(silence_is_kept),
		TEST(people_get_one_message_in_five_minutes),
		TEST(at_night_only_what_is_critical),
		TEST(a_storm_becomes_digests),
		TEST(ten_thousand_alerts_are_one_message),
		TEST(what_was_not_sent_is_tried_again_later),
		TEST(after_two_days_it_is_given_up),
		TEST(the_whole_channel_waits_as_long_as_it_is_told_to),
		TEST(the_pace_of_a_chat_is_kept),
		TEST(what_is_refused_is_not_tried_again),
		TEST(a_channel_that_is_off_is_left_alone_until_it_changes),
		TEST(when_all_are_off_it_is_counted),
		TEST(what_may_have_arrived_is_repeated_once),
		TEST(a_crash_while_sending_makes_one_repeat),
		TEST(an_older_owner_is_not_believed),
		TEST(an_older_outcome_switches_nothing_off),
		TEST(each_recipient_has_a_letter_of_its_own),
		TEST(what_was_for_a_channel_that_is_gone_is_dropped),
		TEST(the_same_thing_is_put_once),
		TEST(a_test_is_not_tried_again),
		TEST(a_clock_that_was_wrong_holds_nothing_back),
		TEST(old_texts_go_and_rows_stay_for_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
