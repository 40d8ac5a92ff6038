/* A table in memory goes through the engine as one JSON text: conditions, order and limits mean in
 * it what they mean everywhere, and nothing is written anywhere. */
#include "cli/query_rows.h"

#include "base/data/json.h"
#include "base/str.h"
#include "base/time/civil.h"
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

/* Amounts are divided by the query. */
static void add_cell(struct sbuf *b, const struct doc_cell *c)
{
	char time[RFC3339_BUF];

	if (c->type == DOC_NONE)
		sbuf_adds(b, "null");
	else if (c->type == DOC_TEXT || c->type == DOC_CODE)
		sbuf_add_json(b, c->text);
	else if (c->type == DOC_MONEY || c->type == DOC_RATE)
		sbuf_addf(b, "%lld", (long long)c->v);
	else if (c->type == DOC_TIME)
		sbuf_add_json(b, rfc3339_format(c->v, time));
	else
		doc_cell_exact(c, b);
}

void query_bind_rows(struct db_cursor *cur, const struct doc_section *t)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_addc(&b, '[');
	for (size_t r = 0; r < t->n; r++) {
		sbuf_adds(&b, r ? ",[" : "[");
		for (int c = 0; c < t->n_columns; c++) {
			sbuf_adds(&b, c ? "," : "");
			add_cell(&b, &t->rows[r].cells[c]);
		}
		sbuf_addc(&b, ']');
	}
	sbuf_addc(&b, ']');
	db_cursor_bind(cur, PARAMETER, b.s);
}
