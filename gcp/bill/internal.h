/* Declarations shared by the files of the BigQuery client. */
#ifndef TPUCOST_GCP_BILL_INTERNAL_H
#define TPUCOST_GCP_BILL_INTERNAL_H

#include "base/data/json.h"
#include "gcp/bill/bigquery.h"

#define BQ_MAX_COLUMNS 1000

/* The columns of a result, and one row of it. */
struct bq_columns {
	struct bq_field *fields;
	size_t n;
	size_t hint; /* callers usually access columns in order */
};

struct bq_row {
	struct bq_columns *columns;
	const struct cJSON **cells; /* columns->n values; NULL = SQL NULL */
	int64_t number;             /* for messages, from 1 */
};

/* Fields of {"fields": [...]}, recursively. */
enum err_code bq_read_fields(const struct cJSON *schema, struct arena *a,
	struct bq_field **out, size_t *n, struct err *e) must_check;

/* Points row->cells at the values of {"f": [{"v": ...}, ...]}. */
enum err_code bq_read_row(
	struct bq_row *row, const struct cJSON *j, struct err *e) must_check;

#endif
