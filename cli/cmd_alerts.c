/* What is wrong now. */
#include "base/civil.h"
#include "cli/query.h"

int cmd_alerts(struct app *app, struct err *e)
{
	char since[RFC3339_BUF];
	struct query q = {
		.view = "alerts",
		.columns = "rule,severity,state,data?,since?,subject?,summary",
		.order =
			"state, CASE severity WHEN 'critical' THEN 1 WHEN 'warning' THEN 2 "
			"ELSE 3 END, since, rule, subject",
		.empty = "Nothing is wrong that the rules know of.",
		.basis = BASIS_INVENTORY,
	};

	if (!app->o.all)
		q.only = arena_printf(&app->arena, "resolved IS NULL OR resolved > '%s'",
			rfc3339_format(app->now - DAY_SECONDS, since));
	return query_run(app, &q, e);
}
