/* Temporary tables that are made when SQL names them and filled when it reads them. */
#include "db/internal.h"
#include "db_sql.h"
#include "rules/bill/view.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

static struct tempdb t;
static char filled[512];
static bool broken, asks;

/* Who fills a table reads another one. */
static enum err_code ask_back(struct db *db, struct err *e)
{
	struct q_advised_list q;
	struct db_rows rows;

	if (q_advised_list_open(db, &rows, e))
		return e->code;
	while (q_advised_list_next(&rows, &q))
		;
	return db_rows_close(&rows, e);
}

static enum err_code fill(void *ctx, const char *table, struct err *e)
{
	struct db *db = ctx;

	if (broken)
		return err_set(e, E_DB, "no");
	snprintf(filled + strlen(filled), sizeof(filled) - strlen(filled), "%s ", table);
	if (asks && !strcmp(table, "as_of") && ask_back(db, e))
		return e->code;
	if (!strcmp(table, "as_of"))
		return db_exec(db,
			"INSERT INTO as_of (now, timezone, currency) VALUES (7, 'UTC', "
			"'USD')",
			e);
	return E_OK;
}

static int setup(void **state)
{
	struct err e = {0};

	(void)state;
	tempdb_open(&t, 1795219200);
	filled[0] = '\0';
	broken = asks = false;
	assert_int_equal(db_temp_derived(t.db, DERIVED_LIVE, &e), E_OK);
	db_fill_derived(t.db, fill, t.db);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tempdb_close(&t);
	return 0;
}

typedef enum err_code open_fn(
	struct db *db, const char *sql, int64_t ms, struct db_cursor *c, struct err *e);

/* The first value of it, or -1. */
static int64_t ask_by(open_fn *by, const char *sql)
{
	struct db_cursor c;
	struct err e = {0};
	int64_t v = -1;
	bool row;

	if (by(t.db, sql, 1000, &c, &e))
		return -1;
	if (!db_cursor_step(&c, &row, &e) && row && db_cursor_type(&c, 0) == DB_INT)
		v = db_cursor_i64(&c, 0);
	db_cursor_close(&c);
	return v;
}

static int64_t ask(const char *sql)
{
	return ask_by(db_cursor_open, sql);
}

static void only_what_is_read_is_filled_and_once(void **state)
{
	(void)state;
	assert_int_equal(ask("SELECT 1"), 1);
	assert_string_equal(filled, "");
	/* words alone are not reading: a column of that name, a text */
	assert_int_equal(ask("SELECT 2 AS credits WHERE 'burn_part' <> ''"), 2);
	assert_string_equal(filled, "");
	assert_int_equal(ask("SELECT count(*) FROM present"), 1);
	assert_string_equal(filled, "as_of ");
	assert_int_equal(ask("SELECT count(*) FROM present"), 1);
	assert_string_equal(filled, "as_of ");
}

/* It reads no column of them. */
static void what_is_counted_is_filled(void **state)
{
	(void)state;
	assert_int_equal(ask("SELECT count(*) FROM as_of"), -1); /* of users only views */
	assert_string_equal(filled, "");
	assert_int_equal(ask_by(db_cursor_open_own, "SELECT count(*) FROM as_of"), 1);
	assert_int_equal(
		ask_by(db_cursor_open_own,
			"SELECT count(*) FROM \"As_Of\" WHERE EXISTS (SELECT 1 FROM "
			"burn_part)"),
		0);
	assert_string_equal(filled, "as_of burn_part ");
}

/* They would be as of another moment. */
static void those_of_the_file_are_not_shown(void **state)
{
	(void)state;
	assert_int_equal(ask("SELECT count(*) FROM main.resources"), -1);
	assert_int_equal(ask("SELECT count(*) FROM \"main\".as_of"), -1);
	assert_int_equal(ask("SELECT count(*) FROM main.present"), -1);
	assert_int_equal(ask("SELECT count(*) FROM temp.resources"), 0);
	assert_int_equal(ask("SELECT count(*) FROM main.holds"), -1);
}

/* The tables that a statement waits for are filled one after the other, not in the midst of the
 * first. */
static void who_fills_waits_for_nobody_else(void **state)
{
	(void)state;
	asks = true;
	assert_int_equal(ask("SELECT count(*) FROM present CROSS JOIN hidden_costs"), 0);
	assert_string_equal(filled, "as_of advised_stop verdict belonging ");
}

static void what_cannot_be_filled_cannot_be_read(void **state)
{
	(void)state;
	broken = true;
	assert_int_equal(ask("SELECT count(*) FROM present"), -1);
	assert_int_equal(ask("SELECT count(*) FROM present"), -1);
	broken = false;
	assert_int_equal(ask("SELECT count(*) FROM present"), 1);
}

/* One that was left out would be read from the file, where it is old. */
static void too_many_are_an_error(void **state)
{
	struct sbuf b = SBUF_INIT;
	struct err e = {0};

	(void)state;
	for (int i = 0; i < 64; i++)
		sbuf_addf(&b, "CREATE @TEMP@ TABLE many_%d (x INTEGER);\n", i);
	assert_int_equal(db_temp_of(t.db, b.s, DERIVED_LIVE, &e), E_OK);
	assert_int_equal(db_need(t.db, "SELECT x FROM many_63", &e), E_OK);
	assert_int_equal(tempdb_int(&t, "SELECT COUNT(*) FROM temp.many_63"), 0);
	sbuf_adds(&b, "CREATE @TEMP@ TABLE one_more (x INTEGER);\n");
	assert_int_equal(db_temp_of(t.db, b.s, DERIVED_LIVE, &e), E_BUG);
	assert_string_equal(e.msg,
		"derived table one_more: there are more than 64, or its name is too long");
	assert_false(db_is_lazy(t.db));
	err_clear(&e);
	assert_int_equal(db_temp_of(t.db,
				 "CREATE @TEMP@ TABLE a_name_that_has_32_letters_in_it (x "
				 "INTEGER);\n",
				 DERIVED_LIVE, &e),
		E_BUG);
	sbuf_done(&b);
}

static void another_world_is_filled_anew(void **state)
{
	(void)state;
	assert_int_equal(ask("SELECT count(*) FROM present"), 1);
	db_fill_derived(t.db, fill, t.db);
	assert_int_equal(ask("SELECT count(*) FROM present"), 2);
	assert_string_equal(filled, "as_of as_of ");
}

/* After a rollback the names would mean the tables of the file. */
static void what_was_rolled_back_is_not_taken_for_what_is_kept(void **state)
{
	struct db_tx tx = {0};
	struct err e = {0};

	(void)state;
	assert_int_equal(db_begin(t.db, &tx, &e), E_OK);
	assert_int_equal(ask("SELECT count(*) FROM present"), 1);
	db_tx_end(&tx);
	assert_int_equal(ask("SELECT count(*) FROM present"), -1);
}

/* Who fills clears first. What nothing is put into and nobody reads is not made for that. */
static void clearing_makes_nothing(void **state)
{
	static const char made[] =
		"SELECT COUNT(*) FROM temp.sqlite_schema WHERE name = 'poll_interval'";
	struct q_poll_interval_put_in in = {.poll_group = "a", .seconds = 1};
	struct err e = {0};

	(void)state;
	tempdb_exec(&t, "INSERT INTO main.poll_interval VALUES ('kept', 2)");
	assert_int_equal(q_poll_interval_clear(t.db, &e), E_OK);
	assert_int_equal(tempdb_int(&t, made), 0);
	assert_int_equal(q_poll_interval_put(t.db, &in, &e), E_OK);
	assert_int_equal(tempdb_int(&t, made), 1);
	assert_int_equal(q_poll_interval_clear(t.db, &e), E_OK);
	assert_int_equal(tempdb_int(&t, "SELECT COUNT(*) FROM temp.poll_interval"), 0);
	assert_int_equal(tempdb_int(&t, "SELECT COUNT(*) FROM main.poll_interval"), 1);
}

static int asked;
static bool answer;

static enum err_code fit(void *ctx, bool *fits, struct err *e)
{
	(void)ctx;
	if (!asked++)
		return err_set(e, E_DB, "no");
	*fits = answer;
	return E_OK;
}

static int64_t days(void)
{
	return ask_by(db_cursor_open_own, "SELECT COUNT(*) FROM calendar");
}

/* Rollups are read where they are, when they can be. */
static void rollups_are_asked_for_when_they_are_named(void **state)
{
	struct err e = {0};

	(void)state;
	tempdb_exec(&t,
		"INSERT INTO main.calendar (day, date, starts, ends) VALUES "
		"(0, '1970-01-01', 0, 86400)");
	for (int i = 0; i < 2; i++) {
		asked = 0;
		answer = i == 0;
		filled[0] = '\0';
		assert_int_equal(
			db_temp_derived(t.db, DERIVED_LIVE | DERIVED_KEPT, &e), E_OK);
		db_fill_derived(t.db, fill, t.db);
		db_ask_rollups(t.db, fit, NULL);
		assert_int_equal(ask("SELECT 1 FROM resources"), -1);
		assert_int_equal(asked, 0);
		assert_int_equal(days(), -1); /* that failed: it is asked again */
		assert_int_equal(days(), answer ? 1 : 0);
		assert_int_equal(days(), answer ? 1 : 0);
		assert_int_equal(asked, 2);
		assert_int_equal(strstr(filled, "calendar ") != NULL, !answer);
	}
}

static int64_t holds_seen(struct db *db)
{
	int64_t n = -1;
	struct err e = {0};

	assert_int_equal(db_pragma(db, "SELECT COUNT(*) FROM hold", &n, &e), E_OK);
	return n;
}

/* Also behind transactions of its own, which change nothing but temporary tables. */
static void who_holds_a_moment_sees_no_later_one(void **state)
{
	struct db *db = NULL;
	struct db_tx tx = {0};
	struct err e = {0};

	(void)state;
	assert_int_equal(db_open(t.path, DB_READ, &t.clock, &db, &e), E_OK);
	assert_int_equal(db_hold(db, &e), E_OK);
	tempdb_exec(&t,
		"INSERT INTO hold (id, until, comment, created) VALUES ('a', 9, '', 1)");
	assert_int_equal(holds_seen(db), 0);
	assert_int_equal(db_temp_derived(db, DERIVED_LIVE, &e), E_OK);
	assert_int_equal(db_begin(db, &tx, &e), E_OK);
	assert_int_equal(db_need(db, "SELECT now FROM present", &e), E_OK);
	assert_int_equal(db_commit(&tx, &e), E_OK);
	assert_int_equal(holds_seen(db), 0);
	db_close(db);
	assert_int_equal(db_open(t.path, DB_READ, &t.clock, &db, &e), E_OK);
	assert_int_equal(holds_seen(db), 1);
	db_close(db);
}

/* The engine reads it all at once, which is most of what a small question would cost. */
static void who_reads_no_table_reads_no_schema(void **state)
{
	struct db *db = NULL;
	struct db_cursor c;
	struct err e = {0};
	int used[2], high;

	(void)state;
	assert_int_equal(db_open(t.path, DB_READ, &t.clock, &db, &e), E_OK);
	assert_int_equal(db_hold(db, &e), E_OK);
	assert_int_equal(db_temp_derived(db, DERIVED_LIVE | DERIVED_KEPT, &e), E_OK);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(db_cursor_open(db, i ? "SELECT 1 FROM holds" : "SELECT 1",
					 1000, &c, &e),
			E_OK);
		db_cursor_close(&c);
		sqlite3_db_status(db->sq, SQLITE_DBSTATUS_SCHEMA_USED, &used[i], &high, 0);
	}
	assert_true(used[0] * 20 < used[1]);
	db_close(db);
}

static void sums_take_the_small_rollup_when_it_is_enough(void **state)
{
	(void)state;
	assert_string_equal(bill_view(NULL), "sku_costs_exact");
	assert_string_equal(
		bill_view("category = 'cpu' AND usage_unit = 'h'"), "sku_costs_exact");
	assert_string_equal(bill_view("\"Zone\" = 'a'"), "costs_exact");
	assert_string_equal(bill_view("cost > 1"), "costs_exact");
	assert_string_equal(bill_view("resource"), "costs_exact");
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			only_what_is_read_is_filled_and_once, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_counted_is_filled, setup, teardown),
		cmocka_unit_test_setup_teardown(
			those_of_the_file_are_not_shown, setup, teardown),
		cmocka_unit_test_setup_teardown(
			who_fills_waits_for_nobody_else, setup, teardown),
		cmocka_unit_test_setup_teardown(
			what_cannot_be_filled_cannot_be_read, setup, teardown),
		cmocka_unit_test_setup_teardown(too_many_are_an_error, setup, teardown),
		cmocka_unit_test_setup_teardown(
			another_world_is_filled_anew, setup, teardown),
		cmocka_unit_test_setup_teardown(
			what_was_rolled_back_is_not_taken_for_what_is_kept, setup,
			teardown),
		cmocka_unit_test_setup_teardown(clearing_makes_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(
			rollups_are_asked_for_when_they_are_named, setup, teardown),
		cmocka_unit_test_setup_teardown(
			who_holds_a_moment_sees_no_later_one, setup, teardown),
		cmocka_unit_test_setup_teardown(
			who_reads_no_table_reads_no_schema, setup, teardown),
		cmocka_unit_test(sums_take_the_small_rollup_when_it_is_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
