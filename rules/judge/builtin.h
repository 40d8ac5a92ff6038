/* The rules that come with the program. All of them are conditions over public views: what
 * they do, a rule of the configuration can do too. */
#ifndef TPUCOST_RULES_JUDGE_BUILTIN_H
#define TPUCOST_RULES_JUDGE_BUILTIN_H

#include "rules/settings.h"

extern const struct rule builtin_rules[];
extern const size_t n_builtin_rules;

const struct rule *builtin_find(const char *name);
const char *builtin_nearest(const char *name);

#endif
