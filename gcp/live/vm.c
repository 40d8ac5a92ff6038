/* Live check of a Compute Engine instance. */
#include "gcp/live/live.h"

#include "base/data/json.h"
#include "base/str.h"
#include "gcp/compute/compute.h"
#include "gcp/auth/auth.h"

#include <string.h>

bool live_vm_is_own_host(struct gcp *g, const struct gce_instance *vm)
{
	const struct own_host_ask q = {.name = vm->name,
		.uid = vm->id,
		.addresses = vm->addresses,
		.n_addresses = vm->n_addresses};

	return gcp_own_host(g, &q);
}

static void look_vm_add_disks(const struct gce_instance *vm, struct sbuf *b)
{
	for (size_t i = 0; i < vm->n_disks; i++) {
		const struct gce_attached *d = &vm->disks[i];

		if (str_eq(d->type, "SCRATCH")) {
			sbuf_adds(b, " --local-ssd=interface=NVME");
		} else if (!d->auto_delete && *d->source) {
			live_add_option(b, "disk=name", d->source);
			sbuf_addf(b, ",boot=%s,auto-delete=no", d->boot ? "yes" : "no");
		} else if (d->boot && d->size_gb > 0) {
			sbuf_addf(b, " --boot-disk-size=%lldGB", (long long)d->size_gb);
		}
	}
}

/* gcloud reference, compute instances create. The data on disks that are deleted with it is
 * lost. */
static const char *recreate(const struct gcp_thing *t, const struct cJSON *j,
	const struct gce_instance *vm, const char *labels, struct arena *a)
{
	const char *account = json_text(
		json_get(json_first(json_get(j, "serviceAccounts")), "email"), "");
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	sbuf_addf(&b, "%s --machine-type=", live_command(t, "create", a));
	sbuf_add_shell(&b, vm->machine_type);
	if (str_eq(vm->class, "spot") || str_eq(vm->class, "flex-start"))
		sbuf_addf(&b, " --provisioning-model=%s",
			str_eq(vm->class, "spot") ? "SPOT" : "FLEX_START");
	for (size_t i = 0; i < vm->n_accelerators; i++) {
		sbuf_adds(&b, " --accelerator=type=");
		sbuf_add_shell(&b, vm->accelerators[i].type);
		sbuf_addf(&b, ",count=%lld", (long long)vm->accelerators[i].count);
	}
	look_vm_add_disks(vm, &b);
	sbuf_adds(&b, live_labels_option(labels, a));
	live_add_option(&b, "service-account", account);
	return arena_strdup(a, b.s);
}

enum err_code live_read_vm(struct gcp *g, const struct gcp_thing *t, const struct cJSON *j,
	struct arena *a, struct gcp_live *out, struct err *e)
{
	struct gce_instance vm = {0};

	if (gce_instance_read(j, t->location, a, &vm, e))
		return e->code;
	if (!str_eq(vm.name, t->name))
		return err_set(
			e, E_DATA, "requested %.60s, received %.60s", t->name, vm.name);
	out->uid = vm.id;
	out->raw_state = vm.status;
	out->state = gcp_state_ours(GCP_VM, vm.status);
	out->type = vm.machine_type;
	out->created = vm.created;
	out->started = vm.last_start;
	out->labels = live_labels(j, a);
	out->deletion_protection = vm.deletion_protection;
	for (size_t i = 0; i < vm.n_disks; i++)
		out->local_ssd = out->local_ssd || str_eq(vm.disks[i].type, "SCRATCH");
	out->own_host = live_vm_is_own_host(g, &vm);
	out->managed_by = live_manager(out->labels, vm.created_by, a);
	out->hosts = 1;
	out->queued = "";
	out->spot = str_eq(vm.class, "spot");
	out->flex_start = str_eq(vm.class, "flex-start");
	out->restart = out->flex_start ? "" : live_command(t, "start", a);
	out->recreate = recreate(t, j, &vm, out->labels, a);
	return E_OK;
}
