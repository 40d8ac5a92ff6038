/* What ends the cost of a thing, ready to paste into a shell. */
#ifndef TPUCOST_REPORTS_STOP_COMMAND_H
#define TPUCOST_REPORTS_STOP_COMMAND_H

#include "base/mem.h"

struct stop_target {
	const char *kind, *project, *location, *name, *state;
	const char *source;       /* "vm": a TPU that is a Compute instance; may be NULL */
	const char *provisioning; /* may be NULL */
	const char *queued;       /* the queued resource that made it, or NULL */
	int64_t hosts;            /* 0: not known */
};

/* NULL for kinds that are not ended by one command. Arena. */
const char *stop_command(const struct stop_target *t, struct arena *a);

#endif
