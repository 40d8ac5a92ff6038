/* Tests of the APIs that must be enabled. */
#include "gcp/access/iam.h"

#include "base/time/civil.h"
#include "base/url/url.h"
#include "gcp/call.h"

static const struct {
	enum gcp_api api;
	const char *path, *size; /* parameter that limits the items of a page */
	const char *missing;
} apis[] = {
	{GCP_COMPUTE, "/projects/{}/regions", "maxResults", "VMs, disks and addresses"},
	{GCP_TPU, "/projects/{}/locations", "pageSize", "TPUs"},
	{GCP_MONITORING, "/projects/{}/timeSeries", "pageSize", "metrics"},
	{GCP_CLOUDQUOTAS, "/projects/{}/locations/global/services/{}/quotaInfos",
		"pageSize", "quotas"},
	{GCP_CLOUDBILLING, "/projects/{}/billingInfo", NULL, "billing accounts"},
	{GCP_STORAGE, "/b", "maxResults", "buckets"},
};

static void apis_answered(struct gcp_call *c)
{
	struct api_test *t = c->ctx;

	t->code = c->code;
	t->err = c->err;
}

static enum err_code apis_start(struct gcp *g, size_t i, ts_t now, struct gcp_call *c,
	struct api_test *t, struct err *e)
{
	char at[RFC3339_BUF];

	gcp_call_init(c, g, apis[i].api, t->project, "test the API");
	gcp_url(g, &c->url, apis[i].api, apis[i].path, t->project, gcp_service(GCP_COMPUTE),
		NULL);
	if (apis[i].size)
		url_param(&c->url, apis[i].size, "1");
	if (apis[i].api == GCP_STORAGE)
		url_param(&c->url, "project", t->project);
	if (apis[i].api == GCP_MONITORING) {
		url_param(&c->url, "filter",
			"metric.type = "
			"\"compute.googleapis.com/instance/cpu/utilization\"");
		url_param(&c->url, "interval.startTime", rfc3339_format(now - 60, at));
		url_param(&c->url, "interval.endTime", rfc3339_format(now, at));
		url_param(&c->url, "view", "HEADERS");
	}
	c->done = apis_answered;
	c->ctx = t;
	return gcp_call_start(c, e);
}

enum err_code apis_test(struct gcp *g, const char *const *projects, size_t n, ts_t now,
	struct arena *a, struct api_test **out, size_t *n_out, struct err *e)
{
	size_t all = n * ARRAY_LEN(apis), started = 0;
	struct gcp_call *calls = arena_alloc(a, (all + 1) * sizeof(*calls));
	struct api_test *v = arena_alloc(a, (all + 1) * sizeof(*v));
	enum err_code rc = E_OK;

	for (size_t i = 0; i < all && !rc; i++) {
		size_t k = i % ARRAY_LEN(apis);

		v[i] = (struct api_test){.project = projects[i / ARRAY_LEN(apis)],
			.service = gcp_service(apis[k].api),
			.missing = apis[k].missing};
		rc = apis_start(g, k, now, &calls[i], &v[i], e);
		started++;
	}
	if (started) {
		enum err_code ran = gcp_run(g, rc ? NULL : e);

		rc = rc ? rc : ran;
	}
	for (size_t i = 0; i < started; i++)
		gcp_call_free(&calls[i]);
	*out = v;
	*n_out = all;
	return rc;
}
