/* Forecast of the burn: of what runs now, until each resource ends by itself, and
 * of reserved capacity from its begin. */
#include "rules/budget/budget.h"

#include "base/time/civil.h"

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
