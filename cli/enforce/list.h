/* Text form of the enforcement plan. */
#ifndef TPUCOST_CLI_ENFORCE_LIST_H
#define TPUCOST_CLI_ENFORCE_LIST_H

#include "cli/cmd.h"
#include "rules/enforce/plan.h"

/* Prints the settings of enforcement, the actions to take, the blocked ones and what blocks them,
 * those that ended, and the total saving. Returns the exit code. */
int enforce_list(struct app *app, const struct plan *p, struct err *e);

/* Makes the plan from app->db as of app->now, and prints it in the requested format. */
int enforce_show(struct app *app, struct err *e);

/* "stop after a grace of 30m, not armed", allocated from `a`; NULL if the rule only sends alerts.
 * */
const char *enforce_rule_text(const struct rule *r, struct arena *a);

#endif
