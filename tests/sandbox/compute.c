/* Compute Engine v1: aggregated lists keyed by scope, single resources. Shapes after the
 * Compute REST reference. */
#include "tests/sandbox/sandbox.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

#define HOST "https://www.googleapis.com/compute/v1/projects/"

/* One kind of thing as a list: how many, where each is, how it is written. */
struct kind {
	const char *key;  /* "instances" */
	const char *name; /* "instance" as in compute#instanceAggregatedList */
	size_t (*count)(const struct world *w);
	const char *(*project)(const struct world *w, size_t i);
	/* "zones/x", "regions/x" or "global"; arena */
	const char *(*scope)(const struct request *q, size_t i);
	void (*write)(const struct request *q, struct jw *w, size_t i);
};

static void key_url(struct jw *w, const struct request *q, const char *key,
	const char *project, const char *rest)
{
	jw_kstr(w, key, arena_printf(q->a, HOST "%s/%s", project, rest));
}

/* ---- instances ------------------------------------------------------------------------------- */

static size_t n_instances(const struct world *w)
{
	return w->n_instances;
}

static const char *instance_project(const struct world *w, size_t i)
{
	return w->instances[i].project;
}

static const char *instance_scope(const struct request *q, size_t i)
{
	return arena_printf(q->a, "zones/%s", q->w->instances[i].zone);
}

static void write_accelerators(
	const struct request *q, struct jw *w, const struct instance *x)
{
	jw_key(w, "guestAccelerators");
	jw_begin(w, '[');
	jw_begin(w, '{');
	key_url(w, q, "acceleratorType", x->project,
		arena_printf(q->a, "zones/%s/acceleratorTypes/%s", x->zone, x->gpu));
	jw_ki64(w, "acceleratorCount", x->gpus);
	jw_end(w, '}');
	jw_end(w, ']');
}

static void write_boot_disk(const struct request *q, struct jw *w, const struct instance *x)
{
	jw_key(w, "disks");
	jw_begin(w, '[');
	for (size_t i = 0; i < q->w->n_disks; i++) {
		const struct disk *d = &q->w->disks[i];

		for (size_t k = 0; k < d->users.n; k++) {
			if (strcmp(d->users.v[k], x->name) != 0 || !d->zone ||
				strcmp(d->zone, x->zone) != 0)
				continue;
			jw_begin(w, '{');
			jw_kstr(w, "kind", "compute#attachedDisk");
			jw_kstr(w, "type", "PERSISTENT");
			jw_kstr(w, "mode", "READ_WRITE");
			key_url(w, q, "source", d->project,
				arena_printf(q->a, "zones/%s/disks/%s", d->zone, d->name));
			jw_key(w, "boot");
			jw_bool(w, !strcmp(d->name, x->name));
			jw_key(w, "autoDelete");
			jw_bool(w, !strcmp(d->name, x->name));
			jw_kstr(w, "diskSizeGb",
				arena_printf(q->a, "%lld", (long long)d->size_gb));
			jw_end(w, '}');
		}
	}
	jw_end(w, ']');
}

static void write_instance(const struct request *q, struct jw *w, size_t i)
{
	const struct instance *x = &q->w->instances[i];

	jw_begin(w, '{');
	jw_kstr(w, "kind", "compute#instance");
	jw_kstr(w, "id", x->id);
	jw_kstr(w, "name", x->name);
	key_url(w, q, "zone", x->project, arena_printf(q->a, "zones/%s", x->zone));
	key_url(w, q, "machineType", x->project,
		arena_printf(q->a, "zones/%s/machineTypes/%s", x->zone, x->type));
	jw_kstr(w, "status", x->status);
	add_pacific(w, "creationTimestamp", x->created);
	add_pacific(w, "lastStartTimestamp", x->started);
	jw_kstr(w, "cpuPlatform", "Intel Skylake");
	jw_key(w, "deletionProtection");
	jw_bool(w, x->deletion_protection);
	jw_kstr(w, "labelFingerprint", "42WmSpB8rSM=");
	jw_key(w, "labels");
	jw_raw(w, x->labels);
	jw_key(w, "scheduling");
	jw_begin(w, '{');
	jw_kstr(w, "onHostMaintenance", x->spot ? "TERMINATE" : "MIGRATE");
	jw_key(w, "preemptible");
	jw_bool(w, x->spot);
	jw_kstr(w, "provisioningModel", x->spot ? "SPOT" : "STANDARD");
	jw_end(w, '}');
	write_boot_disk(q, w, x);
	if (x->gpu)
		write_accelerators(q, w, x);
	jw_key(w, "networkInterfaces");
	jw_raw(w, "[{\"name\":\"nic0\",\"networkIP\":\"10.164.0.2\"}]");
	key_url(w, q, "selfLink", x->project,
		arena_printf(q->a, "zones/%s/instances/%s", x->zone, x->name));
	jw_end(w, '}');
}

/* ---- disks ----------------------------------------------------------------------------------- */

static size_t n_disks(const struct world *w)
{
	return w->n_disks;
}

static const char *disk_project(const struct world *w, size_t i)
{
	return w->disks[i].project;
}

static const char *disk_scope(const struct request *q, size_t i)
{
	const struct disk *d = &q->w->disks[i];

	return d->zone ? arena_printf(q->a, "zones/%s", d->zone)
		       : arena_printf(q->a, "regions/%s", d->region);
}

static void write_disk(const struct request *q, struct jw *w, size_t i)
{
	const struct disk *d = &q->w->disks[i];
	const char *scope = disk_scope(q, i);

	jw_begin(w, '{');
	jw_kstr(w, "kind", "compute#disk");
	jw_kstr(w, "id", d->id);
	jw_kstr(w, "name", d->name);
	key_url(w, q, d->zone ? "zone" : "region", d->project, scope);
	key_url(w, q, "type", d->project,
		arena_printf(q->a, "%s/diskTypes/%s", scope, d->type));
	jw_kstr(w, "sizeGb", arena_printf(q->a, "%lld", (long long)d->size_gb));
	jw_kstr(w, "status", "READY");
	add_pacific(w, "creationTimestamp", d->created);
	jw_key(w, "labels");
	jw_raw(w, d->labels);
	if (d->users.n) {
		jw_key(w, "users");
		jw_begin(w, '[');
		for (size_t k = 0; k < d->users.n; k++)
			jw_str(w,
				arena_printf(q->a, HOST "%s/%s/instances/%s", d->project,
					scope, d->users.v[k]));
		jw_end(w, ']');
	}
	key_url(w, q, "selfLink", d->project,
		arena_printf(q->a, "%s/disks/%s", scope, d->name));
	jw_end(w, '}');
}

/* ---- addresses ------------------------------------------------------------------------------- */

static size_t n_addresses(const struct world *w)
{
	return w->n_addresses;
}

static const char *address_project(const struct world *w, size_t i)
{
	return w->addresses[i].project;
}

static const char *address_scope(const struct request *q, size_t i)
{
	const char *region = q->w->addresses[i].region;

	return strcmp(region, "global") ? arena_printf(q->a, "regions/%s", region)
					: "global";
}

static void write_address(const struct request *q, struct jw *w, size_t i)
{
	const struct address *x = &q->w->addresses[i];

	jw_begin(w, '{');
	jw_kstr(w, "kind", "compute#address");
	jw_kstr(w, "id", x->id);
	jw_kstr(w, "name", x->name);
	jw_kstr(w, "address", x->address);
	jw_kstr(w, "addressType", x->type);
	jw_kstr(w, "status", x->status);
	add_pacific(w, "creationTimestamp", x->created);
	if (strcmp(x->region, "global") != 0)
		key_url(w, q, "region", x->project,
			arena_printf(q->a, "regions/%s", x->region));
	if (x->users.n) {
		jw_key(w, "users");
		jw_begin(w, '[');
		for (size_t k = 0; k < x->users.n; k++)
			jw_str(w,
				arena_printf(q->a, HOST "%s/zones/%s-a/instances/%s",
					x->project, x->region, x->users.v[k]));
		jw_end(w, ']');
	}
	jw_end(w, '}');
}

static const struct kind kinds[] = {
	{"instances", "instance", n_instances, instance_project, instance_scope,
		write_instance},
	{"disks", "disk", n_disks, disk_project, disk_scope, write_disk},
	{"addresses", "address", n_addresses, address_project, address_scope,
		write_address},
};

/* ---- aggregated lists ------------------------------------------------------------------------- */

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
static void write_scope(const struct request *q, struct jw *w, const struct kind *k,
	const char *project, const char *scope, size_t *number, size_t from, size_t to)
{
	bool any = false;

	jw_key(w, scope);
	if (unreachable(q->w, scope)) {
		write_warning(w, "UNREACHABLE", "The scope is unreachable.", scope);
		return;
	}
	for (size_t i = 0; i < k->count(q->w); i++) {
		if (strcmp(k->project(q->w, i), project) != 0 ||
			strcmp(k->scope(q, i), scope) != 0)
			continue;
		if ((*number)++ < from || *number > to)
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

static size_t param_number(const struct request *q, const char *name, size_t def)
{
	const char *s = q->param(q, name);

	return s && *s ? (size_t)strtoull(s, NULL, 10) : def;
}

static void serve_list(const struct request *q, struct response *r, const struct kind *k)
{
	const char *id = q->seg[3], *partial = q->param(q, "returnPartialSuccess");
	const struct project *p = world_project(q->w, id);
	size_t from = param_number(q, "pageToken", 0),
	       size = param_number(q, "maxResults", 500);
	size_t number = 0;
	struct scopes scopes;
	struct jw w = {.b = &r->body};

	if (!p) {
		respond_error(r, 404, "notFound",
			arena_printf(q->a, "The resource 'projects/%s' was not found", id));
		return;
	}
	if (q->w->unreachable_compute.n && (!partial || strcmp(partial, "true") != 0)) {
		respond_error(r, 503, "backendError", "A zone did not answer");
		return;
	}
	all_scopes(q, &scopes);
	jw_begin(&w, '{');
	jw_kstr(&w, "kind", arena_printf(q->a, "compute#%sAggregatedList", k->name));
	jw_kstr(&w, "id", arena_printf(q->a, "projects/%s/aggregated/%s", p->id, k->key));
	jw_key(&w, "items");
	jw_begin(&w, '{');
	for (size_t i = 0; i < scopes.n; i++)
		write_scope(q, &w, k, p->id, scopes.v[i], &number, from, from + size);
	jw_end(&w, '}');
	if (q->w->unreachable_compute.n) {
		jw_key(&w, "unreachables");
		jw_begin(&w, '[');
		for (size_t i = 0; i < scopes.n; i++)
			if (unreachable(q->w, scopes.v[i]))
				jw_str(&w, scopes.v[i]);
		jw_end(&w, ']');
	}
	if (number > from + size)
		jw_kstr(&w, "nextPageToken", arena_printf(q->a, "%zu", from + size));
	key_url(&w, q, "selfLink", p->id, arena_printf(q->a, "aggregated/%s", k->key));
	jw_end(&w, '}');
}

void serve_instances(const struct request *q, struct response *r)
{
	serve_list(q, r, &kinds[0]);
}

void serve_disks(const struct request *q, struct response *r)
{
	serve_list(q, r, &kinds[1]);
}

void serve_addresses(const struct request *q, struct response *r)
{
	serve_list(q, r, &kinds[2]);
}

/* ---- single ones ------------------------------------------------------------------------------ */

void serve_instance(const struct request *q, struct response *r)
{
	struct jw w = {.b = &r->body};

	for (size_t i = 0; i < q->w->n_instances; i++) {
		const struct instance *x = &q->w->instances[i];

		if (strcmp(x->project, q->seg[3]) || strcmp(x->zone, q->seg[5]) ||
			(strcmp(x->name, q->seg[7]) && strcmp(x->id, q->seg[7])))
			continue;
		write_instance(q, &w, i);
		return;
	}
	respond_error(r, 404, "notFound",
		arena_printf(q->a,
			"The resource 'projects/%s/zones/%s/instances/%s' was not found",
			q->seg[3], q->seg[5], q->seg[7]));
}

void serve_machine_type(const struct request *q, struct response *r)
{
	struct jw w = {.b = &r->body};
	const char *name = q->seg[7], *dash = strrchr(name, '-');
	int64_t cpus;

	if (!dash || !str_to_i64(dash + 1, 1, 1000, &cpus)) {
		respond_error(r, 404, "notFound", "The machine type was not found");
		return;
	}
	jw_begin(&w, '{');
	jw_kstr(&w, "kind", "compute#machineType");
	jw_kstr(&w, "name", name);
	jw_kstr(&w, "zone", q->seg[5]);
	jw_ki64(&w, "guestCpus", cpus);
	jw_ki64(&w, "memoryMb", cpus * (strstr(name, "highmem") ? 6656 : 3840));
	jw_end(&w, '}');
}
