/* What the forms of output share. Private to cli/out/. */
#ifndef TPUCOST_CLI_OUT_INTERNAL_H
#define TPUCOST_CLI_OUT_INTERNAL_H

#include "cli/out/out.h"

/* ---- cli/out/cell.c ---------------------------------------------------------------------------- */

#define MAX_TOTALS 8

struct total {
	const char *currency;
	struct opt_i64 *
		sums; /* of each column of the table; NONE: an amount is not known, or it does not fit */
};
/* Sums per currency; currencies are never added together. None for a single row. */
struct totals {
	struct total v[MAX_TOTALS];
	size_t n;
};

void table_totals(struct totals *out, const struct doc_section *t, struct arena *a);
bool table_is_money(const struct doc_column *c);
/* "/h" "/day" "": what an amount of that column is per. */
const char *table_per(const struct doc_column *c);
int table_column(const struct doc_section *t, const char *key);      /* n_columns: none */
const char *table_currency(const struct doc_section *t, size_t row); /* or NULL */
/* The cell as people read it; amounts are rounded for the eye only. */
void table_cell(struct sbuf *b, const struct doc_column *col, const struct doc_cell *c);
/* What a line of totals says in a column. */
const char *table_total(const struct doc_section *t, const struct total *sum, int c,
	bool first, struct arena *a);
/* The colour that says how a row stands, or NULL: red where money is lost or something failed,
 * yellow for soon or old, green for free. */
const char *table_color(const struct doc_section *t, size_t row);
/* ---- cli/out/fit.c ----------------------------------------------------------------------------- */

/* The columns that are shown, laid out. */
struct layout {
	const struct doc_section *t;
	const struct totals *totals;
	struct arena *a;
	int *cols; /* which of the table's */
	size_t n_cols;
	const char **heads; /* these and what follows: by column of the table */
	const char **texts; /* rows x all columns */
	size_t *widths;
	size_t *natural;   /* what texts would take */
	size_t head_lines; /* without the one of units */
	const char *units; /* the currency that a line of units is of; NULL: no such line */
	bool beside; /* currencies stand beside their amounts, as there is no column for them */
	bool ascii;
};

/* Lay out `t` for the terminal: headings are broken first, then long texts cut, then columns left
 * out, those of higher ranks last. False: it does not fit in columns. */
bool fit_table(struct layout *l, const struct doc_section *t, const struct totals *totals,
	const struct out_style *style, struct arena *a);
/* The columns that were left out since the last time, with commas; the caller's. */
struct sbuf fit_left_take(void);
/* Line `line` of a heading; shorter ones stand at the bottom. */
const char *fit_head(const struct layout *l, int c, size_t line);
/* "HKD/h" below the name; "" for what is no amount. */
const char *fit_unit(const struct layout *l, int c);
/* What a line of totals has in a column. */
const char *fit_total(const struct layout *l, const struct total *sum, int c);
/* The text in the width of its column, at its side of it. */
void fit_field(struct sbuf *b, const struct layout *l, int c, const char *text, bool last);

/* ---- cli/out/records.c ------------------------------------------------------------------------- */

/* Rows as blocks of "key: value" lines. */
void out_records(struct sbuf *b, const struct doc_section *t, const struct totals *totals,
	const struct out_style *style);

/* ---- cli/out/table.c --------------------------------------------------------------------------- */

void out_table(struct sbuf *b, const struct doc_section *t, const struct out_style *style);

#endif
