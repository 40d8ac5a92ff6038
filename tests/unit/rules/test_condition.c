/* What people write as conditions, and what is not let through. */
#include "rules/vocab/condition.h"

#include "db/internal.h"

#include "base/time/clock.h"
#include "base/mem.h"
#include "db/db.h"
#include "rules/judge/judge.h"
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

static struct db *db;
static struct db *alone;   /* the views without tables, where configurations are checked */
static struct clock still; /* its time does not pass: what is cut off, steps cut off */

static int setup(void **state)
{
	struct err e = {0};

	clock_fake_init(&still, 1795219200);
	/* readers sort in memory */
	if (db_open_views(&still, &alone, &e) || db_open_empty(&still, &db, &e) ||
		db_exec(db, "PRAGMA temp_store = MEMORY", &e))
		fail_msg("%s", e.msg);
	return 0;
}

static int teardown(void **state)
{
	db_close(alone);
	db_close(db);
	return 0;
}

static void fine(const char *text)
{
	struct err e = {0};

	if (condition_check(db, view_find("resources"), text, &e) ||
		condition_check(alone, view_find("resources"), text, &e))
		fail_msg("%s\n  %s", text, e.msg);
}

static void refused(const char *text, const char *why, const char *fix)
{
	struct err e = {0};

	if (!condition_check(alone, view_find("resources"), text, &e) ||
		!condition_check(db, view_find("resources"), text, &e))
		fail_msg("let through: %.200s", text);
	if (!strstr(e.msg, why) || !strstr(e.fix, fix))
		fail_msg("%.200s\n  said: %s; %s\n  want: %s; %s", text, e.msg, e.fix, why,
			fix);
}

/* Classes that do not exist would never match; of other columns words are free. */
static void a_class_is_one_that_exists(void **state)
{
	static const char why[] =
		"expected on-demand, spot, flex-start, reserved or unknown";

	fine("provisioning = 'spot' OR provisioning='flex-start' OR provisioning == "
	     "'unknown'");
	fine("provisioning IN ('on-demand', 'reserved') AND provisioning NOT IN ('spot')");
	fine("provisioning IS NOT 'spot' AND provisioning IS NULL");
	fine("provisioning <> name AND name = 'WHATEVER'");
	fine("provisioning LIKE 's%' AND 'it''s' <> provisioning");
	refused("provisioning = 'WHATEVER'", "provisioning is never 'WHATEVER'", "");
	refused("kind = 'tpu' AND PROVISIONING != 'flex'", why, "");
	refused("provisioning IN ('spot', 'preemptible')", "is never 'preemptible'", "");
	refused("provisioning not in ( 'SPOT' )", "is never 'SPOT'", "");
	refused("provisioning IS 'standard'", "is never 'standard'", "");
	refused("provisioning = ''", "is never ''", "");
}

static void what_people_write_compiles(void **state)
{
	fine("[kind] = '[' AND name GLOB '[(]*'");
	fine("kind = 'vm' AND state = 'running' AND vcpus >= 64 AND running_hours > 6");
	fine("name LIKE 'bert-%' OR labels LIKE '%\"team\"%'");
	fine("json_extract(labels, '$.owner') IS NULL");
	fine("idle_minutes BETWEEN 10 AND 20");
	fine("NOT EXISTS (SELECT 1 FROM resources t WHERE t.kind = 'tpu' AND t.zone = "
	     "resources.zone)");
	fine("(SELECT COUNT(*) FROM grants) > 0");
	fine("EXISTS (WITH grants AS (SELECT name FROM resources) SELECT 1 FROM grants)");
	fine("EXISTS (SELECT 1 FROM json_each(resources.labels))");
	fine("EXISTS (SELECT 1 FROM temp.grants)");
	fine("name = 'it''s; -- not a comment ('");
}

static void mistakes_get_the_nearest_name(void **state)
{
	refused("stat = 'running'", "no column 'stat'", "did you mean 'state'?");
	refused("resources.zoen = 'x'", "no column 'zoen'", "did you mean 'zone'?");
	refused("kind = \"tpu\"", "no column 'tpu'", "single quotes: 'tpu'");
	refused("EXISTS (SELECT 1 FROM resorces)", "no view 'resorces'",
		"did you mean 'resources'?");
	refused("vcpus >", "ends too early: text is missing after '>'", "");
	refused("(kind = 'vm') OR", "ends too early: text is missing after 'OR'", "");
	refused("(kind = 'vm' OR)", "syntax error", "");
	refused("", "empty", "");
	refused(" \n\t ", "empty", "");
	refused("kind = 'vm", "not closed", "");
	/* "[" quotes a name, too: parentheses in it are none */
	refused("1 = (SELECT 1 AS [(] ) ) OR (1 = (SELECT 1 AS [)] )", "no opening", "");
	refused("[kind = 'vm'", "not closed", "");
	refused("(kind = 'vm'", "not closed", "");
	refused("nosuchfunction(kind)", "no such function", "");
}

static void hostile_ones_are_refused(void **state)
{
	refused("1); DELETE FROM resource; --", "no opening", "");
	refused("1; DELETE FROM resource", "not allowed", "");
	refused("1 -- and the rest", "not allowed", "");
	refused("1 /* and the rest", "not allowed", "");
	refused("1) OR (1", "no opening", "");
	refused("EXISTS (SELECT 1 FROM resource r WHERE r.name = 'x')", "only of the views",
		"");
	refused("(SELECT MAX(sql) FROM sqlite_schema) > ''", "only of the views", "");
	/* what the engine does not say of who reads what: no column, a name of a view, a join */
	refused("EXISTS (SELECT 1 FROM sqlite_schema)", "only of the views", "");
	refused("EXISTS (SELECT 1 FROM grants NATURAL JOIN sqlite_schema)",
		"only of the views", "");
	refused("EXISTS (SELECT 1 FROM grants JOIN [sqlite_temp_schema] USING (name))",
		"only of the views", "");
	refused("EXISTS (SELECT 1 FROM grants NATURAL JOIN pragma_collation_list)", "SQL",
		"");
	refused("EXISTS (SELECT 1 FROM Sqlite_Master)", "only of the views", "");
	refused("EXISTS (SELECT 1 FROM sqlite_temp_master)", "only of the views", "");
	refused("EXISTS (SELECT 1 FROM resource)", "only of the views", "");
	refused("EXISTS (SELECT 1 FROM main.resource)", "only of the views", "");
	refused("(SELECT COUNT(*) FROM grants NATURAL JOIN lease) > 0", "only of the views",
		"");
	refused("id IN (WITH resources AS (SELECT body AS id FROM notification) SELECT id "
		"FROM resources)",
		"only of the views", "");
	refused("id IN (WITH r AS (SELECT 1), grants AS (SELECT body AS id FROM "
		"notification) "
		"SELECT id FROM grants)",
		"only of the views", "");
	refused("EXISTS (SELECT 1 FROM pragma_table_list)", "SQL", "");
	refused("EXISTS (SELECT 1 FROM dbstat)", "only of the views", "");
	refused("EXISTS (SELECT 1 FROM sqlite_stmt)", "only of the views", "");
	refused("EXISTS (SELECT 1 FROM sqlite_dbpage)", "no view", "");
	refused("EXISTS (SELECT 1 FROM pragma_database_list)", "SQL", "");
	refused("(DELETE FROM resource)", "SQL", "");
	refused("(ATTACH 'x' AS y)", "SQL", "");
	refused("(PRAGMA user_version)", "SQL", "");
	refused("load_extension('x')", "not authorized", "");
	refused("readfile('/etc/passwd') IS NULL", "no such function", "");
	refused("writefile('x', 'y')", "no such function", "");
	refused("zeroblob(1000000000) IS NULL", "not authorized", "");
	refused("(WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) "
		"SELECT MAX(n) FROM c) > 0",
		"only reading", "");
}

static void size_and_depth_have_an_end(void **state)
{
	char *big = xmalloc(10000001), *p = big;

	memset(big, ' ', 10000000);
	big[0] = '1';
	big[9999999] = '1';
	big[10000000] = '\0';
	refused(big, "longer than", "");
	for (int i = 0; i < 1000; i++)
		*p++ = '(';
	*p++ = '1';
	for (int i = 0; i < 1000; i++)
		*p++ = ')';
	*p = '\0';
	refused(big, "SQL", "");
	free(big);
}

static void cut_off(const char *sql, const char *why)
{
	struct db_cursor c;
	struct err e = {0};
	bool row = true;

	assert_int_equal(db_cursor_open_rule(db, sql, false, &c, &e), E_OK);
	if (!db_cursor_step(&c, &row, &e))
		fail_msg("%s\n  is not cut off", sql);
	assert_false(row);
	if (!strstr(e.msg, why))
		fail_msg("%s\n  gave %s\n  want %s", sql, e.msg, why);
	assert_true(e.code == E_LIMIT || e.code == E_USAGE);
	db_cursor_close(&c);
	/* what is not a rule is not bound by it */
	assert_int_equal(db_exec(db, "SELECT length(printf('%.2000000c', 'x'))", &e), E_OK);
}

/* One step of the machine can search for hours, or fill the memory: no clock is looked at. */
static void texts_and_memory_have_an_end(void **state)
{
	struct db_cursor c;
	struct err e = {0};
	bool row;

	/* 10^13 comparisons: texts of that length are not made */
	assert_int_equal(db_cursor_open_rule(db,
				 "SELECT instr(printf('%.9000000c', 'a'), "
				 "printf('%.4000000c', 'a') || 'b')",
				 false, &c, &e),
		E_OK);
	if (!db_cursor_step(&c, &row, &e))
		assert_int_equal(db_cursor_i64(&c, 0), 0);
	db_cursor_close(&c);
	e = (struct err){0};
	cut_off("SELECT length(replace(printf('%.90000c', 'a'), 'a', "
		"printf('%.9000c', 'b')))",
		"too big");
	/* 12^4 texts of 90 KB, all of them different */
	cut_off("SELECT COUNT(DISTINCT printf('%.90000c', 'x') || a.value || ' ' || "
		"b.value || ' ' || c.value || ' ' || d.value) FROM "
		"json_each('[1,2,3,4,5,6,7,8,9,10,11,12]') a, "
		"json_each('[1,2,3,4,5,6,7,8,9,10,11,12]') b, "
		"json_each('[1,2,3,4,5,6,7,8,9,10,11,12]') c, "
		"json_each('[1,2,3,4,5,6,7,8,9,10,11,12]') d",
		"too much memory");
	fine("printf('%.90000c', 'a') LIKE '%a%a%a%a%a%a%a%a%a%a%b'");
}

/* Compiles, and is cut off when it runs. */
static void what_never_ends_is_cut_off(void **state)
{
	static const char sql[] =
		"SELECT 1 FROM (SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 "
		"UNION SELECT 5 UNION SELECT 6 UNION SELECT 7 UNION SELECT 8) a, "
		"json_each('[1,2,3,4,5,6,7,8,9,10,11,12]') b, "
		"json_each('[1,2,3,4,5,6,7,8,9,10,11,12]') c, "
		"json_each('[1,2,3,4,5,6,7,8,9,10,11,12]') d, "
		"json_each('[1,2,3,4,5,6,7,8,9,10,11,12]') f, "
		"json_each('[1,2,3,4,5,6,7,8,9,10,11,12]') g, "
		"json_each('[1,2,3,4,5,6,7,8,9,10,11,12]') h, "
		"json_each('[1,2,3,4,5,6,7,8,9,10,11,12]') i WHERE b.value + c.value + "
		"d.value + f.value + g.value + h.value + i.value < 0";
	struct db_cursor c;
	struct err e = {0};
	bool row;

	assert_int_equal(db_cursor_open_rule(db, sql, false, &c, &e), E_OK);
	assert_int_equal(db_cursor_step(&c, &row, &e), E_LIMIT);
	assert_non_null(strstr(e.msg, "took too long"));
	db_cursor_close(&c);
	/* and the connection works on */
	assert_int_equal(db_cursor_open_rule(db, "SELECT 7", false, &c, &e), E_OK);
	assert_int_equal(db_cursor_step(&c, &row, &e), E_OK);
	assert_true(row);
	assert_int_equal(db_cursor_i64(&c, 0), 7);
	db_cursor_close(&c);
}

static void every_builtin_rule_can_run(void **state)
{
	for (size_t i = 0; i < n_builtin_rules; i++) {
		const struct rule *r = &builtin_rules[i];
		struct err e = {0};

		if (rule_check(db, r, &e) || rule_check(alone, r, &e))
			fail_msg("%s: %s; %s", r->name, e.msg, e.fix);
		assert_non_null(r->doc);
		assert_non_null(r->summary);
		assert_ptr_equal(builtin_find(r->name), r);
	}
	assert_string_equal(builtin_nearest("tpu-not-coverd"), "tpu-not-covered");
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_class_is_one_that_exists),
		cmocka_unit_test(what_people_write_compiles),
		cmocka_unit_test(mistakes_get_the_nearest_name),
		cmocka_unit_test(hostile_ones_are_refused),
		cmocka_unit_test(size_and_depth_have_an_end),
		cmocka_unit_test(what_never_ends_is_cut_off),
		cmocka_unit_test(texts_and_memory_have_an_end),
		cmocka_unit_test(every_builtin_rule_can_run),
	};

	return cmocka_run_group_tests_name("condition", tests, setup, teardown);
}
