/* How the price of one resource is made: the terms of the very computation that gives
 * gross_per_hour. */
#ifndef TPUCOST_RULES_PRICE_EXPLAIN_H
#define TPUCOST_RULES_PRICE_EXPLAIN_H

#include "base/mem.h"
#include "rules/settings.h"

struct db;

struct priced {
	struct price_term *terms; /* strings in the arena */
	size_t n_terms;
	struct price total; /* unknown when some part is */
	bool free;          /* it is not charged in its state: known to be 0 */
};

/* E_NOTFOUND when there is no such resource. */
enum err_code explain_price(struct db *db, const struct settings *s, const char *id,
	struct arena *a, struct priced *out, struct err *e) must_check;

#endif
