/* Compute Engine v1: managed instance groups and their workload policies. Shapes after the Compute
 * REST reference, instanceGroupManagers and resourcePolicies. */
#include "tests/sandbox/actions.h"
#include "tests/sandbox/api/compute.h"

#include <string.h>

static size_t n_groups(const struct request *q)
{
	return q->w->n_groups;
}

static const char *group_project(const struct request *q, size_t i)
{
	return q->w->groups[i].project;
}

static const char *group_item(const struct request *q, size_t i, const char **id)
{
	*id = q->w->groups[i].id;
	return q->w->groups[i].name;
}

/* "zones/z" */
static const char *group_scope(const struct request *q, size_t i)
{
	const char *path = world_group_path(q->w, &q->w->groups[i]);

	return arena_strndup(
		q->a, path, strcspn(path, "/") + 1 + strcspn(strchr(path, '/') + 1, "/"));
}

static const char *policy_scope(const struct request *q, size_t i)
{
	const char *zone = q->w->groups[i].zone;

	return arena_printf(q->a, "regions/%.*s", (int)(strrchr(zone, '-') - zone), zone);
}

static int64_t group_members(const struct request *q, const struct vm_group *g)
{
	int64_t n = 0;

	for (size_t i = 0; i < q->w->n_instances; i++)
		n += group_made(q->w, g, &q->w->instances[i]);
	return n;
}

static void write_group(const struct request *q, struct jw *w, size_t i)
{
	const struct vm_group *g = &q->w->groups[i];
	const char *scope = group_scope(q, i);
	int64_t members = group_members(q, g);

	jw_begin(w, '{');
	jw_kstr(w, "kind", "compute#instanceGroupManager");
	jw_kstr(w, "id", g->id);
	jw_kstr(w, "name", g->name);
	add_pacific(w, "creationTimestamp", g->created);
	gce_url(w, q, g->regional ? "region" : "zone", g->project, scope);
	jw_kstr(w, "baseInstanceName", g->name);
	gce_url(w, q, "instanceGroup", g->project,
		arena_printf(q->a, "%s/instanceGroups/%s", scope, g->name));
	gce_url(w, q, "instanceTemplate", g->project,
		arena_printf(q->a, "global/instanceTemplates/%s", g->name));
	jw_ki64(w, "targetSize", g->target);
	if (g->topology) {
		jw_key(w, "targetSizePolicy");
		jw_begin(w, '{');
		jw_kstr(w, "mode", "BULK");
		jw_end(w, '}');
		jw_key(w, "resourcePolicies");
		jw_begin(w, '{');
		gce_url(w, q, "workloadPolicy", g->project,
			arena_printf(q->a, "%s/resourcePolicies/%s-policy",
				policy_scope(q, i), g->name));
		jw_end(w, '}');
	}
	jw_key(w, "currentActions");
	jw_begin(w, '{');
	jw_ki64(w, "none", members);
	jw_ki64(w, "creating", g->target > members ? g->target - members : 0);
	jw_ki64(w, "deleting", members > g->target ? members - g->target : 0);
	jw_end(w, '}');
	jw_key(w, "status");
	jw_begin(w, '{');
	jw_key(w, "isStable");
	jw_bool(w, members == g->target);
	if (g->autoscaling)
		gce_url(w, q, "autoscaler", g->project,
			arena_printf(q->a, "%s/autoscalers/%s", scope, g->name));
	jw_end(w, '}');
	gce_url(w, q, "selfLink", g->project,
		arena_printf(q->a, "%s/instanceGroupManagers/%s", scope, g->name));
	jw_end(w, '}');
}

/* Groups without a policy have none to list. */
static const char *policy_project(const struct request *q, size_t i)
{
	return q->w->groups[i].topology ? q->w->groups[i].project : "";
}

static const char *policy_item(const struct request *q, size_t i, const char **id)
{
	*id = "";
	return arena_printf(q->a, "%s-policy", q->w->groups[i].name);
}

static void write_policy(const struct request *q, struct jw *w, size_t i)
{
	const struct vm_group *g = &q->w->groups[i];
	const char *scope = policy_scope(q, i), *id;
	const char *name = policy_item(q, i, &id);

	jw_begin(w, '{');
	jw_kstr(w, "kind", "compute#resourcePolicy");
	jw_kstr(w, "id", arena_printf(q->a, "%zu", i + 1));
	jw_kstr(w, "name", name);
	gce_url(w, q, "region", g->project, scope);
	jw_kstr(w, "status", "READY");
	jw_key(w, "workloadPolicy");
	jw_begin(w, '{');
	jw_kstr(w, "type", "HIGH_THROUGHPUT");
	jw_kstr(w, "acceleratorTopology", g->topology);
	jw_kstr(w, "acceleratorTopologyMode", "AUTO_CONNECT");
	jw_end(w, '}');
	gce_url(w, q, "selfLink", g->project,
		arena_printf(q->a, "%s/resourcePolicies/%s", scope, name));
	jw_end(w, '}');
}

const struct gce_kind gce_groups = {"instanceGroupManagers", "instanceGroupManager",
	n_groups, group_project, group_scope, group_item, write_group};
const struct gce_kind gce_policies = {"resourcePolicies", "resourcePolicy", n_groups,
	policy_project, policy_scope, policy_item, write_policy};

/* ---- requests for machines --------------------------------------------------------------------- */

static void write_resize_error(
	const struct request *q, struct jw *w, const struct resize_request *x)
{
	bool failed = !strcmp(x->state, "FAILED");
	size_t code = strcspn(x->error, ":");

	jw_key(w, "status");
	jw_begin(w, '{');
	if (!failed) {
		jw_key(w, "lastAttempt");
		jw_begin(w, '{');
	}
	jw_key(w, "error");
	jw_begin(w, '{');
	jw_key(w, "errors");
	jw_begin(w, '[');
	jw_begin(w, '{');
	jw_kstr(w, "code", arena_strndup(q->a, x->error, code));
	jw_kstr(w, "message", x->error + code + strspn(x->error + code, ": "));
	jw_end(w, '}');
	jw_end(w, ']');
	jw_end(w, '}');
	if (!failed)
		jw_end(w, '}');
	jw_end(w, '}');
}

static void write_resize_request(
	const struct request *q, struct jw *w, const struct resize_request *x)
{
	jw_begin(w, '{');
	jw_kstr(w, "kind", "compute#instanceGroupManagerResizeRequest");
	jw_kstr(w, "id", x->id);
	jw_kstr(w, "name", x->name);
	gce_url(w, q, "zone", x->project, arena_printf(q->a, "zones/%s", x->zone));
	add_pacific(w, "creationTimestamp", x->created);
	jw_ki64(w, "resizeBy", x->by);
	jw_kstr(w, "state", x->state);
	if (x->error)
		write_resize_error(q, w, x);
	if (x->run_limit) {
		jw_key(w, "requestedRunDuration");
		jw_begin(w, '{');
		jw_kstr(w, "seconds", arena_printf(q->a, "%lld", (long long)x->run_limit));
		jw_end(w, '}');
	}
	jw_end(w, '}');
}

void serve_resize_requests(const struct request *q, struct response *r)
{
	const struct project *p = gce_project(q, r);
	struct jw w = {.b = &r->body};

	if (!p)
		return;
	jw_begin(&w, '{');
	jw_kstr(&w, "kind", "compute#instanceGroupManagerResizeRequestsListResponse");
	jw_key(&w, "items");
	jw_begin(&w, '[');
	for (size_t i = 0; i < q->w->n_resize_requests; i++) {
		const struct resize_request *x = &q->w->resize_requests[i];

		if (!strcmp(x->project, p->id) && !strcmp(x->zone, q->seg[5]) &&
			!strcmp(x->group, q->seg[7]))
			write_resize_request(q, &w, x);
	}
	jw_end(&w, ']');
	jw_end(&w, '}');
}

/* ---- templates --------------------------------------------------------------------------------- */

/* Each group has one of its own name. */
void serve_template(const struct request *q, struct response *r)
{
	const struct project *p = gce_project(q, r);
	const struct vm_group *g = NULL;
	struct jw w = {.b = &r->body};

	for (size_t i = 0; p && !g && i < q->w->n_groups; i++)
		if (!strcmp(q->w->groups[i].project, p->id) &&
			!strcmp(q->w->groups[i].name, q->seg[6]))
			g = &q->w->groups[i];
	if (p && !g)
		gce_not_found(
			q, r, arena_printf(q->a, "global/instanceTemplates/%s", q->seg[6]));
	if (!g)
		return;
	jw_begin(&w, '{');
	jw_kstr(&w, "kind", "compute#instanceTemplate");
	jw_kstr(&w, "id", g->id);
	jw_kstr(&w, "name", g->name);
	jw_key(&w, "properties");
	jw_begin(&w, '{');
	jw_kstr(&w, "machineType", g->type);
	jw_key(&w, "labels");
	jw_raw(&w, g->labels);
	jw_key(&w, "scheduling");
	jw_begin(&w, '{');
	jw_kstr(&w, "provisioningModel",
		model_of(g->provisioning ? g->provisioning : "on-demand"));
	jw_end(&w, '}');
	jw_end(&w, '}');
	jw_end(&w, '}');
}
