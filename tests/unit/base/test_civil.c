#include "base/time/civil.h"

#include "tests/support/assert.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- days -------------------------------------------------------------------------------- */

static void every_day_from_1970_to_2100_is_that_of_the_c_library(void **state)
{
	for (day_t d = 0; d <= 47846; d++) {
		time_t t = (time_t)d * 86400;
		struct tm tm;
		int y, m, day;

		gmtime_r(&t, &tm);
		civil_from_day(d, &y, &m, &day);
		if (y != tm.tm_year + 1900 || m != tm.tm_mon + 1 || day != tm.tm_mday)
			fail_msg("day %d gives %d-%d-%d", d, y, m, day);
		if (civil_to_day(y, m, day) != d || timegm(&tm) != t)
			fail_msg("%d-%d-%d gives day %d, want %d", y, m, day,
				civil_to_day(y, m, day), d);
		if (civil_weekday(d) != (tm.tm_wday + 6) % 7)
			fail_msg("day %d is weekday %d", d, civil_weekday(d));
		if (civil_month_days(y, m) < day)
			fail_msg("%d-%d has %d days", y, m, civil_month_days(y, m));
	}
}

static void days_far_away_come_back_in_order(void **state)
{
	int last_y = 0, last_m = 0, last_d = 0;

	for (day_t d = -800000; d <= 3000000; d++) {
		int y, m, day;

		civil_from_day(d, &y, &m, &day);
		if (civil_to_day(y, m, day) != d)
			fail_msg("day %d gives %d-%d-%d", d, y, m, day);
		if (d > -800000 &&
			!((y == last_y && m == last_m && day == last_d + 1) ||
				(y == last_y && m == last_m + 1 && day == 1) ||
				(y == last_y + 1 && m == 1 && day == 1)))
			fail_msg("%d-%d-%d follows %d-%d-%d", y, m, day, last_y, last_m,
				last_d);
		last_y = y;
		last_m = m;
		last_d = day;
	}
}

static void known_days_have_known_numbers(void **state)
{
	assert_i64_eq(civil_to_day(1970, 1, 1), 0);
	assert_i64_eq(civil_to_day(1969, 12, 31), -1);
	assert_i64_eq(civil_to_day(2000, 2, 29), 11016);
	assert_i64_eq(civil_to_day(2000, 3, 1), 11017);
	assert_i64_eq(civil_to_day(2026, 11, 21), 20778);
	assert_i64_eq(civil_to_day(1, 1, 1), -719162);
	assert_i64_eq(civil_to_day(9999, 12, 31), 2932896);
	assert_i64_eq(civil_weekday(-1), 2);      /* a Wednesday */
	assert_i64_eq(civil_weekday(-719162), 0); /* a Monday */
}

static void february_follows_the_leap_years(void **state)
{
	static const struct {
		int year, days;
	} rows[] = {{2023, 28}, {2024, 29}, {2026, 28}, {2000, 29}, {1900, 28}, {2100, 28},
		{2400, 29}};
	static const int days[] = {31, 0, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_i64_eq(civil_month_days(rows[i].year, 2), rows[i].days);
	for (int m = 1; m <= 12; m++)
		if (m != 2)
			assert_i64_eq(civil_month_days(2026, m), days[m - 1]);
}

static void instants_split_and_join_again(void **state)
{
	static const ts_t at[] = {0, -1, 1, 86399, 86400, -86400, -86401, 951782400,
		1795237200, -62135596800, 253402300799};

	for (size_t i = 0; i < ARRAY_LEN(at); i++) {
		struct civil c = civil_from_ts(at[i]);
		time_t t = (time_t)at[i];
		struct tm tm;

		gmtime_r(&t, &tm);
		assert_i64_eq(c.year, tm.tm_year + 1900);
		assert_i64_eq(c.month, tm.tm_mon + 1);
		assert_i64_eq(c.day, tm.tm_mday);
		assert_i64_eq(c.hour, tm.tm_hour);
		assert_i64_eq(c.minute, tm.tm_min);
		assert_i64_eq(c.second, tm.tm_sec);
		assert_ts_eq(civil_to_ts(&c), at[i]);
	}
}

/* ---- RFC 3339 ---------------------------------------------------------------------------- */

static void times_are_read_with_zone_and_fraction(void **state)
{
	static const struct {
		const char *text;
		ts_t ts;
		int32_t nanos;
	} rows[] = {
		{"1970-01-01T00:00:00Z", 0, 0},
		{"2026-11-21T05:00:00Z", 1795237200, 0},
		{"2026-11-21t05:00:00z", 1795237200, 0},
		{"2026-11-21T13:00:00+08:00", 1795237200, 0},
		{"2026-11-20T21:00:00-08:00", 1795237200, 0},
		{"2026-11-21T10:45:00+05:45", 1795237200, 0},
		{"2026-11-21T05:00:00+00:00", 1795237200, 0},
		{"2026-11-21T05:00:00-00:00", 1795237200, 0},
		{"2026-11-21T05:00:00.5Z", 1795237200, 500000000},
		{"2026-11-21T05:00:00.123456789Z", 1795237200, 123456789},
		{"2026-11-21T05:00:00.000000001-00:00", 1795237200, 1},
		{"2026-11-21T05:00:00.120Z", 1795237200, 120000000},
		{"1969-12-31T23:59:59.75Z", -1, 750000000}, /* toward the past */
		{"2016-12-31T23:59:60Z", 1483228800, 0},    /* a leap second */
		{"2016-12-31T15:59:60-08:00", 1483228800, 0},
		{"2024-02-29T00:00:00Z", 1709164800, 0},
		{"0001-01-01T00:00:00Z", -62135596800, 0},
		{"9999-12-31T23:59:59Z", 253402300799, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = {0};
		int32_t nanos = 77;
		ts_t got = 77;

		assert_ok(rfc3339_parse(rows[i].text, &got, &nanos, &e), e);
		assert_ts_eq(got, rows[i].ts);
		assert_i64_eq(nanos, rows[i].nanos);
		assert_ok(rfc3339_parse(rows[i].text, &got, NULL, &e), e);
		assert_ts_eq(got, rows[i].ts);
	}
}

static void a_time_that_is_not_rfc3339_is_refused(void **state)
{
	static const char *const bad[] = {"", "2026", "2026-11-21", "2026-11-21T05:00:00",
		"2026-11-21 05:00:00Z", "2026-11-21T05:00Z", "2026-11-21T05:00:00 Z",
		" 2026-11-21T05:00:00Z", "2026-11-21T05:00:00Z ", "2026-11-21T05:00:00ZZ",
		"26-11-21T05:00:00Z", "2026-1-21T05:00:00Z", "2026-11-1T05:00:00Z",
		"2026-11-21T5:00:00Z", "2026/11/21T05:00:00Z", "0000-11-21T05:00:00Z",
		"2026-00-21T05:00:00Z", "2026-13-21T05:00:00Z", "2026-11-00T05:00:00Z",
		"2026-11-31T05:00:00Z", "2026-02-29T05:00:00Z", "1900-02-29T05:00:00Z",
		"2026-11-21T24:00:00Z", "2026-11-21T05:60:00Z", "2026-11-21T05:00:61Z",
		"2026-11-21T05:00:00.Z", "2026-11-21T05:00:00.1234567890Z",
		"2026-11-21T05:00:00,5Z", "2026-11-21T05:00:00.5", "2026-11-21T05:00:00+08",
		"2026-11-21T05:00:00+0800", "2026-11-21T05:00:00+24:00",
		"2026-11-21T05:00:00+08:60", "2026-11-21T05:00:00*08:00",
		"2026-11-21T05:00:00+08:00Z", "+2026-11-21T05:00:00Z",
		"-026-11-21T05:00:00Z", "2026-11-21T05:00:0xZ", "12026-11-21T05:00:00Z"};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err e = {0};
		int32_t nanos = 77;
		ts_t got = 77;

		assert_err(rfc3339_parse(bad[i], &got, &nanos, &e), e, E_DATA,
			"is not an RFC 3339 time");
		assert_contains(e.msg, bad[i]);
		assert_i64_eq(got, 77);
		assert_i64_eq(nanos, 77);
	}
	assert_int_equal(rfc3339_parse("x", &(ts_t){0}, NULL, NULL), E_DATA);
}

/* Every prefix of a good time is a bad one, wherever it is cut. */
static void a_time_that_is_cut_is_refused(void **state)
{
	static const char whole[] = "2026-11-21T05:00:00.25+08:00";
	char part[sizeof(whole)];

	for (size_t n = 0; n < strlen(whole); n++) {
		ts_t got;

		memcpy(part, whole, n);
		part[n] = '\0';
		if (!rfc3339_parse(part, &got, NULL, NULL))
			fail_msg("\"%s\" is taken", part);
	}
}

static void a_printed_time_is_read_back(void **state)
{
	char buf[RFC3339_BUF];

	assert_string_equal(rfc3339_format(1795237200, buf), "2026-11-21T05:00:00Z");
	assert_string_equal(rfc3339_format(-1, buf), "1969-12-31T23:59:59Z");
	for (ts_t t = -5000000000; t < 9000000000; t += 9876543) {
		struct err e = {0};
		ts_t got = 0;

		assert_ok(rfc3339_parse(rfc3339_format(t, buf), &got, NULL, &e), e);
		assert_ts_eq(got, t);
	}
}

static void even_absurd_instants_fit_the_buffer(void **state)
{
	char buf[RFC3339_BUF];

	assert_true(strlen(rfc3339_format(INT64_MIN, buf)) < RFC3339_BUF);
	assert_true(strlen(rfc3339_format(INT64_MAX, buf)) < RFC3339_BUF);
	assert_true(strlen(date_format(INT32_MIN, buf)) < DATE_BUF);
	assert_true(strlen(date_format(INT32_MAX, buf)) < DATE_BUF);
}

/* ---- dates ------------------------------------------------------------------------------- */

static void dates_are_read_strictly(void **state)
{
	static const char *const bad[] = {"", "2026", "2026-11", "2026-11-", "2026-11-1",
		"2026-1-01", "26-11-01", "2026-11-01 ", " 2026-11-01", "2026-11-01T",
		"2026-02-30", "2026-02-29", "2026-00-01", "2026-13-01", "2026-11-00",
		"2026-11-31", "0000-01-01", "2026/11/01", "20261101", "2026-11-001",
		"+2026-11-1", "2026-1x-01"};
	struct err e = {0};
	day_t got = 77;
	char buf[DATE_BUF];

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		assert_err(date_parse(bad[i], &got, &e), e, E_DATA, "is not a date");
		assert_contains(e.msg, bad[i]);
		assert_i64_eq(got, 77);
	}
	assert_ok(date_parse("2024-02-29", &got, &e), e);
	assert_i64_eq(got, civil_to_day(2024, 2, 29));
	for (day_t d = -100000; d < 400000; d += 13) {
		assert_ok(date_parse(date_format(d, buf), &got, &e), e);
		assert_i64_eq(got, d);
	}
}

/* ---- durations --------------------------------------------------------------------------- */

static void durations_have_one_number_and_one_unit(void **state)
{
	static const struct {
		const char *text;
		int64_t seconds;
	} rows[] = {{"0", 0}, {"0s", 0}, {"0d", 0}, {"30s", 30}, {"10m", 600},
		{"6h", 21600}, {"30d", 30 * DAY_SECONDS}, {"2w", 14 * DAY_SECONDS},
		{"1s", 1}, {"3660d", 3660 * DAY_SECONDS}, {"522w", 522 * 7 * DAY_SECONDS},
		{"316224000s", 3660 * DAY_SECONDS}};
	static const char *const bad[] = {"", "s", "1", "30", "30 s", " 30s", "30s ", "-1h",
		"+1h", "1.5h", "1h30m", "01h", "1H", "1D", "1y", "1M", "1min", "1ms", "h1",
		"1e3s", "0x1s", "00", "00s"};
	static const char *const long_ones[] = {"3661d", "523w", "316224001s",
		"99999999999999s", "999999999999999999999999999999s"};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = {0};
		int64_t got = 77;

		assert_ok(duration_parse(rows[i].text, &got, &e), e);
		assert_i64_eq(got, rows[i].seconds);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err e = {0};
		int64_t got = 77;

		assert_err(
			duration_parse(bad[i], &got, &e), e, E_DATA, "is not a duration");
		assert_contains(e.msg, bad[i]);
		assert_i64_eq(got, 77);
	}
	for (size_t i = 0; i < ARRAY_LEN(long_ones); i++) {
		struct err e = {0};
		int64_t got = 77;

		assert_err(
			duration_parse(long_ones[i], &got, &e), e, E_DATA, "is too long");
		assert_contains(e.msg, long_ones[i]);
		assert_i64_eq(got, 77);
	}
}

static void durations_are_printed_in_two_units_at_most(void **state)
{
	static const struct {
		int64_t seconds;
		const char *want;
	} rows[] = {{0, "0s"}, {12, "12s"}, {119, "119s"}, {120, "2m"}, {2700, "45m"},
		{7199, "119m"}, {7200, "2h"}, {9000, "2h 30m"}, {172799, "47h 59m"},
		{172800, "2d"}, {183600, "2d 3h"}, {30 * DAY_SECONDS, "30d"}, {-12, "-12s"},
		{-183600, "-2d 3h"}, {INT64_MIN, "-106751991167300d 15h"}};
	char buf[DURATION_BUF];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_string_equal(duration_format(rows[i].seconds, buf), rows[i].want);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_day_from_1970_to_2100_is_that_of_the_c_library),
		cmocka_unit_test(days_far_away_come_back_in_order),
		cmocka_unit_test(known_days_have_known_numbers),
		cmocka_unit_test(february_follows_the_leap_years),
		cmocka_unit_test(instants_split_and_join_again),
		cmocka_unit_test(times_are_read_with_zone_and_fraction),
		cmocka_unit_test(a_time_that_is_not_rfc3339_is_refused),
		cmocka_unit_test(a_time_that_is_cut_is_refused),
		cmocka_unit_test(a_printed_time_is_read_back),
		cmocka_unit_test(even_absurd_instants_fit_the_buffer),
		cmocka_unit_test(dates_are_read_strictly),
		cmocka_unit_test(durations_have_one_number_and_one_unit),
		cmocka_unit_test(durations_are_printed_in_two_units_at_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
