/* `tpucost run`: one cycle, or a daemon of them. */
#include "cli/config/config.h"
#include "cli/net/cycle.h"
#include "cli/daemon/daemon.h"
#include "cli/out/out.h"
#include "reports/kinds.h"

static int run_once(struct app *app, enum out_format format, struct err *e)
{
	struct report_ask ask = {.settings = &app->cfg->settings};
	struct judgement judged = {0};
	struct sbuf b = SBUF_INIT;
	struct doc *doc;
	bool whole;
	int rc = cycle_whole(app, &judged, &whole, e);

	if (!whole)
		return rc;
	if (format != OUT_TABLE) {
		int printed = cmd_sources(app, e);

		return printed ? printed : rc;
	}
	if (!app->o.quiet) {
		ask.db = app->db;
		ask.now = clock_now(app->clock);
		if (daily_build(&ask, &app->arena, &doc, e))
			return cmd_fail(e);
		sbuf_addf(&b, "%s\n", doc->headline);
	}
	cycle_events(
		&b, &judged); /* also when quiet: cron mails what began, and only that */
	if (out_write(&b, e))
		rc = cmd_fail(e);
	sbuf_done(&b);
	return rc;
}

int cmd_run(struct app *app, struct err *e)
{
	enum out_format format;

	if (out_format_parse(app->o.format, &format, e))
		return cmd_fail(e);
	return app->o.once ? run_once(app, format, e) : daemon_run(app, e);
}
