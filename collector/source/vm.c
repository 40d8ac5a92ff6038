/* Compute Engine machines, and the TPUs among them: newer TPUs can be plain instances whose
 * machine types begin with "ct" or "tpu" (Compute Engine machine family reference). */
#include "base/str.h"
#include "collector/inventory.h"
#include "gcp/compute/compute.h"
#include "gcp/thing.h"

#include <string.h>

static bool is_tpu_machine(const char *type)
{
	return (str_starts(type, "ct") && strstr(type, "-") && type[2] >= '0' &&
		       type[2] <= '9') ||
		str_starts(type, "tpu");
}

/* When its state began, in Google's words. */
static struct opt_i64 state_since(const struct gce_instance *vm, const char *state)
{
	if (!strcmp(state, "running"))
		return opt_time(vm->last_start);
	if (!strcmp(state, "stopped"))
		return opt_time(vm->last_stop);
	return strcmp(state, "suspended") ? NONE : opt_time(vm->last_suspended);
}

/* Local SSDs are part of the machine: they are in no list of disks. */
static struct opt_i64 local_ssd(const struct gce_instance *vm)
{
	int64_t gib = 0;

	for (size_t i = 0; i < vm->n_disks; i++) {
		const struct gce_attached *d = &vm->disks[i];

		if (strcmp(d->type, "SCRATCH") != 0)
			continue;
		if (d->size_gb < 1 || __builtin_add_overflow(gib, d->size_gb, &gib))
			return SOME(-1);
	}
	return gib ? SOME(gib) : NONE;
}

static void add_vm(struct poll *p, struct inventory *inv, const struct gce_instance *vm)
{
	const char *kind = is_tpu_machine(vm->machine_type) ? "tpu" : "vm";
	struct q_resource_put_in *r = inventory_add(p, inv, kind, vm->zone, vm->name);

	r->uid = vm->id;
	r->raw_state = vm->status;
	r->state = gcp_state_ours(GCP_VM, vm->status);
	r->type = vm->machine_type;
	r->provisioning = "on-demand";
	if (vm->spot)
		r->provisioning = "spot";
	else if (!strcmp(vm->provisioning_model, "RESERVATION_BOUND"))
		r->provisioning = "reserved";
	r->labels = vm->labels;
	r->owner = owner_of_labels(p->arena, vm->labels);
	r->created = opt_time(vm->created);
	r->state_since = state_since(vm, r->state);
	if (vm->n_accelerators) {
		r->gpu_type = vm->accelerators[0].type;
		r->gpu_count = SOME(vm->accelerators[0].count);
	}
	r->local_ssd_gib = local_ssd(vm);
}

static enum err_code ask(struct poll *p, struct err *e)
{
	struct gce_instances *list = arena_new(p->arena, struct gce_instances);

	p->state = list;
	poll_await(p, &list->r);
	return poll_started(p, gce_instances_start(p->gcp, p->project, p->arena, list, e));
}

static enum err_code rows(struct poll *p, struct inventory *inv, struct err *e)
{
	const struct gce_instances *list = p->state;

	if (poll_result(p, &list->r, e))
		return e->code;
	for (size_t i = 0; i < list->n; i++)
		add_vm(p, inv, &list->v[i]);
	return E_OK;
}

static enum err_code take(struct poll *p, struct err *e)
{
	return inventory_take(p, rows, ask, e);
}

const struct source source_vm = {
	.name = "vm",
	.group = "instances",
	.doc = "Compute Engine machines, and TPUs that are machines",
	.ask = ask,
	.take = take,
};
