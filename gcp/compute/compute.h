/* Compute Engine v1: what exists, and the project itself. Field names and meanings: Compute REST
 * reference, instances, disks and addresses (aggregatedList), snapshots (list), machineTypes and
 * projects (get). And the buckets of Cloud Storage JSON v1, without their objects (Storage REST
 * reference, buckets: list): what counts is where one lies, as reading it from elsewhere is charged.
 *
 * A list is whole or an error: a page that fails or does not read well fails all of it.
 * Locations that Google could not reach are in `r.scopes`; where Google warns that some snapshots
 * or buckets are missing, "global" or "buckets". All text lives in the arena and is never NULL
 * unless said so. */
#ifndef TPUCOST_GCP_COMPUTE_COMPUTE_H
#define TPUCOST_GCP_COMPUTE_COMPUTE_H

#include "gcp/list.h"

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

/* They are kept and charged until somebody deletes them. */
struct gce_snapshot {
	const char *id, *name;
	const char *status;             /* CREATING, READY, FAILED, DELETING, UPLOADING */
	const char *disk;               /* name of the disk it was taken of; "" unsaid */
	const char *location;           /* where it is stored: the first of them, or "" */
	const char **storage_locations; /* regions and multi-regions: "us-central1", "eu" */
	size_t n_storage_locations;
	const char *type;      /* STANDARD or ARCHIVE; "" unsaid */
	int64_t storage_bytes; /* what is charged for */
	ts_t created;
	const char *labels; /* compact JSON object, keys sorted */
};

struct gcs_bucket {
	const char *name;
	const char *location;       /* in small letters: "europe-west4", "us", "nam4" */
	const char *location_type;  /* region, dual-region, multi-region; "" unsaid */
	const char *storage_class;  /* STANDARD, NEARLINE, ... */
	const char *project_number; /* of the project that owns it; "" unsaid */
	ts_t created;
	const char *labels; /* compact JSON object, keys sorted */
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
struct gce_snapshots {
	struct gcp_result r;
	struct gce_snapshot *v;
	size_t n;
};
struct gcs_buckets {
	struct gcp_result r;
	struct gcs_bucket *v;
	size_t n;
};

/* For gcp_listing_start. The lists of instances, disks and addresses have everything of one kind in a
 * project, by zone and region. Buckets need storage.buckets.list. */
extern const struct gcp_listing gce_instance_listing, gce_disk_listing, gce_address_listing,
	gce_snapshot_listing, gcs_bucket_listing;

/* One instance of an answer, but for its labels, which are left "{}". E_DATA. */
enum err_code gce_instance_read(const struct cJSON *j, const char *zone, struct arena *a,
	struct gce_instance *out, struct err *e) must_check;

/* Which size of machine a zone offers. */
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

/* Is the project there for these credentials, and what is its number? Google's `id` of it is not
 * that: the number is in the name of its default service account. "" where that does not tell.
 * Arena. E_DATA when Google answers about another project. Needs compute.projects.get. */
enum err_code gce_project_number(struct gcp *g, const char *project, struct arena *a,
	const char **number, struct err *e) must_check;

/* Does this page or scope warn that something of it may be missing? NO_RESULTS_ON_PAGE does
 * not: it is how nothing looks. */
bool gce_incomplete(const struct cJSON *holder);

#endif
