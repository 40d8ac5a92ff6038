/* `tpucost complete -- WORD...`: candidates for the last word, for the scripts of `tpucost
 * completion`, and the names in them from tables, configuration and database. Prints nothing on
 * errors. */
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/out/out.h"
#include "cli/query.h"
#include "db/db.h"
#include "db/vocab.h"
#include "db_sql.h"
#include "reports/doc/formats.h"
#include "reports/kinds.h"

#include <ctype.h>
#include <string.h>

/* ---- names ---------------------------------------------------------------------------- */

#define MOST 1000 /* more candidates are not useful */

/* The word at the cursor, and its candidates. */
struct completing {
	struct app *app;
	struct sbuf *out; /* "candidate TAB meaning" a line */
	const char *word; /* the word typed so far */
	size_t kept;      /* bytes of it that are kept, before the last comma of a list */
	bool opened;      /* reading the configuration was tried */
};

/* Tests that no shell can interpret the text as anything but text. */
static bool names_is_plain(const char *s)
{
	size_t n = strspn(s,
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/:=@,+-");

	return *s && !s[n] && n < 1000;
}

/* Adds a candidate if it begins with the word and no shell could interpret it as anything but
 * text. */
static void complete_add(struct completing *c, const char *text, const char *meaning)
{
	if (!names_is_plain(text) || !str_starts(text, c->word + c->kept))
		return;
	sbuf_addf(c->out, "%.*s%s", (int)c->kept, c->word, text);
	if (meaning) {
		sbuf_addc(c->out, '\t');
		for (const char *p = meaning; *p && *p != '\n'; p++)
			sbuf_addc(c->out, iscntrl((unsigned char)*p) ? ' ' : *p);
	}
	sbuf_addc(c->out, '\n');
}

/* ---- configuration and database, if they can be read ------------------------------------------ */

static const struct config *config_of(struct completing *c)
{
	struct app *app = c->app;
	struct err e = {0};

	if (!c->opened) {
		c->opened = true;
		app->cfg = arena_new(&app->arena, struct config);
		if (config_read(config_path(app), &app->arena, app->cfg, &e)) {
			tz_free(app->cfg->tz);
			app->cfg = NULL;
		}
		if (app->cfg &&
			db_open(app->cfg->database, DB_READ, app->clock, &app->db, &e))
			app->db = NULL;
	}
	return app->cfg;
}

static struct db *db_of(struct completing *c)
{
	return config_of(c) ? c->app->db : NULL;
}

/* Adds the names of n structs of `size` bytes, the first one at `name`; `meaning` is the same of
 * their meanings, or NULL. */
static void add_list(struct completing *c, const char *prefix, const void *name,
	const void *meaning, size_t n, size_t size)
{
	for (size_t i = 0; i < n; i++)
		complete_add(c,
			arena_printf(&c->app->arena, "%s%s", prefix,
				*(const char *const *)((const char *)name + i * size)),
			meaning ? *(const char *const *)((const char *)meaning + i * size)
				: NULL);
}

/* Lists of the configuration, whose elements begin with their name. */
#define NAMED(list, n, type) \
	offsetof(struct config, list), offsetof(struct config, n), sizeof(type)
static const struct {
	const char *kind;
	size_t list, n, size, meaning;
} named[] = {
	{"grant", NAMED(grants, n_grants, struct grant)},
	{"channel", NAMED(channels, n_channels, struct channel)},
	{"budget", NAMED(budgets, n_budgets, struct budget)},
	{"credit", NAMED(credits, n_credits, struct credit)},
	{"project", NAMED(projects.v, projects.n, const char *)},
	{"rule", NAMED(settings.rules, settings.n_rules, struct rule),
		offsetof(struct rule, doc)},
};

/* Adds names of a kind given as "grant" or "grant:". Returns false if there is no such kind. */
static bool add_named(struct completing *c, const char *kind, const char *prefix)
{
	size_t len = strcspn(kind, ":");

	for (size_t i = 0; i < ARRAY_LEN(named); i++) {
		const char *cfg, *at;

		if (strncmp(named[i].kind, kind, len) != 0 || named[i].kind[len])
			continue;
		cfg = (const char *)config_of(c);
		at = cfg ? *(const char *const *)(cfg + named[i].list) : NULL;
		if (at)
			add_list(c, prefix, at,
				named[i].meaning ? at + named[i].meaning : NULL,
				*(const size_t *)(cfg + named[i].n), named[i].size);
		return true;
	}
	return false;
}

/* Adds short names, or whole ids once the word contains a "/". */
static void add_resources(struct completing *c, bool acts)
{
	struct q_complete_resources_in in = {.most = MOST};
	struct q_complete_resources row;
	struct db_rows rows;
	struct err e = {0};

	if (!db_of(c) || q_complete_resources_open(c->app->db, &in, &rows, &e))
		return;
	while (q_complete_resources_next(&rows, &row))
		if (!acts || !strcmp(row.kind, "vm") || !strcmp(row.kind, "tpu") ||
			!strcmp(row.kind, "queued"))
			complete_add(c, strchr(c->word, '/') ? row.id : row.name, row.kind);
	db_rows_close(&rows, &e);
}

static void names_sources(struct completing *c)
{
	/* as in collector/sources.c, which is part of tpucost-net */
	static const char *const names[] = {"vm", "slice", "disk", "ip", "tpu", "queued",
		"snapshot", "bucket", "reservation", "resize", "preemption", "project",
		"index", "account", "anomaly", "quota", "tpu-quota", "compute-tpu-quota",
		"price", "machine-type", "metric", "billing"};

	for (size_t i = 0; i < POLL_GROUPS; i++)
		complete_add(c, poll_group_names[i], "group");
	add_list(c, "", names, NULL, ARRAY_LEN(names), sizeof(names[0]));
}

static void names_ids(struct completing *c)
{
	add_resources(c, true);
}

/* Adds everything that `why` explains. */
static void names_things(struct completing *c)
{
	static const char *const kinds[] = {"burn", "grant:", "budget:", "credit:", "rule:",
		"source:", "alert:", "quota:", "cost:", "action:", "gone:"};
	const char *colon = strchr(c->word, ':'), *prefix = "";

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (!colon)
			complete_add(c, kinds[i], NULL);
		else if (str_starts(c->word, kinds[i]))
			prefix = kinds[i];
	}
	if (!add_named(c, prefix, prefix))
		add_resources(c, false);
}

static void names_reports(struct completing *c)
{
	add_list(c, "", &report_kinds[0].name, &report_kinds[0].summary, n_report_kinds,
		sizeof(report_kinds[0]));
}

static void names_keys(struct completing *c)
{
	struct config_key *keys;
	size_t n = config_doc_keys(&c->app->arena, &keys);

	for (size_t i = 0; i < n; i++)
		if (!strchr(keys[i].path, '['))
			complete_add(c, keys[i].path, keys[i].field->doc);
}

static void names_topics(struct completing *c)
{
	const char *names[16];
	size_t n = help_topic_names(names, ARRAY_LEN(names));

	for (size_t i = 0; i < n; i++)
		complete_add(c, names[i], "topic");
}

static void names_views(struct completing *c)
{
	for (size_t i = 0; i < n_views; i++)
		complete_add(c, views[i]->name, views[i]->doc);
}

static const struct {
	const char *kind;
	void (*add)(struct completing *c);
} kinds[] = {
	{"source", names_sources},
	{"id", names_ids},
	{"thing", names_things},
	{"report", names_reports},
	{"key", names_keys},
	{"topic", names_topics},
	{"view", names_views},
};

/* Adds names from the database: the rows of the query of that kind. */
static void names_add_known(struct completing *c, const char *kind)
{
	struct q_complete_names_in in = {.kind = kind, .most = MOST};
	struct q_complete_names row;
	struct db_rows rows;
	struct err e = {0};

	if (!db_of(c) || q_complete_names_open(c->app->db, &in, &rows, &e))
		return;
	while (q_complete_names_next(&rows, &row))
		complete_add(c, row.name, row.meaning);
	db_rows_close(&rows, &e);
}

/* Adds names of a kind. Sources that cannot be read are skipped. */
static void complete_names(struct completing *c, const char *kind)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (!strcmp(kinds[i].kind, kind)) {
			kinds[i].add(c);
			return;
		}
	if (!add_named(c, kind, ""))
		names_add_known(c, kind);
}

/* ---- the command line ----------------------------------------------------------------- */

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

/* Columns that commands make themselves, or those of a view of the database; NULL: there is no such
 * view. */
static const struct view *shown_find(const char *name)
{
	const struct view *const own[] = {&view_enforce, &view_estimate, &view_rule_list};

	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		if (!strcmp(own[i]->name, name))
			return own[i];
	return view_find(name);
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
	} of_options[] = {{"project", "project"}, {"to", "channel"}, {"extends", "grant"},
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
	else if (!strcmp(o->name, "what"))
		add_words(c, "tpu egress");
	else if (!strcmp(o->name, "for"))
		add_words(c, "30m 2h 1d 7d");
	for (size_t i = 0; i < ARRAY_LEN(of_options); i++)
		if (!strcmp(of_options[i].option, o->name))
			complete_names(c, of_options[i].kind);
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
