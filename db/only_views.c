/* Checks that SQL of a user reads only views.
 *
 * The engine's authorizer, which is called while a statement is prepared, cannot decide that. It
 * names the reader of a table, but a WITH may have the name of a view:
 * 	SELECT * FROM (WITH resources AS (SELECT * FROM notification) SELECT body FROM resources) It
 * names no reader if no column is read, as in EXISTS (SELECT 1 FROM notification), and it does not
 * report columns by which a NATURAL JOIN or USING joins.
 *
 * Therefore the statement is prepared a second time, in an empty database with views of the same
 * names and columns, and no tables behind them. Both times the engine resolves each name of the
 * statement in the same way: to a WITH of its own, or a view. Any other name is that of a table,
 * which does not exist there. Table-valued functions except two cannot be created, because that is
 * more than reading. The schema, which every database has, is left: a statement with one of its
 * names, quoted or not, is refused. */
#include "db/internal.h"
#include "base/str.h"
#include "db/names.h"
#include "db/vocab.h"

#include <string.h>

void db_limit(sqlite3 *sq, bool on)
{
	static const struct {
		int id, tight, normal;
	} limits[] = {
		{SQLITE_LIMIT_SQL_LENGTH, QUERY_LENGTH, ANY_TEXT},
		{SQLITE_LIMIT_EXPR_DEPTH, 200, 1000},
		{SQLITE_LIMIT_COMPOUND_SELECT, 50, 500},
		{SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000, 50000},
		{SQLITE_LIMIT_LENGTH, QUERY_TEXT, ANY_TEXT},
		{SQLITE_LIMIT_FUNCTION_ARG, 32, 127},
	};

	for (size_t i = 0; i < ARRAY_LEN(limits); i++)
		sqlite3_limit(sq, limits[i].id, on ? limits[i].tight : limits[i].normal);
}

/* sqlite_master, sqlite_schema, sqlite_temp_master, sqlite_temp_schema: quoting does not change
 * their letters. */
static bool names_schema(const char *sql)
{
	return !sqlite3_strlike("%sqlite\\_master%", sql, '\\') ||
		!sqlite3_strlike("%sqlite\\_schema%", sql, '\\') ||
		!sqlite3_strlike("%sqlite\\_temp\\_master%", sql, '\\') ||
		!sqlite3_strlike("%sqlite\\_temp\\_schema%", sql, '\\');
}

static int only_reading(
	void *ctx, int action, const char *a, const char *b, const char *c, const char *d)
{
	const struct db *db = ctx;

	(void)a, (void)c, (void)d;
	/* Each runs for seconds over a width of 900,000,000, even if no text may be as long, and the
	 * engine cannot interrupt it. */
	if (action == SQLITE_FUNCTION && db->distrust)
		return sqlite3_stricmp(b, "printf") && sqlite3_stricmp(b, "format")
			? SQLITE_OK
			: SQLITE_DENY;
	return action == SQLITE_READ || action == SQLITE_SELECT ||
			action == SQLITE_FUNCTION || action == SQLITE_RECURSIVE
		? SQLITE_OK
		: SQLITE_DENY;
}

static enum err_code open_stubs(struct db *db, struct err *e)
{
	if (db->stubs)
		return E_OK;
	db->stubbed = xcalloc((size_t)db_n_views, 1);
	/* the first use registers the two functions */
	if (sqlite3_open_v2(":memory:", &db->stubs,
		    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) ||
		sqlite3_exec(db->stubs, "SELECT 1 FROM json_each('[]'), json_tree('[]')",
			NULL, NULL, NULL))
		return err_set(e, E_DB, "SQL: %s", sqlite3_errmsg(db->stubs));
	sqlite3_set_authorizer(db->stubs, only_reading, db);
	return E_OK;
}

static enum err_code stub_run(struct db *db, const char *sql, struct err *e)
{
	int rc;

	sqlite3_set_authorizer(db->stubs, NULL, NULL);
	rc = sqlite3_exec(db->stubs, sql, NULL, NULL, NULL);
	sqlite3_set_authorizer(db->stubs, only_reading, db);
	return rc ? err_set(e, E_DB, "SQL: %s", sqlite3_errmsg(db->stubs)) : E_OK;
}

static enum err_code make_stub(struct db *db, int i, struct err *e)
{
	cleanup(sbuf_done) struct sbuf ask = SBUF_INIT, room = SBUF_INIT, sql = SBUF_INIT;
	const char *text;
	sqlite3_stmt *st;
	int n;

	sbuf_addf(&ask, "SELECT * FROM %s", db_views[i].name);
	text = ask.s;
	if (db_need_in_front(db, &text, &room, e))
		return e->code;
	/* It also registers the derived tables behind the view, which the guard would refuse. */
	if (sqlite3_prepare_v2(db->sq, text, -1, &st, NULL))
		return db_error(db, e, db_views[i].name);
	n = sqlite3_column_count(st);
	sbuf_addf(&sql, "CREATE TEMP VIEW %s(", db_views[i].name);
	for (int k = 0; k < n; k++)
		sbuf_addf(&sql, "%s\"%s\"", k ? "," : "", sqlite3_column_name(st, k));
	sbuf_adds(&sql, ") AS SELECT NULL");
	for (int k = 1; k < n; k++)
		sbuf_adds(&sql, ",NULL");
	sqlite3_finalize(st);
	db->stubbed[i] = true;
	return stub_run(db, sql.s, e);
}

enum err_code db_reads_views(struct db *db, const char *sql, bool *only, struct err *e)
{
	sqlite3_stmt *st = NULL;
	struct names it;
	const char *word;
	int rc = SQLITE_OK;
	size_t n;

	if (open_stubs(db, e))
		return e->code;
	names_begin(&it, sql);
	while (names_next(&it, &word, &n)) {
		int i = db_view_named(word, n);

		if (i >= 0 && !db->stubbed[i] && make_stub(db, i, e))
			return e->code;
	}
	db_limit(db->stubs, true);
	*only = !names_schema(sql) &&
		!(rc = sqlite3_prepare_v2(db->stubs, sql, -1, &st, NULL));
	db_limit(db->stubs, false);
	sqlite3_finalize(st);
	if (rc && strstr(sqlite3_errmsg(db->stubs), "to use function"))
		return err_set_fix(e, E_USAGE, "use a condition without printf and format",
			"SQL: %s", sqlite3_errmsg(db->stubs));
	return rc == SQLITE_NOMEM ? err_set(e, E_DB, "SQL: out of memory") : E_OK;
}

/* ---- conditions ------------------------------------------------------------------------------ */

static void add_row(
	struct sbuf *b, const struct view *v, const char *const *without, size_t n)
{
	const char *sep = "SELECT ";

	for (size_t i = 0; i < v->n; i++) {
		if (str_in(v->columns[i].name, without, n))
			continue;
		sbuf_addf(b, "%sNULL AS \"%s\"", sep, v->columns[i].name);
		sep = ", ";
	}
}

/* In an empty database with the row, without the columns, every other name is unknown. */
bool db_condition_reads(struct db *db, const struct view *v, const char *where,
	const char *const *columns, size_t n)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
	sqlite3_stmt *st = NULL;
	int rc;

	if (!db->empty) {
		if (sqlite3_open_v2(":memory:", &db->empty,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL))
			return true;
		sqlite3_db_config(db->empty, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	}
	sbuf_adds(&sql, "WITH present AS (");
	add_row(&sql, view_find("present"), NULL, 0); /* the time is not data of a source */
	sbuf_adds(&sql, ") SELECT 1 FROM (");
	add_row(&sql, v, columns, n);
	sbuf_addf(&sql, ") AS %s WHERE (%s)", v->name, where);
	rc = sqlite3_prepare_v2(db->empty, sql.s, -1, &st, NULL);
	sqlite3_finalize(st);
	return rc != SQLITE_OK;
}

/* ---- sums of amounts --------------------------------------------------------------------------- */

/* A statement as the engine resolves it. */
struct resolved {
	bool adds;                             /* it calls a function that adds */
	const struct view *amounts, *currency; /* last views of which it reads one */
};

static int note_resolved(
	void *ctx, int action, const char *a, const char *b, const char *c, const char *d)
{
	struct resolved *r = ctx;
	const struct view *v;
	const struct column *column;

	(void)c, (void)d;
	if (action == SQLITE_FUNCTION)
		r->adds = r->adds || !sqlite3_stricmp(b, "sum") ||
			!sqlite3_stricmp(b, "total") || !sqlite3_stricmp(b, "avg");
	v = action == SQLITE_READ && a ? view_find(a) : NULL;
	column = v && b ? view_column(v, b) : NULL;
	if (column && column->type == COL_MONEY && view_column(v, "currency"))
		r->amounts = v;
	if (column && !strcmp(column->name, "currency"))
		r->currency = v;
	return SQLITE_OK;
}

const char *db_adds_amounts(struct db *db, const char *sql)
{
	struct resolved r = {.adds = false};
	sqlite3_stmt *st = NULL;

	sqlite3_set_authorizer(db->stubs, note_resolved, &r);
	sqlite3_prepare_v2(db->stubs, sql, -1, &st, NULL);
	sqlite3_set_authorizer(db->stubs, only_reading, db);
	sqlite3_finalize(st);
	return r.adds && r.amounts && !r.currency ? r.amounts->name : NULL;
}
