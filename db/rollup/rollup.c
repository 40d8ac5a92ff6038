#include "db/rollup/rollup.h"

#include "base/time/civil.h"
#include "base/mem.h"
#include "db/rollup/day_sums.h"
#include "db_sql.h"

void rollup_widen(struct rollup_range *r, ts_t first, ts_t last)
{
	if (first < r->first)
		r->first = first;
	if (last > r->last)
		r->last = last;
}

/* Day by day: what is sorted stays in the processor's cache, and years would not stay in memory. */
static enum err_code fill_day(
	struct db *db, const struct tz *tz, struct ref_sums *sums, day_t day, struct err *e)
{
	char date[DATE_BUF];
	struct q_calendar_put_in in = {.day = day,
		.date = date_format(day, date),
		.starts = tz_day_start(tz, day),
		.ends = tz_day_start(tz, day + 1)};
	struct q_project_day_fill_in project = {day, day};
	struct q_account_day_fill_in account = {day, day};

	if (q_calendar_put(db, &in, e) ||
		day_sums_fill(sums, db, day, in.starts, in.ends, e) ||
		q_project_day_fill(db, &project, e))
		return e->code;
	return q_account_day_fill(db, &account, e);
}

static enum err_code fill_days(
	struct db *db, const struct tz *tz, day_t first, day_t last, struct err *e)
{
	cleanup(ref_sums_done) struct ref_sums sums = {0};

	for (day_t d = first; d <= last; d++)
		if (fill_day(db, tz, &sums, d, e))
			return e->code;
	return E_OK;
}

enum err_code rollup_days(
	struct db *db, const struct tz *tz, const struct rollup_range *range, struct err *e)
{
	struct q_cost_day_drop_in cost;
	struct q_credit_day_drop_in credit;
	struct q_project_day_drop_in project;
	struct q_account_day_drop_in account;
	cleanup(db_tx_end) struct db_tx tx = {0};

	if (range->first > range->last)
		return E_OK;
	cost.first = tz_day(tz, range->first);
	cost.last = tz_day(tz, range->last);
	credit = (struct q_credit_day_drop_in){cost.first, cost.last};
	project = (struct q_project_day_drop_in){cost.first, cost.last};
	account = (struct q_account_day_drop_in){cost.first, cost.last};
	if (db_begin(db, &tx, e) || q_cost_day_drop(db, &cost, e) ||
		q_credit_day_drop(db, &credit, e) || q_project_day_drop(db, &project, e) ||
		q_account_day_drop(db, &account, e) ||
		fill_days(db, tz, (day_t)cost.first, (day_t)cost.last, e))
		return e->code;
	return db_commit(&tx, e);
}

static ts_t last_second_of_day(ts_t at)
{
	ts_t past = at % DAY_SECONDS;

	return at - past + (past < 0 ? 0 : DAY_SECONDS) - 1;
}

/* The days (UTC) with usage from an instant on, as far as they follow each other. */
static enum err_code next_stretch(
	struct db *db, ts_t from, struct rollup_range *out, struct err *e)
{
	struct q_usage_next_in in = {.from = from};
	struct q_usage_next row;
	struct arena a = {0};
	bool found;

	for (;;) {
		if (q_usage_next_one(db, &in, &a, &row, &found, e))
			return e->code;
		if (!found || !row.hour.set ||
			(out->first <= out->last && row.hour.v > out->last + DAY_SECONDS))
			return E_OK;
		rollup_widen(out, row.hour.v, last_second_of_day(row.hour.v));
		in.from = out->last + 1;
	}
}

enum err_code rollup_all(struct db *db, const struct tz *tz, struct err *e)
{
	ts_t from = INT64_MIN;

	if (q_cost_day_clear(db, e) || q_project_day_clear(db, e) ||
		q_account_day_clear(db, e) || q_credit_day_clear(db, e) ||
		q_calendar_clear(db, e))
		return e->code;
	/* A line of a wrong year does not fill the calendar with all the days to there. */
	for (;;) {
		struct rollup_range range = ROLLUP_NOTHING;

		if (next_stretch(db, from, &range, e))
			return e->code;
		if (range.first > range.last)
			return E_OK;
		if (rollup_days(db, tz, &range, e))
			return e->code;
		from = range.last + 1;
	}
}
