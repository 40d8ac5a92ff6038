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
	IMPORT_END,
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
	IMPORT_BILLED_COST, /* before or after credits: see focus.c */
	IMPORT_CONTRACTED_COST,
	IMPORT_BILLING_PERIOD,
	IMPORT_CHARGE_CATEGORY,
	IMPORT_PROVIDER,         /* 1.0 to 1.3 */
	IMPORT_SERVICE_PROVIDER, /* from 1.3 on */
	IMPORT_PRICING_QUANTITY, /* usage, but not in Google's view */
	IMPORT_QUANTITY_UNIT,
	IMPORT_SUB_ACCOUNT, /* the project, or again the billing account */
	IMPORT_ROW_CREDIT,  /* of tpucost's own files: type of a row that is a credit */
	IMPORT_ONE_CREDIT,  /* of a row that has one of the credits of its line: refused */
	IMPORT_FIELDS,
	/* lists and records, as JSON text */
	IMPORT_CREDITS_JSON = IMPORT_FIELDS,
	IMPORT_LABELS_JSON,
	IMPORT_PROJECT_LABELS_JSON,
	IMPORT_TAGS_JSON, /* of FOCUS: an object of keys and values, or a list */
	IMPORT_PROJECT_JSON,
	IMPORT_NOTHING /* an unknown column */
};
/* Names in messages, and the columns of the flattened export. */
extern const char *const import_names[IMPORT_FIELDS];

#define IMPORT_CREDITS 64 /* of one row; the maximum observed is a handful */

struct import_credit {
	const char *type;
	int64_t amount;
	int64_t rest; /* remainder of rounding, 1e-18 */
};

struct import_label {
	const char *key, *value;
	bool of_project;
};

/* Writes rows into the stage. */
struct import_rows {
	struct usage_stage stage;
	struct billed_prices prices;
	struct arena scratch;                /* of the current row */
	struct json_value v[IMPORT_NOTHING]; /* lists and records: as text, else absent */
	struct import_credit credits[IMPORT_CREDITS];
	size_t n_credits;
	struct import_label *labels; /* in scratch */
	size_t n_labels, cap_labels;
	struct import_sum sums[8];
	size_t n_sums;
	int64_t rows;
	int64_t at; /* line of the current row in the file */
	struct {
		bool service, sku, project;
	} seen; /* in a row of the file */
	struct {
		bool sku, project;
	} has; /* columns of the file */
	int64_t bad_rates,
		bad_rate_at; /* rows with a rate that is not one; line of the first */
	int64_t no_month;    /* rows without an invoice month */
	bool is_focus;
	bool quantity_is_price; /* FOCUS of Google's view: PricingQuantity is not usage */
	enum import_billed billed; /* requested */
	struct import_focus {
		int64_t after, before;         /* rows with credits that show it */
		int64_t unclear[3], n_unclear; /* lines of others; their number */
		int64_t foreign;               /* rows of other providers */
		int64_t unnamed;               /* rows that name no provider */
		bool net; /* a row is a credit, or shows that BilledCost is after credits */
		char providers[256];
	} focus;
	ts_t now;        /* later times are not valid: see usage_time_check() */
	bool no_credits; /* the file has no columns for credits */
	ts_t exported;   /* newest */
	/* the most recently parsed date */
	char date[10];
	ts_t date_start;
};

/* Values of the current row, in value.c. */
bool import_has(const struct import_rows *r, enum import_field f);
/* Present, but possibly of another type. */
bool import_is_there(const struct import_rows *r, enum import_field f);
enum err_code import_wrong(enum import_field f, const char *want, struct err *e);
/* "" if absent. Numbers are accepted as text: BigQuery writes "202511" or 202511. */
enum err_code import_text_of(struct import_rows *r, enum import_field f, const char **out,
	struct err *e) must_check;
/* Nanos; 0 if absent. *rest: what rounding left out, 1e-18; may be NULL. */
enum err_code import_amount(struct import_rows *r, enum import_field f, int64_t *out,
	int64_t *rest, struct err *e) must_check;
/* Remainders of rounding of the credits of the current row, 1e-18. */
int64_t import_credits_rest(const struct import_rows *r);
/* "2025-01-01 00:00:00 UTC" as BigQuery prints it, RFC 3339, or seconds since 1970. */
enum err_code import_time(struct import_rows *r, const struct json_value *v,
	const char *name, ts_t *out, struct err *e) must_check;

/* Adds the expected form of a row to an error. Returns its code. */
enum err_code import_shape(struct err *e);
/* Records which columns that every export has the current row has. */
void import_note_seen(struct import_rows *r, const struct usage_line *l);
/* At the end of a file: E_DATA if no row had one of them. */
enum err_code import_check_seen(const struct import_rows *r, struct err *e) must_check;

/* Refuses a file with a row for each credit, by the name of such a column. */
enum err_code import_one_credit(const char *column, struct err *e);
/* FOCUS, in focus.c. Returns the field of a column, or IMPORT_NOTHING. */
int import_focus_field(const char *name, size_t len);
/* Tests whether the current row is of another provider; such a row is counted. */
bool import_focus_foreign(struct import_rows *r);
/* Cost before credits of the current row, from BilledCost and its credits. */
enum err_code import_focus_cost(struct import_rows *r, struct usage_line *l, int64_t *rest,
	struct err *e) must_check;
/* Project and usage of the current row. */
enum err_code import_focus_place(
	struct import_rows *r, struct usage_line *l, struct err *e) must_check;
/* At the end of a file. E_DATA: its rows do not show what BilledCost contains, or none is Google's. */
enum err_code import_focus_end(const struct import_rows *r, struct err *e) must_check;

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
/* Parses the lists and records of a row that are text: [{"type": ..., "amount": ...}, ...], [{"key": ...,
 * "value": ...}, ...], {"KEY": "VALUE", ...}, {"id": ...}. */
enum err_code import_texts(struct import_rows *rows, struct err *e) must_check;

#endif
