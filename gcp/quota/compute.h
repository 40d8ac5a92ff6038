/* Compute Engine v1: quotas of a project and of its regions, limit and usage. Compute REST
 * reference, projects: get and regions: list.
 *
 * Google sends doubles. Here they are whole: a limit is rounded down, a usage up, so that
 * what is left is never said to be more than it is.
 *
 * A list is whole or an error. What does not tell its quotas, or warns that they may be old
 * or missing, is in `r.scopes`: the region, "global" for the project, "regions" where Google
 * does not say which. All text lives in the arena and is never NULL. */
#ifndef TPUCOST_GCP_QUOTA_COMPUTE_H
#define TPUCOST_GCP_QUOTA_COMPUTE_H

#include "gcp/list.h"

struct gce_quota {
	const char *metric;   /* "CPUS", "SSD_TOTAL_GB" */
	const char *location; /* region, or "global" */
	int64_t limit;        /* -1: unlimited, also beyond 9e15 */
	int64_t used;         /* at most INT64_MAX, what it was beyond */
};

struct gce_quotas {
	struct gcp_result r;
	struct gce_quota *v;
	size_t n;
};

/* Of the project as a whole, and of every region: for gcp_listing_start. */
extern const struct gcp_listing gce_project_quota_listing, gce_region_quota_listing;

#endif
