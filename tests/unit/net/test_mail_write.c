/* Mails that are written: the same bytes every time, nothing of a hostile text in the head, and
 * short lines. tests/cli/notify/t0059-mail.sh has another library read what is written. */
#include "base/net/mail_write.h"

#include "base/net/mail.h"
#include "tests/support/assert.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define SENT INT64_C(1763600000) /* Thu, 20 Nov 2025 00:53:20 */
#define ROCKET "\xf0\x9f\x9a\x80"
#define ZHANG "\xe5\xbc\xa0\xe4\xbc\x9f"

static const char *const to[] = {"ann@example.org", ZHANG " <z@example.org>"};

static struct mail_draft draft(void)
{
	return (struct mail_draft){.id = "c0ffee",
		.from = "tpucost <tpucost@lab.example.org>",
		.to = to,
		.n_to = 2,
		.subject = "a subject",
		.text = "first\nsecond\n",
		.date = SENT,
		.crlf = true};
}

static void write_ok(const struct mail_draft *d, size_t max, struct sbuf *out)
{
	struct err e = {0};

	assert_ok(mail_write(d, max, out, &e), e);
}

/* No line is longer than `most`, and all end in CR LF. */
static void check_lines(const struct sbuf *b, size_t most)
{
	for (const char *p = b->s; *p;) {
		const char *end = strchr(p, '\n');

		assert_non_null(end);
		if ((size_t)(end - p) > most + 1 || end == p || end[-1] != '\r')
			fail_msg("line: %.*s", (int)(end - p), p);
		p = end + 1;
	}
}

static void a_mail_is_written_like_this(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT, again = SBUF_INIT;
	static const char *const refs[] = {"aaa", "bbb"};
	struct mail_draft d = draft();

	d.html = "<p>first</p>\n";
	d.refs = refs;
	d.n_refs = 2;
	write_ok(&d, MAIL_WRITE_MAX, &b);
	assert_string_equal(b.s,
		"Date: Thu, 20 Nov 2025 00:53:20 +0000\r\n"
		"From: \"tpucost\" <tpucost@lab.example.org>\r\n"
		"To: ann@example.org,\r\n =?UTF-8?B?5byg5Lyf?=\r\n <z@example.org>\r\n"
		"Message-Id: <c0ffee@lab.example.org>\r\n"
		"In-Reply-To: <bbb@lab.example.org>\r\n"
		"References: <aaa@lab.example.org> <bbb@lab.example.org>\r\n"
		"Subject: a subject\r\n"
		"Auto-Submitted: auto-generated\r\n"
		"List-Id: tpucost <tpucost.lab.example.org>\r\n"
		"MIME-Version: 1.0\r\n"
		"Content-Type: multipart/alternative; boundary=\"=_tpucost_c0ffee\"\r\n"
		"\r\n"
		"--=_tpucost_c0ffee\r\n"
		"Content-Type: text/plain; charset=utf-8\r\n"
		"Content-Transfer-Encoding: quoted-printable\r\n"
		"\r\n"
		"first\r\nsecond\r\n"
		"\r\n--=_tpucost_c0ffee\r\n"
		"Content-Type: text/html; charset=utf-8\r\n"
		"Content-Transfer-Encoding: quoted-printable\r\n"
		"\r\n"
		"<p>first</p>\r\n"
		"\r\n--=_tpucost_c0ffee--\r\n");
	write_ok(&d, MAIL_WRITE_MAX, &again);
	assert_string_equal(again.s, b.s);
}

static void without_html_it_is_one_text(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct mail_draft d = draft();

	d.crlf = false;
	write_ok(&d, MAIL_WRITE_MAX, &b);
	assert_string_equal(b.s,
		"Date: Thu, 20 Nov 2025 00:53:20 +0000\n"
		"From: \"tpucost\" <tpucost@lab.example.org>\n"
		"To: ann@example.org,\n =?UTF-8?B?5byg5Lyf?=\n <z@example.org>\n"
		"Message-Id: <c0ffee@lab.example.org>\n"
		"Subject: a subject\n"
		"Auto-Submitted: auto-generated\n"
		"List-Id: tpucost <tpucost.lab.example.org>\n"
		"MIME-Version: 1.0\n"
		"Content-Type: text/plain; charset=utf-8\n"
		"Content-Transfer-Encoding: quoted-printable\n"
		"\n"
		"first\nsecond\n");
}

/* What this program's own reader of mails makes of it, of a mail with this machine's lines. */
static void reads_back(struct mail_draft d, const char *subject, const char *text)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct arena a = {0};
	struct mail m;
	struct err e = {0};

	d.crlf = false;
	write_ok(&d, MAIL_WRITE_MAX, &b);
	assert_ok(mail_read(b.s, b.len, &a, &m, &e), e);
	assert_true(m.mime);
	if (subject)
		assert_string_equal(m.texts[0].subject, subject);
	assert_string_equal(m.texts[0].text, text);
	assert_ts_eq(m.texts[0].date, SENT);
	arena_done(&a);
}

static void subjects_stay_on_their_line(void **state)
{
	static const struct {
		const char *subject, *want;
	} cases[] = {
		{"x\r\nBcc: evil@x\r\n\r\nbody",
			"x\\x0d\\x0aBcc: evil@x\\x0d\\x0a\\x0d\\x0abody"},
		{"x\nBcc: evil@x", "x\\x0aBcc: evil@x"},
		{ROCKET " HKD 12.30 " ZHANG, ROCKET " HKD 12.30 " ZHANG},
		{"\xe2\x80\xaertl \x1b[31m \xff", "<U+202E>rtl \\x1b[31m \\xff"},
		{"=?UTF-8?Q?x=0D=0ABcc:_y?= trick", "=?UTF-8?Q?x=0D=0ABcc:_y?= trick"},
		{"%n%s%d", "%n%s%d"},
		{"", ""},
	};

	/* G5 */
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
		struct mail_draft d = draft();

		d.subject = cases[i].subject;
		write_ok(&d, MAIL_WRITE_MAX, &b);
		check_lines(&b, 76);
		assert_null(strstr(b.s, "\nBcc:"));
		reads_back(d, *cases[i].want ? cases[i].want : NULL, "first\nsecond\n");
	}
}

static void long_subjects_are_cut_at_a_character(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT, want = SBUF_INIT;
	struct mail_draft d = draft();
	char subject[400] = "";

	for (size_t i = 0; i + 4 < sizeof(subject); i += 3)
		memcpy(subject + i, "\xe2\x82\xac", 4);
	d.subject = subject;
	d.repeat = true;
	write_ok(&d, MAIL_WRITE_MAX, &b);
	sbuf_add(&want, subject, MAIL_MAX_SUBJECT / 3 * 3);
	sbuf_adds(&want, "... [may be a repeat]");
	check_lines(&b, 76);
	reads_back(d, want.s, "first\nsecond\n");
}

static void a_repeat_says_so_and_keeps_its_id(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct mail_draft d = draft();

	d.repeat = true;
	write_ok(&d, MAIL_WRITE_MAX, &b);
	assert_contains(b.s, "\r\nSubject: a subject [may be a repeat]\r\n");
	assert_contains(b.s, "\r\nMessage-Id: <c0ffee@lab.example.org>\r\n");
}

static void texts_come_through(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{".\n..\nFrom me\n--=_tpucost_c0ffee--\n",
			".\n..\nFrom me\n--=_tpucost_c0ffee--\n"},
		{"a\r\nb\rc\x01"
		 "d\x1b[0m\te",
			"a\nb\\x0dc\\x01"
			"d\\x1b[0m\te\n"},
		{"blanks at the end  \n\t\n", "blanks at the end  \n\t\n"},
		{ROCKET ZHANG " \xe2\x96\x81\xe2\x96\x88 =3D =\n",
			ROCKET ZHANG " \xe2\x96\x81\xe2\x96\x88 =3D =\n"},
		{"\xff\xc3(\n", "\xef\xbf\xbd\xef\xbf\xbd(\n"},
		{"J\xc3\xbcrgen\n", "J\xc3\xbcrgen\n"}, /* nothing beyond ISO-8859-1 */
		{"", ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
		struct mail_draft d = draft();

		d.text = cases[i].text;
		d.html = "<p>" ROCKET "</p>";
		write_ok(&d, MAIL_WRITE_MAX, &b);
		check_lines(&b, 76);
		for (size_t k = 0; k < b.len; k++)
			assert_true((unsigned char)b.s[k] < 0x80);
		reads_back(d, "a subject", cases[i].want);
	}
}

static void a_line_of_100_kb_is_folded(void **state)
{
	static char text[100001];
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT, want = SBUF_INIT;
	struct mail_draft d = draft();

	memset(text, 'x', sizeof(text) - 1);
	d.text = d.html = text;
	write_ok(&d, MAIL_WRITE_MAX, &b);
	check_lines(&b, 76);
	sbuf_addf(&want, "%s\n", text);
	reads_back(d, "a subject", want.s);
}

/* 400 lines of 50 bytes, each with its number. */
static const char *numbered(struct sbuf *b)
{
	for (int i = 0; i < 400; i++) {
		sbuf_addf(b, "%05d ", i);
		sbuf_pad(b, '0', 43);
		sbuf_addc(b, '\n');
	}
	return b->s;
}

static void what_is_too_large_is_left_out_in_order(void **state)
{
	cleanup(sbuf_done) struct sbuf whole = SBUF_INIT, text = SBUF_INIT, cut = SBUF_INIT,
				       lines = SBUF_INIT;
	struct mail_draft d = draft();
	const char *end;
	struct err e = {0};

	d.text = numbered(&lines);
	write_ok(&d, MAIL_WRITE_MAX, &text);
	d.html = "<p>html</p>";
	write_ok(&d, MAIL_WRITE_MAX, &whole);
	assert_contains(whole.s, "<p>html</p>");

	sbuf_reset(&cut);
	write_ok(&d, whole.len, &cut);
	assert_string_equal(cut.s, whole.s);
	sbuf_reset(&cut);
	write_ok(&d, whole.len - 1, &cut);
	assert_string_equal(cut.s, text.s);
	sbuf_reset(&cut);
	write_ok(&d, text.len - 1, &cut);
	assert_true(cut.len < text.len && cut.len > text.len * 8 / 10);
	check_lines(&cut, 76);
	end = strstr(cut.s,
		"\r\n\r\n(Shortened: the mail server accepts no more. Full text: tpucost ");
	assert_non_null(end);
	assert_memory_equal(end - 5, "00000", 5); /* a whole line is the last */
	assert_memory_equal(cut.s, text.s, 300);

	assert_err(mail_write(&d, 100, &cut, &e), e, E_LIMIT, "not even its head fits");
}

/* The last line of the text that is not empty, before the note. */
static const char *last_line(const struct sbuf *mail)
{
	static char line[100];
	const char *end = strstr(mail->s, "\r\n(Shortened: "), *start;

	assert_non_null(end);
	while (end[-1] == '\n' && end[-2] == '\r')
		end -= 2;
	for (start = end; start[-1] != '\n';)
		start--;
	snprintf(line, sizeof(line), "%.*s", (int)(end - start), start);
	return line;
}

/* Wherever it is cut: no title or head of a table without its rows. */
static void no_table_is_cut_down_to_its_head(void **state)
{
	size_t rows = 0, before = 0, within = 0;
	struct mail_draft d = draft();

	for (int pad = 1; pad < 70; pad++) {
		cleanup(sbuf_done) struct sbuf text = SBUF_INIT;

		sbuf_addf(&text, "%0*d\n\nA headline of\ntwo lines.\n\n", pad, 0);
		for (int i = 0; i < 4; i++)
			sbuf_adds(&text,
				"Table\n  a note\n  head\n  row 1\n  row 2\n  row 3\n"
				"  row 4\n\nShort\n  head\n  row 9\n\n");
		d.text = text.s;
		for (size_t max = 520; max < 1000; max += 10) {
			cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
			const char *line;
			struct err e = {0};

			if (mail_write(&d, max, &b, &e) || !strstr(b.s, "(Shortened: "))
				continue;
			line = last_line(&b);
			if (!strcmp(line, "Table") || !strcmp(line, "Short") ||
				strstr(line, "note") || !strcmp(line, "  head") ||
				strstr(line, "row 1"))
				assert_string_equal(line, "A headline of");
			rows += !strcmp(line, "  row 2") || !strcmp(line, "  row 3");
			before += !strcmp(line, "  row 9");
			within += !strcmp(line, "A headline of");
		}
	}
	assert_true(rows > 0);   /* a table in its rows */
	assert_true(before > 0); /* and one altogether */
	assert_true(within > 0); /* other texts anywhere */
}

static void names_of_any_length_have_short_lines(void **state)
{
	static const char *const names[] = {
		"Lab of Everything That is Long and in the End Still on One Line "
		"<a@example.org>",
		"\"Lab, TPU\" <b@example.org>",
		ZHANG ZHANG ZHANG ZHANG ZHANG ZHANG ZHANG ZHANG ZHANG ZHANG
		" <c@example.org>",
		"=?UTF-8?Q?evil?= <d@example.org>",
	};
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct mail_draft d = draft();

	d.to = names;
	d.n_to = ARRAY_LEN(names);
	write_ok(&d, MAIL_WRITE_MAX, &b);
	check_lines(&b, 76);
	assert_contains(b.s,
		"\r\nTo: \"Lab of Everything That is Long and in the End Still on One "
		"Line\"\r\n"
		" <a@example.org>,\r\n \"Lab, TPU\" <b@example.org>,\r\n"
		" =?UTF-8?B?5byg5Lyf5byg5Lyf5byg5Lyf5byg5Lyf5byg5Lyf5byg5Lyf5byg?=\r\n"
		" =?UTF-8?B?5Lyf5byg5Lyf5byg5Lyf5byg5Lyf?=\r\n <c@example.org>,\r\n"
		" =?UTF-8?B?PT9VVEYtOD9RP2V2aWw/PQ==?=\r\n <d@example.org>\r\n");
}

static void too_little_room_is_said(void **state)
{
	cleanup(sbuf_done) struct sbuf small = SBUF_MAX(100);
	struct mail_draft d = draft();
	struct err e = {0};

	assert_err(mail_write(&d, MAIL_WRITE_MAX, &small, &e), e, E_LIMIT, "too large");
	assert_i64_eq(small.len, 0);
}

static void wrong_addresses_and_ids_are_refused(void **state)
{
	static const char *const evil_to[] = {"ann@example.org\r\nBcc: evil@x"};
	static const char *const evil_ref[] = {"a>\r\nBcc: evil@x"};
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct mail_draft d = draft();
	struct err e = {0};

	/* G5 */
	d.from = "me@example.org\r\nRCPT TO:<evil@x>";
	assert_err(mail_write(&d, MAIL_WRITE_MAX, &b, &e), e, E_CONFIG, "line ends");
	d = draft();
	d.to = evil_to;
	d.n_to = 1;
	assert_err(mail_write(&d, MAIL_WRITE_MAX, &b, &e), e, E_CONFIG, "line ends");
	d = draft();
	d.refs = evil_ref;
	d.n_refs = 1;
	assert_err(mail_write(&d, MAIL_WRITE_MAX, &b, &e), e, E_BUG, "id");
	d = draft();
	d.id = "";
	assert_err(mail_write(&d, MAIL_WRITE_MAX, &b, &e), e, E_BUG, "id");
	d = draft();
	d.date = TS_NONE;
	assert_err(mail_write(&d, MAIL_WRITE_MAX, &b, &e), e, E_BUG, "date");
	assert_i64_eq(b.len, 0);
}

static void long_threads_keep_their_first_and_latest(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	static char ids[50][70];
	const char *refs[50];
	struct mail_draft d = draft();

	for (int i = 0; i < 50; i++) {
		snprintf(ids[i], sizeof(ids[i]), "%064d", i);
		refs[i] = ids[i];
	}
	d.refs = refs;
	d.n_refs = 50;
	write_ok(&d, MAIL_WRITE_MAX, &b);
	check_lines(&b, 98); /* an id of 64 bytes, and nowhere to break the line */
	assert_contains(b.s, "0000@lab.example.org>\r\n\t<");
	assert_null(strstr(b.s, "000030@lab"));
	assert_contains(b.s, "000031@lab");
	assert_contains(b.s, "In-Reply-To: <000");
	assert_contains(b.s, "000049@lab.example.org>\r\nReferences:");
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mail_is_written_like_this),
		cmocka_unit_test(without_html_it_is_one_text),
		cmocka_unit_test(subjects_stay_on_their_line),
		cmocka_unit_test(long_subjects_are_cut_at_a_character),
		cmocka_unit_test(a_repeat_says_so_and_keeps_its_id),
		cmocka_unit_test(texts_come_through),
		cmocka_unit_test(a_line_of_100_kb_is_folded),
		cmocka_unit_test(what_is_too_large_is_left_out_in_order),
		cmocka_unit_test(no_table_is_cut_down_to_its_head),
		cmocka_unit_test(names_of_any_length_have_short_lines),
		cmocka_unit_test(too_little_room_is_said),
		cmocka_unit_test(wrong_addresses_and_ids_are_refused),
		cmocka_unit_test(long_threads_keep_their_first_and_latest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
