/* Quotas of Compute Engine. */
#include "gcp/quota/quota.h"

#include "base/str.h"
#include "gcp/compute/compute.h"
#include "gcp/decode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Limit that means unlimited: no quota is that large. Just below 2^53, from which on doubles have
 * gaps and their text is not exact. */
#define UNLIMITED INT64_C(9000000000000000)

/* ---- numbers ------------------------------------------------------------- */

/* Quotas are doubles, "96.0", and integers except some sums of sizes. They are rounded to the safe
 * side, and beyond 64 bits to the nearest representable value. */
static int64_t gce_whole(struct dec *d, const char *key, bool up)
{
	const struct cJSON *j = d->code == E_OK ? json_get(d->obj, key) : NULL;
	int64_t exact;
	double v;

	if (!j)
		return 0;
	if (json_get_i64(d->obj, key, &exact, NULL) == E_OK)
		return exact;
	if (!dec_double(j, &v)) {
		dec_fail(d, key, "not a number");
		return 0;
	}
	v = up ? ceil(v) : floor(v);
	if (v >= 0x1p63)
		return INT64_MAX;
	return v < -0x1p63 ? INT64_MIN : (int64_t)v;
}

/* ---- quotas -------------------------------------------------------------- */

/* Metrics become parts of keys and of suggested commands. */
static const char *gce_read_metric(struct dec *d)
{
	const char *metric = dec_need(d, "metric");

	if (d->code == E_OK && gcp_name_valid(metric))
		return metric;
	dec_fail(d, "metric", "not a valid quota name");
	return "";
}

static enum err_code gce_put_quota(
	struct gcp_typed *t, const struct cJSON *j, const char *location, struct err *e)
{
	struct dec d = dec_begin(j, t->arena, e);
	struct gce_quota q = {.metric = gce_read_metric(&d), .location = location};

	q.limit = gce_whole(&d, "limit", false);
	q.used = gce_whole(&d, "usage", true);
	if (q.limit < 0 || q.limit >= UNLIMITED)
		q.limit = -1;
	if (q.used < 0)
		dec_fail(&d, "usage", "negative");
	if (d.code != E_OK)
		return *q.metric ? err_wrap(e, "quota '%.60s'", q.metric) : d.code;
	memcpy(gcp_typed_slot(t, arena_printf(t->arena, "%s %s", q.metric, location)), &q,
		sizeof(q));
	return E_OK;
}

static enum err_code gce_put_quotas(struct gcp_typed *t, const struct cJSON *holder,
	const char *location, struct err *e)
{
	struct dec d = dec_begin(holder, t->arena, e);
	const struct cJSON *list = dec_array(&d, "quotas");

	if (!list || json_get(holder, "quotaStatusWarning"))
		gcp_typed_incomplete(t, location);
	JSON_EACH (j, list)
		if (d.code == E_OK)
			d.code = gce_put_quota(t, j, location, e);
	if (d.code != E_OK)
		err_wrap(e, "%s", location);
	return d.code;
}

static enum err_code gce_project_page(
	struct gcp_typed *t, const struct cJSON *page, struct err *e)
{
	if (!json_get(page, "name"))
		return err_set(e, E_DATA, "not a project");
	return gce_put_quotas(t, page, "global", e);
}

static enum err_code gce_put_region(
	struct gcp_typed *t, const struct cJSON *j, struct err *e)
{
	struct dec d = dec_begin(j, t->arena, e);
	const char *name = dec_name(&d, "name");

	return d.code == E_OK ? gce_put_quotas(t, j, name, e) : d.code;
}

static enum err_code gce_regions_page(
	struct gcp_typed *t, const struct cJSON *page, struct err *e)
{
	if (gce_incomplete(page)) /* the missing regions are not named */
		gcp_typed_incomplete(t, "regions");
	return gcp_typed_page(t, page, e);
}

const struct gcp_listing gce_project_quota_listing = {
	.api = GCP_COMPUTE,
	.what = "get project quotas",
	.path = "/projects/{}",
	.size_param = "",
	.size = sizeof(struct gce_quota),
	.page = gce_project_page,
};

const struct gcp_listing gce_region_quota_listing = {
	.api = GCP_COMPUTE,
	.what = "list regional quotas",
	.path = "/projects/{}/regions",
	.size_param = "maxResults",
	.items = "items",
	.page_is = "list of regions",
	.size = sizeof(struct gce_quota),
	.put = gce_put_region,
	.page = gce_regions_page,
};
