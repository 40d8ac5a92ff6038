/* Tables for people: aligned, fitted to the terminal, with totals per currency. */
#include "cli/out/internal.h"

#include <string.h>

static void render_line(
	struct sbuf *b, const struct layout *l, const char *const *texts, const char *color)
{
	size_t n;

	if (color)
		sbuf_adds(b, color);
	for (size_t c = 0; c < l->t->n_cols; c++) {
		if (c)
			sbuf_adds(b, "  ");
		add_field(b, l, c, texts[c], c + 1 == l->t->n_cols);
	}
	for (n = b->len; n && b->s[n - 1] == ' ';)
		n--;
	sbuf_trunc(b, n);
	sbuf_adds(b, color ? OUT_PLAIN "\n" : "\n");
}

static void render_heads(
	struct sbuf *b, const struct layout *l, const char *color, struct arena *a)
{
	const char **parts = arena_alloc(a, (l->t->n_cols + 1) * sizeof(*parts));
	bool units = false;

	for (size_t line = 0; line < l->head_lines; line++) {
		for (size_t c = 0; c < l->t->n_cols; c++)
			parts[c] = head_part(l, c, line, a);
		render_line(b, l, parts, color);
	}
	for (size_t c = 0; c < l->t->n_cols; c++) {
		parts[c] = head_unit(l, c, a);
		units = units || *parts[c];
	}
	if (units)
		render_line(b, l, parts, NULL);
}

static void render_total(struct sbuf *b, const struct layout *l, const struct total *sum,
	const char *color, struct arena *a)
{
	const char **texts = arena_alloc(a, (l->t->n_cols + 1) * sizeof(*texts));

	for (size_t c = 0; c < l->t->n_cols; c++)
		texts[c] = total_field(l, sum, c, a);
	render_line(b, l, texts, color);
}

static void render_rows(struct sbuf *b, const struct table *given, const struct layout *l,
	const struct out_style *style, struct arena *a)
{
	render_heads(b, l, style->color ? OUT_BOLD : NULL, a);
	/* Colours are of the whole row, also of what is left out of it. */
	for (size_t r = 0; r < l->t->n_rows; r++)
		render_line(b, l, l->texts + r * l->t->n_cols,
			style->color ? row_color(given, r) : NULL);
}

void out_table(struct sbuf *b, const struct table *given, const struct out_style *style)
{
	struct sbuf *left_out = out_left_out(style);
	struct totals totals = {.n = 0};
	size_t left_before = left_out->len;
	struct table t = *given;
	struct arena a = {0};
	struct layout l;

	if (style->totals && !given->no_totals)
		totals_of(&t, &totals, &a);
	if (!fit_table(&l, &t, &totals, style, &a)) {
		sbuf_trunc(left_out, left_before);
		if (totals.n)
			totals_of(given, &totals, &a);
		out_records(b, given, &totals, style);
		arena_done(&a);
		return;
	}
	render_rows(b, given, &l, style, &a);
	/* The columns of all sums may be among those that were left out. */
	for (size_t i = 0; has_money(&t) && i < totals.n; i++)
		render_total(b, &l, &totals.v[i], style->color ? OUT_BOLD : NULL, &a);
	arena_done(&a);
}
