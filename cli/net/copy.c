/* The copy of the database in Cloud Storage: what a machine that takes over restores. */
#include "base/fs.h"
#include "base/str.h"
#include "cli/daemon/daemon.h"
#include "cli/net/leading.h"
#include "cli/session.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/enforce/generation.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_COPY (INT64_C(1) << 40) /* bytes */
#define MAX_KEPT 3                  /* former databases */

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

	copy_name(l->app, DB_RESTORING, c);
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

static enum err_code copy_open(
	struct leading *l, const char *path, struct db **copy, struct err *e)
{
	if (!db_open(path, DB_WRITE, l->app->clock, copy, e) && !db_check(*copy, e))
		return E_OK;
	db_close(*copy);
	*copy = NULL;
	return copy_refuse(l, path, e);
}

/* A name that no file has, as that of an earlier take-over may be the only one with a lost import; if all exist, that of the
 * oldest. */
static const char *copy_free_name(struct app *app)
{
	cleanup(free_ptr) char *real = fs_real(app->cfg->database);
	const char *name = arena_printf(&app->arena, "%s" DB_REPLACED, real),
		   *oldest = name;
	struct stat st, first = {0};

	for (int i = 2; !lstat(name, &st); i++) {
		if (i == 2 || st.st_mtim.tv_sec < first.st_mtim.tv_sec ||
			(st.st_mtim.tv_sec == first.st_mtim.tv_sec &&
				st.st_mtim.tv_nsec < first.st_mtim.tv_nsec)) {
			first = st;
			oldest = name;
		}
		if (i > MAX_KEPT)
			return oldest;
		name = arena_printf(&app->arena, "%s" DB_REPLACED ".%d", real, i);
	}
	return name;
}

/* Keeps the database as *kept, before `copy` replaces it. A take-over that was not completed has done that already. *lost: why
 * decisions of users may be missing afterwards; else NULL. *person: a person had restored it. */
static enum err_code copy_keep(struct app *app, struct db *copy, const char **kept,
	const char **lost, bool *person, struct err *e)
{
	struct db *former = NULL;
	const char *copied;
	int64_t known = 0;
	bool lacks = false;
	enum err_code rc;

	*lost = NULL;
	if (leader_former_of(app->db, &app->arena, kept, e) ||
		generation_copied(app->db, &app->arena, &copied, e))
		return e->code;
	*person = copied != NULL;
	if (!*kept) {
		*kept = copy_free_name(app);
		if (db_backup(app->db, *kept, true, e))
			return e->code;
	}
	rc = db_open(*kept, DB_READ, app->clock, &former, e);
	if (rc == E_NOTFOUND) {
		err_clear(e);
		*lost = arena_printf(
			&app->arena, "the former database, %s, is missing", *kept);
		return E_OK;
	}
	if (!rc)
		rc = leader_lacks(copy, former, &app->arena, &lacks, e);
	if (!rc)
		rc = leader_epoch_of(former, &app->arena, &known, e);
	db_close(former);
	if (!rc && copied)
		*lost = arena_printf(&app->arena,
			"the one that was restored here was replaced, because another "
			"machine acted since; it is %s",
			*kept);
	/* It was in use before there was a lease. */
	else if (!rc && !known && lacks)
		*lost = arena_printf(&app->arena,
			"decisions of users in the former database, %s, are missing here",
			*kept);
	return rc;
}

/* Says so of a restored database that stays. */
static enum err_code copy_say_stays(struct leading *l, struct err *e)
{
	const char *copied;

	if (generation_copied(l->app->db, &l->app->arena, &copied, e))
		return e->code;
	if (copied)
		say("tpucost: keeps this database: %s; to use that of %s, stop tpucost, "
		    "remove %s with its -wal and -shm, and start it",
			copied, l->app->cfg->backup.to, l->app->cfg->database);
	return E_OK;
}

/* `person`: the former database was one that a person restored. */
static void copy_say_restored(struct leading *l, const char *kept, bool person)
{
	const struct config *cfg = l->app->cfg;

	if (access(kept, F_OK)) {
		say("tpucost: restored the database from %s", cfg->backup.to);
		return;
	}
	say("tpucost: restored the database from %s; the former one is %s", cfg->backup.to,
		kept);
	if (person)
		say("tpucost: to use that one instead, stop tpucost on all machines, "
		    "remove "
		    "%s with its -wal and -shm, put %s in its place, delete "
		    "gs://%s/%s and start tpucost",
			cfg->database, kept, l->copy.bucket, l->copy.name);
}

/* With the copy `c`. */
static enum err_code copy_replace(struct leading *l, struct copy_file *c, bool *restored,
	const char **lost, struct err *e)
{
	struct app *app = l->app;
	struct db *copy = NULL;
	const char *kept = "";
	bool wanted = false, person = false, failed;

	if (copy_open(l, c->path, &copy, e))
		return e->code;
	failed = leader_wants_backup(app->db, copy, &app->arena, &wanted, e) ||
		(wanted &&
			(copy_keep(app, copy, &kept, lost, &person, e) ||
				leader_mark_backup(copy, kept, person, e)));
	db_close(copy);
	daemon_alive();
	if (failed)
		return err_wrap(e, "restore %s", app->cfg->backup.to);
	if (!wanted)
		return copy_say_stays(l, e);
	db_close(app->db);
	app->db = NULL;
	if (db_restore(app->cfg->database, c->path, e) || session_open_to_write(app, e))
		return e->code;
	copy_say_restored(l, kept, person);
	*restored = true;
	return E_OK;
}

enum err_code copy_restore(
	struct leading *l, bool *restored, const char **lost, struct err *e)
{
	cleanup(copy_done) struct copy_file c = {0};
	bool found = false;

	*restored = false;
	*lost = NULL;
	if (!l->copy.bucket)
		return E_OK;
	if (copy_download(l, &c, &found, e))
		return e->code;
	daemon_alive();
	return found ? copy_replace(l, &c, restored, lost, e) : E_OK;
}

enum err_code leading_set_meta(
	struct leading *l, const char *key, const char *value, struct err *e)
{
	struct q_meta_put_in put = {.key = key, .value = value};
	const char *was = "";

	if (db_meta(l->app->db, key, &l->app->arena, &was, e) || str_eq(was, value))
		return e->code;
	return q_meta_put(l->app->db, &put, e);
}

/* ---- upload ------------------------------------------------------------------------------------ */

#define COPY_ID "copy_id" /* key of meta: random, in the database and all its copies */
#define COPY_AT \
	"copy_at" /* object and generation that were last written, or found to be a copy */
#define COPY_FOREIGN \
	"copy_foreign"   /* the same of an object that is not one: it is downloaded once */
#define COPY_UNKNOWN "?" /* an earlier version wrote it */

/* A copy has it before it is sent: the reply to the upload may be lost. */
static enum err_code copy_identify(struct leading *l, struct err *e)
{
	struct q_meta_identify_in put = {.key = COPY_ID};
	const char *id = "", *shipped = "";

	if (db_meta(l->app->db, COPY_ID, &l->app->arena, &id, e) ||
		db_meta(l->app->db, DB_SHIPPED, &l->app->arena, &shipped, e) ||
		(!*id && *shipped && leading_set_meta(l, COPY_AT, COPY_UNKNOWN, e)))
		return e->code;
	return q_meta_identify(l->app->db, &put, e);
}

/* Compares the object with the database. */
static enum err_code copy_compare(struct leading *l, bool *own, struct err *e)
{
	cleanup(copy_done) struct copy_file c = {0};
	const char *ours = "", *theirs = "";
	struct db *copy = NULL;
	bool found;

	if (copy_download(l, &c, &found, e) || !found || copy_open(l, c.path, &copy, e))
		return e->code;
	daemon_alive();
	if (!db_meta(l->app->db, COPY_ID, &l->app->arena, &ours, e))
		(void)!db_meta(copy, COPY_ID, &l->app->arena, &theirs, e);
	db_close(copy);
	*own = *ours && str_eq(ours, theirs);
	return e->code;
}

static const char *copy_at(struct leading *l, int64_t generation)
{
	return arena_printf(&l->app->arena, "gs://%s/%s %" PRId64, l->copy.bucket,
		l->copy.name, generation);
}

/* An object that is not a copy of this database is the only copy of another one, such as that of a disk which was lost. */
static enum err_code copy_check_own(struct leading *l, int64_t generation, struct err *e)
{
	const char *at = "", *foreign = "", *is = copy_at(l, generation);
	bool own = false;

	if (!generation || db_meta(l->app->db, COPY_AT, &l->app->arena, &at, e) ||
		str_eq(at, is) || str_eq(at, COPY_UNKNOWN) ||
		db_meta(l->app->db, COPY_FOREIGN, &l->app->arena, &foreign, e))
		return e->code;
	if (!str_eq(foreign, is) &&
		(copy_compare(l, &own, e) ||
			leading_set_meta(l, own ? COPY_AT : COPY_FOREIGN, is, e)))
		return e->code;
	return own ? E_OK
		   : err_set_fix(e, E_CONFLICT,
			     "restore it, name another prefix in backup.to, or delete the "
			     "object",
			     "gs://%s/%s is not an earlier copy of this database, and was "
			     "not replaced",
			     l->copy.bucket, l->copy.name);
}

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
	if (copy_check_own(l, generation, e))
		return e->code;
	c->f = fopen(c->path, "re");
	if (!c->f || fstat(fileno(c->f), &st))
		return err_sys(e, E_IO, errno, "read %s", c->path);
	if (gcs_upload(l->net.gcp, &l->copy, c->f, (int64_t)st.st_size, generation,
		    &generation, e))
		return e->code;
	return leading_set_meta(l, COPY_AT, copy_at(l, generation), e);
}

enum err_code copy_ship(struct leading *l, struct err *e)
{
	cleanup(copy_done) struct copy_file c = {0};
	struct leader_facts facts;

	copy_name(l->app, DB_COPY, &c);
	if (leader_facts_of(
		    l->app->db, &l->app->cfg->settings, &l->app->arena, &facts, e) ||
		copy_identify(l, e) || db_backup(l->app->db, c.path, true, e) ||
		copy_upload(l, &c, e))
		return e->code;
	return l->object.bucket
		? leader_shipped(&l->leader, facts.newest, &l->app->arena, e)
		: E_OK;
}
