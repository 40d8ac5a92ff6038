/* What the files of Compute Engine share. */
#ifndef TPUCOST_TESTS_SANDBOX_API_COMPUTE_H
#define TPUCOST_TESTS_SANDBOX_API_COMPUTE_H

#include "tests/sandbox/sandbox.h"

#define GCE_HOST "https://www.googleapis.com/compute/v1/projects/"

/* One kind of thing as a list: how many, whose and where each is, how it is written. */
struct gce_kind {
	const char *key;  /* "instances" */
	const char *name; /* "instance" as in compute#instanceAggregatedList */
	size_t (*count)(const struct request *q);
	const char *(*project)(const struct request *q, size_t i);
	/* "zones/x", "regions/x" or "global"; arena */
	const char *(*scope)(const struct request *q, size_t i);
	const char *(*item)(const struct request *q, size_t i, const char **id);
	void (*write)(const struct request *q, struct jw *w, size_t i);
	const char *filter; /* the only one that it takes; NULL: none */
};
extern const struct gce_kind gce_instances, gce_disks, gce_addresses, gce_machine_types,
	gce_groups, gce_policies, gce_reservations, gce_futures, gce_operations;

/* "key": "https://.../projects/PROJECT/REST" */
void gce_url(struct jw *w, const struct request *q, const char *key, const char *project,
	const char *rest);
void gce_not_found(const struct request *q, struct response *r, const char *rest);
/* The project of the path; says 404 when there is none. */
const struct project *gce_project(const struct request *q, struct response *r);
/* Changes with the labels, as Google's does. Arena. */
const char *gce_fingerprint(const struct request *q, const char *labels);

#endif
