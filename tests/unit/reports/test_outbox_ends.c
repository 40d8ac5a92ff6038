/* The far ends of the outbox: clocks that go back, threads that grow long, letters that go while they are
 * sent; and a database that fails at any of the questions. Nothing is lost by it and nothing said twice. */
#include "rules/act/audit.h"
#include "tests/support/world/outbox_world.h"
#include "tests/support/assert.h"
#include "tests/support/fault/faultstmt.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define W SEVERITY_WARNING
#define C SEVERITY_CRITICAL
#define MINUTE 60

static size_t words(const char *s)
{
	size_t n = *s != '\0';

	for (; *s; s++)
		n += *s == ' ';
	return n;
}

/* ---- an attempt's outcome ---------------------------------------------------------------------- */

static struct delivery step(struct delivery d, enum send_class class, int64_t retry_after)
{
	const struct send_result r = {.class = class, .retry_after = retry_after};

	d.attempts = d.attempts ? d.attempts : 1;
	delivery_step(&d, &r, OW_NOW, 0);
	return d;
}

static void what_one_recipient_has_is_not_the_channel_s(void **state)
{
	const struct delivery one = {.to_one = true};

	assert_ts_eq(step(one, SEND_LATER, -1).channel_next_at, TS_NONE);
	assert_ts_eq(step(one, SEND_LATER, 0).channel_next_at, OW_NOW + 15);
	assert_ts_eq(step(one, SEND_LATER, 90).channel_next_at, OW_NOW + 90);
	assert_ts_eq(step(one, SEND_NOT_SENT, -1).channel_next_at, OW_NOW + 15);
	assert_ts_eq(
		step((struct delivery){.to_one = false}, SEND_LATER, -1).channel_next_at,
		OW_NOW + 15);
}

static void letters_that_failed_together_are_not_tried_together(void **state)
{
	static const struct {
		int64_t attempts;
		uint32_t jitter;
		int64_t wait;
	} cases[] = {{1, 0, 15}, {1, 14, 29}, {1, 15, 30}, {1, 16, 15}, {2, 30, 60},
		{7, 960, 1920}, {8, 1800, 3600}, {8, 1801, 1800}, {99, 1800, 3600}};
	const struct send_result r = {.class = SEND_NOT_SENT, .retry_after = -1};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct delivery d = {.attempts = cases[i].attempts};

		delivery_step(&d, &r, OW_NOW, cases[i].jitter);
		assert_ts_eq(d.next_at, OW_NOW + cases[i].wait);
	}
}

static void an_outcome_of_no_kind_is_unclear(void **state)
{
	struct delivery d = {.to_one = false};

	d = step(d, (enum send_class)99, -1);
	assert_int_equal(d.state, LETTER_UNCLEAR);
	assert_ts_eq(d.next_at, OW_NOW + 300);
	d = step(d, SEND_UNCLEAR, -1); /* once more, and then never again */
	assert_int_equal(d.state, LETTER_UNCLEAR);
	assert_ts_eq(d.next_at, TS_NONE);
}

/* ---- when -------------------------------------------------------------------------------------- */

static void after_a_storm_messages_are_messages_again(void **state)
{
	char name[16];

	ow_channel("log");
	for (int i = 0; i < 22; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		ow_note("firing", "tpu", name, C);
		ow_cycle();
		ow_advance(MINUTE);
	}
	ow_advance(15 * MINUTE);
	ow_cycle();
	ow_expect("SELECT kind FROM notification ORDER BY id DESC LIMIT 1", "digest");
	ow_advance(120 * MINUTE);
	ow_note("firing", "tpu", "late", C);
	ow_cycle();
	ow_expect("SELECT kind FROM notification ORDER BY id DESC LIMIT 1", "alerts");
}

static void a_clock_that_goes_back_keeps_nothing_waiting(void **state)
{
	ow_channel("log")->group_wait = 600;
	ow_note("firing", "tpu", "a", W);
	ow_cycle();
	assert_int_equal(ow.n, 0);
	ow_advance(-86400);
	ow_cycle();
	assert_int_equal(ow.n, 1);
}

/* It ended before the night, but was not accepted; then at night only with what is critical. */
static void the_retry_of_an_end_waits_for_the_morning(void **state)
{
	struct channel *c = ow_channel("log");

	c->quiet_from = 60;
	c->quiet_until = 7 * 60;
	ow_note("firing", "tpu", "a", C); /* 00:00 */
	ow_cycle();
	ow_advance(58 * MINUTE);
	ow_fail("log", SEND_LATER, 1);
	ow_note("resolved", "tpu", "a", C);
	ow_cycle();
	assert_int_equal(ow.n, 2);
	ow_advance(2 * MINUTE);
	ow_cycle();
	assert_int_equal(ow.n, 2);
	ow_note("firing", "tpu", "a", C);
	ow_cycle();
	assert_int_equal(ow.n, 4);
	assert_string_equal(ow.letters[2].id, ow.letters[1].id);
	ow_expect("SELECT group_concat(critical) FROM notification", "1,2,1");
}

/* ---- threads ----------------------------------------------------------------------------------- */

static void a_thread_has_twenty_messages_at_most(void **state)
{
	char name[16];

	ow_channel("log");
	for (int i = 0; i < 25; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		ow_note("firing", "tpu", name, C);
		ow_cycle();
		ow_advance(10 * MINUTE);
	}
	assert_int_equal(ow.n, 25);
	for (int i = 0; i < 25; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		ow_note("resolved", "tpu", name, C);
	}
	ow_cycle();
	assert_int_equal(ow.n, 26);
	assert_int_equal(words(ow.letters[25].refs), 20);
}

static void a_thread_of_actions_has_twenty_messages_at_most(void **state)
{
	int64_t actions[25];
	char name[16];

	aw_arm();
	ow_channel("log");
	for (int i = 0; i < 25; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		actions[i] = ACT(.name = name);
		ow_cycle();
		ow_advance(10 * MINUTE);
	}
	assert_int_equal(ow.n, 25);
	for (int i = 0; i < 25; i++)
		aw_state(actions[i], "cleared", "", "it is exempt");
	ow_cycle();
	assert_int_equal(ow.n, 26);
	assert_int_equal(words(ow.letters[25].refs), 20);
}

/* ---- what was said before ---------------------------------------------------------------------- */

static void what_goes_on_after_its_end_begins_anew(void **state)
{
	ow_channel("log");
	ow_note("firing", "tpu", "a", C);
	ow_cycle();
	ow_note("resolved", "tpu", "a", C);
	ow_cycle();
	ow_note("repeat", "tpu", "a", C);
	ow_expect("SELECT kind FROM outbox WHERE state = 'waiting'", "firing");
	ow_cycle();
	ow_note("resolved", "tpu", "a", C);
	ow_note("resolved", "tpu", "never", C); /* of what was never told, nothing ends */
	ow_expect("SELECT group_concat(subject) FROM outbox WHERE state = 'waiting'", "a");
}

static void that_it_got_worse_is_said_though_it_goes_on(void **state)
{
	ow_channel("log");
	ow_note("firing", "tpu", "a", C);
	ow_cycle();
	ow.channels[0].group_wait = 600;
	ow_note("worse", "tpu", "a", W);
	ow_note("repeat", "tpu", "a", W);
	ow_expect("SELECT group_concat(kind) FROM outbox WHERE state = 'waiting'", "worse");
	ow_advance(601);
	ow_cycle();
	ow_note("repeat", "tpu", "a", W);
	ow_expect(
		"SELECT group_concat(kind) FROM outbox WHERE state = 'waiting'", "repeat");
}

/* Over for a moment, unseen: as grave as before it is no news; else it is. */
static void what_comes_back_is_news_where_it_is_another_thing(void **state)
{
	ow_channel("log");
	ow_note("firing", "tpu", "a", W);
	ow_note("firing", "tpu", "b", W);
	ow_note("firing", "tpu", "c", W);
	ow_compose();
	ow.channels[0].group_wait = 600;
	ow_note("resolved", "tpu", "a", W);
	ow_note("resolved", "tpu", "b", W);
	ow_note("firing", "tpu", "a", W);
	ow_note("firing", "tpu", "b", C);
	ow_expect(
		"SELECT group_concat(subject || kind) FROM outbox WHERE state = 'waiting'",
		"bworse");
	/* the message that had announced it never got there */
	ow_note("resolved", "tpu", "c", W);
	tempdb_exec(&ow.t, "UPDATE notification SET state = 'dead', lost_told = 1");
	ow_note("firing", "tpu", "c", W);
	ow_expect("SELECT kind FROM outbox WHERE state = 'waiting' AND subject = 'c'",
		"firing");
}

static void every_severity_is_known_again(void **state)
{
	tempdb_exec(&ow.t,
		"WITH s (w) AS (VALUES ('info'), ('warning'), ('critical')) INSERT INTO "
		"alert (rule, subject, state, data, severity, since, last_true, fired, "
		"said, stage, summary, labels) SELECT 'vm', w, 'firing', 'fresh', w, "
		"1795219000, 1795219000, 1795219000, 1795219000, 0, 'x', '{}' FROM s");
	ow_channel("all")->group_wait = 600;
	ow_channel("grave")->min_severity = C;
	ow_compose();
	ow_expect("SELECT group_concat(x) FROM (SELECT channel || subject || severity AS x "
		  "FROM outbox ORDER BY channel, subject)",
		"allcriticalcritical,allinfoinfo,allwarningwarning,gravecriticalcritical");
}

/* ---- letters ----------------------------------------------------------------------------------- */

static void put_letter(const char *channel, const char *recipient, const char *kind,
	const char *dedup, const char *state, const char *format)
{
	tempdb_execf(&ow.t,
		"INSERT INTO notification (message, channel, recipient, kind, dedup, "
		"critical, subject, body, refs, state, attempts, next_at, fence, created, "
		"lost_told, format, perhaps_sent) VALUES ('m-%s', '%s', '%s', '%s', '%s', "
		"0, 's', 'b', '', '%s', 0, %lld, 0, %lld, 0, '%s', 0)",
		dedup, channel, recipient, kind, dedup, state,
		(long long)clock_now(&ow.t.clock), (long long)clock_now(&ow.t.clock),
		format);
}

static struct channel *mail_channel(const char *name)
{
	static const char *const to[] = {"not an address", "ada@example.org"};
	struct channel *c = ow_channel(name);

	c->kind = CHANNEL_EMAIL;
	c->to = to;
	c->n_to = 2;
	return c;
}

static void recipients_that_cannot_be_read_are_left_alone(void **state)
{
	mail_channel("mail");
	put_letter("mail", "ADA@example.org", "alerts", "1", "pending", "text");
	put_letter("mail", "bob@example.org", "alerts", "2", "pending", "text");
	put_letter("mail", "who?", "alerts", "3", "pending", "text");
	ow_compose();
	ow_expect("SELECT group_concat(state) FROM (SELECT state FROM notification ORDER "
		  "BY id)",
		"pending,dropped,pending");
}

static void what_is_there_already_is_a_fault_of_ours(void **state)
{
	struct err e = {0};

	aw_arm();
	ow_channel("log");
	ow_note("firing", "tpu", "a", C);
	put_letter("log", "", "alerts", "alerts|1795219200|1|log|", "sent", "json");
	assert_err(outbox_compose(ow.t.db, &ow.o, OW_NOW, &ow.t.a, &e), e, E_BUG,
		"outbox: alerts|1795219200|1 exists already");
	ow_expect("SELECT state FROM outbox", "waiting"); /* none of it was stored */
	tempdb_exec(&ow.t, "DELETE FROM outbox");
	/* an action's warning of this very second: it is on its way */
	put_letter(
		"log", "", "alerts", "actions|1795219200|warning|1|log|", "sent", "json");
	assert_int_equal(ACT(.name = "a"), 1);
	ow_compose();
	ow_expect("SELECT COUNT(*) FROM notification", "2");
	ow_advance(1);
	ow_compose();
	ow_expect("SELECT COUNT(*) FROM notification", "3");
}

static void that_news_of_a_loss_was_lost_is_no_news(void **state)
{
	ow_channel("log");
	ow_channel("other");
	put_letter("other", "", "lost", "1", "dead", "json");
	put_letter("other", "", "test", "2", "dead", "json");
	ow_compose();
	ow_expect("SELECT COUNT(*) FROM notification WHERE lost_told = 1", "2");
	ow_expect("SELECT COUNT(*) FROM notification", "2");
	put_letter("other", "", "daily", "3", "dead", "json");
	ow_compose();
	ow_expect("SELECT channel || kind FROM notification WHERE id = 4", "loglost");
}

/* ---- sending ----------------------------------------------------------------------------------- */

static int sent, steps;

static void deliver(
	void *ctx, const struct channel *c, const struct letter *l, struct send_result *out)
{
	(void)c;
	(void)l;
	sent++;
	out->class = SEND_SENT;
	if (ctx)
		tempdb_exec(&ow.t, ctx);
}

static void count_step(void *ctx, const struct channel *c, const struct letter *l,
	const struct send_result *r)
{
	(void)ctx;
	(void)c;
	(void)l;
	steps += r->class == SEND_SENT;
}

static struct outbox_sent post(const struct outbox_post *p)
{
	struct outbox_sent out;
	struct err e = {0};

	sent = steps = 0;
	assert_ok(outbox_send(ow.t.db, &ow.o, p, &out, &e), e);
	return out;
}

static void answer_later(
	void *ctx, const struct channel *c, const struct letter *l, struct send_result *out)
{
	(void)ctx;
	(void)c;
	(void)l;
	out->class = SEND_LATER;
	out->retry_after = -1;
	err_set(&out->err, E_NET, "not now");
}

/* The sixth attempt failed: half of 16 minutes at least. A channel with one recipient waits as well,
 * unless the letter was for an owner. */
static void each_attempt_waits_longer(void **state)
{
	static const char *const bob[] = {"bob@example.org"};
	struct outbox_post p = {
		.send = answer_later, .clock = &ow.t.clock, .max_seconds = 60};
	struct channel *c = mail_channel("mail");

	c->to = bob;
	c->n_to = 1;
	put_letter("mail", *bob, "daily", "1", "pending", "text");
	for (int owner = 0; owner < 2; owner++) {
		tempdb_exec(&ow.t,
			"UPDATE notification SET state = 'pending', attempts = 5, next_at "
			"= 1795219200; DELETE FROM channel_state");
		c->base = owner ? "mail" : NULL;
		post(&p);
		ow_expect("SELECT next_at - 1795219200 BETWEEN 480 AND 960 FROM "
			  "notification",
			"1");
		ow_expect("SELECT COUNT(next_at) FROM channel_state", owner ? "0" : "1");
	}
}

static void one_letter_goes_out_where_everything_is_off(void **state)
{
	struct outbox_post p = {.send = deliver,
		.clock = &ow.t.clock,
		.max_seconds = 60,
		.step = count_step,
		.only = "m-2"};

	ow_channel("log");
	ow_compose();
	tempdb_exec(&ow.t, "UPDATE channel_state SET off_since = 1795219000");
	put_letter("log", "", "test", "1", "pending", "json");
	put_letter("log", "", "test", "2", "pending", "json");
	p.only = NULL;
	assert_int_equal(post(&p).sent, 0);
	p.only = "m-2";
	assert_int_equal(post(&p).waiting, 1);
	assert_int_equal(sent, 1);
	assert_int_equal(steps, 1);
	ow_expect("SELECT group_concat(state) FROM (SELECT state FROM notification ORDER "
		  "BY id)",
		"pending,sent");
	p.only = NULL;
	assert_int_equal(post(&p).sent, 1); /* it works: it is switched on again */
}

/* The database was put back to an older copy, or a person tidied up. */
static void a_letter_that_is_gone_when_it_was_sent_is_no_error(void **state)
{
	static char gone[] = "DELETE FROM notification";
	struct outbox_post p = {
		.send = deliver, .ctx = gone, .clock = &ow.t.clock, .max_seconds = 60};

	ow_channel("log");
	put_letter("log", "", "daily", "1", "pending", "json");
	assert_int_equal(post(&p).sent, 1);
	ow_expect("SELECT COUNT(*) FROM notification", "0");
}

static void a_thousand_letters_are_enough_for_one_go(void **state)
{
	struct outbox_post p = {
		.send = deliver, .clock = &ow.t.clock, .max_seconds = 100000};

	ow_channel("log");
	tempdb_exec(&ow.t,
		"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
		"1003) INSERT INTO notification (message, channel, recipient, kind, dedup, "
		"critical, subject, body, refs, state, attempts, next_at, fence, created, "
		"lost_told, format, perhaps_sent) SELECT 'm' || i, 'log', '', 'daily', 'd' "
		"|| i, 0, 's', 'b', '', 'pending', 0, 1795219200, 0, 1795219200, 0, "
		"'json', 0 FROM n");
	assert_int_equal(post(&p).waiting, 3);
	assert_int_equal(sent, 1000);
	assert_int_equal(post(&p).waiting, 0);
}

/* ---- a database that fails --------------------------------------------------------------------- */

static void fill_world(void)
{
	const struct audit_entry entry = {.actor = "tpucost", .event = "began"};
	struct err e = {0};

	aw_arm();
	ow_channel("log");
	mail_channel("mail")->min_severity = C;
	ow_channel("new")->group_wait = 600;
	assert_ok(audit_add(ow.t.db, &entry, OW_NOW, &e), e);
	ow_note("firing", "tpu", "a", C);
	ACT(.name = "a");
	ow_cycle();
	ow_advance(MINUTE);
	ow_note("worse", "tpu", "a", C); /* goes on from what was told */
	ACT(.name = "b");
	tempdb_exec(&ow.t,
		"UPDATE action SET state = 'cleared', reason = 'x' WHERE action = 1");
	put_letter("log", "", "alerts", "form", "pending", "slack");
	put_letter("mail", "bob@example.org", "alerts", "who", "pending", "text");
	put_letter("gone", "", "alerts", "gone", "pending", "json");
	put_letter("new", "", "daily", "dead", "dead", "json");
	put_letter("log", "", "test", "test", "dead", "json");
	tempdb_exec(
		&ow.t, "UPDATE channel_state SET version = 'older' WHERE channel = 'new'");
	tempdb_exec(&ow.t, "UPDATE channel_state SET off_since = 1 WHERE channel = 'mail'");
	tempdb_exec(&ow.t,
		"INSERT INTO alert (rule, subject, state, data, severity, since, "
		"last_true, fired, said, stage, summary, labels) VALUES ('vm', 'v', "
		"'firing', 'fresh', 'critical', 1795219000, 1795219000, 1795219000, "
		"1795219000, 0, 'x', '{}')");
}

static enum err_code compose(void *ctx, struct err *e)
{
	(void)ctx;
	return outbox_compose(ow.t.db, &ow.o, clock_now(&ow.t.clock), &ow.t.a, e);
}

/* And all of it undone. */
static enum err_code try_compose(void *ctx, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};

	return db_begin(ow.t.db, &tx, e) ? e->code : compose(ctx, e);
}

#define STATES                                                                           \
	"SELECT group_concat(x) FROM (SELECT channel || '/' || kind || '/' || state || " \
	"'/' "                                                                           \
	"|| lost_told AS x FROM notification ORDER BY id)"

static void messages_are_made_whole_or_not_at_all(void **state)
{
	char before[2000], after[2000];

	fill_world();
	tempdb_text(&ow.t, STATES, before, sizeof(before));
	assert_true(faultstmt_sweep(ow.t.db, FAULT_RUN, try_compose, NULL, NULL) > 40);
	ow_expect(STATES, before);
	assert_true(faultstmt_sweep(ow.t.db, FAULT_PREPARE, compose, NULL, NULL) > 40);
	tempdb_text(&ow.t, STATES, after, sizeof(after));
	assert_contains(after, "gone/alerts/dropped");
	assert_contains(after, "mail/alerts/dropped");
	assert_contains(after, "new/daily/dead/1");
	assert_contains(after, "log/lost/pending");
	ow_expect("SELECT COUNT(*) FROM outbox WHERE channel = 'log' AND state = 'waiting'",
		"0");
}

/* Of letters that were sent in turn: which have a text, and which are still there? */
static void texts_are_kept_for_a_week_and_letters_for_two_years(void **state)
{
	static const char *const ids[] = {"1", "2", "3", "4"};

	ow_channel("log");
	for (size_t i = 0; i < ARRAY_LEN(ids); i++)
		put_letter("log", "", "daily", ids[i], "sent", "json");
	tempdb_exec(&ow.t,
		"UPDATE notification SET finished = 1795219200 - CASE id WHEN 1 THEN "
		"604800 "
		"WHEN 2 THEN 604801 WHEN 3 THEN 730 * 86400 ELSE 730 * 86400 + 1 END");
	ow_compose();
	ow_expect("SELECT group_concat(id || CASE WHEN body = '' THEN ' empty' ELSE "
		  "'' END) FROM notification",
		"1,2 empty,3 empty");
}

static enum err_code put_report(void *ctx, struct err *e)
{
	struct outbox_what w = {.kind = "daily", .dedup = ctx};
	struct doc *d = doc_new(&ow.t.a, "daily", ow.t.tz, clock_now(&ow.t.clock));
	const char *message;

	d->title = "a report";
	d->headline = "all is well";
	return outbox_put(ow.t.db, &ow.channels[0], &w, d, OW_NOW, &ow.t.a, &message, e);
}

static void a_report_is_put_for_all_or_for_nobody(void **state)
{
	char dedup[] = "daily|2026-11-21";

	mail_channel("mail");
	assert_true(faultstmt_sweep(ow.t.db, FAULT_PREPARE, put_report, NULL, dedup) >= 4);
	ow_expect("SELECT group_concat(recipient) FROM notification",
		"not an address,ada@example.org");
	assert_true(faultstmt_sweep(ow.t.db, FAULT_RUN, put_report, NULL, dedup) >= 2);
	ow_expect("SELECT COUNT(*) FROM notification", "2");
	/* FNV-1a of its key, channel and time: the same again after a crash */
	ow_expect("SELECT DISTINCT message FROM notification",
		"88a260f56627fad71ab1f8df674f1944");
}

static void put_back(void *ctx)
{
	(void)ctx;
	tempdb_exec(&ow.t,
		"UPDATE notification SET state = 'pending', next_at = 1795219200, lease = "
		"NULL, attempts = 0, fence = 0; UPDATE channel_state SET next_at = NULL, "
		"off_since = NULL");
	sent = 0;
}

static enum err_code send_some(void *ctx, struct err *e)
{
	struct outbox_post p = {.send = deliver, .clock = &ow.t.clock, .max_seconds = 3600};

	(void)ctx;
	return outbox_send(ow.t.db, &ow.o, &p, &ow.sent, e);
}

static void switched_off(
	void *ctx, const struct channel *c, const struct letter *l, struct send_result *out)
{
	(void)ctx;
	(void)c;
	(void)l;
	sent++;
	out->class = SEND_SWITCHED_OFF;
	err_set(&out->err, E_AUTH, "no");
	err_fix(&out->err, "ask");
}

static enum err_code send_off(void *ctx, struct err *e)
{
	struct outbox_post p = {
		.send = switched_off, .clock = &ow.t.clock, .max_seconds = 3600};

	(void)ctx;
	return outbox_send(ow.t.db, &ow.o, &p, &ow.sent, e);
}

static void an_outcome_is_stored_or_the_letter_stays_in_hand(void **state)
{
	ow_channel("log");
	ow_channel("other");
	put_letter("log", "", "daily", "1", "pending", "json");
	put_letter("other", "", "daily", "2", "pending", "json");
	assert_true(faultstmt_sweep_both(ow.t.db, send_some, put_back, NULL) > 20);
	assert_int_equal(sent, 2);
	ow_expect("SELECT COUNT(*) FROM notification WHERE state = 'sent'", "2");
	assert_true(faultstmt_sweep_both(ow.t.db, send_off, put_back, NULL) > 20);
	ow_expect("SELECT group_concat(error) FROM notification WHERE state = 'dead'",
		"no; ask,no; ask");
}

static enum err_code note(void *ctx, struct err *e)
{
	struct said said = {.rule = "tpu",
		.subject = "a",
		.summary = "x",
		.event = *(enum alert_event *)ctx,
		.severity = C};
	struct judgement j = {.said = &said, .n_said = 1};
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (db_begin(ow.t.db, &tx, e))
		return e->code;
	return outbox_note(ow.t.db, &ow.o, &j, clock_now(&ow.t.clock), e);
}

static void what_happened_is_noted_or_the_judgement_fails(void **state)
{
	ow_channel("log");
	for (int waits = 0; waits < 3; waits++) {
		for (int ev = EVENT_FIRING; ev <= EVENT_RESOLVED; ev++) {
			enum alert_event event = (enum alert_event)ev;

			assert_true(faultstmt_sweep_both(ow.t.db, note, NULL, &event) > 1);
		}
		ow_note(waits ? "resolved" : "firing", "tpu", "a", C);
		if (!waits)
			ow_compose();
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, ow_setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(what_one_recipient_has_is_not_the_channel_s),
		TEST(letters_that_failed_together_are_not_tried_together),
		TEST(an_outcome_of_no_kind_is_unclear),
		TEST(after_a_storm_messages_are_messages_again),
		TEST(a_clock_that_goes_back_keeps_nothing_waiting),
		TEST(the_retry_of_an_end_waits_for_the_morning),
		TEST(a_thread_has_twenty_messages_at_most),
		TEST(a_thread_of_actions_has_twenty_messages_at_most),
		TEST(what_goes_on_after_its_end_begins_anew),
		TEST(that_it_got_worse_is_said_though_it_goes_on),
		TEST(what_comes_back_is_news_where_it_is_another_thing),
		TEST(every_severity_is_known_again),
		TEST(recipients_that_cannot_be_read_are_left_alone),
		TEST(what_is_there_already_is_a_fault_of_ours),
		TEST(that_news_of_a_loss_was_lost_is_no_news),
		TEST(one_letter_goes_out_where_everything_is_off),
		TEST(each_attempt_waits_longer),
		TEST(a_letter_that_is_gone_when_it_was_sent_is_no_error),
		TEST(a_thousand_letters_are_enough_for_one_go),
		TEST(messages_are_made_whole_or_not_at_all),
		TEST(texts_are_kept_for_a_week_and_letters_for_two_years),
		TEST(a_report_is_put_for_all_or_for_nobody),
		TEST(an_outcome_is_stored_or_the_letter_stays_in_hand),
		TEST(what_happened_is_noted_or_the_judgement_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
