/* Cloud Billing v1: the price list, and whether a project is billed. After the Cloud Billing
 * Catalog REST reference; the last page's token is there and empty, as Google sends it. */
#include "tests/sandbox/sandbox.h"

#include "base/time/civil.h"

#include <string.h>

static bool is_first_of_service(const struct world *w, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!strcmp(w->skus[i].service_id, w->skus[at].service_id))
			return false;
	return true;
}

void serve_services(const struct request *q, struct response *r)
{
	struct jw w = {.b = &r->body};
	size_t from, to, number = 0;

	if (!page_read(q, r, &from, &to))
		return;
	jw_begin(&w, '{');
	jw_key(&w, "services");
	jw_begin(&w, '[');
	for (size_t i = 0; i < q->w->n_skus; i++) {
		const struct sku *x = &q->w->skus[i];

		if (!is_first_of_service(q->w, i) || number++ < from || number > to)
			continue;
		jw_begin(&w, '{');
		jw_kstr(&w, "name", arena_printf(q->a, "services/%s", x->service_id));
		jw_kstr(&w, "serviceId", x->service_id);
		jw_kstr(&w, "displayName", x->service);
		jw_kstr(&w, "businessEntityName", "businessEntities/GCP");
		jw_end(&w, '}');
	}
	jw_end(&w, ']');
	jw_kstr(&w, "nextPageToken", number > to ? page_token(q, to) : "");
	jw_end(&w, '}');
}

/* Nanos are left out when they are 0. */
static void write_rate(const struct request *q, struct jw *w, int64_t start,
	const char *currency, int64_t price)
{
	jw_begin(w, '{');
	jw_ki64(w, "startUsageAmount", start);
	jw_key(w, "unitPrice");
	jw_begin(w, '{');
	jw_kstr(w, "currencyCode", currency);
	jw_kstr(w, "units", arena_printf(q->a, "%lld", (long long)(price / NANOS)));
	if (price % NANOS)
		jw_ki64(w, "nanos", price % NANOS);
	jw_end(w, '}');
	jw_end(w, '}');
}

static void write_pricing(const struct request *q, struct jw *w, const struct sku *x,
	const char *currency, int64_t rate)
{
	char text[NANOS_BUF];
	int64_t price;

	if (!nanos_muldiv(x->price, rate, NANOS, &price))
		price = INT64_MAX;
	jw_begin(w, '{');
	add_utc(w, "effectiveTime", q->now - q->now % DAY_SECONDS);
	jw_key(w, "pricingExpression");
	jw_begin(w, '{');
	jw_kstr(w, "usageUnit", x->unit);
	jw_ki64(w, "displayQuantity", 1);
	jw_key(w, "tieredRates");
	jw_begin(w, '[');
	if (x->free)
		write_rate(q, w, 0, currency, 0);
	write_rate(q, w, x->free, currency, price);
	jw_end(w, ']');
	jw_end(w, '}');
	jw_key(w, "currencyConversionRate");
	jw_raw(w, nanos_format(rate, text));
	jw_end(w, '}');
}

static void write_sku(const struct request *q, struct jw *w, const struct sku *x,
	const char *currency, int64_t rate)
{
	jw_begin(w, '{');
	jw_kstr(w, "name", arena_printf(q->a, "services/%s/skus/%s", x->service_id, x->id));
	jw_kstr(w, "skuId", x->id);
	jw_kstr(w, "description", x->name);
	jw_key(w, "category");
	jw_begin(w, '{');
	jw_kstr(w, "serviceDisplayName", x->service);
	jw_kstr(w, "resourceFamily", "Compute");
	jw_kstr(w, "resourceGroup", x->group);
	jw_kstr(w, "usageType", x->usage_type);
	jw_end(w, '}');
	jw_key(w, "serviceRegions");
	jw_begin(w, '[');
	for (size_t i = 0; i < x->regions.n; i++)
		jw_str(w, x->regions.v[i]);
	jw_end(w, ']');
	jw_key(w, "pricingInfo");
	jw_begin(w, '[');
	write_pricing(q, w, x, currency, rate);
	jw_end(w, ']');
	jw_kstr(w, "serviceProviderName", "Google");
	jw_end(w, '}');
}

/* Prices are in USD or, by the world's rate, in the currency of its bills. */
void serve_skus(const struct request *q, struct response *r)
{
	const char *currency = q->param(q, "currencyCode");
	struct jw w = {.b = &r->body};
	size_t from, to, number = 0;
	int64_t rate = NANOS;

	currency = currency && *currency ? currency : "USD";
	if (!page_read(q, r, &from, &to))
		return;
	if (!strcmp(currency, q->w->currency) && q->w->rate)
		rate = q->w->rate;
	else if (strcmp(currency, "USD") != 0) {
		respond_rpc(r, 400, "INVALID_ARGUMENT", "Invalid currency code.");
		return;
	}
	jw_begin(&w, '{');
	jw_key(&w, "skus");
	jw_begin(&w, '[');
	for (size_t i = 0; i < q->w->n_skus; i++)
		if (!strcmp(q->w->skus[i].service_id, q->seg[2]) && number++ >= from &&
			number <= to)
			write_sku(q, &w, &q->w->skus[i], currency, rate);
	jw_end(&w, ']');
	jw_kstr(&w, "nextPageToken", number > to ? page_token(q, to) : "");
	jw_end(&w, '}');
}

void serve_billing_info(const struct request *q, struct response *r)
{
	const struct project *p = world_project(q->w, q->seg[2]);
	struct jw w = {.b = &r->body};

	if (!p) {
		respond_rpc(
			r, 403, "PERMISSION_DENIED", "The caller does not have permission");
		return;
	}
	jw_begin(&w, '{');
	jw_kstr(&w, "name", arena_printf(q->a, "projects/%s/billingInfo", p->id));
	jw_kstr(&w, "projectId", p->id);
	jw_kstr(&w, "billingAccountName", "billingAccounts/" BILLING_ACCOUNT);
	jw_key(&w, "billingEnabled");
	jw_bool(&w, true);
	jw_end(&w, '}');
}
