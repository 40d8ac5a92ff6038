/* Help on commands, from the tables of commands and options. */
#include "cli/help/help.h"

#include <string.h>

const char *const cmd_group_names[CMD_GROUPS] = {
	[GROUP_OTHER] = "Other",
	[GROUP_FIRST] = "First steps",
	[GROUP_EXISTS] = "What exists, and what is free",
	[GROUP_MONEY] = "Money",
	[GROUP_RULES] = "Rules and alerts",
	[GROUP_ACT] = "Enforcement",
	[GROUP_SEND] = "Reports and messages",
	[GROUP_KEEP] = "Upkeep and reference",
};

static void add_option(struct sbuf *b, const struct opt *o, int width)
{
	struct sbuf left = SBUF_INIT;

	if (o->letter)
		sbuf_addf(&left, "-%c, ", o->letter);
	else
		sbuf_adds(&left, "    ");
	sbuf_addf(&left, "--%s%s%s", o->name, o->arg ? " " : "", o->arg ? o->arg : "");
	help_pair(b, left.s, o->help, 27, width);
	sbuf_done(&left);
}

static void add_group(struct sbuf *b, enum cmd_group group, int width)
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

void help_overview(struct sbuf *b, int width)
{
	help_wrap(b,
		"tpucost: what your Google Cloud TPUs and everything around them cost, "
		"what your TRC grant covers, and why not.",
		0, 0, width);
	sbuf_adds(b, "\nusage: tpucost COMMAND [OPTIONS]\n");
	for (int g = GROUP_FIRST; g < CMD_GROUPS; g++)
		add_group(b, (enum cmd_group)g, width);
	add_group(b, GROUP_OTHER, width);
	help_topics(b, width);
	sbuf_adds(b, "\nOptions of every command\n");
	for (size_t i = 0; i < n_options; i++)
		if (options[i].common)
			add_option(b, &options[i], width);
	sbuf_adds(b, "\n");
	help_wrap(b,
		"Exit status: 0 fine, 1 failed, 2 usage or configuration, 3 the answer is "
		"no, 4 partial. The configuration is --config, $TPUCOST_CONFIG, "
		"~/.config/tpucost/config.yaml or /etc/tpucost/config.yaml.\n"
		"Help on one command: tpucost help COMMAND",
		0, 0, width);
}

static void add_options(struct sbuf *b, const struct cmd *c, int width)
{
	bool any = false;

	for (size_t i = 0; i < n_options; i++) {
		if (options[i].common || !opts_taken(c, &options[i]))
			continue;
		sbuf_adds(b, any ? "" : "\nOptions:\n");
		any = true;
		add_option(b, &options[i], width);
	}
}

static void add_below(struct sbuf *b, const struct cmd *c, int width)
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

void help_command(struct sbuf *b, const struct cmd *c, int width)
{
	struct sbuf usage = SBUF_INIT;

	sbuf_addf(&usage, "usage: tpucost %s%s%s%s\n", c->name, *c->args ? " " : "",
		c->args, *c->opts ? " [OPTIONS]" : "");
	help_wrap(b, usage.s, 0, 0, width);
	sbuf_adds(b, "\n");
	sbuf_done(&usage);
	help_wrap(b, c->summary, 0, 0, width);
	if (*c->text) {
		sbuf_adds(b, "\n");
		help_wrap(b, c->text, 0, 0, width);
	}
	add_options(b, c, width);
	add_below(b, c, width);
	sbuf_addf(b, "\nExample:\n  %s\n", c->example);
}
