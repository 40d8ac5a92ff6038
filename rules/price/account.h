/* Prices of the account: recently billed ones, and the price list in its currency. Both are read a
 * region at a time, when the first resource in it is priced. */
#ifndef TPUCOST_RULES_PRICE_ACCOUNT_H
#define TPUCOST_RULES_PRICE_ACCOUNT_H

#include "base/err.h"
#include "base/mem.h"
#include "base/strmap.h"
#include "rules/price/price.h"

struct db;
struct region_prices;

/* One of the two sources. */
struct sku_prices {
	struct sku_prices *self; /* access from the price list, which is constant */
	struct db *db;
	enum price_source source; /* PRICE_BILLED or PRICE_CATALOG */
	const char *currency;     /* of the price list */
	struct arena arena;
	struct strmap index; /* region -> its prices */
	struct region_prices *regions;
	size_t n, cap;
	struct err err; /* first error of the database; nothing is known afterwards */
};

struct account_prices {
	struct sku_prices billed, catalog;
};

/* Add both to the price list, which then refers to *a. `currency` is kept by reference. */
void account_prices_open(struct account_prices *a, struct db *db, const char *currency,
	struct price_book *book);
/* Were all of them read without an error? */
enum err_code account_prices_check(
	const struct account_prices *a, struct err *e) must_check;
void account_prices_done(struct account_prices *a);

/* Conversion rates of all currencies of the bill, allocated from the arena. E_DB. */
enum err_code account_rates_read(
	struct db *db, struct arena *a, struct price_rates *out, struct err *e) must_check;
/* The only currency of the bill; USD without a bill, or with bills in several currencies. E_DB. */
enum err_code account_currency(struct db *db, char out[4], struct err *e) must_check;

/* Says that estimates stay in other currencies than the configured one because the bill has no rate of
 * it, and what to do; NULL if that is not so. The text is allocated from the arena. E_DB. */
enum err_code account_rate_missing(struct db *db, const char *currency, struct arena *a,
	const char **words, struct err *e) must_check;

/* ---- SKUs ---------------------------------------------------------------------------------- */

/* Item that a SKU of Google's price list is the price of. A SKU is identified by its service, its
 * description, its usage type and its unit; only those with a certain meaning are read. */
struct sku_text {
	const char *service_id;
	/* "Spot Preemptible E2 Instance Core running in Americas" */
	const char *description;
	const char *usage_type; /* "OnDemand", "Preemptible"; "" if missing */
	const char *unit;       /* "h" of the catalogue, "hour" of the bill, ... */
};

#define SKU_NAME_BUF 32

struct sku_item {
	enum price_item item;
	char name[SKU_NAME_BUF]; /* as in struct price_key */
	enum price_class class;
	int64_t per; /* units of the item that the price buys: 4 chips of a v3-8 */
	int64_t times; /* and how often it is paid in the unit of the item: 730 for GiB-hours */
};

/* False: not the price of an item in the price list, or in a unit that does not match. */
bool price_sku_read(const struct sku_text *s, struct sku_item *out) must_check;

#endif
