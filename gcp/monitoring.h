/* Cloud Monitoring v3: points of a metric. Monitoring REST reference, timeSeries: list. A
 * series without data is not there at all, which never means 0. */
#ifndef TPUCOST_GCP_MONITORING_H
#define TPUCOST_GCP_MONITORING_H

#include "gcp/gcp.h"

struct series_label {
	const char *key, *value;
};

/* Newest first. */
struct series_point {
	ts_t at;      /* end of its interval */
	double value; /* a number; money is never a metric */
};

struct series {
	struct series_label *labels; /* of the metric, then of the resource */
	size_t n_labels;
	struct series_point *points;
	size_t n_points;
};

struct series_list {
	struct gcp_result r;
	struct series *v;
	size_t n;
	bool partial; /* Google says that some is missing */
};

struct series_query {
	const char *filter; /* names exactly one metric.type */
	ts_t from, until;
	const char *aligner; /* "ALIGN_MEAN", with `period` seconds; NULL: raw points */
	int64_t period;
};

/* Needs roles/monitoring.viewer. */
enum err_code monitoring_series(struct gcp *g, const char *project,
	const struct series_query *q, struct arena *a, struct series_list *out,
	struct err *e) must_check;
/* Queue one; after gcp_run, out->r.code says how it went. */
enum err_code monitoring_series_start(struct gcp *g, const char *project,
	const struct series_query *q, struct arena *a, struct series_list *out,
	struct err *e) must_check;

/* Value of a label, or "". */
const char *series_label(const struct series *s, const char *key);

#endif
