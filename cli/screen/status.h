/* The status on one screen: what to do now with the command that does it, then a line each of what
 * burns, budgets, grants, coupons, enforcement, and how old the data is. */
#ifndef TPUCOST_CLI_SCREEN_STATUS_H
#define TPUCOST_CLI_SCREEN_STATUS_H

#include "cli/cmd.h"
#include "cli/out/out.h"
#include "reports/doc/doc.h"

/* `d` is the daily report of now; the database is open. */
enum err_code status_screen(struct app *app, const struct doc *d,
	const struct out_style *style, struct sbuf *b, struct err *e) must_check;

#endif
