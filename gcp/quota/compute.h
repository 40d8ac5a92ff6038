/* Compute Engine v1: quotas of a project and of its regions, limit and usage. Compute REST
 * reference, projects: get and regions: list.
 *
 * Google sends doubles. They are converted to integers: limits are rounded down, usage is rounded
 * up, so that the remaining quota is never overstated.
 *
 * A list is complete or an error. Locations without quotas, or with a warning that these may be old
 * or missing, are in `r.scopes`: the region, "global" for the project, "regions" if Google does not
 * name them. All text is allocated from the arena and is never NULL. */
#ifndef TPUCOST_GCP_QUOTA_COMPUTE_H
#define TPUCOST_GCP_QUOTA_COMPUTE_H

#include "gcp/list.h"

struct gce_quota {
	const char *metric;   /* "CPUS", "SSD_TOTAL_GB" */
	const char *location; /* region, or "global" */
	int64_t limit;        /* -1: unlimited, also beyond 9e15 */
	int64_t used;         /* at most INT64_MAX */
};

GCP_ITEMS(gce_quotas, struct gce_quota);

/* Quotas of the whole project, and of every region: for gcp_listing_start. */
extern const struct gcp_listing gce_project_quota_listing, gce_region_quota_listing;

#endif
