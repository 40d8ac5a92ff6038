/* An array of lines is a table of SQL, stage_line: to bind each line to a statement of its own takes
 * longer than to store it. */
#include "db/stage.h"

#include "base/mem.h"
#include "db/internal.h"
#include "db_sql.h"

#include <stdlib.h>
#include <string.h>

/* What the table stands for at the moment. */
struct stage_lines {
	const struct stage_line *v;
	size_t n;
};

struct table {
	sqlite3_vtab base;
	const struct stage_lines *lines;
};

struct cursor {
	sqlite3_vtab_cursor base;
	size_t at;
};

#define COLUMNS                                                                   \
	"unit, hour, sku_ref, project_ref, place_ref, resource_ref, charge_ref, " \
	"credit_ref, "                                                            \
	"usage, cost, credits, row_count"
enum { COLUMN_USAGE = 8 };

static int connect(sqlite3 *sq, void *lines, int argc, const char *const *argv,
	sqlite3_vtab **out, char **why)
{
	struct table *t;
	int rc = sqlite3_declare_vtab(sq, "CREATE TABLE x (" COLUMNS ")");

	(void)argc, (void)argv, (void)why;
	if (rc)
		return rc;
	t = xcalloc(1, sizeof(*t));
	t->lines = lines;
	*out = &t->base;
	return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *t)
{
	free(t);
	return SQLITE_OK;
}

/* There is one way to read it: from the first line to the last. */
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
	return ((struct cursor *)c)->at >= ((const struct table *)c->pVtab)->lines->n;
}

static int column(sqlite3_vtab_cursor *c, sqlite3_context *out, int i)
{
	const struct stage_line *l =
		&((const struct table *)c->pVtab)->lines->v[((struct cursor *)c)->at];
	const int64_t values[] = {l->unit, l->hour, l->sku, l->project, l->place,
		l->resource, l->charge, l->credit, l->usage.v, l->cost, l->credits,
		l->rows};

	if (i == COLUMN_USAGE && !l->usage.set)
		sqlite3_result_null(out);
	else
		sqlite3_result_int64(out, values[i]);
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

enum err_code db_make_stage_line(struct db *db, struct err *e)
{
	db->staging = xcalloc(1, sizeof(*db->staging));
	/* The engine frees it, also when it refuses. */
	return sqlite3_create_module_v2(db->sq, "stage_line", &module, db->staging, free)
		? db_error(db, e, "prepare to stage")
		: E_OK;
}

enum err_code stage_put(
	struct db *db, const struct stage_line *lines, size_t n, struct err *e)
{
	enum err_code rc;

	*db->staging = (struct stage_lines){lines, n};
	rc = q_stage_put(db, e);
	*db->staging = (struct stage_lines){0};
	return rc;
}
