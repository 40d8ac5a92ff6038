#include "cli/opts.h"

#include "base/str.h"
#include "cli/cmd.h"

#include <stdio.h>
#include <string.h>

#define OF_ROWS "format,raw,where,sort-by,limit,columns" /* options of what prints rows */
#define MOST_COUNT 1000000000
#define AT(field) offsetof(struct opts, field)

const struct opt options[] = {
	{"config", 0, OPT_TEXT, AT(config), "use this configuration file", "FILE",
		.common = true},
	{"quiet", 'q', OPT_FLAG, AT(quiet), "do not print progress and hints",
		.common = true},
	{"no-pager", 0, OPT_FLAG, AT(no_pager), "do not show long output through $PAGER",
		.common = true},
	{"verbose", 'v', OPT_FLAG, AT(verbose), "print each step", .common = true},
	{"help", 'h', OPT_FLAG, AT(help), "show the help of the command", .common = true},
	{"version", 0, OPT_FLAG, AT(version), "print the version and exit", .common = true},
	{"format", 'f', OPT_TEXT, AT(format),
		"output format: table, json, csv or markdown (of reports: see help report)",
		"FORMAT"},
	{"raw", 0, OPT_FLAG, AT(raw), "CSV: do not escape formulas"},
	{"where", 'w', OPT_TEXT, AT(where), "show only rows that match this SQL condition",
		"SQL"},
	{"sort-by", 's', OPT_TEXT, AT(sort_by),
		"sort by columns: 'name', 'gross_per_hour desc' or -gross_per_hour", "COL"},
	{"limit", 'n', OPT_COUNT, AT(limit), "show at most N rows", "N"},
	{"watch", 0, OPT_COUNT, AT(watch), "repeat every N seconds and update the screen",
		"SECONDS"},
	{"columns", 'c', OPT_TEXT, AT(columns), "show only these columns", "A,B"},
	{"project", 'p', OPT_TEXT, AT(project), "select this project, or several: a,b",
		"P"},
	{"since", 0, OPT_TEXT, AT(since),
		"start of the period: 7d, 12h, today, month, 2026-11-01 or RFC 3339",
		"TIME"},
	{"until", 0, OPT_TEXT, AT(until),
		"end of the period, as --since; for `hold`, a date is inclusive", "TIME"},
	{"by", 0, OPT_TEXT, AT(by), "group by these columns", "A,B"},
	{"what", 0, OPT_TEXT, AT(what),
		"compare tpu (default) or egress: what buckets serve", "WHAT"},
	{"month", 0, OPT_TEXT, AT(month), "select this invoice month of Google", "YYYY-MM"},
	{"all", 'a', OPT_FLAG, AT(all), "include stopped, ended and normal items"},
	{"held", 0, OPT_FLAG, AT(held), "list what holds TPU quota without use"},
	{"subject", 0, OPT_TEXT, AT(subject), "silence only this subject", "ID"},
	{"for", 0, OPT_TEXT, AT(hold_for), "duration: 30m, 2h, 3d", "TIME"},
	{"comment", 0, OPT_TEXT, AT(comment), "why", "TEXT"},
	{"once", 0, OPT_FLAG, AT(once), "run one cycle and exit (for cron)"},
	{"offline", 0, OPT_FLAG, AT(offline), "send no requests: use only what is stored"},
	{"strict", 0, OPT_FLAG, AT(strict), "exit with status 3 if there are warnings"},
	{"allow-overlap", 0, OPT_FLAG, AT(allow_overlap),
		"import days that are already stored again"},
	{"billed-cost", 0, OPT_TEXT, AT(billed_cost),
		"what BilledCost of a FOCUS file contains, if it does not show it: "
		"after-credits or before-credits",
		"WHAT"},
	{"focus", 0, OPT_TEXT, AT(focus),
		"version of --format focus: 1.2 (default), 1.3 or 1.4", "VERSION"},
	{"anchor", 0, OPT_TEXT, AT(anchor),
		"hash that was recorded elsewhere, for example in a daily report", "HASH"},
	{"dry-run", 0, OPT_FLAG, AT(dry_run), "only show what would be done (the default)"},
	{"apply", 0, OPT_FLAG, AT(apply), "do what is due now"},
	{"exit-code", 0, OPT_FLAG, AT(exit_code),
		"exit with status 3 if there is an action to take"},
	{"listen", 0, OPT_TEXT, AT(listen), "address: 127.0.0.1:8420, or unix:PATH",
		"ADDRESS"},
	{"per-resource", 0, OPT_FLAG, AT(per_resource),
		"also print a series for each resource"},
	{"output", 'o', OPT_TEXT, AT(output),
		"write to this file instead of the default, - for standard output", "FILE"},
	{"send", 0, OPT_FLAG, AT(send), "send it now instead of printing it"},
	{"to", 0, OPT_TEXT, AT(to), "send to these channels (with --send)", "A,B"},
	{"starts", 0, OPT_TEXT, AT(starts),
		"first day of the grant, if not the date of the mail", "DATE"},
	{"days", 0, OPT_COUNT, AT(days),
		"duration of the grant in days, if the mail does not state it", "N"},
	{"name", 0, OPT_TEXT, AT(name), "name of the grant", "NAME"},
	{"extends", 0, OPT_TEXT, AT(extends), "the grant that this one renews", "NAME"},
	{"grant-mail", 0, OPT_TEXT, AT(grant_mail), "mail of a grant, - for standard input",
		"FILE"},
	{"billing-account", 0, OPT_TEXT, AT(billing_account),
		"watch all projects that this billing account pays for", "ID"},
	{"credentials", 0, OPT_TEXT, AT(credentials),
		"key of a service account to use instead of the default credentials",
		"FILE"},
	{"endpoint", 0, OPT_TEXT, AT(endpoint),
		"base URL of all APIs, on this machine only (for tests)", "URL"},
	{"overwrite", 0, OPT_FLAG, AT(overwrite),
		"replace an existing file (init keeps it as FILE.bak)"},
	{"tpu", 0, OPT_LIST, AT(tpu),
		"TPU type, and number: v3-8, v4-32:2; may be repeated", "TYPE[:N]"},
	{"vm", 0, OPT_LIST, AT(vm), "machine type, and number: n1-standard-2", "TYPE[:N]"},
	{"disk", 0, OPT_LIST, AT(disk), "disk type and size: pd-ssd:800", "TYPE:GIB"},
	{"ip", 0, OPT_FLAG, AT(ip), "add an external address"},
	{"zone", 0, OPT_TEXT, AT(zone), "zone: us-central1-f", "ZONE"},
	{"spot", 0, OPT_FLAG, AT(spot), "use spot (preemptible) TPUs and machines"},
	{"flex-start", 0, OPT_FLAG, AT(flex_start), "use flex-start TPUs and machines"},
	{"reserved", 0, OPT_FLAG, AT(reserved), "use TPUs of a reservation"},
	{"count", 0, OPT_COUNT, AT(count), "number of each resource", "N"},
};
const size_t n_options = ARRAY_LEN(options);

void opts_init(struct opts *o)
{
	memset(o, 0, sizeof(*o));
	o->limit = -1;
	o->watch = -1;
	o->days = -1;
	o->count = -1;
}

const struct opt *opt_named(const char *name, size_t len)
{
	for (size_t i = 0; i < n_options; i++)
		if (strlen(options[i].name) == len && !strncmp(options[i].name, name, len))
			return &options[i];
	return NULL;
}

const struct opt *opt_letter(char c)
{
	for (size_t i = 0; i < n_options; i++)
		if (options[i].letter == c)
			return &options[i];
	return NULL;
}

static enum err_code unknown(const char *word, size_t len, struct err *e)
{
	const char *near;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)len, word);
	near = NEAR_OF(name, options, n_options, name);
	err_set(e, E_USAGE, "unknown option --%s", name);
	return near ? err_fix(e, "did you mean --%s?", near)
		    : err_fix(e, "see: tpucost help");
}

enum err_code opts_set(
	struct opts *o, const struct opt *opt, const char *value, struct err *e)
{
	char *at = (char *)o + opt->offset;

	/* The last value counts, so that an alias can be overridden; but without the first of two
	 * conditions or groupings the answer is to another question. */
	if (str_in_list(opt->name, "by,where,project") && *(const char **)at) {
		err_set(e, E_USAGE, "option --%s is given twice", opt->name);
		return err_fix(e, "use one --%s %s", opt->name, opt->arg);
	}
	if (opt->type == OPT_TEXT && !*value && str_eq(opt->arg, "FILE"))
		return err_set_fix(e, E_USAGE, "name a file",
			"--%s: the name of the file is empty", opt->name);
	switch (opt->type) {
	case OPT_FLAG:
		*(bool *)at = true;
		return E_OK;
	case OPT_TEXT:
		*(const char **)at = value;
		return E_OK;
	case OPT_LIST: {
		struct opt_list *list = (struct opt_list *)at;

		if (list->n == OPT_LIST_MAX)
			return err_set_fix(e, E_USAGE, "use another command for the others",
				"more than %d options --%s", OPT_LIST_MAX, opt->name);
		list->v[list->n++] = value;
		return E_OK;
	}
	case OPT_COUNT:
		if (str_to_i64(value, 0, MOST_COUNT, (int64_t *)at))
			return E_OK;
		err_set(e, E_USAGE, "--%s: '%.60s' is not a whole number from 0 to %d",
			opt->name, value, MOST_COUNT);
		return err_fix(e, "use --%s 10", opt->name);
	}
	return err_set(e, E_BUG, "option type");
}

/* The first `len` bytes of the word are the option. */
static enum err_code no_value(const char *word, size_t len, struct err *e)
{
	err_set(e, E_USAGE, "option %.*s does not accept a value", (int)len, word);
	return err_fix(e, "use %.*s", (int)len, word);
}

/* Finds the option in `word`, with its value if it is in the same word. Sets *opt to NULL and
 * returns E_OK for a positional argument. */
static enum err_code spell(
	const char *word, const struct opt **opt, const char **value, struct err *e)
{
	const char *name, *eq;
	size_t len;

	*opt = NULL;
	*value = NULL;
	if (word[0] != '-' || !word[1])
		return E_OK;
	if (word[1] != '-') {
		*opt = opt_letter(word[1]);
		if (!*opt)
			return err_set_fix(e, E_USAGE, "see: tpucost help",
				"unknown option -%c", word[1]);
		*value = word[2] ? word + 2 : NULL;
		if (*value && (*opt)->type == OPT_FLAG)
			return no_value(word, 2, e);
		return E_OK;
	}
	name = word + 2;
	eq = strchr(name, '=');
	len = eq ? (size_t)(eq - name) : strlen(name);
	*opt = opt_named(name, len);
	if (!*opt)
		return unknown(name, len, e);
	*value = eq ? eq + 1 : NULL;
	if (eq && (*opt)->type == OPT_FLAG)
		return no_value(word, len + 2, e);
	return E_OK;
}

/* Tests whether the words so far are followed by the command of another program. A command quoted
 * as a whole, or "-" for standard input, is a single argument. */
static bool words_follow(char *const *args, int n)
{
	const struct cmd *cmd = n == 2 ? cmd_find(args[0]) : NULL;

	return cmd && (cmd->needs & TAKES_WORDS) && strcmp(args[1], "-") != 0 &&
		!strpbrk(args[1], " \t\r\n");
}

enum err_code opts_parse(
	int argc, char **argv, struct opts *o, char **args, int *n_args, struct err *e)
{
	bool ended = false;

	*n_args = 0;
	for (int i = 1; i < argc; i++) {
		const struct opt *opt = NULL;
		const char *value = NULL;

		if (!ended && !strcmp(argv[i], "--")) {
			ended = true;
			continue;
		}
		if (!ended && spell(argv[i], &opt, &value, e))
			return e->code;
		if (!opt) {
			args[(*n_args)++] = argv[i];
			ended = ended || words_follow(args, *n_args);
			continue;
		}
		if (opt->type != OPT_FLAG && !value) {
			if (i + 1 >= argc) {
				err_set(e, E_USAGE, "option --%s needs a value", opt->name);
				return err_fix(e, "use --%s %s", opt->name, opt->arg);
			}
			value = argv[++i];
		}
		if (opts_set(o, opt, value, e))
			return e->code;
	}
	return E_OK;
}

bool opts_taken(const struct cmd *cmd, const struct opt *o)
{
	const char *p = cmd->opts;
	size_t len = strlen(o->name);

	if (o->common)
		return true;
	while (p && *p) {
		size_t n = strcspn(p, " ");

		if (n == len && !strncmp(p, o->name, len))
			return true;
		p += n;
		p += strspn(p, " ");
	}
	return false;
}

enum err_code opts_check(
	int argc, char **argv, const struct cmd *cmd, const char *what, struct err *e)
{
	bool acts = what && cmd->lists && !str_in_list(what, cmd->lists);
	char *args[2];
	int n = 0;

	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const struct opt *opt;
		const char *value;

		if (spell(argv[i], &opt, &value, e))
			return e->code;
		if (!opt && n < 2) {
			args[n++] = argv[i];
			if (words_follow(args, n))
				return E_OK;
		}
		if (!opt)
			continue;
		if (!opts_taken(cmd, opt) || (acts && str_in_list(opt->name, OF_ROWS))) {
			err_set(e, E_USAGE, "%s%s%.60s does not accept --%s", cmd->name,
				acts ? " " : "", acts ? what : "", opt->name);
			return err_fix(e, "see: tpucost %s --help", cmd->name);
		}
		if (opt->type != OPT_FLAG && !value)
			i++;
	}
	return E_OK;
}
