#include "base/str.h"

#include "tests/support/assert.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- integers ---------------------------------------------------------------------------- */

static void an_integer_in_range_is_read(void **state)
{
	static const struct {
		const char *text;
		int64_t min, max, want;
	} good[] = {
		{"0", 0, 0, 0},
		{"7", 0, 9, 7},
		{"-7", -9, 0, -7},
		{"10", 10, 10, 10},
		{"9223372036854775807", INT64_MIN, INT64_MAX, INT64_MAX},
		{"-9223372036854775808", INT64_MIN, INT64_MAX, INT64_MIN},
	};

	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		int64_t got = 99;

		if (!str_to_i64(good[i].text, good[i].min, good[i].max, &got))
			fail_msg("\"%s\" is refused", good[i].text);
		assert_i64_eq(got, good[i].want);
	}
}

static void what_is_no_plain_integer_is_refused(void **state)
{
	static const char *const bad[] = {"", "-", "+1", " 1", "1 ", "01", "00", "-0",
		"-01", "1.0", "1e3", "0x10", "1_000", "1,000", "--1", "9223372036854775808",
		"-9223372036854775809", "99999999999999999999999", "1\n", "\xd9\xa1"};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		int64_t got = 99;

		if (str_to_i64(bad[i], INT64_MIN, INT64_MAX, &got))
			fail_msg("\"%s\" is taken", bad[i]);
		assert_i64_eq(got, 99);
	}
}

static void an_integer_out_of_range_leaves_the_output_alone(void **state)
{
	int64_t got = 99;

	assert_false(str_to_i64("11", 0, 10, &got));
	assert_false(str_to_i64("-1", 0, 10, &got));
	assert_i64_eq(got, 99);
}

static void any_integer_survives_printing_and_reading(void **state)
{
	uint64_t x = 88172645463325252u;
	char text[32];

	for (int i = 0; i < 20000; i++) {
		int64_t want, got = 0;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		want = (int64_t)(x >> (i % 63)) * (i & 1 ? 1 : -1);
		snprintf(text, sizeof(text), "%lld", (long long)want);
		assert_true(str_to_i64(text, INT64_MIN, INT64_MAX, &got));
		assert_i64_eq(got, want);
	}
}

/* ---- comparing --------------------------------------------------------------------------- */

static void prefixes_and_suffixes_are_found(void **state)
{
	assert_true(str_starts("projects/p", "projects/"));
	assert_true(str_starts("abc", ""));
	assert_true(str_starts("", ""));
	assert_false(str_starts("pro", "projects/"));
	assert_false(str_starts("xprojects/", "projects/"));
	assert_true(str_ends("a.json.gz", ".gz"));
	assert_true(str_ends("abc", ""));
	assert_true(str_ends(".gz", ".gz"));
	assert_false(str_ends("gz", ".gz"));
	assert_false(str_ends("a.gzz", ".gz"));
}

static void null_equals_only_null(void **state)
{
	assert_true(str_eq(NULL, NULL));
	assert_false(str_eq(NULL, ""));
	assert_false(str_eq("", NULL));
	assert_true(str_eq("a", "a"));
	assert_false(str_eq("a", "A"));
	assert_true(str_ieq(NULL, NULL));
	assert_false(str_ieq(NULL, ""));
	assert_false(str_ieq("", NULL));
	assert_true(str_ieq("Content-TYPE", "content-type"));
	assert_true(str_ieq("AZaz", "azAZ"));
	assert_false(str_ieq("abc", "abcd"));
	assert_false(str_ieq("abcd", "abc"));
	assert_false(str_ieq("@", "`")); /* 32 apart, but no letters */
	assert_false(str_ieq("[", "{"));
	assert_false(str_ieq("\xc3\x84", "\xc3\xa4")); /* ASCII letters only */
}

static void the_last_part_of_a_url_is_its_name(void **state)
{
	assert_string_equal(
		str_after_last("projects/p/zones/us-east1-d", '/'), "us-east1-d");
	assert_string_equal(str_after_last("plain", '/'), "plain");
	assert_string_equal(str_after_last("end/", '/'), "");
	assert_string_equal(str_after_last("", '/'), "");
}

/* ---- did you mean ------------------------------------------------------------------------ */

static void a_slip_of_the_finger_finds_the_word(void **state)
{
	static const char *const words[] = {"coverage", "cost", "budget", "burn", "ps",
		"sql", "Asia/Hong_Kong", "Europe/Berlin"};
	static const struct {
		const char *typed, *want;
	} rows[] = {
		{"coverge", "coverage"},
		{"covreage", "coverage"}, /* neighbours swapped */
		{"coverrage", "coverage"},
		{"convrages", "coverage"},
		{"cots", "cost"},
		{"budjet", "budget"},
		{"BUDGET", "budget"},
		{"asia/hong_kong", "Asia/Hong_Kong"},
		{"ASIA/HONG_KNOG", "Asia/Hong_Kong"},
		{"Europe/Berlim", "Europe/Berlin"},
		{"sq", "sql"},
		{"qsl", "sql"}, /* in a short word, only one edit is near: a swap is one */
		{"psq", "ps"},
		{"p", NULL},
		{"x", NULL},
		{"", NULL},
		{"zz", NULL},
		{"inventory", NULL},
		{"Antarctica/Troll", NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *got = str_nearest(rows[i].typed, words, ARRAY_LEN(words));

		if (!str_eq(got, rows[i].want))
			fail_msg("\"%s\" gives %s", rows[i].typed, got ? got : "(none)");
	}
	assert_null(str_nearest("cost", words, 0));
}

static void an_exact_word_beats_one_nearby(void **state)
{
	static const char *const words[] = {"costs", "cost", "cast"};

	assert_string_equal(str_nearest("cost", words, 3), "cost");
	assert_string_equal(str_nearest("costsx", words, 3), "costs");
	/* among equals, the first */
	assert_string_equal(str_nearest("cust", words + 1, 2), "cost");
}

static void words_of_any_length_are_compared(void **state)
{
	char a[200], b[65], c[65];
	const char *words[] = {a, b, c};

	memset(a, 'a', 199);
	a[199] = '\0';
	memset(b, 'b', 64);
	b[64] = '\0';
	memcpy(c, b, 65);
	c[30] = 'x';
	assert_null(str_nearest(a, words, 3)); /* too long to be worth it */
	assert_ptr_equal(str_nearest(b, words, 3), b);
	c[31] = 'y';
	assert_ptr_equal(str_nearest(c, words + 2, 1), c);
}

/* ---- UTF-8 ------------------------------------------------------------------------------- */

static void code_points_decode_to_their_value_and_length(void **state)
{
	static const struct {
		const char *s;
		uint32_t c;
		size_t len;
	} rows[] = {
		{"", 0, 1},
		{"a", 'a', 1},
		{"\x7f", 0x7f, 1},
		{"\xc2\x80", 0x80, 2},
		{"\xdf\xbf", 0x7ff, 2},
		{"\xe0\xa0\x80", 0x800, 3},
		{"\xe2\x82\xac", 0x20ac, 3},
		{"\xed\x9f\xbf", 0xd7ff, 3},
		{"\xee\x80\x80", 0xe000, 3},
		{"\xef\xbf\xbd", 0xfffd, 3}, /* the real one has three bytes */
		{"\xf0\x90\x80\x80", 0x10000, 4},
		{"\xf4\x8f\xbf\xbf", 0x10ffff, 4},
		/* invalid: one byte each */
		{"\x80", 0xfffd, 1},
		{"\xbf\x80", 0xfffd, 1},
		{"\xc0\x80", 0xfffd, 1},     /* overlong NUL */
		{"\xc1\xbf", 0xfffd, 1},     /* overlong */
		{"\xc3", 0xfffd, 1},         /* cut */
		{"\xc3(", 0xfffd, 1},        /* broken */
		{"\xe0\x80\x80", 0xfffd, 1}, /* overlong */
		{"\xe0\x9f\xbf", 0xfffd, 1}, /* overlong */
		{"\xe2\x82", 0xfffd, 1},
		{"\xed\xa0\x80", 0xfffd, 1}, /* surrogate */
		{"\xed\xbf\xbf", 0xfffd, 1}, /* surrogate */
		{"\xf0\x80\x80\x80", 0xfffd, 1},
		{"\xf0\x8f\xbf\xbf", 0xfffd, 1},
		{"\xf0\x9f\x98", 0xfffd, 1},
		{"\xf4\x90\x80\x80", 0xfffd, 1}, /* beyond Unicode */
		{"\xf5\x80\x80\x80", 0xfffd, 1},
		{"\x94\x80\x80\x80", 0xfffd, 1}, /* the right tail behind no lead byte */
		{"\xfc\x80\x80\x80", 0xfffd, 1},
		{"\xfe", 0xfffd, 1},
		{"\xff", 0xfffd, 1},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t len = 0;
		uint32_t c = utf8_next(rows[i].s, &len);

		if (c != rows[i].c || len != rows[i].len)
			fail_msg("row %zu: U+%04X in %zu bytes", i, c, len);
	}
}

static size_t encode(uint32_t c, char out[5])
{
	unsigned char *p = (unsigned char *)out;
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = n; i-- > 1;) {
		p[i] = (unsigned char)(0x80 | (c & 0x3f));
		c >>= 6;
	}
	p[0] = (unsigned char)(lead[n] | c);
	p[n] = '\0';
	return n;
}

static void every_code_point_survives_encoding_and_decoding(void **state)
{
	char s[5];

	for (uint32_t c = 1; c <= 0x10ffff; c++) {
		bool surrogate = c >= 0xd800 && c <= 0xdfff;
		size_t n = encode(c, s), len;
		uint32_t got = utf8_next(s, &len);

		if (got != (surrogate ? 0xfffd : c) || len != (surrogate ? 1 : n) ||
			utf8_valid(s, n) == surrogate)
			fail_msg("U+%04X gives U+%04X in %zu bytes", c, got, len);
	}
}

static void validity_is_judged_within_the_length(void **state)
{
	assert_true(utf8_valid("", 0));
	assert_true(utf8_valid("a\0b", 3)); /* NUL is a character */
	assert_true(utf8_valid("\xef\xbf\xbd", 3));
	assert_true(utf8_valid("\xe2\x82\xac!", 4));
	assert_false(utf8_valid("\xe2\x82\xac", 2)); /* what follows is not ours */
	assert_false(utf8_valid("\xe2\x82\xac", 1));
	assert_false(utf8_valid("ab\xff", 3));
	assert_true(utf8_valid("ab\xff", 2));
	assert_false(utf8_valid("\xc3\0\xa4", 3));
}

/* The memory behind the text must not be read (AddressSanitizer watches). */
static void nothing_behind_the_length_is_read(void **state)
{
	for (size_t n = 1; n <= 4; n++) {
		char *p = malloc(n);

		assert_non_null(p);
		memcpy(p, "\xf0\x9f\x98\x80", n);
		assert_int_equal(utf8_valid(p, n), n == 4);
		free(p);
	}
}

static void width_is_counted_in_terminal_columns(void **state)
{
	static const struct {
		const char *s;
		size_t width;
	} rows[] = {
		{"", 0}, {"abc", 3}, {"\xc3\xa4", 1}, /* ä */
		{"a\xcc\x88", 1},                     /* a and a combining diaeresis */
		{"\xe9\xa6\x99\xe6\xb8\xaf", 4},      /* Hong Kong in Chinese */
		{"\xed\x95\x9c", 2},                  /* Hangul syllable */
		{"\xe1\x84\x80\xe1\x85\xa1", 2},      /* the same kind from its parts */
		{"\xef\xbc\xa1", 2},                  /* fullwidth A */
		{"\xef\xbd\xb1", 1},                  /* halfwidth katakana */
		{"\xe3\x80\x80", 2},                  /* ideographic space */
		{"\xe3\x80\xbf", 1},
		{"\xe3\x81\x8b\xe3\x82\x99", 2}, /* ka with a combining voiced mark */
		{"\xf0\x9f\x98\x80", 2},         /* emoji */
		{"\xe2\x9c\x85", 2},             /* check mark button */
		{"\xe2\x9c\x93", 1},             /* check mark */
		{"\xf0\xa0\x80\x80", 2},         /* CJK extension B */
		{"\xe2\x80\x8b", 0},             /* zero-width space */
		{"\xef\xbb\xbf", 0}, {"\xe2\x82\xac", 1},
		{"\xe2\x94\x80", 1},                          /* box drawing */
		{"\xff", 1}, {"\xe0\xb8\x81\xe0\xb8\xb5", 1}, /* Thai with a vowel above */
		/* what terminals make of sequences: each of its characters */
		{"\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd", 4}, /* thumb, skin colour */
		{"\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb", 4}, /* joined */
		{"\xe2\x9d\xa4\xef\xb8\x8f", 1},                     /* heart, as emoji */
		{"\xf0\x9f\x87\xba\xf0\x9f\x87\xb8", 2},             /* flag */
		{"1\xef\xb8\x8f\xe2\x83\xa3", 1},                    /* keycap */
		{"\xe0\xae\xa4\xe0\xae\xae\xe0\xae\xbf\xe0\xae\xb4\xe0\xaf\x8d",
			4},               /* Tamil */
		{"e\xcc\x81\xcc\xb1", 1}, /* two marks */
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (utf8_width(rows[i].s) != rows[i].width)
			fail_msg("\"%s\" is %zu columns wide, want %zu", rows[i].s,
				utf8_width(rows[i].s), rows[i].width);
}

static void the_edges_of_the_wide_ranges_are_sharp(void **state)
{
	static const struct {
		uint32_t c;
		size_t width;
	} rows[] = {{0x10ff, 1}, {0x1100, 2}, {0x115f, 2}, {0x1160, 0}, {0x11ff, 0},
		{0x1200, 1}, {0x4dbf, 2}, {0x4dc0, 1}, {0x4dff, 1}, {0x4e00, 2},
		{0xa4c6, 2}, {0xd7a3, 2}, {0xff00, 1}, {0xff60, 2}, {0xff61, 1}, {0x2ff, 1},
		{0x300, 0}, {0x36f, 0}, {0x370, 1}, {0x1ffff, 1}, {0x20000, 2},
		{0x3fffd, 2}, {0x40000, 1}, {0xe01ef, 0}, {0x10ffff, 1},
		/* marks of many scripts, and what stands beside them */
		{0x5be, 1}, {0x6dc, 0}, {0x6dd, 1}, {0x711, 0}, {0x8e1, 0}, {0x8e2, 1},
		{0x9bc, 0}, {0xa41, 0}, {0xbcd, 0}, {0xbbf, 1}, {0xc3e, 0}, {0xf71, 0},
		{0xf7f, 1}, {0x102d, 0}, {0x17b7, 0}, {0xa8e0, 0}, {0xd7cb, 0},
		{0x16fe4, 0}, {0x1d167, 0}, {0x1e944, 0}, {0x1e94b, 1}};
	char s[5];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		encode(rows[i].c, s);
		if (utf8_width(s) != rows[i].width)
			fail_msg("U+%04X is %zu columns wide", rows[i].c, utf8_width(s));
	}
}

static void a_word_is_looked_for_among_others(void **state)
{
	static const char *const words[] = {"one", "two"};

	assert_true(str_in("two", words, 2));
	assert_false(str_in("two", words, 1));
	assert_false(str_in("tw", words, 2));
	assert_false(str_in(NULL, words, 2));
	assert_false(str_in("one", NULL, 0));
	assert_true(str_in_list("two", "one,two"));
	assert_true(str_in_list("two", "two, three"));
	assert_true(str_in_list("two", "one, two"));
	assert_false(str_in_list("two", "twofold, a-two"));
	assert_false(str_in_list("two", ""));
}

static void a_product_of_two_or_three_numbers(void **state)
{
	static const struct {
		const char *text;
		int64_t max, want;
	} cases[] = {{"2x2x4", 16, 16}, {"2x2x4", 15, 0}, {"1x1", 9, 1}, {"4X8", 99, 32},
		{"0x2", 9, 0}, {"16", 99, 0}, {"2x2x2x2", 99, 0}, {"2x", 9, 0},
		{"x2", 9, 0}, {"2x2 ", 9, 0}, {"", 9, 0}, {"-2x2", 9, 0}, {"2x-2", 9, 0},
		{"99999999999999999999x1", 1000000, 0}, {"1000x1000", 1000000, 1000000},
		{"1000000x1000000x1000000", 1000000, 0}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(str_product(cases[i].text, cases[i].max), cases[i].want);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_integer_in_range_is_read),
		cmocka_unit_test(a_product_of_two_or_three_numbers),
		cmocka_unit_test(what_is_no_plain_integer_is_refused),
		cmocka_unit_test(an_integer_out_of_range_leaves_the_output_alone),
		cmocka_unit_test(any_integer_survives_printing_and_reading),
		cmocka_unit_test(prefixes_and_suffixes_are_found),
		cmocka_unit_test(null_equals_only_null),
		cmocka_unit_test(a_word_is_looked_for_among_others),
		cmocka_unit_test(the_last_part_of_a_url_is_its_name),
		cmocka_unit_test(a_slip_of_the_finger_finds_the_word),
		cmocka_unit_test(an_exact_word_beats_one_nearby),
		cmocka_unit_test(words_of_any_length_are_compared),
		cmocka_unit_test(code_points_decode_to_their_value_and_length),
		cmocka_unit_test(every_code_point_survives_encoding_and_decoding),
		cmocka_unit_test(validity_is_judged_within_the_length),
		cmocka_unit_test(nothing_behind_the_length_is_read),
		cmocka_unit_test(width_is_counted_in_terminal_columns),
		cmocka_unit_test(the_edges_of_the_wide_ranges_are_sharp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
