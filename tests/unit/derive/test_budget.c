/* Periods and figures of budgets. Every figure is worked out beside it. */
#include "rules/budget/budget.h"

#include "db_sql.h"

#include "base/time/civil.h"
#include "tests/support/assert.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define HOUR HOUR_SECONDS
#define USD(x) ((int64_t)(x)*NANOS)

static ts_t at(const char *text)
{
	struct err e = {0};
	ts_t t = 0;

	assert_ok(rfc3339_parse(text, &t, NULL, &e), e);
	return t;
}

/* ---- periods --------------------------------------------------------------------------- */

struct period {
	const char *zone, *now, *starts, *ends;
	enum budget_per per;
	int64_t hours;
};

static void check_period(const struct period *p)
{
	struct budget b = {.per = p->per};
	char got[2][RFC3339_BUF];
	struct err e = {0};
	ts_t starts, ends;
	struct tz *tz;

	assert_ok(tz_open(p->zone, &tz, &e), e);
	budget_period(&b, tz, at(p->now), &starts, &ends);
	tz_free(tz);
	rfc3339_format(starts, got[0]);
	rfc3339_format(ends, got[1]);
	if (strcmp(got[0], p->starts) != 0 || strcmp(got[1], p->ends) != 0)
		fail_msg("%s of %s in %s:\n  got  %s %s\n  want %s %s",
			budget_per_name(p->per), p->now, p->zone, got[0], got[1], p->starts,
			p->ends);
	assert_i64_eq((ends - starts) / HOUR, p->hours);
}

static void a_period_is_of_the_zone_and_its_days_have_their_own_length(void **state)
{
	static const struct period list[] = {
		{"UTC", "2026-11-21T05:00:00Z", "2026-11-01T00:00:00Z",
			"2026-12-01T00:00:00Z", BUDGET_MONTH, 30 * 24},
		/* the last moment of a month belongs to it, the next one does not */
		{"UTC", "2026-11-30T23:59:59Z", "2026-11-01T00:00:00Z",
			"2026-12-01T00:00:00Z", BUDGET_MONTH, 30 * 24},
		{"UTC", "2026-12-01T00:00:00Z", "2026-12-01T00:00:00Z",
			"2027-01-01T00:00:00Z", BUDGET_MONTH, 31 * 24},
		/* 16:00 UTC is midnight in Hong Kong: another month there */
		{"Asia/Hong_Kong", "2026-11-30T15:59:59Z", "2026-10-31T16:00:00Z",
			"2026-11-30T16:00:00Z", BUDGET_MONTH, 30 * 24},
		{"Asia/Hong_Kong", "2026-11-30T16:00:00Z", "2026-11-30T16:00:00Z",
			"2026-12-31T16:00:00Z", BUDGET_MONTH, 31 * 24},
		/* the same moment: November here, October where Google cuts its months */
		{"America/Los_Angeles", "2026-11-01T06:59:59Z", "2026-10-01T07:00:00Z",
			"2026-11-01T07:00:00Z", BUDGET_MONTH, 31 * 24},
		/* Pacific November has 30 days and one hour more */
		{"America/Los_Angeles", "2026-11-01T07:00:00Z", "2026-11-01T07:00:00Z",
			"2026-12-01T08:00:00Z", BUDGET_MONTH, 30 * 24 + 1},
		/* and March one hour less */
		{"America/Los_Angeles", "2026-03-20T00:00:00Z", "2026-03-01T08:00:00Z",
			"2026-04-01T07:00:00Z", BUDGET_MONTH, 31 * 24 - 1},
		{"UTC", "2028-02-29T12:00:00Z", "2028-02-01T00:00:00Z",
			"2028-03-01T00:00:00Z", BUDGET_MONTH, 29 * 24},
		{"UTC", "2100-02-28T12:00:00Z", "2100-02-01T00:00:00Z",
			"2100-03-01T00:00:00Z", BUDGET_MONTH, 28 * 24},
		/* days: 23 and 25 hours long, an ordinary one, leap day */
		{"America/Los_Angeles", "2026-03-08T20:00:00Z", "2026-03-08T08:00:00Z",
			"2026-03-09T07:00:00Z", BUDGET_DAY, 23},
		{"America/Los_Angeles", "2026-11-01T20:00:00Z", "2026-11-01T07:00:00Z",
			"2026-11-02T08:00:00Z", BUDGET_DAY, 25},
		{"Europe/Amsterdam", "2026-03-29T00:59:59Z", "2026-03-28T23:00:00Z",
			"2026-03-29T22:00:00Z", BUDGET_DAY, 23},
		{"Europe/Amsterdam", "2026-10-25T12:00:00Z", "2026-10-24T22:00:00Z",
			"2026-10-25T23:00:00Z", BUDGET_DAY, 25},
		{"Asia/Hong_Kong", "2026-11-21T05:00:00Z", "2026-11-20T16:00:00Z",
			"2026-11-21T16:00:00Z", BUDGET_DAY, 24},
		{"UTC", "2028-02-29T23:59:59Z", "2028-02-29T00:00:00Z",
			"2028-03-01T00:00:00Z", BUDGET_DAY, 24},
		/* clocks of Santiago jump at midnight: the day begins at 01:00 */
		{"America/Santiago", "2026-09-06T12:00:00Z", "2026-09-06T04:00:00Z",
			"2026-09-07T03:00:00Z", BUDGET_DAY, 23},
		/* weeks begin on Monday, also across a new year and a change of clocks */
		{"UTC", "2026-11-21T05:00:00Z", "2026-11-16T00:00:00Z",
			"2026-11-23T00:00:00Z", BUDGET_WEEK, 7 * 24},
		{"UTC", "2026-11-16T00:00:00Z", "2026-11-16T00:00:00Z",
			"2026-11-23T00:00:00Z", BUDGET_WEEK, 7 * 24},
		{"UTC", "2026-11-15T23:59:59Z", "2026-11-09T00:00:00Z",
			"2026-11-16T00:00:00Z", BUDGET_WEEK, 7 * 24},
		{"UTC", "2027-01-01T12:00:00Z", "2026-12-28T00:00:00Z",
			"2027-01-04T00:00:00Z", BUDGET_WEEK, 7 * 24},
		{"Europe/Amsterdam", "2026-03-29T12:00:00Z", "2026-03-22T23:00:00Z",
			"2026-03-29T22:00:00Z", BUDGET_WEEK, 7 * 24 - 1},
		{"Europe/Amsterdam", "2026-10-25T12:00:00Z", "2026-10-18T22:00:00Z",
			"2026-10-25T23:00:00Z", BUDGET_WEEK, 7 * 24 + 1},
		{"UTC", "1969-12-31T12:00:00Z", "1969-12-29T00:00:00Z",
			"1970-01-05T00:00:00Z", BUDGET_WEEK, 7 * 24},
	};

	for (size_t i = 0; i < ARRAY_LEN(list); i++)
		check_period(&list[i]);
}

/* Every second is in the period that it is said to be in, and the next one follows it. */
static void periods_follow_each_other(void **state)
{
	static const char *const zones[] = {"UTC", "Asia/Kolkata", "America/Los_Angeles",
		"Australia/Lord_Howe", "America/Santiago"};
	struct err e = {0};

	for (size_t z = 0; z < ARRAY_LEN(zones); z++) {
		struct tz *tz;

		assert_ok(tz_open(zones[z], &tz, &e), e);
		for (enum budget_per per = BUDGET_MONTH; per <= BUDGET_DAY; per++) {
			struct budget b = {.per = per};
			ts_t t = at("2026-01-01T00:00:00Z"), starts, ends, next, after;

			while (t < at("2028-04-01T00:00:00Z")) {
				budget_period(&b, tz, t, &starts, &ends);
				assert_true(starts <= t && t < ends);
				budget_period(&b, tz, ends, &next, &after);
				assert_ts_eq(next, ends);
				budget_period(&b, tz, ends - 1, &next, &after);
				assert_ts_eq(next, starts);
				t = ends;
			}
		}
		tz_free(tz);
	}
}

/* ---- figures --------------------------------------------------------------------------- */

/* November in UTC, seen from the 21st at 12:00: 9 days and 12 hours are left. */
static struct budget november;
static struct budget_run runs[3];
static struct budget_facts facts;
static struct row_budget_state g;

static int setup(void **state)
{
	november = (struct budget){.name = "month",
		.amount = {.nanos = USD(1000), .cur = "USD"},
		.alert_at = {{50, 80, 100}, 3},
		.forecast_at = {{100, 150}, 2}};
	facts = (struct budget_facts){.budget = &november,
		.starts = at("2026-11-01T00:00:00Z"),
		.ends = at("2026-12-01T00:00:00Z"),
		.now = at("2026-11-21T12:00:00Z"),
		.spent = SOME(USD(200)),
		.runs = runs,
		.n = 1,
		.burn.per_hour = USD(2),
		.kept.per_hour = USD(1),
		.error = SOME(100)};
	runs[0] = (struct budget_run){USD(2), facts.now - 10 * HOUR, facts.now};
	return 0;
}

static void figures(void)
{
	if (!budget_figures(&facts, &g))
		fail_msg("does not fit");
}

static void expect_ts(struct opt_i64 got, const char *want)
{
	char text[RFC3339_BUF] = "none";

	if (got.set)
		rfc3339_format(got.v, text);
	if (strcmp(text, want) != 0)
		fail_msg("got %s, want %s", text, want);
}

static void what_is_spent_and_what_runs_make_the_figures(void **state)
{
	figures();
	assert_nanos_eq(g.unbilled.v, USD(20)); /* 10 h x 2 */
	assert_nanos_eq(g.expected.v, USD(220));
	assert_nanos_eq(g.forecast.v, USD(220 + 2 * 228)); /* 9.5 x 24 = 228 h */
	assert_nanos_eq(g.forecast_if_stopped.v, USD(220 + 228));
	/* 200 + (676 - 200) x 0.9, and x 1.1 */
	assert_nanos_eq(g.forecast_low.v, INT64_C(628400000000));
	assert_nanos_eq(g.forecast_high.v, INT64_C(723600000000));
	/* 780 / 9.5 days = 82.105263157894..., half to even at the ninth digit */
	assert_nanos_eq(g.safe_per_day.v, INT64_C(82105263158));
	expect_ts(g.runs_out, "none"); /* 390 h away */
	assert_false(g.reached.set || g.forecast_reached.set);
}

static void it_runs_out_in_the_first_second_that_is_too_much(void **state)
{
	november.amount.nanos = USD(300); /* 80 more at 2 an hour: 40 h */
	figures();
	expect_ts(g.runs_out, "2026-11-23T04:00:00Z");
	expect_ts(g.runs_out_if_stopped, "2026-11-24T20:00:00Z");
	assert_i64_eq(g.reached.v, 50);           /* 73.3 % */
	assert_i64_eq(g.forecast_reached.v, 150); /* 676 of 300 */
	november.amount.nanos++;                  /* a nano-unit more takes a second more */
	figures();
	expect_ts(g.runs_out, "2026-11-23T04:00:01Z");
	november.amount.nanos = USD(676); /* at the very end */
	figures();
	expect_ts(g.runs_out, "2026-12-01T00:00:00Z");
	assert_i64_eq(g.forecast_reached.v, 100);
	november.amount.nanos++;
	figures();
	expect_ts(g.runs_out, "none");
	assert_false(g.forecast_reached.set);
}

static void one_that_is_over_says_when_that_was(void **state)
{
	november.amount.nanos = USD(210); /* 5 of the 10 unbilled hours */
	figures();
	expect_ts(g.runs_out, "2026-11-21T07:00:00Z");
	expect_ts(g.runs_out_if_stopped, "2026-11-21T07:00:00Z");
	assert_i64_eq(g.reached.v, 100);
	assert_nanos_eq(g.safe_per_day.v, 0);
	november.amount.nanos = USD(150); /* billed already */
	figures();
	expect_ts(g.runs_out, "2026-11-21T12:00:00Z");
	facts.passed = SOME(at("2026-11-15T03:00:00Z"));
	figures();
	expect_ts(g.runs_out, "2026-11-15T03:00:00Z");
	november.amount.nanos = USD(220); /* exactly now */
	figures();
	expect_ts(g.runs_out, "2026-11-21T12:00:00Z");
	assert_i64_eq(g.reached.v, 100);
}

static void projects_are_billed_until_different_times(void **state)
{
	runs[1] = (struct budget_run){USD(3), facts.now - 2 * HOUR, facts.now};
	facts.n = 2;
	facts.burn.per_hour = USD(5);
	figures();
	assert_nanos_eq(g.unbilled.v, USD(10 * 2 + 2 * 3));
	assert_nanos_eq(g.forecast.v, USD(226 + 5 * 228));
	/* 200 + 16 at 10:00, then 5 an hour: 223 at 11:24 */
	november.amount.nanos = USD(223);
	figures();
	expect_ts(g.runs_out, "2026-11-21T11:24:00Z");
}

/* It was stopped two hours ago: its cost stays, and adds nothing to the forecast. */
static void what_was_stopped_still_counts(void **state)
{
	runs[0].until = facts.now - 2 * HOUR;
	facts.burn.per_hour = facts.kept.per_hour = 0;
	figures();
	assert_nanos_eq(g.unbilled.v, USD(16));
	assert_nanos_eq(g.forecast.v, USD(216));
	november.amount.nanos = USD(216); /* reached when it stopped, not now */
	figures();
	expect_ts(g.runs_out, "2026-11-21T10:00:00Z");
}

/* A third of a nano-unit each: what is rounded is the sum, once. */
static void fractions_are_rounded_once(void **state)
{
	for (size_t i = 0; i < 3; i++)
		runs[i] = (struct budget_run){1, facts.now - 20 * 60, facts.now};
	facts.n = 3;
	figures();
	assert_nanos_eq(g.unbilled.v, 1);
	facts.n = 1; /* 1/3 */
	figures();
	assert_nanos_eq(g.unbilled.v, 0);
	runs[0].from = facts.now - 30 * 60; /* 1/2: to even */
	figures();
	assert_nanos_eq(g.unbilled.v, 0);
	runs[0].per_hour = 3; /* 3/2 */
	figures();
	assert_nanos_eq(g.unbilled.v, 2);
}

static ts_t from(const char *billed)
{
	return budget_unbilled_from(&facts, billed ? at(billed) : TS_NONE);
}

static void unbilled_time_ends_at_the_period_and_at_fourteen_days(void **state)
{
	assert_ts_eq(from("2026-11-21T02:00:00Z"), at("2026-11-21T02:00:00Z"));
	assert_ts_eq(from("2026-11-07T12:00:00Z"), at("2026-11-07T12:00:00Z"));
	assert_ts_eq(from("2026-11-07T11:59:59Z"), at("2026-11-07T12:00:00Z"));
	assert_ts_eq(from(NULL), at("2026-11-07T12:00:00Z"));
	/* an hour that is not over is billed to its end */
	assert_ts_eq(from("2026-11-21T13:00:00Z"), facts.now);
	/* yesterday's hours are no matter of today */
	facts.starts = at("2026-11-21T00:00:00Z");
	facts.ends = at("2026-11-22T00:00:00Z");
	assert_ts_eq(from("2026-11-20T16:00:00Z"), facts.starts);
	assert_ts_eq(from(NULL), facts.starts);
}

static void a_period_that_is_over_has_no_forecast_of_its_own(void **state)
{
	facts.ends = at("2026-11-21T06:00:00Z");
	runs[0].from = from("2026-11-21T02:00:00Z");
	figures();
	assert_nanos_eq(g.unbilled.v, USD(8)); /* 02:00 to 06:00 */
	assert_nanos_eq(g.forecast.v, g.expected.v);
	assert_nanos_eq(g.forecast_if_stopped.v, g.expected.v);
	assert_false(g.safe_per_day.set || g.runs_out.set);
	facts.starts = at("2026-10-01T00:00:00Z");
	facts.ends = at("2026-11-01T00:00:00Z");
	runs[0].from = from("2026-11-21T02:00:00Z");
	figures();
	assert_nanos_eq(g.unbilled.v, 0);
	assert_nanos_eq(g.expected.v, USD(200));
}

static void a_period_that_has_not_begun_is_all_forecast(void **state)
{
	facts.starts = at("2026-12-01T00:00:00Z");
	facts.ends = at("2026-12-11T00:00:00Z");
	facts.spent = SOME(0);
	runs[0].from = from("2026-11-21T02:00:00Z");
	november.amount.nanos = USD(240);
	figures();
	assert_nanos_eq(g.unbilled.v, 0);
	assert_nanos_eq(g.expected.v, 0);
	assert_nanos_eq(g.forecast.v, USD(480)); /* 240 h x 2 */
	assert_nanos_eq(g.safe_per_day.v, USD(24));
	expect_ts(g.runs_out, "2026-12-06T00:00:00Z"); /* 120 h after it begins */
}

static void the_last_day_is_not_stretched(void **state)
{
	facts.now = at("2026-11-30T23:00:00Z");
	runs[0].from = facts.now;
	figures();
	assert_nanos_eq(g.safe_per_day.v, USD(800)); /* not 24 x 800 */
	assert_nanos_eq(budget_safe_per_day(1, HOUR).v, 1);
}

static void without_a_bill_what_runs_is_the_least(void **state)
{
	facts.spent = NONE;
	figures();
	assert_nanos_eq(g.expected.v, USD(20));
	assert_nanos_eq(g.forecast.v, USD(476));
	facts.error = NONE; /* nobody can say how good estimates are */
	figures();
	assert_false(g.forecast_low.set || g.forecast_high.set);
}

static void estimates_that_were_twice_too_high_leave_what_is_billed(void **state)
{
	facts.error = SOME(1500);
	figures();
	assert_nanos_eq(g.forecast_low.v, USD(200));
	assert_nanos_eq(g.forecast_high.v, USD(200) + USD(476) / 10 * 25);
}

static void credits_on_the_bill_can_be_more_than_the_cost(void **state)
{
	facts.spent = SOME(-USD(50));
	november.amount.nanos = USD(1);
	figures();
	assert_nanos_eq(g.expected.v, -USD(30));
	assert_false(g.reached.set);
	expect_ts(g.runs_out, "2026-11-22T03:30:00Z"); /* 31 more: 15.5 h */
}

static void what_does_not_fit_is_refused(void **state)
{
	runs[0].per_hour = INT64_MAX;
	assert_false(budget_figures(&facts, &g));
	/* unbilled fits, the forecast does not */
	runs[0].per_hour = facts.burn.per_hour = INT64_MAX / 100;
	assert_false(budget_figures(&facts, &g));
	facts.burn.per_hour = facts.kept.per_hour = 0;
	facts.n = 0;
	facts.spent = SOME(INT64_MAX);
	assert_true(budget_figures(&facts, &g));
	assert_nanos_eq(g.forecast.v, INT64_MAX);
	facts.n = 1;
	runs[0].per_hour = 1;
	assert_false(budget_figures(&facts, &g));
	runs[1] = runs[0];
	runs[0].per_hour = runs[1].per_hour = INT64_MAX / 2 + 1;
	facts.spent = SOME(0);
	facts.n = 2;
	assert_false(budget_figures(&facts, &g));
}

#define TEST(fn) cmocka_unit_test_setup(fn, setup)
UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(a_period_is_of_the_zone_and_its_days_have_their_own_length),
		TEST(periods_follow_each_other),
		TEST(what_is_spent_and_what_runs_make_the_figures),
		TEST(it_runs_out_in_the_first_second_that_is_too_much),
		TEST(one_that_is_over_says_when_that_was),
		TEST(projects_are_billed_until_different_times),
		TEST(what_was_stopped_still_counts),
		TEST(fractions_are_rounded_once),
		TEST(unbilled_time_ends_at_the_period_and_at_fourteen_days),
		TEST(a_period_that_is_over_has_no_forecast_of_its_own),
		TEST(a_period_that_has_not_begun_is_all_forecast),
		TEST(the_last_day_is_not_stretched),
		TEST(without_a_bill_what_runs_is_the_least),
		TEST(estimates_that_were_twice_too_high_leave_what_is_billed),
		TEST(credits_on_the_bill_can_be_more_than_the_cost),
		TEST(what_does_not_fit_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
