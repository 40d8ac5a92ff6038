/* Cloud Billing Catalog: the list prices of a Google service. Cloud Billing REST reference
 * v1, services.skus. A list is whole or an error, see gcp/compute/compute.h.
 *
 * A service has tens of thousands of SKUs. A page is never one tree, and of its SKUs only
 * those are kept that the caller wants. */
#ifndef TPUCOST_GCP_BILL_CATALOG_H
#define TPUCOST_GCP_BILL_CATALOG_H

#include "gcp/gcp.h"

#define CATALOG_COMPUTE "6F81-5844-456A" /* service id of Compute Engine */
#define CATALOG_TPU "E000-3F24-B8AA"     /* of Cloud TPU, v2 to v4 */

/* From this usage on, in usage units, a unit costs this much. */
struct catalog_tier {
	int64_t start; /* nanos of a usage unit; INT64_MAX: more than fits */
	int64_t price; /* nanos of the currency per usage unit */
};

struct catalog_sku {
	const char *sku_id, *service_id;
	const char *description;     /* "N1 Predefined Instance Core running in Iowa" */
	const char *resource_family; /* "Compute", "Storage", "Network", ... */
	const char *resource_group;  /* "CPU", "RAM", "TPU", ... */
	const char *usage_type;      /* "OnDemand", "Preemptible", "Commit1Yr", ... */
	const char **regions;
	size_t n_regions;

	/* Of the latest pricing. Not read yet when `keep` is asked. */
	const char *usage_unit;     /* "h", "GiBy.mo"; "" = the SKU has no price */
	const char *currency;       /* as asked for */
	ts_t effective_time;        /* TS_NONE when absent */
	struct catalog_tier *tiers; /* ascending by start */
	size_t n_tiers;
};

struct catalog_skus {
	struct gcp_result r;
	struct catalog_sku *v; /* those kept */
	size_t n;
	size_t n_read; /* how many there were */
};

/* Is this one wanted? It does not live longer than the call. NULL for a `keep` = all. */
typedef bool (*catalog_keep)(void *ctx, const struct catalog_sku *s);

/* Queue one; after gcp_run, out->r.code says how it went: E_CONFIG when the service id or the
 * currency (ISO 4217) is malformed; E_DATA when a price that is kept is in another currency;
 * E_OVERFLOW when it does not fit. */
enum err_code catalog_skus_start(struct gcp *g, const char *service_id,
	const char *currency, catalog_keep keep, void *ctx, struct arena *a,
	struct catalog_skus *out, struct err *e) must_check;

/* What one more usage unit costs something that runs all the time, in nanos: the first
 * rate that is not 0. Free tiers are a matter of the bill. False when there is no price;
 * 0 when all rates are 0. */
bool catalog_price(const struct catalog_sku *s, int64_t *nanos) must_check;

#endif
