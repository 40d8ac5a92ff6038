/* Documents for plain mail clients and terminals: 78 columns, no color. Only commands have longer
 * lines, because users copy them. */
#include "reports/doc/internal.h"

#include <string.h>

#define INDENT 2
#define DETAIL 4
#define COMMAND 6
#define LABEL_WIDTH 20
#define SPARK_MOST 30 /* values, the newest */
#define MORE_MOST 200

struct text {
	const struct doc *d;
	const struct format_opts *o;
	struct doc_out out;
	struct arena a; /* of the current section */
};

static void add_command(struct sbuf *b, size_t indent, const char *command)
{
	sbuf_pad(b, ' ', indent);
	sbuf_add_term(b, command);
	sbuf_addc(b, '\n');
}

static void add_indented(struct sbuf *b, const char *text, size_t indent)
{
	sbuf_pad(b, ' ', indent);
	text_paragraph(b, text, indent, indent);
}

/* ---- charts ------------------------------------------------------------------------------------ */

/* A cell of the row on one line, shortened if necessary. */
static void add_cell(struct text *t, const struct doc_section *s, int column,
	const struct doc_cell *c, struct sbuf *b)
{
	cleanup(sbuf_done) struct sbuf plain = SBUF_INIT, safe = SBUF_INIT;

	doc_cell_text(t->d, &s->columns[column], c, &plain);
	sbuf_add_term(&safe, plain.s);
	sbuf_adds(b, wrap_cut(&t->a, safe.s, LABEL_WIDTH));
	t->out.used[c->status] |= c->type > DOC_CODE;
}

static void add_mark(struct text *t, const struct doc_section *s,
	const struct doc_series *series, struct sbuf *b)
{
	struct doc_cell mark = series->rows[0]->cells[s->chart.value];
	size_t above = 0;

	mark.v = s->chart.mark.v;
	mark.status = STATUS_NONE;
	for (size_t i = 0; i < series->n; i++)
		above += series->v[i] > mark.v;
	sbuf_addf(b, "; %s ", s->chart.mark_title ? s->chart.mark_title : "the line is at");
	add_cell(t, s, s->chart.value, &mark, b);
	sbuf_addf(b, ", %zu of %zu above it", above, series->n);
}

static void add_series(struct text *t, const struct doc_section *s,
	const struct doc_series *series, struct sbuf *b)
{
	size_t n = series->n, from = n > SPARK_MOST ? n - SPARK_MOST : 0;
	int label = s->chart.label, value = s->chart.value;
	cleanup(sbuf_done) struct sbuf line = SBUF_INIT;

	sbuf_pad(b, ' ', INDENT);
	add_cell(t, s, label, &series->rows[from]->cells[label], b);
	sbuf_addc(b, ' ');
	doc_sparkline(series->v + from, n - from, b);
	sbuf_addc(b, ' ');
	add_cell(t, s, label, &series->rows[n - 1]->cells[label], b);
	sbuf_addc(b, '\n');
	sbuf_addf(&line, "%s: lowest ", s->chart.title ? s->chart.title : s->title);
	add_cell(t, s, value, &series->rows[series->lowest]->cells[value], &line);
	sbuf_adds(&line, ", highest ");
	add_cell(t, s, value, &series->rows[series->highest]->cells[value], &line);
	if (s->chart.mark.set)
		add_mark(t, s, series, &line);
	add_indented(b, line.s, DETAIL);
}

static void add_chart(struct text *t, const struct doc_section *s)
{
	struct doc_series *series;
	size_t n = doc_chart_series(t->d, s, &series);
	cleanup(sbuf_done) struct sbuf part = SBUF_INIT;

	for (size_t i = 0; i < n; i++)
		if (series[i].n > 1) /* a single value is not a curve */
			add_series(t, s, &series[i], &part);
	doc_out_add(&t->out, &part);
}

/* ---- sections ---------------------------------------------------------------------------------- */

/* "and 12 more: tpucost ps" */
static void add_more(struct sbuf *b, const struct doc_section *s, size_t left)
{
	cleanup(sbuf_done) struct sbuf more = SBUF_INIT;

	sbuf_add_term(&more, s->more ? s->more : "");
	sbuf_pad(b, ' ', INDENT);
	sbuf_addf(b, "and %zu more", left);
	if (more.len && more.len <= MORE_MOST)
		sbuf_addf(b, ": %s", more.s);
	sbuf_addc(b, '\n');
}

static void add_row(const struct text_table *table, size_t r, struct sbuf *b)
{
	const struct doc_row *row = table->rows[r];

	if (row->only_line) {
		text_table_line(row, b);
		return;
	}
	if (!text_table_sentence(table, r, b)) {
		text_table_row(table, r, b);
		if (row->detail)
			add_indented(b, row->detail, DETAIL);
	}
	if (row->command)
		add_command(b, COMMAND, row->command);
	if (!row->also_command)
		return;
	add_indented(b, row->also, DETAIL);
	add_command(b, COMMAND, row->also_command);
}

static void add_rows(struct text *t, const struct doc_section *s)
{
	size_t limit = t->o->max_rows && s->most ? s->most : t->o->max_rows;
	struct text_table *table = text_table_new(&t->a, t->d, s, limit, t->out.used);
	cleanup(sbuf_done) struct sbuf part = SBUF_INIT;
	bool said = !table->left;
	const char *group;
	size_t left = 0;

	text_table_head(table, &part);
	for (size_t r = 0; r < table->n_rows; r++) {
		bool total = table->rows[r]->total;

		if (total && !said) {
			add_more(&part, s, table->left);
			said = true;
		}
		group = doc_group(s, r ? table->rows[r - 1] : NULL, table->rows[r]);
		if (group)
			add_indented(&part, group, INDENT);
		add_row(table, r, &part);
		if (!doc_out_add(&t->out, &part)) /* heading together with the first row */
			left += !total;
	}
	if (left || table->left)
		format_cut(t->o, s);
	if (t->out.full) { /* this part fits */
		t->out.rows += left;
		if (left)
			add_more(t->out.b, s, left + table->left);
	} else if (!said) {
		add_more(&part, s, table->left);
		doc_out_add(&t->out, &part);
	}
}

static void add_section(struct text *t, const struct doc_section *s)
{
	cleanup(sbuf_done) struct sbuf part = SBUF_INIT;
	size_t left;
	bool any = doc_rows_shown(s, 0, &left) > 0;

	sbuf_addc(&part, '\n');
	text_paragraph(&part, s->title, 0, 0);
	if (s->note)
		add_indented(&part, s->note, INDENT);
	if (!s->n && s->empty)
		add_indented(&part, s->empty, INDENT);
	if (!doc_out_add(&t->out, &part)) {
		t->out.sections++;
		format_cut(t->o, s);
	} else {
		if (any)
			add_rows(t, s);
		add_chart(t, s);
	}
	arena_reset(&t->a);
}

/* ---- the end ----------------------------------------------------------------------------------- */

/* Notes that have a command to copy, on lines of their own; then one paragraph of the other notes, the facts and the
 * meaning of the marks. */
static void add_end(struct text *t)
{
	const struct doc_column any = {.digits = -1};
	cleanup(sbuf_done) struct sbuf last = SBUF_INIT, part = SBUF_INIT;
	bool first = true;

	for (size_t i = 0; i < t->d->n_notes; i++) {
		const char *note = t->d->notes[i];

		if (!strstr(note, ": tpucost ")) {
			sbuf_addf(&last, "%s%s", last.len ? " " : "", note);
			continue;
		}
		sbuf_adds(&part, first ? "\n" : "");
		text_paragraph(&part, note, 0, 0);
		doc_out_add(&t->out, &part);
		first = false;
	}
	for (size_t i = 0; i < t->d->n_facts; i++) {
		const struct doc_fact *f = &t->d->facts[i];

		if (!f->title)
			continue;
		sbuf_addf(&last, "%s%s: ", last.len ? " " : "", f->title);
		doc_cell_text(t->d, &any, &f->cell, &last);
		sbuf_addc(&last, '.');
	}
	if (t->out.used[STATUS_ESTIMATE])
		sbuf_addf(&last, "%s~ is an estimate.", last.len ? " " : "");
	if (t->out.used[STATUS_PARTIAL])
		sbuf_addf(&last, "%s* is billed so far and may grow.", last.len ? " " : "");
	if (last.len) {
		sbuf_adds(&part, "\n");
		text_paragraph(&part, last.s, 0, 0);
		doc_out_add(&t->out, &part);
	}
}

static void render(const struct doc *d, const struct format_opts *o, struct sbuf *b)
{
	struct text t = {.d = d, .o = o, .out = doc_out(o, b)};
	cleanup(sbuf_done) struct sbuf part = SBUF_INIT;

	text_paragraph(&part, d->title, 0, 0);
	doc_out_add(&t.out, &part);
	if (d->headline) {
		sbuf_addc(&part, '\n');
		text_paragraph(&part, d->headline, 0, 0);
		doc_out_add(&t.out, &part);
	}
	for (size_t i = 0; i < d->n; i++)
		if (doc_section_shown(d->sections[i]))
			add_section(&t, d->sections[i]);
	add_end(&t);
	if (t.out.full) {
		sbuf_addc(b, '\n');
		doc_out_left(&t.out, b);
		sbuf_addc(b, '\n');
	}
	arena_done(&t.a);
}

void doc_text(const struct doc *d, const struct format_opts *o, struct sbuf *b)
{
	doc_out_whole(render, d, o, b);
}
