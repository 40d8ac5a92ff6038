/* Acting now: what `run` does, without what it polls and reports besides. */
#include "base/mem.h"
#include "cli/cmd.h"
#include "cli/net/cycle.h"
#include "cli/enforce/enforce.h"
#include "cli/enforce/list.h"
#include "cli/net/wire.h"
#include "db/db.h"

int cmd_enforce_apply(struct app *app, struct err *e)
{
	static const char *const only[] = {"instances"};
	const struct cycle c = {.only = only, .n_only = ARRAY_LEN(only)};
	int recovered = enforce_recover(app, e), acted, shown;
	struct collect_result r;
	struct judgement judged;

	/* Guards refuse what is old, so look first. */
	if (cycle_run(app, &c, &r, e))
		return cmd_fail(e);
	acted = judge_and_act(app, &judged, e);
	if (acted == EXIT_FAILED)
		return acted;
	app->now = clock_now(app->clock);
	shown = enforce_show(app, e);
	if (shown == EXIT_FAILED || acted == EXIT_FINE)
		acted = shown;
	if (acted == EXIT_FINE)
		acted = cycle_exit(&r);
	return acted == EXIT_FINE ? recovered : acted;
}
