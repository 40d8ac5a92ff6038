/* What documents as text are made of. Private to reports/doc/. */
#ifndef TPUCOST_REPORTS_DOC_TEXT_INTERNAL_H
#define TPUCOST_REPORTS_DOC_TEXT_INTERNAL_H

#include "reports/doc/doc.h"

#define TEXT_WIDTH 78

/* `text`, made visible, as a paragraph: broken at blanks, and words longer than a line inside. The
 * first line goes on at `column`, the others begin with `indent` blanks; a newline ends it. In
 * very long texts "..." stands for the middle. */
void text_paragraph(struct sbuf *b, const char *text, size_t column, size_t indent);
/* `s` (visible already) in at most `width` columns, "..." for what is left out of its middle. */
const char *text_cut(struct arena *a, const char *s, size_t width);
void text_trim(struct sbuf *b); /* blanks at the end */

/* The rows of a section that people see, as aligned columns. */
struct text_table {
	const struct doc_row **rows;
	size_t n_rows, left;      /* rows there are beyond `max_rows` */
	bool estimates, partial;  /* marks in what is shown */
	struct text_column *cols; /* private, from here on */
	size_t n_cols;
	const char **texts; /* n_rows x n_cols */
	bool records;       /* too wide for columns: "Title: value, Title: value" */
	struct arena *a;
};
/* Lives in the arena. */
struct text_table *text_table_new(
	struct arena *a, const struct doc *d, const struct doc_section *s, size_t max_rows);
void text_table_head(const struct text_table *t, struct sbuf *b);
/* A row that is said in a line of its own. */
void text_table_line(const struct doc_row *row, struct sbuf *b);
/* A row whose only value is its name becomes "name: detail". False: it has more values, and nothing was added. */
bool text_table_sentence(const struct text_table *t, size_t row, struct sbuf *b);
/* A row and, before the first total, a rule. */
void text_table_row(const struct text_table *t, size_t row, struct sbuf *b);

#endif
