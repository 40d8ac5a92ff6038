/* Is a machine the one that this program runs on? One of three is enough: it has an address of
 * ours, our name, or Google's metadata server tells its number. What cannot be told is yes. */
#ifndef TPUCOST_GCP_AUTH_OWN_HOST_H
#define TPUCOST_GCP_AUTH_OWN_HOST_H

#include "gcp/gcp.h"

struct own_host_ask {
	const char *name;
	const char *uid; /* of an instance; "" of what the metadata server does not know */
	const char *const *addresses; /* internal ones */
	size_t n_addresses;
};

bool gcp_own_host(struct gcp *g, const struct own_host_ask *q);

/* The project of the machine that this runs on, NULL when no metadata server says so. Arena. */
const char *gcp_own_project(struct gcp *g, struct arena *a);

#endif
