/* Intervals of rows as bars over time: a line for each label. */
#include "base/str.h"
#include "reports/doc/html/internal.h"

#include <string.h>

#define LINES 40
#define LINE_TALL 34 /* pixels: the label, and the bar below it */
#define BAR_TOP 18
#define BAR_TALL 12
#define TICKS 4 /* parts of the axis */

struct span {
	ts_t from, to;
};

static struct span span_of(const struct html *h, const struct doc_section *s, size_t i)
{
	const struct doc_cell *c = s->rows[i].cells;

	return (struct span){c[s->chart.from].v,
		c[s->chart.to].type == DOC_TIME ? c[s->chart.to].v : h->d->now};
}

/* Hundredths of a percent. */
static int place(const struct span *all, ts_t at)
{
	ts_t t = at < all->from ? all->from : at > all->to ? all->to : at;

	return all->to > all->from ? (int)((t - all->from) * 10000 / (all->to - all->from))
				   : 0;
}

static const char *color_of(const struct doc_row *row)
{
	return row->tone == TONE_BAD ? "fr" : row->tone == TONE_GOOD ? "fg" : "fl";
}

static void add_span(struct html *h, const struct doc_section *s, const struct span *all,
	size_t i, size_t line)
{
	struct span x = span_of(h, s, i);
	int from = place(all, x.from), width = place(all, x.to) - from;
	cleanup(sbuf_done) struct sbuf tip = SBUF_INIT;

	width = width < 20 ? 20 : width; /* short ones are visible */
	doc_time_text(h->d, x.from, &tip);
	sbuf_adds(&tip, " to ");
	doc_time_text(h->d, x.to, &tip);
	sbuf_addf(h->b,
		"<rect class=\"%s\" x=\"%d.%02d%%\" y=\"%zu\" width=\"%d.%02d%%\" "
		"height=\"%d\"><title>",
		color_of(&s->rows[i]), from / 100, from % 100, line * LINE_TALL + BAR_TOP,
		width / 100, width % 100, BAR_TALL);
	html_plain(h, tip.s);
	sbuf_adds(h->b, "</title></rect>\n");
}

static void add_axis(struct html *h, const struct span *all, size_t lines)
{
	for (int i = 0; i <= TICKS; i++) {
		cleanup(sbuf_done) struct sbuf at = SBUF_INIT;

		doc_time_text(h->d, all->from + (all->to - all->from) * i / TICKS, &at);
		sbuf_addf(h->b,
			"<line class=\"gr\" x1=\"%d%%\" x2=\"%d%%\" y1=\"0\" y2=\"%zu\"/>"
			"<text x=\"%d%%\" y=\"%zu\" text-anchor=\"%s\">",
			i * 100 / TICKS, i * 100 / TICKS, lines * LINE_TALL,
			i * 100 / TICKS, lines * LINE_TALL + 16,
			!i                  ? "start"
				: i < TICKS ? "middle"
					    : "end");
		html_axis_label(h, at.s);
		sbuf_adds(h->b, "</text>\n");
	}
}

static size_t count_lines(
	const struct doc_section *s, struct span *all, const struct html *h)
{
	size_t lines = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct span x = span_of(h, s, i);

		if (!i || x.from < all->from)
			all->from = x.from;
		if (!i || x.to > all->to)
			all->to = x.to;
		lines += !i ||
			!str_eq(s->rows[i].cells[s->chart.label].text,
				s->rows[i - 1].cells[s->chart.label].text);
	}
	return lines < LINES ? lines : LINES;
}

void html_times(struct html *h, const struct doc_section *s)
{
	struct span all = {0};
	size_t lines = count_lines(s, &all, h), line = 0;

	if (!lines)
		return;
	sbuf_addf(h->b, "<svg class=\"times\" role=\"img\" height=\"%zu\" aria-label=\"",
		lines * LINE_TALL + 24);
	html_plain(h, s->chart.title);
	sbuf_adds(h->b, "\">\n");
	add_axis(h, &all, lines);
	for (size_t i = 0; i < s->n; i++) {
		const char *label = s->rows[i].cells[s->chart.label].text;

		if (i && !str_eq(label, s->rows[i - 1].cells[s->chart.label].text))
			line++;
		if (line == LINES)
			break;
		if (!i || !str_eq(label, s->rows[i - 1].cells[s->chart.label].text)) {
			sbuf_addf(h->b, "<text x=\"2\" y=\"%zu\">", line * LINE_TALL + 13);
			html_plain(h, label ? label : "-");
			sbuf_adds(h->b, "</text>\n");
		}
		add_span(h, s, &all, i, line);
	}
	sbuf_adds(h->b, "</svg>\n");
}
