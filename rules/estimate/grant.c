/* Coverage of proposed resources, and the places where they would be covered. */
#include "base/str.h"
#include "rules/estimate/internal.h"
#include "rules/grant/tpu.h"

#include <stdlib.h>
#include <string.h>

#define ADVICE_MAX 3 /* of one wish */

/* TPUs that run or are being created, and proposed ones, with the wish of each. */
struct nodes {
	struct cov_input in;
	struct cov_node *v;
	size_t *thing; /* n_things: it exists already */
	struct cov_verdict *verdicts;
	bool any_unwatched;
};

static void advice_gather(struct estimating *x, struct nodes *n)
{
	size_t size = x->world.n_facts + 1;

	derive_running(&x->world, &n->in);
	n->v = arena_alloc(x->a, size * sizeof(*n->v));
	n->thing = arena_alloc(x->a, size * sizeof(*n->thing));
	n->verdicts = arena_alloc(x->a, size * sizeof(*n->verdicts));
	memcpy(n->v, n->in.nodes, n->in.n_nodes * sizeof(*n->v));
	n->in.nodes = n->v;
	/* A TPU that is being created is not evaluated yet, but will use its chips before the
	 * proposed ones. */
	for (size_t i = 0; i < x->world.n_facts; i++) {
		const struct fact *f = &x->world.facts[i];

		if (str_eq(f->kind, "tpu") && str_eq(f->state, "starting"))
			derive_node(f, &n->v[n->in.n_nodes++]);
	}
	for (size_t i = 0; i < n->in.n_nodes; i++) {
		size_t *at = strmap_get(&x->ids, n->v[i].id);

		n->thing[i] = at ? *at : x->out->n_things;
		n->v[i].named_only = at && x->out->things[*at].wish->unwatched;
		n->any_unwatched = n->any_unwatched || n->v[i].named_only;
		/* Proposed TPUs come last, also if the clock is behind Google's, or if the creation
		 * time of another one is unknown. */
		if (at)
			n->v[i].created = TS_NONE;
		else if (n->v[i].created == TS_NONE)
			n->v[i].created = INT64_MAX;
	}
}

/* Nodes of the same pool in another zone: a change of the zone is for all of them. */
static bool advice_moves_others(const struct estimating *x, const struct estimate_advice *v)
{
	const struct estimate_thing *all = x->out->things, *t = &all[v->thing];

	for (size_t i = 0; v->zone && t->wish->zone_flag && i < x->out->n_things; i++)
		if (i != v->thing && all[i].wish->zone_flag &&
			str_eq(all[i].wish->name, t->wish->name))
			return true;
	return false;
}

static bool advice_ends_before(
	const struct grant *g, const struct estimate_thing *t, ts_t now)
{
	return t->starts > now && g->until != TS_NONE && g->until <= t->starts;
}

/* A queued request may start after the grant has ended. */
static struct cov_verdict at_start(
	struct estimating *x, const struct estimate_thing *t, const struct cov_verdict *v)
{
	struct cov_verdict out = *v;
	char ends[TZ_TIME_BUF], starts[TZ_TIME_BUF];
	const struct grant *g = v->covered ? &x->s->grants[v->grant] : NULL;

	if (!g || !advice_ends_before(g, t, x->now))
		return out;
	out.covered = false;
	out.grant = -1;
	out.why = WHY_EXPIRED;
	out.text = arena_printf(x->a, "grant %s ends %s, before this starts, %s", g->name,
		tz_time(x->s->tz, g->until, ends), tz_time(x->s->tz, t->starts, starts));
	return out;
}

/* A grant without a project applies to the projects that are watched. */
static void make_unknown(
	struct estimating *x, struct estimate_thing *t, struct cov_verdict *v)
{
	t->unknown = true;
	x->out->unknown_project = t->r.project;
	*v = (struct cov_verdict){.applies = true,
		.grant = -1,
		.why = WHY_NO_GRANT,
		.text = arena_printf(x->a,
			"project %s is not watched (projects:); it is unknown whether the "
			"grant is for it",
			t->r.project)};
}

/* `is_for`: the covering grant is for its project. */
static void take_verdict(struct estimating *x, struct estimate_thing *t,
	const struct cov_verdict *now, bool is_for)
{
	struct cov_verdict begin = at_start(x, t, now), *v = &begin;
	bool first = !t->applies, says;

	if (v->covered && !is_for)
		make_unknown(x, t, v);
	t->applies = true;
	/* the first one that is not free represents all */
	says = first || (!v->covered && t->why == WHY_COVERED);
	if (says) {
		t->why = v->why;
		t->why_text = arena_strdup(x->a, v->text);
	}
	t->covered += v->covered;
	if (v->covered &&
		(t->grant < 0 ||
			grant_ends_before(
				&x->s->grants[v->grant], &x->s->grants[t->grant]))) {
		t->grant = v->grant;
		t->grant_name = x->s->grants[v->grant].name;
	}
}

/* ---- places where it would be free ------------------------------------------------------------- */

static struct estimate_advice advice_differences(
	const struct estimate_thing *t, size_t thing, const struct grant *g)
{
	struct estimate_advice v = {.thing = thing, .grant_name = g->name};

	if (!str_eq(g->zone, t->r.zone))
		v.zone = g->zone;
	if (g->type && !str_eq(g->type, t->r.type))
		v.type = g->type;
	if (!str_eq(g->provisioning, t->r.provisioning))
		v.provisioning = g->provisioning;
	v.changes = (v.zone != NULL) + (v.type != NULL) + (v.provisioning != NULL);
	return v;
}

static bool advice_is_known(const struct estimating *x, const struct estimate_advice *v)
{
	for (size_t i = 0; i < x->out->n_advice; i++) {
		const struct estimate_advice *b = &x->out->advice[i];

		if (v->thing == b->thing && str_eq(v->zone, b->zone) &&
			str_eq(v->type, b->type) &&
			str_eq(v->provisioning, b->provisioning))
			return true;
	}
	return false;
}

/* Would all of them be free then? The other wishes stay unchanged. */
static bool would_be_free(
	struct estimating *x, const struct nodes *n, const struct estimate_advice *v)
{
	const struct estimate_thing *t = &x->out->things[v->thing];
	struct fact f = {.kind = "tpu",
		.created = TS_NONE,
		.location = v->zone ? v->zone : t->r.zone,
		.type = v->type ? v->type : t->r.type,
		.provisioning = v->provisioning ? v->provisioning : t->r.provisioning};
	struct nodes other = *n;
	int64_t covered = 0;

	other.v = arena_alloc(x->a, (n->in.n_nodes + 1) * sizeof(*other.v));
	memcpy(other.v, n->v, n->in.n_nodes * sizeof(*other.v));
	other.in.nodes = other.v;
	for (size_t i = 0; i < n->in.n_nodes; i++) {
		if (n->thing[i] != v->thing)
			continue;
		f.id = n->v[i].id;
		f.name = n->v[i].name;
		derive_node(&f, &other.v[i]);
		other.v[i].named_only = t->wish->unwatched;
	}
	coverage_at(&other.in, x->now, x->a, n->verdicts, NULL);
	for (size_t i = 0; i < n->in.n_nodes; i++)
		covered += n->thing[i] == v->thing && n->verdicts[i].covered;
	return covered == t->count;
}

static int by_changes(const void *pa, const void *pb)
{
	const struct estimate_advice *a = pa, *b = pb;

	if (a->thing != b->thing)
		return a->thing < b->thing ? -1 : 1;
	if (a->changes != b->changes)
		return a->changes - b->changes;
	return strcmp(a->grant_name, b->grant_name);
}

static void advice_add(
	struct estimating *x, const struct nodes *n, size_t thing, size_t *cap)
{
	const struct estimate_thing *t = &x->out->things[thing];
	const char *family = t->r.type ? tpu_family_of_type(t->r.type) : NULL;
	struct estimate *out = x->out;
	size_t kept = 0;

	for (size_t i = 0; i < x->s->n_grants && kept < ADVICE_MAX; i++) {
		const struct grant *g = &x->s->grants[i];
		struct estimate_advice v = advice_differences(t, thing, g);

		if (!v.changes || !str_eq(g->family, family) || advice_is_known(x, &v) ||
			advice_ends_before(g, t, x->now) || advice_moves_others(x, &v) ||
			!would_be_free(x, n, &v))
			continue;
		*arena_append(x->a, out->advice, out->n_advice, *cap) = v;
		kept++;
	}
}

/* Verdicts if all grants were for all projects. */
static struct cov_verdict *if_watched(struct estimating *x, const struct nodes *n)
{
	struct cov_verdict *out = arena_alloc(x->a, (n->in.n_nodes + 1) * sizeof(*out));
	struct cov_node *v = arena_alloc(x->a, (n->in.n_nodes + 1) * sizeof(*v));
	struct cov_input in = n->in;

	memcpy(v, n->v, n->in.n_nodes * sizeof(*v));
	for (size_t i = 0; i < in.n_nodes; i++)
		v[i].named_only = false;
	in.nodes = v;
	coverage_at(&in, x->now, x->a, out, NULL);
	return out;
}

static void take_verdicts(struct estimating *x, const struct nodes *n)
{
	const struct cov_verdict *loose = n->any_unwatched ? if_watched(x, n) : n->verdicts;

	for (size_t i = 0; i < n->in.n_nodes; i++) {
		bool sure = n->verdicts[i].covered || !n->v[i].named_only;

		if (n->thing[i] < x->out->n_things)
			take_verdict(x, &x->out->things[n->thing[i]],
				sure ? &n->verdicts[i] : &loose[i], sure);
	}
}

void estimate_coverage(struct estimating *x)
{
	int64_t *used = arena_alloc(x->a, (x->s->n_grants + 1) * sizeof(*used));
	struct nodes n = {0};
	size_t cap = 0;

	advice_gather(x, &n);
	coverage_at(&n.in, x->now, x->a, n.verdicts, used);
	take_verdicts(x, &n);
	for (size_t i = 0; i < x->out->n_things; i++) {
		struct estimate_thing *t = &x->out->things[i];

		/* Chips that remain after the proposal. */
		if (t->grant >= 0)
			t->room = SOME(grant_room(x->s, (size_t)t->grant, used, x->now));
		if (t->applies && !t->unknown && t->covered < t->count)
			advice_add(x, &n, i, &cap);
	}
	if (x->out->n_advice)
		qsort(x->out->advice, x->out->n_advice, sizeof(*x->out->advice),
			by_changes);
}
