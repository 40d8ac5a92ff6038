/* Paragraphs and cuts, measured in display columns. */
#include "base/str.h"
#include "reports/doc/text_internal.h"

#include <string.h>

#define PARAGRAPH_MOST 800 /* columns */

/* The character at `s`: its bytes and columns. */
static size_t char_width(const char *s, size_t *bytes)
{
	char one[8] = "";

	utf8_next(s, bytes);
	memcpy(one, s, *bytes);
	return utf8_width(one);
}

/* Bytes of at most the first `width` columns, with the combining marks of the last character. */
static size_t bytes_of(const char *s, size_t width)
{
	size_t at = 0, bytes, w;

	while (s[at]) {
		w = char_width(s + at, &bytes);
		if (w > width)
			break;
		width -= w;
		at += bytes;
	}
	return at;
}

const char *text_cut(struct arena *a, const char *s, size_t width)
{
	size_t w = utf8_width(s), head, bytes;
	const char *tail = s;

	if (w <= width)
		return s;
	if (width <= 3)
		return arena_strndup(a, "...", width);
	head = bytes_of(s, (width - 2) / 2);
	while (*tail && (w > (width - 3) / 2 || !char_width(tail, &bytes))) {
		w -= char_width(tail, &bytes);
		tail += bytes;
	}
	return arena_printf(a, "%.*s...%s", (int)head, s, tail);
}

void text_trim(struct sbuf *b)
{
	size_t n = b->len;

	while (n && b->s[n - 1] == ' ')
		n--;
	sbuf_trunc(b, n);
}

struct wrap {
	struct sbuf *b;
	size_t column, indent;
	bool fresh; /* nothing on this line yet */
};

static void new_line(struct wrap *w)
{
	text_trim(w->b);
	sbuf_addc(w->b, '\n');
	sbuf_pad(w->b, ' ', w->indent);
	w->column = w->indent;
	w->fresh = true;
}

/* A word longer than a line is broken at the end of the line. */
static void add_word(struct wrap *w, const char *word, const char *end)
{
	size_t width = 0, bytes;

	for (const char *p = word; p < end; p += bytes)
		width += char_width(p, &bytes);
	if (!w->fresh && w->column + 1 + width > TEXT_WIDTH)
		new_line(w);
	if (!w->fresh) {
		sbuf_addc(w->b, ' ');
		w->column++;
	}
	for (const char *p = word; p < end; p += bytes) {
		size_t one = char_width(p, &bytes);

		if (w->column + one > TEXT_WIDTH)
			new_line(w);
		sbuf_add(w->b, p, bytes);
		w->column += one;
		w->fresh = false;
	}
}

void text_paragraph(struct sbuf *b, const char *text, size_t column, size_t indent)
{
	struct wrap w = {.b = b, .column = column, .indent = indent, .fresh = true};
	struct sbuf safe = SBUF_INIT;
	struct arena a = {0};
	const char *p;

	sbuf_add_term(&safe, text);
	p = text_cut(&a, safe.s, PARAGRAPH_MOST);
	for (p += strspn(p, " "); *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");

		add_word(&w, p, p + n);
		p += n;
	}
	text_trim(b);
	sbuf_addc(b, '\n');
	sbuf_done(&safe);
	arena_done(&a);
}
