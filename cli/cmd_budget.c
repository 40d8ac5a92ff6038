/* Budgets. */
#include "cli/query.h"

int cmd_budget(struct app *app, struct err *e)
{
	static const struct query q = {
		.view = "budgets",
		.columns = "name,period?,amount,spent?,expected,percent,forecast,"
			   "forecast_if_stopped?,runs_out,currency",
		.order = "name",
		.empty = "No budgets: in the configuration.",
		.basis = BASIS_BILLING,
	};

	return query_run(app, &q, e);
}
