#include "rules/budget/budget.h"

#include "base/time/civil.h"
#include "db_sql.h"
#include "rules/price/price.h"

const char *budget_per_name(enum budget_per per)
{
	static const char *const names[] = {
		[BUDGET_MONTH] = "month",
		[BUDGET_WEEK] = "week",
		[BUDGET_DAY] = "day",
		[BUDGET_CUSTOM] = "custom",
	};

	return names[per];
}

void budget_period(
	const struct budget *b, const struct tz *tz, ts_t now, ts_t *starts, ts_t *ends)
{
	day_t first = tz_day(tz, now), days = 1;
	int year, month, day;

	if (b->per == BUDGET_CUSTOM) {
		*starts = b->starts;
		*ends = b->ends;
		return;
	}
	if (b->per == BUDGET_WEEK) {
		first -= civil_weekday(first);
		days = 7;
	} else if (b->per == BUDGET_MONTH) {
		civil_from_day(first, &year, &month, &day);
		first -= day - 1;
		days = civil_month_days(year, month);
	}
	*starts = tz_day_start(tz, first);
	*ends = tz_day_start(tz, first + days);
}

static ts_t budget_earlier(ts_t a, ts_t b)
{
	return a < b ? a : b;
}

static ts_t budget_later(ts_t a, ts_t b)
{
	return a > b ? a : b;
}

/* Figures before this moment are in the past. */
static ts_t budget_past_until(const struct budget_facts *f)
{
	return budget_earlier(f->now, f->ends);
}

ts_t budget_unbilled_from(const struct budget_facts *f, ts_t billed_until)
{
	ts_t from = budget_later(
		budget_later(billed_until, f->now - BUDGET_LAG_MAX), f->starts);

	return budget_earlier(from, budget_later(budget_past_until(f), f->starts));
}

static int64_t budget_seconds_left(const struct budget_facts *f)
{
	return budget_later(f->ends - budget_later(f->now, f->starts), 0);
}

/* Burn x seconds of all that ran until `t`. */
static __int128 budget_work_until(const struct budget_facts *f, ts_t t)
{
	__int128 sum = 0;

	for (size_t i = 0; i < f->n; i++)
		sum += (__int128)f->runs[i].per_hour *
			budget_later(
				budget_earlier(t, f->runs[i].until) - f->runs[i].from, 0);
	return sum;
}

/* expected + burn of the time left */
static struct opt_i64 budget_forecast(
	const struct budget_facts *f, int64_t expected, const struct burn_ahead *burn)
{
	struct opt_i64 rest = price_hours(
		burn_until(burn, budget_later(f->now, f->starts), f->ends));

	return rest.set && nanos_add(expected, rest.v, &rest.v) ? rest : NONE;
}

/* First second at which billed and unbilled together reach the amount. */
static ts_t budget_reached_unbilled(const struct budget_facts *f)
{
	__int128 want = (__int128)f->budget->amount.nanos - (f->spent.set ? f->spent.v : 0);
	ts_t low = f->starts, high = budget_past_until(f);

	/* between them the cost grows with time, and at `high` it is enough */
	while (low < high) {
		ts_t mid = low + (high - low) / 2;

		if (budget_work_until(f, mid) >= want * HOUR_SECONDS)
			high = mid;
		else
			low = mid + 1;
	}
	return high;
}

/* Moment when expected + burn reaches the amount; none: not in the period. */
static struct opt_i64 budget_runs_out(
	const struct budget_facts *f, int64_t expected, const struct burn_ahead *burn)
{
	int64_t amount = f->budget->amount.nanos;

	if (expected >= amount) {
		if (!f->spent.set || f->spent.v < amount)
			return SOME(budget_reached_unbilled(f));
		return f->passed.set ? f->passed : SOME(budget_past_until(f));
	}
	return burn_reaches(burn, budget_later(f->now, f->starts), f->ends,
		(__int128)amount - expected);
}

static struct opt_i64 budget_highest(
	const struct thresholds *t, int64_t value, int64_t amount)
{
	struct opt_i64 r = NONE;

	for (size_t i = 0; i < t->n; i++)
		if ((__int128)value * 100 >= (__int128)amount * t->at[i])
			r = SOME(t->at[i]);
	return r;
}

/* Billed amounts are certain; estimates may be off by so many thousandths. */
static bool budget_set_range(const struct budget_facts *f, struct row_budget_state *out)
{
	int64_t spent = f->spent.set ? f->spent.v : 0, estimated, low, high;
	int64_t off = f->error.v < 1000 ? f->error.v : 1000;

	if (!f->error.set)
		return true;
	if (!nanos_sub(out->forecast.v, spent, &estimated) ||
		!nanos_muldiv(estimated, 1000 - off, 1000, &low) ||
		!nanos_muldiv(estimated, 1000 + f->error.v, 1000, &high) ||
		!nanos_add(spent, low, &low) || !nanos_add(spent, high, &high))
		return false;
	out->forecast_low = SOME(low);
	out->forecast_high = SOME(high);
	return true;
}

struct opt_i64 budget_safe_per_day(int64_t left, int64_t seconds)
{
	int64_t per_day;

	return nanos_muldiv(left > 0 ? left : 0, DAY_SECONDS,
		       seconds > DAY_SECONDS ? seconds : DAY_SECONDS, &per_day)
		? SOME(per_day)
		: NONE;
}

/* None when the period has ended. */
static bool budget_set_safe(const struct budget_facts *f, struct row_budget_state *out)
{
	int64_t left = budget_seconds_left(f), rest;

	if (!left)
		return true;
	if (!nanos_sub(f->budget->amount.nanos, out->expected.v, &rest))
		return false;
	out->safe_per_day = budget_safe_per_day(rest, left);
	return out->safe_per_day.set;
}

bool budget_figures(const struct budget_facts *f, struct row_budget_state *out)
{
	const struct budget *b = f->budget;
	int64_t expected = f->spent.set ? f->spent.v : 0;

	out->forecast_low = out->forecast_high = out->safe_per_day = NONE;
	out->unbilled = price_hours(budget_work_until(f, budget_past_until(f)));
	if (!out->unbilled.set || !nanos_add(expected, out->unbilled.v, &expected))
		return false;
	out->expected = SOME(expected);
	out->forecast = budget_forecast(f, expected, &f->burn);
	out->forecast_if_stopped = budget_forecast(f, expected, &f->kept);
	if (!out->forecast.set || !out->forecast_if_stopped.set ||
		!budget_set_range(f, out) || !budget_set_safe(f, out))
		return false;
	out->runs_out = budget_runs_out(f, expected, &f->burn);
	out->runs_out_if_stopped = budget_runs_out(f, expected, &f->kept);
	out->reached = budget_highest(&b->alert_at, expected, b->amount.nanos);
	out->forecast_reached = budget_highest(
		&b->forecast_at, out->forecast.v, b->amount.nanos);
	return true;
}

/* ---- forecast of the burn ---------------------------------------------------------------------- */

/* A running resource counts until it ends by itself, reserved capacity from its begin. */
bool burn_add(struct burn_ahead *b, int64_t per_hour, struct opt_i64 begins,
	struct opt_i64 ends, struct arena *a)
{
	if (begins.set)
		*arena_push(a, b) = (struct burn_end){-per_hour, begins.v};
	else if (!nanos_add(b->per_hour, per_hour, &b->per_hour))
		return false;
	if (ends.set)
		*arena_push(a, b) = (struct burn_end){per_hour, ends.v};
	return true;
}

__int128 burn_until(const struct burn_ahead *b, ts_t from, ts_t t)
{
	__int128 sum = t > from ? (__int128)b->per_hour * (t - from) : 0;

	for (size_t i = 0; i < b->n; i++) {
		ts_t end = b->v[i].at > from ? b->v[i].at : from;

		if (t > end)
			sum -= (__int128)b->v[i].per_hour * (t - end);
	}
	return sum;
}

struct opt_i64 burn_reaches(
	const struct burn_ahead *b, ts_t from, ts_t until, __int128 nanos)
{
	__int128 want = nanos * HOUR_SECONDS;
	ts_t low = from, high = until;

	if (from > until || burn_until(b, from, until) < want)
		return NONE;
	/* between them the cost only grows, and at `high` it is enough */
	while (low < high) {
		ts_t mid = low + (high - low) / 2;

		if (burn_until(b, from, mid) >= want)
			high = mid;
		else
			low = mid + 1;
	}
	return SOME(high);
}
