/* Recorded past as a list of changes, and the state that results from them. */
#include "base/str.h"
#include "db/db.h"
#include "rules/price/place.h"
#include "rules/replay/internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- reading ----------------------------------------------------------------------------------- */

#define COPY(field) row.field = arena_strdup(h->arena, row.field)

static enum err_code history_too_much(struct err *e)
{
	err_set(e, E_LIMIT, "more than %d changes are recorded in that time",
		REPLAY_MAX_ROWS);
	return err_fix(e, "choose a shorter time: --since, --until");
}

static enum err_code load_intervals(struct history *h, ts_t until, struct err *e)
{
	struct q_replay_intervals_in in = {.until = until};
	struct q_replay_intervals row;
	struct db_rows rows;
	enum err_code rc = E_OK;
	size_t cap = 0;

	if (q_replay_intervals_open(h->db, &in, &rows, e))
		return e->code;
	while (!rc && q_replay_intervals_next(&rows, &row)) {
		COPY(id), COPY(uid), COPY(kind), COPY(project), COPY(location), COPY(name);
		COPY(state), COPY(type), COPY(provisioning), COPY(gpu_type);
		h->intervals = arena_grow(h->arena, h->intervals, h->n_intervals, &cap,
			sizeof(*h->intervals));
		h->intervals[h->n_intervals++] = row;
		if (h->n_intervals > REPLAY_MAX_ROWS)
			rc = history_too_much(e);
	}
	return db_rows_end(&rows, rc, e);
}

static enum err_code load_traits(struct history *h, ts_t until, struct err *e)
{
	struct q_replay_traits_in in = {.until = until};
	struct q_replay_traits row;
	struct db_rows rows;
	enum err_code rc = E_OK;
	size_t cap = 0;

	if (q_replay_traits_open(h->db, &in, &rows, e))
		return e->code;
	while (!rc && q_replay_traits_next(&rows, &row)) {
		COPY(id), COPY(uid), COPY(source), COPY(raw_state), COPY(attached_to);
		COPY(queued), COPY(labels), COPY(owner);
		h->traits = arena_grow(
			h->arena, h->traits, h->n_traits, &cap, sizeof(*h->traits));
		h->traits[h->n_traits++] = row;
		if (h->n_traits > REPLAY_MAX_ROWS)
			rc = history_too_much(e);
	}
	return db_rows_end(&rows, rc, e);
}

static enum err_code load_metrics(struct history *h, ts_t since, ts_t until, struct err *e)
{
	struct q_replay_metrics_in in = {.since = since, .until = until};
	struct q_replay_metrics row;
	struct db_rows rows;
	enum err_code rc = E_OK;
	size_t cap = 0;

	if (q_replay_metrics_open(h->db, &in, &rows, e))
		return e->code;
	while (!rc && q_replay_metrics_next(&rows, &row)) {
		COPY(project), COPY(metric), COPY(subject);
		h->metrics = arena_grow(
			h->arena, h->metrics, h->n_metrics, &cap, sizeof(*h->metrics));
		h->metrics[h->n_metrics++] = row;
		if (h->n_metrics > REPLAY_MAX_ROWS)
			rc = history_too_much(e);
	}
	return db_rows_end(&rows, rc, e);
}

static int in_time(const void *pa, const void *pb)
{
	const struct change *a = pa, *b = pb;

	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return a->i < b->i ? -1 : a->i > b->i;
}

static void history_add_change(struct history *h, ts_t at, enum change_kind kind, size_t i)
{
	h->changes[h->n_changes++] = (struct change){.at = at, .kind = kind, .i = i};
}

static void list_changes(struct history *h, ts_t until)
{
	h->changes = arena_alloc(h->arena,
		(2 * h->n_intervals + h->n_traits + h->n_metrics) * sizeof(*h->changes));
	for (size_t i = 0; i < h->n_intervals; i++) {
		history_add_change(h, h->intervals[i].starts, CHANGE_START, i);
		if (h->intervals[i].ends.set && h->intervals[i].ends.v <= until)
			history_add_change(h, h->intervals[i].ends.v, CHANGE_END, i);
	}
	for (size_t i = 0; i < h->n_traits; i++)
		history_add_change(h, h->traits[i].starts, CHANGE_TRAIT, i);
	for (size_t i = 0; i < h->n_metrics; i++)
		history_add_change(h, h->metrics[i].starts, CHANGE_METRIC, i);
	if (h->n_changes)
		qsort(h->changes, h->n_changes, sizeof(*h->changes), in_time);
}

/* The map is only used for the present state, so numbers are overwritten in place. */
static size_t *history_place_of(struct strmap *m, const char *key)
{
	strmap_put(m, key, 0);
	return strmap_get(m, key);
}

static size_t *trait_place(struct history *h, const char *id, const char *uid)
{
	return history_place_of(&h->trait_of, arena_printf(h->arena, "%s\n%s", id, uid));
}

enum err_code history_load(struct history *h, struct db *db,
	const struct replay_needs *needs, ts_t since, ts_t until, struct arena *a,
	struct err *e)
{
	*h = (struct history){.db = db, .arena = a};
	if (load_intervals(h, until, e) || load_traits(h, until, e) ||
		(needs->metrics && load_metrics(h, since, until, e)))
		return e->code;
	list_changes(h, until);
	/* A resource is first polled a moment after its creation: its state then applies to the
	 * time before. */
	for (size_t i = h->n_traits; i > 0; i--)
		*trait_place(h, h->traits[i - 1].id, h->traits[i - 1].uid) = i;
	return E_OK;
}

void history_done(struct history *h)
{
	strmap_done(&h->trait_of);
	strmap_done(&h->interval_of);
	strmap_done(&h->metric_of);
}

ts_t history_next(const struct history *h)
{
	return h->next < h->n_changes ? h->changes[h->next].at : TS_NONE;
}

/* ---- applying changes -------------------------------------------------------------------------- */

enum err_code replay_interval(
	struct db *db, const struct q_resource_put_in *r, ts_t starts, struct err *e)
{
	struct q_interval_put_in in = {.id = r->id,
		.uid = r->uid,
		.starts = starts,
		.kind = r->kind,
		.project = r->project,
		.location = r->location,
		.name = r->name,
		.state = r->state,
		.type = r->type,
		.provisioning = r->provisioning,
		.size_gib = r->size_gib,
		.created = r->created,
		.gpu_type = r->gpu_type,
		.gpu_count = r->gpu_count,
		.bytes = r->bytes,
		.local_ssd_gib = r->local_ssd_gib};

	return q_interval_put(db, &in, e);
}

/* The row that a poll at `now` would have stored. */
static struct q_resource_put_in resource_at(
	struct history *h, const struct q_replay_intervals *x, ts_t now)
{
	size_t *at = trait_place(h, x->id, x->uid);
	const struct q_replay_traits *t = *at ? &h->traits[*at - 1] : NULL;

	return (struct q_resource_put_in){.id = x->id,
		.uid = x->uid,
		.source = t ? t->source : x->kind,
		.kind = x->kind,
		.project = x->project,
		.location = x->location,
		.zone = place_zone(x->location),
		.region = place_region(x->location, h->arena),
		.name = x->name,
		.state = x->state,
		.raw_state = t ? t->raw_state : x->state,
		.type = x->type,
		.provisioning = x->provisioning,
		.hosts = t ? t->hosts : NONE,
		.size_gib = x->size_gib,
		.gpu_type = x->gpu_type,
		.gpu_count = x->gpu_count,
		.attached_to = t ? t->attached_to : NULL,
		.queued = t ? t->queued : NULL,
		.labels = t ? t->labels : "{}",
		.owner = t ? t->owner : NULL,
		.created = x->created,
		.now = now,
		.bytes = x->bytes,
		.local_ssd_gib = x->local_ssd_gib};
}

static enum err_code history_start(struct history *h, size_t i, ts_t now, struct err *e)
{
	const struct q_replay_intervals *x = &h->intervals[i];
	struct q_resource_put_in in = resource_at(h, x, now);

	*history_place_of(&h->interval_of, x->id) = i + 1;
	if (q_resource_put(h->db, &in, e))
		return e->code;
	return replay_interval(h->db, &in, x->starts, e);
}

static enum err_code history_end(struct history *h, size_t i, struct err *e)
{
	const struct q_replay_intervals *x = &h->intervals[i];
	struct q_interval_close_in close = {.id = x->id, .at = x->ends.v};
	struct q_resource_gone_in gone = {.id = x->id};
	size_t *there = history_place_of(&h->interval_of, x->id);

	if (*there != i + 1)
		return E_OK;
	*there = 0;
	if (q_interval_close(h->db, &close, e))
		return e->code;
	return q_resource_gone(h->db, &gone, e);
}

static enum err_code change_trait(struct history *h, size_t i, ts_t now, struct err *e)
{
	const struct q_replay_traits *t = &h->traits[i];
	size_t there = *history_place_of(&h->interval_of, t->id);
	struct q_resource_put_in in;

	*trait_place(h, t->id, t->uid) = i + 1;
	if (!there || strcmp(h->intervals[there - 1].uid, t->uid) != 0)
		return E_OK;
	in = resource_at(h, &h->intervals[there - 1], now);
	return q_resource_put(h->db, &in, e);
}

static void change_metric(struct history *h, size_t i)
{
	const struct q_replay_metrics *m = &h->metrics[i];
	size_t *at = history_place_of(&h->metric_of,
		arena_printf(h->arena, "%s\n%s\n%s", m->project, m->metric, m->subject));

	if (!*at) {
		h->live = arena_grow(
			h->arena, h->live, h->n_live, &h->cap_live, sizeof(*h->live));
		*at = ++h->n_live;
	}
	h->live[*at - 1] = i;
}

/* The newest points are as old as the last report: none is later than the end of an interval. */
static enum err_code history_put_metrics(struct history *h, ts_t now, struct err *e)
{
	for (size_t i = 0; i < h->n_live; i++) {
		const struct q_replay_metrics *m = &h->metrics[h->live[i]];
		struct q_metric_put_in in = {.project = m->project,
			.metric = m->metric,
			.subject = m->subject,
			.at = m->until < now ? m->until : now,
			.idle_since = m->idle_since,
			.series = m->series,
			.at_least = m->idle_since.set};

		if (q_metric_put(h->db, &in, e))
			return e->code;
	}
	return E_OK;
}

static enum err_code make(struct history *h, const struct change *c, struct err *e)
{
	switch (c->kind) {
	case CHANGE_START:
		return history_start(h, c->i, c->at, e);
	case CHANGE_END:
		return history_end(h, c->i, e);
	case CHANGE_TRAIT:
		return change_trait(h, c->i, c->at, e);
	case CHANGE_METRIC:
		change_metric(h, c->i);
		return E_OK;
	}
	return err_set(e, E_BUG, "change");
}

enum err_code history_go(struct history *h, ts_t now, struct err *e)
{
	struct q_replay_read_in read = {.now = now};

	for (; h->next < h->n_changes && h->changes[h->next].at <= now; h->next++)
		if (make(h, &h->changes[h->next], e))
			return e->code;
	return history_put_metrics(h, now, e) ? e->code : q_replay_read(h->db, &read, e);
}
