/* End of grants: the resources that lose their coverage, and how to respond. Evaluated with what
 * runs now, just before the end and at it: a TPU that another grant takes over does not become
 * paid, a TPU that is displaced by it does. */
#include "base/time/civil.h"
#include "base/sbuf.h"
#include "base/str.h"
#include "db_sql.h"
#include "rules/derive/internal.h"
#include "rules/grant/tpu.h"

#include <string.h>

#define SHOWN_AFTER (2 * DAY_SECONDS) /* time for which an ended grant stays in the list */

/* One TPU or request that becomes paid at the end of a grant. */
struct loser {
	const struct fact *f;
	const struct grant *g;
	bool waits;
	struct price price;
	const char *why;
	ts_t again;
	const char *again_grant;
};

struct ending {
	struct deriving *d;
	const struct grant *g;
	ts_t after; /* the end, or now if it has passed */
	bool first; /* of the grants that end at that instant */
	struct opt_i64 chips_used;
	struct loser *v;
	size_t n, cap;
};

/* A resource that has ended by itself then costs nothing. */
static void add_loser(struct ending *x, const struct fact *f, bool waits, const char *why)
{
	struct deriving *d = x->d;

	if (f->ends.set && f->ends.v <= x->after)
		return;
	*arena_push(&d->temp, x) = (struct loser){.f = f,
		.g = x->g,
		.waits = waits,
		.price = price_tpu(
			&d->book, f->type, f->location, price_class_of(f->provisioning)),
		.why = why,
		.again = TS_NONE};
}

/* Does the TPU lose its coverage because of this end? Its grant ends; or another grant continues,
 * but an older TPU needs that one now. */
static bool ends_is_ours(const struct ending *x, int64_t grant)
{
	const struct grant *by = &x->d->o->settings->grants[grant];

	if (!strcmp(by->name, x->g->name))
		return true;
	return x->first && grant_runs_at(by, x->after);
}

static bool surely_paid(const struct cov_verdict *v)
{
	return !v->covered && v->why != WHY_PROVISIONING_UNKNOWN;
}

/* TPUs that run now. For an ended grant, only those that existed before its end. */
static void ends_find_running(
	struct ending *x, struct cov_node *nodes, const struct cov_input *in)
{
	struct deriving *d = x->d;
	size_t n = in->n_nodes + 1;
	struct cov_verdict *before = arena_alloc(&d->temp, n * sizeof(*before));
	struct cov_verdict *after = arena_alloc(&d->temp, n * sizeof(*after));
	int64_t *used = arena_alloc(&d->temp, (in->n_grants + 1) * sizeof(*used));
	struct cov_input codes = *in;

	codes.wordless = true;
	for (size_t i = 0; i < in->n_nodes; i++)
		nodes[i].running = nodes[i].created == TS_NONE ||
			nodes[i].created < x->g->until;
	coverage_at(&codes, x->g->until - 1, &d->temp, before, used);
	for (size_t i = 0; i < in->n_nodes; i++)
		nodes[i].running = true;
	coverage_at(in, x->after, &d->temp, after, NULL);
	for (size_t i = 0; i < in->n_grants; i++)
		if (!strcmp(in->grants[i].name, x->g->name) && x->chips_used.set)
			x->chips_used = used[i] < 0 ? NONE
						    : SOME(x->chips_used.v + used[i]);
	for (size_t i = 0; i < in->n_nodes; i++)
		if (before[i].covered && surely_paid(&after[i]) &&
			ends_is_ours(x, before[i].grant))
			add_loser(x, fact_find(d, nodes[i].id), false, after[i].text);
}

/* Nodes that are being created and requests that wait: each is evaluated as if it were the only
 * one. */
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
		if (!strcmp(f->kind, "queued")) /* its TPU will be the newest possible */
			node.created = TS_NONE;
		one.nodes = &node;
		one.n_nodes = 1;
		coverage_at(&one, x->g->until - 1, &d->temp, &before, NULL);
		coverage_at(&one, x->after, &d->temp, &after, NULL);
		if (before.covered && surely_paid(&after) && ends_is_ours(x, before.grant))
			add_loser(x, f, true, after.text);
	}
}

/* Grants that begin later: when one of them covers the running TPU. */
static void find_again(struct ending *x, const struct cov_input *in)
{
	struct arena *a = &x->d->temp;
	struct cov_verdict *then = arena_alloc(a, (in->n_nodes + 1) * sizeof(*then));
	struct cov_input codes = *in;

	codes.wordless = true;
	for (size_t g = 0; x->n && g < in->n_grants; g++) {
		ts_t starts = in->grants[g].starts;

		if (starts == TS_NONE || starts <= x->after)
			continue;
		coverage_at(&codes, starts, a, then, NULL);
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

/* ---- resources next to a TPU ---------------------------------------------------------------- */

/* Names of the disks that are attached to the TPU, or NULL. */
static const char *disks_of(
	const struct deriving *d, const struct fact *tpu, struct arena *a)
{
	cleanup(sbuf_done) struct sbuf lead = SBUF_INIT;
	const char *out = NULL;

	/* those of its zone follow one another */
	sbuf_addf(&lead, "%s/disk/%s/", tpu->project, tpu->location);
	for (size_t i = fact_first(d, lead.s);
		i < d->n_facts && str_starts(d->facts[i].id, lead.s); i++) {
		const struct fact *f = &d->facts[i];

		if (str_eq(f->attached_to, tpu->name))
			out = out ? arena_printf(a, "%s, %s", out, f->name) : f->name;
	}
	return out;
}

/* Bucket of the project in the region of the zone: copying there causes no charged traffic. */
static const char *bucket_near(const struct deriving *d, const struct fact *tpu)
{
	cleanup(sbuf_done) struct sbuf lead = SBUF_INIT;
	char region[REGION_BUF];

	if (!zone_to_region(tpu->location, region))
		return NULL;
	sbuf_addf(&lead, "%s/bucket/", tpu->project);
	for (size_t i = fact_first(d, lead.s);
		i < d->n_facts && str_starts(d->facts[i].id, lead.s); i++)
		if (str_ieq(d->facts[i].location, region))
			return d->facts[i].name;
	return NULL;
}

/* ---- storage ------------------------------------------------------------------------------- */

static const char *loser_key(void *ctx, uint32_t number, int column)
{
	const struct loser *l = &((struct deriving *)ctx)->losers.v[number];

	return column ? l->f->id : l->g->name;
}

static void loser_row(void *ctx, uint32_t number, void *row)
{
	struct deriving *d = ctx;
	struct arena *a = &d->brief;
	const struct loser *l = &d->losers.v[number];
	const struct fact *f = l->f;
	struct row_grant_end_part *out = row;
	struct tpu_target target;

	arena_reset(a);
	target = derive_target(d, f, a);
	*out = (struct row_grant_end_part){.grant_name = l->g->name,
		.id = f->id,
		.until = l->g->until,
		.waits = l->waits,
		.type = f->type,
		.gross = price_amount(&l->price),
		.currency = price_currency(&l->price),
		.again = opt_of_ts(l->again),
		.again_grant = l->again_grant,
		.why_text = l->why,
		.delete_command = tpu_delete_command(&target, a)};
	if (!l->waits) {
		out->copy_command = tpu_copy_command(&target, a);
		out->storage_command = tpu_storage_command(&target, bucket_near(d, f), a);
		out->disks = disks_of(d, f, a);
	}
}

static enum err_code put_loser(const struct ending *x, const struct loser *l, struct err *e)
{
	struct deriving *d = x->d;
	const char *like = d->losers.n ? d->losers.v[d->losers.n - 1].why : NULL;
	struct loser *kept = arena_push(&d->kept, &d->losers);

	*kept = *l;
	kept->why = str_eq(like, l->why) ? like : arena_strdup(&d->kept, l->why);
	return db_derived_add(
		d->db, DERIVED_GRANT_END_PART, (uint32_t)(d->losers.n - 1), e);
}

/* Grant that continues this one at its end. */
static const char *renewed_by(const struct deriving *d, const struct grant *g)
{
	const struct settings *s = d->o->settings;

	for (size_t i = 0; i < s->n_grants; i++)
		if (str_eq(s->grants[i].extends, g->name) &&
			grant_runs_at(&s->grants[i], g->until))
			return s->grants[i].name;
	return NULL;
}

static const char *paid_text(const struct ending *x, const struct row_grant_end *in)
{
	struct arena *a = &x->d->temp;

	if (!in->becomes_paid)
		return "no running TPU becomes paid";
	return arena_printf(a, "%lld running %s paid, %s", (long long)in->becomes_paid,
		in->becomes_paid == 1 ? "TPU becomes" : "TPUs become",
		in->per_hour.set ? arena_printf(a, "%s an hour in total",
					   money_words(a, in->per_hour.v, in->currency))
				 : "at an unknown price");
}

static enum err_code put_ending(const struct ending *x, struct err *e)
{
	cleanup(sbuf_done) struct sbuf ids = SBUF_INIT;
	struct price sum = {.known = true};
	struct row_grant_end in = {.name = x->g->name,
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
	in.paid_text = paid_text(x, &in);
	in.resources = ids.len ? ids.s : NULL;
	return derived_put_grant_end(x->d->db, &in, e);
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
	static const struct db_computed by = {loser_row, loser_key, .brief = true};
	const struct settings *s = d->o->settings;
	struct cov_node *nodes;
	struct cov_input in;

	db_derived_compute(d->db, DERIVED_GRANT_END_PART, &by, d);
	derive_running(d, &in);
	nodes = arena_alloc(&d->temp, (in.n_nodes + 1) * sizeof(*nodes));
	memcpy(nodes, in.nodes, in.n_nodes * sizeof(*nodes));
	in.nodes = nodes;
	in.now = d->o->now;
	for (size_t i = 0; i < s->n_grants; i++) {
		const struct grant *g = &s->grants[i];
		struct ending x = {.d = d, .g = g, .chips_used = SOME(0)};

		if (grant_find(s->grants, s->n_grants, g->name) != (int64_t)i ||
			!is_listed(d, g))
			continue;
		x.after = g->until > d->o->now ? g->until : d->o->now;
		x.first = ends_first(d, i);
		ends_find_running(&x, nodes, &in);
		find_again(&x, &in);
		find_waiting(&x, &in);
		if (put_ending(&x, e))
			return e->code;
	}
	return E_OK;
}
