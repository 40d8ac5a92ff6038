/* Validates the configuration, without network. */
#include "cli/cmd.h"
#include "cli/config.h"
#include "cli/out.h"

#include <stdio.h>

int cmd_check(struct app *app, struct err *e)
{
	struct sbuf b = SBUF_INIT;
	const struct config *cfg;
	int rc = EXIT_FINE;

	if (config_load(app, e)) {
		/* file:line:col first, as editors and terminals expect it */
		fprintf(stderr, "%s%s%s\n", e->msg, e->fix[0] ? "; " : "", e->fix);
		return EXIT_USAGE;
	}
	cfg = app->cfg;
	sbuf_addf(&b,
		"%s: fine: %zu projects, %zu grant lines, %zu credits, %zu budgets, "
		"%zu rules, %zu channels\n",
		cfg->path, cfg->projects.n, cfg->n_grants, cfg->n_credits, cfg->n_budgets,
		cfg->n_rules, cfg->n_notify);
	for (size_t i = 0; i < cfg->n_warnings; i++)
		sbuf_addf(&b, "warning: %s\n", cfg->warnings[i]);
	if (cfg->n_warnings && app->o.strict)
		rc = EXIT_NO;
	if (out_write(&b, e))
		rc = cmd_fail(e);
	sbuf_done(&b);
	return rc;
}
