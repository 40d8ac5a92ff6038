#include "collector/billed_price.h"

#include "db_sql.h"

#define MAX_PRICES 100000 /* there are some ten thousand SKUs */

struct billed_price {
	struct q_billed_price_put_in in;
};

struct billed_region {
	struct q_billed_region_put_in in;
};

static struct billed_price *find(struct billed_prices *b, const struct usage_line *l)
{
	struct sbuf key = SBUF_INIT;
	size_t *at;

	sbuf_addf(
		&key, "%s %s %s %s", l->service_id, l->sku_id, l->currency, l->usage_unit);
	at = strmap_get(&b->index, key.s);
	if (!at && b->n < MAX_PRICES) {
		strmap_put(&b->index, key.s, b->n);
		b->v = arena_grow(&b->arena, b->v, b->n, &b->cap, sizeof(*b->v));
		b->v[b->n++].in = (struct q_billed_price_put_in){
			.service_id = arena_strdup(&b->arena, l->service_id),
			.sku_id = arena_strdup(&b->arena, l->sku_id),
			.currency = arena_strdup(&b->arena, l->currency),
			.unit = arena_strdup(&b->arena, l->usage_unit),
			.hour = INT64_MIN};
		at = strmap_get(&b->index, key.s);
	}
	sbuf_done(&key);
	return at ? &b->v[*at] : NULL;
}

/* Where a SKU is used; the price list says where it is sold, if it was read. */
static void note_region(struct billed_prices *b, const struct usage_line *l)
{
	struct sbuf key = SBUF_INIT;

	if (!*l->region)
		return;
	sbuf_addf(&key, "%s %s %s", l->service_id, l->sku_id, l->region);
	if (b->n_regions < MAX_PRICES && strmap_put(&b->seen, key.s, b->n_regions)) {
		b->regions = arena_grow(&b->arena, b->regions, b->n_regions,
			&b->regions_cap, sizeof(*b->regions));
		b->regions[b->n_regions++].in = (struct q_billed_region_put_in){
			.service_id = arena_strdup(&b->arena, l->service_id),
			.sku_id = arena_strdup(&b->arena, l->sku_id),
			.region = arena_strdup(&b->arena, l->region)};
	}
	sbuf_done(&key);
}

void billed_prices_note(struct billed_prices *b, const struct usage_line *l, int64_t price)
{
	struct billed_price *known;

	/* What is free up to some amount has a price of 0 there, and its real one beyond. */
	if (price <= 0 || *l->credit_type || !*l->sku_id)
		return;
	note_region(b, l);
	known = find(b, l);
	if (known && l->hour >= known->in.hour) {
		known->in.hour = l->hour;
		known->in.price = price;
	}
}

enum err_code billed_prices_put(struct billed_prices *b, struct db *db, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (!b->n)
		return E_OK;
	if (db_begin(db, &tx, e))
		return e->code;
	for (size_t i = 0; i < b->n; i++)
		if (q_billed_price_put(db, &b->v[i].in, e))
			return e->code;
	for (size_t i = 0; i < b->n_regions; i++)
		if (q_billed_region_put(db, &b->regions[i].in, e))
			return e->code;
	return db_commit(&tx, e);
}

void billed_prices_done(struct billed_prices *b)
{
	arena_done(&b->arena);
	strmap_done(&b->index);
	strmap_done(&b->seen);
	*b = (struct billed_prices){0};
}
