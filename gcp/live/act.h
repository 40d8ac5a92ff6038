/* The only file that changes resources at Google: it stops or deletes a machine. Compute REST
 * reference, instances: stop, delete; Cloud TPU REST reference v2, nodes: stop, delete,
 * queuedResources: delete.
 *
 * A slice that is a managed instance group is deleted by resizing the group to 0
 * (instanceGroupManagers and regionInstanceGroupManagers: resize), because it would create its
 * machines again; the group remains, and creates the slice again when it is resized back. The same for
 * a node pool of Kubernetes Engine (Kubernetes Engine API v1, projects.locations.clusters.nodePools:
 * setSize), whose group is left to it.
 *
 * A request to Compute, and the delete of a queued resource, carry a request id: Google
 * ignores a second request with the same id. Nodes and node pools do not support it; to set the size 0
 * twice has the effect of once. This file never retries; a
 * caller that does not know the outcome checks the machine. */
#ifndef TPUCOST_GCP_LIVE_ACT_H
#define TPUCOST_GCP_LIVE_ACT_H

#include "gcp/gcp.h"

enum act_verb { ACT_STOP, ACT_DELETE };

struct act {
	struct gcp_thing thing;
	const char *uid; /* the required number of the machine; "": none */
	enum act_verb verb;
	const char *request_id; /* an RFC 4122 UUID in lower case */
};

/* Sends one request; a second one only if Google refused the token of the first (401).
 *
 * E_OK: *operation is Google's name of the started operation, allocated from the arena. E_NET,
 * E_RATE, E_AUTH: it was not done. E_DENIED, E_HTTP, E_CONFIG: permanently refused. E_NOTFOUND:
 * Google has no machine of that name. E_CONFLICT: another operation is running on it. E_UNCERTAIN:
 * it may have been done, or it was done to another machine than that of `uid`.
 *
 * Queued resources, groups and node pools cannot be stopped: E_CONFIG. Queued resources are deleted with their
 * nodes (force). */
enum err_code act_send(struct gcp *g, const struct act *act, struct arena *a,
	const char **operation, struct err *e) must_check;

#endif
