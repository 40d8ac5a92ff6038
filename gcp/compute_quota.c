#include "gcp/compute_quota.h"

#include "base/money.h"
#include "base/str.h"
#include "gcp/decode.h"
#include "gcp/list.h"

#include <string.h>

#define UNLIMITED INT64_C(9007199254740992) /* 2^53: Google's doubles say it so */

/* Quotas are doubles, "96.0"; whole numbers in fact, but for some sums of sizes. */
static int64_t whole(struct dec *d, const char *key, bool up)
{
	const struct cJSON *j = json_get(d->obj, key);
	int64_t nanos, v;

	if (d->code != E_OK || !j)
		return 0;
	d->code = json_nanos(j, &nanos, d->e);
	if (d->code == E_OVERFLOW) { /* beyond nine billion: as good as none */
		d->code = E_OK;
		err_clear(d->e);
		return UNLIMITED;
	}
	if (d->code != E_OK) {
		err_wrap(d->e, "field \"%s\"", key);
		return 0;
	}
	v = nanos / NANOS;
	return up && nanos % NANOS > 0 ? v + 1 : v;
}

static enum err_code put_quota(
	struct gcp_typed *t, const struct cJSON *j, const char *location, struct err *e)
{
	struct dec d = dec_begin(j, t->arena, e);
	struct gce_quota q = {.metric = dec_need(&d, "metric"), .location = location};

	q.limit = whole(&d, "limit", false);
	q.used = whole(&d, "usage", true);
	if (q.limit < 0 || q.limit >= UNLIMITED)
		q.limit = -1;
	if (d.code == E_OK && (q.used < 0 || q.used >= UNLIMITED))
		dec_fail(&d, "usage", "it is out of range");
	if (d.code == E_OK)
		memcpy(gcp_typed_slot(
			       t, arena_printf(t->arena, "%s %s", q.metric, location)),
			&q, sizeof(q));
	return d.code;
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

static enum err_code on_regions(struct gcp_list *l, const struct cJSON *page, struct err *e)
{
	struct gcp_typed *t = l->ctx;
	struct dec d = dec_begin(page, t->arena, e);
	const struct cJSON *items = dec_array(&d, "items");

	if (d.code == E_OK && !items && !json_get(page, "kind"))
		return err_set(e, E_DATA, "it is no list of regions");
	JSON_EACH (j, items) {
		struct dec one = dec_begin(j, t->arena, e);
		const char *name = dec_name(&one, "name");

		if (d.code == E_OK)
			d.code = one.code != E_OK ? one.code : put_quotas(t, j, name, e);
	}
	return d.code;
}

static void deliver(struct gcp_typed *t)
{
	struct gce_quotas *out = (struct gce_quotas *)t->result;

	out->v = t->items;
	out->n = t->n;
}

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
