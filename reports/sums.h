/* Amounts by currency: different currencies are never added. */
#ifndef TPUCOST_REPORTS_SUMS_H
#define TPUCOST_REPORTS_SUMS_H

#include "base/mem.h"
#include "base/sbuf.h"

struct sum {
	const char *currency;
	int64_t nanos;
};

struct sums {
	struct sum *v; /* in the order in which they came */
	size_t n, cap;
};

/* Adds an amount; the currency lives as long as the arena. False: it does not fit. */
bool sums_add(struct sums *s, struct arena *a, const char *currency, int64_t nanos);
struct opt_i64 sums_of(const struct sums *s, const char *currency);

/* "12.30 USD/h~ + 3.00 HKD/h~" with what follows each amount; nothing for none. */
void sums_words(const struct sums *s, const char *unit, struct sbuf *b);

#endif
