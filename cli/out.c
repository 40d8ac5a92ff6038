#include "cli/out.h"

#include "base/json.h"
#include "base/money.h"
#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BOLD "\033[1m"
#define RED "\033[31m"
#define GREEN "\033[32m"
#define DIM "\033[2m"
#define PLAIN "\033[0m"
#define MIN_TEXT_WIDTH 12
#define MAX_TOTALS 8

enum err_code out_format_parse(const char *name, enum out_format *out, struct err *e)
{
	static const char *const names[] = {
		[OUT_TABLE] = "table",
		[OUT_JSON] = "json",
		[OUT_CSV] = "csv",
		[OUT_MARKDOWN] = "markdown",
	};

	if (!name) {
		*out = OUT_TABLE;
		return E_OK;
	}
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (!strcmp(names[i], name)) {
			*out = (enum out_format)i;
			return E_OK;
		}
	}
	err_set(e, E_USAGE, "unknown format \"%s\"", name);
	return err_fix(e, "use table, json, csv or markdown");
}

struct cell *table_add_row(struct table *t, struct arena *a)
{
	size_t row = t->n_cols * sizeof(*t->cells);

	t->cells = arena_grow(a, t->cells, t->n_rows, &t->cap, row);
	t->n_rows++;
	return t->cells + (t->n_rows - 1) * t->n_cols;
}

struct out_style out_style_stdout(void)
{
	struct out_style s = {.totals = true};
	const char *columns = getenv("COLUMNS"), *term = getenv("TERM");
	const char *no_color = getenv("NO_COLOR");
	struct winsize w;
	int64_t n;

	if (!isatty(STDOUT_FILENO))
		return s;
	s.color = !(no_color && *no_color) && !(term && !strcmp(term, "dumb"));
	if (columns && str_to_i64(columns, 20, 10000, &n))
		s.width = (int)n;
	else if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) && w.ws_col)
		s.width = w.ws_col;
	else
		s.width = 80;
	return s;
}

/* A double as the shortest text that reads back as the same number. */
static void add_real(struct sbuf *b, double v)
{
	char text[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) >= v && strtod(text, NULL) <= v)
			break;
	}
	sbuf_adds(b, text);
}

static void add_exact(struct sbuf *b, const struct cell *c)
{
	char buf[NANOS_BUF];

	switch (c->kind) {
	case CELL_NULL:
		break;
	case CELL_INT:
		sbuf_addf(b, "%lld", (long long)c->i);
		break;
	case CELL_NANOS:
		sbuf_adds(b, nanos_format(c->i, buf));
		break;
	case CELL_REAL:
		add_real(b, c->real);
		break;
	case CELL_TEXT:
		sbuf_adds(b, c->text);
		break;
	}
}

static void render_json(struct sbuf *b, const struct table *t)
{
	if (!t->n_rows) {
		sbuf_adds(b, "[]\n");
		return;
	}
	for (size_t r = 0; r < t->n_rows; r++) {
		sbuf_adds(b, r ? ",\n {" : "[{");
		for (size_t c = 0; c < t->n_cols; c++) {
			const struct cell *cell = &t->cells[r * t->n_cols + c];

			if (c)
				sbuf_adds(b, ", ");
			sbuf_add_json(b, t->cols[c]->name);
			sbuf_adds(b, ": ");
			if (cell->kind == CELL_TEXT)
				sbuf_add_json(b, cell->text);
			else if (cell->kind == CELL_NULL)
				sbuf_adds(b, "null");
			else
				add_exact(b, cell);
		}
		sbuf_addc(b, '}');
	}
	sbuf_adds(b, "]\n");
}

static void render_csv(struct sbuf *b, const struct table *t)
{
	struct sbuf text = SBUF_INIT;

	for (size_t c = 0; c < t->n_cols; c++) {
		if (c)
			sbuf_addc(b, ',');
		sbuf_add_csv(b, t->cols[c]->name);
	}
	sbuf_adds(b, "\r\n");
	for (size_t r = 0; r < t->n_rows; r++) {
		for (size_t c = 0; c < t->n_cols; c++) {
			sbuf_reset(&text);
			add_exact(&text, &t->cells[r * t->n_cols + c]);
			if (c)
				sbuf_addc(b, ',');
			sbuf_add_csv(b, text.s);
		}
		sbuf_adds(b, "\r\n");
	}
	sbuf_done(&text);
}

static bool is_numeric(const struct column *c)
{
	return c->type == COL_INT || c->type == COL_MONEY || c->type == COL_DECIMAL;
}

/* Hourly prices of small things need more digits than a sum does. */
static int money_digits(const struct column *c)
{
	return str_ends(c->name, "_per_hour") ? 4 : 2;
}

/* A cell as people read it; amounts are rounded for the eye only. */
static void add_human(struct sbuf *b, const struct column *col, const struct cell *c)
{
	char buf[NANOS_BUF];

	if (c->kind == CELL_NULL)
		sbuf_addc(b, '-');
	else if (col->type == COL_FLAG && c->kind == CELL_INT)
		sbuf_adds(b, c->i ? "yes" : "no");
	else if (col->type == COL_MONEY && c->kind == CELL_NANOS)
		sbuf_adds(b, nanos_format_fixed(c->i, money_digits(col), buf));
	else if (c->kind == CELL_REAL)
		sbuf_addf(b, "%.1f", c->real);
	else if (col->type == COL_TIME && c->kind == CELL_TEXT && strlen(c->text) == 20)
		sbuf_addf(b, "%.10s %.5sZ", c->text, c->text + 11);
	else if (c->kind == CELL_TEXT)
		sbuf_add_term(b, c->text);
	else
		add_exact(b, c);
}

/* Everything as text, laid out: texts[0] is the header. */
struct layout {
	const struct table *t;
	char **texts; /* (n_rows + 1) x n_cols */
	size_t *widths;
};

static void lay_out(struct layout *l, const struct table *t, struct arena *a)
{
	struct sbuf b = SBUF_INIT;

	l->t = t;
	l->texts = arena_alloc(a, (t->n_rows + 1) * t->n_cols * sizeof(*l->texts));
	l->widths = arena_alloc(a, t->n_cols * sizeof(*l->widths));
	for (size_t r = 0; r <= t->n_rows; r++) {
		for (size_t c = 0; c < t->n_cols; c++) {
			size_t w;

			sbuf_reset(&b);
			if (r)
				add_human(
					&b, t->cols[c], &t->cells[(r - 1) * t->n_cols + c]);
			else
				sbuf_add_term(&b, t->cols[c]->name);
			l->texts[r * t->n_cols + c] = arena_strdup(a, b.s);
			w = utf8_width(b.s);
			if (w > l->widths[c])
				l->widths[c] = w;
		}
	}
	sbuf_done(&b);
}

/* Narrow the widest text columns until the line fits; numbers are never cut. */
static void shrink(struct layout *l, size_t width)
{
	for (;;) {
		size_t sum = 0, widest = SIZE_MAX;

		for (size_t c = 0; c < l->t->n_cols; c++) {
			sum += l->widths[c] + (c ? 2 : 0);
			if (!is_numeric(l->t->cols[c]) && l->widths[c] > MIN_TEXT_WIDTH &&
				(widest == SIZE_MAX || l->widths[c] > l->widths[widest]))
				widest = c;
		}
		if (sum <= width || widest == SIZE_MAX)
			return;
		l->widths[widest] -= 1;
	}
}

static void add_cut(struct sbuf *b, const char *s, size_t width)
{
	size_t used = 0;

	if (utf8_width(s) <= width) {
		sbuf_adds(b, s);
		return;
	}
	while (*s) {
		char one[8];
		size_t n, w;

		utf8_next(s, &n);
		memcpy(one, s, n);
		one[n] = '\0';
		w = utf8_width(one);
		if (used + w > width - 1)
			break;
		sbuf_add(b, s, n);
		used += w;
		s += n;
	}
	sbuf_adds(b, "…");
	sbuf_pad(b, ' ', width - 1 - used);
}

static void add_field(
	struct sbuf *b, const struct layout *l, size_t c, const char *text, bool last)
{
	size_t w = utf8_width(text), room = l->widths[c];

	if (w >= room) {
		add_cut(b, text, room);
	} else if (is_numeric(l->t->cols[c])) {
		sbuf_pad(b, ' ', room - w);
		sbuf_adds(b, text);
	} else {
		sbuf_adds(b, text);
		if (!last)
			sbuf_pad(b, ' ', room - w);
	}
}

/* The colour that says how a row stands: red where money is lost, green where it is saved. */
static const char *row_color(const struct table *t, size_t r)
{
	for (size_t c = 0; c < t->n_cols; c++) {
		const struct cell *cell = &t->cells[r * t->n_cols + c];

		if (!strcmp(t->cols[c]->name, "covered") && cell->kind == CELL_INT)
			return cell->i ? GREEN : RED;
		if (!strcmp(t->cols[c]->name, "stale") && cell->kind == CELL_INT && cell->i)
			return RED;
	}
	return NULL;
}

struct total {
	char cur[8];
	int64_t *sums;
	bool *over;
};

static const char *row_currency(const struct table *t, size_t r)
{
	for (size_t c = 0; c < t->n_cols; c++)
		if (!strcmp(t->cols[c]->name, "currency") &&
			t->cells[r * t->n_cols + c].kind == CELL_TEXT)
			return t->cells[r * t->n_cols + c].text;
	return NULL;
}

static struct total *find_total(
	struct total *totals, size_t *n, const char *cur, size_t n_cols, struct arena *a)
{
	for (size_t i = 0; i < *n; i++)
		if (!strcmp(totals[i].cur, cur))
			return &totals[i];
	if (*n == MAX_TOTALS)
		return NULL;
	snprintf(totals[*n].cur, sizeof(totals[*n].cur), "%s", cur);
	totals[*n].sums = arena_alloc(a, n_cols * sizeof(int64_t));
	totals[*n].over = arena_alloc(a, n_cols * sizeof(bool));
	return &totals[(*n)++];
}

/* One line of sums per currency; currencies are never added together. */
static void render_totals(struct sbuf *b, struct layout *l, struct arena *a, bool color)
{
	const struct table *t = l->t;
	struct total totals[MAX_TOTALS] = {0};
	size_t n = 0;

	for (size_t r = 0; r < t->n_rows; r++) {
		const char *cur = row_currency(t, r);
		struct total *sum = cur ? find_total(totals, &n, cur, t->n_cols, a) : NULL;

		for (size_t c = 0; sum && c < t->n_cols; c++) {
			const struct cell *cell = &t->cells[r * t->n_cols + c];

			if (t->cols[c]->type == COL_MONEY && cell->kind == CELL_NANOS &&
				!nanos_add(sum->sums[c], cell->i, &sum->sums[c]))
				sum->over[c] = true;
		}
	}
	for (size_t i = 0; i < n; i++) {
		if (color)
			sbuf_adds(b, BOLD);
		for (size_t c = 0; c < t->n_cols; c++) {
			char buf[NANOS_BUF];
			const char *text = "";

			if (t->cols[c]->type == COL_MONEY && !totals[i].over[c])
				text = nanos_format_fixed(
					totals[i].sums[c], money_digits(t->cols[c]), buf);
			else if (!strcmp(t->cols[c]->name, "currency"))
				text = totals[i].cur;
			else if (c == 0)
				text = "total";
			if (c)
				sbuf_adds(b, "  ");
			add_field(b, l, c, text, c + 1 == t->n_cols);
		}
		sbuf_adds(b, color ? PLAIN "\n" : "\n");
	}
}

static bool has_money(const struct table *t)
{
	bool money = false, currency = false;

	for (size_t c = 0; c < t->n_cols; c++) {
		money = money || t->cols[c]->type == COL_MONEY;
		currency = currency || !strcmp(t->cols[c]->name, "currency");
	}
	return money && currency && t->n_rows > 1;
}

/* Totals can be wider than any single row. */
static void widen_for_totals(struct layout *l)
{
	for (size_t c = 0; c < l->t->n_cols; c++)
		if (l->t->cols[c]->type == COL_MONEY)
			l->widths[c] += 1;
	if (l->t->n_cols && l->widths[0] < 5)
		l->widths[0] = 5;
}

static void render_table(
	struct sbuf *b, const struct table *t, const struct out_style *style)
{
	struct arena a = {0};
	struct layout l = {0};
	bool totals = style->totals && has_money(t);

	lay_out(&l, t, &a);
	if (totals)
		widen_for_totals(&l);
	if (style->width)
		shrink(&l, (size_t)style->width);
	for (size_t r = 0; r <= t->n_rows; r++) {
		const char *color = NULL;

		if (style->color)
			color = r ? row_color(t, r - 1) : BOLD;
		if (color)
			sbuf_adds(b, color);
		for (size_t c = 0; c < t->n_cols; c++) {
			if (c)
				sbuf_adds(b, "  ");
			add_field(b, &l, c, l.texts[r * t->n_cols + c], c + 1 == t->n_cols);
		}
		if (color)
			sbuf_adds(b, PLAIN);
		sbuf_addc(b, '\n');
	}
	if (totals)
		render_totals(b, &l, &a, style->color);
	arena_done(&a);
}

static void add_md(struct sbuf *b, const char *s)
{
	struct sbuf safe = SBUF_INIT;

	sbuf_add_term(&safe, s);
	for (const char *p = safe.s; *p; p++) {
		if (strchr("|\\`*_<>[]", *p))
			sbuf_addc(b, '\\');
		sbuf_addc(b, *p);
	}
	sbuf_done(&safe);
}

static void render_markdown(struct sbuf *b, const struct table *t)
{
	struct sbuf text = SBUF_INIT;

	for (size_t c = 0; c < t->n_cols; c++) {
		sbuf_adds(b, c ? " | " : "| ");
		add_md(b, t->cols[c]->name);
	}
	sbuf_adds(b, " |\n");
	for (size_t c = 0; c < t->n_cols; c++)
		sbuf_adds(b, is_numeric(t->cols[c]) ? "| ---: " : "| --- ");
	sbuf_adds(b, "|\n");
	for (size_t r = 0; r < t->n_rows; r++) {
		for (size_t c = 0; c < t->n_cols; c++) {
			sbuf_reset(&text);
			add_exact(&text, &t->cells[r * t->n_cols + c]);
			sbuf_adds(b, c ? " | " : "| ");
			add_md(b, text.s);
		}
		sbuf_adds(b, " |\n");
	}
	sbuf_done(&text);
}

void out_render(struct sbuf *b, const struct table *t, enum out_format format,
	const struct out_style *style)
{
	switch (format) {
	case OUT_TABLE:
		render_table(b, t, style);
		break;
	case OUT_JSON:
		render_json(b, t);
		break;
	case OUT_CSV:
		render_csv(b, t);
		break;
	case OUT_MARKDOWN:
		render_markdown(b, t);
		break;
	}
}

enum err_code out_write(const struct sbuf *b, struct err *e)
{
	if (fwrite(b->s, 1, b->len, stdout) != b->len || fflush(stdout))
		return err_sys(e, E_IO, errno, "write to standard output");
	return E_OK;
}
