#include "collector/billing_store.h"

#include "base/civil.h"
#include "base/money.h"
#include "db/rollup.h"
#include "db_sql.h"

#include <stdlib.h>
#include <string.h>

/* Rows per unit; a day of the largest known lab has a hundredth of it. */
#define MAX_ROWS ((size_t)5 * 1000 * 1000)

enum err_code billing_unit_add_sum(struct arena *a, struct billing_unit *u,
	const struct billing_sum *sum, struct err *e)
{
	for (size_t i = 0; i < u->n_sums; i++)
		if (!strcmp(u->sums[i].currency, sum->currency))
			return err_set(
				e, E_DATA, "currency %s twice in one unit", sum->currency);
	u->sums = arena_grow(a, u->sums, u->n_sums, &u->cap_sums, sizeof(*u->sums));
	u->sums[u->n_sums++] = *sum;
	return E_OK;
}

struct billing_batch *billing_batch_new(void)
{
	return xcalloc(1, sizeof(struct billing_batch));
}

void billing_batch_reset(struct billing_batch *b)
{
	arena_done(&b->arena);
	b->v = NULL;
	b->n = b->cap = 0;
}

void billing_batch_free(struct billing_batch *b)
{
	if (!b)
		return;
	arena_done(&b->arena);
	free(b);
}

/* Rows come in order, so most of their text repeats what the row before had. */
static const char *keep(struct billing_batch *b, const char *before, const char *text)
{
	if (before && !strcmp(before, text))
		return before;
	return arena_strdup(&b->arena, text);
}

enum err_code billing_batch_add(
	struct billing_batch *b, const struct billing_row *row, struct err *e)
{
	static const size_t texts[] = {offsetof(struct billing_row, invoice_month),
		offsetof(struct billing_row, project),
		offsetof(struct billing_row, service_id),
		offsetof(struct billing_row, service), offsetof(struct billing_row, sku_id),
		offsetof(struct billing_row, sku), offsetof(struct billing_row, location),
		offsetof(struct billing_row, region), offsetof(struct billing_row, zone),
		offsetof(struct billing_row, resource),
		offsetof(struct billing_row, global_name),
		offsetof(struct billing_row, cost_type),
		offsetof(struct billing_row, currency),
		offsetof(struct billing_row, usage_unit)};
	const struct billing_row *before;
	struct billing_row *r;

	if (b->n >= MAX_ROWS)
		return err_set(e, E_LIMIT, "more than %zu rows in one day of the export",
			MAX_ROWS);
	b->v = arena_grow(&b->arena, b->v, b->n, &b->cap, sizeof(*b->v));
	r = &b->v[b->n];
	before = b->n ? r - 1 : NULL;
	*r = *row;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		const char **at = (const char **)((char *)r + texts[i]);
		const char *const *was = before
			? (const char *const *)((const char *)before + texts[i])
			: NULL;

		*at = keep(b, was ? *was : NULL, *at);
	}
	b->n++;
	return E_OK;
}

/* ---- comparing ---------------------------------------------------------------------------- */

static const struct billing_sum *find_sum(
	const struct billing_unit *u, const char *currency)
{
	for (size_t i = 0; i < u->n_sums; i++)
		if (!strcmp(u->sums[i].currency, currency))
			return &u->sums[i];
	return NULL;
}

static enum err_code sums_stored(struct db *db, int64_t table_id,
	const struct billing_unit *u, bool *same, struct err *e)
{
	struct q_billing_sum_list_in in = {.table_id = table_id, .unit = u->day};
	struct q_billing_sum_list row;
	struct db_rows rows;
	size_t n = 0;

	if (q_billing_sum_list_open(db, &in, &rows, e))
		return e->code;
	while (q_billing_sum_list_next(&rows, &row)) {
		const struct billing_sum *s = find_sum(u, row.currency);

		n++;
		if (!s || s->cost != row.cost || s->credits != row.credits)
			*same = false;
	}
	if (n != u->n_sums)
		*same = false;
	return db_rows_close(&rows, e);
}

enum err_code billing_unit_stored(struct db *db, int64_t table_id,
	const struct billing_unit *u, bool *same, struct err *e)
{
	struct q_billing_unit_get_in in = {.table_id = table_id, .unit = u->day};
	struct q_billing_unit_get row;
	struct arena a = {0};
	bool found;

	if (q_billing_unit_get_one(db, &in, &a, &row, &found, e))
		return e->code;
	*same = found && row.row_count == u->rows && row.exported == u->exported;
	return *same ? sums_stored(db, table_id, u, same, e) : E_OK;
}

/* ---- checking ----------------------------------------------------------------------------- */

/* Sums in 128 bits cannot wrap, and must fit 64 to equal what BigQuery said. */
struct check {
	__int128 cost, credits;
	int64_t rows;
};

static enum err_code check_batch(
	const struct billing_unit *u, const struct billing_batch *b, struct err *e)
{
	struct check *checks = xcalloc(u->n_sums + 1, sizeof(*checks));
	int64_t rows = 0;
	char date[DATE_BUF];
	bool ok = true;

	for (size_t i = 0; i < b->n && ok; i++) {
		const struct billing_sum *s = find_sum(u, b->v[i].currency);

		ok = s && !__builtin_add_overflow(rows, b->v[i].rows, &rows);
		if (ok) {
			checks[s - u->sums].cost += b->v[i].cost;
			checks[s - u->sums].credits += b->v[i].credits;
		}
	}
	for (size_t i = 0; i < u->n_sums && ok; i++)
		ok = checks[i].cost == u->sums[i].cost &&
			checks[i].credits == u->sums[i].credits;
	free(checks);
	if (ok && rows == u->rows)
		return E_OK;
	err_set(e, E_CONFLICT,
		"export day %s does not add up (%lld of %lld rows): loaded while it was "
		"read",
		date_format(u->day, date), (long long)rows, (long long)u->rows);
	return err_fix(e, "nothing was changed; the next poll reads it again");
}

/* ---- writing ------------------------------------------------------------------------------ */

/* The references of the row before: rows in order rarely need a new look-up. */
struct refs {
	const struct billing_row *row;
	int64_t sku, project, place, resource;
};

static enum err_code sku_ref(
	struct db *db, const struct billing_row *r, int64_t *out, struct err *e)
{
	struct q_sku_put_in put = {.service_id = r->service_id,
		.service = r->service,
		.sku_id = r->sku_id,
		.sku = r->sku};
	struct q_sku_get_in get = {.service_id = r->service_id,
		.service = r->service,
		.sku_id = r->sku_id,
		.sku = r->sku};
	struct q_sku_get row;
	struct arena a = {0};
	bool found;

	if (q_sku_put(db, &put, e) || q_sku_get_one(db, &get, &a, &row, &found, e))
		return e->code;
	*out = row.ref;
	return found ? E_OK : err_set(e, E_BUG, "SKU was not stored");
}

static enum err_code project_ref(
	struct db *db, const struct billing_row *r, int64_t *out, struct err *e)
{
	struct q_billed_project_put_in put = {.project = r->project};
	struct q_billed_project_get_in get = {.project = r->project};
	struct q_billed_project_get row;
	struct arena a = {0};
	bool found;

	if (q_billed_project_put(db, &put, e) ||
		q_billed_project_get_one(db, &get, &a, &row, &found, e))
		return e->code;
	*out = row.ref;
	return found ? E_OK : err_set(e, E_BUG, "project was not stored");
}

static enum err_code place_ref(
	struct db *db, const struct billing_row *r, int64_t *out, struct err *e)
{
	struct q_place_put_in put = {
		.location = r->location, .region = r->region, .zone = r->zone};
	struct q_place_get_in get = {
		.location = r->location, .region = r->region, .zone = r->zone};
	struct q_place_get row;
	struct arena a = {0};
	bool found;

	if (q_place_put(db, &put, e) || q_place_get_one(db, &get, &a, &row, &found, e))
		return e->code;
	*out = row.ref;
	return found ? E_OK : err_set(e, E_BUG, "place was not stored");
}

static enum err_code resource_ref(
	struct db *db, const struct billing_row *r, int64_t *out, struct err *e)
{
	struct q_billed_resource_put_in put = {
		.resource = r->resource, .global_name = r->global_name};
	struct q_billed_resource_get_in get = {
		.resource = r->resource, .global_name = r->global_name};
	struct q_billed_resource_get row;
	struct arena a = {0};
	bool found;

	if (q_billed_resource_put(db, &put, e) ||
		q_billed_resource_get_one(db, &get, &a, &row, &found, e))
		return e->code;
	*out = row.ref;
	return found ? E_OK : err_set(e, E_BUG, "resource was not stored");
}

static enum err_code find_refs(
	struct db *db, struct refs *refs, const struct billing_row *r, struct err *e)
{
	const struct billing_row *was = refs->row;

	/* Text that is the same is the same pointer (see keep). */
	if ((!was || was->sku_id != r->sku_id || was->sku != r->sku ||
		    was->service != r->service || was->service_id != r->service_id) &&
		sku_ref(db, r, &refs->sku, e))
		return e->code;
	if ((!was || was->project != r->project) && project_ref(db, r, &refs->project, e))
		return e->code;
	if ((!was || was->location != r->location || was->region != r->region ||
		    was->zone != r->zone) &&
		place_ref(db, r, &refs->place, e))
		return e->code;
	if ((!was || was->resource != r->resource || was->global_name != r->global_name) &&
		resource_ref(db, r, &refs->resource, e))
		return e->code;
	refs->row = r;
	return E_OK;
}

static enum err_code put_rows(struct db *db, int64_t table_id, const struct billing_unit *u,
	const struct billing_batch *b, struct err *e)
{
	struct refs refs = {0};

	for (size_t i = 0; i < b->n; i++) {
		const struct billing_row *r = &b->v[i];
		struct q_usage_put_in in;

		if (find_refs(db, &refs, r, e))
			return e->code;
		in = (struct q_usage_put_in){.table_id = table_id,
			.unit = u->day,
			.hour = r->hour,
			.sku_ref = refs.sku,
			.project_ref = refs.project,
			.place_ref = refs.place,
			.resource_ref = refs.resource,
			.invoice_month = r->invoice_month,
			.cost_type = r->cost_type,
			.currency = r->currency,
			.usage_unit = r->usage_unit,
			.usage = r->usage,
			.cost = r->cost,
			.credits = r->credits,
			.promo = r->promo,
			.rate = r->rate,
			.row_count = r->rows};
		if (q_usage_put(db, &in, e))
			return err_wrap(e, "usage row %zu", i + 1);
	}
	return E_OK;
}

static enum err_code put_unit(struct db *db, int64_t table_id, const struct billing_unit *u,
	ts_t now, struct err *e)
{
	struct q_billing_unit_put_in in = {.table_id = table_id,
		.unit = u->day,
		.row_count = u->rows,
		.exported = u->exported,
		.ingested = now};

	if (q_billing_unit_put(db, &in, e))
		return e->code;
	for (size_t i = 0; i < u->n_sums; i++) {
		struct q_billing_sum_put_in sum = {.table_id = table_id,
			.unit = u->day,
			.currency = u->sums[i].currency,
			.cost = u->sums[i].cost,
			.credits = u->sums[i].credits};

		if (q_billing_sum_put(db, &sum, e))
			return e->code;
	}
	return E_OK;
}

static enum err_code drop_unit(
	struct db *db, int64_t table_id, const struct billing_unit *u, struct err *e)
{
	struct q_usage_drop_in usage = {.table_id = table_id, .unit = u->day};
	struct q_billing_sum_drop_in sums = {.table_id = table_id, .unit = u->day};
	struct q_billing_unit_drop_in unit = {.table_id = table_id, .unit = u->day};

	if (q_usage_drop(db, &usage, e) || q_billing_sum_drop(db, &sums, e))
		return e->code;
	return q_billing_unit_drop(db, &unit, e);
}

/* Widen [first, last] by the hours that the unit has now. */
static enum err_code widen(struct db *db, int64_t table_id, const struct billing_unit *u,
	struct rollup_range *range, struct err *e)
{
	struct q_usage_hours_in in = {.table_id = table_id, .unit = u->day};
	struct q_usage_hours row;
	struct arena a = {0};
	bool found;

	if (q_usage_hours_one(db, &in, &a, &row, &found, e))
		return e->code;
	if (found && row.first.set)
		rollup_widen(range, row.first.v, row.last.v);
	return E_OK;
}

enum err_code billing_store_unit(struct db *db, int64_t table_id,
	const struct billing_unit *u, const struct billing_batch *batch,
	const struct tz *tz, ts_t now, struct err *e)
{
	struct rollup_range range = ROLLUP_NOTHING;
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (check_batch(u, batch, e) || db_begin(db, &tx, e) ||
		widen(db, table_id, u, &range, e) || drop_unit(db, table_id, u, e) ||
		put_unit(db, table_id, u, now, e) || put_rows(db, table_id, u, batch, e) ||
		widen(db, table_id, u, &range, e) || rollup_days(db, tz, &range, e))
		return e->code;
	return db_commit(&tx, e);
}
