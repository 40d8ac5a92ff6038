/* Content of a world, and the results of polls. */
#include "rules/trial/trial.h"

#include "base/str.h"
#include "db/db.h"
#include "rules/derive/derive.h"
#include "rules/grant/tpu.h"
#include "rules/price/place.h"

#include <string.h>

static const struct {
	const char *name, *group;
} sources[WORLD_SOURCES] = {
	{"vm", "instances"},
	{"slice", "instances"},
	{"tpu", "instances"},
	{"disk", "instances"},
	{"ip", "instances"},
	{"snapshot", "instances"},
	{"queued", "instances"},
	{"bucket", "instances"},
	{"metric", "metrics"},
	{"quota", "quotas"},
	{"billing", "billing"},
};
#define N_INVENTORY 8
enum { SOURCE_METRIC = N_INVENTORY, SOURCE_QUOTA, SOURCE_BILLING };

static int source_number(const char *name)
{
	for (int i = 0; i < WORLD_SOURCES; i++)
		if (!strcmp(sources[i].name, name))
			return i;
	return -1;
}

bool world_source_known(const char *name, const char **near)
{
	const char *names[WORLD_SOURCES];

	for (size_t i = 0; i < WORLD_SOURCES; i++)
		names[i] = sources[i].name;
	if (near)
		*near = str_nearest(name, names, WORLD_SOURCES);
	return source_number(name) >= 0;
}

enum err_code world_begin(
	struct world *w, struct clock *clock, const struct settings *s, struct err *e)
{
	*w = (struct world){.settings = s};
	return db_open_empty(clock, &w->db, e);
}

void world_end(struct world *w)
{
	db_close(w->db);
	strmap_done(&w->by_id);
	strmap_done(&w->known_projects);
	arena_done(&w->arena);
	*w = (struct world){0};
}

const char *world_id(const struct world_thing *t, struct arena *a)
{
	const struct q_resource_put_in *r = &t->r;

	return arena_printf(a, "%s/%s/%s/%s", r->project, r->kind, r->location, r->name);
}

/* ---- resources --------------------------------------------------------------------------------- */

/* Newer TPUs are machines to Google, and read with them (collector/source/resource.c). */
static const char *source_of(const struct q_resource_put_in *r)
{
	if (strcmp(r->kind, "tpu") != 0 || !r->type)
		return r->kind;
	if (r->target_hosts.set)
		return "slice";
	return tpu_host_chips(r->type) ? "vm" : "tpu";
}

void world_project(struct world *w, const char *project)
{
	if (strmap_put(&w->known_projects, project, 0))
		*arena_push(&w->arena, &w->projects) = project;
}

enum err_code world_put(struct world *w, const struct world_thing *t, struct err *e)
{
	const char *id = world_id(t, &w->arena);
	size_t *at = strmap_get(&w->by_id, id);
	struct world_item *item;
	struct q_resource_put_in *r;
	const char *uid;

	if (!at) {
		if (w->items.n == WORLD_MAX_THINGS)
			return err_set(e, E_LIMIT, "more than %d resources in one world",
				WORLD_MAX_THINGS);
		strmap_put(&w->by_id, id, w->items.n);
		*arena_push(&w->arena, &w->items) = (struct world_item){.gone = true};
		at = strmap_get(&w->by_id, id);
	}
	item = &w->items.v[*at];
	uid = item->t.r.uid;
	if (item->gone || !opt_i64_same(item->t.r.created, t->r.created))
		uid = arena_printf(&w->arena, "%lld", (long long)++w->uids);
	*item = (struct world_item){.t = *t, .changed = true};
	r = &item->t.r;
	r->id = id;
	r->uid = uid;
	r->source = source_of(r);
	r->zone = place_zone(r->location);
	r->region = place_region(r->location, &w->arena);
	r->raw_state = r->raw_state ? r->raw_state : r->state;
	r->labels = r->labels ? r->labels : "{}";
	world_project(w, r->project);
	return E_OK;
}

void world_remove(struct world *w, const char *id)
{
	size_t *at = strmap_get(&w->by_id, id);

	if (!at || w->items.v[*at].gone)
		return;
	w->items.v[*at].gone = true;
	w->items.v[*at].changed = true;
}

void world_answers(struct world *w, const char *source, enum world_answer how)
{
	int i = source_number(source);

	if (i < 0)
		return;
	w->answers[i] = how;
	w->set_back[i] = how == ANSWERS_OLD;
}

void world_unreachable(struct world *w, const char *const *zones, size_t n)
{
	w->unreachable = zones;
	w->n_unreachable = n;
}

/* ---- polling ----------------------------------------------------------------------------------- */

static enum err_code world_put_gaps(
	struct world *w, const char *source, const char *project, ts_t now, struct err *e)
{
	struct q_gap_clear_in clear = {.source = source, .project = project};

	if (q_gap_clear(w->db, &clear, e))
		return e->code;
	for (size_t i = 0; i < w->n_unreachable; i++) {
		struct q_gap_put_in gap = {.source = source,
			.project = project,
			.location = w->unreachable[i],
			.since = now};

		if (q_gap_put(w->db, &gap, e))
			return e->code;
	}
	return E_OK;
}

/* Store the result of polling one source in one project. */
static enum err_code put_status(
	struct world *w, size_t i, const char *project, ts_t now, struct err *e)
{
	struct q_source_put_in in = {.source = sources[i].name,
		.project = project,
		.state = "ok",
		.attempt = now,
		.success = SOME(now),
		.poll_group = sources[i].group};
	struct q_source_incomplete_in stale = {
		.source = sources[i].name, .project = project};

	switch (w->answers[i]) {
	case ANSWERS:
		if (i < N_INVENTORY && w->n_unreachable) {
			in.state = "partial";
			in.success = NONE;
			in.error = "no answer from some zones";
		}
		return q_source_put(w->db, &in, e);
	case ANSWERS_NOT:
	case ANSWERS_NO_API:
		in.state = w->answers[i] == ANSWERS_NOT ? "failed" : "disabled";
		in.success = NONE;
		in.error = "it does not respond";
		in.failed = 1;
		return q_source_put(w->db, &in, e) ? e->code
						   : q_source_incomplete(w->db, &stale, e);
	case ANSWERS_OLD:
		if (!w->set_back[i])
			return E_OK;
		in.success = SOME(now - stale_after(w->settings, sources[i].group) - 1);
		return q_source_put(w->db, &in, e);
	}
	return err_set(e, E_BUG, "answer");
}

static enum err_code poll_one(
	struct world *w, size_t i, const char *project, ts_t now, struct err *e)
{
	struct q_world_seen_in seen = {
		.source = sources[i].name, .project = project, .now = now};
	struct q_world_measured_in measured = {.project = project, .now = now};

	if (put_status(w, i, project, now, e))
		return e->code;
	if (w->answers[i] != ANSWERS)
		return E_OK;
	if (i == SOURCE_METRIC)
		return q_world_measured(w->db, &measured, e);
	if (i >= N_INVENTORY)
		return E_OK;
	return world_put_gaps(w, sources[i].name, project, now, e)
		? e->code
		: q_world_seen(w->db, &seen, e);
}

static enum err_code poll_things(struct world *w, ts_t now, struct err *e)
{
	for (size_t i = 0; i < w->items.n; i++) {
		struct world_item *item = &w->items.v[i];
		int n = source_number(item->t.r.source);

		if (!item->changed || n < 0 || w->answers[n] != ANSWERS ||
			str_in(item->t.r.location, w->unreachable, w->n_unreachable))
			continue;
		if (world_store_thing(w, item, now, e))
			return err_wrap(e, "%s", item->t.r.id);
		item->changed = false;
	}
	return E_OK;
}

static enum err_code poll(struct world *w, ts_t now, struct err *e)
{
	struct q_billing_table_set_in looked = {
		.table_id = WORLD_TABLE, .looked = SOME(now)};

	if (poll_things(w, now, e))
		return e->code;
	for (size_t i = 0; i < WORLD_SOURCES; i++) {
		if ((i == SOURCE_QUOTA && !w->has_quotas) ||
			(i == SOURCE_BILLING && !w->billed))
			continue;
		for (size_t p = 0; p < w->projects.n; p++)
			if (poll_one(w, i, w->projects.v[p], now, e))
				return e->code;
		w->set_back[i] = false;
	}
	return w->billed && w->answers[SOURCE_BILLING] == ANSWERS
		? q_billing_table_set(w->db, &looked, e)
		: E_OK;
}

enum err_code world_tick(
	struct world *w, ts_t now, struct arena *a, struct judgement *out, struct err *e)
{
	struct derive_opts o = {
		.settings = w->settings, .now = now, .since = TS_NONE, .until = TS_NONE};
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (db_begin(w->db, &tx, e) || poll(w, now, e) || derive(w->db, &o, e) ||
		judge(w->db, w->settings, now, a, out, e))
		return e->code;
	return db_commit(&tx, e);
}
