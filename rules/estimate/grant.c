/* Coverage of proposed resources, and the places where they would be covered. */
#include "base/str.h"
#include "rules/estimate/internal.h"
#include "rules/grant/tpu.h"

#include <stdlib.h>
#include <string.h>

#define ADVICE_MAX 3 /* of one wish */

/* TPUs that run or are being created, and proposed ones, with the wish of each. Each has the time in which it runs. */
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
	struct cov_span *spans = arena_alloc(x->a, size * sizeof(*spans));

	derive_running(&x->world, &n->in);
	n->v = arena_alloc(x->a, size * sizeof(*n->v));
	n->thing = arena_alloc(x->a, size * sizeof(*n->thing));
	n->verdicts = arena_alloc(x->a, size * sizeof(*n->verdicts));
	memcpy(n->v, n->in.nodes, n->in.n_nodes * sizeof(*n->v));
	n->in.nodes = n->v;
	n->in.now = x->now;
	/* A TPU that is being created is not evaluated yet, but will use its chips before the
	 * proposed ones. */
	for (size_t i = 0; i < x->world.n_facts; i++) {
		const struct fact *f = &x->world.facts[i];

		if (str_eq(f->kind, "tpu") && str_eq(f->state, "starting"))
			derive_node(f, &n->v[n->in.n_nodes++]);
	}
	for (size_t i = 0; i < n->in.n_nodes; i++) {
		size_t *at = strmap_get(&x->ids, n->v[i].id);
		const struct estimate_thing *t = at ? &x->out->things[*at] : NULL;
		struct cov_node *v = &n->v[i];

		n->thing[i] = at ? *at : x->out->n_things;
		v->named_only = t && t->wish->unwatched;
		n->any_unwatched = n->any_unwatched || v->named_only;
		/* Proposed TPUs come last, also if the clock is behind Google's, or if the creation
		 * time of another one is unknown. */
		if (t)
			v->created = t->starts > x->now ? t->starts : x->now + 1;
		else if (v->created == TS_NONE || v->created > x->now)
			v->created = x->now;
		spans[i] = t         ? (struct cov_span){t->starts, ts_of_opt(t->r.ends)}
			: v->n_spans ? v->spans[0]
				     : (struct cov_span){x->now, TS_NONE};
		v->spans = &spans[i];
		v->n_spans = 1;
	}
}

/* Verdicts on all that runs at t. */
static void nodes_at(struct estimating *x, const struct nodes *n, ts_t t,
	struct cov_verdict *out, int64_t *used)
{
	for (size_t i = 0; i < n->in.n_nodes; i++) {
		const struct cov_span *span = n->v[i].spans;

		n->v[i].running = span->starts <= t &&
			(span->ends == TS_NONE || t < span->ends);
	}
	coverage_at(&n->in, t, x->a, out, used);
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

/* A grant without a project applies to the projects that are watched, and its room is known if their TPUs are. */
static void make_unknown(
	struct estimating *x, struct estimate_thing *t, struct cov_verdict *v, bool is_for)
{
	const char *text;

	if (is_for) {
		x->out->unknown = arena_printf(x->a,
			"TPUs of a project that grant %s covers were never read",
			x->s->grants[v->grant].name);
		x->out->unknown_fix = "run: tpucost sources";
		text = arena_printf(
			x->a, "%s; it is unknown whether it has room", x->out->unknown);
	} else {
		x->out->unknown = arena_printf(
			x->a, "project %s is not watched", t->r.project);
		x->out->unknown_fix = "add it to projects: of the configuration, or to "
				      "the grant as its project:";
		text = arena_printf(x->a,
			"%s (projects:); it is unknown whether the grant is for it",
			x->out->unknown);
	}
	t->unknown = true;
	*v = (struct cov_verdict){
		.applies = true, .grant = -1, .why = WHY_NO_GRANT, .text = text};
}

/* `is_for`: the covering grant is for its project. */
static void take_verdict(struct estimating *x, struct estimate_thing *t,
	const struct cov_verdict *at_start, bool is_for)
{
	struct cov_verdict begin = *at_start, *v = &begin;
	bool first = !t->applies, says;
	char starts[TZ_TIME_BUF];

	if (v->covered && (!is_for || x->unread[v->grant]))
		make_unknown(x, t, v, is_for);
	t->applies = true;
	/* the first one that is not free represents all */
	says = first || (!v->covered && t->why == WHY_COVERED);
	if (says) {
		t->why = v->why;
		t->why_text = t->starts > x->now && !v->covered
			? arena_printf(x->a, "%s; this starts %s", v->text,
				  tz_time(x->s->tz, t->starts, starts))
			: arena_strdup(x->a, v->text);
	}
	t->covered += v->covered;
	if (v->why == WHY_PROVISIONING_UNKNOWN) {
		t->unknown = true;
		if (!x->out->unknown)
			x->out->unknown = "an older TPU, whose class Google does not "
					  "state, may use the grant";
	}
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
		f.created = n->v[i].created;
		derive_node(&f, &other.v[i]);
		other.v[i].named_only = t->wish->unwatched;
		other.v[i].spans = n->v[i].spans;
		other.v[i].n_spans = 1;
	}
	nodes_at(x, &other, t->starts, n->verdicts, NULL);
	for (size_t i = 0; i < n->in.n_nodes; i++)
		covered += n->thing[i] == v->thing && n->verdicts[i].covered &&
			!x->unread[n->verdicts[i].grant];
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
			advice_moves_others(x, &v) || !would_be_free(x, n, &v))
			continue;
		*arena_append(x->a, out->advice, out->n_advice, *cap) = v;
		kept++;
	}
}

/* Verdicts at t if all grants were for all projects. */
static struct cov_verdict *if_watched(struct estimating *x, const struct nodes *n, ts_t t)
{
	struct cov_verdict *out = arena_alloc(x->a, (n->in.n_nodes + 1) * sizeof(*out));
	struct nodes other = *n;

	other.v = arena_alloc(x->a, (n->in.n_nodes + 1) * sizeof(*other.v));
	memcpy(other.v, n->v, n->in.n_nodes * sizeof(*other.v));
	other.in.nodes = other.v;
	for (size_t i = 0; i < n->in.n_nodes; i++)
		other.v[i].named_only = false;
	nodes_at(x, &other, t, out, NULL);
	return out;
}

/* Those of one wish, at its start. */
static void take_verdicts(struct estimating *x, const struct nodes *n, size_t thing)
{
	struct estimate_thing *t = &x->out->things[thing];
	int64_t *used = arena_alloc(x->a, (x->s->n_grants + 1) * sizeof(*used));
	const struct cov_verdict *loose = n->verdicts;

	nodes_at(x, n, t->starts, n->verdicts, used);
	if (n->any_unwatched)
		loose = if_watched(x, n, t->starts);
	for (size_t i = 0; i < n->in.n_nodes; i++) {
		bool sure = n->verdicts[i].covered || !n->v[i].named_only;

		if (n->thing[i] == thing)
			take_verdict(x, t, sure ? &n->verdicts[i] : &loose[i], sure);
	}
	/* Chips that remain after the proposal. */
	if (t->grant >= 0)
		t->room = grant_room(x->s, (size_t)t->grant, used, t->starts);
}

/* From now on, with what runs now: the end of a grant also moves older TPUs into the others, and a
 * renewal continues it. */
static void look_ahead(struct estimating *x, const struct nodes *n)
{
	struct cov_input in = n->in;
	const struct cov_row *rows;
	size_t n_rows;

	in.wordless = true;
	rows = coverage_sweep(&in, x->now, INT64_MAX, x->a, &n_rows);
	for (size_t i = 0; i < n_rows; i++) {
		const struct cov_row *r = &rows[i], *last = i ? r - 1 : NULL;
		size_t thing = n->thing[r->node];
		struct estimate_thing *t = &x->out->things[thing];

		if (thing == x->out->n_things || r->covered)
			continue;
		if (t->run)
			t->run_paid += r->ends - r->starts;
		if (!last || last->node != r->node || !last->covered ||
			(t->lapsing && t->lapses < r->starts))
			continue;
		t->lapsing = t->lapsing && t->lapses == r->starts ? t->lapsing + 1 : 1;
		t->lapses = r->starts;
		t->lapses_in = last->grant;
	}
}

enum err_code estimate_coverage(struct estimating *x, struct err *e)
{
	struct q_proposal_unread *unread;
	struct nodes n = {0};
	size_t cap = 0, n_unread;

	if (q_proposal_unread_all(x->db, x->a, &unread, &n_unread, e))
		return e->code;
	x->unread = arena_alloc(x->a, (x->s->n_grants + 1) * sizeof(*x->unread));
	for (size_t i = 0; i < n_unread; i++)
		x->unread[unread[i].line] = true;
	advice_gather(x, &n);
	for (size_t i = 0; i < x->out->n_things; i++)
		if (str_eq(x->out->things[i].r.kind, "tpu"))
			take_verdicts(x, &n, i);
	look_ahead(x, &n);
	for (size_t i = 0; i < x->out->n_things; i++) {
		const struct estimate_thing *t = &x->out->things[i];

		if (t->applies && !t->unknown && t->covered < t->count)
			advice_add(x, &n, i, &cap);
	}
	if (x->out->n_advice)
		qsort(x->out->advice, x->out->n_advice, sizeof(*x->out->advice),
			by_changes);
	return E_OK;
}
