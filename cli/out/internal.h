/* Functions shared by the output formats. Private to cli/out/. */
#ifndef TPUCOST_CLI_OUT_INTERNAL_H
#define TPUCOST_CLI_OUT_INTERNAL_H

#include "cli/out/out.h"

/* ---- cli/out/out.c ----------------------------------------------------------------------------- */

/* Name of the zone of the times that were rendered since the last call; NULL: there were none, or it
 * needs no note. */
const char *out_zone_take(void);

/* ---- cli/out/cell.c ---------------------------------------------------------------------------- */

#define MAX_TOTALS 8

struct total {
	const char *currency;
	/* per column of the table; NONE: an amount is unknown, or the sum does not fit */
	struct opt_i64 *sums;
};
/* Sums per currency; currencies are never added together. There are none for a single row. */
struct totals {
	struct total v[MAX_TOTALS];
	size_t n;
};

void table_totals(struct totals *out, const struct doc_section *t, struct arena *a);
/* "/h" "/day" "": time unit of amounts in that column. */
const char *table_per(const struct doc_column *c);
int table_column(const struct doc_section *t, const char *key);      /* n_columns: none */
const char *table_currency(const struct doc_section *t, size_t row); /* or NULL */
/* Appends the cell as text; amounts are rounded only in the output. */
void table_cell(struct sbuf *b, const struct doc_column *col, const struct doc_cell *c,
	const char *currency);
/* Text of a line of totals in a column. */
const char *table_total(const struct doc_section *t, const struct total *sum, int c,
	bool first, struct arena *a);
/* Colour of the state of a row, or NULL: red for lost money or a failure, yellow for soon or old,
 * green for free. */
const char *table_color(const struct doc_section *t, size_t row);
/* ---- cli/out/fit.c ----------------------------------------------------------------------------- */

/* Layout of the columns that are shown. */
struct layout {
	const struct doc_section *t;
	const struct totals *totals;
	struct arena *a;
	int *cols; /* indices of the table's columns */
	size_t n_cols;
	const char **heads; /* this and the following: per column of the table */
	const char **texts; /* rows x all columns */
	size_t *widths;
	size_t *natural;   /* width of the uncut texts */
	size_t head_lines; /* without the line of units */
	/* the currency in a line of units; NULL: there is no such line */
	const char *units;
	bool beside; /* currencies are shown with their amounts, as they have no column */
	bool ascii;
};

/* Lays out `t` for the terminal: headings are broken first, then long texts are cut, then columns
 * are dropped, those of higher ranks last. Returns false if it does not fit in columns. */
bool fit_table(struct layout *l, const struct doc_section *t, const struct totals *totals,
	const struct out_style *style, struct arena *a);
/* The columns that were dropped since the last call, separated by commas; the caller frees it. */
struct sbuf fit_left_take(void);
/* Line `line` of a heading; shorter headings are aligned at the bottom. */
const char *fit_head(const struct layout *l, int c, size_t line);
/* "HKD/h" below the name; "" if the column is not an amount. */
const char *fit_unit(const struct layout *l, int c);
/* Text of a line of totals in a column. */
const char *fit_total(const struct layout *l, const struct total *sum, int c);
/* The part of a text that fits on a line, allocated from the arena; *text is the part that follows, "" except for names. */
const char *fit_part(const struct layout *l, int c, const char **text);
/* Appends the text in the width of its column, aligned. */
void fit_field(struct sbuf *b, const struct layout *l, int c, const char *text, bool last);

/* ---- cli/out/records.c ------------------------------------------------------------------------- */

/* Appends rows as blocks of "key: value" lines. */
void out_records(struct sbuf *b, const struct doc_section *t, const struct totals *totals,
	const struct out_style *style);

/* ---- cli/out/table.c --------------------------------------------------------------------------- */

void out_table(struct sbuf *b, const struct doc_section *t, const struct out_style *style);

#endif
