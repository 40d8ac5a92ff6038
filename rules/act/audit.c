#include "rules/act/audit.h"

#include "base/net/digest.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "db/db.h"
#include "db_sql.h"

#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NO_PREV "0000000000000000000000000000000000000000000000000000000000000000"

static bool audit_one_line(const char *s)
{
	return !s || !strchr(s, '\n');
}

/* A line end in a field would make it possible to move text to the next field unnoticed. */
static const char *audit_unfit(const struct q_audit_walk *r)
{
	if (!audit_one_line(r->actor) || !audit_one_line(r->event) ||
		!audit_one_line(r->resource) || !audit_one_line(r->detail) ||
		!audit_one_line(r->prev))
		return "it contains a line end";
	return r->resource && !*r->resource ? "its resource is empty instead of NULL"
					    : NULL;
}

static enum err_code hash_of(
	const struct q_audit_walk *r, int64_t seq, char out[AUDIT_HASH_BUF], struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_addf(&b, "%" PRId64 "\n%" PRId64 "\n%s\n%s\n", seq, r->at, r->actor, r->event);
	if (r->action.set)
		sbuf_addf(&b, "%" PRId64, r->action.v);
	sbuf_addf(&b, "\n%s\n%s\n%s", r->resource ? r->resource : "", r->detail, r->prev);
	return digest_sha256(b.s, b.len, out)
		? E_OK
		: err_set(e, E_BUG, "audit: libcrypto could not hash an entry");
}

static enum err_code audit_put(struct db *db, const struct q_audit_walk *r, struct err *e)
{
	struct q_audit_put_in in = {.seq = r->seq,
		.at = r->at,
		.actor = r->actor,
		.event = r->event,
		.action = r->action,
		.resource = r->resource,
		.detail = r->detail,
		.prev = r->prev,
		.hash = r->hash};

	return q_audit_put(db, &in, e);
}

static enum err_code add_behind(struct db *db, const struct q_audit_get *last,
	struct q_audit_walk *r, struct err *e)
{
	char hash[AUDIT_HASH_BUF];

	if (__builtin_add_overflow(last->seq, 1, &r->seq))
		return err_set(e, E_OVERFLOW, "audit: no number is left for another entry");
	r->prev = last->hash;
	if (audit_unfit(r))
		return err_set(
			e, E_BUG, "audit: entry '%.60s': %s", r->event, audit_unfit(r));
	if (hash_of(r, r->seq, hash, e))
		return e->code;
	r->hash = hash;
	return audit_put(db, r, e);
}

enum err_code audit_add(
	struct db *db, const struct audit_entry *entry, ts_t now, struct err *e)
{
	struct q_audit_walk r = {.at = now,
		.actor = entry->actor,
		.event = entry->event,
		.action = entry->action ? SOME(entry->action) : NONE,
		.resource = entry->resource && *entry->resource ? entry->resource : NULL,
		.detail = entry->detail ? entry->detail : "{}"};
	struct q_audit_get_in newest = {0};
	struct q_audit_get last;
	cleanup(db_tx_end) struct db_tx tx = {0};
	cleanup(arena_done) struct arena a = {0};
	bool found;

	if (db_begin(db, &tx, e) || q_audit_get_one(db, &newest, &a, &last, &found, e))
		return e->code;
	if (!found)
		last = (struct q_audit_get){.seq = 0, .hash = NO_PREV};
	return add_behind(db, &last, &r, e) ? e->code : db_commit(&tx, e);
}

/* ---- verification ------------------------------------------------------------------------------ */

#define MOVED_FURTHER 1000 /* largest number of removed entries before one that was moved */

struct walk {
	struct arena *a;
	struct audit_verdict v;
	const char *anchor;
	bool anchored;
	int64_t total;
	struct sbuf last; /* hash of the previous entry */
};

static void walk_done(struct walk *w)
{
	sbuf_done(&w->last);
}

static void audit_wrong(struct walk *w, int64_t seq, const char *why)
{
	w->v.ok = false;
	w->v.bad = seq;
	w->v.why = why;
}

/* Numbers begin at 1 and increase by one. */
static bool check_number(struct walk *w, int64_t seq)
{
	int64_t want = w->v.head_seq + 1;

	if (seq == want)
		return true;
	if (seq < want)
		audit_wrong(w, 1, "an entry was inserted before it");
	else if (seq == want + 1)
		audit_wrong(w, want, "it was removed");
	else
		audit_wrong(w, want,
			arena_printf(w->a,
				"it was removed, with all entries up to %" PRId64,
				seq - 1));
	return false;
}

/* Number with which the hash matches; 0: none. */
static int64_t find_number(const struct walk *w, const struct q_audit_walk *r)
{
	char hash[AUDIT_HASH_BUF] = "";

	for (int64_t k = 1; k <= w->total + MOVED_FURTHER; k++) {
		(void)!hash_of(r, k, hash, NULL); /* it succeeded just now */
		if (!strcmp(hash, r->hash))
			return k;
	}
	return 0;
}

static enum err_code check_hash(struct walk *w, const struct q_audit_walk *r, struct err *e)
{
	char hash[AUDIT_HASH_BUF];
	int64_t was;

	if (hash_of(r, r->seq, hash, e))
		return e->code;
	if (!strcmp(hash, r->hash))
		return E_OK;
	was = find_number(w, r);
	audit_wrong(w, r->seq,
		was ? arena_printf(w->a, "it is out of order: it was entry %" PRId64, was)
		    : "it was edited: its hash does not match");
	return E_OK;
}

static void check_prev(struct walk *w, const struct q_audit_walk *r)
{
	if (!strcmp(r->prev, w->last.s))
		return;
	if (r->seq == 1)
		audit_wrong(w, 1,
			"it was edited: the first entry must not have a previous hash");
	else
		audit_wrong(w, r->seq - 1,
			arena_printf(w->a,
				"it was edited and hashed again, or entry %" PRId64
				" was: their hashes do not match",
				r->seq));
}

static enum err_code check_entry(
	struct walk *w, const struct q_audit_walk *r, struct err *e)
{
	if (!check_number(w, r->seq))
		return E_OK;
	if (audit_unfit(r)) {
		audit_wrong(
			w, r->seq, arena_printf(w->a, "it was edited: %s", audit_unfit(r)));
		return E_OK;
	}
	if (check_hash(w, r, e))
		return e->code;
	if (w->v.ok)
		check_prev(w, r);
	return E_OK;
}

static enum err_code walk_all(struct db *db, struct walk *w, struct err *e)
{
	enum err_code rc = E_OK;
	struct q_audit_walk r;
	struct db_rows rows;

	if (q_audit_walk_open(db, &rows, e))
		return e->code;
	sbuf_adds(&w->last, NO_PREV);
	while (!rc && q_audit_walk_next(&rows, &r)) {
		if (w->v.ok)
			rc = check_entry(w, &r, e);
		w->v.entries++;
		w->v.head_seq = r.seq;
		sbuf_reset(&w->last);
		sbuf_adds(&w->last, r.hash);
		w->anchored = w->anchored || str_eq(r.hash, w->anchor);
	}
	return db_rows_end(&rows, rc, e);
}

enum err_code audit_verify(struct db *db, const char *anchor, struct arena *a,
	struct audit_verdict *out, struct err *e)
{
	cleanup(walk_done) struct walk w = {
		.a = a, .anchor = anchor, .v.ok = true, .last = SBUF_INIT};
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct q_audit_head head;
	bool found;

	/* Both queries read the same entries. */
	if (db_begin(db, &tx, e) || q_audit_head_one(db, a, &head, &found, e))
		return e->code;
	w.total = head.entries;
	if (walk_all(db, &w, e))
		return e->code;
	if (w.v.ok && anchor && !w.anchored)
		audit_wrong(&w, w.v.head_seq + 1,
			"no entry has the noted hash: entries were removed from the end, "
			"or all were rewritten");
	if (w.v.entries)
		snprintf(w.v.head, sizeof(w.v.head), "%s", w.last.s);
	*out = w.v;
	return db_commit(&tx, e);
}

const char *audit_user(struct arena *a)
{
	const struct passwd *pw = getpwuid(getuid());

	if (!pw) /* LCOV_EXCL_BR_LINE: the user that runs the tests has a name */
		return audit_user_of("", getuid(), a);
	return audit_user_of(pw->pw_name, getuid(), a);
}

const char *audit_user_of(const char *login, unsigned long uid, struct arena *a)
{
	char *name;

	if (!*login)
		return arena_printf(a, "user %lu", uid);
	name = arena_printf(a, "user %s", login);
	for (char *p = name; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	return name;
}
