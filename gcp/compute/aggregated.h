/* Aggregated lists of Compute Engine: all resources of one kind in a project, by zone and region.
 * Private to gcp/compute/. */
#ifndef TPUCOST_GCP_COMPUTE_AGGREGATED_H
#define TPUCOST_GCP_COMPUTE_AGGREGATED_H

#include "gcp/decode.h"
#include "gcp/list.h"

/* A zone, a region or "global". */
struct gce_scope {
	const char *key;      /* "zones/us-central1-a", "regions/us-central1", "global" */
	const char *location; /* "us-central1-a" */
	bool zone;
};

enum err_code gce_aggregated_page(
	struct gcp_typed *t, const struct cJSON *page, struct err *e) must_check;

/* Without the parameter, one unavailable zone would fail the whole list. */
#define AGGREGATED(its_path, its_items)                                               \
	.api = GCP_COMPUTE, .path = (its_path), .items = (its_items),                 \
	.param = "returnPartialSuccess", .value = "true", .size_param = "maxResults", \
	.page = gce_aggregated_page

#endif
