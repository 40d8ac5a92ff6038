/* Parts of the formats of documents. Private to reports/doc/. */
#ifndef TPUCOST_REPORTS_DOC_INTERNAL_H
#define TPUCOST_REPORTS_DOC_INTERNAL_H

#include "reports/doc/formats.h"
#include "reports/doc/wrap.h"

/* ---- reports/doc/formats.c: output with a size limit ----------------------------------- */

/* A part is appended as a whole or not at all, and nothing is appended after the first part that
 * does not fit. */
#define DOC_OUT_RESERVE 400 /* bytes reserved for the note about omitted parts */

struct doc_out {
	struct sbuf *b;
	bool used[STATUS_PARTIAL + 1]; /* marks of figures that need the legend */
	size_t end;                    /* maximum length without that note; 0: no limit */
	bool full;
	size_t rows, sections; /* omitted parts, as counted by the format */
};

/* Returns everything if it fits; otherwise the parts that fit and a note about the others. */
void doc_out_whole(
	void (*render)(const struct doc *d, const struct format_opts *o, struct sbuf *b),
	const struct doc *d, const struct format_opts *o, struct sbuf *b);
struct doc_out doc_out(const struct format_opts *o, struct sbuf *b);
/* Moves the part over and empties it; false if it does not fit. */
bool doc_out_add(struct doc_out *o, struct sbuf *part);
/* "Shortened to fit: 12 rows and 3 more sections omitted."; nothing if everything fits. */
void doc_out_left(const struct doc_out *o, struct sbuf *b);

/* ---- reports/doc/text.c, text_table.c -------------------------------------------------- */

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

/* ---- reports/doc/slack_rows.c: sections as mrkdwn -------------------------------------- */

/* Maximum size of a piece, in bytes. */
#define SLACK_PIECE_MAX 2600
#define SLACK_MORE_MAX 150

/* Part above the rows: the title in bold, the note, and one line for each chart. */
void slack_head(const struct doc *d, const struct doc_section *s, struct sbuf *b);
/* "- *name*: figures", its detail and its command on lines of their own. */
void slack_row(const struct doc *d, const struct doc_section *s, const struct doc_row *r,
	struct sbuf *b);
/* "- line" */
void slack_line(const struct doc_row *r, struct sbuf *b);
/* "+3 more: `tpucost ps`" */
void slack_more(const struct doc *d, const struct doc_section *s, size_t n, struct sbuf *b);
/* "`tpucost report month --month 2026-10`": the command that shows the whole report */
void slack_command(const struct doc *d, struct sbuf *b);

/* A section that is shown as a table: without details and commands, and narrow. */
#define SLACK_TABLE_COLUMNS 8
struct slack_table {
	int columns[SLACK_TABLE_COLUMNS]; /* indexes of the section's columns, in order */
	size_t widths[SLACK_TABLE_COLUMNS];
	int n;
};
/* False if the section does not fit; considers the shown rows, at most `max` (0: all). */
bool slack_table(const struct doc *d, const struct doc_section *s, size_t max,
	struct slack_table *out);
/* One line of it: the headings if `r` is NULL. */
void slack_table_line(const struct doc *d, const struct doc_section *s,
	const struct slack_table *t, const struct doc_row *r, struct sbuf *b);

#endif
