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

/* The step of the rule with that action; NULL: it has none. `r` may be NULL. */
const struct rule_action *enforce_step(const struct rule *r, enum verb verb);
/* When the second step of the rule follows the first one, done at `at`; TS_NONE: there is none. */
ts_t enforce_later(const struct rule *r, enum verb verb, ts_t at);
/* When the warning of a step is due that began then, and the action itself. Example: {after: 7d, grace:
 * 1d}, stopped on Monday at 12:00: warned on Sunday at 12:00, deleted on Monday at 12:00; if no channel
 * accepts the warning before Sunday at 18:00, on Monday at 18:00. */
static inline ts_t step_warns(const struct rule_action *s, ts_t began)
{
	return began + s->after - s->grace;
}
static inline ts_t step_due(const struct rule_action *s, ts_t began, ts_t warned)
{
	return warned > step_warns(s, began) ? warned + s->grace : began + s->after;
}

/* Resource that an action applies to. */
struct target {
	const char *id;  /* of the view resources */
	const char *uid; /* Google's numeric id */
	/* vm tpu queued slice: name of its API; a TPU can be a Compute instance, or a managed
	 * instance group */
	const char *source;
	const char *kind; /* vm tpu queued */
	const char *project, *location, *name;
	/* of source slice: "zones/Z/instanceGroupManagers/NAME", or of a region; of a whole node pool of
	 * Kubernetes Engine "locations/L/clusters/C/nodePools/NAME"; else NULL */
	const char *group;
};
bool target_is_pool(const struct target *t);

/* Facts that decide whether a resource can be stopped. */
struct stop_facts {
	const char *kind, *source; /* as of a target */
	const char *type;          /* NULL: unknown; may have more hosts than are listed */
	int64_t hosts;             /* 0: unknown */
	bool queued;               /* a queued resource made it */
	bool spot, flex_start;
};

/* "a spot TPU": a running resource that can only be deleted; NULL: it can be stopped. Slices of several hosts, spot TPUs
 * and queued ones cannot be stopped (Cloud TPU documentation, "Manage TPU resources"; reference: nodes.stop), nor can
 * flex-start machines; another Compute instance can. */
const char *only_deleted(const struct stop_facts *f);
/* Hosts that the name of a TPU type states; 0: none. */
int64_t hosts_of_type(const char *type);

struct action {
	int64_t number;
	int64_t follows; /* of a second step: number of the action that stopped it; else 0 */
	struct target t;
	const char *rule, *policy, *held, *reason;
	ts_t started; /* TS_NONE: unknown */
	enum verb verb;
	bool armed; /* else a dry run */
	bool dead;  /* it does not run, as of the last poll */
	enum severity severity;
	enum action_state state;
	ts_t since, began, warned, due, approved, next_at, intent, sent,
		ended; /* TS_NONE */
	int64_t attempts;
	int64_t epoch; /* of the lease in which it is sent; 0: there is no lease. Not stored, only in the audit */
	const char *request_id, *operation, *record, *restart; /* NULL until known */
	struct opt_i64 saves, residual;                        /* nano-units an hour */
	const char *currency;                                  /* or NULL */
	const char *owner;                                     /* when it began; or NULL */
	const char *frees;   /* chips of quota that a deletion frees, as words; or NULL */
	const char *remains; /* residual in each currency, now; NULL: unknown, not read */
};

/* When it is due after `grace`, the end of its grace: not before the next attempt. TS_NONE without a
 * grace. As @DUE@ of db/gen.awk has it. */
static inline ts_t action_due(const struct action *x, ts_t grace)
{
	return grace != TS_NONE && x->next_at > grace ? x->next_at : grace;
}

/* ---- interface to the outside ------------------------------------------------------------------- */

/* A live check of one machine, and the one call that changes it. rules/ decides; the caller of
 * enforce_run() passes the functions (cli/net/hands.c does, based on gcp/live/live.h and
 * gcp/live/act.h). */

/* Live state of one machine, as reported by Google. */
struct live {
	bool found;            /* false: Google reports that none of that name exists */
	const char *uid;       /* "": not reported */
	const char *raw_state; /* Google's word */
	const char *state;     /* tpucost's word, as in the column `state` */
	const char *type;
	ts_t created; /* TS_NONE: not reported */
	ts_t started; /* last start, TS_NONE where Google does not report it (TPU nodes) */
	const char *labels; /* JSON object, keys sorted; NULL: could not be read */
	bool deletion_protection;
	bool local_ssd; /* has disks whose content is lost by a stop */
	bool own_host;  /* this program runs on it */
	const char *
		managed_by; /* service that owns it, or would create it again: "a managed instance
			     * group"; NULL */
	int64_t hosts;      /* 0: not reported */
	const char *queued; /* the queued resource that made it, "" */
	bool multislice;
	bool spot;
	bool flex_start;     /* can only be deleted */
	const char *record;  /* JSON: the whole answer without secrets */
	const char *restart; /* command that starts it again, or creates it again */
};

enum op_outcome { OP_RUNNING, OP_DONE, OP_FAILED, OP_GONE };

struct op_state {
	enum op_outcome outcome;
	const char *error; /* for OP_FAILED: Google's error */
};

struct hands {
	void *ctx;
	/* May these credentials act on the project? *number receives its number as the credentials
	 * see it ("" when it cannot be read). Called once for each project of a run. */
	enum err_code (*project)(void *ctx, const char *project, struct arena *a,
		const char **number, struct err *e);
	/* `verb` determines the command in `restart`. */
	enum err_code (*look)(void *ctx, const struct target *t, enum verb verb,
		struct arena *a, struct live *out, struct err *e);
	/* One request. E_OK: *operation is Google's name of it. E_NET, E_RATE, E_AUTH: it was not
	 * carried out and may be retried. E_DENIED, E_HTTP, E_CONFIG: refused permanently.
	 * E_NOTFOUND: does not exist. E_CONFLICT: repeat the live check. E_UNCERTAIN: the outcome
	 * is unknown. */
	enum err_code (*act)(void *ctx, const struct target *t, enum verb verb,
		const char *request_id, struct arena *a, const char **operation,
		struct err *e);
	enum err_code (*operation)(void *ctx, const struct target *t, const char *operation,
		struct arena *a, struct op_state *out, struct err *e);
	/* Seconds that this machine's clock is ahead of Google's; E_NOTFOUND: unknown. */
	enum err_code (*clock_skew)(void *ctx, int64_t *seconds);
};

#endif
