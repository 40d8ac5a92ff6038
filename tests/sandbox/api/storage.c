/* What is kept: snapshots of disks (Compute Engine v1), buckets and objects (Cloud Storage JSON v1).
 * After their REST references. */
#include "tests/sandbox/api/compute.h"

#include <stdio.h>
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

/* ---- objects ----------------------------------------------------------------------------------- */

#define FIRST_GENERATION INT64_C(1764000000000000)

static bool bucket_found(const struct request *q, const char *name, struct response *r)
{
	for (size_t i = 0; i < q->w->n_buckets; i++)
		if (!strcmp(q->w->buckets[i].name, name))
			return true;
	respond_error(r, 404, "notFound", "The specified bucket does not exist.");
	return false;
}

static bool object_may(
	const struct request *q, const char *bucket, const char *verb, struct response *r)
{
	const char *permission = arena_printf(q->a, "storage.objects.%s", verb);

	if (iam_may(q, bucket, permission))
		return true;
	respond_error(r, 403, "forbidden",
		arena_printf(q->a,
			"%s does not have %s access to the Google Cloud Storage object. "
			"Permission '%s' denied on resource (or it may not exist).",
			q->account, permission, permission));
	return false;
}

static struct object *object_find(const struct request *q, const char *name)
{
	for (size_t i = 0; i < q->w->n_objects; i++) {
		struct object *x = &q->w->objects[i];

		if (strcmp(x->name, name) != 0)
			continue;
		if (!x->generation)
			x->generation = FIRST_GENERATION + ++q->w->n_generations;
		x->len = x->len ? x->len : strlen(x->text);
		return x;
	}
	return NULL;
}

static void write_object(const struct object *x, struct response *r)
{
	struct jw w = {.b = &r->body};
	char text[24];

	jw_begin(&w, '{');
	jw_kstr(&w, "kind", "storage#object");
	jw_kstr(&w, "name", strchr(x->name, '/') + 1);
	snprintf(text, sizeof(text), "%lld", (long long)x->generation);
	jw_kstr(&w, "generation", text);
	snprintf(text, sizeof(text), "%zu", x->len);
	jw_kstr(&w, "size", text);
	jw_end(&w, '}');
}

void serve_object(const struct request *q, struct response *r)
{
	const char *bucket = q->seg[3], *alt = q->param(q, "alt");
	const char *path = strstr(q->path, "/o/") + 3;
	const struct object *x;

	if (!object_may(q, bucket, "get", r) || !bucket_found(q, bucket, r))
		return;
	x = object_find(q, arena_printf(q->a, "%s/%s", bucket, path));
	if (!x) {
		respond_error(r, 404, "notFound",
			arena_printf(q->a, "No such object: %s/%s", bucket, path));
	} else if (!alt || strcmp(alt, "media") != 0) {
		write_object(x, r);
	} else {
		r->type = "application/octet-stream";
		r->generation = x->generation;
		sbuf_add(&r->body, x->text, x->len);
	}
}

void serve_object_write(const struct request *q, struct response *r)
{
	const char *bucket = q->seg[4], *wanted = q->param(q, "ifGenerationMatch");
	const char *name = arena_printf(q->a, "%s/%s", bucket, q->param(q, "name"));
	struct object *x, *all;
	char is[24];

	if (!object_may(q, bucket, "create", r) || !bucket_found(q, bucket, r))
		return;
	x = object_find(q, name);
	snprintf(is, sizeof(is), "%lld", x ? (long long)x->generation : 0LL);
	if (wanted && strcmp(wanted, is) != 0) {
		respond_error(r, 412, "conditionNotMet",
			"At least one of the pre-conditions you specified did not hold.");
		return;
	}
	if (x && !object_may(q, bucket, "delete", r)) /* replacing needs it */
		return;
	if (!x) {
		all = arena_alloc(&q->w->arena, (q->w->n_objects + 1) * sizeof(*all));
		if (q->w->n_objects)
			memcpy(all, q->w->objects, q->w->n_objects * sizeof(*all));
		q->w->objects = all;
		x = &all[q->w->n_objects++];
		x->name = arena_strdup(&q->w->arena, name);
	}
	x->text = arena_strndup(&q->w->arena, q->body, q->body_len);
	x->len = q->body_len;
	x->generation = FIRST_GENERATION + ++q->w->n_generations;
	write_object(x, r);
}

/* The parameter is repeated: each is looked for in the query. */
void serve_bucket_permissions(const struct request *q, struct response *r)
{
	static const char *const known[] = {"storage.objects.get", "storage.objects.list",
		"storage.objects.create", "storage.objects.delete"};
	struct jw w = {.b = &r->body};

	if (!bucket_found(q, q->seg[3], r))
		return;
	jw_begin(&w, '{');
	jw_kstr(&w, "kind", "storage#testIamPermissionsResponse");
	jw_key(&w, "permissions");
	jw_begin(&w, '[');
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strstr(q->query, known[i]) && iam_may(q, q->seg[3], known[i]))
			jw_str(&w, known[i]);
	jw_end(&w, ']');
	jw_end(&w, '}');
}
