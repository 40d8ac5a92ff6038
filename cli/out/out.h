/* Tables of results and the forms they are printed in. */
#ifndef TPUCOST_CLI_OUT_OUT_H
#define TPUCOST_CLI_OUT_OUT_H

#include "base/err.h"
#include "base/mem.h"
#include "base/sbuf.h"
#include "db/vocab.h"

/* Colours mean something: money lost or failure, soon or old, free or fine. */
#define OUT_RED "\033[31m"
#define OUT_YELLOW "\033[33m"
#define OUT_GREEN "\033[32m"
#define OUT_BOLD "\033[1m"
#define OUT_PLAIN "\033[0m"

enum cell_kind { CELL_NULL, CELL_INT, CELL_NANOS, CELL_REAL, CELL_TEXT };

struct cell {
	enum cell_kind kind;
	int64_t i; /* CELL_INT, CELL_NANOS */
	double real;
	const char *text;
};

/* What is not known (NULL, TS_NONE, not set) is no text and no number: CELL_NULL. */
static inline struct cell text_cell(const char *s)
{
	return s ? (struct cell){.kind = CELL_TEXT, .text = s} : (struct cell){0};
}

static inline struct cell int_cell(int64_t v)
{
	return (struct cell){.kind = CELL_INT, .i = v};
}

static inline struct cell nanos_cell(struct opt_i64 v)
{
	return v.set ? (struct cell){.kind = CELL_NANOS, .i = v.v} : (struct cell){0};
}

/* RFC 3339, UTC. */
struct cell time_cell(ts_t t, struct arena *a);

/* Rows of cells; columns may be of a view or made up by `sql`. */
struct table {
	const struct column *const *cols;
	size_t n_cols;
	struct cell *cells; /* n_rows x n_cols */
	size_t n_rows, cap;
	/* Which columns a narrow terminal may lack: 0 none, 1 those that may go before texts are cut
	 * short, higher ones only where rows would become blocks of lines, 2 first. NULL: none. */
	const unsigned char *optional;
	bool no_totals; /* amounts that are no parts of a whole */
};

enum out_format { OUT_TABLE, OUT_JSON, OUT_CSV, OUT_MARKDOWN };

/* "table", "json", ... NULL gives OUT_TABLE. */
enum err_code out_format_parse(
	const char *name, enum out_format *out, struct err *e) must_check;

/* Room for one more row; its cells are NULL. */
struct cell *table_add_row(struct table *t, struct arena *a);

struct out_style {
	bool color;
	bool ascii;  /* the terminal shows no other characters, as far as one knows */
	int width;   /* terminal columns; 0: as wide as needed */
	int height;  /* terminal lines; 0: no terminal */
	bool totals; /* a line with sums of money columns, per currency */
	bool raw;    /* CSV: also texts that a spreadsheet would run, as they are */
	/* Gets the names of columns that are not shown; NULL: out_write says them. */
	struct sbuf *left_out;
};

/* Colour, width and height of standard output (NO_COLOR, TERM, COLUMNS, LINES, the locale). */
struct out_style out_style_stdout(void);
/* From now on standard output is taken to be that: for what is drawn by somebody else. */
void out_style_fix(const struct out_style *style);

void out_render(struct sbuf *b, const struct table *t, enum out_format format,
	const struct out_style *style);
/* A line of words, broken where the terminal ends. */
void out_sentence(struct sbuf *b, const char *text, const struct out_style *style);
/* Write everything to standard output; E_IO when that fails (full disk). Says on standard error which
 * columns there was no room for in tables rendered since the last time. */
enum err_code out_write(const struct sbuf *b, struct err *e) must_check;

#endif
