/* Command `ps`: the resources that exist, or existed in a period. */
#include "cli/query.h"

/* Resources of a period, ordered by cost. */
static int ps_then(struct app *app, struct err *e)
{
	struct query q = {
		.view = "period_resources",
		.columns = "kind???,name,location????,type??,state?????,seen_from?,"
			   "seen_until?,is_there?,running_hours?,hours?????,gross?,net,"
			   "currency,unpriced_hours?",
		.order = "net IS NULL DESC, net DESC, id, seen_from",
		.basis = BASIS_INVENTORY,
		.empty = "No resources are known in that period.",
	};

	if (query_of_several(app))
		q.columns = "kind???,project??????,name,location????,type??,state?????,"
			    "seen_from?,"
			    "seen_until?,is_there?,running_hours?,hours?????,gross?,net,"
			    "currency,unpriced_hours?";
	return query_run_period(app, &q, e);
}

int cmd_ps(struct app *app, struct err *e)
{
	/* A stopped machine itself costs nothing. Unused addresses are "stopped" too, but they cost
	 * money and are shown. */
	static const struct query q = {
		.view = "resources",
		.only = "NOT (kind IN ('tpu', 'vm') AND state = 'stopped')",
		.columns =
			"kind???,name,location????,type??,state?????,running_hours?,gross_"
			"per_hour?,"
			"net_per_hour,currency,covered?,why",
		/* Running resources with an unknown price come first. Buckets and snapshots never have one,
		 * which is not a problem. */
		.order = "net_per_hour IS NULL AND kind IN ('tpu', 'vm', 'disk', 'ip') "
			 "DESC, net_per_hour DESC, id",
		.basis = BASIS_INVENTORY,
		.empty = "There are no resources in the projects that were polled.",
	};
	struct query all = q;

	if (query_has_period(app))
		return ps_then(app, e);

	if (app->o.all)
		all.only = NULL;
	if (query_of_several(app))
		all.columns = "kind???,project??????,name,location????,type??,state?????,"
			      "running_hours?,"
			      "gross_per_hour?,net_per_hour,currency,covered?,why";
	return query_run(app, &all, e);
}
