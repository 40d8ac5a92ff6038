#include "gcp/compute/asset.h"

#include "base/str.h"
#include "base/url/url.h"
#include "gcp/decode.h"
#include "gcp/list.h"

#include <string.h>

#define PROJECT "cloudresourcemanager.googleapis.com/Project"
#define PROJECTS "//cloudresourcemanager.googleapis.com/projects/"
#define MAX_NUMBER 20 /* digits */

/* ---- scopes -------------------------------------------------------------- */

/* The two kinds of scope, what is asked of them, and where gcloud has them. */
static const struct {
	const char *prefix, *path, *group;
} kinds[] = {
	{"organizations/", "/organizations/{}:searchAllResources", "organizations"},
	{"folders/", "/folders/{}:searchAllResources", "resource-manager folders"},
};

static bool is_number(const char *s)
{
	size_t digits = strspn(s, "0123456789");

	return digits > 0 && digits <= MAX_NUMBER && !s[digits];
}

/* The kind of a scope, and its number; ARRAY_LEN(kinds) when it is none. */
static size_t kind_of(const char *scope, const char **number)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (!str_starts(scope, kinds[i].prefix))
			continue;
		*number = scope + strlen(kinds[i].prefix);
		if (is_number(*number))
			return i;
	}
	return ARRAY_LEN(kinds);
}

/* ---- projects ------------------------------------------------------------ */

/* The id is in the name; where the name has the number, among the other attributes. */
static const char *read_id(struct dec *d)
{
	const char *name = dec_need(d, "name");
	const struct cJSON *more = dec_object(d, "additionalAttributes");
	const char *id = "", *other;

	if (d->code != E_OK)
		return "";
	if (str_starts(name, PROJECTS))
		id = name + strlen(PROJECTS);
	other = json_text(json_get(more, "projectId"), "");
	if (is_number(id) && *other)
		id = arena_strdup(d->a, other);
	if (!gcp_project_valid(id))
		dec_fail(d, "name", "it is no project");
	return id;
}

/* "projects/123" -> "123" */
static const char *read_number(struct dec *d)
{
	const char *full = dec_text(d, "project"), *number;

	if (d->code != E_OK || !*full)
		return "";
	number = str_starts(full, "projects/") ? full + strlen("projects/") : "";
	if (!is_number(number))
		dec_fail(d, "project", "it is not projects/NUMBER");
	return number;
}

static enum err_code put_project(struct gcp_typed *t, const struct cJSON *j, struct err *e)
{
	struct dec d = dec_begin(j, t->arena, e);
	struct asset_project p = {0};

	/* The types that are asked for are a pattern: more may fit it. */
	if (d.code == E_OK && !str_eq(dec_need(&d, "assetType"), PROJECT))
		return d.code;
	p.project_id = read_id(&d);
	p.number = read_number(&d);
	p.display_name = dec_text(&d, "displayName");
	p.state = dec_text(&d, "state");
	p.active = str_eq(p.state, "ACTIVE");
	if (d.code == E_OK)
		memcpy(gcp_typed_slot(t, p.project_id), &p, sizeof(p));
	return d.code;
}

static enum err_code on_page(struct gcp_list *l, const struct cJSON *page, struct err *e)
{
	return gcp_typed_page(l, page, "results", NULL, put_project, e);
}

static GCP_DELIVER(deliver, struct asset_projects);

enum err_code asset_projects_start(struct gcp *g, const char *scope, struct arena *a,
	struct asset_projects *out, struct err *e)
{
	const char *number = NULL;
	size_t kind = kind_of(scope, &number);
	struct gcp_typed *t;

	if (kind >= ARRAY_LEN(kinds)) {
		err_set(e, E_CONFIG, "scope \"%.60s\" is no organization or folder", scope);
		err_fix(e,
			"write organizations/NUMBER or folders/NUMBER; list yours with: "
			"gcloud organizations list");
		return E_CONFIG;
	}
	t = gcp_typed_new(g, GCP_ASSET, NULL, "search projects", a, &out->r,
		sizeof(struct asset_project));
	gcp_url(g, &t->list.call.url, GCP_ASSET, kinds[kind].path, number, NULL);
	url_param(&t->list.call.url, "assetTypes", PROJECT);
	t->list.call.grant_group = kinds[kind].group;
	t->list.call.grant_name = arena_strdup(a, number);
	t->list.on_page = on_page;
	t->deliver = deliver;
	return gcp_typed_start(t, e);
}

enum err_code asset_projects(struct gcp *g, const char *scope, struct arena *a,
	struct asset_projects *out, struct err *e)
{
	struct asset_projects own = {0};
	enum err_code rc = asset_projects_start(g, scope, a, &own, e);

	rc = gcp_typed_wait(g, rc, &own.r, e);
	if (rc == E_OK)
		*out = own;
	return rc;
}
