/* Command `status`: actions to take, grants, burn, budgets, credits and gaps on one screen. */
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/config/config.h"
#include "cli/out/out.h"
#include "cli/session.h"
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

static void keep_parts(struct doc *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		if (is_part(d->sections[i]))
			d->sections[n++] = d->sections[i];
	d->n = n;
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
		.glance = is_screen(app)};
	const struct doc_format *format;
	const struct doc_section *lost;
	const struct out_style style = out_style_stdout();
	struct sbuf b = SBUF_INIT;
	struct doc *d;
	int rc = EXIT_FINE;

	if (pick_format(app->o.format, &format, e) ||
		(!ask.glance && kind->period(&ask, e)) ||
		session_open_for(app, ask.since, ask.until, e))
		return cmd_fail(e);
	ask.db = app->db;
	if (kind->build(&ask, &app->arena, &d, e))
		return cmd_fail(e);
	lost = doc_find(d, "lost_messages");
	if (lost && lost->n)
		rc = EXIT_PARTIAL;
	keep_parts(d);
	if (!ask.glance)
		format->render(d, &o, &b);
	else if (status_screen(app, d, &style, &b, e))
		rc = cmd_fail(e);
	if (b.len && out_write(&b, e))
		rc = cmd_fail(e);
	sbuf_done(&b);
	return rc;
}
