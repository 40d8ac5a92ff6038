/* Documents for Slack: small ones to the letter; for all that are large or hostile its limits,
 * and what its mrkdwn makes of them, as tests/oracle/slack_check.py sees it. */
#include "base/data/json.h"
#include "base/str.h"
#include "reports/doc/formats.h"
#include "reports/doc/internal.h"
#include "reports/doc/mrkdwn.h"
#include "tests/support/assert.h"
#include "tests/support/oracle.h"
#include "tests/support/sample_doc.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

static struct sbuf out;

static int teardown(void **state)
{
	sbuf_done(&out);
	return sample_teardown(state);
}

static const char *say(const struct doc *d, size_t max_rows, size_t max_bytes)
{
	const struct format_opts o = {.max_rows = max_rows, .max_bytes = max_bytes};

	sbuf_reset(&out);
	doc_format_find("slack")->render(d, &o, &out);
	return out.s;
}

/* ---- texts ------------------------------------------------------------------------------------- */

typedef void shower(struct sbuf *b, const char *s, size_t max);

static void expect(shower *show, const char *s, size_t max, const char *want)
{
	sbuf_reset(&out);
	show(&out, s, max);
	assert_string_equal(out.s, want);
}

static void sentences_keep_their_words(void **state)
{
	expect(mrkdwn_sentence, "It is 09:00, 12.30 HKD/h at R&D; 1 < 2.", 99,
		"It is 09:00, 12.30 HKD/h at R&amp;D; 1 &lt; 2.");
	expect(mrkdwn_sentence, "max_per_run _i_ end_", 99, "max_per_run `_i_ end_`");
	expect(mrkdwn_sentence, "a *b*  ~c~ d", 99, "a `*b*  ~c~` d");
	expect(mrkdwn_sentence, "say `x` \xef\xbd\x80y", 99,
		"say `\xcb\x8bx\xcb\x8b \xcb\x8by`");
	expect(mrkdwn_sentence, "hey <!channel> @here :smile:", 99,
		"hey `&lt;!channel&gt; @here :smile:`");
	expect(mrkdwn_sentence, "> quoted www.x.example wwww", 99,
		"`&gt;` quoted `www.x.example` wwww");
	expect(mrkdwn_sentence, "#one see https://x.example/ now", 99,
		"`#one` see `https://x.example/` now");
	expect(mrkdwn_sentence, "a\r\nb\xe2\x80\xae", 99, "`a\\x0d\\x0ab&lt;U+202E&gt;`");
	expect(mrkdwn_sentence,
		"\xef\xbc\x8a"
		"full\xef\xbc\xbf",
		99,
		"`\xef\xbc\x8a"
		"full\xef\xbc\xbf`");
	expect(mrkdwn_sentence, "ends 2026-11-13T23:00:00Z, (see a_b:c_d:).", 99,
		"ends `2026-11-13T23:00:00Z`, (see `a_b:c_d:`).");
	expect(mrkdwn_sentence, ":x: :y:, *z*.", 99, "`:x: :y:, *z*`.");
	expect(mrkdwn_sentence, " a ", 99, " a ");
	expect(mrkdwn_sentence, "", 99, "");
	expect(mrkdwn_sentence, "0123456789", 10, "0123456789");
	expect(mrkdwn_sentence, "0123456789x", 10, "0123456...");
	expect(mrkdwn_sentence, "012345\xe6\xa9\x9f\xe6\xa9\x9f", 10, "012345...");
}

static void names_are_bold_or_code(void **state)
{
	expect(mrkdwn_bold, "eval-2", 99, "*eval-2*");
	expect(mrkdwn_bold, "R&D <x", 99, "*R&amp;D &lt;x*");
	expect(mrkdwn_bold, "my_tpu", 99, "*my_tpu*");
	expect(mrkdwn_bold, "a *b*", 99, "`a *b*`");
	expect(mrkdwn_bold, " a", 99, "` a`");
	expect(mrkdwn_bold, "", 99, "`\"\"`");
	expect(mrkdwn_bold, " ", 99, "`\" \"`");
	expect(mrkdwn_code, "a `b` <c>", 99,
		"`a \xcb\x8b"
		"b\xcb\x8b &lt;c&gt;`");
	expect(mrkdwn_plain, "a <b> *c*\n", 99, "a &lt;b&gt; *c*\\x0a");
	expect(mrkdwn_plain, "12345", 5, "12345");
	expect(mrkdwn_plain, "12345678", 7, "1234...");
	expect(mrkdwn_plain, "12&4567", 7, "12...");
}

/* ---- documents --------------------------------------------------------------------------------- */

static const struct doc_column two[] = {
	{"name", "Name", DOC_CODE, 0, 0},
	{"burn", "Burn", DOC_RATE, -1, 0},
};

static struct doc *small(void)
{
	struct doc *d = sample_many(0);

	d->n = 0;
	d->title = "tpucost";
	d->headline = "One TPU costs.";
	return d;
}

static void without_sections(void **state)
{
	struct doc *d = small();

	assert_string_equal(say(d, 0, 0),
		"{\"text\":\"tpucost\\nOne TPU costs.\",\"blocks\":["
		"{\"type\":\"header\",\"text\":{\"type\":\"plain_text\",\"text\":"
		"\"tpucost\","
		"\"emoji\":false}},{\"type\":\"section\",\"text\":{\"type\":\"mrkdwn\","
		"\"text\":\"One TPU costs.\",\"verbatim\":true}}]}\n");
	d->title = d->headline = NULL;
	assert_string_equal(say(d, 0, 0),
		"{\"text\":\"tpucost\",\"blocks\":[{\"type\":\"header\",\"text\":"
		"{\"type\":\"plain_text\",\"text\":\"tpucost\",\"emoji\":false}}]}\n");
}

static void rows_and_tables(void **state)
{
	struct doc *d = small();
	struct doc_section *s = doc_section(d, "burn", "Burn now", two, 2);
	struct doc_row *row = doc_row(s);

	row->cells[0] = cell_code("eval-2");
	row->cells[1] = cell_estimate(cell_rate(SOME(8000000000), "USD"));
	doc_row(s)->cells[0] = cell_code("x");
	assert_contains(say(d, 0, 0),
		"\"text\":\"tpucost\\nOne TPU costs.\\n\\n*Burn now*\\n"
		"- *eval-2*: Burn 8.00 USD/h (estimate)\\n- *x*: Burn unknown\"");
	assert_contains(out.s,
		"\"text\":\"*Burn now*\\n```\\nName           Burn\\n"
		"eval-2  8.00 USD/h~\\nx           unknown\\n```\"");
	assert_contains(out.s,
		"{\"type\":\"context\",\"elements\":[{\"type\":\"mrkdwn\",\"text\":"
		"\"`~` an estimate, `*` billed so far\",\"verbatim\":true}]}]}\n");
	row = &s->rows[0];
	row->detail = "It is not free.";
	row->command = "gcloud compute instances stop 'eval-2'";
	s->note = "Paste.";
	s->more = "tpucost ps";
	assert_contains(say(d, 1, 0),
		"\"text\":\"*Burn now*\\nPaste.\\n- *eval-2*: Burn 8.00 USD/h (estimate)\\n"
		"  It is not free.\\n  `gcloud compute instances stop 'eval-2'`\\n"
		"+1 more: `tpucost ps`\",\"verbatim\":true}}]}\n");
}

static int times(const char *s, const char *part)
{
	int n = 0;

	for (; (s = strstr(s, part)); s++)
		n++;
	return n;
}

/* In `text`, which has less room than the blocks: neither a heading alone nor a sum unsaid. */
static void no_section_is_empty(void **state)
{
	struct doc *d = small();
	struct doc_section *s = doc_section(d, "burn", "Burn now", two, 2);
	static char name[100];

	memset(name, 'x', sizeof(name) - 1);
	for (int i = 0; i < 2; i++) {
		doc_row(s)->cells[0] = cell_code(name);
		s->rows[i].total = i;
	}
	assert_contains(say(d, 0, 2500),
		"\"text\":\"tpucost\\nOne TPU costs.\\n\\n*Burn now*\\n- *xxx");
	assert_contains(out.s, "Burn unknown\\n+1 more: `tpucost report`\"");
	d->kind = "weekly";
	assert_contains(
		say(d, 0, 2500), "Burn unknown\\n+1 more: `tpucost report weekly`\"");
	d->kind = "daily";
	d->headline = name;
	assert_contains(say(d, 0, 2500), "xxx\\n\\n+1 section: `tpucost report`\"");
	assert_int_equal(times(out.s, "*Burn now*"), 1); /* in the blocks */
}

/* A day's chart is a line of text above the rows; folded rows are not rows. */
static void charts_are_lines(void **state)
{
	struct doc *d = sample_doc();

	doc_find(d, "days")->brief = true;
	say(d, 20, 0);
	assert_contains(out.s, "*Last days, billed*\\nNet cost a day: ");
	assert_contains(out.s,
		"\xe2\x96\x88 from 2026-10-22, lowest 0.12 HKD, highest 1130.57 HKD so "
		"far, "
		"budget a day 133.00 HKD\\n```\\nDay                  Net  ");
	assert_contains(out.s,
		"  settled\\n2026-11-20  1130.57 HKD*    1135.57 HKD*  partial\\n```");
	assert_null(strstr(out.s, "2026-11-13"));
	assert_null(strstr(out.s, "Quota")); /* not brief */
	assert_int_equal(times(out.s, "+3 sections: `tpucost report`"), 2);
	d->kind = "month";
	doc_fact(d, "month", NULL, cell_text("2026-10"));
	say(d, 20, 0);
	assert_int_equal(
		times(out.s, "+3 sections: `tpucost report month --month 2026-10`"), 2);
	for (size_t i = 0; i < d->n; i++)
		d->sections[i]->brief = false;
	assert_contains(say(d, 20, 0), "*Quota*\\nNo quota is above 80 %.");
	assert_null(strstr(out.s, "restatements"));
}

/* ---- seen from outside ------------------------------------------------------------------------- */

static struct sbuf cases;
static struct jw w;

static void begin_cases(void)
{
	cases = SBUF_INIT;
	w = (struct jw){.b = &cases};
	jw_begin(&w, '{');
	jw_key(&w, "cases");
	jw_begin(&w, '[');
}

static void add_case(const char *what, const struct doc *d, size_t max_rows,
	size_t max_bytes, const char *shows)
{
	say(d, max_rows, max_bytes);
	jw_begin(&w, '{');
	jw_kstr(&w, "what", what);
	jw_ki64(&w, "max", (int64_t)(max_bytes ? max_bytes : 10000));
	jw_kstr(&w, "payload", out.s);
	jw_key(&w, "shows");
	jw_begin(&w, '[');
	if (shows)
		jw_str(&w, shows);
	jw_end(&w, ']');
	jw_end(&w, '}');
}

static void judge_cases(void)
{
	int rc;

	jw_end(&w, ']');
	jw_end(&w, '}');
	rc = oracle_run("slack_check.py", &cases);
	sbuf_done(&cases);
	if (rc == 127)
		skip();
	assert_i64_eq(rc, 0);
}

static void any_number_of_rows_keeps_the_limits(void **state)
{
	static const size_t counts[] = {0, 1, 2, 19, 20, 21, 50, 1000, 10000};

	begin_cases();
	for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
		struct doc *d = sample_many(counts[i]);

		add_case("many", d, 0, 0, "resources.");
		add_case("many, at most 20", d, 20, 10000, "resources.");
		for (size_t k = 0; k < d->sections[0]->n; k++)
			d->sections[0]->rows[k].detail = d->sections[0]->rows[k].command =
				NULL;
		add_case("a table", d, 0, 0, counts[i] ? "machine-00000" : NULL);
	}
	for (size_t max = 2500; max <= 10000; max += 500)
		add_case("less room", sample_many(100), 0, max, NULL);
	judge_cases();
}

static void what_is_left_out_is_counted(void **state)
{
	struct doc *d = sample_many(10000);
	const char *more;
	unsigned left = 0;
	size_t said = 0;

	for (const char *p = strstr(say(d, 0, 0), "\"blocks\"");
		(p = strstr(p, "- *machine-")); p++)
		said++;
	more = strstr(strstr(out.s, "\"blocks\""), "\\n+");
	assert_non_null(more);
	assert_i64_eq(sscanf(more, "\\n+%u more: `tpucost ps`", &left), 1);
	assert_i64_eq(said + left, 10000);
	assert_true(said > 30 && out.len > 8000);
	assert_contains(out.s, "- *total*: Burn 10000.00 HKD/h (estimate)\\n+");
}

/* A long first section leaves room for those behind it. */
static void sections_share_the_room(void **state)
{
	struct doc *d = sample_many(500);

	for (int i = 0; i < 3; i++) {
		struct doc_section *s = doc_section(d, "burn", "Burn now", two, 2);

		s->brief = true;
		for (int k = 0; k < 40; k++)
			doc_row(s)->cells[0] = cell_code(
				arena_printf(d->arena, "tpu-%d-%02d", i, k));
	}
	say(d, 0, 0);
	assert_contains(out.s, "\\ntpu-0-39");
	assert_contains(out.s, "\\ntpu-1-39");
	assert_contains(out.s, "\\ntpu-2-39");
	begin_cases();
	add_case("four sections", d, 0, 0, "tpu-2-00");
	for (int i = 0; i < 100; i++) {
		struct doc_section *s = doc_section(d, "more", "More", two, 2);

		s->brief = true;
		doc_row(s);
	}
	add_case("a hundred sections", d, 0, 0, "+85 sections");
	judge_cases();
}

/* Each text as a name, a label and a sentence, and all of them at once. */
static void hostile_texts_read_literally(void **state)
{
	struct doc *d = sample_hostile();
	struct doc_section *names = doc_find(d, "names");
	struct doc_row *rows = names->rows;

	begin_cases();
	add_case("hostile", d, 0, 0, NULL);
	names->brief = true;
	add_case("brief", d, 0, 0, "<script>alert(1)</script>");
	d->n_facts = 0;
	for (size_t i = 0; i < sample_n_texts; i++) {
		const char *text = sample_texts[i];

		if (!utf8_valid(text, strlen(text)))
			text = "bad \\xff\\xc3( utf-8";
		names->rows = rows + i;
		names->n = 1;
		add_case("as a row", d, 0, 0, text);
		rows[i].detail = rows[i].command = NULL;
		add_case("in a table", d, 0, 0, NULL);
		d->title = d->headline = d->subject = sample_texts[i];
		names->title = names->note = names->more = sample_texts[i];
		add_case("everywhere", d, 0, 0, text);
		doc_fact(d, "f", sample_texts[i], cell_text(sample_texts[i]));
		add_case("as a fact", d, 0, 0, NULL);
		d->n_facts = 0;
	}
	judge_cases();
}

/* The worst that escaping can do: every byte becomes five. */
static void escapes_keep_the_limits(void **state)
{
	struct doc *d = sample_many(60);
	struct doc_section *s = d->sections[0];
	static char amps[12001], controls[3001];

	memset(amps, '&', 12000);
	memset(controls, 1, 3000);
	begin_cases();
	d->title = d->subject = d->headline = s->title = s->note = s->more = amps;
	doc_fact(d, "f", amps, cell_text("\"\"\"\\\\"));
	add_case("ampersands", d, 0, 0, NULL);
	for (size_t i = 0; i < s->n; i++) {
		s->rows[i].cells[0] = cell_code(amps);
		s->rows[i].cells[1] = cell_text(amps);
		s->rows[i].detail = amps;
		s->rows[i].command = i % 2 ? amps : controls;
	}
	add_case("ampersands in rows", d, 0, 0, NULL);
	d->title = d->subject = d->headline = s->title = s->note = s->more = controls;
	add_case("controls", d, 0, 0, NULL);
	assert_null(strstr(out.s, "machine"));
	assert_contains(out.s, "The command is too long for chat: `tpucost report`");
	judge_cases();
}

#define T(f) cmocka_unit_test_setup_teardown(f, sample_setup, teardown)

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		T(sentences_keep_their_words),
		T(names_are_bold_or_code),
		T(without_sections),
		T(rows_and_tables),
		T(no_section_is_empty),
		T(charts_are_lines),
		T(any_number_of_rows_keeps_the_limits),
		T(what_is_left_out_is_counted),
		T(sections_share_the_room),
		T(hostile_texts_read_literally),
		T(escapes_keep_the_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
