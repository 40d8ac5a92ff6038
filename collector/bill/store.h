/* Storing staged usage as facts: unit by unit, whole, checked, in one transaction. */
#ifndef TPUCOST_COLLECTOR_BILL_STORE_H
#define TPUCOST_COLLECTOR_BILL_STORE_H

#include "base/err.h"
#include "base/mem.h"

struct db;
struct tz;

struct billing_sum {
	const char *currency;
	int64_t cost, credits; /* nanos */
	int64_t rounding;      /* what nano-units left out of cost, 1e-18 */
};

/* A unit of ingestion: a partition of the export, or a usage day of a file. */
struct billing_unit {
	day_t day;
	int64_t rows;
	ts_t exported;
	struct billing_sum *sums; /* per currency */
	size_t n_sums, cap_sums;
	bool done;
};

/* The sum in that currency, or NULL. In staged_units.c. */
struct billing_sum *billing_unit_sum(const struct billing_unit *u, const char *currency);
/* E_DATA when the currency is there already. */
enum err_code billing_unit_add_sum(struct arena *a, struct billing_unit *u,
	const struct billing_sum *sum, struct err *e) must_check;

/* How a unit of the export compares to what is stored of it. */
enum billing_change {
	BILLING_SAME,
	BILLING_NEW,     /* not stored yet */
	BILLING_CHANGED, /* other rows, sums or loads, or read by another recipe */
	BILLING_SHRUNK,  /* fewer than half of its rows are left */
};
enum err_code billing_unit_compare(struct db *db, int64_t table_id, int64_t recipe,
	const struct billing_unit *u, enum billing_change *out, struct err *e) must_check;

struct billing_store {
	struct db *db;
	int64_t table_id;
	const struct tz *tz; /* of calendar days */
	ts_t now;
	bool restates;  /* changes of days that were reported are kept as such */
	int64_t recipe; /* what the units were read by */
	bool as_staged; /* the units are those of billing_units_staged: no need to compare */
	bool may_overlap; /* other tables may hold the same days of the account */
	int64_t batch;    /* tables of this batch may, in any case; 0: none */
	/* Filled in, unless NULL: the name of the table that the units overlap with, in the
	 * arena; NULL when it was not for this that they were not stored. */
	const char **other;
	struct arena *arena;
};

/* Replace the units by what is staged, with the days of costs that they touch, in one
 * transaction. The stage holds lines of these units and no others.
 * E_CONFLICT, and nothing changed: what is staged does not add up to a unit (the export was
 * loaded in between, or rows were lost), or another table has these days. */
enum err_code billing_store(const struct billing_store *s, const struct billing_unit *units,
	size_t n, struct err *e) must_check;

/* The units as they are staged, with their rows and sums. `exported` stays 0. E_OVERFLOW: a sum
 * is beyond what is kept. In staged_units.c. */
enum err_code billing_units_staged(struct db *db, struct arena *a,
	struct billing_unit **out, size_t *n, struct err *e) must_check;

#endif
