/* A price per hour before it is rounded, so that a day or a month of many can be rounded once. */
#ifndef TPUCOST_RULES_PRICE_EXACT_H
#define TPUCOST_RULES_PRICE_EXACT_H

#include "rules/price/price.h"

/* num / den nano-units per hour; all 0: nothing was added yet. */
struct price_exact {
	__int128 num, den;
	bool lost; /* it does not fit, or currencies differ */
	char cur[4];
};

void price_exact_add(struct price_exact *x, const struct price_term *t);
/* `times` of it, rounded half to even. False when that is not known. */
bool price_exact_times(
	const struct price_exact *x, int64_t times, int64_t *nanos) must_check;

#endif
