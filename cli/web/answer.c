/* Answers to requests: parameters, the session, pages, data, errors. */
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/metrics/metrics.h"
#include "cli/query.h"
#include "cli/request.h"
#include "cli/web/web.h"
#include "db/vocab.h"
#include "reports/doc/formats.h"

#include <string.h>

#define WEB_BYTES 8000000

#define TEXT "text/plain; charset=utf-8"
#define HTML "text/html; charset=utf-8"
#define DATA_TAKES "where,columns,sort-by,limit,since,until,project"

/* ---- errors ------------------------------------------------------------------------------------ */

static bool is_page(const char *path)
{
	const char *dot = strrchr(path, '.');

	return !dot && strcmp(path, "/metrics") != 0 && strcmp(path, "/healthz") != 0;
}

void web_error(const struct app *base, const struct web_request *r, unsigned status,
	const char *text, struct web_answer *a)
{
	cleanup(arena_done) struct arena arena = {0};
	struct doc *d;

	a->status = status;
	a->type = TEXT;
	sbuf_reset(&a->body);
	if (!is_page(r->path)) {
		sbuf_addf(&a->body, "tpucost: %s\n", text);
		return;
	}
	a->type = HTML;
	d = doc_new(&arena, "error", base->cfg->tz, clock_now(base->clock));
	d->title = status == 404 ? "Not found" : "No answer";
	d->headline = text;
	d->tone = TONE_BAD;
	web_render(r, d, &a->body);
}

static void fail(const struct app *base, const struct web_request *r, const struct err *e,
	struct web_answer *a)
{
	cleanup(sbuf_done) struct sbuf text = SBUF_INIT;
	unsigned status = 500;

	if (e->code == E_USAGE || e->code == E_LIMIT || e->code == E_OVERFLOW)
		status = 400;
	else if (e->code == E_DB || e->code == E_BUSY || e->code == E_NOTFOUND ||
		e->code == E_IO)
		status = 503;
	sbuf_addf(&text, "%s%s%s", e->msg, e->fix[0] ? "; " : "", e->fix);
	web_error(base, r, status, text.s, a);
}

/* ---- parameters -------------------------------------------------------------------------------- */

/* A form sends its empty fields, too. */
static enum err_code read_args(
	struct app *app, const struct web_request *r, const char *takes, struct err *e)
{
	for (size_t i = 0; i < r->n_args; i++) {
		const char *name = r->args[i].name, *value = r->args[i].value;
		const struct opt *o = opt_named(name, strlen(name));

		if (!str_in_list(name, takes))
			return err_set_fix(e, E_USAGE,
				*takes ? arena_printf(&app->arena, "use: %s", takes)
				       : "use none",
				"%s has no parameter '%.60s'", r->path, name);
		for (size_t k = 0; k < i; k++)
			if (!strcmp(r->args[k].name, name))
				return err_set_fix(e, E_USAGE, "give it once",
					"the parameter '%s' is given twice", name);
		if (o && !o->arg && *value && strcmp(value, "1") != 0)
			return err_set_fix(e, E_USAGE, "use 1, or leave it out",
				"the parameter '%s' is '%.60s'", name, value);
		if (o && *value && opts_set(&app->o, o, value, e))
			return e->code;
	}
	return E_OK;
}

/* ---- sessions ---------------------------------------------------------------------------------- */

static enum err_code begin(struct app *app, const struct app *base,
	const struct web_request *r, const char *takes, struct err *e)
{
	request_begin(app, base);
	return read_args(app, r, takes, e) ? e->code : config_load(app, e);
}

static void add_said(struct doc *d)
{
	char *rest = arena_strdup(d->arena, request_said()), *line;

	while (*request_said() && (line = strsep(&rest, "\n")))
		doc_note(d, "%s", str_starts(line, "note: ") ? line + 6 : line);
}

/* ---- data -------------------------------------------------------------------------------------- */

static enum err_code add_data(struct app *app, const struct app *base,
	const struct web_request *r, const struct view *v, struct sbuf *b, struct err *e)
{
	bool costs = !strcmp(v->name, "costs"), json = str_ends(r->path, ".json");
	struct doc_section *t;
	struct query q;

	if (begin(app, base, r, costs ? DATA_TAKES ",by,month" : DATA_TAKES, e))
		return e->code;
	app->format = json ? OUT_JSON : OUT_CSV;
	if (query_view_of_period(app, &v, e) || session_open(app, e) ||
		query_read_view(app, v, &q, &t, e))
		return e->code;
	b->max = WEB_BYTES;
	if (json)
		doc_json_rows(t, b);
	else
		doc_csv_rows(t, false, b);
	return b->full ? err_set_fix(e, E_LIMIT, "use limit, where or columns",
				 "more than %d bytes", WEB_BYTES)
		       : E_OK;
}

/* "/resources.json" */
static const struct view *data_of(const char *path)
{
	const char *dot = strrchr(path, '.');
	char name[64];

	if (*path != '/' || !dot ||
		(strcmp(dot, ".json") != 0 && strcmp(dot, ".csv") != 0) ||
		(size_t)(dot - path) >= sizeof(name))
		return NULL;
	memcpy(name, path + 1, (size_t)(dot - path) - 1);
	name[dot - path - 1] = '\0';
	return view_find(name);
}

/* ---- all --------------------------------------------------------------------------------------- */

static enum err_code add_metrics(struct app *app, const struct app *base,
	const struct web_request *r, struct sbuf *b, struct err *e)
{
	return begin(app, base, r, "per-resource", e) || session_open(app, e)
		? e->code
		: metrics_add(app, app->o.per_resource, b, e);
}

/* A form sends an empty field. */
static void set_since(struct web_request *r, const char *since)
{
	size_t i = 0;

	while (i < r->n_args && strcmp(r->args[i].name, "since") != 0)
		i++;
	if (i == WEB_ARGS_MAX)
		return;
	r->n_args += i == r->n_args;
	r->args[i] = (struct web_arg){"since", since};
}

static enum err_code add_page(struct app *app, const struct app *base,
	const struct web_request *r, const struct web_route *route, struct sbuf *b,
	struct err *e)
{
	struct web_request all = *r;
	struct web_page p = {.app = app, .r = &all, .asked = r};

	if (route->since && !*web_arg(r, "since") && !*web_arg(r, "until") &&
		!*web_arg(r, "month"))
		set_since(&all, route->since);
	if (begin(app, base, &all, route->takes, e))
		return e->code;
	p.doc = doc_new(&app->arena, "page", app->cfg->tz, app->now);
	p.doc->title = route->title;
	if (route->build(&p, e) || query_say_notes(app, p.notes, e))
		return e->code;
	p.doc->now = app->now;
	add_said(p.doc);
	web_render(r, p.doc, b);
	return E_OK;
}

static const struct web_route *route_of(const char *path)
{
	static const struct web_route view = {.takes = DATA_TAKES, .build = web_view_page};
	/* all lines of the bill are too many for a page */
	static const struct web_route bill = {
		.takes = DATA_TAKES, .build = web_view_page, .since = "7d"};

	for (size_t i = 0; i < n_web_routes; i++)
		if (!strcmp(web_routes[i].path, path))
			return &web_routes[i];
	if (!strcmp(path, "/costs") || !strcmp(path, "/billed_credits"))
		return &bill;
	return *path == '/' && view_find(path + 1) ? &view : NULL;
}

void web_answer(const struct app *base, const struct web_request *r, struct web_answer *a)
{
	const struct view *v = data_of(r->path);
	const struct web_route *route = route_of(r->path);
	struct app app = {.clock = base->clock};
	struct err e = {0};

	a->status = 200;
	a->type = HTML;
	if (!strcmp(r->path, "/healthz")) {
		a->type = TEXT;
		sbuf_adds(&a->body, "ok\n");
		return;
	}
	if (!strcmp(r->path, "/metrics")) {
		a->type = "text/plain; version=0.0.4; charset=utf-8";
		add_metrics(&app, base, r, &a->body, &e);
	} else if (v) {
		a->type = str_ends(r->path, ".json") ? "application/json"
						     : "text/csv; charset=utf-8";
		add_data(&app, base, r, v, &a->body, &e);
	} else if (route) {
		add_page(&app, base, r, route, &a->body, &e);
	} else {
		web_error(base, r, 404, "there is no such page; see: /views", a);
	}
	request_end(&app);
	if (e.code)
		fail(base, r, &e, a);
}
