/* Kubernetes Engine v1: node pools, as the labels of managed instance groups say it, their size and its
 * operations. Shapes after the Kubernetes Engine REST reference, projects.locations.clusters.nodePools
 * and operations. */
#include "tests/sandbox/actions.h"
#include "tests/sandbox/api/compute.h"

#include "base/data/json.h"
#include "base/str.h"

#include <string.h>

static bool container_says(const char *labels, const char *key, const char *value)
{
	struct cJSON *j = NULL;
	bool same = !json_parse(labels, strlen(labels), &j, NULL) &&
		!strcmp(json_text(json_get(j, key), ""), value);

	json_free(j);
	return same;
}

/* The next group of /v1/projects/P/locations/L/clusters/C/nodePools/NAME after one, or the first: a pool has
 * one in each of its zones. */
static struct vm_group *container_next(
	const struct request *q, const char *name, const struct vm_group *after)
{
	const struct project *p = world_project(q->w, q->seg[2]);

	for (size_t i = after ? (size_t)(after - q->w->groups) + 1 : 0;
		p && i < q->w->n_groups; i++) {
		struct vm_group *g = &q->w->groups[i];

		if (!strcmp(g->project, p->id) &&
			container_says(g->labels, "goog-k8s-node-pool-name", name) &&
			container_says(g->labels, "goog-k8s-cluster-name", q->seg[6]) &&
			container_says(g->labels, "goog-k8s-cluster-location", q->seg[4]))
			return g;
	}
	return NULL;
}

static struct vm_group *container_pool(
	const struct request *q, const char *name, struct response *r)
{
	struct vm_group *g = container_next(q, name, NULL);

	if (g)
		return g;
	respond_error(r, 404, "notFound",
		arena_printf(q->a,
			"Not found: projects/%s/locations/%s/clusters/%s/nodePools/%s.",
			q->seg[2], q->seg[4], q->seg[6], name));
	return NULL;
}

void serve_node_pool(const struct request *q, struct response *r)
{
	const struct vm_group *g = container_pool(q, q->seg[8], r);
	struct jw w = {.b = &r->body};
	bool stable = true;

	if (!g)
		return;
	jw_begin(&w, '{');
	jw_kstr(&w, "name", q->seg[8]);
	jw_key(&w, "config");
	jw_begin(&w, '{');
	jw_kstr(&w, "machineType", g->type);
	jw_end(&w, '}');
	jw_ki64(&w, "initialNodeCount", g->hosts);
	if (g->autoscaling) {
		jw_key(&w, "autoscaling");
		jw_begin(&w, '{');
		jw_key(&w, "enabled");
		jw_bool(&w, true);
		jw_end(&w, '}');
	}
	jw_key(&w, "placementPolicy");
	jw_begin(&w, '{');
	if (g->topology || g->pool_topology)
		jw_kstr(&w, "tpuTopology",
			g->pool_topology ? g->pool_topology : g->topology);
	jw_end(&w, '}');
	jw_key(&w, "instanceGroupUrls");
	jw_begin(&w, '[');
	for (; g; g = container_next(q, q->seg[8], g)) {
		jw_str(&w,
			arena_printf(q->a, GCE_HOST "%s/%s", g->project,
				world_group_path(q->w, g)));
		stable = stable && !strcmp(g->state, "STABLE");
	}
	jw_end(&w, ']');
	jw_kstr(&w, "status", stable ? "RUNNING" : "RECONCILING");
	jw_end(&w, '}');
}

static void write_operation(
	const struct request *q, struct jw *w, const struct operation *op)
{
	jw_begin(w, '{');
	jw_kstr(w, "name", op->name);
	jw_kstr(w, "operationType", "SET_NODE_POOL_SIZE");
	jw_kstr(w, "status", op->done ? "DONE" : op->looks ? "RUNNING" : "PENDING");
	jw_kstr(w, "location", q->seg[4]);
	add_utc(w, "startTime", op->inserted);
	if (op->done)
		add_utc(w, "endTime", op->ended);
	if (op->done && op->error) {
		jw_key(w, "error");
		jw_begin(w, '{');
		jw_ki64(w, "code", 8);
		jw_kstr(w, "message",
			arena_printf(q->a, "The operation failed: %s", op->error));
		jw_end(w, '}');
	}
	jw_end(w, '}');
}

void serve_container_operation(const struct request *q, struct response *r)
{
	struct jw w = {.b = &r->body};

	for (struct operation *op = q->w->ops; op; op = op->next) {
		if (op->verb->target != ON_GROUP || strcmp(op->name, q->seg[6]) != 0)
			continue;
		operation_look(q->w, op, q->now);
		write_operation(q, &w, op);
		return;
	}
	respond_error(r, 404, "notFound",
		arena_printf(q->a, "Not found: projects/%s/locations/%s/operations/%s.",
			q->seg[2], q->seg[4], q->seg[6]));
}

static bool container_resize(
	const struct request *q, const char *name, struct operation **op)
{
	for (struct vm_group *g = NULL; (g = container_next(q, name, g)) != NULL;)
		if (operation_begin(q->w, verb_find(ON_GROUP, "resize"), g->project,
			    g->zone, g->name, NULL, q->now, op) != BEGUN)
			return false;
	return true;
}

/* ".../nodePools/NAME:setSize", only to 0, which ends its slices, in every zone. */
void serve_node_pool_size(const struct request *q, struct response *r)
{
	const char *colon = strrchr(q->seg[8], ':');
	const char *name = arena_strndup(q->a, q->seg[8], strcspn(q->seg[8], ":"));
	struct jw w = {.b = &r->body};
	struct cJSON *body = NULL;
	struct operation *op;
	struct vm_group *g;
	int64_t size = -1;

	if (json_parse(q->body, q->body_len, &body, NULL) ||
		json_opt_i64(body, "nodeCount", -1, &size, NULL))
		size = -1;
	json_free(body);
	g = colon && !strcmp(colon, ":setSize") ? container_pool(q, name, r) : NULL;
	if (!colon || strcmp(colon, ":setSize") != 0)
		respond_error(r, 404, "notFound", "Method not found.");
	else if (g && size)
		respond_error(r, 400, "badRequest", "Node count must be 0 here.");
	else if (g && !container_resize(q, name, &op))
		respond_error(r, 400, "failedPrecondition",
			"Cluster is running incompatible operation.");
	else if (g)
		write_operation(q, &w, op);
}
