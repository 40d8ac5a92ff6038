/* `tpucost help` and `tpucost version`. */
#include "base/sbuf.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/help/help.h"
#include "cli/near.h"
#include "cli/query.h"
#include "rules/price/price.h"

#include <stdio.h>
#include <string.h>

static const struct column version_column = {"version", COL_TEXT, "of tpucost"};
static const struct column prices_column = {"prices", COL_TEXT, "date of the price list"};

static int list_commands(struct app *app, struct err *e)
{
	static const struct column heads[] = {
		{"command", COL_TEXT, "name"},
		{"args", COL_TEXT, "arguments"},
		{"summary", COL_TEXT, "what it does"},
		{"group", COL_TEXT, "what it is about"},
		{"options", COL_TEXT,
			"names of its options, besides those of every command"},
		{"example", COL_TEXT, "a command line that works"},
	};
	static const unsigned char optional[] = {0, 0, 0, 1, 1, 1};
	const struct column *cols[ARRAY_LEN(heads)];
	struct table t = {.cols = cols, .n_cols = ARRAY_LEN(heads), .optional = optional};

	for (size_t i = 0; i < ARRAY_LEN(heads); i++)
		cols[i] = &heads[i];
	for (size_t i = 0; i < n_cmds; i++) {
		const struct cmd *c = &cmds[i];
		struct cell *row;

		if (c->group == GROUP_HIDDEN)
			continue;
		row = table_add_row(&t, &app->arena);
		row[0] = text_cell(c->name);
		row[1] = text_cell(c->args);
		row[2] = text_cell(c->summary);
		row[3] = text_cell(cmd_group_names[c->group]);
		row[4] = text_cell(c->opts);
		row[5] = text_cell(c->example);
	}
	return query_print(app, &t, "", e);
}

/* Not wider than what reads well; not narrower than words are long. */
static int text_width(void)
{
	int width = out_style_stdout().width;

	return width <= 0 || width > 80 ? 80 : width < 40 ? 40 : width;
}

static const char *near_help(struct arena *a, const char *word)
{
	const char *names[16], *near = near_command(a, word);

	return near ? near : str_nearest(word, names, help_topic_names(names, 16));
}

int cmd_help(struct app *app, struct err *e)
{
	const struct cmd *c = NULL;
	struct sbuf b = SBUF_INIT;
	int rc = EXIT_FINE, used;

	if (!app->n_args && app->o.format)
		return list_commands(app, e);
	if (app->n_args)
		c = cmd_find_words(app->args, app->n_args, &used);
	if (app->n_args && !c && !help_topic(app, &b, text_width(), e)) {
		err_set(e, E_USAGE, "unknown command \"%.60s\"", app->args[0]);
		near_fix(e, near_help(&app->arena, app->args[0]), "see: tpucost help");
	}
	if (e->code) {
		sbuf_done(&b);
		return cmd_fail(e);
	}
	if (c)
		help_command(&b, c, text_width());
	else if (!app->n_args)
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

		row[0] = text_cell(TPUCOST_VERSION);
		row[1] = text_cell(price_table_date);
		return query_print(app, &t, "", e);
	}
	sbuf_addf(&b, "tpucost " TPUCOST_VERSION "\nlist prices of %s\n", price_table_date);
	if (out_write(&b, e))
		rc = cmd_fail(e);
	sbuf_done(&b);
	return rc;
}
