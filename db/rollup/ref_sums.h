/* Sums of what was billed, by the numbers that rows have for names. In memory and not by GROUP BY, which
 * sorts all the rows: they come to far fewer sums than there are rows. */
#ifndef TPUCOST_DB_ROLLUP_REF_SUMS_H
#define TPUCOST_DB_ROLLUP_REF_SUMS_H

#include "base/err.h"

struct db;

/* REF_PART is what else tells sums apart: a day, a type of credit, which of two weeks. */
enum { REF_SKU, REF_PROJECT, REF_PLACE, REF_RESOURCE, REF_CHARGE, REF_PART, REFS };

struct ref_sum {
	int64_t refs[REFS];   /* 0 where it is not told apart by that */
	int64_t units, nanos; /* of usage: whole units, and what is beyond them */
	int64_t no_usage;     /* 1: some of it is not known */
	int64_t cost, credits, promo;
	int64_t before; /* net cost of the time that it is compared with */
};

/* All zeroes is empty. */
struct ref_sums {
	struct ref_sum *v; /* in the order in which they came */
	size_t n, room;
	uint32_t *slots; /* 1 + index in v; 0: free */
	size_t n_slots;
};

/* The sum of these numbers, at first of nothing. Until the next one is made. */
struct ref_sum *ref_sums_of(struct ref_sums *s, const int64_t refs[REFS]);
/* False: beyond 64 bits. */
bool ref_sum_add(struct ref_sum *sum, int64_t cost, int64_t credits, int64_t promo);
bool ref_sum_add_before(struct ref_sum *sum, int64_t cost, int64_t credits);
void ref_sum_add_usage(struct ref_sum *sum, struct opt_i64 usage);
/* Empty again; the memory is kept. */
void ref_sums_clear(struct ref_sums *s);
void ref_sums_done(struct ref_sums *s);

/* What the table ref_sum of this connection has until they are hidden, for queries that look names
 * up: columns sku_ref, project_ref, place_ref, resource_ref, charge_ref, part, units, nanos, no_usage,
 * cost, credits, promo, before. They stay the caller's and must not be changed meanwhile. */
enum err_code ref_sums_show(
	struct db *db, const struct ref_sums *s, struct err *e) must_check;
void ref_sums_hide(struct db *db);

#endif
