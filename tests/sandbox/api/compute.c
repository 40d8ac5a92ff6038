/* Compute Engine v1: how machines, disks, addresses and machine types are written. Shapes
 * after the Compute REST reference. */
#include "tests/sandbox/api/compute.h"

#include "tests/sandbox/actions.h"

#include "rules/price/machine.h"

#include <string.h>

void gce_url(struct jw *w, const struct request *q, const char *key, const char *project,
	const char *rest)
{
	jw_kstr(w, key, arena_printf(q->a, GCE_HOST "%s/%s", project, rest));
}

const char *gce_fingerprint(const struct request *q, const char *labels)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint64_t h = 0xcbf29ce484222325u;
	char text[12];

	for (const char *p = labels; *p; p++)
		h = (h ^ (unsigned char)*p) * 0x100000001b3u;
	for (size_t i = 0; i < 11; i++, h >>= 6)
		text[i] = digits[h & 63];
	text[11] = 0;
	return arena_printf(q->a, "%s=", text);
}

/* ---- instances ------------------------------------------------------------------------------- */

static size_t n_instances(const struct request *q)
{
	return q->w->n_instances;
}

static const char *instance_project(const struct request *q, size_t i)
{
	return q->w->instances[i].project;
}

static const char *instance_item(const struct request *q, size_t i, const char **id)
{
	*id = q->w->instances[i].id;
	return q->w->instances[i].name;
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
	gce_url(w, q, "acceleratorType", x->project,
		arena_printf(q->a, "zones/%s/acceleratorTypes/%s", x->zone, x->gpu));
	jw_ki64(w, "acceleratorCount", x->gpus);
	jw_end(w, '}');
	jw_end(w, ']');
}

/* Local SSDs have no disk of their own behind them. */
static void write_local_ssds(
	const struct request *q, struct jw *w, const struct instance *x)
{
	for (int64_t i = 0; i < x->local_ssds; i++) {
		jw_begin(w, '{');
		jw_kstr(w, "kind", "compute#attachedDisk");
		jw_kstr(w, "type", "SCRATCH");
		jw_kstr(w, "mode", "READ_WRITE");
		jw_kstr(w, "deviceName",
			arena_printf(q->a, "local-ssd-%lld", (long long)i));
		jw_kstr(w, "interface", "NVME");
		jw_key(w, "boot");
		jw_bool(w, false);
		jw_key(w, "autoDelete");
		jw_bool(w, true);
		jw_kstr(w, "diskSizeGb", "375");
		jw_end(w, '}');
	}
}

static void write_boot_disk(const struct request *q, struct jw *w, const struct instance *x)
{
	jw_key(w, "disks");
	jw_begin(w, '[');
	for (size_t i = 0; i < q->w->n_disks; i++) {
		const struct disk *d = &q->w->disks[i];

		for (size_t k = 0; k < d->users.n; k++) {
			if (strcmp(d->users.v[k], x->name) || !d->zone ||
				strcmp(d->project, x->project) || strcmp(d->zone, x->zone))
				continue;
			jw_begin(w, '{');
			jw_kstr(w, "kind", "compute#attachedDisk");
			jw_kstr(w, "type", "PERSISTENT");
			jw_kstr(w, "mode", "READ_WRITE");
			gce_url(w, q, "source", d->project,
				arena_printf(q->a, "zones/%s/disks/%s", d->zone, d->name));
			jw_key(w, "boot");
			jw_bool(w, !strcmp(d->name, x->name));
			jw_key(w, "autoDelete");
			jw_bool(w, !strcmp(d->name, x->name) && !d->keep);
			jw_kstr(w, "diskSizeGb",
				arena_printf(q->a, "%lld", (long long)d->size_gb));
			jw_end(w, '}');
		}
	}
	write_local_ssds(q, w, x);
	jw_end(w, ']');
}

static void write_metadata_item(struct jw *w, const char *key, const char *value)
{
	if (!value)
		return;
	jw_begin(w, '{');
	jw_kstr(w, "key", key);
	jw_kstr(w, "value", value);
	jw_end(w, '}');
}

static void write_metadata(struct jw *w, const struct instance *x)
{
	jw_key(w, "metadata");
	jw_begin(w, '{');
	jw_kstr(w, "kind", "compute#metadata");
	jw_kstr(w, "fingerprint", "AbCdEf012345=");
	jw_key(w, "items");
	jw_begin(w, '[');
	write_metadata_item(w, "created-by", x->created_by);
	write_metadata_item(w, "startup-script", x->startup_script);
	jw_end(w, ']');
	jw_end(w, '}');
}

/* As asked for, in the scheduling. */
static void write_run_limit(const struct request *q, struct jw *w, const struct instance *x)
{
	if (x->ends)
		add_pacific(w, "terminationTime", x->ends);
	if (x->run_limit) {
		jw_key(w, "maxRunDuration");
		jw_begin(w, '{');
		jw_kstr(w, "seconds", arena_printf(q->a, "%lld", (long long)x->run_limit));
		jw_end(w, '}');
	}
	if (end_of_instance(x))
		jw_kstr(w, "instanceTerminationAction", end_deletes(x) ? "DELETE" : "STOP");
}

/* End and reservation of a machine that runs. */
static void write_status(const struct request *q, struct jw *w, const struct instance *x)
{
	if (strcmp(x->status, "RUNNING") != 0)
		return;
	jw_key(w, "resourceStatus");
	jw_begin(w, '{');
	if (end_of_instance(x)) {
		jw_key(w, "scheduling");
		jw_begin(w, '{');
		add_pacific(w, "terminationTimestamp", end_of_instance(x));
		jw_end(w, '}');
	}
	if (x->reservation) {
		jw_key(w, "reservationConsumptionInfo");
		jw_begin(w, '{');
		jw_kstr(w, "consumedReservation",
			arena_printf(q->a, "projects/%s/zones/%s/reservations/%s",
				x->project, x->zone, x->reservation));
		jw_end(w, '}');
	}
	jw_end(w, '}');
}

static void write_instance(const struct request *q, struct jw *w, size_t i)
{
	const struct instance *x = &q->w->instances[i];

	jw_begin(w, '{');
	jw_kstr(w, "kind", "compute#instance");
	jw_kstr(w, "id", x->id);
	jw_kstr(w, "name", x->name);
	gce_url(w, q, "zone", x->project, arena_printf(q->a, "zones/%s", x->zone));
	gce_url(w, q, "machineType", x->project,
		arena_printf(q->a, "zones/%s/machineTypes/%s", x->zone, x->type));
	jw_kstr(w, "status", x->status);
	add_pacific(w, "creationTimestamp", x->created);
	add_pacific(w, "lastStartTimestamp", x->started);
	if (x->stopped)
		add_pacific(w, "lastStopTimestamp", x->stopped);
	jw_kstr(w, "cpuPlatform", "Intel Skylake");
	jw_key(w, "deletionProtection");
	jw_bool(w, x->deletion_protection);
	jw_kstr(w, "labelFingerprint", gce_fingerprint(q, x->labels));
	jw_key(w, "labels");
	jw_raw(w, x->labels);
	jw_key(w, "scheduling");
	jw_begin(w, '{');
	jw_kstr(w, "onHostMaintenance", class_is(x, "spot") ? "TERMINATE" : "MIGRATE");
	jw_key(w, "preemptible");
	jw_bool(w, class_is(x, "spot"));
	jw_kstr(w, "provisioningModel", model_of(CLASS_OF(x)));
	write_run_limit(q, w, x);
	jw_end(w, '}');
	if (end_of_instance(x) || x->reservation)
		write_status(q, w, x);
	write_boot_disk(q, w, x);
	if (x->gpu)
		write_accelerators(q, w, x);
	jw_key(w, "networkInterfaces");
	jw_begin(w, '[');
	jw_begin(w, '{');
	jw_kstr(w, "name", "nic0");
	jw_kstr(w, "networkIP", x->internal_ip ? x->internal_ip : "10.164.0.2");
	jw_end(w, '}');
	jw_end(w, ']');
	if (x->created_by || x->startup_script)
		write_metadata(w, x);
	gce_url(w, q, "selfLink", x->project,
		arena_printf(q->a, "zones/%s/instances/%s", x->zone, x->name));
	jw_end(w, '}');
}

/* ---- disks ----------------------------------------------------------------------------------- */

static size_t n_disks(const struct request *q)
{
	return q->w->n_disks;
}

static const char *disk_project(const struct request *q, size_t i)
{
	return q->w->disks[i].project;
}

static const char *disk_item(const struct request *q, size_t i, const char **id)
{
	*id = q->w->disks[i].id;
	return q->w->disks[i].name;
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
	gce_url(w, q, d->zone ? "zone" : "region", d->project, scope);
	gce_url(w, q, "type", d->project,
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
				arena_printf(q->a, GCE_HOST "%s/%s/instances/%s",
					d->project, scope, d->users.v[k]));
		jw_end(w, ']');
	}
	gce_url(w, q, "selfLink", d->project,
		arena_printf(q->a, "%s/disks/%s", scope, d->name));
	jw_end(w, '}');
}

/* ---- addresses ------------------------------------------------------------------------------- */

static size_t n_addresses(const struct request *q)
{
	return q->w->n_addresses;
}

static const char *address_project(const struct request *q, size_t i)
{
	return q->w->addresses[i].project;
}

static const char *address_item(const struct request *q, size_t i, const char **id)
{
	*id = q->w->addresses[i].id;
	return q->w->addresses[i].name;
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
		gce_url(w, q, "region", x->project,
			arena_printf(q->a, "regions/%s", x->region));
	if (x->users.n) {
		jw_key(w, "users");
		jw_begin(w, '[');
		for (size_t k = 0; k < x->users.n; k++)
			jw_str(w,
				arena_printf(q->a, GCE_HOST "%s/zones/%s-a/instances/%s",
					x->project, x->region, x->users.v[k]));
		jw_end(w, ']');
	}
	jw_end(w, '}');
}

/* ---- machine types ------------------------------------------------------------------------------- */

/* The same everywhere; any other type that exists can be asked for by name. */
static const char *const machine_types[] = {"e2-micro", "e2-standard-2", "n1-standard-1",
	"n1-standard-2", "n1-standard-4", "n1-standard-16", "n1-highmem-2", "n1-highmem-96",
	"n2-standard-8", "ct5lp-hightpu-4t"};

static size_t n_machine_types(const struct request *q)
{
	return q->w->zones.n * ARRAY_LEN(machine_types);
}

static const char *machine_type_project(const struct request *q, size_t i)
{
	(void)i;
	return world_project(q->w, q->seg[3])->id;
}

static const char *machine_type_zone(const struct request *q, size_t i)
{
	return q->w->zones.v[i / ARRAY_LEN(machine_types)];
}

static const char *machine_type_scope(const struct request *q, size_t i)
{
	return arena_printf(q->a, "zones/%s", machine_type_zone(q, i));
}

static const char *machine_type_item(const struct request *q, size_t i, const char **id)
{
	(void)q;
	*id = "";
	return machine_types[i % ARRAY_LEN(machine_types)];
}

static bool write_machine(
	const struct request *q, struct jw *w, const char *zone, const char *name)
{
	struct machine m;

	if (!machine_parse(name, &m))
		return false;
	jw_begin(w, '{');
	jw_kstr(w, "kind", "compute#machineType");
	jw_kstr(w, "id",
		arena_printf(q->a, "%lld", (long long)(m.vcpus * 1000000 + m.memory_mib)));
	jw_kstr(w, "name", name);
	jw_kstr(w, "description",
		arena_printf(q->a, "%lld vCPUs, %lld MB RAM", (long long)m.vcpus,
			(long long)m.memory_mib));
	jw_kstr(w, "zone", zone);
	jw_ki64(w, "guestCpus", m.vcpus);
	jw_ki64(w, "memoryMb", m.memory_mib);
	jw_ki64(w, "imageSpaceGb", 0);
	jw_key(w, "isSharedCpu");
	jw_bool(w, m.billed_vcpus != m.vcpus * NANOS);
	gce_url(w, q, "selfLink", q->seg[3],
		arena_printf(q->a, "zones/%s/machineTypes/%s", zone, name));
	jw_end(w, '}');
	return true;
}

static void write_machine_type(const struct request *q, struct jw *w, size_t i)
{
	const char *id;

	if (!write_machine(q, w, machine_type_zone(q, i), machine_type_item(q, i, &id)))
		jw_raw(w, "{}");
}

void serve_machine_type(const struct request *q, struct response *r)
{
	struct jw w = {.b = &r->body};

	if (gce_project(q, r) && !write_machine(q, &w, q->seg[5], q->seg[7]))
		gce_not_found(q, r,
			arena_printf(
				q->a, "zones/%s/machineTypes/%s", q->seg[5], q->seg[7]));
}

const struct gce_kind gce_instances = {"instances", "instance", n_instances,
	instance_project, instance_scope, instance_item, write_instance};
const struct gce_kind gce_disks = {
	"disks", "disk", n_disks, disk_project, disk_scope, disk_item, write_disk};
const struct gce_kind gce_addresses = {"addresses", "address", n_addresses, address_project,
	address_scope, address_item, write_address};
const struct gce_kind gce_machine_types = {"machineTypes", "machineType", n_machine_types,
	machine_type_project, machine_type_scope, machine_type_item, write_machine_type};
