/* Matches and near matches of a rule. */
#ifndef TPUCOST_RULES_JUDGE_EXPLAIN_H
#define TPUCOST_RULES_JUDGE_EXPLAIN_H

#include "base/mem.h"
#include "rules/settings.h"

struct db;

/* Parts of a condition that AND joins at its top level: "a = 1 AND b BETWEEN 2 AND 3" has two. A
 * condition without such an AND is one part. Array and texts are allocated from the arena. */
const char **condition_parts(const char *where, struct arena *a, size_t *n);

struct match {
	const char *subject, *summary;
	bool fresh;
	/* of a near match: the part that does not hold, whether it is unknown rather than false,
	 * and the figures in it ("running_hours = 4.2") */
	const char *lacks;
	bool unknown;
	const char *figures;
};

struct explanation {
	struct match *hits;
	size_t n_hits;
	struct match *near; /* at most EXPLAIN_NEAR */
	size_t n_near;
};
#define EXPLAIN_NEAR 20

/* Matches alone, in words as an alert has them. */
enum err_code rule_matches(struct db *db, const struct settings *s, const struct rule *r,
	struct arena *a, struct explanation *out, struct err *e) must_check;
/* Uses the tables that derive() computed. Results are allocated from the arena. */
enum err_code rule_explain(struct db *db, const struct rule *r, struct arena *a,
	struct explanation *out, struct err *e) must_check;

#endif
