/* Built-in rules of the program. All of them are conditions over public views: a rule of the
 * configuration can do the same. */
#ifndef TPUCOST_RULES_JUDGE_BUILTIN_H
#define TPUCOST_RULES_JUDGE_BUILTIN_H

#include "rules/settings.h"

extern const struct rule builtin_rules[];
extern const size_t n_builtin_rules;

const struct rule *builtin_find(const char *name);
const char *builtin_nearest(const char *name);

#endif
