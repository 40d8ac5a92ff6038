/* Cloud Quotas v1: quotaInfos. Each lists its values from the most specific to the most
 * general: a zone with a value, a zone whose empty details mean 0, and at last a value without
 * dimensions, the default of all locations that were not named (Cloud Quotas REST reference,
 * DimensionsInfo). */
#include "gcp/quota/internal.h"

#include "base/str.h"

/* A limit of 0 is left out, as proto3 does, and so may be the object that would hold it. */
static void read_details(struct dec *d, struct quota_entry *q)
{
	const struct cJSON *details = dec_object(d, "details");
	struct dec dd;

	q->is_default = !*q->location && str_eq(q->dimensions, "{}");
	q->value = 0;
	if (d->code != E_OK || !details)
		return;
	dd = dec_begin(details, d->a, d->e);
	q->value = dec_i64(&dd, "value");
	d->code = dd.code;
}

static enum err_code put_info(struct gcp_typed *t, const struct cJSON *j, struct err *e)
{
	struct dec d = dec_begin(j, t->arena, e);
	struct quota_limit l = {.read = read_details};

	l.head.quota_id = dec_need(&d, "quotaId");
	l.head.metric = dec_text(&d, "metric");
	l.values = dec_array(&d, "dimensionsInfos");
	if (d.code == E_OK)
		d.code = quota_put(t, &l, e);
	if (d.code != E_OK)
		err_wrap(e, "quota \"%.100s\"", l.head.quota_id);
	return d.code;
}

static enum err_code on_page(struct gcp_list *l, const struct cJSON *page, struct err *e)
{
	return gcp_typed_page(l, page, "quotaInfos", NULL, put_info, e);
}

static GCP_DELIVER(deliver, struct quota_list);

enum err_code cloud_quotas_start(struct gcp *g, const char *project, const char *service,
	struct arena *a, struct quota_list *out, struct err *e)
{
	struct gcp_typed *t = gcp_typed_new(g, GCP_CLOUDQUOTAS, project, "list quotas", a,
		&out->r, sizeof(struct quota_entry));

	gcp_url(g, &t->list.call.url, GCP_CLOUDQUOTAS,
		"/projects/{}/locations/global/services/{}/quotaInfos", project, service,
		NULL);
	t->list.on_page = on_page;
	t->deliver = deliver;
	return gcp_typed_start(t, e);
}
