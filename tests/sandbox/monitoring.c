/* Cloud Monitoring v3: time series of the world's metrics. After the Monitoring REST
 * reference: points come newest first, int64 values are text, and a series without points in
 * the interval is not there at all. */
#include "tests/sandbox/actions.h"

#include "base/civil.h"
#include "base/str.h"

#include <string.h>

#define MAX_POINTS 10000

struct window {
	ts_t start, end;
	int64_t period; /* of alignment; 0: as sampled */
	const char *type;
};

/* The one metric.type = "..." that a filter must have; arena, NULL: none or two. */
static const char *filtered_type(const struct request *q)
{
	const char *filter = q->param(q, "filter"), *at, *end;

	at = filter ? strstr(filter, "metric.type") : NULL;
	if (!at || strstr(at + 1, "metric.type"))
		return NULL;
	at += strlen("metric.type");
	at += strspn(at, " =");
	if (*at != '"')
		return NULL;
	end = strchr(at + 1, '"');
	return end ? arena_strndup(q->a, at + 1, (size_t)(end - at - 1)) : NULL;
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

	out->type = filtered_type(q);
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

static void write_point(struct jw *w, const struct metric *m, ts_t t, ts_t end)
{
	char text[RFC3339_BUF];

	jw_begin(w, '{');
	jw_key(w, "interval");
	jw_begin(w, '{');
	jw_kstr(w, "startTime", rfc3339_format(t, text));
	jw_kstr(w, "endTime", rfc3339_format(end, text));
	jw_end(w, '}');
	jw_key(w, "value");
	jw_begin(w, '{');
	if (m->integer) {
		jw_kstr(w, "int64Value", m->value);
	} else {
		jw_key(w, "doubleValue");
		jw_raw(w, m->value);
	}
	jw_end(w, '}');
	jw_end(w, '}');
}

/* The times of points in the window, the newest first; returns how many. */
static size_t points_of(
	const struct metric *m, const struct window *win, ts_t now, struct jw *w)
{
	int64_t step = win->period ? win->period : m->every;
	ts_t last = win->end < now ? win->end : now, t;
	size_t n = 0;

	if (last >= m->until)
		last = m->until - 1;
	if (last < m->from)
		return 0;
	t = win->period ? last - (last - win->start) % step
			: last - (last - m->from) % step;
	for (; t >= win->start && t >= m->from && n < MAX_POINTS; t -= step, n++)
		if (w)
			write_point(w, m, win->period ? t - step : t, t);
	return n;
}

static void write_resource(const struct request *q, struct jw *w, const struct metric *m)
{
	const struct instance *x = m->instance
		? world_instance(q->w, m->project, m->zone, m->instance)
		: NULL;

	jw_key(w, "resource");
	jw_begin(w, '{');
	jw_kstr(w, "type", m->node ? "tpu_worker" : "gce_instance");
	jw_key(w, "labels");
	jw_begin(w, '{');
	jw_kstr(w, "project_id", m->project);
	jw_kstr(w, "zone", m->zone);
	if (m->node) {
		jw_kstr(w, "node_id", m->node);
		jw_kstr(w, "worker_id", "0");
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
	if (m->instance) {
		jw_key(w, "labels");
		jw_begin(w, '{');
		jw_kstr(w, "instance_name", m->instance);
		jw_end(w, '}');
	}
	jw_end(w, '}');
	write_resource(q, w, m);
	jw_kstr(w, "metricKind", m->integer ? "DELTA" : "GAUGE");
	jw_kstr(w, "valueType", m->integer ? "INT64" : "DOUBLE");
	jw_key(w, "points");
	jw_begin(w, '[');
	points_of(m, win, q->now, w);
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

		if (strcmp(m->project, p->id) || strcmp(m->type, win.type) ||
			!points_of(m, &win, q->now, NULL))
			continue;
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
