/* Tables for people: aligned, fitted to the terminal, with totals per currency. */
#include "base/money.h"
#include "base/str.h"
#include "cli/out_parts.h"

#include <stdio.h>
#include <string.h>

#define BOLD "\033[1m"
#define RED "\033[31m"
#define GREEN "\033[32m"
#define PLAIN "\033[0m"
#define MIN_TEXT_WIDTH 12
#define LEAST_TEXT_WIDTH 8 /* where nothing can be left out */
#define MAX_TOTALS 8

bool column_numeric(const struct column *c)
{
	return c->type == COL_INT || c->type == COL_MONEY || c->type == COL_DECIMAL;
}

/* Hourly prices of small things need more digits than a sum does. */
static int money_digits(const struct column *c)
{
	return str_ends(c->name, "_per_hour") ? 4 : 2;
}

/* A cell as people read it; amounts are rounded for the eye only. */
static void add_human(struct sbuf *b, const struct column *col, const struct cell *c)
{
	char buf[NANOS_BUF];

	if (c->kind == CELL_NULL)
		sbuf_addc(b, '-');
	else if (col->type == COL_FLAG && c->kind == CELL_INT)
		sbuf_adds(b, c->i ? "yes" : "no");
	else if (col->type == COL_MONEY && c->kind == CELL_NANOS)
		sbuf_adds(b, nanos_format_fixed(c->i, money_digits(col), buf));
	else if (c->kind == CELL_REAL && col->type == COL_DECIMAL)
		sbuf_addf(b, "%.1f", c->real);
	else if (col->type == COL_TIME && c->kind == CELL_TEXT && strlen(c->text) == 20)
		sbuf_addf(b, "%.10s %.5sZ", c->text, c->text + 11);
	else if (c->kind == CELL_TEXT)
		sbuf_add_term(b, c->text);
	else
		cell_exact(b, c);
}

/* Everything as text, laid out. */
struct layout {
	const struct table *t;
	const char **heads;
	const char **texts; /* n_rows x n_cols */
	size_t *widths;
	size_t head_lines;
};

/* Lines that a heading takes when it is broken at its underscores, and its widest one. */
static size_t head_lines(const char *name, size_t *widest)
{
	size_t lines = 1, w = 0;

	*widest = 0;
	for (const char *p = name;; p++) {
		if (*p && *p != '_') {
			w++;
			continue;
		}
		if (w > *widest)
			*widest = w;
		w = 0;
		if (!*p)
			return lines;
		lines++;
	}
}

static void lay_out_heads(struct layout *l, bool broken, struct arena *a)
{
	struct sbuf b = SBUF_INIT;

	l->head_lines = 1;
	for (size_t c = 0; c < l->t->n_cols; c++) {
		size_t w, lines;

		sbuf_reset(&b);
		sbuf_add_term(&b, l->t->cols[c]->name);
		l->heads[c] = arena_strdup(a, b.s);
		lines = head_lines(b.s, &w);
		if (!broken)
			w = utf8_width(b.s);
		else if (lines > l->head_lines)
			l->head_lines = lines;
		if (w > l->widths[c])
			l->widths[c] = w;
	}
	sbuf_done(&b);
}

static void lay_out(struct layout *l, const struct table *t, bool broken, struct arena *a)
{
	struct sbuf b = SBUF_INIT;

	*l = (struct layout){.t = t,
		.heads = arena_alloc(a, (t->n_cols + 1) * sizeof(*l->heads)),
		.texts = arena_alloc(a, (t->n_rows + 1) * t->n_cols * sizeof(*l->texts)),
		.widths = arena_alloc(a, (t->n_cols + 1) * sizeof(*l->widths))};
	lay_out_heads(l, broken, a);
	for (size_t i = 0; i < t->n_rows * t->n_cols; i++) {
		size_t c = i % t->n_cols, w;

		sbuf_reset(&b);
		add_human(&b, t->cols[c], &t->cells[i]);
		l->texts[i] = arena_strdup(a, b.s);
		w = utf8_width(b.s);
		if (w > l->widths[c])
			l->widths[c] = w;
	}
	sbuf_done(&b);
}

/* Half a time is none, half a number another one. */
static bool can_be_cut(const struct column *c)
{
	return !column_numeric(c) && c->type != COL_TIME;
}

/* Narrow the widest text columns until the line fits, none below `least`; numbers and times are
 * never cut. Returns the width that is left. */
static size_t shrink(struct layout *l, size_t width, size_t least)
{
	for (;;) {
		size_t sum = 0, widest = SIZE_MAX;

		for (size_t c = 0; c < l->t->n_cols; c++) {
			sum += l->widths[c] + (c ? 2 : 0);
			if (can_be_cut(l->t->cols[c]) && l->widths[c] > least &&
				(widest == SIZE_MAX || l->widths[c] > l->widths[widest]))
				widest = c;
		}
		if (sum <= width || widest == SIZE_MAX)
			return sum;
		l->widths[widest] -= 1;
	}
}

static void add_cut(struct sbuf *b, const char *s, size_t width)
{
	size_t used = 0;

	if (utf8_width(s) <= width) {
		sbuf_adds(b, s);
		return;
	}
	while (*s) {
		char one[8];
		size_t n, w;

		utf8_next(s, &n);
		memcpy(one, s, n);
		one[n] = '\0';
		w = utf8_width(one);
		if (used + w > width - 1)
			break;
		sbuf_add(b, s, n);
		used += w;
		s += n;
	}
	sbuf_adds(b, "…");
	sbuf_pad(b, ' ', width - 1 - used);
}

/* The subject of an alert is an id, that of a message a sentence. */
static bool is_id(const struct column *c, const char *text)
{
	return !strcmp(c->name, "id") || !strcmp(c->name, "resource") ||
		(!strcmp(c->name, "subject") && !strchr(text, ' '));
}

/* What tells ids apart is at their end. */
static void add_tail(struct sbuf *b, const char *s, size_t width)
{
	size_t n;

	while (utf8_width(s) > width - 1) {
		utf8_next(s, &n);
		s += n;
	}
	sbuf_adds(b, "…");
	sbuf_adds(b, s);
	sbuf_pad(b, ' ', width - 1 - utf8_width(s));
}

static void add_field(
	struct sbuf *b, const struct layout *l, size_t c, const char *text, bool last)
{
	size_t w = utf8_width(text), room = l->widths[c];

	if (w > room && is_id(l->t->cols[c], text)) {
		add_tail(b, text, room);
	} else if (w >= room) {
		add_cut(b, text, room);
	} else if (column_numeric(l->t->cols[c])) {
		sbuf_pad(b, ' ', room - w);
		sbuf_adds(b, text);
	} else {
		sbuf_adds(b, text);
		if (!last)
			sbuf_pad(b, ' ', room - w);
	}
}

/* The colour that says how a row stands: red where money is lost, green where it is saved. */
static const char *row_color(const struct table *t, size_t r)
{
	for (size_t c = 0; c < t->n_cols; c++) {
		const struct cell *cell = &t->cells[r * t->n_cols + c];

		if (!strcmp(t->cols[c]->name, "covered") && cell->kind == CELL_INT)
			return cell->i ? GREEN : RED;
		if (!strcmp(t->cols[c]->name, "stale") && cell->kind == CELL_INT && cell->i)
			return RED;
	}
	return NULL;
}

struct total {
	char cur[8];
	int64_t *sums;
	bool *over;
};

static const char *row_currency(const struct table *t, size_t r)
{
	for (size_t c = 0; c < t->n_cols; c++)
		if (!strcmp(t->cols[c]->name, "currency") &&
			t->cells[r * t->n_cols + c].kind == CELL_TEXT)
			return t->cells[r * t->n_cols + c].text;
	return NULL;
}

struct totals {
	struct total v[MAX_TOTALS];
	size_t n;
};

static struct total *find_total(
	struct totals *t, const char *cur, size_t n_cols, struct arena *a)
{
	struct total *new;

	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->v[i].cur, cur))
			return &t->v[i];
	if (t->n == MAX_TOTALS)
		return NULL;
	new = &t->v[t->n++];
	snprintf(new->cur, sizeof(new->cur), "%s", cur);
	new->sums = arena_alloc(a, n_cols * sizeof(int64_t));
	new->over = arena_alloc(a, n_cols * sizeof(bool));
	return new;
}

/* Sums per currency; currencies are never added together. */
static void sum_up(const struct table *t, struct totals *out, struct arena *a)
{
	out->n = 0;
	for (size_t r = 0; r < t->n_rows; r++) {
		const char *cur = row_currency(t, r);
		struct total *sum = cur ? find_total(out, cur, t->n_cols, a) : NULL;

		for (size_t c = 0; sum && c < t->n_cols; c++) {
			const struct cell *cell = &t->cells[r * t->n_cols + c];

			if (t->cols[c]->type != COL_MONEY)
				continue;
			/* With an amount that is not known there is no sum. */
			if (cell->kind == CELL_NULL ||
				(cell->kind == CELL_NANOS &&
					!nanos_add(sum->sums[c], cell->i, &sum->sums[c])))
				sum->over[c] = true;
		}
	}
}

/* What a line of totals says in a column. */
static const char *total_text(
	const struct table *t, const struct total *sum, size_t c, char buf[NANOS_BUF])
{
	if (t->cols[c]->type == COL_MONEY && !sum->over[c])
		return nanos_format_fixed(sum->sums[c], money_digits(t->cols[c]), buf);
	if (!strcmp(t->cols[c]->name, "currency"))
		return sum->cur;
	return c ? "" : "total";
}

static void render_totals(struct sbuf *b, struct layout *l, struct arena *a, bool color)
{
	struct totals totals;
	char buf[NANOS_BUF];

	sum_up(l->t, &totals, a);
	for (size_t i = 0; i < totals.n; i++) {
		if (color)
			sbuf_adds(b, BOLD);
		for (size_t c = 0; c < l->t->n_cols; c++) {
			if (c)
				sbuf_adds(b, "  ");
			add_field(b, l, c, total_text(l->t, &totals.v[i], c, buf),
				c + 1 == l->t->n_cols);
		}
		sbuf_adds(b, color ? PLAIN "\n" : "\n");
	}
}

static bool has_money(const struct table *t)
{
	bool money = false, currency = false;

	for (size_t c = 0; c < t->n_cols; c++) {
		money = money || t->cols[c]->type == COL_MONEY;
		currency = currency || !strcmp(t->cols[c]->name, "currency");
	}
	return money && currency && t->n_rows > 1;
}

/* Totals can be wider than any single row. */
static void widen_for_totals(struct layout *l, struct arena *a)
{
	struct totals totals;
	char buf[NANOS_BUF];

	sum_up(l->t, &totals, a);
	for (size_t i = 0; i < totals.n; i++)
		for (size_t c = 0; c < l->t->n_cols; c++) {
			size_t w = strlen(total_text(l->t, &totals.v[i], c, buf));

			if (l->widths[c] < w)
				l->widths[c] = w;
		}
}

/* The same table without its last optional column; false when there is none. */
static bool drop_optional(struct table *t, struct arena *a)
{
	size_t gone = t->n_cols, n = t->n_cols - 1;
	const struct column **cols;
	struct cell *cells;
	bool *optional;

	while (gone > 0 && !(t->optional && t->optional[gone - 1]))
		gone--;
	if (!gone--)
		return false;
	cols = arena_alloc(a, t->n_cols * sizeof(*cols));
	optional = arena_alloc(a, t->n_cols * sizeof(*optional));
	cells = arena_alloc(a, (t->n_rows + 1) * t->n_cols * sizeof(*cells));
	for (size_t c = 0, out = 0; c < t->n_cols; c++) {
		if (c == gone)
			continue;
		cols[out] = t->cols[c];
		optional[out] = t->optional[c];
		for (size_t r = 0; r < t->n_rows; r++)
			cells[r * n + out] = t->cells[r * t->n_cols + c];
		out++;
	}
	*t = (struct table){.cols = cols,
		.n_cols = n,
		.cells = cells,
		.n_rows = t->n_rows,
		.optional = optional};
	return true;
}

/* Line `line` of a heading of `lines`; shorter ones stand at the bottom. */
static const char *head_part(const struct layout *l, size_t c, size_t line, struct arena *a)
{
	size_t widest, lines = head_lines(l->heads[c], &widest);
	const char *p = l->heads[c];

	if (l->head_lines == 1)
		return p;
	if (line + lines < l->head_lines)
		return "";
	for (size_t i = l->head_lines - lines; i < line; i++)
		p += strcspn(p, "_") + 1;
	return arena_strndup(a, p, strcspn(p, "_"));
}

static void render_line(
	struct sbuf *b, const struct layout *l, const char *const *texts, const char *color)
{
	if (color)
		sbuf_adds(b, color);
	for (size_t c = 0; c < l->t->n_cols; c++) {
		if (c)
			sbuf_adds(b, "  ");
		add_field(b, l, c, texts[c], c + 1 == l->t->n_cols);
	}
	sbuf_adds(b, color ? PLAIN "\n" : "\n");
}

static void render_heads(
	struct sbuf *b, const struct layout *l, const char *color, struct arena *a)
{
	const char **parts = arena_alloc(a, (l->t->n_cols + 1) * sizeof(*parts));

	for (size_t line = 0; line < l->head_lines; line++) {
		for (size_t c = 0; c < l->t->n_cols; c++)
			parts[c] = head_part(l, c, line, a);
		render_line(b, l, parts, color);
	}
}

/* Fit the terminal: break headings first, then narrow text, then leave out what can be. */
static void fit(
	struct layout *l, struct table *t, bool totals, size_t width, struct arena *a)
{
	bool broken = false;

	for (;;) {
		lay_out(l, t, broken, a);
		if (totals)
			widen_for_totals(l, a);
		if (!width || shrink(l, width, MIN_TEXT_WIDTH) <= width)
			return;
		if (broken && !drop_optional(t, a)) {
			shrink(l, width, LEAST_TEXT_WIDTH);
			return;
		}
		broken = true;
	}
}

void out_table(struct sbuf *b, const struct table *given, const struct out_style *style)
{
	struct table t = *given;
	struct arena a = {0};
	struct layout l;
	bool totals = style->totals && has_money(&t);

	fit(&l, &t, totals, (size_t)style->width, &a);
	render_heads(b, &l, style->color ? BOLD : NULL, &a);
	for (size_t r = 0; r < t.n_rows; r++)
		render_line(b, &l, l.texts + r * t.n_cols,
			style->color ? row_color(&t, r) : NULL);
	if (totals)
		render_totals(b, &l, &a, style->color);
	arena_done(&a);
}
