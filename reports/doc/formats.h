/* The formats that a document can be said in: one file and one line of the table each. */
#ifndef TPUCOST_REPORTS_DOC_FORMATS_H
#define TPUCOST_REPORTS_DOC_FORMATS_H

#include "reports/doc/doc.h"

struct format_opts {
	size_t max_rows; /* of a section, for people; 0: all. Data is always whole. */
	size_t max_bytes; /* of the whole, but not of CSV; 0: no limit. What does not fit is left out at a row or
			   * a section, and said: never cut in the middle. */
	bool mail; /* HTML: for mail clients (no SVG, no media needed); else a file */
	bool raw;  /* CSV: texts as they are, also those a spreadsheet would run */
	bool *cut; /* set when a row of a section that is `whole` is left out; or NULL */
};
/* Rows of the section, or all of it, are left out. */
void format_cut(const struct format_opts *o, const struct doc_section *s);

struct doc_format {
	const char *name;
	void (*render)(const struct doc *d, const struct format_opts *o, struct sbuf *b);
};
extern const struct doc_format doc_formats[];
extern const size_t n_doc_formats;
const struct doc_format *doc_format_find(const char *name); /* or NULL */

void doc_text(const struct doc *d, const struct format_opts *o, struct sbuf *b);
void doc_html(const struct doc *d, const struct format_opts *o, struct sbuf *b);
void doc_markdown(const struct doc *d, const struct format_opts *o, struct sbuf *b);
void doc_json(const struct doc *d, const struct format_opts *o, struct sbuf *b);
void doc_slack(const struct doc *d, const struct format_opts *o, struct sbuf *b);
void doc_csv(const struct doc *d, const struct format_opts *o, struct sbuf *b);

/* A table of its own, with the keys of its columns: an array of flat objects; a line a row (`raw`: texts as they
 * are, also those a spreadsheet would run); a table. Values are exact. */
void doc_json_rows(const struct doc_section *t, struct sbuf *b);
void doc_csv_rows(const struct doc_section *t, bool raw, struct sbuf *b);
void doc_markdown_rows(const struct doc_section *t, struct sbuf *b);

/* "▁▂█" of the values, the largest as a full block; nothing for none. */
void doc_sparkline(const int64_t *v, size_t n, struct sbuf *b);

#endif
