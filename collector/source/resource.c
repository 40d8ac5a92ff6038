/* Resources, one source for each list of Google. */
#include "base/str.h"
#include "collector/inventory.h"
#include "db/db.h"
#include "gcp/compute/compute.h"
#include "gcp/compute/reservation.h"
#include "gcp/compute/slice.h"
#include "gcp/gcp.h"
#include "gcp/tpu.h"

#include <ctype.h>
#include <string.h>

#define RESOURCES(its_name, its_listing, its_add)                     \
	.name = its_name, .group = "instances", .ask = inventory_ask, \
	.take = inventory_take, .list = &(its_listing), .add = (its_add)

/* ---- machines ------------------------------------------------------------------------------ */

/* Local SSDs are part of the machine: no list of disks has them. */
static struct opt_i64 resource_local_ssd(const struct gce_instance *vm)
{
	int64_t gib = 0;

	for (size_t i = 0; i < vm->n_disks; i++) {
		const struct gce_attached *d = &vm->disks[i];

		if (strcmp(d->type, "SCRATCH") != 0)
			continue;
		if (d->size_gb < 1 || __builtin_add_overflow(gib, d->size_gb, &gib))
			return SOME(-1);
	}
	return gib ? SOME(gib) : NONE;
}

/* Names of the disks that are deleted with it, separated by spaces. */
static const char *resource_end_disks(struct poll *p, const struct gce_instance *vm)
{
	const char *out = "";

	for (size_t i = 0; i < vm->n_disks; i++)
		if (vm->disks[i].auto_delete && *vm->disks[i].source)
			out = arena_printf(p->arena, "%s%s%s", out, *out ? " " : "",
				vm->disks[i].source);
	return out;
}

static void resource_add_vm(struct poll *p, struct inventory *inv, const void *item)
{
	const struct gce_instance *vm = item;
	bool tpu = gce_type_is_tpu(vm->machine_type);
	const char *group = gce_group_of(vm);
	struct q_resource_put_in *r = inventory_add(p, inv,
		!tpu            ? "vm"
			: group ? INVENTORY_HOST
				: "tpu",
		vm->zone, vm->name);

	r->uid = vm->id;
	r->attached_to = group;
	r->raw_state = vm->status;
	r->state = gcp_state_ours(GCP_VM, vm->status);
	r->type = vm->machine_type;
	r->provisioning = vm->class;
	r->ends = opt_of_ts(vm->ends);
	r->end_action = vm->deleted ? "delete" : "stop";
	r->end_disks = vm->deleted ? resource_end_disks(p, vm) : NULL;
	inventory_describe(p, r, vm->labels, vm->created);
	r->state_since = opt_of_ts(gce_state_since(vm, r->state));
	if (vm->n_accelerators) {
		r->gpu_type = vm->accelerators[0].type;
		r->gpu_count = vm->accelerators[0].count ? SOME(vm->accelerators[0].count)
							 : NONE;
	}
	r->local_ssd_gib = resource_local_ssd(vm);
}

/* Those of an unreachable zone stay as they were. */
static enum err_code resource_put_uses(
	struct poll *p, const struct gce_instances *list, struct err *e)
{
	struct q_reservation_use_drop_in old = {.project = p->project};

	if (!p->n_gaps && q_reservation_use_drop(p->db, &old, e))
		return e->code;
	for (size_t i = 0; i < list->n; i++) {
		const struct gce_instance *vm = &list->v[i];
		struct q_reservation_use_put_in in = {.project = p->project,
			.zone = vm->zone,
			.name = vm->name,
			.reservation = gce_reservation_used(
				vm->reservation, p->project, p->arena)};

		if (in.reservation && q_reservation_use_put(p->db, &in, e))
			return e->code;
	}
	return E_OK;
}

/* Without an answer: a second snapshot was requested, after which this is called again. */
static enum err_code resource_take_vms(struct poll *p, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};
	const struct gce_instances *list;

	if (inventory_take(p, e))
		return e->code;
	list = p->state;
	if (list->r.code)
		return E_OK;
	return db_begin(p->db, &tx, e) || resource_put_uses(p, list, e) ? e->code
									: db_commit(&tx, e);
}

const struct source source_vm = {
	.name = "vm",
	.group = "instances",
	.ask = inventory_ask,
	.take = resource_take_vms,
	.list = &gce_instance_listing,
	.add = resource_add_vm,
	.doc = "Compute Engine machines, and TPUs that are machines",
	.index = INDEX_MACHINES,
};

/* ---- TPU nodes ----------------------------------------------------------------------------- */

struct resource_nodes {
	struct gcp_items list;
	bool v2; /* Google refused v2alpha1 */
};

static enum err_code resource_ask_nodes(struct poll *p, struct err *e)
{
	const struct resource_nodes *before = p->state;
	struct resource_nodes *l = arena_new(p->arena, struct resource_nodes);

	l->v2 = before && (before->v2 || poll_refused(&before->list.r));
	p->state = l;
	return poll_list(p, l->v2 ? &tpu_node_listing : &tpu_node_alpha_listing, NULL,
		&l->list.r, e);
}

static void resource_add_node(struct poll *p, struct inventory *inv, const void *item)
{
	const struct tpu_node *n = item;
	struct q_resource_put_in *r = inventory_add(p, inv, "tpu", n->location, n->name);

	r->uid = n->id;
	r->raw_state = n->state;
	r->state = gcp_state_ours(GCP_NODE, n->state);
	r->type = *n->accelerator_type ? n->accelerator_type : NULL;
	r->topology = *n->topology ? n->topology : NULL;
	r->provisioning = *n->class ? n->class : NULL;
	r->ends = opt_of_ts(n->ends);
	r->end_action = "delete";
	r->hosts = n->n_endpoints ? SOME((int64_t)n->n_endpoints) : NONE;
	r->queued = *n->queued_resource ? n->queued_resource : NULL;
	inventory_describe(p, r, n->labels, n->created);
}

/* Class and end of a node, where it does not state them: those of the queued resource that created
 * it, as it was last seen. */
static enum err_code resource_ask_queue(
	struct poll *p, struct q_resource_put_in *r, struct err *e)
{
	struct q_resource_get_in in = {.id = arena_printf(p->arena, "%s/queued/%s/%s",
					       p->project, r->location, r->queued)};
	struct q_resource_get queue = {0};
	bool found;

	if (q_resource_get_one(p->db, &in, p->arena, &queue, &found, e))
		return e->code;
	if (!r->provisioning)
		r->provisioning = queue.provisioning ? queue.provisioning : "unknown";
	if (!r->ends.set)
		r->ends = queue.ends.set ? queue.ends
					 : opt_of_ts(gcp_end_after(ts_of_opt(r->created),
						   queue.run_limit.v));
	return E_OK;
}

static enum err_code resource_node_rows(
	struct poll *p, struct inventory *inv, struct err *e)
{
	if (inventory_list_rows(p, inv, e))
		return e->code;
	for (size_t i = 0; i < inv->n; i++) {
		struct q_resource_put_in *r = &inv->rows[i];

		if (r->queued && resource_ask_queue(p, r, e))
			return e->code;
		if (!r->provisioning) /* flex-start needs a queued resource */
			r->provisioning = "on-demand";
	}
	return E_OK;
}

static enum err_code resource_put_disks(
	struct poll *p, const struct tpu_node *n, struct err *e)
{
	const char *id = arena_printf(
		p->arena, "%s/tpu/%s/%s", p->project, n->location, n->name);
	struct q_tpu_disk_put_in put = {.id = id, .disks = ""};

	for (size_t i = 0; i < n->n_data_disks; i++)
		put.disks = arena_printf(
			p->arena, "%s%s%s", put.disks, i ? " " : "", n->data_disks[i]);
	return q_tpu_disk_put(p->db, &put, e);
}

/* Disks attached to nodes, because the list of disks does not show that. */
static enum err_code resource_take_nodes(struct poll *p, struct err *e)
{
	const struct resource_nodes *asked = p->state;
	const struct q_tpu_disk_forget_in gone = {.project = p->project};
	const struct gcp_items *list;
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (!asked->v2 && poll_refused(&asked->list.r))
		return resource_ask_nodes(p, e);
	if (inventory_store(p, resource_node_rows, e) || db_begin(p->db, &tx, e) ||
		q_tpu_disk_forget(p->db, &gone, e))
		return e->code;
	list = p->state;
	for (size_t i = 0; i < list->n; i++)
		if (resource_put_disks(p, (const struct tpu_node *)list->v + i, e))
			return e->code;
	return db_commit(&tx, e);
}

const struct source source_tpu = {
	.name = "tpu",
	.group = "instances",
	.after = {&source_queued},
	.doc = "TPU nodes of every zone",
	.index = INDEX_MACHINES,
	.ask = resource_ask_nodes,
	.take = resource_take_nodes,
	.list = &tpu_node_listing,
	.add = resource_add_node,
};

/* ---- disks --------------------------------------------------------------------------------- */

/* Persistent disks and Hyperdisks, zonal and regional. Their cost does not depend on whether a
 * machine uses them. */
static void resource_add_disk(struct poll *p, struct inventory *inv, const void *item)
{
	const struct gce_disk *d = item;
	const char *location = *d->zone ? d->zone : d->region;
	struct q_resource_put_in *r = inventory_add(p, inv, "disk", location, d->name);

	r->uid = d->id;
	r->raw_state = d->status;
	r->state = d->n_users ? "attached" : "unattached";
	if (!strcmp(d->status, "FAILED"))
		r->state = "failed";
	else if (!strcmp(d->status, "DELETING"))
		r->state = "deleting";
	r->type = d->type;
	r->size_gib = d->size_gb ? SOME(d->size_gb) : NONE;
	inventory_describe(p, r, d->labels, d->created);
	if (d->n_users)
		r->attached_to = d->users[0];
}

const struct source source_disk = {
	RESOURCES("disk", gce_disk_listing, resource_add_disk),
	.doc = "disks, zonal and regional",
	.index = INDEX_MACHINES,
};

/* ---- addresses ----------------------------------------------------------------------------- */

/* An unused reserved address costs more than a used one. */
static void resource_add_address(struct poll *p, struct inventory *inv, const void *item)
{
	const struct gce_address *ip = item;
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
	inventory_describe(p, r, ip->labels, ip->created);
	if (ip->n_users)
		r->attached_to = ip->users[0];
}

const struct source source_ip = {
	RESOURCES("ip", gce_address_listing, resource_add_address),
	.doc = "static addresses",
	.index = INDEX_MACHINES,
};

/* ---- snapshots ----------------------------------------------------------------------------- */

/* Compute REST reference, snapshots: status. Snapshots in deletion and failed ones are not
 * charged. */
static const char *resource_snapshot_state(const char *google)
{
	static const char *const states[][2] = {{"READY", "running"},
		{"CREATING", "starting"}, {"UPLOADING", "starting"}, {"FAILED", "failed"},
		{"DELETING", "deleting"}};

	for (size_t i = 0; i < ARRAY_LEN(states); i++)
		if (!strcmp(states[i][0], google))
			return states[i][1];
	return "unknown";
}

/* Snapshots are not visible in the list of machines, and are charged every month until they are
 * deleted. */
static void resource_add_snapshot(struct poll *p, struct inventory *inv, const void *item)
{
	const struct gce_snapshot *s = item;
	const char *location = *s->location ? s->location : "global";
	struct q_resource_put_in *r = inventory_add(p, inv, "snapshot", location, s->name);

	r->uid = s->id;
	r->raw_state = s->status;
	r->state = resource_snapshot_state(s->status);
	r->type = !strcmp(s->type, "ARCHIVE") ? "archive" : "standard";
	if (s->storage_bytes >= 0) {
		r->bytes = SOME(s->storage_bytes);
		r->size_gib = SOME(s->storage_bytes / GIB + (s->storage_bytes % GIB > 0));
	}
	inventory_describe(p, r, s->labels, s->created);
	if (*s->disk)
		r->attached_to = s->disk;
}

const struct source source_snapshot = {
	RESOURCES("snapshot", gce_snapshot_listing, resource_add_snapshot),
	.doc = "snapshots of disks",
	.index = INDEX_SNAPSHOTS | INDEX_MACHINES,
	.optional = true,
	.whole = true,
};

/* ---- buckets ------------------------------------------------------------------------------- */

/* Location of buckets: a TPU that reads from a bucket in another region is charged for every
 * byte. */
static void resource_add_bucket(struct poll *p, struct inventory *inv, const void *item)
{
	const struct gcs_bucket *b = item;
	struct q_resource_put_in *r = inventory_add(p, inv, "bucket", b->location, b->name);
	char *class = arena_strdup(p->arena, b->storage_class);

	for (char *c = class; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	r->uid = b->name; /* buckets have no number; their names are globally unique */
	r->raw_state = b->location_type;
	r->state = "running";
	r->type = class;
	inventory_describe(p, r, b->labels, b->created);
}

const struct source source_bucket = {
	RESOURCES("bucket", gcs_bucket_listing, resource_add_bucket),
	.doc = "buckets and their locations",
	.index = INDEX_BUCKETS | INDEX_MACHINES,
	.optional = true,
	.whole = true,
};
