/* Tables: the columns that fit, rows with their details, and a note about omitted rows. */
#include "reports/doc/html/internal.h"

#include "base/money.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELL_GAP 2 /* text columns used by the padding of a cell */
#define BADGE_WIDTH 3
#define TEXT_MOST 26   /* wider texts wrap */
#define WIDTH_MAIL 72  /* text columns in 640 px, in a wide font as well */
#define WIDTH_FILE 124 /* in 880 px */
#define WIDTH_PAGE 160 /* in 1124 px */
#define WIDTH_PHONE 42 /* in 390 px */
#define TEXT_PHONE 16  /* wider texts wrap on narrow screens, */
#define METER_WIDTH 9  /* and a bar has this width */
#define OPTION_MOST 38 /* bytes of a name: fits on a phone */
#define ROWS_MEASURED 200

enum column_use { COLUMN_SHOWN, COLUMN_WIDE, COLUMN_OUT };

struct plan {
	const struct doc_section *s;
	enum column_use *use;
	int shown;                 /* columns that are shown */
	int heading;               /* the first of them */
	int linked;                /* the one with the link of the row */
	struct doc_series *series; /* of bars in the table */
	size_t n_series;
};

/* Such rows begin with a mark. If their sentences were colored as well, nothing would be
 * prominent. */
static bool marked(const struct doc_row *row)
{
	return row->tone == TONE_WARN || row->tone == TONE_BAD;
}

static size_t cell_width(struct html *h, const struct doc_column *col,
	const struct doc_cell *c, size_t text_most)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	size_t w;

	doc_cell_text(h->d, col, c, &b);
	w = utf8_width(b.s);
	return doc_is_number(c->type) || w < text_most ? w : text_most;
}

/* Headings wrap between their words. */
static size_t longest_word(struct arena *a, const char *s)
{
	size_t most = 0;

	while (*s) {
		size_t n = strcspn(s, " ");
		size_t w = utf8_width(arena_strndup(a, s, n));

		most = w > most ? w : most;
		s += n + strspn(s + n, " ");
	}
	return most;
}

static size_t column_width(struct html *h, const struct doc_section *s, int i, bool phone)
{
	const struct doc_column *col = &s->columns[i];
	size_t most = phone ? longest_word(h->d->arena, col->title)
			    : utf8_width(col->title);
	size_t measured = 0, badge = 0;

	if (phone &&
		(col->type == DOC_PERCENT ||
			(html_chart_in_table(s) && i == s->chart.value)))
		most = most > METER_WIDTH ? most : METER_WIDTH;

	for (size_t r = 0; r < s->n && measured < ROWS_MEASURED; r++) {
		size_t w;

		if (s->rows[r].folded || s->rows[r].only_line)
			continue;
		w = cell_width(
			h, col, &s->rows[r].cells[i], phone ? TEXT_PHONE : TEXT_MOST);
		most = w > most ? w : most;
		if (marked(&s->rows[r]))
			badge = BADGE_WIDTH;
		measured++;
	}
	return most + CELL_GAP + (i ? 0 : badge);
}

/* The next column to omit: the last one of the highest rank; -1: none. */
static int least_wanted(const struct plan *p, enum column_use from)
{
	int worst = -1;

	for (int i = 0; i < p->s->n_columns; i++)
		if (p->use[i] <= from && p->s->columns[i].rank > 0 &&
			(worst < 0 || p->s->columns[i].rank >= p->s->columns[worst].rank))
			worst = i;
	return worst;
}

/* Omits columns until the others fit. */
static void narrow_to(struct plan *p, const size_t *width, size_t limit)
{
	for (;;) {
		size_t sum = 0;
		int worst = least_wanted(p, COLUMN_WIDE);

		for (int i = 0; i < p->s->n_columns; i++)
			sum += p->use[i] == COLUMN_OUT ? 0 : width[i];
		if (sum <= limit || worst < 0)
			return;
		p->use[worst] = COLUMN_OUT;
	}
}

/* Hides columns on narrow screens until the others fit. In mail this includes columns that are
 * always shown, from the last, but not the first two: clients shrink a page wider than a phone
 * until it is unreadable, or cut it. A table in a file can be scrolled sideways. */
static void narrow_phone(struct html *h, struct plan *p)
{
	size_t sum = 0, shown = 0;
	size_t *width = arena_alloc(h->d->arena, (size_t)p->s->n_columns * sizeof(*width));

	for (int i = 0; i < p->s->n_columns; i++) {
		if (p->use[i] == COLUMN_OUT)
			continue;
		width[i] = column_width(h, p->s, i, true);
		sum += width[i];
		shown++;
	}
	while (sum > WIDTH_PHONE && shown > 2) {
		int worst = least_wanted(p, COLUMN_SHOWN);

		if (worst < 0 && !h->o->mail)
			return;
		for (int i = p->s->n_columns - 1; worst < 0; i--)
			if (p->use[i] == COLUMN_SHOWN)
				worst = i;
		p->use[worst] = COLUMN_WIDE;
		sum -= width[worst];
		shown--;
	}
}

static struct plan plan_columns(struct html *h, const struct doc_section *s)
{
	size_t n = (size_t)s->n_columns;
	size_t *width = arena_alloc(h->d->arena, n * sizeof(*width));
	struct plan p = {
		.s = s, .use = arena_alloc(h->d->arena, n * sizeof(*p.use)), .heading = -1};

	for (int i = 0; i < s->n_columns; i++) {
		if (s->columns[i].title)
			width[i] = column_width(h, s, i, false);
		else
			p.use[i] = COLUMN_OUT;
	}
	narrow_to(&p, width,
		h->o->mail           ? WIDTH_MAIL
			: h->o->page ? WIDTH_PAGE
				     : WIDTH_FILE);
	narrow_phone(h, &p);
	for (int i = 0; i < s->n_columns; i++) {
		if (p.use[i] == COLUMN_OUT)
			continue;
		p.shown++;
		if (p.heading < 0)
			p.linked = p.heading = i;
		if (s->linked && !strcmp(s->columns[i].key, s->linked))
			p.linked = i;
	}
	if (html_chart_in_table(s))
		p.n_series = doc_chart_series(h->d, s, &p.series);
	return p;
}

/* A heading that sorts: numbers descending first, names ascending; then the other way round. */
static void add_sort(struct html *h, const struct doc_source *o, const struct doc_column *c)
{
	bool down = o->sort && o->sort[0] == '-' && !strcmp(o->sort + 1, c->key);
	bool up = o->sort && !strcmp(o->sort, c->key);

	sbuf_addf(h->b, "<a href=\"%s?", o->page);
	sbuf_add_html(h->b, o->page_args);
	sbuf_addf(h->b, "%ssort-by=%s", *o->page_args ? "&amp;" : "",
		up || (doc_is_number(c->type) && !down) ? "-" : "");
	sbuf_add_url(h->b, c->key);
	sbuf_adds(h->b, "\">");
	html_text(h, c->title);
	sbuf_addf(h->b, "</a>%s", down ? " &#9660;" : up ? " &#9650;" : "");
}

static void add_head(struct html *h, const struct plan *p)
{
	const struct doc_source *o = h->o->page ? p->s->source : NULL;

	sbuf_adds(h->b, "<thead>\n<tr>\n");
	for (int i = 0; i < p->s->n_columns; i++) {
		const struct doc_column *col = &p->s->columns[i];

		if (p->use[i] == COLUMN_OUT)
			continue;
		html_open_cell(h, "th", doc_is_number(col->type) ? HTML_TH_NUMBER : HTML_TH,
			p->use[i] == COLUMN_WIDE, "scope=\"col\"");
		if (o && o->page)
			add_sort(h, o, col);
		else
			html_text(h, col->title);
		sbuf_adds(h->b, "</th>\n");
	}
	sbuf_adds(h->b, "</tr>\n</thead>\n");
}

static void add_meter(struct html *h, const struct plan *p, int i,
	const struct doc_row *row, const struct doc_cell *c)
{
	int share = -1;

	if (p->n_series && i == p->s->chart.value && !row->total)
		share = html_chart_share(p->series, p->n_series, c);
	if (c->type == DOC_PERCENT)
		html_meter(h, c->v / (NANOS / 10), html_bar_style(c));
	else if (share >= 0)
		html_meter(h, share, HTML_BAR);
}

/* Names are not broken after their hyphens. */
static bool is_solid(const struct doc_cell *c)
{
	if (c->type != DOC_TEXT && c->type != DOC_CODE)
		return c->type != DOC_NONE;
	return !strchr(c->text, ' ') && utf8_width(c->text) < TEXT_MOST;
}

static void add_cell(struct html *h, const struct plan *p, const struct doc_row *row, int i)
{
	const struct doc_column *col = &p->s->columns[i];
	bool number = doc_is_number(col->type), head = i == p->heading && !number;
	bool link = h->o->page && row->link && i == p->linked;
	enum html_style style = head       ? HTML_ROW_HEAD
		: number                   ? HTML_TD_NUMBER
		: is_solid(&row->cells[i]) ? HTML_TD_SOLID
					   : HTML_TD;

	if (row->total)
		style = head ? HTML_TOTAL_HEAD : number ? HTML_TOTAL_NUMBER : HTML_TOTAL;
	html_open_cell(h, head ? "th" : "td", style, p->use[i] == COLUMN_WIDE,
		head ? "scope=\"row\"" : NULL);
	if (i == p->heading)
		html_badge(h, row->tone);
	if (link) {
		sbuf_adds(h->b, "<a href=\"");
		sbuf_add_html(h->b, row->link);
		sbuf_adds(h->b, "\">");
	}
	html_cell(h, col, &row->cells[i]);
	sbuf_adds(h->b, link ? "</a>" : "");
	add_meter(h, p, i, row, &row->cells[i]);
	sbuf_adds(h->b, head ? "</th>\n" : "</td>\n");
}

/* Options are not broken: clients break lines after hyphens. */
static void add_command(struct html *h, const char *s)
{
	while (*s) {
		size_t n = strcspn(s, " "), blanks = strspn(s + n, " ");
		bool option = *s == '-' && n <= OPTION_MOST;
		char *word = xmalloc(n + 1);

		memcpy(word, s, n);
		word[n] = '\0';
		if (option)
			html_open(h, "span", HTML_SOLID, NULL);
		html_text(h, word);
		sbuf_adds(h->b, option ? "</span>" : "");
		sbuf_pad(h->b, ' ', blanks);
		s += n + blanks;
		free(word);
	}
}

static void add_words(struct html *h, const struct doc_row *row, const char *words)
{
	if (!words)
		return;
	html_open(h, "div", HTML_NO_STYLE, NULL);
	html_toned(h, words, marked(row) ? TONE_PLAIN : row->tone);
	sbuf_adds(h->b, "</div>\n");
}

static void add_paste(struct html *h, const char *command)
{
	if (!command)
		return;
	html_open(h, "pre", HTML_COMMAND, NULL);
	add_command(h, command);
	sbuf_adds(h->b, "</pre>");
}

/* A row of the table that is one cell, over all columns. */
static void open_wide(struct html *h, const struct plan *p, enum html_style style)
{
	char attrs[32];

	snprintf(attrs, sizeof(attrs), "colspan=\"%d\"", p->shown);
	sbuf_adds(h->b, "<tr>\n");
	html_open(h, "td", style, p->shown > 1 ? attrs : NULL);
}

static void add_group(struct html *h, const struct plan *p, const char *group)
{
	if (!group)
		return;
	open_wide(h, p, HTML_TOTAL);
	html_text(h, group);
	sbuf_adds(h->b, "</td>\n</tr>\n");
}

/* The detail of a row gets a row of its own below it, so that a phone can show it. */
static void add_detail(struct html *h, const struct plan *p, const struct doc_row *row)
{
	open_wide(h, p, HTML_DETAIL);
	add_words(h, row, row->detail);
	add_paste(h, row->command);
	if (row->also_command) {
		add_words(h, row, row->also);
		add_paste(h, row->also_command);
	}
	sbuf_adds(h->b, "</td>\n</tr>\n");
}

static void add_row(struct html *h, const struct plan *p, const struct doc_row *row)
{
	if (row->only_line) {
		open_wide(h, p, HTML_DETAIL);
		html_badge(h, row->tone);
		html_text(h, row->line);
		sbuf_adds(h->b, "</td>\n</tr>\n");
		return;
	}
	sbuf_adds(h->b, "<tr>\n");
	for (int i = 0; i < p->s->n_columns; i++)
		if (p->use[i] != COLUMN_OUT)
			add_cell(h, p, row, i);
	sbuf_adds(h->b, "</tr>\n");
	if (row->detail || row->command)
		add_detail(h, p, row);
}

static void add_more(struct html *h, const struct doc_section *s, size_t left)
{
	if (!left)
		return;
	html_open(h, "p", HTML_MORE, NULL);
	sbuf_addf(h->b, "and %zu more%s", left, s->more ? ": " : "");
	if (s->more)
		html_text(h, s->more);
	sbuf_adds(h->b, "</p>\n");
}

static bool always(const struct doc_row *row)
{
	return row->total || row->only_line;
}

/* Totals cover all rows: they are shown even if rows are omitted. */
static size_t add_rows(struct html *h, const struct plan *p)
{
	const struct doc_section *s = p->s;
	size_t all, left, totals = 0, lines = 0, room;
	const struct doc_row *before = NULL;

	for (size_t i = 0; i < s->n; i++) {
		totals += s->rows[i].total && !s->rows[i].folded;
		lines += s->rows[i].only_line && !s->rows[i].folded;
	}
	all = doc_rows_shown(s, 0, &left) - lines;
	room = all - totals;
	if (h->max_rows && all > h->max_rows)
		room = h->max_rows > totals ? h->max_rows - totals : 1;
	left = all - totals - (room < all - totals ? room : all - totals);
	for (size_t i = 0; i < s->n && !h->b->full; i++) {
		const struct doc_row *row = &s->rows[i];

		if (row->folded || (!always(row) && !room))
			continue;
		room -= !always(row);
		add_group(h, p, doc_group(s, before, row));
		add_row(h, p, row);
		before = row;
	}
	return left;
}

void html_table(struct html *h, const struct doc_section *s)
{
	struct plan p;
	size_t left;

	if (!doc_rows_shown(s, 0, &left))
		return;
	p = plan_columns(h, s);
	if (h->o->page && s->closed)
		sbuf_adds(h->b, "<details><summary>Show as a table</summary>\n");
	if (h->o->page) {
		/* a region that scrolls is reached by keyboard, and has a name */
		sbuf_addf(h->b,
			"<section class=\"scroll\" tabindex=\"0\" "
			"aria-labelledby=\"%s\">",
			s->key);
	} else if (!h->o->mail) {
		html_open(h, "div", HTML_SCROLL, NULL);
	}
	html_open(h, "table", HTML_TABLE,
		h->o->mail ? "width=\"100%\" border=\"0\" cellpadding=\"0\" "
			     "cellspacing=\"0\""
			   : NULL);
	sbuf_adds(h->b, "\n");
	add_head(h, &p);
	sbuf_adds(h->b, "<tbody>\n");
	left = add_rows(h, &p);
	if (left)
		format_cut(h->o, s);
	sbuf_addf(h->b, "</tbody>\n</table>%s\n",
		h->o->page           ? "</section>"
			: h->o->mail ? ""
				     : "</div>");
	add_more(h, s, left);
	if (h->o->page && s->closed)
		sbuf_adds(h->b, "</details>\n");
}
