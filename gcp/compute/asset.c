/* Projects below an organization or folder. */
#include "gcp/compute/compute.h"

#include "base/str.h"
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

/* ---- scopes -------------------------------------------------------------- */

/* The two kinds of scope, their gcloud groups, and their roles. */
static const struct {
	const char *prefix, *group;
	struct gcp_listing list;
} scopes[] = {
#define LIST(its_path)                                                           \
	{                                                                        \
		.api = GCP_ASSET, .what = "search projects", .path = (its_path), \
		.param = "assetTypes", .value = PROJECT, .items = "results",     \
		.size = sizeof(struct asset_project), .read = asset_read_project \
	}
	{"organizations/", "organizations", LIST("/organizations/{}:searchAllResources")},
	{"folders/", "resource-manager folders", LIST("/folders/{}:searchAllResources")},
};

enum err_code asset_projects(struct gcp *g, const char *scope, struct arena *a,
	struct asset_projects *out, struct err *e)
{
	struct asset_projects own = {0};
	enum err_code rc;

	for (size_t i = 0; i < ARRAY_LEN(scopes); i++) {
		const char *number = scope + strlen(scopes[i].prefix);
		struct gcp_typed *t;

		if (!str_starts(scope, scopes[i].prefix) || !asset_is_number(number))
			continue;
		t = gcp_typed_new(&scopes[i].list, g, NULL, a, &own.r, number, NULL);
		t->list.call.grant_group = scopes[i].group;
		t->list.call.grant_name = number;
		rc = gcp_typed_wait(g, gcp_typed_start(t, e), &own.r, e);
		if (rc == E_OK)
			*out = own;
		return rc;
	}
	err_set(e, E_CONFIG, "'%.60s' is not an organization or folder", scope);
	err_fix(e,
		"write organizations/NUMBER or folders/NUMBER; list yours with: "
		"gcloud organizations list");
	return E_CONFIG;
}
