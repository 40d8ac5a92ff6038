#include "base/data/csv.h"

#include "base/mem.h"
#include "base/str.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 65536
/* Fits any permitted record with its line end, and enough of a longer one to detect it. */
#define MOST_ROOM (CSV_MAX_RECORD + FIRST_ROOM)

/* ---- the buffer -------------------------------------------------------------------------- */

void csv_init(struct csv *c, const char *name, csv_read_fn *read, void *ctx)
{
	*c = (struct csv){.name = name, .read = read, .ctx = ctx, .number = 1, .line = 1};
	c->room = FIRST_ROOM;
	c->buf = xmalloc(c->room + 1);
	c->f = xmalloc(CSV_MAX_FIELDS * sizeof(*c->f));
}

void csv_done(struct csv *c)
{
	free(c->buf);
	free(c->f);
	*c = (struct csv){0};
}

/* Fill the buffer as far as possible, so that a record is scanned again only when the buffer has
 * doubled or advanced by half: the cost stays linear however little each read returns. */
static enum err_code csv_fill(struct csv *c)
{
	size_t left = c->len - c->pos;

	if (c->pos)
		memmove(c->buf, c->buf + c->pos, left);
	c->pos = 0;
	c->len = left;
	if (left > c->room / 2 && c->room < MOST_ROOM) {
		c->room = c->room * 2 < MOST_ROOM ? c->room * 2 : MOST_ROOM;
		c->buf = xrealloc(c->buf, c->room + 1);
	}
	while (c->len < c->room && !c->drained) {
		size_t n = 0;
		enum err_code rc = c->read(
			c->ctx, c->buf + c->len, c->room - c->len, &n, &c->failed);

		if (rc)
			return rc;
		c->drained = !n;
		c->len += n;
	}
	c->buf[c->len] = '\0';
	return E_OK;
}

/* ---- text that is not permitted ---------------------------------------------------------- */

static enum err_code refuse_file(struct csv *c, const char *what, const char *fix)
{
	err_set(&c->failed, E_DATA, "%s: %s", c->name, what);
	return err_fix(&c->failed, "%s", fix);
}

static bool csv_begins(const struct csv *c, const char *magic, size_t len)
{
	return c->len >= len && !memcmp(c->buf, magic, len);
}

static enum err_code csv_begin(struct csv *c)
{
	enum err_code rc = csv_fill(c);

	if (rc)
		return rc;
	if (csv_begins(c, "\xff\xfe", 2) || csv_begins(c, "\xfe\xff", 2))
		return refuse_file(c, "it is UTF-16, not UTF-8",
			"save it as UTF-8, or run: iconv -f UTF-16 -t UTF-8");
	if (csv_begins(c, "PK\3\4", 4))
		return refuse_file(c, "it is a ZIP archive or a spreadsheet, not CSV",
			"unpack it, or save the sheet as CSV (UTF-8)");
	if (csv_begins(c, "\xef\xbb\xbf", 3))
		c->pos = 3;
	c->begun = true;
	return E_OK;
}

/* First byte that is NUL or not UTF-8, or NULL. A byte that ends every sequence (LF or NUL) must
 * follow the text. */
static const char *find_bad(const char *p, const char *end)
{
	const uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;

	while (p < end) {
		uint64_t word;
		uint32_t c;
		size_t n = 1;

		if (end - p >= 8) {
			memcpy(&word, p, 8);
			/* no byte above 0x7f; without those, only NUL borrows */
			if (!((word | (word - ones)) & highs)) {
				p += 8;
				continue;
			}
		}
		c = (unsigned char)*p < 0x80 ? (unsigned char)*p : utf8_next(p, &n);
		if (!c || (c == 0xfffd && n == 1))
			return p;
		p += n;
	}
	return NULL;
}

/* ---- cutting a record into fields -------------------------------------------------------- */

/* State of scanning a record. The buffer is not changed, because the record may be incomplete.
 * `eol`, `quote` and `cr` are the next ones from `at` on, if there are any before the end of the
 * line; otherwise they are `eol`, or before `at`. */
struct scan {
	char *start, *at, *end;
	bool final; /* nothing comes after `end` */
	char *eol, *quote, *cr;
	bool doubled;  /* doubled quotes must be replaced by single ones */
	bool breaks;   /* it contains line ends */
	bool unclosed; /* the reason of BAD is an unclosed quote */
	enum err_code code;
	const char *why, *fix; /* for BAD */
};

enum verdict { DONE, MORE, BAD };

static enum verdict csv_refuse(
	struct scan *s, enum err_code code, const char *why, const char *fix)
{
	s->code = code;
	s->why = why;
	s->fix = fix;
	return BAD;
}

static char *csv_find(char *from, char c, char *end)
{
	char *p = memchr(from, c, (size_t)(end - from));

	return p ? p : end;
}

/* False when the line does not end in the buffer. */
static bool look_ahead(struct scan *s)
{
	if (!s->eol || s->eol < s->at) {
		s->breaks = s->eol != NULL;
		s->eol = csv_find(s->at, '\n', s->end);
		if (s->eol == s->end && !s->final)
			return false;
	}
	if (!s->quote || s->quote < s->at)
		s->quote = csv_find(s->at, '"', s->eol);
	if (!s->cr || s->cr < s->at)
		s->cr = csv_find(s->at, '\r', s->eol);
	return true;
}

static bool at_crlf(const struct scan *s, const char *cr)
{
	return cr + 1 == s->eol && s->eol < s->end;
}

static enum verdict refuse_cr(struct scan *s)
{
	return csv_refuse(s, E_DATA, "a carriage return without a line feed",
		"end the lines with LF or CRLF, and put text that has others in double "
		"quotes");
}

static enum verdict scan_plain(struct scan *s, struct csv_field *f)
{
	char *stop = csv_find(s->at, ',', s->eol), *text_end = stop;

	if (s->quote < stop) {
		s->at = s->quote;
		return csv_refuse(s, E_DATA,
			"a quote in a field that does not begin with one",
			"put the field in double quotes, and double the quote in it");
	}
	if (s->cr < stop) {
		if (!at_crlf(s, s->cr)) {
			s->at = s->cr;
			return refuse_cr(s);
		}
		text_end = s->cr;
	}
	*f = (struct csv_field){s->at, (size_t)(text_end - s->at)};
	s->at = stop;
	return DONE;
}

static enum verdict after_quote(struct scan *s)
{
	if (!look_ahead(s))
		return MORE;
	if (s->at == s->eol || *s->at == ',')
		return DONE;
	if (*s->at != '\r')
		return csv_refuse(s, E_DATA, "text after a closing quote",
			"double the quotes that belong to the text");
	if (!at_crlf(s, s->at))
		return refuse_cr(s);
	s->at = s->eol;
	return DONE;
}

static enum verdict scan_quoted(struct scan *s, struct csv_field *f)
{
	char *text = s->at + 1, *q = text;

	for (;; q += 2) {
		q = csv_find(q, '"', s->end);
		if (q + 1 < s->end && q[1] == '"') {
			s->doubled = true;
			continue;
		}
		break;
	}
	if (q == s->end && !s->final)
		return MORE;
	if (q == s->end) {
		s->unclosed = true;
		return csv_refuse(s, E_DATA, "the quote at its start is never closed",
			"close it, and double the quotes that belong to the text");
	}
	*f = (struct csv_field){text, (size_t)(q - text)};
	s->at = q + 1;
	return after_quote(s);
}

static enum verdict scan_record(struct csv *c, struct scan *s)
{
	s->at = s->start;
	for (c->n = 0;; s->at++) {
		enum verdict v;

		if (c->n == CSV_MAX_FIELDS)
			return csv_refuse(s, E_LIMIT,
				"more than " STR(CSV_MAX_FIELDS) " fields in a record",
				"is it CSV, with a line for each record?");
		if (!look_ahead(s))
			return MORE;
		if (s->at < s->eol && *s->at == '"')
			v = scan_quoted(s, &c->f[c->n]);
		else
			v = scan_plain(s, &c->f[c->n]);
		if (v)
			return v;
		c->n++;
		if (s->at == s->eol)
			return DONE;
	}
}

/* ---- errors ------------------------------------------------------------------------------ */

static enum err_code fail_at(
	struct csv *c, size_t column, enum err_code code, const char *why, const char *fix)
{
	err_set(&c->failed, code, "%s:%" PRId64 ": column %zu: %s", c->name, c->line,
		column, why);
	return err_fix(&c->failed, "%s", fix);
}

static enum err_code check_text(struct csv *c, const char *start, const char *end)
{
	const char *bad = find_bad(start, end);
	size_t i = 0;

	if (!bad)
		return E_OK;
	while (i < c->n && bad > c->f[i].s + c->f[i].len)
		i++;
	if (*bad)
		return fail_at(c, i + 1, E_DATA, "invalid UTF-8",
			"save it as UTF-8; from Windows, run: iconv -f WINDOWS-1252 -t "
			"UTF-8");
	return fail_at(c, i + 1, E_DATA, "a NUL byte",
		"is it a text file? If it is UTF-16, save it as UTF-8");
}

/* Only in the first record, which is a header: later, ';' is ordinary text. */
static enum err_code check_separator(struct csv *c, char separator)
{
	if (c->number > 1 || (separator != ';' && separator != '\t'))
		return E_OK;
	return fail_at(c, 1, E_DATA,
		separator == ';' ? "fields are separated by ';', not by ','"
				 : "fields are separated by tabs, not by ','",
		"save it with commas between the fields");
}

/* The first error in the text is reported. */
static enum err_code fail_scan(struct csv *c, const struct scan *s)
{
	enum err_code rc = check_text(c, s->start, s->at);

	if (!rc && c->n == 0 && s->at > s->start && s->at[-1] == '"' && s->at < s->end)
		rc = check_separator(c, *s->at);
	return rc ? rc : fail_at(c, c->n + 1, s->code, s->why, s->fix);
}

/* Scan again as much as is permitted, for the cause of the length. */
static enum err_code fail_long(struct csv *c, const struct scan *long_one)
{
	struct scan s = {.start = long_one->start, .final = true};
	enum err_code rc;

	s.end = s.start + CSV_MAX_RECORD;
	if (scan_record(c, &s) == BAD) {
		if (!s.unclosed)
			return fail_scan(c, &s);
		s.code = E_LIMIT;
		s.why = "the quote at its start is not closed within 1 MiB";
		return fail_scan(c, &s);
	}
	/* a character at the end is checked completely: the buffer continues */
	rc = check_text(c, s.start, s.end);
	return rc ? rc
		  : fail_at(c, c->n, E_LIMIT, "the record is longer than 1 MiB",
			    "is it CSV, with a line for each record?");
}

/* ---- records ----------------------------------------------------------------------------- */

static void unescape(char *s, struct csv_field *f)
{
	char *end = s + f->len, *to = memchr(s, '"', f->len), *from = to;

	while (from && from < end) {
		char *next = from + 2 < end ? csv_find(from + 2, '"', end) : end;

		/* one of the two quotes, and the text up to the next two */
		memmove(to, from + 1, (size_t)(next - from - 1));
		to += next - from - 1;
		from = next;
	}
	if (to)
		f->len = (size_t)(to - s);
}

static int64_t count_breaks(const char *p, const char *end)
{
	int64_t n = 0;

	while ((p = memchr(p, '\n', (size_t)(end - p)))) {
		p++;
		n++;
	}
	return n;
}

/* The scan has found a complete record: check its text, then terminate its fields. */
static enum err_code csv_finish(struct csv *c, struct scan *s, struct csv_row *row)
{
	enum err_code rc;

	if ((size_t)(s->eol - s->start) > CSV_MAX_RECORD + (s->eol[-1] == '\r'))
		return fail_long(c, s);
	rc = check_text(c, s->start, s->eol);
	if (!rc && c->n == 1 && *s->start != '"')
		rc = check_separator(c, s->start[strcspn(s->start, ";\t\n")]);
	if (rc)
		return rc;
	*row = (struct csv_row){c->f, c->n, c->number++, c->line};
	c->line += 1 + (s->breaks ? count_breaks(s->start, s->eol) : 0);
	for (size_t i = 0; i < c->n; i++) {
		char *text = c->buf + (c->f[i].s - c->buf);

		if (s->doubled)
			unescape(text, &c->f[i]);
		text[c->f[i].len] = '\0';
	}
	return E_OK;
}

static enum err_code next(struct csv *c, struct csv_row *row)
{
	for (;;) {
		struct scan s = {.start = c->buf + c->pos,
			.end = c->buf + c->len,
			.final = c->drained};
		enum verdict v;
		enum err_code rc;

		if (c->drained && c->pos == c->len) {
			*row = (struct csv_row){.number = c->number, .line = c->line};
			return E_OK;
		}
		v = scan_record(c, &s);
		if (v == BAD)
			return fail_scan(c, &s);
		if (v == MORE) {
			if (c->len - c->pos >= CSV_MAX_RECORD + 2)
				return fail_long(c, &s);
			rc = csv_fill(c);
			if (rc)
				return rc;
			continue;
		}
		c->pos = (size_t)(s.eol - c->buf) + (s.eol < s.end);
		if (c->n > 1 || c->f[0].len || *s.start == '"')
			return csv_finish(c, &s, row);
		c->line++; /* an empty line */
	}
}

enum err_code csv_row(struct csv *c, struct csv_row *row, struct err *e)
{
	enum err_code rc = c->failed.code;

	if (!rc && !c->begun)
		rc = csv_begin(c);
	if (!rc)
		rc = next(c, row);
	if (!rc)
		return E_OK;
	if (e)
		*e = c->failed;
	return rc;
}
