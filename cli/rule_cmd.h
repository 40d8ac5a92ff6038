/* What the commands about rules share. */
#ifndef TPUCOST_CLI_RULE_CMD_H
#define TPUCOST_CLI_RULE_CMD_H

#include "cli/cmd.h"
#include "cli/out.h"
#include "rules/alert.h"

/* A rule of the configuration or a built-in one; NULL: E_USAGE with the nearest name. */
const struct rule *rule_find(struct app *app, const char *name, struct err *e);

/* `rules list`: cli/rule_list.c. */
int rule_list(struct app *app, struct err *e);

#endif
