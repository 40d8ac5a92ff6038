/* The database layer: what is opened and what is refused, transactions, queries and SQL of users. */
#include "db/internal.h"
#include "db/rollup/rollup.h"
#include "db_sql.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOW INT64_C(1795237200)

static struct tempdb t;

static int open_it(void **state)
{
	tempdb_open(&t, NOW);
	return 0;
}

static int close_it(void **state)
{
	tempdb_close(&t);
	return 0;
}

/* ---- opening ---------------------------------------------------------------------------------- */

static void a_new_database_is_the_users_alone(void **state)
{
	struct stat st;

	assert_int_equal(stat(t.path, &st), 0);
	/* the programs run with umask 077; here the test's own umask holds */
	assert_int_equal(st.st_mode & 0111, 0);
	assert_int_equal(tempdb_int(&t, "SELECT COUNT(*) FROM usage"), 0);
}

static void a_reader_needs_a_database_and_makes_none(void **state)
{
	char path[128];
	struct db *db = NULL;
	struct err e = {0};

	snprintf(path, sizeof(path), "%s/none.db", t.dir);
	assert_int_equal(db_open(path, DB_READ, &t.clock, &db, &e), E_NOTFOUND);
	assert_non_null(strstr(e.fix, "tpucost collect"));
	assert_int_not_equal(access(path, F_OK), 0);
}

static void write_file(const char *path, const void *data, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	fclose(f);
}

static void a_file_that_is_no_database_is_refused_and_left_alone(void **state)
{
	static const char garbage[] =
		"this is not a database, it only has the name of one ......";
	char path[128], back[128] = "";
	struct db *db = NULL;
	struct err e = {0};
	FILE *f;

	snprintf(path, sizeof(path), "%s/bad", t.dir);
	write_file(path, garbage, sizeof(garbage));
	assert_int_equal(db_open(path, DB_WRITE, &t.clock, &db, &e), E_DB);
	assert_int_equal(db_open(path, DB_READ, &t.clock, &db, &e), E_DB);
	f = fopen(path, "r");
	assert_int_equal(fread(back, 1, sizeof(back), f), sizeof(garbage));
	fclose(f);
	assert_memory_equal(back, garbage, sizeof(garbage));
	unlink(path);
}

static void a_database_of_somebody_else_is_refused(void **state)
{
	struct db *db = NULL;
	struct err e = {0};

	tempdb_exec(&t, "PRAGMA application_id = 7");
	db_close(t.db);
	t.db = NULL;
	assert_int_equal(db_open(t.path, DB_WRITE, &t.clock, &db, &e), E_DB);
	assert_non_null(strstr(e.msg, "not a tpucost database"));
}

static void a_newer_database_is_refused(void **state)
{
	struct db *db = NULL;
	struct err e = {0};

	tempdb_exec(&t, "PRAGMA user_version = 999");
	db_close(t.db);
	t.db = NULL;
	assert_int_equal(db_open(t.path, DB_WRITE, &t.clock, &db, &e), E_DB);
	assert_non_null(strstr(e.msg, "newer tpucost (schema 999"));
	assert_int_equal(db_open(t.path, DB_READ, &t.clock, &db, &e), E_DB);
}

static void an_older_database_is_not_migrated_by_a_reader(void **state)
{
	struct db *db = NULL;
	struct err e = {0};

	tempdb_exec(&t, "PRAGMA user_version = 0");
	db_close(t.db);
	t.db = NULL;
	assert_int_equal(db_open(t.path, DB_READ, &t.clock, &db, &e), E_DB);
	assert_non_null(strstr(e.fix, "collect"));
}

static void a_reader_cannot_write(void **state)
{
	struct q_meta_put_in in = {.key = "k", .value = "v"};
	struct err e = {0};

	tempdb_reopen(&t, DB_READ);
	assert_int_equal(q_meta_put(t.db, &in, &e), E_DB);
}

/* ---- transactions ------------------------------------------------------------------------------ */

static void leaving_without_commit_rolls_back(void **state)
{
	struct err e = {0};

	{
		cleanup(db_tx_end) struct db_tx tx = {0};

		assert_int_equal(db_begin(t.db, &tx, &e), E_OK);
		tempdb_put_meta(&t, "k1", "v");
	}
	assert_int_equal(tempdb_metas(&t), 0);
}

static void an_inner_rollback_dooms_the_whole(void **state)
{
	cleanup(db_tx_end) struct db_tx outer = {0};
	struct err e = {0};

	assert_int_equal(db_begin(t.db, &outer, &e), E_OK);
	tempdb_put_meta(&t, "k1", "v");
	{
		cleanup(db_tx_end) struct db_tx inner = {0};

		assert_int_equal(db_begin(t.db, &inner, &e), E_OK);
		tempdb_put_meta(&t, "k2", "v");
	}
	assert_int_equal(db_commit(&outer, &e), E_DB);
	assert_non_null(strstr(e.msg, "test_database.c"));
	assert_int_equal(tempdb_metas(&t), 0);
}

static void nested_commits_are_one(void **state)
{
	struct err e = {0};
	struct db_tx outer = {0}, inner = {0};

	assert_int_equal(db_begin(t.db, &outer, &e), E_OK);
	assert_int_equal(db_begin(t.db, &inner, &e), E_OK);
	tempdb_put_meta(&t, "k1", "v");
	assert_int_equal(db_commit(&inner, &e), E_OK);
	assert_int_equal(db_commit(&outer, &e), E_OK);
	tempdb_reopen(&t, DB_WRITE);
	assert_int_equal(tempdb_metas(&t), 1);
}

static void a_second_writer_waits_and_then_says_busy(void **state)
{
	struct db *other = NULL;
	struct err e = {0};
	struct db_tx mine = {0}, theirs = {0};

	assert_int_equal(db_open(t.path, DB_WRITE, &t.clock, &other, &e), E_OK);
	sqlite3_busy_timeout(other->sq, 10);
	assert_int_equal(db_begin(t.db, &mine, &e), E_OK);
	assert_int_equal(db_begin(other, &theirs, &e), E_BUSY);
	assert_int_equal(db_commit(&mine, &e), E_OK);
	assert_int_equal(db_begin(other, &theirs, &e), E_OK);
	db_tx_end(&theirs);
	db_close(other);
}

/* ---- queries ----------------------------------------------------------------------------------- */

static void a_missing_text_names_the_query(void **state)
{
	struct q_meta_put_in in = {.key = "k"};
	struct err e = {0};

	assert_int_equal(q_meta_put(t.db, &in, &e), E_BUG);
	assert_non_null(strstr(e.msg, "meta_put"));
	assert_non_null(strstr(e.msg, "value"));
}

static void a_query_may_run_inside_its_own_loop(void **state)
{
	struct db_rows outer, inner;
	struct q_source_list a, b;
	struct err e = {0};
	int n = 0;

	tempdb_exec(&t,
		"INSERT INTO source_status (source, project, state, last_attempt, items) "
		"VALUES "
		"('a', 'p', 'ok', 1, 0), ('b', 'p', 'ok', 1, 0)");
	assert_int_equal(q_source_list_open(t.db, &outer, &e), E_OK);
	while (q_source_list_next(&outer, &a)) {
		assert_int_equal(q_source_list_open(t.db, &inner, &e), E_OK);
		while (q_source_list_next(&inner, &b))
			n++;
		assert_int_equal(db_rows_close(&inner, &e), E_OK);
	}
	assert_int_equal(db_rows_close(&outer, &e), E_OK);
	assert_int_equal(n, 4);
}

static void one_row_is_copied_and_absence_is_no_error(void **state)
{
	struct q_meta_get_in in = {.key = "k1"};
	struct q_meta_get row;
	struct q_meta_put_in put = {.key = "k1", .value = "newest"};
	struct arena a = {0};
	struct err e = {0};
	bool found = true;

	assert_int_equal(q_meta_get_one(t.db, &in, &a, &row, &found, &e), E_OK);
	assert_false(found);
	tempdb_put_meta(&t, "k1", "hello");
	assert_int_equal(q_meta_get_one(t.db, &in, &a, &row, &found, &e), E_OK);
	tempdb_put_meta(&t, "k1", "other");
	assert_true(found);
	assert_string_equal(row.value, "hello");
	assert_int_equal(q_meta_put(t.db, &put, &e), E_OK);
	assert_int_equal(q_meta_get_one(t.db, &in, &a, &row, &found, &e), E_OK);
	assert_string_equal(row.value, "newest");
	arena_done(&a);
}

static void hostile_text_is_data(void **state)
{
	tempdb_put_meta(&t, "k'; DROP TABLE meta; --", "v");
	assert_int_equal(tempdb_metas(&t), 1);
}

/* ---- derived tables ---------------------------------------------------------------------------- */

/* The engine would read all of them whenever it opens the file. */
static void the_file_holds_no_views(void **state)
{
	static const char stored[] =
		"SELECT COUNT(*) FROM main.sqlite_schema WHERE type = 'view'";
	struct err e = {0};
	bool rebuilt;

	assert_int_equal(db_keep_rollups(t.db, &rebuilt, &e), E_OK);
	assert_int_equal(tempdb_int(&t, stored), 0);
	assert_int_equal(tempdb_int(&t, "SELECT COUNT(*) FROM resources"), 0);

	tempdb_exec(&t,
		"CREATE VIEW main.resources AS SELECT 1 AS old; CREATE VIEW main.own AS "
		"SELECT 2; UPDATE meta SET value = 'x' || substr(value, 2) WHERE key = "
		"'derived'");
	tempdb_reopen(&t, DB_WRITE);
	assert_int_equal(tempdb_int(&t, "SELECT COUNT(*) FROM resources"), 0);
	assert_int_equal(db_keep_rollups(t.db, &rebuilt, &e), E_OK);
	assert_true(rebuilt);
	assert_int_equal(tempdb_int(&t, stored), 1); /* somebody's own */
}

static void another_version_of_the_views_rebuilds_them(void **state)
{
	struct err e = {0};
	bool rebuilt;

	assert_int_equal(db_keep_rollups(t.db, &rebuilt, &e), E_OK);
	assert_false(rebuilt);
	tempdb_exec(&t, "UPDATE meta SET value = 'old' WHERE key = 'derived'");
	assert_int_equal(db_keep_rollups(t.db, &rebuilt, &e), E_OK);
	assert_true(rebuilt);
}

static void rollups_of_another_version_are_empty(void **state)
{
	bool rebuilt = true, current = false;
	struct err e = {0};

	tempdb_exec(&t, "INSERT INTO calendar VALUES (1, '1970-01-02', 86400, 172800)");
	assert_int_equal(db_rollups_current(t.db, &current, &e), E_OK);
	assert_true(current);
	assert_int_equal(db_keep_rollups(t.db, &rebuilt, &e), E_OK);
	assert_false(rebuilt);
	assert_int_equal(tempdb_int(&t, "SELECT COUNT(*) FROM calendar"), 1);

	tempdb_exec(&t,
		"UPDATE meta SET value = substr(value, 1, 15) || 'x' WHERE key = "
		"'derived'");
	assert_int_equal(db_rollups_current(t.db, &current, &e), E_OK);
	assert_false(current);
	assert_int_equal(db_keep_rollups(t.db, &rebuilt, &e), E_OK);
	assert_true(rebuilt);
	assert_int_equal(tempdb_int(&t, "SELECT COUNT(*) FROM calendar"), 0);
	/* older versions wrote another word behind it */
	tempdb_exec(&t, "UPDATE meta SET value = value || ' x' WHERE key = 'derived'");
	assert_int_equal(db_rollups_current(t.db, &current, &e), E_OK);
	assert_false(current);
}

/* ---- SQL of users ------------------------------------------------------------------------------ */

static void only_one_select_is_allowed(void **state)
{
	static const char *const refused[] = {"DELETE FROM meta",
		"INSERT INTO meta VALUES (1,2)", "CREATE TABLE x (y)",
		"CREATE TEMP TABLE x (y)", "DROP TABLE meta", "ATTACH 'x' AS y",
		"PRAGMA user_version", "PRAGMA user_version = 3", "VACUUM",
		"SELECT 1; SELECT 2", "BEGIN", "SELECT load_extension('x')", "REINDEX",
		"ALTER TABLE meta RENAME TO m", "", " -- nothing",
		"SELECT zeroblob(1000000000)", "WITH x AS (SELECT 1) DELETE FROM meta",
		"EXPLAIN DELETE FROM meta"};

	tempdb_put_meta(&t, "k1", "v");
	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		struct db_cursor c = {0};
		struct err e = {0};

		if (!db_cursor_open(t.db, refused[i], 1000, &c, &e))
			fail_msg("allowed: %s", refused[i]);
		assert_true(e.msg[0]);
	}
	assert_int_equal(tempdb_metas(&t), 1);
	tempdb_put_meta(&t, "k2", "our own statements are not guarded");
}

static int64_t running_ms(struct clock *c)
{
	return c->fake_mono_ms += 50; /* every look at the clock costs time */
}

static void an_endless_query_is_cut_off(void **state)
{
	struct db_cursor c = {0};
	struct err e = {0};
	bool row;

	t.clock.mono_ms = running_ms;
	assert_int_equal(
		db_cursor_open(t.db,
			"WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) "
			"SELECT COUNT(*) FROM r",
			1000, &c, &e),
		E_OK);
	assert_int_equal(db_cursor_step(&c, &row, &e), E_LIMIT);
	assert_non_null(strstr(e.msg, "too long"));
	db_cursor_close(&c);
	tempdb_put_meta(&t, "k1", "the connection goes on");
}

static void absurd_sql_is_refused(void **state)
{
	size_t n = 10 * 1000 * 1000;
	char *big = malloc(n + 1), deep[4096] = "SELECT ";
	struct db_cursor c = {0};
	struct err e = {0};

	memset(big, ' ', n);
	big[n] = '\0';
	memcpy(big, "SELECT 1", 8);
	big[n - 1] = '1';
	assert_int_not_equal(db_cursor_open(t.db, big, 1000, &c, &e), E_OK);
	free(big);
	for (int i = 0; i < 1000; i++)
		memcpy(deep + 7 + i * 2, "-(", 3);
	assert_int_not_equal(db_cursor_open(t.db, deep, 1000, &c, &e), E_OK);
}

/* ---- days -------------------------------------------------------------------------------------- */

static void days_of_23_and_25_hours_hold_what_they_should(void **state)
{
	static const struct {
		const char *date;
		int hours;
	} days[] = {{"2026-03-08", 23}, {"2026-11-01", 25}, {"2026-11-02", 24}};
	struct rollup_range range = ROLLUP_NOTHING;
	struct tz *tz = NULL;
	struct err e = {0};

	assert_int_equal(tz_open("America/Los_Angeles", &tz, &e), E_OK);
	tempdb_exec(&t,
		"INSERT INTO billing_table (table_id, name, location, last_modified_ms, "
		"row_count) VALUES (1,'a.b.c','US',0,0);"
		"INSERT INTO sku VALUES (1,'a','b','c','d');"
		"INSERT INTO billed_project VALUES (1,'p','','');"
		"INSERT INTO charge (charge_ref, invoice_month, cost_type, currency, "
		"usage_unit, rate) VALUES (1,'x','regular','USD','',0);"
		"INSERT INTO place VALUES (1,'','','');"
		"INSERT INTO billed_resource (resource_ref, resource, global_name) VALUES "
		"(1,'','');"
		/* every hour of 2026, one unit each */
		"WITH RECURSIVE h(t) AS (SELECT 1767225600 UNION ALL SELECT t + 3600 FROM "
		"h "
		"WHERE t < 1798758000) INSERT INTO usage (table_id, unit, hour, sku_ref, "
		"project_ref, place_ref, resource_ref, charge_ref, credit_ref, usage, "
		"cost, credits, row_count) SELECT 1, t / 86400, t, 1, 1, 1, "
		"1, 1, 0, 0, 1000000000, 0, 1 FROM h;"
		"INSERT INTO as_of (now, timezone, currency) VALUES (1800000000, 'x', "
		"'USD')");
	rollup_widen(&range, 1767225600, 1798758000);
	for (int round = 0; round < 2; round++) { /* again is the same */
		assert_int_equal(rollup_days(t.db, tz, &range, &e), E_OK);
		for (size_t i = 0; i < ARRAY_LEN(days); i++) {
			char sql[128];

			snprintf(sql, sizeof(sql),
				"SELECT CAST(SUM(cost) AS INTEGER) FROM costs WHERE day = "
				"'%s'",
				days[i].date);
			assert_int_equal(tempdb_int(&t, sql), days[i].hours);
		}
		assert_int_equal(
			tempdb_int(&t, "SELECT SUM(cost_n) / 1000000000 FROM costs_exact"),
			8760);
	}
	tz_free(tz);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, open_it, close_it)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(a_new_database_is_the_users_alone),
		TEST(a_reader_needs_a_database_and_makes_none),
		TEST(a_file_that_is_no_database_is_refused_and_left_alone),
		TEST(a_database_of_somebody_else_is_refused),
		TEST(a_newer_database_is_refused),
		TEST(an_older_database_is_not_migrated_by_a_reader),
		TEST(a_reader_cannot_write),
		TEST(leaving_without_commit_rolls_back),
		TEST(an_inner_rollback_dooms_the_whole),
		TEST(nested_commits_are_one),
		TEST(a_second_writer_waits_and_then_says_busy),
		TEST(a_missing_text_names_the_query),
		TEST(a_query_may_run_inside_its_own_loop),
		TEST(one_row_is_copied_and_absence_is_no_error),
		TEST(hostile_text_is_data),
		TEST(the_file_holds_no_views),
		TEST(another_version_of_the_views_rebuilds_them),
		TEST(rollups_of_another_version_are_empty),
		TEST(only_one_select_is_allowed),
		TEST(an_endless_query_is_cut_off),
		TEST(absurd_sql_is_refused),
		TEST(days_of_23_and_25_hours_hold_what_they_should),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
