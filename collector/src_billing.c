/* The Cloud Billing export in BigQuery.
 *
 * 1. tables.get (free): nothing more when the table has not changed since the last read.
 * 2. One small query: row count and check sums of every partition of the window.
 * 3. One query for the partitions that differ from what is stored; each is replaced whole,
 *    in one transaction, and only when what arrived adds up to the check sums. */
#include "base/civil.h"
#include "base/money.h"
#include "collector/billing_sql.h"
#include "collector/billing_store.h"
#include "collector/source.h"
#include "db_sql.h"
#include "gcp/bigquery.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Partitions older than this are looked at only when the number of rows says that one of
 * them has changed. */
#define WINDOW_DAYS 40
#define MIB (INT64_C(1) << 20)

struct unit_list {
	struct billing_unit *v;
	size_t n, cap;
};

struct reading {
	struct poll *p;
	struct bq_name name;
	struct bq_table table;
	struct billing_shape shape;
	int64_t table_id;
	struct q_billing_table_get known;
	struct unit_list units;      /* as the export has them */
	struct billing_batch *batch; /* rows of the unit being read */
	struct billing_unit *current;
};

/* ---- the table --------------------------------------------------------------------------- */

static bool has(const struct bq_table *t, const char *path)
{
	return bq_field_find(t->fields, t->n_fields, path) != NULL;
}

static enum err_code check_schema(struct reading *r, struct err *e)
{
	static const char *const required[] = {"usage_start_time", "export_time",
		"service.id", "service.description", "sku.id", "sku.description",
		"project.id", "invoice.month", "cost", "currency", "credits",
		"usage.amount", "location.location"};

	for (size_t i = 0; i < ARRAY_LEN(required); i++) {
		if (has(&r->table, required[i]))
			continue;
		err_set(e, E_DATA, "table %s: column %s is missing: not a billing export",
			r->p->settings->billing_table, required[i]);
		return err_fix(e, "check billing.table in the configuration");
	}
	r->shape = (struct billing_shape){
		.has_partition_time = *r->table.partition_type &&
			!*r->table.partition_field,
		.has_resource = has(&r->table, "resource.name") &&
			has(&r->table, "resource.global_name"),
		.has_rate = has(&r->table, "currency_conversion_rate"),
		.has_cost_type = has(&r->table, "cost_type"),
		.has_pricing_usage = has(&r->table, "usage.amount_in_pricing_units") &&
			has(&r->table, "usage.pricing_unit"),
	};
	return E_OK;
}

static enum err_code open_table(struct reading *r, struct err *e)
{
	const struct collect_settings *s = r->p->settings;
	struct q_billing_table_add_in add = {.name = s->billing_table};
	struct q_billing_table_get_in get = {.name = s->billing_table};
	bool found;

	if (!billing_table_valid(s->billing_table)) {
		err_set(e, E_CONFIG, "billing table \"%s\": not a table name",
			s->billing_table);
		return err_fix(e, "want project.dataset.table");
	}
	if (bq_name_parse(s->billing_table, r->p->arena, &r->name, e) ||
		bq_table_get(r->p->gcp, &r->name, r->p->arena, &r->table, e))
		return err_wrap(e, "table %s", s->billing_table);
	if (check_schema(r, e))
		return e->code;
	add.location = r->table.location;
	if (q_billing_table_add(r->p->db, &add, e) ||
		q_billing_table_get_one(r->p->db, &get, r->p->arena, &r->known, &found, e))
		return e->code;
	if (!found)
		return err_set(e, E_BUG, "billing table was not stored");
	r->table_id = r->known.table_id;
	return E_OK;
}

/* ---- queries ------------------------------------------------------------------------------ */

static enum err_code run_query(struct reading *r, const char *sql,
	const struct bq_param *params, size_t n,
	enum err_code (*on_row)(void *, const struct bq_row *, struct err *), struct err *e)
{
	const struct collect_settings *s = r->p->settings;
	struct bq_query q = {.project = r->p->project,
		.location = s->billing_location ? s->billing_location : r->table.location,
		.sql = sql,
		.params = params,
		.n_params = n,
		.max_bytes_billed = s->max_bytes > 10 * MIB ? s->max_bytes : 10 * MIB,
		.on_row = on_row,
		.ctx = r};

	return bq_run(r->p->gcp, &q, e);
}

static enum err_code need_i64(
	const struct bq_row *row, const char *column, int64_t *out, struct err *e)
{
	struct opt_i64 v;

	if (bq_i64(row, column, &v, e))
		return e->code;
	if (!v.set)
		return err_set(e, E_DATA, "column %s is NULL", column);
	*out = v.v;
	return E_OK;
}

static enum err_code need_nanos(
	const struct bq_row *row, const char *column, int64_t *out, struct err *e)
{
	struct opt_i64 v;

	if (bq_nanos(row, column, &v, e))
		return e->code;
	*out = v.set ? v.v : 0;
	return E_OK;
}

static enum err_code need_ts(
	const struct bq_row *row, const char *column, ts_t *out, struct err *e)
{
	struct opt_i64 v;

	if (bq_ts(row, column, &v, e))
		return e->code;
	if (!v.set)
		return err_set(e, E_DATA, "column %s is NULL", column);
	*out = v.v;
	return E_OK;
}

static enum err_code need_day(const struct bq_row *row, day_t *out, struct err *e)
{
	const char *text;

	if (bq_need_text(row, "unit", &text, e))
		return e->code;
	return date_parse(text, out, e);
}

static struct billing_unit *unit_for(struct reading *r, day_t day)
{
	struct unit_list *l = &r->units;

	for (size_t i = l->n; i > 0; i--)
		if (l->v[i - 1].day == day)
			return &l->v[i - 1];
	l->v = arena_grow(r->p->arena, l->v, l->n, &l->cap, sizeof(*l->v));
	l->v[l->n] = (struct billing_unit){.day = day, .exported = INT64_MIN};
	return &l->v[l->n++];
}

static enum err_code on_unit(void *ctx, const struct bq_row *row, struct err *e)
{
	struct reading *r = ctx;
	struct billing_sum sum = {0};
	struct billing_unit *u;
	const char *currency;
	int64_t rows = 0;
	ts_t exported = 0;
	day_t day;

	if (need_day(row, &day, e) || bq_need_text(row, "currency", &currency, e) ||
		need_i64(row, "row_count", &rows, e) ||
		need_nanos(row, "cost_sum", &sum.cost, e) ||
		need_nanos(row, "credits_sum", &sum.credits, e) ||
		need_ts(row, "exported", &exported, e))
		return e->code;
	u = unit_for(r, day);
	u->rows += rows;
	if (exported > u->exported)
		u->exported = exported;
	sum.currency = arena_strdup(r->p->arena, currency);
	return billing_unit_add_sum(r->p->arena, u, &sum, e);
}

static enum err_code read_units(struct reading *r, bool everything, struct err *e)
{
	struct sbuf sql = SBUF_INIT;
	char since[DATE_BUF];
	struct bq_param param = {.name = "since", .type = "DATE", .value = since};
	enum err_code rc;

	date_format(everything ? 0 : (day_t)(r->p->now / DAY_SECONDS) - WINDOW_DAYS, since);
	billing_sql_units(&sql, r->p->settings->billing_table, &r->shape);
	rc = run_query(r, sql.s, &param, 1, on_unit, e);
	sbuf_done(&sql);
	return rc;
}

/* ---- rows --------------------------------------------------------------------------------- */

static enum err_code text_or_empty(
	const struct bq_row *row, const char *column, const char **out, struct err *e)
{
	if (bq_text(row, column, out, e))
		return e->code;
	if (!*out)
		*out = "";
	return E_OK;
}

static enum err_code read_row(
	const struct bq_row *row, struct billing_row *b, struct err *e)
{
	if (need_ts(row, "hour", &b->hour, e) ||
		bq_need_text(row, "currency", &b->currency, e) ||
		need_i64(row, "row_count", &b->rows, e) ||
		need_nanos(row, "usage_sum", &b->usage, e) ||
		need_nanos(row, "cost_sum", &b->cost, e) ||
		need_nanos(row, "credits_sum", &b->credits, e) ||
		need_nanos(row, "promo_sum", &b->promo, e) ||
		bq_nanos(row, "rate", &b->rate, e))
		return e->code;
	if (text_or_empty(row, "invoice_month", &b->invoice_month, e) ||
		text_or_empty(row, "project_id", &b->project, e) ||
		text_or_empty(row, "service_id", &b->service_id, e) ||
		text_or_empty(row, "service_name", &b->service, e) ||
		text_or_empty(row, "sku_id", &b->sku_id, e) ||
		text_or_empty(row, "sku_name", &b->sku, e) ||
		text_or_empty(row, "place", &b->location, e) ||
		text_or_empty(row, "region", &b->region, e) ||
		text_or_empty(row, "zone", &b->zone, e) ||
		text_or_empty(row, "resource_name", &b->resource, e) ||
		text_or_empty(row, "global_name", &b->global_name, e) ||
		text_or_empty(row, "cost_type", &b->cost_type, e) ||
		text_or_empty(row, "usage_unit", &b->usage_unit, e))
		return e->code;
	if (!*b->cost_type)
		b->cost_type = "regular";
	return E_OK;
}

static enum err_code finish_unit(struct reading *r, struct err *e)
{
	if (!r->current)
		return E_OK;
	r->p->changed = true;
	if (billing_store_unit(r->p->db, r->table_id, r->current, r->batch,
		    r->p->settings->tz, r->p->now, e))
		return e->code;
	r->p->items += r->batch->n;
	r->current->done = true;
	r->current = NULL;
	billing_batch_reset(r->batch);
	return E_OK;
}

static enum err_code on_row(void *ctx, const struct bq_row *row, struct err *e)
{
	struct reading *r = ctx;
	struct billing_row b = {0};
	day_t day;

	if (need_day(row, &day, e))
		return e->code;
	if (!r->current || r->current->day != day) {
		if (finish_unit(r, e))
			return e->code;
		r->current = unit_for(r, day);
	}
	if (read_row(row, &b, e))
		return err_wrap(e, "row %zu", r->batch->n + 1);
	return billing_batch_add(r->batch, &b, e);
}

static enum err_code read_rows(
	struct reading *r, const char *const *days, size_t n, struct err *e)
{
	struct bq_param param = {.name = "units",
		.type = "DATE",
		.values = days,
		.n_values = n,
		.array = true};
	struct sbuf sql = SBUF_INIT;
	enum err_code rc;

	r->batch = billing_batch_new();
	billing_sql_rows(&sql, r->p->settings->billing_table, &r->shape);
	rc = run_query(r, sql.s, &param, 1, on_row, e);
	if (!rc)
		rc = finish_unit(r, e);
	sbuf_done(&sql);
	billing_batch_free(r->batch);
	return rc;
}

/* The units that differ from what is stored. */
static enum err_code changed_units(
	struct reading *r, const char ***days, size_t *n, struct err *e)
{
	const char **list = arena_alloc(r->p->arena, (r->units.n + 1) * sizeof(*list));
	char date[DATE_BUF];
	size_t count = 0;

	for (size_t i = 0; i < r->units.n; i++) {
		bool same;

		if (billing_unit_stored(r->p->db, r->table_id, &r->units.v[i], &same, e))
			return e->code;
		if (!same)
			list[count++] = arena_strdup(
				r->p->arena, date_format(r->units.v[i].day, date));
	}
	*days = list;
	*n = count;
	return E_OK;
}

static enum err_code read_window(struct reading *r, bool everything, struct err *e)
{
	const char **days = NULL;
	size_t n = 0;

	r->units = (struct unit_list){0};
	if (read_units(r, everything, e) || changed_units(r, &days, &n, e))
		return e->code;
	return n ? read_rows(r, days, n, e) : E_OK;
}

/* Does the table hold as many rows as were read? If not, a partition older than the window
 * has changed: Google appends to partitions of any age. */
static enum err_code all_read(struct reading *r, bool *all, struct err *e)
{
	struct q_billing_rows_stored_in in = {.table_id = r->table_id};
	struct q_billing_rows_stored row;
	bool found;

	if (q_billing_rows_stored_one(r->p->db, &in, r->p->arena, &row, &found, e))
		return e->code;
	*all = found && row.row_count.set && row.row_count.v == r->table.n_rows;
	return E_OK;
}

static enum err_code poll_billing(struct poll *p, struct err *e)
{
	struct reading r = {.p = p};
	struct q_billing_table_read_in seen;
	bool first, all = true;

	if (open_table(&r, e))
		return e->code;
	if (r.known.last_modified_ms == r.table.modified_ms &&
		r.known.row_count == r.table.n_rows && r.table.modified_ms)
		return E_OK;
	first = !r.known.last_modified_ms;
	if (read_window(&r, first, e) || all_read(&r, &all, e))
		return err_wrap(e, "billing export");
	if (!first && !all && read_window(&r, true, e))
		return err_wrap(e, "billing export");
	/* What tables.get said before the queries: a load that came in between is seen as a
	 * change next time. */
	seen = (struct q_billing_table_read_in){.table_id = r.table_id,
		.last_modified_ms = r.table.modified_ms,
		.row_count = r.table.n_rows};
	return q_billing_table_read(p->db, &seen, e);
}

const struct source source_billing = {
	.name = "billing",
	.group = "billing",
	.doc = "the Cloud Billing export in BigQuery",
	.per_account = true,
	.poll = poll_billing,
};
