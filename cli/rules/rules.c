/* The rules: what is watched, what matches now. */
#include "base/time/civil.h"
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/enforce/list.h"
#include "cli/query.h"
#include "cli/rules/rules.h"
#include "rules/judge/explain.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct rule *rule_find(struct app *app, const char *name, struct err *e)
{
	const struct settings *s = &app->cfg->settings;
	const char **names = arena_alloc(&app->arena, (s->n_rules + 1) * sizeof(*names));
	const char *near;

	for (size_t i = 0; i < s->n_rules; i++) {
		if (!strcmp(s->rules[i].name, name))
			return &s->rules[i];
		names[i] = s->rules[i].name;
	}
	near = str_nearest(name, names, s->n_rules);
	err_set(e, E_USAGE, "there is no rule \"%.60s\"", name);
	if (near)
		err_fix(e, "did you mean \"%s\"?", near);
	else
		err_fix(e, "see: tpucost rules list");
	return NULL;
}

/* ---- explain ----------------------------------------------------------------------------------- */

static const struct column match_columns[] = {
	{"rule", COL_TEXT, ""},
	{"subject", COL_TEXT, ""},
	{"matches", COL_FLAG, "1: the condition holds; 0: all of it but one part"},
	{"fresh", COL_FLAG, ""},
	{"summary", COL_TEXT, ""},
	{"lacks", COL_TEXT, "the part that does not hold"},
	{"known", COL_FLAG, "0: that part is not known rather than false"},
	{"figures", COL_TEXT, "the figures in it"},
};

static void add_match(
	struct app *app, struct table *t, const struct rule *r, const struct match *m)
{
	struct cell *row = table_add_row(t, &app->arena);

	row[0] = text_cell(r->name);
	row[1] = text_cell(m->subject);
	row[2] = int_cell(!m->lacks);
	row[3] = int_cell(m->fresh);
	row[4] = text_cell(m->summary);
	row[5] = text_cell(m->lacks);
	if (m->lacks)
		row[6] = int_cell(!m->unknown);
	row[7] = text_cell(m->figures);
}

static int print_rows(
	struct app *app, const struct rule *r, const struct explanation *x, struct err *e)
{
	static const struct view matches = {
		.name = "matches", .columns = match_columns, .n = ARRAY_LEN(match_columns)};
	const struct column *cols[ARRAY_LEN(match_columns)];
	struct table t = {.cols = cols, .n_cols = ARRAY_LEN(cols)};
	const struct query q = {.shown = &matches,
		.rows = &t,
		.columns = "rule,subject,matches,fresh,summary,lacks,known,figures",
		.order = QUERY_ROW_NUMBER,
		.owner = "subject",
		.empty = "No row matches."};

	for (size_t i = 0; i < ARRAY_LEN(cols); i++)
		cols[i] = &match_columns[i];
	for (size_t i = 0; i < x->n_hits; i++)
		add_match(app, &t, r, &x->hits[i]);
	for (size_t i = 0; i < x->n_near; i++)
		add_match(app, &t, r, &x->near[i]);
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
	const char *acts = enforce_rule_text(r, &app->arena);
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
	sbuf_addf(&line, "%s; said again after %s",
		r->hold_for ? duration_format(r->hold_for, hold) : "0, at once",
		duration_format(alert_repeat(r, r->severity), repeat));
	if (r->keep_for)
		sbuf_addf(&line, "; over when it did not hold for %s",
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
		sbuf_adds(b, "\nNothing matches now.\n");
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
	sbuf_adds(b, "\nNearly matches, all but one part:\n");
	for (size_t i = 0; i < x->n_near; i++) {
		const struct match *m = &x->near[i];

		sbuf_adds(b, "  ");
		sbuf_add_term(b, m->subject);
		sbuf_addc(b, '\n');
		sbuf_addf(&line, "%s: %s", m->unknown ? "not known" : "lacks", m->lacks);
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
	enum out_format format;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	int rc = EXIT_FINE;

	if (app->n_args < 2) {
		err_set(e, E_USAGE, "rules explain: which rule?");
		err_fix(e, "see: tpucost rules list");
		return cmd_fail(e);
	}
	r = rule_find(app, app->args[1], e);
	if (!r || out_format_parse(app->o.format, &format, e) || session_open(app, e) ||
		rule_explain(app->db, r, &app->arena, &x, e))
		return cmd_fail(e);
	if (format != OUT_TABLE || app->o.project || query_asks_for_part(app))
		return print_rows(app, r, &x, e);
	add_rule_text(app, &b, r);
	add_hits(&b, &x);
	add_near(&b, &x);
	if (out_write(&b, e))
		rc = cmd_fail(e);
	return rc;
}

int cmd_rules(struct app *app, struct err *e)
{
	const char *name = app->n_args ? app->args[0] : "list";
	/* the last two are commands of their own */
	static const char *const names[] = {"list", "explain", "test", "replay"};
	const char *near;

	if (!strcmp(name, "list"))
		return rule_list(app, e);
	if (!strcmp(name, "explain"))
		return rules_explain(app, e);
	near = str_nearest(name, names, ARRAY_LEN(names));
	err_set(e, E_USAGE, "rules: unknown action \"%.60s\"", name);
	if (near)
		err_fix(e, "use: tpucost rules %s", near);
	else
		err_fix(e, "use: tpucost rules list, explain, test or replay");
	return cmd_fail(e);
}
