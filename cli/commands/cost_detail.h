/* Resources, owners and labels of the bill, where only sums of days are kept. */
#ifndef TPUCOST_CLI_COMMANDS_COST_DETAIL_H
#define TPUCOST_CLI_COMMANDS_COST_DETAIL_H

#include "cli/cmd.h"

/* E_NOTFOUND if only sums of days are kept. */
enum err_code cost_check_detail(struct app *app, struct err *e) must_check;

#endif
