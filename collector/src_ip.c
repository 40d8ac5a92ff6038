/* Static addresses. A reserved one that nothing uses costs more than one in use. */
#include "collector/inventory.h"
#include "gcp/compute.h"

#include <string.h>

static void add_address(struct poll *p, struct inventory *inv, const struct gce_address *ip)
{
	struct q_resource_put_in *r = inventory_add(p, inv, "ip", ip->region, ip->name);

	r->uid = ip->id;
	r->raw_state = ip->status;
	if (!strcmp(ip->status, "IN_USE"))
		r->state = "running";
	else if (!strcmp(ip->status, "RESERVED"))
		r->state = "stopped";
	else
		r->state = !strcmp(ip->status, "RESERVING") ? "starting" : "unknown";
	r->type = !strcmp(ip->type, "INTERNAL") ? "internal" : "external";
	r->labels = ip->labels;
	r->owner = owner_of_labels(p->arena, ip->labels);
	r->created = opt_time(ip->created);
	if (ip->n_users)
		r->attached_to = ip->users[0];
}

static enum err_code read_addresses(struct poll *p, struct inventory *inv, struct err *e)
{
	struct gce_addresses list = {0};

	if (gce_addresses(p->gcp, p->project, p->arena, &list, e))
		return e->code;
	for (size_t i = 0; i < list.r.scopes.n; i++)
		poll_gap(p, list.r.scopes.incomplete[i]);
	for (size_t i = 0; i < list.n; i++)
		add_address(p, inv, &list.v[i]);
	return E_OK;
}

static enum err_code poll_addresses(struct poll *p, struct err *e)
{
	return inventory_poll(p, read_addresses, e);
}

const struct source source_ip = {
	.name = "ip",
	.group = "instances",
	.doc = "static addresses",
	.poll = poll_addresses,
};
