/* Recorded past as a list of changes, and the state that results from them. */
#include "db/db.h"
#include "rules/price/place.h"
#include "rules/replay/internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- reading ----------------------------------------------------------------------------------- */

static enum err_code history_check_size(size_t n, struct err *e)
{
	if (n <= REPLAY_MAX_ROWS)
		return E_OK;
	err_set(e, E_LIMIT, "more than %d changes are recorded in that time",
		REPLAY_MAX_ROWS);
	return err_fix(e, "choose a shorter time: --since, --until");
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

/* In the order of their beginning. The map is not in use yet. */
static void history_find_next(struct history *h)
{
	h->continues = arena_alloc(h->arena, h->n_intervals * sizeof(*h->continues));
	for (size_t i = 0; i < h->n_intervals; i++) {
		const struct q_replay_intervals *x = &h->intervals[i], *was;
		size_t *last = history_place_of(&h->interval_of, x->id);

		if (*last) {
			was = &h->intervals[*last - 1];
			h->continues[*last - 1] = was->ends.set &&
				was->ends.v == x->starts && !strcmp(was->uid, x->uid);
		}
		*last = i + 1;
	}
	strmap_done(&h->interval_of);
}

enum err_code history_load(struct history *h, struct db *db,
	const struct replay_needs *needs, ts_t since, ts_t until, struct arena *a,
	struct err *e)
{
	struct q_replay_intervals_in intervals = {
		.until = until, .most = REPLAY_MAX_ROWS + 1};
	struct q_replay_traits_in traits = {.until = until, .most = REPLAY_MAX_ROWS + 1};
	struct q_replay_metrics_in metrics = {
		.since = since, .until = until, .most = REPLAY_MAX_ROWS + 1};

	*h = (struct history){.db = db, .arena = a};
	if (q_replay_intervals_all(db, &intervals, a, &h->intervals, &h->n_intervals, e) ||
		history_check_size(h->n_intervals, e) ||
		q_replay_traits_all(db, &traits, a, &h->traits, &h->n_traits, e) ||
		history_check_size(h->n_traits, e))
		return e->code;
	if (needs->metrics &&
		(q_replay_metrics_all(db, &metrics, a, &h->metrics, &h->n_metrics, e) ||
			history_check_size(h->n_metrics, e)))
		return e->code;
	list_changes(h, until);
	history_find_next(h);
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
	struct q_interval_begin_in begin = {.id = x->id, .starts = x->starts};

	*history_place_of(&h->interval_of, x->id) = i + 1;
	return q_resource_put(h->db, &in, e) ? e->code : q_interval_begin(h->db, &begin, e);
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
	/* It is known since it was first seen, in whatever state. */
	return h->continues[i] ? E_OK : q_resource_gone(h->db, &gone, e);
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
		arena_push(h->arena, &h->live);
		*at = h->live.n;
	}
	h->live.v[*at - 1] = i;
}

/* The newest points are as old as the last report: none is later than the end of an interval. */
static enum err_code history_put_metrics(struct history *h, ts_t now, struct err *e)
{
	for (size_t i = 0; i < h->live.n; i++) {
		const struct q_replay_metrics *m = &h->metrics[h->live.v[i]];
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
