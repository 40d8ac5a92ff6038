/* What the files of rules/price share. Private to rules/price/. */
#ifndef TPUCOST_RULES_PRICE_INTERNAL_H
#define TPUCOST_RULES_PRICE_INTERNAL_H

#include "rules/price/price.h"

#define GIB INT64_C(1073741824)

/* Price of `num / den` units of one item by the first list that has it. */
struct price price_item(
	const struct price_book *b, const struct price_key *key, int64_t num, int64_t den);

#endif
