/* Validates the configuration, without network. */
#include "base/fs.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/config.h"
#include "cli/query.h"
#include "cli/say.h"

#include <string.h>
#include <unistd.h>

#define MAX_SECRET 8192

struct count {
	struct column column;
	size_t n;
};

static int print_counts(
	struct app *app, const struct count *counts, size_t n, struct err *e)
{
	static const struct column file = {"file", COL_TEXT, "the configuration"};
	const struct column *cols[16] = {&file};
	struct table t = {.cols = cols, .n_cols = n + 1};
	struct cell *row = table_add_row(&t, &app->arena);

	row[0] = (struct cell){.kind = CELL_TEXT, .text = app->cfg->path};
	for (size_t i = 0; i < n; i++) {
		cols[i + 1] = &counts[i].column;
		row[i + 1] = (struct cell){.kind = CELL_INT, .i = (int64_t)counts[i].n};
	}
	return query_print(app, &t, "", e);
}

/* ---- what else only sending would find ------------------------------------------------------- */

struct warnings {
	struct arena *a;
	const char **v;
	size_t n, cap;
};

static void add_warning(struct warnings *w, const char *text)
{
	w->v = arena_grow(w->a, w->v, w->n, &w->cap, sizeof(*w->v));
	w->v[w->n++] = text;
}

/* A credential of systemd is there for its service alone. */
static void look_at_secret(struct warnings *w, const char *whose, const char *path)
{
	struct sbuf b = SBUF_INIT;
	struct err why = {0};

	if (!path || str_starts(path, "credential:"))
		return;
	if (fs_read_secret(path, MAX_SECRET, &b, &why))
		add_warning(w,
			arena_printf(w->a, "%s: %s%s%s", whose, why.msg,
				*why.fix ? "; " : "", why.fix));
	else if (!b.len)
		add_warning(
			w, arena_printf(w->a, "%s: secret file %s is empty", whose, path));
	if (b.len)
		explicit_bzero(b.s, b.len);
	sbuf_done(&b);
}

static void look_at_channels(struct warnings *w, const struct config *cfg)
{
	for (size_t i = 0; i < cfg->n_channels; i++) {
		const struct channel *c = &cfg->channels[i];
		const char *whose = arena_printf(w->a, "channel %s", c->name);

		look_at_secret(w, whose, c->password_file);
		look_at_secret(w, whose, c->url_file);
		if (c->kind == CHANNEL_SENDMAIL && access(c->program, X_OK))
			add_warning(w,
				arena_printf(w->a, "%s: %s is no program that can be run",
					whose, c->program));
	}
	look_at_secret(w, "heartbeat", cfg->heartbeat_file);
}

int cmd_check(struct app *app, struct err *e)
{
	struct sbuf b = SBUF_INIT;
	struct warnings w = {.a = &app->arena};
	const struct config *cfg;
	int rc = EXIT_FINE;

	if (config_load(app, e)) {
		/* file:line:col first, as editors and terminals expect it */
		say_err("", e);
		return EXIT_USAGE;
	}
	cfg = app->cfg;
	for (size_t i = 0; i < cfg->n_warnings; i++)
		add_warning(&w, cfg->warnings[i]);
	look_at_channels(&w, cfg);
	{
		const struct count counts[] = {
			{{"projects", COL_INT, ""}, cfg->projects.n},
			{{"grant_lines", COL_INT, ""}, cfg->n_grants},
			{{"credits", COL_INT, ""}, cfg->n_credits},
			{{"budgets", COL_INT, ""}, cfg->n_budgets},
			{{"rules", COL_INT, ""}, cfg->n_rules},
			{{"channels", COL_INT, ""}, cfg->n_channels},
			{{"warnings", COL_INT, ""}, w.n},
		};

		if (app->o.format)
			rc = print_counts(app, counts, ARRAY_LEN(counts), e);
	}
	if (!app->o.format)
		sbuf_addf(&b,
			"%s: fine: %zu projects, %zu grant lines, %zu credits, %zu "
			"budgets, "
			"%zu rules, %zu channels\n",
			cfg->path, cfg->projects.n, cfg->n_grants, cfg->n_credits,
			cfg->n_budgets, cfg->n_rules, cfg->n_channels);
	for (size_t i = 0; i < w.n; i++)
		say("warning: %s", w.v[i]);
	if (!rc && w.n && app->o.strict)
		rc = EXIT_NO;
	if (out_write(&b, e))
		rc = cmd_fail(e);
	sbuf_done(&b);
	return rc;
}
