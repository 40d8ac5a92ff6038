/* Tables of commands and the forms they are printed in. */
#ifndef TPUCOST_CLI_OUT_OUT_H
#define TPUCOST_CLI_OUT_OUT_H

#include "base/err.h"
#include "reports/doc/doc.h"

/* Colours mean something: money lost or failure, soon or old, free or fine. */
#define OUT_RED "\033[31m"
#define OUT_YELLOW "\033[33m"
#define OUT_GREEN "\033[32m"
#define OUT_BOLD "\033[1m"
#define OUT_PLAIN "\033[0m"

/* A table (doc_table) is printed under the keys of its columns. Where it may lack columns (`droppable`), `rank` says
 * which: 0 none, 1 those that may go before texts are cut short, higher ones only where rows would become blocks of
 * lines, 2 first. */
enum out_format { OUT_TABLE, OUT_JSON, OUT_CSV, OUT_MARKDOWN };

/* "table", "json", ... NULL gives OUT_TABLE. */
enum err_code out_format_parse(
	const char *name, enum out_format *out, struct err *e) must_check;

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

void out_render(struct sbuf *b, const struct doc_section *t, enum out_format format,
	const struct out_style *style);
/* A line of words, broken where the terminal ends. */
void out_sentence(struct sbuf *b, const char *text, const struct out_style *style);
/* Write everything to standard output; E_IO when that fails (full disk). Says on standard error which
 * columns there was no room for in tables rendered since the last time. */
enum err_code out_write(const struct sbuf *b, struct err *e) must_check;

#endif
