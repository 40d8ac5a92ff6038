/* Compute Engine v1: snapshots of disks. Compute REST reference, snapshots: list. They are
 * kept and charged until somebody deletes them.
 *
 * A list is whole or an error; where Google warns that some are missing, "global" is in
 * `r.scopes`. All text lives in the arena and is never NULL. */
#ifndef TPUCOST_GCP_COMPUTE_SNAPSHOT_H
#define TPUCOST_GCP_COMPUTE_SNAPSHOT_H

#include "gcp/gcp.h"

struct gce_snapshot {
	const char *id, *name;
	const char *status;             /* CREATING, READY, FAILED, DELETING, UPLOADING */
	const char *disk;               /* name of the disk it was taken of; "" unsaid */
	const char *location;           /* where it is stored: the first of them, or "" */
	const char **storage_locations; /* regions and multi-regions: "us-central1", "eu" */
	size_t n_storage_locations;
	const char *type;      /* STANDARD or ARCHIVE; "" unsaid */
	int64_t storage_bytes; /* what is charged for */
	ts_t created;
	const char *labels; /* compact JSON object, keys sorted */
};

struct gce_snapshots {
	struct gcp_result r;
	struct gce_snapshot *v;
	size_t n;
};

/* Queue one; after gcp_run, out->r.code says how it went. */
enum err_code gce_snapshots_start(struct gcp *g, const char *project, struct arena *a,
	struct gce_snapshots *out, struct err *e) must_check;

#endif
