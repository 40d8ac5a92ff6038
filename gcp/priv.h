/* What the files of gcp/ share and others need not see. */
#ifndef TPUCOST_GCP_PRIV_H
#define TPUCOST_GCP_PRIV_H

#include "gcp/gcp.h"

struct gcp_auth;

struct gcp {
	struct http *http;
	struct clock *clock;
	char *base[GCP_N_APIS]; /* without a slash at the end */
	char *metadata_base;    /* endpoint_all, or NULL */
	bool oauth_overridden;  /* the token goes to base[GCP_OAUTH], whatever the key
				   says */
	char *quota_project;    /* or NULL */
	struct gcp_auth *auth;
};

/* The role to grant for reading this API, per Google's IAM reference. */
const char *gcp_role(enum gcp_api api);

#endif
