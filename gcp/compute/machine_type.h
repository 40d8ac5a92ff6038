/* Compute Engine v1: machine types, which sizes of machines a zone offers. Compute REST
 * reference, machineTypes: get. */
#ifndef TPUCOST_GCP_COMPUTE_MACHINE_TYPE_H
#define TPUCOST_GCP_COMPUTE_MACHINE_TYPE_H

#include "gcp/gcp.h"

struct gce_machine_type {
	struct gcp_result r;
	const char *name;
	int64_t vcpus, memory_mib; /* Google's MB are MiB */
	bool shared_cpu;
	const char *gpu_type; /* built in; "" none */
	int64_t gpu_count;
};

/* Queue one; after gcp_run, out->r.code says how it went: E_NOTFOUND when the zone has no such
 * type. */
enum err_code gce_machine_type_start(struct gcp *g, const char *project, const char *zone,
	const char *name, struct arena *a, struct gce_machine_type *out,
	struct err *e) must_check;

#endif
