/* The life of an alert: pending, firing, resolved. Pure: no database, no clock. */
#ifndef TPUCOST_RULES_JUDGE_ALERT_H
#define TPUCOST_RULES_JUDGE_ALERT_H

#include "rules/settings.h"

enum alert_state { ALERT_NONE, ALERT_PENDING, ALERT_FIRING, ALERT_RESOLVED };
/* Can the condition be judged now? */
enum alert_data { DATA_FRESH, DATA_STALE, DATA_UNKNOWN };
enum alert_event { EVENT_NONE, EVENT_FIRING, EVENT_WORSE, EVENT_REPEAT, EVENT_RESOLVED };

const char *alert_state_name(enum alert_state s); /* "pending" "firing" "resolved" */
const char *alert_data_name(enum alert_data d);   /* "fresh" "stale" "unknown" */
const char *alert_event_name(enum alert_event ev);
const char *severity_name(enum severity s);     /* "info" "warning" "critical" */
enum severity severity_parse(const char *word); /* SEVERITY_CRITICAL for unknown words */

/* Moments of the database: NULL is TS_NONE. */
static inline ts_t ts_of_opt(struct opt_i64 v)
{
	return v.set ? v.v : TS_NONE;
}

static inline struct opt_i64 opt_of_ts(ts_t t)
{
	return t == TS_NONE ? NONE : SOME(t);
}

struct alert {
	enum alert_state state;
	enum alert_data data;
	enum severity severity;
	ts_t since, last_true;      /* of the condition */
	ts_t fired, resolved, said; /* TS_NONE: not yet */
	int64_t stage;
};

/* What one judgement found. */
struct observation {
	bool holds; /* says nothing unless data is fresh */
	enum alert_data data;
	enum severity severity; /* if it holds */
	int64_t stage;
};

/* The next state of an alert, and what is to be said about it.
 *
 * Only fresh data moves an alert: what is stale or unknown neither fires nor resolves
 * anything, and time goes on meanwhile. A rule without `for` fires at once. One that fires
 * says so again when its stage or severity grows (they do not shrink while it fires), and every
 * `repeat` seconds. What was pending and holds no more is ALERT_NONE again: it was never said.
 * Moments more than a day after `now` are of a clock that was wrong then, and become `now`. */
enum alert_event alert_step(
	struct alert *a, const struct rule *r, const struct observation *o, ts_t now);

/* Seconds between messages of one that fires: as configured, else 24 h, critical 4 h. */
int64_t alert_repeat(const struct rule *r, enum severity s);

#endif
