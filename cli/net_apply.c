/* Acting without polling first: what was read lately is enough, or the guards say that it is not. */
#include "base/mem.h"
#include "cli/config.h"
#include "cli/enforce.h"
#include "cli/enforce_list.h"
#include "cli/wire.h"

#include <unistd.h>

static enum err_code check_database(struct app *app, struct err *e)
{
	if (!access(app->cfg->database, F_OK))
		return E_OK;
	err_set(e, E_NOTFOUND, "enforce: there is no database %s", app->cfg->database);
	return err_fix(e, "run: tpucost collect");
}

int cmd_enforce_apply(struct app *app, struct err *e)
{
	cleanup(close_fd) int lock = -1;
	struct judgement judged;
	int recovered, acted, shown;

	if (check_database(app, e))
		return cmd_fail(e);
	recovered = enforce_recover(app, e);
	if (writer_open(app, &lock, e) || writer_derive(app, e))
		return cmd_fail(e);
	acted = judge_and_act(app, &judged, e);
	if (acted == EXIT_FAILED)
		return acted;
	app->now = clock_now(app->clock);
	shown = enforce_show(app, e);
	if (shown == EXIT_FAILED || acted == EXIT_FINE)
		acted = shown;
	return acted == EXIT_FINE ? recovered : acted;
}
