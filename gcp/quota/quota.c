#include "gcp/quota/quota.h"

#include "base/str.h"
#include "gcp/decode.h"

#include <string.h>

#define MAX_ENTRIES 200000
#define MAX_DIMENSIONS 16
#define MAX_COMPUTE_PAGES 100

/* One limit, and the reader of its values. */
struct quota_limit {
	struct quota_entry head;    /* members shared by all entries of the limit */
	const struct cJSON *values; /* objects with `dimensions` */
	const struct cJSON *places; /* locations of values without one; or NULL */
	/* Sets value and is_default; location and dimensions are already set. */
	void (*read)(struct dec *d, struct quota_entry *q);
};

/* Dimensions that are a location; if a value has several, the first of these. */
static const char *const place_keys[] = {"zone", "region", "location"};

static const struct cJSON *quota_find_place(const struct cJSON *dims)
{
	const struct cJSON *found = NULL;

	for (size_t i = 0; i < ARRAY_LEN(place_keys) && !found; i++)
		found = json_get(dims, place_keys[i]);
	return found;
}

/* All dimensions except `place` as a JSON object with sorted keys. */
static const char *quota_read_others(
	struct dec *d, const struct cJSON *dims, const struct cJSON *place)
{
	struct dec_pair others[MAX_DIMENSIONS];
	size_t n = 0;

	if (json_len(dims) > MAX_DIMENSIONS) {
		dec_fail(d, "dimensions", "too many");
		return "{}";
	}
	JSON_EACH (m, dims) {
		if (!json_is_string(m))
			dec_fail(d, "dimensions", "a value is not a string");
		if (m != place)
			others[n++] = (struct dec_pair){json_key(m), json_text(m, "")};
	}
	return dec_pairs_text(d->a, others, n);
}

static void quota_read_dimensions(struct dec *d, struct quota_entry *q)
{
	const struct cJSON *dims = dec_object(d, "dimensions");
	const struct cJSON *place = quota_find_place(dims);

	q->dimensions = quota_read_others(d, dims, place);
	q->location = place ? arena_strdup(d->a, json_text(place, "")) : "";
	if (place && !gcp_name_valid(q->location))
		dec_fail(d, "dimensions", "the location is empty");
}

static void quota_put_entry(struct gcp_typed *t, const struct quota_entry *q, struct dec *d)
{
	const char *key = arena_printf(t->arena, "%s %s %s %s", q->quota_id, q->metric,
		q->location, q->dimensions);

	if (d->code != E_OK || strmap_get(&t->seen, key))
		return;
	if (t->n >= MAX_ENTRIES)
		d->code = err_set(d->e, E_LIMIT, "more than %d limits", MAX_ENTRIES);
	else
		memcpy(gcp_typed_slot(t, key), q, sizeof(*q));
}

/* A value without a location applies to each listed one, or everywhere. */
static void quota_put_everywhere(struct gcp_typed *t, struct quota_entry *q,
	const struct cJSON *places, struct dec *d)
{
	if (!json_first(places)) {
		q->location = "global";
		quota_put_entry(t, q, d);
	}
	JSON_EACH (j, places) {
		const char *place = json_text(j, "");

		if (!gcp_name_valid(place))
			dec_fail(d, "applicableLocations", "the location is empty");
		if (d->code != E_OK)
			return;
		q->location = arena_strdup(t->arena, place);
		quota_put_entry(t, q, d);
	}
}

static enum err_code quota_put_value(struct gcp_typed *t, const struct quota_limit *l,
	const struct cJSON *j, struct err *e)
{
	struct dec d = dec_begin(j, t->arena, e);
	const struct cJSON *places = dec_array(&d, "applicableLocations");
	struct quota_entry q = l->head;

	quota_read_dimensions(&d, &q);
	l->read(&d, &q);
	if (d.code == E_OK && q.value < -1)
		d.code = err_set(e, E_DATA, "a limit of %lld", (long long)q.value);
	if (d.code != E_OK)
		return d.code;
	if (*q.location)
		quota_put_entry(t, &q, &d);
	else
		quota_put_everywhere(t, &q, places ? places : l->places, &d);
	return d.code;
}

/* Stores an entry for each location of each value: values with a location precede those that apply
 * to several. The first entry for a quota, location and dimensions stays. */
static enum err_code quota_put(
	struct gcp_typed *t, const struct quota_limit *l, struct err *e)
{
	for (int pass = 0; pass < 2; pass++)
		JSON_EACH (j, l->values) {
			bool has_place = quota_find_place(json_get(j, "dimensions")) !=
				NULL;
			enum err_code rc = E_OK;

			if (has_place == !pass)
				rc = quota_put_value(t, l, j, e);
			if (rc != E_OK)
				return rc;
		}
	return E_OK;
}

/* ---- Cloud Quotas v1 ------------------------------------------------------- */

/* quotaInfos. Each lists its values from the most specific to the most general: a zone with a
 * value, a zone whose empty details mean 0, and at last a value without dimensions, the default of
 * all other locations (Cloud Quotas REST reference, DimensionsInfo).
 *
 * A limit of 0 is omitted, according to proto3, and the object around it may be omitted too. */
static void quota_read_details(struct dec *d, struct quota_entry *q)
{
	struct dec details = dec_enter(d, "details");

	q->is_default = !*q->location && str_eq(q->dimensions, "{}");
	q->value = dec_i64(&details, "value");
	dec_leave(d, &details);
}

static enum err_code quota_put_info(
	struct gcp_typed *t, const struct cJSON *j, struct err *e)
{
	struct dec d = dec_begin(j, t->arena, e);
	struct quota_limit l = {.read = quota_read_details};

	l.head.quota_id = dec_need(&d, "quotaId");
	l.head.metric = dec_text(&d, "metric");
	l.values = dec_array(&d, "dimensionsInfos");
	if (d.code == E_OK)
		d.code = quota_put(t, &l, e);
	if (d.code != E_OK)
		err_wrap(e, "quota '%.100s'", l.head.quota_id);
	return d.code;
}

const struct gcp_listing cloud_quota_listing = {
	.api = GCP_CLOUDQUOTAS,
	.what = "list quotas",
	.path = "/projects/{}/locations/global/services/{}/quotaInfos",
	.items = "quotaInfos",
	.size = sizeof(struct quota_entry),
	.put = quota_put_info,
};

/* Compute Engine has a thousand quotas: those of other resources are discarded page by page. */
static bool quota_is_other(const struct cJSON *j, const char *key)
{
	return !strcasestr(json_text(json_get(j, key), "tpu"), "tpu");
}

static enum err_code quota_put_tpu_info(
	struct gcp_typed *t, const struct cJSON *j, struct err *e)
{
	return quota_is_other(j, "quotaId") ? E_OK : quota_put_info(t, j, e);
}

const struct gcp_listing compute_tpu_quota_listing = {
	.api = GCP_CLOUDQUOTAS,
	.what = "list quotas",
	.path = "/projects/{}/locations/global/services/{}/quotaInfos",
	.max_pages = MAX_COMPUTE_PAGES,
	.items = "quotaInfos",
	.size = sizeof(struct quota_entry),
	.put = quota_put_tpu_info,
};

/* ---- Service Usage v1beta1 ------------------------------------------------- */

/* consumerQuotaMetrics. Each metric has limits, each limit has buckets: the first, without
 * dimensions, is the default, the others are exceptions. The default applies to the other locations
 * of the limit (Service Usage REST reference, QuotaBucket). */

/* Members that replace the service's default limit. */
static const char *const quota_overrides[] = {
	"producerOverride", "producerQuotaPolicy", "adminOverride", "consumerOverride"};

static void quota_read_bucket(struct dec *d, struct quota_entry *q)
{
	q->value = dec_i64(d, "effectiveLimit");
	q->is_default = true;
	for (size_t i = 0; i < ARRAY_LEN(quota_overrides); i++)
		if (json_get(d->obj, quota_overrides[i]))
			q->is_default = false;
}

static enum err_code quota_put_limit(struct gcp_typed *t, const struct cJSON *j,
	const struct quota_entry *metric, struct err *e)
{
	struct dec d = dec_begin(j, t->arena, e);
	struct quota_limit l = {.head = *metric, .read = quota_read_bucket};

	l.head.quota_id = str_after_last(dec_need(&d, "name"), '/');
	l.values = dec_array(&d, "quotaBuckets");
	l.places = dec_array(&d, "supportedLocations");
	return d.code == E_OK ? quota_put(t, &l, e) : d.code;
}

static enum err_code quota_put_metric(
	struct gcp_typed *t, const struct cJSON *j, struct err *e)
{
	struct dec d = dec_begin(j, t->arena, e);
	const struct cJSON *limits = dec_array(&d, "consumerQuotaLimits");
	struct quota_entry metric = {0};

	metric.metric = dec_need(&d, "metric");
	JSON_EACH (l, limits)
		if (d.code == E_OK)
			d.code = quota_put_limit(t, l, &metric, e);
	if (d.code != E_OK)
		err_wrap(e, "metric '%.100s'", metric.metric);
	return d.code;
}

const struct gcp_listing service_usage_quota_listing = {
	.api = GCP_SERVICEUSAGE,
	.what = "list quotas",
	.path = "/projects/{}/services/{}/consumerQuotaMetrics",
	.param = "view",
	.value = "FULL",
	.items = "metrics",
	.size = sizeof(struct quota_entry),
	.put = quota_put_metric,
};

static enum err_code quota_put_tpu_metric(
	struct gcp_typed *t, const struct cJSON *j, struct err *e)
{
	return quota_is_other(j, "metric") ? E_OK : quota_put_metric(t, j, e);
}

const struct gcp_listing service_usage_tpu_listing = {
	.api = GCP_SERVICEUSAGE,
	.what = "list quotas",
	.path = "/projects/{}/services/{}/consumerQuotaMetrics",
	.param = "view",
	.value = "FULL",
	.max_pages = MAX_COMPUTE_PAGES,
	.items = "metrics",
	.size = sizeof(struct quota_entry),
	.put = quota_put_tpu_metric,
};
