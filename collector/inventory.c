#include "collector/inventory.h"

#include "base/time/civil.h"
#include "base/data/json.h"
#include "base/str.h"
#include "db/answer.h"
#include "gcp/list.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SECOND INT64_C(1199145600) /* 2008 */

/* "us-central1" of "us-central1-f"; allocated from the arena. */
static const char *region_of_zone(struct arena *a, const char *zone)
{
	const char *dash = strrchr(zone, '-');

	return arena_strndup(a, zone, dash ? (size_t)(dash - zone) : strlen(zone));
}

const char *labels_owner(struct arena *a, const char *labels)
{
	cleanup(json_free_ptr) struct cJSON *j = NULL;

	if (json_parse(labels, strlen(labels), &j, NULL))
		return NULL;
	for (size_t i = 0; i < BILLING_OWNER_KEYS; i++) {
		const char *v = json_text(json_get(j, billing_owner_keys[i]), NULL);

		if (v && *v)
			return arena_strdup(a, v);
	}
	return NULL;
}

void inventory_describe(
	struct poll *p, struct q_resource_put_in *r, const char *labels, ts_t created)
{
	r->labels = labels;
	r->owner = labels_owner(p->arena, labels);
	r->created = opt_of_ts(created);
}

/* Zones have two hyphens ("us-central1-f"), regions have one. */
static bool inventory_is_zone(const char *location)
{
	const char *dash = strchr(location, '-');

	return dash && strchr(dash + 1, '-');
}

struct q_resource_put_in *inventory_add(struct poll *p, struct inventory *inv,
	const char *kind, const char *location, const char *name)
{
	struct q_resource_put_in *r;

	r = arena_append(p->arena, inv->rows, inv->n, inv->cap);
	memset(r, 0, sizeof(*r));
	r->id = arena_printf(p->arena, "%s/%s/%s/%s", p->project, kind, location, name);
	r->source = p->source->name;
	r->kind = kind;
	r->project = p->project;
	r->location = location;
	r->name = name;
	r->uid = "";
	r->labels = "{}";
	r->now = p->now;
	if (inventory_is_zone(location)) {
		r->zone = location;
		r->region = region_of_zone(p->arena, location);
	} else if (strcmp(location, "global") != 0) {
		r->region = location;
	}
	return r;
}

void inventory_keep(struct poll *p, struct inventory *inv, const char *id)
{
	*arena_append(p->arena, inv->kept, inv->n_kept, inv->cap_kept) = id;
}

static int inventory_by_id(const void *a, const void *b)
{
	return strcmp(((const struct q_resource_put_in *)a)->id,
		((const struct q_resource_put_in *)b)->id);
}

bool inventory_gap_has(const char *gap, const char *location)
{
	size_t n = strlen(gap);

	return !strcmp(gap, GCP_EVERYWHERE) ||
		(!strncmp(gap, location, n) && (!location[n] || location[n] == '-'));
}

bool inventory_has_gap(const struct poll *p, const char *location)
{
	for (size_t i = 0; i < p->n_gaps; i++)
		if (inventory_gap_has(p->gaps[i], location))
			return true;
	return false;
}

static bool inventory_is_newer(
	const struct q_resource_put_in *r, const struct q_resource_put_in *than)
{
	return r->created.set && (!than->created.set || r->created.v > than->created.v);
}

static bool has_id(const struct inventory *inv, const char *id)
{
	struct q_resource_put_in key = {.id = id};

	return inv->n &&
		bsearch(&key, inv->rows, inv->n, sizeof(*inv->rows), inventory_by_id);
}

/* A resource that is listed twice (because a list shifted between two pages) counts once; of two with one name, of
 * which one is being deleted, the newer. */
static void inventory_sort_unique(struct inventory *inv)
{
	size_t out = 0;

	if (!inv->n)
		return;
	qsort(inv->rows, inv->n, sizeof(*inv->rows), inventory_by_id);
	for (size_t i = 1; i < inv->n; i++)
		if (inventory_by_id(&inv->rows[out], &inv->rows[i]))
			inv->rows[++out] = inv->rows[i];
		else if (inventory_is_newer(&inv->rows[i], &inv->rows[out]))
			inv->rows[out] = inv->rows[i];
	inv->n = out + 1;
}

/* A time before Google Cloud existed is a field that was not set: the year 1 would result in two
 * thousand years of costs. */
static bool may_have_been(struct opt_i64 at, ts_t now)
{
	return at.set && at.v >= FIRST_SECOND && at.v <= now;
}

/* Beginning of the state: Google's value if it has one. */
static ts_t state_began(const struct q_resource_put_in *r, bool known_before)
{
	if (may_have_been(r->state_since, r->now))
		return r->state_since.v;
	if (!known_before && may_have_been(r->created, r->now))
		return r->created.v;
	return r->now;
}

/* Did tpucost stop it, confirmed by Google, before `at`? */
static bool stopped_before(const struct q_interval_open *open, ts_t at)
{
	return open->stopped.set && open->stopped.v < at && !strcmp(open->state, "running");
}

/* Latest possible end of an interval that has ended by `next`. */
static ts_t last_known(const struct q_interval_open *open, ts_t next)
{
	if (stopped_before(open, next))
		return open->stopped.v;
	return open->last_seen.set && next - open->last_seen.v > DB_UNSEEN
		? open->last_seen.v
		: next;
}

/* End of an interval that is followed by another one at `next`. When a machine stops, Google
 * reports the time; when it starts, the duration of the stop is unknown. */
static ts_t old_ends(
	const struct q_interval_open *open, const struct q_resource_put_in *r, ts_t next)
{
	bool told = r->state_since.set && r->state_since.v == next &&
		strcmp(r->state, "running") != 0 && strcmp(r->state, open->state) != 0;

	return told ? next : last_known(open, next);
}

/* A TPU node has no time of its start: it runs as if nothing had happened. */
static bool was_stopped(
	const struct q_interval_open *open, const struct q_resource_put_in *r)
{
	return stopped_before(open, r->now) && !r->state_since.set &&
		!strcmp(r->state, "running");
}

/* Has another resource taken its name? A queued resource has no number, and Google's time of its creation shows that. */
static bool inventory_is_another(
	const struct q_interval_open *open, const struct q_resource_put_in *r)
{
	return strcmp(open->uid, r->uid) != 0 ||
		(!*r->uid && open->created.set && r->created.set &&
			open->created.v != r->created.v);
}

static bool same_interval(
	const struct q_interval_open *open, const struct q_resource_put_in *r)
{
	bool anew = r->state_since.set && r->state_since.v > open->starts &&
		r->state_since.v <= r->now;

	return !anew && !was_stopped(open, r) && !inventory_is_another(open, r) &&
		!strcmp(open->state, r->state) && str_eq(open->type, r->type) &&
		str_eq(open->provisioning, r->provisioning) &&
		opt_i64_same(open->size_gib, r->size_gib) &&
		str_eq(open->gpu_type, r->gpu_type) &&
		opt_i64_same(open->gpu_count, r->gpu_count) &&
		opt_i64_same(open->bytes, r->bytes) &&
		opt_i64_same(open->local_ssd_gib, r->local_ssd_gib);
}

/* A name belongs to one resource at a time: an interval begins where the last one ended, regardless
 * of the creation time of the new resource. */
static enum err_code not_before_the_last(
	struct poll *p, const char *id, ts_t *starts, struct err *e)
{
	struct q_interval_last_end_in in = {.id = id};
	struct q_interval_last_end row;
	bool found;

	if (q_interval_last_end_one(p->db, &in, p->arena, &row, &found, e))
		return e->code;
	if (found && row.ends.set && *starts < row.ends.v)
		*starts = row.ends.v;
	return E_OK;
}

/* Absent for a while, and in the same state as before: the old interval continues. */
static enum err_code reopen(
	struct poll *p, const struct q_resource_put_in *r, bool *reopened, struct err *e)
{
	struct q_interval_reopen_in in = {.id = r->id,
		.uid = r->uid,
		.state = r->state,
		.type = r->type,
		.provisioning = r->provisioning,
		.size_gib = r->size_gib,
		.gpu_type = r->gpu_type,
		.gpu_count = r->gpu_count,
		.bytes = r->bytes,
		.local_ssd_gib = r->local_ssd_gib,
		.created = r->created,
		.began = state_began(r, false)};
	struct q_interval_open_in key = {.id = r->id};
	struct q_interval_open open;

	if (q_interval_reopen(p->db, &in, e))
		return e->code;
	return q_interval_open_one(p->db, &key, p->arena, &open, reopened, e);
}

/* The class of a TPU or queued resource never changes: if Google states it later, it was that all the time. */
static enum err_code inventory_set_class(struct poll *p, const struct q_resource_put_in *r,
	struct q_interval_open *open, bool found, struct err *e)
{
	struct q_interval_class_in in = {.id = r->id,
		.uid = r->uid,
		.created = r->created,
		.provisioning = r->provisioning};

	if ((strcmp(r->kind, "tpu") != 0 && strcmp(r->kind, "queued") != 0) ||
		!r->provisioning || str_eq(r->provisioning, "unknown") ||
		(found && !str_eq(open->provisioning, "unknown")))
		return E_OK;
	p->changed = true;
	if (found && !inventory_is_another(open, r))
		open->provisioning = r->provisioning;
	return q_interval_class(p->db, &in, e);
}

static enum err_code inventory_put_interval(
	struct poll *p, const struct q_resource_put_in *r, struct err *e)
{
	struct q_interval_open_in key = {.id = r->id};
	struct q_interval_open open;
	struct q_interval_put_in in = {.id = r->id,
		.uid = r->uid,
		.kind = r->kind,
		.project = r->project,
		.location = r->location,
		.name = r->name,
		.state = r->state,
		.type = r->type,
		.provisioning = r->provisioning,
		.size_gib = r->size_gib,
		.gpu_type = r->gpu_type,
		.gpu_count = r->gpu_count,
		.bytes = r->bytes,
		.local_ssd_gib = r->local_ssd_gib,
		.created = r->created};
	bool found, reopened = false;

	if (q_interval_open_one(p->db, &key, p->arena, &open, &found, e) ||
		inventory_set_class(p, r, &open, found, e))
		return e->code;
	if (found && same_interval(&open, r))
		return E_OK;
	p->changed = true;
	if (!found && reopen(p, r, &reopened, e))
		return e->code;
	if (reopened)
		return E_OK;
	in.starts = state_began(r, found && !inventory_is_another(&open, r));
	if (found) {
		struct q_interval_close_in close = {.id = r->id};

		/* The new interval does not begin before the old one. */
		if (in.starts <= open.starts)
			in.starts = r->now;
		close.at = old_ends(&open, r, in.starts);
		if (q_interval_close(p->db, &close, e))
			return e->code;
	}
	if (not_before_the_last(p, r->id, &in.starts, e))
		return e->code;
	return q_interval_put(p->db, &in, e);
}

static enum err_code inventory_forget(
	struct poll *p, const struct q_resource_of_source *k, struct err *e)
{
	struct q_interval_open_in key = {.id = k->id};
	struct q_interval_open open;
	struct q_interval_close_in close = {.id = k->id};
	struct q_resource_gone_in gone = {.id = k->id};
	bool found;

	p->changed = true;
	if (q_interval_open_one(p->db, &key, p->arena, &open, &found, e))
		return e->code;
	if (found) {
		close.at = last_known(&open, p->now);
		if (q_interval_close(p->db, &close, e))
			return e->code;
	}
	return q_resource_gone(p->db, &gone, e);
}

/* Data that the current table discards, kept so that rules can be replayed. */
enum err_code past_resource(struct db *db, const struct q_resource_put_in *r, struct err *e)
{
	struct q_trait_put_in in = {.id = r->id,
		.uid = r->uid,
		.now = r->now,
		.source = r->source,
		.raw_state = r->raw_state,
		.hosts = r->hosts,
		.attached_to = r->attached_to,
		.queued = r->queued,
		.labels = r->labels,
		.owner = r->owner,
		.error = r->error};

	return q_trait_put(db, &in, e);
}

static enum err_code inventory_put(
	struct poll *p, const struct q_resource_put_in *r, struct err *e)
{
	struct q_host_put_in host = {.id = r->id,
		.uid = r->uid,
		.project = r->project,
		.zone = r->location,
		.name = r->name,
		.state = r->state,
		.raw_state = r->raw_state,
		.type = r->type,
		.provisioning = r->provisioning,
		.labels = r->labels,
		.created = r->created,
		.state_since = r->state_since,
		.ends = r->ends,
		.group_path = r->attached_to,
		.now = r->now};

	if (!strcmp(r->kind, INVENTORY_HOST))
		return q_host_put(p->db, &host, e);
	if (inventory_put_interval(p, r, e) || q_resource_put(p->db, r, e))
		return e->code;
	return past_resource(p->db, r, e);
}

/* Was the poll unable to see whether it exists? */
static bool inventory_is_hidden(const struct poll *p, const struct inventory *inv,
	const struct q_resource_of_source *k)
{
	for (size_t i = 0; i < inv->n_kept; i++)
		if (!strcmp(inv->kept[i], k->id))
			return true;
	return inventory_has_gap(p, k->location);
}

static bool lacks_something(const struct poll *p, const struct inventory *inv,
	const struct q_resource_of_source *known, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!has_id(inv, known[i].id) && !inventory_is_hidden(p, inv, &known[i]))
			return true;
	return false;
}

static enum err_code store(struct poll *p, const struct inventory *inv,
	const struct q_resource_of_source *known, size_t n, struct err *e)
{
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (db_begin(p->db, &tx, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		struct q_resource_incomplete_in in = {.id = known[i].id};

		if (has_id(inv, known[i].id))
			continue;
		if (inventory_is_hidden(p, inv, &known[i])
				? q_resource_incomplete(p->db, &in, e)
				: inventory_forget(p, &known[i], e))
			return e->code;
	}
	for (size_t i = 0; i < inv->n; i++)
		if (inventory_put(p, &inv->rows[i], e))
			return err_wrap(e, "%s", inv->rows[i].id);
	return db_commit(&tx, e);
}

/* A resource in either of two snapshots exists. */
static void inventory_merge(
	struct poll *p, struct inventory *into, const struct inventory *older)
{
	size_t n = into->n;

	for (size_t i = 0; i < older->n; i++) {
		struct inventory newer = {.rows = into->rows, .n = n};

		if (has_id(&newer, older->rows[i].id))
			continue;
		*arena_append(p->arena, into->rows, into->n, into->cap) = older->rows[i];
	}
	inventory_sort_unique(into);
}

/* Its class never changes: one that this answer does not state is that of an earlier one. */
static void keep_class(struct q_resource_put_in *r, const struct q_resource_get *was)
{
	if (str_eq(r->provisioning, "unknown") && was->provisioning &&
		!strcmp(was->uid, r->uid) && opt_i64_same(was->created, r->created))
		r->provisioning = was->provisioning;
}

/* A TPU node and a machine with TPUs may have the same name: the later one sets the source. */
static enum err_code make_way(struct poll *p, struct inventory *inv, struct err *e)
{
	for (size_t i = 0; i < inv->n; i++) {
		struct q_resource_put_in *r = &inv->rows[i];
		struct q_resource_get_in in = {.id = r->id};
		struct q_resource_get row;
		bool found;

		if (strcmp(r->kind, "tpu") != 0 && strcmp(r->kind, "queued") != 0)
			continue;
		if (q_resource_get_one(p->db, &in, p->arena, &row, &found, e))
			return e->code;
		if (found && strcmp(row.source, r->source) != 0)
			r->id = arena_printf(p->arena, "%s@%s", r->id, r->source);
		else if (found)
			keep_class(r, &row);
	}
	return E_OK;
}

/* State of an inventory poll between two snapshots. */
struct snapshots {
	struct inventory first;
	struct q_resource_of_source *known; /* previously stored */
	size_t n_known;
	bool second; /* this is the second snapshot */
};

enum err_code inventory_store(struct poll *p, inventory_rows rows, struct err *e)
{
	struct q_resource_of_source_in in = {
		.source = p->source->name, .project = p->project};
	struct snapshots *s = p->snapshots;
	struct inventory inv = {0};

	if (rows(p, &inv, e) || make_way(p, &inv, e))
		return e->code;
	inventory_sort_unique(&inv);
	if (!s) {
		s = p->snapshots = arena_new(p->arena, struct snapshots);
		if (q_resource_of_source_all(
			    p->db, &in, p->arena, &s->known, &s->n_known, e))
			return e->code;
		if (lacks_something(p, &inv, s->known, s->n_known)) {
			size_t asked = p->asked;

			s->first = inv;
			if (p->source->ask(p, e))
				return e->code;
			if (p->asked != asked)
				return E_OK;
			/* There is nothing to ask of Google: what was read before decides. */
		}
	} else {
		inventory_merge(p, &inv, &s->first);
	}
	p->items = inv.n;
	return store(p, &inv, s->known, s->n_known, e);
}

/* ---- sources with a single list ----------------------------------------------------------------- */

enum err_code inventory_ask(struct poll *p, struct err *e)
{
	struct gcp_items *list = arena_new(p->arena, struct gcp_items);

	p->state = list;
	return poll_list(p, p->source->list, NULL, &list->r, e);
}

enum err_code inventory_list_rows(struct poll *p, struct inventory *inv, struct err *e)
{
	const struct gcp_listing *of = p->source->list;
	const struct gcp_items *list = p->state;

	if (poll_result(p, &list->r, e))
		return e->code;
	if (p->source->whole && list->r.scopes.n)
		return err_set(
			e, E_NET, "%s: Google reported an incomplete list", of->what);
	for (size_t i = 0; i < list->n; i++)
		p->source->add(p, inv, (const char *)list->v + i * of->size);
	return E_OK;
}

enum err_code inventory_take(struct poll *p, struct err *e)
{
	return inventory_store(p, inventory_list_rows, e);
}
