/* Documents as one CSV table (RFC 4180). Each line holds one value, so that all sections fit in one
 * table and programs do not depend on their columns.
 *
 *   section,row,field,value,unit,status
 *   burn,1,net_per_hour,118.08,HKD/h,estimate
 *
 * Rows are numbered from 1 in each section. Values are exact, times are RFC 3339 in UTC, durations
 * are in seconds; unknown values are empty. The section "report" describes the document itself. */
#include "reports/doc/formats.h"

struct csv_out {
	struct sbuf *b;
	bool raw;
};

static void add_text(const struct csv_out *o, const char *s)
{
	if (o->raw)
		sbuf_add_csv(o->b, s);
	else
		sbuf_add_csv_safe(o->b, s);
}

static void add_value(const struct csv_out *o, const struct doc_cell *c)
{
	if (c->type == DOC_TEXT || c->type == DOC_CODE)
		add_text(o, c->text);
	else if (c->type == DOC_FLAG)
		sbuf_adds(o->b, c->v ? "true" : "false");
	else
		doc_cell_exact(c, o->b);
}

static void add_unit(const struct csv_out *o, const struct doc_cell *c)
{
	if (doc_is_money(c->type))
		add_text(o, c->text);
	if (c->type == DOC_RATE)
		sbuf_adds(o->b, "/h");
	else if (c->type == DOC_PERCENT)
		sbuf_addc(o->b, '%');
	else if (c->type == DOC_DURATION)
		sbuf_addc(o->b, 's');
}

static void add_line(const struct csv_out *o, const char *section, size_t row,
	const char *field, const struct doc_cell *c)
{
	const char *status = c->type == DOC_NONE ? NULL : doc_status_name(c->status);

	sbuf_add_csv(o->b, section);
	sbuf_addf(o->b, ",%zu,", row);
	sbuf_add_csv(o->b, field);
	sbuf_addc(o->b, ',');
	add_value(o, c);
	sbuf_addc(o->b, ',');
	add_unit(o, c);
	sbuf_addf(o->b, ",%s\r\n", status ? status : "");
}

static void add_words(const struct csv_out *o, const char *section, size_t row,
	const char *field, const char *text)
{
	struct doc_cell c = cell_text(text);

	if (text)
		add_line(o, section, row, field, &c);
}

static void add_section(const struct csv_out *o, const struct doc_section *s)
{
	struct doc_cell yes = cell_flag(true);

	if (s->unknown)
		add_words(o, s->key, 0, "note", s->empty);
	for (size_t r = 0; r < s->n; r++) {
		const struct doc_row *row = &s->rows[r];

		for (int c = 0; c < s->n_columns; c++)
			add_line(o, s->key, r + 1, s->columns[c].key, &row->cells[c]);
		add_words(o, s->key, r + 1, "detail", row->detail);
		add_words(o, s->key, r + 1, "command", row->command);
		if (row->total)
			add_line(o, s->key, r + 1, "total", &yes);
	}
}

void doc_csv(const struct doc *d, const struct format_opts *opts, struct sbuf *b)
{
	const struct csv_out o = {.b = b, .raw = opts->raw};

	sbuf_adds(b, "section,row,field,value,unit,status\r\n");
	add_words(&o, "report", 1, "kind", d->kind);
	add_words(&o, "report", 1, "title", d->title);
	add_words(&o, "report", 1, "headline", d->headline);
	for (size_t i = 0; i < d->n_facts; i++)
		add_line(&o, "report", 1, d->facts[i].key, &d->facts[i].cell);
	for (size_t i = 0; i < d->n; i++)
		add_section(&o, d->sections[i]);
	for (size_t i = 0; i < d->n_notes; i++)
		add_words(&o, "notes", i + 1, "note", d->notes[i]);
}

/* Texts come from users, who name resources; numbers come from tpucost. */
void doc_csv_rows(const struct doc_section *t, bool raw, struct sbuf *b)
{
	const struct csv_out o = {.b = b, .raw = raw};
	const struct csv_out number = {.b = b, .raw = true};
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;

	for (int c = 0; c < t->n_columns; c++) {
		sbuf_adds(b, c ? "," : "");
		add_text(&o, t->columns[c].key);
	}
	sbuf_adds(b, "\r\n");
	for (size_t r = 0; r < t->n; r++) {
		for (int c = 0; c < t->n_columns; c++) {
			const struct doc_cell *cell = &t->rows[r].cells[c];

			sbuf_reset(&text);
			doc_cell_exact(cell, &text);
			sbuf_adds(b, c ? "," : "");
			add_text(
				cell->type == DOC_TEXT && !doc_is_number(t->columns[c].type)
					? &o
					: &number,
				text.s);
		}
		sbuf_adds(b, "\r\n");
	}
}
