#include "base/sbuf.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/out.h"

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
		sbuf_addf(b, "  %-10s %s\n", cmds[i].name, cmds[i].summary);
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

int cmd_help(struct app *app, struct err *e)
{
	struct sbuf b = SBUF_INIT;
	int rc = EXIT_FINE;

	if (app->n_args && strcmp(app->args[0], "help") != 0) {
		const struct cmd *c = cmd_find(app->args[0]);

		if (!c) {
			err_set(e, E_USAGE, "unknown command \"%s\"", app->args[0]);
			err_fix(e, "see: tpucost help");
			return cmd_fail(e);
		}
		help_command(&b, c);
	} else {
		help_overview(&b);
	}
	if (out_write(&b, e))
		rc = cmd_fail(e);
	sbuf_done(&b);
	return rc;
}

int cmd_version(struct app *app, struct err *e)
{
	struct sbuf b = SBUF_INIT;
	int rc = EXIT_FINE;

	(void)app;
	sbuf_adds(&b, "tpucost " TPUCOST_VERSION "\n");
	if (out_write(&b, e))
		rc = cmd_fail(e);
	sbuf_done(&b);
	return rc;
}
