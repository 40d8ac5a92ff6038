/* Compute Engine v1: machine types, which sizes of machines a zone offers. Compute REST
 * reference, machineTypes: get and aggregatedList. */
#ifndef TPUCOST_GCP_MACHINE_TYPE_H
#define TPUCOST_GCP_MACHINE_TYPE_H

#include "gcp/gcp.h"

/* One of them, asked for by its name. */
struct gce_machine_type {
	struct gcp_result r;
	const char *name;
	int64_t guest_cpus, memory_mb; /* Google's MB are MiB */
	bool shared_cpu;
	const char *gpu_type; /* built in; "" none */
	int64_t gpu_count;
};

/* E_NOTFOUND when the zone has no such type. */
enum err_code gce_machine_type_get(struct gcp *g, const char *project, const char *zone,
	const char *name, struct arena *a, struct gce_machine_type *out,
	struct err *e) must_check;
/* Queue one; after gcp_run, out->r.code says how it went. */
enum err_code gce_machine_type_start(struct gcp *g, const char *project, const char *zone,
	const char *name, struct arena *a, struct gce_machine_type *out,
	struct err *e) must_check;

/* One of a list. The same name stands once for each zone that offers it. */
struct gce_zone_machine_type {
	const char *name, *zone;
	int64_t vcpus, memory_mib;
	bool is_shared_cpu;
	const char *gpu_type; /* built in: "nvidia-l4"; "" none */
	int64_t gpu_count;
	const char *deprecated; /* DEPRECATED, OBSOLETE, DELETED; "" in full use */
};

struct gce_machine_types {
	struct gcp_result r;
	struct gce_zone_machine_type *v;
	size_t n;
};

/* All zones: tens of thousands of entries on some hundred pages. `filter` is in Compute's
 * language, "name = n1-standard-8"; NULL or "" = everything. */
enum err_code gce_machine_types(struct gcp *g, const char *project, const char *filter,
	struct arena *a, struct gce_machine_types *out, struct err *e) must_check;
/* Queue one; after gcp_run, out->r.code says how it went. */
enum err_code gce_machine_types_start(struct gcp *g, const char *project,
	const char *filter, struct arena *a, struct gce_machine_types *out,
	struct err *e) must_check;

#endif
