/* Rules on trial: a small world that changes step by step on a fake clock, and what the rules
 * have to say of it. */
#ifndef TPUCOST_RULES_TRIAL_TRIAL_H
#define TPUCOST_RULES_TRIAL_TRIAL_H

#include "rules/trial/world.h"

#define TRIAL_MAX_TICKS 100000
/* Things times ticks: what bounds the time that a trial takes. */
#define TRIAL_MAX_WORK 5000000

struct trial_expect {
	const char *rule;
	const char *subject; /* the whole of it, or NULL */
	const char *name;    /* a part of it between slashes, or NULL */
	enum alert_state state;
	const char *severity; /* a word, or NULL: any */
	const char *summary;  /* text that is in it, or NULL */
	const char *value;    /* a decimal number, or NULL */
	ts_t fired;           /* when it began to fire; TS_NONE: whenever */
};

struct trial_source {
	const char *name;
	enum world_answer how;
};

struct trial_step {
	ts_t at;
	const char *note; /* or NULL */
	struct world_thing *things;
	const char **gone; /* ids */
	struct world_line *lines;
	struct q_quota_put_in *quotas;
	struct trial_source *sources;
	const char **unreachable;
	struct trial_expect *expects;
	const char **quiet; /* rules of which nothing fired since the step before */
	size_t n_things, n_gone, n_lines, n_quotas, n_sources, n_unreachable, n_expects,
		n_quiet;
	bool zones_told;  /* there is a list of zones out of reach, empty or not */
	bool expect_none; /* nothing fired since the step before, and nothing fires */
};

struct trial {
	const char *file;
	ts_t start;
	int64_t tick; /* seconds */
	struct trial_step *steps;
	size_t n_steps;
	const struct settings *settings;
};

/* One thing that was looked at. Texts in the arena. */
struct trial_check {
	size_t step; /* from 1 */
	ts_t at;
	const char *rule, *subject; /* subject may be NULL */
	const char *expected, *actual;
	bool ok;
};

struct trial_result {
	struct trial_check *v;
	size_t n, cap, failed;
	size_t ticks;
};

/* "+1d2h", "+0m", "-3d": from the start to `at`. */
const char *trial_offset(const struct trial *t, ts_t at, struct arena *a);

/* Run it. An error is one of the machine or the database; what is not as expected is in the
 * result. E_LIMIT: too many ticks. */
enum err_code trial_run(const struct trial *t, struct clock *clock, struct arena *a,
	struct trial_result *out, struct err *e) must_check;

#endif
