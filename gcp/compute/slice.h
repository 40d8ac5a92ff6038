/* Several machines of a managed instance group as one TPU slice, and labels of several resources as
 * those of one. */
#ifndef TPUCOST_GCP_COMPUTE_SLICE_H
#define TPUCOST_GCP_COMPUTE_SLICE_H

#include "base/mem.h"
#include "base/time/clock.h"

struct dec_pair;
struct gce_instance;

struct gce_host {
	const char *zone, *type;  /* "us-east5-a", "ct6e-standard-4t" */
	const char *provisioning; /* "on-demand" "spot" "flex-start" "reserved" */
	const char *state;        /* as gcp_state_ours() names it */
	const char *raw_state;    /* as Google names it */
	const char *labels;       /* JSON object, keys sorted */
	ts_t created, since;      /* since: of this state; TS_NONE: unknown */
	ts_t ends;                /* of its limited run time; TS_NONE: none is known */
};

struct gce_slice {
	const char *state;
	const char *raw_state; /* "RUNNING"; "3 of 8 RUNNING" when that is not the target */
	const char *type;      /* "16 x ct6e-standard-4t", of one host "ct6e-standard-4t" */
	const char *labels;    /* NULL: tpucost's own labels contradict each other */
	ts_t created;          /* of the oldest host; TS_NONE: unknown */
	ts_t since;            /* since when all its hosts are in that state */
	ts_t ends;             /* of the last host; TS_NONE: of some none is known */
	int64_t hosts;         /* in that state */
};

/* Hosts of one slice are alike: in zone, type and class. */
bool gce_slice_alike(const struct gce_host *hosts, size_t n);
/* Is the machine a TPU? Newer ones can be plain instances whose machine types begin with "ct" or "tpu"
 * (Compute Engine machine family reference). */
bool gce_type_is_tpu(const char *type);
/* Hosts of a slice of that topology on machines of that type: 4 of "4x4" and "ct6e-standard-4t"; 0: unknown. */
int64_t gce_topology_hosts(const char *topology, const char *type);
/* One or more hosts; `target` is what the group is to have, -1: it is not a slice. Texts are of the
 * hosts, or allocated from the arena. */
void gce_slice_sum(const struct gce_host *hosts, size_t n, int64_t target, struct arena *a,
	struct gce_slice *out);

/* Beginning of the state, as Google reports it; TS_NONE: not reported. */
ts_t gce_state_since(const struct gce_instance *vm, const char *state);
/* "zones/Z/instanceGroupManagers/NAME", or of a region: the group that made the machine. NULL: none
 * did. Part of vm->created_by. */
const char *gce_group_of(const struct gce_instance *vm);

/* Labels of several resources as those of one: the first value of a key counts. Different values
 * matter only for tpucost's own labels, which control actions; the labels are then unknown. */
struct label_union {
	struct dec_pair *v;
	size_t n, cap;
	bool unknown;
};
/* Adds a JSON object; NULL or a malformed one makes them unknown. */
void label_union_add(struct label_union *u, const char *labels, struct arena *a);
/* JSON object with sorted keys, allocated from the arena; NULL: unknown. */
const char *label_union_text(const struct label_union *u, struct arena *a);

#endif
