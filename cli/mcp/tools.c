/* The tools: their table, schemas and calls. */
#include "base/data/json.h"
#include "base/str.h"
#include "base/time/civil.h"
#include "cli/cmd.h"
#include "cli/config/config.h"
#include "cli/mcp/mcp.h"
#include "cli/query.h"
#include "cli/request.h"
#include "cli/session.h"

#include <string.h>

#define TOOL_BYTES 262144 /* of an answer, which the result contains twice */
/* clang-format off */
#define TOOL_HINTS MCP_JSON("annotations": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, \
	"openWorldHint": false})
#define TOOL_OUTPUT MCP_JSON("outputSchema": {"type": "object", "required": ["data", "as_of", "basis", "complete"], \
	"properties": {"as_of": {"type": "string"}, \
	"basis": {"enum": ["inventory", "metrics", "quotas", "billing", "records"]}, \
	"complete": {"type": "boolean"}, "oldest": {"type": "string"}, "age_minutes": {"type": "integer"}, \
	"notes": {"type": "array", "items": {"type": "string"}}, "exit_status": {"type": "integer"}}})
/* clang-format on */
#define PART "where,columns,sort-by,limit,project,"

static const struct tool {
	const char *name, *command;
	const char *takes;         /* options of the command, separated by commas */
	const char *arg, *meaning; /* argument that is not an option */
	const char *word;          /* of the command, before the argument */
} tools[] = {
	{"status", "status", "project"},
	{"coverage", "coverage", PART "since,until,by"},
	{"query", "query", PART "since,until,by,month", "view", "name of the view"},
	{"why", "why", "", "of",
		"id or name of what is to be explained; burn: the run rate"},
	{"estimate", "estimate",
		"tpu,vm,disk,ip,zone,spot,flex-start,reserved,count,project", "command",
		"gcloud command that would create resources, which is not run; or use "
		"options"},
	{"grant_plan", "grant plan", "", "grant", "only the plan of this grant"},
	{"quota", "quota", PART "since,until"},
	{"check_rules", "rules", PART "all", "rule",
		"list the matches and near matches of this rule, instead of all rules",
		.word = "explain"},
};

/* ---- schemas ----------------------------------------------------------------------------------- */

static void add_property(
	struct jw *w, const char *name, const char *type, const char *meaning)
{
	jw_key(w, name);
	jw_begin(w, '{');
	jw_kstr(w, "type", type);
	if (!strcmp(type, "array"))
		jw_raw(w, MCP_JSON("items" : {"type" : "string"}));
	jw_kstr(w, "description", meaning);
	jw_end(w, '}');
}

static void add_input(const struct tool *t, struct jw *w)
{
	static const char *const types[] = {"boolean", "string", "integer", "array"};

	jw_key(w, "inputSchema");
	jw_begin(w, '{');
	jw_raw(w, MCP_JSON("type" : "object", "additionalProperties" : false));
	jw_key(w, "required");
	jw_begin(w, '[');
	if (cmd_find(t->command)->lacks)
		jw_str(w, t->arg);
	jw_end(w, ']');
	jw_key(w, "properties");
	jw_begin(w, '{');
	if (t->arg)
		add_property(w, t->arg, "string", t->meaning);
	for (size_t i = 0; i < n_options; i++)
		if (str_in_list(options[i].name, t->takes))
			add_property(w, options[i].name, types[options[i].type],
				options[i].help);
	jw_end(w, '}');
	jw_end(w, '}');
}

void mcp_tools_list(struct jw *w)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	jw_begin(w, '[');
	for (const struct tool *t = tools; t < tools + ARRAY_LEN(tools); t++) {
		const struct cmd *c = cmd_find(t->command);

		sbuf_reset(&b);
		sbuf_addf(&b, "%s. %s", c->summary, c->text);
		for (size_t i = 0; c->run == cmd_query && i < n_views; i++) {
			sbuf_addf(&b, "\n%s:", views[i]->name);
			for (size_t k = 0; k < views[i]->n; k++)
				sbuf_addf(&b, " %s", views[i]->columns[k].name);
		}
		jw_begin(w, '{');
		jw_kstr(w, "name", t->name);
		jw_kstr(w, "description", b.s);
		add_input(t, w);
		jw_raw(w, TOOL_OUTPUT "," TOOL_HINTS);
		jw_end(w, '}');
	}
	jw_end(w, ']');
}

/* ---- arguments --------------------------------------------------------------------------------- */

/* Texts, numbers and flags mean what they do on the command line; "" is as if it were not given. Without an option:
 * the argument. */
static enum err_code set_arg(
	struct app *app, const struct opt *o, const struct cJSON *value, struct err *e)
{
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	char *text;

	if (o && o->type == OPT_LIST && json_is_array(value)) {
		JSON_EACH (item, value)
			if (set_arg(app, o, item, e))
				return e->code;
		return E_OK;
	}
	if (!json_is_string(value))
		json_print(&b, value);
	text = arena_strdup(&app->arena, json_text(value, b.s));
	if (!*text || (o && o->type == OPT_FLAG && !strcmp(text, "false")))
		return E_OK;
	if (o && o->type == OPT_FLAG && strcmp(text, "true") != 0)
		return err_set_fix(e, E_USAGE, "use true or false",
			"--%s: '%.60s' is not valid", o->name, text);
	if (o)
		return opts_set(&app->o, o, text, e);
	app->args[app->n_args++] = text;
	return E_OK;
}

static enum err_code read_args(
	struct app *app, const struct tool *t, const struct cJSON *args, struct err *e)
{
	if (t->word && *json_text(json_get(args, t->arg), ""))
		app->args[app->n_args++] = arena_strdup(&app->arena, t->word);
	JSON_EACH (value, args) {
		const char *name = json_key(value);
		const struct opt *o = opt_named(name, strlen(name));

		if (!json_get(args, name)) /* null */
			continue;
		if (str_eq(name, t->arg))
			o = NULL;
		else if (!o || !str_in_list(name, t->takes))
			return err_set_fix(e, E_USAGE, "see tools/list",
				"%s has no argument '%.60s'", t->name, name);
		if (set_arg(app, o, value, e))
			return e->code;
	}
	return app->n_args || !app->cmd->lacks
		? E_OK
		: err_set(e, E_USAGE, "%s: %s", t->name, app->cmd->lacks);
}

/* ---- calls ------------------------------------------------------------------------------------- */

/* Runs the command, which writes to `data`. Returns its exit status. */
static int run_command(struct app *app, struct sbuf *data, struct err *e)
{
	int rc;

	out_to(data);
	if (((app->cmd->needs & NEED_CONFIG) && config_load(app, e)) ||
		((app->cmd->needs & NEED_DB) && session_open(app, e)))
		rc = cmd_fail(e);
	else
		rc = app->cmd->run(app, e);
	out_to(NULL);
	for (char *p = data->s; (p = strchr(p, '\n'));) /* between values */
		*p = ' ';
	return !data->full ? rc
			   : cmd_refuse(e, "use limit, where, columns or project",
				     "the answer has more than %d bytes", TOOL_BYTES);
}

static enum err_code add_answer(
	struct app *app, const char *data, int rc, struct jw *w, struct err *e)
{
	char *rest = arena_strdup(&app->arena, request_said()), *line, at[RFC3339_BUF];
	struct freshness f, main;

	if (session_freshness(app, app->basis, &f, e) ||
		session_freshness(app, basis_main(app->basis), &main, e))
		return e->code;
	jw_begin(w, '{');
	jw_kstr(w, "as_of", rfc3339_format(app->now, at));
	jw_kstr(w, "basis", basis_name(app->basis));
	jw_key(w, "complete");
	jw_bool(w,
		!app->basis ||
			(main.polled && f.complete == f.polled && !f.stale &&
				!app->unwatched));
	if (f.oldest) {
		jw_kstr(w, "oldest", rfc3339_format(f.oldest, at));
		jw_ki64(w, "age_minutes", (app->now - f.oldest) / 60);
	}
	jw_key(w, "notes");
	jw_begin(w, '[');
	while (*request_said() && (line = strsep(&rest, "\n")))
		jw_str(w, line);
	jw_end(w, ']');
	jw_ki64(w, "exit_status", rc);
	jw_key(w, "data");
	jw_raw(w, data);
	jw_end(w, '}');
	return E_OK;
}

bool mcp_tools_call(
	const struct app *base, const char *name, const struct cJSON *args, struct jw *w)
{
	cleanup(sbuf_done) struct sbuf data = SBUF_MAX(TOOL_BYTES), b = SBUF_INIT;
	const struct tool *t = tools;
	char *words[2] = {NULL, NULL};
	struct err e = {0};
	struct app app;
	int rc;

	while (t < tools + ARRAY_LEN(tools) && strcmp(t->name, name) != 0)
		t++;
	if (t == tools + ARRAY_LEN(tools))
		return false;
	request_begin(&app, base);
	app.cmd = cmd_find(t->command);
	app.args = words;
	app.o.format = "json";
	app.format = OUT_JSON;
	app.basis = BASIS_INVENTORY; /* unless the command sets another */
	rc = read_args(&app, t, args, &e) ? cmd_fail(&e) : run_command(&app, &data, &e);
	if (rc != EXIT_FAILED && rc != EXIT_USAGE &&
		add_answer(&app, data.s, rc, &(struct jw){.b = &b}, &e))
		rc = cmd_fail(&e);
	if (rc == EXIT_FAILED || rc == EXIT_USAGE) {
		sbuf_reset(&b);
		sbuf_adds(&b, request_said());
		jw_raw(w, "\"isError\":true");
	} else {
		jw_key(w, "structuredContent");
		jw_raw(w, b.s);
	}
	jw_raw(w, "\"content\":[{\"type\":\"text\",\"text\":");
	sbuf_add_json(w->b, b.s);
	sbuf_adds(w->b, "}]");
	request_end(&app);
	return true;
}
