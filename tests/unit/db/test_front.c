/* Views in front of a statement instead of made ones: it does the same. */
#include "db/internal.h"
#include "db_sql.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

static struct tempdb t;
static struct db *made,
	*front; /* readers: the one makes views, the other puts them in front */

static struct db *reader(void)
{
	struct db *db = NULL;
	struct err e = {0};

	assert_int_equal(db_open(t.path, DB_READ, &t.clock, &db, &e), E_OK);
	db_derived_empty(db);
	return db;
}

static int setup(void **state)
{
	tempdb_open(&t, 1795219200);
	made = reader();
	front = reader();
	return 0;
}

static int teardown(void **state)
{
	db_close(made);
	db_close(front);
	tempdb_close(&t);
	return 0;
}

/* The steps of the engine's machine, without the numbers of its registers. */
static void steps_of(struct db *db, const char *name, const char *sql, struct sbuf *out)
{
	cleanup(sbuf_done) struct sbuf explain = SBUF_INIT;
	sqlite3_stmt *st = NULL;

	sbuf_addf(&explain, "EXPLAIN %s", sql);
	if (sqlite3_prepare_v2(db->sq, explain.s, -1, &st, NULL))
		fail_msg("%s: %s", name, sqlite3_errmsg(db->sq));
	while (sqlite3_step(st) == SQLITE_ROW) {
		const char *step = (const char *)sqlite3_column_text(st, 1);
		const char *with = (const char *)sqlite3_column_text(st, 5);

		/* a view that is made, over what is in memory alone, asks for one too many */
		if (!strcmp(step, "Transaction"))
			continue;
		/* its number is an address */
		sbuf_addf(out, "%s %s\n", step,
			with && strcmp(step, "VOpen") != 0 ? with : "");
	}
	sqlite3_finalize(st);
}

static int views_made(struct db *db)
{
	struct err e = {0};
	int64_t n = 0;

	assert_int_equal(db_pragma(db,
				 "SELECT COUNT(*) FROM temp.sqlite_schema WHERE type = "
				 "'view'",
				 &n, &e),
		E_OK);
	return (int)n;
}

static void a_named_query_takes_the_same_steps(void **state)
{
	int n = 0;

	for (int i = 0; i < db_n_queries; i++) {
		cleanup(sbuf_done) struct sbuf room = SBUF_INIT, a = SBUF_INIT,
					       b = SBUF_INIT;
		const char *name = db_queries[i]->name, *sql = db_queries[i]->text;
		struct err e = {0};

		/* who reads has none of the first, and the other is made for the query */
		if (strstr(sql, "stage_") || strstr(sql, "ref_sum"))
			continue;
		assert_int_equal(db_need_in_front(front, &sql, &room, &e), E_OK);
		if (sql == db_queries[i]->text)
			continue;
		n++;
		assert_int_equal(db_need(made, db_queries[i]->text, &e), E_OK);
		steps_of(made, name, db_queries[i]->text, &a);
		steps_of(front, name, sql, &b);
		if (strcmp(a.s, b.s) != 0)
			fail_msg(
				"%s: with its views in front\n%s\nnot\n%s", name, b.s, a.s);
	}
	assert_true(n > 10);
}

/* What becomes of it, and how many views are then made. */
static bool goes_in_front(const char *sql, int views)
{
	cleanup(sbuf_done) struct sbuf room = SBUF_INIT;
	struct db *db = reader();
	const char *text = sql;
	struct err e = {0};

	assert_int_equal(db_need_in_front(db, &text, &room, &e), E_OK);
	assert_int_equal(sqlite3_exec(db->sq, text, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(views_made(db), views);
	db_close(db);
	return text != sql;
}

static void what_would_not_be_the_same_is_made(void **state)
{
	assert_true(goes_in_front("SELECT project FROM burn", 0));
	assert_true(goes_in_front("select\tnow FROM \"Present\"", 0));
	assert_false(goes_in_front("SELECT 1 FROM resource", 0)); /* a table */
	/* conditions on both are looked for inside of them */
	assert_false(goes_in_front("SELECT 1 FROM present a, present b", 1));
	assert_false(goes_in_front("SELECT 1 FROM temp.present", 1));
	assert_false(goes_in_front("SELECT 1 FROM \"temp\" . [present]", 1));
	assert_false(goes_in_front("WITH x AS (SELECT * FROM present) SELECT 1 FROM x", 1));
	assert_false(goes_in_front("EXPLAIN SELECT 1 FROM present", 1));
	/* burn is made of burn_exact, and that of burn_known */
	assert_false(goes_in_front("SELECT 1 FROM burn, burn_known", 3));
}

/* It is refused for what it does. */
static void who_would_write_a_view_is_told_so(void **state)
{
	struct db_cursor c;
	struct err e = {0};

	assert_int_equal(db_cursor_open(front, "INSERT INTO burn VALUES (1)", 1000, &c, &e),
		E_USAGE);
	assert_string_equal(e.msg, "SQL: only reading is allowed, and only of the views");
}

/* The engine has another number for it as long as it has not read the schema. */
static void who_would_create_is_told_so_at_once(void **state)
{
	struct db *db = reader();
	struct db_cursor c;
	struct err e = {0};

	assert_int_equal(
		db_cursor_open(db, "CREATE TEMP TABLE x (y)", 1000, &c, &e), E_USAGE);
	assert_string_equal(e.msg, "SQL: only reading is allowed, and only of the views");
	db_close(db);
}

static void what_is_made_already_is_used(void **state)
{
	cleanup(sbuf_done) struct sbuf room = SBUF_INIT;
	const char *sql = "SELECT project FROM burn";
	struct db *db = reader();
	struct err e = {0};

	assert_int_equal(db_need(db, "burn", &e), E_OK);
	assert_int_equal(db_need_in_front(db, &sql, &room, &e), E_OK);
	assert_string_equal(sql, "SELECT project FROM burn");
	db_close(db);
}

static int64_t count(struct db *db, const char *view)
{
	struct db_cursor c;
	struct err e = {0};
	int64_t n = -1;
	char sql[80];
	bool row;

	snprintf(sql, sizeof(sql), "SELECT COUNT(*) FROM %s", view);
	if (db_cursor_open(db, sql, 1000, &c, &e) || db_cursor_step(&c, &row, &e))
		fail_msg("%s: %s", view, e.msg);
	if (row)
		n = db_cursor_i64(&c, 0);
	db_cursor_close(&c);
	return n;
}

/* A view that is gone with its transaction is made again. */
static void writers_may_roll_back(void **state)
{
	struct db_tx tx = {0};
	struct err e = {0};
	struct db *db;

	assert_int_equal(db_open(t.path, DB_WRITE, &t.clock, &db, &e), E_OK);
	db_derived_empty(db);
	assert_int_equal(views_made(db), 0);
	assert_int_equal(db_begin(db, &tx, &e), E_OK);
	assert_int_equal(db_need(db, "burn", &e), E_OK);
	assert_int_equal(views_made(db), 3);
	db_tx_end(&tx);
	assert_int_equal(views_made(db), 0);
	assert_int_equal(count(db, "temp.burn"), 0);
	assert_int_equal(db_begin(db, &tx, &e), E_OK);
	db_tx_end(&tx);
	assert_int_equal(views_made(db), 3); /* they were there before */
	assert_int_equal(count(db, "temp.burn"), 0);
	db_close(db);
}

/* Rules are judged over one moment: who reads the view meanwhile sees that, too. */
static void one_that_stands_still_is_not_put_in_front(void **state)
{
	struct err e = {0};

	assert_int_equal(db_freeze_view(t.db, "silences", NULL, &e), E_OK);
	tempdb_exec(&t,
		"INSERT INTO as_of (now, timezone, currency) VALUES (7, 'UTC', 'USD');"
		"INSERT INTO silence (rule, subject, until, comment, created) "
		"VALUES ('a', '', 9, '', 1)");
	assert_int_equal(count(t.db, "silences"), 0);
	db_unfreeze_view(t.db, "silences");
	assert_int_equal(count(t.db, "silences"), 1);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_named_query_takes_the_same_steps),
		cmocka_unit_test(what_would_not_be_the_same_is_made),
		cmocka_unit_test(who_would_write_a_view_is_told_so),
		cmocka_unit_test(who_would_create_is_told_so_at_once),
		cmocka_unit_test(what_is_made_already_is_used),
		cmocka_unit_test(writers_may_roll_back),
		cmocka_unit_test(one_that_stands_still_is_not_put_in_front),
	};

	return cmocka_run_group_tests_name("front", tests, setup, teardown);
}
