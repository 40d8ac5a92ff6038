#include "cli/commands/cost_detail.h"

#include "rules/bill/days.h"

enum err_code cost_check_detail(struct app *app, struct err *e)
{
	if (!bill_only_days(&(const struct db_reader){app->db, &app->arena, e}))
		return e->code;
	return err_set_fix(e, E_NOTFOUND, "to keep them here: billing: {detail: local}",
		"cost: " BILL_ONLY_DAYS);
}
