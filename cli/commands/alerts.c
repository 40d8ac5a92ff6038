/* Command `alerts`: list of active alerts. */
#include "base/time/civil.h"
#include "cli/config/config.h"
#include "cli/query.h"
#include "db/db.h"
#include "db_sql.h"
#include "reports/cause.h"
#include "reports/present.h"

#include <ctype.h>
#include <string.h>

#define DEFAULT_WIDTH 80
#define INDENT 4

const struct query query_alerts = {
	.view = "alerts",
	.columns = "rule,severity,state,data?,since?,subject?,owner??,summary",
	.order = "state, CASE severity WHEN 'critical' THEN 1 WHEN 'warning' THEN 2 ELSE 3 "
		 "END, since, rule, subject",
	.empty = "No alerts: no rule matches.",
	.basis = BASIS_INVENTORY,
	.owner = "subject",
	.time = "since",
};

/* Columns of the text list, in the order in which they are read. */
#define LIST_COLUMNS                                                               \
	"rule,severity,state,data,since,last_seen,ceased,resolved,silenced_until," \
	"subject,summary,owner"
enum {
	RULE,
	SEVERITY,
	STATE,
	DATA,
	SINCE,
	LAST_SEEN,
	CEASED,
	RESOLVED,
	SILENCED,
	SUBJECT,
	SUMMARY,
	OWNER,
	N_LIST
};

/* Alerts that the list shows as one. */
struct alert_group {
	size_t n;
	const char *cause;   /* of more than one */
	const char *subject; /* of all of them */
};

#define NAMED 3 /* subjects; more are counted */

/* Group of each row: alerts of sources that differ only in their subject and time have one. */
static const struct alert_group *group_alerts(struct app *app, const struct doc_section *t)
{
	struct arena *a = &app->arena;
	struct alert_group *v = arena_alloc(a, (t->n + 1) * sizeof(*v));
	const char **keys = arena_alloc(a, (t->n + 1) * sizeof(*keys));
	const size_t *sizes;

	for (size_t i = 0; i < t->n; i++) {
		const struct doc_cell *c = t->rows[i].cells;

		v[i].cause = cause_of_alert(
			&app->cfg->settings, c[RULE].text, c[SUMMARY].text, a);
		keys[i] = v[i].cause
			? arena_printf(a, "%s %s %s %s %d %s %s", c[RULE].text,
				  c[SEVERITY].text, c[STATE].text, c[DATA].text,
				  c[RESOLVED].text != NULL,
				  c[SILENCED].text ? c[SILENCED].text : "", v[i].cause)
			: NULL;
	}
	sizes = cause_groups(keys, t->n, a);
	for (size_t i = 0; i < t->n; i++) {
		v[i].n = sizes[i];
		v[i].subject = t->rows[i].cells[SUBJECT].text;
		if (sizes[i] < 2)
			continue;
		for (size_t k = i + 1, named = 1; k < t->n && named < NAMED; k++)
			if (!sizes[k] && keys[k] && !strcmp(keys[k], keys[i])) {
				v[i].subject = arena_printf(a, "%s, %s", v[i].subject,
					t->rows[k].cells[SUBJECT].text);
				named++;
			}
		if (v[i].n > NAMED)
			v[i].subject = arena_printf(
				a, "%s and %zu more", v[i].subject, v[i].n - NAMED);
	}
	return v;
}

static void add_alert(struct sbuf *b, struct app *app, const struct out_style *style,
	const struct doc_cell *row, const struct alert_group *g)
{
	size_t width = style->width ? (size_t)style->width : DEFAULT_WIDTH;
	const char *severity = row[SEVERITY].text;
	bool colored = style->color && !strcmp(row[STATE].text, "firing") &&
		!row[CEASED].text && strcmp(severity, "info") != 0;
	cleanup(sbuf_done) struct sbuf rest = SBUF_INIT;

	sbuf_addf(b, "%s%s%s  %s  ",
		!colored                                ? ""
			: !strcmp(severity, "critical") ? "\033[1;31m"
							: "\033[1;33m",
		severity, colored ? OUT_PLAIN : "", row[RULE].text);
	sbuf_addf(&rest, "since %s", query_local(app, row[SINCE].text));
	if (row[RESOLVED].text)
		sbuf_addf(&rest, ", resolved %s", query_local(app, row[RESOLVED].text));
	else if (strcmp(row[DATA].text, "fresh") != 0)
		sbuf_addf(&rest, " (cannot be evaluated now: data is %s)", row[DATA].text);
	if (row[SILENCED].text)
		sbuf_addf(&rest, " (silenced until %s)",
			query_local(app, row[SILENCED].text));
	sbuf_add_wrapped(
		b, rest.s, strlen(severity) + strlen(row[RULE].text) + 4, INDENT, width);
	sbuf_addf(b, "%*s", INDENT, "");
	sbuf_add_wrapped(b,
		cause_summary(&app->cfg->settings, row[RULE].text, g->n, g->cause,
			row[SUMMARY].text, &app->arena),
		INDENT, INDENT, width);
	sbuf_addf(b, "%*s", INDENT, "");
	if (g->n > 1) {
		sbuf_add_wrapped(b, g->subject, INDENT, INDENT, width);
		return;
	}
	sbuf_add_term(b, g->subject);
	if (row[OWNER].text) {
		sbuf_adds(b, ", owner ");
		sbuf_add_term(b, row[OWNER].text);
	}
	sbuf_addc(b, '\n');
}

static void add_heading(struct sbuf *b, const struct doc_section *t, size_t from)
{
	const char *state = t->rows[from].cells[STATE].text;
	size_t n = from;

	while (n < t->n && !strcmp(t->rows[n].cells[STATE].text, state))
		n++;
	if (from)
		sbuf_addc(b, '\n');
	sbuf_addf(b, "%c%s (%zu)%s\n", toupper((unsigned char)*state), state + 1, n - from,
		!strcmp(state, "pending") ? ": not long enough to fire" : "");
}

/* "No alerts" is true only for rules that were evaluated: a poll may be killed before that. */
static enum err_code say_judged(struct app *app, const char **empty, struct err *e)
{
	struct q_rule_state_list q;
	struct db_rows rows;
	bool any;

	if (q_rule_state_list_open(app->db, &rows, e))
		return e->code;
	any = q_rule_state_list_next(&rows, &q);
	if (!any && *empty == query_alerts.empty)
		*empty = "The rules were not evaluated yet; run: tpucost collect. To "
			 "see what a rule matches now: tpucost rules explain NAME.";
	return db_rows_close(&rows, e);
}

static void show_present(struct app *app, struct doc_section *t)
{
	struct present p = {.db = app->db,
		.settings = &app->cfg->settings,
		.now = app->now,
		.a = &app->arena};
	ts_t last_true, ceased;

	for (size_t i = 0; i < t->n; i++) {
		struct doc_cell *c = t->rows[i].cells;

		if (c[RESOLVED].text ||
			rfc3339_parse(c[LAST_SEEN].text, &last_true, NULL, NULL))
			continue;
		if (!c[CEASED].text || rfc3339_parse(c[CEASED].text, &ceased, NULL, NULL))
			ceased = TS_NONE;
		(void)present_summary(&p, c[RULE].text, c[SUBJECT].text, last_true, ceased,
			&c[SUMMARY].text);
	}
}

/* Prints the text list: grouped by state, one sentence per alert. */
static int print_list(struct app *app, const struct query *q, struct err *e)
{
	struct query list = *q;
	struct out_style style = out_style_stdout();
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	const struct alert_group *groups;
	const char *empty;
	struct doc_section *t;

	list.columns = LIST_COLUMNS;
	if (query_fetch(app, &list, false, &t, e) || query_note(app, q, e) ||
		query_empty(app, t, q, &empty, e) || say_judged(app, &empty, e))
		return cmd_fail(e);
	show_present(app, t);
	if (!t->n)
		out_sentence(&b, empty, &style);
	groups = group_alerts(app, t);
	for (size_t i = 0; i < t->n; i++) {
		const struct doc_cell *row = t->rows[i].cells;

		if (!i || strcmp(row[STATE].text, t->rows[i - 1].cells[STATE].text) != 0)
			add_heading(&b, t, i);
		if (groups[i].n)
			add_alert(&b, app, &style, row, &groups[i]);
	}
	return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
}

int cmd_alerts(struct app *app, struct err *e)
{
	char since[RFC3339_BUF];
	struct query q = query_alerts;

	if (!app->o.all)
		q.only = arena_printf(&app->arena, "resolved IS NULL OR resolved > '%s'",
			rfc3339_format(app->now - DAY_SECONDS, since));
	if (!app->o.format && !app->o.columns && !app->o.sort_by)
		return print_list(app, &q, e);
	return query_run(app, &q, e);
}
