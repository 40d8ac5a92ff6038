#include "base/civil.h"
#include "rules/guard.h"

struct local {
	day_t day;
	int minute;
};

static struct local local_of(ts_t wall)
{
	int64_t day = wall / DAY_SECONDS - (wall % DAY_SECONDS < 0);

	return (struct local){
		.day = (day_t)day, .minute = (int)((wall - day * DAY_SECONDS) / 60)};
}

/* Do the clocks of the zone show this time twice, because they are or were set back? */
static bool shown_twice(const struct tz *tz, ts_t now)
{
	int32_t here = tz_offset(tz, now);
	const int32_t others[] = {
		tz_offset(tz, now - DAY_SECONDS), tz_offset(tz, now + DAY_SECONDS)};

	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		ts_t other = now + here - others[i];

		if (others[i] != here && tz_offset(tz, other) == others[i])
			return true;
	}
	return false;
}

static bool has_day(const struct enforce_window *w, day_t day)
{
	int weekday = (int)(((int64_t)day % 7 + 7 + 3) % 7); /* 1970-01-01 was a Thursday */

	return w->days & (1U << weekday);
}

static bool inside(const struct enforce_window *w, struct local l)
{
	if (w->from < w->until)
		return has_day(w, l.day) && l.minute >= w->from && l.minute < w->until;
	/* over midnight: today's has begun, or yesterday's goes on */
	return (has_day(w, l.day) && l.minute >= w->from) ||
		(has_day(w, l.day - 1) && l.minute < w->until);
}

bool window_open(const struct enforcement *en, const struct tz *tz, ts_t now)
{
	struct local l = local_of(now + tz_offset(tz, now));

	if (!en->n_windows)
		return true;
	if (shown_twice(tz, now))
		return false;
	for (size_t i = 0; i < en->n_windows; i++)
		if (inside(&en->windows[i], l))
			return true;
	return false;
}
