/* Proposal of resources before they are created: read from options or from a pasted command
 * (cli/paste/paste.c), priced and evaluated by rules/estimate/estimate.c. */
#ifndef TPUCOST_RULES_ESTIMATE_PROPOSAL_H
#define TPUCOST_RULES_ESTIMATE_PROPOSAL_H

#include "base/base.h"

#define PROPOSAL_MAX 64           /* resources of one command */
#define PROPOSAL_MAX_COUNT 100000 /* of each */

/* Words are Google's, as in the view `resources`: kind "tpu" "vm" "disk" "ip", type "v3-8"
 * "n1-highmem-96" "pd-ssd", provisioning "on-demand" "spot" "reserved". NULL and 0: not given. The
 * caller owns the strings. */
struct wish {
	const char *kind;
	const char *name; /* NULL: not given */
	const char *project;
	bool unwatched;   /* it is unknown whether a grant without a project is for it */
	const char *zone; /* NULL for a resource with only a region */
	const char *zone_flag; /* of its command, "node-locations"; NULL: "zone" */
	const char *region;
	const char *type;
	const char *provisioning;
	int64_t count; /* number of resources: at least 1 */
	int64_t size_gib;
	int64_t vcpus, memory_mib; /* of machines whose type does not define them */
	const char *gpu_type;
	int64_t gpu_count;
	int64_t local_ssd_gib;
	/* the name or kind of another wish that it is created with and for */
	const char *beside;
	bool queued;       /* a queued resource: it waits, then it becomes this */
	ts_t from;         /* requested start, TS_NONE: not given */
	int64_t wait;      /* seconds until it may start, 0: not given */
	int64_t run_limit; /* longest run in seconds, 0: not given */
	ts_t run_until;    /* its end, 0: not given */
	bool stops; /* then it is stopped, and its disks remain; otherwise it is deleted */
	bool stays; /* of a disk: it is not deleted with its machine */
	bool regional; /* of a disk: it has replicas in two zones */
};

struct proposal_word {
	const char *s;
	bool variable; /* it ends in "$NAME" or "${NAME}", which only the shell can expand */
};

struct proposal {
	struct wish *v;
	size_t n;
	/* Words of the command that it was read from. n_words 0: it was not a command, it was more
	 * than one, or it cannot be written again. */
	const struct proposal_word *words;
	size_t n_words;
	/* Assumptions and parts without a price, one sentence each: "no --zone: us-central1-b of
	 * gcloud's configuration". */
	const char **notes;
	size_t n_notes;
};

#endif
