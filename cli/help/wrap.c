/* Texts of help, wrapped and in two columns. */
#include "base/str.h"
#include "cli/help/help.h"

#include <string.h>

/* One paragraph of `len` bytes; its own blanks in front are part of the indent. */
static void wrap_one(
	struct sbuf *b, const char *s, size_t len, size_t at, size_t indent, size_t width)
{
	struct sbuf one = SBUF_INIT;

	sbuf_add(&one, s, len);
	indent += strspn(one.s, " ");
	if (at < indent)
		sbuf_pad(b, ' ', indent - at);
	sbuf_add_wrapped(b, one.s, at > indent ? at : indent, indent, width);
	sbuf_done(&one);
}

void help_wrap(struct sbuf *b, const char *text, int at, int indent, int width)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		if (n)
			wrap_one(b, text, n, (size_t)at, (size_t)indent, (size_t)width);
		else
			sbuf_adds(b, "\n");
		at = 0;
		text += n + (text[n] == '\n');
	}
}

void help_pair(struct sbuf *b, const char *left, const char *right, int at, int width)
{
	int used = 2 + (int)utf8_width(left);

	sbuf_addf(b, "  %s", left);
	/* Where little room is left beside it, the text goes below. */
	if (used + 2 > at || at + 24 > width) {
		sbuf_adds(b, "\n");
		used = 0;
		at = at + 24 > width ? 6 : at;
	}
	help_wrap(b, right, used, at, width);
}
