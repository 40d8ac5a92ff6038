#include "base/data/csv.h"

#include "base/mem.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "tests/support/assert.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LITERAL(s) (s), sizeof(s) - 1

/* A text that is handed out in pieces. */
struct source {
	const char *text;
	size_t len, at, piece;
	size_t fail_at; /* 0 = never */
	size_t calls;
};

static enum err_code read_source(
	void *ctx, void *buf, size_t room, size_t *n, struct err *e)
{
	struct source *s = ctx;
	size_t most = s->piece < room ? s->piece : room;

	assert_true(room > 0);
	s->calls++;
	if (s->fail_at && s->at >= s->fail_at) {
		err_set(e, E_IO, "read disk: it burns");
		return err_fix(e, "call the fire brigade");
	}
	*n = s->len - s->at < most ? s->len - s->at : most;
	memcpy(buf, s->text + s->at, *n);
	s->at += *n;
	return E_OK;
}

/* Everything as text: a field as <field>, a record as its number, line and fields. */
static enum err_code show_all(struct source *s, struct sbuf *out, struct err *e)
{
	struct csv c;
	struct csv_row row = {0};
	enum err_code rc;

	csv_init(&c, "f.csv", read_source, s);
	while (!(rc = csv_row(&c, &row, e)) && row.n) {
		sbuf_addf(out, "%d:%d", (int)row.number, (int)row.line);
		for (size_t i = 0; i < row.n; i++) {
			assert_i64_eq(strlen(row.f[i].s), row.f[i].len);
			sbuf_addf(out, "<%s>", row.f[i].s);
		}
		sbuf_addc(out, '\n');
	}
	if (!rc)
		assert_null(row.f);
	csv_done(&c);
	return rc;
}

static const size_t pieces[] = {SIZE_MAX, 1, 2, 3, 5, 7, 64};

static void assert_rows(const char *text, size_t len, const char *want)
{
	for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
		struct source s = {.text = text, .len = len, .piece = pieces[i]};
		cleanup(sbuf_done) struct sbuf out = SBUF_INIT;
		struct err e = {0};

		assert_ok(show_all(&s, &out, &e), e);
		assert_string_equal(out.s, want);
	}
}

/* Refused with exactly this message, whatever is read at a time. */
static void assert_refused(
	const char *text, size_t len, enum err_code code, const char *want)
{
	for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
		struct source s = {.text = text, .len = len, .piece = pieces[i]};
		cleanup(sbuf_done) struct sbuf out = SBUF_INIT;
		struct err e = {0};

		assert_err(show_all(&s, &out, &e), e, code, want);
		assert_string_equal(e.msg, want);
		assert_true(e.fix[0]);
	}
}

/* ---- what is read ------------------------------------------------------------------------ */

static const struct good {
	const char *text;
	size_t len;
	const char *want;
} good[] = {
	{LITERAL(""), ""},
	{LITERAL("\n"), ""},
	{LITERAL("\r\n\n\r\n"), ""},
	{LITERAL("\xef\xbb\xbf"), ""},
	{LITERAL("\xef\xbb\xbf\n"), ""},
	{LITERAL("a"), "1:1<a>\n"},
	{LITERAL("a\n"), "1:1<a>\n"},
	{LITERAL("a\r\n"), "1:1<a>\n"},
	{LITERAL("a,b,c\n"), "1:1<a><b><c>\n"},
	{LITERAL("a,b\n1,2\n3,4\n"), "1:1<a><b>\n2:2<1><2>\n3:3<3><4>\n"},
	{LITERAL("a,b\r\n1,2\r\n3,4\r\n"), "1:1<a><b>\n2:2<1><2>\n3:3<3><4>\n"},
	{LITERAL("a,b\r\n1,2\n3,4"), "1:1<a><b>\n2:2<1><2>\n3:3<3><4>\n"},
	/* empty fields and empty lines */
	{LITERAL(","), "1:1<><>\n"},
	{LITERAL(",\r\n"), "1:1<><>\n"},
	{LITERAL(",,\n,"), "1:1<><><>\n2:2<><>\n"},
	{LITERAL("a,\n"), "1:1<a><>\n"},
	{LITERAL("\"\""), "1:1<>\n"},
	{LITERAL("\"\"\r\n"), "1:1<>\n"},
	{LITERAL("\"\",\"\"\n"), "1:1<><>\n"},
	{LITERAL("\n\na,b\n\r\n\n1,2\n\n"), "1:3<a><b>\n2:6<1><2>\n"},
	{LITERAL(" \n"), "1:1< >\n"},
	/* a record of another length is as good as others */
	{LITERAL("a,b\n1\n1,2,3\n"), "1:1<a><b>\n2:2<1>\n3:3<1><2><3>\n"},
	/* quotes */
	{LITERAL("\"a\""), "1:1<a>\n"},
	{LITERAL("\"a\"\n"), "1:1<a>\n"},
	{LITERAL("\"a\",b,\"c\"\r\n"), "1:1<a><b><c>\n"},
	{LITERAL("\"a,b\",c\n"), "1:1<a,b><c>\n"},
	{LITERAL("\"a\"\"b\"\n"), "1:1<a\"b>\n"},
	{LITERAL("\"\"\"\"\n"), "1:1<\">\n"},
	{LITERAL("\"\"\"\"\"\"\n"), "1:1<\"\">\n"},
	{LITERAL("\"\"\"a\"\"\",\"\"\"\"\"b\"\n"), "1:1<\"a\"><\"\"b>\n"},
	{LITERAL("\"say \"\"hi\"\", then \"\"bye\"\"\",x\n"),
		"1:1<say \"hi\", then \"bye\"><x>\n"},
	{LITERAL("x,\"a\"\"\"\"b\"\"c\",plain,\"d\"\n"), "1:1<x><a\"\"b\"c><plain><d>\n"},
	/* line ends in quotes, and the lines counted after them */
	{LITERAL("\"a\nb\",c\nd,e\n"), "1:1<a\nb><c>\n2:3<d><e>\n"},
	{LITERAL("\"a\r\nb\",\"c\r\n\r\n\"\r\nd\r\n"), "1:1<a\r\nb><c\r\n\r\n>\n2:5<d>\n"},
	{LITERAL("\"\n\"\n\"\n\n\"\nx"), "1:1<\n>\n2:3<\n\n>\n3:6<x>\n"},
	{LITERAL("\"a\rb\",\"\r\"\nx\n"), "1:1<a\rb><\r>\n2:2<x>\n"},
	{LITERAL("\"a\rb\",c\r\nd,\"\r\",e\n"), "1:1<a\rb><c>\n2:2<d><\r><e>\n"},
	{LITERAL("a,\"b\n\",c,\"d\n\",e\r\nx,y\n"), "1:1<a><b\n><c><d\n><e>\n2:4<x><y>\n"},
	{LITERAL("\"a\n\"\"b\n\"\"\",c\n"), "1:1<a\n\"b\n\"><c>\n"},
	/* text that is only text */
	{LITERAL(" a , b \n"), "1:1< a >< b >\n"},
	{LITERAL("a\tb,c;d\n1;2,3\n4;5\n"), "1:1<a\tb><c;d>\n2:2<1;2><3>\n3:3<4;5>\n"},
	{LITERAL("\"a;b\"\n"), "1:1<a;b>\n"},
	{LITERAL("\"a\tb\"\n"), "1:1<a\tb>\n"},
	{LITERAL("x\n1;2\n"), "1:1<x>\n2:2<1;2>\n"},
	{LITERAL("a\\,b\n"), "1:1<a\\><b>\n"},
	{LITERAL("'a,b'\n"), "1:1<'a><b'>\n"},
	{LITERAL("\x01\x1b[2J,\x7f\n"), "1:1<\x01\x1b[2J><\x7f>\n"},
	{LITERAL("PK,x\n"), "1:1<PK><x>\n"},
	/* UTF-8 of every length, around words of eight bytes */
	{LITERAL("\xc3\xa9,\xe2\x82\xac,\xf0\x9f\x98\x80,\xef\xbf\xbd\n"),
		"1:1<\xc3\xa9><\xe2\x82\xac><\xf0\x9f\x98\x80><\xef\xbf\xbd>\n"},
	{LITERAL("1234567\xc3\xa9,123456\xe2\x82\xac,12345\xf0\x9f\x98\x80\n"),
		"1:1<1234567\xc3\xa9><123456\xe2\x82\xac><12345\xf0\x9f\x98\x80>\n"},
	{LITERAL("\xef\xbb\xbf\"a\",b\n1,2\n"), "1:1<a><b>\n2:2<1><2>\n"},
	{LITERAL("a\n\xef\xbb\xbf\n"), "1:1<a>\n2:2<\xef\xbb\xbf>\n"},
};

static void what_rfc_4180_allows_is_read(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		assert_rows(good[i].text, good[i].len, good[i].want);
}

static void fields_are_slices_that_end_in_nul(void **state)
{
	static const char text[] = "id,\"na\"\"me\"\n17,x\n";
	struct source s = {.text = text, .len = sizeof(text) - 1, .piece = SIZE_MAX};
	struct csv_row row;
	struct csv c;
	struct err e = {0};

	csv_init(&c, "f.csv", read_source, &s);
	assert_ok(csv_row(&c, &row, &e), e);
	assert_i64_eq(row.n, 2);
	assert_i64_eq(row.f[0].len, 2);
	assert_string_equal(row.f[0].s, "id");
	assert_i64_eq(row.f[1].len, 5);
	assert_string_equal(row.f[1].s, "na\"me");
	assert_ok(csv_row(&c, &row, &e), e);
	assert_i64_eq(row.number, 2);
	assert_i64_eq(row.line, 2);
	assert_string_equal(row.f[0].s, "17");
	for (int again = 0; again < 3; again++) {
		assert_ok(csv_row(&c, &row, &e), e);
		assert_i64_eq(row.n, 0);
		assert_null(row.f);
	}
	csv_done(&c);
	csv_done(&c);
}

/* ---- what is refused --------------------------------------------------------------------- */

static const struct bad {
	const char *text;
	size_t len;
	const char *want; /* behind the name of the file */
} bad[] = {
	/* quotes */
	{LITERAL("\""), "1: column 1: the quote at its start is never closed"},
	{LITERAL("\"a"), "1: column 1: the quote at its start is never closed"},
	{LITERAL("\"a\"\""), "1: column 1: the quote at its start is never closed"},
	{LITERAL("\"\"\"\n"), "1: column 1: the quote at its start is never closed"},
	{LITERAL("a,b\n1,\"2\n3,4\n5,6\n"),
		"2: column 2: the quote at its start is never closed"},
	{LITERAL("a,\"b\nc\",\"d\n"),
		"1: column 3: the quote at its start is never closed"},
	{LITERAL("\"a\"b\n"), "1: column 1: text after a closing quote"},
	{LITERAL("\"a\" \n"), "1: column 1: text after a closing quote"},
	{LITERAL("\"a\" ,b\n"), "1: column 1: text after a closing quote"},
	{LITERAL("\"a\" \"b\"\n"), "1: column 1: text after a closing quote"},
	{LITERAL("\n\nx,\"a\nb\",\"c\"d\n"), "3: column 3: text after a closing quote"},
	{LITERAL("\"a\"\"b\"c\"\n"), "1: column 1: text after a closing quote"},
	{LITERAL("\"a\"x"), "1: column 1: text after a closing quote"},
	{LITERAL("a\"b\n"), "1: column 1: a quote in a field that does not begin with one"},
	{LITERAL("x, \"b\"\n"),
		"1: column 2: a quote in a field that does not begin with one"},
	{LITERAL("a,b\"\n"),
		"1: column 2: a quote in a field that does not begin with one"},
	{LITERAL("a,b\"\"\n"),
		"1: column 2: a quote in a field that does not begin with one"},
	{LITERAL("\"a\",b\"\n"),
		"1: column 2: a quote in a field that does not begin with one"},
	{LITERAL("\"a\n\",\"b\",c\"d\n"),
		"1: column 3: a quote in a field that does not begin with one"},
	/* carriage returns */
	{LITERAL("a\rb\n"), "1: column 1: a carriage return without a line feed"},
	{LITERAL("a\rb\rc\r"), "1: column 1: a carriage return without a line feed"},
	{LITERAL("\r"), "1: column 1: a carriage return without a line feed"},
	{LITERAL("a,b\r"), "1: column 2: a carriage return without a line feed"},
	{LITERAL("a\r\r\n"), "1: column 1: a carriage return without a line feed"},
	{LITERAL("a,b\n\"1\"\r,2\n"), "2: column 1: a carriage return without a line feed"},
	{LITERAL("a,b\n\"1\"\r"), "2: column 1: a carriage return without a line feed"},
	{LITERAL("a\n\"1\r\",\r2\r\n"),
		"2: column 2: a carriage return without a line feed"},
	/* what is no text */
	{LITERAL("a\0b\n"), "1: column 1: a NUL byte"},
	{LITERAL("a,b\n1,\0\n"), "2: column 2: a NUL byte"},
	{LITERAL("1234567\0,a\n"), "1: column 1: a NUL byte"},
	{LITERAL("1234567,\"\0\"\n"), "1: column 2: a NUL byte"},
	{LITERAL("12345678,\"x\n\0y\",z\n"), "1: column 2: a NUL byte"},
	{LITERAL("\0"), "1: column 1: a NUL byte"},
	{LITERAL("a\0,\0b\0\n\0"), "1: column 1: a NUL byte"}, /* UTF-16 */
	{LITERAL("a\xff"), "1: column 1: invalid UTF-8"},
	{LITERAL("a,b\xe9\n"), "1: column 2: invalid UTF-8"},
	{LITERAL("a,b,c\n1,\xe9t\xe9,3\n"), "2: column 2: invalid UTF-8"},
	{LITERAL("a,\"b\n\xe9\",c\n"), "1: column 2: invalid UTF-8"},
	{LITERAL("a\xc3\n\xa9\n"), "1: column 1: invalid UTF-8"},
	{LITERAL("a\xc3,\xa9\n"), "1: column 1: invalid UTF-8"},
	{LITERAL("a\xe2\x82"), "1: column 1: invalid UTF-8"},
	{LITERAL("1234567\xe2\x82,b"), "1: column 1: invalid UTF-8"},
	{LITERAL("a,\xed\xa0\x80\n"), "1: column 2: invalid UTF-8"},
	{LITERAL("a,\xc0\xaf\n"), "1: column 2: invalid UTF-8"},
	{LITERAL("a,,\x80\n"), "1: column 3: invalid UTF-8"},
	/* the first thing wrong is what is said */
	{LITERAL("a\xff,\"b\n"), "1: column 1: invalid UTF-8"},
	{LITERAL("a,\"b\xff\n"), "1: column 2: the quote at its start is never closed"},
	{LITERAL("a\xff\"b\n"), "1: column 1: invalid UTF-8"},
	{LITERAL("a,b\xff\rc\n"), "1: column 2: invalid UTF-8"},
	{LITERAL("\xff,a\"\n"), "1: column 1: invalid UTF-8"},
	{LITERAL("a,b\"\0\n"),
		"1: column 2: a quote in a field that does not begin with one"},
	{LITERAL("a,\"b\0\"c\n"), "1: column 2: a NUL byte"},
	/* other separators */
	{LITERAL("a;b;c\n1;2;3\n"), "1: column 1: fields are separated by ';', not by ','"},
	{LITERAL("\n\r\na;b\r\n"), "3: column 1: fields are separated by ';', not by ','"},
	{LITERAL("\xef\xbb\xbf"
		 "a;\xc3\xa9\n"),
		"1: column 1: fields are separated by ';', not by ','"},
	{LITERAL("\"a\";\"b\"\n"), "1: column 1: fields are separated by ';', not by ','"},
	{LITERAL("a;\"b\"\n"),
		"1: column 1: a quote in a field that does not begin with one"},
	{LITERAL("sep=;\na;b\n"), "1: column 1: fields are separated by ';', not by ','"},
	{LITERAL("a\tb\n"), "1: column 1: fields are separated by tabs, not by ','"},
	{LITERAL("\"a\"\t\"b\"\n"),
		"1: column 1: fields are separated by tabs, not by ','"},
	{LITERAL("a,\"b\";c\n"), "1: column 2: text after a closing quote"},
	{LITERAL("a\n\"b\";c\n"), "2: column 1: text after a closing quote"},
};

static void what_is_not_csv_is_refused_with_its_place(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		char want[200];

		snprintf(want, sizeof(want), "f.csv:%s", bad[i].want);
		assert_refused(bad[i].text, bad[i].len, E_DATA, want);
	}
}

static void other_files_are_recognized(void **state)
{
	assert_refused(LITERAL("\xff\xfe"
			       "a\0,\0b\0\n\0"),
		E_DATA, "f.csv: it is UTF-16, not UTF-8");
	assert_refused(LITERAL("\xfe\xff\0a"), E_DATA, "f.csv: it is UTF-16, not UTF-8");
	assert_refused(LITERAL("\xff\xfe"), E_DATA, "f.csv: it is UTF-16, not UTF-8");
	assert_refused(LITERAL("PK\3\4\x14\0\6\0"), E_DATA,
		"f.csv: it is a ZIP archive or a spreadsheet, not CSV");
}

static void every_refusal_says_what_to_do(void **state)
{
	static const struct {
		const char *text, *fix;
	} cases[] = {
		{"\xff\xfe", "iconv -f UTF-16 -t UTF-8"},
		{"a\xe9", "iconv -f WINDOWS-1252 -t UTF-8"},
		{"a;b", "with commas between the fields"},
		{"a\"", "double the quote in it"},
		{"\"a", "close it"},
		{"\"a\"b", "double the quotes that belong to the text"},
		{"a\rb", "end the lines with LF or CRLF"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct source s = {
			.text = cases[i].text, .len = strlen(cases[i].text), .piece = 9};
		cleanup(sbuf_done) struct sbuf out = SBUF_INIT;
		struct err e = {0};

		assert_int_equal(show_all(&s, &out, &e), E_DATA);
		assert_contains(e.fix, cases[i].fix);
	}
}

/* The records before the bad one are read; then the error stays. */
static void an_error_stays(void **state)
{
	static const char text[] = "a,b\n1,2\n\"3\"x,4\n5,6\n";
	struct source s = {.text = text, .len = sizeof(text) - 1, .piece = 4};
	struct csv_row row;
	struct csv c;
	struct err e = {0};

	csv_init(&c, "f.csv", read_source, &s);
	assert_ok(csv_row(&c, &row, &e), e);
	assert_ok(csv_row(&c, &row, &e), e);
	assert_string_equal(row.f[1].s, "2");
	for (int again = 0; again < 3; again++) {
		err_clear(&e);
		assert_err(
			csv_row(&c, &row, &e), e, E_DATA, "f.csv:3: column 1: text after");
		assert_i64_eq(row.number, 2);
	}
	assert_int_equal(csv_row(&c, &row, NULL), E_DATA);
	csv_done(&c);
}

static void the_reader_s_error_is_passed_on(void **state)
{
	static const char text[] = "a,b\n1,2\n";
	struct csv_row row;
	struct err e = {0};

	for (size_t i = 1; i <= sizeof(text); i++) {
		struct source s = {.text = text,
			.len = sizeof(text) - 1,
			.piece = 1,
			.fail_at = i < sizeof(text) ? i : 0};
		struct csv c;
		enum err_code rc;

		csv_init(&c, "f.csv", read_source, &s);
		rc = csv_row(&c, &row, &e);
		if (i == sizeof(text)) {
			assert_ok(rc, e);
		} else {
			assert_err(rc, e, E_IO, "read disk: it burns");
			assert_string_equal(e.fix, "call the fire brigade");
			s.fail_at = 0;
			assert_int_equal(csv_row(&c, &row, NULL), E_IO);
		}
		csv_done(&c);
	}
}

/* ---- caps -------------------------------------------------------------------------------- */

static void fields(struct sbuf *b, size_t n, const char *one, const char *end)
{
	for (size_t i = 0; i < n; i++)
		sbuf_addf(b, "%s%s", i ? "," : "", one);
	sbuf_adds(b, end);
}

static void two_thousand_fields_are_allowed_and_no_more(void **state)
{
	static const char *const ones[] = {"", "x", "\"y\""};

	for (size_t i = 0; i < ARRAY_LEN(ones); i++) {
		cleanup(sbuf_done) struct sbuf b = SBUF_INIT, out = SBUF_INIT;
		struct source s = {.piece = 4096};
		struct err e = {0};

		fields(&b, 2000, ones[i], "\r\n");
		s.text = b.s;
		s.len = b.len;
		assert_ok(show_all(&s, &out, &e), e);
		sbuf_reset(&b);
		fields(&b, 2001, ones[i], "\n");
		assert_refused(b.s, b.len, E_LIMIT,
			"f.csv:1: column 2001: more than 2000 fields in a record");
		sbuf_reset(&b);
		sbuf_adds(&b, "h\n");
		fields(&b, 50000, ones[i], "");
		assert_refused(b.s, b.len, E_LIMIT,
			"f.csv:2: column 2001: more than 2000 fields in a record");
	}
}

/* A header, a record of `body` bytes in all made of `open`, 'x' and `close`, and one more. */
static void long_record(
	struct sbuf *b, const char *open, size_t body, const char *close, const char *eol)
{
	sbuf_reset(b);
	sbuf_addf(b, "h%s%s", eol, open);
	sbuf_pad(b, 'x', body - strlen(open) - strlen(close));
	sbuf_addf(b, "%s%slast%s", close, eol, eol);
}

static void assert_long_ok(const struct sbuf *b, size_t field_len)
{
	for (size_t i = 0; i < 3; i++) {
		struct source s = {.text = b->s, .len = b->len, .piece = 999 + i * 500000};
		struct csv_row row;
		struct csv c;
		struct err e = {0};

		csv_init(&c, "f.csv", read_source, &s);
		assert_ok(csv_row(&c, &row, &e), e);
		assert_string_equal(row.f[0].s, "h");
		assert_ok(csv_row(&c, &row, &e), e);
		assert_i64_eq(row.f[row.n - 1].len, field_len);
		assert_i64_eq(strlen(row.f[row.n - 1].s), field_len);
		assert_ok(csv_row(&c, &row, &e), e);
		assert_string_equal(row.f[0].s, "last");
		assert_ok(csv_row(&c, &row, &e), e);
		assert_i64_eq(row.n, 0);
		csv_done(&c);
	}
}

static void assert_long_refused(const struct sbuf *b, enum err_code code, const char *want)
{
	for (size_t i = 0; i < 3; i++) {
		struct source s = {.text = b->s, .len = b->len, .piece = 999 + i * 500000};
		cleanup(sbuf_done) struct sbuf out = SBUF_INIT;
		struct err e = {0};

		assert_err(show_all(&s, &out, &e), e, code, want);
		assert_string_equal(e.msg, want);
	}
}

static void a_mebibyte_is_allowed_and_no_more(void **state)
{
	static const char *const eols[] = {"\n", "\r\n"};
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	for (size_t i = 0; i < ARRAY_LEN(eols); i++) {
		long_record(&b, "", MIB, "", eols[i]);
		assert_long_ok(&b, MIB);
		long_record(&b, "a,", MIB, "", eols[i]);
		assert_long_ok(&b, MIB - 2);
		long_record(&b, "\"", MIB, "\"", eols[i]);
		assert_long_ok(&b, MIB - 2);
		long_record(&b, "\"\"\"\n", MIB, "\"\"\"", eols[i]);
		assert_long_ok(&b, MIB - 4);
		long_record(&b, "", MIB + 1, "", eols[i]);
		assert_long_refused(
			&b, E_LIMIT, "f.csv:2: column 1: the record is longer than 1 MiB");
		long_record(&b, "a,", MIB * 2, "", eols[i]);
		assert_long_refused(
			&b, E_LIMIT, "f.csv:2: column 2: the record is longer than 1 MiB");
		long_record(&b, "a,\"", MIB + 1, "\",b", eols[i]);
		assert_long_refused(
			&b, E_LIMIT, "f.csv:2: column 3: the record is longer than 1 MiB");
	}
}

static void the_last_record_has_the_same_cap(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT, out = SBUF_INIT;
	struct source s = {.piece = 65536};
	struct err e = {0};

	sbuf_pad(&b, 'x', MIB);
	s.text = b.s;
	s.len = b.len;
	assert_ok(show_all(&s, &out, &e), e);
	assert_i64_eq(out.len, MIB + 6);
	sbuf_addc(&b, 'x');
	assert_long_refused(
		&b, E_LIMIT, "f.csv:1: column 1: the record is longer than 1 MiB");
}

/* A quote that is opened and forgotten swallows the rest; that is what must be said. */
static void a_long_record_is_explained(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	long_record(&b, "a,\"b\n", MIB + 1, "", "\n");
	assert_long_refused(
		&b, E_DATA, "f.csv:2: column 2: the quote at its start is never closed");
	long_record(&b, "a,\"b\n", MIB * 2, "", "\n");
	assert_long_refused(&b, E_LIMIT,
		"f.csv:2: column 2: the quote at its start is not closed within 1 MiB");
	long_record(&b, "a,\"b", MIB * 3, "\"", "\n");
	assert_long_refused(&b, E_LIMIT,
		"f.csv:2: column 2: the quote at its start is not closed within 1 MiB");
	long_record(&b, "a,\"b", MIB + 1, "\"", "\n"); /* closed by its last byte */
	assert_long_refused(&b, E_LIMIT,
		"f.csv:2: column 2: the quote at its start is not closed within 1 MiB");
	long_record(&b, "\"a\"b", MIB * 2, "", "\n");
	assert_long_refused(&b, E_DATA, "f.csv:2: column 1: text after a closing quote");
	long_record(&b, "a\xff", MIB * 2, "", "\n");
	assert_long_refused(&b, E_DATA, "f.csv:2: column 1: invalid UTF-8");
	long_record(&b, "a,\xff,\"", MIB * 2, "", "\n");
	assert_long_refused(&b, E_DATA, "f.csv:2: column 2: invalid UTF-8");
	long_record(&b, "a\r", MIB * 2, "", "\n");
	assert_long_refused(
		&b, E_DATA, "f.csv:2: column 1: a carriage return without a line feed");
}

/* A character across the cap is not half of one. */
static void a_character_may_lie_across_the_cap(void **state)
{
	for (size_t before = MIB - 6; before <= MIB; before++) {
		cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

		sbuf_pad(&b, 'x', before);
		for (int i = 0; i < 10; i++)
			sbuf_adds(&b, "\xf0\x9f\x98\x80");
		assert_long_refused(
			&b, E_LIMIT, "f.csv:1: column 1: the record is longer than 1 MiB");
	}
}

/* ---- the buffer -------------------------------------------------------------------------- */

/* A record of record `i`: every kind, some longer than the buffer at first is. */
static void add_record(struct sbuf *b, struct sbuf *want, int i, uint32_t x)
{
	size_t len = i % 97 == 0 ? 150000 + x % 1000 : x % 300;

	sbuf_addf(b, "%d,%x,\"q\"\"%x\",", i, x, x);
	sbuf_addf(want, "<%d><%x><q\"%x>", i, x, x);
	if (i % 3 == 0) {
		sbuf_adds(b, "\"\n");
		sbuf_adds(want, "<\n");
		sbuf_pad(b, 'z', len);
		sbuf_adds(b, "\"");
	} else {
		sbuf_adds(want, "<");
		sbuf_pad(b, 'z', len);
	}
	sbuf_pad(want, 'z', len);
	sbuf_adds(want, ">\n");
	sbuf_adds(b, i % 2 ? "\r\n" : "\n");
}

static void records_survive_the_moving_buffer(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT, want = SBUF_INIT;
	static const size_t sizes[] = {1, 1000, 4096, 65536, 65537, SIZE_MAX};
	uint32_t x = 1;
	int line = 1;

	for (int i = 0; i < 2000; i++) {
		x = x * 1664525 + 1013904223;
		sbuf_addf(&want, "%d:%d", i + 1, line);
		add_record(&b, &want, i, x >> 8);
		line += i % 3 == 0 ? 2 : 1;
	}
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct source s = {.text = b.s, .len = b.len, .piece = sizes[i]};
		cleanup(sbuf_done) struct sbuf out = SBUF_INIT;
		struct err e = {0};

		assert_ok(show_all(&s, &out, &e), e);
		assert_i64_eq(out.len, want.len);
		assert_memory_equal(out.s, want.s, want.len);
	}
}

/* All lengths of a record around those of the buffer and of half of it. */
static void records_may_end_where_the_buffer_ends(void **state)
{
	for (size_t at = 32760; at < 32776; at++) {
		cleanup(sbuf_done) struct sbuf b = SBUF_INIT, out = SBUF_INIT;
		struct source s = {.piece = SIZE_MAX};
		struct err e = {0};
		char want[40];

		sbuf_adds(&b, "\"");
		sbuf_pad(&b, 'x', at);
		sbuf_adds(&b, "\"\r\n\"");
		sbuf_pad(&b, 'y', 65536 - at - 10);
		sbuf_adds(&b, "\"\"\",\"\"\"\"\r\nlast,\"a\"\r\n");
		s.text = b.s;
		s.len = b.len;
		assert_ok(show_all(&s, &out, &e), e);
		snprintf(want, sizeof(want), "y\"><\">\n3:3<last><a>\n");
		assert_true(str_ends(out.s, want));
	}
}

/* Quotes and line ends in masses cost no more than other text: the reader is asked only for
 * what is there, and all of this takes a moment. */
static void masses_of_quotes_and_lines_are_read_once(void **state)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT, out = SBUF_INIT;
	struct source s = {.piece = 1};
	struct err e = {0};

	sbuf_addc(&b, '"');
	for (size_t i = 0; i < MIB / 3 - 1; i++)
		sbuf_adds(&b, "\n\"\"");
	sbuf_adds(&b, "\"\n");
	s.text = b.s;
	s.len = b.len;
	assert_ok(show_all(&s, &out, &e), e);
	assert_i64_eq(out.len, 6 + (MIB / 3 - 1) * 2);
	assert_i64_eq(s.calls, b.len + 1);
	assert_i64_eq(s.at, b.len);
}

/* Any byte in the place of any other: never a crash, and the same whatever is read at a
 * time. */
static void every_changed_byte_is_survived(void **state)
{
	static const char whole[] = "a,\"b\"\"c\",d\r\n\"e\nf\",\xc3\xa9,\r\n\n1,2,3\n";
	char text[sizeof(whole)];

	for (size_t i = 0; i < sizeof(whole) - 1; i++) {
		for (int c = 0; c < 256; c++) {
			struct source s = {
				.text = text, .len = sizeof(whole) - 1, .piece = 1};
			struct source t = s;
			cleanup(sbuf_done) struct sbuf one = SBUF_INIT, all = SBUF_INIT;
			struct err e = {0}, f = {0};
			enum err_code rc;

			memcpy(text, whole, sizeof(whole));
			text[i] = (char)c;
			t.piece = SIZE_MAX;
			rc = show_all(&s, &one, &e);
			assert_int_equal(show_all(&t, &all, &f), rc);
			assert_string_equal(one.s, all.s);
			assert_string_equal(e.msg, f.msg);
			if (!rc)
				assert_true(c && utf8_valid(text, sizeof(whole) - 1));
		}
	}
}

UNIT_TESTS()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_rfc_4180_allows_is_read),
		cmocka_unit_test(fields_are_slices_that_end_in_nul),
		cmocka_unit_test(what_is_not_csv_is_refused_with_its_place),
		cmocka_unit_test(other_files_are_recognized),
		cmocka_unit_test(every_refusal_says_what_to_do),
		cmocka_unit_test(an_error_stays),
		cmocka_unit_test(the_reader_s_error_is_passed_on),
		cmocka_unit_test(two_thousand_fields_are_allowed_and_no_more),
		cmocka_unit_test(a_mebibyte_is_allowed_and_no_more),
		cmocka_unit_test(the_last_record_has_the_same_cap),
		cmocka_unit_test(a_long_record_is_explained),
		cmocka_unit_test(a_character_may_lie_across_the_cap),
		cmocka_unit_test(records_survive_the_moving_buffer),
		cmocka_unit_test(records_may_end_where_the_buffer_ends),
		cmocka_unit_test(masses_of_quotes_and_lines_are_read_once),
		cmocka_unit_test(every_changed_byte_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
