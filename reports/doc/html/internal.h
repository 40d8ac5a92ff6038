/* Declarations shared by the parts of the HTML format. The same code writes two versions. In a
 * file, styles are classes of a style sheet. In mail, where most clients support less, every
 * element has its style inline, and the style sheet only adds dark and narrow variants. */
#ifndef TPUCOST_REPORTS_DOC_HTML_INTERNAL_H
#define TPUCOST_REPORTS_DOC_HTML_INTERNAL_H

#include "html_css.h" /* enum html_style; generated from report.css */
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
/* The same; `wide` hides it on narrow screens. */
void html_open_cell(struct html *h, const char *name, enum html_style style, bool wide,
	const char *attrs);
/* Untrusted text: made visible, escaped, right-to-left words isolated, and lines kept short. */
void html_text(struct html *h, const char *s);
/* The same, as the value of an attribute or of <title>: without markup. */
void html_plain(struct html *h, const char *s);
/* "<name ...>text</name>\n" */
void html_element(
	struct html *h, const char *name, enum html_style style, const char *text);

/* Text in the color of its tone. */
void html_toned(struct html *h, const char *text, enum doc_tone tone);
/* "!" or "!!" for values that need attention: color is never the only sign. */
void html_badge(struct html *h, enum doc_tone tone);
/* A cell for reading with its tone. */
void html_cell(struct html *h, const struct doc_column *col, const struct doc_cell *c);
/* "<div ...>" with that height, in mail; it needs some content. */
void html_open_bar(struct html *h, enum html_style style, int pixels);
/* Style of the bar of a value, and its class in SVG. */
enum html_style html_bar_style(const struct doc_cell *c);
const char *html_bar_class(enum html_style bar);
/* A thin bar; its length is `tenths` of a percent, 0 to 1000. */
void html_meter(struct html *h, int64_t tenths, enum html_style bar);

void html_table(struct html *h, const struct doc_section *s);
/* Charts of a section, unless its table shows them. */
void html_charts(struct html *h, const struct doc_section *s);
/* Intervals of the rows, a line for each label; only in files. */
void html_times(struct html *h, const struct doc_section *s);
/* Tests for "2026-11-20", with or without a time. */
bool html_is_date(const char *s);
/* "Nov 20" for a date as text, otherwise its beginning. */
void html_axis_label(struct html *h, const char *text);
/* Reports whether the chart is one bar in each table row, that is, not a series over days. */
bool html_chart_in_table(const struct doc_section *s);
/* Length of such a bar: tenths of a percent of the largest value in the cell's currency; -1: none.
 * `all` holds the series of the section. */
int html_chart_share(const struct doc_series *all, size_t n, const struct doc_cell *c);

#endif
