/* Budgets from day to day on a clock of our own: a machine that was forgotten, billed seven
 * hours late. n1-highmem-96 in us-central1 costs 5.678544 USD an hour. */
#include "rules/budget/budget.h"

#include "base/time/civil.h"
#include "tests/support/assert.h"
#include "tests/support/world/cost_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define HOUR INT64_C(3600)
#define LAG (7 * HOUR)
#define PER_HOUR INT64_C(5678544000)
#define USD(x) ((int64_t)(x)*NANOS)

static struct cost_world w;
static struct budget budget;
static ts_t started, billed;

static ts_t at(const char *text)
{
	struct err e = {0};
	ts_t t = 0;

	assert_ok(rfc3339_parse(text, &t, NULL, &e), e);
	return t;
}

static int setup(void **state)
{
	started = billed = at("2026-11-01T00:00:00Z");
	cost_world_open(&w, "UTC", started);
	budget = (struct budget){.name = "b",
		.amount = {.nanos = USD(500), .cur = "USD"},
		.alert_at = {{50, 80, 100}, 3},
		.forecast_at = {{100}, 1}};
	w.settings.budgets = &budget;
	w.settings.n_budgets = 1;
	RUN(&w, .kind = "vm", .name = "big", .type = "n1-highmem-96", .since = started);
	return 0;
}

/* Hours that ended seven hours ago are on the bill. */
static void go_to(ts_t now)
{
	w.now = now;
	for (; billed + HOUR <= now - LAG; billed += HOUR)
		BILL(&w, .hour = billed, .cost = PER_HOUR);
	cost_derive(&w);
}

static int64_t value(const char *column)
{
	char sql[128];

	snprintf(sql, sizeof(sql), "SELECT IFNULL(%s, -1) FROM budget_state", column);
	return tempdb_int(&w.t, sql);
}

/* However late the bill is, what is expected is what the machine has cost. */
static void what_is_expected_does_not_depend_on_the_delay_of_the_bill(void **state)
{
	for (ts_t now = started + LAG + HOUR; now < started + 6 * DAY_SECONDS;
		now += 5 * HOUR + 1234) {
		int64_t cost;

		go_to(now);
		assert_true(nanos_muldiv(PER_HOUR, now - started, HOUR, &cost));
		assert_true(value("expected") - cost <= 1 && cost - value("expected") <= 1);
		assert_nanos_eq(value("spent"), PER_HOUR * ((now - LAG - started) / HOUR));
		/* 720 hours: 4088.55168 */
		assert_true(value("forecast") - PER_HOUR * 720 <= 1 &&
			PER_HOUR * 720 - value("forecast") <= 1);
	}
}

/* 500 / 5.678544 = 88.0507... hours: 4 November 16:03:02 */
static void it_runs_out_when_it_was_said_to(void **state)
{
	ts_t out = at("2026-11-04T16:03:03Z");

	for (ts_t now = started + LAG + HOUR; now < out + LAG; now += 3 * HOUR + 777) {
		go_to(now);
		assert_true(value("runs_out") - out <= 1 && out - value("runs_out") <= 1);
	}
	go_to(out + LAG + HOUR); /* billed by now: with that hour */
	assert_ts_eq(value("runs_out"), at("2026-11-04T17:00:00Z"));
}

/* 50 % after 44.03 hours, 80 % after 70.4, all of it after 88.05 */
static void each_threshold_has_its_hour(void **state)
{
	static const struct {
		int hours, reached;
	} list[] = {
		{44, -1}, {45, 50}, {70, 50}, {71, 80}, {88, 80}, {89, 100}, {200, 100}};

	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		go_to(started + list[i].hours * HOUR);
		assert_i64_eq(value("reached"), list[i].reached);
		assert_i64_eq(value("forecast_reached"), 100);
	}
}

static void a_new_month_begins_with_nothing(void **state)
{
	go_to(at("2026-11-30T23:30:00Z"));
	assert_nanos_eq(value("expected"), PER_HOUR * 719 + PER_HOUR / 2);
	go_to(at("2026-12-01T00:30:00Z"));
	assert_nanos_eq(value("spent"), 0); /* though 7 hours of November are not billed */
	assert_nanos_eq(value("expected"), PER_HOUR / 2);
	assert_nanos_eq(value("forecast"), PER_HOUR * 744);
	assert_i64_eq(value("reached"), -1);
	go_to(at("2026-12-01T09:00:00Z"));
	assert_nanos_eq(value("spent"), PER_HOUR * 2);
	assert_nanos_eq(value("unbilled"), PER_HOUR * 7);
}

/* The export stops: after 14 days of silence no more is made up, and it says so. */
static void a_bill_that_stays_away_is_not_made_up_for_ever(void **state)
{
	char basis[2048];

	go_to(started + 100 * HOUR);
	w.now = started + (93 + 336) * HOUR;
	cost_derive(&w);
	assert_nanos_eq(value("expected"), PER_HOUR * (93 + 336));
	w.now += 30 * HOUR;
	cost_derive(&w);
	assert_nanos_eq(value("expected"), PER_HOUR * (93 + 336));
	tempdb_text(&w.t, "SELECT basis FROM budget_state", basis, sizeof(basis));
	assert_contains(basis, "1 project without usage on the bill of the last 14 days");
}

/* The machine is stopped, the bill catches up, and corrections come. */
static void a_correction_takes_it_below_again(void **state)
{
	go_to(started + 96 * HOUR);
	assert_i64_eq(value("reached"), 100);
	tempdb_exec(&w.t,
		"UPDATE resource SET state = 'stopped'; UPDATE resource_interval SET state "
		"= 'stopped'");
	cost_derive(&w);
	assert_nanos_eq(value("expected"), PER_HOUR * 89);
	BILL(&w, .hour = started + 3 * HOUR, .cost_type = "adjustment", .cost = -USD(100));
	cost_derive(&w);
	assert_nanos_eq(value("expected"), PER_HOUR * 89 - USD(100));
	assert_i64_eq(value("reached"), 80);
	assert_i64_eq(value("runs_out"), -1);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, tempdb_teardown)
UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_expected_does_not_depend_on_the_delay_of_the_bill),
		TEST(it_runs_out_when_it_was_said_to),
		TEST(each_threshold_has_its_hour),
		TEST(a_new_month_begins_with_nothing),
		TEST(a_bill_that_stays_away_is_not_made_up_for_ever),
		TEST(a_correction_takes_it_below_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
