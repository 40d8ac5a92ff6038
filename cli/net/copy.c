/* The copy of the database in Cloud Storage: what a machine that takes over restores. */
#include "base/fs.h"
#include "cli/daemon/daemon.h"
#include "cli/net/leading.h"
#include "cli/session.h"
#include "db/db.h"
#include "db_sql.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_COPY (INT64_C(1) << 40) /* bytes */

/* A file next to the database that is removed at the end. */
struct copy_file {
	char *path;
	FILE *f;
};

/* With what SQLite puts next to it. */
static void copy_remove(const char *path)
{
	static const char *const ends[] = {"", "-journal", "-wal", "-shm"};

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

		sbuf_addf(&b, "%s%s", path, ends[i]);
		unlink(b.s);
	}
}

static void copy_done(struct copy_file *c)
{
	if (c->f)
		fclose(c->f);
	if (c->path)
		copy_remove(c->path);
	free(c->path);
}

static void copy_name(struct app *app, const char *suffix, struct copy_file *c)
{
	cleanup(free_ptr) char *real = fs_real(app->cfg->database);

	c->path = xstrdup(arena_printf(&app->arena, "%s%s", real, suffix));
}

/* The file is removed, so its errors name the object. One of a later version of tpucost, or without room on this
 * machine, is not damaged: it must not be deleted. */
static enum err_code copy_refuse(struct leading *l, const char *path, struct err *e)
{
	static const char *const damage[] = {"it is empty", "not a tpucost database",
		"malformed", "not a database", "is damaged"};
	bool damaged = false;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	const char *at = strstr(e->msg, path);

	for (size_t i = 0; i < ARRAY_LEN(damage); i++)
		damaged = damaged || strstr(e->msg, damage[i]);
	if (!damaged)
		return err_wrap(e, "restore gs://%s/%s", l->copy.bucket, l->copy.name);
	sbuf_adds(&b, at ? at + strlen(path) : e->msg);
	err_set(e, E_DATA, "restore gs://%s/%s: the object is not a backup of tpucost%s%s",
		l->copy.bucket, l->copy.name, *b.s == ':' ? "" : ": ", b.s);
	return err_fix(e, "restore an earlier version of the object, or delete it");
}

static enum err_code copy_download(
	struct leading *l, struct copy_file *c, bool *found, struct err *e)
{
	int64_t generation;

	copy_name(l->app, ".restoring", c);
	copy_remove(c->path);
	c->f = fopen(c->path, "w+e");
	if (!c->f)
		return err_sys(e, E_IO, errno, "create %s", c->path);
	*found = false;
	switch (gcs_download(l->net.gcp, &l->copy, c->f, MAX_COPY, &generation, e)) {
	case E_OK:
		*found = true;
		if (fflush(c->f))
			return err_sys(e, E_IO, errno, "write %s", c->path);
		if (ftell(c->f) > 0)
			return E_OK;
		err_set(e, E_DATA, "it is empty");
		return copy_refuse(l, c->path, e);
	case E_NOTFOUND:
		err_clear(e);
		return E_OK;
	default:
		return e->code;
	}
}

static enum err_code copy_is_wanted(
	struct leading *l, const char *path, bool *wanted, struct err *e)
{
	struct app *app = l->app;
	struct db *copy = NULL;
	enum err_code rc;

	if (db_open(path, DB_WRITE, app->clock, &copy, e) || db_check(copy, e)) {
		db_close(copy);
		return copy_refuse(l, path, e);
	}
	rc = leader_wants_backup(app->db, copy, &app->arena, wanted, e);
	db_close(copy);
	return rc ? err_wrap(e, "restore %s", app->cfg->backup.to) : E_OK;
}

/* Keeps the database as `kept`, before it is replaced. If it is a backup itself, a take-over was not completed, and `kept` is
 * there already. *lost: why decisions of users may be missing afterwards; else NULL. */
static enum err_code copy_keep(
	struct app *app, const char *kept, const char **lost, struct err *e)
{
	struct leader_facts facts = {0};
	struct db *former = NULL;
	const char *mark;
	int64_t known = 0;
	enum err_code rc;

	*lost = NULL;
	if (db_meta(app->db, DB_BACKUP_MARK, &app->arena, &mark, e) ||
		(!*mark && db_backup(app->db, kept, true, e)))
		return e->code;
	rc = db_open(kept, DB_READ, app->clock, &former, e);
	if (rc == E_NOTFOUND) {
		err_clear(e);
		return E_OK;
	}
	if (!rc)
		rc = leader_facts_of(former, &app->cfg->settings, &app->arena, &facts, e);
	if (!rc)
		rc = leader_epoch_of(former, &app->arena, &known, e);
	db_close(former);
	/* It was in use before there was a lease. */
	if (!rc && !known && facts.decided)
		*lost = arena_printf(&app->arena,
			"decisions of users in the former database, %s, are missing here",
			kept);
	return rc;
}

enum err_code copy_restore(
	struct leading *l, bool *restored, const char **lost, struct err *e)
{
	cleanup(copy_done) struct copy_file c = {0};
	cleanup(free_ptr) char *real = fs_real(l->app->cfg->database);
	struct app *app = l->app;
	const char *kept = arena_printf(&app->arena, "%s.replaced", real);
	bool found = false, wanted = false;

	*restored = false;
	*lost = NULL;
	if (!l->copy.bucket)
		return E_OK;
	if (copy_download(l, &c, &found, e) ||
		(found && copy_is_wanted(l, c.path, &wanted, e)))
		return e->code;
	daemon_alive();
	if (!wanted)
		return E_OK;
	if (copy_keep(app, kept, lost, e))
		return e->code;
	daemon_alive();
	db_close(app->db);
	app->db = NULL;
	if (db_restore(app->cfg->database, c.path, e) || session_open_to_write(app, e))
		return e->code;
	say("tpucost: restored the database from %s; the former one is %s",
		app->cfg->backup.to, kept);
	*restored = true;
	return E_OK;
}

/* ---- upload ------------------------------------------------------------------------------------ */

/* The generation is read before the lease is confirmed: a machine that was suspended in between does not replace the copy
 * of the one that took over. */
static enum err_code copy_upload(struct leading *l, struct copy_file *c, struct err *e)
{
	bool leads = l->object.bucket != NULL;
	int64_t generation = 0;
	struct stat st;

	if (gcs_stat(l->net.gcp, &l->copy, &generation, e)) {
		if (e->code != E_NOTFOUND)
			return e->code;
		err_clear(e);
		generation = 0;
	}
	if (leads && leader_confirm(&l->leader, &l->app->arena, e))
		return e->code;
	c->f = fopen(c->path, "re");
	if (!c->f || fstat(fileno(c->f), &st))
		return err_sys(e, E_IO, errno, "read %s", c->path);
	return gcs_upload(
		l->net.gcp, &l->copy, c->f, (int64_t)st.st_size, generation, NULL, e);
}

enum err_code copy_ship(struct leading *l, struct err *e)
{
	cleanup(copy_done) struct copy_file c = {0};
	struct leader_facts facts;

	copy_name(l->app, ".copy", &c);
	if (leader_facts_of(
		    l->app->db, &l->app->cfg->settings, &l->app->arena, &facts, e) ||
		db_backup(l->app->db, c.path, true, e) || copy_upload(l, &c, e))
		return e->code;
	return l->object.bucket
		? leader_shipped(&l->leader, facts.newest, &l->app->arena, e)
		: E_OK;
}
