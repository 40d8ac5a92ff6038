/* The record of what was done: nobody changes it unseen. */
#include "rules/act/audit.h"

#include "base/net/digest.h"
#include "base/data/json.h"
#include "db/internal.h"
#include "db_sql.h"
#include "tests/support/assert.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NOW INT64_C(1795219200)
#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"

static struct tempdb t;

static int setup(void **state)
{
	tempdb_open(&t, NOW);
	return 0;
}

static void add(const struct audit_entry *entry, ts_t now)
{
	struct err e = {0};

	assert_ok(audit_add(t.db, entry, now, &e), e);
}

/* n entries of all kinds of content. */
static void add_many(int n)
{
	static const char *const events[] = {
		"began", "warned", "intent", "sent", "verified"};
	struct err e = {0};
	cleanup(db_tx_end) struct db_tx tx = {0};

	assert_ok(db_begin(t.db, &tx, &e), e);
	for (int i = 0; i < n; i++) {
		char resource[40], detail[40];
		struct audit_entry entry = {.actor = i % 3 ? "tpucost" : "user ada",
			.event = events[i % 5],
			.action = i % 4,
			.resource = i % 2 ? resource : NULL,
			.detail = i % 5 ? detail : NULL};

		snprintf(resource, sizeof(resource), "p/vm/z/m%d", i);
		snprintf(detail, sizeof(detail), "{\"n\": %d}", i);
		add(&entry, NOW + i);
	}
	assert_ok(db_commit(&tx, &e), e);
}

static struct audit_verdict verify(const char *anchor)
{
	struct audit_verdict v;
	struct err e = {0};

	assert_ok(audit_verify(t.db, anchor, &t.a, &v, &e), e);
	assert_true(v.ok == (v.bad == 0));
	assert_true(v.ok == (v.why == NULL));
	return v;
}

static void expect_fine(const char *anchor, int64_t entries)
{
	struct audit_verdict v = verify(anchor);

	if (!v.ok)
		fail_msg("entry %lld: %s", (long long)v.bad, v.why);
	assert_int_equal(v.entries, entries);
	assert_int_equal(v.head_seq, entries);
}

static void expect_bad(const char *anchor, int64_t bad, const char *why)
{
	struct audit_verdict v = verify(anchor);

	assert_false(v.ok);
	assert_int_equal(v.bad, bad);
	assert_string_equal(v.why, why);
}

/* As somebody would who can write the file. */
static void unlock(void)
{
	tempdb_exec(&t, "DROP TRIGGER IF EXISTS audit_entry_no_update");
	tempdb_exec(&t, "DROP TRIGGER IF EXISTS audit_entry_no_delete");
	tempdb_exec(&t, "DROP TRIGGER IF EXISTS audit_entry_no_replace");
}

/* ---- adding ------------------------------------------------------------------------------------ */

static void an_entry_is_hashed_with_the_one_before(void **state)
{
	static const struct audit_entry first = {.actor = "user ada",
						.event = "halted",
						.detail = "{\"comment\":\"wait\"}"},
					second = {.actor = "tpucost",
						.event = "intent",
						.action = 7,
						.resource = "p/vm/z/big"};
	char one[DIGEST_HEX], two[DIGEST_HEX], text[300];

	add(&first, NOW);
	add(&second, NOW + 5);
	snprintf(text, sizeof(text),
		"1\n1795219200\nuser ada\nhalted\n\n\n{\"comment\":\"wait\"}\n%s", ZEROS);
	assert_true(digest_sha256(text, strlen(text), one));
	snprintf(text, sizeof(text),
		"2\n1795219205\ntpucost\nintent\n7\np/vm/z/big\n{}\n%s", one);
	assert_true(digest_sha256(text, strlen(text), two));
	tempdb_expect(&t, "SELECT hash FROM audit_entry WHERE seq = 1", one);
	tempdb_expect(&t, "SELECT prev FROM audit_entry WHERE seq = 1", ZEROS);
	tempdb_expect(&t, "SELECT hash FROM audit_entry WHERE seq = 2", two);
	tempdb_expect(&t, "SELECT prev FROM audit_entry WHERE seq = 2", one);
	tempdb_expect(&t,
		"SELECT seq || at || actor || event || action || resource || detail FROM "
		"audit WHERE seq = 2",
		"22026-11-21T00:00:05Ztpucostintent7p/vm/z/big{}");
	tempdb_expect(&t,
		"SELECT resource IS NULL AND action IS NULL FROM audit WHERE seq = 1", "1");
	expect_fine(one, 2);
	expect_fine(two, 2);
}

static void an_entry_goes_with_the_transaction_that_it_is_about(void **state)
{
	static const struct audit_entry entry = {.actor = "tpucost", .event = "intent"};
	struct err e = {0};

	{
		cleanup(db_tx_end) struct db_tx tx = {0};

		assert_ok(db_begin(t.db, &tx, &e), e);
		add(&entry, NOW);
		assert_int_equal(tempdb_int(&t, "SELECT COUNT(*) FROM audit_entry"), 1);
	}
	assert_int_equal(tempdb_int(&t, "SELECT COUNT(*) FROM audit_entry"), 0);
	add(&entry, NOW);
	expect_fine(NULL, 1);
}

static void line_ends_are_refused_so_that_no_text_moves_between_fields(void **state)
{
	static const struct audit_entry entries[] = {
		{.actor = "user\nada", .event = "held"},
		{.actor = "tpucost", .event = "he\nld"},
		{.actor = "tpucost", .event = "held", .resource = "p/vm\n/z/m"},
		{.actor = "tpucost", .event = "held", .detail = "{\n}"},
	};

	for (size_t i = 0; i < ARRAY_LEN(entries); i++) {
		struct err e = {0};

		assert_int_equal(audit_add(t.db, &entries[i], NOW, &e), E_BUG);
	}
	expect_fine(NULL, 0);
	add_many(1);
	unlock();
	tempdb_exec(&t, "UPDATE audit_entry SET resource = 'x' || char(10), detail = 'y'");
	expect_bad(NULL, 1, "it was edited: it contains a line end");
}

static void an_empty_record_is_fine_unless_something_was_noted(void **state)
{
	struct audit_verdict v = verify(NULL);

	assert_true(v.ok);
	assert_int_equal(v.entries, 0);
	assert_int_equal(v.head_seq, 0);
	assert_string_equal(v.head, "");
	expect_bad(ZEROS, 1,
		"no entry has the noted hash: entries were removed from the end, or all "
		"were rewritten");
}

static void the_user_is_the_one_who_runs_it(void **state)
{
	assert_non_null(strstr(audit_user(&t.a), "user "));
	assert_true(strlen(audit_user(&t.a)) > strlen("user "));
}

/* ---- the engine refuses ------------------------------------------------------------------------ */

static void refused(const char *sql)
{
	char *why = NULL;
	int rc = sqlite3_exec(t.db->sq, sql, NULL, NULL, &why);

	if (rc == SQLITE_OK)
		fail_msg("went through: %s", sql);
	assert_string_equal(why, "audit_entry is append-only");
	sqlite3_free(why);
}

static void entries_cannot_be_changed_or_taken_out(void **state)
{
	add_many(3);
	refused("UPDATE audit_entry SET detail = '{}' WHERE seq = 2");
	refused("UPDATE audit_entry SET seq = 9 WHERE seq = 3");
	refused("DELETE FROM audit_entry WHERE seq = 3");
	refused("DELETE FROM audit_entry");
	refused("INSERT OR REPLACE INTO audit_entry SELECT * FROM audit_entry WHERE seq = "
		"2");
	refused("INSERT INTO audit_entry SELECT 0, at, actor, event, action, resource, "
		"detail, prev, hash FROM audit_entry WHERE seq = 2");
	refused("INSERT INTO audit_entry SELECT 3, at, actor, event, action, resource, "
		"detail, prev, hash FROM audit_entry WHERE seq = 2 ON CONFLICT (seq) DO "
		"UPDATE SET detail = 'x'");
	expect_fine(NULL, 3);
}

/* ---- tampering --------------------------------------------------------------------------------- */

static void add_quoted(struct sbuf *b, const char *s)
{
	sbuf_addc(b, '\'');
	for (; *s; s++)
		sbuf_adds(b, *s == '\'' ? "''" : (char[]){*s, '\0'});
	sbuf_addc(b, '\'');
}

static void set_text(const char *column, int seq, const char *value)
{
	struct sbuf b = SBUF_INIT;

	sbuf_addf(&b, "UPDATE audit_entry SET %s = ", column);
	add_quoted(&b, value);
	sbuf_addf(&b, " WHERE seq = %d", seq);
	tempdb_exec(&t, b.s);
	sbuf_done(&b);
}

static size_t flip_each_byte(const char *column, int seq)
{
	char sql[100], was[200], now[200];
	size_t n;

	snprintf(sql, sizeof(sql),
		"SELECT COALESCE(%s, '') FROM audit_entry WHERE seq = %d", column, seq);
	tempdb_text(&t, sql, was, sizeof(was));
	n = strlen(was);
	for (size_t i = 0; i < n; i++) {
		struct audit_verdict v;

		strcpy(now, was);
		now[i] ^= 1;
		set_text(column, seq, now);
		v = verify(NULL);
		if (v.ok || v.bad != seq)
			fail_msg("%s of %d: byte %zu", column, seq, i);
	}
	set_text(column, seq, was);
	return n;
}

/* I27 */
static void every_byte_that_is_changed_shows(void **state)
{
	static const char *const columns[] = {
		"actor", "event", "resource", "detail", "prev", "hash"};
	size_t n = 0;

	add_many(4);
	unlock();
	for (int seq = 1; seq <= 4; seq++) {
		for (size_t i = 0; i < ARRAY_LEN(columns); i++)
			if (seq % 2 == 0 || strcmp(columns[i], "resource") != 0)
				n += flip_each_byte(columns[i], seq);
	}
	assert_true(n > 600);
	expect_fine(NULL, 4);
}

static void every_bit_of_a_number_that_is_changed_shows(void **state)
{
	static const char *const columns[] = {"at", "action"};

	add_many(3);
	unlock();
	for (size_t c = 0; c < ARRAY_LEN(columns); c++)
		for (int bit = 0; bit < 64; bit++) {
			struct audit_verdict v;
			char sql[200];

			snprintf(sql, sizeof(sql),
				"UPDATE audit_entry SET %s = (%s | (1 << %d)) - (%s & (1 "
				"<< %d)) WHERE seq = 2",
				columns[c], columns[c], bit, columns[c], bit);
			tempdb_exec(&t, sql);
			v = verify(NULL);
			if (v.ok || v.bad != 2)
				fail_msg("%s, bit %d", columns[c], bit);
			tempdb_exec(&t, sql);
		}
	expect_fine(NULL, 3);
	tempdb_exec(&t, "UPDATE audit_entry SET action = 0 WHERE seq = 1");
	expect_bad(NULL, 1, "it was edited: its hash does not match");
	tempdb_exec(&t, "UPDATE audit_entry SET action = NULL WHERE seq = 1");
	tempdb_exec(&t, "UPDATE audit_entry SET resource = '' WHERE seq = 1");
	expect_bad(NULL, 1, "it was edited: its resource is empty instead of NULL");
}

/* A NUL ends the text for all who read it, and hashes are of what is read. */
static void what_is_put_behind_the_end_of_a_text_shows(void **state)
{
	struct audit_verdict v;
	struct err e = {0};

	add_many(3);
	unlock();
	tempdb_exec(&t,
		"UPDATE audit_entry SET detail = detail || char(0) || 'more' WHERE seq = "
		"2");
	assert_int_equal(audit_verify(t.db, NULL, &t.a, &v, &e), E_DB);
	assert_contains(e.msg, "column detail has a text with a NUL byte in it");
}

static void what_is_taken_out_shows(void **state)
{
	add_many(6);
	unlock();
	tempdb_exec(&t, "DELETE FROM audit_entry WHERE seq = 3");
	expect_bad(NULL, 3, "it was removed");
	tempdb_exec(&t, "DELETE FROM audit_entry WHERE seq = 4");
	expect_bad(NULL, 3, "it was removed, with all entries up to 4");
	tempdb_exec(&t, "DELETE FROM audit_entry WHERE seq = 1");
	expect_bad(NULL, 1, "it was removed");
}

static void numbers_made_to_fit_again_do_not_help(void **state)
{
	add_many(6);
	unlock();
	tempdb_exec(&t, "DELETE FROM audit_entry WHERE seq = 3");
	tempdb_exec(&t, "UPDATE audit_entry SET seq = seq - 1 WHERE seq > 3");
	expect_bad(NULL, 3, "it is out of order: it was entry 4");
}

static void another_order_shows(void **state)
{
	add_many(6);
	unlock();
	tempdb_exec(&t, "UPDATE audit_entry SET seq = -1 WHERE seq = 2");
	tempdb_exec(&t, "UPDATE audit_entry SET seq = 2 WHERE seq = 5");
	tempdb_exec(&t, "UPDATE audit_entry SET seq = 5 WHERE seq = -1");
	expect_bad(NULL, 2, "it is out of order: it was entry 5");
}

static void what_is_put_in_shows(void **state)
{
	add_many(4);
	unlock();
	tempdb_exec(&t,
		"INSERT INTO audit_entry SELECT 0, at, actor, event, action, resource, "
		"detail, prev, hash FROM audit_entry WHERE seq = 1");
	expect_bad(NULL, 1, "an entry was inserted before it");
}

/* Hashed anew, but not what came after it. */
static void an_edit_that_is_hashed_again_shows_at_the_next_one(void **state)
{
	char prev[DIGEST_HEX], text[300], hash[DIGEST_HEX];

	add_many(3);
	unlock();
	tempdb_text(&t, "SELECT prev FROM audit_entry WHERE seq = 2", prev, sizeof(prev));
	snprintf(text, sizeof(text), "2\n%lld\ntpucost\nnothing\n\n\n{}\n%s",
		(long long)NOW, prev);
	assert_true(digest_sha256(text, strlen(text), hash));
	tempdb_exec(&t,
		"UPDATE audit_entry SET at = 1795219200, actor = 'tpucost', event = "
		"'nothing', action = NULL, resource = NULL, detail = '{}' WHERE seq = 2");
	set_text("hash", 2, hash);
	expect_bad(NULL, 2,
		"it was edited and hashed again, or entry 3 was: their hashes do not "
		"match");
}

static void the_end_cut_off_shows_against_what_was_noted(void **state)
{
	char head[DIGEST_HEX], early[DIGEST_HEX];

	add_many(6);
	unlock();
	tempdb_text(&t, "SELECT hash FROM audit_entry WHERE seq = 6", head, sizeof(head));
	tempdb_text(&t, "SELECT hash FROM audit_entry WHERE seq = 2", early, sizeof(early));
	expect_fine(head, 6);
	tempdb_exec(&t, "DELETE FROM audit_entry WHERE seq > 4");
	expect_fine(NULL, 4);
	expect_fine(early, 4);
	expect_bad(head, 5,
		"no entry has the noted hash: entries were removed from the end, or all "
		"were rewritten");
	add_many(3); /* which the next entries do not cover up */
	expect_fine(NULL, 7);
	assert_false(verify(head).ok);
}

static void a_record_that_was_tampered_with_goes_on(void **state)
{
	char head[DIGEST_HEX];

	add_many(3);
	unlock();
	tempdb_exec(&t, "UPDATE audit_entry SET detail = '{\"n\": 9}' WHERE seq = 3");
	add_many(2);
	expect_bad(NULL, 3, "it was edited: its hash does not match");
	assert_int_equal(verify(NULL).entries, 5);
	assert_int_equal(verify(NULL).head_seq, 5);
	tempdb_text(&t, "SELECT hash FROM audit_entry WHERE seq = 5", head, sizeof(head));
	assert_string_equal(verify(NULL).head, head);
	tempdb_exec(&t, "UPDATE audit_entry SET hash = 'x' WHERE seq = 5");
	add_many(1);
	assert_int_equal(verify(NULL).entries, 6);
	expect_bad(NULL, 3, "it was edited: its hash does not match");
}

static void ten_thousand_entries_are_read_at_once(void **state)
{
	add_many(10000);
	expect_fine(NULL, 10000);
	unlock();
	tempdb_exec(&t, "UPDATE audit_entry SET detail = '{}' WHERE seq = 9999");
	expect_bad(NULL, 9999, "it was edited: its hash does not match");
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		T(an_entry_is_hashed_with_the_one_before),
		T(an_entry_goes_with_the_transaction_that_it_is_about),
		T(line_ends_are_refused_so_that_no_text_moves_between_fields),
		T(an_empty_record_is_fine_unless_something_was_noted),
		T(the_user_is_the_one_who_runs_it),
		T(entries_cannot_be_changed_or_taken_out),
		T(every_byte_that_is_changed_shows),
		T(every_bit_of_a_number_that_is_changed_shows),
		T(what_is_put_behind_the_end_of_a_text_shows),
		T(what_is_taken_out_shows),
		T(numbers_made_to_fit_again_do_not_help),
		T(another_order_shows),
		T(what_is_put_in_shows),
		T(an_edit_that_is_hashed_again_shows_at_the_next_one),
		T(the_end_cut_off_shows_against_what_was_noted),
		T(a_record_that_was_tampered_with_goes_on),
		T(ten_thousand_entries_are_read_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
