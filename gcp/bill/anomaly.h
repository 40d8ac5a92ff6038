/* Google's cost anomalies of a project. Cloud Billing REST reference v1beta, projects.anomalies.list, as of Google's
 * client library for Python (docs/dyn/cloudbilling_v1beta.projects.anomalies.html). Google documents the words of scope
 * and severity nowhere: they are kept as they come. "View and manage cost anomalies": amounts are before credits; who may
 * list those of a project has billing.anomalies.list on it, who may list those of the account may see every
 * project that it pays for. Without a filter, the list is of the last 30 days. */
#ifndef TPUCOST_GCP_BILL_ANOMALY_H
#define TPUCOST_GCP_BILL_ANOMALY_H

#include "gcp/list.h"

struct billing_anomaly {
	const char *id;               /* last segment of its name */
	const char *scope, *severity; /* "" if absent */
	ts_t detected;                /* 00:00 of a day in Google's time zone */
	ts_t updated;                 /* TS_NONE if absent */
	const char *currency;         /* of the amounts; "" if there are none */
	/* nanos: deviation = actual - expected */
	struct opt_i64 actual, expected, deviation;
	const char *causes; /* names of the largest root causes; "" if there are none */
};

GCP_ITEMS(billing_anomalies, struct billing_anomaly);

/* For gcp_listing_start. */
extern const struct gcp_listing billing_anomaly_listing;

#endif
