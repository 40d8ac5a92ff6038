/* sum() over the amounts of views: decimals of nano-units without the errors of binary floating point; all
 * else as SQLite's own function. */
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

static struct tempdb t;

static int setup(void **state)
{
	tempdb_open(&t, 1795237200);
	return 0;
}

static void amounts_are_added_as_decimals(void **state)
{
	static const char *const cases[][2] = {
		{"SELECT sum(x) = 0.3 FROM (SELECT 0.1 AS x UNION ALL SELECT 0.2)", "1"},
		{"SELECT printf('%.9f', sum(x)) FROM (SELECT 1439012.542 AS x UNION ALL "
		 "SELECT "
		 "0.000000001 UNION ALL SELECT 0.0000001)",
			"1439012.542000101"},
		{"WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 100000) "
		 "SELECT "
		 "sum(0.1) = 10000, sum(0.000000001) FROM n",
			"1"},
		{"SELECT sum(x) = -0.1 FROM (SELECT 0.1 AS x UNION ALL SELECT -0.2)", "1"},
		{"SELECT group_concat(s, ' ') FROM (SELECT sum(x) OVER (ORDER BY i ROWS 1 "
		 "PRECEDING) AS s FROM (SELECT 1 AS i, 0.1 AS x UNION ALL SELECT 2, 0.2 "
		 "UNION ALL "
		 "SELECT 3, NULL UNION ALL SELECT 4, 5))",
			"0.1 0.3 0.2 5"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		tempdb_expect(&t, cases[i][0], cases[i][1]);
}

static void all_else_is_added_as_ever(void **state)
{
	static const char *const cases[][2] = {
		{"SELECT typeof(sum(x)) || sum(x) FROM (SELECT 3 AS x UNION ALL SELECT 4)",
			"integer7"},
		{"SELECT sum(x) IS NULL FROM (SELECT 1 AS x WHERE 0)", "1"},
		{"SELECT sum(x) IS NULL FROM (SELECT NULL AS x)", "1"},
		{"SELECT sum(x) = 1e300 FROM (SELECT 1e300 AS x UNION ALL SELECT 0.5)",
			"1"},
		{"SELECT sum(x) = 9007199254740993.5 FROM (SELECT 9007199254740993 AS x "
		 "UNION ALL "
		 "SELECT 0.5)",
			"1"},
		{"SELECT sum(x) FROM (SELECT '12' AS x UNION ALL SELECT 1)", "13"},
		{"SELECT sum(x) FROM (SELECT 9223372036854775807 AS x UNION ALL SELECT 1 "
		 "UNION ALL "
		 "SELECT -1)",
			"9223372036854775807"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		tempdb_expect(&t, cases[i][0], cases[i][1]);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			amounts_are_added_as_decimals, setup, tempdb_teardown),
		cmocka_unit_test_setup_teardown(
			all_else_is_added_as_ever, setup, tempdb_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
