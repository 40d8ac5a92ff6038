/* Transactions. */
#include "db/internal.h"

enum err_code db_begin_at(
	struct db *db, struct db_tx *tx, const char *file, int line, struct err *e)
{
	if (!db->depth) {
		if (db_exec(db, db->readonly ? "BEGIN" : "BEGIN IMMEDIATE", e))
			return e ? e->code : E_DB;
		db->doomed = false;
		db->tx_file = file;
		db->tx_line = line;
	}
	db->depth++;
	*tx = (struct db_tx){.db = db, .file = file, .line = line};
	return E_OK;
}

static void temporary_stays(struct db *db)
{
	db_own_rollups_stay(db);
	db_views_stay(db);
}

/* After some errors the engine has rolled back by itself. A reader has changed only temporary
 * tables, which are kept. */
static void roll_back(struct db *db)
{
	bool keep = db->readonly && db->own_rollups;

	if (!sqlite3_get_autocommit(db->sq))
		sqlite3_exec(db->sq, keep ? "COMMIT" : "ROLLBACK", NULL, NULL, NULL);
	if (!sqlite3_get_autocommit(db->sq))
		sqlite3_exec(db->sq, "ROLLBACK", NULL, NULL, NULL);
	temporary_stays(db);
}

enum err_code db_commit(struct db_tx *tx, struct err *e)
{
	struct db *db = tx->db;

	tx->db = NULL;
	if (--db->depth)
		return E_OK;
	if (db->doomed || sqlite3_get_autocommit(db->sq)) {
		roll_back(db);
		return err_set(e, E_DB,
			"database %s: the transaction of %s:%d was rolled back", db->path,
			db->tx_file, db->tx_line);
	}
	if (!sqlite3_exec(db->sq, "COMMIT", NULL, NULL, NULL)) {
		temporary_stays(db);
		return E_OK;
	}
	db_error(db, e, "commit");
	roll_back(db);
	if (e && e->code != E_BUSY)
		e->code = E_UNCERTAIN;
	return e ? e->code : E_UNCERTAIN;
}

void db_tx_end(struct db_tx *tx)
{
	struct db *db = tx->db;

	if (!db)
		return;
	tx->db = NULL;
	db->doomed = true;
	if (!--db->depth)
		roll_back(db);
}
