/* Search for a price in the built-in table. */
#include "rules/price/table.h"

#include <string.h>

static const struct price_group *group_find(const struct price_key *key)
{
	for (size_t i = 0; i < n_price_groups; i++)
		if (price_groups[i].item == key->item &&
			strcmp(price_strings + price_groups[i].name, key->name) == 0)
			return &price_groups[i];
	return NULL;
}

static const struct price_row *row_find(
	const struct price_group *g, const struct price_key *key)
{
	for (size_t i = 0; i < g->n; i++)
		if (strcmp(price_strings + price_rows[g->first + i].place, key->place) == 0)
			return &price_rows[g->first + i];
	return NULL;
}

bool price_builtin_find(
	const void *ctx, const struct price_key *key, struct unit_price *out)
{
	const struct price_group *g = key->class < PRICE_BUILTIN_CLASSES ? group_find(key)
									 : NULL;
	const struct price_row *r = g ? row_find(g, key) : NULL;

	(void)ctx;
	if (!r || r->usd[key->class] < 0)
		return false;
	*out = (struct unit_price){.nanos = r->usd[key->class],
		.per = r->per,
		.cur = "USD",
		.as_of = price_strings + g->date};
	return true;
}

const char *price_builtin_place(enum price_item item, size_t i, const char **name)
{
	for (size_t g = 0; g < n_price_groups; g++) {
		if (price_groups[g].item != item)
			continue;
		if (i < price_groups[g].n) {
			*name = price_strings + price_groups[g].name;
			return price_strings + price_rows[price_groups[g].first + i].place;
		}
		i -= price_groups[g].n;
	}
	return NULL;
}
