/* Charts: one bar for each row, one chart for each currency. A file uses SVG. Mail uses table
 * cells: one row above the mark and one below. */
#include "reports/doc/html/internal.h"

#include "base/money.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BARS_MAIL 62  /* two months of days */
#define BARS_FILE 400 /* about a year of days */
#define TALL_MAIL 72  /* pixels */
#define TALL_FILE 150
#define LABELS 5

/* Bars of one currency, in row order: the last `n` of all. */
struct series {
	const struct doc_section *s;
	const struct doc_series *all;
	const char *currency; /* "" if there is none */
	const struct doc_row **rows;
	size_t n;
	int64_t low, high; /* of the values and the mark; low <= 0 <= high */
};

static const struct doc_cell *value_of(const struct series *p, size_t i)
{
	return &p->rows[i]->cells[p->s->chart.value];
}

static bool is_date(const struct doc_cell *c)
{
	return c->type == DOC_TIME || (c->type == DOC_TEXT && html_is_date(c->text));
}

bool html_chart_in_table(const struct doc_section *s)
{
	if (s->chart.value < 0 || s->chart.part || s->chart.mark.set ||
		!s->columns[s->chart.value].title)
		return false;
	for (size_t i = 0; i < s->n; i++)
		if (s->rows[i].folded ||
			(!s->rows[i].total && is_date(&s->rows[i].cells[s->chart.label])))
			return false;
	return true;
}

int html_chart_share(const struct doc_series *all, size_t n, const struct doc_cell *c)
{
	if (!doc_is_number(c->type) || c->v < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		int64_t most = all[i].v[all[i].highest];

		if (str_eq(all[i].currency, c->text))
			return most > 0 ? (int)((__int128)c->v * 1000 / most) : 0;
	}
	return -1;
}

static struct series series_of(
	struct html *h, const struct doc_section *s, const struct doc_series *all)
{
	size_t most = h->o->mail ? BARS_MAIL : BARS_FILE;
	size_t skip = all->n > most ? all->n - most : 0;
	struct series p = {.s = s,
		.all = all,
		.currency = all->currency ? all->currency : "",
		.rows = all->rows + skip,
		.n = all->n - skip};

	if (s->chart.mark.set) {
		p.low = s->chart.mark.v < 0 ? s->chart.mark.v : 0;
		p.high = s->chart.mark.v > 0 ? s->chart.mark.v : 0;
	}
	for (size_t i = 0; i < p.n; i++) {
		p.low = value_of(&p, i)->v < p.low ? value_of(&p, i)->v : p.low;
		p.high = value_of(&p, i)->v > p.high ? value_of(&p, i)->v : p.high;
	}
	return p;
}

/* ---- words ------------------------------------------------------------------------------------- */

static void add_value(struct html *h, const struct series *p, int64_t v, struct sbuf *b)
{
	const struct doc_column *col = &p->s->columns[p->s->chart.value];
	struct doc_cell c = {.type = col->type, .v = v, .text = p->currency};

	doc_cell_text(h->d, col, &c, b);
}

static void add_label(
	struct html *h, const struct series *p, const struct doc_row *row, struct sbuf *b)
{
	int label = p->s->chart.label;

	doc_cell_text(h->d, &p->s->columns[label], &row->cells[label], b);
}

/* "0.12 HKD (2026-10-22)" */
static void add_point(
	struct html *h, const struct series *p, const struct doc_row *row, struct sbuf *b)
{
	int value = p->s->chart.value;

	doc_cell_text(h->d, &p->s->columns[value], &row->cells[value], b);
	sbuf_adds(b, " (");
	add_label(h, p, row, b);
	sbuf_adds(b, ")");
}

/* "2026-10-22 to 2026-11-20: lowest 0.12 HKD (2026-10-22), highest ..." */
static void add_summary(struct html *h, const struct series *p, struct sbuf *b)
{
	const struct doc_series *all = p->all;

	add_label(h, p, all->rows[0], b);
	if (all->n > 1) {
		sbuf_adds(b, " to ");
		add_label(h, p, all->rows[all->n - 1], b);
	}
	sbuf_adds(b, ": lowest ");
	add_point(h, p, all->rows[all->lowest], b);
	sbuf_adds(b, ", highest ");
	add_point(h, p, all->rows[all->highest], b);
	if (p->s->chart.mark.set) {
		sbuf_addf(b, "; %s ",
			p->s->chart.mark_title ? p->s->chart.mark_title : "line");
		add_value(h, p, p->s->chart.mark.v, b);
	}
	if (p->n < all->n)
		sbuf_addf(b, "; the chart shows the last %zu of %zu", p->n, all->n);
	sbuf_addc(b, '.');
}

static void add_axis_label(struct html *h, const struct series *p, size_t i)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	add_label(h, p, p->rows[i], &b);
	html_axis_label(h, b.s);
}

/* ---- file -------------------------------------------------------------------------------------- */

/* Axis: `steps` of `step` above zero, `down` steps below. */
struct scale {
	int64_t step;
	int steps, down;
};

/* Steps of 1, 2 or 5 times a power of ten, at most five above zero and five below. */
static struct scale scale_of(const struct series *p)
{
	__int128 high = p->high, low = -(__int128)p->low, most = high > low ? high : low;
	__int128 step = 1;

	for (int i = 0; most > step * 5; i++)
		step = i % 3 == 1 ? step / 2 * 5 : step * 2;
	return (struct scale){.step = (int64_t)step,
		.steps = (int)((high + step - 1) / step),
		.down = (int)((low + step - 1) / step)};
}

/* Tenths of a pixel from the top of the plot. */
static int y_of(const struct scale *k, __int128 v)
{
	__int128 top = (__int128)k->step * k->steps;
	__int128 all = (__int128)k->step * (k->steps + k->down);

	return all ? (int)((top - v) * TALL_FILE * 10 / all) : TALL_FILE * 10;
}

/* Only the number: the heading of the chart has the currency. */
static void add_tick(struct html *h, const struct scale *k, int i)
{
	__int128 v = (__int128)k->step * i;
	int y = y_of(k, v), digits = 0;
	char num[NANOS_BUF];

	if (v > INT64_MAX || v < INT64_MIN)
		return;
	for (int64_t unit = NANOS; digits < 9 && k->step % unit; unit /= 10)
		digits++;
	sbuf_addf(h->b,
		"<line class=\"%s\" x1=\"0\" x2=\"100%%\" y1=\"%d.%d\" "
		"y2=\"%d.%d\"/><text x=\"-8\" y=\"%d.%d\" text-anchor=\"end\">%s</text>\n",
		i ? "gr" : "ze", y / 10, y % 10, y / 10, y % 10, y / 10 + 4, y % 10,
		nanos_format_fixed((int64_t)v, digits, num));
}

static void add_bar(struct html *h, const struct series *p, const struct scale *k, size_t i)
{
	const struct doc_cell *c = value_of(p, i);
	int zero = y_of(k, 0), y = y_of(k, c->v);
	int top = y < zero ? y : zero, tall = y < zero ? zero - y : y - zero;
	size_t x = i * 10000 / p->n, gap = 10000 / p->n / 8;
	size_t width = (i + 1) * 10000 / p->n - x - 2 * gap;
	cleanup(sbuf_done) struct sbuf tip = SBUF_INIT;

	if (c->v && tall < 10) { /* a value other than zero must be visible */
		top -= c->v > 0 ? 10 - tall : 0;
		tall = 10;
	}
	add_label(h, p, p->rows[i], &tip);
	sbuf_adds(&tip, ": ");
	doc_cell_text(h->d, &p->s->columns[p->s->chart.value], c, &tip);
	x += gap;
	sbuf_addf(h->b,
		"<rect class=\"%s\" x=\"%zu.%02zu%%\" y=\"%d.%d\" width=\"%zu.%02zu%%\" "
		"height=\"%d.%d\"><title>",
		html_bar_class(html_bar_style(c)), x / 100, x % 100, top / 10, top % 10,
		width / 100, width % 100, tall / 10, tall % 10);
	html_plain(h, tip.s);
	sbuf_adds(h->b, "</title></rect>\n");
}

static void add_mark(struct html *h, const struct series *p, const struct scale *k)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;
	int y;

	if (!p->s->chart.mark.set)
		return;
	y = y_of(k, p->s->chart.mark.v);
	sbuf_addf(&text, "%s ", p->s->chart.mark_title ? p->s->chart.mark_title : "line");
	add_value(h, p, p->s->chart.mark.v, &text);
	sbuf_addf(h->b,
		"<line class=\"ml\" x1=\"0\" x2=\"100%%\" y1=\"%d.%d\" y2=\"%d.%d\"/>"
		"<text class=\"mt\" x=\"4\" y=\"%d.%d\">",
		y / 10, y % 10, y / 10, y % 10, y / 10 - 5, y % 10);
	html_plain(h, text.s);
	sbuf_adds(h->b, "</text>\n");
}

/* Labels of the first and last bar, and of some between if they are short. */
static void add_labels(struct html *h, const struct series *p)
{
	bool dates = is_date(&p->rows[0]->cells[p->s->chart.label]);
	size_t n = dates ? LABELS : 2;

	n = p->n < n ? p->n : n;
	for (size_t k = 0; k < n; k++) {
		size_t i = n > 1 ? k * (p->n - 1) / (n - 1) : 0;
		size_t x = (2 * i + 1) * 5000 / p->n;
		const char *anchor = "middle";

		if (p->n > 10 && (k == 0 || k == n - 1)) {
			anchor = k ? "end" : "start";
			x = k ? 10000 : 0;
		}
		sbuf_addf(h->b, "<text x=\"%zu.%02zu%%\" y=\"%d\" text-anchor=\"%s\">",
			x / 100, x % 100, TALL_FILE + 18, anchor);
		add_axis_label(h, p, i);
		sbuf_adds(h->b, "</text>\n");
	}
}

static void add_svg(struct html *h, const struct series *p, const char *summary)
{
	struct scale k = scale_of(p);

	sbuf_addf(h->b, "<svg class=\"plot\" role=\"img\" height=\"%d\" aria-label=\"",
		TALL_FILE + 24);
	html_plain(h, summary);
	sbuf_adds(h->b, "\">\n");
	for (int i = -k.down; i <= k.steps; i++)
		add_tick(h, &k, i);
	for (size_t i = 0; i < p->n; i++)
		add_bar(h, p, &k, i);
	add_mark(h, p, &k);
	add_labels(h, p);
	sbuf_adds(h->b, "</svg>\n");
}

/* ---- stacked parts, in a file ------------------------------------------------------------------- */

#define TIPS 100 /* bars with a tip on each of their parts */
#define PARTS 8  /* colors; the smallest parts share the last one */

struct part {
	const char *name;
	__int128 sum;
};

struct stack {
	struct series p;    /* a row of each label */
	struct part *parts; /* the largest first */
	size_t n_parts;
};

static const char *stack_name(const struct stack *k, const struct doc_row *row)
{
	const struct doc_cell *c = &row->cells[k->p.s->chart.part];

	return c->type == DOC_TEXT ? c->text : "none";
}

static size_t part_index(const struct stack *k, const struct doc_row *row)
{
	size_t i = 0;

	while (i < k->n_parts && strcmp(k->parts[i].name, stack_name(k, row)) != 0)
		i++;
	return i;
}

static void rank_parts(struct stack *k)
{
	for (size_t i = 1; i < k->n_parts; i++)
		for (size_t n = i; n && k->parts[n].sum > k->parts[n - 1].sum; n--) {
			struct part other = k->parts[n];

			k->parts[n] = k->parts[n - 1];
			k->parts[n - 1] = other;
		}
}

static bool same_label(
	const struct stack *k, const struct doc_row *a, const struct doc_row *b)
{
	int label = k->p.s->chart.label;

	return str_eq(a->cells[label].text, b->cells[label].text);
}

/* Values above and below zero are stacked apart. */
static void read_stack(struct html *h, struct stack *k)
{
	struct series *p = &k->p;
	const struct doc_series *all = p->all;
	__int128 up = 0, down = 0;

	p->rows = arena_alloc(h->d->arena, all->n * sizeof(*p->rows));
	k->parts = arena_alloc(h->d->arena, all->n * sizeof(*k->parts));
	for (size_t i = 0; i < all->n; i++) {
		size_t part = part_index(k, all->rows[i]);

		if (part == k->n_parts)
			k->parts[k->n_parts++] = (struct part){
				stack_name(k, all->rows[i]), 0};
		k->parts[part].sum += all->v[i];
		if (!p->n || !same_label(k, all->rows[i], p->rows[p->n - 1])) {
			p->rows[p->n++] = all->rows[i];
			up = down = 0;
		}
		up += all->v[i] > 0 ? all->v[i] : 0;
		down += all->v[i] < 0 ? all->v[i] : 0;
		p->high = up > p->high ? (int64_t)(up < INT64_MAX ? up : INT64_MAX)
				       : p->high;
		p->low = down < p->low ? (int64_t)(down > INT64_MIN ? down : INT64_MIN)
				       : p->low;
	}
	rank_parts(k);
}

static int part_color(size_t part)
{
	return (int)(part < PARTS ? part : PARTS - 1);
}

/* Ends the rectangle of a part. One of hundreds is too narrow to point at: the table has its value. */
static void add_tip(struct html *h, const struct stack *k, const struct doc_row *row)
{
	cleanup(sbuf_done) struct sbuf tip = SBUF_INIT;

	if (k->p.n > TIPS) {
		sbuf_adds(h->b, "/>\n");
		return;
	}
	add_point(h, &k->p, row, &tip);
	sbuf_adds(h->b, "><title>");
	html_plain(h, stack_name(k, row));
	sbuf_adds(h->b, " ");
	html_plain(h, tip.s);
	sbuf_adds(h->b, "</title></rect>\n");
}

/* The parts of one bar, in the order of all: the largest is next to the axis. */
static void add_parts(struct html *h, const struct stack *k, const struct scale *scale,
	size_t bar, size_t first, size_t last)
{
	size_t x = bar * 10000 / k->p.n, width = (bar + 1) * 10000 / k->p.n - x;
	__int128 up = 0, down = 0;

	for (size_t part = 0; part < k->n_parts; part++)
		for (size_t i = first; i < last; i++) {
			int64_t v = k->p.all->v[i];
			__int128 *at = v < 0 ? &down : &up;
			int from, to;

			if (!v || part_index(k, k->p.all->rows[i]) != part)
				continue;
			from = y_of(scale, *at);
			*at += v;
			to = y_of(scale, *at);
			sbuf_addf(h->b,
				"<rect class=\"s%d\" x=\"%zu.%02zu%%\" y=\"%d.%d\" "
				"width=\"%zu.%02zu%%\" height=\"%d.%d\"",
				part_color(part), x / 100, x % 100,
				(from < to ? from : to) / 10, (from < to ? from : to) % 10,
				width / 100, width % 100, abs(from - to) / 10,
				abs(from - to) % 10);
			add_tip(h, k, k->p.all->rows[i]);
		}
}

static void add_stack_svg(struct html *h, const struct stack *k, const char *summary)
{
	struct scale scale = scale_of(&k->p);
	size_t last = 0;

	sbuf_addf(h->b, "<svg class=\"plot\" role=\"img\" height=\"%d\" aria-label=\"",
		TALL_FILE + 24);
	html_plain(h, summary);
	sbuf_adds(h->b, "\">\n");
	for (int i = -scale.down; i <= scale.steps; i++)
		add_tick(h, &scale, i);
	for (size_t bar = 0, first = 0; bar < k->p.n; bar++, first = last) {
		for (last = first + 1; last < k->p.all->n &&
			same_label(k, k->p.all->rows[first], k->p.all->rows[last]);)
			last++;
		add_parts(h, k, &scale, bar, first, last);
	}
	add_labels(h, &k->p);
	sbuf_adds(h->b, "</svg>\n");
}

/* "2026-10-26 to 2026-11-24: cpu 12.30 HKD, tpu ...": also the key of the colors, with marks. */
static void add_part_sums(struct html *h, const struct stack *k, bool key, struct sbuf *b)
{
	for (size_t i = 0; i < k->n_parts; i++) {
		cleanup(sbuf_done) struct sbuf text = SBUF_INIT;

		sbuf_addf(&text, "%s ", k->parts[i].name);
		if (k->parts[i].sum > INT64_MIN && k->parts[i].sum < INT64_MAX)
			add_value(h, &k->p, (int64_t)k->parts[i].sum, &text);
		if (key) {
			sbuf_addf(h->b,
				"<li><svg width=\"10\" height=\"10\" aria-hidden=\"true\">"
				"<rect class=\"s%d\" width=\"10\" height=\"10\"/></svg>",
				part_color(i));
			html_text(h, text.s);
			sbuf_adds(h->b, "</li>\n");
		} else {
			sbuf_addf(b, "%s%s", i ? ", " : "", text.s);
		}
	}
}

static void add_stack(
	struct html *h, const struct doc_section *s, const struct doc_series *all)
{
	struct stack k = {
		.p = {.s = s, .all = all, .currency = all->currency ? all->currency : ""}};
	cleanup(sbuf_done) struct sbuf summary = SBUF_INIT;

	read_stack(h, &k);
	add_label(h, &k.p, all->rows[0], &summary);
	sbuf_adds(&summary, " to ");
	add_label(h, &k.p, all->rows[all->n - 1], &summary);
	sbuf_adds(&summary, ": ");
	add_part_sums(h, &k, false, &summary);
	html_open(h, "p", HTML_CHART_TITLE, NULL);
	html_text(h, s->chart.title ? s->chart.title : s->title);
	sbuf_adds(h->b, *k.p.currency ? ", " : "");
	html_text(h, k.p.currency);
	sbuf_adds(h->b, "</p>\n");
	add_stack_svg(h, &k, summary.s);
	sbuf_adds(h->b, "<ul class=\"key\">\n");
	add_part_sums(h, &k, true, NULL);
	sbuf_adds(h->b, "</ul>\n");
}

/* ---- mail -------------------------------------------------------------------------------------- */

/* A row of cells with the part of each bar between `from` and `to`. */
struct band {
	int64_t from, to;
};

/* Height, in pixels, of the part of a bar within the band. */
static int part_of(const struct series *p, const struct band *k, int64_t v)
{
	__int128 low = v < 0 ? v : 0, high = v < 0 ? 0 : v,
		 all = (__int128)p->high - p->low;

	low = low > k->from ? low : k->from;
	high = high < k->to ? high : k->to;
	if (!v || high <= low || !all)
		return 0;
	return (int)(((high - low) * TALL_MAIL + all - 1) / all);
}

static void add_line(struct html *h, const struct series *p, enum html_style style)
{
	char attrs[48];

	snprintf(attrs, sizeof(attrs), "colspan=\"%zu\" height=\"1\"", p->n);
	sbuf_adds(h->b, "<tr>");
	html_open(h, "td", style, p->n > 1 ? attrs : "height=\"1\"");
	sbuf_adds(h->b, "</td></tr>\n");
}

static void add_band(struct html *h, const struct series *p, const struct band *k)
{
	__int128 all = (__int128)p->high - p->low;

	if (k->from >= k->to)
		return;
	sbuf_adds(h->b, "<tr>\n");
	for (size_t i = 0; i < p->n; i++) {
		const struct doc_cell *c = value_of(p, i);
		int tall = part_of(p, k, c->v);

		sbuf_addf(h->b, "<td valign=\"%s\"", k->to > 0 ? "bottom" : "top");
		if (!i)
			sbuf_addf(h->b, " height=\"%d\"",
				(int)(((__int128)k->to - k->from) * TALL_MAIL / all));
		sbuf_adds(h->b, ">");
		if (tall) {
			html_open_bar(h, html_bar_style(c), tall);
			sbuf_adds(h->b, "&nbsp;</div>");
		}
		sbuf_adds(h->b, "</td>\n");
	}
	sbuf_adds(h->b, "</tr>\n");
}

static void add_cells(struct html *h, const struct series *p)
{
	int64_t mark = p->s->chart.mark.set ? p->s->chart.mark.v : 0;

	if (p->high == p->low)
		return;
	html_open(h, "table", HTML_CHART,
		"role=\"presentation\" width=\"100%\" border=\"0\" cellpadding=\"0\" "
		"cellspacing=\"1\"");
	sbuf_adds(h->b, "\n<tbody>\n");
	add_band(h, p, &(struct band){mark > 0 ? mark : 0, p->high});
	if (mark > 0)
		add_line(h, p, HTML_MARK);
	add_band(h, p, &(struct band){0, mark > 0 ? mark : 0});
	add_line(h, p, HTML_AXIS);
	add_band(h, p, &(struct band){mark < 0 ? mark : p->low, 0});
	if (mark < 0)
		add_line(h, p, HTML_MARK);
	add_band(h, p, &(struct band){p->low, mark < 0 ? mark : p->low});
	sbuf_adds(h->b, "</tbody>\n</table>\n");
}

/* ---- both -------------------------------------------------------------------------------------- */

static void add_chart(
	struct html *h, const struct doc_section *s, const struct doc_series *all)
{
	struct series p = series_of(h, s, all);
	cleanup(sbuf_done) struct sbuf summary = SBUF_INIT;
	const char *title = s->chart.title ? s->chart.title
					   : s->columns[s->chart.value].title;

	add_summary(h, &p, &summary);
	html_open(h, "p", HTML_CHART_TITLE, NULL);
	html_text(h, title ? title : s->title);
	sbuf_adds(h->b, *p.currency ? ", " : "");
	html_text(h, p.currency);
	sbuf_adds(
		h->b, s->columns[s->chart.value].type == DOC_RATE ? "/h</p>\n" : "</p>\n");
	if (h->o->mail)
		add_cells(h, &p);
	else
		add_svg(h, &p, summary.s);
	html_element(h, "p", HTML_MORE, summary.s);
	for (size_t i = 0; i < p.n; i++)
		h->used[value_of(&p, i)->status] = true;
}

void html_charts(struct html *h, const struct doc_section *s)
{
	struct doc_section flat = *s;
	struct doc_series *series;
	size_t n;

	if (s->chart.to && !h->o->mail)
		html_times(h, s);
	if (s->chart.part && !h->o->mail) {
		flat.chart.part = 0;
		n = doc_chart_series(h->d, &flat, &series);
		for (size_t i = 0; i < n; i++)
			add_stack(h, s, &series[i]);
		return;
	}
	if (html_chart_in_table(s))
		return;
	n = doc_chart_series(h->d, s, &series);
	for (size_t i = 0; i < n; i++)
		add_chart(h, s, &series[i]);
}
