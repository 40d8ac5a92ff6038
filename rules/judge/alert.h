/* Life cycle of an alert: pending, firing, resolved. Pure: no database, no clock. */
#ifndef TPUCOST_RULES_JUDGE_ALERT_H
#define TPUCOST_RULES_JUDGE_ALERT_H

#include "rules/settings.h"

enum alert_state { ALERT_NONE, ALERT_PENDING, ALERT_FIRING, ALERT_RESOLVED };
/* Can the condition be evaluated now? */
enum alert_data { DATA_FRESH, DATA_STALE, DATA_UNKNOWN };
enum alert_event { EVENT_NONE, EVENT_FIRING, EVENT_WORSE, EVENT_REPEAT, EVENT_RESOLVED };

const char *alert_state_name(enum alert_state s); /* "pending" "firing" "resolved" */
const char *alert_data_name(enum alert_data d);   /* "fresh" "stale" "unknown" */
const char *alert_event_name(enum alert_event ev);
const char *severity_name(enum severity s);     /* "info" "warning" "critical" */
enum severity severity_parse(const char *word); /* SEVERITY_CRITICAL for unknown words */

struct alert {
	enum alert_state state;
	enum alert_data data;
	enum severity severity;
	ts_t since, last_true;      /* of the condition */
	ts_t ceased;                /* fresh data contradicts it since then; TS_NONE: not */
	ts_t fired, resolved, said; /* TS_NONE: not yet */
	enum severity said_as;      /* that of the newest message */
	int64_t stage;
};

/* Result of one evaluation. */
struct observation {
	bool holds; /* undefined unless data is fresh */
	enum alert_data data;
	enum severity severity; /* if it holds */
	bool unsure;            /* it may be critical: that is unknown */
	int64_t stage;
	ts_t begins; /* of its period; 0: it has none */
	bool worse;  /* it does not hold because it became worse */
};

/* Compute the next state of an alert, and the event to report.
 *
 * Only fresh data changes an alert: stale or unknown data neither fires nor resolves it, although
 * time passes: `for` and `keep_for` begin and end at evaluations on fresh data. A rule without `for` fires at
 * once. A firing alert is reported again when its stage grows (it does not shrink while it fires), when its
 * severity is above that of the newest message, and every `repeat` seconds of that severity. A pending
 * alert whose condition no longer holds becomes ALERT_NONE again: it was never reported. An alert that last held
 * before the present period began ends at once, or begins again. Times more
 * than a day after `now` come from a clock that was wrong then, and become `now`; an alert that held only in the
 * future ends at once. */
enum alert_event alert_step(
	struct alert *a, const struct rule *r, const struct observation *o, ts_t now);

/* Seconds between messages of a firing alert: as configured, else 24 h, critical 4 h. */
int64_t alert_repeat(const struct rule *r, enum severity s);

#endif
