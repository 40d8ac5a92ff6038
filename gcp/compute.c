#include "gcp/compute.h"

#include "base/str.h"
#include "base/url.h"
#include "gcp/decode.h"
#include "gcp/list.h"

#include <string.h>

/* An aggregated list is an object of scopes ("zones/us-central1-a",
 * "regions/us-central1", "global"), each with a part of the list or a warning why there
 * is none. */
struct scope {
	const char *key;      /* "zones/us-central1-a" */
	const char *location; /* "us-central1-a" */
	bool zone;
};

/* What differs between the three lists. */
struct kind {
	const char *what, *path, *items;
	size_t size;
	enum err_code (*read)(const struct cJSON *j, const struct scope *s, struct arena *a,
		void *out, struct err *e);
	size_t id_offset; /* of `const char *id` */
	void (*deliver)(struct gcp_typed *t);
};

/* ---- instances ----------------------------------------------------------- */

static void read_attached(struct dec *d, struct gce_instance *out)
{
	const struct cJSON *list = dec_array(d, "disks");

	out->disks = arena_alloc(d->a, (json_len(list) + 1) * sizeof(*out->disks));
	JSON_EACH (j, list) {
		struct gce_attached *at = &out->disks[out->n_disks];
		struct dec one = dec_begin(j, d->a, d->e);

		at->source = dec_tail(&one, "source");
		at->type = dec_text(&one, "type");
		at->boot = dec_bool(&one, "boot");
		at->auto_delete = dec_bool(&one, "autoDelete");
		at->size_gb = dec_i64(&one, "diskSizeGb");
		if (one.code != E_OK) {
			d->code = err_wrap(d->e, "disks[%zu]", out->n_disks);
			return;
		}
		out->n_disks++;
	}
}

static void read_accelerators(struct dec *d, struct gce_instance *out)
{
	const struct cJSON *list = dec_array(d, "guestAccelerators");

	out->accelerators = arena_alloc(
		d->a, (json_len(list) + 1) * sizeof(*out->accelerators));
	JSON_EACH (j, list) {
		struct gce_accelerator *acc = &out->accelerators[out->n_accelerators];
		struct dec one = dec_begin(j, d->a, d->e);

		acc->type = dec_tail(&one, "acceleratorType");
		acc->count = dec_i64(&one, "acceleratorCount");
		if (one.code != E_OK) {
			d->code = err_wrap(
				d->e, "guestAccelerators[%zu]", out->n_accelerators);
			return;
		}
		out->n_accelerators++;
	}
}

static void read_ips(struct dec *d, struct gce_instance *out)
{
	const struct cJSON *nics = dec_array(d, "networkInterfaces");
	size_t most = 1;

	JSON_EACH (nic, nics)
		most += json_len(json_get(nic, "accessConfigs"));
	out->external_ips = arena_alloc(d->a, most * sizeof(*out->external_ips));
	JSON_EACH (nic, nics)
		JSON_EACH (access, json_get(nic, "accessConfigs")) {
			const char *ip = json_text(json_get(access, "natIP"), "");

			if (*ip)
				out->external_ips[out->n_external_ips++] = arena_strdup(
					d->a, ip);
		}
}

static enum err_code read_instance(const struct cJSON *j, const struct scope *s,
	struct arena *a, void *vout, struct err *e)
{
	struct gce_instance *out = vout;
	struct dec d = dec_begin(j, a, e);
	const struct cJSON *sched = dec_object(&d, "scheduling");

	out->id = dec_id(&d, "id", true);
	out->name = dec_name(&d, "name");
	out->zone = arena_strdup(a, s->location);
	out->machine_type = dec_tail(&d, "machineType");
	out->status = dec_need(&d, "status");
	out->created = dec_ts(&d, "creationTimestamp");
	out->last_start = dec_ts(&d, "lastStartTimestamp");
	out->last_stop = dec_ts(&d, "lastStopTimestamp");
	out->labels = dec_labels(&d, "labels");
	out->deletion_protection = dec_bool(&d, "deletionProtection");
	out->provisioning_model = "";
	if (d.code == E_OK && sched) {
		struct dec sd = dec_begin(sched, a, e);

		out->provisioning_model = dec_text(&sd, "provisioningModel");
		out->spot = dec_bool(&sd, "preemptible") ||
			str_eq(out->provisioning_model, "SPOT");
		if (sd.code != E_OK)
			d.code = err_wrap(e, "\"%s\": scheduling", out->name);
	}
	read_attached(&d, out);
	read_accelerators(&d, out);
	read_ips(&d, out);
	return d.code;
}

static void deliver_instances(struct gcp_typed *t)
{
	struct gce_instances *out = (struct gce_instances *)t->result;

	out->v = t->items;
	out->n = t->n;
}

/* ---- disks --------------------------------------------------------------- */

static enum err_code read_disk(const struct cJSON *j, const struct scope *s,
	struct arena *a, void *vout, struct err *e)
{
	struct gce_disk *out = vout;
	struct dec d = dec_begin(j, a, e);

	out->id = dec_id(&d, "id", true);
	out->name = dec_name(&d, "name");
	out->zone = s->zone ? arena_strdup(a, s->location) : "";
	out->region = s->zone ? "" : arena_strdup(a, s->location);
	out->type = dec_tail(&d, "type");
	out->size_gb = dec_i64(&d, "sizeGb");
	out->status = dec_text(&d, "status");
	out->users = dec_tails(&d, "users", &out->n_users);
	out->created = dec_ts(&d, "creationTimestamp");
	out->last_attach = dec_ts(&d, "lastAttachTimestamp");
	out->last_detach = dec_ts(&d, "lastDetachTimestamp");
	out->labels = dec_labels(&d, "labels");
	out->provisioned_iops = dec_i64(&d, "provisionedIops");
	if (d.code == E_OK && out->size_gb < 0)
		dec_fail(&d, "sizeGb", "it is negative");
	return d.code;
}

static void deliver_disks(struct gcp_typed *t)
{
	struct gce_disks *out = (struct gce_disks *)t->result;

	out->v = t->items;
	out->n = t->n;
}

/* ---- addresses ----------------------------------------------------------- */

static enum err_code read_address(const struct cJSON *j, const struct scope *s,
	struct arena *a, void *vout, struct err *e)
{
	struct gce_address *out = vout;
	struct dec d = dec_begin(j, a, e);

	out->id = dec_id(&d, "id", true);
	out->name = dec_name(&d, "name");
	out->address = dec_text(&d, "address");
	out->type = dec_text(&d, "addressType");
	out->status = dec_need(&d, "status");
	out->region = arena_strdup(a, s->location);
	out->users = dec_tails(&d, "users", &out->n_users);
	out->created = dec_ts(&d, "creationTimestamp");
	out->labels = dec_labels(&d, "labels");
	return d.code;
}

static void deliver_addresses(struct gcp_typed *t)
{
	struct gce_addresses *out = (struct gce_addresses *)t->result;

	out->v = t->items;
	out->n = t->n;
}

static const struct kind kind_instances = {
	.what = "list Compute Engine instances",
	.path = "/projects/{}/aggregated/instances",
	.items = "instances",
	.size = sizeof(struct gce_instance),
	.read = read_instance,
	.id_offset = offsetof(struct gce_instance, id),
	.deliver = deliver_instances,
};
static const struct kind kind_disks = {
	.what = "list Compute Engine disks",
	.path = "/projects/{}/aggregated/disks",
	.items = "disks",
	.size = sizeof(struct gce_disk),
	.read = read_disk,
	.id_offset = offsetof(struct gce_disk, id),
	.deliver = deliver_disks,
};
static const struct kind kind_addresses = {
	.what = "list Compute Engine addresses",
	.path = "/projects/{}/aggregated/addresses",
	.items = "addresses",
	.size = sizeof(struct gce_address),
	.read = read_address,
	.id_offset = offsetof(struct gce_address, id),
	.deliver = deliver_addresses,
};

/* ---- aggregated lists ---------------------------------------------------- */

static enum err_code read_item(struct gcp_typed *t, const struct kind *k,
	const struct scope *s, const struct cJSON *j, struct err *e)
{
	void *item = arena_alloc(t->arena, k->size);
	const char *id;
	enum err_code rc = k->read(j, s, t->arena, item, e);

	if (rc != E_OK)
		return err_wrap(e, "%s", s->key);
	memcpy(&id, (char *)item + k->id_offset, sizeof(id));
	memcpy(gcp_typed_slot(t, id), item, k->size);
	return E_OK;
}

/* NO_RESULTS_ON_PAGE is how an empty scope looks. Any other warning means that
 * something of the scope may be missing. */
static bool is_incomplete(const struct cJSON *holder)
{
	const struct cJSON *w = json_get(holder, "warning");

	return w && !str_eq(json_text(json_get(w, "code"), ""), "NO_RESULTS_ON_PAGE");
}

static enum err_code read_scope(struct gcp_typed *t, const struct kind *k,
	const struct cJSON *member, struct err *e)
{
	struct scope s = {.key = json_key(member)};
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
	if (is_incomplete(member))
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
	const struct kind *k = t->kind;
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
	JSON_EACH (u, missing)
		gcp_typed_incomplete(t, json_text(u, "unknown"));
	return E_OK;
}

static enum err_code start(const struct kind *k, struct gcp *g, const char *project,
	struct arena *a, struct gcp_result *r, struct err *e)
{
	struct gcp_typed *t = gcp_typed_new(
		g, GCP_COMPUTE, project, k->what, a, r, k->size);

	gcp_url(g, &t->list.call.url, GCP_COMPUTE, k->path, project, NULL);
	url_param(&t->list.call.url, "returnPartialSuccess", "true");
	t->list.size_param = "maxResults";
	t->list.on_page = on_page;
	t->kind = k;
	t->deliver = k->deliver;
	return gcp_typed_start(t, e);
}

enum err_code gce_instances_start(struct gcp *g, const char *project, struct arena *a,
	struct gce_instances *out, struct err *e)
{
	return start(&kind_instances, g, project, a, &out->r, e);
}

enum err_code gce_disks_start(struct gcp *g, const char *project, struct arena *a,
	struct gce_disks *out, struct err *e)
{
	return start(&kind_disks, g, project, a, &out->r, e);
}

enum err_code gce_addresses_start(struct gcp *g, const char *project, struct arena *a,
	struct gce_addresses *out, struct err *e)
{
	return start(&kind_addresses, g, project, a, &out->r, e);
}

enum err_code gce_instances(struct gcp *g, const char *project, struct arena *a,
	struct gce_instances *out, struct err *e)
{
	struct gce_instances own = {0};
	enum err_code rc = gce_instances_start(g, project, a, &own, e);

	rc = gcp_typed_wait(g, rc, &own.r, e);
	if (rc == E_OK)
		*out = own;
	return rc;
}

enum err_code gce_disks(struct gcp *g, const char *project, struct arena *a,
	struct gce_disks *out, struct err *e)
{
	struct gce_disks own = {0};
	enum err_code rc = gce_disks_start(g, project, a, &own, e);

	rc = gcp_typed_wait(g, rc, &own.r, e);
	if (rc == E_OK)
		*out = own;
	return rc;
}

enum err_code gce_addresses(struct gcp *g, const char *project, struct arena *a,
	struct gce_addresses *out, struct err *e)
{
	struct gce_addresses own = {0};
	enum err_code rc = gce_addresses_start(g, project, a, &own, e);

	rc = gcp_typed_wait(g, rc, &own.r, e);
	if (rc == E_OK)
		*out = own;
	return rc;
}

/* ---- single things ------------------------------------------------------- */

static enum err_code check_names(const char *zone, const char *name, struct err *e)
{
	if (!gcp_name_valid(zone))
		return err_set(e, E_CONFIG, "zone \"%.60s\" is malformed", zone);
	if (!gcp_name_valid(name))
		return err_set(e, E_CONFIG, "name \"%.60s\" is malformed", name);
	return E_OK;
}

enum err_code gce_instance_get(struct gcp *g, const char *project, const char *zone,
	const char *name, struct arena *a, struct gce_instance *out, struct err *e)
{
	struct scope s = {.key = zone, .location = zone, .zone = true};
	struct gce_instance own = {0};
	struct gcp_call c;
	enum err_code rc = check_names(zone, name, e);

	if (rc != E_OK)
		return rc;
	gcp_call_init(&c, g, GCP_COMPUTE, project, "get Compute Engine instance");
	gcp_url(g, &c.url, GCP_COMPUTE, "/projects/{}/zones/{}/instances/{}", project, zone,
		name, NULL);
	rc = gcp_call_do(&c, e);
	if (rc == E_OK) {
		rc = read_instance(c.json, &s, a, &own, e);
		if (rc != E_OK)
			err_wrap(e, "%s", c.what);
	}
	gcp_call_free(&c);
	if (rc == E_OK)
		*out = own;
	return rc;
}

/* The object is the only page of a list of one. */
static enum err_code on_machine_type(
	struct gcp_list *l, const struct cJSON *page, struct err *e)
{
	struct gcp_typed *t = l->ctx;
	struct dec d = dec_begin(page, t->arena, e);
	const struct cJSON *gpu = json_first(dec_array(&d, "accelerators"));
	struct gce_machine_type m = {.gpu_type = ""};

	m.name = dec_name(&d, "name");
	m.guest_cpus = dec_i64(&d, "guestCpus");
	m.memory_mb = dec_i64(&d, "memoryMb");
	m.shared_cpu = dec_bool(&d, "isSharedCpu");
	if (d.code == E_OK && gpu) {
		struct dec one = dec_begin(gpu, t->arena, e);

		m.gpu_type = dec_text(&one, "guestAcceleratorType");
		m.gpu_count = dec_i64(&one, "guestAcceleratorCount");
		d.code = one.code;
	}
	if (d.code == E_OK && (m.guest_cpus < 1 || m.memory_mb < 1))
		dec_fail(&d, "guestCpus", "it and memoryMb must be positive");
	if (d.code == E_OK)
		memcpy(gcp_typed_slot(t, "type"), &m, sizeof(m));
	return d.code;
}

static void deliver_machine_type(struct gcp_typed *t)
{
	struct gce_machine_type *out = (struct gce_machine_type *)t->result;
	const struct gce_machine_type *m = t->items;

	out->name = m->name;
	out->guest_cpus = m->guest_cpus;
	out->memory_mb = m->memory_mb;
	out->shared_cpu = m->shared_cpu;
	out->gpu_type = m->gpu_type;
	out->gpu_count = m->gpu_count;
}

enum err_code gce_machine_type_start(struct gcp *g, const char *project, const char *zone,
	const char *name, struct arena *a, struct gce_machine_type *out, struct err *e)
{
	struct gcp_typed *t;
	enum err_code rc = check_names(zone, name, e);

	if (rc != E_OK)
		return rc;
	t = gcp_typed_new(
		g, GCP_COMPUTE, project, "get machine type", a, &out->r, sizeof(*out));
	gcp_url(g, &t->list.call.url, GCP_COMPUTE, "/projects/{}/zones/{}/machineTypes/{}",
		project, zone, name, NULL);
	t->list.size_param = NULL;
	t->list.on_page = on_machine_type;
	t->deliver = deliver_machine_type;
	return gcp_typed_start(t, e);
}

enum err_code gce_machine_type_get(struct gcp *g, const char *project, const char *zone,
	const char *name, struct arena *a, struct gce_machine_type *out, struct err *e)
{
	struct gce_machine_type own = {0};
	enum err_code rc = gce_machine_type_start(g, project, zone, name, a, &own, e);

	rc = gcp_typed_wait(g, rc, &own.r, e);
	if (rc == E_OK)
		*out = own;
	return rc;
}
