/* BigQuery v2: description of a table (free), and queries. BigQuery REST reference:
 * tables.get, jobs.query, jobs.getQueryResults. */
#ifndef TPUCOST_GCP_BILL_BIGQUERY_H
#define TPUCOST_GCP_BILL_BIGQUERY_H

#include "base/data/json.h"
#include "base/data/json_pick.h"
#include "base/sbuf.h"
#include "gcp/gcp.h"

/* USD in nano-units of a TiB that a query reads, on demand, in the US: https://cloud.google.com/bigquery/pricing */
#define BQ_TIB_PRICE INT64_C(6250000000)

struct bq_field {
	const char *name;
	const char *type; /* INTEGER, FLOAT, BOOLEAN, RECORD, STRING, TIMESTAMP, ... */
	bool repeated;
	struct bq_field *fields; /* of a RECORD */
	size_t n_fields;
	const char *doc; /* description, of a table to be created; or NULL */
	size_t then;     /* of a result: private to bq_row.c */
};

struct bq_table {
	const char *type;     /* TABLE, VIEW, ... */
	const char *location; /* "US", "EU", "europe-west4" */
	int64_t n_rows;
	int64_t modified_ms;         /* milliseconds since the epoch */
	int64_t created_ms;          /* a different value: the table was created again */
	const char *partition_type;  /* "DAY"; "" = not partitioned */
	const char *partition_field; /* "" = by ingestion time (_PARTITIONTIME) */
	struct bq_field *fields;
	size_t n_fields;
};

/* "project.dataset.table" as in the configuration; E_CONFIG if malformed. */
struct bq_name {
	const char *project, *dataset, *table;
};
enum err_code bq_name_parse(
	const char *text, struct arena *a, struct bq_name *out, struct err *e) must_check;

enum err_code bq_table_get(struct gcp *g, const struct bq_name *name, struct arena *a,
	struct bq_table *out, struct err *e) must_check;
/* "usage.amount" -> the field, or NULL. */
const struct bq_field *bq_field_find(
	const struct bq_field *fields, size_t n, const char *path);

struct bq_param {
	const char *name;
	const char *type;          /* STRING, INT64, NUMERIC, DATE, TIMESTAMP, ... */
	const char *value;         /* scalar; NULL = SQL NULL */
	const char *const *values; /* if `array`: ARRAY<type> of n_values */
	size_t n_values;
	bool array;
};

/* One row during the callback. Columns are accessed by name; an unknown name is E_BUG. */
struct bq_row;

/* *out = NULL for SQL NULL. Text lives until the callback returns. */
enum err_code bq_text(const struct bq_row *row, const char *column, const char **out,
	struct err *e) must_check;
/* As bq_text; NULL is E_DATA. */
enum err_code bq_need_text(const struct bq_row *row, const char *column, const char **out,
	struct err *e) must_check;
enum err_code bq_i64(const struct bq_row *row, const char *column, struct opt_i64 *out,
	struct err *e) must_check;
/* NUMERIC, FLOAT or INTEGER as nano-units, rounded half to even. */
enum err_code bq_nanos(const struct bq_row *row, const char *column, struct opt_i64 *out,
	struct err *e) must_check;
/* TIMESTAMP (requested as int64 microseconds) as seconds; a fraction is discarded. */
enum err_code bq_ts(const struct bq_row *row, const char *column, struct opt_i64 *out,
	struct err *e) must_check;

struct bq_query {
	const char *project; /* project that runs and pays for the query */
	/* location of the dataset; NULL = US or EU, as BigQuery determines */
	const char *location;
	const char *sql;
	const struct bq_param *params;
	size_t n_params;
	int64_t max_bytes_billed; /* required, at least 10 MiB (BigQuery's minimum) */
	int64_t deadline_ms;      /* for the job to finish; 0 = 10 min */
	/* Asked about twice a second while the job runs, if set: true cancels it. */
	bool (*stopped)(void);
	bool dry_run; /* only `bytes_processed`: free, and without rows */
	/* Called for every row in order. An error that it returns ends the query. */
	enum err_code (*on_row)(void *ctx, const struct bq_row *row, struct err *e);
	void *ctx;

	/* results */
	int64_t total_rows;   /* as counted by BigQuery: equal to `rows` on success */
	int64_t rows;         /* delivered */
	int64_t bytes_billed; /* 0 from the cache */
	int64_t bytes_processed;
	bool cache_hit;
	bool expired; /* failed because BigQuery discarded the result during the read: run it
		       * again */
};

/* Runs a query to its last row. After an error, the caller must discard the delivered rows. */
enum err_code bq_run(struct gcp *g, struct bq_query *q, struct err *e) must_check;

/* ---- private to the BigQuery client ---- */

#define BQ_MAX_COLUMNS 1000

/* The columns of a result, and one row of it. */
struct bq_columns {
	struct bq_field *fields;
	size_t n;
	size_t last; /* column that was asked for last */
};

/* Zero-initialized but for `columns` and `cells`. */
struct bq_row {
	struct bq_columns *columns;
	struct json_value *cells; /* of columns->n values */
	int64_t number;           /* for messages, from 1 */
	/* private to bq_row.c */
	size_t n;                /* values of this row */
	struct json_value value; /* the newest */
	struct sbuf text;
	struct arena decoded;
};

/* Fields of {"fields": [...]}, recursively. */
enum err_code bq_read_fields(const struct cJSON *schema, struct arena *a,
	struct bq_field **out, size_t *n, struct err *e) must_check;

/* The next row, {"f": [{"v": ...}, ...]}: its values are valid until the one after it. */
enum err_code bq_read_row(
	struct bq_row *row, const char *text, size_t len, struct err *e) must_check;
void bq_row_done(struct bq_row *row);

#endif
