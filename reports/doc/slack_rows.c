/* Sections of documents as mrkdwn: rows, tables and charts. */
#include "reports/doc/internal.h"

#include "base/str.h"
#include "reports/doc/mrkdwn.h"

/* In bytes of the visible text; an entity can turn one byte into five. */
#define TITLE_MAX 200
#define NOTE_MAX 250
#define CELL_MAX 120
#define CELLS_MAX 6
#define LINE_MAX 300
/* Rank from which columns are omitted on narrow output, such as chat. */
#define RANK_MAX 2
#define TABLE_WIDTH 60
#define TABLE_ROWS 600 /* more would not fit in a block */
#define SPARK_LEAST 7  /* fewer values are not a curve */
#define SPARK_MOST 60

/* ---- above the rows ---------------------------------------------------------------------------- */

/* A cell for reading, with its mark as a word, because "~" and "*" format. */
static void add_figure(const struct doc *d, const struct doc_column *col,
	const struct doc_cell *cell, size_t max, struct sbuf *b)
{
	struct doc_cell c = *cell;
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;

	c.status = STATUS_NONE;
	doc_cell_text(d, col, &c, &text);
	mrkdwn_sentence(b, text.s, max);
	if (c.type != DOC_NONE && cell->status)
		sbuf_adds(b, cell->status == STATUS_ESTIMATE ? " (estimate)" : " so far");
}

static void add_chart(const struct doc *d, const struct doc_section *s,
	const struct doc_series *v, struct sbuf *b)
{
	const struct doc_column *label = &s->columns[s->chart.label],
				*value = &s->columns[s->chart.value];
	const struct doc_row *low = v->rows[v->lowest], *high = v->rows[v->highest];
	size_t from = v->n > SPARK_MOST ? v->n - SPARK_MOST : 0;

	sbuf_addc(b, '\n');
	mrkdwn_sentence(b, s->chart.title ? s->chart.title : value->title, CELL_MAX);
	sbuf_adds(b, ": ");
	doc_sparkline(v->v + from, v->n - from, b);
	sbuf_adds(b, " from ");
	add_figure(d, label, &v->rows[from]->cells[s->chart.label], CELL_MAX, b);
	sbuf_adds(b, ", lowest ");
	add_figure(d, value, &low->cells[s->chart.value], CELL_MAX, b);
	sbuf_adds(b, ", highest ");
	add_figure(d, value, &high->cells[s->chart.value], CELL_MAX, b);
	if (s->chart.mark.set && s->chart.mark_title) {
		struct doc_cell mark = high->cells[s->chart.value];

		mark.v = s->chart.mark.v;
		mark.status = STATUS_NONE;
		sbuf_adds(b, ", ");
		mrkdwn_sentence(b, s->chart.mark_title, CELL_MAX);
		sbuf_addc(b, ' ');
		add_figure(d, value, &mark, CELL_MAX, b);
	}
}

void slack_head(const struct doc *d, const struct doc_section *s, struct sbuf *b)
{
	struct doc_series *series;
	size_t n = doc_chart_series(d, s, &series), start = b->len;

	mrkdwn_bold(b, s->title, TITLE_MAX);
	if (s->note) {
		sbuf_addc(b, '\n');
		mrkdwn_sentence(b, s->note, NOTE_MAX);
	}
	for (size_t i = 0; i < n; i++) {
		size_t len = b->len;

		if (series[i].n < SPARK_LEAST)
			continue;
		add_chart(d, s, &series[i], b);
		if (b->len - start > SLACK_PIECE_MAX) {
			sbuf_trunc(b, len);
			break;
		}
	}
}

/* ---- a row as a list item ---------------------------------------------------------------------- */

static bool shown(const struct doc_column *col)
{
	return col->title && col->rank <= RANK_MAX;
}

static bool is_text(const struct doc_cell *c)
{
	return c->type == DOC_TEXT || c->type == DOC_CODE;
}

/* Level of detail of a row. */
struct room {
	size_t name, cell, detail;
	bool command;
};

static void add_cell(const struct doc *d, const struct doc_column *col,
	const struct doc_cell *c, size_t max, struct sbuf *b)
{
	if (!is_text(c)) {
		mrkdwn_sentence(b, col->title, CELL_MAX);
		sbuf_addc(b, ' ');
	}
	add_figure(d, col, c, max, b);
}

static void add_cells(const struct doc *d, const struct doc_section *s,
	const struct doc_row *r, const struct room *room, struct sbuf *b)
{
	int n = 0;

	for (int i = 0; i < s->n_columns && n < CELLS_MAX; i++) {
		const struct doc_column *col = &s->columns[i];
		const struct doc_cell *c = &r->cells[i];

		if (!shown(col) || (c->type == DOC_NONE && !doc_is_money(col->type)))
			continue;
		if (n)
			sbuf_adds(b, n == 1 ? ": " : ", ");
		if (!n && is_text(c))
			mrkdwn_bold(b, c->text, room->name);
		else
			add_cell(d, col, c, room->cell, b);
		n++;
	}
}

static void add_commands(const struct doc_row *r, const struct room *room, struct sbuf *b)
{
	mrkdwn_code(b, r->command, SIZE_MAX);
	if (!r->also_command)
		return;
	sbuf_adds(b, "\n  ");
	mrkdwn_sentence(b, r->also, room->detail);
	sbuf_adds(b, "\n  ");
	mrkdwn_code(b, r->also_command, SIZE_MAX);
}

static void add_row(const struct doc *d, const struct doc_section *s,
	const struct doc_row *r, const struct room *room, struct sbuf *b)
{
	sbuf_adds(b, "- ");
	add_cells(d, s, r, room, b);
	if (r->detail) {
		sbuf_adds(b, "\n  ");
		mrkdwn_sentence(b, r->detail, room->detail);
	}
	if (!r->command)
		return;
	sbuf_adds(b, "\n  ");
	if (room->command)
		add_commands(r, room, b);
	else { /* an incomplete command must not be pasted */
		sbuf_adds(b, "The command is too long for chat: ");
		slack_command(d, b);
	}
}

void slack_row(const struct doc *d, const struct doc_section *s, const struct doc_row *r,
	struct sbuf *b)
{
	static const struct room wide = {200, CELL_MAX, 600, true},
				 narrow = {60, 40, 150, false};
	size_t start = b->len;

	add_row(d, s, r, &wide, b);
	if (b->len - start <= SLACK_PIECE_MAX)
		return;
	sbuf_trunc(b, start);
	add_row(d, s, r, &narrow, b);
}

void slack_line(const struct doc_row *r, struct sbuf *b)
{
	sbuf_adds(b, "- ");
	mrkdwn_sentence(b, r->line, LINE_MAX);
}

void slack_command(const struct doc *d, struct sbuf *b)
{
	bool period = str_in(d->kind, (const char *const[]){"weekly", "month"}, 2);

	sbuf_addf(b, "`tpucost report%s%s", period ? " " : "", period ? d->kind : "");
	for (size_t i = 0; i < d->n_facts;
		i++) /* without it, the command shows the present month */
		if (str_eq(d->facts[i].key, "month"))
			sbuf_addf(b, " --month %s", d->facts[i].cell.text);
	sbuf_addc(b, '`');
}

void slack_more(const struct doc *d, const struct doc_section *s, size_t n, struct sbuf *b)
{
	size_t start = b->len;

	sbuf_addf(b, "+%zu more: ", n);
	if (s->more) {
		mrkdwn_code(b, s->more, SIZE_MAX);
		if (b->len - start <= SLACK_MORE_MAX)
			return;
		sbuf_trunc(b, start);
		sbuf_addf(b, "+%zu more: ", n);
	}
	slack_command(d, b);
}

/* ---- a table ----------------------------------------------------------------------------------- */

/* The cell as it is shown; the heading if there is no row. */
static void add_seen(const struct doc *d, const struct doc_section *s, int column,
	const struct doc_row *r, struct sbuf *b)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;

	if (r)
		doc_cell_text(d, &s->columns[column], &r->cells[column], &text);
	else
		sbuf_adds(&text, s->columns[column].title);
	sbuf_add_term(b, text.s);
}

static bool measure(
	const struct doc *d, const struct doc_section *s, size_t max, struct slack_table *t)
{
	struct doc_rows rows = doc_rows(s, max);
	const struct doc_row *r;

	for (int i = 0; i < t->n; i++)
		t->widths[i] = utf8_width(s->columns[t->columns[i]].title);
	for (size_t n = 0; (r = doc_rows_next(&rows)) && n < TABLE_ROWS; n++) {
		if (r->detail || r->command || r->only_line)
			return false;
		for (int i = 0; i < t->n; i++) {
			cleanup(sbuf_done) struct sbuf seen = SBUF_INIT;
			size_t w;

			add_seen(d, s, t->columns[i], r, &seen);
			w = utf8_width(seen.s);
			t->widths[i] = w > t->widths[i] ? w : t->widths[i];
		}
	}
	return true;
}

static size_t table_width(const struct slack_table *t)
{
	size_t width = 0;

	for (int i = 0; i < t->n; i++)
		width += t->widths[i] + 2;
	return width;
}

/* Omits the last column of the highest rank; false if all have rank 0. */
static bool drop_column(const struct doc_section *s, struct slack_table *t)
{
	int worst = 0;

	for (int i = 0; i < t->n; i++)
		if (s->columns[t->columns[i]].rank >= s->columns[t->columns[worst]].rank)
			worst = i;
	if (!s->columns[t->columns[worst]].rank)
		return false;
	t->n--;
	for (int i = worst; i < t->n; i++) {
		t->columns[i] = t->columns[i + 1];
		t->widths[i] = t->widths[i + 1];
	}
	return true;
}

bool slack_table(const struct doc *d, const struct doc_section *s, size_t max,
	struct slack_table *out)
{
	*out = (struct slack_table){0};
	for (int i = 0; i < s->n_columns; i++) {
		if (!s->columns[i].title)
			continue;
		if (out->n == SLACK_TABLE_COLUMNS)
			return false;
		out->columns[out->n++] = i;
	}
	if (out->n < 2 || !measure(d, s, max, out))
		return false;
	while (table_width(out) > TABLE_WIDTH)
		if (!drop_column(s, out))
			return false;
	return out->n > 1;
}

void slack_table_line(const struct doc *d, const struct doc_section *s,
	const struct slack_table *t, const struct doc_row *r, struct sbuf *b)
{
	for (int i = 0; i < t->n; i++) {
		bool number = doc_is_number(s->columns[t->columns[i]].type);
		cleanup(sbuf_done) struct sbuf seen = SBUF_INIT;
		size_t blanks;

		add_seen(d, s, t->columns[i], r, &seen);
		blanks = utf8_width(seen.s);
		blanks = t->widths[i] > blanks ? t->widths[i] - blanks : 0;
		if (i)
			sbuf_adds(b, "  ");
		if (number)
			sbuf_pad(b, ' ', blanks);
		mrkdwn_fenced(b, seen.s);
		if (!number && i + 1 < t->n)
			sbuf_pad(b, ' ', blanks);
	}
}
