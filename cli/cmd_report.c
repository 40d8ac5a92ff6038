#include "base/fs.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/config.h"
#include "cli/out.h"
#include "reports/report.h"

#include <string.h>

static enum err_code pick_format(
	const char *name, const struct report_format **out, struct err *e)
{
	const char *names[16];

	*out = report_format_find(name ? name : "text");
	if (*out)
		return E_OK;
	for (size_t i = 0; i < n_report_formats; i++)
		names[i] = report_formats[i].name;
	err_set(e, E_USAGE, "report: unknown format \"%s\"", name);
	if (str_nearest(name, names, n_report_formats))
		return err_fix(
			e, "did you mean %s?", str_nearest(name, names, n_report_formats));
	return err_fix(e, "use text, html or json");
}

int cmd_report(struct app *app, struct err *e)
{
	const struct report_format *format;
	struct sbuf b = SBUF_INIT;
	struct report r;
	enum err_code rc;

	if (app->n_args && strcmp(app->args[0], "daily") != 0) {
		err_set(e, E_USAGE, "report: unknown kind \"%s\"", app->args[0]);
		err_fix(e, "use: tpucost report daily");
		return cmd_fail(e);
	}
	if (pick_format(app->o.format, &format, e) ||
		report_daily(app->db, app->cfg->tz, app->now, &app->arena, &r, e))
		return cmd_fail(e);
	format->render(&r, &b);
	if (app->o.output)
		rc = fs_write_atomic(app->o.output, b.s, b.len, 0644, e);
	else
		rc = out_write(&b, e);
	sbuf_done(&b);
	return rc ? cmd_fail(e) : EXIT_FINE;
}
