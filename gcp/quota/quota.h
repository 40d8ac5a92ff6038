/* Limits of a service in a project: Cloud Quotas v1 (quotaInfos), and the older Service Usage
 * v1beta1 (consumerQuotaMetrics), which have the same data in two forms. Neither has the usage.
 *
 * A value that applies to many locations, such as a default, is one entry for each location without
 * a value of its own. The most specific entries of a quota come first. */
#ifndef TPUCOST_GCP_QUOTA_QUOTA_H
#define TPUCOST_GCP_QUOTA_QUOTA_H

#include "gcp/list.h"

struct quota_entry {
	/* "TPUV3sPerProjectPerZoneForTPUAPI"; Service Usage has no such id and returns an opaque
	 * one, which only distinguishes the limits of a metric */
	const char *quota_id;
	const char *metric;     /* "tpu.googleapis.com/..."; "" if absent */
	const char *location;   /* zone or region; "global" if none is named */
	const char *dimensions; /* except the location, JSON object with sorted keys */
	int64_t value;          /* -1: unlimited */
	bool is_default;        /* the default: not granted to this project */
};

GCP_ITEMS(quota_list, struct quota_entry);

/* For gcp_listing_start; `where` is the service, "tpu.googleapis.com". They need
 * roles/cloudquotas.viewer, or serviceusage.quotas.get. */
extern const struct gcp_listing cloud_quota_listing, service_usage_quota_listing;
/* Only those with "tpu" in their id or metric, for Compute Engine, which has a thousand others. */
extern const struct gcp_listing compute_tpu_quota_listing, service_usage_tpu_listing;

/* Compute Engine v1: quotas of a project and of its regions, limit and usage. Compute REST
 * reference, projects: get and regions: list.
 *
 * Google sends doubles. They are converted to integers: limits are rounded down, usage is rounded
 * up, so that the remaining quota is never overstated.
 *
 * A list is complete or an error. Locations without quotas, or with a warning that these may be old
 * or missing, are in `r.scopes`: the region, "global" for the project, "regions" if Google does not
 * name them. All text is allocated from the arena and is never NULL. */

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
