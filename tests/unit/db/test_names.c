/* The words of a statement that may be names of tables. */
#include "db/names.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

static char got[1024];

/* All of them, with blanks between. */
static const char *names(const char *sql)
{
	struct names it;
	const char *word;
	size_t len;

	got[0] = '\0';
	names_begin(&it, sql);
	while (names_next(&it, &word, &len))
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%.*s",
			*got ? " " : "", (int)len, word);
	return got;
}

static void tables_are_named(void **state)
{
	assert_string_equal(names("SELECT a, b FROM t"), "t");
	assert_string_equal(
		names("SELECT a, b FROM t, u JOIN v USING (x) WHERE a"), "t u v USING");
	assert_string_equal(names("DELETE FROM t"), "DELETE t");
	assert_string_equal(
		names("SELECT a FROM t UNION SELECT b FROM u, v"), "t UNION u v");
	assert_string_equal(names("select A from T where B in U and C not in V"), "T U V");
	assert_string_equal(
		names("WITH w AS (SELECT a FROM t) SELECT b FROM w"), "w AS t w");
	assert_string_equal(
		names("SELECT (SELECT x FROM t WHERE y > (SELECT z FROM u)), v FROM w"),
		"t u w");
	assert_string_equal(names(""), "");
}

static void columns_are_not(void **state)
{
	assert_string_equal(names("SELECT credits FROM t ORDER BY burn, budgets"), "t");
	assert_string_equal(names("SELECT t.credits AS burn FROM t"), "t");
	assert_string_equal(names("SELECT 1 FROM t GROUP BY credits HAVING burn > 1"), "t");
	/* inside of parentheses may be tables, but not behind a word */
	assert_string_equal(names("SELECT 1 FROM (t, u) JOIN (v, w), (x)"), "t u v w x");
	assert_string_equal(
		names("SELECT max(credits), (burn) FROM t WHERE a IN (budgets)"), "burn t");
	assert_string_equal(names("SELECT max((SELECT a FROM t)) FROM u"), "t u");
	assert_string_equal(
		names("INSERT INTO t (credits, burn) SELECT a FROM u"), "INSERT INTO t u");
}

static void a_schema_is_looked_through(void **state)
{
	assert_string_equal(
		names("SELECT 1 FROM temp.t, main.u, \"temp\".v"), "t u temp v");
	assert_string_equal(names("SELECT 1 FROM temp . t"), "temp t");
	assert_string_equal(names("SELECT 1 FROM TEMP.\"t\""), "t");
	assert_string_equal(names("SELECT a.b FROM t a"), "t a");
	/* with something round the point */
	assert_string_equal(names("SELECT 1 WHERE a IN temp . t"), "temp t");
	assert_string_equal(names("SELECT 1 WHERE a IN temp. t"), "t");
	assert_string_equal(names("SELECT 1 WHERE a IN temp .t"), "temp t");
	assert_string_equal(names("SELECT 1 WHERE a IN temp /* . */ ./**/ t"), "temp t");
}

/* The engine takes a text for a name where no text can be. */
static void quotes_hide_nothing(void **state)
{
	assert_string_equal(names("SELECT 1 FROM 't'"), "t");
	assert_string_equal(names("SELECT 1 FROM [t]"), "t");
	assert_string_equal(names("SELECT 1 FROM `t`, \"u\""), "t u");
	assert_string_equal(names("SELECT '--' FROM t"), "t");
	assert_string_equal(names("SELECT '/*' FROM t /* u */, v -- w\n, x"), "t v x");
	assert_string_equal(names("SELECT a FROM t -- SELECT\n, u"), "t u");
	assert_string_equal(names("SELECT (SELECT 1 FROM t JOIN u ON a = ')', v) FROM w"),
		"t u ON a v w");
	assert_string_equal(names("SELECT 'it''s' FROM t"), "it s t");
	assert_string_equal(names("SELECT 'the burn of', 'burn' FROM t"), "burn t");
	assert_string_equal(names("SELECT 'open FROM t"), "");
	assert_string_equal(names("SELECT a FROM t -- open"), "t");
	assert_string_equal(names("SELECT a FROM t /* open"), "t");
}

static void depth_has_an_end(void **state)
{
	char sql[2048] = "";

	for (int i = 0; i < 100; i++)
		memcpy(sql + 8 * i, "(SELECT ", 8);
	memcpy(sql + 800, "a FROM t", 9);
	assert_string_equal(names(sql), "a t"); /* too deep to know: both */
	assert_string_equal(names(")))SELECT a FROM t"), "t");
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_named),
		cmocka_unit_test(columns_are_not),
		cmocka_unit_test(a_schema_is_looked_through),
		cmocka_unit_test(quotes_hide_nothing),
		cmocka_unit_test(depth_has_an_end),
	};

	return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
