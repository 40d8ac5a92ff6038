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
	o->fresh = !sqlite3_get_autocommit(db->sq);
	if (!o->roll_up(o->ctx, e))
		return E_OK;
	o->lost = true;
	return e->code;
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
