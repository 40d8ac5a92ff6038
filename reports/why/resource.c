/* Explains a TPU, machine, disk, address, snapshot, bucket or queued resource, also a deleted one. */
#include "base/time/civil.h"
#include "base/money.h"
#include "base/time/tz.h"
#include "reports/fix.h"
#include "reports/why/internal.h"
#include "rules/price/place.h"

#include <string.h>

#define BILL_DAYS 7

/* ---- activity and traffic ---------------------------------------------------------------------- */

static enum err_code explain_idle(
	struct explaining *x, const struct q_explain_resource *r, struct err *e)
{
	struct q_explain_idle_in in = {.id = r->id};
	struct q_explain_metrics_in metrics = {.project = r->project,
		.uid = r->uid,
		.node = arena_printf(x->a, "%s/%s", r->location, r->name)};
	struct q_explain_traffic_in traffic = {.id = r->id};
	struct db_rows rows;

	if ((strcmp(r->kind, "vm") != 0 && strcmp(r->kind, "tpu") != 0) ||
		strcmp(r->state, "running") != 0)
		return E_OK;
	if (explain_rows(x, "Idle", q_explain_idle_open(x->db, &in, &rows, e), &rows, NULL,
		    NULL, e) ||
		explain_rows(x, NULL, q_explain_metrics_open(x->db, &metrics, &rows, e),
			&rows, NULL, NULL, e))
		return e->code;
	return explain_rows(x, "Traffic: an estimate, because the destination is unknown",
		q_explain_traffic_open(x->db, &traffic, &rows, e), &rows, NULL, NULL, e);
}

/* ---- bill -------------------------------------------------------------------------------------- */

static enum err_code resource_add_line(
	struct explaining *x, const struct q_explain_resource_bill *q, struct err *e)
{
	struct explain_row *row;
	int64_t net;

	if (!nanos_add(q->cost, q->credits, &net))
		return err_set(e, E_OVERFLOW, "why: net cost of %s", q->sku);
	row = explain_nanos(x, q->sku, SOME(net), q->currency);
	row->formula = arena_printf(x->a, "%s to %s: %s and credits of %s", q->first_date,
		q->last_date, explain_money(x, q->cost, q->currency),
		explain_money(x, q->credits, q->currency));
	row->source = arena_printf(x->a, "billing, SKU %s", q->sku_id);
	return E_OK;
}

enum err_code explain_billed(
	struct explaining *x, const struct q_explain_resource *r, struct err *e)
{
	struct q_explain_resource_bill_in in = {.project = r->project,
		.name = r->name,
		.uid = r->uid,
		.zone = r->zone ? r->zone : "",
		.region = r->region ? r->region : "",
		.category = strcmp(r->kind, "bucket") != 0 ? r->kind : "storage",
		.first = tz_day(x->settings->tz, x->now) - BILL_DAYS};
	struct q_explain_resource_bill q;
	struct explain_row *row;
	struct db_rows rows;
	enum err_code rc = E_OK;
	size_t n = 0;

	explain_section(x, "On the bill since 7 days ago: net cost by SKU");
	if (q_explain_resource_bill_open(x->db, &in, &rows, e))
		return e->code;
	while (!rc && q_explain_resource_bill_next(&rows, &q)) {
		rc = resource_add_line(x, &q, e);
		n++;
	}
	rc = db_rows_end(&rows, rc, e);
	if (rc || n)
		return rc;
	row = explain_say(x, "bill",
		"no line of the bill names this resource; only the detailed export names "
		"resources, and lines arrive hours late");
	return explain_from_bill(x, row, e);
}

/* ---- commands that end its cost, and the cost that remains ------------------------------------- */

static enum err_code what_remains(
	struct explaining *x, const struct q_thing *t, struct err *e)
{
	struct q_explain_belongings_in in = {.id = t->id};
	struct db_rows rows;

	if (strcmp(t->kind, "vm") != 0 && strcmp(t->kind, "tpu") != 0)
		return E_OK;
	if (explain_rows(x, NULL, q_explain_belongings_open(x->db, &in, &rows, e), &rows,
		    NULL, NULL, e))
		return e->code;
	if (!t->residual.set && t->remains)
		explain_say(x, "still charged, total", "%s", t->remains)->formula =
			"its own disks and addresses";
	else
		explain_rate(x, "still charged, total", t->residual, t->residual_currency)
			->formula = "its own disks and addresses";
	if (!t->remains)
		explain_say(x, "reason",
			"a disk or address of it was not read, or has no price");
	return E_OK;
}

static enum err_code explain_ending(
	struct explaining *x, const struct q_explain_resource *r, struct err *e)
{
	bool held = (!strcmp(r->kind, "disk") || !strcmp(r->kind, "ip")) && r->attached_to;
	bool off = !strcmp(r->kind, "vm") && !strcmp(r->state, "stopped"), found;
	struct q_explain_exempt_in exempt = {.id = r->id};
	struct q_thing_in in = {.id = r->id};
	const char *command;
	struct db_rows rows;
	struct q_thing t;

	if (q_thing_one(x->db, &in, x->a, &t, &found, e))
		return e->code;
	command = found ? fix_stop(&t, x->a) : NULL;
	if (!command)
		return E_OK;
	explain_section(x, "Command that ends its cost");
	if (held)
		explain_say(x, "first", "%s uses it", r->attached_to);
	if (off)
		explain_say(x, "command", "not needed: it is stopped");
	else if (t.held) /* its owner wants to keep it */
		return explain_rows(x, NULL,
			       q_explain_exempt_open(x->db, &exempt, &rows, e), &rows, NULL,
			       NULL, e)
			? e->code
			: what_remains(x, &t, e);
	else
		explain_say(x, "command", "%s", command)->kind = EXPLAIN_COMMAND;
	return what_remains(x, &t, e);
}

enum err_code explain_resource(struct explaining *x, const char *key, struct err *e)
{
	struct q_explain_resource_in in = {.id = key};
	struct q_explain_description_in description = {.id = key};
	struct q_explain_resource r;
	struct db_rows rows;
	bool found;

	if (q_explain_resource_one(x->db, &in, x->a, &r, &found, e))
		return e->code;
	if (!found)
		return err_set(e, E_NOTFOUND, "why: %s", key);
	x->title = r.id;
	if (explain_rows(x, "Description",
		    q_explain_description_open(x->db, &description, &rows, e), &rows, NULL,
		    NULL, e) ||
		explain_gross(x, &r, e) || explain_net(x, &r, e) ||
		explain_lately(x, r.id, e) || explain_idle(x, &r, e) ||
		explain_alerts_of(x, "resources", r.id, e) ||
		explain_actions_of(x, r.id, e) || explain_billed(x, &r, e) ||
		explain_ending(x, &r, e))
		return e->code;
	return E_OK;
}

/* ---- a deleted one ----------------------------------------------------------------------------- */

/* The part of a resource that its history has. */
static struct q_explain_resource remembered(
	struct explaining *x, const struct q_explain_stretches *q)
{
	struct q_explain_resource r = {.uid = q->uid,
		.kind = q->kind,
		.project = q->project,
		.name = q->name,
		.location = q->location,
		.region = q->location};
	char region[REGION_BUF];

	if (zone_to_region(r.location, region)) {
		r.zone = r.location;
		r.region = arena_strdup(x->a, region);
	}
	return r;
}

enum err_code explain_gone(struct explaining *x, const char *key, struct err *e)
{
	struct q_explain_stretches_in in = {.id = key};
	struct q_explain_stretches *v;
	struct opt_i64 last = NONE;
	size_t n;

	x->title = arena_printf(x->a, "%s, which no longer exists", key);
	explain_section(x, "History");
	if (q_explain_stretches_all(x->db, &in, x->a, &v, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		explain_stretch(x, &v[i]);
		if (v[i].ends.set)
			last = v[i].ends;
	}
	explain_when(x, "gone since", last);
	if (n) {
		struct q_explain_resource r = remembered(x, &v[n - 1]);

		if (explain_billed(x, &r, e))
			return e->code;
	}
	return explain_alerts_of(x, "resources", key, e) ? e->code
							 : explain_actions_of(x, key, e);
}
