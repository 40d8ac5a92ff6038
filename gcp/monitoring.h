/* Cloud Monitoring v3: points of a metric. Monitoring REST reference, timeSeries: list. A
 * series without data is not there at all, which never means 0. */
#ifndef TPUCOST_GCP_MONITORING_H
#define TPUCOST_GCP_MONITORING_H

#include "gcp/gcp.h"

struct series_label {
	const char *key, *value;
};

struct series_point {
	ts_t start;   /* TS_NONE unsaid: it is of the instant `at` */
	ts_t at;      /* end of its interval */
	double value; /* a number; money is never a metric */
};

struct series {
	const char *resource;        /* "gce_instance", "tpu_worker", ... */
	const char *kind;            /* GAUGE, DELTA, CUMULATIVE; "" unsaid */
	struct series_label *labels; /* of the metric, then of the resource */
	size_t n_labels;
	struct series_point *points; /* newest first; no two at the same time */
	size_t n_points;
	size_t room; /* private */
};

struct series_list {
	struct gcp_result r;
	struct series *v;
	size_t n;
	size_t n_points; /* of all series */
	bool partial;    /* Google says that some is missing */
};

struct series_query {
	const char *filter; /* names exactly one metric.type */
	ts_t from, until;
	const char *aligner; /* "ALIGN_MEAN", with `period` seconds; NULL: raw points */
	int64_t period;
	const char *
		reducer; /* "REDUCE_MAX" over series that agree in `group_by`; NULL: none */
	const char *const *group_by; /* "resource.label.instance_id" */
	size_t n_group_by;
};

/* Queue one; after gcp_run, out->r.code says how it went: E_LIMIT beyond 20,000 series or
 * 200,000 points. Needs roles/monitoring.viewer. Points that are no finite number are left
 * out. */
enum err_code monitoring_series_start(struct gcp *g, const char *project,
	const struct series_query *q, struct arena *a, struct series_list *out,
	struct err *e) must_check;

/* Value of a label, or "". */
const char *series_label(const struct series *s, const char *key);

#endif
