/* Reading the export with queries: which partitions differ, and their lines. */
#ifndef TPUCOST_COLLECTOR_BILL_READ_H
#define TPUCOST_COLLECTOR_BILL_READ_H

#include "collector/bill/sql.h"
#include "collector/bill/store.h"
#include "collector/source/source.h"
#include "gcp/bill/bigquery.h"

struct billing_units {
	struct billing_unit *v;
	size_t n, cap;
};

/* One reading of one table. */
struct billing_reading {
	struct poll *p;
	const char *table;
	const char *project; /* that owns the table, and runs and pays for the queries */
	const char *location;
	struct billing_shape shape;
	int64_t table_id;
	int64_t recipe; /* of what is read: version and cut */
	bool restates;  /* it was read before: changes of old days are news */
	/* Filled in: why units were left out, and the table that has their days as well. */
	struct err refused;
	const char *other; /* NULL: none were */
};

/* Row counts and check sums of the partitions from `since` on; newest last. */
enum err_code billing_read_units(struct billing_reading *r, day_t since,
	struct billing_units *out, struct err *e) must_check;

/* Read the lines of `units`, and replace each of them by what came. */
enum err_code billing_read_rows(struct billing_reading *r,
	const struct billing_unit *const *units, size_t n, struct err *e) must_check;

#endif
