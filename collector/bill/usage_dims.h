/* Dimensions of billed usage: texts that repeat, stored once and referred to by number. */
#ifndef TPUCOST_COLLECTOR_BILL_USAGE_DIMS_H
#define TPUCOST_COLLECTOR_BILL_USAGE_DIMS_H

#include "base/err.h"
#include "base/strmap.h"

struct db;

/* A line of the bill. Texts are never NULL; "" = Google sent none. */
struct usage_line {
	int64_t unit; /* of ingestion, a day */
	ts_t hour;    /* start of the usage hour */
	const char *service_id, *service, *sku_id, *sku;
	const char *project, *number, *account;
	const char *location, *region, *zone;
	const char *resource, *global_name;
	const char *invoice_month, *cost_type, *currency, *usage_unit;
	const char *credit_type; /* "": the usage itself, which has no credits */
	int64_t rate;            /* units of currency in one USD, nanos; 0: unknown */
	struct opt_i64 usage;    /* nanos of the unit; NONE: beyond what is kept */
	int64_t cost, credits;   /* nanos */
	int64_t rows;            /* of the export; 0 in lines of credits */
};

/* The texts of a line, in the order of its members. */
#define USAGE_TEXTS 17
extern const struct usage_column {
	const char *name; /* as queries of the export have it (collector/bill/sql.c) */
	size_t offset;
} usage_texts[USAGE_TEXTS];
const char **usage_text(struct usage_line *l, size_t i);

struct usage_refs {
	int64_t sku, project, place, resource, charge, credit;
};

/* What was looked up lately: the cache of one writer. */
struct usage_dims {
	struct strmap map[6];
	char *key; /* of the look-up at hand */
	size_t room;
};

void usage_dims_done(struct usage_dims *d);

/* References of a line; unknown texts are added. `before` is a line whose references are in
 * *refs already, or NULL: texts that are the same pointers are not looked up again. Run inside
 * a transaction, and forget the cache when that is rolled back. */
enum err_code usage_dims_find(struct usage_dims *d, struct db *db,
	const struct usage_line *line, const struct usage_line *before,
	struct usage_refs *refs, struct err *e) must_check;
void usage_dims_forget(struct usage_dims *d);

#endif
