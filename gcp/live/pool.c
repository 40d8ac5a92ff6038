/* Live check of a TPU slice that is a node pool of Kubernetes Engine, with its managed instance group.
 * Kubernetes Engine API v1, projects.locations.clusters.nodePools. */
#include "gcp/live/live.h"

#include "base/data/json.h"
#include "base/str.h"
#include "gcp/gcp.h"

#include <string.h>

/* The group of ".../zones/Z/instanceGroupManagers/NAME"; a slice has one, in one zone. */
static enum err_code pool_group(const struct cJSON *j, const struct gcp_thing *pool,
	struct arena *a, struct gcp_thing *out, struct err *e)
{
	const char *url = json_text(json_first(json_get(j, "instanceGroupUrls")), "");
	const char *zone = strstr(url, "/zones/");
	size_t n, groups = json_len(json_get(j, "instanceGroupUrls"));

	if (groups > 1)
		return err_set(e, E_DATA,
			"it has groups in %zu zones, and all of them would end", groups);
	if (!zone)
		return err_set(e, E_DATA, "it does not name its group in a zone");
	zone += strlen("/zones/");
	n = strcspn(zone, "/");
	if (!str_starts(zone + n, "/instanceGroupManagers/"))
		return err_set(e, E_DATA, "its group is of an unknown kind");
	*out = (struct gcp_thing){.kind = GCP_GROUP,
		.project = pool->project,
		.location = arena_strndup(a, zone, n),
		.name = str_after_last(url, '/')};
	return E_OK;
}

/* gcloud reference, "container clusters resize". */
static const char *pool_recreate(
	const struct gcp_thing *pool, const char *group_command, struct arena *a)
{
	const char *size = strstr(group_command, " --size=");
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_adds(&b, "gcloud container clusters resize ");
	sbuf_add_shell(&b, pool->cluster);
	live_add_option(&b, "node-pool", pool->name);
	live_add_option(&b, "num-nodes", size + strlen(" --size="));
	live_add_option(&b, "location", pool->location);
	live_add_option(&b, "project", pool->project);
	return arena_strdup(a, b.s);
}

enum err_code live_read_pool(struct gcp *g, const struct gcp_thing *t,
	const struct cJSON *j, struct arena *a, struct gcp_live *out, struct err *e)
{
	const char *status = json_text(json_get(j, "status"), "");
	struct gcp_thing group;

	if (!str_eq(json_text(json_get(j, "name"), ""), t->name))
		return err_set(e, E_DATA, "requested %.60s, received another one", t->name);
	if (pool_group(j, t, a, &group, e) || gcp_live_get(g, &group, a, out, e))
		return e->code;
	if (!out->found)
		return E_OK;
	/* It is its own manager, unless something sets its size. */
	out->managed_by = json_true(json_path(j, "autoscaling", "enabled", NULL))
		? "an autoscaler, which would create its nodes again"
		: NULL;
	if (!str_eq(status, "RUNNING"))
		out->raw_state = arena_printf(
			a, "%s in a pool that is %.40s", out->raw_state, status);
	out->recreate = pool_recreate(t, out->recreate, a);
	return E_OK;
}
