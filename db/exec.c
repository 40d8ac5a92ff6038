/* Fixed SQL of tpucost, and the errors of the engine. */
#include "base/fs.h"
#include "db/internal.h"

#include <errno.h>
#include <unistd.h>

int db_unwritable(const char *path)
{
	cleanup(free_ptr) char *real = fs_real(path), *dir = fs_dir(real);

	if (!access(dir, W_OK | X_OK) && (!access(real, W_OK) || errno == ENOENT))
		return 0;
	return errno;
}

/* Error of the system, if the engine reports only a refusal; 0: none. */
static int system_errno(struct db *db, int rc)
{
	bool asked = (rc & 0xff) == SQLITE_IOERR || (rc & 0xff) == SQLITE_CANTOPEN;

	return asked ? sqlite3_system_errno(db->sq) : 0;
}

/* The engine tries a file that it may not write to in other ways, and reports how the last one failed. */
static int denied_errno(struct db *db, int rc)
{
	bool refused = (rc & 0xff) == SQLITE_CANTOPEN || (rc & 0xff) == SQLITE_READONLY;

	return refused && !db->readonly ? db_unwritable(db->path) : 0;
}

const char *db_sys_fix(int errnum, bool writes)
{
	switch (errnum) {
	case EROFS:
		return "mount the file system writable, or set `database:` to a file on "
		       "another one";
	case EACCES:
	case EPERM:
		return writes ? "the file and its directory must be writable for this "
				"user"
			      : "this user needs permission to read the file, and to "
				"enter its directory: see ls -l";
	case ENOENT:
		return writes ? "the directory of the database must exist" : "";
	}
	return err_sys_fix(errnum);
}

/* Fix of the error; NULL: unknown. */
static const char *fix_of(int rc, int sys, bool reads)
{
	const char *fix = db_sys_fix(sys, !reads);

	if (*fix)
		return fix;
	switch (rc & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
	case SQLITE_PROTOCOL:
		return "another tpucost is writing; try again";
	case SQLITE_CANTOPEN:
	case SQLITE_READONLY:
		return "the file and its directory must be writable for this user";
	case SQLITE_FULL:
		return "free some space on the disk, or on that of temporary files "
		       "(TMPDIR)";
	case SQLITE_IOERR:
		return "the disk fails or has a limit: see df, ulimit -f and the log of "
		       "the system";
	case SQLITE_CORRUPT:
		return "the file is damaged: " DAMAGED_FIX;
	case SQLITE_NOTADB:
		return "the file is damaged, or `database:` names another "
		       "file: " DAMAGED_FIX;
	}
	return NULL;
}

enum err_code db_error(struct db *db, struct err *e, const char *what)
{
	int rc = sqlite3_extended_errcode(db->sq), denied = denied_errno(db, rc);
	int sys = denied ? denied : system_errno(db, rc);
	/* SQLITE_PROTOCOL: another process did not finish opening the database for ten seconds. */
	bool busy = (rc & 0xff) == SQLITE_BUSY || (rc & 0xff) == SQLITE_LOCKED ||
		(rc & 0xff) == SQLITE_PROTOCOL;
	const char *fix = fix_of(rc, sys, db->readonly), *why = sqlite3_errmsg(db->sq);
	enum err_code code = busy ? E_BUSY : E_DB;

	/* The engine calls it an error of the disk, or a file that cannot be opened. */
	if (sys == EISDIR)
		return err_set_fix(e, code, "set `database:` to a file",
			"database %s: it is a directory", db->path);
	if (denied)
		err_sys(e, code, denied, "database %s: cannot be written", db->path);
	else if (sys)
		err_sys(e, code, sys, "database %s: %s: %s", db->path, what, why);
	else
		err_set(e, code, "database %s: %s: %s", db->path, what, why);
	return fix ? err_fix(e, "%s", fix) : code;
}

enum err_code db_exec(struct db *db, const char *sql, struct err *e)
{
	return sqlite3_exec(db->sq, sql, NULL, NULL, NULL) ? db_error(db, e, "execute")
							   : E_OK;
}

enum err_code db_pragma(struct db *db, const char *sql, int64_t *out, struct err *e)
{
	sqlite3_stmt *st = NULL;
	enum err_code rc = E_OK;

	if (sqlite3_prepare_v2(db->sq, sql, -1, &st, NULL))
		return db_error(db, e, "open");
	if (sqlite3_step(st) == SQLITE_ROW)
		*out = sqlite3_column_int64(st, 0);
	else
		rc = db_error(db, e, "open");
	sqlite3_finalize(st);
	return rc;
}
