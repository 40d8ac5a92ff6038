/* One cell: as it is, and as people read it. */
#include "cli/out/internal.h"

#include "base/str.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Up to here a double holds nine digits after the point. */
#define NINE_DIGITS 4000000.0

/* A double to nine digits after the point, as far as it has them: a sum of decimals does not
 * show the noise of binary fractions. Larger ones as the shortest text that reads back. */
static void add_real(struct sbuf *b, double v)
{
	char text[NANOS_BUF];

	if (fabs(v) < NINE_DIGITS) {
		sbuf_adds(b, nanos_format(llroundl((long double)v * 1e9L), text));
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) >= v && strtod(text, NULL) <= v)
			break;
	}
	sbuf_adds(b, text);
}

void cell_exact(struct sbuf *b, const struct cell *c)
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

bool column_numeric(const struct column *c)
{
	return c->type == COL_INT || c->type == COL_MONEY || c->type == COL_DECIMAL;
}

const char *column_per(const struct column *c)
{
	return str_ends(c->name, "per_hour")   ? "/h"
		: str_ends(c->name, "per_day") ? "/day"
					       : "";
}

/* Hourly prices of small things need more digits than a sum does. */
const char *money_human(const struct column *c, int64_t nanos, char buf[NANOS_BUF])
{
	return nanos_format_fixed(nanos, str_ends(c->name, "_per_hour") ? 4 : 2, buf);
}

void cell_human(struct sbuf *b, const struct column *col, const struct cell *c)
{
	char buf[NANOS_BUF];

	if (c->kind == CELL_NULL)
		sbuf_addc(b, '-');
	else if (col->type == COL_FLAG && c->kind == CELL_INT)
		sbuf_adds(b, c->i ? "yes" : "no");
	else if (col->type == COL_MONEY && c->kind == CELL_NANOS)
		sbuf_adds(b, money_human(col, c->i, buf));
	else if (c->kind == CELL_REAL && col->type == COL_DECIMAL)
		sbuf_addf(b, "%.1f", c->real);
	else if (col->type == COL_TIME && c->kind == CELL_TEXT && strlen(c->text) == 20)
		sbuf_addf(b, "%.10s %.5sZ", c->text, c->text + 11);
	else if (c->kind == CELL_TEXT)
		sbuf_add_term(b, c->text);
	else
		cell_exact(b, c);
}
