/* A machine by its name, in the API that it belongs to: what a look, an action and an operation are
 * about. And Google's words for states in ours. */
#ifndef TPUCOST_GCP_THING_H
#define TPUCOST_GCP_THING_H

#include "gcp/gcp.h"

enum gcp_kind {
	GCP_VM,     /* instances of Compute Engine, also TPUs that are instances */
	GCP_NODE,   /* nodes of Cloud TPU */
	GCP_QUEUED, /* queued resources of Cloud TPU */
};

struct gcp_thing {
	enum gcp_kind kind;
	const char *project, *location, *name;
};

/* E_CONFIG when it cannot be the name of one. */
enum err_code gcp_thing_check(const struct gcp_thing *t, struct err *e) must_check;
enum gcp_api gcp_thing_api(const struct gcp_thing *t);
/* Append the URL of it, without parameters. */
void gcp_thing_url(const struct gcp *g, const struct gcp_thing *t, struct sbuf *out);

/* "running", "starting", "stopping", "stopped", "suspended", "preempted", "failed", "deleting";
 * "unknown" for a word that nobody knows. Compute REST reference, instances: status; Cloud TPU REST
 * reference, nodes: State, queuedResources: state. */
const char *gcp_state_ours(enum gcp_kind kind, const char *google);

#endif
