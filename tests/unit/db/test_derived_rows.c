/* Derived rows: how they are put, and what it costs SQL to read them. */
#include "db/internal.h"
#include "db_sql.h"
#include "tests/support/assert.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

static struct tempdb t;

static enum err_code fill_nothing(void *ctx, const char *table, struct err *e)
{
	(void)ctx, (void)table, (void)e;
	return E_OK;
}

/* From here on rows can be put, until their table is read. */
static void begin(void)
{
	struct err e = {0};

	assert_ok(db_fill_derived(t.db, fill_nothing, NULL, NULL, &e), e);
}

static int setup(void **state)
{
	tempdb_open(&t, 1795219200);
	begin();
	return 0;
}

/* Values of the first column, with blanks between; an error: its message. */
static const char *ask(const char *sql, char buf[256])
{
	struct db_cursor c;
	struct err e = {0};
	bool row;

	*buf = '\0';
	if (db_cursor_open_own(t.db, sql, 1000, &c, &e)) {
		snprintf(buf, 256, "%.200s", e.msg);
		return buf;
	}
	while (!db_cursor_step(&c, &row, &e) && row) {
		const char *text = db_cursor_text(&c, 0);

		snprintf(buf + strlen(buf), 256 - strlen(buf), "%s%s", *buf ? " " : "",
			text ? text : "NULL");
	}
	if (e.code)
		snprintf(buf, 256, "%.200s", e.msg);
	db_cursor_close(&c);
	return buf;
}

static void expect(const char *sql, const char *want)
{
	char got[256];

	if (strcmp(ask(sql, got), want) != 0)
		fail_msg("%s\n  gave %s\n  want %s", sql, got, want);
}

/* Sets of them are 64 bits, and where NULL stands in a key was never thought of. */
static void what_is_declared_fits(void **state)
{
	assert_true(db_n_derived_tables < 64);
	for (int i = 0; i < db_n_derived_tables; i++) {
		const struct derived_table *d = &db_derived_tables[i];

		assert_true(d->n_key <= d->n_fields);
		for (int k = 0; k < d->n_key; k++)
			if (d->fields[k].nullable)
				fail_msg("the key of %s can be NULL", d->name);
	}
}

/* ---- put --------------------------------------------------------------------------------------- */

/* Enough of them that rows and texts are moved to more room. */
static void texts_are_copied(void **state)
{
	char id[16], why[300];
	struct row_verdict row = {.id = id, .why_text = why};
	struct err e = {0};

	for (int i = 0; i < 200; i++) {
		snprintf(id, sizeof(id), "id%03d", i);
		memset(why, 'a' + i % 26, sizeof(why));
		why[sizeof(why) - 1] = '\0';
		assert_ok(derived_put_verdict(t.db, &row, &e), e);
	}
	memset(id, 'x', sizeof(id) - 1);
	memset(why, 'x', sizeof(why));
	expect("SELECT count(*) FROM verdict WHERE why_text = "
	       "replace(hex(zeroblob(299)), '00', char(97 + substr(id, 3) % 26))",
		"200");
	expect("SELECT count(DISTINCT id) FROM verdict WHERE length(id) = 5", "200");
	expect("SELECT length(why_text) FROM verdict WHERE id = 'id173'", "299");
}

static void a_text_that_must_be_there_is(void **state)
{
	struct row_burn_part row = {.id = "a"};
	struct err e = {0};

	assert_err(derived_put_burn_part(t.db, &row, &e), e, E_BUG,
		"derived table burn_part: category is NULL");
	row.category = "";
	assert_ok(derived_put_burn_part(t.db, &row, &e), e);
	expect("SELECT count(*) FROM burn_part WHERE category = '' AND currency IS NULL "
	       "AND gross IS NULL",
		"1");
	expect("SELECT count(*) FROM burn_part", "1");
}

static void what_is_full_takes_no_more(void **state)
{
	struct row_grant_note row = {.line = 2, .quota_note = "n"};
	struct err e = {0};

	assert_ok(derived_put_grant_note(t.db, &row, &e), e);
	expect("SELECT line FROM grant_note", "2");
	row.line = 1;
	assert_err(derived_put_grant_note(t.db, &row, &e), e, E_BUG,
		"derived table grant_note is full already");
	expect("SELECT line FROM grant_note", "2");
	begin();
	err_clear(&e);
	assert_ok(derived_put_grant_note(t.db, &row, &e), e);
	expect("SELECT line FROM grant_note", "1");
}

static enum err_code fill_twice(void *ctx, const char *table, struct err *e)
{
	static const struct row_advised_stop stops[] = {{"b"}, {"a"}, {"b"}};
	const struct row_burn_part part = {.id = "a", .category = "cpu"};
	const struct row_grant_note note = {.line = 1, .quota_note = "n"};
	const struct row_budget_past past = {
		.name = "n", .period = "p", .starts = 1, .currency = "USD"};

	(void)ctx;
	for (size_t i = 0; i < ARRAY_LEN(stops); i++)
		if ((!strcmp(table, "advised_stop") &&
			    derived_put_advised_stop(t.db, &stops[i], e)) ||
			(!strcmp(table, "burn_part") &&
				derived_put_burn_part(t.db, &part, e)) ||
			(!strcmp(table, "grant_note") &&
				derived_put_grant_note(t.db, &note, e)) ||
			(!strcmp(table, "budget_past") &&
				derived_put_budget_past(t.db, &past, e)))
			return e->code;
	return E_OK;
}

/* As often as it is asked for. */
static void no_key_is_there_twice(void **state)
{
	struct err e = {0};

	assert_ok(db_fill_derived(t.db, fill_twice, NULL, NULL, &e), e);
	for (int i = 0; i < 2; i++) {
		expect("SELECT id FROM advised_stop",
			"derived table advised_stop has two rows of one key");
		expect("SELECT 1 FROM burn_part",
			"derived table burn_part has two rows of one key");
		expect("SELECT 1 FROM grant_note",
			"derived table grant_note has two rows of one key");
		expect("SELECT 1 FROM budget_past",
			"derived table budget_past has two rows of one key");
	}
	begin();
	expect("SELECT id FROM advised_stop", "");
}

/* It has several columns, or there is none. */
static void a_part_of_a_key_is_there_twice(void **state)
{
	static const char *const parts[][2] = {
		{"b", "x"}, {"a", "y"}, {"b", ""}, {"", "x"}, {"a", "x"}};
	struct row_budget_past past = {.name = "n", .period = "p", .currency = "USD"};
	struct row_window_span span = {1, 2};
	struct err e = {0};

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		struct row_burn_part row = {.id = parts[i][0], .category = parts[i][1]};

		assert_ok(derived_put_burn_part(t.db, &row, &e), e);
		past.starts = i == 2 ? INT64_MIN : -(int64_t)i;
		past.ends = 1;
		assert_ok(derived_put_budget_past(t.db, &past, &e), e);
		span.starts = i == 1 ? 0 : 1;
		assert_ok(derived_put_window_span(t.db, &span, &e), e);
	}
	expect("SELECT id || '/' || category FROM burn_part", "/x a/x a/y b/ b/x");
	expect("SELECT id || '/' || category FROM burn_part WHERE rowid = 1", "a/x");
	expect("SELECT id || '/' FROM burn_part WHERE category = 'x'", "/ a/ b/");
	/* these stay as they were put */
	expect("SELECT starts FROM budget_past", "0 -1 -9223372036854775808 -3 -4");
	expect("SELECT starts FROM window_span", "1 0 1 1 1");
}

/* Only the first row is not where its key belongs, or only the last. */
static void each_row_is_put_in_its_place(void **state)
{
	static const char *const orders[][3] = {{"b", "a", "c"}, {"a", "c", "b"}};
	struct err e = {0};

	for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
		begin();
		for (size_t k = 0; k < 3; k++) {
			struct row_verdict row = {.id = orders[i][k], .why = orders[i][k]};

			assert_ok(derived_put_verdict(t.db, &row, &e), e);
		}
		expect("SELECT why FROM verdict ORDER BY id", "a b c");
		expect("SELECT why FROM verdict WHERE id = 'b'", "b");
		expect("SELECT why FROM verdict WHERE id = 'b' || char(0) || 'b'", "");
	}
}

/* First some by a text, and then all of them, which may be equal to a number. */
static void all_are_read_as_they_lie_after_a_look_up(void **state)
{
	static const char *const whys[] = {"5", "05", "b"};
	struct err e = {0};

	for (size_t i = 0; i < ARRAY_LEN(whys); i++) {
		struct row_verdict row = {
			.id = (const char *const[]){"a", "b", "c"}[i], .why = whys[i]};

		assert_ok(derived_put_verdict(t.db, &row, &e), e);
	}
	tempdb_exec(&t,
		"CREATE TEMP TABLE asked (v INTEGER);INSERT INTO asked VALUES ('b'), (5)");
	expect("SELECT (SELECT id FROM verdict WHERE why = v ORDER BY id LIMIT 1) FROM "
	       "asked",
		"c a");
	expect("SELECT id FROM asked CROSS JOIN verdict WHERE why = v", "c a b");
}

/* As temporary tables of another tool. */
static void what_is_printed_makes_the_same_rows(void **state)
{
	struct row_as_of now = {.now = INT64_MIN,
		.timezone = "it's",
		.currency = "a\nb; -- '\"",
		.today = ""};
	struct row_verdict row = {.id = "b", .chips = SOME(INT64_MAX), .why = "NULL"};
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
	sqlite3 *other = NULL;
	struct err e = {0};

	assert_ok(derived_put_as_of(t.db, &now, &e), e);
	assert_ok(derived_put_verdict(t.db, &row, &e), e);
	row = (struct row_verdict){.id = "a"};
	assert_ok(derived_put_verdict(t.db, &row, &e), e);
	assert_ok(db_print_derived(t.db, &sql, &e), e);
	for (int i = 0; i < 2; i++) {
		sqlite3_stmt *st = NULL;

		if (i == 0)
			assert_int_equal(sqlite3_open(":memory:", &other), SQLITE_OK);
		if (i == 0 && sqlite3_exec(other, sql.s, NULL, NULL, NULL))
			fail_msg("%s", sqlite3_errmsg(other));
		assert_int_equal(
			sqlite3_prepare_v2(i ? t.db->sq : other,
				"SELECT group_concat(quote(id) || quote(family) || "
				"quote(chips) || quote(why) || quote(exempt)), (SELECT "
				"quote(now) || quote(timezone) || quote(currency) || "
				"quote(today) FROM as_of), (SELECT count(*) FROM residual) "
				"FROM verdict",
				-1, &st, NULL),
			SQLITE_OK);
		assert_int_equal(sqlite3_step(st), SQLITE_ROW);
		assert_string_equal((const char *)sqlite3_column_text(st, 0),
			"'a'NULLNULLNULL0,'b'NULL9223372036854775807'NULL'0");
		assert_string_equal((const char *)sqlite3_column_text(st, 1),
			"-9223372036854775808'it''s''a\nb; -- ''\"'''");
		assert_int_equal(sqlite3_column_int(st, 2), 0);
		sqlite3_finalize(st);
	}
	sqlite3_close(other);
}

/* ---- at what cost ------------------------------------------------------------------------------ */

#define MANY_ROWS 2000

/* Of the engine's machine; every row that is looked at takes some. */
static int64_t steps(const char *sql)
{
	sqlite3_stmt *st = NULL;
	int64_t n;

	assert_int_equal(sqlite3_prepare_v2(t.db->sq, sql, -1, &st, NULL), SQLITE_OK);
	while (sqlite3_step(st) == SQLITE_ROW)
		;
	n = sqlite3_stmt_status(st, SQLITE_STMTSTATUS_VM_STEP, 0);
	assert_int_equal(sqlite3_finalize(st), SQLITE_OK);
	return n;
}

static bool is_sorted_by_engine(const char *sql)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	sqlite3_stmt *st = NULL;
	bool sorts = false;

	sbuf_addf(&b, "EXPLAIN QUERY PLAN %s", sql);
	assert_int_equal(sqlite3_prepare_v2(t.db->sq, b.s, -1, &st, NULL), SQLITE_OK);
	while (sqlite3_step(st) == SQLITE_ROW)
		sorts |= !strncmp((const char *)sqlite3_column_text(st, 3), "USE TEMP", 8);
	sqlite3_finalize(st);
	return sorts;
}

static void put_many(void)
{
	struct err e = {0};

	for (int i = 0; i < MANY_ROWS; i++) {
		char id[8], family[8];
		struct row_verdict row = {.id = id, .family = i % 10 ? family : NULL};
		struct row_burn_part part = {.id = id, .category = "cpu"};
		struct row_grant_note note = {.line = i, .quota_note = id};

		snprintf(id, sizeof(id), "%04d", i * 7 % MANY_ROWS);
		snprintf(family, sizeof(family), "%d", i % 200);
		if (derived_put_verdict(t.db, &row, &e) ||
			derived_put_burn_part(t.db, &part, &e) ||
			derived_put_grant_note(t.db, &note, &e))
			fail_msg("%s", e.msg);
	}
	assert_ok(db_derived_all(t.db, NULL, &e), e);
}

static void a_look_up_reads_few_rows(void **state)
{
	static const char *const few[] = {
		"SELECT why FROM verdict WHERE id = '0100'",
		"SELECT why FROM verdict WHERE '0100' IS id",
		"SELECT why FROM verdict WHERE family = '77'",
		"SELECT why FROM verdict WHERE family IS substr('77', 1)",
		"SELECT why FROM verdict WHERE id IN ('0100', '0200', '0300')",
		"SELECT why FROM verdict WHERE id = '0100' OR family = '77'",
		"SELECT why FROM verdict WHERE family = '77' AND id = '0100'",
		"SELECT why FROM verdict WHERE exempt = 0 AND id = '0100'",
		"SELECT why FROM verdict WHERE id = '0100' AND exempt = 0",
		"SELECT why FROM verdict WHERE family > '1' AND id = '0100'",
		"SELECT net FROM burn_part WHERE category = 'cpu' AND id = '0100'",
		"SELECT line FROM grant_note WHERE line = 100",
		"SELECT line FROM grant_note WHERE quota_note = '0100'",
		"SELECT line FROM grant_note WHERE line IN (1, 2, 3)",
		"SELECT line FROM grant_note n JOIN verdict ON id = quota_note WHERE line "
		"= 5",
		"SELECT id FROM verdict WHERE family = NULL",
	};

	put_many();
	assert_true(steps("SELECT why FROM verdict WHERE id > '0100'") > MANY_ROWS);
	for (size_t i = 0; i < ARRAY_LEN(few); i++)
		if (steps(few[i]) > MANY_ROWS / 10)
			fail_msg("%s takes %lld steps", few[i], (long long)steps(few[i]));
	/* a tenth of them has none */
	assert_true(steps("SELECT why FROM verdict WHERE family IS nullif('a', 'a')") <
		MANY_ROWS);
	/* from the one to the other, in whichever order they are named */
	assert_true(steps("SELECT 1 FROM verdict v JOIN burn_part p ON p.id = v.id") <
		20 * MANY_ROWS);
	assert_true(steps("SELECT 1 FROM burn_part p JOIN verdict v ON p.id = v.id") <
		20 * MANY_ROWS);
	assert_true(steps("SELECT v.id FROM verdict v LEFT JOIN grant_note n ON "
			  "n.quota_note = v.id WHERE n.line > 5") < 20 * MANY_ROWS);
	/* only one of the two columns tells rows apart, and the other comes first */
	assert_true(steps("SELECT p.net FROM burn_part p JOIN verdict v ON v.id = p.id AND "
			  "v.family = p.category") < 20 * MANY_ROWS);
}

static void the_order_of_the_key_costs_nothing(void **state)
{
	static const char *const free_of_it[] = {"SELECT * FROM verdict ORDER BY id",
		"SELECT * FROM burn_part ORDER BY id",
		"SELECT * FROM burn_part ORDER BY id, category",
		"SELECT * FROM burn_part ORDER BY id, category, currency DESC",
		"SELECT id, count(*) FROM burn_part GROUP BY id",
		"SELECT * FROM burn_part WHERE currency = 'USD' ORDER BY id, category",
		"SELECT min(id) FROM burn_part"};
	static const char *const sorts[] = {"SELECT * FROM verdict ORDER BY id DESC",
		"SELECT * FROM burn_part ORDER BY category, id",
		"SELECT * FROM burn_part ORDER BY id, category DESC",
		"SELECT * FROM burn_part ORDER BY id, currency",
		"SELECT * FROM burn_part ORDER BY id COLLATE NOCASE",
		"SELECT * FROM burn_part WHERE id IN ('b', 'a') ORDER BY id",
		"SELECT * FROM coverage_part ORDER BY id"};

	for (size_t i = 0; i < ARRAY_LEN(free_of_it); i++)
		if (is_sorted_by_engine(free_of_it[i]))
			fail_msg("%s sorts", free_of_it[i]);
	for (size_t i = 0; i < ARRAY_LEN(sorts); i++)
		if (!is_sorted_by_engine(sorts[i]))
			fail_msg("%s does not sort", sorts[i]);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_declared_fits),
		TEST(texts_are_copied),
		TEST(a_text_that_must_be_there_is),
		TEST(what_is_full_takes_no_more),
		TEST(no_key_is_there_twice),
		TEST(a_part_of_a_key_is_there_twice),
		TEST(each_row_is_put_in_its_place),
		TEST(all_are_read_as_they_lie_after_a_look_up),
		TEST(what_is_printed_makes_the_same_rows),
		TEST(a_look_up_reads_few_rows),
		TEST(the_order_of_the_key_costs_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
