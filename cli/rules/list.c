/* The rules as a list. */
#include "base/time/civil.h"
#include "cli/config/config.h"
#include "cli/query.h"
#include "cli/rules/rules.h"
#include "cli/shown.h"
#include "db/db.h"

#include <string.h>
#include <unistd.h>

enum { HITS = 7, FIRING, ERROR };

static const struct column list_columns[] = {
	{"name", COL_TEXT, "name of the rule"},
	{"on", COL_TEXT, "the view it is a condition over"},
	{"severity", COL_TEXT, "info warning critical"},
	{"for", COL_TEXT, "how long it must hold"},
	{"then", COL_TEXT, "what it does beyond telling"},
	{"enabled", COL_FLAG, "0: it is not judged"},
	{"origin", COL_TEXT, "builtin, or where in the configuration"},
	{"hits", COL_INT, "rows for which it held last"},
	{"firing", COL_INT, "alerts of it that fire"},
	{"error", COL_TEXT, "why it could not be judged"},
	{"doc", COL_TEXT, "what it watches"},
	{"where", COL_TEXT, "its condition"},
	{"grace", COL_TEXT, "from the warning to the action"},
	{"armed", COL_FLAG, "1: it acts, where mode and project are armed too"},
};
#define N_LIST ARRAY_LEN(list_columns)

const struct view view_rule_list = {.name = "rule_list",
	.doc = "rules of the configuration and those that are built in",
	.columns = list_columns,
	.n = N_LIST};

#define FOR_TERMINALS \
	"name,on?,severity,for?,then?,armed?,enabled?,origin?,hits,firing,error"
#define FOR_PAGES "name,on,severity,for,doc"

static void rule_list_add_rule(struct app *app, struct table *t, const struct rule *r)
{
	struct cell *row = table_add_row(t, &app->arena);
	char buf[DURATION_BUF];

	row[0] = text_cell(r->name);
	row[1] = text_cell(r->on);
	row[2] = text_cell(severity_name(r->severity));
	row[3] = text_cell(arena_strdup(&app->arena, duration_format(r->hold_for, buf)));
	row[4] = text_cell(r->then.action && strcmp(r->then.action, "notify") != 0
			? r->then.action
			: NULL);
	row[5] = int_cell(r->enabled);
	row[6] = text_cell(r->at ? r->at : "builtin");
	row[10] = text_cell(r->doc);
	row[11] = text_cell(r->where);
	if (!row[4].text)
		return;
	row[12] = text_cell(arena_strdup(&app->arena, duration_format(r->then.grace, buf)));
	row[13] = int_cell(r->then.armed);
}

/* Of one project: what is wrong in it, by the alerts that have their subject there. */
static enum err_code load_states(struct app *app, struct table *states, struct err *e)
{
	cleanup(sbuf_done) struct sbuf sql = SBUF_INIT;
	enum err_code rc;

	if (!app->o.project)
		return query_sql(
			app, "SELECT name, hits, firing, error FROM rules", states, e);
	sbuf_adds(&sql,
		"SELECT r.name, COUNT(a.rule) AS hits, COALESCE(SUM(CASE WHEN a.state = "
		"'firing' THEN 1 ELSE 0 END), 0) AS firing, r.error FROM rules r LEFT JOIN "
		"alerts a ON a.rule = r.name AND a.resolved IS NULL");
	query_add_owner(app, &sql, "a.subject");
	sbuf_adds(&sql, " GROUP BY r.name, r.error");
	rc = query_sql(app, sql.s, states, e);
	return rc;
}

static void fill_state(struct table *t, const struct table *states)
{
	for (size_t i = 0; i < t->n_rows; i++)
		for (size_t k = 0; k < states->n_rows; k++) {
			const struct cell *s = &states->cells[k * states->n_cols];
			struct cell *row = &t->cells[i * t->n_cols];

			if (strcmp(s[0].text, row[0].text) != 0)
				continue;
			row[HITS] = s[1];
			row[FIRING] = s[2];
			row[ERROR] = s[3];
		}
}

/* Does it look at things of projects, rather than at all of them together? */
static bool of_projects(const struct rule *r)
{
	static const char *const words[] = {"project", "id", "subject", "resource"};
	const struct view *v = view_find(r->on);

	for (size_t i = 0; v && i < ARRAY_LEN(words); i++)
		if (view_column(v, words[i]))
			return true;
	return false;
}

static int rule_list_print(struct app *app, struct table *t, struct err *e)
{
	struct query q = {.shown = &view_rule_list,
		.rows = t,
		.order = QUERY_ROW_NUMBER,
		.empty = "No row matches."};
	enum out_format format;

	if (out_format_parse(app->o.format, &format, e))
		return cmd_fail(e);
	q.columns = format == OUT_MARKDOWN ? FOR_PAGES : FOR_TERMINALS;
	app->o.project = NULL; /* did its work */
	return query_run(app, &q, e);
}

int rule_list(struct app *app, struct err *e)
{
	const struct settings *s = &app->cfg->settings;
	const struct column *cols[N_LIST];
	struct table t = {.cols = cols, .n_cols = N_LIST}, states = {0};

	/* Where nothing was judged yet there are no states. */
	if ((access(app->cfg->database, F_OK) ? db_open_empty(app->clock, &app->db, e)
					      : session_open(app, e)) ||
		load_states(app, &states, e))
		return cmd_fail(e);
	for (size_t i = 0; i < N_LIST; i++)
		cols[i] = &list_columns[i];
	for (size_t i = 0; i < s->n_rules; i++)
		if (!app->o.project || of_projects(&s->rules[i]))
			rule_list_add_rule(app, &t, &s->rules[i]);
	fill_state(&t, &states);
	return rule_list_print(app, &t, e);
}
