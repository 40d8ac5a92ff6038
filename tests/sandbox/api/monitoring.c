/* Cloud Monitoring v3: time series of the world's metrics. After the Monitoring REST
 * reference: points come newest first, int64 values are text, and a series without points in
 * the interval is not there at all. What a DELTA metric counted in a period can be asked for as a
 * rate (ALIGN_RATE), which is a gauge; a gauge has none. The usage of quotas is an int64 gauge of a
 * location. */
#include "tests/sandbox/actions.h"

#include "base/time/civil.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

#define MAX_POINTS 10000

struct window {
	ts_t start, end;
	int64_t period; /* of alignment; 0: as sampled */
	const char *type;
	const char *resource; /* resource.type of the filter, or NULL */
	const char *service;  /* that the quotas are of, or NULL */
	const char *part;     /* of the quota's metric, or NULL */
	bool rate;            /* ALIGN_RATE */
};

/* The text after key = in a filter; arena, NULL: it is not there, or there are two. */
static const char *filtered(const struct request *q, const char *key)
{
	const char *filter = q->param(q, "filter"), *at, *end;

	at = filter ? strstr(filter, key) : NULL;
	if (!at || strstr(at + 1, key))
		return NULL;
	at += strlen(key);
	at += strspn(at, " =");
	if (!strncmp(at, "has_substring(", 14))
		at += 14;
	if (*at != '"')
		return NULL;
	end = strchr(at + 1, '"');
	return end ? arena_strndup(q->a, at + 1, (size_t)(end - at - 1)) : NULL;
}

static const char *resource_of(const struct metric *m)
{
	if (!strncmp(m->type, "tpu.googleapis.com/accelerator/", 31))
		return "tpu.googleapis.com/GceTpuWorker";
	if (m->quota)
		return "consumer_quota";
	if (m->bucket)
		return "gcs_bucket";
	if (m->tpu_family)
		return "compute.googleapis.com/Location";
	return m->node ? "tpu_worker" : "gce_instance";
}

static bool is_asked(const struct metric *m, const struct window *win)
{
	if (m->quota && win->service && !str_starts(m->quota, win->service))
		return false;
	if (m->quota && win->part && !strstr(m->quota, win->part))
		return false;
	return !strcmp(m->type, win->type) &&
		(!win->resource || !strcmp(resource_of(m), win->resource));
}

static bool read_period(const struct request *q, int64_t *out)
{
	const char *s = q->param(q, "aggregation.alignmentPeriod");

	*out = 0;
	return !s || (!duration_parse(s, out, NULL) && *out >= 60);
}

static bool read_window(const struct request *q, struct response *r, struct window *out)
{
	const char *start = q->param(q, "interval.startTime");
	const char *end = q->param(q, "interval.endTime");
	const char *aligner = q->param(q, "aggregation.perSeriesAligner");

	out->type = filtered(q, "metric.type");
	out->resource = filtered(q, "resource.type");
	out->service = filtered(q, "resource.labels.service");
	out->part = filtered(q, "metric.labels.quota_metric");
	out->rate = aligner && !strcmp(aligner, "ALIGN_RATE");
	if (!out->type)
		respond_rpc(r, 400, "INVALID_ARGUMENT",
			"Field filter had an invalid value: it must name exactly one "
			"metric.type.");
	else if (!end || rfc3339_parse(end, &out->end, NULL, NULL) ||
		rfc3339_parse(start ? start : end, &out->start, NULL, NULL) ||
		out->start > out->end || !read_period(q, &out->period))
		respond_rpc(r, 400, "INVALID_ARGUMENT",
			"Field interval or aggregation had an invalid value.");
	else
		return true;
	return false;
}

static bool is_quota(const struct metric *m)
{
	return m->quota || m->tpu_family;
}

static void write_value(const struct request *q, struct jw *w, const struct metric *m,
	const struct window *win)
{
	jw_begin(w, '{');
	if (win->rate) {
		double rate = strtod(m->value, NULL) / (double)m->every;

		jw_key(w, "doubleValue");
		jw_raw(w, arena_printf(q->a, "%.17g", rate));
	} else if (m->integer || is_quota(m)) {
		jw_kstr(w, "int64Value", m->value);
	} else {
		jw_key(w, "doubleValue");
		jw_raw(w, m->value);
	}
	jw_end(w, '}');
}

static void write_point(const struct request *q, struct jw *w, const struct metric *m,
	const struct window *win, ts_t t)
{
	/* what was counted, was so since the sample before; a rate is of an instant */
	ts_t start = win->rate ? t
		: win->period  ? t - win->period
		: m->integer   ? t - m->every
			       : t;
	char text[RFC3339_BUF];

	jw_begin(w, '{');
	jw_key(w, "interval");
	jw_begin(w, '{');
	jw_kstr(w, "startTime", rfc3339_format(start, text));
	jw_kstr(w, "endTime", rfc3339_format(t, text));
	jw_end(w, '}');
	jw_key(w, "value");
	write_value(q, w, m, win);
	jw_end(w, '}');
}

/* The times of points in the window, the newest first; returns how many. */
static size_t points_of(const struct request *q, const struct metric *m,
	const struct window *win, struct jw *w)
{
	int64_t step = win->period ? win->period : m->every;
	ts_t last = win->end < q->now ? win->end : q->now, t;
	size_t n = 0;

	if (last >= m->until)
		last = m->until - 1;
	if (last < m->from)
		return 0;
	t = win->period ? last - (last - win->start) % step
			: last - (last - m->from) % step;
	for (; t >= win->start && t >= m->from && n < MAX_POINTS; t -= step, n++)
		if (w)
			write_point(q, w, m, win, t);
	return n;
}

static void write_quota_labels(
	const struct request *q, struct jw *w, const struct metric *m)
{
	jw_kstr(w, m->quota ? "project_id" : "resource_container", m->project);
	jw_kstr(w, "location", m->zone);
	if (m->quota)
		jw_kstr(w, "service",
			arena_strndup(q->a, m->quota, strcspn(m->quota, "/")));
}

static void write_resource(const struct request *q, struct jw *w, const struct metric *m)
{
	const struct instance *x = m->instance
		? world_instance(q->w, m->project, m->zone, m->instance)
		: NULL;

	jw_key(w, "resource");
	jw_begin(w, '{');
	jw_kstr(w, "type", resource_of(m));
	jw_key(w, "labels");
	jw_begin(w, '{');
	if (is_quota(m)) {
		write_quota_labels(q, w, m);
		jw_end(w, '}');
		jw_end(w, '}');
		return;
	}
	if (strstr(m->type, "/accelerator/")) {
		/* it does not tell the node */
		jw_kstr(w, "resource_container", m->project);
		jw_kstr(w, "location", m->zone);
		jw_kstr(w, "worker_id", m->worker);
		jw_end(w, '}');
		jw_end(w, '}');
		return;
	}
	jw_kstr(w, "project_id", m->project);
	jw_kstr(w, m->bucket ? "location" : "zone", m->zone);
	if (m->bucket) {
		jw_kstr(w, "bucket_name", m->bucket);
	} else if (m->node) {
		jw_kstr(w, "node_id", m->node);
		jw_kstr(w, "worker_id", m->worker);
	} else {
		jw_kstr(w, "instance_id", x ? x->id : "0");
	}
	jw_end(w, '}');
	jw_end(w, '}');
}

static void write_series(const struct request *q, struct jw *w, const struct metric *m,
	const struct window *win)
{
	jw_begin(w, '{');
	jw_key(w, "metric");
	jw_begin(w, '{');
	jw_kstr(w, "type", m->type);
	if (m->instance || m->bucket || is_quota(m)) {
		jw_key(w, "labels");
		jw_begin(w, '{');
		if (is_quota(m))
			jw_kstr(w, m->quota ? "quota_metric" : "tpu_family",
				m->quota ? m->quota : m->tpu_family);
		else if (m->bucket)
			jw_kstr(w, "method",
				strcmp(m->worker, "0") != 0 ? m->worker : "ReadObject");
		else if (m->remote) {
			bool region = strchr(m->remote, '-') != NULL;

			jw_kstr(w, "remote_location_type", region ? "CLOUD" : m->remote);
			jw_kstr(w, "remote_region", region ? m->remote : "NOT_APPLICABLE");
		} else
			jw_kstr(w, "instance_name", m->instance);
		jw_end(w, '}');
	}
	jw_end(w, '}');
	write_resource(q, w, m);
	jw_kstr(w, "metricKind", m->integer && !win->rate ? "DELTA" : "GAUGE");
	jw_kstr(w, "valueType",
		(m->integer && !win->rate) || is_quota(m) ? "INT64" : "DOUBLE");
	jw_key(w, "points");
	jw_begin(w, '[');
	points_of(q, m, win, w);
	jw_end(w, ']');
	jw_end(w, '}');
}

void serve_series(const struct request *q, struct response *r)
{
	const struct project *p = world_project(q->w, q->seg[2]);
	struct jw w = {.b = &r->body};
	struct window win;
	bool any = false;

	if (!p) {
		respond_rpc(r, 403, "PERMISSION_DENIED",
			"Permission monitoring.timeSeries.list denied.");
		return;
	}
	if (!read_window(q, r, &win))
		return;
	jw_begin(&w, '{');
	for (size_t i = 0; i < q->w->n_metrics; i++) {
		const struct metric *m = &q->w->metrics[i];

		if (strcmp(m->project, p->id) || !is_asked(m, &win) ||
			!points_of(q, m, &win, NULL))
			continue;
		if (win.rate && !m->integer) {
			sbuf_reset(&r->body);
			respond_rpc(r, 400, "INVALID_ARGUMENT",
				"Field aggregation.perSeriesAligner had an invalid value "
				"of \"ALIGN_RATE\": The aligner cannot be applied to "
				"metrics with kind GAUGE.");
			return;
		}
		if (!any) {
			jw_key(&w, "timeSeries");
			jw_begin(&w, '[');
			any = true;
		}
		write_series(q, &w, m, &win);
	}
	if (any)
		jw_end(&w, ']');
	jw_end(&w, '}');
}
