/* Judging: every rule over the present world, and what that does to the alerts.
 *
 * The world is what derive() made of the facts. State is kept in the tables alert,
 * alert_event and rule_state; whoever calls gives the transaction, so that what was judged and
 * what is said about it are stored together. A rule that cannot be judged (its condition
 * fails on the data, or takes too long) leaves its alerts as they are, with data 'unknown'. */
#ifndef TPUCOST_RULES_JUDGE_JUDGE_H
#define TPUCOST_RULES_JUDGE_JUDGE_H

#include "base/mem.h"
#include "rules/judge/alert.h"

struct db;

#define JUDGE_MAX_HITS 10000 /* subjects of one rule: more cannot be read by anybody */

struct said {
	const char *rule, *subject, *summary;
	enum alert_event event;
	enum severity severity;
	ts_t since; /* the condition held since then */
	bool muted; /* by a silence */
};

struct judgement {
	struct said *said; /* in the arena */
	size_t n_said;
	size_t pending, firing; /* after it */
	/* rules that could not be judged: "NAME: why" */
	const char **errors;
	size_t n_errors;
};

/* Run inside a transaction, after derive() for the same `now`. */
enum err_code judge(struct db *db, const struct settings *s, ts_t now, struct arena *a,
	struct judgement *out, struct err *e) must_check;

#endif
