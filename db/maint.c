/* Maintenance of a database: checks, safe copies, and removal of free pages. */
#include "db/internal.h"

#include "base/fs.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BACKUP_MARK \
	".tpucost-" /* between the name of a copy and six letters, until it is complete */
#define BACKUP_SUFFIX BACKUP_MARK "XXXXXX"
#define RESTORE_WAIT_MS 10000
#define LEFT_AFTER \
	3600 /* seconds without a write after which its process counts as killed */

static enum err_code check_connection(sqlite3 *sq, const char *path, struct err *e)
{
	sqlite3_stmt *st = NULL;
	enum err_code rc = E_OK;

	if (sqlite3_prepare_v2(sq, "PRAGMA integrity_check(1)", -1, &st, NULL) ||
		sqlite3_step(st) != SQLITE_ROW) {
		rc = err_set(e, E_DB, "database %s: %s", path, sqlite3_errmsg(sq));
	} else {
		const char *text = (const char *)sqlite3_column_text(st, 0), *line;

		/* The first line may only name the schema; messages are one line. */
		if (text && (line = strchr(text, '\n')) && line[1])
			text = line + 1;
		if (!text || strcmp(text, "ok") != 0)
			rc = err_set(e, E_DB, "database %s is damaged: %s", path,
				text ? text : "?");
	}
	sqlite3_finalize(st);
	return rc ? err_fix(e, DAMAGED_FIX) : E_OK;
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
		"if %s-wal was copied here or is from another database, move it away; "
		"otherwise restore a backup",
		db->path);
}

/* A copy usually fails because of the disk, or of a limit of the process: `sys`, the error of the system; 0: unknown.
 * E_DB: a file is damaged. */
static enum err_code copy_error(
	const char *path, int code, int sys, const char *why, struct err *e)
{
	if (sys && (code & 0xff) == SQLITE_IOERR && *err_sys_fix(sys))
		return err_sys(e, E_IO, sys, "backup to %s", path);
	err_set(e, (code & 0xff) == SQLITE_CORRUPT ? E_DB : E_IO, "backup to %s: %s", path,
		why);
	if ((code & 0xff) == SQLITE_FULL || (code & 0xff) == SQLITE_IOERR)
		err_fix(e, "free some space on that disk, or choose a file on another one");
	return e->code;
}

/* Lets a program that opens the copy in place of the original detect it. */
static int mark_copy(struct db *db, sqlite3 *to)
{
	char sql[256];

	snprintf(sql, sizeof(sql),
		"INSERT OR REPLACE INTO meta (key, value) VALUES ('" DB_BACKUP_MARK
		"', '%lld')",
		(long long)clock_now(db->clock));
	return sqlite3_exec(to, sql, NULL, NULL, NULL);
}

/* Writes to `tmp`, which becomes `path`. */
static enum err_code maint_copy(
	struct db *db, const char *tmp, const char *path, struct err *e)
{
	sqlite3 *to = NULL;
	sqlite3_backup *b;
	enum err_code rc = E_OK;
	int step;

	if (sqlite3_open_v2(tmp, &to, SQLITE_OPEN_READWRITE, NULL)) {
		rc = copy_error(path, sqlite3_errcode(to), sqlite3_system_errno(to),
			sqlite3_errmsg(to), e);
		sqlite3_close(to);
		return rc;
	}
	b = sqlite3_backup_init(to, "main", db->sq, "main");
	/* the error of a step is not the connection's error before the end */
	step = b ? sqlite3_backup_step(b, -1) : sqlite3_errcode(to);
	if (step != SQLITE_DONE)
		rc = copy_error(path, step, errno, sqlite3_errstr(step), e);
	if (sqlite3_backup_finish(b) && !rc)
		rc = copy_error(path, sqlite3_errcode(to), sqlite3_system_errno(to),
			sqlite3_errmsg(to), e);
	/* A single file, without files next to it. */
	if (!rc &&
		(sqlite3_exec(to, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL) ||
			mark_copy(db, to)))
		rc = copy_error(path, sqlite3_errcode(to), sqlite3_system_errno(to),
			sqlite3_errmsg(to), e);
	if (!rc)
		rc = check_connection(to, path, e);
	sqlite3_close(to);
	/* usually the original is damaged, too */
	if (rc == E_DB && !db_check(db, e))
		return err_set_fix(e, E_IO, "choose a file on another disk",
			"backup to %s: the copy is damaged", path);
	return rc;
}

/* The copy is private to the user, regardless of the umask, and does not replace an existing
 * name. */
static enum err_code make_private(char *tmp, const char *path, struct err *e)
{
	int fd = mkostemp(tmp, O_CLOEXEC);

	if (fd < 0) {
		err_sys(e, E_IO, errno, "backup to %s", path);
		return err_fix(
			e, "choose a name in an existing directory that you may write to");
	}
	close(fd);
	return E_OK;
}

/* NAME.tpucost-XXXXXX, or a file that SQLite puts next to it. */
static bool is_half_of(const char *file, const char *name)
{
	static const char *const ends[] = {"", "-journal", "-wal", "-shm"};
	const char *rest;

	if (!str_starts(file, name) || !str_starts(file + strlen(name), BACKUP_MARK))
		return false;
	rest = file + strlen(name) + strlen(BACKUP_MARK);
	if (strlen(rest) < 6)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (!strcmp(rest + 6, ends[i]))
			return true;
	return false;
}

/* Is it empty, or does it begin like a copy or a file that SQLite puts next to it? The first page of a copy is written last. */
static bool begins_as_half(int fd)
{
	static const char *const begins[] = {"SQLite format 3", "\0\0\0\0\0\0\0\0",
		"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", "\x37\x7f\x06\x82", "\x37\x7f\x06\x83",
		"\x18\xe2\x2d\0"};
	static const size_t lens[ARRAY_LEN(begins)] = {16, 8, 8, 4, 4, 4};
	char head[16];
	ssize_t n = read(fd, head, sizeof(head));

	for (size_t i = 0; i < ARRAY_LEN(begins); i++)
		if (n >= (ssize_t)lens[i] && !memcmp(head, begins[i], lens[i]))
			return true;
	return !n;
}

/* Is it a private file of which nothing was written for a time? */
static bool was_left(int dir, const char *file, ts_t now)
{
	cleanup(close_fd) int fd = openat(
		dir, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
		(st.st_mode & 07777) == 0600 && st.st_mtime < now - LEFT_AFTER &&
		begins_as_half(fd);
}

/* Deletes incomplete copies to this name whose processes were killed: they must not fill the
 * disk. */
static void remove_left(const struct db *db, const char *path)
{
	cleanup(free_ptr) char *dir = fs_dir(path);
	const char *name = str_after_last(path, '/');
	ts_t now = clock_now(db->clock);
	struct dirent *d;
	DIR *all = opendir(dir);

	while (all && (d = readdir(all)))
		if (is_half_of(d->d_name, name) && was_left(dirfd(all), d->d_name, now))
			unlinkat(dirfd(all), d->d_name, 0);
	if (all)
		closedir(all);
}

static enum err_code maint_sync(const char *path, struct err *e)
{
	return fs_sync(path, e) ? err_wrap(e, "backup") : E_OK;
}

/* Is `path` a file next to the database `real`, with one of these ends? */
static bool is_beside(const char *real, const char *path, const char *const *ends, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

		sbuf_addf(&b, "%s%s", real, ends[i]);
		if (fs_same(path, b.s))
			return true;
	}
	return false;
}

#define OWNED "belongs to the database"

/* Except for the copies of it, which db_backup() makes. */
static const char *owns_but_copies(const char *real, const char *path)
{
	/* its log, and the locks of writers */
	static const char *const ends[] = {
		"-wal", "-shm", "-journal", ".lock", ".daemon", ".enforce", ".generation"};

	if (fs_same(path, real))
		return "is the database itself";
	return is_beside(real, path, ends, ARRAY_LEN(ends)) ? OWNED : NULL;
}

const char *db_owns(const char *database, const char *path)
{
	cleanup(free_ptr) char *real = fs_real(database);
	const char *own = str_after_last(real, '/'), *end = str_after_last(path, '/');
	const char *ends[] = {DB_COPY, DB_RESTORING, DB_REPLACED, DB_REPLACED};

	/* .replaced.2 and so on */
	if (str_starts(end, own) && str_starts(end + strlen(own), DB_REPLACED "."))
		ends[3] = end + strlen(own);
	return is_beside(real, path, ends, ARRAY_LEN(ends)) ? OWNED
							    : owns_but_copies(real, path);
}

/* Neither the database itself nor a non-file is ever replaced. */
static enum err_code may_have_name(
	struct db *db, const char *path, bool overwrite, struct err *e)
{
	cleanup(free_ptr) char *real = fs_real(db->path);
	const char *own = owns_but_copies(real, path);
	struct stat st;

	if (own)
		return err_set_fix(
			e, E_CONFLICT, "choose another file", "backup: %s %s", path, own);
	if (lstat(path, &st))
		return E_OK;
	if (!overwrite) {
		err_set(e, E_CONFLICT, "backup: %s exists already", path);
		return err_fix(e, "choose another name, or use --overwrite");
	}
	if (!S_ISREG(st.st_mode))
		return err_set(e, E_CONFLICT, "backup: %s is not a regular file", path);
	return E_OK;
}

enum err_code db_backup(struct db *db, const char *path, bool overwrite, struct err *e)
{
	size_t size = strlen(path) + sizeof(BACKUP_SUFFIX);
	cleanup(free_ptr) char *tmp = xmalloc(size), *dir = fs_dir(path);
	enum err_code rc;

	if (may_have_name(db, path, overwrite, e))
		return e->code;
	remove_left(db, path);
	snprintf(tmp, size, "%s" BACKUP_SUFFIX, path);
	if (make_private(tmp, path, e))
		return e->code;
	rc = maint_copy(db, tmp, path, e);
	if (!rc)
		rc = maint_sync(tmp, e);
	/* link, not rename: a file that was created in between is not overwritten. */
	if (!rc && (overwrite ? rename(tmp, path) : link(tmp, path)))
		rc = err_sys(e, E_IO, errno, "backup: name %s", path);
	unlink(tmp);
	return rc ? rc : maint_sync(dir, e);
}

enum err_code db_restore(const char *path, const char *from, struct err *e)
{
	sqlite3 *to = NULL, *source = NULL;
	sqlite3_backup *b = NULL;
	int step = SQLITE_CANTOPEN;

	if (!sqlite3_open_v2(path, &to, SQLITE_OPEN_READWRITE, NULL) &&
		!sqlite3_open_v2(from, &source, SQLITE_OPEN_READONLY, NULL))
		b = sqlite3_backup_init(to, "main", source, "main");
	if (b) {
		sqlite3_busy_timeout(to, RESTORE_WAIT_MS);
		step = sqlite3_backup_step(b, -1);
	}
	sqlite3_backup_finish(b);
	sqlite3_close(source);
	sqlite3_close(to);
	if (step == SQLITE_DONE)
		return E_OK;
	return err_set(e, (step & 0xff) == SQLITE_BUSY ? E_BUSY : E_IO,
		"restore %s from %s: %s", path, from, sqlite3_errstr(step));
}

enum err_code db_check_references(struct db *db, struct err *e)
{
	sqlite3_stmt *st = NULL;
	enum err_code rc = E_OK;
	int step;

	if (sqlite3_prepare_v2(db->sq, "PRAGMA foreign_key_check", -1, &st, NULL))
		return db_error(db, e, "cannot check references");
	step = sqlite3_step(st);
	if (step == SQLITE_ROW)
		rc = err_set_fix(e, E_DB, DAMAGED_FIX,
			"database %s is damaged: a row of %s refers to a missing row of %s",
			db->path, (const char *)sqlite3_column_text(st, 0),
			(const char *)sqlite3_column_text(st, 2));
	else if (step != SQLITE_DONE)
		rc = db_error(db, e, "cannot check references");
	sqlite3_finalize(st);
	return rc;
}

/* "SELECT (SELECT COUNT(*) FROM a) + (SELECT COUNT(*) FROM b) + 0" */
static enum err_code count_sql(
	struct db *db, struct sbuf *sql, int64_t *tables, struct err *e)
{
	sqlite3_stmt *st = NULL;
	int step;

	*tables = 0;
	if (sqlite3_prepare_v2(db->sq,
		    "SELECT name FROM main.sqlite_schema WHERE type = 'table'", -1, &st,
		    NULL))
		return db_error(db, e, "count");
	sbuf_adds(sql, "SELECT ");
	while ((step = sqlite3_step(st)) == SQLITE_ROW) {
		sbuf_addf(sql, "(SELECT COUNT(*) FROM main.\"%s\") + ",
			(const char *)sqlite3_column_text(st, 0));
		*tables += 1;
	}
	sbuf_adds(sql, "0");
	sqlite3_finalize(st);
	return step == SQLITE_DONE ? E_OK : db_error(db, e, "count");
}

enum err_code db_count(struct db *db, int64_t *tables, int64_t *rows, struct err *e)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;

	return count_sql(db, &sql, tables, e) ? e->code : db_pragma(db, sql.s, rows, e);
}

enum err_code db_shrink(struct db *db, struct err *e)
{
	int64_t pages, unused;

	if (db_pragma(db, "PRAGMA page_count", &pages, e) ||
		db_pragma(db, "PRAGMA freelist_count", &unused, e))
		return e->code;
	return unused > SHRINK_PAGES && unused > pages / 8
		? db_exec(db, "PRAGMA incremental_vacuum(" STR(SHRINK_PAGES) ")", e)
		: E_OK;
}

enum err_code db_compact(struct db *db, struct err *e)
{
	enum err_code rc;

	/* VACUUM attaches the temporary file that it builds. */
	sqlite3_limit(db->sq, SQLITE_LIMIT_ATTACHED, 1);
	rc = db_exec(db, "PRAGMA auto_vacuum = INCREMENTAL; VACUUM", e);
	sqlite3_limit(db->sq, SQLITE_LIMIT_ATTACHED, 0);
	return rc ? rc : db_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", e);
}
