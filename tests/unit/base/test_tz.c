#include "base/time/tz.h"

#include "base/time/civil.h"
#include "base/fs.h"
#include "base/mem.h"
#include "tests/support/assert.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define YEAR_1970 INT64_C(0)
#define YEAR_2060 INT64_C(2840140800)
#define HOUR INT64_C(3600)

/* Zones that do something strange, and some of the usual ones. */
static const char *const zones[] = {
	"UTC",
	"Asia/Hong_Kong",
	"Asia/Kathmandu",    /* +05:45, +05:30 before 1986 */
	"Asia/Gaza",         /* changes listed one by one until 2086 */
	"Africa/Casablanca", /* winter time in Ramadan, negative */
	"Africa/Monrovia",   /* -00:44:30 until 1972 */
	"America/Los_Angeles",
	"America/New_York",
	"America/Nuuk",      /* changes at -1 o'clock */
	"America/Sao_Paulo", /* midnight did not exist on the first day of summer */
	"America/St_Johns",  /* changed at 00:01 */
	"America/Caracas",   /* -04:30 from 2007 to 2016 */
	"Antarctica/Troll",  /* two hours of summer time */
	"Asia/Pyongyang",
	"Asia/Tehran",
	"Australia/Lord_Howe", /* half an hour of summer time */
	"Australia/Sydney",
	"Europe/Berlin",
	"Europe/Dublin", /* winter time is the exception, negative */
	"Europe/London",
	"Pacific/Apia",       /* skipped 2011-12-30 */
	"Pacific/Kiritimati", /* +14, skipped 1994-12-31 */
	"Pacific/Kwajalein",  /* skipped 1993-08-21 */
	"Pacific/Norfolk",
};

static struct tz *open_zone(const char *name)
{
	struct tz *tz = NULL;
	struct err e = {0};

	assert_ok(tz_open(name, &tz, &e), e);
	assert_string_equal(tz_name(tz), name);
	return tz;
}

/* ---- against the C library --------------------------------------------------------------- */

static void libc_use(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

static struct tm libc_local(ts_t t)
{
	time_t seconds = (time_t)t;
	struct tm tm;

	localtime_r(&seconds, &tm);
	return tm;
}

static void check_instant(const struct tz *tz, ts_t t)
{
	struct tm tm = libc_local(t);
	char buf[RFC3339_BUF];

	if (tz_offset(tz, t) != tm.tm_gmtoff)
		fail_msg("%s at %s: %d seconds east, libc says %ld", tz_name(tz),
			rfc3339_format(t, buf), tz_offset(tz, t), tm.tm_gmtoff);
	if (tz_day(tz, t) != civil_to_day(tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday))
		fail_msg("%s at %s: day %d, libc says %d-%d-%d", tz_name(tz),
			rfc3339_format(t, buf), tz_day(tz, t), tm.tm_year + 1900,
			tm.tm_mon + 1, tm.tm_mday);
}

/* Between two instants of different offset, the exact second of the change. */
static ts_t libc_change(ts_t low, ts_t high)
{
	long before = libc_local(low).tm_gmtoff;

	while (high - low > 1) {
		ts_t mid = low + (high - low) / 2;

		if (libc_local(mid).tm_gmtoff == before)
			low = mid;
		else
			high = mid;
	}
	return high;
}

static void compare_with_libc(const struct tz *tz, ts_t from, ts_t until, int64_t step)
{
	long last = libc_local(from).tm_gmtoff;

	for (ts_t t = from; t < until; t += step) {
		long now = libc_local(t).tm_gmtoff;

		check_instant(tz, t);
		if (now != last) {
			ts_t change = libc_change(t - step, t);

			check_instant(tz, change - 1);
			check_instant(tz, change);
			last = now;
		}
	}
}

static void offsets_are_those_of_the_c_library_to_the_second(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(zones); i++) {
		cleanup(tz_free_ptr) struct tz *tz = open_zone(zones[i]);

		libc_use(zones[i]);
		compare_with_libc(tz, YEAR_1970, YEAR_2060, 7 * HOUR + 11);
	}
}

static void every_zone_there_is_agrees_with_the_c_library(void **state)
{
	cleanup(sbuf_done) struct sbuf list = SBUF_INIT;
	struct err e = {0};
	char *rest, *line;
	int n = 0;

	assert_ok(fs_read("/usr/share/zoneinfo/zone1970.tab", 1000000, &list, &e), e);
	for (rest = list.s; (line = strsep(&rest, "\n"));) {
		char *countries = strsep(&line, "\t"), *where = strsep(&line, "\t");
		char *name = strsep(&line, "\t");

		if (*countries == '#' || !where || !name)
			continue;
		{
			cleanup(tz_free_ptr) struct tz *tz = open_zone(name);

			libc_use(name);
			compare_with_libc(
				tz, YEAR_1970 - 40000 * HOUR, YEAR_2060, 97 * HOUR);
			n++;
		}
	}
	assert_true(n > 250);
}

/* ---- days -------------------------------------------------------------------------------- */

static bool is_skipped(const char *zone, day_t d)
{
	return (!strcmp(zone, "Pacific/Apia") && d == civil_to_day(2011, 12, 30)) ||
		(!strcmp(zone, "Pacific/Kiritimati") && d == civil_to_day(1994, 12, 31)) ||
		(!strcmp(zone, "Pacific/Kwajalein") && d == civil_to_day(1993, 8, 21));
}

static void check_day(const struct tz *tz, day_t d)
{
	ts_t start = tz_day_start(tz, d), next = tz_day_start(tz, d + 1);
	int64_t length = next - start;
	bool skipped = is_skipped(tz_name(tz), d);

	if (tz_day(tz, start) != d + skipped || tz_day(tz, start - 1) >= d)
		fail_msg("%s: day %d starts at %lld, in day %d after %d", tz_name(tz), d,
			(long long)start, tz_day(tz, start), tz_day(tz, start - 1));
	for (ts_t t = start - 26 * HOUR + d % 3600; t < start; t += HOUR)
		if (tz_day(tz, t) >= d)
			fail_msg("%s: day %d began before %lld", tz_name(tz), d,
				(long long)start);
	if (skipped ? length != 0 : length < 22 * HOUR || length > 26 * HOUR)
		fail_msg("%s: day %d has %lld seconds", tz_name(tz), d, (long long)length);
}

static void a_day_begins_at_its_first_instant(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(zones); i++) {
		cleanup(tz_free_ptr) struct tz *tz = open_zone(zones[i]);

		for (day_t d = 1; d < 32870; d++)
			check_day(tz, d);
	}
}

struct wall {
	const char *zone, *date;
	int hhmm;
	const char *utc;
};

static void known_days_start_when_the_clocks_said_so(void **state)
{
	static const struct wall rows[] = {
		{"UTC", "2026-11-21", 0, "2026-11-21T00:00:00Z"},
		{"Asia/Hong_Kong", "2026-11-21", 0, "2026-11-20T16:00:00Z"},
		{"America/Los_Angeles", "2026-03-08", 0, "2026-03-08T08:00:00Z"},
		{"America/Los_Angeles", "2026-03-09", 0,
			"2026-03-09T07:00:00Z"}, /* 23 h later */
		{"America/Los_Angeles", "2026-11-02", 0, "2026-11-02T08:00:00Z"},
		{"America/Sao_Paulo", "2018-11-04", 0,
			"2018-11-04T03:00:00Z"}, /* at 01:00 */
		{"America/Sao_Paulo", "2018-02-18", 0,
			"2018-02-18T03:00:00Z"}, /* second 00:00 */
		{"America/Havana", "2026-03-08", 0, "2026-03-08T05:00:00Z"},
		{"Pacific/Apia", "2011-12-29", 0, "2011-12-29T10:00:00Z"},
		{"Pacific/Apia", "2011-12-30", 0,
			"2011-12-30T10:00:00Z"}, /* there was none */
		{"Pacific/Apia", "2011-12-31", 0, "2011-12-30T10:00:00Z"},
		{"Africa/Cairo", "2026-04-24", 0, "2026-04-23T22:00:00Z"},
		{"America/Los_Angeles", "2059-07-01", 0,
			"2059-07-01T07:00:00Z"}, /* the footer */
		{"Australia/Sydney", "2059-01-01", 0, "2058-12-31T13:00:00Z"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		cleanup(tz_free_ptr) struct tz *tz = open_zone(rows[i].zone);
		day_t d = 0;
		ts_t want = 0;

		assert_int_equal(date_parse(rows[i].date, &d, NULL), E_OK);
		assert_int_equal(rfc3339_parse(rows[i].utc, &want, NULL, NULL), E_OK);
		assert_ts_eq(tz_day_start(tz, d), want);
	}
}

/* ---- wall-clock times -------------------------------------------------------------------- */

static void a_wall_clock_time_has_an_instant(void **state)
{
	static const struct wall rows[] = {
		{"UTC", "2026-11-21", 900, "2026-11-21T09:00:00Z"},
		{"Asia/Hong_Kong", "2026-11-21", 900, "2026-11-21T01:00:00Z"},
		{"Asia/Kathmandu", "2026-11-21", 545, "2026-11-21T00:00:00Z"},
		/* a gap: 02:00 to 03:00 */
		{"America/Los_Angeles", "2026-03-08", 159, "2026-03-08T09:59:00Z"},
		{"America/Los_Angeles", "2026-03-08", 200, "2026-03-08T10:00:00Z"},
		{"America/Los_Angeles", "2026-03-08", 230, "2026-03-08T10:00:00Z"},
		{"America/Los_Angeles", "2026-03-08", 300, "2026-03-08T10:00:00Z"},
		{"America/Los_Angeles", "2026-03-08", 301, "2026-03-08T10:01:00Z"},
		/* twice: 01:00 to 02:00 */
		{"America/Los_Angeles", "2026-11-01", 59, "2026-11-01T07:59:00Z"},
		{"America/Los_Angeles", "2026-11-01", 100, "2026-11-01T08:00:00Z"},
		{"America/Los_Angeles", "2026-11-01", 130, "2026-11-01T08:30:00Z"},
		{"America/Los_Angeles", "2026-11-01", 200, "2026-11-01T10:00:00Z"},
		/* half an hour */
		{"Australia/Lord_Howe", "2026-10-04", 215, "2026-10-03T15:30:00Z"},
		{"Australia/Lord_Howe", "2026-04-05", 145, "2026-04-04T14:45:00Z"},
		/* a whole day */
		{"Pacific/Apia", "2011-12-30", 1200, "2011-12-30T10:00:00Z"},
		{"America/Sao_Paulo", "2018-11-04", 30, "2018-11-04T03:00:00Z"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		cleanup(tz_free_ptr) struct tz *tz = open_zone(rows[i].zone);
		int hour = rows[i].hhmm / 100, minute = rows[i].hhmm % 100;
		day_t d = 0;
		ts_t want = 0;

		assert_int_equal(date_parse(rows[i].date, &d, NULL), E_OK);
		assert_int_equal(rfc3339_parse(rows[i].utc, &want, NULL, NULL), E_OK);
		assert_ts_eq(tz_local_to_ts(tz, d, hour, minute), want);
	}
}

/* By trying every offset in use, and in a gap by looking at every second. */
static ts_t slow_local_to_ts(const struct tz *tz, int64_t local)
{
	ts_t first = INT64_MAX;

	for (int64_t off = 15 * HOUR; off >= -13 * HOUR; off -= 900)
		if (tz_offset(tz, local - off) == off && local - off < first)
			first = local - off;
	if (first != INT64_MAX)
		return first;
	for (first = local - 15 * HOUR; first + tz_offset(tz, first) < local;)
		first++;
	return first;
}

static void any_wall_clock_time_is_found_where_a_search_finds_it(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(zones); i++) {
		cleanup(tz_free_ptr) struct tz *tz = open_zone(zones[i]);

		/* from 1980, when all offsets had become quarters of an hour */
		for (day_t d = 3652; d < 32870; d += 3) {
			int minutes = d * 157 % 1440;
			int64_t local = d * DAY_SECONDS + minutes * 60;
			ts_t got = tz_local_to_ts(tz, d, minutes / 60, minutes % 60);

			if (got != slow_local_to_ts(tz, local))
				fail_msg("%s day %d %02d:%02d", zones[i], d, minutes / 60,
					minutes % 60);
		}
	}
}

/* ---- names ------------------------------------------------------------------------------- */

static void names_that_leave_the_directory_or_are_none_are_refused(void **state)
{
	static const char *const bad[] = {"", "/", "/etc/passwd", "../../../etc/passwd",
		"Asia/../UTC", "Asia/./Hong_Kong", "Asia//Hong_Kong", "Asia/", "/UTC",
		"Asia", "UTC ", " UTC", "UTC\n", "Asia/Hong Kong", "a\\b", "leapseconds",
		"tzdata.zi", "zone1970.tab", "Mars/Olympus", "right/UTC",
		"right/Asia/Hong_Kong", "\xff", "EST5EDT4",
		"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct tz *tz = (struct tz *)state;
		struct err e = {0};

		assert_err(tz_open(bad[i], &tz, &e), e, E_CONFIG, "unknown time zone '");
		assert_true(e.fix[0]);
		assert_ptr_equal(tz, state);
		assert_int_equal(tz_open(bad[i], &tz, NULL), E_CONFIG);
	}
}

static void an_unknown_name_is_answered_with_the_nearest(void **state)
{
	static const struct {
		const char *name, *fix;
	} rows[] = {
		{"Asia/HongKong", "did you mean Asia/Hong_Kong?"},
		{"asia/hong_kong", "did you mean Asia/Hong_Kong?"},
		{"Asia/Hong Kong", "did you mean Asia/Hong_Kong?"},
		{"Europe/Berlim", "did you mean Europe/Berlin?"},
		{"America/LosAngeles", "did you mean America/Los_Angeles?"},
		{"US/Pacifc", "did you mean US/Pacific?"}, /* a link */
		{"utc", "did you mean UTC?"},
		{"HKT", "use a name such as Asia/Hong_Kong or UTC"}, /* not HST */
		{"Mars/Olympus_Mons", "use a name such as Asia/Hong_Kong or UTC"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct tz *tz = NULL;
		struct err e = {0};

		assert_err(tz_open(rows[i].name, &tz, &e), e, E_CONFIG, rows[i].name);
		assert_contains(e.fix, rows[i].fix);
	}
}

static void what_a_message_quotes_cannot_hurt_the_terminal(void **state)
{
	struct tz *tz = NULL;
	struct err e = {0};

	assert_err(tz_open("\x1b[2J\n", &tz, &e), e, E_CONFIG,
		"unknown time zone '\\x1b[2J\\x0a'");
}

/* What was worked out by the rules of a file that was replaced is known by it. */
static void other_rules_have_another_stamp(void **state)
{
	static const char *const names[] = {"Asia/Tokyo", "Asia/Tehran", "Europe/Berlin",
		"America/Los_Angeles", "Asia/Tokyo", "UTC"};
	char stamps[ARRAY_LEN(names)][TZ_STAMP_BUF];

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct tz *tz = NULL;
		struct err e = {0};

		assert_ok(tz_open(names[i], &tz, &e), e);
		tz_stamp(tz, stamps[i]);
		tz_free(tz);
		assert_memory_equal(stamps[i], names[i], strlen(names[i]));
	}
	assert_string_equal(stamps[0], stamps[4]);
	assert_string_equal(stamps[5], "UTC"); /* no rule can change */
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(strlen(stamps[i]), strlen(names[i]) + 17);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(
				stamps[i] + strlen(names[i]), stamps[k] + strlen(names[k]));
	}
}

static void freeing_nothing_is_fine(void **state)
{
	struct tz *tz = NULL;

	tz_free(NULL);
	tz_free_ptr(&tz);
	tz = open_zone("UTC");
	tz_free_ptr(&tz);
	assert_null(tz);
}

/* ---- the machine's zone ------------------------------------------------------------------ */

static void the_environment_names_the_machine_s_zone(void **state)
{
	static const struct {
		const char *tz, *want;
	} rows[] = {
		{"Asia/Tokyo", "Asia/Tokyo"},
		{":Asia/Tokyo", "Asia/Tokyo"},
		{"/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo"},
		{":/usr/share/zoneinfo/Europe/Berlin", "Europe/Berlin"},
		{"", "UTC"},
		{"UTC", "UTC"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		setenv("TZ", rows[i].tz, 1);
		assert_string_equal(tz_machine_name(), rows[i].want);
	}
}

/* A POSIX rule, a path elsewhere, rubbish: what the machine itself says, or UTC. */
static void the_machine_s_zone_can_always_be_opened(void **state)
{
	static const char *const odd[] = {"JST-9", "<+08>-8", "/etc/localtime", ":", "../x",
		"No/Such", "Asia", "%s%n"};

	unsetenv("TZ");
	tz_free(open_zone(tz_machine_name()));
	for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
		setenv("TZ", odd[i], 1);
		tz_free(open_zone(tz_machine_name()));
	}
	unsetenv("TZ");
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offsets_are_those_of_the_c_library_to_the_second),
		cmocka_unit_test(every_zone_there_is_agrees_with_the_c_library),
		cmocka_unit_test(a_day_begins_at_its_first_instant),
		cmocka_unit_test(known_days_start_when_the_clocks_said_so),
		cmocka_unit_test(a_wall_clock_time_has_an_instant),
		cmocka_unit_test(any_wall_clock_time_is_found_where_a_search_finds_it),
		cmocka_unit_test(names_that_leave_the_directory_or_are_none_are_refused),
		cmocka_unit_test(an_unknown_name_is_answered_with_the_nearest),
		cmocka_unit_test(what_a_message_quotes_cannot_hurt_the_terminal),
		cmocka_unit_test(other_rules_have_another_stamp),
		cmocka_unit_test(freeing_nothing_is_fine),
		cmocka_unit_test(the_environment_names_the_machine_s_zone),
		cmocka_unit_test(the_machine_s_zone_can_always_be_opened),
	};

	unsetenv("TZDIR");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
