/* Pages: documents and tables that commands have, put together. */
#include "cli/commands/cost.h"
#include "cli/config/config.h"
#include "cli/query.h"
#include "cli/screen/screen.h"
#include "cli/web/web.h"
#include "reports/kinds.h"
#include "reports/shared.h"
#include "reports/why/explain.h"

#include <string.h>

#define TABLE_TAKES "where,columns,sort-by,limit,since,until,project"

/* Grants, burn, and the actions to take: the document of `status`. */
static enum err_code now_page(struct web_page *p, struct err *e)
{
	if (status_document(p->app, &p->doc, e))
		return e->code;
	p->doc->title = "Now";
	p->notes = BASIS_INVENTORY;
	web_link_rows(p->doc);
	return E_OK;
}

/* ---- cost -------------------------------------------------------------------------------------- */

#define COST_TAKES "where,since,until,month,project"

/* A grouping of the billed cost, as `cost --by`. `form`: markup, or NULL. */
static enum err_code cost_part(struct web_page *p, const char *key, const char *title,
	const char *by, const char *form, struct err *e)
{
	struct app *app = p->app;
	struct arena *a = &app->arena;
	struct doc_source *o = arena_alloc(a, sizeof(*o));
	const char *args = web_args(a, p->r, "");
	struct doc_section *s;

	p->notes = BASIS_BILLING | NOTE_DAYS;
	app->o.by = by;
	if (cost_read(app, &s, e) && e->code != E_NOTFOUND)
		return e->code;
	if (e->code) { /* the reason replaces the table */
		s = doc_table_like(a, view_find("costs"));
		s->empty = arena_printf(a, "%s; %s", e->msg, e->fix);
		err_clear(e);
		web_adopt(p->doc, s, title, key, s->n_columns);
		return E_OK;
	}
	*o = (struct doc_source){.path = "/costs",
		.args = arena_printf(a, "by=%s%s%s", by, *args ? "&" : "", args),
		.form = form};
	if (cost_empty(app, &s->empty, e))
		return e->code;
	s->source = o;
	web_adopt(p->doc, s, title, key, s->n_columns);
	return E_OK;
}

/* Day and category: the parts of a bar; amounts are the last column with a heading before the status. */
static void stack_days(struct doc_section *s)
{
	for (int i = 0; i < s->n_columns; i++)
		if (!strcmp(s->columns[i].key, "net"))
			s->chart.value = i;
	s->chart.title = "Net cost by day and category";
	s->chart.label = 0;
	s->chart.part = 1;
	s->closed = true;
}

static enum err_code cost_page(struct web_page *p, struct err *e)
{
	struct app *app = p->app;

	if (app->o.month)
		p->doc->title = arena_printf(
			&app->arena, "Billed cost of the invoice month %s", app->o.month);
	if (session_open(app, e) ||
		cost_part(p, "by_category_and_day", "Cost by day and category",
			"day,category", web_form(p, COST_TAKES, view_find("costs")), e))
		return e->code;
	stack_days(p->doc->sections[0]);
	if (cost_part(p, "categories", "By category", "category", NULL, e) ||
		cost_part(p, "projects", "By project", "project", NULL, e) ||
		cost_part(p, "owners", "By owner", "owner", NULL, e) ||
		cost_part(p, "days", "By day", "day", NULL, e))
		return e->code;
	app->o.by = app->o.month = NULL;
	return web_section(p, "Budgets", "budgets", NULL, NULL, e)
		? e->code
		: web_section(p, "Promotional credits", "credits", NULL, NULL, e);
}

/* ---- TPUs -------------------------------------------------------------------------------------- */

static int column_of(const struct doc_section *s, const char *key)
{
	int i = 0;

	while (i < s->n_columns - 1 && strcmp(s->columns[i].key, key) != 0)
		i++;
	return i;
}

static void draw_times(struct doc_section *s, const char *title)
{
	s->chart.title = title;
	s->chart.label = column_of(s, "id");
	s->chart.from = column_of(s, "starts");
	s->chart.to = column_of(s, "ends");
	s->closed = true;
}

static enum err_code tpus_page(struct web_page *p, struct err *e)
{
	static const struct query tpus = {.only = "kind = 'tpu'",
		.columns = "name,project??,zone????,type??,provisioning?????,state,chips??,"
			   "owner???,"
			   "running_hours????,covered,grant_name?,why?????,net_per_hour,"
			   "gross_per_hour?,currency",
		.empty = "There are no TPUs in the projects that were polled."};
	static const struct query times = {
		.columns = "id,covered,grant_name,why,starts,ends,chip_hours,gross?,net,"
			   "currency",
		.order = "id, starts"};
	static const struct query queued = {.only = "kind = 'queued'",
		.columns = "name,project,zone,type,provisioning,state,created",
		.empty = "No queued resources."};
	static const struct query quotas = {.only = "pool IS NOT NULL",
		.columns =
			"quota,project,location,family,pool,limit_value,used,held,percent"};

	if (session_open(p->app, e) ||
		web_section(p, "TPUs", "resources", TABLE_TAKES, &tpus, e) ||
		web_section(p, "What ran, and what was free", "coverage", NULL, &times, e))
		return e->code;
	draw_times(p->doc->sections[1],
		"Green: covered by a grant. Red: at list price. The table has each "
		"interval.");
	p->doc->sections[1]->note = "Green: covered by a grant; "
				    "red: at list price.";
	return web_section(p, "Queued resources", "resources", NULL, &queued, e) ||
			web_section(p, "Paid in addition to the TPUs", "hidden_costs", NULL,
				NULL, e)
		? e->code
		: web_section(p, "Quotas of TPUs", "quotas", NULL, &quotas, e);
}

/* ---- grants ------------------------------------------------------------------------------------ */

static enum err_code grant_period(
	struct app *app, void *ctx, ts_t *since, ts_t *until, struct err *e)
{
	struct report_ask *ask = ctx;

	*ask = (struct report_ask){.settings = &app->cfg->settings,
		.now = app->now,
		.since = TS_NONE,
		.until = TS_NONE};
	if ((app->o.since && query_time(app, app->o.since, &ask->since, e)) ||
		(app->o.until && query_time(app, app->o.until, &ask->until, e)) ||
		report_kind_find("grant")->period(ask, e))
		return e->code;
	*since = ask->since;
	*until = ask->until;
	return E_OK;
}

/* Sections of the report on grants: their use by line, type and week. */
static enum err_code add_use(
	struct web_page *p, const struct report_ask *ask, struct err *e)
{
	struct doc *d;

	if (report_kind_find("grant")->build(ask, &p->app->arena, &d, e))
		return e->code;
	for (size_t i = 0; i < d->n; i++) {
		struct doc_section *s = d->sections[i];

		s->key = arena_printf(p->doc->arena, "use_%s", s->key);
		*arena_append(p->doc->arena, p->doc->sections, p->doc->n, p->doc->cap) = s;
	}
	return E_OK;
}

/* The commands that copy the files of a TPU and delete it. */
static void add_commands(struct doc_section *s)
{
	int copy = column_of(s, "copy_command"), delete = column_of(s, "delete_command");

	for (size_t i = 0; i < s->n; i++) {
		struct doc_row *row = &s->rows[i];

		row->detail = row->cells[column_of(s, "why_text")].text;
		row->command = row->cells[copy].text;
		row->also_command = row->cells[delete].text;
		row->also = row->also_command ? "Then delete it:" : NULL;
	}
}

static enum err_code grants_page(struct web_page *p, struct err *e)
{
	static const struct query ends = {
		.columns = "name,until,chips_used,paid_text,per_day,currency,"
			   "renewed_by"};
	static const struct query plan = {
		.columns = "name,type,zone,grant_name,until,gross_per_hour,currency,again?,"
			   "again_grant?,disks?,why_text!,copy_command!,delete_command!"};
	struct report_ask ask;

	if (session_open_of(p->app, grant_period, &ask, e) ||
		session_check_project(p->app, e))
		return e->code;
	ask.db = p->app->db;
	if (web_section(p, "Grants", "grants", TABLE_TAKES, NULL, e) ||
		web_section(p, "Ends", "grant_ends", NULL, &ends, e) ||
		web_section(p, "What is charged then, and what to do before", "grant_plan",
			NULL, &plan, e))
		return e->code;
	add_commands(p->doc->sections[2]);
	return add_use(p, &ask, e) ? e->code
				   : web_section(p, "Saved, and not covered",
					     "coverage_totals", NULL, NULL, e);
}

/* ---- activity, sources -------------------------------------------------------------------------- */

static enum err_code activity_page(struct web_page *p, struct err *e)
{
	static const struct query events = {
		.columns = "at,kind,severity,rule,subject,summary,muted",
		.order = "event DESC"};
	static const struct query actions = {
		.columns = "id,at,rule,resource,action,mode,state,reason,due",
		.order = "id DESC",
		.empty = "No rule stops or deletes anything."};

	return session_open(p->app, e) ||
			web_section(p, "Alerts", "alerts", TABLE_TAKES, NULL, e) ||
			web_section(p, "Actions", "actions", NULL, &actions, e) ||
			web_section(p, "Audit log", "audit", NULL, NULL, e) ||
			web_section(
				p, "What was reported", "alert_events", NULL, &events, e) ||
			web_section(p, "Messages", "notifications", NULL, NULL, e) ||
			web_section(p, "Silences", "silences", NULL, NULL, e)
		? e->code
		: web_section(p, "Holds", "holds", NULL, NULL, e);
}

static enum err_code sources_page(struct web_page *p, struct err *e)
{
	return session_open(p->app, e) ||
			web_section(p, "Sources", "sources", TABLE_TAKES, NULL, e) ||
			web_section(p, "Unreachable locations", "gaps", NULL, NULL, e) ||
			web_section(p, "Levels of access", "access", NULL, NULL, e) ||
			web_section(p, "Billing data", "billing_tables", NULL, NULL, e) ||
			web_section(p, "Rules", "rules", NULL, NULL, e)
		? e->code
		: web_section(p, "Channels", "channels", NULL, NULL, e);
}

/* ---- why --------------------------------------------------------------------------------------- */

static const struct doc_column why_columns[] = {
	{"label", "figure", DOC_TEXT},
	{"value", "value", DOC_TEXT},
	{"formula", "calculation", DOC_TEXT, .rank = 1},
	{"source", "source", DOC_TEXT, .rank = 2},
	{"age", "age", DOC_DURATION, .rank = 3},
};

static void add_reason(
	struct web_page *p, const struct explaining *x, size_t i, struct doc_section **s)
{
	const struct explain_row *from = &x->rows[i];
	cleanup(sbuf_done) struct sbuf value = SBUF_INIT;
	struct doc_row *row;

	if (!i || from->section != x->rows[i - 1].section)
		*s = doc_section(p->doc, arena_printf(p->doc->arena, "part-%zu", i),
			from->section, why_columns, ARRAY_LEN(why_columns));
	row = doc_row(*s);
	row->cells[0] = cell_text(from->label);
	row->cells[2] = cell_text(from->formula);
	row->cells[3] = cell_text(from->source);
	if (from->age.set)
		row->cells[4] = cell_duration(from->age.v);
	if (from->kind == EXPLAIN_COMMAND) {
		row->command = from->text;
		return;
	}
	explain_value(x, from, &value);
	row->cells[1] = cell_text(arena_strdup(p->doc->arena, value.s));
}

/* Any figure, alert or action, down to rows, prices and ages. */
static enum err_code why_page(struct web_page *p, struct err *e)
{
	struct app *app = p->app;
	const char *of = web_arg(p->r, "of");
	struct explaining x = {.settings = &app->cfg->settings,
		.config = app->cfg->path,
		.people = true,
		.a = &app->arena};
	struct doc_section *s = NULL;

	if (!*of)
		return err_set_fix(e, E_USAGE, "use: /why?of=burn, or follow a name",
			"why: no id or name is given");
	if (session_open(app, e))
		return e->code;
	x.db = app->db;
	x.now = app->now;
	if (explain(&x, &of, 1, e))
		return e->code;
	p->doc->title = "Why";
	p->doc->headline = x.title;
	p->doc->tone = TONE_SOFT;
	for (size_t i = 0; i < x.n_rows; i++)
		add_reason(p, &x, i, &s);
	for (size_t i = 0; i < p->doc->n; i++)
		for (size_t k = 1; k < ARRAY_LEN(why_columns); k++)
			hide_unknown(p->doc->sections[i], why_columns[k].key);
	if (x.others)
		doc_note(p->doc, "%s", x.others);
	p->notes = BASIS_INVENTORY;
	return E_OK;
}

const struct web_route web_routes[] = {
	{"/", "Now", "Now", "project", now_page},
	{"/cost", "Cost", "Billed cost", COST_TAKES, cost_page, "30d"},
	{"/tpus", "TPUs", "TPUs", TABLE_TAKES, tpus_page, "7d"},
	{"/grants", "Grants", "Grants", TABLE_TAKES, grants_page},
	{"/activity", "Activity", "Alerts and actions", TABLE_TAKES, activity_page},
	{"/sources", "Sources", "Sources", TABLE_TAKES, sources_page},
	{"/views", "Tables", "Tables", "", web_views_page},
	{"/why", NULL, "Why", "of", why_page},
};
const size_t n_web_routes = ARRAY_LEN(web_routes);
