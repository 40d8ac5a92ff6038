/* Mails as programs send them and as people damage them: every text comes out decoded, or the
 * mail is refused. */
#include "base/net/mail.h"

#include "base/sbuf.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

static struct arena arena;

static int teardown(void **state)
{
	arena_done(&arena);
	return 0;
}

#define HEAD "From: a@example.org\nSubject: hello\nDate: Tue, 05 May 2026 10:00:00 +0800\n"
/* 2026-05-05T02:00:00Z */
#define SENT INT64_C(1777946400)
#define NOW (SENT + 100 * INT64_C(86400))

static struct mail read_ok(const char *text)
{
	struct mail m;
	struct err e = {0};

	if (mail_read(text, strlen(text), &arena, &m, &e))
		fail_msg("%s\n  gave %s", text, e.msg);
	return m;
}

static void one_text(const char *mail, const char *want)
{
	struct mail m = read_ok(mail);

	assert_int_equal(m.n, 1);
	assert_string_equal(m.texts[0].text, want);
}

static void refused(const char *mail, enum err_code code, const char *why)
{
	struct mail m = {.n = 77};
	struct err e = {0};

	if (mail_read(mail, strlen(mail), &arena, &m, &e) != code || !strstr(e.msg, why))
		fail_msg("gave %d: %s", (int)e.code, e.msg);
	assert_int_equal(m.n, 77);
}

static void a_plain_mail_has_a_date_and_a_subject(void **state)
{
	struct mail m = read_ok(HEAD "\nfirst\nsecond\n");

	assert_true(m.mime);
	assert_int_equal(m.n, 1);
	assert_string_equal(m.texts[0].text, "first\nsecond\n");
	assert_string_equal(m.texts[0].subject, "hello");
	assert_int_equal(m.texts[0].date, SENT);
	assert_false(m.texts[0].html);
	assert_string_equal(m.sha256,
		"fbffff6c2a184f73f150f5a7e983bd940036e744aadd52dd1c8ec1662ad982c1");
}

static void encodings_and_charsets_are_undone(void **state)
{
	one_text(HEAD
		"MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\n"
		"Content-Transfer-Encoding: quoted-printable\n\n"
		"5 on=E2=80=91demand Cloud TPU v3-8 device(s) in=\n zone europe-west4-a\n",
		"5 on\xe2\x80\x91"
		"demand Cloud TPU v3-8 device(s) in zone europe-west4-a\n");
	one_text(HEAD "Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n"
		      "aGVsbG8s\nIHdvcmxk\nCg==\n",
		"hello, world\n");
	one_text(HEAD "Content-Type: text/plain; charset=iso-8859-1\n"
		      "Content-Transfer-Encoding: quoted-printable\n\ncaf=E9\n",
		"caf\xc3\xa9\n");
	assert_string_equal(read_ok("From: a\nSubject: =?utf-8?B?VFJDIOKckw==?=\n\nx\n")
				    .texts[0]
				    .subject,
		"TRC \xe2\x9c\x93");
}

static void html_becomes_lines(void **state)
{
	struct mail m = read_ok(
		HEAD "Content-Type: "
		     "text/html\n\n<html><head><title>no</title><style>p{}</style></head>"
		     "<body><p>one\ntwo</p><ul><li>5 "
		     "<b>on&#8209;demand</b>&nbsp;TPU</li><li>second "
		     "</ul><table><tr><td>32 "
		     "chips<td>v4</tr></table>a<br>b&amp;c<script>x</script>");

	assert_int_equal(m.n, 1);
	assert_true(m.texts[0].html);
	assert_string_equal(m.texts[0].text,
		"one two\n5 on\xe2\x80\x91"
		"demand\xc2\xa0TPU\n> second \n>>> 32 chips | v4 | \na\n> b&c\n");
}

#define BOTH                                                            \
	HEAD "MIME-Version: 1.0\nContent-Type: multipart/alternative; " \
	     "boundary=\"b\"\n\n--b\n"                                  \
	     "Content-Type: text/plain\n\nplain\n--b\nContent-Type: "   \
	     "text/html\n\n<p>rich</p>\n"

static void every_form_of_a_mail_is_given(void **state)
{
	struct mail m = read_ok(BOTH "--b--\n");

	assert_int_equal(m.n, 2);
	assert_string_equal(m.texts[0].text, "plain");
	assert_string_equal(m.texts[1].text, "rich\n");
	assert_int_equal(m.texts[1].date, SENT);
}

static void a_mail_inside_a_mail_has_its_own_date(void **state)
{
	struct mail m = read_ok(HEAD
		"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nlook\n--b\n"
		"Content-Type: message/rfc822\n\nDate: Mon, 04 May 2026 00:00:00 GMT\n"
		"Subject: inner\n\ngrants\n--b\nContent-Type: text/plain\n"
		"Content-Disposition: attachment; filename=x.txt\n\nnot this\n--b--\n");

	assert_int_equal(m.n, 2);
	assert_int_equal(m.texts[0].date, SENT);
	assert_string_equal(m.texts[1].text, "grants");
	assert_string_equal(m.texts[1].subject, "inner");
	/* 26 hours earlier */
	assert_int_equal(m.texts[1].date, SENT - 26 * 3600);
}

static void pasted_text_is_taken_as_it_is(void **state)
{
	struct mail m = read_ok(
		"Subject: [TRC] You have access\nYour project x now has access:\n"
		"5 on-demand\n");

	assert_false(m.mime);
	assert_int_equal(m.n, 1);
	assert_int_equal(m.texts[0].date, TS_NONE);
	assert_true(strstr(m.texts[0].text, "Subject: [TRC]") == m.texts[0].text);
	/* text, though its first line looks like a head */
	assert_false(read_ok("Note: this is it\n\nmore\n").mime);
	assert_false(read_ok("\n\nFrom: a\n\nx\n").mime);
	assert_int_equal(read_ok("Date: Tue, 05 May 2026 10:00:00 +0800\nno empty line\n")
				 .texts[0]
				 .date,
		SENT);
	/* tags in it, with the lines of the text kept */
	m = read_ok("<li>one</li><li>two</li>\nthree\n");
	assert_string_equal(m.texts[0].text, "> one\n> two\n\nthree\n");
	assert_true(read_ok("From someone Tue May  5\n" HEAD "\nx\n").mime);
	assert_true(read_ok("\xef\xbb\xbf" HEAD "\nx\n").mime);
}

static void a_date_without_zone_is_no_instant(void **state)
{
	assert_int_equal(
		read_ok("From: a\nDate: Tue, 05 May 2026 10:00:00\n\nx\n").texts[0].date,
		TS_NONE);
	assert_int_equal(
		read_ok("From: a\nDate: yesterday +0000\n\nx\n").texts[0].date, TS_NONE);
	assert_int_equal(read_ok("From: a\n\nx\n").texts[0].date, TS_NONE);
	assert_int_equal(
		read_ok("From: a\nDate: 5 May 2026 02:00:00 GMT\n\nx\n").texts[0].date,
		SENT);
}

static void only_rfc5322_dates_with_a_zone_are_instants(void **state)
{
	static const char *const none[] = {"Tue, 5 May 2026 at 10:00",
		"5 May 2026 10:00:00 PDT", "5 May 2026 at 10:00:00 GMT+8",
		"5 May 2026 10:00:00 GMT+8", "05/05/2026 10:00 +0800",
		"Tue, 32 May 2026 10:00:00 +0800", "Tue, 5 May 2026 25:00:00 +0800",
		"Tue, 5 May 2026 10:00:00 +0800 or so", "5 May 26 10:00 +0800", "", "\xff",
		"5 May 2026 10:00 +1401", "5 May 2026 10:00 -0960", "5 May 2016 10:00 GMT",
		"5 May 0026 10:00 GMT"};
	static const char *const same[] = {"Tue, 05 May 2026 10:00:00 +0800",
		"tue , 5 may 2026 10:00 +0800 (CST)", "5 May 2026 02:00:00 -0000",
		"Mon, 4 May 2026 22:00:00 -0400", "  5 May 2026 02:00:00 UTC ",
		"5 May 2026 16:00 +1400"};

	for (size_t i = 0; i < ARRAY_LEN(none); i++)
		if (mail_date_parse(none[i], &arena) != TS_NONE)
			fail_msg("%s", none[i]);
	for (size_t i = 0; i < ARRAY_LEN(same); i++)
		if (mail_date_parse(same[i], &arena) != SENT)
			fail_msg("%s", same[i]);
	assert_int_equal(
		mail_date_parse("Mon, 05 May 2026 10:00:00 +0800", &arena), TS_NONE);
	assert_int_equal(mail_date_parse(NULL, &arena), TS_NONE);
}

#define PAGE HEAD "Content-Type: text/html\n\n"

/* One mark per element that TRC does not use there; an empty one marks the line after it. */
static void only_known_elements_are_not_marked(void **state)
{
	static const char *const known[][2] = {
		{"<html><head><title>t</title><meta x=y><style>/* c */ p, td {margin:0 "
		 "auto}</style></head><body style='width:100%'>a",
			"a\n"},
		{"<div><div>a</div><p style='margin:0'>b<br>c</p></div>", "a\nb\nc\n"},
		{"<ul><li>5 <b>a</b></li> <li> 6 b</li></ul>", "5 a\n6 b\n"},
		{"a <a href='https://x.google.com/?y' style='color:#12f'>b</a> c",
			"a b c\n"},
		{"<table style='border:0'><tr><td>&nbsp;</td><td>a</td></tr><tr><td> "
		 "</td><td><p>b</p></td></tr></table>",
			"\xc2\xa0 | a | \nb\n"},
		{"<table class=moz-email-headers-table><tbody><tr><th>From: </th><td>a",
			"From:  | a | \n"},
	};
	static const char *const other[][2] = {
		{"a<blockquote>b<div id=x>c<br>d</div>e</blockquote>f",
			"a\n> b\n>> c\n>> d\n> e\nf\n"},
		{"f<div id=appendonsend></div>g<br>i", "f\n> g\ni\n"},
		{"a <cite>b</cite> c<br>d", "> a b c\nd\n"},
		{"<p type=cite>a</p><p name=quote>b</p>c", "> a\n> b\nc\n"},
		{"<ul><li>a</li><li>5 a</li></ul>", "> a\n5 a\n"},
		{"<ul>a<p>b</p></ul>", "> a\n> b\n"},
		{"<ul><li>5 a<ul><li>6 b</li></ul></li></ul>", "5 a\n>> 6 b\n"},
		{"<dl><dd>a</dd></dl>", ">> a\n"},
		{"<table style='border:0'><tr><td width=20></td><td>a", "> a | \n"},
		{"<table style='border:0'><tr><td>&nbsp;&nbsp;</td><td>a",
			"> \xc2\xa0\xc2\xa0 | a | \n"},
		{"<table style='border:0'><tr><td><ul></ul></td><td>a", "> a | \n"},
		{"<table style='border:0'><tr><th>a</th><td>b", "> a | b | \n"},
		{"<table><tr><td>a", ">>> a | \n"},
		{"<table style='border:0'><tr><td><table style='border:0'><tr><td>a",
			">>> a | \n"},
		{"a <a href='https://google.com.x.org/'>b</a>", "> a b\n"},
		{"<p style='margin:0 0 0 1px'>a</p>b", "> a\nb\n"},
		{"a<!-- x -->b<br>c", "> ab\nc\n"},
		{"<style>p{padding:1px}</style><p>a", ">>>>>>>> a\n"},
		{"<head><link rel=stylesheet></head><p>a", ">>>>>>>> a\n"},
		{"<p>a<blockquote></blockquote>", "a\n> \n"},
	};
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		one_text(arena_printf(&arena, PAGE "%s", known[i][0]), known[i][1]);
	for (size_t i = 0; i < ARRAY_LEN(other); i++)
		one_text(arena_printf(&arena, PAGE "%s", other[i][0]), other[i][1]);
	sbuf_adds(&b, "From: a\nContent-Type: text/html\n\n");
	for (int i = 0; i < 20; i++)
		sbuf_adds(&b, "<blockquote>");
	sbuf_adds(&b, "deep");
	one_text(b.s, ">>>>>>>> deep\n");
}

/* Reason why lines `first` to `last` of the only text have no date; "own" or "inner" if they have. */
static const char *sent(const char *mail, int first, int last)
{
	struct mail m = read_ok(mail);
	struct mail_sent s = mail_sent(
		&m, &(struct mail_span){first, last}, 0, NOW, &arena);

	assert_true((s.at == TS_NONE) == (s.why != NULL));
	assert_true(s.why || s.at == SENT);
	return s.why ? s.why : s.inner ? "inner" : "own";
}

#define GOOGLE                                                                           \
	"From: trc-support@google.com\nDate: Tue, 05 May 2026 10:00:00 +0800\nSubject: " \
	"[TRC] Welcome\n"
#define OTHER(line) "line " line " is not text of an original mail of TRC"

static void only_known_lines_have_the_date_of_the_mail(void **state)
{
	struct sbuf b = SBUF_INIT;

	assert_string_equal(sent(GOOGLE "\nGreat news!\nwelcome\n> news\n", 1, 2), "own");
	assert_string_equal(
		sent(GOOGLE "\nGreat news!\nwelcome\n> news\n", 1, 3), OTHER("3"));
	assert_string_equal(sent(GOOGLE "\nnews\nnews\x01\n", 1, 2), OTHER("2"));
	assert_string_equal(sent(GOOGLE "\n\xff\nnews\n", 2, 2), OTHER("1"));
	assert_string_equal(sent(GOOGLE "\nnews\n\n news\n", 3, 3), OTHER("3"));
	assert_string_equal(sent(GOOGLE "\n news\n", 1, 1), OTHER("1"));
	assert_string_equal(sent(GOOGLE "\nnews from Ann\n", 1, 1), OTHER("1"));
	/* one head, then the text */
	assert_string_equal(sent(GOOGLE "\n\n" GOOGLE "\nnews\n", 6, 6), "inner");
	assert_string_equal(sent(GOOGLE "\n" GOOGLE "\n\x01\nnews\n", 6, 6), OTHER("1"));
	assert_string_equal(sent(GOOGLE "\n" GOOGLE "\nTuesday\nnews\n", 6, 6), OTHER("1"));
	assert_string_equal(sent(GOOGLE "\nFrom: a@google.com\n\nDate: Tue, 05 May 2026 "
					"10:00:00 +0800\nSubject: TRC\n\nnews\n",
				    6, 6),
		OTHER("1"));
	assert_string_equal(sent(GOOGLE "X-Original-From: ann@example.org\n\nnews\n", 1, 1),
		"it was not sent by Google, according to its \"From:\"");
	assert_string_equal(sent("Date: Tue, 05 May 2026 10:00:00 +0800\nSubject: "
				 "TRC\n\nnews\n",
				    1, 1),
		"it was not sent by Google, according to its \"From:\"");
	assert_string_equal(sent(GOOGLE "References: <1@x.org>\nnews\n", 5, 5),
		"its head has \"References:\", unlike that of an original mail of TRC");
	assert_string_equal(sent(GOOGLE "Content-Description: mail\n\nnews\n", 1, 1),
		"its head has \"Content-Description:\", unlike that of an original mail of "
		"TRC");
	assert_string_equal(
		sent("received: x\nX-Received: y\n" GOOGLE "List-Id: <z>\n\nnews\n", 1, 1),
		"own");
	/* too long to be proven */
	sbuf_adds(&b, GOOGLE "\n");
	for (int i = 0; i < 801; i++)
		sbuf_adds(&b, "news ");
	assert_string_equal(sent(b.s, 1, 1), OTHER("1"));
	sbuf_reset(&b);
	sbuf_adds(&b, GOOGLE "\n");
	sbuf_pad(&b, '\n', 1999);
	sbuf_adds(&b, "news\nnews\nnews\n");
	assert_string_equal(sent(b.s, 2000, 2000), "own");
	assert_string_equal(sent(b.s, 2002, 2002), OTHER("2001"));
	sbuf_done(&b);
}

/* Clocks may differ by an hour. */
static void no_date_is_later_than_the_clock(void **state)
{
	struct mail m = read_ok(GOOGLE "\nnews\n");
	struct mail inner = read_ok("From: a\n\n" GOOGLE "\nnews\n");
	struct mail_span own = {1, 1}, in = {5, 5};

	assert_int_equal(mail_sent(&m, &own, 0, SENT - 3600, &arena).at, SENT);
	assert_int_equal(mail_sent(&m, &own, 0, SENT - 3601, &arena).at, TS_NONE);
	assert_string_equal(mail_sent(&m, &own, 0, SENT - 3601, &arena).why,
		"its \"Date:\" is in the future");
	assert_int_equal(mail_sent(&inner, &in, 0, SENT - 3600, &arena).at, SENT);
	assert_int_equal(mail_sent(&inner, &in, 0, SENT - 3601, &arena).at, TS_NONE);
}

static void text_that_is_hidden_or_struck_out_is_left_out(void **state)
{
	one_text(HEAD "Content-Type: text/html\n\n<ul><li>5</li><li "
		      "style=\"color:red;DISPLAY : none\">3"
		      "</li><li hidden>2</li><li><s>7</s></li><li><del>8</del></li>"
		      "<li style=\"text-decoration: line-through\">9</li><li>6</li></ul>",
		"5\n> 6\n");
}

static void blanks_of_html_are_seen_only_where_they_are_shown(void **state)
{
	one_text(HEAD "Content-Type: text/html\n\n<p>\n  a</p>\n <table><tr><td></td> "
		      "<td>b</td></tr></table><hr><pre>c\n  d</pre><p "
		      "style='white-space:pre'> e</p><p style='margin-left:1em'>f</p><p "
		      "style='margin-left:0'>g",
		"a\n>>> b | \n> ---\n> c\n>   d\n>  e\n> f\ng\n");
}

static void damage_is_refused(void **state)
{
	refused(HEAD
		"Content-Transfer-Encoding: base64\nContent-Type: text/plain\n\naGVsb*8s\n",
		E_DATA, "damaged base64");
	refused(HEAD
		"Content-Transfer-Encoding: base64\nContent-Type: text/plain\n\naGVsbG8\n",
		E_DATA, "damaged base64");
	refused(HEAD
		"Content-Transfer-Encoding: base64\nContent-Type: text/plain\n\naAB=aGVs\n",
		E_DATA, "damaged base64");
	refused(HEAD
		"Content-Transfer-Encoding: base64\nContent-Type: text/plain\n\nYQBi\n",
		E_DATA, "NUL");
	refused(HEAD "Content-Type: text/plain; charset=klingon\n\nx\n", E_DATA, "charset");
	refused(BOTH, E_DATA, "cut off"); /* the last boundary is not there */
	refused(HEAD "Content-Type: multipart/mixed\n\n--b\n\nx\n", E_DATA, "cut off");
	refused(HEAD "Content-Type: image/png\n\nx\n", E_DATA, "no text");
	refused("%PDF-1.7 x", E_DATA, "PDF");
	{
		struct mail m;
		struct err e = {0};

		assert_int_equal(mail_read("a\0b", 3, &arena, &m, &e), E_DATA);
		assert_int_equal(mail_read("a\0b", 3, &arena, &m, NULL), E_DATA);
	}
}

static void nesting_and_size_have_an_end(void **state)
{
	struct sbuf b = SBUF_INIT;
	struct mail m;
	struct err e = {0};

	sbuf_adds(&b, "From: a\n");
	for (int i = 0; i < 9; i++)
		sbuf_adds(&b, "Content-Type: message/rfc822\n\n");
	sbuf_adds(&b, "From: b\n\nx\n");
	refused(b.s, E_LIMIT, "more than 8 deep");
	for (int i = 0; i < 30000; i++)
		sbuf_adds(&b, "Content-Type: message/rfc822\n\n");
	refused(b.s, E_LIMIT, "more than 64 parts");
	sbuf_reset(&b);
	sbuf_adds(&b, "From: a\nContent-Type: multipart/mixed; boundary=b\n\n");
	for (int i = 0; i < 100; i++)
		sbuf_adds(&b, "--b\n\nx\n");
	sbuf_adds(&b, "--b--\n");
	refused(b.s, E_LIMIT, "more than 64 parts");
	sbuf_reset(&b);
	/* multiparts within multiparts, of types that are not written out */
	sbuf_adds(&b, "From: a\nContent-Type: multipart/digest; boundary=b\n\n");
	for (int i = 0; i < 10000; i++)
		sbuf_adds(&b, "--b\n\n\n");
	if (!mail_read(b.s, b.len, &arena, &m, &e))
		fail_msg("a digest of 10000 parts was read");
	sbuf_reset(&b);
	sbuf_pad(&b, 'x', MAIL_MAX_BYTES + 1);
	refused(b.s, E_LIMIT, "bytes");
	sbuf_done(&b);
}

static void html_that_cannot_be_read_whole_is_refused(void **state)
{
	struct sbuf b = SBUF_INIT;

	sbuf_adds(&b, "From: a\nContent-Type: text/html\n\n");
	for (int i = 0; i < 5000; i++)
		sbuf_adds(&b, "<div>");
	sbuf_adds(&b, "deep");
	refused(b.s, E_DATA, "nested too deeply");
	sbuf_reset(&b);
	sbuf_adds(&b, "From: a\nContent-Type: text/html\n\n");
	for (int i = 0; i < 200; i++)
		sbuf_adds(&b, "<div>");
	sbuf_adds(&b, "<p>deep</i></span><bad <<x>end");
	assert_non_null(strstr(read_ok(b.s).texts[0].text, "deep"));
	one_text("From: a\nContent-Type: text/html\n\n\n", "");
	sbuf_done(&b);
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plain_mail_has_a_date_and_a_subject),
		cmocka_unit_test(encodings_and_charsets_are_undone),
		cmocka_unit_test(html_becomes_lines),
		cmocka_unit_test(every_form_of_a_mail_is_given),
		cmocka_unit_test(a_mail_inside_a_mail_has_its_own_date),
		cmocka_unit_test(pasted_text_is_taken_as_it_is),
		cmocka_unit_test(a_date_without_zone_is_no_instant),
		cmocka_unit_test(only_rfc5322_dates_with_a_zone_are_instants),
		cmocka_unit_test(only_known_elements_are_not_marked),
		cmocka_unit_test(only_known_lines_have_the_date_of_the_mail),
		cmocka_unit_test(no_date_is_later_than_the_clock),
		cmocka_unit_test(text_that_is_hidden_or_struck_out_is_left_out),
		cmocka_unit_test(blanks_of_html_are_seen_only_where_they_are_shown),
		cmocka_unit_test(damage_is_refused),
		cmocka_unit_test(nesting_and_size_have_an_end),
		cmocka_unit_test(html_that_cannot_be_read_whole_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
