/* The table of sources: one file and one line each. */
#include "collector/source/source.h"

#include <string.h>

const struct source *const sources[] = {
	&source_project,
	&source_vm,
	&source_disk,
	&source_ip,
	&source_tpu,
	&source_queued,
	&source_snapshot,
	&source_bucket,
	&source_machine_type,
	&source_quota,
	&source_tpu_quota,
	&source_metric,
	&source_account,
	&source_price,
	&source_billing,
};
const size_t n_sources = ARRAY_LEN(sources);

const struct source *source_find(const char *name)
{
	for (size_t i = 0; i < n_sources; i++)
		if (!strcmp(sources[i]->name, name))
			return sources[i];
	return NULL;
}

bool source_group_exists(const char *group)
{
	for (size_t i = 0; i < n_sources; i++)
		if (!strcmp(sources[i]->group, group))
			return true;
	return false;
}
