/* Reservations of capacity, and future reservations: the project pays for them whether they are used
 * or not. Compute REST reference v1, reservations and futureReservations (aggregatedList); "Request
 * a future reservation in calendar mode". A list is complete or an error, as in
 * gcp/compute/compute.h. */
#ifndef TPUCOST_GCP_COMPUTE_RESERVATION_H
#define TPUCOST_GCP_COMPUTE_RESERVATION_H

#include "gcp/gcp.h"
#include "gcp/list.h"

/* Reserved machines of one type, or reserved TPU chips of one family. */
struct gce_capacity {
	const char *type;     /* "ct6e-standard-4t"; of chips "ct6e"; "": not stated */
	struct opt_i64 count; /* machines or chips */
	struct opt_i64 used;  /* of them; absent: not stated */
	const char *gpu_type; /* of each machine; "" if none */
	int64_t gpus;
	int64_t local_ssd_gib; /* -1: of unknown size */
};

struct gce_reservation {
	const char *id, *name, *zone;
	const char *status; /* as Google reports it: READY, ... */
	ts_t created;
	ts_t ends;      /* it is deleted then; TS_NONE: no end is set */
	bool committed; /* part of a commitment, with which it ends */
	struct gce_capacity what;
};

struct gce_future {
	const char *id, *name, *zone;
	const char *mode;   /* DEFAULT, CALENDAR, or a word that is not known here */
	const char *status; /* as Google reports it: COMMITTED, ...; "" if absent */
	ts_t starts, ends;  /* TS_NONE if absent */
	const char **made;  /* names of the reservations that it created, in its zone */
	size_t n_made;
	struct gce_capacity what;
};

GCP_ITEMS(gce_reservations, struct gce_reservation);
GCP_ITEMS(gce_futures, struct gce_future);

/* For gcp_listing_start. They need compute.reservations.list and compute.futureReservations.list. */
extern const struct gcp_listing gce_reservation_listing, gce_future_listing;

/* "ZONE/NAME" of the reservation that a machine of the project uses, by its full name; NULL: it is not one
 * of that project. A number counts as the project's own. */
const char *gce_reservation_used(
	const char *full_name, const char *project, struct arena *a);

/* State of a reservation or future reservation by Google's word: "starting" "running" "deleting"
 * "pending" (not approved yet) "committed" (approved: it will be provided) "failed" "cancelled", or
 * "unknown". Static. */
const char *gce_reservation_state(const char *google);

#endif
