/* Validation of the rules of a configuration. */
#ifndef TPUCOST_RULES_VOCAB_CHECK_H
#define TPUCOST_RULES_VOCAB_CHECK_H

#include "base/err.h"
#include "rules/settings.h"

struct db;

/* Compile conditions, expressions and messages of one rule over its view in `db` (see
 * db_open_empty). E_USAGE begins with the wrong key: "where: ...". */
enum err_code rule_check(struct db *db, const struct rule *r, struct err *e) must_check;

#endif
