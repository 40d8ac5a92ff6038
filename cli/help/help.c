/* `tpucost help` and `tpucost version`: help on topics, and on commands from the tables of commands and
 * options, in paragraphs and two columns. */
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/query.h"
#include "rules/price/price.h"

#include <string.h>

/* ---- texts ------------------------------------------------------------------------------------- */

/* Wraps one paragraph of `len` bytes; its leading blanks are added to the indent. */
static void wrap_one(
	struct sbuf *b, const char *s, size_t len, size_t at, size_t indent, size_t width)
{
	cleanup(sbuf_done) struct sbuf one = SBUF_INIT;

	sbuf_add(&one, s, len);
	indent += strspn(one.s, " ");
	if (at < indent)
		sbuf_pad(b, ' ', indent - at);
	sbuf_add_wrapped(b, one.s, at > indent ? at : indent, indent, width);
}

/* Appends paragraphs, wrapped to `width` columns. "\n" ends a paragraph, two leave an empty line.
 * Blanks at the start of a paragraph indent all of it, in addition to `indent`. The first line
 * begins at column `at`. Words are never broken. */
static void help_wrap(struct sbuf *b, const char *text, int at, int indent, int width)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		if (n)
			wrap_one(b, text, n, (size_t)at, (size_t)indent, (size_t)width);
		else
			sbuf_adds(b, "\n");
		at = 0;
		text += n + (text[n] == '\n');
	}
}

/* "  left      right", the right side wrapped under itself. */
static void help_pair(
	struct sbuf *b, const char *left, const char *right, int at, int width)
{
	int used = 2 + (int)utf8_width(left);

	sbuf_addf(b, "  %s", left);
	/* If little space remains on the line, the text begins on the next line. */
	if (used + 2 > at || at + 24 > width) {
		sbuf_adds(b, "\n");
		used = 0;
		at = at + 24 > width ? 6 : at;
	}
	help_wrap(b, right, used, at, width);
}

/* ---- keys of the configuration --------------------------------------------------------------- */

static void add_key(struct sbuf *b, const struct config_key *k, int width)
{
	const struct field *f = k->field;
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;

	sbuf_addf(&text, "%s (%s", f->doc, bind_type_name(f));
	if (f->def)
		sbuf_addf(&text, "; default: %s", f->def);
	sbuf_adds(&text, f->required ? "; required)" : ")");
	help_pair(b, k->path, text.s, 27, width);
}

static enum err_code topic_config(
	struct arena *a, struct sbuf *b, const char *about, int width, struct err *e)
{
	struct config_key *keys;
	size_t n = config_doc_keys(a, &keys), hits = 0;
	const char **names = arena_alloc(a, n * sizeof(*names));

	if (!about)
		help_wrap(b,
			"Keys of the configuration. '[]' is for each entry of a "
			"list. To show one part: tpucost help config KEY, such as budgets "
			"or notify.email. To check your configuration: tpucost check.\n\n",
			0, 0, width);
	for (size_t i = 0; i < n; i++) {
		names[i] = keys[i].path;
		if (about ? !config_key_within(keys[i].path, about) : keys[i].depth > 0)
			continue;
		add_key(b, &keys[i], width);
		hits++;
	}
	if (hits)
		return E_OK;
	err_set(e, E_USAGE, "help config: there is no key '%.60s'", about);
	return near_fix(e, str_nearest(about, names, n), "see: tpucost help config");
}

static const char config_intro[] =
	"# The configuration\n\n"
	"A YAML file: `--config FILE`, else `$TPUCOST_CONFIG`, else\n"
	"`~/.config/tpucost/config.yaml`, or `/etc/tpucost/config.yaml` if there is none. "
	"Only\n`projects` is required.\n"
	"`tpucost check` reports errors with line and column. `tpucost help config "
	"KEY`\nshows a part of this page; `tpucost help config --format markdown` prints "
	"this page.\n\n"
	"```yaml\n"
	"timezone: Asia/Hong_Kong\n"
	"projects: [my-project]\n"
	"billing: {table: "
	"my-project.billing.gcp_billing_export_resource_v1_01AB23_CD45EF_678901}\n"
	"grants:\n"
	"  - name: trc-nov\n"
	"    starts: 2026-11-01\n"
	"    days: 30\n"
	"    tpus: [5 on-demand Cloud TPU v3-8 device(s) in zone europe-west4-a]\n"
	"credits:\n"
	"  - {name: free-trial, amount: 300 USD, starts: 2026-10-01, expires: 2026-12-30}\n"
	"budgets:\n"
	"  - {name: month, amount: 50 USD, per: month}\n"
	"rules:\n"
	"  - {use: ip-unused, enabled: false}\n"
	"notify:\n"
	"  - name: log\n"
	"    file: {path: alerts.jsonl}\n"
	"report: {daily: {at: \"09:00\"}}\n"
	"```\n\n"
	"Durations are `30s`, `10m`, `6h`, `30d`. Amounts have a currency: `300 USD`. A "
	"date means\n"
	"00:00 of that day in `timezone`. Relative paths start at the directory of the "
	"file, `~/` is your home directory.\n"
	"Passwords and secret URLs are in separate files (mode 0600), never here. Such a "
	"file must not be a\n"
	"symbolic link: for a secret mounted by Kubernetes, give the file in `..data`. "
	"Unknown and duplicate\n"
	"keys are errors.\n";

static void add_config_markdown(struct arena *a, struct sbuf *b)
{
	struct config_key *keys;
	size_t n = config_doc_keys(a, &keys);

	sbuf_adds(b, config_intro);
	for (size_t i = 0; i < n; i++) {
		const struct field *f = keys[i].field;

		if (!keys[i].depth)
			sbuf_addf(b,
				"\n## %s\n\n| key | type | default | meaning |\n"
				"|---|---|---|---|\n",
				f->key);
		sbuf_addf(b, "| `%s` | %s | %s | %s |\n", keys[i].path, bind_type_name(f),
			f->required      ? "required"
				: f->def ? f->def
					 : "",
			f->doc);
	}
}

/* ---- conditions ------------------------------------------------------------------------------ */

static const char conditions_text[] =
	"Conditions are SQL over one row of a view. They are used by --where, `where:` of "
	"rules and budgets, and `protect:` of enforcement. For the names, see `tpucost "
	"views`.\n\n"
	"  kind = 'vm' AND vcpus >= 32\n"
	"  name LIKE 'exp-%' AND age_hours > 24\n"
	"  covered = 0 OR why IN ('wrong-zone', 'expired')\n"
	"  idle_minutes IS NULL\n"
	"  json_extract(labels, '$.team') = 'nlp'\n\n"
	"Put text in single quotes. Unknown values are NULL; comparisons with NULL never "
	"hold, so use IS NULL. Flags are 1 and 0. Times are text in RFC 3339, UTC, and "
	"can be compared: created < '2026-11-01T00:00:00Z'. Amounts are in the currency "
	"of their row.\n";

static const char formats_text[] =
	"--format table is for reading: some columns, times in your zone, the width of the "
	"terminal. json is an array of flat objects, csv has a header; both have all "
	"columns of the view, with the names of `tpucost views`, and RFC 3339 times in "
	"UTC. markdown is a table for other pages. --columns selects columns in every "
	"format.\n"
	"In CSV, text that a spreadsheet would run as a formula gets the prefix ' unless "
	"--raw is given.\n"
	"Results are written to standard output; hints and progress are written to "
	"standard error and suppressed by --quiet. NO_COLOR and COLUMNS are respected.\n\n"
	"Exit status: 0 success; 1 failure; 2 usage or configuration error; 3 the answer "
	"is no; 4 incomplete: a source failed, the others are stored. A pipe that is "
	"closed by its reader is not a failure; a full disk or a closed standard output "
	"is. For examples of scripts, see docs/output.md.\n";

static const char times_text[] =
	"--since and --until accept a time before now (7d, 12h, 30m), a word (today, "
	"yesterday, week: since Monday, month: since the first), a date (2026-11-01: its "
	"first moment in the configured zone) or an instant (2026-11-01T08:00:00Z). "
	"--month 2026-11 is an invoice month of Google, in Pacific time. For "
	"`hold`, --until is a time after now, and a date is inclusive.\n";

/* ---- list of topics -------------------------------------------------------------------------- */

static const struct {
	const char *name, *summary, *text, *example;
} topics[] = {
	{"config", "Keys of the configuration; help config KEY", NULL,
		"tpucost help config budgets"},
	{"conditions", "Conditions of --where and rules", conditions_text,
		"tpucost ps --where \"kind = 'vm' AND vcpus >= 32\""},
	{"formats", "Tables, JSON, CSV and exit statuses", formats_text,
		"tpucost ps --format csv --columns name,type,gross_per_hour"},
	{"times", "Times of --since, --until and --month", times_text,
		"tpucost cost --since 7d --until 1d"},
};

static void help_topics(struct sbuf *b, int width)
{
	sbuf_adds(b, "\nTopics: tpucost help TOPIC\n");
	for (size_t i = 0; i < ARRAY_LEN(topics); i++)
		help_pair(b, topics[i].name, topics[i].summary, 19, width);
}

size_t help_topic_names(const char **out, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(topics) && n < max; i++)
		out[n++] = topics[i].name;
	return n;
}

/* Appends the page that app->args names. Returns false if there is none; other errors are set in
 * `e`. */
static bool help_topic(struct app *app, struct sbuf *b, int width, struct err *e)
{
	const char *about = app->n_args > 1 ? app->args[1] : NULL;

	for (size_t i = 0; i < ARRAY_LEN(topics); i++) {
		if (strcmp(topics[i].name, app->args[0]) != 0)
			continue;
		if (topics[i].text)
			help_wrap(b, topics[i].text, 0, 0, width);
		else if (!about && str_eq(app->o.format, "markdown"))
			add_config_markdown(&app->arena, b);
		else if (topic_config(&app->arena, b, about, width, e))
			return true;
		if (!about && !app->o.format)
			sbuf_addf(b, "\nExample:\n  %s\n", topics[i].example);
		return true;
	}
	return false;
}

/* ---- commands and options ------------------------------------------------------------- */

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
