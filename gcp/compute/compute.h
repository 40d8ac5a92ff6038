/* Compute Engine v1: what exists. Field names and meanings: Compute REST reference,
 * instances, disks and addresses (aggregatedList); machine types are in
 * gcp/compute/machine_type.h.
 *
 * A list is whole or an error: a page that fails or does not read well fails all of it.
 * Locations that Google could not reach are in `r.scopes`. All text lives in the arena
 * and is never NULL unless said so. */
#ifndef TPUCOST_GCP_COMPUTE_COMPUTE_H
#define TPUCOST_GCP_COMPUTE_COMPUTE_H

#include "gcp/gcp.h"
#include "gcp/compute/machine_type.h"

struct gce_attached {
	const char *source; /* name of the disk; "" for local SSDs */
	const char *type;   /* PERSISTENT or SCRATCH */
	bool boot, auto_delete;
	int64_t size_gb; /* 0 = not said */
};

struct gce_accelerator {
	const char *type; /* "nvidia-tesla-t4" */
	int64_t count;
};

struct gce_instance {
	const char *id; /* Google's 64-bit number, as text */
	const char *name, *zone;
	const char *machine_type; /* "n1-highmem-96" */
	const char *status;       /* as Google says: RUNNING, TERMINATED (= stopped), ... */
	ts_t created, last_start, last_stop, last_suspended; /* TS_NONE when absent */
	bool spot;                      /* preemptible or provisioning model SPOT */
	const char *provisioning_model; /* STANDARD, SPOT, FLEX_START, ...; "" unsaid */
	const char *labels;             /* compact JSON object, keys sorted */
	bool deletion_protection;
	struct gce_attached *disks;
	size_t n_disks;
	struct gce_accelerator *accelerators;
	size_t n_accelerators;
	const char **external_ips;
	size_t n_external_ips;
};

struct gce_disk {
	const char *id, *name;
	const char *zone;   /* "" for a regional disk */
	const char *region; /* of a regional disk, else "" */
	const char *type;   /* "pd-ssd" */
	int64_t size_gb;
	const char *status;
	const char **users; /* names of the instances it is attached to */
	size_t n_users;
	ts_t created;
	const char *labels;
};

struct gce_address {
	const char *id, *name;
	const char *type;   /* EXTERNAL or INTERNAL */
	const char *status; /* RESERVING, RESERVED (unused), IN_USE */
	const char *region; /* or "global" */
	const char **users; /* names of what uses it */
	size_t n_users;
	ts_t created;
	const char *labels;
};

struct gce_instances {
	struct gcp_result r;
	struct gce_instance *v;
	size_t n;
};
struct gce_disks {
	struct gcp_result r;
	struct gce_disk *v;
	size_t n;
};
struct gce_addresses {
	struct gcp_result r;
	struct gce_address *v;
	size_t n;
};

/* Queue one; after gcp_run, out->r.code says how it went. `out` must live until then.
 */
enum err_code gce_instances_start(struct gcp *g, const char *project, struct arena *a,
	struct gce_instances *out, struct err *e) must_check;
enum err_code gce_disks_start(struct gcp *g, const char *project, struct arena *a,
	struct gce_disks *out, struct err *e) must_check;
enum err_code gce_addresses_start(struct gcp *g, const char *project, struct arena *a,
	struct gce_addresses *out, struct err *e) must_check;

/* One instance of an answer, but for its labels, which are left "{}". E_DATA. */
struct cJSON;
enum err_code gce_instance_read(const struct cJSON *j, const char *zone, struct arena *a,
	struct gce_instance *out, struct err *e) must_check;

#endif
