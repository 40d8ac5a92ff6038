/* Cloud Quotas v1: quotaInfos. Each lists its values from the most specific to the most
 * general: a zone with a value, a zone whose empty details mean 0, and at last a value without
 * dimensions, the default of all locations that were not named (Cloud Quotas REST reference,
 * DimensionsInfo). */
#include "gcp/quota.h"

#include "base/str.h"
#include "gcp/decode.h"
#include "gcp/list.h"

#include <string.h>

#define MAX_ENTRIES 200000

static bool is_place(const char *key)
{
	return str_eq(key, "zone") || str_eq(key, "region") || str_eq(key, "location");
}

const char *quota_location(struct dec *d, const char **others)
{
	const struct cJSON *dims = dec_object(d, "dimensions");
	const char *place = "";
	struct sbuf rest = SBUF_INIT;
	struct jw w = {.b = &rest};

	*others = "{}";
	if (d->code != E_OK || !dims)
		return "";
	jw_begin(&w, '{');
	JSON_EACH (m, dims) {
		const char *value = json_text(m, NULL);

		if (!value) {
			dec_fail(d, "dimensions", "a value is no text");
			break;
		}
		if (is_place(json_key(m)))
			place = arena_strdup(d->a, value);
		else
			jw_kstr(&w, json_key(m), value);
	}
	jw_end(&w, '}');
	*others = arena_strdup(d->a, rest.s);
	sbuf_done(&rest);
	if (d->code == E_OK && *place && !gcp_name_valid(place))
		dec_fail(d, "dimensions", "it names no location");
	return place;
}

void quota_put(struct gcp_typed *t, const struct quota_entry *q)
{
	const char *key = arena_printf(t->arena, "%s %s %s %s", q->quota_id, q->metric,
		q->location, q->dimensions);

	if (!strmap_get(&t->seen, key))
		memcpy(gcp_typed_slot(t, key), q, sizeof(*q));
}

void quota_deliver(struct gcp_typed *t)
{
	struct quota_list *out = (struct quota_list *)t->result;

	out->v = t->items;
	out->n = t->n;
}

/* An entry without a location holds for each that it lists, and for all when it lists none. */
static void put_everywhere(struct gcp_typed *t, struct quota_entry *q,
	const struct cJSON *places, struct dec *d)
{
	if (!json_first(places)) {
		q->location = "global";
		quota_put(t, q);
		return;
	}
	JSON_EACH (j, places) {
		const char *place = json_text(j, "");

		if (!gcp_name_valid(place)) {
			dec_fail(d, "applicableLocations", "it names no location");
			return;
		}
		q->location = arena_strdup(t->arena, place);
		quota_put(t, q);
	}
}

static enum err_code put_value(
	struct gcp_typed *t, const struct cJSON *j, struct quota_entry q, struct err *e)
{
	struct dec d = dec_begin(j, t->arena, e);
	const struct cJSON *details = dec_object(&d, "details");
	const char *place = quota_location(&d, &q.dimensions);
	const struct cJSON *places = dec_array(&d, "applicableLocations");
	struct dec dd = dec_begin(details, t->arena, e);

	/* proto3 leaves 0 out */
	q.value = details ? dec_i64(&dd, "value") : 0;
	if (d.code != E_OK || dd.code != E_OK)
		return d.code != E_OK ? d.code : dd.code;
	q.is_default = !*place && !strcmp(q.dimensions, "{}");
	if (*place) {
		q.location = place;
		quota_put(t, &q);
	} else {
		put_everywhere(t, &q, places, &d);
	}
	if (t->n > MAX_ENTRIES)
		return err_set(e, E_LIMIT, "more than %d limits", MAX_ENTRIES);
	return d.code;
}

static enum err_code put_info(struct gcp_typed *t, const struct cJSON *j, struct err *e)
{
	struct dec d = dec_begin(j, t->arena, e);
	struct quota_entry q = {
		.quota_id = dec_need(&d, "quotaId"), .metric = dec_text(&d, "metric")};
	const struct cJSON *values = dec_array(&d, "dimensionsInfos");

	JSON_EACH (v, values)
		if (d.code == E_OK)
			d.code = put_value(t, v, q, e);
	if (d.code != E_OK)
		err_wrap(e, "quota \"%s\"", q.quota_id ? q.quota_id : "");
	return d.code;
}

static enum err_code on_page(struct gcp_list *l, const struct cJSON *page, struct err *e)
{
	struct gcp_typed *t = l->ctx;
	struct dec d = dec_begin(page, t->arena, e);
	const struct cJSON *items = dec_array(&d, "quotaInfos");

	JSON_EACH (j, items)
		if (d.code == E_OK)
			d.code = put_info(t, j, e);
	return d.code;
}

enum err_code cloud_quotas_start(struct gcp *g, const char *project, const char *service,
	struct arena *a, struct quota_list *out, struct err *e)
{
	struct gcp_typed *t = gcp_typed_new(g, GCP_CLOUDQUOTAS, project, "list quotas", a,
		&out->r, sizeof(struct quota_entry));

	gcp_url(g, &t->list.call.url, GCP_CLOUDQUOTAS,
		"/projects/{}/locations/global/services/{}/quotaInfos", project, service,
		NULL);
	t->list.on_page = on_page;
	t->deliver = quota_deliver;
	return gcp_typed_start(t, e);
}

enum err_code cloud_quotas(struct gcp *g, const char *project, const char *service,
	struct arena *a, struct quota_list *out, struct err *e)
{
	struct quota_list own = {0};
	enum err_code rc = cloud_quotas_start(g, project, service, a, &own, e);

	rc = gcp_typed_wait(g, rc, &own.r, e);
	if (rc == E_OK)
		*out = own;
	return rc;
}
