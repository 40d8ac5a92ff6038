/* Explanation of the price of one resource: the terms of the same computation that gives
 * gross_per_hour. */
#ifndef TPUCOST_RULES_PRICE_EXPLAIN_H
#define TPUCOST_RULES_PRICE_EXPLAIN_H

#include "base/mem.h"
#include "rules/settings.h"

struct db;

struct priced {
	struct price_term *terms; /* strings are allocated from the arena */
	size_t n_terms;
	struct price total; /* unknown when a part is unknown */
	bool free;          /* it is not charged in its state: known to be 0 */
};

/* E_NOTFOUND if the resource does not exist. */
enum err_code explain_price(struct db *db, const struct settings *s, const char *id,
	struct arena *a, struct priced *out, struct err *e) must_check;

#endif
