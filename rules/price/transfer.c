/* Data transfer between regions and to the internet, and requests to buckets. Cloud Storage: bucket locations; network
 * pricing. */
#include "rules/price/price.h"

#include "base/str.h"

#include <string.h>

/* Group of places in the price list; "": unknown. */
static const char *continent_of(const char *place)
{
	/* the first match wins */
	static const char *const places[][2] = {
		{"asia-southeast2", "oceania"}, /* Jakarta */
		{"northamerica-south", ""},     /* Mexico */
		{"northamerica-", "us-canada"},
		{"us-", "us-canada"},
		{"nam", "us-canada"},
		{"europe-", "europe"},
		{"eur", "europe"},
		{"asia", "asia"},
		{"southamerica-", "south-america"},
		{"australia-", "oceania"},
	};

	if (str_eq(place, "us"))
		return "us-canada";
	if (str_eq(place, "eu"))
		return "europe";
	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (str_starts(place, places[i][0]))
			return places[i][1];
	return "";
}

static bool is_pair(const char *a, const char *b, const char *x, const char *y)
{
	return (str_eq(a, x) && str_eq(b, y)) || (str_eq(a, y) && str_eq(b, x));
}

static const char *scope_of(const char *from, const char *to)
{
	const char *a = continent_of(from), *b = continent_of(to);

	if (!*a || !*b)
		return NULL;
	if (str_eq(a, b))
		return a;
	if (str_eq(a, "oceania") || str_eq(b, "oceania"))
		return "oceania";
	if (is_pair(a, b, "us-canada", "europe"))
		return "us-europe";
	if (is_pair(a, b, "asia", "europe") || is_pair(a, b, "asia", "us-canada"))
		return "intercontinental";
	return NULL;
}

/* Dual-regions that Google names; others cannot be distinguished from their multi-region. */
static bool has_region(const char *dual, const char *region)
{
	static const char *const duals[][3] = {
		{"nam4", "us-central1", "us-east1"},
		{"eur4", "europe-north1", "europe-west4"},
		{"eur5", "europe-west1", "europe-west2"},
		{"eur7", "europe-west2", "europe-west3"},
		{"eur8", "europe-west3", "europe-west6"},
		{"asia1", "asia-northeast1", "asia-northeast2"},
	};

	for (size_t i = 0; i < ARRAY_LEN(duals); i++)
		if (str_eq(dual, duals[i][0]))
			return str_eq(region, duals[i][1]) || str_eq(region, duals[i][2]);
	return false;
}

bool price_same_place(const char *a, const char *b)
{
	return str_eq(a, b) || has_region(a, b) || has_region(b, a);
}

struct price price_internet(const struct price_book *b, const char *region, int64_t bytes)
{
	struct price_key key = {.item = PRICE_INTERNET, .name = "", .place = region};

	if (!region || bytes < 0)
		return price_unknown;
	return price_item(b, &key, bytes, PRICE_GIB);
}

struct price price_transfer(
	const struct price_book *b, const char *from, const char *to, int64_t bytes)
{
	struct price_key key = {.item = PRICE_TRANSFER, .name = ""};

	if (!from || !to || bytes < 0)
		return price_unknown;
	if (price_same_place(from, to))
		return price_free;
	key.place = scope_of(from, to);
	if (!key.place)
		return price_unknown;
	return price_item(b, &key, bytes, PRICE_GIB);
}

struct price price_operations(const struct price_book *b, const char *storage_class,
	const char *location, const char *class, int64_t requests)
{
	struct price_key key = {.item = PRICE_OPERATION, .name = class, .place = "region"};

	if (!requests)
		return price_free;
	/* names of multi-regions and dual-regions have no hyphen */
	if (!str_eq(storage_class, "standard") || !location || !strchr(location, '-') ||
		requests < 0)
		return price_unknown;
	return price_item(b, &key, requests, 1);
}
