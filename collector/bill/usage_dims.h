/* Dimensions of billed usage: repeated texts, stored once and referred to by number. */
#ifndef TPUCOST_COLLECTOR_BILL_USAGE_DIMS_H
#define TPUCOST_COLLECTOR_BILL_USAGE_DIMS_H

#include "base/err.h"
#include "base/strmap.h"

struct db;
struct stage_line;

/* Line of the bill. Texts are never NULL; "" = not sent by Google. */
struct usage_line {
	int64_t unit; /* day of the unit of ingestion */
	ts_t hour;    /* beginning of the usage hour */
	const char *service_id, *service, *sku_id, *sku;
	const char *project, *number, *account;
	const char *location, *region, *zone;
	const char *resource, *global_name;
	const char
		*labels; /* JSON object with sorted keys; the stage drops a too long one */
	const char *invoice_month, *cost_type, *currency, *usage_unit;
	const char *model, *model_name; /* consumption model; "": none is stated */
	const char *credit_type;        /* "": the usage itself, which has no credits */
	int64_t rate;          /* units of currency in one USD, nanos; 0: unknown */
	struct opt_i64 usage;  /* nanos of the unit; NONE: exceeds 64 bits */
	int64_t cost, credits; /* nanos */
	int64_t discount;      /* cost at list prices, minus cost */
	int64_t committed; /* part of it by the consumption model: what the default one costs more */
	int64_t rows; /* rows of the export; 0 in lines of credits */
};

/* The texts of a line, in the order of its members. */
#define USAGE_TEXTS 20
extern const struct usage_column {
	const char *name; /* names in the queries of the export (collector/bill/sql.c) */
	size_t offset;
} usage_texts[USAGE_TEXTS];
const char **usage_text(struct usage_line *l, size_t i);

/* Cache of recent look-ups, for one writer. */
struct usage_dims {
	struct strmap map[6];
	char *key; /* key of the current look-up */
	size_t room;
};

void usage_dims_done(struct usage_dims *d);

/* Resolves the references of a line and adds unknown texts. `before` is a line whose references are
 * in *refs already, or NULL: texts with the same pointers are not resolved again. Call it inside a
 * transaction, and clear the cache if that is rolled back. */
enum err_code usage_dims_find(struct usage_dims *d, struct db *db,
	const struct usage_line *line, const struct usage_line *before,
	struct stage_line *refs, struct err *e) must_check;
void usage_dims_forget(struct usage_dims *d);

#endif
