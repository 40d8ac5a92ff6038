/* A thing of a world, as the collector stores what it sees. */
#include "base/str.h"
#include "db/db.h"
#include "db_sql.h"
#include "rules/price/place.h"
#include "rules/grant/tpu.h"
#include "rules/trial/internal.h"

#include <string.h>

#define CPU_OF_VM "compute.googleapis.com/instance/cpu/utilization"
#define SENT_BY_VM "compute.googleapis.com/instance/network/sent_bytes_count"
#define RECEIVED_BY_VM "compute.googleapis.com/instance/network/received_bytes_count"
#define CHIPS_OF_TPU "tpu.googleapis.com/tpu/tensorcore/idle_duration"
#define SENT_BY_TPU "tpu.googleapis.com/network/sent_bytes_count"
#define RECEIVED_BY_TPU "tpu.googleapis.com/network/received_bytes_count"
#define QUIET 16384 /* bytes a second that are no work (rules/activity.h) */

/* ---- what is measured -------------------------------------------------------------------------- */

static const char *subject_of_metrics(struct world *w, const struct world_item *x)
{
	if (!strcmp(x->source, "vm"))
		return x->uid;
	return arena_printf(&w->arena, "%s/%s", x->t.location, x->t.name);
}

static int64_t workers_of(const struct world_thing *t)
{
	struct tpu_type type;

	if (t->hosts.set)
		return t->hosts.v;
	return t->type && tpu_type_parse(t->type, &type) ? type.hosts : 1;
}

static enum err_code put_metric(struct world *w, const struct world_item *x,
	const char *metric, struct opt_i64 idle_since, struct opt_i64 rate, ts_t now,
	struct err *e)
{
	struct q_metric_put_in in = {.project = x->t.project,
		.metric = metric,
		.subject = subject_of_metrics(w, x),
		.at = now,
		.idle_since = idle_since,
		.series = !strcmp(x->source, "vm") ? 1 : workers_of(&x->t)};

	if (rate.set) {
		in.value = rate.v;
		in.peak = rate;
		in.bytes = SOME(rate.v > INT64_MAX / 3600 ? INT64_MAX : rate.v * 3600);
		in.seconds = SOME(3600);
	}
	return q_metric_put(w->db, &in, e);
}

static enum err_code put_traffic(struct world *w, const struct world_item *x,
	const char *metric, struct opt_i64 rate, ts_t now, struct err *e)
{
	ts_t since = x->t.measured && x->t.idle_since != TS_NONE ? x->t.idle_since : now;

	if (!rate.set)
		return E_OK;
	return put_metric(w, x, metric, rate.v < QUIET ? SOME(since) : NONE, rate, now, e);
}

static enum err_code put_metrics(
	struct world *w, const struct world_item *x, ts_t now, struct err *e)
{
	bool node = !strcmp(x->source, "tpu");
	struct q_world_metric_drop_in drop = {
		.project = x->t.project, .subject = subject_of_metrics(w, x)};

	if (strcmp(x->source, "vm") != 0 && !node)
		return E_OK;
	if (q_world_metric_drop(w->db, &drop, e))
		return e->code;
	if (x->gone)
		return E_OK;
	if (x->t.measured &&
		put_metric(w, x, node ? CHIPS_OF_TPU : CPU_OF_VM,
			x->t.idle_since == TS_NONE ? NONE : SOME(x->t.idle_since), NONE,
			now, e))
		return e->code;
	if (put_traffic(w, x, node ? SENT_BY_TPU : SENT_BY_VM, x->t.sent, now, e))
		return e->code;
	return put_traffic(
		w, x, node ? RECEIVED_BY_TPU : RECEIVED_BY_VM, x->t.received, now, e);
}

/* ---- how it was over time ---------------------------------------------------------------------- */

static bool same_number(struct opt_i64 a, struct opt_i64 b)
{
	return a.set == b.set && a.v == b.v;
}

static bool goes_on(const struct q_interval_open *open, const struct world_item *x)
{
	return !strcmp(open->uid, x->uid) && !strcmp(open->state, x->t.state) &&
		str_eq(open->type, x->t.type) &&
		str_eq(open->provisioning, x->t.provisioning) &&
		same_number(open->size_gib, x->t.size_gib) &&
		str_eq(open->gpu_type, x->t.gpu_type) &&
		same_number(open->gpu_count, x->t.gpu_count) &&
		same_number(open->bytes, x->t.bytes);
}

/* A stretch of something new begins when it was made, another one of it when it is seen; none
 * before the last one has ended. */
static enum err_code begins(struct world *w, const struct world_item *x, bool before,
	ts_t now, ts_t *out, struct err *e)
{
	struct q_interval_last_end_in in = {.id = x->id};
	struct q_interval_last_end last;
	bool found;

	*out = !before && x->t.created.set && x->t.created.v < now ? x->t.created.v : now;
	if (q_interval_last_end_one(w->db, &in, &w->arena, &last, &found, e))
		return e->code;
	if (found && last.ends.set && last.ends.v > *out)
		*out = last.ends.v;
	return E_OK;
}

static enum err_code put_interval(
	struct world *w, const struct world_item *x, ts_t now, struct err *e)
{
	struct q_interval_open_in key = {.id = x->id};
	struct q_interval_close_in close = {.id = x->id, .at = now};
	struct q_interval_put_in in = {.id = x->id,
		.uid = x->uid,
		.kind = x->t.kind,
		.project = x->t.project,
		.location = x->t.location,
		.name = x->t.name,
		.state = x->t.state,
		.type = x->t.type,
		.provisioning = x->t.provisioning,
		.size_gib = x->t.size_gib,
		.gpu_type = x->t.gpu_type,
		.gpu_count = x->t.gpu_count,
		.bytes = x->t.bytes,
		.created = x->t.created};
	struct q_interval_open open;
	bool found;

	if (q_interval_open_one(w->db, &key, &w->arena, &open, &found, e))
		return e->code;
	if (found && goes_on(&open, x))
		return E_OK;
	if (found && q_interval_close(w->db, &close, e))
		return e->code;
	if (begins(w, x, found && !strcmp(open.uid, x->uid), now, &in.starts, e))
		return e->code;
	return q_interval_put(w->db, &in, e);
}

/* ---- the thing --------------------------------------------------------------------------------- */

static enum err_code put_resource(
	struct world *w, const struct world_item *x, ts_t now, struct err *e)
{
	const struct world_thing *t = &x->t;
	struct q_resource_put_in in = {.id = x->id,
		.uid = x->uid,
		.source = x->source,
		.kind = t->kind,
		.project = t->project,
		.location = t->location,
		.zone = place_zone(t->location),
		.region = place_region(t->location, &w->arena),
		.name = t->name,
		.state = t->state,
		.raw_state = t->raw_state ? t->raw_state : t->state,
		.type = t->type,
		.provisioning = t->provisioning,
		.hosts = t->hosts,
		.size_gib = t->size_gib,
		.gpu_type = t->gpu_type,
		.gpu_count = t->gpu_count,
		.attached_to = t->attached_to,
		.queued = t->queued,
		.labels = t->labels ? t->labels : "{}",
		.owner = t->owner,
		.created = t->created,
		.now = now,
		.bytes = t->bytes};

	return q_resource_put(w->db, &in, e);
}

static enum err_code put_machine_type(
	struct world *w, const struct world_thing *t, ts_t now, struct err *e)
{
	struct q_machine_type_put_in in = {.name = t->type,
		.zone = t->location,
		.vcpus = t->vcpus.v,
		.memory_mib = t->memory_mib.v,
		.seen = now};

	if (strcmp(t->kind, "vm") != 0 || !t->type || !t->vcpus.set || !t->memory_mib.set)
		return E_OK;
	return q_machine_type_put(w->db, &in, e);
}

static enum err_code forget(
	struct world *w, const struct world_item *x, ts_t now, struct err *e)
{
	struct q_interval_close_in close = {.id = x->id, .at = now};
	struct q_resource_gone_in gone = {.id = x->id};

	if (q_interval_close(w->db, &close, e))
		return e->code;
	return q_resource_gone(w->db, &gone, e);
}

enum err_code world_store_thing(
	struct world *w, struct world_item *x, ts_t now, struct err *e)
{
	if (x->gone)
		return forget(w, x, now, e) ? e->code : put_metrics(w, x, now, e);
	if (put_interval(w, x, now, e) || put_resource(w, x, now, e) ||
		put_machine_type(w, &x->t, now, e))
		return e->code;
	return put_metrics(w, x, now, e);
}
