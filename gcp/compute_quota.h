/* Compute Engine v1: quotas of a project and of its regions, limit and usage. Compute REST
 * reference, projects: get and regions: list. */
#ifndef TPUCOST_GCP_COMPUTE_QUOTA_H
#define TPUCOST_GCP_COMPUTE_QUOTA_H

#include "gcp/gcp.h"

struct gce_quota {
	const char *metric;   /* "CPUS", "SSD_TOTAL_GB" */
	const char *location; /* region, or "global" */
	int64_t limit;        /* rounded down; -1: unlimited */
	int64_t used;         /* rounded up */
};

struct gce_quotas {
	struct gcp_result r; /* regions that do not tell their quotas are incomplete */
	struct gce_quota *v;
	size_t n;
};

/* Of the project as a whole. Queue one; after gcp_run, out->r.code says how it went. */
enum err_code gce_project_quotas_start(struct gcp *g, const char *project, struct arena *a,
	struct gce_quotas *out, struct err *e) must_check;
/* Of every region. */
enum err_code gce_region_quotas_start(struct gcp *g, const char *project, struct arena *a,
	struct gce_quotas *out, struct err *e) must_check;

#endif
