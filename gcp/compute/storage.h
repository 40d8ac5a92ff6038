/* Cloud Storage JSON v1: buckets, without their objects. Storage REST reference, buckets:
 * list. What counts is where a bucket lies: reading it from elsewhere is charged.
 *
 * A list is whole or an error; where Google could not reach some buckets, "buckets" is in
 * `r.scopes`. All text lives in the arena and is never NULL. */
#ifndef TPUCOST_GCP_COMPUTE_STORAGE_H
#define TPUCOST_GCP_COMPUTE_STORAGE_H

#include "gcp/gcp.h"

struct gcs_bucket {
	const char *name;
	const char *location;       /* in small letters: "europe-west4", "us", "nam4" */
	const char *location_type;  /* region, dual-region, multi-region; "" unsaid */
	const char *storage_class;  /* STANDARD, NEARLINE, ... */
	const char *project_number; /* of the project that owns it; "" unsaid */
	ts_t created;
	const char *labels; /* compact JSON object, keys sorted */
};

struct gcs_buckets {
	struct gcp_result r;
	struct gcs_bucket *v;
	size_t n;
};

/* Queue one; after gcp_run, out->r.code says how it went. Needs storage.buckets.list. */
enum err_code gcs_buckets_start(struct gcp *g, const char *project, struct arena *a,
	struct gcs_buckets *out, struct err *e) must_check;

#endif
