/* Rows as aligned columns. If they are too wide, long texts are cut in the middle, then the columns
 * of the highest rank are omitted, then short texts are cut. The column that identifies a row is
 * never cut: if necessary it gets a line of its own. */
#include "base/str.h"
#include "reports/doc/internal.h"

#include <string.h>

#define MARGIN 2
#define PARAGRAPH_MOST 800 /* columns */
#define GAP 2
#define NAME_WIDTH 30 /* a longer name gets a line of its own, unless all fits */
#define NAME_MOST 300
#define LEAST_NAME 10
#define TEXT_MOST 40
#define TEXT_ENOUGH 24 /* zones are not cut */
#define TEXT_LEAST 12

void text_paragraph(struct sbuf *b, const char *text, size_t column, size_t indent)
{
	struct wrap w = {.b = b, .width = TEXT_WIDTH, .column = column, .indent = indent};
	cleanup(sbuf_done) struct sbuf safe = SBUF_INIT;
	cleanup(arena_done) struct arena a = {0};

	sbuf_add_term(&safe, text);
	wrap_text(&w, wrap_cut(&a, safe.s, PARAGRAPH_MOST));
	wrap_trim(b);
	sbuf_addc(b, '\n');
}

struct text_column {
	const struct doc_column *of;
	int index;
	size_t w;
	bool right;
	bool name; /* identifies: never cut */
	bool cut;  /* may be cut */
	bool marked;
};

static size_t cell_width(const struct text_table *t, size_t row, size_t c)
{
	return utf8_width(t->texts[row * t->n_cols + c]);
}

/* Width of the widest cell; names wider than `most` do not count. */
static size_t natural_width(const struct text_table *t, size_t c, size_t most)
{
	size_t w = utf8_width(t->cols[c].of->title);

	for (size_t r = 0; r < t->n_rows; r++) {
		size_t one = cell_width(t, r, c);

		if (one > w && (one <= most || !t->cols[c].name))
			w = one;
	}
	return w;
}

static size_t line_width(const struct text_table *t)
{
	size_t sum = MARGIN;

	for (size_t c = 0; c < t->n_cols; c++)
		sum += t->cols[c].w + (c ? GAP : 0);
	return sum;
}

static void drop_column(struct text_table *t, size_t gone)
{
	size_t n = t->n_cols - 1;

	for (size_t r = 0; r < t->n_rows; r++)
		for (size_t c = 0, to = 0; c <= n; c++)
			if (c != gone)
				t->texts[r * n + to++] = t->texts[r * (n + 1) + c];
	memmove(t->cols + gone, t->cols + gone + 1, (n - gone) * sizeof(*t->cols));
	t->n_cols = n;
}

/* Omits the last column of the highest rank. */
static bool drop_highest(struct text_table *t)
{
	size_t worst = 0;

	for (size_t c = 1; c < t->n_cols; c++)
		if (t->cols[c].of->rank >= t->cols[worst].of->rank)
			worst = c;
	if (t->cols[worst].of->rank == 0)
		return false;
	drop_column(t, worst);
	return true;
}

/* Narrows the widest texts down to `least` until the line fits. */
static void narrow(struct text_table *t, size_t least)
{
	while (line_width(t) > TEXT_WIDTH) {
		size_t widest = t->n_cols;

		for (size_t c = 0; c < t->n_cols; c++)
			if (t->cols[c].cut && t->cols[c].w > least &&
				(widest == t->n_cols || t->cols[c].w > t->cols[widest].w))
				widest = c;
		if (widest == t->n_cols)
			return;
		t->cols[widest].w--;
	}
}

static void set_widths(struct text_table *t, size_t name)
{
	for (size_t c = 0; c < t->n_cols; c++) {
		struct text_column *col = &t->cols[c];

		col->w = natural_width(t, c, name);
		if (col->cut && col->w > TEXT_MOST)
			col->w = TEXT_MOST;
	}
}

static void fit(struct text_table *t)
{
	set_widths(t, NAME_MOST);
	if (line_width(t) <= TEXT_WIDTH)
		return;
	do {
		set_widths(t, NAME_WIDTH);
		narrow(t, TEXT_ENOUGH);
	} while (line_width(t) > TEXT_WIDTH && drop_highest(t));
	narrow(t, TEXT_LEAST);
	if (line_width(t) <= TEXT_WIDTH)
		return;
	set_widths(t, LEAST_NAME);
	narrow(t, TEXT_LEAST / 2);
	t->records = line_width(t) > TEXT_WIDTH;
}

static bool has_mark(const struct doc_cell *c)
{
	return c->type > DOC_CODE && c->status != STATUS_NONE;
}

static const char *cell_string(const struct text_table *t, const struct doc *d,
	const struct text_column *col, const struct doc_row *row)
{
	const struct doc_cell *c = &row->cells[col->index];
	cleanup(sbuf_done) struct sbuf plain = SBUF_INIT, safe = SBUF_INIT;
	const char *s;

	if (row->only_line)
		return "";
	/* A total has no zone and no type. */
	if (c->type == DOC_NONE && row->total && !col->right)
		return "";
	doc_cell_text(d, col->of, c, &plain);
	sbuf_add_term(&safe, plain.s);
	if (col->marked && !has_mark(c))
		sbuf_addc(&safe, ' ');
	s = arena_strdup(t->a, safe.s);
	return s;
}

static void add_columns(struct text_table *t, const struct doc_section *s)
{
	t->cols = arena_alloc(t->a, (size_t)(s->n_columns + 1) * sizeof(*t->cols));
	for (int i = 0; i < s->n_columns; i++) {
		const struct doc_column *of = &s->columns[i];
		struct text_column *col = &t->cols[t->n_cols];

		if (!of->title)
			continue;
		*col = (struct text_column){
			.of = of, .index = i, .right = doc_is_number(of->type)};
		col->name = of->type == DOC_CODE ||
			(of->type == DOC_TEXT && (!t->n_cols || !strcmp(of->key, "name")));
		col->cut = of->type == DOC_TEXT && !col->name;
		for (size_t r = 0; col->right && r < t->n_rows; r++)
			col->marked = col->marked || has_mark(&t->rows[r]->cells[i]);
		t->n_cols++;
	}
}

static void see_marks(const struct text_table *t, bool *used)
{
	for (size_t r = 0; r < t->n_rows; r++)
		for (size_t c = 0; c < t->n_cols; c++) {
			const struct doc_cell *cell = &t->rows[r]->cells[t->cols[c].index];

			used[cell->status] |= cell->type > DOC_CODE;
		}
}

struct text_table *text_table_new(struct arena *a, const struct doc *d,
	const struct doc_section *s, size_t max_rows, bool *used)
{
	struct text_table *t = arena_new(a, struct text_table);
	struct doc_rows rows = doc_rows(s, max_rows);
	const struct doc_row *row;

	t->a = a;
	t->rows = arena_alloc(a, (s->n + 1) * sizeof(*t->rows));
	while ((row = doc_rows_next(&rows)))
		t->rows[t->n_rows++] = row;
	doc_rows_shown(s, max_rows, &t->left);
	add_columns(t, s);
	t->texts = arena_alloc(a, (t->n_rows * t->n_cols + 1) * sizeof(*t->texts));
	for (size_t r = 0; r < t->n_rows; r++)
		for (size_t c = 0; c < t->n_cols; c++)
			t->texts[r * t->n_cols + c] = cell_string(
				t, d, &t->cols[c], t->rows[r]);
	fit(t);
	see_marks(t, used);
	return t;
}

static void add_field(
	struct sbuf *b, const struct text_column *col, const char *text, size_t w)
{
	size_t pad = w < col->w ? col->w - w : 0;

	if (col->right)
		sbuf_pad(b, ' ', pad);
	sbuf_adds(b, text);
	if (!col->right)
		sbuf_pad(b, ' ', pad);
}

void text_table_head(const struct text_table *t, struct sbuf *b)
{
	/* a list of sentences has no columns */
	if (t->records || (t->n_cols == 1 && t->n_rows && t->rows[0]->detail))
		return;
	sbuf_pad(b, ' ', MARGIN);
	for (size_t c = 0; c < t->n_cols; c++) {
		const char *title = wrap_cut(t->a, t->cols[c].of->title, t->cols[c].w);

		sbuf_pad(b, ' ', c ? GAP : 0);
		add_field(b, &t->cols[c], title, utf8_width(title));
	}
	wrap_trim(b);
	sbuf_addc(b, '\n');
}

static void add_rule(const struct text_table *t, struct sbuf *b)
{
	sbuf_pad(b, ' ', MARGIN);
	for (size_t c = 0; c < t->n_cols; c++) {
		sbuf_pad(b, ' ', c ? GAP : 0);
		sbuf_pad(b, t->cols[c].right ? '-' : ' ', t->cols[c].w);
	}
	wrap_trim(b);
	sbuf_addc(b, '\n');
}

static void add_record(const struct text_table *t, size_t row, struct sbuf *b)
{
	cleanup(sbuf_done) struct sbuf line = SBUF_INIT;

	for (size_t c = 0; c < t->n_cols; c++)
		sbuf_addf(&line, "%s%s: %s", c ? ", " : "", t->cols[c].of->title,
			t->texts[row * t->n_cols + c]);
	text_paragraph(b, line.s, MARGIN, 2 * MARGIN);
}

static const char *margin_of(const struct doc_row *row)
{
	return row->tone == TONE_BAD || row->tone == TONE_WARN ? "! " : "  ";
}

void text_table_line(const struct doc_row *row, struct sbuf *b)
{
	sbuf_adds(b, margin_of(row));
	text_paragraph(b, row->line, MARGIN, 2 * MARGIN);
}

bool text_table_sentence(const struct text_table *t, size_t row, struct sbuf *b)
{
	const struct doc_row *r = t->rows[row];
	cleanup(sbuf_done) struct sbuf line = SBUF_INIT;

	if (!r->detail || r->total || t->records)
		return false;
	for (size_t c = 1; c < t->n_cols; c++)
		if (r->cells[t->cols[c].index].type != DOC_NONE)
			return false;
	sbuf_addf(&line, "%s: %s", t->texts[row * t->n_cols], r->detail);
	sbuf_adds(b, margin_of(r));
	text_paragraph(b, line.s, MARGIN, 2 * MARGIN);
	return true;
}

void text_table_row(const struct text_table *t, size_t row, struct sbuf *b)
{
	const struct doc_row *r = t->rows[row];
	const char *margin = margin_of(r);

	if (r->total && row && !t->rows[row - 1]->total && !t->records)
		add_rule(t, b);
	for (size_t c = 0; !t->records && c < t->n_cols; c++) {
		if (!t->cols[c].name || cell_width(t, row, c) <= t->cols[c].w)
			continue;
		sbuf_adds(b, margin);
		text_paragraph(b, wrap_cut(t->a, t->texts[row * t->n_cols + c], NAME_MOST),
			MARGIN, 2 * MARGIN);
		margin = "  ";
	}
	sbuf_adds(b, margin);
	if (t->records) {
		add_record(t, row, b);
		return;
	}
	for (size_t c = 0; c < t->n_cols; c++) {
		const char *text = t->texts[row * t->n_cols + c];

		if (utf8_width(text) > t->cols[c].w)
			text = t->cols[c].cut ? wrap_cut(t->a, text, t->cols[c].w) : "";
		sbuf_pad(b, ' ', c ? GAP : 0);
		add_field(b, &t->cols[c], text, utf8_width(text));
	}
	wrap_trim(b);
	sbuf_addc(b, '\n');
}
