/* Bill of each day by project, SKU and charge, row by row, with the names for the numbers of the
 * bill. SQL that sums some thousand rows by names searches and sorts every one of them; adding by
 * number looks each name up once. */
#ifndef TPUCOST_RULES_BILL_DAYS_H
#define TPUCOST_RULES_BILL_DAYS_H

#include "base/mem.h"
#include "db_sql.h"

struct bill_sku {
	int64_t ref;
	const char *category; /* as computed by category_of_sku() */
};

struct bill_names {
	struct q_bill_projects *projects;
	struct bill_sku *skus;
	struct q_bill_charges *charges;
	size_t n_projects, n_skus, n_charges;
};

struct bill_row {
	day_t day; /* of the configured zone */
	const struct q_bill_projects *project;
	const struct bill_sku *sku;
	const struct q_bill_charges *charge;
	int64_t cost, credits, promo; /* nanos */
};

struct bill_days {
	struct bill_names names;
	struct db_rows rows;
	struct bill_row last;
	struct err err;
};

/* Open the days first..last, in order. The rows point to memory allocated from `a`. After success,
 * close it with bill_days_close(). */
enum err_code bill_days_open(struct db *db, day_t first, day_t last, struct arena *a,
	struct bill_days *out, struct err *e) must_check;
bool bill_days_next(struct bill_days *b, struct bill_row *out);
/* If `rc` is an error, it is the result. E_DB: a number that refers to nothing. */
enum err_code bill_days_close(
	struct bill_days *b, enum err_code rc, struct err *e) must_check;

/* Are only sums of days kept of a part of the bill? Resources, owners and labels are then in BigQuery. */
bool bill_only_days(const struct db_reader *r);
#define BILL_ONLY_DAYS                                                               \
	"only sums of days are kept here (billing: {detail: bigquery}); resources, " \
	"owners and labels of the bill are in BigQuery"

/* ---- sums --------------------------------------------------------------------------------------- */

/* Bill of one day by project, category, currency and rate, by their names. */
struct bill_line {
	day_t day; /* of the configured zone */
	const char *project, *category,
		*currency; /* project "": the billing account itself */
	int64_t rate;      /* units of the currency in one USD, in nanos; 0: unknown */
	int64_t project_ref, charge_ref; /* one of the numbers of these names */
	int64_t cost, credits, promo;    /* nanos */
	bool too_large;                  /* the sums do not fit */
};

/* Read the days first..last in order, each sorted by names; allocated from `a`. */
enum err_code bill_lines_read(struct db *db, day_t first, day_t last, struct arena *a,
	struct bill_line **out, size_t *n, struct err *e) must_check;

/* TPUs: one SKU of a project in one place on one day, in one currency and unit. "": not on the
 * bill. */
struct billed_tpu {
	day_t day;
	const char *project, *sku, *location, *region, *zone, *currency, *unit;
	struct opt_i64 usage; /* nano-units; absent: unknown for a part, or too large */
	int64_t cost, credits, promo; /* nanos */
	int64_t discount;             /* cost at list prices, minus cost */
};

/* Read the days first..last, sorted by all keys; allocated from `a`. E_OVERFLOW. */
enum err_code billed_tpus_read(struct db *db, day_t first, day_t last, struct arena *a,
	struct billed_tpu **out, size_t *n, struct err *e) must_check;

/* ---- when it is known ------------------------------------------------------------------------- */

/* Moment until which the costs of a project on a day are known. */
struct bill_known {
	struct q_known_days *days;         /* by account and day */
	struct q_project_accounts *owners; /* accounts that a project is billed to */
	struct q_accounts_looked *looks;   /* last check of the export of each account */
	size_t n_days, n_owners, n_looks;
};

/* Fill account_known, for SQL. Memory of `a` is not needed afterwards. */
enum err_code bill_known_fill(struct db *db, struct arena *a, struct err *e) must_check;
/* Read only the days first..last of the zone, for bill_known_day(); allocated from `a`. */
enum err_code bill_known_days(struct db *db, struct arena *a, day_t first, day_t last,
	struct bill_known *k, struct err *e) must_check;
/* The same, with the facts about accounts. */
enum err_code bill_known_load(struct db *db, struct arena *a, day_t first, day_t last,
	struct bill_known *k, struct err *e) must_check;
/* For days with a line of that account; absent: there is none. */
struct opt_i64 bill_known_day(const struct bill_known *k, const char *account, day_t day);
/* Result 0: unknown. A project that is on no bill may belong to any account. */
ts_t bill_known_until(const struct bill_known *k, const char *project, day_t day);

/* ---- categories and views --------------------------------------------------------------------- */

/* E_DB: a number on the bill of that day refers to nothing. */
enum err_code bill_nameless(int64_t day, struct err *e);

/* Category from the SKU's service and description: tpu cpu gpu disk snapshot ip network storage
 * other. Google renames descriptions, so stable words are matched; an unrecognized description is
 * "other". Static string. */
const char *category_of_sku(const char *service_id, const char *service, const char *sku);

/* "sku_costs_exact", or "costs_exact" when the SQL (a condition, a list of columns; NULL: none)
 * contains a word that only costs_exact supports: a place, a resource, an owner, labels, an amount
 * of usage, or an amount of money, as a condition applies to single rows. sku_costs_exact has far
 * fewer rows. */
const char *bill_view(const char *sql);
/* Does the SQL (NULL: none) contain a word for what sums of days do not have: a resource, an owner, labels? */
bool bill_needs_detail(const char *sql);
/* Does a condition depend on the amounts of single lines, so that it selects others of sums of days? */
bool bill_by_line(const char *sql);
/* Does a condition depend only on the names of a line of the bill: not on its amounts, its day or
 * other rows? */
bool bill_by_names(const char *sql);

#endif
