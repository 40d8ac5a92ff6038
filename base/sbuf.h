/* A growing byte string with a cap.
 *
 * `s` is never NULL and always NUL-terminated, also when empty. When `max` is set and an
 * addition would pass it, nothing of that addition is kept, `full` is set and stays set:
 * check it once at the end. */
#ifndef TPUCOST_BASE_SBUF_H
#define TPUCOST_BASE_SBUF_H

#include "base/base.h"
#include <stdarg.h>

struct sbuf {
	char *s;
	size_t len, cap;
	size_t max; /* 0 = no cap (for text of our own making) */
	bool full;
};

extern char sbuf_empty[1];
#define SBUF_INIT ((struct sbuf){.s = sbuf_empty})
#define SBUF_MAX(m) ((struct sbuf){.s = sbuf_empty, .max = (m)})

bool sbuf_add(struct sbuf *b, const void *data, size_t len); /* false when full */
bool sbuf_adds(struct sbuf *b, const char *s);
bool sbuf_addc(struct sbuf *b, char c);
bool sbuf_addf(struct sbuf *b, const char *fmt, ...) printf_like(2, 3);
bool sbuf_vaddf(struct sbuf *b, const char *fmt, va_list ap) printf_like(2, 0);
void sbuf_pad(struct sbuf *b, char c, size_t n);
void sbuf_trunc(struct sbuf *b, size_t len); /* keep the first `len` bytes */
void sbuf_reset(struct sbuf *b);             /* empty, memory kept, not full any more */
char *sbuf_detach(struct sbuf *b);           /* caller frees; the buffer is empty again */
void sbuf_done(struct sbuf *b);

/* Append `s` escaped for its destination. */
void sbuf_add_json(
	struct sbuf *b, const char *s); /* with the quotes; invalid UTF-8 -> U+FFFD */
void sbuf_add_html(struct sbuf *b, const char *s); /* text and attribute safe */
void sbuf_add_csv(struct sbuf *b, const char *s);  /* RFC 4180, quoted where needed */
/* The same for texts that others wrote: one that a spreadsheet would run as a formula gets "'" in
 * front (it begins, after blanks and quotes, with = + - @, their wide forms, a tab or a line
 * end). */
void sbuf_add_csv_safe(struct sbuf *b, const char *s);
void sbuf_add_url(struct sbuf *b, const char *s); /* percent-encoded component */
void sbuf_add_shell(
	struct sbuf *b, const char *s); /* one word for sh, quoted where needed */
/* For a terminal: control, bidirectional and zero-width characters become visible. */
void sbuf_add_term(struct sbuf *b, const char *s);
/* For GitHub-flavoured markdown: such text, read as it is; `at_start` of a paragraph, an item or a
 * heading, not of a cell. */
void sbuf_add_markdown(struct sbuf *b, const char *s, bool at_start);
/* Text for a terminal as a paragraph, broken at blanks before column `width`. The first line goes on at
 * `column`, the others begin with `indent` blanks; a newline ends it. A longer word stays. */
void sbuf_add_wrapped(
	struct sbuf *b, const char *text, size_t column, size_t indent, size_t width);
/* Text for a terminal in double quotes, for messages; beyond `max` bytes "..." stands for the rest. */
void sbuf_add_quoted(struct sbuf *b, const char *s, size_t max);

#endif
