/* Sections of a document as mrkdwn: the pieces that doc_slack.c packs into blocks. */
#ifndef TPUCOST_REPORTS_DOC_SLACK_ROWS_H
#define TPUCOST_REPORTS_DOC_SLACK_ROWS_H

#include "reports/doc/doc.h"

/* No piece is longer, in bytes. */
#define SLACK_PIECE_MAX 2600
#define SLACK_MORE_MAX 150

/* The title in bold, the note, and a line for each chart: what stands above the rows. */
void slack_head(const struct doc *d, const struct doc_section *s, struct sbuf *b);
/* "- *name*: figures", its detail and its command on lines of their own. */
void slack_row(const struct doc *d, const struct doc_section *s, const struct doc_row *r,
	struct sbuf *b);
/* "- line" */
void slack_line(const struct doc_row *r, struct sbuf *b);
/* "+3 more: `tpucost ps`" */
void slack_more(const struct doc_section *s, size_t n, struct sbuf *b);

/* A section whose rows read better as a table: no details, no commands, and narrow. */
#define SLACK_TABLE_COLUMNS 8
struct slack_table {
	int columns[SLACK_TABLE_COLUMNS]; /* which of the section's, in order */
	size_t widths[SLACK_TABLE_COLUMNS];
	int n;
};
/* False where it does not; judged by the rows that are shown, of at most `max` (0: all). */
bool slack_table(const struct doc *d, const struct doc_section *s, size_t max,
	struct slack_table *out);
/* A line of it: the headings when `r` is NULL. */
void slack_table_line(const struct doc *d, const struct doc_section *s,
	const struct slack_table *t, const struct doc_row *r, struct sbuf *b);

#endif
