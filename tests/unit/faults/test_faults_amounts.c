/* Amounts, numbers and texts of a bill that are wrong or at the edge of what can be kept: in the
 * answers to queries, and in files. The oracle is the database, to the nano-unit. */
#include "base/time/tz.h"
#include "collector/import/import.h"
#include "tests/support/assert.h"
#include "tests/support/world/bill_world.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOW WORLD_NOW /* 2026-11-21T05:00:00Z */
#define ZEROS "00000000000000000000000000000000000000000000000000"
#define NINES "99999999999999999999999999999999999999999999999999"

static const struct bill_line four[] = {{.cost = "4"}};
static const struct bill_line five[] = {{.cost = "5"}};
static const struct bill_export before = BILL_EXPORT("100", four, .n_units = 0);
static const struct bill_export after = BILL_EXPORT("300", five, .n_units = 0);

static void expect(const char *sql, const char *want)
{
	bill_expect(sql, want);
}

/* ---- B7: what is no amount ----------------------------------------------------------------------- */

static const struct amount {
	const char *text, *why;
} bad_amounts[] = {
	{"1e999", "is too large"},
	{"-1e999", "is too large"},
	{"NaN", "is not a decimal number"},
	{"Infinity", "is not a decimal number"},
	{"-inf", "is not a decimal number"},
	{"", "is not a decimal number"},
	{" 1", "is not a decimal number"},
	{"1 ", "is not a decimal number"},
	{"1,5", "is not a decimal number"},
	{"1.2.3", "is not a decimal number"},
	{"0x10", "is not a decimal number"},
	{"1_000", "is not a decimal number"},
	{"--1", "is not a decimal number"},
	{"1e", "is not a decimal number"},
	{".", "is not a decimal number"},
	{"$5", "is not a decimal number"},
	{"\xd9\xa1", "is not a decimal number"}, /* a digit, in Arabic */
	{NINES NINES NINES NINES, "is too large"},
	{"1" ZEROS ZEROS ZEROS ZEROS ZEROS ZEROS ZEROS ZEROS, "is not a decimal number"},
	{"9223372036.854775808", "is too large"},
	{"-9223372036.854775809", "is too large"},
};

/* One bad sum of the first query, one cost and one credit of the second. */
static void an_amount_that_is_none_changes_nothing(void **state)
{
	bill_good(&before, NOW);
	for (size_t i = 0; i < ARRAY_LEN(bad_amounts); i++) {
		const struct amount *a = &bad_amounts[i];
		const struct bill_unit unit = {BILL_DAY, "USD", "1", a->text, "0"},
				       other = {BILL_DAY, "USD", "1", "5", a->text};
		const struct bill_line cost = {.cost = a->text},
				       credit = {.credit_type = "X", .credits = a->text};
		struct bill_export x = after;

		bw.row = a->text;
		x.modified = "200";
		x.n_units = 1;
		x.units = &unit;
		bill_refused(&x, NOW + 60, a->why, 1);
		x.units = &other;
		bill_refused(&x, NOW + 60, a->why, 1);
		x.units = &(struct bill_unit){BILL_DAY, "USD", "1", "5", "0"};
		x.n = 1;
		x.lines = &cost;
		bill_refused(&x, NOW + 60, a->why, 2);
		x.lines = &credit;
		bill_refused(&x, NOW + 60, a->why, 2);
	}
	bill_good(&after, NOW + 120);
	expect("SELECT SUM(cost_n) FROM costs_exact", "5000000000");
}

/* ---- B8: numbers that are counts, and members that are no text --------------------------------------- */

static void a_count_that_is_none_changes_nothing(void **state)
{
	static const struct amount bad[] = {
		{"1.5", "not an integer"},
		{"", "not an integer"},
		{"1e3", "not an integer"},
		{"9223372036854775808", "not an integer"},
		{"-1", "a negative number of rows"},
		{"9007199254740993", "is inconsistent (1 of 9007199254740993 rows)"},
		{"9223372036854775807", "is inconsistent (1 of 9223372036854775807 rows)"},
	};

	bill_good(&before, NOW);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		const struct bill_unit unit = {BILL_DAY, "USD", bad[i].text, "5", "0"};
		struct bill_export x = after;

		bw.row = bad[i].text;
		x.modified = "200";
		x.n_units = 1;
		x.units = &unit;
		bill_refused(&x, NOW + 60, bad[i].why,
			strstr(bad[i].why, "inconsistent") ? 2 : 1);
	}
	bill_good(&after, NOW + 120);
}

/* Counts of two currencies of one unit are added. */
static void counts_that_overflow_are_an_error(void **state)
{
	static const struct bill_unit units[] = {
		{BILL_DAY, "HKD", "9223372036854775807", "5", "0"},
		{BILL_DAY, "USD", "1", "5", "0"}};
	static const struct bill_export x = BILL_EXPORT(
		"200", five, .units = units, .n_units = 2);

	bill_good(&before, NOW);
	bill_refused(&x, NOW + 60, "too many rows", 1);
}

/* ---- B1, B2, B3, B5, B6, B11: answers with something wrong in them ------------------------------------- */

static const char *replaced(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);

	if (!at)
		fail_msg("%s: no %s in %s", bw.row, from, text);
	return arena_printf(
		&bw.texts, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

static void an_answer_that_reads_wrong_changes_nothing(void **state)
{
	static const struct {
		const char *name, *from, *to, *why;
	} rows[] = {
		{"B1", "SKU-1", "SKU-\xff", "invalid UTF-8"},
		{"B2", "SKU-1", "SKU-1\\u0000", "\\u0000 is not allowed"},
		{"B3 in a row", "{\"v\":\"SKU-1\"}", "{\"v\":\"a\",\"v\":\"b\"}",
			"row 1: JSON: duplicate key"},
		{"B3 outside", "\"rows\":[", "\"rows\":[],\"rows\":[", "key 'rows' twice"},
		{"B6 behind it", "]}]}", "]}]}{}", "more text after the document"},
		{"B6 before it", "{\"jobComplete", "\xef\xbb\xbf{\"jobComplete",
			"a byte order mark"},
		{"B6 cut", "]}]}", "]}", "array 'rows' does not end"},
		{"B8 a number for a text", "{\"v\":\"5\"}", "{\"v\":5}",
			"the value is not a string"},
		{"B11 a row that is null", "\"rows\":[", "\"rows\":[null,",
			"row 1: expected an object"},
		{"B11 rows as an object", "\"rows\":[", "\"rows\":{\"x\":[",
			"the text ends too early"},
		{"B11 a value too few", "{\"v\":\"SKU-1\"},", "",
			"30 values for 31 columns"},
		{"B11 a value that is text", "{\"v\":\"SKU-1\"}", "\"SKU-1\"",
			"row 1: JSON: expected an object"},
		{"B11 a value that is a record", "\"SKU-1\"", "{\"f\":[]}",
			"the value is not a string"},
		{"B11 no schema", "\"schema\"", "\"scheme\"", "BigQuery query"},
		{"B11 no total", "\"totalRows\"", "\"TotalRows\"", "totalRows"},
		{"B11 another total", "\"totalRows\":\"1\"", "\"totalRows\":\"2\"",
			"1 rows of 2"},
		{"B11 a row of another day", "\"" BILL_DAY "\"", "\"2026-11-17\"",
			"is inconsistent (0 of 1 rows)"},
		{"B13 no day", "\"" BILL_DAY "\"", "\"2026-02-29\"", "is not a date"},
		{"B13 no hour", "000000\"", ".5\"", "is not a number of microseconds"},
	};

	bill_good(&before, NOW);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct bill_export x = after;

		bw.row = rows[i].name;
		x.modified = "200";
		x.refused = 2;
		x.refusal = replaced(bill_lines(&x), rows[i].from, rows[i].to);
		bill_refused(&x, NOW + 60, rows[i].why, 2);
	}
	bill_good(&after, NOW + 120);
	expect("SELECT SUM(cost_n) FROM costs_exact", "5000000000");
}

/* Rows are cut out of the text before they are parsed: neither step may recurse. */
static void a_value_that_is_deep_is_refused(void **state)
{
	enum { DEEP = 1000000 };
	struct bill_export x = after;
	char *brackets = xmalloc(DEEP + 1);

	memset(brackets, '[', DEEP);
	brackets[DEEP] = '\0';
	bill_good(&before, NOW);
	x.modified = "200";
	x.refused = 2;
	x.refusal = replaced(bill_lines(&x), "\"SKU-1\"", brackets);
	bill_refused(&x, NOW + 60, "JSON: ", 2);
	free(brackets);
	bill_good(&after, NOW + 120);
}

/* ---- B9: more digits than are kept ------------------------------------------------------------------------ */

static const struct {
	const char *text;
	const char *cost, *rest; /* nanos; what is left, 1e-18 */
} long_amounts[] = {
	{"0.000000000500000000000000000000", "0", "500000000"},
	{"0.000000000500000000000000000001", "1", "-500000000"},
	{"0.000000001500000000000000000000", "2", "-500000000"},
	{"-0.000000001500000000000000000000", "-2", "500000000"},
	{"0.000000002500000000000000000000", "2", "500000000"},
	{"0.123456789123456789123456789123", "123456789", "123456789"},
	{"-0.999999999999999999999999999999", "-1000000000", "1"},
	{"9223372036.854775807000000000000000000000", "9223372036854775807", "0"},
	{"-9223372036.854775807499999999999999999999", "-9223372036854775807",
		"-499999999"},
	{"4.4E-5", "44000", "0"},
	{"1" ZEROS "e-50", "1000000000", "0"},
};

static void a_query_rounds_half_to_even(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(long_amounts); i++) {
		const struct bill_line line = {.cost = long_amounts[i].text};
		struct bill_export x = {.modified = "1", .lines = &line, .n = 1};

		bw.row = long_amounts[i].text;
		x.modified = (const char *[]){"1", "2", "3"}[i % 3];
		bill_good(&x, NOW + (ts_t)i * 60);
		expect("SELECT cost_n FROM costs_exact", long_amounts[i].cost);
		expect("SELECT cost FROM billing_unit_sum", long_amounts[i].cost);
	}
}

/* ---- B10: sums that do not fit ------------------------------------------------------------------------------ */

/* Units that are told to be small: the sums of the lines are what overflows. */
static void sums_of_a_unit_that_overflow_are_an_error(void **state)
{
	static const struct bill_line alike[] = {
		{.cost = "9000000000"}, {.cost = "9000000000"}, {.cost = "9000000000"}};
	static const struct bill_line apart[] = {{.cost = "9000000000", .sku = "A"},
		{.cost = "9000000000", .sku = "B"}, {.cost = "9000000000", .sku = "C"}};
	static const struct bill_line credits[] = {
		{.credit_type = "X", .credits = "-9000000000"},
		{.credit_type = "Y", .credits = "-9000000000"}, {.cost = "0", .rows = 3}};
	/* 27e9 - 2^64 nano-units: what a sum that wraps would come to */
	static const struct bill_unit unit = {
		BILL_DAY, "USD", "3", "8553255926.290448384", "0"};
	static const struct {
		const char *name;
		struct bill_export x;
	} rows[] = {
		{"equal lines", BILL_EXPORT("200", alike, .units = &unit, .n_units = 1)},
		{"other lines", BILL_EXPORT("200", apart, .units = &unit, .n_units = 1)},
		{"credits", BILL_EXPORT("200", credits, .units = &unit, .n_units = 1)},
	};

	bill_good(&before, NOW);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		bw.row = rows[i].name;
		bill_refused(&rows[i].x, NOW + 60, "", 2);
	}
	bill_good(&after, NOW + 120);
	expect("SELECT SUM(cost_n) FROM costs_exact", "5000000000");
}

/* Two partitions that fit, with usage of one day that does not. */
static void a_day_that_overflows_keeps_what_was_stored(void **state)
{
	static const struct bill_line first[] = {
		{.day = "2026-11-18", .hour = 1795014000, .cost = "9000000000"}};
	static const struct bill_line both[] = {{.day = "2026-11-18",
							.hour = 1795014000,
							.cost = "9000000000",
							.stored = true},
		{.day = "2026-11-19", .hour = 1795014000, .cost = "9000000000"}};
	static const struct bill_export x = BILL_EXPORT("100", first, .n_units = 0),
					y = BILL_EXPORT("200", both, .n_units = 0);

	bill_good(&x, NOW);
	bill_refused(&y, NOW + 60, "the costs of 2026-11-18 are too large", 2);
	expect("SELECT SUM(cost) FROM usage", "9000000000000000000");
	expect("SELECT COUNT(*) FROM billing_unit", "1");
}

/* Days that fit each by itself: a sum over them is refused, and is not a wrong one. */
static void a_period_that_overflows_is_an_error(void **state)
{
	static const struct bill_line lines[] = {
		{.day = "2026-11-17", .cost = "9000000000"},
		{.day = "2026-11-18", .cost = "9000000000"}};
	static const struct bill_export x = BILL_EXPORT("100", lines, .n_units = 0);
	struct db_cursor c;
	struct err e = {0};
	bool found;

	bill_good(&x, NOW);
	expect("SELECT group_concat(cost_n) FROM costs_exact",
		"9000000000000000000,9000000000000000000");
	assert_ok(db_cursor_open(
			  bw.t.db, "SELECT SUM(cost_n) FROM costs_exact", 1000, &c, &e),
		e);
	assert_int_not_equal(db_cursor_step(&c, &found, &e), E_OK);
	assert_contains(e.msg, "9.2 billion for amounts");
	db_cursor_close(&c);
}

/* ---- files ----------------------------------------------------------------------------------------------------- */

static struct err e;

static enum err_code import_text(const char *name, const char *text)
{
	struct import_opts o = {.db = bw.t.db, .tz = bw.t.tz, .now = NOW};
	struct import_result r;
	enum err_code rc;
	char path[160];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", bw.t.dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fputs(text, f) < 0, 0);
	fclose(f);
	rc = import_file(&o, path, &r, &e);
	unlink(path);
	return rc;
}

#define JSON_ROW(cost)                                                                 \
	"{\"billing_account_id\":\"A\",\"service_id\":\"S\",\"sku_id\":\"K\",\"usage_" \
	"start_time\":\"2026-11-%02d 10:00:00 "                                        \
	"UTC\",\"currency\":\"USD\",\"project\":{\"id\":\"p\",\"number\":\"%s\"},"     \
	"\"cost\":" cost "}\n"
#define CSV_HEAD                                                                   \
	"billing_account_id,service.description,sku.description,usage_start_time," \
	"project.id,currency,cost,invoice.month,credits\n"
#define CSV_ROW "A,S,K,2026-11-19 10:00:00 UTC,p,USD,\"%s\",202611,[]\n"

/* A good file was there before; what is wrong is in line 2 of the next, which is stored once it
 * is mended. */
static void refused_file(const char *name, const char *text, const char *why)
{
	char place[64];

	snprintf(place, sizeof(place), "%s:2", name);
	if (!import_text(name, text))
		fail_msg("%s: %s was taken", name, bw.row);
	assert_contains(e.msg, place);
	if (!strstr(e.msg, why))
		fail_msg("%s: %s: \"%s\" does not say \"%s\"", name, bw.row, e.msg, why);
	expect("SELECT SUM(cost_n) || ' ' || COUNT(*) FROM costs_exact", "4000000000 1");
	expect("SELECT (SELECT COUNT(*) FROM billing_table) || (SELECT COUNT(*) FROM "
	       "import_file) || (SELECT COUNT(*) FROM stage_usage)",
		"110");
}

static void a_file_with_an_amount_that_is_none_is_not_stored(void **state)
{
	char text[2048];

	snprintf(text, sizeof(text), JSON_ROW("4"), 18, "1");
	assert_ok(import_text("good.json", text), e);
	for (size_t i = 0; i < ARRAY_LEN(bad_amounts); i++) {
		const char *bad = bad_amounts[i].text;

		bw.row = bad;
		snprintf(text, sizeof(text), JSON_ROW("1") JSON_ROW("\"%s\""), 19, "1", 19,
			"1", bad);
		refused_file("bad.json", text, "cost");
		snprintf(text, sizeof(text), CSV_HEAD CSV_ROW, bad);
		refused_file("bad.csv", text, "cost");
	}
	snprintf(text, sizeof(text), CSV_HEAD CSV_ROW, "1");
	assert_ok(import_text("bad.csv", text), e);
	expect("SELECT SUM(cost_n) FROM costs_exact", "5000000000");
}

static void numbers_that_json_has_not_are_refused(void **state)
{
	static const char *const bad[] = {"1e999", "NaN", "Infinity", "-Infinity", "+1",
		"01", "1.", ".5", "0x10", "1e", "true", "null", "[1]", "{}", ZEROS ZEROS};
	char text[2048];

	snprintf(text, sizeof(text), JSON_ROW("4"), 18, "1");
	assert_ok(import_text("good.json", text), e);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		bw.row = bad[i];
		snprintf(text, sizeof(text), JSON_ROW("1") JSON_ROW("%s"), 19, "1", 19, "1",
			bad[i]);
		refused_file("bad.json", text, "");
	}
}

static void a_file_rounds_half_to_even_and_keeps_what_is_left(void **state)
{
	char text[2048];

	for (size_t i = 0; i < ARRAY_LEN(long_amounts); i++) {
		bw.row = long_amounts[i].text;
		snprintf(text, sizeof(text), JSON_ROW("\"%s\""), (int)i + 1, "1", bw.row);
		assert_ok(import_text("a.json", text), e);
		expect("SELECT cost FROM billing_unit_sum ORDER BY unit DESC LIMIT 1",
			long_amounts[i].cost);
		expect("SELECT rounding FROM billing_unit_sum ORDER BY unit DESC LIMIT 1",
			long_amounts[i].rest);
	}
}

/* B8: as a number of JSON, which is not read through a double. */
static void a_file_keeps_numbers_to_the_digit(void **state)
{
	assert_ok(import_text("a.json",
			  "{\"billing_account_id\":\"A\",\"service_id\":\"S\",\"sku_id\":"
			  "\"K\",\"usage_start_time\":\"2026-11-18 "
			  "10:00:00 UTC\",\"currency\":\"USD\",\"project\":{\"id\":\"p\","
			  "\"number\":9007199254740993},\"cost\":9007199254.740993123}\n"),
		e);
	expect("SELECT number FROM billed_project", "9007199254740993");
	expect("SELECT cost_n FROM costs_exact", "9007199254740993123");
}

/* B10: each fits, their sum does not; and where it fits in the end, it is what it is. */
static void a_file_whose_sum_overflows_is_not_stored(void **state)
{
	char text[2048];

	snprintf(text, sizeof(text), JSON_ROW("9000000000") JSON_ROW("9000000000"), 18, "1",
		19, "1");
	assert_err(import_text("a.json", text), e, E_OVERFLOW, "the sums of USD are too");
	expect("SELECT COUNT(*) FROM usage", "0");
	snprintf(text, sizeof(text),
		JSON_ROW("9000000000") JSON_ROW("9000000000") JSON_ROW("-9000000000"), 17,
		"1", 18, "1", 19, "1");
	assert_ok(import_text("b.json", text), e);
	expect("SELECT group_concat(cost_n) FROM (SELECT * FROM costs_exact ORDER BY day)",
		"9000000000000000000,9000000000000000000,-9000000000000000000");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bill_setup, tempdb_teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		TEST(an_amount_that_is_none_changes_nothing),
		TEST(a_count_that_is_none_changes_nothing),
		TEST(counts_that_overflow_are_an_error),
		TEST(an_answer_that_reads_wrong_changes_nothing),
		TEST(a_value_that_is_deep_is_refused),
		TEST(a_query_rounds_half_to_even),
		TEST(sums_of_a_unit_that_overflow_are_an_error),
		TEST(a_day_that_overflows_keeps_what_was_stored),
		TEST(a_period_that_overflows_is_an_error),
		TEST(a_file_with_an_amount_that_is_none_is_not_stored),
		TEST(numbers_that_json_has_not_are_refused),
		TEST(a_file_rounds_half_to_even_and_keeps_what_is_left),
		TEST(a_file_keeps_numbers_to_the_digit),
		TEST(a_file_whose_sum_overflows_is_not_stored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
