/* Lists of Google's that are asked for one at a time, for tests of what is read of them: queue
 * one, run, and report how it went. Nothing is stored into `out` unless all went well. */
#ifndef TPUCOST_TESTS_SUPPORT_GCP_SYNC_H
#define TPUCOST_TESTS_SUPPORT_GCP_SYNC_H

#include "gcp/bill/catalog.h"
#include "gcp/bill/billing.h"
#include "gcp/compute/compute.h"
#include "gcp/list.h"
#include "gcp/monitoring.h"
#include "gcp/quota/quota.h"
#include "gcp/tpu.h"
#include "tests/support/world/gcp_world.h"

/* `out` is the result of such a list, of `size` bytes. */
enum err_code gcp_sync(const struct gcp_listing *k, struct gcp *g, const char *project,
	const char *where, struct arena *a, void *out, size_t size,
	struct err *e) must_check;
#define SYNC(kind, g, project, where, a, out, e) \
	gcp_sync(&(kind), g, project, where, a, &(out)->r, sizeof(*(out)), e)
#define gce_instances(g, project, a, out, e) \
	SYNC(gce_instance_listing, g, project, NULL, a, out, e)
#define gce_disks(g, project, a, out, e) SYNC(gce_disk_listing, g, project, NULL, a, out, e)
#define gce_addresses(g, project, a, out, e) \
	SYNC(gce_address_listing, g, project, NULL, a, out, e)
#define tpu_nodes(g, project, a, out, e) SYNC(tpu_node_listing, g, project, NULL, a, out, e)
#define tpu_queueds(g, project, a, out, e) \
	SYNC(tpu_queued_listing, g, project, "-", a, out, e)
#define gcs_buckets(g, project, a, out, e) \
	SYNC(gcs_bucket_listing, g, project, NULL, a, out, e)
#define gce_reservations(g, project, a, out, e) \
	SYNC(gce_reservation_listing, g, project, NULL, a, out, e)
#define gce_futures(g, project, a, out, e) \
	SYNC(gce_future_listing, g, project, NULL, a, out, e)
#define gce_snapshots(g, project, a, out, e) \
	SYNC(gce_snapshot_listing, g, project, NULL, a, out, e)
#define billing_info(g, project, a, out, e) \
	SYNC(billing_info_listing, g, project, NULL, a, out, e)
#define cloud_quotas(g, project, service, a, out, e) \
	SYNC(cloud_quota_listing, g, project, service, a, out, e)
#define service_usage_quotas(g, project, service, a, out, e) \
	SYNC(service_usage_quota_listing, g, project, service, a, out, e)
#define gce_project_quotas(g, project, a, out, e) \
	SYNC(gce_project_quota_listing, g, project, NULL, a, out, e)
#define gce_region_quotas(g, project, a, out, e) \
	SYNC(gce_region_quota_listing, g, project, NULL, a, out, e)
enum err_code catalog_skus(struct gcp *g, const char *service_id, const char *currency,
	catalog_keep keep, void *ctx, struct arena *a, struct catalog_skus *out,
	struct err *e) must_check;
enum err_code monitoring_series(struct gcp *g, const char *project,
	const struct series_query *q, struct arena *a, struct series_list *out,
	struct err *e) must_check;

/* Queues a list beside others; the test fails when it cannot be. */
void list_start(struct gcp_world *w, const struct gcp_listing *k, const char *project,
	const char *where, struct gcp_result *out);

/* ---- what a list is read as ---------------------------------------------- */

/* How a test asks for a list. */
struct asked_list {
	const char *match; /* its requests */
	const char *what;  /* what every message begins with: "list disks: " */
	enum err_code (*ask)(struct gcp_world *w, void *out);
};

/* Asks a server whose only page is these three texts; the world is open afterwards. */
enum err_code list_ask(const struct asked_list *l, struct gcp_world *w, const char *before,
	const char *text, const char *after, void *out) must_check;

/* Each of these texts between `before` and `after` makes the page E_DATA, with a message that
 * begins with `where` and has `part`, and nothing is stored. */
struct list_fault {
	const char *text, *part;
};
void list_spoiled(const struct asked_list *l, const char *where, const char *before,
	const char *after, const struct list_fault *cases, size_t n);

/* Each of these pages is a complete list of nothing. */
void list_empty(const struct asked_list *l, const char *const *bodies, size_t n);

/* Each of these answers is such an error, and nothing is stored. */
struct list_refusal {
	struct fault_step step;
	enum err_code code;
	const char *fix; /* part of what to do */
};
void list_refused(const struct asked_list *l, const struct list_refusal *cases, size_t n);

/* "LOCATION DIMENSIONS VALUE default" of all entries, one a line. */
const char *quota_text(struct arena *a, const struct quota_list *list);

#endif
