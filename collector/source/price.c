/* List prices of Compute Engine and Cloud TPU from the Cloud Billing Catalog. Of its tens of
 * thousands of SKUs, it stores those that can price an existing machine, TPU, disk, snapshot or
 * address: no commitments or licenses, and no reservations except those of calendar mode. */
#include "base/str.h"
#include "collector/source/source.h"
#include "db_sql.h"
#include "gcp/bill/catalog.h"

#include <string.h>

struct price_lists {
	struct catalog_skus compute, tpu;
};

/* Words in SKUs that resemble those of machines but price something else. */
static bool price_is_special(const char *description)
{
	static const char *const words[] = {"sole tenancy", "reserved", "reservation",
		"commitment", "upgrade premium", "licensing"};

	if (str_ends(description, " in Calendar Mode"))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strcasestr(description, words[i]))
			return true;
	return false;
}

static bool price_keep_tpu(void *ctx, const struct catalog_sku *s)
{
	(void)ctx;
	return (!strcmp(s->usage_type, "OnDemand") ||
		       !strcmp(s->usage_type, "Preemptible")) &&
		!price_is_special(s->description);
}

static bool price_keep_compute(void *ctx, const struct catalog_sku *s)
{
	if (!price_keep_tpu(ctx, s))
		return false;
	if (!strcmp(s->resource_family, "Compute") ||
		!strcmp(s->resource_family, "Storage"))
		return true;
	return strcasestr(s->description, "external ip") ||
		strcasestr(s->description, "static ip");
}

static enum err_code price_ask(struct poll *p, struct err *e)
{
	struct price_lists *l = arena_new(p->arena, struct price_lists);

	p->state = l;
	poll_await(p, &l->compute.r);
	if (poll_started(p,
		    catalog_skus_start(p->gcp, CATALOG_COMPUTE, p->settings->currency,
			    price_keep_compute, NULL, p->arena, &l->compute, e)))
		return e->code;
	poll_await(p, &l->tpu.r);
	return poll_started(p,
		catalog_skus_start(p->gcp, CATALOG_TPU, p->settings->currency,
			price_keep_tpu, NULL, p->arena, &l->tpu, e));
}

static enum err_code price_put_sku(
	struct poll *p, const struct catalog_sku *s, struct err *e)
{
	struct q_list_price_put_in in = {.service_id = s->service_id,
		.sku_id = s->sku_id,
		.description = s->description,
		.resource_family = s->resource_family,
		.resource_group = s->resource_group,
		.usage_type = s->usage_type,
		.unit = s->usage_unit,
		.currency = s->currency,
		.effective = opt_of_ts(s->effective_time),
		.seen = p->now};

	if (!catalog_price(s, &in.price))
		return E_OK;
	for (size_t i = 0; i < s->n_regions; i++) {
		in.region = s->regions[i];
		if (q_list_price_put(p->db, &in, e))
			return e->code;
		p->items++;
	}
	return E_OK;
}

static enum err_code price_put_list(
	struct poll *p, const char *service, const struct catalog_skus *list, struct err *e)
{
	struct q_list_price_drop_in old = {
		.service_id = service, .currency = p->settings->currency, .seen = p->now};

	for (size_t i = 0; i < list->n; i++)
		if (price_put_sku(p, &list->v[i], e))
			return e->code;
	return q_list_price_drop(p->db, &old, e);
}

static enum err_code price_take(struct poll *p, struct err *e)
{
	const struct price_lists *l = p->state;
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct q_any_row_in table = {.table = "list_price"};
	struct q_any_row any;
	bool before;

	if (poll_result(p, &l->compute.r, e) || poll_result(p, &l->tpu.r, e) ||
		q_any_row_one(p->db, &table, p->arena, &any, &before, e))
		return e->code;
	if (!l->compute.n && !l->tpu.n && before)
		return err_set(e, E_DATA, "price list: unexpectedly empty");
	if (db_begin(p->db, &tx, e) || price_put_list(p, CATALOG_COMPUTE, &l->compute, e) ||
		price_put_list(p, CATALOG_TPU, &l->tpu, e))
		return e->code;
	return db_commit(&tx, e);
}

const struct source source_price = {
	.name = "price",
	.group = "prices",
	.doc = "list prices of machines, TPUs and disks",
	.scope = PER_ACCOUNT,
	.optional = true,
	.ask = price_ask,
	.take = price_take,
};
