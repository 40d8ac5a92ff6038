#include "gcp/compute/compute.h"

#include "base/str.h"
#include "gcp/compute/aggregated.h"
#include "gcp/decode.h"

#include <string.h>

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
		at->size_gb = dec_count(&one, "diskSizeGb");
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
		acc->count = dec_count(&one, "acceleratorCount");
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

enum err_code gce_instance_read(const struct cJSON *j, const char *zone, struct arena *a,
	struct gce_instance *out, struct err *e)
{
	struct dec d = dec_begin(j, a, e);
	const struct cJSON *sched = dec_object(&d, "scheduling");

	out->id = dec_id(&d, "id", true);
	out->name = dec_name(&d, "name");
	out->zone = arena_strdup(a, zone);
	out->machine_type = dec_tail(&d, "machineType");
	out->status = dec_need(&d, "status");
	out->created = dec_ts(&d, "creationTimestamp");
	out->last_start = dec_ts(&d, "lastStartTimestamp");
	out->last_stop = dec_ts(&d, "lastStopTimestamp");
	out->last_suspended = dec_ts(&d, "lastSuspendedTimestamp");
	out->labels = "{}";
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

static enum err_code read_instance(const struct cJSON *j, const struct gce_scope *s,
	struct arena *a, void *vout, struct err *e)
{
	struct gce_instance *out = vout;
	struct dec d = dec_begin(j, a, e);

	if (gce_instance_read(j, s->location, a, out, e))
		return e->code;
	out->labels = dec_labels(&d, "labels");
	return d.code;
}

static GCP_DELIVER(deliver_instances, struct gce_instances);

/* ---- disks --------------------------------------------------------------- */

static enum err_code read_disk(const struct cJSON *j, const struct gce_scope *s,
	struct arena *a, void *vout, struct err *e)
{
	struct gce_disk *out = vout;
	struct dec d = dec_begin(j, a, e);

	out->id = dec_id(&d, "id", true);
	out->name = dec_name(&d, "name");
	out->zone = s->zone ? arena_strdup(a, s->location) : "";
	out->region = s->zone ? "" : arena_strdup(a, s->location);
	out->type = dec_tail(&d, "type");
	out->size_gb = dec_count(&d, "sizeGb");
	out->status = dec_text(&d, "status");
	out->users = dec_tails(&d, "users", &out->n_users);
	out->created = dec_ts(&d, "creationTimestamp");
	out->labels = dec_labels(&d, "labels");
	return d.code;
}

static GCP_DELIVER(deliver_disks, struct gce_disks);

/* ---- addresses ----------------------------------------------------------- */

static enum err_code read_address(const struct cJSON *j, const struct gce_scope *s,
	struct arena *a, void *vout, struct err *e)
{
	struct gce_address *out = vout;
	struct dec d = dec_begin(j, a, e);

	out->id = dec_id(&d, "id", true);
	out->name = dec_name(&d, "name");
	out->type = dec_text(&d, "addressType");
	out->status = dec_need(&d, "status");
	out->region = arena_strdup(a, s->location);
	out->users = dec_tails(&d, "users", &out->n_users);
	out->created = dec_ts(&d, "creationTimestamp");
	out->labels = dec_labels(&d, "labels");
	return d.code;
}

static GCP_DELIVER(deliver_addresses, struct gce_addresses);

static const struct gce_aggregated kind_instances = {
	.what = "list Compute Engine instances",
	.path = "/projects/{}/aggregated/instances",
	.items = "instances",
	.size = sizeof(struct gce_instance),
	.read = read_instance,
	.key_offset = offsetof(struct gce_instance, id),
	.deliver = deliver_instances,
};
static const struct gce_aggregated kind_disks = {
	.what = "list Compute Engine disks",
	.path = "/projects/{}/aggregated/disks",
	.items = "disks",
	.size = sizeof(struct gce_disk),
	.read = read_disk,
	.key_offset = offsetof(struct gce_disk, id),
	.deliver = deliver_disks,
};
static const struct gce_aggregated kind_addresses = {
	.what = "list Compute Engine addresses",
	.path = "/projects/{}/aggregated/addresses",
	.items = "addresses",
	.size = sizeof(struct gce_address),
	.read = read_address,
	.key_offset = offsetof(struct gce_address, id),
	.deliver = deliver_addresses,
};

/* ---- lists --------------------------------------------------------------- */

enum err_code gce_instances_start(struct gcp *g, const char *project, struct arena *a,
	struct gce_instances *out, struct err *e)
{
	return gce_aggregated_start(&kind_instances, g, project, NULL, a, &out->r, e);
}

enum err_code gce_disks_start(struct gcp *g, const char *project, struct arena *a,
	struct gce_disks *out, struct err *e)
{
	return gce_aggregated_start(&kind_disks, g, project, NULL, a, &out->r, e);
}

enum err_code gce_addresses_start(struct gcp *g, const char *project, struct arena *a,
	struct gce_addresses *out, struct err *e)
{
	return gce_aggregated_start(&kind_addresses, g, project, NULL, a, &out->r, e);
}
