/* Windows in which actions are permitted: open now, and the next opening. */
#include "base/time/civil.h"
#include "rules/enforce/guard.h"

#define DAY_MINUTES (24 * 60)
/* Long enough for a weekly window in an hour that the clocks skip once. */
#define HORIZON (15 * DAY_SECONDS)

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

/* Is this a time that the clocks of the zone show twice, because they are or were set back? */
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
	return w->days & (1U << civil_weekday(day));
}

static bool window_inside(const struct enforce_window *w, struct local l)
{
	if (w->from < w->until)
		return has_day(w, l.day) && l.minute >= w->from && l.minute < w->until;
	/* past midnight: today's has begun, or yesterday's continues */
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
		if (window_inside(&en->windows[i], l))
			return true;
	return false;
}

/* ---- next opening ------------------------------------------------------------------------------ */

/* Minutes until the clocks show the beginning of a window, on any day. */
static int until_beginning(const struct enforcement *en, int minute)
{
	int least = DAY_MINUTES;

	for (size_t i = 0; i < en->n_windows; i++) {
		int wait = (en->windows[i].from - minute + DAY_MINUTES) % DAY_MINUTES;

		if (wait && wait < least)
			least = wait;
	}
	return least;
}

/* Clocks are changed at quarters of an hour (of UTC) all over the world. */
static int until_quarter(ts_t t)
{
	return 15 - (int)((t / 60 % 15 + 15) % 15);
}

/* Are the clocks of the zone changed near that time? */
static bool near_change(const struct tz *tz, ts_t t)
{
	int32_t here = tz_offset(tz, t);

	return tz_offset(tz, t - DAY_SECONDS) != here ||
		tz_offset(tz, t + DAY_SECONDS) != here;
}

ts_t window_next(const struct enforcement *en, const struct tz *tz, ts_t from)
{
	ts_t wall = from + tz_offset(tz, from), t = from - ((wall % 60 + 60) % 60);

	if (window_open(en, tz, from))
		return from;
	while (t < from + HORIZON) {
		int wait = until_beginning(en, local_of(t + tz_offset(tz, t)).minute);

		if (wait > until_quarter(t) && near_change(tz, t))
			wait = until_quarter(t);
		t += 60 * (ts_t)wait;
		if (window_open(en, tz, t))
			return t;
	}
	return TS_NONE;
}

ts_t window_wait(const struct enforcement *en, const struct tz *tz, ts_t due, ts_t now)
{
	ts_t at = due > now ? due : now, opens;

	if (!en || due == TS_NONE)
		return TS_NONE;
	opens = window_next(en, tz, at);
	return opens == at ? TS_NONE : opens;
}

const char *window_words(const struct tz *tz, ts_t opens, struct arena *a)
{
	static const char *const days[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
	char at[TZ_TIME_BUF];

	return arena_printf(a, "not before the window opens: %s %s (%s)",
		days[civil_weekday(tz_day(tz, opens))], tz_time(tz, opens, at),
		tz_name(tz));
}
