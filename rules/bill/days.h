/* What was billed on each day by project, SKU and charge, row by row, with the names that numbers
 * of the bill stand for. To sum up some thousand rows by names, the engine looks up and sorts each
 * of them; who adds them up by number looks a name up once. */
#ifndef TPUCOST_RULES_BILL_DAYS_H
#define TPUCOST_RULES_BILL_DAYS_H

#include "base/mem.h"
#include "db/db.h"

struct bill_project {
	int64_t ref;
	const char *project, *account; /* "" where the bill says none */
};

struct bill_sku {
	int64_t ref;
	const char *sku, *category; /* as sku_category has it */
};

struct bill_charge {
	int64_t ref;
	const char *currency, *usage_unit;
	int64_t rate; /* units of the currency in one USD, in nanos; 0: not known */
};

struct bill_names {
	struct bill_project *projects;
	struct bill_sku *skus;
	struct bill_charge *charges;
	size_t n_projects, n_skus, n_charges;
};

struct bill_row {
	day_t day; /* of the configured zone */
	const struct bill_project *project;
	const struct bill_sku *sku;
	const struct bill_charge *charge;
	int64_t cost, credits, promo; /* nanos */
};

struct bill_days {
	struct bill_names names;
	struct db_rows rows;
	struct bill_row last;
	struct err err;
};

/* The days first..last, in order. What the rows point to is of the arena. Once open it is ended by
 * bill_days_close(). */
enum err_code bill_days_open(struct db *db, day_t first, day_t last, struct arena *a,
	struct bill_days *out, struct err *e) must_check;
bool bill_days_next(struct bill_days *b, struct bill_row *out);
/* `rc`, if it is an error, stays the error. E_DB: a number that stands for nothing. */
enum err_code bill_days_close(
	struct bill_days *b, enum err_code rc, struct err *e) must_check;

/* ---- sums of them ------------------------------------------------------------------------------- */

/* What was billed on a day by project, category, currency and rate, by their names. */
struct bill_line {
	day_t day; /* of the configured zone */
	const char *project, *category,
		*currency; /* project "": the billing account itself */
	int64_t rate;      /* units of the currency in one USD, in nanos; 0: not known */
	int64_t cost, credits, promo; /* nanos */
	bool too_large;               /* they do not fit */
};

/* The days first..last in order, each by its names; of the arena. */
enum err_code bill_lines_read(struct db *db, day_t first, day_t last, struct arena *a,
	struct bill_line **out, size_t *n, struct err *e) must_check;

/* TPUs: one SKU of a project in a place on a day, in one currency and unit. "": the bill does not say. */
struct billed_tpu {
	day_t day;
	const char *project, *sku, *location, *region, *zone, *currency, *unit;
	struct opt_i64 usage; /* nano-units; absent: not known of all of it, or too much */
	int64_t cost, credits, promo; /* nanos */
};

/* The days first..last, sorted by all that tells them apart; of the arena. E_OVERFLOW. */
enum err_code billed_tpus_read(struct db *db, day_t first, day_t last, struct arena *a,
	struct billed_tpu **out, size_t *n, struct err *e) must_check;

/* ---- for other rows of the bill ----------------------------------------------------------------- */

/* The names of projects, SKUs and charges; of the arena. */
enum err_code bill_names_load(
	struct db *db, struct arena *a, struct bill_names *out, struct err *e) must_check;
/* The numbers of a row that follows the one in *r. False: one of them stands for nothing. */
bool bill_names_find(const struct bill_names *n, int64_t project, int64_t sku,
	int64_t charge, struct bill_row *r) must_check;
/* The member of that number of a list, whose members begin with theirs and come in its order;
 * `last`, if it is the one, saves the search: neighbours have most in common. NULL: there is none. */
const void *bill_named(
	const void *list, size_t n, size_t size, int64_t ref, const void *last);
/* E_DB: a number on the bill of that day stands for nothing. */
enum err_code bill_nameless(int64_t day, struct err *e);

/* tpu cpu gpu disk snapshot ip network storage other, from the SKU's service and description. Google
 * renames descriptions, so this goes by words that have stayed; a description that says nothing known
 * is "other". Static string. */
const char *category_of_sku(const char *service_id, const char *service, const char *sku);

#endif
