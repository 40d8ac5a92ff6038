#include "gcp/compute/aggregated.h"

#include "base/str.h"
#include "base/url/url.h"

#include <string.h>

static void put_item(struct gcp_typed *t, const struct gce_aggregated *k, const void *item)
{
	const char *key;

	memcpy(&key, (const char *)item + k->key_offset, sizeof(key));
	memcpy(gcp_typed_slot(t, key), item, k->size);
}

static enum err_code read_item(struct gcp_typed *t, const struct gce_aggregated *k,
	const struct gce_scope *s, const struct cJSON *j, struct err *e)
{
	void *item = arena_alloc(t->arena, k->size);
	enum err_code rc = k->read(j, s, t->arena, item, e);

	if (rc != E_OK)
		return err_wrap(e, "%s", s->key);
	put_item(t, k, item);
	return E_OK;
}

bool gce_incomplete(const struct cJSON *holder)
{
	const struct cJSON *w = json_get(holder, "warning");

	return w && !str_eq(json_text(json_get(w, "code"), ""), "NO_RESULTS_ON_PAGE");
}

static enum err_code read_scope(struct gcp_typed *t, const struct gce_aggregated *k,
	const struct cJSON *member, struct err *e)
{
	struct gce_scope s = {.key = json_key(member)};
	const struct cJSON *items = json_get(member, k->items);
	enum err_code rc = E_OK;

	s.zone = str_starts(s.key, "zones/");
	if (!s.zone && !str_starts(s.key, "regions/") && !str_eq(s.key, "global"))
		return err_set(e, E_DATA, "scope \"%.100s\": it is neither zone nor region",
			s.key);
	s.location = strchr(s.key, '/') ? strchr(s.key, '/') + 1 : s.key;
	if (!gcp_name_valid(s.location))
		return err_set(e, E_DATA, "scope \"%.100s\": it is no location", s.key);
	if (!json_is_object(member) || (items && !json_is_array(items)))
		return err_set(e, E_DATA, "scope \"%s\": it is malformed", s.key);
	if (gce_incomplete(member))
		gcp_typed_incomplete(t, s.key);
	JSON_EACH (j, items) {
		rc = read_item(t, k, &s, j, e);
		if (rc != E_OK)
			return rc;
	}
	return rc;
}

static enum err_code on_page(struct gcp_list *l, const struct cJSON *page, struct err *e)
{
	struct gcp_typed *t = l->ctx;
	const struct gce_aggregated *k = t->kind;
	const struct cJSON *items = json_get(page, "items");
	const struct cJSON *missing = json_get(page, "unreachables");

	if ((items && !json_is_object(items)) || (missing && !json_is_array(missing)))
		return err_set(e, E_DATA, "\"items\" or \"unreachables\" is malformed");
	/* A page of something else would read as an empty list. */
	if (!items && !json_get(page, "kind"))
		return err_set(e, E_DATA, "it is no aggregated list");
	JSON_EACH (scope, items)
		if (read_scope(t, k, scope, e) != E_OK)
			return e ? e->code : E_DATA;
	if (gcp_typed_unreachable(t, missing, e))
		return e ? e->code : E_DATA;
	/* A warning for the whole page, and no place that it is about. */
	if (gce_incomplete(page) && !t->result->scopes.n)
		gcp_typed_incomplete(t, GCP_EVERYWHERE);
	return E_OK;
}

enum err_code gce_aggregated_start(const struct gce_aggregated *k, struct gcp *g,
	const char *project, const char *filter, struct arena *a, struct gcp_result *r,
	struct err *e)
{
	struct gcp_typed *t = gcp_typed_new(
		g, GCP_COMPUTE, project, k->what, a, r, k->size);

	gcp_url(g, &t->list.call.url, GCP_COMPUTE, k->path, project, NULL);
	/* One zone that is down would fail the whole list without this. */
	url_param(&t->list.call.url, "returnPartialSuccess", "true");
	if (filter)
		url_param(&t->list.call.url, "filter", filter);
	t->list.size_param = "maxResults";
	t->list.on_page = on_page;
	t->kind = k;
	t->deliver = k->deliver;
	return gcp_typed_start(t, e);
}

enum err_code gce_names_check(const char *zone, const char *name, struct err *e)
{
	if (!gcp_name_valid(zone))
		return err_set(e, E_CONFIG, "zone \"%.60s\" is malformed", zone);
	if (!gcp_name_valid(name))
		return err_set(e, E_CONFIG, "name \"%.60s\" is malformed", name);
	return E_OK;
}
