/* Explains a TPU, machine, disk, address, snapshot, bucket or queued resource, also a deleted one. */
#include "base/money.h"
#include "base/time/civil.h"
#include "base/time/tz.h"
#include "reports/fix.h"
#include "reports/why/internal.h"
#include "rules/bill/days.h"
#include "rules/price/place.h"

#include <string.h>

#define BILL_DAYS 7

/* ---- activity and traffic ---------------------------------------------------------------------- */

static void explain_idle(struct explaining *x, const struct q_explain_resource *r)
{
	if ((strcmp(r->kind, "vm") != 0 && strcmp(r->kind, "tpu") != 0) ||
		strcmp(r->state, "running") != 0)
		return;
	explain_rows(x, "Idle", q_explain_idle_read(x, .id = r->id), NULL);
	explain_rows(x, NULL,
		q_explain_metrics_read(x, .project = r->project, .uid = r->uid,
			.node = arena_printf(x->a, "%s/%s", r->location, r->name)),
		NULL);
	explain_rows(x, "Traffic: an estimate, because the destination is unknown",
		q_explain_traffic_read(x, .id = r->id), NULL);
}

/* ---- bill -------------------------------------------------------------------------------------- */

static void resource_add_line(struct explaining *x, const struct q_explain_resource_bill *q)
{
	struct explain_row *row;
	int64_t net;

	if (!nanos_add(q->cost, q->credits, &net)) {
		err_first(x->e, E_OVERFLOW, "why: net cost of %s", q->sku);
		return;
	}
	row = explain_nanos(x, q->sku, SOME(net), q->currency);
	row->formula = arena_printf(x->a, "%s to %s: %s and credits of %s", q->first_date,
		q->last_date, explain_money(x, q->cost, q->currency),
		explain_money(x, q->credits, q->currency));
	row->source = arena_printf(x->a, "billing, SKU %s", q->sku_id);
}

static void resource_add_lines(
	struct explaining *x, const struct q_explain_resource *r, day_t first)
{
	struct q_explain_resource_bill_rows lines = q_explain_resource_bill_rows(x,
		.project = r->project, .name = r->name, .uid = r->uid,
		.zone = r->zone ? r->zone : "", .region = r->region ? r->region : "",
		.category = strcmp(r->kind, "bucket") != 0 ? r->kind : "storage",
		.first = first);

	for (size_t i = 0; i < lines.n; i++)
		resource_add_line(x, &lines.v[i]);
	if (!lines.n)
		explain_from_bill(x,
			explain_say(x, "bill",
				"no line of the bill names this resource; only the "
				"detailed export names resources, and lines arrive hours "
				"late"));
}

void explain_billed(struct explaining *x, const struct q_explain_resource *r)
{
	const struct tz *tz = x->settings->tz;
	day_t today = tz_day(tz, x->now);
	const char **project = arena_alloc(x->a, sizeof(*project));
	const struct billing_question q = {.time = ASK_DAY,
		.resource = true,
		.from = tz_day_start(tz, today - BILL_DAYS),
		.until = tz_day_start(tz, today + 3), /* later usage is refused */
		.projects = project,
		.n_projects = 1};
	struct err e = {0};
	bool found = true;

	*project = arena_strdup(x->a, r->project);
	explain_section(x, "On the bill since 7 days ago: net cost by SKU");
	if (bill_only_days(DB_READER(x)) && db_answer_show(x->db, &q, tz, &found, &e)) {
		err_first(x->e, e.code, "%s", e.msg);
		return;
	}
	if (found) {
		resource_add_lines(x, r, today - BILL_DAYS);
		db_answer_hide(x->db);
		return;
	}
	x->question = q;
	explain_from_bill(x,
		explain_say(x, "bill", "%s",
			x->unanswered ? x->unanswered
				      : BILL_ONLY_DAYS "; tpucost why asks it"));
}

/* ---- commands that end its cost, and the cost that remains ------------------------------------- */

static void what_remains(struct explaining *x, const struct q_thing *t)
{
	if (strcmp(t->kind, "vm") != 0 && strcmp(t->kind, "tpu") != 0)
		return;
	explain_rows(x, NULL, q_explain_belongings_read(x, .id = t->id), NULL);
	if (!t->residual.set && t->remains)
		explain_say(x, "still charged, total", "%s", t->remains)->formula =
			"its own disks and addresses";
	else
		explain_rate(x, "still charged, total", t->residual, t->residual_currency)
			->formula = "its own disks and addresses";
	if (!t->remains)
		explain_say(x, "reason",
			"a disk or address of it was not read, or has no price");
}

static void explain_ending(struct explaining *x, const struct q_explain_resource *r)
{
	bool held = (!strcmp(r->kind, "disk") || !strcmp(r->kind, "ip")) && r->attached_to;
	bool off = !strcmp(r->kind, "vm") && !strcmp(r->state, "stopped");
	const struct q_thing *t = q_thing_row(x, .id = r->id);
	const char *command = t ? fix_stop(t, x->a) : NULL;

	if (!command)
		return;
	explain_section(x, "Command that ends its cost");
	if (held)
		explain_say(x, "first", "%s uses it", r->attached_to);
	if (off)
		explain_say(x, "command", "not needed: it is stopped");
	else if (t->held) /* its owner wants to keep it */
		explain_rows(x, NULL, q_explain_exempt_read(x, .id = r->id), NULL);
	else
		explain_say(x, "command", "%s", command)->kind = EXPLAIN_COMMAND;
	what_remains(x, t);
}

void explain_resource(struct explaining *x, const char *key)
{
	const struct q_explain_resource *r = q_explain_resource_row(x, .id = key);

	if (!r) {
		err_first(x->e, E_NOTFOUND, "why: %s", key);
		return;
	}
	x->title = r->id;
	explain_rows(x, "Description", q_explain_description_read(x, .id = key), NULL);
	explain_gross(x, r);
	explain_net(x, r);
	explain_lately(x, r->id);
	explain_idle(x, r);
	explain_alerts_of(x, "resources", r->id);
	explain_actions_of(x, r->id);
	explain_billed(x, r);
	explain_ending(x, r);
}

void explain_host(struct explaining *x, const char *key)
{
	const struct q_explain_host *h = q_explain_host_row(x, .id = key);

	if (!h) {
		err_first(x->e, E_NOTFOUND, "why: %s", key);
		return;
	}
	x->others = arena_printf(
		x->a, "%s is a host of %s: this is about the whole slice", key, h->slice);
	explain_resource(x, h->slice);
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

void explain_gone(struct explaining *x, const char *key)
{
	struct q_explain_stretches_rows rows;
	struct opt_i64 last = NONE;

	x->title = arena_printf(x->a, "%s, which no longer exists", key);
	explain_section(x, "History");
	rows = q_explain_stretches_rows(x, .id = key);
	for (size_t i = 0; i < rows.n; i++) {
		explain_stretch(x, &rows.v[i]);
		if (rows.v[i].ends.set)
			last = rows.v[i].ends;
	}
	explain_when(x, "gone since", last);
	if (rows.n) {
		struct q_explain_resource r = remembered(x, &rows.v[rows.n - 1]);

		explain_billed(x, &r);
	}
	explain_alerts_of(x, "resources", key);
	explain_actions_of(x, key);
}
