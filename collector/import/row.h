/* One row of an export file in any format: its fields, and the lines that result from it. The
 * readers of the formats, csv.c and json.c, fill in `v` and call import_row; import.c provides the
 * bytes. */
#ifndef TPUCOST_COLLECTOR_IMPORT_ROW_H
#define TPUCOST_COLLECTOR_IMPORT_ROW_H

#include "base/data/json_pick.h"
#include "collector/bill/billed_price.h"
#include "collector/bill/usage_stage.h"
#include "collector/import/import.h"

/* Columns of the Cloud Billing export (Detailed export schema), and FOCUS columns without a
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
	IMPORT_PRICE_DEFAULT,
	IMPORT_MODEL,
	IMPORT_MODEL_NAME,
	IMPORT_LIST_COST,
	IMPORT_LIST_COST_MODEL,
	IMPORT_DEFAULT_COST,
	IMPORT_CREDIT_TYPE,
	IMPORT_CREDIT_AMOUNT,
	IMPORT_LABEL_KEY,
	IMPORT_LABEL_VALUE,
	/* FOCUS */
	IMPORT_BILLED_COST, /* after credits */
	IMPORT_BILLING_PERIOD,
	IMPORT_CHARGE_CATEGORY,
	IMPORT_FIELDS,
	/* lists, in CSV as JSON text */
	IMPORT_CREDITS_JSON = IMPORT_FIELDS,
	IMPORT_LABELS_JSON,
	IMPORT_PROJECT_LABELS_JSON,
	IMPORT_NOTHING /* an unknown column */
};
/* Names in messages, and the columns of the flattened export. */
extern const char *const import_names[IMPORT_FIELDS];

#define IMPORT_CREDITS 64 /* of one row; the maximum observed is a handful */

struct import_credit {
	const char *type;
	int64_t amount;
};

struct import_label {
	const char *key, *value;
	bool of_project;
};

/* Writes rows into the stage. */
struct import_rows {
	struct usage_stage stage;
	struct billed_prices prices;
	struct arena scratch; /* of the current row */
	struct json_value v[IMPORT_FIELDS];
	struct import_credit credits[IMPORT_CREDITS];
	size_t n_credits;
	struct import_label *labels; /* in scratch */
	size_t n_labels, cap_labels;
	struct import_sum sums[8];
	size_t n_sums;
	int64_t rows;
	ts_t now;        /* later times are not valid: see usage_time_check() */
	bool no_credits; /* the file has no columns for credits */
	ts_t exported;   /* newest */
	/* the most recently parsed date */
	char date[10];
	ts_t date_start;
};

/* Adds a credit to the current row, from its type and amount fields. */
enum err_code import_credit(struct import_rows *r, struct err *e) must_check;
/* Adds a label to the current row, from its key and value fields. */
enum err_code import_label(
	struct import_rows *r, bool of_project, struct err *e) must_check;
/* Stages the lines of the current row and clears it. */
enum err_code import_row(struct import_rows *r, struct err *e) must_check;
void import_rows_done(struct import_rows *r);

/* Source of the bytes of a file, and the current row for messages. */
struct import_input {
	enum err_code (*read)(void *ctx, char *buf, size_t room, size_t *n, struct err *e);
	void *ctx;
	void (*turn)(void *ctx, int64_t rows); /* called periodically */
	int64_t line;     /* current row, from 1; 0: the message contains it */
	const char *name; /* of the file, for messages */
	/* bytes that were read to detect the format */
	const char *head;
	size_t n_head;
};

#define IMPORT_MAX_ROW ((size_t)1 << 20)

/* Reads bytes from the head, then from the file. */
enum err_code import_more(
	void *input, void *buf, size_t room, size_t *n, struct err *e) must_check;

/* Reads every row of a file in one of the formats. */
enum err_code import_json(
	struct import_input *in, struct import_rows *rows, struct err *e) must_check;
enum err_code import_csv(
	struct import_input *in, struct import_rows *rows, struct err *e) must_check;
/* Parses a list of a row: [{"type": ..., "amount": ...}, ...], [{"key": ..., "value": ...}, ...]. */
enum err_code import_list(struct import_rows *rows, enum import_field list,
	const char *text, size_t len, struct err *e) must_check;

#endif
