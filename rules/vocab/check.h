/* Are the rules of a configuration such that they can run? */
#ifndef TPUCOST_RULES_VOCAB_CHECK_H
#define TPUCOST_RULES_VOCAB_CHECK_H

#include "base/err.h"
#include "rules/settings.h"

struct db;

/* Conditions, expressions and messages of one rule, compiled over its view in `db` (see
 * db_open_empty). E_USAGE begins with the key that is wrong: "where: ...". */
enum err_code rule_check(struct db *db, const struct rule *r, struct err *e) must_check;

#endif
