#include "base/sbuf.h"

#include "base/mem.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char sbuf_empty[1] = "";

/* Make space for `more` bytes and the terminator. */
static bool make_room(struct sbuf *b, size_t more)
{
	size_t need, cap;

	if (b->full || (b->max && (more > b->max || b->len > b->max - more))) {
		b->full = true;
		return false;
	}
	need = b->len + more + 1;
	if (need <= b->cap)
		return true;
	cap = b->cap ? b->cap : 64;
	while (cap < need)
		cap *= 2;
	b->s = b->s == sbuf_empty ? xmalloc(cap) : xrealloc(b->s, cap);
	b->s[b->len] = '\0';
	b->cap = cap;
	return true;
}

bool sbuf_add(struct sbuf *b, const void *data, size_t len)
{
	if (!make_room(b, len))
		return false;
	if (len)
		memcpy(b->s + b->len, data, len);
	b->len += len;
	b->s[b->len] = '\0';
	return true;
}

bool sbuf_adds(struct sbuf *b, const char *s)
{
	return sbuf_add(b, s, strlen(s));
}

bool sbuf_addc(struct sbuf *b, char c)
{
	return sbuf_add(b, &c, 1);
}

/* Text that fits into the free space is formatted once. */
bool sbuf_vaddf(struct sbuf *b, const char *fmt, va_list ap)
{
	size_t room = make_room(b, 0) ? b->cap - b->len : 0;
	va_list again;
	bool fits;
	int n;

	va_copy(again, ap);
	n = vsnprintf(room ? b->s + b->len : NULL, room, fmt, again);
	va_end(again);
	fits = n >= 0 && make_room(b, (size_t)n);
	if (fits && (size_t)n >= room)
		vsnprintf(b->s + b->len, (size_t)n + 1, fmt, ap);
	if (fits)
		b->len += (size_t)n;
	else if (room)
		b->s[b->len] = '\0';
	return fits;
}

bool sbuf_addf(struct sbuf *b, const char *fmt, ...)
{
	va_list ap;
	bool ok;

	va_start(ap, fmt);
	ok = sbuf_vaddf(b, fmt, ap);
	va_end(ap);
	return ok;
}

void sbuf_pad(struct sbuf *b, char c, size_t n)
{
	if (!make_room(b, n))
		return;
	memset(b->s + b->len, c, n);
	b->len += n;
	b->s[b->len] = '\0';
}

void sbuf_trunc(struct sbuf *b, size_t len)
{
	if (len < b->len) {
		b->len = len;
		b->s[len] = '\0';
	}
}

void sbuf_reset(struct sbuf *b)
{
	b->len = 0;
	b->full = false;
	if (b->cap)
		b->s[0] = '\0';
}

char *sbuf_detach(struct sbuf *b)
{
	char *s = b->s == sbuf_empty ? xstrdup("") : b->s;

	b->s = sbuf_empty;
	b->len = b->cap = 0;
	b->full = false;
	return s;
}

void sbuf_done(struct sbuf *b)
{
	if (b->s != sbuf_empty)
		free(b->s);
	b->s = sbuf_empty;
	b->len = b->cap = 0;
	b->full = false;
}

void sbuf_add_json(struct sbuf *b, const char *s)
{
	sbuf_addc(b, '"');
	while (*s) {
		size_t n;
		uint32_t c = utf8_next(s, &n);

		if (c == '"' || c == '\\')
			sbuf_addf(b, "\\%c", (int)c);
		else if (c == '\n')
			sbuf_adds(b, "\\n");
		else if (c < 0x20 || c == 0x7f || c == 0x2028 || c == 0x2029)
			sbuf_addf(b, "\\u%04x", c);
		else if (c == 0xfffd)
			sbuf_adds(b, "\xef\xbf\xbd");
		else
			sbuf_add(b, s, n);
		s += n;
	}
	sbuf_addc(b, '"');
}

void sbuf_add_html(struct sbuf *b, const char *s)
{
	while (*s) {
		size_t n;
		uint32_t c = utf8_next(s, &n);

		if (c == '&')
			sbuf_adds(b, "&amp;");
		else if (c == '<')
			sbuf_adds(b, "&lt;");
		else if (c == '>')
			sbuf_adds(b, "&gt;");
		else if (c == '"')
			sbuf_adds(b, "&quot;");
		else if (c == '\'')
			sbuf_adds(b, "&#39;");
		else if (c == 0xfffd || (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
			sbuf_adds(b, "\xef\xbf\xbd");
		else
			sbuf_add(b, s, n);
		s += n;
	}
}

void sbuf_add_csv(struct sbuf *b, const char *s)
{
	if (!*s || !strpbrk(s, "\",\r\n")) {
		sbuf_adds(b, s);
		return;
	}
	sbuf_addc(b, '"');
	for (; *s; s++) {
		if (*s == '"')
			sbuf_addc(b, '"');
		sbuf_addc(b, *s);
	}
	sbuf_addc(b, '"');
}

/* Characters from OWASP's page on CSV injection; the wide forms are effective in East Asian
 * spreadsheets. */
static bool is_formula(const char *s)
{
	size_t n;
	uint32_t c;

	s += strspn(s, " \"'");
	c = utf8_next(s, &n);
	return (c && c < 0x80 && strchr("=+-@\t\r\n", (int)c)) || c == 0xff1d ||
		c == 0xff0b || c == 0xff0d || c == 0xff20;
}

void sbuf_add_csv_safe(struct sbuf *b, const char *s)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;

	if (!is_formula(s)) {
		sbuf_add_csv(b, s);
		return;
	}
	sbuf_addf(&text, "'%s", s);
	sbuf_add_csv(b, text.s);
}

static bool is_unreserved(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		c == '-' || c == '.' || c == '_' || c == '~';
}

void sbuf_add_url(struct sbuf *b, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (is_unreserved(c))
			sbuf_addc(b, *s);
		else
			sbuf_addf(b, "%%%02X", c);
	}
}

static bool shell_safe(const char *s)
{
	/* "~" is the home directory at the start, in some shells also after "=" and ":" */
	for (; *s; s++)
		if (*s == '~' ||
			(!is_unreserved((unsigned char)*s) && !strchr("/:=@,+%", *s)))
			return false;
	return true;
}

void sbuf_add_shell(struct sbuf *b, const char *s)
{
	if (*s && shell_safe(s)) {
		sbuf_adds(b, s);
		return;
	}
	sbuf_addc(b, '\'');
	for (; *s; s++) {
		if (*s == '\'')
			sbuf_adds(b, "'\\''");
		else
			sbuf_addc(b, *s);
	}
	sbuf_addc(b, '\'');
}

/* Bidirectional controls and zero-width characters can make a line look like another. */
static bool is_invisible(uint32_t c)
{
	return c == 0xad || c == 0x61c || (c >= 0x200b && c <= 0x200f) ||
		(c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x2069) ||
		c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) ||
		(c >= 0xe0000 && c <= 0xe007f);
}

static size_t plain_ascii(const char *s, const char *end)
{
	const char *p = s;

	while (p < end && *p >= 0x20 && *p < 0x7f)
		p++;
	return (size_t)(p - s);
}

static void add_term(struct sbuf *b, const char *s, const char *end)
{
	while (s < end) {
		size_t n = plain_ascii(s, end);
		uint32_t c;

		sbuf_add(b, s, n);
		s += n;
		if (s == end)
			return;
		c = utf8_next(s, &n);
		if (c < 0x20 || c == 0x7f || (c == 0xfffd && n == 1))
			sbuf_addf(b, "\\x%02x", (unsigned char)*s);
		else if ((c >= 0x80 && c < 0xa0) || is_invisible(c))
			sbuf_addf(b, "<U+%04X>", c);
		else
			sbuf_add(b, s, n);
		s += n;
	}
}

void sbuf_add_term(struct sbuf *b, const char *s)
{
	add_term(b, s, s + strlen(s));
}

/* Would "-", "1." and others at the start of a block begin a list, a heading, a quote? */
static bool begins_block(const char *start, const char *p)
{
	if (p == start)
		return strchr("-+#=", *p) != NULL;
	if ((*p != '.' && *p != ')') || (p[1] && p[1] != ' '))
		return false;
	return strspn(start, "0123456789") == (size_t)(p - start);
}

/* "https://" and "www." become links automatically. */
static bool begins_link(const char *start, const char *p)
{
	if (*p == ':')
		return p[1] == '/' && p[2] == '/';
	return *p == '.' && p - start >= 3 && (p[-1] | 0x20) == 'w' &&
		(p[-2] | 0x20) == 'w' && (p[-3] | 0x20) == 'w';
}

void sbuf_add_markdown(struct sbuf *b, const char *s, bool at_start)
{
	cleanup(sbuf_done) struct sbuf safe = SBUF_INIT;

	sbuf_add_term(&safe, s);
	for (const char *p = safe.s; *p; p++) {
		if (strchr("\\`*_[]<>|~&$", *p) || begins_link(safe.s, p) ||
			(at_start && begins_block(safe.s, p)))
			sbuf_addc(b, '\\');
		sbuf_addc(b, *p);
	}
}

static size_t word_width(const char *word, size_t n)
{
	cleanup(sbuf_done) struct sbuf one = SBUF_INIT;

	sbuf_add(&one, word, n);
	return utf8_width(one.s);
}

void sbuf_add_wrapped(
	struct sbuf *b, const char *text, size_t column, size_t indent, size_t width)
{
	cleanup(sbuf_done) struct sbuf safe = SBUF_INIT;
	bool begun = false;

	sbuf_add_term(&safe, text);
	for (const char *p = safe.s + strspn(safe.s, " "); *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " "), w = word_width(p, n);

		if (begun && column + 1 + w > width) {
			sbuf_addc(b, '\n');
			sbuf_pad(b, ' ', indent);
			column = indent;
		} else if (begun) {
			sbuf_addc(b, ' ');
			column++;
		}
		sbuf_add(b, p, n);
		column += w;
		begun = true;
		p += n;
	}
	sbuf_addc(b, '\n');
}

void sbuf_add_quoted(struct sbuf *b, const char *s, size_t max)
{
	const char *end = s + utf8_fit(s, max);

	sbuf_addc(b, '\'');
	add_term(b, s, end);
	sbuf_adds(b, *end ? "...'" : "'");
}
