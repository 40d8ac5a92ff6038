/* Managed instance groups of TPUs that have no machine: their template says what they are to create. */
#ifndef TPUCOST_COLLECTOR_SOURCE_VACANT_H
#define TPUCOST_COLLECTOR_SOURCE_VACANT_H

#include "collector/source/source.h"
#include "gcp/compute/compute.h"

struct vacant {
	const struct gce_group *group;
	const char *path; /* "zones/Z/instanceGroupManagers/NAME", or of a region */
	const char *type; /* machine type; "": no TPU; NULL: not known yet */
	const char *provisioning, *labels;
	bool asked;
	struct gce_template template;
};

struct vacants {
	struct vacant *v;
	size_t n, cap;
};

/* Path of a group, as its machines name it. Allocated from p->arena. */
const char *vacant_path(struct poll *p, const struct gce_group *g);
/* Finds the groups without machines, as of the last list of machines, and requests the templates that are
 * not known. `out` must live until the replies have arrived; *asked: there are some. */
enum err_code vacant_ask(struct poll *p, const struct gce_groups *groups,
	struct vacants *out, bool *asked, struct err *e) must_check;
/* Stores the replies. */
enum err_code vacant_take(struct poll *p, struct vacants *v, struct err *e) must_check;

#endif
