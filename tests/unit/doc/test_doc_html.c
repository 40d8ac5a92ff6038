/* Documents as HTML: exact on small ones, whole and well-formed on all. */
#include "reports/doc/formats.h"
#include "tests/support/sample_doc.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNIT INT64_C(1000000000)

static const struct format_opts file, mail = {.mail = true};

static char *html_of(const struct doc *d, struct format_opts o)
{
	struct sbuf b = SBUF_INIT;

	doc_html(d, &o, &b);
	return sbuf_detach(&b);
}

static size_t count(const char *s, const char *part)
{
	size_t n = 0;

	for (; (s = strstr(s, part)); s += strlen(part))
		n++;
	return n;
}

static void expect_part(const char *html, const char *part)
{
	if (!strstr(html, part))
		fail_msg("no \"%s\" in: %s", part, strstr(html, "<body"));
}

/* Every element that is opened is closed, in order, within 900 bytes a line. */
static void expect_well_formed(const char *html)
{
	static const char *const empty[] = {
		"meta", "br", "wbr", "rect", "line", "!DOCTYPE"};
	char open[64][16];
	size_t depth = 0, line = 0;

	for (const char *s = html; *s; s++) {
		size_t n = strcspn(s + 1, " \n>/"), i = 0;

		line = *s == '\n' ? 0 : line + 1;
		assert_true(line <= 900);
		if (*s != '<')
			continue;
		if (s[1] == '/') {
			n = strcspn(s + 2, ">");
			assert_true(depth > 0);
			depth--;
			assert_int_equal(strlen(open[depth]), n);
			assert_memory_equal(open[depth], s + 2, n);
			continue;
		}
		while (i < ARRAY_LEN(empty) &&
			(strlen(empty[i]) != n || memcmp(empty[i], s + 1, n) != 0))
			i++;
		if (i < ARRAY_LEN(empty) &&
			!(n == 4 && s[n + 1] == ' ' &&
				strncmp(strchr(s, '>') + 1, "<title", 6) == 0))
			continue;
		assert_true(n > 0 && n < sizeof(open[0]) && depth < ARRAY_LEN(open));
		snprintf(open[depth++], sizeof(open[0]), "%.*s", (int)n, s + 1);
	}
	assert_int_equal(depth, 0);
	assert_string_equal(html + strlen(html) - 8, "</html>\n");
}

static void expect_well_formed_doc(const struct doc *d, struct format_opts o)
{
	cleanup(free_ptr) char *html = html_of(d, o);

	expect_well_formed(html);
}

/* ---- small ones, exactly ----------------------------------------------------------------------- */

static const struct doc_column columns[] = {
	{"name", "Name", DOC_CODE, 0, 0},
	{"net", "Net", DOC_MONEY, -1, 0},
	{"uid", NULL, DOC_TEXT, 0, 0},
};

static struct doc *empty_doc(void)
{
	struct doc *d = sample_many(0);

	d->n = 0;
	d->n_notes = 0;
	d->title = "A <report>";
	d->headline = "All is well.";
	d->tone = TONE_GOOD;
	return d;
}

static struct doc *small_doc(void)
{
	struct doc *d = empty_doc();
	struct doc_section *s = doc_section(d, "things", "Things & more", columns, 3);
	struct doc_row *row = doc_row(s);

	row->cells[0] = cell_code("<a>");
	row->cells[1] = cell_estimate(cell_money(SOME(5 * UNIT / 2), "USD"));
	row->cells[2] = cell_text("hidden");
	row->tone = TONE_BAD;
	row->detail = "It burns.";
	row->command = "stop '<a>' --now";
	row = doc_row(s);
	row->cells[0] = cell_text("total");
	row->total = true;
	return d;
}

static void file_is_exact(void **state)
{
	cleanup(free_ptr) char *html = html_of(small_doc(), file);

	assert_string_equal(strstr(html, "<body"),
		"<body class=\"page\">\n<main class=\"card\">\n"
		"<h1 class=\"h1\">A &lt;report&gt;</h1>\n"
		"<p class=\"lead1\">All is well.</p>\n"
		"<h2 class=\"h2\">Things &amp; more</h2>\n"
		"<div class=\"scroll\"><table class=\"table\">\n<thead>\n<tr>\n"
		"<th class=\"th\" scope=\"col\">Name</th>\n"
		"<th class=\"thn\" scope=\"col\">Net</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n"
		"<th class=\"rh\" scope=\"row\"><span class=\"b3\">!!</span> "
		"<code class=\"code\">&lt;a&gt;</code></th>\n"
		"<td class=\"tdn\">2.50 USD~</td>\n</tr>\n<tr>\n"
		"<td class=\"de\" colspan=\"2\"><div>It burns.</div>\n"
		"<pre class=\"cmd\">stop &#39;&lt;a&gt;&#39; <span "
		"class=\"nw\">--now</span></pre></td>\n</tr>\n<tr>\n"
		"<th class=\"toh\" scope=\"row\">total</th>\n"
		"<td class=\"ton\"><span class=\"soft\">unknown</span></td>\n</tr>\n"
		"</tbody>\n</table></div>\n"
		"<div class=\"feet\">\n"
		"<p class=\"foot\">~ is an estimate.</p>\n"
		"<p class=\"foot\">Created 2026-11-21 08:00. Times are "
		"in Asia/Hong_Kong.</p>\n"
		"</div>\n</main>\n</body>\n</html>\n");
	expect_well_formed(html);
}

static void mail_says_the_same_with_styles_inside(void **state)
{
	cleanup(free_ptr) char *html = html_of(small_doc(), mail);
	const char *body = strstr(html, "<body");

	expect_well_formed(html);
	assert_int_equal(count(body, "All is well."), 2); /* before all, and as the lead */
	assert_true(strstr(body, "All is well.") < strstr(body, "<table"));
	assert_int_equal(count(html, "<style"), 1);
	assert_int_equal(
		count(body, "<svg") + count(body, "<main") + count(body, "<img"), 0);
	expect_part(body, "width=\"640\">");
	expect_part(body, "max-width:100%");
	expect_part(body, "scope=\"row\"><span class=\"b3\" style=\"padding:0 5px;");
	expect_part(body, ">2.50 USD~</td>");
	expect_part(
		body, "stop &#39;&lt;a&gt;&#39; <span style=\"white-space:nowrap\">--now<");
	expect_part(html, "<meta name=\"color-scheme\" content=\"light dark\">");
	expect_part(html, "@media (prefers-color-scheme:dark){");
	assert_null(strstr(body, "hidden</td>"));
}

static void nothing_is_loaded_and_nothing_runs(void **state)
{
	static const char *const never[] = {"<script", "<img", "<link", "<iframe", "url(",
		"@import", "src=\"", "href=", " on", "javascript:"};
	struct doc *docs[] = {sample_doc(), small_doc()};

	for (size_t i = 0; i < ARRAY_LEN(docs) * 2; i++) {
		cleanup(free_ptr) char *html = html_of(docs[i / 2], i % 2 ? mail : file);

		for (size_t k = 0; k < ARRAY_LEN(never); k++)
			if (k != 8) /* a word of sentences, too */
				assert_null(strstr(html, never[k]));
	}
}

static void legend_is_of_what_is_used(void **state)
{
	cleanup(free_ptr) char *all = html_of(sample_doc(), file);
	cleanup(free_ptr) char *none = html_of(empty_doc(), file);

	expect_part(all, "~ is an estimate");
	expect_part(all, "* is the amount billed so far");
	assert_null(strstr(none, "~ is an estimate"));
	assert_null(strstr(none, "* is the amount billed so far"));
}

static void what_people_do_not_see_is_not_there(void **state)
{
	cleanup(free_ptr) char *html = html_of(sample_doc(), file);

	assert_null(strstr(html, "2026-11-18</td>")); /* of a section without a title */
	assert_null(strstr(html, "13.05"));
	assert_null(strstr(html, ">2026-11-13</th>")); /* folded: in the chart only */
	expect_part(html, ">2026-11-14</th>");
	expect_part(html, "<title>2026-11-13: 22.12 HKD</title>");
	expect_part(html, "No quota is above 80 %.");
}

/* ---- hostile ----------------------------------------------------------------------------------- */

static void hostile_texts_stay_text(void **state)
{
	for (int i = 0; i < 2; i++) {
		cleanup(free_ptr) char *html = html_of(sample_hostile(), i ? mail : file);

		expect_well_formed(html);
		assert_null(strstr(html, "<script"));
		assert_null(strstr(html, "<img"));
		assert_null(strstr(html, "<b>"));
		assert_null(strpbrk(html, "\r\033\007\001\177"));
		assert_null(strstr(html, "\xe2\x80\xae"));
		expect_part(html, "&lt;script&gt;alert(1)&lt;/script&gt;");
		expect_part(html, "a\\x0d\\x0aBcc: evil@example.org");
		expect_part(html, "abc&lt;U+202E&gt;fed");
		expect_part(html, "&amp;lt;b&amp;gt; &amp;amp; &amp;");
	}
}

/* What stands beside a name that runs from right to left stays where it is. */
static void right_to_left_keeps_to_itself(void **state)
{
	struct doc *d = empty_doc();
	cleanup(free_ptr) char *html = NULL;

	d->headline = "a \xd7\xa9\xd7\x9c 1 \xd7\xa9, 12.30 \xd8\xa7";
	html = html_of(d, file);
	expect_part(html,
		">a <span dir=\"rtl\">\xd7\xa9\xd7\x9c</span> 1 <span "
		"dir=\"rtl\">\xd7\xa9</span>, 12.30 <span dir=\"rtl\">\xd8\xa7</span></p>");
	d->headline = "\xd7\xa9 \xd7\xa9.";
	free_ptr(&html);
	html = html_of(d, file);
	expect_part(html, "><span dir=\"rtl\">\xd7\xa9 \xd7\xa9</span>.</p>");
}

/* ---- size -------------------------------------------------------------------------------------- */

static void limits_are_kept_at_borders(void **state)
{
	static const size_t limits[] = {10000, 20000, 50000, 102400, 1000000};
	struct doc *docs[] = {sample_many(3000), sample_hostile(), sample_doc()};

	for (size_t i = 0; i < ARRAY_LEN(limits) * ARRAY_LEN(docs) * 2; i++) {
		struct format_opts o = {.mail = i % 2, .max_bytes = limits[i / 2 % 5]};
		struct doc *d = docs[i / 10];
		cleanup(free_ptr) char *html = html_of(d, o);

		if (d != docs[1] || o.max_bytes > 60000) /* its notes alone are 12 KB */
			assert_true(strlen(html) <= o.max_bytes);
		expect_well_formed(html);
	}
}

static void rows_left_out_are_counted_and_totals_stay(void **state)
{
	struct doc *d = sample_many(3000);
	cleanup(free_ptr) char *rows = html_of(d, (struct format_opts){.max_rows = 10});
	cleanup(free_ptr) char *bytes = html_of(
		d, (struct format_opts){.mail = true, .max_bytes = 100000});
	cleanup(free_ptr) char *all = html_of(d, file);
	size_t shown = count(bytes, "scope=\"row\"") - 1;
	char more[64];

	assert_int_equal(count(rows, "scope=\"row\""), 10);
	expect_part(rows, "machine-00008</code>");
	assert_null(strstr(rows, "machine-00009"));
	expect_part(rows, ">total</code></th>");
	expect_part(rows, ">and 2991 more: tpucost ps</p>");
	assert_in_range(shown, 40, 200);
	snprintf(more, sizeof(more), ">and %zu more: tpucost ps</p>", 3000 - shown);
	expect_part(bytes, more);
	expect_part(bytes, "3000.00 HKD/h~");
	assert_int_equal(count(all, "scope=\"row\""), 3001);
	assert_null(strstr(all, " more: "));
}

static void sections_left_out_are_named(void **state)
{
	cleanup(free_ptr) char *whole = html_of(sample_doc(), file);
	cleanup(free_ptr) char *html = NULL;

	assert_null(strstr(whole, "Left out"));
	html = html_of(sample_doc(), (struct format_opts){.max_bytes = 9500});
	assert_true(strlen(html) <= 9500);
	expect_part(html, "Omitted to limit the size: ");
	expect_part(html, "; Grants; Quota.</p>");
	expect_part(html, "What needs action");
	expect_part(html, "Prices are list prices");
}

static void no_room_for_anything_is_still_a_page(void **state)
{
	cleanup(free_ptr) char *html = html_of(
		sample_doc(), (struct format_opts){.mail = true, .max_bytes = 100});

	expect_well_formed(html);
	expect_part(html, "Yesterday cost 1130.57 HKD");
	assert_null(strstr(html, "<thead>"));
}

static void ordinary_mail_is_below_what_clients_cut(void **state)
{
	cleanup(free_ptr) char *html = html_of(sample_doc(), mail);

	assert_true(strlen(html) < 40000); /* Gmail shows the first 102 KB */
}

/* ---- charts ------------------------------------------------------------------------------------ */

static const struct doc_column day_columns[] = {
	{"day", "Day", DOC_TEXT, 0, 0},
	{"net", "Net", DOC_MONEY, -1, 0},
};

static struct doc *chart_of(const int64_t *v, size_t n, struct opt_i64 mark)
{
	struct doc *d = empty_doc();
	struct doc_section *s = doc_section(d, "days", "Days", day_columns, 2);

	for (size_t i = 0; i < n; i++) {
		struct doc_row *row = doc_row(s);

		row->cells[0] = cell_text(arena_printf(
			d->arena, "2026-%02zu-%02zu", i / 28 % 12 + 1, i % 28 + 1));
		row->cells[1] = cell_money(SOME(v[i]), "USD");
	}
	s->chart = (struct doc_chart){.title = "A day",
		.label = 0,
		.value = 1,
		.mark = mark,
		.mark_title = "budget"};
	return d;
}

static void file_charts_are_exact(void **state)
{
	const int64_t v[] = {2 * UNIT, -1 * UNIT, 0, 4 * UNIT};
	cleanup(free_ptr) char *html = html_of(chart_of(v, 4, SOME(3 * UNIT)), file);

	expect_well_formed(html);
	expect_part(html,
		">A day, USD</p>\n<svg class=\"plot\" role=\"img\" height=\"174\" "
		"aria-label=\"2026-01-01 to 2026-01-04: lowest -1.00 USD (2026-01-02), "
		"highest "
		"4.00 USD (2026-01-04); budget 3.00 USD.\">\n");
	expect_part(html, /* five steps, 30 pixels each */
		"<line class=\"gr\" x1=\"0\" x2=\"100%\" y1=\"150.0\" y2=\"150.0\"/>"
		"<text x=\"-8\" y=\"154.0\" text-anchor=\"end\">-1</text>\n"
		"<line class=\"ze\" x1=\"0\" x2=\"100%\" y1=\"120.0\" y2=\"120.0\"/>"
		"<text x=\"-8\" y=\"124.0\" text-anchor=\"end\">0</text>\n");
	expect_part(html,
		"<rect class=\"fb\" x=\"3.12%\" y=\"60.0\" width=\"18.76%\" "
		"height=\"60.0\">"
		"<title>2026-01-01: 2.00 USD</title></rect>\n"
		"<rect class=\"fb\" x=\"28.12%\" y=\"120.0\" width=\"18.76%\" "
		"height=\"30.0\"><title>2026-01-02: -1.00 USD</title></rect>\n"
		"<rect class=\"fb\" x=\"53.12%\" y=\"120.0\" width=\"18.76%\" "
		"height=\"0.0\"><title>2026-01-03: 0.00 USD</title></rect>\n"
		"<rect class=\"fb\" x=\"78.12%\" y=\"0.0\" width=\"18.76%\" "
		"height=\"120.0\">");
	expect_part(html,
		"<line class=\"ml\" x1=\"0\" x2=\"100%\" y1=\"30.0\" y2=\"30.0\"/>"
		"<text class=\"mt\" x=\"4\" y=\"25.0\">budget 3.00 USD</text>\n");
	expect_part(
		html, "<text x=\"12.50%\" y=\"168\" text-anchor=\"middle\">Jan 1</text>\n");
}

static void mail_charts_are_exact(void **state)
{
	const int64_t v[] = {2 * UNIT, -1 * UNIT, 0, 5 * UNIT};
	cleanup(free_ptr) char *html = html_of(chart_of(v, 4, SOME(3 * UNIT)), mail);

	/* 72 pixels for -1 to 5: 24 above the mark, 36 below it, 12 below zero */
	expect_part(
		html, "<td valign=\"bottom\" height=\"24\"></td>\n<td valign=\"bottom\">");
	expect_part(html, "<td valign=\"bottom\" height=\"36\"><div");
	expect_part(
		html, "<td valign=\"top\" height=\"12\"></td>\n<td valign=\"top\"><div");
	assert_int_equal(count(html, ";line-height:24px\">&nbsp;</div>"), 2);
	assert_int_equal(count(html, ";line-height:36px\">&nbsp;</div>"), 1);
	assert_int_equal(count(html, ";line-height:12px\">&nbsp;</div>"), 1);
	assert_int_equal(count(html, "&nbsp;</div>"), 4);
	assert_int_equal(count(html, "border-top:1px dashed"), 1);
	expect_part(html, "; budget 3.00 USD.</p>");
}

static void charts_of_anything_hold_together(void **state)
{
	static const int64_t extremes[] = {INT64_MAX, INT64_MIN, 0, 1, -1};
	static int64_t many[1000];
	static const struct {
		const int64_t *v;
		size_t n;
		struct opt_i64 mark;
	} cases[] = {{extremes, 5, {.set = true, .v = INT64_MIN}},
		{extremes, 5, {.set = true, .v = INT64_MAX}}, {extremes, 1, {0}},
		{extremes + 1, 1, {0}}, {extremes + 2, 1, {0}},
		{extremes + 2, 1, {.set = true}}, {many, 1000, {0}},
		{many, 1000, {.set = true, .v = -5}}};

	for (size_t i = 0; i < 1000; i++)
		many[i] = (int64_t)i % 7;
	for (size_t i = 0; i < ARRAY_LEN(cases) * 2; i++)
		expect_well_formed_doc(
			chart_of(cases[i / 2].v, cases[i / 2].n, cases[i / 2].mark),
			i % 2 ? mail : file);
}

static void long_series_show_their_end(void **state)
{
	static int64_t v[500];
	cleanup(free_ptr) char *html = NULL, *sent = NULL;

	for (size_t i = 0; i < 500; i++)
		v[i] = (int64_t)(i + 1) * UNIT;
	html = html_of(chart_of(v, 500, NONE), file);
	sent = html_of(chart_of(v, 500, NONE), mail);
	assert_int_equal(count(html, "<rect class=\"fb\""), 400);
	expect_part(html, "the chart shows the last 400 of 500.");
	expect_part(html, ": 500.00 USD</title>");
	expect_part(sent, "the chart shows the last 62 of 500.");
	assert_int_equal(count(sent, "&nbsp;</div>"), 62);
}

/* Where the rows are no days, each has its bar in the table. */
static void other_charts_are_bars_in_the_table(void **state)
{
	cleanup(free_ptr) char *html = html_of(sample_doc(), file);
	const char *burn = strstr(html, "Burn now");

	expect_part(burn,
		">118.0800 HKD/h~<svg class=\"meter\" width=\"72\" height=\"5\" "
		"aria-hidden=\"true\"><rect class=\"ft\" width=\"100%\" height=\"5\" "
		"rx=\"2\"/><rect class=\"fb\" width=\"100.0%\" ");
	expect_part(burn, ">8.0000 USD/h~<svg"); /* a currency of its own */
	expect_part(burn, "<rect class=\"fb\" width=\"0.6%\"");
	expect_part(burn, "<rect class=\"fb\" width=\"80.5%\""); /* of a grant */
	assert_int_equal(count(burn, "class=\"meter\""), 4);
}

/* What a phone hides: in mail also what is always shown elsewhere, the last first. */
static void mail_fits_on_a_phone(void **state)
{
	static const struct doc_column wide[] = {{"name", "Name", DOC_TEXT, 0, 0},
		{"a", "a", DOC_MONEY, -1, 0}, {"b", "b of two words", DOC_MONEY, -1, 0},
		{"c", "c", DOC_MONEY, -1, 1}, {"d", "d", DOC_MONEY, -1, 0},
		{"e", "e", DOC_INT, 0, 2}};
	struct doc *d = empty_doc();
	struct doc_section *s = doc_section(d, "t", "Table", wide, ARRAY_LEN(wide));
	struct doc_row *row = doc_row(s);

	row->cells[0] = cell_text("some name of many words");
	for (int i = 1; i < 5; i++)
		row->cells[i] = cell_money(SOME(123 * UNIT), "HKD"); /* "123.00 HKD" */
	row->cells[5] = cell_int(1);
	{
		cleanup(free_ptr) char *html = html_of(d, file);
		cleanup(free_ptr) char *sent = html_of(d, mail);

		/* c and e have no room at all; 16 + 2 and twice 10 + 2 are 42 */
		expect_part(sent, " scope=\"col\">a</th>");
		assert_int_equal(count(sent, "class=\"thn wide\""), 1);
		assert_int_equal(count(sent, "class=\"tdn wide\""), 1);
		assert_int_equal(count(sent, "class=\"tdn\""), 2);
		/* a file moves sideways: only what has a rank is hidden */
		assert_int_equal(count(html, "class=\"thn wide\""), 2);
		assert_int_equal(count(html, "class=\"tdn wide\""), 2);
	}
	for (int i = 1; i < 5; i++)
		row->cells[i] = cell_money(SOME(123456789 * UNIT), "HKD");
	{
		cleanup(free_ptr) char *sent = html_of(d, mail);

		/* one figure stays whatever it needs */
		assert_int_equal(count(sent, "class=\"tdn\""), 1);
	}
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_is_exact),
		cmocka_unit_test(mail_says_the_same_with_styles_inside),
		cmocka_unit_test(nothing_is_loaded_and_nothing_runs),
		cmocka_unit_test(legend_is_of_what_is_used),
		cmocka_unit_test(what_people_do_not_see_is_not_there),
		cmocka_unit_test(hostile_texts_stay_text),
		cmocka_unit_test(right_to_left_keeps_to_itself),
		cmocka_unit_test(limits_are_kept_at_borders),
		cmocka_unit_test(rows_left_out_are_counted_and_totals_stay),
		cmocka_unit_test(sections_left_out_are_named),
		cmocka_unit_test(no_room_for_anything_is_still_a_page),
		cmocka_unit_test(ordinary_mail_is_below_what_clients_cut),
		cmocka_unit_test(file_charts_are_exact),
		cmocka_unit_test(mail_charts_are_exact),
		cmocka_unit_test(charts_of_anything_hold_together),
		cmocka_unit_test(long_series_show_their_end),
		cmocka_unit_test(other_charts_are_bars_in_the_table),
		cmocka_unit_test(mail_fits_on_a_phone),
	};

	return cmocka_run_group_tests(tests, sample_setup, sample_teardown);
}
