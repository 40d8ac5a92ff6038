/* A TPU, machine, disk, address, snapshot, bucket or queued resource. */
#include "base/civil.h"
#include "base/money.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/explain_resource.h"
#include "reports/stop_command.h"

#include <string.h>

enum err_code explain_resource_names(
	struct explaining *x, struct explain_names *out, struct err *e)
{
	struct q_explain_resource_ids q;
	struct db_rows rows;

	if (q_explain_resource_ids_open(x->db, &rows, e))
		return e->code;
	while (q_explain_resource_ids_next(&rows, &q))
		explain_name(x, out, q.id);
	return db_rows_close(&rows, e);
}

static void size_of(struct explaining *x, const struct q_explain_resource *r)
{
	explain_fact(x, "kind", r->kind);
	explain_fact(x, "type", r->type);
	explain_fact(x, "class", r->provisioning);
	if (r->chips.set)
		explain_count(x, "chips", r->chips, NULL);
	if (r->hosts.set)
		explain_count(x, "hosts", r->hosts, NULL);
	if (r->vcpus.set)
		explain_count(x, "vCPUs", r->vcpus, NULL);
	if (r->memory_mib.set)
		explain_nanos(
			x, "memory", SOME(r->memory_mib.v * (NANOS / 64) / 16), "GiB");
	if (r->size_gib.set)
		explain_count(x, "size", r->size_gib, "GiB");
	if (r->gpu_type)
		explain_count(x, "GPUs", r->gpu_count, r->gpu_type);
}

static enum err_code what_it_is(
	struct explaining *x, const struct q_explain_resource *r, struct err *e)
{
	struct explain_row *row;

	explain_section(x, "What it is");
	size_of(x, r);
	row = explain_say(x, "state", "%s (Google says %s)", r->state, r->raw_state);
	if (explain_from(x, row, r->source, r->project, e))
		return e->code;
	explain_when(x, "so since", r->since);
	explain_when(x, "created", r->created);
	explain_when(x, "first seen", SOME(r->first_seen));
	explain_when(x, "last seen", SOME(r->last_seen));
	if (!r->complete)
		explain_say(x, "not current",
			"%s did not answer in the last poll: this is what was known",
			r->location);
	explain_fact(x, "owner", r->owner);
	if (strcmp(r->labels, "{}") != 0)
		explain_fact(x, "labels", r->labels);
	explain_fact(x, "used by", r->attached_to);
	explain_fact(x, "queued as", r->queued);
	if (r->exempt.v)
		explain_say(x, "exempt", "label tpucost-keep: never acted on");
	return E_OK;
}

/* ---- idle ---------------------------------------------------------------------------------- */

static enum err_code metrics_of(
	struct explaining *x, const struct q_explain_resource *r, struct err *e)
{
	struct q_explain_metrics_in in = {.project = r->project,
		.uid = r->uid,
		.node = arena_printf(x->a, "%s/%s", r->location, r->name)};
	struct q_explain_metrics q;
	struct db_rows rows;

	if (q_explain_metrics_open(x->db, &in, &rows, e))
		return e->code;
	while (q_explain_metrics_next(&rows, &q)) {
		struct explain_row *row = explain_nanos(x, q.metric, SOME(q.value), NULL);

		row->source = "metric";
		row->age = SOME(x->now - q.at);
		explain_count(x, "  of workers", SOME(q.series), NULL);
		explain_when(x, "  too little since", q.idle_since);
	}
	return db_rows_close(&rows, e);
}

static enum err_code idle(
	struct explaining *x, const struct q_explain_resource *r, struct err *e)
{
	struct q_explain_idle_in in = {.id = r->id};
	struct q_explain_idle q;
	bool found;

	if ((strcmp(r->kind, "vm") != 0 && strcmp(r->kind, "tpu") != 0) ||
		strcmp(r->state, "running") != 0)
		return E_OK;
	if (q_explain_idle_one(x->db, &in, x->a, &q, &found, e))
		return e->code;
	explain_section(x, "Idle");
	explain_count(x, "idle", found ? q.idle_minutes : NONE, "minutes");
	if (!found || !q.idle_minutes.set)
		explain_say(x, "why unknown",
			"Cloud Monitoring has no fresh points of all of it");
	return metrics_of(x, r, e);
}

/* ---- the end of it ------------------------------------------------------------------------- */

static enum err_code what_remains(
	struct explaining *x, const struct q_explain_resource *r, struct err *e)
{
	struct q_explain_attached_in in = {.project = r->project,
		.name = r->name,
		.zone = r->zone ? r->zone : "",
		.region = r->region ? r->region : ""};
	struct q_explain_attached q;
	struct db_rows rows;
	size_t n = 0;

	if (strcmp(r->kind, "vm") != 0 && strcmp(r->kind, "tpu") != 0)
		return E_OK;
	if (q_explain_attached_open(x->db, &in, &rows, e))
		return e->code;
	while (q_explain_attached_next(&rows, &q)) {
		explain_rate(
			x, arena_printf(x->a, "goes on: %s", q.id), q.gross, q.currency);
		n++;
	}
	if (!n)
		explain_say(x, "goes on", "no disk or address is known to be its own");
	return db_rows_close(&rows, e);
}

static enum err_code ending(
	struct explaining *x, const struct q_explain_resource *r, struct err *e)
{
	struct stop_target t = {.kind = r->kind,
		.project = r->project,
		.location = r->location,
		.name = r->name,
		.state = r->state,
		.provisioning = r->provisioning,
		.queued = r->queued != NULL,
		.hosts = r->hosts.v};
	bool held = (!strcmp(r->kind, "disk") || !strcmp(r->kind, "ip")) && r->attached_to;
	bool off = !strcmp(r->kind, "vm") && !strcmp(r->state, "stopped");
	const char *command = stop_command(&t, x->a);

	if (!command)
		return E_OK;
	explain_section(x, "What ends it");
	if (held)
		explain_say(x, "first", "%s uses it", r->attached_to);
	if (off)
		explain_say(x, "command", "none is needed: it is stopped");
	else
		explain_say(x, "command", "%s", command)->kind = EXPLAIN_COMMAND;
	return what_remains(x, r, e);
}

enum err_code explain_resource(struct explaining *x, const char *key, struct err *e)
{
	struct q_explain_resource_in in = {.id = key};
	struct q_explain_resource r;
	bool found;

	if (q_explain_resource_one(x->db, &in, x->a, &r, &found, e))
		return e->code;
	if (!found)
		return err_set(e, E_NOTFOUND, "why: %s", key);
	x->title = r.id;
	if (what_it_is(x, &r, e) || explain_gross(x, &r, e) || explain_net(x, &r, e) ||
		idle(x, &r, e) || explain_alerts_of(x, r.id, e) ||
		explain_billed(x, &r, e) || ending(x, &r, e))
		return e->code;
	return E_OK;
}
