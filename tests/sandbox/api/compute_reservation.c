/* Compute Engine v1: reservations and future reservations, from one list of the world. Shapes after the
 * Compute REST reference, reservations and futureReservations. */
#include "tests/sandbox/api/compute.h"

#include "base/str.h"

#include <string.h>

static const struct reservation *reservation_at(const struct request *q, size_t i)
{
	return &q->w->reservations[i];
}

static size_t n_reservations(const struct request *q)
{
	return q->w->n_reservations;
}

/* The other list does not have it. */
static const char *reservation_project(const struct request *q, size_t i)
{
	const struct reservation *x = reservation_at(q, i);

	return str_eq(x->kind, "reservation") ? x->project : "";
}

static const char *future_project(const struct request *q, size_t i)
{
	const struct reservation *x = reservation_at(q, i);

	return str_eq(x->kind, "reservation") ? "" : x->project;
}

static const char *reservation_scope(const struct request *q, size_t i)
{
	return arena_printf(q->a, "zones/%s", reservation_at(q, i)->zone);
}

static const char *reservation_item(const struct request *q, size_t i, const char **id)
{
	*id = reservation_at(q, i)->id;
	return reservation_at(q, i)->name;
}

static void jw_count(const struct request *q, struct jw *w, const char *key, int64_t v)
{
	jw_kstr(w, key, arena_printf(q->a, "%lld", (long long)v));
}

static const char *vm_family(const char *type)
{
	static const char *const families[][2] = {{"ct3", "DEVICE_CT3"},
		{"ct5l", "LITE_DEVICE_CT5L"}, {"ct5lp", "LITE_POD_SLICE_CT5LP"},
		{"ct6e", "LITE_POD_SLICE_CT6E"}, {"ct3p", "POD_SLICE_CT3P"},
		{"ct4p", "POD_SLICE_CT4P"}, {"ct5p", "POD_SLICE_CT5P"},
		{"tpu7x", "POD_SLICE_TPU7X"}};

	for (size_t i = 0; i < ARRAY_LEN(families); i++)
		if (!strcmp(families[i][0], type))
			return families[i][1];
	return "POD_SLICE_NEW";
}

static void write_chips(const struct request *q, struct jw *w, const struct reservation *x,
	const char *key, int64_t chips)
{
	jw_key(w, key);
	jw_begin(w, '[');
	jw_begin(w, '{');
	jw_key(w, "accelerator");
	jw_begin(w, '{');
	jw_ki64(w, "acceleratorCount", chips);
	jw_kstr(w, "acceleratorType",
		arena_printf(q->a, "projects/%s/zones/%s/acceleratorTypes/%s", x->project,
			x->zone, x->type));
	jw_end(w, '}');
	jw_end(w, '}');
	jw_end(w, ']');
}

/* Machines of one type under `key`, or chips of one family. */
static void write_capacity(const struct request *q, struct jw *w,
	const struct reservation *x, const char *key, const char *count, bool used)
{
	bool machines = strchr(x->type, '-') != NULL;

	jw_key(w, machines ? key : "aggregateReservation");
	jw_begin(w, '{');
	if (!machines) {
		jw_kstr(w, "vmFamily",
			arena_printf(q->a, "VM_FAMILY_CLOUD_TPU_%s", vm_family(x->type)));
		jw_kstr(w, "workloadType", "BATCH");
		write_chips(q, w, x, "reservedResources", x->count);
		if (used)
			write_chips(q, w, x, "inUseResources", x->used);
		jw_end(w, '}');
		return;
	}
	jw_count(q, w, count, x->count);
	if (used) {
		jw_count(q, w, "inUseCount", x->used);
		jw_count(q, w, "assuredCount", x->count);
	}
	jw_key(w, "instanceProperties");
	jw_begin(w, '{');
	jw_kstr(w, "machineType", x->type);
	jw_end(w, '}');
	jw_end(w, '}');
}

static void write_head(const struct request *q, struct jw *w, const struct reservation *x,
	const char *kind, const char *list)
{
	jw_begin(w, '{');
	jw_kstr(w, "kind", kind);
	jw_kstr(w, "id", x->id);
	jw_kstr(w, "name", x->name);
	add_pacific(w, "creationTimestamp", x->created);
	gce_url(w, q, "zone", x->project, arena_printf(q->a, "zones/%s", x->zone));
	gce_url(w, q, "selfLink", x->project,
		arena_printf(q->a, "zones/%s/%s/%s", x->zone, list, x->name));
}

static void write_reservation(const struct request *q, struct jw *w, size_t i)
{
	const struct reservation *x = reservation_at(q, i);

	write_head(q, w, x, "compute#reservation", "reservations");
	jw_kstr(w, "status", x->status);
	jw_key(w, "specificReservationRequired");
	jw_bool(w, true);
	jw_key(w, "shareSettings");
	jw_begin(w, '{');
	jw_kstr(w, "shareType", "LOCAL");
	jw_end(w, '}');
	if (x->ends)
		add_pacific(w, "deleteAtTime", x->ends);
	if (x->commitment)
		gce_url(w, q, "commitment", x->project,
			arena_printf(q->a, "regions/%.*s/commitments/%s",
				(int)(strrchr(x->zone, '-') - x->zone), x->zone,
				x->commitment));
	write_capacity(q, w, x, "specificReservation", "count", true);
	jw_end(w, '}');
}

static void write_future(const struct request *q, struct jw *w, size_t i)
{
	const struct reservation *x = reservation_at(q, i);

	write_head(q, w, x, "compute#futureReservation", "futureReservations");
	jw_kstr(w, "planningStatus", "SUBMITTED");
	jw_kstr(w, "reservationMode", str_eq(x->kind, "calendar") ? "CALENDAR" : "DEFAULT");
	jw_key(w, "timeWindow");
	jw_begin(w, '{');
	add_pacific(w, "startTime", x->starts);
	add_pacific(w, "endTime", x->ends);
	jw_end(w, '}');
	jw_key(w, "status");
	jw_begin(w, '{');
	jw_kstr(w, "procurementStatus", x->status);
	jw_count(q, w, "fulfilledCount", x->made.n ? x->count : 0);
	if (x->made.n) {
		jw_key(w, "autoCreatedReservations");
		jw_begin(w, '[');
		for (size_t k = 0; k < x->made.n; k++)
			jw_str(w,
				arena_printf(q->a, GCE_HOST "%s/zones/%s/reservations/%s",
					x->project, x->zone, x->made.v[k]));
		jw_end(w, ']');
	}
	jw_end(w, '}');
	write_capacity(q, w, x, "specificSkuProperties", "totalCount", false);
	jw_end(w, '}');
}

const struct gce_kind gce_reservations = {"reservations", "reservation", n_reservations,
	reservation_project, reservation_scope, reservation_item, write_reservation};
const struct gce_kind gce_futures = {"futureReservations", "futureReservation",
	n_reservations, future_project, reservation_scope, reservation_item, write_future};
