/* Cloud Quotas v1: quotaInfos, which hold limits by zone, region or TPU family and no usage; and the same limits as
 * Service Usage v1beta1 tells them. After the REST references of both. */
#include "tests/sandbox/sandbox.h"

#include <string.h>

static const struct project *project_of(const struct request *q, struct response *r)
{
	const struct project *p = world_project(q->w, q->seg[2]);

	if (!p)
		respond_rpc(
			r, 403, "PERMISSION_DENIED", "The caller does not have permission");
	return p;
}

static bool is_of(const struct limit *x, const struct project *p, const char *service)
{
	return !strcmp(x->project, p->id) && !strcmp(x->service, service);
}

static const char *place_of(const struct limit *x)
{
	return x->zone ? x->zone : x->region;
}

static void write_dimensions(struct jw *w, const struct limit *x)
{
	if (!place_of(x) && !x->tpu_family)
		return;
	jw_key(w, "dimensions");
	jw_begin(w, '{');
	if (place_of(x))
		jw_kstr(w, x->zone ? "zone" : "region", place_of(x));
	if (x->tpu_family)
		jw_kstr(w, "tpu_family", x->tpu_family);
	jw_end(w, '}');
}

static void write_limit(const struct limit *x, struct jw *w)
{
	jw_begin(w, '{');
	write_dimensions(w, x);
	jw_key(w, "details");
	jw_begin(w, '{');
	if (strcmp(x->value, "0") != 0)
		jw_kstr(w, "value", x->value);
	jw_end(w, '}');
	jw_key(w, "applicableLocations");
	jw_begin(w, '[');
	if (place_of(x))
		jw_str(w, place_of(x));
	for (size_t i = 0; i < x->locations.n; i++)
		jw_str(w, x->locations.v[i]);
	jw_end(w, ']');
	jw_end(w, '}');
}

/* The most specific come first: of a family in a place, of a family, of a place, of neither. */
static int rank_of(const struct limit *x)
{
	return (x->tpu_family ? 0 : 2) + (place_of(x) ? 0 : 1);
}

/* What the limits of the quota depend on, as its name says: by zone if it names neither. */
static const char *dimensions_of(const char *quota)
{
	bool family = strstr(quota, "FAMILY") != NULL;

	if (strstr(quota, "region") || strstr(quota, "Region"))
		return family ? "[\"region\",\"tpu_family\"]" : "[\"region\"]";
	return "[\"zone\"]";
}

/* All limits of the quota that `first` is the first one of, most specific ones first. */
static void write_info(const struct request *q, struct jw *w, const struct project *p,
	const struct limit *first)
{
	jw_begin(w, '{');
	jw_kstr(w, "name",
		arena_printf(q->a, "projects/%s/locations/global/services/%s/quotaInfos/%s",
			p->number, first->service, first->quota));
	jw_kstr(w, "quotaId", first->quota);
	jw_kstr(w, "metric", first->metric);
	jw_kstr(w, "service", first->service);
	jw_key(w, "isPrecise");
	jw_bool(w, true);
	jw_kstr(w, "containerType", "PROJECT");
	jw_key(w, "dimensions");
	jw_raw(w, dimensions_of(first->quota));
	jw_kstr(w, "metricUnit", "1");
	jw_key(w, "dimensionsInfos");
	jw_begin(w, '[');
	for (int rank = 0; rank < 4; rank++)
		for (size_t i = 0; i < q->w->n_limits; i++) {
			const struct limit *x = &q->w->limits[i];

			if (is_of(x, p, first->service) && rank_of(x) == rank &&
				!strcmp(x->quota, first->quota))
				write_limit(x, w);
		}
	jw_end(w, ']');
	jw_end(w, '}');
}

/* Is there none of the same quota before it? */
static bool is_first(
	const struct request *q, const struct project *p, const char *service, size_t at)
{
	const struct limit *x = &q->w->limits[at];

	for (size_t i = 0; i < at; i++)
		if (is_of(&q->w->limits[i], p, x->service) &&
			!strcmp(q->w->limits[i].quota, x->quota))
			return false;
	return is_of(x, p, service);
}

void serve_quota_infos(const struct request *q, struct response *r)
{
	const struct project *p = project_of(q, r);
	size_t from, to, number = 0;
	struct jw w = {.b = &r->body};

	if (!p || !page_read(q, r, &from, &to))
		return;
	jw_begin(&w, '{');
	jw_key(&w, "quotaInfos");
	jw_begin(&w, '[');
	for (size_t i = 0; i < q->w->n_limits; i++)
		if (is_first(q, p, q->seg[6], i) && number++ >= from && number <= to)
			write_info(q, &w, p, &q->w->limits[i]);
	jw_end(&w, ']');
	if (number > to)
		jw_kstr(&w, "nextPageToken", page_token(q, to));
	jw_end(&w, '}');
}

void serve_quota_info(const struct request *q, struct response *r)
{
	const struct project *p = project_of(q, r);
	struct jw w = {.b = &r->body};

	if (!p)
		return;
	for (size_t i = 0; i < q->w->n_limits; i++) {
		if (!is_first(q, p, q->seg[6], i) ||
			strcmp(q->w->limits[i].quota, q->seg[8]) != 0)
			continue;
		write_info(q, &w, p, &q->w->limits[i]);
		return;
	}
	respond_rpc(r, 404, "NOT_FOUND",
		arena_printf(q->a, "Quota '%s' was not found.", q->seg[8]));
}

/* ---- Service Usage ----------------------------------------------------------------------------- */

#define USAGE_SERVICE "serviceusage.googleapis.com"

/* The project, unless it is not there or has not enabled this API. */
static const struct project *usage_project(const struct request *q, struct response *r)
{
	const struct project *p = project_of(q, r);

	for (size_t i = 0; p && i < p->disabled.n; i++)
		if (!strcmp(p->disabled.v[i], "serviceusage")) {
			respond_disabled(r, p, USAGE_SERVICE);
			return NULL;
		}
	return p;
}

/* What is 0 is left out, as everywhere. */
static void write_bucket(struct jw *w, const char *value, const char *standard,
	const struct limit *of, bool granted)
{
	jw_begin(w, '{');
	if (strcmp(value, "0") != 0)
		jw_kstr(w, "effectiveLimit", value);
	if (strcmp(standard, "0") != 0)
		jw_kstr(w, "defaultLimit", standard);
	if (granted) {
		jw_key(w, "producerOverride");
		jw_begin(w, '{');
		jw_kstr(w, "overrideValue", value);
		jw_end(w, '}');
	}
	if (of)
		write_dimensions(w, of);
	jw_end(w, '}');
}

/* The limits of one quota, and the value where it has no zone. */
struct usage_limit {
	const struct limit *of[256];
	size_t n;
	const struct limit *standard; /* NULL: 0 */
};

static struct usage_limit collect_limit(
	const struct request *q, const struct project *p, const struct limit *first)
{
	struct usage_limit l = {0};

	for (size_t i = 0; i < q->w->n_limits && l.n < ARRAY_LEN(l.of); i++) {
		const struct limit *x = &q->w->limits[i];

		if (!is_of(x, p, first->service) || strcmp(x->quota, first->quota) != 0)
			continue;
		l.of[l.n++] = x;
		if (rank_of(x) == 3 && !l.standard)
			l.standard = x;
	}
	return l;
}

/* The least specific bucket first. BASIC shows what differs from it by a grant only. */
static void write_buckets(struct jw *w, const struct usage_limit *l, bool full)
{
	const char *standard = l->standard ? l->standard->value : "0";

	jw_key(w, "quotaBuckets");
	jw_begin(w, '[');
	write_bucket(w, standard, standard, NULL, false);
	for (size_t i = 0; i < l->n; i++) {
		const struct limit *x = l->of[i];

		if (rank_of(x) < 3)
			write_bucket(w, x->value, standard, x, true);
		/* A second default is one of some zones. */
		else if (x != l->standard && full)
			for (size_t k = 0; k < x->locations.n; k++)
				write_bucket(w, x->value, x->value,
					&(struct limit){.zone = x->locations.v[k]}, false);
	}
	jw_end(w, ']');
}

static void write_supported(struct jw *w, const struct usage_limit *l)
{
	jw_key(w, "supportedLocations");
	jw_begin(w, '[');
	for (size_t i = 0; i < l->n; i++) {
		if (place_of(l->of[i]))
			jw_str(w, place_of(l->of[i]));
		for (size_t k = 0; k < l->of[i]->locations.n; k++)
			jw_str(w, l->of[i]->locations.v[k]);
	}
	jw_end(w, ']');
}

static void write_consumer_metric(const struct request *q, struct jw *w,
	const struct project *p, const struct limit *first, bool full)
{
	struct usage_limit l = collect_limit(q, p, first);
	struct sbuf name = SBUF_INIT;

	sbuf_addf(&name, "projects/%s/services/%s/consumerQuotaMetrics/", p->number,
		first->service);
	sbuf_add_url(&name, first->metric);
	jw_begin(w, '{');
	jw_kstr(w, "name", name.s);
	jw_kstr(w, "metric", first->metric);
	jw_kstr(w, "unit", "1");
	jw_key(w, "consumerQuotaLimits");
	jw_begin(w, '[');
	jw_begin(w, '{');
	sbuf_addf(&name, "/limits/%%2Fproject%%2F%s", first->region ? "region" : "zone");
	jw_kstr(w, "name", name.s);
	jw_kstr(w, "metric", first->metric);
	jw_kstr(w, "unit", first->region ? "1/{project}/{region}" : "1/{project}/{zone}");
	jw_key(w, "isPrecise");
	jw_bool(w, true);
	write_buckets(w, &l, full);
	write_supported(w, &l);
	jw_end(w, '}');
	jw_end(w, ']');
	jw_end(w, '}');
	sbuf_done(&name);
}

void serve_consumer_quotas(const struct request *q, struct response *r)
{
	const struct project *p = usage_project(q, r);
	const char *view = q->param(q, "view");
	size_t from, to, number = 0;
	struct jw w = {.b = &r->body};

	if (!p || !page_read(q, r, &from, &to))
		return;
	if (view && strcmp(view, "FULL") != 0 && strcmp(view, "BASIC") != 0) {
		respond_rpc(r, 400, "INVALID_ARGUMENT", "Invalid value at 'view'.");
		return;
	}
	jw_begin(&w, '{');
	for (size_t i = 0; i < q->w->n_limits; i++) {
		if (!is_first(q, p, q->seg[4], i) || number++ < from || number > to)
			continue;
		if (number == from + 1) {
			jw_key(&w, "metrics");
			jw_begin(&w, '[');
		}
		write_consumer_metric(q, &w, p, &q->w->limits[i], view && *view == 'F');
	}
	if (number > from)
		jw_end(&w, ']');
	if (number > to)
		jw_kstr(&w, "nextPageToken", page_token(q, to));
	jw_end(&w, '}');
}
