/* Hours, resources, owners and labels of the bill, where only sums of days are kept. */
#ifndef TPUCOST_CLI_COMMANDS_COST_DETAIL_H
#define TPUCOST_CLI_COMMANDS_COST_DETAIL_H

#include "cli/cmd.h"
#include "collector/bill/ask.h"

/* Fills in the period, month and projects of the options, and if lines of the bill are missing for the question, shows the
 * answer of BigQuery in their place until cost_detail_end(). The database is open, before and after. E_NOTFOUND: there is no
 * stored answer, and BigQuery is not asked here; with app->needs_net, tpucost-net asks it. */
enum err_code cost_detail_begin(
	struct app *app, struct billing_question *q, struct err *e) must_check;
void cost_detail_end(struct app *app);

#endif
