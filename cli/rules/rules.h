/* Functions shared by the commands about rules. */
#ifndef TPUCOST_CLI_RULES_RULES_H
#define TPUCOST_CLI_RULES_RULES_H

#include "cli/cmd.h"
#include "cli/out/out.h"
#include "rules/judge/alert.h"

/* Finds a rule of the configuration or a built-in one; NULL: E_USAGE with the nearest name. */
const struct rule *rule_find(struct app *app, const char *name, struct err *e);

#endif
