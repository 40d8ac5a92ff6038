/* When reports are due: in zones with and without summer time, on the days when it changes, and
 * when the clock, the configuration or the machine did something in between. */
#include "reports/schedule.h"

#include "base/time/civil.h"
#include "tests/support/assert.h"
#include "tests/support/world/outbox_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MINUTE 60
#define HOUR INT64_C(3600)
#define DAY (24 * HOUR)

static void use_zone(const char *name)
{
	struct err e = {0};

	tz_free(ow.t.tz);
	ow.t.tz = NULL;
	assert_ok(tz_open(name, &ow.t.tz, &e), e);
	ow.settings.tz = ow.t.tz;
}

static ts_t instant(const char *rfc3339)
{
	struct err e = {0};
	ts_t t;

	assert_ok(rfc3339_parse(rfc3339, &t, NULL, &e), e);
	return t;
}

static int minute_of(const char *hhmm)
{
	int hour, minute;

	assert_int_equal(sscanf(hhmm, "%2d:%2d", &hour, &minute), 2);
	return hour * 60 + minute;
}

static struct schedule daily(const char *at)
{
	return (struct schedule){
		.kind = "daily", .every = EVERY_DAY, .minute = minute_of(at)};
}

/* ---- the date ---------------------------------------------------------------------------------- */

static void expect_date(const struct schedule *s, const char *now, const char *want)
{
	char got[DATE_BUF];

	date_format(schedule_date(s, ow.t.tz, instant(now)), got);
	if (strcmp(got, want) != 0)
		fail_msg("%s: at %s the date is %s, want %s", tz_name(ow.t.tz), now, got,
			want);
}

/* At the moment it is that date, and a second before it was still the other. */
static void expect_begins(
	const char *at, const char *moment, const char *before, const char *date)
{
	struct schedule s = daily(at);
	char a[DATE_BUF], b[DATE_BUF];

	date_format(schedule_date(&s, ow.t.tz, instant(moment) - 1), a);
	date_format(schedule_date(&s, ow.t.tz, instant(moment)), b);
	if (strcmp(a, before) != 0 || strcmp(b, date) != 0)
		fail_msg("%s %s, at %s: %s then %s; want %s then %s", tz_name(ow.t.tz), at,
			moment, a, b, before, date);
}

static void a_day_begins_at_its_hour(void **state)
{
	use_zone("Asia/Hong_Kong");
	expect_begins("09:00", "2026-11-21T01:00:00Z", "2026-11-20", "2026-11-21");
	expect_begins("00:00", "2026-11-20T16:00:00Z", "2026-11-20", "2026-11-21");
	expect_begins("23:59", "2026-11-21T15:59:00Z", "2026-11-20", "2026-11-21");
	expect_begins("09:00", "2028-02-29T01:00:00Z", "2028-02-28", "2028-02-29");
	expect_begins("09:00", "2028-03-01T01:00:00Z", "2028-02-29", "2028-03-01");
	expect_begins("09:00", "2027-03-01T01:00:00Z", "2027-02-28", "2027-03-01");
	expect_begins("09:00", "2027-01-01T01:00:00Z", "2026-12-31", "2027-01-01");
}

static void a_time_that_does_not_exist_is_the_first_after_it(void **state)
{
	use_zone("America/New_York"); /* 02:00 is 03:00 */
	expect_begins("02:30", "2026-03-08T07:00:00Z", "2026-03-07", "2026-03-08");
	expect_begins("02:30", "2026-03-09T06:30:00Z", "2026-03-08", "2026-03-09");
	expect_begins("01:59", "2026-03-08T06:59:00Z", "2026-03-07", "2026-03-08");
	expect_begins("09:00", "2026-03-08T13:00:00Z", "2026-03-07", "2026-03-08");
	use_zone("Europe/London"); /* 01:00 is 02:00 */
	expect_begins("01:30", "2026-03-29T01:00:00Z", "2026-03-28", "2026-03-29");
	expect_begins("09:00", "2026-03-29T08:00:00Z", "2026-03-28", "2026-03-29");
	use_zone("Australia/Lord_Howe"); /* 02:00 is 02:30 */
	expect_begins("02:15", "2026-10-03T15:30:00Z", "2026-10-03", "2026-10-04");
	expect_begins("02:30", "2026-10-03T15:30:00Z", "2026-10-03", "2026-10-04");
}

static void of_a_time_that_comes_twice_it_is_the_first(void **state)
{
	struct schedule s = daily("01:30"), late = daily("01:45");

	use_zone("America/New_York");
	expect_begins("01:30", "2026-11-01T05:30:00Z", "2026-10-31", "2026-11-01");
	expect_date(&s, "2026-11-01T06:00:00Z", "2026-11-01"); /* 01:00 again */
	expect_date(&s, "2026-11-01T06:30:00Z", "2026-11-01");
	expect_begins("09:00", "2026-11-01T14:00:00Z", "2026-10-31", "2026-11-01");
	use_zone("Europe/London");
	expect_begins("01:30", "2026-10-25T00:30:00Z", "2026-10-24", "2026-10-25");
	expect_date(&s, "2026-10-25T01:00:00Z", "2026-10-25");
	use_zone("Australia/Lord_Howe"); /* only half an hour comes again */
	expect_begins("01:45", "2026-04-04T14:45:00Z", "2026-04-04", "2026-04-05");
	expect_date(&late, "2026-04-04T15:00:00Z", "2026-04-05"); /* 01:30 */
}

static void weeks_and_months(void **state)
{
	struct schedule week = {
		.kind = "weekly", .every = EVERY_WEEK, .on = 1, .minute = 540};
	struct schedule month = {
		.kind = "month", .every = EVERY_MONTH, .on = 3, .minute = 540};

	expect_date(&week, "2026-11-23T08:59:59Z", "2026-11-16");
	expect_date(&week, "2026-11-23T09:00:00Z", "2026-11-23");
	expect_date(&week, "2026-11-29T23:59:59Z", "2026-11-23");
	week.on = 7;
	expect_date(&week, "2026-11-29T09:00:00Z", "2026-11-29");
	expect_date(&week, "2026-11-28T09:00:00Z", "2026-11-22");
	expect_date(&month, "2026-12-03T08:59:59Z", "2026-11-03");
	expect_date(&month, "2026-12-03T09:00:00Z", "2026-12-03");
	expect_date(&month, "2027-01-02T12:00:00Z", "2026-12-03");
	month.on = 28;
	expect_date(&month, "2027-02-28T09:00:00Z", "2027-02-28");
	expect_date(&month, "2028-02-28T08:59:59Z", "2028-01-28");
	expect_date(&month, "2028-03-01T00:00:00Z", "2028-02-28");
}

static const char *month_of(const struct schedule *s, day_t date)
{
	struct report_ask ask = {
		.settings = &ow.settings, .since = TS_NONE, .until = TS_NONE};

	schedule_ask(s, date, &ow.t.a, &ask);
	assert_true(ask.until == (ask.month ? TS_NONE : tz_day_start(ow.t.tz, date)));
	return ask.month ? ask.month : "none";
}

static void a_month_is_the_one_before_its_date(void **state)
{
	static const char *const zones[] = {
		"Pacific/Kiritimati", "UTC", "America/Los_Angeles", "Pacific/Honolulu"};
	struct schedule month = {.kind = "month", .every = EVERY_MONTH, .on = 1};
	struct schedule s = daily("09:00");

	for (size_t i = 0; i < ARRAY_LEN(zones); i++) {
		ts_t due;

		use_zone(zones[i]);
		due = tz_day_start(ow.t.tz, civil_to_day(2026, 11, 1));
		assert_string_equal(
			month_of(&month, schedule_date(&month, ow.t.tz, due)), "2026-10");
		assert_string_equal(
			month_of(&month, schedule_date(&month, ow.t.tz, due - 1)),
			"2026-09");
	}
	assert_string_equal(month_of(&month, civil_to_day(2027, 1, 3)), "2026-12");
	assert_string_equal(month_of(&month, civil_to_day(2028, 3, 28)), "2028-02");
	assert_string_equal(month_of(&s, civil_to_day(2027, 1, 3)), "none");
}

/* ---- what goes out ----------------------------------------------------------------------------- */

/* As a cycle with these schedules, each for every channel. */
static void note(const struct schedule *s, size_t n, ts_t now)
{
	struct schedule noted[3];
	const char *names[8];
	struct err e = {0};

	for (size_t i = 0; i < ow.o.n; i++)
		names[i] = ow.channels[i].name;
	for (size_t i = 0; i < n; i++) {
		noted[i] = s[i];
		noted[i].to = names;
		noted[i].n_to = ow.o.n;
	}
	assert_ok(schedules_note(ow.t.db, noted, n, tz_day(ow.t.tz, now), &ow.t.a, &e), e);
}

/* What a cycle does at that moment: how many channels got a report. */
static int cycle(const struct schedule *s, ts_t now)
{
	day_t date = schedule_date(s, ow.t.tz, now);
	struct outbox_what what = {
		.kind = s->kind, .dedup = schedule_dedup(s, date, &ow.t.a)};
	int n = 0;

	for (size_t i = 0; i < ow.o.n; i++) {
		struct doc *d = doc_new(&ow.t.a, s->kind, ow.t.tz, now);
		const char *message;
		struct err e = {0};
		bool wanted;

		assert_ok(schedule_wanted(ow.t.db, s, &ow.channels[i], date,
				  tz_day(ow.t.tz, now), &ow.t.a, &wanted, &e),
			e);
		if (!wanted)
			continue;
		d->title = d->headline = "a report";
		assert_ok(outbox_put(ow.t.db, &ow.channels[i], &what, d, now, &ow.t.a,
				  &message, &e),
			e);
		assert_non_null(message);
		n++;
	}
	return n;
}

static int cycle_at(const struct schedule *s, const char *now)
{
	return cycle(s, instant(now));
}

static void expect_reports(const char *want)
{
	ow_expect("SELECT group_concat(dedup, ' ') FROM (SELECT dedup FROM notification "
		  "ORDER BY id)",
		want);
}

static void one_a_day(void **state)
{
	struct schedule s = daily("09:00");

	ow_channel("log");
	assert_int_equal(cycle_at(&s, "2026-11-20T09:30:00Z"), 1);
	assert_int_equal(cycle_at(&s, "2026-11-21T08:59:59Z"), 0);
	assert_int_equal(cycle_at(&s, "2026-11-21T09:00:00Z"), 1);
	assert_int_equal(cycle_at(&s, "2026-11-21T09:00:01Z"), 0);
	assert_int_equal(cycle_at(&s, "2026-11-22T08:59:59Z"), 0);
	expect_reports("daily|2026-11-20|log| daily|2026-11-21|log|");
}

static void who_begins_has_missed_nothing(void **state)
{
	struct schedule s = daily("09:00");
	struct schedule week = {
		.kind = "weekly", .every = EVERY_WEEK, .on = 1, .minute = 540};
	struct schedule month = {
		.kind = "month", .every = EVERY_MONTH, .on = 24, .minute = 540};

	ow_channel("log");
	assert_int_equal(cycle_at(&s, "2026-11-21T08:59:00Z"), 0);
	assert_int_equal(cycle_at(&s, "2026-11-21T09:00:00Z"), 1);
	assert_int_equal(cycle_at(&week, "2026-11-21T09:00:00Z"), 0);
	assert_int_equal(cycle_at(&month, "2026-11-21T09:00:00Z"), 0);
	assert_int_equal(cycle_at(&week, "2026-11-23T12:00:00Z"), 1); /* a Monday */
	assert_int_equal(cycle_at(&month, "2026-11-24T12:00:00Z"), 1);
	/* each channel for itself */
	ow_channel("other");
	assert_int_equal(cycle_at(&s, "2026-11-22T08:00:00Z"), 0);
	assert_int_equal(cycle_at(&s, "2026-11-22T12:00:00Z"), 2);
}

static void the_first_one_is_caught_up_too(void **state)
{
	struct schedule s[] = {
		{.kind = "weekly", .every = EVERY_WEEK, .on = 1, .minute = 540},
		{.kind = "month", .every = EVERY_MONTH, .on = 3, .minute = 540}};

	ow_channel("log");
	note(s, 2, instant("2026-11-10T10:00:00Z")); /* a Tuesday */
	assert_int_equal(cycle_at(&s[0], "2026-11-10T10:00:00Z"), 0);
	note(s, 2, instant("2026-11-15T10:00:00Z"));
	/* off on Monday */
	ow_channel("other");
	note(s, 2, instant("2026-11-17T00:01:00Z"));
	assert_int_equal(cycle_at(&s[0], "2026-11-17T00:01:00Z"), 1);
	assert_int_equal(cycle_at(&s[0], "2026-11-17T00:02:00Z"), 0);
	expect_reports("weekly|2026-11-16|log|");
	/* it is new again after the configuration was without it */
	note(s, 1, instant("2026-11-18T10:00:00Z"));
	note(s, 2, instant("2026-12-05T10:00:00Z"));
	assert_int_equal(cycle_at(&s[1], "2026-12-05T10:00:00Z"), 0);
	/* a clock that ran ahead made it no younger */
	note(s, 2, instant("2026-12-04T10:00:00Z"));
	assert_int_equal(cycle_at(&s[1], "2027-01-07T10:00:00Z"), 2);
	ow_expect("SELECT replace(value, char(10), ' ') FROM meta WHERE key = "
		  "'report_schedules'",
		" weekly|log|20767 weekly|other|20774 month|log|20791 month|other|20791");
}

static void missed_days_are_caught_up_once(void **state)
{
	struct schedule s = daily("09:00");
	struct schedule week = {
		.kind = "weekly", .every = EVERY_WEEK, .on = 1, .minute = 540};

	ow_channel("log");
	assert_int_equal(cycle_at(&week, "2026-11-16T09:30:00Z"), 1);
	assert_int_equal(cycle_at(&s, "2026-11-20T09:30:00Z"), 1);
	/* off for three days and a half */
	assert_int_equal(cycle_at(&s, "2026-11-24T03:00:00Z"), 1);
	assert_int_equal(cycle_at(&week, "2026-11-24T03:00:00Z"), 1);
	assert_int_equal(cycle_at(&s, "2026-11-24T03:01:00Z"), 0);
	assert_int_equal(cycle_at(&s, "2026-11-24T09:00:00Z"), 1);
	assert_int_equal(cycle_at(&week, "2026-11-24T09:00:00Z"), 0);
	expect_reports("weekly|2026-11-16|log| daily|2026-11-20|log| daily|2026-11-23|log| "
		       "weekly|2026-11-23|log| daily|2026-11-24|log|");
}

static void a_clock_that_is_set_back_makes_no_second_one(void **state)
{
	struct schedule s = daily("09:00");

	ow_channel("log");
	assert_int_equal(cycle_at(&s, "2026-11-20T09:30:00Z"), 1);
	assert_int_equal(cycle_at(&s, "2026-11-21T09:30:00Z"), 1);
	assert_int_equal(cycle_at(&s, "2026-11-21T08:30:00Z"), 0); /* an hour */
	assert_int_equal(cycle_at(&s, "2026-11-21T09:30:00Z"), 0);
	assert_int_equal(cycle_at(&s, "2026-11-20T09:30:00Z"), 0); /* a day */
	assert_int_equal(cycle_at(&s, "2026-11-20T03:00:00Z"), 0);
	assert_int_equal(cycle_at(&s, "2026-11-21T09:30:00Z"), 0);
	/* thirty days: a date that never had one gets one, and what is there stays */
	assert_int_equal(cycle_at(&s, "2026-10-22T09:30:00Z"), 1);
	assert_int_equal(cycle_at(&s, "2026-10-22T10:30:00Z"), 0);
	assert_int_equal(cycle_at(&s, "2026-11-21T09:30:00Z"), 0);
	assert_int_equal(cycle_at(&s, "2026-11-22T09:30:00Z"), 1);
	expect_reports("daily|2026-11-20|log| daily|2026-11-21|log| daily|2026-10-22|log| "
		       "daily|2026-11-22|log|");
}

static void a_clock_that_ran_ahead_costs_no_report_for_long(void **state)
{
	struct schedule s = daily("09:00");

	ow_channel("log");
	assert_int_equal(cycle_at(&s, "2027-11-21T09:30:00Z"), 1);
	assert_int_equal(cycle_at(&s, "2026-11-21T09:30:00Z"), 1);
	assert_int_equal(cycle_at(&s, "2026-11-22T09:30:00Z"), 1);
}

static void another_hour_makes_no_second_one(void **state)
{
	struct schedule early = daily("09:00"), late = daily("18:00");

	ow_channel("log");
	assert_int_equal(cycle_at(&early, "2026-11-21T09:30:00Z"), 1);
	assert_int_equal(cycle_at(&late, "2026-11-21T10:00:00Z"), 0);
	assert_int_equal(cycle_at(&late, "2026-11-21T18:00:00Z"), 0);
	assert_int_equal(cycle_at(&late, "2026-11-22T17:59:59Z"), 0);
	assert_int_equal(cycle_at(&late, "2026-11-22T18:00:00Z"), 1);
	assert_int_equal(cycle_at(&early, "2026-11-22T19:00:00Z"), 0);
	assert_int_equal(cycle_at(&early, "2026-11-23T09:00:00Z"), 1);
	expect_reports("daily|2026-11-21|log| daily|2026-11-22|log| daily|2026-11-23|log|");
}

static void who_comes_later_gets_it_alone(void **state)
{
	static const char *const to[] = {"ada@example.org", "ben@example.org"};
	struct schedule s = daily("09:00");
	struct channel *c;

	c = ow_channel("mail");
	c->kind = CHANNEL_EMAIL;
	c->to = to;
	c->n_to = 1;
	assert_int_equal(cycle_at(&s, "2026-11-21T09:30:00Z"), 1);
	c->n_to = 2;
	assert_int_equal(cycle_at(&s, "2026-11-21T09:31:00Z"), 1);
	assert_int_equal(cycle_at(&s, "2026-11-21T09:32:00Z"), 0);
	ow_channel("log");
	assert_int_equal(cycle_at(&s, "2026-11-21T09:33:00Z"), 1);
	assert_int_equal(cycle_at(&s, "2026-11-21T09:34:00Z"), 0);
	expect_reports("daily|2026-11-21|mail|ada@example.org "
		       "daily|2026-11-21|mail|ben@example.org daily|2026-11-21|log|");
}

static void another_spelling_is_the_same_recipient(void **state)
{
	static const char *const spelled[] = {
		"ann@example.org", "Ann <ann@example.org>", "Ann <Ann@Example.org>"};
	static const char *const others[] = {
		"ann@example.org", "ANN@example.org", "Ann <ann@example.com>"};
	struct schedule s = daily("09:00");
	struct channel *c = ow_channel("mail");

	c->kind = CHANNEL_EMAIL;
	c->n_to = 1;
	for (size_t i = 0; i < ARRAY_LEN(spelled); i++) {
		c->to = &spelled[i];
		assert_int_equal(cycle_at(&s, "2026-11-21T09:30:00Z"), i == 0);
	}
	c->to = others;
	c->n_to = 3;
	assert_int_equal(cycle_at(&s, "2026-11-21T09:31:00Z"), 1);
	assert_int_equal(cycle_at(&s, "2026-11-22T09:31:00Z"), 1);
	expect_reports("daily|2026-11-21|mail|ann@example.org "
		       "daily|2026-11-21|mail|Ann <ann@example.com> "
		       "daily|2026-11-22|mail|ann@example.org "
		       "daily|2026-11-22|mail|Ann <ann@example.com>");
}

/* ---- every minute of a year -------------------------------------------------------------------- */

static void a_year(const char *zone, const char *at)
{
	struct schedule s = daily(at);
	day_t first = civil_to_day(2026, 1, 1), end = civil_to_day(2027, 1, 1), last;
	int sent = 0, i = 0;
	ts_t now, end_of_year;

	use_zone(zone);
	end_of_year = tz_day_start(ow.t.tz, end);
	tempdb_exec(&ow.t, "DELETE FROM notification");
	now = tz_local_to_ts(ow.t.tz, first, s.minute / 60, s.minute % 60);
	last = first - 1;
	for (; now < end_of_year; now += MINUTE, i++) {
		day_t date = schedule_date(&s, ow.t.tz, now);

		if (date != last && date != last + 1)
			fail_msg("%s %s: date %lld follows %lld", zone, at, (long long)date,
				(long long)last);
		if (date != last || i % 241 == 0)
			sent += cycle(&s, now);
		last = date;
		if (i % 10000 == 0)
			arena_reset(&ow.t.a);
	}
	assert_int_equal(sent, 365);
	ow_expect("SELECT COUNT(DISTINCT dedup) || ' ' || MIN(dedup) || ' ' || MAX(dedup) "
		  "FROM notification",
		"365 daily|2026-01-01|log| daily|2026-12-31|log|");
}

static void every_date_of_a_year_has_one(void **state)
{
	static const char *const zones[] = {"Asia/Hong_Kong", "America/New_York",
		"Australia/Lord_Howe", "Europe/London"};
	static const char *const times[] = {"01:30", "02:15", "09:00"};

	ow_channel("log");
	tempdb_exec(&ow.t, "PRAGMA synchronous = OFF");
	for (size_t i = 0; i < ARRAY_LEN(zones); i++)
		for (size_t k = 0; k < ARRAY_LEN(times); k++)
			a_year(zones[i], times[k]);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, ow_setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(a_day_begins_at_its_hour),
		TEST(a_time_that_does_not_exist_is_the_first_after_it),
		TEST(of_a_time_that_comes_twice_it_is_the_first),
		TEST(weeks_and_months),
		TEST(a_month_is_the_one_before_its_date),
		TEST(one_a_day),
		TEST(who_begins_has_missed_nothing),
		TEST(the_first_one_is_caught_up_too),
		TEST(missed_days_are_caught_up_once),
		TEST(a_clock_that_is_set_back_makes_no_second_one),
		TEST(a_clock_that_ran_ahead_costs_no_report_for_long),
		TEST(another_hour_makes_no_second_one),
		TEST(who_comes_later_gets_it_alone),
		TEST(another_spelling_is_the_same_recipient),
		TEST(every_date_of_a_year_has_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
