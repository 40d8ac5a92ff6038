/* Node pools of Kubernetes Engine that are TPU slices. Kubernetes Engine API v1,
 * projects.locations.clusters.nodePools. */
#ifndef TPUCOST_GCP_COMPUTE_POOL_H
#define TPUCOST_GCP_COMPUTE_POOL_H

#include "gcp/gcp.h"

struct gke_pool {
	struct gcp_result r;
	const char *name;
	const char *topology; /* of its slice: "4x4"; "": not stated */
};

/* Queues one; after gcp_run, out->r.code has the result. */
enum err_code gke_pool_start(struct gcp *g, const struct gcp_thing *pool, struct arena *a,
	struct gke_pool *out, struct err *e) must_check;

#endif
