#include "base/sbuf.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/query.h"
#include "rules/price.h"

#include <stdio.h>
#include <string.h>

static void add_option(struct sbuf *b, const struct opt *o)
{
	struct sbuf left = SBUF_INIT;

	if (o->letter)
		sbuf_addf(&left, "-%c, ", o->letter);
	else
		sbuf_adds(&left, "    ");
	sbuf_addf(&left, "--%s%s%s", o->name, o->arg ? " " : "", o->arg ? o->arg : "");
	sbuf_addf(b, "  %-24s %s\n", left.s, o->help);
	sbuf_done(&left);
}

static void help_overview(struct sbuf *b)
{
	sbuf_adds(b,
		"tpucost: what your Google Cloud TPUs and everything around them cost,\n"
		"what your TRC grant covers, and why not.\n\n"
		"usage: tpucost COMMAND [OPTIONS]\n\n");
	for (size_t i = 0; i < n_cmds; i++)
		sbuf_addf(b, "  %-15s %s\n", cmds[i].name, cmds[i].summary);
	sbuf_adds(b, "\nOptions of every command:\n");
	for (size_t i = 0; i < n_options; i++)
		if (options[i].common)
			add_option(b, &options[i]);
	sbuf_adds(b,
		"\nExit status: 0 fine, 1 failed, 2 usage or configuration, 3 the answer "
		"is\n"
		"no, 4 partial. The configuration is --config, $TPUCOST_CONFIG,\n"
		"~/.config/tpucost/config.yaml or /etc/tpucost/config.yaml.\n"
		"Help on one command: tpucost help COMMAND\n");
}

static void help_command(struct sbuf *b, const struct cmd *c)
{
	bool any = false;

	sbuf_addf(b, "usage: tpucost %s%s%s%s\n\n%s\n", c->name, *c->args ? " " : "",
		c->args, *c->opts ? " [OPTIONS]" : "", c->summary);
	if (*c->text)
		sbuf_addf(b, "\n%s\n", c->text);
	for (size_t i = 0; i < n_options; i++) {
		if (options[i].common || !opts_taken(c, &options[i]))
			continue;
		sbuf_adds(b, any ? "" : "\nOptions:\n");
		any = true;
		add_option(b, &options[i]);
	}
	sbuf_addf(b, "\nExample:\n  %s\n", c->example);
}

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
		struct cell *row = table_add_row(&t, &app->arena);

		row[0] = (struct cell){.kind = CELL_TEXT, .text = cmds[i].name};
		row[1] = (struct cell){.kind = CELL_TEXT, .text = cmds[i].args};
		row[2] = (struct cell){.kind = CELL_TEXT, .text = cmds[i].summary};
	}
	return query_print(app, &t, "", e);
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
			err_fix(e, "see: tpucost help");
			return cmd_fail(e);
		}
	} else if (app->o.format) {
		return list_commands(app, e);
	}
	if (c)
		help_command(&b, c);
	else
		help_overview(&b);
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
