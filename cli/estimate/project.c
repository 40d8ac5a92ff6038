/* Project of the estimate, and whether it is watched: projects of `projects:`, or those that were
 * found. A grant without a project covers these. */
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/estimate/estimate.h"
#include "cli/paste/gcloud_config.h"
#include "db_sql.h"

#include <fnmatch.h>
#include <string.h>

struct watched {
	struct app *app;
	const char **v;
	size_t n, cap;
};

static void watched_add(struct watched *w, const char *project)
{
	w->v = arena_grow(&w->app->arena, w->v, w->n, &w->cap, sizeof(*w->v));
	w->v[w->n++] = arena_strdup(&w->app->arena, project);
}

static bool watched_matches(const struct texts *patterns, const char *project)
{
	for (size_t i = 0; i < patterns->n; i++)
		if (!fnmatch(patterns->v[i], project, 0))
			return true;
	return false;
}

/* Adds projects that the last search found; the configuration may exclude some of them now. */
static enum err_code add_found(
	struct watched *w, const struct discovery_config *d, struct err *e)
{
	struct q_project_list_in in = {.origin = d->scope
			? d->scope
			: arena_printf(&w->app->arena, "billingAccounts/%s",
				  d->billing_account)};
	struct q_project_list row;
	struct db_rows rows;

	if (q_project_list_open(w->app->db, &in, &rows, e))
		return e->code;
	while (q_project_list_next(&rows, &row))
		if ((!d->only.n || watched_matches(&d->only, row.project)) &&
			!watched_matches(&d->except, row.project))
			watched_add(w, row.project);
	return db_rows_close(&rows, e);
}

/* The only watched project, else the default of gcloud, else the first one. */
static const char *pick(struct watched *w, struct proposal *out)
{
	struct gcloud_config gcloud;

	if (w->app->o.project)
		return w->app->o.project;
	if (w->n == 1)
		return w->v[0];
	gcloud_config_read(&w->app->arena, &gcloud);
	if (gcloud.project)
		return gcloud.project;
	if (w->n)
		estimate_say(&w->app->arena, out,
			arena_printf(&w->app->arena,
				"no --project: %s, the first watched one", w->v[0]));
	return w->n ? w->v[0] : "your-project";
}

/* Without a configuration, a single note covers this. */
static void watched_mark(struct watched *w, struct proposal *out)
{
	const char *said = NULL;

	for (size_t i = 0; i < out->n; i++) {
		const char *p = out->v[i].project;

		out->v[i].unwatched = !str_in(p, w->v, w->n);
		if (!out->v[i].unwatched || !w->app->cfg->settings.watches ||
			(said && !strcmp(said, p)))
			continue;
		said = p;
		estimate_say(&w->app->arena, out,
			arena_printf(&w->app->arena,
				"project %s is not in projects: of the configuration: its "
				"resources and grants are unknown",
				p));
	}
}

enum err_code estimate_projects(struct app *app, struct proposal *p, struct err *e)
{
	const struct config *cfg = app->cfg;
	struct watched w = {.app = app};
	const char *project = NULL;

	for (size_t i = 0; i < cfg->projects.n; i++)
		watched_add(&w, cfg->projects.v[i]);
	if (app->db && (cfg->discovery.scope || cfg->discovery.billing_account) &&
		add_found(&w, &cfg->discovery, e))
		return e->code;
	for (size_t i = 0; i < p->n; i++) {
		if (p->v[i].project)
			continue;
		if (!project)
			project = pick(&w, p);
		p->v[i].project = project;
	}
	watched_mark(&w, p);
	return E_OK;
}
