#include "base/sbuf.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/help.h"
#include "cli/near.h"
#include "cli/query.h"
#include "rules/price.h"

#include <stdio.h>
#include <string.h>

static const struct column command_column = {"command", COL_TEXT, "name"};
static const struct column args_column = {"args", COL_TEXT, "arguments"};
static const struct column summary_column = {"summary", COL_TEXT, "what it does"};
static const struct column version_column = {"version", COL_TEXT, "of tpucost"};
static const struct column prices_column = {"prices", COL_TEXT, "date of the price list"};

static int list_commands(struct app *app, struct err *e)
{
	static const struct column *const cols[] = {
		&command_column, &args_column, &summary_column};
	struct table t = {.cols = cols, .n_cols = ARRAY_LEN(cols)};

	for (size_t i = 0; i < n_cmds; i++) {
		struct cell *row;

		if (cmds[i].group == GROUP_HIDDEN)
			continue;
		row = table_add_row(&t, &app->arena);

		row[0] = (struct cell){.kind = CELL_TEXT, .text = cmds[i].name};
		row[1] = (struct cell){.kind = CELL_TEXT, .text = cmds[i].args};
		row[2] = (struct cell){.kind = CELL_TEXT, .text = cmds[i].summary};
	}
	return query_print(app, &t, "", e);
}

/* Not wider than what reads well; not narrower than words are long. */
static int text_width(void)
{
	int width = out_style_stdout().width;

	return width <= 0 || width > 80 ? 80 : width < 40 ? 40 : width;
}

int cmd_help(struct app *app, struct err *e)
{
	const struct cmd *c = NULL;
	struct sbuf b = SBUF_INIT;
	int rc = EXIT_FINE, used;

	if (app->n_args) {
		c = cmd_find_words(app->args, app->n_args, &used);
		if (!c) {
			err_set(e, E_USAGE, "unknown command \"%s\"", app->args[0]);
			near_fix(e, near_command(&app->arena, app->args[0]),
				"see: tpucost help");
			return cmd_fail(e);
		}
	} else if (app->o.format) {
		return list_commands(app, e);
	}
	if (c)
		help_command(&b, c, text_width());
	else
		help_overview(&b, text_width());
	if (out_write(&b, e))
		rc = cmd_fail(e);
	sbuf_done(&b);
	return rc;
}

int cmd_version(struct app *app, struct err *e)
{
	static const struct column *const cols[] = {&version_column, &prices_column};
	struct table t = {.cols = cols, .n_cols = ARRAY_LEN(cols)};
	struct sbuf b = SBUF_INIT;
	int rc = EXIT_FINE;

	if (app->o.format) {
		struct cell *row = table_add_row(&t, &app->arena);

		row[0] = (struct cell){.kind = CELL_TEXT, .text = TPUCOST_VERSION};
		row[1] = (struct cell){.kind = CELL_TEXT, .text = price_table_date};
		return query_print(app, &t, "", e);
	}
	sbuf_addf(&b, "tpucost " TPUCOST_VERSION "\nlist prices of %s\n", price_table_date);
	if (out_write(&b, e))
		rc = cmd_fail(e);
	sbuf_done(&b);
	return rc;
}
