/* One row of an export file, whatever the format: its fields, and what they come to. */
#ifndef TPUCOST_COLLECTOR_IMPORT_ROW_H
#define TPUCOST_COLLECTOR_IMPORT_ROW_H

#include "base/data/json_pick.h"
#include "collector/bill/billed_price.h"
#include "collector/bill/usage_stage.h"

/* Columns of the Cloud Billing export (Detailed export schema), and those of FOCUS that have no
 * counterpart there. */
enum import_field {
	IMPORT_ACCOUNT,
	IMPORT_SERVICE_ID,
	IMPORT_SERVICE,
	IMPORT_SKU_ID,
	IMPORT_SKU,
	IMPORT_START,
	IMPORT_PROJECT,
	IMPORT_NUMBER,
	IMPORT_LOCATION,
	IMPORT_REGION,
	IMPORT_ZONE,
	IMPORT_RESOURCE,
	IMPORT_GLOBAL_NAME,
	IMPORT_EXPORTED,
	IMPORT_COST,
	IMPORT_CURRENCY,
	IMPORT_RATE,
	IMPORT_USAGE,
	IMPORT_UNIT,
	IMPORT_PRICING_USAGE,
	IMPORT_PRICING_UNIT,
	IMPORT_INVOICE,
	IMPORT_COST_TYPE,
	IMPORT_PRICE,
	IMPORT_PRICE_QUANTITY,
	IMPORT_CREDIT_TYPE,
	IMPORT_CREDIT_AMOUNT,
	/* FOCUS */
	IMPORT_BILLED_COST, /* after credits */
	IMPORT_BILLING_PERIOD,
	IMPORT_CHARGE_CATEGORY,
	IMPORT_FIELDS
};

#define IMPORT_CREDITS 64 /* of one row; the most that was seen is a handful */

struct import_credit {
	const char *type;
	int64_t amount;
};

struct import_sum {
	char currency[4];
	__int128 cost, credits; /* nanos */
	__int128 rounding;      /* 1e-18 */
};

/* Rows on their way into the stage. */
struct import_rows {
	struct usage_stage stage;
	struct billed_prices prices;
	struct arena scratch; /* of the row at hand */
	struct json_value v[IMPORT_FIELDS];
	struct import_credit credits[IMPORT_CREDITS];
	size_t n_credits;
	struct import_sum sums[8];
	size_t n_sums;
	int64_t rows;
	ts_t now;        /* what is later is no usage: see usage_time_check() */
	bool no_credits; /* the file has no place for them */
	ts_t exported;   /* newest */
	/* the date that was parsed last */
	char date[10];
	ts_t date_start;
};

/* A credit of the row at hand, from its type and amount fields. */
enum err_code import_credit(struct import_rows *r, struct err *e) must_check;
/* The row at hand is complete: stage its lines and forget it. */
enum err_code import_row(struct import_rows *r, struct err *e) must_check;
void import_rows_done(struct import_rows *r);

#endif
