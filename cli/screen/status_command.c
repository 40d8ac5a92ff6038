/* Command `status`: actions to take, grants, burn, budgets, credits and gaps on one screen. */
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/config/config.h"
#include "cli/out/out.h"
#include "cli/session.h"
#include "cli/say.h"
#include "cli/screen/glance_burn.h"
#include "cli/screen/status.h"
#include "db/db.h"
#include "reports/doc/formats.h"
#include "reports/kinds.h"

#include <string.h>

#define MAX_ROWS 10 /* of a section */

/* Sections of the daily report, in its order. */
static const char *const parts[] = {"do_now", "consequences", "grants", "burn", "budgets",
	"credits", "enforcement", "lost_messages", "sources", "gaps"};

static bool is_part(const struct doc_section *s)
{
	return str_in(s->key, parts, ARRAY_LEN(parts));
}

static const char *text_of(
	const struct doc_section *s, const struct doc_row *r, const char *key)
{
	for (int i = 0; i < s->n_columns; i++)
		if (!strcmp(s->columns[i].key, key))
			return r->cells[i].type == DOC_TEXT ? r->cells[i].text : NULL;
	return NULL;
}

/* Project of a row: its column, the beginning of an id, or that of a grant; NULL: all. */
static const char *project_of(
	struct app *app, const struct doc_section *s, const struct doc_row *r)
{
	const struct config *cfg = app->cfg;
	const char *project = text_of(s, r, "project"), *id = text_of(s, r, "id");
	int64_t i = -1;

	if (!project && id && strchr(id, '/'))
		project = arena_strndup(&app->arena, id, strcspn(id, "/"));
	if (!project && !strcmp(s->key, "grants"))
		i = grant_find(cfg->grants, cfg->n_grants, text_of(s, r, "name"));
	return i >= 0 ? cfg->grants[i].project : project;
}

/* Keeps what concerns the projects of --project, and what concerns all. */
static void keep_projects(struct app *app, struct doc_section *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		const char *project = project_of(app, s, &s->rows[i]);

		if (!project || glance_is_asked(app, project))
			s->rows[n++] = s->rows[i];
	}
	s->n = n;
}

static void keep_parts(struct app *app, struct doc *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		if (is_part(d->sections[i]))
			d->sections[n++] = d->sections[i];
	d->n = n;
	if (app->o.project)
		d->headline = d->subject = NULL; /* of all projects */
	for (size_t i = 0; app->o.project && i < n; i++)
		keep_projects(app, d->sections[i]);
	for (size_t i = 0; i < d->n_facts; i++)
		if (!strcmp(d->facts[i].key, "to_do"))
			d->facts[i].cell = cell_int((int64_t)doc_find(d, "do_now")->n);
	doc_find(d, "enforcement")->title = "Enforcement";
	d->n_notes = d->n_brief = 0;
	d->kind = "status";
	d->title = "tpucost status";
}

static enum err_code pick_format(
	const char *name, const struct doc_format **out, struct err *e)
{
	if (!name || !strcmp(name, "table"))
		name = "text";
	*out = doc_format_find(name);
	if (*out)
		return E_OK;
	err_set(e, E_USAGE, "status: unknown format '%.60s'", name);
	return err_fix(e, "use text, json, csv or markdown");
}

/* One screen instead of a document? */
static bool is_screen(const struct app *app)
{
	return !app->o.all && (!app->o.format || !strcmp(app->o.format, "table"));
}

int cmd_status(struct app *app, struct err *e)
{
	const struct format_opts o = {.max_rows = app->o.all ? 0 : MAX_ROWS};
	const struct report_kind *kind = report_kind_find("daily");
	struct report_ask ask = {.settings = &app->cfg->settings,
		.now = app->now,
		.since = TS_NONE,
		.until = TS_NONE,
		.glance = is_screen(app),
		.projects = app->o.project};
	const struct doc_format *format;
	const struct doc_section *lost;
	const struct out_style style = out_style_stdout();
	struct sbuf b = SBUF_INIT;
	struct doc *d;
	int rc = EXIT_FINE;

	if (pick_format(app->o.format, &format, e) ||
		(!ask.glance && kind->period(&ask, e)) ||
		session_open_for(app, ask.since, ask.until, e) ||
		session_check_project(app, e))
		return cmd_fail(e);
	ask.db = app->db;
	if (kind->build(&ask, &app->arena, &d, e))
		return cmd_fail(e);
	lost = doc_find(d, "lost_messages");
	if (lost && lost->n)
		rc = EXIT_PARTIAL;
	keep_parts(app, d);
	if (!ask.glance)
		format->render(d, &o, &b);
	else if (status_screen(app, d, &style, &b, e))
		rc = cmd_fail(e);
	if (b.len && out_write(&b, e))
		rc = cmd_fail(e);
	sbuf_done(&b);
	if (app->o.project && !app->o.quiet)
		say("note: budgets and credits cover all projects");
	return rc;
}
