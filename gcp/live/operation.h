/* Operations: how far Google is with what it was asked to do. Compute REST reference,
 * zoneOperations: get; Cloud TPU REST reference v2, projects.locations.operations: get. */
#ifndef TPUCOST_GCP_LIVE_OPERATION_H
#define TPUCOST_GCP_LIVE_OPERATION_H

#include "gcp/thing.h"

enum gcp_op_outcome {
	GCP_OP_RUNNING,
	GCP_OP_DONE,   /* without an error */
	GCP_OP_FAILED, /* done, with an error */
	GCP_OP_GONE, /* Google does not know it any more: it keeps them for about two weeks */
};

struct gcp_op {
	enum gcp_op_outcome outcome;
	const char *error; /* what Google says of a failure; "" otherwise */
};

/* Can this be the name of an operation on the thing? Of Compute one word, of Cloud TPU
 * "projects/P/locations/L/operations/NAME", of the same place. */
bool gcp_op_name_valid(const struct gcp_thing *t, const char *name);
/* `operation` is as act_send() gave it; E_CONFIG when it cannot be one. */
enum err_code gcp_op_get(struct gcp *g, const struct gcp_thing *t, const char *operation,
	struct arena *a, struct gcp_op *out, struct err *e) must_check;

#endif
