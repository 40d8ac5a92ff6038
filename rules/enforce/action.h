/* What is done to a machine: its states, and what is known of it while it is under way.
 *
 *   pending -> warning -> grace -> recheck -> intent -> sent -> verify -> done
 *                                                         \-> unknown -> verify
 * ends: done, failed, superseded (another machine, another start, another rule text), cleared (the
 * condition does not hold any more, or it is exempt). A guard that says no leaves the state as it
 * is, with `held`: the view `actions` shows those as "held". */
#ifndef TPUCOST_RULES_ENFORCE_ACTION_H
#define TPUCOST_RULES_ENFORCE_ACTION_H

#include "base/err.h"
#include "base/mem.h"
#include "rules/settings.h"

enum action_state {
	ACTION_PENDING, /* the rule's condition holds, not yet for its time */
	ACTION_WARNING, /* it fires; no channel has taken the warning yet */
	ACTION_GRACE,   /* warned; until `due` */
	ACTION_RECHECK, /* grace is over */
	ACTION_INTENT,  /* written down, perhaps sent */
	ACTION_SENT,    /* Google has it */
	ACTION_VERIFY,  /* Google says that it is done; is it? */
	ACTION_UNKNOWN, /* no answer: perhaps it happened */
	ACTION_DONE,
	ACTION_FAILED,
	ACTION_SUPERSEDED,
	ACTION_CLEARED,
};
#define ACTION_STATES 12

const char *action_state_name(enum action_state s);
enum action_state action_state_of(const char *name); /* ACTION_CLEARED for unknown words */
bool action_over(enum action_state s);
/* From INTENT until its end is known: something may be happening to the machine. */
bool action_in_flight(enum action_state s);

enum verb { VERB_STOP, VERB_DELETE };
const char *verb_name(enum verb v);  /* "stop" */
const char *verb_past(enum verb v);  /* "stopped" */
enum verb verb_of(const char *word); /* VERB_STOP for unknown words */

/* What is acted on. */
struct target {
	const char *id;  /* of the view resources */
	const char *uid; /* Google's numeric id */
	const char *
		source; /* vm tpu queued: whose API it is; a TPU can be a Compute instance */
	const char *kind; /* vm tpu queued */
	const char *project, *location, *name;
};

struct action {
	int64_t number;
	struct target t;
	const char *rule, *policy, *held, *reason;
	ts_t started; /* TS_NONE: not known */
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
};

#endif
