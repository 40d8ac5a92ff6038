/* Permissions: what accounts may do on projects, as the world's `iam:` says. After the Resource
 * Manager reference (projects.testIamPermissions) and Google's refusals of Compute Engine and
 * Cloud TPU. */
#include "tests/sandbox/sandbox.h"

#include "base/str.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#define MAX_ASKED 100

static bool granted(const struct world *w, const char *account, const char *project,
	const char *permission)
{
	bool listed = false;

	for (size_t i = 0; i < w->n_iam; i++) {
		const struct iam_grant *g = &w->iam[i];

		if (strcmp(g->member, account) != 0)
			continue;
		listed = true;
		for (size_t k = 0; k < g->permissions.n; k++)
			if ((!g->project || !strcmp(g->project, project)) &&
				!fnmatch(g->permissions.v[k], permission, 0))
				return true;
	}
	return !listed;
}

bool iam_may(const struct request *q, const char *project, const char *permission)
{
	return !q->account || granted(q->w, q->account, project, permission);
}

/* ---- what calls need ------------------------------------------------------------------------- */

#define GCE "/compute/v1/projects/*/"
#define TPU "/v2/projects/*/locations/*/"

/* In a permission, * is the verb at the end of the path. More specific patterns come first. */
static const struct {
	const char *method, *pattern, *permission;
} needs[] = {
	{"POST", GCE "zones/*/operations/*/wait", "compute.zoneOperations.get"},
	{"POST", GCE "zones/*/instances/*/*", "compute.instances.*"},
	{"DELETE", GCE "zones/*/instances/*", "compute.instances.delete"},
	{"GET", GCE "zones/*/instances/*", "compute.instances.get"},
	{"GET", GCE "zones/*/operations/*", "compute.zoneOperations.get"},
	{"GET", GCE "aggregated/instances", "compute.instances.list"},
	{"GET", GCE "aggregated/disks", "compute.disks.list"},
	{"GET", GCE "aggregated/addresses", "compute.addresses.list"},
	{"GET", GCE "aggregated/instanceGroupManagers",
		"compute.instanceGroupManagers.list"},
	{"GET", GCE "aggregated/resourcePolicies", "compute.resourcePolicies.list"},
	{"GET", GCE "global/instanceTemplates/*", "compute.instanceTemplates.get"},
	{"GET", GCE "aggregated/reservations", "compute.reservations.list"},
	{"GET", GCE "aggregated/futureReservations", "compute.futureReservations.list"},
	{"POST", GCE "*/*/instanceGroupManagers/*/resize",
		"compute.instanceGroupManagers.update"},
	{"GET", GCE "*/*/instanceGroupManagers/*", "compute.instanceGroupManagers.get"},
	{"GET", GCE "zones/*/instanceGroupManagers/*/resizeRequests",
		"compute.instanceGroupManagers.get"},
	{"GET", GCE "regions/*/operations/*", "compute.regionOperations.get"},
	{"GET", GCE "global/snapshots", "compute.snapshots.list"},
	{"GET", GCE "regions", "compute.regions.list"},
	{"GET", "/compute/v1/projects/*", "compute.projects.get"},
	{"POST", TPU "nodes/*:*", "tpu.nodes.*"},
	{"DELETE", TPU "nodes/*", "tpu.nodes.delete"},
	{"GET", TPU "nodes/*", "tpu.nodes.get"},
	{"GET", TPU "nodes", "tpu.nodes.list"},
	{"DELETE", TPU "queuedResources/*", "tpu.nodes.delete"},
	{"GET", TPU "queuedResources/*", "tpu.nodes.get"},
	{"GET", TPU "queuedResources", "tpu.nodes.list"},
	{"GET", TPU "operations/*", "tpu.operations.get"},
	{"GET", "/v2/projects/*/locations", "tpu.locations.list"},
	{"GET", "/v1/projects/*/locations/*/clusters/*/nodePools/*",
		"container.clusters.get"},
	{"POST", "/v1/projects/*/locations/*/clusters/*/nodePools/*:setSize",
		"container.clusters.update"},
	{"GET", "/v1/projects/*/locations/*/operations/*", "container.operations.get"},
	{"GET", "/v3/projects/*/timeSeries", "monitoring.timeSeries.list"},
	{"GET", "/v1/projects/*/billingInfo", "resourcemanager.projects.get"},
	{"GET", "/v1beta/projects/*/anomalies", "billing.anomalies.list"},
	{"POST", "/bigquery/v2/projects/*/queries", "bigquery.jobs.create"},
	{"POST", "/upload/bigquery/v2/projects/*/jobs", "bigquery.jobs.create"},
	{"GET", "/bigquery/v2/projects/*/datasets/*", "bigquery.datasets.get"},
	{"GET", "/bigquery/v2/projects/*/datasets/*/tables/*", "bigquery.tables.get"},
	{"GET", "/bigquery/v2/projects/*/datasets/*/tables/*/data",
		"bigquery.tables.getData"},
	{"GET", "/bigquery/v2/projects/*/datasets/*/tables", "bigquery.tables.list"},
};

/* The permission that a request needs, or NULL. Arena or static. */
static const char *needed(const struct request *q)
{
	const char *path = str_starts(q->path, "/v2alpha1/")
		? arena_printf(q->a, "/v2/%s", q->path + strlen("/v2alpha1/"))
		: q->path;

	for (size_t i = 0; i < ARRAY_LEN(needs); i++) {
		const char *p = needs[i].permission, *verb;

		if (strcmp(needs[i].method, q->method) != 0 ||
			fnmatch(needs[i].pattern, path, FNM_PATHNAME) != 0)
			continue;
		if (!str_ends(p, "*"))
			return p;
		verb = strrchr(q->path, ':');
		verb = verb ? verb + 1 : str_after_last(q->path, '/');
		return arena_printf(q->a, "%.*s%s", (int)strlen(p) - 1, p, verb);
	}
	return NULL;
}

static const struct project *project_of(const struct request *q)
{
	for (size_t i = 0; i + 1 < q->n_seg; i++)
		if (!strcmp(q->seg[i], "projects"))
			return world_project(q->w, q->seg[i + 1]);
	return NULL;
}

/* "projects/..." of a path. */
static const char *resource_of(const struct request *q)
{
	const char *at = strstr(q->path, "projects/");

	return at ? at : q->path;
}

/* Cloud TPU and other newer APIs. */
static void refuse_rpc(const struct request *q, struct response *r, const char *permission)
{
	const char *resource = resource_of(q);
	struct jw w = {.b = &r->body};

	r->status = 403;
	jw_begin(&w, '{');
	jw_key(&w, "error");
	jw_begin(&w, '{');
	jw_ki64(&w, "code", 403);
	jw_kstr(&w, "message",
		arena_printf(q->a, "Permission '%s' denied on '%s' (or it may not exist).",
			permission, resource));
	jw_kstr(&w, "status", "PERMISSION_DENIED");
	jw_key(&w, "details");
	jw_begin(&w, '[');
	jw_begin(&w, '{');
	jw_kstr(&w, "@type", "type.googleapis.com/google.rpc.ErrorInfo");
	jw_kstr(&w, "reason", "IAM_PERMISSION_DENIED");
	jw_kstr(&w, "domain", "iam.googleapis.com");
	jw_key(&w, "metadata");
	jw_begin(&w, '{');
	jw_kstr(&w, "permission", permission);
	jw_kstr(&w, "resource", resource);
	jw_end(&w, '}');
	jw_end(&w, '}');
	jw_end(&w, ']');
	jw_end(&w, '}');
	jw_end(&w, '}');
}

bool iam_refuses(const struct request *q, struct response *r)
{
	const char *permission = q->account ? needed(q) : NULL;
	const struct project *p = permission ? project_of(q) : NULL;

	if (!p || granted(q->w, q->account, p->id, permission))
		return false;
	if (str_starts(q->path, "/compute/") || strstr(q->path, "/bigquery/"))
		respond_error(r, 403, "forbidden",
			arena_printf(q->a, "Required '%s' permission for '%s'", permission,
				resource_of(q)));
	else
		refuse_rpc(q, r, permission);
	return true;
}

/* ---- testIamPermissions ---------------------------------------------------------------------- */

/* service.resource.verb; what belongs to billing accounts is none of a project. */
static bool permission_valid(const char *s)
{
	size_t dots = 0;

	for (const char *p = s; *p; p++) {
		dots += *p == '.';
		if (*p != '.' && !isalnum((unsigned char)*p))
			return false;
	}
	return dots == 2 &&
		(!str_starts(s, "billing.") || str_starts(s, "billing.anomalies."));
}

static void answer(const struct request *q, struct response *r, const struct project *p,
	const struct cJSON *asked)
{
	struct jw w = {.b = &r->body};
	bool any = false;

	JSON_EACH (item, asked) {
		const char *permission = json_text(item, "");

		if (!permission_valid(permission)) {
			respond_rpc(r, 400, "INVALID_ARGUMENT",
				arena_printf(q->a,
					"Permission %s is not valid for this resource.",
					permission));
			return;
		}
	}
	jw_begin(&w, '{');
	JSON_EACH (item, asked) {
		if (!granted(q->w, q->account, p->id, json_text(item, "")))
			continue;
		if (!any) {
			jw_key(&w, "permissions");
			jw_begin(&w, '[');
			any = true;
		}
		jw_str(&w, json_text(item, ""));
	}
	if (any)
		jw_end(&w, ']');
	jw_end(&w, '}');
}

/* ".../projects/P:testIamPermissions"; none granted is an empty object. */
void serve_test_permissions(const struct request *q, struct response *r)
{
	const char *verb = strrchr(q->seg[2], ':');
	const struct project *p = NULL;
	struct cJSON *body = NULL;
	const struct cJSON *asked;

	if (verb && !strcmp(verb, ":testIamPermissions"))
		p = world_project(
			q->w, arena_strndup(q->a, q->seg[2], (size_t)(verb - q->seg[2])));
	asked = json_parse(q->body, q->body_len, &body, NULL)
		? NULL
		: json_get(body, "permissions");
	if (!verb || strcmp(verb, ":testIamPermissions") != 0)
		respond_rpc(r, 404, "NOT_FOUND", "Method not found.");
	else if (!p)
		respond_rpc(
			r, 403, "PERMISSION_DENIED", "The caller does not have permission");
	else if (!json_is_array(asked) || json_len(asked) > MAX_ASKED)
		respond_rpc(r, 400, "INVALID_ARGUMENT",
			"Request contains an invalid argument.");
	else
		answer(q, r, p, asked);
	json_free(body);
}
