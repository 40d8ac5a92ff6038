/* Metrics for Prometheus: a table of queries over the views, in the text format 0.0.4. */
#ifndef TPUCOST_CLI_METRICS_METRICS_H
#define TPUCOST_CLI_METRICS_METRICS_H

#include "base/err.h"
#include "base/sbuf.h"

struct app;

/* Appends all metrics. The database must be open. `resources`: also those with a series for each resource. */
enum err_code metrics_add(
	struct app *app, bool resources, struct sbuf *b, struct err *e) must_check;
#endif
