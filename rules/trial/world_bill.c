/* Bill and quotas of a world. */
#include "base/time/civil.h"
#include "db/db.h"
#include "db/rollup/rollup.h"
#include "rules/trial/trial.h"

#include <string.h>

#define TABLE "world"
#define MAX_HOURS 1000 /* longest time of one line */
#define OR_NONE(text) ((text) ? (text) : "")

/* Ids from the SKU lists of the Cloud Billing Catalog. */
static const char *service_id(const char *service)
{
	static const struct {
		const char *name, *id;
	} known[] = {{"Compute Engine", "6F81-5844-456A"}, {"Cloud TPU", "E000-3F24-B8AA"},
		{"Cloud Storage", "95FF-2EF5-5EA1"}};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (!strcmp(known[i].name, service))
			return known[i].id;
	return "";
}

static enum err_code world_bill_find_refs(
	struct world *w, const struct world_line *l, struct stage_line *r, struct err *e)
{
	const char *sku_id = l->sku_id ? l->sku_id : l->sku;

	STAGE_FIND(w->db, q_sku_put, &r->sku, e, service_id(l->service), l->service, sku_id,
		l->sku);
	STAGE_FIND(w->db, q_billed_project_put, &r->project, e, OR_NONE(l->project), "",
		"WORLD");
	STAGE_FIND(w->db, q_place_put, &r->place, e, OR_NONE(l->location),
		OR_NONE(l->region), OR_NONE(l->zone));
	STAGE_FIND(w->db, q_billed_resource_put, &r->resource, e, OR_NONE(l->resource), "",
		"");
	STAGE_FIND(w->db, q_charge_put, &r->charge, e, l->invoice_month, l->cost_type,
		l->currency, OR_NONE(l->usage_unit), l->rate, "", "");
	STAGE_FIND(w->db, q_credit_type_put, &r->credit, e, l->credit_type);
	return E_OK;
}

/* Part of an amount in hour i of n: the last one gets the remainder. */
static int64_t share(int64_t amount, int64_t i, int64_t n)
{
	return i < n - 1 ? amount / n : amount - amount / n * (n - 1);
}

static enum err_code put_hour(struct world *w, const struct world_line *l,
	const struct stage_line *refs, int64_t i, int64_t n, struct err *e)
{
	struct stage_line lines[2] = {*refs, *refs}, *cost = &lines[0], *credit = &lines[1];

	cost->hour = credit->hour = l->from + i * HOUR_SECONDS;
	cost->credit = 0;
	cost->usage = SOME(share(l->usage, i, n));
	cost->cost = share(l->cost, i, n);
	cost->rows = 1;
	credit->usage = SOME(0);
	credit->credits = share(l->credits, i, n);
	return stage_put(w->db, lines, l->credits ? 2 : 1, e);
}

static enum err_code world_bill_begin(struct world *w, struct err *e)
{
	struct q_billing_table_add_in add = {
		.name = TABLE, .location = "US", .kind = "export"};

	if (!w->billed && q_billing_table_add(w->db, &add, e))
		return e->code;
	w->billed = true;
	w->first_hour = INT64_MAX;
	w->last_hour = INT64_MIN;
	w->units++;
	return q_stage_clear(w->db, e);
}

enum err_code world_bill(struct world *w, const struct world_line *l, struct err *e)
{
	int64_t n = (l->until - l->from) / HOUR_SECONDS;
	struct stage_line refs = {0};

	if (n < 1 || n > MAX_HOURS)
		return err_set(e, E_LIMIT, "a line of the bill must be of 1 to %d hours",
			MAX_HOURS);
	if (!w->open_bill && world_bill_begin(w, e))
		return e->code;
	w->open_bill = true;
	refs.unit = w->units;
	if (world_bill_find_refs(w, l, &refs, e))
		return e->code;
	for (int64_t i = 0; i < n; i++)
		if (put_hour(w, l, &refs, i, n, e))
			return e->code;
	if (l->from < w->first_hour)
		w->first_hour = l->from;
	if (l->until > w->last_hour)
		w->last_hour = l->until;
	if (l->project)
		world_project(w, l->project);
	return E_OK;
}

enum err_code world_billed(struct world *w, ts_t now, struct err *e)
{
	struct q_billing_unit_put_in unit = {.table_id = WORLD_TABLE,
		.unit = w->units,
		.row_count = 1,
		.exported = now,
		.ingested = now};
	struct q_stage_take_in take = {.table_id = WORLD_TABLE};
	struct q_billing_day_fill_in days = {.table_id = WORLD_TABLE};
	struct rollup_range range = {.first = w->first_hour, .last = w->last_hour};
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (!w->open_bill)
		return E_OK;
	w->open_bill = false;
	if (db_begin(w->db, &tx, e) || q_billing_unit_put(w->db, &unit, e) ||
		q_stage_take(w->db, &take, e) || q_stage_day_fill(w->db, e) ||
		q_billing_day_fill(w->db, &days, e) ||
		rollup_days(w->db, w->settings->tz, &range, e))
		return e->code;
	return db_commit(&tx, e);
}

enum err_code world_quota(
	struct world *w, struct q_quota_put_in *q, ts_t now, struct err *e)
{
	q->source = "quota";
	q->dimensions = "{}";
	q->quota_id = "";
	q->seen = now;
	w->has_quotas = true;
	world_project(w, q->project);
	return q_quota_put(w->db, q, e);
}
