/* What was done to machines, and what people said about that. */
#include "base/civil.h"
#include "cli/query.h"

int cmd_audit(struct app *app, struct err *e)
{
	struct query q = {
		.view = "audit",
		.columns = "seq,at,actor,event,action?,resource,detail?",
		.order = "seq desc",
		.empty = "Nothing was done yet.",
	};
	char since[RFC3339_BUF];
	ts_t t;

	if (app->o.since && query_time(app, app->o.since, &t, e))
		return cmd_fail(e);
	if (app->o.since)
		q.only = arena_printf(&app->arena, "at >= '%s'", rfc3339_format(t, since));
	return query_run(app, &q, e);
}
