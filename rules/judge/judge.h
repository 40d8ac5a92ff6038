/* Evaluation of every rule over the present state, and the resulting changes of alerts.
 *
 * The input is the tables that derive() computed from the facts. State is kept in the tables alert,
 * alert_event and rule_state; the caller provides the transaction, so that results and messages
 * about them are stored together. A rule that cannot be evaluated (its condition fails on the data,
 * or takes too long) leaves its alerts unchanged, with data 'unknown'. */
#ifndef TPUCOST_RULES_JUDGE_JUDGE_H
#define TPUCOST_RULES_JUDGE_JUDGE_H

#include "base/mem.h"
#include "rules/judge/alert.h"

struct db;

#define ENDED_WAS "was: "    /* the summary of an alert that ended begins with it */
#define ENDED_WHY " Ended: " /* the reason follows, with a point */
#define JUDGE_MAX_HITS 10000 /* subjects of one rule: longer lists are useless to readers */

/* Summary of an alert that ends, from the one of the last evaluation that was true, which may be any
 * text: "was: wrong is not covered. Ended: it no longer exists." Allocated from the arena. */
const char *judge_was(struct arena *a, const char *summary, const char *why);
/* Reason why a resource that existed is not in the inventory. Static string. */
enum err_code judge_gone(
	struct db *db, const char *id, const char **why, struct err *e) must_check;

struct said {
	const char *rule, *subject, *summary;
	const char *owner; /* of the resource; NULL: unknown */
	enum alert_event event;
	enum severity severity;
	ts_t since; /* the condition held since then */
	bool muted; /* by a silence */
	bool worse; /* it ended because it became worse */
};

struct judgement {
	struct said *said; /* in the arena */
	size_t n_said;
	size_t pending, firing; /* after it */
	/* rules that could not be evaluated: "NAME: why" */
	const char **errors;
	size_t n_errors;
};

/* Built-in rules of the program. All of them are conditions over public views: a rule of the
 * configuration can do the same. */
extern const struct rule builtin_rules[];
extern const size_t n_builtin_rules;

const struct rule *builtin_find(const char *name);
const char *builtin_nearest(const char *name);

struct subjects {
	const char **v;
	size_t n, cap;
};
/* Adds the subjects that the rule can have now, whether its condition holds or not: one for each row
 * of its view. Allocated from `a`. */
enum err_code judge_subjects(struct db *db, const struct rule *r, struct arena *a,
	struct subjects *out, struct err *e) must_check;

/* Call it inside a transaction, after derive() for the same `now`. */
enum err_code judge(struct db *db, const struct settings *s, ts_t now, struct arena *a,
	struct judgement *out, struct err *e) must_check;

#endif
