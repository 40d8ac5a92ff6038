/* What the bill has of TPUs. */
#ifndef TPUCOST_RULES_BILL_BILLED_TPUS_H
#define TPUCOST_RULES_BILL_BILLED_TPUS_H

#include "base/mem.h"
#include "db/db.h"

/* One SKU of a project in a place on a day, in one currency and unit. "": the bill does not say. */
struct billed_tpu {
	day_t day;
	const char *project, *sku, *location, *region, *zone, *currency, *unit;
	struct opt_i64 usage; /* nano-units; absent: not known of all of it, or too much */
	int64_t cost, credits, promo; /* nanos */
};

/* The days first..last, sorted by all that tells them apart; of the arena. E_OVERFLOW. */
enum err_code billed_tpus_read(struct db *db, day_t first, day_t last, struct arena *a,
	struct billed_tpu **out, size_t *n, struct err *e) must_check;

#endif
