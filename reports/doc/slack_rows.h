/* Sections of a document as mrkdwn: the pieces that slack.c packs into blocks. */
#ifndef TPUCOST_REPORTS_DOC_SLACK_ROWS_H
#define TPUCOST_REPORTS_DOC_SLACK_ROWS_H

#include "reports/doc/doc.h"

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
void slack_more(const struct doc_section *s, size_t n, struct sbuf *b);

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
