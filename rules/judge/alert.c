#include "rules/judge/alert.h"

#include "base/time/civil.h"

#include <string.h>

#define CLOCK_SLACK DAY_SECONDS /* tolerance for a clock that is wrong for a moment */

const char *alert_state_name(enum alert_state s)
{
	static const char *const names[] = {"none", "pending", "firing", "resolved"};

	return names[s];
}

const char *alert_data_name(enum alert_data d)
{
	static const char *const names[] = {"fresh", "stale", "unknown"};

	return names[d];
}

const char *alert_event_name(enum alert_event ev)
{
	static const char *const names[] = {
		"none", "firing", "worse", "repeat", "resolved"};

	return names[ev];
}

const char *severity_name(enum severity s)
{
	static const char *const names[] = {"info", "warning", "critical"};

	return names[s];
}

enum severity severity_parse(const char *word)
{
	enum severity s = SEVERITY_CRITICAL;

	while (s > SEVERITY_INFO && strcmp(severity_name(s), word) != 0)
		s--;
	return s;
}

int64_t alert_repeat(const struct rule *r, enum severity s)
{
	if (r->repeat)
		return r->repeat;
	return s == SEVERITY_CRITICAL ? 4 * HOUR_SECONDS : DAY_SECONDS;
}

static enum alert_event alert_say(struct alert *a, enum alert_event ev, ts_t now)
{
	a->said = now;
	a->said_as = a->severity;
	return ev;
}

static enum alert_event alert_goes_on(
	struct alert *a, const struct rule *r, const struct observation *o, ts_t now)
{
	bool worse = o->stage > a->stage;

	/* It keeps its worst stage: otherwise an oscillating figure would be reported each time. For the same reason
	 * the severity is compared with the reported one, which is not due again yet. */
	if (worse)
		a->stage = o->stage;
	if (o->severity > a->severity || !o->unsure)
		a->severity = o->severity;
	if (worse || a->severity > a->said_as)
		return alert_say(a, EVENT_WORSE, now);
	if (a->said != TS_NONE && now - a->said >= alert_repeat(r, a->said_as))
		return alert_say(a, EVENT_REPEAT, now);
	return EVENT_NONE;
}

static enum alert_event holds(
	struct alert *a, const struct rule *r, const struct observation *o, ts_t now)
{
	if (a->state == ALERT_NONE || a->state == ALERT_RESOLVED)
		*a = (struct alert){.state = ALERT_PENDING,
			.since = now,
			.last_true = now,
			.fired = TS_NONE,
			.resolved = TS_NONE,
			.said = TS_NONE};
	if (now > a->last_true)
		a->last_true = now;
	a->ceased = TS_NONE;
	if (a->state == ALERT_FIRING)
		return alert_goes_on(a, r, o, now);
	a->stage = o->stage;
	a->severity = o->severity;
	if (now - a->since < r->hold_for)
		return EVENT_NONE;
	a->state = ALERT_FIRING;
	a->fired = now;
	return alert_say(a, EVENT_FIRING, now);
}

/* A moment far ahead was written by a wrong clock: it would delay everything that is computed from
 * it, perhaps by years. */
static void not_far_ahead(ts_t *t, ts_t now)
{
	if (*t != TS_NONE && *t > now + CLOCK_SLACK)
		*t = now;
}

enum alert_event alert_step(
	struct alert *a, const struct rule *r, const struct observation *o, ts_t now)
{
	/* by a clock that was ahead: it need not have held then */
	bool misdated = a->last_true > now;
	bool over = a->last_true < o->begins && o->begins <= now;

	if (o->data != DATA_FRESH) {
		if (a->state == ALERT_PENDING || a->state == ALERT_FIRING)
			a->data = o->data;
		return EVENT_NONE;
	}
	a->data = DATA_FRESH;
	not_far_ahead(&a->since, now);
	not_far_ahead(&a->last_true, now);
	not_far_ahead(&a->ceased, now);
	not_far_ahead(&a->fired, now);
	not_far_ahead(&a->said, now);
	if (o->holds && over)
		a->state = ALERT_NONE;
	if (o->holds)
		return holds(a, r, o, now);
	if (a->state == ALERT_PENDING)
		a->state = ALERT_NONE;
	if (a->state != ALERT_FIRING)
		return EVENT_NONE;
	if (a->ceased == TS_NONE)
		a->ceased = now;
	if (!misdated && !over && now - a->ceased < r->keep_for)
		return EVENT_NONE;
	a->state = ALERT_RESOLVED;
	a->resolved = a->said = now;
	return EVENT_RESOLVED;
}
