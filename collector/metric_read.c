/* Combines the points of a metric into one figure for each machine. */
#include "collector/metric.h"

#include "base/str.h"

#include <string.h>

/* One period: a value, and its duration in seconds up to `at`. */
struct spot {
	ts_t at;
	int64_t seconds;
	double value;
};

struct spots {
	struct spot *v; /* newest first */
	size_t n, cap;
};

struct worker {
	size_t subject;
	struct spots spots;
};

struct reader {
	const struct metric *m;
	struct arena *arena;
	struct strmap subject_at, worker_at;
	struct subject *subjects;
	struct worker *workers;
	size_t n_subjects, n_workers, subjects_cap, workers_cap;
};

/* ---- points --------------------------------------------------------------------------- */

static double combine(enum metric_kind kind, double a, double b)
{
	if (kind == METRIC_RATE)
		return a + b;
	if (kind == METRIC_IDLE_FOR)
		return a < b ? a : b;
	return a > b ? a : b;
}

static void add_spot(struct spots *l, struct spot x, enum metric_kind kind, struct arena *a)
{
	size_t i = 0;

	while (i < l->n && l->v[i].at > x.at)
		i++;
	if (i < l->n && l->v[i].at == x.at) {
		l->v[i].value = combine(kind, l->v[i].value, x.value);
		return;
	}
	*arena_push(a, l) = x;
	memmove(l->v + i + 1, l->v + i, (l->n - 1 - i) * sizeof(*l->v));
	l->v[i] = x;
}

/* A rate as requested, or the points of a counter from a server that did not align them. */
static bool read_spot(const struct metric *m, const struct series *s,
	const struct series_point *p, struct spot *out)
{
	int64_t length = p->start == TS_NONE ? 0 : p->at - p->start;

	*out = (struct spot){.at = p->at, .seconds = METRIC_PERIOD, .value = p->value};
	if (m->kind != METRIC_RATE)
		return true;
	if (str_eq(s->kind, "DELTA")) {
		if (length < 1 || length > METRIC_WINDOW)
			return false;
		out->seconds = length;
		out->value = p->value / (double)length;
	}
	return out->value >= 0;
}

/* ---- series --------------------------------------------------------------------------- */

static const char *subject_name(struct reader *r, const struct series *s)
{
	const struct metric *m = r->m;
	const char *one = series_label(s, m->label);
	const char *two = m->group ? m->group(s)
		: m->label2        ? series_label(s, m->label2)
				   : m->rest;

	if (!*one || (two && !*two))
		return NULL;
	return two ? arena_printf(r->arena, "%s/%s", one, two) : one;
}

static size_t find_subject(struct reader *r, const char *name)
{
	const size_t *at = strmap_get(&r->subject_at, name);

	if (at)
		return *at;
	strmap_put(&r->subject_at, name, r->n_subjects);
	*arena_append(r->arena, r->subjects, r->n_subjects,
		r->subjects_cap) = (struct subject){.name = name, .at = TS_NONE};
	return r->n_subjects - 1;
}

/* A worker may have many series: one for each core, chip or network interface. */
static struct worker *find_worker(
	struct reader *r, const struct series *s, const char *name)
{
	const char *who = r->m->worker ? series_label(s, r->m->worker) : "";
	const char *key = arena_printf(r->arena, "%s\n%s", name, who);
	const size_t *at = strmap_get(&r->worker_at, key);

	if (at)
		return &r->workers[*at];
	strmap_put(&r->worker_at, key, r->n_workers);
	*arena_append(r->arena, r->workers, r->n_workers, r->workers_cap) = (struct worker){
		.subject = find_subject(r, name)};
	return &r->workers[r->n_workers - 1];
}

static void read_series(struct reader *r, const struct series *s)
{
	const char *name = subject_name(r, s);
	struct worker *w = name && s->n_points ? find_worker(r, s, name) : NULL;
	struct spot x;

	for (size_t i = 0; w && i < s->n_points; i++)
		if (read_spot(r->m, s, &s->points[i], &x))
			add_spot(&w->spots, x, r->m->kind, r->arena);
}

/* ---- subjects ------------------------------------------------------------------------- */

/* Knowledge ends at the first gap: the activity in it is unknown. */
static struct subject read_worker(const struct metric *m, const struct spots *l)
{
	struct subject x = {.at = l->v[0].at,
		.value = l->v[0].value,
		.idle_since = TS_NONE,
		.workers = 1};
	size_t n = 1, idle = 0;

	while (n < l->n && l->v[n - 1].at - l->v[n].at <= l->v[n - 1].seconds)
		n++;
	while (idle < n &&
		(m->kind == METRIC_IDLE_FOR ? l->v[idle].value >= m->busy
					    : l->v[idle].value < m->busy))
		idle++;
	x.oldest = l->v[n - 1].at;
	x.all_idle = x.at_least = idle == n;
	if (idle)
		x.idle_since = l->v[idle - 1].at - l->v[idle - 1].seconds;
	return x;
}

/* Active if one of its workers is active. */
static void metric_read_merge(
	struct subject *into, const struct subject *x, enum metric_kind kind)
{
	const char *name = into->name;

	if (into->at == TS_NONE) {
		*into = *x;
		into->name = name;
		return;
	}
	if (into->idle_since == TS_NONE || x->idle_since == TS_NONE)
		into->idle_since = TS_NONE;
	else if (x->idle_since > into->idle_since) {
		into->idle_since = x->idle_since;
		into->at_least = x->at_least;
	} else if (x->idle_since == into->idle_since)
		into->at_least = into->at_least && x->at_least;
	into->all_idle = into->all_idle && x->all_idle;
	into->workers++;
	into->value = combine(kind, into->value, x->value);
	if (x->at < into->at)
		into->at = x->at;
	if (x->oldest > into->oldest)
		into->oldest = x->oldest;
}

/* The subject of a flow is its machine, slash, the other end. */
static ts_t start_of(
	const struct reader *r, const struct metric_starts *starts, const char *name)
{
	const char *end = r->m->by_remote ? strchr(name, '/') : NULL;
	const size_t *at = strmap_get(&starts->by_name,
		end ? arena_strndup(r->arena, name, (size_t)(end - name)) : name);

	return at ? starts->since[*at] : TS_NONE;
}

/* Peak and sum of the last hour; a period that began before the last start is omitted. */
static void metric_read_sum_up(struct subject *x, const struct spots *all, ts_t started)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct spot *p = &all->v[i];
		ts_t begin = p->at - p->seconds;

		if (begin < x->at - METRIC_WINDOW ||
			(started != TS_NONE && begin < started))
			continue;
		x->bytes += p->value * (double)p->seconds;
		x->seconds += p->seconds;
		if (p->value > x->peak)
			x->peak = p->value;
	}
}

/* Sums the rates of all workers, period by period. */
static void metric_read_add_totals(struct reader *r, const struct metric_starts *starts)
{
	struct spots *all = arena_alloc(r->arena, r->n_subjects * sizeof(*all));

	for (size_t i = 0; i < r->n_workers; i++) {
		const struct worker *w = &r->workers[i];

		for (size_t k = 0; k < w->spots.n; k++)
			add_spot(&all[w->subject], w->spots.v[k], METRIC_RATE, r->arena);
	}
	for (size_t i = 0; i < r->n_subjects; i++)
		metric_read_sum_up(
			&r->subjects[i], &all[i], start_of(r, starts, r->subjects[i].name));
}

/* A worker without recent points shows neither work nor idleness. */
static void add_workers(struct reader *r)
{
	ts_t *newest = arena_alloc(r->arena, r->n_subjects * sizeof(*newest));

	for (size_t i = 0; i < r->n_subjects; i++)
		newest[i] = TS_NONE;
	for (size_t i = 0; i < r->n_workers; i++) {
		const struct worker *w = &r->workers[i];
		ts_t *at = &newest[w->subject];

		if (w->spots.n && (*at == TS_NONE || w->spots.v[0].at > *at))
			*at = w->spots.v[0].at;
	}
	for (size_t i = 0; i < r->n_workers; i++) {
		const struct worker *w = &r->workers[i];
		struct subject x;

		if (!w->spots.n || w->spots.v[0].at < newest[w->subject] - METRIC_PERIOD)
			continue;
		x = read_worker(r->m, &w->spots);
		metric_read_merge(&r->subjects[w->subject], &x, r->m->kind);
	}
}

struct subjects metric_subjects(const struct metric *m, const struct series_list *l,
	const struct metric_starts *starts, struct arena *a)
{
	struct reader r = {.m = m, .arena = a};
	struct subjects out = {0};

	for (size_t i = 0; i < l->n; i++)
		read_series(&r, &l->v[i]);
	add_workers(&r);
	if (m->kind == METRIC_RATE)
		metric_read_add_totals(&r, starts);
	out.v = r.subjects;
	for (size_t i = 0; i < r.n_subjects; i++)
		if (r.subjects[i].at != TS_NONE)
			out.v[out.n++] = r.subjects[i];
	strmap_done(&r.subject_at);
	strmap_done(&r.worker_at);
	return out;
}
