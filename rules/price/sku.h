/* What a SKU of Google's price list is the price of. A SKU is told by its service, its
 * description, its usage type and its unit; only those are read whose meaning is certain. */
#ifndef TPUCOST_RULES_PRICE_SKU_H
#define TPUCOST_RULES_PRICE_SKU_H

#include "rules/price/price.h"

struct sku_text {
	const char *service_id;
	const char
		*description; /* "Spot Preemptible E2 Instance Core running in Americas" */
	const char *usage_type; /* "OnDemand", "Preemptible"; "" where not told */
	const char *unit;       /* "h" of the catalogue, "hour" of the bill, ... */
};

#define SKU_NAME_BUF 32

struct sku_item {
	enum price_item item;
	char name[SKU_NAME_BUF]; /* as in struct price_key */
	bool spot;
	int64_t per; /* units of the item that the price buys: 4 chips of a v3-8 */
	int64_t times; /* and how often it is paid in the unit of the item: 730 for GiB-hours */
};

/* False: not the price of anything that we price, or in a unit that does not fit. */
bool price_sku_read(const struct sku_text *s, struct sku_item *out) must_check;

#endif
