#include "db/array.h"

#include "base/mem.h"
#include "base/sbuf.h"

#include <stdlib.h>

struct table {
	sqlite3_vtab base;
	const struct db_array *array;
};

struct cursor {
	sqlite3_vtab_cursor base;
	size_t at;
};

static int connect(sqlite3 *sq, void *array, int argc, const char *const *argv,
	sqlite3_vtab **out, char **why)
{
	const struct db_array *a = array;
	struct sbuf sql = SBUF_INIT;
	struct table *t;
	int rc;

	(void)argc, (void)argv, (void)why;
	for (int i = 0; i < a->n_fields; i++)
		sbuf_addf(&sql, "%s%s", i ? ", " : "CREATE TABLE x (", a->fields[i].name);
	sbuf_addc(&sql, ')');
	rc = sqlite3_declare_vtab(sq, sql.s);
	sbuf_done(&sql);
	if (rc)
		return rc;
	t = xcalloc(1, sizeof(*t));
	t->array = a;
	*out = &t->base;
	return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *t)
{
	free(t);
	return SQLITE_OK;
}

/* There is one way to read it: from the first row to the last. */
static int plan(sqlite3_vtab *t, sqlite3_index_info *info)
{
	(void)t;
	info->estimatedCost = 1000;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
	struct cursor *c = xcalloc(1, sizeof(*c));

	(void)t;
	*out = &c->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *c)
{
	free(c);
	return SQLITE_OK;
}

static int rewind_cursor(
	sqlite3_vtab_cursor *c, int plan, const char *name, int argc, sqlite3_value **argv)
{
	(void)plan, (void)name, (void)argc, (void)argv;
	((struct cursor *)c)->at = 0;
	return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *c)
{
	((struct cursor *)c)->at++;
	return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *c)
{
	return ((struct cursor *)c)->at >= ((const struct table *)c->pVtab)->array->n;
}

static int column(sqlite3_vtab_cursor *c, sqlite3_context *out, int i)
{
	const struct db_array *a = ((const struct table *)c->pVtab)->array;
	const struct sql_field *f = &a->fields[i];
	const char *at = (const char *)a->rows + ((struct cursor *)c)->at * a->row_size +
		f->offset;

	if (!f->nullable)
		sqlite3_result_int64(out, *(const int64_t *)at);
	else if (((const struct opt_i64 *)at)->set)
		sqlite3_result_int64(out, ((const struct opt_i64 *)at)->v);
	else
		sqlite3_result_null(out);
	return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *c, sqlite3_int64 *out)
{
	*out = (sqlite3_int64)((struct cursor *)c)->at;
	return SQLITE_OK;
}

static const sqlite3_module module = {.xConnect = connect,
	.xBestIndex = plan,
	.xDisconnect = disconnect,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = rewind_cursor,
	.xNext = next,
	.xEof = at_end,
	.xColumn = column,
	.xRowid = row_id};

enum err_code db_make_array(struct db *db, const char *name, const struct sql_field *fields,
	int n_fields, size_t row_size, struct db_array **out, struct err *e)
{
	struct db_array *a = xcalloc(1, sizeof(*a));

	*a = (struct db_array){
		.fields = fields, .n_fields = n_fields, .row_size = row_size};
	*out = a;
	/* The engine frees it, also when it refuses. */
	return sqlite3_create_module_v2(db->sq, name, &module, a, free)
		? db_error(db, e, name)
		: E_OK;
}
