/* Documents: cells as people read them, and what of a section they see. */
#include "reports/doc/doc.h"

#include "base/str.h"
#include "reports/channel.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define NOW INT64_C(1795219200) /* 2026-11-21T00:00Z, 08:00 in Hong Kong */

static struct arena a;
static struct tz *tz;
static struct doc *d;

static int setup(void **state)
{
	struct err e = {0};

	if (tz_open("Asia/Hong_Kong", &tz, &e))
		fail_msg("%s", e.msg);
	d = doc_new(&a, "daily", tz, NOW);
	return 0;
}

static int teardown(void **state)
{
	tz_free(tz);
	arena_done(&a);
	return 0;
}

static void expect_cell(struct doc_column col, struct doc_cell cell, const char *want)
{
	struct sbuf b = SBUF_INIT;

	doc_cell_text(d, &col, &cell, &b);
	assert_string_equal(b.s, want);
	sbuf_done(&b);
}

static void cells_read_as_people_write(void **state)
{
	const struct doc_column money = {.type = DOC_MONEY, .digits = -1};
	const struct doc_column rate = {.type = DOC_RATE, .digits = 4};
	const struct doc_column percent = {.type = DOC_PERCENT, .digits = 0};
	const struct doc_column hours = {.type = DOC_DECIMAL, .digits = 1};
	const struct doc_column text = {.type = DOC_TEXT};

	expect_cell(money, cell_money(SOME(12300000000), "HKD"), "12.30 HKD");
	expect_cell(money, cell_money(SOME(1500000000), "JPY"), "2 JPY");
	expect_cell(money, cell_rate(SOME(1442200000), "JPY"), "1.44 JPY/h");
	expect_cell(money, cell_partial(cell_money(SOME(-1), "USD")), "0.00 USD*");
	expect_cell(
		rate, cell_estimate(cell_rate(SOME(8000000000), "USD")), "8.0000 USD/h~");
	expect_cell(percent, cell_percent(SOME(80500000000)), "80 %");
	expect_cell(hours, cell_decimal(SOME(1234500000000)), "1234.5");
	expect_cell(text, cell_text("<x>"), "<x>");
	expect_cell(text, cell_int(-7), "-7");
	expect_cell(text, cell_time(NOW), "2026-11-21 08:00");
	expect_cell(text, cell_duration(183600), "2d 3h");
	expect_cell(text, cell_flag(true), "yes");
}

static void what_is_not_known_says_so(void **state)
{
	const struct doc_column money = {.type = DOC_MONEY, .digits = -1};
	const struct doc_column rate = {.type = DOC_RATE};
	const struct doc_column hours = {.type = DOC_DECIMAL};

	expect_cell(money, cell_money(NONE, "HKD"), "unknown");
	expect_cell(money, cell_money(SOME(1), NULL), "unknown");
	expect_cell(rate, cell_estimate(cell_rate(NONE, NULL)), "unknown");
	expect_cell(hours, cell_decimal(NONE), "-");
	expect_cell(hours, cell_percent(NONE), "-");
	expect_cell(hours, cell_text(NULL), "-");
	expect_cell(hours, cell_time(TS_NONE), "-");
}

static const struct doc_column one[] = {{"name", "Name", DOC_TEXT, 0, 0}};

static void sections_show_rows_or_words(void **state)
{
	struct doc_section *s = doc_section(d, "days", "Days", one, 1);
	struct doc_rows rows;
	size_t left;

	assert_ptr_equal(doc_find(d, "days"), s);
	assert_null(doc_find(d, "weeks"));
	assert_false(doc_section_shown(s));
	s->empty = "nothing";
	assert_true(doc_section_shown(s));
	s->empty = NULL;
	for (int i = 0; i < 12; i++)
		doc_row(s)->folded = i < 5;
	assert_int_equal(doc_rows_shown(s, 0, &left), 7);
	assert_int_equal(left, 0);
	assert_int_equal(doc_rows_shown(s, 3, &left), 3);
	assert_int_equal(left, 4);
	assert_true(doc_section_shown(s));
	s->rows[11].total = true; /* seen beyond the limit */
	assert_int_equal(doc_rows_shown(s, 3, &left), 4);
	assert_int_equal(left, 3);
	rows = doc_rows(s, 3);
	for (int i = 0; i < 3; i++)
		assert_ptr_equal(doc_rows_next(&rows), &s->rows[5 + i]);
	assert_ptr_equal(doc_rows_next(&rows), &s->rows[11]);
	assert_null(doc_rows_next(&rows));
	s->title = NULL;
	assert_false(doc_section_shown(s));
}

static void expect_subject(const char *subject, const char *want)
{
	struct sbuf b = SBUF_INIT;

	d->title = "a title";
	d->subject = subject;
	doc_subject(d, &b);
	assert_string_equal(b.s, want);
	assert_true(utf8_valid(b.s, b.len));
	sbuf_done(&b);
}

static void a_subject_is_one_short_line(void **state)
{
	char want[DOC_SUBJECT_MAX + 1] = {0}, three[301] = {0};

	expect_subject("12.30 HKD, \xe6\xa9\x9f", "12.30 HKD, \xe6\xa9\x9f");
	expect_subject(NULL, "a title");
	expect_subject("", "tpucost");
	expect_subject("a\r\nBcc: x\xe2\x80\xa8y\xe2\x80\xae\xff",
		"a\\x0d\\x0aBcc: x<U+2028>y<U+202E>\\xff");
	memset(three, 'x', 200);
	expect_subject(three, three);
	three[200] = 'y'; /* one byte too many: 197 and three dots */
	memset(want, 'x', 197);
	memcpy(want + 197, "...", 3);
	expect_subject(three, want);
	for (int i = 0; i < 100; i++) /* 65 of three bytes are 195 */
		memcpy(three + 3 * i, "\xe6\xa9\x9f", 3);
	memset(want, 0, sizeof(want));
	memcpy(want, three, 195);
	memcpy(want + 195, "...", 3);
	expect_subject(three, want);
}

static void quiet_hours_are_of_the_zone(void **state)
{
	struct channel c = {.quiet_from = 22 * 60, .quiet_until = 8 * 60 + 1};

	assert_true(channel_quiet(&c, tz, NOW)); /* 08:00 */
	assert_false(channel_quiet(&c, tz, NOW + 60));
	assert_false(channel_quiet(&c, tz, NOW + 14 * 3600 - 1));
	assert_true(channel_quiet(&c, tz, NOW + 14 * 3600));
	c = (struct channel){.quiet_from = 8 * 60, .quiet_until = 9 * 60};
	assert_true(channel_quiet(&c, tz, NOW));
	assert_false(channel_quiet(&c, tz, NOW - 1));
	assert_false(channel_quiet(&c, tz, NOW + 3600));
	c = (struct channel){.quiet_from = -1, .quiet_until = -1};
	assert_false(channel_quiet(&c, tz, NOW));
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			cells_read_as_people_write, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_not_known_says_so, setup, teardown),
		cmocka_unit_test_setup_teardown(
			sections_show_rows_or_words, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_subject_is_one_short_line, setup, teardown),
		cmocka_unit_test_setup_teardown(
			quiet_hours_are_of_the_zone, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
