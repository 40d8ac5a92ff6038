/* Opening and closing of a connection, which sets up everything that works on it. */
#include "db/db.h"

#include "base/fs.h"
#include "db/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUSY_MS 10000

/* Checks that the file is a tpucost database of a supported version. */
static enum err_code check_identity(struct db *db, struct err *e)
{
	int64_t id, version, tables = 0;

	if (db_pragma(db, "PRAGMA application_id", &id, e) ||
		db_pragma(db, "PRAGMA user_version", &version, e))
		return e ? e->code : E_DB;
	/* this makes the engine read the whole schema, which is most of the time to open */
	if (!id && !version &&
		db_pragma(db, "SELECT count(*) FROM sqlite_schema", &tables, e))
		return e ? e->code : E_DB;
	if (!id && !version && !tables && !db->readonly)
		return E_OK; /* new */
	if (!id && !version && !tables) {
		err_set(e, E_DB, "database %s: not a tpucost database: it is empty",
			db->path);
		return err_fix(e,
			"nothing has been collected yet; run: tpucost collect, or tpucost "
			"import");
	}
	if (id != DB_APPLICATION_ID) {
		err_set(e, E_DB, "database %s: not a tpucost database", db->path);
		return err_fix(e, "set another file as database: in the configuration");
	}
	if (version > db_n_migrations) {
		err_set(e, E_DB,
			"database %s: created by a newer tpucost (schema %lld, this "
			"version supports %d)",
			db->path, (long long)version, db_n_migrations);
		return err_fix(e, "upgrade tpucost");
	}
	if (db->readonly && version < db_n_migrations) {
		err_set(e, E_DB,
			"database %s: created by an older tpucost (schema %lld of %d)",
			db->path, (long long)version, db_n_migrations);
		return err_fix(e, "run: tpucost collect, or tpucost import");
	}
	return E_OK;
}

/* The set-group-id bit of a directory means that its group shares its files: the group may read the
 * database too. */
static void let_group_read(struct db *db)
{
	cleanup(free_ptr) char *dir = fs_dir(db->path);
	struct stat st;

	if (!stat(dir, &st) && (st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) &&
		!stat(db->path, &st) && !(st.st_mode & S_IRGRP) && st.st_uid == geteuid())
		db->shared = !chmod(db->path, (st.st_mode & 0777) | S_IRGRP);
	else
		db->shared = !stat(db->path, &st) && (st.st_mode & S_IRGRP);
}

/* Read-only users cannot create the files of WAL mode: the files are kept, empty, so that readers
 * do not block others and still have a consistent snapshot. */
static enum err_code keep_files(struct db *db, struct err *e)
{
	int on = 1;

	if (!db->shared)
		return E_OK;
	sqlite3_file_control(db->sq, "main", SQLITE_FCNTL_PERSIST_WAL, &on);
	return db_exec(db, "PRAGMA journal_size_limit = 0", e);
}

static void on_rollback(void *ctx)
{
	struct db *db = ctx;

	db_own_rollups_rolled_back(db);
	db_views_rolled_back(db);
}

static enum err_code set_up(struct db *db, struct err *e)
{
	struct stat st;

	db_views_begin(db);
	sqlite3_rollback_hook(db->sq, on_rollback, db);
	sqlite3_busy_timeout(db->sq, BUSY_MS);
	sqlite3_extended_result_codes(db->sq, 1);
	sqlite3_db_config(db->sq, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db->sq, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_limit(db->sq, SQLITE_LIMIT_ATTACHED, 0);
	db_guard_install(db);
	db_sum_install(db);
	if (db_exec(db,
		    "PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON;"
		    "PRAGMA cell_size_check = ON",
		    e) ||
		check_identity(db, e))
		return e ? e->code : E_DB;
	if (db->readonly || db->only_views)
		return db_derived_make(db, e);
	/* Free pages can be returned only by a file that is so from its beginning, see db_shrink(). */
	if (!stat(db->path, &st) && !st.st_size &&
		db_exec(db, "PRAGMA auto_vacuum = INCREMENTAL", e))
		return e ? e->code : E_DB;
	/* Staged rows may exceed the memory. */
	if (db_exec(db,
		    "PRAGMA journal_mode = WAL; PRAGMA "
		    "synchronous = FULL;"
		    "PRAGMA temp_store = FILE; PRAGMA cache_size = -8192",
		    e) ||
		keep_files(db, e) || db_migrate(db, e) || db_derived_make(db, e))
		return e ? e->code : E_DB;
	return db_make_stage(db, e);
}

/* The files of WAL mode cannot be created in a read-only directory or on a full disk. Without a
 * -wal file, or with an empty one, the database file is complete and can be read directly. */
static bool open_immutable(struct db *db)
{
	cleanup(sbuf_done) struct sbuf uri = SBUF_INIT;
	struct stat st;
	bool ok;

	sbuf_addf(&uri, "%s-wal", db->path);
	ok = stat(uri.s, &st) != 0 || !st.st_size;
	sbuf_reset(&uri);
	sbuf_adds(&uri, "file:");
	for (const char *p = db->path; *p; p++)
		sbuf_addf(&uri, strchr("?#%", *p) ? "%%%02X" : "%c", *p);
	sbuf_adds(&uri, "?immutable=1");
	if (ok) {
		sqlite3_close(db->sq);
		ok = !sqlite3_open_v2(uri.s, &db->sq,
			SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
	}
	return ok;
}

/* A locked file is being written, and other failures may be damage: neither may be read
 * directly. */
static bool no_room(int rc)
{
	return (rc & 0xff) == SQLITE_CANTOPEN || (rc & 0xff) == SQLITE_READONLY ||
		rc == SQLITE_IOERR_SHMSIZE;
}

/* The engine would wait for the other end of a FIFO. Its log and the locks of writers belong to a name, so of a file with two,
 * one name does not have what was written through the other. */
static enum err_code conn_check_file(const char *path, const struct stat *st, struct err *e)
{
	if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode))
		return err_set_fix(e, E_DB, "set `database:` to a file",
			"database %s: it is not a regular file", path);
	if (!S_ISREG(st->st_mode) || st->st_nlink < 2)
		return E_OK;
	err_set(e, E_DB, "database %s: the file has %llu names (hard links)", path,
		(unsigned long long)st->st_nlink);
	return err_fix(e,
		"stop all writers and delete the other names; to list them: find / -xdev "
		"-samefile %s",
		path);
}

static enum err_code conn_open_file(struct db *db, struct err *e)
{
	int flags = SQLITE_OPEN_NOMUTEX |
		(db->readonly ? SQLITE_OPEN_READONLY
			      : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
	struct stat st;
	int rc;

	if (!stat(db->path, &st) && conn_check_file(db->path, &st, e))
		return e->code;
	if (db->readonly && access(db->path, F_OK) && errno == ENOENT) {
		err_sys(e, E_NOTFOUND, errno, "database %s", db->path);
		return err_fix(e,
			"nothing has been collected yet; run: tpucost collect, or tpucost "
			"import");
	}
	if (sqlite3_open_v2(db->path, &db->sq, flags, NULL))
		return db_error(db, e, "open");
	if (!db->readonly) {
		/* creates the file */
		if (sqlite3_exec(db->sq, "PRAGMA schema_version", NULL, NULL, NULL) ==
			SQLITE_OK)
			let_group_read(db);
		return E_OK;
	}
	sqlite3_busy_timeout(db->sq, BUSY_MS);
	sqlite3_extended_result_codes(db->sq, 1);
	rc = sqlite3_exec(db->sq, "PRAGMA user_version", NULL, NULL, NULL);
	if (rc && (!no_room(rc) || !open_immutable(db)))
		return db_error(db, e, "open");
	return E_OK;
}

void db_one_thread(void)
{
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
}

enum err_code db_open(const char *path, enum db_mode mode, struct clock *clock,
	struct db **out, struct err *e)
{
	struct db *db = xcalloc(1, sizeof(*db));
	struct err own = {0};
	enum err_code rc;

	e = e ? e : &own;
	/* the engine puts its files next to the target of a link, and so does tpucost */
	db->path = fs_real(path);
	db->clock = clock;
	db->readonly = mode == DB_READ;
	rc = conn_open_file(db, e);
	if (!rc)
		rc = set_up(db, e);
	if (rc) {
		db_keep_wal(db); /* a refused file is not changed */
		db_close(db);
		return rc;
	}
	*out = db;
	return E_OK;
}

enum err_code db_open_empty(struct clock *clock, struct db **out, struct err *e)
{
	struct db *db = xcalloc(1, sizeof(*db));
	bool rebuilt;

	db->path = xstrdup(":memory:");
	db->clock = clock;
	if (conn_open_file(db, e) || set_up(db, e) || db_keep_rollups(db, &rebuilt, e)) {
		db_close(db);
		return e ? e->code : E_DB;
	}
	db_derived_empty(db);
	*out = db;
	return E_OK;
}

enum err_code db_open_views(struct clock *clock, struct db **out, struct err *e)
{
	struct db *db = xcalloc(1, sizeof(*db));

	db->path = xstrdup(":memory:");
	db->clock = clock;
	db->only_views = true;
	if (conn_open_file(db, e) || set_up(db, e)) {
		db_close(db);
		return e ? e->code : E_DB;
	}
	*out = db;
	return E_OK;
}

void db_keep_wal(struct db *db)
{
	if (db->sq)
		sqlite3_db_config(db->sq, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
}

void db_mind_references(struct db *db, bool on)
{
	sqlite3_db_config(db->sq, SQLITE_DBCONFIG_ENABLE_FKEY, (int)on, NULL);
}

enum err_code db_wait_for_disk(struct db *db, bool each, struct err *e)
{
	enum err_code rc = db_exec(
		db, each ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL", e);

	/* It syncs the log first. Other failures leave the log unchanged: the next transaction
	 * syncs all of it. */
	if (!rc && each &&
		sqlite3_exec(db->sq, "PRAGMA wal_checkpoint(PASSIVE)", NULL, NULL, NULL) &&
		sqlite3_extended_errcode(db->sq) == SQLITE_IOERR_FSYNC)
		rc = db_error(db, e, "cannot sync to disk");
	return rc;
}

void db_close(struct db *db)
{
	if (!db)
		return;
	for (size_t i = 0; i < DB_SLOTS; i++)
		sqlite3_finalize(db->slots[i].stmt);
	sqlite3_finalize(db->held);
	db_forget_kept(db);
	sqlite3_close_v2(db->sq);
	sqlite3_close(db->stubs);
	sqlite3_close(db->empty);
	free(db->stubbed);
	db_derived_free(db);
	free(db->own_rollups);
	db_views_end(db);
	free(db->path);
	free(db);
}

const char *db_file(const struct db *db)
{
	const char *path = sqlite3_db_filename(db->sq, "main");

	return path ? path : "";
}

/* A statement that is not read to its end keeps the snapshot. In a transaction instead, a condition
 * that runs out of memory would drop the temporary tables with it. */
enum err_code db_hold(struct db *db, struct err *e)
{
	if (db->held)
		return E_OK;
	if (sqlite3_prepare_v2(db->sq, "PRAGMA main.user_version", -1, &db->held, NULL) ||
		sqlite3_step(db->held) != SQLITE_ROW)
		return db_error(db, e, "cannot begin to read");
	return E_OK;
}
