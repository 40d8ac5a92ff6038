/* Output formats of documents. Each has one file and one row in the table. */
#ifndef TPUCOST_REPORTS_DOC_FORMATS_H
#define TPUCOST_REPORTS_DOC_FORMATS_H

#include "reports/doc/doc.h"

/* HTML: parts of a page of a web site, as markup. Styles and scripts are files of that site. */
struct doc_page {
	const char *head; /* in <head>, instead of the styles */
	const char *top;  /* before the document */
	const char *foot; /* after its notes */
};

struct format_opts {
	size_t max_rows; /* rows of a section in formats for reading; 0: all. Data is always
			  * complete. */
	size_t max_bytes; /* bytes of the whole output, except CSV; 0: no limit. Output is shortened
			   * by whole rows or sections, and a note reports it. */
	bool mail; /* HTML: for mail clients (no SVG or media queries needed); otherwise a file */
	const struct doc_page *page; /* HTML: NULL: a file or mail */
	bool raw; /* CSV: texts unchanged, even if a spreadsheet would run them as a formula */
	bool *cut; /* set if a row of a `whole` section is omitted; or NULL */
};
/* Records that rows of the section, or the whole section, are omitted. */
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

/* Style sheet of a page, and without <style>. */
void doc_html_css(struct sbuf *b);

/* A single table with the keys of its columns: an array of flat objects; one line per row (`raw`:
 * texts unchanged, even if a spreadsheet would run them as a formula); a table. Values are
 * exact. */
void doc_json_rows(const struct doc_section *t, struct sbuf *b);
void doc_csv_rows(const struct doc_section *t, bool raw, struct sbuf *b);
void doc_markdown_rows(const struct doc_section *t, struct sbuf *b);

/* Sparkline "▁▂█" of the values; the largest is a full block. Appends nothing for no values. */
void doc_sparkline(const int64_t *v, size_t n, struct sbuf *b);

#endif
