/* Windows of enforcement, minute by minute over the days when clocks change, against a calendar that
 * is worked out another way: the C library's, for the same zone. */
#include "rules/enforce/guard.h"

#include "base/time/civil.h"
#include "tests/support/assert.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ALL 0x7fU
#define MON_FRI 0x1fU
#define SAT 0x20U
#define SUN 0x40U
#define H(hour) ((hour)*60)

static bool open_at(struct enforce_window w, const struct tz *tz, ts_t now)
{
	const struct enforcement en = {.windows = &w, .n_windows = 1};

	return window_open(&en, tz, now);
}

/* Of one window, in the zone of the process: by the C library, and by looking for another instant
 * that shows the same time. */
static bool expected(const struct enforce_window *w, ts_t now)
{
	time_t t = (time_t)now;
	struct tm l, other;
	int minute, weekday;

	localtime_r(&t, &l);
	for (int shift = -3 * 60; shift <= 3 * 60; shift += 30) {
		time_t u = t + shift * 60;

		localtime_r(&u, &other);
		if (shift && other.tm_hour == l.tm_hour && other.tm_min == l.tm_min &&
			other.tm_mday == l.tm_mday)
			return false;
	}
	minute = l.tm_hour * 60 + l.tm_min;
	weekday = (l.tm_wday + 6) % 7;
	if (w->from < w->until)
		return (w->days >> weekday & 1) && minute >= w->from && minute < w->until;
	return ((w->days >> weekday & 1) && minute >= w->from) ||
		((w->days >> (weekday + 6) % 7 & 1) && minute < w->until);
}

static const struct enforce_window windows[] = {
	{ALL, H(9), H(18)},
	{MON_FRI, H(9), H(18)},
	{ALL, H(1), H(4)},
	{SUN, H(2), H(3)},
	{SUN, H(2) + 15, H(2) + 45},
	{SAT, H(22), H(6)},
	{SUN, H(22), H(2)},
	{ALL, 0, H(24)},
	{ALL, H(12), H(12)},
	{SAT | SUN, 0, 1},
	{MON_FRI, H(23) + 59, H(24)},
};

/* A change of the clocks in a zone, and the minutes that its day has. */
static const struct {
	const char *zone, *day;
	int minutes;
} changes[] = {
	{"Europe/Berlin", "2026-03-29", 23 * 60},
	{"Europe/Berlin", "2026-10-25", 25 * 60},
	{"America/New_York", "2026-03-08", 23 * 60},
	{"America/New_York", "2026-11-01", 25 * 60},
	{"Australia/Lord_Howe", "2026-04-05", 24 * 60 + 30},
	{"Australia/Lord_Howe", "2026-10-04", 24 * 60 - 30},
	{"UTC", "2026-11-21", 24 * 60},
};

static void every_minute_around_a_change_of_clocks(void **state)
{
	struct err e = {0};

	for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
		struct tz *tz;
		day_t day;
		ts_t from, until;

		assert_int_equal(setenv("TZ", changes[i].zone, 1), 0);
		tzset();
		assert_ok(tz_open(changes[i].zone, &tz, &e), e);
		assert_ok(date_parse(changes[i].day, &day, &e), e);
		from = tz_day_start(tz, day);
		until = tz_day_start(tz, day + 1);
		assert_i64_eq((until - from) / 60, changes[i].minutes);
		for (ts_t t = from - DAY_SECONDS; t < until + DAY_SECONDS; t += 60)
			for (size_t w = 0; w < ARRAY_LEN(windows); w++)
				if (open_at(windows[w], tz, t) != expected(&windows[w], t))
					fail_msg("%s: window %zu at %lld", changes[i].zone,
						w, (long long)t);
		tz_free(tz);
	}
}

/* The next opening from every minute of the day, against a look at every minute until then. */
static void openings_of_a_day(const struct tz *tz, ts_t from, ts_t until, size_t w)
{
	const struct enforcement en = {.windows = &windows[w], .n_windows = 1};
	ts_t next = until + 15 * DAY_SECONDS;

	while (next >= until && !window_open(&en, tz, next))
		next -= 60;
	for (ts_t t = next; t >= from; t -= 60) {
		if (window_open(&en, tz, t))
			next = t;
		if (t < until && window_next(&en, tz, t) != next)
			fail_msg("%s: window %zu from %lld: %lld, not %lld", tz_name(tz), w,
				(long long)t, (long long)window_next(&en, tz, t),
				(long long)next);
	}
}

static void the_next_opening_is_the_first_minute_that_is_open(void **state)
{
	struct err e = {0};

	for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
		struct tz *tz;
		day_t day;

		assert_ok(tz_open(changes[i].zone, &tz, &e), e);
		assert_ok(date_parse(changes[i].day, &day, &e), e);
		for (size_t w = 0; w < ARRAY_LEN(windows); w++)
			openings_of_a_day(
				tz, tz_day_start(tz, day), tz_day_start(tz, day + 1), w);
		tz_free(tz);
	}
}

static void openings_are_told_in_words(void **state)
{
	const ts_t noon = INT64_C(1795219200) + 12 * 3600; /* a Saturday */
	const struct enforce_window two[] = {{MON_FRI, H(9), H(18)}, {SUN, H(20), H(22)}};
	const struct enforcement en = {.windows = two, .n_windows = 2}, always = {0};
	struct arena a = {0};
	struct err e = {0};
	struct tz *tz;

	assert_ok(tz_open("Europe/Berlin", &tz, &e), e);
	assert_i64_eq(window_wait(&en, tz, noon, noon), noon + 31 * 3600);
	assert_i64_eq(window_wait(&en, tz, noon + 30, noon - 90), noon + 31 * 3600);
	/* long due, and closed at this moment */
	assert_i64_eq(window_wait(&en, tz, noon - DAY_SECONDS, noon), noon + 31 * 3600);
	assert_i64_eq(window_wait(&en, tz, noon + 33 * 3600, noon), noon + 44 * 3600);
	/* open then, or due at no time, or no windows */
	assert_i64_eq(window_wait(&en, tz, noon + 31 * 3600 + 59, noon), TS_NONE);
	assert_i64_eq(window_wait(&en, tz, TS_NONE, noon), TS_NONE);
	assert_i64_eq(window_wait(&always, tz, noon, noon), TS_NONE);
	assert_i64_eq(window_wait(NULL, tz, noon, noon), TS_NONE);
	assert_string_equal(window_words(tz, noon + 44 * 3600, &a),
		"not before the window opens: Mon 2026-11-23 09:00 (Europe/Berlin)");
	arena_done(&a);
	tz_free(tz);
}

static int open_minutes(struct enforce_window w, const struct tz *tz, const char *date)
{
	struct err e = {0};
	day_t day;
	int n = 0;

	assert_ok(date_parse(date, &day, &e), e);
	for (ts_t t = tz_day_start(tz, day); t < tz_day_start(tz, day + 1); t += 60)
		n += open_at(w, tz, t);
	return n;
}

/* Europe/Berlin: 02:00 to 03:00 is not there on 29 March, and is there twice on 25 October. */
static void hours_made_twice_or_not_at_all_are_outside(void **state)
{
	const struct enforce_window night = {ALL, H(1), H(4)}, hour = {ALL, H(2), H(3)};
	struct err e = {0};
	struct tz *tz;

	assert_ok(tz_open("Europe/Berlin", &tz, &e), e);
	assert_i64_eq(open_minutes(night, tz, "2026-03-28"), 180);
	assert_i64_eq(open_minutes(night, tz, "2026-03-29"), 120);
	assert_i64_eq(open_minutes(night, tz, "2026-10-25"), 120);
	assert_i64_eq(open_minutes(hour, tz, "2026-03-28"), 60);
	assert_i64_eq(open_minutes(hour, tz, "2026-03-29"), 0);
	assert_i64_eq(open_minutes(hour, tz, "2026-10-25"), 0);
	tz_free(tz);
}

static void bounds_are_from_and_before(void **state)
{
	/* 2026-11-21 is a Saturday */
	const ts_t midnight = INT64_C(1795219200);
	const struct enforce_window day = {SAT, H(9), H(18)}, night = {SAT, H(22), H(6)};
	struct err e = {0};
	struct tz *tz;

	assert_ok(tz_open("UTC", &tz, &e), e);
	assert_false(open_at(day, tz, midnight + 9 * 3600 - 1));
	assert_true(open_at(day, tz, midnight + 9 * 3600));
	assert_true(open_at(day, tz, midnight + 18 * 3600 - 1));
	assert_false(open_at(day, tz, midnight + 18 * 3600));
	assert_false(open_at(day, tz, midnight + DAY_SECONDS + 12 * 3600));
	/* the night belongs to the day on which it begins */
	assert_false(open_at(night, tz, midnight + 5 * 3600));
	assert_true(open_at(night, tz, midnight + 22 * 3600));
	assert_true(open_at(night, tz, midnight + 30 * 3600 - 1));
	assert_false(open_at(night, tz, midnight + 30 * 3600));
	/* before 1970 and on Thursday, 1970-01-01 */
	assert_true(open_at((struct enforce_window){0x08, 0, 1}, tz, 0));
	assert_false(open_at((struct enforce_window){0x08, 0, 1}, tz, -1));
	assert_true(open_at((struct enforce_window){0x04, H(23) + 59, H(24)}, tz, -1));
	tz_free(tz);
}

static void without_a_window_it_is_always_open(void **state)
{
	const struct enforce_window two[] = {{SAT, 0, 1}, {SAT, H(12), H(13)}};
	struct enforcement en = {0};
	struct err e = {0};
	struct tz *tz;

	assert_ok(tz_open("UTC", &tz, &e), e);
	assert_true(window_open(&en, tz, INT64_C(1795219200) + 7777));
	en.windows = two;
	en.n_windows = 2;
	assert_true(window_open(&en, tz, INT64_C(1795219200)));
	assert_false(window_open(&en, tz, INT64_C(1795219200) + 7777));
	assert_true(window_open(&en, tz, INT64_C(1795219200) + 12 * 3600));
	tz_free(tz);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_minute_around_a_change_of_clocks),
		cmocka_unit_test(the_next_opening_is_the_first_minute_that_is_open),
		cmocka_unit_test(openings_are_told_in_words),
		cmocka_unit_test(hours_made_twice_or_not_at_all_are_outside),
		cmocka_unit_test(bounds_are_from_and_before),
		cmocka_unit_test(without_a_window_it_is_always_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
