/* Validates the configuration, without network. */
#include "cli/cmd.h"
#include "cli/config.h"
#include "cli/query.h"
#include "cli/say.h"

struct count {
	struct column column;
	size_t n;
};

static int print_counts(
	struct app *app, const struct count *counts, size_t n, struct err *e)
{
	static const struct column file = {"file", COL_TEXT, "the configuration"};
	const struct column *cols[16] = {&file};
	struct table t = {.cols = cols, .n_cols = n + 1};
	struct cell *row = table_add_row(&t, &app->arena);

	row[0] = (struct cell){.kind = CELL_TEXT, .text = app->cfg->path};
	for (size_t i = 0; i < n; i++) {
		cols[i + 1] = &counts[i].column;
		row[i + 1] = (struct cell){.kind = CELL_INT, .i = (int64_t)counts[i].n};
	}
	return query_print(app, &t, "", e);
}

int cmd_check(struct app *app, struct err *e)
{
	struct sbuf b = SBUF_INIT;
	const struct config *cfg;
	int rc = EXIT_FINE;

	if (config_load(app, e)) {
		/* file:line:col first, as editors and terminals expect it */
		say_err("", e);
		return EXIT_USAGE;
	}
	cfg = app->cfg;
	{
		const struct count counts[] = {
			{{"projects", COL_INT, ""}, cfg->projects.n},
			{{"grant_lines", COL_INT, ""}, cfg->n_grants},
			{{"credits", COL_INT, ""}, cfg->n_credits},
			{{"budgets", COL_INT, ""}, cfg->n_budgets},
			{{"rules", COL_INT, ""}, cfg->n_rules},
			{{"channels", COL_INT, ""}, cfg->n_channels},
			{{"warnings", COL_INT, ""}, cfg->n_warnings},
		};

		if (app->o.format)
			rc = print_counts(app, counts, ARRAY_LEN(counts), e);
	}
	if (!app->o.format)
		sbuf_addf(&b,
			"%s: fine: %zu projects, %zu grant lines, %zu credits, %zu "
			"budgets, "
			"%zu rules, %zu channels\n",
			cfg->path, cfg->projects.n, cfg->n_grants, cfg->n_credits,
			cfg->n_budgets, cfg->n_rules, cfg->n_channels);
	for (size_t i = 0; i < cfg->n_warnings; i++)
		say("warning: %s", cfg->warnings[i]);
	if (!rc && cfg->n_warnings && app->o.strict)
		rc = EXIT_NO;
	if (out_write(&b, e))
		rc = cmd_fail(e);
	sbuf_done(&b);
	return rc;
}
