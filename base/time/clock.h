/* Present time. Only a struct clock provides it, so that tests can control it. */
#ifndef TPUCOST_BASE_TIME_CLOCK_H
#define TPUCOST_BASE_TIME_CLOCK_H

#include "base/base.h"

/* Beginning of the cause of an error that is a wrong clock. */
#define CLOCK_IS "the clock of this machine is"

struct clock {
	ts_t (*now)(struct clock *c);        /* UTC seconds */
	int64_t (*mono_ms)(struct clock *c); /* monotonic milliseconds */
	void (*sleep_ms)(struct clock *c, int64_t ms);
	ts_t fake_now; /* used by the fake clock only */
	int64_t fake_mono_ms;
};

/* The machine's clock (static, shared, never freed). Sleeps with nanosleep. */
struct clock *clock_system(void);

/* A clock that stops at `now`; sleeping advances it. */
void clock_fake_init(struct clock *c, ts_t now);
void clock_fake_advance(struct clock *c, int64_t seconds);

static inline ts_t clock_now(struct clock *c)
{
	return c->now(c);
}

static inline int64_t clock_mono_ms(struct clock *c)
{
	return c->mono_ms(c);
}

static inline void clock_sleep_ms(struct clock *c, int64_t ms)
{
	c->sleep_ms(c, ms);
}

#endif
