#include "collector/bill/store.h"

#include "base/time/civil.h"
#include "base/time/tz.h"
#include "collector/bill/sql.h"
#include "collector/bill/restate.h"
#include "db/rollup/rollup.h"
#include "db_sql.h"

#include <stdlib.h>
#include <string.h>

enum err_code billing_unit_add_sum(struct arena *a, struct billing_unit *u,
	const struct billing_sum *sum, struct err *e)
{
	if (billing_unit_sum(u, sum->currency))
		return err_set(
			e, E_DATA, "currency %s occurs twice in one unit", sum->currency);
	*arena_append(a, u->sums, u->n_sums, u->cap_sums) = *sum;
	return E_OK;
}

/* ---- comparing ---------------------------------------------------------------------------- */

/* *fell: less than half of the cost in a currency is left. */
static enum err_code sums_stored(struct db *db, int64_t table_id,
	const struct billing_unit *u, bool *same, bool *fell, struct err *e)
{
	struct q_billing_sum_list_in in = {.table_id = table_id, .unit = u->day};
	struct q_billing_sum_list row;
	struct db_rows rows;
	size_t n = 0;

	*same = true;
	*fell = false;
	if (q_billing_sum_list_open(db, &in, &rows, e))
		return e->code;
	while (q_billing_sum_list_next(&rows, &row)) {
		const struct billing_sum *s = billing_unit_sum(u, row.currency);

		n++;
		if (!s || s->cost != row.cost || s->credits != row.credits)
			*same = false;
		*fell |= row.cost > 0 && (s ? s->cost : 0) < row.cost / 2;
	}
	if (n != u->n_sums)
		*same = false;
	return db_rows_close(&rows, e);
}

enum err_code billing_unit_compare(struct db *db, int64_t table_id, int64_t recipe,
	const struct billing_unit *u, enum billing_change *out, struct err *e)
{
	struct q_billing_unit_get_in in = {.table_id = table_id, .unit = u->day};
	struct q_billing_unit_get row;
	bool found, same, fell;

	if (q_billing_unit_get_one(db, &in, NULL, &row, &found, e) ||
		sums_stored(db, table_id, u, &same, &fell, e))
		return e->code;
	if (!found)
		*out = BILLING_NEW;
	else if (row.recipe != recipe)
		*out = BILLING_CHANGED;
	else if (u->rows < row.row_count / 2 || (u->rows < row.row_count && fell))
		*out = BILLING_SHRUNK;
	else if (same && row.row_count == u->rows && row.exported == u->exported &&
		!row.gone)
		*out = BILLING_SAME;
	else
		*out = BILLING_CHANGED;
	return E_OK;
}

/* ---- stage --------------------------------------------------------------------------------- */

static struct billing_unit *store_unit_of(struct billing_unit *units, size_t n, int64_t day)
{
	for (size_t i = n; i > 0; i--)
		if (units[i - 1].day == day)
			return &units[i - 1];
	return NULL;
}

static bool adds_up(const struct billing_unit *want, const struct billing_unit *got)
{
	if (!got)
		return !want->rows;
	if (want->rows != got->rows || want->n_sums != got->n_sums)
		return false;
	for (size_t i = 0; i < want->n_sums; i++) {
		const struct billing_sum *s = billing_unit_sum(got, want->sums[i].currency);

		if (!s || s->cost != want->sums[i].cost ||
			s->credits != want->sums[i].credits)
			return false;
	}
	return true;
}

/* The received lines must match the row count and sums of the export exactly. */
static enum err_code check_staged(const struct billing_store *s,
	const struct billing_unit *units, size_t n, struct arena *a, struct err *e)
{
	struct billing_unit *staged;
	char date[DATE_BUF];
	size_t count;

	if (billing_units_staged(s->db, a, &staged, &count, e))
		return e->code;
	for (size_t i = 0; i < n; i++) {
		const struct billing_unit *got = store_unit_of(staged, count, units[i].day);

		if (adds_up(&units[i], got))
			continue;
		err_set(e, E_CONFLICT,
			"export day %s is inconsistent (%lld of %lld rows): the export was "
			"loaded during the read",
			date_format(units[i].day, date), got ? (long long)got->rows : 0LL,
			(long long)units[i].rows);
		return err_fix(e, "nothing was changed; the next poll reads it again");
	}
	return E_OK;
}

static enum err_code check_overlap(const struct billing_store *s, struct err *e)
{
	struct q_billing_overlap_in in = {
		.table_id = s->table_id, .batch = s->batch ? s->batch : -1};
	cleanup(arena_done) struct arena a = {0};
	struct q_billing_overlap row;
	char date[DATE_BUF];
	bool found = false;

	if (!s->may_overlap && q_billing_overlap_one(s->db, &in, &a, &row, &found, e))
		return e->code;
	if (!found)
		return E_OK;
	err_set(e, E_CONFLICT,
		"usage of %s (billing account %s) exists already, from %s: costs "
		"would count twice",
		date_format((day_t)row.day, date), *row.account ? row.account : "unknown",
		row.name);
	if (s->other)
		*s->other = arena_strdup(s->arena, row.name);
	return err_fix(e,
		"remove one of the two (tpucost db forget '%s'), or set a first "
		"and last day for both (billing: from, until)",
		row.name);
}

/* ---- days ----------------------------------------------------------------------------------- */

struct day_list {
	day_t *v;
	size_t n, cap;
};

static int store_by_day(const void *pa, const void *pb)
{
	return i64_order(*(const day_t *)pa, *(const day_t *)pb);
}

/* Usage days (UTC) of the stored units, and of the staged units. */
static enum err_code days_touched(const struct billing_store *s,
	const struct billing_unit *units, size_t n, struct arena *a, struct day_list *out,
	struct err *e)
{
	struct q_stage_days staged;
	struct q_billing_days_of old;
	struct db_rows rows;

	for (size_t i = 0; i < n; i++) {
		struct q_billing_days_of_in in = {
			.table_id = s->table_id, .unit = units[i].day};

		if (q_billing_days_of_open(s->db, &in, &rows, e))
			return e->code;
		while (q_billing_days_of_next(&rows, &old))
			*arena_push(a, out) = (day_t)old.day;
		if (db_rows_close(&rows, e))
			return e->code;
	}
	if (q_stage_days_open(s->db, &rows, e))
		return e->code;
	while (q_stage_days_next(&rows, &staged))
		*arena_push(a, out) = (day_t)staged.day;
	if (out->n)
		qsort(out->v, out->n, sizeof(*out->v), store_by_day);
	return db_rows_close(&rows, e);
}

/* ---- writing ------------------------------------------------------------------------------ */

static enum err_code drop_unit(
	const struct billing_store *s, const struct billing_unit *u, struct err *e)
{
	struct q_billing_days_of_in in = {.table_id = s->table_id, .unit = u->day};
	struct q_billing_unit_drop_in unit = {.table_id = s->table_id, .unit = u->day};
	struct q_billing_days_of row;
	struct db_rows rows;
	enum err_code rc = E_OK;

	if (q_billing_days_of_open(s->db, &in, &rows, e))
		return e->code;
	while (!rc && q_billing_days_of_next(&rows, &row)) {
		struct q_usage_drop_in usage = {.table_id = s->table_id,
			.unit = u->day,
			.from = row.day * DAY_SECONDS,
			.until = (row.day + 1) * DAY_SECONDS};

		rc = q_usage_drop(s->db, &usage, e);
	}
	return db_rows_end(&rows, rc, e) ? e->code : q_billing_unit_drop(s->db, &unit, e);
}

static enum err_code put_unit(
	const struct billing_store *s, const struct billing_unit *u, struct err *e)
{
	struct q_billing_unit_put_in in = {.table_id = s->table_id,
		.unit = u->day,
		.row_count = u->rows,
		.exported = u->exported,
		.ingested = s->now,
		.recipe = s->recipe};

	if (q_billing_unit_put(s->db, &in, e))
		return e->code;
	for (size_t i = 0; i < u->n_sums; i++) {
		struct q_billing_sum_put_in sum = {.table_id = s->table_id,
			.unit = u->day,
			.currency = u->sums[i].currency,
			.cost = u->sums[i].cost,
			.credits = u->sums[i].credits,
			.rounding = u->sums[i].rounding};

		if (q_billing_sum_put(s->db, &sum, e))
			return e->code;
	}
	return E_OK;
}

static enum err_code replace(const struct billing_store *s,
	const struct billing_unit *units, size_t n, struct err *e)
{
	struct q_stage_take_in take = {.table_id = s->table_id};
	struct q_billing_day_fill_in days = {.table_id = s->table_id};
	enum err_code rc;

	for (size_t i = 0; i < n; i++)
		if (drop_unit(s, &units[i], e))
			return e->code;
	/* Staging resolved every reference, and check_known checks each of them once; a check for
	 * each row takes more time than storing the row. */
	db_mind_references(s->db, false);
	rc = q_stage_take(s->db, &take, e);
	db_mind_references(s->db, true);
	if (rc)
		return rc;
	for (size_t i = 0; i < n; i++)
		if (put_unit(s, &units[i], e))
			return e->code;
	return q_billing_day_fill(s->db, &days, e);
}

/* Reports whether one of these units was stored before this poll. */
static enum err_code stored_before(const struct billing_store *s,
	const struct billing_unit *units, size_t n, bool *out, struct err *e)
{
	*out = false;
	for (size_t i = 0; i < n && !*out; i++) {
		struct q_billing_unit_get_in in = {
			.table_id = s->table_id, .unit = units[i].day};
		struct q_billing_unit_get row;
		bool found;

		if (q_billing_unit_get_one(s->db, &in, NULL, &row, &found, e))
			return e->code;
		*out = found && row.ingested != s->now;
	}
	return E_OK;
}

/* Checks that all names exist to which the costs of these days refer. */
static enum err_code check_known(
	const struct billing_store *s, const struct rollup_range *range, struct err *e)
{
	struct q_cost_day_unknown_in in = {
		.first = tz_day(s->tz, range->first), .last = tz_day(s->tz, range->last)};
	struct q_cost_day_unknown row;
	bool found;

	if (q_cost_day_unknown_one(s->db, &in, NULL, &row, &found, e))
		return e->code;
	return found ? err_set(e, E_BUG, "usage refers to missing names") : E_OK;
}

/* Sums up the calendar days of [list[from], list[to]], and records their changes. */
static enum err_code roll_up_run(const struct billing_store *s, const struct day_list *l,
	size_t from, size_t to, struct restate *r, struct err *e)
{
	struct rollup_range range = {.first = l->v[from] * DAY_SECONDS,
		.last = (l->v[to] + 1) * DAY_SECONDS - 1};

	if ((!s->other_days && restate_before(r, s->db, s->tz, &range, e)) ||
		rollup_days(s->db, s->tz, &range, e) || check_known(s, &range, e))
		return e->code;
	return s->other_days ? E_OK : restate_after(r, s->db, s->tz, &range, e);
}

static enum err_code store_roll_up(
	const struct billing_store *s, const struct day_list *l, bool anew, struct err *e)
{
	struct restate r = {
		.table_id = s->table_id, .now = s->now, .keep = s->restates, .anew = anew};
	enum err_code rc = E_OK;
	size_t from = 0;

	for (size_t i = 0; !rc && i < l->n; i++)
		if (i + 1 == l->n || l->v[i + 1] > l->v[i] + 1) {
			rc = roll_up_run(s, l, from, i, &r, e);
			from = i + 1;
		}
	restate_done(&r);
	return rc;
}

enum err_code billing_store(const struct billing_store *s, const struct billing_unit *units,
	size_t n, struct err *e)
{
	cleanup(arena_done) struct arena a = {0};
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct day_list days = {0};
	bool anew = false;

	/* The steps after the third need the days of the staged lines, which are slow to find. */
	if ((!s->as_staged && check_staged(s, units, n, &a, e)) ||
		db_begin(s->db, &tx, e) || q_stage_day_fill(s->db, e) ||
		check_overlap(s, e) || days_touched(s, units, n, &a, &days, e) ||
		stored_before(s, units, n, &anew, e) || replace(s, units, n, e) ||
		store_roll_up(s, &days, anew, e))
		return e->code;
	return db_commit(&tx, e);
}

/* ---- removal -------------------------------------------------------------------------------- */

static enum err_code forget_table(
	struct billing_store *s, struct arena *a, size_t *n, struct err *e)
{
	struct q_billing_units_from_in in = {.table_id = s->table_id, .since = INT64_MIN};
	struct q_billing_table_forget_in table = {.table_id = s->table_id};
	cleanup(db_tx_end) struct db_tx tx = {0};
	struct q_billing_units_from *rows;
	struct billing_unit *units;

	/* Lines that an interrupted poll or import left in the stage must not be stored. */
	if (db_begin(s->db, &tx, e) || q_stage_clear(s->db, e) ||
		q_billing_units_from_all(s->db, &in, a, &rows, n, e))
		return e->code;
	units = arena_alloc(a, *n * sizeof(*units));
	for (size_t i = 0; i < *n; i++)
		units[i].day = (day_t)rows[i].unit;
	if (billing_store(s, units, *n, e) || q_billing_table_forget(s->db, &table, e))
		return e->code;
	return db_commit(&tx, e);
}

/* The name as listed, or the path of a file if it is unique. */
static enum err_code find_table(
	struct db *db, const char *name, struct arena *a, int64_t *table_id, struct err *e)
{
	struct q_billing_table_named_in in = {.name = name};
	struct q_billing_table_named *rows;
	size_t n;

	if (q_billing_table_named_all(db, &in, a, &rows, &n, e))
		return e->code;
	if (n && (n == 1 || !strcmp(rows[0].name, name))) {
		*table_id = rows[0].table_id;
		return E_OK;
	}
	err_set(e, n ? E_CONFLICT : E_NOTFOUND,
		n ? "more than one file '%s'" : "no table or file '%s'", name);
	return err_fix(e, "use a name from: tpucost db list");
}

enum err_code billing_forget(struct db *db, const struct tz *tz, ts_t now, const char *name,
	size_t *units, struct err *e)
{
	struct billing_store s = {
		.db = db, .tz = tz, .now = now, .restates = true, .may_overlap = true};
	cleanup(arena_done) struct arena a = {0};

	return find_table(db, name, &a, &s.table_id, e) ? e->code
							: forget_table(&s, &a, units, e);
}
