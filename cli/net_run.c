#include "cli/config.h"
#include "cli/out.h"
#include "cli/wire.h"
#include "reports/report.h"

int cmd_run(struct app *app, struct err *e)
{
	struct cycle c = {.only_due = true};
	struct sbuf b = SBUF_INIT;
	struct collect_result r;
	struct report report;
	enum out_format format;
	int rc;

	if (out_format_parse(app->o.format, &format, e))
		return cmd_fail(e);
	if (!app->o.once) {
		err_set(e, E_USAGE, "run: --once is needed");
		err_fix(e, "call \"tpucost run --once\" from cron or a systemd timer");
		return cmd_fail(e);
	}
	if (cycle_run(app, &c, &r, e))
		return cmd_fail(e);
	rc = cycle_exit(&r);
	if (format != OUT_TABLE) {
		int printed = cmd_sources(app, e);

		return printed ? printed : rc;
	}
	if (!app->o.quiet) {
		if (report_daily(app->db, app->cfg->tz, clock_now(app->clock), &app->arena,
			    &report, e))
			return cmd_fail(e);
		report_headline(&report, &b);
		sbuf_addc(&b, '\n');
		if (out_write(&b, e))
			rc = cmd_fail(e);
	}
	sbuf_done(&b);
	return rc;
}
