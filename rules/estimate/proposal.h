/* What somebody is about to create, before it exists: read from options or from a pasted
 * command (cli/paste/paste.c), priced and judged by rules/estimate/estimate.c. */
#ifndef TPUCOST_RULES_ESTIMATE_PROPOSAL_H
#define TPUCOST_RULES_ESTIMATE_PROPOSAL_H

#include "base/base.h"

#define PROPOSAL_MAX 64           /* things of one command */
#define PROPOSAL_MAX_COUNT 100000 /* of each */

/* Words are Google's, as in the view `resources`: kind "tpu" "vm" "disk" "ip", type "v3-8"
 * "n1-highmem-96" "pd-ssd", provisioning "on-demand" "spot" "reserved". NULL and 0: not said.
 * Strings belong to the arena of who made it. */
struct wish {
	const char *kind;
	const char *name; /* NULL: none was given */
	const char *project;
	bool unwatched;   /* whether a grant that names no project is for it is not known */
	const char *zone; /* NULL for what has only a region */
	const char *region;
	const char *type;
	const char *provisioning;
	int64_t count; /* how many of them: at least 1 */
	int64_t size_gib;
	int64_t vcpus, memory_mib; /* of machines whose type does not tell them */
	const char *gpu_type;
	int64_t gpu_count;
	int64_t local_ssd_gib;
	const char *
		beside; /* what it is made with and for: the name or kind of another wish */
	bool queued;    /* a queued resource: it waits, then it is this */
	ts_t from, until; /* when it is to run, TS_NONE: not said */
};

struct proposal_word {
	const char *s;
	bool variable; /* it ends in "$NAME" or "${NAME}", which only the shell knows */
};

struct proposal {
	struct wish *v;
	size_t n;
	/* The command that it was read from, split into words. n_words 0: it was none, it was more
	 * than one, or it cannot be written again. */
	const struct proposal_word *words;
	size_t n_words;
	/* What was assumed or cannot be priced, a sentence each: "no --zone: us-central1-b of
	 * gcloud's configuration". */
	const char **notes;
	size_t n_notes;
};

#endif
