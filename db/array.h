/* An array in memory is a table of SQL: to put each of its rows into a table takes longer than to read
 * them all. Private to db/. */
#ifndef TPUCOST_DB_ARRAY_H
#define TPUCOST_DB_ARRAY_H

#include "db/internal.h"

struct db_array {
	const struct sql_field *fields; /* its columns, all of them numbers */
	int n_fields;
	size_t row_size;
	const void *rows; /* what the table stands for at the moment */
	size_t n;
};

/* An empty table of that name on this connection, whose end is that of *out, too. */
enum err_code db_make_array(struct db *db, const char *name, const struct sql_field *fields,
	int n_fields, size_t row_size, struct db_array **out, struct err *e) must_check;

#endif
