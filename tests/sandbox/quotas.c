/* Cloud Quotas v1: quotaInfos, which hold limits by zone and no usage. After the Cloud Quotas
 * REST reference. */
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

static void write_limit(const struct limit *x, struct jw *w)
{
	jw_begin(w, '{');
	if (x->zone) {
		jw_key(w, "dimensions");
		jw_begin(w, '{');
		jw_kstr(w, "zone", x->zone);
		jw_end(w, '}');
	}
	jw_key(w, "details");
	jw_begin(w, '{');
	if (strcmp(x->value, "0") != 0)
		jw_kstr(w, "value", x->value);
	jw_end(w, '}');
	jw_key(w, "applicableLocations");
	jw_begin(w, '[');
	if (x->zone)
		jw_str(w, x->zone);
	for (size_t i = 0; i < x->locations.n; i++)
		jw_str(w, x->locations.v[i]);
	jw_end(w, ']');
	jw_end(w, '}');
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
	jw_raw(w, "[\"zone\"]");
	jw_kstr(w, "metricUnit", "1");
	jw_key(w, "dimensionsInfos");
	jw_begin(w, '[');
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < q->w->n_limits; i++) {
			const struct limit *x = &q->w->limits[i];

			if (is_of(x, p, first->service) &&
				(pass ? !x->zone : x->zone != NULL) &&
				!strcmp(x->quota, first->quota))
				write_limit(x, w);
		}
	jw_end(w, ']');
	jw_end(w, '}');
}

/* Is there none of the same quota before it? */
static bool is_first(const struct request *q, const struct project *p, size_t at)
{
	const struct limit *x = &q->w->limits[at];

	for (size_t i = 0; i < at; i++)
		if (is_of(&q->w->limits[i], p, x->service) &&
			!strcmp(q->w->limits[i].quota, x->quota))
			return false;
	return is_of(x, p, q->seg[6]);
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
		if (is_first(q, p, i) && number++ >= from && number <= to)
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
		if (!is_first(q, p, i) || strcmp(q->w->limits[i].quota, q->seg[8]) != 0)
			continue;
		write_info(q, &w, p, &q->w->limits[i]);
		return;
	}
	respond_rpc(r, 404, "NOT_FOUND",
		arena_printf(q->a, "Quota '%s' was not found.", q->seg[8]));
}
