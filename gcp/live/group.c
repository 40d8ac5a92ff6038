/* Live check of a TPU slice that is a managed instance group, with all of its machines. */
#include "gcp/live/live.h"

#include "base/data/json.h"
#include "base/str.h"
#include "gcp/compute/compute.h"
#include "gcp/compute/slice.h"

#include <string.h>

/* The machines that the group made, of a list of all; `hosts` fits all of them. A property of one
 * applies to the whole slice. */
static size_t group_hosts(struct gcp *g, const struct gcp_thing *t,
	const struct gce_instances *list, struct gce_host *hosts, struct arena *a,
	struct gcp_live *out)
{
	const char *path = arena_printf(a, "%s/%s/instanceGroupManagers/%s",
		t->regional ? "regions" : "zones",
		gcp_thing_place(t, (char[GCP_PLACE_BUF]){0}), t->name);
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		const struct gce_instance *vm = &list->v[i];

		if (!str_eq(gce_group_of(vm), path))
			continue;
		hosts[n] = (struct gce_host){.zone = vm->zone,
			.type = vm->machine_type,
			.provisioning = vm->class,
			.state = gcp_state_ours(GCP_VM, vm->status),
			.raw_state = vm->status,
			.labels = vm->labels,
			.created = vm->created,
			.ends = vm->ends};
		hosts[n].since = gce_state_since(vm, hosts[n].state);
		out->deletion_protection = out->deletion_protection ||
			vm->deletion_protection;
		out->own_host = out->own_host || live_vm_is_own_host(g, vm);
		for (size_t k = 0; k < vm->n_disks; k++)
			out->local_ssd = out->local_ssd ||
				str_eq(vm->disks[k].type, "SCRATCH");
		n++;
	}
	return n;
}

static enum err_code group_list(struct gcp *g, const struct gcp_thing *t, struct arena *a,
	struct gce_instances *list, struct err *e)
{
	if (gcp_listing_start(&gce_instance_listing, g, t->project, NULL, a, &list->r, e) ||
		gcp_run(g, e))
		return e->code;
	if (list->r.code) {
		*e = list->r.err;
		return e->code = list->r.code;
	}
	if (list->r.scopes.n)
		return err_set(e, E_NET, "its machines: no answer from %s",
			list->r.scopes.incomplete[0]);
	return E_OK;
}

enum err_code live_read_group(struct gcp *g, const struct gcp_thing *t,
	const struct cJSON *j, struct arena *a, struct gcp_live *out, struct err *e)
{
	struct gce_instances list = {0};
	struct gce_group group = {0};
	struct gce_slice slice;
	struct gce_host *hosts;
	size_t n;

	if (gce_group_read(j, a, &group, e) || group_list(g, t, a, &list, e))
		return e->code;
	if (!str_eq(group.name, t->name))
		return err_set(
			e, E_DATA, "requested %.60s, received %.60s", t->name, group.name);
	if (*json_text(json_path(j, "status", "autoscaler", NULL), ""))
		out->managed_by = "an autoscaler, which would create its machines again";
	hosts = arena_alloc(a, (list.n + 1) * sizeof(*hosts));
	n = group_hosts(g, t, &list, hosts, a, out);
	if (!n && !group.target_size) {
		out->found = false;
		return E_OK;
	}
	if (!gce_slice_alike(hosts, n) || (n && !str_eq(hosts[0].zone, t->location)))
		return err_set(e, E_DATA, "its machines are not alike");
	out->uid = group.id;
	out->queued = "";
	out->restart = "";
	out->recreate = arena_printf(a, "%s --size=%lld", live_command(t, "resize", a),
		(long long)group.target_size);
	if (!n) {
		out->state = out->raw_state = "starting";
		out->type = "";
		out->labels = "{}";
		return E_OK;
	}
	gce_slice_sum(hosts, n, group.target_size, a, &slice);
	out->state = slice.state;
	out->raw_state = slice.raw_state;
	out->type = slice.type;
	out->created = slice.created;
	out->started = slice.since;
	out->labels = slice.labels;
	if (!out->managed_by)
		out->managed_by = live_manager(slice.labels, "", a);
	out->hosts = (int64_t)n;
	out->spot = str_eq(hosts[0].provisioning, "spot");
	out->flex_start = str_eq(hosts[0].provisioning, "flex-start");
	return E_OK;
}
