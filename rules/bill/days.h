/* What was billed on each day by project, SKU and charge, row by row. */
#ifndef TPUCOST_RULES_BILL_DAYS_H
#define TPUCOST_RULES_BILL_DAYS_H

#include "rules/bill/names.h"

struct bill_row {
	day_t day; /* of the configured zone */
	const struct bill_project *project;
	const struct bill_sku *sku;
	const struct bill_charge *charge;
	int64_t cost, credits, promo; /* nanos */
};

struct bill_days {
	struct bill_names names;
	struct db_rows rows;
	struct bill_row last;
	struct err err;
};

/* The days first..last, in order. What the rows point to is of the arena. Once open it is ended by
 * bill_days_close(). */
enum err_code bill_days_open(struct db *db, day_t first, day_t last, struct arena *a,
	struct bill_days *out, struct err *e) must_check;
bool bill_days_next(struct bill_days *b, struct bill_row *out);
/* `rc`, if it is an error, stays the error. E_DB: a number that stands for nothing. */
enum err_code bill_days_close(
	struct bill_days *b, enum err_code rc, struct err *e) must_check;

#endif
