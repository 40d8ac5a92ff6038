#include "gcp/monitoring.h"

#include "base/civil.h"
#include "base/str.h"
#include "base/url.h"
#include "gcp/decode.h"
#include "gcp/list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SERIES 20000
#define MAX_LABELS 64
#define PAGE_POINTS 100000 /* pageSize counts points */

const char *series_label(const struct series *s, const char *key)
{
	for (size_t i = 0; i < s->n_labels; i++)
		if (str_eq(s->labels[i].key, key))
			return s->labels[i].value;
	return "";
}

static void read_labels(struct dec *d, const char *holder, struct series *out)
{
	const struct cJSON *labels = json_path(d->obj, holder, "labels", NULL);

	JSON_EACH (j, labels) {
		const char *value = json_text(j, NULL);

		if (out->n_labels == MAX_LABELS) {
			dec_fail(d, holder, "it has too many labels");
			return;
		}
		if (!value) {
			dec_fail(d, holder, "a label is no text");
			return;
		}
		out->labels[out->n_labels++] = (struct series_label){
			arena_strdup(d->a, json_key(j)), arena_strdup(d->a, value)};
	}
}

/* {"doubleValue": 0.5} or {"int64Value": "7"}. What is no finite number is no point. */
static bool read_value(const struct cJSON *value, double *out)
{
	const struct cJSON *whole = json_get(value, "int64Value");
	const struct cJSON *real = json_get(value, "doubleValue");
	struct sbuf b = SBUF_INIT;
	const char *text;
	char *end;

	if (!whole && !real)
		return false;
	text = json_text(whole ? whole : real, NULL);
	if (!text) {
		json_print(&b, whole ? whole : real);
		text = b.s;
	}
	*out = strtod(text, &end);
	if (end == text || *end || !isfinite(*out))
		end = NULL;
	sbuf_done(&b);
	return end != NULL;
}

static void read_points(struct dec *d, struct series *out)
{
	const struct cJSON *list = dec_array(d, "points");

	out->points = arena_alloc(d->a, (json_len(list) + 1) * sizeof(*out->points));
	JSON_EACH (j, list) {
		struct series_point p;
		struct dec one = dec_begin(json_get(j, "interval"), d->a, d->e);

		p.at = dec_ts(&one, "endTime");
		if (one.code == E_OK && p.at == TS_NONE)
			dec_fail(&one, "endTime", "it is missing");
		if (one.code != E_OK) {
			d->code = err_wrap(d->e, "points[%zu]", out->n_points);
			return;
		}
		if (read_value(json_get(j, "value"), &p.value))
			out->points[out->n_points++] = p;
	}
}

/* The same series on two pages is one: its points go on. */
static const char *key_of(struct arena *a, const struct series *s)
{
	struct sbuf b = SBUF_INIT;
	const char *key;

	for (size_t i = 0; i < s->n_labels; i++)
		sbuf_addf(&b, "%zu %s=%zu %s;", strlen(s->labels[i].key), s->labels[i].key,
			strlen(s->labels[i].value), s->labels[i].value);
	key = arena_strdup(a, b.s);
	sbuf_done(&b);
	return key;
}

static void put_series(struct gcp_typed *t, const struct series *s)
{
	const char *key = key_of(t->arena, s);
	const size_t *at = strmap_get(&t->seen, key);
	struct series *known = at ? (struct series *)t->items + *at : NULL;
	struct series_point *all;

	if (!known) {
		memcpy(gcp_typed_slot(t, key), s, sizeof(*s));
		return;
	}
	all = arena_alloc(t->arena, (known->n_points + s->n_points + 1) * sizeof(*all));
	memcpy(all, known->points, known->n_points * sizeof(*all));
	memcpy(all + known->n_points, s->points, s->n_points * sizeof(*all));
	known->points = all;
	known->n_points += s->n_points;
}

static enum err_code on_page(struct gcp_list *l, const struct cJSON *page, struct err *e)
{
	struct gcp_typed *t = l->ctx;
	struct series_list *out = (struct series_list *)t->result;
	struct dec d = dec_begin(page, t->arena, e);
	const struct cJSON *items = dec_array(&d, "timeSeries");

	if (json_first(dec_array(&d, "executionErrors")))
		out->partial = true;
	JSON_EACH (j, items) {
		struct dec one = dec_begin(j, t->arena, e);
		struct series s = {
			.labels = arena_alloc(t->arena, MAX_LABELS * sizeof(*s.labels))};

		read_labels(&one, "metric", &s);
		read_labels(&one, "resource", &s);
		read_points(&one, &s);
		if (one.code != E_OK)
			return one.code;
		if (t->n >= MAX_SERIES)
			return err_set(e, E_LIMIT, "more than %d series", MAX_SERIES);
		put_series(t, &s);
	}
	return d.code;
}

static void deliver(struct gcp_typed *t)
{
	struct series_list *out = (struct series_list *)t->result;

	out->v = t->items;
	out->n = t->n;
}

enum err_code monitoring_series_start(struct gcp *g, const char *project,
	const struct series_query *q, struct arena *a, struct series_list *out,
	struct err *e)
{
	struct gcp_typed *t = gcp_typed_new(g, GCP_MONITORING, project, "read metrics", a,
		&out->r, sizeof(struct series));
	struct sbuf *url = &t->list.call.url;
	char when[RFC3339_BUF];

	out->partial = false;
	gcp_url(g, url, GCP_MONITORING, "/projects/{}/timeSeries", project, NULL);
	url_param(url, "filter", q->filter);
	url_param(url, "interval.startTime", rfc3339_format(q->from, when));
	url_param(url, "interval.endTime", rfc3339_format(q->until, when));
	url_param(url, "view", "FULL");
	if (q->aligner) {
		url_param(url, "aggregation.alignmentPeriod",
			arena_printf(a, "%llds", (long long)q->period));
		url_param(url, "aggregation.perSeriesAligner", q->aligner);
	}
	t->list.page_size = PAGE_POINTS;
	t->list.on_page = on_page;
	t->deliver = deliver;
	return gcp_typed_start(t, e);
}

enum err_code monitoring_series(struct gcp *g, const char *project,
	const struct series_query *q, struct arena *a, struct series_list *out,
	struct err *e)
{
	struct series_list own = {0};
	enum err_code rc = monitoring_series_start(g, project, q, a, &own, e);

	rc = gcp_typed_wait(g, rc, &own.r, e);
	if (rc == E_OK)
		*out = own;
	return rc;
}
