/* Limits of a service in a project: Cloud Quotas v1 (quotaInfos), and the older Service Usage
 * v1beta1 (consumerQuotaMetrics), which say the same in two shapes. Neither tells usage.
 *
 * A value that holds for many locations, such as a default, is one entry for each of them that
 * has none of its own. Entries of a quota come with the most specific ones first. */
#ifndef TPUCOST_GCP_QUOTA_QUOTA_H
#define TPUCOST_GCP_QUOTA_QUOTA_H

#include "gcp/list.h"

struct quota_entry {
	/* "TPUV3sPerProjectPerZoneForTPUAPI"; Service Usage knows no such id and gives its
	 * own, which is opaque: it only tells limits of a metric apart */
	const char *quota_id;
	const char *metric;     /* "tpu.googleapis.com/..."; "" unsaid */
	const char *location;   /* zone or region; "global" where none is named */
	const char *dimensions; /* others than the location, JSON object with sorted keys */
	int64_t value;          /* -1: unlimited */
	bool is_default;        /* nothing says that this project was given it */
};

struct quota_list {
	struct gcp_result r;
	struct quota_entry *v;
	size_t n;
};

/* Queue one; after gcp_run, out->r.code says how it went. `service` is "tpu.googleapis.com".
 * Needs roles/cloudquotas.viewer, or serviceusage.quotas.get. */
enum err_code cloud_quotas_start(struct gcp *g, const char *project, const char *service,
	struct arena *a, struct quota_list *out, struct err *e) must_check;
enum err_code service_usage_quotas_start(struct gcp *g, const char *project,
	const char *service, struct arena *a, struct quota_list *out,
	struct err *e) must_check;

#endif
