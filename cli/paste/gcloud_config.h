/* What gcloud was told to use, read from its files; gcloud itself is not run. */
#ifndef TPUCOST_CLI_PASTE_GCLOUD_CONFIG_H
#define TPUCOST_CLI_PASTE_GCLOUD_CONFIG_H

#include "base/err.h"
#include "base/mem.h"

/* Strings of the arena; NULL: not set. Source: `gcloud topic configurations`: $CLOUDSDK_CONFIG or
 * ~/.config/gcloud, active_config or $CLOUDSDK_ACTIVE_CONFIG_NAME, configurations/config_NAME;
 * $CLOUDSDK_CORE_PROJECT, $CLOUDSDK_COMPUTE_ZONE and so on come before the file. */
struct gcloud_config {
	const char *path; /* the file, when there is one */
	const char *project, *account, *zone, *region;
};

/* A file that is absent or cannot be read is no error: then all is NULL but the environment's. */
void gcloud_config_read(struct arena *a, struct gcloud_config *out);

#endif
