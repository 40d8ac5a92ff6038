/* Queued resources: requests for TPUs that wait, run, or were left behind. Not charged
 * themselves, but a suspended one holds quota and an active one brings its TPUs back. */
#include "collector/inventory.h"
#include "gcp/tpu.h"

#include <string.h>

/* Cloud TPU REST reference, queuedResources: state. */
static const struct state_word queued_states[] = {
	{"ACTIVE", "running"},
	{"CREATING", "starting"},
	{"ACCEPTED", "starting"},
	{"PROVISIONING", "starting"},
	{"WAITING_FOR_RESOURCES", "starting"},
	{"SUSPENDING", "stopping"},
	{"SUSPENDED", "suspended"},
	{"FAILED", "failed"},
	{"DELETING", "deleting"},
};

static void add_queued(struct poll *p, struct inventory *inv, const struct tpu_queued *q)
{
	struct q_resource_put_in *r = inventory_add(p, inv, "queued", q->location, q->name);

	r->raw_state = q->state;
	r->state = state_ours(queued_states, ARRAY_LEN(queued_states), q->state);
	r->type = q->n_nodes && *q->accelerator_types[0] ? q->accelerator_types[0] : NULL;
	r->provisioning = q->spot ? "spot" : "on-demand";
	r->created = opt_time(q->created);
	if (q->n_nodes && *q->node_ids[0])
		r->attached_to = q->node_ids[0];
}

static enum err_code ask(struct poll *p, struct err *e)
{
	struct tpu_queueds *list = arena_new(p->arena, struct tpu_queueds);

	p->state = list;
	poll_await(p, &list->r);
	return poll_started(p, tpu_queueds_start(p->gcp, p->project, p->arena, list, e));
}

static enum err_code rows(struct poll *p, struct inventory *inv, struct err *e)
{
	const struct tpu_queueds *list = p->state;

	if (poll_result(p, &list->r, e))
		return e->code;
	for (size_t i = 0; i < list->n; i++)
		add_queued(p, inv, &list->v[i]);
	return E_OK;
}

static enum err_code take(struct poll *p, struct err *e)
{
	return inventory_take(p, rows, ask, e);
}

const struct source source_queued = {
	.name = "queued",
	.group = "instances",
	.doc = "queued resources of every zone",
	.ask = ask,
	.take = take,
};
