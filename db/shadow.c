/* Temporary tables that replace those of the file. SQLite resolves a name among the temporary
 * tables first, for queries and temporary views alike. */
#include "db/internal.h"
#include "db_sql.h"

#include <string.h>

static enum err_code own_text(
	struct db *db, const char *table, struct sbuf *out, struct err *e)
{
	static const char head[] = "CREATE TABLE ";
	sqlite3_stmt *stmt = NULL;
	const char *text;
	enum err_code rc = E_OK;

	if (sqlite3_prepare_v2(db->sq,
		    "SELECT sql FROM main.sqlite_master WHERE type = 'table' AND name = ?1",
		    -1, &stmt, NULL))
		return db_error(db, e, "shadow");
	sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC);
	text = sqlite3_step(stmt) == SQLITE_ROW ? (const char *)sqlite3_column_text(stmt, 0)
						: NULL;
	if (!text || strncmp(text, head, strlen(head)) != 0)
		rc = err_set(e, E_BUG, "shadow: no table %s", table);
	else
		sbuf_addf(out, "CREATE TEMP TABLE %s", text + strlen(head));
	sqlite3_finalize(stmt);
	return rc;
}

static enum err_code shadow_one(struct db *db, const char *table, bool bare, struct err *e)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
	enum err_code rc = E_OK;

	if (bare)
		sbuf_addf(&sql, "CREATE TEMP TABLE %s AS SELECT * FROM main.%s LIMIT 0",
			table, table);
	else
		rc = own_text(db, table, &sql, e);
	return rc ? rc : db_exec(db, sql.s, e);
}

enum err_code db_shadow(
	struct db *db, const char *const *tables, size_t n, bool bare, struct err *e)
{
	for (size_t i = 0; i < n; i++)
		if (shadow_one(db, tables[i], bare, e))
			return e->code;
	return E_OK;
}

enum err_code db_shadow_copy(struct db *db, const char *table, const char *column,
	int64_t from, int64_t until, struct err *e)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;

	sbuf_addf(&sql, "INSERT INTO temp.%s SELECT * FROM main.%s", table, table);
	if (column)
		sbuf_addf(&sql, " WHERE %s >= %lld AND %s < %lld", column, (long long)from,
			column, (long long)until);
	return db_exec(db, sql.s, e);
}
