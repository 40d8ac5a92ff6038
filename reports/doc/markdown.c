/* Documents as GitHub-flavored Markdown (CommonMark 0.30 with tables). Texts are escaped, so that
 * they are shown literally. Escaping does not prevent a renderer from linking mail addresses and
 * @names, because that happens after escapes are processed. */
#include "reports/doc/internal.h"

#include <string.h>

#define CELL_MOST 300 /* text columns; "..." replaces the middle of longer texts */
#define TEXT_MOST 800

struct markdown {
	const struct doc *d;
	const struct format_opts *o;
	struct doc_out out;
};

enum place { AT_START, INSIDE }; /* of a block; table cells are not blocks */

/* A literal text on one line, without blanks around it. */
static void add_literal(struct sbuf *b, const char *text, size_t most, enum place place)
{
	cleanup(sbuf_done) struct sbuf safe = SBUF_INIT;
	cleanup(arena_done) struct arena a = {0};
	const char *s;

	sbuf_add_term(&safe, text);
	wrap_trim(&safe);
	s = wrap_cut(&a, safe.s + strspn(safe.s, " "), most);
	sbuf_add_markdown(b, s, place == AT_START);
}

static size_t longest_ticks(const char *s)
{
	size_t longest = 0;

	for (; *s; s += strcspn(s, "`")) {
		size_t n = strspn(s, "`");

		longest = n > longest ? n : longest;
		s += n;
	}
	return longest;
}

/* Inline code; the fence has more backticks than any run in the text. */
static void add_code(struct sbuf *b, const char *code)
{
	cleanup(sbuf_done) struct sbuf safe = SBUF_INIT;
	size_t ticks;

	sbuf_add_term(&safe, code);
	ticks = longest_ticks(safe.s) + 1;
	sbuf_pad(b, '`', ticks);
	sbuf_addf(b, ticks > 1 ? " %s " : "%s", safe.s);
	sbuf_pad(b, '`', ticks);
}

/* A code block within a list item. */
static void add_command(struct sbuf *b, const char *command)
{
	cleanup(sbuf_done) struct sbuf safe = SBUF_INIT;
	size_t ticks;

	sbuf_add_term(&safe, command);
	ticks = longest_ticks(safe.s) + 1;
	ticks = ticks < 3 ? 3 : ticks;
	sbuf_adds(b, "\n  ");
	sbuf_pad(b, '`', ticks);
	sbuf_addf(b, "sh\n  %s\n  ", safe.s);
	sbuf_pad(b, '`', ticks);
	sbuf_addc(b, '\n');
}

/* ---- tables ------------------------------------------------------------------------------------ */

static void add_cell(struct markdown *m, const struct doc_column *col,
	const struct doc_cell *c, bool total, enum place place, struct sbuf *b)
{
	cleanup(sbuf_done) struct sbuf plain = SBUF_INIT, text = SBUF_INIT;

	if (c->type != DOC_NONE || !total || doc_is_number(col->type))
		doc_cell_text(m->d, col, c, &plain);
	add_literal(&text, plain.s, CELL_MOST, place);
	sbuf_addf(b, total && text.len ? "**%s**" : "%s", text.s);
	m->out.used[c->status] |= c->type > DOC_CODE;
}

static void add_head(const struct doc_section *s, struct sbuf *b)
{
	sbuf_adds(b, "\n|");
	for (int c = 0; c < s->n_columns; c++) {
		if (!s->columns[c].title)
			continue;
		sbuf_addc(b, ' ');
		add_literal(b, s->columns[c].title, CELL_MOST, INSIDE);
		sbuf_adds(b, " |");
	}
	sbuf_adds(b, "\n|");
	for (int c = 0; c < s->n_columns; c++)
		if (s->columns[c].title)
			sbuf_adds(b,
				doc_is_number(s->columns[c].type) ? " ---: |" : " --- |");
	sbuf_addc(b, '\n');
}

static void add_row(struct markdown *m, const struct doc_section *s,
	const struct doc_row *row, const char *group, struct sbuf *b)
{
	if (group) {
		sbuf_adds(b, "| ");
		add_literal(b, group, CELL_MOST, INSIDE);
		sbuf_adds(b, " |\n"); /* the other cells are empty */
	}
	sbuf_addc(b, '|');
	for (int c = 0; c < s->n_columns; c++) {
		if (!s->columns[c].title)
			continue;
		sbuf_addc(b, ' ');
		add_cell(m, &s->columns[c], &row->cells[c], row->total, INSIDE, b);
		sbuf_adds(b, " |");
	}
	sbuf_addc(b, '\n');
}

/* Details of a row, after the name in its first column. */
static void add_detail(struct markdown *m, const struct doc_section *s,
	const struct doc_row *row, struct sbuf *b)
{
	int first = 0;

	if (row->only_line) {
		sbuf_adds(b, "- ");
		add_literal(b, row->line, TEXT_MOST, AT_START);
		sbuf_addc(b, '\n');
		return;
	}
	while (first < s->n_columns - 1 && !s->columns[first].title)
		first++;
	sbuf_adds(b, "- ");
	add_cell(m, &s->columns[first], &row->cells[first], false, AT_START, b);
	sbuf_addc(b, ':');
	if (row->detail) {
		sbuf_addc(b, ' ');
		add_literal(b, row->detail, TEXT_MOST, INSIDE);
	}
	sbuf_addc(b, '\n');
	if (row->command)
		add_command(b, row->command);
	if (!row->also_command)
		return;
	sbuf_adds(b, "\n  ");
	add_literal(b, row->also, TEXT_MOST, INSIDE);
	sbuf_addc(b, '\n');
	add_command(b, row->also_command);
}

static void add_paragraph(struct sbuf *b, const char *before, const char *text)
{
	sbuf_adds(b, before);
	add_literal(b, text, TEXT_MOST, AT_START);
	sbuf_addc(b, '\n');
}

static void add_more(const struct doc_section *s, size_t left, struct sbuf *b)
{
	sbuf_addf(b, "\nand %zu more", left);
	if (s->more && strlen(s->more) < TEXT_MOST / 10) {
		sbuf_adds(b, ": ");
		add_code(b, s->more);
	}
	sbuf_addc(b, '\n');
}

static void add_rows(struct markdown *m, const struct doc_section *s)
{
	struct doc_rows rows = doc_rows(s, m->o->max_rows);
	const struct doc_row *row, *before = NULL;
	cleanup(sbuf_done) struct sbuf part = SBUF_INIT;
	const char *group;
	size_t left, cut = 0;

	add_head(s, &part);
	while ((row = doc_rows_next(&rows))) {
		if (row->only_line)
			continue;
		/* heading together with the first row */
		add_row(m, s, row, doc_group(s, before, row), &part);
		before = row;
		cut += !doc_out_add(&m->out, &part) && !row->total;
	}
	doc_rows_shown(s, m->o->max_rows, &left);
	m->out.rows += cut;
	if (cut)
		add_more(s, left + cut, m->out.b); /* this part fits */
	else if (left)
		add_more(s, left, &part);
	doc_out_add(&m->out, &part);
	rows = doc_rows(s, m->o->max_rows);
	for (before = NULL; (row = doc_rows_next(&rows));) {
		if (!row->detail && !row->command && !row->only_line)
			continue;
		group = doc_group(s, before, row);
		before = row;
		if (group)
			add_paragraph(&part, "\n", group);
		sbuf_adds(&part, "\n");
		add_detail(m, s, row, &part);
		if (!doc_out_add(&m->out, &part) && !cut)
			m->out.rows++;
	}
	if (cut || left || m->out.full)
		format_cut(m->o, s);
}

/* ---- charts ------------------------------------------------------------------------------------ */

static void add_series(struct markdown *m, const struct doc_section *s,
	const struct doc_series *series, struct sbuf *b)
{
	const struct doc_column *label = &s->columns[s->chart.label];
	const struct doc_column *value = &s->columns[s->chart.value];
	const struct doc_row **rows = series->rows;

	sbuf_addc(b, '\n');
	add_literal(b, s->chart.title ? s->chart.title : s->title, CELL_MOST, AT_START);
	sbuf_adds(b, ": ");
	add_cell(m, label, &rows[0]->cells[s->chart.label], false, INSIDE, b);
	sbuf_addc(b, ' ');
	doc_sparkline(series->v, series->n, b);
	sbuf_addc(b, ' ');
	add_cell(m, label, &rows[series->n - 1]->cells[s->chart.label], false, INSIDE, b);
	sbuf_adds(b, ", lowest ");
	add_cell(m, value, &rows[series->lowest]->cells[s->chart.value], false, INSIDE, b);
	sbuf_adds(b, ", highest ");
	add_cell(m, value, &rows[series->highest]->cells[s->chart.value], false, INSIDE, b);
	if (s->chart.mark.set) {
		struct doc_cell mark = rows[0]->cells[s->chart.value];

		mark.v = s->chart.mark.v;
		mark.status = STATUS_NONE;
		sbuf_adds(b, "; ");
		add_literal(b, s->chart.mark_title ? s->chart.mark_title : "line",
			CELL_MOST, INSIDE);
		sbuf_addc(b, ' ');
		add_cell(m, value, &mark, false, INSIDE, b);
	}
	sbuf_addc(b, '\n');
}

static void add_chart(struct markdown *m, const struct doc_section *s)
{
	struct doc_series *series;
	size_t n = doc_chart_series(m->d, s, &series);
	cleanup(sbuf_done) struct sbuf part = SBUF_INIT;

	for (size_t i = 0; i < n; i++)
		if (series[i].n > 1) /* a single value is not a curve */
			add_series(m, s, &series[i], &part);
	doc_out_add(&m->out, &part);
}

/* ---- document ---------------------------------------------------------------------------------- */

static void add_section(struct markdown *m, const struct doc_section *s)
{
	cleanup(sbuf_done) struct sbuf part = SBUF_INIT;
	size_t left;
	bool any = doc_rows_shown(s, 0, &left) > 0;

	add_paragraph(&part, "\n## ", s->title);
	if (s->note)
		add_paragraph(&part, "\n", s->note);
	if (!s->n && s->empty)
		add_paragraph(&part, "\n", s->empty);
	if (!doc_out_add(&m->out, &part)) {
		m->out.sections++;
		format_cut(m->o, s);
	} else {
		if (any)
			add_rows(m, s);
		add_chart(m, s);
	}
}

static void add_facts(struct markdown *m, struct sbuf *b)
{
	const struct doc_column any = {.digits = -1};
	const char *before = "\n";

	for (size_t i = 0; i < m->d->n_facts; i++) {
		const struct doc_fact *f = &m->d->facts[i];

		if (!f->title)
			continue;
		sbuf_addf(b, "%s- ", before);
		add_literal(b, f->title, CELL_MOST, AT_START);
		sbuf_adds(b, ": ");
		add_cell(m, &any, &f->cell, false, INSIDE, b);
		sbuf_addc(b, '\n');
		before = "";
	}
}

/* Legend of the marks that are used, and a note about omitted parts. */
static void add_end(struct markdown *m, struct sbuf *b)
{
	if (m->out.used[STATUS_ESTIMATE])
		sbuf_adds(b, "\n\\~ is an estimate.\n");
	if (m->out.used[STATUS_PARTIAL])
		sbuf_adds(
			b, "\n\\* is the amount billed so far; Google still adds usage.\n");
	if (m->out.full) {
		sbuf_addc(b, '\n');
		doc_out_left(&m->out, b);
		sbuf_addc(b, '\n');
	}
}

static void render(const struct doc *d, const struct format_opts *o, struct sbuf *b)
{
	struct markdown m = {.d = d, .o = o, .out = doc_out(o, b)};
	cleanup(sbuf_done) struct sbuf part = SBUF_INIT;

	add_paragraph(&part, "# ", d->title);
	if (d->headline)
		add_paragraph(&part, "\n", d->headline);
	doc_out_add(&m.out, &part);
	for (size_t i = 0; i < d->n; i++)
		if (doc_section_shown(d->sections[i]))
			add_section(&m, d->sections[i]);
	add_facts(&m, &part);
	for (size_t i = 0; i < d->n_notes; i++)
		add_paragraph(&part, "\n", d->notes[i]);
	doc_out_add(&m.out, &part);
	add_end(&m, b);
}

void doc_markdown(const struct doc *d, const struct format_opts *o, struct sbuf *b)
{
	doc_out_whole(render, d, o, b);
}

void doc_markdown_rows(const struct doc_section *t, struct sbuf *b)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;

	for (int c = 0; c < t->n_columns; c++) {
		sbuf_adds(b, c ? " | " : "| ");
		sbuf_add_markdown(b, t->columns[c].key, false);
	}
	sbuf_adds(b, " |\n");
	for (int c = 0; c < t->n_columns; c++)
		sbuf_adds(b, doc_is_number(t->columns[c].type) ? "| ---: " : "| --- ");
	sbuf_adds(b, "|\n");
	for (size_t r = 0; r < t->n; r++) {
		for (int c = 0; c < t->n_columns; c++) {
			sbuf_reset(&text);
			doc_cell_exact(&t->rows[r].cells[c], &text);
			sbuf_adds(b, c ? " | " : "| ");
			sbuf_add_markdown(b, text.s, false);
		}
		sbuf_adds(b, " |\n");
	}
}
