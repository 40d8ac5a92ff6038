/* Tables that rules/prices.awk generates from rules/prices, for price.c and machine.c. */
#ifndef TPUCOST_RULES_PRICE_TABLE_H
#define TPUCOST_RULES_PRICE_TABLE_H

#include "rules/price/price.h"

/* Names and dates, each NUL-terminated; other tables refer to them by offset. */
extern const char price_strings[];

struct price_row {
	uint16_t place; /* region or multi-region */
	uint16_t per;   /* units that the price buys: chips of a device or slice, else 1 */
	int64_t usd[PRICE_BUILTIN_CLASSES]; /* nano-USD; -1: not published */
};

/* All places of one item. */
struct price_group {
	enum price_item item;
	uint16_t name, date;
	uint16_t first, n; /* in price_rows */
};

struct machine_row { /* sorted by name */
	uint16_t name, family;
	bool tpu_host, gpus;
	int64_t vcpus, memory_mib;
	int64_t billed_vcpus, billed_gib; /* nanos */
};

extern const struct price_row price_rows[];
extern const struct price_group price_groups[];
extern const size_t n_price_groups;
extern const struct machine_row machine_rows[];
extern const size_t n_machine_rows;

#endif
