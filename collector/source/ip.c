/* Static addresses. A reserved one that nothing uses costs more than one in use. */
#include "collector/inventory.h"
#include "gcp/compute/compute.h"

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

static enum err_code ask(struct poll *p, struct err *e)
{
	struct gce_addresses *list = arena_new(p->arena, struct gce_addresses);

	p->state = list;
	poll_await(p, &list->r);
	return poll_started(p, gce_addresses_start(p->gcp, p->project, p->arena, list, e));
}

static enum err_code rows(struct poll *p, struct inventory *inv, struct err *e)
{
	const struct gce_addresses *list = p->state;

	if (poll_result(p, &list->r, e))
		return e->code;
	for (size_t i = 0; i < list->n; i++)
		add_address(p, inv, &list->v[i]);
	return E_OK;
}

static enum err_code take(struct poll *p, struct err *e)
{
	return inventory_take(p, rows, ask, e);
}

const struct source source_ip = {
	.name = "ip",
	.group = "instances",
	.doc = "static addresses",
	.ask = ask,
	.take = take,
};
