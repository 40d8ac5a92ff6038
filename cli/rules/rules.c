/* Command `rules`: rules and what matches them now. */
#include "base/time/civil.h"
#include "base/str.h"
#include "cli/config/config.h"
#include "reports/message/action_text.h"
#include "cli/query.h"
#include "rules/judge/alert.h"
#include "db/db.h"
#include "rules/judge/explain.h"

#include <string.h>
#include <unistd.h>

const struct rule *rule_find(struct app *app, const char *name, struct err *e)
{
	const struct settings *s = &app->cfg->settings;

	for (size_t i = 0; i < s->n_rules; i++)
		if (!strcmp(s->rules[i].name, name))
			return &s->rules[i];
	err_set(e, E_USAGE, "there is no rule '%.60s'", name);
	near_fix(e, NEAR_OF(name, s->rules, s->n_rules, name), "see: tpucost rules list");
	return NULL;
}

/* ---- list -------------------------------------------------------------------------------------- */

enum { HITS = 7, FIRING, ERROR };

static const struct column list_columns[] = {
	{"name", COL_TEXT, "name of the rule"},
	{"on", COL_TEXT, "the view to which the condition applies"},
	{"severity", COL_TEXT, "info warning critical"},
	{"for", COL_TEXT, "time that it must hold"},
	{"then", COL_TEXT, "action in addition to the alert"},
	{"enabled", COL_FLAG, "0: it is not evaluated"},
	{"origin", COL_TEXT, "builtin, or its place in the configuration"},
	{"hits", COL_INT, "rows that matched last"},
	{"firing", COL_INT, "firing alerts"},
	{"error", COL_TEXT, "why it could not be evaluated"},
	{"doc", COL_TEXT, "description"},
	{"where", COL_TEXT, "its condition"},
	{"grace", COL_TEXT, "time from the warning to the action"},
	{"armed", COL_FLAG, "1: it acts if mode is armed and the project is listed"},
};
#define N_LIST ARRAY_LEN(list_columns)

const struct view view_rule_list = {.name = "rule_list",
	.doc = "built-in rules and rules of the configuration",
	.columns = list_columns,
	.n = N_LIST};

#define FOR_TERMINALS \
	"name,on?,severity,for?,then?,armed?,enabled?,origin?,hits,firing,error"
#define FOR_PAGES "name,on,severity,for,doc"

static void rule_list_add_rule(struct app *app, struct doc_section *t, const struct rule *r)
{
	struct doc_cell *row = doc_row(t)->cells;
	char buf[DURATION_BUF];

	row[0] = cell_text(r->name);
	row[1] = cell_text(r->on);
	row[2] = cell_text(severity_name(r->severity));
	row[3] = cell_text(arena_strdup(&app->arena, duration_format(r->hold_for, buf)));
	row[4] = cell_text(r->then.action && strcmp(r->then.action, "notify") != 0
			? r->then.action
			: NULL);
	row[5] = cell_int(r->enabled);
	row[6] = cell_text(r->at ? r->at : "builtin");
	row[10] = cell_text(r->doc);
	row[11] = cell_text(r->where);
	if (!row[4].text)
		return;
	row[12] = cell_text(arena_strdup(&app->arena, duration_format(r->then.grace, buf)));
	row[13] = cell_int(r->then.armed);
}

/* For one project: its problems, by the alerts whose subjects are in it. */
static enum err_code load_states(
	struct app *app, struct doc_section **states, struct err *e)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;

	if (!app->o.project)
		return query_sql(app, "SELECT name, hits, firing, error FROM rules", false,
			states, e);
	sbuf_adds(&sql,
		"SELECT r.name, COUNT(a.rule) AS hits, COALESCE(SUM(CASE WHEN a.state = "
		"'firing' THEN 1 ELSE 0 END), 0) AS firing, r.error FROM rules r LEFT JOIN "
		"alerts a ON a.rule = r.name AND a.resolved IS NULL");
	query_add_owner(app, &sql, "a.subject");
	sbuf_adds(&sql, " GROUP BY r.name, r.error");
	return query_sql(app, sql.s, false, states, e);
}

static void fill_state(struct doc_section *t, const struct doc_section *states)
{
	for (size_t i = 0; i < t->n; i++)
		for (size_t k = 0; k < states->n; k++) {
			const struct doc_cell *s = states->rows[k].cells;
			struct doc_cell *row = t->rows[i].cells;

			if (strcmp(s[0].text, row[0].text) != 0)
				continue;
			row[HITS] = s[1];
			row[FIRING] = s[2];
			row[ERROR] = s[3];
		}
}

/* Tests whether the rule is about resources of projects, rather than about all of them together. */
static bool of_projects(const struct rule *r)
{
	static const char *const words[] = {"project", "id", "subject", "resource"};
	const struct view *v = view_find(r->on);

	for (size_t i = 0; v && i < ARRAY_LEN(words); i++)
		if (view_column(v, words[i]))
			return true;
	return false;
}

static int rule_list(struct app *app, struct err *e)
{
	const struct settings *s = &app->cfg->settings;
	struct doc_section *t = doc_table_like(&app->arena, &view_rule_list), *states;
	const struct query q = {.shown = &view_rule_list,
		.rows = t,
		.columns = app->format == OUT_MARKDOWN ? FOR_PAGES : FOR_TERMINALS,
		.order = QUERY_ROW_NUMBER,
		.empty = "No rows match."};

	/* Before the first evaluation there are no states. */
	if ((access(app->cfg->database, F_OK) ? db_open_empty(app->clock, &app->db, e)
					      : session_open(app, e)) ||
		load_states(app, &states, e))
		return cmd_fail(e);
	for (size_t i = 0; i < s->n_rules; i++)
		if (!app->o.project || of_projects(&s->rules[i]))
			rule_list_add_rule(app, t, &s->rules[i]);
	fill_state(t, states);
	app->o.project = NULL; /* was applied above */
	return query_run(app, &q, e);
}

/* ---- explain ----------------------------------------------------------------------------------- */

static const struct column match_columns[] = {
	{"rule", COL_TEXT, ""},
	{"subject", COL_TEXT, ""},
	{"matches", COL_FLAG, "1: the condition holds; 0: all but one part of it"},
	{"fresh", COL_FLAG, ""},
	{"summary", COL_TEXT, ""},
	{"lacks", COL_TEXT, "part of the condition that does not hold"},
	{"known", COL_FLAG, "0: the part is unknown, not false"},
	{"figures", COL_TEXT, "the figures in the condition"},
};

static void add_match(struct doc_section *t, const struct rule *r, const struct match *m)
{
	struct doc_cell *row = doc_row(t)->cells;

	row[0] = cell_text(r->name);
	row[1] = cell_text(m->subject);
	row[2] = cell_int(!m->lacks);
	row[3] = cell_int(m->fresh);
	row[4] = cell_text(m->summary);
	row[5] = cell_text(m->lacks);
	if (m->lacks)
		row[6] = cell_int(!m->unknown);
	row[7] = cell_text(m->figures);
}

static int print_rows(
	struct app *app, const struct rule *r, const struct explanation *x, struct err *e)
{
	static const struct view matches = {
		.name = "matches", .columns = match_columns, .n = ARRAY_LEN(match_columns)};
	struct doc_section *t = doc_table_like(&app->arena, &matches);
	const struct query q = {.shown = &matches,
		.rows = t,
		.columns = "rule,subject,matches,fresh,summary,lacks,known,figures",
		.order = QUERY_ROW_NUMBER,
		.owner = "subject",
		.empty = "No rows match."};

	for (size_t i = 0; i < x->n_hits; i++)
		add_match(t, r, &x->hits[i]);
	for (size_t i = 0; i < x->n_near; i++)
		add_match(t, r, &x->near[i]);
	return query_run(app, &q, e);
}

#define WIDTH 79
#define LABEL 10

static void rules_add_line(struct sbuf *b, const char *label, const char *text)
{
	if (!text)
		return;
	sbuf_addf(b, "%-*s", LABEL, label);
	sbuf_add_wrapped(b, text, LABEL, LABEL, WIDTH);
}

static void rules_add_indented(struct sbuf *b, const char *text)
{
	sbuf_adds(b, "    ");
	sbuf_add_wrapped(b, text, 4, 6, WIDTH);
}

static void add_rule_text(struct app *app, struct sbuf *b, const struct rule *r)
{
	const char *acts = action_steps_text(r, &app->arena);
	const char *then = acts ? acts : r->then.action;
	char hold[DURATION_BUF], repeat[DURATION_BUF], keep[DURATION_BUF];
	cleanup(sbuf_done) struct sbuf line = SBUF_INIT;

	sbuf_addf(b, "%s%s\n", r->name, r->enabled ? "" : " (not enabled)");
	if (r->doc)
		sbuf_add_wrapped(b, r->doc, 0, 0, WIDTH);
	sbuf_addc(b, '\n');
	rules_add_line(b, "on", r->on);
	rules_add_line(b, "where", r->where);
	rules_add_line(b, "critical", r->critical_when);
	rules_add_line(b, "stage", r->stage);
	sbuf_addf(&line, "%s; sent again after %s",
		r->hold_for ? duration_format(r->hold_for, hold) : "0, at once",
		duration_format(alert_repeat(r, r->severity), repeat));
	if (r->keep_for)
		sbuf_addf(&line, "; resolved when it did not hold for %s",
			duration_format(r->keep_for, keep));
	rules_add_line(b, "for", line.s);
	rules_add_line(b, "severity", severity_name(r->severity));
	rules_add_line(b, "summary", r->summary);
	rules_add_line(b, "labels", r->labels);
	rules_add_line(b, "then", then);
	rules_add_line(b, "from", r->at ? r->at : "built in");
}

static void add_hits(struct sbuf *b, const struct explanation *x)
{
	if (!x->n_hits) {
		sbuf_adds(b, "\nNo matches now.\n");
		return;
	}
	sbuf_addf(b, "\nMatches now (%zu):\n", x->n_hits);
	for (size_t i = 0; i < x->n_hits; i++) {
		sbuf_adds(b, "  ");
		sbuf_add_term(b, x->hits[i].subject);
		sbuf_adds(b, x->hits[i].fresh ? "\n" : " (data is stale)\n");
		rules_add_indented(b, x->hits[i].summary);
	}
}

static void add_near(struct sbuf *b, const struct explanation *x)
{
	cleanup(sbuf_done) struct sbuf line = SBUF_INIT;

	if (!x->n_near)
		return;
	sbuf_adds(b, "\nNear matches (all but one part holds):\n");
	for (size_t i = 0; i < x->n_near; i++) {
		const struct match *m = &x->near[i];

		sbuf_adds(b, "  ");
		sbuf_add_term(b, m->subject);
		sbuf_addc(b, '\n');
		sbuf_addf(&line, "%s: %s", m->unknown ? "unknown" : "lacks", m->lacks);
		rules_add_indented(b, line.s);
		sbuf_reset(&line);
		sbuf_addf(&line, "where %s", m->figures);
		if (*m->figures)
			rules_add_indented(b, line.s);
		sbuf_reset(&line);
	}
}

static int rules_explain(struct app *app, struct err *e)
{
	const struct rule *r;
	struct explanation x;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	if (app->n_args < 2)
		return cmd_refuse(
			e, "see: tpucost rules list", "rules explain: no rule is given");
	r = rule_find(app, app->args[1], e);
	if (!r || session_open(app, e) || rule_explain(app->db, r, &app->arena, &x, e))
		return cmd_fail(e);
	if (app->format != OUT_TABLE || app->o.project || query_asks_for_part(app))
		return print_rows(app, r, &x, e);
	add_rule_text(app, &b, r);
	add_hits(&b, &x);
	add_near(&b, &x);
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}

int cmd_rules(struct app *app, struct err *e)
{
	const char *name = app->n_args ? app->args[0] : "list";
	/* the last two are separate commands */
	static const char *const names[] = {"list", "explain", "test", "replay"};
	const char *near;

	if (!strcmp(name, "list"))
		return rule_list(app, e);
	if (!strcmp(name, "explain"))
		return rules_explain(app, e);
	near = str_nearest(name, names, ARRAY_LEN(names));
	err_set(e, E_USAGE, "rules: unknown action '%.60s'", name);
	err_fix(e, "use: tpucost rules %s", near ? near : "list, explain, test or replay");
	return cmd_fail(e);
}
