/* Detects whether a machine is the one on which this program runs. One of three conditions is
 * sufficient: it has an address of this host, the name of this host, or the number from Google's
 * metadata server. If it cannot be determined, the result is yes. */
#ifndef TPUCOST_GCP_AUTH_OWN_HOST_H
#define TPUCOST_GCP_AUTH_OWN_HOST_H

#include "gcp/gcp.h"

struct own_host_ask {
	const char *name;
	const char *uid; /* of an instance; "" if the metadata server does not have it */
	const char *const *addresses; /* internal ones */
	size_t n_addresses;
};

bool gcp_own_host(struct gcp *g, const struct own_host_ask *q);

/* The project of the machine on which this runs; NULL without a metadata server. Allocated from the
 * arena. */
const char *gcp_own_project(struct gcp *g, struct arena *a);

#endif
