/* The end of grants: what nothing covers from then on, and what to do about it. Judged with
 * what runs now, just before the end and at it: what another grant takes over does not become
 * paid, what is pushed out by that does. */
#include "base/civil.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/derive_parts.h"

#include <string.h>

#define SHOWN_AFTER (2 * DAY_SECONDS) /* how long an ended grant stays in the list */

/* One TPU or request that becomes paid. */
struct loser {
	const struct fact *f;
	bool waits;
	struct price price;
	const char *why;
	ts_t again;
	const char *again_grant;
};

struct ending {
	struct deriving *d;
	const struct grant *g;
	ts_t after; /* the end, or now when it is over */
	bool first; /* of the grants that end at that instant */
	int64_t chips_used;
	struct loser *v;
	size_t n, cap;
};

static bool covers_at(const struct grant *g, ts_t t)
{
	return (g->starts == TS_NONE || g->starts <= t) &&
		(g->until == TS_NONE || t < g->until);
}

static void add_loser(struct ending *x, const struct fact *f, bool waits, const char *why)
{
	struct deriving *d = x->d;
	bool spot = f->provisioning && !strcmp(f->provisioning, "spot");
	struct loser *l;

	x->v = arena_grow(&d->arena, x->v, x->n, &x->cap, sizeof(*x->v));
	l = &x->v[x->n++];
	*l = (struct loser){.f = f, .waits = waits, .why = why, .again = TS_NONE};
	l->price = f->type ? price_tpu(&d->book, f->type, f->location, spot)
			   : (struct price){.source = PRICE_UNKNOWN};
}

/* Is it this end that it loses its cover by? Its grant ends; or another one goes on, but an
 * older TPU needs that one now. */
static bool is_ours(const struct ending *x, int64_t grant)
{
	const struct grant *by = &x->d->o->settings->grants[grant];

	if (!strcmp(by->name, x->g->name))
		return true;
	return x->first && covers_at(by, x->after);
}

static const struct fact *fact_of(const struct deriving *d, const struct cov_node *n)
{
	size_t low = 0, high = d->n_facts;

	while (low < high) { /* facts are sorted by id */
		size_t mid = low + (high - low) / 2;
		int order = strcmp(d->facts[mid].id, n->id);

		if (!order)
			return &d->facts[mid];
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* What runs now. Of an ended grant only what was there before its end. */
static void find_running(
	struct ending *x, struct cov_node *nodes, const struct cov_input *in)
{
	struct deriving *d = x->d;
	size_t n = in->n_nodes + 1;
	struct cov_verdict *before = arena_alloc(&d->arena, n * sizeof(*before));
	struct cov_verdict *after = arena_alloc(&d->arena, n * sizeof(*after));
	int64_t *used = arena_alloc(&d->arena, (in->n_grants + 1) * sizeof(*used));

	for (size_t i = 0; i < in->n_nodes; i++)
		nodes[i].running = nodes[i].created == TS_NONE ||
			nodes[i].created < x->g->until;
	coverage_at(in, x->g->until - 1, &d->arena, before, used);
	for (size_t i = 0; i < in->n_nodes; i++)
		nodes[i].running = true;
	coverage_at(in, x->after, &d->arena, after, NULL);
	for (size_t i = 0; i < in->n_grants; i++)
		if (!strcmp(in->grants[i].name, x->g->name))
			x->chips_used += used[i];
	for (size_t i = 0; i < in->n_nodes; i++)
		if (before[i].covered && !after[i].covered && is_ours(x, before[i].grant))
			add_loser(x, fact_of(d, &nodes[i]), false, after[i].text);
}

/* Nodes that are being made and requests that wait: each judged as if it were alone. */
static void find_waiting(struct ending *x, const struct cov_input *in)
{
	struct deriving *d = x->d;

	for (size_t i = 0; i < d->n_facts; i++) {
		const struct fact *f = &d->facts[i];
		struct cov_node node;
		struct cov_input one = *in;
		struct cov_verdict before, after;

		if (strcmp(f->state, "starting") != 0 || !f->type ||
			(strcmp(f->kind, "tpu") != 0 && strcmp(f->kind, "queued") != 0))
			continue;
		derive_node(f, &node);
		if (!strcmp(f->kind, "queued")) /* its TPU will be as new as can be */
			node.created = TS_NONE;
		one.nodes = &node;
		one.n_nodes = 1;
		coverage_at(&one, x->g->until - 1, &d->arena, &before, NULL);
		coverage_at(&one, x->after, &d->arena, &after, NULL);
		if (before.covered && !after.covered && is_ours(x, before.grant))
			add_loser(x, f, true, after.text);
	}
}

/* Grants that begin later: when does one of them cover what runs now? */
static void find_again(struct ending *x, const struct cov_input *in)
{
	struct arena *a = &x->d->arena;
	struct cov_verdict *then = arena_alloc(a, (in->n_nodes + 1) * sizeof(*then));

	for (size_t g = 0; x->n && g < in->n_grants; g++) {
		ts_t starts = in->grants[g].starts;

		if (starts == TS_NONE || starts <= x->after)
			continue;
		coverage_at(in, starts, a, then, NULL);
		for (size_t i = 0, k = 0; i < in->n_nodes && k < x->n; i++) {
			struct loser *l = &x->v[k];

			if (l->f->id != in->nodes[i].id)
				continue;
			k++;
			if (!then[i].covered || (l->again != TS_NONE && l->again <= starts))
				continue;
			l->again = starts;
			l->again_grant = in->grants[then[i].grant].name;
		}
	}
}

/* ---- commands ------------------------------------------------------------------------------ */

static const char *kept(struct deriving *d, struct sbuf *b)
{
	const char *s = arena_strdup(&d->arena, b->s);

	sbuf_reset(b);
	return s;
}

static void add_place(struct sbuf *b, const struct q_tpu_place *p)
{
	sbuf_adds(b, " --zone=");
	sbuf_add_shell(b, p->location);
	sbuf_adds(b, " --project=");
	sbuf_add_shell(b, p->project);
}

static bool is_machine(const struct q_tpu_place *p)
{
	return !strcmp(p->source, "vm");
}

/* The TPUs of a queued resource go with it, and only with it. */
static const char *delete_command(
	struct deriving *d, const struct q_tpu_place *p, struct sbuf *b)
{
	bool queued = !strcmp(p->source, "queued") || p->queued;

	sbuf_adds(b,
		is_machine(p)    ? "gcloud compute instances delete "
			: queued ? "gcloud compute tpus queued-resources delete "
				 : "gcloud compute tpus tpu-vm delete ");
	sbuf_add_shell(b, !is_machine(p) && p->queued ? p->queued : p->name);
	add_place(b, p);
	sbuf_adds(b, queued && !is_machine(p) ? " --force" : "");
	return kept(d, b);
}

static const char *copy_command(
	struct deriving *d, const struct q_tpu_place *p, struct sbuf *b)
{
	cleanup(sbuf_done) struct sbuf word = SBUF_INIT;

	sbuf_adds(b,
		is_machine(p) ? "gcloud compute scp --recurse "
			      : "gcloud compute tpus tpu-vm scp --recurse --worker=all ");
	sbuf_addf(&word, "%s:~/OUTPUT", p->name);
	sbuf_add_shell(b, word.s);
	sbuf_trunc(&word, 0);
	sbuf_addf(&word, "./%s/", p->name);
	sbuf_addc(b, ' ');
	sbuf_add_shell(b, word.s);
	add_place(b, p);
	return kept(d, b);
}

/* Each worker copies to a bucket of the TPU's own region, where traffic costs nothing. */
static enum err_code storage_command(struct deriving *d, const struct q_tpu_place *p,
	struct sbuf *b, const char **out, struct err *e)
{
	cleanup(sbuf_done) struct sbuf word = SBUF_INIT;
	char region[REGION_BUF];
	struct q_bucket_near_in in = {.project = p->project, .region = region};
	struct q_bucket_near bucket;
	bool found = false;

	if (zone_to_region(p->location, region) &&
		q_bucket_near_one(d->db, &in, &d->arena, &bucket, &found, e))
		return e->code;
	sbuf_adds(b,
		is_machine(p) ? "gcloud compute ssh " : "gcloud compute tpus tpu-vm ssh ");
	sbuf_add_shell(b, p->name);
	add_place(b, p);
	sbuf_adds(b, is_machine(p) ? " --command=" : " --worker=all --command=");
	sbuf_addf(&word, "gcloud storage cp -r ~/OUTPUT gs://%s/%s/$(hostname)/",
		found ? bucket.name : "BUCKET", p->name);
	sbuf_add_shell(b, word.s);
	*out = kept(d, b);
	return E_OK;
}

static enum err_code disks_of(struct deriving *d, const struct q_tpu_place *p,
	struct sbuf *b, const char **out, struct err *e)
{
	struct q_tpu_disks_in in = {
		.project = p->project, .location = p->location, .name = p->name};
	struct q_tpu_disks q;
	struct db_rows rows;

	if (q_tpu_disks_open(d->db, &in, &rows, e))
		return e->code;
	while (q_tpu_disks_next(&rows, &q))
		sbuf_addf(b, "%s%s", b->len ? ", " : "", q.disk);
	*out = b->len ? arena_strdup(&d->arena, b->s) : NULL;
	sbuf_reset(b);
	return db_rows_close(&rows, e);
}

/* ---- storing it ---------------------------------------------------------------------------- */

static enum err_code put_loser(const struct ending *x, const struct loser *l, struct err *e)
{
	struct deriving *d = x->d;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct q_tpu_place_in key = {.id = l->f->id};
	struct q_tpu_place p;
	struct q_grant_end_part_put_in in = {.grant_name = x->g->name,
		.id = l->f->id,
		.until = x->g->until,
		.waits = l->waits,
		.type = l->f->type,
		.again = l->again == TS_NONE ? NONE : SOME(l->again),
		.again_grant = l->again_grant,
		.why_text = l->why};
	bool found;

	if (q_tpu_place_one(d->db, &key, &d->arena, &p, &found, e))
		return e->code;
	if (!found)
		return err_set(e, E_BUG, "%s is not in the inventory", l->f->id);
	if (l->price.known) {
		in.gross = SOME(l->price.nanos);
		in.currency = l->price.cur;
	}
	in.delete_command = delete_command(d, &p, &b);
	if (!l->waits) {
		in.copy_command = copy_command(d, &p, &b);
		if (storage_command(d, &p, &b, &in.storage_command, e) ||
			disks_of(d, &p, &b, &in.disks, e))
			return e->code;
	}
	return q_grant_end_part_put(d->db, &in, e);
}

/* The grant that goes on where this one ends. */
static const char *renewed_by(const struct deriving *d, const struct grant *g)
{
	const struct settings *s = d->o->settings;

	for (size_t i = 0; i < s->n_grants; i++)
		if (str_eq(s->grants[i].extends, g->name) &&
			covers_at(&s->grants[i], g->until))
			return s->grants[i].name;
	return NULL;
}

static enum err_code put_ending(const struct ending *x, struct err *e)
{
	cleanup(sbuf_done) struct sbuf ids = SBUF_INIT;
	struct price sum = {.known = true};
	struct q_grant_end_put_in in = {.name = x->g->name,
		.until = x->g->until,
		.renewed_by = renewed_by(x->d, x->g),
		.chips_used = x->chips_used};

	for (size_t i = 0; i < x->n; i++) {
		const struct loser *l = &x->v[i];

		if (put_loser(x, l, e))
			return e->code;
		if (l->waits)
			continue;
		sum = in.becomes_paid ? price_add(&sum, &l->price) : l->price;
		in.becomes_paid++;
		sbuf_addf(&ids, "%s%s", ids.len ? ", " : "", l->f->id);
	}
	if (sum.known)
		in.per_hour = SOME(sum.nanos);
	if (sum.known && in.becomes_paid)
		in.currency = sum.cur;
	in.resources = ids.len ? ids.s : NULL;
	return q_grant_end_put(x->d->db, &in, e);
}

static bool is_listed(const struct deriving *d, const struct grant *g)
{
	ts_t now = d->o->now;

	return g->until != TS_NONE && (g->starts == TS_NONE || g->starts <= now) &&
		g->until > now - SHOWN_AFTER;
}

static bool ends_first(const struct deriving *d, size_t line)
{
	const struct grant *grants = d->o->settings->grants;

	for (size_t i = 0; i < line; i++)
		if (is_listed(d, &grants[i]) && grants[i].until == grants[line].until)
			return false;
	return true;
}

enum err_code derive_ends(struct deriving *d, struct err *e)
{
	const struct settings *s = d->o->settings;
	struct cov_node *nodes;
	struct cov_input in;

	derive_running(d, &in);
	nodes = arena_alloc(&d->arena, (in.n_nodes + 1) * sizeof(*nodes));
	memcpy(nodes, in.nodes, in.n_nodes * sizeof(*nodes));
	in.nodes = nodes;
	if (q_grant_end_clear(d->db, e) || q_grant_end_part_clear(d->db, e))
		return e->code;
	for (size_t i = 0; i < s->n_grants; i++) {
		const struct grant *g = &s->grants[i];
		struct ending x = {.d = d, .g = g};

		if (grant_find(s->grants, s->n_grants, g->name) != (int64_t)i ||
			!is_listed(d, g))
			continue;
		x.after = g->until > d->o->now ? g->until : d->o->now;
		x.first = ends_first(d, i);
		find_running(&x, nodes, &in);
		find_again(&x, &in);
		find_waiting(&x, &in);
		if (put_ending(&x, e))
			return e->code;
	}
	return E_OK;
}
