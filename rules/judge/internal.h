/* Declarations that the parts of evaluation share. Private to rules/judge/. */
#ifndef TPUCOST_RULES_JUDGE_INTERNAL_H
#define TPUCOST_RULES_JUDGE_INTERNAL_H

#include "base/strmap.h"
#include "rules/judge/judge.h"
#include "rules/vocab/subject.h"
#include "rules/vocab/template.h"

/* A stored alert, and its change by this evaluation. */
struct known {
	const char *rule, *subject;
	struct alert alert;
	bool seen; /* by the rule's condition, in this evaluation */
};

struct judging {
	struct db *db;
	const struct settings *s;
	ts_t now;
	struct arena *arena;
	struct judgement *out;
	struct known *known;
	size_t n_known, cap_known;
	size_t n_loaded;     /* number of those stored before; sorted by rule */
	struct strmap index; /* rule '\n' subject -> place in known */
	struct strmap
		renewed; /* names of rules whose text is another one than before; 0: only a budget is */
	size_t cap_said, cap_errors;
	bool frozen; /* views that conditions read */
};

/* One row for which a rule's condition holds. */
struct hit {
	const char *subject, *value, *summary;
	struct observation o;
};

struct hits {
	struct hit *v;
	size_t n, cap;
};

/* Rows for which the rule holds now. E_USAGE and E_LIMIT are errors of the rule, others are errors
 * of the database. */
enum err_code judge_hits(struct judging *j, const struct rule *r, struct hits *out,
	struct err *e) must_check;
/* Find why open alerts of the rule were not seen: fresh data contradicts, or the result is unknown.
 * Fills `o` of known[first..first+n) that are open and were not seen. */
enum err_code judge_missing(struct judging *j, const struct rule *r, size_t first, size_t n,
	struct observation *o, struct err *e) must_check;
/* judge_was() with the reason that the inventory has. */
enum err_code judge_ended(struct judging *j, const struct rule *r, const struct known *k,
	const struct observation *o, const char *summary, const char **out,
	struct err *e) must_check;

#endif
