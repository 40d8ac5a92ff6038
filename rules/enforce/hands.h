/* Interface of enforcement to the outside: a live check of one machine, and the one call that
 * changes it. rules/ decides; the caller of enforce_run() passes the functions (cli/net/hands.c
 * does, based on gcp/live/live.h and gcp/live/act.h). */
#ifndef TPUCOST_RULES_ENFORCE_HANDS_H
#define TPUCOST_RULES_ENFORCE_HANDS_H

#include "rules/enforce/action.h"

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
