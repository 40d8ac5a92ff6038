/* Tables of commands and their output formats. */
#ifndef TPUCOST_CLI_OUT_OUT_H
#define TPUCOST_CLI_OUT_OUT_H

#include "base/err.h"
#include "reports/doc/doc.h"

/* Meaning of colours: lost money or failure, soon or old, free or fine. */
#define OUT_RED "\033[31m"
#define OUT_YELLOW "\033[33m"
#define OUT_GREEN "\033[32m"
#define OUT_BOLD "\033[1m"
#define OUT_PLAIN "\033[0m"

/* A table (doc_table) is printed under the keys of its columns. If columns may be dropped
 * (`droppable`), `rank` gives the order: 0 never, 1 before texts are cut, higher ones only where
 * rows would become blocks of lines, 2 first. */
enum out_format { OUT_TABLE, OUT_JSON, OUT_CSV, OUT_MARKDOWN };

/* Parses "table", "json" and so on. NULL gives OUT_TABLE. */
enum err_code out_format_parse(
	const char *name, enum out_format *out, struct err *e) must_check;

struct out_style {
	bool color;
	bool ascii;  /* the terminal can display only ASCII, as far as known */
	int width;   /* terminal columns; 0: as wide as needed */
	int height;  /* terminal lines; 0: no terminal */
	bool pager;  /* longer output may go through a pager */
	bool totals; /* a line with sums of money columns, per currency */
	bool raw;    /* CSV: do not escape texts that a spreadsheet would run */
	/* Receives the names of columns that are not shown; NULL: out_write prints them. */
	struct sbuf *left_out;
};

/* Colour, width and height of standard output (NO_COLOR, TERM, COLUMNS, LINES, the locale). */
struct out_style out_style_stdout(void);
/* Sets the style of standard output from now on: for output that another part draws. */
void out_style_fix(const struct out_style *style);

/* From now on, tables and markdown show times on the clocks of the zone, which outlives them; UTC
 * keeps its "Z". With `note`, out_write() names the zone if there were times. */
void out_zone(const struct tz *tz, bool note);
/* For a table that shows and notes the zone like any other where it is UTC. */
void out_zone_of_utc(const struct tz *tz);
/* Tone of a row: bad for lost money or a failure, warn for soon or old, good for free. */
enum doc_tone out_tone(const struct doc_section *t, size_t row);
void out_render(struct sbuf *b, const struct doc_section *t, enum out_format format,
	const struct out_style *style);
/* Appends a line of words, broken at the width of the terminal. */
void out_sentence(struct sbuf *b, const char *text, const struct out_style *style);
/* From now on, out_write() adds to `b`, up to its limit; NULL: it writes to standard output again. */
void out_to(struct sbuf *b);
/* From now on, out_write() starts no pager. */
void out_no_pager(void);
/* Writes everything to standard output; E_IO if that fails (full disk). On a terminal, what is longer
 * than the screen goes through $TPUCOST_PAGER, $PAGER or less. Prints on standard error
 * which columns were dropped from tables since the last call, and the zone of their times. */
enum err_code out_write(const struct sbuf *b, struct err *e) must_check;

#endif
