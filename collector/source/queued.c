/* Queued resources: requests for TPUs that wait, are active, or were abandoned. They are free, but
 * a suspended one uses quota and an active one creates its TPUs again. */
#include "collector/inventory.h"
#include "gcp/tpu.h"
#include "gcp/gcp.h"

#include <string.h>

/* One list of all zones or, if Google does not support that, one of each zone. */
struct queued_lists {
	const struct gcp_listing *listing; /* v2alpha1, or v2 if Google refuses that */
	struct tpu_queueds all;
	struct tpu_locations zones;
	struct tpu_queueds *of_zone; /* NULL: not requested yet */
	bool by_zone;
};

static bool queued_alpha(const struct queued_lists *l)
{
	return l->listing == &tpu_queued_alpha_listing;
}

/* Nodes that it is to create, if all are of one type. */
static struct opt_i64 queued_nodes(const struct tpu_queued *q)
{
	int64_t n = 0;

	for (size_t i = 0; i < q->n_nodes; i++) {
		if (strcmp(q->accelerator_types[i], q->accelerator_types[0]) != 0)
			return NONE;
		n += q->node_counts[i];
	}
	return n ? SOME(n) : NONE;
}

static void queued_add(struct poll *p, struct inventory *inv, const struct tpu_queued *q)
{
	const struct queued_lists *l = p->state;
	struct q_resource_put_in *r = inventory_add(p, inv, "queued", q->location, q->name);

	r->raw_state = q->state;
	r->state = gcp_state_ours(GCP_QUEUED, q->state);
	r->error = q->error;
	r->type = q->n_nodes && *q->accelerator_types[0] ? q->accelerator_types[0] : NULL;
	r->nodes = queued_nodes(q);
	r->provisioning = *q->class ? q->class : queued_alpha(l) ? "on-demand" : "unknown";
	r->created = opt_of_ts(q->created);
	r->ends = opt_of_ts(q->ends);
	r->end_action = "delete";
	if (q->run_limit)
		r->run_limit = SOME(q->run_limit);
	if (q->n_nodes && *q->node_ids[0])
		r->attached_to = q->node_ids[0];
}

static enum err_code queued_ask_zones(struct poll *p, struct queued_lists *l, struct err *e)
{
	/* Google stores the results here: earlier results must be removed. */
	l->of_zone = arena_alloc(p->arena, (l->zones.n + 1) * sizeof(*l->of_zone));
	for (size_t i = 0; i < l->zones.n; i++)
		if (poll_list(p, l->listing, l->zones.v[i].name, &l->of_zone[i].r, e))
			return e->code;
	return E_OK;
}

static enum err_code queued_ask(struct poll *p, struct err *e)
{
	struct queued_lists *l = p->state;

	if (!l) {
		l = p->state = arena_new(p->arena, struct queued_lists);
		l->listing = &tpu_queued_alpha_listing;
	}
	if (l->by_zone)
		return queued_ask_zones(p, l, e);
	l->all = (struct tpu_queueds){0};
	return poll_list(p, l->listing, "-", &l->all.r, e);
}

static enum err_code queued_add_list(struct poll *p, struct inventory *inv,
	const struct tpu_queueds *list, struct err *e)
{
	if (poll_result(p, &list->r, e))
		return e->code;
	for (size_t i = 0; i < list->n; i++)
		queued_add(p, inv, &list->v[i]);
	return E_OK;
}

static enum err_code queued_rows(struct poll *p, struct inventory *inv, struct err *e)
{
	const struct queued_lists *l = p->state;
	size_t failed = 0;

	if (!l->by_zone)
		return queued_add_list(p, inv, &l->all, e);
	/* An unreachable zone is a gap, and so is one whose existence is unknown. */
	if (poll_result(p, &l->zones.r, e))
		return e->code;
	for (size_t i = 0; i < l->zones.n; i++) {
		if (!queued_add_list(p, inv, &l->of_zone[i], e))
			continue;
		poll_gap(p, l->zones.v[i].name);
		failed++;
	}
	if (failed && failed == l->zones.n)
		return e->code;
	err_clear(e);
	return E_OK;
}

/* Did Google refuse v2alpha1, for all zones at once or for each? */
static bool queued_alpha_refused(const struct queued_lists *l)
{
	if (!queued_alpha(l) || (l->by_zone && (!l->of_zone || !l->zones.n)))
		return false;
	for (size_t i = 0; l->by_zone && i < l->zones.n; i++)
		if (!poll_refused(&l->of_zone[i].r))
			return false;
	return l->by_zone || poll_refused(&l->all.r);
}

static enum err_code queued_take(struct poll *p, struct err *e)
{
	struct queued_lists *l = p->state;

	if (queued_alpha_refused(l)) {
		l->listing = &tpu_queued_listing;
		return queued_ask(p, e);
	}
	if (!l->by_zone && (l->all.r.code == E_NOTFOUND || l->all.r.code == E_HTTP)) {
		l->by_zone = true; /* the wildcard is not supported */
		l->listing = &tpu_queued_alpha_listing;
		return poll_list(p, &tpu_location_listing, NULL, &l->zones.r, e);
	}
	if (l->by_zone && !l->of_zone) {
		if (l->zones.r.code || !l->zones.n)
			return poll_result(p, &l->all.r, e);
		return queued_ask_zones(p, l, e);
	}
	return inventory_store(p, queued_rows, e);
}

const struct source source_queued = {
	.name = "queued",
	.group = "instances",
	.doc = "queued resources of every zone",
	.index = INDEX_MACHINES,
	.ask = queued_ask,
	.take = queued_take,
};
