/* `tpucost help` and `tpucost version`: help on commands from the tables of commands and options.
 * */
#include "cli/help/help.h"

#include "base/str.h"
#include "cli/near.h"
#include "cli/query.h"
#include "rules/price/price.h"

#include <string.h>

const char *const cmd_group_names[CMD_GROUPS] = {
	[GROUP_OTHER] = "Other",
	[GROUP_FIRST] = "First steps",
	[GROUP_EXISTS] = "Resources and coverage",
	[GROUP_MONEY] = "Money",
	[GROUP_RULES] = "Rules and alerts",
	[GROUP_ACT] = "Enforcement",
	[GROUP_SEND] = "Reports and messages",
	[GROUP_KEEP] = "Maintenance and reference",
};

static void help_add_option(struct sbuf *b, const struct opt *o, int width)
{
	cleanup(sbuf_done) struct sbuf left = SBUF_INIT;

	if (o->letter)
		sbuf_addf(&left, "-%c, ", o->letter);
	else
		sbuf_adds(&left, "    ");
	sbuf_addf(&left, "--%s%s%s", o->name, o->arg ? " " : "", o->arg ? o->arg : "");
	help_pair(b, left.s, o->help, 27, width);
}

static void help_add_group(struct sbuf *b, enum cmd_group group, int width)
{
	bool any = false;

	for (size_t i = 0; i < n_cmds; i++) {
		if (cmds[i].group != group)
			continue;
		if (!any)
			sbuf_addf(b, "\n%s\n", cmd_group_names[group]);
		any = true;
		help_pair(b, cmds[i].name, cmds[i].summary, 19, width);
	}
}

static void help_overview(struct sbuf *b, int width)
{
	help_wrap(b,
		"tpucost: the cost of your Google Cloud TPUs and related resources, "
		"and what your TRC grants cover.",
		0, 0, width);
	sbuf_adds(b, "\nusage: tpucost COMMAND [OPTIONS]\n");
	for (int g = GROUP_FIRST; g < CMD_GROUPS; g++)
		help_add_group(b, (enum cmd_group)g, width);
	help_add_group(b, GROUP_OTHER, width);
	help_topics(b, width);
	sbuf_adds(b, "\nOptions of every command\n");
	for (size_t i = 0; i < n_options; i++)
		if (options[i].common)
			help_add_option(b, &options[i], width);
	sbuf_adds(b, "\n");
	help_wrap(b,
		"Exit status: 0 success, 1 failure, 2 usage or configuration error, 3 the "
		"answer is no, 4 incomplete. The configuration is --config, "
		"$TPUCOST_CONFIG, "
		"~/.config/tpucost/config.yaml or /etc/tpucost/config.yaml.\n"
		"Help on one command: tpucost help COMMAND",
		0, 0, width);
}

static void help_add_options(struct sbuf *b, const struct cmd *c, int width)
{
	bool any = false;

	for (size_t i = 0; i < n_options; i++) {
		if (options[i].common || !opts_taken(c, &options[i]))
			continue;
		sbuf_adds(b, any ? "" : "\nOptions:\n");
		any = true;
		help_add_option(b, &options[i], width);
	}
}

static void help_add_below(struct sbuf *b, const struct cmd *c, int width)
{
	bool any = false;

	for (size_t i = 0; i < n_cmds; i++) {
		if (!cmd_is_under(c, &cmds[i]))
			continue;
		sbuf_adds(b, any ? "" : "\nSee also:\n");
		any = true;
		help_pair(b, cmds[i].name, cmds[i].summary, 19, width);
	}
}

static void help_command(struct sbuf *b, const struct cmd *c, int width)
{
	cleanup(sbuf_done) struct sbuf usage = SBUF_INIT;

	sbuf_addf(&usage, "usage: tpucost %s%s%s%s\n", c->name, *c->args ? " " : "",
		c->args, *c->opts ? " [OPTIONS]" : "");
	help_wrap(b, usage.s, 0, 0, width);
	sbuf_adds(b, "\n");
	help_wrap(b, c->summary, 0, 0, width);
	if (*c->text) {
		sbuf_adds(b, "\n");
		help_wrap(b, c->text, 0, 0, width);
	}
	help_add_options(b, c, width);
	help_add_below(b, c, width);
	sbuf_addf(b, "\nExample:\n  %s\n", c->example);
}

/* ---- the commands ------------------------------------------------------------------------------- */

static int list_commands(struct app *app, struct err *e)
{
	static const struct doc_column heads[] = {
		{"command", .type = DOC_TEXT},
		{"args", .type = DOC_TEXT},
		{"summary", .type = DOC_TEXT},
		{"group", .type = DOC_TEXT, .rank = 1},
		{"options", .type = DOC_TEXT, .rank = 1},
		{"example", .type = DOC_TEXT, .rank = 1},
	};
	struct doc_section *t = doc_table(&app->arena, heads, ARRAY_LEN(heads));

	t->droppable = true;
	for (size_t i = 0; i < n_cmds; i++) {
		const struct cmd *c = &cmds[i];
		struct doc_cell *row;

		if (c->group == GROUP_HIDDEN)
			continue;
		row = doc_row(t)->cells;
		row[0] = cell_text(c->name);
		row[1] = cell_text(c->args);
		row[2] = cell_text(c->summary);
		row[3] = cell_text(cmd_group_names[c->group]);
		row[4] = cell_text(c->opts);
		row[5] = cell_text(c->example);
	}
	return query_print(app, t, "", e);
}

/* Limited to a width that is easy to read, and to a minimum for long words. */
static int text_width(void)
{
	int width = out_style_stdout().width;

	return width <= 0 || width > 80 ? 80 : width < 40 ? 40 : width;
}

int cmd_help(struct app *app, struct err *e)
{
	const struct cmd *c = NULL;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	int used;

	if (!app->n_args && app->o.format)
		return list_commands(app, e);
	if (app->n_args)
		c = cmd_find_words(app->args, app->n_args, &used);
	if (app->n_args && !c && !help_topic(app, &b, text_width(), e)) {
		const char *names[16], *near = near_command(&app->arena, app->args[0]);

		if (!near)
			near = str_nearest(
				app->args[0], names, help_topic_names(names, 16));
		err_set(e, E_USAGE, "unknown command '%.60s'", app->args[0]);
		near_fix(e, near, "see: tpucost help");
	}
	if (e->code)
		return cmd_fail(e);
	if (c)
		help_command(&b, c, text_width());
	else if (!app->n_args)
		help_overview(&b, text_width());
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}

int cmd_version(struct app *app, struct err *e)
{
	static const struct doc_column cols[] = {
		{"version", .type = DOC_TEXT}, {"prices", .type = DOC_TEXT}};
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct doc_section *t = doc_table(&app->arena, cols, ARRAY_LEN(cols));

	if (app->o.format) {
		struct doc_cell *row = doc_row(t)->cells;

		row[0] = cell_text(TPUCOST_VERSION);
		row[1] = cell_text(price_table_date);
		return query_print(app, t, "", e);
	}
	sbuf_addf(&b, "tpucost " TPUCOST_VERSION "\nlist prices of %s\n", price_table_date);
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}
