/* Resize requests of managed instance groups of TPUs: they wait for capacity, as queued resources of the
 * Cloud TPU API do, and are free. Compute REST reference, instanceGroupManagerResizeRequests. Asked only
 * for groups of a zone that have a TPU; a group with a workload policy has none. */
#include "base/str.h"
#include "collector/inventory.h"
#include "gcp/compute/compute.h"

#include <string.h>

struct resize_group {
	const struct q_resize_groups *of;
	struct gce_resizes list;
};

struct resize_lists {
	struct resize_group *v;
	size_t n;
};

static enum err_code resize_ask(struct poll *p, struct err *e)
{
	struct resize_lists *l = p->state = arena_new(p->arena, struct resize_lists);
	struct q_resize_groups_in in = {.project = p->project};
	struct q_resize_groups *groups;

	if (q_resize_groups_all(p->db, &in, p->arena, &groups, &l->n, e))
		return e->code;
	l->v = arena_alloc(p->arena, (l->n + 1) * sizeof(*l->v));
	for (size_t i = 0; i < l->n; i++) {
		struct resize_group *g = &l->v[i];

		g->of = &groups[i];
		poll_await(p, &g->list.r);
		if (poll_started(p,
			    gce_resize_start(p->gcp, p->project, groups[i].zone,
				    str_after_last(groups[i].group_path, '/'), p->arena,
				    &g->list, e)))
			return e->code;
	}
	return E_OK;
}

/* Ended requests go to a list of their own: their machines exist, or none will come of them. */
static void resize_add(struct poll *p, struct inventory *inv, struct inventory *ended,
	const struct resize_group *g, const struct gce_resize *x)
{
	static const struct {
		const char *google, *ours;
		bool ended;
	} states[] = {{"CREATING", "starting", false}, {"ACCEPTED", "starting", false},
		{"SUCCEEDED", "running", true}, {"FAILED", "failed", true},
		{"CANCELLED", "deleting", true}};
	struct q_resource_put_in *r;
	size_t i = 0;

	while (i < ARRAY_LEN(states) && !str_eq(x->state, states[i].google))
		i++;
	r = inventory_add(p, i < ARRAY_LEN(states) && states[i].ended ? ended : inv,
		"queued", g->of->zone, x->name);
	r->id = arena_printf(
		p->arena, "%s@%s", r->id, str_after_last(g->of->group_path, '/'));
	r->uid = x->id;
	r->raw_state = x->state;
	r->state = i < ARRAY_LEN(states) ? states[i].ours : "unknown";
	r->error = str_eq(r->state, "running") ? NULL : x->error;
	r->type = x->by > 1
		? arena_printf(p->arena, "%lld x %s", (long long)x->by, g->of->type)
		: g->of->type;
	r->nodes = SOME(1);
	r->provisioning = "flex-start";
	r->attached_to = g->of->group_path;
	r->created = opt_of_ts(x->created);
	r->end_action = "delete";
	if (x->run_limit)
		r->run_limit = SOME(x->run_limit);
}

/* Outcome of requests: an interval without length. */
static enum err_code resize_end(
	struct poll *p, const struct inventory *ended, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (!ended->n)
		return E_OK;
	if (db_begin(p->db, &tx, e))
		return e->code;
	for (size_t i = 0; i < ended->n; i++) {
		const struct q_resource_put_in *r = &ended->rows[i];
		struct q_interval_outcome_in in = {.id = r->id,
			.uid = r->uid,
			.kind = r->kind,
			.project = r->project,
			.location = r->location,
			.name = r->name,
			.state = r->state,
			.type = r->type,
			.provisioning = r->provisioning,
			.created = r->created,
			.now = r->now};

		if (q_interval_outcome(p->db, &in, e) || past_resource(p->db, r, e))
			return e->code;
	}
	return db_commit(&tx, e);
}

static enum err_code resize_keep(
	struct poll *p, struct inventory *inv, const char *group_path, struct err *e)
{
	struct q_resize_known_in in = {.project = p->project, .group_path = group_path};
	struct q_resize_known *v;
	size_t n;

	if (q_resize_known_all(p->db, &in, p->arena, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++)
		inventory_keep(p, inv, v[i].id);
	return E_OK;
}

static enum err_code resize_rows(struct poll *p, struct inventory *inv, struct err *e)
{
	const struct resize_lists *l = p->state;
	struct inventory ended = {0};

	for (size_t i = 0; i < l->n; i++) {
		const struct gcp_result *r = &l->v[i].list.r;

		/* Without the permission they are unknown, and nothing else is. A group may have ended. */
		if (r->code == E_DENIED) {
			p->note = r->err.msg;
			if (resize_keep(p, inv, l->v[i].of->group_path, e))
				return e->code;
		} else if (r->code != E_NOTFOUND && poll_result(p, r, e)) {
			return e->code;
		}
		for (size_t k = 0; !r->code && k < l->v[i].list.n; k++)
			resize_add(p, inv, &ended, &l->v[i], &l->v[i].list.v[k]);
	}
	return resize_end(p, &ended, e);
}

static enum err_code resize_take(struct poll *p, struct err *e)
{
	return inventory_store(p, resize_rows, e);
}

const struct source source_resize = {
	.name = "resize",
	.group = "instances",
	.doc = "resize requests of managed instance groups of TPUs",
	.index = INDEX_MACHINES,
	.after = {&source_slice},
	.ask = resize_ask,
	.take = resize_take,
};
