/* Cloud Billing Catalog: the list prices of a Google service. Cloud Billing REST reference v1,
 * services.skus. A list is complete or an error, see gcp/compute/compute.h.
 *
 * A service has tens of thousands of SKUs. A page is never parsed into one tree, and only the SKUs
 * that the caller selects are stored. */
#ifndef TPUCOST_GCP_BILL_CATALOG_H
#define TPUCOST_GCP_BILL_CATALOG_H

#include "gcp/gcp.h"

#define CATALOG_COMPUTE "6F81-5844-456A" /* service id of Compute Engine */
#define CATALOG_TPU "E000-3F24-B8AA"     /* of Cloud TPU, v2 to v4 */

/* Price of a usage unit from this usage on, in usage units. */
struct catalog_tier {
	int64_t start; /* nanos of a usage unit; INT64_MAX: out of range */
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

	/* Latest pricing. Not set yet when `keep` is called. */
	const char *usage_unit;     /* "h", "GiBy.mo"; "" = the SKU has no price */
	const char *currency;       /* as requested */
	ts_t effective_time;        /* TS_NONE when absent */
	struct catalog_tier *tiers; /* ascending by start */
	size_t n_tiers;
};

struct catalog_skus {
	struct gcp_result r;
	struct catalog_sku *v; /* stored SKUs */
	size_t n;
	size_t n_read; /* total number */
};

/* Selects SKUs. The SKU is valid during the call only. NULL for a `keep`: all. */
typedef bool (*catalog_keep)(void *ctx, const struct catalog_sku *s);

/* Queues one; after gcp_run, out->r.code has the result: E_CONFIG if the service id or the currency
 * (ISO 4217) is malformed; E_DATA if a selected price is in another currency; E_OVERFLOW if it is
 * out of range. */
enum err_code catalog_skus_start(struct gcp *g, const char *service_id,
	const char *currency, catalog_keep keep, void *ctx, struct arena *a,
	struct catalog_skus *out, struct err *e) must_check;

/* Price of one more usage unit of a resource that runs permanently, in nanos: the first rate that
 * is not 0. Free tiers affect only the bill. False without a price; 0 if all rates are 0. */
bool catalog_price(const struct catalog_sku *s, int64_t *nanos) must_check;

#endif
