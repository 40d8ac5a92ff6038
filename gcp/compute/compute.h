/* Compute Engine v1: resources, and the project itself. Field names and meanings: Compute REST
 * reference, instances, disks, addresses, instanceGroupManagers and resourcePolicies
 * (aggregatedList), snapshots (list), machineTypes and projects (get). And the buckets of Cloud
 * Storage JSON v1, without their objects (Storage REST reference, buckets: list): only the location
 * matters, because reads from another location are charged.
 *
 * A list is complete or an error: a page that fails or is malformed fails the whole list. Locations
 * that Google could not reach are in `r.scopes`; if Google warns that some snapshots or buckets are
 * missing, "global" or "buckets". All text is allocated from the arena and is never NULL unless
 * documented. */
#ifndef TPUCOST_GCP_COMPUTE_COMPUTE_H
#define TPUCOST_GCP_COMPUTE_COMPUTE_H

#include "gcp/gcp.h"
#include "gcp/list.h"

struct gce_attached {
	const char *source; /* name of the disk; "" for local SSDs */
	const char *type;   /* PERSISTENT or SCRATCH */
	bool boot, auto_delete;
	int64_t size_gb; /* 0 = absent */
};

struct gce_accelerator {
	const char *type; /* "nvidia-tesla-t4" */
	int64_t count;    /* 0 = absent */
};

struct gce_instance {
	const char *id; /* Google's 64-bit number, as text */
	const char *name, *zone;
	const char *machine_type; /* "n1-highmem-96" */
	const char *status; /* as Google reports it: RUNNING, TERMINATED (= stopped), ... */
	ts_t created, last_start, last_stop, last_suspended; /* TS_NONE if absent */
	const char *class;  /* as gcp_class_ours() names it; preemptible counts as spot */
	ts_t ends;          /* end of its limited run time; TS_NONE: none is known */
	bool deleted;       /* it is deleted then, otherwise stopped */
	const char *labels; /* compact JSON object, keys sorted */
	/* full name of the reservation that it uses; "" if it uses none */
	const char *reservation;
	const char *created_by; /* metadata key created-by; "" if absent */
	bool deletion_protection;
	struct gce_attached *disks;
	size_t n_disks;
	struct gce_accelerator *accelerators;
	size_t n_accelerators;
	const char **external_ips;
	size_t n_external_ips;
	const char **addresses; /* networkIP and ipv6Address of its interfaces */
	size_t n_addresses;
};

struct gce_disk {
	const char *id, *name;
	const char *zone;   /* "" for a regional disk */
	const char *region; /* of a regional disk, else "" */
	const char *type;   /* "pd-ssd" */
	int64_t size_gb;    /* 0 = absent */
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
	const char **users; /* names of the resources that use it */
	size_t n_users;
	ts_t created;
	const char *labels;
};

/* Snapshots are kept and charged until they are deleted. */
struct gce_snapshot {
	const char *id, *name;
	const char *status;             /* CREATING, READY, FAILED, DELETING, UPLOADING */
	const char *disk;               /* name of its source disk; "" if absent */
	const char *location;           /* storage location: the first of them, or "" */
	const char **storage_locations; /* regions and multi-regions: "us-central1", "eu" */
	size_t n_storage_locations;
	const char *type;      /* STANDARD or ARCHIVE; "" if absent */
	int64_t storage_bytes; /* charged size; -1: not stated */
	ts_t created;
	const char *labels; /* compact JSON object, keys sorted */
};

/* A managed instance group. One of TPU machines with a workload policy is one slice. */
struct gce_group {
	const char *id, *name;
	const char *zone;    /* "" for a regional group */
	const char *region;  /* of a regional group, else "" */
	const char *policy;  /* name of its workload policy; "" if it has none */
	int64_t target_size; /* machines that it is to have */
	/* "global/instanceTemplates/NAME", or "regions/R/instanceTemplates/NAME"; "": not stated */
	const char *template;
	const char
		*place; /* the zone of its machines; its region, if it may have several */
	ts_t created;
};

/* The machines that a group is to create. */
struct gce_template {
	struct gcp_result r;
	const char *name, *machine_type;
	const char *class;  /* "on-demand" "spot" "flex-start" "reserved" */
	const char *labels; /* JSON object, keys sorted */
};

struct gce_policy {
	const char *id, *name, *region;
	const char *topology; /* "4x8"; "": of other policies, or not a shape */
};

/* A request for machines of a managed instance group that waits for capacity. */
struct gce_resize {
	const char *id, *name;
	const char *state; /* CREATING ACCEPTED SUCCEEDED FAILED CANCELLED */
	const char *error; /* of it, or of the last attempt; code first; NULL: none */
	int64_t by;        /* machines */
	int64_t run_limit; /* longest run of them, seconds; 0: none */
	ts_t created;
};

/* A spot machine that Google ended. */
struct gce_preemption {
	const char *id;     /* of the operation */
	const char *target; /* number of the machine */
	ts_t at;
};

struct gcs_bucket {
	const char *name;
	const char *location;       /* in lower case: "europe-west4", "us", "nam4" */
	const char *location_type;  /* region, dual-region, multi-region; "" if absent */
	const char *storage_class;  /* STANDARD, NEARLINE, ... */
	const char *project_number; /* number of the project that owns it; "" if absent */
	ts_t created;
	const char *labels; /* compact JSON object, keys sorted */
};

GCP_ITEMS(gce_instances, struct gce_instance);
GCP_ITEMS(gce_disks, struct gce_disk);
GCP_ITEMS(gce_addresses, struct gce_address);
GCP_ITEMS(gce_snapshots, struct gce_snapshot);
GCP_ITEMS(gce_groups, struct gce_group);
GCP_ITEMS(gce_policies, struct gce_policy);
GCP_ITEMS(gce_resizes, struct gce_resize);
GCP_ITEMS(gce_preemptions, struct gce_preemption);
GCP_ITEMS(gcs_buckets, struct gcs_bucket);

/* For gcp_listing_start. Aggregated lists have all resources of one kind in a project, by zone and
 * region. Buckets need storage.buckets.list. */
extern const struct gcp_listing gce_instance_listing, gce_disk_listing, gce_address_listing,
	gce_snapshot_listing, gce_group_listing, gce_policy_listing, gcs_bucket_listing;
/* Google keeps operations for about two weeks. Needs compute.globalOperations.list. */
extern const struct gcp_listing gce_preemption_listing;

/* Reads one instance of a response, except its labels, which stay "{}". E_DATA. */
enum err_code gce_instance_read(const struct cJSON *j, const char *zone, struct arena *a,
	struct gce_instance *out, struct err *e) must_check;

/* Reads one managed instance group of a response. E_DATA. */
enum err_code gce_group_read(const struct cJSON *j, struct arena *a, struct gce_group *out,
	struct err *e) must_check;

/* Queues one, by the path that a group has; after gcp_run, out->r.code has the result. */
enum err_code gce_template_start(struct gcp *g, const char *project, const char *path,
	struct arena *a, struct gce_template *out, struct err *e) must_check;

/* Queues the list of requests of a group of a zone; after gcp_run, out->r.code has the result. */
enum err_code gce_resize_start(struct gcp *g, const char *project, const char *zone,
	const char *group, struct arena *a, struct gce_resizes *out,
	struct err *e) must_check;

/* Size of a machine type in a zone. */
struct gce_machine_type {
	struct gcp_result r;
	const char *name;
	int64_t vcpus, memory_mib; /* Google's MB are MiB */
	bool shared_cpu;
	const char *gpu_type; /* built in; "" if none */
	int64_t gpu_count;
};

/* Queues one; after gcp_run, out->r.code has the result: E_NOTFOUND if the zone does not have the
 * type. */
enum err_code gce_machine_type_start(struct gcp *g, const char *project, const char *zone,
	const char *name, struct arena *a, struct gce_machine_type *out,
	struct err *e) must_check;

/* Checks that the credentials can access the project, and returns its number. Google's `id` is not
 * that number: the number is in the name of the project's default service account. "" if that does
 * not contain it. Allocated from the arena. E_DATA if the response is for another project. Needs
 * compute.projects.get. */
enum err_code gce_project_number(struct gcp *g, const char *project, struct arena *a,
	const char **number, struct err *e) must_check;

/* Reports whether this page or scope has a warning that data may be missing. NO_RESULTS_ON_PAGE is
 * not one: it marks an empty scope. */
bool gce_incomplete(const struct cJSON *holder);

/* Cloud Asset Inventory: the projects below an organization or folder. Cloud Asset REST reference
 * v1, searchAllResources. A list is complete or an error, see gcp/compute/compute.h.
 *
 * The index is minutes late: it shows which projects exist, not their current state. */

struct asset_project {
	const char *project_id;
	const char *number;       /* "" if absent */
	const char *display_name; /* may be "" */
	const char *state; /* as Google reports it: ACTIVE, DELETE_REQUESTED; "" = absent */
	bool active; /* ACTIVE: other projects have no running resources, or soon none */
};

GCP_ITEMS(asset_projects, struct asset_project);

/* Scope is "organizations/123" or "folders/9", else E_CONFIG. Needs roles/cloudasset.viewer
 * there. */
enum err_code asset_projects(struct gcp *g, const char *scope, struct arena *a,
	struct asset_projects *out, struct err *e) must_check;

/* Machines, TPU nodes, disks, addresses and the like; snapshots; buckets. Queued resources are not in the index. */
enum asset_kind { ASSET_MACHINE, ASSET_SNAPSHOT, ASSET_BUCKET };

/* A larger organization is not searched: at 360 calls a minute this takes five minutes. */
#define ASSET_MAX_PAGES 2000

/* A search for all resources of these kinds: none is kept, `found` is called for each. */
struct asset_search {
	struct gcp_items none; /* none.r has the result */
	void (*found)(void *ctx, const char *project_number, enum asset_kind kind);
	void *ctx;
};

/* Queues it; after gcp_run, out->none.r.code has the result. E_CONFIG as above. `found` was called for
 * pages before one that fails. */
enum err_code asset_search_start(struct gcp *g, const char *scope, struct arena *a,
	struct asset_search *out, struct err *e) must_check;

#endif
