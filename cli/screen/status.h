/* Status screen: the actions to take with their commands, then a line each for burn, budgets, grants, credits,
 * enforcement and the age of the data. */
#ifndef TPUCOST_CLI_SCREEN_STATUS_H
#define TPUCOST_CLI_SCREEN_STATUS_H

#include "cli/cmd.h"
#include "cli/out/out.h"
#include "reports/doc/doc.h"

/* `d` is the daily report made now. The database must be open. */
enum err_code status_screen(struct app *app, const struct doc *d,
	const struct out_style *style, struct sbuf *b, struct err *e) must_check;

#endif
