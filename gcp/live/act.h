/* The one file that changes anything at Google: stops a machine or deletes it. Compute REST
 * reference, instances: stop, delete; Cloud TPU REST reference v2, nodes: stop, delete,
 * queuedResources: delete.
 *
 * A stop or a delete of Compute, and the delete of a queued resource, carry a request id: Google
 * does nothing the second time that it sees it. Nodes take none. Nothing here tries again; who
 * does not know whether it happened looks at the machine. */
#ifndef TPUCOST_GCP_LIVE_ACT_H
#define TPUCOST_GCP_LIVE_ACT_H

#include "gcp/thing.h"

enum act_verb { ACT_STOP, ACT_DELETE };

struct act {
	struct gcp_thing thing;
	const char *uid; /* the number that the machine must have; "": none */
	enum act_verb verb;
	const char *request_id; /* an RFC 4122 UUID in small letters */
};

/* One request; a second one only when Google refused the token of the first (401).
 *
 * E_OK: *operation is Google's name of what goes on now, in the arena. E_NET, E_RATE, E_AUTH: it
 * was not done. E_DENIED, E_HTTP, E_CONFIG: it is refused for good. E_NOTFOUND: Google says that
 * there is none of that name. E_CONFLICT: something else goes on with it. E_UNCERTAIN: perhaps it
 * was done, or it was done to another machine than that of `uid`.
 *
 * Queued resources cannot be stopped: E_CONFIG. They are deleted with their nodes (force). */
enum err_code act_send(struct gcp *g, const struct act *act, struct arena *a,
	const char **operation, struct err *e) must_check;

#endif
