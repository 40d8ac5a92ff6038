/* Price per hour before rounding, so that a day or a month of many prices is rounded once. */
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
/* The price `times` that number, rounded half to even. False if unknown. */
bool price_exact_times(
	const struct price_exact *x, int64_t times, int64_t *nanos) must_check;

#endif
