/* How busy machines and TPUs are. A machine without points is not known to be idle: it may
 * have no agent, or Monitoring may be late. */
#include "base/civil.h"
#include "collector/source.h"
#include "db_sql.h"
#include "gcp/monitoring.h"

#include <math.h>
#include <string.h>

#define SETTLED 240      /* seconds until points are there (Cloud Monitoring) */
#define WINDOW 3600      /* seconds that are read */
#define PERIOD 300       /* of the averages in it */
#define KEPT DAY_SECONDS /* what was not heard of for so long is forgotten */
#define NANOS_PER_UNIT 1e9

struct metric {
	const char *type, *resource;
	double busy; /* from this value on it is work */
	/* the subject: labels joined by '/' */
	const char *label, *label2;
};

static const struct metric metrics[] = {
	/* a fraction; an idle Linux machine stays below */
	{"compute.googleapis.com/instance/cpu/utilization", "gce_instance", 0.05,
		"instance_id", NULL},
	/* per cent, one series per worker */
	{"tpu.googleapis.com/cpu/utilization", "tpu_worker", 5, "zone", "node_id"},
};

struct lists {
	struct series_list v[ARRAY_LEN(metrics)];
};

static enum err_code ask(struct poll *p, struct err *e)
{
	struct lists *l = arena_new(p->arena, struct lists);

	p->state = l;
	for (size_t i = 0; i < ARRAY_LEN(metrics); i++) {
		struct series_query q = {
			.filter = arena_printf(p->arena,
				"metric.type=\"%s\" AND resource.type=\"%s\"",
				metrics[i].type, metrics[i].resource),
			.from = p->now - SETTLED - WINDOW,
			.until = p->now - SETTLED,
			.aligner = "ALIGN_MEAN",
			.period = PERIOD};

		poll_await(p, &l->v[i].r);
		if (poll_started(p,
			    monitoring_series_start(
				    p->gcp, p->project, &q, p->arena, &l->v[i], e)))
			return e->code;
	}
	return E_OK;
}

/* One thing that is measured, over all of its series. */
struct subject {
	const char *name;
	ts_t at, oldest, idle_since; /* idle_since TS_NONE: it works */
	double value;
	bool all_idle; /* in all that was read: it may have been idle before too */
	int64_t series;
};

struct subjects {
	struct subject *v;
	size_t n, cap;
};

static struct subject read_series(
	const struct metric *m, const struct series *s, const char *name)
{
	struct subject x = {.name = name,
		.at = s->points[0].at,
		.oldest = s->points[s->n_points - 1].at,
		.idle_since = TS_NONE,
		.value = s->points[0].value,
		.series = 1};
	size_t i = 0;

	while (i < s->n_points && s->points[i].value < m->busy)
		i++;
	x.all_idle = i == s->n_points;
	if (x.all_idle)
		x.idle_since = x.oldest - PERIOD;
	else if (i)
		x.idle_since = s->points[i].at;
	return x;
}

/* Of several workers the busiest one counts, and the oldest news. */
static void merge(struct subject *into, const struct subject *x)
{
	if (into->idle_since == TS_NONE || x->idle_since == TS_NONE)
		into->idle_since = TS_NONE;
	else if (x->idle_since > into->idle_since)
		into->idle_since = x->idle_since;
	into->all_idle = into->all_idle && x->all_idle;
	into->series += x->series;
	if (x->at < into->at)
		into->at = x->at;
	if (x->value > into->value)
		into->value = x->value;
}

static void add(struct poll *p, struct subjects *l, const struct subject *x)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->v[i].name, x->name)) {
			merge(&l->v[i], x);
			return;
		}
	l->v = arena_grow(p->arena, l->v, l->n, &l->cap, sizeof(*l->v));
	l->v[l->n++] = *x;
}

static const char *name_of(struct poll *p, const struct metric *m, const struct series *s)
{
	const char *one = series_label(s, m->label);

	return m->label2 ? arena_printf(p->arena, "%s/%s", one, series_label(s, m->label2))
			 : one;
}

/* Idle all through the window: since when is known from the poll before, if there is no gap
 * between the two. */
static enum err_code put_subject(
	struct poll *p, const struct metric *m, const struct subject *x, struct err *e)
{
	struct q_metric_get_in get = {
		.project = p->project, .metric = m->type, .subject = x->name};
	struct q_metric_get was;
	struct q_metric_put_in in = {.project = p->project,
		.metric = m->type,
		.subject = x->name,
		.at = x->at,
		.series = x->series,
		.value = (int64_t)llround(
			fmin(fmax(x->value, -1e9), 9e9) * NANOS_PER_UNIT)};
	bool found;

	if (q_metric_get_one(p->db, &get, p->arena, &was, &found, e))
		return e->code;
	if (x->idle_since != TS_NONE)
		in.idle_since = SOME(x->idle_since);
	if (x->all_idle && found && was.idle_since.set &&
		was.idle_since.v < x->idle_since && was.at >= x->oldest - PERIOD)
		in.idle_since = was.idle_since;
	p->items++;
	return q_metric_put(p->db, &in, e);
}

static enum err_code put_list(
	struct poll *p, const struct metric *m, const struct series_list *l, struct err *e)
{
	struct subjects subjects = {0};

	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].n_points) {
			struct subject x = read_series(
				m, &l->v[i], name_of(p, m, &l->v[i]));

			add(p, &subjects, &x);
		}
	for (size_t i = 0; i < subjects.n; i++) {
		/* Of a part of the workers only work can be known, not idleness. */
		if (l->partial && subjects.v[i].idle_since != TS_NONE)
			continue;
		if (put_subject(p, m, &subjects.v[i], e))
			return e->code;
	}
	return E_OK;
}

static enum err_code take(struct poll *p, struct err *e)
{
	const struct lists *l = p->state;
	struct q_metric_drop_in old = {.project = p->project, .before = p->now - KEPT};
	cleanup(db_tx_end) struct db_tx tx = {0};

	for (size_t i = 0; i < ARRAY_LEN(metrics); i++) {
		if (poll_result(p, &l->v[i].r, e))
			return e->code;
		if (l->v[i].partial)
			p->note = "Monitoring gave a part of the metrics only";
	}
	if (db_begin(p->db, &tx, e))
		return e->code;
	for (size_t i = 0; i < ARRAY_LEN(metrics); i++)
		if (put_list(p, &metrics[i], &l->v[i], e))
			return e->code;
	if (q_metric_drop(p->db, &old, e))
		return e->code;
	return db_commit(&tx, e);
}

const struct source source_metric = {
	.name = "metric",
	.group = "metrics",
	.doc = "how busy machines and TPUs are",
	.scope = PER_PROJECT,
	.optional = true,
	.ask = ask,
	.take = take,
};
