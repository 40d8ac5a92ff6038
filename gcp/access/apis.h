/* APIs that must be enabled in a project to read its facts: a disabled one is found before the first poll.
 *
 * Each is tested with the smallest request that tpucost sends to it anyway, with no other permission. */
#ifndef TPUCOST_GCP_ACCESS_APIS_H
#define TPUCOST_GCP_ACCESS_APIS_H

#include "gcp/gcp.h"

struct api_test {
	const char *project; /* borrowed */
	const char *service; /* "tpu.googleapis.com" */
	const char *missing; /* facts that it has: "TPUs" */
	enum err_code
		code; /* E_DISABLED; E_DENIED and others do not show whether it is enabled */
	struct err err;
};

/* Sends the requests for all projects at the same time. Allocated from the arena, a project after the other. Fails only
 * for reasons that concern all of them. */
enum err_code apis_test(struct gcp *g, const char *const *projects, size_t n, ts_t now,
	struct arena *a, struct api_test **out, size_t *n_out, struct err *e) must_check;

#endif
