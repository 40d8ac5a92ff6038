#include "gcp/quota/compute.h"

#include "base/str.h"
#include "gcp/compute/aggregated.h"
#include "gcp/decode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* No quota is that large: a limit that is means none. Just below 2^53, from where on doubles
 * have gaps and their text is not exact either. */
#define UNLIMITED INT64_C(9000000000000000)

/* ---- numbers ------------------------------------------------------------- */

/* Quotas are doubles, "96.0", and whole in fact but for some sums of sizes. False: it is no
 * number. */
static bool read_double(const struct cJSON *j, double *out)
{
	const char *text = json_text(j, NULL);
	struct sbuf b = SBUF_INIT;
	bool decimal;
	char *end;

	if (!text) {
		json_print(&b, j);
		text = b.s;
	}
	*out = strtod(text, &end);
	/* strtod takes more than decimals: blanks before them, hexadecimals, words */
	decimal = *text && !*end && !text[strspn(text, "+-.0123456789eE")];
	if (str_eq(text, "Infinity"))
		decimal = true; /* as protocol buffers write it, for want of a number */
	sbuf_done(&b);
	return decimal;
}

/* Rounded to the careful side, and beyond 64 bits to the nearest that there is. */
static int64_t whole(struct dec *d, const char *key, bool up)
{
	const struct cJSON *j = d->code == E_OK ? json_get(d->obj, key) : NULL;
	int64_t exact;
	double v;

	if (!j)
		return 0;
	if (json_get_i64(d->obj, key, &exact, NULL) == E_OK)
		return exact;
	if (!read_double(j, &v)) {
		dec_fail(d, key, "it is no number");
		return 0;
	}
	v = up ? ceil(v) : floor(v);
	if (v >= 0x1p63)
		return INT64_MAX;
	return v < -0x1p63 ? INT64_MIN : (int64_t)v;
}

/* ---- quotas -------------------------------------------------------------- */

/* Metrics become parts of keys and of commands to run. */
static const char *read_metric(struct dec *d)
{
	const char *metric = dec_need(d, "metric");

	if (d->code == E_OK && gcp_name_valid(metric))
		return metric;
	dec_fail(d, "metric", "it is no name of a quota");
	return "";
}

static enum err_code put_quota(
	struct gcp_typed *t, const struct cJSON *j, const char *location, struct err *e)
{
	struct dec d = dec_begin(j, t->arena, e);
	struct gce_quota q = {.metric = read_metric(&d), .location = location};

	q.limit = whole(&d, "limit", false);
	q.used = whole(&d, "usage", true);
	if (q.limit < 0 || q.limit >= UNLIMITED)
		q.limit = -1;
	if (q.used < 0)
		dec_fail(&d, "usage", "it is negative");
	if (d.code != E_OK)
		return *q.metric ? err_wrap(e, "quota \"%.60s\"", q.metric) : d.code;
	memcpy(gcp_typed_slot(t, arena_printf(t->arena, "%s %s", q.metric, location)), &q,
		sizeof(q));
	return E_OK;
}

static enum err_code put_quotas(struct gcp_typed *t, const struct cJSON *holder,
	const char *location, struct err *e)
{
	struct dec d = dec_begin(holder, t->arena, e);
	const struct cJSON *list = dec_array(&d, "quotas");

	if (!list || json_get(holder, "quotaStatusWarning"))
		gcp_typed_incomplete(t, location);
	JSON_EACH (j, list)
		if (d.code == E_OK)
			d.code = put_quota(t, j, location, e);
	if (d.code != E_OK)
		err_wrap(e, "%s", location);
	return d.code;
}

static enum err_code on_project(struct gcp_list *l, const struct cJSON *page, struct err *e)
{
	if (!json_get(page, "name"))
		return err_set(e, E_DATA, "it is no project");
	return put_quotas(l->ctx, page, "global", e);
}

static enum err_code put_region(struct gcp_typed *t, const struct cJSON *j, struct err *e)
{
	struct dec d = dec_begin(j, t->arena, e);
	const char *name = dec_name(&d, "name");

	return d.code == E_OK ? put_quotas(t, j, name, e) : d.code;
}

static enum err_code on_regions(struct gcp_list *l, const struct cJSON *page, struct err *e)
{
	if (gce_incomplete(page)) /* which regions are missing is not said */
		gcp_typed_incomplete(l->ctx, "regions");
	return gcp_typed_page(l, page, "items", "list of regions", put_region, e);
}

static GCP_DELIVER(deliver, struct gce_quotas);

static struct gcp_typed *new_list(struct gcp *g, const char *project, const char *what,
	const char *path, struct arena *a, struct gce_quotas *out)
{
	struct gcp_typed *t = gcp_typed_new(
		g, GCP_COMPUTE, project, what, a, &out->r, sizeof(struct gce_quota));

	gcp_url(g, &t->list.call.url, GCP_COMPUTE, path, project, NULL);
	t->deliver = deliver;
	return t;
}

enum err_code gce_project_quotas_start(struct gcp *g, const char *project, struct arena *a,
	struct gce_quotas *out, struct err *e)
{
	struct gcp_typed *t = new_list(
		g, project, "get project quotas", "/projects/{}", a, out);

	t->list.size_param = NULL;
	t->list.on_page = on_project;
	return gcp_typed_start(t, e);
}

enum err_code gce_region_quotas_start(struct gcp *g, const char *project, struct arena *a,
	struct gce_quotas *out, struct err *e)
{
	struct gcp_typed *t = new_list(
		g, project, "list regional quotas", "/projects/{}/regions", a, out);

	t->list.size_param = "maxResults";
	t->list.on_page = on_regions;
	return gcp_typed_start(t, e);
}
