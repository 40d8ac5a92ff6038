/* Memory of capacity: requests for TPUs, how long they waited and how long spot nodes lived, by zone, family
 * and class. Only what polls observed counts: a wait or a life has no figure unless its beginning was seen,
 * and times end where a gap in the polls begins.
 *
 * Requests that still wait, failed or were cancelled, and nodes that run or were deleted, are censored: they
 * count for as long as they were observed (Kaplan and Meier, 1958). Only a node of the Cloud TPU API has a
 * state of its own for preemption; a machine that was preempted looks as one that was stopped, but Compute
 * Engine lists the operation. While that list is not known, ended machines have no life. */
#include "base/sbuf.h"
#include "base/str.h"
#include "base/strmap.h"
#include "base/time/civil.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/derive/internal.h"
#include "rules/grant/tpu.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CAPACITY_LEAST 5 /* observations of an average */
#define CAPACITY_TYPES 5 /* named in a row */

/* Seconds until it happened, or until the end of what was observed. */
struct capacity_time {
	int64_t seconds;
	bool happened;
};

struct capacity_times {
	struct capacity_time *v;
	size_t n, cap;
	int64_t happened;
};

struct capacity_place {
	struct row_capacity_state row;
	struct capacity_times waits, lives;
	int64_t preempted_at[24]; /* by hour of the day */
	size_t n_types;
};

struct capacity {
	struct deriving *d;
	struct strmap by_key, groups; /* see capacity_note_group() */
	struct {
		struct capacity_place *v;
		size_t n, cap;
	} places;
	int64_t near; /* longest time between two polls that follow each other */
};

typedef struct q_capacity_history capacity_row;

/* ---- quantiles --------------------------------------------------------------------------------- */

static void capacity_add(
	struct capacity *c, struct capacity_times *t, int64_t seconds, bool happened)
{
	if (seconds < 0)
		return;
	*arena_push(&c->d->temp, t) = (struct capacity_time){seconds, happened};
	t->happened += happened;
}

/* At the same time, what happened is first. */
static int capacity_by_time(const void *a, const void *b)
{
	const struct capacity_time *x = a, *y = b;

	if (x->seconds != y->seconds)
		return x->seconds < y->seconds ? -1 : 1;
	return y->happened - x->happened;
}

/* Shortest time within which it happened to that part of all, of 1 to 99 %. */
static struct opt_i64 capacity_quantile(struct capacity_times *t, int percent)
{
	double left = 1;

	if (t->happened < CAPACITY_LEAST)
		return NONE;
	qsort(t->v, t->n, sizeof(*t->v), capacity_by_time);
	for (size_t i = 0; i < t->n; i++) {
		if (!t->v[i].happened)
			continue;
		left *= (double)(t->n - i - 1) / (double)(t->n - i);
		if (left <= (100 - percent) / 100.0 + 1e-9)
			return SOME(t->v[i].seconds);
	}
	return NONE;
}

/* ---- one TPU or request ------------------------------------------------------------------------ */

static bool capacity_state_is(const capacity_row *r, const char *state)
{
	return !strcmp(r->state, state);
}

/* End of what is known of the row. */
static ts_t capacity_until(const struct capacity *c, const capacity_row *r)
{
	ts_t known = known_until(c->d, r->last_seen, r->poll_group), now = c->d->o->now;

	return r->ends.set && r->ends.v < now ? r->ends.v : known == TS_NONE ? now : known;
}

static struct capacity_place *capacity_place_of(struct capacity *c, const capacity_row *r)
{
	const char *family = tpu_family_of_type(r->type);
	const char *class = r->provisioning ? r->provisioning : "unknown", *key;
	struct capacity_place *p;

	if (!family)
		return NULL;
	key = arena_printf(&c->d->temp, "%s %s %s", r->location, family, class);
	if (!strmap_put(&c->by_key, key, c->places.n))
		return &c->places.v[*strmap_get(&c->by_key, key)];
	p = arena_push(&c->d->temp, &c->places);
	*p = (struct capacity_place){.row = {.zone = r->location,
					     .family = family,
					     .provisioning = class,
					     .types = "",
					     .since = INT64_MAX}};
	return p;
}

/* Its managed instance group; NULL: none. */
static const char *capacity_group(struct capacity *c, const capacity_row *r)
{
	return r->attached_to
		? arena_printf(&c->d->temp, "%s %s", r->project, r->attached_to)
		: NULL;
}

/* Groups of which the row is a part and not all: that of a resize request, or of a machine that is a TPU of
 * its own. The group was asked for, and the row says nothing of it. */
static void capacity_note_group(struct capacity *c, const capacity_row *r)
{
	bool member = r->attached_to && strstr(r->attached_to, "/instanceGroupManagers/") &&
		strcmp(str_after_last(r->attached_to, '/'), r->name) != 0;

	if (member || (r->attached_to && str_eq(r->source, "resize")))
		strmap_put(&c->groups, capacity_group(c, r), 0);
}

/* A TPU that a queued resource made is none. */
static bool capacity_is_request(struct capacity *c, const capacity_row *r)
{
	const char *group = capacity_group(c, r);

	return !strcmp(r->kind, "queued") ||
		(!r->queued && !(group && strmap_get(&c->groups, group)));
}

/* Rows without a gap between them: the state of the first one changed to that of the second one. */
static bool capacity_joins(const capacity_row *r)
{
	return r[0].ends.set && r[0].ends.v == r[1].starts;
}

/* First time it was found running, in the first of its rows. */
static ts_t capacity_found(const capacity_row *r)
{
	return r->created.set && r->starts > r->created.v ? r->starts
		: r->seen.set                             ? r->seen.v
							  : r->starts;
}

static void capacity_latest(struct opt_i64 *last, ts_t at)
{
	if (!last->set || at > last->v)
		*last = SOME(at);
}

/* `begun`: its beginning was observed. */
static void capacity_ask(struct capacity *c, struct capacity_place *p,
	const capacity_row *r, size_t n, bool begun)
{
	size_t waited = 0, run = 0;
	bool found;

	while (run < n && !capacity_state_is(&r[run], "running"))
		run++;
	found = run < n;
	while (waited < n && capacity_state_is(&r[waited], "starting") &&
		(!waited || capacity_joins(&r[waited - 1])))
		waited++;
	if (!begun && !waited)
		return;
	p->row.requests++;
	if (found) {
		ts_t at = run ? r[run].starts : capacity_found(r);

		p->row.granted++;
		capacity_latest(&p->row.last_success, at);
		if (begun && run == waited && (!run || capacity_joins(&r[run - 1]))) {
			p->row.waits++;
			capacity_add(c, &p->waits, at - r->created.v, true);
			return;
		}
	}
	if (begun && waited)
		capacity_add(c, &p->waits, capacity_until(c, &r[waited - 1]) - r->created.v,
			false);
}

/* Of a machine, whose running time has the rows [i, next): the first preemption after its start, unless it ran
 * again before. */
static struct opt_i64 capacity_ended_by_google(
	const capacity_row *r, size_t n, size_t i, size_t next)
{
	while (next < n && !capacity_state_is(&r[next], "running"))
		next++;
	return next < n && r[i].preempted.set && r[next].starts < r[i].preempted.v
		? (struct opt_i64)NONE
		: r[i].preempted;
}

static void capacity_add_life(
	struct capacity *c, struct capacity_place *p, ts_t from, ts_t to, bool preempted)
{
	const struct tz *tz = c->d->o->settings->tz;

	p->row.lives++;
	p->row.preempted += preempted;
	if (preempted)
		p->preempted_at[civil_from_ts(to + tz_offset(tz, to)).hour]++;
	capacity_add(c, &p->lives, to - from, preempted);
}

static void capacity_live(struct capacity *c, struct capacity_place *p,
	const capacity_row *r, size_t n, bool begun)
{
	bool machine = str_eq(r->source, "vm");

	for (size_t i = 0, next; i < n; i = next) {
		size_t last;
		ts_t from = i ? r[i].starts : capacity_found(r), to;
		bool seen = i ? capacity_joins(&r[i - 1]) : begun, preempted;

		next = i + 1;
		if (!capacity_state_is(&r[i], "running"))
			continue;
		while (next < n && capacity_joins(&r[next - 1]) &&
			capacity_state_is(&r[next], "running") &&
			!(machine && capacity_ended_by_google(r, n, next - 1, next).set))
			next++;
		last = next - 1;
		if (!seen)
			continue;
		to = capacity_until(c, &r[last]);
		if (machine) {
			struct opt_i64 at = capacity_ended_by_google(r, n, i, next);

			if (at.set)
				capacity_add_life(c, p, from, at.v, true);
			else if (r[last].cause_known)
				capacity_add_life(c, p, from, to, false);
			continue;
		}
		while (last + 1 < n && capacity_joins(&r[last]) &&
			capacity_state_is(&r[last + 1], "stopping"))
			last++;
		preempted = last + 1 < n && capacity_joins(&r[last]) &&
			capacity_state_is(&r[last + 1], "preempted");
		capacity_add_life(c, p, from, to, preempted);
	}
}

/* Error codes and words of a lack of capacity (Compute Engine documentation, "Troubleshoot resource
 * availability errors"). Quotas and permissions are others. */
static bool capacity_lacks(const char *error)
{
	static const char *const words[] = {"RESOURCE_POOL_EXHAUSTED", "RESOURCE_EXHAUSTED",
		"STOCKOUT", "no more capacity", "insufficient capacity",
		"insufficientCapacity", "not enough resources",
		"enough resources available"};

	if (strcasestr(error, "quota"))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strcasestr(error, words[i]))
			return true;
	return false;
}

/* An error that was there at the first look is of an unknown time. */
static void capacity_fail(
	struct capacity_place *p, const capacity_row *r, ts_t seen, bool begun)
{
	if (!r->error || !capacity_lacks(r->error) || !r->failed.set ||
		(!begun && r->failed.v <= seen))
		return;
	if (!p->row.last_stockout.set || r->failed.v > p->row.last_stockout.v) {
		p->row.last_stockout = r->failed;
		p->row.stockout_error = r->error;
	}
}

/* Adds the type to the list "v6e-8, v6e-16". */
static void capacity_note_type(
	struct capacity *c, struct capacity_place *p, const char *type)
{
	const char *list = arena_printf(&c->d->temp, ", %s, ", p->row.types);

	if (p->n_types == CAPACITY_TYPES ||
		strstr(list, arena_printf(&c->d->temp, ", %s, ", type)))
		return;
	p->row.types = arena_printf(
		&c->d->temp, "%s%s%s", p->row.types, p->n_types++ ? ", " : "", type);
}

/* All rows of one TPU or request. A group of a region was not asked for in a zone. */
static void capacity_of(struct capacity *c, const capacity_row *r, size_t n)
{
	bool regional = r->attached_to && str_starts(r->attached_to, "regions/");
	struct capacity_place *p = regional ? NULL : capacity_place_of(c, r);
	ts_t seen = r->seen.set ? r->seen.v : r->starts;
	bool begun = r->seen.set && r->created.set && seen - r->created.v <= c->near;

	if (!p)
		return;
	capacity_note_type(c, p, r->type);
	if (seen < p->row.since)
		p->row.since = seen;
	for (size_t i = 0; i < n; i++)
		capacity_fail(p, &r[i], seen, begun);
	if (capacity_is_request(c, r))
		capacity_ask(c, p, r, n, begun);
	if ((str_eq(r->source, "tpu") || str_eq(r->source, "vm")) &&
		str_eq(r->provisioning, "spot"))
		capacity_live(c, p, r, n, begun);
}

/* ---- rows -------------------------------------------------------------------------------------- */

/* "14 min", "5 h", "3 d": rounded to the unit. */
static const char *capacity_words(struct arena *a, int64_t seconds)
{
	if (seconds < HOUR_SECONDS)
		return arena_printf(a, "%" PRId64 " min", (seconds + 30) / 60);
	if (seconds < 2 * DAY_SECONDS)
		return arena_printf(
			a, "%" PRId64 " h", (seconds + HOUR_SECONDS / 2) / HOUR_SECONDS);
	return arena_printf(a, "%" PRId64 " d", (seconds + DAY_SECONDS / 2) / DAY_SECONDS);
}

static const char *capacity_tell(struct capacity *c, const struct row_capacity_state *r)
{
	struct arena *a = &c->d->temp;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	char date[DATE_BUF];

	sbuf_addf(&b, "%s %s in %s: ", r->family, r->provisioning, r->zone);
	if (r->wait_median.set)
		sbuf_addf(&b, "median wait %s", capacity_words(a, r->wait_median.v));
	if (r->life_median.set)
		sbuf_addf(&b, "%slives %s", r->wait_median.set ? ", " : "",
			capacity_words(a, r->life_median.v));
	if (!r->wait_median.set && !r->life_median.set)
		sbuf_addf(&b, "%" PRId64 " of %" PRId64 " requests granted since %s",
			r->granted, r->requests,
			date_format(tz_day(c->d->o->settings->tz, r->since), date));
	return arena_strdup(a, b.s);
}

static const char *capacity_hours(struct arena *a, const int64_t hours[24])
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	for (int i = 0; i < 24; i++)
		if (hours[i])
			sbuf_addf(&b, "%s%02d:00 %" PRId64, b.len ? ", " : "", i, hours[i]);
	return b.len ? arena_strdup(a, b.s) : NULL;
}

static enum err_code capacity_put(struct capacity *c, struct err *e)
{
	for (size_t i = 0; i < c->places.n; i++) {
		struct capacity_place *p = &c->places.v[i];

		p->row.wait_median = capacity_quantile(&p->waits, 50);
		p->row.wait_p90 = capacity_quantile(&p->waits, 90);
		p->row.life_median = capacity_quantile(&p->lives, 50);
		p->row.preempted_hours = capacity_hours(&c->d->temp, p->preempted_at);
		p->row.text = capacity_tell(c, &p->row);
		if (derived_put_capacity_state(c->d->db, &p->row, e))
			return e->code;
	}
	return E_OK;
}

/* Without a number of Google, another creation is another resource. */
static bool capacity_same(const capacity_row *a, const capacity_row *b)
{
	return !strcmp(a->id, b->id) && !strcmp(a->uid, b->uid) &&
		(*a->uid || opt_i64_same(a->created, b->created));
}

enum err_code derive_capacity(struct deriving *d, struct err *e)
{
	struct capacity c = {.d = d, .near = stale_after(d->o->settings, "instances")};
	capacity_row *v;
	enum err_code rc;
	size_t n;

	if (q_capacity_history_all(d->db, &d->temp, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++)
		capacity_note_group(&c, &v[i]);
	for (size_t i = 0, next; i < n; i = next) {
		for (next = i + 1; next < n && capacity_same(&v[next - 1], &v[next]);)
			next++;
		capacity_of(&c, &v[i], next - i);
	}
	rc = capacity_put(&c, e);
	strmap_done(&c.by_key);
	strmap_done(&c.groups);
	return rc;
}
