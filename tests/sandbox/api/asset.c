/* What the projects of an organization have (Cloud Asset v1, searchAllResources): the resources of the world, those of
 * a fleet with a template too. The index shows what is older than `asset_lag`, and no future reservations, which this
 * one does not have. */
#include "tests/sandbox/sandbox.h"

#include "base/str.h"

#include <regex.h>
#include <string.h>

struct asset {
	const char *type, *project,
		*name; /* name: after the project; of buckets: all of it */
};

struct assets {
	struct asset *v;
	size_t n, cap;
	const struct request *q;
	const regex_t *types;
	const char *type; /* of what is added */
	bool wanted;
};

static void assets_begin(struct assets *l, const char *type)
{
	l->type = type;
	l->wanted = !regexec(l->types, type, 0, NULL, 0);
}

static void assets_add(
	struct assets *l, const char *project, ts_t created, const char *name)
{
	if (l->wanted && created <= l->q->now - l->q->w->asset_lag)
		*arena_append(l->q->a, l->v, l->n, l->cap) = (struct asset){
			l->type, project, name};
}

static const char *assets_name(const struct assets *l, bool zonal, const char *place,
	const char *collection, const char *name)
{
	if (!l->wanted)
		return NULL;
	return arena_printf(l->q->a, "%s/%s/%s/%s", zonal ? "zones" : "regions", place,
		collection, name);
}

#define COMPUTE "compute.googleapis.com/"

static void assets_of_machines(struct assets *l, const struct world *w)
{
	assets_begin(l, COMPUTE "Instance");
	for (size_t i = 0; i < w->n_instances; i++) {
		const struct instance *x = &w->instances[i];

		assets_add(l, x->project, x->created,
			assets_name(l, true, x->zone, "instances", x->name));
	}
	assets_begin(l, COMPUTE "InstanceGroupManager");
	for (size_t i = 0; i < w->n_groups; i++) {
		const struct vm_group *x = &w->groups[i];

		assets_add(l, x->project, x->created,
			assets_name(l, true, x->zone, "instanceGroupManagers", x->name));
	}
	assets_begin(l, COMPUTE "Reservation");
	for (size_t i = 0; i < w->n_reservations; i++) {
		const struct reservation *x = &w->reservations[i];

		if (!strcmp(x->kind, "reservation"))
			assets_add(l, x->project, x->created,
				assets_name(l, true, x->zone, "reservations", x->name));
	}
	assets_begin(l, "tpu.googleapis.com/Node");
	for (size_t i = 0; i < w->n_nodes; i++) {
		const struct node *x = &w->nodes[i];

		assets_add(l, x->project, x->created,
			arena_printf(l->q->a, "locations/%s/nodes/%s", x->zone, x->name));
	}
}

static void assets_of_storage(struct assets *l, const struct world *w)
{
	for (int zonal = 0; zonal < 2; zonal++) {
		assets_begin(l, zonal ? COMPUTE "Disk" : COMPUTE "RegionDisk");
		for (size_t i = 0; i < w->n_disks; i++) {
			const struct disk *x = &w->disks[i];

			if ((x->zone != NULL) == zonal)
				assets_add(l, x->project, x->created,
					assets_name(l, zonal, zonal ? x->zone : x->region,
						"disks", x->name));
		}
	}
	for (int global = 0; global < 2; global++) {
		assets_begin(l, global ? COMPUTE "GlobalAddress" : COMPUTE "Address");
		for (size_t i = 0; i < w->n_addresses; i++) {
			const struct address *x = &w->addresses[i];

			if ((strcmp(x->region, "global") == 0) == global)
				assets_add(l, x->project, x->created,
					assets_name(
						l, false, x->region, "addresses", x->name));
		}
	}
	assets_begin(l, COMPUTE "Snapshot");
	for (size_t i = 0; i < w->n_snapshots; i++)
		assets_add(l, w->snapshots[i].project, w->snapshots[i].created,
			arena_printf(l->q->a, "global/snapshots/%s", w->snapshots[i].name));
	assets_begin(l, "storage.googleapis.com/Bucket");
	for (size_t i = 0; i < w->n_buckets; i++)
		assets_add(l, w->buckets[i].project, w->buckets[i].created,
			w->buckets[i].name);
}

static const char *assets_number(const struct world *w, const char *project)
{
	size_t fleet = fleet_number(w, project);

	return fleet
		? w->projects[w->n_projects - (size_t)w->project_count + fleet - 1].number
		: world_project(w, project)->number;
}

/* Compute Engine names a project by its id, Cloud TPU by its number. */
static void assets_write(
	const struct request *q, struct jw *w, const struct asset *x, const char *project)
{
	const char *number = assets_number(q->w, project), *slash = strchr(x->type, '/');
	const char *mask = q->param(q, "readMask");
	bool node = str_starts(x->type, "tpu.");

	jw_begin(w, '{');
	jw_kstr(w, "name",
		str_starts(x->type, "storage.")
			? arena_printf(q->a, "//storage.googleapis.com/%s", x->name)
			: arena_printf(q->a, "//%.*s/projects/%s/%s",
				  (int)(slash - x->type), x->type, node ? number : project,
				  x->name));
	jw_kstr(w, "assetType", x->type);
	jw_kstr(w, "project", arena_printf(q->a, "projects/%s", number));
	if (!mask)
		jw_kstr(w, "displayName", str_after_last(x->name, '/'));
	jw_end(w, '}');
}

/* Those of the world, then the template's for each project that has them. */
void serve_assets(const struct request *q, struct response *r, const regex_t *types,
	size_t from, size_t to)
{
	const struct world *w = q->w;
	struct assets l = {.q = q, .types = types};
	struct jw jw = {.b = &r->body};
	struct asset *like;
	size_t n_like = 0, fleet = 0, all;

	assets_of_machines(&l, w);
	assets_of_storage(&l, w);
	like = arena_alloc(q->a, (l.n + 1) * sizeof(*like));
	if (w->project_template) {
		fleet = (size_t)(w->project_active ? w->project_active : w->project_count);
		for (size_t i = 0; i < l.n; i++)
			if (!strcmp(l.v[i].project, w->project_template))
				like[n_like++] = l.v[i];
	}
	all = l.n + fleet * n_like;
	to = to < all ? to : all;
	jw_begin(&jw, '{');
	jw_key(&jw, "results");
	jw_begin(&jw, '[');
	for (size_t i = from; i < to; i++) {
		size_t k = i < l.n ? 0 : i - l.n;

		if (i < l.n)
			assets_write(q, &jw, &l.v[i], l.v[i].project);
		else
			assets_write(q, &jw, &like[k % n_like],
				w->projects[w->n_projects - (size_t)w->project_count +
					 k / n_like]
					.id);
	}
	jw_end(&jw, ']');
	if (to < all)
		jw_kstr(&jw, "nextPageToken", page_token(q, to));
	jw_end(&jw, '}');
}
