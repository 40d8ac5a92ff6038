/* Resource of a world, stored as the collector does. */
#include "rules/grant/tpu.h"
#include "rules/trial/trial.h"

#include <string.h>

#define QUIET 16384 /* bytes per second that do not count as work (rules/activity.h) */

/* ---- measurements ------------------------------------------------------------------------------ */

enum { IDLE, SENT, RECEIVED, N_METRICS };

/* For a machine, and for a TPU node. */
static const char *const metrics[N_METRICS][2] = {
	[IDLE] = {"compute.googleapis.com/instance/cpu/utilization",
		"tpu.googleapis.com/tpu/tensorcore/idle_duration"},
	[SENT] = {"compute.googleapis.com/instance/network/sent_bytes_count",
		"tpu.googleapis.com/network/sent_bytes_count"},
	[RECEIVED] = {"compute.googleapis.com/instance/network/received_bytes_count",
		"tpu.googleapis.com/network/received_bytes_count"},
};

static int64_t workers_of(const struct q_resource_put_in *r)
{
	struct tpu_type type;

	if (r->hosts.set)
		return r->hosts.v;
	return r->type && tpu_type_parse(r->type, &type) ? type.hosts : 1;
}

static enum err_code world_put_metric(struct world *w, const struct world_thing *t,
	int metric, struct q_metric_put_in *in, struct err *e)
{
	struct opt_i64 rate = metric == SENT ? t->sent : t->received;
	ts_t since = t->measured ? t->idle_since : TS_NONE;

	if (metric == IDLE) {
		in->idle_since = opt_of_ts(since);
		return t->measured ? q_metric_put(w->db, in, e) : E_OK;
	}
	if (!rate.set)
		return E_OK;
	in->idle_since = rate.v >= QUIET ? NONE : SOME(since == TS_NONE ? in->at : since);
	in->value = rate.v;
	in->peak = rate;
	in->bytes = SOME(rate.v > INT64_MAX / 3600 ? INT64_MAX : rate.v * 3600);
	in->seconds = SOME(3600);
	return q_metric_put(w->db, in, e);
}

static enum err_code world_put_metrics(
	struct world *w, const struct world_item *x, ts_t now, struct err *e)
{
	const struct q_resource_put_in *r = &x->t.r;
	bool node = !strcmp(r->source, "tpu"), vm = !strcmp(r->source, "vm");
	const char *subject = vm ? r->uid
				 : arena_printf(&w->arena, "%s/%s", r->location, r->name);
	struct q_world_metric_drop_in drop = {.project = r->project, .subject = subject};

	if (!vm && !node)
		return E_OK;
	if (q_world_metric_drop(w->db, &drop, e))
		return e->code;
	for (int i = 0; !x->gone && i < N_METRICS; i++) {
		struct q_metric_put_in in = {.project = r->project,
			.metric = metrics[i][node],
			.subject = subject,
			.at = now,
			.series = vm ? 1 : workers_of(r)};

		if (world_put_metric(w, &x->t, i, &in, e))
			return e->code;
	}
	return E_OK;
}

/* ---- history ----------------------------------------------------------------------------------- */

/* Of the stored resource. */
static enum err_code world_put_interval(
	struct world *w, const struct q_resource_put_in *r, struct err *e)
{
	struct q_world_begins_in key = {.id = r->id, .now = r->now};
	struct q_interval_close_in close = {.id = r->id, .at = r->now};
	struct q_interval_begin_in begin = {.id = r->id};
	struct q_world_begins row;
	bool anew;

	if (q_world_begins_one(w->db, &key, &w->arena, &row, &anew, e))
		return e->code;
	if (!anew)
		return E_OK;
	begin.starts = row.starts;
	return q_interval_close(w->db, &close, e) ? e->code
						  : q_interval_begin(w->db, &begin, e);
}

static enum err_code put_machine_type(
	struct world *w, const struct world_thing *t, struct err *e)
{
	struct q_machine_type_put_in in = {.name = t->r.type,
		.zone = t->r.location,
		.vcpus = t->vcpus.v,
		.memory_mib = t->memory_mib.v,
		.seen = t->r.now};

	if (strcmp(t->r.kind, "vm") != 0 || !t->r.type || !t->vcpus.set ||
		!t->memory_mib.set)
		return E_OK;
	return q_machine_type_put(w->db, &in, e);
}

enum err_code world_store_thing(
	struct world *w, struct world_item *x, ts_t now, struct err *e)
{
	struct q_interval_close_in close = {.id = x->t.r.id, .at = now};
	struct q_resource_gone_in gone = {.id = x->t.r.id};

	x->t.r.now = now;
	if (x->gone) {
		if (q_interval_close(w->db, &close, e) || q_resource_gone(w->db, &gone, e))
			return e->code;
	} else if (q_resource_put(w->db, &x->t.r, e) || world_put_interval(w, &x->t.r, e) ||
		put_machine_type(w, &x->t, e)) {
		return e->code;
	}
	return world_put_metrics(w, x, now, e);
}
