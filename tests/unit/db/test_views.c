/* The vocabulary and the views in SQL are one list. */
#include "db/internal.h"
#include "db/rollup/ref_sums.h"
#include "db/vocab.h"
#include "tests/support/assert.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOW INT64_C(1795000000)

static int setup(void **state)
{
	static struct tempdb t;

	tempdb_open(&t, NOW);
	*state = &t;
	return 0;
}

static int teardown(void **state)
{
	tempdb_close(*state);
	return 0;
}

static void every_view_has_exactly_the_columns_of_the_vocabulary(void **state)
{
	struct tempdb *t = *state;

	for (size_t i = 0; i < n_views; i++) {
		struct db_cursor c;
		struct err e = {0};
		char sql[128];

		snprintf(sql, sizeof(sql), "SELECT * FROM %s", views[i]->name);
		assert_int_equal(db_cursor_open(t->db, sql, 1000, &c, &e), E_OK);
		assert_int_equal(db_cursor_columns(&c), views[i]->n);
		for (size_t k = 0; k < views[i]->n; k++)
			assert_string_equal(
				db_cursor_name(&c, (int)k), views[i]->columns[k].name);
		db_cursor_close(&c);
	}
}

static void every_column_is_explained(void **state)
{
	for (size_t i = 0; i < n_views; i++) {
		assert_true(strlen(views[i]->doc) > 5);
		for (size_t k = 0; k < views[i]->n; k++)
			assert_true(strlen(views[i]->columns[k].doc) > 5);
	}
}

static void a_misspelt_column_finds_the_one_that_was_meant(void **state)
{
	assert_string_equal(view_nearest_column(view_find("resources"), "gross_per_our"),
		"gross_per_hour");
	assert_null(view_nearest_column(view_find("resources"), "zzzzzzzzzz"));
}

static int place_of(const struct sql_query *q, const char *name)
{
	int i = 0;

	while (i < q->n_in && strcmp(q->in[i].name, name) != 0)
		i++;
	assert_true(i < q->n_in);
	return i;
}

static void every_named_query_fits_the_schema(void **state)
{
	struct tempdb *t = *state;
	struct ref_sums none = {0};
	struct err e = {0};
	uint64_t used = 0;

	assert_ok(ref_sums_show(t->db, &none, &e), e);
	for (int i = 0; i < db_n_queries; i++) {
		bool last = i + 1 == db_n_queries ||
			strcmp(db_queries[i]->name, db_queries[i + 1]->name) != 0;
		sqlite3_stmt *st = NULL;
		int rc;

		assert_ok(db_need(t->db, db_queries[i]->text, &e), e);
		rc = sqlite3_prepare_v2(t->db->sq, db_queries[i]->text, -1, &st, NULL);
		if (rc)
			fail_msg("%s: %s", db_queries[i]->name, sqlite3_errmsg(t->db->sq));
		/* columns of a query of "-- cells:" are read by their names */
		if (db_queries[i]->n_out || !sqlite3_stmt_readonly(st))
			assert_int_equal(sqlite3_column_count(st), db_queries[i]->n_out);
		/* the statements of a query use all of its parameters together */
		for (int k = 1; k <= sqlite3_bind_parameter_count(st); k++)
			used |= UINT64_C(1) << place_of(db_queries[i],
					sqlite3_bind_parameter_name(st, k) + 1);
		sqlite3_finalize(st);
		if (!last)
			continue;
		assert_true(used == (UINT64_C(1) << db_queries[i]->n_in) - 1);
		used = 0;
	}
}

/* The file keeps views of the last cycle under the same names: a query must never see them. */
static void temporary_views_come_when_they_are_named(void **state)
{
	static const char *const ways[] = {"SELECT now FROM present",
		"SELECT \"now\" FROM \"PRESENT\"", "SELECT p.now FROM [Present] AS p",
		"SELECT (SELECT max(now) FROM\tpresent)"};

	struct tempdb t;

	tempdb_open(&t, 1795219200);
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		struct db *db = NULL;
		struct db_cursor c;
		struct err e = {0};
		bool row;

		assert_int_equal(db_open(t.path, DB_READ, &t.clock, &db, &e), E_OK);
		db_derived_empty(db);
		assert_int_equal(db_cursor_open(db, ways[i], 1000, &c, &e), E_OK);
		if (db_cursor_step(&c, &row, &e))
			fail_msg("%s: %s", ways[i], e.msg);
		if (row && db_cursor_type(&c, 0) != DB_NULL)
			fail_msg("%s: saw a moment", ways[i]);
		db_cursor_close(&c);
		db_close(db);
	}
	tempdb_close(&t);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_view_has_exactly_the_columns_of_the_vocabulary),
		cmocka_unit_test(every_column_is_explained),
		cmocka_unit_test(a_misspelt_column_finds_the_one_that_was_meant),
		cmocka_unit_test(every_named_query_fits_the_schema),
		cmocka_unit_test(temporary_views_come_when_they_are_named),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
