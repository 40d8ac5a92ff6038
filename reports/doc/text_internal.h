/* Building blocks of documents as text. Private to reports/doc/. */
#ifndef TPUCOST_REPORTS_DOC_TEXT_INTERNAL_H
#define TPUCOST_REPORTS_DOC_TEXT_INTERNAL_H

#include "reports/doc/wrap.h"
#include "reports/doc/doc.h"

#define TEXT_WIDTH 78

/* Appends `text`, made visible, as a paragraph: broken at blanks, and inside words longer than a
 * line. The first line continues at `column`, the others begin with `indent` blanks; a newline ends
 * the paragraph. "..." replaces the middle of very long texts. */
void text_paragraph(struct sbuf *b, const char *text, size_t column, size_t indent);

/* Rows of a section that are shown, as aligned columns. */
struct text_table {
	const struct doc_row **rows;
	size_t n_rows, left;      /* number of rows beyond `max_rows` */
	struct text_column *cols; /* private, from here on */
	size_t n_cols;
	const char **texts; /* n_rows x n_cols */
	bool records;       /* too wide for columns: "Title: value, Title: value" */
	struct arena *a;
};
/* Allocated from the arena. Sets `used` of the marks in the shown rows. */
struct text_table *text_table_new(struct arena *a, const struct doc *d,
	const struct doc_section *s, size_t max_rows, bool *used);
void text_table_head(const struct text_table *t, struct sbuf *b);
/* Appends a row that is shown as a single line. */
void text_table_line(const struct doc_row *row, struct sbuf *b);
/* A row whose only value is its name becomes "name: detail". False: it has more values, and nothing was added. */
bool text_table_sentence(const struct text_table *t, size_t row, struct sbuf *b);
/* A row and, before the first total, a rule. */
void text_table_row(const struct text_table *t, size_t row, struct sbuf *b);

#endif
