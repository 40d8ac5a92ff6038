/* Sustained-use discounts, against Google's own table of what a part of a month costs, and
 * months as long as they really are. */
#include "rules/price/machine.h"

#include "base/time/civil.h"
#include "base/money.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define HOUR HOUR_SECONDS

static struct billing_month month_at(const char *when)
{
	struct billing_month m;
	struct err e = {0};
	ts_t now;

	if (rfc3339_parse(when, &now, NULL, &e) || billing_month_of(now, &m, &e))
		fail_msg("%s: %s", when, e.msg);
	return m;
}

static void check_month(const char *when, const char *starts, int64_t hours)
{
	struct billing_month m = month_at(when);
	char text[RFC3339_BUF];

	if (strcmp(rfc3339_format(m.starts, text), starts) != 0)
		fail_msg("%s: begins %s, want %s", when, text, starts);
	assert_int_equal(m.ends - m.starts, hours * HOUR);
}

static void months_are_pacific_and_as_long_as_they_are(void **state)
{
	check_month("2026-11-21T00:00:00Z", "2026-11-01T07:00:00Z", 721); /* DST ends */
	check_month("2026-03-15T00:00:00Z", "2026-03-01T08:00:00Z", 743); /* and begins */
	check_month("2026-04-15T00:00:00Z", "2026-04-01T07:00:00Z", 720);
	check_month("2026-12-31T23:00:00Z", "2026-12-01T08:00:00Z", 744);
	check_month("2028-02-10T00:00:00Z", "2028-02-01T08:00:00Z", 29 * 24);
	/* the last hours of December there are January in most of the world */
	check_month("2027-01-01T07:59:59Z", "2026-12-01T08:00:00Z", 744);
	check_month("2027-01-01T08:00:00Z", "2027-01-01T08:00:00Z", 744);
	check_month("2026-12-01T07:59:59Z", "2026-11-01T07:00:00Z", 721);
}

/* What a machine of 1.00 an hour costs that runs for `hours` of a month of 720. */
static int64_t cost_of(const char *type, int64_t hours)
{
	struct billing_month m = month_at("2026-04-15T00:00:00Z");
	int64_t sum = 0;

	for (int64_t h = 0; h < hours; h++)
		sum += NANOS + sustained_per_hour(type, NANOS, &m, h * HOUR);
	return sum;
}

static void a_whole_month_costs_what_google_says(void **state)
{
	/* 180 h each at 1, 0.8, 0.6, 0.4: effective 100, 90, 80 and 70 % */
	assert_int_equal(cost_of("n1-standard-1", 180), 180 * NANOS);
	assert_int_equal(cost_of("n1-standard-1", 360), 324 * NANOS);
	assert_int_equal(cost_of("n1-standard-1", 540), 432 * NANOS);
	assert_int_equal(cost_of("n1-standard-1", 720), 504 * NANOS);
	/* 180 x (1 + 0.8678 + 0.733 + 0.6) = 576.144: 20 % */
	assert_int_equal(cost_of("n2-standard-8", 720), INT64_C(576144000000));
	assert_int_equal(cost_of("e2-standard-8", 720), 720 * NANOS);
}

static void the_quarter_begins_with_its_first_second(void **state)
{
	struct billing_month m = month_at("2026-04-15T00:00:00Z");

	assert_int_equal(sustained_per_hour("n1-standard-1", 1000, &m, 0), 0);
	assert_int_equal(sustained_per_hour("n1-standard-1", 1000, &m, 180 * HOUR - 1), 0);
	assert_int_equal(sustained_per_hour("n1-standard-1", 1000, &m, 180 * HOUR), -200);
	assert_int_equal(sustained_per_hour("n1-standard-1", 1000, &m, 360 * HOUR), -400);
	assert_int_equal(sustained_per_hour("n1-standard-1", 1000, &m, 540 * HOUR), -600);
	assert_int_equal(sustained_per_hour("n1-standard-1", 1000, &m, 720 * HOUR), -600);
	assert_int_equal(sustained_per_hour("n1-standard-1", 1000, &m, 9999 * HOUR), -600);
	/* half to even: 0.2 x 2.5 and so on */
	assert_int_equal(sustained_per_hour("n1-standard-1", 5, &m, 360 * HOUR), -2);
	assert_int_equal(sustained_per_hour("c2-standard-4", 10000, &m, 180 * HOUR), -1322);
	assert_int_equal(
		sustained_per_hour("n2d-standard-4", 10000, &m, 360 * HOUR), -2670);
	assert_int_equal(sustained_per_hour("n1-standard-1", 1000, &m, -1), 0);
	m.ends = m.starts;
	assert_int_equal(sustained_per_hour("n1-standard-1", 1000, &m, HOUR), 0);
}

static void only_some_families_have_it(void **state)
{
	static const char *const with[] = {"n1-standard-1", "n1-highmem-96",
		"custom-4-5120", "n1-custom-4-5120", "n2-standard-2", "n2-custom-4-8192",
		"n2d-standard-2", "c2-standard-4", "m1-ultramem-40", "m2-ultramem-208",
		"f1-micro", "g1-small"};
	static const char *const without[] = {"e2-standard-2", "e2-micro", "c3-standard-4",
		"c2d-standard-2", "t2d-standard-1", "n4-standard-2", "a2-highgpu-1g",
		"g2-standard-4", "m3-ultramem-32", "ct5lp-hightpu-4t", "n1", "",
		"zz9-mega-7"};

	for (size_t i = 0; i < ARRAY_LEN(with); i++)
		if (!sustained_family(with[i]))
			fail_msg("%s has it", with[i]);
	for (size_t i = 0; i < ARRAY_LEN(without); i++)
		if (sustained_family(without[i]))
			fail_msg("%s has none", without[i]);
	assert_false(sustained_family(NULL));
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(months_are_pacific_and_as_long_as_they_are),
		cmocka_unit_test(a_whole_month_costs_what_google_says),
		cmocka_unit_test(the_quarter_begins_with_its_first_second),
		cmocka_unit_test(only_some_families_have_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
