/* `tpucost collect`: one pass of polling. */
#include "cli/out/out.h"
#include "cli/net/wire.h"

int cmd_collect(struct app *app, struct err *e)
{
	struct cycle c = {
		.only = (const char *const *)app->args, .n_only = (size_t)app->n_args};
	struct sbuf b = SBUF_INIT;
	struct collect_result r;
	enum out_format format;
	int rc;

	if (out_format_parse(app->o.format, &format, e) || cycle_run(app, &c, &r, e))
		return cmd_fail(e);
	rc = cycle_exit(&r);
	if (format != OUT_TABLE) {
		int printed = cmd_sources(app, e);

		return printed ? printed : rc;
	}
	if (!app->o.quiet) {
		sbuf_addf(&b, "%zu polled: %zu complete", r.polled, r.ok);
		if (r.partial)
			sbuf_addf(&b, ", %zu partial", r.partial);
		if (r.failed)
			sbuf_addf(&b, ", %zu failed", r.failed);
		if (r.disabled)
			sbuf_addf(&b, ", %zu not enabled", r.disabled);
		sbuf_addf(&b, "%s\n", rc ? " (tpucost sources says more)" : "");
		if (out_write(&b, e))
			rc = cmd_fail(e);
	}
	sbuf_done(&b);
	return rc;
}
