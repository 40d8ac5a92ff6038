#include "base/time/clock.h"

#include <errno.h>
#include <time.h>

static ts_t system_now(struct clock *c)
{
	(void)c;
	return (ts_t)time(NULL);
}

static int64_t system_mono_ms(struct clock *c)
{
	struct timespec ts;

	(void)c;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Sleep; if a signal interrupts, *ts is the remaining time. */
static bool interrupted(struct timespec *ts)
{
	if (!nanosleep(ts, ts))
		return false;
	return errno == EINTR; /* no other error is possible */
}

static void system_sleep_ms(struct clock *c, int64_t ms)
{
	struct timespec ts = {
		.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};

	(void)c;
	while (ms > 0 && interrupted(&ts))
		;
}

struct clock *clock_system(void)
{
	static struct clock c = {
		.now = system_now, .mono_ms = system_mono_ms, .sleep_ms = system_sleep_ms};

	return &c;
}

static ts_t fake_now(struct clock *c)
{
	return c->fake_now;
}

static int64_t fake_mono_ms(struct clock *c)
{
	return c->fake_mono_ms;
}

static void fake_sleep_ms(struct clock *c, int64_t ms)
{
	int64_t before = c->fake_mono_ms / 1000;

	if (ms <= 0)
		return;
	c->fake_mono_ms += ms;
	c->fake_now += c->fake_mono_ms / 1000 - before;
}

void clock_fake_init(struct clock *c, ts_t now)
{
	*c = (struct clock){.now = fake_now,
		.mono_ms = fake_mono_ms,
		.sleep_ms = fake_sleep_ms,
		.fake_now = now};
}

void clock_fake_advance(struct clock *c, int64_t seconds)
{
	c->fake_now += seconds;
	c->fake_mono_ms += seconds * 1000;
}
