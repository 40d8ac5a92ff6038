/* Settings of gcloud, read from its files; gcloud itself is not run. */
#ifndef TPUCOST_CLI_PASTE_GCLOUD_CONFIG_H
#define TPUCOST_CLI_PASTE_GCLOUD_CONFIG_H

#include "base/err.h"
#include "base/mem.h"

/* Strings are allocated from the arena; NULL: not set. Source: `gcloud topic configurations`:
 * $CLOUDSDK_CONFIG or ~/.config/gcloud, active_config or $CLOUDSDK_ACTIVE_CONFIG_NAME,
 * configurations/config_NAME; $CLOUDSDK_CORE_PROJECT, $CLOUDSDK_COMPUTE_ZONE and so on override
 * the file. */
struct gcloud_config {
	const char *path; /* the file, when there is one */
	const char *project, *account, *zone, *region;
};

/* A file that is missing or cannot be read is not an error: then only the environment is used. */
void gcloud_config_read(struct arena *a, struct gcloud_config *out);

#endif
