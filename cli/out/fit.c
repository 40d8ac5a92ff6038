/* Tables in the width of a terminal. Numbers, times and places are never cut: half of one is
 * another one. */
#include "base/str.h"
#include "cli/out/internal.h"

#include <limits.h>
#include <string.h>

#define GAP 2
#define ENOUGH 14 /* of a text, while there are columns to leave out */
#define LEAST 10  /* where there is none any more */
#define PLACE_MOST 30

/* ---- headings ---------------------------------------------------------------------------------- */

/* The first line of `name` in `width` columns: broken at an underscore, never inside a word. */
static size_t head_take(const char *name, size_t width)
{
	size_t n = strcspn(name, "_");

	while (name[n]) {
		size_t next = n + 1 + strcspn(name + n + 1, "_");

		if (next > width)
			break;
		n = next;
	}
	return n;
}

static size_t head_count(const char *name, size_t width)
{
	size_t lines = 1;

	for (;;) {
		name += head_take(name, width);
		if (!*name)
			return lines;
		name++;
		lines++;
	}
}

/* The longest word of a name: headings are not narrower. */
static size_t longest_word(const char *name)
{
	size_t most = 0;

	for (const char *p = name;;) {
		size_t n = strcspn(p, "_");

		if (n > most)
			most = n;
		if (!p[n])
			return most;
		p += n + 1;
	}
}

const char *head_part(const struct layout *l, size_t c, size_t line, struct arena *a)
{
	const char *p = l->heads[c];
	size_t lines;

	if (l->head_lines == 1)
		return p;
	lines = head_count(p, l->widths[c]);
	if (line + lines < l->head_lines)
		return "";
	for (size_t i = l->head_lines - lines; i < line; i++)
		p += head_take(p, l->widths[c]) + 1;
	return arena_strndup(a, p, head_take(p, l->widths[c]));
}

const char *head_unit(const struct layout *l, size_t c, struct arena *a)
{
	const struct column *col = l->t->cols[c];

	return col->type == COL_MONEY && l->units
		? arena_printf(a, "%s%s", l->units, column_per(col))
		: "";
}

static void widen(struct layout *l, size_t c, size_t w)
{
	if (l->widths[c] < w)
		l->widths[c] = w;
}

static void lay_out_heads(struct layout *l, bool broken, struct arena *a)
{
	for (size_t c = 0; c < l->t->n_cols; c++) {
		struct sbuf b = SBUF_INIT;

		sbuf_add_term(&b, l->t->cols[c]->name);
		l->heads[c] = arena_strdup(a, b.s);
		sbuf_done(&b);
		widen(l, c, broken ? longest_word(l->heads[c]) : utf8_width(l->heads[c]));
		widen(l, c, utf8_width(head_unit(l, c, a)));
	}
}

/* Room that is left goes to the highest heading, while it makes it lower. */
static void spend(struct layout *l, size_t room)
{
	for (;;) {
		size_t worst = 0, lines = 0, w;

		for (size_t c = 0; c < l->t->n_cols; c++)
			if (head_count(l->heads[c], l->widths[c]) > lines) {
				worst = c;
				lines = head_count(l->heads[c], l->widths[c]);
			}
		if (lines < 2)
			return;
		w = l->widths[worst] + 1;
		while (head_count(l->heads[worst], w) == lines)
			w++;
		if (w - l->widths[worst] > room)
			return;
		room -= w - l->widths[worst];
		l->widths[worst] = w;
	}
}

/* How high the headings are at the widths that the columns got. */
static void count_head_lines(struct layout *l, bool broken)
{
	l->head_lines = 1;
	for (size_t c = 0; broken && c < l->t->n_cols; c++) {
		size_t lines = head_count(l->heads[c], l->widths[c]);

		if (lines > l->head_lines)
			l->head_lines = lines;
	}
}

/* ---- widths ------------------------------------------------------------------------------------ */

static void lay_out_cells(struct layout *l, struct arena *a)
{
	const struct table *t = l->t;
	struct sbuf b = SBUF_INIT;

	for (size_t i = 0; i < t->n_rows * t->n_cols; i++) {
		sbuf_reset(&b);
		cell_human(&b, t->cols[i % t->n_cols], &t->cells[i]);
		if (l->currencies && l->currencies[i / t->n_cols] &&
			t->cols[i % t->n_cols]->type == COL_MONEY &&
			t->cells[i].kind != CELL_NULL)
			sbuf_addf(&b, " %s", l->currencies[i / t->n_cols]);
		l->texts[i] = arena_strdup(a, b.s);
		widen(l, i % t->n_cols, utf8_width(b.s));
	}
	sbuf_done(&b);
}

const char *total_field(
	const struct layout *l, const struct total *sum, size_t c, struct arena *a)
{
	char buf[NANOS_BUF];
	const char *text = total_text(l->t, sum, c, buf);
	bool amount = *text && l->t->cols[c]->type == COL_MONEY;

	return arena_printf(a, "%s%s%s", text, amount && l->currencies ? " " : "",
		amount && l->currencies ? sum->cur : "");
}

/* Totals can be wider than any single row. */
static void lay_out_totals(struct layout *l, const struct totals *totals, struct arena *a)
{
	for (size_t i = 0; i < totals->n; i++)
		for (size_t c = 0; c < l->t->n_cols; c++)
			widen(l, c, strlen(total_field(l, &totals->v[i], c, a)));
}

static void lay_out(struct layout *l, const struct table *t, const struct totals *totals,
	bool broken, struct arena *a)
{
	size_t n = t->n_cols + 1;

	l->t = t;
	l->heads = arena_alloc(a, n * sizeof(*l->heads));
	l->texts = arena_alloc(a, (t->n_rows + 1) * n * sizeof(*l->texts));
	l->widths = arena_alloc(a, n * sizeof(*l->widths));
	l->natural = arena_alloc(a, n * sizeof(*l->natural));
	lay_out_cells(l, a);
	memcpy(l->natural, l->widths, n * sizeof(*l->widths));
	lay_out_heads(l, broken, a);
	lay_out_totals(l, totals, a);
}

static bool is_place(const struct column *c)
{
	return !strcmp(c->name, "location") || str_ends(c->name, "zone") ||
		str_ends(c->name, "region");
}

static bool can_be_cut(const struct layout *l, size_t c)
{
	const struct column *col = l->t->cols[c];

	if (is_place(col) && l->natural[c] <= PLACE_MOST)
		return false;
	return !column_numeric(col) && col->type != COL_TIME && col->type != COL_FLAG;
}

/* Narrow the widest texts until the line fits, none below `least`. Returns the width that is
 * left. */
static size_t shrink(struct layout *l, size_t width, size_t least)
{
	for (;;) {
		size_t sum = 0, widest = SIZE_MAX;

		for (size_t c = 0; c < l->t->n_cols; c++) {
			size_t word = longest_word(l->heads[c]);

			sum += l->widths[c] + (c ? GAP : 0);
			if (can_be_cut(l, c) && l->widths[c] > least &&
				l->widths[c] > word &&
				(widest == SIZE_MAX || l->widths[c] > l->widths[widest]))
				widest = c;
		}
		if (sum <= width || widest == SIZE_MAX)
			return sum;
		l->widths[widest] -= 1;
	}
}

/* ---- leaving columns out ----------------------------------------------------------------------- */

/* Sums go along: without the column of the currency, they could not be made anew. */
static void drop_column(
	struct table *t, struct totals *totals, size_t gone, struct arena *a)
{
	size_t n = t->n_cols - 1;
	const struct column **cols = arena_alloc(a, t->n_cols * sizeof(*cols));
	unsigned char *optional = arena_alloc(a, t->n_cols * sizeof(*optional));
	struct cell *cells = arena_alloc(a, (t->n_rows + 1) * t->n_cols * sizeof(*cells));

	for (size_t c = 0, out = 0; c < t->n_cols; c++) {
		if (c == gone)
			continue;
		cols[out] = t->cols[c];
		optional[out] = t->optional[c];
		for (size_t r = 0; r < t->n_rows; r++)
			cells[r * n + out] = t->cells[r * t->n_cols + c];
		out++;
	}
	for (size_t i = 0; i < totals->n; i++)
		for (size_t c = gone; c < n; c++) {
			totals->v[i].sums[c] = totals->v[i].sums[c + 1];
			totals->v[i].over[c] = totals->v[i].over[c + 1];
		}
	t->cols = cols;
	t->n_cols = n;
	t->cells = cells;
	t->optional = optional;
}

/* Of the columns that are optional up to `most`, the last of the lowest number; t->n_cols: there
 * is none. */
static size_t next_optional(const struct table *t, unsigned most)
{
	size_t found = t->n_cols;

	for (size_t c = t->n_cols; t->optional && c-- > 0;)
		if (t->optional[c] && t->optional[c] <= most &&
			(found == t->n_cols || t->optional[c] < t->optional[found]))
			found = c;
	return found;
}

static size_t currency_column(const struct table *t)
{
	size_t c = 0;

	while (c < t->n_cols && strcmp(t->cols[c]->name, "currency") != 0)
		c++;
	return c;
}

/* The currency when the headings have it already, else the last that may go at once. */
static size_t next_to_drop(const struct table *t, bool units)
{
	size_t currency = units && t->optional ? currency_column(t) : t->n_cols;

	return currency < t->n_cols ? currency : next_optional(t, 1);
}

/* Where rows would become blocks: currencies go beside the amounts, then what is left of the
 * optional columns. */
static size_t next_before_blocks(struct layout *l, const struct table *t, struct arena *a)
{
	size_t gone = next_optional(t, UCHAR_MAX), currency = currency_column(t);

	if (gone == t->n_cols || l->currencies || currency == t->n_cols)
		return gone;
	l->currencies = arena_alloc(a, (t->n_rows + 1) * sizeof(*l->currencies));
	for (size_t r = 0; r < t->n_rows; r++)
		l->currencies[r] = row_currency(t, r);
	return currency;
}

bool fit_table(struct layout *l, struct table *t, struct totals *totals,
	const struct out_style *style, struct arena *a)
{
	size_t width = (size_t)style->width, gone, used;
	bool broken = false;

	*l = (struct layout){
		.units = width ? table_currency(t) : NULL, .ascii = style->ascii};
	for (;; broken = true) {
		lay_out(l, t, totals, broken, a);
		used = width ? shrink(l, width, ENOUGH) : 0;
		if (used <= width)
			break;
		if (!broken)
			continue;
		gone = next_to_drop(t, l->units != NULL);
		if (gone == t->n_cols) {
			used = shrink(l, width, LEAST);
			if (used <= width)
				break;
			gone = next_before_blocks(l, t, a);
			if (gone == t->n_cols)
				return false;
		}
		out_leave(out_left_out(style), t->cols[gone]->name);
		drop_column(t, totals, gone, a);
	}
	if (broken)
		spend(l, width - used);
	count_head_lines(l, broken);
	return true;
}

/* ---- cells in their width ---------------------------------------------------------------------- */

/* An id, or another path: of a resource, of a metric. */
static bool is_id(const struct column *c, const char *text)
{
	return !strcmp(c->name, "id") || !strcmp(c->name, "resource") ||
		(strchr(text, '/') && !strchr(text, ' '));
}

/* Bytes of as many characters as fit into `width`. */
static size_t bytes_of(const char *s, size_t width)
{
	size_t at = 0, n;

	while (s[at]) {
		char one[8] = "";
		size_t w;

		utf8_next(s + at, &n);
		memcpy(one, s + at, n);
		w = utf8_width(one);
		if (w > width)
			break;
		width -= w;
		at += n;
	}
	return at;
}

/* The part of `s` after its first characters that has at most `width`. */
static const char *tail_of(const char *s, size_t width)
{
	size_t n;

	while (utf8_width(s) > width) {
		utf8_next(s, &n);
		s += n;
	}
	return s;
}

/* What tells ids apart is at their end, what tells names apart often is; sentences are read from
 * their beginning. */
static void add_cut(
	struct sbuf *b, const struct layout *l, size_t c, const char *s, size_t width)
{
	const struct column *col = l->t->cols[c];
	const char *dots = l->ascii ? ".." : "…";
	size_t room = width - utf8_width(dots), head = room;
	struct sbuf cut = SBUF_INIT;

	if (is_id(col, s))
		head = 0;
	else if (!strcmp(col->name, "name") || str_ends(col->name, "_name"))
		head = room / 2;
	sbuf_add(&cut, s, bytes_of(s, head));
	sbuf_adds(&cut, dots);
	if (head < room)
		sbuf_adds(&cut, tail_of(s, room - head));
	sbuf_adds(b, cut.s);
	sbuf_pad(b, ' ', width - utf8_width(cut.s));
	sbuf_done(&cut);
}

void add_field(
	struct sbuf *b, const struct layout *l, size_t c, const char *text, bool last)
{
	size_t w = utf8_width(text), room = l->widths[c];

	if (w > room) {
		add_cut(b, l, c, text, room);
	} else if (column_numeric(l->t->cols[c])) {
		sbuf_pad(b, ' ', room - w);
		sbuf_adds(b, text);
	} else {
		sbuf_adds(b, text);
		if (!last)
			sbuf_pad(b, ' ', room - w);
	}
}
