/* What is remembered of resources and metrics: a row each time that something changed. */
#include "collector/inventory.h"
#include "collector/metric.h"

#include "base/time/civil.h"
#include "tests/support/assert.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#define T0 INT64_C(1795219200)

static struct tempdb t;
static struct err e;

static int setup(void **state)
{
	tempdb_open(&t, T0);
	return 0;
}

static void expect(const char *sql, const char *want)
{
	char got[512];

	assert_string_equal(tempdb_text(&t, sql, got, sizeof(got)), want);
}

static void seen(ts_t now, const char *uid, const char *attached_to, const char *labels)
{
	struct q_resource_put_in r = {.id = "p/disk/z/d",
		.uid = uid,
		.source = "disk",
		.raw_state = "READY",
		.attached_to = attached_to,
		.labels = labels,
		.now = now};

	assert_ok(past_resource(t.db, &r, &e), e);
}

#define ROWS                                                                             \
	"SELECT group_concat(x, '; ') FROM (SELECT uid || ' ' || (starts - 1795219200) " \
	"|| "                                                                            \
	"' ' || COALESCE(attached_to, '-') || ' ' || labels AS x FROM resource_trait "   \
	"ORDER BY starts, uid)"

static void a_row_for_each_change(void **state)
{
	seen(T0, "1", "vm", "{}");
	seen(T0 + 60, "1", "vm", "{}");
	expect(ROWS, "1 0 vm {}");
	seen(T0 + 120, "1", NULL, "{}");
	seen(T0 + 180, "1", NULL, "{}");
	seen(T0 + 240, "1", "vm", "{}"); /* as it was before, and a change */
	seen(T0 + 300, "1", "vm", "{\"a\":\"b\"}");
	expect(ROWS, "1 0 vm {}; 1 120 - {}; 1 240 vm {}; 1 300 vm {\"a\":\"b\"}");
	/* another one of that name */
	seen(T0 + 360, "2", "vm", "{\"a\":\"b\"}");
	assert_i64_eq(tempdb_int(&t, "SELECT COUNT(*) FROM resource_trait"), 5);
	/* twice in one second: the last word counts */
	seen(T0 + 360, "2", NULL, "{}");
	expect("SELECT COALESCE(attached_to, '-') FROM resource_trait WHERE uid = '2'",
		"-");
}

static void told(ts_t at, struct opt_i64 idle_since, int64_t series)
{
	struct q_metric_put_in m = {.project = "p",
		.metric = "m",
		.subject = "s",
		.at = at,
		.idle_since = idle_since,
		.series = series};

	assert_ok(past_metric(t.db, &m, &e), e);
}

#define STRETCHES                                                                       \
	"SELECT group_concat(x, '; ') FROM (SELECT (starts - 1795219200) || '-' || "    \
	"(until "                                                                       \
	"- 1795219200) || ' ' || COALESCE(idle_since - 1795219200, 'works') || ' ' || " \
	"series AS x FROM metric_past ORDER BY starts)"

static void a_stretch_goes_on(void **state)
{
	told(T0, NONE, 1);
	told(T0 + 300, NONE, 1);
	told(T0 + 300, NONE, 1); /* the same point again */
	expect(STRETCHES, "0-300 works 1");
	told(T0 + 600, SOME(T0 + 300), 1);
	told(T0 + 900, SOME(T0 + 300), 1);
	expect(STRETCHES, "0-300 works 1; 600-900 300 1");
	/* half an hour is no gap, a second more is */
	told(T0 + 2700, SOME(T0 + 300), 1);
	told(T0 + 4501, SOME(T0 + 300), 1);
	expect(STRETCHES, "0-300 works 1; 600-2700 300 1; 4501-4501 300 1");
	/* fewer workers that tell are another stretch */
	told(T0 + 4801, SOME(T0 + 300), 2);
	assert_i64_eq(tempdb_int(&t, "SELECT COUNT(*) FROM metric_past"), 4);
	/* what is older than the newest point says nothing new */
	told(T0 + 60, SOME(T0), 1);
	assert_i64_eq(tempdb_int(&t, "SELECT COUNT(*) FROM metric_past"), 4);
}

static void old_stretches_go(void **state)
{
	told(T0, NONE, 1);
	told(T0 + DAY_SECONDS, NONE, 1);
	assert_ok(past_forget(t.db, "q", T0 + 200 * DAY_SECONDS, &e), e);
	assert_ok(past_forget(t.db, "p", T0 + 100 * DAY_SECONDS, &e), e);
	assert_i64_eq(tempdb_int(&t, "SELECT COUNT(*) FROM metric_past"), 2);
	assert_ok(past_forget(t.db, "p", T0 + 100 * DAY_SECONDS + 1, &e), e);
	assert_i64_eq(
		tempdb_int(&t, "SELECT MIN(starts) FROM metric_past"), T0 + DAY_SECONDS);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_row_for_each_change, setup, tempdb_teardown),
		cmocka_unit_test_setup_teardown(a_stretch_goes_on, setup, tempdb_teardown),
		cmocka_unit_test_setup_teardown(old_stretches_go, setup, tempdb_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
