/* Cloud Monitoring v3: points of a metric. Monitoring REST reference, timeSeries: list. A series
 * without data is absent, which never means 0. */
#ifndef TPUCOST_GCP_MONITORING_H
#define TPUCOST_GCP_MONITORING_H

#include "gcp/gcp.h"

struct series_label {
	const char *key, *value;
};

struct series_point {
	ts_t start;   /* TS_NONE if absent: it is of the instant `at` */
	ts_t at;      /* end of its interval */
	double value; /* a number; never an amount of money */
};

struct series {
	const char *resource;        /* "gce_instance", "tpu_worker", ... */
	const char *kind;            /* GAUGE, DELTA, CUMULATIVE; "" if absent */
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
	bool partial;    /* Google reports that some data is missing */
};

struct series_query {
	const char *filter; /* names exactly one metric.type */
	ts_t from, until;
	const char *aligner; /* "ALIGN_MEAN", with `period` seconds; NULL: raw points */
	int64_t period;
	/* "REDUCE_MAX" over series with the same `group_by`; NULL: none */
	const char *reducer;
	const char *const *group_by; /* "resource.label.instance_id" */
	size_t n_group_by;
};

/* Queues one; after gcp_run, out->r.code has the result: E_LIMIT beyond 20,000 series or 200,000
 * points. Needs roles/monitoring.viewer. Points without a finite number are omitted. */
enum err_code monitoring_series_start(struct gcp *g, const char *project,
	const struct series_query *q, struct arena *a, struct series_list *out,
	struct err *e) must_check;

/* Value of a label, or "". */
const char *series_label(const struct series *s, const char *key);

#endif
