#include "collector/bill/billed_price.h"

#include "db_sql.h"

#include <string.h>

#define MAX_PRICES 100000 /* the catalog has about ten thousand SKUs */

struct billed_price {
	struct q_billed_price_put_in in;
	const char *region; /* the newest place of use, which is stored */
};

static const char *billed_price_key_of(
	struct billed_prices *b, const char *const parts[], size_t n)
{
	if (!b->key.s)
		b->key = SBUF_INIT;
	sbuf_reset(&b->key);
	for (size_t i = 0; i < n; i++) {
		sbuf_adds(&b->key, parts[i]);
		sbuf_addc(&b->key, ' ');
	}
	return b->key.s;
}

static struct billed_price *billed_price_find(
	struct billed_prices *b, const struct usage_line *l, const char *model)
{
	const char *const parts[] = {
		l->service_id, l->sku_id, l->currency, l->usage_unit, model};
	const char *key = billed_price_key_of(b, parts, ARRAY_LEN(parts));
	size_t *at = strmap_get(&b->index, key);

	if (at)
		return &b->v[*at];
	if (b->n == MAX_PRICES)
		return NULL;
	strmap_put(&b->index, key, b->n);
	*arena_push(&b->arena, b) = (struct billed_price){
		.region = "",
		.in = {.service_id = arena_strdup(&b->arena, l->service_id),
			.sku_id = arena_strdup(&b->arena, l->sku_id),
			.currency = arena_strdup(&b->arena, l->currency),
			.unit = arena_strdup(&b->arena, l->usage_unit),
			.model = arena_strdup(&b->arena, model),
			.hour = INT64_MIN},
	};
	return &b->v[b->n - 1];
}

/* Region in which a SKU is used; the price list, if it was read, has the regions in which it is
 * sold. The text is the stored region. */
static const char *note_region(struct billed_prices *b, const struct usage_line *l)
{
	const char *const parts[] = {l->service_id, l->sku_id, l->region};
	const char *key = billed_price_key_of(b, parts, ARRAY_LEN(parts));
	size_t *at = strmap_get(&b->seen, key);

	if (at)
		return b->regions[*at].region;
	if (b->n_regions == MAX_PRICES)
		return "";
	strmap_put(&b->seen, key, b->n_regions);
	*arena_append(&b->arena, b->regions, b->n_regions,
		b->regions_cap) = (struct q_billed_region_put_in){
		.service_id = arena_strdup(&b->arena, l->service_id),
		.sku_id = arena_strdup(&b->arena, l->sku_id),
		.region = arena_strdup(&b->arena, l->region)};
	return b->regions[b->n_regions - 1].region;
}

static void billed_price_note(struct billed_prices *b, const struct usage_line *l,
	const char *model, int64_t price)
{
	struct billed_price *known;

	/* The price of a free tier is 0; the real price is that of the tier above it. */
	if (price <= 0 || *l->credit_type || !*l->sku_id)
		return;
	known = billed_price_find(b, l, model);
	if (known && *l->region && strcmp(known->region, l->region) != 0)
		known->region = note_region(b, l);
	if (known && l->hour >= known->in.hour) {
		known->in.hour = l->hour;
		known->in.price = price;
	}
}

void billed_prices_note(struct billed_prices *b, const struct usage_line *l,
	const struct billed_rates *rates)
{
	bool other = *l->model && strcmp(l->model, BILLED_DEFAULT_MODEL) != 0;

	if (rates->price.set)
		billed_price_note(b, l, other ? l->model : "", rates->price.v);
	if (rates->standard.set && (other || !rates->price.set))
		billed_price_note(b, l, "", rates->standard.v);
}

enum err_code billed_prices_put(
	struct billed_prices *b, struct db *db, int64_t table_id, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (!b->n)
		return E_OK;
	if (db_begin(db, &tx, e))
		return e->code;
	for (size_t i = 0; i < b->n; i++) {
		b->v[i].in.table_id = table_id;
		if (q_billed_price_put(db, &b->v[i].in, e))
			return e->code;
	}
	for (size_t i = 0; i < b->n_regions; i++)
		if (q_billed_region_put(db, &b->regions[i], e))
			return e->code;
	return db_commit(&tx, e);
}

void billed_prices_done(struct billed_prices *b)
{
	arena_done(&b->arena);
	strmap_done(&b->index);
	strmap_done(&b->seen);
	if (b->key.s)
		sbuf_done(&b->key);
	*b = (struct billed_prices){0};
}
