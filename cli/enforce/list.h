/* The plan of enforcement for people. */
#ifndef TPUCOST_CLI_ENFORCE_LIST_H
#define TPUCOST_CLI_ENFORCE_LIST_H

#include "cli/cmd.h"
#include "rules/enforce/plan.h"

/* Print it: how enforcement is set up, what is to be done, what is kept back and by what, what
 * ended, and what acting would save. Returns the exit code. */
int enforce_list(struct app *app, const struct plan *p, struct err *e);

/* Make the plan over app->db as of app->now, and print it in the format that was asked for. */
int enforce_show(struct app *app, struct err *e);

/* "stop after a grace of 30m, not armed"; arena. NULL: the rule only tells. */
const char *enforce_rule_text(const struct rule *r, struct arena *a);

#endif
