/* The far ends of time zones and clocks: zones that change every hour, machines that name no zone, and
 * amounts and hosts at the ends of what fits. */
#include "base/time/civil.h"
#include "base/time/clock.h"
#include "base/money.h"
#include "base/url/netguard.h"
#include "base/sbuf.h"
#include "base/time/tz.h"
#include "tests/support/assert.h"
#include "tests/support/tempdir.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HOUR INT64_C(3600)
#define NOON INT64_C(1795262400) /* 2026-11-21T12:00:00Z */

static struct tempdir dir;

static int setup(void **state)
{
	tempdir_make(&dir);
	return 0;
}

static int teardown(void **state)
{
	unsetenv("TZDIR");
	tempdir_remove(&dir);
	return 0;
}

/* ---- zone files -------------------------------------------------------------------------------- */

static void add_be(struct sbuf *b, uint64_t v, int bytes)
{
	while (bytes--)
		sbuf_addc(b, (char)(v >> (bytes * 8) & 0xff));
}

static void add_header(struct sbuf *b, uint32_t times, uint32_t types)
{
	sbuf_adds(b, "TZif2");
	sbuf_pad(b, '\0', 15);
	for (int i = 0; i < 3; i++)
		add_be(b, 0, 4);
	add_be(b, times, 4);
	add_be(b, types, 4);
	add_be(b, 4, 4);
}

/* Zone "Z": changes at `first` and every hour after it, between two offsets; then the footer. */
static enum err_code open_made(uint32_t n, int64_t first, const int32_t offset[2],
	const char *footer, struct tz **tz)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct err e = {0};

	add_header(&b, 0, 1);
	sbuf_pad(&b, '\0', 6);
	sbuf_add(&b, "AAA", 4);
	add_header(&b, n, 2);
	for (uint32_t i = 0; i < n; i++)
		add_be(&b, (uint64_t)(first + i * HOUR), 8);
	for (uint32_t i = 0; i < n; i++)
		sbuf_addc(&b, i % 2 ? 0 : 1);
	for (int i = 0; i < 2; i++) {
		add_be(&b, (uint32_t)offset[i], 4);
		sbuf_pad(&b, '\0', 2);
	}
	sbuf_add(&b, "AAA", 4);
	sbuf_addf(&b, "\n%s\n", footer);
	tempdir_write(&dir, "Z", b.s, b.len, 0644);
	setenv("TZDIR", dir.path, 1);
	return tz_open("Z", tz, &e);
}

/* More changes in a few days than any zone has, and a rule besides: those that come too many are
 * left out. */
static void a_zone_that_changes_every_hour_does_no_harm(void **state)
{
	static const int32_t same[2] = {3600, 3600}, other[2] = {0, 1800};
	cleanup(tz_free_ptr) struct tz *tz = NULL;

	assert_int_equal(
		open_made(40, NOON - 20 * HOUR, same, "XXX-1YYY,M11.3.6/0,M11.4.0/0", &tz),
		E_OK);
	assert_ts_eq(tz_local_to_ts(tz, (day_t)(NOON / DAY_SECONDS), 13, 0), NOON);
	tz_free_ptr(&tz);
	assert_int_equal(open_made(40, NOON - 20 * HOUR, other, "XXX0", &tz), E_OK);
	for (int hour = 0; hour < 24; hour++) {
		ts_t at = tz_local_to_ts(tz, (day_t)(NOON / DAY_SECONDS), hour, 30);

		assert_true(at + tz_offset(tz, at) >= NOON + (hour - 12) * HOUR + 1800);
		assert_true(at <= NOON + (hour - 12) * HOUR + 1800);
	}
}

/* Days that were summed up are of the rules that held then. */
static void the_stamp_of_a_zone_has_its_rules_where_it_has_some(void **state)
{
	static const int32_t utc[2] = {0, 0};
	cleanup(tz_free_ptr) struct tz *tz = NULL;
	char stamp[TZ_STAMP_BUF], other[TZ_STAMP_BUF];

	assert_int_equal(open_made(0, NOON, utc, "XXX0", &tz), E_OK);
	assert_string_equal(tz_stamp(tz, stamp), "Z");
	tz_free_ptr(&tz);
	assert_int_equal(open_made(0, NOON, utc, "XXX-1YYY,M3.5.0,M10.5.0/3", &tz), E_OK);
	assert_int_equal(strlen(tz_stamp(tz, stamp)), 18);
	tz_free_ptr(&tz);
	assert_int_equal(open_made(1, NOON, utc, "XXX0", &tz), E_OK);
	assert_int_equal(strlen(tz_stamp(tz, other)), 18);
	assert_string_not_equal(stamp, other);
}

static void an_abbreviation_is_letters_or_in_brackets(void **state)
{
	static const int32_t utc[2] = {0, 0};
	static const struct {
		const char *footer;
		enum err_code want;
	} rows[] = {
		{"ABC1", E_OK},
		{"abc1", E_OK},
		{"<+01>-1", E_OK},
		{"AB1", E_CONFIG},
		{"AB{1", E_CONFIG}, /* behind 'z' */
		{"AB[1", E_CONFIG}, /* between 'Z' and 'a' */
		{"ABC{1", E_CONFIG},
		{"ABC123456", E_CONFIG}, /* more digits than any hour has */
		{"ABC", E_CONFIG},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct tz *tz = NULL;

		if (open_made(1, NOON, utc, rows[i].footer, &tz) != rows[i].want)
			fail_msg("footer %s", rows[i].footer);
		tz_free(tz);
	}
}

static void an_empty_tzdir_is_none(void **state)
{
	struct tz *tz = NULL;
	struct err e = {0};

	setenv("TZDIR", "", 1);
	assert_ok(tz_open("Asia/Hong_Kong", &tz, &e), e);
	assert_int_equal(tz_offset(tz, NOON), 8 * HOUR);
	tz_free(tz);
}

/* ---- the machine's zone ------------------------------------------------------------------------ */

static void the_machine_s_zone_is_the_first_that_is_one(void **state)
{
	static const char *const none = "/nonexistent/file";
	char link[300], file[300];

	assert_string_equal(tz_machine_name_of(NULL, none, none), "UTC");
	assert_string_equal(tz_machine_name_of("No/Such", none, none), "UTC");
	assert_string_equal(tz_machine_name_of("", none, none), "UTC");
	snprintf(link, sizeof(link), "%s", tempdir_name(&dir, "localtime"));
	assert_int_equal(symlink("/usr/share/zoneinfo/Asia/Tokyo", link), 0);
	snprintf(file, sizeof(file), "%s",
		tempdir_write(&dir, "timezone", "Europe/Berlin\n", 14, 0644));
	assert_string_equal(tz_machine_name_of(NULL, link, file), "Asia/Tokyo");
	assert_string_equal(tz_machine_name_of("Asia/Seoul", link, file), "Asia/Seoul");
	assert_string_equal(tz_machine_name_of("", link, file), "UTC");
	assert_string_equal(tz_machine_name_of(NULL, none, file), "Europe/Berlin");
	/* a link to what is no zone, and a copy that is no link */
	unlink(link);
	assert_int_equal(symlink("../somewhere/else", link), 0);
	assert_string_equal(tz_machine_name_of(NULL, link, file), "Europe/Berlin");
	assert_string_equal(tz_machine_name_of(NULL, file, file), "Europe/Berlin");
	tempdir_write(&dir, "timezone", "Mars/Olympus\n", 13, 0644);
	assert_string_equal(tz_machine_name_of(NULL, link, file), "UTC");
}

/* ---- clocks ------------------------------------------------------------------------------------ */

static void sleeping_for_nothing_takes_no_time(void **state)
{
	struct clock fake;

	clock_sleep_ms(clock_system(), 0);
	clock_sleep_ms(clock_system(), -5);
	clock_fake_init(&fake, NOON);
	clock_sleep_ms(&fake, -5000);
	assert_ts_eq(clock_now(&fake), NOON);
	clock_sleep_ms(&fake, 1500);
	assert_ts_eq(clock_now(&fake), NOON + 1);
	clock_sleep_ms(&fake, 500);
	assert_ts_eq(clock_now(&fake), NOON + 2);
}

/* ---- money ------------------------------------------------------------------------------------- */

static void amounts_at_the_ends_are_shown_and_rounded(void **state)
{
	static const struct {
		int64_t nanos;
		int digits;
		const char *want;
	} rows[] = {
		{INT64_MAX, 9, "9223372036.854775807"},
		{INT64_MAX, 99, "9223372036.854775807"},
		{INT64_MIN, 9, "-9223372036.854775808"},
		{INT64_MAX, 0, "9223372037"},
		{INT64_MAX, -1, "9223372037"},
		{INT64_MIN, 0, "-9223372037"},
		{INT64_MIN, 2, "-9223372036.85"},
		{500000000, 0, "0"}, /* half to even */
		{1500000000, 0, "2"},
		{-500000000, 0, "0"},
	};
	char buf[NANOS_BUF];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_string_equal(nanos_format_fixed(rows[i].nanos, rows[i].digits, buf),
			rows[i].want);
}

/* ---- hosts ------------------------------------------------------------------------------------- */

static void names_that_only_look_like_numbers_are_names(void **state)
{
	static const char *const fine[] = {
		"https://a.0x7g/", "https://0xyz.example./", "https://a.0y1/"};
	struct err e = {0};

	for (size_t i = 0; i < ARRAY_LEN(fine); i++)
		assert_ok(net_url_check(fine[i], false, &e), e);
	assert_err(net_url_check("https://a.0x7f./", false, &e), e, E_CONFIG, "usual form");
	assert_err(net_url_check("https://metadata./", false, &e), e, E_CONFIG, "metadata");
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(a_zone_that_changes_every_hour_does_no_harm),
		TEST(the_stamp_of_a_zone_has_its_rules_where_it_has_some),
		TEST(an_abbreviation_is_letters_or_in_brackets),
		TEST(an_empty_tzdir_is_none),
		TEST(the_machine_s_zone_is_the_first_that_is_one),
		TEST(sleeping_for_nothing_takes_no_time),
		TEST(amounts_at_the_ends_are_shown_and_rounded),
		TEST(names_that_only_look_like_numbers_are_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
