/* What the two clients of limits share. */
#ifndef TPUCOST_GCP_QUOTA_INTERNAL_H
#define TPUCOST_GCP_QUOTA_INTERNAL_H

#include "gcp/decode.h"
#include "gcp/list.h"
#include "gcp/quota/quota.h"

/* One limit, and how each of its values is read. */
struct quota_limit {
	struct quota_entry head;    /* what all entries of the limit have in common */
	const struct cJSON *values; /* objects with `dimensions` */
	const struct cJSON *places; /* where values hold that do not say where; or NULL */
	/* Fills in value and is_default; location and dimensions are there already. */
	void (*read)(struct dec *d, struct quota_entry *q);
};

/* Keep an entry for each location of each value: values that name their location come before
 * those that hold for several. What came first for a quota, location and dimensions stays.
 * E_DATA, E_LIMIT. */
enum err_code quota_put(
	struct gcp_typed *t, const struct quota_limit *l, struct err *e) must_check;

#endif
