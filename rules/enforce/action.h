/* Actions on machines: the states, and the facts known about one in progress.
 *
 *   pending -> warning -> grace -> recheck -> intent -> sent -> verify -> done
 *                                                         \-> unknown -> verify
 * End states: done, failed, superseded (another machine, another start, another rule text), cleared
 * (the condition no longer holds, or the machine is exempt). A guard that blocks an action does not
 * change its state, but sets `held`: the view `actions` shows it as "held". */
#ifndef TPUCOST_RULES_ENFORCE_ACTION_H
#define TPUCOST_RULES_ENFORCE_ACTION_H

#include "base/err.h"
#include "base/mem.h"
#include "rules/settings.h"

enum action_state {
	ACTION_PENDING, /* the rule's condition holds, but not yet for its time */
	ACTION_WARNING, /* the rule fires; no channel has accepted the warning yet */
	ACTION_GRACE,   /* warned; until `due` */
	ACTION_RECHECK, /* the grace period has ended */
	ACTION_INTENT,  /* recorded, perhaps sent */
	ACTION_SENT,    /* Google has accepted it */
	ACTION_VERIFY,  /* Google reports it as done; to be confirmed */
	ACTION_UNKNOWN, /* no answer: it may have happened */
	ACTION_DONE,
	ACTION_FAILED,
	ACTION_SUPERSEDED,
	ACTION_CLEARED,
};
#define ACTION_STATES 12

const char *action_state_name(enum action_state s);
enum action_state action_state_of(const char *name); /* ACTION_CLEARED for unknown words */
bool action_over(enum action_state s);
/* True from INTENT until the outcome is known: the machine may be changing. */
bool action_in_flight(enum action_state s);

enum verb { VERB_STOP, VERB_DELETE };
const char *verb_name(enum verb v);  /* "stop" */
const char *verb_past(enum verb v);  /* "stopped" */
enum verb verb_of(const char *word); /* VERB_STOP for unknown words */

/* Resource that an action applies to. */
struct target {
	const char *id;  /* of the view resources */
	const char *uid; /* Google's numeric id */
	const char *
		source; /* vm tpu queued: name of its API; a TPU can be a Compute instance */
	const char *kind; /* vm tpu queued */
	const char *project, *location, *name;
};

struct action {
	int64_t number;
	struct target t;
	const char *rule, *policy, *held, *reason;
	ts_t started; /* TS_NONE: unknown */
	enum verb verb;
	bool armed; /* else a dry run */
	enum severity severity;
	enum action_state state;
	ts_t since, began, warned, due, approved, next_at, intent, sent,
		ended; /* TS_NONE */
	int64_t attempts;
	const char *request_id, *operation, *record, *restart; /* NULL until known */
	struct opt_i64 saves, residual;                        /* nano-units an hour */
	const char *currency;                                  /* or NULL */
	const char *remains; /* residual in each currency, now; NULL: unknown, not read */
};

#endif
