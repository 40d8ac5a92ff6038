/* Rollups of the bill that a connection creates for itself, if those of the file are from another
 * version or for another time zone: temporary tables of the same names, which the engine finds
 * first. */
#include "db/internal.h"

#include <stdlib.h>

struct own_rollups {
	db_fit_fn *fit;
	db_roll_up_fn *roll_up;
	void *ctx;
	bool asked; /* those of the file fit; if not, they are created now */
	bool read;  /* read by the statement that is being prepared */
	bool fresh; /* created in the current transaction */
	bool made;  /* exist */
	bool lost;  /* the engine rolled that back */
};

void db_ask_rollups(struct db *db, db_fit_fn *fit, db_roll_up_fn *roll_up, void *ctx)
{
	free(db->own_rollups);
	db->own_rollups = xcalloc(1, sizeof(*db->own_rollups));
	*db->own_rollups = (struct own_rollups){.fit = fit, .roll_up = roll_up, .ctx = ctx};
}

void db_own_rollups_read(struct db *db, const char *table)
{
	struct own_rollups *o = db->own_rollups;

	for (int i = 0; o && !o->asked && i < db_n_rollups; i++)
		o->read |= !sqlite3_stricmp(table, db_rollups[i]);
}

void db_own_rollups_begin(struct db *db)
{
	if (db->own_rollups)
		db->own_rollups->read = false;
}

static enum err_code own_rollups_make(struct db *db, struct own_rollups *o, struct err *e)
{
	o->fresh = !sqlite3_get_autocommit(db->sq);
	o->lost = o->roll_up(o->ctx, e) != E_OK;
	o->made = !o->lost;
	return o->lost ? e->code : E_OK;
}

/* The statement finds them: the engine prepares it again, because the temporary schema has
 * changed. */
enum err_code db_own_rollups_need(struct db *db, struct err *e)
{
	struct own_rollups *o = db->own_rollups;
	bool fits;

	if (o && o->lost)
		return err_set(
			e, E_DB, "database %s: the computed rollups were lost", db->path);
	if (!o || !o->read)
		return E_OK;
	o->read = false;
	if (o->fit(o->ctx, &fits, e))
		return e->code;
	o->asked = true;
	if (fits)
		return E_OK;
	return own_rollups_make(db, o, e);
}

void db_own_rollups_stay(struct db *db)
{
	if (db->own_rollups)
		db->own_rollups->fresh = false;
}

/* Otherwise the missing tables would not be noticed: the name then means the table in the file. */
void db_own_rollups_rolled_back(struct db *db)
{
	if (db->own_rollups && db->own_rollups->fresh)
		db->own_rollups->lost = true;
}

/* ---- other rollups in their place -------------------------------------------------------------- */

/* The engine drops no table while a statement reads: that of db_hold pauses, in a transaction, which reads the same. */
void db_drop_rollups(struct db *db)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;

	for (int i = 0; i < db_n_rollups; i++)
		sbuf_addf(&sql, "DROP TABLE IF EXISTS temp.%s;", db_rollups[i]);
	sqlite3_exec(db->sq, "SAVEPOINT drop_rollups", NULL, NULL, NULL);
	sqlite3_reset(db->held);
	sqlite3_exec(db->sq, sql.s, NULL, NULL, NULL);
	if (db->held)
		sqlite3_step(db->held);
	sqlite3_exec(db->sq, "RELEASE drop_rollups", NULL, NULL, NULL);
}

enum err_code db_own_rollups_hide(struct db *db, struct err *e)
{
	struct own_rollups *o = db->own_rollups;

	if (!o)
		return E_OK;
	o->read =
		!o->asked; /* statements that are prepared from now on are not seen to read them */
	if (db_own_rollups_need(db, e))
		return e->code;
	if (o->made)
		db_drop_rollups(db);
	return E_OK;
}

void db_own_rollups_show(struct db *db)
{
	struct err
		ignored; /* they are lost then, which is an error of the next statement */

	if (db->own_rollups && db->own_rollups->made)
		(void)!own_rollups_make(db, db->own_rollups, &ignored);
}
