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

/* Parse an accelerator type ("v3-8", "v5litepod-16", "v5e-16", "v4-32") or a Compute machine type
 * that is a TPU host ("ct5lp-hightpu-4t"). What the number counts, cores or chips, is in
 * tpu_families.csv. Case is ignored. False for anything else; *out is not changed then. */
bool tpu_type_parse(const char *type, struct tpu_type *out) must_check;

/* The most similar valid type for a misspelled one ("v3-8" for "v3-9"), or NULL. */
const char *tpu_type_nearest(const char *type, char buf[TPU_NAME_BUF]);

/* "v5litepod" for "v5e", "V5E" or "v5litepod"; NULL if it is not a family. Static. */
const char *tpu_family_canonical(const char *word);
/* Family of a type name, also if its size is not valid; NULL if there is none. */
const char *tpu_family_of_type(const char *type);
/* Is a resource of that kind a TPU of a family that this version does not know: an accelerator type
 * such as "v9-8" (tpu, queued) or a machine type such as "tpu9z-standard-4t"? */
bool tpu_family_unknown(const char *type, const char *kind);
/* Chips of a machine type of TPU hosts, also of an unknown family: 8 for "tpu9z-standard-8t" and for
 * "tpu9z-standard-8t-tpu"; 0: it is none. */
int64_t tpu_host_chips(const char *type);
/* Cores in one chip of the family, as counted by its type names: 2 for v2 v3 v4 v5p tpu7x, else 1. */
int64_t tpu_cores_per_chip(const char *family);

/* Accelerator type of one slice with that many chips: 32 chips of v4 -> "v4-64". */
char *tpu_slice_name(const char *family, int64_t chips, char buf[TPU_NAME_BUF]);

/* Meaning of the name of a quota or metric of Cloud TPU; false: it is for another product. */
struct tpu_quota {
	const char *family;
	bool spot;
};
bool tpu_quota_read(const char *name, struct arena *a, struct tpu_quota *out) must_check;
/* A limit of the zone, or of the region around it? */
bool tpu_quota_covers(const char *location, const char *zone);

/* ---- commands ----------------------------------------------------------------------------------- */

/* Commands for the user that save the files of a TPU and delete it. gcloud reference, "compute tpus
 * tpu-vm scp", "ssh", "delete", "compute tpus queued-resources delete". */
struct tpu_target {
	const char *source; /* tpu, queued, or vm: a TPU that is a Compute instance */
	const char *project, *zone, *name;
	const char *queued; /* the queued resource that made it, or NULL */
};

/* Each is one line for sh, names quoted where needed. The user replaces OUTPUT with a directory.
 * Allocated from the arena. */
const char *tpu_delete_command(const struct tpu_target *t, struct arena *a);
const char *tpu_copy_command(const struct tpu_target *t, struct arena *a);
/* From every worker to a bucket; if `bucket` is NULL, the user replaces BUCKET. */
const char *tpu_storage_command(
	const struct tpu_target *t, const char *bucket, struct arena *a);

#endif
