/* A machine by its name, in its API: the target of a live check, an action or an operation. And the
 * mapping of Google's states. */
#ifndef TPUCOST_GCP_THING_H
#define TPUCOST_GCP_THING_H

#include "gcp/gcp.h"

enum gcp_kind {
	GCP_VM,     /* instances of Compute Engine, including TPUs that are instances */
	GCP_NODE,   /* nodes of Cloud TPU */
	GCP_QUEUED, /* queued resources of Cloud TPU */
};

struct gcp_thing {
	enum gcp_kind kind;
	const char *project, *location, *name;
};

/* E_CONFIG if the name is malformed. */
enum err_code gcp_thing_check(const struct gcp_thing *t, struct err *e) must_check;
enum gcp_api gcp_thing_api(const struct gcp_thing *t);
/* Appends its URL, without parameters. */
void gcp_thing_url(const struct gcp *g, const struct gcp_thing *t, struct sbuf *out);

/* "running", "starting", "stopping", "stopped", "suspended", "preempted", "failed", "deleting";
 * "unknown" for an unknown word. Compute REST reference, instances: status; Cloud TPU REST
 * reference, nodes: State, queuedResources: state. */
const char *gcp_state_ours(enum gcp_kind kind, const char *google);

#endif
