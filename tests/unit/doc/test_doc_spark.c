/* Charts of documents: levels of sparklines, and series by currency. */
#include "reports/doc/formats.h"
#include "tests/support/assert.h"
#include "tests/support/sample_doc.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

static void expect_spark(const int64_t *v, size_t n, const char *want)
{
	struct sbuf b = SBUF_INIT;

	doc_sparkline(v, n, &b);
	assert_string_equal(b.s, want);
	sbuf_done(&b);
}

static void the_largest_is_a_full_block(void **state)
{
	const int64_t steps[] = {0, 1, 2, 3, 4, 5, 6, 7},
		      mixed[] = {0, 7, 8, 50, 92, 93, 100};

	expect_spark(NULL, 0, "");
	expect_spark(steps, 8, "▁▂▃▄▅▆▇█");
	expect_spark(mixed, 7, "▁▁▂▅▇██"); /* rounded to sevenths */
	expect_spark(steps + 7, 1, "█");
	expect_spark(steps, 1, "▁");
}

static void equal_and_negative_values_have_a_level(void **state)
{
	const int64_t same[] = {5, 5, 5}, zero[] = {0, 0, 0}, below[] = {-3, -1, -2};
	const int64_t both[] = {-100, 0, 50, 100};

	expect_spark(same, 3, "███");
	expect_spark(zero, 3, "▁▁▁");
	expect_spark(below, 3, "▁▁▁");
	expect_spark(both, 4, "▁▁▅█");
}

static void the_largest_integers_fit(void **state)
{
	const int64_t v[] = {INT64_MIN, INT64_MAX / 2, INT64_MAX - 1, INT64_MAX};

	expect_spark(v, 4, "▁▄██"); /* just below 3.5 sevenths */
	expect_spark(v, 1, "▁");
}

static void a_chart_has_a_series_for_each_currency(void **state)
{
	struct doc *d = sample_doc();
	struct doc_series *s;

	assert_i64_eq(doc_chart_series(d, doc_find(d, "burn"), &s), 2);
	assert_string_equal(s[0].currency, "HKD");
	assert_i64_eq(s[0].n, 2); /* no totals, nothing unknown */
	assert_nanos_eq(s[0].v[0], 118080000000);
	assert_nanos_eq(s[0].v[1], 720500000);
	assert_string_equal(s[0].rows[1]->cells[0].text, "disk");
	assert_i64_eq(s[0].lowest, 1);
	assert_i64_eq(s[0].highest, 0);
	assert_string_equal(s[1].currency, "USD");
	assert_i64_eq(s[1].n, 1);
	assert_nanos_eq(s[1].v[0], 8000000000);
}

static void folded_rows_are_in_the_chart(void **state)
{
	struct doc *d = sample_doc();
	struct doc_series *s;

	assert_i64_eq(doc_chart_series(d, doc_find(d, "days"), &s), 1);
	assert_i64_eq(s[0].n, 30);
	assert_string_equal(s[0].rows[0]->cells[0].text, "2026-10-22");
	assert_string_equal(s[0].rows[29]->cells[0].text, "2026-11-20");
	assert_i64_eq(s[0].highest, 29);
	assert_i64_eq(doc_chart_series(d, doc_find(d, "costs"), &s), 0);
	assert_null(s);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_is_a_full_block),
		cmocka_unit_test(equal_and_negative_values_have_a_level),
		cmocka_unit_test(the_largest_integers_fit),
		cmocka_unit_test_setup_teardown(a_chart_has_a_series_for_each_currency,
			sample_setup, sample_teardown),
		cmocka_unit_test_setup_teardown(
			folded_rows_are_in_the_chart, sample_setup, sample_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
