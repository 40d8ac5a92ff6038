/* Persistent disks and Hyperdisks, zonal and regional. They cost the same whether a machine
 * uses them or not. */
#include "collector/inventory.h"
#include "gcp/compute/compute.h"

#include <string.h>

static void add_disk(struct poll *p, struct inventory *inv, const struct gce_disk *d)
{
	const char *location = *d->zone ? d->zone : d->region;
	struct q_resource_put_in *r = inventory_add(p, inv, "disk", location, d->name);

	r->uid = d->id;
	r->raw_state = d->status;
	r->state = d->n_users ? "running" : "stopped";
	if (!strcmp(d->status, "FAILED"))
		r->state = "failed";
	else if (!strcmp(d->status, "DELETING"))
		r->state = "deleting";
	r->type = d->type;
	r->size_gib = SOME(d->size_gb);
	r->labels = d->labels;
	r->owner = owner_of_labels(p->arena, d->labels);
	r->created = opt_time(d->created);
	if (d->n_users)
		r->attached_to = d->users[0];
}

static enum err_code ask(struct poll *p, struct err *e)
{
	struct gce_disks *list = arena_new(p->arena, struct gce_disks);

	p->state = list;
	poll_await(p, &list->r);
	return poll_started(p, gce_disks_start(p->gcp, p->project, p->arena, list, e));
}

static enum err_code rows(struct poll *p, struct inventory *inv, struct err *e)
{
	const struct gce_disks *list = p->state;

	if (poll_result(p, &list->r, e))
		return e->code;
	for (size_t i = 0; i < list->n; i++)
		add_disk(p, inv, &list->v[i]);
	return E_OK;
}

static enum err_code take(struct poll *p, struct err *e)
{
	return inventory_take(p, rows, ask, e);
}

const struct source source_disk = {
	.name = "disk",
	.group = "instances",
	.doc = "disks, zonal and regional",
	.ask = ask,
	.take = take,
};
