/* Rows where columns do not fit beside each other: one block each, a line "key: value" for all
 * that is known of it. */
#include "base/str.h"
#include "cli/out/internal.h"

#include <string.h>

#define LEAST_ROOM 16 /* for values beside their keys */

struct records {
	const struct table *t;
	const struct out_style *style;
	size_t keys; /* width of the widest key */
};

static bool said_beside(const struct records *rec, size_t c)
{
	return !strcmp(rec->t->cols[c]->name, "currency") && rec->t->n_cols > 1;
}

/* A long word, an id, is broken where the line ends. */
static void add_value(const struct records *rec, struct sbuf *b, const char *text)
{
	size_t indent = rec->keys + 2, width = (size_t)rec->style->width, at = 0;

	if (indent + LEAST_ROOM > width) {
		indent = 2;
		sbuf_addc(b, '\n');
		sbuf_pad(b, ' ', indent);
	}
	if (utf8_width(text) <= width - indent || strchr(text, ' ')) {
		sbuf_add_wrapped(b, text, indent, indent, width);
		return;
	}
	for (const char *p = text; *p;) {
		char one[8] = "";
		size_t n;

		utf8_next(p, &n);
		memcpy(one, p, n);
		if (at + utf8_width(one) > width - indent) {
			sbuf_addc(b, '\n');
			sbuf_pad(b, ' ', indent);
			at = 0;
		}
		sbuf_add(b, p, n);
		at += utf8_width(one);
		p += n;
	}
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
	const struct table *t = rec->t;
	const char *cur = row_currency(t, r);
	const char *color = rec->style->color ? row_color(t, r) : NULL;
	struct sbuf text = SBUF_INIT;

	for (size_t c = 0; c < t->n_cols; c++) {
		const struct cell *cell = &t->cells[r * t->n_cols + c];

		if (cell->kind == CELL_NULL || (cur && said_beside(rec, c)))
			continue;
		sbuf_reset(&text);
		cell_human(&text, t->cols[c], cell);
		if (t->cols[c]->type == COL_MONEY && cur)
			sbuf_addf(&text, " %s%s", cur, column_per(t->cols[c]));
		add_line(rec, b, t->cols[c]->name, text.s, color);
	}
	sbuf_done(&text);
}

static void add_total(const struct records *rec, struct sbuf *b, const struct total *sum)
{
	const struct table *t = rec->t;
	char buf[NANOS_BUF];
	struct sbuf text = SBUF_INIT;

	sbuf_addf(b, "%stotal%s\n", rec->style->color ? OUT_BOLD : "",
		rec->style->color ? OUT_PLAIN : "");
	for (size_t c = 0; c < t->n_cols; c++) {
		const char *amount = total_text(t, sum, c, buf);

		if (t->cols[c]->type != COL_MONEY || !*amount)
			continue;
		sbuf_reset(&text);
		sbuf_addf(&text, "%s %s%s", amount, sum->cur, column_per(t->cols[c]));
		add_line(rec, b, t->cols[c]->name, text.s, NULL);
	}
	sbuf_done(&text);
}

void out_records(struct sbuf *b, const struct table *t, const struct totals *totals,
	const struct out_style *style)
{
	struct records rec = {.t = t, .style = style};

	for (size_t c = 0; c < t->n_cols; c++) {
		size_t w = utf8_width(t->cols[c]->name);

		if (w > rec.keys && !said_beside(&rec, c))
			rec.keys = w;
	}
	for (size_t r = 0; r < t->n_rows; r++) {
		if (r)
			sbuf_addc(b, '\n');
		add_row(&rec, b, r);
	}
	for (size_t i = 0; i < totals->n; i++) {
		sbuf_addc(b, '\n');
		add_total(&rec, b, &totals->v[i]);
	}
}
