/* Where buckets lie. A TPU that reads from a bucket in another region pays for every byte. */
#include "collector/inventory.h"
#include "gcp/compute/storage.h"

#include <ctype.h>

static void add_bucket(struct poll *p, struct inventory *inv, const struct gcs_bucket *b)
{
	struct q_resource_put_in *r = inventory_add(p, inv, "bucket", b->location, b->name);
	char *class = arena_strdup(p->arena, b->storage_class);

	for (char *c = class; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	r->uid = b->name; /* buckets have no number; their names are unique in the world */
	r->raw_state = b->location_type;
	r->state = "running";
	r->type = class;
	r->labels = b->labels;
	r->owner = owner_of_labels(p->arena, b->labels);
	r->created = opt_time(b->created);
}

static enum err_code ask(struct poll *p, struct err *e)
{
	struct gcs_buckets *list = arena_new(p->arena, struct gcs_buckets);

	p->state = list;
	poll_await(p, &list->r);
	return poll_started(p, gcs_buckets_start(p->gcp, p->project, p->arena, list, e));
}

static enum err_code rows(struct poll *p, struct inventory *inv, struct err *e)
{
	const struct gcs_buckets *list = p->state;

	if (poll_result(p, &list->r, e))
		return e->code;
	if (list->r.scopes.n)
		return err_set(e, E_NET, "list buckets: Google says that some are missing");
	for (size_t i = 0; i < list->n; i++)
		add_bucket(p, inv, &list->v[i]);
	return E_OK;
}

static enum err_code take(struct poll *p, struct err *e)
{
	return inventory_take(p, rows, ask, e);
}

const struct source source_bucket = {
	.name = "bucket",
	.group = "instances",
	.doc = "buckets and where they lie",
	.scope = PER_PROJECT,
	.optional = true,
	.ask = ask,
	.take = take,
};
