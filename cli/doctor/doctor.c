/* Command `doctor`: checks the setup of tpucost and prints commands that fix the problems
 * found. */
#include "base/net/http.h"
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/doctor/doctor.h"
#include "cli/out/out.h"
#include "cli/query.h"
#include "collector/source/source.h"
#include "gcp/gcp.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define RETRY_MS 5000 /* a user is waiting */
#define ATTEMPTS 2

enum needs {
	NEEDS_CONFIG = 1,
	NEEDS_DB = 2,
	NEEDS_TOKEN = 4, /* of the account that reads */
	EACH_PROJECT = 8,
	OTHERS_NEED = 16, /* its problems are also printed when others are asked for */
	IS_CHECK = 32,
};

static const struct check {
	const char *name;
	unsigned needs;
	doctor_check *run;
} checks[] = {
	{"configuration", OTHERS_NEED, doctor_config},
	{"database", NEEDS_CONFIG | OTHERS_NEED, doctor_database},
	{"disk", NEEDS_CONFIG, doctor_room},
	{"credentials", NEEDS_CONFIG | OTHERS_NEED, doctor_credentials},
	{"actor", NEEDS_CONFIG, doctor_actor},
	{"reading", NEEDS_TOKEN, doctor_search},
	{"reading", NEEDS_TOKEN | EACH_PROJECT, doctor_reading},
	{"apis", NEEDS_TOKEN, doctor_apis},
	{"clock", NEEDS_TOKEN, doctor_clock},
	{"sources", NEEDS_DB | EACH_PROJECT, doctor_sources},
	{"sources", NEEDS_DB, doctor_other_sources},
	{"tpu-api", NEEDS_DB | EACH_PROJECT, doctor_tpu_api},
	{"billing", NEEDS_CONFIG, doctor_billing},
	{"publish", NEEDS_TOKEN, doctor_publish},
	{"access", NEEDS_CONFIG, doctor_access},
	{"budgets", NEEDS_CONFIG | NEEDS_DB, doctor_budgets},
	{"channels", NEEDS_CONFIG, doctor_channels},
	{"enforcement", NEEDS_CONFIG, doctor_enforcement},
	{"halt", NEEDS_CONFIG, doctor_halt},
	{"acting", NEEDS_CONFIG, doctor_acting},
	{"lease", NEEDS_TOKEN, doctor_lease},
	{"own-host", NEEDS_DB | NEEDS_TOKEN | EACH_PROJECT, doctor_own_host},
};

/* ---- findings --------------------------------------------------------------------------------- */

struct finding *doctor_add(
	struct doctor *d, enum doctor_status status, const char *fmt, ...)
{
	char text[2048];
	struct finding *f;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	f = arena_push(d->a, d);
	*f = (struct finding){.status = status,
		.check = d->check,
		.detail = arena_strdup(d->a, text),
		.fix = "",
		.project = d->project};
	return f;
}

struct finding *doctor_add_err(struct doctor *d, const struct err *e)
{
	/* no reply, or none that answers the question: it may be in order */
	bool skip = e->code == E_NET || e->code == E_RATE || e->code == E_HTTP ||
		e->code == E_LIMIT;
	struct finding *f = doctor_add(d, skip ? DOCTOR_SKIP : DOCTOR_FAIL, "%s%s",
		skip ? "could not be checked: " : "", e->msg);

	d->unasked = d->unasked || skip;
	f->fix = arena_strdup(d->a, str_starts(e->fix, "run: ") ? e->fix + 5 : e->fix);
	return f;
}

const char *doctor_edit(const struct doctor *d, const char *what)
{
	return arena_printf(d->a, "${EDITOR:-vi} '%s' # %s", d->app->cfg->path, what);
}

/* ---- checks ----------------------------------------------------------------------------------- */

/* Projects of --project, of the configuration, or found by the last poll. */
static enum err_code doctor_find_projects(struct doctor *d, struct err *e)
{
	const struct config *cfg = d->app->cfg;

	d->projects = (const char *const *)cfg->projects.v;
	d->n_projects = cfg->projects.n;
	if (d->app->o.project) {
		d->projects = (const char *const *)&d->app->o.project;
		d->n_projects = 1;
	} else if (cfg->discovery && d->has_db) {
		return discovered(
			d->app->db, cfg->discovery, d->a, &d->projects, &d->n_projects, e);
	}
	return E_OK;
}

static void run_one(struct doctor *d, const struct check *c)
{
	bool each = c->needs & EACH_PROJECT;
	struct err e = {0};

	d->check = c->name;
	if ((c->needs & NEEDS_CONFIG && !d->app->cfg) ||
		(c->needs & NEEDS_DB && !d->has_db) ||
		(c->needs & NEEDS_TOKEN && !d->reader.works))
		return;
	/* Projects that were found are in the database, which is one of the first checks. */
	if (d->app->cfg && !d->n_projects && doctor_find_projects(d, &e))
		doctor_add_err(d, &e);
	for (size_t i = 0; i < (each ? d->n_projects : 1); i++) {
		d->project = each ? d->projects[i] : NULL;
		c->run(d);
	}
	d->project = NULL;
}

/* The bits of the check, 0 if there is none of that name. */
static unsigned doctor_bits(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(checks); i++)
		if (!strcmp(checks[i].name, name))
			return checks[i].needs | IS_CHECK;
	return 0;
}

static enum err_code doctor_check_args(const struct app *app, struct err *e)
{
	for (int i = 0; i < app->n_args; i++) {
		if (doctor_bits(app->args[i]))
			continue;
		err_set(e, E_USAGE, "doctor: there is no check '%.60s'", app->args[i]);
		return near_fix(e, NEAR_OF(app->args[i], checks, ARRAY_LEN(checks), name),
			"see: tpucost doctor");
	}
	return E_OK;
}

/* Drops the findings of checks that were not asked for. */
static void doctor_select(struct doctor *d)
{
	const char *const *asked = (const char *const *)d->app->args;
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++) {
		const struct finding *f = &d->v[i];

		if (!d->app->n_args || str_in(f->check, asked, (size_t)d->app->n_args) ||
			(doctor_bits(f->check) & OTHERS_NEED &&
				(f->status == DOCTOR_FAIL || f->status == DOCTOR_SKIP)))
			d->v[n++] = *f;
	}
	d->n = n;
}

/* ---- output ----------------------------------------------------------------------------------- */

static int print_table(struct doctor *d, struct err *e)
{
	static const struct doc_column cols[] = {{"check", .type = DOC_TEXT},
		{"status", .type = DOC_TEXT}, {"detail", .type = DOC_TEXT},
		{"fix", .type = DOC_TEXT}, {"project", .type = DOC_TEXT}};
	struct doc_section *t = doc_table(d->a, cols, ARRAY_LEN(cols));

	for (size_t i = 0; i < d->n; i++) {
		struct doc_cell *row = doc_row(t)->cells;

		row[0] = cell_text(d->v[i].check);
		row[1] = cell_text(doctor_status_name(d->v[i].status));
		row[2] = cell_text(d->v[i].detail);
		row[3] = cell_text(*d->v[i].fix ? d->v[i].fix : NULL);
		row[4] = cell_text(d->v[i].project);
	}
	return query_print(d->app, t, "", e);
}

static void doctor_done(struct doctor *d)
{
	gcp_free(d->reader.g);
	if (d->actor.g != d->reader.g)
		gcp_free(d->actor.g);
	http_free(d->http);
}

int cmd_doctor(struct app *app, struct err *e)
{
	struct http_opts http = {.user_agent = "tpucost/" TPUCOST_VERSION " (gzip)",
		.clock = app->clock,
		.max_attempts = ATTEMPTS,
		.retry_budget_ms = RETRY_MS};
	cleanup(doctor_done) struct doctor d = {.app = app, .a = &app->arena};
	int rc;

	if (doctor_check_args(app, e) || http_new(&http, &d.http, e))
		return cmd_fail(e);
	for (size_t i = 0; i < ARRAY_LEN(checks); i++)
		run_one(&d, &checks[i]);
	doctor_select(&d);
	rc = app->format == OUT_TABLE ? doctor_print(&d, e) : print_table(&d, e);
	for (size_t i = 0; i < d.n && !rc; i++)
		if (d.v[i].status == DOCTOR_FAIL)
			rc = EXIT_FAILED;
	return rc ? rc : d.unasked ? EXIT_PARTIAL : EXIT_FINE;
}
