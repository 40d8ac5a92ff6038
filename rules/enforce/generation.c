#include "rules/enforce/generation.h"

#include "base/time/civil.h"
#include "base/fs.h"
#include "base/libc.h"
#include "base/data/json.h"
#include "base/str.h"
#include "db/db.h"
#include "db_sql.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#define MAX_FILE 4096
#define FORMAT 1

/* ---- the file ---------------------------------------------------------------------------------- */

void generation_print(const struct generation *g, struct sbuf *out)
{
	struct jw w = {.b = out};

	jw_begin(&w, '{');
	jw_ki64(&w, "generation", FORMAT);
	jw_ki64(&w, "entry", g->entry);
	jw_kstr(&w, "hash", g->hash);
	jw_kstr(&w, "host", g->host);
	jw_kstr(&w, "inode", g->database.inode);
	jw_kstr(&w, "born", g->database.born);
	jw_kstr(&w, "own_inode", g->own.inode);
	jw_kstr(&w, "own_born", g->own.born);
	jw_kstr(&w, "about",
		"last known state of the database next to this file; do not copy, change "
		"or remove it, see docs/operate.md");
	jw_end(&w, '}');
	sbuf_addc(out, '\n');
}

static const char *generation_text_of(
	const struct cJSON *j, const char *key, struct arena *a)
{
	return arena_strdup(a, json_text(json_get(j, key), NULL));
}

enum err_code generation_parse(const char *text, size_t len, struct arena *a,
	struct generation *out, struct err *e)
{
	cleanup(json_free_ptr) struct cJSON *j = NULL;
	int64_t format;

	if (json_parse(text, len, &j, e) || json_get_i64(j, "generation", &format, e) ||
		json_get_i64(j, "entry", &out->entry, e))
		return e->code;
	if (format != FORMAT)
		return err_set(e, E_DATA, "another version of tpucost wrote it");
	out->hash = generation_text_of(j, "hash", a);
	out->host = generation_text_of(j, "host", a);
	out->database.inode = generation_text_of(j, "inode", a);
	out->database.born = generation_text_of(j, "born", a);
	out->own.inode = arena_strdup(a, json_text(json_get(j, "own_inode"), ""));
	out->own.born = arena_strdup(a, json_text(json_get(j, "own_born"), ""));
	if (out->entry < 0 || !out->hash || !out->host || !out->database.inode ||
		!out->database.born)
		return err_set(e, E_DATA, "a part of it is missing");
	return E_OK;
}

enum err_code generation_file_id(
	int fd, const char *path, struct arena *a, struct file_id *out, struct err *e)
{
	struct statx st;

	if (statx(path ? AT_FDCWD : fd, path ? path : "", path ? 0 : AT_EMPTY_PATH,
		    STATX_INO | STATX_BTIME, &st))
		return err_sys(e, errno == ENOENT ? E_NOTFOUND : E_IO, errno, "check %s",
			path ? path : "the new file");
	out->inode = arena_printf(a, "%" PRIu64, (uint64_t)st.stx_ino);
	out->born = st.stx_mask & STATX_BTIME
		? arena_printf(a, "%lld.%09u", (long long)st.stx_btime.tv_sec,
			  (unsigned)st.stx_btime.tv_nsec)
		: "";
	return E_OK;
}

/* A file system that reports birth times only since an upgrade has not created another file. */
static bool is_other_file(const struct file_id *was, const struct file_id *is)
{
	return !str_eq(was->inode, is->inode) ||
		(*was->born && *is->born && !str_eq(was->born, is->born));
}

static enum err_code generation_read_file(
	struct generation_look *l, struct arena *a, struct err *e)
{
	struct file_id before;

	/* Read again if it was replaced during the read. */
	for (int i = 0; i < 3; i++) {
		cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

		if (generation_file_id(-1, l->path, a, &before, e) ||
			fs_read(l->path, MAX_FILE, &b, e) ||
			generation_file_id(-1, l->path, a, &l->is.own, e) ||
			generation_parse(b.s, b.len, a, &l->was, e))
			return e->code;
		if (!is_other_file(&before, &l->is.own))
			break;
	}
	l->found = true;
	return E_OK;
}

/* ---- present state ----------------------------------------------------------------------------- */

static enum err_code generation_gather(struct db *db, struct generation_look *l,
	const char *host, struct arena *a, struct err *e)
{
	struct q_audit_get_in newest = {0};
	struct q_audit_get last;
	const char *marked, *copied;
	bool any;

	l->is = (struct generation){.hash = "", .host = host ? host : "", .own = {"", ""}};
	if (db_meta(db, "generation", a, &marked, e) ||
		db_meta(db, DB_BACKUP_MARK, a, &copied, e) ||
		q_audit_get_one(db, &newest, a, &last, &any, e) ||
		generation_file_id(-1, db_file(db), a, &l->is.database, e))
		return e->code;
	l->marked = *marked != '\0';
	l->copied = *copied != '\0';
	if (any) {
		l->is.entry = last.seq;
		l->is.hash = last.hash;
	}
	return E_OK;
}

/* ---- comparison -------------------------------------------------------------------------------- */

/* An earlier result is valid until a user has confirmed it. */
static enum err_code look_at_record(
	struct db *db, struct generation_look *l, struct arena *a, struct err *e)
{
	cleanup(json_free_ptr) struct cJSON *detail = NULL;
	struct q_audit_restored row;
	bool found;

	if (q_audit_restored_one(db, a, &row, &found, e))
		return e->code;
	l->noted = found && !strcmp(row.event, "restored");
	if (!l->noted)
		return E_OK;
	if (json_parse(row.detail, strlen(row.detail), &detail, e))
		return e->code;
	l->why = arena_strdup(a, json_text(json_get(detail, "why"), "it was restored"));
	return E_OK;
}

enum err_code generation_copied(
	struct db *db, struct arena *a, const char **why, struct err *e)
{
	char when[RFC3339_BUF];
	const char *at;
	int64_t t;

	*why = NULL;
	if (db_meta(db, DB_BACKUP_MARK, a, &at, e))
		return e->code;
	if (*at)
		*why = arena_printf(a, "it is a backup%s%s that was restored",
			str_to_i64(at, 0, INT64_MAX, &t) ? " of " : "",
			str_to_i64(at, 0, INT64_MAX, &t) ? rfc3339_format(t, when) : "");
	return E_OK;
}

static enum err_code look_for_entry(
	struct db *db, struct generation_look *l, struct arena *a, struct err *e)
{
	struct q_audit_get_in in = {.seq = SOME(l->was.entry)};
	struct q_audit_get row;
	bool found;

	if (!l->was.entry)
		return E_OK;
	if (q_audit_get_one(db, &in, a, &row, &found, e))
		return e->code;
	if (!found || !str_eq(row.hash, l->was.hash))
		l->why = arena_printf(a,
			"it is older than %s or a different database: it does not have "
			"entry %" PRId64 " of the audit log",
			l->path, l->was.entry);
	return E_OK;
}

static enum err_code generation_compare(struct db *db, const char *host,
	struct generation_look *l, struct arena *a, struct err *e)
{
	if (look_for_entry(db, l, a, e) || l->why)
		return e->code;
	if (is_other_file(&l->was.database, &l->is.database))
		l->why = arena_printf(
			a, "it is a copy: %s was written for another file", l->path);
	else if (is_other_file(&l->was.own, &l->is.own))
		l->why = arena_printf(a,
			"it may be older: %s was copied over the existing file", l->path);
	else if (host && *l->was.host && !str_eq(l->was.host, host))
		l->why = arena_printf(
			a, "it is a copy: %s was written on another machine", l->path);
	return E_OK;
}

static enum err_code generation_look_at_file(struct db *db, const char *host,
	struct generation_look *l, struct arena *a, struct err *e)
{
	struct err own = {0};

	if (!generation_read_file(l, a, &own))
		return generation_compare(db, host, l, a, e);
	if (own.code == E_DATA)
		l->why = arena_printf(a, "%s is damaged: %s", l->path, own.msg);
	else if (own.code != E_NOTFOUND)
		l->why = arena_printf(a, "its last action cannot be read: %s", own.msg);
	else if (l->marked)
		l->why = arena_printf(a, "%s is missing: it may be a copy", l->path);
	return E_OK;
}

enum err_code generation_look(struct db *db, const struct settings *s, const char *host,
	struct arena *a, struct generation_look *out, struct err *e)
{
	bool armed = s->enforcement && s->enforcement->mode == ENFORCE_ARMED;
	const char *file = db_file(db);

	*out = (struct generation_look){0};
	if (!*file)
		return E_OK;
	if (generation_gather(db, out, host, a, e))
		return err_wrap(e, "generation");
	if (!armed && !out->marked && !out->copied)
		return E_OK;
	out->path = arena_printf(a, "%s" GENERATION_SUFFIX, file);
	if (look_at_record(db, out, a, e) ||
		(!out->why && generation_copied(db, a, &out->why, e)) ||
		(!out->why && generation_look_at_file(db, host, out, a, e)))
		return err_wrap(e, "generation");
	out->other = out->why;
	if (!armed)
		out->why = NULL;
	return E_OK;
}
