/* Properties of a TPU SKU from its description: generation, class, and chips per unit. Google
 * renames descriptions, so only stable words are parsed; everything else is unknown. */
#ifndef TPUCOST_RULES_PRICE_TPU_SKU_H
#define TPUCOST_RULES_PRICE_TPU_SKU_H

#include "rules/price/price.h"

struct tpu_sku {
	const char *family;     /* canonical: v5litepod; NULL: missing. Static */
	enum price_class class; /* preemptible counts as spot, calendar mode as reserved */
	bool commitment;        /* a fee for a commitment, not usage */
	/* Chips whose use for an hour is billed as one hour. A single v2-8 or v3-8 is priced as a
	 * whole (4 chips), v4 and later by the chip (Cloud TPU pricing); Google does not document
	 * how an hour of a v2 or v3 pod is counted. 0: unknown. */
	int64_t chips;
};

void tpu_sku_read(const char *description, struct tpu_sku *out);

/* Usage in nanos of the bill's unit ("hour", "seconds") -> nano chip-hours. False for a unit that
 * is not a time, for an unknown number of chips, and when it does not fit. */
bool tpu_sku_chip_hours(const struct tpu_sku *sku, const char *unit, int64_t usage,
	int64_t *out) must_check;

#endif
