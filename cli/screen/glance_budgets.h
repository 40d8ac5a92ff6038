/* The budgets, the fullest first: for lines of `status` and `top`. */
#ifndef TPUCOST_CLI_SCREEN_GLANCE_BUDGETS_H
#define TPUCOST_CLI_SCREEN_GLANCE_BUDGETS_H

#include "cli/cmd.h"
#include "rules/derive/derive.h"

struct glance_budget {
	const struct derived_budget *b;
	struct opt_i64 percent_100; /* hundredths; none: what is expected is not known */
};

/* As the view budgets has them. The session is open, and what comes out is its own. */
enum err_code glance_budgets_read(
	struct app *app, struct glance_budget **out, size_t *n, struct err *e) must_check;

#endif
