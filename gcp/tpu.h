/* Cloud TPU v2: nodes and queued resources of all zones. Cloud TPU REST reference v2,
 * projects.locations.nodes and .queuedResources. A list is complete or an error, see
 * gcp/compute/compute.h. */
#ifndef TPUCOST_GCP_TPU_H
#define TPUCOST_GCP_TPU_H

#include "gcp/list.h"

struct tpu_node {
	const char *id; /* Google's number as text; "" if absent (API v1 nodes) */
	const char *name, *location;
	const char *accelerator_type; /* "v3-8"; "" if unknown */
	const char *topology;         /* "2x2"; "" if absent */
	const char *state;            /* as Google reports it: READY, PREEMPTED, ... */
	const char *runtime_version;
	ts_t created; /* TS_NONE if absent */
	/* as gcp_class_ours() names it; preemptible counts as spot; "": not stated */
	const char *class;
	ts_t ends; /* end of its limited run time, when it is deleted; TS_NONE: none is known */
	size_t n_endpoints;     /* network endpoints: one per host */
	const char **addresses; /* their internal addresses; "" if absent */
	/* name of the queued resource that created it, or "" */
	const char *queued_resource;
	bool multislice;
	const char *labels;      /* compact JSON object, keys sorted */
	const char **data_disks; /* names */
	size_t n_data_disks;
};

struct tpu_queued {
	const char *name, *location;
	const char *state; /* ACCEPTED, WAITING_FOR_RESOURCES, ACTIVE, SUSPENDED, ... */
	const char *error; /* of a failed one, code first; NULL: none is stated */
	ts_t created;
	/* as of a node. In the API v2, flex-start is not stated. */
	const char *class;
	bool guaranteed;                /* on-demand or reserved */
	ts_t ends;                      /* requested end of its nodes; TS_NONE: none */
	int64_t run_limit;              /* longest run of its nodes, in seconds; 0: none */
	const char **accelerator_types; /* one per node specification */
	const char **node_ids;          /* "" if the specification is a multislice */
	int64_t *node_counts;           /* nodes of the specification, 1 or more */
	size_t n_nodes;
	bool multislice;
};

GCP_ITEMS(tpu_nodes, struct tpu_node);
GCP_ITEMS(tpu_queueds, struct tpu_queued);
struct tpu_location {
	const char *name; /* a zone */
};
GCP_ITEMS(tpu_locations, struct tpu_location);

/* For gcp_listing_start: nodes and queued resources of a zone, or "-" for all (the default), which
 * Google documents for nodes only; and the zones that have TPUs. Only v2alpha1 states class and run
 * time of queued resources, and the end of nodes. */
extern const struct gcp_listing tpu_node_listing, tpu_node_alpha_listing,
	tpu_queued_listing, tpu_queued_alpha_listing, tpu_location_listing;

/* Reads one item of a response; for a node all members except its labels, which stay "{}".
 * E_DATA. */
enum err_code tpu_node_read(const struct cJSON *j, struct arena *a, struct tpu_node *out,
	struct err *e) must_check;
enum err_code tpu_queued_read(const struct cJSON *j, struct arena *a,
	struct tpu_queued *out, struct err *e) must_check;

/* "V3" and "2x2" -> "v3-8": names of v2, v3, v4 and v5p count cores (two per chip), the others
 * count chips. "" if the generation or the topology is unknown. Allocated from the arena. */
const char *tpu_type_of_topology(
	struct arena *a, const char *generation, const char *topology);

#endif
