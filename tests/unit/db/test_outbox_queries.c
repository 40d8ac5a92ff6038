/* The queries of the outbox, each asked by itself: letters of every state and moment, and which of them
 * a query finds or changes. */
#include "db/internal.h"
#include "tests/support/assert.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOW 10000

static struct tempdb t;

static int setup(void **state)
{
	tempdb_open(&t, NOW);
	return 0;
}

#define expect(query, params, want) assert_string_equal(tempdb_ask(&t, query, params), want)

static void put(int64_t id, const char *channel, const char *set)
{
	tempdb_execf(&t,
		"INSERT INTO notification (id, message, channel, recipient, kind, dedup, "
		"critical, subject, body, refs, state, attempts, fence, created, "
		"lost_told, format, perhaps_sent) VALUES (%lld, 'm%lld', '%s', '', "
		"'alerts', 'd%lld', 0, 's', 'b', '', 'pending', 0, 7, 5000, 0, 'text', "
		"0);UPDATE notification SET %s WHERE id = %lld",
		(long long)id, (long long)id, channel, (long long)id, set, (long long)id);
}

/* ---- states and moments ------------------------------------------------------------------------ */

/* Letters 11-16 are pending, 21-26 unclear, 31-36 in somebody's hand, 41-46 sent, 51-56 dead and 61-66
 * dropped; each of them until just before now, now, just behind it, the furthest moment that is ever
 * set, one behind that, and of no moment at all. */
static void letters(bool own_channels)
{
	static const char *const states[] = {
		"pending", "unclear", "sending", "sent", "dead", "dropped"};
	static const char *const moments[] = {
		"9999", "10000", "10001", "17200", "17201", "NULL"};

	for (int s = 0; s < 6; s++)
		for (int m = 0; m < 6; m++) {
			char set[200], channel[16] = "c";
			int id = 10 * (s + 1) + m + 1;

			snprintf(set, sizeof(set), "state = '%s', %s = %s", states[s],
				s == 2 ? "next_at = 1, lease" : "next_at", moments[m]);
			if (own_channels)
				snprintf(channel, sizeof(channel), "c%d", id);
			put(id, channel, set);
		}
}

static const char *ids_that(const char *what)
{
	static char got[400];
	char sql[400];

	snprintf(sql, sizeof(sql),
		"SELECT COALESCE(group_concat(id, ' '), '') FROM (SELECT id FROM "
		"notification WHERE %s ORDER BY id)",
		what);
	return tempdb_text(&t, sql, got, sizeof(got));
}

static void what_may_go_out_now(void **state)
{
	char params[64], got[300] = "";

	letters(true);
	expect("channel_due", "10000", "c11; c12; c15; c21; c22; c25; c31; c32; c35");
	for (int id = 11; id < 67; id++) {
		const char *next;

		snprintf(params, sizeof(params), "c%d,,10000,0,0", id);
		next = tempdb_ask(&t, "notification_next", params);
		if (*next)
			snprintf(got + strlen(got), sizeof(got) - strlen(got), " %.2s",
				next);
	}
	assert_string_equal(got, " 11 12 15 21 22 25 31 32 35");
	/* a channel that is off, or waits, sends nothing; three seconds are near enough */
	for (int id = 11; id < 17; id++) {
		static const char *const set[] = {"NULL, 10003", "NULL, 10004",
			"NULL, 17200", "NULL, 17201", "NULL, NULL", "1, NULL"};

		tempdb_execf(&t,
			"UPDATE notification SET next_at = 9999 WHERE id = %d; INSERT INTO "
			"channel_state (channel, kind, version, off_since, next_at) VALUES "
			"('c%d', 'file', '', %s)",
			id, id, set[id - 11]);
	}
	expect("channel_due", "10000", "c11; c14; c15; c21; c22; c25; c31; c32; c35");
}

static void what_is_in_nobodys_hand(void **state)
{
	letters(false);
	put(91, "d", "state = 'pending'");
	put(92, "e", "state = 'sending', lease = 20000");
	expect("notification_open", "c,10000",
		"11  text; 12  text; 13  text; 14  text; 15  text; 16  text; 21  text; "
		"22  text; 23  text; 24  text; 25  text; 31  text; 32  text; 35  text");
	expect("notification_counts", "", "c 18 6; d 1 0; e 1 0");
	put(93, "f", "state = 'sent'");
	tempdb_exec(&t,
		"INSERT INTO outbox VALUES (1, 'g', 'r', 'x', 'firing', 'info', '', 1, "
		"1, 'waiting', NULL), (2, 'h', 'r', 'x', 'firing', 'info', '', 1, 1, "
		"'told', 'm')");
	expect("outbox_channels", "", "c 1; d 1; e 1; g 1");
}

/* The last item of each alert counts that was not dropped, and was delivered, still can be, or is an
 * end. */
static void what_a_channel_did_not_end(void **state)
{
	put(1, "c", "state = 'sent', message = 'm'");
	put(2, "c", "state = 'dead', message = 'lost'");
	tempdb_exec(&t,
		"INSERT INTO outbox (channel, rule, subject, kind, severity, summary, at, "
		"since, state, message) VALUES "
		"('c', 'r', 'a', 'firing', 'info', 'a', 1, 2, 'told', 'm'), "
		"('c', 'r', 'b', 'firing', 'info', 'b', 1, 2, 'told', 'm'), "
		"('c', 'r', 'c', 'firing', 'info', 'c', 1, 3, 'waiting', NULL), "
		"('c', 'r', 'd', 'firing', 'info', 'd', 1, 2, 'dropped', NULL), "
		"('c', 'r', 'e', 'firing', 'info', 'e', 1, 2, 'told', 'm'), "
		"('c', 'r', 'a', 'resolved', 'info', 'a', 1, 5, 'told', 'lost'), "
		"('c', 'r', 'g', 'firing', 'info', 'g', 1, 5, 'told', 'lost'), "
		"('d', 'r', 'f', 'firing', 'info', 'f', 1, 2, 'told', 'm'), "
		"('c', 'r', 'a', 'worse', 'critical', 'A', 1, 4, 'told', 'm'), "
		"('c', 'r', 'b', 'resolved', 'info', 'b', 1, 2, 'waiting', NULL), "
		"('c', 'r', 'h', 'firing', 'info', 'h', 1, 2, 'told', 'm'), "
		"('c', 'r', 'h', 'resolved', 'info', 'h', 1, 2, 'told', 'lost'), "
		"('c', 'r', 'e', 'resolved', 'info', 'e', 1, 2, 'dropped', NULL)");
	expect("outbox_open", "c", "r a critical A 4 0; r c info c 3 0; r e info e 2 0");
	tempdb_exec(&t,
		"INSERT INTO alert (rule, subject, state, data, severity, since, "
		"last_true, stage, summary, labels) VALUES "
		"('r', 'c', 'firing', 'fresh', 'info', 1, 1, 0, '', '{}'), "
		"('r', 'e', 'resolved', 'fresh', 'info', 1, 1, 0, '', '{}')");
	expect("outbox_open", "c", "r a critical A 4 0; r c info c 3 1; r e info e 2 0");
}

static void a_channel_that_is_gone_ends_what_waits(void **state)
{
	letters(false);
	put(91, "d", "state = 'pending'");
	tempdb_ask(&t, "notification_end_channel", "dropped,10000,gone,c");
	assert_string_equal(
		ids_that("state = 'dropped' AND finished = 10000 AND error = 'gone' AND "
			 "fence = 8 AND next_at IS NULL AND lease IS NULL"),
		"11 12 13 14 15 16 21 22 23 24 25 26 31 32 35");
	assert_string_equal(ids_that("perhaps_sent = 1"), "21 22 23 24 25 26 31 32 35");
	assert_string_equal(ids_that("state IN ('pending', 'unclear')"), "91");
	assert_string_equal(ids_that("fence = 7 AND state = 'sending'"), "33 34 36");
}

static void what_is_two_days_old_is_of_no_use(void **state)
{
	letters(false);
	put(91, "d", "state = 'pending', created = 8000");
	put(92, "d", "state = 'pending', created = 7999, error = 'busy'");
	tempdb_ask(&t, "notification_expire", "10000,too old,8000");
	assert_string_equal(
		ids_that("state = 'dead' AND finished = 10000 AND fence = 8 AND "
			 "next_at IS NULL AND lease IS NULL"),
		"11 12 13 14 15 16 21 22 23 24 25 26 31 32 35 92");
	assert_string_equal(ids_that("perhaps_sent = 1"), "21 22 23 24 25 26 31 32 35");
	assert_string_equal(ids_that("error = 'too old: busy'"), "92");
	assert_string_equal(ids_that("error = 'too old'"),
		"11 12 13 14 15 16 21 22 23 24 25 26 31 32 35");
	assert_string_equal(ids_that("state = 'pending'"), "91");
}

static void what_waits_since_an_attempt_failed(void **state)
{
	letters(false);
	tempdb_exec(&t, "UPDATE notification SET attempts = 1 WHERE id % 10 > 2");
	tempdb_exec(&t,
		"INSERT INTO channel_state (channel, kind, version, error) VALUES "
		"('b', 'file', '', 'other'), ('c', 'file', '', 'full')");
	put(91, "d", "attempts = 1, next_at = 1");
	expect("notification_late", "c", "6 full"); /* 13-15 and 23-25 */
}

static void what_is_dead_can_be_told_and_tried_again(void **state)
{
	put(1, "c",
		"state = 'dead', finished = 6000, created = 1, attempts = 3, error = 'x', "
		"recipient = 'r', kind = 'daily', next_at = 4");
	put(2, "c", "state = 'dead', finished = 6000, body = ''");
	put(3, "c", "state = 'dead', finished = 6000, kind = 'test'");
	put(4, "d", "state = 'dead', finished = 6000, perhaps_sent = 1, lost_told = 1");
	put(5, "c", "state = 'sent', finished = 6000");
	expect("notification_lost", "",
		"1 c 0 r daily s 1 3 x; 2 c 0  alerts s 5000 0 -; 3 c 0  test s 5000 0 -");
	expect("notification_dead", "c,0", "1 c");
	expect("notification_dead", "none,4", "4 d");
	expect("notification_dead", "c,4", "1 c; 4 d");
	/* those to owners are of the channel that sends them, which has others of its own */
	put(6, "c/ann@x", "state = 'dead', finished = 6000, recipient = 'ann@x'");
	put(7, "c-d", "state = 'dead', finished = 6000");
	expect("notification_dead", "c,0", "1 c; 6 c");
	expect("notification_dead", "c/ann@x,0", "6 c");
	expect("notification_lost", "",
		"1 c 0 r daily s 1 3 x; 2 c 0  alerts s 5000 0 -; 3 c 0  test s 5000 0 -; "
		"6 c 1 ann@x alerts s 5000 0 -; 7 c-d 0  alerts s 5000 0 -");
	tempdb_exec(&t, "DELETE FROM notification WHERE id > 5");
	tempdb_ask(&t, "notification_lost_told", "2");
	assert_string_equal(ids_that("lost_told = 1"), "2 4");
	tempdb_ask(&t, "notification_retry", "9000,5");
	tempdb_ask(&t, "notification_retry", "9000,9");
	assert_string_equal(ids_that("fence = 8"), "");
	for (char id[] = "9000,1"; id[5] < '6'; ++id[5])
		tempdb_ask(&t, "notification_retry", id);
	assert_string_equal(
		ids_that("state = 'pending' AND next_at = 9000 AND created = 9000 "
			 "AND finished IS NULL AND lost_told = 0 AND fence = 8"),
		"1 3");
	assert_string_equal(
		ids_that("state = 'unclear' AND next_at = 9000 AND created = 9000 "
			 "AND finished IS NULL AND lost_told = 0 AND fence = 8"),
		"4");
	assert_string_equal(ids_that("fence = 7"), "2 5");
}

static void what_is_over_is_shortened_and_forgotten(void **state)
{
	letters(false);
	tempdb_exec(&t,
		"UPDATE notification SET html = 'h', finished = CASE id % 10 WHEN 1 THEN "
		"5999 WHEN 2 THEN 6000 END");
	tempdb_ask(&t, "notification_forget", "6000,0");
	assert_string_equal(ids_that("body = '' AND html IS NULL"), "21 41 51 61");
	assert_string_equal(ids_that("body = '' OR html IS NULL"), "21 41 51 61");
	tempdb_ask(&t, "notification_forget", "6000,6000");
	assert_int_equal(tempdb_int(&t, "SELECT COUNT(*) FROM notification"), 30);
	assert_string_equal(ids_that("finished < 6000"), "");
}

static void only_who_holds_a_letter_says_what_came_of_it(void **state)
{
	put(1, "c", "state = 'pending', next_at = 1");
	put(2, "c", "state = 'unclear', perhaps_sent = 0");
	put(3, "c", "state = 'pending', perhaps_sent = 1");
	for (char id[] = "10060,1,7"; id[6] < '4'; ++id[6])
		tempdb_ask(&t, "notification_claim", id);
	put(4, "c", "state = 'pending'");                  /* of another one */
	tempdb_ask(&t, "notification_claim", "20000,1,7"); /* of an older fence */
	assert_string_equal(
		ids_that("state = 'sending' AND fence = 8 AND lease = 10060 AND "
			 "attempts = 1"),
		"1 2 3");
	assert_string_equal(ids_that("perhaps_sent = 1"), "2 3");
	expect("notification_fence", "1", "8 sending");
	tempdb_ask(&t, "notification_finish", "sent,1,2,old,old,1,7");
	assert_string_equal(ids_that("state = 'sending'"), "1 2 3");
	tempdb_ask(&t, "notification_finish", "unclear,11,12,reply,error,1,8");
	assert_string_equal(
		ids_that("state = 'unclear' AND next_at = 11 AND lease IS NULL AND "
			 "finished = 12 AND reply = 'reply' AND error = 'error'"),
		"1");
	tempdb_ask(&t, "notification_finish", "sent,1,2,late,late,1,8"); /* it is over */
	assert_string_equal(ids_that("state = 'sending'"), "2 3");
	assert_string_equal(ids_that("state = 'sent'"), "");
	tempdb_exec(&t, "UPDATE notification SET next_at = 1 WHERE id = 2");
	tempdb_ask(&t, "notification_drop", "10000,why,2");
	assert_string_equal(
		ids_that("state = 'dropped' AND next_at IS NULL AND lease IS NULL "
			 "AND finished = 10000 AND error = 'why' AND fence = 9"),
		"2");
	tempdb_ask(&t, "notification_delete", "2");
	assert_string_equal(ids_that("1"), "1 3 4");
	assert_string_equal(
		ids_that("state = 'pending' AND attempts = 0 AND fence = 7"), "4");
}

/* ---- in which order ---------------------------------------------------------------------------- */

/* Letter 2 is due; what the one before it has to do with that. */
static void news_of_alerts_keep_their_order(void **state)
{
	static const struct {
		const char *first, *second;
		char next, ordered; /* the letter that is next */
	} cases[] = {
		{"next_at = 10500", "next_at = 1", '-', '-'},
		{"next_at = 10500", "next_at = 1, kind = 'daily'", '2', '2'},
		{"next_at = 10500, kind = 'daily'", "next_at = 1", '2', '2'},
		{"next_at = 10500, kind = 'digest'", "next_at = 1, kind = 'digest'", '-',
			'-'},
		{"next_at = 10500, recipient = 'r'", "next_at = 1", '2', '2'},
		{"next_at = 10500, channel = 'd'", "next_at = 1", '2', '2'},
		{"next_at = 10500", "next_at = 1, critical = 1", '2', '-'},
		{"next_at = 10500, critical = 1", "next_at = 1, critical = 1", '-', '-'},
		{"next_at = 10500, critical = 2", "next_at = 1, critical = 1", '-', '-'},
		{"next_at = 10500, critical = 1", "next_at = 1, critical = 2", '-', '-'},
		{"next_at = 1, critical = 1", "next_at = 1, critical = 2", '1', '1'},
		{"next_at = 10500, attempts = 11", "next_at = 1", '-', '-'},
		{"next_at = 10500, attempts = 12", "next_at = 1", '2', '-'},
		{"state = 'unclear', next_at = 10500", "next_at = 1", '2', '-'},
		{"state = 'unclear', next_at = NULL", "next_at = 1", '2', '2'},
		{"state = 'sending', lease = 10500", "next_at = 1", '2', '-'},
		{"state = 'sent'", "next_at = 1", '2', '2'},
		{"state = 'dead'", "next_at = 1", '2', '2'},
		{"next_at = 1", "next_at = 1", '1', '1'},
		{"next_at = 1", "next_at = 1, critical = 1", '2', '1'},
		{"next_at = 1, kind = 'daily', attempts = 11",
			"next_at = 1, kind = 'daily'", '1', '1'},
		{"next_at = 1, kind = 'daily', attempts = 12",
			"next_at = 1, kind = 'daily'", '2', '2'},
		{"next_at = 1, kind = 'daily', attempts = 12, critical = 1",
			"next_at = 1, kind = 'daily'", '2', '2'},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char next, ordered, all;

		tempdb_exec(&t, "DELETE FROM notification");
		put(1, "c", cases[i].first);
		put(2, "c", cases[i].second);
		next = *tempdb_ask(&t, "notification_next", "c,,10000,0,0");
		ordered = *tempdb_ask(&t, "notification_next", "c,,10000,1,0");
		all = *tempdb_ask(&t, "notification_next",
			"c,m2,10000,1,1"); /* this one, whatever else */
		if ((next ? next : '-') != cases[i].next ||
			(ordered ? ordered : '-') != cases[i].ordered || all != '2')
			fail_msg("%s; %s: %c %c %c", cases[i].first, cases[i].second, next,
				ordered, all);
	}
}

static void at_night_only_what_is_critical_and_reports(void **state)
{
	static const char *const kinds[] = {"alerts", "digest", "lost", "daily", "test"};

	for (int i = 0; i < 5; i++) {
		char set[64];

		tempdb_exec(&t, "DELETE FROM notification");
		snprintf(set, sizeof(set), "next_at = 1, kind = '%s'", kinds[i]);
		put(1, "c", set);
		assert_int_equal(*tempdb_ask(&t, "notification_next", "c,,10000,0,1"),
			i < 3 ? 0 : '1');
		assert_int_equal(*tempdb_ask(&t, "notification_next", "c,,10000,0,0"), '1');
		assert_int_equal(
			*tempdb_ask(&t, "notification_next", "c,m1,10000,0,1"), '1');
		assert_int_equal(*tempdb_ask(&t, "notification_next", "c,m2,10000,0,1"), 0);
		tempdb_exec(&t, "UPDATE notification SET critical = 1");
		assert_int_equal(*tempdb_ask(&t, "notification_next", "c,,10000,0,1"), '1');
	}
}

/* The end of a critical alert (letter 1) waits, unless another letter may not pass it. */
static void at_night_an_end_goes_before_what_is_critical(void **state)
{
	static const struct {
		const char *other, *next;
	} cases[] = {{"critical = 1", "1"}, {"critical = 2", ""}, {"critical = 0", ""},
		{"critical = 1, state = 'sent'", ""}, {"critical = 1, channel = 'd'", ""},
		{"critical = 1, recipient = 'r', next_at = 10500", ""},
		{"critical = 1, id = 0", "0"},
		{"critical = 1, id = 0, next_at = 10500", ""}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		tempdb_exec(&t, "DELETE FROM notification");
		put(1, "c", "critical = 2, next_at = 1");
		put(2, "c", "next_at = 1");
		tempdb_execf(&t, "UPDATE notification SET %s WHERE id = 2", cases[i].other);
		assert_int_equal(*tempdb_ask(&t, "notification_next", "c,,10000,0,1"),
			*cases[i].next);
		assert_int_equal(
			*tempdb_ask(&t, "notification_next", "c,m1,10000,0,1"), '1');
	}
}

static void what_a_channel_lately_got(void **state)
{
	put(1, "c", "created = 6000, message = 'a'");
	put(2, "c", "created = 6001, message = 'b'");
	put(3, "c", "created = 7000, message = 'b', kind = 'digest'");
	put(4, "c", "created = 10000, message = 'c', kind = 'alerts'");
	put(5, "c", "created = 10000, message = 'd', kind = 'daily'");
	put(6, "c", "created = 10001, message = 'e'");
	put(7, "d", "created = 7000, message = 'f'");
	expect("notification_recent", "c,6000,10000", "2");
	expect("notification_newest", "c,10000", "alerts 10000");
	expect("notification_newest", "c,9999", "digest 7000");
	put(8, "c", "created = 7000, message = 'g', kind = 'alerts'");
	expect("notification_newest", "c,9999", "alerts 7000");
	expect("notification_newest", "c,5999", "");
	expect("notification_later", "c,daily,d5,d6", "5");
	expect("notification_later", "c,daily,d4,d5", "");
	expect("notification_later", "c,daily,d51,d6", "");
	expect("notification_later", "c,weekly,d5,d6", "");
	expect("notification_later", "d,daily,d5,d6", "");
	tempdb_exec(&t, "UPDATE notification SET recipient = 'r' || id");
	expect("notification_has", "d6,d7", "r6");
	expect("notification_has", "d61,d7", "");
}

static void a_new_letter_waits_and_nobody_had_it(void **state)
{
	for (char which[] = "m,c,r,daily,d1,1,s,b,h,x,9000,json"; which[0] < 'o';
		which[0]++)
		tempdb_ask(
			&t, "notification_put", which); /* the second one says the same */
	tempdb_expect(&t,
		"SELECT group_concat(message || ' ' || channel || ' ' || recipient || ' ' "
		"|| kind || ' ' || dedup || ' ' || critical || ' ' || subject || ' ' || "
		"body || ' ' || html || ' ' || refs || ' ' || state || ' ' || attempts || "
		"' ' || next_at || ' ' || fence || ' ' || created || ' ' || lost_told || ' "
		"' || format || ' ' || perhaps_sent) FROM notification",
		"m c r daily d1 1 s b h x pending 0 9000 0 9000 0 json 0");
}

static void the_thing_that_an_alert_is_about(void **state)
{
	tempdb_exec(&t,
		"INSERT INTO resource (id, uid, source, kind, project, location, name, "
		"state, raw_state, provisioning, hosts, queued, labels, owner, first_seen, "
		"last_seen, complete) VALUES ('a', '1', 'tpu', 'tpu', 'p', 'z', 'n', "
		"'running', 'READY', 'spot', 2, 'q', '{}', 'eve', 0, 0, 1), ('b', '2', "
		"'vm', 'vm', 'p', 'z', 'm', 'stopped', '', NULL, NULL, NULL, '{}', NULL, "
		"0, 0, 1), ('d', '3', 'vm', 'vm', 'o', 'z', 'n', 'stopped', '', NULL, "
		"NULL, "
		"NULL, '{}', 'ann', 0, 0, 1);INSERT INTO verdict (id, hosts, covered, net, "
		"currency, exempt) "
		"VALUES ('a', 4, 1, 7, 'USD', 0), ('c', 5, 0, 8, 'HKD', 0)");
	tempdb_exec(&t,
		"INSERT INTO as_of (now, timezone, currency, today) VALUES (10000, 'UTC', "
		"'USD', '1970-01-01');INSERT INTO residual (id, gross, currency, text) "
		"VALUES ('a', 3, 'EUR', 't');INSERT INTO hold (id, until, created, "
		"comment) VALUES ('b', 10001, 0, ''), ('a', 10000, 0, '')");
	expect("thing", "a",
		"a tpu tpu p z n p/n running - spot q eve 4 1 - - 7 USD 0 3 EUR t - - -");
	expect("thing", "b", "b vm vm p z m m stopped - - - - - - - - - - 1 - - - - - -");
	expect("thing", "c", "");
	/* a name of two projects has its project; of what is gone, the last is known */
	tempdb_exec(&t,
		"INSERT INTO resource_interval (id, uid, starts, ends, kind, project, "
		"location, "
		"name, state, owner) VALUES ('e', '7', 1, 2, 'vm', 'p', 'z', 'm', "
		"'running', "
		"'old'), ('e', '8', 2, 3, 'vm', 'q', 'z', 'n', 'running', 'eve'), ('a', "
		"'1', 1, "
		"2, 'vm', 'p', 'z', 'm', 'running', 'old')");
	expect("alert_thing", "a", "eve p p/n");
	expect("alert_thing", "b", "- p m");
	expect("alert_thing", "d", "ann o o/n");
	expect("alert_thing", "e", "eve q q/n");
	expect("alert_thing", "c", "- - -");
}

/* ---- news -------------------------------------------------------------------------------------- */

static void the_newest_news_of_a_subject(void **state)
{
	put(1, "c", "state = 'sent', message = 'sent'");
	put(2, "c", "state = 'dead', message = 'dead'");
	put(3, "c", "state = 'dropped', message = 'dropped'");
	tempdb_exec(&t,
		"INSERT INTO outbox VALUES (1, 'c', 'r', 'x', 'firing', 'warning', 'one', "
		"100, 90, 'told', 'sent'), (2, 'c', 'r', 'x', 'worse', 'critical', 'two', "
		"200, 90, 'told', 'dead'), (3, 'c', 'r', 'x', 'repeat', 'critical', "
		"'three', 201, 90, 'told', 'dropped'), (4, 'c', 'r', 'x', 'firing', "
		"'info', 'four', 300, 290, 'waiting', NULL), (5, 'c', 'r', 'x', "
		"'resolved', 'critical', 'five', 301, 290, 'waiting', NULL), (6, 'c', 'r', "
		"'y', 'firing', 'critical', 'six', 302, 290, 'waiting', NULL), (7, 'c', "
		"'q', 'x', 'firing', 'warning', 'seven', 199, 290, 'waiting', NULL), (8, "
		"'d', 'r', 'x', 'firing', 'warning', 'eight', 304, 290, 'waiting', NULL), "
		"(9, 'c', 'r', 'x', 'firing', 'warning', 'nine', 150, 140, 'dropped', "
		"NULL), (10, 'd', 'r', 'x', 'worse', 'info', '', 500, 500, 'told', "
		"'sent'), (11, 'c', 'q', 'x', 'worse', 'info', '', 500, 500, 'told', "
		"'sent'), (12, 'c', 'r', 'x', 'worse', 'info', '', 500, 500, 'dropped', "
		"'sent')");
	expect("outbox_told", "c,r,x", "firing warning sent");
	expect("outbox_told", "c,r,y", "");
	expect("outbox_waiting", "c,r,x", "5 resolved");
	expect("outbox_waiting", "c,r,y", "6 firing");
	expect("outbox_waiting", "d,r,y", "");
	/* the figures of y are older than its event */
	tempdb_exec(&t,
		"INSERT INTO alert (rule, subject, state, data, severity, since, "
		"last_true, "
		"stage, summary, labels) VALUES ('r', 'y', 'firing', 'stale', 'critical', "
		"290, 295, 0, '', '{}'), ('r', 'x', 'firing', 'fresh', 'info', 290, 400, "
		"0, '', '{}')");
	expect("outbox_list", "c",
		"6 r y firing critical six 302 290 295 0; 7 q x firing warning seven 199 "
		"290 199 0; 4 r x firing info four 300 290 300 0; 5 r x resolved critical "
		"five 301 290 301 0");
	tempdb_ask(&t, "notification_forget", "0,200");
	tempdb_expect(&t,
		"SELECT group_concat(item, ' ') FROM (SELECT item FROM outbox ORDER BY "
		"item)",
		"2 3 4 5 6 7 8 10 11 12");
	tempdb_ask(&t, "outbox_goes_on", "77,c,r,x");
	tempdb_expect(
		&t, "SELECT group_concat(item, ' ') FROM outbox WHERE since = 77", "2 3");
	tempdb_ask(&t, "outbox_tell", "-,4");
	tempdb_ask(&t, "outbox_tell", "m,5");
	tempdb_expect(&t,
		"SELECT group_concat(item || state || COALESCE(message, ''), ' ') FROM "
		"(SELECT * FROM outbox WHERE item > 3 AND item < 10 ORDER BY item)",
		"4dropped 5toldm 6waiting 7waiting 8waiting");
	tempdb_ask(&t, "channel_drop", "c");
	tempdb_expect(&t,
		"SELECT group_concat(item || state, ' ') FROM "
		"(SELECT * FROM outbox WHERE item > 3 AND item < 10 ORDER BY item)",
		"4dropped 5told 6dropped 7dropped 8waiting");
}

static void what_fires_and_is_not_silenced(void **state)
{
	static const struct {
		const char *silence; /* rule, subject, created, until */
		const char *want;
	} cases[] = {
		{"'none', '', 1, 20000", "q x; r x; r y"},
		{"'r', '', 1, 20000", "q x"},
		{"'r', 'x', 1, 20000", "q x; r y"},
		{"'r', 'x', 10000, 10001", "q x; r y"},
		{"'r', 'x', 10001, 20000", "q x; r x; r y"},
		{"'r', 'x', 1, 10000", "q x; r x; r y"},
	};

	tempdb_exec(&t,
		"INSERT INTO alert (rule, subject, state, data, severity, since, "
		"last_true, stage, summary, labels) VALUES ('r', 'x', 'firing', 'fresh', "
		"'info', 1, 1, 0, '', '{}'), ('r', 'y', 'firing', 'fresh', 'info', 1, 1, "
		"0, '', '{}'), ('q', 'x', 'firing', 'fresh', 'info', 1, 1, 0, '', '{}'), "
		"('q', 'y', 'pending', 'fresh', 'info', 1, 1, 0, '', '{}')");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char got[200] = "";
		const char *at;

		tempdb_execf(&t,
			"DELETE FROM silence; INSERT INTO silence (rule, subject, created, "
			"until, comment) VALUES (%s, '')",
			cases[i].silence);
		at = tempdb_ask(&t, "outbox_firing", "10000");
		while (*at) { /* "rule subject" of each row that is not silenced */
			const char *row = at;

			at += strcspn(at, ";");
			if (at[-1] == '0')
				snprintf(got + strlen(got), sizeof(got) - strlen(got),
					"%s%.3s", *got ? "; " : "", row);
			at += *at ? 2 : 0;
		}
		assert_string_equal(got, cases[i].want);
	}
}

static void what_is_known_of_a_channel(void **state)
{
	tempdb_ask(&t, "channel_put", "c,file,v1,100,broken,200");
	expect("channel_get", "c,c", "v1 100 broken 200");
	tempdb_ask(&t, "channel_put", "c,slack,v2,101,worse,201");
	expect("channel_get", "c,c", "v2 101 worse 201");
	tempdb_expect(&t, "SELECT kind FROM channel_state", "slack");
	/* what came of sending says nothing of how it is configured */
	tempdb_ask(&t, "channel_result", "c,email,102,better,202");
	expect("channel_get", "c,c", "v2 102 better 202");
	tempdb_expect(&t, "SELECT kind FROM channel_state", "slack");
	tempdb_ask(&t, "channel_result", "d,email,103,new,203");
	expect("channel_get", "d,d", " 103 new 203");
	expect("outbox_channels", "", "c 0; d 0");
	tempdb_ask(&t, "channel_on", "c");
	expect("channel_get", "c,c", "v2 - better -");
	expect("channel_get", "d,d", " 103 new 203");
	tempdb_ask(&t, "channel_drop", "d");
	expect("outbox_channels", "", "c 0");
}

static void what_is_silenced_is_not_told(void **state)
{
	static const struct {
		const char *params, *dropped;
	} cases[] = {{"r,x", "1"}, {"r,", "1 2"}, {"q,x", "3"}, {"q,y", ""}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		tempdb_exec(&t,
			"DELETE FROM outbox; INSERT INTO outbox VALUES "
			"(1, 'c', 'r', 'x', 'firing', 'info', '', 1, 1, 'waiting', NULL), "
			"(2, 'c', 'r', 'y', 'worse', 'info', '', 1, 1, 'waiting', NULL), "
			"(3, 'd', 'q', 'x', 'firing', 'info', '', 1, 1, 'waiting', NULL), "
			"(4, 'c', 'r', 'x', 'resolved', 'info', '', 1, 1, 'waiting', "
			"NULL), "
			"(5, 'c', 'r', 'x', 'firing', 'info', '', 1, 1, 'told', 'm')");
		tempdb_ask(&t, "outbox_silence", cases[i].params);
		tempdb_expect(&t,
			"SELECT COALESCE(group_concat(item, ' '), '') FROM outbox WHERE "
			"state = 'dropped'",
			cases[i].dropped);
		tempdb_expect(&t, "SELECT state FROM outbox WHERE item = 5", "told");
	}
}

/* Alerts 1-7 of machines of one owner: the first fires; of the others' actions are announced to nobody,
 * to a channel, and to the owner, without an end, with one, with another's end, and as cancelled. */
static void owners_are_mailed_until_the_end_of_an_action(void **state)
{
	for (int i = 1; i <= 7; i++)
		tempdb_execf(&t,
			"INSERT INTO resource (id, uid, source, kind, project, location, "
			"name, "
			"state, raw_state, labels, owner, first_seen, last_seen, complete) "
			"VALUES ('%d', '', 'vm', 'vm', 'p', 'z', 'n', 'running', '', '{}', "
			"'eve', 0, 0, 1);INSERT INTO alert (rule, subject, state, data, "
			"severity, since, last_true, stage, summary, labels) VALUES ('r', "
			"'%d', "
			"'%s', 'fresh', 'info', 0, 0, 0, '', '{}');INSERT INTO action "
			"(action, "
			"rule, resource, uid, source, kind, project, location, name, verb, "
			"mode, severity, policy, state, held, reason, since, began, "
			"attempts) "
			"VALUES (%d, 'r', '%d', '', 'vm', 'vm', 'p', 'z', 'n', 'stop', "
			"'armed', "
			"'info', '', 'sent', '', '', 0, 0, 1)",
			i, i, i == 1 ? "firing" : "resolved", i, i);
	tempdb_exec(&t,
		"INSERT INTO action_notice (action, kind, channel, message) VALUES (3, "
		"'warning', 'c', ''), (4, 'warning', 'c/e', ''), (5, 'warning', 'c/e', "
		"''), "
		"(5, 'outcome', 'c/e', ''), (6, 'held', 'c/e', ''), (6, 'outcome', 'c/f', "
		"''), (7, 'warning', 'c/e', ''), (7, 'cancelled', 'c/e', '')");
	expect("alert_owners", "", "r 1 eve; r 4 eve; r 6 eve");
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(what_may_go_out_now),
		TEST(what_is_in_nobodys_hand),
		TEST(what_a_channel_did_not_end),
		TEST(a_channel_that_is_gone_ends_what_waits),
		TEST(what_is_two_days_old_is_of_no_use),
		TEST(what_waits_since_an_attempt_failed),
		TEST(what_is_dead_can_be_told_and_tried_again),
		TEST(what_is_over_is_shortened_and_forgotten),
		TEST(only_who_holds_a_letter_says_what_came_of_it),
		TEST(news_of_alerts_keep_their_order),
		TEST(at_night_only_what_is_critical_and_reports),
		TEST(at_night_an_end_goes_before_what_is_critical),
		TEST(what_a_channel_lately_got),
		TEST(a_new_letter_waits_and_nobody_had_it),
		TEST(the_thing_that_an_alert_is_about),
		TEST(the_newest_news_of_a_subject),
		TEST(what_fires_and_is_not_silenced),
		TEST(what_is_known_of_a_channel),
		TEST(what_is_silenced_is_not_told),
		TEST(owners_are_mailed_until_the_end_of_an_action),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
