/* Cloud Asset Inventory: the projects below an organization or folder. Cloud Asset REST reference
 * v1, searchAllResources. A list is complete or an error, see gcp/compute/compute.h.
 *
 * The index is minutes late: it shows which projects exist, not their current state. */
#ifndef TPUCOST_GCP_COMPUTE_ASSET_H
#define TPUCOST_GCP_COMPUTE_ASSET_H

#include "gcp/gcp.h"

struct asset_project {
	const char *project_id;
	const char *number;       /* "" if absent */
	const char *display_name; /* may be "" */
	const char *state; /* as Google reports it: ACTIVE, DELETE_REQUESTED; "" = absent */
	bool active; /* ACTIVE: other projects have no running resources, or soon none */
};

GCP_ITEMS(asset_projects, struct asset_project);

/* Scope is "organizations/123" or "folders/9", else E_CONFIG. Needs roles/cloudasset.viewer
 * there. */
enum err_code asset_projects(struct gcp *g, const char *scope, struct arena *a,
	struct asset_projects *out, struct err *e) must_check;

#endif
