/* Documents for plain mail clients and terminals: 78 columns, no colour. */
#include "base/str.h"
#include "reports/doc_formats.h"

#define WIDTH 78

static void add_line(struct sbuf *b, const char *text)
{
	sbuf_add_wrapped(b, text, 0, 0, WIDTH);
}

static void add_row(const struct doc *d, const struct doc_section *s,
	const struct doc_row *row, struct sbuf *b)
{
	for (int c = 0; c < s->n_columns; c++) {
		struct sbuf cell = SBUF_INIT;

		if (s->columns[c].title) {
			doc_cell_text(d, &s->columns[c], &row->cells[c], &cell);
			sbuf_adds(b, "  ");
			sbuf_add_term(b, cell.s);
		}
		sbuf_done(&cell);
	}
	sbuf_addc(b, '\n');
}

void doc_text(const struct doc *d, const struct format_opts *o, struct sbuf *b)
{
	add_line(b, d->title);
	if (d->headline)
		add_line(b, d->headline);
	for (size_t i = 0; i < d->n; i++) {
		struct doc_rows rows = doc_rows(d->sections[i], o->max_rows);
		const struct doc_row *row;

		if (!doc_section_shown(d->sections[i]))
			continue;
		sbuf_addc(b, '\n');
		add_line(b, d->sections[i]->title);
		while ((row = doc_rows_next(&rows)))
			add_row(d, d->sections[i], row, b);
	}
	for (size_t i = 0; i < d->n_notes; i++)
		add_line(b, d->notes[i]);
}
