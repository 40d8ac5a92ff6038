#include "tests/support/gcp_sync.h"

#include "gcp/list.h"

#include <string.h>

/* Every result begins with how it went. */
static enum err_code finish(struct gcp *g, enum err_code started, const void *own,
	size_t size, void *out, struct err *e)
{
	enum err_code rc = gcp_typed_wait(g, started, own, e);

	if (rc == E_OK)
		memcpy(out, own, size);
	return rc;
}

enum err_code gce_instances(struct gcp *g, const char *project, struct arena *a,
	struct gce_instances *out, struct err *e)
{
	struct gce_instances own = {0};

	return finish(g,
		gcp_listing_start(&gce_instance_listing, g, project, NULL, a, &own.r, e),
		&own, sizeof(own), out, e);
}

enum err_code gce_disks(struct gcp *g, const char *project, struct arena *a,
	struct gce_disks *out, struct err *e)
{
	struct gce_disks own = {0};

	return finish(g,
		gcp_listing_start(&gce_disk_listing, g, project, NULL, a, &own.r, e), &own,
		sizeof(own), out, e);
}

enum err_code gce_addresses(struct gcp *g, const char *project, struct arena *a,
	struct gce_addresses *out, struct err *e)
{
	struct gce_addresses own = {0};

	return finish(g,
		gcp_listing_start(&gce_address_listing, g, project, NULL, a, &own.r, e),
		&own, sizeof(own), out, e);
}

enum err_code tpu_nodes(struct gcp *g, const char *project, struct arena *a,
	struct tpu_nodes *out, struct err *e)
{
	struct tpu_nodes own = {0};

	return finish(g,
		gcp_listing_start(&tpu_node_listing, g, project, NULL, a, &own.r, e), &own,
		sizeof(own), out, e);
}

enum err_code tpu_queueds(struct gcp *g, const char *project, struct arena *a,
	struct tpu_queueds *out, struct err *e)
{
	struct tpu_queueds own = {0};

	return finish(g,
		gcp_listing_start(&tpu_queued_listing, g, project, "-", a, &own.r, e), &own,
		sizeof(own), out, e);
}

enum err_code gcs_buckets(struct gcp *g, const char *project, struct arena *a,
	struct gcs_buckets *out, struct err *e)
{
	struct gcs_buckets own = {0};

	return finish(g,
		gcp_listing_start(&gcs_bucket_listing, g, project, NULL, a, &own.r, e),
		&own, sizeof(own), out, e);
}

enum err_code gce_snapshots(struct gcp *g, const char *project, struct arena *a,
	struct gce_snapshots *out, struct err *e)
{
	struct gce_snapshots own = {0};

	return finish(g,
		gcp_listing_start(&gce_snapshot_listing, g, project, NULL, a, &own.r, e),
		&own, sizeof(own), out, e);
}

enum err_code catalog_skus(struct gcp *g, const char *service_id, const char *currency,
	catalog_keep keep, void *ctx, struct arena *a, struct catalog_skus *out,
	struct err *e)
{
	struct catalog_skus own = {0};

	return finish(g, catalog_skus_start(g, service_id, currency, keep, ctx, a, &own, e),
		&own, sizeof(own), out, e);
}

enum err_code billing_info(struct gcp *g, const char *project, struct arena *a,
	struct billing_info *out, struct err *e)
{
	struct billing_info own = {0};

	return finish(g,
		gcp_listing_start(&billing_info_listing, g, project, NULL, a, &own.r, e),
		&own, sizeof(own), out, e);
}

enum err_code cloud_quotas(struct gcp *g, const char *project, const char *service,
	struct arena *a, struct quota_list *out, struct err *e)
{
	struct quota_list own = {0};

	return finish(g,
		gcp_listing_start(&cloud_quota_listing, g, project, service, a, &own.r, e),
		&own, sizeof(own), out, e);
}

enum err_code service_usage_quotas(struct gcp *g, const char *project, const char *service,
	struct arena *a, struct quota_list *out, struct err *e)
{
	struct quota_list own = {0};

	return finish(g,
		gcp_listing_start(
			&service_usage_quota_listing, g, project, service, a, &own.r, e),
		&own, sizeof(own), out, e);
}

enum err_code gce_project_quotas(struct gcp *g, const char *project, struct arena *a,
	struct gce_quotas *out, struct err *e)
{
	struct gce_quotas own = {0};

	return finish(g,
		gcp_listing_start(
			&gce_project_quota_listing, g, project, NULL, a, &own.r, e),
		&own, sizeof(own), out, e);
}

enum err_code gce_region_quotas(struct gcp *g, const char *project, struct arena *a,
	struct gce_quotas *out, struct err *e)
{
	struct gce_quotas own = {0};

	return finish(g,
		gcp_listing_start(
			&gce_region_quota_listing, g, project, NULL, a, &own.r, e),
		&own, sizeof(own), out, e);
}

enum err_code monitoring_series(struct gcp *g, const char *project,
	const struct series_query *q, struct arena *a, struct series_list *out,
	struct err *e)
{
	struct series_list own = {0};

	return finish(g, monitoring_series_start(g, project, q, a, &own, e), &own,
		sizeof(own), out, e);
}
