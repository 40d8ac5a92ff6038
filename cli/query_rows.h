/* Rows that a command made itself, as SQL reads them. Private to cli/query*.c. */
#ifndef TPUCOST_CLI_QUERY_ROWS_H
#define TPUCOST_CLI_QUERY_ROWS_H

#include "base/sbuf.h"
#include "cli/out/out.h"

struct db_cursor;

/* A subquery of that name, with amounts in units as in any view, and QUERY_ROW_NUMBER; its rows are
 * bound when it runs. */
void query_add_rows(struct sbuf *sql, const struct view *v);
void query_bind_rows(struct db_cursor *cur, const struct doc_section *t);

#endif
