/* What was billed on each day by project, SKU and charge, row by row, with the names that the
 * numbers stand for. To sum up some thousand rows by names, the engine looks up and sorts each
 * of them; who adds them up here looks a name up once. */
#ifndef TPUCOST_RULES_BILL_DAYS_H
#define TPUCOST_RULES_BILL_DAYS_H

#include "base/mem.h"
#include "db/db.h"

struct bill_project {
	int64_t ref;
	const char *project, *account; /* "" where the bill says none */
};

struct bill_sku {
	int64_t ref;
	const char *service_id, *service, *sku_id, *sku;
	const char *category; /* as sku_category has it */
};

struct bill_charge {
	int64_t ref;
	const char *invoice_month, *cost_type, *currency;
	int64_t rate; /* units of the currency in one USD, in nanos; 0: not known */
};

struct bill_row {
	day_t day; /* of the configured zone */
	const struct bill_project *project;
	const struct bill_sku *sku;
	const struct bill_charge *charge;
	int64_t cost, credits, promo; /* nanos */
};

struct bill_days {
	struct arena *a;
	struct bill_project *projects;
	struct bill_sku *skus;
	struct bill_charge *charges;
	size_t n_projects, n_skus, n_charges;
	struct db_rows rows;
	struct bill_row last; /* neighbours have most in common */
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
