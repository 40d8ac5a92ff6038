/* Properties of a TPU type from its name: generation, chips, cores, hosts. Only names with a known
 * meaning are parsed; for any other the size is unknown, never a guess. */
#ifndef TPUCOST_RULES_GRANT_TPU_H
#define TPUCOST_RULES_GRANT_TPU_H

#include "base/base.h"
#include "base/mem.h"
#include "tpu_families.h"

#define TPU_NAME_BUF 32

struct tpu_type {
	const char *family;      /* of TPU_FAMILY_NAMES; static */
	char name[TPU_NAME_BUF]; /* as the API spells it: "v5litepod-16" for "v5e-16" */
	int64_t cores, chips, hosts;
	bool device; /* v2-8, v3-8: priced differently from the slices of pods */
};

/* Parse an accelerator type ("v3-8", "v5litepod-16", "v5e-16", "v4-32"), a Compute machine type
 * that is a TPU host ("ct5lp-hightpu-4t"), or a slice of such hosts ("16 x ct6e-standard-4t"). What
 * the number counts, cores or chips, is in tpu_families.csv. Case is ignored. False for anything else; *out is not changed then. */
bool tpu_type_parse(const char *type, struct tpu_type *out) must_check;

/* The most similar valid type for a misspelled one, of the nearest size ("v3-8" for "v3-9"), or NULL. */
const char *tpu_type_nearest(const char *type, char buf[TPU_NAME_BUF]);

/* "v5litepod" for "v5e", "V5E" or "v5litepod"; NULL if it is not a family. Static. */
const char *tpu_family_canonical(const char *word);
/* Family of a type name, also if its size is not valid; NULL if there is none. */
const char *tpu_family_of_type(const char *type);
/* Is a resource of that kind a TPU of a family that this version does not know: an accelerator type
 * such as "v9-8" (tpu, queued) or a machine type such as "tpu9z-standard-4t"? */
bool tpu_family_unknown(const char *type, const char *kind);
/* Chips of a machine type of TPU hosts, also of an unknown family: 8 for "tpu9z-standard-8t" and for
 * "tpu9z-standard-8t-tpu", 16 for two of them; 0: it is none. */
int64_t tpu_host_chips(const char *type);
/* Type of the boot disk of machines of that type, where the default of other machines does not fit;
 * NULL: it does. Static. */
const char *tpu_boot_disk(const char *type);
/* Cores in one chip of the family, as counted by its type names: 2 for v2 v3 v4 v5p tpu7x, else 1. */
int64_t tpu_cores_per_chip(const char *family);

/* "4x8": is it a shape of slices of that type's family? Of an unknown family any shape is one; if type is
 * NULL, that of any known family. */
bool tpu_topology_valid(const char *type, const char *topology);

/* Its shapes for a message, that hosts of a machine type can form: "one of 2x2 4x4 4x8". Allocated
 * from the arena. */
const char *tpu_topologies(const char *type, struct arena *a);
/* Does the Cloud TPU API have the family? Newer ones are machines of Compute Engine only. */
bool tpu_is_in_api(const char *family);

/* Accelerator type of one slice with that many chips: 32 chips of v4 -> "v4-64". */
char *tpu_slice_name(const char *family, int64_t chips, char buf[TPU_NAME_BUF]);

/* ---- prices and zones ---------------------------------------------------------------------------- */

/* Family whose name in descriptions of SKUs begins the text, "V5ePod" or "Tpu7x running"; NULL: none. Static. */
const char *tpu_sku_family(const char *text);
/* Chips that one unit of the family's prices buys, where the description does not name chips. */
int64_t tpu_sku_unit(const char *family);
/* Are its TPUs on a single host devices, with a price and a quota of their own? */
bool tpu_has_devices(const char *family);

/* A zone in which Google documents TPUs of the family; NULL after the last one. Static. */
struct tpu_place {
	const char *family, *zone;
	bool devices, slices; /* that exist there */
};
const struct tpu_place *tpu_zone_at(size_t i);

/* The smallest machine type of a series, "ct6e-standard-1t" of "ct6e". False: it is not known. */
bool tpu_series_host(const char *series, struct tpu_type *out) must_check;

/* ---- quotas ------------------------------------------------------------------------------------- */

/* A quota of TPU chips. Those of the Cloud TPU API and of Compute Engine are separate: neither
 * counts TPUs of the other (Cloud TPU documentation, "Quotas"). */
struct tpu_quota_names {
	const char *service, *quota_id,
		*metric;        /* "compute.googleapis.com"; as in the view quotas */
	const char *dimensions; /* JSON object */
};
enum tpu_quota_part { TPU_QUOTA_ALL, TPU_QUOTA_DEVICES, TPU_QUOTA_PODS };
struct tpu_quota {
	const char *family; /* NULL: not known here */
	const char *name;   /* "TPUV3s", "PREEMPTIBLE-TPU-V6E" */
	const char *series; /* of Compute Engine: the machine types, "ct6e"; NULL: all */
	bool compute;       /* of Compute Engine, otherwise of the Cloud TPU API */
	bool spot;          /* of the preemptible pool, otherwise of the one on demand */
	enum tpu_quota_part part; /* of the family's TPUs */
	int64_t per_chip;         /* units of its limit: 2 where that counts cores */
};
/* False: of something else. Texts are static or allocated from the arena. */
bool tpu_quota_read(
	const struct tpu_quota_names *n, struct arena *a, struct tpu_quota *out) must_check;
/* Metric of the quota of Compute Engine that machines of that type use: "preemptible_tpu_v6e", or on demand
 * "tpus_per_tpu_family". NULL: it is not known. Allocated from the arena. */
const char *tpu_quota_metric(const char *type, bool spot, struct arena *a);
/* Does a TPU of that accelerator or machine type use it? */
bool tpu_quota_counts(const struct tpu_quota *q, const char *type);
/* A limit of the zone, or of the region around it? */
bool tpu_quota_covers(const char *location, const char *zone);

/* ---- commands ----------------------------------------------------------------------------------- */

/* Commands for the user that save the files of a TPU and delete it. gcloud reference, "compute tpus
 * tpu-vm scp", "ssh", "delete", "compute tpus queued-resources delete". */
struct tpu_target {
	/* tpu, queued; vm: a TPU that is a Compute instance; slice: one of a managed group; resize: a
	 * request for machines of such a group */
	const char *source;
	const char *project, *zone, *name;
	const char *queued; /* the queued resource that made it, or NULL */
	/* of a slice: "zones/Z/instanceGroupManagers/NAME", or of a region; of a node pool of Kubernetes
	 * Engine "locations/L/clusters/C/nodePools/NAME" */
	const char *group;
	const char *also; /* other zones where the node pool has nodes, or NULL */
};

/* Each is one line for sh, names quoted where needed. The user replaces OUTPUT with a directory.
 * Allocated from the arena. */
const char *tpu_delete_command(const struct tpu_target *t, struct arena *a);
/* From every worker or host to this machine. Of a node pool, the user also replaces NAMESPACE and POD. */
const char *tpu_copy_command(const struct tpu_target *t, struct arena *a);
/* From every worker or host to a bucket; if `bucket` is NULL, the user replaces BUCKET. NULL: of a node pool,
 * whose containers need not have gcloud. */
const char *tpu_storage_command(
	const struct tpu_target *t, const char *bucket, struct arena *a);

/* A TPU of the Cloud TPU API, for its create command on Compute Engine. */
struct tpu_order {
	const char *project, *zone, *name;
	const char *type;         /* "v6e-16" */
	const char *topology;     /* "4x4", or NULL: as Google chooses it for that type */
	const char *provisioning; /* on-demand spot flex-start reserved */
	int64_t run_limit;        /* longest run of a flex-start TPU, seconds; 0: unknown */
};

/* Machines of its family that users can create on Compute Engine, without Kubernetes Engine:
 * "ct6e-standard"; NULL: none. Static. */
const char *tpu_direct_machine(const char *type);
/* One line for sh that creates the same TPU there: a machine, or for several hosts a managed instance
 * group with its template and policy. NULL: there is none, or type, class or topology are unknown. For
 * a reserved one, the user replaces RESERVATION. Allocated from the arena. */
const char *tpu_create_command(const struct tpu_order *o, struct arena *a);

#endif
