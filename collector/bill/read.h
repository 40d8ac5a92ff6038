/* Reads the export with queries: the partitions that changed, and their lines. */
#ifndef TPUCOST_COLLECTOR_BILL_READ_H
#define TPUCOST_COLLECTOR_BILL_READ_H

#include "base/time/civil.h"
#include "collector/bill/sql.h"
#include "collector/bill/store.h"
#include "collector/bill/usage_dims.h"
#include "collector/source/source.h"
#include "gcp/bill/bigquery.h"

struct billing_units {
	struct billing_unit *v;
	size_t n, cap;
};

/* One read of one table. */
struct billing_reading {
	struct poll *p;
	const char *table;
	/* project that owns the table, and runs and pays for the queries */
	const char *project;
	const char *location;
	struct billing_shape shape;
	int64_t table_id;
	int64_t recipe; /* of the columns: version and cut */
	bool restates; /* the table was read before: changes of old days are restatements */
	bool other_days; /* but not if what is stored are sums of the days of another recipe */
	/* Results: the reason why units were skipped, and the other table with their days. */
	struct err refused;
	const char *other; /* NULL: none was skipped */
};

/* Reads the description of the table of r->p, and sets r->table, project, location and shape. */
enum err_code billing_table_open(
	struct billing_reading *r, struct bq_table *out, struct err *e) must_check;

/* ---- shared by the reads ----------------------------------------------------------------------- */

/* Does the table have that column, such as "resource.name"? */
bool billing_has(const struct bq_table *t, const char *path);
/* Runs the query in the project and the location of the table, and counts what it is charged for. */
enum err_code billing_run(
	struct billing_reading *r, struct bq_query *q, struct err *e) must_check;
/* A row of the lines of r->shape, but for its unit and prices. Texts live until the callback returns. */
enum err_code billing_read_line(const struct billing_reading *r, const struct bq_row *row,
	struct usage_line *l, struct err *e) must_check;
/* Adds the parameters of the first and last day of the table after `n` others; returns their number. */
size_t billing_add_cut(const struct billing_reading *r, struct bq_param *params, size_t n,
	char from[DATE_BUF], char until[DATE_BUF]);

/* Reads only sums of days. */
void billing_add_up_days(struct billing_shape *s);

/* Bytes that a read of all columns would scan: of the check of the units from `since` on, or of the lines of `n` days from
 * `since` on. Free of charge. */
enum err_code billing_dry_units(
	struct billing_reading *r, day_t since, int64_t *bytes, struct err *e) must_check;
enum err_code billing_dry_rows(struct billing_reading *r, day_t since, size_t n,
	int64_t *bytes, struct err *e) must_check;

/* Reads the row counts and checksums of the partitions from `since` on; newest last. */
enum err_code billing_read_units(struct billing_reading *r, day_t since,
	struct billing_units *out, struct err *e) must_check;

/* Reads the lines of `units`, and replaces each unit by them. */
enum err_code billing_read_rows(struct billing_reading *r,
	const struct billing_unit *const *units, size_t n, struct err *e) must_check;

#endif
