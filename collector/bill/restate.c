#include "collector/bill/restate.h"

#include "base/time/civil.h"
#include "db_sql.h"

#include <string.h>

static enum err_code restate_read_day(struct restate *r, struct db *db, day_t day,
	struct restate_list *out, struct err *e)
{
	struct q_day_sums_in in = {.first = day, .last = day};
	struct q_day_sums row;
	struct db_rows rows;

	if (q_day_sums_open(db, &in, &rows, e))
		return e->code;
	while (q_day_sums_next(&rows, &row)) {
		*arena_push(&r->arena, out) = (struct restate_sum){
			.date = arena_strdup(&r->arena, row.date),
			.invoice_month = arena_strdup(&r->arena, row.invoice_month),
			.currency = arena_strdup(&r->arena, row.currency),
			.cost = row.cost,
			.credits = row.credits,
			.reported = row.ends + DAY_SECONDS <= r->now};
	}
	return db_rows_close(&rows, e);
}

/* Processes one day at a time, because sorting all days of an import would exceed the memory. */
static enum err_code restate_read_sums(struct restate *r, struct db *db,
	const struct tz *tz, const struct rollup_range *range, struct restate_list *out,
	struct err *e)
{
	day_t last = tz_day(tz, range->last);

	for (day_t d = tz_day(tz, range->first); d <= last; d++)
		if (restate_read_day(r, db, d, out, e))
			return e->code;
	return E_OK;
}

enum err_code restate_before(struct restate *r, struct db *db, const struct tz *tz,
	const struct rollup_range *range, struct err *e)
{
	r->before = (struct restate_list){0};
	return restate_read_sums(r, db, tz, range, &r->before, e);
}

static int restate_order(const struct restate_sum *a, const struct restate_sum *b)
{
	int d = strcmp(a->date, b->date);

	if (!d)
		d = strcmp(a->invoice_month, b->invoice_month);
	return d ? d : strcmp(a->currency, b->currency);
}

static bool had_figures(const struct restate *r, const char *date)
{
	for (size_t i = 0; i < r->before.n; i++)
		if (!strcmp(r->before.v[i].date, date))
			return true;
	return false;
}

/* The first figures of a day are not a restatement, nor is the first read of a table. Of a day that
 * was restated before, every change is recorded; otherwise the list would not add up. */
static enum err_code restate_is_news(
	struct restate *r, struct db *db, const char *date, bool *news, struct err *e)
{
	struct q_day_reported_in in = {.date = date, .now = r->now};
	struct q_day_reported row;
	bool found;

	if (q_day_reported_one(db, &in, NULL, &row, &found, e))
		return e->code;
	/* Partitions are stored one after the other: the first of this poll is not a report. */
	*news = row.restated ||
		(r->keep && had_figures(r, date) && (r->anew || row.before));
	return E_OK;
}

static enum err_code restate_put(struct restate *r, struct db *db,
	const struct restate_sum *old, const struct restate_sum *new, struct err *e)
{
	const struct restate_sum *any = new ? new : old;
	struct q_restatement_put_in in = {.at = r->now,
		.table_id = r->table_id,
		.old_cost = old ? old->cost : 0,
		.old_credits = old ? old->credits : 0,
		.new_cost = new ? new->cost : 0,
		.new_credits = new ? new->credits : 0};
	bool news = false;

	if (!any || !any->reported ||
		(in.old_cost == in.new_cost && in.old_credits == in.new_credits))
		return E_OK;
	if (restate_is_news(r, db, any->date, &news, e))
		return e->code;
	if (!news)
		return E_OK;
	in.date = any->date;
	in.invoice_month = any->invoice_month;
	in.currency = any->currency;
	return q_restatement_put(db, &in, e);
}

/* Both lists have the same order and are compared in one pass. */
static enum err_code restate_compare(
	struct restate *r, struct db *db, const struct restate_list *after, struct err *e)
{
	size_t i = 0, k = 0;

	while (i < r->before.n || k < after->n) {
		const struct restate_sum *old = i < r->before.n ? &r->before.v[i] : NULL;
		const struct restate_sum *new = k < after->n ? &after->v[k] : NULL;
		int d = !old ? 1 : !new ? -1 : restate_order(old, new);

		if (restate_put(r, db, d <= 0 ? old : NULL, d >= 0 ? new : NULL, e))
			return e->code;
		i += d <= 0;
		k += d >= 0;
	}
	return E_OK;
}

enum err_code restate_after(struct restate *r, struct db *db, const struct tz *tz,
	const struct rollup_range *range, struct err *e)
{
	struct restate_list after = {0};
	enum err_code rc = restate_read_sums(r, db, tz, range, &after, e);

	if (!rc)
		rc = restate_compare(r, db, &after, e);
	restate_done(r);
	return rc;
}

void restate_done(struct restate *r)
{
	arena_done(&r->arena);
}
