/* Rows as blocks, for columns that do not fit side by side: one line "key: value" per
 * value. */
#include "base/str.h"
#include "cli/out/internal.h"
#include "reports/doc/wrap.h"

#include <string.h>

#define LEAST_ROOM 16 /* columns for values after their keys */

struct records {
	const struct doc_section *t;
	const struct out_style *style;
	size_t keys; /* width of the widest key */
};

static bool said_beside(const struct records *rec, int c)
{
	return !strcmp(rec->t->columns[c].key, "currency") && rec->t->n_columns > 1;
}

/* Appends a value. A long word, such as an id, is broken at the end of the line. */
static void add_value(const struct records *rec, struct sbuf *b, const char *text)
{
	size_t width = (size_t)rec->style->width;
	struct wrap w = {.b = b, .width = width, .indent = rec->keys + 2};

	if (w.indent + LEAST_ROOM > width) {
		w.indent = 2;
		sbuf_adds(b, "\n  ");
	}
	w.column = w.indent;
	if (utf8_width(text) <= width - w.indent || strchr(text, ' ')) {
		sbuf_add_wrapped(b, text, w.indent, w.indent, width);
		return;
	}
	wrap_text(&w, text);
	sbuf_addc(b, '\n');
}

static void add_line(const struct records *rec, struct sbuf *b, const char *key,
	const char *value, const char *color)
{
	sbuf_addf(b, "%s%s:%s ", color ? color : "", key, color ? OUT_PLAIN : "");
	sbuf_pad(b, ' ', rec->keys - utf8_width(key));
	add_value(rec, b, value);
}

static void add_row(const struct records *rec, struct sbuf *b, size_t r)
{
	const struct doc_section *t = rec->t;
	const char *currency = table_currency(t, r);
	const char *color = rec->style->color ? table_color(t, r) : NULL;
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;

	for (int c = 0; c < t->n_columns; c++) {
		const struct doc_column *col = &t->columns[c];
		const struct doc_cell *cell = &t->rows[r].cells[c];

		if (cell->type == DOC_NONE || (currency && said_beside(rec, c)))
			continue;
		sbuf_reset(&text);
		table_cell(&text, col, cell, currency);
		if (doc_is_money(col->type) && currency)
			sbuf_addf(&text, " %s%s", currency, table_per(col));
		add_line(rec, b, col->key, text.s, color);
	}
}

static void add_total(const struct records *rec, struct sbuf *b, const struct total *sum)
{
	const struct doc_section *t = rec->t;
	cleanup(arena_done) struct arena a = {0};

	sbuf_addf(b, "%stotal%s\n", rec->style->color ? OUT_BOLD : "",
		rec->style->color ? OUT_PLAIN : "");
	for (int c = 0; c < t->n_columns; c++) {
		const char *amount = table_total(t, sum, c, !c, &a);

		if (doc_is_money(t->columns[c].type) && *amount)
			add_line(rec, b, t->columns[c].key,
				arena_printf(&a, "%s %s%s", amount, sum->currency,
					table_per(&t->columns[c])),
				NULL);
	}
}

void out_records(struct sbuf *b, const struct doc_section *t, const struct totals *totals,
	const struct out_style *style)
{
	struct records rec = {.t = t, .style = style};

	for (int c = 0; c < t->n_columns; c++) {
		size_t w = utf8_width(t->columns[c].key);

		if (w > rec.keys && !said_beside(&rec, c))
			rec.keys = w;
	}
	for (size_t r = 0; r < t->n; r++) {
		sbuf_adds(b, r ? "\n" : "");
		add_row(&rec, b, r);
	}
	for (size_t i = 0; i < totals->n; i++) {
		sbuf_addc(b, '\n');
		add_total(&rec, b, &totals->v[i]);
	}
}
