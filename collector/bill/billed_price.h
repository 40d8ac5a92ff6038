/* Prices of the billing account, from the bill: the newest of each SKU and consumption model is stored. */
#ifndef TPUCOST_COLLECTOR_BILL_BILLED_PRICE_H
#define TPUCOST_COLLECTOR_BILL_BILLED_PRICE_H

#include "base/mem.h"
#include "base/sbuf.h"
#include "base/strmap.h"
#include "collector/bill/usage_dims.h"

struct billed_prices {
	struct arena arena;
	struct strmap index;
	struct sbuf key;
	struct billed_price *v;
	size_t n, cap;
	struct strmap seen;
	struct q_billed_region_put_in *regions; /* place of use */
	size_t n_regions, regions_cap;
};

/* Id of the default consumption model, the same for every account ("Default" on Google's pages of
 * SKUs); prices of other models apply only to usage with a commitment. */
#define BILLED_DEFAULT_MODEL "7754-699E-0EBF"

/* Prices on a line, in nanos of its currency for one usage unit; NONE: not stated. */
struct billed_rates {
	struct opt_i64 price;    /* of the line's consumption model */
	struct opt_i64 standard; /* of the default consumption model */
};

/* Records the prices of a line. */
void billed_prices_note(struct billed_prices *b, const struct usage_line *l,
	const struct billed_rates *rates);
/* Stores the recorded prices as those of a table or file. */
enum err_code billed_prices_put(
	struct billed_prices *b, struct db *db, int64_t table_id, struct err *e) must_check;
void billed_prices_done(struct billed_prices *b);

#endif
