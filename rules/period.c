#include "rules/period.h"

#include "base/time/civil.h"
#include "base/money.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "base/strmap.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/derive/internal.h"

#include <stdlib.h>
#include <string.h>

/* In one currency, or (cur "") without a price. In nanos times seconds of an hour. */
struct part {
	char cur[4];
	__int128 gross, covered;
	int64_t unpriced; /* seconds */
};

struct thing {
	const char *owner;
	struct part *parts;
	size_t n, cap;
};

struct owner {
	const char *name, *cur;
	__int128 gross, covered;
	int64_t resources, unpriced;
};

struct reading {
	struct deriving d;
	ts_t from, to;
	struct thing *things;
	size_t n_things, cap_things;
	struct strmap index; /* "id uid" -> place in things */
	struct owner *owners;
	size_t n_owners, cap_owners;
	struct sbuf key;
};

/* ---- TPUs --------------------------------------------------------------------------------- */

static struct opt_i64 price_of(const struct price *p, ts_t seconds)
{
	int64_t nanos;

	return p->known && nanos_muldiv(p->nanos, seconds, HOUR_SECONDS, &nanos)
		? SOME(nanos)
		: NONE;
}

static void put_tpus(const struct past *p, const struct cov_row *rows, size_t n,
	struct arena *a, struct period *out)
{
	out->tpus = arena_alloc(a, (n + 1) * sizeof(*out->tpus));
	out->n_tpus = n;
	for (size_t i = 0; i < n; i++) {
		const struct cov_node *node = &p->nodes[rows[i].node];
		const struct price *price = &p->prices[rows[i].node];
		struct period_tpu *t = &out->tpus[i];

		*t = (struct period_tpu){.id = arena_strdup(a, node->id),
			.uid = arena_strdup(a, p->uids[rows[i].node]),
			.project = arena_strndup(a, node->id, strcspn(node->id, "/")),
			.zone = arena_strdup(a, node->zone),
			.type = arena_strdup(a, node->type),
			.family = node->family,
			.provisioning = arena_strdup(a, node->provisioning),
			.starts = rows[i].starts,
			.ends = rows[i].ends,
			.covered = rows[i].covered,
			.grant = rows[i].grant,
			.why = rows[i].why,
			.chips = node->chips,
			.chip_seconds = rows[i].chip_seconds,
			.gross = price_of(price, rows[i].ends - rows[i].starts)};
		if (t->gross.set)
			t->currency = arena_strdup(a, price->cur);
	}
}

/* ---- owners ------------------------------------------------------------------------------- */

static void set_key(struct reading *r, const char *id, const char *uid)
{
	sbuf_reset(&r->key);
	sbuf_addf(&r->key, "%s %s", id, uid);
}

static struct thing *thing_of(struct reading *r, const char *id, const char *uid, bool make)
{
	const size_t *at;

	set_key(r, id, uid);
	at = strmap_get(&r->index, r->key.s);
	if (at)
		return &r->things[*at];
	if (!make)
		return NULL;
	strmap_put(&r->index, r->key.s, r->n_things);
	r->things = arena_grow(
		&r->d.arena, r->things, r->n_things, &r->cap_things, sizeof(*r->things));
	r->things[r->n_things] = (struct thing){0};
	return &r->things[r->n_things++];
}

static struct part *part_of(struct reading *r, struct thing *t, const char *cur)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->parts[i].cur, cur))
			return &t->parts[i];
	t->parts = arena_grow(&r->d.arena, t->parts, t->n, &t->cap, sizeof(*t->parts));
	t->parts[t->n] = (struct part){0};
	memcpy(t->parts[t->n].cur, cur, strlen(cur));
	return &t->parts[t->n++];
}

static void add_stretch(struct reading *r, const struct q_interval_past *q)
{
	struct thing *t = thing_of(r, q->id, q->uid, true);
	ts_t starts = q->starts > r->from ? q->starts : r->from;
	ts_t ends = q->ends.set && q->ends.v < r->to ? q->ends.v : r->to;
	char region[REGION_BUF];
	struct fact f = fact_then(q, region);
	ts_t known = known_until(&r->d, q->last_seen, q->poll_group);

	t->owner = arena_strdup(&r->d.arena, q->owner);
	if (known != TS_NONE && known < ends)
		ends = known;
	if (ends <= starts)
		return;
	fact_describe(&f);
	fact_price(&r->d, &f);
	for (size_t i = 0; i < f.n_parts; i++) {
		const struct price *p = &f.parts[i].price;
		struct part *part = part_of(r, t, p->known ? p->cur : "");

		if (p->known)
			part->gross += (__int128)p->nanos * (ends - starts);
		else
			part->unpriced += ends - starts;
	}
}

/* What exists belongs to whom it belongs now. */
static enum err_code read_owners(struct reading *r, struct err *e)
{
	struct q_resource_owners q;
	struct db_rows rows;

	if (q_resource_owners_open(r->d.db, &rows, e))
		return e->code;
	while (q_resource_owners_next(&rows, &q)) {
		struct thing *t = thing_of(r, q.id, q.uid, false);

		if (t)
			t->owner = arena_strdup(&r->d.arena, q.owner);
	}
	return db_rows_close(&rows, e);
}

static enum err_code read_stretches(struct reading *r, struct err *e)
{
	struct q_interval_past_in in = {.since = r->from, .until = r->to, .seen = true};
	struct q_interval_past q;
	struct db_rows rows;

	if (q_interval_past_open(r->d.db, &in, &rows, e))
		return e->code;
	while (q_interval_past_next(&rows, &q))
		add_stretch(r, &q);
	return db_rows_close(&rows, e) ? e->code : read_owners(r, e);
}

static void add_covered(
	struct reading *r, const struct past *p, const struct cov_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct price *price = &p->prices[rows[i].node];
		struct thing *t;

		if (!rows[i].covered || !price->known)
			continue;
		t = thing_of(r, p->nodes[rows[i].node].id, p->uids[rows[i].node], false);
		if (t)
			part_of(r, t, price->cur)->covered += (__int128)price->nanos *
				(rows[i].ends - rows[i].starts);
	}
}

static struct owner *owner_of(struct reading *r, const char *name, const char *cur)
{
	for (size_t i = 0; i < r->n_owners; i++)
		if (str_eq(r->owners[i].name, name) && !strcmp(r->owners[i].cur, cur))
			return &r->owners[i];
	r->owners = arena_grow(
		&r->d.arena, r->owners, r->n_owners, &r->cap_owners, sizeof(*r->owners));
	r->owners[r->n_owners] = (struct owner){.name = name, .cur = cur};
	return &r->owners[r->n_owners++];
}

static int by_cost(const void *pa, const void *pb)
{
	const struct owner *a = pa, *b = pb;
	int order = strcmp(a->cur, b->cur);
	__int128 x = a->gross - a->covered, y = b->gross - b->covered;

	if (order)
		return *a->cur && *b->cur ? order : *a->cur ? -1 : 1;
	if (x != y)
		return x > y ? -1 : 1;
	return strcmp(a->name ? a->name : "", b->name ? b->name : "");
}

static struct opt_i64 amount(__int128 nano_seconds)
{
	int64_t nanos;

	return i128_div_round(nano_seconds, HOUR_SECONDS, &nanos) ? SOME(nanos) : NONE;
}

static void put_owners(struct reading *r, struct arena *a, struct period *out)
{
	for (size_t i = 0; i < r->n_things; i++) {
		const struct thing *t = &r->things[i];

		for (size_t k = 0; k < t->n; k++) {
			const struct part *p = &t->parts[k];
			struct owner *o;

			if (!p->gross && !p->unpriced)
				continue;
			o = owner_of(r, t->owner, p->cur);
			o->gross += p->gross;
			o->covered += p->covered;
			o->unpriced += p->unpriced;
			o->resources++;
		}
	}
	if (r->n_owners)
		qsort(r->owners, r->n_owners, sizeof(*r->owners), by_cost);
	out->owners = arena_alloc(a, (r->n_owners + 1) * sizeof(*out->owners));
	out->n_owners = r->n_owners;
	for (size_t i = 0; i < r->n_owners; i++) {
		const struct owner *o = &r->owners[i];

		out->owners[i] = (struct period_owner){.owner = arena_strdup(a, o->name),
			.resources = o->resources,
			.unpriced = o->unpriced};
		if (!*o->cur)
			continue;
		out->owners[i].currency = arena_strdup(a, o->cur);
		out->owners[i].gross = amount(o->gross);
		out->owners[i].net = amount(o->gross - o->covered);
	}
}

/* ---- both --------------------------------------------------------------------------------- */

static enum err_code read_all(
	struct reading *r, struct arena *a, struct period *out, struct err *e)
{
	struct past p = {0};
	const struct cov_row *rows;
	size_t n;

	if (derive_book(&r->d, e) || past_load(&r->d, r->from, r->to, &p, e))
		return e->code;
	rows = coverage_sweep(&p.in, r->from, r->to, &r->d.arena, &n);
	rows = past_known(&r->d, &p, rows, &n);
	put_tpus(&p, rows, n, a, out);
	if (read_stretches(r, e))
		return e->code;
	add_covered(r, &p, rows, n);
	put_owners(r, a, out);
	return account_prices_check(&r->d.account, e);
}

enum err_code period_read(struct db *db, const struct settings *s, ts_t now, ts_t from,
	ts_t to, struct arena *a, struct period *out, struct err *e)
{
	struct derive_opts o = {.settings = s, .now = now, .since = from, .until = to};
	struct reading r = {.d = {.db = db, .o = &o},
		.from = from,
		.to = to < now ? to : now,
		.key = SBUF_INIT};
	enum err_code rc = E_OK;

	*out = (struct period){0};
	if (r.from >= r.to)
		return E_OK;
	rc = read_all(&r, a, out, e);
	derive_done(&r.d);
	strmap_done(&r.index);
	sbuf_done(&r.key);
	return rc ? err_wrap(e, "what ran") : E_OK;
}

static void add_watched(struct watched *w, const struct settings *s, ts_t now,
	const struct q_tpus_watched *q, bool *never)
{
	int64_t seconds = stale_after(s, q->poll_group);

	*never |= !q->since.set;
	if (q->since.set && q->since.v > w->since)
		w->since = q->since.v; /* TS_NONE is before everything */
	if (!q->success.set || now - q->success.v <= seconds)
		return;
	if (w->until == TS_NONE || q->success.v < w->until)
		w->until = q->success.v;
	w->unread |= strcmp(q->state, "partial") != 0 || now - q->attempt > seconds;
}

enum err_code period_watched(struct db *db, const struct settings *s, ts_t now,
	struct watched *out, struct err *e)
{
	struct q_tpus_watched q;
	struct db_rows rows;
	bool never = false;

	*out = (struct watched){.since = TS_NONE, .until = TS_NONE};
	if (q_tpus_watched_open(db, &rows, e))
		return e->code;
	while (q_tpus_watched_next(&rows, &q))
		add_watched(out, s, now, &q, &never);
	if (never)
		out->since = TS_NONE;
	return db_rows_close(&rows, e);
}
