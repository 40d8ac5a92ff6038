/* The outbox where the configuration, the rules or the silences change under way, where somebody
 * died with a letter in hand, and where one channel is slow. */
#include "tests/support/world/outbox_world.h"

#include "tests/support/assert.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define W SEVERITY_WARNING
#define C SEVERITY_CRITICAL

static void note_muted(const char *rule, const char *subject, enum alert_event event)
{
	struct said said = {.rule = rule,
		.subject = subject,
		.summary = "x",
		.event = event,
		.severity = C,
		.muted = true};
	struct judgement j = {.said = &said, .n_said = 1};
	struct err e = {0};

	assert_ok(outbox_note(ow.t.db, &ow.o, &j, clock_now(&ow.t.clock), &e), e);
}

static void put_alert(const char *subject, const char *severity)
{
	tempdb_execf(&ow.t,
		"INSERT INTO alert (rule, subject, state, data, severity, since, "
		"last_true, fired, said, stage, summary, labels) VALUES ('vm', '%s', "
		"'firing', 'fresh', '%s', 1795219000, 1795219000, 1795219000, 1795219000, "
		"0, 'vm of %s', '{}')",
		subject, severity, subject);
}

static void note_old(const char *subject, const char *summary, enum severity severity)
{
	struct said said = {.rule = "old",
		.subject = subject,
		.summary = summary,
		.event = EVENT_FIRING,
		.severity = severity};
	struct judgement j = {.said = &said, .n_said = 1};
	struct err e = {0};

	assert_ok(outbox_note(ow.t.db, &ow.o, &j, clock_now(&ow.t.clock), &e), e);
	put_alert(subject, severity_name(severity));
	tempdb_exec(&ow.t, "UPDATE alert SET rule = 'old'");
	ow_cycle();
}

/* Somebody took the first letter in hand and was never seen again. */
static void die_with_it(void)
{
	tempdb_execf(&ow.t,
		"UPDATE notification SET state = 'sending', attempts = 1, fence = 1, "
		"lease = %lld WHERE id = 1",
		(long long)clock_now(&ow.t.clock) + OUTBOX_LEASE);
}

/* ---- silence ----------------------------------------------------------------------------------- */

static void what_waits_and_is_over_in_silence_is_not_told(void **state)
{
	ow_channel("log")->group_wait = 600;
	ow_note("firing", "vm", "a", W);
	ow_cycle();
	note_muted("vm", "a", EVENT_RESOLVED);
	ow_advance(700);
	ow_cycle();
	assert_int_equal(ow.n, 0);
	ow_expect(
		"SELECT group_concat(kind || ' ' || state) FROM outbox", "firing dropped");
}

static void what_was_told_and_is_over_in_silence_is_told(void **state)
{
	ow_channel("log");
	ow_note("firing", "vm", "a", C);
	ow_cycle();
	ow_advance(60);
	note_muted("vm", "a", EVENT_REPEAT);
	note_muted("vm", "b", EVENT_RESOLVED);
	ow_cycle();
	assert_int_equal(ow.n, 1);
	note_muted("vm", "a", EVENT_RESOLVED);
	ow_cycle();
	assert_int_equal(ow.n, 2);
	assert_string_equal(ow.letters[1].subject, "[tpucost] resolved: x");
}

/* ---- one cause of several sources -------------------------------------------------------------- */

static void a_source_that_is_old_for_the_same_reason_is_told_once(void **state)
{
	static const struct rule rules[] = {
		{.name = "old", .on = "sources", .enabled = true}};

	ow.settings.rules = rules;
	ow.settings.n_rules = 1;
	ow_channel("log");
	ow_channel("book")->kind = CHANNEL_ALERTMANAGER;
	note_old("z", "z is old.", W);
	note_old("a", "a is old. Error: HTTP 401: no", W);
	assert_int_equal(ow.n, 4);
	note_old("b", "b is old. Error: HTTP 401: no", W); /* programs get every alert */
	assert_int_equal(ow.n, 5);
	assert_string_equal(ow.letters[4].channel, "book");
	note_old("c", "c is old. Error: HTTP 500: oh", W);
	assert_int_equal(ow.n, 7);
	note_old("d", "d is old. Error: HTTP 401: no", C);
	assert_int_equal(ow.n, 9);
	note_old("e", "e is old. Error: HTTP 401: no", SEVERITY_INFO);
	assert_int_equal(ow.n, 10);
	note_old("f", "f is old.", W);
	assert_int_equal(ow.n, 12);
	ow_expect("SELECT group_concat(subject, '') FROM (SELECT * FROM outbox WHERE "
		  "channel = "
		  "'log' ORDER BY item)",
		"zacdf");
}

/* ---- whoever died with a letter in hand -------------------------------------------------------- */

static void what_was_in_hand_goes_with_its_channel(void **state)
{
	ow_channel("log");
	ow_note("firing", "vm", "a", W);
	ow_compose();
	die_with_it();
	ow.o.n = 0;
	ow_compose();
	ow_expect("SELECT state FROM notification", "sending");
	ow_advance(OUTBOX_LEASE);
	ow_compose();
	ow_expect("SELECT state || ' ' || error || ' ' || COALESCE(lease, '-') FROM "
		  "notification",
		"dropped the channel is no longer configured -");
}

/* Of a channel that is not configured any more nothing is counted, of those behind it all. */
static void what_waits_is_counted_for_the_channels_there_are(void **state)
{
	struct outbox later;
	struct err e = {0};

	ow_channel("a");
	ow_channel("b");
	ow_note("firing", "vm", "a", W);
	ow_compose();
	later = ow.o;
	later.channels++;
	later.n--;
	assert_ok(outbox_count(ow.t.db, &later, &ow.sent, &e), e);
	assert_int_equal(ow.sent.waiting, 1);
	assert_ok(outbox_count(ow.t.db, &ow.o, &ow.sent, &e), e);
	assert_int_equal(ow.sent.waiting, 2);
}

static void what_was_in_hand_is_given_up_too(void **state)
{
	ow_channel("log");
	ow_note("firing", "vm", "a", W);
	ow_compose();
	die_with_it();
	ow_advance(OUTBOX_MAX_AGE + 1);
	ow_cycle();
	assert_int_equal(ow.n, 0);
	ow_expect("SELECT state FROM notification", "dead");
}

/* Two days are over while a channel has it: what comes of that attempt is still waited for. */
static void what_is_being_sent_is_not_given_up(void **state)
{
	ow_channel("log");
	ow_note("firing", "vm", "a", W);
	ow_compose();
	ow_advance(OUTBOX_MAX_AGE + 1);
	die_with_it();
	ow_compose();
	ow_expect("SELECT state FROM notification", "sending");
	ow_advance(OUTBOX_LEASE);
	ow_compose();
	ow_expect("SELECT state FROM notification", "dead");
}

/* A firing alert that comes after its end would stand there for days. */
static void alertmanager_hears_nothing_out_of_order(void **state)
{
	ow_channel("pager")->kind = CHANNEL_ALERTMANAGER;
	ow_channel("log");
	ow_note("firing", "vm", "a", W);
	ow_compose();
	die_with_it();
	ow_advance(60);
	ow_note("resolved", "vm", "a", W);
	ow_cycle();
	assert_int_equal(ow.n, 2); /* both of the file's, none of the pager's */
	assert_string_equal(ow.letters[0].channel, "log");
	assert_string_equal(ow.letters[1].channel, "log");
	ow_advance(OUTBOX_LEASE);
	ow_cycle();
	assert_int_equal(ow.n, 4);
	assert_string_equal(ow.letters[2].subject, "[tpucost] warning: vm of a");
	assert_string_equal(ow.letters[3].subject, "[tpucost] resolved: vm of a");
}

/* ---- the configuration changes ----------------------------------------------------------------- */

static void a_channel_of_another_kind_gets_nothing_that_it_cannot_read(void **state)
{
	struct channel *c = ow_channel("me");

	put_alert("a", "warning");
	ow_compose();
	ow_fail("me", SEND_NOT_SENT, 1);
	ow_post();
	assert_int_equal(ow.n, 1);
	c->kind = CHANNEL_SLACK;
	c->version = "2";
	ow_advance(60);
	ow_cycle();
	assert_int_equal(ow.n, 2);
	assert_string_equal(ow.letters[1].subject, "[tpucost] warning: vm of a");
	assert_non_null(strstr(ow.letters[1].body, "\"blocks\""));
	assert_string_not_equal(ow.letters[1].id, ow.letters[0].id);
	ow_expect("SELECT group_concat(format || ' ' || state) FROM notification",
		"slack sent");
}

/* One that was given up is taken up again after its channel became another. */
static void an_old_letter_of_another_form_is_written_anew(void **state)
{
	struct channel *c = ow_channel("me");

	ow_compose();
	put_alert("a", "warning");
	ow_note("firing", "vm", "a", W);
	ow_fail("me", SEND_REJECTED, 1);
	ow_cycle();
	ow_expect("SELECT format || ' ' || state FROM notification", "json dead");
	c->kind = CHANNEL_SLACK;
	tempdb_exec(&ow.t, "UPDATE notification SET state = 'pending', next_at = created");
	ow_cycle();
	assert_int_equal(ow.n, 2);
	ow_expect("SELECT group_concat(format || ' ' || state) FROM notification",
		"slack sent");
}

/* Nor is it taken out of the hand of who is sending it, or out of the record of what was sent. */
static void what_is_in_hand_or_over_is_not_written_anew(void **state)
{
	struct channel *c = ow_channel("me");

	ow_compose();
	put_alert("a", "warning");
	ow_note("firing", "vm", "a", W);
	ow_compose();
	die_with_it();
	c->kind = CHANNEL_SLACK;
	ow_compose();
	ow_expect("SELECT group_concat(format || ' ' || state) FROM notification",
		"json sending");
	tempdb_exec(&ow.t,
		"UPDATE notification SET state = 'unclear', lease = NULL, next_at = NULL");
	ow_compose();
	ow_expect("SELECT group_concat(format || ' ' || state) FROM notification",
		"json unclear");
	die_with_it();
	ow_advance(OUTBOX_LEASE);
	ow_cycle();
	ow_expect("SELECT group_concat(format || ' ' || state) FROM notification",
		"slack sent");
}

static void who_is_no_recipient_any_more_gets_no_mail(void **state)
{
	static const char *const both[] = {"Ann <ann@example.org>", "bob@example.org"};
	static const char *const one[] = {"Ann B. <ANN@example.org>"};
	struct channel *c = ow_channel("me");

	c->kind = CHANNEL_SENDMAIL;
	c->to = both;
	c->n_to = 2;
	ow_note("firing", "vm", "a", W);
	ow_compose();
	c->to = one;
	c->n_to = 1;
	ow_cycle();
	assert_int_equal(ow.n, 1);
	assert_string_equal(ow.letters[0].recipient, both[0]);
	ow_expect(
		"SELECT group_concat(state) FROM (SELECT * FROM notification ORDER BY id)",
		"sent,dropped");
}

/* Also one that was only renamed. */
static void a_new_channel_hears_what_fires(void **state)
{
	struct channel *c = ow_channel("old");

	put_alert("a", "critical");
	put_alert("b", "warning");
	put_alert("quiet", "critical");
	tempdb_exec(&ow.t,
		"INSERT INTO silence (rule, subject, created, until, comment) VALUES "
		"('vm', 'quiet', 1795219000, 1795999999, '')");
	ow_note("firing", "vm", "a", C);
	ow_note("firing", "vm", "b", W);
	ow_cycle();
	assert_int_equal(ow.n, 1);
	ow_expect("SELECT COUNT(*) FROM outbox", "2");
	c->name = "new";
	c->min_severity = C;
	ow_cycle();
	assert_int_equal(ow.n, 2);
	assert_string_equal(ow.letters[1].channel, "new");
	assert_string_equal(ow.letters[1].subject, "[tpucost] CRITICAL: vm of a");
	ow_cycle();
	c->version = "2"; /* what it was told it was told */
	ow_cycle();
	assert_int_equal(ow.n, 2);
}

/* A test message before the first cycle makes no old acquaintance of it. */
static void a_channel_that_was_tested_is_new_all_the_same(void **state)
{
	struct outbox_what what = {.kind = "test", .dedup = "test|1"};
	struct doc *d = doc_new(&ow.t.a, "test", ow.t.tz, OW_NOW);
	struct channel *c = ow_channel("log");
	const char *message;
	struct err e = {0};

	d->subject = "test";
	put_alert("a", "critical");
	assert_ok(outbox_put(ow.t.db, c, &what, d, OW_NOW, &ow.t.a, &message, &e), e);
	ow_post();
	assert_int_equal(ow.n, 1);
	ow_cycle();
	assert_int_equal(ow.n, 2);
	assert_string_equal(ow.letters[1].subject, "[tpucost] CRITICAL: vm of a");
}

/* What could not be told while the password was wrong is told when it is right. */
static void a_channel_that_is_mended_hears_what_fires(void **state)
{
	struct channel *c = ow_channel("log");

	put_alert("a", "warning");
	ow_fail("log", SEND_SWITCHED_OFF, 1);
	ow_cycle();
	ow_advance(60);
	ow_cycle();
	assert_int_equal(ow.n, 1);
	ow_expect("SELECT state FROM notification", "dead");
	c->version = "2";
	ow_cycle();
	assert_int_equal(ow.n, 2);
	assert_string_equal(ow.letters[1].subject, "[tpucost] warning: vm of a");
}

/* ---- at night, and slow ------------------------------------------------------------------------ */

static void what_failed_in_the_evening_waits_for_the_morning(void **state)
{
	struct channel *c = ow_channel("log");

	c->quiet_from = 1; /* it is 00:00 */
	c->quiet_until = 7 * 60;
	ow_fail("log", SEND_NOT_SENT, 1);
	ow_note("firing", "vm", "a", W);
	ow_cycle();
	ow_advance(3600);
	ow_cycle();
	assert_int_equal(ow.n, 1);
	ow_note("firing", "vm", "b", C);
	ow_cycle();
	assert_int_equal(ow.n, 2);
	assert_string_equal(ow.letters[1].subject, "[tpucost] CRITICAL: vm of b");
	ow_advance(6 * 3600);
	ow_cycle();
	assert_int_equal(ow.n, 3);
	assert_string_equal(ow.letters[2].subject, "[tpucost] warning: vm of a");
}

static void slow_send(
	void *ctx, const struct channel *c, const struct letter *l, struct send_result *out)
{
	(void)l;
	sbuf_addf(ctx, "%s ", c->name);
	if (strcmp(c->name, "slow") != 0)
		return;
	out->class = SEND_UNCLEAR;
	err_set(&out->err, E_NET, "no answer");
	ow_advance(30);
}

static void a_slow_channel_keeps_no_other_back(void **state)
{
	struct sbuf order = SBUF_INIT;
	struct outbox_post p = {
		.send = slow_send, .ctx = &order, .clock = &ow.t.clock, .max_seconds = 10};
	struct err e = {0};

	ow_channel("slow");
	ow_channel("log");
	for (int i = 0; i < 5; i++) {
		ow_note("firing", "vm", (char[]){(char)('a' + i), '\0'}, W);
		ow_compose();
	}
	/* a first letter may begin within three times as long */
	assert_ok(outbox_send(ow.t.db, &ow.o, &p, &ow.sent, &e), e);
	assert_string_equal(order.s, "slow ");
	sbuf_reset(&order);
	p.max_seconds = 11;
	assert_ok(outbox_send(ow.t.db, &ow.o, &p, &ow.sent, &e), e);
	assert_string_equal(order.s, "slow log ");
	sbuf_reset(&order);
	p.max_seconds = 300;
	assert_ok(outbox_send(ow.t.db, &ow.o, &p, &ow.sent, &e), e);
	assert_string_equal(order.s, "slow log slow log slow log log ");
	sbuf_done(&order);
}

/* ---- one that fails and the others ------------------------------------------------------------- */

static struct {
	struct sbuf log;
	const char *recipient, *word; /* to him, or with this in its subject: not now */
} moody;

static void moody_send(
	void *ctx, const struct channel *c, const struct letter *l, struct send_result *out)
{
	(void)ctx;
	(void)c;
	if ((moody.recipient && !strcmp(l->recipient, moody.recipient)) ||
		(moody.word && strstr(l->subject, moody.word))) {
		out->class = SEND_LATER;
		err_set(&out->err, E_NET, "not now");
		return;
	}
	sbuf_addf(&moody.log, "%s%s;", l->recipient, strrchr(l->subject, ' '));
}

static void moody_cycle(void)
{
	struct outbox_post p = {
		.send = moody_send, .clock = &ow.t.clock, .max_seconds = 3600};
	struct err e = {0};

	ow_compose();
	assert_ok(outbox_send(ow.t.db, &ow.o, &p, &ow.sent, &e), e);
}

/* A full mailbox is the trouble of one. */
static void a_recipient_who_cannot_be_reached_keeps_no_other_back(void **state)
{
	static const char *const both[] = {"bob@example.org", "ann@example.org"};
	struct channel *c = ow_channel("me");

	memset(&moody, 0, sizeof(moody));
	moody.log = SBUF_INIT;
	moody.recipient = both[0];
	c->kind = CHANNEL_EMAIL;
	c->to = both;
	c->n_to = 2;
	for (int i = 0; i < 3; i++) {
		ow_note("firing", "vm", (char[]){(char)('a' + i), '\0'}, W);
		moody_cycle();
		ow_advance(5);
	}
	assert_string_equal(
		moody.log.s, "ann@example.org a;ann@example.org b;ann@example.org c;");
	/* his own come in their order, and are not all tried each time */
	ow_expect("SELECT group_concat(attempts) FROM (SELECT * FROM notification WHERE "
		  "recipient LIKE 'bob%' ORDER BY id)",
		"1,0,0");
	moody.recipient = NULL;
	sbuf_reset(&moody.log);
	ow_advance(60);
	moody_cycle();
	assert_string_equal(
		moody.log.s, "bob@example.org a;bob@example.org b;bob@example.org c;");
	sbuf_done(&moody.log);
}

static void a_letter_that_is_never_taken_keeps_no_other_back_for_days(void **state)
{
	int hours;

	memset(&moody, 0, sizeof(moody));
	moody.log = SBUF_INIT;
	moody.word = "of poison";
	ow_channel("log");
	ow_note("firing", "vm", "poison", W);
	moody_cycle();
	ow_note("firing", "vm", "b", W);
	for (hours = 0; hours < 40 && !moody.log.len; hours++) {
		moody_cycle();
		ow_advance(3600);
	}
	assert_string_equal(moody.log.s, " b;");
	assert_in_range(hours, 2, 13);
	sbuf_done(&moody.log);
}

/* That it is over is not said before that it began. */
static void after_an_outage_all_comes_in_its_order(void **state)
{
	ow_channel("log");
	ow_fail("log", SEND_NOT_SENT, 6);
	ow_note("firing", "vm", "a", W);
	ow_cycle();
	ow_note("resolved", "vm", "a", W);
	for (int i = 0; i < 10; i++) {
		ow_advance(3600);
		ow_cycle();
	}
	assert_int_equal(ow.n, 8);
	assert_string_equal(ow.letters[6].subject, "[tpucost] warning: vm of a");
	assert_string_equal(ow.letters[7].subject, "[tpucost] resolved: vm of a");
}

/* ---- one cause ------------------------------------------------------------------------------------------- */

/* A source got old with that cause, or recovered, or nothing: stored as judge() does, noted, and sent. */
static void source_is(const char *subject, enum alert_event event, const char *cause)
{
	bool ended = event == EVENT_RESOLVED;
	const char *was = arena_printf(&ow.t.a, "%s is old. Error: %s", subject, cause);
	struct said said = {.rule = "old",
		.subject = subject,
		.summary = ended ? judge_was(&ow.t.a, was, "it is fine") : was,
		.event = event,
		.severity = C};
	struct judgement j = {.said = &said, .n_said = event != EVENT_NONE};
	struct err e = {0};

	tempdb_execf(&ow.t,
		"INSERT OR REPLACE INTO alert (rule, subject, state, data, severity, "
		"since, last_true, resolved, stage, summary, labels) "
		"VALUES ('old', '%s', '%s', 'fresh', 'critical', 1, 1, %lld, 0, '%s', "
		"'{}')",
		subject, ended ? "resolved" : "firing", (long long)clock_now(&ow.t.clock),
		said.summary);
	assert_ok(outbox_note(ow.t.db, &ow.o, &j, clock_now(&ow.t.clock), &e), e);
	ow_cycle();
}

static void expect_items(const char *channel, const char *want)
{
	ow_expect(arena_printf(&ow.t.a,
			  "SELECT group_concat(kind || ' ' || subject) FROM (SELECT * FROM "
			  "outbox WHERE channel = '%s' ORDER BY item)",
			  channel),
		want);
}

static void a_cause_is_one_alert_until_it_ends_for_all(void **state)
{
	static const struct rule rules[] = {{.name = "old",
		.builtin = "source-stale",
		.on = "sources",
		.enabled = true}};

	ow.settings.rules = rules;
	ow.settings.n_rules = 1;
	ow_channel("log");
	ow_channel("am")->kind = CHANNEL_ALERTMANAGER;
	source_is("a", EVENT_FIRING, "X");
	source_is("b", EVENT_FIRING, "X");
	source_is("c", EVENT_FIRING, "X");
	expect_items("log", "firing a");
	/* it goes on for others, of which the channel has not been told, and for more */
	source_is("a", EVENT_RESOLVED, "X");
	source_is("d", EVENT_FIRING, "X");
	source_is("b", EVENT_RESOLVED, "X");
	expect_items("log", "firing a");
	/* a silenced one is not waited for; the other now fails for a cause of its own */
	tempdb_execf(&ow.t,
		"INSERT INTO silence (rule, subject, created, until, comment) "
		"VALUES ('old', 'd', 1, %lld, '')",
		(long long)OW_NOW + 3600);
	source_is("c", EVENT_NONE, "Y");
	expect_items("log", "firing a,resolved a,firing c");
	source_is("c", EVENT_RESOLVED, "Y");
	expect_items("log", "firing a,resolved a,firing c,resolved c");
	/* it was not told in another way: there, each is an alert */
	expect_items("am",
		"firing a,firing b,firing c,resolved a,firing d,resolved b,resolved c");
	source_is("d", EVENT_RESOLVED, "X");
	expect_items("log", "firing a,resolved a,firing c,resolved c");
	/* and it may begin anew */
	source_is("a", EVENT_FIRING, "X");
	expect_items("log", "firing a,resolved a,firing c,resolved c,firing a");
	/* a day is enough to wait for the others */
	source_is("c", EVENT_FIRING, "X");
	source_is("a", EVENT_RESOLVED, "X");
	ow_advance(86399);
	source_is("c", EVENT_NONE, "X");
	expect_items("log", "firing a,resolved a,firing c,resolved c,firing a");
	ow_advance(1);
	source_is("c", EVENT_NONE, "X");
	expect_items("log",
		"firing a,resolved a,firing c,resolved c,firing a,resolved a,firing c");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, ow_setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(what_waits_and_is_over_in_silence_is_not_told),
		TEST(a_source_that_is_old_for_the_same_reason_is_told_once),
		TEST(what_was_told_and_is_over_in_silence_is_told),
		TEST(what_was_in_hand_goes_with_its_channel),
		TEST(what_was_in_hand_is_given_up_too),
		TEST(what_waits_is_counted_for_the_channels_there_are),
		TEST(what_is_being_sent_is_not_given_up),
		TEST(alertmanager_hears_nothing_out_of_order),
		TEST(a_channel_of_another_kind_gets_nothing_that_it_cannot_read),
		TEST(an_old_letter_of_another_form_is_written_anew),
		TEST(what_is_in_hand_or_over_is_not_written_anew),
		TEST(who_is_no_recipient_any_more_gets_no_mail),
		TEST(a_new_channel_hears_what_fires),
		TEST(a_channel_that_was_tested_is_new_all_the_same),
		TEST(a_channel_that_is_mended_hears_what_fires),
		TEST(what_failed_in_the_evening_waits_for_the_morning),
		TEST(a_slow_channel_keeps_no_other_back),
		TEST(a_recipient_who_cannot_be_reached_keeps_no_other_back),
		TEST(a_letter_that_is_never_taken_keeps_no_other_back_for_days),
		TEST(after_an_outage_all_comes_in_its_order),
		TEST(a_cause_is_one_alert_until_it_ends_for_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
