/* `tpucost ps`: everything that exists, or with a time, that existed. */
#include "cli/query.h"

/* What there was, in the order of what it cost. */
static int ps_then(struct app *app, struct err *e)
{
	struct query q = {
		.view = "period_resources",
		.columns = "kind??,name,location????,type???,state?,seen_from?,"
			   "seen_until?,is_there?,running_hours?,hours?????,gross?,net,"
			   "currency,unpriced_hours?",
		.order = "net IS NULL DESC, net DESC, id, seen_from",
		.basis = BASIS_INVENTORY,
		.empty = "Nothing is known to have existed in that time.",
	};

	if (query_of_several(app))
		q.columns = "kind??,project?,name,location????,type???,state?,seen_from?,"
			    "seen_until?,is_there?,running_hours?,hours?????,gross?,net,"
			    "currency,unpriced_hours?";
	return query_run_period(app, &q, e);
}

int cmd_ps(struct app *app, struct err *e)
{
	/* A stopped machine costs nothing itself. Unattached disks and unused addresses are
	 * "stopped" too, and exactly what one wants to see. */
	static const struct query q = {
		.view = "resources",
		.only = "NOT (kind IN ('tpu', 'vm') AND state = 'stopped')",
		.columns = "kind??,name,location????,type???,state?,running_hours?,gross_"
			   "per_hour?,"
			   "net_per_hour,currency,covered?,why",
		/* What runs at a price that nobody knows comes first; buckets and snapshots
		 * never have one, and are no alarm. */
		.order = "net_per_hour IS NULL AND kind IN ('tpu', 'vm', 'disk', 'ip') "
			 "DESC, net_per_hour DESC, id",
		.basis = BASIS_INVENTORY,
		.empty = "Nothing exists in the projects that were polled.",
	};
	struct query all = q;

	if (query_has_period(app))
		return ps_then(app, e);

	if (app->o.all)
		all.only = NULL;
	if (query_of_several(app))
		all.columns =
			"kind??,project?,name,location????,type???,state?,running_hours?,"
			"gross_per_hour?,net_per_hour,currency,covered?,why";
	return query_run(app, &all, e);
}
