/* What is staged, as it is counted before it is stored, and what is refused then. */
#include "base/time/civil.h"
#include "base/time/tz.h"
#include "collector/bill/store.h"
#include "collector/bill/usage_stage.h"
#include "db/db.h"
#include "tests/support/assert.h"
#include "tests/support/tempdb.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY INT64_C(20600)

static struct tempdb t;
static struct usage_stage stage;

static void stage_line(
	int64_t day, int hour, const char *currency, int64_t cost, int64_t credits)
{
	struct usage_line l = {.unit = day,
		.hour = day * DAY_SECONDS + hour * 3600,
		.service_id = "A",
		.service = "Compute Engine",
		.sku_id = "S",
		.sku = "Core",
		.project = "p",
		.number = "",
		.account = "acc",
		.location = "us",
		.region = "",
		.zone = "",
		.resource = "",
		.global_name = "",
		.labels = "",
		.invoice_month = "202605",
		.cost_type = "regular",
		.currency = currency,
		.usage_unit = "hour",
		.model = "",
		.model_name = "",
		.credit_type = "",
		.usage = SOME(0),
		.cost = cost,
		.credits = credits,
		.rows = 1};
	struct err e = {0};

	if (usage_stage_add(&stage, &l, &e))
		fail_msg("%s", e.msg);
}

static void begin(void)
{
	struct err e = {0};

	tempdb_open(&t, DAY * DAY_SECONDS);
	if (usage_stage_open(&stage, t.db, false, &e))
		fail_msg("%s", e.msg);
}

static void finish(void)
{
	usage_stage_close(&stage);
	tempdb_close(&t);
}

static enum err_code staged(
	struct arena *a, struct billing_unit **units, size_t *n, struct err *e)
{
	if (usage_stage_flush(&stage, e))
		fail_msg("%s", e->msg);
	return billing_units_staged(t.db, a, units, n, e);
}

static void assert_sum(const struct billing_unit *u, size_t i, const char *currency,
	int64_t cost, int64_t credits)
{
	assert_true(i < u->n_sums);
	assert_string_equal(u->sums[i].currency, currency);
	assert_int_equal(u->sums[i].cost, cost);
	assert_int_equal(u->sums[i].credits, credits);
}

static void units_have_their_rows_and_a_sum_for_each_currency(void **state)
{
	struct billing_unit *units;
	struct arena a = {0};
	struct err e = {0};
	size_t n;

	begin();
	stage_line(DAY + 1, 0, "USD", 5, -2);
	stage_line(DAY, 3, "USD", 100, 0);
	stage_line(DAY, 4, "HKD", 7, -1);
	stage_line(DAY, 5, "USD", -30, -20);
	stage_line(DAY, 5, "USD", 1, 0); /* the same line once more */
	assert_ok(staged(&a, &units, &n, &e), e);
	assert_int_equal(n, 2);
	assert_int_equal(units[0].day, DAY);
	assert_int_equal(units[0].rows, 4);
	assert_int_equal(units[0].n_sums, 2);
	assert_sum(&units[0], 0, "USD", 71, -20);
	assert_sum(&units[0], 1, "HKD", 7, -1);
	assert_int_equal(units[1].day, DAY + 1);
	assert_int_equal(units[1].rows, 1);
	assert_int_equal(units[1].n_sums, 1);
	assert_sum(&units[1], 0, "USD", 5, -2);
	arena_done(&a);
	finish();
}

static void nothing_staged_is_no_units(void **state)
{
	struct billing_unit *units;
	struct arena a = {0};
	struct err e = {0};
	size_t n = 1;

	begin();
	assert_ok(staged(&a, &units, &n, &e), e);
	assert_int_equal(n, 0);
	/* neither what was stored, nor what was still in memory, is there after it is cleared */
	stage_line(DAY, 0, "USD", 1, 0);
	assert_ok(usage_stage_flush(&stage, &e), e);
	stage_line(DAY, 1, "USD", 1, 0);
	assert_ok(usage_stage_clear(&stage, &e), e);
	assert_i64_eq(stage.lines, 0);
	n = 1;
	assert_ok(staged(&a, &units, &n, &e), e);
	assert_int_equal(n, 0);
	arena_done(&a);
	finish();
}

static void sums_that_do_not_fit_are_refused(void **state)
{
	struct billing_unit *units;
	struct arena a = {0};
	struct err e = {0};
	size_t n;

	begin();
	stage_line(DAY, 0, "USD", INT64_MAX, 0);
	stage_line(DAY, 1, "USD", 1, 0);
	assert_err(
		staged(&a, &units, &n, &e), e, E_OVERFLOW, "the sums of USD are too large");
	arena_done(&a);
	finish();
}

/* More lines than one statement takes, each of them twice: once far behind, once next to it. */
static void lines_add_up_wherever_the_same_one_was(void **state)
{
	enum { LINES = 700 };
	struct stage_line *lines = calloc(2 * LINES, sizeof(*lines));
	struct db_tx tx = {0};
	struct err e = {0};

	assert_non_null(lines);
	tempdb_open(&t, DAY * DAY_SECONDS);
	for (int i = 0; i < 2 * LINES; i++)
		lines[i] = (struct stage_line){.unit = DAY,
			.hour = i / 2,
			.usage = i == 2 ? NONE : SOME(3),
			.cost = i,
			.credits = -1,
			.rows = 1};
	assert_ok(db_begin(t.db, &tx, &e), e);
	assert_ok(stage_put(t.db, lines, 2 * LINES, &e), e);
	assert_ok(stage_put(t.db, lines + LINES, LINES, &e), e);
	assert_ok(stage_put(t.db, lines, 0, &e), e);
	/* INT64_MAX + 1 in all: not known, rather than another number */
	lines[0].hour = lines[1].hour = LINES;
	lines[0].usage = SOME(INT64_C(4611686018427387905));
	lines[1].usage = SOME(INT64_C(4611686018427387903));
	assert_ok(stage_put(t.db, lines, 2, &e), e);
	assert_ok(db_commit(&tx, &e), e);
	tempdb_expect(&t,
		"SELECT COUNT(*) || ' ' || SUM(cost) || ' ' || SUM(credits) || ' ' || "
		"SUM(row_count) || ' ' || MAX(usage) || ' ' || SUM(usage IS NULL) FROM "
		"stage_usage",
		"701 1713951 -2102 2102 12 2");
	tempdb_expect(&t, "SELECT cost || ' ' || usage FROM stage_usage WHERE hour = 699",
		"5594 12");
	/* it is there while lines are put, and no longer */
	tempdb_expect(&t, "SELECT COUNT(*) FROM stage_line", "0");
	free(lines);
	tempdb_close(&t);
}

/* References are not checked row by row, but they are checked. */
static void what_refers_to_nothing_is_not_stored(void **state)
{
	static const char *const columns[] = {"sku_ref", "project_ref", "place_ref",
		"resource_ref", "charge_ref", "credit_ref"};
	struct billing_store s = {
		.table_id = 1, .as_staged = true, .now = DAY * DAY_SECONDS};
	struct tz *tz;

	for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
		struct billing_unit unit = {.day = DAY, .rows = 1};
		struct err e = {0};

		begin();
		assert_ok(tz_open("UTC", &tz, &e), e);
		s.db = t.db;
		s.tz = tz;
		stage_line(DAY, 0, "USD", 5, -1);
		assert_ok(usage_stage_flush(&stage, &e), e);
		tempdb_execf(&t, "UPDATE stage_usage SET %s = 77", columns[i]);
		if (billing_store(&s, &unit, 1, &e) == E_OK)
			fail_msg("%s that refers to nothing was stored", columns[i]);
		tempdb_expect(&t, "SELECT COUNT(*) FROM usage", "0");
		tempdb_expect(&t, "SELECT COUNT(*) FROM cost_day", "0");
		tempdb_expect(&t, "PRAGMA foreign_keys", "1");
		tz_free(tz);
		finish();
	}
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_have_their_rows_and_a_sum_for_each_currency),
		cmocka_unit_test(nothing_staged_is_no_units),
		cmocka_unit_test(sums_that_do_not_fit_are_refused),
		cmocka_unit_test(lines_add_up_wherever_the_same_one_was),
		cmocka_unit_test(what_refers_to_nothing_is_not_stored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
