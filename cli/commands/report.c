/* Command `report`: reports of all kinds in all formats. */
#include "cli/cmd.h"
#include "cli/config/config.h"
#include "cli/detail.h"
#include "cli/out/out.h"
#include "cli/query.h"
#include "cli/target.h"
#include "reports/doc/formats.h"
#include "reports/kinds.h"

#define MAX_ROWS 50 /* of a section in formats for reading */

static enum err_code pick_kind(
	const char *name, const struct report_kind **out, struct err *e)
{
	*out = report_kind_find(name ? name : "daily");
	if (*out)
		return E_OK;
	err_set(e, E_USAGE, "report: unknown kind '%.60s'", name);
	return near_fix(e, NEAR_OF(name, report_kinds, n_report_kinds, name),
		"use: tpucost report daily");
}

static enum err_code pick_format(
	const char *name, const struct doc_format **out, struct err *e)
{
	*out = doc_format_find(name ? name : "text");
	if (*out)
		return E_OK;
	err_set(e, E_USAGE, "report: unknown format '%.60s'", name);
	return near_fix(e, NEAR_OF(name, doc_formats, n_doc_formats, name),
		"use text, html, markdown, json, slack or csv");
}

struct report_asked {
	const struct report_kind *kind;
	struct report_ask ask;
};

/* Reads the options that this kind of report accepts. */
static enum err_code report_period(
	struct app *app, void *ctx, ts_t *since, ts_t *until, struct err *e)
{
	struct report_asked *x = ctx;
	const struct report_kind *k = x->kind;
	struct report_ask *ask = &x->ask;
	const struct opts *o = &app->o;
	const struct {
		const char *what, *value;
	} given[] = {{"name", app->n_args > 1 ? app->args[1] : NULL}, {"month", o->month},
		{"since", o->since}, {"until", o->until}};
	char month[8];

	*ask = (struct report_ask){.settings = &app->cfg->settings,
		.now = app->now,
		.name = given[0].value,
		.month = o->month,
		.since = TS_NONE,
		.until = TS_NONE};
	for (size_t i = 0; i < ARRAY_LEN(given); i++) {
		if (!given[i].value || report_takes(k, given[i].what))
			continue;
		return err_set_fix(e, E_USAGE, "see: tpucost report --help",
			"report %s does not accept %s%s", k->name, i ? "--" : "a ",
			given[i].what);
	}
	if ((o->month && query_month(o->month, month, e)) ||
		(o->since && query_time(app, o->since, &ask->since, e)) ||
		(o->until && query_time(app, o->until, &ask->until, e)) ||
		(k->period && k->period(ask, e)))
		return e->code;
	*since = ask->since;
	*until = ask->until;
	return E_OK;
}

/* Each channel has its own format of a report. */
static enum err_code check_opts(const struct opts *o, struct err *e)
{
	const char *other = o->output ? "--output"
		: o->format           ? "--format"
		: o->raw              ? "--raw"
		: o->all              ? "--all"
				      : NULL;

	if (o->send && other) {
		err_set(e, E_USAGE, "report: --send cannot be used with %s", other);
		return err_fix(e,
			o->output ? "write the file with a second command"
				  : "omit it: each channel has its own format of a "
				    "report");
	}
	if (!o->to || o->send)
		return E_OK;
	return err_set_fix(e, E_USAGE, "add --send", "report: --to needs --send");
}

/* Opens the database. BigQuery answers what the report needs of lines that are not stored, or the report says why not. */
static enum err_code report_open(struct app *app, struct report_asked *x, struct err *e)
{
	const char *unanswered;

	if (session_open_of(app, report_period, x, e))
		return e->code;
	unanswered = detail_for_report(app, x->kind, &x->ask, 0);
	if (!app->db && !app->needs_net && session_open_of(app, report_period, x, e))
		return e->code;
	x->ask.unanswered = unanswered;
	return E_OK;
}

int cmd_report(struct app *app, struct err *e)
{
	const struct format_opts o = {
		.max_rows = app->o.all ? 0 : MAX_ROWS, .raw = app->o.raw};
	const struct doc_format *format;
	struct report_asked x;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;
	struct doc *doc;

	if (check_opts(&app->o, e) ||
		pick_kind(app->n_args ? app->args[0] : NULL, &x.kind, e) ||
		pick_format(app->o.format, &format, e) ||
		target_check(app, target_path(app), e) || report_open(app, &x, e))
		return cmd_fail(e);
	if (app->needs_net)
		return EXIT_FAILED;
	session_note_clock(app);
	x.ask.db = app->db;
	if (x.kind->build(&x.ask, &app->arena, &doc, e))
		return cmd_fail(e);
	if (app->o.send)
		return report_sender(app, x.kind, doc, e);
	format->render(doc, &o, &b);
	/* names and amounts are private */
	return target_write(app, &b, 0600, e) ? cmd_fail(e) : EXIT_FINE;
}
