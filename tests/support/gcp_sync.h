/* Lists of Google's that are asked for one at a time, for tests of what is read of them: queue
 * one, run, and report how it went. Nothing is stored into `out` unless all went well. */
#ifndef TPUCOST_TESTS_SUPPORT_GCP_SYNC_H
#define TPUCOST_TESTS_SUPPORT_GCP_SYNC_H

#include "gcp/bill/catalog.h"
#include "gcp/bill/billing.h"
#include "gcp/compute/compute.h"
#include "gcp/monitoring.h"
#include "gcp/quota/quota.h"
#include "gcp/tpu.h"

enum err_code gce_instances(struct gcp *g, const char *project, struct arena *a,
	struct gce_instances *out, struct err *e) must_check;
enum err_code gce_disks(struct gcp *g, const char *project, struct arena *a,
	struct gce_disks *out, struct err *e) must_check;
enum err_code gce_addresses(struct gcp *g, const char *project, struct arena *a,
	struct gce_addresses *out, struct err *e) must_check;
enum err_code tpu_nodes(struct gcp *g, const char *project, struct arena *a,
	struct tpu_nodes *out, struct err *e) must_check;
enum err_code tpu_queueds(struct gcp *g, const char *project, struct arena *a,
	struct tpu_queueds *out, struct err *e) must_check;
enum err_code gcs_buckets(struct gcp *g, const char *project, struct arena *a,
	struct gcs_buckets *out, struct err *e) must_check;
enum err_code gce_snapshots(struct gcp *g, const char *project, struct arena *a,
	struct gce_snapshots *out, struct err *e) must_check;
enum err_code catalog_skus(struct gcp *g, const char *service_id, const char *currency,
	catalog_keep keep, void *ctx, struct arena *a, struct catalog_skus *out,
	struct err *e) must_check;
enum err_code billing_info(struct gcp *g, const char *project, struct arena *a,
	struct billing_info *out, struct err *e) must_check;
enum err_code cloud_quotas(struct gcp *g, const char *project, const char *service,
	struct arena *a, struct quota_list *out, struct err *e) must_check;
enum err_code service_usage_quotas(struct gcp *g, const char *project, const char *service,
	struct arena *a, struct quota_list *out, struct err *e) must_check;
enum err_code gce_project_quotas(struct gcp *g, const char *project, struct arena *a,
	struct gce_quotas *out, struct err *e) must_check;
enum err_code gce_region_quotas(struct gcp *g, const char *project, struct arena *a,
	struct gce_quotas *out, struct err *e) must_check;
enum err_code monitoring_series(struct gcp *g, const char *project,
	const struct series_query *q, struct arena *a, struct series_list *out,
	struct err *e) must_check;

#endif
