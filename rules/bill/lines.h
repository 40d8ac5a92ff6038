/* What was billed on each day by project, category, currency and rate: sums by their names. */
#ifndef TPUCOST_RULES_BILL_LINES_H
#define TPUCOST_RULES_BILL_LINES_H

#include "base/mem.h"
#include "db/db.h"

struct bill_line {
	day_t day; /* of the configured zone */
	const char *project, *category,
		*currency; /* project "": the billing account itself */
	int64_t rate;      /* units of the currency in one USD, in nanos; 0: not known */
	int64_t cost, credits, promo; /* nanos */
	bool too_large;               /* they do not fit */
};

/* The days first..last in order, each by its names; of the arena. */
enum err_code bill_lines_read(struct db *db, day_t first, day_t last, struct arena *a,
	struct bill_line **out, size_t *n, struct err *e) must_check;

#endif
