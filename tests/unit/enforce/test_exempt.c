/* The label tpucost-keep: what exempts, until when, and how that is shown. */
#include "rules/enforce/exempt.h"

#include "rules/judge/judge.h"
#include "rules/enforce/guard.h"
#include "tests/support/assert.h"
#include "tests/support/world/judge_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define NOW JW_NOW /* 2026-11-21T00:00:00Z */
#define HOUR INT64_C(3600)

/* now is 2026-11-21T00:00:00Z */
static const struct {
	const char *labels;
	bool exempt, bad;
	const char *why;
} table[] = {
	{"{}", false, false, NULL},
	{"{\"a\":\"forever\"}", false, false, NULL},
	{"{\"tpucost-keeper\":\"forever\"}", false, false, NULL},
	{"{\"TPUCOST-KEEP\":\"forever\"}", false, false, NULL},
	{"{\"tpucost-keep\":\"forever\"}", true, false, "label tpucost-keep=forever"},
	{"{\"a\":\"b\",\"tpucost-keep\":\"forever\",\"z\":\"\"}", true, false,
		"label tpucost-keep=forever"},
	{"{\"tpucost-keep\":\"until-20261201\"}", true, false,
		"label tpucost-keep=until-20261201"},
	{"{\"tpucost-keep\":\"until-20261121\"}", true, false,
		"label tpucost-keep=until-20261121"},
	{"{\"tpucost-keep\":\"until-20261120\"}", false, false, NULL},
	{"{\"tpucost-keep\":\"until-19700101\"}", false, false, NULL},
	/* what means nothing protects */
	{"{\"tpucost-keep\":\"\"}", true, true,
		"label tpucost-keep has an invalid value: ''"},
	{"{\"tpucost-keep\":\"true\"}", true, true, "invalid value: 'true'"},
	{"{\"tpucost-keep\":\"Forever\"}", true, true, "invalid value: 'Forever'"},
	{"{\"tpucost-keep\":\"forever \"}", true, true, "invalid value: 'forever '"},
	{"{\"tpucost-keep\":\"until-2026-12-01\"}", true, true, "invalid value"},
	{"{\"tpucost-keep\":\"until-20260230\"}", true, true, "invalid value"},
	{"{\"tpucost-keep\":\"until-20261301\"}", true, true, "invalid value"},
	{"{\"tpucost-keep\":\"until-2026120\"}", true, true, "invalid value"},
	{"{\"tpucost-keep\":\"until-202612011\"}", true, true, "invalid value"},
	{"{\"tpucost-keep\":\"until-\"}", true, true, "invalid value"},
	{"{\"tpucost-keep\":\"until-+0261201\"}", true, true, "invalid value"},
	{"{\"tpucost-keep\":\"20261201\"}", true, true, "invalid value"},
	{"{\"tpucost-keep\":\"until-20251201x\"}", true, true, "invalid value"},
	{"{\"tpucost-keep\":null}", true, true, "invalid value"},
	{"{\"tpucost-keep\":1}", true, true, "invalid value"},
	{"{\"tpucost-keep\":{\"a\":\"forever\"}}", true, true, "invalid value"},
	{"{\"tpucost-keep\":\"no\\nway\"}", true, true, "invalid value"},
	/* and so does what cannot be read */
	{NULL, true, true, "its labels cannot be read"},
	{"", true, true, "its labels cannot be read"},
	{"[]", true, true, "its labels cannot be read"},
	{"null", true, true, "its labels cannot be read"},
	{"{\"a\":\"b\"", true, true, "its labels cannot be read"},
	{"{\"a\":\"b\",\"a\":\"c\"}", true, true, "its labels cannot be read"},
	{"{} x", true, true, "its labels cannot be read"},
};

static void every_value_has_its_meaning(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		struct keep k = keep_read(table[i].labels, jw.t.tz, NOW, &jw.t.a);

		if (k.exempt != table[i].exempt || k.bad != table[i].bad)
			fail_msg("%s: exempt %d, bad %d", table[i].labels, k.exempt, k.bad);
		if (!table[i].why)
			assert_null(k.why);
		else
			assert_contains(k.why, table[i].why);
		if (k.why)
			assert_null(strchr(k.why, '\n'));
	}
}

static void a_day_ends_where_the_configuration_says(void **state)
{
	static const struct {
		const char *zone;
		ts_t end; /* of 2026-11-21 */
	} zones[] = {{"UTC", NOW + 24 * HOUR}, {"Asia/Hong_Kong", NOW + 16 * HOUR},
		{"America/Los_Angeles", NOW + 32 * HOUR}};
	const char *labels = "{\"tpucost-keep\":\"until-20261121\"}";
	struct err e = {0};

	for (size_t i = 0; i < ARRAY_LEN(zones); i++) {
		struct tz *tz;

		assert_ok(tz_open(zones[i].zone, &tz, &e), e);
		assert_ts_eq(keep_read(labels, tz, NOW, &jw.t.a).until, zones[i].end);
		assert_true(keep_read(labels, tz, zones[i].end - 1, &jw.t.a).exempt);
		assert_false(keep_read(labels, tz, zones[i].end, &jw.t.a).exempt);
		assert_false(keep_read(labels, tz, zones[i].end, &jw.t.a).bad);
		tz_free(tz);
	}
	assert_ts_eq(
		keep_read("{\"tpucost-keep\":\"forever\"}", jw.t.tz, NOW, &jw.t.a).until,
		TS_NONE);
}

/* ---- as columns and rules ---------------------------------------------------------------------- */

static void label(const char *name, const char *labels)
{
	tempdb_execf(
		&jw.t, "UPDATE resource SET labels = '%s' WHERE name = '%s'", labels, name);
}

#define SHOWN                                                                            \
	"SELECT group_concat(name || ' ' || exempt || ' ' || COALESCE(exempt_why, '-') " \
	"|| ' ' || COALESCE(exempt_until, '-') || ' ' || COALESCE(exempt_hours, '-'), "  \
	"'; ') FROM (SELECT * FROM resources "                                           \
	"ORDER "                                                                         \
	"BY name)"

static void the_view_says_why_and_how_long(void **state)
{
	jw_vm("a", "running");
	jw_vm("b", "running");
	jw_vm("c", "running");
	jw_vm("d", "running");
	label("b", "{\"tpucost-keep\":\"forever\"}");
	label("c", "{\"tpucost-keep\":\"until-20261122\"}");
	label("d", "{\"tpucost-keep\":\"until-20261120\"}");
	jw_cycle(NOW);
	jw_expect(SHOWN,
		"a 0 - - -; b 1 label tpucost-keep=forever - -; "
		"c 1 label tpucost-keep=until-20261122 2026-11-23T00:00:00Z 48.0; d 0 - - "
		"-");
	/* of label and hold the later end counts, and a label without one is the later one */
	tempdb_exec(&jw.t,
		"INSERT INTO hold SELECT id, 0, 1795219200 + 72 * 3600, '' FROM resource");
	jw_cycle(NOW + HOUR);
	jw_expect(SHOWN,
		"a 1 hold 2026-11-24T00:00:00Z 71.0; b 1 label tpucost-keep=forever - -; "
		"c 1 hold 2026-11-24T00:00:00Z 71.0; "
		"d 1 hold 2026-11-24T00:00:00Z 71.0");
	jw_cycle(NOW + 72 * HOUR);
	jw_expect(SHOWN,
		"a 0 - - -; b 1 label tpucost-keep=forever - -; c 0 - - -; d 0 - - -");
}

static void a_label_that_means_nothing_is_told(void **state)
{
	jw.rules[jw.settings.n_rules] = *builtin_find("keep-unreadable");
	jw.rules[jw.settings.n_rules++].enabled = true;
	jw_vm("a", "running");
	jw_vm("b", "running");
	label("a", "{\"tpucost-keep\":\"means nothing\"}");
	label("b", "{\"tpucost-keep\":\"forever\"}");
	jw_polled(NOW);
	jw_cycle(NOW);
	jw_expect("SELECT group_concat(subject || ' ' || severity || ' ' || summary) FROM "
		  "alert",
		"p/vm/us-central1-b/a info vm a (us-central1-b) is exempt from all "
		"actions: label tpucost-keep has an invalid value: 'means nothing'. Valid "
		"values: forever, until-20261231.");
	label("a", "{\"tpucost-keep\":\"forever\"}");
	jw_polled(NOW + 60);
	jw_cycle(NOW + 60);
	jw_expect("SELECT state FROM alert", "resolved");
}

static void the_end_is_told_a_day_before(void **state)
{
	jw.rules[jw.settings.n_rules] = *builtin_find("keep-ending");
	jw.rules[jw.settings.n_rules++].enabled = true;
	jw_vm("a", "running");
	jw_vm("b", "running");
	jw_vm("c", "stopped");
	label("a", "{\"tpucost-keep\":\"until-20261122\"}");
	label("b", "{\"tpucost-keep\":\"forever\"}");
	label("c", "{\"tpucost-keep\":\"until-20261121\"}");
	jw_polled(NOW + 24 * HOUR - 60);
	jw_cycle(NOW + 24 * HOUR - 60);
	jw_expect("SELECT count(*) FROM alert", "0");
	jw_polled(NOW + 24 * HOUR);
	jw_cycle(NOW + 24 * HOUR);
	jw_expect("SELECT group_concat(summary) FROM alert",
		"vm a (us-central1-b) is exempt until 2026-11-23 00:00 UTC: label "
		"tpucost-keep=until-20261122.");
	/* it is prolonged */
	label("a", "{\"tpucost-keep\":\"forever\"}");
	jw_polled(NOW + 25 * HOUR);
	jw_cycle(NOW + 25 * HOUR);
	jw_expect("SELECT state FROM alert", "resolved");
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, jw_setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(every_value_has_its_meaning),
		TEST(a_day_ends_where_the_configuration_says),
		TEST(the_view_says_why_and_how_long),
		TEST(a_label_that_means_nothing_is_told),
		TEST(the_end_is_told_a_day_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
