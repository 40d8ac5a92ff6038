/* Projects below an organization or folder, and what they have. */
#include "gcp/compute/compute.h"

#include "base/data/json.h"
#include "base/str.h"
#include "base/url/url.h"
#include "gcp/decode.h"
#include "gcp/list.h"

#include <string.h>

#define PROJECT "cloudresourcemanager.googleapis.com/Project"
#define PROJECTS "//cloudresourcemanager.googleapis.com/projects/"
#define MAX_NUMBER 20 /* digits */

static bool asset_is_number(const char *s)
{
	size_t digits = strspn(s, "0123456789");

	return digits > 0 && digits <= MAX_NUMBER && !s[digits];
}

/* ---- projects ------------------------------------------------------------ */

/* The id is in the name; if the name has the number, the id is in the other attributes. */
static const char *asset_read_id(struct dec *d)
{
	const char *name = dec_need(d, "name");
	const struct cJSON *more = dec_object(d, "additionalAttributes");
	const char *id = "", *other;

	if (d->code != E_OK)
		return "";
	if (str_starts(name, PROJECTS))
		id = name + strlen(PROJECTS);
	other = json_text(json_get(more, "projectId"), "");
	if (asset_is_number(id) && *other)
		id = arena_strdup(d->a, other);
	if (!gcp_project_valid(id))
		dec_fail(d, "name", "not a project");
	return id;
}

/* "projects/123" -> "123" */
static const char *asset_read_number(struct dec *d)
{
	const char *full = dec_text(d, "project"), *number;

	if (d->code != E_OK || !*full)
		return "";
	number = str_starts(full, "projects/") ? full + strlen("projects/") : "";
	if (!asset_is_number(number))
		dec_fail(d, "project", "not projects/NUMBER");
	return number;
}

static void asset_read_project(struct dec *d, void *item)
{
	struct asset_project *out = item;

	/* The requested types are a pattern: other types may match it. */
	if (!str_eq(dec_need(d, "assetType"), PROJECT))
		return;
	out->project_id = d->key = asset_read_id(d);
	out->number = asset_read_number(d);
	out->display_name = dec_text(d, "displayName");
	out->state = dec_text(d, "state");
	out->active = str_eq(out->state, "ACTIVE");
}

/* ---- resources ----------------------------------------------------------- */

#define COMPUTE "compute.googleapis.com/"

/* Asset types of what the collector lists. One without them in the index is not an error: some are newer than others. */
static const struct {
	const char *type;
	enum asset_kind kind;
} asset_types[] = {
	{COMPUTE "Instance", ASSET_MACHINE},
	{COMPUTE "InstanceGroupManager", ASSET_MACHINE},
	{COMPUTE "Reservation", ASSET_MACHINE},
	{COMPUTE "FutureReservation", ASSET_MACHINE},
	{COMPUTE "Disk", ASSET_MACHINE},
	{COMPUTE "RegionDisk", ASSET_MACHINE},
	{COMPUTE "Address", ASSET_MACHINE},
	{COMPUTE "GlobalAddress", ASSET_MACHINE},
	{"tpu.googleapis.com/Node", ASSET_MACHINE},
	{COMPUTE "Snapshot", ASSET_SNAPSHOT},
	{"storage.googleapis.com/Bucket", ASSET_BUCKET},
};

/* One expression: Google refuses one that matches no type that it has. */
static const char *asset_pattern(struct arena *a)
{
	const char *out = "";

	for (size_t i = 0; i < ARRAY_LEN(asset_types); i++)
		out = arena_printf(a, "%s%s%s", out, i ? "|" : "", asset_types[i].type);
	return out;
}

static enum err_code asset_find(
	const struct asset_search *s, const struct cJSON *item, struct err *e)
{
	const char *type = json_text(json_get(item, "assetType"), "");
	const char *project = json_text(json_get(item, "project"), "");

	for (size_t i = 0; i < ARRAY_LEN(asset_types); i++) {
		if (strcmp(type, asset_types[i].type) != 0)
			continue;
		if (!str_starts(project, "projects/") ||
			!asset_is_number(project + strlen("projects/")))
			return err_set(
				e, E_DATA, "project of an asset: not projects/NUMBER");
		s->found(s->ctx, project + strlen("projects/"), asset_types[i].kind);
	}
	/* The requested types are a pattern: other types may match it. */
	return *type ? E_OK : err_set(e, E_DATA, "assetType of an asset is missing");
}

/* Nothing of a page is kept. */
static enum err_code asset_page(
	struct gcp_typed *t, const struct cJSON *page, struct err *e)
{
	const struct asset_search *s = t->more;
	struct dec d = dec_begin(page, t->arena, e);
	const struct cJSON *items = dec_array(&d, "results");

	JSON_EACH (j, items)
		if (d.code == E_OK)
			d.code = asset_find(s, j, e);
	return d.code;
}

/* ---- scopes -------------------------------------------------------------- */

/* The two kinds of scope, their gcloud groups, and their roles. */
static const struct {
	const char *prefix, *group;
	struct gcp_listing projects, resources;
} scopes[] = {
#define SEARCH(its_what, its_path) \
	.api = GCP_ASSET, .what = (its_what), .path = (its_path), .items = "results"
#define LISTS(its_path)                                                                \
	{SEARCH("search projects", its_path), .param = "assetTypes", .value = PROJECT, \
		.size = sizeof(struct asset_project), .read = asset_read_project},     \
	{                                                                              \
		SEARCH("search resources", its_path), .max_pages = ASSET_MAX_PAGES,    \
						      .size = 1, .page = asset_page    \
	}
	{"organizations/", "organizations", LISTS("/organizations/{}:searchAllResources")},
	{"folders/", "resource-manager folders", LISTS("/folders/{}:searchAllResources")},
};

/* NULL: not a scope. */
static struct gcp_typed *asset_new(struct gcp *g, const char *scope, bool projects,
	struct arena *a, struct gcp_result *out, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(scopes); i++) {
		const char *number = scope + strlen(scopes[i].prefix);
		struct gcp_typed *t;

		if (!str_starts(scope, scopes[i].prefix) || !asset_is_number(number))
			continue;
		t = gcp_typed_new(projects ? &scopes[i].projects : &scopes[i].resources, g,
			NULL, a, out, number, NULL);
		t->list.call.grant_group = scopes[i].group;
		t->list.call.grant_name = number;
		return t;
	}
	err_set(e, E_CONFIG, "'%.60s' is not an organization or folder", scope);
	err_fix(e,
		"write organizations/NUMBER or folders/NUMBER; list yours with: "
		"gcloud organizations list");
	return NULL;
}

enum err_code asset_projects(struct gcp *g, const char *scope, struct arena *a,
	struct asset_projects *out, struct err *e)
{
	struct asset_projects own = {0};
	struct gcp_typed *t = asset_new(g, scope, true, a, &own.r, e);
	enum err_code rc;

	if (!t)
		return E_CONFIG;
	rc = gcp_typed_wait(g, gcp_typed_start(t, e), &own.r, e);
	if (rc == E_OK)
		*out = own;
	return rc;
}

enum err_code asset_search_start(struct gcp *g, const char *scope, struct arena *a,
	struct asset_search *out, struct err *e)
{
	struct gcp_typed *t = asset_new(g, scope, false, a, &out->none.r, e);

	if (!t)
		return E_CONFIG;
	t->more = out;
	url_param(&t->list.call.url, "assetTypes", asset_pattern(a));
	url_param(&t->list.call.url, "readMask", "name,assetType,project");
	return gcp_typed_start(t, e);
}
