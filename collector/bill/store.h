/* Stores staged usage as facts: whole units, checked, in one transaction. */
#ifndef TPUCOST_COLLECTOR_BILL_STORE_H
#define TPUCOST_COLLECTOR_BILL_STORE_H

#include "base/err.h"
#include "base/mem.h"

struct db;
struct tz;

struct billing_sum {
	const char *currency;
	int64_t cost, credits; /* nanos */
	int64_t rounding;      /* part of cost below nano-units, 1e-18 */
};

/* Unit of ingestion: a partition of the export, or a usage day of a file. */
struct billing_unit {
	day_t day;
	int64_t rows;
	ts_t exported;
	struct billing_sum *sums; /* one for each currency */
	size_t n_sums, cap_sums;
	bool done;
};

/* Returns the sum in that currency, or NULL. In staged_units.c. */
struct billing_sum *billing_unit_sum(const struct billing_unit *u, const char *currency);
/* E_DATA if the currency exists already. */
enum err_code billing_unit_add_sum(struct arena *a, struct billing_unit *u,
	const struct billing_sum *sum, struct err *e) must_check;

/* Difference between a unit of the export and the stored unit. */
enum billing_change {
	BILLING_SAME,
	BILLING_NEW,     /* not stored yet */
	BILLING_CHANGED, /* other rows, sums or load times, or read with another version */
	BILLING_SHRUNK, /* fewer than half of its rows remain, or fewer rows with less than half of a cost */
};
enum err_code billing_unit_compare(struct db *db, int64_t table_id, int64_t recipe,
	const struct billing_unit *u, enum billing_change *out, struct err *e) must_check;

struct billing_store {
	struct db *db;
	int64_t table_id;
	const struct tz *tz; /* of calendar days */
	ts_t now;
	bool restates; /* restatements of reported days are recorded */
	bool other_days; /* none at all: the units are sums of days of another recipe until now */
	int64_t recipe; /* version of the query that read the units */
	bool as_staged; /* the units are those of billing_units_staged: no comparison needed */
	bool may_overlap; /* other tables may have the same days of the account */
	int64_t batch;    /* tables of this batch may always have them; 0: none */
	/* Result, unless NULL: name of the table that overlaps with the units, allocated from the
	 * arena; NULL if the failure has another reason. */
	const char **other;
	struct arena *arena;
};

/* Replaces the units by the staged lines, and updates the days of costs that they affect, in one
 * transaction. The stage must hold only lines of these units. E_CONFLICT, with no change: the
 * staged lines do not match a unit (the export was loaded in between, or rows were lost), or
 * another table has these days. */
enum err_code billing_store(const struct billing_store *s, const struct billing_unit *units,
	size_t n, struct err *e) must_check;

/* Removes a table or an imported file, because it was wrong or was replaced: deletes all data of the
 * one with that name, and sums its days again, in one transaction. For a file, the path is sufficient
 * if one file was imported under it. *units: number of deleted days of the export. E_NOTFOUND: the
 * name does not exist; E_CONFLICT: it is ambiguous. */
enum err_code billing_forget(struct db *db, const struct tz *tz, ts_t now, const char *name,
	size_t *units, struct err *e) must_check;

/* Returns the staged units with their rows and sums. `exported` stays 0. E_OVERFLOW: a sum exceeds
 * 64 bits. In staged_units.c. */
enum err_code billing_units_staged(struct db *db, struct arena *a,
	struct billing_unit **out, size_t *n, struct err *e) must_check;

#endif
