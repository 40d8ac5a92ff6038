/* Texts in columns of a terminal. They are visible already (sbuf_add_term). */
#ifndef TPUCOST_REPORTS_DOC_WRAP_H
#define TPUCOST_REPORTS_DOC_WRAP_H

#include "base/mem.h"
#include "base/sbuf.h"

/* Bytes of at most the first `width` columns, with the combining marks of the last character. */
size_t wrap_fit(const char *s, size_t width);
/* The text in at most `width` columns; "..." replaces its middle if it is longer. */
const char *wrap_cut(struct arena *a, const char *s, size_t width);
void wrap_trim(struct sbuf *b); /* trailing blanks */

/* A paragraph: broken at blanks, and inside words longer than a line. */
struct wrap {
	struct sbuf *b;
	size_t width;  /* of the lines */
	size_t indent; /* blanks at the beginning of all lines but the first */
	size_t column; /* at which the text continues */
	bool begun;    /* the line has a word: a blank precedes the next one */
	/* at the end of broken lines, inside no word: " \\" in commands; or NULL */
	const char *tail;
};
void wrap_line(struct wrap *w); /* ends the line */
void wrap_text(struct wrap *w, const char *text);

#endif
