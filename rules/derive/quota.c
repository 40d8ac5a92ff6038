/* TPU quotas: family and pool of each, the chips that count towards it, and the chips held by
 * resources that are of no use. Comparison with grants: a quota does not prove a grant, because v2,
 * v3, v5e and v6e have one by default (Cloud TPU documentation, quotas). But a quota lower than the
 * grant is reported. */
#include "base/str.h"
#include "db_sql.h"
#include "rules/derive/internal.h"
#include "rules/grant/tpu.h"
#include "rules/grant/zones.h"

#include <inttypes.h>
#include <string.h>

/* ---- use of one quota -------------------------------------------------------------------------- */

static bool quota_is_queued(const struct fact *f)
{
	return str_eq(f->kind, "queued");
}

/* A slice with other hosts than its group is to have, none of which is starting. */
static bool quota_half_deleted(const struct fact *f)
{
	return str_eq(f->source, "slice") && f->more->target_hosts.set &&
		f->more->busy_hosts.v && !f->more->starting_hosts.v &&
		f->more->busy_hosts.v != f->more->target_hosts.v;
}

/* States of what is of no use. */
static const char *const quota_idle[] = {"preempted", "failed", "stopped", "suspended"};

/* Nodes that were preempted, failed or stopped, and suspended or failed queued resources, use their
 * quota until they are deleted (Cloud TPU documentation, "Manage queued resources"). */
static bool quota_is_dead(const struct fact *f)
{
	return quota_half_deleted(f) ||
		((str_eq(f->source, "tpu") || quota_is_queued(f)) &&
			str_in(f->state, quota_idle, ARRAY_LEN(quota_idle)));
}

static bool quota_of_compute(const struct fact *f)
{
	return str_in(f->source, (const char *const[]){"vm", "slice", "resize"}, 3);
}

/* Chips for which it uses quota now. It is assumed that a machine uses none while it is stopped, or
 * waits for capacity. */
static int64_t quota_chips_of(const struct fact *f)
{
	if (!quota_of_compute(f))
		return f->chips.v;
	if (str_eq(f->source, "slice") && f->more->busy_hosts.set)
		return f->hosts.v ? f->chips.v / f->hosts.v * f->more->busy_hosts.v : 0;
	return str_in(f->state, quota_idle, ARRAY_LEN(quota_idle)) ||
			str_eq(f->raw_state, "PENDING")
		? 0
		: f->chips.v;
}

/* Chips of the nodes that the queued resource has, which count themselves. */
static int64_t quota_chips_of_nodes(struct deriving *d, const struct fact *q)
{
	const char *ids = arena_printf(&d->arena, "%s/tpu/%s/", q->project, q->location);
	int64_t sum = 0;

	for (size_t i = fact_first(d, ids); fact_has_id(d, i, ids); i++) {
		const struct fact *f = &d->facts[i];

		if (str_eq(f->source, "tpu") &&
			(str_eq(f->more->queued, q->name) ||
				str_eq(f->name, q->attached_to)))
			sum += f->chips.v;
	}
	return sum;
}

struct opt_i64 quota_held(struct deriving *d, const struct fact *f)
{
	bool queued = quota_is_queued(f);
	int64_t chips, nodes;

	if (!quota_concerns(f))
		return NONE;
	if (!quota_is_dead(f))
		return SOME(0);
	/* a reserved TPU uses its reservation, which may use quota */
	if (!f->chips.set || (queued && !f->more->nodes.set) ||
		price_class_of(f->provisioning) == PRICE_RESERVED)
		return NONE;
	chips = quota_chips_of(f);
	if (!queued)
		return SOME(chips);
	nodes = quota_chips_of_nodes(d, f);
	return SOME(
		chips * f->more->nodes.v > nodes ? chips * f->more->nodes.v - nodes : 0);
}

/* A node without a type may be of any family. */
static bool quota_may_count(const struct tpu_quota *of, const char *project,
	const char *location, const struct fact *f)
{
	return str_eq(f->project, project) && tpu_quota_covers(location, f->location) &&
		(f->type ? tpu_quota_counts(of, f->type) : !of->compute);
}

/* Is it of the pool of that quota? */
static bool quota_in_pool(const struct tpu_quota *of, const struct fact *f)
{
	return price_class_preemptible(f->provisioning) == of->spot &&
		price_class_of(f->provisioning) != PRICE_RESERVED;
}

static void quota_add(
	struct quota_use *use, const struct tpu_quota *of, const struct fact *f)
{
	enum price_class class = price_class_of(f->provisioning);
	bool dead = quota_is_dead(f), queued = quota_is_queued(f);

	if (queued && !dead)
		return;
	/* Reserved TPUs use a reservation, which may use quota. */
	if (class == PRICE_RESERVED && !of->spot)
		use->unknown = true;
	if (class == PRICE_UNSTATED || !f->complete || !f->chips.set ||
		(queued && !f->more->nodes.set))
		use->unknown = use->held_unknown = true;
	if (!quota_in_pool(of, f) || !f->chips.set)
		return;
	use->chips += dead ? f->quota_held.v : quota_chips_of(f);
	use->held += f->quota_held.v;
}

struct quota_use quota_use_of(const struct tpu_quota *of, const char *project,
	const char *location, const struct fact *const *tpus, size_t n)
{
	struct quota_use use = {0};

	for (size_t i = 0; i < n; i++)
		if (quota_may_count(of, project, location, tpus[i]))
			quota_add(&use, of, tpus[i]);
	return use;
}

bool quota_concerns(const struct fact *f)
{
	return str_eq(f->kind, "tpu") || quota_is_queued(f);
}

/* ---- all TPU quotas ---------------------------------------------------------------------------- */

/* A quota, in chips. */
struct quota_row {
	const struct q_tpu_quotas *q;
	struct tpu_quota of;
	struct opt_i64 limit; /* -1: unlimited */
	struct opt_i64 held;
	bool api_known; /* the quotas of the Cloud TPU API were read */
};

struct quota_rows {
	struct deriving *d;
	struct quota_row *v;
	size_t n, cap;
	const char *project;      /* of the quota that is being read */
	const struct fact **tpus; /* of this project */
	size_t n_tpus, cap_tpus;
	struct q_tpu_lists *known; /* projects whose TPUs were read */
	struct q_tpu_gaps *gaps;
	size_t n_known, n_gaps;
};

static const struct q_tpu_lists *quota_lists(
	const struct quota_rows *x, const char *project)
{
	static const struct q_tpu_lists none;

	for (size_t i = 0; i < x->n_known; i++)
		if (!strcmp(x->known[i].project, project))
			return &x->known[i];
	return &none;
}

/* Were all TPUs read that may count towards it? */
static bool quota_was_read(const struct quota_rows *x, const struct q_tpu_quotas *q,
	const struct tpu_quota *of, const struct q_tpu_lists *lists)
{
	bool known = of->compute ? lists->machines : lists->nodes;

	for (size_t i = 0; known && i < x->n_gaps; i++) {
		const struct q_tpu_gaps *gap = &x->gaps[i];

		known = gap->nodes == of->compute ||
			strcmp(gap->project, q->project) != 0 ||
			!(gap->everywhere || tpu_quota_covers(q->location, gap->location) ||
				tpu_quota_covers(gap->location, q->location));
	}
	return known;
}

/* Those that hold the quota without use, with the command that frees it. */
static enum err_code quota_put_holds(const struct quota_rows *x,
	const struct q_tpu_quotas *q, const struct tpu_quota *of, struct err *e)
{
	for (size_t i = 0; i < x->n_tpus; i++) {
		const struct fact *f = x->tpus[i];
		struct row_quota_hold in = {.quota = q->quota, .id = f->id};
		struct tpu_target target;

		if (!f->type || !quota_in_pool(of, f) ||
			(f->quota_held.set && !f->quota_held.v) ||
			!quota_may_count(of, q->project, q->location, f))
			continue;
		target = derive_target(x->d, f, &x->d->arena);
		in.delete_command = tpu_delete_command(&target, &x->d->arena);
		if (derived_put_quota_hold(x->d->db, &in, e))
			return e->code;
	}
	return E_OK;
}

static enum err_code quota_put(struct quota_rows *x, const struct q_tpu_quotas *q,
	const struct tpu_quota *of, struct err *e)
{
	const struct q_tpu_lists *lists = quota_lists(x, q->project);
	bool known = quota_was_read(x, q, of, lists);
	struct quota_use use = quota_use_of(
		of, q->project, q->location, x->tpus, x->n_tpus);
	struct row_quota_state in = {.quota = q->quota,
		.family = of->family,
		.pool = of->spot ? "preemptible" : "on-demand"};

	if (known && of->family && !use.unknown)
		in.used = SOME(use.chips * of->per_chip);
	if (known && of->family && !use.held_unknown)
		in.held = SOME(use.held);
	*arena_append(&x->d->arena, x->v, x->n, x->cap) = (struct quota_row){.q = q,
		.of = *of,
		.limit = !q->limit_value.set   ? NONE
			: q->limit_value.v < 0 ? SOME(-1)
					       : SOME(q->limit_value.v / of->per_chip),
		.held = in.held,
		.api_known = lists->limits};
	return derived_put_quota_state(x->d->db, &in, e) ? e->code
							 : quota_put_holds(x, q, of, e);
}

static void quota_select(struct quota_rows *x, const char *project)
{
	struct deriving *d = x->d;

	if (str_eq(x->project, project))
		return;
	x->project = project;
	x->n_tpus = 0;
	for (size_t i = 0; i < d->n_facts; i++)
		if (quota_concerns(&d->facts[i]) && str_eq(d->facts[i].project, project))
			*arena_append(
				&d->arena, x->tpus, x->n_tpus, x->cap_tpus) = &d->facts[i];
}

static enum err_code quota_read(struct quota_rows *x, struct err *e)
{
	struct deriving *d = x->d;
	struct q_tpu_quotas *v;
	size_t n;

	if (q_tpu_quotas_all(d->db, &d->arena, &v, &n, e) ||
		q_tpu_lists_all(d->db, &d->arena, &x->known, &x->n_known, e) ||
		q_tpu_gaps_all(d->db, &d->arena, &x->gaps, &x->n_gaps, e))
		return e->code;

	for (size_t i = 0; i < n; i++) {
		struct tpu_quota_names names = {.service = v[i].service,
			.quota_id = v[i].quota_id,
			.metric = v[i].metric,
			.dimensions = v[i].dimensions};
		struct tpu_quota of;

		if (!tpu_quota_read(&names, &d->arena, &of))
			continue;
		quota_select(x, v[i].project);
		if (quota_put(x, &v[i], &of, e))
			return e->code;
	}
	return E_OK;
}

/* ---- grants ------------------------------------------------------------------------------------ */

/* Limits of one project under one name, of the zone and of its region. */
struct quota_pool {
	const struct quota_row *row;
	struct opt_i64 held;
	int64_t limit; /* chips; INT64_MAX: unlimited */
};
#define QUOTA_POOLS 32

struct quota_pools {
	struct quota_pool v[QUOTA_POOLS];
	size_t n;
};

static int64_t pool_left(const struct quota_pool *p)
{
	return p->limit == INT64_MAX ? INT64_MAX : p->limit - p->held.v;
}

/* In Compute Engine all limits of a name apply. Of the Cloud TPU API it is unknown, so the largest one
 * counts. */
static void pools_add(struct quota_pools *pools, const struct quota_row *r)
{
	struct quota_pool new = {.row = r,
		.held = r->held,
		.limit = r->limit.v < 0 ? INT64_MAX : r->limit.v};

	for (size_t i = 0; i < pools->n; i++) {
		struct quota_pool *p = &pools->v[i];

		if (p->row->of.compute != r->of.compute ||
			strcmp(p->row->q->project, r->q->project) != 0 ||
			strcmp(p->row->of.name, r->of.name) != 0)
			continue;
		if ((pool_left(&new) < pool_left(p)) == r->of.compute)
			*p = new;
		return;
	}
	if (pools->n < QUOTA_POOLS)
		pools->v[pools->n++] = new;
}

/* Those for TPUs of the grant's family in its zone. What Compute Engine allows says nothing where
 * it is unknown what the Cloud TPU API allows. */
static void pools_find(
	const struct quota_rows *x, const struct grant *g, struct quota_pools *pools)
{
	for (size_t i = 0; i < x->n; i++) {
		const struct quota_row *r = &x->v[i];

		if (r->limit.set && str_eq(r->of.family, g->family) &&
			tpu_quota_covers(r->q->location, g->zone) &&
			(!r->of.compute || r->api_known))
			pools_add(pools, r);
	}
}

static void pool_add_limit(const struct quota_pool *p, struct sbuf *b)
{
	if (p->limit == INT64_MAX)
		sbuf_adds(b, "unlimited");
	else
		sbuf_addf(b, "%" PRId64, p->limit);
	if (p->limit != INT64_MAX && p->row->of.per_chip > 1)
		sbuf_addf(b, " (%" PRId64 " cores)", p->row->q->limit_value.v);
}

/* NULL: the quota is enough, or unknown. */
static const char *quota_note_of(const struct quota_rows *x, const struct grant *g)
{
	bool spot = price_class_preemptible(g->provisioning);
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	const struct quota_pool *best = NULL;
	struct quota_pools pools = {.n = 0};
	const char *before = "; other quotas: ";

	pools_find(x, g, &pools);
	for (size_t i = 0; i < pools.n; i++) {
		const struct quota_pool *p = &pools.v[i];

		if (p->row->of.spot == spot && (!best || pool_left(p) > pool_left(best)))
			best = p;
	}
	if (!best || pool_left(best) >= g->chips)
		return NULL;
	sbuf_addf(&b, "granted %" PRId64 " chip%s; quota %s of %s limits use to ", g->chips,
		g->chips == 1 ? "" : "s", best->row->of.name, best->row->q->project);
	pool_add_limit(best, &b);
	if (best->held.v)
		sbuf_addf(&b, ", of which %" PRId64 " %s held by dead resources",
			best->held.v, best->held.v == 1 ? "is" : "are");
	for (size_t i = 0; i < pools.n; i++) {
		const struct quota_pool *p = &pools.v[i];

		if (p == best || strcmp(p->row->q->project, best->row->q->project) != 0)
			continue;
		sbuf_addf(&b, "%s%s ", before, p->row->of.name);
		pool_add_limit(p, &b);
		before = ", ";
	}
	return arena_strdup(&x->d->arena, b.s);
}

/* The zone may be misspelled; NULL: it exists. */
static const char *zone_note_of(
	struct deriving *d, const struct grant *g, const struct tpu_zones *zones)
{
	struct err why = {0};

	if (!tpu_zone_check(zones, g->type ? g->type : g->family, g->zone, &why))
		return NULL;
	return arena_printf(&d->arena, "%s%s%s", why.msg, *why.fix ? "; " : "", why.fix);
}

enum err_code derive_quotas(struct deriving *d, struct err *e)
{
	const struct settings *s = d->o->settings;
	struct quota_rows rows = {.d = d};
	struct tpu_zones zones = {0};

	if (quota_read(&rows, e) || tpu_zones_read(d->db, &d->arena, &zones, e))
		return e->code;
	tpu_zones_add_prices(&zones, &d->arena, s->prices, s->n_prices);
	for (size_t i = 0; i < s->n_grants; i++) {
		const struct grant *g = &s->grants[i];
		struct row_grant_note in = {
			.line = (int64_t)i, .quota_note = zone_note_of(d, g, &zones)};

		if (!in.quota_note && grant_runs_at(g, d->o->now))
			in.quota_note = quota_note_of(&rows, g);
		if (in.quota_note && derived_put_grant_note(d->db, &in, e))
			return e->code;
	}
	return E_OK;
}
