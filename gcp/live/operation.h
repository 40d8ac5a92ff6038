/* Operations: progress of Google's work on a request. Compute REST reference, zoneOperations and
 * regionOperations: get; Cloud TPU REST reference v2 and Kubernetes Engine API v1,
 * projects.locations.operations: get. */
#ifndef TPUCOST_GCP_LIVE_OPERATION_H
#define TPUCOST_GCP_LIVE_OPERATION_H

#include "gcp/gcp.h"

enum gcp_op_outcome {
	GCP_OP_RUNNING,
	GCP_OP_DONE,   /* without an error */
	GCP_OP_FAILED, /* done, with an error */
	GCP_OP_GONE, /* no longer known to Google, which keeps operations for about two weeks */
};

struct gcp_op {
	enum gcp_op_outcome outcome;
	const char *error; /* Google's message of a failure; otherwise "" */
};

/* Reports whether this can be the name of an operation on the resource. It is one word, except
 * for Cloud TPU "projects/P/locations/L/operations/NAME", in the same location. */
bool gcp_op_name_valid(const struct gcp_thing *t, const char *name);
/* `operation` is from act_send(); E_CONFIG if it is not a valid name. */
enum err_code gcp_op_get(struct gcp *g, const struct gcp_thing *t, const char *operation,
	struct arena *a, struct gcp_op *out, struct err *e) must_check;

#endif
