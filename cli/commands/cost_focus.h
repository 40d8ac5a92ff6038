/* The lines of the bill as a file of FOCUS. */
#ifndef TPUCOST_CLI_COMMANDS_COST_FOCUS_H
#define TPUCOST_CLI_COMMANDS_COST_FOCUS_H

#include "cli/cmd.h"

/* `cost --format focus`: writes to --output or standard output. Returns the exit code. */
int cost_focus(struct app *app, struct err *e);

#endif
