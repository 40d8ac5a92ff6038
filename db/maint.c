#include "db/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum err_code check_connection(sqlite3 *sq, const char *path, struct err *e)
{
	sqlite3_stmt *st = NULL;
	enum err_code rc = E_OK;

	if (sqlite3_prepare_v2(sq, "PRAGMA integrity_check(1)", -1, &st, NULL) ||
		sqlite3_step(st) != SQLITE_ROW) {
		rc = err_set(e, E_DB, "database %s: %s", path, sqlite3_errmsg(sq));
	} else {
		const char *text = (const char *)sqlite3_column_text(st, 0);

		if (!text || strcmp(text, "ok") != 0)
			rc = err_set(e, E_DB, "database %s is damaged: %s", path,
				text ? text : "?");
	}
	sqlite3_finalize(st);
	return rc;
}

enum err_code db_check(struct db *db, struct err *e)
{
	return check_connection(db->sq, db->path, e);
}

enum err_code db_check_wal(struct db *db, struct err *e)
{
	if (!db_check(db, e))
		return E_OK;
	db_keep_wal(db);
	return err_fix(e,
		"if %s-wal was copied here or left by another database, move it away; "
		"else restore a backup",
		db->path);
}

static enum err_code copy(struct db *db, const char *path, struct err *e)
{
	sqlite3 *to = NULL;
	sqlite3_backup *b;
	enum err_code rc = E_OK;

	if (sqlite3_open_v2(path, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL)) {
		rc = err_set(e, E_IO, "backup to %s: %s", path, sqlite3_errmsg(to));
		sqlite3_close(to);
		return rc;
	}
	b = sqlite3_backup_init(to, "main", db->sq, "main");
	if (!b || sqlite3_backup_step(b, -1) != SQLITE_DONE)
		rc = err_set(e, E_IO, "backup to %s: %s", path, sqlite3_errmsg(to));
	if (sqlite3_backup_finish(b) && !rc)
		rc = err_set(e, E_IO, "backup to %s: %s", path, sqlite3_errmsg(to));
	if (!rc)
		rc = check_connection(to, path, e);
	sqlite3_close(to);
	return rc;
}

enum err_code db_backup(struct db *db, const char *path, struct err *e)
{
	cleanup(free_ptr) char *tmp = xmalloc(strlen(path) + 16);
	enum err_code rc;

	if (!access(path, F_OK)) {
		err_set(e, E_CONFLICT, "backup: %s exists already", path);
		return err_fix(e, "choose another name");
	}
	snprintf(tmp, strlen(path) + 16, "%s.tmp", path);
	unlink(tmp);
	rc = copy(db, tmp, e);
	/* link, not rename: a file that appeared meanwhile is not overwritten. */
	if (!rc && link(tmp, path))
		rc = err_sys(e, E_IO, errno, "backup: name %s", path);
	unlink(tmp);
	return rc;
}
