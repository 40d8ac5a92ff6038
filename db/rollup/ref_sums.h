/* Sums of billed amounts, by the numbers that rows have for names. In memory instead of GROUP BY,
 * which sorts all rows: there are far fewer sums than rows. */
#ifndef TPUCOST_DB_ROLLUP_REF_SUMS_H
#define TPUCOST_DB_ROLLUP_REF_SUMS_H

#include "base/err.h"

struct db;

/* REF_PART is a further key of the sums: a day, a type of credit, one of two weeks. */
enum { REF_SKU, REF_PROJECT, REF_PLACE, REF_RESOURCE, REF_CHARGE, REF_PART, REFS };

struct ref_sum {
	int64_t refs[REFS];   /* 0 if it is not a key */
	int64_t units, nanos; /* of usage: whole units, and nanos beyond them */
	int64_t no_usage;     /* 1: a part is unknown */
	int64_t cost, credits, promo;
	int64_t discount, committed; /* cost at list prices minus cost; part by the model */
	int64_t before;              /* net cost of the period to compare with */
};

/* Zero-initialized is empty. */
struct ref_sums {
	struct ref_sum *v; /* in the order of creation */
	size_t n, room;
	uint32_t *slots; /* 1 + index in v; 0: free */
	size_t n_slots;
};

/* Returns the sum of these numbers, initially zero. Valid until the next one is created. */
struct ref_sum *ref_sums_of(struct ref_sums *s, const int64_t refs[REFS]);
/* False: beyond 64 bits. */
bool ref_sum_add(struct ref_sum *sum, int64_t cost, int64_t credits, int64_t promo);
bool ref_sum_add_discount(struct ref_sum *sum, int64_t discount, int64_t committed);
bool ref_sum_add_before(struct ref_sum *sum, int64_t cost, int64_t credits);
void ref_sum_add_usage(struct ref_sum *sum, struct opt_i64 usage);
/* Empties it; the memory is kept. */
void ref_sums_clear(struct ref_sums *s);
void ref_sums_done(struct ref_sums *s);

/* Content of the table ref_sum of this connection until they are hidden, for queries that join
 * names: columns sku_ref, project_ref, place_ref, resource_ref, charge_ref, part, units, nanos,
 * no_usage, cost, credits, promo, discount, committed, before. The caller owns the sums and must
 * not change them until then. */
enum err_code ref_sums_show(
	struct db *db, const struct ref_sums *s, struct err *e) must_check;
void ref_sums_hide(struct db *db);

#endif
