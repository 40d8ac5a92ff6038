#include "gcp/compute/pool.h"

#include "base/data/json.h"
#include "base/str.h"
#include "gcp/decode.h"
#include "gcp/list.h"

#define MAX_CHIPS 1000000

/* placementPolicy has it where the pool was created with one; else the label of its nodes. */
static const char *pool_topology(const struct dec *d)
{
	const char *policy = json_text(
		json_path(d->obj, "placementPolicy", "tpuTopology", NULL), "");
	const char *label = json_text(json_get(json_path(d->obj, "config", "labels", NULL),
					      "cloud.google.com/gke-tpu-topology"),
		"");

	const char *shape = *policy ? policy : label;

	return str_product(shape, MAX_CHIPS) ? arena_strdup(d->a, shape) : "";
}

static void pool_read(struct dec *d, void *item)
{
	struct gke_pool *out = item;

	out->name = d->key = dec_name(d, "name");
	out->topology = pool_topology(d);
}

static const struct gcp_listing pool_listing = {
	.api = GCP_CONTAINER,
	.what = "get node pool",
	.path = "/projects/{}/locations/{}/clusters/{}/nodePools/{}",
	.object = true,
	.role = "roles/container.clusterViewer",
	.size = sizeof(struct gke_pool),
	.read = pool_read,
};

enum err_code gke_pool_start(struct gcp *g, const struct gcp_thing *pool, struct arena *a,
	struct gke_pool *out, struct err *e)
{
	if (gcp_thing_check(pool, e))
		return e->code;
	return gcp_typed_start(
		gcp_typed_new(&pool_listing, g, pool->project, a, &out->r, pool->project,
			pool->location, pool->cluster, pool->name, NULL),
		e);
}
