/* Generation note outside of the database: how far its record goes, and detection of a database
 * that did not act last. See rules/enforce/generation.h. */
#include "base/net/digest.h"
#include "base/fs.h"
#include "base/data/json.h"
#include "base/str.h"
#include "db/db.h"
#include "rules/act/audit.h"
#include "rules/enforce/internal.h"
#include "rules/enforce/generation.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MACHINE_ID "/etc/machine-id"
#define MACHINE_ID_DIGITS 32
#define MAX_MACHINE_ID 200

void enforce_host(const char *path, char out[DIGEST_HEX])
{
	cleanup(sbuf_done) struct sbuf id = SBUF_INIT, text = SBUF_INIT;

	*out = '\0';
	if (fs_read(path, MAX_MACHINE_ID, &id, NULL))
		return;
	if (strspn(id.s, "0123456789abcdef") != MACHINE_ID_DIGITS)
		return;
	/* machine-id(5): the id itself must not leave the machine. */
	sbuf_addf(&text, "tpucost.generation\n%.*s", MACHINE_ID_DIGITS, id.s);
	if (!digest_sha256(text.s, text.len, out))
		*out = '\0';
}

/* ---- file -------------------------------------------------------------------------------------- */

struct making {
	struct generation is;
	struct arena *a;
};

static enum err_code print_with_own_id(void *ctx, int fd, struct sbuf *out, struct err *e)
{
	struct making *m = ctx;

	if (generation_file_id(fd, NULL, m->a, &m->is.own, e))
		return e->code;
	generation_print(&m->is, out);
	return E_OK;
}

/* Every user that may read the database may read the file, and it has the owner of the database:
 * root may have recorded something in the database of a service. */
static enum err_code write_file(
	struct db *db, const struct generation_look *l, struct err *e)
{
	cleanup(arena_done) struct arena a = {0};
	struct making m = {.is = l->is, .a = &a};
	struct stat st;

	if (stat(db_file(db), &st))
		return err_sys(e, E_IO, errno, "check %s", db_file(db));
	if (fs_write_made(l->path, print_with_own_id, &m, st.st_mode & 0640, e))
		return e->code;
	if (st.st_uid != geteuid() && chown(l->path, st.st_uid, st.st_gid))
		return err_sys(e, E_IO, errno, "chown %s", l->path);
	return E_OK;
}

static enum err_code generation_note(
	struct db *db, const struct generation_look *l, struct err *e)
{
	struct q_meta_put_in marked = {.key = "generation", .value = "1"};
	struct q_meta_drop_in copied = {.key = DB_BACKUP_MARK};

	if (write_file(db, l, e)) {
		err_wrap(e, "generation: nothing is stopped or deleted");
		return err_fix(
			e, "make %s writable for the user that runs tpucost", l->path);
	}
	return q_meta_put(db, &marked, e) || q_meta_drop(db, &copied, e) ? e->code : E_OK;
}

/* Without another record, the hash of that entry was already compared. */
static bool is_noted(const struct generation_look *l)
{
	return l->found && l->marked && l->was.entry == l->is.entry &&
		str_eq(l->was.host, l->is.host) &&
		str_eq(l->was.database.born, l->is.database.born);
}

static enum err_code generation_look_here(struct db *db, const struct settings *s,
	struct arena *a, struct generation_look *out, struct err *e)
{
	char host[DIGEST_HEX];

	enforce_host(MACHINE_ID, host);
	return generation_look(db, s, arena_strdup(a, host), a, out, e);
}

/* Runs under the write lock, so that the later of two writers notes the later entry. A restored
 * database is noted too: its decisions must not be lost when the other one comes back. */
enum err_code enforce_note(struct db *db, const struct settings *s, struct arena *a,
	const char **why, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct err unwritten = {0};
	struct generation_look l;

	if (db_begin(db, &tx, e) || generation_look_here(db, s, a, &l, e))
		return e->code;
	*why = l.why;
	if (l.path && !l.other && !is_noted(&l) && generation_note(db, &l, e))
		return e->code;
	if (l.other && l.noted)
		(void)!generation_note(db, &l, &unwritten); /* it is not armed either way */
	return db_commit(&tx, e);
}

/* ---- restored ---------------------------------------------------------------------------------- */

/* Also in a dry run, so that a later `armed` finds it: the mark of a copy ends when the copy is used. */
static enum err_code generation_record(
	struct db *db, const struct generation_look *l, ts_t now, struct err *e)
{
	cleanup(sbuf_done) struct sbuf detail = SBUF_INIT;
	struct audit_entry entry = {.actor = "tpucost", .event = "restored"};
	struct q_meta_drop_in copied = {.key = DB_BACKUP_MARK};
	struct jw w = {.b = &detail};

	if (l->copied && q_meta_drop(db, &copied, e))
		return e->code;
	if (l->noted)
		return E_OK;
	jw_begin(&w, '{');
	jw_kstr(&w, "why", l->other);
	jw_end(&w, '}');
	entry.detail = detail.s;
	return audit_add(db, &entry, now, e);
}

enum err_code enforce_find_restored(struct db *db, const struct settings *s, ts_t now,
	struct arena *a, const char **news, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct generation_look l;

	*news = NULL;
	if (db_begin(db, &tx, e) || generation_look_here(db, s, a, &l, e))
		return e->code;
	if ((l.copied || (l.why && !l.noted)) && generation_record(db, &l, now, e))
		return e->code;
	if (db_commit(&tx, e))
		return e->code;
	if (!l.noted)
		*news = l.why;
	/* from now on the earlier database is the other one, as users are notified that everything
	 * is void */
	return *news ? enforce_note(db, s, a, &(const char *){NULL}, e) : E_OK;
}

enum err_code actions_start_over(struct db *db, const char *resource, const char *why,
	ts_t now, struct arena *a, struct err *e)
{
	struct actions open;

	if (actions_load(db, TS_NONE, a, &open, e))
		return e->code;
	for (size_t i = 0; i < open.n; i++) {
		struct action *x = &open.v[i];

		if (resource && strcmp(x->t.id, resource) != 0)
			continue;
		/* Actions that were in progress at the time of the copy have ended; this record
		 * does not contain their outcome. */
		if (action_in_flight(x->state))
			action_to(x, ACTION_FAILED,
				arena_printf(a,
					"%s while it was in progress: check its outcome",
					why),
				now);
		else
			action_to(x, ACTION_CLEARED,
				arena_printf(a, "%s: it starts over from its warning", why),
				now);
		if (action_store(db, x, action_state_name(x->state), now, e))
			return e->code;
	}
	return E_OK;
}

enum err_code enforce_start_over(struct db *db, const struct settings *s, ts_t now,
	struct arena *a, const char **why, struct err *e)
{
	struct generation_look l;

	*why = NULL;
	if (generation_look_here(db, s, a, &l, e))
		return e->code;
	*why = l.why;
	return l.why ? actions_start_over(db, NULL, "the database was restored", now, a, e)
		     : E_OK;
}

enum err_code enforce_accept(
	struct db *db, const struct settings *s, struct arena *a, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct generation_look l;

	if (db_begin(db, &tx, e) || generation_look_here(db, s, a, &l, e) ||
		(l.path && (!l.other || l.why) && generation_note(db, &l, e)))
		return e->code;
	return db_commit(&tx, e);
}
