#include "gcp/compute/reservation.h"

#include "base/str.h"
#include "gcp/compute/aggregated.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- states ------------------------------------------------------------------------------------ */

static const struct {
	const char *google, *ours;
} reservation_states[] = {
	{"CREATING", "starting"},
	{"READY", "running"},
	{"UPDATING", "running"},
	{"DELETING", "deleting"},
	{"INVALID", "failed"},
	{"DRAFTING", "pending"},
	{"PENDING_APPROVAL", "pending"},
	{"PENDING_AMENDMENT_APPROVAL", "pending"},
	{"APPROVED", "committed"},
	{"COMMITTED", "committed"},
	{"PROCURING", "committed"},
	{"PROVISIONING", "committed"},
	{"FULFILLED", "committed"},
	{"FAILED", "failed"},
	{"FAILED_PARTIALLY_FULFILLED", "failed"},
	{"DECLINED", "failed"},
	{"CANCELLED", "cancelled"},
};

const char *gce_reservation_state(const char *google)
{
	for (size_t i = 0; i < ARRAY_LEN(reservation_states); i++)
		if (str_eq(reservation_states[i].google, google))
			return reservation_states[i].ours;
	return "unknown";
}

/* "projects/P/zones/Z/reservations/NAME", perhaps with more before and after it. */
const char *gce_reservation_used(
	const char *full_name, const char *project, struct arena *a)
{
	const char *at = strstr(full_name, "projects/");
	char owner[128], zone[128], name[128];

	if (!at ||
		sscanf(at, "projects/%127[^/]/zones/%127[^/]/reservations/%127[^/]", owner,
			zone, name) != 3 ||
		!gcp_name_valid(zone) || !gcp_name_valid(name))
		return NULL;
	if (strcmp(owner, project) != 0 && owner[strspn(owner, "0123456789")])
		return NULL;
	return arena_printf(a, "%s/%s", zone, name);
}

/* ---- capacity ---------------------------------------------------------------------------------- */

static struct opt_i64 reservation_number(struct dec *d, const char *key)
{
	return json_get(d->obj, key) ? SOME(dec_count(d, key)) : NONE;
}

/* "ct6e" of VM_FAMILY_CLOUD_TPU_LITE_POD_SLICE_CT6E; "" of other machines. */
static const char *reservation_family(struct dec *d)
{
	const char *family = dec_text(d, "vmFamily");
	char *word;

	if (!str_starts(family, "VM_FAMILY_CLOUD_TPU_"))
		return "";
	word = arena_strdup(d->a, str_after_last(family, '_'));
	for (char *p = word; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return word;
}

static void reservation_read_chips(struct dec *d, void *item)
{
	struct dec chips = dec_enter(d, "accelerator");

	*(int64_t *)item = dec_count(&chips, "acceleratorCount");
	dec_leave(d, &chips);
}

/* Chips of all entries; an absent list is empty. */
static struct opt_i64 reservation_chips(struct dec *d, const char *key)
{
	size_t n;
	const int64_t *v = dec_each(d, key, sizeof(*v), reservation_read_chips, &n);
	int64_t sum = 0;

	for (size_t i = 0; d->code == E_OK && i < n; i++)
		if (__builtin_add_overflow(sum, v[i], &sum))
			dec_fail(d, key, "too many chips");
	return SOME(sum);
}

static void reservation_read_gpus(struct dec *d, void *item)
{
	struct gce_capacity *out = item;

	out->gpu_type = dec_tail(d, "acceleratorType");
	out->gpus = dec_count(d, "acceleratorCount");
}

static void reservation_read_ssd(struct dec *d, void *item)
{
	*(int64_t *)item = dec_count(d, "diskSizeGb");
}

static void reservation_read_machine(struct dec *d, struct gce_capacity *out)
{
	struct dec machine = dec_enter(d, "instanceProperties");
	const struct gce_capacity *gpus;
	const int64_t *ssd;
	size_t n_gpus, n_ssd;

	out->type = dec_tail(&machine, "machineType");
	gpus = dec_each(&machine, "guestAccelerators", sizeof(*gpus), reservation_read_gpus,
		&n_gpus);
	ssd = dec_each(&machine, "localSsds", sizeof(*ssd), reservation_read_ssd, &n_ssd);
	if (!dec_leave(d, &machine))
		return;
	out->gpu_type = n_gpus ? gpus[0].gpu_type : "";
	out->gpus = n_gpus ? gpus[0].gpus : 0;
	for (size_t i = 0; i < n_ssd && out->local_ssd_gib >= 0; i++)
		if (!ssd[i] ||
			__builtin_add_overflow(
				out->local_ssd_gib, ssd[i], &out->local_ssd_gib))
			out->local_ssd_gib = -1;
}

/* Machines in the object `key`, with their number in its member `count`, or chips. */
static void reservation_read_capacity(struct dec *d, const char *name, const char *key,
	const char *count, struct gce_capacity *out)
{
	struct dec in = dec_enter(d, key), chips;

	*out = (struct gce_capacity){.type = "", .gpu_type = ""};
	reservation_read_machine(&in, out);
	out->count = reservation_number(&in, count);
	out->used = reservation_number(&in, "inUseCount");
	if (!dec_leave(d, &in))
		err_wrap(d->e, "'%s': %s", name, key);
	if (!dec_object(d, "aggregateReservation"))
		return;
	chips = dec_enter(d, "aggregateReservation");
	out->type = reservation_family(&chips);
	out->count = reservation_chips(&chips, "reservedResources");
	out->used = reservation_chips(&chips, "inUseResources");
	if (!dec_leave(d, &chips))
		err_wrap(d->e, "'%s': aggregateReservation", name);
}

/* ---- lists ------------------------------------------------------------------------------------- */

static void reservation_read(struct dec *d, void *item)
{
	struct gce_reservation *out = item;
	size_t n_commitments;

	out->id = d->key = dec_id(d, "id", true);
	out->name = dec_name(d, "name");
	out->zone = arena_strdup(d->a, d->scope->location);
	out->status = dec_text(d, "status");
	out->created = dec_ts(d, "creationTimestamp");
	out->ends = dec_ts(d, "deleteAtTime");
	dec_tails(d, "linkedCommitments", &n_commitments);
	out->committed = n_commitments || *dec_tail(d, "commitment");
	reservation_read_capacity(d, out->name, "specificReservation", "count", &out->what);
}

const struct gcp_listing gce_reservation_listing = {
	.what = "list reservations",
	AGGREGATED("/projects/{}/aggregated/reservations", "reservations"),
	.size = sizeof(struct gce_reservation),
	.read = reservation_read,
};

static void reservation_read_window(struct dec *d, struct gce_future *out)
{
	struct dec window = dec_enter(d, "timeWindow"),
		   length = dec_enter(&window, "duration");
	int64_t seconds = dec_count(&length, "seconds");

	dec_leave(&window, &length);
	out->starts = dec_ts(&window, "startTime");
	out->ends = dec_ts(&window, "endTime");
	dec_leave(d, &window);
	if (out->ends == TS_NONE)
		out->ends = gcp_end_after(out->starts, seconds);
}

static void reservation_read_future(struct dec *d, void *item)
{
	struct gce_future *out = item;
	struct dec status = dec_enter(d, "status");

	out->status = dec_text(&status, "procurementStatus");
	out->made = dec_tails(&status, "autoCreatedReservations", &out->n_made);
	dec_leave(d, &status);
	out->id = d->key = dec_id(d, "id", true);
	out->name = dec_name(d, "name");
	out->zone = arena_strdup(d->a, d->scope->location);
	out->mode = dec_text(d, "reservationMode");
	reservation_read_window(d, out);
	reservation_read_capacity(
		d, out->name, "specificSkuProperties", "totalCount", &out->what);
	out->what.used = NONE; /* its reservations state it */
}

const struct gcp_listing gce_future_listing = {
	.what = "list future reservations",
	AGGREGATED("/projects/{}/aggregated/futureReservations", "futureReservations"),
	.size = sizeof(struct gce_future),
	.read = reservation_read_future,
};
