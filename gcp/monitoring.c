#include "gcp/monitoring.h"

#include "base/time/civil.h"
#include "base/str.h"
#include "base/url/url.h"
#include "gcp/decode.h"
#include "gcp/list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SERIES 20000
#define MAX_POINTS 200000
#define MAX_LABELS 64
#define PAGE_POINTS 100000 /* pageSize counts points */

const char *series_label(const struct series *s, const char *key)
{
	for (size_t i = 0; i < s->n_labels; i++)
		if (str_eq(s->labels[i].key, key))
			return s->labels[i].value;
	return "";
}

/* ---- labels -------------------------------------------------------------- */

/* `holder` is "metric" or "resource". Returns its labels as JSON, for comparison. */
static const char *series_read_labels(struct dec *d, const char *holder, struct series *out)
{
	struct dec in = dec_enter(d, holder);
	const struct cJSON *labels = json_get(in.obj, "labels");
	size_t n = out->n_labels + json_len(labels);
	const char *text = dec_labels(&in, "labels");
	struct series_label *all;

	if (n > MAX_LABELS)
		dec_fail(&in, "labels", "too many");
	if (!dec_leave(d, &in))
		err_wrap(d->e, "%s", holder);
	if (d->code != E_OK)
		return "{}";
	all = arena_alloc(d->a, (n + 1) * sizeof(*all));
	if (out->n_labels)
		memcpy(all, out->labels, out->n_labels * sizeof(*all));
	JSON_EACH (j, labels)
		all[out->n_labels++] = (struct series_label){
			arena_strdup(d->a, json_key(j)),
			arena_strdup(d->a, json_text(j, ""))};
	out->labels = all;
	return text;
}

/* Google's values where JSON has no number: a point without a value. */
static bool series_is_no_number(const char *s)
{
	return str_eq(s, "NaN") || str_eq(s, "Infinity") || str_eq(s, "-Infinity");
}

/* ---- points -------------------------------------------------------------- */

/* A number, or its text. False: none, or d->code has the error. */
static bool series_read_double(struct dec *d, double *out)
{
	const struct cJSON *j = json_get(d->obj, "doubleValue");

	if (series_is_no_number(json_text(j, "")))
		return false;
	if (!dec_double(j, out) || !isfinite(*out))
		dec_fail(d, "doubleValue", "not a number");
	return d->code == E_OK;
}

/* {"doubleValue": 0.5} or {"int64Value": "7"}; texts, booleans and distributions are not
 * numbers. */
static bool series_read_value(struct dec *point, double *out)
{
	struct dec d = dec_enter(point, "value");
	bool found = false;

	if (json_get(d.obj, "int64Value")) {
		*out = (double)dec_i64(&d, "int64Value");
		found = d.code == E_OK;
	} else if (json_get(d.obj, "doubleValue")) {
		found = series_read_double(&d, out);
	}
	dec_leave(point, &d);
	return found;
}

static bool series_read_point(struct dec *d, struct series_point *out)
{
	struct dec in = dec_enter(d, "interval");

	if (!in.obj)
		dec_fail(d, "interval", "missing");
	if (d->code != E_OK)
		return false;
	out->start = dec_ts(&in, "startTime");
	out->at = dec_ts(&in, "endTime");
	if (out->at == TS_NONE)
		dec_fail(&in, "endTime", "missing");
	dec_leave(d, &in);
	return series_read_value(d, &out->value);
}

/* Appends the points of one page: they continue those of the previous page. */
static void series_read_points(struct dec *d, struct series *s, struct series_list *all)
{
	const struct cJSON *list = dec_array(d, "points");
	size_t begin = s->n_points, number = 0;
	ts_t before = TS_NONE;

	JSON_EACH (j, list) {
		struct dec one = dec_begin(j, d->a, d->e);
		struct series_point p = {.at = TS_NONE};
		bool found = one.code == E_OK && series_read_point(&one, &p);

		if (one.code == E_OK && number && p.at >= before)
			dec_fail(&one, "interval", "not older than the previous one");
		if (one.code != E_OK) {
			d->code = err_wrap(d->e, "points[%zu]", number);
			return;
		}
		before = p.at;
		number++;
		if (!found)
			continue;
		if (begin && p.at >= s->points[begin - 1].at) {
			all->r.repeated++;
			continue;
		}
		*arena_append(d->a, s->points, s->n_points, s->room) = p;
		all->n_points++;
	}
}

/* ---- series -------------------------------------------------------------- */

/* A series may continue on the next page: returns the existing one, or a new one. */
static struct series *series_find_series(
	struct gcp_typed *t, struct dec *d, struct series *s)
{
	const char *metric, *resource, *key;
	size_t *at;

	metric = series_read_labels(d, "metric", s);
	resource = series_read_labels(d, "resource", s);
	if (d->code != E_OK)
		return NULL;
	key = arena_printf(d->a, "%s %s %s", metric, resource, s->resource);
	at = strmap_get(&t->seen, key);
	if (at)
		return (struct series *)t->items + *at;
	if (t->n >= MAX_SERIES) {
		d->code = err_set(d->e, E_LIMIT, "more than %d series", MAX_SERIES);
		return NULL;
	}
	return memcpy(gcp_typed_slot(t, key), s, sizeof(*s));
}

static enum err_code series_put_series(
	struct gcp_typed *t, const struct cJSON *j, struct err *e)
{
	struct series_list *out = (struct series_list *)t->result;
	struct dec d = dec_begin(j, t->arena, e), resource;
	struct series own = {0}, *s;

	resource = dec_enter(&d, "resource");
	own.resource = dec_text(&resource, "type");
	dec_leave(&d, &resource);
	own.kind = dec_text(&d, "metricKind");
	s = series_find_series(t, &d, &own);
	if (!s)
		return d.code;
	if (out->n_points + json_len(json_get(j, "points")) > MAX_POINTS)
		return err_set(e, E_LIMIT, "more than %d points", MAX_POINTS);
	series_read_points(&d, s, out);
	return d.code;
}

static enum err_code series_page(
	struct gcp_typed *t, const struct cJSON *page, struct err *e)
{
	struct series_list *out = (struct series_list *)t->result;
	struct dec d = dec_begin(page, t->arena, e);
	const struct cJSON *items = dec_array(&d, "timeSeries");
	size_t number = 0;

	if (json_first(dec_array(&d, "executionErrors")))
		out->partial = true;
	JSON_EACH (j, items) {
		if (d.code == E_OK && series_put_series(t, j, e) != E_OK)
			d.code = err_wrap(e, "timeSeries[%zu]", number);
		number++;
	}
	return d.code;
}

/* ---- request ------------------------------------------------------------- */

static void series_add_query(
	struct sbuf *url, const struct series_query *q, struct arena *a)
{
	char when[RFC3339_BUF];

	url_param(url, "filter", q->filter);
	url_param(url, "interval.startTime", rfc3339_format(q->from, when));
	url_param(url, "interval.endTime", rfc3339_format(q->until, when));
	url_param(url, "view", "FULL");
	if (q->aligner) {
		url_param(url, "aggregation.alignmentPeriod",
			arena_printf(a, "%llds", (long long)q->period));
		url_param(url, "aggregation.perSeriesAligner", q->aligner);
	}
	if (q->reducer)
		url_param(url, "aggregation.crossSeriesReducer", q->reducer);
	for (size_t i = 0; i < q->n_group_by; i++)
		url_param(url, "aggregation.groupByFields", q->group_by[i]);
}

static const struct gcp_listing series_listing = {
	.api = GCP_MONITORING,
	.what = "read metrics",
	.path = "/projects/{}/timeSeries",
	.page_size = PAGE_POINTS,
	.size = sizeof(struct series),
	.page = series_page,
};

enum err_code monitoring_series_start(struct gcp *g, const char *project,
	const struct series_query *q, struct arena *a, struct series_list *out,
	struct err *e)
{
	struct gcp_typed *t = gcp_typed_new(
		&series_listing, g, project, a, &out->r, project, NULL);

	out->partial = false;
	out->n_points = 0;
	series_add_query(&t->list.call.url, q, a);
	return gcp_typed_start(t, e);
}
