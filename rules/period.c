#include "rules/period.h"

#include "base/str.h"
#include "rules/derive/costs.h"

#include <stdlib.h>
#include <string.h>

struct owner {
	const char *name, *cur;
	__int128 gross, covered;
	int64_t resources, unpriced;
};

struct reading {
	struct deriving d;
	struct costs costs;
	struct {
		struct owner *v;
		size_t n, cap;
	} owners;
};

static void period_put_tpus(const struct past *p, const struct cov_row *rows, size_t n,
	struct arena *a, struct period *out)
{
	out->tpus = arena_alloc(a, (n + 1) * sizeof(*out->tpus));
	out->n_tpus = n;
	for (size_t i = 0; i < n; i++) {
		const struct cov_node *node = &p->nodes[rows[i].node];
		const struct past_of *of = &p->of[rows[i].node];
		struct period_tpu *t = &out->tpus[i];

		*t = (struct period_tpu){.id = arena_strdup(a, node->id),
			.uid = arena_strdup(a, of->uid),
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
			.gross = rows[i].why == WHY_PROVISIONING_UNKNOWN
				? NONE /* it may be free */
				: price_for(&of->price, rows[i].ends - rows[i].starts)};
		if (t->gross.set)
			t->currency = arena_strdup(a, of->price.cur);
	}
}

/* ---- owners ------------------------------------------------------------------------------- */

/* Existing resources belong to their present owners. */
static enum err_code period_read_owners(struct reading *r, struct err *e)
{
	struct q_resource_owners *v;
	size_t n;

	if (q_resource_owners_all(r->d.db, &r->d.arena, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		struct cost_thing *t = cost_find(&r->costs, v[i].id, v[i].uid);

		if (t)
			t->last.owner = v[i].owner;
	}
	return E_OK;
}

static struct owner *period_owner_of(struct reading *r, const char *name, const char *cur)
{
	struct owner *o;

	for (size_t i = 0; i < r->owners.n; i++)
		if (str_eq(r->owners.v[i].name, name) && !strcmp(r->owners.v[i].cur, cur))
			return &r->owners.v[i];
	o = arena_push(&r->d.arena, &r->owners);
	*o = (struct owner){.name = name, .cur = cur};
	return o;
}

static bool period_counts(const struct cost_sum *s)
{
	return s->gross[0] || s->unpriced[0];
}

/* A resource with several categories of one currency is counted once. */
static void period_add_thing(struct reading *r, const struct cost_thing *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct cost_sum *s = &t->sums[i];
		struct owner *o;
		bool another = true;

		if (!period_counts(s))
			continue;
		for (size_t k = 0; k < i; k++)
			if (!strcmp(t->sums[k].cur, s->cur) && period_counts(&t->sums[k]))
				another = false;
		o = period_owner_of(r, t->last.owner, s->cur);
		o->gross += s->gross[0];
		o->covered += s->covered[0];
		o->unpriced += s->unpriced[0];
		o->resources += another;
	}
}

static int period_by_cost(const void *pa, const void *pb)
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

static void period_put_owners(struct reading *r, struct arena *a, struct period *out)
{
	for (size_t i = 0; i < r->costs.n; i++)
		period_add_thing(r, &r->costs.v[i]);
	if (r->owners.n)
		qsort(r->owners.v, r->owners.n, sizeof(*r->owners.v), period_by_cost);
	out->owners = arena_alloc(a, (r->owners.n + 1) * sizeof(*out->owners));
	out->n_owners = r->owners.n;
	for (size_t i = 0; i < r->owners.n; i++) {
		const struct owner *o = &r->owners.v[i];

		out->owners[i] = (struct period_owner){.owner = arena_strdup(a, o->name),
			.resources = o->resources,
			.unpriced = o->unpriced};
		if (!*o->cur)
			continue;
		out->owners[i].currency = arena_strdup(a, o->cur);
		out->owners[i].gross = price_hours(o->gross);
		out->owners[i].net = price_hours(o->gross - o->covered);
	}
}

/* ---- both --------------------------------------------------------------------------------- */

static enum err_code period_read_all(
	struct reading *r, struct arena *a, struct period *out, struct err *e)
{
	struct past p = {0};
	const struct cov_row *rows;
	size_t n;

	if (derive_book(&r->d, e) || costs_read(&r->costs, &p, &rows, &n, e) ||
		period_read_owners(r, e))
		return e->code;
	period_put_tpus(&p, rows, n, a, out);
	period_put_owners(r, a, out);
	return account_prices_check(&r->d.account, e);
}

enum err_code period_read(struct db *db, const struct settings *s, ts_t now, ts_t from,
	ts_t to, struct arena *a, struct period *out, struct err *e)
{
	struct derive_opts o = {.settings = s, .now = now, .since = from, .until = to};
	ts_t ends = to < now ? to : now;
	struct reading r = {
		.d = {.db = db, .o = &o}, .costs = {.starts = {from, ends}, .ends = ends}};
	enum err_code rc;

	*out = (struct period){0};
	if (from >= ends)
		return E_OK;
	r.costs.d = &r.d;
	r.costs.a = &r.d.arena;
	rc = period_read_all(&r, a, out, e);
	derive_done(&r.d);
	return rc ? err_wrap(e, "the running resources") : E_OK;
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
	while (q_tpus_watched_next(&rows, &q)) {
		int64_t seconds = stale_after(s, q.poll_group);

		never |= !q.since.set;
		if (q.since.set && q.since.v > out->since)
			out->since = q.since.v; /* TS_NONE is before everything */
		if (!q.success.set || now - q.success.v <= seconds)
			continue;
		if (out->until == TS_NONE || q.success.v < out->until)
			out->until = q.success.v;
		out->unread |= strcmp(q.state, "partial") != 0 || now - q.attempt > seconds;
	}
	if (never)
		out->since = TS_NONE;
	return db_rows_close(&rows, e);
}
