/* Persistent disks and Hyperdisks, zonal and regional. They cost the same whether a machine
 * uses them or not. */
#include "collector/inventory.h"
#include "gcp/compute.h"

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

static enum err_code read_disks(struct poll *p, struct inventory *inv, struct err *e)
{
	struct gce_disks list = {0};

	if (gce_disks(p->gcp, p->project, p->arena, &list, e))
		return e->code;
	for (size_t i = 0; i < list.r.scopes.n; i++)
		poll_gap(p, list.r.scopes.incomplete[i]);
	for (size_t i = 0; i < list.n; i++)
		add_disk(p, inv, &list.v[i]);
	return E_OK;
}

static enum err_code poll_disks(struct poll *p, struct err *e)
{
	return inventory_poll(p, read_disks, e);
}

const struct source source_disk = {
	.name = "disk",
	.group = "instances",
	.doc = "disks, zonal and regional",
	.poll = poll_disks,
};
