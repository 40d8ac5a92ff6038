/* Snapshots of disks. Nobody sees them in a list of machines, and they cost every month until
 * somebody deletes them. */
#include "collector/inventory.h"
#include "gcp/compute/snapshot.h"

#include <string.h>

#define GIB (INT64_C(1) << 30)

/* Compute REST reference, snapshots: status. One that is being deleted or failed is not
 * charged. */
static const struct state_word states[] = {
	{"READY", "running"},
	{"CREATING", "starting"},
	{"UPLOADING", "starting"},
	{"FAILED", "failed"},
	{"DELETING", "deleting"},
};

static void add_snapshot(
	struct poll *p, struct inventory *inv, const struct gce_snapshot *s)
{
	const char *location = *s->location ? s->location : "global";
	struct q_resource_put_in *r = inventory_add(p, inv, "snapshot", location, s->name);

	r->uid = s->id;
	r->raw_state = s->status;
	r->state = state_ours(states, ARRAY_LEN(states), s->status);
	r->type = !strcmp(s->type, "ARCHIVE") ? "archive" : "standard";
	r->bytes = SOME(s->storage_bytes);
	r->size_gib = SOME(s->storage_bytes / GIB + (s->storage_bytes % GIB > 0));
	r->labels = s->labels;
	r->owner = owner_of_labels(p->arena, s->labels);
	r->created = opt_time(s->created);
	if (*s->disk)
		r->attached_to = s->disk;
}

static enum err_code ask(struct poll *p, struct err *e)
{
	struct gce_snapshots *list = arena_new(p->arena, struct gce_snapshots);

	p->state = list;
	poll_await(p, &list->r);
	return poll_started(p, gce_snapshots_start(p->gcp, p->project, p->arena, list, e));
}

static enum err_code rows(struct poll *p, struct inventory *inv, struct err *e)
{
	const struct gce_snapshots *list = p->state;

	if (poll_result(p, &list->r, e))
		return e->code;
	/* Where the missing ones are stored is not known: nothing is gone. */
	if (list->r.scopes.n)
		return err_set(
			e, E_NET, "list snapshots: Google says that some are missing");
	for (size_t i = 0; i < list->n; i++)
		add_snapshot(p, inv, &list->v[i]);
	return E_OK;
}

static enum err_code take(struct poll *p, struct err *e)
{
	return inventory_take(p, rows, ask, e);
}

const struct source source_snapshot = {
	.name = "snapshot",
	.group = "instances",
	.doc = "snapshots of disks",
	.scope = PER_PROJECT,
	.optional = true,
	.ask = ask,
	.take = take,
};
