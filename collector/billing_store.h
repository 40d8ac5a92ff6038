/* Storing units of the billing export: whole, checked, in one transaction each. */
#ifndef TPUCOST_COLLECTOR_BILLING_STORE_H
#define TPUCOST_COLLECTOR_BILLING_STORE_H

#include "base/err.h"
#include "base/mem.h"

struct db;
struct tz;

struct billing_sum {
	const char *currency;
	int64_t cost, credits; /* nanos */
};

/* A partition of the export, as the export describes it. */
struct billing_unit {
	day_t day;
	int64_t rows;
	ts_t exported;
	struct billing_sum *sums; /* per currency */
	size_t n_sums, cap_sums;
	bool done;
};

enum err_code billing_unit_add_sum(struct arena *a, struct billing_unit *u,
	const struct billing_sum *sum, struct err *e) must_check;

struct billing_row {
	ts_t hour;
	const char *invoice_month, *project, *service_id, *service, *sku_id, *sku;
	const char *location, *region, *zone, *resource, *global_name, *cost_type,
		*currency;
	const char *usage_unit;
	int64_t usage, cost, credits, promo; /* nanos */
	struct opt_i64 rate;
	int64_t rows; /* rows of the export in it */
};

/* Rows of one unit, copied; repeated text is kept once. */
struct billing_batch {
	struct arena arena;
	struct billing_row *v;
	size_t n, cap;
};

struct billing_batch *billing_batch_new(void);
void billing_batch_reset(struct billing_batch *b);
void billing_batch_free(struct billing_batch *b);
enum err_code billing_batch_add(
	struct billing_batch *b, const struct billing_row *row, struct err *e) must_check;

/* Is the unit stored with the same row count, sums and newest export? */
enum err_code billing_unit_stored(struct db *db, int64_t table_id,
	const struct billing_unit *u, bool *same, struct err *e) must_check;

/* Replace the unit by the batch, and the days of costs that it touches, in one transaction.
 * E_CONFLICT, and nothing changed, when the batch does not add up to the unit: the export
 * was loaded in between, or rows were lost. */
enum err_code billing_store_unit(struct db *db, int64_t table_id,
	const struct billing_unit *u, const struct billing_batch *batch,
	const struct tz *tz, ts_t now, struct err *e) must_check;

#endif
