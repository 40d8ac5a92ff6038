/* A TPU, machine, disk, address, snapshot, bucket or queued resource. */
#include "base/time/civil.h"
#include "base/money.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/why/resource.h"

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
		explain_say(x, "exempt", "%s: never acted on",
			r->exempt_why ? r->exempt_why : "label tpucost-keep");
	return E_OK;
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
		explain_lately(x, &r, e) || explain_idle(x, &r, e) ||
		explain_alerts_of(x, "resources", r.id, e) ||
		explain_actions_of(x, r.id, e) || explain_billed(x, &r, e) ||
		explain_ending(x, &r, e))
		return e->code;
	return E_OK;
}
