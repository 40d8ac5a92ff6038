/* Documents as one HTML page, for a browser or for mail clients. The page loads nothing from
 * elsewhere and runs no script. */
#include "reports/doc/html/internal.h"

#include <stdio.h>

#define LAYOUT                                                                   \
	"role=\"presentation\" align=\"center\" border=\"0\" cellpadding=\"0\" " \
	"cellspacing=\"0\" "

static void open_page(struct html *h)
{
	const struct doc *d = h->d;

	sbuf_adds(h->b,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		"<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
		"content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n");
	if (h->o->mail)
		sbuf_adds(h->b,
			"<meta name=\"supported-color-schemes\" "
			"content=\"light dark\">\n");
	sbuf_adds(h->b, "<title>");
	html_plain(h, d->title);
	sbuf_adds(h->b, "</title>\n");
	if (h->o->page)
		sbuf_adds(h->b, h->o->page->head);
	else
		html_style_sheet(h);
	sbuf_adds(h->b, "</head>\n");
	html_open(h, "body", HTML_PAGE, NULL);
	sbuf_addf(h->b, "\n%s", h->o->page ? h->o->page->top : "");
	if (!h->o->mail) {
		html_open(h, "main", HTML_CARD, h->o->page ? "id=\"main\"" : NULL);
		sbuf_adds(h->b, "\n");
		return;
	}
	/* Preview text that mail clients show next to the subject. */
	if (d->headline)
		html_element(h, "div", HTML_PREHEADER, d->headline);
	html_open(h, "table", HTML_OUTER, LAYOUT "width=\"100%\"");
	sbuf_adds(h->b, "\n<tbody>\n<tr>\n<td align=\"center\">\n");
	html_open(h, "table", HTML_COLUMN, LAYOUT "width=\"640\"");
	sbuf_adds(h->b, "\n<tbody>\n<tr>\n");
	html_open(h, "td", HTML_CARD, "align=\"left\"");
	sbuf_adds(h->b, "\n");
}

static void add_facts(struct html *h)
{
	bool first = true;

	for (size_t i = 0; i < h->d->n_facts; i++) {
		const struct doc_fact *f = &h->d->facts[i];
		const struct doc_column col = {.type = f->cell.type, .digits = -1};

		if (!f->title)
			continue;
		if (first)
			html_open(h, "p", HTML_FACTS, NULL);
		else
			sbuf_adds(h->b, " |\n");
		html_text(h, f->title);
		sbuf_adds(h->b, ": ");
		html_cell(h, &col, &f->cell);
		first = false;
	}
	if (!first)
		sbuf_adds(h->b, "</p>\n");
}

static void add_head(struct html *h)
{
	html_element(h, "h1", HTML_H1, h->d->title);
	if (h->d->headline && h->o->mail) {
		html_open(h, "table", HTML_LEAD_BOX, LAYOUT "width=\"100%\"");
		sbuf_adds(h->b, "\n<tbody>\n<tr>\n");
		html_element(
			h, "td", HTML_LEAD + (enum html_style)h->d->tone, h->d->headline);
		sbuf_adds(h->b, "</tr>\n</tbody>\n</table>\n");
	} else if (h->d->headline)
		html_element(
			h, "p", HTML_LEAD + (enum html_style)h->d->tone, h->d->headline);
}

/* Links to the data of the table, and the form that selects its rows. */
static void add_source(struct html *h, const struct doc_source *o)
{
	const char *and = o->sort || *o->args ? "?" : "";
	cleanup(sbuf_done) struct sbuf query = SBUF_INIT;

	sbuf_addf(&query, "%s%s", and, o->args);
	if (o->sort) {
		sbuf_addf(&query, "%ssort-by=", *o->args ? "&" : "");
		sbuf_add_url(&query, o->sort);
	}
	sbuf_adds(h->b, "<p class=\"data\">");
	for (int i = 0; i < 2; i++) {
		sbuf_addf(h->b, "%s<a href=\"%s.%s", i ? " " : "", o->path,
			i ? "csv" : "json");
		sbuf_add_html(h->b, query.s);
		sbuf_addf(h->b, "\">%s</a>", i ? "CSV" : "JSON");
	}
	if (o->page && !o->form) {
		sbuf_addf(h->b, " <a href=\"%s%s", o->page, *o->page_args ? "?" : "");
		sbuf_add_html(h->b, o->page_args);
		sbuf_adds(h->b, "\">Filter and sort</a>");
	}
	sbuf_addf(h->b, "</p>\n%s", o->form ? o->form : "");
}

static void add_section(struct html *h, const struct doc_section *s)
{
	char id[64];

	snprintf(id, sizeof(id), "id=\"%.50s\"", s->key);
	html_open(h, "h2", HTML_H2, h->o->page ? id : NULL);
	html_badge(h, s->tone);
	html_toned(h, s->title, TONE_PLAIN);
	sbuf_adds(h->b, "</h2>\n");
	if (s->note)
		html_element(h, "p", HTML_NOTE, s->note);
	if (h->o->page && s->source)
		add_source(h, s->source);
	if (!s->n) {
		html_element(h, "p", HTML_NOTE, s->empty ? s->empty : "None.");
		return;
	}
	html_charts(h, s);
	html_table(h, s);
}

/* Sections from index `shown` did not fit. */
static void add_left_out(struct html *h, size_t shown)
{
	bool first = true;

	for (size_t i = 0, seen = 0; i < h->d->n; i++) {
		if (!doc_section_shown(h->d->sections[i]) || seen++ < shown)
			continue;
		if (first)
			html_open(h, "p", HTML_FOOT, NULL);
		sbuf_adds(h->b, first ? "Omitted to limit the size: " : "; ");
		html_text(h, h->d->sections[i]->title);
		format_cut(h->o, h->d->sections[i]);
		first = false;
	}
	if (!first)
		sbuf_adds(h->b, ".</p>\n");
}

static void add_foot(struct html *h)
{
	cleanup(sbuf_done) struct sbuf made = SBUF_INIT;

	html_open(h, "div", HTML_FEET, NULL);
	sbuf_adds(h->b, "\n");
	for (size_t i = 0; i < h->d->n_notes; i++)
		html_element(h, "p", HTML_FOOT, h->d->notes[i]);
	if (h->used[STATUS_ESTIMATE])
		html_element(h, "p", HTML_FOOT, "~ is an estimate.");
	if (h->used[STATUS_PARTIAL])
		html_element(h, "p", HTML_FOOT,
			"* is the amount billed so far; Google still adds usage.");
	sbuf_adds(&made, "Created ");
	doc_time_text(h->d, h->d->now, &made);
	if (h->d->zone_said)
		sbuf_addc(&made, '.');
	else
		sbuf_addf(&made, ". Times are in %s.", tz_name(h->d->tz));
	html_element(h, "p", HTML_FOOT, made.s);
	sbuf_addf(h->b, "%s</div>\n", h->o->page ? h->o->page->foot : "");
}

/* Renders with at most that many rows per section and that many sections. */
static void render(const struct doc *d, const struct format_opts *o, size_t max_rows,
	size_t sections, struct sbuf *b)
{
	struct html h = {.b = b, .d = d, .o = o, .max_rows = max_rows};

	open_page(&h);
	add_head(&h);
	add_facts(&h);
	for (size_t i = 0, seen = 0; i < d->n && seen < sections && !b->full; i++)
		if (doc_section_shown(d->sections[i])) {
			add_section(&h, d->sections[i]);
			seen++;
		}
	add_left_out(&h, sections);
	add_foot(&h);
	for (int i = 0; i < 2 && o->mail; i++)
		sbuf_adds(b, "</td>\n</tr>\n</tbody>\n</table>\n");
	sbuf_addf(b, "%s</body>\n</html>\n", o->mail ? "" : "</main>\n");
}

static size_t longest_section(const struct doc *d)
{
	size_t most = 0;

	for (size_t i = 0; i < d->n; i++)
		most = d->sections[i]->n > most ? d->sections[i]->n : most;
	return most;
}

/* Halves the number of rows per section until the page fits, then reduces the number of sections.
 * Each section and the document begin with the most important part. */
void doc_html(const struct doc *d, const struct format_opts *o, struct sbuf *b)
{
	cleanup(sbuf_done) struct sbuf fit = SBUF_MAX(o->max_bytes);
	size_t rows = o->max_rows, sections = d->n;
	struct format_opts this = *o;
	bool cut = false;

	this.cut = &cut; /* of the last attempt */
	if (!o->max_bytes) {
		render(d, o, rows, sections, b);
		return;
	}
	for (;;) {
		cut = false;
		render(d, &this, rows, sections, &fit);
		if (!fit.full || !sections)
			break;
		if (!rows || rows > longest_section(d))
			rows = longest_section(d);
		if (rows > 1)
			rows /= 2;
		else
			sections--;
		sbuf_reset(&fit);
	}
	if (fit.full) /* too small for any page: a short page is better than none */
		render(d, &this, rows, sections, b);
	else
		sbuf_add(b, fit.s, fit.len);
	if (cut && o->cut)
		*o->cut = true;
}
