#include "gcp/bill/catalog.h"

#include "base/data/json.h"
#include "base/money.h"
#include "base/str.h"
#include "base/url/url.h"
#include "gcp/decode.h"
#include "gcp/list.h"

#include <string.h>

#define PAGE_SIZE 5000                /* Google's maximum */
#define MAX_BODY ((size_t)64 << 20)   /* a page has about 15 MB */
#define TIMEOUT_MS 180000L            /* and takes time */
#define MAX_SKUS 100000               /* stored */
#define MAX_TIERS 100                 /* of one SKU; the usual number is three or four */
#define MAX_SCRATCH ((size_t)1 << 18) /* bytes after which the scratch arena is emptied */

/* State of one list. Allocated from the caller's arena. */
struct catalog_job {
	const char *service_id, *currency;
	catalog_keep keep;
	void *ctx;
};

/* ---- prices -------------------------------------------------------------- */

static int64_t catalog_read_start(struct dec *d)
{
	const struct cJSON *j = json_get(d->obj, "startUsageAmount");
	int64_t start = 0;
	enum err_code rc = j ? json_nanos(j, &start, NULL) : E_OK;

	if (rc == E_OVERFLOW)
		return INT64_MAX;
	if (rc != E_OK || start < 0)
		dec_fail(d, "startUsageAmount", "not an amount");
	return start;
}

static void catalog_read_tier(struct dec *d, const char *currency, struct catalog_tier *out)
{
	struct dec price = dec_enter(d, "unitPrice");

	out->start = catalog_read_start(d);
	price.code = d->code;
	out->price = price.obj ? dec_money(&price, currency) : 0;
	if (!dec_leave(d, &price))
		err_wrap(d->e, "unitPrice");
}

/* Moves the last of n tiers to the position of its start. */
static void catalog_sort_in(struct catalog_tier *v, size_t n)
{
	struct catalog_tier last = v[n - 1];
	size_t i = n - 1;

	for (; i > 0 && v[i - 1].start > last.start; i--)
		v[i] = v[i - 1];
	v[i] = last;
}

static void catalog_read_tiers(struct dec *d, struct catalog_sku *out)
{
	const struct cJSON *list = dec_array(d, "tieredRates");

	if (json_len(list) > MAX_TIERS) {
		dec_fail(d, "tieredRates", "too many");
		return;
	}
	out->tiers = arena_alloc(d->a, (json_len(list) + 1) * sizeof(*out->tiers));
	JSON_EACH (j, list) {
		struct dec td = dec_begin(j, d->a, d->e);

		catalog_read_tier(&td, out->currency, &out->tiers[out->n_tiers]);
		if (td.code != E_OK) {
			d->code = err_wrap(d->e, "tieredRates[%zu]", out->n_tiers);
			return;
		}
		out->n_tiers++;
		catalog_sort_in(out->tiers, out->n_tiers);
	}
}

/* The most recent pricing; of two with the same time, the later one in the list. */
static const struct cJSON *catalog_latest_pricing(struct dec *d, struct catalog_sku *out)
{
	const struct cJSON *list = dec_array(d, "pricingInfo"), *latest = NULL;

	out->effective_time = TS_NONE;
	JSON_EACH (j, list) {
		struct dec pd = dec_begin(j, d->a, d->e);
		ts_t at = dec_ts(&pd, "effectiveTime");

		if (pd.code != E_OK) {
			d->code = err_wrap(d->e, "pricingInfo");
			return NULL;
		}
		if (at >= out->effective_time) {
			out->effective_time = at;
			latest = j;
		}
	}
	return latest;
}

static void catalog_read_pricing(struct dec *d, struct catalog_sku *out)
{
	const struct cJSON *pricing = catalog_latest_pricing(d, out);
	struct dec in, expression;

	out->usage_unit = "";
	if (d->code != E_OK || !pricing)
		return;
	in = dec_begin(pricing, d->a, d->e);
	expression = dec_enter(&in, "pricingExpression");
	if (expression.obj) {
		out->usage_unit = dec_text(&expression, "usageUnit");
		catalog_read_tiers(&expression, out);
	}
	dec_leave(&in, &expression);
	if (!dec_leave(d, &in))
		err_wrap(d->e, "pricingInfo");
}

bool catalog_price(const struct catalog_sku *s, int64_t *nanos)
{
	if (!s->n_tiers)
		return false;
	*nanos = 0;
	for (size_t i = 0; i < s->n_tiers && !*nanos; i++)
		*nanos = s->tiers[i].price;
	return true;
}

/* ---- SKUs ---------------------------------------------------------------- */

/* All members except the pricing. */
static void catalog_read_head(
	struct dec *d, const struct catalog_job *job, struct catalog_sku *out)
{
	struct dec category = dec_enter(d, "category");

	out->sku_id = dec_name(d, "skuId");
	out->service_id = job->service_id;
	out->currency = job->currency;
	out->description = dec_text(d, "description");
	out->regions = dec_tails(d, "serviceRegions", &out->n_regions);
	category.code = d->code;
	out->resource_family = dec_text(&category, "resourceFamily");
	out->resource_group = dec_text(&category, "resourceGroup");
	out->usage_type = dec_text(&category, "usageType");
	if (!dec_leave(d, &category))
		err_wrap(d->e, "category");
}

static enum err_code catalog_wrap_sku(const struct cJSON *j, struct err *e)
{
	return err_wrap(e, "SKU '%.60s'", json_text(json_get(j, "skuId"), "?"));
}

/* Reads the head into scratch; if the SKU is selected, reads all of it into the arena of the
 * result. */
static enum err_code catalog_take_sku(
	struct gcp_typed *t, const struct cJSON *j, struct arena *scratch, struct err *e)
{
	const struct catalog_job *job = t->more;
	struct catalog_sku head = {0}, sku = {0};
	struct dec d = dec_begin(j, scratch, e);

	catalog_read_head(&d, job, &head);
	if (d.code != E_OK)
		return catalog_wrap_sku(j, e);
	((struct catalog_skus *)t->result)->n_read++;
	if (job->keep && !job->keep(job->ctx, &head))
		return E_OK;
	d = dec_begin(j, t->arena, e);
	catalog_read_head(&d, job, &sku);
	catalog_read_pricing(&d, &sku);
	if (d.code != E_OK)
		return catalog_wrap_sku(j, e);
	if (t->n >= MAX_SKUS)
		return err_set(e, E_LIMIT, "more than %d SKUs match", MAX_SKUS);
	memcpy(gcp_typed_slot(t, sku.sku_id), &sku, sizeof(sku));
	return E_OK;
}

static enum err_code catalog_page(
	struct gcp_typed *t, const struct cJSON *page, struct err *e)
{
	const struct cJSON *left = json_get(page, "skus");
	cleanup(arena_done) struct arena scratch = {0};
	const char *text;
	size_t len;

	if (left && !json_is_array(left))
		return err_set(e, E_DATA, "'skus' is not an array");
	while (json_rows_next(&t->list.call.rows, &text, &len, e)) {
		cleanup(json_free_ptr) struct cJSON *j = NULL;

		if (json_parse(text, len, &j, e) || catalog_take_sku(t, j, &scratch, e))
			return e->code;
		if (scratch.used > MAX_SCRATCH)
			arena_done(&scratch);
	}
	return e->code;
}

static const struct gcp_listing catalog_listing = {
	.api = GCP_CLOUDBILLING,
	.what = "list prices",
	.path = "/services/{}/skus",
	.page_size = PAGE_SIZE,
	.size = sizeof(struct catalog_sku),
	.page = catalog_page,
};

enum err_code catalog_skus_start(struct gcp *g, const char *service_id,
	const char *currency, catalog_keep keep, void *ctx, struct arena *a,
	struct catalog_skus *out, struct err *e)
{
	struct gcp_typed *t;
	struct catalog_job *job;

	if (!gcp_name_valid(service_id))
		return err_set(e, E_CONFIG, "service id '%.60s' is malformed", service_id);
	if (!currency_valid(currency))
		return err_set(
			e, E_CONFIG, "'%.20s' is not an ISO 4217 currency code", currency);
	job = arena_new(a, struct catalog_job);
	job->service_id = arena_strdup(a, service_id);
	job->currency = arena_strdup(a, currency);
	job->keep = keep;
	job->ctx = ctx;
	t = gcp_typed_new(&catalog_listing, g, NULL, a, &out->r, service_id, NULL);
	out->n_read = 0;
	url_param(&t->list.call.url, "currencyCode", currency);
	t->list.call.rows_key = "skus";
	t->list.call.max_body = MAX_BODY;
	t->list.call.timeout_ms = TIMEOUT_MS;
	t->more = job;
	return gcp_typed_start(t, e);
}
