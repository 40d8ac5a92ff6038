/* Compute Engine v1: projects, regions and zones, and the quotas of the first two. After the
 * Compute REST reference: projects.get, regions, zones. */
#include "tests/sandbox/api/compute.h"

#include "base/str.h"

#include <string.h>

/* Quotas are doubles: "96.0". */
static void write_quotas(
	const struct request *q, struct jw *w, const struct project *p, const char *region)
{
	jw_key(w, "quotas");
	jw_begin(w, '[');
	for (size_t i = 0; i < q->w->n_quotas; i++) {
		const struct quota *x = &q->w->quotas[i];

		if (strcmp(x->project, p->id) || !str_eq(x->region, region))
			continue;
		jw_begin(w, '{');
		jw_kstr(w, "metric", x->metric);
		jw_key(w, "limit");
		jw_raw(w, arena_printf(q->a, "%lld.0", (long long)x->limit));
		jw_key(w, "usage");
		jw_raw(w, arena_printf(q->a, "%lld.0", (long long)x->usage));
		jw_end(w, '}');
	}
	jw_end(w, ']');
}

void serve_project(const struct request *q, struct response *r)
{
	const struct project *p = gce_project(q, r);
	struct jw w = {.b = &r->body};

	if (!p)
		return;
	jw_begin(&w, '{');
	jw_kstr(&w, "kind", "compute#project");
	jw_kstr(&w, "id", arena_printf(q->a, "7%s", p->number));
	jw_kstr(&w, "name", p->id);
	write_quotas(q, &w, p, NULL);
	jw_kstr(&w, "defaultServiceAccount",
		arena_printf(q->a, "%s-compute@developer.gserviceaccount.com", p->number));
	jw_kstr(&w, "selfLink", arena_printf(q->a, GCE_HOST "%s", p->id));
	jw_end(&w, '}');
}

/* Does `zone` lie in the region? Its name is the region's, a dash and one word. */
static bool in_region(const char *zone, const char *region)
{
	size_t len = strlen(region);

	return !strncmp(zone, region, len) && zone[len] == '-' &&
		!strchr(zone + len + 1, '-');
}

static const char *region_of(const struct request *q, const char *zone)
{
	const char *dash = strrchr(zone, '-');

	return dash ? arena_strndup(q->a, zone, (size_t)(dash - zone)) : zone;
}

static void write_region(const struct request *q, struct jw *w, const struct project *p,
	const char *region, size_t number)
{
	jw_begin(w, '{');
	jw_kstr(w, "kind", "compute#region");
	jw_kstr(w, "id", arena_printf(q->a, "%zu", 1000 + 10 * number));
	jw_kstr(w, "name", region);
	jw_kstr(w, "description", region);
	jw_kstr(w, "status", "UP");
	jw_key(w, "zones");
	jw_begin(w, '[');
	for (size_t i = 0; i < q->w->zones.n; i++)
		if (in_region(q->w->zones.v[i], region))
			jw_str(w,
				arena_printf(q->a, GCE_HOST "%s/zones/%s", p->id,
					q->w->zones.v[i]));
	jw_end(w, ']');
	write_quotas(q, w, p, region);
	gce_url(w, q, "selfLink", p->id, arena_printf(q->a, "regions/%s", region));
	jw_end(w, '}');
}

static void write_zone(const struct request *q, struct jw *w, const struct project *p,
	const char *zone, size_t number)
{
	jw_begin(w, '{');
	jw_kstr(w, "kind", "compute#zone");
	jw_kstr(w, "id", arena_printf(q->a, "%zu", 2000 + number));
	jw_kstr(w, "name", zone);
	jw_kstr(w, "status", "UP");
	gce_url(w, q, "region", p->id,
		arena_printf(q->a, "regions/%s", region_of(q, zone)));
	gce_url(w, q, "selfLink", p->id, arena_printf(q->a, "zones/%s", zone));
	jw_end(w, '}');
}

/* The places of a list, or the one that is named; returns how many were written. */
static size_t write_places(const struct request *q, struct jw *w, const struct project *p,
	bool regions, const char *only)
{
	size_t n = 0;

	for (size_t i = 0; i < q->w->zones.n; i++) {
		const char *zone = q->w->zones.v[i];
		const char *name = regions ? region_of(q, zone) : zone;
		bool seen = false;

		for (size_t k = 0; regions && k < i; k++)
			seen |= in_region(q->w->zones.v[k], name);
		if (seen || (only && strcmp(only, name) != 0))
			continue;
		(regions ? write_region : write_zone)(q, w, p, name, i);
		n++;
	}
	return n;
}

static void serve_places(const struct request *q, struct response *r, bool regions)
{
	const char *kind = regions ? "region" : "zone";
	const struct project *p = gce_project(q, r);
	struct jw w = {.b = &r->body};

	if (!p)
		return;
	jw_begin(&w, '{');
	jw_kstr(&w, "kind", arena_printf(q->a, "compute#%sList", kind));
	jw_kstr(&w, "id", arena_printf(q->a, "projects/%s/%ss", p->id, kind));
	jw_key(&w, "items");
	jw_begin(&w, '[');
	write_places(q, &w, p, regions, NULL);
	jw_end(&w, ']');
	gce_url(&w, q, "selfLink", p->id, arena_printf(q->a, "%ss", kind));
	jw_end(&w, '}');
}

static void serve_place(const struct request *q, struct response *r, bool regions)
{
	const struct project *p = gce_project(q, r);
	struct jw w = {.b = &r->body};

	if (p && !write_places(q, &w, p, regions, q->seg[5]))
		gce_not_found(q, r, arena_printf(q->a, "%s/%s", q->seg[4], q->seg[5]));
}

void serve_regions(const struct request *q, struct response *r)
{
	serve_places(q, r, true);
}

void serve_region(const struct request *q, struct response *r)
{
	serve_place(q, r, true);
}

void serve_zones(const struct request *q, struct response *r)
{
	serve_places(q, r, false);
}

void serve_zone(const struct request *q, struct response *r)
{
	serve_place(q, r, false);
}
