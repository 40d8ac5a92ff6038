/* What the description of a TPU SKU says: generation, class, and how many chips one of its
 * units is. Descriptions get renamed, so only words that have stayed are read; what they do
 * not say is not known. */
#ifndef TPUCOST_RULES_PRICE_TPU_SKU_H
#define TPUCOST_RULES_PRICE_TPU_SKU_H

#include "base/base.h"

struct tpu_sku {
	const char *family; /* canonical: v5litepod; NULL: not told. Static */
	bool spot;          /* preemptible counts as spot */
	bool commitment;    /* a fee for a commitment, not usage */
	/* Chips whose use for an hour is billed as one hour. A single v2-8 or v3-8 is priced
	 * whole (4 chips), v4 and later by the chip (Cloud TPU pricing); how an hour of a v2
	 * or v3 pod is counted is not told. 0: not known. */
	int64_t chips;
};

void tpu_sku_read(const char *description, struct tpu_sku *out);

/* Usage in nanos of the bill's unit ("hour", "seconds") -> nano chip-hours. False for a unit
 * that is no time, for an unknown number of chips, and when it does not fit. */
bool tpu_sku_chip_hours(const struct tpu_sku *sku, const char *unit, int64_t usage,
	int64_t *out) must_check;

#endif
