/* The head lines of `status` and `top`: burn, budgets, grants, coupons, a line each. */
#ifndef TPUCOST_CLI_SCREEN_GLANCE_H
#define TPUCOST_CLI_SCREEN_GLANCE_H

#include "cli/cmd.h"
#include "cli/out/out.h"

#define GLANCE_INDENT 9 /* columns of the word that each line begins with */

/* "Burn     62.00 HKD/h net ...". The database is open; `most`: of each kind, then how many more. */
enum err_code glance_add(struct app *app, struct sbuf *b, const struct out_style *style,
	size_t most, struct err *e) must_check;
/* One line of them: the word, then text that goes on below itself. `color` or NULL. */
void glance_line(struct sbuf *b, const char *word, const char *text, const char *color,
	const struct out_style *style);

#endif
