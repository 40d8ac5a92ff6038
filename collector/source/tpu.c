/* TPU nodes (TPU VMs and the older node kind) of every zone. */
#include "collector/inventory.h"
#include "db/db.h"
#include "gcp/tpu.h"
#include "gcp/thing.h"

#include <string.h>

static void add_node(struct poll *p, struct inventory *inv, const struct tpu_node *n)
{
	struct q_resource_put_in *r = inventory_add(p, inv, "tpu", n->location, n->name);

	r->uid = n->id;
	r->raw_state = n->state;
	r->state = gcp_state_ours(GCP_NODE, n->state);
	r->type = *n->accelerator_type ? n->accelerator_type : NULL;
	r->provisioning = n->spot ? "spot" : n->reserved ? "reserved" : "on-demand";
	r->hosts = n->n_endpoints ? SOME((int64_t)n->n_endpoints) : NONE;
	r->queued = *n->queued_resource ? n->queued_resource : NULL;
	r->labels = n->labels;
	r->owner = owner_of_labels(p->arena, n->labels);
	r->created = opt_time(n->created);
}

static enum err_code ask(struct poll *p, struct err *e)
{
	struct tpu_nodes *list = arena_new(p->arena, struct tpu_nodes);

	p->state = list;
	poll_await(p, &list->r);
	return poll_started(p, tpu_nodes_start(p->gcp, p->project, p->arena, list, e));
}

static enum err_code rows(struct poll *p, struct inventory *inv, struct err *e)
{
	const struct tpu_nodes *list = p->state;

	if (poll_result(p, &list->r, e))
		return e->code;
	for (size_t i = 0; i < list->n; i++)
		add_node(p, inv, &list->v[i]);
	return E_OK;
}

static enum err_code put_disks(struct poll *p, const struct tpu_node *n, struct err *e)
{
	const char *id = arena_printf(
		p->arena, "%s/tpu/%s/%s", p->project, n->location, n->name);
	struct q_tpu_disk_drop_in drop = {.id = id};
	struct q_tpu_disk_put_in put = {.id = id, .disks = ""};

	for (size_t i = 0; i < n->n_data_disks; i++)
		put.disks = arena_printf(
			p->arena, "%s%s%s", put.disks, i ? " " : "", n->data_disks[i]);
	return n->n_data_disks ? q_tpu_disk_put(p->db, &put, e)
			       : q_tpu_disk_drop(p->db, &drop, e);
}

static enum err_code put_all_disks(struct poll *p, struct err *e)
{
	const struct tpu_nodes *list = p->state;
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (db_begin(p->db, &tx, e) || q_tpu_disk_forget(p->db, e))
		return e->code;
	for (size_t i = 0; i < list->n; i++)
		if (put_disks(p, &list->v[i], e))
			return e->code;
	return db_commit(&tx, e);
}

static enum err_code take(struct poll *p, struct err *e)
{
	return inventory_take(p, rows, ask, e) ? e->code : put_all_disks(p, e);
}

const struct source source_tpu = {
	.name = "tpu",
	.group = "instances",
	.doc = "TPU nodes of every zone",
	.ask = ask,
	.take = take,
};
