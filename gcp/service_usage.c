/* Service Usage v1beta1: consumerQuotaMetrics. Each metric has limits, each limit buckets: the
 * first without dimensions is the default, the others say where it is different (Service Usage
 * REST reference, QuotaBucket). */
#include "gcp/quota.h"

#include "base/str.h"
#include "base/url.h"
#include "gcp/decode.h"
#include "gcp/list.h"

static enum err_code put_bucket(
	struct gcp_typed *t, const struct cJSON *j, struct quota_entry q, struct err *e)
{
	struct dec d = dec_begin(j, t->arena, e);
	const char *place = quota_location(&d, &q.dimensions);

	q.value = dec_i64(&d, "effectiveLimit");
	q.is_default = !*place && str_eq(q.dimensions, "{}") &&
		!json_get(j, "producerOverride") && !json_get(j, "consumerOverride");
	q.location = *place ? place : "global";
	if (d.code == E_OK)
		quota_put(t, &q);
	return d.code;
}

static enum err_code put_limit(
	struct gcp_typed *t, const struct cJSON *j, const char *metric, struct err *e)
{
	struct dec d = dec_begin(j, t->arena, e);
	const struct cJSON *buckets = dec_array(&d, "quotaBuckets");
	struct quota_entry q = {.quota_id = dec_tail(&d, "name"), .metric = metric};

	JSON_EACH (b, buckets)
		if (d.code == E_OK)
			d.code = put_bucket(t, b, q, e);
	return d.code;
}

static enum err_code put_metric(struct gcp_typed *t, const struct cJSON *j, struct err *e)
{
	struct dec d = dec_begin(j, t->arena, e);
	const char *metric = dec_need(&d, "metric");
	const struct cJSON *limits = dec_array(&d, "consumerQuotaLimits");

	JSON_EACH (l, limits)
		if (d.code == E_OK)
			d.code = put_limit(t, l, metric, e);
	if (d.code != E_OK)
		err_wrap(e, "metric \"%s\"", metric ? metric : "");
	return d.code;
}

static enum err_code on_page(struct gcp_list *l, const struct cJSON *page, struct err *e)
{
	struct gcp_typed *t = l->ctx;
	struct dec d = dec_begin(page, t->arena, e);
	const struct cJSON *items = dec_array(&d, "metrics");

	JSON_EACH (j, items)
		if (d.code == E_OK)
			d.code = put_metric(t, j, e);
	return d.code;
}

enum err_code service_usage_quotas_start(struct gcp *g, const char *project,
	const char *service, struct arena *a, struct quota_list *out, struct err *e)
{
	struct gcp_typed *t = gcp_typed_new(g, GCP_SERVICEUSAGE, project, "list quotas", a,
		&out->r, sizeof(struct quota_entry));

	gcp_url(g, &t->list.call.url, GCP_SERVICEUSAGE,
		"/projects/{}/services/{}/consumerQuotaMetrics", project, service, NULL);
	url_param(&t->list.call.url, "view", "FULL");
	t->list.on_page = on_page;
	t->deliver = quota_deliver;
	return gcp_typed_start(t, e);
}

enum err_code service_usage_quotas(struct gcp *g, const char *project, const char *service,
	struct arena *a, struct quota_list *out, struct err *e)
{
	struct quota_list own = {0};
	enum err_code rc = service_usage_quotas_start(g, project, service, a, &own, e);

	rc = gcp_typed_wait(g, rc, &own.r, e);
	if (rc == E_OK)
		*out = own;
	return rc;
}
