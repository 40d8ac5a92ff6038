/* Documents as text: aligned, 78 columns, everything visible. Widths are counted by the C
 * library's wcwidth, which knows nothing of ours. */
#include "reports/doc/formats.h"
#include "tests/support/assert.h"
#include "tests/support/sample_doc.h"
#include "tests/support/unit.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static struct sbuf b;

static int setup(void **state)
{
	b = SBUF_INIT;
	return sample_setup(state);
}

static int teardown(void **state)
{
	sbuf_done(&b);
	return sample_teardown(state);
}

static void say(const struct doc *d, struct format_opts o)
{
	sbuf_reset(&b);
	doc_format_find("text")->render(d, &o, &b);
}

/* clang-format off */
static const char sample_text[] =
	"tpucost daily report, 2026-11-20\n"
	"\n"
	"Yesterday cost 1130.57 HKD so far, fifteen times the day before. One TPU is\n"
	"not free, and one machine has nothing to do.\n"
	"\n"
	"What needs action\n"
	"  Each command can be pasted into a shell.\n"
	"  Name      Type           Zone                    Burn  Since\n"
	"! eval-2    v5litepod-8    europe-west4-b  74.88 HKD/h~  2026-11-21 06:00\n"
	"    Not free: the grant in europe-west4-b is for spot only, and this one is\n"
	"    on-demand.\n"
	"      gcloud compute tpus tpu-vm delete eval-2 --zone=europe-west4-b --project=rwkv-lab --quiet\n"
	"! prep-big  n1-highmem-96  us-central2-b   43.20 HKD/h~  2026-11-20 01:00\n"
	"    Its processors were idle for 31 hours.\n"
	"      gcloud compute instances stop prep-big --zone=us-central2-b --project=rwkv-lab\n"
	"\n"
	"Last days, billed\n"
	"  Day                  Net  Before credits  Status\n"
	"  2026-11-14    23.12 HKD       28.12 HKD   settled\n"
	"  2026-11-15    24.12 HKD       29.12 HKD   settled\n"
	"  2026-11-16    25.12 HKD       30.12 HKD   settled\n"
	"  2026-11-17    26.12 HKD       31.12 HKD   settled\n"
	"  2026-11-18    27.12 HKD       32.12 HKD   settled\n"
	"  2026-11-19    28.12 HKD       33.12 HKD   settled\n"
	"! 2026-11-20  1130.57 HKD*    1135.57 HKD*  partial\n"
	"  2026-10-22 ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁█ 2026-11-20\n"
	"    Net cost a day: lowest 0.12 HKD, highest 1130.57 HKD*; budget a day 133.00\n"
	"    HKD, 1 of 30 above it\n"
	"\n"
	"Burn now\n"
	"  Category  Resources              Net            Gross\n"
	"  cpu               2  118.0800 HKD/h~  119.0800 HKD/h~\n"
	"  disk              7    0.7205 HKD/h~    1.7205 HKD/h~\n"
	"  tpu               1    8.0000 USD/h~    9.0000 USD/h~\n"
	"  gpu               1         unknown          unknown\n"
	"            ---------  ---------------  ---------------\n"
	"  total             9  118.8005 HKD/h~  119.8005 HKD/h~\n"
	"  total             1    8.0000 USD/h~    9.0000 USD/h~\n"
	"  cpu █▁ disk\n"
	"    By category: lowest 0.7205 HKD/h~, highest 118.0800 HKD/h~\n"
	"\n"
	"Yesterday, 7 and 30 days\n"
	"  Category      Yesterday        7 days      30 days\n"
	"  cpu        1090.00 HKD*  1200.00 HKD*  1400.00 HKD\n"
	"  disk         40.57 HKD*   100.71 HKD*   165.67 HKD\n"
	"  promotion     0.00 HKD*  -0.0015 HKD*   -10.00 HKD\n"
	"             ------------  ------------  -----------\n"
	"  total      1130.57 HKD*  1300.71 HKD*  1555.67 HKD\n"
	"\n"
	"Grants\n"
	"  Grant        Type  Chips used     Use  Chip-hours  Until             Left\n"
	"  trc-2026-11  v3-8          16  80.5 %      7104.2  2026-11-30 11:00  9d 3h\n"
	"  trc-old      -              0       -           -  -                 -\n"
	"\n"
	"Quota\n"
	"  No quota is above 80 %.\n"
	"\n"
	"Prices are list prices; the bill decides. Days are those of Asia/Hong_Kong,\n"
	"not the Pacific days that Google's bill goes by. Time zone: Asia/Hong_Kong.\n"
	"Made: 2026-11-21 08:00. Age of the inventory: 4m. Age of the billing data: 4h.\n"
	"~ is an estimate. * is billed so far and may grow.\n";

static const char two_of_five[] =
	"tpucost daily report, 2026-11-20\n"
	"\n"
	"There are 5 resources.\n"
	"\n"
	"Resources\n"
	"  Name           Type           Zone                  Burn  Since\n"
	"  machine-00000  n1-standard-8  us-central1-b  0.00 HKD/h~  2026-11-21 08:00\n"
	"    Nobody uses it.\n"
	"      gcloud compute instances stop machine-00000\n"
	"  machine-00001  n1-standard-8  us-central1-b  1.00 HKD/h~  2026-11-21 07:59\n"
	"    Nobody uses it.\n"
	"      gcloud compute instances stop machine-00001\n"
	"  and 3 more: tpucost ps\n"
	"                                               -----------\n"
	"  total                                        5.00 HKD/h~\n"
	"\n"
	"The end. ~ is an estimate.\n";
/* clang-format on */

static void the_sample_reads_like_this(void **state)
{
	say(sample_doc(), (struct format_opts){0});
	assert_string_equal(b.s, sample_text);
}

static void more_rows_are_counted_before_the_total(void **state)
{
	say(sample_many(5), (struct format_opts){.max_rows = 2});
	assert_string_equal(b.s, two_of_five);
}

static void no_row_has_words(void **state)
{
	say(sample_many(0), (struct format_opts){0});
	assert_string_equal(b.s,
		"tpucost daily report, 2026-11-20\n"
		"\n"
		"There are 0 resources.\n"
		"\n"
		"Resources\n"
		"  There is no resource.\n"
		"\n"
		"The end.\n");
}

/* ---- widths ------------------------------------------------------------------------------------ */

static size_t line_columns(const char *line, size_t n)
{
	mbstate_t st = {0};
	size_t width = 0, used;
	wchar_t c;

	for (size_t i = 0; i < n; i += used) {
		used = mbrtowc(&c, line + i, n - i, &st);
		if (used == 0 || used > n - i)
			fail_msg("not UTF-8: %.*s", (int)n, line);
		if (wcwidth(c) < 0)
			fail_msg(
				"not printable: U+%04X in %.*s", (unsigned)c, (int)n, line);
		width += (size_t)wcwidth(c);
	}
	return width;
}

/* Every line fits, but those that begin with the six blanks of a command; returns the lines. */
static size_t expect_lines_fit(size_t *commands)
{
	size_t lines = 0;

	*commands = 0;
	for (const char *p = b.s; *p; lines++) {
		size_t n = strcspn(p, "\n"), w = line_columns(p, n);

		if (!strncmp(p, "      stop ", 11) || !strncmp(p, "      gcloud ", 13))
			(*commands)++;
		else if (w > 78)
			fail_msg("%zu columns: %.*s", w, (int)n, p);
		if (n && p[n - 1] == ' ' && strncmp(p, "      stop ", 11) != 0)
			fail_msg("blanks at the end: %.*s", (int)n, p);
		p += n;
		assert_true(*p == '\n');
		p++;
	}
	return lines;
}

static void no_line_is_longer_than_78_columns(void **state)
{
	size_t commands;

	say(sample_doc(), (struct format_opts){0});
	assert_i64_eq(expect_lines_fit(&commands), 61);
	assert_i64_eq(commands, 2);
	say(sample_many(1000), (struct format_opts){0});
	assert_i64_eq(expect_lines_fit(&commands), 3010);
	assert_i64_eq(commands, 1000);
}

static void hostile_texts_are_visible_and_fit(void **state)
{
	size_t commands;

	say(sample_hostile(), (struct format_opts){0});
	expect_lines_fit(&commands); /* fails at control characters, too */
	assert_i64_eq(commands, sample_n_texts);
	assert_contains(b.s, "\n  <script>alert(1)</script>    0.00 HKD/h  <script>");
	assert_contains(b.s, "\n  <!channel>                   3.00 HKD/h  <!channel>\n");
	assert_contains(
		b.s, "\n  abc<U+202E>fed              30.00 HKD/h  abc<U+202E>fed\n");
	assert_contains(b.s, "\n  \\x1b]0;x\\x07                26.00 HKD/h  ");
	assert_contains(b.s, "\n  a\\x0ab                      29.00 HKD/h  a\\x0ab\n");
	assert_contains(b.s, "\n  機器學習用の                35.00 HKD/h  機器學習用の\n");
	assert_contains(b.s, "\n  %n%s%s%s%d                  37.00 HKD/h  ");
	/* names too long for the column have lines of their own, and are whole */
	assert_contains(b.s,
		"\n  =HYPERLINK(\"http://evil.example/\",\"x\")\n"
		"                              15.00 HKD/h  =HYPERLINK(");
	/* unless nobody would read them */
	assert_true(b.len < 32768);
}

/* Where the number ends is where it ends in every row: the columns are aligned. */
static void wide_characters_keep_columns_aligned(void **state)
{
	size_t rows = 0;

	say(sample_hostile(), (struct format_opts){0});
	for (const char *p = b.s, *end; *p; p = end + 1) {
		const char *unit;

		end = p + strcspn(p, "\n");
		unit = memmem(p, (size_t)(end - p), "HKD/h", 5);
		if (!unit)
			continue;
		assert_i64_eq(line_columns(p, (size_t)(unit + 5 - p)), 41);
		rows++;
	}
	assert_i64_eq(rows, sample_n_texts);
}

static size_t count_of(const char *part)
{
	size_t n = 0;

	for (const char *p = b.s; (p = strstr(p, part)); p++)
		n++;
	return n;
}

/* ---- narrow ------------------------------------------------------------------------------------ */

#define LONG_TEXT "0123456789 0123456789 0123456789 0123456789 012345"

/* A row of one name and texts, with the ranks of the columns. */
static void say_wide(int n, const struct doc_column *columns, struct doc_cell text)
{
	struct doc *d = doc_new(&sample_arena, "test", sample_doc()->tz, SAMPLE_NOW);
	struct doc_section *s = doc_section(d, "wide", "Wide", columns, n);
	struct doc_row *row = doc_row(s);

	d->title = "T";
	row->cells[0] = cell_text("a-name-of-31-columns-is-not-cut");
	row->tone = TONE_WARN;
	for (int i = 1; i < n; i++)
		row->cells[i] = text;
	say(d, (struct format_opts){0});
}

static void texts_are_cut_in_the_middle_but_not_names(void **state)
{
	static const struct doc_column columns[] = {
		{"name", "Name", DOC_TEXT, 0, 0},
		{"a", "A", DOC_TEXT, 0, 0},
		{"b", "B", DOC_TEXT, 0, 2},
		{"c", "C", DOC_TEXT, 0, 1},
		{"d", "D", DOC_TEXT, 0, 2},
	};
	struct doc_column all[5];

	memcpy(all, columns, sizeof(all));
	say_wide(5, columns, cell_text(LONG_TEXT));
	assert_string_equal(b.s,
		"T\n"
		"\n"
		"Wide\n"
		"  Name  A                                   C\n"
		"! a-name-of-31-columns-is-not-cut\n"
		"        0123456789 01234...23456789 012345  "
		"0123456789 01234...23456789 012345\n");
	/* a name has a line of its own only if there is no room */
	say_wide(2, columns, cell_text("short"));
	assert_contains(b.s, "! a-name-of-31-columns-is-not-cut  short\n");
	/* a zone is whole, rather than that there are more columns */
	say_wide(5, columns, cell_text("northamerica-northeast1a"));
	assert_i64_eq(count_of("  northamerica-northeast1a"), 2);
	/* nothing can be left out */
	for (int i = 0; i < 5; i++)
		all[i].rank = 0;
	say_wide(5, all, cell_text("northamerica-northeast1a"));
	assert_contains(b.s, "  northam...east1a  northam...east1a\n");
}

static void columns_of_the_highest_rank_are_left_out_first(void **state)
{
	static const struct doc_column columns[] = {
		{"name", "Name", DOC_TEXT, 0, 0},
		{"a", "A", DOC_CODE, 0, 0},
		{"b", "Bbbbbbbbbbbbbbbbbbb", DOC_MONEY, 2, 2},
		{"c", "Ccccccccccccccccccc", DOC_MONEY, 2, 1},
		{"d", "Ddddddddddddddddddd", DOC_MONEY, 2, 2},
		{"e", "Eeeeeeeeeeeeeeeeeee", DOC_MONEY, 2, 1},
	};

	say_wide(6, columns, cell_money(SOME(1), "HKD"));
	assert_contains(b.s, "Bbb");
	assert_contains(b.s, "Ccc");
	assert_null(strstr(b.s, "Ddd"));
	assert_contains(b.s, "Eee");
}

static void what_fits_no_columns_is_said_in_words(void **state)
{
	static const struct doc_column columns[] = {
		{"name", "Name", DOC_TEXT, 0, 0},
		{"a", "Aaaaaaaaaaaaaaaaaaaaaaaaaaaaa", DOC_MONEY, 2, 0},
		{"b", "Bbbbbbbbbbbbbbbbbbbbbbbbbbbbb", DOC_MONEY, 2, 0},
		{"c", "Ccccccccccccccccccccccccccccc", DOC_MONEY, 2, 0},
	};

	say_wide(4, columns, cell_money(SOME(1500000000), "HKD"));
	assert_string_equal(b.s,
		"T\n"
		"\n"
		"Wide\n"
		"! Name: a-name-of-31-columns-is-not-cut, Aaaaaaaaaaaaaaaaaaaaaaaaaaaaa: "
		"1.50\n"
		"    HKD, Bbbbbbbbbbbbbbbbbbbbbbbbbbbbb: 1.50 HKD,\n"
		"    Ccccccccccccccccccccccccccccc: 1.50 HKD\n");
}

static void marks_are_explained_where_they_are(void **state)
{
	static const struct doc_column columns[] = {
		{"name", "Name", DOC_TEXT, 0, 0},
		{"a", "A", DOC_MONEY, 2, 0},
	};

	say_wide(2, columns, cell_money(SOME(1), "HKD"));
	assert_null(strstr(b.s, "~"));
	assert_null(strstr(b.s, "*"));
	say_wide(2, columns, cell_estimate(cell_money(SOME(1), "HKD")));
	assert_contains(b.s, "0.00 HKD~\n\n~ is an estimate.\n");
	say_wide(2, columns, cell_partial(cell_money(SOME(1), "HKD")));
	assert_contains(b.s, "0.00 HKD*\n\n* is billed so far and may grow.\n");
	say_wide(2, columns, cell_estimate(cell_money(NONE, "HKD"))); /* no mark on it */
	assert_contains(b.s, "  unknown\n");
	assert_null(strstr(b.s, "~"));
}

/* ---- limits ------------------------------------------------------------------------------------ */

static void a_limit_of_bytes_is_kept_at_the_ends_of_rows(void **state)
{
	struct doc *d = sample_many(40);
	size_t whole;

	say(d, (struct format_opts){0});
	whole = b.len;
	for (size_t max = 450; max < whole + 50; max += 7) {
		size_t rows, left = 0;
		const char *said;

		say(d, (struct format_opts){.max_bytes = max});
		assert_true(b.len <= max);
		rows = count_of("  machine-");
		assert_i64_eq(count_of("    Nobody uses it.\n"), rows);
		assert_i64_eq(count_of("instances stop machine-"), rows);
		said = strstr(b.s, "Shortened to fit");
		if (said && said[16] == ':') /* else the total is left out */
			left = strtoul(said + 18, NULL, 10);
		if (said && strstr(said, "section"))
			continue; /* not even the first row */
		assert_i64_eq(rows + left, 40);
		if (!said || max >= whole)
			assert_i64_eq(b.len, whole);
		else if (left)
			assert_i64_eq(count_of(" more: tpucost ps\n"), 1);
	}
}

static void sections_that_do_not_fit_are_counted(void **state)
{
	say(sample_doc(), (struct format_opts){.max_bytes = 100});
	assert_string_equal(b.s, "\nShortened to fit: 6 more sections are omitted.\n");
	say(sample_doc(), (struct format_opts){.max_bytes = 1100});
	assert_contains(b.s, "  and 1 more: tpucost alerts\n");
	assert_contains(
		b.s, "\nShortened to fit: 1 row and 5 more sections are omitted.\n");
	assert_true(b.len <= 1100);
}

static void a_charts_line_shows_the_newest_values(void **state)
{
	struct doc *d = sample_doc();
	struct doc_section *s = doc_find(d, "days");

	for (int i = 0; i < 70; i++) {
		struct doc_row *row = doc_row(s);

		row->folded = true;
		row->cells[0] = cell_text(arena_printf(d->arena, "day %d", i));
		row->cells[1] = cell_money(SOME(i), "HKD");
	}
	say(d, (struct format_opts){0});
	assert_contains(b.s, "  day 40 ▅▅▅");
	assert_contains(b.s,
		"███ day 69\n"
		"    Net cost a day: lowest 0.00 HKD, highest 1130.57 HKD*;");
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_sample_reads_like_this, setup, teardown),
		cmocka_unit_test_setup_teardown(
			more_rows_are_counted_before_the_total, setup, teardown),
		cmocka_unit_test_setup_teardown(no_row_has_words, setup, teardown),
		cmocka_unit_test_setup_teardown(
			no_line_is_longer_than_78_columns, setup, teardown),
		cmocka_unit_test_setup_teardown(
			hostile_texts_are_visible_and_fit, setup, teardown),
		cmocka_unit_test_setup_teardown(
			wide_characters_keep_columns_aligned, setup, teardown),
		cmocka_unit_test_setup_teardown(
			texts_are_cut_in_the_middle_but_not_names, setup, teardown),
		cmocka_unit_test_setup_teardown(
			columns_of_the_highest_rank_are_left_out_first, setup, teardown),
		cmocka_unit_test_setup_teardown(
			what_fits_no_columns_is_said_in_words, setup, teardown),
		cmocka_unit_test_setup_teardown(
			marks_are_explained_where_they_are, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_limit_of_bytes_is_kept_at_the_ends_of_rows, setup, teardown),
		cmocka_unit_test_setup_teardown(
			sections_that_do_not_fit_are_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_charts_line_shows_the_newest_values, setup, teardown),
	};

	/* for wcwidth */
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
