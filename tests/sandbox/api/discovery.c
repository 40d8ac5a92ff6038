/* Which projects there are: those that a billing account pays for (Cloud Billing v1), and those
 * below an organization or folder (Cloud Asset v1). After their REST references. Every project
 * of the world belongs to the one account, organization and folder. */
#include "tests/sandbox/sandbox.h"

#include <regex.h>
#include <string.h>

#define BILLING_PAGE 100 /* the most that a page holds */
#define ASSET_PAGE 500
#define PROJECT_TYPE "cloudresourcemanager.googleapis.com/Project"

static bool is_the_account(const struct request *q, struct response *r)
{
	if (!strcmp(q->seg[2], BILLING_ACCOUNT))
		return true;
	respond_rpc(r, 403, "PERMISSION_DENIED", "The caller does not have permission");
	return false;
}

void serve_billing_account(const struct request *q, struct response *r)
{
	struct jw w = {.b = &r->body};

	if (!is_the_account(q, r))
		return;
	jw_begin(&w, '{');
	jw_kstr(&w, "name", "billingAccounts/" BILLING_ACCOUNT);
	jw_key(&w, "open");
	jw_bool(&w, true);
	jw_kstr(&w, "displayName", "Lab");
	jw_kstr(&w, "masterBillingAccount", "");
	jw_kstr(&w, "currencyCode", q->w->currency);
	jw_end(&w, '}');
}

/* The page that is asked for, of the size that the API allows. */
static bool page_of(
	const struct request *q, struct response *r, size_t most, size_t *from, size_t *to)
{
	if (!page_read(q, r, from, to))
		return false;
	if (*to > *from + most)
		*to = *from + most;
	if (*to > q->w->n_projects)
		*to = q->w->n_projects;
	return true;
}

void serve_billing_projects(const struct request *q, struct response *r)
{
	struct jw w = {.b = &r->body};
	size_t from, to;

	if (!is_the_account(q, r) || !page_of(q, r, BILLING_PAGE, &from, &to))
		return;
	jw_begin(&w, '{');
	jw_key(&w, "projectBillingInfo");
	jw_begin(&w, '[');
	for (size_t i = from; i < to; i++) {
		const char *id = q->w->projects[i].id;

		jw_begin(&w, '{');
		jw_kstr(&w, "name", arena_printf(q->a, "projects/%s/billingInfo", id));
		jw_kstr(&w, "projectId", id);
		jw_kstr(&w, "billingAccountName", "billingAccounts/" BILLING_ACCOUNT);
		jw_key(&w, "billingEnabled");
		jw_bool(&w, true);
		jw_end(&w, '}');
	}
	jw_end(&w, ']');
	jw_kstr(&w, "nextPageToken", to < q->w->n_projects ? page_token(q, to) : "");
	jw_end(&w, '}');
}

static void write_found(const struct request *q, struct jw *w, const struct project *p)
{
	jw_begin(w, '{');
	jw_kstr(w, "name",
		arena_printf(
			q->a, "//cloudresourcemanager.googleapis.com/projects/%s", p->id));
	jw_kstr(w, "assetType", PROJECT_TYPE);
	jw_kstr(w, "project", arena_printf(q->a, "projects/%s", p->number));
	jw_key(w, "folders");
	jw_begin(w, '[');
	jw_str(w, "folders/" FOLDER);
	jw_end(w, ']');
	jw_kstr(w, "organization", "organizations/" ORGANIZATION);
	jw_kstr(w, "displayName", p->id);
	jw_kstr(w, "location", "global");
	jw_kstr(w, "state", p->state);
	jw_key(w, "additionalAttributes");
	jw_begin(w, '{');
	jw_kstr(w, "projectId", p->id);
	jw_end(w, '}');
	jw_kstr(w, "parentFullResourceName",
		"//cloudresourcemanager.googleapis.com/folders/" FOLDER);
	jw_kstr(w, "parentAssetType", "cloudresourcemanager.googleapis.com/Folder");
	jw_end(w, '}');
}

#define COMPUTE "compute.googleapis.com/"

/* The types that the index has: a pattern must match one of them. */
static bool search_types(
	const struct request *q, struct response *r, bool *projects, regex_t *out)
{
	static const char *const types[] = {PROJECT_TYPE, COMPUTE "Instance",
		COMPUTE "InstanceGroupManager", COMPUTE "Reservation", COMPUTE "Disk",
		COMPUTE "RegionDisk", COMPUTE "Address", COMPUTE "GlobalAddress",
		COMPUTE "Snapshot", "tpu.googleapis.com/Node",
		"storage.googleapis.com/Bucket"};
	const char *asked = q->param(q, "assetTypes");
	const char *whole = arena_printf(q->a, "^(%s)$", asked ? asked : ".*");
	size_t i = 0;

	if (!regcomp(out, whole, REG_EXTENDED | REG_NOSUB)) {
		while (i < ARRAY_LEN(types) && regexec(out, types[i], 0, NULL, 0))
			i++;
		*projects = !i;
		if (i < ARRAY_LEN(types))
			return true;
		regfree(out);
	}
	respond_rpc(r, 400, "INVALID_ARGUMENT", "No supported asset type matches.");
	return false;
}

/* Projects, or resources of other types; what would narrow the search otherwise is refused. */
void serve_search(const struct request *q, struct response *r)
{
	bool folder = !strcmp(q->seg[1], "folders"), projects;
	struct jw w = {.b = &r->body};
	regex_t types;
	size_t from, to;

	if (strcmp(q->seg[2],
		    folder ? FOLDER ":searchAllResources"
			   : ORGANIZATION ":searchAllResources") != 0) {
		respond_rpc(
			r, 403, "PERMISSION_DENIED", "The caller does not have permission");
		return;
	}
	if (!search_types(q, r, &projects, &types))
		return;
	if (q->param(q, "query") || q->param(q, "orderBy") ||
		(q->param(q, "readMask") &&
			(projects ||
				strcmp(q->param(q, "readMask"), "name,assetType,project") !=
					0))) {
		respond_rpc(r, 400, "INVALID_ARGUMENT",
			"The sandbox has no query, orderBy or other readMask.");
	} else if (!projects) {
		if (page_read(q, r, &from, &to))
			serve_assets(q, r, &types, from,
				to > from + ASSET_PAGE ? from + ASSET_PAGE : to);
	} else if (page_of(q, r, ASSET_PAGE, &from, &to)) {
		jw_begin(&w, '{');
		jw_key(&w, "results");
		jw_begin(&w, '[');
		for (size_t i = from; i < to; i++)
			write_found(q, &w, &q->w->projects[i]);
		jw_end(&w, ']');
		if (to < q->w->n_projects)
			jw_kstr(&w, "nextPageToken", page_token(q, to));
		jw_end(&w, '}');
	}
	regfree(&types);
}
