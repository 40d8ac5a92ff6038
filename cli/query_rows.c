/* A table in memory goes through the engine as one JSON text: conditions, order and limits mean in
 * it what they mean everywhere, and nothing is written anywhere. */
#include "cli/query_rows.h"

#include "base/data/json.h"
#include "base/str.h"
#include "cli/out/internal.h"
#include "cli/query.h"
#include "db/db.h"

#define PARAMETER ":rows"

void query_add_rows(struct sbuf *sql, const struct view *v)
{
	sbuf_adds(sql, "(SELECT key AS " QUERY_ROW_NUMBER);
	for (size_t i = 0; i < v->n; i++)
		sbuf_addf(sql, ", json_extract(value, '$[%zu]')%s AS \"%s\"", i,
			v->columns[i].type == COL_MONEY ? " / 1e9" : "",
			v->columns[i].name);
	sbuf_addf(sql, " FROM json_each(" PARAMETER ")) AS %s", v->name);
}

static void add_cell(struct sbuf *b, const struct cell *c)
{
	switch (c->kind) {
	case CELL_NULL:
		sbuf_adds(b, "null");
		break;
	case CELL_TEXT:
		sbuf_add_json(b, c->text);
		break;
	case CELL_NANOS:
		sbuf_addf(b, "%lld", (long long)c->i);
		break;
	case CELL_INT:
	case CELL_REAL:
		cell_exact(b, c);
		break;
	}
}

void query_bind_rows(struct db_cursor *cur, const struct table *t)
{
	struct sbuf b = SBUF_INIT;

	sbuf_addc(&b, '[');
	for (size_t r = 0; r < t->n_rows; r++) {
		sbuf_adds(&b, r ? ",[" : "[");
		for (size_t c = 0; c < t->n_cols; c++) {
			if (c)
				sbuf_addc(&b, ',');
			add_cell(&b, &t->cells[r * t->n_cols + c]);
		}
		sbuf_addc(&b, ']');
	}
	sbuf_addc(&b, ']');
	db_cursor_bind(cur, PARAMETER, b.s);
	sbuf_done(&b);
}
