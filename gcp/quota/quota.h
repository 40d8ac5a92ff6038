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

#endif
