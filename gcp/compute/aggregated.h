/* Aggregated lists of Compute Engine v1: everything of one kind in a project, by zone and
 * region. Compute REST reference, aggregatedList of instances, disks, ...
 *
 * Every scope that the caller may see is on every page, most with a warning why there is
 * nothing of it. */
#ifndef TPUCOST_GCP_COMPUTE_AGGREGATED_H
#define TPUCOST_GCP_COMPUTE_AGGREGATED_H

#include "gcp/list.h"

struct gce_scope {
	const char *key;      /* "zones/us-central1-a", "regions/us-central1", "global" */
	const char *location; /* "us-central1-a" */
	bool zone;
};

/* What differs between such lists. */
struct gce_aggregated {
	const char *what;  /* "list Compute Engine disks": begins every message */
	const char *path;  /* takes the project */
	const char *items; /* member of a scope that holds the items */
	size_t size;       /* of an item */
	enum err_code (*read)(const struct cJSON *j, const struct gce_scope *s,
		struct arena *a, void *out, struct err *e);
	size_t key_offset; /* of a `const char *`; items with the same one are one item */
	void (*deliver)(struct gcp_typed *t);
};

/* Queue one. `filter` is in Compute's language, NULL = everything. Scopes that Google could
 * not reach are in r->scopes. `k` and `r` must live until the end. */
enum err_code gce_aggregated_start(const struct gce_aggregated *k, struct gcp *g,
	const char *project, const char *filter, struct arena *a, struct gcp_result *r,
	struct err *e) must_check;

/* Does this page or scope warn that something of it may be missing? NO_RESULTS_ON_PAGE does
 * not: it is how nothing looks. */
bool gce_incomplete(const struct cJSON *holder);

/* E_CONFIG when they cannot be a zone and the name of something in it. */
enum err_code gce_names_check(const char *zone, const char *name, struct err *e) must_check;

#endif
