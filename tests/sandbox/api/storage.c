/* What is kept: snapshots of disks (Compute Engine v1) and buckets (Cloud Storage JSON v1).
 * After their REST references. */
#include "tests/sandbox/api/compute.h"

#include <string.h>

static void write_snapshot(const struct request *q, struct jw *w, const struct snapshot *x)
{
	jw_begin(w, '{');
	jw_kstr(w, "kind", "compute#snapshot");
	jw_kstr(w, "id", x->id);
	jw_kstr(w, "name", x->name);
	jw_kstr(w, "status", "READY");
	add_pacific(w, "creationTimestamp", x->created);
	jw_kstr(w, "diskSizeGb", arena_printf(q->a, "%lld", (long long)x->size_gb));
	jw_kstr(w, "storageBytes", arena_printf(q->a, "%lld", (long long)x->bytes));
	jw_kstr(w, "storageBytesStatus", "UP_TO_DATE");
	jw_key(w, "storageLocations");
	jw_begin(w, '[');
	for (size_t i = 0; i < x->locations.n; i++)
		jw_str(w, x->locations.v[i]);
	jw_end(w, ']');
	gce_url(w, q, "sourceDisk", x->project,
		arena_printf(q->a, "zones/%s/disks/%s", x->zone, x->disk));
	jw_key(w, "labels");
	jw_raw(w, x->labels);
	jw_kstr(w, "snapshotType", "STANDARD");
	gce_url(w, q, "selfLink", x->project,
		arena_printf(q->a, "global/snapshots/%s", x->name));
	jw_end(w, '}');
}

void serve_snapshots(const struct request *q, struct response *r)
{
	const struct project *p = gce_project(q, r);
	struct jw w = {.b = &r->body};
	size_t number = 0;

	if (!p)
		return;
	jw_begin(&w, '{');
	jw_kstr(&w, "kind", "compute#snapshotList");
	jw_kstr(&w, "id", arena_printf(q->a, "projects/%s/global/snapshots", p->id));
	for (size_t i = 0; i < q->w->n_snapshots; i++) {
		if (strcmp(q->w->snapshots[i].project, p->id) != 0)
			continue;
		if (!number++) {
			jw_key(&w, "items");
			jw_begin(&w, '[');
		}
		write_snapshot(q, &w, &q->w->snapshots[i]);
	}
	if (number)
		jw_end(&w, ']');
	jw_end(&w, '}');
}

static void write_bucket(const struct request *q, struct jw *w, const struct bucket *x)
{
	const struct project *p = world_project(q->w, x->project);

	jw_begin(w, '{');
	jw_kstr(w, "kind", "storage#bucket");
	jw_kstr(w, "id", x->name);
	jw_kstr(w, "name", x->name);
	jw_kstr(w, "projectNumber", p ? p->number : "0");
	jw_kstr(w, "location", x->location);
	jw_kstr(w, "locationType", x->location_type);
	jw_kstr(w, "storageClass", x->class);
	add_utc(w, "timeCreated", x->created);
	jw_key(w, "labels");
	jw_raw(w, x->labels);
	jw_end(w, '}');
}

void serve_buckets(const struct request *q, struct response *r)
{
	const char *id = q->param(q, "project");
	const struct project *p = id ? world_project(q->w, id) : NULL;
	struct jw w = {.b = &r->body};
	size_t number = 0;

	if (!p) {
		respond_error(r, id ? 403 : 400, id ? "forbidden" : "required",
			id ? "Access denied." : "Required parameter: project");
		return;
	}
	jw_begin(&w, '{');
	jw_kstr(&w, "kind", "storage#buckets");
	for (size_t i = 0; i < q->w->n_buckets; i++) {
		if (strcmp(q->w->buckets[i].project, p->id) != 0)
			continue;
		if (!number++) {
			jw_key(&w, "items");
			jw_begin(&w, '[');
		}
		write_bucket(q, &w, &q->w->buckets[i]);
	}
	if (number)
		jw_end(&w, ']');
	jw_end(&w, '}');
}
