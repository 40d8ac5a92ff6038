/* Forms of output: which one, how wide the terminal is, and the plain ones. */
#include "cli/out/out.h"

#include "base/time/civil.h"
#include "base/str.h"
#include "cli/out/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum err_code out_format_parse(const char *name, enum out_format *out, struct err *e)
{
	static const char *const names[] = {
		[OUT_TABLE] = "table",
		[OUT_JSON] = "json",
		[OUT_CSV] = "csv",
		[OUT_MARKDOWN] = "markdown",
	};
	const char *near;

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
	near = str_nearest(name, names, ARRAY_LEN(names));
	err_set(e, E_USAGE, "unknown format \"%.60s\"", name);
	return near ? err_fix(e, "did you mean %s?", near)
		    : err_fix(e, "use table, json, csv or markdown");
}

struct cell time_cell(ts_t t, struct arena *a)
{
	char buf[RFC3339_BUF];

	return text_cell(t == TS_NONE ? NULL : arena_strdup(a, rfc3339_format(t, buf)));
}

struct cell *table_add_row(struct table *t, struct arena *a)
{
	size_t row = t->n_cols * sizeof(*t->cells);

	t->cells = arena_grow(a, t->cells, t->n_rows, &t->cap, row);
	t->n_rows++;
	return t->cells + (t->n_rows - 1) * t->n_cols;
}

/* LC_ALL before LC_CTYPE before LANG, the first that is not empty; without any it is "C" (POSIX,
 * environment variables). */
static bool locale_is_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *v = getenv(names[i]);

		if (v && *v)
			return strcasestr(v, "utf-8") || strcasestr(v, "utf8");
	}
	return false;
}

/* Columns or lines: what the environment says, else the terminal, else what most have. */
static int extent(const char *name, unsigned short of_terminal, int usual)
{
	const char *given = getenv(name);
	int64_t n;

	if (given && str_to_i64(given, 10, 10000, &n))
		return (int)n;
	return of_terminal ? of_terminal : usual;
}

static const struct out_style *fixed_style;

void out_style_fix(const struct out_style *style)
{
	fixed_style = style;
}

struct out_style out_style_stdout(void)
{
	struct out_style s = {.totals = true};
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
	struct winsize w = {0};

	if (fixed_style)
		return *fixed_style;
	if (!isatty(STDOUT_FILENO))
		return s;
	s.color = !(no_color && *no_color) && !(term && !strcmp(term, "dumb"));
	s.ascii = !locale_is_utf8();
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w))
		w = (struct winsize){0};
	s.width = extent("COLUMNS", w.ws_col, 80);
	s.height = extent("LINES", w.ws_row, 24);
	return s;
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
				cell_exact(b, cell);
		}
		sbuf_addc(b, '}');
	}
	sbuf_adds(b, "]\n");
}

/* Texts come from whoever names a resource; numbers are ours. */
static void add_csv(struct sbuf *b, const char *s, bool as_is)
{
	if (as_is)
		sbuf_add_csv(b, s);
	else
		sbuf_add_csv_safe(b, s);
}

static void render_csv(struct sbuf *b, const struct table *t, bool raw)
{
	struct sbuf text = SBUF_INIT;

	for (size_t c = 0; c < t->n_cols; c++) {
		if (c)
			sbuf_addc(b, ',');
		add_csv(b, t->cols[c]->name, raw);
	}
	sbuf_adds(b, "\r\n");
	for (size_t r = 0; r < t->n_rows; r++) {
		for (size_t c = 0; c < t->n_cols; c++) {
			const struct cell *cell = &t->cells[r * t->n_cols + c];

			sbuf_reset(&text);
			cell_exact(&text, cell);
			if (c)
				sbuf_addc(b, ',');
			add_csv(b, text.s,
				raw || cell->kind != CELL_TEXT ||
					column_numeric(t->cols[c]));
		}
		sbuf_adds(b, "\r\n");
	}
	sbuf_done(&text);
}

static void render_markdown(struct sbuf *b, const struct table *t)
{
	struct sbuf text = SBUF_INIT;

	for (size_t c = 0; c < t->n_cols; c++) {
		sbuf_adds(b, c ? " | " : "| ");
		sbuf_add_markdown(b, t->cols[c]->name, false);
	}
	sbuf_adds(b, " |\n");
	for (size_t c = 0; c < t->n_cols; c++)
		sbuf_adds(b, column_numeric(t->cols[c]) ? "| ---: " : "| --- ");
	sbuf_adds(b, "|\n");
	for (size_t r = 0; r < t->n_rows; r++) {
		for (size_t c = 0; c < t->n_cols; c++) {
			sbuf_reset(&text);
			cell_exact(&text, &t->cells[r * t->n_cols + c]);
			sbuf_adds(b, c ? " | " : "| ");
			sbuf_add_markdown(b, text.s, false);
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
		out_table(b, t, style);
		break;
	case OUT_JSON:
		render_json(b, t);
		break;
	case OUT_CSV:
		render_csv(b, t, style->raw);
		break;
	case OUT_MARKDOWN:
		render_markdown(b, t);
		break;
	}
}

void out_sentence(struct sbuf *b, const char *text, const struct out_style *style)
{
	sbuf_add_wrapped(b, text, 0, 0, style->width ? (size_t)style->width : SIZE_MAX);
}
