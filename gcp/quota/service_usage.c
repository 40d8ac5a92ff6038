/* Service Usage v1beta1: consumerQuotaMetrics. Each metric has limits, each limit buckets: the
 * first, without dimensions, is the default, the others say where it is different. That one
 * holds for the other locations of the limit (Service Usage REST reference, QuotaBucket). */
#include "gcp/quota/internal.h"

#include "base/str.h"
#include "base/url/url.h"

#include <string.h>

/* What moves a limit away from the service's default. */
static const char *const overrides[] = {
	"producerOverride", "producerQuotaPolicy", "adminOverride", "consumerOverride"};

static void read_bucket(struct dec *d, struct quota_entry *q)
{
	q->value = dec_i64(d, "effectiveLimit");
	q->is_default = true;
	for (size_t i = 0; i < ARRAY_LEN(overrides); i++)
		if (json_get(d->obj, overrides[i]))
			q->is_default = false;
}

static enum err_code put_limit(struct gcp_typed *t, const struct cJSON *j,
	const struct quota_entry *metric, struct err *e)
{
	struct dec d = dec_begin(j, t->arena, e);
	struct quota_limit l = {.head = *metric, .read = read_bucket};

	l.head.quota_id = str_after_last(dec_need(&d, "name"), '/');
	l.values = dec_array(&d, "quotaBuckets");
	l.places = dec_array(&d, "supportedLocations");
	return d.code == E_OK ? quota_put(t, &l, e) : d.code;
}

static enum err_code put_metric(struct gcp_typed *t, const struct cJSON *j, struct err *e)
{
	struct dec d = dec_begin(j, t->arena, e);
	const struct cJSON *limits = dec_array(&d, "consumerQuotaLimits");
	struct quota_entry metric = {0};

	metric.metric = dec_need(&d, "metric");
	JSON_EACH (l, limits)
		if (d.code == E_OK)
			d.code = put_limit(t, l, &metric, e);
	if (d.code != E_OK)
		err_wrap(e, "metric \"%.100s\"", metric.metric);
	return d.code;
}

static enum err_code on_page(struct gcp_list *l, const struct cJSON *page, struct err *e)
{
	return gcp_typed_page(l, page, "metrics", NULL, put_metric, e);
}

static GCP_DELIVER(deliver, struct quota_list);

enum err_code service_usage_quotas_start(struct gcp *g, const char *project,
	const char *service, struct arena *a, struct quota_list *out, struct err *e)
{
	struct gcp_typed *t = gcp_typed_new(g, GCP_SERVICEUSAGE, project, "list quotas", a,
		&out->r, sizeof(struct quota_entry));

	gcp_url(g, &t->list.call.url, GCP_SERVICEUSAGE,
		"/projects/{}/services/{}/consumerQuotaMetrics", project, service, NULL);
	url_param(&t->list.call.url, "view", "FULL");
	t->list.on_page = on_page;
	t->deliver = deliver;
	return gcp_typed_start(t, e);
}
