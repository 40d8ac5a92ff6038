/* Conversion rates on the bill, each read once. */
#ifndef TPUCOST_RULES_BILL_RATES_H
#define TPUCOST_RULES_BILL_RATES_H

#include "db/db.h"

struct bill_rates {
	struct bill_rate {
		const char *currency;
		int64_t rate;
	} * v;
	size_t n, cap;
};

/* Units of currency `cur` in one USD, in nanos, from the newest bill; 0: unknown. `known` is allocated from `a`. E_DB. */
enum err_code bill_rate(struct bill_rates *known, struct db *db, struct arena *a,
	const char *cur, int64_t *out, struct err *e) must_check;

#endif
