/* Command `init`: searches for settings and writes a first configuration; never replaces an
 * existing one. */
#include "base/time/civil.h"
#include "base/fs.h"
#include "base/str.h"
#include "base/time/tz.h"
#include "base/url/url.h"
#include "base/net/http.h"
#include "cli/config/config.h"
#include "cli/config/internal.h"
#include "cli/init/init.h"
#include "cli/net/wire.h"
#include "cli/out/out.h"
#include "cli/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_CONFIG (1u << 20)
#define MAX_KEPT 100 /* old files in the same directory */

/* ---- output file ------------------------------------------------------------------------------- */

/* Sets *path; NULL: standard output. */
static enum err_code pick_path(struct app *app, const char **path, struct err *e)
{
	*path = app->o.output   ? app->o.output
		: app->o.config ? app->o.config
				: config_env("TPUCOST_CONFIG");
	if (!*path)
		*path = config_user_path(&app->arena);
	if (!*path)
		return err_set_fix(e, E_CONFIG,
			"give --output FILE, or - for standard output",
			"init: there is no home directory to write to");
	if (str_eq(*path, "-") && !app->o.config)
		*path = NULL;
	return E_OK;
}

static bool init_is_there(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

static enum err_code check_free(const struct app *app, const char *path, struct err *e)
{
	if (!path || app->o.overwrite || !init_is_there(path))
		return E_OK;
	err_set(e, E_CONFIG, "init: %s already exists", path);
	return err_fix(e,
		"check it with tpucost check; use --output FILE for another file, - for "
		"standard output, or --overwrite, which keeps the old one as %s.bak",
		path);
}

/* Renames the old file to the first free name. */
static enum err_code keep_old(
	struct app *app, const char *path, const char **kept, struct err *e)
{
	cleanup(sbuf_done) struct sbuf old = SBUF_INIT;

	if (fs_read(path, MAX_CONFIG, &old, e))
		return e->code;
	*kept = arena_printf(&app->arena, "%s.bak", path);
	for (int i = 1; init_is_there(*kept); i++) {
		if (i == MAX_KEPT)
			return err_set(e, E_IO, "%s: too many old files", *kept);
		*kept = arena_printf(&app->arena, "%s.bak.%d", path, i);
	}
	return fs_write_atomic(*kept, old.s, old.len, 0600, e);
}

static enum err_code make_directory(struct app *app, const char *path, struct err *e)
{
	char *dir = arena_strdup(&app->arena, path), *slash = strrchr(dir, '/');

	if (!slash || slash == dir)
		return E_OK;
	*slash = '\0';
	return init_is_there(dir) ? E_OK : fs_mkdirs(dir, 0700, e);
}

static enum err_code put_file(
	struct app *app, const char *path, const struct sbuf *text, struct err *e)
{
	const char *kept = NULL;

	if (make_directory(app, path, e) || check_free(app, path, e) ||
		(init_is_there(path) && keep_old(app, path, &kept, e)) ||
		fs_write_atomic(path, text->s, text->len, 0600, e))
		return e->code;
	if (kept)
		say_unless_quiet("kept: the old file, as %s", kept);
	return E_OK;
}

/* Checks the written file: an error in it should be known now. */
static enum err_code check_file(struct app *app, const char *path, struct err *e)
{
	struct config cfg;
	enum err_code rc = config_read(path, &app->arena, &cfg, e);

	if (rc)
		return err_wrap(e, "init: the written file is not valid");
	for (size_t i = 0; i < cfg.warnings.n; i++)
		say("warning: %s", cfg.warnings.v[i]);
	tz_free(cfg.tz);
	return E_OK;
}

/* ---- options ----------------------------------------------------------------------------------- */

static enum err_code take_endpoint(struct app *app, struct init_found *f, struct err *e)
{
	const char *given = app->o.endpoint ? app->o.endpoint
					    : config_env("TPUCOST_ENDPOINT");
	struct url u;

	if (!given)
		return E_OK;
	if (!http_url_allowed(given, e) || url_parse(given, &u, e) ||
		!url_is_loopback(&u) || strpbrk(given, "\"\\?#"))
		return err_set_fix(e, E_USAGE, "use http://127.0.0.1:8080",
			"--endpoint: '%.100s' is not an address of this machine", given);
	f->endpoint = given;
	return E_OK;
}

/* A key that only the environment names would be missing under cron. */
static enum err_code take_key(struct app *app, struct init_found *f, struct err *e)
{
	const char *given = app->o.credentials
		? app->o.credentials
		: config_env("GOOGLE_APPLICATION_CREDENTIALS");
	char *full;

	if (!given || (app->o.credentials && str_eq(given, "adc")))
		return E_OK;
	full = realpath(given, NULL);
	if (!full && app->o.credentials) {
		err_sys(e, E_CONFIG, errno, "--credentials %s", given);
		return e->code;
	}
	if (full && !full[strcspn(full, "\n\r\t")])
		f->key = arena_strdup(&app->arena, full);
	free(full);
	return E_OK;
}

static enum err_code check_projects(struct app *app, struct err *e)
{
	const char *account = app->o.billing_account;
	char *list = arena_strdup(&app->arena, app->o.project), *id;

	while ((id = strsep(&list, ",")))
		if (!config_project_valid(id))
			return err_set_fix(e, E_USAGE,
				"list your projects with: gcloud projects list",
				"--project: '%.60s' is not a project id", id);
	if (account && app->o.project)
		return err_set(
			e, E_USAGE, "--billing-account: not possible with --project");
	if (account && !config_account_valid(account))
		return err_set_fix(e, E_USAGE,
			"list your accounts with: gcloud billing accounts list",
			"--billing-account: '%.60s' is not a billing account (expected "
			"01AB23-CD45EF-678901)",
			account);
	return E_OK;
}

/* ---- the command ------------------------------------------------------------------------------- */

static const char *usual_path(struct app *app)
{
	const char *given = app->o.config, *usual;

	app->o.config = NULL;
	usual = config_path(app);
	app->o.config = given;
	return usual;
}

/* Prints the next steps: first those without which nothing can be polled. */
static void init_say_next(struct app *app, const char *path, const struct init_found *f)
{
	const char *usual = usual_path(app);
	cleanup(free_ptr) char *full = path ? realpath(path, NULL) : NULL;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	if (!path)
		sbuf_addf(&b, "save it as %s; ", usual);
	else if (!str_eq(path, usual)) {
		sbuf_adds(&b, "export TPUCOST_CONFIG=");
		sbuf_add_shell(&b, full ? full : path); /* valid in any directory */
		sbuf_adds(&b, "; ");
	}
	if (!f->works && !f->unreached)
		sbuf_adds(&b, "gcloud auth application-default login; ");
	if (!f->whole_account && (!f->n_projects || !f->projects[0].why))
		sbuf_addf(&b, "list your project in %s%s; ", path ? path : usual,
			path && !f->works ? " (or tpucost init --overwrite)" : "");
	say_unless_quiet("next: %stpucost doctor; tpucost collect; tpucost ps", b.s);
}

int cmd_init(struct app *app, struct err *e)
{
	cleanup(sbuf_done) struct sbuf grants = SBUF_INIT, text = SBUF_INIT;
	struct init_found f = {.timezone = tz_machine_name()};
	struct grant_import got = {0};
	char day[DATE_BUF];
	const char *path;
	int rc;

	if (pick_path(app, &path, e) || target_check(app, path, e) ||
		check_free(app, path, e) || take_endpoint(app, &f, e) ||
		take_key(app, &f, e) || check_projects(app, e))
		return cmd_fail(e);
	if (app->o.grant_mail) {
		rc = grant_mail_import(app, app->o.grant_mail, &got, e);
		if (rc)
			return rc;
		say_unless_quiet("grant: %s, %zu line%s of the mail; %s", got.name,
			got.read.lines.n, got.read.lines.n == 1 ? "" : "s",
			grant_mail_period(&got));
	}
	f.day = date_format((day_t)(app->now / DAY_SECONDS), day);
	init_find(app, got.read.project, &f);
	if (app->o.grant_mail) {
		grant_mail_write(&grants, &got, f.granted);
		f.grants = grants.s;
	}
	init_write(&f, &text);
	if (path ? put_file(app, path, &text, e) || check_file(app, path, e)
		 : out_write(&text, e))
		return cmd_fail(e);
	if (path)
		say_unless_quiet("wrote: %s", path);
	init_say_next(app, path, &f);
	return EXIT_FINE;
}
