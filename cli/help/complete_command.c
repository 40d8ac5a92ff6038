/* `tpucost complete -- WORD...`: candidates for the last word, for the scripts of
 * `tpucost completion`. Prints nothing on errors. */
#include "base/str.h"
#include "cli/shown.h"
#include "cli/help/help.h"
#include "cli/near.h"
#include "cli/out/out.h"
#include "reports/doc/formats.h"

#include <string.h>

/* As a candidate: let the shell look for files. */
#define FILES ":files\n"

/* ---- values of options ------------------------------------------------------------------------ */

/* Adds words that are separated by blanks. */
static void add_words(struct completing *c, const char *words)
{
	char *rest = arena_strdup(&c->app->arena, words);

	while (rest)
		complete_add(c, strsep(&rest, " "), NULL);
}

static void add_formats(struct completing *c, const struct cmd *cmd)
{
	if (!cmd || strcmp(cmd->name, "report") != 0) {
		add_words(c, "table json csv markdown");
		if (cmd && !strcmp(cmd->name, "views"))
			complete_add(c, "sql", NULL);
		return;
	}
	for (size_t i = 0; i < n_doc_formats; i++)
		complete_add(c, doc_formats[i].name, NULL);
}

static void complete_add_columns(struct completing *c, const struct cmd *cmd)
{
	const struct view *v = cmd && cmd->view ? shown_find(cmd->view) : NULL;

	for (size_t i = 0; v && i < v->n; i++)
		complete_add(c, v->columns[i].name, v->columns[i].doc);
}

static void complete_add_value(
	struct completing *c, const struct cmd *cmd, const struct opt *o)
{
	static const struct {
		const char *option, *kind;
	} kinds[] = {{"project", "project"}, {"to", "channel"}, {"extends", "grant"},
		{"subject", "subject"}};
	const char *comma = strrchr(c->word + c->kept, ',');

	/* lists with commas: the elements before the last comma are kept */
	if (strchr(o->arg, ',') && comma)
		c->kept = (size_t)(comma + 1 - c->word);
	if (str_starts(o->arg, "FILE"))
		sbuf_adds(c->out, FILES);
	else if (!strcmp(o->name, "format"))
		add_formats(c, cmd);
	else if (!strcmp(o->name, "by") && cmd && !strcmp(cmd->name, "coverage"))
		complete_add(c, "grant", NULL);
	else if (!strcmp(o->name, "columns") || !strcmp(o->name, "sort-by") ||
		!strcmp(o->name, "by") || !strcmp(o->name, "where"))
		complete_add_columns(c, cmd);
	else if (!strcmp(o->name, "since") || !strcmp(o->name, "until"))
		add_words(c, "1d 7d 30d");
	else if (!strcmp(o->name, "for"))
		add_words(c, "30m 2h 1d 7d");
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (!strcmp(kinds[i].option, o->name))
			complete_names(c, kinds[i].kind);
}

static void complete_add_options(struct completing *c, const struct cmd *cmd)
{
	for (size_t i = 0; i < n_options; i++)
		if (cmd ? opts_taken(cmd, &options[i]) : options[i].common)
			complete_add(c,
				arena_printf(&c->app->arena, "--%s", options[i].name),
				options[i].help);
}

/* ---- arguments -------------------------------------------------------------------------------- */

/* Adds the first words of commands, each once. */
static void complete_add_commands(struct completing *c)
{
	for (size_t i = 0; i < n_cmds; i++)
		if (cmds[i].group != GROUP_HIDDEN && !strchr(cmds[i].name, ' '))
			complete_add(c, cmds[i].name, cmds[i].summary);
}

static void complete_add_below(struct completing *c, const struct cmd *cmd)
{
	const char *words[16];
	size_t n = cmd_words(&c->app->arena, cmd, words, ARRAY_LEN(words));

	for (size_t i = 0; i < n; i++)
		complete_add(c, words[i], NULL);
	for (size_t i = 0; i < n_cmds; i++)
		if (cmd_is_under(cmd, &cmds[i]) && cmds[i].group != GROUP_HIDDEN)
			complete_add(
				c, cmds[i].name + strlen(cmd->name) + 1, cmds[i].summary);
}

/* Kind of names that follows a word of a command. */
static const char *kind_after(const struct cmd *cmd, const char *word)
{
	static const struct {
		const char *cmd, *word, *kind;
	} after[] = {
		{"rules", "explain", "rule"},
		{"hold", "add", "id"},
		{"hold", "remove", "held"},
		{"silence", "add", "rule"},
		{"silence", "remove", "silence"},
		{"db", "forget", "table"},
		{"report", "grant", "grant"},
		{"help", "config", "key"},
	};

	for (size_t i = 0; i < ARRAY_LEN(after); i++)
		if (!strcmp(after[i].cmd, cmd->name) && !strcmp(after[i].word, word))
			return after[i].kind;
	return NULL;
}

static void add_argument(
	struct completing *c, const struct cmd *cmd, char *const *args, int n)
{
	const char *kind = n == 1 ? kind_after(cmd, args[0]) : NULL;
	int used;

	if (!strcmp(cmd->name, "help") && (!n || !kind)) {
		const struct cmd *about = n ? cmd_find_words(args, n, &used) : NULL;

		if (about)
			complete_add_below(c, about);
		if (n)
			return;
		complete_add_commands(c);
		complete_names(c, "topic");
		return;
	}
	if (!n)
		complete_add_below(c, cmd);
	if (!kind && cmd->takes && n < cmd->max_args && (!n || cmd->max_args > 2))
		kind = cmd->takes;
	if (kind && !strcmp(kind, "file"))
		sbuf_adds(c->out, FILES);
	else if (kind)
		complete_names(c, kind);
}

/* ---- the words before ------------------------------------------------------------------------- */

static const struct opt *option_of(const char *word)
{
	if (word[0] != '-' || !word[1])
		return NULL;
	if (word[1] != '-')
		return opt_letter(word[1]);
	return opt_named(word + 2, strcspn(word + 2, "="));
}

/* Reads the words before the last one: finds an option that waits for its value, and the
 * arguments. */
static const struct opt *complete_walk(struct completing *c, char *const *words, int n,
	char **args, int *n_args, bool *ended)
{
	*n_args = 0;
	for (int i = 0; i < n; i++) {
		const struct opt *o = *ended ? NULL : option_of(words[i]);

		if (!*ended && !strcmp(words[i], "--")) {
			*ended = true;
		} else if (o && o->type != OPT_FLAG && !strchr(words[i], '=') &&
			(words[i][1] == '-' || !words[i][2])) {
			if (i + 1 == n)
				return o;
			i++;
			if (!strcmp(o->name, "config"))
				c->app->o.config = words[i];
		} else if (o && !strcmp(o->name, "config") && strchr(words[i], '=')) {
			c->app->o.config = strchr(words[i], '=') + 1;
		} else if (*ended || words[i][0] != '-') {
			args[(*n_args)++] = words[i];
		}
	}
	return NULL;
}

static void complete_words(struct completing *c, char *const *words, int n)
{
	char **args = arena_alloc(&c->app->arena, ((size_t)n + 1) * sizeof(*args));
	const struct opt *waits;
	const struct cmd *cmd;
	bool ended = false;
	int n_args, used = 0;

	waits = complete_walk(c, words, n - 1, args, &n_args, &ended);
	cmd = cmd_find_words(args, n_args, &used);
	if (!waits && !ended && str_starts(c->word, "--") && strchr(c->word, '=')) {
		waits = option_of(c->word);
		c->kept = (size_t)(strchr(c->word, '=') + 1 - c->word);
		if (!waits || waits->type == OPT_FLAG)
			return;
	}
	if (waits)
		complete_add_value(c, cmd, waits);
	else if (!ended && c->word[0] == '-')
		complete_add_options(c, cmd);
	else if (!n_args)
		complete_add_commands(c);
	else if (cmd)
		add_argument(c, cmd, args + used, n_args - used);
}

int cmd_complete(struct app *app, struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct completing c = {.app = app, .out = &b};

	if (!app->n_args)
		return EXIT_FINE;
	c.word = app->args[app->n_args - 1];
	complete_words(&c, app->args, app->n_args);
	return out_write(&b, e) ? EXIT_FAILED : EXIT_FINE;
}
