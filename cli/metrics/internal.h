/* Table of metrics. Private to cli/metrics/. */
#ifndef TPUCOST_CLI_METRICS_INTERNAL_H
#define TPUCOST_CLI_METRICS_INTERNAL_H

#include "base/base.h"

struct metric {
	const char *name, *type, *help;
	const char *sql; /* NULL: tpucost_enforcement_enabled, which no view has */
	bool resources;  /* a series for each resource: only with --per-resource */
};

extern const struct metric metrics[];
extern const size_t n_metrics;

#endif
