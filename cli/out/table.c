/* Text tables: aligned, fitted to the terminal, coloured, with totals per currency. */
#include "cli/out/internal.h"
#include "reports/doc/wrap.h"

#include <string.h>

/* Appends a row of one or more lines; `texts` is indexed by column of the table. */
static void render_line(
	struct sbuf *b, const struct layout *l, const char *const *texts, const char *color)
{
	size_t n = (size_t)l->t->n_columns;
	const char **rest = arena_alloc(l->a, n * sizeof(*rest) + 1);
	bool more;

	memcpy(rest, texts, n * sizeof(*rest));
	do {
		more = false;
		sbuf_adds(b, color ? color : "");
		for (size_t i = 0; i < l->n_cols; i++) {
			int c = l->cols[i];

			sbuf_adds(b, i ? "  " : "");
			fit_field(b, l, c, fit_part(l, c, &rest[c]), i + 1 == l->n_cols);
			more |= *rest[c] != 0;
		}
		wrap_trim(b);
		sbuf_adds(b, color ? OUT_PLAIN "\n" : "\n");
	} while (more);
}

static void render_heads(struct sbuf *b, const struct layout *l, const char *color)
{
	const char **parts = arena_alloc(
		l->a, (size_t)l->t->n_columns * sizeof(*parts) + 1);
	bool units = false;

	for (size_t line = 0; line < l->head_lines; line++) {
		for (size_t i = 0; i < l->n_cols; i++)
			parts[l->cols[i]] = fit_head(l, l->cols[i], line);
		render_line(b, l, parts, color);
	}
	for (size_t i = 0; i < l->n_cols; i++) {
		parts[l->cols[i]] = fit_unit(l, l->cols[i]);
		units = units || *parts[l->cols[i]];
	}
	if (units)
		render_line(b, l, parts, NULL);
}

static void render_totals(struct sbuf *b, const struct layout *l, const char *color)
{
	const char **texts = arena_alloc(
		l->a, (size_t)l->t->n_columns * sizeof(*texts) + 1);
	bool money = false;

	/* All columns with sums may have been dropped. */
	for (size_t i = 0; i < l->n_cols; i++)
		money = money || doc_is_money(l->t->columns[l->cols[i]].type);
	for (size_t k = 0; money && k < l->totals->n; k++) {
		for (size_t i = 0; i < l->n_cols; i++)
			texts[l->cols[i]] = fit_total(l, &l->totals->v[k], l->cols[i]);
		render_line(b, l, texts, color);
	}
}

void out_table(struct sbuf *b, const struct doc_section *t, const struct out_style *style)
{
	const char *bold = style->color ? OUT_BOLD : NULL;
	struct totals totals = {.n = 0};
	cleanup(arena_done) struct arena a = {0};
	struct layout l;

	if (style->totals && !t->overlap)
		table_totals(&totals, t, &a);
	if (fit_table(&l, t, &totals, style, &a)) {
		render_heads(b, &l, bold);
		/* Colours depend on the whole row, including dropped columns. */
		for (size_t r = 0; r < t->n; r++)
			render_line(b, &l, l.texts + r * (size_t)t->n_columns,
				style->color ? table_color(t, r) : NULL);
		render_totals(b, &l, bold);
	} else {
		out_records(b, t, &totals, style);
	}
}
