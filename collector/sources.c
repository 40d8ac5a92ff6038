/* The table of sources. */
#include "collector/collect.h"

#include "base/str.h"

#include <string.h>

const struct source *const sources[] = {
	&source_project,
	&source_index,
	&source_vm,
	&source_slice,
	&source_resize,
	&source_reservation,
	&source_disk,
	&source_ip,
	&source_queued,
	&source_tpu,
	&source_snapshot,
	&source_bucket,
	&source_machine_type,
	&source_quota,
	&source_tpu_quota,
	&source_compute_tpu_quota,
	&source_preemption,
	&source_metric,
	&source_account,
	&source_anomaly,
	&source_price,
	&source_billing,
};
const size_t n_sources = ARRAY_LEN(sources);
_Static_assert(ARRAY_LEN(sources) <= 32, "polls of a place are bits of a uint32_t");

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

enum err_code collect_check_names(const char *const *only, size_t n_only, struct err *e)
{
	for (size_t i = 0; i < n_only; i++) {
		const char *names[64], *near;
		size_t n = 0;

		if (source_find(only[i]) || source_group_exists(only[i]))
			continue;
		for (size_t k = 0; k < n_sources && n + 2 < ARRAY_LEN(names); k++) {
			names[n++] = sources[k]->name;
			names[n++] = sources[k]->group;
		}
		near = str_nearest(only[i], names, n);
		err_set(e, E_USAGE, "collect: unknown source or group '%s'", only[i]);
		return near ? err_fix(e, "did you mean '%s'?", near)
			    : err_fix(e, "run: tpucost help collect");
	}
	return E_OK;
}
