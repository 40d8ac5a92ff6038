/* What enforcement needs from outside: a look at one machine, and the one call that changes it.
 * rules/ decides; who calls enforce_run() brings these (cli/net/hands.c does, over gcp/live/live.h and
 * gcp/live/act.h). */
#ifndef TPUCOST_RULES_ENFORCE_HANDS_H
#define TPUCOST_RULES_ENFORCE_HANDS_H

#include "rules/enforce/action.h"

/* What Google says of one machine at this moment. */
struct live {
	bool found;            /* false: Google says that there is none of that name */
	const char *uid;       /* "": not told */
	const char *raw_state; /* Google's word */
	const char *state;     /* ours, as the column `state` */
	const char *type;
	ts_t created; /* TS_NONE: not told */
	ts_t started; /* last start, TS_NONE where Google does not tell it (TPU nodes) */
	const char *labels; /* JSON object, keys sorted; NULL: could not be read */
	bool deletion_protection;
	bool local_ssd; /* has disks whose content a stop loses */
	bool own_host;  /* this program runs on it */
	const char *
		managed_by; /* what would make it anew, or owns it: "a managed instance group"; NULL */
	int64_t hosts;      /* 0: not told */
	const char *queued; /* the queued resource that made it, "" */
	bool multislice;
	bool spot;
	bool flex_start;     /* can only be deleted */
	const char *record;  /* JSON: the whole answer without secrets */
	const char *restart; /* command that starts it again, or makes it anew */
};

enum op_outcome { OP_RUNNING, OP_DONE, OP_FAILED, OP_GONE };

struct op_state {
	enum op_outcome outcome;
	const char *error; /* of OP_FAILED: what Google says */
};

struct hands {
	void *ctx;
	/* May these credentials act on the project? *number gets its number as they see it ("" when
	 * that cannot be told). Called once for each project of a run. */
	enum err_code (*project)(void *ctx, const char *project, struct arena *a,
		const char **number, struct err *e);
	/* `verb` decides what `restart` brings back. */
	enum err_code (*look)(void *ctx, const struct target *t, enum verb verb,
		struct arena *a, struct live *out, struct err *e);
	/* One request. E_OK: *operation is Google's name of it. E_NET, E_RATE, E_AUTH: it was not
	 * done and may be tried again. E_DENIED, E_HTTP, E_CONFIG: refused for good. E_NOTFOUND: not
	 * there. E_CONFLICT: look again. E_UNCERTAIN: nobody knows. */
	enum err_code (*act)(void *ctx, const struct target *t, enum verb verb,
		const char *request_id, struct arena *a, const char **operation,
		struct err *e);
	enum err_code (*operation)(void *ctx, const struct target *t, const char *operation,
		struct arena *a, struct op_state *out, struct err *e);
	/* Seconds that this machine's clock is ahead of Google's; E_NOTFOUND: nobody told. */
	enum err_code (*clock_skew)(void *ctx, int64_t *seconds);
};

#endif
