/* Compute Engine v1: aggregated lists keyed by scope, lists of one scope, single things.
 * After the Compute REST reference. */
#include "tests/sandbox/api/compute.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

const struct project *gce_project(const struct request *q, struct response *r)
{
	const struct project *p = world_project(q->w, q->seg[3]);

	if (!p)
		respond_error(r, 404, "notFound",
			arena_printf(q->a, "The resource 'projects/%s' was not found",
				q->seg[3]));
	return p;
}

void gce_not_found(const struct request *q, struct response *r, const char *rest)
{
	respond_error(r, 404, "notFound",
		arena_printf(q->a, "The resource 'projects/%s/%s' was not found", q->seg[3],
			rest));
}

/* ---- pages ------------------------------------------------------------------------------------- */

/* Items with numbers in [from, to) of a list are on this page. */
struct page {
	size_t from, to, number;
};

static void refuse_value(
	const struct request *q, struct response *r, const char *field, const char *value)
{
	respond_error(r, 400, "invalid",
		arena_printf(q->a, "Invalid value for field '%s': '%s'.", field, value));
}

/* maxResults is 0 to 500, and both 0 and none mean 500. */
static bool read_page(const struct request *q, struct response *r, const struct gce_kind *k,
	struct page *p)
{
	const char *size = q->param(q, "maxResults"), *token = q->param(q, "pageToken");
	const char *filter = q->param(q, "filter");
	int64_t n = 0;

	if (filter && *filter && !str_eq(filter, k->filter)) {
		refuse_value(q, r, "filter", "the sandbox has none");
		return false;
	}
	if (size && !str_to_i64(size, 0, 500, &n)) {
		refuse_value(q, r, "maxResults", size);
		return false;
	}
	*p = (struct page){0};
	if (token && *token && !page_token_read(token, &p->from)) {
		refuse_value(q, r, "pageToken", token);
		return false;
	}
	p->to = p->from + (size_t)(n ? n : 500);
	return true;
}

static void end_page(const struct request *q, struct jw *w, const struct page *p)
{
	if (p->number > p->to)
		jw_kstr(w, "nextPageToken", page_token(q, p->to));
}

/* ---- scopes ------------------------------------------------------------------------- */

struct scopes {
	const char *v[512];
	size_t n;
};

static void add_scope(struct scopes *s, const char *scope)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->v[i], scope))
			return;
	if (s->n < ARRAY_LEN(s->v))
		s->v[s->n++] = scope;
}

/* Every zone, the regions they are in, and global: each is on every page. */
static void all_scopes(const struct request *q, struct scopes *s)
{
	s->n = 0;
	for (size_t i = 0; i < q->w->zones.n; i++)
		add_scope(s, arena_printf(q->a, "zones/%s", q->w->zones.v[i]));
	for (size_t i = 0; i < q->w->zones.n; i++) {
		const char *zone = q->w->zones.v[i], *dash = strrchr(zone, '-');

		add_scope(s,
			arena_printf(q->a, "regions/%.*s",
				(int)(dash ? dash - zone : (long)strlen(zone)), zone));
	}
	add_scope(s, "global");
}

static bool unreachable(const struct world *w, const char *scope)
{
	const char *slash = strchr(scope, '/');

	for (size_t i = 0; slash && i < w->unreachable_compute.n; i++)
		if (!strcmp(w->unreachable_compute.v[i], slash + 1))
			return true;
	return false;
}

static void write_warning(
	struct jw *w, const char *code, const char *message, const char *scope)
{
	jw_begin(w, '{');
	jw_key(w, "warning");
	jw_begin(w, '{');
	jw_kstr(w, "code", code);
	jw_kstr(w, "message", message);
	jw_key(w, "data");
	jw_begin(w, '[');
	jw_begin(w, '{');
	jw_kstr(w, "key", "scope");
	jw_kstr(w, "value", scope);
	jw_end(w, '}');
	jw_end(w, ']');
	jw_end(w, '}');
	jw_end(w, '}');
}

/* Items of a scope with numbers in [from, to) of the whole list. */
static void write_scope(const struct request *q, struct jw *w, const struct gce_kind *k,
	const char *project, const char *scope, struct page *page)
{
	bool any = false;

	jw_key(w, scope);
	if (unreachable(q->w, scope)) {
		write_warning(w, "UNREACHABLE", "The scope is unreachable.", scope);
		return;
	}
	for (size_t i = 0; i < k->count(q); i++) {
		if (strcmp(k->project(q, i), project) != 0 ||
			strcmp(k->scope(q, i), scope) != 0)
			continue;
		if (page->number++ < page->from || page->number > page->to)
			continue;
		if (!any) {
			jw_begin(w, '{');
			jw_key(w, k->key);
			jw_begin(w, '[');
			any = true;
		}
		k->write(q, w, i);
	}
	if (any) {
		jw_end(w, ']');
		jw_end(w, '}');
	} else {
		write_warning(w, "NO_RESULTS_ON_PAGE",
			arena_printf(q->a,
				"There are no results for scope '%s' on this page.", scope),
			scope);
	}
}

/* ---- lists ------------------------------------------------------------------------------------- */

static bool any_unreachable(const struct request *q, struct response *r)
{
	const char *partial = q->param(q, "returnPartialSuccess");

	if (!q->w->unreachable_compute.n || (partial && !strcmp(partial, "true")))
		return false;
	respond_error(r, 503, "backendError",
		arena_printf(q->a, "The zone 'projects/%s/zones/%s' is not reachable.",
			q->seg[3], q->w->unreachable_compute.v[0]));
	return true;
}

static void write_unreachables(
	const struct request *q, struct jw *w, const struct scopes *scopes)
{
	if (!q->w->unreachable_compute.n)
		return;
	jw_key(w, "unreachables");
	jw_begin(w, '[');
	for (size_t i = 0; i < scopes->n; i++)
		if (unreachable(q->w, scopes->v[i]))
			jw_str(w, scopes->v[i]);
	jw_end(w, ']');
}

static void serve_aggregated(
	const struct request *q, struct response *r, const struct gce_kind *k)
{
	const struct project *p = gce_project(q, r);
	struct jw w = {.b = &r->body};
	struct scopes scopes;
	struct page page;

	if (!p || !read_page(q, r, k, &page) || any_unreachable(q, r))
		return;
	all_scopes(q, &scopes);
	jw_begin(&w, '{');
	jw_kstr(&w, "kind", arena_printf(q->a, "compute#%sAggregatedList", k->name));
	jw_kstr(&w, "id", arena_printf(q->a, "projects/%s/aggregated/%s", p->id, k->key));
	jw_key(&w, "items");
	jw_begin(&w, '{');
	for (size_t i = 0; i < scopes.n; i++)
		write_scope(q, &w, k, p->id, scopes.v[i], &page);
	jw_end(&w, '}');
	write_unreachables(q, &w, &scopes);
	end_page(q, &w, &page);
	gce_url(&w, q, "selfLink", p->id, arena_printf(q->a, "aggregated/%s", k->key));
	jw_end(&w, '}');
}

/* "zones/x" of the path; NULL and an answer when it is not there or out of reach. */
static const char *scope_of(const struct request *q, struct response *r)
{
	const char *scope = arena_printf(q->a, "%s/%s", q->seg[4], q->seg[5]);
	struct scopes all;

	all_scopes(q, &all);
	for (size_t i = 0; i < all.n; i++) {
		if (strcmp(all.v[i], scope) != 0)
			continue;
		if (!unreachable(q->w, scope))
			return scope;
		respond_error(r, 503, "backendError",
			arena_printf(q->a, "The scope '%s' is not reachable.", scope));
		return NULL;
	}
	gce_not_found(q, r, scope);
	return NULL;
}

static bool is_at(const struct request *q, const struct gce_kind *k, size_t i,
	const struct project *p, const char *scope)
{
	return !strcmp(k->project(q, i), p->id) && !strcmp(k->scope(q, i), scope);
}

static void serve_scope(
	const struct request *q, struct response *r, const struct gce_kind *k)
{
	const struct project *p = gce_project(q, r);
	const char *scope = p ? scope_of(q, r) : NULL;
	struct jw w = {.b = &r->body};
	struct page page;
	bool any = false;

	if (!scope || !read_page(q, r, k, &page))
		return;
	jw_begin(&w, '{');
	jw_kstr(&w, "kind", arena_printf(q->a, "compute#%sList", k->name));
	jw_kstr(&w, "id", arena_printf(q->a, "projects/%s/%s/%s", p->id, scope, k->key));
	for (size_t i = 0; i < k->count(q); i++) {
		if (!is_at(q, k, i, p, scope) || page.number++ < page.from ||
			page.number > page.to)
			continue;
		if (!any) {
			jw_key(&w, "items");
			jw_begin(&w, '[');
			any = true;
		}
		k->write(q, &w, i);
	}
	if (any)
		jw_end(&w, ']');
	end_page(q, &w, &page);
	gce_url(&w, q, "selfLink", p->id, arena_printf(q->a, "%s/%s", scope, k->key));
	jw_end(&w, '}');
}

static void serve_one(const struct request *q, struct response *r, const struct gce_kind *k)
{
	const struct project *p = gce_project(q, r);
	const char *scope = p ? scope_of(q, r) : NULL, *name, *id;
	struct jw w = {.b = &r->body};

	for (size_t i = 0; scope && i < k->count(q); i++) {
		name = k->item(q, i, &id);
		if (!is_at(q, k, i, p, scope) ||
			(strcmp(name, q->seg[7]) && strcmp(id, q->seg[7])))
			continue;
		k->write(q, &w, i);
		return;
	}
	if (scope)
		gce_not_found(
			q, r, arena_printf(q->a, "%s/%s/%s", scope, k->key, q->seg[7]));
}

#define SERVE(fn, how, kind)                                 \
	void fn(const struct request *q, struct response *r) \
	{                                                    \
		how(q, r, &kind);                            \
	}

SERVE(serve_instances, serve_aggregated, gce_instances)
SERVE(serve_disks, serve_aggregated, gce_disks)
SERVE(serve_addresses, serve_aggregated, gce_addresses)
SERVE(serve_machine_types, serve_aggregated, gce_machine_types)
SERVE(serve_groups, serve_aggregated, gce_groups)
SERVE(serve_policies, serve_aggregated, gce_policies)
SERVE(serve_reservations, serve_aggregated, gce_reservations)
SERVE(serve_futures, serve_aggregated, gce_futures)
SERVE(serve_preemptions, serve_aggregated, gce_operations)
SERVE(serve_group, serve_one, gce_groups)
SERVE(serve_policy, serve_one, gce_policies)
SERVE(serve_zone_instances, serve_scope, gce_instances)
SERVE(serve_zone_disks, serve_scope, gce_disks)
SERVE(serve_zone_machine_types, serve_scope, gce_machine_types)
SERVE(serve_region_addresses, serve_scope, gce_addresses)
SERVE(serve_instance, serve_one, gce_instances)
SERVE(serve_disk, serve_one, gce_disks)
SERVE(serve_address, serve_one, gce_addresses)
