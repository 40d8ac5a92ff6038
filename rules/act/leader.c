#include "rules/act/leader.h"

#include "base/data/json.h"
#include "base/str.h"
#include "db/db.h"
#include "rules/act/audit.h"
#include "rules/enforce/generation.h"
#include "rules/enforce/halt.h"
#include "rules/enforce/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT 1
#define MAX_ACTED 200 /* machines between two backups */
#define TRIES 3
#define RATE_MS 1100 /* one object may be written once in a second */

/* ---- content ----------------------------------------------------------------------------------- */

void lease_print(const struct lease *l, struct sbuf *out)
{
	struct jw w = {.b = out};

	jw_begin(&w, '{');
	jw_ki64(&w, "tpucost_lease", FORMAT);
	jw_kstr(&w, "owner", l->owner);
	jw_kstr(&w, "host", l->host);
	jw_ki64(&w, "epoch", l->epoch);
	jw_ki64(&w, "seconds", l->seconds);
	jw_key(&w, "ready");
	jw_bool(&w, l->ready);
	jw_ki64(&w, "acting", l->acting);
	jw_kstr(&w, "from", l->from);
	jw_kstr(&w, "left", l->left);
	jw_ki64(&w, "decided", l->decided);
	jw_kstr(&w, "decided_hash", l->decided_hash);
	jw_kstr(&w, "halt_file", l->halt_file);
	jw_kstr(&w, "halted", l->halted);
	jw_kstr(&w, "blocked", l->blocked);
	jw_key(&w, "acted");
	jw_begin(&w, '[');
	for (size_t i = 0; i < l->n_acted; i++) {
		jw_begin(&w, '{');
		jw_ki64(&w, "entry", l->acted[i].entry);
		jw_kstr(&w, "resource", l->acted[i].resource);
		jw_end(&w, '}');
	}
	jw_end(&w, ']');
	jw_end(&w, '}');
	sbuf_addc(out, '\n');
}

static const char *lease_text(const struct cJSON *j, const char *key, struct arena *a)
{
	return arena_strdup(a, json_text(json_get(j, key), NULL));
}

enum err_code lease_parse(
	const char *text, size_t len, struct arena *a, struct lease *out, struct err *e)
{
	cleanup(json_free_ptr) struct cJSON *j = NULL;
	const struct cJSON *acted;
	int64_t format = 0;

	*out = (struct lease){0};
	if (json_parse(text, len, &j, e) || json_get_i64(j, "tpucost_lease", &format, e) ||
		json_get_i64(j, "epoch", &out->epoch, e) ||
		json_get_i64(j, "seconds", &out->seconds, e) ||
		json_opt_i64(j, "acting", 0, &out->acting, e) ||
		json_opt_i64(j, "decided", 0, &out->decided, e))
		return e->code = E_DATA;
	if (format != FORMAT)
		return err_set_fix(e, E_DATA, "update tpucost on this machine",
			"another version of tpucost wrote it");
	out->owner = lease_text(j, "owner", a);
	out->host = lease_text(j, "host", a);
	out->from = arena_strdup(a, json_text(json_get(j, "from"), ""));
	out->left = lease_text(j, "left", a);
	out->ready = json_true(json_get(j, "ready"));
	out->decided_hash = arena_strdup(a, json_text(json_get(j, "decided_hash"), ""));
	out->halt_file = lease_text(j, "halt_file", a);
	out->halted = lease_text(j, "halted", a);
	out->blocked = lease_text(j, "blocked", a);
	acted = json_get(j, "acted");
	out->acted = arena_alloc(a, (json_len(acted) + 1) * sizeof(*out->acted));
	JSON_EACH (x, acted) {
		struct lease_acted *at = &out->acted[out->n_acted++];

		at->resource = lease_text(x, "resource", a);
		if (!at->resource || json_get_i64(x, "entry", &at->entry, e))
			return err_set(e, E_DATA, "a part of it is missing");
	}
	if (!out->owner || !out->host || out->epoch < 1 || out->seconds < 1)
		return err_set(e, E_DATA, "a part of it is missing");
	return E_OK;
}

enum err_code lease_refuse(struct err *e)
{
	err_wrap(e, "the object is not a lease of tpucost");
	return *e->fix
		? e->code
		: err_fix(e,
			  "name another object in enforcement.lease, or delete that one");
}

static enum err_code leader_foreign(const struct leader *l, struct err *e)
{
	lease_refuse(e);
	return err_wrap(e, "lease %s", l->store->name);
}

/* Generation 0 and epoch 0: there is no object. */
static enum err_code leader_read(const struct leader *l, struct arena *a, struct lease *out,
	int64_t *generation, struct err *e)
{
	const char *text;

	*generation = 0;
	*out = (struct lease){.owner = "", .host = "", .from = "", .decided_hash = ""};
	switch (l->store->get(l->store->ctx, a, &text, generation, e)) {
	case E_OK:
		break;
	case E_NOTFOUND:
		err_clear(e);
		*generation = 0;
		return E_OK;
	case E_DATA:
	case E_LIMIT:
		return leader_foreign(l, e);
	default:
		return err_wrap(e, "lease %s", l->store->name);
	}
	return lease_parse(text, strlen(text), a, out, e) ? leader_foreign(l, e) : E_OK;
}

static enum err_code leader_write(
	const struct leader *l, const struct lease *is, int64_t generation, struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	lease_print(is, &b);
	if (b.len > LEASE_MAX)
		return err_set(e, E_LIMIT,
			"lease %s: too many actions since the last backup", l->store->name);
	return l->store->put(l->store->ctx, b.s, generation, e)
		? err_wrap(e, "lease %s", l->store->name)
		: E_OK;
}

/* ---- holder and standby ------------------------------------------------------------------------ */

bool leader_holds(const struct leader *l, const struct lease *is)
{
	return is->epoch && str_eq(is->owner, l->owner);
}

/* Until the holder is ready, the facts are those of the earlier one. */
static void leader_set_facts(struct lease *is, const struct leader_facts *facts)
{
	is->seconds = LEASE_SECONDS;
	if (!is->ready || !facts)
		return;
	is->halt_file = facts->halt_file;
	/* The facts of one process may be older than those that another one has noted. */
	if (facts->decided <= is->decided)
		return;
	is->decided = facts->decided;
	is->decided_hash = facts->decided_hash;
}

/* Is the lease free, as far as this one has seen? */
static bool leader_is_free(const struct leader *l, const struct lease *is,
	int64_t generation, struct leader_watch *w)
{
	int64_t seconds = is->seconds > LEASE_SECONDS ? is->seconds : LEASE_SECONDS;
	int64_t now = clock_mono_ms(l->clock);

	/* Others come first. */
	if (is->left && str_eq(is->left, l->owner))
		seconds *= 2;
	if (w->seen && w->generation == generation && now >= w->since_ms)
		return now - w->since_ms >= 2 * seconds * 1000;
	*w = (struct leader_watch){.seen = true, .generation = generation, .since_ms = now};
	return false;
}

enum err_code leader_step(const struct leader *l, const struct leader_facts *facts,
	struct leader_watch *w, int64_t known, struct arena *a, struct lease *out,
	struct err *e)
{
	int64_t generation;

	for (int i = 0; i < TRIES; i++) {
		err_clear(e);
		if (leader_read(l, a, out, &generation, e))
			return e->code;
		if (leader_holds(l, out)) {
			leader_set_facts(out, facts);
		} else {
			if (!leader_is_free(l, out, generation, w))
				return E_OK;
			out->from = *out->host ? out->host : out->from;
			out->owner = l->owner;
			out->host = l->host;
			out->epoch = (out->epoch > known ? out->epoch : known) + 1;
			out->seconds = LEASE_SECONDS;
			out->ready = false;
			out->left = NULL;
		}
		if (!leader_write(l, out, generation, e)) {
			*w = (struct leader_watch){0};
			return E_OK;
		}
		/* Another one was faster, or a process of this machine renewed it. */
		if (e->code == E_RATE)
			clock_sleep_ms(l->clock, RATE_MS);
		else if (e->code != E_CONFLICT)
			return e->code;
	}
	return e->code;
}

typedef void leader_change_fn(void *ctx, struct lease *is);

/* Reads the lease, and writes what `change` makes of it. `any`: whoever holds it; otherwise E_BUSY if another one does, or
 * in another epoch, and E_NOTFOUND if none does. */
static enum err_code leader_change(const struct leader *l, bool any,
	leader_change_fn *change, void *ctx, struct arena *a, struct lease *is,
	struct err *e)
{
	for (int i = 0; i < TRIES; i++) {
		int64_t generation;

		err_clear(e);
		if (leader_read(l, a, is, &generation, e))
			return e->code;
		if (!any && !*is->owner)
			return err_set(e, E_NOTFOUND, "no machine holds the lease %s",
				l->store->name);
		if (!any && (!leader_holds(l, is) || is->epoch != l->epoch))
			return err_set(e, E_BUSY, "%s holds the lease %s in epoch %" PRId64,
				is->host, l->store->name, is->epoch);
		change(ctx, is);
		if (!leader_write(l, is, generation, e))
			return E_OK;
		if (e->code == E_RATE)
			clock_sleep_ms(l->clock, RATE_MS);
		else if (e->code != E_CONFLICT && e->code != E_UNCERTAIN)
			return e->code;
	}
	return e->code;
}

struct fencing {
	const struct leader_facts *facts;
	const char *resource;
	struct arena *a;
	bool listed;
	const char *no; /* reason not to act */
};

static void fence_change(void *ctx, struct lease *is)
{
	struct fencing *f = ctx;
	struct lease_acted *v = arena_alloc(f->a, (is->n_acted + 1) * sizeof(*v));
	size_t n = 0;

	leader_set_facts(is, f->facts);
	for (size_t i = 0; i < is->n_acted; i++)
		if (strcmp(is->acted[i].resource, f->resource) != 0)
			v[n++] = is->acted[i];
	f->no = !is->ready   ? "the database is not prepared yet"
		: is->halted ? arena_printf(f->a, "everything was halted by %s", is->halted)
		: f->listed && n >= MAX_ACTED ? "too many actions since the last backup"
					      : NULL;
	if (f->no || !f->listed)
		return;
	v[n++] = (struct lease_acted){f->facts->newest, f->resource};
	is->acted = v;
	is->n_acted = n;
}

enum err_code leader_fence(const struct leader *l, const struct leader_facts *facts,
	const char *resource, struct arena *a, struct err *e)
{
	struct fencing f = {
		.facts = facts, .resource = resource, .a = a, .listed = l->backups};
	struct lease is;

	if (!l->epoch)
		return err_set(e, E_BUSY, "%s", l->why);
	if (leader_change(l, false, fence_change, &f, a, &is, e))
		return e->code;
	return f.no ? err_set(e, E_BUSY, "%s", f.no) : E_OK;
}

/* Without a lease there is one then, without a holder. */
static void halt_change(void *ctx, struct lease *is)
{
	is->halted = ctx;
	if (is->epoch)
		return;
	is->epoch = 1;
	is->seconds = LEASE_SECONDS;
}

enum err_code leader_halt(const struct leader *l, const char *why, struct arena *a,
	struct lease *was, struct err *e)
{
	struct lease is;
	int64_t generation;

	if (leader_read(l, a, was, &generation, e))
		return e->code;
	return !why == !was->halted
		? E_OK
		: leader_change(l, true, halt_change, arena_strdup(a, why), a, &is, e);
}

static void give_up_change(void *ctx, struct lease *is)
{
	(void)ctx;
	is->left = is->owner;
	is->from = is->ready ? is->host : is->from;
	is->owner = is->host = "";
}

enum err_code leader_give_up(const struct leader *l, struct arena *a, struct err *e)
{
	struct lease is;

	return leader_change(l, false, give_up_change, NULL, a, &is, e);
}

/* ---- database ---------------------------------------------------------------------------------- */

enum err_code leader_facts_of(struct db *db, const struct settings *s, struct arena *a,
	struct leader_facts *out, struct err *e)
{
	struct q_audit_get_in last = {0};
	struct q_audit_decided row;
	struct q_audit_get newest;
	bool found;

	*out = (struct leader_facts){.decided_hash = ""};
	if (q_audit_get_one(db, &last, a, &newest, &found, e))
		return e->code;
	out->newest = found ? newest.seq : 0;
	if (q_audit_decided_one(db, a, &row, &found, e))
		return e->code;
	if (found) {
		out->decided = row.seq;
		out->decided_hash = row.hash;
		out->decided_at = row.at;
		out->decider = row.actor;
	}
	if (s->enforcement)
		halt_found(s->enforcement, db, a, &out->halt_file);
	return E_OK;
}

#define EPOCH "lease_epoch"

enum err_code leader_epoch_of(struct db *db, struct arena *a, int64_t *epoch, struct err *e)
{
	const char *value;

	*epoch = 0;
	if (db_meta(db, EPOCH, a, &value, e))
		return e->code;
	if (*value && !str_to_i64(value, 0, INT64_MAX, epoch))
		return err_set(e, E_DB, "the epoch of the lease is not a number");
	return E_OK;
}

enum err_code leader_wants_backup(
	struct db *own, struct db *backup, struct arena *a, bool *wants, struct err *e)
{
	struct q_audit_get_in newest = {0};
	struct q_audit_get entry;
	const char *mark, *former;
	int64_t theirs, ours;
	bool used;

	if (leader_epoch_of(backup, a, &theirs, e) || leader_epoch_of(own, a, &ours, e) ||
		db_meta(own, DB_BACKUP_MARK, a, &mark, e) ||
		leader_former_of(own, a, &former, e) ||
		q_audit_get_one(own, &newest, a, &entry, &used, e))
		return e->code;
	*wants = theirs > ours || (!*mark && (former || !used));
	return E_OK;
}

#define FORMER "lease_former"

enum err_code leader_mark_backup(
	struct db *backup, const char *former, bool unarmed, struct err *e)
{
	struct q_meta_put_in put = {.key = FORMER, .value = former};
	struct q_meta_drop_in mark = {.key = DB_BACKUP_MARK};
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (db_begin(backup, &tx, e) || q_meta_put(backup, &put, e) ||
		(!unarmed && q_meta_drop(backup, &mark, e)))
		return e->code;
	return db_commit(&tx, e);
}

enum err_code leader_former_of(
	struct db *own, struct arena *a, const char **former, struct err *e)
{
	if (db_meta(own, FORMER, a, former, e))
		return e->code;
	*former = **former ? *former : NULL;
	return E_OK;
}

enum err_code leader_knows(
	struct db *db, const struct lease *is, struct arena *a, bool *knows, struct err *e)
{
	struct q_audit_get_in in = {.seq = SOME(is->decided)};
	struct q_audit_get row;
	bool found;

	*knows = true;
	if (!is->decided)
		return E_OK;
	if (q_audit_get_one(db, &in, a, &row, &found, e))
		return e->code;
	*knows = found && str_eq(row.hash, is->decided_hash);
	return E_OK;
}

enum err_code leader_lacks(
	struct db *db, struct db *former, struct arena *a, bool *lacks, struct err *e)
{
	struct q_audit_decided_of row;
	struct lease is = {0};
	bool found, knows;

	if (q_audit_decided_of_one(former, a, &row, &found, e))
		return e->code;
	if (found)
		is = (struct lease){.decided = row.seq, .decided_hash = row.hash};
	if (leader_knows(db, &is, a, &knows, e))
		return e->code;
	*lacks = !knows;
	return E_OK;
}

/* A decision of a user that this database may not have must not be overruled. */
static enum err_code why_not_armed(struct db *db, const struct lease *is, struct arena *a,
	const char **why, struct err *e)
{
	const char *from = *is->from ? is->from : "the earlier holder of the lease";
	bool knows;

	if (is->blocked)
		*why = is->blocked;
	else if (is->halt_file)
		*why = arena_printf(a, "%s was halted: it had %s", from, is->halt_file);
	if (*why)
		return E_OK;
	if (leader_knows(db, is, a, &knows, e))
		return e->code;
	if (!knows)
		*why = arena_printf(a,
			"a decision of a user on %s is missing here: entry %" PRId64
			" of its audit log",
			from, is->decided);
	return E_OK;
}

/* `known`: the epoch that the database acted in. Where history is published, this entry shows whether the database knows
 * all of it (db/sql/cli/publish.sql). */
static enum err_code note_take_over(struct db *db, const struct lease *is, int64_t known,
	bool restored, const char *why, ts_t now, struct err *e)
{
	cleanup(sbuf_done) struct sbuf detail = SBUF_INIT, reason = SBUF_INIT;
	struct audit_entry entry = {.actor = "tpucost", .event = "lease-taken"};
	struct jw w = {.b = &detail}, r = {.b = &reason};

	jw_begin(&w, '{');
	jw_ki64(&w, "epoch", is->epoch);
	jw_kstr(&w, "from", is->from);
	jw_key(&w, "restored");
	jw_bool(&w, restored);
	jw_key(&w, "acted_last");
	jw_bool(&w, is->acting ? known >= is->acting : !known);
	jw_end(&w, '}');
	entry.detail = detail.s;
	if (audit_add(db, &entry, now, e))
		return e->code;
	if (!why)
		return E_OK;
	jw_begin(&r, '{');
	jw_kstr(&r, "why", why);
	jw_end(&r, '}');
	entry.event = "restored";
	entry.detail = reason.s;
	return audit_add(db, &entry, now, e);
}

/* The open actions that another machine may have gone on with. */
static enum err_code start_over(struct db *db, const struct lease *is, int64_t known,
	bool restored, ts_t now, struct arena *a, struct err *e)
{
	const char *from = *is->from ? is->from : "the earlier holder of the lease";

	if (!restored)
		return known >= is->acting
			? E_OK /* it was this one */
			: actions_start_over(db, NULL,
				  arena_printf(a, "%s acted since", from), now, a, e);
	for (size_t i = 0; i < is->n_acted; i++)
		if (actions_start_over(db, is->acted[i].resource,
			    arena_printf(a, "%s may have acted on it", from), now, a, e))
			return e->code;
	return E_OK;
}

/* `known`: the epoch that the database acted in. An earlier attempt may have ended after it was committed: then it is that of the
 * lease. */
static enum err_code leader_prepare(struct db *db, const struct settings *s,
	const struct lease *is, int64_t known, bool restored, ts_t now, struct arena *a,
	const char **why, struct err *e)
{
	struct q_meta_put_in epoch = {
		.key = EPOCH, .value = arena_printf(a, "%" PRId64, is->epoch)};
	struct q_meta_drop_in mark = {.key = DB_BACKUP_MARK}, former = {.key = FORMER};
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (!*why && generation_copied(db, a, why, e))
		return e->code;
	/* Another machine may have acted later. */
	if (!*why && !is->acting && known)
		*why = "the lease was deleted, and decisions of users may be missing";
	if (db_begin(db, &tx, e) || why_not_armed(db, is, a, why, e))
		return e->code;
	if (known != is->epoch &&
		(start_over(db, is, known, restored, now, a, e) ||
			note_take_over(db, is, known, restored, *why, now, e) ||
			q_meta_put(db, &epoch, e)))
		return e->code;
	/* The processes of the earlier holder act on its own database. */
	if ((restored && q_lease_end(db, e)) || q_meta_drop(db, &mark, e) ||
		q_meta_drop(db, &former, e))
		return e->code;
	if (db_commit(&tx, e))
		return e->code;
	/* A database that was restored in another way stays under its own guard. */
	return *why || !restored ? E_OK : enforce_accept(db, s, a, e);
}

struct getting_ready {
	struct leader_facts facts;
	int64_t epoch;
	const char *why;
};

/* Machines that the earlier holder acted on after its backup are listed until a backup of this database has it. */
static void ready_change(void *ctx, struct lease *is)
{
	const struct getting_ready *g = ctx;

	is->ready = true;
	is->epoch = is->acting = g->epoch;
	is->from = "";
	is->blocked = g->why;
	is->decided = g->facts.decided;
	is->decided_hash = g->facts.decided_hash;
	is->halt_file = g->facts.halt_file;
	for (size_t i = 0; i < is->n_acted; i++)
		is->acted[i].entry = g->facts.newest;
}

enum err_code leader_take_over(struct leader *l, struct db *db, const struct settings *s,
	const struct lease *is, bool restored, const char *lost, struct arena *a,
	const char **why, struct err *e)
{
	struct lease raised = *is, now;
	struct getting_ready g;
	const char *copied;
	int64_t known;

	*why = lost;
	if (leader_epoch_of(db, a, &known, e) || generation_copied(db, a, &copied, e))
		return e->code;
	/* The object was deleted, and began again, or the database was replaced. */
	if (known > is->epoch || ((restored || copied || is->ready) && known == is->epoch))
		raised.epoch = known + 1;
	if (leader_prepare(
		    db, s, &raised, known, restored, clock_now(l->clock), a, why, e) ||
		leader_facts_of(db, s, a, &g.facts, e))
		return e->code;
	g.epoch = raised.epoch;
	g.why = *why;
	if (leader_change(l, false, ready_change, &g, a, &now, e))
		return e->code;
	l->epoch = raised.epoch;
	return E_OK;
}

static void shipped_change(void *ctx, struct lease *is)
{
	const int64_t *newest = ctx;
	size_t kept = 0;

	for (size_t i = 0; i < is->n_acted; i++)
		if (is->acted[i].entry > *newest)
			is->acted[kept++] = is->acted[i];
	is->n_acted = kept;
}

enum err_code leader_shipped(
	const struct leader *l, int64_t newest, struct arena *a, struct err *e)
{
	struct lease is;

	return leader_change(l, false, shipped_change, &newest, a, &is, e);
}

struct deciding {
	struct db *db;
	const struct leader_facts *facts;
	bool resumed;
	struct arena *a;
	bool knows;
	struct err e;
};

/* The entries of a database that was replaced have the numbers of others. */
static void decision_change(void *ctx, struct lease *is)
{
	struct deciding *d = ctx;

	if (leader_knows(d->db, is, d->a, &d->knows, &d->e) || !d->knows)
		return;
	leader_set_facts(is, d->facts);
	if (is->ready && d->resumed)
		is->blocked = NULL;
}

enum err_code leader_note_decision(const struct leader *l, struct db *db,
	const struct leader_facts *facts, bool resumed, struct arena *a, struct err *e)
{
	struct deciding d = {.db = db, .facts = facts, .resumed = resumed, .a = a};
	struct lease is;

	if (leader_change(l, false, decision_change, &d, a, &is, e))
		return e->code;
	if (d.e.code) {
		*e = d.e;
		return e->code;
	}
	if (!d.knows)
		return err_set_fix(e, E_CONFLICT,
			"run the command again after the next cycle of tpucost",
			"an earlier decision is missing in this database, which was "
			"restored");
	return is.ready ? E_OK : err_set(e, E_BUSY, "the database is not prepared yet");
}

static void confirm_change(void *ctx, struct lease *is)
{
	(void)ctx;
	leader_set_facts(is, NULL);
}

enum err_code leader_confirm(const struct leader *l, struct arena *a, struct err *e)
{
	struct lease is;

	return leader_change(l, false, confirm_change, NULL, a, &is, e);
}
