/* What the forms of output share. Private to cli/out/. */
#ifndef TPUCOST_CLI_OUT_INTERNAL_H
#define TPUCOST_CLI_OUT_INTERNAL_H

#include "base/money.h"
#include "cli/out/out.h"

/* ---- cli/out/left.c ---------------------------------------------------------------------------- */

/* Where the names of columns go that are not shown: of the style, or those that are not said yet. */
struct sbuf *out_left_out(const struct out_style *style);
void out_leave(struct sbuf *b, const char *name);
/* What was not said yet; it is the caller's. */
void out_left_take(struct sbuf *b);

/* ---- cli/out/cell.c ---------------------------------------------------------------------------- */

/* The cell as it is, every digit of it. */
void cell_exact(struct sbuf *b, const struct cell *c);
/* The cell as people read it; amounts are rounded for the eye only. */
void cell_human(struct sbuf *b, const struct column *col, const struct cell *c);
/* An amount of that column, rounded likewise. */
const char *money_human(const struct column *c, int64_t nanos, char buf[NANOS_BUF]);
bool column_numeric(const struct column *c);
/* "/h" "/day" "": what an amount of that column is per. */
const char *column_per(const struct column *c);

/* ---- cli/out/color.c --------------------------------------------------------------------------- */

/* The colour that says how a row stands, or NULL: red where money is lost or something failed,
 * yellow for soon or old, green for free. */
const char *row_color(const struct table *t, size_t r);

/* ---- cli/out/totals.c -------------------------------------------------------------------------- */

#define MAX_TOTALS 8

struct total {
	char cur[8];
	int64_t *sums;
	bool *over; /* no sum: an amount is not known, or it does not fit */
};
/* Sums per currency; currencies are never added together. None for a single row. */
struct totals {
	struct total v[MAX_TOTALS];
	size_t n;
};
bool has_money(const struct table *t); /* a column of amounts, which totals are of */
void totals_of(const struct table *t, struct totals *out, struct arena *a);
/* What a line of totals says in a column. */
const char *total_text(
	const struct table *t, const struct total *sum, size_t c, char buf[NANOS_BUF]);
const char *row_currency(const struct table *t, size_t r); /* or NULL */
/* The currency of all amounts of the table; NULL: none or several. */
const char *table_currency(const struct table *t);

/* ---- cli/out/fit.c ----------------------------------------------------------------------------- */

/* Everything as text, laid out. */
struct layout {
	const struct table *t;
	const char **heads;
	const char **texts; /* n_rows x n_cols */
	size_t *widths;
	size_t *natural;   /* what texts would take */
	size_t head_lines; /* without the one of units */
	const char *units; /* the currency that a line of units is of; NULL: no such line */
	/* Of each row, to stand beside its amounts where there is no column for it; or NULL */
	const char **currencies;
	bool ascii;
};

/* Lay out `t` for the terminal: headings are broken first, then long texts cut, then columns left
 * out of `t` and its totals, those of higher numbers last. False: it does not fit in columns. */
bool fit_table(struct layout *l, struct table *t, struct totals *totals,
	const struct out_style *style, struct arena *a);
/* Line `line` of a heading; shorter ones stand at the bottom. */
const char *head_part(const struct layout *l, size_t c, size_t line, struct arena *a);
/* "HKD/h" below the name; "" for what is no amount. */
const char *head_unit(const struct layout *l, size_t c, struct arena *a);
/* What a line of totals has in a column. */
const char *total_field(
	const struct layout *l, const struct total *sum, size_t c, struct arena *a);
/* The text in the width of its column, at its side of it. */
void add_field(
	struct sbuf *b, const struct layout *l, size_t c, const char *text, bool last);

/* ---- cli/out/records.c ------------------------------------------------------------------------- */

/* Rows as blocks of "key: value" lines. */
void out_records(struct sbuf *b, const struct table *t, const struct totals *totals,
	const struct out_style *style);

/* ---- cli/out/table.c --------------------------------------------------------------------------- */

void out_table(struct sbuf *b, const struct table *t, const struct out_style *style);

#endif
