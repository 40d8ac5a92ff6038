/* Limits of a service in a project: Cloud Quotas v1 (quotaInfos), and the older Service Usage
 * v1beta1 (consumerQuotaMetrics), which say the same in two shapes. Neither tells usage. */
#ifndef TPUCOST_GCP_QUOTA_H
#define TPUCOST_GCP_QUOTA_H

#include "gcp/gcp.h"

struct quota_entry {
	const char *quota_id;   /* "TPUV3sPerProjectPerZoneForTPUAPI"; "" unsaid */
	const char *metric;     /* "tpu.googleapis.com/..." */
	const char *location;   /* zone, region or "global" */
	const char *dimensions; /* others than the location, JSON object with sorted keys */
	int64_t value;          /* -1: unlimited */
	bool is_default;        /* what every project has: nobody was granted it */
};

struct quota_list {
	struct gcp_result r;
	struct quota_entry *v;
	size_t n;
};

/* `service` is "tpu.googleapis.com". Needs roles/cloudquotas.viewer. */
enum err_code cloud_quotas(struct gcp *g, const char *project, const char *service,
	struct arena *a, struct quota_list *out, struct err *e) must_check;
/* Needs serviceusage.quotas.get. */
enum err_code service_usage_quotas(struct gcp *g, const char *project, const char *service,
	struct arena *a, struct quota_list *out, struct err *e) must_check;
/* Queue one; after gcp_run, out->r.code says how it went. */
enum err_code cloud_quotas_start(struct gcp *g, const char *project, const char *service,
	struct arena *a, struct quota_list *out, struct err *e) must_check;
enum err_code service_usage_quotas_start(struct gcp *g, const char *project,
	const char *service, struct arena *a, struct quota_list *out,
	struct err *e) must_check;

/* ---- between the files of these two ---------------------------------------------------------- */

struct dec;
struct gcp_typed;

/* The location among the dimensions of an entry, "" when there is none; *others gets the rest
 * as JSON. E_DATA by d->code. */
const char *quota_location(struct dec *d, const char **others);
/* Keep an entry. What came first for a metric, location and dimensions stays: Google puts the
 * most specific first. */
void quota_put(struct gcp_typed *t, const struct quota_entry *q);
void quota_deliver(struct gcp_typed *t);

#endif
