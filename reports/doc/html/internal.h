/* What the parts of the HTML format share. There are two versions from one code: a file, whose
 * looks are classes of a style sheet, and mail, where most clients know less: there every
 * element carries its style itself, and the style sheet only adds what is dark or narrow. */
#ifndef TPUCOST_REPORTS_DOC_HTML_INTERNAL_H
#define TPUCOST_REPORTS_DOC_HTML_INTERNAL_H

#include "html_css.h" /* enum html_style; made of report.css */
#include "reports/doc/formats.h"

struct html {
	struct sbuf *b;
	const struct doc *d;
	const struct format_opts *o;
	size_t max_rows;               /* of a section; 0: all */
	bool used[STATUS_PARTIAL + 1]; /* marks that need the legend */
};

void html_style_sheet(struct html *h);

/* "<name class="..." style="..." attrs>"; `attrs` is markup or NULL. */
void html_open(struct html *h, const char *name, enum html_style style, const char *attrs);
/* The same, but gone where it is narrow. */
void html_open_wide(
	struct html *h, const char *name, enum html_style style, const char *attrs);
/* Text from anywhere: made visible, escaped, words from right to left kept to themselves,
 * and lines kept short. */
void html_text(struct html *h, const char *s);
/* As the content of an attribute or of <title>: no markup within. */
void html_plain(struct html *h, const char *s);
/* "<name ...>text</name>\n" */
void html_element(
	struct html *h, const char *name, enum html_style style, const char *text);

/* Text in the colour of its tone. */
void html_toned(struct html *h, const char *text, enum doc_tone tone);
/* "!" or "!!" for what should be looked at: tones are not said by colour alone. */
void html_badge(struct html *h, enum doc_tone tone);
/* A cell for people with its tone. */
void html_cell(struct html *h, const struct doc_column *col, const struct doc_cell *c);
/* "<div ...>" that is so tall, in mail; it needs some content. */
void html_open_bar(struct html *h, enum html_style style, int pixels);
/* A thin bar, `tenths` of a percent long. */
void html_meter(struct html *h, int tenths, enum html_style bar);

void html_table(struct html *h, const struct doc_section *s);
/* The charts of a section, unless its table shows them. */
void html_charts(struct html *h, const struct doc_section *s);
/* Is the chart a bar in each row of the table? Where it is not a series over days. */
bool html_chart_in_table(const struct doc_section *s);
/* Such a bar: tenths of a percent of the largest value in the cell's currency; -1: none. `all`
 * are the series of the section. */
int html_chart_share(const struct doc_series *all, size_t n, const struct doc_cell *c);

#endif
