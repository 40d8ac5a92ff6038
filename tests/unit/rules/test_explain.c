/* Messages with figures, parts of conditions, and what nearly matches. */
#include "rules/judge/explain.h"

#include "base/time/clock.h"
#include "base/str.h"
#include "db/db.h"
#include "rules/vocab/template.h"
#include "tests/support/assert.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOW INT64_C(1795219200)

static struct tempdb t;

static int setup(void **state)
{
	tempdb_open_as_of(&t, NOW);
	return 0;
}

static void parts(const char *where, const char *want)
{
	struct sbuf got = SBUF_INIT;
	const char **list;
	size_t n;

	list = condition_parts(where, &t.a, &n);
	for (size_t i = 0; i < n; i++)
		sbuf_addf(&got, "%s[%s]", i ? " " : "", list[i]);
	if (strcmp(got.s, want) != 0)
		fail_msg("%s\n  gave %s\n  want %s", where, got.s, want);
	sbuf_done(&got);
}

static void a_condition_falls_into_its_parts(void **state)
{
	parts("a = 1", "[a = 1]");
	parts("a = 1 AND b = 2 and  c", "[a = 1] [b = 2] [c]");
	parts("a BETWEEN 1 AND 2 AND b", "[a BETWEEN 1 AND 2] [b]");
	parts("(a AND b) AND c", "[(a AND b)] [c]");
	parts("x = ' AND ' AND \"y AND\"", "[x = ' AND '] [\"y AND\"]");
	parts("CASE WHEN a AND b THEN 1 END AND c", "[CASE WHEN a AND b THEN 1 END] [c]");
	parts("brand AND android", "[brand] [android]");
	/* OR binds less: there is nothing to tell apart */
	parts("a AND b OR c AND d", "[a AND b OR c AND d]");
	parts("a AND (b OR c)", "[a] [(b OR c)]");
	parts("NOT EXISTS (SELECT 1 FROM x WHERE a AND b) AND c",
		"[NOT EXISTS (SELECT 1 FROM x WHERE a AND b)] [c]");
}

static void put(const char *name, const char *state_word, const char *size)
{
	tempdb_execf(&t,
		"INSERT INTO resource (id, uid, source, kind, project, location, name, "
		"state, raw_state, labels, size_gib, first_seen, last_seen, complete) "
		"VALUES ('p/disk/z/%s', '1', 'disk', 'disk', 'p', 'z', '%s', '%s', 'X', "
		"'{}', %s, 1, 1, 1)",
		name, name, state_word, size);
}

static void near_matches_name_what_they_lack(void **state)
{
	struct rule r = {.name = "big",
		.on = "resources",
		.where = "kind = 'disk' AND state = 'stopped' AND size_gib > 100",
		.summary = "{name}: {size_gib} GiB",
		.severity = SEVERITY_INFO};
	struct explanation x;
	struct err e = {0};

	put("hit", "stopped", "200");
	put("small", "stopped", "60");
	put("used", "running", "300");
	put("unknown", "stopped", "NULL");
	put("neither", "running", "10");
	assert_ok(rule_explain(t.db, &r, &t.a, &x, &e), e);
	assert_i64_eq(x.n_hits, 1);
	assert_string_equal(x.hits[0].subject, "p/disk/z/hit");
	assert_string_equal(x.hits[0].summary, "hit: 200 GiB");
	assert_true(x.hits[0].fresh);
	assert_i64_eq(x.n_near, 3);
	assert_string_equal(x.near[0].subject, "p/disk/z/used");
	assert_string_equal(x.near[0].lacks, "state = 'stopped'");
	assert_string_equal(x.near[0].figures, "state = running");
	assert_string_equal(x.near[1].subject, "p/disk/z/small");
	assert_string_equal(x.near[1].lacks, "size_gib > 100");
	assert_string_equal(x.near[1].figures, "size_gib = 60");
	assert_false(x.near[1].unknown);
	assert_string_equal(x.near[2].subject, "p/disk/z/unknown");
	assert_true(x.near[2].unknown);
	assert_string_equal(x.near[2].figures, "size_gib = unknown");
}

/* ---- messages ------------------------------------------------------------------------------ */

static void bad_template(const char *text, const char *why, const char *fix)
{
	struct template out;
	struct err e = {0};

	assert_err(template_parse(text, view_find("resources"), &t.a, &out, &e), e, E_USAGE,
		why);
	assert_contains(e.fix, fix);
}

static void templates_are_checked(void **state)
{
	char *big = malloc(TEMPLATE_MAX + 2);

	bad_template(
		"{nam}", "{nam}: resources has no such column", "did you mean {name}?");
	bad_template("{", "not closed", "{{");
	bad_template("a {name", "not closed", "{{");
	bad_template("a } b", "not closed", "{{");
	bad_template("{na{me}}", "not closed", "");
	bad_template("{}", "no such column", "");
	memset(big, 'x', TEMPLATE_MAX + 1);
	big[TEMPLATE_MAX + 1] = '\0';
	bad_template(big, "longer than", "");
	free(big);
}

static struct tz *zone; /* of the templates that are rendered */

static void renders(const char *text, const char *select, const char *want)
{
	struct template tpl;
	struct sbuf got = SBUF_INIT;
	struct db_cursor c;
	struct err e = {0};
	bool row;

	assert_ok(template_parse(text, view_find("resources"), &t.a, &tpl, &e), e);
	tpl.tz = zone;
	assert_ok(db_cursor_open(t.db, select, 1000, &c, &e), e);
	assert_ok(db_cursor_step(&c, &row, &e), e);
	template_render(&tpl, &c, 0, &got);
	if (strcmp(got.s, want) != 0)
		fail_msg("%s\n  gave %s\n  want %s", text, got.s, want);
	db_cursor_close(&c);
	sbuf_done(&got);
}

static void values_are_put_in_as_people_read_them(void **state)
{
	renders("{name} {{x}}", "SELECT 'a'", "a {x}");
	renders("{gross_per_hour}", "SELECT 8.0", "8.00");
	renders("{gross_per_hour}", "SELECT 0.047499", "0.05");
	renders("{gross_per_hour}", "SELECT 1234567.891", "1234567.89");
	renders("{gross_per_hour}", "SELECT -0.5", "-0.50");
	renders("{gross_per_hour}", "SELECT 0.0047499", "0.0047");
	/* the digits of the currency, which the text need not name */
	renders("{gross_24h}", "SELECT 1593.6, 'JPY' AS currency", "1594");
	renders("{gross_per_hour}", "SELECT 1.4422, 'JPY' AS currency", "1.44");
	renders("{gross_per_hour} {currency}", "SELECT 9.594, 'KWD' AS currency",
		"9.594 KWD");
	/* what has no amount has no currency, and what is empty leaves no gap */
	renders("costs {gross_per_hour} {currency} an hour", "SELECT NULL, NULL",
		"costs unknown an hour");
	renders("{name} {project} is old", "SELECT 'price', ''", "price is old");
	renders("{currency}", "SELECT NULL", "");
	renders("{running_hours} {vcpus}", "SELECT 6.25, 96", "6.25 96");
	renders("{running_hours}", "SELECT 105.469", "105.5");
	renders("{running_hours}", "SELECT 12345.6", "12345.6");
	/* what a name says is text, also when it looks like a template */
	renders("{name}", "SELECT '{zone} %n'", "{zone} %n");
}

static void moments_are_told_in_the_zone(void **state)
{
	struct err e = {0};

	renders("{created}", "SELECT '2026-11-20T21:26:41Z'", "2026-11-20T21:26:41Z");
	assert_ok(tz_open("Asia/Hong_Kong", &zone, &e), e);
	renders("at {created}.", "SELECT '2026-11-20T21:26:41Z'", "at 2026-11-21 05:26.");
	renders("{created}", "SELECT NULL", "unknown");
	renders("{created}", "SELECT 'soon'", "soon");
	renders("{name}", "SELECT '2026-11-20T21:26:41Z'", "2026-11-20T21:26:41Z");
	tz_free(zone);
	assert_ok(tz_open("UTC", &zone, &e), e);
	renders("{created}", "SELECT '2026-11-20T21:26:41Z'", "2026-11-20 21:26 UTC");
	tz_free(zone);
	zone = NULL;
}

static void a_message_ends_between_characters(void **state)
{
	struct template tpl;
	struct sbuf got = SBUF_INIT;
	struct db_cursor c;
	struct err e = {0};
	bool row;

	assert_ok(template_parse("{name}", view_find("resources"), &t.a, &tpl, &e), e);
	/* 'é' is two bytes: 1000 of them are too many */
	assert_ok(
		db_cursor_open(t.db, "SELECT replace(printf('%01000d', 0), '0', char(233))",
			1000, &c, &e),
		e);
	assert_ok(db_cursor_step(&c, &row, &e), e);
	template_render(&tpl, &c, 0, &got);
	assert_true(got.len <= TEMPLATE_MAX);
	assert_true(utf8_valid(got.s, got.len));
	assert_string_equal(got.s + got.len - 3, "...");
	db_cursor_close(&c);
	sbuf_done(&got);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(a_condition_falls_into_its_parts),
		TEST(near_matches_name_what_they_lack),
		TEST(templates_are_checked),
		TEST(values_are_put_in_as_people_read_them),
		TEST(moments_are_told_in_the_zone),
		TEST(a_message_ends_between_characters),
	};

	return cmocka_run_group_tests_name("explain", tests, NULL, NULL);
}
