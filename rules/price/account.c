#include "rules/price/account.h"

#include "base/time/civil.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/price/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One price of a region. */
struct sku_price {
	struct sku_item item;
	struct unit_price unit;
	bool unclear; /* several SKUs match, at different prices */
};

struct region_prices {
	struct sku_price *v; /* sorted by item, class and name */
	size_t n, cap;
};

static int account_order(const struct sku_item *a, enum price_item item,
	enum price_class class, const char *name)
{
	if (a->item != item)
		return a->item < item ? -1 : 1;
	if (a->class != class)
		return a->class < class ? -1 : 1;
	return strcmp(a->name, name);
}

static int by_item(const void *a, const void *b)
{
	const struct sku_price *y = b;

	return account_order(&((const struct sku_price *)a)->item, y->item.item,
		y->item.class, y->item.name);
}

static int by_key(const void *key, const void *price)
{
	const struct price_key *k = key;

	return -account_order(
		&((const struct sku_price *)price)->item, k->item, k->class, k->name);
}

static bool same_price(const struct unit_price *a, const struct unit_price *b)
{
	return a->nanos == b->nanos && a->per == b->per && !strcmp(a->cur, b->cur);
}

/* Several SKUs with equal prices become one price; with different prices, none. */
static void account_sort_unique(struct region_prices *r)
{
	size_t out = 0;

	if (!r->n)
		return;
	qsort(r->v, r->n, sizeof(*r->v), by_item);
	for (size_t i = 1; i < r->n; i++) {
		struct sku_price *last = &r->v[out];

		if (by_item(last, &r->v[i]))
			r->v[++out] = r->v[i];
		else if (!same_price(&last->unit, &r->v[i].unit))
			last->unclear = true;
	}
	r->n = out + 1;
}

/* Rows of one SKU: all must be for the same item. */
struct sku_rows {
	const char *sku_id;
	ts_t at;
	int64_t table_id; /* of the bill */
	bool meaningful;  /* the item could be read */
	bool unclear;
	struct sku_price price;
};

static void end_sku(struct sku_prices *p, struct region_prices *r, struct sku_rows *s)
{
	if (s->sku_id && s->meaningful) {
		char date[DATE_BUF];

		s->price.unclear = s->unclear;
		s->price.unit.sku = s->sku_id;
		date_format((day_t)(s->at / DAY_SECONDS), date);
		s->price.unit.as_of = arena_strdup(&p->arena, date);
		*arena_push(&p->arena, r) = s->price;
	}
	*s = (struct sku_rows){0};
}

static bool read_price(const struct q_sku_prices *q, struct sku_price *out)
{
	const struct sku_text text = {
		q->service_id, q->description, q->usage_type, q->unit};

	*out = (struct sku_price){0};
	if (q->price <= 0 || strlen(q->currency) >= sizeof(out->unit.cur) ||
		!price_sku_read(&text, &out->item) ||
		__builtin_mul_overflow(q->price, out->item.times, &out->unit.nanos))
		return false;
	out->unit.per = out->item.per;
	strcpy(out->unit.cur, q->currency);
	return true;
}

static void account_add_row(struct sku_prices *p, struct region_prices *r,
	struct sku_rows *s, const struct q_sku_prices *q)
{
	struct sku_price price;

	if (!s->sku_id || strcmp(s->sku_id, q->sku_id) != 0) {
		end_sku(p, r, s);
		s->sku_id = arena_strdup(&p->arena, q->sku_id);
		s->at = q->at;
		s->table_id = q->table_id;
		s->meaningful = read_price(q, &s->price);
		return;
	}
	/* The newest come first: earlier billed prices do not count, nor do those of another table. */
	if (q->at != s->at || q->table_id != s->table_id)
		return;
	if (!read_price(q, &price) || !s->meaningful || by_item(&price, &s->price) ||
		!same_price(&price.unit, &s->price.unit))
		s->unclear = true;
}

static enum err_code region_load(
	struct sku_prices *p, const char *region, struct region_prices *r, struct err *e)
{
	struct q_sku_prices_in in = {.region = region,
		.currency = p->currency,
		.billed = p->source == PRICE_BILLED};
	struct q_sku_prices q;
	struct sku_rows s = {0};
	struct db_rows rows;

	if (q_sku_prices_open(p->db, &in, &rows, e))
		return e->code;
	while (q_sku_prices_next(&rows, &q))
		account_add_row(p, r, &s, &q);
	end_sku(p, r, &s);
	account_sort_unique(r);
	return db_rows_close(&rows, e);
}

static const struct region_prices *region_of(struct sku_prices *p, const char *region)
{
	const size_t *at = strmap_get(&p->index, region);
	struct region_prices r = {0};

	if (at)
		return &p->regions[*at];
	if (p->err.code || region_load(p, region, &r, &p->err))
		return NULL;
	strmap_put(&p->index, region, p->n);
	*arena_append(&p->arena, p->regions, p->n, p->cap) = r;
	return &p->regions[p->n - 1];
}

/* Prices are listed by region and multi-region, never by zone. */
static const char *region_name(const struct price_key *key, char buf[REGION_BUF])
{
	const char *dash = strrchr(key->place, '-');
	size_t n = dash ? (size_t)(dash - key->place) : 0;

	if (!dash || strcmp(dash, "-multi") != 0 || n >= REGION_BUF)
		return key->place;
	memcpy(buf, key->place, n);
	buf[n] = '\0';
	return buf;
}

/* The lists are read at the first query: the price list refers to them as constants, and their
 * results never change. */
static bool account_find(
	const void *ctx, const struct price_key *key, struct unit_price *out)
{
	struct sku_prices *p = *(struct sku_prices *const *)ctx;
	char buf[REGION_BUF];
	const char *region = region_name(key, buf);
	const struct region_prices *r = region ? region_of(p, region) : NULL;
	const struct sku_price *x = r && r->n ? bsearch(key, r->v, r->n, sizeof(*x), by_key)
					      : NULL;

	if (x)
		*out = x->unit;
	return x && !x->unclear;
}

static void open_one(struct sku_prices *p, struct db *db, enum price_source source,
	const char *currency, struct price_book *book)
{
	*p = (struct sku_prices){.db = db, .source = source, .currency = currency};
	p->self = p;
	price_book_add(book,
		&(struct price_list){
			.source = source, .find = account_find, .ctx = &p->self});
}

void account_prices_open(struct account_prices *a, struct db *db, const char *currency,
	struct price_book *book)
{
	open_one(&a->billed, db, PRICE_BILLED, currency, book);
	open_one(&a->catalog, db, PRICE_CATALOG, currency, book);
}

enum err_code account_prices_check(const struct account_prices *a, struct err *e)
{
	const struct err *bad = a->billed.err.code ? &a->billed.err : &a->catalog.err;

	if (bad->code) {
		*e = *bad;
		return err_wrap(e, "prices");
	}
	return E_OK;
}

static void account_done(struct sku_prices *p)
{
	arena_done(&p->arena);
	strmap_done(&p->index);
}

void account_prices_done(struct account_prices *a)
{
	account_done(&a->billed);
	account_done(&a->catalog);
}

/* ---- currencies ---------------------------------------------------------------------------- */

enum err_code account_currency(struct db *db, char out[4], struct err *e)
{
	cleanup(arena_done) struct arena a = {0};
	struct q_bill_currencies *v;
	size_t n;

	if (q_bill_currencies_all(db, &a, &v, &n, e))
		return e->code;
	snprintf(
		out, 4, "%s", n == 1 && strlen(v[0].currency) == 3 ? v[0].currency : "USD");
	return E_OK;
}

static enum err_code add_rate(struct db *db, const char *currency, struct arena *a,
	struct price_rates *out, struct err *e)
{
	struct q_newest_rate_in in = {.currency = currency};
	struct q_newest_rate row;
	struct price_rate rate = {0};
	char day[DATE_BUF];
	bool found;

	if (strlen(currency) >= sizeof(rate.cur) || !strcmp(currency, "USD"))
		return E_OK;
	if (q_newest_rate_one(db, &in, a, &row, &found, e))
		return e->code;
	if (!found)
		return E_OK;
	strcpy(rate.cur, currency);
	rate.per_usd = row.rate;
	rate.as_of = arena_strdup(a, date_format((day_t)(row.hour / DAY_SECONDS), day));
	*arena_push(a, out) = rate;
	return E_OK;
}

enum err_code account_rates_read(
	struct db *db, struct arena *a, struct price_rates *out, struct err *e)
{
	struct q_bill_currencies *v;
	size_t n;

	*out = (struct price_rates){0};
	*arena_push(a, out) = (struct price_rate){.cur = "USD", .per_usd = NANOS};
	if (q_bill_currencies_all(db, a, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++)
		if (add_rate(db, v[i].currency, a, out, e))
			return e->code;
	return E_OK;
}

enum err_code account_rate_missing(struct db *db, const char *currency, struct arena *a,
	const char **words, struct err *e)
{
	struct q_rate_missing row;
	bool found;

	*words = NULL;
	if (!strcmp(currency, "USD")) /* the other rates are of it */
		return E_OK;
	if (q_rate_missing_one(db, a, &row, &found, e))
		return e->code;
	if (found)
		*words = arena_printf(a,
			"no conversion rate of %s is known: estimates stay in the "
			"currencies of their prices; for one currency, set currency: %s%s",
			currency, row.billed ? row.billed : "USD",
			row.billed ? ", which the bill has a rate of"
				   : " or billing: table, whose rows have rates");
	return E_OK;
}
