#include "reports/doc/wrap.h"

#include "base/str.h"

#include <string.h>

/* The character at `s`: its bytes and columns. */
static size_t char_width(const char *s, size_t *bytes)
{
	char one[8] = "";

	utf8_next(s, bytes);
	memcpy(one, s, *bytes);
	return utf8_width(one);
}

size_t wrap_fit(const char *s, size_t width)
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

const char *wrap_cut(struct arena *a, const char *s, size_t width)
{
	size_t w = utf8_width(s), head, bytes;
	const char *tail = s;

	if (w <= width)
		return s;
	if (width <= 3)
		return arena_strndup(a, "...", width);
	head = wrap_fit(s, (width - 2) / 2);
	while (*tail && (w > (width - 3) / 2 || !char_width(tail, &bytes))) {
		w -= char_width(tail, &bytes);
		tail += bytes;
	}
	return arena_printf(a, "%.*s...%s", (int)head, s, tail);
}

void wrap_trim(struct sbuf *b)
{
	size_t n = b->len;

	while (n && b->s[n - 1] == ' ')
		n--;
	sbuf_trunc(b, n);
}

void wrap_line(struct wrap *w)
{
	wrap_trim(w->b);
	sbuf_adds(w->b, w->tail ? w->tail : "");
	sbuf_addc(w->b, '\n');
	sbuf_pad(w->b, ' ', w->indent);
	w->column = w->indent;
	w->begun = false;
}

/* A word longer than a line is broken at the end of the line, but not in commands. */
static void add_word(struct wrap *w, const char *word, const char *end)
{
	size_t width = w->tail ? strlen(w->tail) : 0, bytes;

	for (const char *p = word; p < end; p += bytes)
		width += char_width(p, &bytes);
	if (w->begun && w->column + 1 + width > w->width)
		wrap_line(w);
	if (w->begun) {
		sbuf_addc(w->b, ' ');
		w->column++;
	}
	for (const char *p = word; p < end; p += bytes) {
		size_t one = char_width(p, &bytes);

		if (w->column + one > w->width && !w->tail)
			wrap_line(w);
		sbuf_add(w->b, p, bytes);
		w->column += one;
		w->begun = true;
	}
}

void wrap_text(struct wrap *w, const char *text)
{
	for (const char *p = text + strspn(text, " "), *end; *p;
		p = end + strspn(end, " ")) {
		end = p + strcspn(p, " ");
		add_word(w, p, end);
	}
}
