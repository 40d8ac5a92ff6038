/* Commands for the user that save the files of a TPU and delete it. gcloud reference, "compute tpus
 * tpu-vm scp", "ssh", "delete", "compute tpus queued-resources delete". */
#ifndef TPUCOST_RULES_GRANT_TPU_COMMANDS_H
#define TPUCOST_RULES_GRANT_TPU_COMMANDS_H

#include "base/mem.h"

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
