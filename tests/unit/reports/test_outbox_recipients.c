/* What each recipient of a channel is sent: what fires, also to who is added, and the end of what was sent. */
#include "tests/support/assert.h"
#include "tests/support/unit.h"
#include "tests/support/world/outbox_world.h"

#include <string.h>

#define W SEVERITY_WARNING
#define C SEVERITY_CRITICAL

static const char *const one[] = {"ann@example.org"};
static const char *const two[] = {"Ann <ANN@example.org>", "bob@example.org"};

static struct channel *mail_to(const char *const *to, size_t n)
{
	struct channel *c = ow_channel("me");

	c->kind = CHANNEL_EMAIL;
	c->to = to;
	c->n_to = n;
	return c;
}

static void change(struct channel *c, const char *const *to, size_t n, const char *version)
{
	c->to = to;
	c->n_to = n;
	c->version = version;
}

/* It fires in the table of alerts, as judge() leaves it; and is noted. */
static void fires(const char *rule, const char *subject, enum severity severity)
{
	tempdb_execf(&ow.t,
		"INSERT INTO alert (rule, subject, state, data, severity, since, "
		"last_true, stage, summary, labels) VALUES (%Q, %Q, 'firing', 'fresh', %Q, "
		"%lld, %lld, 0, '%q of %q', '{}')",
		rule, subject, severity_name(severity),
		(long long)clock_now(&ow.t.clock) - 60, (long long)clock_now(&ow.t.clock),
		rule, subject);
	ow_note("firing", rule, subject, severity);
	ow_cycle();
}

static void ends(const char *rule, const char *subject)
{
	tempdb_execf(&ow.t,
		"UPDATE alert SET state = 'resolved', resolved = %lld WHERE subject = %Q",
		(long long)clock_now(&ow.t.clock), subject);
	ow_note("resolved", rule, subject, C);
	ow_cycle();
}

/* It ends, and fires again before anybody was sent the end. */
static void ends_and_is_back(const char *rule, const char *subject, enum severity severity)
{
	ow_note("resolved", rule, subject, severity);
	ow_advance(600);
	tempdb_execf(&ow.t, "UPDATE alert SET since = %lld WHERE subject = %Q",
		(long long)clock_now(&ow.t.clock) - 60, subject);
	ow_note("firing", rule, subject, severity);
	ow_cycle();
}

/* "RECIPIENT: SUBJECT" of the letters from number `first` on. */
static void expect_letters(size_t first, const char *want)
{
	const char *got = "";

	for (size_t i = first; i < ow.n; i++)
		got = arena_printf(&ow.t.a, "%s%s%.3s: %s", got, *got ? "; " : "",
			ow.letters[i].recipient, strchr(ow.letters[i].subject, ' ') + 1);
	assert_string_equal(got, want);
}

static void who_is_added_gets_what_fires_and_its_end(void **state)
{
	struct channel *c = mail_to(one, 1);

	fires("vm", "a", C);
	fires("vm", "b", W);
	ends("vm", "b");
	change(c, two, 2, "2");
	ow_advance(60);
	fires("vm", "c", W);
	expect_letters(2,
		"ann: resolved: vm of b; bob: CRITICAL: vm of a (and 1 "
		"more); Ann: warning: vm of c");
	ow_expect("SELECT group_concat(critical, '') FROM (SELECT * FROM notification "
		  "WHERE id > 3 ORDER BY id)",
		"01");
	change(c, two, 2, "3"); /* everybody has it */
	ow_cycle();
	assert_int_equal(ow.n, 5);
	ends("vm", "a");
	expect_letters(5, "Ann: resolved: vm of a; bob: resolved: vm of a");
}

/* One who was added is sent no end of what ended before. */
static void an_end_is_sent_to_who_was_sent_the_beginning(void **state)
{
	struct channel *c = mail_to(two + 1, 1);

	ow_fail("me", SEND_REJECTED, 1);
	fires("vm", "a", C);
	expect_letters(0, "bob: CRITICAL: vm of a");
	ow_advance(60);
	ends("vm", "a");
	assert_int_equal(ow.n, 1);
	ow_advance(60);
	ow_note("firing", "vm", "b", C);
	ow_cycle();
	change(c, two, 2, "2");
	ow_note("resolved", "vm", "b", C);
	ow_note("firing", "vm", "c", W);
	ow_cycle();
	expect_letters(2, "bob: warning: vm of c (and 1 more); Ann: warning: vm of c");
}

static void actions_are_told_to_all(void **state)
{
	aw_arm();
	mail_to(two, 2);
	ow_fail("me", SEND_REJECTED, 1);
	fires("vm", "a", C);
	ow_advance(60);
	ACT(.name = "x");
	ow_note("resolved", "vm", "a", C);
	ow_cycle();
	expect_letters(2,
		"Ann: x will be stopped at 00:31; bob: x will be stopped at "
		"00:31 (and 1 more)");
}

/* The configuration refuses it; here it must not stop the others. */
static void a_mailbox_that_is_listed_twice_gets_one_letter(void **state)
{
	static const char *const to[] = {
		"ann@example.org", "Ann <ANN@example.org>", "bob@example.org"};
	struct channel *c = mail_to(to, 2);

	fires("vm", "a", C);
	change(c, to, 3, "2");
	ow_advance(60);
	fires("vm", "b", C);
	expect_letters(0,
		"ann: CRITICAL: vm of a; ann: CRITICAL: vm of b; bob: CRITICAL: vm of b "
		"(and 1 more)");
}

/* Removed while the message waited, and back. */
static void who_comes_back_gets_what_was_dropped(void **state)
{
	struct channel *c = mail_to(two, 2);

	ow_fail("me", SEND_LATER, 2);
	fires("vm", "a", C);
	change(c, one, 1, "2");
	ow_compose();
	ow_expect(
		"SELECT group_concat(state) FROM (SELECT * FROM notification ORDER BY id)",
		"pending,dropped");
	change(c, two, 2, "3");
	ow_advance(3600);
	ow_cycle();
	expect_letters(2, "Ann: CRITICAL: vm of a; bob: CRITICAL: vm of a");
	ends("vm", "a");
	expect_letters(4, "Ann: resolved: vm of a; bob: resolved: vm of a");
}

/* Whoever was sent the beginning, and not the end, is sent it once, whatever changes in the channel. */
static void what_is_back_is_no_news_to_who_was_sent_it(void **state)
{
	struct channel *c = mail_to(two, 2);

	fires("vm", "a", C);
	ends_and_is_back("vm", "a", C);
	change(c, two, 2, "2");
	ow_cycle();
	assert_int_equal(ow.n, 2);
	ends("vm", "a");
	expect_letters(2, "Ann: resolved: vm of a; bob: resolved: vm of a");
}

static void who_is_added_gets_what_is_back(void **state)
{
	struct channel *c = mail_to(one, 1);

	fires("vm", "a", C);
	ow_note("resolved", "vm", "a", C);
	tempdb_exec(&ow.t, "UPDATE alert SET state = 'resolved'");
	c->quiet_from = 0;
	c->quiet_until = 60;
	change(c, two, 2, "2");
	ow_cycle();
	assert_int_equal(ow.n, 1);
	tempdb_exec(&ow.t, "UPDATE alert SET state = 'firing'");
	ends_and_is_back("vm", "a", C);
	expect_letters(1, "bob: CRITICAL: vm of a");
}

/* The next evaluation then puts it off until the silence ends. */
static void who_is_added_during_a_silence_gets_it_afterwards(void **state)
{
	struct channel *c = mail_to(one, 1);

	fires("vm", "a", C);
	tempdb_exec(&ow.t,
		"INSERT INTO silence (rule, subject, created, until, comment) "
		"VALUES ('vm', 'a', 1, 1795222800, '')");
	fires("vm", "b", C);
	tempdb_exec(&ow.t, "UPDATE alert SET said = since");
	change(c, one, 1, "2");
	ow_cycle();
	ow_expect("SELECT COUNT(*) FROM alert WHERE said = 0", "0");
	change(c, two, 2, "3");
	ow_cycle();
	expect_letters(2, "bob: CRITICAL: vm of b");
	ow_expect("SELECT group_concat(subject) FROM alert WHERE said = 0", "a");
	ow_advance(3600);
	ow_note("repeat", "vm", "a", C);
	ow_cycle();
	expect_letters(3, "Ann: CRITICAL: still: vm of a; bob: CRITICAL: still: vm of a");
}

/* A mailbox that takes nothing for days gets one message, and keeps no repeat from the others. */
static void a_repeat_is_sent_to_who_can_be_reached(void **state)
{
	mail_to(two, 2);
	fires("vm", "a", W);
	tempdb_exec(&ow.t,
		"UPDATE notification SET state = 'pending', next_at = created + "
		"7000 WHERE recipient LIKE 'bob%'");
	ow_advance(60);
	ow_note("repeat", "vm", "a", W);
	ow_cycle();
	expect_letters(2, "Ann: warning: still: vm of a");
}

/* The end for nobody is tried once, not in each cycle. */
static void an_end_for_nobody_is_over(void **state)
{
	static const struct rule rules[] = {{.name = "old",
		.builtin = "source-stale",
		.on = "sources",
		.enabled = true}};
	struct judgement nothing = {0};
	struct channel *c = mail_to(one, 1);
	struct err e = {0};

	ow.settings.rules = rules;
	ow.settings.n_rules = 1;
	fires("old", "a", C);
	tempdb_exec(&ow.t,
		"UPDATE alert SET summary = 'a is old. Error: X'; "
		"UPDATE outbox SET summary = 'a is old. Error: X'");
	change(c, two, 2, "2");
	ow_cycle();
	expect_letters(
		1, "bob: CRITICAL: a is old. Error: X"); /* though its cause was told */
	change(c, two + 1, 1, "3");
	tempdb_exec(&ow.t,
		"UPDATE notification SET state = 'dead', lost_told = 1 "
		"WHERE recipient LIKE 'bob%'");
	tempdb_exec(&ow.t, "UPDATE alert SET state = 'resolved', resolved = 1");
	for (int i = 0; i < 3; i++) {
		assert_ok(outbox_note(ow.t.db, &ow.o, &nothing, OW_NOW, &e), e);
		ow_cycle();
	}
	assert_int_equal(ow.n, 2);
	ow_expect("SELECT group_concat(kind || ' ' || state) FROM outbox",
		"firing told,firing told,resolved told");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, ow_setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(who_is_added_gets_what_fires_and_its_end),
		TEST(an_end_is_sent_to_who_was_sent_the_beginning),
		TEST(actions_are_told_to_all),
		TEST(a_mailbox_that_is_listed_twice_gets_one_letter),
		TEST(who_comes_back_gets_what_was_dropped),
		TEST(what_is_back_is_no_news_to_who_was_sent_it),
		TEST(who_is_added_gets_what_is_back),
		TEST(who_is_added_during_a_silence_gets_it_afterwards),
		TEST(a_repeat_is_sent_to_who_can_be_reached),
		TEST(an_end_for_nobody_is_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
